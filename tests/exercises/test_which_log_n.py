"""The judges of chapter 9's exercises find where wrong answers go wrong."""

from decimal import Decimal
from fractions import Fraction
from math import floor, inf, log, log1p, nan

from chapters.common.judge import said


def factor(n: int) -> float:
    """Llama 4's, for a query that sees n tokens."""
    return 1 + 0.1 * log(1 + floor(n / 8192))


def test_9_1_is_the_first_error():
    n = 5_373_508
    for right in (n, float(n), Decimal(n), Fraction(n)):
        assert said("9.1", right) == "Exercise 9.1: right."
    # the text's own inequality, in floats: the margins here are above 1e-9
    assert 9.4 * factor(n) - log(n - 1) < -1e-10 and 9.4 * factor(n - 1) - log(n - 2) > 1e-10
    assert said("9.1", n - 1).endswith("at n = 5,373,507 it is still right.")
    assert said("9.1", n + 1).endswith("it errs before n = 5,373,509.")
    later = 5_381_207  # the first error of the next step: one token earlier it is right
    assert 9.4 * factor(later) < log(later - 1) and 9.4 * factor(later - 1) > log(later - 2)
    assert said("9.1", later).endswith("it errs before n = 5,381,207.")
    assert said("9.1", 1).endswith("n is between 2 and 10^12, not 1.")
    for none in (2.5, inf, nan, Decimal("nan")):
        assert said("9.1", none).casefold().endswith(f"{none} is not a whole number.".casefold())


def test_9_2_takes_any_gain_that_goes_far():
    for right in (9.8, Fraction(39, 4), Decimal("9.9"), 9.99, 9.995, 9.999999, 10 - 2.0**-49):
        assert said("9.2", right) == "Exercise 9.2: right."
    assert said("9.2", 9.5).endswith("it errs first at n = 145,063,657.")
    assert said("9.2", 5).endswith("it errs first at n = 150.")
    assert said("9.2", 10).endswith("10 is not between 0 and 10.")
    for none in (0, inf, -inf, nan):
        assert said("9.2", none).endswith(f"{none} is not between 0 and 10.")


def test_9_3_asks_for_a_power_below_1():
    for right in (0.5, Fraction(99, 100), Decimal("0.1")):
        assert said("9.3", right) == "Exercise 9.3: right."
    assert "then show it" in said("9.3", "refuted")
    assert "is behind log(n - 1)" in said("9.3", "Proved")
    for none in (0, -1.5, inf, nan):
        assert said("9.3", none).endswith(f"{none} is not a number above 0.")
    for large in (1, 2.5, Fraction(10**400)):
        assert said("9.3", large).endswith(
            "the gain c = (log 2)^(1 - p) and all larger ones will do."
        )
    for p in (1, 1.5, 2, 5):
        c = log(2) ** (1 - p)
        assert all(c * log(n) ** p > log1p(n - 2) for n in range(2, 10_000))
