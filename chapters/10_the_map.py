# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# The map

*You will be able to* say of a kind of transformer (which attention, which mask, which positions, how many steps of thought) what runs in it here, what is proved, what is cited, and what this book
does not know.
"""

# %% tags=["hide-input"]
from dataclasses import replace
from fractions import Fraction

from chapters.exercises.judge import check
from chapters.pages.the_map import MAP, examples, decoders, encoders
from chapters.pages.the_map.cells import (key, map_figure, map_tables, CITED, OPEN, executed,
                                          labelled, on)
from chapters.pages.the_map.decoders import Decoder, Steps, NO, YES
from chapters.pages.the_map.encoders import enough_padding, padded
from lib.constructions.mutants import mutants
from lib.formulas import held_against, verdict
from lib.languages import PARITY
from lib.notebook import glue, markdown_table, use_style
from lib.transformer import FFN, Construction, Exact, Head, Layer, Space
from record.claims import Claims

use_style()
claims = Claims("10_the_map")
THE_MAP, SCRATCHPAD, PADDING = "ours: the map", "ours: scratchpads", "ours: padding"
FIRST_OCCURRENCES = "ours: first occurrences"

# %% tags=["hide-input"] mystnb={"figure": {"caption": "The map. A mark is a cell: a statement about transformers of that kind. A dot is proved here (hollow if nothing runs), a triangle runs here, a square is cited, a cross is open.", "name": "fig-map"}, "image": {"alt": "A table of six rows, three kinds of attention with and without mask, by four columns, no positions, positions, padding and steps. Every place holds at least one mark, and the tables below list them.", "classes": "dark-light"}}
map_figure(MAP);

# %% [markdown]
"""
## Claim

Results on what transformers express look as if they contradict each other. They speak of different machines. The survey of Strobl and others {cite}`strobl2024` orders them by attention, mask,
positions, precision and steps of thought.

{numref}`fig-map` is such a table, made to run. {glue:text}`map_run` of its {glue:text}`map_cells` cells hold a small transformer with exact weights, which decides every string to a length as a
line of Python does; {glue:text}`map_beyond` of them are not in this book's four papers. {glue:text}`map_cited` cells cite a bound, {glue:text}`map_open` are open. Code counts them.

Two examples are built on this page. A decoder with one layer, without positions and queries, decides PARITY with a scratchpad. And three layers decide a language with padding on which, without it, their weights fail.
"""

# %% [markdown]
"""
## Construction

### What a cell says

A cell names a *setting*, a statement, and its hypotheses. What it rests on is its label:

- **proved here**: as the cell states it, on a page of this book; it runs as well, unless its mark is hollow;
- **run**: decided exactly for each string to a length; what more it says is cited;
- **cited**: as the abstract of a paper states it, which is what we have read, or a summary where the cell says so; a mask that it does not name counts as none;
- **open**: this book has no answer. Somebody else may have one.
"""

# %%
cell = next(cell for cell in MAP if cell.name == "contains 01")
print(cell.settings[0], cell.statement, cell.hypotheses, cell.label, sep="\n")
print(cell.example.run(longest=8))

# %% [markdown]
"""
### Which side a tie falls to

{term}`Hardmax <hardmax>` has kinds. The *averaging* kind shares the weight among all largest logits. *Unique* hard attention gives it to one: the leftmost or the rightmost of them.

Take one layer in which CLS gives the same logit to every symbol, and a smaller one to itself. Nothing tells positions apart. **Predict** what it decides under each kind.

<p class="guess">one&nbsp;language|three&nbsp;languages</p>
"""

# %% tags=["hide-output"]
S = Space("0", "1", "CLS", "s")
zero, one, cls, s = S
look = Layer(Head({"s": one}, q=[cls], k=[-cls]))
tie = Construction(S, {"0": zero, "1": one, "CLS": cls}, position={}, layers=look, output=s)
assert replace(tie, name="") == replace(encoders.end_symbol(), name="")

for kind in ("leftmost", "rightmost", "hardmax"):
    print(f"{kind:9}", [w for w in ("0", "1", "01", "10", "00") if Exact(tie, kind).accepts(w)])

# %% [markdown]
"""
:::{dropdown} Why
The tie is the only thing that knows an order. To the left it reads the first symbol, which is FIRST; to the right the last; the average is positive as soon as there is a 1 anywhere.
:::

(map-first-occurrences)=
**How little a tie knows.** *Without mask and positions, with ties to the left, what CLS holds depends only on the order in which the symbols first occur.*

:::{dropdown} Proof, for every length and any number of layers
By induction over layers: in two strings with the same order of first occurrences, tokens of the same symbol hold the same vector, and so does CLS. It is so for embeddings.

A head scores all tokens of one symbol alike. So the largest logit belongs to
the same symbols in both strings, and the leftmost of their tokens is the first occurrence of the same symbol. Its value is the same in both. All else works on one position at a time. $\square$

*With steps.* If the strings also end alike, a decoder writes the same token behind both, so they end alike again, and so on. None decides PARITY: 01 and 011.
:::

(map-encoders)=
### Small encoders

The library's `encoders` holds a few more. An *induction head* looks for the latest earlier place of the current symbol, and reads what came next. *1s at odd positions* is regular but not star-free: $0^k1$ belongs to it if and only
if $k$ is even.

:::{dropdown} Why each is right, for every length
*Ties.* CLS gives every symbol the logit 0 and itself $-1$. Without symbols it reads itself, 0.

*Contains 01.* A strict mask hides a position from itself. All logits of the first head are equal, so ties to the right read the token before. A 1 behind a 0 gets a mark, 1. The second head's logit is the mark, so
it reads a 1 if any earlier position has one; the output adds the last position's own mark.

*The strings* `(ab)*`. The same search, for an a behind an a, or a b that is not behind an a. The rest of the output rejects a last a. A string without these faults alternates, begins with a and ends with b, or is empty.

*Induction head.* The logit is 1 where the symbol before is the query's own, and 0 elsewhere. The rightmost such place is the one wanted; where there is none, the token read has another symbol before it, and both hidden units are 0 or below.

*1s at odd positions.* The same search once more, for a 1 at an even position.

*PALINDROME.* With $t=n-1-i$ the logit is $t^2-(j-t)^2$, largest at $j=t$ alone. CLS and EOS mirror each other and are no 1s. Then CLS looks for a difference, which is 1.

*MAJORITY.* A head without queries averages, under softmax too. The mean has the sign of the number of 1s minus that of 0s.

*PARITY by its mark, under hardmax.* Its first layer has no queries either, so position $k$ alone is marked. Two heads average the marks of odd and of even positions; $s$ is their difference, 0 for the empty string.
:::
"""

# %% [markdown]
"""
(map-scratchpad)=
### PARITY with a scratchpad

A decoder writes a token, reads it with the rest, and writes the next, until it writes an answer. [Counting formulas](#what-counts-cannot-say) of the past alone do not say PARITY. With a scratchpad one count is enough.

Let it make a tally: write $o$, $e$, $o$, … as long as there are fewer of them than 1s. The last one tells the parity. One head without a query gives the
last position $i$ two averages of what it sees,

$$
d = \frac{k - t}{i + 1}, \qquad u = \frac{1}{i + 1},
$$

for $k$ 1s and $t$ tokens written so far. Two ReLU units make $\min(d, u)$, a third makes $\max(0, u + [\text{last is } o] - 1)$:
"""

# %%
S = Space("0", "1", "CLS", "e", "o", "d", "u", "more", "last o")
zero, one, cls, e, o, d, u, more, last_o = S
count = Layer(Head({"d": one - e - o, "u": cls}, mask="future"),
              FFN(hidden=[d, d - u, u + o - 1], out={"more": [1, -1, 0], "last o": [0, 0, 1]}))
network = Construction(S, {"0": zero, "1": one, "CLS": cls, "e": e, "o": o}, position={},
                       layers=count, output=more - last_o, name="PARITY by a tally",
                       readout="last")
tally = Decoder(network, {"o": more - last_o, "e": more + last_o - u,
                          YES: last_o - more, NO: u - more - last_o}, symbols="01")
assert tally == decoders.tally()

# %% [markdown]
"""
Step by step on $01101$. Each row is one step: what was last, the two averages, the four logits, and the token with the largest.
"""

# %%
def steps_table(decoder, w, attention, *coordinates):
    reader, rows, last = Exact(decoder.construction, attention), [], w[-1:] or "CLS"
    steps = list(Steps(decoder, attention).run(w))
    tokens = ["CLS", *w, *(step.token for step in steps[:-1])]
    vectors = list(reader.vectors(tokens))[len(w):]
    for step, vector in zip(steps, vectors):
        held = [vector.get(name, 0) for name in coordinates]
        rows.append((last, *held, *step.logits.values(), f"**{step.token}**"))
        last = step.token
    return markdown_table(("last", *coordinates, *steps[0].logits, "writes"), rows)


# try: other strings, the empty one too
steps_table(tally, "01101", "softmax", "d", "u")

# %% [markdown]
"""
:::{dropdown} Proof, for every length
The decoder stops counting at $t=k$, so $d\ge 0$ is a multiple of $u$, and $m=\min(d, u)$ is $u$ or 0 as there are more 1s or not. As $0<u\le 1$, $q=\max(0, u+[\text{last is } o]-1)$ is $u$ or 0 as the last token is $o$ or not.

|$m$|$q$|o: $m-q$|e: $m+q-u$|yes: $q-m$|no: $u-m-q$|
|---|---|---|---|---|---|
|$u$|0|$u$|0|$-u$|0|
|$u$|$u$|0|$u$|0|$-u$|
|0|$u$|0|$-u$|$u$|0|
|0|0|0|$-u$|0|$u$|

Each row has one largest logit, $u$. So it writes $o$, $e$, $o$, … to $t=k$, then "yes" if the last of them is $o$, that is if $k$ is odd, and else "no". That is $k+1$ steps. $\square$
:::

### Every regular language

The tally is a trick. A scratchpad can also hold the *state* of a finite automaton: one token a state, $|w| + 1$ steps. Ours uses positions, to find the next symbol.

The rightmost symbol of the input stands at $m = |w|$: ties to the right find it. With the last token at $i$, the next symbol stands at $t = i - m + 1$, and the logit
$2tj - j^2 = t^2 - (j - t)^2$ is largest there. Averaging hardmax finds $m/2$ instead, the mean of $0, \dots, m$; the value is doubled.
"""

# %%
running = decoders.running_parity()
steps_table(running, "01101", "rightmost", "m", "reads 1")

# %% [markdown]
"""
:::{dropdown} Proof, for every automaton and every length
*Before the first state* the last token is the last symbol, or CLS, at $i=m$. So $t=1$: the first symbol, if there is one. *Behind $r\ge 1$ states* the last token is at $i=m+r$, and $t=r+1$. Always $t\le i$, but for the
empty input, where $i=0$: there CLS is read, no symbol.

While $r<m$, position $t$ holds the next symbol $a$. A hidden unit for each pair of a state and a symbol is 1 for the current pair and at most 0 for the others; it writes the next state with logit 1. All other logits are 0: the unit that would end is 1 minus 1.

At $r=m$ position $t=m+1$ holds the first state, or CLS if $m=0$. No symbol is read, so the pairs' units are 0, and the unit of the current state gives its answer the logit 1. $\square$
:::

Merrill and Sabharwal {cite}`merrill2024` prove that linearly many steps recognise all regular languages, in a model with layer normalization and $O(\log n)$ bits, and that this is beyond transformers without steps, under standard conjectures.

(map-unmasked)=
**Neither decoder needs its mask.** Only the last token is read, from which a mask hides nothing. Keys and values of its heads are made of embeddings, which no mask changes.

(map-padding)=
### Padding

Padding tokens say nothing, but each is a place to compute in. Our language: the strings with three 1s at equal distances, such as $0\,\mathbf1\,0\,\mathbf1\,1\,\mathbf1$.

There is one test for each middle $j$ and each distance $r$, and more tests than symbols. So *every* token, padding too, does one of them. Token $p$ finds the square $j^2$ nearest to $p$: that is where the
logit $2pj^2 - j^4$ is largest. Its distance is what is left, $r = p - j^2$.
"""

# %%
network = encoders.progressions()
trace = Exact(network, "leftmost").trace(padded("10101"))
rows = [(p, trace.tokens[0][p], *(trace.a[1][name][p] for name in ("j", "j²")),
         p - trace.a[1]["j²"][p], trace.a[2]["hit"][p]) for p in range(len(trace.tokens[0]))]
markdown_table(("token p", "", "j", "j²", "r", "hit"), rows)

# %% [markdown]
"""
A second layer reads the symbols at $j - r$ and $j + r$, and a hidden unit is 1 if all three are 1s and $r \ne 0$. A third looks for a hit. For softmax, `progressions(soft=True)` multiplies two layers' logits by 10.

**Theorem.** *Let $m$ symbols be followed by $q$ padding tokens, $m \ge 3$. These weights decide the language on all strings of $m$ symbols if and only if $q \ge m(m - 3)$.*

:::{dropdown} Proof
*No two squares are equally near to a whole $p$*: the middle between $j^2$ and $(j+1)^2$ is $j^2+j+\tfrac12$. So $-j<r\le j$, and $j=0$ for $p=0$ alone.

*What is read exists.* $j-|r|\ge 0$, and $j+|r|\le p$: for $r\ge 0$ because $j\le j^2$; for $r<0$ because $|r|\le j-1$ and $j+2|r|\le 3j-2\le j^2$, as $(j-1)(j-2)\ge 0$.
So the logits $2tx-x^2$ are largest at $x=t$ alone. CLS and padding are no 1s, so a hit is three 1s at equal distances: nothing is accepted wrongly, whatever $q$ is.

*Enough.* Three 1s at $j-d$, $j$, $j+d$ have $1\le d<j$ and $j+d\le m$. Token $p=j^2-d$ tests them. It exists if $p\le m+q$, and $j^2-d\le (m-1)^2-1=m+m(m-3)$: for $j\le m-1$ and $d\ge 1$.

*Needed.* $0^{m-3}111$ has one such triple, $j=m-1$ and $d=1$. Tokens $j^2-1$ and $j^2+1$ alone test it. With $q<m(m-3)$ neither exists. $\square$
:::

:::{dropdown} Proof for softmax
The threshold is $\tfrac52$, not 2, and the last head averages.

*First layer.* Its logit at $x$ is $10G$ below that at $j$, with $G=\Delta^2-2r\Delta$ and $\Delta=x^2-j^2$. For $x=j+k$, $r\le j$ gives $G\ge \Delta k^2$; for $x=j-k$, $r\ge -(j-1)$ gives $G\ge |\Delta|((k-1)^2+1)$. So $G\ge |\Delta|$, and $j$, $j^2$, the middle
symbol and $[r=0]$ are each off by at most $2\sum_{D\ge 1} De^{-10D}<10^{-4}$.

*Second.* The places are off by $\delta<2\cdot 10^{-4}$, so the symbols by at most $2\sum_{k\ge 1} e^{-10(k^2-2k\delta)}<10^{-3}$. The unit is above 0.49 at a true test, and exactly 0 at others. The average is positive if and only if there is a hit. $\square$
:::

This is said of *these weights*. Whether others do without padding is open here.

(map-pads)=
Padding can give something away: with $|w| \bmod 2$ tokens behind it, $w$ shows the parity of its length.

:::{dropdown} If the number tends to infinity, strict masks without positions gain nothing
All accepted token strings are a star-free language {cite}`yang2024masked`, so an aperiodic one: from some $K$ on, all numbers of padding tokens are alike. With $K$ of them the accepted $w$ are a star-free language, a quotient. Ours differs from it at finitely many lengths. $\square$
:::

## Run it

(map-all)=
### Every cell

Each network of the map, on every string to its length. What is right says a line of Python for each language, which knows nothing of the network.
"""

# %%
# try: another length for all, such as cell.example.run(longest=6)
verdicts = {key(cell): cell.example.run() for cell in executed(MAP)}
wrong = {name: found for name, found in verdicts.items() if found.counterexample is not None}
print(f"{len(verdicts)} cells on {sum(found.strings for found in verdicts.values()):,} strings,",
      f"{len(wrong)} of them wrong")

# %% tags=["hide-input"]
map_tables(MAP, verdicts)

# %% [markdown]
"""
(map-filter)=
### Ask the map

The map is data. Which languages run without positions, and what is said of masked unique hard attention with steps?
"""

# %%
# try: other places, such as ("soft", True, "padding")
print(*sorted({cell.example.language.name for cell in executed(MAP)
               if {setting.positions for setting in cell.settings} == {"none"}}), sep=", ")
for cell in on(("unique hard", True, "steps"), MAP):
    print(f"{cell.label}: {cell.statement}")

# %% [markdown]
"""
(map-break)=
## Break it

### A check that can fail

If every wrong network passed too, the map would say nothing. Take the coefficients of the induction head away, one at a time. **Predict** how many of these mutants still pass to length 8.

<p class="guess">none|some|most</p>
"""

# %% tags=["hide-output"]
def first_wrong(found):
    return "none" if found.counterexample is None else found.counterexample or "the empty string"


passing = []
for label, mutant in mutants(encoders.induction()):
    found = verdict(mutant, examples.INDUCTION, 8, attention="rightmost")
    print(f"{label:34} first string decided wrongly: {first_wrong(found)}")
    passing += [label] if found.counterexample is None else []
    assert len(found.counterexample or "") <= 3

# %% [markdown]
"""
:::{dropdown} Why
Two pass, and rightly: a last 1 needs no match. Without it the last position reads itself, a 1, and accepts if a 1 stands right before it. That is when a 1 followed the
latest earlier 1. All others fail on three symbols or fewer.
:::

### The other side

The first strings that networks decide wrongly when they are read by another kind of attention:
"""

# %%
others = [(encoders.contains_01, examples.CONTAINS_01),
          (encoders.alternating, examples.ALTERNATING),
          (encoders.induction, examples.INDUCTION),
          (encoders.odd_positions, examples.ODD_POSITIONS)]
kinds = ("rightmost", "leftmost", "hardmax")
table = [[make().name, *(first_wrong(verdict(make(), language, 9, attention=kind))
                         for kind in kinds)] for make, language in others]
markdown_table(("network", *kinds), table)

# %% [markdown]
"""
To find 01, an average of the past will do: it is positive if *any* 0 came before.

(map-fewer)=
### One token fewer

With one padding token fewer than $m(m - 3)$, and with none. **Predict** the first string that is decided wrongly.

<p class="guess">a&nbsp;short&nbsp;one|a&nbsp;long&nbsp;one</p>
"""

# %% tags=["hide-output"]
def with_fewer(missing):
    reader = Exact(network, "leftmost")
    return held_against(examples.PROGRESSION, lambda strings: reader.accepts(
        [padded(w, fewer=missing) for w in strings]), longest=6)


# try: twenty fewer
for missing in (0, 1, 100):
    print(f"{missing:3} fewer: {with_fewer(missing)}")

# %% [markdown]
"""
:::{dropdown} Why
Three symbols need no padding, four need four tokens. $0111$ is the string of the theorem.
:::

### A scratchpad that is not read

Leave the written tokens out of $d$, and on a string with a 1 the tally never stops:
"""

# %%
blind = replace(network_of := decoders.tally().construction, layers=[Layer(
    Head({"d": S["1"], "u": S["CLS"]}, mask="future"), network_of.layers[0].ffn)])
forgetful = Decoder(blind, dict(decoders.tally().logits), "01")
print([step.token for step in Steps(forgetful, "softmax").run("01", most=8)])

# %% [markdown]
"""
## Measured against the paper

The survey's results are bounds on whole classes. Ours are examples: each is one language in one setting.

Cited cells state what abstracts do: for unique hard attention {cite}`hahn2020,hao2022,barcelo2024,yang2024masked,jerad2025,yao2021`, for averaging {cite}`merrill2022,chiang2025`, for softmax
{cite}`merrill2023,chiang2023,hahn2024,yang2024,li2025`, for padding {cite}`merrill2025,london2025,pfau2024,svete2026`, for steps {cite}`perez2021,merrill2024,li2024,jiang2026`.

Examples and bounds do not always meet: the examples are exact, many bounds speak of $O(\log n)$ bits or fewer.
"""

# %% tags=["hide-input"]
ran = executed(MAP)
glue("map_run", len(ran)), glue("map_cells", len(MAP))
glue("map_beyond", sum(cell.beyond for cell in ran))
glue("map_cited", len(labelled(CITED, MAP))), glue("map_open", len(labelled(OPEN, MAP)))
claims.settle("all: run", here=f"{len(ran)}; {len(wrong)}", agrees=len(ran) >= 24 and not wrong)
beyond = [cell for cell in ran if cell.beyond and key(cell) not in wrong]
claims.settle("all: beyond", here=len(beyond), agrees=len(beyond) >= 6)
claims.settle("break", here=", ".join(passing),
              agrees=passing == ["W^{Q,2,1}: q2 ← 1", "W^{K,2,1}: k2 ← 1 before"])

# %% tags=["hide-input"]
for name, cell, statement in (("tally", "PARITY, by a tally; soft", "a tally, softmax"),
                              ("running", "PARITY, running; unique hard", "the parity so far"),
                              ("automata", "every regular language; unique hard", "A5")):
    found = verdicts[cell]
    claims.settle("scratchpad", here=f"{first_wrong(found)}, of {found.strings:,}",
                  agrees=found.counterexample is None, settles=name, statement=statement)
all_there, one_fewer = map(with_fewer, (0, 1))
claims.settle("fewer", here=f"{first_wrong(all_there)}; {first_wrong(one_fewer)}",
              agrees=all_there.counterexample is None and one_fewer.counterexample == "0111")

# %% tags=["hide-input"]
short = [w for length in range(7) for w in PARITY.all_strings(length)]
differing = constant = 0
for seed in range(20):
    reader, logits = Exact(encoders.drawn(seed), "leftmost"), {}
    for w in short:
        logits.setdefault("".join(dict.fromkeys(w)), set()).add(reader.logit(w))
    differing += any(len(found) > 1 for found in logits.values())
    constant += len(set.union(*logits.values())) == 1
claims.settle("first-occurrences", here=f"{differing}, {constant}",
              agrees=differing == 0 and constant <= 10)
claims.table()

# %% [markdown]
"""
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
"""
**2 (modify).** Change `contains_01` so that it accepts the strings in which *no* two 1s are neighbours, with strict masks and without positions.
"""

# %%
# try: your construction in place of the dots
check("10.2", ...)

# %% tags=["hide-cell"]
S = Space("0", "1", "CLS", "1 before", "11", "11 before")
zero, one, cls, before, mark, earlier = S
layers = [Layer(Head({"1 before": one}, mask="strict future"),
                FFN(hidden=[one + before - 1], out={"11": [1]})),
          Layer(Head({"11 before": mark}, q=[zero + one], k=[mark], mask="strict future"))]
apart = Construction(S, {"0": zero, "1": one, "CLS": cls}, {}, layers,
                     output=Fraction(1, 2) - mark - earlier, readout="last")
check("10.2", apart)

# %% [markdown]
"""
**3 (prove or refute).** "With ties to the left, but without mask and positions, some transformer decides whether the *second* symbol is 1." It may have any number of layers, and reads its logit at CLS.

<p class="guess">proved|refuted</p>
"""

# %%
# try: "proved", or a pair of strings that every such transformer decides alike
check("10.3", ...)

# %% [markdown]
"""
:::{dropdown} Solution
Refuted. By the theorem on [first occurrences](#map-first-occurrences) it decides 001 and 011 alike: in both, 0 comes first and 1 after it. But only one of them has 1 second.

A mask helps: behind a strict one, the first symbol alone sees nothing but CLS.
:::
"""

# %% tags=["hide-cell"]
print([Exact(tie, "leftmost").logit(w) for w in ("001", "011")])
check("10.3", ("001", "011"))

# %% [markdown]
"""
## What next

The map's crosses are questions; a [correction](adapt) with a construction or a citation is welcome. To add a cell, write its network as in [Adapt this book](adapt) and hold it against a language with `held_against`.

Which of these machines a learner finds is another map: {cite}`huang2025` draw a part of it.
"""
