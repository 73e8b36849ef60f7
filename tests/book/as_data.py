"""Transformers of `lib.turing` as plain data, the way the page's compiler writes them."""

from lib.transformer.export import form_to_data, rows_to_data
from lib.transformer.sublayers import Head
from lib.turing.architecture import SaturatedFFN, Sublayer, Transformer


def _sublayer(sublayer: Sublayer) -> dict:
    head = sublayer.map if isinstance(sublayer.map, Head) else None
    ffn = sublayer.map if isinstance(sublayer.map, SaturatedFFN) else None
    return {
        "residual": sublayer.residual,
        "head": head and _head(head),
        "ffn": ffn and {"hidden": [*map(rows_to_data, ffn.hidden)], "out": rows_to_data(ffn.out)},
    }


def _head(head: Head) -> dict:
    return {
        "q": [*map(form_to_data, head.q)],
        "k": [*map(form_to_data, head.k)],
        "v": rows_to_data(head.v),
    }


def transformer(model: Transformer) -> dict:
    """A transformer of `lib.turing.architecture` as the page writes it; functions of a position
    go by their names.
    """
    return {
        "encoder": [[*map(_sublayer, layer)] for layer in model.encoder],
        "decoder": [[*map(_sublayer, layer)] for layer in model.decoder],
        "space": model.space.names,
        "embedding": rows_to_data(model.embedding),
        "F": model.F and rows_to_data(model.F),
        "seed": form_to_data(model.seed),
        "position": [[f.__name__, form_to_data(form)] for f, form in model.position],
        "masked": model.masked,
        "halts": model.halts,
    }
