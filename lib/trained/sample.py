"""A trained network held against a language where its strings are too many: on strings drawn at
random, and on pairs of neighbours of which one belongs to the language and the other does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import torch
from torch import Tensor

from lib.checks import between, check_string, many, takes, text
from lib.languages import Language
from lib.trained.arithmetic import Bounded, Floats
from lib.trained.audit import Meant, Reader, accepts, by_balls, decided, given, sign
from lib.trained.network import Judged, NextTokens
from lib.trained.passes import outputs

RUNS = 9  # symbols of the longest run of equal ones that is drawn
TRIED = 100  # strings of each kind among which members and others are looked for


@dataclass(frozen=True)
class Sample:
    """What was seen of the strings of some lengths: how many of each kind were read, and those that
    are decided wrongly, or not at all. Nothing is proved of strings that were not drawn.
    """

    strings: dict[str, int]
    wrong: dict[str, tuple[str, ...]]

    def __str__(self) -> str:
        return "\n".join(
            f"{kind}: of {self.strings[kind]:,} strings {len(wrong):,} are decided wrongly"
            + (f", the first {wrong[0]}" if wrong else "")
            for kind, wrong in self.wrong.items()
        )


def drawn(
    language: Meant, alphabet: tuple[str, ...], length: int, size: int, draw: np.random.Generator
) -> dict[str, list[str]]:
    """`size` strings of each kind: as the language draws them, which is uniform where it does not
    say otherwise; in runs; and neighbours, which differ in one symbol and of which one is accepted,
    where both are met.
    """
    if isinstance(language, Language):
        rows = language.sample(length, size, int(draw.integers(2**31)))
    else:
        rows = ["".join(row) for row in draw.choice([*alphabet], (size, length))]
    found = {"drawn": rows, "in runs": [_in_runs(alphabet, length, draw) for _ in range(size)]}
    is_in = accepts(language, alphabet)
    met = [*found["drawn"][:TRIED], *found["in runs"][:TRIED]]
    members = [w for w in met if is_in(w)]
    others = [w for w in met if not is_in(w)]
    found["neighbours"] = []
    while members and others and len(found["neighbours"]) < size:
        member, other = str(draw.choice(members)), str(draw.choice(others))
        found["neighbours"] += _neighbours(is_in, member, other, draw.permutation(length))
    return found


def _in_runs(alphabet: tuple[str, ...], length: int, draw: np.random.Generator) -> str:
    runs = draw.integers(1, RUNS, length, endpoint=True)
    symbols = draw.choice([*alphabet], length)
    return "".join(a * n for a, n in zip(symbols.tolist(), runs.tolist(), strict=True))[:length]


def _neighbours(
    is_in: Callable[[str], bool], member: str, other: str, order: np.ndarray
) -> tuple[str, str]:
    """On a way from a member to another string, one symbol at a time in that order, two strings
    next to each other between which the answer changes: by bisection.
    """
    first, last = 0, len(order)

    def between_them(steps: int) -> str:
        mixed = [*member]
        for place in order[:steps].tolist():
            mixed[place] = other[place]
        return "".join(mixed)

    while last - first > 1:
        middle = (first + last) // 2
        first, last = (middle, last) if is_in(between_them(middle)) else (first, middle)
    return between_them(first), between_them(last)


@takes(judged=Judged, words=many(text))
def logits(judged: Judged, words: Sequence[str]) -> Tensor:
    """The outputs for each of these strings in float64, (strings, outputs): what the module itself
    says of them, if it was read as it is.
    """
    every = [given(judged, [check_string(w, judged.alphabet)]) for w in words]
    none = torch.empty(0, judged.network.output.weight.shape[1], dtype=torch.float64)
    return torch.cat([none, *(outputs(judged, rows, Floats())[0] for rows in every)])


@takes(judged=Judged, words=many(text))
def accepted(judged: Judged, words: Sequence[str]) -> list[bool | None]:
    """Whether each string is accepted, as the real numbers would decide it; None for a tie, or what
    looks like one. ValueError for another symbol, where next tokens are asked for, and for a string
    that has no token or more tokens than positions.
    """
    if isinstance(judged.decides, NextTokens):
        raise ValueError("strings that are accepted or not are expected, not next tokens")
    found: dict[str, bool | None] = {}
    reader = Reader(judged, Bounded())
    for _, group in groupby(
        sorted({check_string(w, judged.alphabet) for w in words}, key=len), len
    ):
        some = [*group]
        if not some[0] and not (judged.before or judged.after):
            raise ValueError("a string with a token is expected, not the empty one")
        centre, error = decided(judged, reader.read(some, None))
        above, is_open = centre[:, 0] > 0, ~(centre.abs() > error)[:, 0]
        for w, is_above, left in zip(some, above.tolist(), is_open.tolist(), strict=True):
            found[w] = sign(by_balls(judged, w)[0]) if left else is_above
    return [found[w] for w in words]


@takes(judged=Judged, shortest=between(1, 10_000), longest=between(1, 10_000))
@takes(each=between(1, 10**6), seed=between(0, 2**63))
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
    if shortest > longest:
        raise ValueError(f"a longest length of at least {shortest} is expected, not {longest}")
    if longest > judged.longest:
        raise ValueError(f"a longest length of at most {judged.longest} is expected, not {longest}")
    draw, is_in = np.random.default_rng(seed), accepts(language, judged.alphabet)
    strings: dict[str, int] = {}
    wrong: dict[str, tuple[str, ...]] = {}
    for length in range(shortest, longest + 1):
        for kind, words in drawn(language, judged.alphabet, length, each, draw).items():
            if words:
                strings[kind] = strings.get(kind, 0) + len(words)
                answers = zip(words, accepted(judged, words), strict=True)
                missed = (w for w, said in answers if said is not is_in(w))
                wrong[kind] = (*wrong.get(kind, ()), *missed)
    return Sample(strings, wrong)
