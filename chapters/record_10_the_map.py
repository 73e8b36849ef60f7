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

Machines, proofs and runs behind [the lesson](10_the_map), and [every entry of the map](#map-entries).

**Holds**: *proved for every length*, under the conditions given there, are [small encoders](#map-encoders), [scratchpads](#map-scratchpad), and how much [padding](#map-padding) our weights for one language need. If a transformer of unique hard attention sends ties to the left and has neither mask nor positions, its CLS knows only [the order in which symbols first occur](#map-first-occurrences). *Decided for each string*, every machine that runs is right [up to its length](#map-all).

**Does not hold**: that these weights can do with [one padding token fewer](#map-fewer), or that in these encoders ties may always [fall to any side](#map-ties).

**Not known**: whether other weights find three 1s at equal distances [without padding](#map-entry-unique-hard-unmasked-positions-equal-distances-unpadded), and whether masked pre-norm transformers recognise less [without padding](#map-entry-averaging-hard-masked-padding-padding-behind-a-mask). What is cited (■) is not checked here, and most of it we read in abstracts or summaries.

**Where to look**: the outcome; its first table explains the signs.
"""

# %% tags=["hide-input"]
from dataclasses import replace

from chapters.the_map import MAP, decoders, encoders, examples
from chapters.the_map.decoders import Decoder, Steps
from chapters.the_map.encoders import padded
from chapters.the_map.entries import executed, key, on
from chapters.the_map.examples import first_wrong, held_against, with_fewer
from chapters.the_map.pictures import entries_in, legend, steps_table
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
"""

# %% tags=["remove-input"]
legend(MAP)

# %% tags=["remove-input"]
from chapters.common.outcome import outcome_table

outcome_table("10_the_map")

# %% [markdown]
r"""
(map-all)=
## What runs

Each machine of the map is evaluated exactly on every string up to a length of its own. The correct answers come from a line of Python for each language, which knows nothing of the machine. The *four papers* of the outcome are {cite}`chiang2022,ouellette2023,bhattamishra2020,nowak2022`.
"""

# %%
# try: another length for all, such as entry.example.run(longest=6)
verdicts = {key(entry): entry.example.run() for entry in executed(MAP)}
wrong = {name: found for name, found in verdicts.items() if found.counterexample is not None}
print(
    f"{len(MAP)} entries, of which {len(verdicts)} run",
    f"on {sum(found.strings for found in verdicts.values()):,} strings, {len(wrong)} with an error",
)

# %% tags=["hide-input"]
ran = executed(MAP)
claims.settle("all: run", here=f"{len(ran)}; {len(wrong)}", agrees=len(ran) >= 24 and not wrong)
beyond = [entry for entry in ran if entry.beyond and key(entry) not in wrong]
claims.settle("all: beyond", here=len(beyond), agrees=len(beyond) >= 6)

# %% [markdown]
r"""
(map-filter)=
The map is data, and can be queried. Which languages have a machine without positions that runs, and what does the map say of masked unique hard attention with steps?
"""

# %%
# try: other places, such as ("soft", True, "padding")
without = {entry.example.language.name for entry in ran if entry.settings[0].positions == "none"}
print(*sorted(without), sep=", ")
for entry in on(("unique hard", True, "steps"), MAP):
    print(f"{entry.label}: {entry.statement}")

# %% [markdown]
r"""
(map-first-occurrences)=
## How little a tie knows

**Theorem.** *Assume unique hard attention with ties to the left, and neither mask nor positions. Then, at every length, the vector at CLS depends only on the order in which the symbols first occur.* The number of layers and heads is arbitrary, and so are the functions of a vector, or of a query and a key, as long as none of them depends on a position or on the length.

*Proof.* Take two strings with the same order of first occurrences. By induction over layers we show that tokens of the same symbol hold the same vector in both strings, and so does CLS. This is so before the first layer. A head gives all tokens of one symbol the same logit. So the largest logit belongs to the same symbols in both strings, and the leftmost of their tokens is the first occurrence of the same symbol. Its value is the same in both. All else works on one position at a time. $\square$

*With steps.* If the two strings also end with the same symbol, a decoder writes the same token after both. The strings then end with the same token again, and so on. So no such decoder decides PARITY: take `01` and `011`.

Twenty random networks of two layers check the code on strings of up to 6 symbols: none may give different logits to two strings with the same order of first occurrences. This would say little if most of them gave all strings one logit, so we also count those that do.
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
print(f"networks that contradict the theorem: {differing}; with one logit for all: {constant}")

# %% [markdown]
r"""
(map-encoders)=
## Small encoders

Here is why each machine in `chapters/the_map/encoders.py` is right at every length. Languages are explained [before the entries](#map-entries).

*Ties.* CLS gives every symbol the logit 0 and itself $-1$. With ties to the left it reads the first symbol, with ties to the right the last. On the empty string it reads itself, 0.

*Contains 01.* A strict mask hides from each position itself and all later ones, so CLS, which comes first, sees nothing and reads 0. All logits of the first head are equal, so with ties to the right each position reads the token before it. A 1 after a 0 gets a mark, 1. The second head's logit is this mark, so the last position reads a 1 if any earlier position is marked; the output adds its own mark.

*Induction head.* The network looks for the latest earlier place of the current symbol, and reads what came next. The logit is 1 at every token that follows the current symbol, and 0 elsewhere, and ties to the right pick the last such token. If the current symbol has no earlier place, all logits are 0. The head then reads the current token itself, which follows another symbol, so both hidden units are 0 or below.

*1s at odd positions.* The search of *Contains 01* looks for a 1 at an even position. The language is regular and not star-free: $0^k1$ belongs to it if and only if $k$ is even.

*PALINDROME*, for which no machine runs here. The mirror image of position $i$ is $t=n-1-i$, and the logit $t^2-(j-t)^2$ is largest at $j=t$ alone. CLS and EOS mirror each other and are no 1s. CLS then looks for a pair that differs.

*MAJORITY.* A head without queries averages, under softmax too. The mean has the sign of the number of 1s minus that of 0s.

*PARITY by its mark, under hardmax.* Without queries the first layer averages too, so position $k$, the number of 1s, is the only one marked. Two heads average the marks of odd and of even positions; $s$ is their difference, 0 for the empty string.

*PARITY at its count, with a mask.* The last token sees all $n$ tokens, and averages to $k/n$ and $1/n$, for $k$ 1s. Its logit for token $i$ is $(2ki-i^2)/n=(k^2-(k-i)^2)/n$, largest at $i=k$ alone. Token $k$ exists because $k\le n-1$. Its value is $-\cos k\pi$, which is 1 if $k$ is odd and else $-1$.

(map-ties)=
### If ties fall otherwise

The table reads three of these networks by each kind of attention, and gives the first string that they then decide incorrectly. An average of the past is enough to find 01, because it is positive if *any* 0 came before.
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

`decoders.tally` writes $o$, $e$, $o$, … (odd, even, odd) as long as it has written fewer of them than there are 1s, and then answers by the last one. At position $i$ its one head delivers $d = (k - t)/(i + 1)$ and $u = 1/(i + 1)$ for $k$ 1s and $t$ written tokens.

*Proof, for every length.* The decoder stops counting at $t=k$, so $d\ge 0$ is a multiple of $u$. Hence $m=\min(d, u)$ is $u$ if there are more 1s, else 0. Because $0<u\le 1$, $q=\max(0, u+[\text{last is } o]-1)$ is $u$ if the last token is $o$, else 0.

|$m$|$q$|o: $m-q$|e: $m+q-u$|yes: $q-m$|no: $u-m-q$|
|---|---|---|---|---|---|
|$u$|0|$u$|0|$-u$|0|
|$u$|$u$|0|$u$|0|$-u$|
|0|$u$|0|$-u$|$u$|0|
|0|0|0|$-u$|0|$u$|

Each row has one largest logit, $u$. So the decoder writes $o$, $e$, $o$, … up to $t=k$, then "yes" if the last of them is $o$, that is if $k$ is odd, and else "no". It takes $k+1$ steps. $\square$

Without a scratchpad, [no formula of past counts](#what-counts-cannot-say) says PARITY; of other networks this says nothing. The decoder must also read what it has written. If we leave the written tokens out of $d$, the tally never stops on a string with a 1:
"""

# %% tags=["hide-input"]
tally = decoders.tally()
S = tally.construction.space
blind_head = Head({"d": S["1"], "u": S["CLS"]}, mask="future")
blind = replace(tally.construction, layers=[Layer(blind_head, tally.construction.layers[0].ffn)])
forgetful = Decoder(blind, dict(tally.logits), "01")
print([step.token for step in Steps(forgetful, "softmax").run("01", most=8)])

# %% [markdown]
r"""
### Every regular language

A scratchpad can also hold the *state* of a finite automaton, with one token for each state and $|w| + 1$ steps. Our decoder uses positions to find the next symbol.

Ties to the right find the position $m = |w|$ of the input's rightmost symbol. If the last token is at $i$, the next symbol is at $t = i - m + 1$, and the logit $2tj - j^2 = t^2 - (j - t)^2$ is largest there. Averaging hardmax finds $m/2$ instead, the mean of $0, \dots, m$, so there the value is doubled.
"""

# %% tags=["hide-input"]
running = decoders.running_parity()
steps_table(running, "01101", "rightmost", "m", "reads 1")

# %% [markdown]
r"""
*Proof, for every automaton and every length; `01101` above is an example.* *Before the first state* the last token is the last symbol, or CLS, at $i=m$. So $t=1$: the first symbol, if there is one. *After $r\ge 1$ states* the last token is at $i=m+r$, and $t=r+1$. Always $t\le i$, except on the empty input at $i=0$, where CLS is read, which is no symbol.

While $r<m$, position $t$ holds the next symbol $a$. A hidden unit for each pair of a state and a symbol is 1 for the current pair and at most 0 for the others; the unit of the current pair writes the next state with logit 1. All other logits are 0: the unit that would end is 1 minus 1.

At $r=m$ position $t=m+1$ holds the first state, or CLS if $m=0$. No symbol is read, so the pairs' units are 0, and the unit of the current state gives its answer the logit 1. $\square$

Merrill and Sabharwal {cite}`merrill2024` prove that linearly many steps recognise all regular languages, in a model with layer normalization and $O(\log n)$ bits, and that this is beyond transformers without steps, under standard conjectures.
"""

# %% tags=["hide-input"]
moves = {(f"q{k}", a): f"q{(k + int(a)) % 3}" for k in range(3) for a in "01"}
thirds = Steps(decoders.automaton(moves, "q0", lambda state: state == "q0"), "rightmost")
threes = Language("the number of 1s is divisible by three", lambda w: w.count("1") % 3 == 0)
for name, found, statement in (
    ("tally", verdicts["PARITY, by a tally; soft"], "a tally, softmax"),
    ("running", verdicts["PARITY, running; unique hard"], "the parity so far"),
    ("automata", held_against(threes, lambda words: map(thirds.decides, words), 9), "1s in threes"),
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
### Without masks

Neither decoder needs its mask. Only the last token is read, and a mask hides nothing from it. The heads' keys and values are made of embeddings, which no mask changes.

(map-padding)=
## Padding

The language is that of the strings with three 1s at equal distances. Each middle $j$ and distance $r$ is one test, and each token $p$, padding tokens too, makes one of them. It finds the square $j^2$ nearest to $p$, where the logit $2pj^2 - j^4$ is largest, and takes the remainder $r = p - j^2$ as its distance. A second layer reads the symbols at $j - r$ and $j + r$, and a hidden unit is 1, a *hit*, if all three symbols are 1s and $r \ne 0$. A third layer looks for a hit. [The lesson's figure](#fig-map-padding) shows which token makes which test. In `10101` these tokens hit:
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
**Theorem.** *Let $m$ symbols be followed by $q$ padding tokens, $m \ge 3$. These weights decide the language on all strings of $m$ symbols if and only if $q \ge m(m - 3)$.*

*Proof.* *No two squares are equally near to a whole $p$*: the middle between $j^2$ and $(j+1)^2$ is $j^2+j+\tfrac12$. So $-j<r\le j$, and $j=0$ for $p=0$ alone.

*What is read exists.* $j-|r|\ge 0$, and $j+|r|\le p$: for $r\ge 0$ because $j\le j^2$; for $r<0$ because $|r|\le j-1$ and $j+2|r|\le 3j-2\le j^2$, as $(j-1)(j-2)\ge 0$. So the logits $2tx-x^2$ are largest at $x=t$ alone. If $r=0$, all three symbols are the middle one, and the token makes no hit: the hidden unit takes $[r=0]$ and 2 from their sum. CLS and padding are no 1s, so otherwise a hit is three 1s at equal distances. No string is accepted incorrectly, whatever $q$ is.

*Enough.* Three 1s at $j-d$, $j$, $j+d$ have $1\le d<j$ and $j+d\le m$. Token $p=j^2-d$ tests them. It exists if $p\le m+q$, and $j^2-d\le (m-1)^2-1=m+m(m-3)$: for $j\le m-1$ and $d\ge 1$.

*Needed.* $0^{m-3}111$ has one such triple, $j=m-1$ and $d=1$, which only the tokens $j^2-1$ and $j^2+1$ test. With $q<m(m-3)$ neither token exists. $\square$

*For softmax,* `progressions(soft=True)` multiplies two layers' logits by 10. The threshold is $\tfrac52$, not 2, and the last head averages. The same number of padding tokens is then enough, at every length.

:::{dropdown} Proof for softmax
*First layer.* Its logit at $x$ is $10G$ below that at $j$, with $G=\Delta^2-2r\Delta$ and $\Delta=x^2-j^2$. For $x=j+k$, $r\le j$ gives $G\ge \Delta k^2$; for $x=j-k$, $r\ge -(j-1)$ gives $G\ge |\Delta|((k-1)^2+1)$. So $G\ge |\Delta|$, and $j$, $j^2$, the middle symbol and $[r=0]$ are each off by at most $2\sum_{D\ge 1} De^{-10D}<10^{-4}$.

*Second.* The places are off by $\delta<2\cdot 10^{-4}$, so the symbols by at most $2\sum_{k\ge 1} e^{-10(k^2-2k\delta)}<10^{-3}$. The unit is above 0.49 at a true test, and exactly 0 at others. The average is positive if and only if there is a hit. $\square$
:::

(map-fewer)=
### One token fewer

With enough padding no string of up to 6 symbols may be decided incorrectly. With one token fewer the first such string must be $0111$, by the theorem:
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

The number of padding tokens can give something away: $|w| \bmod 2$ tokens after $w$ show the parity of its length. But if this number tends to infinity, nothing is gained:

**Theorem.** *Assume, as Yang and others {cite}`yang2024masked` prove, that transformers with unique hard attention and strict masks, without positions, accept star-free languages only. If $q(|w|)$ padding tokens follow $w$, with $q(m)\to\infty$, the strings $w$ that such a transformer accepts are a star-free language, too.*

*Proof.* By assumption, the accepted token strings, with whatever number of padding tokens, form a star-free language. A star-free language is aperiodic: from some $K$ on, all numbers of padding tokens after one string give the same answer. With exactly $K$ of them the accepted $w$ are a star-free language, as a quotient of one. Our language differs from it at finitely many lengths only. $\square$

*Polynomial amounts, also with positions.* Let $q(m)\le m^c$ for some $c$ and all $m\ge 2$. By the cited theorem {cite}`hao2022` circuits of fixed depth say which strings of $m+q(m)$ tokens are accepted. Their size is polynomial in $m+q(m)$, and so in $m$. Fixing the inputs for the padding leaves a language in [AC⁰](#map-entries), and PARITY is not in AC⁰. With more padding, such as $2^m$ tokens, the size need not be polynomial in $m$, and the theorem excludes nothing.

(map-break)=
## A check that can fail

The runs would say nothing if wrong networks passed them too. We remove the coefficients of the induction head, one at a time, and ask which of these mutants still pass up to length 8.
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
Two mutants pass, and both are right, because a last 1 needs no match. If either coefficient is gone, a last 1 reads itself and is accepted if it comes after a 1, and then a 1 followed the latest earlier 1. All other mutants fail on three symbols or fewer.
"""

# %% [markdown]
r"""
(map-entries)=
## Every entry

An entry is a statement about transformers in one cell of the map. A statement about several cells is an entry in each. [The signs](#map-table) say what an entry rests on. What a ▲ says beyond its run is cited.

A machine with steps is listed under steps, whatever else it has, and one with padding under padding. Numbers are *exact*, without bound on their size, unless an entry names another precision. Where an abstract does not name the mask, the positions or the precision, the entry says *the paper's*; without a noun after it, this covers all three. A mask that is not named counts as none. *Read at* CLS, or at the last token, says where the logit is whose sign answers; CLS then stands before the string. A *greedy* decoder writes the token with the largest logit and reads it back, until it writes an answer.

*Languages.* FIRST asks whether a string begins with a 1, ONE whether it has exactly one 1, MAJORITY whether it has more 1s than 0s, and PALINDROME whether it reads the same from both ends. Dyck-1 holds the well-bracketed strings of one kind of bracket.

*Machines.* An induction head finds the last earlier place of a symbol and reads what came next. *By halves* means asking whether some position is half the number of 1s. At *constant gain* no logit is multiplied by a number that grows with the length. *Log-precision* allows numbers a fixed multiple of $\log n$ bits for $n$ tokens. Pause and filler tokens are two papers' names for padding. A *running* decoder writes the answer so far after each symbol.

*Classes.* AC⁰ holds what circuits of constant depth and polynomial size decide, with *and*, *or* and *not* of any number of inputs. TC⁰ allows majority gates as well. Circuits are *uniform* if a simple machine, such as one with logarithmic space or time, writes them down. FO is first-order logic, and P is what polynomial time decides. Temporal logic speaks of positions by *before* and *after*.

Strobl and others {cite}`strobl2024` survey such results by attention, mask, positions, precision and steps, and the map follows them. The survey's results are bounds on whole classes; each machine here is an example, one language in one setting. The two do not always meet, because the examples are exact and many bounds speak of $O(\log n)$ bits or fewer.

Cited entries state what abstracts say: for unique hard attention {cite}`hahn2020,hao2022,barcelo2024,yang2024masked,jerad2025,yao2021`, for averaging {cite}`merrill2022,chiang2025`, for softmax {cite}`merrill2023,chiang2023,hahn2024,yang2024,li2025`, for padding {cite}`merrill2025,london2025,pfau2024,svete2026`, for steps {cite}`perez2021,merrill2024,li2024,jiang2026`. To add an entry, write its network as in [Adapt this book](adapt), compare it with a language by `held_against`, and state it in `chapters/the_map/map.yaml`.
"""

# %% [markdown]
# ### Unique hard attention, no mask
#
# #### No positions

# %% tags=["remove-input"]
entries_in(("unique hard", False, "no positions"), MAP, verdicts)

# %% [markdown]
# #### Positions

# %% tags=["remove-input"]
entries_in(("unique hard", False, "positions"), MAP, verdicts)

# %% [markdown]
# #### Padding

# %% tags=["remove-input"]
entries_in(("unique hard", False, "padding"), MAP, verdicts)

# %% [markdown]
# #### Steps

# %% tags=["remove-input"]
entries_in(("unique hard", False, "steps"), MAP, verdicts)

# %% [markdown]
# ### Unique hard attention, masked
#
# #### No positions

# %% tags=["remove-input"]
entries_in(("unique hard", True, "no positions"), MAP, verdicts)

# %% [markdown]
# #### Positions

# %% tags=["remove-input"]
entries_in(("unique hard", True, "positions"), MAP, verdicts)

# %% [markdown]
# #### Padding

# %% tags=["remove-input"]
entries_in(("unique hard", True, "padding"), MAP, verdicts)

# %% [markdown]
# #### Steps

# %% tags=["remove-input"]
entries_in(("unique hard", True, "steps"), MAP, verdicts)

# %% [markdown]
# ### Averaging hard attention, no mask
#
# #### No positions

# %% tags=["remove-input"]
entries_in(("averaging hard", False, "no positions"), MAP, verdicts)

# %% [markdown]
# #### Positions

# %% tags=["remove-input"]
entries_in(("averaging hard", False, "positions"), MAP, verdicts)

# %% [markdown]
# #### Padding

# %% tags=["remove-input"]
entries_in(("averaging hard", False, "padding"), MAP, verdicts)

# %% [markdown]
# #### Steps

# %% tags=["remove-input"]
entries_in(("averaging hard", False, "steps"), MAP, verdicts)

# %% [markdown]
# ### Averaging hard attention, masked
#
# #### No positions

# %% tags=["remove-input"]
entries_in(("averaging hard", True, "no positions"), MAP, verdicts)

# %% [markdown]
# #### Positions

# %% tags=["remove-input"]
entries_in(("averaging hard", True, "positions"), MAP, verdicts)

# %% [markdown]
# #### Padding

# %% tags=["remove-input"]
entries_in(("averaging hard", True, "padding"), MAP, verdicts)

# %% [markdown]
# #### Steps

# %% tags=["remove-input"]
entries_in(("averaging hard", True, "steps"), MAP, verdicts)

# %% [markdown]
# ### Soft attention, no mask
#
# #### No positions

# %% tags=["remove-input"]
entries_in(("soft", False, "no positions"), MAP, verdicts)

# %% [markdown]
# #### Positions

# %% tags=["remove-input"]
entries_in(("soft", False, "positions"), MAP, verdicts)

# %% [markdown]
# #### Padding

# %% tags=["remove-input"]
entries_in(("soft", False, "padding"), MAP, verdicts)

# %% [markdown]
# #### Steps

# %% tags=["remove-input"]
entries_in(("soft", False, "steps"), MAP, verdicts)

# %% [markdown]
# ### Soft attention, masked
#
# #### No positions

# %% tags=["remove-input"]
entries_in(("soft", True, "no positions"), MAP, verdicts)

# %% [markdown]
# #### Positions

# %% tags=["remove-input"]
entries_in(("soft", True, "positions"), MAP, verdicts)

# %% [markdown]
# #### Padding

# %% tags=["remove-input"]
entries_in(("soft", True, "padding"), MAP, verdicts)

# %% [markdown]
# #### Steps

# %% tags=["remove-input"]
entries_in(("soft", True, "steps"), MAP, verdicts)

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says
