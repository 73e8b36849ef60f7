"""The judges of chapter 4's exercises find where wrong answers go wrong."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import log

import numpy as np
from flint import arb, ctx

from chapters.common.judge import said
from lib.constructions import first, flawed_first


def test_4_1_reads_the_product_off_a_run():
    # g0 g1 at w1 = 1: two normalizations of variances 1/6 + eps/6 and 1/2 + eps/3, plus eps squared
    low, high = 0.0, 1.0
    for _ in range(50):
        eps = (low + high) / 2
        falls = (1 / 6 + eps / 6 + eps**2) * (1 / 2 + eps / 3 + eps**2) > 1
        low, high = (low, eps) if falls else (eps, high)
    assert said("4.1", round(low, 3)) == "Exercise 4.1: right."
    assert said("4.1", 0.756).endswith("not yet: at eps = 0.756 g0 g1 is 0.9350, below 1.")
    assert said("4.1", 0.5).endswith("not yet: at eps = 0.5 g0 g1 is 1.4771, above 1.")
    assert said("4.1", round(low, 3) + 0.002).endswith("below 1.")
    assert said("4.1", -1).endswith("ValueError: eps must be at least 0, not -1.0.")


def test_4_2_shows_a_string_or_that_there_is_none():
    between = (log(48) / log(49) + log(49) / log(50)) / 2
    assert said("4.2", flawed_first(between)) == "Exercise 4.2: right."
    assert said("4.2", flawed_first(Fraction(9, 10))).endswith(
        "not yet: it rejects 100000 already, at n = 7."
    )
    never = "not yet: at n = 50 it still decides 1" + 48 * "0" + " rightly."
    assert said("4.2", flawed_first(1)).endswith(never)
    assert said("4.2", flawed_first(base=3)).endswith(never)
    assert said("4.2", first()).endswith("it differs from flawed_first in more than its gain.")


def test_4_2_takes_the_network_under_another_name():
    between = (log(48) / log(49) + log(49) / log(50)) / 2
    assert said("4.2", replace(flawed_first(between), name="mine")) == "Exercise 4.2: right."
    assert said("4.2", replace(first(), name="flawed FIRST")).endswith("in more than its gain.")


def test_4_2_an_undecided_sign_is_no_error():
    """Gains that balls of 4096 bits do not tell from log 49 / log 50, or log 48 / log 49."""
    for n in (50, 49):
        with ctx.workprec(20000):
            scaled = (arb(n - 1).log() / arb(n).log() * arb(2) ** 5000).floor()
            gain = Fraction(int(scaled.unique_fmpz()) + 1, 2**5000)  # above, by 2^-5000 at most
        assert said("4.2", flawed_first(gain)) == (
            f"Exercise 4.2, not yet: on 1{'0' * (n - 2)}, at n = {n}, its s is so near to 0 that "
            "the sign is undecided, which is no error: take a gain a little further away."
        )


def test_4_3_wants_a_witness():
    assert "give a c > 0" in said("4.3", "refuted")
    for c in (0.5, Fraction(99, 100), 0.9999999999):
        assert said("4.3", c) == "Exercise 4.3: right."
    for c in (Fraction(10**10 - 1, 10**10), Decimal(1) - Decimal("1e-20"), Fraction(1, 10**400)):
        assert said("4.3", c) == "Exercise 4.3: right."
    shares = "the share is 0.260, 0.092, 0.031 at n = 10, 100, 1000, and vanishes."
    assert said("4.3", "proved").endswith(f"not yet: with c = 0.5 {shares}")
    shares = "the share is 0.526, 0.503, 0.500 at n = 10, 100, 1000, and does not vanish."
    for c in (1, np.int64(1), Decimal(1), 1 + Fraction(1, 10**20)):
        assert said("4.3", c).endswith(f"not yet: with c = 1 {shares}")
    assert said("4.3", 20).endswith("1.000 at n = 10, 100, 1000, and does not vanish.")
    assert said("4.3", -1).endswith("not yet: -1 is not above 0.")
    assert said("4.3", float("nan")).endswith("not yet: nan is not above 0.")
