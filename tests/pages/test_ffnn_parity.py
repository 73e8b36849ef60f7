"""Which units of chapter 1's trained networks count, and what they count."""

import numpy as np
import pytest

from chapters.ffnn_parity.feedforward import ParityTraining, parity_network
from chapters.ffnn_parity.figures import (
    counting_units,
    counts_read,
    staircase,
)


@pytest.fixture
def run() -> ParityTraining:
    """Three networks of two units: one counts, one has a unit that does not, one errs."""
    W1 = np.array([[[1, -1, 1], [2, 2, -2]], [[1, 1, 1], [1, 5, 1]], [[1, 1, 1], [1, 1, 1]]])
    losses = np.linspace(1, 0, 5)[:, None] * np.ones(3)
    zeros = np.zeros((3, 2))
    return ParityTraining(losses, np.array([0, 0, 2]), W1 * 1.0, zeros, zeros, np.zeros(3))


def test_units_count_whose_weights_have_like_sizes_in_networks_that_are_right(run):
    assert counting_units(run).tolist() == [2, 1, 0]


def test_units_read_one_count_that_turn_the_same_bits_round_or_all_others(run):
    assert counts_read(run).tolist() == [2, 1, 0]
    run.W1[0, 1] = [-3, 3, -3]
    assert counts_read(run).tolist() == [1, 1, 0]


def test_a_network_with_bits_turned_round_and_units_negated_has_the_steps_of_the_construction():
    network = parity_network(3)
    assert staircase(network.W1, network.b1) == ([], [0.5, 1.5, 2.5])
    signs, negated = np.array([1, -1, -1]), np.array([1, -2, 1])  # x2 and x3, and unit 2 twice
    W1, b1 = network.W1 * signs, network.b1 + 2  # 1 - x in place of x, twice
    assert staircase(W1 * negated[:, None], b1 * negated) == ([2, 3], [0.5, 1.5, 2.5])
    uneven = np.array([[2.0, -4.0]])  # 2 x1 + 4 (1 - x2) - 3, whose mean weight is 3
    assert staircase(uneven, np.array([1.0])) == ([2], [1.0])
