"""Many small transformer encoders side by side: a leading axis of members through every tensor.

Each member is a post-norm `torch.nn.TransformerEncoder` of one shape with a word embedding, a fixed or learned position encoding
and a linear output at CLS. Members differ in their seeds, in the length they train on and in how their attention logits are
scaled; they share the arithmetic and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm, pad

from lib.batches import ALL_ENCODINGS, HAVE_QUOTIENT, Batch, features
from lib.languages import positive, whole

# What the attention logits are multiplied by, from n = |w| + 1 of the string at hand and of the member's training strings.
LOGIT_SCALES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "plain": lambda n, trained: torch.ones_like(n),
    "log n": lambda n, trained: n.log(),                              # Chiang & Cholak 2022, equation (2)
    "log of the training n": lambda n, trained: trained.log().expand_as(n),
}


@dataclass(frozen=True)
class Network:
    """The shape that the members share; the defaults are Chiang & Cholak's for FIRST (section 5.1).

    `positions` is one of "none", "FIRST", "ONE", "PARITY", "PALINDROME", "sinusoidal" and "learned" (a vector for each of the first `longest`
    positions); `learns_scale` gives each layer a number, 1 at first, that its attention logits are multiplied by and that is trained.
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
            raise ValueError(f"positions must be one of {', '.join(ALL_ENCODINGS)}, not {self.positions!r}")
        for name in ("heads", "layers", "width", "hidden"):
            positive(getattr(self, name), name)
        if self.width % self.heads or self.width < 2:
            raise ValueError(f"a width of at least 2 that {self.heads} heads divide is expected, not {self.width}")
        if not 0 <= self.eps < float("inf"):
            raise ValueError(f"eps must be at least 0, not {self.eps!r}")
        if (whole(self.longest, "longest") > 0) != (self.positions == "learned"):
            raise ValueError(f"learned positions, and no others, need `longest` > 0: {self.positions!r} has {self.longest}")

    @property
    def has_quotient(self) -> bool:
        """Whether four weighted tokens are a string for this network."""
        return self.positions in HAVE_QUOTIENT

    def initial(self, seed: int) -> dict[str, Tensor]:
        """PyTorch's default initialisation under `seed`, float32: both layers start equal, as in `nn.TransformerEncoder`."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(whole(seed, "a seed"))
            word = nn.Embedding(3, self.width)
            shape = nn.TransformerEncoderLayer(self.width, self.heads, self.hidden, dropout=0.0)
            encoder = nn.TransformerEncoder(shape, self.layers, enable_nested_tensor=False)
            output = nn.Linear(self.width, 1)
            state = {"word": word.weight, **encoder.state_dict(), "output.weight": output.weight, "output.bias": output.bias}
            if self.positions == "learned":
                state["position"] = nn.Embedding(self.longest, self.width).weight
        if self.learns_scale:
            state |= {f"layers.{number}.scale": torch.ones(1) for number in range(self.layers)}
        return {name: value.detach() for name, value in state.items()}


@dataclass(frozen=True)
class Member:
    """One run: its seed (of weights and strings alike), the length |w| of its training strings, the scale of its logits.

    With `shortest`, every training string has a length of its own, uniform between `shortest` and `length`. With `weights`, that
    is the seed of the weights, and `seed` the strings' alone.
    """

    seed: int
    length: int
    scale: str = "plain"
    shortest: int | None = None
    weights: int | None = None

    def __post_init__(self):
        whole(self.seed, "a seed")
        positive(self.length, "a length")
        if self.shortest is not None and positive(self.shortest, "the shortest length") > self.length:
            raise ValueError(f"the shortest length {self.shortest} is above the length {self.length}")
        if self.scale not in LOGIT_SCALES:
            raise ValueError(f"scale must be one of {', '.join(LOGIT_SCALES)}, not {self.scale!r}")


@dataclass(frozen=True)
class Ready:
    """A batch as an ensemble reads it: symbols (members, B, T), position encodings (members or 1, B, T, width) or None, log counts
    (members or 1, B, 1, 1, T) and logit scales (members, B, 1, 1)."""

    symbols: Tensor
    positions: Tensor | None
    log_count: Tensor
    scale: Tensor

    def __getitem__(self, some: slice) -> Ready:
        """Some of the strings of every member."""
        return Ready(self.symbols[:, some], None if self.positions is None else self.positions[:, some], self.log_count[:, some], self.scale[:, some])


class Ensemble:
    """Transformers of one shape, one for each member, with all parameters in one tensor `flat`: parameter by parameter, members within.

    `parameters` are views of it by name, each with a leading axis of members; matrices are (in, out), so that gradients come contiguous.

    Calling it on a batch gives the logits and the attention that CLS pays to position 1 in each layer (the mean over heads).
    """

    def __init__(self, network: Network, members: Sequence[Member], dtype: torch.dtype = torch.float32, device: str = "cpu"):
        positive(len(members), "a number of members")
        self.network, self.members, self.dtype, self.device = network, tuple(members), dtype, torch.device(device)
        states = [_stored(network.initial(member.seed if member.weights is None else member.weights)) for member in members]
        flat = torch.cat([torch.stack([state[name] for state in states]).flatten() for name in states[0]])
        self.flat = flat.to(self.device, dtype)
        self.flat.grad = torch.zeros_like(self.flat)
        pieces = self.flat.split([len(members) * value.numel() for value in states[0].values()])
        self.parameters = {name: piece.view(-1, *value.shape).requires_grad_() for (name, value), piece in zip(states[0].items(), pieces)}
        self._layers = [{name.removeprefix(f"layers.{number}."): value for name, value in self.parameters.items()
                         if name.startswith(f"layers.{number}.")} for number in range(network.layers)]
        self._trained = torch.tensor([[member.length + 1.0] for member in members], dtype=dtype, device=self.device)
        kinds = list(LOGIT_SCALES)
        self._kind = torch.tensor([[kinds.index(member.scale)] for member in members], device=self.device)

    def gradient(self, loss: Tensor) -> Tensor:
        """The gradient of a number by `flat`, in `flat.grad`: one buffer for all steps, as fresh memory costs more than the sums."""
        for parameter in self.parameters.values():
            parameter.grad = None
        loss.backward()
        return torch.cat([parameter.grad.flatten() if parameter.grad is not None else torch.zeros_like(parameter).flatten()
                          for parameter in self.parameters.values()], out=self.flat.grad)

    def state(self, member: int) -> dict[str, Tensor]:
        """One member's parameters, detached, by PyTorch's names and in PyTorch's shapes."""
        own = {name: value[member].detach() for name, value in self.parameters.items()}
        for name in [name for name in own if name.endswith(".q.weight") or name.endswith(".q.bias")]:
            joined = torch.cat([own.pop(name), own.pop(name.replace(".q.", ".kv."))], dim=-1)
            own[name.replace(".q.", ".self_attn.in_proj_")] = joined
        return {name: value.T if _is_matrix(name, value) else value for name, value in own.items()}

    def logit_scale(self, n: Tensor) -> Tensor:
        """What each member multiplies its attention logits by on strings of n = |w| + 1: (members, B)."""
        n = n.expand(len(self.members), -1)
        scales = torch.stack([scale(n, self._trained) for scale in LOGIT_SCALES.values()])
        return scales.gather(0, self._kind.expand_as(n)[None])[0]

    def __call__(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Logits (members, B), and attention on position 1 of shape (members, B, layers)."""
        ready = self.ready(batch)
        x, attention = self._embed(ready), []
        for number, layer in enumerate(self._layers, start=1):
            last = number == len(self._layers)                     # of the last layer only CLS is read
            x, weights = self._layer(layer, x, ready, last)
            attention.append(weights[:, :, :, 0, 1].mean(2))
        return _linear(x, self.parameters, "output")[..., 0], torch.stack(attention, dim=-1)

    def ready(self, batch: Batch) -> Ready:
        """A batch as this ensemble reads it: on its device, with position encodings and logit scales computed once."""
        if isinstance(batch, Ready):
            return batch
        if batch.is_quotient and not self.network.has_quotient:
            raise ValueError(f"the position encoding {self.network.positions!r} needs a token for each symbol: use tokens(strings)")
        E, B, T, d = len(self.members), batch.n.shape[1], batch.symbols.shape[-1], self.network.width
        if self.network.positions == "learned" and T > self.network.longest:
            raise ValueError(f"{T} positions are more than the {self.network.longest} that are learned")
        batch = batch.to(self.device, self.dtype)
        positions = None
        if self.network.positions not in ("none", "learned"):
            values = features(self.network.positions, batch, d).to(self.device, self.dtype)
            positions = pad(values, (0, d - values.shape[-1])).expand(-1, B, -1, -1)
        return Ready(batch.symbols.expand(E, B, T), positions, batch.log_count[:, :, None, None], self.logit_scale(batch.n)[..., None, None])

    def _embed(self, ready: Ready) -> Tensor:
        """The first residual stream, (members, B · T, width)."""
        E, B, T = ready.symbols.shape
        x = self.parameters["word"].gather(1, ready.symbols.reshape(E, B * T, 1).expand(-1, -1, self.network.width))
        if self.network.positions == "learned":
            return x + self.parameters["position"][:, :T].repeat(1, B, 1)
        return x if ready.positions is None else x + ready.positions.flatten(1, 2)

    def _layer(self, layer: dict[str, Tensor], x: Tensor, ready: Ready, last: bool) -> tuple[Tensor, Tensor]:
        """One layer: the stream after it, of CLS alone if it is the last, and weights (members, B, heads, queries, T)."""
        E, B, T = ready.symbols.shape
        asking = x.view(E, B, T, -1)[:, :, 0] if last else x
        heads, eps = self.network.heads, self.network.eps
        scale = ready.scale * layer["scale"][:, None, None] if "scale" in layer else ready.scale
        scaled = asking.view(E, B, -1, x.shape[-1]) * scale                        # as the authors do: the bias is not scaled
        q = _linear(scaled.flatten(1, 2), layer, "q").view(E, B, -1, heads, x.shape[-1] // heads)
        k, v = _linear(x, layer, "kv").view(E, B, T, 2, heads, -1).unbind(3)
        weights = torch.softmax(q.transpose(2, 3) @ k.permute(0, 1, 3, 4, 2) / sqrt(x.shape[-1] // heads) + ready.log_count, dim=-1)
        heard = (weights @ v.transpose(2, 3)).transpose(2, 3).reshape(E, -1, x.shape[-1])
        c = _normalized(asking + _linear(heard, layer, "self_attn.out_proj"), layer, "norm1", eps)
        hidden = torch.relu(_linear(c, layer, "linear1"))
        return _normalized(c + _linear(hidden, layer, "linear2"), layer, "norm2", eps), weights


def _is_matrix(name: str, value: Tensor) -> bool:
    """Whether a parameter is the matrix of a linear map, and no embedding."""
    return value.dim() == 2 and name not in ("word", "position")


def _stored(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """A member's parameters as they are kept: matrices as (in, out), the joint input projection as queries and keys-with-values."""
    kept = {}
    for name, value in state.items():
        value = value.T if _is_matrix(name, value) else value
        if "self_attn.in_proj_" in name:
            third = value.shape[-1] // 3
            kept[name.replace("self_attn.in_proj_", "q.")], kept[name.replace("self_attn.in_proj_", "kv.")] = value.split([third, 2 * third], dim=-1)
        else:
            kept[name] = value
    return kept


def _linear(x: Tensor, parameters: dict[str, Tensor], name: str) -> Tensor:
    """x W + b for each member: x (members, rows, in), W (members, in, out), b (members, out)."""
    return torch.baddbmm(parameters[f"{name}.bias"][:, None], x, parameters[f"{name}.weight"])


def _normalized(x: Tensor, layer: dict[str, Tensor], name: str, eps: float) -> Tensor:
    """Layer normalization with each member's own gamma and beta."""
    return torch.addcmul(layer[f"{name}.bias"][:, None], layer_norm(x, x.shape[-1:], eps=eps), layer[f"{name}.weight"][:, None])
