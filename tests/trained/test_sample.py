"""What is drawn: strings of the length, neighbours on both sides, and every error that is met."""

from functools import partial

import numpy as np
import pytest

from lib.formulas import formula
from lib.formulas.syntax import language as language_of
from lib.languages import DYCK_1, Language
from lib.trained import accepted
from tests.trained.test_audit import LAST, reads_the_last_symbol

TWO_1S = language_of(formula('count(Q("1")) >= 2', "01"), "01")
MEANT = {
    "a language": (DYCK_1, DYCK_1.contains),
    "a formula": (TWO_1S, lambda w: w.count("1") >= 2),
}


@pytest.mark.parametrize("name", MEANT)
def test_neighbours_differ_in_one_symbol_and_in_whether_they_belong(name):
    language, is_in = MEANT[name]
    found = language.kinds(12, 20, np.random.default_rng(0))
    assert [*found] == ["drawn", "in runs", "neighbours"]
    assert all(len(w) == 12 and {*w} <= {*language.alphabet} for kind in found for w in found[kind])
    pairs = [*zip(found["neighbours"][::2], found["neighbours"][1::2], strict=True)]
    assert len(pairs) == 10
    for w, v in pairs:
        assert is_in(w) and not is_in(v)
        assert sum(a != b for a, b in zip(w, v, strict=True)) == 1


def test_every_error_that_is_drawn_is_found():
    nothing = Language("none", lambda w: False)
    found = nothing.sampled(partial(accepted, reads_the_last_symbol()), 3, 5, each=4, seed=1)
    assert found.strings == {"drawn": 12, "in runs": 12}
    assert found.wrong["drawn"] and all(
        w.endswith("1") for kind in found.wrong.values() for w in kind
    )
    right = LAST.sampled(partial(accepted, reads_the_last_symbol()), 3, 5, each=4)
    assert right.strings["neighbours"] == 12 and not any(right.wrong.values())
    assert "drawn: of 12 strings 0 are decided incorrectly" in str(right)
