# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Note: programs that others published

*Six small programs come with comments that say what they accept, and with strings on which they were tried. Three of the six are wrong. How long must a string be before it shows?*

**In one sentence:** we compare six published programs with their own comments; three are proved right at every length, and three accept strings that they should reject, the shortest of one, eight and ten symbols.

## The programs

C-RASP is a small language in which programs count: it is what our [formulas](#adapt-formula) look like in other papers. [An interpreter for it](https://github.com/coli-saar/c-rasp) comes with six example programs, `aa_star_h25`, `contains_ab_h25`, `copy4`, `count3_yc24`, `dyck1_yc24` and `increment`. Some are taken from papers, as their names say. We thank the authors for publishing them: what is published can be checked.

A program has lines, each with a name for a number or a condition, and the last line is the answer. Here are a formula for *contains ab* and what we write for it in C-RASP:
"""

# %%
from chapters.common.crasp import as_program
from lib.formulas import formula

print(as_program(formula('count(Q("b") and previous(Q("a"))) >= 1', "ab")))

# %% [markdown]
r"""
At each position, `C2` is the number of b's so far that come right after an a. Their `#φ` is our `count(φ)`. Their `#[pred] φ` looks at the previous position only: it is 1 where our `previous(φ)` holds. `#[pred4]` looks four positions back. They number positions from 0 and we from 1, so their even positions (`pos_even`) are our odd ones (`mod(2, 1)`). In the interpreter's grammar the sign `!` (*not*) takes everything to its right: `!pos_even && A` is *not (pos_even and A)*. A C-RASP program answers at the last symbol. It says nothing about the empty string, so we compare nonempty strings.

Each of the six programs becomes one formula:
"""

# %%
def back(steps, φ):
    """φ held so many positions earlier."""
    return φ if steps == 0 else f"previous({back(steps - 1, φ)})"


matches = " + ".join(f'count(Q("{a}") and {back(4, f"""Q("{a}")""")})' for a in "abc")
carry = 'count(Q("1")) - (1 if Q("1") else 0) == position - 1'  # all before this symbol are 1s
sum_is_1 = f'(({carry} or Q("1")) and not ({carry} and Q("1")))'
right_1s = f'count(Q("1") and {back(4, sum_is_1)})'
right_0s = f'count(Q("0") and {back(4, f"position >= 1 and not {sum_is_1}")})'

programs = {
    "aa_star_h25": 'not (mod(2, 1) and never(not Q("a")))',
    "contains_ab_h25": 'once(Q("b") and previous(Q("a")))',
    "copy4": f"2 * ({matches}) == position",
    "count3_yc24": (
        'count(Q("b") and never(Q("c"))) == count(Q("b"))'
        ' and count(Q("a") and never(Q("b") or Q("c"))) == count(Q("a"))'
        ' and count(Q("a")) == count(Q("b")) and count(Q("b")) == count(Q("c"))'
    ),
    "dyck1_yc24": 'never(count(Q("(")) < count(Q(")"))) and count(Q("(")) == count(Q(")"))',
    "increment": f"2 * ({right_1s} + {right_0s}) == position",
}

# %% [markdown]
r"""
## The specifications

Each comment is now written down a second time, without formulas. For `copy4` that is *a string of exactly four symbols, twice*, over a, b and c: the 81 words of four symbols, each written twice. For `increment` it is a number $x$ from 0 to 14 and then $x + 1$, each in four binary digits, the lowest digit first: fifteen strings. The others are an even number of a's, strings with `ab`, $a^n b^n c^n$ and well-nested brackets.
"""

# %%
from itertools import product

from lib.proofs import Counters, proved_equal, regular

words = ["".join(word) for word in product("abc", repeat=4)]
digits = [f"{x:04b}"[::-1] for x in range(16)]

# %%
three = Counters(  # each a asks for a b later, and each b for a c
    {
        ("a", "a"): ("a", {"b": 1}),
        ("a", "b"): ("b", {"b": -1, "c": 1}),
        ("b", "b"): ("b", {"b": -1, "c": 1}),
        ("b", "c"): ("c", {"c": -1}),
        ("c", "c"): ("c", {"c": -1}),
    },
    start="a",
    finals=["c"],
    alphabet="abc",
)
depth = Counters(
    {
        ("new", "("): ("alive", {"depth": 1}),
        ("alive", "("): ("alive", {"depth": 1}),
        ("alive", ")"): ("alive", {"depth": -1}),
    },
    start="new",
    finals=["alive"],
    alphabet="()",
)

# %%
meant = {
    "aa_star_h25": ("ab", regular("aa(aa)*", "ab")),
    "contains_ab_h25": ("ab", regular("(a|b)*ab(a|b)*", "ab")),
    "copy4": ("abc", regular("|".join(word + word for word in words), "abc")),
    "count3_yc24": ("abc", three),
    "dyck1_yc24": ("()", depth),
    "increment": ("01", regular("|".join(x + y for x, y in zip(digits, digits[1:])), "01")),
}

# %% [markdown]
r"""
(published-programs-verdicts)=
## The verdicts
"""

# %%
answers = {
    name: proved_equal(f"({programs[name]}) and position >= 1", language, alphabet)
    for name, (alphabet, language) in meant.items()
}
for name, answer in answers.items():
    print(f"{name:16}{answer}")

# %% [markdown]
r"""
**Why `aa_star_h25` accepts `b`.** Two conditions are meant: the length is even (counted from 0, the last position is odd), and there are only a's. But the interpreter applies *not* to both together, so the program accepts if either fails. The brackets in `(!pos_even) && A` mend it. On strings of a's alone, like its own examples, nothing shows.

**Why `copy4` accepts `aaaaaaaaab`.** The program counts the symbols that equal the symbol four places earlier, and asks whether twice their number is the number of all symbols. In a string of eight symbols, this says that the second half repeats the first. But nothing says that there are eight symbols. In `aaaaaaaaab` there are ten, and half of them, the a's from the fifth to the ninth, equal the symbol four places earlier.

**Why `increment` accepts `11110000`.** The program adds 1 to the first four digits, with the carry, and compares the result with the last four. The number 1111 is 15, which the comment excludes. Adding 1 gives 10000, whose last carry has no place to go, so the program expects 0000. It never asks about a lost carry.

All three are right on the strings that come with them, and all are easy to mend: `copy4` lacks `position == 8`, and `increment` lacks that and a 0 among its first four symbols. Here is the first with its brackets:
"""

# %%
mended = 'not mod(2, 1) and never(not Q("a"))'
print(proved_equal(f"{mended} and position >= 1", meant["aa_star_h25"][1], "ab"))

# %% [markdown]
r"""

(published-programs-blocks)=
## Twelve that are right

In *Knee-Deep in C-RASP*, Yang and others {cite}`yang2025` show that the language $L_k$ of $k$ alternating blocks, such as $a^+ b^+ a^+$ for $k = 3$, needs counts nested about $k$ deep. Our formula for $L_k$ says that a $k$-th block begins, that no further one does, and that no b comes before the first a:
"""

# %%
def blocks(k):
    """Blocks of a's and b's by turns, k of them, the first of a's."""
    begun = 'Q("a")'
    for block in range(1, k):
        begun = f'Q("{"ab"[block % 2]}") and once({begun})'
    further = f'Q("{"ab"[k % 2]}") and once({begun})'
    return f'once({begun}) and never({further}) and never(Q("b") and never(Q("a")))'


chains = {
    k: proved_equal(blocks(k), regular("".join("ab"[j % 2] + "+" for j in range(k)), "ab"), "ab")
    for k in range(1, 13)
}
print(blocks(3))
print("proved:", [k for k, answer in chains.items() if answer.kind == "proved for every length"])

# %% tags=["hide-input", "hide-output"]
from record.claims import Claims

claims = Claims("note_published_programs")
proved = [name for name, answer in answers.items() if answer.kind == "proved for every length"]
wrong = [name for name, answer in answers.items() if answer.counterexample]
claims.settle("right", here=len(proved), agrees={*proved, *wrong} == {*meant})
accepted = {"aa_star_h25": "b", "copy4": "aaaaaaaaab", "increment": "11110000"}
for name, w in accepted.items():
    claims.settle(name, here=answers[name].counterexample, agrees=answers[name].counterexample == w)
all_proved = [answer.kind for answer in chains.values()] == ["proved for every length"] * 12
claims.settle("blocks", here=len(chains), agrees=all_proved)
claims.table()

# %% [markdown]
r"""
## What this shows, and what it does not

The strings that come with a program are often chosen by its author, with the same picture in mind. A second description, written in another way, finds the strings that nobody thought of: here one with another symbol, one of another length, and one number too many.

Do our six formulas say what the six programs say? We ran the interpreter once, and it agreed with the formulas on all nonempty strings of up to nine symbols, or of up to seven where there are three letters. It also accepts `b`, `aaaaaaaaab` and `11110000`. This page does not run it again.
"""
