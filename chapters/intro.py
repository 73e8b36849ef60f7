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

**In one sentence:** a transformer built by hand tells at any length if the number of 1s is odd; others run any program; rounding limits some, and [training often misses them](parity_not_learned).

**Learn** how in thirteen chapters. **Try** a transformer here. In the workshop, ask a question and get its transformer, **judged**.

<div class="live" data-live="parity"><p>PARITY of six symbols, decided by a transformer: it accepts if the number of 1s is odd, and otherwise rejects. On 011010, with three 1s, it puts a mark on position 3, an odd one, and accepts. On the book's page, press the symbols.</p></div><script type="module" src="../_static/live.mjs"></script>

<div class="starts">

[Start reading](01_ffnn_parity) <a href="playground.html#tab=workshop">Open the workshop</a> [What we found](scorecard)

</div>

A transformer reads *tokens*: here the six symbols and, always in front, one called CLS. At CLS it puts its answer, a number $s$. Above 0 it accepts. In exact arithmetic it is right on every string: [*proved for every length*](#parity-every-length).
"""

# %% [markdown]
r"""
## PARITY by hand

Why PARITY, the question whether the number of 1s is odd? Change any one symbol, and the answer changes. But attention can only average, and in an average one symbol among many hardly shows. So a small question is hard for a transformer.

How does the transformer above do it? It never finds the number 3: position $i$ knows $i/7$, and compares it with $3/7$. Positions count from 0, where CLS stands.

Follow it by hand on a shorter string, 10110. With CLS it has six tokens, at the positions 0 to 5:

1. **Average**: let each symbol 1 say 1, and every other token 0. The mean is $3/6$: $k/n$ for $k$ 1s among $n$ tokens. In a second mean CLS alone says 1: this is $1/6$, and step 2 needs it. Every position gets both.
2. **Mark**: only where $k/n$ and $i/n$ are equal should a number appear. With $d = 3/6 - i/6$, position $i$ adds up $\max(0, d - 1/6)$, $-2 \max(0, d)$ and $\max(0, d + 1/6)$. At position 3, where $d = 0$, that is $0 - 2 \cdot 0 + 1/6 = 1/6$. At position 2 it is $0 - 2 \cdot 1/6 + 2/6 = 0$, and it is 0 at all others.
3. **Compare**: two *heads*, the parts that average, bring CLS weighted means of the marks. The first takes the softmax of $1$ at the three odd positions and $-1$ at the three even ones. So position 3 weighs $e / (3e + 3/e) = 0.294$. In the second the signs change, and it weighs $0.040$. As soon as there is a symbol, a position weighs more in the head that favours it.
4. **Answer**: $s = (0.294 - 0.040)/6$, which is $0.0423$, above 0.

Why two heads? No mark and no weight is negative. So what one head brings is never negative, and its sign alone could not say no. A difference can.

## One idea

In most programs a transformer's numbers and the code that multiplies them are one. Here a transformer is *data*, apart from any program. So it is written once, and can be run, proved right, broken, drawn and changed.

Here is the whole transformer of the last section (chapter 2), for any number $n$ of tokens, $k$ of them 1s. Each position $i$ has a vector with named coordinates. Some are filled from the start: `one` is 1 at a 1 and else 0, `cls` is 1 at CLS and else 0, `i_n` is $i/n$, and `cos` is 1 at even positions and -1 at odd ones. Each layer keeps them and adds more.

A `Head` gives each position a weighted mean over all positions: in `v={...}`, left is where it is written, right what is averaged. The weights are the softmax of products, of the position's own query `q` with the key `k` of each position (not the number $k$). Without these all weigh the same. What two heads write to one coordinate adds up. Each of the three entries of `hidden` is replaced by 0 where it is negative, and `out` lists the factors with which they are added to the mark `hit`: $1/n$ where $i=k$, and 0 elsewhere.
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
Two programs run it: `Encoder` in floating point, on batches, and `Exact` with a proof of the sign. The chapters call such a program a *reader* of the data.
"""

# %%
from lib.transformer import Encoder, Exact

w = "10110"
print("torch:", Encoder(parity)([w]).item())
print("exact:", Exact(parity).decide(w))

# %% [markdown]
"""
Both give the $s$ of above. Its digits never end, so both round it. But `Exact` proves how much that changes at most: the tiny number behind `+/-`, where `e-17` means times $10^{-17}$. So $s$ is above 0, and its sign is the one that
accepts. And rightly: 10110 has three 1s.
"""

# %% [markdown]
"""
## What the book does

Four papers make claims about small transformers:

- A transformer decides PARITY for strings of any length. Its $s$ is also read as the probability $1/(1 + e^{-s})$ of a *yes*, which is above a half if $s > 0$. On long strings it is near a half, and layer normalization can bring the probability of the right answer close to 1 {cite}`chiang2022` (chapters 1 to 4).
- A softmax cannot count, as an average gives a share, $3/7$ above, and not the number 3 {cite}`ouellette2023` (chapter 5).
- A decoder can run any program {cite}`bhattamishra2020` (chapter 6).
- A transformer can tell whether a string reads the same backwards by comparing two numbers {cite}`nowak2022` (chapter 7).

This book builds what they describe, coefficient by coefficient, and goes on in five more chapters. It does what print cannot.

- **It runs them**, on every string to a length, in floating point and in exact arithmetic, where the sign of an answer is *proved*.
- **It breaks them**: one symbol, one coefficient or one bit of precision at a time, after you have said what will happen.
- **It compares them with the papers**, claim by claim, with a reason wherever the two differ.
- **It judges yours.** A *language* is a set of strings, for instance those with more 1s than 0s. As a formula that is `count(Q("1")) > count(Q("0"))`. In the <a href="playground.html#tab=workshop">workshop</a> you say which strings you mean and type a formula, and get a transformer for it, with a proof for every length or the shortest string on which it is wrong.

## Before you start

- **Linear algebra**: vectors, matrices, and what one does to the other.
- **Softmax**: how numbers become weights that add up to 1. What attention does with them is said in chapter 2.
- **Python**: enough to read a function and to change a number in it.

Formal languages, layer normalization, Turing machines and interval arithmetic are explained where they are needed.

## Three ways through

If all this is new to you, start with [chapter 1](01_ffnn_parity) and go on in order. If you come for one thing, take the way that fits.

<div class="routes">

**Theory**, for those who want the proofs

- [Chapter 1](01_ffnn_parity): PARITY at one length
- [Chapter 2](02_transformer_parity_first): PARITY in two layers
- [Chapter 3](03_layer_norm): layer normalization
- [Chapter 6](06_turing_completeness): Turing-completeness
- [Chapter 7](07_palindrome_precision): the limits of precision
- [Chapter 8](08_formulas_to_transformers): from formulas to transformers
- [Chapter 10](10_the_map): a map of what runs, what is proved and what is open
- [Chapter 11](11_every_length): for every length

**Practice**, for those who train models

- Start with [chapter 9](09_which_log_n): short training strings, long ones later
- [Chapter 4](04_log_n_scaling): learning, and log n
- [Chapter 5](05_counting_ablations): counting
- [Chapter 2](02_transformer_parity_first): PARITY in two layers
- [Why is PARITY not learned?](parity_not_learned)
- [Chapter 12](12_strangers): networks that others trained
- [Chapter 13](13_how_long): trained networks at every length
- [The playground](playground), with puzzles
- [Adapt this](adapt): your own language and rows

**Teaching**, for those who give a course

- [Six weeks](teaching.md): chapters, exercises, discussions
- [The playground](playground), for the projector
- [The errata](errata), as exercises
- [Notation](notation.md)

</div>

## Five findings

Runs and proofs showed what the four papers do not say. Each finding links to its exact statement, with all conditions. At its end stands in italics how it is known: *proved for every length*; *decided string by string*, which speaks of the test strings alone, each without any rounding; or *proved case by case*, each number with a bound on its error.
"""

# %% tags=["remove-input"]
from chapters.intro.tables import findings

findings()

# %% [markdown]
"""
The misprints that we met stand in the {doc}`errata <errata>`, and what else the four papers state or measure in the {doc}`scorecard <scorecard>`, row by row. Much is still unknown, above all which of these transformers training finds. Each chapter ends by saying what it leaves open.

## The chapters

The question that each answers, and how long it takes to read.
"""

# %% tags=["remove-input"]
from chapters.intro.tables import contents

contents()

# %% [markdown]
"""
## Reading and running

Each chapter is a lesson: one question, its answer, at most three results, and exercises that check themselves. A second page, its *record*, compares each claim with the papers. Both are notebooks. A code cell marked `# try:` asks you to change something.

Read it here, or press the rocket at the top of a chapter to run it in Colab. How long each takes to run stands on the page of {doc}`times <provenance>`.

On your own machine, the first command builds the book, the second tests everything, and the third runs one chapter:

```bash
make book          # builds these pages and says where to open them
make test          # runs every chapter and every test
.venv/bin/python -m pytest --nbmake chapters/02_transformer_parity_first.ipynb
```
"""
