"""Chapter 2's marks in decimal arithmetic."""

import pytest

from chapters.transformer_parity_first.figures import drift


@pytest.mark.parametrize("is_divided", [False, True])
def test_with_many_digits_one_position_has_the_whole_mark(is_divided):
    for k in range(28):
        marks = drift(28, k, 20, is_divided)
        assert marks == pytest.approx([(i == k) / 28 for i in range(28)])


def test_with_two_digits_a_running_sum_lets_the_mark_drift():
    def seen(k: int, is_divided: bool) -> dict[int, float]:
        return {i: mark for i, mark in enumerate(drift(28, k, 2, is_divided)) if mark}

    assert seen(7, is_divided=False) == {7: 0.016, 8: 0.016}
    assert seen(8, is_divided=False) == {8: 0.016, 9: 0.026}
    assert seen(7, is_divided=True) == {7: 0.036}
    assert seen(8, is_divided=True) == {8: 0.036, 9: 0.006}
