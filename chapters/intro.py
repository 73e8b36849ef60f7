# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Self-Attention, Exactly

**An executable book on what transformers can and cannot compute.**

Four papers make claims about small transformers: that one of them decides the parity of a string of any length; that layer
normalization makes it confident; that a softmax cannot count; that a decoder can run any Turing machine. This book builds
each of those machines from its paper, coefficient by coefficient, and then does what a page of print cannot:

- **It runs them**, on every string to a length, in floating point and in exact arithmetic, where the sign of an answer is *proved*.
- **It breaks them**: one symbol, one coefficient or one bit of precision at a time, after you have said what will happen.
- **It holds them against the paper**: every statement, table, figure and experiment has a row in the
  {doc}`scorecard <scorecard>`, and every misprint that a run settles has one in the {doc}`errata <errata>`.
"""

# %% [markdown]
"""
<div class="live" data-live="parity"><p>PARITY of six symbols, decided by a transformer: on 011010, with three 1s, it puts a mark on position 3, an odd one, and accepts. On the book's page, press the symbols.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% tags=["remove-input"]
from IPython.display import Markdown

from lib.book.claims import recorded
from lib.book.pages import score

settled, rows = score()
found = sum(len(chapter["errata"]) for chapter in recorded())
Markdown(f"So far **{settled} of {rows}** rows are settled and **{found}** errata found; "
         "the others are open, and the scorecard says so.")

# %% [markdown]
"""
## What you will be able to do

After each chapter, in its own words:
"""

# %% tags=["remove-input"]
from lib.book.pages import contents

contents()

# %% [markdown]
"""
## One idea

A transformer is *data*. Each construction is written once, as a few sparse rows over coordinates that have names, in the order of
its paper. This is all of the transformer that decides PARITY, the subject of chapter 2:
"""

# %%
from lib.transformer import FFN, Construction, Head, Layer, Space

S = Space("0", "1", "CLS", "i/n", "cos iπ", "k/n", "1/n", "[i=k]/n", "s")
zero, one, cls, i, cos, k, unit, hit, s = S

count = Layer(heads=[Head(v={"k/n": one, "1/n": cls})],               # average the 1s
              ffn=FFN(hidden=[k - i - unit, k - i, k - i + unit],     # mark position k
                      out={"[i=k]/n": [1, -2, 1]}))
compare = Layer(heads=[Head(q=[cls], k=[-cos], v={"s": hit}),         # is it an odd one ...
                       Head(q=[cls], k=[cos], v={"s": -hit})])        # ... or an even one?
parity = Construction(S, word={"0": zero, "1": one, "CLS": cls},
                      position={"i/n": i, "cos iπ": cos},
                      layers=[count, compare], output=s)

# %% [markdown]
"""
Two readers run the same data: one in floating point, on batches, and one that answers with a proof.
"""

# %%
from lib.transformer import Encoder, Exact

w = "10110"
print("torch:", Encoder(parity)([w]).item())
print("exact:", Exact(parity).decide(w))

# %% [markdown]
"""
## Reading and running

Each chapter is a notebook with the same seven sections: claim, construction, run it, break it, measured against the paper,
exercises, what next. Read it here, or press the rocket at the top of a chapter to run it in Colab; every cell marked `# try:`
asks you to change a number. How long each takes to run stands on the page of {doc}`times <provenance>`; the {doc}`playground <playground>` runs the
small transformers without any of that, in this browser. On your own machine, two commands build and test everything, and the last one runs one chapter:

```bash
make book          # builds these pages and says where to open them
make test          # runs every chapter and every test
.venv/bin/python -m pytest --nbmake chapters/02_transformer_parity_first.ipynb
```

The papers: Chiang and Cholak {cite}`chiang2022` (chapters 1 to 4), Ouellette, Pfister and Jud {cite}`ouellette2023` (counting),
Bhattamishra, Patel and Goyal {cite}`bhattamishra2020` (Turing machines), and Nowak and others {cite}`nowak2022` (ONE and PALINDROME). Chapter 8 goes on from
there: it compiles formulas to transformers.
"""
