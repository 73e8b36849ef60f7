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

*How can a network with one hidden layer tell whether a string has an odd number of 1s?*

**In one sentence:** it throws away everything but the number of 1s, writes that number down as a staircase of yes-or-no answers, and adds and subtracts the steps in turn, which takes a step for each bit.

<div class="live" data-live="thermometer"><p>1011 has three 1s: at least one, yes; two, yes; three, yes; four, no. 1 − 1 + 1 − 0 = 1, so it is accepted.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% tags=["hide-input"]
from math import comb

import numpy as np

from chapters.exercises.judge import check
from chapters.pages.ffnn_parity import (counting_units, errors_by_shape, learners, staircase,
    thermometer_figure, training_figure)
from lib.languages import PARITY
from lib.learning import feedforward
from lib.learning.feedforward import StepNetwork, train_parity
from lib.notebook import glue, markdown_table, use_style
from lib.transformer.space import Matrix
from record.runs import stored

use_style()

# %% [markdown]
r"""
## One string by hand

$\mathrm{PARITY}$ is the set of bit strings with an odd number of 1s. Is 1011 one of them?

Ask four questions. Does the string have at least one 1? At least two? At least three? At least four? It has three, so the answers are yes, yes, yes, no. Write 1 for yes and 0 for no, and take them with alternating signs:

$$
1 - 1 + 1 - 0 = 1.
$$

The string 1001 has two 1s. Its answers are yes, yes, no, no, and the sum is $1 - 1 + 0 - 0 = 0$. The sum is 1 for an odd number of 1s and 0 for an even one, because each further yes takes back what the last one did.

## As a network

Rumelhart, Hinton and Williams {cite}`rumelhart1986` made a network of this, for each length $n$, with one layer of $n$ hidden units. (A **unit** multiplies its inputs by **weights**, adds a **bias** and applies a function. Superscripts as in $W^1$ and $b^1$ number the layers.) They also reported that a network of this shape can find such weights by itself, from a random start. Chiang and Cholak {cite}`chiang2022` retell the construction, because their transformer grows out of it.

Let $x_i = \mathbb{I}[w_i = 1]$ say whether the $i$-th symbol is a 1. Let $k = \sum_i x_i$ be the number of 1s. Hidden unit $j$ asks whether $k$ is at least $j$, and the output adds the odd units and subtracts the even ones. The step function $H(x)$ is 1 for $x > 0$ and 0 otherwise. With it,

$$
h_j = H\bigl(k - j + \tfrac12\bigr), \qquad
y = H\Bigl(\sum_{j=1}^n (-1)^{j+1} h_j - \tfrac12\Bigr).
$$

What are the halves for? The number $k - j$ may be 0, and then the step function stands on its edge, in a {term}`tie`. The halves keep every comparison away from that. So all weights of hidden unit $j$ are 1, and its bias is $\tfrac12 - j$.

:::{admonition} The staircase
:class: result
For each $n \ge 1$, this network with $n$ hidden units decides PARITY on every string of length $n$. *Proved for every length.* [Record](#run-step-network)
:::

:::{dropdown} Proof
The number $k - j + \tfrac12$ is positive if and only if $k \ge j$. So the units 1 to $k$ say yes, and no others. The alternating sum $1 - 1 + 1 - \cdots$ of $k$ terms is 1 if $k$ is odd and 0 if $k$ is even. Less $\tfrac12$, that is positive if and only if $k$ is odd. $\square$
:::

What is surprising is how little the network knows. Parity looks like a property of every bit at once: change any one and the answer changes. Yet the network throws away everything but a count, writes the count down as a staircase of yes-or-no answers, and reads the parity off the staircase. The price is that the staircase has a step for each bit.

In code:
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
For $n = 4$ the first layer is this table. The columns $x_1, \dots, x_4$ are its weights, and the last column is its biases:
"""

# %%
network = parity_network(4)
units, inputs = ("h1", "h2", "h3", "h4"), ("x1", "x2", "x3", "x4", "b¹")
Matrix("W¹ and b¹", units, inputs, np.column_stack([network.W1, network.b1]))

# %% [markdown]
r"""
It does what we did by hand:
"""

# %%
# try: another string of four bits
w = "1011"
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

The hidden layer is a {term}`thermometer`: it fills up as the count rises, and which bits were 1 is gone. Strings with the same $k$ look alike to the output.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The hidden layer is a thermometer, and the alternating sum of its answers is the parity of $k$.* Dark: unit $j$ says yes, which it does exactly when $k \\ge j$. Above: the sum, for strings of length 8.", "name": "fig-thermometer"}, "image": {"alt": "Grid of hidden units against the number of ones, filled below the diagonal; above it a zigzag line alternates between 0 and 1.", "classes": "dark-light"}}
thermometer_figure(parity_network(8));

# %% [markdown]
r"""
## What it costs

For $n = 4$ the first layer holds 16 weights and 4 biases. The second layer holds 4 weights and one bias. Together that is $25 = 5^2$. In general a network for length $n$ holds $n^2 + n + n + 1 = (n + 1)^2$ numbers.

And it reads strings of one length only. The next length needs another network, with one more unit. Could fewer units do? Not if all first-layer weights are 1 (exercise 3); for other weights this chapter does not say.

## Losing one unit

Suppose that unit 3 dies and answers 0 for ever. On 1011 the sum is then $1 - 1 + 0 - 0 = 0$, and the string is rejected, wrongly. On 1111 the answers of the three other units remain. Their sum is $1 - 1 - 1 = -1$, and the string is rejected, rightly.

**Predict**: which strings of length 8 are decided wrongly without unit 3?

<p class="guess" data-right="3">k&nbsp;=&nbsp;3|every&nbsp;k&nbsp;≥&nbsp;3|every&nbsp;other&nbsp;k&nbsp;≥&nbsp;3</p>
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
:::{admonition} One unit lost
:class: result
Without unit $j$ the network decides wrongly exactly the strings with $k \ge j$ whose $k$ has the parity of $j$. *Proved for every length.* [Record](#ffnn-broken)
:::

:::{dropdown} Proof
Strings with $k < j$ do not notice. From $k = j$ on, the alternating sum misses one term. If $j$ is odd, the sum is one too small: 0 or $-1$ in place of 1 or 0, and everything is rejected. If $j$ is even, the sum is one too large: 2 or 1 in place of 1 or 0, and everything is accepted. So the wrong strings are those with $k \ge j$ whose $k$ has the parity of $j$. For $j = n$ that is $1^n$ alone. $\square$
:::

The damage does not stay at the step that is lost. Every second step above it fails too, because each answer leans on all the answers below.

## Moving the thresholds

The biases $\tfrac12 - j$ sit in the middle of a gap of width 1. Move all of them by some $\delta$. As long as $|\delta|$ is below $\tfrac12$, nothing changes. Just beyond it every unit is off by one, the thermometer reads $k + 1$ or $k - 1$, and every string but one is decided the wrong way round. (The one is $1^n$ if it reads $k + 1$ and $0^n$ if it reads $k - 1$.)

**Predict**: at $\delta = \tfrac12$ and at $\delta = -\tfrac12$ there are ties. Does the network err there?

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
At one of them. The step function breaks a tie downwards: $H(0) = 0$. At $\delta = -\tfrac12$ a unit asks whether $k > j$, which is off by one. At $\delta = +\tfrac12$ it still asks whether $k \ge j$, and no string is wrong.

How far a number is from where the decision would turn is its {term}`margin`. Here it is half a count, at every length. That is the opposite of what the transformer of the next chapter has: there the margin shrinks as the string grows.

## Can it be learned?

**Gradient descent** follows the slope of the error, and $H$ has none. A smooth or bent function in place of $H$, called an **activation**, is needed: the sigmoid $1/(1 + e^{-x})$, the hyperbolic tangent $\tanh x$, or the ReLU $\max(0, x)$. The shape stays: $n$ inputs, $n$ hidden units and one output. The weights start at random, and Adam, a form of gradient descent, lowers the {term}`cross-entropy` over all $2^n$ strings at once.

Nothing is held out: this asks whether descent can *find* a solution that we know to exist, which is the easiest question one can ask of it.

Here are 20 networks with hyperbolic tangents at $n = 4$, trained side by side in a few seconds. They differ in their random start alone.

**Predict**: how many of them will decide all 16 strings?

<p class="guess" data-right="1">0 to 6|7 to 13|14 to 20</p>
"""

# %%
run = train_parity(n=4, seeds=range(20), activation="tanh", steps=3000)
solved = run.errors == 0

# %% tags=["hide-input", "hide-output"] mystnb={"figure": {"caption": "*A few networks fall to zero; the others sit on plateaus where a few strings are wrong.* Cross-entropy of twenty networks with four hidden units at $n = 4$, while they learn.", "name": "fig-ffnn-training"}, "image": {"alt": "Twenty training curves of cross-entropy in bits; some fall towards zero, others flatten at plateaus.", "classes": "dark-light"}}
print(f"{solved.sum()} of {len(solved)} networks decide all 16 strings")
training_figure(run);

# %% tags=["hide-input"]
full = stored("ffnn_parity")
errors = errors_by_shape(full)
longer = np.array(errors["tanh", 1, 4][: len(solved)])
freed = ~solved[: len(longer)] & (longer == 0)
glue("ffnn_solved", int(solved.sum()))
glue("stuck", int(sum(~solved)))
glue("freed", int(sum(freed)))
glue("ffnn_narrow", errors["tanh", 1, 8].count(0))
glue("ffnn_wide", errors["tanh", 4, 8].count(0))

# %% [markdown]
r"""
Only {glue:text}`ffnn_solved` do. The others sit on plateaus, where they have a few strings wrong. Are the plateaus traps, or were we impatient?

A longer experiment, which is stored with the book, trains the same networks on to 10,000 steps. For {glue:text}`freed` of {glue:text}`stuck` it was impatience; the rest still err after 10,000 steps.

The experiment also tries other activations and other lengths. Each number counts the networks, of fifty, that decide every string of that length after these 10,000 steps:
"""

# %% tags=["remove-input"]
head, rows = learners(errors, widths=[1])
markdown_table(head, rows)

# %% [markdown]
r"""
With exactly $n$ units, as in the construction, ReLU networks are lost within a few bits and sigmoid ones a little later, although steep sigmoids come as close to the construction as one likes. The hyperbolic tangent holds out longest. It does better at odd $n$ than at even, for a reason that we do not know. Even $n = 2$, the exclusive or, is not learned from every start.

More units help. At $n = 8$, of fifty networks with hyperbolic tangents {glue:text}`ffnn_narrow` succeed with eight hidden units and {glue:text}`ffnn_wide` with four times as many, presumably because enough of many units begin in a useful place.

:::{admonition} Sometimes
:class: result
At every length from 2 to 8, some networks with exactly $n$ hidden units learn PARITY. How many do depends on the activation, and with $n$ units none of the three succeeded from every start at any length. *Measured.* [Record](#ffnn-training)
:::

### What they learn

Do the trained networks count? A unit of the construction weighs all bits alike. A learned one may turn some bits round first, that is, read $1 - x_i$ in place of $x_i$. For each bit turned round, the parity changes once, whatever the string, so that does no harm. Then the weights of a unit that counts have equal *sizes* and may differ in sign. Here is the network of the twenty in which most units count:
"""

# %% tags=["hide-input"]
best = counting_units(run).argmax()
hidden, bits = (range(1, size + 1) for size in run.W1[best].shape)
Matrix(f"W¹ and b¹ of seed {best}, rounded", [f"h{j}" for j in hidden],
       [*(f"x{i}" for i in bits), "b¹"], np.column_stack([run.W1[best], run.b1[best]]).round())

# %% tags=["hide-input"]
turned, thresholds = staircase(run.W1[best], run.b1[best])
glue("ffnn_turned", " and ".join(f"x{i}" for i in turned))
glue("ffnn_thresholds", ", ".join(f"{count:.1f}" for count in thresholds))

# %% [markdown]
r"""
This start has found the construction again. With {glue:text}`ffnn_turned` turned round, all of its units weigh the bits alike, up to sign, so each looks at the count. The counts at which they change their answers are {glue:text}`ffnn_thresholds`: the staircase. Other starts found something else, with [fewer units that count](#ffnn-learned). So descent can reach the construction, and reaches other solutions too.

## What is proved for every length here

- The network with $n$ hidden units decides PARITY on all strings of length $n$, and holds $(n + 1)^2$ numbers.
- Without unit $j$ it errs on the strings with $k \ge j$ whose $k$ has the parity of $j$, and on no others.
- With fewer than $n$ hidden step units whose first-layer weights are all 1, no network decides PARITY at length $n$ (exercise 3).

What the trained networks do is *measured*, at lengths to 8.

## What to take away

- If a function depends on a count alone, compute the count first and throw the rest away.
- A thermometer turns one number into many yes-or-no answers. A linear layer on top can then make any function of that number.
- Put thresholds in the middle of the gap, and know what happens at a tie.
- Before you give up a kind of network, try more random starts, more steps, more units. Each of these helped here.
- Unknown: why the hyperbolic tangent does better at odd lengths than at even ones.

## Exercises

**1 (compute).** How many strings of length 10 does the network decide wrongly without unit 7? Work it out, then run it.
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
**2 (modify).** Keep the hidden layer, for a length from 4 to 200, and change the second layer only, so that the network accepts exactly the strings
whose number of 1s is divisible by 3. Hint: the sum in the output moves by $W^2_j$, the weight of unit $j$ in the second layer, when $k$ goes from $j - 1$ to $j$.
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
print("W2 =", thirds.W2, " b2 =", thirds.b2)
check("1.2", thirds)

# %% [markdown]
r"""
**3 (prove or refute).** "A network with fewer than $n$ hidden step units, all of whose first-layer weights equal 1, decides
PARITY at length $n$." The thresholds and the second layer are free.

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "refuted", or a network that does it, which is run on a string for each number of 1s
check("1.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted by counting changes. Along the path $0^n, 10^{n-1}, 110^{n-2}, \dots, 1^n$ the answer has to change $n$ times. Unit $j$
sees $k$ alone, so along the path it changes at most once; where no hidden unit changes, the output stays as it is. Hence
$n$ changes need $n$ units. Below, random networks of this kind are searched for a counterexample: the largest number
of changes found equals the number of units and is not passed.
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
print("a wrong answer first:")
check("1.3", net)
check("1.3", "refuted")

# %% [markdown]
r"""
## What next

The network of this chapter buys each bit with a hidden unit. The {doc}`next chapter <02_transformer_parity_first>` builds one
transformer that decides PARITY at every length. In place of the staircase it marks the position whose number is $k$, and asks whether that position is odd. How the networks were trained, and all counts, stand in the [record of this chapter](record_01_ffnn_parity).
"""
