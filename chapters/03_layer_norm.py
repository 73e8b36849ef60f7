# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Layer normalization: confidence without end

*A transformer can be right about every string and hardly sure of any. Can layer normalization make it sure, at every length?*

**In one sentence:** yes, because layer normalization divides a vector by its own size, which makes even a tiny score large; but with the small constant that PyTorch adds before dividing, the certainty of this chapter's transformer begins to fade near {glue:text}`ln_turn` symbols.

That constant is called $\epsilon$. It is there to avoid a division by zero, and PyTorch's default, $10^{-5}$, looks too small to matter. Take chapter 2's transformer for PARITY (is the number of 1s odd?). It is right on every string, but hardly sure of any long one {cite}`chiang2022`. With layer normalization and one more layer it becomes as sure as we like at every length, if $\epsilon = 0$. With PyTorch's default, the transformer in our demo is hardly surer than a coin at a few hundred symbols.
"""

# %% tags=["hide-input"]
from dataclasses import replace
from math import comb, exp, log, log2, sqrt

import matplotlib.pyplot as plt
import numpy as np
import torch

from chapters.common.judge import check
from chapters.layer_norm.tables import FAMILIES, lost_near, with_weight_one
from lib import constructions
from chapters.common.sharpening import sharpen
from lib.constructions.normalization import mirror
from lib.languages import FIRST, PARITY
from record.notebook import COLOURS, REFERENCE, glue, markdown_table, use_style
from lib.transformer import Encoder, Exact, Space, cross_entropy_bits

use_style()
parity, first = constructions.parity(), constructions.first()
glue("ln_turn", f"{lost_near(parity, FAMILIES['PARITY'], 1e-5):.0f}")

# %% [markdown]
r"""
## Two numbers

Take the two numbers 3 and 1. Layer normalization first subtracts their mean, which is 2. That leaves 1 and -1. Then it divides by their standard deviation, which is 1 here, so nothing changes.

Now take 0.5 and 0.1. Subtracting their mean leaves 0.2 and -0.2. Their standard deviation is 0.2, and dividing by it gives 1 and -1 again.
"""

# %%
# try: other numbers, such as 2 and 2
def layer_norm(x, eps=0.0):
    return (x - np.mean(x)) / np.sqrt(np.var(x) + eps)


for x in ((3, 1), (0.5, 0.1), (0.1, 0.5)):
    print(x, "becomes", layer_norm(x).round(3))

# %% [markdown]
r"""
Layer normalization remembers only which of two numbers is larger. By how much, it forgets. If the two are equal, subtracting leaves zeros, and zero divided by zero is undefined.

For a vector $x$ with any number of {term}`coordinates <coordinate>` the two steps are

$$
\mathrm{LN}(x) = \frac{x - \operatorname{mean}(x)}{\sqrt{\operatorname{var}(x) + \epsilon}}.
$$

With $\epsilon > 0$ the root is never zero, and two equal numbers become $(0, 0)$. We first set $\epsilon = 0$, and ask later what a positive $\epsilon$ costs.

So layer normalization is a **shift**, which is the same for all coordinates, followed by a **scaling** by a positive number. The shift is a nuisance, and the next two sections get rid of it. The scaling is what can make a transformer sure.

In this chapter normalization comes where the first transformers had it. A layer takes two steps, attention and then a feed-forward network. The result of each step is added to the vector that went into it (a {term}`residual connection`), and the sum is normalized, at each position separately. This is called *post-norm*.

## The shift does harm

Suppose that a vector holds the numbers 1 and 0.25. Normalization turns them into 1 and -1, and nothing shows any more that the first was four times the second. A transformer that relies on the size of a number can break.

Chapter 2's transformer for PARITY relies on sizes. It reads a string with $k$ 1s as $n$ tokens, of which the first, at position 0, is {term}`CLS`. A feed-forward network puts a **mark** on position $k$, where $x = k/n - i/n$ is 0. It computes the mark as a hat-shaped function of $x$ ({numref}`fig-hat`), which falls to 0 at $x = \pm \tfrac1n$. Then two heads at CLS compare how much of the mark they find, and add the difference to the **score** $s$. The string is accepted if $s > 0$.

Take position 2 of the string 110, where $n = 4$ and $k = 2$. Its nine coordinates add up to 3.25, so their mean is $3.25 / 9 = 0.36$:

| coordinate | its token, 1 | $\cos \pi i$ | $i/n$ | $k/n$ | $1/n$ | each of the four others |
|---|---|---|---|---|---|---|
| before the shift | 1 | 1 | 0.5 | 0.5 | 0.25 | 0 |
| after the shift | 0.64 | 0.64 | 0.14 | 0.14 | -0.11 | -0.36 |

The difference of two coordinates survives, because both lose the same amount: $x$ is still 0 here. Two other things go wrong. The hat takes its width from the number $1/n$, which is read on its own and is no longer $1/n$. And the four others, which include the places for the mark and for the score, should be empty and are not.

**Predict**: we apply layer normalization to this transformer as it stands. How many of the 1024 strings of length 10 does it decide correctly?

<p class="guess" data-right="2">all|half|none</p>
"""

# %% tags=["hide-output"]
strings = list(PARITY.all_strings(10))
reader = Encoder(parity, eps=0)
accepted = reader.accepts(strings)
wrong = PARITY.errors(strings, accepted)
print(f"{len(strings) - len(wrong)} of {len(strings)} right, {accepted.sum()} accepted")

# %% [markdown]
r"""
Every string is rejected, which is correct for half of them. At CLS the place for the score begins far below 0, and what the heads add is not enough to lift it above 0. On long strings the hat also becomes so wide that many positions get a mark. (The [record](#ln-shift) has the numbers.)

## The mirror

The shift subtracts the mean, so it does nothing to a vector whose mean is 0. That suggests a trick, due to Chiang and Cholak: *store each coordinate together with its negative*. We call such a transformer {term}`mirrored`. Its vectors have mean 0 whatever they hold, and an empty coordinate stays 0.

With their negatives, our numbers 1 and 0.25 become the vector $(1, 0.25, -1, -0.25)$. Its variance is $(1^2 + 0.25^2) / 2 = 0.53$. Dividing by the root of this, 0.73, gives 1.37 and 0.34, and one is still four times the other.
"""

# %%
# try: other numbers
x = np.array([1, 0.25])
print("alone:   ", layer_norm(x).round(2))
print("mirrored:", layer_norm([*x, *-x]).round(2))

# %% [markdown]
r"""
Any transformer can be mirrored: each row of a weight matrix that writes a number into a coordinate gets a second row, which writes the negative into that coordinate's partner. What is read stays the same. In code, `mirror` adds the partners.

What remains is the scaling, by a positive factor at each position. Chiang and Cholak say that it flips no decision, and show this for a layer that scales all positions by one factor. But each position has its own factor. That is harmless too, for PARITY and for the other transformer of chapter 2, which decides FIRST (does the string begin with a 1?):

:::{admonition} The mirror (section 4.1 of Chiang and Cholak)
:class: result
*Assumes:* layer normalization with any $\epsilon \ge 0$, and any factor $c > 0$ on the second layer's attention {term}`logits <logit>` (1 so far; in chapter 4 it grows with the length). Then the mirrored transformers for PARITY and for FIRST decide every string but the empty one as they did without normalization. *Proved for every length.* [Record](#ln-proof)
:::

:::{dropdown} Why different factors flip no answer
In FIRST only position 1 holds a value, $\tfrac12$ or $-\tfrac12$ times a positive factor, so its sign decides as before.

In PARITY, all numbers within one position are multiplied by the same $g > 0$, and $\max(0, gz) = g \max(0, z)$, so the mark stays where it was. But attention compares *different* positions. With $\epsilon = 0$ the normalization after PARITY's first attention multiplies position $i$ by

$$
\sqrt{\frac{9}{2 + (i/n)^2 + (k/n)^2 + (1/n)^2}}.
$$

With $n = 100$ and $k = 50$ that is 2.00 at the first position and 1.67 at the last. The attention logits were $\pm 1$, and now each is scaled by its position's factor. Suppose that even positions are scaled up more than odd ones. Then the head for even positions divides by a larger sum. Could it lose a contest that it should win?

Take two neighbouring positions, and let the even one have the mark. The head for even positions gives it the logit $a = 1.2$ and its neighbour $-b = -1$. The head for odd positions gives them $-1.2$ and $1$. The pulls, which are $e$ to the logits, are divided by their sum:

| | head for even positions | head for odd positions |
|---|---|---|
| pulls of both positions together | $e^a + e^{-b} = 3.69$ | $e^{-a} + e^b = 3.02$ |
| pull of the mark | $e^a = 3.32$ | $e^{-a} = 0.30$ |

Softmax divides the second row by the first. The two sums in the first row differ, as feared, but only by a factor of $e^{a-b} = 1.22$, while the two numbers in the second row differ by a factor of $e^{2a} = 11$. So the head for even positions still finds more, as it should.

A long string consists of such pairs, and the two heads' sums differ by at most the factor $e^{a-b}$ of the worst pair. Let $\ell_i$ be the size of position $i$'s scaled logit. The head that should win does win if in every pair $|\ell_{2j} - \ell_{2j+1}| < 2 \ell_k$. This holds because the denominator under the root above lies between 2 and 4. So no $\ell_i$ is more than $\sqrt2$ times another, and any two differ by less than the smallest of all. The second normalization keeps them this close. The [record](#ln-proof) has the whole proof, with every $\epsilon$ and $c$, and with the last position of an odd $n$, which has no partner.
:::

Here is a check with three values of $\epsilon$:
"""

# %%
# try: another eps, or a larger length
strings = [list(PARITY.all_strings(length)) for length in range(1, 11)]
for eps in (0, 1e-5, 1e-2):
    reader = Encoder(mirror(parity), eps=eps)
    wrong = sum(len(PARITY.errors(batch, reader.accepts(batch))) for batch in strings)
    print(f"eps = {eps:5g}: {wrong} of {sum(map(len, strings))} strings wrong")

# %% [markdown]
r"""
## One layer more, and it is sure

Chapter 2's transformer writes its answer at CLS, as the score $s$. It accepts with the probability $1/(1 + e^{-s})$. Its {term}`cross-entropy` says how sure it is: $-\log_2 p$ bits if the right answer gets the probability $p$, so 1 bit for a coin, and 0 bits for a transformer that is certain and right. For PARITY $|s|$ shrinks like $1/n^2$, where $n$ is the number of tokens, so the cross-entropy tends to 1 bit.

With the mirror, layer normalization can be added to this transformer without changing an answer (unless to the empty string). Is the transformer now sure?

**Predict**: with layer normalization and $\epsilon = 0$ the transformer for PARITY reads strings of 1000 symbols. How large is its cross-entropy?

<p class="guess" data-right="3">near&nbsp;0&nbsp;bits|near&nbsp;½&nbsp;bit|near&nbsp;1&nbsp;bit</p>
"""

# %% tags=["hide-output"]
strings = PARITY.sample(1000, size=200, seed=0)
s = Encoder(mirror(parity), eps=0)(strings)
bits = cross_entropy_bits(s, [w in PARITY for w in strings])
print(f"{bits.mean():.6f} bits")

# %% [markdown]
r"""
It is hardly surer than before. The vector at CLS holds $s$, but it also holds large coordinates, such as the 1 that says that this token is CLS. Take the vector $(0.01, -0.01, 1, -1)$. The root of its variance is 0.707, and dividing by it turns 0.01 into 0.014, which is still small.

So let us remove the large coordinates. The vector $(0.01, -0.01, 0, 0)$ has a variance whose root is only 0.00707, and dividing turns 0.01 into $0.01 / 0.00707 = \sqrt2$. If we start from 0.02 instead of 0.01, the root doubles as well, and we get $\sqrt2$ again. In general, with $d$ coordinates and $\epsilon = 0$,

$$
\begin{aligned}
&\mathrm{LN}(s, -s, 0, \dots, 0) \\
&= \bigl(\pm\sqrt{d/2}, \mp\sqrt{d/2}, 0, \dots, 0\bigr),
\end{aligned}
$$

where the first sign is the sign of $s$. For $d = 2$ these are 1 and $-1$, as for our two numbers.

One more layer can remove the large coordinates, and it needs no attention. Its feed-forward network adds $-\max(0, v) + \max(0, -v) = -v$ to each coordinate $v$, which makes it 0. It also adds $s$ to the first coordinate and $-s$ to the second. Then normalization does the rest. The mirrored transformer for PARITY has $d = 18$ coordinates, so every score becomes $\sqrt{18/2} = 3$ or $-3$, and the right answer gets the probability $1/(1 + e^{-3}) = 0.953$. Multiplying this score by a large number, the **output weight**, brings the probability as close to 1 as we like. A transformer with this layer is called {term}`sharpened`, and in code `sharpen` adds the layer.

:::{admonition} Sure at every length (Proposition 2 of Chiang and Cholak)
:class: result
*Assumes:* a transformer under layer normalization with $\epsilon = 0$, mirrored or not. It decides every string correctly, by a score that is never 0. Its vectors have at least two coordinates, and no vector that is normalized has all its coordinates equal. Then one more layer gives every string the same cross-entropy, and this can be any $\eta$ between 0 and $\ln 2$ nats (1 bit). *Proved for every length.* [Record](#ln-eta)
:::

:::{dropdown} Proof
Cross-entropies in **nats** use the natural logarithm, so that one bit is $\ln 2$ nats. After the new layer and its normalization, the first coordinate is $\sqrt{d/2}$ if the string should be accepted and $-\sqrt{d/2}$ if not. (The new layer also normalizes once before its feed-forward network, but with $\epsilon = 0$ normalizing a normalized vector does not change it.) With an output weight $a > 0$ the right answer has the probability $1/(1 + e^{-a\sqrt{d/2}})$ in both cases, so the cross-entropy is $\ln(1 + e^{-a\sqrt{d/2}})$ nats. Set this equal to $\eta$ and solve: $a = -\ln(e^\eta - 1) / \sqrt{d/2}$. That is positive if and only if $\eta < \ln 2$. $\square$
:::

Here are the scores of three strings. The output weight is the one for $\eta = 0.01$ nats, so the right answer has the probability $e^{-0.01} = 0.990$:
"""

# %%
# try: another eta, or other strings
sharp = sharpen(mirror(parity), eta=0.01)
for w in ("110", "1101", "1" + "0" * 500):
    print(f"length {len(w):3}: score {Encoder(sharp, eps=0)(w).item():+.6f}")

# %% [markdown]
r"""
The score no longer knows how long the string is. (The empty string is an exception, because its score is 0. A small change to PARITY's transformer, and another to FIRST's, gives the empty string a score below 0 and changes no answer. After these changes Proposition 2 covers [every string](#ln-empty).)

The demo compares three transformers on 100…0, which has one 1 and should be accepted. The first is the transformer *as published*, without layer normalization, and the other two are sharpened, one with PyTorch's $\epsilon$ and one with $\epsilon = 0$. Move the slider between 10 and 100 symbols. The last bar never moves, and the middle one gives up somewhere on the way. Why there?

<div class="live" data-live="norm"><p>On 100…0 with 60 symbols, the right answer has the probability 0.500 as published, 0.674 sharpened with ε = 10⁻⁵, and 0.990 sharpened with ε = 0.</p></div><script type="module" src="../_static/live.mjs"></script>

## What ε costs

Go back to pairs of numbers, and take 0.001 and -0.001. Their variance is $10^{-6}$. With PyTorch's $\epsilon = 10^{-5}$ we divide by the root of $0.000011$, which is $0.0033$, and get 0.30 instead of 1. For numbers ten times as large we get 0.95.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Without ε layer normalization jumps at 0; ε turns the jump into a slope.* The curves show what the first of the two numbers $s$ and $-s$ becomes. The dots are at $s = \\sqrt\\epsilon$, where it becomes $1/\\sqrt2 = 0.71$. For smaller $s$ the result quickly becomes small too.", "name": "fig-ln-step"}, "image": {"alt": "Three curves through zero: a jump from -1 to 1 for epsilon 0, a steep bend for a small epsilon, a gentle one for a larger epsilon. A dot on each bend, at height 0.71.", "classes": "dark-light"}}
before = np.linspace(-0.05, 0.05, 2001)
before[1000] = 0
figure, axis = plt.subplots(figsize=(6.4, 2.8))
for eps, colour, label in ((1e-5, "PARITY", "ε = 10⁻⁵"), (1e-3, "FIRST", "ε = 10⁻³")):
    after = before / np.sqrt(before**2 + eps)
    axis.plot(before, after, "-", color=COLOURS[colour], label=label)
    axis.scatter(sqrt(eps), sqrt(1 / 2), color=COLOURS[colour], s=20, zorder=3)
jump = np.where(before, np.sign(before), np.nan)
axis.plot(before, jump, "--", color=COLOURS["ONE"], label="ε = 0")
axis.legend()
axis.set_yticks([-1, 0, sqrt(1 / 2), 1], ["−1", "0", "0.71", "1"])
axis.set(xlabel="the number $s$ before", ylabel="what becomes of it", ylim=(-1.15, 1.25));

# %% [markdown]
r"""
This jump at 0 is what made the transformer sure. A theorem of Hahn {cite}`hahn2020` forbids certainty about PARITY on long strings, but only if every part of the transformer has a bounded slope (chapter 2 has its other rules). In such a transformer, changing one symbol moves the score by at most $C/n$, for some constant $C$. Since the change flips the answer, 0 lies between the scores before and after it, and both scores are small. With $\epsilon = 0$ layer normalization jumps, so the theorem says nothing. With $\epsilon > 0$ its slope is at most $1/\sqrt\epsilon$, and the theorem applies again, as Chiang and Cholak point out. They conclude that certainty, which can hinge on such a detail, is probably not a very useful measure of what a transformer can express.

In a sharpened transformer, the last normalization turns the score $s$ that enters it into

$$
s' = \frac{s}{\sqrt{2s^2/d + \epsilon}},
$$

and the output weight multiplies $s'$. For small $\epsilon$ this $s$ is nearly the score before sharpening. Here is how the demo's middle bar comes about at 60 symbols:
"""

# %%
# try: another length or eps
w, eps, d = "1" + "0" * 59, 1e-5, 18
s = Encoder(mirror(parity), eps=eps)(w).item()
after = s / sqrt(2 * s**2 / d + eps)
weight = -log(exp(0.01) - 1) / sqrt(d / 2)
p = 1 / (1 + exp(-weight * after))
print(f"s = {s:.5f} becomes {after:.3f}, times {weight:.3f} is {weight * after:.3f}: p = {p:.3f}")

# %% [markdown]
r"""
**Predict**: let $s = 10^{-4}$. As $\epsilon$ grows from 0, around which value is confidence lost?

<p class="guess" data-right="3">ε&nbsp;=&nbsp;√s|ε&nbsp;=&nbsp;s|ε&nbsp;=&nbsp;s²</p>
"""

# %% tags=["hide-output"]
# try: another s or d
s, d = 1e-4, 18
for eps in (0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2):
    after = s / sqrt(2 * s**2 / d + eps)
    print(f"eps = {eps:5g}: s becomes {after:.3f}, {log2(1 + exp(-after)):.3f} bits")

# %% [markdown]
r"""
The root contains two terms. While $\epsilon$ is small beside $2s^2/d$, the size of $s$ hardly matters. Once $\epsilon$ is much larger, $s$ is merely divided by $\sqrt\epsilon$, and a small $s$ stays small. The two terms are equal at $|s| = \sqrt{\epsilon d / 2}$. There $s'$ has fallen by the factor $\sqrt2$: with an output weight of 1, the probability of PARITY's right answer has fallen from 0.95 to 0.89.

So each $\epsilon$ sets a threshold, and a shrinking $s$ falls below it sooner or later. Chiang and Cholak's Figure 2 shows this for one $\epsilon > 0$: their sharpened transformers are surer than those without normalization, but become less and less sure as strings get longer. Here are PARITY and FIRST:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*For each ε > 0 there is a length at which confidence is lost; the smaller ε is, the later.* The cross-entropy with an output weight of 1, averaged over all strings of a length. (For long strings, evenly spaced values of $k$ near $n/2$ stand in for all of them.) FIRST starts higher: it has $d = 12$ coordinates, PARITY 18. Dashed: what a string costs at the threshold, where the right answer has the probability 0.89 for PARITY and 0.85 for FIRST.", "name": "fig-ln-epsilon"}, "image": {"alt": "Two panels, PARITY and FIRST: curves over the length that stay low for epsilon 0 and otherwise rise to one bit, later for a smaller epsilon, and later for FIRST than for PARITY.", "classes": "dark-light"}}
# FIRST has two kinds of strings, PARITY one for each number of 1s. Those beyond 5 standard
# deviations are left out, and of long strings every h-th stands for h, half a deviation at most.
def mean_bits(reader, language, n):
    cases = {"1" + "0" * (n - 1): 0.5, "0" * n: 0.5}
    if language is PARITY:
        h = max(1, (int(sqrt(n) / 4) - 1) | 1)
        counts = [k for k in range(0, n + 1, h) if abs(2 * k - n) <= 5 * sqrt(n)]
        cases = {"1" * k + "0" * (n - k): comb(n, k) * h / 2**n for k in counts}
    bits = cross_entropy_bits(reader([*cases]), [w in language for w in cases])
    return bits @ torch.tensor([*cases.values()], dtype=torch.float64)


lengths = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
looks = {0.0: ("0", "#0072B2", "o-"), 1e-9: ("$10^{-9}$", "#56B4E9", "s-"),
         1e-7: ("$10^{-7}$", "#009E73", "D-"), 1e-5: ("$10^{-5}$", "#E69F00", "^-"),
         1e-3: ("$10^{-3}$", "#D55E00", "v-")}
figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.9), sharey=True)
for axis, construction, language in zip(axes, (parity, first), (PARITY, FIRST)):
    for eps, (label, colour, look) in looks.items():
        reader = Encoder(with_weight_one(construction), eps=eps)
        costs = [mean_bits(reader, language, n) for n in lengths]
        axis.plot(lengths, costs, look, color=colour, markersize=3.5, label=label)
    at_turn = sqrt(2 * len(construction.space)) / 2  # the score there
    axis.axhline(log2(1 + exp(-at_turn)), **REFERENCE)
    axis.set(xscale="log", title=language.name, ylim=(0, 1.05), xlabel="length of the string")
axes[0].set_ylabel("bits a string")
axes[0].legend(title="ε", fontsize=10);  # exponents are smaller: a phone must show them

# %% [markdown]
r"""
With PyTorch's $\epsilon$ the threshold is $\sqrt{9 \cdot 10^{-5}} = 0.0095$ for PARITY, and $\sqrt{6 \cdot 10^{-5}} = 0.0077$ for FIRST, which has $d = 12$. The table shows at roughly what length $|s|$ falls to the threshold. FIRST reaches it sooner on strings that begin with 1: this 1 makes one more coordinate of position 1 large, so normalization shrinks the others more.
"""

# %% tags=["hide-input"]
kinds = {"PARITY": "PARITY, half of the symbols are 1s", "FIRST_1": "FIRST, begins with 1",
         "FIRST_0": "FIRST, begins with 0"}
rows = []
for name, family in FAMILIES.items():
    construction = parity if name == "PARITY" else first
    turns = [lost_near(construction, family, eps) for eps in (1e-5, 1e-7)]
    rows.append((kinds[name], *(f"{float(f'{turn:.2g}'):,.0f}" for turn in turns)))
markdown_table(("strings", "threshold near length, ε = 10⁻⁵", "ε = 10⁻⁷"), rows)

# %% [markdown]
r"""
What does a smaller $\epsilon$ buy? Dividing $\epsilon$ by a hundred divides the threshold by ten. FIRST, whose score shrinks like $1/n$, then stays sure up to about ten times the length. PARITY, whose score shrinks like $1/n^2$, gains only a factor of about $\sqrt{10}$. So to stay sure up to $n$ tokens, $\epsilon$ must shrink like $1/n^2$ for FIRST and like $1/n^4$ for PARITY.

Only with $\epsilon = 0$ is there no threshold. With $\epsilon > 0$ a normalization multiplies by at most $1/\sqrt\epsilon$, while the score shrinks to 0:

:::{admonition} The price of ε
:class: result
*Assumes:* any $\epsilon > 0$, any output weight, and a factor on the attention logits that does not grow with the length. Then the cross-entropy of the sharpened transformers for PARITY and for FIRST tends to 1 bit as the length of the string grows, whatever the strings. *Proved for every length.* [Record](#ln-lipschitz)
:::

:::{dropdown} Proof
A normalized vector has length at most $\sqrt d$, so all attention logits stay between two bounds that do not depend on $n$. So no head gives a position more than the weight $K/n$, for some constant $K$. A normalization multiplies by at most $1/\sqrt\epsilon$.

In FIRST only position 1 holds a value, and this value is bounded. So $s$ is at most a constant times $1/n$. In PARITY only position $k$ holds a value, the mark. It had height $1/n$, and normalizing multiplies this by a bounded number. So $s$ is at most a constant times $1/n^2$.

After the last normalization $|s'|$ is at most $|s|/\sqrt\epsilon$, and the output weight is one number for all lengths. So the final score tends to 0, and the cross-entropy to that of a coin. $\square$
:::

Why not use $\epsilon = 0$, then? Because a jump enlarges whatever it is given, including a rounding error. PARITY's score on the [empty string](#ln-empty), for example, should be 0. There a computer divides zero by zero, or turns a rounding error into a large score.

## What to take away

- With $\epsilon = 0$ layer normalization keeps the direction of a vector of mean 0 and forgets its length. Store nothing in the length alone.
- To enlarge a small signal, clear away everything else.
- Read $\epsilon$ as a threshold. Where all of the $d$ coordinates are 0 except $s$ and $-s$, an $s$ far below $\sqrt{\epsilon d / 2}$ is merely divided by $\sqrt\epsilon$.
- The shift keeps the difference of two coordinates, but disturbs a number that is read on its own. Store each number with its negative, or normalize without the shift, as RMSNorm does.
- Unknown: whether trained networks use layer normalization in this way to be sure on long inputs.

## Exercises

**1 (compute).** With $\epsilon = 0$ and an output weight of 1, what is the cross-entropy of a sharpened transformer with $d = 50$ coordinates, in bits, to five decimals?
"""

# %%
# try: your answer in place of the dots
check("3.1", ...)

# %% tags=["hide-cell"]
print(f"log2(1 + exp(-sqrt(50 / 2))) = {log2(1 + exp(-sqrt(25))):.5f} bits")
check("3.1", log2(1 + exp(-sqrt(50 / 2))))

# %% [markdown]
r"""
**2 (modify).** Build it: give FIRST so many spare coordinates that the mirrored transformer has 50, and sharpen this one with an output weight of 1. `first` is a `Construction`, a transformer written down. Its 6 coordinates are named in `first.space.names`. `Space(...)` makes a space of names, and `replace(first, space=...)` puts FIRST into it. You may ignore the empty string, because its score is 0.
"""

# %%
# try: yours in place of the dots; with_weight_one(...) mirrors and sharpens a Construction
check("3.2", ...)

# %% tags=["hide-cell"]
spare = Space(*first.space.names, *(f"spare {j}" for j in range(19)))
padded = with_weight_one(replace(first, space=spare))
assert len(padded.space) == 50
strings = FIRST.sample(30, size=100, seed=0)
bits = cross_entropy_bits(Encoder(padded, eps=0)(strings), [FIRST.contains(w) for w in strings])
assert torch.allclose(bits, torch.full_like(bits, log2(1 + exp(-5))), rtol=1e-9)
print(f"{bits.mean():.5f} bits: confidence grows with empty coordinates")
check("3.2", padded)

# %% [markdown]
r"""
**3 (prove or refute).** With `tie_free=True`, PARITY's score is $s$ minus the mark at CLS, so that the empty string is rejected by a score below 0. "Mirrored, it is right on *every* string under layer normalization, the empty one included, for every $c > 0$ and $\epsilon \ge 0$."

<p class="guess" data-right="1">proved|refuted</p>
"""

# %%
# try: "proved", or a case (w, c, eps) that refutes it, which is run
check("3.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Proved. For $n \ge 2$ the [proof](#ln-proof) of the mirror gives the sign of $s$. The output is $s$ minus the mark at CLS. Both are at position 0, where the normalizations of the second layer multiply them by the same positive factor. If $k > 0$, the mark there is 0, and the output is $s$ times a positive number. If $k = 0$, the mark there is positive and $s \le 0$, so the output is negative. At $n = 1$ both heads return the same, so $s = 0$.
:::
"""

# %% tags=["hide-cell"]
for c in (0.01, 1, 10):
    reader = Exact(mirror(constructions.parity(c, tie_free=True)), eps=0.1)
    strings = ["1" * k + "0" * (length - k) for length in range(12) for k in range(length + 1)]
    assert PARITY.errors(strings, [reader.decide(w).accepts for w in strings]) == []
print("checked for three values of c on every k up to length 11")
check("3.3", "proved")

# %% [markdown]
r"""
## What next

[Chapter 5](05_counting_ablations) asks which layers let a network count, and which forget how many. [Chapter 4](04_log_n_scaling), if you have not read it, keeps FIRST's score, though not PARITY's, from getting small in the first place: it multiplies attention logits by $\log n$. The [record](record_03_layer_norm) goes through the paper line by line, lists its misprints, and shows how floating point fails.
"""
