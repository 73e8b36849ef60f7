"""Layer normalization's two companions: functions from construction to construction, never second
copies of a model.

`mirror` doubles every coordinate so that centring has nothing to remove; `sharpen` adds a layer
after which the normalized logit is as large as one likes. Both are Chiang & Cholak 2022, section 4;
whether layer normalization is applied at all is an option (`eps`) of the readers.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import expm1, log, sqrt

from lib.checks import Number, rational
from lib.transformer.construction import FFN, Construction, Layer, Rows
from lib.transformer.space import Form, Space


def mirrored(name: str) -> str:
    """The name of the coordinate that holds the negative of `name`."""
    return f"-{name}"


def mirror(construction: Construction) -> Construction:
    """The construction with every coordinate x doubled by -x (2d coordinates), so that every vector
    has mean 0.

    What is read stays as it is; what is written is written twice, with both signs. Section 4.1.
    Raises ValueError for a construction that is mirrored already.
    """
    names = construction.space.names
    for name in names:
        if mirrored(name) in names:
            raise ValueError(
                f"{construction.name} holds {name!r} and {mirrored(name)!r}: it is mirrored already"
            )
    space = Space(*names, *map(mirrored, names))

    def both(rows: Rows) -> dict[str, Form]:
        """Embeddings: the vector and, below it, its negative."""
        return {
            key: Form((*form.terms, *((mirrored(name), -c) for name, c in form.terms)))
            for key, form in rows
        }

    def doubled(layer: Layer) -> Layer:
        heads = [
            replace(head, v={**dict(head.v), **{mirrored(name): -form for name, form in head.v}})
            for head in layer.heads
        ]
        ffn = layer.ffn and FFN(
            layer.ffn.hidden,
            {
                **dict(layer.ffn.out),
                **{mirrored(name): [-c for c in row] for name, row in layer.ffn.out},
            },
            {**dict(layer.ffn.bias), **{mirrored(name): -b for name, b in layer.ffn.bias}},
        )
        return Layer(heads, ffn, (*layer.rewrites, *map(mirrored, layer.rewrites)))

    return Construction(
        space,
        both(construction.word),
        both(construction.position),
        [*map(doubled, construction.layers)],
        construction.output,
        f"mirrored {construction.name}",
        construction.activation,
    )


def sharpen(construction: Construction, eta: Number) -> Construction:
    """The construction with a layer more, whose cross-entropy under layer normalization with eps =
    0 is `eta` nats.

    The new feed-forward layer leaves (s, -s, 0, ..., 0) of d coordinates, which layer normalization
    turns into (±√(d/2), ∓√(d/2), 0, ..., 0); the output weight does the rest. Holds for every
    string with s != 0, in exact arithmetic: a float type in which s^2 underflows makes it infinite.
    Proposition 2 (section 4.2), its sign put right. Raises ValueError unless 0 < eta < ln 2
    (guessing costs ln 2 nats, and a larger eta asks for a weight c <= 0), and for another output
    than a sigmoid's.
    """
    if not 0 < (eta := float(rational(eta, "eta"))) < log(2):
        raise ValueError(
            f"eta must lie strictly between 0 and ln 2 = {log(2):.4f} nats, not {eta!r}"
        )
    if construction.activation != "sigmoid":
        raise ValueError(
            f"sharpening enlarges the logit of a sigmoid: {construction.name} has the activation "
            f"{construction.activation!r}"
        )
    space, names = construction.space, construction.space.names
    if len(names) < 2:
        raise ValueError("sharpening needs at least two coordinates")
    plus, minus, logit = names[0], names[1], construction.output

    def row(form: Form) -> list[Fraction]:
        """The coefficients over the 2d hidden units max(0, x), max(0, -x) that add up to the form
        (without its constant).
        """
        return [*space.dense(form), *space.dense(-form)]

    wanted = {plus: logit, minus: -logit}
    out = {name: row(wanted.get(name, Form()) - space[name]) for name in names}
    layer = Layer(
        ffn=FFN(
            [*space, *(-x for x in space)],
            out,
            {name: form.constant for name, form in wanted.items()},
        ),
        rewrites=names,
    )
    c = -log(expm1(eta)) / sqrt(len(names) / 2)
    return Construction(
        space,
        construction.word,
        construction.position,
        [*construction.layers, layer],
        space[plus] * c,
        f"sharpened {construction.name}",
    )
