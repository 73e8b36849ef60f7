"""One forward pass in any arithmetic, of strings of one length."""

from typing import Any

import torch
from torch import Tensor

from lib.trained.network import Judged, Norm, TrainedNetwork, shaped

NONE = None, None  # norms


def outputs(judged: Judged, rows: Tensor, arithmetic: Any) -> Any:
    """The outputs for strings of one length, given as tokens (B, T), with those before and after
    them; what they are is the arithmetic's `outputs`.
    """
    n, read_at = rows.shape[1], judged.read_at
    places = {"first": 0, "last": n - 1, "mean": None}
    place = read_at if isinstance(read_at, int) else places[read_at]
    if place is not None and not 0 <= place < n:
        raise ValueError(f"the output is read at token {place}, but there are {n}")
    x = through(judged.network, rows, judged.offset, arithmetic, place)
    return arithmetic.outputs(x, judged.network.output)


def through(
    network: TrainedNetwork, rows: Tensor, first: int, arithmetic: Any, place: int | None
) -> Any:
    """The last residual stream after the last norm, at one place or in the mean, of tokens that
    stand from position `first` on. ValueError for tokens that have no position.
    """
    n, last = rows.shape[1], first + rows.shape[1]
    if network.longest is not None and last > network.longest:
        raise ValueError(
            f"a position for every token is expected: there are {network.longest}, not {last}"
        )
    x = arithmetic.given(network.word[rows])
    if network.positions is not None:
        table = network.positions
        if callable(table):
            table = shaped(table(n), f"positions of {n} tokens", n, network.width)
        x = arithmetic.add(x, arithmetic.given(table[first:last].expand(*rows.shape, -1)))
    # Of the last layer the place that is read suffices, if a mask shows it every key; the distance
    # of keys is that to the last query.
    shows_all = place == n - 1 or not (network.causal or network.slopes)
    narrows = place is not None and shows_all and bool(network.layers)
    for number, layer in enumerate(network.layers):
        before, after = (layer.norms, NONE) if network.pre_norm else (NONE, layer.norms)
        y = _normal(x, before[0], arithmetic)
        q, k, v = (arithmetic.linear(y, map_) for map_ in (layer.q, layer.k, layer.v))
        if network.rotary is not None:
            turns = rotations(network.rotary, len(layer.q.bias), network.heads, range(first, last))
            q, k = arithmetic.turn(q, turns), arithmetic.turn(k, turns)
        if narrows and number == len(network.layers) - 1:
            q, x = arithmetic.token(q, place), arithmetic.token(x, place)
        attended = arithmetic.attend(q, k, v, network.attention)
        x = arithmetic.add(x, arithmetic.linear(attended, layer.o))
        x = _normal(x, after[0], arithmetic)
        if layer.first is not None and layer.second is not None:
            y = _normal(x, before[1], arithmetic)
            hidden = arithmetic.linear(y, layer.first)
            if layer.gate is None:
                hidden = arithmetic.activate(hidden, network.activation)
            else:
                gate = arithmetic.activate(arithmetic.linear(y, layer.gate), network.activation)
                hidden = arithmetic.multiply(gate, hidden)
            x = arithmetic.add(x, arithmetic.linear(hidden, layer.second))
        x = _normal(x, after[1], arithmetic)
    x = x if narrows or place is None else arithmetic.token(x, place)
    x = _normal(x, network.last, arithmetic)
    x = arithmetic.mean(x) if place is None else x
    if network.hidden is not None:
        between, activation = network.hidden
        x = arithmetic.activate(arithmetic.linear(x, between), activation)
    return x


def _normal(x: Any, norm: Norm | None, arithmetic: Any) -> Any:
    return x if norm is None else arithmetic.norm(x, norm)


def rotations(base: float, width: int, heads: int, positions: range) -> Tensor:
    """What turns queries and keys at these positions, (positions, width, width): of each head, a
    coordinate of the first half with that of the second.
    """
    half = width // heads // 2
    turns = base ** (-torch.arange(half, dtype=torch.float64) / half)
    angles = torch.tensor(positions, dtype=torch.float64)[:, None] * turns
    cos, sin = torch.diag_embed(angles.cos()), torch.diag_embed(angles.sin())
    of_a_head = torch.cat([torch.cat([cos, sin], -1), torch.cat([-sin, cos], -1)], -2)
    return torch.kron(torch.eye(heads, dtype=torch.float64), of_a_head)
