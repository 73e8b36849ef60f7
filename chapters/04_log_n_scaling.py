# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Learning, and the logarithm of n

*You will be able to* say at which length a transformer's attention is diluted too far, turn a string of any length into four weighted tokens,
train two dozen transformers at once, and tell what scaling by $\log n$ repairs from what it does not.
"""

# %% [markdown]
"""
## Claim

A transformer that exists need not be found. §5 of Chiang and Cholak {cite}`chiang2022` trains. **§5.1**: PARITY is not learned in any setting they tried; FIRST is learned,
but fails on strings longer than those it was trained on. **§5.2** explains why, with a *flawed* transformer that is right only while $c > \log(n - 1)$:
a fixed head gives the first position a share of attention that falls like $1/n$. **§5.3** multiplies every attention logit by $\log n$, which makes the flawed transformer right at every
length, lowers the cross-entropy (**Proposition 3**, with and without layer normalization), and lets training generalise perfectly (**Fig. 4**).

What is surprising is how little it takes: one number, known before the string is read.
"""

# %% tags=["hide-input"]
from math import exp

import matplotlib.pyplot as plt
import numpy as np
import torch
from flint import fmpq

from lib import constructions
from lib.book import Claims, glue, markdown_table, stored
from lib.book.figures import REFERENCE, spread, use_style
from lib.constructions.normalization import mirror
from lib.languages import FIRST
from lib.learning import Ensemble, Member, Network, quotient, tokens
from lib.learning.gradient import gradient
from lib.learning.train import score, train
from lib.transformer import Construction, Encoder, Exact, Head, Layer, Space
from lib.translation.configurations import SCALES
from lib.translation.runs import SPLITS, compared

use_style()
claims = Claims("04_log_n_scaling")
FLAWED, EQUATION_2, PROPOSITION_3 = "C 5.2", "C Eq. 2, 5.3", "C Prop. 3"

# %% [markdown]
"""
## Construction

### A flawed transformer

Chapter 2's FIRST relies on values that are exactly zero at every position but the first. Learned embeddings are nowhere exactly zero. §5.2 asks what happens if the other positions have values too:
one layer, in which CLS attends to position 1 with gain $c$, a 1 votes $+\tfrac12$ and anything else $-\tfrac12$.
"""

# %%
S = Space("0", "1", "CLS", "[i=1]", "s")
zero, one, cls, start, s = S


def flawed_first(c):
    look = Layer(heads=[Head(q=[cls], k=[start], v={"s": (one - zero - cls) / 2}, gain=c)])
    return Construction(S, word={"0": zero, "1": one, "CLS": cls}, position={"[i=1]": start},
                        layers=[look], output=s, name="flawed FIRST")


assert flawed_first(2) == constructions.flawed_first(2)
flawed_first(1).matrix("V", 1, 1)

# %% [markdown]
"""
The vote of position 1 counts $e^c$ times, the other $n - 1$ once each. With $k$ the number of 1s,

$$
s = \frac{(e^c - 1)\left(\mathbb{I}[w_1 = 1] - \tfrac12\right) + k - \tfrac n2}{e^c + n - 1}.
$$

Against a 1 in front, all other symbols can be 0: then $k = 1$, and $s > 0$ only if $e^c > n - 1$. So $c > \log(n - 1)$ is not only sufficient, as the paper says, but the exact threshold, and $1\,0^{n-2}$ is
the string that breaks it first. Against a 0 in front all others can be 1, $k = n - 2$, and $s \le 0$ needs $e^c \ge n - 3$ only.

### Multiply by log n

Equation (2) multiplies the attention logits by $\log n$. It is an option of the readers, `log_n=True`. A logit of 1 then weighs $e^{\log n} = n$: weights are powers of $n$, and the exact reader needs no
balls. With $c = 1$ the flawed transformer computes a rational number:
"""

# %%
reader = Exact(constructions.flawed_first(), log_n=True)
for w in ("1000", "0111", "10"):
    n, k, hit = len(w) + 1, w.count("1"), int(w[0])
    printed = fmpq(n - 1, 2 * n - 1) * (hit - fmpq(1, 2)) + (k - fmpq(n, 2)) / (2 * n - 1)
    assert reader.logit(w) == printed
    print(f"s({w}) = {printed}")

# %% [markdown]
"""
It is the paper's formula, and its sign is right at every length: over all strings the least $|s|$ is $\tfrac{1}{2(2n-1)}$. The share of position 1 is now $n / (2n - 1)$, just over one half.

(log-quotient)=
### A string is four tokens

Training on long strings seems to cost their length. It need not. FIRST's position encoding is $\mathbb{I}[i = 1]$: from position 2 on, two positions with the same symbol hold the same vector, before
and after every layer. Softmax cannot tell $m$ tokens with equal logits from *one* whose logit is larger by $\log m$, since $m e^x = e^{x + \log m}$. So a string **is** four weighted tokens: CLS, its first
symbol, a 0 for all later 0s, a 1 for all later 1s.
"""

# %%
w = "1" + "0010" * 12
batch = quotient(first=[[1]], rest=[[w[1:].count("1")]], length=len(w))
names = [["0", "1", "CLS"][symbol] for symbol in batch.symbols[0, 0].tolist()]
markdown_table(("token", "stands for", "added to its logit"),
               [(t, f"{exp(x):.0f}", f"{x:.2f}") for t, x in zip(names, batch.log_count[0, 0])])

# %% [markdown]
"""
Nothing is approximated. Here are three random networks, on one string as {glue:text}`tokens_in_full` tokens and as four: the losses and all of their gradients, in float64.
"""

# %%
learners = Ensemble(Network(), [Member(seed, length=48) for seed in range(3)], torch.float64)
label, found = torch.tensor([[True]]), []
for strings in (tokens([w]), batch):
    found.append((gradient(learners, strings, label), learners.flat.grad.clone()))
for name, full, four in zip(("loss", "gradient"), *found):
    gap = (full - four).abs().max()
    print(f"{name}: largest difference {gap:.0e}, of {full.abs().max():.2f}")

# %% [markdown]
"""
So length matters to such a network through the logarithm of a multiplicity and in no other way: adding symbols shifts the logits of later tokens by $\log m$, which is what Equation (2) answers with its $\log n$.
The length is a number, $10^9$ costs what 10 costs, and the expectation over *all* $2^{|w|}$ strings is a binomial sum. The test losses below have no sampling error.

## Run it

(log-threshold)=
### The threshold

**Predict** for $c = 1$, $\tfrac32$, $2$ the first $|w|$ with an error, how many errors there are, and which.
"""

# %%
exact_threshold = []
for c in (1, 1.5, 2):
    reader = Encoder(constructions.flawed_first(c))
    for length in range(1, 12):
        strings = list(FIRST.all_strings(length))
        wrong = FIRST.errors(strings, reader.accepts(strings))
        exact_threshold.append((wrong == []) == (exp(c) > length))
        if wrong:
            print(f"c = {c}: e^c = {exp(c):.2f}, |w| = {length}: {len(wrong)} wrong, {wrong[0]}")
            break

# %% tags=["hide-input"]
glue("tokens_in_full", str(len(w) + 1))
apart = max((full - four).abs().max().item() for full, four in zip(*found))
claims.add("ours: exact quotients", "loss and gradient of 4 tokens and 49, apart", paper=None,
           here="below 1e-12", agrees=apart < 1e-12, cell="log-quotient")
repaired = Encoder(constructions.flawed_first(), log_n=True)
everything = [list(FIRST.all_strings(length)) for length in range(1, 13)]
hard = [f(length) for length in (10**3, 10**4, 10**5)
        for f in (lambda m: "1" + "0" * (m - 1), lambda m: "0" + "1" * (m - 1))]
left = sum(len(FIRST.errors(some, repaired.accepts(some))) for some in everything)
left_hard = FIRST.errors(hard, [repaired.accepts(w) for w in hard])
print(f"with log n and c = 1: {left} errors to |w| = 12, {len(left_hard)} on the hardest to 10^5")
claims.add(FLAWED, "right on all strings of a length", "if c > log(n - 1)", "iff c > log(n - 1)",
           agrees=all(exact_threshold), cell="log-threshold",
           note="the threshold is exact: 1 0ⁿ⁻² breaks it")
claims.add(EQUATION_2, "errors of flawed FIRST under log n, c = 1, all strings to length 12",
           paper="none", here=left, agrees=left == 0, cell="log-threshold")
claims.add(EQUATION_2, "errors on the hardest strings of length 10³, 10⁴, 10⁵", paper="none",
           here=len(left_hard), agrees=left_hard == [], cell="log-threshold")

# %% [markdown]
"""
(log-live)=
### Two dozen transformers learn

Now random initial weights, in the paper's setting: two layers, one head, $d = 16$, 64 hidden units, layer normalization with $\epsilon = 10^{-5}$, Adam at $3 \cdot 10^{-4}$, *one* random string a step, 100 steps an
epoch, tests at $|w| = 1000$ (the figure's $n$ is $|w|$). Three seeds for each of four training lengths, without and with $\log n$: 24 transformers with a leading axis through every tensor. They share the arithmetic and nothing else;
each draws its own strings.
"""

# %%
lengths, kinds = (10, 30, 100, 300), ("plain", "log n")
members = [Member(seed, n, scale) for scale in kinds for n in lengths for seed in range(3)]
learners = Ensemble(Network(), members)
live = train(learners, "FIRST", tested_at=range(4, 61, 4), test_length=1000)

# %%
accuracy = live.accuracy[-1].reshape(len(kinds), len(lengths), 3)
own = np.array([score(learners, "FIRST", n).accuracy for n in lengths]).reshape(4, 2, 4, 3)
for number, scale in enumerate(kinds):
    at_own = [own[j, number, j].mean() for j in range(4)]
    print(f"{scale:5}: at their own length", *(f"{x:.2f}" for x in at_own),
          " at 1000", *(f"{x:.2f}" for x in accuracy[number].mean(axis=-1)))

# %% tags=["hide-input"]
shades = dict(zip(lengths, plt.cm.Oranges([0.4, 0.55, 0.75, 1.0])))

def finish(figure, axes, xlabel, ylabel):
    for axis, scale in zip(axes, kinds):
        axis.set(title=scale, xlabel=xlabel)
    axes[0].set(ylabel=ylabel)
    names = axes[0].get_legend_handles_labels()
    figure.legend(*names, title="trained\nat |w| =", fontsize=8, loc="outside right center")


# %% mystnb={"figure": {"caption": "Twenty-four transformers learn FIRST in this page's build, one line each: accuracy at $|w| = 1000$, over all strings, against epochs. Without scaling (left) some get there; with $\\log n$ (right) more do, and sooner.", "name": "fig-log-live"}, "image": {"alt": "Two panels of curves against epochs: on the left most lines stay near one half, on the right most rise to one.", "classes": "dark-light"}}
figure, axes = plt.subplots(1, 2, figsize=(7, 2.8), sharey=True)
for member, curve in zip(members, live.accuracy.T):
    axis = axes[kinds.index(member.scale)]
    label = f"{member.length}" if member.seed == 0 else None
    axis.plot(live.epochs, curve, color=shades[member.length], linewidth=1.2, label=label)
finish(figure, axes, xlabel="epoch", ylabel="accuracy at |w| = 1000")

# %% [markdown]
"""
(log-figure-4)=
### The paper's Fig. 4, in full

The paper has 20 runs of each. Here they are for 1000 epochs, 100,000 steps, loaded from a stored run that took {glue:text}`stored_minutes` minutes of a busy processor core; its first steps are replayed by the book's tests.
**Predict** from §5.2 in which order the training lengths will end, left and right.
"""

# %%
run = stored("first_generalisation")
learned = {(row["configuration"]["length"], row["configuration"]["scale"]): row["result"]
           for row in run.results}
epochs = learned[10, "plain"]["epochs"]
glue("stored_minutes", f"{run.minutes:.0f}")


def at(length, scale, quantity, epoch):
    return np.array(learned[length, scale][quantity][epochs.index(epoch)])


def failing(length, scale, epoch):
    return int((at(length, scale, "accuracy", epoch) < 0.99).sum())


# %% mystnb={"figure": {"caption": "FIRST, trained at four lengths and tested at 1000: the mean over 20 seeds (line) and the middle half of them (band), plain on the left, with $\\log n$ on the right. Below, the attention that CLS pays to position 1, summed over the two layers.", "name": "fig-log-4"}, "image": {"alt": "Three rows of two panels over epochs: cross-entropy, accuracy, attention; on the right the curves go to zero, to one and to a half or more, on the left they stay apart.", "classes": "dark-light"}}
figure, axes = plt.subplots(3, 2, figsize=(7, 6.2), sharex=True, sharey="row")
labels = {"bits": "bits a string", "accuracy": "accuracy", "attention": "attention"}
for row, (quantity, label) in zip(axes, labels.items()):
    row[0].set(ylabel=label)
    for axis, scale in zip(row, kinds):
        for n in lengths:
            spread(axis, epochs, np.array(learned[n, scale][quantity]), shades[n], f"{n}")
finish(figure, axes[0], xlabel="", ylabel=labels["bits"])
axes[0, 0].set(xscale="log", yscale="log")
for axis in axes[2]:
    axis.set(xlabel="epoch")

# %% tags=["hide-input"]
def end(length, scale, epoch):
    accuracy, bits = (at(length, scale, name, epoch).mean() for name in ("accuracy", "bits"))
    return f"{accuracy:.2f}", failing(length, scale, epoch), f"{bits:.2f}"


glue("ten_fails", failing(10, "log n", 1000))
columns = [f"{name}, {n} epochs" for n in (100, 1000)
           for name in ("accuracy", "of 20 below 99 %", "bits")]
markdown_table(("logits", "trained at", *columns),
               [(scale, n, *end(n, scale, 100), *end(n, scale, 1000))
                for scale in kinds for n in lengths])

# %% [markdown]
"""
Right, all is as the paper says but for one line: at $|w| = 10$ scaling does not save every run. {glue:text}`ten_fails` of 20 stay below 99 % after 1000 epochs, with the loss of a run that is sure and wrong. (At 300, some runs have not learned anything after 100 epochs;
by 1000 all have.) We ruled out three causes: these runs are at 100 % on their own length; ten times the epochs do not help; and the test has no sampling error. [Exercise 3](#log-exercise) shows what is left.

Left, the order of the training lengths is not the one that dilution alone gives: after 100 epochs 300 does worse than 30, because most of its runs have not yet begun to learn. After 1000 epochs length 10 is a coin toss, as in the paper, and
the longer ones are nearly right *at 1000*, with losses that come from a few runs. The mean over 20 curves, which the paper shows, hides that a run is nearly always either right or at chance.

(log-far)=
### To a thousand million symbols

Through the quotient nothing stops at 1000. These are the same runs after 1000 epochs, tested at each length to $10^9$, far beyond any string that a machine can hold. (From a few thousand symbols on, some four hundred evenly spaced counts under the bell curve stand for all; nothing is drawn at random.)
"""

# %%
tested = [entry["length"] for entry in learned[10, "plain"]["final"]]


def final(length, scale, quantity):
    return np.array([entry[quantity] for entry in learned[length, scale]["final"]])


# %% mystnb={"figure": {"caption": "Accuracy against the length of the test strings, after 1000 epochs: the mean over 20 seeds and the middle half. Plain transformers (left), right at their training length (dots), are all at chance by $10^6$; with $\\log n$ (right) most hold to $10^9$.", "name": "fig-log-far"}, "image": {"alt": "Two panels over test length on a log axis to one thousand million: left all curves fall to one half, right they stay near one.", "classes": "dark-light"}}
figure, axes = plt.subplots(1, 2, figsize=(7, 2.8), sharey=True)
for axis, scale in zip(axes, kinds):
    for n in lengths:
        values = final(n, scale, "accuracy")
        spread(axis, tested, values, shades[n], f"{n}")
        axis.plot(n, values.mean(axis=1)[tested.index(n)], "o", color=shades[n])
    axis.axhline(0.5, **REFERENCE)
    axis.set(xscale="log", ylim=(0.4, 1.03))
finish(figure, axes, xlabel="tested at |w|", ylabel="accuracy")

# %% [markdown]
"""
(log-attention)=
### Is it dilution?

§5.2 says why plain runs fail: a head with a fixed gain gives position 1 the share $e^c / (e^c + n - 1)$. We can test that. Take $c$ from the share that a run has at its own training length, and predict the rest.
"""

# %%
size = {"plain": lambda n: 1, "log n": lambda n: np.log(np.array(n) + 1)}
share, predicted = {}, {}
for n, scale in ((n, scale) for n in lengths for scale in kinds):
    share[n, scale] = np.median(final(n, scale, "attention").max(axis=1), axis=1)
    own = share[n, scale][tested.index(n)]
    c = np.log(own / (1 - own) * n) / size[scale](n)
    predicted[n, scale] = 1 / (1 + np.array(tested) / np.exp(c * size[scale](tested)))

# %% mystnb={"figure": {"caption": "The larger of the two layers' attention on position 1 against length, the median of 20 runs (solid), and what §5.2 predicts from the share at the training length (dashed): $e^c / (e^c + n - 1)$ for plain runs, $n^c / (n^c + n - 1)$ with $\\log n$.", "name": "fig-log-attention"}, "image": {"alt": "Two log-log panels: on the left solid curves fall with slope minus one along dashed ones, on the right they stay near one.", "classes": "dark-light"}}
figure, axes = plt.subplots(1, 2, figsize=(7, 2.8), sharey=True)
for axis, scale in zip(axes, kinds):
    for n in lengths:
        axis.loglog(tested, share[n, scale], color=shades[n], label=f"{n}")
        axis.loglog(tested, predicted[n, scale], **REFERENCE)
finish(figure, axes, xlabel="tested at |w|", ylabel="attention on position 1")

# %% tags=["hide-input"]
for scale in kinds:
    ratio = [share[n, scale][-1] / predicted[n, scale][-1] for n in lengths]
    print(f"{scale}: share at 10^9, measured / predicted:", *(f"{x:.2f}" for x in ratio))
    claims.add(FLAWED if scale == "plain" else EQUATION_2, cell="log-attention", paper=None,
               quantity=f"attention on position 1 at 10⁹, of §5.2's prediction, {scale}",
               source=run.source, here=f"{min(ratio):.1f} to {max(ratio):.1f} times", agrees=True)
    glue(f"share_ratio_{scale}", f"{min(ratio):.0f} to {max(ratio):.0f}")
last = np.log10([share[n, "plain"][-4:] for n in lengths])
slope = np.polyfit(np.log10(tested[-4:]), last.T, 1)[0]
glue("slope", f"{slope.mean():.2f}")

# %% [markdown]
"""
On the left the curves fall with a slope of {glue:text}`slope`: dilution, as predicted. They fall later, though: the share at $10^9$ is {glue:text}`share_ratio_plain` times the predicted one. The plotted share is a mean over strings that begin with 0 and with 1 and a median
over runs, for which one $c$ cannot stand; we have not taken it apart further. On the right the share does not vanish. It need not tend to 1 either: a run may look at position 1 only if it holds a 1, which halves the mean.

(log-scalar)=
### Would a learned number do?

$\log n$ does two things at once: it makes logits larger, and it makes them *grow*. Two base lines take these apart, trained like the others at the two short lengths. One multiplies the logits by a constant, $\log n$ of the training
strings; the other by a number that each layer learns, 1 at first. **Predict** how many of 20 runs reach 99 % at their own length, at 1000, and at $10^9$.
"""

# %%
def reached(length, scale, tested_at):
    [entry] = [e for e in learned[length, scale]["final"] if e["length"] == tested_at]
    return int((np.array(entry["accuracy"]) >= 0.99).sum())


growing = np.concatenate([np.ravel(learned[n, "learned"]["scales"]) for n in (10, 30)])
glue("learned_scale", f"{growing.min():.2f} to {growing.max():.2f}")
markdown_table(("logits times", "trained at", "own length", "1000", "10⁹"),
               [(scale, n, *(f"{reached(n, scale, m)} of 20" for m in (n, 1000, 10**9)))
                for n, scale in learned if n < 100])

# %% [markdown]
"""
Neither does. All learn their own length; a larger constant moves the threshold, and the longer strings pass it again. A learned number cannot do better, being a constant at test time, and hardly moves: after 100,000 steps it lies at
{glue:text}`learned_scale`. Nothing in the training loss asks it to grow, as all strings it sees have one length. What generalises is that $\log n$ *depends on n*.
"""

# %% [markdown]
"""
(log-parity)=
### PARITY

§5.1 could not train a transformer on PARITY, in "many other settings" too. Here are twenty settings with ten seeds each, 100 epochs: five lengths; the construction's own position encoding or learned positions; with $\log n$
or without; one string a step as in the paper, or eight at a larger rate. Mean accuracy, and in brackets how many of ten runs pass 99 %:
"""

# %%
run_parity, settings = stored("parity_learning"), {}
for row in run_parity.results:
    c = row["configuration"]
    name = f"{c['positions']}, {c['scale']}, {c['strings']} a step"
    settings.setdefault(name, {})[c["length"]] = row["result"]["final"][0]["accuracy"]
markdown_table(("positions, logits, strings", *(f"|w| = {n}" for n in (4, 8, 12, 16, 24))),
               [(name, *(f"{np.mean(a):.2f} ({sum(x > .99 for x in a)})" for a in found.values()))
                for name, found in settings.items()])

# %% [markdown]
"""
From 16 symbols on nothing is learned, as the paper says. At 4 everything is, and at 8 most. What is it that they learn? PARITY depends on $k$ alone, so try *no positions at all*: then a string is a count, the quotient applies, and the test
sums over all strings. **Predict** the accuracy at 8, and at 6, 7, 9 and 10.
"""

# %%
counters = Ensemble(Network("none", heads=2), [Member(seed, length=8) for seed in range(5)])
train(counters, "PARITY", [50], test_length=8, strings=8, rate=1e-3)
for length in (6, 7, 8, 9, 10):
    print(f"|w| = {length:2}:", *(f"{x:.2f}" for x in score(counters, "PARITY", length).accuracy))

# %% tags=["hide-input"]
long = [x for accuracy in settings.values() for n in (16, 24) for x in accuracy[n]]
short = [x for accuracy in settings.values() for x in accuracy[4]]
claims.add("C 5.1", "runs above 99 % at |w| = 16 and 24, four settings, ten seeds", paper="none",
           here=f"{sum(x > 0.99 for x in long)} of {len(long)}", agrees=max(long) < 0.6,
           cell="log-parity", source=run_parity.source)
claims.add("C 5.1", "runs above 99 % at |w| = 4, four settings, ten seeds", paper="none",
           here=f"{sum(x > 0.99 for x in short)} of {len(short)}", agrees=False,
           cell="log-parity", source=run_parity.source, note="no length is named")

# %% [markdown]
"""
A transformer without positions learns it, and has learned a wave: a function of $k/n$ that turns round $|w|$ times. Two symbols more, and the same wave has the wrong length; the answers are worse than a coin's. That is chapter 3's picture of one weight,
seen from the learner: every symbol more is one oscillation more, and gradient descent soon stops finding them.

## Break it

(log-prop-3)=
### Proposition 3, and a large $\epsilon$

Without layer normalization Proposition 3 takes chapter 2's FIRST with $c = 1$ and Equation (2): then $s = \frac{n}{2n-1}\left(\mathbb{I}[w_1 = 1] - \tfrac12\right)$, so $\tfrac14 < |s| \le \tfrac13$ (the paper prints $\tfrac12$), and an output weight
makes the cross-entropy what we like, at every length.

With layer normalization the paper mirrors the construction (chapter 3) and finds the lower bound $\tfrac14 \left(\tfrac5{24} + \epsilon\right)^{-1/2}$ for *any* $\epsilon$. But normalization also scales queries and keys: position $i$'s vectors by some $g_i$, which makes the share of
position 1 $n^{g_0 g_1} / (n^{g_0 g_1} + n - 1)$. **Predict** what happens to it for long strings when $g_0 g_1 < 1$.
"""

# %%
# try: another eps, and c = 2
eps, c = 1.0, 1
bound = (5 / 24 + eps) ** -0.5 / 4
reader = Encoder(mirror(constructions.first(c)), eps=eps, log_n=True)
trace = reader.trace(["10", "00"])
gains = (trace.a[1]["CLS"][:, 0] * trace.a[1]["[i=1]"][:, 1]).tolist()
print("c g0 g1 =", " and ".join(f"{c * g:.3f}" for g in gains), f"; claimed: |s| > {bound:.3f}")
for n in (10, 10**3, 10**5):
    least = min(abs(reader(w).item()) for w in ("1" + "0" * (n - 2), "0" * (n - 1)))
    print(f"n = {n}: least |s| = {least:.3f}")

# %% [markdown]
"""
Where $g_0 g_1 < 1$ the share tends to 0, and no output weight helps: for $\epsilon = 1$ the claimed bound is missed by a factor that grows with $n$. (Unrolled, $g_0^{-2} = \tfrac16 + \tfrac\epsilon6 + \epsilon^2$ and
$g_1^{-2} = \tfrac12 + \tfrac\epsilon3 + \epsilon^2$ if $w_1 = 1$, $\tfrac13 + \tfrac\epsilon3 + \epsilon^2$ if $w_1 = 0$.) The proposition itself survives, because it may choose $c$: any $c \ge 1 / (g_0 g_1)$ gives position 1 at least half. Change the cell
above to $c = 2$.
"""

# %% tags=["hide-input"]
exact = Exact(constructions.first(), log_n=True)
sizes = [abs(exact.logit(w)) for n in range(2, 60) for w in ("1" + "0" * (n - 2), "0" * (n - 1))]
claims.add(PROPOSITION_3, "|s| without layer normalization, c = 1, n = 2 to 59",
           paper="1/4 < |s| ≤ 1/2", here=f"1/4 < |s| ≤ {max(sizes)}",
           agrees=min(sizes) > fmpq(1, 4) and max(sizes) <= fmpq(1, 2), cell="log-prop-3",
           note="1/3 is the tight bound")


def least(c, eps, n):
    reader = Encoder(mirror(constructions.first(c)), eps=eps, log_n=True)
    return min(abs(reader(w).item()) for w in ("1" + "0" * (n - 2), "0" * (n - 1)))


for eps in (1e-5, 1.0):
    bound = (5 / 24 + eps) ** -0.5 / 4
    found = least(1, eps, 1001)
    claims.add(PROPOSITION_3, f"least |s| with layer norm, c = 1, eps = {eps:g}, n = 1001",
               paper=f"above {bound:.3f}", here=f"{found:.3f}", agrees=found > bound,
               cell="log-prop-3", note="" if found > bound else "it needs g₀ g₁ ≥ 1")
steady = [least(2, 1.0, n) for n in (10, 10**3, 10**5)]
claims.erratum(PROPOSITION_3, "C&C Prop. 3, proof with layer normalization", cell="log-prop-3",
               printed=r"$c = 1$ for every $\epsilon$", correct=r"$c \ge 1/(g_0 g_1)$",
               holds=least(1, 1.0, 10**5) < 0.01 < 0.1 < min(steady),
               checked="At eps = 1 the least |s| falls below 0.01 with c = 1; with c = 2 it "
               f"stays above {min(steady):.2f} to n = 10⁵.")

# %% [markdown]
"""
(log-translation)=
### Translation

Table 1 of the paper puts $\log n$ into every attention layer of a translation system. Trained and tested on all lengths, nothing changes (32.6 and 32.5 BLEU). Trained on the shorter half of the sentences and tested on the longer, the baseline falls to 11.4 BLEU, and $\log n$ gives back one
point, significant at 0.01. The paper's data are English-Vietnamese lectures. Here are German-English captions (Multi30k) and two made-up languages under the same protocol, with one layer on each side; loaded, three seeds; ± is the widest 95 % interval of the BLEUs in a line, $p$ of each seed's difference by sacrebleu's paired bootstrap with 1000 samples.

At 16 keys, about a training sentence, $\log n$ is 2.8: it also makes all logits larger. The last three lines, on captions with ten epochs in place of three, part the two: $\log n / \log 16$ only grows, $\log 16$ is only large. **Predict** which of them helps from short to long.
"""

# %%
asked = [(run, split, "log n") for run in ("multi30k", "generated") for split in SPLITS]
asked += [("scales", "short to long", factor) for factor in ("log n", *SCALES)]
runs = {run: stored(f"translation_{run}") for run, *_ in asked}
found = {one: compared(runs[one[0]].results, *one[1:]) for one in asked}
body = [(*one, *(", ".join(map(str, bleus)) for bleus in (c.baseline, c.variant, c.p)),
         f"{c.gain.mean():+.2f}", c.confidence) for one, c in found.items()]
markdown_table(("run", "lengths", "factor", "BLEU without", "with it", "p", "gain", "±"), body)

# %% [markdown]
"""
On captions $\log n$ costs BLEU, at all lengths and from short to long alike. The last three lines point to its size. What is only large has the training loss of $\log n$ ({glue:text}`log_large_last_loss` and {glue:text}`log_both_last_loss`) and loses as much BLEU ({glue:text}`log_large_bleu` and {glue:text}`log_both_bleu`). What only grows has the loss of the baseline
({glue:text}`log_grows_last_loss` and {glue:text}`log_plain_last_loss`) and {glue:text}`log_grows_bleu` BLEU for its {glue:text}`log_plain_bleu`, half of the paper's point and significant at 0.01 with no seed. Logits 2.8 times as large are another initialisation and another learning rate of queries and keys, and minutes of training may not make up for that (not tested); the paper trains
an existing system with its default settings, on other data.

## Measured against the paper
"""

# %% tags=["hide-input"]
for n, scale in ((n, scale) for scale in kinds for n in lengths):
    accuracy, fails = at(n, scale, "accuracy", 100).mean(), failing(n, scale, 100)
    plain = "hardly better than guessing" if n == 10 else "not perfect"
    claims.add("C Fig. 4 left" if scale == "plain" else "C Fig. 4 right", source=run.source,
               quantity=f"accuracy at 1000, trained at {n}, 100 epochs", cell="log-figure-4",
               paper=plain if scale == "plain" else "perfect",
               here=f"{accuracy:.2f}; {fails} of 20 runs below 99 %",
               agrees=fails == 0 if scale == "log n" else fails > 0 and (n > 10 or accuracy < .6))
for scale in kinds:
    ends = [reached(n, scale, 10**9) for n in lengths]
    claims.add("ours: exact quotients", f"runs of 20 over 99 % at 10⁹, n = {lengths}, {scale}",
               None, ", ".join(map(str, ends)), True, cell="log-far", source=run.source)
for name, variant in zip(("plain", "both", "grows", "large"), ("baseline", "log n", *SCALES)):
    systems = [row["result"]["systems"][variant] for row in runs["scales"].results]
    for key in ("last_loss", "bleu"):
        glue(f"log_{name}_{key}", f"{np.mean([system[key] for system in systems]):.2f}")
for (name, split, factor), c in found.items():
    same, sure = split == "all", bool(2 * (c.p < 0.01).sum() > len(c.p))
    claims.add("C Table 1", source=runs[name].source, cell="log-translation",
               data="two made-up languages" if name == "generated" else "Multi30k",
               quantity=f"BLEU that {factor} adds, {split}, mean of {len(c.p)} seeds ({name})",
               paper=None if factor in SCALES else "-0.1" if same else "+1.0, p < 0.01",
               here=f"{c.gain.mean():+.2f}; p < 0.01 for {(c.p < 0.01).sum()} of {len(c.p)}",
               agrees=factor in SCALES or (not sure if same else sure and c.gain.mean() > 0))
claims.table()

# %% [markdown]
"""
The theory of §5 holds, sharper than printed at one place (the threshold) and not as printed at another (a large $\epsilon$). Of Fig. 4, "perfect for all training lengths" holds from 30 on, given enough epochs, and not at 10. The paper's
own curves are not in its text, so the table compares with what the text says of them.

## Exercises

**1 (compute).** At which $\epsilon$ does $c = 1$ stop being enough for Proposition 3, that is, where is $g_0 g_1 = 1$?
"""

# %% tags=["hide-cell"]
def product(eps, same):                                       # g0 g1 for w1 = 1 or 0
    return ((1 / 6 + eps / 6 + eps**2) * (same + eps / 3 + eps**2)) ** -0.5


for same, w in ((1 / 2, "10"), (1 / 3, "00")):
    grid = np.linspace(0, 1, 100_001)
    eps = grid[np.argmax(product(grid, same) < 1)]
    trace = Encoder(mirror(constructions.first()), eps=eps).trace(w)
    assert abs(trace.a[1]["CLS"][0, 0] * trace.a[1]["[i=1]"][0, 1] - 1) < 1e-4
    print(f"w1 = {w[0]}: eps = {eps:.3f}")

# %% [markdown]
"""
**2 (modify).** Give the flawed transformer $\log n$ but $c = \tfrac9{10}$. At which length does it err first, and does it ever recover?
"""

# %% tags=["hide-cell"]
reader = Encoder(constructions.flawed_first(0.9), log_n=True)
broken = [n for n in range(2, 400) if not reader.accepts("1" + "0" * (n - 2))]
assert broken == [n for n in range(2, 400) if n**0.9 <= n - 1]
print(f"n^0.9 > n - 1 fails first at n = {broken[0]}, then at every n to {broken[-1]}:",
      broken == list(range(broken[0], 400)))

# %% [markdown]
"""
(log-exercise)=
**3 (prove or refute).** "With logits times $\log n$, a head that prefers position 1 to all others by any fixed $c > 0$ gives it a share that does not vanish as $n$ grows."

:::{dropdown} Solution
Refuted. The share is $n^c / (n^c + n - 1)$, which tends to 1 for $c > 1$, to $\tfrac12$ for $c = 1$ and to 0, like $n^{c-1}$, for $c < 1$. Equation (2) does not remove dilution; it turns a threshold that moves with the
length, $\log(n - 1)$, into one that stands still, 1. A learner has to cross it once. Training on 10 symbols does not force it to: there $n^c$ with $c < 1$ is still large enough, and the runs of Fig. 4 that fail at $|w| = 10$ are right on every string of their own length.
:::
"""

# %% tags=["hide-cell"]
for c in (0.5, 1, 1.5):
    look = Encoder(constructions.flawed_first(c), log_n=True)
    share = [look.trace("1" + "0" * (n - 2), weights=True).attention[1, 1][0, 0, 1].item()
             for n in (10, 100, 1000)]
    assert np.allclose(share, [n**c / (n**c + n - 1) for n in (10, 100, 1000)])
    print(f"c = {c}:", *(f"{x:.3f}" for x in share))

# %% [markdown]
"""
## What next

Attention averages, and an average forgets how many. Chapter 5 asks what a transformer must give up before it can count.
"""
