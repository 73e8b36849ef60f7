"""Mutation: a construction with one of its coefficients set to zero."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from lib.checks import takes
from lib.transformer.construction import Construction
from lib.transformer.space import Form
from lib.transformer.sublayers import FFN, Head, Layer


@takes(construction=Construction)
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
        for label, mutant in _head_mutants(f"{number},{h}", head):
            yield label, replace(layer, heads=[*layer.heads[: h - 1], mutant, *layer.heads[h:]])
    if layer.ffn:
        for label, mutant in _ffn_mutants(number, layer.ffn):
            yield label, replace(layer, ffn=mutant)


def _head_mutants(place: str, head: Head) -> Iterator[tuple[str, Head]]:
    for r, name, q in _rows_without_each(head.q):
        yield f"W^{{Q,{place}}}: q{r} ← {name}", replace(head, q=q)
    for r, name, k in _rows_without_each(head.k):
        yield f"W^{{K,{place}}}: k{r} ← {name}", replace(head, k=k)
    for written, form in head.v:
        for name, smaller in _without_each(form):
            v = {**dict(head.v), written: smaller}
            yield f"W^{{V,{place}}}: {written} ← {name}", replace(head, v=v)


def _ffn_mutants(number: int, ffn: FFN) -> Iterator[tuple[str, FFN]]:
    for r, name, hidden in _rows_without_each(ffn.hidden):
        yield f"W^{{F,{number},1}}: h{r} ← {name}", replace(ffn, hidden=hidden)
    for written, row in ffn.out:
        for r, coefficient in enumerate(row):
            if coefficient:
                out = {**dict(ffn.out), written: [*row[:r], Fraction(0), *row[r + 1 :]]}
                yield f"W^{{F,{number},2}}: {written} ← h{r + 1}", replace(ffn, out=out)


def _rows_without_each(forms: Sequence[Form]) -> Iterator[tuple[int, str, list[Form]]]:
    """Each row's number, from 1, a coordinate of it, and all rows without that coordinate there."""
    for r, form in enumerate(forms):
        for name, smaller in _without_each(form):
            yield r + 1, name, [*forms[:r], smaller, *forms[r + 1 :]]


def _without_each(form: Form) -> Iterator[tuple[str, Form]]:
    for name in form.names:
        yield name, Form(tuple(term for term in form.terms if term[0] != name), form.constant)
