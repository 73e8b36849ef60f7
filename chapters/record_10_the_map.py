# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Record of chapter 10: The map

**Asked**: which languages does each kind of transformer recognize, and how do we know? [The lesson](10_the_map) draws the map; each of its *entries* is a statement about one kind of transformer. This page follows one row of the map first. Then come the runs and proofs behind the entries that are our own: what unique hard attention cannot do, and what small encoders, scratchpads and padding can. At the end it lists all entries, [by language](#map-filter) and [by kind of transformer](#map-entries). A *machine* is a transformer that we built for an entry and run here.

**Holds**

- [Small encoders](#map-encoders) and [decoders with a scratchpad](#map-scratchpad) decide their languages, each under the conditions of its entry. *Proved for every length.*
- Under hard attention, our weights for *three 1s at equal distances* are right on all strings of $m \ge 3$ symbols if and only if at least $m(m - 3)$ [padding tokens](#map-padding) follow the string. *Proved for every length.*
- If ties under unique hard attention go to the left, and there are neither masks nor positions, then CLS, which comes before the string and gives the answer, knows only [the order in which symbols first occur](#map-first-occurrences). *Proved for every length.*
- Every machine is right on each string up to [a length of its own](#map-all). *Proved for each string up to this length.*

**Does not hold**: with [one padding token fewer](#map-fewer) our weights for equal distances fail, and under [another rule for ties](#map-ties) some of our encoders fail, too.

**Not known**: whether other weights find three 1s at equal distances [without padding](#map-entry-unique-hard-unmasked-positions-equal-distances-unpadded), and whether masked pre-norm transformers recognize less [without padding](#map-entry-averaging-hard-masked-padding-padding-behind-a-mask).
"""

# %% tags=["hide-input"]
import re
from dataclasses import replace
from itertools import islice

from chapters.the_map import decoders, encoders, examples
from chapters.the_map.decoders import Decoder, Steps
from chapters.the_map.encoders import padded
from chapters.the_map.entries import (MAP, SAID, executed, key, legend, mark, row_in_full,
                                      several_in_full, sort_of, steps_table)
from chapters.the_map.examples import first_wrong, held_against, with_fewer
from chapters.common.mutants import mutants
from lib.judging import judge
from lib.languages import PARITY, Language
from record.notebook import markdown_table, use_style
from lib.transformer import Exact, Head, Layer
from record.claims import Claims

use_style()
claims = Claims("10_the_map")

# %% [markdown]
r"""
(map-table)=
## Outcome

The sign of an entry says what the entry rests on. The last column counts the entries with each sign.
"""

# %% tags=["remove-input"]
legend()

# %% tags=["remove-input"]
from chapters.common.outcome import outcome_table

outcome_table("10_the_map")

# %% [markdown]
r"""
(map-row)=
## What one row can do

How do the cells of a row differ? The row *unique hard, masked* shows this best, because its first cell is known exactly. With strict masks and without positions, these transformers decide [exactly the star-free languages](#map-entry-unique-hard-masked-no-positions-exactly-the-star-free-languages), if heads may break ties to either side {cite}`yang2024masked`. With positions, [1s at odd positions](#map-entry-unique-hard-masked-positions-1s-at-odd-positions) is decided, too. [Padding](#map-entry-unique-hard-masked-padding-padding-behind-a-mask) adds nothing, with strict masks and no positions, if its amount tends to infinity with the length. With steps and positions, [every regular language](#map-entry-unique-hard-masked-steps-every-regular-language) is decided.

A language is *regular* if a *finite automaton* decides it, which reads the string once and remembers one of finitely many *states*. For PARITY the states *even* and *odd* are enough. A regular language is *star-free* if it stops counting: once a part of a string has been repeated often enough, one more repetition makes no difference, whatever the part is and whatever surrounds it. *Contains 01* is star-free, because a third copy of any part brings no new pair of neighbours. PARITY and *1s at odd positions* are not: on `1`, `11`, `111`, … PARITY says yes, no, yes, without end, and so does *1s at odd positions* on `1`, `01`, `001`, …

(map-all)=
## Does every machine decide its language?

Yes, each up to a length of its own. We run each machine on every string up to that length, without rounding unless its entry says `bfloat16`, and compare its answers with a line of Python that defines the language and knows nothing of the machine. In our machines CLS comes before the string, positions $i$ are counted from 0 at CLS, $n$ is the number of tokens, and $|w|$ that of symbols. The answer is the sign of the *score*, the output at the token where it is *read*. The *four papers* of the outcome are {cite}`chiang2022,ouellette2023,bhattamishra2020,nowak2022`.
"""

# %%
# try: another length for all, such as entry.example.run(longest=6)
verdicts = {key(entry): entry.example.run() for entry in executed()}
wrong = {name: found for name, found in verdicts.items() if found.counterexample is not None}
print(
    f"{len(MAP)} entries, of which {len(verdicts)} run",
    f"on {sum(found.strings for found in verdicts.values()):,} strings, {len(wrong)} with an error",
)

# %% tags=["hide-input"]
ran = executed()
claims.settle("all: run", here=f"{len(ran)}; {len(wrong)}", agrees=len(ran) >= 24 and not wrong)
four_papers = {"chiang2022", "ouellette2023", "bhattamishra2020", "nowak2022"}
beyond = [one for one in ran if not four_papers & {*one.cites} and key(one) not in wrong]
claims.settle("all: beyond", here=len(beyond), agrees=len(beyond) >= 6)

# %% [markdown]
r"""
(map-first-occurrences)=
## How little a tie knows

To a head without masks and positions, two tokens of one symbol look alike, and only the rule for ties picks one of them. What it picks tells very little about the string. **Theorem.** *Assume unique hard attention with ties to the left, and neither masks nor positions. Then, at every length, the vector at CLS depends only on the order in which the symbols first occur.* There may be any number of layers and heads, with any functions of a vector, or of a query and a key, that do not depend on a position or on the length.

:::{dropdown} Proof
Take two strings with the same order of first occurrences. We show, layer by layer, that all tokens of one symbol hold the same vector, in both strings, and that CLS holds the same vector in both. Before the first layer this is so, because a vector then depends on the token alone. A head gives all tokens of one symbol the same logit, so the largest logit belongs to the same symbols in both strings. The leftmost token of these symbols is the first occurrence of the same symbol in both strings, so its value is the same. Everything else in a layer works on one position at a time. $\square$
:::

With ties to the right the same is true, with *last* for *first* and *rightmost* for *leftmost*. A decoder takes steps, but if the two strings also end with the same symbol, it writes the same token after both, then the same next one, and so on. So no such decoder decides PARITY: it answers `01` and `011` alike.

*A check of the code.* By the theorem, two strings in which symbols first occur in the same order get the same score. We try all strings of up to 6 symbols on twenty random networks of two layers. A network that gives all strings one score would pass in any case, so we count those networks, too.
"""

# %% tags=["hide-input"]
short = [w for length in range(7) for w in PARITY.all_strings(length)]
differing = constant = 0
for seed in range(20):
    reader, logits = Exact(encoders.drawn(seed), "leftmost"), {}
    for w in short:
        logits.setdefault("".join(dict.fromkeys(w)), set()).add(reader.logit(w))
    differing += any(len(found) > 1 for found in logits.values())
    constant += len(set.union(*logits.values())) == 1
claims.settle("first-occurrences: lemma", here=differing, agrees=differing == 0)
claims.settle("first-occurrences: constant", here=constant, agrees=constant <= 10)
print(f"networks that contradict the theorem: {differing}; with one score for all: {constant}")

# %% [markdown]
r"""
(map-circuits)=
## Why can unique hard attention not decide PARITY?

We ask about transformers without padding and without steps. The lesson sketches Hahn's proof; ours uses circuits. A *gate* is the *and* or the *or* of any number of symbols and other gates, or the *not* of one. A *circuit* is made of gates, the last of which gives the answer; its *depth* is its longest chain of gates. **AC⁰** holds the languages that have a circuit for each length, all of the same depth, whose numbers of gates grow at most like a power of the length. PARITY lies outside AC⁰ {cite}`furst1984`, so it is enough to put these transformers into AC⁰.

:::{dropdown} Proof
*Few vectors.* Before the first layer there are two possible vectors for each place, and one for CLS. A head picks at most one token, so each layer raises the number of possible vectors at most to a fixed power. This number still grows at most like a power of the length, so there can be a gate for each token and each vector, which says whether the token holds the vector.

*Few gates.* Whether one logit is smaller than another depends on three vectors: that of the token that reads, and those of the two tokens compared. So a comparison is an *or* over triples. With ties to the left, *token 3 is picked* means that each earlier token has a smaller logit and no later one a larger logit: an *and* over the tokens. What the reading token holds next is an *or* over its old vector, the token picked, and that token's vector. So each layer adds a fixed depth. $\square$
:::

(map-encoders)=
## Small encoders

Each row says why an encoder is right at every length. Its entry has the conditions, and `chapters/the_map/encoders.py` the code. Here $k$ is the number of 1s.

| entry | why |
|---|---|
| [FIRST](#map-entry-unique-hard-unmasked-no-positions-first-by-a-tie), [the last symbol](#map-entry-unique-hard-unmasked-no-positions-the-last-symbol-by-a-tie) | CLS gives every symbol the logit 0 and itself $-1$, so it reads the symbol at the end to which ties fall. On the empty string it reads itself, and the score is 0. |
| [contains 01](#map-entry-unique-hard-masked-no-positions-contains-01) | The mask is strict, and all logits of the first head are equal. So with ties to the right each position reads the token just before it, and CLS, which comes first, reads 0. A 1 right after a 0 gets the mark 1. The second head takes this mark as its logit, so if an earlier position is marked, the last position reads a 1. The output adds the mark of the last position itself, which this head does not see. |
| [induction head](#map-entry-unique-hard-masked-no-positions-induction-head) | The logit is 1 at every token that comes right after an occurrence of the current symbol, and 0 elsewhere. Ties to the right pick the last such token. If there is none, all logits are 0, and the head reads the current token itself. In that case the current token does not come right after its own symbol either, so neither hidden unit is positive. |
| [1s at odd positions](#map-entry-unique-hard-masked-positions-1s-at-odd-positions) | The second layer of *contains 01* looks for a 1 at an even position. The language is regular. It is not [star-free](#map-row), because $0^m1$ belongs to it if and only if $m$ is even. |
| [PALINDROME](#map-entry-unique-hard-unmasked-positions-palindrome-by-mirror-images) (no machine runs here) | The mirror image of position $i$ is $t=n-1-i$, and the logit $t^2-(j-t)^2$ is largest at $j=t$ alone. CLS and the end token EOS mirror each other, and neither is a 1. CLS then looks for a pair that differs. |
| [MAJORITY](#map-entry-soft-unmasked-no-positions-majority-in-one-average) | A head without queries averages. The mean has the sign of the number of 1s minus that of 0s. |
| [PARITY by its mark](#map-entry-averaging-hard-unmasked-positions-parity-by-its-mark) | The first layer averages, as under softmax, and marks position $k$ alone. In the second layer one head averages the marks of the odd positions and another those of the even ones. The score is the first average minus the second, which is 0 for the empty string. |
| [PARITY at its count](#map-entry-averaging-hard-masked-positions-parity-at-its-count) | The last token sees all $n$ tokens, and averages to $k/n$ and $1/n$. Its logit for token $i$ is $(2ki-i^2)/n=(k^2-(k-i)^2)/n$, which is largest at $i=k$ alone. Token $k$ exists because $k\le n-1$. Its value is $-\cos k\pi$, which is 1 if $k$ is odd and $-1$ if not. |

(map-ties)=
### If ties fall otherwise

Does an encoder survive another rule for ties? The table names the first string of up to 9 symbols that is decided incorrectly if ties go to the right (*rightmost*), to the left (*leftmost*) or are averaged (*hardmax*). *Contains 01* survives averaging, because the average is positive if *any* 0 came before.
"""

# %% tags=["hide-input"]
others = [
    (encoders.contains_01, examples.CONTAINS_01),
    (encoders.induction, examples.INDUCTION),
    (encoders.odd_positions, examples.ODD_POSITIONS),
]
kinds = ("rightmost", "leftmost", "hardmax")
table = [
    [make().name, *(first_wrong(judge(make(), language, 9, attention=kind)) for kind in kinds)]
    for make, language in others
]
markdown_table(("network", *kinds), table)

# %% [markdown]
r"""
(map-scratchpad)=
## Scratchpads

### The tally

The decoder `decoders.tally` writes the strokes $o$, $e$, $o$, … (odd, even, odd) until there are as many strokes as 1s. Then the last stroke gives the answer. With softmax it decides PARITY, in $k+1$ steps for $k$ 1s. *Proved for every length.*

:::{dropdown} Proof, case by case
[The lesson](10_the_map) has the proof. The decoder finds $d = (k - t)/n$ and $u = 1/n$, for $n$ tokens with $k$ 1s and $t$ strokes among them, then $a=\min(d, u)$ and $b=\max(0, u+[\text{last is } o]-1)$. So $a=u$ as long as a stroke is missing, and $b=u$ if the last token is $o$; otherwise they are 0. In the four cases, the tokens that may be written get these scores:

|$a$|$b$|o: $a-b$|e: $a+b-u$|yes: $b-a$|no: $u-a-b$|
|---|---|---|---|---|---|
|$u$|0|$u$|0|$-u$|0|
|$u$|$u$|0|$u$|0|$-u$|
|0|$u$|$-u$|0|$u$|0|
|0|0|0|$-u$|0|$u$|

In each row exactly one score is $u$, and no other is above 0. $\square$
:::

*A check that can fail.* The decoder must read what it has written. If its head gives the strokes the value 0, the tally never stops on a string with a 1. These are the first eight tokens that it writes after `01`:
"""

# %% tags=["hide-input"]
tally = decoders.tally()
S = tally.construction.space
blind_head = Head({"d": S["1"], "u": S["CLS"]}, mask="future")
blind = replace(tally.construction, layers=[Layer(blind_head, tally.construction.layers[0].ffn)])
forgetful = Decoder(blind, tally.logits)
print([token for token, _ in islice(Steps(forgetful, "softmax").run("01"), 8)])

# %% [markdown]
r"""
### Every regular language

A scratchpad can also hold the *state* of a finite automaton. Our decoder has one token for each state, and takes $|w| + 1$ steps on a string $w$. With ties to the right it decides the language of the automaton. *Proved for every length.*

How does it find the next symbol? A head finds $m = |w|$, the position of the rightmost symbol of the input. If the last token is at $i$, the next symbol is at $t = i - m + 1$. The head of the second layer gives the token at $j$ the logit $2tj - j^2 = t^2 - (j - t)^2$, which is largest at $j = t$. Under averaging hard attention the first head finds $m/2$ instead, the mean of $0, \dots, m$, so there its value is doubled.

The table follows the decoder that writes the parity so far on `01101`. Each row is a step: the last token, the position $m$, whether the symbol read is a 1, the scores of the four tokens that may be written, and the token that is written.
"""

# %% tags=["hide-input"]
running = decoders.running_parity()
steps_table(running, "01101", "rightmost", "m", "reads 1")

# %% [markdown]
r"""
:::{dropdown} Proof
*Before the first state* the last token is the last symbol, or CLS, at $i=m$, and $t=1$. *After $r\ge 1$ states* the last token is at $i=m+r$, and $t=r+1$. Always $t\le i$, except on the empty input at $i=0$, where CLS is read, which is no symbol.

While $r<m$, position $t$ holds the next symbol $a$. There is a hidden unit for each pair of a state and a symbol. The unit of the current pair is 1 and gives the next state the logit 1; the other pairs' units are 0. All other logits are 0, because an answer needs a state and no symbol.

At $r=m$ position $t=m+1$ holds the first state, or CLS if $m=0$. No symbol is read, so the pairs' units are 0, and the unit of the current state gives its answer the logit 1. $\square$
:::
"""

# %% tags=["hide-input"]
moves = {(f"q{k}", a): f"q{(k + int(a)) % 3}" for k in range(3) for a in "01"}
thirds = Steps(decoders.automaton(moves, "q0", lambda state: state == "q0"), "rightmost")
threes = Language("the number of 1s is divisible by three", lambda w: w.count("1") % 3 == 0)
for name, found, statement in (
    ("tally", verdicts["PARITY, by a tally; soft"], "a tally, softmax"),
    ("running", verdicts["PARITY, running; unique hard"], "the parity so far"),
    ("automata", held_against(threes, thirds.accepts, 9), "1s in threes"),
):
    claims.settle(
        "scratchpad",
        here=f"{first_wrong(found)}, of {found.strings:,}",
        agrees=found.counterexample is None,
        settles=name,
        statement=statement,
    )

# %% [markdown]
r"""
(map-unmasked)=
*Without masks.* Neither decoder needs its mask. Only the last token is read, and a mask lets this token see everything. The keys and values that its heads read come from embeddings alone, and no mask changes those.

(map-padding)=
## Padding

How many padding tokens do our weights need to find three 1s at equal distances? Token $p$, padding or not, tests one *middle* $j$ and one *distance* $r$. It finds the square $j^2$ nearest to $p$, where the logit $2pj^2 - j^4$ is largest, and takes the remainder $r = p - j^2$. The second layer reads the symbols at $j - r$ and $j + r$, and a hidden unit is 1, a *hit*, if all three symbols are 1s and $r \ne 0$. The third layer looks for a hit. [The lesson's figure](#fig-map-padding) shows all tests. In `10101` these tokens hit:
"""

# %% tags=["hide-input"]
network = encoders.progressions()
trace = Exact(network, "leftmost").trace(padded("10101"))
first, second = trace.a[1], trace.a[2]
hits = [p for p, hit in enumerate(second["hit"]) if hit == 1]
rows = [(p, first["j"][p], p - first["j²"][p]) for p in hits]
markdown_table(("token p", "middle j", "distance r"), rows)

# %% [markdown]
r"""
**Theorem.** *Assume hard attention of any kind, and let $q$ padding tokens follow $m \ge 3$ symbols. These weights decide the language on all strings of $m$ symbols if and only if $q \ge m(m - 3)$.*

:::{dropdown} Proof
*No two squares are equally near to a whole $p$*, because the middle between $j^2$ and $(j+1)^2$ is $j^2+j+\tfrac12$. So $-j<r\le j$, and $j=0$ for $p=0$ alone.

*The places $j\pm r$ exist*, because $j-|r|\ge 0$ and $j+|r|\le p$. The second holds for $r\ge 0$ because $j\le j^2$. For $r<0$ we have $|r|\le j-1$ and $j+2|r|\le 3j-2\le j^2$, as $(j-1)(j-2)\ge 0$. So the second layer's logits $2tx-x^2$ are largest at the place $x=t$ that it looks for, and there alone.

*No string is accepted incorrectly, whatever $q$ is.* The hidden unit subtracts $[r=0]$ and 2 from the sum of the three symbols. If $r=0$, all three are the middle one, and there is no hit. Otherwise a hit is three 1s at equal distances, because neither CLS nor a padding token is a 1.

*Enough.* Three 1s at $j-d$, $j$, $j+d$ have $1\le d<j$ and $j+d\le m$. Token $p=j^2-d$ tests them. It exists if $p\le m+q$, and $j^2-d\le (m-1)^2-1=m+m(m-3)$ because $j\le m-1$ and $d\ge 1$.

*Needed.* $0^{m-3}111$ has one such triple, $j=m-1$ and $d=1$, which only the tokens $j^2-1$ and $j^2+1$ test. With $q<m(m-3)$ neither token exists. $\square$
:::

*Under softmax* the same number of padding tokens is enough, at every length, if the logits of the first two layers are multiplied by 10, the threshold is $\tfrac52$, not 2, and the last head averages (`progressions(soft=True)`).

:::{dropdown} Proof for softmax
*First layer.* Token $p=j^2+r$ should read token $j$, and the weight of every other token $x$ is an error. Let $\Delta=x^2-j^2$. The logit at $x$ is lower than that at $j$ by $10G$, with $G=\Delta^2-2r\Delta$. If $x=j+k$, then $r\le j$ gives $G\ge \Delta k^2$. If $x=j-k$, then $r\ge -(j-1)$ gives $G\ge |\Delta|((k-1)^2+1)$. Either way $G\ge |\Delta|$, so $x$ weighs at most $e^{-10|\Delta|}$ times as much as $j$. Hence $j$, $j^2$, the middle symbol and $[r=0]$ are each off by at most $2\sum_{D\ge 1} De^{-10D}<10^{-4}$.

*Second layer.* The places that this layer looks for are off by $\delta<2\cdot 10^{-4}$, so the symbols that it reads are off by at most $2\sum_{k\ge 1} e^{-10(k^2-2k\delta)}<10^{-3}$. At a token that should hit, the hidden unit is above 0.49, and at every other token it is exactly 0. So the average is positive if and only if there is a hit. $\square$
:::

(map-fewer)=
*One token fewer.* By the theorem and its proof, no string of 3 to 6 symbols is decided incorrectly with enough padding, and $0111$ is the first string decided incorrectly with one token fewer:
"""

# %%
# try: twenty fewer
all_there, one_fewer = map(with_fewer, (0, 1))
for missing in (0, 1, 100):
    print(f"{missing:3} fewer: {with_fewer(missing)}")
claims.settle(
    "fewer",
    here=f"{first_wrong(all_there)}; {first_wrong(one_fewer)}",
    agrees=all_there.counterexample is None and one_fewer.counterexample == "0111",
)

# %% [markdown]
r"""
(map-pads)=
### Padding with strict masks, without positions

Under strict masks, the number of padding tokens can give something away: $|w| \bmod 2$ tokens after $w$ show the parity of its length. But if the number of padding tokens tends to infinity with the length, nothing is gained:

**Theorem.** *Assume, as Yang and others {cite}`yang2024masked` prove, that transformers with unique hard attention and strict masks, without positions, accept [star-free](#map-row) languages only. If $q(|w|)$ padding tokens follow $w$, with $q(m)\to\infty$, then the strings $w$ that such a transformer accepts form a star-free language, too.*

:::{dropdown} Proof
By assumption, the accepted token strings, with any number of padding tokens, form a star-free language. Such a language is aperiodic, so from some $K$ on, all numbers of padding tokens after one string give the same answer. With exactly $K$ padding tokens, the accepted strings $w$ form a star-free language, because it is a quotient of a star-free language. The strings of the theorem differ from it only at the finitely many lengths $m$ with $q(m)<K$. $\square$
:::

*Polynomial amounts, also with positions.* Let $q(m)\le m^c$ for some $c$ and all $m\ge 2$. By a cited theorem {cite}`hao2022` circuits of fixed depth, whose size is polynomial in $m+q(m)$ and so in $m$, decide which strings of $m+q(m)$ tokens are accepted. If we fix those inputs that are padding, what remains is a language in [AC⁰](#map-circuits), and PARITY is not in AC⁰. With more padding, such as $2^m$ tokens, the theorem excludes nothing.

(map-break)=
## Would the runs notice a wrong network?

We remove the coefficients of the induction head, one at a time, and run each of these mutants on all strings of up to 8 symbols. Each line names the matrix, then what the coefficient writes and what it reads:
"""

# %% tags=["hide-input"]
passing = []
for label, mutant in mutants(encoders.induction()):
    found = judge(mutant, examples.INDUCTION, 8, attention="rightmost")
    print(f"{label:34} first string decided incorrectly: {first_wrong(found)}")
    passing += [label] if found.counterexample is None else []
    assert len(found.counterexample or "") <= 3
claims.settle(
    "break",
    here=", ".join(passing),
    agrees=passing == ["W^{Q,2,1}: q2 ← 1", "W^{K,2,1}: k2 ← 1 before"],
)

# %% [markdown]
r"""
On strings of three symbols or fewer, the runs notice all mutants except two. These two lack a coefficient by which a last 1 finds its match. All logits of the last 1 are then 0, so it reads itself, and the string is accepted exactly if another 1 comes just before it. This is still correct: if no 1 comes just before, the latest earlier 1, if there is one, is followed by a 0.

(map-stripes)=
## What the stripes say about PARITY

A striped cell of the lesson's picture has a condition. No transformer of the cell that meets the condition decides PARITY; about the others the map says nothing. The table gives the conditions and the reasons.

| cell | condition | why it cannot decide PARITY |
|---|---|---|
| unique hard, padding | The amount of padding depends on the length alone, and grows at most like a power of it. | [Circuits](#map-pads) exclude PARITY. |
| unique hard, masked, padding | Masks are strict, there are no positions, and the amount of padding tends to infinity with the length. | [Padding adds nothing](#map-pads). |
| soft or averaging hard, no mask, no positions | The transformer adds no token and is not told the length. | `1` and `1111` get the same answer, because the average of four equal vectors is that vector again. |
| soft or averaging hard, masked, no positions | The transformer is made from a *counting formula*. | [No such formula says PARITY](#what-counts-cannot-say). |
| soft, masked, positions | Numbers have a fixed number of bits, whatever the length, and the transformer answers at once. | A cited theorem puts these transformers into AC⁰, which lacks PARITY. The theorem does not cover padding, so the next cell of the map stays grey. |

A *counting formula* counts at how many places so far something holds, and compares such counts, as in *more 1s than 0s*. (Counts of what follows, and remainders of the position, are left out.) On `111…1` every comparison of counts eventually stops changing: first those without other counts inside, then those around them. But PARITY's answer changes with every 1.

(map-entries)=
## Every entry

An entry is a statement about the transformers in one cell of the map; *they* in an entry are these transformers. [The whole map](#fig-map) lists the entries of each cell, and every name there leads to its entry here. A statement about several cells comes first, above the cells, with the conditions that hold in all of them; its entry in each cell adds the settings of which it speaks there. The map follows the survey by Strobl and others {cite}`strobl2024`. The survey's results are bounds on whole classes, many for $O(\log n)$ bits or fewer; each machine here is one example, and nearly all machines are exact. So the survey and the map do not always speak of the same thing. To add an entry, compare a network with a language by `held_against`, and state it in `chapters/the_map/map.yaml`.

How is an entry read? Take [FIRST, by a tie](#map-entry-unique-hard-unmasked-no-positions-first-by-a-tie). Its [sign](#map-table) ● says that a proof in this book shows it and that a machine of it runs. Its statement is *One layer decides FIRST at every length.* Press the statement to see the conditions under which it holds: ties go to the left, and the output is read at CLS. Then *Proved here* leads to the proof, and the words after it say up to which length the machine ran and how it was computed. An entry with the sign ■ is other authors' work, of which we have mostly read abstracts or summaries. A setting that is *not named in the abstract* is whatever it is in the paper.

:::{dropdown} What the words of the entries mean
*Settings.* A mask that is not named counts as none. A mask that is named hides from each token what comes later, and a *strict* mask hides the token itself, too. A position encoding in brackets, such as $[i = 1]$, is 1 where the condition holds, and 0 elsewhere. Numbers are *exact*, without bound on their size, unless an entry names another precision. A *greedy* decoder writes the token with the largest logit and reads it back, until it writes an answer.

*Languages.* FIRST: the string begins with a 1. ONE: it has exactly one 1. MAJORITY: it has more 1s than 0s. PARITY: the number of 1s is odd. PALINDROME: it reads the same from both ends. Dyck-1: it is well-bracketed, with one kind of bracket.

*Machines.* An induction head finds the last earlier place of a symbol and reads what came next. *By halves* means asking whether some position is half the number of 1s. At *constant gain* no logit is multiplied by a number that grows with the length. *Log-precision* allows numbers a fixed multiple of $\log n$ bits for $n$ tokens. Pause and filler tokens are padding. A *running* decoder writes the answer so far after each symbol.

*Classes.* [AC⁰](#map-circuits) holds what circuits of constant depth and polynomial size decide. TC⁰, which holds PARITY, allows majority gates as well. Circuits are *uniform* if a simple machine, such as one with logarithmic space or time, describes them. FO is first-order logic, and P is what polynomial time decides. Temporal logic speaks of positions by *before* and *after*.
:::

(map-filter)=
### The entries by language

Which entries speak of a language, or of a class of languages? The links after an entry lead to it in each cell where it appears.
"""

# %% tags=["remove-input"]
rows = []
for language, pattern in SAID["index"].items():
    places = {}
    for entry in MAP:
        if re.search(pattern, f"{entry.name} {entry.statement}"):
            place = f"[{entry.cell}](#{entry.anchor})"
            places.setdefault(f"{mark(sort_of(entry))} {entry.name}", []).append(place)
    lines = (f"{name}: {', '.join(several)}" for name, several in places.items())
    rows.append((language, "<br>".join(lines)))
markdown_table(("language", "entries"), rows)

# %% [markdown]
# ### Statements about several cells

# %% tags=["remove-input"]
several_in_full(verdicts)

# %% [markdown]
# ### Unique hard attention, no mask

# %% tags=["remove-input"]
row_in_full("unique hard", False, verdicts)

# %% [markdown]
# ### Unique hard attention, masked

# %% tags=["remove-input"]
row_in_full("unique hard", True, verdicts)

# %% [markdown]
# ### Averaging hard attention, no mask

# %% tags=["remove-input"]
row_in_full("averaging hard", False, verdicts)

# %% [markdown]
# ### Averaging hard attention, masked

# %% tags=["remove-input"]
row_in_full("averaging hard", True, verdicts)

# %% [markdown]
# ### Soft attention, no mask

# %% tags=["remove-input"]
row_in_full("soft", False, verdicts)

# %% [markdown]
# ### Soft attention, masked

# %% tags=["remove-input"]
row_in_full("soft", True, verdicts)

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says
