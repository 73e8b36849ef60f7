# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Transformers for PARITY and FIRST

*You will be able to* read and write a transformer as rows over named coordinates, follow a string through it, prove its decision, and say at which length and why a float type makes it err.
"""

# %% [markdown]
"""
<div class="live" data-live="parity"><p>011010: mark on position 3, odd, accepted.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% [markdown]
"""
## Claim

PARITY holds the strings with an odd number of 1s, FIRST those that begin with 1. A transformer accepts a string if its logit $s$ is above 0.

Hahn {cite}`hahn2020` showed that in an unmasked transformer with bounded inputs and Lipschitz position-wise functions one symbol moves the output by
$O(1/n)$. For PARITY and FIRST one symbol decides the answer. On long strings the outputs for yes and for no come closer, and the decision hangs by a hair.

Chiang and Cholak {cite}`chiang2022` separate the two: a small margin is little confidence, but no error. **Proposition 1**: a transformer encoder recognises PARITY at every
length; the one that proves it has two layers, two heads and nine dimensions. §3.3 gives a smaller one for FIRST. Their
{term}`cross-entropy` tends to its worst value, 1 bit a string, yet no string is decided wrongly.

Attention, which can only average, tells odd from even.
"""

# %% tags=["hide-input"]
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import torch
from flint import arb, ctx

from chapters.exercises.judge import check
from chapters.pages.transformer_parity_first import (attention_figure, reference_slope,
                                                     stream_figure)
from lib import constructions
from lib.constructions.mutants import mutants
from lib.constructions.precision import FLOATS, MEANS, SIGNIFICAND, wrong_counts, wrong_counts_in
from lib.languages import FIRST, PARITY, Language
from lib.notebook import glue, markdown_table, COLOURS, REFERENCE, stream_table, use_style
from lib.transformer import (FFN, Construction, cross_entropy_bits, Encoder, Exact, Form, Head,
                             Layer, Space)
from lib.transformer.tensors import sequential
from record.claims import Claims
from record.runs import stored

use_style()
claims = Claims("02_transformer_parity_first")
DEPTH = {"row": "ours: float depth of PARITY", "paper": None}
PROPOSITION_1, EQUATION_1 = "C Prop. 1, 3.2, App. A", "C 3.3, Eq. 1"

# %% [markdown]
"""
## Construction

(parity-input)=
The input is {term}`CLS`, the token at which the answer is read, followed by $w$. So there are $n = |w| + 1$ positions $i = 0, \dots, n - 1$, where the last chapter's $n$ was $|w|$.
Let $k$ be the number of 1s. A {term}`head` gives position $i$ an average of values, $\sum_j\alpha_{ij}v_j$, whose weights are the softmax of $q_i\cdot k_j$ over $j$.

PARITY takes three steps.

1. **Count.** Attention with $\mathbf{W}^Q = 0$ averages over all positions, which gives every position $k/n$ and $1/n$.
2. **Mark.** A feed-forward layer puts a mark on position $k$ and on no other. It uses the hat function
   $\max(0,x-1)$ $-\,2\max(0,x)$ $+\,\max(0,x+1)$ with $x=k-i$, which on integers is $\mathbb{I}[i = k]$ (the paper's Fig. 1).
3. **Compare.** Two heads at CLS look for the mark, one with more weight on odd positions, one on even. Their difference $s$ is positive
   if the mark is on an odd position, that is, if $k$ is odd.

Bounded vectors have no room for $k$, so the network works with $x/n$ throughout: the mark has height $1/n$.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Three ReLUs make a hat that is 1 at $i = k$ and 0 at every other integer (here $k = 3$).", "name": "fig-hat"}, "image": {"alt": "A triangular hat of height 1 around position 3, with dots at the integers, all zero but the one at 3.", "classes": "dark-light"}}
def hat(x):
    return np.maximum(0, x - 1) - 2 * np.maximum(0, x) + np.maximum(0, x + 1)

positions, fine = np.arange(7), np.linspace(0, 6, 601)
figure, axis = plt.subplots(figsize=(6.4, 2))
axis.plot(fine, hat(3 - fine), color=COLOURS["PARITY"])
axis.plot(positions, hat(3 - positions), "o", color=COLOURS["PARITY"])
axis.set(xlabel="position $i$", ylabel="hat$(k - i)$", xticks=positions, yticks=[0, 1]);

# %% [markdown]
"""
A {term}`construction` names its nine {term}`coordinates <coordinate>` in the paper's order and then writes rows. A form such as `k - i - unit` is a row of
$\mathbf{W}^{F,1,1}$. A head's `v` says which coordinate receives the average of which form. Its `gain` is the constant $c > 0$, written as
$c\sqrt d$ in the paper's query matrices. Names in `position` are formulas; all others are labels.
"""

# %%
S = Space("0", "1", "CLS", "i/n", "cos iπ", "k/n", "1/n", "[i=k]/n", "s")
zero, one, cls, i, cos, k, unit, hit, s = S
c = 1

count = Layer(heads=[Head(v={"k/n": one, "1/n": cls})],
              ffn=FFN(hidden=[k - i - unit, k - i, k - i + unit],
                      out={"[i=k]/n": [1, -2, 1]}))
compare = Layer(heads=[Head(q=[cls], k=[-cos], v={"s": hit}, gain=c),
                       Head(q=[cls], k=[cos], v={"s": -hit}, gain=c)])
parity = Construction(S, word={"0": zero, "1": one, "CLS": cls},
                      position={"i/n": i, "cos iπ": cos},
                      layers=[count, compare], output=s, name="PARITY")
assert parity == constructions.parity()             # the library's copy
parity.matrix("F", layer=1, index=1)

# %% [markdown]
"""
FIRST needs no count. Its first layer marks position 1 if that holds a 1 (the row $-1, 0, -1, 1$ does so without a bias); in its second layer CLS
attends to position 1 and reads $\mathbb{I}[w_1 = 1] - \tfrac12$ there.
"""

# %%
S = Space("0", "1", "CLS", "[i=1]", "[w₁=1]", "s")
zero, one, cls, start, hit, s = S

mark = Layer(ffn=FFN(hidden=[start - zero - cls], out={"[w₁=1]": [1]}))
look = Layer(heads=[Head(q=[cls], k=[start], v={"s": hit - start / 2}, gain=c)])
first = Construction(S, word={"0": zero, "1": one, "CLS": cls}, position={"[i=1]": start},
                     layers=[mark, look], output=s, name="FIRST")
assert first == constructions.first()

# %% [markdown]
"""
## Run it

### One string by hand

On $110$ ($n = 4$, $k = 2$) after the first layer every position knows $k/n = \tfrac12$ and $1/n = \tfrac14$, and position 2 carries
the mark:
"""

# %%
trace = Exact(parity).trace("110")
stream_table(trace.a[1], trace.tokens[0])

# %% [markdown]
"""
In the second layer ({numref}`fig-attention`) only CLS asks a question, so only its row differs from the uniform $1/n$. The
mark is on position 2, to which head 2 gives more weight: $s < 0$, and the string is rejected. Without the mark both heads would return 0.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Attention of the second layer on $110$: at CLS, head 1 prefers odd positions and head 2 even ones; the other rows are uniform and nobody reads them.", "name": "fig-attention"}, "image": {"alt": "Two four by four grids of attention weights; the top rows alternate between small and large weights.", "classes": "dark-light"}}
trace = Encoder(parity).trace("110", weights=True)
attention_figure(trace, layer=2, heads=[1, 2],
                 titles=["head 1: odd positions", "head 2: even positions"]);

# %% tags=["hide-input"] mystnb={"figure": {"caption": "The residual stream on $0110100$, each coordinate on its own scale (its largest absolute value stands at the right): layer 1 has added the count and the mark on position 3, layer 2 turns the mark into $s$ at CLS.", "name": "fig-stream"}, "image": {"alt": "Two heat maps of nine coordinates by eight positions, after layer 1 and after layer 2.", "classes": "dark-light"}}
trace = Encoder(parity).trace("0110100")
stream_figure(trace.tokens[0], {"after layer 1": trace.a[1], "after layer 2": trace.a[2]});

# %% [markdown]
"""
(run-exact)=
### Every string to length 12, with proof

Softmax makes $s$ irrational, and rounding might choose its sign. So the exact reader computes with rationals where it can, elsewhere with
{term}`balls <ball>`: numbers with a proved error bound {cite}`johansson2017`. Here is one $s$, with more and more bits:
"""

# %%
# try: other strings, such as "110"
for bits in (4, 8, 16, 32):
    print(f"{bits:2} bits:", Exact(parity).logit("1" * 10 + "0" * 20, bits))

# %% [markdown]
"""
The first ball contains 0 and leaves the sign open. The second excludes 0, so $s < 0$ is proved. The reader doubles the bits until that happens.

*Does that ever end?* If $s \ne 0$, yes. Around 0 each ball contains 0, so zeros are recognised otherwise.

*One head* returns a quotient. Its numerator is $\sum_\ell V_\ell e^\ell$ over distinct rational logits $\ell$, where the rational $V_\ell$ adds up the values with that logit.
By the Lindemann–Weierstrass theorem {cite}`baker1975` such a sum is zero only if every $V_\ell$ is, which rational arithmetic sees.

*Two heads* might cancel, and the reader would say {term}`undecided`. For PARITY they do not if $n \ge 2$, by the closed form below. At $n = 1$ all is rational.
"""

# %%
strings, decided = [w for length in range(13) for w in PARITY.all_strings(length)], {}
for construction, language in ((parity, PARITY), (first, FIRST)):
    decisions = [Exact(construction).decide(w) for w in strings]
    wrong = language.errors(strings, [decision.accepts for decision in decisions])
    proved = sum(decision.sign is not None for decision in decisions)
    ties = [w for w, decision in zip(strings, decisions) if decision.sign == 0]
    print(f"{language}: {proved} of {len(strings)} proved, {len(wrong)} wrong, s = 0 on {ties}")
    decided[language] = proved, len(wrong)

# %% [markdown]
"""
The one {term}`tie` is the empty string, where CLS has itself alone to attend to. It is rejected, rightly: acceptance asks for a probability
*above* $\tfrac12$.

(run-random)=
### Random strings of every length to 1000

The paper draws lengths from 1 to 1000. Here each gets two random strings, in two float types; then one string has a million symbols.
"""

# %%
random_errors = {}
for construction, language in ((parity, PARITY), (first, FIRST)):
    for dtype in (torch.float32, torch.float64):
        reader, drawn = Encoder(construction, dtype), range(1, 1001)
        pairs = [language.sample(length, size=2, seed=length) for length in drawn]
        wrong = [language.errors(two, reader.accepts(two)) for two in pairs]
        random_errors[language.name, dtype] = sum(map(len, wrong))
        print(f"{language} {dtype}: {random_errors[language.name, dtype]} of 2000 wrong")
w = PARITY.sample(length=1_000_000, size=1, seed=0)[0]
s = Encoder(parity)(w).item()
print(f"a million: s = {s:.3e}; accepted: {s > 0}; in PARITY: {PARITY.contains(w)}")

# %% [markdown]
"""
(run-closed-form)=
### The logit in closed form

For PARITY with even $n$ half the positions are odd, and $s = (-1)^{k+1}\, 2 \tanh(c) / n^2$. With odd $n$ there is one even position more. Writing
$Z_1 = \frac{n-1}{2} e^c + \frac{n+1}{2} e^{-c}$ and $Z_2 = \frac{n+1}{2} e^c + \frac{n-1}{2} e^{-c}$ for the two heads' denominators,

$$
\begin{aligned}
ns_{k\text{ odd}}&=\frac{e^c}{Z_1}-\frac{e^{-c}}{Z_2}=\frac{(n+1)\sinh2c}{Z_1Z_2},\\
ns_{k\text{ even}}&=\frac{e^{-c}}{Z_1}-\frac{e^c}{Z_2}=-\frac{(n-1)\sinh2c}{Z_1Z_2}.
\end{aligned}
$$

*Proved for every length:* for $c>0$ and $n\ge2$ these signs are right. That is Proposition 1; at $n=1$ the empty string gets $s=0$.

For odd $k$ the paper's Appendix A prints $\cosh 2c$ where its own previous line gives $\sinh 2c$. Balls that do not overlap settle it.
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
print(f"{sum(agree)} of {len(agree)} logits agree to 100 bits; "
      f"the printed formula is excluded in {excluded} of {odd} cases with odd n and k")

# %% tags=["hide-input"]
for language, (proved, wrong) in decided.items():
    claims.settle("exact: recognises", here=wrong, agrees=wrong == 0,
                  row=PROPOSITION_1 if language is PARITY else EQUATION_1,
                  printed="section 3.2" if language is PARITY else "section 3.3")
    claims.settle("exact", here=f"{proved} of {len(strings)}", agrees=proved == len(strings),
                  language=language)
claims.settle("closed-form: closed forms", here=f"{sum(agree)} of {len(agree)}",
              agrees=all(agree))
s, right, printed = (f"{float(x):.5f}" for x in (Exact(constructions.parity(0.7)).logit("10"),
                     logit(3, 1, arb(0.7)), logit(3, 1, arb(0.7), misprinted=True)))
claims.correct("C&C Appendix A, n odd, k odd",
               holds=all(agree) and excluded == odd and s == right != printed, excluded=excluded,
               found={"excluded": excluded, "cases": odd}, odd=odd, s=s, right=right,
               as_printed=printed)
claims.correct("C&C Appendix A, n odd, k even", holds=Exact(parity).decide("").sign == 0)

# %% tags=["hide-input"]
ours = parity.matrix("F")
printed = [[0, 0, 0, -1, 0, 1, -1], [0, 0, 0, -1, 0, 1, 0], [0, 0, 0, -1, 0, 1, 1]]
claims.correct("C&C §2.2, matrices",
               holds=len(printed) < 9 and np.array_equal(ours.numpy()[:, :7], printed))
shares = [str(Exact(parity).trace(w).a[1]["k/n"][0]) for w in ("110", "1100")]
claims.correct("C&C §2.2, positions", holds=shares == ["1/2", "2/5"], four=shares[0],
               five=shares[1])
place = [str(Exact(parity).trace(w).a[0]["i/n"][1]) for w in ("10", "110")]
claims.correct("C&C §2.2, position encoding", holds=place[0] != place[1], three=place[0],
               four=place[1])
nameless = Exact(replace(parity, word={**dict(parity.word), "CLS": Form()}))
some = [w for length in range(6) for w in PARITY.all_strings(length)]
lost = PARITY.errors(some, nameless.accepts(some))
claims.correct("C&C §2.2, word embedding", holds=len(lost) > 0, lost=len(lost), some=len(some))
claims.correct("C&C Eq. (1)", holds=Exact(first).decide("").sign == 0)

# %% [markdown]
"""
For FIRST, $s = \frac{e^c}{e^c+n-1} \bigl(\mathbb{I}[w_1=1]-\tfrac12\bigr)$, the paper's Eq. (1), for every $n \ge 2$: balls confirm it on {glue:text}`equation_1` strings.
"""

# %% [markdown]
"""
(run-hahn)=
### Confidence goes, and how fast

{numref}`fig-confidence` shows two things. First, the cross-entropy over 1000 random strings of each length (the red curves of the paper's Fig. 2). Then the
*influence* of one symbol, the largest change of $s$ when a symbol of a random string is flipped. **Predict:** which
construction uses up the $1/n$ that the lemma allows?

<p class="guess">PARITY|FIRST|both</p>
"""

# %%
ns, loss, influence = [10, 20, 40, 80, 160, 320, 640, 1000], {}, {}
for construction, language in ((parity, PARITY), (first, FIRST)):
    reader, name = Encoder(construction), language.name
    for n in ns:
        strings = language.sample(n, size=1000, seed=n)
        labels = [language.contains(w) for w in strings]
        loss[name, n] = cross_entropy_bits(reader(strings), labels).mean().item()
        w = strings[0]
        flipped = [w[:j] + "10"[int(w[j])] + w[j + 1:] for j in range(n)]
        influence[name, n] = (reader(flipped) - reader(w)).abs().max().item()

# %% tags=["hide-input", "hide-output"] mystnb={"figure": {"caption": "Cross-entropy climbs to 1 bit although every string is decided rightly. Flipping one symbol moves the logit of FIRST by order $1/n$, as much as Hahn's lemma allows, but that of PARITY by order $1/n^2$ only.", "name": "fig-confidence"}, "image": {"alt": "Left panel: two curves rising to one. Right panel, log-log: two falling lines with slopes minus one and minus two.", "classes": "dark-light"}}
figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.1))
for name, power, label in (("PARITY", -2, "$1/n^2$"), ("FIRST", -1, "$1/n$")):
    left.plot(ns, [loss[name, n] for n in ns], "o-", color=COLOURS[name], label=name)
    right.plot(ns, [influence[name, n] for n in ns], "o-", color=COLOURS[name], label=name)
    reference_slope(right, ns, influence[name, ns[0]], power, label)
left.set(xscale="log", xlabel="$|w|$", ylabel="cross-entropy (bits a string)")
right.set(xscale="log", yscale="log", xlabel="$|w|$", ylabel="influence of one symbol")
left.axhline(1, **REFERENCE), left.legend();

# %% [markdown]
"""
:::{dropdown} Why
At length 1000 PARITY stands at {glue:text}`loss_PARITY` bits and FIRST at {glue:text}`loss_FIRST`. By the closed forms, $|w|$ times the influence on FIRST stays below
its limit $e$ ({glue:text}`influence_FIRST` at 1000), and $|w|^2$ times that on PARITY below its limit $4 \tanh 1$ ({glue:text}`influence_PARITY`). PARITY
pays twice: the mark has height $1/n$, and attention dilutes it by another $1/n$.
:::
"""

# %% tags=["hide-input"]
reader, agree, e = Exact(first), [], arb(1).exp()
for w in (w for length in range(1, 9) for w in FIRST.all_strings(length)):
    agree.append((e / (e + len(w)) * (arb(w[0] == "1") - 0.5)).overlaps(reader.logit(w)))
equation_1 = f"{sum(agree)} of {len(agree)}"
glue("equation_1", equation_1)
claims.settle("closed-form: Eq. 1", here=equation_1, agrees=all(agree))
for (name, dtype), wrong in random_errors.items():
    claims.settle("random", here=f"{1 - wrong / 2000:.2%}", agrees=wrong == 0, settles=name,
                  which=name, dtype=dtype)
for name, factor, power, top in ("PARITY", "|w|²", 2, 4 * np.tanh(1)), ("FIRST", "|w|", 1, np.e):
    scaled, bits = [n**power * influence[name, n] for n in ns], loss[name, ns[-1]]
    glue(f"loss_{name}", f"{bits:.6f}"), glue(f"influence_{name}", f"{scaled[-1]:.3f}")
    claims.settle("hahn", here=f"rises to {scaled[-1]:.3f}", agrees=max(scaled) < top,
                  row=PROPOSITION_1 if name == "PARITY" else EQUATION_1,
                  factor=factor, language=name, shortest=ns[0], longest=ns[-1],
                  settles="order" if name == "PARITY" else "", top=f"{top:.3f}")
    claims.settle("hahn: bits", here=f"{bits:.4f}", agrees=bits > 0.99,
                  quantity=f"cross-entropy of {name} at length {ns[-1]} (bits)", settles=name)

# %% [markdown]
"""
## Break it

### The constant c

Any $c > 0$ works, says the paper. **Predict** for $c = 0$ and $c = -1$: how many of the 2048 strings of length 11
are decided rightly?

<p class="guess">none,&nbsp;none|half,&nbsp;half|half,&nbsp;none</p>
"""

# %% tags=["hide-output"]
# try: other values of c, such as 0.001 or 20
for c in (1, 0, -1):
    strings = list(PARITY.all_strings(11))
    accepted = Encoder(constructions.parity(c)).accepts(strings).tolist()
    right = sum(a == PARITY.contains(w) for a, w in zip(accepted, strings))
    print(f"c = {c:>2}: {right} of {len(strings)} right")

# %% [markdown]
"""
:::{dropdown} Why
With $c = 0$ both heads return the same and everything is rejected. With $c = -1$ they change places and every answer is wrong.
:::

(run-precision)=
### Precision

The mark has to land on position $k$. An error $e$ in $k/n$ moves it by $ne$ positions, so the answer turns once $ne > \tfrac12$. How soon that comes depends on how the mean is taken:

- `sequential`: a running sum of $v_j/n$;
- `weighted`: softmax weights $1/n$ times values, added up;
- `divided`: one sum and one division.

Since $s$ depends on $w$ through $k$ and $n$ alone, the strings $1^k 0^{n-1-k}$ stand for all.
"""

# %%
# try: torch.bfloat16 with n = 30, or mean = divided (which float16 survives here)
dtype, mean, n = torch.float16, sequential, 72
for length in (n - 1, n):
    reader = Encoder(parity, dtype, mean=mean)
    print(f"n = {length}: wrong for k in {wrong_counts(reader, length)}")

# %% [markdown]
"""
In units of $1/n$ the mark should be 1 at position $k$ and 0 elsewhere. The answer shows it at the first failing length of two float types, from a stored run that read every $k$.
**Predict:** for how many of the three means is a moved mark the cause?

<p class="guess">one|two|all three</p>
"""

# %% tags=["hide-input", "hide-output"] mystnb={"figure": {"caption": "The mark in bfloat16 at the first length that each mean gets wrong, in units of $1/n$; the dashed line is $k$, filled points are odd positions, hollow ones even. For `sequential` the mark has moved; for the other two it is still largest at $k$, and false marks turn the answer.", "name": "fig-marks"}, "image": {"alt": "Three panels of stems. Left, the largest one stands beside the dashed line; middle and right, it stands on the dashed line and others stand elsewhere.", "classes": "dark-light"}}
search, moved = stored("parity_precision"), set()
figure, axes = plt.subplots(1, 3, figsize=(7.2, 2.5), sharey=True)
for row, axis in zip(search.results[:6], [*axes, None, None, None]):
    dtype, mean = row["configuration"]["dtype"], row["configuration"]["mean"]
    n, k = row["result"]["n"], row["result"]["wrong"][-1]
    trace = Encoder(parity, FLOATS[dtype], mean=MEANS[mean]).trace("1" * k + "0" * (n - 1 - k))
    mark = (trace.a[1]["[i=k]/n"][0].double() * n).tolist()
    where = ", ".join(f"{x:.2f} at {i}" for i, x in enumerate(mark) if abs(x) > 0.08)
    for start, face in ((0, "none"), (1, COLOURS["PARITY"])) if axis else ():
        held = [i for i in range(start, n, 2) if abs(mark[i]) > 0.08]
        axis.vlines(held, 0, [mark[i] for i in held], color=COLOURS["PARITY"])
        axis.plot(held, [mark[i] for i in held], "o", color=COLOURS["PARITY"], mfc=face)
        axis.axvline(k, **REFERENCE)
        axis.set(title=f"{mean}, $n = {n}$", xlabel="position $i$", xlim=(-3, n + 2))
    if mark.index(max(mark)) != k:
        moved.add(mean)
    odd, even, s = sum(mark[1::2]), sum(mark[::2]), trace.a[2]["s"][0, 0].item()
    print(f"{dtype:8} {mean:10} n = {n:<4} k = {k:<4} mark {where};",
          f"odd {odd:.2f}, even {even:.2f}, s = {s:.0e}")
assert moved == {"sequential"}

# %% [markdown]
"""
:::{dropdown} Why
For one: the drifting count.

**The count drifts** (`sequential`): the sum rounds at each of $k$ steps, until $k/n$ lies about halfway between two positions.

**The weight is off** (`weighted`): $1/n$ is rounded once and the error multiplied by $k$. The mark slides, but is still largest at $k$. What turns the answer is
a *false mark*, left where $(k-i)/n$ passes a power of two, such as $i \approx k-n/2$: the three ReLUs round differently there.

**Neighbours are too close** (`divided`): $k/n$ equals $i/n$ at $i=k$ to the last bit. But a neighbour can lie half a step away and get half a mark, and a
false mark takes the other half. In float16 what is left of $s$ falls below half the smallest positive number, sooner than its 11 bits alone would err.
:::

(one-division)=
### How far one division carries

How long is the mean with one division safe?

Take arithmetic with $p$ significant bits, rounded to nearest, ties to even, without limits on exponents: $k/n$, $i/n$ and $1/n$ each rounded once, the hat
computed from left to right, attention exact. *Proved for every length:* for $p \ge 7$ **no $n \le 2^{p-4}$ fails**.

*A case that fails* is the last panel of {numref}`fig-marks`: $p=8$, $n=129$, $k=96$. A rounded neighbour stands too close to $k$ and gets a mark. Another stands about $n/2$ before $k$, where the spacing of distances doubles. The proof bounds such marks.

:::{dropdown} Proof
*Names.* Let $w=2^{-p}$. Let $x_j$ be the rounded $j/n<1$, off by $e_j$, at most $w/2$; $u$ the rounded $1/n$, with $u\ge16w$ as $2^{4-p}$ is representable; $d$ the rounded $x_k-x_i$.

*The true mark.* Position $k$ holds exactly $u$, and beyond $k+1$ all units are 0.

*Next to it.* At $k\pm1$ a gap that falls short of $1/n$ leaves its shortfall as a mark. Both add up to $e_{k-1}-e_{k+1}\le w$, and one alone is no more. Rounding $u$
and $d+u$ adds $4w/n$ at most: for $n\ge4$ the pair holds $2w$.

*Elsewhere* $d\ge u$, all units are open, and the mark is $\mathrm{fl}(d+u)-\mathrm{fl}(2d-\mathrm{fl}(d-u))$. If $d-u$ and $d+u$ have one spacing,
then $\mathrm{fl}(d\pm u)=d\pm r$ with the same $r$ (at a tie too: $d-r$ and $d+r$ are even together), and the mark is 0.

*At a power of two.* Otherwise a $2^{-e}$ lies between them. The spacing above it is $2^{1-e}w$, and the three roundings err by a half, a quarter and a half of that at most: together $\tfrac52\,2^{-e}w$. Only three
positions have $d$ so near to $2^{-e}$, and one for $e=0$. That one holds $\tfrac52w$, all others $3\cdot\tfrac52(\tfrac12+\tfrac14+\cdots)w=\tfrac{15}2w$.

*Sum.* All false marks together hold at most $2w+\tfrac52w+\tfrac{15}2w=12w$, up to a factor
$1+2^{-p}$. For even $n$ that is less than $u$. For odd $n$ it has to be less than $\frac{n-1}{n+1}u$, which holds from $n=9$ on ($12.8\,w$), and for $n=3,5,7$
because $u\approx2^pw/n$ is then larger. $\square$
:::

The case is one of many: at $n=2^{p-1}+1$ the count $k=3\cdot2^{p-3}$ is decided wrongly, for each $p$ from 5 to 24. For bfloat16 that is where errors begin.

Is it a law? A stored run computes the marks for *every* $k$ and $n$, for each $p$ to 13. No: at $p=11$ and 13 errors begin earlier, where false marks at several powers of two act together.

From $p=14$ on the run tries some counts and lengths only, where smaller $p$ point to: what it finds are upper bounds ({numref}`fig-depth`). The transformer in float32 errs at the one for
$p=24$ too.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "The first length at which PARITY errs, against the bits $p$ of the significand. A running sum and weights fail in the float types as drawn, the line guides the eye; one division fails, in $p$-bit arithmetic, in the shaded band between $2^{p-4}$ (proved) and $2^{p-1} + 1$ (computed). Filled points: every $n$ and $k$ was tried; hollow ones are upper bounds. bfloat16 has $p = 8$, float16 11, float32 24.", "name": "fig-depth"}, "image": {"alt": "First failing length against significand bits on a log scale: triangles in a shaded band that rises twice as steeply as the circles of the running sum.", "classes": "dark-light"}}
arithmetic, exact_n, bound_n = stored("parity_significand"), {}, {}
for row in arithmetic.results:
    found = bound_n if "window" in row["configuration"] else exact_n
    found[row["configuration"]["p"]] = row["result"]["n"]
figure, axis = plt.subplots()
p = np.arange(7, 25)
axis.fill_between(p, 2.0 ** (p - 4), 2.0 ** (p - 1), color="#77777733")
axis.plot(p, 2.0 ** (p / 2), **REFERENCE)
axis.annotate("$2^{p/2}$", (22, 2**9.5), color="#777777")
axis.plot(*zip(*exact_n.items()), "^", color=COLOURS["PARITY"], label="one division")
axis.plot(*zip(*bound_n.items()), "^", color=COLOURS["PARITY"], markerfacecolor="none")
for row in (row for row in search.results if row["configuration"]["mean"] != "divided"):
    run, n = row["configuration"], row["result"]["n"]
    axis.plot(SIGNIFICAND[run["dtype"]], n, {"sequential": "o", "weighted": "s"}[run["mean"]],
              color=COLOURS["FIRST"], markerfacecolor="none" if "least_drift" in run else None,
              label=run["mean"] if run["dtype"] == "float16" else None)
axis.set(xlabel="bits $p$ of the significand", ylabel="first failing $n$", yscale="log",
         xticks=[8, 11, 24])
axis.legend()
for p, n in exact_n.items():
    print(f"p = {p:2}: first n that fails {n:5}, {n / 2 ** (p - 1):.3f} of 2^(p-1)")

# %% tags=["hide-input"]
failing = [p for p in range(5, 25)
           if wrong_counts_in(p, 2 ** (p - 1) + 1, np.array([3 * 2 ** (p - 3)]))]
last, reader = arithmetic.results[-1]["result"], Encoder(parity, torch.float32)
float32_wrong = wrong_counts(reader, last["n"], [last["k"] - 1, last["k"]])
for row in search.results:
    run, n, wrong = row["configuration"], row["result"]["n"], row["result"]["wrong"]
    dtype, mean, least = run["dtype"], run["mean"], run.get("least_drift")
    reader = Encoder(parity, FLOATS[dtype], mean=MEANS[mean])
    claims.settle("precision", here=n, agrees=wrong_counts(reader, n, wrong) == wrong,
                  quantity=f"{'an' if least else 'first'} n with an error, {dtype}, {mean}",
                  source=search.source,
                  note=f"an upper bound: k with a drift below {least} unread" if least else "",
                  **DEPTH)
claims.settle("division", here=", ".join(map(str, exact_n.values())),
              agrees=all(n <= 2 ** (p - 1) + 1 for p, n in exact_n.items()),
              source=arithmetic.source, **DEPTH)
claims.settle("division: n without error", here="n ≤ 2^(p-4)",
              agrees=all(n > 2 ** (p - 4) for p, n in exact_n.items() if p >= 7), **DEPTH)
claims.settle("division: p from 5", here=f"{len(failing)} of 20", agrees=len(failing) == 20,
              **DEPTH)
claims.settle("division: an n with", here=last["n"], agrees=float32_wrong == [last["k"]], **DEPTH)

# %% [markdown]
"""
(run-mutants)=
### One coefficient at a time

Which numbers does it need? We set each coefficient of PARITY to zero in turn and look for the first string decided
wrongly: exactly, under softmax and under averaging {term}`hardmax`, and in float64. No mutant makes $s$ depend on more than $k$ and $n$, so again
$1^k 0^{n-1-k}$ will do. **Predict** how many can go.

<p class="guess">none|a few|most</p>
"""

# %% tags=["hide-output"]
strings = ["1" * k + "0" * (length - k) for length in range(13) for k in range(length + 1)]

def fate(decide):
    for w in strings:
        accepted = decide(w)
        assert accepted is not None                      # every exact decision is proved
        if accepted != PARITY.contains(w):
            return f"fails on {w or 'the empty string'}"
    return "**survives**"

fates = {label: (fate(lambda w: Exact(mutant).decide(w).accepts),
                 fate(lambda w: Exact(mutant, "hardmax").decide(w).accepts),
                 fate(lambda w: Encoder(mutant).accepts(w)))
         for label, mutant in mutants(parity)}
head = ("coefficient set to zero", "softmax, proved", "hardmax, proved", "softmax, float64")
markdown_table(head, [(f"`{label}`", *found) for label, found in fates.items()])

# %% [markdown]
"""
:::{dropdown} Why
Four survivors flatten one head of the second layer, which then returns the plain mean. **One sharp head is enough.**

Let the sharp one be head 1. The flat one returns $\tfrac1n\cdot\tfrac1n$, so $s=\tfrac1n(\alpha_k-\tfrac1n)$ with
$\alpha_k=e^{\pm c}/Z_1$, plus for odd $k$. The sign is that of $ne^{\pm c}-Z_1$:

$$
ne^c-Z_1=\tfrac{n+1}2(e^c-e^{-c})>0,\qquad ne^{-c}-Z_1=\tfrac{n-1}2(e^{-c}-e^c)<0
$$

for odd $n\ge3$, and $\pm\tfrac n2(e^c-e^{-c})$ for even $n$. At $n=1$ both heads return the same and the empty string is rejected. The same algebra
serves head 2.
:::

One survivor is another idea. Without `1/n` in the third hidden unit the hat becomes $-\mathbb{I}[i<k]$: chapter 1's {term}`thermometer`, unit $j$ at position
$j-1$.

§3.2 sets a thermometer, $\mathbb{I}[i\le k]$, aside: for odd $n$ the even and odd positions weigh differently. As printed, its positions begin with CLS at 0. The units of §3.1 begin at 1,
which takes a third ReLU, $\max(0,1/n-i/n)$. **Predict:** at which $n$ does the printed one err, and at which the one from 1?

<p class="guess">even, odd|odd, even|odd, odd</p>
"""

# %% tags=["hide-output"]
i, k, unit = (parity.space[name] for name in ("i/n", "k/n", "1/n"))
table, errors = [], {}
for name, hidden, out in (("[i ≤ k]", [k - i + unit, k - i], [1, -1]),
                          ("[1 ≤ i ≤ k]", [k - i + unit, k - i, unit - i], [1, -1, -1]),
                          ("-[i < k]", [k - i, k - i - unit], [-1, 1])):
    marking = replace(parity.layers[0], ffn=FFN(hidden, {"[i=k]/n": out}))
    reader = Exact(replace(parity, layers=[marking, parity.layers[1]]))
    decisions = [reader.decide(w) for w in strings]
    errors[name] = PARITY.errors(strings, [decision.accepts for decision in decisions])
    ties = [w for w, decision in zip(strings, decisions) if decision.sign == 0]
    even_n = [w for w in errors[name] if len(w) % 2 == 1]
    table.append((f"`{name}`", len(errors[name]) - len(even_n), len(even_n), len(ties)))
markdown_table(("thermometer", "errors at odd n", "errors at even n", "ties"), table)

# %% [markdown]
"""
:::{dropdown} Why
*Proved for every length:* with $o$ marks on odd positions and $e$ on even ones, $s$ has the sign of $o-e$ for even $n$ and of $(n+1)o-(n-1)e$ for odd $n$.

*As printed*, $o=\lceil k/2\rceil$ and $e=\lfloor k/2\rfloor+1$. For even $n$ nothing is accepted. For odd $n$ the sign is that of $k+1$ for odd $k$ and of
$k+1-n\le0$ for even: right.

*From 1*, $e=\lfloor k/2\rfloor$. For even $n$ the sign is 1 or, for even $k$, 0: right. For odd $n$ it is positive for every $k\ge1$.

*Shifted*, $\lceil k/2\rceil$ marks, turned negative, are on even positions and $\lfloor k/2\rfloor$ on odd. For even $n$ nothing changes. For odd $n$ the
sign is that of $(n-1)\lceil k/2\rceil-(n+1)\lfloor k/2\rfloor$, which is $n-k>0$ for odd $k$ and $-k\le0$ for even: it decides PARITY at every length. float64 breaks
its ties by rounding and errs.
:::

## Measured against the paper
"""

# %% tags=["hide-input"]
for (name, odd, even, _), conditions in zip(table, ("", "i from 1, as in section 3.1")):
    claims.settle("mutants: thermometer", here=f"{odd} at odd n, {even} at even n",
                  agrees=odd > 0 and even == 0,
                  quantity=f"errors with the thermometer {name[1:-1]} in place of the mark",
                  settles="" if conditions else "thermometer", conditions=conditions,
                  note="" if conditions else "position 0, CLS, is marked too")
claims.correct("C&C §3.2, thermometer",
               holds=([row[1] > 0 for row in table] == [False, True, False]
                      and [row[2] > 0 for row in table] == [True, False, False]),
               even=table[0][2], odd=table[1][1])
claims.settle("mutants", here=len(errors["-[i < k]"]), agrees=errors["-[i < k]"] == [])
survivors = [label for label, found in fates.items() if "survives" in found[0]]
flattened = [label for label in survivors if label[3] in "QK"]
assert len(survivors) == len(flattened) + 1 and "W^{F,1,1}: h3 ← 1/n" in survivors
claims.settle("mutants: mutants of PARITY", here=f"{len(survivors)} of {len(fates)}",
              agrees=set(flattened) < set(survivors) and len(flattened) == 4,
              note=f"{len(flattened)} flatten a head, 1 makes a thermometer")
claims.table()

# %% [markdown]
"""
The constructions are as stated. PARITY's margin is of order $1/n^2$, inside the paper's $O(1/n)$. The printed thermometer fails at even $n$, not at odd.

## Exercises

**1 (compute).** Run $w = 10$ by hand ($n = 3$, $k = 1$). Which position carries the mark, how high is it, and what is $s$ at $c = 1$, to three decimals?
"""

# %%
# try: (position, height, s) in place of the dots
check("2.1", ...)

# %% tags=["hide-cell"]
trace = Exact(parity).trace("10")
assert str(trace.a[1]["[i=k]/n"]) == "[0, 1/3, 0]"
e = arb(1).exp()
Z1, Z2 = e + 2 / e, 2 * e + 1 / e                    # positions 0, 1, 2: even, odd, even
assert ((e / Z1 - 1 / e / Z2) / 3).overlaps(trace.a[2]["s"][0])
print("the mark:", trace.a[1]["[i=k]/n"], " s = (e/Z1 - 1/(e Z2))/3 =", trace.a[2]["s"][0])
check("2.1", (1, 1 / 3, float(trace.a[2]["s"][0])))

# %% [markdown]
"""
**2 (modify).** Change FIRST into SECOND, the strings whose *second* symbol is 1. Hint: a position encoding is a formula such as
`[i=1]`.
"""

# %%
# try: your Construction in place of the dots
check("2.2", ...)

# %% tags=["hide-cell"]
zero, one, cls, start, hit, s = S = Space("0", "1", "CLS", "[i=2]", "[w₂=1]", "s")
mark = Layer(ffn=FFN(hidden=[start - zero - cls], out={"[w₂=1]": [1]}))
look = Layer(heads=[Head(q=[cls], k=[start], v={"s": hit - start / 2})])
second = Construction(S, {"0": zero, "1": one, "CLS": cls}, {"[i=2]": start}, [mark, look], s)
SECOND = Language("SECOND", lambda w: w[1:2] == "1")
some = [w for length in range(9) for w in SECOND.all_strings(length)]
assert SECOND.errors(some, Exact(second).accepts(some)) == []
check("2.2", second)

# %% [markdown]
"""
(one-head)=
**3 (prove or refute).** "A second layer with a single head, sharp or not, cannot decide PARITY." The first layer may change.

<p class="guess">proved|refuted</p>
"""

# %%
# try: "proved", or a Construction of two layers, one head in the second, which is run
check("2.3", ...)

# %% [markdown]
"""
:::{dropdown} Solution
Refuted. Keep head 1 and let the mark be $\mathbb{I}[i = k] - 2\, \mathbb{I}[i = 0]$, with one more hidden unit $\max(0, 1/n - i/n)$.

Position 0 is even, so head 1 gives it the weight $e^{-c}/Z_1$, and $nZ_1s=e^{\pm c}-2e^{-c}$ for $k\ge1$ (plus for odd $k$) and $-e^{-c}$ for $k=0$. If
$e^{2c}>2$ this is positive for odd $k$ and negative otherwise, at every length and without any tie: even the empty string gets $s=-1$.
:::
"""

# %% tags=["hide-cell"]
i, k, unit = (parity.space[name] for name in ("i/n", "k/n", "1/n"))
ffn = FFN([k - i - unit, k - i, k - i + unit, unit - i], {"[i=k]/n": [1, -2, 1, -2]})
single = replace(parity, layers=[replace(count, ffn=ffn), Layer(compare.heads[:1])])
strings = ["1" * k + "0" * (n - k) for n in range(40) for k in range(n + 1)]
decisions = [Exact(single).decide(w) for w in strings]
assert PARITY.errors(strings, [d.accepts for d in decisions]) == [] and decisions[0].s == -1
print(f"{len(decisions)} decisions proved, lengths 0 to 39, no tie")
check("2.3", single)

# %% [markdown]
"""
## What next

Chapter 3 makes the margin large: layer normalization, a mirror, one more layer.

### Since then

RASP {cite}`weiss2021` is a programming language modelled on encoders: a program in it bounds from above the layers and heads that a task needs.

Tracr {cite}`lindner2023` compiles RASP programs into transformers for inputs up to a chosen length, on named parts of the residual stream.

Strobl and others {cite}`strobl2024` survey which formal languages transformers express, by assumptions on attention, masks, positions and precision.
"""
