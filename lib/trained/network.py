"""A trained transformer as data: dense weights in float64, its shape, and how it is asked.

Rows are tokens, so a linear map is x W + b, with W of shape (in, out).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf, sqrt
from typing import Any, cast

from torch import Tensor

from lib import checks
from lib.checks import an, between, flag, hold, many, mapping, one_of, optional, shown, text

# "gelu" is by erf, "gelu_new" by tanh, "silu" is x/(1 + e^-x).
ACTIVATIONS = ("relu", "gelu", "gelu_new", "silu", "tanh", "identity")
OTHER_NAMES = {  # the last with the root of 2/pi to ten digits, where the exact number is meant
    "swish": "silu",
    "gelu_pytorch_tanh": "gelu_new",
    "gelu_fast": "gelu_new",
}
NORMS = ("layer", "rms")
SMALL = 1e-70  # sizes of weights: their squares, and the squares of these, are held


def shaped(value: Tensor, what: str, *shape: int | None) -> Tensor:
    """A tensor in float64 if its floats have that shape, None being any size; else ValueError."""
    found = tuple(value.shape) if isinstance(value, Tensor) and value.is_floating_point() else ()
    fits = len(found) == len(shape) and 0 not in found
    if not fits or any(n not in (None, m) for n, m in zip(shape, found, strict=True)):
        sizes = ", ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(f"{what} must be floats of shape ({sizes}), not {found or shown(value)}")
    value = value.detach().cpu().double().clone()  # norms and bounds are taken in this type
    amiss = value[(value != 0) & ~((value.abs() > SMALL) & (value.abs() < 1 / SMALL))]
    if len(amiss):
        raise ValueError(
            f"{what} must hold 0 or numbers between {SMALL} and {1 / SMALL} in size, "
            f"not {float(amiss[0])}"
        )
    return value


def activation(name: str, what: str) -> str:
    """The activation of a name, which may be another library's."""
    name = OTHER_NAMES.get(name, name) if isinstance(name, str) else name
    return cast("str", one_of(ACTIVATIONS)(name, what))


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
        object.__setattr__(self, "eps", checks.real(checks.checked_eps(self.eps), "eps"))
        hold(self, kind=one_of(NORMS))

    def __str__(self) -> str:
        return f"{self.kind} norm with eps {self.eps:.6g}"

    def centred(self, x: Tensor) -> Tensor:
        """What is normalized of tokens (..., width)."""
        return x if self.kind == "rms" else x - x.mean(-1, keepdim=True)


@dataclass(frozen=True)
class TrainedLayer:
    """One layer; queries, keys and values are of one width, all heads side by side. A norm that is
    None is left out, and so is the feed-forward network if its maps `first` and `second` are. With
    a `gate` hidden units are act(x gate) times x first (Shazeer 2020: SwiGLU, GeGLU).
    """

    q: Linear
    k: Linear
    v: Linear
    o: Linear
    first: Linear | None
    second: Linear | None
    norms: tuple[Norm | None, Norm | None]
    gate: Linear | None = None


@dataclass(frozen=True)
class TrainedNetwork:
    """A transformer of this shape.

    - `word`: the words' vectors, (words, width).
    - `layers`, and `output`, the last map.
    - `heads`: how many share a layer's width. `attention_scale` is what multiplies their logits,
      None for 1 over the root of a head's width.
    - `activation`: one of `ACTIVATIONS`, of all hidden units.
    - `pre_norm`: whether a norm reads before its sublayer, or after the residual connection.
    - `causal`: whether a token sees itself and those before it alone.
    - `positions`: a table (longest, width), or a function of the number n of tokens that gives
      (n, width), added to words; or None.
    - `rotary`: the base by which queries and keys turn, or None.
    - `slopes`: what each head's logits lose for each token of distance (ALiBi), or None.
    - `last`: the norm before the output, or None.
    - `hidden`: a map and its activation between the norm and the output, or None.
    - `unsaid`: what else its reader assumed, of which no part here is made.
    - `log_n`: whether logits are multiplied by the natural log of the number of tokens that the
      query sees (Chiang and Cholak 2022, equation 2).

    Of normalization, activations and softmax the real functions are meant, not what a machine makes
    of them.
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
    attention_scale: float | None = None
    slopes: tuple[float, ...] | None = None
    hidden: tuple[Linear, str] | None = None
    log_n: bool = False
    unsaid: tuple[str, ...] = ()

    def __post_init__(self):
        keep(self, "word", "the words' matrix", None, None)
        hold(self, layers=many(TrainedLayer), output=Linear, heads=between(1))
        object.__setattr__(self, "layers", tuple(self.layers))
        hold(self, activation=one_of(ACTIVATIONS), pre_norm=flag, causal=flag, log_n=flag)
        hold(self, last=optional(Norm), rotary=optional(checks.above_zero), unsaid=many(text))
        hold(self, attention_scale=optional(checks.above_zero), slopes=optional(many(checks.real)))
        if self.attention_scale is not None:
            object.__setattr__(self, "attention_scale", float(self.attention_scale))
        if isinstance(self.positions, Tensor):
            keep(self, "positions", "positions", None, self.width)
        else:
            optional(checks.function)(self.positions, "positions")
        if self.slopes is not None and len(self.slopes) != self.heads:
            raise ValueError(f"a slope for each of {self.heads} heads, not {self.slopes!r}")
        for number, layer in enumerate(self.layers):
            name, d, width = f"layer {number}", self.width, len(layer.q.bias)
            units = None if layer.first is None else len(layer.first.bias)
            sizes = {**dict.fromkeys("qkv", (d, width)), "o": (width, d), "first": (d, units)}
            for part, shape in (sizes | {"second": (units, d), "gate": (d, units)}).items():
                if (map_ := getattr(layer, part)) is not None:
                    shaped(map_.weight, f"{name}'s {part}", *shape)
            if width % (self.heads if self.rotary is None else 2 * self.heads):
                even = "" if self.rotary is None else " into even parts"
                raise ValueError(f"{self.heads} heads do not divide the width {width}{even}")
            is_lost = layer.first is None, layer.second is None
            if any(is_lost) and not (all(is_lost) and layer.gate is None):
                raise ValueError(f"both maps of {name}'s feed-forward network are expected")
        read = self.width
        if self.hidden is not None:
            between_, activation = self.hidden
            one_of(ACTIVATIONS)(activation, "the activation before the output")
            shaped(between_.weight, "the map before the output", self.width, None)
            read = len(between_.bias)
        shaped(self.output.weight, "the output's matrix", read, None)
        for norm in filter(None, (self.last, *(x for layer in self.layers for x in layer.norms))):
            shaped(norm.gain, "a gain", self.width)

    def factor(self, width: int) -> float:
        """What multiplies the logits of heads of that width, but for the log."""
        return 1 / sqrt(width) if self.attention_scale is None else self.attention_scale

    @property
    def width(self) -> int:
        """Coordinates of a token."""
        return self.word.shape[1]

    @property
    def longest(self) -> int | None:
        """How many tokens have a position, None for any number."""
        return len(self.positions) if isinstance(self.positions, Tensor) else None


# What makes a decision of the outputs.


@dataclass(frozen=True)
class Positive:
    """Accepts where the output of that number, or the only one, is above 0."""

    output: int | None = None


@dataclass(frozen=True)
class Largest:
    """Accepts where one of the outputs `accepting` is above all `rejecting` (None: all others)."""

    accepting: int | tuple[int, ...]
    rejecting: int | tuple[int, ...] | None

    def among(self, outputs: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Both as tuples, for a network of so many outputs."""
        sides: Any = (self.accepting, self.rejecting)
        accepting, rejecting = (tuple(k) if isinstance(k, Sequence) else (k,) for k in sides)
        if self.rejecting is None:
            rejecting = tuple(k for k in range(outputs) if k not in accepting)
        if not accepting or not rejecting or {*accepting} & {*rejecting}:
            raise ValueError(f"outputs that accept, and others that reject, are expected: {self}")
        return accepting, rejecting


@dataclass(frozen=True)
class Classes:
    """Classifies by the largest output: the language maps a string to the right one's number."""


@dataclass(frozen=True)
class NextTokens:
    """After every prefix the outputs say which tokens may come next; `end` is the output that says
    that the string may end here. The `criterion` is how the network was trained:

    - "positive": outputs above 0 are those of tokens that may come (binary cross entropy);
    - "largest": the largest output is that of a token that may come;
    - a probability p: tokens to which softmax gives more than p are those that may come.

    Cross entropy fixes outputs only up to a constant that all of them share, so that "positive"
    would misjudge a language model.
    """

    end: int
    criterion: str | float

    def __post_init__(self):
        if self.criterion not in ("positive", "largest"):
            p = self.criterion  # of a third, say, a float is a little less
            if isinstance(p, str) or not 0 < checks.real(p, "criterion") < 1 or float(p) != p:
                raise ValueError(
                    'criterion must be "positive", "largest" or a probability between 0 and 1, not '
                    f"{p!r}, and a float"
                )
            object.__setattr__(self, "criterion", float(p))


@dataclass(frozen=True)
class Judged:
    """A network and how strings are given to it: the number of each symbol's token, the tokens
    `before` and `after` a string, where the output is `read_at` ("first", "last", "mean", or the
    number of a token), what `decides`, and the `offset` of the first position. `padding` is a
    token, and how many tokens it fills every string up to, behind those after it; no mask hides it.
    `beside`, which `from_module` makes, holds outputs of strings to those of the module itself.
    """

    network: TrainedNetwork
    tokens: dict[str, int]
    decides: Positive | Largest | Classes | NextTokens
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    read_at: str | int = "last"
    offset: int = 0
    padding: tuple[int, int] | None = None
    beside: Callable[..., None] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self):
        hold(self, network=TrainedNetwork, decides=an(Positive, Largest, Classes, NextTokens))
        if not self.tokens:
            raise ValueError(f"a token of at least one symbol is expected, not {self.tokens!r}")
        hold(self, tokens=mapping(between(0)), before=many(between(0)), after=many(between(0)))
        for name in ("before", "after"):
            object.__setattr__(self, name, tuple(map(int, getattr(self, name))))
        hold(self, offset=between(0))
        hold(self, padding=optional(many(between(0))), beside=optional(checks.function))
        is_number = isinstance(self.read_at, int) and not isinstance(self.read_at, bool)
        hold(self, read_at=between(0) if is_number else one_of(("first", "last", "mean")))
        if self.padding is not None and len(self.padding) != 2:
            raise ValueError(f"padding must be a token and a length, not {self.padding}")
        object.__setattr__(self, "tokens", dict(self.tokens))  # whatever becomes of what was given
        words = len(self.network.word)
        for token in (*self.tokens.values(), *self.before, *self.after, *(self.padding or ())[:1]):
            between(0, words - 1)(token, f"a token of a network of {words} words")
        decides, outputs = self.settled, self.network.output.weight.shape[1]
        if isinstance(decides, NextTokens):
            if max(self.tokens.values()) >= outputs:
                raise ValueError(f"an output for each of the tokens {self.tokens} is expected")
            if decides.end in self.tokens.values():
                raise ValueError(f"the end's output {decides.end} must be no symbol's")
            if self.read_at != "last" or self.after or self.padding or not self.network.causal:
                raise ValueError(
                    "next tokens are read at the last token of a causal network, with none after "
                    f"it: not at {self.read_at!r}, with {self.after or self.padding} after"
                )
        last = {token: symbol for symbol, token in self.tokens.items()}
        for symbol, token in self.tokens.items():
            if len(symbol) != 1:
                raise ValueError(f"a symbol must be a single character, not {symbol!r}")
            if (other := last[token]) != symbol:
                both = f"{symbol!r} and {other!r} both have {token}"
                raise ValueError(f"a token of its own is expected for each symbol, but {both}")
        if self.longest < 0:
            raise ValueError(
                f"a place for every token is expected: there are {self.network.longest} positions, "
                f"the offset is {self.offset}, and the padding {self.padding}"
            )
        if self.network.longest is None and self.offset:
            raise ValueError(f"positions that are no table have no offset, not {self.offset}")

    @property
    def settled(self) -> Positive | Largest | Classes | NextTokens:
        """What decides, by numbers of the outputs that this network has."""
        outputs = self.network.output.weight.shape[1]

        def number(output: Any) -> int:
            return between(0, outputs - 1)(output, f"an output of a network of {outputs} outputs")

        match self.decides:
            case Positive(None) if outputs > 1:
                raise ValueError(
                    f"a network of {outputs} outputs is judged by one of them, as in Positive(0), "
                    "not by Positive()"
                )
            case Classes() if outputs == 1:
                raise ValueError("several outputs are expected for classes; one has Positive()")
            case Positive(output):
                return Positive(number(0 if output is None else output))
            case Largest():
                accepting, rejecting = self.decides.among(outputs)
                return Largest(tuple(map(number, accepting)), tuple(map(number, rejecting)))
            case NextTokens(end):
                return replace(self.decides, end=number(end))
        return self.decides

    @property
    def assumed(self) -> tuple[str, ...]:
        """How it was read, where no weight says it, and what its module said so far."""
        network, scale, row = self.network, self.network.attention_scale, f"from row {self.offset}"
        norms = {str(one) for layer in network.layers for one in layer.norms if one} or {"no norm"}
        widths = {len(layer.q.bias) // network.heads for layer in network.layers}
        firsts = [layer.first for layer in network.layers if layer.first is not None]
        units = {len(one.bias) for one in firsts if one.weight.any()}  # 0 is that of a memory
        sizes = [" or ".join(map(str, sorted(some))) or "none" for some in (widths, units)]
        table = "none" if network.positions is None else f"{row} of their table"
        said = (
            f"mask {'causal' if network.causal else 'none'}, width {network.width}, heads "
            f"{network.heads} of {sizes[0]}, hidden units {sizes[1]}, attention "
            f"logits {'over the root of their width' if scale is None else f'times {scale:.6g}'}"
            f"{' times log n' * network.log_n}, activation {network.activation}, attention before "
            f"hidden units, {'pre' if network.pre_norm else 'post'}-norm, "
            f"{' or '.join(sorted(norms))}, {network.last or 'no norm'} after the last layer, "
            f"positions {'by a function' if callable(network.positions) else table}, rotary base "
            f"{network.rotary or 'none'}{', turned in float64' * bool(network.rotary)}, slopes "
            f"{network.slopes or 'none'}, padding {self.padding or 'none'}, "
            f"{''.join(f'{one}, ' for one in network.unsaid)}"
            f"{f'{network.hidden[1]} before the output, ' if network.hidden else ''}no other "
            f"factor, no cap, before {self.before}, after {self.after}, read_at {self.read_at!r}"
            f"{' after the last norm' * (self.read_at == 'mean')}, tokens {self.tokens}, outputs "
            f"{len(network.output.bias)}, decided by {self.settled}"
        )
        beside = () if self.beside is None else (str(self.beside),)
        return *beside, f"assumed, because the weights do not say it: {said}"

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The symbols of the strings."""
        return tuple(self.tokens)

    @property
    def longest(self) -> float:
        """How many symbols of a string have a position, infinity for any number."""
        room = inf if self.network.longest is None else self.network.longest - self.offset
        filled = inf if self.padding is None else self.padding[1]
        return min(room, filled) - len(self.before) - len(self.after)

    @property
    def shortest(self) -> int:
        """The symbols of the shortest string that has a token where the output is read."""
        read = self.read_at + 1 if isinstance(self.read_at, int) else 1
        return max(0, read - len(self.before + self.after)) if self.padding is None else 0
