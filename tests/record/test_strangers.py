"""Strings that can be continued are counted."""

from chapters.strangers.runs import continued
from lib.proofs import regular


def test_strings_that_can_be_continued_are_counted():
    assert continued(regular("(a(ab)*b)*", "ab"), 7) == [1, 1, 2, 2, 4, 4, 8]
    assert continued(regular("(0|1|2)*02*", "012"), 4) == [1, 3, 9, 27]
