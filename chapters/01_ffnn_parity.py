# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# A feed-forward network for PARITY

*You will be able to* write down a network that decides PARITY at any one length, say what each of its hidden units
answers, predict what breaks when one is lost, and say why a transformer needs another idea.
"""

# %% [markdown]
"""
## Claim

$\mathrm{PARITY}$ is the set of bit strings with an odd number of 1s. Rumelhart, Hinton and Williams
{cite}`rumelhart1986` gave, for each length $n$, a network with one layer of $n$ hidden units that decides it, and
reported that a network of this shape can find such weights by itself from a random start. Chiang and Cholak
{cite}`chiang2022` retell the construction in §3.1, because their transformer grows out of it.

What is surprising is how little the network knows. Parity looks like a property of every bit at once: change any
one and the answer changes. Yet the network throws away everything but a count, writes the count down as a staircase
of yes-or-no answers, and reads the parity off the staircase. The price is that the staircase has a step for each bit.
"""

# %% tags=["hide-input"]
import matplotlib.pyplot as plt
import numpy as np

from chapters.exercises.judge import check
from lib.constructions import parity
from lib.constructions.mutants import mutants
from lib.languages import PARITY
from lib.learning.feedforward import parity_network, StepNetwork, train_parity
from lib.notebook import glue, markdown_table, COLOURS, REFERENCE, use_style
from lib.transformer.space import Matrix
from record.claims import Claims
from record.runs import stored

use_style()
claims = Claims("01_ffnn_parity")

# %% [markdown]
"""
## Construction

Let $x_i = \mathbb{I}[w_i = 1]$ and let $k = \sum_i x_i$ be the number of 1s. The hidden layer compares $k$ with
$1, 2, \dots, n$, one threshold for each unit; the output adds the answers of the odd units and subtracts those of the
even ones. With the step function $H(x) = \mathbb{I}[x > 0]$,

$$
h_j = H\bigl(k - j + \tfrac12\bigr) = \mathbb{I}[k \ge j], \qquad
y = H\Bigl(\sum_{j=1}^n (-1)^{j+1} h_j - \tfrac12\Bigr).
$$

The alternating sum $1 - 1 + 1 - \cdots$ has $k$ terms, so it is 1 when $k$ is odd and 0 when $k$ is even. The halves
keep every comparison away from a {term}`tie`. In the paper's matrices:
"""

# %%
def build(n):
    j = np.arange(1, n + 1)
    return StepNetwork(W1=np.ones((n, n)),                 # every unit counts the 1s ...
                       b1=0.5 - j,                         # ... unit j asks for at least j
                       W2=np.where(j % 2 == 1, 1, -1),     # odd units for, even ones against
                       b2=-0.5)


# %% [markdown]
"""
For $n = 4$ the first layer is this table, the columns $x_1, \dots, x_4$ being $\mathbf{W}^1$ and the last one
$\mathbf{b}^1$:
"""

# %%
network = build(4)
units, inputs = ("h1", "h2", "h3", "h4"), ("x1", "x2", "x3", "x4", "b¹")
Matrix("W¹ and b¹", units, inputs, np.column_stack([network.W1, network.b1]))

# %% [markdown]
"""
The library keeps the same network as `parity_network`. The two cannot drift apart, because the chapter stops here if
they differ:
"""

# %%
for n in range(1, 13):
    here, library = vars(build(n)), vars(parity_network(n))
    assert all(np.array_equal(here[name], library[name]) for name in ("W1", "b1", "W2", "b2"))

# %% [markdown]
"""
## Run it

### One string by hand

Take $w = 1011$. It has $k = 3$ ones, so units 1, 2 and 3 say yes and unit 4 says no; the output sees
$1 - 1 + 1 - 0 - \tfrac12 = \tfrac12 > 0$ and accepts.
"""

# %%
w = "1011"
print("hidden units:", network.hidden([w])[0])
print("accepted:    ", network.accepts([w])[0], " in PARITY:", PARITY.contains(w))

# %% [markdown]
"""
### What each hidden unit answers

The hidden layer is a {term}`thermometer`: it fills up as the count rises, and which bits were 1 is gone. Strings with the same $k$ look
alike to the output ({numref}`fig-thermometer`).
"""

# %%
n = 8
thermometer = parity_network(n)
answers = thermometer.hidden(["1" * k + "0" * (n - k) for k in range(n + 1)])  # a row for each k
sums = answers @ thermometer.W2

# %% tags=["hide-input"] mystnb={"figure": {"caption": "The hidden layer is a thermometer: unit $j$ says yes exactly when $k \\ge j$, and the alternating sum of the answers is the parity of $k$.", "name": "fig-thermometer"}, "image": {"alt": "Grid of hidden units against the number of ones, filled below the diagonal; above it a zigzag line alternates between 0 and 1.", "classes": "dark-light"}}
units = np.arange(1, n + 1)
figure, (top, bottom) = plt.subplots(2, sharex=True, height_ratios=[1, 3], figsize=(6.4, 3.6))
top.step(range(n + 1), sums, where="mid", color=COLOURS["PARITY"])
top.set(ylabel="sum", yticks=[0, 1], ylim=(-0.3, 1.3))
bottom.pcolormesh(np.arange(n + 1), units, answers.T, edgecolors="#77777744", linewidth=0.5)
bottom.set(xlabel="number $k$ of 1s in the string", ylabel="hidden unit $j$", yticks=units);

# %% [markdown]
"""
(run-step-network)=
### Every string to length 12

Arithmetic is no issue here: all numbers are half-integers, which floating point holds exactly. The equations above are a
proof for every length; the run below *decides each string to length 12* by the network itself.
"""

# %%
wrong_to_12 = []
for n in range(1, 13):
    strings = list(PARITY.all_strings(n))
    wrong_to_12 += PARITY.errors(strings, parity_network(n).accepts(strings))
print(f"{2**13 - 2} strings, {len(wrong_to_12)} decided wrongly")

# %% [markdown]
"""
(ffnn-training)=
### A network of this shape that is trained

The step function is flat on both sides of its jump and gives descent no direction, so a network that is to learn needs another activation. We keep the shape, $n$ inputs,
$n$ hidden units and one output, and put a sigmoid, a hyperbolic tangent or a ReLU in place of $H$. The weights are drawn at random
(PyTorch's default, in float64), and Adam minimises the {term}`cross-entropy` over all $2^n$ strings at once, at a learning rate of
0.02.

Nothing is held out: this asks whether descent can *find* a solution that we know to exist, which is the easiest question one can ask of it.

Here are 20 networks at $n = 4$, {term}`seeds <seed>` 0 to 19, trained side by side in a few seconds. **Predict** before you look: how many
of 20 will decide all 16 strings?

<p class="guess">0 to 6|7 to 13|14 to 20</p>
"""

# %%
run = train_parity(n=4, seeds=range(20), activation="tanh", steps=3000)
solved = run.errors == 0

# %% tags=["hide-input", "hide-output"] mystnb={"figure": {"caption": "Twenty networks with four hidden units at $n = 4$: some fall to zero, the others sit on plateaus where a few strings are wrong.", "name": "fig-ffnn-training"}, "image": {"alt": "Twenty training curves of cross-entropy in bits; some fall towards zero, others flatten at plateaus.", "classes": "dark-light"}}
print("strings decided wrongly, by seed:", run.errors)
print(f"{solved.sum()} of {len(solved)} networks decide all 16 strings")
figure, axis = plt.subplots()
axis.plot(run.losses_bits[:, ~solved], color="#999999", linewidth=1)
axis.plot(run.losses_bits[:, solved], color=COLOURS["PARITY"], linewidth=1)
axis.axhline(1, **REFERENCE)
axis.text(3000, 1.02, "guessing", ha="right", color="#777777")
axis.set(xlabel="training step", ylabel="cross-entropy (bits a string)", ylim=(0, 1.15));

# %% [markdown]
"""
Are the plateaus traps, or were we impatient? The full experiment takes longer than this
chapter may, so it is run by `python -m record.reproduce ffnn_parity` and loaded:
50 seeds, three activations, hidden layers of $n$, $2n$ and $4n$ units, and 10,000 steps.

Its first 20 seeds at $n = 4$
are the networks of {numref}`fig-ffnn-training`, trained on.
"""

# %%
full = stored("ffnn_parity")
errors = {(c["activation"], c["width"], c["n"]): row["result"]["errors"]
          for row in full.results for c in [row["configuration"]]}
longer = np.array(errors["tanh", 1, 4][:len(solved)])
freed = ~solved[:len(longer)] & (longer == 0)
print(f"of {sum(~solved)} networks stuck after 3,000 steps, {sum(freed)} are right after 10,000")

# %% [markdown]
"""
For {glue:text}`freed` of {glue:text}`stuck` it was impatience; the rest still err after 10,000 steps. Now the whole experiment:
"""

# %% tags=["hide-input"]
glue("stuck", int(sum(~solved)))
glue("freed", int(sum(freed)))
count = {key: wrong.count(0) for key, wrong in errors.items()}
lengths = sorted({n for *_, n in count})
names = {1: "n", 2: "2n", 4: "4n"}
markdown_table(["activation", "hidden units", *(f"n = {n}" for n in lengths)],
               [[activation, names[width], *(count[activation, width, n] for n in lengths)]
                for activation in ("sigmoid", "tanh", "relu") for width in names])

# %% [markdown]
"""
Each entry counts the networks, of 50, that decide every string of that length. With exactly $n$ units, as in the construction,
ReLU networks are lost within a few bits and sigmoid ones a little later, although steep sigmoids come as close to the
construction as one likes. The hyperbolic tangent holds out longest, and does better at odd $n$ than at even, for a reason
that we do not know.

Even $n = 2$, the exclusive or, is not learned from every start. Four times the width rescues most
starts, presumably because enough of many units begin in a useful place.
"""

# %% [markdown]
"""
### What they learn

Do the trained networks count? A unit of the construction weighs all bits alike. A learned one may turn some bits round first,
that is, read $1 - x_i$ in place of $x_i$; for each bit turned round, the parity changes once, whatever the string.

So we compare the *sizes* of a unit's weights. We call it
a counting unit if their standard deviation is below a fifth of their mean.
"""

# %%
sizes = np.abs(run.W1)
counting = solved * (sizes.std(axis=2) < 0.2 * sizes.mean(axis=2)).sum(axis=1)
for seed, units in zip(np.flatnonzero(solved), counting[solved]):
    print(f"seed {seed:2}: {units} of {len(sizes[seed])} units count")

# %%
best = counting.argmax()
hidden, bits = (range(1, size + 1) for size in run.W1[best].shape)
Matrix(f"W¹ and b¹ of seed {best}, rounded", [f"h{j}" for j in hidden],
       [*(f"x{i}" for i in bits), "b¹"], np.column_stack([run.W1[best], run.b1[best]]).round())

# %% [markdown]
"""
On the machine that built this page, this start has found the construction again: up to sign, all four of its units look in one
direction, the count after two bits are turned round, and they differ in their thresholds. Other starts found something else, with
fewer units that count. So descent can reach the construction, and reaches other solutions too.

### What it costs

A network for length $n$ holds $n^2$ weights and $n$ biases in its first layer, $n$ weights and one bias in its second:
$(n + 1)^2$ numbers. It reads strings of one length only; the next length needs another network, with one more unit.
"""

# %%
lengths_shown = np.arange(1, 41)
networks = [parity_network(n) for n in lengths_shown]
sizes = [net.W1.size + net.b1.size + net.W2.size + 1 for net in networks]
assert sizes == [(n + 1) ** 2 for n in lengths_shown]

# %% tags=["hide-input"] mystnb={"figure": {"caption": "The feed-forward network pays for every bit with a hidden unit and grows with the square of the length; the layers of the next chapter's transformer hold one fixed set of coefficients for every length.", "name": "fig-ffnn-cost"}, "image": {"alt": "Number of weights and hidden units of the network against string length, both rising; a flat dashed line below.", "classes": "dark-light"}}
coefficients = len(list(mutants(parity())))          # one mutant for each nonzero coefficient
figure, axis = plt.subplots()
axis.plot(lengths_shown, sizes, color=COLOURS["PARITY"], label="weights and biases")
axis.plot(lengths_shown, [len(net.b1) for net in networks], ":", color=COLOURS["PARITY"],
          label="hidden units")
axis.axhline(coefficients, **REFERENCE, label="coefficients in the transformer's layers")
axis.set(xlabel="string length $n$", ylabel="numbers", yscale="log")
axis.legend()
glue("coefficients", coefficients)

# %% [markdown]
"""
Could fewer units do? Exercise 3 asks.

## Break it

### Losing one unit

Suppose that unit $j$ dies and answers 0 for ever. **Predict:** which strings of length 8 are then decided wrongly for $j = 3$?

<p class="guess">k&nbsp;=&nbsp;3|every&nbsp;k&nbsp;≥&nbsp;3|every&nbsp;other&nbsp;k&nbsp;≥&nbsp;3</p>
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
"""
:::{dropdown} Why
Strings with $k < j$ do not notice. From $k = j$ on, the alternating sum misses one term: it is one too small if $j$ is odd, so that
everything is rejected, and one too large if $j$ is even, so that everything is accepted. Wrong are therefore the strings
with $k \ge j$ whose $k$ has the parity of $j$; for $j = n$ that is $1^n$ alone.
:::

### Moving the thresholds

The biases $\tfrac12 - j$ sit in the middle of a gap of width 1. Move all of them by $\delta$, and nothing should
change until $|\delta|$ reaches $\tfrac12$; then every unit is off by one, the thermometer reads $k \pm 1$, and nearly
every string is decided the wrong way round. **Predict:** does it err at $\delta = \tfrac12$ and at $-\tfrac12$, where the ties are?

<p class="guess">at both|at one|at neither</p>
"""

# %% tags=["hide-output"]
strings = list(PARITY.all_strings(8))
for shift in (-0.75, -0.5, -0.25, 0, 0.25, 0.49, 0.5, 0.75):
    net = parity_network(8)
    moved = StepNetwork(net.W1, net.b1 + shift, net.W2, net.b2)
    wrong = PARITY.errors(strings, moved.accepts(strings))
    print(f"shift {shift:+.2f}: {len(wrong):3} of {len(strings)} strings wrong")

# %% [markdown]
"""
:::{dropdown} Why
The expectation holds, all but one string being wrong beyond the gap, except in the row at $+\tfrac12$, which is right everywhere. The step function breaks a tie downwards,
$H(0) = 0$: at a shift of $-\tfrac12$ a unit asks $k > j$, which is off by one, and at $+\tfrac12$ it still asks $k \ge j$.
:::

A {term}`margin` of half a count at every length is the opposite of what the transformer of the next chapter has: there the
margin shrinks as the string grows.

(ffnn-measured)=
## Measured against the paper
"""

# %% tags=["hide-input"]
claims.settle("step-network: computes", here=len(wrong_to_12), agrees=wrong_to_12 == [])
for n in lengths:
    wins = {activation: count[activation, 1, n] for activation in ("sigmoid", "tanh", "relu")}
    claims.settle("training: learned", here=", ".join(f"{wins[name]} {name}" for name in wins),
                  agrees=any(wins.values()), source=full.source,
                  learners=", ".join(name for name in wins if wins[name]), n=n)
claims.table()

# %% [markdown]
"""
The construction is as stated. That a network learns it is a *sometimes*: the paper's sentence carries no number, and ours depends
on $n$, on the activation and on the width. Where the table counts no network at all for an activation, none of its 50 starts
got there in 10,000 steps; that is no proof that none could.

## Exercises

**1 (compute).** How many strings of length 10 does the network decide wrongly without unit 7? Work it out, then run it.
"""

# %%
# try: your answer in place of the dots
check("1.1", ...)

# %% tags=["hide-cell"]
from math import comb

predicted = sum(comb(10, k) for k in (7, 9))
broken = parity_network(10)
broken.W2[6] = 0
strings = list(PARITY.all_strings(10))
assert predicted == len(PARITY.errors(strings, broken.accepts(strings)))
print(predicted)
check("1.1", predicted)

# %% [markdown]
"""
**2 (modify).** Keep the hidden layer, for a length from 4 to 200, and change the second layer only, so that the network accepts exactly the strings
whose number of 1s is divisible by 3. Hint: the output moves by $W^2_j$ when $k$ goes from $j - 1$ to $j$.
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
"""
**3 (prove or refute).** "A network with fewer than $n$ hidden step units, all of whose first-layer weights equal 1, decides
PARITY at length $n$." The thresholds and the second layer are free.

<p class="guess">proved|refuted</p>
"""

# %%
# try: "refuted", or a network that does it, which is run on a string for each number of 1s
check("1.3", ...)

# %% [markdown]
"""
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
check("1.3", net)
check("1.3", "refuted")

# %% [markdown]
"""
## What next

A feed-forward network buys each bit with a hidden unit. The {doc}`next chapter <02_transformer_parity_first>` builds one
transformer that decides PARITY at every length, with {glue:text}`coefficients` nonzero coefficients in its layers: it replaces the thermometer by a marker at position $k$, and
the sum over units by attention.
"""
