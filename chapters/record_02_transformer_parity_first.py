# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Record of chapter 2: A transformer for PARITY

**What the paper states.** Proposition 1 of Chiang and Cholak {cite}`chiang2022` gives a transformer that recognizes PARITY at every length, whose score $s$ is $O(1/n)$. Section 3.3 gives one for FIRST. Both are perfect on random strings of up to 1000 symbols, and their cross-entropy tends to 1 bit (Fig. 2).

**Holds**

- Both transformers recognize their language, by [closed forms](#run-closed-form) of $s$; the score for PARITY is of order $1/n^2$, below the paper's $O(1/n)$. *Proved for every length.*
- Neither errs on our [random strings](#run-random) of up to 1000 symbols, and the [cross-entropy](#run-hahn) is near 1 bit at length 1000. *Measured.* By the closed forms it tends to 1 bit.

**Does not hold as printed**

- Misprints, on which no result rests: one formula has a cosh for a sinh, and [four definitions](#parity-input) do not fit the construction ([errata](errata)).
- An aside in §3.2 says that a [thermometer](#parity-thermometers), which marks all positions up to $k$ instead of $k$ alone, fails at odd $n$. That is true of a thermometer that begins at position 1. The printed one begins at position 0, and fails at even $n$ instead.

**Not known**: the first length at which PARITY errs in float32, for which we have [upper bounds](#run-precision) only. The paper does not ask.

**Where to look**: each line of the [outcome](#parity-table) links to its cells; [the lesson](02_transformer_parity_first) explains the ideas.
"""

# %% tags=["hide-input"]
from dataclasses import replace

import numpy as np
import torch
from flint import arb, ctx

from chapters.transformer_parity_first.figures import confidence
from lib import constructions
from chapters.common.mutants import mutants
from chapters.common.floats import FLOATS, MEANS
from chapters.common.outcome import outcome_table
from lib.languages import FIRST, PARITY
from record.notebook import markdown_table, use_style
from lib.transformer import FFN, Encoder, Exact, Form
from lib.transformer.tensors import sequential
from record.claims import Claims
from chapters.transformer_parity_first.runs import wrong_counts, wrong_counts_in
from record.runs import stored

use_style()
claims = Claims("02_transformer_parity_first")
parity, first = constructions.parity(), constructions.first()
DEPTH = {"row": "ours: float depth of PARITY", "paper": None}
PROPOSITION_1, EQUATION_1 = "C Prop. 1, 3.2, App. A", "C 3.3, Eq. 1"

# %% [markdown]
r"""
(parity-table)=
## Outcome
"""

# %% tags=["remove-input"]
outcome_table("02_transformer_parity_first")

# %% [markdown]
r"""
(run-closed-form)=
## The logit in closed form

What is the score $s$ of a string with $k$ 1s? Let there be $n$ positions, with CLS at 0. The *gain* is the constant $c > 0$, which the paper's query matrices contain as $c\sqrt d$.

*For even $n$* half of the positions are odd, and $s = (-1)^{k+1}\, 2 \tanh(c) / n^2$. For $c = 1$ this is $-\tfrac18 \tanh 1 \approx -0.095$ on 110 ($n = 4$, $k = 2$), and $+0.095$ on 100.

*For odd $n$* there is one more even position. With $Z_1 = \frac{n-1}{2} e^c + \frac{n+1}{2} e^{-c}$ and $Z_2 = \frac{n+1}{2} e^c + \frac{n-1}{2} e^{-c}$ for the two heads' denominators,

$$
\begin{aligned}
ns_{k\text{ odd}}&=\frac{e^c}{Z_1}-\frac{e^{-c}}{Z_2}=\frac{(n+1)\sinh2c}{Z_1Z_2},\\
ns_{k\text{ even}}&=\frac{e^{-c}}{Z_1}-\frac{e^c}{Z_2}=-\frac{(n-1)\sinh2c}{Z_1Z_2}.
\end{aligned}
$$

*Proved for every length:* for $c>0$ and $n\ge2$ these signs are right. At $n=1$ the string is empty, gets $s=0$ and is rejected. That is Proposition 1. $\square$ From $Z_1 Z_2 = (n^2 - 1) \cosh^2 c + 1$ the lesson proves its bounds on $n^2 |s|$.

For odd $n$ and odd $k$ the paper's Appendix A prints $\cosh 2c$ where its own previous line gives $\sinh 2c$. Which is right? We compute $s$ in {term}`balls <ball>` {cite}`johansson2017`, which enclose the exact number. If the ball of a formula does not overlap that of the transformer, the formula is wrong:
"""

# %%
def logit(n, k, c, misprinted=False):
    if n % 2 == 0:
        return (-1) ** (k + 1) * 2 * c.tanh() / n**2
    Z1 = arb(n - 1) / 2 * c.exp() + arb(n + 1) / 2 * (-c).exp()
    Z2 = arb(n + 1) / 2 * c.exp() + arb(n - 1) / 2 * (-c).exp()
    odd = (n + 1) * ((2 * c).cosh() if misprinted else (2 * c).sinh())
    return (odd if k % 2 else -(n - 1) * (2 * c).sinh()) / (n * Z1 * Z2)


agree, odd, excluded = [], 0, 0
with ctx.workprec(128):
    for c in (0.5, 1, 3):
        reader = Exact(constructions.parity(c))
        for n, k in ((length, ones) for length in range(2, 25) for ones in range(length)):
            ball = reader.logit("1" * k + "0" * (n - 1 - k), bits=128)
            formula = logit(n, k, arb(c))
            assert min(ball.rel_accuracy_bits(), formula.rel_accuracy_bits()) > 100
            agree.append(formula.overlaps(ball))
            odd += n % 2 == 1 and k % 2 == 1
            excluded += not logit(n, k, arb(c), misprinted=True).overlaps(ball)
print(
    f"{sum(agree)} of {len(agree)} logits agree to 100 bits; "
    f"the printed formula is excluded in {excluded} of {odd} cases with odd n and k"
)

# %% tags=["hide-input"]
claims.settle(
    "closed-form: closed forms", here=f"{sum(agree)} of {len(agree)}", agrees=all(agree)
)
every = "every length" if all(agree) else "a closed form is wrong"
claims.settle("every length: PARITY", here=every, agrees=all(agree))
s, right, printed = (
    f"{float(x):.5f}"
    for x in (
        Exact(constructions.parity(0.7)).logit("10"),
        logit(3, 1, arb(0.7)),
        logit(3, 1, arb(0.7), misprinted=True),
    )
)
claims.correct(
    "C&C Appendix A, n odd, k odd",
    holds=all(agree) and excluded == odd and s == right != printed,
    excluded=excluded,
    found={"excluded": excluded, "cases": odd},
    odd=odd,
    s=s,
    right=right,
    as_printed=printed,
)
claims.correct("C&C Appendix A, n odd, k even", holds=Exact(parity).decide("").sign == 0)

# %% [markdown]
r"""
For FIRST, $s = \frac{e^c}{e^c+n-1} \bigl(\mathbb{I}[w_1=1]-\tfrac12\bigr)$, the paper's Equation (1), holds for every $n \ge 2$, because CLS gives position 1 the weight $e^c / (e^c + n - 1)$ and all other values are 0. Its sign is right for every $c$. $\square$ At $n = 1$ there is no $w_1$: the printed equation gives $-\tfrac12$, but the transformer gives exactly 0.
"""

# %% tags=["hide-input"]
reader, equal, e = Exact(first), [], arb(1).exp()
for w in (w for length in range(1, 9) for w in FIRST.all_strings(length)):
    equal.append((e / (e + len(w)) * (arb(w[0] == "1") - 0.5)).overlaps(reader.logit(w)))
claims.settle("closed-form: Eq. 1", here=f"{sum(equal)} of {len(equal)}", agrees=all(equal))
every = "every length" if all(equal) else "Eq. (1) is wrong"
claims.settle("every length: FIRST", here=every, agrees=all(equal))
claims.correct("C&C Eq. (1)", holds=reader.decide("").sign == 0)
print(f"Equation (1) holds on {sum(equal)} of {len(equal)} strings to 8 symbols")

# %% [markdown]
r"""
## Decisions

(run-exact)=
### Every string up to length 12, with proof

How can a computer be sure of the sign of $s$? Softmax makes $s$ irrational, so rounding might choose its sign. The exact reader computes with rational numbers where it can, and elsewhere with balls, and it doubles the bits until the ball excludes 0. The output shows $s$ on ten 1s and twenty 0s. The first ball contains 0. The second excludes it, so $s < 0$ is proved:
"""

# %%
# try: other strings, such as "110"
for bits in (4, 8, 16, 32):
    print(f"{bits:2} bits:", Exact(parity).logit("1" * 10 + "0" * 20, bits))

# %% [markdown]
r"""
*Does the doubling end?* If $s = 0$, every ball contains 0, and the reader must recognize the zero in another way.

*If one head writes the score*, the score is a quotient. The numerator is $\sum_\ell V_\ell e^\ell$ over the distinct rational logits $\ell$, where the rational number $V_\ell$ is the sum of the values of all positions with logit $\ell$. By the Lindemann–Weierstrass theorem {cite}`baker1975` the numerator is zero only if every $V_\ell$ is zero, which rational arithmetic sees.

*If two heads write it*, they might cancel each other, and then the reader would say {term}`undecided`. For PARITY the two heads do not cancel if $n \ge 2$, by the [closed form](#run-closed-form). At $n = 1$ all numbers are rational.

So the reader decides every string of up to 12 symbols, for both languages. The only {term}`tie` is the empty string. It is rejected, which is correct, because acceptance asks for a probability *above* $\tfrac12$.
"""

# %% tags=["hide-input"]
strings = [w for length in range(13) for w in PARITY.all_strings(length)]
for construction, language in ((parity, PARITY), (first, FIRST)):
    decisions = [Exact(construction).decide(w) for w in strings]
    wrong = language.errors(strings, [decision.accepts for decision in decisions])
    proved = sum(decision.sign is not None for decision in decisions)
    ties = [w for w, decision in zip(strings, decisions) if decision.sign == 0]
    print(f"{language}: {proved} of {len(strings)} proved, {len(wrong)} wrong, s = 0 on {ties}")
    claims.settle(
        "exact: recognizes",
        here=len(wrong),
        agrees=not wrong,
        row=PROPOSITION_1 if language is PARITY else EQUATION_1,
        printed="section 3.2" if language is PARITY else "section 3.3",
    )
    claims.settle(
        "exact", here=f"{proved} of {len(strings)}", agrees=proved == len(strings),
        language=language,
    )

# %% [markdown]
r"""
(run-random)=
### Random strings of every length up to 1000

The paper draws lengths from 1 to 1000 and reports perfect accuracy (§3.4). We find no error either, on two random strings of each length in two float types. For PARITY one string of a million symbols, which the outcome does not count, is decided correctly as well:
"""

# %% tags=["hide-input"]
for construction, language in ((parity, PARITY), (first, FIRST)):
    for dtype in (torch.float32, torch.float64):
        reader = Encoder(construction, dtype)
        pairs = [language.sample(length, size=2, seed=length) for length in range(1, 1001)]
        wrong = sum(len(language.errors(two, reader.accepts(two))) for two in pairs)
        print(f"{language} {dtype}: {wrong} of 2000 wrong")
        claims.settle(
            "random",
            here=f"{1 - wrong / 2000:.2%}",
            agrees=wrong == 0,
            settles=language.name,
            which=language.name,
            dtype=dtype,
        )
w = PARITY.sample(length=1_000_000, size=1, seed=0)[0]
s = Encoder(parity)(w).item()
print(f"a million: s = {s:.3e}; accepted: {s > 0}; in PARITY: {PARITY.contains(w)}")

# %% [markdown]
r"""
(run-hahn)=
## Confidence

How sure is the transformer of its answers? The paper's Fig. 2 shows the cross-entropy by length (in red without layer normalization). By the closed forms $s$ tends to 0 and the cross-entropy to 1 bit.

The *influence* of one symbol is the largest change of $s$ when one symbol of a random string is flipped. By the closed forms the influence on FIRST, multiplied by $|w|$, rises to its limit $e$ and stays below it; the influence on PARITY, multiplied by $|w|^2$, rises to $4 \tanh 1$. The criterion asks that no measured value reaches the limit. We take 1000 random strings of each length. The table shows, for length 1000, the mean cross-entropy and the influence times a power of $|w|$, beside its limit.
"""

# %% tags=["hide-input"]
ns, rows = (10, 20, 40, 80, 160, 320, 640, 1000), []
for construction, language, factor, power, top in (
    (parity, PARITY, "|w|²", 2, 4 * np.tanh(1)),
    (first, FIRST, "|w|", 1, np.e),
):
    costs, influence = zip(*(confidence(construction, language, n) for n in ns))
    scaled, bits = [n**power * moved for n, moved in zip(ns, influence)], costs[-1]
    rows.append((language, f"{bits:.6f}", f"{factor} × influence", f"{scaled[-1]:.4f}", f"{top:.4f}"))
    claims.settle(
        "hahn",
        here=f"rises to {scaled[-1]:.3f}",
        agrees=max(scaled) < top,
        row=PROPOSITION_1 if language is PARITY else EQUATION_1,
        factor=factor,
        language=language.name,
        shortest=ns[0],
        longest=ns[-1],
        settles="order" if language is PARITY else "",
        top=f"{top:.3f}",
    )
    claims.settle(
        "hahn: bits",
        here=f"{bits:.4f}",
        agrees=bits > 0.99,
        quantity=f"cross-entropy of {language} at length {ns[-1]} (bits)",
        settles=language.name,
    )
markdown_table(("at length 1000", "bits a string", "scaled by", "gives", "limit"), rows)

# %% [markdown]
r"""
## Floating point

(run-precision)=
### Three ways to take a mean

At which $n$ does PARITY first err in floats? This depends on the float type, and on how the mean $k/n$ is taken:

- `sequential`: a running sum of $v_j/n$, rounded at each addition, where $v_j$ is 1 at a 1 and 0 elsewhere;
- `weighted`: softmax weights $1/n$ times values, added up;
- `divided`: one sum and one division.

In exact arithmetic $s$ depends on the string only through $k$ and $n$, so we read $1^k 0^{n-1-k}$ alone. A stored run looks for the first $n$ with an error, from 2 on, and reads this string for every $k$. The table has the first $n$ by float type and way of averaging. An upper bound is marked by ≤, and – means that we did not search. For float32 with a running sum the run skips every $k$ whose mark (explained below) drifts by less than 0.4 positions, so the $n$ that it finds is an upper bound. The bound for float32 with one division is found in [the next section](#one-division).
"""

# %% tags=["hide-input"]
search, arithmetic = stored("parity_precision"), stored("parity_significand")
grid = {("float32", "divided"): f"≤ {arithmetic.results[-1]['result']['n']:,}"}
for row in search.results:
    run, n = row["configuration"], row["result"]["n"]
    grid[run["dtype"], run["mean"]] = f"{'≤ ' * ('least_drift' in run)}{n:,}"
floats = ("bfloat16", "float16", "float32")
markdown_table(("", *MEANS), [(f, *(grid.get((f, m), "–") for m in MEANS)) for f in floats])

# %%
# try: torch.bfloat16 with n = 30, or mean = divided (which float16 survives here)
dtype, mean, n = torch.float16, sequential, 72
for length in (n - 1, n):
    reader = Encoder(parity, dtype, mean=mean)
    print(f"n = {length}: wrong for k in {wrong_counts(reader, length)}")

# %% [markdown]
r"""
Why do errors begin there? The first layer's three ReLUs, the *hat*, write a *mark*, which has to land on position $k$.

**The count drifts** (`sequential`). The sum rounds $k$ times. An error $e$ in $k/n$ moves the mark by $ne$ positions, so the answer flips once $ne > \tfrac12$: the computed $k/n$ then lies about halfway between two positions. This rule holds for the running sum alone; the other two ways err for other reasons.

**The weight is off** (`weighted`). Here $1/n$ is rounded once, and the error is multiplied by $k$. The mark slides but is still largest at $k$. What flips the answer is a *false mark*. It arises where $(k-i)/n$ passes a power of two, for example at $i \approx k-n/2$, because the three ReLUs round differently there and no longer cancel.

**Neighbours are too close** (`divided`). At $i=k$ the rounded $k/n$ and $i/n$ are equal to the last bit. But a neighbour can lie half a step away and get half a mark, and a false mark adds the other half. Float16 errs at a shorter length than an arithmetic with its [11 bits](#one-division) and no limit on exponents would, because what is left of $s$ falls below half of the smallest positive float16 number.
"""

# %% tags=["hide-input"]
for row in search.results:
    run, n, wrong = row["configuration"], row["result"]["n"], row["result"]["wrong"]
    dtype, mean, least = run["dtype"], run["mean"], run.get("least_drift")
    reader = Encoder(parity, FLOATS[dtype], mean=MEANS[mean])
    claims.settle(
        "precision",
        here=n,
        agrees=wrong_counts(reader, n, wrong) == wrong,
        quantity=f"{'an' if least else 'first'} n with an error in {dtype}, with a “{mean}” mean",
        source=search.source,
        note=f"an upper bound: counts k with a drift below {least} were skipped" if least else "",
        **DEPTH,
    )

# %% [markdown]
r"""
(one-division)=
### How far one division carries

Up to which $n$ is one division safe in any case? We assume an arithmetic that keeps $p$ significant bits, rounds to nearest with ties to even, and has no limits on exponents.

:::{admonition} One division is safe
:class: result
*Assumes:* $k/n$, $i/n$ and $1/n$ are each rounded once, the hat is computed from left to right, and attention is exact. For $p \ge 7$ **no $n \le 2^{p-4}$ fails**. *Proved for every length.*
:::

:::{dropdown} Proof
*Names.* Let $w=2^{-p}$. Let $x_j$ be the rounded $j/n<1$, off by $e_j$, at most $w/2$. Let $u$ be the rounded $1/n$, with $u\ge16w$ as $2^{4-p}$ is representable. Let $d$ be the rounded $x_k-x_i$.

*The true mark.* Position $k$ holds exactly $u$, and beyond $k+1$ all units are 0.

*Next to the true mark.* If the gap between $k$ and a neighbour falls short of $1/n$, the shortfall remains as a mark at the neighbour. The two shortfalls add up to $e_{k-1}-e_{k+1}\le w$, and one alone is at most $w$ as well. Rounding $u$ and $d+u$ adds $4w/n$ at most, so from $n=4$ on the two positions together hold $2w$ at most. (For $n=2$ and $n=3$ there is no false mark at all: as $\mathrm{fl}(2/3)=2\,\mathrm{fl}(1/3)$, every $x_j$ is exactly $ju$, and the three units cancel.)

*Elsewhere* $d\ge u$, all three units pass on their input unchanged, and the mark is $\mathrm{fl}(d+u)-\mathrm{fl}(2d-\mathrm{fl}(d-u))$. If $d-u$ and $d+u$ have one spacing, then $\mathrm{fl}(d\pm u)=d\pm r$ with the same $r$ (at a tie too: $d-r$ and $d+r$ are even together), and the mark is 0.

*At a power of two.* Otherwise some power of two $2^{-e}$ lies between $d-u$ and $d+u$. The spacing above it is $2^{1-e}w$, and the three roundings err by at most a half, a quarter and a half of this spacing, so together by at most $\tfrac52\,2^{-e}w$. Only three positions have $d$ so near to $2^{-e}$, and for $e=0$ only one. That position holds at most $\tfrac52w$, and all others together at most $3\cdot\tfrac52(\tfrac12+\tfrac14+\cdots)w=\tfrac{15}2w$.

*Sum* (for $n\ge4$). All false marks together hold at most $2w+\tfrac52w+\tfrac{15}2w=12w$, up to a factor $1+2^{-p}$. For even $n$ this sum is less than $u$. For odd $n$ it has to be less than $\frac{n-1}{n+1}u$, which holds from $n=9$ on, where this bound is at least $12.8\,w$, and for $n=5$ and $7$ because $u\approx2^pw/n$ is then larger. $\square$
:::

*A case that fails* is $p=8$, $n=129$, $k=96$. One rounded neighbour lies too close to $k$ and gets a mark. A second false mark lies about $n/2$ before $k$, where the spacing of the rounded distances doubles. More generally, at $n=2^{p-1}+1$ the count $k=3\cdot2^{p-3}$ is decided incorrectly for each $p$ from 5 to 24. For bfloat16 that is where errors begin.

*Do errors always begin there?* No. A stored run computes the marks for every $k$ and $n$, for each $p$ up to 13. At $p=11$ and 13 errors begin earlier, because false marks at several powers of two act together. From $p=14$ on the run tries only some counts and lengths, so it finds upper bounds. At the bound for $p=24$ the transformer itself errs too, run in float32.
"""

# %% tags=["hide-input"]
exact_n, bound_n = {}, {}
for row in arithmetic.results:
    found = bound_n if "window" in row["configuration"] else exact_n
    found[row["configuration"]["p"]] = row["result"]["n"]
for p, n in exact_n.items():
    print(f"p = {p:2}: first n that fails {n:5}, {n / 2 ** (p - 1):.3f} of 2^(p-1)")
print("upper bounds:", *(f"{n} at p = {p}" for p, n in bound_n.items()), sep="\n")

# %% tags=["hide-input"]
failing = [
    p for p in range(5, 25) if wrong_counts_in(p, 2 ** (p - 1) + 1, np.array([3 * 2 ** (p - 3)]))
]
last = arithmetic.results[-1]["result"]
float32_wrong = wrong_counts(Encoder(parity, torch.float32), last["n"], [last["k"] - 1, last["k"]])
claims.settle(
    "division",
    here=", ".join(map(str, exact_n.values())),
    agrees=all(n <= 2 ** (p - 1) + 1 for p, n in exact_n.items()),
    source=arithmetic.source,
    **DEPTH,
)
claims.settle(
    "division: n without error", here="n ≤ 2^(p-4)",
    agrees=all(n > 2 ** (p - 4) for p, n in exact_n.items() if p >= 7), **DEPTH,
)
claims.settle(
    "division: p from 5", here=f"{len(failing)} of 20", agrees=len(failing) == 20, **DEPTH
)
claims.settle("division: an n with", here=last["n"], agrees=float32_wrong == [last["k"]], **DEPTH)

# %% [markdown]
r"""
(run-mutants)=
## One coefficient at a time

Does the transformer need each of its coefficients? We set each coefficient of PARITY to zero in turn. For each such *mutant* we look three times for the first string of up to 12 symbols that it decides incorrectly: with the exact reader under softmax and under averaging {term}`hardmax`, and in float64 under softmax. In every mutant the exact $s$ depends on $k$ and $n$ only, so again we read $1^k 0^{n-1-k}$. The table shows the mutants that survive under softmax, and how they fare in the other two columns:
"""

# %% tags=["hide-input"]
strings = ["1" * k + "0" * (length - k) for length in range(13) for k in range(length + 1)]


def fate(decide):
    for w in strings:
        accepted = decide(w)
        assert accepted is not None  # every exact decision is proved
        if accepted != PARITY.contains(w):
            return f"fails on {w or 'the empty string'}"
    return "**survives**"


fates = {
    label: (
        fate(lambda w: Exact(mutant).decide(w).accepts),
        fate(lambda w: Exact(mutant, "hardmax").decide(w).accepts),
        fate(lambda w: Encoder(mutant).accepts(w)),
    )
    for label, mutant in mutants(parity)
}
head = ("coefficient set to zero", "softmax, proved", "hardmax, proved", "softmax, float64")
markdown_table(head, [(f"`{x}`", *found) for x, found in fates.items() if "survives" in found[0]])

# %% [markdown]
r"""
In four of the survivors, one head of the second layer becomes a plain mean, a *flat* head. So **one sharp head is enough**, at every length:

Let head 1 be the sharp head. The flat head returns $\tfrac1n\cdot\tfrac1n$, so $s=\tfrac1n(\alpha_k-\tfrac1n)$ with $\alpha_k=e^{\pm c}/Z_1$, where the exponent is $+c$ for odd $k$ and $-c$ for even $k$. The sign of $s$ is that of $ne^{\pm c}-Z_1$:

$$
ne^c-Z_1=\tfrac{n+1}2(e^c-e^{-c})>0,\qquad ne^{-c}-Z_1=\tfrac{n-1}2(e^{-c}-e^c)<0
$$

for odd $n\ge3$, and $\pm\tfrac n2(e^c-e^{-c})$ for even $n$. At $n=1$ both heads return the same and the empty string is rejected. If head 2 is the sharp one, the same algebra serves.

(parity-thermometers)=
### Thermometers

The fifth survivor is a different construction. Without `1/n` in the third hidden unit the hat becomes $-\mathbb{I}[i<k]$, which is chapter 1's {term}`thermometer` with unit $j$ at position $j-1$.

The paper's §3.2 sets aside a thermometer, $\mathbb{I}[i\le k]$. For odd $n$, it says, subtracting even positions from odd ones will not work, because the two kinds have different weights. That is true if the thermometer begins at position 1, like the units of §3.1; to begin there it needs a third ReLU, $\max(0,1/n-i/n)$. But the printed thermometer begins with CLS at 0, and errs at even $n$ instead. For three thermometers the table counts the errors among the strings $1^k 0^{n-1-k}$ of up to 12 symbols, and the ties, where $s = 0$:
"""

# %% tags=["hide-input"]
i, k, unit = (parity.space[name] for name in ("i/n", "k/n", "1/n"))
table, errors = [], {}
for name, hidden, out in (
    ("[i ≤ k]", [k - i + unit, k - i], [1, -1]),
    ("[1 ≤ i ≤ k]", [k - i + unit, k - i, unit - i], [1, -1, -1]),
    ("-[i < k]", [k - i, k - i - unit], [-1, 1]),
):
    marking = replace(parity.layers[0], ffn=FFN(hidden, {"[i=k]/n": out}))
    reader = Exact(replace(parity, layers=[marking, parity.layers[1]]))
    decisions = [reader.decide(w) for w in strings]
    errors[name] = PARITY.errors(strings, [decision.accepts for decision in decisions])
    ties = [w for w, decision in zip(strings, decisions) if decision.sign == 0]
    even_n = [w for w in errors[name] if len(w) % 2 == 1]
    table.append((f"`{name}`", len(errors[name]) - len(even_n), len(even_n), len(ties)))
markdown_table(("thermometer", "errors at odd n", "errors at even n", "ties"), table)

# %% [markdown]
r"""
*Proved for every length:* with $o$ marks on odd positions and $e$ on even ones, $s$ has the sign of $o-e$ for even $n$ and of $(n+1)o-(n-1)e$ for odd $n$. The last two columns give these signs. Where a cell does not say *right*, some answers are wrong.

|marks|$o$|$e$|sign at even $n$|sign at odd $n$|
|---|---|---|---|---|
|$i\le k$, as printed|$\lceil k/2\rceil$|$\lfloor k/2\rfloor+1$|never positive|that of $k+1>0$ for odd $k$, of $k+1-n\le0$ for even $k$: right|
|$1\le i\le k$|$\lceil k/2\rceil$|$\lfloor k/2\rfloor$|1 for odd $k$, 0 for even $k$: right|positive for every $k\ge1$|
|$i<k$, negative|$-\lfloor k/2\rfloor$|$-\lceil k/2\rceil$|1 for odd $k$, 0 for even $k$: right|that of $n-k>0$ for odd $k$, of $-k\le0$ for even $k$: right|

So the last thermometer decides PARITY at every length. In float64, rounding breaks its ties, and it errs on some strings.
"""

# %% tags=["hide-input"]
for (name, odd, even, _), conditions in zip(table, ("", "i from 1, as in section 3.1")):
    claims.settle(
        "mutants: thermometer",
        here=f"{odd} at odd n, {even} at even n",
        agrees=odd > 0 and even == 0,
        quantity=f"errors with the thermometer {name[1:-1]} in place of the mark",
        settles="" if conditions else "thermometer",
        conditions=conditions,
        note="" if conditions else "position 0, CLS, is marked too",
    )
claims.correct(
    "C&C §3.2, thermometer",
    holds=(
        [row[1] > 0 for row in table] == [False, True, False]
        and [row[2] > 0 for row in table] == [True, False, False]
    ),
    even=table[0][2],
    odd=table[1][1],
)

# %% tags=["hide-input"]
claims.settle("mutants", here=len(errors["-[i < k]"]), agrees=errors["-[i < k]"] == [])
survivors = [label for label, found in fates.items() if "survives" in found[0]]
flattened = [label for label in survivors if label[3] in "QK"]
assert len(survivors) == len(flattened) + 1 and "W^{F,1,1}: h3 ← 1/n" in survivors
claims.settle(
    "mutants: mutants of PARITY",
    here=f"{len(survivors)} of {len(fates)}",
    agrees=set(flattened) < set(survivors) and len(flattened) == 4,
    note=f"{len(flattened)} flatten a head, 1 makes a thermometer",
)
one_sharp = [label for label in fates if label[3] in "QK"]
claims.settle("mutants: one head", here=f"{len(flattened)} of {len(one_sharp)}",
              agrees=flattened == one_sharp)

# %% [markdown]
r"""
(parity-input)=
## Slips in §2.2

The library's `parity` and `first` hold the matrices of §3.2 and §3.3. The paper's general definitions (§2.2) do not fit them in four places:

- The hidden layer of a feed-forward part has a width of its own (here 3), not the width $d$.
- There are $n$ positions, from 0 to $n - 1$, not to $n$.
- A position encoding depends on $n$ as well as on $i$, as $i/n$ does.
- CLS needs a word embedding, without which some strings are decided incorrectly.

The transformer itself confirms each correction:
"""

# %% tags=["hide-input"]
ours = parity.matrix("F", layer=1, index=1)
printed = [[0, 0, 0, -1, 0, 1, -1], [0, 0, 0, -1, 0, 1, 0], [0, 0, 0, -1, 0, 1, 1]]
claims.correct(
    "C&C §2.2, matrices",
    holds=len(printed) < 9 and np.array_equal(ours.numpy()[:, :7], printed),
)
shares = [str(Exact(parity).trace(w).a[1]["k/n"][0]) for w in ("110", "1100")]
claims.correct(
    "C&C §2.2, positions", holds=shares == ["1/2", "2/5"], four=shares[0], five=shares[1]
)
place = [str(Exact(parity).trace(w).a[0]["i/n"][1]) for w in ("10", "110")]
claims.correct(
    "C&C §2.2, position encoding", holds=place[0] != place[1], three=place[0], four=place[1]
)
nameless = Exact(replace(parity, word={**dict(parity.word), "CLS": Form()}))
some = [w for length in range(6) for w in PARITY.all_strings(length)]
lost = PARITY.errors(some, nameless.accepts(some))
claims.correct("C&C §2.2, word embedding", holds=len(lost) > 0, lost=len(lost), some=len(some))
print(f"without a vector for CLS {len(lost)} of {len(some)} strings are decided incorrectly")

# %% [markdown]
r"""
(parity-since)=
## Since then

RASP {cite}`weiss2021` is a programming language modelled on encoders. Under RASP's idealizations, a program for a task gives an upper bound on the layers and heads that the task needs. Tracr {cite}`lindner2023` compiles such programs for inputs up to a chosen length. Strobl and others {cite}`strobl2024` survey which formal languages transformers express.
"""

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says
