"""Bad input meets one clear error: one argument of each public function at a time is replaced by
what nobody should give. The calls are those of `tests.good_calls`.
"""

from __future__ import annotations

from importlib import import_module

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tests.bad_input import called, cases, outcome
from tests.good_calls import ROOMS

# What is left, by function and argument, and why.
LEFT = {
    ("constructions.significand.rounded", "x"): "arrays of numbers are rounded too",
    ("turing.machines.Machine", "accept"): "the rule that goes to another state is named instead",
    ("turing.machines.Machine.parse", "accept"): "the same",
    ("trained.published.from_pytorch", "output"): "a name is shown with its ending",
    ("trained.audit.audit", "language"): "a function may say what belongs to it",
    ("trained.sample.sampled", "language"): "the same",
    ("jobs", "value"): "-1 stands for one process for each core",
    ("formulas.verdict.held_against", "accepts"): "a function is called, whatever it is",
    ("languages.Language.sampled", "accepts"): "the same",
    ("turing.variants.printed_d2", "misprint"): "a text that names none changes nothing",
}
WITH_NAMES = [
    "transformer",
    "constructions",
    "formulas",
    "counting",
    "turing",
    "learning",
    "trained",
]
UNCALLED = {  # public names that no call belongs to: constants, rooms, what other calls make
    "formulas": {"LIBRARY", "FormulaError", "position", "Compiled", "Verdict"},
    "transformer": {"LOADER", "Classifier"},
    "constructions": {"one", "sigmoid_palindrome"},
    "counting": {"PUBLISHED"},
    "trained": {
        "Audit",
        "Sample",
        "from_transformer_lens",
        "gpt2",
        "Largest",
        "NextTokens",
        "Positive",
    },  # a folder and names: tests.trained; what decides is held where a network is judged
    "turing": {"IDENTITY", "Run", "errata", "programs", "variants"},
}


@pytest.fixture(autouse=True)
def _no_figures():
    """Closes the figures that a test opens."""
    yield
    plt.close("all")


@pytest.mark.parametrize("room", ROOMS)
def test_good_calls_are_good(room):
    assert {example.name: refusal(example, {}) for example in ROOMS[room]()} == {
        example.name: None for example in ROOMS[room]()
    }


def refusal(example, changed) -> str | None:
    """What a call with changed arguments ends in; None where it returns."""
    try:
        called(example, example.arguments | changed)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize("room", ROOMS)
def test_bad_input_meets_one_clear_error(room):
    found = {str(case): outcome(case) for case in cases(ROOMS[room]()) if not is_left(case)}
    wrong = [f"{case}: {complaint}" for case, complaint in found.items() if complaint]
    assert not wrong, f"{len(wrong)} of {len(found)}:\n" + "\n".join(wrong[:40])


def is_left(case) -> bool:
    return (case.example.name, case.argument) in LEFT


def test_there_are_thousands():
    assert sum(1 for room in ROOMS.values() for _ in cases(room())) > 10_000


@pytest.mark.parametrize("room", WITH_NAMES)
def test_every_public_name_of_a_room_is_called(room):
    names = " ".join(example.name for example in ROOMS[room]())
    public = set(import_module(f"lib.{room}").__all__) - UNCALLED.get(room, set())
    assert [name for name in sorted(public) if name not in names] == []


@pytest.mark.parametrize("room", ROOMS)
def test_numpys_whole_numbers_are_whole_numbers(room):
    refused = {
        (example.name, name): refusal(example, {name: np.int64(value)})
        for example in ROOMS[room]()
        for name, value in example.arguments.items()
        if isinstance(value, int) and not isinstance(value, bool)
    }
    assert {place: why for place, why in refused.items() if why} == {}
