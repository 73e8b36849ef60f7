"""A trained transformer as data: dense weights in float64, its shape, and how it is asked.

Rows are tokens, so a linear map is x W + b, with W of shape (in, out).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from torch import Tensor

from lib.checks import (
    above_zero,
    an,
    between,
    checked_eps,
    flag,
    function,
    hold,
    many,
    mapping,
    one_of,
    optional,
    shown,
)

ACTIVATIONS = ("relu", "gelu", "gelu_new")  # the second by erf, the third by tanh
NORMS = ("layer", "rms")
READ_AT = ("first", "last", "mean")
SMALL = 1e-70  # sizes of weights: their squares, and the squares of these, are held


def shaped(value: Tensor, what: str, *shape: int | None) -> Tensor:
    """A tensor of floats in float64 if it has that shape, None standing for any number above 0;
    otherwise ValueError with its name.
    """
    found = tuple(value.shape) if isinstance(value, Tensor) and value.is_floating_point() else ()
    fits = len(found) == len(shape) and 0 not in found
    if not fits or any(n not in (None, m) for n, m in zip(shape, found, strict=True)):
        sizes = ", ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(f"{what} must be floats of shape ({sizes}), not {found or shown(value)}")
    value = value.double()  # norms and bounds are taken in this type
    amiss = value[(value != 0) & ~((value.abs() > SMALL) & (value.abs() < 1 / SMALL))]
    if len(amiss):
        raise ValueError(
            f"{what} must hold 0 or numbers between {SMALL} and {1 / SMALL} in size, "
            f"not {float(amiss[0])}"
        )
    return value


def keep(instance: object, name: str, what: str, *shape: int | None) -> None:
    """Holds a field to a shape, and keeps it in float64."""
    object.__setattr__(instance, name, shaped(getattr(instance, name), what, *shape))


@dataclass(frozen=True)
class Linear:
    """x W + b, with W (in, out) and b (out,)."""

    weight: Tensor
    bias: Tensor

    def __post_init__(self):
        keep(self, "weight", "a matrix", None, None)
        keep(self, "bias", "a bias", self.weight.shape[1])


@dataclass(frozen=True)
class Norm:
    """Layer normalization with gain and bias, (width,) each. The kind "rms" subtracts no mean: it
    divides by the root of the mean square plus eps (Zhang and Sennrich 2019).
    """

    gain: Tensor
    bias: Tensor
    eps: float
    kind: str = "layer"

    def __post_init__(self):
        keep(self, "gain", "a gain", None)
        keep(self, "bias", "a bias", len(self.gain))
        checked_eps(self.eps)
        hold(self, kind=one_of(NORMS))

    def centred(self, x: Tensor) -> Tensor:
        """What is normalized of tokens (..., width)."""
        return x if self.kind == "rms" else x - x.mean(-1, keepdim=True)


@dataclass(frozen=True)
class TrainedLayer:
    """One layer; queries, keys and values are of one width, all heads side by side. A norm that is
    None is left out.
    """

    q: Linear
    k: Linear
    v: Linear
    o: Linear
    first: Linear
    second: Linear
    norms: tuple[Norm | None, Norm | None]


@dataclass(frozen=True)
class TrainedNetwork:
    """`positions` is a table (longest, width), or a function of the number n of tokens that gives
    (n, width), or None; `rotary` is the base by which queries and keys turn, or None. `pre_norm`
    says that a norm reads before its sublayer, not after the residual connection. `last` is the
    norm before the output.

    Of normalization, GELU and softmax the real functions are meant, not what a machine makes of
    them.
    """

    word: Tensor
    layers: tuple[TrainedLayer, ...]
    output: Linear
    heads: int
    activation: str
    pre_norm: bool
    causal: bool
    positions: Tensor | Callable[[int], Tensor] | None = None
    rotary: float | None = None
    last: Norm | None = None

    def __post_init__(self):
        keep(self, "word", "the words' matrix", None, None)
        hold(self, layers=many(TrainedLayer), output=Linear, heads=between(1))
        hold(self, activation=one_of(ACTIVATIONS), pre_norm=flag, causal=flag)
        hold(self, last=optional(Norm), rotary=optional(above_zero))
        if isinstance(self.positions, Tensor):
            keep(self, "positions", "positions", None, self.width)
        else:
            optional(function)(self.positions, "positions")
        d = self.width
        for number, layer in enumerate(self.layers):
            width = len(layer.q.bias)
            for name in ("q", "k", "v"):
                shaped(getattr(layer, name).weight, f"layer {number}'s {name}", d, width)
            shaped(layer.o.weight, f"layer {number}'s o", width, d)
            if width % (self.heads if self.rotary is None else 2 * self.heads):
                raise ValueError(f"{self.heads} heads do not divide the width {width}")
            shaped(layer.first.weight, f"layer {number}'s first map", d, None)
            shaped(layer.second.weight, f"layer {number}'s second map", len(layer.first.bias), d)
        shaped(self.output.weight, "the output's matrix", d, None)
        norms = [norm for layer in self.layers for norm in layer.norms]
        for norm in filter(None, (*norms, self.last)):
            shaped(norm.gain, "a gain", d)

    @property
    def width(self) -> int:
        """Coordinates of a token."""
        return self.word.shape[1]

    @property
    def longest(self) -> int | None:
        """How many tokens have a position, None for any number."""
        return len(self.positions) if isinstance(self.positions, Tensor) else None


# What makes a decision of an output: numbers of which each should be above 0, or each below.


@dataclass(frozen=True)
class Positive:
    """Accepts where the output of that number is above 0. A network with a single output needs no
    number.
    """

    output: int | None = None


@dataclass(frozen=True)
class Largest:
    """Accepts where the output `accepting` is larger than the output `rejecting`."""

    accepting: int
    rejecting: int


@dataclass(frozen=True)
class NextTokens:
    """After every prefix, the outputs above 0 should be those of the tokens that may come next;
    `end` is the output that says that the string may end here. Cross entropy does not train that:
    it fixes outputs only up to a constant that all of them share, so a language model that is right
    may be judged wrong.
    """

    end: int


@dataclass(frozen=True)
class Judged:
    """A network and how strings are given to it: the number of each symbol's token, the tokens
    `before` and `after` a string, where the output is `read_at`, what `decides`, and the `offset`
    of the first position.
    """

    network: TrainedNetwork
    tokens: dict[str, int]
    decides: Positive | Largest | NextTokens
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    read_at: str = "last"
    offset: int = 0

    def __post_init__(self):
        hold(self, network=TrainedNetwork, decides=an(Positive, Largest, NextTokens))
        hold(self, tokens=mapping(between(0)), before=many(between(0)), after=many(between(0)))
        hold(self, read_at=one_of(READ_AT), offset=between(0))
        words, outputs = len(self.network.word), self.network.output.weight.shape[1]
        for token in (*self.tokens.values(), *self.before, *self.after):
            between(0, words - 1)(token, f"a token of a network of {words} words")
        if self.decides == Positive():
            if outputs > 1:
                raise ValueError(
                    f"a network of {outputs} outputs is judged by one of them, as in Positive(0), "
                    "not by Positive()"
                )
            object.__setattr__(self, "decides", Positive(0))
        for output in self.decides.__dict__.values():
            between(0, outputs - 1)(output, f"an output of a network of {outputs} outputs")
        for symbol in self.tokens:
            if len(symbol) != 1:
                raise ValueError(f"a symbol must be a single character, not {symbol!r}")
        if self.longest < 0:
            raise ValueError(
                f"a position for every token is expected: there are {self.network.longest}, and "
                f"the offset is {self.offset}"
            )
        if callable(self.network.positions) and self.offset:
            raise ValueError(
                f"positions that depend on the number of tokens have no offset, not {self.offset}"
            )
        if isinstance(self.decides, NextTokens):
            if max(self.tokens.values(), default=0) >= outputs:
                raise ValueError(f"an output for each of the tokens {self.tokens} is expected")
            if self.decides.end in self.tokens.values():
                raise ValueError(f"the end's output {self.decides.end} must be no symbol's")
            if self.read_at != "last" or self.after or not self.network.causal:
                raise ValueError(
                    "next tokens are read at the last token of a causal network, with none after "
                    f"it: not at {self.read_at!r}, with {self.after} after"
                )

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The symbols of the strings."""
        return tuple(self.tokens)

    @property
    def longest(self) -> float:
        """How many symbols of a string have a position, infinity for any number."""
        room = inf if self.network.longest is None else self.network.longest
        return room - self.offset - len(self.before) - len(self.after)
