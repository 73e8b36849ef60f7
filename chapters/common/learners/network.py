"""What a learner is: its position encoding, the shape of its network, its initial weights, and the
seed and strings of its run.

Each member's parameters have PyTorch's names and shapes. Those of many members lie in one tensor:
there, matrices are (in, out) and vectors one row, and the input projection of attention is in two,
queries "q", and keys with values "kv".
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lib.checks import hold, one_of
from lib.transformer.construction import position
from lib.transformer.tensors import sinusoids

# Which formulas fill the first coordinates; the others stay 0.
FORMULAS: dict[str, tuple[str, ...]] = {
    "FIRST": ("[i=1]",),
    "ONE": ("i/n",),
    "PARITY": ("i/n", "cos iπ"),
    "mirrored PARITY": ("i/n", "-i/n", "cos iπ", "-cos iπ"),
    "PALINDROME": ("i", "n-1-i", "[i≤(n-1)/2]", "[i≥(n-1)/2]"),
}
ENCODINGS = ("none", *FORMULAS, "scaled PARITY", "sinusoidal", "doubled sinusoidal")
RELATIVE = ("ALiBi", "RoPE")  # encodings that enter with a query and a key, not with a token
HAVE_QUOTIENT = ("none", "FIRST")  # of these, positions from 2 on are all alike


def features(encoding: str, i: Tensor, n: Tensor, width: int) -> Tensor:
    """The values of a position encoding at positions i of strings of n tokens, float64.

    `i` (members or 1, B or 1, T) and `n` (members or 1, B or 1, 1) give (members or 1, B or 1, T,
    coordinates). "none" has none, and "scaled PARITY" has `ramps_and_waves`.
    """
    i, n = i.double(), n.double()
    if encoding == "sinusoidal":
        return sinusoids(i, width)
    if encoding == "doubled sinusoidal":
        # Nowak et al.'s code: the exponent is twice that of Vaswani et al. 2017, and a sine and the
        # cosine after it do not share one
        coordinates = torch.arange(width)
        angles = i[..., None] / 10_000 ** (2 * coordinates.double() / width)
        return torch.where(coordinates % 2 == 0, angles.sin(), angles.cos())
    columns = [torch.as_tensor(position(f)(i, n), dtype=torch.float64) for f in FORMULAS[encoding]]
    return torch.stack(torch.broadcast_tensors(*columns), dim=-1)


def ramps_and_waves(i: Tensor, n: Tensor, scales: Tensor) -> Tensor:
    """Chiang & Cholak's and Nowak et al.'s encoding for PARITY, (members, B, T, width): a ramp
    e^s i/n or a wave cos(iπ e^s), where s is the scale of a coordinate, (members, 1, width).

    The first ⌊n/2⌋ coordinates are ramps, so that from n = 2 width on there is no wave: so in Nowak
    et al.'s code, and until April 2023 in Chiang & Cholak's, which since then has ramps in the
    first half of the *coordinates*. Their text has fixed positions instead, "PARITY" here.
    """
    i, n, factor = i.double()[..., None], n.double()[..., None], scales.exp()[:, :, None]
    ramp, angle = (x.to(scales.dtype) * factor for x in (i / n, torch.pi * i))
    return torch.where(torch.arange(scales.shape[-1]) < n // 2, ramp, angle.cos())


# What a query multiplies its attention logits by, from n = |w| + 1 of the string at hand, the
# number i of tokens up to the query, itself included, and the n of the member's training strings.
LOGIT_SCALES: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "plain": lambda n, i, trained: torch.ones_like(n),
    "log n": lambda n, i, trained: n.log(),  # Chiang & Cholak 2022, equation (2)
    "log of the training n": lambda n, i, trained: trained.log().expand_as(n),
    "log i": lambda n, i, trained: i.log(),
    "log i / log L": lambda n, i, trained: i.log() / trained.log(),
    # Llama 4's temperature, with the training n in place of its 8192
    "floor-log": lambda n, i, trained: 1 + 0.1 * (1 + (i / trained).floor()).log(),
}
BY_QUERY = ("log i", "log i / log L", "floor-log")  # a number for each query: they need a mask


Parameters = dict[str, Tensor]


@dataclass(frozen=True)
class Network:
    """The shape that the members share; the defaults are Chiang & Cholak's for FIRST (section 5.1).

    `positions` is one of `ENCODINGS`; "ALiBi" and "RoPE" are in the attention logits. With the
    `mask` "future" a query sees the tokens up to its own; only the last one has seen the string,
    and it is read. `symbols` is how many words there are beside CLS. `learns_scale` gives each
    layer a number, 1 at first, that its attention logits are multiplied by and that is trained. The
    output is `read_at` CLS or at the "last" token. `has_end_tag` adds a word. `output_first` draws
    the output layer's initial weights before the encoder's, as Nowak et al.'s code does. `dropout`
    works in training, where PyTorch's layer has it.
    """

    positions: str = "FIRST"
    heads: int = 1
    layers: int = 2
    width: int = 16
    hidden: int = 64
    eps: float = 1e-5
    learns_scale: bool = False
    read_at: str = "CLS"
    has_end_tag: bool = False
    output_first: bool = False
    mask: str = "none"
    symbols: int = 2
    dropout: float = 0.0

    def __post_init__(self):
        hold(self, positions=one_of((*RELATIVE, *ENCODINGS)), read_at=one_of(("CLS", "last")))
        hold(self, mask=one_of(("none", "future")))
        if self.mask == "future" and self.read_at != "last":
            expected = f'read_at "last" is expected, not {self.read_at!r}'
            raise ValueError(f"behind a mask CLS sees only itself: {expected}")

    @property
    def has_quotient(self) -> bool:
        """Whether four weighted tokens are a string for this network."""
        reads_cls = self.read_at == "CLS" and not self.has_end_tag and self.symbols == 2
        return self.positions in HAVE_QUOTIENT and reads_cls

    def initial(self, seed: int) -> Parameters:
        """PyTorch's default initialization under `seed`, float32, drawn in the order in which the
        papers' code makes its layers; all layers start equal, as in `nn.TransformerEncoder`.
        """
        own: Parameters = {}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            word = nn.Embedding(1 + self.symbols + self.has_end_tag, self.width)
            output = nn.Linear(self.width, 1) if self.output_first else None
            layer = nn.TransformerEncoderLayer(self.width, self.heads, self.hidden, dropout=0.0)
            if self.positions == "scaled PARITY":
                own["scales"] = torch.normal(0.0, 1.0, (1, self.width))
            encoder = nn.TransformerEncoder(layer, self.layers, enable_nested_tensor=False)
            output = output or nn.Linear(self.width, 1)
        if self.learns_scale:
            own |= {f"layers.{number}.scale": torch.ones(1) for number in range(self.layers)}
        named = {"output.weight": output.weight, "output.bias": output.bias}
        state = {"word": word.weight, **encoder.state_dict(), **named, **own}
        return {name: value.detach() for name, value in state.items()}


@dataclass(frozen=True)
class Member:
    """One run: its seed (of weights and strings alike), the length |w| of its training strings, or
    with `shortest` the longest of uniform lengths from that on, and the scale of its logits. With
    `weights`, that is the seed of the weights, and `seed` the strings' alone.
    """

    seed: int
    length: int
    scale: str = "plain"
    shortest: int | None = None
    weights: int | None = None


def from_pytorch(state: Parameters) -> Parameters:
    """A member's parameters as an ensemble holds them: views of PyTorch's."""
    parameters = {}
    for name, value in state.items():
        if value.dim() == 1:
            value = value[None]
        elif name not in ("word", "scales"):
            value = value.T
        if "in_proj_" in name:
            d = value.shape[-1] // 3
            for part, own in zip(("q.", "kv."), value.split([d, 2 * d], dim=-1), strict=True):
                parameters[name.replace("self_attn.in_proj_", part)] = own
        else:
            parameters[name] = value
    return parameters


def of_layer(number: int, parameters: Parameters) -> Parameters:
    """The parameters of one layer, by their names in it."""
    parts = ((name.partition(f"layers.{number}."), value) for name, value in parameters.items())
    return {name: value for (_, prefix, name), value in parts if prefix}
