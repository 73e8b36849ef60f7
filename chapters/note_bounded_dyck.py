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

*Can a few layers check brackets of several kinds, if never more than D of them are open at once?*

**In one sentence:** yes: one layer finds how deep each bracket stands, and a closing bracket then looks back for the last opening bracket of its own depth.

## The claim

**Dyck-(k, D)** holds the well-nested strings of k kinds of brackets in which never more than D are open. Yao, Peng, Papadimitriou and Narasimhan {cite}`yao2021` claim two networks for it. One has hard attention and D + 1 layers, and *recognises* the language. The other has soft attention and two layers, and *generates* it: after each prefix it says which symbols may follow. Both need memory that grows like log k.

We build the idea of the second one as a network that recognises. We read the paper's abstract, the caption of its Figure 1, and a summary of its methods (masks, positions $i/n$, layer normalization), not its proofs.

## A case by hand

Let k = 2 and D = 2. The **depth** $d_i$ is the number of brackets that are open after position $i$.

| position $i$ | 1 | 2 | 3 | 4 |
|---|---|---|---|---|
| symbol | ( | [ | ) | ] |
| depth $d_i$ | 1 | 2 | 1 | 0 |

The symbol `)` at position 3 closes a bracket of depth $d_3 + 1 = 2$. The last opening bracket of depth 2 stands at position 2. It is `[`, the wrong kind, so `([)]` must be rejected. Depths alone would not tell: `([])` has the same.

## The idea

*Depth.* A head that averages +1 for each opening bracket and -1 for each closing one, over the $i + 1$ tokens so far, returns $d_i/(i+1)$. CLS, the token in front, gives $1/(i+1)$ in the same way. So depth is known up to a factor that changes from position to position.

*Who asks need not know the factor.* Hard attention takes the largest logit, and a positive factor of the query changes no order. *Who is asked must.* So each token finds out which of the comparisons $d \ge t$ are true. A head with the query $(d - t + \frac12)/(i+1)$ and a key that is 1 at CLS and 0 elsewhere attends to CLS alone if the comparison holds, and to the other tokens if not. Its value is 1 at CLS, so it returns 1 or 0.

*Looking back.* A closing bracket looks for depth $d' = d_i + 1$. The logit $2 d' d_j - d_j^2$ is $d'^2 - (d' - d_j)^2$, which is largest at $d_j = d'$, and any other depth loses at least 1. A half times $j/(j+1)$ is added, which grows with $j$ and breaks ties to the right.

## The construction
"""

# %%
from fractions import Fraction

from lib.transformer import FFN, Construction, Form, Head, Layer, Space


def bounded_dyck(pairs, deepest):
    """The network for brackets such as ("()", "[]") and a largest depth of 2 or more."""
    opening, closing = zip(*pairs)
    symbols, levels = (*opening, *closing), (0, *range(2, deepest + 2))
    is_at_least = {t: f"d≥{t}" for t in levels}
    found = {a: f"last is {a}" for a in opening}
    S = Space(*symbols, "CLS", "j/(j+1)", "d/(i+1)", "1/(i+1)", *is_at_least.values(),
              *found.values(), "wrong kind", "errors/n")
    cls, place, depth, unit = S["CLS"], S["j/(j+1)"], S["d/(i+1)"], S["1/(i+1)"]
    opened = sum((S[a] for a in opening), Form())
    closed = sum((S[b] for b in closing), Form())

    average = Head({"d/(i+1)": opened - closed, "1/(i+1)": cls}, mask="future")
    compare = [Head({is_at_least[t]: cls}, q=depth - (t - Fraction(1, 2)) * unit, k=cls, mask="future")
               for t in levels]

    inner = range(2, deepest + 1)  # what tells the depths 1..D of opening brackets apart
    d = sum((S[is_at_least[t]] for t in inner), Form())  # d - 1
    square = sum(((2 * t - 1) * S[is_at_least[t]] for t in inner), Form())  # d² - 1
    logit = {"q": [depth + unit, unit], "k": [2 * d, place / 2 - square + 2 * deepest**2 * opened]}
    look_back = Head({found[a]: S[a] for a in opening}, **logit, mask="future")
    mismatch = FFN([S[b] - S[found[a]] for a, b in pairs], {"wrong kind": [1] * len(pairs)})

    too_low = cls + opened + closed - S[is_at_least[0]]
    too_high = S[is_at_least[deepest + 1]] - cls
    gather = Head({"errors/n": S["wrong kind"] + too_low + too_high}, mask="future")
    layers = [Layer(average), Layer(compare), Layer(look_back, mismatch), Layer(gather)]
    words = {a: S[a] for a in (*symbols, "CLS")}
    return Construction(S, words, {"i/(i+1)": place}, layers, unit / 2 - depth - 2 * S["errors/n"],
                        f"Dyck-({len(pairs)}, {deepest})", readout="last")


construction = bounded_dyck(("()", "[]"), deepest=2)
print(construction.size)

# %% [markdown]
r"""
(bounded-dyck-verdict)=
## The verdict

:::{admonition} Brackets of bounded depth
:class: result
Read with averaging hard attention, this network accepts a string if and only if it is in Dyck-(k, D), for all k ≥ 1 and D ≥ 2. *Proved for every length*, by hand.
:::

:::{dropdown} Proof
*Comparisons.* At CLS a head sees CLS alone and returns 1. Elsewhere the query is not 0, as $d$ is whole, and the head returns 1 if $d_i \ge t$ and else 0.

*Looking back.* Let $i$ hold a closing bracket, and let no prefix before it be wrong: depths lie in $0..D$, and all closing brackets fit. Let $d' = d_i + 1$, and let it be in $1..D$. In the rows, $d$ stands for $d_j - 1$ and its square for $d_j^2 - 1$, so the logit of an opening bracket is $2D^2 + (d'-1)^2 - (d'-d_j)^2$ and half of $j/(j+1)$, all times $1/(i+1)$. For another token it is at most $(d'-1)^2 + \frac12 \le (D-1)^2 + \frac12$, and for an opening one at least $2D^2 + (d'-1)^2 - (D-1)^2$, which is more. One of depth $d'$ exists, since $d_{i-1} = d'$. Of these the last has the largest logit, alone. It is the partner of $i$: any bracket opened later at this depth would be the last one in its place.

*Errors.* The unit of a pair is 1 at a closing bracket whose kind was not found, 0 at one that was, and 0 at other tokens. CLS counts no error. So the first prefix that is wrong is counted, and if there is none, nothing is. With $e$ errors the output times $n$ is $\frac12 - d - 2e$ for the last depth $d$. If $e = 0$, then $d \ge 0$ and the output is positive just for $d = 0$. If $e \ge 1$ and $d \ge 0$, it is negative. If $d < 0$, then the depths $-1, \dots, d$ all occur, so $e \ge |d|$ and the output is at most $\frac12 - |d| < 0$. $\square$
:::

The rows are held to the proof by deciding each string to a length, with rational numbers.
"""

# %%
# try: another length, or "softmax" in place of "hardmax"
from lib import formulas
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
    return formulas.verdict(construction, DYCK, longest, attention="hardmax")


verdict = judged(construction)
print(verdict)

# %% [markdown]
r"""
Other k and D, and longer strings, are drawn: members, half of them with one symbol changed.
"""

# %% tags=["hide-input"]
import numpy as np
from lib.transformer import Exact
from record.claims import Claims


def drawn(pairs, deepest, length, draw):
    """A random member, half of the time with one symbol replaced by a random one."""
    w, stack = [], []
    while len(w) + len(stack) < length:
        opens = not stack or (len(stack) < deepest and draw.random() < 0.5)
        stack += [pairs[draw.integers(len(pairs))]] * opens
        w.append(stack[-1][0] if opens else stack.pop()[1])
    w += [pair[1] for pair in reversed(stack)]
    if draw.random() < 0.5:
        w[draw.integers(len(w))] = draw.choice([*"".join(pairs)])
    return "".join(w)


tried, wrong, draw = 0, [], np.random.default_rng(0)
for pairs in (("()",), ("()", "[]"), ("()", "[]", "<>")):
    for deepest in (2, 3, 4):
        exact = Exact(bounded_dyck(pairs, deepest), "hardmax")
        words = [drawn(pairs, deepest, 40, draw) for _ in range(50)]
        tried += len(words)
        wrong += [w for w in words if exact.accepts(w) != fits(w, pairs, deepest)]
print(f"{len(wrong)} of {tried} are decided wrongly")

claims = Claims("note_bounded_dyck")
right = verdict.counterexample is None
claims.settle("strings", here=f"0 of {verdict.strings:,}" if right else verdict.kind, agrees=right)
claims.settle("proof", here=f"{len(wrong)} of {tried}", agrees=wrong == [])
layers = construction.size["layers"]
claims.settle("layers", here=f"{layers}, recognises", agrees=layers == 2)
claims.table()

# %% [markdown]
r"""
No coefficient of the layers can go: each of the network's mutants, with one of them set to 0, is wrong on a short string. The test of this page runs them all.

## What differs

- Theirs generates and needs two layers. Ours recognises and needs four: one gathers the errors, and one does what layer normalization does there, to give each token its depth without the factor $1/(i+1)$.
- Attention is hard and averages ties; theirs is soft.
- Ours has D comparing heads beside three others, and a coordinate for each comparison and each kind, so its width grows like k + D, not like log k.
- The position is $j/(j+1)$ in place of $j/n$. Only its order matters, and a network that does not ask for $n$ can read strings as they come.

## What was missing

Layer normalization of chosen coordinates, which would turn $(d, 1)/(i+1)$ into a direction that is the depth's own; hard and soft attention in one network; an output for each symbol that may follow. Easy was the rest: the first version of the rows was right on all short strings, and mutants showed that one comparison could go. Written in about an hour, by someone who knew the library.
"""
