"""The transformer of Bhattamishra, Patel & Goyal (2020), section 3.2, with hard attention, and its
runs, exact or in any other arithmetic; and the two of its theorems that simulate any RNN.

Theorem 4.1/C.2 has position encodings and the score -|<q, k>|, Theorem 4.2/D.1 masking alone and
the score <q, k>. Their misprints are repaired here; the chapter runs them as printed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from chapters.common.turing.recurrent import (
    BEGIN,
    END,
    RNN,
    Arithmetic,
    Rows,
    Values,
    Vector,
    affine,
    coordinate,
    exact,
    layered,
    substituted,
    vector,
)
from lib.checks import check_string
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import Head

Encoding = Callable[[int], Fraction]  # of a position, counted from 1
index: Encoding = Fraction  # the position encoding i


def one(i: int) -> Fraction:
    """The position encoding 1."""
    return Fraction(1)


def reciprocal(i: int) -> Fraction:
    """The position encoding 1/i, which sigma can carry."""
    return Fraction(1, i)


@dataclass(frozen=True)
class SaturatedFFN:
    """A feed-forward network O: `hidden` are its layers, sigma after each; `out` maps each
    coordinate that it writes to a form over the last. With `is_clipped` False it is ReLU in place
    of sigma, which section 3.2 allows.
    """

    hidden: Sequence[Rows]
    out: Rows
    is_clipped: bool = True


@dataclass(frozen=True)
class Sublayer:
    """x -> map(x) + x, or map(x) where it has no `residual` connection."""

    map: Head | SaturatedFFN
    residual: bool = True


NOTHING = SaturatedFFN([], {})  # an O that is always 0, which stands for V = 0 too
IDENTITY = Sublayer(NOTHING)  # only the residual connection


@dataclass(frozen=True)
class Transformer:
    """An encoder and a decoder over the coordinates of `space`, for strings over `alphabet`.

    x_i is embedding[s_i] + pos(i) for the tokens #, w and $, i = 1, 2, ...; y_t is F of the last
    decoder layer's vector, + pos(t + 1), and y_0 is `seed` + pos(1). `position` maps functions of i
    to the forms that carry them: {index: x₁, one: x₂} is pos(i) = i x₁ + x₂. An encoder layer is an
    attention and an FFN; a decoder layer an attention to the decoder, one to the encoder, and an
    FFN. `F` keeps every coordinate if it is None. With `masked` (the directional transformer) an
    attention at step t sees the tokens to t alone, and the score is <q, k>, not -|<q, k>|. It halts
    when a coordinate of `halts` is 1.
    """

    space: Space
    embedding: Rows
    position: Mapping[Encoding, Form]
    encoder: Sequence[tuple[Sublayer, Sublayer]]
    decoder: Sequence[tuple[Sublayer, Sublayer, Sublayer]]
    F: Rows | None = None
    seed: Form = Form()
    masked: bool = False
    halts: Sequence[str] = ()

    def __post_init__(self):
        Run(self, exact)  # raises where a name is not there

    def outputs(self, w: str, number: Arithmetic = exact) -> Iterator[Vector]:
        """y_0, y_1, ... for the tokens # w $, to the first in which the transformer halts: without
        end if it does not. ValueError for a symbol outside the alphabet.
        """
        check_string(w, tuple(a for a in self.embedding if a not in (BEGIN, END)))
        return Run(self, number).outputs([BEGIN, *w, END])


class Running:
    """A sublayer of `transformer` made ready for one run: x -> map(x) + x, or map(x). An attention
    keeps the keys and values that it has `seen`, as they come; a query meets all of them.
    """

    def __init__(self, sublayer: Sublayer, transformer: Transformer, number: Arithmetic):
        space, part = transformer.space, sublayer.map
        q, k, v = (part.q, part.k, part.v) if isinstance(part, Head) else ((), (), ())
        ffn = NOTHING if isinstance(part, Head) else part
        self.residual, self.is_masked = sublayer.residual, transformer.masked
        self.zero, self.zeros = number(Fraction(0)), vector(space, Form(), number)
        self.query = affine(dict(enumerate(q)), space.names, number)
        self.key_and_value = affine(dict([*enumerate(k), *v]), space.names, number)
        self.seen: list[Values] = []
        self.hidden = layered(ffn.hidden, space.names, number, ffn.is_clipped)
        self.out = affine(ffn.out, [space.names, *ffn.hidden][-1], number)
        self.values = [space.check(name) for name, _ in v]
        for name in ffn.out:
            space.check(name)

    def see(self, x: Values) -> None:
        """Keeps one more vector's key and value, where the sublayer is an attention."""
        self.seen.append(self.key_and_value(x))

    def scores(self, x: Values) -> Vector:
        """<q, k_j>, or -|<q, k_j>|, for the query of x and every key."""
        query = [(r, q) for r, q in self.query(x).items() if q]
        scores = [sum((q * seen[r] for r, q in query), self.zero) for seen in self.seen]
        return scores if self.is_masked else [-abs(score) for score in scores]

    def __call__(self, x: Values, visible: int | None = None) -> Values:
        """The sublayer's output for x. An attention sees the first `visible` vectors (None: all),
        and takes the mean of the values whose scores are largest.
        """
        written = self.out(self.hidden(x))
        if self.values:
            scores = self.scores(x)[:visible]
            best = max(scores)
            chosen = [seen for seen, score in zip(self.seen, scores) if score == best]
            for name in self.values:
                written[name] = sum((seen[name] for seen in chosen), self.zero) / len(chosen)
        if self.residual:
            return x | {name: value + x[name] for name, value in written.items()}
        return self.zeros | written


class Run:
    """A transformer made ready for one run in the arithmetic `number`, on any list of tokens."""

    def __init__(self, transformer: Transformer, number: Arithmetic):
        space, self.number = transformer.space, number
        self.masked, self.halts = transformer.masked, transformer.halts
        self.embedding = {a: vector(space, x, number) for a, x in transformer.embedding.items()}
        self.seed = vector(space, transformer.seed, number)
        self.position = [
            (encoding, [(space.check(name), number(c)) for name, c in form.terms])
            for encoding, form in transformer.position.items()
        ]
        self.encoder, self.decoder = (
            [[Running(part, transformer, number) for part in layer] for layer in layers]
            for layers in (transformer.encoder, transformer.decoder)
        )
        F = IDENTITY
        if transformer.F is not None:
            F = Sublayer(SaturatedFFN([], transformer.F), residual=False)
        self.F = Running(F, transformer, number)

    def _placed(self, x: Values, i: int) -> Values:
        """x + pos(i)."""
        x = dict(x)
        for encoding, terms in self.position:
            value = self.number(encoding(i))
            for name, c in terms:
                x[name] = x[name] + c * value
        return x

    def outputs(self, tokens: Sequence[str]) -> Iterator[Vector]:
        """y_0, y_1, ..., as `Transformer.outputs` gives them."""
        X = [self._placed(self.embedding[token], i) for i, token in enumerate(tokens, start=1)]
        for attend, feed in self.encoder:
            for x in X:
                attend.see(x)
            X = [feed(attend(x, i if self.masked else None)) for i, x in enumerate(X, start=1)]
        for _, attend_across, _ in self.decoder:
            for z in X:
                attend_across.see(z)  # K^e and V^e
        y = self.seed
        for t in count(1):
            y = self._placed(y, t)
            yield [*y.values()]
            if any(y[name] == 1 for name in self.halts):
                return
            for attend, attend_across, feed in self.decoder:
                attend.see(y)
                y = feed(attend_across(attend(y), t if self.masked else None))
            y = self.F(y)


def _kept(name: str) -> Form:
    """A coordinate in [0, 1] that the hidden layers hand on, as sigma(x) = x."""
    return coordinate(f"+{name}")


def _carried(names: Iterable[str]) -> dict[str, Form]:
    """The units of the first hidden layer that do so."""
    return {f"+{name}": coordinate(name) for name in names}


def _erased(names: Iterable[str]) -> dict[str, Form]:
    """Minus each of the coordinates carried, which the residual connection takes to 0."""
    return {name: -_kept(name) for name in names}


def _forgetting(rnn: RNN, also: Sequence[str]) -> SaturatedFFN:
    """The O of Lemmas C.4 and D.4: it computes g, writes h_next - h, and erases `also`."""

    def of_g(name: str) -> Form:
        return coordinate(f"g {name}")

    (first, *others), carried = rnn.layers, _carried([*rnn.hidden.names, *also])
    hidden = [{f"g {unit}": form for unit, form in first.items()} | carried]
    for layer in others:
        g = {f"g {unit}": substituted(form, of_g) for unit, form in layer.items()}
        hidden.append(g | {unit: coordinate(unit) for unit in carried})
    change = {name: of_g(name) - _kept(name) for name in rnn.hidden.names}
    return SaturatedFFN(hidden, change | _erased(also))


def vanilla(rnn: RNN, rescaled: bool = True) -> Transformer:
    """The transformer of Theorem 4.1/C.2: y_t = [h_t, 0; 0, t + 1, 1], with d = 2 d_h + d_b + 2.

    Repaired: pos(t + 1) is added to y_t, # stands at position 1, and F keeps h alone, because sigma
    in O clips t + 1. `rescaled`: f_b is brought into [0, 1], which O can carry.
    """
    rnn = rnn.within_unit_inputs() if rescaled else rnn
    h, s = rnn.hidden.names, rnn.inputs.names
    S = Space(*h, *s, *(f"h₂ {name}" for name in h), "x₁", "x₂")
    x1, x2 = S["x₁"], S["x₂"]
    # Lemmas C.3 and C.5: -|i - (t + 1)|
    read = Head(q=[x1, x2], k=[-x2, x1], v={name: S[name] for name in s})
    return Transformer(
        S,
        rnn.embedded(),
        {index: x1, one: x2},
        encoder=[(IDENTITY, IDENTITY)],
        decoder=[(IDENTITY, Sublayer(read), Sublayer(_forgetting(rnn, s)))],
        F={name: S[name] for name in h},
        halts=rnn.halts,
    )


def directional(rnn: RNN, rescaled: bool = True) -> Transformer:
    """The transformer of Theorem 4.2/D.1: y_t = [h_t, 0, 0, 0, 1/2^t, 0, 0, ω_(t-1)], with d = 2
    d_h + d_b + 4 |Σ| + 1.

    Here h_t is the state after t symbols, # among them, where the paper writes h_(t-1). Repaired:
    Lemma D.2 reads ω_t where the attention writes it, and writes δ_t and -s_(0:t). `rescaled`: f_b
    is brought into [0, 1], which O can carry.
    """
    rnn = rnn.within_unit_inputs() if rescaled else rnn
    h, s, Σ = rnn.hidden.names, rnn.inputs.names, rnn.embedded()
    h2 = [f"h₂ {name}" for name in h]
    first, second, third, fourth = ([f"⟦{a}⟧{number}" for a in Σ] for number in "₁₂₃₄")
    S = Space(*h, *h2, *s, *first, "x₁", *second, *third, *fourth)

    symbols = [S[name] for name in first]
    values = {name: S[name] for name in s} | dict(zip(third, symbols, strict=True))
    read = Sublayer(Head(q=symbols, k=symbols, v=values))  # eq. (13)
    forget = _forgetting(rnn, [*s, *first, *third])
    return Transformer(
        S,
        {a: f_b + symbol for (a, f_b), symbol in zip(Σ.items(), symbols, strict=True)},
        {},
        encoder=[(IDENTITY, IDENTITY)],
        decoder=[
            (IDENTITY, read, Sublayer(_difference(S, s, first, third, fourth))),
            (IDENTITY, read, Sublayer(forget)),
        ],
        seed=S["x₁"],
        masked=True,
        halts=rnn.halts,
    )


def _difference(S: Space, s: Sequence[str], *shares: Sequence[str]) -> SaturatedFFN:
    """The O of Lemma D.2: from ω_t in ⟦s⟧₃ and ω_(t-1) in ⟦s⟧₄ it writes δ_t, the symbol that has
    become more frequent, into ⟦s⟧₁, hands ω_t on to ⟦s⟧₄, halves 1/2^t and erases what was read.
    """
    first, third, fourth = shares
    units = {f"Δ{a}": S[now] - S[before] for a, now, before in zip(first[:-1], third, fourth)}
    units["half"] = S["x₁"] / 2
    out = _erased([*s, *third]) | dict(zip(first, map(coordinate, units), strict=True))
    out |= {before: _kept(now) - _kept(before) for now, before in zip(third, fourth, strict=True)}
    out["x₁"] = -coordinate("half")
    return SaturatedFFN([_carried([*s, *third, *fourth]) | units], out)
