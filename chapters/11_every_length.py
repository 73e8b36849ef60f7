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

**In one sentence:** it follows what the formula remembers of a string, instead of the string: if only so many memories can be reached, or if bounds on the numbers in them survive every symbol, then all strings are done at once, though for some formulas no program can find that out.

<div class="live" data-live="against"><p>The formula count(Q("1")) == 2 and the regular expression 0*10*10* agree at every length: what they remember of a string is one of four pairs. On the book's page, hold a formula of your own against an expression.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% tags=["hide-input"]
from chapters.exercises.judge import check
from chapters.pages.every_length import (
    ALTERNATING,
    DOUBLING,
    TWO_ONES,
    pairs_figure,
    pruned,
    rooms_table,
    walks_figure,
)
from lib.formulas import compiled, formula, holds
from lib.notebook import use_style
from lib.proofs import Counters, proved_equal, regular, smallest
from lib.proofs.certificate import certificate, gaps
from lib.proofs.verdict import verdict

use_style()

# %% [markdown]
r"""
## How much is a million strings?

In [chapter 8](08_formulas_to_transformers) a formula became a transformer that agrees with it at every length. But does the formula say what we mean? There we tried strings. How far does that carry?

Here is a case where we know the answer. A string of brackets is well nested if every closing bracket has its opening one before it, and every opening one is closed. In `(())` the brackets lie two deep. This formula says *well nested, and at most $k$ deep*, for a $k$ of your choice:
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
As in chapter 8, `count` counts the positions so far at which something holds, `Q("(")` holds at an opening bracket, and `never` and `always` speak of all positions so far. The last line says that at no position more than $k$ brackets are open.

Suppose that we meant 11 deep and wrote 12. The two formulas part on a string that goes 12 deep, and such a string needs twelve brackets of each kind. So they agree on every string of fewer than 24 symbols. There are more than sixteen million of these, and all of them say that we wrote what we meant.

To try strings can show that a formula is wrong. It cannot show that it is right. For that we need a second description of what we mean, written in another way: a **specification**. Then a program compares the two.

### A second way to say it

A **regular expression** is a pattern that a string fits or does not. In `0*10*10*` the sign `*` means *any number of times, perhaps none*. So a string fits if it has some 0s, a 1, some 0s, a 1, and some 0s. It says *exactly two 1s*, as does the formula `count(Q("1")) == 2`. Further signs are `|` for *or*, and brackets: `(ab|b)*` is a row of pieces, each of which is `ab` or `b`.

## A search that closes

What does a reader have to remember who goes through a string from left to right, and wants to say at every symbol whether the formula holds? For `count(Q("1")) == 2` the number of 1s is enough. And beyond two, *too many* is enough: no later symbol takes a 1 away. So there are four memories, and we write the last one, *too many*, as 3+.

Who reads along in `0*10*10*` keeps a finger on the pattern. It points into the first run of 0s (A), or behind the first 1 (B), or behind the second (C). If a third 1 comes, the string no longer fits, whatever follows; that is D. Such places are the **states** of the expression.

We read 01101 with both:

| symbol read |  | 0 | 1 | 1 | 0 | 1 |
|---|---|---|---|---|---|---|
| number of 1s | 0 | 0 | 1 | 2 | 2 | 3+ |
| finger | A | A | B | C | C | D |
| the formula holds? | no | no | no | **yes** | **yes** | no |
| the string fits? | no | no | no | **yes** | **yes** | no |

Each column is a **pair**: what the formula remembers and where the finger is. Both answers depend on the pair alone, and which pair comes next depends on the pair and the symbol alone. So we need not follow strings. We follow pairs, and start with that of the empty string:

| pair | a 0 leads to | a 1 leads to |
|---|---|---|
| (0, A), where we start | (0, A) | (1, B), **new** |
| (1, B) | (1, B) | (2, C), **new** |
| (2, C) | (2, C) | (3+, D), **new** |
| (3+, D) | (3+, D) | (3+, D) |

Each new pair gets a line of its own, and the last line brings nothing new. The search is *closed*. Every string, however long, leads to one of four pairs, and in each of the four both answers are the same. So they are the same for every string.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Above, the search closes; below, it finds a pair in which the two part.* Pairs of the formula *exactly two 1s* with the expression over each row: the number of 1s, and the state. In a full circle both say yes, in an empty one both say no. In the red one the formula says yes and the expression no. The string that leads there is 110, and the search stops.", "name": "fig-search"}, "image": {"alt": "Two rows of four circles with arrows from each to the next. In the upper row they are named 0 A, 1 B, 2 C and 3+ D, and each has an arrow back to itself. In the lower row the last circle is red and named 2 D, reached from 2 C by the symbol 0.", "classes": "dark-light"}}
pairs_figure();
# %% [markdown]
r"""
In the lower row the last run of 0s was forgotten, and the search meets a pair in which the two part. It goes one symbol further at a time, so the first such pair belongs to a *shortest* string on which they part. In code, `proved_equal` does all that. The third argument is the **alphabet**, the symbols that strings are made of:
"""

# %%
# try: 0*1(0|1)*, or a formula of your own
print(proved_equal(TWO_ONES, regular("0*10*10*", "01"), "01"))
print(proved_equal(TWO_ONES, regular("0*10*1", "01"), "01"))

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

The brackets from above are now a matter of a moment, because a string that goes deeper than $k + 1$ is lost for both formulas, whatever follows:
"""

# %%
# try: other depths
for k in (1, 2, 11):
    answer = proved_equal(nested(k), nested(k + 1), "()")
    print(f"{k:2} against {k + 1}: {answer.counterexample}")

# %% [markdown]
r"""
### A word that looks back

Some languages need one more word. *Every 0 is directly followed by a 1* speaks of neighbours. `previous(φ)` holds where φ held one position before; a head that looks back by one position [compiles it](#looking-back). With it we can say that there is no 0 right after a 0, and none at the end:
"""

# %%
neighbours = 'not Q("0") and never(Q("0") and previous(Q("0")))'
print(proved_equal(neighbours, regular("(1|01)*", "01"), "01"))

# %% [markdown]
r"""
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

Two counts that are compared with each other are another matter. Take the strings `ab`, `abab`, `ababab` and so on, and the empty one. As a regular expression that is `(ab)*`. As a formula we say that at every position the a's are ahead by 0 or by 1, and at the end there are as many of each:

"""

# %%
print(ALTERNATING)

# %% [markdown]
r"""
What must be remembered? The number $t$ of a's less that of b's, and whether $t$ ever left the numbers 0 and 1. If so, the string is *broken*, and `always` never holds again. But $t$ can be any whole number: `a`, `aa`, `aaa` and so on make it larger and larger. A search that keeps $t$ meets new pairs without end.

Here one can help oneself: once the string is broken, $t$ may be forgotten, as above all numbers beyond two were *too many*. The program does so, and its search closes. For well-nested strings of any depth that does not help, because there $t$ may grow without being broken. So we learn another way, on this small case.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Once outside, a string is rejected, whatever t does later.* The number $t$ along abababab, abaabbab and abbaabab. While it keeps within the shaded band, 0 and 1, the string is green; once it has left, orange. The last two strings come back to 0 and are rejected all the same.", "name": "fig-rooms"}, "image": {"alt": "Three line charts of t against the position. In the first, t goes up and down between 0 and 1. In the second it reaches 2 at the fourth symbol, in the third it reaches minus 1 at the third symbol; from there on the line is orange and labelled broken.", "classes": "dark-light"}}
walks_figure();
# %% [markdown]
r"""
Still, little of $t$ matters. Let us go by where the finger is in `(ab)*`: at the beginning of a piece (A), behind an `a` (B), or the string fits no longer (D). We *claim* that whenever the finger is there, this holds:

| finger | claim |
|---|---|
| A | $t = 0$, and not broken |
| B | $t = 1$, and not broken |
| D | broken; $t$ may be anything |

Call each line a **room**. Before the first symbol we are in room A, with $t = 0$. Now we read every symbol in every room:

- In A, `a` makes $t = 1$, which is allowed, and the finger goes to B. The claim of room B holds.
- In A, `b` makes $t = -1$, which breaks the string, and the finger goes to D. The claim of room D holds.
- In B, `b` makes $t = 0$, and we are in A.
- In B, `a` makes $t = 2$, which breaks the string, and we are in D.
- In D, the finger stays in D, and what is broken stays broken.

Six steps, and no string was left out: each starts in A, and each symbol leads from a room into a room. It remains to look at the answers. In A the formula holds and the string fits. In B, $t$ is 1 and not 0, so the formula does not hold, and the string does not fit. In D it is broken and does not fit.

Such a set of rooms is called an **inductive invariant**: it holds at the start, and every symbol keeps it.

:::{admonition} Rooms that are never left
:class: result
Let a room be a memory out of finitely many together with inequalities between the numbers that are counted. If the empty string lies in a room, if every symbol leads from every point of a room into a room, and if in every room both answers are alike, then the two descriptions agree on every string. *Proved for every length.* [Record](#length-rooms)
:::

:::{dropdown} Proof
The empty string lies in a room, and if a string lies in a room, so does the string with one more symbol. By induction every string lies in a room, where both answers are alike. $\square$

A search that closes is the case in which each room holds a single pair.
:::

### How a machine finds the rooms

We found the rooms by looking. The program does it in three steps.

1. *Guess.* It reads some short strings and notes, for each memory, the least and the largest value of each number and of their sums and differences. Perhaps these are bounds for ever.
2. *Ask.* It asks a **solver**, a program that decides questions about whole numbers: is there a point within these bounds from which a symbol leads out of them?
3. *Weaken.* If there is, the bound that was broken is given up or moved, and it asks again. If there is none, the rooms are never left.

It may fail: too much may be given up, until the answers can differ in some room. Then nothing is proved.

Here are all well-nested strings, of any depth. The specification is a machine with a counter, *depth*, which goes up at `(` and down at `)`. It rejects for good once the counter would go below 0, and it accepts where the counter is 0. We ask for the rooms, without the bounds that the proof does not need:
"""

# %%
dyck = 'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))'
depth = Counters(
    {("up", "("): ("up", {"depth": 1}), ("up", ")"): ("up", {"depth": -1})},
    start="up",
    finals=["up"],
    alphabet="()",
)
answer = proved_equal(dyck, depth, "()")
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
words = ("machine's state", "ever more closed?", "opened", "closed", "depth")
rooms_table(written, dict(zip(parts, words)))

# %% [markdown]
r"""
The program calls a memory out of finitely many a *control*, and the bounds at it *linear invariants*. There are two rooms. In the first, never were more brackets closed than opened, and the difference of the two counts *is* the machine's depth. In the second, more were closed at some time, the machine is dead (B), and nothing need be known. That is how one would prove it by hand.

## A second solver does not take the first's word

The solver, z3, is a large program, and so is what we built around it. Either may be wrong. But rooms are easier to check than to find. They are written down as a **certificate**: the formula as text, the specification, and each room with its bounds. A short program reads it, which shares little with the one that found it: the parser of formulas, and the specification written as a table. It writes down anew what each symbol changes, and asks *another* solver, cvc5, three questions. Does the start lie in a room? Is no room left? Do both answer alike in each?

`gaps` lists what a certificate leaves unproved. Now take one bound away:
"""

# %%
print("as it was found:", list(gaps(written)))
room = written["rooms"][0]
lost = room["bounds"].pop()
print("without", lost, list(gaps(written)))
room["bounds"].append(lost)

# %% [markdown]
r"""
Without *depth ≥ 0* the first room also holds a point at which the depth is $-2$. From there `(` leads to $-1$, where more brackets are closed than opened, and the room is left. So nothing is proved, and the second solver says at which symbol.

What does the proof of a *network* rest on now? On the theorem of chapter 8, by which the network does what its formula says; on the rooms; and on cvc5, which checked them. All strings to a length are decided besides, in exact arithmetic:
"""

# %%
# try: "layer norm" in place of "softmax"
machine = compiled(ALTERNATING, "ab", "softmax")
found = verdict(machine, regular("(ab)*", "ab"), longest=8, name="(ab)*")
print(str(found).replace("; ", ";\n"))

# %% [markdown]
r"""
## The smallest formula

A program that can say whether a formula is right can also look for a small one. Its *size* is the number of its parts: each `Q`, count, number, comparison and connective is one, and so are `once` and `never`. The program builds formulas by size, with the numbers 1 and 2. Two that agree on all short strings are kept once, so one that differs on longer strings alone may be missed. The first one that agrees with the language is then proved equal to it.

For FIRST, *the first symbol is a 1*, the book's formula has six parts, `once(Q("1") and position == 1)`. The search finds one with three:
"""

# %%
# try: regular("0*10*", "01"), or examples: {"01": True, "10": False}
print(smallest(regular("1(0|1)*", "01"), "01"))

# %% [markdown]
r"""
It prints `once` and `never` as what they stand for: a count that is at least 1, and one that is 0. So in our words this is `once(never(Q("0")))`, which has three parts. Read it on 101 and on 011:

| symbol | 1 | 0 | 1 |  | 0 | 1 | 1 |
|---|---|---|---|---|---|---|---|
| no 0 so far? | yes | no | no |  | no | no | no |
| ever so? | yes | yes | **yes** |  | no | no | **no** |

If there was ever a position without a 0 so far, then the first position is one. So the first symbol is a 1. It needs no position, and its transformer has one head fewer:
"""

# %%
for text in ('once(Q("1") and position == 1)', 'once(never(Q("0")))'):
    found = compiled(text, "01", "softmax").construction.size
    print(f"{text:33} {found['heads']} heads, {found['coefficients']} coefficients")

# %% [markdown]
r"""
Smaller to write is not always cheaper to run. The smallest formula for all well-nested strings has twelve parts, and its transformer has seven layers where the book's has four, as [the record](#length-smallest) shows.

## Where every prover must fail

Here is a formula that no string satisfies, and the program does not find that out. The string alternates between blocks of a's and of b's, and each block brings its letter to about twice the number of the other. So the counts double and double again: after the blocks `a`, `bb`, `aaaa` they are 5 and 2. At the end the formula asks for a number of a's that grows only by 3 with each round.
"""

# %%
print(DOUBLING.replace(" and always", "\nand always").replace(" and count(", "\nand count("))
print(proved_equal(DOUBLING, "False", "ab"))

# %% [markdown]
r"""
*Unknown* is the third answer, beside *proved* and *wrong*. It says to which length the search went through all strings, those that lead to one pair together, and that no rooms were found. It does not say that there are none, nor that the formula is right or wrong.

Somebody can mend the program for this case. Nobody can mend it for all. A formula can check a whole computation: let each symbol of the string stand for one step of a program with two counters. That the steps follow one another is a matter of neighbours, and the value of a counter is a difference of two counts. So a formula can say *this string is a run of the program that comes to its end*. Whoever decides whether some string satisfies it decides whether the program ends.

:::{admonition} No program decides them all
:class: result
There is no program that says of every formula with counts, comparisons and `previous` whether some string satisfies it. So none says of every two formulas whether they agree at every length. *Proved for every length.* [Record](#length-undecided)
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

So no program can compute, from a formula and its specification, a length $L$ to which trying all strings is always enough. With such an $L$ one would try all strings to it, which takes long but ends, and would have decided every formula. Yang and others {cite}`yang2026` prove that there is no such program even for counts without `previous`.

## What is proved for every length here

- A search that closes, or rooms that are never left, prove that two descriptions agree.
- What the program calls *proved*, it proved in one of these two ways. For `verdict`, cvc5 checks it again.
- No program decides all formulas with counts and `previous`.

What it calls *wrong* comes with a string that anybody can try. What it calls *unknown* was tried to some length, and no more is known.

## What to take away

- Say twice what you want, in two different ways, and have the two compared. One description alone can only be tried.
- Do not trust a test to some length. Formulas that differ for the first time at 24 symbols are easily written.
- If you have to prove something for all lengths by hand, look for what must be remembered, and for bounds on it that every symbol keeps.
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

Eighty statements, with what was proved of each, how, and to which length strings were tried besides, stand in the [record of this chapter](record_11_every_length). So do the smallest formulas of the book's languages, and proofs by machine for transformers that no formula made. [Jiang and others](https://arxiv.org/abs/2602.16473) translate such formulas into a language for which model checkers exist.
"""
