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

*You will be able to* write a transformer layer that counts exactly, prove what a softmax encoder cannot count and under which hypotheses, and tell what a part of a layer makes impossible from what it makes hard to learn.
"""

# %% [markdown]
"""
## Claim

Ouellette, Pfister and Jud {cite}`ouellette2023` ask a one-layer encoder for the number of cells of each colour in a grid ({numref}`fig-counting-task`). The standard one, {term}`Std`, fails even on trained
sizes (Table I, §V-A). One without softmax and without layer normalization, here called No, is perfect, to 100x100. Normalization put back after attention ({term}`SA`) or after the feed-forward part ({term}`FF`) lets
counting work in training and fail on larger grids (§V-B). One cannot even learn the identity through it (Table II).

A softmax encoder that sees nothing but cells cannot tell a grid from its 4-fold copy, at any depth; with one
start token it counts to any number, on grids up to any size, both fixed beforehand. Layer normalization below the square root of $\epsilon$, and a {term}`residual connection` beside a large gain, let counts of 100x100 grids through; the encoders trained here fall off beyond their training's sizes.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "The task: each cell is to hold how many cells have its colour. Given is a grid, here with the number of its colour in each cell; asked for is what the network must write there. Colour 0, left empty, is not counted.", "name": "fig-counting-task"}, "image": {"alt": "Two copies of a grid of three by three coloured cells: on the left the numbers of the colours, on the right 3 in each of three cells of one colour, 2 in each of two, 1 in each of two others, 0 in two empty ones.", "classes": "dark-light"}}
from math import sqrt
import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from chapters.exercises.judge import check
from chapters.pages.counting_ablations import answers as outcomes, by_hand
from chapters.pages.counting_ablations.answers import (AT_EACH_SIZE, AT_EIGHT_JOINTLY, TABLE_I,
                                                       TABLE_II, counting_figure,
                                                       is_within_spread, predicted_width,
                                                       sampling_error)
from chapters.pages.counting_ablations.by_hand import (ball_floor, best_radius, plane_floor,
                                                       sphere_floor)
from lib.counting import grids
from lib.counting.grids import by_cell, by_colour, checked
from lib.counting.layer import Ablation, Counters
from lib.counting.train import accuracies, count_batches, drawn_for_tests, fit
from lib.notebook import glue, markdown_table, REFERENCE, use_style
from record.claims import MEASURED, PROVED, Claims
from record.experiments import ouellette as runs
from record.experiments.ouellette import FACTORS
from record.runs import stored
use_style()
claims = Claims("05_counting_ablations")
counting_figure([[6, 6, 0], [3, 7, 0], [4, 3, 6]]);

# %% [markdown]
"""
## Construction

### The task

A token is the {term}`one-hot` vector of a cell's colour, 0 to 9, with no position. Its output should hold the count of that colour at that colour, and nothing for black, which is colour 0.

(count-algorithm)=
### Algorithm 1, and the same as a layer

The paper's algorithm gives cell $i$ a weight of 1 on every cell of its colour and adds up what they hold. Attention *without* softmax does that:

$$
\mathbf{y}_i = \mathbf{W}^F \mathbf{W}^O \sum_j \frac{(\mathbf{W}^Q \mathbf{x}_i) \cdot (\mathbf{W}^K \mathbf{x}_j)}{\sqrt{10}}\, \mathbf{W}^V \mathbf{x}_j ,
\qquad \mathbf{W}^Q = \sqrt{10}\,\operatorname{diag}(0, 1, \dots, 1), \quad \text{all else } \mathbf{I} .
$$

There is no residual connection, no attention bias and no normalization, and the feed-forward bias is 0: this is No. The zero in $\mathbf{W}^Q$ leaves black without attention. We take the grid of Table III.
"""

# %%
grid = checked([[6, 6, 0], [3, 7, 0], [4, 3, 6]])
batch = by_cell(grid.ravel()[None, None])
x, target = batch.x[0, 0], batch.target[0, 0]                  # nine tokens of ten coordinates
print("targets:", target.sum(-1).int().tolist())
eye = torch.eye(10, dtype=torch.float64)
W = dict.fromkeys("KVOF", eye) | {"Q": sqrt(10) * eye * (torch.arange(10) > 0)}
assert all(torch.equal(by_hand.algorithm_1().parameters()[name][0], W[name]) for name in W)


# %%
def layer(asking, x):
    weights = (asking @ W["Q"].T) @ (x @ W["K"].T).T / sqrt(10)
    return weights @ (x @ W["V"].T) @ W["O"].T @ W["F"].T


assert torch.equal(layer(x, x), target)

# %% [markdown]
"""
The layer is right to the last bit, against the algorithm as a loop and the counts at 100x100:
"""

# %%
def algorithm_1(x):
    rows = [((x @ x_i) * (x_i[0] == 0)) @ x for x_i in x]       # weight 1 on equal colours
    return torch.stack(rows)


differing, draw = 0, np.random.default_rng(0)
for side in [*range(1, 21)] * 60 + [50, 50, 100, 100]:
    batch = by_cell(grids.random_grids(side, 1, draw, capped=side < 50)[None])
    x, target = batch.x[0, 0], batch.target[0, 0]
    blocks = torch.cat([layer(some, x) for some in x.split(1000)])
    differing += not torch.equal(blocks, target)
    differing += side < 21 and not torch.equal(algorithm_1(x), target)
print(f"{differing} of 1204 grids differ in some bit")

# %% [markdown]
"""
(count-softmax)=
### Softmax returns 1

With softmax the weights on a cell's own colour add up to less than 1, unless all cells have it. If the own colour has logit $G$ and the others 0, the cell receives
$Ne^G/(Ne^G+M-N)$ of its own colour, of which there are $N$ among $M$ cells: 1 in the limit of large $G$ only. Algorithm 1 has $G = 1$.
"""

# %%
def own_share(G, N, M=500):
    model = by_hand.by_hand(Ablation("softmax"), Q=G * sqrt(10) * eye, K=eye, V=eye, O=eye, F=eye)
    grid = by_colour([[[0, N, M - N] + [0] * 7]])
    return model(grid.x, grid.weight)[0, 0, 1, 1].item()


softened = {G: [own_share(G, N) for N in (1, 4, 40, 400)] for G in (0, 1, 10, 30)}
print(*(f"G = {G:2}: {np.round(row, 4)}" for G, row in softened.items()), sep="\n")

# %% [markdown]
"""
(count-copy)=
### A grid and its copy

Softmax attention averages. Three of the nine cells above have colour 6, a third; repeat each cell 2 by 2, and 12 of 36 have it, still a third.
Call the larger grid the *4-fold copy*: its proportions stay, its counts quadruple.

**Theorem** (proved for every grid). Let a softmax encoder of any depth see one token for each cell, which depends on the cell's colour alone: no positions, no special token. Let no logit depend on the number of tokens.
With or without layer normalization, residual connections and biases, it gives each cell of the copy the output of the cell it came from.

*Proof.* By induction over layers all four copies of a cell carry its vector. A head at a cell averages: $\sum_je^{l_{ij}}\mathbf{v}_j/\sum_je^{l_{ij}}$. In the copy each $j$ occurs four times, and the 4
cancels. All else works on one position at a time. $\square$

So of a grid and its copy at most one is counted rightly if it has colour. **Predict** what six random layers of PyTorch's encoder give the two.

<p class="guess">equal&nbsp;outputs|different&nbsp;outputs</p>
"""

# %% tags=["hide-output"]
torch.manual_seed(0)
stock = nn.TransformerEncoderLayer(10, 2, 64, dropout=0.0, batch_first=True, dtype=torch.float64)
deep = nn.TransformerEncoder(stock, 6, enable_nested_tensor=False).eval()
for parameter in deep.parameters():
    nn.init.normal_(parameter, std=0.5)
cell_of = np.kron(np.arange(9).reshape(3, 3), np.ones((2, 2), int)).ravel()
once, four = (by_cell(g.ravel()[None, None]) for g in (grid, grids.copied(grid)))
with torch.no_grad():
    one, other = deep(once.x[0])[0], deep(four.x[0])[0]
difference = (one[cell_of] - other).abs().max().item()
print(f"outputs of size {one.abs().max():.1f} differ by {difference:.0e}")
counted = by_hand.algorithm_1()(four.x, four.weight)
print("without softmax:", counted[0, 0].sum(-1).int().tolist()[::2][:3], "where it was 3, 3, 0")

# %% [markdown]
"""
The theorem is silent on grids of *one* size: see exercise 3.

(count-start)=
### One token more, and quantity is back

An average tells a count if part of it stays the same. Put one *start token* before the cells, with value 0. A cell that attends equally to the $N$ cells of its colour and to this token receives $u=N/(N+1)$ of
its colour: a half for one cell, three quarters for three.

A ReLU network turns $u$ back into $N$, up to any number $K$:

$$
g(u) = \sum_{k=0}^{K-1} 2(k+1)\, \mathrm{relu}\Bigl(u - \frac{k}{k+1}\Bigr), \qquad g\Bigl(\frac{N}{N+1}\Bigr) = N \quad \text{for } N = 0, \dots, K ,
$$

since its slope between $N - 1$ and $N$ is $2+4+\dots+2N=N(N+1)$. In the layer below the other cells weigh $e^{-40}$ each.
"""

# %%
for largest in (36, 400):
    model = by_hand.with_start_token(largest)
    exact = [accuracies(model, side, 100, capped=False).grids[0] for side in (6, 12, 20, 100)]
    print(f"K = {largest}: whole grids right:", *(f"{share:.0%}" for share in exact))
begun = grids.started(four)
print("the copy:", model(begun.x, begun.weight)[0, 0].amax(-1).round().int().tolist()[::2][:3])
vast = grids.started(by_colour(np.array([[[1e18, 5] + [0] * 8]])))
print(f"5 cells among 1e18 black: {(given := model(vast.x, vast.weight)[0, 0, 1, 1].item()):.4f}")

# %% [markdown]
"""
In the last line 5 cells are lost among $10^{18}$. So it is with any fixed weights:

**Theorem** (proved for every length). Let the tokens' vectors, with positions and special tokens, lie in a bounded set, and the feed-forward parts be continuous; let no logit depend on the number of tokens,
and $\epsilon > 0$. With fixed weights a softmax encoder's outputs are bounded, and those for $N = 1$ and $N = 2$ draw together as $M$ grows.

*Proof.* By induction over layers all vectors lie in a compact set: averages, sums and continuous images do. So all logits lie in some $[-B, B]$, and one cell among $M$ weighs at most $e^{2B}/M$.

Change that cell's colour from black to that of one other cell. By induction, as the maps are uniformly continuous, the outputs elsewhere change by an amount that vanishes with growing $M$. $\square$

## Run it

### Watch the ablation happen

Training is as published, partly in the authors' code alone: 50 grids a step, all of one side from 1 to 6, each cell coloured with probability .8; mean squared error over all ten outputs; gradients clipped to norm 1; every parameter
from $U(-.08, .08)$; float64.

As cells of one colour are alike, a grid *is* its ten counts. Ours are the rate, $10^{-2}$ along half a cosine for
$2 \cdot 10^{-4}$; 2,000 steps; and the last weights, not the best.
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

Now the published settings, stored: {glue:text}`count_steps` steps and five {term}`seeds <seed>`; but Std, slow through dropout, has {glue:text}`count_steps_std` steps and one seed.

A cell is right if all ten outputs round to the target. Accuracy is per cell, as in the authors' code (the paper's text reads as whole grids); whole grids stand below. The last three lines need no network: 0 on black, and on
colour 0, 2, or the mean count.
"""

# %% tags=["hide-input"]
run, factors = stored("counting_tables"), stored("counting_factors")
tables, swept = ({row["configuration"]["name"]: row for row in one.results}
                 for one in (run, factors))
SHORT, SIZES = dict(zip(TABLE_I, ("Std", "No", "SA", "FF"))), runs.SIZES[:8]
PAINT = dict(zip(TABLE_I, ("#56B4E9", "#009E73", "#E69F00", "#CC79A7")))
free = {name: np.array([100 * outcomes.free_answer(side, answer(side)) for side in runs.SIZES])
        for name, answer in (("zeros", lambda side: 0), ("twos", lambda side: 2),
                             ("mean", outcomes.mean_count))}
body = []
for name, short in SHORT.items():
    cells, per_grid = (runs.percent(tables[name], kind)[:8] for kind in ("cells", "grids"))
    body += [[f"**{short}**, paper", *(f"{v:.1f}" for v in TABLE_I[name])],
             ["here", *(f"{row.mean():.1f}" for row in cells)],
             ["least–most", *(f"{row.min():.0f}–{row.max():.0f}" for row in cells)],
             ["whole grids", *(f"{row.mean():.1f}" for row in per_grid)]]
body += [[f"**{label}**", *(f"{v:.1f}" for v in row[:8])] for label, row in free.items()]
markdown_table(["%", *(f"{side}x{side}" for side in SIZES)], body)

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Accuracy per cell against the side of the grid: the paper's Table I (dots), and here each seed (thin) and the mean (thick). Both normalized encoders fall back to what all zeros score (dashed); the standard one stays near it.", "name": "fig-counting-sizes"}, "image": {"alt": "Four curves over grid sides 6 to 20: one stays at 100 percent, two fall from near 100 to about 30, one stays near 30, close to a dashed baseline.", "classes": "dark-light"}}
claims.settle("algorithm: exact", here=f"{differing} of 1204", agrees=differing == 0)
for G, settled in ((1, "softmax"), (30, "softmax, large logits")):
    claims.settle("softmax", here=" / ".join(f"{share:.4f}" for share in softened[G]),
                  agrees=max(abs(share - 1) for share in softened[G]) < 1e-9,
                  quantity=f"own colour in softmax, logit {G}, N = 1, 4, 40, 400 of 500",
                  settles=settled)
claims.settle("copy", here="equal to rounding", agrees=difference < 1e-12)
claims.settle("start: counts", here=f"{100 * min(exact[:3]):.0f} / {100 * exact[3]:.0f}",
              agrees=min(exact[:3]) == 1 and exact[3] < 1)
claims.settle("start: bounded", here=f"{given:.2f}", agrees=given < 4.5)
figure, axis = plt.subplots()
for name, short in SHORT.items():
    cells, paint = runs.percent(tables[name])[:8], {"color": PAINT[name]}
    axis.plot(SIZES, TABLE_I[name], "o", SIZES, cells, "-", lw=0.5, **paint)
    axis.plot(SIZES, cells.mean(1), label=short, **paint)
axis.plot(SIZES, free["zeros"][:8], **REFERENCE, label="all zeros")
axis.set(xlabel="side of the grid (cells)", ylabel="cells right (%)", ylim=(0, 104))
figure.legend(ncols=5, loc="outside upper center");

# %% [markdown]
"""
No is perfect on every seed, at 100x100 too. All zeros rise at the right end as the authors' code caps coloured cells by a random number to 999, so that larger grids are blacker: at 100x100 they score
{glue:text}`count_zeros_100`.

Std, so far, answers 2 on {glue:text}`count_twos` of the coloured cells of 6x6: it has learned which cells are black, and one number. The paper's Std is within {glue:text}`count_gap_twos` points of the
answer "2" everywhere, so nearness shows no learning.

SA and FF fall off as in the paper, whose numbers lie up to {glue:text}`count_gap_SA` and {glue:text}`count_gap_FF` points away. The criterion, mended after the run: the paper's value is in the 95 % interval of one more run, by the spread of five seeds (which share the order of sides) and the draw of test grids.
It is so for SA at {glue:text}`count_near_SA` of 8 sizes, for FF at {glue:text}`count_near_FF`, or at {glue:text}`count_joint_FF` with intervals for eight sizes jointly, nearly twice as wide.

Over the second half of the steps the loss still fell to {glue:text}`count_still_SA` (SA) and {glue:text}`count_still_FF` (FF) of what it was.

(count-factors)=
### One factor at a time

The paper's ablated encoders drop softmax, residual connections, biases, dropout and all but one normalization at once. Here each is changed alone, from the encoder that
counts. Then everything but dropout is on, and softmax is taken away. {term}`V2` is a feed-forward part of two layers, here with 64 hidden units.

What a factor does depends on the learning rate, so each is trained at four, on three seeds, for {glue:text}`count_factor_steps` steps of falling rate. It is

- *fatal* if no rate brings the mean over seeds above 80 % at 6x6;
- *harmless* if one brings it to 99.9 % at every side to 10x10;
- *in distribution* otherwise.

**Predict** which of softmax, dropout and residual connections are fatal.

<p class="guess">softmax|all&nbsp;three|softmax&nbsp;and&nbsp;dropout</p>
"""

# %% tags=["hide-input", "hide-output"]
body = [[name, *(f"{v:.1f}" for side in (6, 10, 20) for v in runs.by_rate(row, side)),
         runs.verdict(row)] for name, row in swept.items()]
glue("count_factor_steps", f"{factors.results[0]['configuration']['steps']:,}")
steps = {name: row["configuration"]["steps"] for name, row in tables.items()}
glue("count_steps", f"{steps['No-LayerNorm-Count']:,}")
glue("count_steps_std", f"{steps['Std-Transformer-Count']:,}, float32")
std = tables["Std-Transformer-Count"]
glue("count_twos", f"{outcomes.share_answered(runs.kept(std), 6, 2):.0%}")
glue("count_gap_twos", f"{np.abs(free['twos'][:8] - TABLE_I[next(iter(TABLE_I))]).max():.1f}")
glue("count_zeros_100", f"{free['zeros'][8]:.0f} %")
for name in ("everything", "everything but softmax"):
    glue(f"count_{name.replace(' ', '_')}", f"{runs.by_rate(swept[name], 6).max():.0f} %")
head = [f"{side}x{side}, {rate:g}" for side in (6, 10, 20) for rate in runs.RATES]
markdown_table(["changed", *head, "kind"], body)

# %% [markdown]
"""
:::{dropdown} Why
This is measured, at these rates; "harmless" says nothing beyond 10x10. What is hard to learn may still be possible ("Break it").

Dropout is fatal by itself. At the least-squares optimum that is proved, whatever the rate: the output is dropped last, so the best answer is $0.9 N$ or less (exercise 1), which misses $N$ from
$N = 5$ on (4.5 rounds to the even 4). With everything on but dropout, softmax's removal lifts 6x6 from {glue:text}`count_everything` to {glue:text}`count_everything_but_softmax` at the best rate.
:::

(count-figures)=
### Where normalization breaks

The paper's Figs. 2, 3, 5 and 6 compare predicted and true counts. Its Figs. 4 and 7 show the standard deviation before the normalization, for right and wrong cells of 12x12 grids: right ones lie near (FF) or below (SA) 0.001.

We draw seed 0. SA has that threshold; FF orders its cells as well, about a higher one; $\sqrt\epsilon$ is {glue:text}`count_root_eps`.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Predicted counts (lines) and true ones (filled), over coloured cells: alike at 6x6, where the encoders were trained, apart at 15x15.", "name": "fig-counting-distributions"}, "image": {"alt": "Four histograms: at 6x6 the line follows the filled bars, at 15x15 it does not.", "classes": "dark-light"}}
figure, axes = plt.subplots(2, 2, figsize=(7, 3.8), sharex="col")
NORMED, misplaced = ("LayerNorm-FF-Count", "LayerNorm-SA-Count"), {}
for row, name in zip(axes, NORMED):
    for axis, side, top in zip(row, (6, 15), (14, 40)):
        o = outcomes.outcomes(runs.kept(tables[name]), side)
        misplaced[name, side] = o.misplaced
        style = {"bins": np.arange(-0.5, top), "density": True, "weights": o.cells}
        axis.hist(o.true, color="#999999", **style)
        axis.hist(o.predicted, color=PAINT[name], histtype="step", lw=2, **style)
        axis.set(title=f"{SHORT[name]}, {side}x{side}", xticks=range(0, top, 5))
figure.supxlabel("count", fontsize=10), figure.supylabel("share of cells", fontsize=10)
batch = by_colour(drawn_for_tests(6)[None])
model = runs.kept(tables["No-LayerNorm-Count"])
up = (model(batch.x, batch.weight).ceil() == batch.target).all(-1) * batch.weight
claims.correct("Ouellette et al. §IV, accuracy (ambiguous)",
               holds=bool(up.sum() < batch.weight.sum() / 2))
stock = nn.TransformerEncoderLayer(10, 1)
claims.correct("Ouellette et al. §IV, FF network",
               holds=(stock.linear1.out_features, stock.linear2.out_features) == (2048, 10))

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Standard deviation before layer normalization at 12x12: coloured cells counted wrongly (outlined) mostly lie above those counted rightly (filled). Dashed: the square root of eps.", "name": "fig-counting-deviation"}, "image": {"alt": "Two panels with two histograms each on a log axis, and a dashed line.", "classes": "dark-light"}}
figure, axes = plt.subplots(1, 2, figsize=(7, 2.8), sharex=True)
for axis, name in zip(axes, NORMED):
    o, ticks = outcomes.outcomes(runs.kept(tables[name]), 12), (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
    bins = np.geomspace(o.deviation.min(), o.deviation.max() * 1.01, 50)
    for some, style in ((o.is_right, {"alpha": 0.6, "label": "right"}),
                        (~o.is_right, {"histtype": "step", "lw": 2, "label": "wrong"})):
        share = o.cells[some] / o.cells[some].sum()
        axis.hist(o.deviation[some], bins, weights=share, color=PAINT[name], **style)
    axis.axvline(sqrt(1e-5), **REFERENCE)
    axis.set(xscale="log", xlabel="standard deviation", title=SHORT[name])
    axis.set_xticks(ticks, [f"{x:g}" for x in ticks]), axis.set_xticks([], minor=True)
    axis.legend()
axes[0].set_ylabel("share of right, of wrong cells")
glue("count_root_eps", f"{sqrt(1e-5):.5f}")


def above(name):    # the shares of right and of wrong cells above .001, least order; by seed
    seeds = [outcomes.outcomes(runs.kept(tables[name]), 12, seed) for seed in range(5)]
    shares = [[o.share_above(0.001, which) for o in seeds] for which in (True, False)]
    return *map(np.array, shares), min(o.order for o in seeds)

# %% [markdown]
"""
(count-table-3)=
### Table III

The attention weights of No on the grid above, seed 0. The other matrices can multiply back any scale and sign, so we show sizes, divided by their mean on equal colours; in the paper that mean is about .23.
"""

# %%
patterns = outcomes.relative_weights(runs.kept(tables["No-LayerNorm-Count"]), grid)
own, body = outcomes.same_colour(grid.ravel()), np.char.mod("%.2f", patterns[0])
names = [f"**{colour}**" for colour in grid.ravel()]
markdown_table(["", *names], [[name, *row] for name, row in zip(names, body)])

# %% [markdown]
"""
(count-identity)=
### Table II

Can normalization return its input? A two-layer ReLU network should, normalized at its end or not, on vectors uniform in $[-\tfrac12,\tfrac12]^5$, and in $[-1,1]^5$ for the test. Runs are as published (2048 units, rate
$10^{-4}$, 100,000 and 200,000 steps of 200 vectors, one seed), and at rates that fall from $10^{-3}$. The criterion: both losses within the printed spread.
"""

# %% tags=["hide-input"]
learners = [row for row in run.results if row["configuration"]["name"].endswith("Identity")]
body = [[f"**{name}**, paper", *(f"{mean:.3g} ({spread:.2g})" for mean, spread in pair)]
        for name, pair in TABLE_II.items()]
body += [[runs.described(row["configuration"]),
          *(f"{loss:.3g}" for loss in runs.identity_pair(row))] for row in learners]
body.append(["floor of every LayerNorm-Identity", *(f"{plane_floor(a):.3g}" for a in (0.5, 1.0))])
source, answer = torch.zeros(1, 5, 10), torch.zeros(1, 3, 10)
decoded = nn.TransformerDecoderLayer(10, 1, batch_first=True)(answer, memory=source)
claims.correct("Ouellette et al. §VII-B, a decoder's second attention",
               holds=decoded.shape == answer.shape)
losses = [runs.identity_pair(row)[1] for row in learners]
claims.correct("Ouellette et al. §IV, No-LayerNorm-Identity", holds=100 * losses[0] < losses[1])
markdown_table(["", "training", "test"], body)

# %% [markdown]
"""
(count-arc)=
### ARC: the most frequent colour

The task that motivates the paper, 5582e5ca, asks for a grid filled with the most frequent colour. Solving it "implies being able to count" (§VII-A).

The layer counts, black too. But a *softmax* layer whose cells attend to all cells alike serves too: that colour has the largest *proportion*. We make 1,000 tasks in ARC's
format, sides 3 to 30, without ties.
"""

# %%
draw = np.random.default_rng(5)
tests = [outcomes.arc_task(draw, examples=1)["test"][0] for _ in range(1000)]
average = by_hand.by_hand(Ablation("softmax", feed_forward="none"), V=eye, O=eye)
solved, by_average = (sum(outcomes.most_frequent(model, pair["input"]) == pair["output"][0][0]
                          for pair in tests)
                      for model in (by_hand.algorithm_1(counts_black=True), average))
print(f"counting: {solved} of 1000; softmax, proportions: {by_average} of 1000")

# %% [markdown]
"""
## Break it

(count-hiding)=
### A way around normalization

Normalization divides by the root of the variance plus $\epsilon$. Where the variance is large, a count of 12 comes out much like one of 3. Where it is small, $\epsilon$ decides. Let $\mathbf{P}$ remove the mean; then

$$ \mathrm{LN}(\delta \mathbf{z}) = \delta\, \mathbf{P}\mathbf{z} / \sqrt{\epsilon}\; \bigl(1 + O(\delta^2 / \epsilon)\bigr) . $$

Shrunk by $\delta = 10^{-5}$, *below* $\sqrt\epsilon$, counts of 3 and 12 are divided by nearly one number: 12 stays four times 3. The factors after the normalization undo $\delta$.

With $\epsilon = 0$ the output of SA depends on proportions only (proved: its attention has no bias and is linear in the counts).

**Predict** with which $\delta$ a hand-made SA counts farther.

<p class="guess">larger|smaller</p>
"""

# %% tags=["hide-output"]
# try: another delta, another eps
for delta in (1e-3, 1e-5, 1e-7, 1e-9):
    made = by_hand.below_root_eps(delta, eps=1e-5)
    shares = [accuracies(made, side, 200, capped=False).cells[0] for side in (6, 20, 50, 100)]
    print(f"delta = {delta:.0e}:", *(f"{share:6.1%}" for share in shares))

# %% [markdown]
"""
:::{dropdown} Why
So the published layer *with* normalization counts to any side fixed beforehand, for $\delta$ small enough; the trained encoders had not shrunk further when training ended ({numref}`fig-counting-deviation`).
:::

(count-residual)=
### A residual connection is no obstacle either

With a residual connection a cell of colour $i$ ends as $(\mathbf{I}+\mathbf{W}^F)(\mathbf{e}_i+\mathbf{h}_i)+\mathbf{b}$, where $\mathbf{h}_i$ is linear in the counts. *Exactly* $N_i \mathbf{e}_i$ on every grid it is not
(proved): both sides are affine in the counts, so $(\mathbf{I}+\mathbf{W}^F)\mathbf{e}_i+\mathbf{b}=0$ for nine colours and $\mathbf{I}+\mathbf{W}^F$ has rank at most 2, while nine counts need rank 9.

But counting needs no exact output. With $\mathbf{W}^V=L\,\mathbf{I}$ and $\mathbf{W}^F=(1/L-1)\,\mathbf{I}$ it is $(N_i+1/L)\,\mathbf{e}_i$, which rounds to $N_i$ for every {term}`gain` $L > 2$ (proved for every size, in exact arithmetic).
"""

# %%
for gain in (2.5, 10, 1e3, 1e6):
    made = by_hand.through_residuals(gain)
    whole = [accuracies(made, side, 200, capped=False).grids[0] for side in (6, 20, 50, 100)]
    print(f"L = {gain:9,}: whole grids right:", *(f"{share:.0%}" for share in whole))

# %% [markdown]
"""
(count-iterative)=
### Counting one by one stops at the depth

§III-D: a transformer that counts a cell a layer stops at its number of layers. In such a counter each layer attends, with {term}`hard attention <hardmax>`, to the first cell of the
colour after a pointer, and a feed-forward part adds 1 if there is one.
"""

# %%
def iterative(cells, colour, layers):
    pointer, count, place = -1, 0, np.arange(len(cells))
    for _ in range(layers):
        scores = (cells == colour) + 1.0 * (place > pointer) - place / len(cells) ** 2
        attended = place[scores.argmax()]                      # hard attention
        if cells[attended] == colour and attended > pointer:
            pointer, count = attended, count + 1
    return count


draw = np.random.default_rng(0)
flat = [cells for side in range(1, 9) for cells in grids.random_grids(side, 10, draw)]
queries = [(cells, colour, L) for cells in flat for colour in range(10) for L in (1, 3, 12)]
off = sum(iterative(c, colour, L) != min(L, (c == colour).sum()) for c, colour, L in queries)
print(f"{off} of {len(queries)} counts differ from min(N, L)")

# %% [markdown]
"""
It returns $\min(N, L)$ (proved for every length): each layer moves the pointer to that cell and adds 1, or adds nothing. The bound holds for counters that add at most 1 a layer, not for transformers: one layer
without softmax counts everything at once.

(count-ln-identity)=
### The identity that normalization cannot be

**Theorem** (proved for every network). On vectors uniform in $[-a, a]^5$ the mean squared error of LayerNorm-Identity is at least $a^2/15$: $1/60$ in training, $1/15$ in the test.

*Proof.* A normalized vector has sum 0, so the outputs $\gamma\odot\mathrm{LN}(\cdot)+\beta$ lie in a hyperplane $\mathbf{n}\cdot\mathbf{y}=c$ with a unit normal $\mathbf{n}$. (It is $1/\gamma$ scaled, or $\mathbf{e}_i$ if some $\gamma_i = 0$.)
Then $|\mathbf{x}-\mathbf{y}|^2\ge(\mathbf{n}\cdot\mathbf{x}-c)^2$, whose mean is at least the variance of $\mathbf{n} \cdot \mathbf{x}$, which is $a^2/3$ for every unit vector. The loss divides by 5. $\square$

More holds where $\beta = 0$ and all $|\gamma_i| = g$, as nearly in these runs. A normalized vector has the length $\sqrt{5\sigma^2/(\sigma^2+\epsilon)}$, so with $r=\sqrt5\,g$ the outputs lie *on* a sphere of radius $r$ if
$\epsilon = 0$ and *inside* it if $\epsilon > 0$. Its nearest point leaves

$$
\tfrac{1}{15} a^2 + \tfrac15 \mathbb{E} \bigl(|\mathbf{P}\mathbf{x}| - r\bigr)^2 \ \text{(sphere)}, \qquad
\tfrac{1}{15} a^2 + \tfrac15 \mathbb{E} \max\bigl(|\mathbf{P}\mathbf{x}| - r, 0\bigr)^2 \ \text{(ball)} .
$$
"""

# %%
radius = best_radius(0.5)
sphere = [sphere_floor(radius, reach) for reach in (0.5, 1.0)]
print("sphere, best radius: ", *(f"{loss:.5f}" for loss in sphere))
print("plane:               ", *(f"{plane_floor(reach):.5f}" for reach in (0.5, 1.0)))
hidden_below = by_hand.identity_below_root_eps(1e-5)
below = [runs.identity_losses(hidden_below, reach, 2500)[0] for reach in (0.5, 1.0)]
print("by hand, below sqrt(eps):", *(f"{loss:.5f}" for loss in below))

# %% [markdown]
"""
The sphere's floor is {glue:text}`count_sphere` at the radius that suits training best. The ball's falls to
$1/60$ and $1/15$ as the ball grows; encoders by hand approach both *below* $\sqrt\epsilon$.
The short run ends on the sphere. The others, and the paper's pair, lie beyond it, along the ball's floor.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Test loss against training loss of LayerNorm-Identity. Lines: floors of outputs on a sphere and in a ball, as the radius grows from left to right and downwards. The paper's pair, with its spread, and our runs lie on or beside them; the star is the encoder by hand.", "name": "fig-counting-floors"}, "image": {"alt": "Two curves in a plane of losses, with a few points close to them.", "classes": "dark-light"}}
figure, axis = plt.subplots()
radii = np.linspace(0.3, 2.2, 60)
for floor, name in ((sphere_floor, "floor on a sphere"), (ball_floor, "floor in a ball")):
    axis.plot(*([floor(r, reach) for r in radii] for reach in (0.5, 1.0)), label=name)
axis.errorbar(0.0174, 0.1147, xerr=0.0019, yerr=0.0069, fmt="o", color="#999999", label="paper")
for row, marker in zip(learners[1:], "s^v"):
    words = runs.described(row["configuration"]).partition(", ")[2]
    axis.plot(*runs.identity_pair(row), marker, label=words)
axis.plot(*below, "*", ms=12, label="by hand")
axis.set(xlabel="training loss", ylabel="test loss", xlim=(0.016, 0.026), ylim=(0.06, 0.17))
axis.legend(fontsize=8)
glue("count_sphere", " / ".join(f"{loss:.4f}" for loss in sphere))
claims.settle("iterative", here=f"{off} of {len(queries)}", agrees=off == 0)
claims.settle("arc", here=by_average, agrees=by_average < solved)

# %% [markdown]
"""
## Measured against the paper
"""

# %% tags=["hide-input"]
for name, short in SHORT.items():
    cells, loss = runs.percent(tables[name])[:8], tables[name]["result"]["losses"]
    gap, is_one = np.abs(cells.mean(1) - TABLE_I[name]), cells.shape[1] == 1
    draws = 100 * np.array([sampling_error(runs.kept(tables[name]), side) for side in SIZES])
    near, jointly = (gap <= (5 if is_one else predicted_width(cells, draws, quantiles))
                     for quantiles in (AT_EACH_SIZE, AT_EIGHT_JOINTLY))
    glue(f"count_near_{short}", int(near.sum())), glue(f"count_joint_{short}", int(jointly.sum()))
    still = f"{np.mean(loss[-1]) / np.mean(loss[9]):.0%}"       # the last of 20 parts to the 10th
    glue(f"count_still_{short}", still), glue(f"count_gap_{short}", f"{gap.max():.1f}")
    paper, here = (" / ".join(f"{values[j]:.1f}" for j in (0, 2, 4, 7))
                   for values in (TABLE_I[name], cells.mean(1)))
    short_of = (f"{near.sum()} of 8 sizes, jointly {jointly.sum()}, largest gap {gap.max():.1f};"
                f" training is unfinished: over its second half our loss still fell to {still}")
    claims.settle("table-1: one seed" if is_one else "table-1: each encoder", paper=paper,
                  here=here, agrees=bool(near.all()), settles=short, short=short,
                  source=run.source, note="" if gap.max() == 0 else
                  "the answer 2 passes too: it shows no learning" if is_one else short_of,
                  **{"steps": f"{steps[name]:,}"} if is_one else {})
rise = free["zeros"][7] - free["zeros"][0]
claims.settle("table-1", here=f"{rise:.1f}", agrees=rise > 5)
whole_grids = runs.percent(tables["No-LayerNorm-Count"], "grids").min()
claims.settle("table-1: to 100x100", here=f"{whole_grids:.0f}", agrees=whole_grids == 100,
              source=run.source)

# %% tags=["hide-input"]
least, other = patterns[:, own].min(1), patterns[:, ~own].max()
claims.settle("table-3", here=f"{least.mean():.2f} / {other:.3f}",
              agrees=bool(abs(least.mean() - 0.96) <= predicted_width(least)
                          and other < 5e-3 / 0.23),
              source=run.source,
              note=f"five seeds, all perfect, have {least.min():.2f} to {least.max():.2f}")
for row in learners:
    name, falls = row["configuration"]["name"], row["configuration"]["schedule"] == "cosine"
    paper, here = (" / ".join(f"{loss:.3g}" for loss in pair)
                   for pair in ([mean for mean, _ in TABLE_II[name]], runs.identity_pair(row)))
    claims.settle("table-2", here=here, paper=paper, source=run.source,
                  agrees=is_within_spread(name, runs.identity_pair(row)),
                  quantity=runs.described(row["configuration"]), settles="" if falls else name,
                  conditions="falling rate, other number of steps" if falls else "")
expected = {"fatal": {"softmax", "dropout", "LN after both"},
            "in distribution": {"LN after attention", "LN after feed-forward", "residuals"},
            "harmless": {"nothing", "attention biases", "no feed-forward"}}
for kind, least in expected.items():
    names = [name for name, row in swept.items() if runs.verdict(row) == kind]
    claims.settle("factors", here="; ".join(names), agrees=least <= set(names), settles=kind,
                  source=factors.source, criterion=f"{', '.join(sorted(least))} among them",
                  kind=kind)

# %% tags=["hide-input"]
through = {"LN after attention": by_hand.below_root_eps(1e-9), "residuals": made,
           "LN after feed-forward": by_hand.beside_black(1e-9)}
for name, model in through.items():
    share = min(accuracies(model, side, 200, capped=False).grids[0] for side in (6, 20, 100))
    claims.settle("hiding", here=f"{100 * share:.0f}", agrees=share == 1, settles=name,
                  truth=PROVED if name == "residuals" else MEASURED, which=name)
ratios = [loss / plane_floor(reach) for loss, reach in zip(below, (0.5, 1.0))]
claims.settle("ln-identity", here=" / ".join(f"{ratio:.2f}" for ratio in ratios),
              agrees=max(abs(r - 1) for r in ratios) < 0.01)
for name, plots, plot in zip(NORMED, ("Figs. 2, 3", "Figs. 5, 6"), ("Fig. 4", "Fig. 7")):
    place = {"cell": "count-figures", "settles": SHORT[name], "source": run.source}
    near, far = misplaced[name, 6], misplaced[name, 15]
    claims.settle("figures: misplaced", here=f"{near:.2f} / {far:.2f}", agrees=near < 0.15 < far,
                  quantity=f"{SHORT[name]}: share of counts misplaced, 6x6 / 15x15",
                  printed=plots,
                  **place)
    right, wrong, order = above(name)
    shares = " / ".join(f"{100 * a.min():.0f}–{100 * a.max():.0f}" for a in (right, wrong))
    claims.settle("figures: deviation", here=shares, agrees=bool(right.max() < 0.5 < wrong.min()),
                  quantity=f"{SHORT[name]}: % above .001 before LN, right / wrong cells",
                  plot=plot, order=f"{order:.3f}", **place)
claims.table()

# %% [markdown]
"""
## Exercises

**1 (compute).** An output $y$ is dropped with probability .1 and otherwise divided by .9. Which $y$ has the least squared error against $N$ on average, and up to which $N$ does it round to $N$, ties to even?
"""

# %%
# try: the largest such N in place of the dots
check("5.1", ...)

# %% tags=["hide-cell"]
# The mean of (m y - N)^2 with E m = 1 and E m^2 = 1 / 0.9 is least at y = 0.9 N.
largest = max(N for N in range(20) if round(0.9 * N) == N)
print("y = 0.9 N rounds to N up to", largest)
check("5.1", largest)

# %% [markdown]
"""
**2 (modify).** Build LayerNorm-FF-Count by hand, as `by_hand.below_root_eps` builds LayerNorm-SA-Count, and count to 100x100. What makes room for nine colours?
"""

# %%
# try: by_hand.by_hand(Ablation(norms=("feed-forward",)), Q=..., K=eye, ...)
check("5.2", ...)

# %% tags=["hide-cell"]
beside = by_hand.beside_black(1e-9)
assert accuracies(beside, 100, 200, capped=False).grids[0] == 1
print("right at 100x100: the coordinate of black, which nobody asks for, takes up the mean")
check("5.2", beside)

# %% [markdown]
"""
**3 (prove or refute).** "A softmax layer without positions cannot count even if all grids are 6x6."

<p class="guess">proved|refuted</p>
"""

# %%
# try: "proved", or a layer that counts: by_hand.by_hand(Ablation("softmax", ...), ...)
check("5.3", ...)

# %% [markdown]
"""
:::{dropdown} Solution
Refuted. With $\mathbf{W}^Q = 0$ every cell receives the ten proportions $p_j=N_j/36$. With a residual connection it holds $x_j+p_j$: at most 1 for other
colours, $1+p_j$ for its own. A ReLU unit $36\max(0,x_j+p_j-1)$ for each colour but black gives the count; ten more take away what the second residual connection adds. What is impossible is one such layer for *all* sizes.
:::
"""

# %% tags=["hide-cell"]
count = 36 * eye * (torch.arange(10) > 0)
by_softmax = by_hand.by_hand(
    Ablation("softmax", (), "ReLU", residuals=True, hidden=20), V=eye, O=eye,
    F1=torch.cat([eye, eye]), F1_bias=-1.0 * (torch.arange(20) < 10),
    F2=torch.cat([count, -eye], dim=1))
assert accuracies(by_softmax, 6, 200).grids[0] == 1
check("5.3", by_softmax)

# %% [markdown]
"""
## What next

Chapter 6 runs any program on averages.

### Since then

A first-order logic with counting {cite}`chiang2023` bounds encoders from both sides: they recognise all that it defines; those of fixed precision, nothing else.

Yang and Chiang {cite}`yang2024` compile C-RASP, a language of counts, into softmax transformers with future masks and no positions, right at every length.

Rounded to fixed precision except inside attention, such transformers express exactly what C-RASP does, depth for depth {cite}`yang2025`. Deeper programs express more, so deeper transformers of this kind do.
"""
