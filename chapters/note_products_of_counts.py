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

*Can a transformer tell whether there are more than √2 times as many 1s as 0s, when all its numbers are fractions?*

**In one sentence:** yes, with two rounds of heads that treat all tokens alike. The first finds the share of the 1s. In the second only the 1s hold that share, so its mean is its square. The 0s do likewise, and the squares are compared.

## The claim

Sälzer, Köcher, Kozachinskiy, Zetzsche and Lin {cite}`saelzer2026` ask which *counting properties* transformers express: a counting property depends on how often each symbol occurs, and on nothing else. Earlier work had linear ones, such as more 1s than 0s. They state that transformers express every Boolean combination of polynomial inequalities between the numbers of symbols, of any degree, without positions and without masks. We read the abstract, and two summaries of others, which say that uniform attention is enough, and that frequencies are computed first.

We build one such property that no combination of linear inequalities with rational coefficients expresses.

## A case by hand

For x 1s and y 0s the question is whether $x^2 > 2 y^2$. For seven 1s and five 0s it is $49 > 50$: no. For seventeen and twelve it is $289 > 288$: yes.

(products-of-counts-fractions)=
### Why not a fraction in place of √2

Compare $5x$ with $7y$, since $7/5$ is nearly $\sqrt 2$. For twenty-four 1s and seventeen 0s this says yes, as $120 > 119$. But $24^2 = 576$ is less than $2 \cdot 17^2 = 578$. Better fractions fail too:
"""

# %%
# try: 1393/985, the next fraction in this row
from fractions import Fraction


def is_more(x, y):
    """Whether x is more than √2 times y."""
    return x * x > 2 * y * y


def first_error(slope):
    """Numbers of 1s and 0s, with as few 0s as can be, on which x > slope y says otherwise."""
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
Let $a x + b y + c > 0$ be one of them, with rational $a$ and $b$ that are not both 0 (if they are, it is the same everywhere). Walk along the ray $(x, y) = t (\sqrt 2, 1)$. There $a x + b y = t (a \sqrt 2 + b)$, and the bracket is not 0, as $\sqrt 2$ is no fraction. Within distance 2 of the ray the left side differs from $t (a \sqrt 2 + b) + c$ by no more than a constant, while that grows with $t$. So from some $t$ on the inequality is true at all points within distance 2 of the ray, or false at all of them. There are finitely many inequalities. So far enough out any combination of them has one answer near the ray. But on both sides of it, arbitrarily far out, there are whole points within distance 2, and on the two sides the question has opposite answers. $\square$
:::

## The idea

A head that treats all tokens alike returns a mean. Over n tokens, CLS among them, the mean of *is it a 1?* is $p = x/n$, and every token can have it.

To multiply $p$ by $x/n$ again, let the 1s hold $p$ and the others 0. The mean of that is $x \cdot p / n = p^2$. A unit makes it. Let $[1]$ be 1 at a 1 and else 0: $\max(0, p - 1 + [1])$ is $p$ at a 1, and 0 elsewhere, as $p \le 1$. (In the code $1 - [1]$ is `zero + cls`.)

On 011 there are four tokens, and $p = \tfrac24$. The two 1s hold $\tfrac12$, and the mean is $\tfrac14 (\tfrac12 + \tfrac12) = \tfrac14$, the square of $\tfrac12$. The 0s do likewise with $q = y/n$. On 011 $q = \tfrac14$, and its square is $\tfrac1{16}$. The output is $\tfrac14 - \tfrac2{16} = \tfrac18$: accepted, as $2^2 > 2 \cdot 1^2$. Both squares are divided by the same $n^2$, so $p^2 - 2 q^2$ is positive just where $x^2 > 2 y^2$. The network accepts if its output at CLS is positive.

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
The network accepts a string of x 1s and y 0s if and only if $x^2 > 2 y^2$, with softmax, or with hard attention that averages ties. *Proved for every length*, by hand, and for softmax by machine too.
:::

By hand it is the calculation above: heads without a query give every token the same weight under both kinds of attention, and at CLS the output is $(x^2 - 2y^2)/n^2$.

The machine runs the network on a string of which it knows nothing but that it has x 1s and y 0s. It treats all tokens of one symbol as one that comes so many times, and takes the units by cases, positive or 0. So in each case every coordinate is a fraction of polynomials in x and y. It then asks z3 whether the output can have another sign than the condition. (It asks many small questions, and counts them below.)
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
Asked whether the network decides $5x > 7y$, it says no, and gives a string:
"""

# %%
refuted = judge(construction, 5 * x - 7 * y, longest=8)
w = refuted.counterexample
print(refuted.kind, w.count("1"), w.count("0"))

# %% tags=["hide-input"]
from record.claims import Claims

claims = Claims("note_products_of_counts")
right = verdict.kind == "proved for every length"
claims.settle("recognised", here="none" if right else verdict.kind, agrees=right)
wrong = [slope for slope, error in errors.items() if error]
claims.settle("no fraction", here=len(wrong), agrees=wrong == fractions)
claims.table()

# %% [markdown]
r"""
No coefficient of the layers can go: with any one of them that is not 0 set to 0, a string of at most four 1s and four 0s is decided wrongly. This page's test tries each.

## What differs

- One property, where the paper has all. Combinations by *and*, *or* and *not* are not built. The same two steps give each product of two numbers of symbols, and each further factor takes a layer: for $x \cdot y$ the 0s hold $p$, and the mean is $p q$; for $x \cdot y \cdot x$ the 1s then hold $p q$, and so on. A term of lower degree is multiplied by the share of CLS, $1/n$, as often as it lacks a factor.
- CLS is read, and counted in n; we do not know whether the paper's is. Only the sign matters, so n need not be known.
- Nothing here concerns their other results: what such transformers can *not* express, and what can be decided about them.

## What was missing

Before this note the book's prover took linear conditions only. Now it takes a polynomial in the numbers of symbols, some twenty lines more. Products make z3 slower: the proof takes seconds, where linear ones take a moment. Written in half an hour, by someone who knew the library.
"""
