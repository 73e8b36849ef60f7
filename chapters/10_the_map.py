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

**In one sentence:** in the proof attention picks a single token, in the construction it averages, and a map of six rows and four columns says what is known about each kind.

Sentences such as "transformers cannot do this" are easily quoted, and some of them even have a proof. But the proof is about certain transformers, and the model on your desk may not be one of them. This chapter has five questions to find out, and a map to look up the answer.
"""

# %% tags=["hide-input"]
from fractions import Fraction
from inspect import getsource

from chapters.common.judge import check
from chapters.the_map import MAP, decoders, encoders
from chapters.the_map.encoders import enough_padding, padded
from chapters.the_map.entries import CITED, executed, on, tiles
from chapters.the_map.examples import first_wrong, with_fewer
from chapters.the_map.pictures import (legend, map_page, padding_figure, parity_picture,
                                       steps_table)
from record.notebook import glue, use_style
from lib.transformer import FFN, Construction, Exact, Head, Layer, Space

use_style()

# %% [markdown]
r"""
## Two papers, one language

A **language** is a set of strings, and **deciding** it means accepting exactly these strings. PARITY is the language of all strings with an odd number of 1s. Hahn {cite}`hahn2020` proves that certain transformers cannot decide it. Chiang and Cholak {cite}`chiang2022` build one of two layers that does. The difference lies in how a head chooses what it reads.

Every transformer turns each token into a vector. A {term}`head` adds to this vector a weighted mean of **values**, one from each token. How much a token counts in this mean depends on a number that the head gives it, its attention {term}`logit`. One or more heads, followed by **hidden units** of the form $\max(0, x)$, make one **layer** of the transformer.

Let a head see three tokens, with these logits and these values. What does it pass on?

| | first token | second token | third token | what the head passes on |
|---|---|---|---|---|
| logit | 2 | 2 | 1 | |
| value | 0 | 1 | 1 | |
| weights, **soft** | 0.42 | 0.42 | 0.16 | 0.58 |
| weights, **averaging hard** | ½ | ½ | 0 | ½ |
| weights, **unique hard**, ties to the left | 1 | 0 | 0 | 0 |
| weights, **unique hard**, ties to the right | 0 | 1 | 0 | 1 |

**Soft** attention is softmax: a token with the logit $x$ gets the weight $e^x$, divided by the sum of these numbers over all tokens. **Hard** attention looks at the largest logits alone. The {term}`averaging kind <averaging hard attention>` divides the weight equally among them. The **unique** kind gives all of it to one token, and so it needs a rule for ties.

If the third value changes to 0, the soft head notices and the three hard ones do not. If all three logits are equal, the averaging head reads every token too, and only the unique ones still read a single one. In PARITY every symbol matters, so it matters which heads a theorem is about. Hahn's theorem is about unique hard attention; Chiang and Cholak's transformer is soft.

## The map, drawn for PARITY

Transformers differ in more than their attention. Five questions tell them apart:

1. *Which attention?* Unique hard, averaging hard or soft.
2. *Is there a mask?* Without one, every token sees all tokens. A **mask** hides from each token what comes later, and a **strict mask** hides the token itself as well, so that the first token sees nothing, and reads 0.
3. *Does it know positions?* Some transformers are told where each token is, others see the symbols alone.
4. *Is there padding?* **Padding** tokens follow the string and carry no information. Each is one more place to compute in.
5. *Does it think in steps?* At the last token a **decoder** computes a score for each token that it may write. It writes the one with the largest score, reads it too, and goes on until it writes an answer. What it has written is its **scratchpad**, or chain of thought.

The first two questions choose one of six rows. The other three choose a cell in that row: *no positions*, *positions*, *padding* or *steps*. A transformer belongs in the last cell that fits, so one with positions and padding belongs under *padding*.

**Predict**: with one of the three kinds of attention, this book's machines decide PARITY only if they take steps. Which kind is it?

<p class="guess" data-right="1">unique&nbsp;hard|averaging&nbsp;hard|soft</p>
"""

# %% tags=["hide-output"]
# try: another language, such as "MAJORITY"
for entry in executed(MAP):
    attention, masked, column = entry.tile
    if entry.example.language.name == "PARITY":
        print(f"{attention:14}  {column:12}  {entry.name}")

# %% [markdown]
r"""
In a blue cell of the map some transformer decides PARITY, and in a yellow cell none does. In a striped cell none does if a certain condition holds; otherwise nothing is said. In the grey cell no statement answers the question. Each answer links to its statement, with all conditions. The signs ● and ○ mark a proof in this book (with ● a machine runs here too), and ■ marks a paper that we cite.

Take GPT-2: its attention is soft and masked, it knows positions, and it gets no padding. If it answers at once, its cell is *positions* in the row *soft, masked*; if it writes first, *steps*.
"""

# %% tags=["remove-input"]
parity_picture(MAP)

# %% [markdown]
r"""
*Where attention picks one token, only the last cell of a row is blue. Where it averages, positions are known to be enough, except where GPT-2 answers at once.* There we know only a *no*, for numbers with a fixed number of bits.

So both papers are right, because they are about different cells. Hahn's theorem is about the four yellow ones {cite}`hahn2020,hao2022`. Chiang and Cholak's transformer, which chapter 2 runs, is in the fifth row. With ● or ○ a blue cell holds one machine that works at every length. With ■ it may be a family of machines, whose vectors get wider for longer strings.

:::{dropdown} Why some cells are striped, row by row
*Unique hard, padding.* If the amount of padding depends on the length alone, and [grows at most like a power](#map-pads) of it, the circuits of the next fold still work, with constants in place of the inputs that come from padding. More padding might need circuits that are too large.

*Unique hard, masked, padding.* If masks are strict, there are no positions, and the amount of padding tends to infinity with the length, then [padding adds nothing](#map-pads). Nothing is said of other machines.

*Soft or averaging hard, no mask, no positions.* If the machine adds no token and is not told the length, then `1` and `1111` get the same answer, because the average of four equal vectors is that vector again.

*Soft or averaging hard, masked, no positions.* The *no* is for machines made from a *counting formula*, which counts at how many places so far something holds, and compares such counts, as in *more 1s than 0s*. (Counts of what follows, and remainders of the position, are left out.) No such formula says PARITY ([proof](#what-counts-cannot-say)). On `111…1` the number of 1s grows by one with each symbol, and that of 0s stays 0. So every comparison of counts eventually stops changing, first those inside other counts. But PARITY's answer changes with every 1.

*Soft, masked, positions.* If numbers have a fixed number of bits, whatever the length, a cited theorem puts machines that answer at once within AC⁰, which lacks PARITY. The map says nothing about exact numbers here. And the theorem says nothing about padding, so the next cell stays grey.
:::

## The yellow cells: a head that picks one token

Hahn's idea is easiest to see in the smallest case, where a single head reads one token and gives the answer. Its logit at a token depends only on the symbol there and on the place. Suppose that, among all strings of one length, its largest logit belongs to a 1 at place 3. (If several are equally large, take the one that the rule for ties prefers.) Then in every string with a 1 at place 3 the head reads that place, whatever the other symbols are. So `00100` and `01100` get the same answer, although one has an odd number of 1s and the other an even number.

With more layers every token reads others, and each may have a favourite place of its own. Hahn shows how to fix some symbols of a long string so that many stay open, and yet, after each layer, every vector depends on only a bounded number of the open ones. The bound is the same for all lengths. In the end some open symbol plays no part in the answer. But in PARITY every symbol does.

:::{dropdown} Why unique hard attention without padding and steps cannot decide PARITY: circuits
This proof differs from Hahn's. A *gate* computes the *and* or the *or* of any number of symbols and other gates, or the *not* of one. A *circuit* is made of gates, the last of which gives the answer, and its *depth* is its longest chain of gates. **AC⁰** holds the languages that have a circuit for each length, all of the same depth, with a number of gates that grows at most like a power of the length. (With gates for majority as well it is **TC⁰**, which holds PARITY.) By a famous theorem {cite}`furst1984`, PARITY lies outside AC⁰, so it is enough to put these transformers into AC⁰.

*Few vectors.* At first a token's vector tells a symbol and a place, which makes two possible vectors for each place, and one for CLS. As a head picks at most one token, a layer with one head at most squares the number of possible vectors (and one with more heads raises it to a higher power). So this number still grows at most like a power of the length, and one gate per vector can say whether a token has it.

*Few gates.* Whether one logit is smaller than another depends on three vectors: that of the token that reads, and those of the two tokens compared. So each comparison is an *or* over triples. With ties to the left, *token 3 is picked* means that each earlier token has a smaller logit and no later one a larger logit, which is an *and* over the tokens. What the reading token holds next is an *or* over its old vector, the token picked, and that token's vector. So each layer adds a fixed depth. $\square$
:::

## What a tie knows

In the first cell of the map, without mask and positions, order seems to be lost. But the rule for ties knows left from right. Here is one layer, read at {term}`CLS`, a token in front of the string. CLS gives every symbol the same logit, so that all symbols tie, and reads whether the one that it picks is a 1.

In code a logit is the product of a **query**, `q`, of the token that reads and a **key**, `k`, of the token that is read. So with `q=[cls]` and `k=[-cls]` CLS gives itself the logit −1, and each symbol the logit 0. A token's coordinate `one` is 1 if its symbol is a 1, and 0 otherwise. The head adds the `one` of the token that it picks to `s` at CLS, and the string is accepted if this `output` is positive. {term}`hardmax` is averaging hard attention.

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

How much order does a rule for ties give? Compare `01` with `011`. Before the first layer all 1s, in both strings, hold the same vector, so they get the same logit. If this logit is the largest, then with ties to the left the head reads the *first* 1 in either string, and finds the same value there. (If the 0 has the same logit, the head reads the 0, which comes first in both.) So after one layer CLS, the 0 and the 1s hold the same vectors in both strings, and the same argument serves for the next layer.

:::{admonition} What a tie knows
:class: result
*Assumes:* unique hard attention with ties to the left, no mask, no positions, any number of layers. Then what CLS holds depends only on the order in which the symbols *first* occur. *Proved for every length.* [Record](#map-first-occurrences)
:::

:::{dropdown} Proof
By induction over layers: in two strings with the same order of first occurrences, tokens of the same symbol hold the same vector, and so does CLS. This is true before the first layer.

A head gives all tokens of one symbol the same logit. So the largest logit belongs to the same symbols in both strings, and the leftmost of their tokens is the first occurrence of the same symbol. Its value is the same in both. All other parts of a layer work on one position at a time. $\square$

With ties to the right the same is true, with *last* for *first* and *rightmost* for *leftmost*.
:::

So such a machine can tell `01` from `10`, but never `01` from `011`, of which only one has an odd number of 1s. With ties to the right it cannot tell `10` from `110`. Either way it does not decide PARITY.

## The blue cells: a head that averages

How does averaging help? Chiang and Cholak's transformer turns the number of 1s, $k$, into a position. Take `0110` with a token CLS in front, and number the $n = 5$ tokens from 0 to 4.

*Count.* A head with equal logits averages over all tokens, and so tells each the share of 1s, $k/n = \tfrac25$.

*Mark one token.* Token $i$ also knows $i/n$, so it can compute the difference $d = i/n - k/n$, which is 0 at token 2 alone. Three hidden units turn this difference into a mark, which is $\tfrac1n$ where $d = 0$ and 0 elsewhere.

*Ask where the mark is.* CLS looks for it with two heads, one with more weight on odd positions, the other with more on even ones. Since 2 is even, the second head finds more of the mark, and `0110` is rejected.

With averaging hard attention, one machine decides PARITY even under a mask ([record](#map-encoders)): its last token, which sees all others, picks the token whose number is $k$, and reads whether $k$ is even.

## The last column: PARITY on a scratchpad

Why is the last column blue in every row? With hard attention of either kind, a decoder that knows positions can read the string symbol by symbol, and write down after each whether the number of 1s so far is even or odd. The last of these words is the answer ([record](#map-scratchpad)).

With soft attention not even positions are needed. Our decoder does what people do who cannot count: it makes a tally, one stroke for each thing. On `01101` it writes `o`, `e`, `o`, one stroke for each 1. The strokes alternate, and as the last one is `o`, for *odd*, it answers *yes*.

Before it writes, it must know two things: is a stroke still missing, and is the last token an `o`? The answers decide what comes next:

| | after an `o` | after any other token |
|---|---|---|
| a stroke is missing | `e` | `o` |
| none is missing | *yes* | *no* |

*Is a stroke missing?* A head without a query gives all tokens the logit 0, so it averages over all tokens so far. Let each 1 count $+1$ and each stroke $-1$. At the beginning CLS and `01101` make six tokens, and the average is $\tfrac36$. After three strokes there are nine tokens, the average is $\tfrac{3 - 3}{9} = 0$, and it is time to answer. In general the average of $n$ tokens, with $k$ 1s and $t$ strokes among them, is $d = (k - t)/n$.

To turn $d$ into a clear yes or no, the head also averages a second value, which is 1 at CLS and 0 elsewhere. This average is $u = 1/n$. If a stroke is missing, $k - t$ is at least 1, and $d$ is at least $u$. So the smaller of the two, $a$, is $u$ if a stroke is missing, and 0 if not.

*Is the last token an `o`?* The last token knows which token it is, so it can compute a number $b$ that is $u$ if it is an `o`, and 0 otherwise.

The decoder gives the four tokens that it may write these scores:

| `o` | `e` | *yes* | *no* |
|---|---|---|---|
| $a - b$ | $a + b - u$ | $b - a$ | $u - a - b$ |

At the beginning $a = u$ and $b = 0$, so the scores are $u$, $0$, $-u$, $0$, and it writes `o`. In each of the other three cases, too, the right token has the score $u$, and no other score is above 0. Here is each step, with the fractions reduced:
"""

# %%
# try: other strings, the empty one too
steps_table(decoders.tally(), "01101", "softmax", "d", "u", a="more", b="last o")

# %% [markdown]
r"""
:::{admonition} PARITY by a tally
:class: result
A decoder with one layer, one head, no queries and no positions decides PARITY with softmax, in $k + 1$ steps for $k$ 1s. *Proved for every length.* [Record](#map-scratchpad)
:::

:::{dropdown} Proof
Two hidden units make $a = \min(d, u)$, and a third makes $b = \max(0, u + [\text{last is } o] - 1)$. The decoder stops counting at $t = k$, so $d \ge 0$ is a multiple of $u$. So $a$ is $u$ if a stroke is missing, and 0 if not. As $0 < u \le 1$, $b$ is $u$ if the last token is $o$, else 0.

Put these into the four scores: in each of the four cases one is $u$, and no other is above 0. So it writes $o$, $e$, $o$, … up to $t = k$, then "yes" if the last of them is $o$, that is if $k$ is odd, and else "no". That is $k + 1$ steps. $\square$
:::

## The third column: padding is room for tests

What can tokens without information be good for? Take a task with many more tests than symbols: are there three 1s at equal distances? In `10101` there are, at the places 1, 3 and 5: the *middle* is 3 and the *distance* 2. Every middle must be tested with every distance, so every token, padding included, makes one test.

Which token makes which test? Number CLS 0, the symbols 1 to $m$, and the padding from there on. Square numbers divide the work. The numbers 7 to 12 are nearer to $3^2 = 9$ than to any other square, so these tokens test the middle 3. The distance that such a token tests is how far its own number is from 9. On `10101` token 7, which is padding, has $7 - 9 = -2$: it reads the middle and the places $3 \pm 2$, and finds three 1s, a **hit**. (The sign of a distance does not matter.) Token 9 has the distance 0, so its three places are one and the same, and no hit is allowed. In general, token $p$ finds the square $j^2$ nearest to $p$, and tests the middle $j$ with the distance $p - j^2$.

"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Five symbols need ten padding tokens, since the last test falls to token 15.* Each dot is a token after CLS. Its height is the distance that it tests, and its line names the middle. A hollow dot can find nothing, as its test has the distance 0 or leaves the string. A pale dot repeats the test of an earlier token.", "name": "fig-map-padding"}, "image": {"alt": "Four rising lines of dots, for the middles 1 to 4. The tokens 1 to 5 are symbols, the tokens 6 to 15 are padding. Only the tokens 3, 7, 8 and 15 are full, and 5, 10 and 11 are pale.", "classes": "dark-light"}}
padding_figure(5);

# %% [markdown]
r"""
Three layers can do this, if each token is told its number, its square and its fourth power.

:::{dropdown} Why squares, and how the layers use them
The middle $j$ has $j - 1$ places on its left, so it needs the distances 1 to $j - 1$, one test more than the middle before it. The gaps between square numbers grow steadily, too: 3, 5, 7, and so on.

1. Token $p$ finds its square by a head with the logit $2 p j^2 - j^4 = p^2 - (p - j^2)^2$ for the token at $j$, which is largest at the nearest square. The head also reads the symbol at $j$.
2. Two heads read the places $j + r$ and $j - r$, where $r = p - j^2$: to read a place $t$, they give the token at $x$ the logit $2 t x - x^2$, which is largest at $x = t$. Hidden units check that all three symbols are 1s and that $r$ is not 0.
3. CLS looks for a token with a hit.
:::

### How much is enough?

In the figure the last token needed is token 15. In general, the tokens $j^2 - d$ and $j^2 + d$ make the same test, so the earlier one is enough. The middle $j$ is at most $m - 1$, because it has a symbol on its right, and $d$ is at least 1. So the last token needed has the number $(m - 1)^2 - 1 = m (m - 2)$, and $5 \cdot 3 = 15$. The first $m$ tokens are symbols, which leaves $m (m - 3)$ for padding.

:::{admonition} How much padding is enough
:class: result
*Assumes:* hard attention of any kind, and these three layers on strings of $m \ge 3$ symbols. The layers decide correctly, on all of these strings, whether three 1s are at equal distances, if and only if at least $m (m - 3)$ padding tokens follow the string. *Proved for every length.* [Record](#map-padding)
:::

**Predict**: let every string have one padding token fewer than that. Which is the first string that is decided incorrectly?

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

With softmax this much padding is enough too, for slightly different weights, as [the record](#map-padding) proves. But all this is about *these* weights, and whether others need no padding is [an open question](#map-entry-unique-hard-unmasked-positions-equal-distances-unpadded).

## One row, beyond PARITY

What else do the machines of one row decide? We take the row *unique hard, masked*, because with strict masks its first cell is known exactly.

A **finite automaton** reads a string once, symbol by symbol, and remembers one of finitely many *states*. A language that some finite automaton decides is **regular**. PARITY is regular, because the two states *even* and *odd* are enough: on `01101` the automaton goes through even, odd, even, even, odd.

A regular language is **star-free** if it stops counting: once a part of a string has been repeated often enough, one more repetition makes no difference, whatever the part is and whatever surrounds it. For example, *contains 01* is star-free. If the part is `10`, then `10` does not contain `01`, but `1010` does, and so does every longer repetition. For every part two copies are enough, because a third brings no new pair of neighbours. PARITY is not star-free: to `1`, `11`, `111`, `1111` it says yes, no, yes, no, without end. Neither is *1s at odd positions*, in which each 1 is at the first, third, fifth … place: to `1`, `01`, `001`, `0001` it says yes, no, yes, no, too.

In these terms the row reads:

| cell | what the map says there |
|---|---|
| no positions | [exactly the star-free languages](#map-entry-unique-hard-masked-no-positions-exactly-the-star-free-languages), with strict masks, if heads may break ties to either side {cite}`yang2024masked` |
| positions | more than these: [1s at odd positions](#map-entry-unique-hard-masked-positions-1s-at-odd-positions) |
| padding | [nothing is gained](#map-entry-unique-hard-masked-padding-padding-behind-a-mask), with strict masks and no positions, if its amount tends to infinity with the length |
| steps | with positions, [every regular language](#map-entry-unique-hard-masked-steps-every-regular-language): the scratchpad holds the automaton's state, one token for each symbol |

Merrill and Sabharwal {cite}`merrill2024` had proved this last statement for machines that also rescale each vector.

(fig-map)=
## The whole map

The full map has the same six rows, each in a fold, but is not about PARITY alone. Each name in a cell is an **entry**, one statement about transformers of that kind. Its link leads to the statement in full, and on to the page, if any, that builds or proves it. Its sign says what you may rely on. Of the {glue:text}`map_entries` entries, {glue:text}`map_cited` are only cited, and we have not checked their proofs:
"""

# %% tags=["remove-input"]
legend(MAP)

# %% tags=["hide-input"]
ran = executed(MAP)
glue("map_entries", len(MAP)), glue("map_run", len(ran))
glue("map_cited", sum(entry.label == CITED for entry in MAP))
glue("map_boxes", len(tiles()))
glue("map_with_machine", sum(bool(executed(on(tile, MAP))) for tile in tiles()))

# %% [markdown]
r"""
{glue:text}`map_run` of the entries hold a small transformer with exact weights, compared with a line of Python on every string up to a length that the entry names. Such machines run in {glue:text}`map_with_machine` of the {glue:text}`map_boxes` cells.
"""

# %% tags=["remove-input"]
map_page(MAP)

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

## What to take away

- Before you quote a theorem about transformers, ask the five questions, of the theorem and of your model.
- Say which rule for ties your code uses. It is a part of the model: with ties to the left, with ties to the right and with averaging, the same weights decide three different languages.
- By a cited theorem, an ordinary language model with a fixed number of bits, like GPT-2, cannot decide PARITY for all lengths by answering at once. If it writes first, one layer is enough in exact arithmetic, even without positions. With a fixed number of bits, a [cited theorem](#map-entry-soft-masked-steps-steps-of-constant-precision) gives decoders for PARITY whose vectors get wider like $\log n$, perhaps a different one for each length. So let it write first.
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

The [record of this chapter](record_10_the_map) has every entry in full, with what ran and how. The signs ? mark open questions, to which [an answer](adapt) is welcome, as is a new entry. Which of these machines training finds would be a different map, and Huang and others {cite}`huang2025` draw a part of it.
"""
