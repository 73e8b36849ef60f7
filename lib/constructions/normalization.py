"""Layer normalization's companion: `mirror` doubles every coordinate so that centring has nothing
to remove (Chiang & Cholak 2022, section 4). It applies no layer normalization, and does not change
what a construction says of its reading.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import neg
from typing import TypeVar

from lib.checks import takes
from lib.transformer.construction import Construction
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import Layer

N = TypeVar("N")


def mirrored(name: str) -> str:
    """The name of the coordinate that holds the negative of `name`."""
    return f"-{name}"


@takes(construction=Construction)
def mirror(construction: Construction) -> Construction:
    """The construction with every coordinate x doubled by -x (2d): so every vector has mean 0.

    What is read stays as it is; what is written is written twice, with both signs. The negatives
    stand behind all others, as in section 4.1. Raises ValueError for one that is mirrored already.
    """
    names = construction.space.names
    for name in names:
        if mirrored(name) in names:
            raise ValueError(f"{construction.name} is mirrored already: it has {mirrored(name)!r}")

    def doubled(rows: Iterable[tuple[str, N]], negative: Callable[[N], N]) -> dict[str, N]:
        rows = list(rows)
        return dict(rows) | {mirrored(name): negative(x) for name, x in rows}

    def embedding(form: Form) -> Form:
        """A vector and its negative."""
        return Form(tuple(doubled(form.terms, neg).items()))

    def layer_of(layer: Layer) -> Layer:
        heads = [replace(head, v=doubled(head.v, neg)) for head in layer.heads]
        ffn = layer.ffn and replace(
            layer.ffn,
            out=doubled(layer.ffn.out, lambda row: tuple(-c for c in row)),
            bias=doubled(layer.ffn.bias, neg),
        )
        return Layer(heads, ffn, [*layer.rewrites, *map(mirrored, layer.rewrites)])

    return replace(
        construction,
        space=Space(*names, *map(mirrored, names)),
        word={token: embedding(form) for token, form in construction.word},
        position={formula: embedding(form) for formula, form in construction.position},
        layers=[*map(layer_of, construction.layers)],
        name=f"mirrored {construction.name}",
    )
