"""The strings, weights and runs of Nowak et al. 2022: against Python's own generators, and against
what the authors recorded.
"""

import json
from fractions import Fraction
from random import Random

import numpy as np
import pytest
import torch
from flint import arb

from chapters.common.palindrome_precision import GAINS
from chapters.palindrome_precision.lengths import exact_accuracy, is_accepted
from chapters.palindrome_precision.runs import (
    NETWORKS,
    SEEDS,
    SHARED_SEED,
    Coins,
    PublishedStrings,
    published_labels,
    repeat,
)
from lib.constructions import palindrome
from lib.languages import FIRST, ONE, PALINDROME, PARITY
from lib.learning.ensemble import Ensemble
from lib.learning.network import Member
from lib.transformer.exact import Exact
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


def test_coins_come_in_any_portions():
    draw, coins = Random(5), Coins(5)
    for size in (1, 0, 700, 3, 2000):
        assert coins(size).tolist() == [draw.randrange(2) for _ in range(size)]


@pytest.mark.parametrize("name", LANGUAGES)
def test_labels_are_the_languages_but_for_paritys(name):
    codes = PublishedStrings(name, 477)(9)[None]
    inside = [spelled_out(row).rstrip("&") in LANGUAGES[name] for row in codes[0]]
    wanted = [not x for x in inside] if name == "PARITY" else inside
    assert published_labels(name, codes).tolist() == [wanted] and len(set(wanted)) == 2


def test_the_output_layer_may_be_drawn_first():
    torch.manual_seed(0)
    word, output = torch.nn.Embedding(3, 16), torch.nn.Linear(16, 1)
    layer = torch.nn.TransformerEncoderLayer(16, 1, 64)
    scales = torch.normal(0.0, 1.0, (16,))
    state = NETWORKS["PARITY"].initial(0)
    assert torch.equal(state["word"], word.weight)
    assert torch.equal(state["output.weight"], output.weight)
    assert torch.equal(state["scales"][0], scales)
    assert torch.equal(state["layers.1.linear1.weight"], layer.linear1.weight)


def recorded(figure: str, length: int) -> dict:
    [group] = [
        group
        for group in RECORDS["learned"]
        if group["figure"] == figure and group["length"] == length
    ]
    return group


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
        done = repeat(ensemble, language, group["test_length"], [1])
        assert np.allclose(done.trained_nats[0], group["first_nats"][:2], rtol=0, atol=2e-6)
        assert np.array_equal(done.accuracy[0].round(2), group["accuracy"][0][:2])


def test_other_weights_or_strings_have_other_losses():
    wanted = recorded("7", 10)["first_nats"][0]
    for member in (Member(477, 10, weights=1), Member(653, 10, weights=0)):
        done = repeat(Ensemble(NETWORKS["PARITY"], [member]), "PARITY", None, [1])
        assert abs(done.trained_nats[0, 0] - wanted) > 1e-3


def test_every_recorded_accuracy_of_figure_2_is_what_exact_arithmetic_gives():
    published = RECORDS["exact"]
    assert published["lengths"] == list(range(2, 200))
    for length, accuracy in zip(published["lengths"], published["accuracy"], strict=True):
        assert exact_accuracy(length) == Fraction(str(accuracy))


def test_an_exact_decision_is_the_constructions():
    reader = Exact(palindrome(GAINS["e^(1/√6)"], base=None))
    for w in ("0110", "0111", "1000", "001010100000", "110010011011010011"):
        half = len(w) // 2
        differences = tuple(int(w[i]) - int(w[-1 - i]) for i in range(half))
        s = abs(reader.logit(w, bits=128))
        for most in (1e-7, 1e-3, 0.1, 0.5):
            assert is_accepted(differences, GAINS["e^(1/√6)"], most) == bool(s <= arb(most))
