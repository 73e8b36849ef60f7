"""Floors under LayerNorm-Identity, each against another way to compute it; no network is below."""

from math import pi, sqrt

import numpy as np
import pytest
import torch

from chapters.pages.counting_ablations.by_hand import (
    ball_floor,
    best_radius,
    identity_below_root_eps,
    plane_floor,
    sphere_floor,
)
from lib.counting.layer import Ablation, Counters


def mean_length(nodes: int = 80) -> float:
    """E|Px| for x uniform in [-1, 1]^5 and P removing the mean, by quadrature.

    E|y| is the integral of (1 - E e^(-t |y|^2)) t^(-3/2) dt / (2 sqrt(pi)), and as |Px|^2 is
    |x|^2 - (sum x)^2 / 5, a Gaussian mean splits the expectation into five equal factors.
    """
    g, g_weights = np.polynomial.hermite_e.hermegauss(nodes)
    x, x_weights = np.polynomial.legendre.leggauss(nodes)
    s, s_weights = np.polynomial.legendre.leggauss(200)
    s, s_weights = 4 * (s + 1), 4 * s_weights  # sqrt(t) from 0 to 8; beyond, 1 - e^(-t |Px|^2) is 1
    integral = 1 / 8
    for root, weight in zip(s, s_weights, strict=True):
        one = np.exp(-((root * x) ** 2) + np.outer(g, x) * root * sqrt(2 / 5)) @ x_weights / 2
        mean = (one**5) @ g_weights / sqrt(2 * pi)
        integral += weight * (1 - mean) / root**2
    return integral / sqrt(pi)


def test_the_sphere_is_what_quadrature_gives():
    length = mean_length()
    assert best_radius(1.0) == pytest.approx(length, rel=1e-3)
    for reach, radius in ((0.5, 0.3), (0.5, best_radius(0.5)), (1.0, 0.7)):
        squares = 5 * reach**2 / 3 - 2 * radius * reach * length + radius**2
        assert sphere_floor(radius, reach) == pytest.approx(squares / 5, rel=2e-3)


def test_the_floors_are_the_means_of_the_nearest_points():
    x = np.random.default_rng(1).uniform(-0.5, 0.5, (100_000, 5))
    planar = x - x.mean(1, keepdims=True)
    length = np.linalg.norm(planar, axis=1, keepdims=True)
    on_sphere, inside = 0.6 * planar / length, planar * np.minimum(1, 0.6 / length)
    for floor, nearest in (
        (plane_floor(0.5), planar),
        (sphere_floor(0.6, 0.5), on_sphere),
        (ball_floor(0.6, 0.5), inside),
    ):
        assert floor == pytest.approx(np.mean((x - nearest) ** 2), rel=0.01)


def test_the_hyperplane_is_no_better_for_another_normal():
    draw = np.random.default_rng(2)
    x = draw.uniform(-1, 1, (200_000, 5))
    for normal in (*np.eye(5), *draw.normal(size=(5, 5))):
        distance = x @ (normal / np.linalg.norm(normal))
        assert distance.var() / 5 == pytest.approx(plane_floor(1.0), rel=0.01)


@pytest.mark.parametrize("eps", [0.0, 1e-5, 1e-2])
def test_no_network_is_below_its_floor(eps):
    ablation = Ablation("none", ("feed-forward",), "ReLU", hidden=16, width=5, eps=eps)
    counters = Counters(ablation, range(8))
    scales = torch.linspace(0.05, 0.6, 8, dtype=torch.float64)
    with torch.no_grad():
        counters.flat.mul_(6)
        counters.parameters()["gamma after feed-forward"][:] = scales[:, None]
        counters.parameters()["beta after feed-forward"].zero_()
        x = torch.rand(1, 20_000, 1, 5, dtype=torch.float64) - 0.5
        outputs = counters(x, torch.ones(1, 20_000, 1, dtype=torch.float64))
    losses = (outputs - x).square().mean((1, 2, 3))
    floor = ball_floor if eps else sphere_floor
    for scale, loss in zip(scales, losses, strict=True):
        assert loss > 0.98 * floor(sqrt(5) * scale.item(), 0.5)


def test_below_root_eps_the_floor_is_reached():
    x = torch.rand(1, 100_000, 1, 5, dtype=torch.float64) * 2 - 1
    outputs = identity_below_root_eps(1e-5)(x, torch.ones(1, 100_000, 1, dtype=torch.float64))
    assert (outputs - x).square().mean().item() == pytest.approx(plane_floor(1.0), rel=0.02)


def test_a_larger_ball_is_no_worse_and_the_sphere_is_worse_than_its_ball():
    radii = np.linspace(0.1, 2, 12)
    balls = [ball_floor(radius, 1.0) for radius in radii]
    assert all(np.diff(balls) < 0)
    for radius, ball in zip(radii, balls, strict=True):
        assert plane_floor(1.0) <= ball < sphere_floor(radius, 1.0)
    assert sphere_floor(best_radius(1.0), 1.0) <= min(sphere_floor(r, 1.0) for r in radii)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: plane_floor(0.0), "reach must be above 0, not 0.0"),
        (lambda: ball_floor(-1.0, 1.0), "radius must be above 0, not -1.0"),
        (lambda: sphere_floor(1.0, float("nan")), "reach must be finite, not nan"),
        (lambda: best_radius(float("inf")), "reach must be finite, not inf"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
