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

*You train a transformer on short strings and then run it on long ones. It may fail there although it has learned nothing wrong: attention is an average, and a longer string brings more tokens into the average. What should you multiply the attention logits by, so that the model still decides as it did?*

**In one sentence:** if one token has to outvote all the others, the factor must grow at least like the logarithm of the length, and a large enough multiple of that logarithm works at every length.
"""

# %% tags=["hide-input"]
from fractions import Fraction
from operator import itemgetter

import matplotlib.pyplot as plt
import numpy as np
import torch

from chapters.common.judge import check
from chapters.common.learners.network import LOGIT_SCALES
from chapters.which_log_n.figures import (MASKED, NAMED, SHOWN, STEP, Laboratory, hard_first,
                                          turning)
from chapters.which_log_n.runs import LOGARITHMS, TRAINED
from lib import constructions
from lib.languages import FIRST, POISSON_RATE
from record.notebook import COLOURS, glue, markdown_table, use_style
from lib.transformer import Exact

use_style()

# %% [markdown]
r"""
## One token against the crowd

If you remember the first half of chapter 4, go on to the next section; chapter 4's *flawed* transformer is called the FIRST transformer here. An attention **head** lets one token ask all the tokens, itself included, and returns a weighted mean of what they say. Each token first gets an attention {term}`logit`. Suppose that our head is looking for one particular token. It gives this token the logit 1 and every other token the logit 0. How much of the attention does the token get?

Softmax turns a logit $x$ into $e^x$, the token's *pull*, and divides by the sum of all pulls. Our token therefore has the pull $e^1 = 2.72$, and each of the others $e^0 = 1$. Among three tokens, our token has the attention weight $2.72 / (2.72 + 2) = 0.58$. That is more than half, so the head mostly passes on what our token says.

Add one more token, and the majority is gone: $2.72 / (2.72 + 3) = 0.48$. Nothing about our token has changed. There are only more voices, and each counts a little.

We call the logit of our token, which was 1 in this example, the head's **gain** $c$. (All logarithms here are natural.) In general the token has the pull $e^c$, and the $n - 1$ others together have $n - 1$.

:::{admonition} The rule
:class: result
A token with logit $c$ gets more than half of the attention among $n - 1$ others with logit 0 if and only if $e^c > n - 1$, which is $c > \log(n - 1)$. *Proved for every length.* [Record](#which-theorem)
:::

Chapter 4 builds a whole transformer around such a head, and here we call it the FIRST transformer. It decides FIRST: does the string begin with a 1? An extra token, CLS, stands before the string and does the asking. Its head gives the logit $c$ to the first symbol and the logit 0 to all other tokens, including CLS itself. Each token casts a vote: a symbol 1 votes $\tfrac12$, a symbol 0 votes $-\tfrac12$, and CLS votes $-\tfrac12$ too. The weighted mean of the votes is the output, and its sign is the answer. (An output of 0 counts as an error.) The worst string is `1000…0`, because every other token votes against the first symbol. So at any given length the transformer is right on *every* string if and only if the first symbol gets more than half of the attention.

In this chapter $n$ counts tokens, so a string of 16 symbols has $n = 17$.

## Raise the logit with the bar

The logit has to clear a bar, $\log(n - 1)$, and the bar rises like a logarithm. So let the logit rise like a logarithm too. We multiply it by a **factor** $f(n)$ that depends on the length, and the rule becomes

$$
c \, f(n) > \log(n - 1).
$$

Take $f(n) = \log n$ and the gain 1 from above. The token's pull is now $e^{\log n} = n$, and that of the others together $n - 1$. It wins by exactly one, at every length.

With the gain $\tfrac12$ the token's pull is only $\sqrt n$, and two others are enough to defeat it, because $\sqrt 3 = 1.73$ is less than 2. The demo draws our token's attention weight for gains up to 12 and five factors:

<div class="live" data-live="factors"><p>With gain 1 and no factor, a token keeps more than half of the attention among 3 tokens, and less among 4. With the factor log n it keeps more than half among any number.</p></div><script type="module" src="../_static/live.mjs"></script>

The dashed line marks a half. Here and below, $L$ is the number of tokens in the longest training strings, which is 17 for our own networks. *Llama 4's stairs* are the factor of a large language model: it takes a small step up every 8192 tokens. Without a factor, raise the gain and then the number of tokens: the weight falls below the dashed line later, but it still falls.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Every constant is overtaken; a logarithm is not, if it is steep enough.* Each curve shows how far the logit lies above the bar $\\log(n-1)$, drawn as the level line at 0. In the grey part the token is outvoted. Second panel: with $\\log n$, the gain 1.1 moves away from the bar, 0.9 sinks below it, and 1 wins by a pull of 1, too little to see. Third panel: with Llama 4's factor and gain 9.5 the curve still sinks below the bar in the end, though much later than without the factor (green); with gain 10 it never does.", "name": "fig-which-lines"}, "image": {"alt": "Three panels over a logarithmic axis, grey below a level line, the bar. Left, three parallel lines fall through the bar one after another. Middle, of three curves one rises, one runs along the bar, one sinks below it. Right, one line falls through the bar, and of two saws that settle one sinks below the bar at the right.", "classes": "dark-light"}}
n = np.unique(np.geomspace(2, 1e10, 4000).round())
stairs = 1 + 0.1 * np.log(1 + np.floor(n / STEP))
without = {f"c = {c}": np.full_like(n, c) for c in (9.5, 5, 2)}
panels = {
    "no factor": (without, 10),
    "the factor log n": ({f"c = {c}": c * np.log(n) for c in (1.1, 1, 0.9)}, 3),
    "Llama 4's factor": ({f"c = {c}": c * stairs for c in (10, 9.5)}
                         | {"no factor": without["c = 9.5"]}, 3),
}
_, axes = plt.subplots(1, 3, figsize=(7.4, 3))
for axis, (title, (lines, top)) in zip(axes, panels.items()):
    axis.axhspan(-3, 0, color="#777777", alpha=0.15, linewidth=0)
    axis.axhline(0, color="#777777", linewidth=1)
    for (label, logits), colour in zip(lines.items(), COLOURS.values()):
        axis.plot(n, logits - np.log(n - 1), color=colour, label=label)
    axis.set(xscale="log", ylim=(-3, top), xlabel="$n$, tokens", title=title)
    axis.legend(fontsize=8, loc="upper left" if "log" in title else "upper right")
axes[0].set_ylabel(r"$c\,f(n) - \log(n-1)$");

# %% [markdown]
r"""
Which factors are in use? The table lists six, with the gains for which the token is never overtaken.

| factor $f(n)$ | who uses it | gains that suffice |
|---|---|---|
| 1 (no factor) | the usual transformer | none: each is overtaken at some length |
| $\log n$ | Chiang and Cholak {cite}`chiang2022`, Equation 2 | $c \ge 1$ |
| $s \log n$, where $s$ is learned | Nakanishi {cite}`nakanishi2025` | $c s \ge 1$ |
| $\log L$, a constant | some of our networks below | none |
| $\log n / \log L$, which is 1 at the training length | some of our networks below, with $i$, the number of tokens seen, in place of $n$ | $c \ge \log L$ |
| $1 + \tfrac1{10} \log(1 + \lfloor n / 8192 \rfloor)$ | Llama 4 {cite}`meta2025`, at inference only | $c \ge 10$ |

The last row makes two demands. In the long run Llama 4's stairs climb a tenth as fast as a logarithm, so the gain must be ten times as large as for $\log n$. On the first stair the factor is 1, and the gain alone must exceed $\log 8190 = 9.01$. Ten meets both.

:::{admonition} The factors
:class: result
A factor $f$ keeps the FIRST transformer of gain $c$ right at every length if and only if $f(n) > \log(n - 1) / c$ for every $n \ge 2$. The factor must therefore grow at least like a logarithm. For each factor, the table gives exactly the gains that are large enough. *Proved for every length.* [Record](#which-theorem)
:::

:::{dropdown} Proof
The transformer is right at every length if and only if $c f(n) > \log(n - 1)$ for every $n \ge 2$. Dividing by $c$ gives the first half of the statement.

*A constant* $c$ fails from the first $n$ with $n - 1 \ge e^c$ on.

*$\log n$.* If $c \ge 1$, then $c \log n \ge \log n > \log(n - 1)$. If $c < 1$, then $\log(n - 1) / \log n$ rises to 1 and passes $c$. For $s \log n$, replace $c$ by $cs$; for $\log n / \log L$, replace $c$ by $c / \log L$.

*Llama 4's.* Among the lengths with $\lfloor n / 8192 \rfloor = m$, the last one, $n = 8192 (m + 1) - 1$, is the hardest. There we need $c + \tfrac{c}{10} \log(m + 1) > \log(8192 (m + 1) - 2)$. The right side is less than $\log 8192 + \log(m + 1)$, and $\log 8192$ is about 9.01. So $c \ge 10$ suffices. If $c < 10$, the left side rises more slowly than the right side, and some step fails. $\square$
:::

At which length does a factor fail? The function `turning` finds the least whole $n$ with $c f(n) \le \log(n - 1)$. It computes with intervals that are certain to contain the true value, so its answer is certain too.

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
With gain 9.9 the stairs outlast any text. And then they fail.

(hahn)=
## Why a slower factor is drowned out

Could a cleverer head escape the rule? To be sure of FIRST, a head's output has to change noticeably when one symbol changes. So we ask: by how much can one symbol change the output of *any* head? What a token says is called its **value**, and a head returns the mean of the values, weighted by attention.

Let a head attend to eight tokens with equal logits, and replace one token by another, so that the value at this place changes from 0 to 1. The output is the mean, so it moves by $\tfrac18$. Among a thousand tokens it moves by a thousandth.

A head can do better by giving the replaced token a larger logit than the others. With a lead of 2, the token's pull is $e^2 = 7.39$ against seven, and the output moves by $0.51$. But among a thousand tokens the output still moves by less than $0.01$. A fixed lead is soon drowned out.

Hahn {cite}`hahn2020` turned this observation into a theorem about all heads: *if logits and values are bounded, one symbol moves a head's output by an amount that falls like $1/n$.* We state it with its constant.

:::{admonition} Hahn's lemma
:class: result
Assume that the logits that the asking token gives differ from each other by at most $\Delta$, and the values by at most $D$. Exchange one of the $n$ tokens (not the asking one) for a token that keeps both bounds and whose value differs from the old value by at most $D$. Then the head's output moves by at most

$$
\frac{D \, e^{\Delta}}{e^{\Delta} + n - 1}.
$$

The FIRST transformer attains this bound at every length. *Proved for every length.* [Record](#which-hahn)
:::

:::{dropdown} Proof
Let $p$ and $p'$ be the exchanged token's attention weights, before and after. Its logit leads each of the others by at most $\Delta$, so both weights are at most $e^\Delta / (e^\Delta + n - 1)$. Let $v$ and $v'$ be its values, and $r$ the weighted mean of the other values. The exchange rescales all the other weights by the same number, so it does not change $r$.

The output goes from $r + p(v - r)$ to $r + p'(v' - r)$. It moves by $p'(v' - r) - p(v - r)$. Because $v' - r$ is the sum of $v' - v$ and $v - r$, the move is $p'(v' - v) - (p - p')(v - r)$. Both differences have length at most $D$. Suppose $p \ge p'$. Then the length of the move is at most $p' D + (p - p') D = p D$. If $p < p'$, exchange the roles of before and after. $\square$
:::

A factor turns the lead $\Delta$ into $f(n) \, \Delta$. With $\log n$ the bound becomes $D n^\Delta / (n^\Delta + n - 1)$. For $\Delta = 1$ this tends to $D / 2$ and no longer to 0; for a smaller lead it still tends to 0. Now suppose that a factor grows more slowly than every multiple of $\log n$. Whatever the lead, $f(n) \, \Delta$ eventually stays below $\tfrac12 \log n$. The token's pull is then less than $\sqrt n$, against $n - 1$, and the bound goes to 0.

In this chapter's vote for FIRST, a tiny move means an error. On 000…0 all votes agree, and the output is $-\tfrac12$. If the first symbol becomes a 1, the output must become positive, so it must move by more than $\tfrac12$. The votes lie at most $D = 1$ apart, so the bound exceeds $\tfrac12$ exactly when $e^\Delta > n - 1$: our rule again, with the lead $\Delta$ for the gain.

A tiny move is harmless where the output lies near 0 anyway, as for MAJORITY (more ones than zeros). Let CLS vote 0, and let an output of 0 mean no. A head with equal logits then returns the number of ones minus the number of zeros, divided by $2n$. This is positive exactly when there are more ones, at every length. But if the ones lead by only one, the output is $1/(2n)$, from some length on less than a rounding error of fixed size. No factor enlarges it, because equal logits stay equal ([record](#which-machines)).

The following cell checks Hahn's bound on the FIRST transformer. It changes each symbol of each string in turn, computes in rational numbers, and compares the largest move with the formula. The code writes $b$ for $e^\Delta$, and its `logit` is the transformer's output:
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
## Do trained networks follow the rule?

The rule is about a transformer that we built. Do networks that *learn* the task fail in the same way? We trained small networks on FIRST by **gradient descent**: their parameters start at random and change step by step, so that errors on the training strings become smaller. The training strings had at most sixteen symbols, and each factor got twenty random starts. A network has two **layers**, which are rounds of attention, with one head each. Each token is a vector, and one coordinate of it says whether the token is the first symbol.

The networks have a **causal mask**: a token sees only itself and the tokens before it, $i$ tokens in all. CLS, which asked the question in our construction, would therefore see nothing but itself. So we read the answer at the last token, which sees everything.

With a mask there are two numbers whose logarithm we could take. With $\log n$, every token uses the number of all tokens; with $\log i$, each token uses the number of tokens that it sees itself. At the last token the two agree. But in the second layer the last token reads what earlier tokens found in the first, and at those earlier tokens the two differ. In the factor $s \log i$ the learned number $s$ starts at 1.

We then tested the networks on strings of up to a thousand symbols. We say that a network is **right up to** a length if it is right on at least 99 in a hundred random strings of that length and of every shorter length that we tested.

Random strings are an easy test. A long random string has about as many ones as zeros, and their votes cancel. So we also tested two **hard strings** of each length, `1000…0` and `0111…1`, in which every other symbol votes against the first. A network is *right on hard strings too* if, at every tested length, it decides both of them correctly, and `000…0` and `111…1` as well. The stairs in this experiment are shrunk to fit the strings: they take a step every 17 tokens, not every 8192.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*On hard strings, most networks last to a thousand symbols only if the factor is a multiple of $\\log n$ or $\\log i$ (green).* The whole bar counts the networks, of twenty, that are right on random strings (at least 99 in a hundred) at every tested length up to 1000. The solid part of the bar counts those that are right on hard strings too.", "name": "fig-which-hard"}, "image": {"alt": "Seven pairs of horizontal bars, one pair for each factor. The four multiples of log are long in both parts; the first part is short for no factor, the stairs and a constant.", "classes": "dark-light"}}
laboratory = Laboratory()
random = {f: laboratory.right_to(1000, "FIRST", "FIRST", "future", f) for f in MASKED}
hard = {f: int((reach >= 1000).sum()) for f, reach in hard_first().items()}
factors = sorted(MASKED, key=lambda f: (f in LOGARITHMS, hard[f]))
names = [NAMED[f] for f in factors]
colours = [COLOURS["ONE" if f in LOGARITHMS else "FIRST"] for f in factors]
_, axis = plt.subplots(figsize=(6.4, 3))
for counts, alpha, ink in ((random, 0.3, "black"), (hard, 1.0, "white")):
    bars = axis.barh(names, [counts[f] for f in factors], color=colours, alpha=alpha)
    axis.bar_label(bars, padding=-16, color=ink, fontsize=9)
axis.set(xlabel="networks right up to 1000 symbols", xlim=(0, 20.5), xticks=range(0, 21, 5));

# %% tags=["hide-input"]
unseen = laboratory.unseen
glue("which_hits", laboratory.hits(unseen)), glue("which_cells", len(unseen))
assert hard["log n"] == hard["log i"] > hard["log i / log L"]
glue("which_hard_log", hard["log n"]), glue("which_hard_none", hard["plain"])
glue("which_hard_stairs", hard["floor-log"])
glue("which_hard_constant", hard["log of the training n"])

# %% [markdown]
r"""
The factors that last are mostly the ones that the rule predicts. With $\log n$, {glue:text}`which_hard_log` of 20 networks pass the hard strings, and just as many with $\log i$. Without a factor {glue:text}`which_hard_none` do. Growth alone is not enough: the stairs grow too, but only a tenth as fast, and {glue:text}`which_hard_stairs` networks pass, no more than the {glue:text}`which_hard_constant` with the constant $\log L$. On random strings the stairs look as good as the logarithms. Only the hard strings tell them apart.

Why does even a small multiple of the logarithm last, such as $\log i / \log L$? Suppose that a head works as in the FIRST transformer and is right on all strings with $L$ tokens. Then its logit clears the bar at $L$: $c f(L) > \log(L - 1)$. At greater lengths two numbers matter: how far $c f(L)$ is above the bar at $L$, and the ratio $f(n) / f(L)$, by which the factor has grown since. For every multiple of the logarithm this ratio is $\log n / \log L$, hardly less than the ratio by which the bar rises. A head with such a factor is right at every length once $c f(L) \ge \log L$. From 17 tokens to 1001, the bar rises by the ratio $\log 1000 / \log 16 = 2.5$. The logarithm rises by $2.4$, the stairs by $1.3$, and a constant not at all.

The figure mostly fits this explanation, but the ratio cannot be the whole story. All multiples of a logarithm have the same ratio, and yet fewer networks pass with $\log i / \log L$ than with the others. Perhaps training reaches a different $c f(L)$ under each factor. We did not measure $c f(L)$, so we do not know whether this is the reason.

### A count that no factor should change

ONE asks: is there exactly one 1? In this language no token has to outvote the others, and one head that attends to all tokens equally is enough. Let a 1 say 1, a 0 say 0, and CLS say $-1$. With $k$ ones the mean is $(k - 1)/n$, which is 0 only if $k = 1$. So let an output of 0, and nothing else, mean yes. Equal logits stay equal under every factor, so we expected the factor not to matter. It did matter.

Only sixteen of the 65,536 strings of 16 symbols have exactly one 1. For ONE we therefore drew strings differently, in training and in tests: first how many 1s a string gets, $1.5$ on average, and then where they stand. About one string in three then has exactly one. We say that a network *learned* ONE if it is right on at least 99 in a hundred such strings of 16 symbols. The table counts the networks that learned ONE, all of them with a mask and without a position encoding. Its middle column gives the value of the factor at the last of 17 tokens.
"""

# %% tags=["remove-input"]
assert abs(POISSON_RATE * np.exp(-POISSON_RATE) - 0.33) < 0.01 and POISSON_RATE == 1.5
n, rows = torch.tensor(float(TRAINED + 1)), []  # at the last token of the longest strings
for factor, said in NAMED.items():
    scale = factor.removeprefix("learned ")
    value = f"{float(LOGIT_SCALES[scale](n, n, n)):.2g}{' s' * (scale != factor)}"
    rows.append((said, value, laboratory.right_to(TRAINED, "ONE", "none", "future", factor)))
markdown_table(("factor", "at the last token", "networks of 20 that learned ONE"),
               sorted(rows, key=itemgetter(2), reverse=True))

# %% [markdown]
r"""
Fewer networks learned ONE if the factor is well above 1. We did not test why. Among networks without a mask, more were right up to 64 symbols with $\log n$ than without a factor ([record](#which-unmasked)). We therefore cannot say that a factor makes ONE harder.

How well can one guess all this? We trained more groups of twenty networks than this page shows, and for each group (by factor, mask, positions and language) we wrote down how far we expected it to come. Where we had seen no trial run, {glue:text}`which_hits` of {glue:text}`which_cells` guesses came true. We knew three of these groups from chapter 4. The record says [how hard the guesses were](#which-score) and [what shows that they came first](#which-laboratory).
"""

# %% [markdown]
r"""
## What to take away

| what your head must do | factor | what it costs |
|---|---|---|
| let one token outvote all the others (FIRST) | $\log i$, where the asking token sees $i$ tokens; perhaps with a learned multiple | slower early training in one of our experiments ([Translation](translation)) |
| the same, with the logits left as they are at the training length | $\log i / \log L$, which is 1 at $L$ tokens | fewer of our networks passed the hard strings |
| average over all tokens (MAJORITY, ONE) | none is needed | with a factor well above 1, fewer of our networks with a mask learned ONE |

- Without a factor, a head whose lead is at most $c$ has a limit that you can compute: from $e^c + 1$ tokens on, no single token can outvote all the others.
- Take the logarithm of the number of tokens that the asking token sees, because these tokens share its attention. Count from 1: code that counts positions from 0 takes $\log(n - 1)$, and with gain 1 a token then only *ties* with the others ([record](#which-one-off)).
- Test on the strings that dilute the signal most.
- Hahn's lemma is about one head. For networks of several layers, like the ones that we trained, this chapter proves nothing; what they do is *measured* at the lengths that we tested.
- For a single trained network without positions, the length of its first error can often be computed ([chapter 13](13_how_long)).
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
**2 (modify).** Give a gain below 10 with which Llama 4's factor keeps the FIRST transformer right up to at least $10^{12}$ tokens.
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

Every run and criterion is in the [record of this chapter](record_09_which_log_n). PARITY was among the languages, and no network learned it: [why not?](parity_not_learned) Chapter 10 sorts what is proved about PARITY by the kind of transformer.
"""
