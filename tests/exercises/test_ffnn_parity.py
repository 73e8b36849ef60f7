"""The judges of chapter 1's exercises find where wrong answers go wrong."""

from dataclasses import replace

import numpy as np
import pytest

from chapters.common.judge import said
from chapters.ffnn_parity.feedforward import StepNetwork, parity_network


def test_1_1_counts():
    # 1 in 7 of C(10, 7) and 9 of C(10, 9): the strings whose number of 1s is odd and at least 7.
    assert said("1.1", 120 + 10) == "Exercise 1.1: right."
    assert said("1.1", 130.0) == "Exercise 1.1 asks for a whole number, not 130.0."
    assert said("1.1", 129).endswith("not yet: 129 is too few.")
    assert said("1.1", 131).endswith("not yet: 131 is too many.")


def test_1_2_shows_a_string():
    assert said("1.2", parity_network(4)).endswith("not yet: it rejects 0000.")
    target = np.array([k % 3 == 0 for k in range(5)], dtype=int)
    thirds = replace(parity_network(4), W2=np.diff(target), b2=0.5)
    assert said("1.2", thirds) == "Exercise 1.2: right."
    assert "hidden layer" in said("1.2", replace(thirds, b1=thirds.b1 + 1))
    ones_alone = replace(parity_network(2), W2=np.array([-1, 0]), b2=0.5)
    assert said("1.2", ones_alone).endswith("hardly tell: take a length of 4 or more.")
    long = np.array([k % 3 == 0 for k in range(201)], dtype=int)
    assert said("1.2", replace(parity_network(200), W2=np.diff(long), b2=0.5)).endswith("right.")
    almost = replace(parity_network(5), W2=np.array([-1, 0, 1, -1, 1]), b2=0.5)
    assert said("1.2", almost).endswith("not yet: it accepts 11111.")


def test_1_3_wants_a_witness():
    assert said("1.3", "refuted") == "Exercise 1.3: right."
    assert "give it" in said("1.3", "proved")
    assert "4 hidden units" in said("1.3", parity_network(4))
    fewer = StepNetwork(np.ones((3, 4)), 0.5 - np.arange(1, 4), np.array([1, -1, 1]), -0.5)
    assert said("1.3", fewer).endswith("not yet: it accepts 1111.")
    assert "first-layer weights" in said("1.3", replace(fewer, W1=2 * fewer.W1))


# One row of first-layer weights, and of second-layer ones, that numpy stretches to eight units.
STRETCHED = StepNetwork(
    np.ones((1, 8)), 0.5 - np.arange(1, 9), np.array([1, -1] * 4, dtype=float), -0.5
)


@pytest.mark.parametrize(
    ("answer", "amiss"),
    [
        (STRETCHED, "b1 has the shape (8,), not (1,), for 1 hidden units"),
        (replace(STRETCHED, b1=np.zeros(1)), "W2 has the shape (8,), not (1,), for 1 hidden units"),
        (replace(STRETCHED, W1=np.ones(8)), "W1 has the shape (8,), not (units, length)"),
        (
            replace(parity_network(4), b2=np.arange(5) % 2 - 0.5),
            "b2 has the shape (5,), not (), for 4 hidden units",
        ),
    ],
)
@pytest.mark.parametrize("name", ["1.2", "1.3"])
def test_weights_that_numpy_would_stretch_are_told(name, answer, amiss):
    assert [bool(STRETCHED.accepts(f"{2**k - 1:08b}")) for k in range(9)] == [0, 1] * 4 + [0]
    assert said(name, answer) == f"Exercise {name}, not yet: its {amiss}."


def test_a_long_counterexample_is_told_by_its_runs():
    net = parity_network(200)
    fewer = StepNetwork(net.W1[:-1], net.b1[:-1], net.W2[:-1], net.b2)
    assert said("1.3", fewer).endswith("not yet: it accepts 1^200.")
