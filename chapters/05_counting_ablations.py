# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Counting: which layers forget how many

*Three of nine squares are coloured. Double the picture in both directions, and twelve of thirty-six are coloured. An average cannot see the difference, because both are a third. Can a network that averages count at all?*

**In one sentence:** a layer that adds can count exactly; one that averages forgets how many things it averaged, but an extra token that never changes lets it count up to any fixed number, on grids up to any fixed size.

Counting is part of many tasks: checking that a list has ten entries, or that as many brackets close as open. The usual kind of small transformer did not learn it {cite}`ouellette2023`.
"""

# %% tags=["hide-input"]
import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from chapters.common.judge import check
from chapters.counting_ablations import answers, by_hand
from chapters.counting_ablations.answers import PAINT, TABLE_I, read, softmax_encoder, written
from chapters.counting_ablations.grids import COLOURS, by_colour, enlargement
from chapters.counting_ablations.layer import Ablation, Counters
from chapters.counting_ablations.train import SIDES, accuracies, count_batches, fit
from record.notebook import REFERENCE, glue, markdown_table, use_style
from chapters.counting_ablations import runs as ouellette
from chapters.counting_ablations.runs import FACTORS
from record.runs import stored

use_style()

# %% [markdown]
r"""
## The task

Here are two grids. The smaller one has nine squares. Its colours are numbered from 0 to 9. Colour 0 is called *black*, is drawn as an empty square, and is not counted. A network should write into each square how many squares have its colour. Three squares have colour 6, so each of them should get a 3.

The larger grid repeats each square two by two. We call it the **enlargement** of the smaller one. Twelve of its squares have colour 6, so each of them should get a 12.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A grid and its enlargement have the same shares and different counts.* In each square is the number that the network must write.", "name": "fig-counting-copy"}, "image": {"alt": "A grid of three by three coloured squares with the counts 3, 2, 1 and 0, and beside it the grid of six by six in which each square is repeated two by two, with the counts 12, 8, 4 and 0; under both the share of colour 6, one third.", "classes": "dark-light"}}
grid = [[6, 6, 0], [3, 7, 0], [4, 3, 6]]
figure, axes = plt.subplots(1, 2, figsize=(5.2, 2.9))
for axis, title, squares in zip(axes, ("a grid", "its enlargement"), (grid, enlargement(grid))):
    squares, width = np.array(squares), len(squares)
    for (row, column), colour in np.ndenumerate(squares):
        fill, count = answers.FILLS[colour], (squares == colour).sum() if colour else 0
        axis.add_patch(Rectangle((column, row), 1, 1, facecolor=fill, edgecolor="#777777"))
        is_dark = colour and np.dot(to_rgb(fill), (0.299, 0.587, 0.114)) < 0.4
        axis.text(column + 0.5, row + 0.5, count, ha="center", va="center",
                  size=15 if width < 5 else 9, color="white" if is_dark else "black")
    axis.set(xlim=(-0.03, width + 0.03), ylim=(width + 0.03, -0.03), aspect="equal")
    axis.set(xticks=[], yticks=[])
    axis.spines[:].set_visible(False)
    axis.set_title(title, loc="center")
    own = (squares == 6).sum()
    axis.set_xlabel(f"share of colour 6: {own} / {squares.size} = {own / squares.size:.3f}")

# %% [markdown]
r"""
The network sees each square as a {term}`one-hot` vector: ten numbers, with a 1 at the place of the colour and zeros elsewhere. We write $\mathbf{e}_6$ for the vector of a square of colour 6. It does not say where the square is: there are no positions. A vector that a network reads is called a **token**.

The network also writes ten numbers into each square. The square is right if all ten are right after rounding: the count at the place of its colour, and 0 at the other places. A black square should get ten zeros.

Ouellette, Pfister and Jud {cite}`ouellette2023`, who trained small transformers on this task, argue that the usual kind is *architecturally unable* to learn to count in a way that carries over to larger grids, because softmax and layer normalization rescale as if quantity did not matter. Boxes below prove forms of this claim and state their conditions. (There, *for every length* means for every number of squares.) We keep two questions apart. What can a layer *never* do, whatever its **parameters** (the numbers in its matrices)? And which parameters does *training* not find?

## Counting by adding

In attention, each square gives every square an **attention weight**, and then receives the sum of all squares' vectors, each multiplied by its weight.

Suppose that a square gives the weight 1 to each square of its own colour, and 0 to all others. A square of colour 6 then receives $\mathbf{e}_6 + \mathbf{e}_6 + \mathbf{e}_6 = 3\,\mathbf{e}_6$, the correct answer.

Let $\mathbf{x}_i$ be the vector of the square $i$. The product $\mathbf{x}_i \cdot \mathbf{x}_j$ of two one-hot vectors is 1 if the colours are the same, and 0 if they are not. So let the square $i$ receive

$$
\mathbf{y}_i = \sum_j (\mathbf{x}_i \cdot \mathbf{x}_j)\, \mathbf{x}_j .
$$

To leave black out, multiply the product by 0 if the square $i$ is black. We call this **the layer that adds**; it is the paper's Algorithm 1. It counts exactly, on grids of every size. In the code, `enlargement` repeats each square two by two, and `written` shows what each square gets at the place of its colour.
"""

# %%
# try: a grid of your own
grid = [[6, 6, 0], [3, 7, 0], [4, 3, 6]]
adding = by_hand.algorithm_1()  # the layer that adds
print(written(adding, grid))
print(written(adding, enlargement(grid)))

# %% [markdown]
r"""
## Averaging forgets

A usual transformer takes one more step before it adds. It calls the products above **logits** and turns them into attention weights by the **softmax**: each logit $x$ becomes $e^x$, the square's **pull**, divided by the sum of all pulls. These weights sum to 1, so attention averages.

A square that averages over all squares receives the same vector in the grid and in its enlargement: a third of it is $\mathbf{e}_6$ both times. Could a square give its own colour more weight? With learned matrices a logit can be any number for each pair of colours. So let the pull be 10 for a square's own colour and 1 for all others. Of what arrives, its own colour then makes up

$$
\begin{aligned}
\text{in the grid} \quad & \frac{3 \cdot 10}{3 \cdot 10 + 6 \cdot 1} = \frac{30}{36} , \\
\text{in the enlargement} \quad & \frac{12 \cdot 10}{12 \cdot 10 + 24 \cdot 1} = \frac{120}{144} .
\end{aligned}
$$

Both are $\tfrac56$. In the enlargement every vector occurs four times, so numerator and denominator both grow by a factor of four. The factor cancels for any logits, and in every further layer.

:::{admonition} Softmax forgets the count, as Ouellette and others argue
:class: result
Assume that a transformer with softmax reads one token for each square, made from the square's colour alone, that every token attends to all, and that no logit depends on the number of tokens. (In chapter 4 logits are multiplied by $\log n$, and these do carry the size.) Then each square of the enlargement gets the same output as the square that it repeats, at any depth and with any parameters. So, unless all squares are black, at most one of the two grids is counted correctly. *Proved for every length.* [Record](#count-copy)
:::

:::{dropdown} Proof
We show by induction over the layers that all four repetitions of a square have the vector of that square. At the start they do, because their colour is the same.

In a layer, the square $i$ receives $\sum_j e^{l_{ij}} \mathbf{v}_j \big/ \sum_j e^{l_{ij}}$, where the logit $l_{ij}$ and the vector $\mathbf{v}_j$ that $j$ hands over depend only on the vectors of $i$ and $j$. In the enlargement each $j$ occurs four times in both sums, and the 4 cancels. All other parts of a layer work on one square at a time.

The counts of the enlargement are four times those of the grid. So one output cannot be right for both, unless the count is 0. $\square$
:::

**Predict**: PyTorch's own **encoder**, a transformer in which every token attends to every token, reads the grid and its enlargement. It has six layers with random parameters. What does it give the first square of each?

<p class="guess" data-right="1">equal&nbsp;outputs|different&nbsp;outputs</p>
"""

# %% tags=["hide-output"]
# try: another number of layers
encoder = softmax_encoder(layers=6)
small, large = read(encoder, grid), read(encoder, enlargement(grid))
enlarged = small.repeat_interleave(2, 0).repeat_interleave(2, 1)
print("first square of the grid:  ", *(f"{x:.6f}" for x in small[0, 0, :4]))
print("first of the enlargement: ", *(f"{x:.6f}" for x in large[0, 0, :4]))
print(f"largest difference anywhere: {(enlarged - large).abs().max():.0e}")

# %% [markdown]
r"""
Because the theorem holds for all parameters, neither longer training nor more layers can help. Where a grid and its enlargement both occur, softmax keeps the share and *forgets how many*.

## One token that stays the same

An average can reveal a count if part of what is averaged stays the same. So put one more token before the squares, a **start token**, which is always there exactly once. The vector that a token hands over is its **value**, and the start token's value is the zero vector. In RASP {cite}`weiss2021` such a token gives the feed-forward part of a layer access to the count.

Let a square give the start token the same logit as the squares of its colour, and all others a logit so much lower that they carry hardly any weight. A square that is alone with its colour then averages two vectors, its own and the zero vector, and its colour makes up $\tfrac12$ of what arrives. With three squares of the colour its share is $\tfrac34$, with the twelve of the enlargement $\tfrac{12}{13}$, and with $N$ squares

$$
u = \frac{N}{N + 1} ,
$$

a different number for each $N$. Paint squares and compare. The demo draws a three-by-three grid as a single row, and a checkbox adds the start token:

<div class="live" data-live="grid"><p>Three of nine squares have one colour, a third. Repeat each square two by two, and twelve of thirty-six have it, still a third. If a square averages only the squares of its colour and one extra vector, the share of its colour is 3 of 4, and then 12 of 13.</p></div><script type="module" src="../_static/live.mjs"></script>

The **feed-forward part**, which other chapters call the feed-forward network, turns $u$ back into $N$. It maps each square's vector by itself. It is either linear, or it has units $\max(0, x)$, called **ReLU** units, between two linear maps.

One unit is enough for the counts 0 and 1: $2 \max(0, u)$ is 0 at $u = 0$ and 1 at $u = \tfrac12$. At $u = \tfrac23$ it gives $\tfrac43$, but the count is 2, so a second unit adds $4 \max(0, u - \tfrac12)$: 0 up to $u = \tfrac12$, the missing $\tfrac23$ at $u = \tfrac23$. Each further unit bends the line once more. With $K$ units for each colour, the line passes through the points $(\tfrac{N}{N+1}, N)$ up to $N = K$.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*One bent line turns each share back into its count.* The line for counts up to four. It bends at the dots of 0 to 3. After the last dot it runs straight on, below the hollow dots of larger counts.", "name": "fig-counting-bent"}, "image": {"alt": "A line of four straight pieces that rises ever more steeply through dots at the shares 0, one half, two thirds, three quarters and four fifths, at heights 0 to 4, and then runs straight on below hollow dots at the heights 5 to 8.", "classes": "dark-light"}}
figure, axis = plt.subplots(figsize=(4.6, 2.7))
counts, beyond = np.arange(5), np.arange(5, 9)
shares = counts / (counts + 1)
axis.plot(shares, counts, "o-")
steepest = 4 * 5  # of the last piece
ends = [(-0.1, 0), (0, 0)], [(shares[-1], 4), (1, 4 + steepest * (1 - shares[-1]))]
axis.add_collection(LineCollection(ends, colors="C0"))
axis.scatter(beyond / (beyond + 1), beyond, s=30, facecolors="none", edgecolors="C0")
axis.set(xlabel="share of the own colour in what arrives", ylabel="count", xlim=(-0.1, 1))
axis.set(yticks=range(9), ylim=(-0.4, 8.4));

# %% [markdown]
r"""
:::{admonition} A start token, and a limit that Ouellette and others argue for
:class: result
Fix a number $K$ and a largest grid size. Then some softmax layer with a start token counts up to $K$ on all grids up to that size.

For the limit, take a softmax transformer in which every token attends to all and no logit depends on the number of tokens. Let the vectors that it reads be bounded, and let whatever works on one token at a time (feed-forward parts and normalization) be continuous. Then no fixed parameters count at every size, even with further tokens, if these do not depend on the colours. *Proved for every length.* [Record](#count-start)
:::

:::{dropdown} Proof
*Up to $K$ and a fixed size.* Let $g(u) = \sum_{k=0}^{K-1} 2(k+1)\, \max\bigl(0, u - \tfrac{k}{k+1}\bigr)$. Between the points of $N - 1$ and $N$ its slope is $2 + 4 + \dots + 2N = N(N+1)$, and these points are $\tfrac{1}{N(N+1)}$ apart. So $g$ grows by 1 from each point to the next, and $g(\tfrac{N}{N+1}) = N$. Let a square's own colour and the start token have the logit $G$ (for a black square the start token alone), and all other squares the logit 0. As $G$ grows, the shares that a square of a counted colour receives tend to $\tfrac{N}{N+1}$ for its own colour and to 0 for the others, and the shares that a black square receives tend to 0. Because $g$ is continuous and there are finitely many grids up to the fixed size, all outputs round to the counts for some $G$.

*Not at every size.* By induction over the layers, all vectors stay in a bounded and closed set, because averages, sums and continuous images do. (Layer normalization, which comes next, is continuous if an $\epsilon > 0$ is added to the variance.) So all logits lie between some $-B$ and $B$, and two squares among $M$ weigh at most $2e^{2B}/M$. Change two squares from black to the colour of one other square. By induction the vectors of the remaining squares change by less and less as $M$ grows, because a continuous map on a bounded and closed set is uniformly continuous. But the count of that other square went from 1 to 3, so its output must change by at least 1. $\square$
:::

Here is such a layer, written by hand. Its pull is 1 for squares of the same colour and for the start token, and $e^{-40}$ for all others. (A black square looks at the start token only.) What percentage of whole grids does it get right? The grids are random: about four squares in five are coloured, and all nine colours are equally likely. A grid of $12 \times 12$ has about 13 squares of each colour, one of $20 \times 20$ about 36, and one of $100 \times 100$ about 890.
"""

# %%
# try: another largest count K, or other sides (capped=False: grids as just described)
for largest in (36, 400):
    model = by_hand.with_start_token(largest)
    for side in (6, 12, 20, 100):
        share = accuracies(model, side, grids=100, capped=False).grids[0]  # of whole grids
        print(f"K = {largest}, {side}x{side}: {share:.0%}")

# %% [markdown]
r"""
On these grids each layer is right as long as no colour has more than about $K$ squares. *One token that never changes remembers how many.* We have not tested whether training finds such a layer.

:::{dropdown} Why the size must be fixed as well as K
Softmax gives no square the weight 0, so our shares $\tfrac12$ and $\tfrac23$ hold only while the other squares, $e^{-40}$ each, are negligible. But $10^{18}$ of them add up to $4.2$. Among so many black squares, five squares of a colour receive the share $5 / (5 + 1 + 4.2) = 0.49$, and our bent line turns it into a 1.
:::

## Normalization forgets, too

Softmax lost the count because it divides by a sum that grows with the grid. A usual transformer divides in a second place: **layer normalization** subtracts from the ten numbers of a square their mean, and divides them by their standard deviation. Does the count survive that?

Compare a square of colour 6 that has added up three squares with one that has added up twelve. The first holds a 3 at the place of 6, and nine zeros. The mean of these ten numbers is $0.3$ and their standard deviation is $0.9$. Normalized, the place of 6 holds

$$
\begin{aligned}
\text{after three squares} \quad & \frac{3 - 0.3}{0.9} = 3 , \\
\text{after twelve} \quad & \frac{12 - 1.2}{3.6} = 3 .
\end{aligned}
$$

The zeros become $-\tfrac13$ both times. Three and twelve have become the same vector. In fact *every* count $N$ above 0 becomes 3: the standard deviation is $0.3\,N$, so dividing by it removes the count.

### A way around

Computers leave a gap, because they divide by $\sqrt{\text{variance} + \epsilon}$, where $\epsilon = 10^{-5}$ avoids a division by 0. When the variance is negligible compared with $\epsilon$, they divide by nearly the same number whatever the count.

So let attention shrink the counts before they are normalized: each square hands over its vector times a small number $\delta$. With $\delta = 10^{-5}$ a count of three becomes $0.00003$. We subtract the mean, $0.000003$, and divide by $\sqrt\epsilon = 0.003162$. The place of colour 6 now holds $0.00854$, and the place of black, which held a 0 before, $-0.00095$. After the normalization, the feed-forward part multiplies the difference of these two, $0.00949$, by $\sqrt\epsilon / \delta = 316$, and the 3 is back. From a count of twelve all these numbers are four times as large, and 12 comes back.

:::{admonition} Normalization, and a way around
:class: result
Take a layer that adds (with any four matrices for queries, keys, values and what comes out of attention), normalizes after attention and then has a linear feed-forward part. Assume that attention has no biases, and that there are no {term}`residual connections <residual connection>` (which come below).

If $\epsilon = 0$, the layer cannot tell a grid from its enlargement, whatever its parameters. (Ten equal numbers have the standard deviation 0; we let them become zeros.) If $\epsilon > 0$, then for each $\delta > 0$ there are parameters with which the layer writes, into a coloured square whose colour has $N$ squares, the number

$$
\frac{N}{\sqrt{1 + 0.09\, \delta^2 N^2 / \epsilon}} .
$$

This differs from $N$ by at most $0.045\, \delta^2 N^3 / \epsilon$, so it rounds to $N$ as long as $N^3 < 11\, \epsilon / \delta^2$. For $\delta$ small enough, the layer therefore counts up to any number fixed beforehand. No fixed parameters count at every size. *Proved for every length.* [Record](#count-hiding)
:::

:::{dropdown} Proof
Attention without softmax and without biases adds, so in the enlargement each square receives four times what it receives in the grid. With $\epsilon = 0$, normalization maps a vector and four times this vector to the same result, zeros included. Everything after it, its factors and biases included, is the same too.

Let $\epsilon > 0$. The layer that adds, shrunk by $\delta$, holds $\delta N$ at the place $i$ of the square's colour, and 0 at nine places. The mean is $\delta N / 10$ and the variance is $\delta^2 N^2 (\tfrac1{10} - \tfrac1{100}) = 0.09\, \delta^2 N^2$. The feed-forward part subtracts from every place the number at the place of black, which is minus the mean, normalized. This puts the mean back: $\delta N$ at $i$ and 0 elsewhere, divided by $\sqrt{0.09\,\delta^2 N^2 + \epsilon}$. Multiplied by $\sqrt\epsilon / \delta$, this is the formula. A black square receives nothing and holds 0.

Let $x = 0.09\, \delta^2 N^2 / \epsilon$. Because $1/\sqrt{1 + x} \ge 1 - x/2$, the number differs from $N$ by at most $N x / 2 = 0.045\, \delta^2 N^3 / \epsilon$. This is less than $\tfrac12$ if $N^3 < \tfrac{100}{9}\, \epsilon / \delta^2$, and $\tfrac{100}9 > 11$.

A normalized vector of ten numbers is at most $\sqrt{10}$ long. So whatever fixed parameters compute from it is bounded, and counts are not. $\square$
:::

The figure draws this number for three values of $\delta$, and for $\epsilon = 0$:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The smaller the counts are made before the normalization, the later it flattens them.* The number that the layer writes, against the count. Dashed: with ε = 0 the layer writes one number for every count. If the feed-forward part multiplies by 1, this number is $3\\tfrac13$: the 3 from above minus the $-\\tfrac13$ at the place of black.", "name": "fig-counting-flattened"}, "image": {"alt": "Four labelled curves over counts from 0 to 40: a flat line for epsilon 0, a curve that soon flattens near 10, one that flattens later, and one that stays on the diagonal.", "classes": "dark-light"}}
figure, axis = plt.subplots(figsize=(4.8, 3.2))
counts = np.linspace(0, 40, 200)
for delta in (1e-3, 3e-4, 1e-5):
    passed = counts / np.sqrt(1 + 0.09 * (delta * counts) ** 2 / 1e-5)
    axis.plot(counts, passed, label=f"δ = {delta:f}".rstrip("0"))
axis.axhline(10 / 3, **REFERENCE, label="$\\epsilon = 0$: $3\\frac{1}{3}$")
axis.set(xlabel="count", ylabel="what the layer writes", xlim=(0, 40), ylim=(0, 40))
axis.legend();

# %% [markdown]
r"""
The paper's clearest case against normalization is not about counting: a network should return the five numbers that it is given. Without a normalization at its end it does so even beyond the range of its training. With one, no parameters bring the mean squared error below 1/60 even in that range ([proof](#count-ln-identity)). The authors conclude that normalization ties a network to what it was trained on.

### A residual connection

A usual transformer has residual connections, too. One adds the vector that went into attention to the result of attention, and another does the same around the feed-forward part. This harms the count, because what is carried along is added to it: a square of colour 6 that has counted three holds $\mathbf{e}_6 + 3\,\mathbf{e}_6$, and 4 is wrong.

Make the count loud. Let attention multiply by 1000, so that the square holds $\mathbf{e}_6 + 3000\,\mathbf{e}_6$. Let the feed-forward part compute $-0.999$ times that. Its own residual connection adds what went in, so a thousandth is left, $0.001\,\mathbf{e}_6 + 3\,\mathbf{e}_6$, and $3.001$ rounds to 3. With a factor $L$ instead of 1000 the layer writes $N + 1/L$, which rounds to $N$ for every $L > 2$, on grids of every size ([record](#count-residual)).

*A count passes a normalization if it whispers, and a residual connection if it shouts*: a normalization lets it through if it is small compared with $\sqrt\epsilon$, a connection if it is large compared with what the connection adds. We do not know what a layer with both can do.

## Impossible, or hard to learn?

So far we have chosen the parameters. Does training find them? The paper puts learned matrices into the layer that adds. Attention gets four: it forms $\mathbf{W}^Q\mathbf{x}_i \cdot \mathbf{W}^K\mathbf{x}_j$ instead of $\mathbf{x}_i \cdot \mathbf{x}_j$, its values are $\mathbf{W}^V\mathbf{x}_j$, and $\mathbf{W}^O$ is applied to the sum. The result goes into the feed-forward part, which is linear. We call this the **learned layer**.

Then the paper puts layer normalization back, after attention or after the feed-forward part. A learned normalization ends with one more step: it multiplies each number by a learned factor $\gamma$, and adds a learned number, a **bias**.

Training begins with random parameters and changes them in many small **steps**, each of which should lower the squared error on fifty random grids. We train three layers, live: one without normalization, and one with normalization (`LN`) in either place. Each is trained twice, for 2000 steps, on grids of one to six squares a side. The output shows the percentage of squares that are right (`cells` in the code), averaged over the two runs.

We test on the paper's grids, of which the larger ones have more black squares than the grids above. Writing 0 everywhere is right on black squares. At $20 \times 20$ this alone gives {glue:text}`count_lesson_zeros`, the percentage to beat.

**Predict**: on grids of 6 by 6, the layer that is normalized after attention is right on more than nine tenths of the squares. How well does it do on 20 by 20?

<p class="guess" data-right="3">as&nbsp;well|right&nbsp;on&nbsp;about&nbsp;two&nbsp;thirds|no&nbsp;better&nbsp;than&nbsp;0&nbsp;everywhere</p>
"""

# %% tags=["hide-output"]
# try: another number of steps, or of seeds
live = {}
for name in ("nothing", "LN after attention", "LN after feed-forward"):
    runs = Counters(FACTORS[name], seeds=range(2))  # two runs of the layer with that part added
    fit(runs, count_batches(runs), steps=2000, rate=1e-2, cosine=2000, keeps_best=False)
    live[name] = {side: accuracies(runs, side).cells for side in (6, 10, 20)}
    print(f"{name:21}", *(f"{side}x{side} {x.mean():6.1%}  " for side, x in live[name].items()))
zeros = [f"{side}x{side} {answers.free_answer(side, 0):6.1%}  " for side in (6, 10, 20)]
print(f"{'0 everywhere':21}", *zeros)

# %% [markdown]
r"""
The next figure shows these layers after the paper's 300,000 steps, and with them the **standard encoder**, the usual transformer layer: softmax, biases, ReLU units, normalization in both places, residual connections, and **dropout**, which sets a random tenth of the numbers to 0 during training and divides the others by 0.9.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Learned layers that normalize do well on the sizes that they were trained on, but on the largest grids they hardly beat writing 0 everywhere, or do worse.* The standard encoder, which averages, does not count well on any size. Thick lines: the mean of our five runs of the paper's training (for the standard encoder on up to five squares a side, the first run alone). Thin lines: the single runs. Dots: what the paper prints, from six squares a side on. Dashed: 0 in every square, without any network. Grey: the sides of the training grids.", "name": "fig-counting-sizes"}, "image": {"alt": "Four labelled curves over grid sides 1 to 20: the layer that adds stays at 100 percent, the two normalized layers are near 100 up to side 6 and then fall to about 30, the standard encoder is near 50 on small grids and soon close to a dashed line for zeros everywhere.", "classes": "dark-light"}}
rows = stored("counting_std").results + stored("counting_tables").results
tables = {row["configuration"]["name"]: row for row in rows}
figure, axis = plt.subplots(figsize=(6.8, 3.8))
small, sides = [*range(1, 6)], [*ouellette.SIZES[:8]]
for name, printed in TABLE_I.items():
    learned, paint = ouellette.kept(tables[name]), PAINT[name]  # the small sides are not stored
    means = [100 * accuracies(learned, side).cells for side in small]
    measured = ouellette.percent(tables[name])[:8]
    axis.plot(sides, printed, "o", markersize=4, color=paint)
    axis.plot(small, means, linewidth=0.9, color=paint)
    axis.plot(sides, measured, linewidth=0.9, color=paint)
    whole = [*np.mean(means, axis=1), *measured.mean(1)]
    axis.plot(small + sides, whole, linewidth=2.4, color=paint)
free = [100 * answers.free_answer(side, 0) for side in small + sides]
axis.plot(small + sides, free, **REFERENCE, zorder=3)
for name, (x, y, side, said) in answers.PRINTED["labels"].items():
    paint = PAINT.get(name.partition(",")[0], REFERENCE["color"])
    axis.text(x, y, said, color=paint, fontsize=9, ha=side, va="center")
axis.axvspan(1, 6, color="#888888", alpha=0.15, linewidth=0)
axis.set(xlabel="squares on a side of the grid", ylim=(0, 110), xlim=(0.7, 20.6))
axis.set(ylabel="squares right (%)")
axis.set_xticks([1, 3, 6, 8, 10, 12, 15, 20]);  # as many as a phone has room for

# %% tags=["hide-input"]
standard = tables["Std-Transformer-Count"]
digits = [answers.share_answered(ouellette.kept(standard), 6, count) for count in (1, 2, 3)]
assert 0.999 < sum(digits) < 1 and digits[0] > digits[2]
glue("count_lesson_standard", f"{ouellette.percent(standard)[0].mean():.0f} %")
glue("count_lesson_twos", f"{digits[1]:.0%}".replace("%", " %"))
assert round(np.mean([answers.mean_count(side) for side in SIDES])) == 2
assert all((abs(ouellette.percent(tables[name])[:8].mean(1) - printed) < 7).all()
           for name, printed in TABLE_I.items())  # from the paper's
glue("count_lesson_zeros", f"{100 * answers.free_answer(20, 0):.0f} %")
ten = ouellette.SIZES.index(10)
glue("count_lesson_ten", f"{ouellette.percent(tables['LayerNorm-SA-Count'])[ten].mean():.0f} %")
glue("count_lesson_ten_live", f"{live['LN after attention'][10].mean():.0%}".replace("%", " %"))
assert answers.black_right(ouellette.kept(tables["LayerNorm-SA-Count"]), 20).min() == 1
assert answers.black_right(ouellette.kept(tables["LayerNorm-FF-Count"]), 20).min() < 0.9

# %% [markdown]
r"""
Without normalization, training does find a layer that counts: it is right on every grid that we tried, as the paper found on grids up to 100 by 100. With normalization, fewer squares are right on grids larger than those of training. How many depends on the training: at $10 \times 10$, the layer normalized after attention is right on {glue:text}`count_lesson_ten_live` of the squares after the live training, and on {glue:text}`count_lesson_ten` after 300,000 steps. But at $20 \times 20$ neither normalized layer beats writing 0 by more than a few points ([record](#count-table-1)).

On small grids the normalized layers seem to take the way around. On these grids $\epsilon$ is larger than the variance, so the divisor $\sqrt{\text{variance} + \epsilon}$ is nearly constant ([record](#count-equation-3)). Nothing in training on small grids calls for a $\delta$ that also works on large ones. On large grids, most of the squares counted incorrectly have a large standard deviation before the normalization, as the paper observed ([record](#count-figures)).

The standard encoder does not even learn the grids of six by six, where it gets {glue:text}`count_lesson_standard`. The network of its first run, the only one that we stored, writes a 2 into {glue:text}`count_lesson_twos` of the coloured squares, and a 1 or a 3 into almost all others. The mean count in training also rounds to 2. This network has learned which squares are black, and little more than one number. (The other four runs ended with a lower loss.)

### One part at a time

What does each part of the standard encoder do by itself? The table answers our two questions side by side. Each row changes one thing in the learned layer. (*Biases in attention* are learned numbers added to what its four matrices give.) Each layer is trained for 10,000 steps, three times at each of four **learning rates**, which set the size of a step. *Yes* means that some rate gets at least 999 squares in a thousand right at every size from 6x6 up to 10x10. *No* means that no rate gets more than four fifths of them right at 6x6. Everything else is *partly* ([record](#count-factors), with the percentages).
"""

# %% tags=["remove-input"]
swept = {row["configuration"]["name"]: row for row in stored("counting_factors").results}
trained = ouellette.kept(swept["dropout"])
three = by_colour([[[0, 3] + [0] * 8]])  # cells of one colour, alone in the grid
glue("count_lesson_dropped", f"{trained(three.x, three.weight)[:, 0, 1, 1].mean():.2f}")
black = answers.black_right(trained, 20)
glue("count_lesson_dropout_black", f"{(black < 0.9).sum()} of {len(black)}")
trained.parameters()["Q"].data[:, :, 0] = 0  # black squares attend to nothing
assert answers.black_right(trained, 20).min() == 1
found = {"harmless": "yes", "in distribution": "partly", "fatal": "no"}
markdown_table(("what is changed", "are there parameters that count?", "does training find them?"),
               [[said, known, found[ouellette.verdict(swept[name])]]
                for name, (said, known) in answers.PARTS.items()])

# %% [markdown]
r"""
Fix any size. In every row except softmax (here without a start token) there are parameters that count on all grids up to it. With a residual connection or a normalization, training finds parameters that are mostly right on small grids and fail on large ones.

With dropout, there is a reason of another kind: because what is kept is divided by 0.9, the average error is least at $0.9 N$ or below, which is rounded to less than $N$ from some $N$ on (Exercise 1). For a count of 3, our layers write {glue:text}`count_lesson_dropped` on average. On the largest grids, {glue:text}`count_lesson_dropout_black` runs (three at each rate) get black squares wrong as well, because the small attention weights that a black square gives to other squares add up.

## What to take away

- Attention with softmax reports shares. If a number matters, give the network something to compare it with that is always there, such as a start token.
- Ask first whether you need the number. To find the most frequent colour, the largest share is enough ([record](#count-arc)).
- In a layer without attention biases and residual connections, layer normalization divides sizes away. A size survives if it is small compared with $\sqrt\epsilon$.
- Test a counter on larger inputs than it was trained on, and compare it with writing 0 everywhere.
- What training finds is *measured*, for the trainings, sizes and learning rates that this page and its record name.
- Unknown: why training does not find parameters that count although they exist, for example with a residual connection.

## Exercises

**1 (compute).** An output $y$ is dropped with probability $0.1$, which makes it 0, and is otherwise divided by $0.9$. For which $y$ is the squared distance of the result from $N$ least on average? Up to which $N$ does that $y$ round to $N$, with a half rounded to the even number?
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
r"""
**2 (modify).** The layer that shrinks its counts, in the code `by_hand.below_root_eps`, normalizes after attention. Build one that normalizes after the feed-forward part, as the very last step, and counts on grids up to 100x100. The ten numbers of a normalized vector add up to 0. Which place can compensate, so that the other nine hold counts?

(`Ablation` says which parts a layer has, and `by_hand.by_hand` makes the layer, a `Counters`, from its matrices. `Q`, `K`, `V`, `O` and the feed-forward part's `F` are ten by ten, and `gamma` is ten numbers. What you leave out is 0. The products $\mathbf{W}^Q\mathbf{x}_i \cdot \mathbf{W}^K\mathbf{x}_j$ are divided by $\sqrt{10}$.)

:::{dropdown} Hint
The place of black is free: the factor $\gamma$ can set it to 0 after the normalization.
:::
"""

# %%
# try: by_hand.by_hand(Ablation(norms=("feed-forward",)), Q=..., K=..., gamma=...), and V, O, F
check("5.2", ...)

# %% tags=["hide-cell"]
beside = by_hand.beside_black(1e-9)
assert accuracies(beside, 100, 200, capped=False).grids[0] == 1
print("right at 100x100: the place of black takes up the mean, and gamma sets it to 0")
check("5.2", beside)

# %% [markdown]
r"""
:::{dropdown} Solution
Let the feed-forward part write $\delta N$ at the place of the colour and $-\delta N$ at the place of black. The mean is 0 and the variance is $0.2\,\delta^2 N^2$. Let $\gamma$ be $\sqrt\epsilon / \delta$, and 0 at the place of black. The square then gets $N / \sqrt{1 + 0.2\, \delta^2 N^2 / \epsilon}$, which by the proof above rounds to $N$ as long as $N^3 < 5\, \epsilon / \delta^2$. Whatever fixed parameters write is bounded here, too.
:::

**3 (prove or refute).** "A softmax layer without positions cannot count even if all grids are 6x6."

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "proved", or a layer that counts: by_hand.by_hand(Ablation("softmax", ...), ...).
# With feed_forward="ReLU", hidden=m: F1 is m by ten, F1_bias m numbers, F2 ten by m.
check("5.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted. With $\mathbf{W}^Q = 0$ all logits are 0, and every square receives the ten shares $p_c=N_c/36$ of the colours $c$. With a residual connection a square holds $1+p_c$ at the place of its own colour, and $p_c$, at most 1, at the place of each other colour.

For each colour except black, a ReLU unit subtracts 1. What is left, times 36, is the count at the own colour and 0 at the others. Ten more units subtract what the second residual connection adds. Only a single such layer for *all* sizes is impossible.
:::
"""

# %% tags=["hide-cell"]
eye = by_hand.IDENTITY
by_softmax = by_hand.by_hand(
    Ablation("softmax", (), "ReLU", residuals=True, hidden=20), V=eye, O=eye,
    F1=torch.cat([eye, eye]), F1_bias=-1.0 * (torch.arange(20) < COLOURS),
    F2=torch.cat([36 * by_hand.COLOURED, -eye], dim=1))
assert accuracies(by_softmax, 6, 200).grids[0] == 1
check("5.3", by_softmax)

# %% [markdown]
r"""
## What next

The [record of this chapter](record_05_counting_ablations) compares the paper's tables and figures with ours. Averages that forget quantity can still compute: chapter 6 runs any program on them.
"""
