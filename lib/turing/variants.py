"""The transformers of chapter 6 beside the machine that they run, and what is run to see what they
need: transformers with a part taken away, as printed, drawn at random, or counting.

Bhattamishra, Patel & Goyal (2020): section 4.2 and figure 2; proposition 4.3/C.1; lemmas C.4 and
D.2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from random import Random

from flint import fmpq

from lib.transformer.construction import Head
from lib.transformer.space import Form, Space
from lib.turing.machines import Configuration, Machine, configurations, stack_rnn
from lib.turing.recurrent import RNN, Vector, coordinate
from lib.turing.simulate import (
    FFN,
    IDENTITY,
    Sublayer,
    Transformer,
    directional,
    index,
    one,
    reciprocal,
    vanilla,
)


def first_difference(states: Iterable[Vector], truth: Iterable[Vector]) -> int | None:
    """The first t at which hidden states, in any arithmetic, are not the exact ones of `truth` (or
    end before them); None if there is none.
    """
    running = iter(states)
    for t, right in enumerate(truth):
        found = next(running, None)
        if found is None or any(
            _rational(x) != y for x, y in zip(found, right)
        ):  # y may hold more than h
            return t
    return None


def _rational(x: object) -> fmpq | None:
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
    rnn, run = stack_rnn(machine), list(machine.run(w))
    states = list(rnn.states(w))
    sizes, holds = (
        {"RNN": len(rnn.hidden)},
        {"RNN": list(configurations(machine, rnn, w, states)) == run},
    )
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


def components(rnn: RNN) -> list[Component]:
    """The vanilla transformer of `rnn` without each of its components in turn."""
    whole = vanilla(rnn)
    S, (own, across, feed), (encoder,) = whole.space, whole.decoder[0], whole.encoder
    h, x1, x2 = rnn.hidden.names, S["x₁"], S["x₂"]
    everything = {name: S[name] for name in S.names}
    itself = Sublayer(
        Head(q=[x1, x2], k=[-x2, x1], v=everything), residual=False
    )  # -|j - t| is largest at j = t
    copy = Sublayer(
        FFN(
            [{f"+{name}": form for name, form in everything.items()}],
            {name: coordinate(f"+{name}") for name in S.names},
        ),
        residual=False,
    )
    overwrite = Sublayer(
        replace(feed.map, out={name: coordinate(f"g {name}") for name in h}), residual=False
    )

    def decoder(*sublayers: Sublayer, **changes) -> Transformer:
        return replace(whole, decoder=(sublayers,), **changes)

    bounded = {reciprocal: x1, one: x2}
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


def printed_c4(rnn: RNN, position=index) -> Transformer:
    """Theorem C.2 with the O of Lemma C.4 as printed, which writes -σ(t + 1) and -σ(1), and with F
    the identity.
    """
    whole = vanilla(rnn)
    own, across, feed = whole.decoder[0]
    x = {f"+{name}": whole.space[name] for name in ("x₁", "x₂")}
    hidden = [
        layer + tuple(x.items() if not depth else ((name, coordinate(name)) for name in x))
        for depth, layer in enumerate(feed.map.hidden)
    ]
    printed = FFN(hidden, feed.map.out + tuple((name[1:], -coordinate(name)) for name in x))
    return replace(
        whole,
        decoder=((own, across, Sublayer(printed)),),
        F=None,
        position={position: whole.space["x₁"], one: whole.space["x₂"]},
    )


D2_MISPRINTS = ("ω_t read in the block ⟦s₁⟧", "+s_(0:t) for -s_(0:t)", "δ_t - ω_t for δ_t")


def printed_d2(rnn: RNN, misprint: str) -> Transformer:
    """Theorem D.1 with one of the misprints of Lemma D.2, those of D2_MISPRINTS."""
    whole = directional(rnn)
    (own, across, feed), second = whole.decoder
    hidden, out = (dict(rows) for rows in (feed.map.hidden[0], feed.map.out))
    for name in whole.space.names:
        if misprint == D2_MISPRINTS[0] and name.endswith("⟧₃"):
            hidden[f"+{name}"] = whole.space[name[:-1] + "₁"]
        elif misprint == D2_MISPRINTS[1] and name in rnn.within_unit_inputs().inputs:
            out[name] = -out[name]
        elif misprint == D2_MISPRINTS[2] and name.endswith("⟧₁"):
            out[name] = out[name] - coordinate(f"+{name[:-1]}₃")
    return replace(whole, decoder=((own, across, Sublayer(FFN([hidden], out))), second))


def random_decoder(seed: int, residual: bool, layers: int = 2, size: int = 4) -> Transformer:
    """A transformer with random rational weights over `size` coordinates and the position, for the
    tokens a, b and c.

    `residual`: whether the decoder has its residual connections around decoder-encoder attention. F
    drops the position, which makes the outputs without pos(t + 1) the first `size` coordinates.
    """
    draw = Random(seed)
    content = [f"y{number}" for number in range(size)]
    S = Space(*content, "x₁", "x₂")

    def form(names, constant: bool = False) -> Form:
        weights = [Fraction(draw.randint(-4, 4), 4) for _ in range(len(names) + 1)]
        return Form(tuple(zip(names, weights)), weights[-1] if constant else Fraction(0))

    def head() -> Head:
        return Head(
            q=[form(S.names) for _ in range(2)],
            k=[form(S.names) for _ in range(2)],
            v={name: form(S.names) for name in S.names},
        )

    def ffn() -> FFN:
        units = [f"u{number}" for number in range(size)]
        return FFN(
            [{unit: form(S.names, constant=True) for unit in units}],
            {name: form(units) for name in content},
        )

    return Transformer(
        S,
        {a: form(content) for a in "abc"},
        {index: S["x₁"], one: S["x₂"]},
        encoder=[(Sublayer(head()), Sublayer(ffn()))],
        decoder=[
            (Sublayer(head()), Sublayer(head(), residual), Sublayer(ffn())) for _ in range(layers)
        ],
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
