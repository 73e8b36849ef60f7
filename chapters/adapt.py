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

The book is made to be taken apart. What one may add, each in some lines that run whenever the book is built.

## A network that was trained

Train a network on samples, and ask what it does on *every* string. It should say whether a string holds at least two 1s. Its words, positions and output are its
own; the rest is PyTorch's encoder.
"""

# %%
import numpy as np
import torch
from torch import nn
from lib.languages import Language

TWO = Language("two 1s", lambda w: w.count("1") >= 2)
TOKENS = {"0": 0, "1": 1}  # a string stands between the tokens 2 and 3


def batch(length, size, seed):
    words = TWO.sample(length, size, seed)
    return words, torch.tensor([float(w in TWO) for w in words])


# %%
class Net(nn.Module):
    def __init__(self, width=16, longest=48):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 2, 64, 0.0, "gelu", batch_first=True)
        self.word, self.position = nn.Embedding(4, width), nn.Embedding(longest, width)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.output = nn.Linear(width, 1)

    def forward(self, words):
        rows = torch.tensor([[2, *(TOKENS[a] for a in w), 3] for w in words])
        return self.output(self.encoder(self.word(rows) + self.position.weight[: rows.shape[1]])[:, -1])


# %%
torch.manual_seed(0)
net, draw = Net(), np.random.default_rng(0)
descent = torch.optim.AdamW(net.parameters(), 3e-3)
for step in range(600):
    words, right = batch(int(draw.integers(1, 41)), 64, step)
    loss = nn.functional.binary_cross_entropy_with_logits(net(words)[:, 0], right)
    descent.zero_grad(), loss.backward(), descent.step()

# %%
tests = [batch(length, 100, 10_000 + length) for length in range(21, 41)]
hits = [((net(words)[:, 0] > 0) == (right > 0)).float().mean() for words, right in tests]
print(f"right on {np.mean(hits):.1%} of 2,000 random strings of 21 to 40 symbols")

# %% [markdown]
"""
Samples of long strings have many 1s, so they hardly ask. The judge reads the network by the names of its weights and asks for every string: in float64
with a bound on the error of each output, and in balls where that does not decide. What the names do not say (heads, activation, where layer normalization stands) is said here.
"""

# %%
from lib.trained import Judged, Positive, audit, from_pytorch, logits

network = from_pytorch(net.state_dict(), heads=2, activation="gelu", pre_norm=False, causal=False,
                       encoder="encoder.", position="position.weight")
judged = Judged(network, TOKENS, Positive(), before=(2,), after=(3,))
print("it says", logits(judged, ["011"]).item(), "and the module itself", net(["011"]).item())
print(audit(judged, TWO, longest=10))

# %% [markdown]
"""
## A formula

What can be said by counting needs no rows: state it, and [chapter 8](08_formulas_to_transformers) makes the transformer. Say otherwise what you meant, here by a
regular expression, and it is proved for every length that they agree, or the shortest string is found on which they do not.
"""

# %%
from lib.formulas import compiled
from lib.proofs import regular, verdict

in_order = compiled('never(Q("0") and once(Q("1")))', "01", "softmax")
print(in_order.construction.size, verdict(in_order, regular("0*1*", "01"), longest=8), sep="\n")
print(verdict(in_order, regular("0*1+", "01"), longest=8))

# %% [markdown]
"""
## Rows

A language is a name and a predicate on strings; membership, enumeration, sampling and the list of errors come with it.
"""

# %%
LAST = Language("LAST", lambda w: w.endswith("1"))
print([w for w in LAST.all_strings(3) if w in LAST], LAST.sample(length=6, size=2, seed=0))

# %% [markdown]
"""
For a construction name the coordinates, write each matrix row as a combination of names, and say which row is the logit. A position
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
`Encoder` runs it on batches, `Exact` with a proof, with layer normalization or $\log n$ as you like. The judge of rows asks `Exact` for every string to a length.
"""

# %%
from lib import formulas

print(formulas.verdict(last, LAST, longest=10, log_n=True))
print(formulas.verdict(last, LAST, longest=10), Exact(last).decide("00001"), sep="\n")

# %% [markdown]
"""
With `seconds=60, progress=True` a verdict shows how long the next length will take, and ends before one that does not fit. Beyond that, strings are
drawn: as the language draws them, in runs of equal symbols, and neighbours, which differ in one symbol and of which one is a member.
"""

# %%
print(formulas.sampled(last, LAST, shortest=40, longest=42, each=20, log_n=True))

# %% [markdown]
"""
What else rows can say: a head's own kind of attention, `Head(..., attention="hardmax")`; a learned table of positions, `{"[i=0]": row, "[i=1]": another}` and so on,
one indicator for each position; several outputs, as forms of one vector; tokens of several characters, which `vector` reads in a list.
"""

# %%
vector = Exact(last, log_n=True).vector(["CLS", *"01"])
print([float(output(vector)) for output in (s, 2 * s - cls)])

# %% [markdown]
"""
What they cannot say: layer normalization of some coordinates alone, with a gain and a bias, and hidden units other than max(0, x). Readers normalize all coordinates, with `eps`;
gain, bias and other units are judged in a network of PyTorch's, as above.
"""

# %% [markdown]
"""
## Mutants

Does the construction need each of its numbers? A mutant has one of them set to 0.
"""

# %%
from lib.constructions.mutants import mutants

for label, mutant in mutants(last):
    print(label, formulas.verdict(mutant, LAST, longest=8, log_n=True), sep=": ")

# %% [markdown]
"""
## Another alphabet

A symbol is any single character, with an embedding of its own. The rest is the same.
"""

# %%
MORE = Language("more a than b", lambda w: w.count("a") > w.count("b"), ("a", "b", "c"))
S = Space("a", "b", "c", "CLS", "share")
a, b, c, cls, share = S
average = Layer(Head({"share": a - b}))
more = Construction(S, {"a": a, "b": b, "c": c, "CLS": cls}, {}, average, share, name="more a")
print(formulas.verdict(more, MORE, longest=7))

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

## A note

Another paper's construction, judged, is a page of its own: `make note NAME=bounded_dyck` begins it, with its test and its row in the scorecard.
[Brackets of bounded depth](note_bounded_dyck) is one, and `CONTRIBUTING.md` says what belongs into it.

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
