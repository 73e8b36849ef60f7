"""How well layer normalization's output can be its input: floors under the loss of
LayerNorm-Identity (Ouellette et al. 2023, Table II).

What leaves gamma * LN(.) + beta in R^5 lies in a hyperplane; with eps = 0 and all scales of one
size it lies on a sphere there, with eps > 0 inside it.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from lib.checks import above_zero, shown, takes

WIDTH = 5
SAMPLES = 2**18


@cache
def _radii() -> np.ndarray:
    """The lengths of vectors uniform in [-1, 1]^5 whose mean is taken away, (samples,)."""
    vectors = np.random.default_rng(0).uniform(-1, 1, (SAMPLES, WIDTH))
    return np.linalg.norm(vectors - vectors.mean(1, keepdims=True), axis=1)


@takes(reach=above_zero)
def plane_floor(reach: float) -> float:
    """The least mean squared error on vectors uniform in [-reach, reach]^5 of outputs in a
    hyperplane: reach^2 / 15.
    """
    return _checked(reach, "a reach") ** 2 / 15


@takes(radius=above_zero, reach=above_zero)
def ball_floor(radius: float, reach: float) -> float:
    """The same of outputs in a ball of that radius around 0 in the hyperplane of vectors of sum 0;
    its mean over 2^18 vectors has a standard error below 1e-4 of it.
    """
    _checked(radius, "a radius")
    beyond = np.maximum(reach * _radii() - radius, 0)
    return plane_floor(reach) + float(np.mean(beyond**2)) / WIDTH


@takes(radius=above_zero, reach=above_zero)
def sphere_floor(radius: float, reach: float) -> float:
    """The same of outputs on the sphere of that radius."""
    _checked(radius, "a radius")
    off = reach * _radii() - radius
    return plane_floor(reach) + float(np.mean(off**2)) / WIDTH


@takes(reach=above_zero)
def best_radius(reach: float) -> float:
    """The radius of the sphere whose floor is least: the mean length of what is approximated."""
    return _checked(reach, "a reach") * float(_radii().mean())


def _checked(value: float, name: str) -> float:
    if not 0 < value < float("inf"):
        raise ValueError(f"{name} above 0 is expected, not {shown(value)}")
    return float(value)
