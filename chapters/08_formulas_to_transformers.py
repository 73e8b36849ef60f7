# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# From formulas to transformers

*You will be able to* say in a line of text which strings you want, get a transformer with exact weights that accepts them at every length, prove why its
comparisons never fail, break it, and take it away as an ordinary PyTorch network.
"""

# %% [markdown]
"""
<div class="live" data-live="formula"><p>count(Q("1")) > count(Q("0")) becomes a transformer that accepts 011 and rejects 1001 and 0011. On the book's page, write a formula of your own.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% [markdown]
"""
## Claim

So far someone had to invent each transformer. Yang and Chiang {cite}`yang2024` take another way: they define a small language of *counts*, and prove that
whatever it says can be compiled into a softmax transformer whose attention looks at the past only.

This chapter builds such a compiler. A formula goes in; a {term}`construction` with rational weights comes out, of one of three kinds: for {term}`averaging hardmax <hardmax>`, for softmax under
layer normalization, or for plain softmax.

The last is the surprise. Chapters 2 to 4 needed layer normalization or $\log n$ to keep soft attention sure of itself on long strings. With the
position $i$ itself as an encoding, a **fixed** {term}`gain` and no normalization are enough: in exact arithmetic every comparison comes out as 0 or 1, at every length. And PARITY, for
which chapter 2 marked odd positions, can do without that mark.
"""

# %% tags=["hide-input"]
from dataclasses import replace
from fractions import Fraction
from math import log

import matplotlib.pyplot as plt
import numpy as np
from flint import arb

from chapters.exercises.judge import check
from lib import constructions
from lib.formulas import LIBRARY, Q, compiled, count, formula, FormulaError, holds, never, verdict
from lib.formulas.stated import PARITY_BY_HALVES
from lib.languages import PARITY
from lib.notebook import glue, markdown_table, COLOURS, REFERENCE, stream_table, use_style
from lib.transformer import (LOADER, Construction, cross_entropy_bits, Encoder, Exact, Head,
                             Layer, Space, to_torch)
from record.claims import PROVED, Claims

use_style()
claims = Claims("08_formulas_to_transformers")
COMPILED, SURE = "ours: compiled formulas", "ours: sure at constant gain"
TAKEN, HALVES = "ours: taken away", "ours: PARITY by halves"

# %% [markdown]
"""
## Construction

### What a formula says

A formula holds at a position of the string or does not. `Q("1")` holds where the symbol is 1; `count(φ)` is the number of positions *up to here* at which φ
holds. Counts may be added, multiplied by whole numbers and compared; what results is a formula again.

A string belongs to the language if the formula holds at its
last position. For the empty string that is {term}`CLS`, where there is no symbol and every count is 0.

Four abbreviations: `once(φ)` is `count(φ) >= 1`, `never(φ)` is `count(φ) == 0`,
`always(φ)` is `never(not φ)`, and `position` counts everything.
"""

# %%
majority = count(Q("1")) > count(Q("0"))
dyck = (count(Q("(")) == count(Q(")"))) & never(count(Q(")")) > count(Q("(")))
print(dyck)

# %% [markdown]
"""
The second one, a count inside a count, says: as many brackets are closed as opened, and never were more closed. That is Dyck-1, the well-bracketed strings.

The same formula can be typed as text, with Python's `and`, `or` and `not`; mistakes are named with their place.
"""

# %%
text = 'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))'
print("Dyck-1:", [w for w in ("", "()", ")(", "(()())") if holds(formula(text, "()"), w)])
try:
    formula('count(Q("(")) == count(Q("]"))', "()")
except FormulaError as error:
    print(error)

# %% [markdown]
"""
### One formula by hand

MAJORITY asks whether $g = k_1 - k_0 - 1 \ge 0$, for $k_a$ the number of symbols $a$ so far. Here it is for **averaging hardmax**, in two layers. The {term}`heads <head>` are
*masked*: position $i$ sees the positions $0, \dots, i$, and the logit is read at the last one.

The head of layer 1 has no query, so it averages: it finds $k_1/(i+1)$, $k_0/(i+1)$ and, from CLS's own share, $1/(i+1)$.

The query of layer 2 is
$(2g + 1)/(i + 1)$, which is never 0 and has the sign that we ask for; its key is 1 at CLS and 0 elsewhere. If the query is positive, the largest logit is CLS's;
if it is negative, everybody else's. **Predict** what the head returns if it reads `CLS`.

<p class="guess">g|1 or 0|1/(i + 1)</p>
"""

# %% tags=["hide-output"]
S = Space("0", "1", "CLS", "k₀/(i+1)", "k₁/(i+1)", "1/(i+1)", "g≥0")
zero, one, cls, k0, k1, unit, answer = S

average = Layer(Head(v={"k₀/(i+1)": zero, "k₁/(i+1)": one, "1/(i+1)": cls}, mask="future"))
compare = Layer(Head(q=[2 * (k1 - k0 - unit) + unit], k=[cls], v={"g≥0": cls}, mask="future"))
by_hand = Construction(S, word={"0": zero, "1": one, "CLS": cls}, position={},
                       layers=[average, compare], output=answer - cls - Fraction(1, 2),
                       name="MAJORITY", readout="last")
trace = Exact(by_hand, "hardmax").trace("0110")
stream_table(trace.a[2], trace.tokens[0])

# %% [markdown]
"""
:::{dropdown} Why
It returns 1 or 0: the comparison as a truth value. CLS itself sees only CLS and always gets 1; there $g = -1$, so the output takes the 1 back.
:::

The compiler makes the same network, under longer names:
"""

# %%
machine = compiled(majority, "01", "hardmax")
strings = [w for length in range(9) for w in machine.language.all_strings(length)]
pairs = [(Exact(by_hand, "hardmax").logit(w), Exact(machine.construction, "hardmax").logit(w))
         for w in strings]
assert all(ours == compilers for ours, compilers in pairs)
print(machine.construction.size, "hand:", by_hand.size)

# %% [markdown]
"""
Everything else is bookkeeping. *And* is $\max(0, a + b - 1)$, *not* is $1 - a$, a truth value can be averaged like a symbol, and $a = b$ is $a \ge b$ and $b \ge a$. A conditional
`x if φ else y` in a comparison becomes two comparisons.

Common parts are made once, everything as early as possible. So each *level* of counts costs two layers, to average and to compare; a
connective between two levels may cost another.

(constant-gain)=
### Softmax at constant gain

The weights of softmax are never 0. It can still decide. Let position $i$ attend to $j = 0, \dots, i$ with logit $\frac{2g+1}{i+1}\, j \ln b$, for a constant $b > 1$, and read $j$: the
head returns a *mean position* $m$.

A positive query tilts the weights to the right, a negative one to the left ({numref}`fig-tilt`). The further $m$ is from the middle $i/2$, the
better we can tell.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Attention weights at position $i = 8$ for four values of $g$ ($b = 16$), and their means. However close the comparison, the mean (dot) stays off the middle (dashed).", "name": "fig-tilt"}, "image": {"alt": "Four bar charts over nine positions; for g of minus two and minus one the weights fall, for zero and one they rise.", "classes": "dark-light"}}
b, i = 16, 8
j = np.arange(i + 1)
figure, axes = plt.subplots(1, 4, figsize=(7.2, 1.9), sharey=True)
for axis, g in zip(axes, (-2, -1, 0, 1)):
    weights = b ** ((2 * g + 1) / (i + 1) * j)
    weights /= weights.sum()
    axis.bar(j, weights, color=COLOURS["PARITY" if g < 0 else "FIRST"])
    axis.axvline(i / 2, **REFERENCE)
    axis.plot(weights @ j, 0, "o", color="#777777", clip_on=False)
    axis.set(title=f"$g = {g}$", xticks=[0, 4, 8], xlabel="position $j$")
axes[0].set(ylabel="weight");

# %% [markdown]
"""
How far is it? **Theorem.** *For every $i \ge 1$ and every whole number $g$, $m - i/2$ has the sign of $2g + 1$, and*

$$
\left| m - \tfrac i2 \right| \;\ge\; \frac12 \cdot \frac{\sqrt b - 1}{\sqrt b + 1} .
$$

:::{dropdown} Proof, for every length
The derivative of $m$ by the query is a variance times $\ln b$, so $m$ grows with $2g + 1$, and by symmetry it is $i/2$ for a query of 0. Whole numbers $g$ keep $|2g + 1| \ge 1$; the closest case is $2g + 1 = \pm 1$.

Write $L = i + 1$ and $c = \ln b$. Summing the geometric series and differentiating its logarithm, the distance is $D(L) = \tfrac12 \bigl(L \coth \tfrac c2 - \coth \tfrac{c}{2L}\bigr)$. Treat $L$ as real:
$2 D'(L) = \coth \tfrac c2 - \tfrac{c}{2 L^2} \big/ \sinh^2 \tfrac{c}{2L} \ge \coth \tfrac c2 - \tfrac 2c > 0$, because $\sinh y \ge y$ and $\coth y > 1/y$. So the distance is least at $L = 2$, where the weights are $1$
and $\sqrt b$ and it is $\frac{\sqrt b}{1 + \sqrt b} - \frac12$. $\square$
:::

A feed-forward network finishes the work with a {term}`clip`,

$$
\max\bigl(0,\, a (m - \tfrac i2) + \tfrac12\bigr) - \max\bigl(0,\, a (m - \tfrac i2) - \tfrac12\bigr).
$$

It is 0 or 1 once $a |m - \tfrac i2| \ge \tfrac12$,
that is, if $a (\sqrt b - 1) \ge \sqrt b + 1$. With slope $a = 2$ any $b \ge 9$ will do; the compiler takes 16.

At $i = 0$ the mean is 0 whatever the query. But there every count is 0, the truth value is
known beforehand, and the clip's input is moved by $\pm1$. For `total` below, a head without mask does the same over $j = 0, \dots, n - 1$; what is known beforehand is then the case $n = 1$.

Counts are whole as long as what they count is 0 or 1, and a truth value that holds at CLS is taken out of the mean there. So by induction over the formula, connectives included, **every truth value in the network is 0 or 1, at every
length**, in exact arithmetic: floats must still tell $2g + 1$ from 0.

{term}`Balls <ball>` confirm the bound and show the room above it ({numref}`fig-margin`).
"""

# %%
def distance(i, b, g=0):
    weights = [((2 * g + 1) * arb(j) / (i + 1) * arb(b).log()).exp() for j in range(i + 1)]
    return sum(j * w for j, w in enumerate(weights)) / sum(weights) - arb(i) / 2


# %% tags=["hide-input"] mystnb={"figure": {"caption": "The distance of the mean position from the middle for the closest comparisons, $g = 0$, against the position $i$. It is least at $i = 1$, where it meets the bound (dashed), and grows with $i$.", "name": "fig-margin"}, "image": {"alt": "Three rising curves on a log-log scale, each starting on a dashed horizontal line.", "classes": "dark-light"}}
figure, axis = plt.subplots()
places = (*range(1, 10), *(round(1.5**k) for k in range(6, 16)))
for b, colour in zip((4, 16, 100), COLOURS.values()):
    bound = (arb(b).sqrt() - 1) / (arb(b).sqrt() + 1) / 2
    distances = [distance(i, b) for i in places]
    assert distances[0].overlaps(bound) and all(d > bound for d in distances[1:])
    axis.plot(places, [float(d) for d in distances], color=colour, label=f"$b = {b}$")
    axis.axhline(float(bound), **REFERENCE | {"color": colour})
axis.set(xscale="log", yscale="log", xlabel="position $i$", ylabel=r"$|m - i/2|$")
axis.legend();

# %% [markdown]
"""
(normalized)=
### Layer normalization

Under layer normalization averages are enough, and a count with its comparison takes one layer. Truth values are $+1$ and $-1$.

But a comparison can be as small as a unit that shrinks with the position ({numref}`fig-one-size`, left). So the feed-forward
network clips **everything** at a position to the size of that unit, $1/(i+1)$: comparisons, old truth values, all but the counts, which it erases. What is left has one size up to
sign, and layer normalization with $\epsilon = 0$ makes that size the same everywhere (right).
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "MAJORITY under layer normalization, on $0110100110$. After attention the comparison is a multiple of a unit that shrinks with the position (dashed, with both signs). After the clip and a normalization its sign has one size, $\\sqrt{8/5}$, at every position.", "name": "fig-one-size"}, "image": {"alt": "Two panels over eleven positions. Left, dots that rise and fall outside two dashed curves which close in on zero; right, dots on two horizontal dashed lines.", "classes": "dark-light"}}
normalized = compiled(majority, "01", "layer norm").construction
trace = Encoder(normalized, eps=0).trace("0110100110")
found, after = trace.c[1], trace.a[1]
ones, zeros = (found[f"count(Q('{symbol}'))/(i+1)"][0] for symbol in "10")
small = found["1/(i+1)"][0]
answers = after["[count(Q('1')) - count(Q('0')) - 1 >= 0]"][0]
figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.6), sharex=True, sharey=True)
for axis, values, size, title in (
        (axes[0], 2 * (ones - zeros) - small, small, "after attention: $2g + 1$ units"),
        (axes[1], answers, after["one"][0], "after the layer: more 1s?")):
    axis.plot(size, **REFERENCE), axis.plot(-size, **REFERENCE)
    axis.plot(values, "o", color=COLOURS["PARITY"])
    axis.set(title=title, xlabel="position $i$")

# %% [markdown]
"""
:::{dropdown} Proof, for every length
The space is {term}`mirrored` as in [chapter 3](03_layer_norm), so means are 0. Suppose that before a layer the same coordinates are 0 at every position, and all others $\pm\kappa$ with one $\kappa$ for all positions; one of them is always $+\kappa$.
The embedding is so, with $\kappa = 1$.

*Attention.* Half the sum of a truth value and that coordinate is $\kappa$ or 0, and with CLS taken out a head averages it to $\kappa C/(i+1) \ge 0$, for a count $C$, or $\kappa C/n$ for a total; CLS's share is $\kappa/(i+1)$
or $\kappa/n$. The first normalization multiplies position $i$ by some $r_i > 0$.

*Sizes.* Let $u$ be $r_i\kappa/n$ if the layer has totals, else $r_i\kappa/(i+1)$, and $r_i\kappa$ in a layer without counts. Whatever needs a sign is at least $u$ in size: a
comparison is $2g + 1$ times $r_i\kappa/(i+1)$ or $r_i\kappa/n$, a truth value $\pm r_i\kappa$, a conjunction of $m$ parts, $T$ of them true, $2T - 2m + 1$ times $r_i\kappa$.

*Clip.* For $|h| \ge u$, $\max(0, 2h + u) - \max(0, 2h - u) - u = \pm u$. Where there are counts, that replaces every
old truth value too, and each count $C' \ge 0$ loses $\max(0, C')$. Now the same coordinates are 0 at every position and all others $\pm u$; if $d'$ of $d$ are not 0, the second normalization makes them $\pm\sqrt{d / d'}$. $\square$
:::
"""

# %%
rows = []
for attention in ("hardmax", "softmax", "layer norm"):
    size = compiled(dyck, "()", attention).construction.size
    rows.append((attention, *size.values()))
markdown_table(("Dyck-1 for", *size), rows)

# %% [markdown]
"""
## Run it

(run-library)=
### A library of languages, three ways

Each formula of the library is compiled for each kind and {term}`decided exactly` on every string to length 9 (6 for three symbols; the tests go on to 12, or 7).

What is right is known twice: from an
interpreter that shares only the syntax with the compiler, and from a line of Python that knows nothing of formulas. Two formulas say `total`, a count in the whole string, by a head without mask.
"""

# %%
def dyck_by_erasing(w):
    return w == "" or "()" in w and dyck_by_erasing(w.replace("()", ""))

PLAIN = {
    "MAJORITY": lambda w: 2 * w.count("1") > len(w),
    "exactly two 1s": lambda w: w.count("1") == 2,
    "at least a third are 1s": lambda w: 3 * w.count("1") >= len(w),
    "Dyck-1": dyck_by_erasing,
    "a*b*": lambda w: "ba" not in w,
    "(ab)*": lambda w: w == "ab" * (len(w) // 2),
    "aⁿbⁿcⁿ": lambda w: w == "".join(a * (len(w) // 3) for a in "abc"),
    "PARITY": PARITY.contains, "PARITY, by halves": PARITY.contains,
    "FIRST": lambda w: w[:1] == "1", "ONE": lambda w: w.count("1") == 1,
}

# %%
# try: longest = 12, which takes two minutes
longest, table, verdicts, plainly_wrong = 9, [], {}, []
for stated in LIBRARY:
    cells, limit = [], longest if len(stated.alphabet) == 2 else 6
    language = stated.language
    plainly_wrong += [w for length in range(limit + 1) for w in language.all_strings(length)
                      if PLAIN[stated.name](w) != language.contains(w)]
    for attention in ("hardmax", "softmax", "layer norm"):
        try:
            machine = compiled(stated.text, stated.alphabet, attention)
        except FormulaError:
            cells.append("–")
            continue
        found = verdicts[stated.name, attention] = verdict(machine, longest=limit)
        size = machine.construction.size
        cells.append(f"{size['layers']} / {size['heads']} / {size['coordinates']}")
    table.append((stated.name, f"`{stated.text}`", *cells))
print({str(found) for found in verdicts.values()})
markdown_table(("language", "formula", "hardmax", "softmax", "layer norm"), table)

# %% [markdown]
"""
The columns are layers / heads / {term}`coordinates <coordinate>`; layer normalization saves layers and heads and pays with coordinates. A dash: under layer normalization the compiler has no positions $i/n$ to hold against totals.

No kind can compare a `count`, which
attention divides by $i + 1$, with a `total`, which it divides by $n$.

(run-halves)=
### PARITY again, and without its mark

With `mod(2, 1)`, true at odd positions, the line for PARITY says what chapter 2 built: some odd position
is equal to the number $k$ of 1s. The line below it asks instead whether some position is **half** of $k$:

$$
\#\{\, i : 2i = k \,\} = 0 \quad\text{and}\quad k \ge 1 .
$$

Positions are counted from 1, so the first part says that $k$ is odd or 0. No encoding tells odd from even:
"""

# %%
halves = compiled(PARITY_BY_HALVES.text, "01", "softmax")
print([f for f, _ in halves.construction.position], verdict(halves, longest=9), sep="\n")

# %% [markdown]
"""
(what-counts-cannot-say)=
**What counts of the past cannot say.** *Without `total` and `mod` no formula says PARITY.* On the strings $1^n$ a formula's truth at position $i$ depends on $i$ alone,
and **from some $i$ on it is constant**. Symbols are, and Boolean combinations of such formulas. The count of one is, from there on, constant or $i$ minus a constant, and the position is $i$: so sums and comparisons settle
too, and a conditional becomes one of its branches. But PARITY alternates on $1^n$ for ever. $\square$

(run-sure)=
### Sure at every length

In chapter 2 the {term}`cross-entropy` climbed to 1 bit. A comparison read off directly, as $s = (2g + 1)/(i + 1)$ in one layer, does the same.

Compiled for softmax, MAJORITY has the logit $\pm\tfrac12$ at every length, and under layer normalization $\pm\tfrac12 \sqrt{8/5}$. (A conjunction
at the root has at least a half.) So one output weight fixes the cross-entropy for all lengths: $-\ln(e^\eta - 1) / |s|$ for $\eta$ nats.
"""

# %%
direct = Construction(Space("0", "1", "CLS", "s"), by_hand.word, {},
                      Layer(Head({"s": 2 * one - 2 * zero - cls}, mask="future")),
                      Space("s")["s"], readout="last")
eta, ns, loss = 0.01, (3, 11, 31, 101, 301, 1001, 3001, 10_001), {}
softly, normally = compiled(majority, "01", "softmax"), compiled(majority, "01", "layer norm")
for name, network, eps in (("read off directly", direct, None),
                           ("compiled, softmax", softly.construction, None),
                           ("compiled, layer norm", normally.construction, 0)):
    least = abs(Encoder(network, eps=eps).logit("1")) if network is not direct else 1
    weight = -log(np.expm1(eta)) / least if network is not direct else 1
    reader = Encoder(replace(network, output=network.output * Fraction(weight)), eps=eps)
    loss[name] = [max(cross_entropy_bits(reader([w]), [2 * w.count("1") > n]).item()
                      for w in ("10" * (n // 2) + "1", "10" * (n // 2) + "0")) for n in ns]

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Cross-entropy of MAJORITY, the greater of two strings of each odd length, with one 1 more than 0s and with one fewer: a logit read off directly fades, the compiled ones stay at $\\eta = 0.01$ nats.", "name": "fig-sure"}, "image": {"alt": "One curve rising to one bit, two flat lines near zero.", "classes": "dark-light"}}
figure, axis = plt.subplots(figsize=(6.4, 2.4))
for (name, bits), style in zip(loss.items(), ("o-", "s-", "^--")):
    axis.plot(ns, bits, style, label=name)
axis.set(xscale="log", xlabel="$|w|$", ylabel="bits a string", ylim=(0, 1.1))
axis.legend();

# %% [markdown]
"""
Hahn's lemma (chapter 2) is not contradicted. It supposes Lipschitz functions, which layer normalization with $\epsilon = 0$ is not, and bounded inputs, which the position $i$ is not; and its attention has no mask.

## Break it

(break-gain)=
### Too small a gain

The theorem asks for $b \ge 9$ at slope 2. **Predict**: if $b$ is smaller, do long strings or short ones fail?

<p class="guess">long|short|both</p>
"""

# %% tags=["hide-output"]
# try: other bases between 2 and 3
for base in (Fraction(3, 2), 2, 3, 9):
    weak = compiled(dyck, "()", "softmax", base=base)
    long = Encoder(weak.construction).logit("()" * 500)
    print(f"b = {float(base)}: {verdict(weak, longest=10)}; ()^500 gets {long:.3f}")

# %% [markdown]
"""
:::{dropdown} Why
Both. The distance is least at $i = 1$ and grows with $i$. So a comparison of *symbols* leaks, that is, comes out between 0 and 1, at the first positions only.

But what leaked stays in the count above it. With $b = \tfrac32$ the leaks of "more closed" on $()()()\dots$
add up to more than a half, the comparison with 0 turns, and the longest of these strings are lost too.

With $b = 3$ all strings to length 10 are right, but the {term}`margins <margin>` no longer prove it for every length, and the verdict says so.
:::

(break-reading)=
### Read otherwise

A construction for hardmax read with softmax, or one for $\epsilon = 0$ read with $\epsilon = 10^{-5}$, is another network.
"""

# %%
hard, normal = compiled(dyck, "()", "hardmax"), compiled(dyck, "()", "layer norm")
print("softmax:", verdict(hard, longest=4, attention="softmax"))
print("eps = 1e-5, to length 8:", verdict(normal, longest=8, eps=1e-5))
fooled = next(k for k in range(1, 1000)
              if Encoder(normal.construction, eps=1e-5).accepts("()" * k + ")("))
w = "()" * fooled + ")("
print(f"... but ()^{fooled} )( is accepted:", Exact(normal.construction, eps=1e-5).accepts(w))

# %% [markdown]
"""
With $\epsilon > 0$ normalization no longer brings the small units, about $1/i$, back to one size: the later the position, the smaller. A late mistake then counts for less than one, and in a string of
{glue:text}`fooled_length` symbols for less than half.

(take-away)=
### Take it away

`to_torch` turns a construction into PyTorch's own `nn.TransformerEncoder` between an embedding table and one linear row: softmax, for strings up to a chosen length, with $\epsilon$ where the construction asks for it. (What needs hardmax cannot be
taken away so.)

`save` writes it to a safetensors file. Where there is no layer normalization, a page of code reads that without this library:
"""

# %%
parity, drawn = constructions.parity(), PARITY.sample(length=100, size=200, seed=0)
network = to_torch(parity)
differences = (network.logits(drawn) - Encoder(parity)(drawn)).abs()
print(network.encoder.layers[1].self_attn)
print(f"largest difference: {differences.max().item():.0e}")
print(LOADER)

# %% [markdown]
"""
## Measured against the paper

Yang and Chiang prove that every formula of their logic, which is `count`, comparisons and Boolean connectives, has such a transformer, for strings of every length and without positions. Here the library's formulas are built and held against every short string, and positions buy
softmax without normalization. The lines below are this book's own.
"""

# %% tags=["hide-input"]
glue("fooled_length", len(w))
for attention in ("hardmax", "softmax", "layer norm"):
    found = [v for (_, kind), v in verdicts.items() if kind == attention]
    claims.settle("library: formulas",
                  here=f"{len(found)}, on {sum(v.strings for v in found):,} strings",
                  agrees=all(v.counterexample is None and v.kind == PROVED for v in found),
                  settles=attention, attention=attention)

# %% tags=["hide-input"]
claims.settle("library", here=len(plainly_wrong), agrees=plainly_wrong == [])
encodings = [f for f, _ in halves.construction.position]
claims.settle("halves", here=", ".join(encodings),
              agrees=(set(encodings) == {"i", "i/n", "n-1", "[n=1]"}
                      and verdicts["PARITY, by halves", "softmax"].kind == PROVED))
softly_sizes = {str(4 * Exact(softly.construction).decide(w).s**2) for w in strings}
claims.settle("sure: softmax", here=", ".join(softly_sizes), agrees=softly_sizes == {"1"})
normal_sizes = [4 * arb(Exact(normally.construction, eps=0).decide(w).s)**2 for w in strings]
claims.settle("sure: layer norm", here="8/5",
              agrees=all(x.overlaps(arb(8) / 5) for x in normal_sizes))

# %% tags=["hide-input"]
for name in ("compiled, softmax", "compiled, layer norm"):
    bits = max(loss[name])
    claims.settle("sure: cross-entropy", here=f"{bits * log(2):.4f} nats",
                  agrees=bits * log(2) < eta + 1e-6, which=name, eta=eta)
claims.settle("sure", here=f"{loss['read off directly'][-1]:.3f} bits",
              agrees=loss["read off directly"][-1] > 0.99)
soft = compiled(dyck, "()", "softmax")
for name, taken, eps in (("PARITY", parity, None),
                         ("Dyck-1 for softmax", soft.construction, None),
                         ("Dyck-1 under layer normalization", normal.construction, 0)):
    drawn = ["".join(np.random.default_rng(k).choice(taken.alphabet, 100)) for k in range(200)]
    apart = (to_torch(taken, eps=eps).logits(drawn) - Encoder(taken, eps=eps)(drawn)).abs().max()
    claims.settle("away", here=f"{'at most' if apart <= 1e-12 else 'above'} 1e-12",
                  agrees=apart.item() <= 1e-12, which=name)
claims.table()

# %% [markdown]
"""
## Exercises

**1 (compute).** How many heads does the compiler use for Dyck-1 and hardmax, and what does each do? (One can do with one fewer: see $a \ge b$ as the negation of $b \ge a + 1$.)
"""

# %%
# try: your number in place of the dots
check("8.1", ...)

# %% tags=["hide-cell"]
for number, layer in enumerate(hard.construction.layers, start=1):
    for head in layer.heads:
        print(number, "averages" if head.is_uniform else "compares", [name for name, _ in head.v])
check("8.1", sum(len(layer.heads) for layer in hard.construction.layers))

# %% [markdown]
"""
**2 (modify).** State the strings $0^m 1^n$ with $n > m \ge 1$, compile your formula for softmax, and check it on every string to length 10.
"""

# %%
# try: your formula, or its text, in place of the dots
check("8.2", ...)

# %% tags=["hide-cell"]
answer = formula('never(Q("0") and once(Q("1"))) and count(Q("1")) > count(Q("0")) >= 1', "01")
blocks = compiled(answer, "01", "softmax")
assert all(holds(answer, w) == ("10" not in w and w.count("1") > w.count("0") >= 1)
           for length in range(11) for w in blocks.language.all_strings(length))
print(verdict(blocks, longest=10))
check("8.2", answer)

# %% [markdown]
"""
**3 (prove or refute).** "If the base is below 9, a comparison of numbers of symbols is inexact at infinitely many positions." And a comparison of counts of such comparisons?

<p class="guess">proved|refuted</p>
"""

# %%
# try: "proved", or a pair: a base below 9, and a position from which on all is exact
check("8.3", ...)

# %% [markdown]
"""
:::{dropdown} Solution
Refuted for every base above 1. By the theorem's proof $2 D'(L) \ge \coth \tfrac c2 - \tfrac2c$, a positive constant, so $D(L)$ grows without bound, and from some position on $2 D \ge \tfrac12$: the clip is exact
there, whatever the string.

One level up it can happen. The proof needs whole $g$, and a leak makes counts that are not. With $b = (4/3)^6$ the formula `once(Q("1"))` leaks $\tfrac{17}{182}$ at the first symbol of $0^n$ and nothing later.

So `91*count(once(Q("1"))) >= 9` asks for the sign of
$2 (91 \cdot \tfrac{17}{182} - 9) + 1 = 0$, and its truth value is $\tfrac12$ at every position.
:::
"""

# %% tags=["hide-cell"]
leaking = {base: [i for i in range(1, 60) if not 2 * distance(i, base) >= 0.5]
           for base in (1.2, 1.5, 2, 3, 8)}
print({base: max(places) for base, places in leaking.items()})
check("8.3", (1.5, max(leaking[1.5]) + 1))
halfway = compiled('91*count(once(Q("1"))) >= 9', "01", "softmax", base=Fraction(4, 3)**6)
print([Encoder(halfway.construction).logit("0" * n) for n in (1, 10, 100)])

# %% [markdown]
"""
## What next

Counts nested deeper say more: Yang, Cadilhac and Chiang {cite}`yang2025` prove that each depth adds languages. Which of these machines a learner finds, and to which lengths, is what Huang and others
{cite}`huang2025` ask. The [playground](playground) lets you run the book's constructions, and [Adapt this book](adapt) shows how to add yours.

### Since then

Tracr {cite}`lindner2023` compiles RASP {cite}`weiss2021`, a larger language, for inputs up to a chosen length. Here the weights do not depend on the length.
"""
