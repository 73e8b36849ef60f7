# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Note: counts that multiply

*Are there more than √2 times as many 1s as 0s? All numbers in our transformer are fractions, and √2 is not one. Can it tell?*

**In one sentence:** yes, with two layers of attention that weighs all tokens alike: the first finds which share of the tokens are 1s and which are 0s, the second squares the two shares, and the output compares the squares.

## The claim

Sälzer, Köcher, Kozachinskiy, Zetzsche and Lin {cite}`saelzer2026` ask which *counting properties* transformers express. A counting property depends on how often each symbol occurs, and on nothing else. Earlier work had linear ones, such as *more 1s than 0s*. They state that transformers without positions and without masks express every Boolean combination of polynomial inequalities, of any degree, between the numbers of symbols. We read the abstract, and two summaries by others, which say that it is enough if attention weighs all tokens alike, and that frequencies are computed first.

We build a transformer for one such property, which no Boolean combination of linear inequalities with rational coefficients expresses.

## A case by hand

For x 1s and y 0s, *more than √2 times as many* means $x > \sqrt 2\, y$. We square both sides, and √2 is gone: $x^2 > 2 y^2$. For seven 1s and five 0s we ask whether $49 > 50$: no. For seventeen and twelve we ask whether $289 > 288$: yes.

(products-of-counts-fractions)=
### Does a fraction do as well?

We might compare $5x$ with $7y$, because $7/5$ is close to $\sqrt 2$. For twenty-four 1s and seventeen 0s this says yes, because $120 > 119$. But the right answer is no, because $24^2 = 576$ is less than $2 \cdot 17^2 = 578$. Better fractions fail, too:
"""

# %%
# try: 1393/985, the next fraction in this row
from fractions import Fraction


def is_more(x, y):
    """Whether x is more than √2 times y."""
    return x * x > 2 * y * y


def first_error(slope):
    """Numbers of 1s and 0s, with as few 0s as possible, on which x > slope y is wrong."""
    for y in range(1, 10_000):
        for x in (int(slope * y), int(slope * y) + 1):
            if (x > slope * y) != is_more(x, y):
                return x, y


fractions = [Fraction(text) for text in ("7/5", "17/12", "41/29", "99/70", "239/169", "577/408")]
errors = {slope: first_error(slope) for slope in fractions}
for slope, error in errors.items():
    print(f"x > {slope} y errs at (1s, 0s) =", error)

# %% [markdown]
r"""
:::{dropdown} Proof that no Boolean combination of linear inequalities with rational coefficients will do
Let $a x + b y + c > 0$ be one of the inequalities, with rational $a$ and $b$ that are not both 0. (If both are 0, the inequality has the same answer everywhere.) Walk along the ray $(x, y) = t (\sqrt 2, 1)$. There $a x + b y = t (a \sqrt 2 + b)$, and $a \sqrt 2 + b$ is not 0, because $\sqrt 2$ is not a fraction. At points within distance 2 of the ray, the left side differs from $t (a \sqrt 2 + b) + c$ by no more than a constant, while the size of $t (a \sqrt 2 + b)$ grows with $t$. So from some $t$ on, the inequality is true at all points within distance 2 of the ray, or false at all of them. A Boolean combination has finitely many inequalities. Far enough out, therefore, it has a single answer near the ray. But arbitrarily far out there are points with whole coordinates within distance 2 on both sides of the ray, and on the two sides the question has opposite answers. $\square$
:::

## The idea

A head that weighs all tokens alike returns a mean. Let $[1]$ be 1 at a 1 and 0 elsewhere. Over n tokens, CLS among them, the mean of $[1]$ is $p = x/n$, and every token receives it.

How do we get the square of $p$? By a second mean, with a trick: let the 1s hold $p$ and the other tokens 0. Then the mean is $x \cdot p / n = p^2$. One hidden unit is enough for this: $\max(0, p - 1 + [1])$ is $p$ at a 1 and 0 elsewhere, because $p \le 1$. In the code, $1 - [1]$ is `zero + cls`.

On 011 there are four tokens, and $p = \tfrac24$. The two 1s hold $\tfrac12$, and the mean is $\tfrac14 (\tfrac12 + \tfrac12) = \tfrac14$, the square of $\tfrac12$. The 0s do the same with $q = y/n$. On 011, $q = \tfrac14$, and its square is $\tfrac1{16}$. The output is $\tfrac14 - \tfrac2{16} = \tfrac18$: accepted, because $2^2 > 2 \cdot 1^2$. Both squares are divided by the same $n^2$, so $p^2 - 2 q^2$ is positive exactly if $x^2 > 2 y^2$. The network accepts if its output at CLS is positive.

## The construction
"""

# %%
from lib.transformer import FFN, Construction, Head, Layer, Space

S = Space("0", "1", "CLS", "p", "q", "p at 1s", "q at 0s", "p²", "q²")
zero, one, cls, p, q, p_at_1s, q_at_0s, pp, qq = S

shares = Head({"p": one, "q": zero})
hold = FFN([p - zero - cls, q - one - cls], {"p at 1s": [1, 0], "q at 0s": [0, 1]})
squares = Head({"p²": p_at_1s, "q²": q_at_0s})
construction = Construction(
    S,
    word={"0": zero, "1": one, "CLS": cls},
    position={},
    layers=[Layer(shares, hold), Layer(squares)],
    output=pp - 2 * qq,
    name="x² > 2y²",
)
print(construction.size)

# %% [markdown]
r"""
(products-of-counts-verdict)=
## The verdict

:::{admonition} A square is compared
:class: result
With softmax, or with hard attention that averages ties, the network accepts a string of x 1s and y 0s if and only if $x^2 > 2 y^2$. *Proved for every length*, by hand, and for softmax by machine too.
:::

The proof by hand is the calculation above: heads without a query give every token the same weight under both kinds of attention, and at CLS the output is $(x^2 - 2y^2)/n^2$.

The machine runs the network on a string of which it knows only that it has x 1s and y 0s. It treats the x 1s as one token that is counted x times, and the 0s likewise, and it splits cases by whether each hidden unit is positive or 0. In each case, every coordinate is a quotient of polynomials in x and y. The machine then asks the solver z3 whether the network can accept where the condition is false, or reject where it is true.
"""

# %%
from lib.judging import judge
from lib.proofs.rational import variable

x, y = variable("#1"), variable("#0")


def judged(construction):
    return judge(construction, x * x - 2 * y * y)


verdict = judged(construction)
print(verdict)

# %% [markdown]
r"""
As a cross-check we ask something false: does the network decide $5x > 7y$? The machine says no, and gives a string with these numbers of 1s and 0s:
"""

# %%
refuted = judge(construction, 5 * x - 7 * y, longest=8)
w = refuted.counterexample
print(refuted.kind, w.count("1"), w.count("0"))

# %% tags=["hide-input"]
from record.claims import Claims

claims = Claims("note_products_of_counts")
right = verdict.kind == "proved for every length"
claims.settle("recognized", here="none" if right else verdict.kind, agrees=right)
wrong = [slope for slope, error in errors.items() if error]
claims.settle("no fraction", here=len(wrong), agrees=wrong == fractions)
claims.table()

# %% [markdown]
r"""
Every nonzero coefficient of the layers is needed: if any single one is set to 0, some string of at most four 1s and four 0s is decided incorrectly. This page's test tries each.

## What differs from the paper

- The paper's claim is about all such properties; we build one, without *and*, *or* and *not*. But the same two steps would give the product of any two numbers of symbols, up to the factor $1/n^2$: for $x \cdot y$ the 0s hold $p$, and the mean is $p q$. Each further factor would take one more layer.
- Our output is read at CLS, and CLS is counted in n; we do not know whether the paper counts it.
- Nothing here concerns their other results: what such transformers can *not* express, and what can be decided about them.
"""
