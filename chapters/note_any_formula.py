# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Note: is there a formula at all?

*`(ab|bbaa)*` and `(ab|aabb)*` look like twins. For one of them there is a counting formula. For the other there is none, however long. How can anybody know?*

**In one sentence:** counting can follow an automaton exactly if numbers that are added up symbol by symbol tell its states apart, and whether they do is a question about linear equations.

## The claim

If you look for a formula and find none, you may have looked for too short a time. Yang, Veseli, Barloy, Cadilhac, Krebs, Paperman, Straubing and Hahn {cite}`yang2026decomposition` show how to know: for a regular language, a program can decide whether *any* counting formula exists. They also list 125 languages, with yes or no for each. We read their code and their table, and a summary of the paper by others; we did not read the paper itself. So what follows is our own way to decide, with a proof of our own.

A **counting formula** here is a formula of [chapter 8](08_formulas_to_transformers) without `total`, `previous` and `mod`: symbols, counts, comparisons of counts, *and*, *or* and *not*. (The words `once`, `never` and `always` are comparisons of counts. In other papers such formulas are called C-RASP.)

## Two cases by hand

A string of `(ab|bbaa)*` goes round an automaton with five states. It starts in S and comes back to S after each `ab` and each `bbaa`. We name the other states by what was read since S: `a`, `b`, `bb` and `bba`. (Whatever fits no piece leads to a sixth state, in which the string is lost.)

Let every a add 1 to a number, and every b subtract 1. In S the number is 0. In the other states it is

| state | S | `a` | `b` | `bb` | `bba` |
|---|---|---|---|---|---|
| number | 0 | 1 | −1 | −2 | −1 |

and it is 0 again whenever the string is back in S. So `count(Q("a")) - count(Q("b"))` tells all states apart except `b` and `bba`. In a second round, a formula can count more finely, because it knows the first number: an a that is read at −2 leads to `bba`, an a that is read at −1 leads back to S. Count the first kind and subtract the second. The result is 1 in `bba` and 0 everywhere else. Now all five states are told apart, and a formula that knows the state at every position can say whether the string is back in S and was never lost.

Now take `(ab|aabb)*`. Its states are S, `a`, `aa` and `aab`, and the first number is 0, 1, 2 and 1. This time `a` and `aab` share a number. Can a second round tell them apart? From both of them a b leads back to S. What the first round knows is the same in both, and so is the symbol; whatever number we add up, this b changes it by the same amount. After it the number is the same, since both times the state is S. So before it the number was the same too. No round ever tells the two states apart, although one of them can still be followed by `bb` and the other cannot.

## The decision

Take the least automaton of a regular language. A formula sees the last symbol when it answers, so we treat two states as one if they agree on each continuation of *at least one* symbol. A **component** is a largest set of states each of which can be reached from each other one.

Within a component we go in rounds. Round 0 knows nothing about the states. A *numbering* in round $k + 1$ gives each state of the component a rational number, in such a way that the step, the number after a symbol minus the number before it, depends only on the symbol and on what round $k$ knows about the state before. (Symbols that leave the component do not matter.) Round $k + 1$ then knows the number of a state in every such numbering.

:::{admonition} Numbers must tell the states apart
:class: result
Let L be a regular language. There is a counting formula for L if and only if, in each component, some round tells all states apart. *Proved for every length*, by hand.
:::

Every numbering of one round is also a numbering of the next, so rounds only get finer, and a round that tells no more states apart is the last one. Numberings are the solutions of linear equations, hence all this can be computed.

:::{dropdown} Proof: if two states are never told apart, there is no formula
Let $p$ and $q$ be states of one component C that no round tells apart, and let $u$ be a nonempty string on which just one of them accepts. Let $x$ lead from the start to $p$, and $z$ from $p$ to $q$ within C. Let φ be a counting formula. We find a walk $y$ through C, from $p$ to $p$, such that φ says the same of $x y^m u$ and of $x y^m z u$ for every large $m$. Only one of the two strings belongs to L, so φ is not a formula for L.

*The walk.* A walk from $p$ to $p$ uses each edge of C some number of times. Call the vector $v$ of these numbers its *use*. Conversely, if each edge has a number that is positive and whole, and each state is entered as often as it is left, then some walk from $p$ to $p$ has these numbers as its use (Euler). Let $f$ give each edge a rational number that depends only on its symbol and on what some round $k$ knows about its first state. If the sum of $f$ along each closed walk is 0, then $f$ is the step of a numbering in round $k + 1$. Otherwise $\sum_e v_e f_e = 0$ only for those $v$ that lie in a proper subspace. Finitely many $f$ occur below, so some $y$ has a use outside of all these subspaces.

*By induction on how deep counts are nested in a formula ψ*: let $w$ be a walk in C that begins in $p$ and has at most $|y| + |z|$ symbols, let $a$ be its last symbol, and let $m$ be large. Then whether ψ holds at the end of $x y^m w$ depends only on $a$ and on what round $k$ knows about the state before $a$, where $k$ is the depth of ψ. If $k = 0$, ψ depends on $a$ alone. If $k > 0$, ψ combines statements about $a$ with comparisons of sums of counts, and what these counts count has depth $k - 1$ at most. We write each sum as its value before $a$ and what is added at $a$; the latter is settled by the induction hypothesis. Its value before $a$ is a constant, and from some point on a sum of $f$ over all edges of the walk, for an $f$ as above. If the sum of $f$ over $y$ is not 0, the value grows or falls without bound as $m$ grows, while $w$ changes it by a bounded amount; so for large $m$ the comparison has an answer that does not depend on $w$ or $m$. If the sum of $f$ over $y$ is 0, then by the choice of $y$, $f$ is the step of a numbering $h$ in round $k$, and the value is a constant plus the number $h$ of the state before $a$. This is what round $k$ knows.

*The end.* Compare $x y^m u$ with $x y^m z u$ at corresponding symbols of $u$. We claim that every part of φ has the same value at both, by the same induction. The symbol is the same, and what is counted within $u$ is the same by hypothesis. Before $u$, the two sums differ by what $z$ adds. If the sum of $f$ over $y$ is not 0, the comparison is settled for large $m$. If it is 0, $z$ adds $h(q) - h(p) = 0$. $\square$
:::

:::{dropdown} Proof: if all are told apart, there is a formula
We write a formula for *the state before this symbol is p*, component by component, in an order in which strings pass them. For the first component we know the number of the start. For any other one we know, by induction, a formula for *this symbol leads into the component, to its state c*. Such an entry happens at most once, so its count says whether and where the string has entered.

Let the string be in the component. By induction on the round, there are formulas for *round k knows this of the state before the symbol*. If so, each step of a numbering in round $k + 1$ is told by a formula at each position, and the number of the present state is the number of the state of entry plus, for each size of a step, the size times a count of such steps since the entry. A comparison with a constant then tells what round $k + 1$ knows. The last round tells the state. Hence a formula can tell whether this symbol leaves the component.

If the string has left the component before, these formulas may say anything. But when it leaves for the first time they are still right. So *it has left* is: at least one count of *this symbol leaves*. And *it is in the component* is: it has entered and has not left. $\square$
:::

## The program
"""

# %%
# try: (a|b)*bb(a|b)*, or a*b*, or an expression of your own
from chapters.common.definable import definable
from lib.proofs import proved_equal, regular

for expression in ("(ab|bbaa)*", "(ab|aabb)*"):
    print(expression, definable(regular(expression, "ab"), "ab"), sep=": ")

# %% [markdown]
r"""
The formula that the program writes follows the second proof and is far from short. But it is a formula like any other, and `proved_equal` compares it with the expression at every length:
"""

# %%
twin = regular("(ab|bbaa)*", "ab")
print(proved_equal(definable(twin, "ab").formula, twin, "ab"))

# %% [markdown]
r"""
(any-formula-table)=
## A table of 125 languages

We decide all languages of the authors' table, once as they do, where a formula sees no symbol when it answers but only compares counts, and once as in this book, where it sees the last symbol. Formulas of at most 400 characters are proved to be right:
"""

# %% tags=["hide-input"]
from pathlib import Path

import yaml

from record.claims import Claims
from record.runs import CHAPTERS

table = yaml.safe_load((Path(CHAPTERS) / "any_formula/languages.yaml").read_text())
differing: dict[bool, list[str]] = {True: [], False: []}
proofs = {}
for sees_last in differing:
    for said, expressions in table.items():
        for expression in expressions:
            symbols = "".join(sorted(filter(str.isalnum, set(expression))))
            language = regular(expression, symbols)
            found = definable(language, symbols, sees_last)
            is_new = found.exists != (said == "has")
            if is_new:
                differing[sees_last].append(expression)
            if sees_last and found.formula is not None and len(str(found.formula)) <= 400:
                proofs[expression] = proved_equal(found.formula, language, symbols).kind

print(f"{len(table['has'])} have a formula and {len(table['none'])} have none, says the table.")
print(f"If only counts are seen at the end, we differ on {len(differing[False])} languages.")
print("If the last symbol is seen too, these have a formula as well:", *differing[True])
is_proved = {expression: kind == "proved for every length" for expression, kind in proofs.items()}
print(f"Formulas of at most 400 characters: {len(proofs)}, proved: {sum(is_proved.values())}")

# %% tags=["hide-input"]
claims = Claims("note_any_formula")
both = len(differing[False])
claims.settle("decided", here=both, agrees=both == 0)
claims.settle(
    "sees the last symbol",
    here=len(differing[True]),
    agrees=all(is_proved.get(expression) for expression in differing[True]),
)
wrong = len(proofs) - sum(is_proved.values())
claims.settle("written", here=wrong or "none", agrees=wrong == 0)
claims.table()

# %% [markdown]
r"""
The three languages on which the two views differ show how much the last symbol matters. `(a|b)*b` is the clearest: *the last symbol is a b* is `Q("b")`, but after a long string no comparison of counts sees whether the last symbol was an a or a b.

## What it does not say

- With `previous`, `mod` or `total` more languages have a formula. *Somewhere two b's stand next to each other* has none here, and a short one with `previous`. PARITY has none here, and one with `total`.
- That a formula exists does not mean that training finds it. The authors trained transformers without positions on all 125 languages, and report that those with a formula stayed right at lengths ten times those of the training, and the others did not. We did not repeat this.
- The formula that is written is not the shortest one. The search for a small formula in [chapter 11](11_every_length) now asks first whether there is any.
"""
