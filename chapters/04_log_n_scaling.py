# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Learning, and the logarithm of n

*A transformer has learned to read the first symbol of short strings. Does it still find that symbol among a million? Of eighty networks with ordinary attention that we trained, none did reliably. Most of those with a factor of $\log n$ in their attention logits still did among a billion. What does the factor do?*

**In one sentence:** in a long string the many other tokens can outvote the one that matters; a preference for it that grows like $\log n$, for $n$ tokens, can prevent this at every length.
"""

# %% tags=["hide-input"]
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np

from chapters.common.judge import check
from chapters.log_n_scaling.figures import (LENGTHS, RIGHT, Learned, by_weights, two_panels,
                                            weight_for_most)
from lib.constructions import flawed_first
from lib.languages import FIRST
from chapters.common.learners import Ensemble, Member, Network
from chapters.common.learners.train import score, train
from record.notebook import COLOURS, REFERENCE, glue, markdown_table, use_style
from lib.transformer import Encoder, Exact

use_style()

# %% [markdown]
r"""
## Six tokens, then nine

A model is trained on texts up to some length, and then asked to read a longer one. What can go wrong if the rule is the same at every length? We take FIRST, a rule that needs attention to a single place: does a string of 0s and 1s begin with a 1? The answer is read at {term}`CLS`, a token in front of the string. An attention {term}`head` gives CLS a weighted mean of what all tokens say, CLS included.

Our head looks for the first symbol. It gives that symbol the attention **logit** 2, which is the head's {term}`gain` here, and all other tokens the logit 0. Softmax turns a logit $x$ into $e^x$, the token's **pull**, and divides by the sum of all pulls, which gives its **attention weight**. So the first symbol has the pull $e^2 = 7.39$, and each other token the pull 1.

A string of five symbols makes six tokens. The first symbol gets the weight $7.39 / (7.39 + 5) = 0.60$, which is more than half.

A string of eight symbols makes nine tokens. The weight is now $7.39 / (7.39 + 8) = 0.48$. Nothing about the first symbol has changed, but there are more tokens beside it, and each takes a little. This is called **dilution**.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Three tokens more, and the first symbol has less than half.* How attention is divided. Orange: the first symbol, with the pull 7.39. Grey: the other tokens, with the pull 1 each. Dashed: one half.", "name": "fig-log-dilution"}, "image": {"alt": "Two bars of the same length. In the upper one the orange part is longer than one half and five grey parts follow; in the lower one it ends just before one half and eight grey parts follow.", "classes": "dark-light"}}
def attention_bars(*rows):
    """The attention of CLS: how many tokens, and the pull of the first symbol; others have 1."""
    _, axis = plt.subplots(figsize=(6.4, 0.75 + 0.45 * len(rows)))
    for tokens, pull in rows:
        name, others = f"{tokens} tokens", tokens - 1
        whole = pull + others
        bar = axis.barh(name, pull / whole, height=0.6, color=COLOURS["FIRST"])
        label = f"{pull:g} of {whole:g}: {pull / whole:.2f}"
        axis.bar_label(bar, [label], label_type="center", color="white")
        left = (pull + np.arange(others)) / whole
        axis.barh(name, 1 / whole, left=left, height=0.6, color="#BBBBBB", edgecolor="white")
    axis.axvline(0.5, **{**REFERENCE, "color": "black"})
    axis.set(xlim=(0, 1), xlabel="attention weight")
    axis.set_xticks((0, 0.5, 1), ("0", "½", "1"))
    axis.invert_yaxis()


attention_bars((6, 7.39), (9, 7.39))

# %% [markdown]
r"""
In general, let $c$ be the gain and $n$ the number of tokens. The first symbol has the pull $e^c$, the other $n - 1$ tokens have the pull 1 each, and its weight is

$$
\frac{e^c}{e^c + n - 1}.
$$

## A vote that can be lost

Is a small weight bad? Each token offers CLS a number, its **value**, and the answer is the sum of all values, each times its token's weight. In chapter 2's transformer for FIRST only the first symbol has a value other than 0. There a small weight does no harm.

Numbers that were learned are hardly ever exactly 0. Chiang and Cholak {cite}`chiang2022` therefore look at a transformer in which every token has a say. They call it **flawed**. Each 1 votes $+\tfrac12$, and each other token votes $-\tfrac12$, CLS included. The output $s$ is the mean of the votes, weighted by the attention. The string is accepted if $s > 0$.

Let the first symbol have the pull $3\tfrac12$ (a gain of $\log 3\tfrac12 = 1.25$, with the natural logarithm), so that the numbers stay round. Here is the string 100.

| token | CLS | 1 | 0 | 0 | sum |
|---|---|---|---|---|---|
| pull | $1$ | $3\tfrac12$ | $1$ | $1$ | $6\tfrac12$ |
| vote | $-\tfrac12$ | $+\tfrac12$ | $-\tfrac12$ | $-\tfrac12$ | |
| pull times vote | $-\tfrac12$ | $+1\tfrac34$ | $-\tfrac12$ | $-\tfrac12$ | $+\tfrac14$ |

So $s = \tfrac14 / 6\tfrac12 = \tfrac1{26}$. This is above 0, so the string is accepted, as it should be.

The string 1000 has one more 0, with one more vote of $-\tfrac12$. The sum falls to $-\tfrac14$ and the pulls rise to $7\tfrac12$, so $s = -\tfrac1{30}$. The string is rejected, although it begins with a 1.

The next cell does the same in exact fractions. Its `base` is the pull of the first symbol, $e^c$. The method `logit` gives the output $s$, not a logit of attention.
"""

# %%
# try: another pull, and longer strings
reader = Exact(flawed_first(base=Fraction("3.5")))
for w in ("100", "1000", "0111"):
    print(f"s({w}) = {reader.logit(w)}")

# %% [markdown]
r"""
## One string decides

Which strings are the hardest? Those in which all other symbols say the opposite of the first one. For each number $n$ of tokens there are two:

- 1000…0. Only the first symbol votes for the right answer, with the pull $e^c$. The $n - 1$ other tokens vote against it, and their pulls add up to $n - 1$. So the first symbol wins exactly if $e^c > n - 1$, that is, if it has more than half of the attention.
- 0111…1. Here CLS votes for the right answer too, so only $n - 2$ tokens vote against it. If the first string is decided correctly, this one is too.

Every other string with the same first symbol has more votes on the right side. So 1000…0 decides for all.

:::{admonition} The threshold (section 5.2 of Chiang and Cholak)
:class: result
The flawed transformer with gain $c$ is right on all strings of $n - 1$ symbols if and only if $e^c > n - 1$, which is $c > \log(n - 1)$. *Proved for every length.* [Record](#log-threshold)
:::

:::{dropdown} Proof
The output $s$ depends only on the first symbol and on the number $k$ of 1s. So we look for the worst $k$ for each first symbol.

If all $n$ pulls were 1, the votes would add up to $k - \tfrac n2$. But the first symbol's vote counts another $e^c - 1$ times. Let $[w_1 = 1]$ be 1 if the string begins with a 1 and 0 if not. Then

$$
s = \frac{(e^c - 1)\left([w_1 = 1] - \tfrac12\right) + k - \tfrac n2}{e^c + n - 1}.
$$

If $w_1 = 1$, this is least for $k = 1$, where it is $\frac{e^c - (n - 1)}{2(e^c + n - 1)}$. That must be above 0. If $w_1 = 0$, it is greatest for $k = n - 2$, where it is $\frac{(n - 3) - e^c}{2(e^c + n - 1)}$. That must not be above 0. The first condition is $e^c > n - 1$, and it implies the second, $e^c \ge n - 3$. $\square$
:::

**Predict**: strings of four symbols need a pull above 4. How many of the sixteen strings are wrong if the first symbol's pull is $3\tfrac12$ or 4?

<p class="guess" data-right="2">none|one|half&nbsp;of&nbsp;them</p>
"""

# %% tags=["hide-output"]
# try: strings of other lengths
strings = list(FIRST.all_strings(4))
for base in (Fraction("3.5"), 4, Fraction("4.5")):
    decided = Exact(flawed_first(base=base)).accepts(strings)
    print(f"pull {float(base)}: wrong on", FIRST.errors(strings, decided) or "none")

# %% [markdown]
r"""
Near the threshold random tests find hardly any error. With strings of thirty symbols and a pull of 30, exactly one of the $2^{30}$ strings is wrong.

## Multiply by log n

The gain must be above $\log(n - 1)$, which rises with the length. Chiang and Cholak let the logits rise too: their Equation 2 multiplies every attention logit by $\log n$. A token with logit 1 then has the pull $e^{\log n} = n$, and one with logit $c$ the pull $n^c$. So if all other logits are 0, the first symbol's weight becomes $n^c / (n^c + n - 1)$.

Take the string 1000 again, with gain 1. It makes five tokens, so the first symbol's pull is 5. Its vote counts $2\tfrac12$, and the four votes against it count 2. The sum is $+\tfrac12$ and the pulls add up to 9, so $s = \tfrac1{18}$: accepted.

Among a million tokens the first symbol's pull is a million, and the others, CLS included, together have one less. The first symbol wins by a pull of 1 at every length. On the hardest string of $n$ tokens that lead is worth a vote of $\tfrac12$, and the pulls add up to $n + (n - 1)$. So $s = \tfrac12 / (2n - 1)$, which shrinks but stays above 0.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*With $\\log n$ the first symbol's pull is one more than all others together.* How attention is divided with the factor $\\log n$ and gain 1. The first symbol's pull is the number of tokens, and that of each other token is 1.", "name": "fig-log-lead"}, "image": {"alt": "Two bars of the same length. In both the orange part ends just after one half; four grey parts follow in the upper one and eight in the lower one.", "classes": "dark-light"}}
attention_bars((5, 5), (9, 9))

# %% [markdown]
r"""
:::{admonition} The threshold under log n
:class: result
Let every attention logit be multiplied by $\log n$. Then the flawed transformer is right on all strings of every length if and only if its gain is at least 1. (Section 5.3 of Chiang and Cholak shows that 1 is enough.) *Proved for every length.* [Record](#log-threshold)
:::

:::{dropdown} Proof
The factor makes the gain $c$ into $c \log n$. By the threshold it is right on strings of $n - 1 \ge 1$ symbols if and only if $c \log n > \log(n - 1)$. For $c \ge 1$ that holds, as $c \log n \ge \log n$. For $c < 1$ it fails at some $n$, as $\frac{\log(n - 1)}{\log n} = 1 + \frac{\log(1 - 1/n)}{\log n}$ comes as near to 1 as you like. The empty string has $s = -\tfrac12$ and is rejected, as it should be. $\square$
:::

With the factor, the gain has to be above $\log(n - 1) / \log n$, which is 0.954 among ten tokens and 0.9999 among a thousand. This number tends to 1 but never reaches it, so a gain of 1 is enough, and no smaller gain is.
"""

# %%
# try: a gain of 2 in flawed_first
reader = Exact(flawed_first(1), log_n=True)
for w in ("1000", "0111", "1" + "0" * 998):
    print(f"{len(w) + 1} tokens: s = {reader.logit(w)}")

# %% [markdown]
r"""
The demo runs the flawed transformer on 100…0, with and without the factor. Move the length down from eight symbols. Without a factor and with $c = 2$, the first symbol has more than half of the attention up to seven symbols. With the factor $\log n$ and $c = 1$ it always has.

<div class="live" data-live="logn"><p>Without a factor, the first of five symbols gets more than half of the attention, and the first of eight gets less. With the factor log n it gets more than half among any number.</p></div><script type="module" src="../_static/live.mjs"></script>

### When log n does not help

- With a gain below 1 it is too weak: the weight falls like $n^{c-1}$.
- Layer normalization, the subject of chapter 3, changes the logits. With a large $\epsilon$ a gain of 1 can then be too small ([record](#log-prop-3)).
- If the other tokens have no vote, as in chapter 2's FIRST, the answers are right without it. With a gain of 1 the factor keeps $|s|$ above ¼ on nonempty strings (Chiang and Cholak's Proposition 3).
- For PARITY it does next to nothing. Chapter 2's transformer first counts, with logits of 0, which stay 0 when they are multiplied. Then two heads look for a mark. The factor turns their gain $c$ into $c \log n$, and for even $n$ this makes $|s| = 2 \tanh(c \log n) / n^2$, which is still less than $2 / n^2$. These heads spread their attention over half of all positions, and the mark is only $1/n$ high.

(log-live)=
## Twenty-four networks, live

Does training find a transformer that behaves like the one we wrote down? We train twenty-four small networks while this page is built. Like those of Chiang and Cholak, each has two **layers** with one head each: in each layer every token attends to all tokens and then computes from what it receives. At the start a token knows only its symbol and whether it is the first. The network has to learn that the first symbol matters.

Training starts from random **parameters**, which are the numbers in a network's matrices and vectors. The network reads one random string at each step, and every parameter is changed a little, so that the output comes nearer to the right answer. A hundred steps are an **epoch**, and here training lasts sixty epochs. All strings that a network learns from have one length, of ten, thirty, a hundred or three hundred symbols. For each length we train three networks without a factor and three with $\log n$, from three random starts.

In these networks a logit is a sum of two terms: one depends on both tokens, and one only on the token that is attended to. As in the [authors' code](#log-figure-4), $\log n$ multiplies the first term only. (In the flawed transformer the second is 0.) We did not test whether multiplying both would help.

We call a network **right** at a length if it errs on at most one string in a hundred there. This asks much less than the threshold does. On the hardest string of a thousand tokens, the first symbol needs a pull above 999. But on most strings the votes of the 998 later symbols nearly cancel: their sum has nearly a **normal distribution**, with mean 0 and standard deviation $\tfrac12\sqrt{998} = 15.8$. In about one string of a hundred, the later votes sum to {glue:text}`log_most_vote` or more against the first symbol. With a pull of {glue:text}`log_most_weight` the first symbol's own vote counts {glue:text}`log_most_vote`, so it can lose only on those strings. So a pull far below 999 makes the flawed transformer right in this sense.

**Predict**: without a factor all three networks are right at ten symbols if they learned from ten. How many of them are right at a thousand?

<p class="guess" data-right="1">none|one|all&nbsp;three</p>
"""

# %% tags=["hide-output"]
# try: other lengths, or more epochs in place of 60
members = [Member(seed, n, scale)
           for scale in ("plain", "log n") for n in LENGTHS for seed in range(3)]
networks = Ensemble(Network(), members)
train(networks, "FIRST", [60], test_length=1000)
right = {n: score(networks, "FIRST", n).accuracy.reshape(2, 4, 3) >= RIGHT
         for n in (*LENGTHS, 1000)}
markdown_table(
    ("trained at", "own length", "at 1000", "own length, log n", "at 1000, log n"),
    [(n, *(int(right[m][kind, j].sum()) for kind in (0, 1) for m in (n, 1000)))
     for j, n in enumerate(LENGTHS)])

# %% [markdown]
r"""
Of the networks trained on ten symbols, none without a factor is right at a thousand and all with $\log n$ are, as Chiang and Cholak found. The networks without a factor that learned from thirty or a hundred symbols are right at a thousand if they are right at their own length. None that learned from three hundred symbols is right even there: sixty epochs are too few for them.

## To a billion symbols

Three networks are few, and sixty epochs can be too few. So we trained twenty networks for each kind and length for a thousand epochs, and tested them on strings of up to a billion symbols ($10^9$). Again a network is right if it errs on at most one string in a hundred, and $\log n$ multiplies one of the two terms.

Nobody reads a string of $10^9$ symbols one by one. To these networks all later 0s are the same, and a string of any length [becomes four tokens](#log-quotient): CLS, the first symbol, one 0 for all later 0s, and one 1 for all later 1s. Attention multiplies the pulls of the last two by the number of symbols that they represent.

No test string is drawn at random. We run a network once for each first symbol and each number of later 1s, and count each error as many times as there are such strings. On long strings [some hundreds of these numbers](#log-far), evenly spaced, represent all. They reach seven standard deviations to either side of the middle, and less than one in $10^{11}$ of the strings lies outside.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Without a factor every network fails by a million symbols; with $\\log n$ most are right up to a billion.* How many of twenty networks are right at a length. Each line begins at its training length. Where lines coincide, the thinner lies on the thicker.", "name": "fig-log-far"}, "image": {"alt": "Two panels against the length of test strings on a logarithmic axis. Left, four lines fall from twenty to zero, those with longer training strings later; right, four lines stay between sixteen and twenty, those of 10 and of 30 ending at sixteen.", "classes": "dark-light"}}
learned = Learned()
widths = {10: 4.5, 30: 3.2, 100: 1.9, 300: 0.9}  # of lines that coincide


def draw(axis, n, scale, look):
    lengths = [m for m in learned.tested if m >= n]
    counts = [learned.reached(n, scale, m) for m in lengths]
    axis.plot(lengths, counts, "o-", **look, linewidth=widths[n], markersize=widths[n] + 1.5)


left, _ = two_panels(draw, "symbols in a test string", "networks that are right", sharey=True)
left.set(yticks=range(0, 21, 5));

# %% tags=["hide-input"]
for scale in ("plain", "log n"):
    name = scale.replace(" ", "_")
    reached = {n: learned.reached(n, scale, 10**9) for n in LENGTHS}
    glue(f"log_far_{name}", sum(reached.values())), glue(f"log_all_{name}", 20 * len(reached))
    glue(f"log_far_{name}_least", min(reached.values()))
for n in LENGTHS:
    glue(f"log_thousand_{n}", learned.reached(n, "plain", 1000))
right = by_weights() >= RIGHT
always = right.all(axis=1)
glue("log_weights_sure", int(always.sum()))
glue("log_weights_rest", int((~always).sum()))
glue("log_weights_failed", int((~right).sum())), glue("log_weights_tried", right[~always].size)
glue("log_slope", f"{learned.slope():.2f}")
shares, is_right = learned.networks("plain", 1000)
glue("log_share_least", f"{shares[is_right].min():.2f}")
glue("log_share_most", f"{shares[~is_right].max():.2f}")
shares, is_right = learned.networks("log n")
most_lost = shares[~is_right].max()
above = int((shares > most_lost).sum())
glue("log_most_lost", f"{most_lost:.2f}"), glue("log_above", above)
gone, gone_right = learned.gone()
glue("log_gone", gone), glue("log_gone_right", gone_right)
right_with_log = sum(learned.reached(n, "log n", 10**9) for n in LENGTHS)
glue("log_between", 20 * len(LENGTHS) - above - gone)
glue("log_between_right", right_with_log - above - gone_right)
glue("log_short", 20 - learned.reached(300, "log n", 10))
glue("log_most_weight", weight_for_most(1000)), glue("log_most_vote", weight_for_most(1000) // 2)
numbers = np.concatenate([np.ravel(learned.results[n, "learned"]["scales"]) for n in (10, 30)])
glue("log_learned_least", f"{numbers.min():.2f}"), glue("log_learned_most", f"{numbers.max():.2f}")
glue("log_constant_left", learned.reached(30, "log of the training n", 10**9));

# %% [markdown]
r"""
Without a factor, networks trained on longer strings mostly fail later. At a thousand symbols {glue:text}`log_thousand_10` of the twenty networks trained on ten symbols is still right, and so are {glue:text}`log_thousand_30` of those trained on thirty and {glue:text}`log_thousand_100` of those trained on a hundred. Anyone who had stopped testing at a thousand would have called the last group safe.

:::{admonition} To a billion symbols
:class: result
Of {glue:text}`log_all_plain` networks without a factor, {glue:text}`log_far_plain` are right at $10^9$ symbols. Of {glue:text}`log_all_log_n` networks with $\log n$, {glue:text}`log_far_log_n` are, and at least {glue:text}`log_far_log_n_least` of the twenty for each training length. *Measured.* [Record](#log-far)
:::

A network that is right may still err on the hardest strings, which [chapter 9](09_which_log_n) tests. It can also fail on strings shorter than those of training: of the twenty trained on three hundred symbols with $\log n$, {glue:text}`log_short` are not right at ten.

With training strings of ten symbols, whether a network with $\log n$ fails depends more on its random start than on the strings that it reads. (We tested no other lengths.) From each of twenty starts we trained five networks, on different strings, for a hundred epochs. From {glue:text}`log_weights_sure` starts all five are right at a thousand symbols. Of the {glue:text}`log_weights_tried` networks from the other {glue:text}`log_weights_rest` starts, {glue:text}`log_weights_failed` fail ([record](#log-weights)). What a bad start does differently we do not know.

## Is it dilution?

The flawed transformer fails for one reason, dilution. Learned networks without a factor suffer it too, and we can prove how fast the weight falls. However long the string is, all numbers in such a network stay between fixed bounds, so no pull is more than a fixed multiple of another:

- At every length a token starts with one of five vectors: that of CLS, or of a 0 or a 1 in the first place or later.
- The mean of bounded vectors is bounded. A layer computes everything else from this mean and from the token's own vector, by continuous functions that are defined for every vector. Such functions are bounded on every bounded set, so what the layer returns is bounded too.
- Logits are computed from these vectors by parameters that no longer change after training. So every pull lies between two positive numbers, say $a$ and $A$, which are the same at every length.
- The pulls of $n$ tokens add up to between $a n$ and $A n$. So the weight of the first symbol lies between $\frac{a}{A n}$ and $\frac{A}{a n}$: it falls like $1/n$.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Without a factor the first symbol's weight falls like one over the length; with $\\log n$ the median weight stays at a half or above up to $10^9$.* The attention weight that CLS gives to the first symbol, on average over all strings, in the layer where that is larger. Each line is the median of twenty networks, and begins at their training length. Dashed, on the logarithmic axis: a line that falls like one over the length. Dashed, on the other: one half.", "name": "fig-log-share"}, "image": {"alt": "Two panels against the length of test strings. Left, on a logarithmic axis, four lines bend down and run parallel to a dashed line that falls like one over the length. Right, on an even axis from 0 to 1, four lines stay at or above a dashed line at one half.", "classes": "dark-light"}}
def draw(axis, n, scale, look):
    first = learned.tested.index(n)
    share = np.median(learned.shares(n, scale), axis=1)[first:]
    axis.plot(learned.tested[first:], share, **look)


falls, stays = two_panels(draw, "symbols in a test string", "weight of the first symbol")
long = np.array(learned.tested[-6:-2])
falls.plot(long, 0.1 / long, **REFERENCE)
falls.set(yscale="log")
stays.axhline(0.5, **REFERENCE)
stays.set(ylim=(0, 1.06));

# %% [markdown]
r"""
The measured weights do fall like this: on logarithmic axes the lines without a factor end with [a slope](#log-attention) of {glue:text}`log_slope`, and $1/n$ has the slope $-1$. With $\log n$ two of the lines, for thirty and a hundred symbols, come down towards a half by $10^9$. We have not measured what they do beyond it.

A small weight does not settle whether a network fails. Without a factor, at a thousand symbols, one network with a weight of {glue:text}`log_share_least` is right, and one with {glue:text}`log_share_most` fails. With $\log n$, at $10^9$ symbols, we look at each network:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*With $\\log n$, no network with a large weight on the first symbol fails; among those with a smaller one some are right and some fail.* A dot for each network with $\\log n$, by this weight at $10^9$ symbols, to the nearest twentieth; those at 0 have less than one hundredth. Full dots, above the line, are right there; open dots, below it, are not. Orange: the largest weight of a network that fails.", "name": "fig-log-networks"}, "image": {"alt": "Full dots are piled up at 0, one half and 1, the pile at 0 being low, with a few between; open dots lie at 0, one half and between, the last one, in orange, at 0.6. All dots to the right of it are full.", "classes": "dark-light"}}
_, axis = plt.subplots(figsize=(6.4, 2.7))
blue, orange, parts = COLOURS["PARITY"], COLOURS["FIRST"], 20  # parts of the axis of shares
for side, fill, sign in ((True, blue, 1), (False, "none", -1)):
    some = shares[is_right == side]
    columns = np.round(some * parts).astype(int)
    heights = [sign * (1 + int((columns[:k] == x).sum())) for k, x in enumerate(columns)]
    edges = [orange if share == most_lost else blue for share in some]
    axis.scatter(columns / parts, heights, s=16, facecolors=fill, edgecolors=edges)
axis.axhline(0, color="black", linewidth=0.8)
axis.set(xlabel="attention weight of the first symbol", ylabel="networks", yticks=[]);

# %% [markdown]
r"""
Among the networks that fail the largest weight is {glue:text}`log_most_lost`, and all {glue:text}`log_above` networks with a larger one are right. Below that the weight does not decide. Of the {glue:text}`log_gone` networks that give the first symbol less than one hundredth, {glue:text}`log_gone_right` are right, and of the {glue:text}`log_between` networks in between, {glue:text}`log_between_right` are.

A network can be right with next to no weight on the first symbol if the other tokens have no vote, as in chapter 2's transformer, if their votes nearly cancel, or if they pick up the first symbol in the first layer and pass it on. We have not checked which of these happens here. Nor have we checked why so many weights are near one half.

Chiang and Cholak find dilution corroborated by the weights at a thousand symbols: the shorter the training strings, the smaller the first symbol's weight. We have not shown that dilution makes networks fail.

## Would a learned number do?

The factor $\log n$ makes logits *larger*, and it makes them *grow* with the length. Perhaps it is enough that they are larger. So we trained two more kinds of networks, on strings of ten and of thirty symbols.

- One kind has a *constant*: in place of $\log n$ there is one number, the same at every length. It is $\log 11 = 2.40$ for training strings of ten symbols, which make eleven tokens, and $\log 31 = 3.43$ for those of thirty. At the training length this constant equals $\log n$, so training from the same start on the same strings gives the same network. The two differ only when they are tested at another length.
- The other kind has a *learned number*: each layer has a factor of its own, which starts at 1 and is trained with the other parameters.

All are right at their own length.

**Predict**: how many of twenty networks with a learned number are right at $10^9$ symbols?

<p class="guess" data-right="3">most|about&nbsp;half|none</p>
"""

# %% tags=["hide-output"]
for n in (10, 30):
    print(f"trained at {n}: {learned.reached(n, 'learned', 10**9)} of 20 are right at 10^9")

# %% [markdown]
r"""
:::{dropdown} Why
A learned number is a constant when the network is tested. Nor does training ask for a large one: at the training length a network with the factor 1 is right too.
:::

The table counts the networks of twenty that are right, for all four kinds of factor.
"""

# %% tags=["remove-input"]
factors = {"plain": "1", "learned": "a learned number",
           "log of the training n": "a constant", "log n": "log n"}
lengths = (1000, 10**9)
head = [f"trained at {n}, right at {m:,}" for n in (10, 30) for m in lengths]
counts = {name: [learned.reached(n, scale, m) for n in (10, 30) for m in lengths]
          for scale, name in factors.items()}
markdown_table(("logits times", *head), [(name, *found) for name, found in counts.items()])

# %% [markdown]
r"""
The learned numbers still lie between {glue:text}`log_learned_least` and {glue:text}`log_learned_most` after a thousand epochs. With the constant, {glue:text}`log_constant_left` of the networks trained on thirty symbols are right at $10^9$, and we do not know how much further they go.

In the flawed transformer a constant only puts off the day when the vote is lost. With the gain 2 our first head lets the first symbol outvote 7 others. Multiplied by the constant $\log 11$, this gain gives the pull $e^{2 \log 11} = 11^2 = 121$, which outvotes 120. Trained networks have other gains, and the table does not say why the constant hardly helps them.

## Three questions

Chiang and Cholak end with three questions that are easily taken for one. Does some transformer *recognize* a language? Is it *sure* at every length? Does training *find* it? Their transformer for PARITY is right but unsure. {term}`Sharpened <sharpened>` by layer normalization with $\epsilon = 0$, as they do it, it is sure. Neither their trainings nor ours found it.

| | recognized at every length | sure at every length | found by training |
|---|---|---|---|
| FIRST | yes ([chapter 2](02_transformer_parity_first)) | with layer normalization and $\epsilon = 0$ ([chapter 3](03_layer_norm)), or with $\log n$ | yes; with $\log n$ mostly far beyond the training length |
| PARITY | yes ([chapter 2](02_transformer_parity_first)) | with layer normalization and $\epsilon = 0$ ([chapter 3](03_layer_norm)) | sometimes at sixteen symbols and not lastingly at twenty-four, in the trainings that we tried ([why?](parity_not_learned)) |

## What to take away

- If logits stay bounded, each token's attention weight falls like $1/n$. If the other tokens have a say, the one that matters can be outvoted.
- If one token must count at every length, multiply the logits by $\log n$, in training too, with a gain of at least 1. Not every training succeeds.
- With $\log n$ a trained network can be right on every nonempty string. For "contains a 1", where one symbol decides, most one-layer networks of [chapter 13](13_how_long) with $\log n$ are proved to be, and every one with ordinary attention errs at some length.
- In our trainings a larger constant or a learned factor was no substitute.
- Test far beyond the training length, on the hardest strings (as [chapter 9](09_which_log_n) does), and with several random starts.
- Chiang and Cholak also measured what the factor is worth in translation. Trained on short sentences and tested on long ones, their systems (of six layers) gain one point of {term}`BLEU` from $\log n$ ($p < 0.01$). With all lengths in training and test, it makes no significant difference. Our own [systems](translation) are too small to tell. Unknown: whether the factor matters in large models.

## Exercises

**1 (compute).** Under $\log n$ and with gain 2, what is $s$ of the flawed transformer on a 1 followed by eight 0s, as a fraction?
"""

# %%
# try: your answer in place of the dots, such as 1/26
check("4.1", ...)

# %% tags=["hide-cell"]
n = 10                                                # nine symbols and CLS
s = (Fraction(n**2, 2) - Fraction(n - 1, 2)) / (n**2 + n - 1)
assert s == Fraction(str(Exact(flawed_first(2), log_n=True).logit("1" + "0" * 8)))
print(s)
check("4.1", s)

# %% [markdown]
r"""
**2 (modify).** Under $\log n$, give the flawed transformer a gain with which it errs first at $n = 50$. Does it ever recover? (What `flawed_first` makes is called a *Construction*: a transformer that was written down, not trained.)
"""

# %%
# try: flawed_first(c) with your c in place of the dots
check("4.2", ...)

# %% tags=["hide-cell"]
# Right at n: n^c > n - 1, c > log(n - 1) / log n = 1 + log(1 - 1/n) / log n, which grows with n.
low, high = (np.log(n - 1) / np.log(n) for n in (49, 50))
late = flawed_first((low + high) / 2)
reader = Encoder(late, log_n=True)
broken = [n for n in range(2, 400) if not reader.accepts("1" + "0" * (n - 2))]
assert broken == list(range(50, 400))
print(f"c = {(low + high) / 2:.6f} errs first at n = {broken[0]}, and does not recover")
check("4.2", late)

# %% [markdown]
r"""
(log-exercise)=
**3 (prove or refute).** "With logits times $\log n$, a head that prefers position 1 to all others by any fixed $c > 0$ gives it an attention weight that does not vanish as $n$ grows."

<p class="guess" data-right="1">refuted|proved</p>
"""

# %%
# try: "proved", or a c whose weight vanishes
check("4.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted. The weight is $n^c / (n^c + n - 1)$, which tends to 1 for $c > 1$, to $\tfrac12$ for $c = 1$ and to 0, like $n^{c-1}$, for $c < 1$.
:::
"""

# %% tags=["hide-cell"]
for c in (0.5, 1, 1.5):
    look = Encoder(flawed_first(c), log_n=True)
    found = [look.trace("1" + "0" * (n - 2), weights=True).attention[1, 1][0, 0, 1].item()
             for n in (10, 100, 1000)]
    assert np.allclose(found, [n**c / (n**c + n - 1) for n in (10, 100, 1000)])
    print(f"c = {c}:", ", ".join(f"{x:.3f} at n = {n}" for n, x in zip((10, 100, 1000), found)))
check("4.3", 0.5)

# %% [markdown]
r"""
## What next

[Chapter 3](03_layer_norm) makes a transformer sure in another way, by layer normalization. Chapter 9 asks [which other factors](09_which_log_n) will do, and how large the gain must be. The [record of this chapter](record_04_log_n_scaling) says how the networks were trained, and by which criteria they count as right.
"""
