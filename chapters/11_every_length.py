# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# For every length

*A formula was right on every string that we tried. How can a machine know that it is right on all the others?*

**In one sentence:** it follows not the string but what the formula and a second description remember of it: if only finitely many memories can be reached, or bounds on their numbers survive every symbol, and in all these both answer alike, they agree on every string, though no program succeeds with every formula.

The formula `count(Q("1")) == 2` and the pattern `0*10*10*` both say that a string has exactly two 1s. The table, which the next two sections explain, holds *pairs*: what a reader of the formula remembers, and at which place (A, B, C or D) a reader of the pattern keeps a finger.

<div class="live" data-live="against"><p>The formula count(Q("1")) == 2 and the regular expression 0*10*10* agree at every length: what they remember of a string is one of four pairs. On the book's page, hold a formula of your own against an expression.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% tags=["hide-input"]
from chapters.common.judge import check
from chapters.every_length.figures import (
                                           ALTERNATING,
                                           DOUBLING,
                                           pairs_figure,
                                           pruned,
                                           rooms_table,
                                           walks_figure,
                                           )
from lib.formulas import compiled, formula, holds
from record.notebook import use_style
from lib.judging import judge
from chapters.common.enumeration import smallest
from lib.proofs import Counters, proved_equal, regular
from lib.proofs.certificate import certificate, gaps

use_style()

# %% [markdown]
r"""
## How much is a million strings?

In [chapter 8](08_formulas_to_transformers) a program, the *compiler*, made of a formula a transformer that agrees with it at every length. But does the formula say what we mean? There we tried strings.

A string of brackets is well nested if every closing bracket has its opening one before it, and every opening one is closed. In `(())` the brackets lie two deep. This formula says *well nested, and at most $k$ deep*, for a $k$ of your choice:
"""


# %%
def nested(k):
    """Well nested, and never more than k brackets open."""
    return (
        'count(Q("(")) == count(Q(")"))'
        ' and never(count(Q(")")) > count(Q("(")))'
        f' and never(count(Q("(")) > count(Q(")")) + {k})'
    )


print(holds(formula(nested(1), "()"), "(())"), holds(formula(nested(2), "()"), "(())"))

# %% [markdown]
r"""
A formula holds at a position of the string or does not. What it says at the last symbol is its answer for the string. `Q("(")` holds at an opening bracket. Let φ be any formula: `count(φ)` is the number of positions so far at which φ holds, and `once(φ)`, `always(φ)`, `never(φ)` say that it held at some of them, at all, at none. On the empty string each count is 0 and no `Q` holds. The formula's last line says that at no position more than $k$ brackets are open.

Suppose that we meant 11 deep and wrote 12. The two formulas part only on well-nested strings that go 12 deep, and such a string needs twelve brackets of each kind. So they agree on every string of fewer than 24 symbols. There are more than sixteen million of these, and all of them say that we wrote what we meant.

To try strings can show that a formula is wrong, but not that it is right. For that we need a second description of what we mean, written in another way: a **specification**. Then a program compares the two.

### A second way to say it

A **regular expression** is a pattern that a string fits or does not. In `0*10*10*` the sign `*` means *any number of times, perhaps none*. So a string fits if it has some 0s, a 1, some 0s, a 1, and some 0s. It says *exactly two 1s*. With `|` for *or*, `(ab|b)*` is a row of pieces, each of which is `ab` or `b`.

## A search that closes

What does a reader have to remember who goes through a string from left to right, and wants to say at every symbol whether the formula holds? For `count(Q("1")) == 2` the number of 1s is enough. Beyond two, *too many* is enough: no later symbol takes a 1 away. So there are four *memories*: none, one, two and *too many*, which we write as 3+ (*its answer, for good* in the table at the top).

Who reads along in `0*10*10*` keeps a finger on the pattern. It points into the first run of 0s (A), or behind the first 1 (B), or behind the second (C). If a third 1 comes, the string no longer fits, whatever follows; that is D. (In some patterns one would need several fingers. The program first makes a table of places in which one is enough.)

We read 01101 with both:

| symbol read |  | 0 | 1 | 1 | 0 | 1 |
|---|---|---|---|---|---|---|
| number of 1s | 0 | 0 | 1 | 2 | 2 | 3+ |
| finger | A | A | B | C | C | D |
| the formula holds? | no | no | no | **yes** | **yes** | no |
| the string fits? | no | no | no | **yes** | **yes** | no |

Each column is a **pair**: what the formula remembers and where the finger is. Both answers depend on the pair alone, and which pair comes next depends on the pair and the symbol alone. So we follow pairs, not strings, and start with that of the empty string:

| pair | a 0 leads to | a 1 leads to |
|---|---|---|
| (0, A), where we start | (0, A) | (1, B), **new** |
| (1, B) | (1, B) | (2, C), **new** |
| (2, C) | (2, C) | (3+, D), **new** |
| (3+, D) | (3+, D) | (3+, D) |

The last line brings nothing new: the search is *closed*. Every string, however long, leads to one of four pairs, and in each both answers are the same. So they are the same for every string.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Above, the search closes; below, it finds a pair in which the two part.* A circle is a pair: the number of 1s, and where the finger is in the expression above the row. In a full circle both say yes, in an empty one both say no. The string 110 leads to the red one, where the formula says yes and the expression no. There the search stops, before it reads 111.", "name": "fig-search"}, "image": {"alt": "Two rows of four circles with arrows from each to the next. In the upper row they are named 0 A, 1 B, 2 C and 3+ D, and each has an arrow back to itself. In the lower row the last circle is red and named 2 D, reached from 2 C by the symbol 0.", "classes": "dark-light"}}
pairs_figure();
# %% [markdown]
r"""
In the lower row the last run of 0s was forgotten. The search goes one symbol further at a time, so the first pair in which the two part belongs to a *shortest* string on which they part. In code, `proved_equal` does all that, and calls our pairs *states*. The third argument is the **alphabet**, the symbols that strings are made of:
"""

# %%
# try: 0*1(0|1)*, or a formula of your own
two_ones = 'count(Q("1")) == 2'
print(proved_equal(two_ones, regular("0*10*10*", "01"), "01"))
print(proved_equal(two_ones, regular("0*10*1", "01"), "01"))

# %% [markdown]
r"""
:::{admonition} A search that closes is a proof
:class: result
Let two descriptions read strings symbol by symbol, so that both answers depend on the pair of their memories alone, and the next pair on the pair and the symbol alone. If the search from the pair of the empty string ends, and both answers are alike in every pair, then the two agree on every string. If it meets a pair in which they part, the first one that it meets is reached by a shortest string on which they part. *Proved for every length.* [Record](#length-search)
:::

:::{dropdown} Proof
*Closed.* The empty string leads to a pair that was met. If a string leads to a pair that was met, then so does the string with one more symbol, because the search followed every symbol from every pair. By induction every string leads to a pair that was met, and there the answers are alike.

*Shortest.* The search meets pairs in the order of the shortest strings that lead to them: by induction, those of length $l + 1$ are found from those of length $l$. If the two part on a string, they part in its pair, and the shortest string to that pair is no longer. $\square$
:::

The brackets from above are now a matter of a moment, because a string that goes deeper than $k + 1$ is lost for both formulas:
"""

# %%
# try: other depths
for k in (1, 2, 11):
    answer = proved_equal(nested(k), nested(k + 1), "()")
    print(f"{k:2} against {k + 1}: {answer.counterexample}")

# %% [markdown]
r"""
### A word that looks back

*Every 0 is directly followed by a 1* speaks of neighbours. For these there is one more word, which the compiler [knows too](#looking-back). `previous(φ)` holds where φ held one position before, so it does not hold at the first symbol or on the empty string. We say that there is no 0 right after a 0, and none at the end:
"""

# %%
neighbours = 'not Q("0") and never(Q("0") and previous(Q("0")))'
print(proved_equal(neighbours, regular("(1|01)*", "01"), "01"))

# %% [markdown]
r"""
By hand there are three pairs: all is well, a 0 waits for its 1, two 0s have met. The program counts four, as it keeps the last symbol in the third too. It forgets a number whose answer is settled for good, but never a last symbol.

**Predict**: somebody tries to do without `previous`: there are no more 0s than 1s, and the last symbol is no 0. How long is the shortest string on which that goes wrong?

<p class="guess" data-right="2">three&nbsp;symbols|four&nbsp;symbols|five&nbsp;symbols</p>
"""

# %% tags=["hide-output"]
# try: a better formula without previous
hasty = 'count(Q("0")) <= count(Q("1")) and not Q("0")'
print(proved_equal(hasty, regular("(1|01)*", "01"), "01"))

# %% [markdown]
r"""
## Numbers without end

On brackets at most $k$ deep the search came to its end, because what goes too deep is lost. Of the rest only the number of open brackets is remembered, not how many there were. Now let them be well nested to *any* depth. After `(`, `((`, `(((` and so on, one, two, three brackets are open. Each of these needs another ending, so each makes a new pair, and no search closes.

There is another way. We learn it on a small case, and leave the brackets to the program. Take `(ab)*`: the strings `ab`, `abab` and so on, and the empty one. As a formula we say that at every position the a's are ahead by 0 or by 1, and at the end there are as many of each:
"""

# %%
print(ALTERNATING)

# %% [markdown]
r"""
Let $t$ be the number of a's less that of b's. Once $t$ is neither 0 nor 1, we call the string *broken*: from there on `always(...)` is false, whatever follows. But $t$ can still grow without end. (A search would then forget it, and close. We take rooms all the same, to see them on a small case.)

Let us go by where the finger is in `(ab)*`: at the beginning of a piece (A), behind an `a` (B), or the string fits no longer (C). We *claim* that whenever the finger is there, this holds:

| finger | claim |
|---|---|
| A | not broken, and $t = 0$ |
| B | not broken, and $t = 1$ |
| C | broken; $t$ may be anything |

Call each line a **room**. A room fixes what takes only finitely many values, here the finger's place and whether the string is broken: its *control*. For numbers, which have no end, it gives inequalities, such as $t \ge 0$ and $t \le 0$, or none. So room A allows one *case*, $t = 0$, and room C one for every whole number.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A string goes to and fro between rooms A and B; once broken it stays in C, whatever t does.* The number $t$ along abababab, abaaaabb and abbaabab, orange once broken. Shaded is what a room allows: $t = 0$ in A, $t = 1$ in B, and every $t$ in C. The last string comes back to 0 and is rejected all the same.", "name": "fig-rooms"}, "image": {"alt": "Three line charts of t against the position, with shaded bands at 0, labelled A, and at 1, labelled B. In the first, t goes up and down between them; in the second it climbs to 4, in the third it falls to minus 1. From there on the line is orange, and the whole height is shaded and labelled C.", "classes": "dark-light"}}
walks_figure();
# %% [markdown]
r"""
Before the first symbol we are in room A, with $t = 0$. Now we read both symbols in every room:

- In A, `a` makes $t = 1$, and the finger goes to B. The claim of room B holds.
- In A, `b` makes $t = -1$, which breaks the string, and we are in C.
- In B, `b` makes $t = 0$, and we are in A.
- In B, `a` makes $t = 2$, which breaks the string, and we are in C.
- In C, with `a` or `b`, the finger stays in C, and what is broken stays broken.

No string was left out: each starts in A, and each symbol leads from a room into a room. In A the formula holds and the string fits. In B neither is so, as $t$ is 1 and a piece is not finished; nor in C.

Such a set of rooms is called an **inductive invariant**: it holds at the start, and every symbol keeps it.

:::{admonition} Rooms that are never left
:class: result
Let each room fix a control and give inequalities for the numbers that are counted. If the empty string lies in a room, if from every case that a room allows every symbol leads into a room, and if in every such case both answers are alike, then the two descriptions agree on every string. *Proved for every length.* [Record](#length-rooms)
:::

:::{dropdown} Proof
The empty string lies in a room, and if a string lies in a room, so does the string with one more symbol. By induction every string lies in a room, where both answers are alike. $\square$
:::

A search that closes is such a proof too: its rooms are the pairs that it met, one room for each pair.

### How a machine finds the rooms

The program finds them in three steps.

1. *Guess.* It reads some strings, most of them short, and notes for each control the least and the largest value of each number and of their sums and differences. Perhaps these are bounds for ever.
2. *Ask.* It asks a **solver**, a program that decides questions about whole numbers: is there a case within these bounds from which a symbol leads out of all rooms?
3. *Weaken.* If there is, a bound that does not hold after the symbol is given up or moved, and it asks again. If there is none, the rooms are never left.

If too much is given up, the answers can differ in some room. Then nothing is proved.

Here are the well-nested strings of any depth. The specification is a machine with a counter, *depth*, which goes up at `(` and down at `)`. At a `)` that would bring it below 0 the machine dies, and rejects whatever follows. While it is alive, it accepts where the counter is 0. Below its answer are the rooms, with those bounds that the proof needs:
"""

# %%
well_nested = 'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))'
depth = Counters(  # below 0 it dies; it accepts at 0
    {("alive", "("): ("alive", {"depth": 1}), ("alive", ")"): ("alive", {"depth": -1})},
    start="alive",
    finals=["alive"],
    alphabet="()",
)
answer = proved_equal(well_nested, depth, "()")
print(answer)

# %% tags=["hide-input"]
written = pruned(certificate(answer))
parts = (
    "state",
    "count(count(Q(')')) - count(Q('(')) > 0)",
    "count(Q('('))",
    "count(Q(')'))",
    "depth",
)
words = ("machine", "ever more closed?", "opened", "closed", "depth")
rooms_table(written, dict(zip(parts, words)), states=("alive", "dead"))

# %% [markdown]
r"""
(The program calls the inequalities *linear invariants*.) In the first room, never were more brackets closed than opened, the machine is alive, and the difference of the two counts *is* its depth; so both say yes at depth 0 and no elsewhere. In the second, more were closed at some time, the machine is dead, and of the numbers nothing need be known.

## A second solver does not take the first's word

The solver, z3, is a large program, and so is what we built around it. Either may be wrong, and ours once was: it claimed that [no string satisfies a formula](#own-false-proof) that `aaaaaaaaabbb` satisfies. But rooms are easier to check than to find. They are written down as a **certificate**: the formula as text, the specification as a table, and each room with its bounds. A short program works out anew what each symbol changes, and asks *another* solver, cvc5, whether the empty string lies in a room, every symbol leads from a room into a room, and the answers agree in every room. `proved_equal` calls a formula *proved* only when cvc5 has accepted its certificate. If cvc5 refuses it, the answer is *unknown*; if cvc5 is not installed, gives up or is not asked, the answer is *found, not checked*. (The demo at the top of this page runs in your browser, searches, and has no second solver. And nobody checks that our parser reads the formula correctly, or that the table says what the regular expression says.)

`gaps` lists what a certificate leaves unproved; `written` is that of the brackets. Now take away its bound *depth ≥ 0*, written `[{'depth': 1}, 0]`:
"""

# %%
print("as it was found:", list(gaps(written)))
room = written["rooms"][0]
lost = room["bounds"].pop()
print("without", lost, list(gaps(written)))
room["bounds"].append(lost)

# %% [markdown]
r"""
Room 0 is the first. Without *depth ≥ 0* the room also allows a case that no string reaches: depth $-2$, two more brackets closed than opened, and yet *no* in the first column, *ever more closed?*. From there `(` leads to $-1$. Still one more is closed than opened, so the formula now remembers *yes*. But the machine looks at its counter only at `)`, so it is alive. No room has *yes* together with *alive*.

What does the proof of a *network* rest on now? On the theorem of chapter 8, by which the network does what its formula says; on the rooms, here the pairs of a search that closes; and on cvc5, which checked them. Besides, `judge` runs the network on all strings up to a length, in exact arithmetic or with a bound on each error, so that rounding changes no answer. (`softmax` is the kind of its attention.)
"""

# %%
# try: another length
machine = compiled(ALTERNATING, "ab", "softmax")
print(str(judge(machine, "(ab)*", longest=8)).replace("; ", ";\n"))

# %% [markdown]
r"""
## The smallest formula

Counts, positions and looks back cost a network *heads*, the parts that fetch numbers from other positions. So small formulas are worth having, and a program that can tell whether a formula is right can look for one. Its *size* is the number of its parts: each `Q`, number, `+`, comparison, `and`, `or`, `not`, `count`, `once`, `never`, `always` and `position` (the number of symbols so far) is one.

The program builds formulas by size, with the numbers 1 and 2 and without `previous`. Of several that agree on all short strings it keeps one. So it returns the smallest *found* ([record](#length-smallest)), and says how many it has built. Then it tries to prove that formula right at every length. That none is smaller is not proved.

The book says *the first symbol is a 1* in six parts, `once(Q("1") and position == 1)`. The search finds three, and prints `once` as a count of at least 1, `never` as one of 0:
"""

# %%
# try: regular("0*10*", "01"), or examples: {"01": True, "10": False}
print(smallest(regular("1(0|1)*", "01"), "01"))

# %% [markdown]
r"""
That is `once(never(Q("0")))`, of three parts. Read it on 101 and on 011:

| symbol | 1 | 0 | 1 |  | 0 | 1 | 1 |
|---|---|---|---|---|---|---|---|
| no 0 so far? | yes | no | no |  | no | no | no |
| ever so? | yes | yes | **yes** |  | no | no | **no** |

If any position has no 0 so far, then neither has the first. So the first symbol is a 1. The shorter formula also makes the smaller network. It has fewer heads, and fewer *coefficients*, the numbers in its matrices that are not 0:
"""

# %%
for text in ('once(Q("1") and position == 1)', 'once(never(Q("0")))'):
    found = compiled(text, "01", "softmax").construction.size
    print(f"{text:33} {found['heads']} heads, {found['coefficients']} coefficients")

# %% [markdown]
r"""
## Where every prover must fail

Here is a formula that no string satisfies, which the program does not find out. The string alternates between blocks of a's and of b's, and each block brings its letter to about twice the number of the other: after `a`, `bb`, `aaaa` there are 5 and 2. (The formula is asked at the next block's first letter, which counts already: $5 = 2 \cdot 3 - 1$.) The string must end with the first b of a block, where the formula asks for a number of a's that grows only by 3 each time. That is too many at first and too few ever after ([proof](#length-undecided)):

| which block of a's has ended? | first | second | third | fourth |
|---|---|---|---|---|
| a's so far | 1 | 5 | 21 | 85 |
| a's that are asked for | 6 | 9 | 12 | 15 |
"""

# %%
print(DOUBLING.replace(" and always", "\nand always").replace(" and count(", "\nand count("))
print(proved_equal(DOUBLING, "False", "ab"))

# %% [markdown]
r"""
*Unknown* is another possible answer, beside *proved* and *wrong*. No string to the printed length satisfies the formula. (Strings with the same pair were tried as one.) Rooms do not help either, as long as all columns of the table share one. If bounds allow some cases, they also allow the mean of these. The mean of the first three columns is block number $(1 + 2 + 3)/3 = 2$ with $(1 + 5 + 21)/3 = 9$ a's. So the room also allows 9 a's in the second block. There the formula would say yes, and `False` says no.

Two rooms would do: one for the first two blocks, and one for all later ones, in which there are always more a's than asked for. The program does not find these.

One can teach it that, but not everything, because a formula can check a whole computation. Take a program with two counters, which it can raise or lower by one and ask whether they are 0. Let each symbol stand for one of its steps, so that a run is a string. That the steps follow one another is a matter of neighbours, and the value of a counter is a difference of two counts. So a formula can say *this string is a run that comes to its end*. Some string satisfies it if and only if the program ends. But no program can tell of every program whether it ends, as Turing proved, and Minsky {cite}`minsky1961` shows that two counters are enough to imitate any program. So none can tell it of every program with two counters.

:::{admonition} No program decides them all
:class: result
There is no program that says of every formula with counts, comparisons and `previous` whether some string satisfies it. So none says of every two formulas whether they agree at every length, even if one of them is `False`, which never holds. *Proved.* [Record](#length-undecided)
:::

:::{dropdown} Proof
Minsky {cite}`minsky1961` shows that no program decides whether a *two-counter machine*, started with both counters at 0, ever halts. Such a machine has finitely many states, and in each of them it either adds 1 to a counter and goes to a next state, or it looks whether a counter is 0: if so it goes to one state, if not it takes 1 away and goes to another.

We may suppose that it does not start at its end. Take a symbol for each possible step: from which state, what it does (*up*, *down* or *zero*, with which counter), and to which state. Write $F_q$, $T_q$ for "a step from $q$", "a step to $q$", each an `or` of `Q`s, and $U_c$, $D_c$, $Z_c$ for the steps up, down and zero of counter $c$. The formula is the `and` of these, for all states $q$ and both counters $c$:

- `always(position >= 2 or` $F_{\text{start}}$`)`: the first step is from the start;
- `never(position >= 2 and` $F_q$ `and not previous(`$T_q$`))`: each step begins where the last one ended;
- `always(count(`$U_c$`) >= count(`$D_c$`))`: nothing is taken from a counter that is 0;
- `never(`$Z_c$ `and not count(`$U_c$`) == count(`$D_c$`))`: who says that it is 0 is right;
- $T_{\text{halt}}$: the last step leads to the end.

A string satisfies it if and only if it is the machine's run from the start to the end, and there is such a string if and only if the machine halts. The formula is written down by a program. So a program that decides whether some string satisfies a formula would decide whether a machine halts. For two formulas take this one and `False`. $\square$
:::

So no program can compute, from a formula and its specification, a length to which trying all strings is enough: that would decide every formula.

## What is proved for every length here

- Two descriptions agree on every string if a search closes and both answers are alike in every pair, or if rooms hold the start, are never left, and hold no case in which the answers differ.
- `proved_equal` uses these two ways alone, and cvc5 has checked the certificate before it says *proved*. The lengths and sizes that are printed beside it were only tried.
- No program decides all formulas with counts and `previous`.

## What to take away

- Say what you want in two different ways, and have the two compared. One description alone can only be tried.
- Do not trust a test to some length. Formulas that first differ at 24 symbols are easily written.
- To prove something for all lengths by hand, look for what must be remembered, and for bounds on it that every symbol keeps.
- Keep the proof, not the prover's word. A short program with another solver can check it.
- Unknown: for which of the formulas that people write a proof is found; and how to get from a *trained* network to a formula that it obeys at every length.

## Exercises

**1 (compute).** The formula *well nested, at most 20 deep* and the one with 21 agree on all short strings. How many symbols has the shortest string on which they part?
"""

# %%
# try: your number in place of the dots
check("11.1", ...)

# %% tags=["hide-cell"]
check("11.1", len(proved_equal(nested(20), nested(21), "()").counterexample))

# %% [markdown]
r"""
**2 (modify).** Write a formula over a and b for the strings in which every a is directly followed by two b's, which as a regular expression is `(b|abb)*`. It is judged for every length.
"""

# %%
# try: your formula's text in place of the dots
check("11.2", ...)

# %% tags=["hide-cell"]
no_near_a = 'never(Q("a") and previous(Q("a") or previous(Q("a"))))'
check("11.2", f'{no_near_a} and not Q("a") and not previous(Q("a"))')

# %% [markdown]
r"""
**3 (prove or refute).** "If a search closes with $p$ pairs, then all strings with fewer than $p$ symbols would have been enough: two descriptions that agree on these agree on all."

<p class="guess" data-right="1">proved|refuted</p>
"""

# %%
# try: "proved", or a formula and a regular expression over 0 and 1, as a pair of texts
check("11.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Proved. If they part at all, they part in one of the $p$ pairs. A shortest string to that pair passes through no pair twice, or one could cut out what lies between. So it passes through at most $p$ pairs, the first of which belongs to the empty string, and has at most $p - 1$ symbols.

This is no way around the last result: that a search closes is not known beforehand.
:::
"""

# %% tags=["hide-cell"]
check("11.3", "proved")

# %% [markdown]
r"""
## What next

The [record of this chapter](record_11_every_length) holds eighty statements with what was proved of each and how, and proofs by machine for transformers that no formula made.
"""
