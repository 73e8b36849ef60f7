# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Record of chapter 8: From formulas to transformers

**Asked**: are compiled formulas right at every length, and how sure of their answers are they? Yang and Chiang {cite}`yang2024` prove that every formula of their logic of counts becomes a softmax transformer, with layer normalization and a mask and without positions, that is right at every length. They print no numbers. [Our compiler](08_formulas_to_transformers) makes such transformers in three ways, and this page checks them.

**What holds** (*proved for every length*, in exact arithmetic)

- Compiled formulas are right in all three ways: by [softmax at constant gain](#formulas-distance), with one base $b$ for all lengths and with the position $i$ as an unbounded input; [under layer normalization](#normalized) with $\epsilon = 0$; and by averaging hardmax.
- Compiled for softmax, or for layer normalization with $\epsilon = 0$, MAJORITY [stays as sure](#run-sure) as it is on short strings.
- By hardmax or softmax, and with `total`, PARITY needs [no encoding that tells odd from even](#run-halves).

**What does not hold.** Some compiled formulas fail if [the gain](#break-gain) is too small, or if they are read by [another attention](#break-reading) than the one they were compiled for.

**What is not known**: the first length at which each float type errs. The lesson [tries some strings](#formulas-cost).

**What is not in the paper**: softmax at constant gain, hardmax, `total`, `mod` and `previous` are this book's own.
"""

# %% [markdown]
r"""
(formulas-table)=
## Outcome

The criteria are ours, and the build stops where one is not met. *Margins suffice* means that base and slope meet the conditions of the theorems. [What counts cannot say](#formulas-settle), [`previous`](#looking-back) and [what breaks a formula](#break-gain) have sections of their own, but no line in the table.
"""

# %% tags=["remove-input"]
from chapters.common.outcome import outcome_table

outcome_table("08_formulas_to_transformers")

# %% tags=["hide-input"]
from dataclasses import replace
from fractions import Fraction
from math import log

import matplotlib.pyplot as plt
import numpy as np
from flint import arb

from chapters.formulas_to_transformers.figures import distance
from lib import constructions
from lib.formulas import LIBRARY, FormulaError, Q, compiled, count, depth, formula, holds, never
from lib.formulas.stated import PARITY_BY_HALVES
from lib.judging import judge
from record.notebook import glue, markdown_table, stream_table, use_style
from lib.transformer import (Construction, Encoder, Exact, Head, Layer, Reading, Space,
    cross_entropy_bits, to_torch)
from record.claims import PROVED, Claims

use_style()
claims = Claims("08_formulas_to_transformers")

# %% [markdown]
r"""
## Which formulas can be compiled?

A formula speaks of one position of a string. `Q("1")` holds where the symbol is a 1, and `count(φ)` is the number of positions up to there at which φ holds. So `count(Q("1")) > count(Q("0"))` says that there have been more 1s than 0s so far. With whole-number combinations of counts, comparisons, `and`, `or` and `not`, this is the logic of Yang and Chiang. Four words are short forms: `once(φ)` means `count(φ) >= 1`; `never(φ)` means `count(φ) == 0`; `always(φ)` means `never(not φ)`; and `position` counts everything. A conditional `x if φ else y` in a comparison becomes two comparisons.

This book adds three words that are no short forms. `previous(φ)` [looks back](#looking-back) by one position. `total(φ)` counts in the whole string, by a head without mask. `mod(m, r)` holds at the positions that leave the remainder $r$ when divided by $m$, and needs an encoding of its own.

A formula holds for a string if it holds at the string's last position. For the empty string that is CLS, where every count is 0. You can write a formula with Python's operators or as text, and an error message names the place of a mistake:
"""

# %%
majority = count(Q("1")) > count(Q("0"))
dyck = (count(Q("(")) == count(Q(")"))) & never(count(Q(")")) > count(Q("(")))
text = 'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))'
print("Dyck-1:", [w for w in ("", "()", ")(", "(()())") if holds(formula(text, "()"), w)])
try:
    formula('count(Q("(")) == count(Q("]"))', "()")
except FormulaError as error:
    print(error)

# %% [markdown]
r"""
(run-library)=
## Are compiled formulas right?

*Yes, all formulas of our library are.* Each is compiled for hardmax, softmax and layer normalization, and {term}`decided exactly` on every string of up to 9 symbols (6 for an alphabet of three). The repository's tests go on to 12 (or 7).

How do we know the correct answer? We have two sources: an interpreter, which shares only the syntax with the compiler, and a line of Python, which knows nothing of formulas. They agree on each string up to those lengths. At every length the network agrees with the interpreter, by the [theorems](#formulas-distance), whose conditions `judge` checks.

The table has the size of each network, as layers / heads / {term}`coordinates <coordinate>`. *Levels* says how deep counts and totals are nested. It does not count `position`, which the lesson's theorem leaves out too.
"""

# %% tags=["hide-input"]
def by_erasing(w):
    """Whether erasing () again and again leaves nothing: Dyck-1."""
    while "()" in w:
        w = w.replace("()", "")
    return w == ""


plain = {  # the languages, without formulas
    "MAJORITY": lambda w: 2 * w.count("1") > len(w),
    "exactly two 1s": lambda w: w.count("1") == 2,
    "at least a third are 1s": lambda w: 3 * w.count("1") >= len(w),
    "Dyck-1": by_erasing,
    "a*b*": lambda w: "ba" not in w,
    "(ab)*": lambda w: w == "ab" * (len(w) // 2),
    "aⁿbⁿcⁿ": lambda w: w == "".join(a * (len(w) // 3) for a in "abc"),
    "PARITY": lambda w: w.count("1") % 2 == 1,
    "PARITY, by halves": lambda w: w.count("1") % 2 == 1,
    "FIRST": lambda w: w[:1] == "1",
    "ONE": lambda w: w.count("1") == 1,
}

# %% tags=["hide-input"]
longest, table, verdicts, plainly_wrong = 9, [], {}, []
for stated in LIBRARY:
    sizes, limit = [], longest if len(stated.alphabet) == 2 else 6
    language = stated.language
    words = [w for length in range(limit + 1) for w in language.all_strings(length)]
    plainly_wrong += [w for w in words if plain[stated.name](w) != language.contains(w)]
    for attention in ("hardmax", "softmax", "layer norm"):
        try:
            machine = compiled(stated.text, stated.alphabet, attention)
        except FormulaError:
            sizes.append("–")
            continue
        verdicts[stated.name, attention] = judge(machine, longest=limit)
        size = machine.construction.size
        sizes.append(f"{size['layers']} / {size['heads']} / {size['coordinates']}")
    name = stated.name.replace("*", r"\*")  # no italics
    table.append((f"{name}<br>`{stated.text}`", depth(stated.formula), *sizes))
for attention in ("hardmax", "softmax", "layer norm"):
    found = [v for (_, kind), v in verdicts.items() if kind == attention]
    claims.settle(
        "library: formulas", here=f"{len(found)}, on {sum(v.strings for v in found):,} strings",
        agrees=all(v.counterexample is None and v.kind == PROVED for v in found),
        settles=attention, attention=attention,
    )
claims.settle("library", here=len(plainly_wrong), agrees=plainly_wrong == [])
print({found.headline for found in verdicts.values()})
markdown_table(("language, formula", "levels", "hardmax", "softmax", "layer norm"), table)

# %% [markdown]
r"""
Why are there dashes? None of the three compilers compares a `count`, which attention divides by $i + 1$, with a `total`, which it divides by $n$. The one exception is `position`: for hardmax and softmax it is also an encoding, $i/n$, but for layer normalization it is not.

(run-halves)=
### PARITY without a mark for odd positions

With `mod(2, 1)`, true at odd positions, the formula for PARITY says what chapter 2 built: some odd position equals the number $k$ of 1s. The next formula needs no such mark. It says that no position is *half* of $k$, and that there is a 1:

$$
\#\{\, i : 2i = k \,\} = 0 \quad\text{and}\quad k \ge 1 .
$$

Positions are counted from 1, so the first part says that $k$ is odd or 0. The first line of the output lists the position encodings that the network has. None of them tells odd from even:
"""

# %%
halves = compiled(PARITY_BY_HALVES.text, "01", "softmax")
encodings = [f for f, _ in halves.construction.position]
print(encodings, judge(halves, longest=9), sep="\n")
claims.settle(
    "halves", here=", ".join(encodings), agrees=set(encodings) == {"i", "i/n", "n-1", "[n=1]"}
    and verdicts["PARITY, by halves", "softmax"].kind == PROVED,
)

# %% [markdown]
r"""
(formulas-settle)=
### What counts of the past cannot say

PARITY needs `total` or `mod`. The reason is what a formula does on 1, 11, 111 and so on, where PARITY alternates forever. [The lesson](#what-counts-cannot-say) proves that a formula without `total` and `mod` changes its mind on $1^n$ only finitely often. The proof also covers conditionals, because from some position on a conditional always takes the same branch. It cannot cover `total` and `mod`, which the library's two formulas for PARITY use.

For each formula over 0 and 1, the output gives the last $n$ up to 40 at which it changes its mind.
"""

# %%
for stated in LIBRARY:
    if stated.alphabet == "01":
        held = [holds(stated.formula, "1" * n) for n in range(41)]
        changes = [n for n in range(1, 41) if held[n] != held[n - 1]]
        last = "still changing at 40" if 40 in changes else max(changes, default="never")
        print(f"{stated.name:24} last change: {last}")

# %% [markdown]
r"""
## Why they are right at every length

Each compiler has a proof of its own.

### Hardmax: a comparison by hand

MAJORITY asks whether there are more 1s than 0s, that is, whether $g = k_1 - k_0 - 1 \ge 0$, where $k_a$ is the number of symbols $a$ so far. Our network has two layers.

*Layer 1 averages.* Its head has no query, so it finds $k_1/(i+1)$, $k_0/(i+1)$ and, from CLS, $1/(i+1)$.

*Layer 2 compares.* Its head has the query $(2g + 1)/(i + 1)$, which is positive if $g \ge 0$ and negative if not. It is never 0, because $g$ is whole. The key is 1 at CLS and 0 elsewhere. If the query is positive, CLS has the largest logit, and the head returns 1; if it is negative, the other tokens have the largest logit, and the head returns 0. CLS sees only itself and gets 1, although $g = -1$ there, so the output takes this 1 back.
"""

# %%
S = Space("0", "1", "CLS", "k₀/(i+1)", "k₁/(i+1)", "1/(i+1)", "g≥0")
zero, one, cls, k0, k1, unit, answer = S

average = Layer(Head(v={"k₀/(i+1)": zero, "k₁/(i+1)": one, "1/(i+1)": cls}, mask="future"))
compare = Layer(Head(q=[2 * (k1 - k0 - unit) + unit], k=[cls], v={"g≥0": cls}, mask="future"))
by_hand = Construction(
    S,
    word={"0": zero, "1": one, "CLS": cls},
    position={},
    layers=[average, compare],
    output=answer - cls - Fraction(1, 2),
    name="MAJORITY",
    readout="last",
)
trace = Exact(by_hand, "hardmax").trace("0110")
stream_table(trace.a[2], trace.tokens[0])

# %% [markdown]
r"""
The columns are the positions of 0110. After the first three symbols there are two 1s and one 0, so $g = 0$, and the answer in the last row is 1. After the fourth $g = -1$, and the answer is 0.

The compiler makes the same network, under longer names: the logits agree on every string of up to 8 symbols.
"""

# %%
machine = compiled(majority, "01", "hardmax")
strings = [w for length in range(9) for w in machine.language.all_strings(length)]
assert all(Exact(by_hand, "hardmax").logit(w) == Exact(machine).logit(w) for w in strings)
print(machine.construction.size, "hand:", by_hand.size)

# %% [markdown]
r"""
The same works for every formula: at each position, CLS included, the network has a number that is exactly 1 if the formula holds there and exactly 0 if not. *Proved for every length.*

:::{dropdown} Proof
By induction on the formula φ. Comparisons of conditionals are rewritten beforehand as connectives of comparisons without conditionals.

- *Symbols, CLS and `mod`* are coordinates of the embedding and of the position encoding.
- *Connectives.* Not φ is $1 - φ$. A conjunction of $m$ parts is $\max(0, \text{sum} - m + 1)$, since the sum is $m$ if all hold and at most $m - 1$ if not. A disjunction is 1 minus the conjunction of the negations.
- *Counts.* A head without a query averages a value that is 1 at each symbol where φ holds, and 0 at the others and at CLS. With a mask it finds the count divided by $d = i + 1$, and without one the `total` divided by $d = n$. From CLS the same heads get $1/d$.
- *Comparisons.* Each is $g \ge 0$ for a whole number $g$, or a connective of two such, and $g$ is a constant plus multiples of counts that all have the same $d$ (the compiler refuses all others). So the averages give $(2g + 1)/d$, and the head above returns 1 if $g \ge 0$ and 0 if not. The exception is a head that sees CLS alone, and returns 1. There all counts are 0, so $g$ is its constant, and if that is negative the compiler takes the 1 back.
- `previous` is the lemma [below](#looking-back).

The output is the truth value at the last token minus a half. For a conjunction of $m$ parts at the root, the output is their sum minus $m - \tfrac12$. Both are above 0 if and only if the formula holds. $\square$
:::

The compiler builds a part that occurs several times only once, and everything as early as it can. For hardmax and softmax each level of counts costs two layers, one to average and one to compare. A test `==` costs no more: one of its two comparisons always holds, so the test is the sum of their answers minus 1. A chain such as `3 <= count(φ) <= 5` is an `and`. For softmax a connective below the root costs one layer; for hardmax it often finds room in an existing feed-forward network.

(formulas-distance)=
### Softmax at constant gain

Softmax compares by leaning: a head returns a mean position, which is to the right of the middle $i/2$ if $g \ge 0$ and to the left of it if not. A *clip* in the feed-forward network turns the distance from the middle into 0 or 1.

The theorem and its proof are in [the lesson](#constant-gain). The theorem assumes that the mask shows position $i$ the positions $0$ to $i$, that the encoding is $i$ itself, that $i \ge 1$ and $g$ is whole, that $b > 1$ is the same at every length, and that arithmetic is exact. The result is 0 or 1 if the clip's slope $a$ satisfies $a (\sqrt b - 1) \ge \sqrt b + 1$. The compiler takes $a = 2$ and $b = 16$, for which this says $6 \ge 5$.

Two cases need something more. At $i = 0$ the mean is 0 whatever the query. There every count is 0 and the truth value is known beforehand, so the clip's input is moved by $\pm 1$. For `total` a head without mask does the same over $j = 0, \dots, n - 1$, and the case known beforehand is then $n = 1$.

In floats the clip has to add a half to $2 (m - i/2)$, where $m$ is the mean position. This term grows with the position, until float16 loses the half beside it on [the lesson](#formulas-cost)'s strings.

{term}`Balls <ball>` confirm the theorem's bound on the distance of $m$ from the middle. The bound is reached at the first position, and later positions have room to spare:
"""

# %%
places = (*range(1, 10), *(round(1.5**k) for k in range(6, 16)))
for b in (4, 9, 16):
    distances = [distance(i, b) for i in places]
    root = arb(b).sqrt()
    bound = (root - 1) / (root + 1) / 2  # for every position and every whole g
    assert distances[0].overlaps(bound) and all(d > bound for d in distances[1:])
    print(f"b = {b:2}: bound {float(bound):.3f}, at i = {places[-1]}: {float(distances[-1]):.1f}")

# %% [markdown]
r"""
(looking-back)=
### Looking back by one position

`previous(φ)` holds where φ held one position before; at the first position and at CLS it does not hold. [Chapter 11](11_every_length) uses it. A head with a strict mask computes it: position $i$ sees $0, \dots, i - 1$. Each position $j$ of these has the logit $j$ in base $b$, so it weighs $b^j$, and the nearest one, $i - 1$, weighs most. The value is what φ says at $j$, and 0 at CLS.

**Lemma.** By hardmax the head returns exactly what φ says at $i - 1$. By softmax with $b > 1$ it returns more than $1 - \frac1b$ if φ holds at $i - 1$, and less than $\frac1b$ if not. If $b (a - 1) \ge 2a$, a clip around $\frac12$ of slope $a$ makes exactly 1 or 0 of this, at every length. For $a = 2$ the condition is $b \ge 4$, and the compiler's 16 meets it.

*Proof.* Hardmax attends to the largest logit alone, that of $i - 1$. By softmax all positions before $i - 1$ together weigh $1 + b + \dots + b^{i-2} < b^{i-1}/(b - 1)$. So $i-1$ has a weight of more than $1/(1 + \frac{1}{b-1}) = 1 - \frac1b$, and the others have less than $\frac1b$ together. The mean therefore differs from $\frac12$ by more than $\frac12 - \frac1b$, and $a (\frac12 - \frac1b) \ge \frac12$ is the condition. Position 1 sees CLS alone and CLS sees nothing: both get 0. $\square$

Under layer normalization the compiler has no positions by which to find $i - 1$, and refuses. The lesson's induction covers `previous` too: if φ is constant on $1^n$ from some position on, so is `previous(φ)` from the next. So, without `total` and `mod`, `previous` does not help to say PARITY either.

(normalized)=
### Layer normalization

How can averages be compared at a position far to the right, where they are tiny? Take MAJORITY on 110, at its last two positions. Truth values are $+1$ and $-1$ here. Attention finds the counts as multiples of a *unit*, $u = 1/(i+1)$, and the comparison is such a multiple too: $(2g + 1)\,u$ with $g = k_1 - k_0 - 1$. But $u$ shrinks with the position, and truth values do not. (The first normalization multiplies all numbers of a position by one factor, which the table leaves out.)

| | at $i = 2$, after 11 | at $i = 3$, after 110 |
|---|---|---|
| $k_1 u$, $k_0 u$ and $u$ | $\frac23$, $0$ and $\frac13$ | $\frac24$, $\frac14$ and $\frac14$ |
| more 1s than 0s? $(2g+1)\,u$ | $3 \cdot \frac13 = 1$, where $g = 1$ | $1 \cdot \frac14 = \frac14$, where $g = 0$ |
| is the symbol a 1? | $+1$ | $-1$ |
| both, brought to the size $u$ | $+\frac13$ and $+\frac13$ | $+\frac14$ and $-\frac14$ |
| both, after layer normalization | $+\kappa$ and $+\kappa$ | $+\kappa$ and $-\kappa$ |

So the feed-forward network brings *everything* at a position, old truth values included, to the size of that position's unit, and erases the counts. Then all coordinates that are left have one size, and layer normalization with $\epsilon = 0$ makes it the same $\kappa$ at all positions. In this way a count with its comparison takes one layer.

**Theorem.** Let a formula of counts up to the position, or of totals without positions, be compiled for layer normalization with $\epsilon = 0$. Then it is decided correctly at every length.

*Proof.* By induction over the layers. The claim is that before each layer *the same coordinates are 0 at every position, and each other coordinate is $+\kappa$ or $-\kappa$, with one $\kappa$ for all positions*. Among the other coordinates is a constant, which is always $+\kappa$. The embedding has this form, with $\kappa = 1$. We show that a layer answers correctly, and that its output has this form again. The space is {term}`mirrored` as in [chapter 3](03_layer_norm), so means are 0, and a normalization only multiplies a vector by a positive number.

1. *Attention counts.* Half the sum of a truth value and the constant is $\kappa$ where the formula holds and 0 elsewhere. A head averages this number, with CLS taken out, and gets $\kappa C/(i+1)$ for a count $C$, or $\kappa C/n$ for a total. From CLS alone a head gets the unit, $\kappa/(i+1)$ or $\kappa/n$. The first normalization multiplies all that position $i$ holds by some $r_i > 0$.
2. *Nothing that needs a sign is too small.* Let $u$ be the multiplied unit: $r_i\kappa/n$ if the layer has totals, else $r_i\kappa/(i+1)$, and $r_i\kappa$ in a layer without counts. A comparison is $2g + 1$ times $r_i\kappa/(i+1)$ or $r_i\kappa/n$. A truth value is $\pm r_i\kappa$. A conjunction of $m$ parts, $T$ of them true, is $2T - 2m + 1$ times $r_i\kappa$. Odd numbers are not 0, so each of these is at least $u$ in size.
3. *The feed-forward network brings all of them to the size $u$.* If $|h| \ge u$, then $\max(0, 2h + u) - \max(0, 2h - u) - u$ is $u$ for positive $h$ and $-u$ for negative. Where there are counts, this clip replaces every old truth value too, and each count, a number $C' \ge 0$, is erased by subtracting $\max(0, C')$.
4. *The second normalization makes the sizes equal.* Now the same coordinates are 0 at every position, and each other one is $\pm u$. If $d'$ of the $d$ coordinates are not 0, the normalization makes them $\pm\sqrt{d / d'}$ at every position. $\square$

Layer normalization saves layers and heads, and pays with coordinates:
"""

# %%
rows = []
for attention in ("hardmax", "softmax", "layer norm"):
    size = compiled(dyck, "()", attention).construction.size
    rows.append((attention, *size.values()))
markdown_table(("Dyck-1 for", *size), rows)

# %% [markdown]
r"""
(run-sure)=
## How sure are they at every length?

*Compiled, MAJORITY is equally sure at every length; a comparison read off directly fades to a coin toss.* Read off directly after one layer, the output is $s = (2g + 1)/(i + 1)$. If the 1s lead by only one, this goes to 0 as the string grows, and its {term}`cross-entropy` climbs to 1 bit, as in chapter 2.

Compiled for softmax, MAJORITY has the logit $\pm\tfrac12$ at every length, because the last clip returns 0 or 1 and the output subtracts $\tfrac12$. Under layer normalization the logit is $\pm\tfrac12 \sqrt{8/5}$, because 10 of the 16 mirrored coordinates are not 0. If the root is a conjunction, $|s|$ is at least a half. So one output weight fixes the cross-entropy for all lengths: $-\ln(e^\eta - 1) / |s|$ for $\eta$ nats.

Hahn's lemma, by which confidence has to fade, does not apply here. It assumes Lipschitz functions (layer normalization with $\epsilon = 0$ is none), bounded inputs (the position $i$ is not bounded), and attention without a mask.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A logit read off directly fades, and the compiled ones stay at $\\eta = 0.01$ nats.* Cross-entropy of MAJORITY on the worse of two strings of each length shown: one has one 1 more than 0s, the other one fewer.", "name": "fig-sure"}, "image": {"alt": "One curve rising to one bit, two flat lines near zero.", "classes": "dark-light"}}
direct = Construction(
    Space("0", "1", "CLS", "s"),
    by_hand.word,
    {},
    Layer(Head({"s": 2 * one - 2 * zero - cls}, mask="future")),
    Space("s")["s"],
    readout="last",
)
eta, lengths, loss = 0.01, (3, 11, 31, 101, 301, 1001, 3001, 10_001), {}
softly, normally = compiled(majority, "01", "softmax"), compiled(majority, "01", "layer norm")
for name, network in (
    ("read off directly", direct),
    ("compiled, softmax", softly.construction),
    ("compiled, layer norm", normally.construction),
):
    least = abs(Encoder(network).logit("1")) if network is not direct else 1
    weight = -log(np.expm1(eta)) / least if network is not direct else 1
    reader = Encoder(replace(network, output=network.output * Fraction(weight)))
    loss[name] = [
        max(
            cross_entropy_bits(reader([w]), [2 * w.count("1") > n]).item()
            for w in ("10" * (n // 2) + "1", "10" * (n // 2) + "0")
        )
        for n in lengths
    ]
_, axis = plt.subplots(figsize=(6.4, 2.4))
for (name, bits), style in zip(loss.items(), ("o-", "s-", "^--")):
    axis.plot(lengths, bits, style, label=name)
axis.set(xscale="log", xlabel="$|w|$", ylabel="bits a string", ylim=(0, 1.1))
axis.legend();

# %% tags=["hide-input"]
softly_sizes = {str(4 * Exact(softly).decide(w).s ** 2) for w in strings}
claims.settle("sure: softmax", here=", ".join(softly_sizes), agrees=softly_sizes == {"1"})
normal_sizes = [4 * arb(Exact(normally).decide(w).s) ** 2 for w in strings]
claims.settle(
    "sure: layer norm", here="8/5", agrees=all(x.overlaps(arb(8) / 5) for x in normal_sizes)
)
for name in ("compiled, softmax", "compiled, layer norm"):
    bits = max(loss[name])
    claims.settle("sure: cross-entropy", here=f"{bits * log(2):.4f} nats",
                  agrees=bits * log(2) < eta + 1e-6, which=name, eta=eta)
faded = loss["read off directly"][-1]
claims.settle("sure", here=f"{faded:.3f} bits", agrees=faded > 0.99)

# %% [markdown]
r"""
## What breaks them

(break-gain)=
### Too small a gain

The theorem asks for $b \ge 9$ at slope 2. With a smaller base a comparison of *symbols* can *leak*, that is, come out between 0 and 1. It does so at the first positions only, because the distance from the middle is least at $i = 1$ and grows with $i$. But a count of its answers keeps the leak. Dyck-1 shows what follows:

- With $b = \tfrac32$ the leaks of "more closed" on $()()()\dots$ add up to more than a half, and the comparison with 0 flips. So `()` is rejected, and so is `()` repeated 500 times.
- With $b = 2$ the string `()` is rejected, because the sum of the three inexact answers at the root falls short, but `()` repeated 500 times is right.
- With $b = 3$ all strings of up to 10 symbols are right, but the {term}`margins <margin>` no longer prove it for every length.
"""

# %%
for base in (Fraction(3, 2), 2, 3, 9):
    weak = compiled(dyck, "()", "softmax", base=base)
    long = Encoder(weak).logit("()" * 500)
    print(f"b = {float(base)}: {judge(weak, longest=10).headline}; ()^500 gets {long:.3f}")

# %% [markdown]
r"""
*Can a leak spoil every position?* A comparison of symbols is inexact at finitely many positions only, for every base above 1 (the lesson's exercise 3). But a comparison that counts *its* answers may be inexact at all of them, because the proof needs whole $g$ and a leak makes counts that are not whole. With $b = (4/3)^6$, for example, the formula `once(Q("1"))` leaks $\tfrac{17}{182}$ at the first symbol of $0^n$ and nothing later. So `91*count(once(Q("1"))) >= 9` asks for the sign of $2 (91 \cdot \tfrac{17}{182} - 9) + 1 = 0$. Its answer is $\tfrac12$ at every position, and its logit is 0, except for rounding.
"""

# %%
halfway = compiled('91*count(once(Q("1"))) >= 9', "01", "softmax", base=Fraction(4, 3) ** 6)
for n in (1, 10, 100):
    print(f"0^{n}: logit {Encoder(halfway).logit('0' * n):.0e}")

# %% [markdown]
r"""
(break-reading)=
### Another attention

A construction for hardmax that is read with softmax, or one for $\epsilon = 0$ that is read with $\epsilon = 10^{-5}$, is another network. So each compiled construction has a `reading`, which says how it must be read, and our readers refuse any other. Here we change the reading:
"""

# %%
hard, normal = compiled(dyck, "()", "hardmax"), compiled(dyck, "()", "layer norm")
softened = replace(hard.construction, reading=Reading("softmax"))
rounded = replace(normal.construction, reading=Reading("softmax", eps=1e-5))
print("softmax:", judge(softened, hard.language, longest=4))
print("eps = 1e-5, to length 8:", judge(rounded, normal.language, longest=8))
fooled = next(k for k in range(1, 1000) if Encoder(rounded).accepts("()" * k + ")("))
w = "()" * fooled + ")("
glue("fooled_length", len(w))
print(f"... but ()^{fooled} )( is accepted:", Exact(rounded).accepts(w))

# %% [markdown]
r"""
With $\epsilon > 0$ normalization no longer brings the small units, about $1/i$, back to one size: the later the position, the smaller the unit. So a late mistake counts as less than 1, and in a string of {glue:text}`fooled_length` symbols as less than a half.

(take-away)=
## Do they run in PyTorch's own layers?

*Yes: on 200 strings of 100 symbols each, the logits of three networks differ from ours by at most $10^{-12}$ (measured).* The three are PARITY of chapter 2, and Dyck-1 for softmax and for layer normalization. `to_torch` turns a construction into PyTorch's own `nn.TransformerEncoder` between an embedding table and one linear row. Its attention is softmax, and it has an $\epsilon$ where the construction asks for it. Constructions that need hardmax cannot be exported.
"""

# %%
parity, soft = constructions.parity(), compiled(dyck, "()", "softmax")
print(to_torch(parity).encoder.layers[1].self_attn)

# %% tags=["hide-input"]
for name, taken in (
    ("PARITY", parity),
    ("Dyck-1 for softmax", soft),
    ("Dyck-1 under layer normalization", normal),
):
    drawn = ["".join(np.random.default_rng(k).choice(taken.alphabet, 100)) for k in range(200)]
    apart = (to_torch(taken).logits(drawn) - Encoder(taken)(drawn)).abs().max()
    claims.settle(
        "away",
        here=f"{'at most' if apart <= 1e-12 else 'above'} 1e-12",
        agrees=apart.item() <= 1e-12,
        which=name,
    )

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says

# %% [markdown]
r"""
**Since then.** Huang and others {cite}`huang2025` ask which of these transformers a learner finds, and up to which lengths. Tracr {cite}`lindner2023` compiles RASP {cite}`weiss2021`, a larger language, for inputs up to a chosen length. Our compiler's weights do not depend on the length. [What else could I use?](what_else) compares them.
"""
