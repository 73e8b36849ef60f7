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

*One paper proves that transformers cannot decide PARITY, another builds one that does. How can both be right, and what else is known?*

**In one sentence:** they speak of different machines, and this map sorts what is known by the machine, that is by its attention, mask, positions, padding and steps of thought; three results on it were worked out for this book.
"""

# %% tags=["hide-input"]
from fractions import Fraction
from inspect import getsource

from chapters.common.judge import check
from chapters.the_map import MAP, decoders, encoders
from chapters.the_map.encoders import enough_padding, padded
from chapters.the_map.entries import executed, on, tiles
from chapters.the_map.examples import first_wrong, with_fewer
from chapters.the_map.pictures import (legend, map_page, padding_figure, parity_table,
                                       steps_table)
from record.notebook import glue, use_style
from lib.transformer import FFN, Construction, Exact, Head, Layer, Space

use_style()

# %% [markdown]
r"""
## Four heads look at the same tokens

A **language** is a set of strings. To **decide** it is to accept these strings and no others. A transformer turns each token into a vector. A {term}`head` adds to it a weighted mean of what the tokens say, their **values**. The head gives each token a number, its {term}`logit`, which decides how much the token weighs. A **layer** has one head or more, and then **hidden units**, each of the form $\max(0, x)$. Layers repeat this.

PARITY asks whether a string has an odd number of 1s. No transformer whose attention picks a single token decides it at every length {cite}`hahn2020,hao2022`. (Of those that get extra tokens behind the string, or write some before they answer, this says nothing.)

Hahn's idea, in the smallest case: one head, which reads one token and gives the answer. Its logit at a token depends on the symbol there and on the place. Of all logits that it may ever see, let that of a 1 at place 3 be the largest (or the one that a tie prefers). Put a 1 there. Then the head reads place 3, whatever else stands. So `00100` and `01100` get the same answer, but their numbers of 1s are odd and even. With more layers every token reads, and each may have another favourite place. Hahn shows that in a long string one can fix some symbols and leave many open, so that each vector depends on a few of the open ones only, layer after layer. How few does not grow with the length. So at last some open symbol plays no part in the answer, and in PARITY every symbol does.

Yet Chiang and Cholak {cite}`chiang2022` write down a transformer that decides it at every length, and chapter 2 runs it. Its attention is soft: every token has a part.

Let a head see three tokens, with these logits and these values:

| | first token | second token | third token | what the head passes on |
|---|---|---|---|---|
| logit | 2 | 2 | 1 | |
| value | 0 | 1 | 1 | |
| weights, **soft** | 0.42 | 0.42 | 0.16 | 0.58 |
| weights, **averaging hard** | ½ | ½ | 0 | ½ |
| weights, **unique hard**, ties to the left | 1 | 0 | 0 | 0 |
| weights, **unique hard**, ties to the right | 0 | 1 | 0 | 1 |

Soft attention turns a logit $x$ into the weight $e^x$ and divides by the sum, which is called **softmax**. Hard attention looks at the largest logits alone. The {term}`averaging kind <averaging hard attention>` shares the weight among them. The unique kind gives it to one, and needs a rule for ties.

Change the third value to 0. The soft head notices, and the three hard ones do not. Where all three logits are equal, the averaging head reads every token too, and the unique ones still read one. In PARITY every symbol matters, so it matters which of these heads a theorem is about.

## Five questions about a machine

Before you ask what transformers can do, ask which ones.

1. *Which attention?* Soft, averaging hard or unique hard, as above.
2. *Is there a mask?* Without one, every token sees all others. A **mask** hides what comes later, and a **strict mask** hides the token itself as well. The first token, which then sees nothing, reads 0.
3. *Does it know positions?* Some machines are told where each token stands, others see the symbols alone.
4. *Is there padding?* **Padding** tokens stand after the string and say nothing. Each is one more place to compute in.
5. *Does it think in steps?* At the last token a **decoder** computes a number for each token that it may write, also called a logit. It writes the token with the largest, reads it together with the rest, and goes on until it writes an answer. What it has written is its **scratchpad**.

## Can a transformer decide PARITY?

Three kinds of attention, without a mask and with one, make six rows. Each has four boxes: no positions, positions, padding, steps. A machine with several of these stands in the last box that fits: one with positions and padding stands under *padding*.

**Predict**: under one kind of attention, the only machines that decide PARITY in this book take steps. Which kind is it?

<p class="guess" data-right="1">unique&nbsp;hard|averaging&nbsp;hard|soft</p>
"""

# %% tags=["hide-output"]
# try: another language, such as "Dyck-1"
for entry in executed(MAP):
    attention, masked, column = entry.tile
    if entry.example.language.name == "PARITY":
        print(f"{attention:14}  {column:12}  {entry.name}")

# %% [markdown]
r"""
:::{dropdown} Why
Unique hard attention. Without steps and padding the theorem that we began with rules PARITY out. With padding it still does so up to some amount, as we shall see.
:::

Each answer below leads to the statement behind it. ● and ○ stand for a proof in this book, ■ for a paper that we cite. The colour repeats the answer:

- *decided* (blue): some machine of the box decides PARITY. With ● it is one machine for all lengths. With ■ it may be a family of machines, with wider vectors for longer strings.
- *impossible* (yellow): no machine of the box does.
- *impossible*, with a condition (yellow stripes): no machine of the box that meets the condition does. Of the others it says nothing. (CLS is a token in front of the string. Counting formulas come below.)
- *not settled* (grey): no statement of the map answers for any kind of machine in the box.
"""

# %% tags=["remove-input"]
parity_table(MAP)

# %% [markdown]
r"""
Both papers are right, each in its own row. Hahn's argument says nothing of padding; another one does, and speaks of circuits. A *gate* computes the *and* or the *or* of symbols and other gates, as many as it likes, or the *not* of one. A *circuit* is made of gates, of which the last gives the answer. Its *depth* is its longest chain of gates. **AC⁰** holds the languages that have a circuit for each length, all of one depth, whose number of gates grows at most like a power of the length. (With gates that ask for a majority as well it is **TC⁰**, which holds PARITY.)

Unique hard attention without padding and steps stays *within AC⁰*. At first a token's vector says a symbol and a place: of such pairs there are two for each place, and one for CLS. A head adds one of those vectors, so with each layer the number of possible values is at most squared, or raised to another power if there are more heads. It stays a power of the length, and one gate can say of each value whether a vector has it. Whether one logit is smaller than another is then an *or* over triples of values: of the token that looks, and of the two that it compares. *Token 3 is picked* says that each earlier token has a smaller logit and no later one a larger (with ties to the left), and that is an *and* over the tokens. What the looking token knows next is an *or* over what it had, whom it picks, and what that one had. So a layer takes a few more gates of depth, and a fixed number of layers takes a fixed depth. PARITY lies outside AC⁰, by a famous theorem {cite}`furst1984`.

Under soft attention stands *PARITY, by its mark*: Chiang and Cholak's machine, from chapter 2. It turns the number of 1s, $k$, into a position. Take `0110` behind CLS: five tokens with the numbers 0 to 4. A head with equal logits tells each token the share of the 1s, $k/n = \tfrac25$. Each subtracts it from its own $i/n$, which it was told. At token 2 alone the difference $d$ is 0. Three hidden units notice that: $d$ is a multiple of $\tfrac1n$, so $\max(0, d + \tfrac1n) - 2 \max(0, d) + \max(0, d - \tfrac1n)$ is $\tfrac1n$ if $d$ is 0, and else 0. This is the mark. Then CLS looks with two heads: one gives more weight to odd positions, the other to even ones. Their difference is the answer: above 0 if $k$ is odd. Here the second finds more of the mark, since 2 is even, and `0110` is rejected. Without a mask, positions are enough as soon as a head may average.

With averaging hard attention positions are enough behind a mask too, by another machine: *PARITY, at its count*. The last token, which sees all, picks the token whose number is $k$ and reads whether $k$ is even.

:::{dropdown} Why that token
Each token is told $i$, $i^2$ and whether $i$ is even. A first head gives the last token two averages over the $n$ tokens: the share of the 1s, $k/n$, and that of CLS, $1/n$. A second head multiplies these with what token $i$ says, the first with $2i$ and the other with $-i^2$. The sum is its logit at token $i$: $(2ki - i^2)/n$, which is $(k^2 - (k - i)^2)/n$: largest at $i = k$ alone. On `0110` the logits are $0, \tfrac35, \tfrac45, \tfrac35, 0$. So it reads token 2, whose value says *even*.
:::

The conditions in the striped boxes, row by row:

- *Unique hard, padding: how many padding tokens there are depends on the length alone, and [grows at most like a power](#map-pads) of it.* Then the circuits stay small.
- *Unique hard, masked, padding: the masks are strict, there are no positions, and the padding grows without end.* The section *One row, from left to right* shows why.
- *Soft or averaging hard, no mask, no positions: the machine adds no token, not even CLS, and is not told the length.* Then `1` and `1111` get the same answer, since the average of four equal vectors is that vector again. On the map this is *a grid and its copy*, after the pictures of chapter 5.
- *Soft or averaging hard, masked, no positions: the machine is made from a counting formula.* A *counting formula* counts at how many places so far something holds, and compares such counts, as in *more 1s than 0s*, or in *at most places so far there were more 1s than 0s*. (Counts of what is still to come, and remainders of the position, are left out.) In its machine a head averages, which counts, and hidden units compare. On `111…1` each comparison settles in the end, the inner ones first, but the answer of PARITY changes with every 1.
- *Soft, masked, positions: numbers have a fixed number of bits, whatever the length.* Such machines stay within AC⁰ if they answer at once, by a cited theorem. Of exact numbers the map says nothing here. (Nor does the theorem speak of padding, so that box stays grey.)

:::{dropdown} Why these conditions
*Padding of unique hard attention.* At each length the padding is the same for all strings, so its inputs in the circuits may be replaced by constants. What is left reads the string alone. With more padding the circuits may be too large, and the theorem is silent. Behind a mask the circuits would do too, as a place alone says what a mask hides; but the condition there allows any growth.

*Counting formulas.* The compiler of chapter 8 makes a machine of each. None says PARITY ([proof](#what-counts-cannot-say)). Let `111…1` grow. With each symbol the number of its 1s grows by one, and that of its 0s by none. Of two such counts one gets ahead for good, or they keep level: from some length on a comparison of them no longer changes. From there on the number of places where the comparison holds grows by one with each symbol too, or by none. So it goes on, from the inside of the formula outwards.
:::

(fig-map)=
## The map, and how to read it

The map has the same boxes. Each name in a box is an **entry**: one statement about machines of that kind. One that speaks of several boxes stands in some of them. Follow the name, and you find the statement with all its conditions, such as whether its mask is strict, and the chapter that builds or proves it.

Some names use words from elsewhere ([the record](#map-entries), the page behind this one, has more):

| word | meaning |
|---|---|
| *FIRST*, *ONE*, *MAJORITY* | begins with a 1; has exactly one 1; has more 1s than 0s |
| *PALINDROME* | reads the same from both ends |
| *Dyck-1* | the well-bracketed strings, such as `(())()` |
| *induction head* | finds the last earlier place of a symbol, and reads what came next |
| *by halves* | asks whether some position is half the number of 1s |
| *a grid and its copy* | the copy repeats each token four times (chapter 5) |
| *constant gain* | no logit is multiplied by a number that grows with the length |
| *log-precision* | with $n$ tokens, numbers have at most a fixed multiple of $\log n$ bits |
| *uniform* | one simple program writes the circuits for all lengths |
| *pause tokens*, *filler tokens* | padding, in two papers |
| *running* | after each symbol the decoder writes the answer so far |

Look for the frames first. Beside them four names are enough for now, all under unique hard attention: *within AC⁰*, *the order of first occurrences*, *exactly the star-free languages* and *padding behind a mask*.
"""

# %% tags=["remove-input"]
map_page(MAP)

# %% tags=["hide-input"]
ran = executed(MAP)
glue("map_entries", len(MAP)), glue("map_run", len(ran))
glue("map_boxes", len(tiles()))
glue("map_with_machine", sum(bool(executed(on(tile, MAP))) for tile in tiles()))
lengths = [entry.example.longest for entry in ran]
assert (min(lengths), max(lengths)) == (6, 12)  # as the text says

# %% [markdown]
r"""
*Every frame stands under positions or under steps.* That says what runs here, not all that is true: papers decide PARITY with padding too. No box is empty, and in {glue:text}`map_with_machine` of the {glue:text}`map_boxes` boxes a machine runs here. The signs promise different things:
"""

# %% tags=["remove-input"]
legend(MAP)

# %% [markdown]
r"""
Of the {glue:text}`map_entries` entries, {glue:text}`map_run` hold a small transformer with exact weights. Each of these was held against a line of Python on every string to a length that its entry names, from 6 to 12 symbols.

### One entry, read aloud

Take *contains 01*. It stands under unique hard attention, masked, without positions:
"""

# %%
# try: another name from the map, or another length
entry = next(entry for entry in MAP if entry.name == "contains 01")
print(entry.statement, entry.hypotheses, f"Mask: {entry.settings[0].mask}.", entry.label, sep="\n")
print(entry.example.run(longest=8))

# %% [markdown]
r"""
Read it so: *there is* such a transformer, with two layers, and it decides at every length whether `01` occurs. {term}`CLS` is a token in front of the string. This machine is read at the last token, which sees all others: its one number in the end is also called a *logit*, and the string is accepted if it is positive. *Proved here* covers every length. The last line is a second witness, and promises less: each string to length 8 was run without rounding, and nothing is said of longer ones.

## One row, from left to right

Take the row of unique hard attention with a mask. What its first box decides is known exactly, with strict masks, so we can see what each other box adds. Two words are needed.

A **finite automaton** reads a string once, symbol by symbol, and remembers one of finitely many *states*. PARITY needs two states, even and odd. On `01101` it goes through even, odd, even, even, odd. A language that some finite automaton decides is **regular**. PARITY is, so the entry *every regular language* speaks of it too. MAJORITY asks whether there are more 1s than 0s, and is not regular: the lead of the 1s can be any number.

Some regular languages count forever, and others do not. Repeat the symbol 1. To `1`, `11`, `111`, `1111` PARITY says yes, no, yes, no, and so on without end. Now repeat `01`. To `01`, `0101`, `010101` the language *contains 01* says yes, and stays with it.

A regular language is **star-free** if it stops counting: from some number of repetitions on, repeating a part of a string once more makes no difference, whatever the part is and whatever stands around it. Take *contains 01* and repeat `10`: `10` does not contain `01`, but `1010` does, and so do all longer ones. With every other part two repetitions settle it too: a third brings no new neighbours together. So *contains 01* is star-free.

PARITY is regular but not star-free. So is the language *1s at odd positions*, in which each 1 stands at the first, third, fifth … place. To `1`, `01`, `001`, `0001` it says yes, no, yes, no, and so on without end.

Now the row can be read.

| box | what the map says there |
|---|---|
| no positions | [exactly the star-free languages](#map-entry-unique-hard-masked-no-positions-exactly-the-star-free-languages), with strict masks {cite}`yang2024masked` |
| positions | more than these: [1s at odd positions](#map-entry-unique-hard-masked-positions-1s-at-odd-positions) |
| padding | without positions [nothing is gained](#map-entry-unique-hard-masked-padding-padding-behind-a-mask), with strict masks, if the amount of padding tends to infinity with the length |
| steps | with positions, [every regular language](#map-entry-unique-hard-masked-steps-every-regular-language) |

Padding alone, if its amount tends to infinity, adds nothing. Here is why.

1. Padding is one more symbol. Give the machine all strings of these symbols, with padding in any amount and place. By the first line of the table, those that it accepts are a star-free language.
2. A star-free language stops counting. From some number on, say 7, one padding token more behind a string makes no difference. As the amount tends to infinity, every string has at least 7 of them, except at finitely many lengths. At all other lengths put exactly 7 behind each string instead, and every answer stays the same.
3. With 7 padding tokens behind each, the strings *before* padding are a star-free language too. They are regular, because an automaton can answer as if the 7 tokens came next. And they stop counting: repeating a part makes no difference *whatever stands around it*, so also with 7 tokens behind. What is left over are the strings of finitely many lengths. They change nothing: enough repetitions make every string longer than these.

A bounded amount could help. Put one padding token behind each string of even length and none behind the others, and the machine is told whether the length is even.

## What is new on it

Three entries were worked out for this chapter:

- [the order of first occurrences](#map-entry-unique-hard-unmasked-no-positions-the-order-of-first-occurrences): how much of a string a rule for ties can see;
- [PARITY, by a tally](#map-entry-soft-masked-steps-parity-by-a-tally): one layer and a scratchpad;
- [equal distances, padded](#map-entry-unique-hard-unmasked-padding-equal-distances-padded): how many padding tokens are just enough.

### What a tie knows

Here is one layer. CLS gives every symbol the same logit, and reads whether the one that it picks is a 1. Nothing tells the layer where a symbol stands, and the machine is read at CLS.

A logit is the product of a **query**, `q`, of the token that reads and a **key**, `k`, of the token that it may read. So `q=[cls]` and `k=[-cls]` give CLS the logit −1 and each symbol 0. The coordinate `one` of a token is 1 if its symbol is a 1, and else 0. The head reads `one` at the token that it picks, and adds it to `s` at CLS. The string is accepted if this `output` is positive. {term}`hardmax` is averaging hard attention.

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
With ties to the left, CLS reads the first symbol, and the layer decides FIRST: does the string begin with a 1? With ties to the right it reads the last one. The averaging kind accepts as soon as there is a 1 anywhere.
:::

So the rule for ties alone brings an order, first or last, to a machine that knows no positions. How much of it? Compare `01` with `011`. To begin with, all 1s hold the same vector, in both strings. A head scores them all alike. If they win, ties to the left read the *first* 1 in both strings, and it says the same. (If the 0 wins with them, it is read, as it stands first in both.) So after one layer CLS, the 0 and the 1s hold the same in both strings, and the next layer starts as the first did.

:::{admonition} What a tie knows
:class: result
With ties to the left, and with neither a mask nor positions, what CLS holds depends only on the order in which the symbols *first* occur, however many layers there are. *Proved for every length.* [Record](#map-first-occurrences)
:::

:::{dropdown} Proof
By induction over layers: in two strings with the same order of first occurrences, tokens of the same symbol hold the same vector, and so does CLS. It is so before the first layer.

A head scores all tokens of one symbol alike. So the largest logit belongs to the same symbols in both strings, and the leftmost of their tokens is the first occurrence of the same symbol. Its value is the same in both. All else works on one position at a time. $\square$

With ties to the right the same words hold, with *last* for *first* and *rightmost* for *leftmost*.
:::

So with ties to the left such a machine can tell `01` from `10`, but never `01` from `011`. Only one of these has an odd number of 1s, so the machine does not decide PARITY. Ties to the right are the mirror image: the order of the *last* occurrences counts, and `10` and `110` cannot be told apart.

### PARITY on a scratchpad

People who cannot count make a tally: one stroke for each thing. So can a decoder. On `01101` ours writes `o`, `e`, `o`, one stroke for each 1. The strokes alternate, and the last is `o`, for *odd*. So it answers *yes*.

How does it know when to stop? A head without a query gives all tokens the logit 0, so it averages over all tokens so far. Let $n$ be their number, CLS included, $k$ that of the 1s and $t$ that of the strokes. Count $+1$ for each 1 and $-1$ for each stroke: the average is $d = (k - t)/n$. Count 1 for CLS and 0 for the rest: the average is $u = 1/n$.

On `01101` there are six tokens at first. So $d = \tfrac36 = \tfrac12$ and $u = \tfrac16$: three strokes are missing. After three strokes $d = 0$, and it is time to answer. As long as a stroke is missing, $d$ is at least $u$. So $a$, the smaller of $d$ and $u$, is $u$ if one is missing and 0 if not. That is a clean yes or no, of a size that shrinks with the length. The token that writes knows itself too: let $b$ be $u$ if it is an `o`, and else 0. Four tokens may be written, with these logits:

| `o` | `e` | *yes* | *no* |
|---|---|---|---|
| $a - b$ | $a + b - u$ | $b - a$ | $u - a - b$ |

One of them is $u$, and no other is above 0. If a stroke is missing, $a = u$: the largest is that of `e` after an `o`, where $b = u$, and of `o` after any other token. If none is missing, $a = 0$: it is that of *yes* after an `o`, and of *no* after any other token. Each step, with fractions reduced:
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
Two hidden units make $a = \min(d, u)$, and a third makes $b = \max(0, u + [\text{last is } o] - 1)$. The decoder stops counting at $t = k$, so $d \ge 0$ is a multiple of $u$. So $a$ is $u$ if a stroke is missing, else 0. As $0 < u \le 1$, $b$ is $u$ if the last token is $o$, else 0.

Put these into the four logits: in each of the four cases one is $u$, and no other is above 0. So it writes $o$, $e$, $o$, … to $t = k$, then "yes" if the last of them is $o$, that is if $k$ is odd, and else "no". That is $k + 1$ steps. $\square$
:::

The tally is a trick for one language. A scratchpad can hold the state of *any* finite automaton, one token for each symbol, if positions tell which symbol is next. [The record](#map-scratchpad) builds that decoder, for unique and for averaging hard attention, and proves it for every regular language. Merrill and Sabharwal {cite}`merrill2024` proved this before, for machines that also rescale each vector.

### How much padding is enough

Padding is room to test many things at once. How much room does a task take? Take one with many more tests than symbols, and a machine whose need can be told exactly. Which strings have three 1s at equal distances? `10101` does: the 1s at the places one, three and five. Their *middle* is 3, and their *distance* is 2. Every middle must be tested with every distance. So let every token do one test, padding tokens too.

Which token does which? Give CLS the number 0, the symbols the numbers 1 to $m$, and let the padding go on from there. So a symbol's number is its place. A middle $j$ has $j - 1$ places on its left, so it needs the distances 1 to $j - 1$: one test more for each next middle. The gaps between square numbers grow too, and $2j$ numbers are nearer to $j^2$ than to another square: more than enough. So let token $p$ find the square $j^2$ that is nearest to $p$. It tests the middle $j$ with the distance $p - j^2$, whose sign does not matter.

The numbers 7 to 12 are nearest to $3^2 = 9$, so these tokens test the middle 3. On `10101` token 7 is padding, and $7 - 9 = -2$. It reads the places $3 \pm 2$ and the middle, and finds three 1s, a **hit**. Token 9 has the distance 0. Its three places are one and the same, so a hit is allowed only at other distances.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Five symbols need ten padding tokens, since the last test falls to token 15.* Each dot is a token after CLS. It stands at the distance that it tests, and the line through it says around which middle. A hollow one can find nothing, as its test has the distance 0 or leaves the string. A pale one repeats the test of an earlier token.", "name": "fig-map-padding"}, "image": {"alt": "Four rising lines of dots, for the middles 1 to 4. The tokens 1 to 5 are symbols, the tokens 6 to 15 are padding. Only the tokens 3, 7, 8 and 15 are full, and 5, 10 and 11 are pale.", "classes": "dark-light"}}
padding_figure(5);

# %% [markdown]
r"""
How can attention find the nearest square number? By the logit $2 p j^2 - j^4$ for the token at $j$. It equals $p^2 - (p - j^2)^2$, which is largest where $j^2$ is nearest to $p$. For this each token is told its number, its square and its fourth power. This first head also brings $j$, $j^2$ and the symbol at $j$, the middle. Three hidden units then notice the distance 0, as before: for a whole number $r = p - j^2$, $\max(0, r + 1) - 2 \max(0, r) + \max(0, r - 1)$ is 1 if $r$ is 0, and else 0.

In a second layer the logit $2 t x - x^2$ for the token at $x$ is largest at $x = t$: so a head reads any place $t$, here $j + r$ and $j - r$. Its hidden unit adds up the three symbols read and takes 2 off, or 3 at distance 0: three 1s leave 1, a hit, and all else leaves 0. In the third layer CLS looks for a token with a hit.

Tokens $j^2 - d$ and $j^2 + d$ make the same test, so the earlier is enough. Which token is the last that is needed? A middle has a symbol on its right, so $j$ is at most $m - 1$, and $d$ is at least 1. So the last is at $j = m - 1$ and $d = 1$: token $(m - 1)^2 - 1 = m (m - 2)$. The first $m$ tokens are symbols, so $m (m - 3)$ are padding.

:::{admonition} How much padding is enough
:class: result
Let $m \ge 3$ symbols be followed by padding tokens. With hard attention of any kind, these three layers decide on all strings of $m$ symbols whether three 1s stand at equal distances if and only if there are at least $m (m - 3)$ padding tokens. *Proved for every length.* [Record](#map-padding)
:::

:::{dropdown} Proof
Let there be $P$ padding tokens, and let token $p$ have the distance $r = p - j^2$.

*No two square numbers are equally near to a whole $p$*: the middle between $j^2$ and $(j+1)^2$ is $j^2+j+\tfrac12$. So $-j<r\le j$, and $j=0$ for $p=0$ alone.

*What is read exists.* $j-|r|\ge 0$, and $j+|r|\le p$: for $r\ge 0$ because $j\le j^2$; for $r<0$ because $|r|\le j-1$ and $j+2|r|\le 3j-2\le j^2$, as $(j-1)(j-2)\ge 0$. The logits $2tx-x^2$ of the second layer are largest at $x=t$ alone. If $r=0$, all three symbols are the middle one, and the token makes no hit: the hidden unit takes $[r=0]$ and 2 from their sum. CLS and padding are no 1s, so otherwise a hit is three 1s at equal distances. Nothing is accepted wrongly, whatever $P$ is.

*Enough.* Three 1s at $j-d$, $j$, $j+d$ have $1\le d<j$ and $j+d\le m$. Token $p=j^2-d$ tests them. It exists if $p\le m+P$, and $j^2-d\le (m-1)^2-1=m+m(m-3)$: for $j\le m-1$ and $d\ge 1$.

*Needed.* $0^{m-3}111$ has one such triple, $j=m-1$ and $d=1$. Tokens $j^2-1$ and $j^2+1$ alone test it. With $P<m(m-3)$ neither exists. $\square$
:::

**Predict**: let every string have one padding token less than that. Which is the first string that is decided wrongly?

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

With softmax this much padding is enough for slightly other weights, as [the record](#map-padding) proves. All this is said of *these* weights. Whether other weights could do without padding [we do not know](#map-entry-unique-hard-unmasked-positions-equal-distances-unpadded).

## What is proved for every length here

- With ties to the left, and with neither a mask nor positions, only the order of first occurrences counts.
- The tally decides PARITY, with softmax, one layer and one head.
- With hard attention the three layers decide whether three 1s stand at equal distances if and only if there are $m (m - 3)$ padding tokens or more.
- By a cited theorem: with strict masks and without positions, padding leads unique hard attention no further than the star-free languages, if its amount tends to infinity with the length.
- What else has ● or ○ on the map.

## What to take away

- Before you quote a theorem about transformers, ask the five questions, of the theorem and of your model.
- A rule for ties is a part of the model: one set of weights decides three languages under two tie rules and averaging. Say which rule your code has.
- An ordinary language model stands under *soft, masked*: in *positions* if it answers at once, and in *steps* if it writes first. If its numbers have a fixed number of bits, it cannot decide PARITY at once for all lengths. So let it write first. In exact arithmetic one layer then decides PARITY, even without positions. With a fixed number of bits a [cited theorem](#map-entry-soft-masked-steps-steps-of-constant-precision) has decoders for it, perhaps another for each length, whose vectors get wider like $\log n$.
- Padding is room for many tests at once: our three layers need just $m (m - 3)$ tokens of it. But it may add nothing. So it is for unique hard attention with strict masks and no positions, if its amount tends to infinity.
- Unknown: which of these machines training finds; and whether averaging attention with a mask decides less without padding than [with it](#map-entry-averaging-hard-masked-padding-padding-behind-a-mask).

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
**2 (modify).** Below stands `contains_01`. Its first layer marks a 1 right after a 0, and the second looks for a mark. Change it so that it accepts the strings in which *no* two 1s are neighbours, with strict masks and without positions.

- `Space` names the numbers of a vector. `zero` is the one called `0`: 1 at the symbol 0, else 0.
- `Head({"0 before": zero}, ...)` writes into `0 before` the `zero` of the token that it picks. Without `q` and `k` all logits are equal, so with ties to the right it picks the last token that the mask shows: the one just before.
- `FFN(hidden=[f], out={"01": [1]})` adds $1 \cdot \max(0, f)$ to `01`.
- `output` is the logit, at the last token. `network` makes a `Construction` of these layers; in yours, say `Construction(S, {"0": zero, "1": one, "CLS": cls}, {}, layers, output=..., readout="last")`.

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
**3 (prove or refute).** "With ties to the left, but without mask and positions, some transformer decides whether the *second* symbol is 1." It may have any number of layers, and reads its logit at CLS.

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "proved", or a pair of strings that every such transformer decides alike
check("10.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted. By the theorem on [first occurrences](#map-first-occurrences) it decides 001 and 011 alike: in both, 0 comes first and 1 after it. But only one of them has 1 second.
:::
"""

# %% tags=["hide-cell"]
print("logits of 001 and 011:", *(Exact(tie, "leftmost").logit(w) for w in ("001", "011")))
check("10.3", ("001", "011"))

# %% [markdown]
r"""
## What next

Every entry in full, with what ran and how, stands in the [record of this chapter](record_10_the_map). The signs ✕ are questions: [an answer](adapt) is welcome, and so is a new entry. Which of these machines a learner finds is another map, of which Huang and others {cite}`huang2025` draw a part.
"""
