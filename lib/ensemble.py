"""Many small transformer encoders side by side: a leading axis of members through every tensor.

Each member is a post-norm `torch.nn.TransformerEncoder` of one shape with a word embedding, a fixed or learned position encoding
and a linear output at CLS. Members differ in their seeds, in the length they train on and in how their attention logits are
scaled; they share the arithmetic and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod, sqrt

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


class Ensemble:
    """Transformers of one shape, one for each member, with all parameters in one tensor `flat` of shape (members, parameters).

    Calling it on a batch gives the logits and the attention that CLS pays to position 1 in each layer (the mean over heads).
    """

    def __init__(self, network: Network, members: Sequence[Member], dtype: torch.dtype = torch.float32, device: str = "cpu"):
        positive(len(members), "a number of members")
        self.network, self.members, self.dtype, self.device = network, tuple(members), dtype, torch.device(device)
        states = [network.initial(member.seed if member.weights is None else member.weights) for member in members]
        self.shapes = {name: value.shape for name, value in states[0].items()}
        flat = torch.stack([torch.cat([value.flatten() for value in state.values()]) for state in states])
        self.flat = flat.to(self.device, dtype).requires_grad_()
        self._trained = torch.tensor([[member.length + 1.0] for member in members], dtype=dtype, device=self.device)
        kinds = list(LOGIT_SCALES)
        self._kind = torch.tensor([[kinds.index(member.scale)] for member in members], device=self.device)

    def parameters(self) -> dict[str, Tensor]:
        """Views of `flat` by PyTorch's names, each with the leading axis of members."""
        pieces = self.flat.split([prod(shape) for shape in self.shapes.values()], dim=1)
        return {name: piece.unflatten(1, shape) for (name, shape), piece in zip(self.shapes.items(), pieces)}

    def logit_scale(self, n: Tensor) -> Tensor:
        """What each member multiplies its attention logits by on strings of n = |w| + 1: (members, B)."""
        n = n.expand(len(self.members), -1)
        scales = torch.stack([scale(n, self._trained) for scale in LOGIT_SCALES.values()])
        return scales.gather(0, self._kind.expand_as(n)[None])[0]

    def __call__(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Logits (members, B), and attention on position 1 of shape (members, B, layers)."""
        if batch.is_quotient and not self.network.has_quotient:
            raise ValueError(f"the position encoding {self.network.positions!r} needs a token for each symbol: use tokens(strings)")
        p, batch = self.parameters(), batch.to(self.device, self.dtype)
        (E, B), T, d = (len(self.members), batch.n.shape[1]), batch.symbols.shape[-1], self.network.width
        symbols = batch.symbols.expand(E, B, T).reshape(E, B * T, 1).expand(-1, -1, d)
        x = p["word"].gather(1, symbols).view(E, B, T, d) + self._positions(p, batch)
        scale, attention = self.logit_scale(batch.n), []
        for number in range(self.network.layers):
            layer = {name.removeprefix(f"layers.{number}."): value for name, value in p.items() if name.startswith(f"layers.{number}.")}
            asking = x[:, :, :1] if number == self.network.layers - 1 else x        # of the last layer only CLS is read
            heard, weights = self._attend(layer, asking, x, scale, batch.log_count)
            c = _normalized(asking + heard, layer, "norm1", self.network.eps)
            hidden = torch.relu(_linear(c, layer["linear1.weight"], layer["linear1.bias"]))
            x = _normalized(c + _linear(hidden, layer["linear2.weight"], layer["linear2.bias"]), layer, "norm2", self.network.eps)
            attention.append(weights[:, :, :, 0, 1].mean(2))
        return _linear(x, p["output.weight"], p["output.bias"])[:, :, 0, 0], torch.stack(attention, dim=-1)

    def _positions(self, p: dict[str, Tensor], batch: Batch) -> Tensor:
        if self.network.positions == "learned":
            if batch.symbols.shape[-1] > self.network.longest:
                raise ValueError(f"{batch.symbols.shape[-1]} positions are more than the {self.network.longest} that are learned")
            return p["position"][:, None, : batch.symbols.shape[-1]]
        values = features(self.network.positions, batch, self.network.width).to(self.device, self.dtype)
        return pad(values, (0, self.network.width - values.shape[-1]))

    def _attend(self, layer: dict[str, Tensor], asking: Tensor, x: Tensor, scale: Tensor, log_count: Tensor) -> tuple[Tensor, Tensor]:
        """Multi-head attention: what (members, B, m, width) hear, and weights (members, B, heads, m, T)."""
        d, heads = self.network.width, self.network.heads
        (q_weight, kv_weight), (q_bias, kv_bias) = (layer[f"self_attn.in_proj_{name}"].split([d, 2 * d], dim=1) for name in ("weight", "bias"))
        if "scale" in layer:
            scale = scale * layer["scale"]
        q = _linear(asking * scale[..., None, None], q_weight, q_bias)           # as the authors do: the bias is not scaled
        q, k, v = (t.unflatten(-1, (heads, -1)).transpose(2, 3) for t in (q, *_linear(x, kv_weight, kv_bias).chunk(2, dim=-1)))
        weights = torch.softmax(q @ k.mT / sqrt(d // heads) + log_count[:, :, None, None], dim=-1)
        heard = (weights @ v).transpose(2, 3).flatten(-2)
        return _linear(heard, layer["self_attn.out_proj.weight"], layer["self_attn.out_proj.bias"]), weights


def _linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """x W^T + b for each member: x (members, B, T, in), weight (members, out, in), bias (members, out)."""
    return torch.baddbmm(bias[:, None], x.flatten(1, 2), weight.mT).unflatten(1, x.shape[1:3])


def _normalized(x: Tensor, layer: dict[str, Tensor], name: str, eps: float) -> Tensor:
    weight, bias = (layer[f"{name}.{kind}"][:, None, None] for kind in ("weight", "bias"))
    return torch.addcmul(bias, layer_norm(x, x.shape[-1:], eps=eps), weight)
