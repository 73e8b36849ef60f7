"""Certificates of verdicts at every length, for `checker.py`, which has no part in how they are
found.

A certificate is plain data: the `language`, a row (a, b) for each condition a · counts + b >= 0
of all that must hold; `reach`: all nonempty strings of so many symbols are decided correctly;
cells, `low`, `high` and the `signs` of the score on them, 0 where each string in the cell is asked;
`wrong`, the numbers of symbols of the first error; `always`, where errors of every length are
proved; and `classes`, where under log n those who have some symbols are all decided alike.
"""

from typing import Any

import numpy as np

from chapters.how_long.runs import JUDGED_TO, LANGUAGES
from lib.formulas.text import formula
from lib.trained import Judged
from lib.trained.counts import FIRST, ONE, TOKENS, Search, every_length, every_share, present
from lib.trained.network import Linear, Norm
from lib.verdicts import PROVED

FORMS = {  # the languages once more: numbers of 0s and of 1s, and a constant
    "MAJORITY": [(-1, 1, -1)],
    "at least two 1s": [(0, 1, -2)],
    "a third": [(-1, 2, 0)],
    "ONE": [(0, 1, -1), (0, -1, 1)],
    "contains a 1": [(0, 1, -1)],
    "both symbols": [(1, 0, -1), (0, 1, -1)],
}


def arrays(judged: Judged) -> dict[str, Any]:
    """A network as the checker reads it."""

    def linear(map_: Linear) -> tuple[np.ndarray, np.ndarray]:
        return map_.weight.numpy(), map_.bias.numpy()

    def normal(norm: Norm) -> tuple[np.ndarray, np.ndarray, float, bool]:
        return norm.gain.numpy(), norm.bias.numpy(), norm.eps, norm.kind == "rms"

    network, parts = judged.network, ("q", "k", "v", "o", "first", "second")
    kinds = [*judged.tokens.values(), *judged.before]
    return {
        "kinds": network.word[kinds].numpy(),
        "log_n": network.log_n,
        "layers": [
            {name: linear(getattr(layer, name)) for name in parts}
            | {"norms": [normal(norm) for norm in layer.norms if norm is not None]}
            for layer in network.layers
        ],
        "output": linear(network.output),
    }


def certificate(judged: Judged, language: str, longest: int = JUDGED_TO) -> dict[str, Any]:
    """The certificate of a network for one of the languages, written by the search."""
    found = every_length(judged, formula(LANGUAGES[language], "01"), longest)
    [search] = found.searches
    low, high = every_share(2, 1 << FIRST, 1)
    cells = [(low, high, np.zeros(1, np.int64)), *search.settled]
    low, high, signs = (np.concatenate(part) for part in zip(*cells, strict=True))
    is_below = high[:, -1] > ONE // max(found.reach, 1)  # others hold no shorter strings
    is_first = found.counts is not None and sum(found.counts) == found.reach + 1
    return {
        "language": FORMS[language],
        "reach": found.reach,
        "low": low[is_below].tolist(),
        "high": high[is_below].tolist(),
        "signs": signs[is_below].tolist(),
        "wrong": found.counts if is_first else None,
        "always": errors(search, found.always),
        "classes": classes(search) if judged.network.log_n and found.kind == PROVED else None,
    }


def errors(search: Search, always: int | None) -> dict[str, Any] | None:
    """Strings that are decided incorrectly, one of each length, near a border in cells."""
    if always is None or search.proved is None or search.proved[1].symbols is not None:
        return None
    start, limit = search.proved
    border, step = limit.border, np.zeros(2, np.int64)
    step[[border.other, border.one]] = border.share.numerator, border.share.denominator
    step[border.one] -= border.share.numerator
    points = search.ask(search.against(limit, np.arange(always, start)))
    low, high = border.cell(limit.start.bit_length() - 1)
    return {
        "start": always,
        "points": points.tolist(),
        "bases": search.against(limit, np.arange(start, start + step.sum())).tolist(),
        "step": step.tolist(),
        "low": low[0].tolist(),
        "high": high[0].tolist(),
        "sign": limit.sign,
    }


def classes(search: Search) -> dict[str, Any]:
    """The sign of the score on strings of some symbols, from the first number of tokens on."""
    for power in TOKENS:
        found = [*present(search, 1 << power)]
        if all(sign and sign == meant for _, sign, meant in found):
            return {"tokens": 1 << power, "signs": [sign for _, sign, _ in found]}
    raise AssertionError("it is not proved")
