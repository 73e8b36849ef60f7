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

*Sixteen million strings say that a formula is right. It is wrong. How can a program know that a formula is right on every string there is?*

**In one sentence:** instead of trying strings, a program follows what the formula and a second description of the same language must remember while they read; if only finitely many memories occur, it can check all strings at once.
"""

# %% tags=["hide-input"]
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np

from chapters.common.judge import check
from lib.formulas import compiled
from lib.transformer.space import Form
from record.notebook import COLOURS, markdown_table, use_style
from lib.judging import judge
from chapters.common.enumeration import smallest
from lib.proofs import Counters, proved_equal, regular
from lib.proofs.certificate import certificate, gaps, is_proof

use_style()

# %% [markdown]
r"""
## How much is a million strings worth?

In [chapter 8](08_formulas_to_transformers) a *compiler* turned a formula into a transformer that agrees with the formula at every length. But does the formula say what we mean? There we only tried strings.

Such a formula holds or does not hold at each position of a string, and its value at the last symbol is its answer for the string. For example, `Q("(")` holds at an opening bracket. If φ is any formula, `count(φ)` is the number of positions so far at which φ holds, and `once(φ)`, `always(φ)` and `never(φ)` say that φ held at some, all or none of them. On the empty string each count is 0 and no `Q` holds.

A string of brackets is well nested if every closing bracket has its opening bracket before it, and every opening bracket is closed. In `(())` the brackets are two deep. The following formula says *well nested, and at most $k$ deep*, for any $k$:
"""

# %%
def nested(k):
    """Well nested, and never more than k brackets open."""
    return (
        'count(Q("(")) == count(Q(")"))'
        ' and never(count(Q(")")) > count(Q("(")))'
        f' and never(count(Q("(")) > count(Q(")")) + {k})'
    )


# %% [markdown]
r"""
Suppose that we meant 11 deep and wrote 12. The two formulas differ only on well-nested strings that are 12 deep, and such a string needs twelve brackets of each kind. The two therefore agree on every string of fewer than 24 symbols. There are more than sixteen million of these strings, and all of them say that we wrote what we meant.

Trying strings can show that a formula is wrong, but never that it is right. For that, a program needs a second description to compare it with, written in another way: a **specification**.

### A second way to say it

Our first specifications are **regular expressions**, patterns that a string fits or does not fit. In the pattern `0*10*10*`, the sign `*` means *any number of times, perhaps none*. So the strings that fit are those with exactly two 1s. With `|` for *or*, `(ab|b)*` is a row of pieces, each of which is `ab` or `b`.

## A search that closes

Suppose that you read a string from left to right, and after every symbol you must say whether `count(Q("1")) == 2` holds. What do you have to remember? The number of 1s is enough. Beyond two, *too many* is enough, because no later symbol takes a 1 away. So the formula needs four *memories*: none, one, two, and too many, which we write as 3+.

Someone else follows along in the pattern `0*10*10*` with a finger. At first the finger is in the first run of 0s (A), later after the first 1 (B), then after the second (C). If a third 1 comes, the string no longer fits, whatever follows; we call that D. (Some patterns need several fingers, so the program first turns a pattern into an automaton, which needs one.)

Let both read 01101:

| symbol read |  | 0 | 1 | 1 | 0 | 1 |
|---|---|---|---|---|---|---|
| number of 1s | 0 | 0 | 1 | 2 | 2 | 3+ |
| finger | A | A | B | C | C | D |
| the formula holds? | no | no | no | **yes** | **yes** | no |
| the string fits? | no | no | no | **yes** | **yes** | no |

Each column is a **pair**: what the formula remembers, and where the finger is. Both answers depend on the pair alone, and the next pair depends only on the pair and the next symbol. So instead of strings we follow pairs, one symbol further at a time, beginning with the pair of the empty string, (0, A). A 0 leads from each pair back to the same pair. A 1 leads from (0, A) to a new pair, (1, B), from there to (2, C), and from there to (3+, D). From (3+, D) a 1 leads back to (3+, D), so no pair is left to follow: the search is *closed*. Every string, however long, leads to one of these four pairs. In each of the four the two answers agree, so they agree on every string.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Above, the search closes; below, it finds a pair in which the two differ.* A circle is a pair: the number of 1s, and where the finger is in the expression that is written above the row. In a full circle both say yes, in an empty one both say no. In the lower row, whose expression lacks the last run of 0s, the string 110 leads to the red pair. There the formula says yes, the expression says no, and the search stops.", "name": "fig-search"}, "image": {"alt": "Two rows of four circles with arrows from each to the next. In the upper row they are named 0 A, 1 B, 2 C and 3+ D, and each has an arrow back to itself. In the lower row the last circle is red and named 2 D, reached from 2 C by the symbol 0.", "classes": "dark-light"}}
rows = {  # pairs, symbols that stay at each, symbols that lead on from each
    "0*10*10*": (("0, A", "1, B", "2, C", "3+, D"), ("0", "0", "0", "0 or 1"), "111"),
    "0*10*1": (("0, A", "1, B", "2, C", "2, D"), ("0", "0", "", ""), "110"),
}
_, axes = plt.subplots(2, 1, figsize=(6.4, 3.3))
words, arrow = {"ha": "center", "fontsize": 10}, {"arrowstyle": "->", "color": "#777777"}
for axis, (expression, (pairs, stay, lead)) in zip(axes, rows.items()):
    for k, (pair, symbols) in enumerate(zip(pairs, stay)):
        colour = "#B00020" if pair == "2, D" else COLOURS["PARITY"]
        face, ink = (colour, "white") if pair == "2, C" else ("none", colour)
        axis.plot(k, 0, "o", markersize=38, color=colour, markerfacecolor=face, alpha=0.9)
        axis.text(k, 0, pair, va="center", color=ink, **words)
        if symbols:
            bent = arrow | {"connectionstyle": "arc3,rad=-1.5"}
            axis.annotate("", (k + 0.1, 0.33), (k - 0.1, 0.33), arrowprops=bent)
            axis.text(k, 0.66, symbols, color="#777777", **words)
    for k, symbol in enumerate(lead):
        axis.annotate("", (k + 0.76, 0), (k + 0.24, 0), arrowprops=arrow)
        axis.text(k + 0.5, 0.1, symbol, color="#777777", **words)
    axis.set(xlim=(-0.5, 3.5), ylim=(-0.5, 1))
    axis.axis("off")
    axis.set_title(expression, fontsize=10, loc="left", family="monospace")
# %% [markdown]
r"""
Try the demo with an expression of your own, or leave out the last `0*`; it then names 110, a *shortest* string on which the two differ:

<div class="live" data-live="against"><p>The formula count(Q("1")) == 2 and the regular expression 0*10*10* agree at every length: what they remember of a string is one of four pairs. On the book's page, hold a formula of your own against an expression.</p></div><script type="module" src="../_static/live.mjs"></script>

In Python, `proved_equal` does all this (`regular` reads an expression); it calls our pairs *states*. (cvc5 comes in later.) Its third argument is the **alphabet**, the symbols that strings are made of:
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
Assume that two descriptions read strings symbol by symbol, that both answers depend only on the pair of their memories, and that the next pair depends only on the pair and the symbol. If the search from the pair of the empty string ends, and the two answers agree in every pair, then the two descriptions agree on every string. If the search meets a pair in which they differ, then the first such pair is reached by a shortest string on which they differ. *Proved for every length.* [Record](#length-search)
:::

:::{dropdown} Proof
*Closed.* The empty string leads to a pair that was met. If a string leads to a pair that was met, then so does the string with one more symbol, because the search followed every symbol from every pair. By induction every string leads to a pair that was met, and there the answers agree.

*Shortest.* The search meets pairs in the order of the shortest strings that lead to them: by induction, the pairs at distance $l + 1$ are found from those at distance $l$. If the two descriptions differ on a string, they differ in its pair, and the shortest string to that pair is no longer than the string. $\square$
:::

On the formulas for brackets of depth $k$ and $k + 1$ the search ends quickly, because both reject a string for good once it goes deeper than $k + 1$. It names a shortest string on which they differ:
"""

# %%
# try: other depths
for k in (1, 2, 11):
    answer = proved_equal(nested(k), nested(k + 1), "()")
    print(f"{k:2} against {k + 1}: {answer.counterexample}")

# %% [markdown]
r"""
### A word that looks back

*Every 0 is directly followed by a 1* is a statement about neighbours. Formulas have a word for neighbours, which the compiler [knows too](#looking-back): `previous(φ)` holds where φ held one position earlier. At the first symbol and on the empty string it does not hold. With this word we can say that no 0 comes right after a 0, and that the last symbol is not a 0:
"""

# %%
neighbours = 'not Q("0") and never(Q("0") and previous(Q("0")))'
print(proved_equal(neighbours, regular("(1|01)*", "01"), "01"))

# %% [markdown]
r"""
**Predict**: somebody tries to do without `previous` and writes: there are no more 0s than 1s, and the last symbol is not a 0. How long is the shortest string on which this goes wrong?

<p class="guess" data-right="2">three&nbsp;symbols|four&nbsp;symbols|five&nbsp;symbols</p>
"""

# %% tags=["hide-output"]
# try: a better formula without previous
hasty = 'count(Q("0")) <= count(Q("1")) and not Q("0")'
print(proved_equal(hasty, regular("(1|01)*", "01"), "01"))

# %% [markdown]
r"""
## Numbers without end

Now let brackets be well nested to *any* depth. After `(`, `((`, `(((` and so on, one, two, three brackets are open. Each of these strings needs a different ending, so each leads to a new pair, and no search closes.

There is another way to prove that two descriptions agree. We learn it on a smaller language, where a search would do as well. Take `(ab)*`: the empty string, `ab`, `abab` and so on. The formula says that at every position the a's are ahead by 0 or by 1, and that at the end there are as many a's as b's:
"""

# %%
alternating = (
    'count(Q("a")) == count(Q("b"))'
    ' and always(0 <= count(Q("a")) - count(Q("b")) <= 1)'
)

# %% [markdown]
r"""
Let $t$ be the number of a's minus the number of b's. As soon as $t$ is neither 0 nor 1, we call the string *broken*: from there on `always(...)` is false, whatever follows. But $t$ itself may go on growing without end.

Sort the strings by where the finger is in `(ab)*`: at the beginning of a piece (A), after an `a` (B), or nowhere, because the string no longer fits (C). For each of these places we *claim* something that holds whenever the finger is there:

| finger | claim |
|---|---|
| A | not broken, and $t = 0$ |
| B | not broken, and $t = 1$ |
| C | broken; $t$ may be anything |

Each line is a **room**. Its *control* says where the finger is and whether the string is broken: everything that takes only finitely many values. For the numbers, which have no end, the room gives inequalities, such as $t \ge 0$ and $t \le 0$, or none at all. Room A therefore allows a single *case*, $t = 0$, and room C allows one case for every whole number.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A string goes back and forth between rooms A and B; once broken, it stays in C, whatever t does.* The number $t$ along abababab, abaaaabb and abbaabab, in orange once the string is broken. Shaded: what the rooms allow. The last string comes back to $t = 0$ and is rejected nevertheless.", "name": "fig-rooms"}, "image": {"alt": "Three line charts of t against the position, with shaded bands at 0, labelled A, and at 1, labelled B. In the first, t goes up and down between them; in the second it climbs to 4, in the third it falls to minus 1. From there on the line is orange, and the whole height is shaded and labelled C.", "classes": "dark-light"}}
_, axes = plt.subplots(1, 3, figsize=(7.2, 2.6), sharey=True)
inside, outside = COLOURS["ONE"], COLOURS["FIRST"]
for axis, w in zip(axes, ("abababab", "abaaaabb", "abbaabab")):
    t = [w[:i].count("a") - w[:i].count("b") for i in range(len(w) + 1)]
    broken = next((i for i, x in enumerate(t) if not 0 <= x <= 1), len(t))
    for room, name in enumerate("AB"):
        band = [-0.5, broken - 0.5], room - 0.3, room + 0.3
        axis.fill_between(*band, color=inside, alpha=0.18, linewidth=0)
        axis.text(-0.9, room, name, color=inside, ha="center", va="center", fontsize=9)
    axis.plot(t[: broken + 1], "o-", color=inside)
    if broken < len(t):
        axis.plot(range(broken, len(t)), t[broken:], "o-", color=outside)
        axis.axvspan(broken - 0.5, len(w) + 0.5, color=outside, alpha=0.12, linewidth=0)
        axis.text(broken, 4.6, "C: broken", color=outside, fontsize=9)
    axis.set(xlabel="symbol", xlim=(-1.3, 8.5), ylim=(-1.5, 5.2), yticks=range(-1, 5))
    axis.set_xticks(range(len(t)), ["", *w], fontsize=9)
axes[0].set_ylabel("$t$, a's minus b's");
# %% [markdown]
r"""
Before the first symbol we are in room A, with $t = 0$. Now read each symbol in each room:

- In A, `a` makes $t = 1$, and the finger goes to B.
- In A, `b` makes $t = -1$, which breaks the string, and we are in C.
- In B, `b` makes $t = 0$, and we are in A.
- In B, `a` makes $t = 2$, which breaks the string, and we are in C.
- In C, after `a` or `b`, the finger stays in C, and what is broken stays broken.

In A the formula holds and the string fits. In B neither is true: $t$ is 1, and a piece is not finished. In C neither is true either.

Such a set of rooms is called an **inductive invariant**: every string begins in a room, and every symbol leads from every allowed case into a room.

:::{admonition} Rooms that are never left
:class: result
Assume that each room fixes a control and gives inequalities for the numbers that are counted, that the empty string lies in a room, and that from every case that a room allows, every symbol leads into a room. If the two answers agree in every such case, then the two descriptions agree on every string. *Proved for every length.* [Record](#length-rooms)
:::

:::{dropdown} Proof
The empty string lies in a room, and if a string lies in a room, so does the string with one more symbol. By induction every string lies in a room, and there the two answers agree. $\square$
:::

A search that closes is a proof of this kind too: each pair that it met is a room without numbers.

### How a machine finds the rooms

1. *Guess.* The program reads some strings, most of them short. For each control it notes the least and the largest value of each number, and of the numbers' sums and differences.
2. *Ask.* The program asks a **solver**, a program that decides linear questions about whole numbers: is there a case within these bounds from which some symbol leads out of all rooms?
3. *Weaken.* If there is such a case, the program drops or moves the bound that failed, and asks again. If there is none, the rooms are never left.

If the program has to drop too many bounds, the answers may differ in some case that a room allows. Then nothing is proved.

For the well-nested strings of any depth, the specification is a machine with a counter, *depth* (in Python, `Counters`), which goes up at `(` and down at `)`. At a `)` that would bring the counter below 0 the machine dies, and it rejects whatever follows. While it is alive, it accepts when the counter is 0. The table below shows the rooms, with only those bounds that the proof needs:
"""

# %%
well_nested = 'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))'
depth = Counters(
    {("alive", "("): ("alive", {"depth": 1}), ("alive", ")"): ("alive", {"depth": -1})},
    start="alive",
    finals=["alive"],
    alphabet="()",
)
answer = proved_equal(well_nested, depth, "()")
print(answer)

# %% tags=["hide-input"]
written = certificate(answer)
for room in written["rooms"]:
    for bound in list(room["bounds"]):  # the proof keeps what it needs
        room["bounds"].remove(bound)
        if not is_proof(written):
            room["bounds"].append(bound)
names = {"count(Q('('))": "opened", "count(Q(')'))": "closed", "depth": "depth"}
rows = []
for room, state in zip(written["rooms"], ("alive", "dead")):
    more_closed, _ = (part["value"] for part in room["knows"])
    said = {Form(tuple((names[name], Fraction(c)) for name, c in sorted(form.items()))): bound
            for form, bound in room["bounds"]}
    bounds = []
    for form, bound in said.items():
        if said.get(-form) != -bound:
            bounds.append(f"{form} ≥ {bound}")
        elif form.terms[0][1] > 0:  # two that make an equality
            bounds.append(f"{form} = {bound}")
    rows.append((("no", "yes")[more_closed], state, ", ".join(bounds) or "nothing"))
markdown_table(("ever more closed?", "machine", "what holds of the numbers"), rows)

# %% [markdown]
r"""
(The program calls the inequalities *linear invariants*.) In the first room (*no*, *alive*), the difference of the two counts equals the machine's depth. Hence both say yes at depth 0, and no at any other depth. In the second room (*yes*, *dead*) both say no, whatever the numbers are.

## A second solver does not take the first's word

The solver, z3, is a large program, and so is what we built around it. Either may be wrong, and ours once was: it claimed that [no string satisfies a formula](#own-false-proof) that in fact `aaaaaaaaabbb` satisfies. But rooms are easier to check than to find. Our program writes them down as a **certificate**: the formula as text, the specification as a table, and each room with its bounds. A short program then works out anew what each symbol changes, and has to settle the three conditions of the last box. What a room's numbers do not settle by themselves, it asks *another* solver, cvc5. `proved_equal` calls a formula *proved* only if this program accepts its certificate; it then says *checked by cvc5*. If the program refuses the certificate, the answer is *unknown*. If cvc5 is not installed, gives up or is not asked, the answer is *found, not checked*.

Some things are still taken on trust. The check does not show that our parser reads the formula correctly, or that the table says what the regular expression says. And the demo above runs in your browser, where there is no second solver.

`gaps` lists what a certificate leaves unproved. From the certificate of the brackets, `written`, we remove one bound, *depth ≥ 0*, which is written `[{'depth': 1}, 0]`:
"""

# %%
print("as it was found:", list(gaps(written)))
room = written["rooms"][0]
lost = room["bounds"].pop()
print("without", lost, list(gaps(written)))
room["bounds"].append(lost)

# %% [markdown]
r"""
Without *depth ≥ 0*, the first room (room 0) also allows a case that no string reaches: the depth is $-2$, so two more brackets were closed than opened, and yet *ever more closed?* says *no*. From this case, `(` leads to depth $-1$. One more bracket is still closed than opened, so the formula now remembers *yes*; the machine, which dies only at a `)`, is alive. No room combines *yes* with *alive*, and cvc5 objects.

What does this say about a *network*? The proof that a compiled network is right at every length now rests on

- the theorem of chapter 8: the network does what its formula says;
- the rooms, in the next cell the pairs of a search that closes;
- the check, which accepted them.

In addition, `judge` runs the network on all strings up to a length, exactly or with a bound on each rounding error.
"""

# %%
# try: another length
machine = compiled(alternating, "ab", "softmax")
print(str(judge(machine, "(ab)*", longest=8)).replace("; ", ";\n"))

# %% [markdown]
r"""
## The smallest formula

Every count, every `position` and every `previous` costs a network *heads*, the parts that fetch numbers from other positions. So small formulas are worth having, and a program can look for them. The *size* of a formula is the number of its parts: each `Q`, number, `+`, comparison, `and`, `or`, `not`, `count`, `once`, `never`, `always` and `position` (the number of symbols so far) is one part.

The program builds formulas in order of size, with the numbers 1 and 2. It returns the smallest formula that it *found*, and tries to prove it right at every length. It does not prove that no smaller formula exists ([record](#length-smallest)). For a regular expression, [a note](note_any_formula) shows how to decide whether counting is enough at all.

The book's formula for *the first symbol is a 1*, `once(Q("1") and position == 1)`, has six parts. The search finds one with three, `once(never(Q("0")))`. It prints `once` as a count of at least 1 and `never` as a count of 0, though each counts as one part:
"""

# %%
# try: regular("0*10*", "01"), or examples: {"01": True, "10": False}
print(smallest(regular("1(0|1)*", "01"), "01"))

# %% [markdown]
r"""
If there was no 0 up to some position, then the first symbol is a 1. Conversely, if the first symbol is a 1, there is no 0 up to position 1. The shorter formula also gives a smaller network (its *coefficients* are the nonzero numbers in its matrices):
"""

# %%
for text in ('once(Q("1") and position == 1)', 'once(never(Q("0")))'):
    found = compiled(text, "01", "softmax").construction.size
    print(f"{text:33} {found['heads']} heads, {found['coefficients']} coefficients")

# %% [markdown]
r"""
## Where every prover must fail

Here is a formula that no string satisfies, although the program does not find this out. It describes strings in which blocks of a's and of b's alternate, and every block raises the number of its letter to about twice the number of the other letter. Such a string begins `a bb aaaa …`, and has 1, 5, 21, 85 a's after its first four blocks of a's. If it ended with the next b, the formula would ask for 6, 9, 12 or 15 a's, three more for each block. The string has too few a's after its first two blocks and too many ever after, so the numbers never meet ([proof](#length-undecided)):
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The numbers never meet, but their mean does.* For each block of a's: how many a's the string has by then (dots), and how many the formula asks for (line). Every room that contains these dots contains the shaded triangle too.", "name": "fig-doubling"}, "image": {"alt": "Three dots at 1, 5 and 21 above the blocks 1, 2 and 3, joined to a shaded triangle. A line from 6 over 9 to 12 passes between the first two and the third. A cross marks the point at block 2 and 9, on the line and inside the triangle.", "classes": "dark-light"}}
_, axis = plt.subplots(figsize=(5.2, 2.8))
blocks, so_far, asked = (1, 2, 3), (1, 5, 21), (6, 9, 12)
axis.fill(blocks, so_far, color=COLOURS["PARITY"], alpha=0.15)
axis.plot(blocks, so_far, "o", color=COLOURS["PARITY"], label="a's so far")
axis.plot(blocks, asked, color=COLOURS["FIRST"], label="a's that are asked for")
axis.plot(np.mean(blocks), np.mean(so_far), "x", color="#B00020", label="mean of the dots")
axis.set(xlabel="block of a's", xticks=blocks, ylabel="a's")
axis.legend();

# %%
doubling = (  # each block of one letter brings its number to twice that of the other, and a few
    'Q("b") and previous(Q("a"))'
    ' and always(not (Q("b") and previous(Q("a"))) or count(Q("a")) == 2*count(Q("b")) - 1)'
    ' and always(not (Q("a") and previous(Q("b"))) or count(Q("b")) == 2*count(Q("a")) - 2)'
    ' and count(Q("a")) == 3*count(Q("b") and previous(Q("a"))) + 3'
)
print(proved_equal(doubling, "False", "ab"))

# %% [markdown]
r"""
The answer is *unknown*. No string up to the printed length satisfies the formula, but a search does not close, because the numbers grow without end. Rooms do not help either, as long as all blocks share one room. The reason is that a room is convex: if its bounds allow some cases, they also allow their mean. The mean of the first three dots is block $(1 + 2 + 3)/3 = 2$ with $(1 + 5 + 21)/3 = 9$ a's. There the formula would say yes, and `False` says no.

Two rooms would be enough, one for the first two blocks and one for all later blocks, but the program does not find them. We could teach it this trick, but not everything, because a formula can check a whole computation. Take a program with two counters, which it can raise by one, lower by one, and compare with 0. Let each symbol stand for one step of the program, so that a run of the program is a string. Whether each step may follow the one before is a matter of neighbours, and the value of a counter is a difference of two counts. So a formula can say *this string is a run of the program that comes to its end*. And two counters are enough to imitate any program, so no program can tell of every program with two counters whether it ends {cite}`minsky1961`.

:::{admonition} No program decides them all
:class: result
There is no program that decides, for every formula with counts, comparisons and `previous`, whether some string satisfies it. So no program decides, for every two formulas, whether they agree at every length, even if one of them is `False`, which never holds. *Proved.* [Record](#length-undecided)
:::

:::{dropdown} Proof
Minsky {cite}`minsky1961` shows that no program decides whether a *two-counter machine*, started with both counters at 0, ever halts. Such a machine has finitely many states. In each state it either adds 1 to a counter and goes to a next state, or it tests whether a counter is 0: if so, it goes to one state; if not, it subtracts 1 and goes to another.

We may assume that the machine does not start in its halting state. Take a symbol for each possible step: from which state, what it does (*up*, *down* or *zero*, with which counter), and to which state. Write $F_q$, $T_q$ for "a step from $q$" and "a step to $q$", each an `or` of `Q`s, and $U_c$, $D_c$, $Z_c$ for the steps up, down and zero of counter $c$. The formula is the `and` of the following, for all states $q$ and both counters $c$:

- `always(position >= 2 or` $F_{\text{start}}$`)`: the first step is from the start;
- `never(position >= 2 and` $F_q$ `and not previous(`$T_q$`))`: each step begins where the last one ended;
- `always(count(`$U_c$`) >= count(`$D_c$`))`: nothing is subtracted from a counter that is 0;
- `never(`$Z_c$ `and not count(`$U_c$`) == count(`$D_c$`))`: a step that claims that the counter is 0 is right;
- $T_{\text{halt}}$: the last step leads to the end.

A string satisfies the formula if and only if the string is the machine's run from the start to the end, and there is such a string if and only if the machine halts. A program can write down the formula, given the machine. So a program that decides whether some string satisfies a formula would decide whether a machine halts. For two formulas, take this one and `False`. $\square$
:::

So no program can compute, from a formula and its specification, a length up to which trying all strings is enough: that would decide every formula.

## What to take away

- Say what you want in two different ways, and have the two compared.
- Do not trust a test up to some length. Formulas that first differ at 24 symbols are easy to write, and of six programs that others published [three are wrong](note_published_programs).
- Keep the proof, not the prover's word.
- It is unknown for which of the formulas that people write the program finds a proof. For some *trained* networks, [chapter 13](13_how_long) proves what they do at every length, without a formula for the network.

## Exercises

**1 (compute).** The formula *well nested, at most 20 deep* and the one with 21 agree on all short strings. How many symbols does the shortest string on which they differ have?
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
Proved. If the descriptions differ at all, they differ in one of the $p$ pairs. A shortest string to that pair passes through no pair twice, because otherwise one could cut out the part in between. So the string passes through at most $p$ pairs, the first of which belongs to the empty string, and it has at most $p - 1$ symbols. This does not contradict the last box: nobody knows $p$ beforehand.
:::
"""

# %% tags=["hide-cell"]
check("11.3", "proved")

# %% [markdown]
r"""
## What next

The [record of this chapter](record_11_every_length) lists eighty statements, what was proved about each and how, and proofs by machine for transformers that no formula made. Chapter 12 judges trained networks, some of which others published.
"""
