"""The strings, weights and runs of Nowak et al. 2022: against Python's own generators, and against
what the authors recorded.
"""

import json
from random import Random

import numpy as np
import pytest

from chapters.common.learners.ensemble import Ensemble
from chapters.common.learners.network import Member
from chapters.palindrome_precision.runs import (
    NETWORKS,
    SEEDS,
    SHARED_SEED,
    PublishedStrings,
    repeat,
)
from lib.languages import FIRST, ONE, PALINDROME, PARITY
from record.runs import RESULTS

RECORDS = json.loads((RESULTS / "records" / "nowak2022.json").read_text(encoding="utf-8"))
LANGUAGES = {language.name: language for language in (FIRST, ONE, PALINDROME, PARITY)}


def drawn_plainly(language: str, length: int, draw: Random, counts, shortest: int | None) -> str:
    """A string drawn symbol by symbol with Python's and NumPy's own functions."""
    if shortest is not None:
        length = draw.randrange(shortest, length + 1)
    if language == "ONE":
        ones = min(length, counts.poisson(lam=1.5, size=1)[0])
        places = draw.sample(list(range(length)), ones)
        return "".join("1" if i in places else "0" for i in range(length))
    if language == "PALINDROME":
        half = "".join(str(draw.randrange(2)) for _ in range(length // 2))
        w = list(half + half[::-1])
        if draw.randrange(2) == 1 and w:
            place = draw.randrange(len(w))
            w[place] = "10"[int(w[place])]
        return "".join(w) + "&"
    return "".join(str(draw.randrange(2)) for _ in range(length))


def spelled_out(row: np.ndarray) -> str:
    return "".join("01$&"[code] for code in row if code >= 0)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("shortest", [None, 2])
def test_the_strings_are_those_of_pythons_own_generator(language, shortest):
    for seed in SEEDS[:2]:
        draw, counts = Random(seed), np.random.RandomState(seed)
        strings = PublishedStrings(language, seed, shortest)
        for length in (10, 51, 3):
            plain = [drawn_plainly(language, length, draw, counts, shortest) for _ in range(101)]
            assert [spelled_out(row) for row in strings(length)] == plain[:100]


@pytest.mark.parametrize(
    "figure, length", [("3", 50), ("4 left", 300), ("4 right", 10), ("5", 30), ("7", 30), ("8", 20)]
)
def test_a_repeated_epoch_has_the_recorded_losses_and_accuracies(figure, length):
    """Two runs of 100 steps in float32: no number here was computed by this library."""
    groups = [g for g in RECORDS["learned"] if (g["figure"], g["length"]) == (figure, length)]
    for group in groups:
        language = group["language"]
        members = [
            Member(seed, length, group["scale"], group["shortest"], weights=SHARED_SEED)
            for seed in SEEDS[:2]
        ]
        ensemble = Ensemble(NETWORKS[language], members)
        [trained], _, [accuracy] = repeat(ensemble, language, group["test_length"], [1])
        assert np.allclose(trained, group["first_nats"][:2], rtol=0, atol=2e-6)
        assert np.array_equal(accuracy.round(2), group["accuracy"][0][:2])
