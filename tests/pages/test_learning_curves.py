"""What chance gives, and what becomes of runs that were right once."""

import numpy as np
import pytest

from chapters.common.learning_curves import (
    chance,
    fates,
)
from lib.learning.strings import poisson_distribution


def test_chance_is_the_better_constant_answer():
    assert [chance(language) for language in ("FIRST", "PARITY")] == pytest.approx(
        [0.5, 0.5]
    ) and chance("PALINDROME") == 0.5
    first, rest, weight = poisson_distribution(1000)
    assert (
        chance("ONE")
        == pytest.approx(1 - weight[first + rest == 1].sum())
        == pytest.approx(1 - 1.5 * np.exp(-1.5), abs=1e-12)
    )


def test_fates_are_those_of_the_last_test():
    never, at_last, left, back, twice = (
        [0, 0, 0, 0, 0],
        [0, 0, 0, 1, 1],
        [0, 1, 1, 0, 0],
        [1, 0, 0, 1, 1],
        [1, 0, 1, 0, 0],
    )
    members = [never, at_last, left, back, twice]
    assert fates(np.array(members, dtype=bool).T) == (3, 2, 1)  # failed, lost, regained
