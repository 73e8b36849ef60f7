"""Mutation: a construction with one of its coefficients set to zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from lib.transformer.construction import Construction, Head, Layer
from lib.transformer.space import Form


def mutants(construction: Construction) -> Iterator[tuple[str, Construction]]:
    """Every (label, construction) with one nonzero coefficient of one layer's matrices set to zero.

    The label names the matrix as the paper does and the coordinates that the coefficient joins, for
    instance "W^{V,1,1}: k/n ← 1". Embeddings and the output row are left alone.
    """
    for number, layer in enumerate(construction.layers, start=1):
        for label, mutant in _layer_mutants(number, layer):
            layers = list(construction.layers)
            layers[number - 1] = mutant
            yield (
                label,
                replace(construction, layers=layers, name=f"{construction.name} without {label}"),
            )


def _layer_mutants(number: int, layer: Layer) -> Iterator[tuple[str, Layer]]:
    for h, head in enumerate(layer.heads, start=1):

        def swapped(h: int = h, head: Head = head, **change: object) -> Layer:
            heads = [*layer.heads[: h - 1], replace(head, **change), *layer.heads[h:]]
            return replace(layer, heads=heads)

        for kind, forms in (("Q", head.q), ("K", head.k)):
            for r, form in enumerate(forms):
                for name, smaller in _without_each(form):
                    rows = [*forms[:r], smaller, *forms[r + 1 :]]
                    yield (
                        f"W^{{{kind},{number},{h}}}: {kind.lower()}{r + 1} ← {name}",
                        swapped(**{kind.lower(): rows}),
                    )
        for written, form in head.v:
            for name, smaller in _without_each(form):
                yield (
                    f"W^{{V,{number},{h}}}: {written} ← {name}",
                    swapped(v={**dict(head.v), written: smaller}),
                )
    if layer.ffn is None:
        return
    for r, form in enumerate(layer.ffn.hidden):
        for name, smaller in _without_each(form):
            hidden = [*layer.ffn.hidden[:r], smaller, *layer.ffn.hidden[r + 1 :]]
            yield (
                f"W^{{F,{number},1}}: h{r + 1} ← {name}",
                replace(layer, ffn=replace(layer.ffn, hidden=hidden)),
            )
    for written, row in layer.ffn.out:
        for r, coefficient in enumerate(row):
            if coefficient:
                out = {**dict(layer.ffn.out), written: [*row[:r], Fraction(0), *row[r + 1 :]]}
                yield (
                    f"W^{{F,{number},2}}: {written} ← h{r + 1}",
                    replace(layer, ffn=replace(layer.ffn, out=out)),
                )


def _without_each(form: Form) -> Iterator[tuple[str, Form]]:
    for name in form.names:
        yield name, Form(tuple(term for term in form.terms if term[0] != name), form.constant)
