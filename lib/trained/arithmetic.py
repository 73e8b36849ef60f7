"""What a forward pass computes with: plain floats, floats with a bound on their error, and balls.

A value of `Floats` is one tensor (..., d) in a tuple; of `Bounded` there is a second, (...), within
which the truth lies of each token, in the 2-norm. How errors are carried is derived on the record
page of chapter 12, and what rounding adds; it assumes IEEE arithmetic in any order, and exp, tanh,
erf and square roots within `ULPS` units in the last place.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import sqrt

import torch
from flint import arb, arb_mat
from torch import Tensor
from torch.nn import functional

from lib.trained.network import Linear, Norm, TrainedNetwork

ULPS = 4
COMPUTED: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "gelu": functional.gelu,
    "gelu_new": partial(functional.gelu, approximate="tanh"),
    "silu": functional.silu,
    "tanh": torch.tanh,
    "identity": lambda x: x,
}
# No slope of an activation is larger in size: tests/trained holds it by balls.
SLOPES = {"relu": 1.0, "gelu": 1.13, "gelu_new": 1.13, "silu": 1.101, "tanh": 1.0, "identity": 1.0}
SAFE = 1 + 1e-9  # for the rounding of the bounds themselves: a few thousand operations
SQUARINGS = 6
SQUARED = 1e-150  # what a size loses at most by squares that underflow
Value = tuple[Tensor, ...]


class Floats:
    """Plain floats of one type."""

    def __init__(self, dtype: torch.dtype = torch.float64):
        self.dtype = dtype

    def given(self, x: Tensor) -> Value:
        """A tensor of the network."""
        return (x.to(self.dtype),)

    def add(self, x: Value, y: Value) -> Value:
        """The residual connection, and positions."""
        return (x[0] + y[0],)

    def token(self, x: Value, place: int) -> Value:
        """One token of each string: (B, T, d) to (B, 1, d)."""
        return tuple(part[:, place : place + 1] for part in x)

    def mean(self, x: Value) -> Value:
        """The mean over tokens: (B, T, d) to (B, 1, d)."""
        return (x[0].mean(-2, keepdim=True),)

    def outputs(self, x: Value, map_: Linear) -> Value:
        """x W + b of the one token that is read, each coordinate by itself: (B, 1, d) to (B, e)."""
        return (self.linear(x, map_)[0][:, 0],)

    def linear(self, x: Value, map_: Linear) -> Value:
        """x W + b."""
        return (x[0] @ map_.weight.to(self.dtype) + map_.bias.to(self.dtype),)

    def norm(self, x: Value, norm: Norm) -> Value:
        """Layer normalization, or RMS normalization."""
        centred = norm.centred(x[0])
        scale = (centred.square().mean(-1, keepdim=True) + norm.eps).sqrt()
        return (centred / scale * norm.gain.to(self.dtype) + norm.bias.to(self.dtype),)

    def activate(self, x: Value, name: str) -> Value:
        """An activation, by its name."""
        return (COMPUTED[name](x[0]),)

    def multiply(self, x: Value, y: Value) -> Value:
        """Coordinate by coordinate, as in a gated unit."""
        return (x[0] * y[0],)

    def turn(self, x: Value, rotations: Tensor) -> Value:
        """The token at each position times the matrix there, (T, d, d)."""
        return ((x[0][..., None, :] @ rotations.to(self.dtype))[..., 0, :],)

    def attend(self, q: Value, k: Value, v: Value, how: TrainedNetwork) -> Value:
        """Softmax attention of queries (B, Q, d) to keys and values (B, T, d)."""
        weights, _ = self._weights(q[0], k[0], how)
        return ((weights @ _split(v[0], how.heads)).transpose(-2, -3).flatten(-2),)

    def _weights(self, q: Tensor, k: Tensor, how: TrainedNetwork) -> tuple[Tensor, Tensor]:
        """Weights and logits less the largest one, (B, heads, Q, T)."""
        q, k = _split(q, how.heads), _split(k, how.heads)
        logits = q @ k.mT
        scale = how.attention_scale
        logits = logits / sqrt(q.shape[-1]) if scale is None else logits * scale
        if how.log_n:
            logits = logits * seen(*logits.shape[-2:], how.causal).log().to(self.dtype)
        if how.slopes is not None:
            logits = logits - distances(how.slopes, *logits.shape[-2:]).to(self.dtype)
        if how.causal:
            logits = logits.masked_fill(hidden(*logits.shape[-2:]), -torch.inf)
        below = logits - logits.amax(-1, keepdim=True)
        return torch.softmax(below, dim=-1), below


class Bounded(Floats):
    """float64 with a bound on each token's error. With `unit` 2^-24 it holds of every run in
    float32, in whatever order sums are taken; the cosines and sines of rotary positions are those
    of float64, rounded. It is infinite where such a run may overflow.
    """

    def __init__(self, unit: float = 2.0**-53):
        super().__init__()
        self.unit = unit + 2.0**-53 if unit > 2.0**-53 else unit
        # What underflow takes away is less than `tiny`, sizes of vectors by their squares included;
        # a standard deviation of less than `least` may be lost in its square.
        self.tiny, self.least = (1e-140, 1e-140) if unit <= 2.0**-53 else (1e-36, 1e-16)
        # Numbers below this do not overflow, nor do sums that are rounded up to twice their size.
        self.most = 1e300 if unit <= 2.0**-53 else 1e38
        # A weight that is subnormal in float32 is off by this, in parts of the unit.
        self.lost = 0.0 if unit <= 2.0**-53 else 2.0**-149 / unit
        self._norms: dict[int, tuple[Tensor, float, float]] = {}

    def _gamma(self, k: float) -> float:
        """By how much k roundings, one after the other, change a number."""
        return SAFE * k * self.unit / (1 - k * self.unit)

    def _held(self, size: Tensor) -> Tensor:
        """The size of what a rule computes on its way, infinite where it may overflow."""
        return torch.where(size < self.most, size, torch.inf)

    def _of(self, centre: Tensor, error: Tensor) -> Value:
        return centre, error * SAFE + self.tiny

    def given(self, x: Tensor) -> Value:
        centre = x.double()
        rounding = self.unit if self.unit > 2.0**-53 else 0.0  # float32 may not hold what is given
        return self._of(centre, rounding * self._held(_size(centre)))

    def add(self, x: Value, y: Value) -> Value:
        (centre,) = super().add(x, y)
        error = x[1] + y[1]
        return self._of(centre, error + self.unit * self._held(_size(centre) + error))

    def mean(self, x: Value) -> Value:
        (centre,) = super().mean(x)
        n, error = x[0].shape[-2], x[1].sum(-1, keepdim=True)
        total = self._held(_size(x[0]).sum(-1, keepdim=True) + error)
        return self._of(centre, (error + self._gamma(n + 1) * total) / n)

    def linear(self, x: Value, map_: Linear) -> Value:
        (centre,) = super().linear(x, map_)
        two, frobenius = self._matrix(map_)
        size = self._held((_size(x[0]) + x[1]) * frobenius + _size(map_.bias))
        return self._of(centre, x[1] * two + self._gamma(len(map_.weight) + 3) * size)

    def outputs(self, x: Value, map_: Linear) -> Value:
        (centre,) = Floats.linear(self, x, map_)
        sizes = map_.weight.norm(dim=0) * SAFE + sqrt(len(map_.weight)) * self.lost
        sizes = self._held(sizes)
        size = self._held((_size(x[0]) + x[1])[..., None] * sizes + map_.bias.abs())
        error = x[1][..., None] * sizes + self._gamma(len(map_.weight) + 3) * size
        centre, error = self._of(centre, error)
        return centre[:, 0], error[:, 0]

    def _matrix(self, map_: Linear) -> tuple[float, float]:
        """Bounds on the 2-norm and the Frobenius norm of a matrix, remembered."""
        key = id(map_.weight)
        if key not in self._norms:
            size = map_.weight.norm() * SAFE + sqrt(map_.weight.numel()) * self.lost
            two, frobenius = norm_bound(map_.weight), float(self._held(size))
            self._norms[key] = map_.weight, two, frobenius  # held, so that no other gets its id
        return self._norms[key][1:]

    def norm(self, x: Value, norm: Norm) -> Value:
        d, centred = x[0].shape[-1], norm.centred(x[0])
        scale = (centred.square().mean(-1) + norm.eps).sqrt()
        centre = centred / scale[..., None] * norm.gain + norm.bias
        # The rounding of the mean is an error of the input; the map c / s is 1/s-Lipschitz.
        size = _size(x[0]) + x[1]
        error = x[1] if norm.kind == "rms" else x[1] + self._gamma(d + 2) * size
        left = scale * (2 - SAFE) - error / sqrt(d)
        # What is left is relative, and the size of what is normalized at most the root of d.
        standard = error / left + self._gamma(d + 2 * ULPS + 4) * sqrt(d)
        is_held = (scale > self.least) & (size.square() + norm.eps < self.most)
        standard = torch.where((left > 0) & is_held, standard, torch.inf)
        gain, bias = float(norm.gain.abs().max()), _size(norm.bias)
        rounding = 4 * self.unit * self._held(gain * sqrt(d) + gain * standard + bias)
        return self._of(centre, gain * standard + rounding)

    def activate(self, x: Value, name: str) -> Value:
        (centre,) = super().activate(x, name)
        if name in ("relu", "identity"):
            return self._of(centre, x[1])
        rounding = 6 * ULPS * self.unit * (_size(x[0]) + x[1])
        return self._of(centre, SLOPES[name] * x[1] + rounding)

    def multiply(self, x: Value, y: Value) -> Value:
        (centre,) = super().multiply(x, y)
        # |xy - x'y'| <= |x - x'| |y'| + |x| |y - y'|, and no coordinate is larger than its vector.
        left, right = _size(x[0]) + x[1], _size(y[0]) + y[1]
        size = self._held(left * right)
        return self._of(centre, x[1] * right + left * y[1] + self.unit * size)

    def turn(self, x: Value, rotations: Tensor) -> Value:  # sums have two terms that are not 0
        (centre,) = super().turn(x, rotations)
        return self._of(centre, x[1] * SAFE + self._gamma(4) * 2 * (_size(x[0]) + x[1]))

    def attend(self, q: Value, k: Value, v: Value, how: TrainedNetwork) -> Value:
        weights, below = self._weights(q[0], k[0], how)
        values = _split(v[0], how.heads)
        out = weights @ values
        keys, length = _split(k[0], how.heads), k[0].shape[-2]
        # Each head's query, key and value is within the error of its whole token.
        asked, asked_error = _size(_split(q[0], how.heads))[..., None], q[1][:, None, :, None]
        known, known_error = _size(keys)[..., None, :], k[1][:, None, None]
        size, key_size = asked + asked_error, known + known_error
        size = torch.where(size * key_size.amax(-1, keepdim=True) < self.most, size, torch.inf)
        moved = (asked_error + self._gamma(keys.shape[-1] + 6) * size) * key_size
        moved += asked * known_error  # in place: what is done with all pairs takes most of the time
        factor = how.factor(keys.shape[-1])
        factor = factor if factor < self.most else float("inf")
        moved *= factor * SAFE
        if how.log_n:
            log = seen(moved.shape[-2], moved.shape[-1], how.causal).log()
            moved = (moved + self._gamma(ULPS + 2) * size * key_size * factor) * log * SAFE
            size = size * log
        if how.slopes is not None:
            # The slope, its product with a place or a distance, and the sum are rounded.
            largest = torch.tensor(how.slopes, dtype=torch.float64).abs()[:, None, None] * length
            moved = moved + 4 * self.unit * (largest + size * key_size * factor + moved)
        if how.causal:
            moved = moved.masked_fill(hidden(*moved.shape[-2:]), 0)
        visible = torch.where(weights > 0, below.abs(), 0)
        moved = moved * (1 + 2 * self.unit) + self.unit * visible  # the largest is taken away
        most = moved.amax(-1)  # of a query's logits
        # Of a logit that is off by d_j, |d_j| <= m_j <= m, the weight w_j becomes w_j e^d_j over a
        # sum of at least e^-m. As the w_j (v_j - o) add up to 0, o moves by the sum over j of
        # w_j (e^d_j - c) (v_j - o) over that one, for any c. If c = cosh m, no |e^d_j - c| is more
        # than c - e^-m_j, which is 1 - e^-m_j plus (e^m - 1)^2 / (2 e^m). One weight alone may
        # change by the share e^2m - 1 of itself.
        share = torch.expm1(2 * most)  # infinite long before a logit overflows
        value_error = v[1][:, None, :, None]
        carried = (weights @ value_error)[..., 0]
        sizes = (weights @ (_size(values)[..., None] + value_error))[..., 0]
        apart = torch.cdist(out, values, compute_mode="donot_use_mm_for_euclid_dist") * weights
        far = apart.sum(-1) * SAFE + SQUARED
        near = -moved.neg_().expm1_().mul_(apart).sum(-1) * SAFE + SQUARED
        turned = most.exp() * near + torch.expm1(most).square() / 2 * far
        # Exact weights and an exact o are meant: what they are off by, `rounding` and this pay for.
        turned = turned + share * 2.0**-50 * sizes
        rounding = self._gamma(2 * length + 4 * ULPS + 8) * (1 + share) * sizes
        largest = (_size(values) + v[1][:, None]).amax(-1, keepdim=True)
        largest = self._held(length * largest)
        rest = 2 * self.tiny * (1 + share) * largest  # weights too small to be held
        error = turned + (1 + share) * carried + rounding + rest
        return self._of(out.transpose(-2, -3).flatten(-2), _size(error.transpose(-1, -2)))


def _size(x: Tensor) -> Tensor:
    """The 2-norm of each token, or more."""
    return torch.linalg.vector_norm(x, dim=-1) * SAFE + SQUARED


def _split(x: Tensor, heads: int) -> Tensor:
    """(B, T, d) as (B, heads, T, d / heads)."""
    return x.unflatten(-1, (heads, -1)).transpose(-2, -3)


def seen(queries: int, keys: int, causal: bool) -> Tensor:
    """How many keys each query sees, the queries being the last of the tokens, (queries, 1)."""
    numbers = torch.arange(keys - queries + 1, keys + 1, dtype=torch.float64)[:, None]
    return numbers if causal else torch.full_like(numbers, keys)


def hidden(queries: int, keys: int) -> Tensor:
    """Which keys come after a query, the queries being the last of the tokens, (queries, keys)."""
    return torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries + 1)


def distances(slopes: Sequence[float], queries: int, keys: int) -> Tensor:
    """What each head's logits lose, of the last tokens as queries, (heads, queries, keys)."""
    i = torch.arange(keys - queries, keys, dtype=torch.float64)[:, None]
    away = (i - torch.arange(keys, dtype=torch.float64)).abs()
    return torch.tensor(slopes, dtype=torch.float64)[:, None, None] * away


def norm_bound(matrix: Tensor) -> float:
    """A number that the 2-norm of a matrix does not exceed. The square of S's norm is that of SᵀS:
    a few squarings, then the Frobenius norm, which is at most the root of the rank too large.
    """
    matrix = matrix.double()

    def bound(square: Tensor, squarings: int) -> float:
        frobenius = float(square.norm()) * SAFE
        if not squarings or not frobenius:
            return frobenius
        scaled = square / frobenius
        rounding = (max(square.shape) + 4) * 2.0**-52
        return frobenius * sqrt(bound(scaled.mT @ scaled, squarings - 1) + rounding) * SAFE

    return bound(matrix, SQUARINGS)


class Balls:
    """Balls, of as many bits as flint's context says: a matrix in a tuple, a row for each token."""

    def given(self, x: Tensor) -> tuple[arb_mat]:
        return (_exactly(x[0]),)

    def add(self, x, y):
        return (x[0] + y[0],)

    def token(self, x, place: int):
        return (arb_mat([x[0].tolist()[place]]),)

    def outputs(self, x, map_: Linear):
        return self.linear(x, map_)[0].tolist()[0]

    def mean(self, x):
        rows = x[0].nrows()
        return (arb_mat([[arb(1) / rows] * rows]) * x[0],)

    def linear(self, x, map_: Linear):
        rows = arb_mat(x[0].nrows(), 1, [arb(1)] * x[0].nrows())
        return (x[0] * _exactly(map_.weight) + rows * _exactly(map_.bias[None]),)

    def norm(self, x, norm: Norm):
        gain, bias = norm.gain.tolist(), norm.bias.tolist()

        def normal(row):
            mean = arb(0) if norm.kind == "rms" else sum(row, arb(0)) / len(row)
            centred = [y - mean for y in row]
            scale = (sum((y * y for y in centred), arb(0)) / len(row) + arb(norm.eps)).rsqrt()
            return [y * scale * g + b for y, g, b in zip(centred, gain, bias, strict=True)]

        return (arb_mat([normal(row) for row in x[0].tolist()]),)

    def activate(self, x, name: str):
        function = FUNCTIONS[name]
        return (arb_mat([[function(y) for y in row] for row in x[0].tolist()]),)

    def multiply(self, x, y):
        rows = zip(x[0].tolist(), y[0].tolist(), strict=True)
        return (arb_mat([[a * b for a, b in zip(*pair, strict=True)] for pair in rows]),)

    def turn(self, x, rotations: Tensor):
        tokens = zip(x[0].tolist(), rotations, strict=True)
        return (arb_mat([(arb_mat([row]) * _exactly(at)).tolist()[0] for row, at in tokens]),)

    def attend(self, q, k, v, how: TrainedNetwork):
        width = q[0].ncols() // how.heads
        parts = []
        for head, slope in enumerate(how.slopes or [0.0] * how.heads):
            own = slice(head * width, (head + 1) * width)
            mine, keys, values = (arb_mat([row[own] for row in x[0].tolist()]) for x in (q, k, v))
            parts.append(_softmax(mine, keys, values, how, slope).tolist())
        return (arb_mat([sum(rows, []) for rows in zip(*parts, strict=True)]),)


def _exactly(x: Tensor) -> arb_mat:
    return arb_mat(x.tolist())


def _softmax(q: arb_mat, k: arb_mat, v: arb_mat, how: TrainedNetwork, slope: float) -> arb_mat:
    """Attention of one head."""
    factor = 1 / arb(q.ncols()).sqrt() if (scale := how.attention_scale) is None else arb(scale)
    logits = (q * k.transpose() * factor).tolist()
    rows = []
    for i, row in enumerate(logits, start=len(logits[0]) - len(logits) + 1):
        log = arb(i if how.causal else len(row)).log() if how.log_n else arb(1)
        row = [x * log - arb(slope) * abs(i - 1 - j) for j, x in enumerate(row)]
        seen = row[:i] if how.causal else row
        top = max(float(x) for x in seen)
        powers = [(x - top).exp() for x in seen]
        total = sum(powers, arb(0))
        rows.append([power / total for power in powers] + [arb(0)] * (len(row) - len(seen)))
    return arb_mat(rows) * v


FUNCTIONS: dict[str, Callable[[arb], arb]] = {
    "relu": lambda x: x.max(arb(0)),
    "gelu": lambda x: x / 2 * (1 + (x / arb(2).sqrt()).erf()),
    # (1 + tanh y) / 2 is 1 / (1 + e^-2y). A power of a ball around 0 is not a number in flint.
    "gelu_new": lambda x: (
        x / (1 + (-(8 / arb.pi()).sqrt() * (x + arb("0.044715") * x * x * x)).exp())
    ),
    "silu": lambda x: x / (1 + (-x).exp()),
    "tanh": arb.tanh,
    "identity": arb,
}
