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
## Claim

So far someone had to invent each transformer. Yang and Chiang {cite}`yang2024` take another way: they define a small language of *counts*, and prove that
whatever it says can be compiled into a softmax transformer whose attention looks at the past only.

This chapter builds such a compiler. A formula goes in; a construction with rational weights comes out, in three kinds: for averaging hardmax, for softmax under
layer normalization, and for plain softmax.

What is surprising is the third. Chapters 2 to 4 needed layer normalization or $\log n$ to keep soft attention sure of itself on long strings. With the
position $i$ itself as an encoding, a **fixed** gain and no normalization are enough: every comparison comes out as exactly 0 or 1, at every length. And PARITY, for
which chapter 2 marked odd positions, can do without that mark.
"""

# %% tags=["hide-input"]
from dataclasses import replace
from fractions import Fraction
from math import log

import matplotlib.pyplot as plt
import numpy as np
from flint import arb

from lib import constructions
from lib.book import DECIDED, PROVED, Claims, glue, markdown_table
from lib.book.figures import COLOURS, REFERENCE, stream_table, use_style
from lib.formulas import LIBRARY, FormulaError, Q, compiled, count, formula, holds, never, verdict
from lib.formulas.library import DYCK_1, MAJORITY, PARITY_BY_HALVES
from lib.languages import PARITY
from lib.transformer import (
    LOADER, Construction, Encoder, Exact, Head, Layer, Space, cross_entropy_bits, to_torch)

use_style()
claims = Claims("08_formulas_to_transformers")
COMPILED, SURE = "ours: compiled formulas", "ours: sure at constant gain"
TAKEN, HALVES = "ours: taken away", "ours: PARITY by halves"

# %% [markdown]
"""
## Construction

### What a formula says

A formula holds at a position of the string or does not. `Q("1")` holds where the symbol is 1; `count(φ)` is the number of positions *up to here* at which φ
holds; counts may be added, multiplied by whole numbers and compared; what results is a formula again. A string belongs to the language if the formula holds at its
last position.
"""

# %%
majority = count(Q("1")) > count(Q("0"))
dyck = (count(Q("(")) == count(Q(")"))) & never(count(Q(")")) > count(Q("(")))
print(dyck)

# %% [markdown]
"""
The second one says: as many brackets are closed as opened, and never were more closed. That is Dyck-1, the well-bracketed strings. `never(φ)` abbreviates
`count(φ) == 0`, so here is a count inside a count. The same formula can be typed as text, with Python's `and`, `or` and `not`; mistakes are named with their place.
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

MAJORITY asks whether $g = k_1 - k_0 - 1 \ge 0$, for $k_a$ the number of symbols $a$ so far. Here it is for **averaging hardmax**, in two layers. The heads are
*masked*: position $i$ sees the positions $0, \dots, i$, and the logit is read at the last one.

The head of layer 1 has no query, so it averages: it finds $k_1/(i+1)$, $k_0/(i+1)$ and, from CLS's own share, $1/(i+1)$. The query of layer 2 is
$(2g + 1)/(i + 1)$, which is never 0 and has the sign that we ask for; its key is 1 at CLS and 0 elsewhere. If the query is positive, the largest logit is CLS's;
if it is negative, everybody else's. **Predict** what the head returns if it reads `CLS`.
"""

# %%
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
It returns 1 or 0: the comparison as a truth value. (CLS itself sees only CLS and always gets 1; there $g = -1$, so the output takes the 1 back.) The compiler
makes the same network, under longer names:
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
`x if φ else y` in a comparison becomes two comparisons. Common parts are made once, everything as early as possible. So each count costs a layer, and each comparison another.

(margin)=
### Softmax at constant gain

Softmax never returns exactly 0 or 1. It can still decide. Let position $i$ attend to $j = 0, \dots, i$ with logit $\frac{2g+1}{i+1}\, j \ln b$, for a constant $b > 1$, and read $j$: the
head returns a *mean position* $m$. A positive query tilts the weights to the right, a negative one to the left ({numref}`fig-tilt`), and the further $m$ is from the middle $i/2$ the
better we can tell.
"""

# %% mystnb={"figure": {"caption": "Attention weights at position $i = 8$ for four values of $g$ ($b = 16$), and their means. However close the comparison, the mean (dots) stays off the middle (line).", "name": "fig-tilt"}, "image": {"alt": "Four bar charts over nine positions; for g of minus two and minus one the weights fall, for zero and one they rise.", "classes": "dark-light"}}
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

A feed-forward network finishes the work: the clip $\max(0, \sigma (m - \tfrac i2) + \tfrac12) - \max(0, \sigma (m - \tfrac i2) - \tfrac12)$ is exactly 0 or 1 once $\sigma |m - \tfrac i2| \ge \tfrac12$,
that is, if $\sigma (\sqrt b - 1) \ge \sqrt b + 1$. With slope $\sigma = 2$ any $b \ge 9$ will do; the compiler takes 16. At CLS ($i = 0$) every count is 0, so the truth value is
known beforehand and added there. (A head without mask does the same over all $n$ positions, for `total` below.) By induction over the formula **every truth value in the network is exactly 0 or 1, at every length.**

Balls confirm the bound where it is tightest, and show the room above it ({numref}`fig-margin`).
"""

# %% mystnb={"figure": {"caption": "The distance of the mean position from the middle for the closest comparisons, $g = 0$, against the position $i$. It is least at $i = 1$, where it meets the bound, and grows with $i$.", "name": "fig-margin"}, "image": {"alt": "Three rising curves on a log-log scale, each starting on a dashed horizontal line.", "classes": "dark-light"}}
def distance(i, b, g=0):
    weights = [((2 * g + 1) * arb(j) / (i + 1) * arb(b).log()).exp() for j in range(i + 1)]
    return sum(j * w for j, w in enumerate(weights)) / sum(weights) - arb(i) / 2

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

The third kind needs no positions, only averages, and one layer for a count with its comparison. Truth values are $+1$ and $-1$. After attention has written $g/(i+1)$, the feed-forward
network clips **everything** at a position to the size of the smallest unit, $1/(i+1)$: comparisons, old truth values, all but the counts, which it erases. What is left has one size up to
sign, and layer normalization with $\epsilon = 0$ makes that size the same everywhere.

:::{dropdown} Proof, for every length
Suppose that all $d'$ coordinates written so far are $\pm\kappa$ at each position, with one $\kappa$ for all positions; the embedding is so with $\kappa = 1$. The space is mirrored as in [chapter 3](03_layer_norm),
so means are 0. The heads average $\pm\kappa$ into counts $\kappa C/(i+1)$. Normalization multiplies position $i$ by some $r_i > 0$, and $w = r_i \kappa/(i+1)$ is its smallest unit. A comparison is
$h = (2g + 1) w$, so $|h| \ge w$, and an old truth value is $h = \pm r_i \kappa$; in both cases $\max(0, 2h + w) - \max(0, 2h - w) - w$ is $\pm w$. Counts are subtracted from themselves. Now every
coordinate that is not 0 is $\pm w$, their number is the same at each position, and the second normalization makes each $\pm\sqrt{d / d'}$. $\square$
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

Each formula of the library is compiled three times and decided exactly on every string to length 9 (6 for three symbols; the tests go to 12). What is right is known twice: from an
interpreter that shares no code with the compiler, and from a line of Python that knows nothing of formulas.
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
The three columns are layers / heads / coordinates. Softmax pays with coordinates, layer normalization with width and saves layers.

(run-halves)=
### PARITY again, and without its mark

`count` looks back; `total` counts in the whole string, by a head without mask. With `mod(2, 1)`, true at odd positions, the line for PARITY says what chapter 2 built: some odd position
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
**What counts of the past cannot say.** *Without `total` and `mod` no formula says PARITY.* Look at the strings $1^n$. There a formula's truth at position $i$ depends on $i$ alone,
and **from some $i$ on it is constant**: symbols are; Boolean combinations of such formulas are; the count of one is, from there on, constant or $i$ minus a constant, so sums and comparisons settle
too (a conditional becomes one of its branches). But PARITY alternates on $1^n$ for ever. $\square$

(run-sure)=
### Sure at every length

In chapter 2 the cross-entropy climbed to 1 bit. A comparison read off directly, as $s = (2g + 1)/(i + 1)$ in one layer, does the same. The compiled network's logit is exactly $\pm\tfrac12$, so one
output weight fixes the cross-entropy for all lengths: $\lambda = -2 \ln(e^\eta - 1)$ for $\eta$ nats.
"""

# %% mystnb={"figure": {"caption": "Cross-entropy of MAJORITY on its two closest strings of each length, with as many 1s as 0s or one more: a logit read off directly fades, the compiled ones stay at $\\eta = 0.01$ nats.", "name": "fig-sure"}, "image": {"alt": "One curve rising to one bit, two flat lines near zero.", "classes": "dark-light"}}
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
figure, axis = plt.subplots(figsize=(6.4, 2.4))
for (name, bits), style in zip(loss.items(), ("o-", "s-", "^--")):
    axis.plot(ns, bits, style, label=name)
axis.set(xscale="log", xlabel="$|w|$", ylabel="bits a string", ylim=(0, 1.1))
axis.legend();

# %% [markdown]
"""
Hahn's lemma (chapter 2) is not contradicted: it supposes position encodings of bounded size, and $i$ is not bounded.

## Break it

(break-gain)=
### Too small a gain

The theorem asks for $b \ge 9$ at slope 2. **Predict**: if $b$ is smaller, do long strings or short ones fail?
"""

# %%
# try: other bases between 2 and 3
for base in (Fraction(3, 2), 2, 3, 9):
    weak = compiled(dyck, "()", "softmax", base=base)
    print(f"b = {float(base)}: {verdict(weak, longest=10)}")

# %% [markdown]
"""
Short ones: the distance is least at $i = 1$ and grows with $i$, so a small gain leaks at the first positions only. What leaked stays in every later count, though. With $b = 3$ all strings to length 10 are
right, but the margins no longer prove it for every length, and the verdict says so.

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
With $\epsilon > 0$ the units of late positions, $w \approx 1/i$, come back a little smaller than those of early ones. A late mistake then weighs less than one, and after
{glue:text}`fooled_length` symbols a count of one mistake falls below a half.

(take-away)=
### Take it away

`to_torch` turns a construction into PyTorch's own `nn.TransformerEncoder` between an embedding table and one linear row. `save` writes it to a safetensors file, which a page of code reads
without this library:
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

Yang and Chiang prove that a transformer exists for every formula of their logic, which is `count`, comparisons and Boolean connectives; here each comes with a proof for every length and a check of every short string. They use no positions, as our third kind.
Nothing in this table repeats a number of theirs: their paper reports none for these networks.
"""

# %% tags=["hide-input"]
glue("fooled_length", len(w))
for attention in ("hardmax", "softmax", "layer norm"):
    found = [v for (_, kind), v in verdicts.items() if kind == attention]
    claims.add(COMPILED, f"formulas of the library right on every string, {attention}",
               paper=None, here=f"{len(found)}, on {sum(v.strings for v in found):,} strings",
               agrees=all(v.counterexample is None and v.kind == "proved for every length"
                          for v in found), settles=attention, cell="run-library",
               truth=PROVED, criterion="no string wrong, margins suffice")

# %% tags=["hide-input"]
claims.add(COMPILED, "strings on which the interpreter and a line of Python differ", paper=None,
           here=len(plainly_wrong), agrees=plainly_wrong == [], cell="run-library",
           truth=DECIDED, criterion="none")
claims.add(HALVES, "formulas: position encodings", paper=None, cell="run-halves",
           here=", ".join(f for f, _ in halves.construction.position), truth=PROVED,
           agrees=not any("mod" in f or "cos" in f for f, _ in halves.construction.position)
           and verdicts["PARITY, by halves", "softmax"].counterexample is None,
           criterion="none tells odd from even; no string wrong")
for name in ("compiled, softmax", "compiled, layer norm"):
    bits = max(loss[name])
    claims.add(SURE, f"greatest cross-entropy to length 10,001 ({name})", paper=None,
               here=f"{bits * log(2):.4f} nats", agrees=bits * log(2) < eta + 1e-6,
               settles=name.removeprefix("compiled, "), cell="run-sure", truth=PROVED,
               criterion=f"at most {eta} nats, to rounding", note="measured in float64")
claims.add(SURE, "cross-entropy read off directly, length 10,001", paper=None, cell="run-sure",
           here=f"{loss['read off directly'][-1]:.3f} bits", criterion="above 0.99 bits",
           agrees=loss["read off directly"][-1] > 0.99)
claims.add(TAKEN, "largest difference from the torch reader, PARITY, 200 strings", paper=None,
           here="at most 1e-12", agrees=differences.max().item() <= 1e-12, cell="take-away",
           criterion="1e-12")
claims.table()

# %% [markdown]
"""
## Exercises

**1 (compute).** How many heads does the formula of Dyck-1 need for hardmax, and what does each do? Count before you look.
"""

# %% tags=["hide-cell"]
for number, layer in enumerate(hard.construction.layers, start=1):
    for head in layer.heads:
        print(number, "averages" if head.is_uniform else "compares", [name for name, _ in head.v])

# %% [markdown]
"""
**2 (modify).** State the strings $0^m 1^n$ with $n > m \ge 1$, compile your formula for softmax, and check it on every string to length 10.
"""

# %% tags=["hide-cell"]
answer = formula('never(Q("0") and once(Q("1"))) and count(Q("1")) > count(Q("0")) >= 1', "01")
blocks = compiled(answer, "01", "softmax")
assert all(holds(answer, w) == ("10" not in w and w.count("1") > w.count("0") >= 1)
           for length in range(11) for w in blocks.language.all_strings(length))
print(verdict(blocks, longest=10))

# %% [markdown]
"""
**3 (prove or refute).** "If the base is below 9, a compiled comparison is inexact at infinitely many positions."

:::{dropdown} Solution
Refuted for every base above 1. By the theorem's proof $2 D'(L) \ge \coth \tfrac c2 - \tfrac2c$, a positive constant, so $D(L)$ grows without bound, and from some position on $2 D \ge \tfrac12$: the clip is exact
there. Only finitely many positions leak, whatever the string.
:::
"""

# %% tags=["hide-cell"]
leaking = {base: [i for i in range(1, 60) if not 2 * distance(i, base) >= 0.5]
           for base in (1.2, 1.5, 2, 3, 8)}
print({base: max(places) for base, places in leaking.items()})

# %% [markdown]
"""
## What next

Counts nested deeper say more: Yang, Cadilhac and Chiang {cite}`yang2025` prove that each depth adds languages. Which of these machines a learner finds, and to which lengths, is what Huang and others
{cite}`huang2025` ask. The [playground](playground) lets you run the book's constructions, and [Adapt this book](adapt) shows how to add yours.

### Since then

The public compilers differ in what they promise. Tracr {cite}`lindner2023` compiles RASP {cite}`weiss2021` for inputs up to a chosen length; here the length is free, and the language smaller.
"""
