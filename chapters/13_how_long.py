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

*A network that was trained on strings of up to forty symbols makes no mistake there. At which length does it make its first?*

**In one sentence:** for a network without position information, a computer can often find its first error among strings of all lengths, or prove that there is none. All such networks that we trained with ordinary softmax attention err somewhere. With logits times $\log n$, most of our one-layer networks for "contains a 1" are proved right on every nonempty string, and none for five other languages.
"""

# %% tags=["hide-input"]
import matplotlib.pyplot as plt
import numpy as np

from chapters.common.judge import check
from chapters.how_long.figures import (ACCEPTED, REJECTED, by_hand, draw_cells, early,
                                       first_errors, kept, number, of_kind, results)
from chapters.how_long.runs import LANGUAGES, TRAINED_TO
from lib.judging import judge
from record.notebook import glue, use_style
from lib.verdicts import EACH_STRING, PROVED, WRONG

use_style()

# %% tags=["remove-cell"]
plain = of_kind(1, "plain") + of_kind(2, "plain")
learned = [one for one in plain if not early([one])]
single = of_kind(1, "log n", "contains a 1")
glue("long_plain", len(plain)), glue("long_early", early(plain))
glue("long_learned_wrong", number(learned, WRONG))
glue("long_always", sum(one["always"] is not None for one in plain))
errors = first_errors(learned)
glue("long_first", errors[0]), glue("long_median", f"{errors[len(errors) // 2]:,}")
glue("long_last", f"{errors[-1]:,}"), glue("long_later", number(learned, WRONG) - len(errors))
glue("long_single", len(single)), glue("long_single_right", number(single, PROVED))
rest = of_kind(1, "log n", *[name for name in LANGUAGES if name != "contains a 1"])
glue("long_rest", len(rest)), glue("long_rest_wrong", number(rest, WRONG))
glue("long_rest_early", early(rest))
five = of_kind(1, "plain", *[name for name in LANGUAGES if name != "contains a 1"])
glue("long_rest_plain", early(five))
plain_single = of_kind(1, "plain", "contains a 1")
glue("long_single_plain", number(plain_single, WRONG))
majority = results()["MAJORITY", 1, "plain"]["verdicts"][0]
glue("long_zeros", majority["counts"][0]), glue("long_ones", majority["counts"][1])
glue("long_majority", sum(majority["counts"])), glue("long_majority_always", majority["always"])

# %% [markdown]
r"""
## One network and its verdict

We trained a small transformer on MAJORITY: it should accept the strings with more 1s than 0s. It is one layer of PyTorch's encoder, with layer normalization and 64 hidden units, and it is not told where a symbol is. The longest strings in its training had forty symbols. The judge of this book reads its weights, together with a formula for *more 1s than 0s*:
"""

# %%
trained = kept("MAJORITY")
print(judge(trained, 'count(Q("1")) > count(Q("0"))', longest=10))

# %% [markdown]
r"""
So this network is right on every string of fewer than {glue:text}`long_majority` symbols. At that length it rejects the strings of {glue:text}`long_zeros` zeros and {glue:text}`long_ones` ones, and from {glue:text}`long_majority_always` symbols on it has an error at *every* length.

Is this network an exception? We trained networks with ordinary attention, of one layer and of two, for six languages: MAJORITY, *at least a third 1s*, *at least two 1s*, *exactly one 1* (ONE), *contains a 1*, and *both symbols occur*. The judge found an error in each of them:

| networks with ordinary attention | number |
|---|---|
| trained | {glue:text}`long_plain` |
| wrong within 40 symbols, most of them for *both symbols occur* | {glue:text}`long_early` |
| right up to 40 symbols and wrong later | {glue:text}`long_learned_wrong` |
| proved wrong at every length from some point on | {glue:text}`long_always` |

Generalization is usually tested at a few longer lengths, such as 60 and 80. But of the networks that are right up to 40 symbols, half first err at {glue:text}`long_median` or later. Their first errors lie between {glue:text}`long_first` and {glue:text}`long_last` symbols, except for {glue:text}`long_later` beyond 4,096, where the search stops.

Why do all these networks fail? A network that is small enough for a pencil shows a reason.

## A network by hand

This network is for MAJORITY, too. Its one attention head is read at {term}`CLS`, a token in front of the string. CLS attends to itself and to the $n$ symbols, with equal weights $1/(n+1)$. A 1 has the value $+1$, a 0 has the value $-1$, and CLS has the value 0. The output adds a bias of $-1/101$, so a string has the score

$$s = \frac{\text{ones} - \text{zeros}}{n + 1} - \frac{1}{101},$$

and the string is accepted if $s > 0$.

A bias as small as this one matters only in a close vote. A vote won by one has the score $1/(n+1) - 1/101$, which is above 0 only while $n < 100$. So the first errors are the strings with 51 ones and 50 zeros. At even lengths the closest vote is won by two, with the score $2/(n+1) - 1/101$, and the first error is at $n = 202$. Odd lengths have errors from 101 on and even ones from 202 on, so *every* length has one from 201 on. The judge finds the same:
"""

# %%
# try: another bias, such as -1/1000
verdict = judge(by_hand(-1 / 101), 'count(Q("1")) > count(Q("0"))', longest=10)
print(verdict.headline, verdict.notes[0], sep="\n")

# %% [markdown]
r"""
**Predict**: with which biases is this network right at every length?

<p class="guess" data-right="2">all that are small enough|only 0|none</p>
"""

# %% tags=["hide-input", "hide-output"]
for bias in (-1 / 1000, 1 / 1000):
    print(judge(by_hand(bias), 'count(Q("1")) > count(Q("0"))', longest=10).headline)

# %% [markdown]
r"""
Only with 0, where the score has the sign of ones minus zeros. (The judge leaves ties {term}`undecided`, because a score of 0 has no sign.) A negative bias rejects votes that are won by one, once the strings are long enough. A positive bias accepts ties: the empty string, and 01.

## All strings in one square

How can anyone judge infinitely many strings? The network by hand has neither position information nor a mask, so only the numbers of 1s and 0s matter to it. Both follow from $p$, the share of 1s, and $z = 1/n$. Dividing numerator and denominator by $n$ gives

$$s = \frac{2p - 1}{1 + z} - \frac{1}{101},$$

a continuous function on a square ($p$ across, $z$ up). Each nonempty string is a point, shared with its rearrangements, and longer strings lie lower. On the lower edge, where $z = 0$, there are no strings, only limits of ever longer ones.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Strings between the network's border and the language's border are decided incorrectly.* In the first picture, all strings up to 24 symbols are dots, and the network by hand, here with the bias −1/10, rejects in the orange part and accepts in the blue one. The correct answer for MAJORITY changes at the dashed line. The second shows a small part of the lower edge for the first section's network: in each orange or blue rectangle one decision is proved for all strings, in the grey ones not yet.", "name": "fig-square"}, "image": {"alt": "Two squares with the share of 1s across and one over the length upwards. In the first a slanted line beside a dashed vertical line divides orange from blue. In the second orange and blue rectangles, small along their common border, which comes nearer to the dashed line towards the bottom and does not reach it.", "classes": "dark-light"}}
figure, (left, right) = plt.subplots(1, 2, figsize=(6.4, 3.4))
z = np.linspace(0, 1, 50)
own = (1 + (1 + z) / 10) / 2  # where the score of by_hand(-1/10) is 0
left.fill_betweenx(z, own, 1, color=ACCEPTED, alpha=0.45, linewidth=0)
left.fill_betweenx(z, 0, own, color=REJECTED, alpha=0.45, linewidth=0)
n, ones = np.array([(n, ones) for n in range(1, 25) for ones in range(n + 1)]).T
left.plot(ones / n, 1 / n, ".", color="#222222", markersize=2)
for x, decision in ((0.25, "reject"), (0.8, "accept")):
    left.text(x, 0.7, decision, ha="center")
left.set(title="by hand, bias −1/10", xlim=(0, 1), ylim=(0, 1))
draw_cells(right, kept("MAJORITY"), (0.4375, 0.0), (0.5625, 1 / 32))
right.set(title="trained, near the border", xlim=(0.4375, 0.5625), ylim=(0, 1 / 32))
right.set(xticks=[0.45, 0.5, 0.55], yticks=[0, 0.01, 0.02], yticklabels=["0", "1/100", "1/50"])
for axis in (left, right):
    axis.axvline(0.5, color="#222222", linestyle="--", linewidth=1.2)
    axis.set(xlabel="share of 1s", ylabel="1 / length")

# %% [markdown]
r"""
:::{admonition} Shares are enough
:class: result
*Assumes:* no position information; ordinary softmax attention; continuous activations; an $\varepsilon > 0$ in each layer normalization. Either any number of layers without a mask, with the score read at CLS; or one layer with a causal mask, with the score read at a token after the string. Then a nonempty string's score depends only on how often each symbol occurs. It is a continuous function of the symbols' shares and of $z = 1/n$, also where $z = 0$. *Proved for every length.* [Record](#long-shares)
:::

:::{dropdown} Proof
Without a mask, tokens of one kind have the same vector in every layer. This is so before the first layer, because there are no positions. If it is so before a layer, they ask the same query and read the same keys and values, so it is so after the layer. In one layer with a causal mask only the last token's query matters, and it sees all tokens.

So a head's output for a query is $\sum_a m_a e^{\ell_a} v_a \big/ \sum_a m_a e^{\ell_a}$, where $a$ runs over the kinds of tokens, $m_a$ is how often kind $a$ occurs, $\ell_a$ is its logit and $v_a$ its value. Divide all $m_a$ by $n$: a symbol's $m_a$ becomes its share, and that of CLS becomes $z$. The shares sum to 1 and logits are bounded, so the denominator stays away from 0, and the quotient is continuous, also at $z = 0$. Linear maps, activations and normalization with $\varepsilon > 0$ are continuous too. $\square$
:::

## A proof in cells

Cut the square into *cells*, small rectangles, and run the network on a whole cell at once. There are three kinds of cells.

*A cell with one decision.* For the network by hand, take $0.6 \le p \le 0.7$ and $z \le 0.1$. There $2p - 1 \ge 0.2$, so the score is at least $0.2/1.1 - 0.01 > 0$, and all the infinitely many strings in this cell are accepted. In a trained network, we enclose each number that it computes by a linear function on the cell and a bound on its error. If the score may have either sign, we cut the cell in two and try both halves, as in the second picture.

*A cell on the dashed line* may hold both strings of the language and others; no single decision is right for all of them. Above the lower edge, the judge cuts such a cell until few strings are left, and tries these one by one.

*A cell at the line's lower end* holds infinitely many strings, so cutting would never end. The judge looks for an error instead: it seeks such a cell in which the score has one sign. For the network by hand, take $0.499 \le p \le 0.501$ and $z \le 0.001$. The score is at most $0.002 - 0.009 < 0$, so votes won by one or two at every length from 1,000 on are rejected: errors. It remains to find the first error, among shorter strings. If the score at the lower end is 0, the judge decides nothing there.

## At most one bias

Why do all our networks with ordinary attention fail? To be right at every length, a network's border in the square would have to meet the dashed line exactly at its lower end. At most one bias of the output makes it do so:

:::{admonition} At most one bias
:class: result
*Assumes:* a network as in *Shares are enough*; strings $w_1, w_2, \dots$ in the language and $w'_1, w'_2, \dots$ outside it, of growing length, with shares that all tend to the same $p$. Change only the bias of the output. Then for every bias but at most one, the network errs from some $i$ on: it rejects all $w_i$, or it accepts all $w'_i$. *Proved for every length.* [Record](#long-bias)
:::

:::{dropdown} Proof
The score is continuous, so the scores of both sequences tend to the same number, its value at $(p, 0)$. Changing the bias by $b$ changes this number by $b$. For one bias it is 0. For any other it is above or below 0, and from some $i$ on so are the scores of *both* sequences. So from there on all $w'_i$ are accepted, or all $w_i$ are rejected. $\square$
:::

MAJORITY has such strings, with $p = 1/2$: votes that are won by one, and ties. "Contains a 1" has them, too: $00\dots01$ and $00\dots0$, whose shares of 1s tend to 0. So has every language in which one symbol can matter in arbitrarily long strings. Hahn {cite}`hahn2020` found the reason: one symbol among $n$ has an attention weight of at most a constant times $1/n$, so its influence fades. Training would have to hit one real number exactly. In our {glue:text}`long_plain` networks it never did, though no theorem forbids it. If it did, the judge could not tell.

## How much may one symbol weigh?

To keep one symbol's influence from fading, [chapter 4](04_log_n_scaling) multiplies attention logits by $\log n$ {cite}`chiang2022`. Its $n$ counts tokens; we call that number $T$ here, so $T = n + 1$ with CLS in front. Let a 1 have the {term}`logit` $2$ and every other token the logit 0. With the factor, the pull of a 1 ($e$ to its logit) is then $e^{2 \log T} = T^2$, that of every other token $e^0 = 1$. In $100\dots0$ the 1 gets these attention weights:

| $T$ | 8 | 80 | 800 |
|---|---|---|---|
| $e^2 / (e^2 + T - 1)$, without the factor | 0.51 | 0.09 | 0.01 |
| $T^2 / (T^2 + T - 1)$, with it | 0.90 | 0.99 | 0.999 |

With the factor this weight tends to 1, and several 1s together get even more. So the score of strings with one 1 and that of strings with none can tend to different numbers, and *At most one bias* does not apply.

How can such a network be judged at every length? There are three cases: a nonempty string holds only 0s, only 1s, or both. In each case, formulas like the one in the table's last row give each attention weight a range for all $T \ge 8$, say. These ranges go through the network as a cell does. If the score then has one sign, and that sign is the language's answer for all strings of this case with at least 8 tokens, the network is right on them. Shorter strings are tried by their counts of symbols. The judge proves one of our networks right:
"""

# %%
trained = kept("contains a 1", "log n")
print(judge(trained, 'count(Q("1")) >= 1', longest=10).headline)

# %% [markdown]
r"""
:::{admonition} Right at every length
:class: result
We trained {glue:text}`long_single` networks of one layer with logits times $\log n$ for "contains a 1". {glue:text}`long_single_right` of them are right on every nonempty string. With ordinary attention and the same training, {glue:text}`long_single_plain` of {glue:text}`long_single` have an error. *Proved for every length by machine.* [Record](#long-log-n)
:::

Does the factor cure everything? The figure shows all our networks of one layer:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*With ordinary attention all these networks fail at some length; with log n most for contains a 1 fail on no nonempty string.* Each tick is the length of a network's first error; each row has twenty networks. The dotted line is at 40 symbols, the length of the longest training strings. Numbers beside the ticks count networks: *early*, an error up to 40 symbols; *right* on every nonempty string, which is proved; *open*, no error up to 4,096 symbols; *later*, a first error beyond.", "name": "fig-long"}, "image": {"alt": "Two panels, six rows of ticks each, over a logarithmic axis of lengths. On the left, most ticks lie between 40 and some thousand. On the right, contains a 1 has one tick, and 18 networks counted as right; in the other rows many ticks lie left of 40.", "classes": "dark-light"}}
figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.2), sharey=True)
titles = {"plain": "ordinary attention", "log n": "logits times log n"}
for axis, (scale, title) in zip(axes, titles.items()):
    for row, language in enumerate(reversed(LANGUAGES)):
        verdicts = of_kind(1, scale, language)
        errors = first_errors(verdicts)
        axis.plot(errors, [row] * len(errors), "|", color=REJECTED, markersize=14)
        known = {
            "early": early(verdicts),
            "right": number(verdicts, PROVED),
            "open": number(verdicts, EACH_STRING),
            "later": number(verdicts, WRONG) - len(errors),
        }
        says = [f"{count} {word}" for word, count in known.items() if count]
        axis.text(2e5, row, "\n".join(says), ha="right", va="center", fontsize=8)
    axis.axvline(TRAINED_TO, color="#777777", linestyle=":", linewidth=1)
    axis.set(xscale="log", xlim=(0.8, 3e5), title=title, xlabel="length of the first error")
    axis.set_yticks(range(len(LANGUAGES)), reversed(LANGUAGES))

# %% [markdown]
r"""
It does not. Of the {glue:text}`long_rest` networks with $\log n$ for the five other languages, {glue:text}`long_rest_wrong` have an error, {glue:text}`long_rest_early` already within 40 symbols (without the factor, {glue:text}`long_rest_plain` of the {glue:text}`long_rest` do). Take "at least two 1s", and the strings $100\dots0$ and $1100\dots0$. If one 1 outweighs everything else, then so do two 1s, and in the limit the 1s get the same weight in both strings. Telling them apart at every length seems to need an exact balance again. For *both symbols occur*, one head would have to let a single 1 outweigh all 0s, and a single 0 all 1s, which [no choice of logits](#long-plain) does at every length. (A network of another shape is [proved right](#long-shapes-drawn) on this language.)

## What to take away

- A test at a few longer lengths is not enough; without positions, the first error can often be computed. With ordinary attention one symbol's influence fades, and all our networks with it err at some length. If one symbol can keep its weight, a trained network can be right on every nonempty string, and this can be proved.
- All this is about real numbers. A machine that adds a million floats computes something else.
- We cannot judge at every length: two or more layers with a causal mask or $\log n$; rotary positions; sinusoids.

## Exercises

**1 (compute).** From which length on does the network by hand with a bias of $-1/250$ err at every length?
"""

# %%
# try: your number in place of the dots
check("13.1", ...)

# %% tags=["hide-cell"]
check("13.1", 499)  # odd lengths err from 249 on, even ones from 500 on

# %% [markdown]
r"""
**2 (modify).** "At least as many 1s as 0s" also accepts ties. Find a bias, as a Python float, with which the network by hand decides this language correctly on every string of up to 500 symbols.
"""

# %%
# try: your bias in place of the dots
check("13.2", ...)

# %% tags=["hide-cell"]
check("13.2", 1 / 1000)  # a tie needs a bias above 0, a vote lost by one a float below 1/500

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
Refuted. With a bias of $-1/5001$ a vote won by one is accepted while $1/(n + 1) > 1/5001$, up to 4,999 symbols. At 5,001 its score is negative, so it is rejected.
:::
"""

# %% tags=["hide-cell"]
check("13.3", -1 / 5001)

# %% [markdown]
r"""
## What next

To judge a network of your own, load it as in [Adapt this](adapt) and give `judge` a formula about numbers of symbols; for logits times $\log n$, say `replace(network, log_n=True)`. The [record of this chapter](record_13_how_long) derives the rules for cells and lists every network. The [scorecard](scorecard) lists what became of the claims of the four papers.
"""
