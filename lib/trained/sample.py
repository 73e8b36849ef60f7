"""A trained network on given strings, and held against a language where its strings are too many:
on some that are drawn.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import torch
from torch import Tensor

from lib.checks import above_zero, an, between, check_string, many, takes, text
from lib.languages import Sample
from lib.trained.arithmetic import Bounded, Floats
from lib.trained.audit import Meant, Reader, by_balls, decided, given, meant, sign
from lib.trained.network import Classes, Judged, NextTokens
from lib.trained.passes import outputs


@takes(judged=Judged, words=many(text))
def logits(judged: Judged, words: Sequence[str]) -> Tensor:
    """The outputs for each of these strings in float64, (strings, outputs): what the module itself
    says of them, if it was read as it is. ValueError for another symbol, and for a string that has
    no token or more tokens than positions.
    """
    every = [given(judged, [check_string(w, judged.alphabet)]) for w in words]
    none = torch.empty(0, judged.network.output.weight.shape[1], dtype=torch.float64)
    return torch.cat([none, *(outputs(judged, rows, Floats())[0] for rows in every)])


@takes(judged=Judged, words=many(text), within=above_zero)
def agrees_with(
    judged: Judged, module: Callable[[Tensor], Any], words: Sequence[str], within: float = 1e-3
) -> float:
    """The largest difference between the outputs of a network as it was read and those of the
    module itself, on these strings. ValueError for the first string with one of more than `within`,
    in parts of 1 or of the output: then an argument of the reader is wrong.

    `module` takes tokens, (strings, tokens), those before and after a string among them, and gives
    outputs of shape (strings, outputs), or (strings, tokens, outputs) from which those at `read_at`
    are taken; what Hugging Face returns has them in its `logits`.
    """
    largest = 0.0
    if not words:
        raise ValueError("at least one string is expected, not none")
    for w in words:
        rows = given(judged, [check_string(w, judged.alphabet)])
        with torch.no_grad():
            theirs = module(rows)
        theirs = an(Tensor)(getattr(theirs, "logits", theirs), "what the module gives")
        if theirs.ndim == 3:
            if judged.read_at == "mean" and judged.network.hidden:
                raise ValueError("the module's outputs of the mean are expected, not of each token")
            places = {"first": theirs[:, 0], "last": theirs[:, -1], "mean": theirs.mean(1)}
            at = judged.read_at
            theirs = theirs[:, at] if isinstance(at, int) else places[at]
        [ours], [theirs] = outputs(judged, rows, Floats())[0].tolist(), theirs.double().tolist()
        if len(ours) != len(theirs):
            raise ValueError(f"{len(ours)} outputs are expected of the module, not {len(theirs)}")
        off = [abs(x - y) / max(1.0, abs(y)) for x, y in zip(ours, theirs, strict=True)]
        for k, difference in enumerate(off):
            if not difference <= within:  # nor is it, where one is no number
                raise ValueError(
                    f"output {k} of {w!r} is {theirs[k]:.6g} by the module and {ours[k]:.6g} by "
                    "the network that was read: an argument of the reader is wrong"
                )
        largest = max(largest, *off)
    return largest


@takes(judged=Judged, words=many(text))
def accepted(judged: Judged, words: Sequence[str]) -> list[bool | None]:
    """Whether each string is accepted, as the real numbers would decide it; None for a tie, or what
    looks like one. ValueError for another symbol, where next tokens are asked for, and for a string
    that has no token or more tokens than positions.
    """
    if isinstance(judged.decides, NextTokens | Classes):
        raise ValueError("strings that are accepted or not are expected, not tokens or classes")
    found: dict[str, bool | None] = {}
    reader = Reader(judged, Bounded())
    for _, group in groupby(
        sorted({check_string(w, judged.alphabet) for w in words}, key=len), len
    ):
        some = [*group]
        centre, error = decided(judged, reader.read(some, None))
        above, is_open = centre[:, 0] > 0, ~(centre.abs() > error)[:, 0]
        for w, is_above, left in zip(some, above.tolist(), is_open.tolist(), strict=True):
            found[w] = sign(by_balls(judged, w)[0]) if left else is_above
    return [found[w] for w in words]


@takes(judged=Judged)
def sampled(
    judged: Judged,
    language: Meant,
    shortest: int,
    longest: int,
    each: int = 100,
    seed: int = 0,
) -> Sample:
    """Decides `each` strings of each kind and of each length from `shortest` to `longest`, as the
    real numbers would. ValueError for lengths that have no positions, or next tokens.
    """
    if between(1)(longest, "longest") > judged.longest:
        raise ValueError(f"a longest length of at most {judged.longest} is expected, not {longest}")
    known = meant(language, judged.alphabet)
    return known.sampled(lambda words: accepted(judged, words), shortest, longest, each, seed)
