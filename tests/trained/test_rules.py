"""Each rule of the bounds alone: an error planted in the worst direction comes out nearly as large
as its bound, and rounding is within what the rule allows, and not far below.
"""

from dataclasses import replace
from fractions import Fraction
from math import inf, sqrt

import pytest
import torch
from flint import arb, ctx
from torch import Tensor
from torch.nn import functional

from lib.languages import Language
from lib.trained import Judged, Largest, Positive, TrainedNetwork, accepted
from lib.trained.arithmetic import Balls, Bounded, Floats
from lib.trained.audit import audit, decided, given
from lib.trained.network import Linear, Norm
from lib.trained.passes import outputs, rotations
from lib.verdicts import EACH_STRING, UNKNOWN
from tests.trained.networks import attention

PLANTED = 1e-4  # far above what rounding adds
PLAIN = attention(1)
EVERY = Language("every", lambda w: True, ("0",))


def floats(*numbers) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def moved(rule, x: Tensor, direction: Tensor) -> float:
    """How far a rule carries an error of one token in a direction, in parts of its bound."""
    off = PLANTED * direction / direction.norm()
    error = torch.full(x.shape[:-1], PLANTED, dtype=torch.float64)
    (right,) = rule(Floats(), (x + off,))
    centre, bound = rule(Bounded(), (x, error))
    return float(((right - centre).norm(dim=-1) / bound).max())


MAP = Linear(drawn(6, 4, seed=1), drawn(4, seed=2))
UNIT = Norm(torch.ones(6, dtype=torch.float64), torch.zeros(6, dtype=torch.float64), 1e-5)
ROW = drawn(1, 1, 6)
STEEP = torch.full((1, 1, 6), sqrt(2), dtype=torch.float64)


def aside(direction: Tensor) -> Tensor:
    """What of it a norm of ROW does not take away."""
    row, moved = ROW[0, 0] - ROW.mean(), direction - direction.mean()
    return moved - (moved @ row) / row.norm() ** 2 * row


AROUND = aside(drawn(6, seed=3))
RMS = replace(UNIT, kind="rms")
ALONG = ROW[0, 0]
ACROSS = drawn(6, seed=3) - (drawn(6, seed=3) @ ALONG) / ALONG.norm() ** 2 * ALONG
ONE_GAIN = Norm(floats(1, 0, 0, 0, 0, 0), UNIT.bias, 1e-5)
RULES = {
    "linear": (lambda a, x: a.linear(x, MAP), ROW, torch.linalg.svd(MAP.weight.T)[2][0], 0.95),
    "add": (lambda a, x: a.add(x, x), ROW, drawn(6), 0.99),
    "mean": (lambda a, x: a.mean(tuple(torch.cat([y, y], 1) for y in x)), ROW, drawn(6), 0.99),
    "norm": (lambda a, x: a.norm(x, UNIT), ROW, AROUND, 0.95),
    "gain": (lambda a, x: a.norm(x, ONE_GAIN), ROW, aside(ONE_GAIN.gain), 0.4),
    "rms": (lambda a, x: a.norm(x, RMS), ROW, ACROSS, 0.95),
    "relu": (lambda a, x: a.activate(x, "relu"), ROW.abs() + 1, drawn(6), 0.99),
    "gelu": (lambda a, x: a.activate(x, "gelu"), STEEP, torch.ones(6), 0.99),
    "gelu_new": (lambda a, x: a.activate(x, "gelu_new"), STEEP, torch.ones(6), 0.99),
    "silu": (lambda a, x: a.activate(x, "silu"), STEEP * 1.7, torch.ones(6), 0.98),
    "tanh": (lambda a, x: a.activate(x, "tanh"), STEEP * 0, torch.ones(6), 0.99),
    "multiply": (lambda a, x: a.multiply(x, x), floats(2, 0, 0)[None, None], floats(1, 0, 0), 0.99),
    "turn": (lambda a, x: a.turn(x, rotations(10.0, 6, 1, range(3, 4))), ROW, AROUND, 0.99),
}


@pytest.mark.parametrize("name", RULES)
def test_a_planted_error_is_enclosed_and_nearly_reached(name):
    rule, x, direction, least = RULES[name]
    assert least <= moved(rule, x, direction.to(torch.float64)) <= 1


def attended(which: int, direction: Tensor) -> float:
    """The same of attention of one head to two keys, the error planted in queries, keys or values
    of all tokens.
    """
    q, k, v = floats(1, 0)[None, None], floats(1, 0, -1, 0).view(1, 2, 2), drawn(1, 2, 2)
    parts = [q, k, v]
    off = PLANTED * direction / direction.norm(dim=-1, keepdim=True)
    exact = [(x + off if number == which else x,) for number, x in enumerate(parts)]
    errors = [PLANTED if number == which else 0.0 for number in range(3)]
    given = [
        (x, torch.full(x.shape[:-1], e, dtype=torch.float64))
        for x, e in zip(parts, errors, strict=True)
    ]
    (right,) = Floats().attend(*exact, PLAIN)
    centre, bound = Bounded().attend(*given, PLAIN)
    return float((right - centre).norm() / bound.max())


def test_errors_of_queries_keys_and_values_are_enclosed_and_nearly_reached():
    assert 0.95 <= attended(0, floats(1, 0)) <= 1
    assert 0.95 <= attended(1, floats(1, 0, -1, 0).view(1, 2, 2)) <= 1
    assert 0.95 <= attended(2, floats(1, 1)) <= 1


@pytest.mark.parametrize(
    "q, error, k, v, value_error, least",
    [
        (-5, 1, (1, -1), (0, 0), 1e-6, 0.95),  # of the first value, whose weight grows from little
        (-6, 3, (1, 0, 0, 0, 0), (1, 0, 0, 0, 0), 0, 0.02),
    ],
    ids=["of a value too", "of one logit"],
)
def test_an_error_of_a_query_is_enclosed_where_it_is_large(q, error, k, v, value_error, least):
    q, k, v = floats(q), floats(*k), floats(*v)
    off = floats(value_error, *[0] * (len(v) - 1))
    exact = [(x.view(1, -1, 1),) for x in (q + error, k, v + off)]
    errors = floats(error), torch.zeros_like(k), off
    bounded = [(x.view(1, -1, 1), e[None]) for x, e in zip((q, k, v), errors, strict=True)]
    (right,) = Floats().attend(*exact, PLAIN)
    centre, bound = Bounded().attend(*bounded, PLAIN)
    assert least <= float((right - centre).norm() / bound.max()) <= 1


def chain(*factors: float):
    """Maps of one number, one after the other."""

    def rule(a, x):
        for factor in factors:
            x = a.linear(x, Linear(floats(factor)[None], floats(0)))
        return x

    return rule


def says(*weights: float):
    """The one output with these weights."""
    output = Linear(floats(*weights)[:, None], floats(0))
    return lambda a, x: a.outputs(x, output)


def normal(width: int, eps: float = 1e-5, gain: float = 1.0, kind: str = "layer"):
    """Normalization of so many numbers."""
    ones = torch.ones(width, dtype=torch.float64)
    return lambda a, x: a.norm(x, Norm(gain * ones, 0 * ones, eps, kind))


@pytest.mark.parametrize("eps", [0.0, 1e-5, 0.5])
def test_no_direction_carries_an_error_of_rms_beyond_its_bound(eps):
    """Errors of every size up to where nothing is known, in random directions and against the row;
    the truth is PyTorch's.
    """
    shares, rule = [], normal(6, eps, kind="rms")
    for seed in range(300):
        row, direction = drawn(1, 1, 6, seed=seed), drawn(1, 1, 6, seed=seed + 1000)
        direction = -row if seed % 3 == 0 else direction
        scale = float(row.square().mean() + eps) ** 0.5
        size = sqrt(6) * scale * (seed + 1) / 310
        truth = functional.rms_norm(row + size * direction / direction.norm(), (6,), None, eps)
        centre, bound = rule(Bounded(), (row, floats(size)[None]))
        shares.append(float((truth - centre).norm() / bound))
    assert 0.9 < max(shares) <= 1


LARGE = 1e4 * drawn(6)
CLOSE = 1e4 * drawn(1, 1, 6, seed=1) + 1e-4 * drawn(1, 2, 6, seed=2)  # their logits nearly equal
ONE_MORE = Linear(floats(1)[None], floats(1))


def within(centre: Tensor, bound: Tensor, truth: list[arb]) -> bool:
    """Whether the one token lies within its bound."""
    off = [x - y for x, y in zip(truth, centre.flatten().tolist(), strict=True)]
    return bool(sum((x * x for x in off), arb(0)).sqrt() <= arb(bound.item()))


@pytest.mark.parametrize(
    "rule, x",
    [
        (lambda a, x: a.linear(x, ONE_MORE), floats(0.75e-16)),
        (lambda a, x: a.outputs(x, ONE_MORE), floats(0.75e-16)),
        (normal(7), 1e8 + drawn(7)),
        (normal(7), 1e8 + drawn(7, seed=2)),
        (normal(7, 0.0, kind="rms"), drawn(7)),
        (normal(7, kind="rms"), 1e8 + drawn(7)),
        (chain(*[1e-65] * 6, *[1e65] * 6), floats(1)),
        (lambda a, x: a.add(x, a.given(ROW)), drawn(6, seed=4)),
        (lambda a, x: a.mean(a.given(drawn(1, 5, 6))), floats(0)),
        (lambda a, x: a.turn(x, rotations(10.0, 6, 1, range(3, 4))), drawn(6)),
        (lambda a, x: a.attend(x, a.given(CLOSE), a.given(drawn(1, 2, 6)), PLAIN), LARGE),
    ],
    ids="linear output norm norms rms large underflow add mean turn logits".split(),
)
def test_rounding_is_enclosed_where_it_is_large(rule, x):
    with ctx.workprec(400):
        found = rule(Balls(), Balls().given(x[None, None]))
        truth = found if isinstance(found, list) else found[0].entries()  # outputs are a list
        centre, bound = rule(Bounded(), Bounded().given(x[None, None]))
        assert within(centre, bound, truth) and not within(centre, 0 * bound, truth)


def in_float32(rule, *tokens: Tensor) -> tuple[float, float]:
    """How far a run in float32 is off, and the bound for any order."""
    every = [x.float().double()[None] for x in tokens]
    run = rule(Floats(torch.float32), *((x.float(),) for x in every))[0].double()
    zeros = [torch.zeros(x.shape[:-1], dtype=torch.float64) for x in every]
    centre, bound = rule(Bounded(2.0**-24), *zip(every, zeros, strict=True))
    return float((run - centre).norm()), bound.item()


def test_numbers_that_float32_does_not_hold_are_rounded():
    numbers = drawn(1, 1, 6)
    centre, bound = Bounded(2.0**-24).given(numbers)
    assert 0 < float((numbers.float().double() - centre).norm()) <= bound.item() < 1e-6


def one_head(a, q, k, v):
    return a.attend(q, k, v, PLAIN)


@pytest.mark.parametrize(
    "rule, tokens",
    [
        (chain(1e-30, 1e-30, 1e30, 1e30), [floats(1)[None]]),
        (chain(1.2345e-42), [floats(1e15)[None]]),
        (normal(4, 1e-44, kind="rms"), [floats(1, -1, 0.37, -0.7)[None] * 2.0**-72]),
        (normal(4, 1e-44), [floats(1, -1, 0.37, -0.7)[None] * 2.0**-72]),
        (one_head, [floats(1)[None], floats(-105.5, 0)[:, None], floats(1e30, 0)[:, None]]),
    ],
    ids=["a chain", "a weight", "a square", "a variance", "a share"],
)
def test_underflow_in_float32_is_enclosed(rule, tokens):
    off, bound = in_float32(rule, *tokens)
    assert 0 < off <= bound


@pytest.mark.parametrize(
    "rule, tokens",
    [
        (lambda a, x: a.add(x, x), [floats(2e38)[None]]),
        (lambda a, x: a.given(floats(1e39)[None, None]), [floats(0)[None]]),
        (lambda a, x: a.mean(x), [floats(3e38, 3e38)[:, None]]),
        (chain(1e20, 1e20, 1e-30), [floats(1)[None]]),
        (chain(1e39), [floats(1e-30)[None]]),
        (says(1e40, 1), [floats(0, 1)[None]]),
        (says(1e39), [floats(1e-30)[None]]),
        (says(1e20), [floats(1e20)[None]]),
        (normal(2), [floats(1e20, -1e20)[None]]),
        (normal(2, kind="rms"), [floats(1e20, 1e20)[None]]),
        (normal(2, eps=1e39), [floats(1, -1)[None]]),
        (normal(2, gain=1e39), [floats(1, -1)[None]]),
        (one_head, [floats(0)[None], *floats([0.0] * 10, [2e37] * 10)[..., None]]),
    ],
    ids="add word mean linear weight unused one outputs variance square eps gain values".split(),
)
def test_what_may_overflow_in_float32_is_not_known_in_any_order(rule, tokens):
    every = [x[None] for x in tokens]
    zeros = [torch.zeros(x.shape[:-1], dtype=torch.float64) for x in every]
    _, wide = rule(Bounded(), *zip(every, zeros, strict=True))
    _, narrow = rule(Bounded(2.0**-24), *zip(every, zeros, strict=True))
    assert bool(wide.isfinite().all()) and not bool(narrow.isfinite().any())


@pytest.mark.parametrize("unit", [2.0**-53, 2.0**-24])
def test_roundings_one_after_the_other_change_no_number_by_more(unit):
    bounds = Bounded(unit)
    for k in (1, 1000):
        most = (1 + Fraction(bounds.unit)) ** k - 1
        assert most < Fraction(bounds._gamma(k)) < Fraction(1.0001) * most


@pytest.mark.parametrize("unit", [2.0**-53, 2.0**-24])
def test_a_bound_sees_logits_not_which_of_queries_and_keys_is_large(unit):
    network, tokens = attention(1, log_n=True), [drawn(1, 3, 2, seed=seed) for seed in range(3)]
    given = [[(c * x, 0 * x[..., 0]) for c, x in zip((1 / s, s, 1), tokens)] for s in (1, 1024)]
    (_, one), (_, other) = (Bounded(unit).attend(*these, network) for these in given)
    assert torch.allclose(one, other, rtol=1e-6, atol=0)


def test_what_overflows_decides_nothing():
    """A sum of squares overflows in one order, and does not in another."""
    numbers = ("-0x1.6015a5167e155p+511", "0x1.513f38af3d31ap+509")
    row = floats(*map(float.fromhex, (numbers[0], numbers[1], "-" + numbers[1], numbers[0][1:])))
    _, bound = Bounded().norm(
        (row[None, None], torch.zeros(1, 1, dtype=torch.float64)),
        Norm(floats(1, 1, 1, 1), floats(0, 0, 0, 0), 1e-5),
    )
    assert bound.item() == inf


def words(*numbers: float, **changes) -> Judged:
    """A network without layers, which says a word's coordinates added up."""
    word = floats(*numbers)[None]
    output = Linear(torch.ones(len(numbers), 1, dtype=torch.float64), floats(0))
    network = TrainedNetwork(word, (), output, 1, "relu", True, True, **changes)
    return Judged(network, {"0": 0}, Positive())


def test_the_margin_is_that_of_the_balls_where_they_decide():
    """Also where the sign needs fewer bits than the margin."""
    small = (1 + 2.0**-52) * 2.0**-61
    moved = words(1, -1, positions=floats(small, 0)[None])
    for judged, margin in ((words(1e16, 1, -1e16), 1), (moved, small)):
        found = audit(judged, EVERY, longest=1, floats=())
        assert (found.kind, found.margin, found.balls) == (EACH_STRING, margin, 1)
    found = audit(two_words([1e16, 1, -1e16], 0.5), lambda w: True, 1, floats=())
    assert (found.margin, found.nearest, found.balls) == (0.5, "1", 1)


def test_a_difference_is_off_by_both_errors_and_its_own_rounding():
    network = replace(words(1.0).network, output=Linear(floats(1, 1)[None], floats(0, 0)))
    judged = Judged(network, {"0": 0}, Largest(0, 1))
    for centre, error, truth in (((1, 0), 0.6, (-0.2, 2.2)), ((2**53 + 2, 1), 0, (2**53 + 1,) * 2)):
        found = (floats(*centre)[None], floats(error, error)[None])
        _, low, high = (int(x) if error == 0 else float(x) for x in decided(judged, found))
        assert low <= truth[0] and high >= truth[1]


def two_words(first: list[float], second: float) -> Judged:
    """Words 0 and 1 of such a network, the second with one coordinate that is not 0."""
    rows = floats(*first, second, *[0] * (len(first) - 1)).view(2, -1)
    network = replace(words(*first).network, word=rows)
    return Judged(network, {"0": 0, "1": 1}, Positive())


@pytest.mark.parametrize("small, alone", [(1, 33.5), (-0.5, 31.5)])
def test_a_margin_is_not_that_of_floats_where_they_decide(small, alone):
    """In units of 2^-53 the sums are 34 and 33.5, or 31 and 31.5; floats find 32 of the first."""
    unit, truth = 2.0**-53, 32 + 2 * small
    row = [1, small * unit, small * unit, -(1 - 32 * unit)]
    judged = two_words(row, alone * unit)
    centre, low, _ = decided(judged, outputs(judged, given(judged, ["0", "1"]), Bounded()))
    assert bool((low > 0).all()) and (centre[0] < centre[1]) != (truth < alone)
    found = audit(judged, lambda w: True, 1, floats=())
    least, where = min((truth, "0"), (alone, "1"))
    assert (found.margin, found.nearest, found.balls) == (least * unit, where, 0)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_numbers_of_every_type_are_judged_as_in_float64(dtype):
    """Norms of these rows lose in float32 what decides."""
    network = words(2.0**12, 2.0**12, 50, positions=floats(127, 0, 0).expand(4, 3)).network
    output = Linear(floats(1, -1, -1)[:, None].to(dtype), floats(0).to(dtype))
    parts = {"word": network.word.to(dtype), "positions": network.positions.to(dtype)}
    found = audit(
        Judged(replace(network, output=output, **parts), {"0": 0}, Positive()), EVERY, 2, floats=()
    )
    assert (found.kind, found.margin) == (EACH_STRING, 77)
    assert all(x.dtype == torch.float64 for x in (output.weight, output.bias))


def test_where_nothing_was_asked_nothing_is_proved():
    found = audit(words(1.0), EVERY, longest=0, floats=())
    assert (found.kind, found.strings, found.unseen) == (UNKNOWN, 0, 1)
    with pytest.raises(ValueError, match="not the empty one"):
        accepted(words(1.0), [""])


def test_a_string_beyond_the_positions_is_refused():
    judged = words(1.0, 2.0, positions=drawn(3, 2))
    assert accepted(judged, ["00"]) == accepted(judged, ["00", "00"])[1:]
    with pytest.raises(ValueError, match="there are 3, not 4"):
        accepted(judged, ["0000"])
    for none in (lambda n: drawn(n, 1), None):
        with pytest.raises(ValueError, match="have no offset, not 1"):
            Judged(words(1.0, positions=none).network, {"0": 0}, Positive(), offset=1)
