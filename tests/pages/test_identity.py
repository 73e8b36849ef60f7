"""Floors under LayerNorm-Identity, each against another way to compute it; no network is below."""

from math import pi, sqrt

import numpy as np
import pytest
import torch

from chapters.counting_ablations.by_hand import ball_floor, best_radius, sphere_floor
from chapters.counting_ablations.layer import Ablation, Counters


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
