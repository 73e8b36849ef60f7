# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Record of chapter 5: Counting: which layers forget how many

**Asked**: can a transformer learn to count in a way that carries over to larger grids? Each *cell* of a coloured grid, which is one of its squares, should give the number of cells of its own colour. Where a grid has three red cells, each of them should give 3. Black, the colour 0, is not counted, and black cells should give 0.

**The paper's answer**: a standard transformer cannot, say Ouellette, Pfister and Jud {cite}`ouellette2023`, because softmax and layer normalization hide quantities. One layer without either, here called `No`, counts (Algorithm 1), and training finds it. If a normalization is put back, after attention ({term}`SA`) or after the feed-forward part ({term}`FF`), the layer counts well at the sizes of training, but its accuracy soon drops beyond them (Table I). [The lesson](05_counting_ablations) explains why. This page checks each claim of the paper, and has the criteria and settings.

**Four things differ from the paper**

1. [Table I](#count-ff): at {glue:text}`count_outside_FF` of 8 sizes, each taken alone, the paper's value for FF lies outside the interval where one more run of ours would fall with a probability of 95 %. Judged together, by wider intervals that hold for all eight sizes at once, every value lies inside. *Measured.*
2. [Equation 3](#count-equation-3): the standard deviation $\sigma$ before the normalization is not nearly static in training. The number that the normalization divides by, $\sqrt{\sigma^2 + \epsilon}$, is nearly static. *Measured.*
3. [The ARC task](#count-arc) can be solved without counting, on grids without ties. *Proved for every such grid.*
4. [Softmax](#count-softmax) over Algorithm 1's logits of 1 gives all cells of one's own colour together a weight below 1, while Eq. 2 says 1. This is an aside, because Eq. 2 is meant for the case in which the weights of other colours are nearly 0. *Measured.*

**What holds**

- *Softmax forgets the count.* In encoders without positions, masks or special tokens, whose logits do not depend on the size, a grid and [its enlargement](#count-copy), which repeats each cell two by two, give equal outputs. *Proved for every grid.* With [a start token](#count-start) encoders count up to any size fixed beforehand, but under the lesson's conditions none counts at every size. *Proved.*
- [Algorithm 1](#count-algorithm) is one layer: `No`, with matrices chosen by hand. *Proved for every grid.*
- *Training finds such a layer.* In [Table I](#count-table-1) `No` gets {glue:text}`count_no` of whole grids right up to 100x100. SA agrees with the paper, and so do [Table II](#count-identity), [Table III](#count-table-3) and [the figures](#count-figures). The standard encoder ({term}`Std`) agrees too, with one seed, but the constant answer 2 would agree as well. *Measured.*

**Unknown**: why [FF](#count-ff) differs, and whether standard transformers are "architecturally unable" to learn counting outside the lesson's conditions. That a network normalizes does not settle this: at every size tried, a layer built by hand carries small enough counts [through a normalization](#count-hiding).

**Slips.** The paper's "rounded up" can be misread, it counts one hidden layer too many, and two of its sentences name the wrong thing ([errata](errata)).

(count-table)=
## Outcome
"""

# %% tags=["remove-input"]
from IPython.display import Markdown
from chapters.common.outcome import outcome_table

fold = '<details class="lines"><summary>{}</summary>\n\n{}\n\n</details>'
lines = outcome_table("05_counting_ablations").data
Markdown(fold.format("All lines, first those that differ", lines))

# %% tags=["hide-input"]
from math import sqrt
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from chapters.counting_ablations import answers as outcomes
from chapters.counting_ablations import by_hand
from chapters.counting_ablations.answers import (AT_EACH_SIZE, AT_EIGHT_JOINTLY, PAINT, TABLE_I,
                                                 TABLE_II, predicted_width, sampling_error)
from chapters.counting_ablations import grids
from chapters.counting_ablations.grids import by_cell, by_colour, checked
from chapters.counting_ablations.layer import Ablation
from chapters.counting_ablations.train import accuracies, drawn_for_tests
from record.notebook import REFERENCE, glue, markdown_table, use_style
from record.claims import MEASURED, PROVED, Claims
from chapters.counting_ablations import runs
from record.runs import read_yaml, stored

use_style()
claims = Claims("05_counting_ablations")

# %% [markdown]
r"""
## What differs

(count-table-1)=
### Table I: who counts beyond the sizes of training?

Only `No` does, in the paper and in all our seeds: it gets {glue:text}`count_no` of the cells right at every size. (A *seed* is one training run from one random start.) SA and FF do far worse on large grids, as in the paper. At every size shown, Std gets fewer than half of the cells right. Each of the four networks has one layer:

| here | in the paper | what it is |
|---|---|---|
| Std | Std-Transformer-Count | the standard encoder: softmax, residual connections, two normalizations, biases, dropout, a ReLU part of 2048 units |
| `No` | No-LayerNorm-Count | attention without softmax and a linear feed-forward part, nothing else: the lesson's layer that adds |
| SA | LayerNorm-SA-Count | `No`, and layer normalization after attention |
| FF | LayerNorm-FF-Count | `No`, and layer normalization after the feed-forward part |

*How to read the figure.* A cell is right if all ten of its outputs round to the target. (The authors' code gives accuracy per cell; the paper's text reads as if it were per grid.) A line is our value, the mean of five {term}`seeds <seed>`. The dark band, the *interval*, is where one more run would fall with a probability of 95 %. We judge this by the draw of test grids and by the spread of our five runs, in all of which the sides of the training grids come in the same order. The light band, the *joint* interval, is for all eight sizes at once, and nearly twice as wide. SA or FF agrees with the paper if the paper's value, a cross, lies in the dark band at each of the eight sizes. This criterion was corrected after the run.
"""

# %% tags=["hide-input"]
# The stored runs, and the widths of the intervals
run, std, factors = map(stored, ("counting_tables", "counting_std", "counting_factors"))
tables, swept = (
    {row["configuration"]["name"]: row for row in rows}
    for rows in (std.results + run.results, factors.results)
)
schedule = stored("counting_schedule")
history = {row["configuration"]["name"]: row for row in schedule.results}
[steps] = {tables[name]["configuration"]["steps"] for name in TABLE_I}
glue("count_steps", f"{steps:,}")
SHORT, SIZES = dict(zip(TABLE_I, ("Std", "No", "SA", "FF"))), runs.SIZES[:8]
NORMED = ("LayerNorm-FF-Count", "LayerNorm-SA-Count")


def half_widths(row):  # of the interval, at each size and jointly
    cells, kept = runs.percent(row)[:8], runs.kept(row)
    draws = 100 * np.array([sampling_error(kept, side) for side in SIZES])
    quantiles = AT_EACH_SIZE, AT_EIGHT_JOINTLY
    return [predicted_width(cells, draws, each) for each in quantiles]


def at_four_sizes(values):
    return " / ".join(f"{values[j]:.1f}" for j in (0, 2, 4, 7))


widths = {name: half_widths(tables[name]) for name in TABLE_I}

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*SA agrees with the paper at every size, while for FF the paper's values lie above our means.* Percentage of cells that are right, by the side of the grid: our means (lines), the interval at each size (dark), the joint interval (light), and the paper's values (crosses). At 20x20 the bands of FF are wide because one run fell far below the other four.", "name": "fig-counting-table-1"}, "image": {"alt": "Three panels. Lines for SA and FF fall from nearly a hundred to about thirty, inside bands with crosses; the line for Std is flat below forty.", "classes": "dark-light"}}
figure, axes = plt.subplots(1, 3, figsize=(8, 2.8), sharey=True)
for axis, name in zip(axes, (*NORMED[::-1], "Std-Transformer-Count")):
    mean = runs.percent(tables[name])[:8].mean(1)
    for width in widths[name]:
        band = mean - width, np.minimum(mean + width, 100)
        axis.fill_between(SIZES, *band, color=PAINT[name], alpha=0.3, linewidth=0)
    axis.plot(SIZES, mean, color=PAINT[name])
    axis.plot(SIZES, TABLE_I[name], "x", color="black", markersize=5)
    axis.set(title=SHORT[name], xlabel="side of the grid", xticks=(6, 8, 10, 12, 15, 20))
axes[0].set(ylabel="% of cells right", ylim=(0, 103))
assert (runs.percent(tables[NORMED[0]])[:8].mean(1) < TABLE_I[NORMED[0]]).all()

# %% tags=["hide-input"]
# Table I in numbers, beside answers that need no network
constant = {"zeros": lambda side: 0, "twos": lambda side: 2, "mean": lambda side: round(outcomes.mean_count(side))}
free = {name: np.array([100 * outcomes.free_answer(side, answer(side)) for side in runs.SIZES])
        for name, answer in constant.items()}
head, body = ["%", *(f"{side}x{side}" for side in SIZES)], []
for name, short in SHORT.items():
    cells, per_grid = (runs.percent(tables[name], kind)[:8] for kind in ("cells", "grids"))
    mean, width = cells.mean(1), widths[name][0]
    ends = [*zip(TABLE_I[name], mean - width, np.minimum(mean + width, 100))]
    body += [
        [f"**{short}**, paper", *(f"{v:.1f}" if a <= v <= b else f"**{v:.1f}**" for v, a, b in ends)],
        ["here", *(f"{v:.1f}" for v in mean)],
        ["interval", *(f"{a:.1f}–{b:.1f}" for _, a, b in ends)],
        ["least–most", *(f"{row.min():.0f}–{row.max():.0f}" for row in cells)],
        ["whole grids", *(f"{row.mean():.1f}" for row in per_grid)],
    ]
    if name in history:
        cells = runs.percent(history[name])[:8]
        body.append(["the older schedule", *(f"{row.mean():.1f}" for row in cells)])
body += [[f"**{label}**", *(f"{v:.1f}" for v in row[:8])] for label, row in free.items()]
Markdown(fold.format("Table I in numbers", markdown_table(head, body).data))

# %% [markdown]
r"""
*In the fold above* the paper's values are bold where they lie outside the interval. For each network the table adds the worst and the best seed and the share of whole grids that are right, and for SA and FF the means by [an older schedule](#count-ff). Its last rows need no network: they answer 0 on black cells, and 0, 2 or the rounded mean count on coloured ones. The answer 0 scores more on larger grids, because there the cap on coloured cells (see the settings) leaves a larger part black: it gets {glue:text}`count_zeros_100` of the cells right at 100x100.

*Std agrees, but this says little.* One seed in float64, the precision of the authors' code, comes within {glue:text}`count_gap_double` points of the paper at every size, so it meets its criterion of 5 points. But that criterion was made for a single seed and is wide: the constant answer 2 meets it too, and comes within {glue:text}`count_gap_twos` points. The five seeds in the figure are in float32, so they settle nothing. They would meet this criterion as well, but they fail the criterion of SA and FF at {glue:text}`count_outside_Std` of 8 sizes: from 7x7 on they lie within two points of each other, and the paper's value is above or below all five.

*What has Std learned?* It has learned which cells are black, and little more than one number. The one network that we store, the first seed's, answers 2 on {glue:text}`count_twos` of the coloured cells of 6x6 grids, 1 on {glue:text}`count_ones`, 3 on {glue:text}`count_threes` and 0 on the few others. (Its last loss is {glue:text}`count_kept_loss` times that of the other seeds.)

*The settings* for grids and training come from the paper or, where it is silent, from the authors' code. The last three points are about our own runs:

- Grids: each step has 50 grids, all of one side from 1 to 6. Each cell is coloured with probability .8, until a random number of coloured cells, at most 999, is reached (`capped=False` removes this cap). Because cells of one colour are alike, ten counts represent a grid.
- Training: the loss is the mean squared error over all ten outputs. Gradients are clipped to norm 1, every parameter is drawn from $U(-.08, .08)$, and the rate is $2 \cdot 10^{-4}$ for {glue:text}`count_steps` steps.
- Our training is unfinished. Over the second half of the steps the loss still fell. At the end it was {glue:text}`count_still_SA` of its value halfway for SA, {glue:text}`count_still_FF` for FF ({glue:text}`count_still_FF_history` by the older schedule) and {glue:text}`count_still_Std` for Std.
- Ours: stored runs of five seeds in float64. Std is an exception, because its dropout tells cells of one colour apart. Ten counts then no longer represent a grid, and training is slow: five seeds ran on a GPU in float32, and one on a CPU in float64, with its feed-forward part compiled from C (the same sums in another order). The criteria of both were written before the runs (`criteria/counting_std.yaml` and `counting_std_float64.yaml`).
- The lesson's live runs take 2,000 steps, at a rate that falls from $10^{-2}$, and keep the last weights, not the best.
"""

# %% tags=["hide-input"]
# What Table I's lines find, one for each network and schedule
for row in (*map(tables.get, TABLE_I), *history.values()):
    name, is_history = row["configuration"]["name"], row in history.values()
    cells, loss, short = runs.percent(row)[:8], row["result"]["losses"], SHORT[name]
    key, is_std = f"{short}_history" if is_history else short, short == "Std"
    gap = np.abs(cells.mean(1) - TABLE_I[name])
    inside, jointly = (gap <= width for width in (half_widths(row) if is_history else widths[name]))
    near = gap <= 5 if is_std else inside
    still = f"{np.mean(loss[-1]) / np.mean(loss[9]):.0%}"  # the last of 20 parts to the 10th
    glue(f"count_still_{key}", still), glue(f"count_gap_{key}", f"{gap.max():.1f}")
    glue(f"count_outside_{key}", int(8 - inside.sum()))
    assert key != "FF_history" or (cells.mean(1) < TABLE_I[name]).all()
    assert is_std or is_history or jointly.all()
    why = (
        f"the constant answer 2 passes too, so passing shows no learning; by the criterion of SA and"
        f" FF it agrees at {inside.sum()} of 8 sizes"
    ) if is_std else (
        f"inside the interval at {near.sum()} of 8 sizes (at {jointly.sum()} if it is widened to hold"
        f" jointly), largest gap {gap.max():.1f} points; training is unfinished: over its second half"
        f" our loss still fell, to {still} of its value halfway"
    )
    line = "history" if is_history else "Std" if is_std else "each encoder"
    claims.settle(
        f"table-1: {line}", agrees=bool(near.all()), note=why if gap.max() else "",
        paper=at_four_sizes(TABLE_I[name]), here=at_four_sizes(cells.mean(1)),
        settles="" if is_history else short, short=short,
        source=(std if is_std else schedule if is_history else run).source,
    )

# %% tags=["hide-input"]
# The other lines on Table I
double, printed = stored("counting_std_float64"), TABLE_I["Std-Transformer-Count"]
cells = runs.percent(double.results[0])[:8, 0]
gap = np.abs(cells - printed).max()
claims.settle("table-1: Std in float64", here=at_four_sizes(cells), agrees=bool(gap <= 5),
              paper=at_four_sizes(printed), source=double.source)
glue("count_gap_double", f"{gap:.1f}")
ends = [runs.percent(tables[name])[[0, 7]].mean(1) for name in [*TABLE_I][1:]]
kept_all, *lost = ends
is_tethered = kept_all[1] == 100 and all(far < near / 2 for near, far in lost)
here = "; ".join(f"{near:.0f} / {far:.0f}" for near, far in ends)
claims.settle("tethered", here=here, agrees=is_tethered, source=run.source)
behind = np.subtract(*(runs.percent(tables[name])[:8].mean(1) for name in [*TABLE_I][2:]))
claims.settle("table-1: FF and SA", here=f"{(behind > 0).sum()}", agrees=(behind > 0).sum() > 4,
              gap=f"{behind.max():.0f}", source=run.source)
rise = free["zeros"][7] - free["zeros"][0]
claims.settle("table-1", here=f"{rise:.1f}", agrees=rise > 5)
whole_grids = runs.percent(tables["No-LayerNorm-Count"], "grids").min()
claims.settle("table-1: to 100x100", here=f"{whole_grids:.0f}", agrees=whole_grids == 100,
              source=run.source)
glue("count_no", f"{whole_grids:.0f} %")

# %% tags=["hide-input"]
# Two misprints, and what the stored network of Std answers
batch = by_colour(drawn_for_tests(6)[None])
model = runs.kept(tables["No-LayerNorm-Count"])
up = (model(batch.x, batch.weight).ceil() == batch.target).all(-1) * batch.weight
claims.correct(
    "Ouellette et al. §IV, accuracy (ambiguous)", holds=bool(up.sum() < batch.weight.sum() / 2)
)
stock = nn.TransformerEncoderLayer(10, 1)
claims.correct(
    "Ouellette et al. §IV, FF network",
    holds=(stock.linear1.out_features, stock.linear2.out_features) == (2048, 10),
)

kept = runs.kept(tables["Std-Transformer-Count"])
last = tables["Std-Transformer-Count"]["result"]["losses"][-1]
glue("count_kept_loss", f"{last[0] / np.mean(last[1:]):.1f}")
answered = [outcomes.share_answered(kept, 6, count) for count in (1, 2, 3)]
assert 0.999 < sum(answered) < 1
for count, share in zip(("ones", "twos", "threes"), answered):
    glue(f"count_{count}", f"{share:.0%}")
glue("count_gap_twos", f"{np.abs(free['twos'][:8] - TABLE_I[next(iter(TABLE_I))]).max():.1f}")
glue("count_zeros_100", f"{free['zeros'][8]:.0f} %")

# %% [markdown]
r"""
(count-ff)=
### Does FF differ from the paper?

Size by size it does. With all eight sizes judged together it does not, because the joint interval contains every value of the paper. Still, all eight values lie above our means.

*Does an older schedule explain it?* Not for FF, and we have not found the cause. Until 9 August 2023 the authors' code trained SA for 200,000 steps at the rate .0002, and FF for three times 100,000 steps, at rates .0001, .0001 and .00002, each time from the best weights so far. A commit named `code cleanup` turned both schedules into the one that the paper prints. We trained SA and FF by the older schedules, too, with a criterion that was written before the runs (`criteria/counting_schedule.yaml`).

- *FF* scores lower than with the printed schedule up to 15x15, and at all eight sizes the paper's value lies above the mean of our five runs, by up to {glue:text}`count_gap_FF_history` points. A comment beside the first rate says "then 0.0001 for the next 100k", so the first rate may have been another; we did not try one.
- *SA* comes nearer to the paper than with the printed schedule: the largest gap is {glue:text}`count_gap_SA_history` points, not {glue:text}`count_gap_SA`. With either schedule the paper's values lie in the intervals at all eight sizes, so this does not show which one the authors used.

(count-equation-3)=
### Equation 3: what is nearly static?

After Equation 3 the paper says that its FF network keeps the standard deviation $\sigma$ before the normalization approximately static on the training set. In our runs it does not. What is nearly static on the training set is the number that the normalization *divides by*, $\sqrt{\sigma^2+\epsilon}$.

*An example* is FF's first seed on grids up to 6x6. We average $\sigma$ over all cells with the same count, and leave out a count if fewer than one cell in a thousand has it. Over the counts, this average ranges from {glue:text}`count_sigma_ends`. But $\sqrt\epsilon$ is {glue:text}`count_root_eps`, so the average of $\sqrt{\sigma^2+\epsilon}$ ranges only from {glue:text}`count_divisor_ends`.

*All seeds.* For each seed we divide the largest of these averages by the least. The criteria were written before this run, in `criteria/equation_3.yaml`, but after an audit whose numbers we knew.
"""

# %% tags=["hide-input"]
asked = read_yaml(Path(outcomes.__file__).with_name("criteria") / "equation_3.yaml")["at_most"]


def extremes(name, seed):  # least and largest mean over the counts: of sigma, of the divisor
    grids_of = [outcomes.outcomes(runs.kept(tables[name]), side, seed) for side in range(1, 7)]
    true, sigma, cells = (np.concatenate([getattr(o, field) for o in grids_of])
                          for field in ("true", "deviation", "cells"))
    counts = [c for c in np.unique(true) if cells[true == c].sum() >= cells.sum() / 1000]
    for x in (sigma, np.sqrt(sigma**2 + 1e-5)):
        means = [np.average(x[true == c], weights=cells[true == c]) for c in counts]
        yield min(means), max(means)


pairs = {SHORT[name]: np.array([[*extremes(name, seed)] for seed in range(5)]) for name in NORMED}
moved = {short: pair[..., 1] / pair[..., 0] for short, pair in pairs.items()}
for j, (which, what) in enumerate((("sigma", "σ"), ("divisor", "√(σ² + ε)"))):
    ff, sa = (moved[short][:, j] for short in ("FF", "SA"))
    is_static = bool(ff.max() <= asked)
    claims.settle(
        "Eq. 3", here=f"{ff.min():.2f} to {ff.max():.2f} ({sa.min():.2f} to {sa.max():.2f})",
        agrees=is_static, which=which, what=what, most=asked, source=run.source,
        note="" if is_static else "sigma grows with the count; beside the root of ε it hardly shows",
    )
    glue(f"count_{which}_ends", " to ".join(f"{x:.4f}" for x in pairs["FF"][0, j]))
glue("count_sigma_FF", f"{moved['FF'][:, 0].max():.1f}")
glue("count_divisor_moves", " and ".join(f"{m[:, 1].max() - 1:.0%}" for m in moved.values()))
glue("count_root_eps", f"{sqrt(1e-5):.5f}")

# %% [markdown]
r"""
Over the five seeds, $\sigma$ grows by a factor of up to {glue:text}`count_sigma_FF` in FF, and is nearly proportional to the count in SA. But $\sqrt{\sigma^2+\epsilon}$ changes by at most {glue:text}`count_divisor_moves` (FF and SA), because $\epsilon$ is larger than $\sigma^2$ here. If the paper means the number that normalization divides by, which it calls the standard deviation, its sentence holds.

So training finds the trick that the lesson [builds by hand](#count-hiding): it hides the count below $\sqrt\epsilon$. Where $\sigma$ is 0.001 or more, it is no longer negligible beside $\sqrt\epsilon$, which is a likely reason why answers go wrong there.

(count-arc)=
### ARC: does the most frequent colour need counting?

No, if the grid has no ties. The paper's example from ARC, task 5582e5ca, asks for a grid filled with the most frequent colour. The paper says that learning to solve it in a generalizable way "implies being able to count" (section VII-A). The layer of Algorithm 1 does solve it, if it counts black too. But so does a *softmax* layer whose cells attend to all cells equally. *Proved for every grid without ties:* such a layer returns the proportion of each colour, and the most frequent colour has the largest. We try both layers on 1,000 such tasks in ARC's format, with sides 3 to 30.
"""

# %% tags=["hide-input"]
eye, draw = torch.eye(10, dtype=torch.float64), np.random.default_rng(5)
tests = [outcomes.arc_task(draw) for _ in range(1000)]
average = by_hand.by_hand(Ablation("softmax", feed_forward="none"), V=eye, O=eye)
solved, by_average = (
    sum(outcomes.of_squares(model, task)[0].max(0).argmax() == colour for task, colour in tests)
    for model in (by_hand.algorithm_1(counts_black=True), average)
)
print(f"counting: {solved} of 1000; softmax, proportions: {by_average} of 1000")
claims.settle("arc", here=by_average, agrees=by_average < solved)

# %% [markdown]
r"""
## What agrees

(count-algorithm)=
### Algorithm 1 is one layer

In the paper's algorithm each cell $i$ adds up what the cells of its own colour hold, each with weight 1. Each of these holds the {term}`one-hot` vector of its colour, so three cells of colour 6 give each other a vector with a 3 at place 6. The network `No` does the same, with matrices chosen by hand and the feed-forward bias 0:

$$ \begin{aligned}
\mathbf{y}_i &= \mathbf{W}^F \mathbf{W}^O \sum_j \frac{(\mathbf{W}^Q \mathbf{x}_i) \cdot (\mathbf{W}^K \mathbf{x}_j)}{\sqrt{10}}\, \mathbf{W}^V \mathbf{x}_j , \\
\mathbf{W}^Q &= \sqrt{10}\,\operatorname{diag}(0, 1, \dots, 1), \quad \text{all else } \mathbf{I} .
\end{aligned} $$

*Proved for every grid:* for one-hot $\mathbf{x}_i$ and $\mathbf{x}_j$ the weight is $\mathbf{x}_i^\top\operatorname{diag}(0, 1, \dots, 1)\,\mathbf{x}_j$, which is 1 if both cells have the same colour other than black, and 0 otherwise. So $\mathbf{y}_i$ adds up what the algorithm adds up. $\square$

The code compares this layer bit by bit with the true counts, on the paper's grid of Table III, whose targets the output lists row by row, and on random grids. Up to 20x20 it also compares the layer with the algorithm written as a loop.
"""

# %% tags=["hide-input"]
grid = checked([[6, 6, 0], [3, 7, 0], [4, 3, 6]])
batch = by_cell(grid.ravel()[None, None])
x, target = batch.x[0, 0], batch.target[0, 0]
print("targets:", target.sum(-1).int().tolist())
W = dict.fromkeys("KVOF", eye) | {"Q": sqrt(10) * eye * (torch.arange(10) > 0)}
assert all(torch.equal(by_hand.algorithm_1().parameters()[name][0], W[name]) for name in W)


def layer(asking, x):
    weights = (asking @ W["Q"].T) @ (x @ W["K"].T).T / sqrt(10)
    return weights @ (x @ W["V"].T) @ W["O"].T @ W["F"].T


def algorithm_1(x):
    rows = [((x @ x_i) * (x_i[0] == 0)) @ x for x_i in x]  # weight 1 on equal colours
    return torch.stack(rows)


assert torch.equal(layer(x, x), target)
differing, draw = 0, np.random.default_rng(0)
for side in [*range(1, 21)] * 60 + [50, 50, 100, 100]:
    batch = by_cell(grids.random_grids(side, 1, draw, capped=side < 50)[None])
    x, target = batch.x[0, 0], batch.target[0, 0]
    blocks = torch.cat([layer(some, x) for some in x.split(1000)])
    differing += not torch.equal(blocks, target)
    differing += side < 21 and not torch.equal(algorithm_1(x), target)
print(f"{differing} of 1204 grids differ in some bit")
claims.settle("algorithm: exact", here=f"{differing} of 1204", agrees=differing == 0)
found = "some grid differs" if differing else "every grid"
claims.settle("algorithm: every grid", here=found, agrees=differing == 0)

# %% [markdown]
r"""
(count-softmax)=
### Does softmax return 1?

Nearly, for large logits, but not for the logits of 1 in Algorithm 1. (This is the fourth difference listed at the top of the page.) Let a cell give the logit $G$ to the $N$ cells of its own colour, and 0 to the others of the $M$ cells. Then its own colour gets the attention weight $Ne^G/(Ne^G+M-N)$ in all. Unless $N = M$, this is below 1, but it tends to 1 as $G$ grows. The paper's value is 1 (Eq. 2), for weights that are about 0 on other colours. Logits of 30 make these weights small enough; logits of 1 do not. The output lists the weight of one's own colour for $N = 1$, 4, 40 and 400 of $M = 500$ cells:
"""

# %% tags=["hide-input"]
def own_share(G, N, M=500):
    model = by_hand.by_hand(Ablation("softmax"), Q=G * sqrt(10) * eye, K=eye, V=eye, O=eye, F=eye)
    grid = by_colour([[[0, N, M - N] + [0] * 7]])
    return model(grid.x, grid.weight)[0, 0, 1, 1].item()


softened = {G: [own_share(G, N) for N in (1, 4, 40, 400)] for G in (0, 1, 10, 30)}
print(*(f"G = {G:2}: {np.round(row, 4)}" for G, row in softened.items()), sep="\n")
for G, which in ((30, "large logits"), (1, "logits of 1")):
    shown = " / ".join(f"{share:.4f}" for share in softened[G])
    off = max(abs(share - 1) for share in softened[G])
    claims.settle(f"softmax: {which}", here=shown, agrees=off < 1e-9, G=G)

# %% [markdown]
r"""
(count-copy)=
### A grid and its enlargement

An *enlargement* repeats each cell four times, as a square of two by two. [The lesson](05_counting_ablations) proves that a softmax encoder cannot tell a grid from its enlargement. The proof covers hard attention that averages ties, too: each token with the largest logit occurs four times in the enlargement, so the mean stays the same. As a check, six layers of PyTorch's encoder, with normally distributed parameters (deviation ½), give equal outputs on both grids up to rounding:
"""

# %% tags=["hide-input"]
encoder, large = outcomes.softmax_encoder(layers=6), grids.enlargement(grid)
one, other = outcomes.read(encoder, grid), outcomes.read(encoder, large)
enlarged = one.repeat_interleave(2, 0).repeat_interleave(2, 1)
difference = (enlarged - other).abs().max().item()
print(f"outputs of size {one.abs().max():.1f} differ by {difference:.0e}")
claims.settle("copy", here="equal to rounding", agrees=difference < 1e-12)

# %% [markdown]
r"""
(count-start)=
### A start token

With a start token a softmax layer counts up to any size that is fixed beforehand, but under [the lesson's](05_counting_ablations) conditions none counts at every size. The lesson proves both. In every softmax encoder under these conditions, as the number of cells grows, the outputs for one and for three cells of a colour approach each other, until they no longer round to 1 and 3.

The layer below is the lesson's, for counts up to $K$. Its attention gives a cell of another colour $e^{-40}$ times the weight of a cell of its own colour, so whatever $K$ is, it miscounts five cells among $10^{18}$.
"""

# %% tags=["hide-input"]
for largest in (36, 400):
    model = by_hand.with_start_token(largest)
    exact = [accuracies(model, side, 100, capped=False).grids[0] for side in (6, 12, 20, 100)]
    print(f"K = {largest}, right at 6, 12, 20, 100:", *(f"{share:.0%}" for share in exact))
vast = grids.started(by_colour(np.array([[[1e18, 5] + [0] * 8]])))
given = model(vast.x, vast.weight)[0, 0, 1, 1].item()
print(f"5 cells among 1e18 black: {given:.4f}")
claims.settle("start: counts", here=f"{100 * min(exact[:3]):.0f} / {100 * exact[3]:.0f}",
              agrees=min(exact[:3]) == 1 and exact[3] < 1)
claims.settle("start: bounded", here=f"{given:.2f}", agrees=given < 4.5)
claims.settle("unable", here=f"the same to rounding / {given:.2f}",
              agrees=difference < 1e-12 and given < 4.5)

# %% [markdown]
r"""
(count-figures)=
### Where normalization breaks (Figs. 2 to 7)

*Figs. 2, 3, 5 and 6* compare predicted with true counts. Our histograms (of seed 0) look as the paper's do: predicted and true counts are distributed alike at 6x6, and differently at 15x15. The outcome gives the share of coloured cells that are *misplaced*: the smallest share whose prediction would have to change to make the two histograms equal.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Predicted counts are distributed like true ones at 6x6, where the encoders were trained, and unlike them at 15x15.* Lines: predicted counts, over coloured cells. Filled: true ones.", "name": "fig-counting-distributions"}, "image": {"alt": "Four histograms: at 6x6 the line follows the filled bars, at 15x15 it does not.", "classes": "dark-light"}}
figure, axes = plt.subplots(2, 2, figsize=(7, 3.8), sharex="col")
misplaced = {}
for row, name in zip(axes, NORMED):
    for axis, side, top in zip(row, (6, 15), (14, 40)):
        o = outcomes.outcomes(runs.kept(tables[name]), side)
        misplaced[name, side] = o.misplaced
        style = {"bins": np.arange(-0.5, top), "density": True, "weights": o.cells}
        axis.hist(o.true, color="#999999", **style)
        axis.hist(o.predicted, color=PAINT[name], histtype="step", lw=2, **style)
        axis.set(title=f"{SHORT[name]}, {side}x{side}", xticks=range(0, top, 5))
figure.supxlabel("count", fontsize=10), figure.supylabel("share of cells", fontsize=10);

# %% [markdown]
r"""
*Figs. 4 and 7* show the standard deviation before the normalization, for right and wrong cells of 12x12 grids. The paper says that FF's prediction tends to be correct when the deviation is "close to 0.001" and incorrect when it is "higher than 0.001" (Fig. 4). For SA it says "below" and "above" (Fig. 7). These sentences say which answers to expect at a given deviation. The histograms show the reverse: which deviations right and wrong answers have. Our criterion asks for both directions, and the statements on FF and SA meet it.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Coloured cells that are counted incorrectly mostly have the larger deviations.* Standard deviation before layer normalization at 12x12, of cells counted incorrectly (outlined) and correctly (filled). Dashed: the root of $\\epsilon$.", "name": "fig-counting-deviation"}, "image": {"alt": "Two panels with two histograms each on a log axis, and a dashed line.", "classes": "dark-light"}}
figure, axes = plt.subplots(1, 2, figsize=(7, 2.8), sharex=True)
for axis, name in zip(axes, NORMED):
    o, ticks = outcomes.outcomes(runs.kept(tables[name]), 12), (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
    bins = np.geomspace(o.deviation.min(), o.deviation.max() * 1.01, 50)
    for some, style in (
        (o.is_right, {"alpha": 0.6, "label": "right"}),
        (~o.is_right, {"histtype": "step", "lw": 2, "label": "wrong"}),
    ):
        share = o.cells[some] / o.cells[some].sum()
        axis.hist(o.deviation[some], bins, weights=share, color=PAINT[name], **style)
    axis.axvline(sqrt(1e-5), **REFERENCE)
    axis.set(xscale="log", xlabel="standard deviation", title=SHORT[name])
    axis.set_xticks(ticks, [f"{x:g}" for x in ticks]), axis.set_xticks([], minor=True)
    axis.legend()
axes[0].set_ylabel("share of right, of wrong cells");

# %% [markdown]
r"""
The bars of the authors' histogram are 0.001 wide (`binwidth=0.001`, in their `trainLayerNorm_FF_Count.py`), so the figure shows nothing finer. For "close" we take half a bar to either side, 0.0005 to 0.0015, and for "higher" everything beyond. With 0.002 as the upper end of "close" FF would fail: of its cells between 0.0005 and 0.002, at most {glue:text}`count_right_to_002` are right. That FF is wrong above this range says little, because {glue:text}`count_wrong_FF` of all its coloured cells are wrong at this size.

*The criterion for FF was corrected after the run.* Until 27 November 2026 we misquoted the paper and held FF to its words about SA. Because most of FF's right cells lie above 0.001, the row said *differs*. We knew these numbers when we corrected the criterion.
"""

# %% tags=["hide-input"]
def shares(o, low, high):  # of cells near .001 that are right, above wrong; and the other way round
    is_near, is_above = (o.deviation >= low) & (o.deviation < high), o.deviation >= high
    pairs = (o.is_right, is_near), (~o.is_right, is_above)
    return [o.share(*pair) for pair in pairs] + [o.share(*pair[::-1]) for pair in pairs]


for name, plots in zip(NORMED, ("Figs. 2, 3", "Figs. 5, 6")):
    near, far = misplaced[name, 6], misplaced[name, 15]
    claims.settle(
        "figures: misplaced", here=f"{near:.2f} / {far:.2f}", agrees=near < 0.15 < far,
        quantity=f"{SHORT[name]}: share of counts that are misplaced, at 6x6 / at 15x15", printed=plots,
        cell="count-figures", settles=SHORT[name], source=run.source,
    )

# %% tags=["hide-input"]
NEAR = {"FF": (0.0005, 0.0015), "SA": (0, 0.001)}
for name in NORMED:
    seeds = [outcomes.outcomes(runs.kept(tables[name]), 12, seed) for seed in range(5)]
    (low, high), short = NEAR[SHORT[name]], SHORT[name]
    found = 100 * np.array([shares(o, low, high) for o in seeds])
    all_cells = np.ones_like(seeds[0].is_right)
    right = 100 * np.mean([o.share(o.is_right, all_cells) for o in seeds])
    for given, pair, more in (
        ("deviation", found[:, :2], {"base": f"{right:.0f}"}),
        ("answer", found[:, 2:], {"order": f"{min(o.order for o in seeds):.3f}"}),
    ):
        claims.settle(
            f"figures: given the {given}, {short}", agrees=bool(pair.min() > 50),
            here=" / ".join(f"{x:.0f}–{y:.0f}" for x, y in zip(pair.min(0), pair.max(0))),
            source=run.source, **more,
        )
    if short == "FF":
        glue("count_wrong_FF", f"{100 - right:.0f} %")
        glue("count_right_to_002", f"{max(shares(o, low, 0.002)[0] for o in seeds):.0%}")

# %% [markdown]
r"""
(count-table-3)=
### Table III: the attention weights

The weights of our `No` have the paper's pattern: large on equal colours, and nearly 0 on all others. The table shows the weights of seed 0, on the grid of [Algorithm 1](#count-algorithm). A row is the cell that attends, and a column is the cell attended to; both are named by their colours. Because the other matrices can undo scale and sign, we show absolute values, divided by their mean on equal colours, which is about .23 in the paper. The criterion was corrected after the run.
"""

# %% tags=["hide-input"]
cells, trace = grid.ravel(), {}
outcomes.of_squares(runs.kept(tables["No-LayerNorm-Count"]), grid, trace)
weights = trace["attention scores"][:, 0].abs().numpy()
own = (cells[:, None] == cells) & (cells > 0)  # pairs of one colour that is not black
patterns = weights / weights[:, own].mean(1)[:, None, None]
names, body = [f"**{colour}**" for colour in cells], np.char.mod("%.2f", patterns[0])
least, other = patterns[:, own].min(1), patterns[:, ~own].max()
claims.settle(
    "table-3",
    here=f"{least.mean():.2f} / {other:.3f}",
    agrees=bool(abs(least.mean() - 0.96) <= predicted_width(least) and other < 5e-3 / 0.23),
    source=run.source,
    note=f"five seeds, all perfect, have {least.min():.2f} to {least.max():.2f}",
)
markdown_table(["", *names], [[name, *row] for name, row in zip(names, body)])

# %% [markdown]
r"""
(count-identity)=
### Table II: can normalization return its input?

A network that ends in a normalization cannot, as the paper finds: its error has [a floor](#count-ln-identity). In the experiment a two-layer ReLU network, with or without a normalization at its end, should return five numbers as they are. It is trained on vectors uniform in $[-\tfrac12,\tfrac12]^5$ and tested in $[-1,1]^5$. Two of our runs are as published (2048 units, rate $10^{-4}$, 100,000 and 200,000 steps of 200 vectors, one seed). In the others the rate falls from $10^{-3}$. The entries are mean squared errors, the paper's with their spread in brackets.
"""

# %% tags=["hide-input"]
learners = [row for row in run.results if row["configuration"]["name"].endswith("Identity")]
body = [
    [f"**{name}**, paper", *(f"{mean:.3g} ({spread:.2g})" for mean, spread in pair)]
    for name, pair in TABLE_II.items()
]
for row in learners:
    name, rate, steps = (row["configuration"][what] for what in ("name", "rate", "steps"))
    falls = row["configuration"]["schedule"] == "cosine"
    words = f"{name}, {'falling ' * falls}rate {rate:g}, {steps:,} steps"
    pair = row["result"]["losses"][-1][0], row["result"]["test_loss"][0]
    body.append([words, *(f"{loss:.3g}" for loss in pair)])
    claims.settle(
        "table-2", here=" / ".join(f"{loss:.3g}" for loss in pair), quantity=f"train / test loss of {words}",
        paper=" / ".join(f"{mean:.3g}" for mean, _ in TABLE_II[name]), source=run.source,
        agrees=all(abs(loss - mean) <= spread for loss, (mean, spread) in zip(pair, TABLE_II[name])),
        settles="" if falls else name,
        conditions="falling rate, other number of steps" if falls else "",
    )
body.append(["floor of every LayerNorm-Identity", *(f"{a**2 / 15:.3g}" for a in (0.5, 1.0))])
source, answer = torch.zeros(1, 5, 10), torch.zeros(1, 3, 10)
decoded = nn.TransformerDecoderLayer(10, 1, batch_first=True)(answer, memory=source)
claims.correct(
    "Ouellette et al. §VII-B, a decoder's second attention", holds=decoded.shape == answer.shape
)
losses = [row["result"]["test_loss"][0] for row in learners]
claims.correct("Ouellette et al. §IV, No-LayerNorm-Identity", holds=100 * losses[0] < losses[1])
markdown_table(["", "training", "test"], body)

# %% [markdown]
r"""
(count-ln-identity)=
### A floor under the identity

**Theorem** (proved for every network). On vectors uniform in $[-a, a]^5$ the mean squared error of LayerNorm-Identity is at least $a^2/15$: $1/60$ in training, $1/15$ in the test.

*Proof.* The idea is that all outputs lie in one hyperplane, while the inputs fill the space. Normalization (LN) returns a vector with sum 0. So the outputs $\gamma\odot\mathrm{LN}(\cdot)+\beta$ lie in a hyperplane $\mathbf{n}\cdot\mathbf{y}=c$. Its unit normal $\mathbf{n}$ is a multiple of $1/\gamma$, or $\mathbf{e}_i$ if some $\gamma_i = 0$. An input $\mathbf{x}$ has at least its distance to the hyperplane as its error: $|\mathbf{x}-\mathbf{y}|^2\ge(\mathbf{n}\cdot\mathbf{x}-c)^2$. The mean of the right side is at least the variance of $\mathbf{n} \cdot \mathbf{x}$, which is $a^2/3$ for every unit vector. The loss divides by 5. $\square$

(count-iterative)=
### Counting one by one stops at the depth

In section III-D the paper says that a transformer which counts one cell per layer cannot count beyond its number of layers. This holds for counters that add at most 1 a layer. The paper's own layer without softmax is of another kind: it counts everything at once.

Our counter of this kind keeps a pointer. Each layer attends, with {term}`hard attention <hardmax>`, to the first cell of the colour after the pointer, and a feed-forward part adds 1 if there is such a cell. *Proved for every length:* for $N$ cells of the colour, $L$ layers return $\min(N, L)$, because each layer moves the pointer to the next such cell and adds 1, or adds nothing.
"""

# %% tags=["hide-input"]
def iterative(cells, colour, layers):
    pointer, count, place = -1, 0, np.arange(len(cells))
    for _ in range(layers):
        scores = (cells == colour) + 1.0 * (place > pointer) - place / len(cells) ** 2
        attended = place[scores.argmax()]  # hard attention
        if cells[attended] == colour and attended > pointer:
            pointer, count = attended, count + 1
    return count


draw = np.random.default_rng(0)
flat = [cells for side in range(1, 9) for cells in grids.random_grids(side, 10, draw)]
queries = [(cells, colour, L) for cells in flat for colour in range(10) for L in (1, 3, 12)]
off = sum(iterative(c, colour, L) != min(L, (c == colour).sum()) for c, colour, L in queries)
claims.settle("iterative", here=f"{off} of {len(queries)}", agrees=off == 0)

# %% [markdown]
r"""
## Ours

(count-hiding)=
### Counts that normalization lets through

Can a layer count through a normalization? It can at every size tried, if it makes the counts small enough. The reason is that normalization is nearly linear for vectors much smaller than $\sqrt\epsilon$. If $\mathbf{P}$ subtracts the mean,

$$ \mathrm{LN}(\delta \mathbf{z}) = \delta\, \mathbf{P}\mathbf{z} / \sqrt{\epsilon}\; \bigl(1 + O(\delta^2 / \epsilon)\bigr) . $$

We build two such layers by hand:

- `below_root_eps` has the normalization after attention. A cell whose colour has $N$ cells receives $N / \sqrt{1 + 0.09\,\delta^2 N^2/\epsilon}$, and the lesson proves up to which $N$ this rounds to $N$.
- `beside_black` has the normalization last, and uses the place of black to keep the mean at 0. The vector has $\delta N$ at the colour, $-\delta N$ at black and the variance $0.2\,\delta^2 N^2$, so $0.2$ replaces $0.09$.

The smaller $\delta$ is, the larger are the grids that both layers count. The table has the share of cells that are right, by the first layer and by the second, at sides 6, 20, 50 and 100:
"""

# %% tags=["hide-input"]
sides, body = (6, 20, 50, 100), []
for delta in (1e-3, 1e-5, 1e-7, 1e-9):
    hidden = by_hand.below_root_eps(delta), by_hand.beside_black(delta)
    shares = [accuracies(made, side, 200, capped=False).cells[0] for made in hidden for side in sides]
    body.append([f"{delta:.0e}", *(f"{share:.1%}" for share in shares)])
head = [f"{name}, {side}" for name in ("first", "second") for side in sides]
markdown_table(["δ", *head], body)

# %% [markdown]
r"""
The outcome's lines on both layers are *measured*, because they count grids in floating point. The first layer needs an $\epsilon$ above 0: with $\epsilon = 0$ the output of SA depends on proportions only, because its attention has no bias and is linear in the counts.

(count-residual)=
### Counts beside a residual connection

With residual connections the layer cannot count exactly on every grid, but it can after rounding. A cell of colour $i$ ends as $(\mathbf{I}+\mathbf{W}^F)(\mathbf{e}_i+\mathbf{h}_i)+\mathbf{b}$, where $\mathbf{h}_i$ is linear in the counts. No matrices make this exactly $N_i \mathbf{e}_i$ on every grid. *Proof.* Both sides are affine in the counts, so their constant terms agree: $(\mathbf{I}+\mathbf{W}^F)\mathbf{e}_i+\mathbf{b}=0$ for each of the nine colours. Then nine columns of $\mathbf{I}+\mathbf{W}^F$ are equal, and its rank is at most 2, while nine independent counts need rank 9. $\square$

But outputs are rounded, so counting needs no exact output. With $\mathbf{W}^V=L\,\mathbf{I}$ and $\mathbf{W}^F=(1/L-1)\,\mathbf{I}$ the output is $(N_i+1/L)\,\mathbf{e}_i$, which rounds to $N_i$ for every gain $L > 2$. This is proved for every size, in exact arithmetic.
"""

# %% tags=["hide-input"]
through = {
    "LN after attention": by_hand.below_root_eps(1e-9),
    "residuals": by_hand.through_residuals(1e6),
    "LN after feed-forward": by_hand.beside_black(1e-9),
}
for name, model in through.items():
    share = min(accuracies(model, side, 200, capped=False).grids[0] for side in (6, 20, 100))
    by_proof = name == "residuals"
    claims.settle(
        "hiding", here=f"{100 * share:.0f}", agrees=share == 1, settles=name, which=name,
        truth=PROVED if by_proof else MEASURED,
        more="; every grid by the proof on the page" if by_proof else "",
    )

# %% [markdown]
r"""
(count-factors)=
### One factor at a time

The paper's ablated encoders drop softmax, residual connections, biases, dropout and one or both normalizations at once. Which of these spoils the training? At the four rates that we tried, softmax does, and so does dropout, and so do the two normalizations together. One normalization alone, or the residual connections, do less harm, and attention biases do none.

We start from `No`, and put each part back alone, or change another part. In the table, LN is layer normalization. {term}`V2`, which comes from the authors' code, has two layers in its feed-forward part, here with 64 hidden units. *All but dropout, softmax* puts everything back except these two. Because the effect of a change depends on the learning rate, each change is trained on three seeds at four rates, which fall during {glue:text}`count_factor_steps` steps. A change is

- *fatal* if no rate brings the mean over seeds above 80 % at 6x6;
- *harmless* if one brings it to 99.9 % at every side up to 10x10;
- *in distribution* otherwise.

The table has the percentage of cells that are right on grids of three sizes, each at the rate that is best for it:
"""

# %% tags=["hide-input"]
KINDS = ("fatal", "in distribution", "harmless")
SAID = {"everything": "all but dropout", "everything but softmax": "all but dropout, softmax"}
rows = {SAID.get(name, name): row for name, row in swept.items()}
names = sorted(rows, key=lambda name: KINDS.index(runs.verdict(rows[name])))
best, rates = [], []
for name in names:
    found = [runs.by_rate(rows[name], side) for side in (6, 10, 20)]
    best.append([name, runs.verdict(rows[name]), *(f"{v.max():.1f}" for v in found)])
    rates.append([name, *(f"{v:.1f}" for v in np.ravel(found))])
glue("count_factor_steps", f"{factors.results[0]['configuration']['steps']:,}")
for name in ("everything", "everything but softmax"):
    glue(f"count_{name.replace(' ', '_')}", f"{runs.by_rate(swept[name], 6).max():.0f} %")
markdown_table(("changed", "kind", "6x6", "10x10", "20x20"), best)

# %% tags=["hide-input"]
expected = {
    "fatal": {"softmax", "dropout", "LN after both"},
    "in distribution": {"LN after attention", "LN after feed-forward", "residuals"},
    "harmless": {"nothing", "attention biases", "no feed-forward"},
}
for kind, least in expected.items():
    found = [name for name in names if runs.verdict(rows[name]) == kind]
    claims.settle(
        "factors", here="; ".join(found), agrees=least <= set(found), kind=kind, settles=kind,
        criterion=f"{', '.join(sorted(least))} among them", source=factors.source,
    )
linear, relu = (runs.by_rate(rows[name], 20).max() for name in ("nothing", "V2"))
claims.settle("factors: V2", here=f"{linear:.1f} / {relu:.1f}", agrees=bool(linear > relu),
              source=factors.source)
glue("count_linear", f"{linear:.1f} %"), glue("count_relu", f"{relu:.1f} %")
head = [f"{side}x{side}, {rate:g}" for side in (6, 10, 20) for rate in runs.RATES]
Markdown(fold.format("All four rates", markdown_table(["changed", *head], rates).data))

# %% [markdown]
r"""
The kinds are *measured*, at these four rates. Where training does not find a way to count, there may still be one, as [above](#count-hiding). Three rows deserve a closer look:

- *V2.* According to Section IV, one linear layer generalizes better than the default of two layers with ReLU, which is `V2`. It does so here, too: at 20x20 one layer has {glue:text}`count_linear` of the cells right at its best rate, and two have {glue:text}`count_relu`.
- *Dropout* is fatal by itself. One reason is proved for every learning rate: the output passes through dropout last, so the answer with the least squared error is $0.9 N$ or less (exercise 1). It misses every $N$ from 5 on, because 4.5 rounds to the even 4.
- *All but dropout* is fatal, too. If softmax is taken out as well, the share of right cells at 6x6 rises from {glue:text}`count_everything` to {glue:text}`count_everything_but_softmax` at the best rate.

For later work on what counting transformers can do, see {cite}`chiang2023,yang2024,yang2025` and [the map](#map-entries).
"""

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says
