"""Mutation: a construction with one of its coefficients set to zero."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from lib.transformer.construction import Construction
from lib.transformer.space import Form
from lib.transformer.sublayers import Layer


def mutants(construction: Construction) -> Iterator[tuple[str, Construction]]:
    """Every (label, construction) with one nonzero coefficient of one layer's matrices set to zero.

    The label names the matrix as the paper does and the coordinates that the coefficient joins, for
    instance "W^{V,1,1}: k/n ← 1". Embeddings and the output row are left alone.
    """
    for number, layer in enumerate(construction.layers, start=1):
        for label, mutant in _layer_mutants(number, layer):
            layers = [*construction.layers[: number - 1], mutant, *construction.layers[number:]]
            name = f"{construction.name} without {label}"
            yield label, replace(construction, layers=layers, name=name)


def _layer_mutants(number: int, layer: Layer) -> Iterator[tuple[str, Layer]]:
    for h, head in enumerate(layer.heads):
        for matrix, rows in (("q", head.q), ("k", head.k), ("v", dict(head.v))):
            for label, smaller in _without_each(matrix, rows):
                mutant = replace(head, **{matrix: smaller})
                heads = [*layer.heads[:h], mutant, *layer.heads[h + 1 :]]
                place = f"W^{{{matrix.upper()},{number},{h + 1}}}"
                yield f"{place}: {label}", replace(layer, heads=heads)
    if (ffn := layer.ffn) is None:
        return
    for label, hidden in _without_each("h", ffn.hidden):
        yield f"W^{{F,{number},1}}: {label}", replace(layer, ffn=replace(ffn, hidden=hidden))
    for written, row in ffn.out:
        for r, coefficient in enumerate(row):
            if coefficient:
                out = {**dict(ffn.out), written: [*row[:r], Fraction(0), *row[r + 1 :]]}
                label = f"W^{{F,{number},2}}: {written} ← h{r + 1}"
                yield label, replace(layer, ffn=replace(ffn, out=out))


def _without_each(
    matrix: str, rows: Sequence[Form] | dict[str, Form]
) -> Iterator[tuple[str, list[Form] | dict[str, Form]]]:
    """A label for each coordinate of each row, and all rows without that coordinate there."""
    is_named = isinstance(rows, dict)
    named = rows if is_named else {f"{matrix}{r}": form for r, form in enumerate(rows, start=1)}
    for row, form in named.items():
        for name in form.names:
            terms = tuple(term for term in form.terms if term[0] != name)
            smaller = named | {row: Form(terms, form.constant)}
            yield f"{row} ← {name}", smaller if is_named else [*smaller.values()]
