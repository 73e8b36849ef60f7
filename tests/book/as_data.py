"""Transformers of `chapters.common.turing` as plain data, as the page's compiler writes them."""

from chapters.common.turing.architecture import SaturatedFFN, Sublayer, Transformer
from lib.transformer.construction import form_to_data
from lib.transformer.sublayers import Head, Rows


def _rows(rows: Rows) -> dict:
    return {name: form_to_data(form) for name, form in rows}


def _sublayer(sublayer: Sublayer) -> dict:
    head = sublayer.map if isinstance(sublayer.map, Head) else None
    ffn = sublayer.map if isinstance(sublayer.map, SaturatedFFN) else None
    return {
        "residual": sublayer.residual,
        "head": head and _head(head),
        "ffn": ffn and {"hidden": [*map(_rows, ffn.hidden)], "out": _rows(ffn.out)},
    }


def _head(head: Head) -> dict:
    return {
        "q": [*map(form_to_data, head.q)],
        "k": [*map(form_to_data, head.k)],
        "v": _rows(head.v),
    }


def transformer(model: Transformer) -> dict:
    """A transformer of `chapters.common.turing` as the page writes it; functions of a position by
    their names.
    """
    return {
        "encoder": [[*map(_sublayer, layer)] for layer in model.encoder],
        "decoder": [[*map(_sublayer, layer)] for layer in model.decoder],
        "space": model.space.names,
        "embedding": _rows(model.embedding),
        "F": model.F and _rows(model.F),
        "seed": form_to_data(model.seed),
        "position": [[f.__name__, form_to_data(form)] for f, form in model.position],
        "masked": model.masked,
        "halts": model.halts,
    }
