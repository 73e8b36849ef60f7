# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Layer normalization: confidence without end

*You will be able to* say what layer normalization does to a vector and to Hahn's lemma, double a construction so that centring has nothing to
remove, prove that scaling changes no decision although it scales every position differently, and say what it costs in precision.
"""

# %% [markdown]
"""
<div class="live" data-live="norm"><p>Sharpened, ε=0: 99% sure from length 1 on.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% [markdown]
"""
## Claim

Chapter 2's transformers are right on every string, unrounded, and hardly sure. §4 of Chiang and Cholak {cite}`chiang2022` adds layer normalization and gets
any confidence one asks for. **§4.1**: if the network computes every value together with its negative, normalization only scales, and scaling
changes no decision (Appendix B). **Proposition 2**: with $\epsilon = 0$ and one more layer, the {term}`cross-entropy` is at most $\eta$, whatever $\eta > 0$,
at every length. With $\epsilon > 0$ it creeps back to 1 bit.

The lemma asks for Lipschitz functions, and the whole effect hangs on a constant that was added to
avoid dividing by zero.
"""

# %% tags=["hide-input"]
from dataclasses import replace
from math import comb, exp, log, log1p, log2, sqrt

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import torch
from flint import arb, fmpq

from chapters.exercises.judge import check
from lib import constructions
from lib.constructions.normalization import logit_layer, mirror, sharpen
from lib.constructions.precision import depth, first_normalized_failure, SIGNIFICAND
from lib.languages import FIRST, PARITY
from lib.notebook import glue, markdown_table, COLOURS, REFERENCE, show_plotly, use_style
from lib.transformer import (FFN, Construction, cross_entropy_bits, Encoder, Exact, Head, Layer,
                             Space)
from record.claims import DECIDED, MEASURED, Claims
from record.runs import stored

use_style()
claims = Claims("03_layer_norm")
DOUBLING, SHARPENING, FIGURE_2 = "C 4.1, App. B", "C Prop. 2, 4.2", "C Fig. 2, 4.3"
parity, first = constructions.parity(), constructions.first()

# %% [markdown]
"""
## Construction

### What it does to a vector

Layer normalization subtracts a vector's mean and divides by its standard deviation, or nearly:

$$
\mathrm{LN}(x) = \frac{x - \operatorname{mean}(x)}{\sqrt{\operatorname{var}(x) + \epsilon}},
$$

here without the learned factors. It follows every {term}`residual connection`, on each position by itself. It is a *shift*, the same for all {term}`coordinates <coordinate>`, and a *scaling* by a
positive number.
"""

# %%
def layer_norm(x, eps=0.0):
    return (x - np.mean(x)) / np.sqrt(np.var(x) + eps)


x = np.array([1.0, 0.0, 0.0, 0.25])
print("a vector:         ", layer_norm(x).round(2))
print("with its negative:", layer_norm(np.concatenate([x, -x])).round(2) + 0.0)

# %% [markdown]
"""
The shift hurts: the coefficients of a hidden unit such as $(k - i - 1)/n$ do not add up to 0, so it moves the unit.

**Predict:** with normalization ($\epsilon = 0$) on the transformer as it stands, how many
of the 1024 strings of length 10 are decided rightly?

<p class="guess">all|half|none</p>
"""

# %% tags=["hide-output"]
strings = list(PARITY.all_strings(10))
for name, construction in (("as it stands", parity), ("mirrored", mirror(parity))):
    accepted = Encoder(construction, eps=0).accepts(strings)
    right = len(strings) - len(PARITY.errors(strings, accepted))
    print(f"PARITY {name}: {right} of {len(strings)} right, {accepted.sum()} accepted")

# %% [markdown]
"""
:::{dropdown} Why
Half: all get one answer. The mean of the nine coordinates is of order 1, the hat only $1/n$ wide.
:::

### The mirror

§4.1 doubles every coordinate $x$ by $-x$. The mean of any vector is then 0, and only the scaling is left. What is *read* stays; what is *written* is
written twice, with both signs. FIRST, {term}`mirrored`:
"""

# %%
names = ("0", "1", "CLS", "[i=1]", "[w₁=1]", "s")
S = Space(*names, *(f"-{name}" for name in names))
zero, one, cls, start, hit, s = (S[name] for name in names)
zero_, one_, cls_, start_, hit_, s_ = (S[f"-{name}"] for name in names)
v = hit - start / 2

mark = Layer(ffn=FFN(hidden=[start - zero - cls], out={"[w₁=1]": [1], "-[w₁=1]": [-1]}))
look = Layer(heads=[Head(q=[cls], k=[start], v={"s": v, "-s": -v})])
doubled = Construction(S, word={"0": zero - zero_, "1": one - one_, "CLS": cls - cls_},
                       position={"[i=1]": start - start_}, layers=[mark, look], output=s,
                       name="mirrored FIRST")
assert doubled == mirror(first)

# %% [markdown]
"""
`mirror` does this to any construction; $\epsilon$ is an option of the readers.

### One layer more

Let $s$ be the logit and $d$ the number of coordinates. Proposition 2 adds a layer without attention. Its feed-forward part erases every coordinate, since
$x-\max(0,x)+\max(0,-x)=0$, and writes $s$ and $-s$ into two of them. With $\epsilon = 0$ normalization gives every $s \ne 0$ one size:

$$
\mathrm{LN}(s, -s, 0, \dots, 0) = \bigl(\pm\sqrt{d/2}, \mp\sqrt{d/2}, 0, \dots, 0\bigr).
$$

An output weight $c$ on the first of them gives every string the same cross-entropy, $\log(1+e^{-c\sqrt{d/2}})$ in nats, and
$c=-\log(e^\eta-1)/\sqrt{d/2}$ makes it $\eta$: the network is {term}`sharpened`.

For $c>0$ this needs $\eta<\ln2$, which the paper does not say; and its two expressions for the
cross-entropy lack a minus sign.
"""

# %%
sharp = sharpen(mirror(parity), eta=0.01)
for w in ("110", "1101", "1" + "0" * 500):
    print(f"d = {len(sharp.space)}, |w| = {len(w):3}: {Encoder(sharp, eps=0)(w).item():+.6f}")

# %% [markdown]
"""
## Run it

(ln-exhaustive)=
### Every decision survives

Both constructions, mirrored, with three values of $\epsilon$: every string to length 12 in float64, and to length 7 in {term}`balls <ball>` (12 in the tests, tie-free).

The published ones leave out the empty string, on which they {term}`tie`; `tie_free=True` ([below](#ln-empty)) takes that away.
"""

# %%
def wrong(reader, model, language, shortest, longest):
    strings = [list(language.all_strings(length)) for length in range(shortest, longest + 1)]
    return sum(len(language.errors(every, reader(model, eps=eps).accepts(every)))
               for every in strings for eps in (0, 1e-5, 1e-2))


found = {}
for construct, language in ((constructions.parity, PARITY), (constructions.first, FIRST)):
    for tie_free in (False, True):
        case = mirror(construct(tie_free=tie_free)), language, 1 - tie_free
        found[language.name, tie_free] = wrong(Exact, *case, 7), wrong(Encoder, *case, 12)
        print(f"{language}, {tie_free=}: {found[language.name, tie_free]} wrong")

# %% [markdown]
"""
(ln-scales)=
### The scales differ

Appendix B argues with one factor for each layer, "layer normalization scales $\mathbf{c}^\ell$ by $C_\ell$", and absorbs it into the constant $c$. But a
position is normalized by *its own* variance.

A mirrored vector $(v,-v)$ of PARITY has variance $|v|^2/9$, and after the first attention layer
$|v|^2=2+(i/n)^2+(k/n)^2+1/n^2$. The factor depends on $i$:
"""

# %%
n, k = 100, 50
trace = Encoder(mirror(parity), eps=0).trace("1" * k + "0" * (n - 1 - k))
measured = trace.c[1]["cos iπ"][0].abs().numpy()               # |cos iπ| was 1 before
i = np.arange(n)
predicted = np.sqrt(9 / (2 + (i / n) ** 2 + (k / n) ** 2 + 1 / n**2))
assert np.allclose(measured, predicted, rtol=1e-12)

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Layer normalization scales early positions more than late ones: the factor at position $i$ as the reader computes it (line) and from the variance (dots), for $n = 100$, $k = 50$ and $\\epsilon = 0$.", "name": "fig-scales"}, "image": {"alt": "A curve that falls smoothly with the position, with dots on it.", "classes": "dark-light"}}
figure, axis = plt.subplots(figsize=(6.4, 2.6))
axis.plot(i, measured, color=COLOURS["PARITY"])
axis.plot(i[::10], predicted[::10], "o", color=COLOURS["PARITY"])
axis.set(xlabel="position $i$", ylabel="scale $C_{1,i}$")
rough = Encoder(mirror(parity), torch.float32, eps=0).trace("1" * k + "0" * (n - 1 - k))
deviation = np.abs(rough.c[1]["cos iπ"][0].abs().numpy() / measured - 1).max()
glue("scale_float32", f"{deviation:.0e}")
glue("scale_first", f"{measured[0]:.2f}"), glue("scale_last", f"{measured[-1]:.2f}")
for (name, tie_free), errors in found.items():
    strings = "all strings" if tie_free else "non-empty strings"
    for count, truth, reader in zip(errors, (DECIDED, MEASURED), ("7, balls", "12, float64")):
        claims.settle("exhaustive", here=count, agrees=count == 0,
                      construction=name + ", tie-free" * tie_free, strings=strings, reader=reader,
                      paper=None if tie_free else "none", settles="" if tie_free else name,
                      truth=truth, printed="" if tie_free else "section 4.1, App. B")

# %% [markdown]
"""
From {glue:text}`scale_first` to {glue:text}`scale_last` (in float32 too, to {glue:text}`scale_float32` relative): the attention logits are no longer one constant up to sign. They are also scaled *twice*, through the query and
through the key, where the appendix counts one. So it does not prove its claim, which is true nevertheless, for every $n\ge2$, $c>0$ and
$\epsilon\ge0$.

(ln-proof)=
### A proof

Unequal scales give the two {term}`heads <head>` unequal sums of exponentials. They might outweigh the mark. They do not.

*Setting.* Let $s$ be the published logit of PARITY. The first feed-forward layer has no bias, so scaling its input scales its output; hence $\bar{\mathbf{a}}^{1,i}=g_i(\mathbf{a}^{1,i},-\mathbf{a}^{1,i})$ with
some $g_i>0$. With $x_i=c\,g_0g_i$, {term}`CLS` gives position $i$ the logit $(-1)^{i+1}x_i$ in head 1 and $(-1)^ix_i$ in head 2. Let
$Z_1,Z_2$ be the sums of the exponentials of the two heads' logits. The mark is the only value that is not 0, so the sign of $s$ is that of

$$
e^{x_k}Z_2-e^{-x_k}Z_1\ \ (k\text{ odd}),\qquad e^{-x_k}Z_2-e^{x_k}Z_1\ \ (k\text{ even}).
$$

We must show $Z_2/Z_1>e^{-2x_k}$ for odd $k$ and $Z_2/Z_1<e^{2x_k}$ for even $k$: in {numref}`fig-ln-pairs`, that the thick line stays between the dashed ones.

*Pairs.* The two heads are compared two positions at a time, because a pair of neighbours gives both nearly the same. Positions $2j$ and $2j+1$ contribute $e^{x_{2j}}+e^{-x_{2j+1}}$ to $Z_2$ and $e^{-x_{2j}}+e^{x_{2j+1}}$ to $Z_1$. The quotient of the two is exactly
$e^{x_{2j}-x_{2j+1}}$: near 1 if neighbours have like scales. If $n$ is odd, the last position stands alone, with quotient $e^{2x_{n-1}}$.

Add up all numerators and all denominators, and the quotient of the two sums is $Z_2/Z_1$. Such a *mediant* lies between the smallest and the largest of the quotients.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "The case $n = 5$, $k = 2$, $c = 0.2$, $\\epsilon = 0$, in logarithms: the quotients of the pairs lie near 0, that of the last position below $2 x_k$. So the quotient of all, $Z_2 / Z_1$ (thick), stays between $\\pm 2 x_k$ (dashed).", "name": "fig-ln-pairs"}, "image": {"alt": "Two points near zero and a square high up, between two dashed horizontal lines; a thick horizontal line a little above zero lies between as well.", "classes": "dark-light"}}
n, k, c = 5, 2, 0.2
trace = Encoder(mirror(constructions.parity(c)), eps=0).trace("1" * k + "0" * (n - 1 - k))
g, sign = trace.a[1]["cos iπ"][0].abs().numpy(), (-1.0) ** np.arange(n)
x = c * g[0] * g
pairs, all_of_them = x[:-1:2] - x[1::2], np.log(np.exp(sign * x).sum() / np.exp(-sign * x).sum())
figure, axis = plt.subplots(figsize=(6.4, 2.8))
axis.plot(np.arange(0.5, n - 1, 2), pairs, "o", color=COLOURS["PARITY"])
axis.plot(n - 1, 2 * x[-1], "s", color=COLOURS["PARITY"])
axis.axhline(all_of_them, color=COLOURS["PARITY"], linewidth=3)
for place, height, text in ((0.5, pairs[0] - 0.4, "0 and 1"), (2.5, pairs[1] - 0.4, "2 and 3"),
                            (3.9, 2 * x[-1] - 0.1, "4 alone"), (-0.4, all_of_them + 0.12, "all"),
                            (-0.4, 2 * x[k] + 0.1, "$2x_k$"), (-0.4, 0.1 - 2 * x[k], "$-2x_k$")):
    axis.text(place, height, text, ha="right" if text == "4 alone" else "center")
for bound in (2 * x[k], -2 * x[k]):
    axis.axhline(bound, **REFERENCE)
axis.set(xlabel="position", ylabel="ln of the quotient", xticks=range(n), xlim=(-0.7, n - 0.5));

# %% [markdown]
"""
*Two facts about the scales* bound these quotients. Unrolling two normalizations, $g_i^{-2}=(1+\epsilon)\,q_i+h_i+\epsilon^2$ with $9q_i=2+(i/n)^2+(k/n)^2+1/n^2$ and $9h_i=\mathbb{I}[i=k]/n^2$.

(a) $x_{\max}\le\sqrt2\,x_{\min}<3\,x_{\min}$. Since
$i,k\le n-1$, both $9q_i$ and $9(q_i+h_i)$ lie between 2 and 4. So does 9 times $g_i^{-2}/(1+\epsilon)$, up to the common $\epsilon^2$.

(b) $x_{n-1}\le x_k$ for even $k$ and odd $n$: either $k=n-1$, or $k\le n-3$ and $(n-1)^2-k^2\ge4n-8>1$ outweighs the mark's $1/n^2$.

*End.* By (a), $|x_{2j}-x_{2j+1}|\le x_{\max}-x_{\min}<2x_{\min}\le2x_k$: every pair's quotient lies strictly between $e^{-2x_k}$ and $e^{2x_k}$.

The lone position's is above $e^{-2x_k}$, and by (b) it is at most $e^{2x_k}$ for even $k$. An odd $n\ge2$ has a pair as well, so the mediant stays strictly inside. The later normalizations multiply $s$ by positive numbers. $\square$

In FIRST as published one position alone has a value other than 0, so its sign decides whatever the scales; tie-free FIRST follows [below](#ln-empty). Balls confirm the two facts:
"""

# %%
def facts(n, k, eps):
    trace = Exact(mirror(parity), eps=eps).trace("1" * k + "0" * (n - 1 - k))
    g = [abs(x) for x in trace.a[1]["cos iπ"]]                 # |cos iπ| was 1 before
    for i in range(n):
        q, h = 2 + fmpq(i, n) ** 2 + fmpq(k, n) ** 2 + fmpq(1, n) ** 2, fmpq(i == k, n**2)
        assert ((1 + arb(eps)) * q / 9 + arb(h) / 9 + arb(eps) ** 2).overlaps(g[i] ** -2)
    small_spread = all((x / y) ** 2 < 2 for x in g for y in g)
    return small_spread and (n % 2 == 0 or k % 2 == 1 or k == n - 1 or g[n - 1] < g[k])


cases = [(n, k, eps) for n in range(2, 13) for k in range(n) for eps in (0, 0.01, 1)]
held = sum(facts(*case) for case in cases)
print(f"(a) and (b) proved in {held} of {len(cases)} cases")

# %% tags=["hide-input"]
claims.settle("scales: factor", here=f"{measured[0]:.2f} to {measured[-1]:.2f}",
              agrees=bool(np.ptp(measured) < 1e-9))
claims.correct("C&C Appendix B", holds=measured[0] > 1.1 * measured[-1],
               first=f"{measured[0]:.3f}", last=f"{measured[-1]:.3f}")
trace = Encoder(mirror(parity), eps=0).trace("110", weights=True)
g, weight = trace.a[1]["cos iπ"][0].abs(), trace.attention[2, 1][0, 0]
twice = (weight[1] / weight[0]).log() - g[0] * (g[0] + g[1])
claims.correct("C&C Appendix B, attention logits", holds=bool(abs(twice) < 1e-12))
claims.settle("proof", here=f"{held} of {len(cases)}", agrees=held == len(cases))
traces = (Encoder(mirror(parity), eps=eps).trace("110") for eps in (0, 1))
a2 = [(trace.a[2]["CLS"] / trace.c[2]["CLS"])[0, 0].item() for trace in traces]
claims.correct("C&C Appendix B, second layer",
               holds=abs(a2[0] - 1) < 1e-12 and abs(a2[1] - 1) > 1e-3,
               checked=f"On 110 it is {a2[0]:.6f} at ε = 0, {a2[1]:.6f} at 1: positive.")

# %% [markdown]
"""
(ln-figure-2)=
### The paper's Fig. 2, and beyond

Three curves for each language: no layer normalization, $\epsilon=10^{-5}$ and $\epsilon=0$, the last two with Proposition 2's layer and an output weight of 1. Each averages 1000
random strings to length 1000, 100 at $10^4$ and 10 at $10^5$. **Predict** the third curve: what could it depend on?

<p class="guess">width|length|both</p>
"""

# %%
def with_weight_one(construction):
    return sharpen(mirror(construction), eta=log1p(exp(-sqrt(len(construction.space)))))


lengths, curves = [10, 30, 100, 300, 1000, 10**4, 10**5], {}
for construction, language in ((parity, PARITY), (first, FIRST)):
    sharp = with_weight_one(construction)
    readers = {"none": Encoder(construction), "1e-5": Encoder(sharp, eps=1e-5),
               "0": Encoder(sharp, eps=0)}
    for length in lengths:
        strings = language.sample(length, size=min(1000, 10**6 // length), seed=length)
        labels = [language.contains(w) for w in strings]
        for eps, reader in readers.items():
            s = reader(strings)
            assert language.errors(strings, s > 0) == []
            curves[language.name, eps, length] = cross_entropy_bits(s, labels).mean().item()

# %% tags=["hide-input", "hide-output"] mystnb={"figure": {"caption": "Cross-entropy against length. Without layer normalization (circles) it is near 1 bit from the start; with $\\epsilon = 10^{-5}$ (squares) it follows later, PARITY's first; with $\\epsilon = 0$ (triangles) it does not depend on length at all and lies on the closed form.", "name": "fig-ln-lengths"}, "image": {"alt": "Two panels, PARITY and FIRST: cross-entropy on a log length axis; one curve near one, one rising to one, one flat and low.", "classes": "dark-light"}}
shown = {"none": ("no layer norm", "o-"), "1e-5": ("ε = 10⁻⁵", "s--"), "0": ("ε = 0", "^:")}
figure, axes = plt.subplots(1, 2, figsize=(7.2, 3), sharey=True)
for axis, name, d in zip(axes, ("PARITY", "FIRST"), (18, 12)):
    bits = {eps: [curves[name, eps, n] for n in lengths] for eps in shown}
    for eps, (label, style) in shown.items():
        axis.plot(lengths, bits[eps], style, color=COLOURS[name], label=label)
    rising, flat, closed = bits["1e-5"], bits["0"], log2(1 + exp(-sqrt(d / 2)))
    print(f"{name}: eps = 1e-5 {rising[0]:.4f} to {rising[-1]:.4f} bits; eps = 0 {flat[0]:.4f}")
    axis.axhline(closed, **REFERENCE)
    axis.set(xscale="log", xlabel="$|w|$", ylim=(0, 1.05), title=name)
    axis.legend()
    claims.settle("figure-2: {which}, eps > 0",
                  here=", ".join(f"{rising[j]:.3f}" for j in (0, 4, 6)),
                  agrees=rising == sorted(rising) and rising[-1] > 0.5, which=name)
    claims.settle("figure-2: {which}, eps = 0", here=f"{flat[0]:.4f} to {flat[-1]:.4f}",
                  agrees=max(abs(x - closed) for x in flat) < 1e-9, which=name,
                  closed=f"{closed:.4f}")
axes[0].set_ylabel("cross-entropy (bits a string)")
strings, alone = PARITY.sample(1000, size=200, seed=0), Encoder(mirror(parity), eps=0)
found = cross_entropy_bits(alone(strings), [w in PARITY for w in strings]).mean().item()
glue("alone", f"{found:.6f}")
claims.settle("figure-2", here=f"{found:.4f}", agrees=found > 0.99)

# %% [markdown]
"""
:::{dropdown} Why
The width. With $\epsilon=0$ nothing is left but $d$: the curve is $\log_2(1+e^{-\sqrt{d/2}})$, with $d=18$ for PARITY and 12 for FIRST.

Normalization *alone* does
not help: without the layer that erases the other coordinates, PARITY at length 1000 stands at {glue:text}`alone` bits, because $s$ is scaled no more
than its neighbours of order 1.
:::

(ln-eta)=
### As confident as you like

Proposition 2 promises any $\eta$. Here is the largest relative deviation from $\eta$ to length 10, non-empty strings as published, all strings tie-free:
"""

# %%
nats = {}
for eta, tie_free in ((eta, free) for eta in (0.5, 1e-2, 1e-6) for free in (False, True)):
    for construct, language in ((constructions.parity, PARITY), (constructions.first, FIRST)):
        reader = Encoder(sharpen(mirror(construct(tie_free=tie_free)), eta), eps=0)
        batches = [list(language.all_strings(length)) for length in range(1 - tie_free, 11)]
        bits = [cross_entropy_bits(reader(b), [w in language for w in b]) for b in batches]
        nats[language.name, eta, tie_free] = torch.cat(bits) * log(2)
print({key: f"{(found / key[1] - 1).abs().max():.0e}" for key, found in nats.items()})

# %% tags=["hide-input"]
for (name, eta, tie_free), found in nats.items():
    worst, kind = (found / eta - 1).abs().max().item(), ("non-empty", "tie-free, any")[tie_free]
    claims.settle("eta", here=f"{found.max().item():.6g}", agrees=worst < 1e-12,
                  paper=None if tie_free else "at most eta", settles="" if tie_free else name,
                  printed="" if tie_free else "Prop. 2", which=name, eta=f"{eta:g}", kind=kind)
z, beyond = sqrt(18 / 2), -log(exp(0.7) - 1) / sqrt(18 / 2)              # 0.7 > ln 2
turned = replace(sharp, output=sharp.space["0"] * beyond)
empty = Encoder(sharpen(mirror(first), 0.5), eps=0)("")
claims.correct("C&C Prop. 2, proof, cross-entropy",
               holds=worst < 1e-12 and log(1 / (1 + exp(-z))) < 0)
claims.correct("C&C Prop. 2, proof, choice of c",
               holds=bool((Encoder(sharp, eps=0)("1") > 0) and (Encoder(turned, eps=0)("1") < 0)))
claims.correct("C&C Prop. 2, proof, precondition", holds=empty.isnan().item())

# %% [markdown]
"""
### Move $\epsilon$ yourself

The last normalization maps the logit $s$ to $s/\sqrt{2s^2/d+\epsilon}$. Without $\epsilon$ that is $\pm\sqrt{d/2}$, here $\pm3$. **Predict:** as $\epsilon$ grows from 0, near what is $s=10^{-4}$ lost?

<p class="guess">ε = √s|ε = s|ε = s²</p>
"""

# %% tags=["hide-output"]
# try: another s or d
s, d = 1e-4, 18
for eps in (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 0):
    after = s / sqrt(2 * s**2 / d + eps)
    print(f"eps = {eps:5g}: s becomes {after:.3f}, {log2(1 + exp(-after)):.3f} bits")

# %% [markdown]
"""
Where $\epsilon$ is small beside $2s^2/d$, the size of $s$ is forgotten. Where it is large, $s$ is divided by about $\sqrt\epsilon$ and stays small.

{numref}`fig-ln-sliders` shows the expectation over **all** strings of a length: for PARITY $|w|+1$ cases with binomial weights, for FIRST two.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Bits a string against the length, above, and against $\\epsilon$, below; the sliders move $\\epsilon$, above, and the length, below. At each length the bits are small for $\\epsilon$ small enough and rise towards 1 as it grows.", "name": "fig-ln-sliders"}}
def expected_bits(reader, language, n):
    counts = (k for k in range(n + 1) if abs(2 * k - n) <= 14 * sqrt(n))
    cases = {"1" * k + "0" * (n - k): comb(n, k) / 2**n for k in counts}
    if language is FIRST:
        cases = {"1" + "0" * (n - 1): 0.5, "0" * n: 0.5}
    bits = cross_entropy_bits(reader([*cases]), [w in language for w in cases])
    return float(bits @ torch.tensor([*cases.values()], dtype=torch.float64))
def chart(xs, over, bits, x_name, over_name, active):
    drawn = go.Figure([go.Scatter(x=xs, y=bits(name, over[active]), name=name,
                                  mode="lines+markers", line={"color": COLOURS[name]})
                       for name in ("PARITY", "FIRST")])
    steps = [{"label": f"{value:g}", "method": "restyle",
              "args": [{"y": [bits("PARITY", value), bits("FIRST", value)]}]} for value in over]
    shown = {"steps": steps, "active": active, "currentvalue": {"prefix": f"{over_name} = "}}
    drawn.update_layout(sliders=[shown | {"pad": {"t": 50}}], height=400, hovermode="x unified")
    drawn.update_xaxes(type="log", title=x_name, dtick=len(xs) // 8 or 1, exponentformat="power")
    return drawn.update_yaxes(range=[0, 1.05], title="bits a string")
marks, grid, moving = [10, 20, 50, 100, 200, 500, 1000], [*(10.0**-j for j in range(17)), 0], {}
for construction, language in ((parity, PARITY), (first, FIRST)):
    for eps in grid:
        reader = Encoder(with_weight_one(construction), eps=eps)
        moving[language.name, eps] = [expected_bits(reader, language, n) for n in marks]
show_plotly(chart(marks, grid, lambda name, eps: moving[name, eps], "|w|", "ε", active=5),
            chart(grid[:-1], marks, lambda name, n: [moving[name, e][marks.index(n)]
                                                     for e in grid[:-1]], "ε", "|w|", active=3))

# %% [markdown]
"""
## Break it

(ln-lipschitz)=
### Why a positive $\epsilon$ gives the lemma back

The lemma asks that position-wise functions be Lipschitz. With $\epsilon>0$ layer normalization is: centring is a projection, and $x\mapsto x/\sqrt{|x|^2/d+\epsilon}$ has a slope
of at most $1/\sqrt\epsilon$.

That is what you have just seen: the cross-entropy rises where the two terms under the root are equal, $|s|=\sqrt{\epsilon d/2}$, with
$s$ the logit handed to the new layer. **Predict** from {numref}`fig-ln-lengths` at which lengths that is.
"""

# %% tags=["hide-output"]
# try: another eps
eps = 1e-5
for construction, language in ((parity, PARITY), (first, FIRST)):
    reader, d = Encoder(mirror(construction), eps=eps), 2 * len(construction.space)
    lengths = [2**j for j in range(1, 15)]
    s = [reader(language.sample(n, size=5, seed=n)).abs().median().item() for n in lengths]
    turning = 2 ** np.interp(-log(sqrt(eps * d / 2)), -np.log(s), np.log2(lengths))
    print(f"{language}: |s| meets the square root of eps d/2 near length {turning:.0f}")

# %% [markdown]
"""
:::{dropdown} Why
FIRST is far later: its $s$ falls like $1/n$, PARITY's like $1/n^2$.
:::

A smaller
$\epsilon$ moves the turning point; only $\epsilon = 0$ removes it.

(ln-empty)=
### The empty string

Proposition 2 asks for a transformer that recognises the language. The published ones do, but reject the empty string by a tie, which normalization cannot enlarge: $s = 0$ makes the last vector zero, and $\epsilon = 0$ makes that $0/0$.

**Predict:** for which of the four does the exact reader prove a sign?

<p class="guess">all|none|the tie-free ones</p>
"""

# %% tags=["hide-output"]
for tie_free in (False, True):
    for construct in (constructions.parity, constructions.first):
        model = sharpen(mirror(construct(tie_free=tie_free)), eta=0.01)
        s, exact = Encoder(model, eps=0)("").item(), Exact(model, eps=0).decide("", max_bits=256)
        print(f"{construct.__name__:7} {tie_free=!s:5}: float64 {s:7.4f}, proved {exact.sign}")

# %% [markdown]
"""
:::{dropdown} Why
For PARITY as published float64 even *accepted*, on this page's machine: rounding leaves a tiny $s$, which the new layer makes large. The exact reader says {term}`undecided`.
:::

Two changes remove
the ties and no decision: PARITY's output subtracts the mark at CLS, $\mathbb{I}[k = 0] / n$, which is 0 unless the string is to be rejected anyway; FIRST's last head gives CLS the value
$-\tfrac14$, which the value $\pm\tfrac12$ of position 1 outweighs, as $g_0 \le \sqrt3\, g_1$ and so $\tfrac12 e^{x_1} g_1 > \tfrac14 g_0$.

(ln-figure-3)=
### One weight

The paper's Fig. 3 moves the weight that computes $k/n$, and cross-entropy and accuracy oscillate. Its caption names one entry of $\bar{\mathbf{W}}^{V,1,1}$; the authors' script moves a weight that feeds the coordinate
*and* its negative.

We do both on the script's network: ten coordinates before doubling, CLS behind the string, $c=1/\sqrt{10}$, the zeroing in the second layer instead of a third, an output weight of 1, float32,
100 random strings with $|w|=100$.

**Predict:** with both, the mark moves by $(v-1)k$ positions. Which $v$ are the first to turn every answer round?

<p class="guess">1 ± 1/(2 max k)|1 ± 1/(2 min k)|1 ± 1/min k</p>
"""

# %%
def script_network(v, both):
    plain = constructions.parity(1 / sqrt(10))
    i, cos = plain.space["i/n"], plain.space["cos iπ"]
    doubled = mirror(replace(plain, space=Space(*plain.space.names, "spare"), position={
        "((i-1) mod n)/n": i, "1 - 2·((i-1) mod n mod 2)": cos}))
    erase, (count, compare) = logit_layer(doubled), doubled.layers
    rows = dict(count.heads[0].v)
    rows["k/n"] = rows["k/n"] * v
    if both:
        rows["-k/n"] = -rows["k/n"]
    layers = [replace(count, heads=[replace(count.heads[0], v=rows)]),
              replace(compare, ffn=erase.ffn, rewrites=erase.rewrites)]
    return replace(doubled, layers=layers, output=doubled.space["0"])


# %%
strings = PARITY.sample(100, size=100, seed=0)
weights = [round(0.95 + j / 1000, 3) for j in range(101)]
accuracy, loss = {}, {}
for both in (True, False):
    for v in weights:
        s = Encoder(script_network(v, both), torch.float32, eps=0)(strings)
        accuracy[both, v] = 1 - len(PARITY.errors(strings, s > 0)) / len(strings)
        loss[both, v] = cross_entropy_bits(s, [w in PARITY for w in strings]).mean().item()

# %% tags=["hide-input", "hide-output"] mystnb={"figure": {"caption": "Accuracy and cross-entropy of PARITY in the network of the authors' script against the weight that computes $k/n$. With both copies moved, as in the script, the answer turns round each time the mark crosses half a position (dashed, for $k = 50$). With the named entry moved alone the mirror is broken, and soon every string gets the same answer.", "name": "fig-ln-weight"}, "image": {"alt": "Two columns of two panels; on the left accuracy swings between zero and one with a period of about 0.04, on the right it falls from one to about a half.", "classes": "dark-light"}}
figure, axes = plt.subplots(2, 2, figsize=(7.2, 4), sharex=True, sharey="row")
for column, both in zip(axes.T, (True, False)):
    column[0].set(title="both copies" if both else "the named entry only")
    for axis, values, label in zip(column, (accuracy, loss), ("accuracy", "bits a string")):
        axis.plot(weights, [values[both, v] for v in weights], color=COLOURS["PARITY"])
        axis.set(ylabel=label if both else "", xlabel="weight $v$")
        for j in (-5, -3, -1, 1, 3, 5) if both else ():
            axis.axvline(1 + j / 100, **REFERENCE)
claims.settle("figure-3: accuracy", here=f"{accuracy[True, 1.0]:.2f}",
              agrees=accuracy[True, 1.0] == 1)
claims.settle("figure-3: cross-entropy", here=f"{loss[True, 1.0]:.3f}",
              agrees=loss[True, 1.0] < 0.005, bits=f"{log2(1 + exp(-sqrt(10))):.3f}")
fewest, most = (choose(w.count("1") for w in strings) for choose in (min, max))
turned = next(v for v in weights if v > 1 and accuracy[True, v] == 0)
assert most < 3 * fewest and abs(turned - 1 - 1 / (2 * fewest)) <= 0.001
glue("first_turn", f"{1 + 1 / (2 * fewest):.3f}"), glue("figure_3_loss", f"{loss[True, 1.0]:.3f}")
for both, name in ((True, "both copies"), (False, "the captioned entry")):
    low, high = accuracy[both, 1.02], accuracy[both, 1.04]
    claims.settle("figure-3: oscillation" if both else "figure-3: entry",
                  here=f"{low:.2f} and {high:.2f}", agrees=low < 0.1 and high > 0.9, moved=name)

# %% [markdown]
"""
:::{dropdown} Why
*Both copies.* The answer turns round at $|v-1|k=\tfrac12$, back at $\tfrac32$, and so on: a period of $2/k$, about 0.04 here. The first to turn every answer are $v-1=\pm\tfrac1{2\min k}$, where no $k$ has turned twice
($\max k<3\min k$): here $v$ = {glue:text}`first_turn` and its mirror image about 1.

*At $v=1$* the cross-entropy is {glue:text}`figure_3_loss` bits, $\log_2(1+e^{-\sqrt{10}})$, where §5.1 says 0: that asks for a large output weight.

*The named entry alone.* The mean is no longer 0: normalization shifts *every* coordinate by an amount of order $(1-v)k/n$, that of $s$ among them. A shift that does not shrink with $n$ buries a signal of order
$1/n^2$.
:::

(ln-precision)=
### What it costs in floating point

Without normalization, chapter 2 proved, one sum and one division are safe to $2^{p-4}$ in arithmetic with $p\ge7$ bits, given exact attention and unlimited exponents.

A stored run looked for the first failure at $\epsilon=0$, with the tie-free output, the published one, and the published one with each coordinate *adjacent* to its negative. **Predict** whether normalization helps or hurts.

<p class="guess">helps|hurts</p>
"""

# %% tags=["hide-input", "hide-output"]
search, firsts, stops, rows = stored("normalized_precision"), {}, {}, []
kinds = {(True, False): "tie-free", (False, False): "published", (False, True): "adjacent"}
laws = {"tie-free": depth, "published": lambda p: depth(p, share=0.9999, units=4 / 3)}
laws["adjacent"] = laws["published"]
for row in search.results:
    network, n = row["configuration"], row["result"]["n"]
    kind, dtype = kinds[network["tie_free"], network["adjacent"]], network["dtype"]
    firsts[kind, dtype], stops[kind, dtype] = n, network["stop"]
    law = "–" if kind == "adjacent" else f"{laws[kind](SIGNIFICAND[dtype]):.0f}"
    rows.append((kind, dtype, n or f"none to {stops[kind, dtype] - 1}", law,
                 ", ".join(map(str, row["result"]["wrong"][:3]))))
    law, end = laws[kind](SIGNIFICAND[dtype]), n + 1 if n else network["stop"]
    again = first_normalized_failure(**network | {"start": end - 2, "stop": end}) == row["result"]
    holds, criterion = {"tie-free": (n and abs(law / n - 1) < 0.1, "law within a tenth"),
                        "published": (n and n > law, "later than the law"),
                        "adjacent": (again, "the search ends there today")}[kind]
    claims.settle("precision", here=n or f"none found to {end - 1}", agrees=bool(again and holds),
                  criterion=criterion, source=search.source, kind=kind, dtype=dtype)
glue("law_float64", f"{depth(53):.1e}")
markdown_table(("network", "type", "first n that fails", "law", "k"), rows)

# %% [markdown]
"""
:::{dropdown} Why
It hurts: what was of order $2^p$ is of order $2^{p/2}$. The decision falls at CLS, whose logit is about $A/n^2$ with $A$ a function of $k/n$. Two errors of order $2^{-p}$ stand beside it, undiluted by attention.

*A false mark.* CLS is position 0, and its scaled count $3(k/n)/\sqrt{2+(k/n)^2}$ passes 1, a power of two, at $k=n/2$. A false mark of one unit, $2\cdot2^{-p}$, can stand there.
The tie-free output subtracts it. It outweighs $A/n^2$ from about $n=\sqrt{2^{p-1}A}$ on, with $A$ at $k=n/2$: the first law. Elsewhere attention gives it a weight
of order $1/n$.

*A mean that is not 0.* In the paper's order, nine coordinates and then their negatives, the sum that normalization divides by 18 passes through numbers between 4 and 8, where each of two additions rounds by up to
$2^{2-p}$. If all goes the worst way in three normalizations, $s$ shifts by about $3\cdot2\cdot2^{2-p}/18=\tfrac43\,2^{-p}$. With the smallest $A$, at $k$ near $n$, that is the second law: an estimate of the earliest failure.

The tie-free
output, whose coefficients add up to 0, does not see a shift; the published one does not see the mark.

*A cure.* With each coordinate next to its negative the running sum meets exactly 0 after each pair. Neither error is left, and failures come later or, in float32, not within the search.
:::

*Measured*, on one machine: in half types every $k$ was read at every $n$. In float32 every $k > 0$ was computed at CLS alone, for every $n$ from 100 on, and read as a whole string where CLS lost
half of its logit: for the last network that was nowhere. For float64 the first law says {glue:text}`law_float64`, which is extrapolation.

## Measured against the paper
"""

# %% tags=["hide-input"]
claims.table()

# %% [markdown]
"""
§4's statements hold for these two transformers, as published on non-empty strings, after the tie-free change on all. What differs is the way there: one scale for a layer is a scale for each position, Fig. 3's caption names one of two entries, its
cross-entropy is not 0, and Proposition 2 needs a sign, a range and a precondition.

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
"""
**2 (modify).** Build it: give FIRST enough spare coordinates that its mirror has 50, and sharpen that with an output weight of 1.
"""

# %%
# try: your sharpened Construction in place of the dots; with_weight_one mirrors and sharpens
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
"""
**3 (prove or refute).** "The mirrored PARITY with `tie_free=True` is right on *every* string under layer normalization, the empty one included, for every $c > 0$ and $\epsilon \ge 0$."

<p class="guess">proved|refuted</p>
"""

# %%
# try: "proved", or a case (w, c, eps) that refutes it, which is run
check("3.3", ...)

# %% [markdown]
"""
:::{dropdown} Solution
Proved. For $n \ge 2$ the [proof above](#ln-proof) gives the sign of $s$. The output is $s$ minus the mark at CLS; both stand at position 0, where the normalizations of the second layer
multiply them by one positive factor, and the mark there is positive if $k = 0$ and 0 otherwise. So the output is $s$ times a positive number if $k > 0$, and for $k = 0$ it is
negative because $s \le 0$: at $n = 1$ both heads return the same, and $s = 0$.
:::
"""

# %% tags=["hide-cell"]
for c in (0.01, 1, 10):
    reader = Exact(mirror(constructions.parity(c, tie_free=True)), eps=0.1)
    strings = ["1" * k + "0" * (length - k) for length in range(12) for k in range(length + 1)]
    assert PARITY.errors(strings, [reader.decide(w).accepts for w in strings]) == []
print("proved for three values of c on every k to length 11")
check("3.3", "proved")

# %% [markdown]
"""
## What next

Chapter 4 multiplies attention logits by $\log n$, another way around Hahn's lemma, and learns.

### Since then

Hahn and Rofin {cite}`hahn2024` prove that on long inputs transformers whose output is sensitive to many symbols, as for PARITY, sit at sharp minima of the loss,
and need large weights, or normalizations that enlarge much, as Proposition 2's does.

Brody, Alon and Yahav {cite}`brody2023` show what the attention after a normalization gains. Its projection helps to attend to all keys alike; its scaling lets every key get the most weight.
"""
