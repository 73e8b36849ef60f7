"""Bounds hold: against balls, against runs in float32, under attack; what they rest on is true."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from flint import arb, ctx

from lib.trained import Judged, Positive, TrainedNetwork
from lib.trained.arithmetic import SLOPES, Balls, Bounded, Floats, norm_bound
from lib.trained.audit import given
from lib.trained.network import ACTIVATIONS, Linear
from lib.trained.passes import outputs
from tests.trained.networks import ATTACKS, SHAPES, Encoder, attacked, gpt2, hugging_face
from tests.trained.test_passes import strings


def truth(judged: Judged, rows: torch.Tensor) -> tuple[np.ndarray, float]:
    """The outputs by balls of 200 bits, in float64, and how wide the widest ball is."""
    with ctx.workprec(200):
        found = [outputs(judged, row[None], Balls()) for row in rows]
    return np.array(found, dtype=float), max(float(x.rad()) for row in found for x in row)


def holds(judged: Judged, rows: torch.Tensor) -> int:
    """Holds the bounds of these strings against balls; how many there were."""
    centre, bound = outputs(judged, rows, Bounded())
    exact, width = truth(judged, rows)
    within = bound.numpy() + width + 2.0**-52 * np.abs(exact)
    assert (np.abs(centre.numpy() - exact) <= within).all()
    assert width < 1e-25
    return int(torch.isfinite(bound).sum())


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_bounds_hold_on_every_short_string(shape, scale):
    judged = Encoder(scale=scale, **shape).judged()
    assert sum(holds(judged, given(judged, strings(n))) for n in (1, 4)) == 18


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_float32_stays_within_its_bound(shape, seed):
    """PyTorch's own kernels, and ours, in float32."""
    theirs = Encoder(seed, **shape)
    theirs.float().double()  # weights that float32 holds
    judged = theirs.judged()
    rows = given(judged, strings(8))
    centre, bound = outputs(judged, rows, Bounded(2.0**-24))
    (ours,) = outputs(judged, rows, Floats(torch.float32))
    with torch.no_grad():
        said = theirs.float()(rows)[:, -1]
    for run in (ours, said):
        assert bool(((run.double() - centre).abs() <= bound).all())
    assert bool(torch.isfinite(bound).all()) and float((said.double() - centre).abs().max()) > 0


def attacks() -> dict[str, TrainedNetwork]:
    """Networks whose rounding is as bad as one can make it."""
    network, found = gpt2("gelu_new"), {name: attacked("gelu_new", name)[1] for name in ATTACKS}
    output = network.output.weight.clone()
    output[:, 0] = 1e8 * (output[:, 1] - output[:, 2]) * 1e8 + output[:, 0]
    found["cancelling output"] = replace(network, output=Linear(output, network.output.bias))
    flat = torch.ones_like(network.word) + 1e-9 * network.word
    found["almost constant rows"] = replace(network, word=flat, positions=None, rotary=10.0)
    return found


@pytest.mark.parametrize("name", [*ATTACKS, "cancelling output", "almost constant rows"])
def test_bounds_hold_under_attack(name):
    judged = Judged(attacks()[name], {"a": 0}, Positive(0))
    rows = hugging_face()[1]
    assert holds(judged, rows[:, :6]) == 120


CURVED = sorted({*ACTIVATIONS} - {"identity", "relu", "tanh"})  # whose slopes need a look


@pytest.mark.parametrize("name", CURVED)
def test_no_slope_of_an_activation_is_larger(name):
    """The derivative in balls that cover [-10, 10]; beyond, the slope is within a thousandth of 0
    or of 1.
    """
    bound, steepest = SLOPES[name], arb(0)
    for step in range(-5_000, 5_000):
        x = arb(step) / 500 + arb(0, 0.001)
        steepest = steepest.max(abs(slope(name, x)))
    assert steepest < bound and steepest > bound - 0.01


def slope(name: str, x: arb) -> arb:
    """The derivative of SiLU or of either GELU on a ball."""
    if name == "silu":
        sigmoid = 1 / (1 + (-x).exp())
        return sigmoid * (1 + x * (1 - sigmoid))
    if name == "gelu":
        root = (2 * arb.pi()).sqrt()
        return (1 + (x / arb(2).sqrt()).erf()) / 2 + x * (-x * x / 2).exp() / root
    factor = (8 / arb.pi()).sqrt()
    share = 1 / (1 + (-factor * (x + arb("0.044715") * x * x * x)).exp())
    return share + x * share * (1 - share) * factor * (1 + 3 * arb("0.044715") * x * x)


@pytest.mark.parametrize("shape", [(3, 5), (40, 8), (1, 9), (16, 16)])
def test_a_norm_is_bounded_from_above_and_closely(shape):
    torch.manual_seed(0)
    matrix = torch.randn(shape, dtype=torch.float64)
    largest = float(torch.linalg.matrix_norm(matrix, 2))
    assert largest <= norm_bound(matrix) < 1.03 * largest
    assert norm_bound(0 * matrix) == 0
