# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Which log n?

*A model is trained on short strings and meets long ones. Which number, multiplied onto what goes into the softmax, keeps its decision?*

**In one sentence:** where one token must outvote all others, the number must grow at least like the logarithm of the length, and a large enough multiple of that logarithm is enough at every length.

<div class="live" data-live="factors"><p>With gain 1 and no factor, a token keeps more than half of the attention among 3 tokens, and less among 4. With the factor log n it keeps more than half among any number.</p></div><script type="module" src="../_static/live.mjs"></script>

The dashed line marks a half. In the menu, $L = 17$ is how many tokens the longest training strings of our networks have. *Llama 4's stairs* are the factor that a large language model uses: it takes a small step up every 8192 tokens.
"""

# %% tags=["hide-input"]
from fractions import Fraction

import numpy as np

from chapters.common.judge import check
from chapters.which_log_n.figures import (REACHED, SHOWN, Laboratory, hard_figure, lines_figure,
                                          turning)
from lib import constructions
from lib.languages import FIRST, POISSON_RATE
from record.notebook import glue, markdown_table, use_style
from lib.transformer import Exact

use_style()

# %% [markdown]
r"""
## One token against the crowd

A **head** is the part of a transformer with which one token asks all tokens, itself too, and takes a weighted mean of what they say. For this it gives each a {term}`logit`. Our head looks for one token: this gets the logit 1 and every other token the logit 0. What share of the attention does the token get?

Attention turns a logit $x$ into the weight $e^x$ and divides by the sum of all weights. So our token weighs $e^1 = 2.72$, and each of the others weighs $e^0 = 1$. Between two others, its share is $2.72 / (2.72 + 2) = 0.58$. That is more than half, and what the head passes on is mostly what the token says.

Add one more token, and it is over: $2.72 / (2.72 + 3) = 0.48$. Nothing about our token has changed. There are only more voices, and each of them counts a little.

The number 1 in this example is the head's **gain**, and we call it $c$. (All logarithms here are natural, to the base $e$.) In general the token weighs $e^c$, and the $n - 1$ others weigh $n - 1$ together.

:::{admonition} The rule
:class: result
A token with logit $c$ gets more than half of the attention among $n - 1$ others with logit 0 if and only if $e^c > n - 1$, which is $c > \log(n - 1)$. *Proved for every length.* [Record](#which-theorem)
:::

Chapter 4 builds a whole transformer around such a head. It decides FIRST: does the string begin with a 1? One more token stands before the string and asks. Its head looks for the first symbol, and all other tokens have the logit 0, the asking one too. A symbol 1 votes $\tfrac12$. A symbol 0 votes $-\tfrac12$, as the asking token always does. The weighted mean of the votes is the transformer's output, and its sign is the answer. (An output of 0 counts as an error.) The worst string is `1000…0`, where all others vote against the first symbol. So at each length the transformer is right on *every* string exactly if the first symbol keeps more than half.

In this chapter $n$ counts tokens: a string of 16 symbols makes 17.

## Raise the logit with the bar

The bar that the logit must clear, $\log(n - 1)$, rises like a logarithm. Then let the logit rise like one too. We multiply it by a **factor** $f(n)$ that depends on the length, and the rule becomes

$$
c \, f(n) > \log(n - 1).
$$

Everything in this chapter asks: *does the logit, on the left, stay above the bar for ever?*

Take $f(n) = \log n$ and the gain 1 from above. The token now weighs $e^{\log n} = n$, and the others weigh $n - 1$ together. It wins by exactly one, at every length.

With the gain $\tfrac12$ it weighs only $\sqrt n$, and loses to two others already: $\sqrt 3 = 1.73$ is less than 2. So the right kind of growth is not enough. The gain has to be large enough as well.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Every constant is overtaken; a logarithm is not, if it is steep enough.* How far the logit lies above the bar $\\log(n-1)$, which is drawn level, at 0. In the grey part the token is outvoted. Without a factor, a larger gain $c$ only means that the logit falls below the bar later. With $\\log n$ the gain 1.1 moves away from the bar, 0.9 sinks below it, and 1 stays above by one vote, too little to see. Llama 4's factor is 1 at first, so its curves fall like the one without a factor. At each step, the first at 8192 tokens, they jump up a little. With gain 9.5 the curve sinks below the bar all the same, with gain 10 never.", "name": "fig-which-lines"}, "image": {"alt": "Three panels over a logarithmic axis, grey below a level line, the bar. Left, three parallel lines fall through the bar one after another. Middle, of three curves one rises, one runs along the bar, one sinks below it. Right, one line falls through the bar, and of two saws that settle one sinks below the bar at the right.", "classes": "dark-light"}}
lines_figure();

# %% [markdown]
r"""
Which factors are in use? Here are six, with the gains at which the crowd never overtakes the token. As in the menu above, $L$ counts the tokens of the longest training string.

| factor $f(n)$ | who uses it | gains that suffice |
|---|---|---|
| 1 (no factor) | the usual transformer | none: each is overtaken at some length |
| $\log n$ | Chiang and Cholak {cite}`chiang2022`, Equation 2 | $c \ge 1$ |
| $s \log n$, where $s$ is learned | Nakanishi {cite}`nakanishi2025` | $c s \ge 1$ |
| $\log L$, a constant | some of our networks below | none |
| $\log n / \log L$, which is 1 at the training length | some of our networks below, with $i$ for $n$ | $c \ge \log L$ |
| $1 + \tfrac1{10} \log(1 + \lfloor n / 8192 \rfloor)$ | Llama 4 {cite}`meta2025` | $c \ge 10$ |

The last row looks strange. In the long run its stairs climb a tenth as fast as a logarithm, so the gain must be ten times that for $\log n$. On the first stair the factor is 1, and there the gain alone must exceed $\log 8190 = 9.01$. Ten does; much longer stairs would ask for more.

:::{admonition} The factors
:class: result
A factor keeps the FIRST transformer of gain $c$ right at every length if and only if $f(n) > \log(n - 1) / c$ for every $n \ge 2$. So it must grow at least like a logarithm. The table says for each factor which gains are large enough. *Proved for every length.* [Record](#which-theorem)
:::

:::{dropdown} Proof
The transformer is right at every length if and only if $c f(n) > \log(n - 1)$ for every $n \ge 2$. Divide by $c$: that is the first half of the statement.

*A constant* $c$ fails from the first $n$ with $n - 1 \ge e^c$ on.

*$\log n$.* If $c \ge 1$, then $c \log n \ge \log n > \log(n - 1)$. If $c < 1$, then $\log(n - 1) / \log n$ rises to 1 and passes $c$. With $s$, read $cs$ for $c$; with $\log n / \log L$, read $c / \log L$.

*Llama 4's.* Where $\lfloor n / 8192 \rfloor = m$, the hardest length is the last one, $n = 8192 (m + 1) - 1$. There we need $c + \tfrac{c}{10} \log(m + 1) > \log(8192 (m + 1) - 2)$. The right side is less than $\log 8192 + \log(m + 1)$, and $\log 8192$ is about 9.01. So $c \ge 10$ suffices. If $c < 10$, the left side rises more slowly than the right side, and some step fails. $\square$
:::

How long does it take until a factor fails? The function `turning` solves $c f(n) \le \log(n - 1)$ for the least whole $n$. It computes with intervals that surely contain the true value, so its answer is certain.

**Predict**: a head has the gain 9.9. Without a factor it fails at about twenty thousand tokens. Where does it fail with Llama 4's factor?

<p class="guess" data-right="3">10⁵|10¹⁴|10⁴²</p>
"""

# %% tags=["hide-output"]
# try: other gains, and another training length
gains = (1, 2, Fraction("9.5"), Fraction("9.9"), 10)
fails = {(f, c): turning(c, f, trained=17) for f in SHOWN for c in gains}
markdown_table(("factor", *(f"c = {float(c):g}" for c in gains)),
               [(SHOWN[f], *(f"{fails[f, c]:.6g}" if fails[f, c] else "never" for c in gains))
                for f in SHOWN])

# %% [markdown]
r"""
One more factor is a trap for programmers: $\log(n-1)$. Code often counts positions from 0, so that the last of $n$ tokens gets $\log(n - 1)$ in place of $\log n$. Then the gain 1 only *ties* with the others, and that is an error at every length from two tokens on. A larger gain fails at two tokens, where $\log(n - 1)$ is 0, and at no other length.

And the stairs? With a gain just below 10 they last longer than any text, but fail in the end.

(hahn)=
## Why a slower factor is drowned

So far we looked at one transformer. How much can one symbol change in any head, whatever its numbers? What a token says is called its **value**, and the head's output is the average of the values, weighted by attention.

Let a head attend to eight tokens, all with the same logit. Now exchange one token, so that what it says changes from 0 to 1. The head's output is the mean, so it moves by $\tfrac18$. Among a thousand tokens it moves by a thousandth.

A head can do better if it gives that token a larger logit than the others. With a lead of 2 the token weighs $e^2 = 7.39$ against seven, and the output moves by $0.51$. Among a thousand tokens it still moves by less than $0.01$: a fixed lead is soon drowned.

Hahn {cite}`hahn2020` made this into a theorem about all heads. In words: *if logits and values are bounded, one symbol moves a head's output by an amount that falls like $1/n$.* Here it is with its constant.

:::{admonition} Hahn's lemma
:class: result
Exchange one of $n$ tokens, not the one that asks. Let the logits that the asking token gives differ from each other by at most $\Delta$, before and after, and the values, old and new, by at most $D$. Then the head's output moves by at most

$$
\frac{D \, e^{\Delta}}{e^{\Delta} + n - 1}.
$$

The FIRST transformer attains this bound at every length. *Proved for every length.* [Record](#which-hahn)
:::

:::{dropdown} Proof
Let $p$ and $p'$ be the exchanged token's weights, before and after. Its logit leads each of the others by at most $\Delta$, so both weights are at most $e^\Delta / (e^\Delta + n - 1)$. Let $v$ and $v'$ be its values, and $r$ the weighted mean of the other values. The exchange scales the other weights alike, so it leaves $r$ as it is.

The output goes from $r + p(v - r)$ to $r + p'(v' - r)$. So it moves by $p'(v' - r) - p(v - r)$. Here $v' - r$ is the sum of $v' - v$ and $v - r$, so the move is $p'(v' - v) - (p - p')(v - r)$. Both differences are at most $D$ long. Suppose $p \ge p'$. Then the move is at most $p' D + (p - p') D = p D$ long. If $p < p'$, exchange before and after. $\square$
:::

A factor makes the lead $\Delta$ into $f(n) \, \Delta$. Under $\log n$ the bound becomes $D n^\Delta / (n^\Delta + n - 1)$. For $\Delta = 1$ it tends to $D / 2$ and no longer to 0; for a smaller lead it still tends to 0. If a factor grows more slowly than every multiple of $\log n$, then $f(n) \, \Delta$ is in the end below $\tfrac12 \log n$. The token then weighs less than $\sqrt n$ against $n - 1$, so the bound goes to 0 for every lead.

Why is a tiny move an error? On 000…0 all votes agree, and the FIRST transformer's output is $-\tfrac12$. Exchange the first symbol, and it must become positive, so it must move by more than $\tfrac12$. With $D = 1$ the bound exceeds $\tfrac12$ exactly if $e^\Delta > n - 1$: that is our rule again.

Where outputs are near 0, a small move is enough to change the sign. MAJORITY, more ones than zeros, is an example. Let the asking token vote 0. Then a head with equal logits gives the number of ones minus that of zeros, divided by $2n$. That is positive exactly if there are more ones, at every length. (Here an output of 0 has to mean no.) But with a single one more it is only $1/(2n)$, and in the end an error of fixed size, of rounding for instance, is larger. No factor changes equal logits ([record](#which-machines)).

We exchange each symbol of each string, in rational numbers, and compare the largest move with the formula. The votes are $\tfrac12$ and $-\tfrac12$, so $D = 1$. The code writes $b$ for $e^\Delta$. Its `logit` is the transformer's output, which goes by that name too:
"""

# %%
# try: another base, which is e to the lead
b = 2
reader = Exact(constructions.flawed_first(base=b))
for length in range(1, 8):
    moves = [abs(reader.logit(w) - reader.logit(w[:j] + "10"[int(w[j])] + w[j + 1:]))
             for w in FIRST.all_strings(length) for j in range(length)]
    print(f"n = {length + 1}: largest move {max(moves)}, formula {Fraction(b, b + length)}")

# %% [markdown]
r"""
## Do trained networks follow?

The rule is about a transformer that we built. Do networks that learn fail in the same way? We trained small ones on FIRST by **gradient descent**: their numbers start at random and change step by step, so that errors on training strings become smaller. The strings had at most sixteen symbols, and each factor got twenty starts. A network has two **layers**, which are rounds of attention, with one head each. It holds a token as a list of numbers, one of which says whether it is the first symbol.

The networks read **behind a mask**: a token sees only itself and those before it, $i$ tokens in all. The token in front, which asked in the transformer that we built, would see nothing but itself. So the last token is read, which sees everything.

So there are two numbers to take the logarithm of: with $\log n$ every token uses the number of all tokens, with $\log i$ that of those it sees itself. At the last token the two agree. But in the second layer it reads what earlier tokens found in the first, and there they differ. In $s \log i$ the learned $s$ starts at 1.

Then we tested the networks on strings of up to a thousand symbols. A network is **right to** a length if it is right on at least 99 in a hundred random strings there and at every shorter length that we tested.

Random strings are an easy test here: a long one has ones and zeros in nearly equal numbers, and their votes cancel. Two **hard strings** of each length are not: `1000…0` and `0111…1`, where all symbols but the first vote against it. To be *right on hard strings too*, a network must decide both at every tested length, and also `000…0` and `111…1`.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*On hard strings, most networks last to a thousand symbols only where the factor is a multiple of $\\log n$ or $\\log i$ (green).* The whole bar counts those of twenty networks that are right on random strings (at least 99 in a hundred) at every tested length to 1000. The dark part counts those that are right on hard strings too. Here $L = 17$, and the stairs are Llama 4's with steps of $L$ tokens.", "name": "fig-which-hard"}, "image": {"alt": "Seven pairs of horizontal bars, one pair for each factor. The four multiples of log are long in both colours; those of no factor, of the stairs and of a constant are short in the dark colour.", "classes": "dark-light"}}
laboratory = Laboratory.read()
hard_figure(laboratory);

# %% tags=["hide-input"]
glue("which_hits", laboratory.hits()), glue("which_cells", len(laboratory.unseen))
assert laboratory.hard["log n"] == laboratory.hard["log i"] > laboratory.hard["log i / log L"]
glue("which_hard_log", laboratory.hard["log n"]), glue("which_hard_none", laboratory.hard["plain"])
glue("which_hard_stairs", laboratory.hard["floor-log"])
glue("which_hard_constant", laboratory.hard["log of the training n"])

# %% [markdown]
r"""
Which factors last is mostly as the rule says. With $\log n$ {glue:text}`which_hard_log` of 20 networks hold on hard strings, and with $\log i$ as many. Without a factor {glue:text}`which_hard_none` do. Growth alone is not enough: the stairs grow too, but a tenth as fast. With them {glue:text}`which_hard_stairs` hold, no more than the {glue:text}`which_hard_constant` with the constant $\log L$. On random strings the stairs look as good as the logarithms: only hard strings tell them apart.

Why does even a small multiple of the logarithm last, such as $\log i / \log L$? Suppose a head works as in the FIRST transformer and is right on all strings with $L$ tokens. Then, whatever the factor, $c f(L) > \log(L - 1)$. From there on two things count: how large $c f(L)$ is, and how many times as large the factor becomes, $f(n) / f(L)$. For every multiple of the logarithm this ratio is $\log n / \log L$. With these the head is right at every length once $c f(L)$ is at least $\log L$, which is hardly more than it must be. From 17 tokens to 1001 the bar becomes $\log 1000 / \log 16 = 2.5$ times as high. The logarithm becomes $2.4$ times as large, the stairs $1.3$ times, a constant stays.

The figure mostly fits this, but the ratio does not explain all of it. All multiples of a logarithm have the same ratio, and yet fewer networks hold with $\log i / \log L$ than with the others. The two constants, 1 and $\log L$, have the same ratio too, and more networks hold with $\log L$. Perhaps training leads to another $c f(L)$ under each factor. We did not measure it. So we do not know whether this is the reason, nor at which length the other networks should fail.

### A count that no factor should change

ONE asks: is there exactly one 1? Here no token has to outvote the others. One head can tell by attending to all tokens equally. Let a 1 say 1, a 0 say 0 and the token in front $-1$. Then with $k$ ones the mean is $(k - 1)/n$, which is 0 only for a single 1. So let 0 mean yes, and nothing else. Equal logits stay equal under every factor, so we expected that no factor matters. It did matter.

Of the 65,536 strings of 16 symbols only sixteen have exactly one 1. So for ONE, in training and in tests, we first drew how many 1s a string gets, $1.5$ on average, and then where. About one string in three then has exactly one. A network *learned* ONE if it is right on at least 99 in a hundred such strings of 16 symbols. (Who always says no is right on about 67.) The table shows how many did, among networks behind a mask that are told nothing of positions. The middle column is the factor that the last of 17 tokens uses.
"""

# %% tags=["remove-input"]
assert abs(POISSON_RATE * np.exp(-POISSON_RATE) - 0.33) < 0.01 and POISSON_RATE == 1.5
markdown_table(("factor", "at the last token", "networks of 20 that learned ONE"),
               laboratory.learned_one())

# %% [markdown]
r"""
Fewer networks learned where the factor is well above 1. Why, we did not test. Growth alone does not hinder: $\log i / \log L$ grows without bound too. And without a mask, more networks were right to 64 symbols with $\log n$ than with no factor ([record](#which-unmasked)). So we cannot say that a factor hinders ONE.

### What we had guessed

Can one say beforehand how far a network will come? We tried, for groups of twenty networks. Those of a **group** share a factor, a mask or none, and a **position encoding**, by which a token knows where it stands:

- *None.* Without a mask all positions then look alike to the asking token. (Behind a mask they do not: of all symbols, the first sees the fewest tokens.)
- *A mark* on the first symbol, as in the networks of the figure.
- *ALiBi* lowers a logit by $\tfrac{1}{256}$ for each step between the two tokens. So to the token in front the first two positions look almost alike.
- *Sinusoids* tell a position $i$ by numbers such as $\sin i$ and $\sin \tfrac{i}{10}$. With *RoPE* a logit depends in this way on the distance between the two tokens. Long strings bring positions and distances that were never seen in training.

Here are our guesses for FIRST, about random strings. (Three of the groups we knew from chapter 4; they count too.) *The longest* strings tested had 1000 symbols or, in some groups without a mask, a million.
"""

# %% tags=["remove-input"]
markdown_table(("groups", "our guess", "why", "came true"),
               [(groups, REACHED[outcome], why, came)
                for groups, outcome, why, came in laboratory.predictions("FIRST")])

# %% [markdown]
r"""
The groups that missed all came further than we said. In the third row they reached the longest strings, but random ones, whose votes cancel. Those of them that we also tested on hard strings ended where we had said ([record](#which-factors)).

Over six languages (FIRST, ONE, MAJORITY, PARITY, well-nested brackets and copying) {glue:text}`which_hits` of {glue:text}`which_cells` guesses came true; the record says [how hard they were](#which-score), and [how far one can check that they came first](#which-laboratory).

## What is proved for every length here

- The rule: the FIRST transformer with gain $c$ and factor $f$ is right on all strings with $n$ tokens if and only if $c f(n) > \log(n - 1)$.
- Each row of the table of factors, and each length at which `turning` says that a factor first fails.
- With positions counted from 0 and gain 1, the FIRST transformer is wrong on some string of every length $n \ge 2$; with a larger gain, for $n = 2$ and no other.
- Hahn's lemma with its constant, and that the FIRST transformer attains it. If a factor grows more slowly than every multiple of $\log n$, the bound goes to 0. The lemma is about one head; for several layers, as our trained networks have, nothing is proved here.
- A head with equal logits decides MAJORITY if only outputs above 0 mean yes, and ONE if only 0 does. No factor changes its output.

What the trained networks do is *measured*, on the lengths that we tested.

## What to take away

- Without a factor, a head in which one token must outvote all others, with a lead of at most $c$, fails at a length that you can compute: from $e^c + 1$ tokens on.
- If you scale logits, use the logarithm of the number of tokens that the asking token sees, and count from 1. These tokens share its attention, and so they are the $n$ of the rule. (In our networks on FIRST the number of all tokens did as well.)
- Which multiple of the logarithm to take depends on the task. Where one token must outvote all others, as in FIRST, more of our small networks lasted on hard strings with $\log n$ or $\log i$ than with $\log i / \log L$, which is 1 at the training length. For a count, ONE, more learned with the latter.
- Test on the strings that dilute the signal most. Random strings made a factor look safe that was not, with the gains that our networks learned.
- For a single trained network without positions, the length of its first error can be computed ([chapter 13](13_how_long)).
- Unknown: which gains the heads of large models have, and whether hard strings occur in what they read.

## Exercises

**1 (compute).** At which $n$ does the FIRST transformer of gain 9.4 first err under Llama 4's factor?
"""

# %%
# try: your n in place of the dots
check("9.1", ...)

# %% tags=["hide-cell"]
m = next(m for m in range(10**6)
         if 9.4 * (1 + 0.1 * np.log(m + 1)) <= np.log(8192 * (m + 1) - 2))
answer = int(np.floor(np.exp(9.4 * (1 + 0.1 * np.log(m + 1))))) + 2
print(f"step {m:,}, n = {answer:,}")
check("9.1", answer)

# %% [markdown]
r"""
**2 (modify).** Give a gain below 10 with which Llama 4's factor keeps it right to at least $10^{12}$ tokens.
"""

# %%
# try: your gain in place of the dots
check("9.2", ...)

# %% tags=["hide-cell"]
# The lead over the bar, c - log 8192 at first, shrinks by 1 - c/10 with each unit of log(m + 1).
for gain in (Fraction("9.5"), Fraction("9.7"), Fraction("9.9")):
    print(f"c = {float(gain)}: fails at {turning(gain, 'floor-log'):.2e}")
check("9.2", Fraction("9.8"))

# %% [markdown]
r"""
**3 (prove or refute).** "For every $p > 0$ the factor $(\log n)^p$ keeps the FIRST transformer of some gain right at every length."

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "proved", or a p for which no gain will do
check("9.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted, by every $p < 1$: $\log(n - 1) / (\log n)^p$ grows without bound, so it passes any $c$. For $p \ge 1$ it is true, with $c = (\log 2)^{1-p}$:
then $c\,(\log n)^p = \log n \cdot (\log n / \log 2)^{p-1} \ge \log n$.
:::
"""

# %% tags=["hide-cell"]
for n in (1e2, 1e4, 1e8, 1e16):
    print(f"n = {n:.0e}: gain {np.log(n - 1) / np.log(n) ** 0.5:.2f} under the root of log n")
check("9.3", 0.5)

# %% [markdown]
r"""
## What next

Every run and criterion stands in the [record of this chapter](record_09_which_log_n). PARITY was among the languages, and no network learned it: [why not?](parity_not_learned)
"""
