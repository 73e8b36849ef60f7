"""Each rule of sets: no point of a set comes out further from the centre than the radius says, and
one comes out nearly as far.
"""

from fractions import Fraction
from itertools import product
from math import exp

import pytest
import torch
from flint import arb, arb_series
from torch import Tensor

from lib.trained.arithmetic import Floats
from lib.trained.network import ACTIVATIONS, Linear, Norm, TrainedNetwork
from lib.trained.sets import CURVES, Multiplicities, Sets
from tests.trained.networks import attention
from tests.trained.test_arithmetic import CURVED, slope

SIDES, KINDS, WIDTH = 3, 4, 6
POINTS = 400
PLAIN = attention(2)
LOG = attention(2, log_n=True)


def drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64)


def a_set(size: float) -> tuple[Tensor, Tensor, Tensor]:
    """A set of tokens with three directions, and a radius of a tenth of them."""
    directions = size * drawn(1, KINDS, SIDES, WIDTH)
    return drawn(1, KINDS, WIDTH), size / 10 * torch.ones(1, KINDS).double(), directions


def points(value, places: Tensor) -> Tensor:
    """Points of a set, (points, kinds, width), those of its corners with an error as large as its
    radius in a random direction.
    """
    centre, radius, directions = value
    off = drawn(len(places), *centre.shape[1:])
    off = off / off.norm(dim=-1, keepdim=True) * radius[..., None]
    return centre + torch.einsum("pd,bkde->pke", places, directions) + off


def furthest(found, exact: Tensor, places: Tensor) -> float:
    """How far points come out from the set, in parts of its radius."""
    centre, radius, directions = found
    off = exact - centre - torch.einsum("pd,bkde->pke", places, directions)
    return float((off.norm(dim=-1) / radius).max())


def weights(size: float, log: bool) -> Multiplicities:
    often = torch.rand(1, 1, KINDS, dtype=torch.float64) + 0.1
    log_n = (torch.tensor([2.0]).double(), torch.tensor([size]).double()) if log else None
    moves = size * often[:, :, None] * torch.rand(1, 1, SIDES, KINDS, dtype=torch.float64) / SIDES
    if log:
        moves[:, :, -1] = 0  # the direction of the log
    return Multiplicities(often, moves, log_n)


def attended(x: Tensor, how: TrainedNetwork, some: Multiplicities, places: Tensor) -> Tensor:
    """Attention of points, written out for each head."""
    often = some.centre[:, 0] + torch.einsum("pd,bdk->pk", places, some.directions[:, 0])
    log = 1.0 if some.log is None else some.log[0] + places[:, -1:, None] * some.log[1]
    parts = []
    for head in x.chunk(2, -1):
        logits = head @ head.mT / head.shape[-1] ** 0.5 * log
        parts.append((logits + often.log()[:, None]).softmax(-1) @ head)
    return torch.cat(parts, -1)


def apart(value) -> tuple[Tensor, Tensor, Tensor]:
    """Outputs, each a set of its own."""
    centre, radius, directions = value
    return centre[..., None], radius, directions.mT[..., None]


NORM = Norm(1 + 0.3 * drawn(WIDTH), drawn(WIDTH), 1e-5)
MAP = Linear(drawn(WIDTH, WIDTH), drawn(WIDTH))
RULES = {
    "add": (lambda a, x: a.add(x, x), lambda y: y + y),
    "linear": (lambda a, x: a.linear(x, MAP), lambda y: y @ MAP.weight + MAP.bias),
    "outputs": (
        lambda a, x: apart(a.outputs(a.token(x, 0), MAP)),
        lambda y: (y[:, 0] @ MAP.weight + MAP.bias)[..., None],
    ),
    "norm": (lambda a, x: a.norm(x, NORM), lambda y: Floats().norm((y,), NORM)[0]),
    "multiply": (lambda a, x: a.multiply(x, x), lambda y: y * y),
    **{
        name: (
            lambda a, x, name=name: a.activate(x, name),
            lambda y, name=name: Floats().activate((y,), name)[0],
        )
        for name in ACTIVATIONS
    },
}


@pytest.mark.parametrize("size", [1e-4, 1e-2, 0.3, 3.0, 100.0])
@pytest.mark.parametrize("rule", RULES)
def test_no_point_leaves_its_set(rule, size):
    apply, exactly = RULES[rule]
    largest = 0.0
    for seed in range(20):
        torch.manual_seed(seed)
        x, places = a_set(size), torch.rand(POINTS, SIDES, dtype=torch.float64).mul(2).sub(1).sign()
        found = apply(Sets(weights(0.1, False), {}), x)
        largest = max(largest, furthest(found, exactly(points(x, places)), places))
    assert 0.05 < largest <= 1


@pytest.mark.parametrize("size", [1e-4, 1e-2, 0.1, 0.5, 5.0])
@pytest.mark.parametrize("how", [PLAIN, LOG], ids=["plain", "log n"])
def test_no_point_leaves_what_is_attended_to(how, size):
    largest = 0.0
    for seed in range(20):
        torch.manual_seed(seed)
        x, some = a_set(size), weights(min(size, 0.9), how.log_n)
        places = torch.rand(POINTS, SIDES, dtype=torch.float64).mul(2).sub(1).sign()
        exact = attended(points(x, places), how, some, places)
        largest = max(largest, furthest(Sets(some, {}).attend(x, x, x, how), exact, places))
    assert 0.01 < largest <= 1


def test_a_weight_that_underflows_at_the_centre_is_not_lost():
    """A token with a large value weighs e^-746 at the centre of the set, and e^-40 at its end."""
    some = Multiplicities(torch.ones(1, 1, 2).double(), torch.zeros(1, 1, 1, 2).double())

    def told(*numbers: float, direction: float = 0) -> tuple[Tensor, Tensor, Tensor]:
        centre = torch.tensor(numbers, dtype=torch.float64)[None, :, None]
        return centre, torch.zeros_like(centre[..., 0]), (0 * centre + direction)[..., None]

    query, keys, values = told(-746, direction=706), told(1, 0), told(1e20, 0)
    how = attention(1, attention_scale=1.0)
    centre, radius, directions = Sets(some, {}).attend(query, keys, values, how)
    assert abs(1e20 * exp(-40) - (centre + directions[..., 0])) <= radius


@pytest.mark.parametrize(
    "moves, rest, values, turns, radius",
    [
        ((0.5, 0), 0, (1, 0), (0, 0), 0),
        ((0, 0), 0.5, (1, 0), (0, 0), 0),
        ((0.5, 0), 0, (0, 0), (1, -1), 0),
        ((1, 0.5), 0, (0, 0), (0, 0), 1),  # so little may be left that the furthest value says more
        ((1, 1), 0, (0, 0), (0, 0), 1),  # or nothing
    ],
)
def test_a_mean_comes_out_as_far_as_its_radius_says(moves, rest, values, turns, radius):
    """Of two values by weights of 1: both move along one direction, weights by `rest` besides."""
    one, moves, rest = (torch.tensor(x).double() for x in ((1, 1), moves, (rest, 0)))
    values, turns, off = (torch.tensor(x).double() for x in (values, turns, (radius, radius)))
    many = Multiplicities(one[None, None], moves[None, None, None])
    sets = values[None, :, None], off[None], turns[None, :, None, None]
    weights, directions = many.centre[:, :, None], many.directions[:, :, None]
    found = Sets(many, {})._mix(weights, directions, rest[None, None, None], sets, 1)
    centre, radius, direction = (float(part) for part in found)
    furthest = 0.0
    for t, more, side in product((-1, 1), repeat=3):
        often = one + t * moves + more * rest
        if often.min() > 0:
            mean = float(often @ (values + t * turns + side * off) / often.sum())
            furthest = max(furthest, abs(mean - centre - t * direction) / radius)
    assert 0.99 < furthest <= 1


def test_what_is_rounded_is_within_the_radius():
    """A mean of three tenths is no tenth in floats, nor a sum of tenths along a direction exact."""
    ones, tenths = torch.ones(1, 1, 3).double(), torch.arange(1, 4, dtype=torch.float64) / 10
    sets = Sets(Multiplicities(ones, 0 * ones[:, :, None]), {})
    centre, radius, _ = sets.mean((0 * ones.mT + 0.1, ones[0] * 0, 0 * ones.mT[..., None]))
    assert 0 < abs(float(centre) - 0.1) <= float(radius)
    value = (0 * ones, 0 * ones[:, :, 0], tenths[None, None, None])
    truth = sum(map(Fraction, tenths.tolist()))
    for found in (sets.linear, sets.outputs):
        _, radius, direction = found(value, Linear(ones[0].mT, torch.zeros(1).double()))
        assert 0 < abs(Fraction(float(direction)) - truth) <= Fraction(float(radius))


def test_no_point_leaves_a_mean():
    for seed in range(20):
        torch.manual_seed(seed)
        x, some = a_set(0.1), weights(0.3, False)
        places = torch.rand(POINTS, SIDES, dtype=torch.float64).mul(2).sub(1)
        often = some.centre[:, 0] + torch.einsum("pd,bdk->pk", places, some.directions[:, 0])
        exact = (often[..., None] * points(x, places)).sum(1) / often.sum(1, keepdim=True)
        found = Sets(some, {}).mean(x)
        assert 0 < furthest(found, exact[:, None], places) <= 1


@pytest.mark.parametrize("name", CURVED)
def test_what_bends_most_comes_out_as_far_as_its_radius_says(name):
    at = torch.linspace(-3, 3, 601, dtype=torch.float64)[None, :, None]
    value = (at, 0 * at[..., 0], 0 * at[..., None] + 0.05)
    centre, radius, directions = Sets(weights(0.1, False), {}).activate(value, name)
    (bent,) = Floats().activate((at + 0.05,), name)
    away = (bent - centre - directions[..., 0]).abs()[..., 0] / radius
    assert 0.9 < float(away.max()) <= 1


@pytest.mark.parametrize("name", CURVED)
def test_no_second_derivative_is_larger(name):
    """In balls that cover [-10, 10]; beyond, it is below a hundredth."""
    largest = arb(0)
    for step in range(-5_000, 5_000):
        ball = arb_series([arb(step) / 500 + arb(0, 0.001), 1])
        largest = largest.max(abs(slope(name, ball)[1]))
    assert CURVES[name] - 0.03 < largest < CURVES[name]
