"""The arithmetic of the exact reader: rationals and, where softmax leaves them, balls that contain
the truth (python-flint's fmpq and arb).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache

from flint import arb, fmpq

from lib.transformer.positions import position
from lib.transformer.space import Form

Value = fmpq | arb
Vector = dict[str, Value]  # one position of the residual stream; what is absent counts as 0
ZERO = fmpq(0)
LARGEST_POWER = 1 << 20  # bits of a power that is kept as a rational; beyond, a ball will do


class Affine:
    """A form with its coefficients made ready: a function of a vector."""

    def __init__(self, form: Form):
        self.terms = [(name, exactly(c)) for name, c in form.terms]
        self.constant = exactly(form.constant)
        self._name = None  # of a form that is one coordinate, which is read, not computed
        if len(form.terms) == 1 and form.terms[0][1] == 1 and not form.constant:
            self._name = form.terms[0][0]

    def __call__(self, vector: Mapping[str, Value]) -> Value:
        if self._name is not None:
            return vector.get(self._name, ZERO)
        total: Value = self.constant
        for name, coefficient in self.terms:
            if name in vector:
                total = total + coefficient * vector[name]
        return total


def add(vector: Vector, name: str, value: Value) -> None:
    """The residual connection: adds `value` to a coordinate."""
    vector[name] = vector[name] + value if name in vector else value


def softmax_averages(
    bases: list[fmpq], logits: Sequence[Value], values: Sequence[Sequence[Value]]
) -> list[Value]:
    """sum_j alpha_j v_j for each column of `values`, a row for each position, with weights alpha_j
    proportional to e to the logit times each base's logarithm.
    """
    groups = _by_logit(logits, values)
    weights: list[Value] = []
    averages: list[Value] = []
    for column in range(len(values[0])):
        means = [totals[column] / count for _, count, totals in groups]
        if len(means) == 1 or all(isinstance(mean, fmpq) and mean == means[0] for mean in means):
            averages.append(means[0])  # a weighted mean of equal numbers, whatever the weights
            continue
        weights = weights or [_power(bases, logit) for logit, _, _ in groups]
        shares = list(zip(weights, groups, strict=True))
        above = sum_of(weight * totals[column] for weight, (_, _, totals) in shares)
        averages.append(above / sum_of(weight * count for weight, (_, count, _) in shares))
    return averages


def hardmax_averages(
    bases: list[fmpq], logits: Sequence[Value], values: Sequence[Sequence[Value]]
) -> list[Value]:
    """The mean of the rows of `values` whose logit is largest, column by column; the logarithm of
    a base below 1 turns the order round, that of base 1 makes all logits equal.
    """
    chosen = _largest(bases, logits, values)
    return [sum_of(column) / len(chosen) for column in zip(*chosen, strict=True)]


def leftmost(
    bases: list[fmpq], logits: Sequence[Value], values: Sequence[Sequence[Value]]
) -> list[Value]:
    """The first of the rows of `values` whose logit is largest: unique hard attention."""
    return list(_largest(bases, logits, values)[0])


def rightmost(
    bases: list[fmpq], logits: Sequence[Value], values: Sequence[Sequence[Value]]
) -> list[Value]:
    """The last of the rows of `values` whose logit is largest: unique hard attention."""
    return list(_largest(bases, logits, values)[-1])


AVERAGES = {
    "softmax": softmax_averages,
    "hardmax": hardmax_averages,
    "leftmost": leftmost,
    "rightmost": rightmost,
}
UNIQUE = ("leftmost", "rightmost")  # kinds that attend to one position, whatever ties


def standardized(vector: Sequence[Value], eps: fmpq) -> list[Value]:
    """Layer normalization of one vector; ZeroDivisionError for 0/0."""
    mean = sum_of(vector) / len(vector)
    centred = [x - mean for x in vector]
    variance = sum_of(x * x for x in centred) / len(vector) + eps
    if variance == 0:
        raise ZeroDivisionError(
            "layer normalization with eps = 0 of a vector whose coordinates are all equal is 0/0"
        )
    scale = arb(variance).rsqrt()  # not a number while the variance may be 0
    return [ZERO if x == 0 and variance > 0 else x * scale for x in centred]


def sum_of(values: Iterable[Value]) -> Value:
    """The sum, rational where every value is."""
    return sum(values, ZERO)


def relu(x: Value) -> Value:
    """max(0, x)."""
    if isinstance(x, fmpq):
        return max(x, ZERO)
    return ZERO if x < 0 else x.max(arb(0))


def sign(s: Value) -> int | None:
    """The sign that is proved, or None; a ball equals 0 only if it holds nothing else."""
    if s > 0:
        return 1
    if s < 0:
        return -1
    return 0 if s == 0 else None


def exactly(value: Fraction | int) -> fmpq:
    """A rational number in python-flint's type."""
    return fmpq(value.numerator, value.denominator)


@cache
def position_value(formula: str, i: int, n: int) -> fmpq:
    """A position encoding's value."""
    return exactly(position(formula)(Fraction(i), Fraction(n)))


def _largest(
    bases: list[fmpq], logits: Sequence[Value], values: Sequence[Sequence[Value]]
) -> list[Sequence[Value]]:
    """The rows of `values` whose logit is largest, in their order."""
    sign = 1
    for base in bases:
        sign *= (base > 1) - (base < 1)
    turned = logits if sign == 1 else [sign * logit for logit in logits]
    largest = max(turned)
    return [row for logit, row in zip(turned, values, strict=True) if logit == largest]


def _by_logit(
    logits: Sequence[Value], values: Sequence[Sequence[Value]]
) -> list[tuple[Value, int, list[Value]]]:
    """Each logit, how many positions have it, and the sums of their values; two balls are not
    known to be equal, and stay apart.
    """
    groups: dict[object, tuple[Value, int, list[Value]]] = {}
    for j, (logit, row) in enumerate(zip(logits, values, strict=True)):
        key = (int(logit.p), int(logit.q)) if isinstance(logit, fmpq) else j
        if key in groups:
            _, count, totals = groups[key]
            both = [total + value for total, value in zip(totals, row, strict=True)]
            groups[key] = (logit, count + 1, both)
        else:
            groups[key] = (logit, 1, list(row))
    return list(groups.values())


def _power(bases: list[fmpq], logit: Value) -> Value:
    """What an attention logit weighs before normalization: e to its power, each base's logarithm
    being a factor of it.
    """
    if len(bases) == 1 and isinstance(logit, fmpq) and logit.q == 1:
        digits = max(bases[0].p.bit_length(), bases[0].q.bit_length())
        if abs(logit.p) * digits <= LARGEST_POWER:
            return bases[0] ** int(logit.p)
    for base in bases:
        logit = logit * arb(base).log()
    return arb(logit).exp()
