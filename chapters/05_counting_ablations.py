# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Counting: what forgets quantity

*You will be able to* write a transformer layer that counts exactly, prove what softmax can never count, find out by removing one part at a time which part
of a layer does the damage, and read a table of accuracies against what it costs nothing to reach.
"""

# %% [markdown]
"""
## Claim

Ouellette, Pfister and Jud {cite}`ouellette2023` ask a one-layer encoder for the number of cells of each colour in a grid. The standard one fails even on the sizes it was
trained on (Table I, §V-A); without softmax and without layer normalization it is perfect, to 100x100. Normalization put back after either sublayer lets
counting work in training and fail on larger grids (§V-B), and one cannot even learn the identity through it (Table II).

What is surprising is how unequal the two culprits are, and that they are not alone. Softmax forgets quantity for good, at any depth. Layer normalization forgets nothing as long as its input stays
below the square root of a constant, $\epsilon = 10^{-5}$, that was added to avoid dividing by zero. And dropout and the residual connection, which nobody accused, each stop an encoder
from counting, too.
"""

# %% tags=["hide-input"]
from dataclasses import replace
from math import exp, sqrt

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from lib.book import Claims, glue, markdown_table, stored
from lib.book.figures import REFERENCE, use_style
from lib.counting import (FACTORS, PUBLISHED, Ablation, Counters, accuracies, algorithm_1,
                          arc_task, by_cell, by_colour, checked, colour_counts, copied,
                          count_batches, drawn_for_tests, fit, identity_batches, random_grids,
                          right)
from lib.counting.runs import SIZES, free_answers, identity_losses, outcomes

use_style()
claims = Claims("05_counting_ablations")
SHORT = {"Std-Transformer-Count": "Std", "No-LayerNorm-Count": "No",
         "LayerNorm-SA-Count": "SA", "LayerNorm-FF-Count": "FF"}
NORMED = ("LayerNorm-FF-Count", "LayerNorm-SA-Count")
PAINT = dict(zip(SHORT, ("#56B4E9", "#009E73", "#E69F00", "#CC79A7")))

# %% [markdown]
"""
## Construction

### The task

A token is the one-hot vector of a cell's colour, 0 to 9, with no position. Its output should hold the count of that colour at that colour, and nothing for black, the
background. This is the grid of the paper's Table III, and what is asked for each cell:
"""

# %%
grid = checked([[6, 6, 0], [3, 7, 0], [4, 3, 6]])
batch = by_cell(grid.ravel()[None, None])
x, target = batch.x[0, 0], batch.target[0, 0]                  # nine tokens of ten coordinates
print("asked:", target.sum(-1).int().tolist())

# %% [markdown]
"""
(count-algorithm)=
### Algorithm 1, and the same as a layer

The paper's algorithm gives cell $i$ a weight of 1 on every cell of its colour and adds up what they hold. Attention *without* softmax does that as it stands:

$$
\mathbf{y}_i = \mathbf{W}^F \mathbf{W}^O \sum_j \frac{(\mathbf{W}^Q \mathbf{x}_i) \cdot (\mathbf{W}^K \mathbf{x}_j)}{\sqrt{10}}\, \mathbf{W}^V \mathbf{x}_j ,
\qquad \mathbf{W}^Q = \sqrt{10}\,\operatorname{diag}(0, 1, \dots, 1), \quad \text{all else } \mathbf{I} .
$$

There is no residual connection, no bias and no normalization: that is No-LayerNorm-Count. The zero in $\mathbf{W}^Q$ leaves black without attention.
"""

# %%
eye = torch.eye(10, dtype=torch.float64)
W = dict.fromkeys("KVOF", eye) | {"Q": sqrt(10) * eye * (torch.arange(10) > 0)}
assert all(torch.equal(algorithm_1().parameters()[name][0], W[name]) for name in W)


# %%
def layer(asking, x):
    weights = (asking @ W["Q"].T) @ (x @ W["K"].T).T / sqrt(10)
    return weights @ (x @ W["V"].T) @ W["O"].T @ W["F"].T


assert torch.equal(layer(x, x), target)

# %% [markdown]
"""
Every weight is 0 or 1 and every sum a whole number, so the layer is right to the last bit. We compare it with the algorithm written as a loop, and with the counts at 100x100,
where $10^8$ attention weights are computed a thousand cells at a time.
"""

# %%
def run_algorithm_1(x):
    rows = [((x @ x_i) * (x_i[0] == 0)) @ x for x_i in x]       # weight 1 on equal colours
    return torch.stack(rows)


differing, draw = 0, np.random.default_rng(0)
for side in [*range(1, 21)] * 60 + [50, 50, 100, 100]:
    batch = by_cell(random_grids(side, 1, draw, capped=side < 50)[None])
    x, target = batch.x[0, 0], batch.target[0, 0]
    blocks = torch.cat([layer(some, x) for some in x.split(1000)])
    differing += not torch.equal(blocks, target)
    differing += side < 21 and not torch.equal(run_algorithm_1(x), target)
print(f"{differing} of 1204 grids differ in some bit")

# %% [markdown]
"""
(count-softmax)=
### Softmax returns 1

With softmax the weights on a cell's own colour add up to something below 1, however many cells there are. If the own colour has logit $G$ and the others 0, the cell hears
$N e^G / (N e^G + M - N)$ of its own colour, of which there are $N$ among $M$ cells: the proportion for $G = 0$, and 1 in the limit.
"""

# %%
def heard(G, N, M=500):
    model, grid = Counters(Ablation("softmax"), [0]), by_colour([[[0, N, M - N] + [0] * 7]])
    with torch.no_grad():
        model.flat.zero_()
        for name in W:
            model.parameters()[name][0] = G * sqrt(10) * eye if name == "Q" else eye
    return model(grid.x, grid.weight)[0, 0, 1, 1].item()


for G in (0, 2, 10):
    for N in (4, 40, 400):
        assert abs(heard(G, N) - N * exp(G) / (N * exp(G) + 500 - N)) < 1e-12
    print(f"G = {G:2}:", *(f"N = {N}: {heard(G, N):.4f}  " for N in (4, 40, 400)))

# %% [markdown]
"""
(count-copy)=
### What softmax can never do, at any depth

The paper's argument is about one layer and one way of counting. Here is one about every way. Call the grid in which each cell is repeated 2 by 2 its *4-fold copy*: its proportions
stay, its counts quadruple.

**Theorem.** A softmax encoder without positions, of any depth, with or without layer normalization, residual connections and biases, gives each cell of the copy the output of the cell it came from.

*Proof.* By induction over layers all four copies of a cell carry its vector. A head at a cell hears $\sum_j e^{l_{ij}} \mathbf{v}_j / \sum_j e^{l_{ij}}$; in the copy each $j$ occurs four times, and the 4
cancels. All else works on one position at a time. $\square$

So of a grid and its copy at most one is counted rightly wherever there is colour. **Predict** what six random layers of PyTorch's own encoder say.
"""

# %%
torch.manual_seed(0)
stock = nn.TransformerEncoderLayer(10, 2, 64, dropout=0.0, batch_first=True, dtype=torch.float64)
deep = nn.TransformerEncoder(stock, 6, enable_nested_tensor=False).eval()
for parameter in deep.parameters():
    nn.init.normal_(parameter, std=0.5)
cell_of = np.kron(np.arange(9).reshape(3, 3), np.ones((2, 2), int)).ravel()
once, four = (by_cell(g.ravel()[None, None]) for g in (grid, copied(grid)))
with torch.no_grad():
    one, other = deep(once.x[0])[0], deep(four.x[0])[0]
difference = (one[cell_of] - other).abs().max().item()
print(f"outputs of size {one.abs().max():.1f} differ by {difference:.0e}")
counted = algorithm_1()(four.x, four.weight)
print("without softmax:", counted[0, 0].sum(-1).int().tolist()[::2][:3], "where it was 3, 3, 0")

# %% [markdown]
"""
The theorem does not say that softmax fails on grids of *one* size: there $N$ is $M$ times a proportion, and exercise 3 builds a softmax layer that counts. That Std fails at 6x6 is a
fact about learning.

## Run it

### Watch the ablation happen

Training is as published: 50 grids a step, all of one side drawn from 1 to 6, each cell coloured with probability .8; mean squared error over all ten outputs, gradients
clipped to norm 1, every parameter from $U(-.08, .08)$, float64. As cells of one colour are alike, a grid *is* its ten counts, so a step costs ten weighted tokens a grid (the tests hold it to the
cell-by-cell path to $10^{-12}$). Only the learning rate is ours: $10^{-2}$ falling along half a cosine, where the paper has $2 \cdot 10^{-4}$.
"""

# %%
# try: another factor, say FACTORS["dropout"], or another number of steps
for name in ("nothing", "LN after attention", "LN after feed-forward"):
    live = Counters(FACTORS[name], seeds=range(2))
    fit(live, count_batches(live), steps=2000, rate=1e-2, cosine=2000, keeps_best=False)
    accuracy = {side: accuracies(live, side, grids=300).cells.mean() for side in (6, 8, 10, 20)}
    print(f"{name:21}", *(f"{side}x{side}: {a:6.1%}  " for side, a in accuracy.items()))

# %% [markdown]
"""
(count-table-1)=
### Table I

Now the published settings, five seeds, from a stored run of {glue:text}`count_steps` steps (Std: {glue:text}`count_steps_std`; the paper has 300,000). Accuracy is per cell, as the paper has it: a cell is right if all ten outputs round to the
target. (The text says "rounds up"; the code rounds to nearest.) Beside it stands the share of grids with *every* cell right, and what the paper's table lacks: two answers that need no network.
"Zeros" says 0 everywhere and is right on black; "mean" says the mean count of that size's coloured cells, and 0 on black.
"""

# %%
PAPER = {"Std": [32.48, 26.74, 25.10, 24.56, 25.39, 27.37, 31.12, 30.76], "No": [100.0] * 8,
         "SA": [99.97, 99.80, 98.52, 92.59, 80.86, 45.99, 30.17, 33.79],
         "FF": [97.49, 90.07, 75.49, 56.05, 40.52, 27.98, 28.30, 34.11]}
run, factors = stored("counting_tables"), stored("counting_factors")
tables, outcome = ({row["configuration"]["name"]: row["result"] for row in r.results}
                   for r in (run, factors))
steps = {row["configuration"]["name"]: row["configuration"]["steps"] for row in run.results}
zeros, mean = (100 * np.array(values) for values in zip(*map(free_answers, SIZES)))


def percent(result, kind="cells"):
    return 100 * np.array(result[kind])                         # sizes x seeds


def kept(name):
    return Counters.of(PUBLISHED[name], tables[name]["parameters"])


# %% tags=["hide-input"]
body = []
for name, short in SHORT.items():
    cells, grids = (percent(tables[name], kind)[:8] for kind in ("cells", "grids"))
    body += [[f"**{short}**, paper", *(f"{v:.1f}" for v in PAPER[short])],
             ["here", *(f"{row.mean():.1f}" for row in cells)],
             ["least–most", *(f"{row.min():.0f}–{row.max():.0f}" for row in cells)],
             ["whole grids", *(f"{row.mean():.1f}" for row in grids)]]
for label, values in (("zeros", zeros), ("mean", mean)):
    body.append([f"**{label}**", *(f"{v:.1f}" for v in values[:8])])
glue("count_steps", f"{steps['No-LayerNorm-Count']:,}")
glue("count_steps_std", f"{steps['Std-Transformer-Count']:,}, float32")
glue("count_everything", f"{percent(outcome['everything'])[0].mean():.0f} %")
glue("count_but_softmax", f"{percent(outcome['everything but softmax'])[0].mean():.0f} %")
glue("count_zeros_100", f"{zeros[8]:.0f} %")
batch, place = by_colour(drawn_for_tests(6)[None]), {"row": "O Table I", "cell": "count-table-1"}
up = (kept("No-LayerNorm-Count")(batch.x, batch.weight).ceil() == batch.target).all(-1)
claims.erratum(place="Ouellette et al. §IV, accuracy", printed="rounds up", **place,
               correct="rounds to the nearest whole number",
               checked="Rounded up, the outputs of the encoder that counts are mostly wrong.",
               holds=bool((up * batch.weight).sum() < 0.5 * batch.weight.sum()))
stock = nn.TransformerEncoderLayer(10, 1)
claims.erratum(place="Ouellette et al. §IV, FF network", printed="2 hidden layers", **place,
               correct="one hidden layer of 2048", checked="PyTorch's default layer has one.",
               holds=(stock.linear1.out_features, stock.linear2.out_features) == (2048, 10))
markdown_table(["%", *(f"{side}x{side}" for side in SIZES[:8])], body)

# %% mystnb={"figure": {"caption": "Accuracy per cell against the side of the grid: the paper's Table I (dots) and five seeds here (lines, with their range). Both normalized encoders fall back to what all zeros score (dashed); the standard one stays near it.", "name": "fig-counting-sizes"}, "image": {"alt": "Four curves over grid sides 6 to 20: one stays at 100 percent, two fall from near 100 to about 30, one stays near 30, close to a dashed baseline.", "classes": "dark-light"}}
figure, axis = plt.subplots()
for name, short in SHORT.items():
    cells = percent(tables[name])[:8]
    axis.plot(SIZES[:8], cells.mean(1), color=PAINT[name], label=short)
    axis.fill_between(SIZES[:8], cells.min(1), cells.max(1), color=PAINT[name], alpha=0.25, lw=0)
    axis.plot(SIZES[:8], PAPER[short], "o", color=PAINT[name])
axis.plot(SIZES[:8], zeros[:8], **REFERENCE, label="all zeros")
axis.set(xlabel="side of the grid (cells)", ylabel="cells right (%)", ylim=(0, 104))
figure.legend(ncols=5, loc="outside upper center");

# %% [markdown]
"""
No-LayerNorm-Count is perfect on every seed, at 100x100 too, also on full grids. (As published, a grid has at most 999 coloured cells, the cap being a random number below 1000: at 100x100 all zeros score
{glue:text}`count_zeros_100`.) The cap makes large grids blacker, and that is where the rise at the right end of Table I comes from. Std is, at every size, below the mean count: it has learned hardly more than which cells are black.
SA and FF fall off as in the paper, within {glue:text}`count_gap_SA` and {glue:text}`count_gap_FF` points at every size, and where they do is a matter of time: over the second half of the steps the training loss still fell to {glue:text}`count_still_SA` (SA) and {glue:text}`count_still_FF` (FF) of what it was.

(count-factors)=
### One factor at a time

The paper's rows differ in softmax, normalization, residual connections, biases, dropout and the feed-forward part, several at once: its three ablated encoders drop all but the one normalization under study. Here
each factor is changed alone, from the encoder that counts, for {glue:text}`count_factor_steps` steps at the rates of the live cell; then everything but dropout is on, and one is taken away. "V2" is a variant in the authors' repository with a
two-layer feed-forward part (64 hidden units here). **Predict** which rows are not 100 at 6x6.
"""

# %%
columns = [(6, "cells"), (8, "cells"), (10, "cells"), (20, "cells"), (6, "grids"), (10, "grids")]
body = [[name, *(f"{percent(result, kind)[SIZES.index(side)].mean():.1f}"
                 for side, kind in columns), f"{percent(result)[0].min():.1f}"]
        for name, result in outcome.items()]
glue("count_factor_steps", f"{factors.results[0]['configuration']['steps']:,}")
head = [f"{side}x{side}, {kind}" for side, kind in columns]
markdown_table(["changed", *head, "worst seed, 6x6"], body)

# %% [markdown]
"""
Three kinds. **Fatal**: softmax, dropout, and two normalizations at once. Dropout has no place in the paper's argument, yet alone it keeps the encoder from counting beyond 2: its noise grows with the count, so least squares
answers with less than the count (exercise 1). The failure of Std cannot be laid on softmax alone; but with everything else on, dropout aside, it is softmax whose removal lifts 6x6 from {glue:text}`count_everything` to
{glue:text}`count_but_softmax`. **In distribution only**: one normalization, and, unsuspected, the residual connection: with it, $(\mathbf{I} + \mathbf{W}^F) \mathbf{e}_i + \mathbf{b}$ must vanish for nine colours, so $\mathbf{I} + \mathbf{W}^F$ sends nine one-hot vectors to one and has rank at most 2,
where nine counts need 9. It can only make the one small beside the other. **Harmless**: biases, no feed-forward part and, to 10x10, V2.

(count-figures)=
### Where normalization breaks

The paper's Figs. 2, 3, 5 and 6 compare predicted and true counts; Figs. 4 and 7 show the standard deviation of what enters the normalization, for right and wrong cells of 12x12 grids, and right ones lie near or below
0.001. We draw them from the stored encoders, seed 0. Remember that $\sqrt\epsilon$ is {glue:text}`count_root_eps`.
"""

# %% mystnb={"figure": {"caption": "Predicted counts (lines) against true ones (grey), over coloured cells: alike at 6x6, where the encoders were trained, apart at 15x15.", "name": "fig-counting-distributions"}, "image": {"alt": "Four histograms: at 6x6 the line follows the grey bars, at 15x15 it does not.", "classes": "dark-light"}}
figure, axes = plt.subplots(2, 2, figsize=(7, 3.8), sharex="col")
for row, name in zip(axes, NORMED):
    for axis, side, top in zip(row, (6, 15), (14, 40)):
        o, style = outcomes(kept(name), side), {"bins": np.arange(-0.5, top), "density": True}
        axis.hist(o.true, weights=o.cells, color="#999999", **style)
        axis.hist(o.predicted, weights=o.cells, color=PAINT[name], histtype="step", lw=2, **style)
        axis.set(title=f"{SHORT[name]}, {side}x{side}", xticks=range(0, top, 5))
figure.supxlabel("count", fontsize=10), figure.supylabel("share of cells", fontsize=10);

# %% mystnb={"figure": {"caption": "Standard deviation before layer normalization at 12x12, for coloured cells counted rightly (filled) and wrongly (outlined). Dashed: the square root of eps.", "name": "fig-counting-deviation"}, "image": {"alt": "Two panels with two histograms each on a log axis, and a dashed line.", "classes": "dark-light"}}
figure, axes = plt.subplots(1, 2, figsize=(7, 2.8))
for axis, name in zip(axes, NORMED):
    o = outcomes(kept(name), 12)
    bins = np.geomspace(o.deviation.min(), o.deviation.max() * 1.01, 50)
    for some, style in ((o.is_right, {"alpha": 0.6, "label": "right"}),
                        (~o.is_right, {"histtype": "step", "lw": 2, "label": "wrong"})):
        share = o.cells[some] / o.cells[some].sum()
        axis.hist(o.deviation[some], bins, weights=share, color=PAINT[name], **style)
    axis.axvline(sqrt(1e-5), **REFERENCE)
    axis.set(xscale="log", xlabel="standard deviation", title=SHORT[name])
    axis.legend()
axes[0].set_ylabel("share of right, of wrong cells");

# %% [markdown]
"""
(count-table-3)=
### Table III

The attention weights of No-LayerNorm-Count on the grid of the construction, from stored seed 0. They may be divided by anything that $\mathbf{W}^V$, $\mathbf{W}^O$ and $\mathbf{W}^F$ multiply back, sign
included, so we show sizes, divided by their mean on equal colours; in the paper that mean is about .23.
"""

# %%
trace, batch = {}, by_cell(grid.ravel()[None, None])
kept("No-LayerNorm-Count")(batch.x, batch.weight, trace=trace)
colours, scores = grid.ravel(), trace["attention scores"][0, 0].detach().numpy()
own = (colours[:, None] == colours) & (colours > 0)
pattern = np.abs(scores) / np.abs(scores[own]).mean()
names = [f"**{colour}**" for colour in colours]
body = np.char.mod("%.2f", pattern)
markdown_table(["", *names], [[name, *row] for name, row in zip(names, body)])

# %% [markdown]
"""
(count-identity)=
### Table II

Vectors uniform in $[-\tfrac12, \tfrac12]^5$, and $[-1, 1]^5$ for the test; a two-layer ReLU network should return its input, with or without normalization at its end. Live, with 256 hidden units and a falling rate; and from the
store, with the paper's 2048 units, a rate of $10^{-3}$ falling likewise, and fewer steps than the paper's 100,000 and 200,000.
"""

# %%
for name in ("No-LayerNorm-Identity", "LayerNorm-Identity"):
    made = Counters(replace(PUBLISHED[name], hidden=256), seeds=range(2))
    fit(made, identity_batches(made), 1500, 3e-3, cosine=1500, keeps_best=False)
    live = [identity_losses(made, reach, batches=20) for reach in (0.5, 1.0)]
    published = [tables[name][f"{which}_loss"] for which in ("train", "test")]
    for label, (train, test) in (("live", live), (f"{steps[name]:,} steps", published)):
        print(f"{name:22} {label:12} train {np.mean(train):.2g}  test {np.mean(test):.2g}")
print(f"{'the floor, proved below':35} train {1 / 60:.2g}  test {1 / 15:.2g}")

# %% [markdown]
"""
(count-arc)=
### ARC: the most frequent colour

The task that motivates the paper, 5582e5ca, shows grids and asks for a grid filled with the colour they have most of (§VII-A). The layer counts, black too, the largest count is taken, and that is all. We make 1,000 tasks
in ARC's format, sides 3 to 30; a grid with a tie is drawn again, as it has no answer. (ARC's own grids are 3x3.)
"""

# %%
def solve(model, grid):
    cells = by_cell(checked(grid).ravel()[None, None])
    with torch.no_grad():
        counts = model(cells.x, cells.weight)[0, 0].amax(0)    # the largest output at each colour
    return [[int(counts.argmax())] * len(row) for row in grid]


# %%
exact, learner = algorithm_1(counts_black=True), kept("No-LayerNorm-Count")
draw = np.random.default_rng(5)
tests = [arc_task(draw, examples=1)["test"][0] for _ in range(1000)]
lit = [pair for pair in tests if pair["output"][0][0] > 0]     # the learner ignores black
solved, lit_solved = (sum(solve(model, pair["input"]) == pair["output"] for pair in some)
                      for model, some in ((exact, tests), (learner, lit)))
print(f"exact: {solved} of 1000; learned, answer not black: {lit_solved} of {len(lit)}")

# %%
for bad in ([[1, 2], [3]], [[1, 12]], []):
    try:
        solve(exact, bad)
    except ValueError as error:
        print(error)

# %% [markdown]
"""
## Break it

(count-hiding)=
### Two ways around normalization

Let $\mathbf{P}$ remove the mean. With $\epsilon > 0$ a small input passes almost unchanged in shape, and next to a constant $\mathbf{b}$ so does a small change:

$$
\mathrm{LN}(\delta \mathbf{z}) = \delta\, \mathbf{P}\mathbf{z} / \sqrt{\epsilon}\; \bigl(1 + O(\delta^2 / \epsilon)\bigr), \qquad
\mathrm{LN}(\mathbf{b} + \delta \mathbf{z}) = \mathrm{LN}(\mathbf{b}) + \delta\, \mathbf{J}\mathbf{z} + O(\delta^2) .
$$

Counts survive *below* $\sqrt\epsilon$ or *behind* a bias, and the factors after the normalization undo $\delta$. LayerNorm-SA has no bias before its normalization; with
$\epsilon = 0$ its output would depend on proportions only, since what it hears is linear in the counts: the 4-fold copy again. It must go below, and the factor table agrees: with $\epsilon = 10^{-10}$ it does not learn even 6x6.
**Predict:** to what side does a hand-made LayerNorm-SA count, by $\delta$?
"""

# %%
# try: another delta, another eps
def below(delta, eps=1e-5):
    model = Counters(Ablation(norms=("attention",), eps=eps), [0])
    with torch.no_grad():
        model.flat.zero_()
        p = model.parameters()
        for name in "QKVO":
            p[name][0] = W[name] * (delta if name == "V" else 1)
        p["gamma after attention"][0] = 1
        p["F"][0] = sqrt(eps) / delta * (eye - eye[0] * torch.ones(10, 1))   # z - z_0: undoes P
    return model


for delta in (1e-3, 1e-5, 1e-7, 1e-9):
    made = below(delta)
    shares = [accuracies(made, side, 200, capped=False).cells[0] for side in (6, 20, 50, 100)]
    print(f"delta = {delta:.0e}:", *(f"{share:6.1%}" for share in shares))

# %% [markdown]
"""
So the published layer *with* normalization can count to any size one names; gradient descent stops shrinking where the training grids no longer ask for it. LayerNorm-FF, at the published rate, goes below too ({numref}`fig-counting-deviation`). But it does have a bias, and at the live cell's rate it goes
*behind* it: its factor rows with $\epsilon = 10^{-5}$ and $10^{-10}$ are alike. Behind a constant the outputs stay near the tangent space of a sphere, which has 8 dimensions among the 9 of sum-zero vectors, and there are nine colours. **Predict** what it does.
"""

# %%
behind = Counters(FACTORS["LN after feed-forward, eps = 1e-10"], seeds=[0])
fit(behind, count_batches(behind), 2500, 1e-2, cosine=2500, keeps_best=False)
grids = by_colour(drawn_for_tests(4)[None])
hits = (right(behind, grids) * grids.weight)[0].sum(0) / grids.weight[0].sum(0)
print("right at 4x4:", *(f"{colour}: {hit:.0%} " for colour, hit in enumerate(hits)))
glue("count_given_up", f"{int((hits < 0.5).sum())}")

# %% [markdown]
"""
It gives up colours: {glue:text}`count_given_up` of nine here.

(count-iterative)=
### Counting one by one stops at the depth

§III-D: a transformer that counts a cell a layer stops at its number of layers. Here is such a counter. It holds a pointer and a count. Each layer attends, with hard attention, to the first cell after
the pointer that has the colour asked for; the score adds a match and an order, both bilinear in one-hot vectors, and a feed-forward part adds 1 if both are there.
"""

# %%
def iterative(cells, colour, layers):
    pointer, count, place = -1, 0, np.arange(len(cells))
    for _ in range(layers):
        attention = (cells == colour) + 1.0 * (place > pointer) - place / len(cells) ** 2
        heard = place[attention.argmax()]                      # hard attention
        if cells[heard] == colour and heard > pointer:
            pointer, count = heard, count + 1
    return count


draw = np.random.default_rng(0)
some = [cells for side in range(1, 9) for cells in random_grids(side, 10, draw)]
asked = [(cells, colour, L) for cells in some for colour in range(10) for L in (1, 3, 12)]
off = sum(iterative(c, colour, L) != min(L, (c == colour).sum()) for c, colour, L in asked)
print(f"{off} of {len(asked)} counts differ from min(N, L)")

# %% [markdown]
"""
It returns $\min(N, L)$, so the bound holds for counters of this kind: what a layer can add to the counter bounds the count. It is no bound on transformers, as one layer without softmax counts everything at once.

(count-ln-identity)=
### The identity that normalization cannot be

The outputs of $\gamma \odot \mathrm{LN}(\cdot) + \beta$ on $\mathbb{R}^5$ lie in a hyperplane, for a normalized vector has sum 0. With $\epsilon = 0$ its length is $\sqrt5$ too, which leaves a 3-dimensional sphere; with
$\epsilon > 0$ it fills a 4-dimensional ball. Five dimensions never fit, whatever comes before.

**Theorem.** On vectors uniform in $[-a, a]^5$ the mean squared error of LayerNorm-Identity is at least $a^2 / 15$: $1/60$ in training, $1/15$ in the test.

*Proof.* Let $\mathbf{n}$ be a unit normal of a hyperplane that holds the outputs, $\mathbf{n} \cdot \mathbf{y} = c$. (It is $1/\gamma$ scaled, or $\mathbf{e}_i$ if some $\gamma_i = 0$.) Then $|\mathbf{x} - \mathbf{y}|^2 \ge (\mathbf{n} \cdot \mathbf{x} - c)^2$
for every output, and the mean of the right side is at least the variance of $\mathbf{n} \cdot \mathbf{x}$, which is $a^2 / 3$ for every unit vector. The loss divides by 5. $\square$

The paper's training loss, .0174, *is* this floor up to its spread: the network did not stagnate, it arrived.
"""

# %%
z = torch.randn(1000, 5, dtype=torch.float64) * torch.logspace(-4, 1, 1000)[:, None]
image = {eps: nn.functional.layer_norm(z, (5,), eps=eps) for eps in (0.0, 1e-5)}
for eps, y in image.items():
    length = y.norm(dim=1)
    rank = int(torch.linalg.matrix_rank(y))
    print(f"eps = {eps:g}: rank {rank}, lengths {length.min():.2f} to {length.max():.2f}")

# %% [markdown]
"""
## Measured against the paper
"""

# %% tags=["hide-input"]
claims.add("O Alg. 1, V-A", "grids to 100x100 where the exact layer is wrong in a bit", paper="0",
           here=f"{differing} of 1204", agrees=differing == 0, cell="count-algorithm")
claims.add("O Alg. 1, V-A", "own colour heard through softmax as its gain G grows", paper="1",
           here="N e^G / (N e^G + M - N), which tends to 1", agrees=abs(heard(30, 4) - 1) < 1e-9,
           cell="count-softmax")
claims.add("ours: 4-fold copy", "six random softmax layers on a grid and on its 4-fold copy",
           paper=None, here="equal to rounding", agrees=difference < 1e-12, cell="count-copy",
           note="proved for any depth")
for name, short in SHORT.items():
    cells, sides = percent(tables[name]).mean(1), (0, 2, 4, 7)
    gap = np.abs(cells[:8] - PAPER[short])
    half, late = (np.mean(tables[name]["losses"][j]) for j in (9, -1))     # of 20 equal parts
    glue(f"count_still_{short}", f"{late / half:.0%}")
    glue(f"count_gap_{short}", f"{gap.max():.1f}")
    claims.add("O Table I", f"{short}, {steps[name]:,} steps: % right at 6, 8, 10 and 20",
               paper=" / ".join(f"{PAPER[short][j]:.1f}" for j in sides),
               here=" / ".join(f"{cells[j]:.1f}" for j in sides), agrees=gap.max() < 10,
               source=run.source, cell="count-table-1",
               note=f"{(gap < 5).sum()} of 8 sizes within 5 points; the paper has 300,000 steps")
perfect = percent(tables["No-LayerNorm-Count"], "grids").min()
claims.add("O Table I", "No: % of whole grids right, worst seed, 6x6 to 100x100", paper="100",
           here=f"{perfect:.0f}", agrees=perfect == 100, source=run.source, cell="count-table-1")
claims.add("O Table I", "all zeros at 15x15 / 20x20 (%)", paper=None, agrees=True,
           here=f"{zeros[6]:.1f} / {zeros[7]:.1f}", cell="count-table-1",
           note="the last columns of Table I are mostly background")

# %% tags=["hide-input"]
worst = {name: percent(result).min(1)[:8] for name, result in outcome.items()}
kinds = {"harmless: perfect from 6x6 to 10x10": lambda w: w[:5].min() > 99.9,
         "counts at 6x6 (over 80 %), not at 10x10": lambda w: w[0] > 80 and w[:5].min() <= 99.9,
         "fatal: does not count at 6x6": lambda w: w[0] <= 80}
for kind, belongs in kinds.items():
    names = "; ".join(name for name in worst if belongs(worst[name]))
    claims.add("ours: one factor at a time", kind, paper=None, here=names, agrees=True,
               source=factors.source, cell="count-factors")
loaded = {"source": run.source, "cell": "count-figures", "read_off": True}
for name in NORMED:
    near, far = (outcomes(kept(name), side).misplaced for side in (6, 15))
    claims.add("O Figs. 2, 3, 5, 6", f"{SHORT[name]}: share of counts misplaced, 6x6 / 15x15",
               paper="little / much", here=f"{near:.2f} / {far:.2f}",
               agrees=near < 0.15 < far, **loaded)
    o = outcomes(kept(name), 12)
    fine, bad = (np.average(o.deviation[s], weights=o.cells[s])
                 for s in (o.is_right, ~o.is_right))
    claims.add("O Figs. 4, 7", f"{SHORT[name]}: mean deviation before LN, right / wrong",
               paper="near 0.001 / above", here=f"{fine:.2g} / {bad:.2g}",
               agrees=fine < sqrt(1e-5) and o.order > 0.9, **loaded,
               note=f"a wrong cell's is larger with probability {o.order:.2f}")
by_hand = min(accuracies(below(1e-9), side, 200, capped=False).grids[0] for side in (6, 20, 100))
claims.add("O Figs. 4, 7", "SA by hand: whole grids right, 6x6 to 100x100 (%)", agrees=False,
           paper="counts do not survive", here=f"{100 * by_hand:.0f}", cell="count-hiding",
           note="they do below the square root of eps; learning stops short of it")

# %% tags=["hide-input"]
glue("count_root_eps", f"{sqrt(1e-5):.5f}")
own_least, other = pattern[own].min(), pattern[~own].max()
claims.add("O Table III", "least weight on equal colours / largest other, as parts of the mean",
           paper=".96 / .00", here=f"{own_least:.2f} / {other:.2f}", source=run.source,
           agrees=bool(own_least > 0.75 and other < 0.1), cell="count-table-3")
for name, printed in (("No-LayerNorm-Identity", (8.0e-8, 8.2e-5)),
                      ("LayerNorm-Identity", (0.0174, 0.1147))):
    losses = [np.mean(tables[name][f"{which}_loss"]) for which in ("train", "test")]
    far = max(abs(np.log(np.divide(losses, printed))))
    long = "100,000" if name.startswith("No") else "200,000"
    claims.add("O Table II", f"{name}: training / test loss, {steps[name]:,} steps",
               paper="{:.2g} / {:.2g}".format(*printed), here="{:.2g} / {:.2g}".format(*losses),
               agrees=far < np.log(1.5), source=run.source, cell="count-identity",
               note=f"the paper has {long} steps")
claims.add("ours: LN-Identity impossible", "rank of what LN gives on R^5, eps = 1e-5", paper=None,
           here=rank, agrees=rank == 4, cell="count-ln-identity", note="loss at least 1/60")
claims.add("O III-D", "counts where the iterative counter is not min(N, L)", paper="stops at L",
           here=f"{off} of {len(asked)}", agrees=off == 0, cell="count-iterative")
claims.add("O VII-A", "tasks like 5582e5ca solved by the exact layer, sides 3 to 30",
           paper="needs counting", here=f"{solved} of 1000", agrees=solved == 1000,
           note="ties excluded", cell="count-arc")
claims.add("O VII-A", "the same by the learned layer, answer not black", paper=None,
           here=f"{lit_solved} of {len(lit)}", agrees=lit_solved == len(lit), source=run.source,
           cell="count-arc")
claims.table()

# %% [markdown]
"""
## Exercises

**1 (compute).** An output $y$ is dropped with probability .1 and otherwise divided by .9. Which $y$ has the least squared error against $N$ on average, and to which count does it still round to $N$?
"""

# %% tags=["hide-cell"]
# The mean of (m y - N)^2 with E m = 1 and E m^2 = 1 / 0.9 is least at y = 0.9 N.
print("y = 0.9 N rounds to N up to", max(N for N in range(20) if round(0.9 * N) == N))

# %% [markdown]
"""
(The factor table's encoder has dropout in three places, and stops at 2.)

**2 (modify).** Build LayerNorm-FF-Count by hand, as `below` built LayerNorm-SA-Count, and count to 100x100. What makes room for nine colours?
"""

# %% tags=["hide-cell"]
model, delta = Counters(PUBLISHED["LayerNorm-FF-Count"], [0]), 1e-9
with torch.no_grad():
    model.flat.zero_()
    p, coloured = model.parameters(), (torch.arange(10) > 0).double()
    for name in "QKVO":
        p[name][0] = W[name]
    p["F"][0] = delta * (eye - torch.outer(eye[0], coloured)) * coloured   # e_i to e_i - e_0
    p["gamma after feed-forward"][0] = sqrt(1e-5) / delta * coloured
assert accuracies(model, 100, 200, capped=False).grids[0] == 1
print("right at 100x100: the coordinate of black, which nobody asks for, takes up the mean")

# %% [markdown]
"""
**3 (prove or refute).** "A softmax layer without positions cannot count even if all grids are 6x6."

:::{dropdown} Solution
Refuted. Take $\mathbf{W}^Q = 0$: every cell hears the ten proportions $p_j = N_j / 36$. With a residual connection it holds $x_j + p_j$, which is at most 1 for other
colours and $1 + p_j$ for its own, and a ReLU unit $36 \max(0, x_j + p_j - 1)$ for each colour but black gives the count. What is impossible is one such layer for *all* sizes.
:::
"""

# %% tags=["hide-cell"]
cells = random_grids(6, 200, np.random.default_rng(0))
x, proportions = np.eye(10)[cells], colour_counts(cells)[:, None] / 36
by_softmax = 36 * np.maximum(0, x + proportions - 1) * (np.arange(10) > 0)
assert (by_softmax.round() == by_cell(cells[None]).target[0].numpy()).all()
print("right on every cell of 200 grids of 6x6")

# %% [markdown]
"""
## What next

Softmax averages, and an average forgets how many. Chapter 6 turns to encoder-decoders that use the same averages, with positions, to run any program.
"""
