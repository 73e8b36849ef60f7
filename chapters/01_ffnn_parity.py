# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# A feed-forward network for PARITY

*Is the number of 1s in a string odd? Change any bit, and the answer must change. How can a network with a single layer between input and output tell?*

**In one sentence:** forget everything except the number of 1s, write that number as a staircase of yes-or-no answers, and add and subtract the steps in turn.

It takes one step for each bit. Does training find such a staircase by itself? Sometimes, and sometimes it finds something stranger.
"""

# %% tags=["hide-input"]
from math import comb

import matplotlib.pyplot as plt
import numpy as np

from chapters.common.judge import check
from chapters.ffnn_parity.tables import counting_units, counts_read, errors_by_shape, learners
from lib.languages import PARITY
from chapters.ffnn_parity import feedforward
from chapters.ffnn_parity.feedforward import StepNetwork, bits, train_parity
from record.notebook import COLOURS, REFERENCE, glue, markdown_table, use_style

from record.runs import stored

use_style()

# %% [markdown]
r"""
## One string by hand

PARITY is the set of bit strings with an odd number of 1s. Every bit matters, but their order does not: 1100 and 0101 both have two 1s, and get the same answer. So a network may forget everything except the number of 1s. What remains is to tell odd from even, with a single kind of question: "are there at least this many?".

A network **accepts** a string if its output is 1. It **decides** PARITY if it accepts the strings of PARITY and no others. Should it accept 1011? Ask four questions. Does the string have at least one 1? At least two? At least three? At least four? It has three, so the answers are yes, yes, yes, no. Write 1 for yes and 0 for no, and take them with alternating signs:

$$
1 - 1 + 1 - 0 = 1.
$$

The string 1001 has two 1s. Its answers are yes, yes, no, no, and the sum is $1 - 1 + 0 - 0 = 0$. The sum is 1 for an odd number of 1s and 0 for an even one, because each further yes takes back what the last one did.

Press symbols in the demo: wherever you press, yeses appear and disappear only at the end of the staircase.

<div class="live" data-live="thermometer"><p>1011 has three 1s: at least one, yes; two, yes; three, yes; four, no. 1 − 1 + 1 − 0 = 1, so it is accepted.</p></div><script type="module" src="../_static/live.mjs"></script>

## As a network

Rumelhart, Hinton and Williams {cite}`rumelhart1986` turned this into a network, for each length $n$, and reported that a network of this shape can find such weights by itself, from a random start. Chiang and Cholak {cite}`chiang2022` retell the construction, because their transformer grows out of it.

A **unit** multiplies each input by a **weight**, adds up the products and a **bias**, and applies a function to the sum. The bits of the string go to $n$ **hidden** units, the first layer. Their answers go to one output unit, the second layer. Nothing flows back: the network is **feed-forward**.

Let $x_i = \mathbb{I}[w_i = 1]$ say whether the $i$-th symbol is a 1. Let $k = \sum_i x_i$ be the number of 1s. Hidden unit $j$ asks whether $k$ is at least $j$, and $h_j$ is its answer. The output $y$ adds the answers of the odd units and subtracts those of the even ones. With the step function $H(x)$, which is 1 for $x > 0$ and 0 otherwise,

$$
h_j = H\bigl(k - j + \tfrac12\bigr), \qquad
y = H\Bigl(\sum_{j=1}^n (-1)^{j+1} h_j - \tfrac12\Bigr).
$$

What are the halves for? Without the first half, $H(0) = 0$ would answer no at $k = j$, where the answer is yes. Without the second half every answer would still be correct. But a sum of 0 would be a {term}`tie`, exactly on the edge of the step, where the smallest error could change the answer. Each half moves the edge midway between two whole numbers.

Because $k = x_1 + \cdots + x_n$, all weights of hidden unit $j$ are 1. Its bias is $\tfrac12 - j$.

:::{admonition} The staircase
:class: result
For each $n \ge 1$, this network with $n$ hidden units decides PARITY on every string of length $n$. *Proved for every length.* [Record](#run-step-network)
:::

:::{dropdown} Proof
The number $k - j + \tfrac12$ is positive if and only if $k \ge j$. So the units 1 to $k$ say yes, and no others. The alternating sum $1 - 1 + 1 - \cdots$ of $k$ terms is 1 if $k$ is odd and 0 if $k$ is even. Minus $\tfrac12$, it is positive if and only if $k$ is odd. $\square$
:::

In the code, `StepNetwork` is a network of step functions, and the digit in `W1` is the number of the layer:
"""

# %%
def parity_network(n):
    j = np.arange(1, n + 1)
    return StepNetwork(W1=np.ones((n, n)),                 # every unit counts the 1s ...
                       b1=0.5 - j,                         # ... unit j asks for at least j
                       W2=np.where(j % 2 == 1, 1, -1),     # odd units for, even ones against
                       b2=-0.5)

# %% [markdown]
r"""
The network does what we did by hand:
"""

# %%
# try: another string
w = "1011"
network = parity_network(len(w))
[answers], [accepted] = network.hidden([w]), network.accepts([w])
print("hidden units:", answers)
print("accepted:    ", accepted, " in PARITY:", PARITY.contains(w))

# %% tags=["hide-input"]
for n in range(1, 13):  # the library's copy is the same
    here, library = vars(parity_network(n)), vars(feedforward.parity_network(n))
    assert all(np.array_equal(here[name], library[name]) for name in ("W1", "b1", "W2", "b2"))

# %% [markdown]
r"""
## What each hidden unit answers

The hidden layer is a {term}`thermometer`, which fills up as the count rises:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The hidden layer is a thermometer, and the alternating sum of its answers is the parity of $k$.* Dark: unit $j$ says yes, and enters the sum with the sign in the cell. Above: the sum of each column, for strings of length 8.", "name": "fig-thermometer"}, "image": {"alt": "Grid of hidden units against the number of ones, filled below the diagonal with plus signs in odd rows and minus signs in even ones; above each column its sum, 0 and 1 in turn.", "classes": "dark-light"}}
eight, k, units = parity_network(8), np.arange(9), np.arange(1, 9)
says = eight.hidden(["1" * ones + "0" * (8 - ones) for ones in k])
sums = says @ eight.W2
figure, (top, bottom) = plt.subplots(2, sharex=True, height_ratios=[1, 3], figsize=(6.4, 3.6))
top.plot(k, sums, "o", color=COLOURS["PARITY"])
top.vlines(k, 0, sums, color=COLOURS["PARITY"], linewidth=1.5)
top.set(ylabel="sum", yticks=[0, 1], ylim=(-0.3, 1.3))
bottom.pcolormesh(k, units, says.T, edgecolors="#77777744", linewidth=0.5)
for ones, unit in np.argwhere(says):
    sign = "+" if eight.W2[unit] > 0 else "−"
    bottom.text(ones, unit + 1, sign, color="white", ha="center", va="center")
bottom.set(xlabel="number $k$ of 1s in the string", ylabel="hidden unit $j$", yticks=units);

# %% [markdown]
r"""
## What it costs

For $n = 4$ the first layer holds 16 weights and 4 biases, and the second layer 4 weights and one bias. Together that is $25 = 5^2$. In general a network for length $n$ holds $n^2 + n + n + 1 = (n + 1)^2$ numbers.

And it reads strings of one length only. The next length needs another network, with one more unit. Could fewer units do it? Exercise 3 asks this for first-layer weights of 1. For other weights this chapter leaves it open.

## Losing one unit

Suppose that unit 3 dies and answers 0 forever. On 1011 the sum is then $1 - 1 + 0 - 0 = 0$, and the string is rejected, which is wrong. On 1111 the sum is $1 - 1 + 0 - 1 = -1$, and the string is rejected, which is correct.

**Predict**: which strings of length 8 are decided incorrectly without unit 3?

<p class="guess" data-right="3">k&nbsp;=&nbsp;3|every&nbsp;k&nbsp;≥&nbsp;3|every&nbsp;odd&nbsp;k&nbsp;≥&nbsp;3</p>
"""

# %% tags=["hide-output"]
# try: another length n, or other lost units
n, strings = 8, list(PARITY.all_strings(8))
for lost in (3, 8):
    broken = parity_network(n)
    broken.W2[lost - 1] = 0
    wrong = PARITY.errors(strings, broken.accepts(strings))
    counts = sorted({w.count("1") for w in wrong})
    print(f"without unit {lost}: {len(wrong)} strings wrong, those with k in {counts}")

# %% [markdown]
r"""
Without unit 3 no string with $k \ge 3$ is accepted. An even unit fails the other way: without unit 2 the sum on 1100 is $1 - 0 + 0 - 0 = 1$, and the string is accepted, which is wrong.

:::{admonition} One unit lost
:class: result
Without unit $j$ the network errs on exactly those strings with $k \ge j$ whose $k$ has the parity of $j$. *Proved for every length.* [Record](#ffnn-broken)
:::

:::{dropdown} Proof
Strings with $k < j$ do not notice. From $k = j$ on, the alternating sum misses one term. If $j$ is odd, the sum is one too small: 0 or $-1$ in place of 1 or 0. Neither is accepted, which is wrong where $k$ is odd. If $j$ is even, the sum is one too large: 2 or 1 in place of 1 or 0. Both are accepted, which is wrong where $k$ is even. $\square$
:::

## Moving the thresholds

Learned or rounded numbers come out a little off. How far off may the biases be? Unit $j$ changes its answer at the **threshold** $k = j - \tfrac12$, in the middle of a gap of width 1. Adding some $\delta$ to all biases moves all thresholds down by $\delta$. As long as $|\delta| < \tfrac12$, no answer changes. For $\tfrac12 < \delta < \tfrac32$ the thermometer reads one too many, so every answer is wrong, except on the string of $n$ ones, where the thermometer is already full. For $-\tfrac32 < \delta < -\tfrac12$ it reads one too few, and only the string of $n$ zeros is decided correctly.

**Predict**: at $\delta = \pm\tfrac12$ there are ties. Does the network err there?

<p class="guess" data-right="2">at both|at one|at neither</p>
"""

# %% tags=["hide-output"]
strings = list(PARITY.all_strings(8))
for shift in (-0.75, -0.5, -0.25, 0, 0.25, 0.49, 0.5, 0.75):
    net = parity_network(8)
    moved = StepNetwork(net.W1, net.b1 + shift, net.W2, net.b2)
    wrong = PARITY.errors(strings, moved.accepts(strings))
    print(f"shift {shift:+.2f}: {len(wrong):3} of {len(strings)} strings wrong")

# %% [markdown]
r"""
At $\delta = -\tfrac12$ unit $j$ asks whether $k > j$, and misses $k = j$. At $\delta = \tfrac12$ it asks whether $k > j - 1$, which is the same as $k \ge j$.

## Can it be learned?

**Gradient descent** follows the slope of the error, and $H$ has no slope to follow: it is flat except at its jump. So in the hidden units another function replaces $H$, a smooth or bent **activation**: the sigmoid $1/(1 + e^{-x})$, the hyperbolic tangent $\tanh x$, or the ReLU $\max(0, x)$. The output gets the sigmoid, whose value is read as the probability that the number of 1s is odd, and the network accepts if that is above a half.

The weights start at random, and Adam, a form of gradient descent, improves them step by step. Adam lowers a cost, also called *loss*. A string costs $\log_2 (1/p)$ bits if the network gives its right answer the probability $p$: being sure and right costs 0, and guessing with $p = \tfrac12$ costs 1. The mean over all $2^n$ strings is the {term}`cross-entropy`.

We keep no strings back for a test, because we ask only whether descent can *find* a solution. A solution exists for each of the three activations.

:::{dropdown} Why
With a steep sigmoid $\sigma(c(k - j + \tfrac12))$ in place of each step, the alternating sum tends to 0 or 1 as $c$ grows. Because $\tanh x = 2\sigma(2x) - 1$, hyperbolic tangents do the same with other numbers. With $R(x) = \max(0, x)$, the $n$ terms of $R(k) - 2R(k - 1) + 2R(k - 2) - \cdots \pm 2R(k - n + 1)$ draw a zigzag through 0, 1, 0, 1 and so on. In each case the output then subtracts $\tfrac12$ and enlarges the difference.
:::

Here are 20 networks with hyperbolic tangents at $n = 4$. They differ only in their random start.

**Predict**: how many of them will decide all 16 strings?

<p class="guess" data-right="1">0 to 6|7 to 13|14 to 20</p>
"""

# %% tags=["hide-output"]
run = train_parity(n=4, seeds=range(20), activation="tanh", steps=3000)
solved = run.errors == 0
print(f"{solved.sum()} of {len(solved)} networks decide all 16 strings")

# %% [markdown]
r"""
Some curves stay nearly level for a long time: they are on a **plateau**.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*All networks soon do better than guessing, a few go on down to zero, and the others stay on plateaus.* Cross-entropy of twenty networks with four hidden units at $n = 4$, while they learn. Blue: those that decide all strings in the end.", "name": "fig-ffnn-training"}, "image": {"alt": "Twenty training curves of cross-entropy in bits; some fall towards zero, others flatten at plateaus.", "classes": "dark-light"}}
figure, axis = plt.subplots()
steps = len(run.losses_bits)
axis.plot(run.losses_bits[:, ~solved], color="#999999", linewidth=1)
axis.plot(run.losses_bits[:, solved], color=COLOURS["PARITY"], linewidth=1)
axis.axhline(1, **REFERENCE)
for height, said, colour in ((1.02, "guessing", "#777777"),
                             (0.28, f"not solved by step {steps}", "#777777"),
                             (0.04, "solved", COLOURS["PARITY"])):
    axis.text(steps, height, said, ha="right", color=colour)
axis.set(xlabel="training step", ylabel="cross-entropy (bits a string)", ylim=(0, 1.15));

# %% tags=["hide-input"]
full = stored("ffnn_parity")
errors = errors_by_shape(full)
longer = np.array(errors["tanh", 1, 4][: len(solved)])
freed = ~solved[: len(longer)] & (longer == 0)
glue("ffnn_solved", int(solved.sum()))
glue("stuck", int(sum(~solved)))
glue("freed", int(sum(freed)))
glue("ffnn_joined", len(solved))
h = np.tanh(np.einsum("xi,rji->rxj", bits(list(PARITY.all_strings(4))), run.W1) + run.b1[:, None])
p = 1 / (1 + np.exp(-np.einsum("rxj,rj->rx", h, run.W2) - run.b2.reshape(-1, 1)))
open_strings = ((0.1 < p) & (p < 0.9)).sum(axis=1)[~solved]
glue("ffnn_fewest", int(open_strings.min()))
glue("ffnn_most", int(open_strings.max()))
glue("ffnn_narrow", errors["tanh", 1, 8].count(0))
glue("ffnn_wide", errors["tanh", 4, 8].count(0))

# %% [markdown]
r"""
Only {glue:text}`ffnn_solved` decide all strings. What do the others lack? Each is sure of most strings, and right. To the remaining {glue:text}`ffnn_fewest` to {glue:text}`ffnn_most` strings it gives nearly the same probability, although some are in PARITY and some are not.

Are the plateaus traps, or were we impatient? A longer experiment, stored with the book, trains fifty networks for 10,000 steps, our {glue:text}`ffnn_joined` among them. Of the {glue:text}`stuck` that were on plateaus, {glue:text}`freed` now decide all strings. The rest still err.

The experiment also tries other activations and lengths. The table counts how many of fifty networks decide all strings after 10,000 steps:
"""

# %% tags=["remove-input"]
head, rows = learners(errors, widths=[1])
markdown_table(head, rows)

# %% [markdown]
r"""
With exactly $n$ units, as in the construction, no ReLU network succeeds from $n = 5$ on and no sigmoid network from $n = 7$ on. Some with hyperbolic tangents succeed at every length here. Because $\tanh x = 2\sigma(2x) - 1$, networks of sigmoids can compute the same functions, and only learn differently. From $n = 3$ on, hyperbolic tangents do better at each odd $n$ than at the even $n$ before and after it.

More units helped: of fifty networks with hyperbolic tangents at $n = 8$, {glue:text}`ffnn_narrow` succeed with eight hidden units, and {glue:text}`ffnn_wide` with four times as many.

:::{admonition} Sometimes
:class: result
At every length from 2 to 8, some networks with exactly $n$ hidden units learn PARITY. How many do so depends on the activation. At each of these lengths and with each of the three activations, some networks with $n$ units also failed. *Measured.* [Record](#ffnn-training)
:::

### What they learn

Do the trained networks count? A trained unit may have the weight $-5$ on $x_1$ and 5 on the rest. It still counts: because $-5 x_1 = 5(1 - x_1) - 5$, it counts the 1s of the string whose first bit has been *flipped*, and the $-5$ at the end goes into the bias. So we say that a unit counts if the sizes of its weights are [nearly equal](#ffnn-learned), whatever their signs. Flipping an even number of bits keeps the parity of a string. Flipping an odd number reverses it, and the output can make up for that by changing all its signs.

Among the networks that decide all strings, this one has the most units that count:
"""

# %% tags=["hide-input"]
best = counting_units(run).argmax()
W1, b1, W2 = run.W1[best], run.b1[best], run.W2[best]
is_turned = W1[0] < 0  # the bits that the first unit flips
weights, biases = np.where(is_turned, -W1, W1), b1 + W1[:, is_turned].sum(axis=1)
flips, turns_at = np.sign(weights.sum(axis=1)), -biases / weights.mean(axis=1)
numbers = np.column_stack([weights, biases, W2]) * flips[:, None]
head = ["", *(f"1 − x{i}" if turned else f"x{i}" for i, turned in enumerate(is_turned, 1))]
rows = [[f"h{j + 1}", *(f"{x:.1f}" for x in [*numbers[j], turns_at[j]])]
        for j in np.argsort(turns_at)]
rows.append(["output", *[""] * len(is_turned), f"{run.b2[best].item():.1f}", "", ""])
others = solved & (np.arange(len(solved)) != best)
for name, found in (("ffnn_counting", counting_units(run)), ("ffnn_counts", counts_read(run))):
    glue(name, " to ".join(map(str, sorted({found[others].min(), found[others].max()}))))
markdown_table([*head, "bias", "second layer", "changes at k ="], rows)

# %% [markdown]
r"""
This is nearly the construction. A bit whose column is headed $1 - x_i$ has been flipped, and $k$ is now the number of 1s after these flips. The last column, by which the rows are sorted, gives the $k$ at which a unit's answer changes sign: minus the bias, divided by the mean weight. In the construction these are $\tfrac12, \tfrac32, \tfrac52, \tfrac72$. In the second layer the signs alternate, as they should. A hyperbolic tangent says nearly $-1$ for no and 1 for yes, so the alternating sum of such answers is about 0 or 2, and the output's bias puts the edge between the two.

In some units we changed all signs in both layers, which does not change what the network computes, because $\tanh(-x) = -\tanh x$.

Other starts found other solutions. In each of those, {glue:text}`ffnn_counting` of the four units [count](#ffnn-learned), but after flipping different bits. So these units read {glue:text}`ffnn_counts` different counts, which make no staircase. How do they decide PARITY? The table shows one such network. Each unit is named with the signs of its weights, and each cell is what the unit adds to the output, its answer times its weight in the second layer:
"""

# %% tags=["hide-input"]
strange = np.flatnonzero(others)[0]
W1, b1, W2, b2 = run.W1[strange], run.b1[strange], run.W2[strange], run.b2[strange].item()
names = [f"h{j + 1} ({''.join('+' if x > 0 else '−' for x in unit)})" for j, unit in enumerate(W1)]
some = ["0000", "1000", "1100", "1110", "1111"]
parts = W2 * np.tanh(bits(some) @ W1.T + b1)
sums = parts.sum(axis=1) + b2
markdown_table(("string", *names, "bias", "sum", "accepted"),
               [(w, *(f"{x:.1f}" for x in [*part, b2, total]), "yes" if total > 0 else "no")
                for w, part, total in zip(some, parts, sums)])

# %% [markdown]
r"""
In a staircase each row would change one cell, and later rows would leave it alone. Here cells go up and come down again. But the sum in each row is above 0 if and only if the number of 1s is odd.

## What to take away

- If a function depends on a count alone, compute the count first and throw the rest away.
- A thermometer turns one number into many yes-or-no answers. A linear layer on top can then make any function of that number.
- Put thresholds in the middle of the gap, and know what happens at a tie.
- Before you give up on a kind of network, try more random starts, more steps, more units. Each of these helped here.
- Unknown: why the hyperbolic tangent does better at odd lengths, and whether the networks that still err after 10,000 steps would ever get there.

## Exercises

**1 (compute).** How many strings of length 10 does the network decide incorrectly without unit 7? Work it out, then run it.
"""

# %%
# try: your answer in place of the dots
check("1.1", ...)

# %% tags=["hide-cell"]
predicted = sum(comb(10, k) for k in (7, 9))
broken = parity_network(10)
broken.W2[6] = 0
strings = list(PARITY.all_strings(10))
assert predicted == len(PARITY.errors(strings, broken.accepts(strings)))
print(predicted)
check("1.1", predicted)

# %% [markdown]
r"""
**2 (modify).** Choose a length from 4 to 200, keep the hidden layer, and change the second layer so that the network accepts exactly the strings
whose number of 1s is divisible by 3. Hint: the sum in the output changes by $W^{(2)}_j$, the weight of unit $j$ in the second layer, when $k$ goes from $j - 1$ to $j$.
"""

# %%
# try: your network in place of the dots
check("1.2", ...)

# %% tags=["hide-cell"]
n = 9
target = np.array([k % 3 == 0 for k in range(n + 1)], dtype=int)
net = parity_network(n)
thirds = StepNetwork(net.W1, net.b1, W2=np.diff(target), b2=target[0] - 0.5)
strings = list(PARITY.all_strings(n))
assert (thirds.accepts(strings) == [w.count("1") % 3 == 0 for w in strings]).all()
print("n =", n, " W2 =", thirds.W2, " b2 =", thirds.b2)
check("1.2", thirds)

# %% [markdown]
r"""
**3 (prove or refute).** "For some $n$ there is a network with fewer than $n$ hidden step units, all of whose first-layer weights equal 1, that decides PARITY at length $n$." The thresholds and the second layer are free.

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "refuted", or a network that does it, which is run on a string for each number of 1s
check("1.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted by counting changes. Along the path $0^n, 10^{n-1}, 110^{n-2}, \dots, 1^n$ the answer has to change $n$ times. Unit $j$
compares $k$ with a threshold, and $k$ only grows along the path, so the unit changes at most once. Where no hidden unit changes, the output stays as it is. Hence
$n$ changes need $n$ units.
:::
"""

# %% tags=["hide-cell"]
draw, n, units = np.random.default_rng(0), 8, 5
path = ["1" * k + "0" * (n - k) for k in range(n + 1)]
changes = []
for _ in range(5000):
    net = StepNetwork(W1=np.ones((units, n)), b1=draw.uniform(-n, 0, units),
                      W2=draw.normal(size=units), b2=draw.normal())
    changes.append(int(np.abs(np.diff(net.accepts(path).astype(int))).sum()))
assert max(changes) == units
print(f"at most {max(changes)} changes with {units} units; PARITY needs {n}")
check("1.3", "refuted")

# %% [markdown]
r"""
## What next

The network of this chapter pays for each bit with a hidden unit. The {doc}`next chapter <02_transformer_parity_first>` builds one
transformer that decides PARITY at every length. The [record of this chapter](record_01_ffnn_parity) says how the networks were trained, and has all counts.
"""
