"""The bounds that chapter 12 measures hold, and words that can be continued are counted."""

import pytest

from chapters.strangers.runs import SHAPES, continued, measure_bounds
from lib.proofs import regular


def test_strings_that_can_be_continued_are_counted():
    assert continued(regular("(a(ab)*b)*", "ab"), 7) == [1, 1, 2, 2, 4, 4, 8]
    assert continued(regular("(0|1|2)*02*", "012"), 4) == [1, 3, 9, 27]


@pytest.mark.parametrize("shape", [*SHAPES, "saturated softmax", "almost constant rows"])
def test_bounds_hold_and_say_how_far_they_are_off(shape):
    found = measure_bounds("cpu", shape, layers=1, scale=1.0, longest=3)
    assert (found["outputs"], found["outside"]) == (8 * 15, 0)
    assert 0 < found["share"] < 1 and 0 < found["median"] < 1e-3
