# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# A few vectors are enough

*A decoder writes nothing but copies of tokens from its input, and still runs every program. Where does it keep what it computes? And is it cheating if its position encoding holds the program?*

**In one sentence:** it writes the computation down bit by bit, as copies of two tokens, and each position says which earlier bits make the next one.

*Assumes the first four sections of [chapter 6](06_turing_completeness).* As there, numbers are exact; a token's {term}`logit` is minus the absolute value of the product of query and key; {term}`hardmax` attention delivers the value of the token with the largest logit or, if several tie, the mean of their values; a begin mark and an end mark stand around the input.
"""

# %% tags=["hide-input"]
from fractions import Fraction
from itertools import islice, product

import matplotlib.pyplot as plt

from chapters.common.turing.architecture import Run
from chapters.common.turing.machines import INCREMENT as increment, Machine
from chapters.common.turing.recurrent import exact
from chapters.turing_completeness.circuits import SpaceTime, halts, wired
from chapters.turing_completeness.figures import (NEW, ORANGE, draw_arrow, draw_boxes, draw_cell,
                                                  draw_logits, mixed)
from chapters.turing_completeness.variants import every_subset
from record.notebook import markdown_table, use_style

use_style()

# %% [markdown]
r"""
A {term}`decoder` writes outputs one after another, and each comes back as its next input. In chapter 6 each output holds the state of a Turing machine and its tape. A {term}`residual connection` around the attention to the input preserves them: it adds the last output to what this attention delivers.

Can a decoder do without this connection, if it keeps the one around the attention to its own outputs? Bhattamishra, Patel and Goyal {cite}`bhattamishra2020`, from here on *the paper*, say no: by their Proposition 4.3, decoders without it are not **Turing-complete**, so there is some Turing machine for which no such decoder accepts exactly the same strings. We build, for every Turing machine, a decoder without the connection that accepts exactly the strings that the machine accepts.

**Is that cheating?** Our position encoding will hold the whole program, as a list of what to compute. The proposition speaks of all decoders, and the paper allows any function as a position encoding. We leave open whether a decoder can do without the connection if positions hold only $(i, 1)$, as in chapter 6.

## How many vectors are there?

Without the connection, the vector that attention delivers is all that is left of a step. It depends only on which tokens tie, so there is at most one such vector for each set of tokens.

Let us count by hand. Take three tokens, without begin and end marks, to which the position encoding gives the values $(1, 0, 0)$, $(0, 1, 0)$ and $(0, 0, 1)$, and the same vectors as keys. The binary digits of $t$, read from the right, say for which tokens step $t$ asks: step 6, which is `110`, asks for tokens 2 and 3, but not for token 1. Its query has a 0 for each token that it asks for and a 1 for every other:

- The query is $(1, 0, 0)$.
- Its products with the keys are $1$, $0$ and $0$, so the logits are $-1$, $0$ and $0$.
- Tokens 2 and 3 tie for the largest logit. The mean of their values is $(0, \tfrac12, \tfrac12)$.

**Predict**: how many different means does this decoder deliver in its first seven steps?

<p class="guess" data-right="3">3|4|7</p>
"""

# %% tags=["hide-output"]
# try: four tokens
n = 3
means = islice(Run(every_subset(n), exact).outputs("a" * n), 1, 2**n)
markdown_table(("t", "binary", "mean"),
               [(t, f"{t:0{n}b}", ", ".join(map(str, y[:n]))) for t, y in enumerate(means, 1)])

# %% [markdown]
r"""
A list of $n$ tokens has $2^n - 1$ nonempty subsets. So with one query for each output, attention delivers at most $2^n - 1$ different vectors, however long the decoder runs. [For every $n$ there is a decoder that delivers that many](#tm-residual).

The paper concludes that a task that needs more vectors than that cannot be done. But must a single vector hold the tape? A decoder can write as many outputs as it likes. If each holds one bit, all of them together can hold the whole run.

## A run is a grid of bits

Take chapter 6's machine that adds 1, and draw its run on `0` as a grid, with a row for each step and a column for each cell of the tape. A cell holds its symbol, and the state if the head is there.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*What a cell holds depends on three cells in the row above.* The run of the machine that adds 1, downwards. The head is in the blue cells, with its state. It cannot have reached the dotted cells yet, so they still hold the input or a blank. The text computes two bits of the framed cell.", "name": "fig-tm-grid"}, "image": {"alt": "Four rows of seven cells. The head moves from the middle to the right, in state right, and back, in state carry, where it stays for accept. Three arrows lead from the row of step 1 to the framed cell of step 2, where the head is in state carry.", "classes": "dark-light"}}
figure, axis = plt.subplots(figsize=(6.4, 3.5))
for row, (now, head) in enumerate(zip(increment.run("0"), (0, 1, 0, 0))):
    tape = dict(enumerate(now.left + now.right, start=head - len(now.left)))
    for x in range(-3, 4):
        symbol = tape.get(x, "_")
        said = f"{now.state}\n{symbol}" if x == head else symbol
        frame = NEW if (row, x) == (2, 0) else {"linestyle": "-" if abs(x) <= row else ":"}
        draw_cell(axis, (x, row), said, (0.92, 0.6), filled=x == head, **frame)
for x in (-1, 0, 1):
    draw_arrow(axis, {}, ((x, 1.3), (0.3 * x, 1.7)), color=ORANGE)
axis.set(xlim=(-3.6, 3.6), ylim=(3.4, -0.4), xticks=range(-3, 4), yticks=range(4),
         xlabel="cell of the tape", ylabel="step")
axis.tick_params(length=0)
axis.spines[:].set_visible(False)

# %% [markdown]
r"""
What a cell holds depends on three cells in the row above: the cell above it and that cell's two neighbours. We give a cell a bit for each symbol that it may hold, and one for each state that the head may have there. Two bits of the framed cell show how bits are computed:

- *The head is here, in the state `carry`.* Two rules lead to this state, `right _ -> _ L carry` and `carry 1 -> 0 L carry`, and both move to the left. So one step earlier the head was one cell to the right, in the state `right` AND on a blank, OR in the state `carry` AND on a `1`.
- *The cell holds a `0`.* One step earlier it held a `0` AND NOT *a rule applied here*, OR a rule that writes a `0` applied here.

Each AND and each OR is a **gate**, which makes one bit from two earlier ones. NOT, which needs only one, is a gate too, and so is fetching a symbol of the input, or comparing it with a number.

After $t$ steps the head is at most $t$ cells from its start, so row $t$ needs only $2t + 1$ cells: row 0 has one, row 1 has three, and so on. Of the two new cells at the ends of a row, the right one takes its symbol from the input, and the left one holds a blank.

A program can list the gates row by row, without end, and the list depends on the machine alone, not on the input. The decoder works through this list.

## One output computes one gate

Our decoder has no feed-forward network either, so it cannot compute a new vector: each output is a copy of whichever input token attention fetches. That is enough to write a bit, because the two marks are always there. Each token's vector holds a number, which attention delivers: 0 for the begin mark, 1 for the end mark, and a larger one for each symbol, here 2 for `0` and 3 for `1`.

We name outputs by their positions, which count from 1. At position 1 the decoder starts with the number 0. Then it computes row 0 of the grid:

| position | gate | its value on the input `0` |
|---|---|---|
| 2, *right?* | NOT position 1 | 1 |
| 3 | fetch token 2, the first symbol | 2, a `0` |
| 4, 5, 6, *blank?* | is position 3 above $\tfrac12$? is it below $1\tfrac12$? both, so is it a blank? | 1, 0, 0 |
| 7, 8, 9, *0?* | above $1\tfrac12$? below $2\tfrac12$? both, so a `0`? | 1, 1, 1 |
| 10, 11, 12, *1?* | above $2\tfrac12$? below $3\tfrac12$? both, so a `1`? | 0, 1, 0 |

Row 0 has one cell. Its bits for the symbols are at positions 6, 9 and 12. Its bit for the state `right` is at position 2 and is always 1, because the head starts here in this state.

Positions 13 to 22 ask the same about the next token, for the new cell on the right. Position 23 is for the first rule, *right?* AND *0?*, and position 24 for the second, *right?* AND *1?*: was the head, in row 0, in the state `right` and on a `1`? This is position 2 AND position 12, and is computed in three parts:

1. **Fetch both.** A decoder can also attend to its own outputs so far. The last one, at position 23, makes the query, and position $j$ gets the logit $-|(j - 2)(j - 12)|$. (The product is $24 - 14 j + j^2$: the query is $(24, -14, 1)$ and the key $(1, j, j^2)$.) The logit is 0 at both positions and $-9$ or less at all others, so attention delivers the mean of their numbers, 1 and 0, which is $\tfrac12$.
2. **Decide.** AND asks whether the mean is above $\tfrac34$. It is not: the difference is $d = \tfrac12 - \tfrac34 = -\tfrac14$.
3. **Deliver.** Now attention to the input should fetch the end mark if $d > 0$, and the begin mark if $d < 0$. The query is $(d, M)$ with an $M$ larger than any $|d|$, here 4. The table shows the keys and what they give:

| token | key | product with $(-\tfrac14, 4)$ | logit |
|---|---|---|---|
| 1, the begin mark | $(1, 1)$ | $-\tfrac14 + 4$ | $-3\tfrac34$ |
| 2, the symbol `0` | $(0, 2)$ | $2 \cdot 4$ | $-8$ |
| 3, the end mark | $(-1, 1)$ | $\tfrac14 + 4$ | $-4\tfrac14$ |

The begin mark has the largest logit, so position 24 gets a 0.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Two bits are fetched, and their mean decides which mark becomes the new output.* The decoder's outputs for the grid above, some with their positions. The two blue squares are fetched. The framed square is the new output, delivered by the begin mark.", "name": "fig-tm-gate"}, "image": {"alt": "A row of 24 squares with a number each. From the second and the twelfth, a 1 and a 0, arrows lead down to a box: mean one half, d is minus one quarter. From there a dashed arrow leads to the begin mark, the first of three tokens with their logits, and from it an arrow up to the last square, a 0.", "classes": "dark-light"}}
names = {1: "", 2: "right?", 6: "blank?", 9: "0?", 12: "1?", 24: "right\nand 1?"}
gate = SpaceTime(increment).gate(23)
values = [int(y[0]) for y in islice(wired(increment).outputs("0"), 24)]
mean = Fraction(sum(values[wire - 1] for wire in gate.wires), 2)
d, M = mean - gate.threshold, gate.sign * (len(increment.symbols) + 1)
logits = [-abs(x * d + y * M) for x, y in ((1, 1), (0, 2), (-1, 1))]

figure, axis = plt.subplots(figsize=(6.4, 2.9))
for position, value in enumerate(values, start=1):
    frame = NEW if position == 24 else {}
    draw_cell(axis, (position, 3.3), f"{value}", (0.84, 0.6), position in gate.wires, **frame)
for position, name in names.items():
    axis.text(position, 3.7, f"{name}\n{position}", ha="center", va="bottom", fontsize=9)
decide = (7, 1.2)
decision = f"mean {mixed(mean)}\n$d$ = {mixed(mean)} − {mixed(gate.threshold)} = {mixed(d)}"
tokens = {(13.6, 1.2): "begin", (17.8, 1.2): "0", (22, 1.2): "end"}
boxes = draw_boxes(axis, {decide: decision} | tokens)
draw_logits(axis, tokens, logits)
winner = [*tokens][logits.index(max(logits))]
for wire in gate.wires:
    draw_arrow(axis, boxes, ((wire, 3), decide))
draw_arrow(axis, boxes, (decide, winner), linestyle="--")
draw_arrow(axis, boxes, (winner, (24, 3)))
axis.set(xlim=(0.3, 24.7), ylim=(-0.1, 4.8))
axis.set_axis_off()

# %% [markdown]
r"""
The correct mark always wins, because $0 < |d| < M$: its logit is $-(M - |d|)$, the other mark's is $-(M + |d|)$, and a symbol's is $-2M$.

OR has the threshold $\tfrac14$ instead of $\tfrac34$. With $-M$ instead of $M$ the marks change places, so the gate asks whether the mean is *below* its threshold. NOT is such a gate, with the threshold $\tfrac14$. A gate that asks about one position alone, as position 4 does about 3, names it twice: the logit is $-|(j-3)(j-3)|$, and attention finds the number there.

The attention to the input needs no residual connection, because the answer *is* one of the tokens. The attention to the decoder's own outputs keeps its connection, which passes on the position encoding of the last output. This encoding holds what the next gate needs: the two positions to fetch, the threshold, and $M$ or $-M$, or else the token to fetch. It also marks the gates that say "accepted". When one of them is 1, the decoder **halts**, and has accepted.

:::{admonition} A connection that one can do without
:class: result
*Assumes:* exact numbers, and hardmax attention whose logit is minus the absolute value of the product of query and key. For every Turing machine there is a decoder without the residual connection around its attention to the input, and without a feed-forward network, that halts on exactly the strings that the machine accepts. Its position encoding can be computed by a program. *Proved for every length.* [Record](#tm-wired)
:::

:::{dropdown} Proof
Let gate $i$ be the one that the position encoding at $i$ describes. Its value is the output at position $i + 1$, by induction over $i$. The first attention's logit is 0 at the gate's two inputs and below 0 elsewhere, so it gives the mean of their values.

*A gate that compares.* Let $d$ be that mean minus the threshold. It is never 0, and $|d| < M$, with one $M$ for all gates. So the second attention finds the end mark if $d > 0$ and the begin mark if $d < 0$, or the other way round with $-M$.

*A gate that fetches.* Queries and keys have two more numbers: $j$ and $-1$ in the key of token $j$, and two zeros in the queries above. To fetch token $r$ the query is $(0, 0, 1, r)$, which gives token $j$ the logit $-|j - r|$. Its first number is indeed $d = 0$, because the gate has the threshold 0 and looks back only at position 1, which holds 0. After the end of the input the nearest token is the end mark, so the number 1 is fetched, which means a blank.

So the outputs hold the grid, row by row. A gate that says "accepted" halts the decoder. So it halts if and only if the machine accepts. $\square$
:::

Here is such a decoder for a machine that accepts if the number of ones is even. The machine stops on every string, so if the decoder has not halted by the row of the machine's last step, it never will:
"""

# %%
# try: another machine that stops on every string
even = Machine.parse("""
    even 0 -> 0 R even
    even 1 -> 1 R odd
    odd 0 -> 0 R odd
    odd 1 -> 1 R even
    even _ -> _ N accept""")
words = ["".join(w) for length in range(4) for w in product("01", repeat=length)]
print("The decoder halts on:", ", ".join(w or "(empty)" for w in words if halts(even, w)))

# %% [markdown]
r"""
## What is left of the claim

Proposition 4.3 is false as stated, because it asks only which strings are accepted, and allows any function as a position encoding.

But the paper's count of the vectors is right. In the paper's theorems a decoder *simulates* a recurrent network, which means that each output holds the network's state $h_t$. If position encodings write nothing into the place of $h_t$, no decoder without the connection simulates, on $n$ tokens, a run that passes through more than $2^n - 1$ states after the first.

On one token attention has one answer, so a decoder without the connection [cannot even count](#tm-counting), as the paper shows.

## What to take away

- A decoder's memory is what it writes. All its outputs together can hold a computation, bit by bit.
- A count of what one vector can hold does not bound a model that takes many steps.
- Unknown to us: whether a decoder can do without the connection if its position encoding is $(i, 1)$, or without position encodings.

## Exercises

**1 (compute).** The decoder for the machine that adds 1 reads the empty string, so its only tokens are the two marks. What do positions 2 to 12 hold, and which symbol is in row 0?

"""

# %% tags=["hide-cell"]
# token 2 is the end mark now, so position 3 fetches a 1, which means a blank
print(*(int(y[0]) for y in islice(wired(increment).outputs(""), 1, 12)))

# %% [markdown]
r"""
**2 (prove or refute).** XOR of two bits is 1 if exactly one of them is 1. The claim: "One gate computes XOR."

<p class="guess" data-right="2">proved|refuted</p>

:::{dropdown} Solution
Refuted. The mean of two bits is 0, $\tfrac12$ or 1, and XOR should be 1 at $\tfrac12$ alone. But a gate that asks for *above* and is 1 at $\tfrac12$ is 1 at 1 too, and one that asks for *below* is 1 at 0 too. Three gates will do: OR, the opposite of AND (below $\tfrac34$), and AND of the two.
:::

## What next

The [record of chapter 6](#tm-wired) has the runs, and [Translation](translation) asks what the residual connections are worth in trained systems.
"""
