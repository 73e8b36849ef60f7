# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Record of chapter 1: A feed-forward network for PARITY

Section 3.1 of Chiang and Cholak {cite}`chiang2022` says that a network computes PARITY, and that training can find one. We prove the first statement, and measure the second for $n$ from 2 to 8. This page gives criteria, settings and counts for [the lesson](01_ffnn_parity).

(ffnn-measured)=
## Outcome
"""

# %% tags=["remove-input"]
from chapters.common.outcome import outcome_table

outcome_table("01_ffnn_parity")

# %% tags=["hide-input"]
import numpy as np

from chapters.ffnn_parity.tables import (ACTIVATIONS, counting_units, counts_read,
                                         errors_by_shape, learners)
from lib.languages import PARITY
from chapters.ffnn_parity.feedforward import parity_network, train_parity
from record.notebook import markdown_table, use_style
from record.claims import Claims
from record.runs import stored

use_style()
claims = Claims("01_ffnn_parity")

# %% [markdown]
r"""
## The construction

(run-step-network)=
### Every length, and every string up to length 12

*Proved for every length:* hidden unit $j$ answers $H(k - j + \tfrac12)$, which is 1 if and only if $k \ge j$. So the output gets the alternating sum of $k$ ones, minus $\tfrac12$, and this is positive if and only if $k$ is odd. $\square$

As a check, the network itself decides each string of the lengths 1 to 12. Rounding causes no errors, because all numbers are half-integers, which floating point holds exactly. The criterion is that no string is decided incorrectly.
"""

# %%
wrong_to_12 = []
for n in range(1, 13):
    strings = list(PARITY.all_strings(n))
    wrong_to_12 += PARITY.errors(strings, parity_network(n).accepts(strings))
print(f"{2**13 - 2} strings, {len(wrong_to_12)} decided incorrectly")
claims.settle("step-network: computes", here=len(wrong_to_12), agrees=wrong_to_12 == [])
found = "some string is wrong" if wrong_to_12 else "every n"
claims.settle("step-network: every n", here=found, agrees=wrong_to_12 == [])

# %% [markdown]
r"""
(ffnn-broken)=
### Each unit lost

The lesson proves which strings are decided incorrectly without unit $j$: those with $k \ge j$ whose $k$ has the parity of $j$. For every length up to 10 we remove each unit and decide every string. The table of outcomes has no line for this check.
"""

# %%
for n in range(1, 11):
    strings = list(PARITY.all_strings(n))
    for j in range(1, n + 1):
        broken = parity_network(n)
        broken.W2[j - 1] = 0
        wrong = PARITY.errors(strings, broken.accepts(strings))
        ones = [w.count("1") for w in strings]
        assert wrong == [w for w, k in zip(strings, ones) if k >= j and (k - j) % 2 == 0]
print("as the lesson says, for every unit of every length up to 10")

# %% [markdown]
r"""
(ffnn-cost)=
### Size

A network for length $n$ holds $(n + 1)^2$ numbers. The transformer of chapter 2 holds one fixed set of coefficients in its layers, for every length.
"""

# %% [markdown]
r"""
(ffnn-training)=
## Trained networks of this shape

**Settings.** The networks have $n$ inputs, $n$, $2n$ or $4n$ hidden units with a sigmoid, a hyperbolic tangent or a ReLU, and one output with a sigmoid. The weights are drawn at random by PyTorch's default, in float64, from seeds 0 to 49. Adam minimizes the cross-entropy over all $2^n$ strings at once, at a learning rate of 0.02, for 10,000 steps. The run is stored, and `python -m record.reproduce ffnn_parity` repeats it. Its first 20 seeds at $n = 4$ with $n$ hyperbolic tangents are the networks that the lesson trains live for 3,000 steps.

**Criterion.** A network has learned a length if, after the last step, it decides every string of that length correctly; the table counts the networks, of 50, that have. The paper gives no number, so one network of fifty is enough.
"""

# %%
full = stored("ffnn_parity")
errors = errors_by_shape(full)
head, rows = learners(errors, widths=[1, 2, 4])
markdown_table(head, rows)

# %%
for n in sorted({n for *_, n in errors}):
    wins = {name: errors[name, 1, n].count(0) for name in ACTIVATIONS}
    claims.settle(
        "training: learned",
        here=", ".join(f"{wins[name]} {name}" for name in wins),
        agrees=any(wins.values()),
        source=full.source,
        learners=", ".join(name for name in wins if wins[name]),
        n=n,
    )

# %% [markdown]
r"""
So "a network learns PARITY" means *sometimes*, and how often depends on $n$, on the activation and on the width. A 0 in the table means that none of 50 starts got there in 10,000 steps. That is no proof that none could.

(ffnn-learned)=
### What they learn

We call a unit a counting unit if the absolute values of its weights have a standard deviation below a fifth of their mean. (We ignore the signs because a unit may read $1 - x_i$ in place of $x_i$.) Two counting units read the same count if they flip the same bits, or if one flips exactly those that the other does not. The networks are trained here again, and on another machine other starts may succeed.
"""

# %%
run = train_parity(n=4, seeds=range(20), activation="tanh", steps=3000)
print("strings decided incorrectly, by seed:", run.errors)
for seed in np.flatnonzero(run.errors == 0):
    print(
        f"seed {seed:2}: {counting_units(run)[seed]} of {run.W1.shape[1]} units count,",
        f"different counts: {counts_read(run)[seed]}",
    )

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says
