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

**In one sentence:** yes: one more layer can clear a vector of everything but the number that answers and its negative, and layer normalization, which divides a vector by its own size, then makes even a tiny number large; but the constant $\epsilon$ that libraries add before dividing undoes this on long strings.

Below, transformers for PARITY (is the number of 1s odd?) read the string 100…0, which they are to accept. *As published* is the transformer of Chiang and Cholak {cite}`chiang2022` as chapter 2 builds it, without layer normalization. **Sharpened** means with it and with the one layer more. The *output* is the number that a transformer gives in the end. Its sign is the answer. But near 0 the right answer gets a probability near ½, hardly better than a coin's. Lengthen the string with the slider: only the last bar stays.

<div class="live" data-live="norm"><p>Sharpened, ε=0: 99% sure from length 1 on.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% tags=["hide-input"]
from dataclasses import replace
from math import exp, log, log2, sqrt

import numpy as np
import torch

from chapters.common.judge import check
from chapters.layer_norm.figures import (FAMILIES, all_bits, lost_near, shifted_hat_figure,
                                         epsilon_figure, step_figure, with_weight_one)
from lib import constructions
from chapters.common.sharpening import sharpen
from lib.constructions.normalization import mirror
from lib.languages import FIRST, PARITY
from record.notebook import markdown_table, use_style
from lib.transformer import Encoder, Exact, Space, cross_entropy_bits

use_style()
parity, first = constructions.parity(), constructions.first()

# %% [markdown]
r"""
## Two numbers

Take the two numbers 3 and 1. Layer normalization first subtracts their mean, which is 2. That leaves 1 and -1. Then it divides by their standard deviation. It is 1 here, so nothing changes.

Now take 0.5 and 0.1. Subtracting their mean leaves 0.2 and -0.2. Their standard deviation is 0.2. Dividing by it gives 1 and -1 again.
"""

# %%
# try: other numbers, such as 2 and 2
def layer_norm(x, eps=0.0):
    return (x - np.mean(x)) / np.sqrt(np.var(x) + eps)


for x in ((3, 1), (0.5, 0.1), (0.1, 0.5)):
    print(x, "becomes", layer_norm(x).round(3))

# %% [markdown]
r"""
Of two numbers, layer normalization keeps one thing: which is the larger. By how much, it forgets. If neither is larger, subtracting leaves zeros, and zero divided by zero is undefined.

For a vector $x$ with any number of {term}`coordinates <coordinate>` the two steps are

$$
\mathrm{LN}(x) = \frac{x - \operatorname{mean}(x)}{\sqrt{\operatorname{var}(x) + \epsilon}}.
$$

The small constant $\epsilon$ keeps the root away from zero: with $\epsilon > 0$ two equal numbers become $(0, 0)$. PyTorch adds $10^{-5}$. We first set it to 0, and ask later what it costs.

So layer normalization is a **shift**, the same for all coordinates, and then a **scaling** by a positive number. Where does a transformer do this? Each of its layers has two parts. What a part computes is added to the vector that stood there (a {term}`residual connection`), and the sum is normalized, at each position by itself. So it happens twice in each layer.

## The shift does harm

Before layer normalization can make the transformer sure, it must not make it wrong. The shift does; the scaling, as we shall see, does not.

Chapter 2 builds a transformer for PARITY: is the number $k$ of 1s odd? The token {term}`CLS` stands at position 0, and the string takes the positions 1 to $n - 1$. The transformer has two **layers**. Each begins with **attention**: a {term}`head` reads a number at every position, its **value**, and takes a mean of these values. It also gives every position a **score**. The weight of a position in the mean is $e$ to its score, divided by the sum of $e$ to all scores. Then a **feed-forward part** changes each position by itself. It adds up terms of the form $\max(0, z)$, which is $z$ where $z$ is positive and 0 elsewhere. (In code, `Encoder` runs this transformer, `parity`.)

The first layer counts, and then puts a **mark** on the position whose number is $k$, and on no other. The second layer asks whether that position is odd. Two heads look for the mark: one has positive scores at odd positions and negative ones at even positions, the other the reverse. The answer is read at CLS: what the first finds there minus what the second finds is the **logit** $s$, and its sign is the answer. As strings get longer $|s|$ shrinks like $1/n^2$, because the mark is $1/n$ high and a head gives it a weight of about $1/n$.

The mark is made by a hat ({numref}`fig-hat`), at position $i$ a function of $t = (i - k)/n$ that is $w$ high at 0 and falls to 0 at distance $w$:

$$
\max(0, t + w) - 2 \max(0, t) + \max(0, t - w).
$$

With the width $w = 1/n$ it fits exactly one position. The transformer reads this $w$ from one of its nine coordinates.

Now let layer normalization come in. The first attention takes plain means: it finds the share of the 1s among all positions, $k/n$, and the share of CLS, which is one position of $n$. Each kind of token has a coordinate of its own, which is 1 where such a token stands. On the string 110, where $n = 4$ and $k = 2$, position 2 then holds the numbers of the first row. They add up to 3.25, and their mean is $3.25 / 9 = 0.36$:

| coordinate | its token, 1 | $\cos \pi i$ | $i/n$ | $k/n$ | $1/n$ | each of the four others |
|---|---|---|---|---|---|---|
| before the shift | 1 | 1 | 0.5 | 0.5 | 0.25 | 0 |
| after the shift | 0.64 | 0.64 | 0.14 | 0.14 | -0.11 | -0.36 |

The hat's $t$ is the difference of $i/n$ and $k/n$. Both lose the same, so $t$ stays. But $w$ has turned from 0.25 into -0.11. Put $-w$ for $w$ in the formula, and its first and last term change places: the hat stays the same. So this one is 0.11 wide and high, and still fits one position only.

On long strings it does not. In general $w$ has become $1/n$ minus the mean, and each position has its own mean. At odd positions $\cos \pi i = -1$ cancels the 1 for the token, and the mean is below $\tfrac29$. At even positions both are 1, and the mean is above $\tfrac29$, however long the string. There $w$ is below $\tfrac1n - \tfrac29$, and the hat marks every even position less than $\tfrac29 n - 1$ from $k$:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*On a long string the shift makes many marks of one, and the largest are at the wrong positions.* What the hat gives at each position of a string of twenty-one 1s and eighteen 0s, where $n = 40$ and $k = 21$ is odd. Each position has its own width: the even positions, filled, lie under a wide hat, the odd ones, hollow, under a narrower one.", "name": "fig-ln-hat"}, "image": {"alt": "Above, without layer normalization: one low mark at position 21. Below, after the shift: stems at 17 positions from 10 to 34, high and filled at even positions, low and hollow at four odd ones; highest at 22.", "classes": "dark-light"}}
shifted_hat_figure();

# %% [markdown]
r"""
The true mark, at the odd position 21, is only 0.09 high. Its even neighbours get about three times as much. The figure leaves out the scaling. It divides the true mark by 0.52 and its neighbours by 0.41 only, which widens the gap. So the highest mark no longer tells whether $k$ is odd.

**Predict**: we apply layer normalization to this transformer as it stands. How many of the 1024 strings of length 10 does it decide rightly?

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
A second harm settles the matter at this length. The first shift lowers empty coordinates too, those of the mark and of $s$ among them. In the table, at the even position 2, it takes them from 0 to $-0.36$. At position 1 of that string the mean is only $\tfrac19$. Divided by the standard deviation, an empty coordinate holds $-0.22$ at position 1 and $-0.92$ at position 2. To this the hat adds the mark. CLS is at an even position, so $s$ begins low too. In the second layer, over the 1024 strings:
"""

# %% tags=["hide-input"]
trace = reader.trace(strings, weights=True)
mark, start = trace.a[1]["[i=k]/n"], trace.a[1]["s"][:, 0]
odd, even = ((trace.attention[2, head][:, 0] * mark).sum(1) for head in (1, 2))
added = odd - even
for name, x in {"s begins at": start, "the head for odd positions finds": odd,
                "the head for even positions finds": even, "their difference is": added}.items():
    print(f"{name} {x.min():.2f} to {x.max():.2f}")

# %% [markdown]
r"""
The hat still adds most at even positions. But there it starts from much less, and in a mean over many positions the marks make up for little of that. So the head for odd positions finds more, by nearly the same amount whether $k$ is odd or even. This is too little to lift $s$ above 0. So every string is rejected, which is right for half of them.

## The mirror

The numbers 2 and -2 have the mean zero: there is nothing to subtract. That suggests a trick, which is Chiang and Cholak's: *store each coordinate together with its negative*. We call such a transformer {term}`mirrored`. Its vectors have mean 0 whatever they hold, and what is empty stays 0.

Compare the two numbers 1 and 0.25, alone and mirrored. Alone they become 1 and -1, and nothing says any more that one was four times the other. With their negatives they have the variance $(1^2 + 0.25^2) / 2 = 0.53$. We divide by its root, $0.73$, and get 1.37 and 0.34. One is still four times the other.
"""

# %%
# try: other numbers
x = np.array([1, 0.25])
print("alone:   ", layer_norm(x).round(2))
print("mirrored:", layer_norm([*x, *-x]).round(2))

# %% [markdown]
r"""
A transformer is easily mirrored. Each row of a weight matrix that writes a number into a coordinate gets a second row, which writes its negative into the coordinate's negative. What is read stays the same. In code, `mirror` does this.

Now only the scaling is left. Chiang and Cholak say that it turns no decision, and show it for one factor in each layer. But each position is divided by a size of its own. Is that harmless, too? For the hat, yes: at a position, $t$ and $w$ are multiplied by the same $g > 0$, and $\max(0, gz) = g \max(0, z)$. So the mark stays where it was. Only comparisons *between* positions can suffer, as each is divided by its own size. With $\epsilon = 0$, the normalization after PARITY's first attention multiplies position $i$ by

$$
\sqrt{\frac{9}{2 + (i/n)^2 + (k/n)^2 + (1/n)^2}}
$$

The 2 comes from the symbol and the cosine. The mirrored vector has 18 coordinates and holds each square twice: hence the 9. With $n = 100$ and $k = 50$ that is 2.00 at the first position and 1.67 at the last.

If odd positions were scaled up more than even ones, the comparison of the two heads would be unfair. For a score is a cosine coordinate, now $\cos \pi i$ times the scale of position $i$, times a number that all positions share: a positive one in the head for even positions, its negative in the other. Take two neighbours. The even one has the scores $\pm a$ with $a = 1.2$ and bears the mark, the odd one $\pm b$ with $b = 1$:

| | head for even positions | head for odd positions |
|---|---|---|
| $e$ to both scores, added | $e^a + e^{-b} = 3.69$ | $e^{-a} + e^b = 3.02$ |
| $e$ to the score at the mark | $e^a = 3.32$ | $e^{-a} = 0.30$ |

The heads divide by such sums as in the first row. These are unequal, as feared, but only by the factor $e^{a-b} = 1.22$, since

$$
e^a + e^{-b} = e^{a-b} \, (e^b + e^{-a}).
$$

The numbers at the mark differ by the factor $e^{2a} = 11$, and divided by the sums still by the factor 9. So the head for even positions still finds more, which is right.

A long string has many such pairs. Over the whole string, the ratio of the two sums is a weighted mean of the pairs' ratios, and so no further from 1 than that of the worst pair. A pair's sums differ by the factor $e$ to the *difference* $a - b$, the numbers at the mark by $e$ to *twice* the score there. The difference is always less. For in the scale

$$
2 < 2 + (i/n)^2 + (k/n)^2 + (1/n)^2 < 4,
$$

and the second normalization keeps the scales that close (proof below). So no $a$ or $b$ is more than $\sqrt2$ times another, and two of them differ by less than the smallest of all. (If $n$ is odd, one position has no partner. That turns no answer.)

A second transformer of chapter 2, `first` in code, decides FIRST: does a string begin with a 1? Its logit shrinks more slowly, like $1/n$, which will count when we ask what $\epsilon$ costs. Its first layer only marks a 1 at position 1, its second has one head. Before that head reads, the six coordinates hold:

| position | token 0? | token 1? | CLS? | position 1? | a 1 there? | $s$ |
|---|---|---|---|---|---|---|
| CLS | 0 | 0 | 1 | 0 | 0 | 0 |
| position 1 of 1… | 0 | 1 | 0 | 1 | 1 | 0 |
| position 1 of 0… | 1 | 0 | 0 | 1 | 0 | 0 |

The score is made of *position 1?*, and what the head finds is *a 1 there?* minus half of *position 1?*. That is $\tfrac12$ or $-\tfrac12$ at position 1 and 0 elsewhere, so positive scales change no sign.

:::{admonition} The mirror (section 4.1 of Chiang and Cholak)
:class: result
Under layer normalization, the mirrored transformers for PARITY and for FIRST decide every string but the empty one as they did without it, for every factor $c > 0$ on the second layer's scores (1 so far) and every $\epsilon \ge 0$. *Proved for every length.* [Record](#ln-proof)
:::

The factor $c$ is free, as we only compared scores with one another. In chapter 4 such a factor will grow with the length: $\log n$.

:::{dropdown} Proof
For FIRST it stands above. For PARITY, the first layer adds no constants, so after it position $i$ holds what it held without normalization, times some $g_i > 0$. Write $x_i = c \, g_0 g_i$. The first head of the second layer gives position $i$ the score $x_i$ if $i$ is odd and $-x_i$ if $i$ is even. The second head does the opposite. Let $Z_1$ and $Z_2$ be the sums of $e$ to these scores. Only the mark, at position $k$, holds a value. For odd $k$ its two weights are $e^{x_k}/Z_1$ and $e^{-x_k}/Z_2$, and the first must be larger: $Z_2/Z_1 > e^{-2x_k}$. For even $k$ we need $Z_2/Z_1 < e^{2x_k}$.

Take neighbours $2j$ and $2j+1$ together. They add $e^{x_{2j}} + e^{-x_{2j+1}}$ to $Z_2$ and $e^{-x_{2j}} + e^{x_{2j+1}}$ to $Z_1$, and the quotient of the two is $e^{x_{2j} - x_{2j+1}}$. The quotient $Z_2/Z_1$ of the sums lies between the smallest and the largest of these quotients. Now the scales. Let $q_i$ be the variance after the first attention, so that $9 q_i = 2 + (i/n)^2 + (k/n)^2 + (1/n)^2$. The normalization there divides by $\sqrt{q_i + \epsilon}$. Then the mark is added. It is divided by the same root, so the variance becomes $(q_i + h_i)/(q_i + \epsilon)$, where $9 h_i = 1/n^2$ at $i = k$ and $h_i = 0$ elsewhere. The next normalization adds $\epsilon$ to this and divides by the root. Both together divide by the root of

$$
\frac1{g_i^2} = (q_i + \epsilon) \Bigl(\frac{q_i + h_i}{q_i + \epsilon} + \epsilon\Bigr) = (1 + \epsilon) q_i + h_i + \epsilon^2.
$$

Since $i, k \le n - 1$, both $9 q_i$ and $9 (q_i + h_i)$ lie between 2 and 4. So all $1/g_i^2$ are within a factor 2 of each other, and all $x_i$ within a factor $\sqrt2$. Two of them then differ by less than $2 x_k$, and each pair's quotient lies between $e^{-2x_k}$ and $e^{2x_k}$. So does $Z_2/Z_1$, if $n$ is even.

If $n$ is odd, the last position has no partner. Its quotient is $e^{2x_{n-1}}$, which is above 1, so for odd $k$ nothing is lost. For even $k$ we need $x_{n-1} \le x_k$. That holds if $k = n - 1$. Otherwise $k \le n - 3$, since $n - 1$ is even too. Then $9 q_{n-1}$ exceeds $9 q_k$ by $((n-1)^2 - k^2)/n^2$, which is at least $(4n - 8)/n^2$. The mark adds only $1/n^2$ at $k$, so $1/g_{n-1}^2$ is the larger and $x_{n-1}$ the smaller. The last quotient is therefore at most $e^{2x_k}$ and those of the pairs are smaller, so for $n > 1$ the quotient $Z_2/Z_1$ is smaller too. $\square$
:::

Three values of $\epsilon$:
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

Mirrored, the transformer keeps its answers. Is it also more sure?

A transformer says "accept" with the probability $1/(1 + e^{-s})$. If it gives the right answer the probability $p$, its {term}`cross-entropy` is $-\log_2 p$ bits: 1 bit for a coin, 0 bits for one that is certain and right. Without normalization the logit $s$ tends to 0 on long strings, so the cross-entropy tends to 1 bit. (Proofs use the natural logarithm, and **nats**: one bit is $\ln 2$ nats.)

**Predict**: the mirrored transformer for PARITY, with $\epsilon = 0$, reads strings of 1000 symbols. How much is its cross-entropy?

<p class="guess" data-right="3">near&nbsp;0&nbsp;bits|near&nbsp;½&nbsp;bit|near&nbsp;1&nbsp;bit</p>
"""

# %% tags=["hide-output"]
strings = PARITY.sample(1000, size=200, seed=0)
s = Encoder(mirror(parity), eps=0)(strings)
bits = cross_entropy_bits(s, [w in PARITY for w in strings])
print(f"{bits.mean():.6f} bits")

# %% [markdown]
r"""
The vector at CLS holds $s$ and $-s$, but also coordinates such as the 1 for CLS itself. They decide how large the vector is, and $s$ stays small beside them.

Then remove them. Suppose that a vector of four coordinates is $(0.01, -0.01, 0, 0)$. Its mean is 0 and its variance is $2 \cdot 0.01^2 / 4$. The root of that is $0.00707$, and $0.01 / 0.00707 = \sqrt2$. If we start from 0.02 in place of 0.01, the root doubles too, and we get $\sqrt2$ again. In general, with $d$ coordinates and $\epsilon = 0$,

$$
\mathrm{LN}(s, -s, 0, \dots, 0) = \bigl(\pm\sqrt{d/2}, \mp\sqrt{d/2}, 0, \dots, 0\bigr),
$$

with the sign of $s$. For $d = 2$ they are the 1 and $-1$ that this page began with.

A layer without attention can do the removing. It too normalizes twice: first a vector that is normalized already, which with $\epsilon = 0$ stays as it is. Then its feed-forward part adds $-\max(0, v) + \max(0, -v)$ to a coordinate that holds $v$, which makes it 0. It does so to all coordinates. To the first it also adds the logit $s$, as $\max(0, s) - \max(0, -s)$, and to the second $-s$. The transformer for PARITY has $d = 18$ coordinates when mirrored, so every logit becomes 3 or -3, and the right answer gets the probability $1/(1 + e^{-3}) = 0.953$. The logit may be multiplied by one more number, the **output weight**. A large one makes that as near to 1 as we like. A transformer with this layer is called {term}`sharpened`, and in code `sharpen` adds the layer.

:::{admonition} Sure at every length (Proposition 2 of Chiang and Cholak)
:class: result
Let any transformer under layer normalization with $\epsilon = 0$ decide every string rightly, by a logit that is never 0. (No vector that is normalized has all its coordinates equal, and there are at least two.) It need not be mirrored. Then one more layer gives every string the same cross-entropy, and it can be any $\eta$ between 0 and $\ln 2$ nats. *Proved for every length.* [Record](#ln-eta)
:::

:::{dropdown} Proof
After the new layer and its normalization, the first coordinate is $\sqrt{d/2}$ if the string is to be accepted and $-\sqrt{d/2}$ if not. With an output weight $a > 0$ the right answer has the probability $1/(1 + e^{-a\sqrt{d/2}})$ in both cases, so the cross-entropy is $\ln(1 + e^{-a\sqrt{d/2}})$ nats. Set this equal to $\eta$ and solve: $a = -\ln(e^\eta - 1) / \sqrt{d/2}$. That is positive if and only if $\eta < \ln 2$. $\square$
:::

The last bar at the top of this page has $\eta = 0.01$, hence its probability $e^{-0.01} = 0.990$. The same on three strings:
"""

# %%
# try: another eta, or other strings
sharp = sharpen(mirror(parity), eta=0.01)
for w in ("110", "1101", "1" + "0" * 500):
    print(f"length {len(w):3}: logit {Encoder(sharp, eps=0)(w).item():+.6f}")

# %% [markdown]
r"""
The logit no longer knows how long the string is.

Does this apply to PARITY and FIRST? Almost. On the empty string only CLS is there, their logit is 0, and the new layer would divide zero by zero. Two small changes take that case away, and turn no other answer.

- PARITY's output also subtracts the mark at CLS. CLS is marked only if $k = 0$, and then the string is to be rejected anyway (exercise 3).
- FIRST's head finds $-\tfrac14$ at CLS in place of 0. Position 1, whose score is positive, weighs more and finds twice as much. The scale of CLS is at most $\sqrt3$ times the other, which does not make up for it.

Then Proposition 2 covers [every string](#ln-empty).

## What ε costs

Go back to two numbers, 0.001 and -0.001. Their variance is $10^{-6}$. With PyTorch's $\epsilon = 10^{-5}$ we divide by the root of $0.000011$, which is $0.0033$, and get 0.30 in place of 1. For numbers ten times as large we get 0.95.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Without ε layer normalization is a step; ε makes a slope of it.* What becomes of the first of the two numbers $s$ and $-s$. The dots are at $s = \\sqrt\\epsilon$, where it becomes $1/\\sqrt2 = 0.71$. Below, it soon is small.", "name": "fig-ln-step"}, "image": {"alt": "Three curves through zero: a step from -1 to 1 for epsilon 0, a steep bend for a small epsilon, a gentle one for a larger epsilon. A dot on each bend, at height 0.71.", "classes": "dark-light"}}
step_figure();

# %% [markdown]
r"""
The step is what made us sure. Chapter 2 tells of a theorem of Hahn {cite}`hahn2020`. Exchange one symbol of a string: the logit moves by at most $C/n$, for some constant $C$. For PARITY the answer turns, so 0 lies between the two logits, and both are small. But the theorem supposes that no part of the transformer is infinitely steep. A step is, so with $\epsilon = 0$ it does not apply. With $\epsilon > 0$ the slope is at most $1/\sqrt\epsilon$, and the theorem applies, as Chiang and Cholak point out. They observe that whether a transformer is sure can hinge on such a detail, and so is probably no useful measure of what it can express.

In a sharpened transformer, $s$ is the number that the new layer writes down, for small $\epsilon$ nearly the logit of the mirrored transformer. The last normalization turns it into

$$
s' = \frac{s}{\sqrt{2s^2/d + \epsilon}}.
$$

The output is $s'$ times the output weight. Here are the steps to the second bar at the top of this page, where normalization has enlarged $s$:
"""

# %%
# try: another length or eps
w, eps, d = "1" + "0" * 7, 1e-2, 18
s = Encoder(mirror(parity), eps=eps)(w).item()
after = s / sqrt(2 * s**2 / d + eps)
weight = -log(exp(0.01) - 1) / sqrt(d / 2)
print(f"s = {s:.4f} becomes {after:.3f}, times {weight:.3f} is {weight * after:.2f}")

# %% [markdown]
r"""
**Predict**: let $s = 10^{-4}$. As $\epsilon$ grows from 0, near which value is the confidence lost?

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
Two terms stand under the root. While $\epsilon$ is small beside $2s^2/d$, the size of $s$ hardly matters. Once $\epsilon$ is much larger, $s$ is only divided by $\sqrt\epsilon$, and a small $s$ stays small. The turn comes where the two are equal, at $|s| = \sqrt{\epsilon d / 2}$. There $s'$ has fallen by the factor $\sqrt2$, and PARITY's right answer, with the output weight $1$, from the probability 0.95 to 0.89. Below, confidence goes quickly.

So each $\epsilon$ sets a threshold, below which a shrinking $s$ will fall. Chiang and Cholak's Figure 2 shows what follows for one $\epsilon > 0$: their sharpened transformers are surer than without normalization, and less and less so on longer strings. For PARITY $|s|$ shrinks like $1/n^2$, for FIRST only like $1/n$. Here are both:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*For each ε > 0 there is a length at which confidence is lost, and for each length an ε that is small enough.* The cross-entropy with an output weight of 1, in the mean over all strings of a length. (On long strings evenly spaced $k$ near $n/2$ stand for all.) Against the length, for five values of ε, and against ε, at four lengths. FIRST starts higher: it has $d = 12$ coordinates, PARITY 18. Dashed: what a string costs at its turn, where the right answer has the probability 0.89 for PARITY and 0.85 for FIRST.", "name": "fig-ln-epsilon"}, "image": {"alt": "Four panels. Left, curves over the length that stay low for epsilon 0 and otherwise rise to one bit, later for a smaller epsilon, and later for FIRST than for PARITY. Right, curves over epsilon that rise from low to one bit, earlier for a longer string.", "classes": "dark-light"}}
epsilon_figure(all_bits());

# %% [markdown]
r"""
With PyTorch's $\epsilon$ the threshold is $\sqrt{9 \cdot 10^{-5}} = 0.0095$ for PARITY, and $\sqrt{6 \cdot 10^{-5}} = 0.0077$ for FIRST, which has $d = 12$. About where does $|s|$ come down to it?
"""

# %% tags=["hide-input"]
kinds = {"PARITY": "PARITY, half of the symbols are 1s", "FIRST_1": "FIRST, begins with 1",
         "FIRST_0": "FIRST, begins with 0"}
rows = []
for name, family in FAMILIES.items():
    construction = parity if name == "PARITY" else first
    turns = [lost_near(construction, family, eps) for eps in (1e-5, 1e-7)]
    rows.append((kinds[name], *(f"{float(f'{turn:.2g}'):,.0f}" for turn in turns)))
markdown_table(("strings", "turn near length, ε = 10⁻⁵", "ε = 10⁻⁷"), rows)

# %% [markdown]
r"""
Strings that begin with 1 turn sooner: in the table of FIRST's coordinates their position 1 holds one 1 more. So normalization makes its score and its value smaller, and $|s|$ too.

The threshold is a multiple of $\sqrt\epsilon$, so an $\epsilon$ a hundred times smaller makes it a tenth. For FIRST that allows about ten times the length, for PARITY only about $\sqrt{10}$ times. So to stay sure up to $n$ tokens, $\epsilon$ must shrink like $1/n^2$ for FIRST and like $1/n^4$ for PARITY. Only $\epsilon = 0$ removes the turn.

:::{admonition} The price of ε
:class: result
With any $\epsilon > 0$ and any output weight, the cross-entropy of the sharpened transformers for PARITY and for FIRST tends to 1 bit as the length of the string grows, whatever the strings. *Proved for every length.* [Record](#ln-lipschitz)
:::

:::{dropdown} Proof
A normalized vector has length at most $\sqrt d$, so all scores of the attention stay between two bounds that do not depend on $n$. A head then gives no position more than the weight $K/n$, for some constant $K$. A normalization multiplies by at most $1/\sqrt\epsilon$.

In FIRST, position 1 alone holds a value, and that is bounded. So $s$ is at most a constant times $1/n$. In PARITY, position $k$ alone holds a value, the mark. It had height $1/n$, and normalizing multiplies this by a bounded number. So $s$ is at most a constant times $1/n^2$.

After the last normalization $|s'|$ is at most $|s|/\sqrt\epsilon$, and the output weight is one number for all lengths. So the final logit tends to 0, and the cross-entropy to that of a coin. $\square$
:::

Why not use $\epsilon = 0$, then? Because a step enlarges whatever it is given, an error of rounding too. Without the small change from above, PARITY's $s$ should be 0 on the [empty string](#ln-empty). A computer then divides zero by zero, or makes a large logit of what rounding leaves.

## What is proved for every length here

- Mirrored PARITY and FIRST decide every string but the empty one rightly under layer normalization, for every $c > 0$ and $\epsilon \ge 0$.
- With $\epsilon = 0$ and one more layer, once the tie at the empty string is [removed](#ln-empty), every string has the same cross-entropy, which can be any $\eta$ between 0 and $\ln 2$.
- With $\epsilon > 0$ the cross-entropy of both sharpened transformers tends to 1 bit.

The curves and what else cells print is *measured*, on single strings or lengths.

## What to take away

- With $\epsilon = 0$ layer normalization keeps the direction of a vector of mean 0 and forgets its length. Store nothing in the length alone.
- The shift keeps the difference of two coordinates, and disturbs a number that is read alone. Store each with its negative, or normalize without the shift.
- To enlarge a small signal, clear away what stands beside it.
- Read $\epsilon$ as a threshold: where $s$ and $-s$ stand alone among $d$ coordinates, an $s$ far below $\sqrt{\epsilon d / 2}$ is only divided by $\sqrt\epsilon$.
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
**2 (modify).** Build it: give FIRST enough spare coordinates that its mirror has 50, and sharpen that with an output weight of 1. `first` is a `Construction`, a transformer written down. Its 6 coordinates are named in `first.space.names`. `Space(...)` makes a space of names, and `replace(first, space=...)` puts FIRST into it. The empty string is not asked for, as its logit is 0.
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
**3 (prove or refute).** With `tie_free=True`, the logit of PARITY is $s$ minus the mark at CLS, so that the empty string is rejected by a logit below 0. "Mirrored, it is right on *every* string under layer normalization, the empty one included, for every $c > 0$ and $\epsilon \ge 0$."

<p class="guess" data-right="1">proved|refuted</p>
"""

# %%
# try: "proved", or a case (w, c, eps) that refutes it, which is run
check("3.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Proved. For $n \ge 2$ the [proof](#ln-proof) of the mirror gives the sign of $s$. The output is $s$ minus the mark at CLS. Both stand at position 0, where the normalizations of the second layer multiply them by one positive factor. If $k > 0$, the mark there is 0, and the output is $s$ times a positive number. If $k = 0$, the mark there is positive and $s \le 0$, so the output is negative. (At $n = 1$ both heads return the same, and $s = 0$.)
:::
"""

# %% tags=["hide-cell"]
for c in (0.01, 1, 10):
    reader = Exact(mirror(constructions.parity(c, tie_free=True)), eps=0.1)
    strings = ["1" * k + "0" * (length - k) for length in range(12) for k in range(length + 1)]
    assert PARITY.errors(strings, [reader.decide(w).accepts for w in strings]) == []
print("checked for three values of c on every k to length 11")
check("3.3", "proved")

# %% [markdown]
r"""
## What next

Layer normalization makes a small logit large. [Chapter 4](04_log_n_scaling) keeps FIRST's from getting small, though not PARITY's: it multiplies attention by $\log n$, and trained networks can use that. The paper line by line, its misprints, and how floating point fails are in the [record](record_03_layer_norm).
"""
