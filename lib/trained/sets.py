"""Sets of tokens that go through a network at once: first-order sets.

A network without positions reads how often each kind of token occurs. All strings of a *cell*, a
box of numbers of occurrences, go through the network together. A value is then a set for each kind
of token: a centre, some directions, and a radius,

    x(t) = centre + t_1 direction_1 + ... + t_D direction_D + rest,   |t_i| <= 1,  |rest| <= radius,

with the same t in all values of one cell. Each rule takes the derivative at the centre along the
directions, and adds to the radius what the second derivative may change; the record page of
chapter 13 derives them. A value is (centre (B, K, d), radius (B, K), directions (B, K, D, d)).
"""

from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor

from lib.trained.arithmetic import SAFE, SLOPES, ULPS, Bounded, Floats, Value, _size, _split
from lib.trained.network import Linear, Norm, TrainedNetwork

# No second derivative of an activation is larger: tests/trained holds it by balls.
CURVES = {"gelu": 0.798, "gelu_new": 0.82, "silu": 0.502, "tanh": 0.77, "identity": 0.0}
SMALLEST = 1e-150  # of a sum of weights, to be divided by
LOST = 1e-300  # a power of this size may underflow, and directions may make a weight of it again
TURN = 2 / sqrt(3)  # the second derivative of x / |x| is at most this over |x|^2


@dataclass(frozen=True)
class Multiplicities:
    """How often each kind of token occurs, or any multiple of it: what softmax weighs it by.

    `centre` is (B, H, K), `directions` (B, H, D, K), H being 1 or the heads. With `final`, they are
    what heads give already, their sum is 1, and no query or key is asked. Logits are multiplied by
    a number `log`, (B,) and how far it may be off (B,), along the last direction.
    """

    centre: Tensor
    directions: Tensor
    log: tuple[Tensor, Tensor] | None = None
    final: bool = False

    @property
    def reach(self) -> Tensor:
        """How far each is from its centre, (B, H, K)."""
        return self.directions.abs().sum(-2)


class Sets(Bounded):
    """Values are sets, of all kinds of token that occur by these weights."""

    def __init__(self, weights: Multiplicities, norms: dict):
        super().__init__()
        self.weights, self._norms = weights, norms
        # How far each direction moves what norms read, by how much they can stand: (B, D).
        self.logits = weights.centre, weights.centre  # of the last layer, with a bound
        self.pull = torch.zeros(weights.centre.shape[0], weights.directions.shape[-2])

    def given(self, x: Tensor) -> Value:
        centre, radius = super().given(x)
        return centre, radius, centre.new_zeros(*centre.shape[:-1], self.pull.shape[1], x.shape[-1])

    def add(self, x: Value, y: Value) -> Value:
        return self._with(super().add(x[:2], y[:2]), x[2] + y[2], 2)

    def mean(self, x: Value) -> Value:
        often, directions = self.weights.centre[:, :, None], self.weights.directions[:, :, None]
        return self._heads(self._mix(often, directions, 0 * often, x, 1))

    def linear(self, x: Value, map_: Linear) -> Value:
        _, frobenius = self._matrix(map_)
        rounds = self._gamma(len(map_.weight)) * frobenius * self._reach(x[2])
        centre, radius = super().linear(x[:2], map_)
        return centre, radius + rounds, x[2] @ map_.weight

    def outputs(self, x: Value, map_: Linear) -> Value:
        centre, radius = super().outputs(x[:2], map_)
        sizes = map_.weight.norm(dim=0) * SAFE
        rounds = self._gamma(len(map_.weight)) * self._reach(x[2]) * sizes
        directions = (x[2] @ map_.weight)[:, 0]
        self.pull = self.pull + directions.abs().amax(-1)
        return centre, radius + rounds, directions

    def norm(self, x: Value, norm: Norm) -> Value:
        centre, radius, directions = x
        root = sqrt(centre.shape[-1])
        standard, rounding = super().norm((centre, torch.zeros_like(radius)), norm)
        scale = (norm.centred(centre).square().mean(-1) + norm.eps).sqrt()
        unit = norm.centred(centre) / scale[..., None]
        moves = norm.centred(directions) / scale[..., None, None]
        self.pull = self.pull + self._lengths(moves).amax(1)
        along = (moves * unit[..., None, :]).mean(-1, keepdim=True)
        moves = moves - unit[..., None, :] * along
        reach = self._reach(directions)

        def least(within: Tensor) -> Tensor:
            """The smallest deviation of what is so far from the centre."""
            return (scale * (2 - SAFE) - within / root).clamp(min=sqrt(norm.eps)) * (2 - SAFE)

        second = TURN / 2 * reach.square() / (root * least(reach).square())
        first = second + radius / least(reach + radius)
        whole = (2 * (reach + radius) / scale).clamp(max=2 * root) * SAFE
        is_first = first + self._reach(moves) < whole
        moves = torch.where(is_first[..., None, None], moves, 0) * norm.gain
        gain = float(norm.gain.abs().max())
        value = standard, rounding + gain * torch.where(is_first, first, whole)
        return self._with(value, moves, 2 * centre.shape[-1] + 4 * ULPS)

    def activate(self, x: Value, name: str) -> Value:
        centre, radius, directions = x
        out, error = super().activate((centre, radius), name)
        with torch.inference_mode(False), torch.enable_grad():  # whoever asks within no_grad()
            inner = centre.clone().requires_grad_()
            [slope] = torch.autograd.grad(Floats().activate((inner,), name)[0].sum(), inner)
        far = directions.abs().sum(-2)
        if name == "relu":
            bent = (far - centre.abs()).clamp(min=0)
        else:
            bent = torch.minimum(CURVES[name] / 2 * far.square(), 2 * SLOPES[name] * far)
        value = out, error + _size(bent)
        return self._with(value, slope[..., None, :] * directions, 8 * ULPS)

    def multiply(self, x: Value, y: Value) -> Value:
        both = self._reach(x[2]), self._reach(y[2])
        left, right = _size(x[0]) + both[0] + x[1], _size(y[0]) + both[1] + y[1]
        radius = x[1] * right + left * y[1] + both[0] * both[1] + self._gamma(2) * left * right
        directions = x[2] * y[0][..., None, :] + x[0][..., None, :] * y[2]
        return self._with((x[0] * y[0], radius), directions, 4)

    def attend(self, q: Value, k: Value, v: Value, how: TrainedNetwork) -> Value:
        weights = self.weights
        if weights.final:  # of the one query that is read
            centre, turned = weights.centre[:, :, None], weights.directions[:, :, None]
            return self._heads(self._mix(centre, turned, 0 * centre, v, how.heads))
        queries, keys = (_split(x[0], how.heads) for x in (q, k))
        factor = how.factor(keys.shape[-1])
        logits = queries @ keys.mT * factor
        # The derivative of a logit, (B, heads, Q, D, K).
        asked, known = (self._per_head(x[2], how.heads) for x in (q, k))
        turned = asked @ keys.mT[:, :, None] + torch.einsum("bhqe,bhkde->bhqdk", queries, known)
        turned = turned * factor
        asked_reach, known_reach = self._reach(asked)[..., None], self._reach(known)[..., None, :]
        sizes, others = _size(queries)[..., None] + asked_reach, _size(keys)[..., None, :]
        others = others + known_reach
        asked_radius, known_radius = q[1][:, None, :, None], k[1][:, None, None]
        products = (sizes + asked_radius) * (others + known_radius)
        moved = asked_reach * known_reach
        moved = moved + asked_radius * (others + known_radius) + sizes * known_radius
        moved = (moved + self._gamma(keys.shape[-1] + 8) * products) * factor * SAFE
        below = logits - logits.amax(-1, keepdim=True)
        if how.log_n and weights.log is not None:
            log, off = (part[:, None, None, None] for part in weights.log)
            reach = turned.abs().sum(-2) * off
            moved = (moved + 8 * ULPS * self.unit * products * factor) * (log + off) + reach
            last = torch.arange(turned.shape[-2]) == turned.shape[-2] - 1
            turned = turned * log[..., None]
            turned = turned + last[:, None] * (below * off)[..., None, :]
            below = below * log
        moved = moved + 4 * self.unit * (below.abs() + moved)
        self.logits = logits, moved
        # A power, and with it a weight times a power, to the first order.
        power, reach = below.exp(), turned.abs().sum(-2)
        rest = torch.expm1(reach) - reach + reach.exp() * torch.expm1(moved)
        often, often_reach = weights.centre[:, :, None], weights.reach[:, :, None]
        directions = weights.directions[:, :, None] * power[..., None, :]
        directions = directions + (often * power)[..., None, :] * turned
        most = often.abs() + often_reach
        rest = power * (often_reach * reach + most * rest) + LOST * most * (reach + moved).exp()
        return self._heads(self._mix(often * power, directions, rest, v, how.heads))

    def _mix(self, weights: Tensor, directions: Tensor, rest: Tensor, v: Value, heads: int):
        """Means of values by weights that are sets: (B, H, Q, K), (B, H, Q, D, K), (B, H, Q, K)."""
        values, moves = _split(v[0], heads), self._per_head(v[2], heads)
        value_radius = v[1][:, None, None]
        value_reach = self._lengths(moves).sum(-1)[..., None, :]
        total = weights.sum(-1)
        out = weights @ values / total[..., None]
        apart = values[:, :, None] - out[..., None, :]  # (B, H, Q, K, e)
        lengths = _size(apart)
        weight_reach = directions.abs().sum(-2)
        moved = directions @ apart + torch.einsum("bhqk,bhkde->bhqde", weights, moves)
        most = weights.abs() + weight_reach + rest
        rounds = self._gamma(4 * weights.shape[-1] + 8 * ULPS + 16)
        least = total - directions.sum(-1).abs().sum(-1) - rest.sum(-1) - rounds * most.sum(-1)
        error = rest * lengths + most * value_radius + (weight_reach + rest) * value_reach
        sizes = (most * (_size(values)[..., None, :] + value_reach + value_radius)).sum(-1)
        error = error.sum(-1) + 4 * rounds * (sizes + most.sum(-1) * _size(out))
        reach = self._lengths(moved).sum(-1)
        first = (error + reach * (total - least) / total) / least + self.tiny
        # The mean of values of tokens that occur is never further away than the furthest of them.
        furthest = (lengths + value_reach + value_radius).amax(-1) * SAFE + rounds * _size(out)
        moved = moved / total[..., None, None]
        is_first = (least > SMALLEST) & (first + self._lengths(moved).sum(-1) < furthest)
        radius = torch.where(is_first, first, furthest)
        return out, radius, torch.where(is_first[..., None, None], moved, 0)

    def _heads(self, value: Value) -> Value:
        """The heads' results side by side: from (B, H, Q, e), (B, H, Q), (B, H, Q, D, e)."""
        out, radius, directions = value
        directions = directions.movedim(1, -2).flatten(-2)
        joined = out.transpose(1, 2).flatten(-2), _size(radius.transpose(1, 2))
        return self._with(joined, directions, 2)

    def _with(self, value: Value, directions: Tensor, rounds: int) -> Value:
        """A value with its directions, whose rounding its radius bears."""
        centre, radius = value
        return (
            *self._of(centre, radius + self._gamma(rounds) * self._reach(directions)),
            directions,
        )

    def _reach(self, directions: Tensor) -> Tensor:
        """How far the directions lead away from the centre, at most."""
        return self._lengths(directions).sum(-1)

    def _lengths(self, directions: Tensor) -> Tensor:
        return torch.linalg.vector_norm(directions, dim=-1) * SAFE

    def _per_head(self, directions: Tensor, heads: int) -> Tensor:
        """(B, K, D, d) as (B, heads, K, D, d / heads)."""
        return directions.unflatten(-1, (heads, -1)).movedim(-2, 1)
