"""The transformers of chapter 6 beside the machine that they run, and what is run to see what they
need: transformers with a part taken away, as printed, drawn at random, or counting.

Bhattamishra, Patel & Goyal (2020): section 4.2 and figure 2; proposition 4.3/C.1; lemmas C.4 and
D.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from random import Random

from flint import fmpq

from lib.transformer.space import Form, Space
from lib.transformer.sublayers import Head
from lib.turing.architecture import (
    IDENTITY,
    Encoding,
    SaturatedFFN,
    Sublayer,
    Transformer,
    index,
    one,
    reciprocal,
)
from lib.turing.compilation import configurations, stack_rnn
from lib.turing.machines import Configuration, Machine
from lib.turing.recurrent import RNN, Number, Vector, coordinate, pairs
from lib.turing.simulate import directional, vanilla


def first_difference(states: Iterable[Vector], truth: Iterable[Vector]) -> int | None:
    """The first t at which hidden states, in any arithmetic, are not the exact ones of `truth` (or
    end before them); None if there is none.
    """
    running = iter(states)
    for t, right in enumerate(truth):
        state = next(running, None)
        if state is None:
            return t
        both = zip(state, right, strict=False)  # y may hold more than h
        if any(_rational(x) != y for x, y in both):
            return t
    return None


def _rational(x: Number) -> fmpq | None:
    """A number of any arithmetic as the rational that it is; None for what is not finite."""
    if isinstance(x, fmpq):
        return x
    x = float(x)
    return fmpq(*x.as_integer_ratio()) if abs(x) < float("inf") else None


def denominator_bits(x: Vector) -> int:
    """log2 of the longest denominator in an exact vector, rounded down: what its numbers cost in
    bits.
    """
    return max(int(value.q).bit_length() for value in x) - 1


@dataclass(frozen=True)
class Comparison:
    """A machine's `run` on `w`, and whether its RNN and both transformers went the same way to the
    end, in exact rationals.

    `holds` says of each whether it held what it should at every step: the RNN the machine's
    configurations, a transformer the RNN's hidden states. `sizes` are the numbers of coordinates
    and `rnn_steps` the steps that each took.
    """

    run: list[Configuration]
    rnn_steps: int
    sizes: dict[str, int]
    holds: dict[str, bool]


def compare(machine: Machine, w: str) -> Comparison:
    """Runs `machine`, which must halt on `w`, as a machine, as an RNN and in both transformers."""
    rnn = stack_rnn(machine)
    run = list(machine.run(w))
    states = list(rnn.states(w))
    sizes = {"RNN": len(rnn.hidden)}
    holds = {"RNN": list(configurations(machine, rnn, w, states)) == run}
    for build in (vanilla, directional):
        transformer = build(rnn)
        sizes[build.__name__] = len(transformer.space)
        holds[build.__name__] = [y[: len(rnn.hidden)] for y in transformer.outputs(w)] == states
    return Comparison(run, len(states) - 1, sizes, holds)


@dataclass(frozen=True)
class Component:
    """What is taken away of the vanilla transformer, how the rest makes up for it, what figure 2
    says, and the transformer that is left.
    """

    part: str
    instead: str
    paper: str
    transformer: Transformer


NEEDED, EITHER, NOT_NEEDED = "needed", "either of the two is enough", "not needed"


def _ffn(sublayer: Sublayer) -> SaturatedFFN:
    """The feed-forward network of a sublayer that has one."""
    if not isinstance(sublayer.map, SaturatedFFN):
        raise TypeError(f"a sublayer with a feed-forward network is expected, not {sublayer!r}")
    return sublayer.map


def _attention_to_itself(S: Space) -> Sublayer:
    """Attention as the identity: the score -|j - t| is largest at j = t."""
    x1, x2 = S["x₁"], S["x₂"]
    everything = pairs((name, S[name]) for name in S.names)
    return Sublayer(Head(q=(x1, x2), k=(-x2, x1), v=everything), residual=False)


def _ffn_as_identity(S: Space) -> Sublayer:
    """An FFN as the identity on coordinates in [0, 1], where sigma(x) = x."""
    hidden = {f"+{name}": S[name] for name in S.names}
    out = {name: coordinate(f"+{name}") for name in S.names}
    return Sublayer(SaturatedFFN([hidden], out), residual=False)


def components(rnn: RNN) -> list[Component]:
    """The vanilla transformer of `rnn` without each of its components in turn."""
    whole = vanilla(rnn)
    S, [(own, across, feed)], [encoder] = whole.space, whole.decoder, whole.encoder
    itself, copy = _attention_to_itself(S), _ffn_as_identity(S)
    g = {name: coordinate(f"g {name}") for name in rnn.hidden.names}
    overwrite = Sublayer(replace(_ffn(feed), out=g), residual=False)

    def decoder(*sublayers: Sublayer, **changes) -> Transformer:
        return replace(whole, decoder=(sublayers,), **changes)

    bounded = {reciprocal: S["x₁"], one: S["x₂"]}
    return [
        Component("encoder attention", "its residual", EITHER, whole),
        Component(
            "residual around encoder attention",
            "attention to itself",
            EITHER,
            replace(whole, encoder=((itself, encoder[1]),)),
        ),
        Component("encoder FFN", "its residual", EITHER, whole),
        Component(
            "residual around encoder FFN",
            "the FFN as identity, pos(i) = i",
            EITHER,
            replace(whole, encoder=((encoder[0], copy),)),
        ),
        Component(
            "residual around encoder FFN",
            "the FFN as identity, pos(i) = 1/i",
            EITHER,
            replace(whole, encoder=((encoder[0], copy),), position=bounded),
        ),
        Component("decoder-decoder attention", "its residual", EITHER, whole),
        Component(
            "residual around decoder-decoder attention",
            "attention to itself",
            EITHER,
            decoder(itself, across, feed),
        ),
        Component("decoder-encoder attention", "nothing", NEEDED, decoder(own, IDENTITY, feed)),
        Component(
            "residual around decoder-encoder attention",
            "nothing",
            NEEDED,
            decoder(own, replace(across, residual=False), feed),
        ),
        Component("decoder FFN", "nothing", NEEDED, decoder(own, across, IDENTITY)),
        Component(
            "residual around decoder FFN",
            "O writes h_(t+1), and F is not needed",
            NOT_NEEDED,
            decoder(own, across, overwrite, F=None),
        ),
    ]


def printed_c4(rnn: RNN, position: Encoding = index) -> Transformer:
    """Theorem C.2 with the O of Lemma C.4 as printed, which writes -σ(t + 1) and -σ(1), and with F
    the identity.
    """
    whole = vanilla(rnn)
    S, [(own, across, feed)] = whole.space, whole.decoder
    ffn = _ffn(feed)
    names = ("x₁", "x₂")
    first, *others = ffn.hidden
    hidden = [first + pairs((f"+{name}", S[name]) for name in names)]
    hidden += [layer + pairs((f"+{x}", coordinate(f"+{x}")) for x in names) for layer in others]
    printed = SaturatedFFN(hidden, ffn.out + pairs((x, -coordinate(f"+{x}")) for x in names))
    return replace(
        whole,
        decoder=[(own, across, Sublayer(printed))],
        F=None,
        position={position: S["x₁"], one: S["x₂"]},
    )


D2_MISPRINTS = ("ω_t read in the block ⟦s₁⟧", "+s_(0:t) for -s_(0:t)", "δ_t - ω_t for δ_t")


def printed_d2(rnn: RNN, misprint: str) -> Transformer:
    """Theorem D.1 with one of the misprints of Lemma D.2, those of D2_MISPRINTS."""
    whole = directional(rnn)
    (own, across, feed), second = whole.decoder
    ffn = _ffn(feed)
    hidden, out = dict(ffn.hidden[0]), dict(ffn.out)
    inputs = rnn.within_unit_inputs().inputs
    for name in whole.space.names:
        if misprint == D2_MISPRINTS[0] and name.endswith("⟧₃"):
            hidden[f"+{name}"] = whole.space[name[:-1] + "₁"]
        elif misprint == D2_MISPRINTS[1] and name in inputs:
            out[name] = -out[name]
        elif misprint == D2_MISPRINTS[2] and name.endswith("⟧₁"):
            out[name] = out[name] - coordinate(f"+{name[:-1]}₃")
    printed = Sublayer(SaturatedFFN([hidden], out))
    return replace(whole, decoder=[(own, across, printed), second])


def random_decoder(seed: int, residual: bool, layers: int = 2, size: int = 4) -> Transformer:
    """A transformer with random rational weights over `size` coordinates and the position, for the
    tokens a, b and c.

    `residual`: whether the decoder has its residual connections around decoder-encoder attention. F
    drops the position, which makes the outputs without pos(t + 1) the first `size` coordinates.
    """
    draw = Random(seed)
    content = [f"y{number}" for number in range(size)]
    units = [f"u{number}" for number in range(size)]
    S = Space(*content, "x₁", "x₂")

    def form(names: Sequence[str], constant: bool = False) -> Form:
        *weights, last = [Fraction(draw.randint(-4, 4), 4) for _ in range(len(names) + 1)]
        terms = tuple(zip(names, weights, strict=True))
        return Form(terms, last if constant else Fraction(0))

    def head() -> Sublayer:
        q = tuple(form(S.names) for _ in range(2))
        k = tuple(form(S.names) for _ in range(2))
        return Sublayer(Head(q=q, k=k, v=pairs((name, form(S.names)) for name in S.names)))

    def ffn() -> Sublayer:
        hidden = {unit: form(S.names, constant=True) for unit in units}
        return Sublayer(SaturatedFFN([hidden], {name: form(units) for name in content}))

    return Transformer(
        S,
        {a: form(content) for a in "abc"},
        {index: S["x₁"], one: S["x₂"]},
        encoder=[(head(), ffn())],
        decoder=[(head(), replace(head(), residual=residual), ffn()) for _ in range(layers)],
        F={name: S[name] for name in content},
    )


def bit_of(i: int) -> tuple[int, int]:
    """Where the counting decoder is after i outputs and its seed: at bit j, from 0, of number k,
    whose k bits follow those of k - 1.
    """
    k = (isqrt(8 * i - 7) + 1) // 2
    return k, i - 1 - k * (k - 1) // 2


def above(i: int) -> Fraction:
    """The position of the same bit of the number before; position 1, the seed, where that number
    has none.
    """
    k, j = bit_of(i)
    return Fraction(i - k + 2 if j < k - 1 else 1)


def lowest(i: int) -> Fraction:
    """1 at the lowest bit of each number, else 0."""
    return Fraction(bit_of(i)[1] == 0)
