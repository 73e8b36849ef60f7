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
    Affine,
    Arithmetic,
    Layers,
    Number,
    RowsLike,
    Vector,
    coordinate,
    exact,
    pairs,
)
from lib.checks import check_string, takes
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import Head, Rows, store

Encoding = Callable[[int], Fraction]  # of a position, counted from 1
Positions = tuple[tuple[Encoding, Form], ...]


def index(i: int) -> Fraction:
    """The position encoding i, counted from 1."""
    return Fraction(i)


def one(i: int) -> Fraction:
    """The position encoding 1."""
    return Fraction(1)


def reciprocal(i: int) -> Fraction:
    """The position encoding 1/i, which sigma can carry."""
    return Fraction(1, i)


@dataclass(frozen=True, init=False)
class SaturatedFFN:
    """A feed-forward network O: `hidden` are its layers, sigma after each; `out` maps each
    coordinate that it writes to a form over the last. With `is_clipped` False it is ReLU in place
    of sigma, which section 3.2 allows.
    """

    hidden: tuple[Rows, ...]
    out: Rows
    is_clipped: bool

    def __init__(self, hidden: Iterable[RowsLike], out: RowsLike, is_clipped: bool = True):
        store(self, hidden=tuple(map(pairs, hidden)), out=pairs(out), is_clipped=is_clipped)


@dataclass(frozen=True)
class Sublayer:
    """x -> map(x) + x, or map(x) where it has no `residual` connection. `map` None stands for V =
    0, or an O that is always 0.
    """

    map: Head | SaturatedFFN | None = None
    residual: bool = True


IDENTITY = Sublayer(None)  # only the residual connection: V = 0, or O = 0
EncoderLayer = tuple[Sublayer, Sublayer]  # an attention, and an FFN
DecoderLayer = tuple[Sublayer, Sublayer, Sublayer]  # to the decoder, to the encoder, and an FFN


@dataclass(frozen=True, init=False)
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
    position: Positions
    encoder: tuple[EncoderLayer, ...]
    decoder: tuple[DecoderLayer, ...]
    F: Rows | None
    seed: Form
    masked: bool
    halts: tuple[str, ...]

    def __init__(
        self,
        space: Space,
        embedding: RowsLike,
        position: Mapping[Encoding, Form] | Iterable[tuple[Encoding, Form]],
        encoder: Iterable[EncoderLayer],
        decoder: Iterable[DecoderLayer],
        F: RowsLike | None = None,
        seed: Form | None = None,
        masked: bool = False,
        halts: Iterable[str] = (),
    ):
        store(self, space=space, embedding=pairs(embedding), position=pairs(position))
        store(self, encoder=tuple(map(tuple, encoder)), decoder=tuple(map(tuple, decoder)))
        store(self, F=None if F is None else pairs(F), seed=Form() if seed is None else seed)
        store(self, masked=masked, halts=tuple(map(space.check, halts)))
        Run(self, exact)  # raises where a name is not there

    def outputs(self, w: str, number: Arithmetic = exact) -> Iterator[Vector]:
        """y_0, y_1, ... for the tokens # w $, to the first in which the transformer halts: without
        end if it does not. ValueError for a symbol outside the alphabet.
        """
        alphabet = (symbol for symbol, _ in self.embedding if symbol not in (BEGIN, END))
        check_string(w, tuple(alphabet))
        return Run(self, number).outputs([BEGIN, *w, END])


class HardAttention:
    """One head's keys and values, kept as they come, and what it reads with a query. A query meets
    all keys, and no key is computed twice.
    """

    def __init__(self, head: Head, names: tuple[str, ...], number: Arithmetic, dot_product: bool):
        self.query = Affine(head.q, names, number)
        self.key = Affine(head.k, names, number)
        self.value = Affine((form for _, form in head.v), names, number)
        self.writes = [names.index(name) for name, _ in head.v]
        self.dot_product = dot_product
        self.zero = number(Fraction(0))
        self.keys: list[Vector] = [[] for _ in head.k]  # a column for each entry
        self.values: list[Vector] = [[] for _ in head.v]

    def see(self, x: Vector) -> None:
        """Keeps the key and the value of one more vector."""
        for column, entry in zip(self.keys, self.key(x), strict=True):
            column.append(entry)
        for column, entry in zip(self.values, self.value(x), strict=True):
            column.append(entry)

    def scores(self, x: Vector, visible: int) -> Vector:
        """<q, k_j>, or -|<q, k_j>|, for the query of x and the first `visible` keys."""
        scores = [self.zero] * visible
        for q, column in zip(self.query(x), self.keys, strict=True):
            if q:
                scores = [score + q * k for score, k in zip(scores, column, strict=False)]
        if self.dot_product:
            return scores
        return [-abs(score) for score in scores]

    def __call__(self, x: Vector, visible: int | None = None) -> Vector:
        """Att(q, K, V) for the query of x over the first `visible` keys (None: all), as a vector
        over all coordinates: the mean of the values whose scores are largest.
        """
        seen = len(self.values[0])
        scores = self.scores(x, seen if visible is None else min(visible, seen))
        best = max(scores)
        chosen = [j for j, score in enumerate(scores) if score == best]
        result = [self.zero] * len(x)
        for i, column in zip(self.writes, self.values, strict=True):
            result[i] = sum((column[j] for j in chosen), self.zero) / len(chosen)
        return result


def writer(rows: Rows, reads: Sequence[str], space: Space, number: Arithmetic) -> Affine:
    """The affine map that writes `rows` and leaves every other coordinate of `space` 0."""
    written = {space.check(name): form for name, form in rows}
    return Affine((written.get(name, Form()) for name in space.names), reads, number)


class RunningSublayer:
    """A sublayer of `transformer` made ready for one run: it keeps what its attention, if it has
    one, has seen.
    """

    def __init__(self, sublayer: Sublayer, transformer: Transformer, number: Arithmetic):
        space, names = transformer.space, transformer.space.names
        self.residual = sublayer.residual
        self.attention: HardAttention | None = None
        zeros = [number(Fraction(0))] * len(names)
        self.ffn: list[Callable[[Vector], Vector]] = [lambda x: zeros]
        if isinstance(sublayer.map, Head):
            self.attention = HardAttention(sublayer.map, names, number, transformer.masked)
        elif isinstance(sublayer.map, SaturatedFFN):
            last = [name for name, _ in sublayer.map.hidden[-1]]
            hidden = Layers(sublayer.map.hidden, names, number, sublayer.map.is_clipped)
            self.ffn = [hidden, writer(sublayer.map.out, last, space, number)]

    def see(self, x: Vector) -> None:
        """Keeps one more vector to attend to."""
        if self.attention:
            self.attention.see(x)

    def __call__(self, x: Vector, visible: int | None = None) -> Vector:
        """map(x) + x, or map(x); an attention sees the first `visible` vectors, or all."""
        mapped = x
        if self.attention:
            mapped = self.attention(x, visible)
        else:
            for part in self.ffn:
                mapped = part(mapped)
        if not self.residual:
            return mapped
        return [a + b for a, b in zip(mapped, x, strict=True)]


class Run:
    """A transformer made ready for one run in the arithmetic `number`, on any list of tokens."""

    def __init__(self, transformer: Transformer, number: Arithmetic):
        space = transformer.space
        self.number = number
        self.masked = transformer.masked
        self.embedding = {token: self._vector(space, form) for token, form in transformer.embedding}
        self.seed = self._vector(space, transformer.seed)
        self.positions: list[tuple[Encoding, list[tuple[int, Number]]]] = [
            (encoding, [(space.names.index(name), number(c)) for name, c in form.terms])
            for encoding, form in transformer.position
        ]
        self.halting = [space.names.index(name) for name in transformer.halts]
        self.encoder, self.decoder = (
            [[RunningSublayer(part, transformer, number) for part in layer] for layer in layers]
            for layers in (transformer.encoder, transformer.decoder)
        )
        self.F: Affine | None = None
        if transformer.F is not None:
            self.F = writer(transformer.F, space.names, space, number)

    def _vector(self, space: Space, form: Form) -> Vector:
        return [self.number(c) for c in space.dense(form)]

    def _placed(self, x: Vector, i: int) -> Vector:
        """x + pos(i)."""
        x = list(x)
        for encoding, terms in self.positions:
            value = self.number(encoding(i))
            for place, c in terms:
                x[place] = x[place] + c * value
        return x

    def _visible(self, i: int) -> int | None:
        """How many vectors an attention at position i sees; None: all."""
        return i if self.masked else None

    def encode(self, tokens: Sequence[str]) -> list[Vector]:
        """z_1, z_2, ...: the last encoder layer's vectors."""
        X = [self._placed(self.embedding[token], i) for i, token in enumerate(tokens, start=1)]
        for attend, feed in self.encoder:
            for x in X:
                attend.see(x)
            X = [feed(attend(x, self._visible(i))) for i, x in enumerate(X, start=1)]
        return X

    def decode(self, y: Vector, t: int) -> Vector:
        """What the decoder makes of y_t and of the outputs before it, without a position."""
        for attend, attend_across, feed in self.decoder:
            attend.see(y)
            y = feed(attend_across(attend(y), self._visible(t + 1)))
        return self.F(y) if self.F else y

    def outputs(self, tokens: Sequence[str]) -> Iterator[Vector]:
        """y_0, y_1, ..., as `Transformer.outputs` gives them."""
        encoded = self.encode(tokens)
        for _, attend_across, _ in self.decoder:
            for z in encoded:
                attend_across.see(z)  # K^e and V^e
        y = self.seed
        for t in count():
            y = self._placed(y, t + 1)
            yield y
            if any(y[i] == 1 for i in self.halting):
                return
            y = self.decode(y, t)


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


@takes(rnn=RNN)
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


@takes(rnn=RNN)
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
