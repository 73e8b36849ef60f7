# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Turing-completeness, built and run

*A transformer repeats one fixed piece of arithmetic. How can it run every program?*

**In one sentence:** it writes the tape of a Turing machine into two numbers of its own output, so that a step of any program is a little arithmetic on their first digits.

We follow Bhattamishra, Patel and Goyal {cite}`bhattamishra2020`, from here on *the paper*. The first three sections turn any program into a recurrent network. The next three let a transformer carry this network, and ask what each of its parts is for. The last asks how much tape fits into a float.

**Is the program smuggled in through the positions?** Not in our transformers: in the first, a position holds its own number and a 1, and the second has no position encoding at all. But the paper allows *any* function as a position encoding. If the encoding may hold the whole program, a decoder can do without two parts that the paper calls needed, and one of the paper's propositions is false as stated.
"""

# %% tags=["hide-input"]
from dataclasses import replace
from itertools import islice

import matplotlib.pyplot as plt

from chapters.common.judge import check
from chapters.turing_completeness import variants
from chapters.turing_completeness.figures import (BLUE, ORANGE, draw_arrow, draw_boxes, draw_cell,
                                                  draw_logits)
from chapters.common.floats import SIGNIFICAND
from chapters.turing_completeness.variants import (FLOATS, compare, exact_depth,
                                                   first_difference, longest_ones)
from record.notebook import glue, markdown_table, note, use_style
from lib.transformer import Space
from chapters.common.turing.architecture import Sublayer, directional, reciprocal, vanilla
from chapters.common.turing.compilation import stack_rnn
from chapters.common.turing.machines import Machine, Rule
from chapters.common.turing.recurrent import RNN
from chapters.common.turing import machines as programs

use_style()

# %% [markdown]
r"""
## A machine is a table

A **Turing machine** has a tape of cells, a head on one of them, and a state. A table tells it what to do: *in this state, reading this symbol, write that, move, and go to that state.* A move is `R`, `L` or `N`: right, left or none. At the start the tape holds a string, and an empty cell holds a blank, `_`. In the state `accept` the run ends, and the string is **accepted**. A run that ends because no line of the table fits does not accept. Here is a machine that adds 1 to a binary number: it runs to the right end of the number, comes back, and changes each `1` into a `0` as long as there is a carry.
"""

# %%
increment = Machine.parse("""
    right 0 -> 0 R right
    right 1 -> 1 R right
    right _ -> _ L carry
    carry 1 -> 0 L carry
    carry 0 -> 1 N accept
    carry _ -> 1 N accept""")
print(*increment.run("1011"), sep="\n")

# %% [markdown]
r"""
Each line is a **configuration**: the tape to the left of the head, the state in brackets, and the tape from the head on. The next step depends on nothing else.

Whatever an ordinary program computes, some such table computes too, so Turing machines stand for all programs. A kind of model is called **Turing-complete** if for every Turing machine there is a model of that kind that accepts exactly the same strings. (That is enough, because a longer answer can be asked for digit by digit: *is the last digit of the sum a 1?*) The paper proves that transformers are Turing-complete, as Pérez, Barceló and Marinković did before {cite}`perez2021`, with the same attention that we shall use.

## A tape is two numbers

How does a tape fit into a network? Siegelmann and Sontag {cite}`siegelmann1992` write it into the digits of numbers. Give each symbol an even digit:

| symbol | blank | `0` | `1` |
|---|---|---|---|
| digit | 0 | 2 | 4 |

Then the tape `1011` reads as a decimal number, $0.4244$. We need two such numbers: $\Psi_1$ holds the tape from the head on, and $\Psi_2$ holds what is to the left of the head, read from the head outwards. At the start the head is on the first symbol, so $\Psi_1 = 0.4244$ and $\Psi_2 = 0$. Beyond the written part there are only blanks, whose zeros change nothing.

Now let the machine take its first step, `right 1 -> 1 R right`, by hand:

- *Read.* $10 \, \Psi_1 = 4.244$. The digit before the point is 4, so the head reads a `1`.
- *Remove it.* $4.244 - 4 = 0.244$. That is the new $\Psi_1$: the head has moved on and sees `011`.
- *Put it down on the left.* $(4 + \Psi_2) / 10 = 0.4$. That is the new $\Psi_2$.

A step to the left goes the other way. At `101[carry]1` the two numbers are $\Psi_1 = 0.4$ and $\Psi_2 = 0.424$. Writing a `0` changes $\Psi_1$ to $0.2$. Then the first digit of $\Psi_2$, a 4, becomes the first digit of $\Psi_1$, which leaves $\Psi_1 = 0.42$ and $\Psi_2 = 0.24$. However long the tape, a step touches only the first digits.

**Predict**: back to the head's trip to the right. After three steps the machine is at `101[right]1`, with $\Psi_1 = 0.4$ and $\Psi_2 = 0.424$. What are the two numbers after the fourth step?

<p class="guess" data-right="2">0&nbsp;and&nbsp;0.4244|0&nbsp;and&nbsp;0.4424|0.4&nbsp;and&nbsp;0.0424</p>
"""

# %% tags=["hide-output"]
# try: another number to add 1 to
def number(symbols):
    return float("0." + "".join(str(2 * increment.symbols.index(a)) for a in symbols))


markdown_table(("configuration", "Ψ₁", "Ψ₂"),
               [(f"`{now}`", f"{number(now.right):g}", f"{number(now.left[::-1]):g}")
                for now in increment.run("1011")])

# %% [markdown]
r"""
The symbol that is put down becomes the *first* digit of $\Psi_2$, and all others move back by one place. A number that is read and written at one end only is a **stack**, the symbol at that end is its *top*, and a tape with a head is two stacks.

Here is a transformer that does all this. Its two numbers have the same digits as above, but in base 8, which suits [floating-point numbers](#tm-precision). Press the button and watch digits wander.

<div class="live" data-live="machine"><p>A transformer adds 1 to 1011 in eight steps of a Turing machine and leaves 1100 on the tape. Its numbers begin as 0.4244 and 0, in base 8.</p></div><script type="module" src="../_static/live.mjs"></script>

## A network takes the steps

A network has to do these steps with its **units**. A unit adds multiples of some numbers and a constant, and applies one function to the sum. In the paper this function is $\sigma(x) = \min(\max(x, 0), 1)$, which is $x$ itself between 0 and 1 and cuts off what is smaller or larger.

Is the top symbol a `1`? The unit $\sigma(10 \, \Psi_1 - 3)$ answers: for $\Psi_1 = 0.4244$ it computes $\sigma(1.244) = 1$, which says yes, and for $\Psi_1 = 0.244$ it computes $\sigma(-0.56) = 0$, which says no. Its answer rises from 0 to 1 as $10\,\Psi_1$ goes from 3 to 4, and this is why all digits are even: $10\,\Psi_1$ never lies in between.

One unit is enough because `1` has the largest digit. To ask whether the symbol is a `0` takes two: $\sigma(10 \, \Psi_1 - 1) - \sigma(10 \, \Psi_1 - 3)$.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Even digits leave a gap, and the slope of the unit fits into it.* Ten times the number always lies in a grey band, which reaches from the digit of a symbol to the next odd digit. The line says whether the top symbol is a 1, and the dots are the two examples in the text.", "name": "fig-tm-gap"}, "image": {"alt": "Three grey bands, labelled blank, 0 and 1, with white gaps between them; a line is 0 over the first two bands, rises within the second gap and is 1 over the third band.", "classes": "dark-light"}}
figure, axis = plt.subplots(figsize=(6.4, 2.4))
for digit, symbol in ((0, "blank"), (2, "0"), (4, "1")):
    axis.axvspan(digit, digit + 1, color="#888888", alpha=0.2, linewidth=0)
    axis.text(digit + 0.5, 1.12, symbol, ha="center")
axis.plot([-0.2, 3, 4, 5.2], [0, 0, 1, 1], color=BLUE)
for value, answer, below in ((4.244, 1, -13), (2.44, 0, 6)):
    axis.plot(value, answer, "o", color=ORANGE)
    note(axis, f"{value}", (value, answer), (4, below), color=ORANGE)
axis.set(xlabel="$10\\,\\Psi_1$", ylabel="answer", ylim=(-0.1, 1.3), yticks=(0, 1));

# %% [markdown]
r"""
Four groups of such units make a step of the machine:

1. **Read** the top symbols, as above.
2. **Choose** the rule. Each state has a unit, which is 1 if the machine is in it and 0 if not, and a rule applies if the state *and* the symbol are right: $\sigma(\text{state} + \text{symbol} - 1)$.
3. **Move** the head. For each direction and each stack, one unit computes $\sigma(\text{new number} + \text{go} - 1)$, where *go* is 1 if the chosen rule moves in this direction, and 0 if not. One more unit for each state says whether the chosen rule leads to it.
4. **Merge**: add up what the directions deliver, and pass the new state on.

Take a move to the right. The new $\Psi_1$ is $10\,\Psi_1$ minus the digit that was read. This digit is $2a + 2b$, where $a = \sigma(10 \, \Psi_1 - 1)$ and $b = \sigma(10 \, \Psi_1 - 3)$ are units of *Read*: $a$ is 1 for a `0` and for a `1`, and $b$ only for a `1`. The new $\Psi_2$ is a tenth of the sum of $\Psi_2$ and the digit that is written. Each rule that moves to the right adds its own digit to this sum if it is chosen, and 0 if not. If *go* is 0, no rule adds a digit. With the numbers of our first step, the two units would then give $\sigma(0.244 - 1) = 0$ and $\sigma(0 - 1) = 0$.

All four groups are in one **layer**: they read one vector and together write the next. A network that applies one layer again and again to its own vector $h_t$ is a **recurrent network** (RNN). The groups take turns: in each round one of them reads what the group before it has just written, while the others read zeros and stay 0. So a group must also pass on what later groups need. Here is the first step, `right 1 -> 1 R right`:

| round | its units compute | it passes on |
|---|---|---|
| *Read* | $a = \sigma(4.244 - 1) = 1$, $b = \sigma(4.244 - 3) = 1$ | state, $0.4244$, $0$ |
| *Choose* | this rule: $\sigma(1 + 1 - 1) = 1$ | $a$, $b$, $0.4244$, $0$ |
| *Move* | $\sigma(0.244 + 1 - 1) = 0.244$, $\sigma(0.4 + 1 - 1) = 0.4$, `right`: 1 | |
| *Merge* | $\Psi_1 = 0.244$, $\Psi_2 = 0.4$, state `right` | |

So if numbers are exact, however many digits a tape needs, there is for every Turing machine a recurrent network that runs it. (This is the paper's Theorem 3.1, after Siegelmann and Sontag. The proof in the next box contains its proof.)

(tm-decoder)=
## A decoder carries it

Can a transformer repeat such rounds? Let us first watch a much smaller recurrent network, which reads a token in each round: $h_t = \sigma(h_{t-1} + x_t / 4)$, where $x_t$ is 1 for a `1`, and 0 for anything else. It counts up to four ones, in quarters, because $\sigma$ stops at 1. Each round needs three things: the old $h$, the next symbol, and some arithmetic.

*What keeps $h$?* The output does. The paper's transformer has two halves, as the first ones had: an **encoder**, which usually works on the input but does nothing here, and a {term}`decoder`, which attends to the encoded input. The decoder writes outputs one after another, and each comes back as its next input, so an output can carry $h$ from round to round.

*What brings the symbol?* **Attention** to the input does, one **token** at a time. The tokens are a begin mark, the input's symbols and an end mark. To ask for them in turn, the decoder needs their numbers. So the vector of a token has two parts: its **embedding** says which symbol it is, and a **position encoding**, here $(i, 1)$ at position $i$, says where it is. Outputs have positions, too: output $t$, counted from 0, comes back as input at position $t + 1$, which we call its *counter*.

The output that asks makes a **query**, and each token makes a **key**, by which it can be found, and a **value**, which can be delivered. Query and key together give the token its attention {term}`logit`. Then {term}`hardmax` attention (*averaging hard* in chapter 10) delivers the value of the token with the largest logit or, if several tie, the mean of their values. Usually the logit is the product of query and key. In the paper's first proof it is minus the absolute value of this product, so that it is largest where the product is 0. (The [second proof](#tm-masking) needs only the product.)

Here the key of token $i$ is $(-1, i)$ and the query of output $t$ is $(t + 1, 1)$. Their product is $i - (t + 1)$, so the logit is 0 at token $t + 1$ and negative at all others. Let the input be `11`, which makes four tokens. When the counter is 2, the four logits are $-1, 0, -1, -2$, and attention fetches token 2, the first `1`. (Its value is its embedding alone, without the position.) When the counter is 9, the nearest token is the last one, so after the end of the input the decoder reads the end mark again and again.

*What computes?* A **feed-forward network** does: a layer of units, and sums of them. It needs the old $h$ and the new $x$ side by side, and attention delivers only $x$. That is what the {term}`residual connection` around attention is for: it adds what went in to what comes out, so the old $h$ is still there. A second connection leads around the network. It adds $h_t$ once more. So the network puts out only the difference $h_{t+1} - h_t$, and the sum is $h_{t+1}$. (A decoder also attends to its own earlier outputs, which we do not use here.)
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Attention fetches the symbol, and the two connections bring the state.* One step on the input 11. Output $y_1$ asks for token 2 (dashed), whose value, $x = 1$, comes up. The boxes with a + are the connections: the old $h$ goes around attention, and then around the network, which puts out $\\tfrac14 - 0$.", "name": "fig-tm-step"}, "image": {"alt": "Four tokens below, each with its logit; from the output on the left a dashed arrow leads down to token 2, and a solid one from there up to a plus sign; a straight arrow leads from the output to that plus sign and on to the network; an arrow around the network and one from it meet in a second plus sign, from which one leads to the next output.", "classes": "dark-light"}}
figure, axis = plt.subplots(figsize=(6.4, 3.4))
output, plus, network, last, after = ((place, 2.0) for place in (0, 1, 1.9, 2.7, 3.5))
tokens = {(0, 0.35): "begin", (1, 0.35): "1", (2, 0.35): "1", (3, 0.35): "end"}
token = (1, 0.35)
words = {output: "output y₁\n$h = 0$\ncounter 2", plus: "+", last: "+",
         network: "network\n$\\sigma(h + x/4)$\n$- h$",
         after: "output y₂\n$h = 1/4$\ncounter 3"}
boxes = draw_boxes(axis, words | tokens)
draw_logits(axis, tokens, [-abs(i - 2) for i in range(1, 5)])
around = {"color": ORANGE, "connectionstyle": "arc3,rad=-0.58"}
draw_arrow(axis, boxes, (output, token), "asks", (-22, 0), linestyle="--")
draw_arrow(axis, boxes, (token, plus), "$x = 1$", (20, -12))
draw_arrow(axis, boxes, (output, plus), "old $h$", (9, 9), color=ORANGE)
draw_arrow(axis, boxes, (plus, network), "old $h$\nand $x$", (0, -47), color="black")
draw_arrow(axis, boxes, (network, last), color="black")
draw_arrow(axis, boxes, (plus, last), "old $h$", (0, 62), **around)
draw_arrow(axis, boxes, (last, after), "$h = 0 + ¼$", (-3, 25), color="black")
axis.set(xlim=(-0.5, 3.9), ylim=(-0.45, 3.1))
axis.set_axis_off()

# %% [markdown]
r"""
A last map keeps only `h`, and the next position encoding adds the next counter and the constant 1. On `11` the first six outputs are:
"""

# %% tags=["hide-input"]
(x,), (h,) = Space("x"), Space("h")
quarters = RNN(Space("x"), {"1": x}, [{"h": h + x / 4}])
decoder = vanilla(quarters)
rows = dict(zip(decoder.space.names, zip(*islice(decoder.outputs("11"), 6))))
markdown_table(("", *(f"$y_{t}$" for t in range(6))),
               [("h", *rows["h"]), ("counter", *rows["x₁"]), ("constant 1", *rows["x₂"])])

# %% [markdown]
r"""
Any other recurrent network can take the place of this small one. With the four groups from above the decoder runs the machine. A few more units first load the tape into $\Psi_1$, symbol by symbol, as the proof says under *The input*.

:::{admonition} A decoder runs any machine (Theorem 4.1 of Bhattamishra and others)
:class: result
*Assumes:* exact numbers, and hardmax attention whose logit is minus the absolute value of the product of query and key. For every Turing machine there is a decoder that runs it: on every input, its outputs first load the tokens one by one, and then go through the machine's states and the two numbers of its tape, four outputs for each step. The decoder accepts when an output holds the state `accept`. *Proved for every length.* [Record](#tm-vanilla)
:::

:::{dropdown} Proof
*The numbers.* Let the base $B$ be at least twice the number of symbols (above, $B = 10$), and let symbol number $a$ have the digit $2a$. The digits are at most $B - 2$, so a stack is at most $\sum_i (B - 2) B^{-i} = \frac{B-2}{B-1} < 1$. Hence $B \Psi = 2a + r$, where $a$ is the top symbol and $0 \le r < 1$ is the rest of the stack.

*Read.* $\sigma(B \Psi - (2j - 1))$ is 1 if $a \ge j$, as its argument is then at least 1. Otherwise it is 0, as its argument is below 0.

*Choose.* $\sigma(q + s - 1)$ is 1 if $q = s = 1$, and 0 for other zeros and ones.

*Move.* Let $w$ be the symbol that is written, $v$ the top of $\Psi_2$, and $\Psi = (2w + r) / B$ the right stack after writing. After a move to the right the two stacks are $r$ and $(2w + \Psi_2)/B$, after one to the left $(2v + \Psi)/B$ and $B\Psi_2 - 2v$, and after none $\Psi$ and $\Psi_2$. All of these are sums of multiples of the stacks and of the units before them, and lie in $[0, 1)$. So $\sigma(\text{new} + 1 - 1)$ is the new number, and $\sigma(\text{new} + 0 - 1) = 0$.

*The rounds.* All groups of units stand in one vector. While one of them holds the machine, the others are 0 and stay so: without a state no rule is chosen, and each unit that moves has an argument below 0. One more unit of *Move* adds up the chosen pairs of state and symbol that have no rule. When it is 1, the decoder stops without accepting.

*The input.* Let $x_a$ be 1 if symbol $a$ is read and 0 if not, and $x = \sum_a x_a$. A unit *place* is $B^{-i}$ when symbol $i$ is read, so $\sigma(2a B^{-i} + x_a - 1)$ is the symbol's digit in the right place. A unit *sum* adds up the digits so far. Let $S < 1$ be its value plus the newest digit. In the next round *sum* becomes $\sigma(S + x - 1)$, which is $S$ while symbols are read, and then 0. The unit that takes over is $\sigma(S - x)$, which is $S$ at the first end mark, and 0 otherwise. There a unit *start* is 1. One round later *Merge* has $S$ as $\Psi_1$ and *start* as the first state.

*The decoder.* Claim: $y_t$ holds $h_t$, the counter $t + 1$ and a 1, and 0 in the place for an input symbol. For $t = 0$ that is how it starts. From $t$ to $t + 1$: attention adds the embedding $s$ of the next symbol. The feed-forward network can hand on $h_t$ and $s$, which lie in $[0, 1]$, where $\sigma(x) = x$. So it puts out $h_{t+1} - h_t$ and $-s$, and the connection around it adds $h_t$ and $s$. The last map keeps the $h$ part alone, and the next position brings the next counter. $\square$

The paper's own proof lacks this last map, and without it [token 3 is never read](#tm-counter). With ReLU, which the paper allows elsewhere, and embeddings in $[0, 1]$ its lemma is right as printed.
:::

Your own machine runs on it. In the next cell `mine` changes every `0` into a `1` and every `1` into a `0`. The function `compare` builds from it a recurrent network, the decoder from above (`vanilla`) and the directional transformer of the next section, and compares all three with the machine at every step.
"""

# %%
# try: a machine of your own
mine = Machine.parse("""
    find 1 -> 1 R find
    find 0 -> 0 R find
    find _ -> _ L turn
    turn 1 -> 0 L turn
    turn 0 -> 1 L turn
    turn _ -> _ R accept""")
ran = compare(mine, "110100")
print("ends with", ran.run[-1])
print("right at every step:", ran.holds)

# %% [markdown]
r"""
(tm-masking)=
## Order from a mask alone

What are the positions for? Our decoder asks for token $t + 1$ by its number. If the tokens carry no numbers, nothing in a token tells whether it is the first `1` or the second. Yet the paper proves, as its Theorem 4.2, that the order is not lost as long as there is a *mask*, and considers this more important than the proof above.

In such a model, the {term}`directional transformer`, the mask hides later tokens: the step that makes output $y_t$ sees the first $t$ tokens only. So the mask tells the decoder how many tokens it may read. (In the paper's definition it also covers the attention to the input, which translation systems leave unmasked.) The attention logit is the plain product of query and key.

Which symbol came last? The one that has become more frequent. Let the input be `11` again, with the tokens #, `1`, `1` and \$, where # is the begin mark and \$ the end mark. The value of each token has a 1 for its own symbol and a 0 for every other. A first layer gives the logit 0 to all tokens that it sees, so it delivers the mean of their values, which is the share of each symbol:

| step | it sees | share of # | share of `1` | share of \$ | what has risen |
|---|---|---|---|---|---|
| 1 | # | $1$ | $0$ | $0$ | # |
| 2 | # `1` | $\tfrac12$ | $\tfrac12$ | $0$ | `1`, by $\tfrac12$ |
| 3 | # `1` `1` | $\tfrac13$ | $\tfrac23$ | $0$ | `1`, by $\tfrac16$ |
| 4 | # `1` `1` \$ | $\tfrac14$ | $\tfrac12$ | $\tfrac14$ | \$ |

Only the share of the symbol just read has risen. For each symbol a unit $\sigma(\text{share now} - \text{share before})$ checks this, and the share before is known because the last output has kept it. A second layer uses these rises as its query, and the key of a token is 1 at its own symbol and 0 elsewhere. At step 3 the logits are $0$ for # and $\tfrac16$ for both `1`s. As these tie, attention delivers the mean of their values. It need not tell the two apart, since both deliver the same $x = 1$.

From here on everything is as before: the network adds $\tfrac14$ to the old $h$. After the end no share rises any more, and the query would be 0. So at each step the query also holds a small weight for the end mark ([exercise 2](#tm-exercise-end)).

:::{admonition} Order from a mask alone (Theorem 4.2 of Bhattamishra and others)
:class: result
*Assumes:* exact numbers, and hardmax attention whose logit is the product of query and key. For every recurrent network there is a decoder with a mask and two layers, but without position encodings, whose output $y_t$ holds the network's state after the first $t$ tokens, on every input. So for every Turing machine there is one that runs it. *Proved for every length.* [Record](#tm-directional)
:::

:::{dropdown} Proof
Let a symbol occur $\varphi$ times among the first $t - 1 \ge 1$ tokens. If it is read at step $t$, its share changes by

$$
\frac{\varphi + 1}{t} - \frac{\varphi}{t - 1} = \frac{t - 1 - \varphi}{t (t - 1)} ,
$$

which is above 0: # is among the first $t - 1$ tokens and is never read again, so $\varphi < t - 1$. Any other symbol's share changes by $\frac{\varphi}{t} - \frac{\varphi}{t - 1} \le 0$. At step 1 the share of # rises from 0 to 1.

So the query is positive at the symbol just read and 0 at all others. All tokens of that symbol get the same logit, the others get 0, and the mean of equal values is that value. For the end mark the query has $2^{-t}$ in place of the rise. Before the end this affects no token, because none of those that the mask shows is an end mark. From the end on it is the only number in the query that is above 0.

The shares, the rises and $2^{-t}$ lie in $[0, 1]$, and so does what the tokens hold, once the network's inputs are rescaled. There $\sigma(x) = x$, so the feed-forward network can hand them on or subtract them. It computes the next state as in the proof above. $\square$
:::

The paper concludes from its two theorems that transformers with positions, transformers with masks alone and recurrent networks recognize the same languages. If they differ in practice, it says, the cause must lie in how they learn. (The proof of Theorem 4.2 as printed is [repaired in a few places](#tm-directional).)

## Which parts does it need?

That our decoder fails without a part proves little, because *another* decoder may do without it. So we ask of each part what it does in our first decoder, and whether *every* machine has a decoder that accepts the same strings without it:

| part | what it does | is there, for every machine, a decoder without it? |
|---|---|---|
| encoder | nothing | yes ([it is idle](#tm-components)) |
| attention to its own outputs | nothing | yes ([Theorem 4.1](#tm-decoder)) |
| attention to the input | brings the symbol | no |
| the connection around attention to the input | keeps the state | yes ([positions hold the program](few_vectors)) |
| feed-forward network | computes | yes ([positions hold the program](few_vectors)) |
| position encoding | tells token from token | yes ([Theorem 4.2](#tm-masking)) |

The paper names three parts as needed: the attention to the input, the residual connection around it, and the feed-forward network. The first *is* needed, because without it no output depends on the input.

But [A few vectors are enough](few_vectors) builds, for every Turing machine, a decoder without the other two that accepts exactly the same strings. Its position encoding holds the whole program, and its outputs together hold the run, bit by bit. So the paper's Proposition 4.3, by which decoders without the connection are not Turing-complete, is false as stated. The proposition does [hold](#tm-residual) if one asks for more: each output must hold a recurrent network's state, in a place that positions leave alone.

Unknown: whether a decoder can do without the connection if positions hold only $(i, 1)$, as in Theorem 4.1, or without positions.

(tm-precision)=
## Precision is tape

So far all numbers have been exact, but a floating-point number has a fixed number $p$ of binary digits, its {term}`significand`. How much tape fits into it? (We ask about the two stacks alone, although the counter grows too.)

Because $0.4$ has no finite binary expansion, we choose a power of two for the base, $B = 2^b$. Each symbol has an even digit, and the odd digit above it stays free, so $B$ has to be at least twice the number of symbols. For the three symbols of the machine that adds 1, we take $B = 8$ and $b = 3$.

The tape `1010` is still $0.4242$, now in base 8, where each digit is three bits:

$$
0.\;100\;010\;100\;010
$$

The last bit is 0, as every digit is even. So any four symbols fit into eleven bits, which is what float16 has, but a fifth may not.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Eleven bits hold any four symbols, but not every five.* The tape 10101 in base 8, three bits for each symbol. The twelfth bit is a 0, which costs nothing as long as no 1 follows it.", "name": "fig-tm-bits-of-tape"}, "image": {"alt": "Fifteen squares with a bit each, in groups of three under the symbols 1, 0, 1, 0 and 1. The first eleven are filled, and an arrow below them says 11 bits; below the thirteenth, a 1, stands: no room.", "classes": "dark-light"}}
figure, axis = plt.subplots(figsize=(6.4, 1.5))
tape, held = "10101", SIGNIFICAND["float16"]
for place, symbol in enumerate(tape):
    axis.text(3 * place + 1.5, 1.25, f"symbol '{symbol}'", ha="center", fontsize=9)
    for x, bit in enumerate(f"{2 * increment.symbols.index(symbol):03b}", start=3 * place):
        draw_cell(axis, (x + 0.5, 0.5), bit, (1, 1), filled=x < held)
        if x >= held and bit == "1":
            axis.text(x, -0.45, "no room", va="top", color=ORANGE, fontsize=9)
axis.vlines(range(3, 15, 3), 0, 1.6, color="black", linewidth=1.2)
axis.annotate("", (0, -0.3), (held, -0.3), arrowprops={"arrowstyle": "<->"})
axis.text(held / 2, -0.45, f"{held} bits", ha="center", va="top", fontsize=9)
axis.set(xlim=(-0.1, 15.1), ylim=(-1, 1.7))
axis.set_axis_off()

# %% [markdown]
r"""
:::{admonition} Precision is tape
:class: result
*Assumes:* at least two symbols, and a base $B = 2^b$, the least power of two that is at least twice the number of symbols. Every stack of $D$ symbols fits into a significand of $p \ge b$ bits if and only if $D b - 1 \le p$, which is $D \le \lfloor (p + 1) / b \rfloor$. *Proved for every length.* [Record](#tm-depth)
:::

:::{dropdown} Proof
The stack is $\sum_i 2 a_i B^{-i} = 2 B^{-D} N$, where $N = \sum_i a_i B^{D - i}$ is a whole number. Each $a_i$ is at most $\frac B2 - 1$, so $N < \frac12 B^D = 2^{Db - 1}$. It has at most $Db - 1$ bits, and fits if $Db - 1 \le p$.

If $Db - 1 > p$, then $D \ge 2$, as $b \le p$. As $B$ is the *least* power of two that will do, there are more than $B / 4$ symbols, and the last of them has a number $a \ge B / 4$. Put it on top and the symbol with number 1 at the bottom. Then $N \ge \frac B4 B^{D - 1} = 2^{Db - 2}$ has $Db - 1$ bits, and it is odd, so the last of them counts. It does not fit. $\square$
:::

Even if the stacks fit, sums along the way may not, so we measure. Let the machine that adds 1 run on a row of $n$ ones. When the head has passed them, $\Psi_2$ holds $n$ symbols. When it is back, $\Psi_1$ holds a blank, which costs a float nothing, and $n$ zeros. Only the last write, which changes the blank into a `1`, needs room for $n + 1$ symbols.

**Predict**: float32 has 24 bits. Up to how many ones does the transformer in float32 go through the same states as the machine?

<p class="guess" data-right="1">8|24|more&nbsp;than&nbsp;1000</p>
"""

# %% tags=["hide-input", "hide-output"]
ones = {name: longest_ones(number) for name, number in FLOATS.items()}
for bits in (32, 64):
    glue(f"tm_ones_{bits}", ones[f"float{bits}"])
markdown_table(("float type", "p", "⌊(p + 1) / 3⌋", "the machine's states up to n ones"),
               [(name, p, (p + 1) // 3, ones[name]) for name, p in SIGNIFICAND.items()])

# %% [markdown]
r"""
The states are right for as many ones as the formula allows: up to {glue:text}`tm_ones_32` ones in float32, and {glue:text}`tm_ones_64` in float64. But with that many ones the sum on the tape is wrong, because the last write makes the stack one symbol too deep. The digit 2 of the sum's last `0` [is rounded away](#tm-depth), which leaves a blank.

## What to take away

- A decoder's memory is what it writes: one output can hold a whole tape in two numbers.
- Ask which numbers a claim of Turing-completeness needs. Our first decoder's tape needs two numbers with no limit on their digits; float32 has room for only a few symbols.
- Leave gaps between codes that a unit has to tell apart. Even digits in a base twice as large are enough.

## Exercises

**1 (compute).** A machine has six tape symbols. What is $B$, and up to how many symbols does every stack fit into float32, whatever is written on it?
"""

# %%
# try: your B and your depth in place of the dots, as (B, depth)
check("6.1", ...)

# %% tags=["hide-cell"]
six = Machine(tuple(Rule("A", a, a, "R", "A") for a in "_abcde"), "A", ("accept",))
print(f"B = {six.base}, and floor((24 + 1) / 4) = {(24 + 1) // 4}")
assert exact_depth("abcde", FLOATS["float32"]) == 6
check("6.1", (six.base, 6))

# %% [markdown]
r"""
(tm-exercise-end)=
**2 (modify).** In the directional transformer no share rises after the end. So the query has one more number, a weight for the end mark. The vector holds a number `x₁`, which is 1 at first, and the weight is half of it. At every step, before the end too, the feed-forward network subtracts this half. So at step $t$ the weight is $2^{-t}$. The smallest positive number in float16 is $2^{-24}$, so at step 25 the weight becomes 0.

Below, `model` is the directional transformer of the small network `quarters` from above. Give it a weight that does not run out. (The cell prints what `feed` adds to `x₁`: minus the unit `half`, which holds the half of `x₁`.) Does the weight have to decrease?
"""

# %%
# The parts of the first layer: attention to the outputs (own), attention to the input (across)
# and a feed-forward network (feed). `out` says what feed adds to each coordinate.
model = directional(quarters)
(own, across, feed), second = model.decoder
out = dict(feed.map.out)
print("added to x₁:", out["x₁"])


def changed(out):
    """The same transformer with another `out`."""
    network = Sublayer(replace(feed.map, out=out))
    return replace(model, decoder=((own, across, network), second))

# %%
# try: changed(out) with your `out` in place of the dots
check("6.2", ...)

# %% tags=["hide-cell"]
lasting = changed({name: form for name, form in out.items() if name != "x₁"})
truth, half = list(islice(quarters.states("1"), 301)), FLOATS["float16"]
for name, transformer in (("2^-t", model), ("constant", lasting)):
    wrong = first_difference(transformer.outputs("1", half), truth)
    print(f"{name}: first wrong h in {len(truth) - 1} steps of float16: {wrong}")
check("6.2", lasting)

# %% [markdown]
r"""
:::{dropdown} Solution
The weight may stay constant, because the end mark cannot be seen until the input is over. (The paper says that simpler choices than $2^{-t}$ may be possible.)
:::

**3 (prove or refute).** The paper's decoder has no last map that keeps `h` alone. To get rid of any number $c$ other than `h`, its feed-forward network puts out $-\sigma(c)$, and the connection adds $c$. This fails for the counter, which is above 1. The claim: "With the position encoding $(1/i, 1)$ in place of $(i, 1)$, and embeddings in $[0, 1]$, the paper's decoder is right without a last map."

<p class="guess" data-right="1">proved|refuted</p>
"""

# %%
# try: "proved", or an RNN on which it goes wrong
check("6.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Proved. Every number that the feed-forward network hands on lies in $[0, 1]$, where $\sigma$ is the identity, so it can take each of them away. The logit is $-|1/i - 1/(t + 1)|$, which is 0 at $i = t + 1$ alone. Beyond the end, $1/(t + 1)$ is less than $1/i$ for every token $i$, and the last token is the nearest.
:::
"""

# %% tags=["hide-cell"]
inputs = [(programs.INCREMENT, "1" * 30), (programs.ABC, "aaaabbbbcccc"),
          (programs.BUSY_BEAVER_4, ""), (programs.MULTIPLY, "11*111="),
          (programs.PALINDROMES, "01100110"), (programs.PALINDROMES, "01")]
for machine, w in inputs:
    rnn = stack_rnn(machine)
    printed = variants.printed_c4(rnn, reciprocal)
    assert first_difference(printed.outputs(w), rnn.states(w)) is None
print(f"right on all {len(inputs)} inputs, at every step")
check("6.3", "proved")

# %% [markdown]
r"""
## What next

[A few vectors are enough](few_vectors) takes the tape away and still runs every program. The [record of this chapter](record_06_turing_completeness) has every run, criterion and erratum, and what others have proved since. Chapter 7 keeps half a string in *one* number, and asks how far its digits go.
"""
