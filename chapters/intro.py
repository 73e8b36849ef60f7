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

*What can a small transformer compute, and what can it not?*

**In one sentence:** built by hand, one tells at any length if the number of 1s is odd, and others run any program; but rounding limits some, and [training often misses them](parity_not_learned).

**Learn** how in eleven chapters. **Try** a transformer here. In the workshop, state a question of your own, and get a transformer for it, **judged**.

<div class="live" data-live="parity"><p>PARITY of six symbols, decided by a transformer: it accepts if the number of 1s is odd, and otherwise rejects. On 011010, with three 1s, it puts a mark on position 3, an odd one, and accepts. On the book's page, press the symbols.</p></div><script type="module" src="../_static/live.mjs"></script>

<div class="starts">

[Start reading](01_ffnn_parity) [Open the workshop](playground) [What we found](scorecard)

</div>

The transformer puts a seventh token in front of the six symbols, CLS, and answers there by a number $s$. Above 0 it accepts. In exact arithmetic it is right on every string: [*proved for every length*](#parity-every-length).
"""

# %% [markdown]
"""
## What the book does

Why PARITY, the question whether the number of 1s is odd? Change any one symbol, and the answer changes. But attention can only average, and in an average one symbol among many hardly shows. So a small question is hard for a transformer.

Four papers make claims about small transformers: that one of them decides PARITY for strings of any length, and that layer
normalization makes it confident {cite}`chiang2022`; that a softmax cannot count {cite}`ouellette2023`; that a decoder can run any program {cite}`bhattamishra2020`; that
a transformer can tell whether a string reads the same backwards by comparing two numbers {cite}`nowak2022`. This book builds what they describe, coefficient by coefficient, and then does what a page
of print cannot.

- **It runs them**, on every string to a length, in floating point and in exact arithmetic, where the sign of an answer is *proved*.
- **It breaks them**: one symbol, one coefficient or one bit of precision at a time, after you have said what will happen.
- **It holds them against the paper**, row by row, with a reason wherever the two differ.
- **It judges yours.** A *language* is a set of strings, for instance those with more 1s than 0s. As a formula that is `count(Q("1")) > count(Q("0"))`. Type it in the {doc}`workshop <playground>`, and you get a transformer for it, with the strings on which it is right.

## Before you start

- **Linear algebra**: vectors, matrices, and what one does to the other.
- **Softmax**: how numbers become weights that add up to 1. What attention does with them is said in chapter 2.
- **Python**: enough to read a function and to change a number in it.

Formal languages, layer normalization, Turing machines and interval arithmetic are explained where they are needed.

## Three ways through

If all this is new to you, start with [chapter 1](01_ffnn_parity) and go on in order. If you come for one thing, take the way that fits. It may start in the middle.

<div class="routes">

**Theory**, for those who want the proofs

- [Chapter 1](01_ffnn_parity): PARITY at one length
- [Chapter 2](02_transformer_parity_first): PARITY in two layers
- [Chapter 3](03_layer_norm): layer normalization
- [Chapter 7](07_palindrome_precision): the limits of precision
- [Chapter 6](06_turing_completeness): Turing-completeness
- [Chapter 8](08_formulas_to_transformers): from formulas to transformers
- [Chapter 11](11_every_length): for every length
- [Chapter 10](10_the_map): a map of what runs, what is proved and what is open

**Practice**, for those who train models

- Start with [chapter 9](09_which_log_n): short training strings, long ones later
- [Chapter 4](04_log_n_scaling): learning, and log n
- [Chapter 5](05_counting_ablations): counting
- [Chapter 2](02_transformer_parity_first): PARITY in two layers
- [Why is PARITY not learned?](parity_not_learned)
- [The playground](playground), with puzzles
- [Adapt this](adapt): your own language and rows

**Teaching**, for those who give a course

- [Six weeks](teaching.md): chapters, exercises, discussions
- [The playground](playground), for the projector
- [The errata](errata), as exercises
- [Notation](notation.md)

</div>

## Five findings

Runs and proofs showed what the four papers do not say. Each finding links to its exact statement, with all conditions. At its end stands in italics how it is known: *proved for every length*; *decided string by string*, which speaks of the test strings alone, each without any rounding (the scorecard calls it *proved for each string to a length*); or *proved case by case*, each number with a bound on its error.
"""

# %% tags=["remove-input"]
from chapters.pages.intro import findings

findings()

# %% [markdown]
"""
What else the four papers state, tabulate or measure stands in the {doc}`scorecard <scorecard>`, row by row, and the misprints that we met in the {doc}`errata <errata>`. Much is still unknown, above all which of these transformers training finds. Each chapter ends by saying what it leaves open.

## The chapters

The question that each answers, and how long it takes to read.
"""

# %% tags=["remove-input"]
from chapters.pages.intro import contents

contents()

# %% tags=["remove-input"]
from IPython.display import Markdown

from chapters.pages.intro import reading_time

Markdown(reading_time())

# %% [markdown]
"""
## One idea

Most programs for a transformer mix what its numbers are with how they are multiplied. Here a transformer is *data*, apart from any program. So one and the same transformer can be run, proved right, broken, drawn and changed, and no copy of it can go astray.

This is all of the one that decides PARITY, the subject of chapter 2. There are $n$ tokens, CLS among them, and $k$ of them are 1s. Each position $i$ has a vector, and the coordinates of the vector have names. `cos` is 1 at even positions and -1 at odd ones. A `Head` asks with a query, `q`. Each position answers with a key, `k` (not the number $k$), and delivers a value, `v`. Without `q` and `k` the head takes the plain mean of the values. Each unit in `hidden` gives the larger of 0 and what its line says, and `out` says by what the units are multiplied before they are added up:
"""

# %%
from lib.transformer import FFN, Construction, Head, Layer, Space

S = Space("0", "1", "CLS", "i/n", "cos iπ", "k/n", "1/n", "[i=k]/n", "s")
zero, one, cls, i_n, cos, k_n, one_n, hit, s = S

count = Layer(heads=[Head(v={"k/n": one, "1/n": cls})],               # average the 1s
              ffn=FFN(hidden=[k_n - i_n - one_n, k_n - i_n, k_n - i_n + one_n],  # mark k
                      out={"[i=k]/n": [1, -2, 1]}))
compare = Layer(heads=[Head(q=[cls], k=[-cos], v={"s": hit}),         # is it an odd one ...
                       Head(q=[cls], k=[cos], v={"s": -hit})])        # ... or an even one?
parity = Construction(S, word={"0": zero, "1": one, "CLS": cls},
                      position={"i/n": i_n, "cos iπ": cos},
                      layers=[count, compare], output=s)

# %% [markdown]
"""
There are two ways to run it. `Encoder` runs it in floating point, on batches; `Exact` answers with a proof. Both take the same data, and the chapters call such a program
a *reader* of the data.
"""

# %%
from lib.transformer import Encoder, Exact

w = "10110"
print("torch:", Encoder(parity)([w]).item())
print("exact:", Exact(parity).decide(w))

# %% [markdown]
"""
Both give the answer $s$ as a positive number. The first line is rounded. The second is a proof: $s$ lies as near to its number as the bound behind `+/-` says, so it cannot be 0 or below. Its sign is 1, which is the sign that
accepts. And rightly: 10110 has three 1s.

## Reading and running

Each chapter is a lesson: one question, its answer, at most three results, and exercises that check themselves. Behind it stands a record, with every line held against the papers. Both are notebooks. A code cell marked `# try:` asks you to change something.

Read it here, or press the rocket at the top of a chapter to run it in Colab. How long each takes to run stands on the page of {doc}`times <provenance>`.
The {doc}`playground <playground>` runs the small transformers without any of that, in this browser.

On your own machine, the first command builds the book, the second tests everything, and the third runs one chapter:

```bash
make book          # builds these pages and says where to open them
make test          # runs every chapter and every test
.venv/bin/python -m pytest --nbmake chapters/02_transformer_parity_first.ipynb
```

The papers: Chiang and Cholak {cite}`chiang2022` (chapters 1 to 4), Ouellette, Pfister and Jud {cite}`ouellette2023` (chapter 5),
Bhattamishra, Patel and Goyal {cite}`bhattamishra2020` (chapter 6), and Nowak and others {cite}`nowak2022` (chapter 7). The last four chapters go on
from there. Chapter 8 compiles formulas to transformers, and chapter 9 asks which logarithm of the length makes a transformer generalise. Chapter 10 draws a map of which languages
each kind of transformer can decide. Chapter 11 lets a machine hold a formula against what it should say, for every length.
"""
