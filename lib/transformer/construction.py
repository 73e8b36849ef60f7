"""A transformer encoder as data: sublayers that read affine forms and write named coordinates.

The definition is that of Chiang & Cholak, section 2.2: with a^{0,i} = WE(w_i) + PE(i), layer l
computes c^{l,i} = a^{l-1,i} + sum over heads of attention, then a^{l,i} = c^{l,i} + W2 max(0, W1
c^{l,i} + b1) + b2, and the logit is an affine form of a^{L,0}, the vector at CLS. Nothing here
computes: `lib.transformer.encoder` runs a construction in floating point and
`lib.transformer.exact` in rationals and balls.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from lib.checks import check_string, rational, whole
from lib.transformer.matrix import Matrix
from lib.transformer.positions import position as checked_position
from lib.transformer.space import Form, Space, UnknownCoordinate

# What the output unit makes of the logit s: the sign of s with which a string is accepted. The
# sigmoid is above 1/2 where s > 0;
# the indicator function [s = 0] is Nowak et al.'s (2022, section 3.2.4).
ACTIVATIONS = {"sigmoid": 1, "indicator": 0}

Rows = tuple[tuple[str, Form], ...]


def _pairs(mapping: Mapping | Iterable) -> tuple:
    """A mapping as a tuple of pairs: immutable, hashable, in declaration order. ValueError for a
    repeated key.
    """
    pairs = tuple(mapping.items() if isinstance(mapping, Mapping) else mapping)
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is written twice in {', '.join(map(repr, names))}")
    return pairs


def _all(kind: type, things: Iterable, what: str) -> tuple:
    """`things` as a tuple; TypeError unless each is a `kind`."""
    things = (things,) if isinstance(things, kind) else tuple(things)
    for thing in things:
        if not isinstance(thing, kind):
            raise TypeError(f"{what} is expected, not {thing!r}")
    return things


@dataclass(frozen=True)
class Head:
    """One attention head: position i attends to j with logit gain * sum_r q_r(a_i) k_r(a_j).

    `v` maps each coordinate that the head writes to the form that it averages (a row of W^V); `q`
    and `k` are the rows of W^Q and W^K, empty for W^Q = 0 (uniform attention). `gain` is the
    paper's c: the printed query matrices hold c√d, and the √d cancels against the one in the
    attention's denominator. With a `base` b, c is gain * ln b: attention weights are then
    proportional to b to a rational power, and stay rational where that is a whole number.
    """

    v: Rows
    q: tuple[Form, ...] = ()
    k: tuple[Form, ...] = ()
    gain: Fraction = Fraction(1)
    base: Fraction | None = None

    def __post_init__(self):
        object.__setattr__(self, "v", _pairs(self.v))
        object.__setattr__(self, "q", _all(Form, self.q, "a form for a query row"))
        object.__setattr__(self, "k", _all(Form, self.k, "a form for a key row"))
        _all(Form, dict(self.v).values(), "a form for a value row")
        object.__setattr__(self, "gain", rational(self.gain, "a head's gain"))
        if self.base is not None:
            object.__setattr__(self, "base", rational(self.base, "a head's base"))
            if self.base <= 0:
                raise ValueError(f"a head's base must be above 0, not {self.base}")
        if len(self.q) != len(self.k):
            raise ValueError(
                f"a head needs as many query rows as key rows, not {len(self.q)} and {len(self.k)}"
            )
        for form in (*dict(self.v).values(), *self.q, *self.k):
            if form.constant:
                raise ValueError(f"attention has no bias: {form} has the constant {form.constant}")

    @property
    def is_uniform(self) -> bool:
        """Whether every attention weight is 1/n whatever the input."""
        return not self.gain or not any(q.terms and k.terms for q, k in zip(self.q, self.k))


@dataclass(frozen=True)
class FFN:
    """A position-wise feed-forward sublayer: `hidden` are the rows of W1 with b1, `out` the rows of
    W2, `bias` b2.
    """

    hidden: tuple[Form, ...]
    out: tuple[tuple[str, tuple[Fraction, ...]], ...]
    bias: tuple[tuple[str, Fraction], ...] = ()

    def __post_init__(self):
        rows = ((name, tuple(rational(c) for c in row)) for name, row in _pairs(self.out))
        object.__setattr__(self, "hidden", _all(Form, self.hidden, "a form for a hidden unit"))
        object.__setattr__(self, "out", tuple(rows))
        object.__setattr__(
            self, "bias", tuple((name, rational(b)) for name, b in _pairs(self.bias))
        )
        for name, row in self.out:
            if len(row) != len(self.hidden):
                raise ValueError(
                    f"the output row of {name!r} has {len(row)} entries for {len(self.hidden)} hidden units"
                )


@dataclass(frozen=True)
class Layer:
    """Attention heads, whose outputs are added up, then a feed-forward sublayer, each with its
    residual connection.

    A sublayer may not write a coordinate that an earlier one wrote, unless `rewrites` names it.
    """

    heads: tuple[Head, ...] = ()
    ffn: FFN | None = None
    rewrites: tuple[str, ...] = ()

    def __post_init__(self):
        object.__setattr__(self, "heads", _all(Head, self.heads, "a head"))
        object.__setattr__(self, "rewrites", tuple(self.rewrites))


@dataclass(frozen=True)
class Construction:
    """A transformer encoder that classifies strings by a logit at CLS (position 0).

    `word` maps each symbol, and CLS, to its embedding; `position` maps formulas in i and n, such as
    "i/n" (`lib.transformer.positions`), to the form that carries them, so that a^{0,i} = word[w_i]
    + sum_f f(i, n) position[f]; `output` is the logit and `activation`, one of `ACTIVATIONS`, says
    when it accepts. The tokens are CLS, the symbols and, if `word` has one, the end tag EOS: n =
    |w| + 1 or |w| + 2. Raises ValueError or UnknownCoordinate for anything that does not fit
    together.
    """

    space: Space
    word: Rows
    position: Rows
    layers: tuple[Layer, ...]
    output: Form
    name: str = "a construction"
    activation: str = "sigmoid"

    def __post_init__(self):
        if self.activation not in ACTIVATIONS:
            raise ValueError(
                f"activation must be one of {', '.join(ACTIVATIONS)}, not {self.activation!r}"
            )
        for field in ("word", "position"):
            object.__setattr__(self, field, _pairs(getattr(self, field)))
        object.__setattr__(self, "layers", _all(Layer, self.layers, "a layer"))
        _all(Form, self.output, "a form for the output")
        for what in ("word", "position"):
            for name, form in getattr(self, what):
                if _all(Form, form, f"a form for the {what} {name!r}")[0].constant:
                    raise ValueError(f"an embedding has no constant: {what} {name!r} has {form}")
        self._check_names()
        self._check_collisions()

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The symbols that a string may hold: the single-character keys of `word`."""
        return tuple(symbol for symbol, _ in self.word if len(symbol) == 1)

    @property
    def end(self) -> tuple[str, ...]:
        """What stands behind every string: the tag EOS, or nothing."""
        return ("EOS",) if "EOS" in dict(self.word) else ()

    @property
    def accepting_sign(self) -> int:
        """The sign of the logit with which a string is accepted: 1, or 0 for the indicator
        function.
        """
        return ACTIVATIONS[self.activation]

    def tokens(self, w: str) -> list[str]:
        """CLS, the symbols of `w` and its end tag; ValueError for a symbol outside the alphabet,
        TypeError for no string.
        """
        return ["CLS", *check_string(w, self.alphabet), *self.end]

    def matrix(self, kind: str, layer: int = 1, index: int = 1) -> Matrix:
        """The dense matrix W^{kind,layer,index} over all d coordinates, in the paper's order.

        `kind` is "Q", "K" or "V" (index: the head), "F" (index 1 or 2: the two feed-forward
        matrices), "b" (their biases, as columns) or "out" (the output row without its constant;
        layer and index are ignored). Layers and heads count from 1. A query matrix has the factor
        c√d, c being the head's gain. ValueError for what does not exist.
        """
        names, dense = self.space.names, self.space.dense
        if kind == "out":
            return Matrix(
                f"W^{len(self.layers) + 1}", ("logit",), names, (tuple(dense(self.output)),)
            )
        if kind not in ("Q", "K", "V", "F", "b"):
            raise ValueError(f"kind must be one of Q, K, V, F, b, out, not {kind!r}")
        layer, index = whole(layer, "a layer"), whole(index, "an index")
        if layer not in range(1, len(self.layers) + 1):
            raise ValueError(f"layer must be in 1..{len(self.layers)}, not {layer!r}")
        title = f"b^{{F,{layer},{index}}}" if kind == "b" else f"W^{{{kind},{layer},{index}}}"

        def columns(labels: Iterable[str], rows: Mapping) -> Matrix:
            """A matrix with one row per coordinate, zero where `rows` has none."""
            nothing = (Fraction(0),) * len(labels := tuple(labels))
            return Matrix(
                title, names, labels, tuple(tuple(rows.get(name, nothing)) for name in names)
            )

        def reading(letter: str, forms: tuple[Form, ...], factor: str = "") -> Matrix:
            """A matrix with one row per form."""
            labels = tuple(f"{letter}{r}" for r in range(1, len(forms) + 1))
            return Matrix(title, labels, names, tuple(tuple(dense(form)) for form in forms), factor)

        if kind in ("Q", "K", "V"):
            heads = self.layers[layer - 1].heads
            if index not in range(1, len(heads) + 1):
                raise ValueError(
                    f"layer {layer} has {len(heads)} heads: there is no head {index!r}"
                )
            head = heads[index - 1]
            if kind == "V":
                return columns(names, {name: dense(form) for name, form in head.v})
            return reading("q", head.q, "c√d") if kind == "Q" else reading("k", head.k)
        ffn = self.layers[layer - 1].ffn
        if ffn is None or index not in (1, 2):
            raise ValueError(f"layer {layer} has no feed-forward matrix {index!r}")
        hidden = reading("h", ffn.hidden)
        if index == 2:
            return (
                columns(hidden.rows, dict(ffn.out))
                if kind == "F"
                else columns("1", {n: (b,) for n, b in ffn.bias})
            )
        return (
            hidden
            if kind == "F"
            else Matrix(title, hidden.rows, ("1",), tuple((f.constant,) for f in ffn.hidden))
        )

    def coefficients(self) -> Iterator[Fraction]:
        """Every number in the construction: of embeddings, layers and output, constants, gains and
        bases among them.
        """
        for form in self._forms():
            yield from (c for _, c in form.terms)
            yield form.constant
        for layer in self.layers:
            yield from (c for head in layer.heads for c in (head.gain, head.base) if c is not None)
            if layer.ffn:
                yield from (c for _, row in layer.ffn.out for c in row)
                yield from (b for _, b in layer.ffn.bias)

    def _forms(self) -> Iterator[Form]:
        """Every form, in reading order."""
        yield from (form for _, form in (*self.word, *self.position))
        for layer in self.layers:
            for head in layer.heads:
                yield from (*head.q, *head.k, *dict(head.v).values())
            yield from layer.ffn.hidden if layer.ffn else ()
        yield self.output

    def _check_names(self) -> None:
        if "CLS" not in dict(self.word):
            raise ValueError(
                f"the word embedding of CLS is missing among {', '.join(dict(self.word))}"
            )
        if not any(form.names for _, form in (*self.word, *self.position)):
            raise ValueError(
                "the embeddings write no coordinate: at least one word or position must"
            )
        for f, _ in self.position:
            checked_position(f)
        written = [name for layer in self.layers for head in layer.heads for name, _ in head.v]
        written += [
            name
            for layer in self.layers
            if layer.ffn
            for name, _ in (*layer.ffn.out, *layer.ffn.bias)
        ]
        rewritten = [name for layer in self.layers for name in layer.rewrites]
        for name in (
            *(name for form in self._forms() for name in form.names),
            *written,
            *rewritten,
        ):
            self.space.check(name)

    def _check_collisions(self) -> None:
        def written(rows: Rows) -> set[str]:
            return {name for _, form in rows for name in form.names}

        sublayers = [
            ("the word embedding", written(self.word), ()),
            ("the position encoding", written(self.position), ()),
        ]
        for number, layer in enumerate(self.layers, start=1):
            attention = {name for head in layer.heads for name, _ in head.v}
            ffn = {name for name, _ in (*layer.ffn.out, *layer.ffn.bias)} if layer.ffn else set()
            sublayers += [
                (f"attention {number}", attention, layer.rewrites),
                (f"feed-forward {number}", ffn, layer.rewrites),
            ]
        writer: dict[str, str] = {}
        for label, names, rewrites in sublayers:
            for name in sorted(names, key=self.space.names.index):
                if name in writer and name not in rewrites:
                    raise ValueError(
                        f"coordinate {name!r} is written by {writer[name]} and again by {label}"
                    )
                writer[name] = label

    def to_json(self) -> str:
        """The construction as JSON text; `from_json` gives back an equal one. Fractions are strings
        such as "-1/2".
        """
        return json.dumps(
            {
                "name": self.name,
                "space": self.space.names,
                "word": dump(self.word),
                "position": dump(self.position),
                "layers": [_dump_layer(layer) for layer in self.layers],
                "output": dump_form(self.output),
                "activation": self.activation,
            },
            ensure_ascii=False,
            indent=1,
        )

    @staticmethod
    def from_json(text: str) -> Construction:
        """The construction that `to_json` wrote; ValueError where the text is not one."""
        try:
            data = json.loads(text)
            if not isinstance(data["space"], list) or not isinstance(data["name"], str):
                raise TypeError(
                    f"a list of names and a name are expected, not {data['space']!r} and {data['name']!r}"
                )
            return Construction(
                Space(*data["space"]),
                _load(data["word"]),
                _load(data["position"]),
                [_load_layer(layer) for layer in data["layers"]],
                _load_form(data["output"]),
                data["name"],
                data["activation"],
            )
        except UnknownCoordinate as error:
            raise ValueError(f"not the JSON of a construction: {error}") from error
        except KeyError as error:
            raise ValueError(f"not the JSON of a construction: {error} is missing") from error
        except (ValueError, TypeError, AttributeError, ArithmeticError) as error:
            raise ValueError(f"not the JSON of a construction: {error}") from error


def dump_form(form: Form) -> dict[str, str]:
    """A form as JSON: coefficients by coordinate, the constant under the empty name."""
    constant = {"": str(form.constant)} if form.constant else {}  # no coordinate has an empty name
    return {name: str(c) for name, c in form.terms} | constant


def _load_form(data: dict[str, str]) -> Form:
    terms = tuple((name, Fraction(c)) for name, c in data.items() if name)
    return Form(terms, Fraction(data.get("", 0)))


def dump(rows: Rows) -> dict:
    """Named forms as JSON."""
    return {name: dump_form(form) for name, form in rows}


def _load(data: dict) -> dict[str, Form]:
    return {name: _load_form(form) for name, form in data.items()}


def _dump_layer(layer: Layer) -> dict:
    heads = [
        {
            "v": dump(head.v),
            "q": [*map(dump_form, head.q)],
            "k": [*map(dump_form, head.k)],
            "gain": str(head.gain),
            "base": head.base and str(head.base),
        }
        for head in layer.heads
    ]
    ffn = layer.ffn and {
        "hidden": [*map(dump_form, layer.ffn.hidden)],
        "out": {name: [*map(str, row)] for name, row in layer.ffn.out},
        "bias": {name: str(b) for name, b in layer.ffn.bias},
    }
    return {"heads": heads, "ffn": ffn, "rewrites": layer.rewrites}


def _load_layer(data: dict) -> Layer:
    heads = [
        Head(
            _load(head["v"]),
            map(_load_form, head["q"]),
            map(_load_form, head["k"]),
            Fraction(head["gain"]),
            head["base"] and Fraction(head["base"]),
        )
        for head in data["heads"]
    ]
    ffn = data["ffn"] and FFN(
        map(_load_form, data["ffn"]["hidden"]),
        {name: [*map(Fraction, row)] for name, row in data["ffn"]["out"].items()},
        {name: Fraction(b) for name, b in data["ffn"]["bias"].items()},
    )
    return Layer(heads, ffn, data["rewrites"])
