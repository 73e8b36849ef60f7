"""Each exercise: a right answer is accepted, and wrong ones are told where they go wrong."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from chapters.common import judge
from chapters.common.judge import said
from chapters.common.sharpening import sharpen
from chapters.common.turing.architecture import directional
from chapters.counting_ablations import by_hand
from chapters.ffnn_parity.feedforward import StepNetwork, parity_network
from chapters.formulas_to_transformers.exercises import twice_the_distance
from chapters.the_map import encoders
from chapters.turing_completeness.exercises import QUARTERS
from lib.constructions import first, flawed_first, pairwise_palindrome, palindrome, parity
from lib.constructions.normalization import mirror
from lib.proofs import Answer
from lib.transformer import Construction, Head, Layer, Space
from lib.verdicts import UNKNOWN

ORDERED = 'count(Q("1")) > count(Q("0")) >= 1 and never(Q("0") and once(Q("1")))'
NEAR = 'never(Q("a") and previous(Q("a") or previous(Q("a"))))'
PAIRS = f'{NEAR} and not Q("a") and not previous(Q("a"))'
FIVE = 0.006715348489118  # log(1 + exp(-5)) nats: sqrt(50 / 2) = 5


def thirds(length: int) -> StepNetwork:
    """Accepts the strings whose number of 1s is divisible by 3."""
    target = np.array([k % 3 == 0 for k in range(length + 1)], dtype=int)
    return replace(parity_network(length), W2=np.diff(target), b2=0.5)


def diluted(gain: float) -> Construction:
    """SECOND in one layer, in which every position has a value: right while others are few."""
    zero, one, cls, start, s = S = Space("0", "1", "CLS", "[i=2]", "s")
    look = Layer(heads=[Head(q=[cls], k=[start], v={"s": (one - zero - cls) / 2}, gain=gain)])
    return Construction(S, {"0": zero, "1": one, "CLS": cls}, {"[i=2]": start}, [look], output=s)


def wide(eta: float, spare: int = 19) -> Construction:
    """FIRST with spare coordinates, mirrored and sharpened."""
    names = (*first().space.names, *(f"spare {j}" for j in range(spare)))
    return sharpen(mirror(replace(first(), space=Space(*names))), eta)


RIGHT: list[tuple[str, object]] = [  # beside the pages' own solutions, which the book tries
    ("1.2", lambda: thirds(200)),
    ("1.3", " Refuted\n"),
    # By hand: Z1 = e + 2/e, Z2 = 2e + 1/e, and s = (e/Z1 - 1/(e Z2))/3 = 0.2412 at c = 1.
    ("2.1", [np.int64(1), Decimal("0.333"), 0.2412]),
    ("4.3", Decimal(1) - Decimal("1e-20")),
    ("8.3", (9 - Fraction(1, 10**30), 2)),
    ("9.2", 10 - 2.0**-49),
    ("9.3", Fraction(99, 100)),
]
WRITTEN = {name: one for number in judge.FOLDERS for name, one in judge.written_of(number).items()}
WRONG: list[tuple[str, object, str]] = [  # and a part of what is said against it
    *((name, *pair) for name, one in WRITTEN.items() for pair in one.get("wrong", ())),
    ("1.2", lambda: parity_network(4), "it rejects 0000."),
    ("1.2", lambda: replace(thirds(4), b1=thirds(4).b1 + 1), "hidden layer"),
    ("2.1", (2, 1 / 3, 0.241), "there is no mark on position 2."),
    ("2.1", (1, 1 / 3, 0.26), "0.26 for s is too high."),
    ("2.2", lambda: diluted(8), "it accepts 0^2 1^3998."),
    ("2.3", parity, "the number of heads in its second layer is 2, not 1."),
    ("3.2", lambda: wide(FIVE, spare=18), "the number of its coordinates is 48, not 50."),
    ("3.2", lambda: replace(wide(FIVE), output=-wide(FIVE).output), "it accepts 0."),
    ("4.2", lambda: flawed_first(1), f"at n = 50 it still decides 1{48 * '0'} correctly."),
    ("4.2", lambda: flawed_first(Fraction(9, 10)), "it rejects 100000 already, at n = 7."),
    ("4.3", 1 + Fraction(1, 10**20), "0.526, 0.503, 0.500 at n = 10, 100, 1000, and does not"),
    ("5.2", lambda: by_hand.beside_black(1e-3), "36 cells of colour 1 each of them is given 6.938"),
    ("5.2", lambda: by_hand.beside_black(2e-6), " with 400 cells of colour 1 "),
    ("5.3", by_hand.algorithm_1, "not a layer with softmax whose tokens are the ten colours."),
    ("6.2", lambda: directional(QUARTERS), "in float16, on 1, h is wrong at step 25."),
    ("6.3", QUARTERS, "as printed it gives that RNN's hidden states for 40 steps"),
    ("7.1", Fraction(1, 31), "1/31 is too small."),
    ("7.1", Fraction(2, 15), "2/15 is too large."),
    ("7.2", lambda: (palindrome(), 17), "so it counts the middle symbol."),
    ("7.3", pairwise_palindrome, "it has 2 layers."),
    ("8.2", f"{ORDERED} and position <= 10", "it rejects 00000111111."),
    ("10.2", encoders.contains_01, "it rejects the empty string."),
    ("11.2", NEAR, "it accepts a."),
    ("11.2", f"({PAIRS}) and position <= 30", "it rejects "),
]


def given(answer: object) -> object:
    return answer() if isinstance(answer, Callable) and not isinstance(answer, type) else answer


@pytest.mark.parametrize(("name", "answer"), RIGHT)
def test_a_right_answer_is_accepted(name, answer):
    assert said(name, given(answer)).startswith(f"Exercise {name}: right")


@pytest.mark.parametrize(("name", "answer", "amiss"), WRONG)
def test_a_wrong_answer_is_told_where_it_goes_wrong(name, answer, amiss):
    told = said(name, given(answer))
    assert told.startswith(f"Exercise {name}, not yet: ") and amiss in told


def test_every_exercise_is_among_them():
    names = {f"{chapter}.{number}" for chapter in judge.FOLDERS for number in (1, 2, 3)}
    assert {name for name, _, _ in WRONG} == {*WRITTEN} == names


def test_what_is_neither_proved_nor_refuted_is_not_right(monkeypatch):
    unknown = Answer(UNKNOWN, "no search closed")
    monkeypatch.setattr(judge, "proved_equal", lambda *_: unknown)
    assert "neither proved nor refuted (no search closed)" in said("11.2", PAIRS)


@pytest.mark.parametrize("base, i", [(8, 1), (8, 2), (1.5, 7), (3, 40), (100, 9)])
def test_the_distance_of_8_3_is_that_of_the_weights(base, i):
    weights = [exp(j / (i + 1) * log(base)) for j in range(i + 1)]
    mean = sum(j * w for j, w in enumerate(weights)) / sum(weights)
    assert float(twice_the_distance(base, i)) == pytest.approx(2 * mean - i, abs=1e-12)
