# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# How long is it right?

*A network was trained on strings of up to forty symbols, and makes no mistake there. At which length does it make its first one?*

**In one sentence:** a computer can judge a small network without positions on all strings of all lengths at once; each network that we trained with ordinary attention goes wrong at some length, and many that were trained on the same strings with logits times $\log n$ are proved right on every string there is.
"""

# %% tags=["hide-input"]
from chapters.common.judge import check
from chapters.how_long.figures import (
                                        by_hand,
                                        first_errors,
                                        kept,
                                        lengths_figure,
                                        number,
                                        of_kind,
                                        results,
                                        square_figure,
                                        )
from chapters.how_long.runs import LANGUAGES
from lib.judging import judge
from lib.notebook import glue, use_style
from lib.verdicts import EACH_STRING, PROVED, WRONG

use_style()

# %% tags=["remove-cell"]
plain, one_layer = of_kind(1, "plain") + of_kind(2, "plain"), of_kind(1, "plain")
single = of_kind(1, "log n", "contains a 1", "both symbols")
glue("long_plain", len(plain)), glue("long_plain_right", number(plain, PROVED))
glue("long_plain_wrong", number(plain, WRONG))
glue("long_always", sum(one["always"] is not None for one in one_layer))
glue("long_one_layer", len(one_layer))
errors = first_errors(plain)
glue("long_first", errors[0]), glue("long_median", f"{errors[len(errors) // 2]:,}")
glue("long_last", f"{errors[-1]:,}")
glue("long_single", len(single)), glue("long_single_right", number(single, PROVED))
glue("long_single_wrong", number(single, WRONG)), glue("long_single_open", number(single, EACH_STRING))
rest = of_kind(1, "log n", *[name for name in LANGUAGES if name not in ("contains a 1", "both symbols")])
glue("long_rest", len(rest)), glue("long_rest_right", number(rest, PROVED))
majority = results()["MAJORITY", 1, "plain"]["verdicts"][0]
glue("long_zeros", majority["counts"][0]), glue("long_ones", majority["counts"][1])
glue("long_majority", sum(majority["counts"])), glue("long_majority_always", majority["always"])
glue("long_contains", sum(results()["contains a 1", 1, "plain"]["verdicts"][0]["counts"]))

# %% [markdown]
r"""
## One number

People test whether a network generalizes to longer strings by drawing some: a hundred of 50 symbols, a hundred of 100. Here is a network that passes every such test with strings of up to 98 symbols, because it makes no error at all on them.

It should accept the strings over 0 and 1 with more 1s than 0s, the language MAJORITY. It has one attention head. The token in front of the string, CLS, attends to itself and to the $n$ symbols with equal weights $1/(n+1)$. A 1 has the value $+1$, a 0 has the value $-1$, and CLS has the value 0. The output adds a bias of $-1/100$, so the score of a string is

$$s = \frac{\text{ones} - \text{zeros}}{n + 1} - \frac{1}{100},$$

and the string is accepted if $s > 0$.

Take ten 1s and nine 0s. Their score is $1/20 - 1/100$, which is above 0: accepted, and correctly so. The bias is small, so it takes a close vote to notice it. With one 1 more than 0s the score is $1/(n+1) - 1/100$, and this is above 0 only while $n < 99$. So 50 ones and 49 zeros are the first string that is decided wrongly. If $n$ is even, the closest vote is won by two, and $2/(n+1)$ falls to $1/100$ at $n = 199$. From 199 symbols on, *every* length has a string on which this network errs.

The judge of this book finds the same, without being told how the network works:
"""

# %%
# try: another bias, such as -1/1000
print(judge(by_hand(-1 / 100), 'count(Q("1")) > count(Q("0"))', longest=10))

# %% [markdown]
r"""
**Predict.** With which biases is this network right at every length?

<p class="guess" data-right="2">all that are small enough|only 0|none</p>
"""

# %% tags=["hide-input", "hide-output"]
for bias in (-1 / 1000, 1 / 1000):
    print(judge(by_hand(bias), 'count(Q("1")) > count(Q("0"))', longest=10).headline)

# %% [markdown]
r"""
Only with 0. A negative bias rejects close votes that are won, if the strings are long enough. A positive one accepts ties: 01 for a start. We come back to this, because it is no accident of this network.

## All strings in one square

How can anyone judge infinitely many strings? By looking at them in the right way. The network above has no positions and hides nothing, so the order of the symbols does not matter to it. What matters is how many there are of each kind, which two numbers say: the share $p$ of 1s in the string, and $z = 1/n$, one over its length. In these numbers the score is

$$s = \frac{2p - 1}{1 + z} - \frac{1}{100},$$

a continuous function on a square. Each string is a point of this square. Long strings are near its lower edge, and on the edge itself, where $z = 0$, is the limit of strings that get longer and longer.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The network's border and the language's border part, and errors lie between them.* Left, all strings up to 24 symbols are dots, and the network by hand (with a bias of -1/10, to make it visible) rejects on the orange side and accepts on the blue one. MAJORITY turns at the dashed line. Right, the lowest part of the square for a trained network: each rectangle is a cell in which one decision is proved for all strings, and grey cells were not cut further.", "name": "fig-square"}, "image": {"alt": "Two squares with the share of 1s across and one over the length upwards. On the left a slanted line to the right of a dashed vertical line divides orange from blue. On the right orange and blue rectangles, small along their common border, which leaves the dashed line towards the bottom.", "classes": "dark-light"}}
square_figure();

# %% [markdown]
r"""
For which networks does this work?

:::{admonition} Shares are enough
:class: result
*Assumes:* no position information, a fixed start token or end token that is read, and an $\varepsilon > 0$ in each layer normalization. The network either has any number of layers and no mask, or it has one layer behind a causal mask. Then the score of a string depends on the numbers of its symbols alone. It is a continuous function of their shares and of $z = 1/n$, also where $z = 0$. *Proved for every length.* [Record](#long-shares)
:::

:::{dropdown} Proof
Without a mask, tokens of one kind have the same vector in every layer. They have it before the first layer, because there are no positions. If they have it before a layer, they ask the same query, read the same keys and values, and have it after the layer. In one layer behind a mask only the last token's query matters, and it sees all tokens.

So a head gives its query $\sum_a m_a e^{\ell_a} v_a \big/ \sum_a m_a e^{\ell_a}$, where $a$ runs over the kinds of tokens, $m_a$ is how often kind $a$ occurs, $\ell_a$ is its logit and $v_a$ its value. Divide all $m_a$ by $n$: a symbol's becomes its share, and that of CLS becomes $z$. The shares sum to 1 and logits are bounded, so the denominator stays away from 0, and the quotient is continuous, also at $z = 0$. Linear maps, activations and normalization with $\varepsilon > 0$ are continuous too. $\square$
:::

## A proof in cells

Cut the square into cells, small rectangles. A cell holds infinitely many strings if it touches the lower edge, and we want to decide all of them at once. So we run the network on the whole cell. Every number in it becomes a set: its value at the cell's centre, its slope in each direction of the cell, and a bound on what value and slope leave out. Each step of the network says what becomes of such a set, as in [chapter 12](12_strangers), where one string's numbers carried a bound for what rounding changes. At the end there is an interval for the score. If the interval does not contain 0, every string in the cell gets the same decision. If it does, cut the cell in two and try both halves.

Most cells are decided quickly. Along the language's border a cell always holds strings that belong to the language and strings that do not. There, cells are cut until only a few strings' counts are left in each, and these are asked one by one. The right-hand picture shows such cells for a network that was trained: one layer of PyTorch's encoder with layer normalization and 64 hidden units, and MAJORITY on strings of 1 to 40 symbols.
"""

# %%
trained = kept("MAJORITY")
print(judge(trained, 'count(Q("1")) > count(Q("0"))', longest=10))

# %% [markdown]
r"""
Trained on strings of up to 40 symbols, it is right on all strings that are shorter than {glue:text}`long_majority`. There it errs on {glue:text}`long_zeros` zeros and {glue:text}`long_ones` ones, and from {glue:text}`long_majority_always` symbols on it errs at every length. How does the judge know about *every* length? In the picture the two borders part, and between them there is a wedge that widens towards the lower edge. Near the edge the score in it has one sign, which a cell proves. The language has strings of both kinds there, at each length from some length on.

## All but one bias

Was the network trained badly? No: longer training only makes the wedge thinner. The wedge closes only if the two borders meet exactly at the edge.

:::{admonition} All but one bias
:class: result
*Assumes:* a network as in the last box, and strings $w_1, w_2, \dots$ of growing length that belong to the language, and $w'_1, w'_2, \dots$ that do not, whose shares tend to the same limit $p$. Let networks differ only in the bias of their output. Then for all of them but one, the network decides all but finitely many of the strings $w_i$ wrongly, or all but finitely many of the $w'_i$. *Proved for every length.* [Record](#long-bias)
:::

:::{dropdown} Proof
The score is continuous, so the scores of both sequences tend to the same number, its value at $(p, 0)$. Changing the bias by $b$ changes this number by $b$. For one bias it is 0. For any other it is above or below 0, and then so are the scores of all but finitely many strings of *both* sequences, so that all of these strings are accepted or all rejected. $\square$
:::

MAJORITY has such strings: $p = 1/2$, votes won by one and ties. "Contains a 1" has them, too: strings $00\dots01$ and $00\dots0$, both with shares that tend to no 1s at all. So has every language in which one symbol can matter in arbitrarily long strings. This is what {cite}`hahn2020` found for attention: one symbol among $n$ has a weight of about $1/n$. The bias that training would have to hit is one real number. We trained {glue:text}`long_plain` networks for six languages, with one layer and with two. {glue:text}`long_plain_right` of them are right at every length, and {glue:text}`long_plain_wrong` have an error that we found, the first of them at {glue:text}`long_first` symbols, half of them by {glue:text}`long_median`, and the last at {glue:text}`long_last`. For {glue:text}`long_always` of the {glue:text}`long_one_layer` with one layer it is proved that they err at every length from some length on.

## How much may one symbol weigh?

[Chapter 4](04_log_n_scaling) multiplies attention logits by $\log n$, where $n$ counts the tokens {cite}`chiang2022`. Let a 1 have the logit $2$ and every other token the logit 0. After multiplication a 1 weighs $e^{2 \log n} = n^2$ and every other token weighs $1$. So a single 1 gets a weight of at least

$$\frac{n^2}{n^2 + (n - 1)},$$

which tends to 1 and not to 0. Strings with one 1 no longer come to the same limit as strings without. The last box does not apply, because the score is no longer a continuous function of shares.

How can such a network be judged at every length? Which symbols occur in a string, say 0s and 1s, decides between finitely many cases. In each case the weights of each head lie in a box, because weights like the one above are at least so much for all $n \ge 8$, say. The box goes through the network as a cell does, and is cut if needed. If the score has one sign on it, all strings of this case with at least 8 tokens are decided. Shorter ones are asked one by one.
"""

# %%
trained = kept("contains a 1", "log n")
print(judge(trained, 'count(Q("1")) >= 1', longest=10))

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*With ordinary attention every network fails at some length; with log n many never do.* Each bar is the length of a network's first error, for twenty networks of one layer a line; the dotted line is at 40 symbols, the longest that they were trained on. Networks without an error are counted at the right: those that are proved right at every length, and those that were decided up to 4,096 symbols and are open beyond.", "name": "fig-long"}, "image": {"alt": "Two panels, six lines of bars each, over a logarithmic axis of lengths. On the left, bars in all lines, most between 40 and some thousand. On the right, numbers of networks that are right at every length in the lines of contains a 1 and of both symbols, and bars at small lengths in the others.", "classes": "dark-light"}}
lengths_figure();

# %% [markdown]
r"""
:::{admonition} Right at every length
:class: result
Of {glue:text}`long_single` networks that were trained with logits times $\log n$ for "contains a 1" and for "both symbols occur", {glue:text}`long_single_right` are right on every string of every length, but for the empty one. *Proved for every length*, by machine. With the same training and ordinary attention, none is. [Record](#long-log-n)
:::

The factor is no remedy for everything. For the four other languages, {glue:text}`long_rest_right` of {glue:text}`long_rest` networks with $\log n$ are proved right at every length. A head can make one 1 outweigh all 0s, but to tell one 1 from two, or a vote won by one from a tie, two weights must balance at every length, and that again takes an exact number.

## What to take away

- A test on longer strings says how a network does on those strings. For a network without positions, its behaviour at *every* length can be computed.
- If the weight of one symbol goes to 0 as strings grow, exact numbers are needed to be right at every length, and training does not find exact numbers.
- If one symbol can keep its weight, a trained network can be right at every length, and this can be proved for a given network.
- Unknown: how to judge networks of two or more layers behind a causal mask at every length, and networks with rotary positions or sinusoids. A table of positions ends, and so does what such a network can be asked.

## Exercises

**1 (compute).** From which length on does the network by hand with a bias of $-1/250$ err on a string of every length?
"""

# %%
# try: your number in place of the dots
check("13.1", ...)

# %% [markdown]
r"""
:::{dropdown} Hint
Odd lengths have votes that are won by one, and even lengths have votes that are won by two. When does $2/(n+1)$ fall to $1/250$?
:::
"""

# %% tags=["hide-cell"]
check("13.1", 499)

# %% [markdown]
r"""
**2 (modify).** "At least as many 1s as 0s" also accepts ties. Find a bias with which the network by hand decides this language correctly on every string of up to 500 symbols.
"""

# %%
# try: your bias in place of the dots
check("13.2", ...)

# %% tags=["hide-cell"]
check("13.2", 1 / 1000)

# %% [markdown]
r"""
**3 (prove or refute).** "If the network by hand, with some bias, decides MAJORITY correctly on every string of up to 4,000 symbols, then it does so on every string."

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "proved", or a bias of by_hand
check("13.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted. With a bias of $-1/5000$ a vote that is won by one is accepted while $1/(n + 1) > 1/5000$, up to 4,998 symbols, and the odd length after that has an error.
:::
"""

# %% tags=["hide-cell"]
check("13.3", -1 / 5000)

# %% [markdown]
r"""
## What next

To judge a network of your own, load it as in [Adapt this](adapt) and give `judge` a formula about numbers of symbols; for logits times $\log n$, say `replace(network, log_n=True)`. The [record of this chapter](record_13_how_long) derives the rules for cells, proves the boxes, and lists every network.
"""
