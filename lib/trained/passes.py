"""One forward pass in any arithmetic: of whole strings of one length, or, behind a causal mask, of
a tree of prefixes, each of whose tokens is computed once.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from lib.trained.arithmetic import Floats, Value
from lib.trained.network import Judged, Norm, TrainedNetwork, shaped

KEYS = 1 << 16  # keys that are held at once
NONE = None, None  # norms
Recall = Callable[[int, Any, Any], tuple[Any, Any]]


def outputs(judged: Judged, rows: Tensor, arithmetic: Any) -> Any:
    """The outputs for strings of one length, given as tokens (B, T) with those before and after."""
    n, read_at = rows.shape[1], judged.read_at
    places = {"first": 0, "last": n - 1, "mean": None}
    place = read_at if isinstance(read_at, int) else places[read_at]
    if place is not None and not 0 <= place < n:
        raise ValueError(f"the output is read at token {place}, but there are {n}")
    x = through(judged.network, rows, judged.offset, n, arithmetic, lambda _, k, v: (k, v), place)
    return arithmetic.outputs(x, judged.network.output)


def through(
    network: TrainedNetwork,
    rows: Tensor,
    first: int,
    n: int,
    arithmetic: Any,
    recall: Recall,
    place: int | None,
) -> Any:
    """The last residual stream after the last norm, at one place or in the mean, of tokens that
    stand from position `first` on. `recall` puts the keys and values of earlier ones before a
    layer's own. ValueError for tokens that have no position.
    """
    last = first + rows.shape[1]
    if network.longest is not None and last > network.longest:
        raise ValueError(
            f"a position for every token is expected: there are {network.longest}, not {last}"
        )
    x = arithmetic.given(network.word[rows])
    if network.positions is not None:
        table = network.positions
        if callable(table):
            table = shaped(table(n), f"positions of {n} tokens", n, network.width)
        here = table[first : first + rows.shape[1]]
        x = arithmetic.add(x, arithmetic.given(here.expand(*rows.shape, -1)))
    # Of the last layer the place that is read suffices, if a mask shows it every key; the distance
    # of keys is that to the last query.
    shows_all = place == rows.shape[1] - 1 or not (network.causal or network.slopes)
    narrows = place is not None and shows_all and bool(network.layers)
    for number, layer in enumerate(network.layers):
        before, after = (layer.norms, NONE) if network.pre_norm else (NONE, layer.norms)
        y = _normal(x, before[0], arithmetic)
        q, k, v = (arithmetic.linear(y, map_) for map_ in (layer.q, layer.k, layer.v))
        if network.rotary is not None:
            turns = rotations(network.rotary, len(layer.q.bias), network.heads, range(first, last))
            q, k = arithmetic.turn(q, turns), arithmetic.turn(k, turns)
        k, v = recall(number, k, v)
        if narrows and number == len(network.layers) - 1:
            q, x = arithmetic.token(q, place), arithmetic.token(x, place)
        attended = arithmetic.attend(q, k, v, network)
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
    """Rotations of queries and keys, (positions, width, width), which pair each head's halves."""
    half = width // heads // 2
    turns = base ** (-torch.arange(half, dtype=torch.float64) / half)
    angles = torch.tensor(positions, dtype=torch.float64)[:, None] * turns
    cos, sin = torch.diag_embed(angles.cos()), torch.diag_embed(angles.sin())
    of_a_head = torch.cat([torch.cat([cos, sin], -1), torch.cat([-sin, cos], -1)], -2)
    return torch.kron(torch.eye(heads, dtype=torch.float64), of_a_head)


class Tree:
    """The prefixes of strings, a level a length: behind a causal mask no token sees later ones."""

    def __init__(self, judged: Judged, arithmetic: Floats):
        self.judged, self.arithmetic = judged, arithmetic
        # Of each prefix of the last level, where the keys of its tokens stand in memory.
        self.paths = torch.zeros(1, 0, dtype=torch.int64)
        # Of each layer, the keys and then the values of all tokens so far.
        self.memory: list[Value] = [() for _ in judged.network.layers]
        self.held = 0
        for token in judged.before:
            self.grow(torch.tensor([token]), torch.tensor([0]))

    def grow(self, tokens: Tensor, parents: Tensor) -> Value:
        """One level more: a token after each of these prefixes of the last level; its outputs."""
        paths, network = self.paths[parents], self.judged.network
        kept: list[list[Value]] = [[x] if x else [] for x in self.memory]
        found = []
        for some in torch.arange(len(tokens)).split(max(1, KEYS // (paths.shape[1] + 1))):
            x = self._level(tokens[some], paths[some], kept)
            found.append(self.arithmetic.outputs(x, network.output))
        self.memory = [_joined(values) for values in kept]
        numbers = torch.arange(self.held, self.held + len(tokens))
        self.held += len(tokens)
        self.paths = torch.cat([paths, numbers[:, None]], dim=1)
        return _joined(found)

    def answers(self, tokens: Tensor, parents: Tensor) -> Value:
        """The outputs that decide these prefixes: those after what comes after a string."""
        found = self.grow(tokens, parents)
        paths, held = self.paths, self.held
        for token in self.judged.after:
            found = self.grow(torch.full((len(tokens),), token), torch.arange(len(tokens)))
        self.paths, self.held = paths, held
        self.memory = [tuple(part[:held] for part in x) for x in self.memory]
        return found

    def _level(self, tokens: Tensor, paths: Tensor, kept: list[list[Value]]) -> Value:
        """The stream at one new token of each prefix; its keys and values are kept."""

        def recall(number: int, k: Value, v: Value) -> tuple[Value, Value]:
            both = k + v
            kept[number].append(tuple(part[:, 0] for part in both))
            if paths.shape[1]:
                earlier = (part[paths] for part in self.memory[number])
                both = tuple(torch.cat(x, dim=1) for x in zip(earlier, both, strict=True))
            return both[: len(k)], both[len(k) :]

        rows, place = tokens[:, None], paths.shape[1]
        first = self.judged.offset + place
        return through(self.judged.network, rows, first, place + 1, self.arithmetic, recall, 0)


def _joined(values: list[Value]) -> Value:
    """Values of several strings, one after the other."""
    return tuple(torch.cat(parts) for parts in zip(*values, strict=True))
