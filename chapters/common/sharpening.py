"""A layer more, after which the normalized logit of a transformer is as large as one likes (Chiang
& Cholak 2022, section 4.2).
"""

from dataclasses import replace
from math import expm1, log, sqrt

from lib.checks import Number, rational
from lib.transformer.construction import Construction
from lib.transformer.space import Form
from lib.transformer.sublayers import FFN, Layer


def logit_layer(construction: Construction) -> Layer:
    """A layer without attention that erases every coordinate and writes the logit s into the first
    one and -s into the second: x - max(0, x) + max(0, -x) = 0. Section 4.2.
    """
    space, names = construction.space, construction.space.names
    written = {names[0]: construction.output, names[1]: -construction.output}
    changes = {name: written.get(name, Form()) - space[name] for name in names}
    # Of the 2d hidden units max(0, x) and max(0, -x): a form is the sum of both, with both signs.
    out = {name: [*space.dense(form), *space.dense(-form)] for name, form in changes.items()}
    constants = {name: form.constant for name, form in written.items()}
    return Layer(ffn=FFN([*space, *(-x for x in space)], out, constants), rewrites=names)


def sharpen(construction: Construction, eta: Number) -> Construction:
    """The construction with a layer more, whose cross-entropy under layer normalization with eps =
    0 is `eta` nats.

    The new layer leaves (s, -s, 0, ..., 0) of d coordinates, which layer normalization turns into
    (±√(d/2), ∓√(d/2), 0, ..., 0); the output weight does the rest. Holds for every string with
    s != 0, in exact arithmetic: a float type in which s^2 underflows makes it infinite. Proposition
    2 (section 4.2), its sign put right. Raises ValueError unless 0 < eta < ln 2 (guessing costs
    ln 2 nats, and a larger eta asks for a weight c <= 0), and for another output than a sigmoid's.
    """
    if not 0 < rational(eta, "eta") < log(2):
        raise ValueError(
            f"eta must lie strictly between 0 and ln 2 = {log(2):.4f} nats, not {eta!r}"
        )
    if construction.activation != "sigmoid":
        raise ValueError(
            f"sharpening enlarges the logit of a sigmoid: {construction.name} has the activation "
            f"{construction.activation!r}"
        )
    layers, space = [*construction.layers, logit_layer(construction)], construction.space
    output = space[space.names[0]] * (-log(expm1(float(eta))) / sqrt(len(space) / 2))
    name = f"sharpened {construction.name}"
    return replace(construction, layers=layers, output=output, name=name)
