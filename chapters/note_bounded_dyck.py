# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Note: brackets of bounded depth

*In `([)]` every bracket that is opened is closed, and yet the string is wrong. Can a few layers of attention tell, if never more than D brackets are open at once?*

**In one sentence:** yes, with four layers: the first two find how deep each bracket is, in the third each closing bracket looks back for its partner, and the fourth adds up the errors.

## A case by hand

The **depth** $d_i$ is the number of opening brackets up to position $i$, minus the number of closing ones. The strings `([)]` and `([])` have the same depths; only the second is correct:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*In `([)]` both closing brackets find a partner of the wrong kind.* The depth after each symbol. An arrow leads from each closing bracket to the last opening bracket of the depth that it closes, dashed where the kinds differ.", "name": "fig-bounded-dyck"}, "image": {"alt": "Two equal staircases of depths 1, 2, 1, 0. Arrows lead from the third symbol to the second and from the fourth to the first, one pair dashed.", "classes": "dark-light"}}
import matplotlib.pyplot as plt
from record.notebook import COLOURS, stream_table, use_style

use_style()
figure, panels = plt.subplots(1, 2, figsize=(7.2, 2.3), sharey=True)
depths = [0, 1, 2, 1, 0]
for axis, word, line in zip(panels, ("([)]", "([])"), ("--", "-")):
    axis.stairs(depths, [i - 0.5 for i in range(6)], baseline=None, color="#777777")
    for i, a in enumerate(word, 1):
        axis.text(i, depths[i] + 0.1, a, ha="center", family="monospace", size=14)
    look = {"arrowstyle": "->", "color": COLOURS["FIRST"], "linestyle": line,
            "connectionstyle": "arc3,rad=0.3"}
    for i, partner in ((3, 2), (4, 1)):
        axis.annotate("", (partner, depths[i] + 1.5), (i, depths[i] + 0.55), arrowprops=look)
    axis.set(xlabel="position $i$", xticks=range(5), yticks=range(3), ylim=(-0.2, 3.2))
panels[0].set(ylabel="depth $d_i$");

# %% [markdown]
r"""
In `([)]` the `)` at position 3 takes the depth from 2 to 1, so it closes a bracket of depth $d_3 + 1 = 2$. The last opening bracket of this depth is a `[`, the wrong kind, so `([)]` is rejected.

## The claim

**Dyck-(k, D)** is the language of well-nested strings with k kinds of brackets in which never more than D brackets are open at once. Yao and others {cite}`yao2021` claim two networks for it. One, of D + 1 layers with *hard* attention (only to the largest logit), *recognizes* the language: it says whether a string belongs to it. The other, of two layers with soft attention, *generates* it: it says which symbols may follow each prefix. We build a recognizer from the idea of their generator. We have read the paper's abstract, the caption of its Figure 1 and a summary of its methods (masks, positions $i/n$, layer normalization), but not its proofs.

## The idea

This is what the tokens of `([)]` find out, layer by layer, for $D = 2$. A token CLS precedes the string:

| | CLS | `(` | `[` | `)` | `]` |
|---|---|---|---|---|---|
| depth $d_i$ | 0 | 1 | 2 | 1 | 0 |
| layer 1: $d_i/(i+1)$ | 0 | ½ | ⅔ | ¼ | 0 |
| layer 2: is $d_i \ge 2$? | yes | no | yes | no | no |
| layer 3: the partner found | | | | `[`, wrong kind | `(`, wrong kind |

**Layer 1: the depth, up to a factor.** A head can average, but not add. Our heads have a *causal mask*: a token sees only itself and the tokens before it. At position $i$ these are $i + 1$ tokens, CLS included. A head that averages +1 for each opening and −1 for each closing bracket returns $d_i/(i+1)$, and averaging 1 for CLS alone gives the factor $1/(i+1)$.

**Layer 2: getting rid of the factor.** In layer 3 one token, the query, compares its depth with the depths of earlier tokens, the keys. In the query the factor does no harm: it multiplies all logits alike, so the largest stays the largest. In keys the factor differs between tokens, which could change which logit is the largest. So we take one head for each number $t$ from 0 to $D + 1$, which asks: is $d \ge t$? Its query is $(d - t + \frac12)/(i+1)$, and the key and the value are 1 at CLS and 0 elsewhere. If $d \ge t$, the query is positive, so the head attends to CLS alone and returns 1. Otherwise it attends to the other tokens and returns 0. For $t = 2$, for example, the query is $\frac12/3$ at the `[` and $-\frac12/2$ at the `(`, so the answers are 1 and 0. (At CLS, where a head sees no other token, every answer is 1.) Write $[d \ge t]$ for the answer.

These answers give the depth without a factor: for a depth from 1 to D, $\sum_{t=1}^D\,[d \ge t] = d$ and $\sum_{t=1}^D\,(2t-1)\,[d \ge t] = d^2$. (The code leaves out $t = 1$, whose answer is 1 at every opening bracket before the first error.)

**Layer 3: looking back.** A closing bracket looks for the last opening bracket of depth $d' = d_i + 1$. The logit is a sum of three parts:

- $2 d' d_j - d_j^2 = d'^2 - (d' - d_j)^2$ is largest where $d_j = d'$, by at least 1.
- $\frac{j}{j+1}$ grows with the position $j$, but stays below 1. So the last token of the right depth wins, and no token of a wrong depth catches up.
- $D^2$ is added at opening brackets only, so that no other token can win.

The query is $(d', 1)$, times the factor, and the key of token $j$ is $(2 d_j,\ -d_j^2 + \frac{j}{j+1} + D^2\,[\text{opening}])$. In `([)]`, with $D = 2$ and without the factor, `(` gets the logit $2 \cdot 2 \cdot 1 - 1 + \frac12 + 4 = 7\frac12$, and `[` gets $2 \cdot 2 \cdot 2 - 4 + \frac23 + 4 = 8\frac23$. So the `)` finds the `[`. For each kind, a hidden unit tells whether a closing bracket of this kind found anything other than an opening bracket of this kind.

**Layer 4: the errors.** A closing bracket makes an error if it found the wrong kind, and every token makes one if its depth has left $0..D$, as the answers for $t = 0$ and $t = D + 1$ show. Layer 4 averages all errors; let $e$ be their sum. A string should be accepted if it has no error and all brackets are closed. Let $d$ be the depth at the last token. The output is $\frac12 - d - 2e$, divided by the number of tokens. It is positive only if $d = e = 0$, because a negative $d$ comes with at least $|d|$ errors.

## The construction
"""

# %% tags=["hide-input"]
from fractions import Fraction

import numpy as np
from lib.transformer import FFN, Construction, Exact, Form, Head, Layer, Space
from record.claims import Claims


def space(opening, closing, levels):
    """What a token holds: a coordinate for each symbol, place, depth, answer and error."""
    return Space(*opening, *closing, "CLS", "j/(j+1)", "d/(i+1)", "1/(i+1)",
                 *(f"d≥{t}" for t in levels), *(f"last is {a}" for a in opening),
                 "wrong kind", "errors/n")


# %% tags=["hide-input"]
def bounded_dyck(pairs, deepest):
    """The network for brackets such as ("()", "[]") and a largest depth of 1 or more."""
    (opening, closing), levels = zip(*pairs), (0, *range(2, deepest + 2))
    S = space(opening, closing, levels)
    cls, place, depth, unit = S["CLS"], S["j/(j+1)"], S["d/(i+1)"], S["1/(i+1)"]
    opened, closed = sum(S[a] for a in opening), sum(S[b] for b in closing)
    hard = {"mask": "future", "attention": "hardmax"}

    average = Head({"d/(i+1)": opened - closed, "1/(i+1)": cls}, mask="future")
    compare = [Head({f"d≥{t}": cls}, q=depth - (t - Fraction(1, 2)) * unit, k=cls, **hard)
               for t in levels]

    inner = range(2, deepest + 1)  # what tells the depths 1..D of opening brackets apart
    less_one = sum((S[f"d≥{t}"] for t in inner), Form())  # d - 1
    square = sum(((2 * t - 1) * S[f"d≥{t}"] for t in inner), Form())  # d² - 1
    key = [2 * less_one, place - square + deepest**2 * opened]
    look_back = Head({f"last is {a}": S[a] for a in opening}, q=[depth + unit, unit], k=key, **hard)
    mismatch = FFN([S[b] - S[f"last is {a}"] for a, b in pairs], {"wrong kind": [1] * len(pairs)})

    too_low, too_high = cls + opened + closed - S["d≥0"], S[f"d≥{deepest + 1}"] - cls
    gather = Head({"errors/n": S["wrong kind"] + too_low + too_high}, mask="future")
    layers = [Layer(average), Layer(compare), Layer(look_back, mismatch), Layer(gather)]
    words = {a: S[a] for a in (*opening, *closing, "CLS")}
    output = unit / 2 - depth - 2 * S["errors/n"]
    return Construction(S, words, {"i/(i+1)": place}, layers, output,
                        f"Dyck-({len(pairs)}, {deepest})", readout="last")


# %%
construction = bounded_dyck(("()", "[]"), deepest=2)
print(construction.size)

# %%
# try: "([])"
word = "([)]"
stream = Exact(construction).trace(word).a[4]
stream_table({name: stream[name] for name in [*stream][6:]}, ["CLS", *word])

# %% [markdown]
r"""
So `([)]` ends with $d = 0$ and $e = 2$ errors among five tokens. The output $(\frac12 - 0 - 2 \cdot 2)/5$ is negative.

(bounded-dyck-verdict)=
## The verdict

:::{admonition} Brackets of bounded depth
:class: result
Assume that the heads that compare and look back have hard attention, which averages ties. Then, for all k ≥ 1 and D ≥ 1, this network accepts a string if and only if it is in Dyck-(k, D). *Proved for every length*, by hand.
:::

:::{dropdown} Proof
We call a prefix *wrong* if its last depth has left $0..D$, or if its last bracket closes another kind.

*Comparisons.* At CLS a head sees CLS alone and returns 1. Elsewhere its query is not 0, because $d$ is a whole number, so it answers correctly.

*Looking back.* Let a closing bracket be at position $i$, no earlier prefix be wrong, and $d' = d_i + 1$ be at least 1. At token $j$ the code's two sums, which begin with $t = 2$, are $x - 1$ and $x^2 - 1$ for some $x$. For a depth from 1 to D this $x$ is $d_j$. At depth 0 all answers in the sums are 0, so $x = 1$. At CLS all are 1, so $x = D$. Without the common factor $\frac1{i+1}$, the logit of token $j$ is therefore $(d'-1)^2 - (d'-x)^2 + \frac{j}{j+1}$, plus $D^2$ at an opening bracket. We compare three sorts of tokens. *First*, opening brackets of depth $d'$: there is one, because the depth has risen from 0 to $d_{i-1} = d'$. All have logits of at least $D^2 + (d'-1)^2$, and the last one has the largest place $\frac{j}{j+1}$. *Second*, opening brackets of another depth: each loses at least 1 by $(d'-x)^2$, and its place gives back less. *Third*, all other tokens: their logits are below $(d'-1)^2 + 1$, which is at most $D^2 + (d'-1)^2$. So the last opening bracket of depth $d'$ alone has the largest logit. It is the partner of $i$: while the partner is open, no other bracket opens at its depth.

*Errors.* Under these assumptions, the hidden unit of a kind is 1 at a closing bracket of this kind that found another kind, and otherwise 0. No unit is ever negative, and CLS has no error. So if a prefix is wrong, the first wrong one adds to $e$; if none is, $e = 0$. The output has the sign of $\frac12 - d - 2e$. If $e = 0$, then $d \ge 0$, and this is positive only for $d = 0$. If $e \ge 1$ and $d \ge 0$, it is negative. If $d < 0$, then the depths $-1, \dots, d$ all occur, so $e \ge |d|$, and $\frac12 - d - 2e \le \frac12 - |d| < 0$. $\square$
:::

For k = D = 2, a program also checks every string of up to 7 symbols, in floats with a proved bound on every rounding error. It cannot repeat our proof for every length, and says so:
"""

# %%
# try: another length, or "softmax" in place of "hardmax" in the construction
from lib.judging import judge
from lib.languages import Language


def fits(w, pairs=("()", "[]"), deepest=2):
    """Whether a string is in Dyck-(k, D), by a stack."""
    stack = []
    for symbol in w:
        if symbol in {a for a, _ in pairs}:
            stack.append(symbol)
        elif not stack or stack.pop() + symbol not in pairs:
            return False
        if len(stack) > deepest:
            return False
    return not stack


DYCK = Language("Dyck-(2, 2)", fits, tuple("()[]"))


def judged(construction, longest=7):
    return judge(construction, DYCK, longest)


verdict = judged(construction)
print(verdict)

# %% [markdown]
r"""
The page's test also sets each nonzero coefficient of the layers to 0, one at a time, for k = D = 2: every one is needed, because without it some short string is decided incorrectly. And for k up to 3 and D up to 4, we try random strings of 40 symbols: members of the language, about half of them with one symbol replaced; runs of equal symbols; and neighbours, that is, a member and a nonmember that differ in one symbol.
"""

# %% tags=["hide-input"]
def dyck(pairs, deepest):
    """Dyck-(k, D); it draws members, half of the time with one symbol exchanged."""
    alphabet = tuple(a for pair in pairs for a in pair)

    def member(length, draw):
        w, stack = [], []
        while len(w) + len(stack) < length:
            opens = not stack or (len(stack) < deepest and draw.random() < 0.5)
            stack += [2 * draw.integers(len(pairs))] * opens
            w.append(stack[-1] if opens else stack.pop() + 1)
        w += [a + 1 for a in reversed(stack)]
        if draw.random() < 0.5:
            w[draw.integers(length)] = draw.integers(len(alphabet))
        return w

    return Language(f"Dyck-({len(pairs)}, {deepest})", lambda w: fits(w, pairs, deepest), alphabet,
                    lambda size, length, draw: np.array([member(length, draw) for _ in range(size)]))


# %% tags=["hide-input"]
tried, wrong = 0, []
for pairs in (("()",), ("()", "[]"), ("()", "[]", "<>")):
    for deepest in (1, 2, 3, 4):
        made, meant = Exact(bounded_dyck(pairs, deepest)), dyck(pairs, deepest)
        found = meant.sampled(made.accepts, 40, 40, each=20)
        tried += sum(found.strings.values())
        wrong += [w for kind in found.wrong.values() for w in kind]
print(f"{len(wrong)} of {tried} are decided incorrectly")

# %% tags=["hide-input"]
claims = Claims("note_bounded_dyck")
right = verdict.counterexample is None
claims.settle("strings", here=f"0 of {verdict.strings:,}" if right else verdict.kind, agrees=right)
claims.settle("proof", here=f"none by the proof, {len(wrong)} of {tried} run", agrees=wrong == [])
layers = construction.size["layers"]
claims.settle("layers", here=f"{layers}, recognizes", agrees=layers == 2)
claims.table()

# %% [markdown]
r"""
## What differs from the paper

- Ours has four layers, whatever D is; their recognizer has fewer for D up to 2. As far as the summary shows, their generator has no counterpart to two of our layers: it does not add up errors, and it removes the factor from the depth by layer normalization.
- Our heads that compare or look back are hard; their generator's are soft. The counting heads of both weigh all tokens alike.
- Ours has D + 1 heads that compare and $3k + D + 7$ coordinates. Theirs store about log k bits for each token and layer; we did not count ours. Our position is $j/(j+1)$, not $i/n$, so $n$ need not be known.
"""
