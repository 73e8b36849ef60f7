"""The transformers of chapter 6 beside the machine that they run, and what is run to see what they
need: transformers with a part taken away, attending to every set of tokens, or as printed, with the
misprints of both theorems' proofs; and in floating point, to which tape depth a float type holds a
machine's tape, and how many ones it adds 1 to.

Bhattamishra, Patel & Goyal (2020): section 4.2 and figure 2; proposition 4.3/C.1; theorems 4.1/C.2
and 4.2/D.1, lemmas C.4 and D.2.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count
from math import isfinite
from typing import NamedTuple

import torch
from flint import fmpq

from chapters.common.floats import FLOATS as DTYPES
from chapters.common.turing.architecture import (
    IDENTITY,
    Encoding,
    SaturatedFFN,
    Sublayer,
    Transformer,
    directional,
    index,
    one,
    reciprocal,
    vanilla,
)
from chapters.common.turing.compilation import configurations, stack_rnn
from chapters.common.turing.machines import INCREMENT, Configuration, Machine, Rule
from chapters.common.turing.recurrent import (
    RNN,
    Arithmetic,
    Number,
    Rows,
    Vector,
    coordinate,
    exact,
    substituted,
)
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import Head


def first_difference(states: Iterable[Vector], truth: Iterable[Vector]) -> int | None:
    """The first t at which hidden states, in any arithmetic, are not the exact ones of `truth` (or
    end before them); None if there is none.
    """
    running = iter(states)
    for t, right in enumerate(truth):
        state = next(running, [])[: len(right)]  # y may hold more than h
        if [*map(_rational, state)] != right:
            return t
    return None


def _rational(x: Number) -> fmpq | None:
    """A number of any arithmetic as the rational that it is; None for what is not finite."""
    if isinstance(x, fmpq):
        return x
    return fmpq(*float(x).as_integer_ratio()) if isfinite(x) else None


class Comparison(NamedTuple):
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


def idle(transformer: Transformer) -> list[str]:
    """The sublayers of its one layer on each side that do nothing: only their residual connections
    are left.
    """
    names = ("encoder attention", "encoder FFN")
    names += ("decoder-decoder attention", "decoder-encoder attention", "decoder FFN")
    [encoder], [decoder] = transformer.encoder, transformer.decoder
    sublayers = zip(names, (*encoder, *decoder), strict=True)
    return [name for name, sublayer in sublayers if sublayer == IDENTITY]


NEEDED, EITHER, NOT_NEEDED = "needed", "either of the two is enough", "not needed"
UNSAID = "–"  # figure 2 says that one network can do it, not that this one can


def components(rnn: RNN) -> dict[tuple[str, str, str], Transformer]:
    """The vanilla transformer of `rnn` without each of its components in turn, but the `idle`: by
    what is taken away, how the rest makes up for it, and what figure 2 says.
    """
    whole = vanilla(rnn)
    S, [(own, across, feed)], [(attend, fed)] = whole.space, whole.decoder, whole.encoder
    x1, x2 = S["x₁"], S["x₂"]
    # the score -|j - t| is largest at j = t
    itself = Head(q=(x1, x2), k=(-x2, x1), v={name: S[name] for name in S.names})
    itself = Sublayer(itself, residual=False)
    # as the identity on coordinates in [0, 1], where sigma(x) = x; with ReLU from 0 on
    hidden = [{f"+{name}": S[name] for name in S.names}]
    out = {name: coordinate(f"+{name}") for name in S.names}
    copy = Sublayer(SaturatedFFN(hidden, out), residual=False)
    relu = Sublayer(SaturatedFFN(hidden, out, is_clipped=False), residual=False)
    g = {name: coordinate(f"g {name}") for name in rnn.hidden.names}
    overwrite = Sublayer(replace(_ffn(feed), out=g), residual=False)

    def encoder(*sublayers: Sublayer, **changes) -> Transformer:
        return replace(whole, encoder=(sublayers,), **changes)

    def decoder(*sublayers: Sublayer, **changes) -> Transformer:
        return replace(whole, decoder=(sublayers,), **changes)

    around, same, ffn = "residual around {}".format, "attention to itself", "the FFN as identity: "
    other, nothing = "O writes h_(t+1), and F is not needed", "nothing"
    with_reciprocals = encoder(attend, copy, position={reciprocal: x1, one: x2})
    deaf = decoder(own, replace(across, residual=False), feed)
    return {
        (around("encoder attention"), same, EITHER): encoder(itself, fed),
        (around("encoder FFN"), f"{ffn}σ, pos(i) = i", UNSAID): encoder(attend, copy),
        (around("encoder FFN"), f"{ffn}ReLU, pos(i) = i", EITHER): encoder(attend, relu),
        (around("encoder FFN"), f"{ffn}σ, pos(i) = 1/i", EITHER): with_reciprocals,
        (around("decoder-decoder attention"), same, EITHER): decoder(itself, across, feed),
        ("decoder-encoder attention", nothing, NEEDED): decoder(own, IDENTITY, feed),
        (around("decoder-encoder attention"), nothing, NEEDED): deaf,
        ("decoder FFN", nothing, NEEDED): decoder(own, across, IDENTITY),
        (around("decoder FFN"), other, NOT_NEEDED): decoder(own, across, overwrite, F=None),
    }


def _ffn(sublayer: Sublayer) -> SaturatedFFN:
    """The feed-forward network of a sublayer that has one."""
    assert isinstance(sublayer.map, SaturatedFFN)
    return sublayer.map


def every_subset(n: int) -> Transformer:
    """A decoder for n tokens without the residual connection around its attention to the encoder,
    whose outputs 1 to 2^n - 1 are different: all that Proposition 4.3 leaves it.

    Keys and values are one-hot. The query for output t is 0 on the tokens at the binary digits 1 of
    t and 1 on the others: the first have the score 0, the others -1.
    """
    share, here, off = ([f"{name} {j}" for j in range(n)] for name in ("share", "here", "off"))
    S = Space(*share, *here, *off)
    position = {(lambda i, j=j: Fraction(i == j + 1)): S[f"here {j}"] for j in range(n)}
    # 1 less the digit j of i in binary, the lowest being digit 0
    position |= {(lambda i, j=j: Fraction(1 - (i >> j & 1))): S[f"off {j}"] for j in range(n)}
    one_hot = [S[name] for name in here]
    values = zip(share, one_hot, strict=True)
    across = Sublayer(Head(q=[S[name] for name in off], k=one_hot, v=values), residual=False)
    identity = [(IDENTITY, IDENTITY)]
    return Transformer(S, {"a": Form()}, position, identity, [(IDENTITY, across, IDENTITY)])


# ---- as printed


def printed_c4(rnn: RNN, position: Encoding = index) -> Transformer:
    """Theorem C.2 as printed, F the identity: Lemma C.4's O writes -σ(t + 1) and -σ(1)."""
    S = vanilla(rnn).space
    return replace(_lemma_c4(vanilla(rnn)), position={position: S["x₁"], one: S["x₂"]})


def relu_c4(rnn: RNN, rescaled: bool = True) -> Transformer:
    """Theorem C.2 as printed, F the identity, with ReLU in O: t + 1 passes, and sigma(x) is
    ReLU(x) - ReLU(x - 1). `rescaled` as for `vanilla`.
    """
    whole = vanilla(rnn, rescaled)
    [(own, across, feed)] = whole.decoder
    first, *others = _ffn(feed).hidden
    hidden = [dict(first), *map(_in_relu, others)]
    # two units of ReLU for each of sigma: one at x and one at x - 1
    hidden = [rows | {f"{name} - 1": x - 1 for name, x in rows.items()} for rows in hidden]
    relu = SaturatedFFN(hidden, _in_relu(_ffn(feed).out), is_clipped=False)
    return _lemma_c4(replace(whole, decoder=[(own, across, Sublayer(relu))]))


def _in_relu(rows: Rows) -> dict[str, Form]:
    """Forms over units of sigma as forms over units of ReLU: each is the difference of two."""

    def unit(name: str) -> Form:
        return coordinate(name) - coordinate(f"{name} - 1")

    return {name: substituted(form, unit) for name, form in rows.items()}


def _lemma_c4(whole: Transformer) -> Transformer:
    """The same with an O that hands the counter on to its last layer and takes it away there."""
    [(own, across, feed)] = whole.decoder
    counter = {f"+{name}": whole.space[name] for name in ("x₁", "x₂")}
    hidden = []
    for layer in _ffn(feed).hidden:
        hidden.append({**layer, **counter})
        counter = {name: coordinate(name) for name in counter}
    out = {**_ffn(feed).out, **{name[1:]: -form for name, form in counter.items()}}
    printed = Sublayer(replace(_ffn(feed), hidden=hidden, out=out))
    return replace(whole, decoder=[(own, across, printed)], F=None)


def printed_d2(rnn: RNN) -> list[Transformer]:
    """Theorem D.1 with each misprint of Lemma D.2: it reads ω_t in the block ⟦s₁⟧, and writes
    s_(0:t) for -s_(0:t) and δ_t - ω_t for δ_t.
    """
    whole = directional(rnn)
    (own, across, feed), second = whole.decoder
    [hidden], out = _ffn(feed).hidden, _ffn(feed).out
    third = [name for name in whole.space.names if name.endswith("⟧₃")]
    first = {name: f"{name[:-1]}₁" for name in third}
    found = []
    for units, writes in (
        ({f"+{name}": whole.space[first[name]] for name in third}, {}),
        ({}, {name: -out[name] for name in rnn.within_unit_inputs().inputs.names}),
        ({}, {first[name]: out[first[name]] - coordinate(f"+{name}") for name in third}),
    ):
        printed = Sublayer(SaturatedFFN([{**hidden, **units}], {**out, **writes}))
        found.append(replace(whole, decoder=[(own, across, printed), second]))
    return found


# ---- in floating point

FLOATS: dict[str, Arithmetic] = {
    name: lambda x, dtype=dtype: torch.tensor(float(x), dtype=dtype)
    for name, dtype in DTYPES.items()
}


def exact_depth(symbols: Sequence[str], number: Arithmetic) -> int:
    """The tape depth to which a run is exact: a machine writes the first of these symbols once, and
    then the last one for ever.
    """
    rules = Rule("A", "_", symbols[0], "R", "B"), Rule("B", "_", symbols[-1], "R", "B")
    rnn = stack_rnn(Machine(rules, "A", alphabet=symbols))
    first = first_difference(rnn.states("", number), rnn.states(""))
    assert first is not None  # a run without end
    return (first - 3) // 4


def longest_ones(number: Arithmetic, base: int | None = None) -> int:
    """The n up to which the increment machine is in the right state at every step on 1^n; the last
    digits of its stacks may be wrong.
    """
    rnn = stack_rnn(INCREMENT, base=base)
    units = [rnn.hidden.names.index(f"q={state}") for state in INCREMENT.states]

    def control(n: int, number: Arithmetic = exact) -> Iterator[Vector]:
        return ([h[unit] for unit in units] for h in rnn.states("1" * n, number))

    return next(
        n for n in count() if first_difference(control(n + 1, number), control(n + 1)) is not None
    )
