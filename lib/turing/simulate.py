"""Two transformers that simulate any RNN, and the decoder that runs them, exactly or in any other
arithmetic.

Bhattamishra, Patel & Goyal (2020): the architecture of section 3.2, with hard attention; Theorem
4.1/C.2, with position encodings and the score -|<q, k>|; Theorem 4.2/D.1, with masking alone and
the score <q, k>. Their misprints are repaired here; the chapter runs them as printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count

from lib.checks import check_string
from lib.transformer.construction import Head
from lib.transformer.space import Form, Space
from lib.turing.recurrent import (
    BEGIN,
    END,
    RNN,
    Affine,
    Arithmetic,
    Layers,
    Rows,
    Vector,
    coordinate,
    exact,
    pairs,
)


def index(i: int) -> Fraction:
    """The position encoding i, counted from 1."""
    return Fraction(i)


def one(i: int) -> Fraction:
    """The position encoding 1."""
    return Fraction(1)


def reciprocal(i: int) -> Fraction:
    """The position encoding 1/i, which sigma can carry."""
    return Fraction(1, i)


Positions = tuple[tuple[Callable[[int], Fraction], Form], ...]


@dataclass(frozen=True)
class FFN:
    """A feed-forward network O: `hidden` are its layers, sigma after each; `out` maps each
    coordinate that it writes to a form over the last.
    """

    hidden: tuple[Rows, ...]
    out: Rows

    def __post_init__(self):
        object.__setattr__(self, "hidden", tuple(map(pairs, self.hidden)))
        object.__setattr__(self, "out", pairs(self.out))
        if not self.hidden:
            raise ValueError("a feed-forward network needs at least one hidden layer")


@dataclass(frozen=True)
class Sublayer:
    """x -> map(x) + x, or map(x) where it has no `residual` connection. `map` None stands for V =
    0, or an O that is always 0.
    """

    map: Head | FFN | None = None
    residual: bool = True

    def __post_init__(self):
        if not isinstance(self.map, Head | FFN | None):
            raise TypeError(f"a Head, an FFN or None is expected, not {self.map!r}")


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
    position: Positions
    encoder: tuple[tuple[Sublayer, Sublayer], ...]
    decoder: tuple[tuple[Sublayer, Sublayer, Sublayer], ...]
    F: Rows | None = None
    seed: Form = field(default_factory=Form)
    masked: bool = False
    halts: tuple[str, ...] = ()

    def __post_init__(self):
        for name in ("embedding", "position"):
            object.__setattr__(self, name, pairs(getattr(self, name)))
        for name in ("encoder", "decoder"):
            object.__setattr__(self, name, tuple(map(tuple, getattr(self, name))))
        object.__setattr__(self, "F", None if self.F is None else pairs(self.F))
        for name in self.halts:
            self.space.check(name)
        Run(self, exact)  # raises where a name is not there

    def outputs(self, w: str, number: Arithmetic = exact) -> Iterator[Vector]:
        """y_0, y_1, ... for the tokens # w $, to the first in which the transformer halts: without
        end if it does not.

        ValueError for a symbol outside the alphabet, TypeError for no string.
        """
        check_string(w, tuple(symbol for symbol, _ in self.embedding if symbol not in (BEGIN, END)))
        return Run(self, number).outputs([BEGIN, *w, END])


class Attention:
    """One head's keys and values, kept as they come, and what it finds with a query. All keys are
    asked, none is computed twice.
    """

    def __init__(self, head: Head, names: tuple[str, ...], number: Arithmetic, dot_product: bool):
        def rows(forms):
            return Affine(tuple((str(r), form) for r, form in enumerate(forms)), names, number)

        self.query, self.key, self.value = (
            rows(head.q),
            rows(head.k),
            rows(form for _, form in head.v),
        )
        self.writes = [names.index(name) for name, _ in head.v]
        self.zero, self.dot_product = number(Fraction(0)), dot_product
        self.keys, self.values = [[] for _ in head.k], [[] for _ in head.v]

    def see(self, x: Vector) -> None:
        """Keeps the key and the value of one more vector."""
        for column, entry in zip(self.keys, self.key(x)):
            column.append(entry)
        for column, entry in zip(self.values, self.value(x)):
            column.append(entry)

    def __call__(self, x: Vector, sees: int | None = None) -> Vector:
        """Att(q, K, V) for the query of x over the first `sees` keys (None: all), as a vector over
        all coordinates.
        """
        seen = len(self.values[0]) if sees is None else min(sees, len(self.values[0]))
        scores = [self.zero] * seen
        for q, column in zip(self.query(x), self.keys):
            if q:
                scores = [score + q * k for score, k in zip(scores, column)]
        if not self.dot_product:
            scores = [-abs(score) for score in scores]
        best = max(scores)
        chosen = [j for j, score in enumerate(scores) if score == best]  # hardmax
        result = [self.zero] * len(x)
        for i, column in zip(self.writes, self.values):
            result[i] = sum((column[j] for j in chosen), self.zero) / len(chosen)
        return result


class Run:
    """A transformer made ready for one run in the arithmetic `number`, on any list of tokens."""

    def __init__(self, transformer: Transformer, number: Arithmetic):
        self.transformer, self.number, self.names = transformer, number, transformer.space.names
        self.zero, dense = number(Fraction(0)), transformer.space.dense
        self.embedding = {
            token: [*map(number, dense(form))] for token, form in transformer.embedding
        }
        self.seed = [*map(number, dense(transformer.seed))]
        self.positions = [
            (encoding, [(self.names.index(place), number(c)) for place, c in form.terms])
            for encoding, form in transformer.position
        ]
        self.encoder, self.decoder = (
            [[self._sublayer(sublayer) for sublayer in layer] for layer in layers]
            for layers in (transformer.encoder, transformer.decoder)
        )
        self.F = None if transformer.F is None else self._writer(transformer.F, self.names)

    def _writer(self, rows: Rows, names: tuple[str, ...]) -> Callable[[Vector], Vector]:
        """The affine map that writes `rows` and leaves every other coordinate 0."""
        affine, places = (
            Affine(rows, names, self.number),
            [self.names.index(name) for name, _ in rows],
        )

        def write(x: Vector) -> Vector:
            result = [self.zero] * len(self.names)
            for i, value in zip(places, affine(x)):
                result[i] = value
            return result

        return write

    def _ffn(self, ffn: FFN) -> Callable[[Vector], Vector]:
        layers = Layers(ffn.hidden, self.names, self.number)
        write = self._writer(ffn.out, tuple(name for name, _ in ffn.hidden[-1]))
        return lambda x: write(layers(x))

    def _sublayer(self, sublayer: Sublayer) -> tuple[Callable, Attention | None]:
        """A sublayer as a function of a vector and of how many keys it may see, and its attention,
        if it has one.
        """
        attention = isinstance(sublayer.map, Head) and Attention(
            sublayer.map, self.names, self.number, self.transformer.masked
        )
        ffn = self._ffn(sublayer.map) if isinstance(sublayer.map, FFN) else None

        def apply(x: Vector, sees: int | None = None) -> Vector:
            mapped = attention(x, sees) if attention else ffn(x) if ffn else [self.zero] * len(x)
            return [a + b for a, b in zip(mapped, x)] if sublayer.residual else mapped

        return apply, attention or None

    def _placed(self, x: Vector, i: int) -> Vector:
        """x + pos(i)."""
        x = list(x)
        for encoding, terms in self.positions:
            value = self.number(encoding(i))
            for place, c in terms:
                x[place] = x[place] + c * value
        return x

    def encode(self, tokens: Sequence[str]) -> list[Vector]:
        """z_1, z_2, ...: the last encoder layer's vectors."""
        X = [self._placed(self.embedding[token], i) for i, token in enumerate(tokens, start=1)]
        for (attend, attention), (feed, _) in self.encoder:
            for x in X if attention else ():
                attention.see(x)
            X = [
                feed(attend(x, i if self.transformer.masked else None))
                for i, x in enumerate(X, start=1)
            ]
        return X

    def outputs(self, tokens: Sequence[str]) -> Iterator[Vector]:
        """y_0, y_1, ..., as `Transformer.outputs` gives them."""
        encoded = self.encode(tokens)
        for _, (_, across), _ in self.decoder:
            for z in encoded if across else ():
                across.see(z)  # K^e and V^e
        halting, y = [self.names.index(name) for name in self.transformer.halts], self.seed
        for t in count():
            y = self._placed(y, t + 1)
            yield y
            if any(y[i] == 1 for i in halting):
                return
            for (attend, own), (attend_across, _), (feed, _) in self.decoder:
                if own:
                    own.see(y)
                y = feed(attend_across(attend(y), t + 1 if self.transformer.masked else None))
            y = self.F(y) if self.F else y


IDENTITY = Sublayer(None)  # only the residual connection: V = 0, or O = 0


def _carried(names: list[str], layers: int) -> list[Rows]:
    """Hidden units that hand coordinates in [0, 1] through as many layers, as sigma(x) = x."""
    return [
        pairs({f"+{name}": coordinate(name if not depth else f"+{name}") for name in names})
        for depth in range(layers)
    ]


def _forgetting(rnn: RNN, also: list[str]) -> FFN:
    """The O of Lemmas C.4 and D.4: it computes g and writes h_next - h and, for each coordinate of
    `also`, minus itself.
    """

    def inner(form: Form) -> Form:
        return Form(tuple((f"g {name}", c) for name, c in form.terms), form.constant)

    first, *others = rnn.layers
    g = [pairs({f"g {name}": form for name, form in first})]
    g += [pairs({f"g {name}": inner(form) for name, form in layer}) for layer in others]
    carried = _carried([*rnn.hidden.names, *also], len(g))
    out = {name: coordinate(f"g {name}") - coordinate(f"+{name}") for name in rnn.hidden.names}
    return FFN(
        [a + b for a, b in zip(g, carried)], out | {name: -coordinate(f"+{name}") for name in also}
    )


def vanilla(rnn: RNN) -> Transformer:
    """The transformer of Theorem 4.1/C.2: y_t = [h_t, 0; 0, t + 1, 1], with d = 2 d_h + d_b + 2.

    Repaired: pos(t + 1) is added to y_t, # stands at position 1, and F keeps h alone, because sigma
    in O clips t + 1.
    """
    rnn = rnn.within_unit_inputs()
    h, s = rnn.hidden.names, rnn.inputs.names
    S = Space(*h, *s, *(f"h₂ {name}" for name in h), "x₁", "x₂")
    x1, x2 = S["x₁"], S["x₂"]
    read = Head(
        q=[x1, x2], k=[-x2, x1], v={name: S[name] for name in s}
    )  # Lemmas C.3 and C.5: -|i - (t + 1)|
    return Transformer(
        S,
        (*_embedding(rnn), (END, Form())),
        {index: x1, one: x2},
        encoder=((IDENTITY, IDENTITY),),
        decoder=((IDENTITY, Sublayer(read), Sublayer(_forgetting(rnn, [*s]))),),
        F={name: S[name] for name in h},
        halts=rnn.halts,
    )


def _embedding(rnn: RNN) -> Rows:
    """f_b of # and of each input symbol."""
    return ((BEGIN, Form()), *rnn.embedding)


def directional(rnn: RNN) -> Transformer:
    """The transformer of Theorem 4.2/D.1: y_t = [h_t, 0, 0, 0, 1/2^t, 0, 0, ω_(t-1)], with d = 2
    d_h + d_b + 4 |Σ| + 1.

    Here h_t is the state after t symbols, # among them, where the paper writes h_(t-1). Repaired:
    Lemma D.2 reads ω_t where the attention writes it, and writes δ_t and -s_(0:t).
    """
    rnn = rnn.within_unit_inputs()
    h, s, Σ = rnn.hidden.names, rnn.inputs.names, (BEGIN, *rnn.alphabet, END)
    blocks = {number: [f"⟦{a}⟧{number}" for a in Σ] for number in "₁₂₃₄"}
    S = Space(
        *h,
        *(f"h₂ {name}" for name in h),
        *s,
        *blocks["₁"],
        "x₁",
        *blocks["₂"],
        *blocks["₃"],
        *blocks["₄"],
    )
    first, third, fourth = ([S[name] for name in blocks[number]] for number in "₁₃₄")
    symbol = dict(zip(Σ, first))
    embedding = {a: f_b + symbol[a] for a, f_b in (*_embedding(rnn), (END, Form()))}
    read = Head(
        q=first, k=first, v={name: S[name] for name in s} | dict(zip(blocks["₃"], first))
    )  # eq. (13)

    carried = _carried([*s, *blocks["₃"], *blocks["₄"]], 1)[0]
    Δ = {f"Δ{a}": now - before for a, now, before in zip(Σ[:-1], third, fourth)}
    out = {name: -coordinate(f"+{name}") for name in (*s, *blocks["₃"])}  # Lemma D.2
    out |= dict(zip(blocks["₁"], (*map(coordinate, Δ), coordinate("half")))) | {
        "x₁": -coordinate("half")
    }
    out |= {
        before: coordinate(f"+{now}") - coordinate(f"+{before}")
        for now, before in zip(blocks["₃"], blocks["₄"])
    }
    difference = FFN([carried + pairs(Δ | {"half": S["x₁"] / 2})], out)

    return Transformer(
        S,
        embedding,
        (),
        encoder=((IDENTITY, IDENTITY),),
        decoder=(
            (IDENTITY, Sublayer(read), Sublayer(difference)),
            (
                IDENTITY,
                Sublayer(read),
                Sublayer(_forgetting(rnn, [*s, *blocks["₁"], *blocks["₃"]])),
            ),
        ),
        seed=S["x₁"],
        masked=True,
        halts=rnn.halts,
    )
