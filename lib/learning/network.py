"""What a learner is: the shape of its network, its initial weights, and the seed and strings of its
run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lib.checks import between, flag, hold, number, one_of, optional, positive, takes, whole
from lib.learning.encodings import ENCODINGS, HAVE_QUOTIENT, RELATIVE

READ_AT = ("CLS", "last")
MASKS = ("none", "future")

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


@dataclass(frozen=True)
class Network:
    """The shape that the members share; the defaults are Chiang & Cholak's for FIRST (section 5.1).

    `positions` is one of `lib.learning.encodings.ENCODINGS`; "learned" is a vector for each of the
    first `longest` positions; "ALiBi" and "RoPE" are in the attention logits. With the `mask`
    "future" a query sees the tokens up to its own; only the last one has seen the string, and it
    is read. `symbols` is how many words there are beside CLS. `learns_scale` gives each layer a
    number, 1 at first, that its attention logits are multiplied by and that is trained. The output
    is `read_at` CLS or at the "last" token. `has_end_tag` adds a word. `output_first` draws the
    output layer's initial weights before the encoder's, as Nowak et al.'s code does.
    """

    positions: str = "FIRST"
    heads: int = 1
    layers: int = 2
    width: int = 16
    hidden: int = 64
    eps: float = 1e-5
    learns_scale: bool = False
    longest: int = 0
    read_at: str = "CLS"
    has_end_tag: bool = False
    output_first: bool = False
    mask: str = "none"
    symbols: int = 2

    def __post_init__(self):
        encodings = (*RELATIVE, *ENCODINGS)
        hold(self, positions=one_of(encodings), read_at=one_of(READ_AT), eps=number)
        hold(self, mask=one_of(MASKS), symbols=between(2))
        hold(self, learns_scale=flag, has_end_tag=flag, output_first=flag)
        for name in ("heads", "layers", "width", "hidden"):
            between(1)(getattr(self, name), name)
        if self.width % self.heads or self.width < 2:
            raise ValueError(
                f"a width of at least 2 that {self.heads} heads divide is expected, "
                f"not {self.width}"
            )
        if self.positions == "RoPE" and self.width % (2 * self.heads):
            raise ValueError(
                f"RoPE turns pairs of coordinates: a width that {2 * self.heads} divides is "
                f"expected, not {self.width}"
            )
        if self.mask == "future" and (self.read_at != "last" or self.positions == "learned"):
            raise ValueError(
                'behind a mask CLS sees only itself: read_at "last", and positions that are not '
                f"learned, are expected, not {self.read_at!r} and {self.positions!r}"
            )
        if self.symbols > 2 and self.has_end_tag:
            raise ValueError(f"an end tag is the third symbol's code: not with {self.symbols}")
        if not 0 <= self.eps < float("inf"):
            raise ValueError(f"eps must be at least 0, not {self.eps!r}")
        hold(self, longest=between(0))
        if (self.longest > 0) != (self.positions == "learned"):
            raise ValueError(
                "learned positions, and no others, need `longest` > 0: "
                f"{self.positions!r} has {self.longest}"
            )

    @property
    def has_quotient(self) -> bool:
        """Whether four weighted tokens are a string for this network."""
        reads_cls = self.read_at == "CLS" and not self.has_end_tag and self.symbols == 2
        return self.positions in HAVE_QUOTIENT and reads_cls

    @takes(seed=between(0, 2**63))
    def initial(self, seed: int) -> dict[str, Tensor]:
        """PyTorch's default initialisation under `seed`, float32: both layers start equal, as in
        `nn.TransformerEncoder`.
        """
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(whole(seed, "a seed"))
            state = self._drawn()
        if self.learns_scale:
            for number in range(self.layers):
                state[f"layers.{number}.scale"] = torch.ones(1)
        return {name: value.detach() for name, value in state.items()}

    def _drawn(self) -> dict[str, Tensor]:
        """The random parameters, drawn in the order in which the papers' code makes its layers."""
        word = nn.Embedding(1 + self.symbols + self.has_end_tag, self.width)
        output = nn.Linear(self.width, 1) if self.output_first else None
        layer = nn.TransformerEncoderLayer(self.width, self.heads, self.hidden, dropout=0.0)
        own = {}
        if self.positions == "scaled PARITY":
            own["scales"] = torch.normal(0.0, 1.0, (1, self.width))
        encoder = nn.TransformerEncoder(layer, self.layers, enable_nested_tensor=False)
        output = output or nn.Linear(self.width, 1)
        if self.positions == "learned":
            own["position"] = nn.Embedding(self.longest, self.width).weight
        named = {"output.weight": output.weight, "output.bias": output.bias}
        return {"word": word.weight, **encoder.state_dict(), **named, **own}


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
        seeds = between(0, 2**63)
        hold(self, seed=seeds, length=between(1, 10**15), weights=optional(seeds))
        hold(self, scale=one_of(LOGIT_SCALES))
        if self.shortest is not None:
            positive(self.shortest, "the shortest length")
            if self.shortest > self.length:
                raise ValueError(
                    f"the shortest length {self.shortest} is above the length {self.length}"
                )
