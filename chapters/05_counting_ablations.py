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

**In one sentence:** adding can count exactly, and averaging forgets how many things it averaged, but an averaging layer can count too, up to a fixed number and grid size, if one more vector that never changes is averaged in.

The nine squares below are a grid of three by three, written in one row. (The dashed mark on the bar is one half. With only the second box ticked, one painted square reaches it, and more pass it.)

<div class="live" data-live="grid"><p>Three of nine squares have one colour, a third. Repeat each square two by two, and twelve of thirty-six have it, still a third. If a square averages only the squares of its colour and one extra vector, the share is 3 of 4, and then 12 of 13.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% tags=["hide-input"]
import torch

from chapters.common.judge import check
from chapters.counting_ablations import answers, by_hand, pictures
from chapters.counting_ablations.answers import read, softmax_encoder, written
from chapters.counting_ablations.grids import COLOURS, copied
from chapters.counting_ablations.layer import Ablation, Counters
from chapters.counting_ablations.train import accuracies, count_batches, fit
from record.notebook import glue, markdown_table, use_style
from chapters.counting_ablations import runs as ouellette
from chapters.counting_ablations.runs import FACTORS
from record.runs import stored

use_style()

# %% [markdown]
r"""
## The task

Who checks that a list has ten entries, or that as many brackets close as open, has to count. Can a network?

Here is a grid of nine squares. Its colours are numbered from 0 to 9. Colour 0 is called black, though we draw it empty, and black squares are not counted. Three squares have colour 6, so each of them is to hold a 3.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Each square is to hold how many squares have its colour.* What is given, a grid, here with the number of its colour in each square; and what the network must write there. Colour 0 is drawn empty and not counted.", "name": "fig-counting-task"}, "image": {"alt": "Two copies of a grid of three by three coloured squares: on the left the numbers of the colours, on the right 3 in each of three squares of one colour, 2 in each of two, 1 in each of two others, 0 in two empty ones.", "classes": "dark-light"}}
pictures.counting_figure([[6, 6, 0], [3, 7, 0], [4, 3, 6]]);

# %% [markdown]
r"""
The network sees each square as a {term}`one-hot` vector. It has ten numbers: a 1 at the place of the colour, and zeros elsewhere. We write $\mathbf{e}_6$ for the vector of a square of colour 6. The vector does not say where the square is: there are no positions. A vector that a network reads is called a **token**.

What the network writes into a square is ten numbers as well. The square is right if all ten are, after rounding: the count at the place of its colour, and 0 at the others. A black square is to get ten zeros.

Ouellette, Pfister and Jud {cite}`ouellette2023` trained small transformers on this task, found that the usual kind does not learn it, and argue that it is *architecturally unable* to learn to count in a way that carries over to larger grids: softmax and layer normalization rescale, as if quantity did not matter. Two boxes below prove a form of this, with the conditions under which it is so. Training sets a network's **parameters**, the numbers in its matrices. This chapter asks two questions: what can a layer *never* do, whatever its parameters, and which parameters does *training* not find?

## Counting by adding

In attention a square gives every square an **attention weight**, and it receives the sum of their vectors, each times its weight.

Suppose a square gives the weight 1 to each square of its own colour, and 0 to all others. A square of colour 6 then receives $\mathbf{e}_6 + \mathbf{e}_6 + \mathbf{e}_6 = 3\,\mathbf{e}_6$, the answer.

Let $\mathbf{x}_i$ be the vector of the square $i$. The product $\mathbf{x}_i \cdot \mathbf{x}_j$ of two one-hot vectors is 1 if the colours are the same, and 0 if they are not. So let the square $i$ receive

$$
\mathbf{y}_i = \sum_j (\mathbf{x}_i \cdot \mathbf{x}_j)\, \mathbf{x}_j .
$$

To leave black out, multiply the product by 0 if the square $i$ is black. We call this **the layer that adds**. It counts exactly, on grids of every size. Below, `copied` repeats each square two by two, and `written` shows what each square gets at the place of its colour.
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

A usual transformer does one thing more before it adds. It calls the products above **logits** and turns them into weights by the **softmax**: it takes $e^x$ of each logit $x$, and divides each $e^x$ by the sum of all of them. These quotients are its attention weights. They sum to 1, so its attention averages.

Three of the nine squares above have colour 6, a third; repeat each square two by two, and $12$ of $36$ have it, still a third. Call the larger grid the **copy** of the smaller one. A square that averages over all squares receives the same vector in both.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A grid and its copy have the same shares and different counts.* The numbers are what the network must write. On the right they are four times as large, but the share of colour 6, whose squares hold 3 and 12, is the same.", "name": "fig-counting-copy"}, "image": {"alt": "A grid of three by three coloured squares with the counts 3, 2, 1 and 0, and beside it the grid of six by six in which each square is repeated two by two, with the counts 12, 8, 4 and 0; under both the share of colour 6, one third.", "classes": "dark-light"}}
pictures.copy_figure(grid, colour=6);

# %% [markdown]
r"""
Could the square look more cleverly, and give its own colour more weight? With learned matrices a logit need not be 1 or 0: it can be any number for each pair of colours. So let $e^x$ be 10 for the squares of its own colour and 1 for all others. In the small grid its own colour then makes up

$$
\frac{3 \cdot 10}{3 \cdot 10 + 6 \cdot 1} = \frac{30}{36} \quad\text{of what arrives, and in the copy}\quad \frac{12 \cdot 10}{12 \cdot 10 + 24 \cdot 1} = \frac{120}{144} .
$$

Both are $\tfrac56$. In the copy every vector stands four times, so the sum above the line grows four times. So does the sum below, and the four cancels. It cancels for any logits, and in the next layer again.

:::{admonition} Softmax forgets the count, as Ouellette and others argue
:class: result
Let a transformer with softmax read one token for each square, made from the square's colour alone. Let no logit depend on the number of tokens. (Chapter 4 multiplies logits by $\log n$, and these do carry the size.) Then each square of the copy gets the same output as the square that it repeats, at any depth and with any parameters. So, unless all is black, at most one of the two grids is counted rightly. *Proved for every length.* [Record](#count-copy)
:::

:::{dropdown} Proof
By induction over the layers: all four repetitions of a square carry its vector. At the start they do, as their colour is the same.

In a layer, the square $i$ receives $\sum_j e^{l_{ij}} \mathbf{v}_j \big/ \sum_j e^{l_{ij}}$, where the logit $l_{ij}$ and the vector $\mathbf{v}_j$ that $j$ hands over depend on the vectors of $i$ and $j$ only. In the copy each $j$ occurs four times in both sums, and the 4 cancels. All else in a layer works on one square at a time.

The counts of the copy are four times those of the grid. So one output cannot be right for both, unless the count is 0. $\square$ If all squares have one colour, all averages are of one vector, at every size.
:::

**Predict**: PyTorch's own **encoder**, a transformer whose tokens all attend to all, reads the grid and its copy. It has six layers with random parameters. What does it give the first square of each?

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
What the box says of these parameters it says of all others. So longer training or more layers do not help.

On grids of *one* size a share does tell the count: a third of nine squares is three (Exercise 3).

## One token that stays the same

An average tells a count if part of it stays the same. So put one more token before the squares, a **start token**. It is always there, once, and it gives the feed-forward part what the paper says it lacks, "access to" the count. What a token hands over is its **value**, and the start token's value is the zero vector.

Let a square give the start token the same logit as the squares of its own colour, and all other squares a logit so much lower that they hardly weigh anything. If it is alone with its colour, two vectors are averaged, and half of what arrives is its colour. If three squares have its colour, four vectors are averaged, and it is $\tfrac34$. In the copy it is $\tfrac{12}{13}$. With $N$ squares it is

$$
u = \frac{N}{N + 1} ,
$$

a different number for each $N$. The **feed-forward part** turns $u$ back into $N$. It maps each square's vector by itself. It is linear, or it has units $\max(0, x)$, called **ReLU** units, between two linear maps.

One unit will do for the counts 0 and 1: $2 \max(0, u)$ is 0 at $u = 0$ and 1 at $u = \tfrac12$. At $\tfrac23$ it is $\tfrac43$, but 2 is wanted. So a second unit adds $4 \max(0, u - \tfrac12)$. This is 0 up to $\tfrac12$, and at $\tfrac23$ it is the missing $\tfrac23$. In this way each unit bends the line once, and $K$ units for each colour lead it through the points $(\tfrac{N}{N+1}, N)$ up to $N = K$.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*One bent line turns each share back into its count.* The line for counts up to four. It bends at the dots of 0 to 3 and runs straight on behind the last one, below the hollow dots of larger counts.", "name": "fig-counting-bent"}, "image": {"alt": "A line of four straight pieces that rises ever more steeply through dots at the shares 0, one half, two thirds, three quarters and four fifths, at heights 0 to 4, and then runs straight on below hollow dots at the heights 5 to 8.", "classes": "dark-light"}}
pictures.bent_figure(largest=4);

# %% [markdown]
r"""
:::{admonition} A start token, and a limit that Ouellette and others argue for
:class: result
With a start token one softmax layer counts up to any number $K$, on grids up to any size, if both are fixed beforehand.

No fixed parameters of a softmax transformer count at every size. Other added tokens do not change that, as long as they do not depend on the colours. (Here every token attends to all, the tokens' vectors are bounded, and no logit depends on the number of tokens. What works on one token at a time is a continuous function of its vector.) *Proved for every length.* [Record](#count-start)
:::

:::{dropdown} Proof
*Up to $K$ and a fixed size.* Let $g(u) = \sum_{k=0}^{K-1} 2(k+1)\, \max\bigl(0, u - \tfrac{k}{k+1}\bigr)$. Between the points of $N - 1$ and $N$ its slope is $2 + 4 + \dots + 2N = N(N+1)$, and these points are $\tfrac{1}{N(N+1)}$ apart. So $g$ grows by 1 from each point to the next, and $g(\tfrac{N}{N+1}) = N$. Let a square's own colour and the start token have the logit $G$ (for a black square the start token alone), and all other squares the logit 0. As $G$ grows, a square of a counted colour receives shares that tend to $\tfrac{N}{N+1}$ of its own colour and to 0 of the others, and a black square receives shares that tend to 0. As $g$ is continuous, all outputs round to the counts for some $G$, as there are finitely many grids up to the fixed size.

*Not at every size.* By induction over the layers all vectors stay in a bounded and closed set: averages, sums and continuous images do. (Layer normalization, the topic of the next section, is continuous if its $\epsilon$ is above 0.) So all logits lie between some $-B$ and $B$, and one square among $M$ weighs at most $e^{2B}/M$. Change that square from black to the colour of one other square. By induction the other squares' vectors change by less and less as $M$ grows, because on a bounded and closed set continuous maps pass small changes on as small ones. But the count of that other square went from 1 to 2. $\square$
:::

Here is such a layer. Its $e^x$ is 1 for squares of the own colour and for the start token, and $e^{-40}$ for all others. (A black square looks at the start token only.) What share of whole grids does it get right? The grids are random: about four squares in five are coloured, and all nine colours are equally likely. So a grid of $12 \times 12$ has about 13 squares of each colour, and one of $20 \times 20$ about 36. In one of $100 \times 100$ it is about 890.
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
On these grids each layer is right as long as no colour has more than about $K$ squares, and not beyond. We wrote this layer down. Whether training finds one we have not tried.

Why must the size be fixed as well as $K$? Softmax gives no square the weight 0. Our shares $\tfrac12$ and $\tfrac23$ hold only while the other squares, $e^{-40}$ each, are negligible. But $10^{18}$ of them add up to $4.2$. Among so many black squares, five of a colour receive the share $5 / (5 + 1 + 4.2) = 0.49$, and our bent line makes a 1 of it.

No parameters escape this at every size. If vectors are bounded, so are logits. Then $e^x$ lies between two fixed positive numbers, so each of $M$ tokens weighs at most a constant divided by $M$. In a grid that is large enough, a second square of some colour moves what the first one receives too little to turn its 1 into a 2. (Chapter 9 proves such a bound, [Hahn's lemma](#hahn).)

## Normalization forgets, too

Softmax lost the count because it divides by a sum that grows with the grid. Does a usual transformer divide anywhere else? It does: **layer normalization** subtracts from the ten numbers of a square their mean, and divides them by their standard deviation. Does the count survive that?

Take a square of colour 6 that has added up three squares, and one that has added up twelve. The first holds a 3 at the place of 6, and nine zeros. The mean of these ten numbers is $0.3$ and their standard deviation is $0.9$. Normalized, the 3 becomes

$$
\frac{3 - 0.3}{0.9} = 3 , \qquad\text{and from twelve squares it becomes}\qquad \frac{12 - 1.2}{3.6} = 3 .
$$

The zeros become $-\tfrac13$ both times. Three and twelve have become the same vector. *Every* count becomes 3. The standard deviation grows with the count, and dividing by it takes the count away, as softmax did. The paper's cleanest case has no counts at all: a network that is to return its input, and ends in a normalization, fails beyond the vectors it was trained on, where one without normalization does not. It cannot even do well on those: on five numbers uniform in $[-a, a]$ no such network has an error below $a^2/15$ ([proof](#count-ln-identity)).

### What training makes of it

Does it matter to a layer that *learns*? The paper puts learned matrices into the layer that adds. Attention gets four: it forms $\mathbf{W}^Q\mathbf{x}_i \cdot \mathbf{W}^K\mathbf{x}_j$ in place of $\mathbf{x}_i \cdot \mathbf{x}_j$, its values are $\mathbf{W}^V\mathbf{x}_j$, and $\mathbf{W}^O$ stands behind the sum. What attention gives goes into the feed-forward part, which is linear. From here on *a layer that adds* has these matrices.

Then the paper puts parts of the usual transformer back, one at a time. The first is layer normalization, after attention or after the feed-forward part. A learned one ends with one thing more: it multiplies each number by a learned factor, the gain $\gamma$, and adds a learned number, a **bias**.

Training begins with random parameters and changes them in many small **steps**, each of which is to lower the squared error on fifty random grids. So a network that cannot tell two counts apart does best to write their mean.

We train three layers, live: one without normalization, and one with it (`LN`) in either place. Each is trained twice, for 2000 steps, on grids of one to six squares a side. What is printed is the share of squares that are right (`cells`), the mean of both runs.

All trained layers are tested on the paper's grids, of which large ones have more black squares than ours above. Writing 0 everywhere is right on the black ones, and at $20 \times 20$ it already scores {glue:text}`count_lesson_zeros`: that is the score to beat.

**Predict**: on grids of 6 by 6 the layer normalized after attention is right on more than nine tenths of the squares. How is it on 20 by 20?

<p class="guess" data-right="3">as&nbsp;good|right&nbsp;on&nbsp;about&nbsp;two&nbsp;thirds|no&nbsp;better&nbsp;than&nbsp;0&nbsp;everywhere</p>
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
The live training is short. The figure has these layers after the paper's 300,000 steps, and with them the **standard encoder**. This is the usual transformer layer, with softmax, biases, ReLU units, normalization in both places, and two parts that come below, residual connections and dropout.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A layer that adds and normalizes counts well on the sizes that it was trained on, and on the largest grids hardly beats zeros everywhere, or does worse.* The standard encoder, which averages, does not count well on any size. Thick lines: the mean of our five runs of the paper's training (of the standard encoder up to five squares a side the first run alone). Thin lines: the single runs. Dots: what the paper prints, from six squares a side on. Dashed: 0 in every square, an answer that needs no network. Grey: the sides of the training grids.", "name": "fig-counting-sizes"}, "image": {"alt": "Four labelled curves over grid sides 1 to 20: the layer that adds stays at 100 percent, the two normalized layers are near 100 up to side 6 and then fall to about 30, the standard encoder is near 50 on small grids and soon close to a dashed line for zeros everywhere.", "classes": "dark-light"}}
rows = stored("counting_std").results + stored("counting_tables").results
tables = {row["configuration"]["name"]: row for row in rows}
pictures.sizes_figure(tables)
standard = tables["Std-Transformer-Count"]
digits = [answers.share_answered(ouellette.kept(standard), 6, count) for count in (1, 2, 3)]
assert 0.999 < sum(digits) < 1 and digits[0] > digits[2]
glue("count_lesson_standard", f"{ouellette.percent(standard)[0].mean():.0f} %")
glue("count_lesson_twos", f"{digits[1]:.0%}".replace("%", " %"))
assert round(answers.mean_in_training()) == 2
assert max(answers.gap(row) for row in map(tables.get, answers.TABLE_I)) < 7  # from the paper's
glue("count_lesson_zeros", f"{100 * answers.free_answer(20, 0):.0f} %")
ten = ouellette.SIZES.index(10)
glue("count_lesson_ten", f"{ouellette.percent(tables['LayerNorm-SA-Count'])[ten].mean():.0f} %")
glue("count_lesson_ten_live", f"{live['LN after attention'][10].mean():.0%}".replace("%", " %"))
assert answers.black_right(ouellette.kept(tables["LayerNorm-SA-Count"]), 20).min() == 1
assert answers.black_right(ouellette.kept(tables["LayerNorm-FF-Count"]), 20).min() < 0.9

# %% [markdown]
r"""
Without normalization the learned layer is right on every grid that we tried, as the paper found on grids up to 100 by 100: training does find a layer that counts, once softmax and normalization are gone. With normalization the share falls as the grids grow beyond those of training. How soon depends on the training: at $10 \times 10$ the layer normalized after attention is right on {glue:text}`count_lesson_ten_live` of the squares after the live training, and on {glue:text}`count_lesson_ten` in the figure. But at $20 \times 20$ neither normalized layer beats writing 0 by more than a few points there. Some runs do far worse, as they get black squares wrong, too. The paper's values fall too, and lie up to six points from our means ([record](#count-table-1)).

The standard encoder does not learn even the grids of six by six, where it scores {glue:text}`count_lesson_standard`. Into {glue:text}`count_lesson_twos` of the coloured squares there the first of its five runs writes a 2. Into nearly all the others it writes a 1 or a 3. The mean count of its training grids is 2, rounded. So this network has learned which squares are black, and little more than one number. (The other four end with a lower loss, and are not stored.)

### A way around

A normalized layer can count on small grids all the same, because computers do not quite follow the rule above. They divide by $\sqrt{\text{variance} + \epsilon}$, where $\epsilon = 10^{-5}$ avoids a division by 0.

So let attention shrink the counts before they are normalized: multiply $\mathbf{W}^V$ by a number $\delta$ so small that the variance is nothing beside $\epsilon$. With $\delta = 10^{-5}$ a count of three becomes $0.00003$. Its standard deviation is nothing beside $\sqrt\epsilon = 0.003162$, so that is what we divide by, whatever the count. Subtract the mean, $0.000003$, and divide: colour 6 holds $0.00854$, and the place of black, which held a 0 before, $-0.00095$. Behind the normalization, the feed-forward part takes the difference of these two, $0.00949$. Then it multiplies by $\sqrt\epsilon / \delta = 316$, and 3 is back. From a count of twelve all these numbers are four times as large, and 12 comes back.

:::{admonition} Normalization, and a way around
:class: result
Take a layer that adds, with its learned matrices, that normalizes after attention and then has a linear feed-forward part. It has no biases in attention and no {term}`residual connections <residual connection>` (which come below). If $\epsilon = 0$, it cannot tell a grid from its copy, whatever its parameters. (Ten equal numbers have the standard deviation 0. Let them become zeros.) If $\epsilon > 0$, some parameters give a square of a colour of $N$ squares

$$
\frac{N}{\sqrt{1 + 0.09\, \delta^2 N^2 / \epsilon}} .
$$

At most $0.045\, \delta^2 N^3 / \epsilon$ is missing from $N$. This is less than $\tfrac12$, so that it rounds to $N$, as long as $N^3 < 11\, \epsilon / \delta^2$. So the layer counts to any number fixed beforehand, for $\delta$ small enough. No fixed parameters count at every size. *Proved for every length.* [Record](#count-hiding)
:::

:::{dropdown} Proof
Attention without softmax and without biases adds, so in the copy each square receives four times what it receives in the grid. Normalized with $\epsilon = 0$, a vector and its fourfold are the same, zeros included. What follows, the gain and the biases included, is the same too.

Let $\epsilon > 0$. The layer that adds, shrunk, holds $\delta N$ at the place $i$ of the square's colour, and 0 at nine places. The mean is $\delta N / 10$ and the variance is $\delta^2 N^2 (\tfrac1{10} - \tfrac1{100}) = 0.09\, \delta^2 N^2$. The feed-forward part subtracts from every place what stands at the place of black, which is minus the mean, normalized. This puts the mean back: $\delta N$ at $i$ and 0 elsewhere, divided by $\sqrt{0.09\,\delta^2 N^2 + \epsilon}$. It multiplies by $\sqrt\epsilon / \delta$, and that is the formula. A black square receives nothing and holds 0.

Let $x = 0.09\, \delta^2 N^2 / \epsilon$. As $1/\sqrt{1 + x} \ge 1 - x/2$, at most $N x / 2 = 0.045\, \delta^2 N^3 / \epsilon$ is missing from $N$. This is less than $\tfrac12$ if $N^3 < \tfrac{100}{9}\, \epsilon / \delta^2$, and $\tfrac{100}9 > 11$.

A normalized vector of ten numbers is at most $\sqrt{10}$ long, so what fixed parameters make of it is bounded, and counts are not. $\square$
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
Where a row ends low, what is still right are the black squares. The figure draws the formula of the box, for counts up to 40.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The smaller the counts are made before the normalization, the later it flattens them.* The number that the layer writes, against the count. Dashed: with ε = 0 the layer writes one number for every count. If the feed-forward part multiplies by 1, it is $3\\tfrac13$: the 3 from above less the $-\\tfrac13$ at the place of black.", "name": "fig-counting-flattened"}, "image": {"alt": "Four labelled curves over counts from 0 to 40: a flat line for epsilon 0, a curve that soon flattens near 10, one that flattens later, and one that stays on the diagonal.", "classes": "dark-light"}}
pictures.flattened_figure((1e-3, 3e-4, 1e-5), eps);

# %% [markdown]
r"""
So up to a fixed size normalization does not make counting impossible. But nothing in training on small grids asks for a $\delta$ that serves large ones. The trained layers take the same way. The paper explains them so (Equation 3): the feed-forward network keeps the standard deviation about static on the grids of training, where the division can then be undone, and fails on grids where it is not. In our trained layers the deviation itself is not static. But what they divide by nearly is on small grids, because $\epsilon$ is larger ([record](#count-equation-3)). As the paper saw, the squares that they count wrongly are mostly those whose numbers vary much before the normalization ([record](#count-figures)).

### A residual connection

The next part is the residual connection. It adds to what attention puts out the vector that went into attention, and likewise for the feed-forward part. So nothing has to be copied through, and a layer computes only what is to be added. Here that does harm: a square of colour 6 that has counted three holds $\mathbf{e}_6 + 3\,\mathbf{e}_6$, and 4 is wrong.

Make the count loud. Let attention multiply by 1000: the square holds $\mathbf{e}_6 + 3000\,\mathbf{e}_6$. Let the feed-forward part compute $-0.999$ times that. Its own residual connection adds what went in, so a thousandth is left: $0.001\,\mathbf{e}_6 + 3\,\mathbf{e}_6$. And $3.001$ rounds to 3. With a factor $L$ in place of 1000 the layer writes $N + 1/L$, and that rounds to $N$ for every $L > 2$, on grids of every size ([record](#count-residual)).

So normalization lets counts through if they are small compared with $\sqrt\epsilon$, and a residual connection if they are large compared with what it adds. What a layer with both can do, this page leaves open.

## Impossible, or hard to learn?

Now the two questions side by side. The first row of the table is the layer that adds, and the last one has no network. Each row between them changes one thing in that layer. The second column says whether there *are* parameters that count, and the last three what *training* reaches on three sizes of grid.

Two of the parts are new. *Biases in attention* are learned numbers added to what its four matrices give. **Dropout** sets a random tenth of the numbers to 0, and divides the others by 0.9, while the layer is trained.

Each layer is trained for 10,000 steps, fewer than for the figure. A **learning rate** says how far a step goes. We tried four, and each share is the mean of three runs at the rate that is best for it ([record](#count-factors)).
"""

# %% tags=["remove-input"]
swept = {row["configuration"]["name"]: row for row in stored("counting_factors").results}
dropped = answers.given(ouellette.kept(swept["dropout"]), 3)
glue("count_lesson_dropped", f"{dropped.mean():.2f}")
trained = ouellette.kept(swept["dropout"])
black = answers.black_right(trained, 20)
glue("count_lesson_dropout_black", f"{(black < 0.9).sum()} of {len(black)}")
trained.parameters()["Q"].data[:, :, 0] = 0  # black squares attend to nothing
assert answers.black_right(trained, 20).min() == 1
markdown_table(("what is changed", "are there parameters that count?", "6x6", "10x10", "20x20"),
               answers.parts_lines(swept))

# %% [markdown]
r"""
With softmax in place of adding, and without a start token, no parameters count on two sizes at once. With every added part there are parameters that count up to any fixed size. With biases, training finds them. With a residual connection or a normalization it finds parameters that are mostly right on small grids and fail on large ones.

Dropout has a reason of its own. While it is at work, an answer that stays is divided by its chance to stay, $0.9$. The least error is then reached by a number that is too small: $0.9 \cdot 3 = 2.7$ in place of 3 (Exercise 1). Our layers drop a square's numbers twice, behind attention and at the end. A count that is one number both times has the chance $0.9 \cdot 0.9 = 0.81$ to stay, and $0.81 \cdot 3 = 2.43$ is best. They also drop single attention weights, which lowers it a little more. For a count of 3 they write {glue:text}`count_lesson_dropped` on average.

On the largest grids {glue:text}`count_lesson_dropout_black` runs with dropout get black squares wrong as well: the small attention weights that a black square gives to others add up.

## What is proved for every length here

- The layer that adds counts every grid.
- A softmax transformer gives a grid and its copy the same outputs, under the conditions of the first box.
- With a start token a softmax layer counts up to any number, on grids up to any size, both fixed beforehand. No fixed parameters count at every size, under the conditions of the second box.
- A layer as in the third box cannot tell a grid from its copy if $\epsilon = 0$. If $\epsilon > 0$, it can count up to any number fixed beforehand, and no fixed parameters count at every size. The same holds with $\epsilon > 0$ if it normalizes after the feed-forward part instead (Exercise 2).
- With residual connections and the factor $L > 2$ a layer counts every grid.

The length of a grid is its number of squares. What training finds is *measured*, for the trainings, sizes and learning rates that this page and its record name.

## What to take away

- Attention with softmax reports shares. If a number matters, give it something to compare with that is always there, such as a start token.
- Ask first whether you need the number. To find the most frequent colour the largest share will do ([record](#count-arc)).
- Layer normalization divides sizes away. A size survives it if it is small beside $\sqrt\epsilon$.
- Test a counter on larger inputs than it was trained on, and compare its score with what 0 everywhere scores.
- Unknown: why training does not find the parameters that there are, say with a residual connection.

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
**2 (modify).** The layer of `by_hand.below_root_eps` normalizes after attention. Build one that normalizes after the feed-forward part, as the very last step, and counts to 100x100. The ten numbers of a normalized vector add up to 0. Which place can make up the sum, so that the other nine hold counts?

(`Ablation` says which parts a layer has, and `by_hand.by_hand` makes the layer, a `Counters`, from its matrices. `Q`, `K`, `V`, `O` and the feed-forward part's `F` are ten by ten, and `gamma` is ten numbers. What you leave out is 0. The products $\mathbf{W}^Q\mathbf{x}_i \cdot \mathbf{W}^K\mathbf{x}_j$ are divided by $\sqrt{10}$.)

:::{dropdown} Hint
The place of black is free: the gain $\gamma$ can set it to 0 after the normalization.
:::
"""

# %%
# try: by_hand.by_hand(Ablation(norms=("feed-forward",)), Q=..., K=..., gamma=...), and V, O, F
check("5.2", ...)

# %% tags=["hide-cell"]
beside = by_hand.beside_black(1e-9)
assert accuracies(beside, 100, 200, capped=False).grids[0] == 1
print("right at 100x100: the place of black takes up the mean, and the gain sets it to 0")
check("5.2", beside)

# %% [markdown]
r"""
:::{dropdown} Solution
Let the feed-forward part write $\delta N$ at the place of the colour and $-\delta N$ at the place of black. The mean is 0 and the variance is $0.2\,\delta^2 N^2$. Let the gain be $\sqrt\epsilon / \delta$, and 0 at the place of black. The square then gets $N / \sqrt{1 + 0.2\, \delta^2 N^2 / \epsilon}$, which by the proof above rounds to $N$ as long as $N^3 < 5\, \epsilon / \delta^2$. What fixed parameters write is bounded here, too.
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

For each colour but black a ReLU unit takes away 1, and what is left, times 36, is the count at the own colour and 0 at the others. Ten more units take away what the second residual connection adds. What is impossible is one such layer for *all* sizes.
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

The paper's tables and figures beside ours stand in the [record of this chapter](record_05_counting_ablations). Averages that forget quantity can still compute: chapter 6 runs any program on them.
"""
