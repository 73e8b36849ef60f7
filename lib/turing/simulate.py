"""Two transformers that simulate any RNN.

Bhattamishra, Patel & Goyal (2020): Theorem 4.1/C.2, with position encodings and the score
-|<q, k>|; Theorem 4.2/D.1, with masking alone and the score <q, k>. Their misprints are repaired
here; the chapter runs them as printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lib.checks import flag, takes
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import Head, Rows
from lib.turing.architecture import IDENTITY, SaturatedFFN, Sublayer, Transformer, index, one
from lib.turing.recurrent import BEGIN, END, RNN, coordinate, pairs


def _carried(names: Sequence[str], layers: int) -> list[Rows]:
    """Hidden units that hand coordinates in [0, 1] through as many layers, as sigma(x) = x."""
    first = {f"+{name}": coordinate(name) for name in names}
    other = {f"+{name}": coordinate(f"+{name}") for name in names}
    return [pairs(first)] + [pairs(other)] * (layers - 1)


def _erased(names: Iterable[str]) -> dict[str, Form]:
    """Minus each of the coordinates carried, which the residual connection takes to 0."""
    return {name: -coordinate(f"+{name}") for name in names}


def _of_g(form: Form) -> Form:
    """The form over the units of g as O names them."""
    return Form(tuple((f"g {name}", c) for name, c in form.terms), form.constant)


def _forgetting(rnn: RNN, also: Sequence[str]) -> SaturatedFFN:
    """The O of Lemmas C.4 and D.4: it computes g and writes h_next - h and, for each coordinate of
    `also`, minus itself.
    """
    first, *others = rnn.layers
    g = [pairs((f"g {name}", form) for name, form in first)]
    g += [pairs((f"g {name}", _of_g(form)) for name, form in layer) for layer in others]
    carried = _carried([*rnn.hidden.names, *also], len(g))
    change = {name: coordinate(f"g {name}") - coordinate(f"+{name}") for name in rnn.hidden.names}
    return SaturatedFFN(
        [units + kept for units, kept in zip(g, carried, strict=True)], change | _erased(also)
    )


def _embedding(rnn: RNN) -> Rows:
    """f_b of #, of each input symbol and of $."""
    return ((BEGIN, Form()), *rnn.embedding, (END, Form()))


@takes(rnn=RNN, rescaled=flag)
def vanilla(rnn: RNN, rescaled: bool = True) -> Transformer:
    """The transformer of Theorem 4.1/C.2: y_t = [h_t, 0; 0, t + 1, 1], with d = 2 d_h + d_b + 2.

    Repaired: pos(t + 1) is added to y_t, # stands at position 1, and F keeps h alone, because sigma
    in O clips t + 1. `rescaled`: f_b is brought into [0, 1], which O can carry.
    """
    rnn = rnn.within_unit_inputs() if rescaled else rnn
    h, s = rnn.hidden.names, rnn.inputs.names
    S = Space(*h, *s, *(f"h₂ {name}" for name in h), "x₁", "x₂")
    x1, x2 = S["x₁"], S["x₂"]
    read = Head(  # Lemmas C.3 and C.5: -|i - (t + 1)|
        q=(x1, x2),
        k=(-x2, x1),
        v=pairs((name, S[name]) for name in s),
    )
    return Transformer(
        S,
        _embedding(rnn),
        {index: x1, one: x2},
        encoder=[(IDENTITY, IDENTITY)],
        decoder=[(IDENTITY, Sublayer(read), Sublayer(_forgetting(rnn, s)))],
        F={name: S[name] for name in h},
        halts=rnn.halts,
    )


@takes(rnn=RNN, rescaled=flag)
def directional(rnn: RNN, rescaled: bool = True) -> Transformer:
    """The transformer of Theorem 4.2/D.1: y_t = [h_t, 0, 0, 0, 1/2^t, 0, 0, ω_(t-1)], with d = 2
    d_h + d_b + 4 |Σ| + 1.

    Here h_t is the state after t symbols, # among them, where the paper writes h_(t-1). Repaired:
    Lemma D.2 reads ω_t where the attention writes it, and writes δ_t and -s_(0:t). `rescaled`: f_b
    is brought into [0, 1], which O can carry.
    """
    rnn = rnn.within_unit_inputs() if rescaled else rnn
    h, s, Σ = rnn.hidden.names, rnn.inputs.names, (BEGIN, *rnn.alphabet, END)
    h2 = [f"h₂ {name}" for name in h]
    first, second, third, fourth = ([f"⟦{a}⟧{number}" for a in Σ] for number in "₁₂₃₄")
    S = Space(*h, *h2, *s, *first, "x₁", *second, *third, *fourth)

    symbols = [S[name] for name in first]
    embedding = [
        (a, f_b + symbol) for (a, f_b), symbol in zip(_embedding(rnn), symbols, strict=True)
    ]
    inputs = [(name, S[name]) for name in s]
    counts = zip(third, symbols, strict=True)
    read = Head(q=tuple(symbols), k=tuple(symbols), v=pairs([*inputs, *counts]))  # eq. (13)

    layers = [
        (IDENTITY, Sublayer(read), Sublayer(_difference(S, s, Σ))),
        (IDENTITY, Sublayer(read), Sublayer(_forgetting(rnn, [*s, *first, *third]))),
    ]
    return Transformer(
        S,
        embedding,
        (),
        encoder=[(IDENTITY, IDENTITY)],
        decoder=layers,
        seed=S["x₁"],
        masked=True,
        halts=rnn.halts,
    )


def _difference(S: Space, s: Sequence[str], Σ: Sequence[str]) -> SaturatedFFN:
    """The O of Lemma D.2: from ω_t in ⟦s⟧₃ and ω_(t-1) in ⟦s⟧₄ it writes δ_t, the symbol that has
    become more frequent, into ⟦s⟧₁, hands ω_t on to ⟦s⟧₄, halves 1/2^t and erases what was read.
    """
    first, third, fourth = ([f"⟦{a}⟧{number}" for a in Σ] for number in "₁₃₄")
    [carried] = _carried([*s, *third, *fourth], 1)
    more = {
        f"Δ{a}": S[now] - S[before]
        for a, now, before in zip(Σ[:-1], third[:-1], fourth[:-1], strict=True)
    }
    δ = [*map(coordinate, more), coordinate("half")]
    out = _erased([*s, *third])
    out |= dict(zip(first, δ, strict=True))
    out["x₁"] = -coordinate("half")
    for now, before in zip(third, fourth, strict=True):
        out[before] = coordinate(f"+{now}") - coordinate(f"+{before}")
    return SaturatedFFN([carried + pairs(more | {"half": S["x₁"] / 2})], out)
