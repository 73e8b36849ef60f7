"""Many small transformer encoders side by side: a leading axis of members through every tensor.

Each member is a post-norm `torch.nn.TransformerEncoder` of one shape with a word embedding, a fixed
or learned position encoding and a linear output at CLS. Members differ in their seeds, in the
length they train on and in how their attention logits are scaled; they share the arithmetic and
nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from lib.checks import positive, whole
from lib.learning.strings import ALL_ENCODINGS, HAVE_QUOTIENT, Batch, features

EMBEDDINGS = ("word", "position")

# What the attention logits are multiplied by, from n = |w| + 1 of the string at hand and of the
# member's training strings.
LOGIT_SCALES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "plain": lambda n, trained: torch.ones_like(n),
    "log n": lambda n, trained: n.log(),  # Chiang & Cholak 2022, equation (2)
    "log of the training n": lambda n, trained: trained.log().expand_as(n),
}


@dataclass(frozen=True)
class Network:
    """The shape that the members share; the defaults are Chiang & Cholak's for FIRST (section 5.1).

    `positions` is one of "none", "FIRST", "ONE", "PARITY", "PALINDROME", "sinusoidal" and "learned"
    (a vector for each of the first `longest` positions); `learns_scale` gives each layer a number,
    1 at first, that its attention logits are multiplied by and that is trained.
    """

    positions: str = "FIRST"
    heads: int = 1
    layers: int = 2
    width: int = 16
    hidden: int = 64
    eps: float = 1e-5
    learns_scale: bool = False
    longest: int = 0

    def __post_init__(self):
        if self.positions not in ALL_ENCODINGS:
            raise ValueError(
                f"positions must be one of {', '.join(ALL_ENCODINGS)}, not {self.positions!r}"
            )
        for name in ("heads", "layers", "width", "hidden"):
            positive(getattr(self, name), name)
        if self.width % self.heads or self.width < 2:
            raise ValueError(
                f"a width of at least 2 that {self.heads} heads divide is expected, not {self.width}"
            )
        if not 0 <= self.eps < float("inf"):
            raise ValueError(f"eps must be at least 0, not {self.eps!r}")
        if (whole(self.longest, "longest") > 0) != (self.positions == "learned"):
            raise ValueError(
                f"learned positions, and no others, need `longest` > 0: {self.positions!r} has {self.longest}"
            )

    @property
    def has_quotient(self) -> bool:
        """Whether four weighted tokens are a string for this network."""
        return self.positions in HAVE_QUOTIENT

    def initial(self, seed: int) -> dict[str, Tensor]:
        """PyTorch's default initialisation under `seed`, float32: both layers start equal, as in
        `nn.TransformerEncoder`.
        """
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(whole(seed, "a seed"))
            word = nn.Embedding(3, self.width)
            shape = nn.TransformerEncoderLayer(self.width, self.heads, self.hidden, dropout=0.0)
            encoder = nn.TransformerEncoder(shape, self.layers, enable_nested_tensor=False)
            output = nn.Linear(self.width, 1)
            state = {
                "word": word.weight,
                **encoder.state_dict(),
                "output.weight": output.weight,
                "output.bias": output.bias,
            }
            if self.positions == "learned":
                state["position"] = nn.Embedding(self.longest, self.width).weight
        if self.learns_scale:
            state |= {f"layers.{number}.scale": torch.ones(1) for number in range(self.layers)}
        return {name: value.detach() for name, value in state.items()}


@dataclass(frozen=True)
class Member:
    """One run: its seed (of weights and strings alike), the length |w| of its training strings, the
    scale of its logits.

    With `shortest`, every training string has a length of its own, uniform between `shortest` and
    `length`. With `weights`, that is the seed of the weights, and `seed` the strings' alone.
    """

    seed: int
    length: int
    scale: str = "plain"
    shortest: int | None = None
    weights: int | None = None

    def __post_init__(self):
        whole(self.seed, "a seed")
        positive(self.length, "a length")
        if (
            self.shortest is not None
            and positive(self.shortest, "the shortest length") > self.length
        ):
            raise ValueError(
                f"the shortest length {self.shortest} is above the length {self.length}"
            )
        if self.scale not in LOGIT_SCALES:
            raise ValueError(f"scale must be one of {', '.join(LOGIT_SCALES)}, not {self.scale!r}")


@dataclass(frozen=True)
class Ready:
    """A batch as an ensemble reads it: symbols (members, B, T), position encodings (members or 1,
    B, T, width) or None, log counts (members or 1, B, 1, 1, T) and logit scales (members, B, 1, 1).
    """

    symbols: Tensor
    positions: Tensor | None
    log_count: Tensor
    scale: Tensor

    def __getitem__(self, some: slice) -> Ready:
        """Some of the strings of every member."""
        return Ready(
            self.symbols[:, some],
            None if self.positions is None else self.positions[:, some],
            self.log_count[:, some],
            self.scale[:, some],
        )


class Layer(NamedTuple):
    """What one layer computed, R = B · Q rows asking of B · T in all: streams (members, rows,
    width), heads (members · B · heads, rows, ...).
    """

    x: Tensor  # what entered, of all rows
    asking: Tensor  # the rows that ask: all of them, or CLS alone; (members, B, Q, width)
    scaled: Tensor  # the same, times the logits' scale, (members, R, width)
    q: Tensor
    k: Tensor
    v: Tensor
    weights: Tensor  # (members · B · heads, Q, T)
    heard: Tensor
    first: tuple[Tensor, Tensor]  # standardized after attention, and 1 / (standard deviation)
    c: Tensor
    hidden: Tensor
    second: tuple[Tensor, Tensor]  # the same after the feed-forward network
    out: Tensor


class Ensemble:
    """Transformers of one shape, one for each member, with all parameters in one tensor `flat`:
    parameter by parameter, members within.

    `parameters` are views of it by name, each with a leading axis of members, matrices as (in, out)
    and vectors as (1, out); `gradients` are such views of `flat.grad`, and `layers` and
    `layer_gradients` hold those of each layer by their names in it.

    Calling it on a batch gives the logits and the attention that CLS pays to position 1 in each
    layer (the mean over heads).
    """

    def __init__(
        self,
        network: Network,
        members: Sequence[Member],
        dtype: torch.dtype = torch.float32,
        device: str = "cpu",
    ):
        positive(len(members), "a number of members")
        self.network, self.members, self.dtype, self.device = (
            network,
            tuple(members),
            dtype,
            torch.device(device),
        )
        states = [
            _kept(network.initial(member.seed if member.weights is None else member.weights))
            for member in members
        ]
        flat = torch.cat(
            [torch.stack([state[name] for state in states]).flatten() for name in states[0]]
        )
        self.flat = flat.to(self.device, dtype)
        self.flat.grad = torch.zeros_like(self.flat)
        shapes = {name: value.shape for name, value in states[0].items()}
        self.parameters, self.gradients = (
            _views(flat, len(members), shapes) for flat in (self.flat, self.flat.grad)
        )
        self.layers, self.layer_gradients = (
            [_of_layer(number, views) for number in range(network.layers)]
            for views in (self.parameters, self.gradients)
        )
        self._trained = torch.tensor(
            [[member.length + 1.0] for member in members], dtype=dtype, device=self.device
        )
        kinds = list(LOGIT_SCALES)
        self._kind = torch.tensor(
            [[kinds.index(member.scale)] for member in members], device=self.device
        )

    def state(self, member: int) -> dict[str, Tensor]:
        """One member's parameters, detached, by PyTorch's names and in PyTorch's shapes."""
        own = {name: value[member].detach() for name, value in self.parameters.items()}
        for name in [
            name for name in own if name.endswith(".q.weight") or name.endswith(".q.bias")
        ]:
            joined = torch.cat([own.pop(name), own.pop(name.replace(".q.", ".kv."))], dim=-1)
            own[name.replace(".q.", ".self_attn.in_proj_")] = joined
        return {
            name: value if name in EMBEDDINGS else value.T if _is_matrix(name) else value[0]
            for name, value in own.items()
        }

    def logit_scale(self, n: Tensor) -> Tensor:
        """What each member multiplies its attention logits by on strings of n = |w| + 1: (members,
        B).
        """
        n = n.expand(len(self.members), -1)
        scales = torch.stack([scale(n, self._trained) for scale in LOGIT_SCALES.values()])
        return scales.gather(0, self._kind.expand_as(n)[None])[0]

    def __call__(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Logits (members, B), and attention on position 1 of shape (members, B, layers)."""
        ready = self.ready(batch)
        logits, layers = self.run(ready)
        E, B, T = ready.symbols.shape
        return logits, torch.stack(
            [
                layer.weights.view(E, B, -1, *layer.weights.shape[1:])[..., 0, 1].mean(2)
                for layer in layers
            ],
            dim=-1,
        )

    def run(self, ready: Ready) -> tuple[Tensor, list[Layer]]:
        """Logits (members, B), and what each layer computed."""
        x, layers = self._embed(ready), []
        for number, parameters in enumerate(self.layers, start=1):
            layers.append(
                self._layer(parameters, x, ready, last=number == len(self.layers))
            )  # of the last layer only CLS is read
            x = layers[-1].out
        return _linear(x, self.parameters, "output")[..., 0], layers

    def ready(self, batch: Batch) -> Ready:
        """A batch as this ensemble reads it: on its device, with position encodings and logit
        scales computed once.
        """
        if isinstance(batch, Ready):
            return batch
        if batch.is_quotient and not self.network.has_quotient:
            raise ValueError(
                f"the position encoding {self.network.positions!r} needs a token for each symbol: use tokens(strings)"
            )
        E, B, T, d = (
            len(self.members),
            batch.n.shape[1],
            batch.symbols.shape[-1],
            self.network.width,
        )
        if self.network.positions == "learned" and T > self.network.longest:
            raise ValueError(
                f"{T} positions are more than the {self.network.longest} that are learned"
            )
        batch = batch.to(self.device, self.dtype)
        positions = None
        if self.network.positions not in ("none", "learned"):
            values = features(self.network.positions, batch, d).to(self.device, self.dtype)
            positions = pad(values, (0, d - values.shape[-1])).expand(-1, B, -1, -1)
        return Ready(
            batch.symbols.expand(E, B, T),
            positions,
            batch.log_count[:, :, None, None],
            self.logit_scale(batch.n)[..., None, None],
        )

    def _embed(self, ready: Ready) -> Tensor:
        """The first residual stream, (members, B · T, width)."""
        E, B, T = ready.symbols.shape
        x = self.parameters["word"].gather(
            1, ready.symbols.reshape(E, B * T, 1).expand(-1, -1, self.network.width)
        )
        if self.network.positions == "learned":
            return x + self.parameters["position"][:, :T].repeat(1, B, 1)
        return x if ready.positions is None else x + ready.positions.flatten(1, 2)

    def _layer(self, p: dict[str, Tensor], x: Tensor, ready: Ready, last: bool) -> Layer:
        """One layer; what leaves it is CLS alone if it is the last."""
        (E, B, T), d, heads, eps = (
            ready.symbols.shape,
            x.shape[-1],
            self.network.heads,
            self.network.eps,
        )
        asking = x.view(E, B, T, d)[:, :, : 1 if last else T]
        scale = ready.scale * p["scale"][:, None] if "scale" in p else ready.scale
        scaled = (asking * scale).flatten(1, 2)  # as the authors do: the bias is not scaled
        q = heads_apart(_linear(scaled, p, "q").view(E, B, -1, d), heads)
        k, v = (
            heads_apart(part, heads)
            for part in _linear(x, p, "kv").view(E, B, T, 2 * d).split(d, dim=-1)
        )
        log_count = ready.log_count.expand(E, B, heads, 1, T).reshape(-1, 1, T)
        weights = torch.softmax(torch.baddbmm(log_count, q, k.mT, alpha=sqrt(heads / d)), dim=-1)
        heard = heads_together(torch.bmm(weights, v), (E, B, heads))
        first = _standardized(asking.flatten(1, 2) + _linear(heard, p, "self_attn.out_proj"), eps)
        c = torch.addcmul(p["norm1.bias"], first[0], p["norm1.weight"])
        hidden = torch.relu(_linear(c, p, "linear1"))
        second = _standardized(c + _linear(hidden, p, "linear2"), eps)
        out = torch.addcmul(p["norm2.bias"], second[0], p["norm2.weight"])
        return Layer(x, asking, scaled, q, k, v, weights, heard, first, c, hidden, second, out)


def heads_apart(x: Tensor, heads: int) -> Tensor:
    """(members, B, rows, width) as (members · B · heads, rows, width of a head)."""
    return x.unflatten(-1, (heads, -1)).transpose(2, 3).flatten(0, 2)


def heads_together(x: Tensor, sizes: tuple[int, int, int]) -> Tensor:
    """(members · B · heads, rows, width of a head) as (members, B · rows, width), where `sizes` is
    (members, B, heads).
    """
    return x.unflatten(0, sizes).transpose(2, 3).flatten(3).flatten(1, 2)


def _views(flat: Tensor, members: int, shapes: dict[str, torch.Size]) -> dict[str, Tensor]:
    """The pieces of `flat` by name, each of its shape behind a leading axis of members."""
    pieces = flat.split([members * shape.numel() for shape in shapes.values()])
    return {
        name: piece.view(members, *shape) for (name, shape), piece in zip(shapes.items(), pieces)
    }


def _of_layer(number: int, views: dict[str, Tensor]) -> dict[str, Tensor]:
    """The parameters of one layer, by their names in it."""
    return {
        name.removeprefix(f"layers.{number}."): value
        for name, value in views.items()
        if name.startswith(f"layers.{number}.")
    }


def _is_matrix(name: str) -> bool:
    """Whether the parameter of that name is the matrix of a linear map."""
    return name.endswith("_weight") or name.endswith(".weight") and ".norm" not in name


def _kept(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """A member's parameters as they are kept: matrices as (in, out), vectors as one row, the input
    projection as queries and keys-with-values.
    """
    kept = {}
    for name, value in state.items():
        value = value if name in EMBEDDINGS else value.T if _is_matrix(name) else value[None]
        if "self_attn.in_proj_" in name:
            third = value.shape[-1] // 3
            (
                kept[name.replace("self_attn.in_proj_", "q.")],
                kept[name.replace("self_attn.in_proj_", "kv.")],
            ) = value.split([third, 2 * third], dim=-1)
        else:
            kept[name] = value
    return kept


def _linear(x: Tensor, p: dict[str, Tensor], name: str) -> Tensor:
    """x W + b for each member: x (members, rows, in), W (members, in, out), b (members, 1, out)."""
    return torch.baddbmm(p[f"{name}.bias"], x, p[f"{name}.weight"])


def _standardized(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Vectors less their mean, over their standard deviation, as layer normalization takes it; and
    1 over that deviation.
    """
    standard, _, inverse = torch.native_layer_norm(x, x.shape[-1:], None, None, eps)
    return standard, inverse
