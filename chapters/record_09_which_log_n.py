# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Record of chapter 9: Which log n?

**Asked**: which factor on its attention logits keeps a network right on long strings, and does training find such a network?

**Found**: chapter 4's flawed FIRST is built by hand, and for each factor we know the first length at which it errs, or that there is none. Networks that learned FIRST with a mask and a mark on the first position were tested up to 1000 symbols, also on strings whose other symbols all contradict the first. Under each multiple of the logarithm of the length, or of a token's position, more of them stayed right than under any other factor. ONE and MAJORITY show no such pattern. No run of the [laboratory](#which-laboratory), our grid of trainings, learned PARITY.

No paper makes these claims. Each line of the table is held to a criterion of ours, and the build stops if one is not met. A line links to the code behind it, and [the lesson](09_which_log_n) explains it.

The page uses the lesson's words. $n$ counts tokens: the symbols, and CLS in front of them. The *gain* $c$ is the logit that a head gives to the token that it looks for; all others get 0. A *factor* multiplies the attention logits. $L = 17$ is the number of tokens in the longest training string, 16 symbols and CLS. A *run* is one trained network.
"""

# %% [markdown]
r"""
(which-table)=
## Outcome
"""

# %% tags=["remove-input"]
from chapters.common.outcome import outcome_table

outcome_table("09_which_log_n")

# %% tags=["hide-input"]
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import matplotlib.pyplot as plt
import numpy as np

from chapters.common.learning_curves import solvers
from chapters.parity_not_learned.figures import (EXPECTED_HALF, built_sharpness,
                                                 learned_sharpness)
from chapters.which_log_n.figures import (FACTORS, MASKED, POSITIONS, SHOWN, Laboratory,
                                          hard_first, is_right,
                                          scaled, scores, turning)
from lib import constructions
from lib.formulas import Q, compiled, count, formula
from lib.judging import judge
from lib.languages import FIRST, PALINDROME
from chapters.common.learners import quotient
from chapters.common.learners.train import train
from record.notebook import COLOURS, REFERENCE, markdown_table, use_style
from lib.transformer import Exact
from record.claims import Claims
from chapters.which_log_n.runs import (CRITERION, LOGARITHMS, OTHERS, OUTCOMES, learners, outcome,
                                       reaches)
from record.runs import stored

use_style()
claims = Claims("09_which_log_n")

# %% [markdown]
r"""
## Theorems and machines

(which-theorem)=
### When the flawed FIRST is right

Chapter 4's flawed FIRST with gain $c$ is right on all strings of $n - 1$ symbols if and only if $c > \log(n - 1)$; CLS is one of the $n$ tokens. A factor makes $c$ into $c f(n)$ and changes nothing else. So the network is right at $n$ if and only if $c f(n) > \log(n - 1)$, for every $n \ge 2$. $\square$

`turning` finds the least $n$ at which this inequality fails, in whole numbers and {term}`balls <ball>`, or says that there is none. *Llama 4's stairs* are the factor in `modeling_llama4` of the library `transformers`. It stays the same for 8192 tokens at a time, so `turning` decides it step by step.

Without a mask all queries share the string's $n$. With a mask a query sees only the tokens up to its own position $i$, which is 1 for CLS. The last query sees everything, so at the token that is read, $\log i$ *is* $\log n$. In the laboratory, "$\log n$" means that every query has the string's $n$, and "$\log i$" that each query has its own position.

In the table a row is a factor, a column a gain, and an entry the first $n$ at which the inequality fails. *2 only* means that it fails at $n = 2$ and holds from 3 on, which [Counted from 0](#which-one-off) explains. Look at which gain, if at any, a row changes to *never*.
"""

# %%
gains = (1, 2, 5, 9, Fraction("9.5"), Fraction("9.9"), 10)
first_error = {(f, c): turning(c, f, trained=17) for f in FACTORS for c in gains}


def written(f, c):
    n = first_error[f, c]
    if n == 2 and all(is_right(m, c, f) for m in range(3, 1000)):
        return "2 only"
    return "never" if n is None else f"{n:,}" if n < 10**9 else f"{n:.2e}"


markdown_table(
    ("factor", *(f"c = {float(c):g}" for c in gains)),
    [(SHOWN[f], *(written(f, c) for c in gains)) for f in FACTORS],
)

# %%
shown = ("none", "log L", "log n", "log n / log L", "floor-log")
wanted = dict(zip(shown, (13_361, 488_950_340_716, None, None, 145_063_657)))
lengths_found = {name: first_error[name, Fraction("9.5")] for name in shown}
for name, first in lengths_found.items():
    agrees, here = first == wanted[name], f"{first:,}" if first else "none"
    claims.settle("theorem: lengths", here=here, agrees=agrees, factor=SHOWN[name])
ends = [*range(1, 1990), *(10**k for k in range(1, 12))]
at_ends = all(is_right(8192 * m - 1, 10, "floor-log") for m in ends)
below, never = (first_error["floor-log", gain] for gain in (Fraction("9.9"), 10))
wanted = "none, and right at the ends of 2,000 steps, in balls"
for gain, here, agrees, criterion in (
    (9.9, f"{below:.2e}", below is not None, "some n"), (10, never or "none", at_ends, wanted)
):
    claims.settle("theorem: production", here=here, agrees=agrees, gain=gain, wanted=criterion)

# %% [markdown]
r"""
Proof for each factor, for every length. *Constants*: without a factor the failure comes at the first $n$ with $n - 1 \ge e^c$, and with $\log L$ at the first with $n - 1 \ge L^c$. *$\log n$*: $n^c > n - 1$ for every $n$ if and only if $c \ge 1$. For smaller $c$ the failure is final, because $\log(n-1)/\log n$ rises to 1. With a learned $s$ the condition is $cs \ge 1$, and for $\log n / \log L$ it is $c \ge \log L$.

*Llama 4's stairs.* On the step of $m = \lfloor n/8192 \rfloor$ the hardest length is the last, $n = 8192\,(m+1) - 1$, where $c + \tfrac{c}{10} \log(m + 1)$ must be above $\log(8192\,(m + 1) - 2)$. If $c \ge 10$, the left side is at least $10 + \log(m+1)$, and the right side less than $9.02 + \log(m + 1)$, so this factor never fails. If $c < 10$, left minus right falls with $m$, without bound, so some step fails. $\square$

(which-stairs)=
### Wrong, then right again

Under Llama 4's stairs the first failure need not be final: the next step can repair it, as long as $c f(n)$ has not fallen too far behind. The output lists where a gain of 9.005 is right and wrong between 8,000 and 40,000 tokens.
"""

# %%
c, spells = Fraction("9.005"), []
for n in range(8000, 40_000):
    if not spells or spells[-1][1] != is_right(n, c, "floor-log"):
        spells.append((n, is_right(n, c, "floor-log")))
print(*(f"from {n:,}: {'right' if right else 'wrong'}" for n, right in spells), sep="\n")

# %% [markdown]
r"""
(which-one-off)=
### Counted from 0

If positions count from 0, the last query multiplies by $\log(n - 1)$, and $c \log(n-1) > \log(n-1)$ holds only for $c > 1$ and $n > 2$. At $c = 1$, where Chiang and Cholak's $\log n$ (their Equation 2) is right at every length, this factor is wrong on some string at every $n \ge 2$. CLS, at position 0, would multiply by $\log 0$, which is undefined. In the empty string CLS is the last query, so the factor is undefined there, too.
"""

# %%
for c in (1, Fraction(101, 100)):
    for name in ("log n", "log (n - 1)"):
        right = [n for n in range(2, 10**4) if is_right(n, c, name)]
        print(f"c = {float(c):4}, {name:11}: right at {len(right):,} of {10**4 - 2:,} n")
one_off, from_one = (
    [
        n
        for n in range(3, 40)
        if Exact(constructions.flawed_first(base=n - k)).logit("1" + "0" * (n - 2)) > 0
    ]
    for k in (1, 0)
)
for factor, right, wanted in (("log (n - 1)", one_off, "none"), ("log n", from_one, "all 37")):
    agrees = len(right) == (37 if right is from_one else 0)
    claims.settle("one off", here=len(right), agrees=agrees, factor=factor, wanted=wanted)

# %% [markdown]
r"""
(which-machines)=
### Machines that need no factor

In MAJORITY by one uniform head all attention logits are 0. So no factor changes anything in it, and its output stays of order $1/n$.

Two other machines need a *fixed* gain. Chapter 7's pairwise PALINDROME, built with gain 4, is right with any gain from $\tfrac54$ on. At $\tfrac54$ the other tokens weigh at most $\sigma=2\sum_{k\ge1}e^{-5k^2/4}<0.587$ times the mirror image, less than $0.37$ of all weight. A position's mark is the amount by which its symbol and what it reads there differ by more than a half. So two equal symbols get the marks 0, and two that differ get more than $2(0.13)>\tfrac14$ together, enough to reject. A compiled comparison (chapter 8) has base 16 and is exact whenever the base is at least 9. Under a factor $f$ these conditions become $4 f \ge \tfrac54$ and $16^{f} \ge 9$. Each is sufficient at every length.

Under $s \log n$ with the string's $n$ both conditions hold for all large $n$, so long strings are decided correctly for every $s > 0$. But a small $s$ can break short strings. We try every string of up to 6 symbols, in balls. In the table a row is a machine, a column a value of $s$, and an entry the first string that is decided incorrectly.
"""

# %%
dyck = formula('count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))', "()")
machines = {"mirror PALINDROME": (constructions.pairwise_palindrome(), PALINDROME)}
for name, stated, alphabet in (
    ("compiled MAJORITY", count(Q("1")) > count(Q("0")), "01"),
    ("compiled Dyck-1", dyck, "()"),
):
    machine = compiled(stated, alphabet, "softmax")
    free = replace(machine.construction, reading=None)  # it may be read with log n
    machines[name] = (free, machine.language)
shares = (1, Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 16))
shortest = {
    (name, s): judge(scaled(built, s), language, longest=6, log_n=True).counterexample
    for (name, (built, language)), s in product(machines.items(), shares)
}
markdown_table(
    ("wrong under s log n", *(f"s = {s}" for s in shares)),
    [(name, *(shortest[name, s] or "none to length 6" for s in shares)) for name in machines],
)

# %%
right_s = {name: [str(s) for s in shares if shortest[name, s] is None] for name in machines}
expected_s = {"mirror PALINDROME": 4, "compiled MAJORITY": 5, "compiled Dyck-1": 2}
for name, many in expected_s.items():
    claims.settle(
        "machines",
        here=", ".join(right_s[name]),
        agrees=len(right_s[name]) == many,
        built=name,
        many=many,
    )

# %% [markdown]
r"""
MAJORITY survives: in a single comparison the mean position is on the correct side of the middle for *every* base above 1, so no positive factor flips it (chapter 8's theorem). In Dyck-1 many comparisons are counted, and their small errors add up.

(which-hahn)=
### Hahn's lemma is attained

[The lemma](#hahn) bounds how far one symbol can move a head's output if logits differ by at most $\Delta$ and values by at most $D$. The flawed FIRST, with $\Delta = c$ and $D = 1$, attains the bound at every $n$: CLS gives the first symbol the weight $e^c/(e^c + n - 1)$, before and after the symbol is flipped, and the symbol's value moves by 1. The code checks this in rationals, with $b = e^c$:
"""

# %%
moves = {}
for b, length in product((2, 10), range(1, 8)):
    reader = Exact(constructions.flawed_first(base=b))
    for w in FIRST.all_strings(length):
        for j in range(length):
            other = w[:j] + "10"[int(w[j])] + w[j + 1 :]
            move = abs(reader.logit(w) - reader.logit(other))
            moves[b, length] = max(move, moves.get((b, length), 0))
attained = all(move * (b + length) == b for (b, length), move in moves.items())
claims.settle("hahn", here="b / (b + n - 1)" if attained else "another", agrees=attained)
print("largest move = b / (b + n - 1), at every length to 7:", attained)

# %% [markdown]
r"""
(which-influence)=
### The lemma in learned networks

Six networks learn FIRST while this page is built, without a mask and with $\mathbb{I}[i=1]$. How far does the output logit move if the first symbol is flipped, in strings of up to $10^6$ symbols? The lemma does not cover two layers with layer normalization, but its $1/n$ shows nevertheless. The outcome has no line for this figure.
"""

# %%
influence, ns = {}, [10**k for k in range(1, 7)]
for factor in ("plain", "log n"):
    runs = learners("FIRST", "FIRST", "none", factor, seeds=6)
    train(runs, "FIRST", [20], test_length=16, steps=50, strings=8, rate=3e-3)
    logits = [runs(quotient([[1, 0]], [[n // 2, n // 2]], n))[0] for n in ns]
    influence[factor] = np.array([(s[:, 0] - s[:, 1]).abs().numpy() for s in logits])

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Without a factor the influence of one symbol falls like $1/n$ (dashed) once dilution wins; with $\\log n$ most networks keep it.* How far the first symbol moves the logit of six learned networks, against length.", "name": "fig-which-influence"}, "image": {"alt": "Two log-log panels; left, six lines that bend down along a dashed line, right, most lines stay flat.", "classes": "dark-light"}}
figure, axes = plt.subplots(1, 2, figsize=(7, 2.6), sharey=True)
for axis, (factor, lines) in zip(axes, influence.items()):
    axis.loglog(ns, lines, color=COLOURS["FIRST"], linewidth=1)
    axis.loglog(ns[2:], [1e4 / n for n in ns[2:]], **REFERENCE)
    axis.set(title=factor, xlabel="$|w|$", ylabel="influence" if factor == "plain" else "")

# %% [markdown]
r"""
(which-laboratory)=
## The laboratory

How far do trained networks get, and does a factor help them? The laboratory trains small networks in *groups* of twenty, which differ only in their seeds. A group has one language, one kind of positions, a mask or none, and one factor or none. The table says which there are, and how they are trained and tested.

| what | how |
|---|---|
| languages | FIRST, ONE, PARITY, MAJORITY, Dyck-1, and one step of *copying*: after $x\#u$, where $u$ is a proper prefix of $x$, is the symbol that follows $u$ in $x$ a 1? |
| positions | none, $\mathbb{I}[i=1]$ (a mark on the first symbol; for this CLS has position 0), sinusoids, ALiBi {cite}`press2022`, RoPE {cite}`su2024`. No factor multiplies ALiBi's terms; without a mask these fall with $\lvert i - j \rvert$, which is our extension |
| networks | two layers, one head, width 16. With a mask the last token is read, without a mask CLS |
| factors | A factor multiplies the query's input, so the query's bias stays unscaled (chapter 4). Factors are on in training too, whereas Llama 4 uses its own at inference. Here a step of Llama 4's stairs has 17 tokens, the training length, in place of 8192 |
| training | 1,500 steps of Adam, each on eight strings of 2 to 16 symbols; twenty {term}`seeds <seed>` a group |
| tests | A run is right *up to* a length if it is right on 99 % of random strings there and at every shorter tested length. We draw 50 to 200 strings; at 1000 symbols only 50, so all must be right. Where [four weighted tokens](#log-quotient) can represent a string, we sum over the likely counts instead, up to $10^6$ symbols |
| random strings | uniform for FIRST, MAJORITY and PARITY, with few 1s for ONE, nearly balanced for Dyck-1 |

A group has one of four **outcomes**:

- *no*: fewer than half of its runs are right at 16 symbols;
- *own*: at least half are right at 16, but fewer than half up to 64;
- *further*: at least half are right up to 64, but fewer than half up to the last tested length;
- *far*: at least half are right up to the last tested length.

Our **expectations** rest on three ideas. A language with a short program in RASP-L {cite}`zhou2024`, or with a C-RASP program of small depth {cite}`yang2025,huang2025`, generalizes. A language that is sensitive to every symbol is not found {cite}`hahn2024`. Positions that were never seen in training do not work. Guesses about groups of which we had seen a trial, or cite one, are not scored.

That the expectations were written before the runs rests on our word and on a hash that the code checks. The commit that the runs name fixed the expectations, but the history no longer has it: there, expectations and results come in together. Two thirds of the groups with both a factor and a mask ran later, when the outcomes of the other groups were known.
"""

# %%
laboratory = Laboratory.read()
asked, found, unseen = laboratory.expected, laboratory.found, laboratory.unseen
source = laboratory.runs[0].source
LANGUAGES = ("FIRST", "ONE", "MAJORITY", "Dyck-1", "PARITY", "copying")
known = [("FIRST", "FIRST", "none", f) for f in ("plain", "log n", "log of the training n")]
print(
    f"{len(asked)} groups, {len(asked) - len(unseen)} with a trial that was seen or cited, which "
    f"do not score; {len(known)} known from chapter 4, which do; "
    f"{sum(run.minutes for run in laboratory.runs):.0f} minutes of training, stored"
)


# %% [markdown]
r"""
(which-masked)=
### With a mask

Here no group has a factor. In the table a row is a language and a column a kind of positions. An entry counts how many of 20 runs are right up to 16, 64 and 1000 symbols, and names the outcome; *not far*, for example, means that we had expected *far*. Look at the third numbers: only FIRST has any above 0.
"""

# %% tags=["hide-input"]
def line(language, positions):
    one = (language, positions, "future", "plain")
    counts = ", ".join(str(laboratory.right_to(n, *one)) for n in (16, 64, 1000))
    expected, came = asked[one]["expected"], outcome(found[one]["tests"])
    return f"{counts}: {came}{f', not {expected}' * (came != expected)}"


markdown_table(
    ("language, positions:", *POSITIONS.values()),
    [(language, *(line(language, e) for e in POSITIONS)) for language in LANGUAGES],
)

# %%
first = scores([asked["FIRST", e, "future", "plain"] for e in POSITIONS], found)
print(
    "kinds of positions with which FIRST went further than expected:",
    sum(first[e, o] for e, o in combinations(OUTCOMES, 2)),
)
of_parity = [one for one in found if one[0] == "PARITY"]
solved = sum(int((reaches(found[one]["tests"]) > 0).sum()) for one in of_parity)
claims.settle(
    "masked: PARITY",
    here=f"{solved} of {20 * len(of_parity)}",
    agrees=solved == 0,
    quantity=f"runs of PARITY in {len(of_parity)} groups that are right at 16",
    source=source,
)

# %% [markdown]
r"""
*FIRST* goes further than expected with several kinds of positions; with $\mathbb{I}[i=1]$ this is true on random strings only, not on [hard ones](#which-factors). *ONE* has a program of depth 1 in C-RASP, but falls short of what we expected from that: a short program may exist without training finding it. *MAJORITY* ends as far as expected, except with ALiBi, whose slope is $2^{-8}$, where it goes further. (We did not test near ties.) *Dyck-1* needs a count inside a count, and with each kind of positions fewer than half of the runs learn 16 symbols of it.

(which-unmasked)=
### Without a mask

In the table a row is a language with a kind of positions, and *right to* is the length up to which a run has to be right. The last two columns count such runs, of 20. Compare them: $\log n$ helps FIRST and ONE, and does not help MAJORITY.
"""

# %% tags=["hide-input"]
markdown_table(
    ("runs of 20", "right to", "no factor", "log n"),
    [
        (
            "FIRST, [i=1]",
            "10⁶",
            *(laboratory.right_to(10**6, "FIRST", "FIRST", "none", f) for f in ("plain", "log n")),
        ),
        *(
            (
                f"{language}, {POSITIONS[e]}",
                "64",
                *(laboratory.right_to(64, language, e, "none", f) for f in ("plain", "log n")),
            )
            for language in ("ONE", "MAJORITY")
            for e in ("none", "FIRST")
        ),
    ],
)

# %% [markdown]
r"""
FIRST behaves as in chapter 4. Without a mask and without positions no network can tell 10 from 01, by a theorem.

Before the runs we had written that no factor matters to ONE and MAJORITY, because uniform attention can count. But with $\log n$ more runs of ONE are right up to 64 symbols, and fewer runs of MAJORITY, although the runs with and without it have the same seeds. We have not tested the cause; a factor acts in training too.

(which-factors)=
### Seven factors with a mask

*Hard strings* are 100…0 and 011…1, in which all other symbols contradict the first, and also 00…0 and 11…1. The runs of FIRST with $\mathbb{I}[i=1]$ read them too. In the table a column is a factor. A row names a language, its positions and the length up to which a run has to be right, and an entry counts such runs, of 20. Compare the first two rows, FIRST with $\mathbb{I}[i=1]$: on random strings most runs are right under every factor, but on hard ones only under multiples of $\log n$ or $\log i$. The other rows have random strings of 16 symbols, the training length, or of 64.
"""

# %% tags=["hide-input"]
hard = hard_first()
to_last = {factor: int((reach >= 1000).sum()) for factor, reach in hard.items()}
of_first = laboratory.first(1000)
right = laboratory.right_to
markdown_table(
    ("runs of 20", *MASKED.values()),
    [
        ("FIRST to 1000, random", *of_first.values()),
        ("FIRST to 1000, and hard", *map(to_last.get, MASKED)),
        *(
            (
                f"{language}, {POSITIONS[e]}, to {n}",
                *(right(n, language, e, "future", f) for f in MASKED),
            )
            for language, e, n in (
                ("FIRST", "RoPE", 64),
                ("ONE", "none", 16),
                ("ONE", "none", 64),
                ("MAJORITY", "none", 64),
                ("Dyck-1", "none", 16),
            )
        ),
    ],
)

# %%
fewest, most = min(map(to_last.get, LOGARITHMS)), max(map(to_last.get, OTHERS))
claims.settle(
    "factors: hard strings",
    here=f"at least {fewest} under each multiple of log, at most {most} under each other factor",
    agrees=fewest > most,
    source=stored("length_extremes").source,
    criterion=f"{CRITERION}, on hard strings",
)
sizes = [right(16, "ONE", "none", "future", f) for f in ("log i", "log i / log L")]
claims.settle(
    "factors",
    here=f"{sizes[0]} under log i, {sizes[1]} under log i / log L",
    agrees=sizes[1] > sizes[0],
    source=laboratory.runs[2].source,
)
too_far = [
    f
    for f, count in of_first.items()
    if asked["FIRST", "FIRST", "future", f]["expected"] == "further" and count >= 10
]
kept = sum((hard[f] >= 64).sum() >= 10 > to_last[f] for f in too_far)
print(
    f"expected to end before 1000 and did not, on random strings: "
    f"{', '.join(map(MASKED.get, too_far))}; that holds on hard strings for {kept} of them"
)

# %% [markdown]
r"""
The criterion for hard strings was written after a trial of the same runs; the one for ONE was chosen after the run.

*ONE* shows that a factor's size matters as well as its growth. $\log L$ is 2.8, and $\log i$ is above 1 from the third token on; under either, few runs learn 16 symbols. $\log i/\log L$ is at most 1 in training. Under it most runs learn 16 symbols, and more are right up to 64 than without a factor. *MAJORITY* gains nothing from any of these factors.

(which-score)=
### The score

How many of our guesses came true? A *hit* is a group that came to the expected outcome. The first output counts hits and compares them with two simpler ways of guessing. In the table after it a row is an expected outcome, a column the outcome that was found on random strings, and an entry counts groups. Hits are on the diagonal.
"""

# %%
hits, tally = laboratory.hits(), scores(unseen, found)
bold = laboratory.bold
by_outcome = {o: sum(laboratory.outcome(cell) == o for cell in bold) for o in OUTCOMES}
of_language = [[laboratory.outcome(x) for x in bold if x["language"] == one] for one in LANGUAGES]
hindsight = sum(max(map(outcomes.count, OUTCOMES)) for outcomes in of_language)
assert hindsight > laboratory.hits(bold) > len(bold) / 2
best = max(by_outcome, key=by_outcome.get)
same = tally["no", "no"] + by_outcome[best]
theorems = sum("theorem" in cell["reason"] for cell in unseen)
places = [cell for cell in unseen if "never seen" in cell["reason"]]
print(
    f"hits: {hits} of {len(unseen)}, {theorems} of them foretold as no by a theorem",
    f"hits where more than no was expected: {laboratory.hits(bold)} of {len(bold)}",
    f"  a constant, {best} for all of these, hits {by_outcome[best]}",
    f"  one outcome a language, chosen afterwards, hits {hindsight}",
    "misses of “positions that were never seen do not work”: "
    f"{len(places) - laboratory.hits(places)} of {len(places)}",
    sep="\n",
)

# %%
claims.settle(
    "score: expected",
    here=hits,
    agrees=hits > same,
    quantity=f"of {len(unseen)} groups without a trial, those that came to what was expected",
    source=source,
    same=same,
)
markdown_table(
    ("expected \\ found", *OUTCOMES),
    [(e, *(tally[e, o] or "–" for o in OUTCOMES)) for e in OUTCOMES],
)

# %% [markdown]
r"""
Nearly all guesses of *no* came true, but little more than half of the others. For these others, naming one outcome for each language after the fact does slightly better than our guesses. The reason for each guess is given beside it in `length_laboratory.json`, in the folder `record/results/expected`.

No run learns PARITY or copying, as expected. The one group that did better than an expected *no* is Dyck-1 with a mask, without positions, under $\log i/\log L$. None of the three ideas predicts that $\log L$ hinders ONE.

## PARITY

The lesson for this section is [Why is PARITY not learned?](parity_not_learned)

(which-slope)=
### Slope against margin

*Let the output logit $s$ be a function of the share of 1s with slope at most $K$. If it decides PARITY on all strings of $n$ symbols with a margin $m$, that is $|s| \ge m$, then $m \le K/(2n)$.* (Here $n$ counts symbols.) Proof: the shares $k/n$ and $(k+1)/n$ ask for opposite signs, so the logit moves by at least $2m$ over a distance of $1/n$, but by at most $K/n$. $\square$

The wave $-\cos(\pi k)$, as a function of $x = k/n$, has slope at most $\pi n$ and margin 1, which is within a factor of $\pi/2$ of the bound. We measure slope and margin on a grid, up to 64 symbols:
"""

# %%
within = []
for n in range(1, 65):
    share = np.linspace(0, 1, 64 * n + 1)
    wave = -np.cos(np.pi * n * share)
    slope = (abs(np.diff(wave)) / np.diff(share)).max()
    at_counts = wave[::64]
    alternates = all(at_counts[:-1] * at_counts[1:] < 0)
    margin = abs(at_counts).min()
    within.append(alternates and slope / (2 * n) >= margin >= 0.6 * slope / (2 * n))
claims.settle("slope", here="at most K / (2n)", agrees=all(within))

# %% [markdown]
r"""
(which-sharp)=
### Sharpness

We move all parameters by a thousandth of their length in a random direction. The sharpness is the mean square by which logits then move, relative to the logits themselves. This relative measure is ours; Hahn and Rofin's {cite}`hahn2024` is absolute. Note that learned and constructed networks differ in size and normalization. At each length we trained three seeds, and count only those that solve it. The output gives the sharpness of the constructed networks by length.
"""

# %%
built, learned = built_sharpness(), learned_sharpness()
ratio = built[32] / built[16]
claims.settle(
    "sharp",
    here="grows more than 8 times" if ratio > 8 else f"grows {ratio:.1f} times",
    agrees=ratio > 8,
)
sharper = all(len(one) and built[n] > 10 * np.median(one) for n, one in learned.items())
claims.settle(
    "sharp: learned", here="more than ten times as sharp" if sharper else "less", agrees=sharper
)
print({n: f"{sharp:.0e}" for n, sharp in built.items()})

# %% [markdown]
r"""
(which-steps)=
### A million steps

Does PARITY only need longer training? At each length ten seeds learn, with 8 and with 64 strings a step, and a run is right if it decides over 99 % of the strings of its length. Before the runs at 12 symbols had passed 10,000 steps, and before any at 16 or 24 had begun, we wrote down what we expected: half of the seeds would be right at 12 symbols with 8 strings and at 16 symbols with 64 strings, and no further.

In the table a row is a number of strings a step and a length $|w|$ in symbols, and the third column is our guess. The last three columns count the seeds, of ten, that are right at the last test, at the best single test, and at any test. Whether the guess came true depends on which of these one reads. The line in the outcome compares 8 and 64 strings a step at 12 symbols; the table has no row for the 64.
"""

# %%
million = stored("parity_million")
_, solved = solvers(million)
of_ten = {one: runs.sum(axis=1) for one, runs in solved.items()}
markdown_table(
    ("strings a step", "|w|", "expected half", "last test", "best test", "ever"),
    [
        (
            *one,
            "yes" if half else "no",
            int(of_ten[one][-1]),
            int(max(of_ten[one])),
            int(solved[one].any(axis=0).sum()),
        )
        for one, half in EXPECTED_HALF.items()
    ],
)

# %%
by_64, by_8 = of_ten[64, 12][-1], of_ten[8, 12][-1]
claims.settle(
    "steps",
    here=f"{by_64} by 64 strings a step, {by_8} by 8",
    agrees=bool(by_64 > by_8),
    source=million.source,
)

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says

# %% [markdown]
r"""
**Limits.** With a mask the tests end at 1000 symbols, and we tried factors with six of the thirty pairs of a language and positions. `chapters.which_log_n.runs` trains any group.
"""
