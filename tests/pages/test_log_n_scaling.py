"""The numbers of chapter 4 and of Proposition 3, against all strings and runs of transformers."""

import numpy as np
import pytest

from chapters.log_n_scaling.figures import bound, costs, gains, weight_for_most
from lib.constructions import first, flawed_first
from lib.constructions.normalization import mirror
from lib.languages import FIRST
from lib.transformer import Encoder, Exact


def test_the_weight_for_most_strings_is_counted_on_all_of_them():
    strings = list(FIRST.all_strings(10))
    weight = weight_for_most(11)
    shares = [
        len(FIRST.errors(strings, Exact(flawed_first(base=b)).accepts(strings))) / len(strings)
        for b in (weight - 1, weight)
    ]
    assert shares[0] > 0.01 >= shares[1]


@pytest.mark.parametrize("eps", [1e-5, 0.3, 0.7])
def test_gains_are_read_off_the_normalized_transformer(eps):
    for w in ("10", "00"):
        trace = Encoder(mirror(first()), eps=eps).trace(w)
        found = trace.a[1]["CLS"][0, 0] * trace.a[1]["[i=1]"][0, 1]
        assert float(found) == pytest.approx(np.prod(gains(eps, int(w[0]))), rel=1e-4)


def test_the_bound_holds_and_an_output_weight_follows_from_it():
    reader = Encoder(mirror(first(tie_free=True)), eps=1e-5, log_n=True)
    strings = [w for length in range(7) for w in FIRST.all_strings(length)]
    assert min(abs(reader(w).item()) for w in strings) >= bound(1e-5)
    assert max(costs(1, None)) <= 0.01 + 1e-9 < costs(1, None, tie_free=False)[0]
