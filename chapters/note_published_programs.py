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

*Six small published programs say in a comment, or in their name, what they accept. Three of them are wrong. How long must a string be to show it?*

**In one sentence:** three are proved right at every length; the other three accept strings that they should reject, and the shortest of these have one, eight and ten symbols.

## One of the six

C-RASP is a small language in which programs count: it is what our [formulas](#adapt-formula) look like in other papers. [An interpreter for it](https://github.com/coli-saar/c-rasp) comes with six examples. We thank the authors: what is published can be checked. Take `copy4`. Its comment says that it accepts the words of four symbols over a, b and c, each written twice. The program marks each symbol that equals the symbol four places back, and counts the marks. It accepts a string if twice that number is the number of symbols.

Try it on `aaaaaaaaab`. Each `a` from the fifth to the ninth equals the symbol four places back, and the `b` does not. That makes five marks among ten symbols, so the program accepts.

## The programs

We write each program as one formula. `#[pred] φ` looks one position back: it is 1 where our `previous(φ)` holds. Their positions start at 0 and ours at 1, so their even positions (`pos_even`) are our odd ones (`mod(2, 1)`). In the interpreter's grammar `!` (*not*) takes everything to its right: `!pos_even && A` is *not (pos_even and A)*. A C-RASP program says nothing about the empty string, so we compare nonempty strings.

We also write down, without formulas, what each program should accept: for `copy4` the 81 words of four symbols, each written twice; for `increment` fifteen strings, which hold a number $x$ from 0 to 14 and then $x + 1$, each in four binary digits, the lowest digit first.

(published-programs-verdicts)=
## The verdicts
"""

# %% tags=["hide-input"]
from itertools import product

from lib.proofs import Counters, proved_equal, regular
from record.claims import Claims
from record.notebook import markdown_table


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

# %% tags=["hide-input"]
words = ["".join(word) for word in product("abc", repeat=4)]
digits = [f"{x:04b}"[::-1] for x in range(16)]

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

# %% tags=["hide-input"]
meant = {
    "aa_star_h25": ("ab", regular("aa(aa)*", "ab")),
    "contains_ab_h25": ("ab", regular("(a|b)*ab(a|b)*", "ab")),
    "copy4": ("abc", regular("|".join(word + word for word in words), "abc")),
    "count3_yc24": ("abc", three),
    "dyck1_yc24": ("()", depth),
    "increment": ("01", regular("|".join(x + y for x, y in zip(digits, digits[1:])), "01")),
}

answers = {
    name: proved_equal(f"({programs[name]}) and position >= 1", language, alphabet)
    for name, (alphabet, language) in meant.items()
}

should = ("an even number of a's", "strings with `ab`", "four symbols, twice", "aⁿbⁿcⁿ")
should += ("well-nested brackets", "x and x + 1, reversed binary digits")
markdown_table(
    ("program", "should accept", "verdict", "shortest string", "how"),
    [
        (f"`{name}`", text, answer.kind, f"`{answer.counterexample or '–'}`", answer.how)
        for text, (name, answer) in zip(should, answers.items())
    ],
)

# %% [markdown]
r"""
**Why `aa_star_h25` accepts `b`.** Two conditions are meant: the length is even (counted from 0, the last position is odd), and there are only a's. But the interpreter applies *not* to the conjunction of both, so the program accepts if either fails. The brackets in `(!pos_even) && A` mend it. On strings of a's alone, like its own examples, the error does not show.

**Why `copy4` accepts `aaaaaaaaab`.** If half of *eight* symbols equal the symbol four places back, the second half repeats the first. But nothing says that there are eight.

**Why `increment` accepts `11110000`.** The program adds 1 to the first four digits, with the carry, and compares the result with the last four. The number 1111 is 15, which the comment excludes. Adding 1 gives 10000, whose last carry has no place to go, so the program expects 0000.

All three are right on the strings that come with them, and easy to mend: `copy4` lacks `position == 8`, and `increment` lacks that and a 0 among its first four symbols. Here is the first with its brackets:
"""

# %%
mended = 'not mod(2, 1) and never(not Q("a"))'
print(proved_equal(f"{mended} and position >= 1", meant["aa_star_h25"][1], "ab"))

# %% [markdown]
r"""(published-programs-blocks)=
## Twelve of our own that are proved

In *Knee-Deep in C-RASP*, Yang and others {cite}`yang2025` show that the language $L_k$ of $k$ alternating blocks, such as $a^+ b^+ a^+$ for $k = 3$, needs counts nested about $k$ deep. Our formula for $L_k$ says that a $k$-th block begins, that no further one does, and that no b comes before the first a:
"""

# %%
def blocks(k):
    """k alternating blocks of a's and b's, the first of a's."""
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

# %% tags=["hide-input"]
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

Do our six formulas say what the six programs say? We ran the interpreter once, and it agreed with the formulas on all nonempty strings of up to nine symbols, or of up to seven where there are three letters. The interpreter, too, accepts `b`, `aaaaaaaaab` and `11110000`. This page does not run it again.
"""
