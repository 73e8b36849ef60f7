# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Record of chapter 3: Layer normalization

**What the paper states.** Chiang and Cholak {cite}`chiang2022` store every coordinate together with its negative. According to §4.1 and Appendix B, layer normalization only scales the vectors of such a *mirrored* network, and changes no decision of the transformers for PARITY and FIRST. Proposition 2 adds one layer: with $\epsilon = 0$ the cross-entropy is at most $\eta$ at every length, for any $\eta > 0$. With $\epsilon > 0$ it creeps back to 1 bit as the strings grow longer (Fig. 2). If one weight of PARITY moves, accuracy and cross-entropy oscillate (Fig. 3).

**Holds**

- By [our proof](#ln-proof) no decision on a non-empty string changes, and none at all once [the tie on the empty string](#ln-empty) is removed. *Proved for every length.*
- [Proposition 2](#ln-one-more) holds if no score is 0 and no vector that is normalized is constant. *Proved for every length.*
- Our runs show what [Fig. 2](#ln-figure-2) shows, and the oscillation of [Fig. 3](#ln-figure-3). *Measured.* [The lesson](03_layer_norm) proves that for every $\epsilon > 0$ the cross-entropy of both sharpened transformers tends to 1 bit.

**Does not hold as printed**

- The proof in Appendix B uses [one scale per layer](#ln-scales). In fact each position has its own.
- The caption of [Fig. 3](#ln-figure-3) names one entry, but the authors' script moves two. In the script's network the cross-entropy at the solution is {glue:text}`figure_3_loss` bits, not 0.
- The proof of Proposition 2 lacks a minus sign, needs $\eta < \ln 2$ (if $\eta$ is larger, a smaller one serves), and needs that no score is 0 ([errata](errata)).

**Where to look**: each line of the outcome links to its cells.

In both transformers layer normalization comes after every residual connection, acts on each position by itself, and has no learned factors. The *readers*, the programs that run a transformer, take $\epsilon$ as an option: `Encoder` computes in floats, `Exact` with proved bounds.

(ln-table)=
## Outcome
"""

# %% tags=["remove-input"]
from chapters.common.outcome import outcome_table

outcome_table("03_layer_norm")

# %% tags=["hide-input"]
from dataclasses import replace
from math import exp, log, log2, sqrt

import matplotlib.pyplot as plt
import numpy as np
import torch
from flint import arb, fmpq

from chapters.layer_norm.tables import FAMILIES, lost_near, with_weight_one
from lib import constructions
from chapters.common.sharpening import logit_layer, sharpen
from lib.constructions.normalization import mirror
from lib.languages import FIRST, PARITY
from record.notebook import COLOURS, REFERENCE, glue, markdown_table, use_style
from lib.transformer import (FFN, Construction, Encoder, Exact, Head, Layer, Space,
    cross_entropy_bits)
from record.claims import DECIDED, MEASURED, Claims

use_style()
claims = Claims("03_layer_norm")
parity, first = constructions.parity(), constructions.first()

# %% [markdown]
r"""
## Confidence

(ln-one-more)=
### One layer more

Why does one more layer make the transformer equally sure of every string? The answer is *proved for every length*, and the runs below check it in floats. Let $s$ be the score and $d$ the number of coordinates. Proposition 2 adds a layer without attention. The layer's feed-forward part erases every coordinate, since $x-\max(0,x)+\max(0,-x)=0$, and writes $s$ and $-s$ into two of them. With $\epsilon = 0$ normalization gives every $s \ne 0$ the same size, $\sqrt{d/2}$.

If the strings are decided correctly, an output weight $c>0$ on the coordinate of $s$ gives each the same cross-entropy, $\log(1+e^{-c\sqrt{d/2}})$ in nats, and $c=-\log(e^\eta-1)/\sqrt{d/2}$ makes it $\eta$. But $c>0$ needs $\eta<\ln2$. $\square$

(ln-figure-2)=
### The paper's Fig. 2, and beyond

Does the cross-entropy depend on the length? The figure has three curves for each language: without layer normalization, with $\epsilon=10^{-5}$ and with $\epsilon=0$. The last two belong to [mirrored](#ln-mirror) transformers with Proposition 2's layer and an output weight of 1. Each point averages random strings: 1000 at each length up to 1000, 100 at $10^4$ and 10 at $10^5$. With $\epsilon = 0$ the closed form is $\log_2(1+e^{-\sqrt{d/2}})$, where $d=18$ for PARITY and 12 for FIRST.
"""

# %% tags=["hide-input"]
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

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*With $\\epsilon = 0$ the cross-entropy does not depend on the length; with $\\epsilon = 10^{-5}$ it rises towards 1 bit, PARITY's first.* Triangles: $\\epsilon = 0$, on the closed form. Squares: $\\epsilon = 10^{-5}$. Circles: no layer normalization, near 1 bit from the start.", "name": "fig-ln-lengths"}, "image": {"alt": "Two panels, PARITY and FIRST: cross-entropy on a log length axis; one curve near one, one rising to one, one flat and low.", "classes": "dark-light"}}
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
                  here=", ".join(f"{rising[j]:.3f}" for j in (0, 1, 4, 6)),
                  agrees=rising == sorted(rising) and rising[-1] > 0.5
                  and all(map(float.__lt__, rising, bits["none"])), which=name)
    claims.settle("figure-2: {which}, eps = 0", here=f"{flat[0]:.4f} to {flat[-1]:.4f}",
                  agrees=max(abs(x - closed) for x in flat) < 1e-9, which=name,
                  closed=f"{closed:.4f}")
axes[0].set_ylabel("cross-entropy (bits a string)")
strings, alone = PARITY.sample(1000, size=200, seed=0), Encoder(mirror(parity), eps=0)
found = cross_entropy_bits(alone(strings), [w in PARITY for w in strings]).mean().item()
glue("alone", f"{found:.6f}")
claims.settle("figure-2", here=f"{found:.4f}", agrees=found > 0.99)
plain, (flat, risen) = curves["PARITY", "none", 1000], (curves["PARITY", e, 10**5] for e in ("0", "1e-5"))
wrong = PARITY.errors(strings, Encoder(parity)(strings) > 0)
claims.settle("three questions: (a) without (b)", here=f"{len(wrong)} of {len(strings)}; {plain:.6f}",
              agrees=wrong == [] and plain > 0.99)
claims.settle("three questions: details", here=f"{flat:.3f} / {risen:.3f}",
              agrees=flat < 0.1 and risen > 0.9)

# %% [markdown]
r"""
Normalization *alone* does not help. Without the layer that erases the other coordinates, PARITY's cross-entropy at length 1000 is {glue:text}`alone` bits on average over 200 strings, because $s$ is scaled no more than the coordinates of order 1 beside it.

(ln-eta)=
### As confident as you like

Proposition 2 promises any $\eta$, and we get it up to rounding. The table has the largest relative deviation of the cross-entropy from $\eta$ over all strings of up to 10 symbols. For the published transformers we leave out the empty string, on which they [tie](#ln-empty); for the *tie-free* ones, which do not tie, we include it.
"""

# %% tags=["hide-input"]
nats = {}
for eta, tie_free in ((eta, free) for eta in (0.5, 1e-2, 1e-6) for free in (False, True)):
    for construct, language in ((constructions.parity, PARITY), (constructions.first, FIRST)):
        reader = Encoder(sharpen(mirror(construct(tie_free=tie_free)), eta), eps=0)
        batches = [list(language.all_strings(length)) for length in range(1 - tie_free, 11)]
        bits = [cross_entropy_bits(reader(b), [w in language for w in b]) for b in batches]
        nats[language.name, eta, tie_free] = torch.cat(bits) * log(2)
markdown_table(("language", "η", "tie-free", "largest relative deviation"),
               [(*key, f"{(found / key[1] - 1).abs().max():.0e}") for key, found in nats.items()])

# %% tags=["hide-input"]
for (name, eta, tie_free), found in nats.items():
    worst, kind = (found / eta - 1).abs().max().item(), ("non-empty", "all")[tie_free]
    claims.settle("eta", here=f"{found.max().item():.6g}", agrees=worst < 1e-12,
                  paper=None if tie_free else "at most eta", settles="" if tie_free else name,
                  printed="" if tie_free else "Prop. 2", which=name + ", tie-free" * tie_free, eta=f"{eta:g}", kind=kind)
z, beyond = sqrt(18 / 2), -log(exp(0.7) - 1) / sqrt(18 / 2)              # 0.7 > ln 2
turned = replace(sharp, output=sharp.space["0"] * beyond)
empty = Encoder(sharpen(mirror(first), 0.5), eps=0)("")
claims.correct("C&C Prop. 2, proof, cross-entropy",
               holds=worst < 1e-12 and log(1 / (1 + exp(-z))) < 0)
claims.correct("C&C Prop. 2, proof, choice of c",
               holds=bool((Encoder(sharp, eps=0)("1") > 0) and (Encoder(turned, eps=0)("1") < 0)))
claims.correct("C&C Prop. 2, proof, precondition", holds=empty.isnan().item())

# %% [markdown]
r"""
Proposition 2 is about *any* transformer whose score is never 0 and which normalizes no constant vector. It does not need the mirror: with $\epsilon=0$ the last vectors already have mean 0 and variance 1, so the first normalization of the new layer leaves them as they are, and $(s,-s,0,\dots,0)$ has mean 0 by itself. The cell below tries transformers that have random matrices and are not mirrored; the language of each is whatever it accepts. The [outcome](#ln-table) has the result.
"""

# %% tags=["hide-input"]
draw, S, given = np.random.default_rng(0), Space(*"tuvwxyz"), []


def form(names="tuvwxyz"):
    return sum((float(a) * S[x] for x, a in zip(names, draw.normal(size=7))), start=0 * S["t"])


def layer(by_head, by_ffn):
    head = Head(q=[form()], k=[form()], v={by_head: form()})
    return Layer([head], FFN([form(), form()], {by_ffn: [*map(float, draw.normal(size=2))]}))


every = [w for length in range(9) for w in PARITY.all_strings(length)]
for _ in range(20):
    words = {symbol: form("tu") for symbol in ("0", "1", "CLS")}
    some = Construction(S, words, {"i/n": form("v")}, [layer("w", "x"), layer("y", "z")],
                        output=form(), name="random")
    batches = [[w for w in every if len(w) == length] for length in range(9)]
    own = torch.cat([Encoder(some, eps=0)(batch) for batch in batches]) > 0
    s = torch.cat([Encoder(sharpen(some, 0.01), eps=0)(batch) for batch in batches])
    given.append((cross_entropy_bits(s, own) * log(2) / 0.01 - 1).abs().max().item())
apart = max(given)  # rounding alone, which differs from one processor to another
claims.settle("eta: any transformer", here=f"{'below' if apart < 1e-9 else 'above'} 1e-9",
              agrees=apart < 1e-9, many=len(given))

# %% [markdown]
r"""
Three corrections of the paper's proof rest on these runs. As printed, the proof gives a negative cross-entropy. At $\eta = 0.7$, which is above $\ln 2$, the proof's $c$ is negative and reverses a decision. And a score of 0 makes the normalization compute $0/0$.

(ln-lipschitz)=
### With ε above 0

For every $\epsilon > 0$ the cross-entropy of the sharpened transformers for PARITY and FIRST tends to 1 bit. [The lesson](03_layer_norm) proves this from bounded attention logits and a bounded factor for each normalization; no line of the outcome is about it. Hahn {cite}`hahn2020` assumes that position-wise functions are Lipschitz, and with $\epsilon>0$ layer normalization is Lipschitz: centering is a projection, and $x\mapsto x/\sqrt{|x|^2/d+\epsilon}$ has a slope of at most $1/\sqrt\epsilon$.

*At which length does the cross-entropy rise?* Near the length at which the two terms under the root of the new layer's normalization are equal, which means $|s|=\sqrt{\epsilon d/2}$, where $s$ is the score that the new layer receives. We find this length by interpolation between powers of 2. For PARITY half of the symbols are 1s. For FIRST there are two lengths, because $|s|$ differs between the strings that begin with 1 (FIRST_1 in the output) and those that begin with 0:
"""

# %% tags=["hide-input"]
for name, family in FAMILIES.items():
    near = lost_near(parity if name == "PARITY" else first, family, 1e-5)
    print(f"{name}: |s| meets the square root of eps d/2 near length {near:.0f}")

# %% [markdown]
r"""
FIRST's cross-entropy rises only at far greater lengths, because its $s$ falls like $1/n$ and PARITY's like $1/n^2$.

(ln-empty)=
### The empty string

The published transformers reject the empty string by a tie, $s = 0$. Then the last vector is zero, and with $\epsilon = 0$ normalization turns it into $0/0$. A *tie-free* transformer has a score below 0 there. The output shows the score of the empty string in float64, and the sign that the exact reader proves:
"""

# %% tags=["hide-input"]
for tie_free in (False, True):
    for construct in (constructions.parity, constructions.first):
        model = sharpen(mirror(construct(tie_free=tie_free)), eta=0.01)
        s, exact = Encoder(model, eps=0)("").item(), Exact(model, eps=0).decide("", max_bits=256)
        print(f"{construct.__name__:7} {tie_free=!s:5}: float64 {s:7.4f}, proved {exact.sign}")

# %% [markdown]
r"""
With PARITY as published, the run in float64 even *accepted* the empty string on the machine that built this page, because rounding leaves a tiny $s$, which the new layer makes large. The exact reader says {term}`undecided`.

Two changes remove the ties and change no decision on other strings. PARITY's output subtracts the mark at CLS, $\mathbb{I}[k = 0] / n$, which is 0 unless the string should be rejected anyway. FIRST's last head gives CLS the value $-\tfrac14$. The value $\pm\tfrac12$ of position 1 outweighs it: let $g_i > 0$ be the factor by which normalization scales position $i$ before the second layer, and $x_1 > 0$ the logit that CLS gives position 1. Then $g_0 \le \sqrt3\, g_1$ ([proved in record 4](#log-prop-3)), so $\tfrac12 e^{x_1} g_1 > \tfrac14 g_0$.

(ln-figure-3)=
## One weight (Fig. 3)

Do accuracy and cross-entropy oscillate if the weight that computes $k/n$ moves? Yes, as Fig. 3 shows, so its row in the [scorecard](scorecard) says *agrees, with remarks*. There are two remarks. First, the cross-entropy at the solution is not 0; the output weight determines it. Second, the caption names one entry of $\bar{\mathbf{W}}^{V,1,1}$, whereas the authors' script moves a weight that feeds the coordinate *and* its negative (an [erratum](errata)).

We move both, and then the named entry alone, in the script's network. It has ten coordinates before doubling, CLS at the end of the string, $c=1/\sqrt{10}$, the zeroing in the second layer instead of a third, and an output weight of 1. It runs in float32, on 100 random strings with $|w|=100$.
"""

# %% tags=["hide-input"]
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

# %% tags=["hide-input"]
strings = PARITY.sample(100, size=100, seed=0)
weights = [round(0.95 + j / 1000, 3) for j in range(101)]
accuracy, loss = {}, {}
for both in (True, False):
    for v in weights:
        s = Encoder(script_network(v, both), torch.float32, eps=0)(strings)
        accuracy[both, v] = 1 - len(PARITY.errors(strings, s > 0)) / len(strings)
        loss[both, v] = cross_entropy_bits(s, [w in PARITY for w in strings]).mean().item()

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*With both copies moved the answer flips again and again; with the named entry alone every string soon gets the same answer.* Accuracy and cross-entropy of PARITY in the network of the authors' script against the weight that computes $k/n$. Dashed: where the mark crosses half a position, for $k = 50$.", "name": "fig-ln-weight"}, "image": {"alt": "Two columns of two panels; on the left accuracy swings between zero and one with a period of about 0.04, on the right it falls from one to about a half.", "classes": "dark-light"}}
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
swings = accuracy[True, 1.02] < 0.1 < 0.9 < accuracy[True, 1.04]
claims.correct("C&C Fig. 3, caption", holds=swings and low >= 0.1, low=f"{low:.2f}",
               high=f"{high:.2f}")

# %% [markdown]
r"""
*Both copies.* The mark moves by $(v-1)k$ positions. The answer flips where $|v-1|k=\tfrac12$, flips back where it is $\tfrac32$, and so on, with a period of $2/k$, about 0.04 here. As $v$ moves away from 1, the first points at which every answer is flipped are $v-1=\pm\tfrac1{2\min k}$. There no answer has flipped back yet, since $\max k<3\min k$ among our strings. These values of $v$ are {glue:text}`first_turn` and its mirror image about 1.

*At $v=1$* the cross-entropy is {glue:text}`figure_3_loss` bits, $\log_2(1+e^{-\sqrt{10}})$, where §5.1 says 0. Only a large output weight would bring it near 0.

*The named entry alone.* The mean is no longer 0, so normalization shifts *every* coordinate, that of $s$ among them, by an amount of order $(1-v)k/n$. A shift that does not shrink with $n$ buries a signal of order $1/n^2$.

(ln-mirror)=
## The mirror

How is a transformer mirrored? Section 4.1 adds to every coordinate $x$ a second coordinate $-x$. The layers read as before and write everything twice, with both signs. The function `mirror` does this to any construction. We write FIRST out by hand and compare it with what `mirror` makes:
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
r"""
(ln-shift)=
### Without the mirror

What does layer normalization do without the mirror? It also shifts, because it subtracts the mean, and the shift makes the published transformer for PARITY reject each of the 1024 strings of length 10. At CLS it lowers the coordinate of $s$. At all positions it lowers the coordinate of the mark, more at even positions than at odd ones, so the head for odd positions always finds more. But the surplus hardly depends on whether $k$ is odd or even, and it is too small to lift $s$ above 0:
"""

# %% tags=["hide-input"]
strings = list(PARITY.all_strings(10))
trace = Encoder(parity, eps=0).trace(strings, weights=True)
mark, start = trace.a[1]["[i=k]/n"], trace.a[1]["s"][:, 0]
odd, even = ((trace.attention[2, head][:, 0] * mark).sum(1) for head in (1, 2))
added = odd - even
for name, x in {"s begins at": start, "the head for odd positions finds": odd,
                "the head for even positions finds": even, "their difference is": added}.items():
    print(f"{name} {x.min():.2f} to {x.max():.2f}")

# %% [markdown]
r"""
On long strings the hat, the function that makes the mark, becomes far too wide, because it reads its width $w = \tfrac1n$ from a single coordinate, from which the shift subtracts the mean. At an even position the token's 1 and $\cos \pi i = 1$ already add up to 2, so the mean of the nine coordinates is above $\tfrac29$, and $w = \tfrac1n - \text{mean}$ is below $\tfrac1n - \tfrac29$. (The hat is the same for $w$ and $-w$.) From one position to the next, $x = k/n - i/n$ changes by only $\tfrac1n$, so every even position less than $\tfrac29 n - 1$ steps from $k$ gets a mark. At an odd position the token's 1 and $\cos \pi i = -1$ cancel, so the hat is narrower:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*On a long string the shift turns one mark into many, and the largest are at the wrong positions.* What the hat gives at each position of a string of twenty-one 1s and eighteen 0s, where $n = 40$ and $k = 21$ is odd. Each position has its own width: the even positions (filled) lie under a wide hat, the odd ones (hollow) under a narrower one.", "name": "fig-ln-hat"}, "image": {"alt": "Above, without layer normalization: one low mark at position 21. Below, after the shift: stems at 17 positions from 10 to 34, high and filled at even positions, low and hollow at four odd ones; highest at 22.", "classes": "dark-light"}}
n, k, heights = 40, 21, (0.11, 0.36)  # one scale for both panels
i = np.arange(n)
means = (1 + np.cos(np.pi * i) + (i + k + 1) / n) / 9
figure, axes = plt.subplots(2, sharex=True, height_ratios=heights, figsize=(6.4, 3.4))
hats = ("PARITY", np.full(n, 1 / n)), ("FIRST", 1 / n - means)
for axis, height, (name, width) in zip(axes, heights, hats):
    marks = np.maximum(0, np.abs(width) - np.abs(i - k) / n)  # a hat, w wide and high
    for odd, face in ((0, COLOURS[name]), (1, "white")):
        seen = (marks > 1e-9) & (i % 2 == odd)
        axis.vlines(i[seen], 0, marks[seen], color=COLOURS[name])
        axis.plot(i[seen], marks[seen], "o", color=COLOURS[name], mfc=face, markersize=5)
    axis.set(ylabel="mark", xlim=(-1, n), ylim=(0, height), yticks=np.arange(0, height, 0.1))
    axis.axvline(k, zorder=0, **REFERENCE)
axes[0].set_title("without layer normalization: 1/n high")
axes[1].set_title("after the shift: ● even positions, ○ odd positions")
axes[1].set_xticks([0, 10, k, 30], ["0", "10", f"$k$ = {k}", "30"])
axes[1].set_xlabel("position $i$");

# %% [markdown]
r"""
The true mark, at the odd position 21, is only 0.09 high, and its even neighbours get about three times as much. The scaling, not shown in the figure, divides the true mark by 0.52 and its neighbours by only 0.41. So the highest mark no longer tells whether $k$ is odd.

(ln-exhaustive)=
### Every decision survives

Once mirrored, neither construction errs on the short strings that we read. We read both with $\epsilon = 0$, $10^{-5}$ and $0.01$: strings of up to 7 symbols in {term}`balls <ball>`, and of up to 12 in float64. For the tie-free constructions the book's tests go up to 12 symbols in balls, too. The published constructions {term}`tie` on the empty string, so we leave it out; with `tie_free=True` we include it. The output counts errors in balls, then in float64.
"""

# %% tags=["hide-input"]
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
r"""
(ln-scales)=
### The scales differ

Is Appendix B's proof right? It argues with one factor for each layer, "layer normalization scales $\mathbf{c}^\ell$ by $C_\ell$", and absorbs it into the constant $c$. However, each position is normalized by *its own* variance. A mirrored vector $(v,-v)$ of PARITY has variance $|v|^2/9$, and after the first attention layer $|v|^2=2+(i/n)^2+(k/n)^2+1/n^2$, so the factor depends on $i$. We compare what `Encoder` computes with the formula:
"""

# %%
n, k = 100, 50
trace = Encoder(mirror(parity), eps=0).trace("1" * k + "0" * (n - 1 - k))
measured = trace.c[1]["cos iπ"][0].abs().numpy()               # |cos iπ| was 1 before
i = np.arange(n)
predicted = np.sqrt(9 / (2 + (i / n) ** 2 + (k / n) ** 2 + 1 / n**2))
assert np.allclose(measured, predicted, rtol=1e-12)

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Layer normalization scales early positions more than late ones.* The factor at position $i$ as `Encoder` computes it (line) and from the variance (dots), for $n = 100$, $k = 50$ and $\\epsilon = 0$.", "name": "fig-scales"}, "image": {"alt": "A curve that falls smoothly with the position, with dots on it.", "classes": "dark-light"}}
figure, axis = plt.subplots(figsize=(6.4, 2.6))
axis.plot(i, measured, color=COLOURS["PARITY"])
axis.plot(i[::10], predicted[::10], "o", color=COLOURS["PARITY"])
axis.set(xlabel="position $i$", ylabel="scale $C_{1,i}$")
glue("scale_first", f"{measured[0]:.2f}"), glue("scale_last", f"{measured[-1]:.2f}")
for (name, tie_free), errors in found.items():
    strings = "all strings" if tie_free else "non-empty strings"
    for count, truth, reader in zip(errors, (DECIDED, MEASURED), ("7 (balls)", "12 (float64)")):
        claims.settle("exhaustive", here=count, agrees=count == 0,
                      construction=name + ", tie-free" * tie_free, strings=strings, reader=reader,
                      paper=None if tie_free else "none", settles="" if tie_free else name,
                      truth=truth, printed="" if tie_free else "section 4.1, App. B")

# %% [markdown]
r"""
The factor falls from {glue:text}`scale_first` to {glue:text}`scale_last`. So the attention logits, signs aside, no longer have one common value. They are also scaled *twice*, through the query and through the key, whereas the appendix counts one factor. The appendix therefore does not prove its claim, which is true nevertheless. It also says $A_2 = 1$: after the second feed-forward part, which changes nothing, normalization scales by 1. That is true for $\epsilon = 0$ alone.

(ln-proof)=
### A proof

:::{admonition} Scaling changes no decision
:class: result
PARITY's transformer, mirrored and normalized, decides every non-empty string correctly, for every gain $c>0$ and every $\epsilon\ge0$ ($n\ge2$). *Proved for every length.*
:::

What could go wrong? Unequal scales give the two heads unequal sums of exponentials, and this difference might outweigh the mark. We show that it does not.

*Setting.* Let $s$ be PARITY's score as published. The first feed-forward layer has no bias, so scaling its input scales its output. Hence $\bar{\mathbf{a}}^{1,i}=g_i(\mathbf{a}^{1,i},-\mathbf{a}^{1,i})$ with some $g_i>0$. With $x_i=c\,g_0g_i$, CLS gives position $i$ the logit $(-1)^{i+1}x_i$ in head 1 and $(-1)^ix_i$ in head 2. Let $Z_1,Z_2$ be the sums of the exponentials of the two heads' logits. The mark is the only value that is not 0, so the sign of $s$ is that of

$$
e^{x_k}Z_2-e^{-x_k}Z_1\ \ (k\text{ odd}),\qquad e^{-x_k}Z_2-e^{x_k}Z_1\ \ (k\text{ even}).
$$

We must show $Z_2/Z_1>e^{-2x_k}$ for odd $k$ and $Z_2/Z_1<e^{2x_k}$ for even $k$. In {numref}`fig-ln-pairs` the thick line must stay between the dashed ones.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The quotient of all positions stays within the bounds, because the pairs' quotients lie near 0.* The case $n = 5$, $k = 2$, $c = 0.2$, $\\epsilon = 0$, in logarithms. Dots: pairs. Square: the last position, below $2 x_k$. Thick: $Z_2 / Z_1$. Dashed: $\\pm 2 x_k$.", "name": "fig-ln-pairs"}, "image": {"alt": "Two points near zero and a square high up, between two dashed horizontal lines; a thick horizontal line a little above zero lies between as well.", "classes": "dark-light"}}
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
r"""
*Pairs.* We compare the two heads two positions at a time, because a pair of neighbours contributes nearly the same to both. Positions $2j$ and $2j+1$ contribute $e^{x_{2j}}+e^{-x_{2j+1}}$ to $Z_2$ and $e^{-x_{2j}}+e^{x_{2j+1}}$ to $Z_1$. The quotient of these two sums is exactly $e^{x_{2j}-x_{2j+1}}$, which is near 1 if neighbours have similar scales. If $n$ is odd, the last position has no partner, and its quotient is $e^{2x_{n-1}}$.

If we add up all numerators and all denominators, the quotient of the two totals is $Z_2/Z_1$. Such a *mediant* lies between the smallest and the largest of the quotients.

*Two facts about the scales* bound these quotients. Let $q_i$ be the variance after the first attention, so that $9q_i=2+(i/n)^2+(k/n)^2+1/n^2$, and let $9h_i=\mathbb{I}[i=k]/n^2$. The first normalization divides by $\sqrt{q_i+\epsilon}$. The mark that is added next has been divided by the same root, so the variance becomes $(q_i+h_i)/(q_i+\epsilon)$. The next normalization adds $\epsilon$ to this variance and divides by the root of the sum. The two normalizations together give $g_i^{-2}=(1+\epsilon)\,q_i+h_i+\epsilon^2$.

(a) $x_{\max}\le\sqrt2\,x_{\min}<3\,x_{\min}$. Since $i,k\le n-1$, both $9q_i$ and $9(q_i+h_i)$ lie between 2 and 4. Hence $9(g_i^{-2}-\epsilon^2)/(1+\epsilon)$ lies between 2 and 4 as well, so the largest $g_i^{-2}$ is at most twice the least.

(b) $x_{n-1}\le x_k$ for even $k$ and odd $n$: either $k=n-1$, or $k\le n-3$ and $(n-1)^2-k^2\ge4n-8>1$ outweighs the mark's $1/n^2$.

*End.* By (a), $|x_{2j}-x_{2j+1}|\le x_{\max}-x_{\min}$, which is less than $2x_{\min}\le2x_k$: every pair's quotient lies strictly between $e^{-2x_k}$ and $e^{2x_k}$.

The quotient of a last position without a partner is above $e^{-2x_k}$, and by (b) it is at most $e^{2x_k}$ for even $k$. An odd $n\ge2$ has at least one pair as well, so the mediant stays strictly between the two bounds. The later normalizations multiply $s$ by positive numbers. $\square$

In FIRST as published only one position has a value other than 0, so the sign of that value decides, whatever the scales are. The section on [the empty string](#ln-empty) treats tie-free FIRST.

*A check of the two facts.* Balls confirm (a) and (b) in every case with $2 \le n \le 12$ and three values of $\epsilon$:
"""

# %% tags=["hide-input"]
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
for name in ("PARITY", "FIRST"):
    is_right = held == len(cases) and found[name, False] == (0, 0)
    claims.settle("proof: every length", here="every length" if is_right else "not shown",
                  agrees=is_right, which=name)
traces = (Encoder(mirror(parity), eps=eps).trace("110") for eps in (0, 1))
a2 = [(trace.a[2]["CLS"] / trace.c[2]["CLS"])[0, 0].item() for trace in traces]
claims.correct("C&C Appendix B, second layer",
               holds=abs(a2[0] - 1) < 1e-12 and abs(a2[1] - 1) > 1e-3,
               checked=f"On 110 it is {a2[0]:.6f} at ε = 0 and {a2[1]:.6f} at ε = 1.")

# %% [markdown]
r"""
## Since then

Hahn and Rofin {cite}`hahn2024` study transformers whose output is sensitive to many symbols, as for PARITY. They prove that on long inputs such transformers sit at sharp minima of the loss, and need large weights or normalizations that enlarge strongly.

Brody, Alon and Yahav {cite}`brody2023` show what attention gains from a normalization: projection helps to attend to all keys equally, and scaling lets every key get the most weight.
"""

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says
