# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Counting: what forgets quantity

*A network looks at a grid of coloured squares. Can it write into each square how many squares have its colour?*

**In one sentence:** attention with softmax takes averages, and an average forgets how many things it was taken over; a layer that adds in place of averaging counts at once, and an average counts again, up to a number and a grid size fixed beforehand, if one part of it always stays the same.

<div class="live" data-live="grid"><p>Three of nine squares are a third; repeated two by two, twelve of thirty-six are a third too. With one token that stays alone it is 3 of 4 and 12 of 13.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% tags=["hide-input"]
import torch

from chapters.exercises.judge import check
from chapters.pages.counting_ablations import answers, by_hand, pictures
from chapters.pages.counting_ablations.answers import read, softmax_encoder, written
from lib.counting.grids import COLOURS, copied
from lib.counting.layer import Ablation, Counters
from lib.counting.train import accuracies, count_batches, fit
from lib.notebook import glue, markdown_table, use_style
from record.experiments import ouellette
from record.experiments.ouellette import FACTORS
from record.runs import stored

use_style()

# %% [markdown]
r"""
## The task

Here is a grid of nine squares. Its colours are numbered from 0 to 9. Colour 0 is black, and black squares are not counted. Three squares have colour 6, so each of them is to hold a 3.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Each square is to hold how many squares have its colour.* What is given, a grid, here with the number of its colour in each square; and what the network must write there. Colour 0 is drawn empty and not counted.", "name": "fig-counting-task"}, "image": {"alt": "Two copies of a grid of three by three coloured squares: on the left the numbers of the colours, on the right 3 in each of three squares of one colour, 2 in each of two, 1 in each of two others, 0 in two empty ones.", "classes": "dark-light"}}
pictures.counting_figure([[6, 6, 0], [3, 7, 0], [4, 3, 6]]);

# %% [markdown]
r"""
The network sees each square as a {term}`one-hot` vector. It has ten numbers: a 1 at the place of the colour, and zeros elsewhere. We write $\mathbf{e}_6$ for the vector of a square of colour 6. The vector does not say where the square is: there are no positions. What the network writes is ten numbers as well, with the count at the place of the colour.

Ouellette, Pfister and Jud {cite}`ouellette2023` trained small transformers on this task and found that the usual kind does not learn it. This chapter asks why. It keeps two questions apart: what can a layer *never* do, and what does *training* not find?

## Adding counts

Attention brings vectors together. A square gives every square a weight, and it receives the sum of their vectors, each times its weight.

Suppose a square gives the weight 1 to each square of its own colour, and 0 to all others. A square of colour 6 then receives $\mathbf{e}_6 + \mathbf{e}_6 + \mathbf{e}_6 = 3\,\mathbf{e}_6$, the answer.

The product $\mathbf{x}_i \cdot \mathbf{x}_j$ of two one-hot vectors is 1 if the colours are the same, and 0 if they are not. So let the square $i$ receive

$$
\mathbf{y}_i = \sum_j (\mathbf{x}_i \cdot \mathbf{x}_j)\, \mathbf{x}_j .
$$

To leave black out, multiply the product by 0 if the square $i$ is black. We call this **the layer that adds**. It counts exactly, on grids of every size. The larger grid below repeats each square of the small one two by two.
"""

# %%
# try: a grid of your own
grid = [[6, 6, 0], [3, 7, 0], [4, 3, 6]]
adding = by_hand.algorithm_1()  # the layer that adds, the paper's Algorithm 1
print(written(adding, grid))
print(written(adding, copied(grid)))

# %% [markdown]
r"""
## Averaging forgets

A usual transformer does one thing more. The products above become {term}`logits <logit>`: the **softmax** turns each logit $x$ into the weight $e^x$ and divides by the sum of all weights. So the weights sum to 1. Attention then averages.

Three of the nine squares above have colour 6, a third; repeat each square two by two, and $12$ of $36$ have it, still a third. Call the larger grid the **copy** of the smaller one. A square that averages over all squares receives the same vector in both.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A grid and its copy have the same shares and different counts.* The numbers are what the network must write. On the right they are four times as large, but the share of colour 6 is the same.", "name": "fig-counting-copy"}, "image": {"alt": "A grid of three by three coloured squares with the counts 3, 2, 1 and 0, and beside it the grid of six by six in which each square is repeated two by two, with the counts 12, 8, 4 and 0; under both the share of colour 6, one third.", "classes": "dark-light"}}
pictures.copy_figure(grid, colour=6);

# %% [markdown]
r"""
Could the square look more cleverly, and give its own colour more weight? Let its own colour weigh 10 and every other square 1. In the small grid its own colour then makes up

$$
\frac{3 \cdot 10}{3 \cdot 10 + 6 \cdot 1} = \frac{30}{36} \quad\text{of what arrives, and in the copy}\quad \frac{12 \cdot 10}{12 \cdot 10 + 24 \cdot 1} = \frac{120}{144} .
$$

Both are $\tfrac56$. In the copy every vector stands four times, with its weight, so the sum above the line grows four times. So does the sum below, and the four cancels. It cancels for any weights, and in the next layer again.

:::{admonition} A grid and its copy
:class: result
A token is a vector that the network reads. Let a transformer with softmax read one for each square, made from the square's colour alone. Let no logit depend on the number of tokens (else a logit could carry the size). Then each square of the copy gets the same output as the square that it repeats, at any depth and with any weights. So, unless all is black, at most one of the two grids is counted rightly. *Proved for every length.* [Record](#count-copy)
:::

:::{dropdown} Proof
By induction over the layers: all four repetitions of a square carry its vector. At the start they do, as their colour is the same.

In a layer, the square $i$ receives $\sum_j e^{l_{ij}} \mathbf{v}_j \big/ \sum_j e^{l_{ij}}$, where the logit $l_{ij}$ and the vector $\mathbf{v}_j$ that $j$ hands over depend on the vectors of $i$ and $j$ only. In the copy each $j$ occurs four times in both sums, and the 4 cancels. All else in a layer works on one square at a time.

The counts of the copy are four times those of the grid. So one output cannot be right for both, unless the count is 0. $\square$
:::

**Predict**: we take PyTorch's own **encoder**, a transformer whose tokens all attend to all. It has six layers with random weights. We let it read the grid and its copy. What does it give the first square of each?

<p class="guess" data-right="1">equal&nbsp;outputs|different&nbsp;outputs</p>
"""

# %% tags=["hide-output"]
# try: another number of layers
encoder = softmax_encoder(layers=6)
small, large = read(encoder, grid), read(encoder, copied(grid))
enlarged = small.repeat_interleave(2, 0).repeat_interleave(2, 1)
print("first square of the grid:", *(f"{x:.6f}" for x in small[0, 0, :4]))
print("first square of the copy:", *(f"{x:.6f}" for x in large[0, 0, :4]))
print(f"largest difference anywhere: {(enlarged - large).abs().max():.0e}")

# %% [markdown]
r"""
The outputs are equal up to rounding, for these weights and for all others. Longer training or more layers do not help.

On grids of *one* size a share does tell the count: a third of nine squares is three (Exercise 3).

## One token that stays the same

An average tells a count if part of it stays the same. So put one more token before the squares, a **start token**. What a token hands over is its **value**, and the start token's is the zero vector. It is always there, once.

Let a square attend equally to the squares of its own colour and to the start token. If it is alone with its colour, two vectors are averaged, and half of what arrives is its colour. If three squares have its colour, four vectors are averaged, and it is $\tfrac34$. In the copy it is $\tfrac{12}{13}$. With $N$ squares it is

$$
u = \frac{N}{N + 1} ,
$$

a different number for each $N$. The **feed-forward part** turns $u$ back into $N$. It maps each square's vector by itself. It is linear, or it has units $\max(0, x)$, called **ReLU** units, between two linear maps. With $K$ such units for each colour it draws a bent line of straight pieces, with $K$ kinks, through the points $(\tfrac{N}{N+1}, N)$ up to $N = K$.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*One bent line turns each share back into its count.* The line for counts up to four. Its kinks stand at the dots of 0 to 3.", "name": "fig-counting-bent"}, "image": {"alt": "A line of four straight pieces that rises ever more steeply through dots at the shares 0, one half, two thirds, three quarters and four fifths, at heights 0 to 4.", "classes": "dark-light"}}
pictures.bent_figure(largest=4);

# %% [markdown]
r"""

:::{admonition} A start token
:class: result
With a start token one softmax layer counts up to any number $K$, on grids up to any size, if both are fixed beforehand. No fixed weights of a softmax transformer count at every size, whatever tokens are added that do not depend on the colours. (Every token attends to all, tokens' vectors are bounded, feed-forward parts continuous, no logit depends on the number of tokens, and every normalization has $\epsilon > 0$.) *Proved for every length.* [Record](#count-start)
:::

:::{dropdown} Proof
*Up to $K$ and a fixed size.* Let $g(u) = \sum_{k=0}^{K-1} 2(k+1)\, \max\bigl(0, u - \tfrac{k}{k+1}\bigr)$. Between the points of $N - 1$ and $N$ its slope is $2 + 4 + \dots + 2N = N(N+1)$, and these points are $\tfrac{1}{N(N+1)}$ apart. So $g$ grows by 1 from each point to the next, and $g(\tfrac{N}{N+1}) = N$. Let a square's own colour and the start token have the logit $G$ (for a black square the start token alone), and all other squares the logit 0. As $G$ grows, a square of a counted colour receives shares that tend to $\tfrac{N}{N+1}$ of its own colour and to 0 of the others, and a black square receives shares that tend to 0. As $g$ is continuous, all outputs round to the counts for some $G$, as there are finitely many grids up to the fixed size.

*Not at every size.* By induction over the layers all vectors stay in a bounded and closed set: averages, sums and continuous images do. So all logits lie between some $-B$ and $B$, and one square among $M$ weighs at most $e^{2B}/M$. Change that square from black to the colour of one other square. By induction the other squares' vectors change by less and less as $M$ grows: in each average the changed square weighs at most $e^{2B}/M$, and on a bounded and closed set continuous maps pass small changes on as small ones. But the count of that other square went from 1 to 2. $\square$
:::

The second half is what chapter 9 calls Hahn's lemma: one among $M$ moves an average by about $1/M$.

Here is such a layer: squares of the own colour and the start token weigh 1, all others weigh $e^{-40}$. We ask which share of whole grids it counts rightly. The grids are random, with about four squares in five coloured. (The paper's have at most a random number of coloured squares, up to 999, so that large ones are blacker. `capped=False` leaves that out.)
"""

# %%
# try: another largest count K, or other sides
for largest in (36, 400):
    model = by_hand.with_start_token(largest)
    for side in (6, 12, 20, 100):
        share = accuracies(model, side, grids=100, capped=False).grids[0]  # of whole grids
        print(f"K = {largest}, {side}x{side}: {share:.0%}")

# %% [markdown]
r"""
On these grids each layer is right as long as no colour has more than about $K$ squares, and not beyond.

## Normalization forgets, too

The paper starts from a layer that adds and *learns* its weights. Attention has four learned matrices: it forms $\mathbf{W}^Q\mathbf{x}_i \cdot \mathbf{W}^K\mathbf{x}_j$ in place of $\mathbf{x}_i \cdot \mathbf{x}_j$, its values are $\mathbf{W}^V\mathbf{x}_j$, and $\mathbf{W}^O$ stands behind the sum. The feed-forward part is linear. The paper then puts parts of the usual transformer back, one at a time. The first is **layer normalization**: from the ten numbers of a square it subtracts their mean, and then it divides them by their standard deviation. Last, it multiplies each number by a learned factor, the gain $\gamma$, and adds a learned number, a **bias**. It may stand after attention or after the feed-forward part.

We train three layers, live: one without normalization, and one with it (`LN`) in either place. Each is trained twice, on the paper's grids of one to six squares a side. What is printed is the share of squares that are counted rightly (`cells`).

**Predict**: on grids of 6 by 6 the layer normalized after attention is right on more than nine tenths of the squares. How is it on 20 by 20?

<p class="guess" data-right="3">as&nbsp;good|right&nbsp;on&nbsp;about&nbsp;two&nbsp;thirds|no&nbsp;better&nbsp;than&nbsp;0&nbsp;everywhere</p>
"""

# %% tags=["hide-output"]
# try: another number of steps, or of seeds
for name in ("nothing", "LN after attention", "LN after feed-forward"):
    live = Counters(FACTORS[name], seeds=range(2))  # two layers with that one part added
    fit(live, count_batches(live), steps=2000, rate=1e-2, cosine=2000, keeps_best=False)
    shares = [(side, accuracies(live, side).cells.mean()) for side in (6, 10, 20)]
    print(f"{name:21}", *(f"{side}x{side} {share:6.1%}  " for side, share in shares))
zeros = [f"{side}x{side} {answers.free_answer(side, 0):6.1%}  " for side in (6, 10, 20)]
print(f"{'0 everywhere':21}", *zeros)

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A normalized layer counts well on the sizes that it was trained on, and on large grids hardly beats zeros everywhere, or does worse.* Thick lines: the mean of five runs of the published training, stored (the standard encoder: one shorter run). Thin lines: the runs. Dots: what the paper prints. Dashed: an answer that needs no network, 0 in every square.", "name": "fig-counting-sizes"}, "image": {"alt": "Four labelled curves over grid sides 6 to 20: the layer that adds stays at 100 percent, the two normalized layers fall from near 100 to about 30, the standard encoder stays near 30, close to a dashed line for zeros everywhere.", "classes": "dark-light"}}
tables = {row["configuration"]["name"]: row for row in stored("counting_tables").results}
pictures.sizes_figure(tables)
standard = ouellette.kept(tables["Std-Transformer-Count"])
glue("count_lesson_twos", f"{answers.share_answered(standard, 6, 2):.0%}")
glue("count_lesson_standard", f"{ouellette.percent(tables['Std-Transformer-Count'])[0, 0]:.0f} %")
assert round(answers.mean_in_training()) == 2

# %% [markdown]
r"""
Without normalization the learned layer is right on every grid that we tried. With it the share falls as the grids grow beyond those of training. On the largest grids neither normalized layer beats writing 0, which is right on the black squares, by more than a few points. Normalized after the feed-forward part, some runs do far worse: they get black squares wrong as well.

The **standard encoder** has everything switched on, softmax too. It does not learn even the grids of six by six, where it scores {glue:text}`count_lesson_standard`. On {glue:text}`count_lesson_twos` of the coloured squares there it writes a 2, the mean count of its training grids, rounded. It has learned which squares are black, and one number.

### Three and twelve come out the same

A square that has added up three squares of its colour holds $(3, 0, \dots, 0)$. The mean of these ten numbers is $0.3$ and their standard deviation is $0.9$. Normalized, the 3 becomes

$$
\frac{3 - 0.3}{0.9} = 3 , \qquad\text{and from twelve squares it becomes}\qquad \frac{12 - 1.2}{3.6} = 3 .
$$

The zeros become $-\tfrac13$ both times. Three and twelve have become the same vector. *Every* count becomes 3; that it is 3 comes from the ten places ($\sqrt{10 - 1}$). The standard deviation grows with the count, and dividing by it takes the count away, as softmax did.

### A way around

A normalized layer can count on small grids all the same, because computers do not quite follow the rule above. They divide by $\sqrt{\text{variance} + \epsilon}$, where $\epsilon = 10^{-5}$ avoids a division by 0.

Now shrink the counts before they are normalized, by a number $\delta$ so small that their variance is nothing beside $\epsilon$. With $\delta = 10^{-5}$, twelve becomes $0.00012$, with the variance $0.0000000013$. Three and twelve are now divided by the same number, $\sqrt\epsilon = 0.003162$, to four digits. So twelve remains four times three. Behind the normalization, the feed-forward part subtracts from every place the number at the place of black, which undoes the mean. Then it multiplies by $\sqrt\epsilon / \delta = 316$, and 3 and 12 are back.

:::{admonition} Normalization, and a way around
:class: result
Let a layer without residual connections, and without biases in attention, add, normalize after attention, and have a linear feed-forward part. If $\epsilon = 0$, it cannot tell a grid from its copy, whatever its weights. If $\epsilon > 0$, some weights give a square of a colour of $N$ squares

$$
\frac{N}{\sqrt{1 + 0.09\, \delta^2 N^2 / \epsilon}} ,
$$

which rounds to $N$ as long as $N^3 < 11\, \epsilon / \delta^2$. So it counts to any number fixed beforehand, for $\delta$ small enough. No fixed weights count at every size. *Proved for every length.* [Record](#count-hiding)
:::

:::{dropdown} Proof
Attention without softmax and without biases adds, so in the copy each square receives four times what it receives in the grid. Normalized with $\epsilon = 0$, a vector and its fourfold are the same. What follows, the gain and the biases included, is the same too.

Let $\epsilon > 0$. The layer that adds, shrunk, holds $\delta N$ at the place $i$ of the square's colour, and 0 at nine places. The mean is $\delta N / 10$ and the variance is $\delta^2 N^2 (\tfrac1{10} - \tfrac1{100}) = 0.09\, \delta^2 N^2$. The feed-forward part subtracts from every place what stands at the place of black, which is minus the mean, normalized. This puts the mean back: $\delta N$ at $i$ and 0 elsewhere, divided by $\sqrt{0.09\,\delta^2 N^2 + \epsilon}$. It multiplies by $\sqrt\epsilon / \delta$, and that is the formula. A black square receives nothing and holds 0 (a vector of zeros stays zero).

Let $x = 0.09\, \delta^2 N^2 / \epsilon$. As $1/\sqrt{1 + x} \ge 1 - x/2$, at most $N x / 2 = 0.045\, \delta^2 N^3 / \epsilon$ is missing from $N$. This is less than $\tfrac12$ if $N^3 < \tfrac{100}{9}\, \epsilon / \delta^2$, and $\tfrac{100}9 > 11$.

A normalized vector of ten numbers is at most $\sqrt{10}$ long, so what fixed weights make of it is bounded, and counts are not. $\square$
:::

**Predict**: we build that layer by hand. With which $\delta$ does it count farther?

<p class="guess" data-right="2">a&nbsp;larger&nbsp;one|a&nbsp;smaller&nbsp;one</p>
"""

# %% tags=["hide-output"]
# try: another delta, another eps
eps = 1e-5
for delta in (1e-3, 1e-5, 1e-7):
    made = by_hand.below_root_eps(delta, eps)
    shares = [(side, accuracies(made, side, 200, capped=False).cells[0]) for side in (6, 20, 100)]
    print(f"delta = {delta:.0e}, surely right to N = {int((11 * eps / delta**2) ** (1 / 3)):5,};",
          "squares right:", *(f"{side}x{side} {share:.0%}  " for side, share in shares))

# %% [markdown]
r"""
The smaller, the farther. (What is still right at the end are the black squares.) So normalization does not make counting impossible, for grids up to a fixed size. But nothing in training on small grids asks for a $\delta$ that serves large ones. In the trained layers, the squares that are counted wrongly are mostly those whose numbers were large before the normalization ([record](#count-figures)).

### A residual connection

The next part is the {term}`residual connection`. It adds to what a sublayer gives what the sublayer was given. So a square of colour 6 that has counted three holds $\mathbf{e}_6 + 3\,\mathbf{e}_6$, and 4 is wrong.

Make the count loud. Let attention multiply by 1000: the square holds $\mathbf{e}_6 + 3000\,\mathbf{e}_6$. Then let the feed-forward part, with its own residual connection, divide by 1000, and $3.001$ is left. It rounds to 3. With a factor $L$ in place of 1000 the layer writes $N + 1/L$, and that rounds to $N$ for every $L > 2$, on grids of every size ([record](#count-residual)).

So normalization lets counts through if they are small beside $\sqrt\epsilon$, and a residual connection if they are large beside what it adds.

## Impossible, or hard to learn?

Now the two questions side by side. In each row one part is added to the layer that adds. It is trained at four **learning rates**, which say how far each step goes. *Biases in attention* are learned numbers added to what its four matrices give. **Dropout** sets a random tenth of the numbers to 0, and divides the others by 0.9, while the layer is trained. The last three columns give the share of squares that are right, at the best of the four rates. (So the page has three trainings: short and live, the published one in the figure, and these.)
"""

# %% tags=["remove-input"]
swept = {row["configuration"]["name"]: row for row in stored("counting_factors").results}
dropped = answers.given(ouellette.kept(swept["dropout"]), 3)
glue("count_lesson_dropped", f"{dropped.mean():.1f}")
markdown_table(("what is added", "are there weights that count?", "6x6", "10x10", "20x20"),
               answers.parts_lines(swept))

# %% [markdown]
r"""
Softmax without a start token fails already on one grid and its copy. Beside each other part there are weights that count up to any fixed size. Training finds them beside biases. Beside a residual connection or a normalization it finds weights that are mostly right on small grids and fail on large ones.

Dropout has a reason of its own. The best answer to it is a number that is too small: at most $0.9 N$ for one dropout, less for several in a row. Our layers have three in a row, and in place of 3 they write {glue:text}`count_lesson_dropped`. Exercise 1 asks up to which $N$ the $0.9 N$ rounds to the right count.

## What is proved for every length here

- The layer that adds counts every grid.
- A softmax transformer gives a grid and its copy the same outputs, if it reads one token for each square, made from its colour alone, and its logits do not depend on the number of tokens.
- With a start token a softmax layer counts up to any number, on grids up to any size, both fixed beforehand; no fixed weights count at every size, under the conditions of that box.
- A layer that adds, without residual connections and without biases in attention, and normalizes after attention, cannot tell a grid from its copy if $\epsilon = 0$. If $\epsilon > 0$, it can count up to any number fixed beforehand, and no fixed weights count at every size.
- With residual connections and the factor $L > 2$ a layer counts every grid.

What training finds is *measured*, at the sizes and learning rates that are named.

## What to take away

- Attention with softmax reports shares. If a number matters, give it something to compare with that is always there, such as a start token.
- Ask first whether you need the number. To find the most frequent colour the largest share will do ([record](#count-arc)).
- Layer normalization divides sizes away. A size survives it if it is small beside $\sqrt\epsilon$.
- Test a counter on larger inputs than it was trained on, and compare its score with what 0 everywhere scores.
- Unknown: why training does not find the weights that there are, say beside a residual connection.

## Exercises

**1 (compute).** An output $y$ is dropped with probability $0.1$, which makes it 0, and is otherwise divided by $0.9$. Which $y$ has the least squared error against $N$ on average? Up to which $N$ does that $y$ round to $N$, where a half is rounded to the even number?
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
**2 (modify).** The layer of `by_hand.below_root_eps` normalizes after attention. Build one that normalizes after the feed-forward part, as the very last step, and counts to 100x100. What makes room for nine colours?

:::{dropdown} Hint
A normalized vector has the mean 0, and a vector with a single count in it has not. But nobody asks for the number at the place of black.
:::
"""

# %%
# try: by_hand.by_hand(Ablation(norms=("feed-forward",)), Q=..., K=..., gamma=...), and V, O, F
check("5.2", ...)

# %% tags=["hide-cell"]
beside = by_hand.beside_black(1e-9)
assert accuracies(beside, 100, 200, capped=False).grids[0] == 1
print("right at 100x100: the coordinate of black, which nobody asks for, takes up the mean")
check("5.2", beside)

# %% [markdown]
r"""
**3 (prove or refute).** "A softmax layer without positions cannot count even if all grids are 6x6."

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "proved", or a layer that counts: by_hand.by_hand(Ablation("softmax", ...), ...)
check("5.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted. With $\mathbf{W}^Q = 0$ all logits are 0, and every square receives the ten shares $p_j=N_j/36$. With a residual connection it holds $x_j+p_j$: at most 1 for other colours, and $1+p_j$ for its own.

A ReLU unit $36\max(0,x_j+p_j-1)$ for each colour but black gives the count. Ten more units take away what the second residual connection adds. What is impossible is one such layer for *all* sizes.
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

The paper's tables and figures beside ours stand in the [record of this chapter](record_05_counting_ablations), with everything that the paper's layers learn and do not learn. Averages that forget quantity can still compute: chapter 6 runs any program on them.
"""
