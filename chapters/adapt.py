# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Adapt this

The book is made to be taken apart. Five additions, each in ten lines that run whenever the book is built.

## A language

A language is a name and a predicate on strings; membership, enumeration, sampling and the list of errors come with it.
"""

# %%
from lib.languages import Language

LAST = Language("LAST", lambda w: w.endswith("1"))
print([w for w in LAST.all_strings(3) if w in LAST], LAST.sample(length=6, size=2, seed=0))

# %% [markdown]
"""
## A construction

Name the coordinates, write each matrix row as a combination of names, and say which row is the logit. A position
encoding is a formula in $i$ and $n$, which each way of running computes in its own arithmetic.
"""

# %%
from lib.transformer import Construction, Encoder, Exact, Head, Layer, Space

S = Space("0", "1", "CLS", "[i=n-1]", "s")
zero, one, cls, end, s = S
look = Layer(heads=[Head(q=[cls], k=[end], v={"s": (one - zero - cls) / 2}, gain=1)])
last = Construction(S, word={"0": zero, "1": one, "CLS": cls}, position={"[i=n-1]": end},
                    layers=[look], output=s, name="LAST")

# %% [markdown]
"""
Both ways of running take it: `Encoder` on batches, `Exact` with a proof, with layer normalization or $\log n$ as you like.
"""

# %%
for length in range(1, 11):
    strings = list(LAST.all_strings(length))
    assert LAST.errors(strings, Encoder(last, log_n=True).accepts(strings)) == []
print("right to |w| = 10;", Exact(last, log_n=True).decide("0110001"))

# %% [markdown]
"""
## A formula

What can be said by counting needs no rows: state it, and [chapter 8](08_formulas_to_transformers) makes the transformer, with a verdict.
"""

# %%
from lib.formulas import compiled, verdict

busy = compiled('never(count(Q("0")) > count(Q("1")) + 2) and Q("1")', "01", "softmax")
print(busy.construction.size, verdict(busy, longest=8), sep="\n")

# %% [markdown]
"""
## An exercise

An exercise asks for something that can be run, and has a judge: a function that says what is wrong with an answer, with a string where it errs, or
`None`. The judge runs the answer, or computes what is right; of a statement it also knows whether "proved" or "refuted" is right. An answer of another type, or one
that fails when it is run, gets a sentence too.
"""

# %%
from dataclasses import replace
from chapters.exercises.judge import check, counterexample, exercise

@exercise("LAST", "a Construction that decides LAST under log n", Construction)
def decides_last(answer):
    return counterexample(LAST, Exact(answer, log_n=True).accepts, range(6))

for answer in (..., "no idea", replace(last, output=-s), last):
    check("LAST", answer)

# %% [markdown]
"""
A chapter's exercises stand in `chapters/exercises`, what they ask for in `exercises.yaml` there, and are numbered: `check("2.1", ...)` waits for the reader's answer, and the
solution's own answer is checked when the book is built. Tests give each judge wrong answers, and hold what it says of them.

## A chapter

Write `chapters/NAME.py`: a question, its answer, at most three results, in Markdown cells and short cells of code; its evidence goes to `chapters/record_NAME.py`, and what these pages alone use stands in `chapters/pages/NAME.py`.
What is constant in a claim stands in `record/criteria/NAME.yaml`, before anything runs: the row, which must be in `record/results/rows.json`, the quantity, the paper's value, the criterion.
"""

# %%
from pathlib import Path

print(Path("../record/criteria/example.yaml").read_text(encoding="utf-8"))

# %% [markdown]
"""
The code says what was found. Then `make notebooks` writes `NAME.ipynb`, a line in `_toc.yml` puts it into the book, `make record` records its claims, and
`make test` holds it to the book's measures. This is a claim, without the record:
"""

# %%
from record.claims import Claims

claims = Claims("example")
wrong = [w for w in LAST.all_strings(8) if (Encoder(last, log_n=True)(w) > 0) != (w in LAST)]
claims.settle("errors of LAST", here=len(wrong), agrees=wrong == [], length=8)
claims.claims[0]

# %% [markdown]
"""
What takes longer than a chapter's minute is an `Experiment` in a module of `record/experiments`: its configurations, a function that measures one, and one that replays a
stored result. `python -m record.reproduce NAME` runs it on all cores, on a GPU with `--device cuda`, or on a cluster with
`--scheduler tcp://HOST:8786`, and goes on where it was stopped.
"""
