# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# The map

*One paper proves that transformers cannot decide PARITY, another builds one that does. Both are right. Which of the two is about your model?*

**In one sentence:** the proof is about attention that picks a single token, the construction about attention that averages over all tokens, and a model like GPT-2, which averages over the tokens so far, falls under neither.

What, then, can GPT-2 do? A third paper says that such a model cannot decide PARITY at every length if it computes with a fixed number of bits and answers at once. But if it may write before it answers, a single layer is enough, at least in exact arithmetic.

"Transformers cannot do this" is easily quoted, and sometimes it even has a proof. But every proof is about certain transformers, and the model on your desk may not be one of them. This chapter gives you five questions to ask of your model, and a map on which to look up the answer.
"""

# %% tags=["hide-input"]
from fractions import Fraction
from inspect import getsource

import matplotlib.pyplot as plt
from matplotlib.colors import to_rgba

from chapters.common.judge import check
from chapters.the_map import decoders, encoders
from chapters.the_map.encoders import enough_padding, padded
from chapters.the_map.entries import (CITED, COLUMNS, MAP, ROWS, executed, legend, map_page, on,
                                      parity_picture, steps_table)
from chapters.the_map.examples import first_wrong, with_fewer
from record.notebook import COLOURS, glue, use_style
from lib.transformer import FFN, Construction, Exact, Head, Layer, Space

use_style()

# %% [markdown]
r"""
## Two papers, one language

A **language** is a set of strings, and **deciding** it means accepting exactly these strings. PARITY is the language of all strings with an odd number of 1s. Hahn {cite}`hahn2020` proves that certain transformers cannot decide it. Chiang and Cholak {cite}`chiang2022` build one of two layers that does. The two papers differ in how a head chooses what it reads.

In a transformer every token becomes a vector. A {term}`head` adds to this vector a weighted mean of **values**, one from each token. A token's weight depends on a number that the head gives it, its attention {term}`logit`. One or more heads, followed by **hidden units** of the form $\max(0, x)$, make one **layer**. Let a head see three tokens, with the logits and values in the first two rows below. What it passes on depends on how logits become weights, and the other rows show four ways:

| | first token | second token | third token | what the head passes on |
|---|---|---|---|---|
| logit | 2 | 2 | 1 | |
| value | 0 | 1 | 1 | |
| weights, **soft** | 0.42 | 0.42 | 0.16 | 0.58 |
| weights, **averaging hard** | ½ | ½ | 0 | ½ |
| weights, **unique hard**, ties to the left | 1 | 0 | 0 | 0 |
| weights, **unique hard**, ties to the right | 0 | 1 | 0 | 1 |

**Soft** attention is softmax: a token with the logit $x$ gets the weight $e^x$, divided by the sum of these numbers over all tokens. **Hard** attention looks at the largest logits alone. The {term}`averaging kind <averaging hard attention>` divides the weight equally among them. The **unique** kind gives all of it to one token, and so it needs a rule for ties.

Now suppose that all three logits are equal. Then a soft head and an averaging head read every token, but a unique head still reads a single one. In PARITY every symbol matters, so it matters which heads a theorem is about. Hahn's theorem is about unique hard attention; Chiang and Cholak's transformer is soft.

## The map, drawn for PARITY

How a head chooses is only the first of five questions that tell transformers apart:

1. *Which attention?* Unique hard, averaging hard or soft.
2. *Is there a mask?* Without one, every token sees all tokens. A **mask** hides from each token what comes later. (A **strict mask** hides the token itself as well, so that the first token sees nothing, and reads 0.)
3. *Does it know positions?* Some transformers are told where each token is, others see the symbols alone.
4. *Is there padding?* **Padding** tokens follow the string and carry no information. Each is one more place to compute in.
5. *Does it think in steps?* At the last token a **decoder** computes a score for each token that it may write. It writes the one with the largest score, reads it too, and goes on until it writes an answer. What it has written is its **scratchpad**, or chain of thought.

The first two questions choose one of six rows. The other three choose a cell in that row: *no positions*, *positions*, *padding* or *steps*. A transformer belongs in the last cell that fits, so one with positions and padding belongs under *padding*.

In a blue cell some transformer decides PARITY, and in a yellow cell none does. In a striped cell no transformer that meets a certain condition decides PARITY, and the map says nothing about the others. In the grey cell it has no answer. The signs ● and ○ mark a proof in this book (with ● a machine runs here too), and ■ marks a paper that we cite.
"""

# %% tags=["remove-input"]
parity_picture()

# %% [markdown]
r"""
*Where attention picks one token, only the last cell of a row is blue. In the other rows positions are known to be enough, except in the very last.*

GPT-2 belongs in the last row, because its attention is soft and masked. It knows positions and gets no padding. So if it answers at once, its cell is *positions*, which is striped: impossible, if numbers have a fixed number of bits. If it writes first, its cell is *steps*, which is blue.

So both papers are right, because they are about different cells, neither of them GPT-2's. Hahn's theorem is about the four yellow cells {cite}`hahn2020,hao2022`. Chiang and Cholak's transformer, which chapter 2 runs, is in the fifth row. With ● or ○ a blue cell holds one machine that works at every length. With ■ it may be a family of machines, whose vectors get wider for longer strings.

The answer in a cell links to its statement, and the record explains [each stripe](#map-stripes). The simplest is this: if a machine with soft or averaging attention has no mask, no positions, no added token and no knowledge of the length, it gives `1` and `1111` the same answer, because the mean of four equal vectors is that vector.

## The yellow cells: a head that picks one token

Hahn's idea is easiest to see in the smallest case, where a single head reads one token and gives the answer. Its logit at a token depends only on the symbol there and on the place. Suppose that, among all strings of one length, its largest logit belongs to a 1 at place 3. (If several are equally large, take the one that the rule for ties prefers.) Then in every string with a 1 at place 3 the head reads that place, whatever the other symbols are. So `00100` and `01100` get the same answer, although one has an odd number of 1s and the other an even number.

With more layers every token reads others, and each may have a favourite place of its own. Hahn shows how to fix some symbols of a long string so that many others stay open, and yet every vector, after each layer, depends on only a bounded number of the open symbols. The bound is the same for all lengths. In the end some open symbol plays no part in the answer. But in PARITY every symbol matters. (The record has [another proof](#map-circuits), which turns such a transformer into a circuit.)

## What a tie knows

In the first cell of the map, without mask and positions, order seems to be lost. But the rule for ties knows left from right. Here is one layer, read at {term}`CLS`, a token in front of the string. CLS gives every symbol the same logit, so that all symbols tie, and reads whether the one that it picks is a 1.

In the code, `{"s": one}` says that the head adds to `s` the number `one` of the token that it picks, which is 1 if the token's symbol is a 1, and 0 otherwise. A logit is the product of the **query** `q` of the token that reads and the **key** `k` of the token that is read. So with `q=[cls]` and `k=[-cls]` CLS gives itself the logit −1, and each symbol the logit 0. The string is accepted if `s` is positive at CLS. {term}`hardmax` is averaging hard attention.

**Predict**: how many different languages do these weights decide, under three kinds of hard attention?

<p class="guess" data-right="3">one|two|three</p>
"""

# %% tags=["hide-output"]
# try: more strings
S = Space("0", "1", "CLS", "s")
zero, one, cls, s = S
look = Layer(Head({"s": one}, q=[cls], k=[-cls]))
tie = Construction(S, {"0": zero, "1": one, "CLS": cls}, position={}, layers=look, output=s)

for kind in ("leftmost", "rightmost", "hardmax"):
    print(f"{kind:9}", [w for w in ("0", "1", "01", "10", "00") if Exact(tie, kind).accepts(w)])

# %% [markdown]
r"""
:::{dropdown} Why
With ties to the left, CLS reads the first symbol, and the layer decides FIRST: does the string begin with a 1? With ties to the right it reads the last symbol. The averaging kind accepts every string with a 1 in it.
:::

How much order does a rule for ties give? Compare `01` with `011`, with ties to the left. Nothing tells the 1s apart, so before the first layer all of them, in both strings, hold the same vector and get the same logit. If this logit is the largest, the head reads the *first* 1, which has the same value in both strings. If the 0 or CLS has a logit at least as large, the head reads one of these two, and the same one in both strings. So after one layer CLS, the 0 and the 1s hold the same vectors in both strings, and the same argument serves for the next layer.

:::{admonition} What a tie knows
:class: result
*Assumes:* unique hard attention with ties to the left, no mask, no positions, any number of layers. Then what CLS holds depends only on the order in which the symbols *first* occur. *Proved for every length.* [Record](#map-first-occurrences)
:::

So such a machine can tell `01` from `10`, but never `01` from `011`, of which only one has an odd number of 1s. With ties to the right it cannot tell `10` from `110`. Either way it does not decide PARITY.

## The blue cells: a head that averages

How does averaging help? Chiang and Cholak's transformer turns the number of 1s, $k$, into a position. Take `0110` with a token CLS in front, and number the $n = 5$ tokens from 0 to 4.

1. *Count.* A head with equal logits averages over all tokens, and so tells each token the share of 1s, $k/n = \tfrac25$.
2. *Mark one token.* Token $i$ also knows $i/n$, so it can compute the difference $i/n - k/n$, which is 0 at token 2 alone. Three hidden units turn it into a mark, which is $\tfrac1n$ at that token and 0 elsewhere.
3. *Ask where the mark is.* CLS looks for it with two heads, one with more weight on odd positions, the other with more on even ones. Since 2 is even, the second head finds more of the mark, and `0110` is rejected.

With averaging hard attention, one machine decides PARITY even under a mask ([record](#map-encoders)): its last token, which sees all others, picks the token whose number is $k$, and reads whether $k$ is even.

## The last column: PARITY on a scratchpad

Why is the last column blue in every row? Because a decoder can write down what it has found so far. With hard attention of either kind, a decoder that knows positions reads the string symbol by symbol, and writes after each whether the number of 1s so far is even or odd. The last of these words is the answer ([record](#map-scratchpad)).

With soft attention not even positions are needed. Our decoder does what people do who cannot count: it makes a tally, one stroke for each thing. On `01101` it writes `o`, `e`, `o`, one stroke for each 1. The strokes alternate, and as the last one is `o`, for *odd*, it answers *yes*.

Before it writes, it must know two things: is a stroke still missing, and is the last token an `o`? The answers decide what comes next:

| | after an `o` | after any other token |
|---|---|---|
| a stroke is missing | `e` | `o` |
| none is missing | *yes* | *no* |

The last token knows which token it is, and an average tells it whether a stroke is missing. Let each 1 count $+1$ and each stroke $-1$. A head without a query gives all tokens the logit 0, so it averages over all tokens so far. At the beginning CLS and `01101` make six tokens, and the average is $\tfrac36$. After three strokes there are nine tokens, the average is $\tfrac{3 - 3}{9} = 0$, and it is time to answer. In general the average of $n$ tokens, with $k$ 1s and $t$ strokes among them, is $d = (k - t)/n$.

The head also averages a second value, 1 at CLS and 0 elsewhere. This gives $u = 1/n$, the least that $d$ can be while a stroke is missing. From $d$, $u$ and the last token, hidden units compute a score for each of the four tokens that the decoder may write. The right one gets the score $u$, and no other is above 0:
"""

# %%
# try: other strings, the empty one too
steps_table(decoders.tally(), "01101", "softmax", "d", "u")

# %% [markdown]
r"""
:::{admonition} PARITY by a tally
:class: result
A decoder with one layer, one head, no queries and no positions decides PARITY with softmax, in $k + 1$ steps for $k$ 1s. *Proved for every length.* [Record](#map-scratchpad)
:::

:::{dropdown} Proof
Two hidden units make $a = \min(d, u)$, and a third makes $b = \max(0, u + [\text{last is } o] - 1)$. The decoder stops counting at $t = k$, so $d \ge 0$ is a multiple of $u$. So $a$ is $u$ if a stroke is missing, and 0 if not. As $0 < u \le 1$, $b$ is $u$ if the last token is $o$, else 0.

The scores are $a - b$ for $o$, $a + b - u$ for $e$, $b - a$ for "yes" and $u - a - b$ for "no". In each of the four cases one of them is $u$, and no other is above 0. So it writes $o$, $e$, $o$, … up to $t = k$, then "yes" if the last of them is $o$, that is if $k$ is odd, and else "no". That is $k + 1$ steps. $\square$
:::

## The third column: padding is room for tests

What can tokens without information be good for? Take a task with many more tests than symbols: are there three 1s at equal distances? In `10101` there are, at the places 1, 3 and 5: the *middle* is 3 and the *distance* 2. Every middle must be tested with every distance. Let every token, padding included, make one test.

Which token makes which test? Number CLS 0, the symbols 1 to $m$, and the padding from there on. Square numbers divide the work. The numbers 7 to 12 are nearer to $3^2 = 9$ than to any other square, so these tokens test the middle 3. The distance that such a token tests is how far its own number is from 9. On `10101` token 7, which is padding, has $7 - 9 = -2$: it reads the middle and the places $3 \pm 2$, and finds three 1s, a **hit**. (The sign of a distance does not matter. Token 9 has the distance 0, so it tests nothing.) In general, token $p$ finds the square $j^2$ nearest to $p$, and tests the middle $j$ with the distance $p - j^2$.

Why squares? The middle $j$ has $j - 1$ places on its left, so it needs one test more than the middle before it. The gaps between square numbers grow steadily, too: 3, 5, 7, and so on. For strings of five symbols, the figure shows each token's test:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Five symbols need ten padding tokens, since the last test falls to token 15.* Each dot is a token after CLS. Its height is the distance that it tests, and its line names the middle. A hollow dot can find nothing, as its test has the distance 0 or leaves the string. A pale dot repeats the test of an earlier token.", "name": "fig-map-padding"}, "image": {"alt": "Four rising lines of dots, for the middles 1 to 4. The tokens 1 to 5 are symbols, the tokens 6 to 15 are padding. Only the tokens 3, 7, 8 and 15 are full, and 5, 10 and 11 are pale.", "classes": "dark-light"}}
m = 5
last = m + enough_padding(m)
_, axes = plt.subplots(figsize=(7, 3.1))
axes.axhline(0, color="#777777", linewidth=0.5, zorder=0)
for j in range(1, m):
    here = [p for p in range(j * j - j + 1, j * j + j + 1) if p <= last]
    axes.plot(here, [p - j * j for p in here], color="#777777", linewidth=0.7, zorder=0)
    axes.text(here[-1], here[-1] - j * j + 0.3, f"middle {j}", ha="center", fontsize=9)
    for p in here:
        distance = p - j * j
        colour = COLOURS["PARITY" if p <= m else "FIRST"]
        finds = distance and 1 <= j - abs(distance) and j + abs(distance) <= m
        fill = to_rgba(colour, 0.3 if distance > 0 else 1) if finds else "none"
        axes.plot(p, distance, "o", color=colour, markerfacecolor=fill, markersize=6)
for name, colour in (("symbols", "PARITY"), ("padding", "FIRST")):
    axes.plot([], [], "o", color=COLOURS[colour], label=name)
axes.legend(loc="upper left")
axes.set(xlabel="token", ylabel="distance", ylim=(0.5 - m, m + 0.4), xticks=range(1, last + 1));

# %% [markdown]
r"""
Three layers can do this, if each token is told its number, its square and its fourth power ([record](#map-padding)).

### How much is enough?

In the figure the last token needed is token 15. In general, the tokens $j^2 - d$ and $j^2 + d$ make the same test, so the earlier one is enough. The middle $j$ is at most $m - 1$, because the middle has a symbol on its right, and $d$ is at least 1. So the last token needed has the number $(m - 1)^2 - 1 = m (m - 2)$, for $m = 5$ token 15. The first $m$ tokens are symbols, which leaves $m (m - 3)$ for padding.

:::{admonition} How much padding is enough
:class: result
*Assumes:* hard attention of any kind, and these three layers on strings of $m \ge 3$ symbols. The layers decide correctly, on all of these strings, whether three 1s are at equal distances, if and only if at least $m (m - 3)$ padding tokens follow the string. *Proved for every length.* [Record](#map-padding)
:::

**Predict**: suppose that every string gets one padding token fewer than that. Which is the first string to be decided incorrectly?

<p class="guess" data-right="2">111|0111|00111</p>
"""

# %% tags=["hide-output"]
# try: twenty fewer
for missing in (0, 1, 100):
    print(f"{missing:3} fewer: {first_wrong(with_fewer(missing))}")

# %% [markdown]
r"""
:::{dropdown} Why
Three symbols need no padding, so `111` loses nothing. Four symbols need four tokens. The only triple of `0111` has the middle 3 and the distance 1, and the tokens 8 and 10 test it. With three padding tokens the last token is 7.
:::

With softmax this much padding is enough too, for slightly different weights, as [the record](#map-padding) proves. But all this is about *these* weights. Whether others can do without padding is [an open question](#map-entry-unique-hard-unmasked-positions-equal-distances-unpadded).

(fig-map)=
## The whole map

PARITY is one language of many. The full map has the same rows and columns, each row in a fold. Each name in a cell is an **entry**: one statement about transformers of that kind. It links to the statement in full, and from there to its proof or machine, if this book has one. (Some names contain AC⁰ or TC⁰. These are the languages decided by circuits of a fixed depth, whose size grows at most like a power of the length. For AC⁰ the gates are *and*, *or* and *not*; for TC⁰ they may also take majority votes. PARITY is in TC⁰ and not in AC⁰.) The sign before a name says what you may rely on. Of the {glue:text}`map_entries` entries, {glue:text}`map_cited` are only cited:
"""

# %% tags=["remove-input"]
legend()

# %% tags=["hide-input"]
ran = executed()
tiles = [(*row, column) for row in ROWS for column in COLUMNS]
glue("map_entries", len(MAP)), glue("map_run", len(ran))
glue("map_cited", sum(entry.label == CITED for entry in MAP))
glue("map_boxes", len(tiles))
glue("map_with_machine", sum(bool(executed(on(tile))) for tile in tiles))

# %% [markdown]
r"""
{glue:text}`map_run` of the entries hold a small transformer with exact weights, compared with a line of Python on every string up to a length that the entry names. Such machines run in {glue:text}`map_with_machine` of the {glue:text}`map_boxes` cells.
"""

# %% tags=["remove-input"]
map_page()

# %% [markdown]
r"""
For example, take *contains 01*, under unique hard attention, masked, without positions:
"""

# %%
# try: another name with ● or ▲, or another length
entry = next(entry for entry in MAP if entry.name == "contains 01")
print(entry.statement, entry.hypotheses, f"Mask: {entry.settings[0].mask}.", entry.label, sep="\n")
print(entry.example.run(longest=8))

# %% [markdown]
r"""
So the entry says that *there is* such a transformer, and its label *proved here* covers every length. The last line is a second witness, and promises less: each string of up to 8 symbols was run without rounding.

The record explains [one row](#map-row), cell by cell, from the star-free languages to all regular ones.

## What to take away

- Before you quote a theorem about transformers, ask the five questions, of the theorem and of your model.
- Say which rule for ties your code uses. It is a part of the model: with ties to the left, with ties to the right and with averaging, the same weights decide three different languages.
- By a cited theorem, an ordinary language model with a fixed number of bits, like GPT-2, cannot decide PARITY for all lengths by answering at once. So let it write first: then one layer is enough in exact arithmetic, even without positions. (With a fixed number of bits, a [cited theorem](#map-entry-soft-masked-steps-steps-of-constant-precision) gives decoders for PARITY whose vectors get wider like $\log n$, perhaps a different one for each length.)
- Padding is room for many tests at once: our three layers need exactly $m (m - 3)$ tokens of it. But under some conditions, such as those in the row *unique hard, masked*, it adds nothing.
- Unknown: which of these machines training finds, and whether averaging attention with a mask decides less without padding than [with it](#map-entry-averaging-hard-masked-padding-padding-behind-a-mask).

## Exercises

**1 (compute).** How many padding tokens do the three layers need on strings of nine symbols?
"""

# %%
# try: your number in place of the dots
check("10.1", ...)

# %% tags=["hide-cell"]
print(len(padded("0" * 9)) - 9)
check("10.1", enough_padding(9))

# %% [markdown]
r"""
**2 (modify).** Here is `contains_01`, whose first layer marks a 1 right after a 0, and whose second looks for a mark. Change it so that it accepts the strings in which *no* two 1s are neighbours, with strict masks and without positions.

- `Space` names the numbers of a vector. `zero` is the one called `0`: 1 at the symbol 0, else 0.
- `Head({"0 before": zero}, ...)` writes into `0 before` the `zero` of the token that it picks. Without `q` and `k` all logits are equal, so with ties to the right it picks the last token that the mask shows: the one just before.
- `FFN(hidden=[f], out={"01": [1]})` adds $1 \cdot \max(0, f)$ to `01`.
- `output` is the score, at the last token. `network` makes a `Construction` of these layers; in yours, say `Construction(S, {"0": zero, "1": one, "CLS": cls}, {}, layers, output=..., readout="last")`.

On `101` the last token has `one` = 1 and `0 before` = 1. The hidden unit is $1 + 1 - 1 = 1$, so `01` = 1: accepted.
"""

# %%
print(getsource(encoders.contains_01))

# %%
# try: your construction in place of the dots
check("10.2", ...)

# %% tags=["hide-cell"]
S = Space("0", "1", "CLS", "1 before", "11", "11 before")
zero, one, cls, before, mark, earlier = S
layers = [
    Layer(
        Head({"1 before": one}, mask="strict future"),
        FFN(hidden=[one + before - 1], out={"11": [1]}),
    ),
    Layer(Head({"11 before": mark}, q=[zero + one], k=[mark], mask="strict future")),
]
apart = Construction(S, {"0": zero, "1": one, "CLS": cls}, {}, layers,
                     output=Fraction(1, 2) - mark - earlier, readout="last")
check("10.2", apart)

# %% [markdown]
r"""
**3 (prove or refute).** "With ties to the left, but without mask and positions, some transformer decides whether the *second* symbol is 1." It may have any number of layers, and its score is read at CLS.

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "proved", or a pair of strings that every such transformer decides alike
check("10.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted. By the theorem on [first occurrences](#map-first-occurrences) it gives 001 and 011 the same answer, because in both 0 comes first and 1 after it. But only 011 has a 1 in second place.
:::
"""

# %% tags=["hide-cell"]
print("scores of 001 and 011:", *(Exact(tie, "leftmost").logit(w) for w in ("001", "011")))
check("10.3", ("001", "011"))

# %% [markdown]
r"""
## What next

The [record of this chapter](record_10_the_map) has every entry in full, with what ran and how. The signs ? mark open questions, to which [an answer](how_it_works) is welcome, as is a new entry. Which of these machines training finds would be a different map, and Huang and others {cite}`huang2025` draw a part of it. Chapter 11 goes back to the formulas of chapter 8: how can a program know that a formula is right at every length?
"""
