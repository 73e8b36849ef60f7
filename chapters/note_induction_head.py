# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Note: an induction head

*A language model that has seen "Mrs Dursley" once tends to complete the next "Mrs" with "Dursley". How does a transformer find out what followed a symbol when it last occurred?*

**In one sentence:** with two layers. In the first, each token notes the symbol just before it. In the second, the last token, say `b`, looks for the latest token that noted `b`, and copies that token's symbol.

## The claim

The **induction task** is this: a string ends in a symbol A; name the symbol that followed A the last time A occurred before. Olsson and others {cite}`olsson2022` describe heads in language models that complete [A][B] … [A] by [B]. Sanford, Hsu and Telgarsky {cite}`sanford2024` state that two layers solve the task, and that one layer needs exponentially more heads, width and bits, taken together. We read both abstracts, and a summary of the second paper by others. According to the summary, with n tokens and at most n symbols, two layers need a constant number of heads and dimensions and about log n bits.

We build the two layers, for three symbols, and prove what they predict after every string. The statement about one layer is the paper's; we do not show it here.

## A case by hand

The string is `abcab`. Its last symbol is `b`, and the previous `b` was followed by `c`. A head can find that earlier `b`, but the symbol that we want comes one place later. So let each token first note the symbol before it:

| position | 0 | 1 | 2 | 3 | 4 | 5 |
|---|---|---|---|---|---|---|
| symbol | CLS | a | b | c | a | b |
| noted | | – | a | b | c | a |

The last token is a `b`, so it now looks for a token that noted `b`. It finds the one at position 3, which is a `c`, and so it predicts `c`.

Can the last token find itself? Yes: in `abb` the token at position 3 is a `b` that noted `b`. It finds itself and predicts `b`, correctly, because the `b` before it was followed by `b`.

## The idea

Our heads have *unique* hard attention: each attends to one token only, namely the last of those with the largest logit.

*Layer 1.* All logits are 0, and a strict mask hides from each token that token itself and all later ones. So each token attends to the one just before it, and notes its symbol. The token at position 1 sees only CLS, which is not a symbol, and CLS sees nothing, so these two note nothing.

*Layer 2.* The query is the token's own symbol, and the key is the symbol that a token noted. Their product is 1 where the two agree and 0 elsewhere. The head attends to the last token with the product 1 and copies its symbol. If the symbol is new, all products are 0, and the head would copy the last token. So we give CLS the logit ½: it beats 0 and loses to 1, and from CLS no symbol is copied.

## The construction
"""

# %%
from fractions import Fraction

from lib.transformer import Construction, Exact, Form, Head, Layer, Space

SYMBOLS = "abc"
S = Space(*SYMBOLS, "CLS", *(f"before is {a}" for a in SYMBOLS), *(f"next is {a}" for a in SYMBOLS))
now = [S[a] for a in SYMBOLS]
before = [S[f"before is {a}"] for a in SYMBOLS]
is_symbol = sum(now, Form())

note = Head({f"before is {a}": S[a] for a in SYMBOLS}, mask="strict future")  # hides itself too
copy = Head(
    {f"next is {a}": S[a] for a in SYMBOLS},
    q=[*now, is_symbol],
    k=[*before, S["CLS"] / 2],  # CLS has the logit ½
    mask="future",
)
words = {a: S[a] for a in (*SYMBOLS, "CLS")}
layers = [Layer(note), Layer(copy)]
outputs = {a: S[f"next is {a}"] - Fraction(1, 2) for a in SYMBOLS}


def predicts(symbol, layers):
    """The network that accepts a string if it predicts that symbol."""
    name = f"{symbol} is next"
    return Construction(S, words, {}, layers, outputs[symbol], name, readout="last")


construction = predicts("a", layers)
print(construction.size)

# %%
# try: other strings; for "abc" nothing is predicted
exact = Exact(construction, "rightmost")
for w in ("abcab", "abb", "abc"):
    last = exact.vector(["CLS", *w])
    print(w, [a for a, output in outputs.items() if output(last) > 0])

# %% [markdown]
r"""
(induction-head-verdict)=
## The verdict

The symbol `a` should be predicted in exactly three cases: the string ends in `aa`; or it ends in `ba`, then any number of symbols other than `b`, then `b`; or the same with `c` in place of `b`. This can be written as a regular expression.

A network with unique hard attention, with masks and without positions, is a finite automaton. Why? In each layer, a token's vector is one of finitely many. Because ties go to the last token, a head can only choose a token whose key does not occur again after it. So all that matters about a prefix is which keys occur in it, in which order each occurs for the last time, and the values there. From the empty prefix, a search goes through all these states until no symbol leads to a new one. Then the program compares the automaton with that of the expression.
"""

# %%
from lib.judging import judge
from lib.proofs import regular


def task(a):
    """The strings after which the symbol a followed the last time."""
    ends = [f"{a}{a}"]
    for b in SYMBOLS.replace(a, ""):
        others = "|".join(SYMBOLS.replace(b, ""))
        ends.append(f"{b}{a}({others})*{b}")
    return f"(a|b|c)*({'|'.join(ends)})"


meant = {a: regular(task(a), SYMBOLS) for a in SYMBOLS}


def judged(construction, symbols=SYMBOLS):
    """The first verdict that is no proof, or the last: of these layers, with each symbol's output."""
    for a in symbols:
        verdict = judge(predicts(a, construction.layers), meant[a], 5, attention="rightmost")
        if verdict.kind != "proved for every length":
            return verdict
    return verdict


print(task("a"))
verdicts = {a: judged(construction, a) for a in SYMBOLS}
for verdict in verdicts.values():
    print(verdict.headline)

# %% tags=["hide-input"]
from record.claims import Claims

claims = Claims("note_induction_head")
proved = [a for a, verdict in verdicts.items() if verdict.kind == "proved for every length"]
claims.settle("predicts", here=f"{len(proved)} of {len(SYMBOLS)}", agrees=len(proved) == len(SYMBOLS))
count = construction.size["layers"]
claims.settle("layers", here=count, agrees=count == 2 and len(proved) == len(SYMBOLS))
claims.table()

# %% [markdown]
r"""
:::{admonition} What followed the last time
:class: result
With unique hard attention to the last of equal logits, these two layers predict a symbol exactly where the task asks for it, and none where the last symbol is new. *Proved for every length*, by machine, for an alphabet of three symbols.
:::

Every nonzero coefficient of the layers is needed: if any single one is set to 0, there is a string after which the network does not predict what the task asks for. This page's test tries each, for all three symbols.

## What differs from the papers

- Attention is hard and picks one token. So neither precision nor length matters. A strict mask takes the place of positions.
- Our alphabet has three symbols, with a coordinate for each. Theirs may have as many symbols as tokens, written in about log n bits.
- Ours can say *never before*. Their task, as we read it, is only asked about strings in which there is something to predict.
- The papers' attention is softmax, for which we have no such automaton. A construction like ours would then need positions, logits that grow like log n (so that many wrong tokens do not outweigh the right one), and a proof by hand.
"""
