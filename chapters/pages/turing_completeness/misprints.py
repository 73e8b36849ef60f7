"""Misprints of Bhattamishra, Patel & Goyal (2020) in the proofs of their two theorems, each with
the run that shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from lib.checks import takes
from lib.transformer.space import Space
from lib.transformer.sublayers import Head
from lib.turing.architecture import HardAttention, Run, Transformer
from lib.turing.recurrent import BEGIN, END, RNN, coordinate, exact
from lib.turing.architecture import directional, vanilla
from chapters.pages.turing_completeness.variants import (
    D2_MISPRINTS,
    first_difference,
    printed_c4,
    printed_d2,
    relu_c4,
)


@dataclass(frozen=True)
class Misprint:
    """What is printed at a place of the paper, what is right, whether a run shows it, and how."""

    place: str
    printed: str
    correct: str
    holds: bool
    checked: str


@takes(rnn=RNN)
def vanilla_misprints(rnn: RNN, w: str) -> Iterator[Misprint]:
    """Those of Theorem 4.1/C.2, on an RNN that halts on `w`, whose symbols 2 and 3 differ."""
    model, truth = vanilla(rnn), list(rnn.states(w))
    counter = [int(y[-2]) for y in islice(printed_c4(rnn).outputs(w), 5)]
    repaired = list(relu_c4(rnn).outputs(w)) == list(model.outputs(w))
    yield Misprint(
        "B Lemma C.4",
        r"$O$, with $\sigma$, outputs $-(t+1)$",
        r"ReLU for $\sigma$ (§3.2), or an $F$ that drops the counter",
        counter == [1, 2, 4, 7, 11]
        and first_difference(printed_c4(rnn).outputs(w), truth) == 3
        and repaired,
        "As printed the counter runs 1, 2, 4, 7, 11, and h₃ is wrong; with ReLU, and F the "
        "identity, every y is [h, 0; 0, t + 1, 1].",
    )
    unread = first_difference(Run(model, exact).outputs([*w, END]), truth)
    yield Misprint(
        "B C.2, eq. (9)",
        r"$\tilde y_t + \mathrm{pos}(t)$, with # at 0",
        r"$\tilde y_t + \mathrm{pos}(t+1)$, with # at 1",
        unread == 1 and next(model.outputs(w))[-2:] == [1, 1],
        "y₀ = [.., 1, 1] is pos(1); with # at 0 it is not read, and h₁ is wrong.",
    )
    yield _wrong_blocks(rnn)
    yield _wrong_sign(rnn, w)
    yield _wrong_key(rnn, w)
    yield _wrong_range("C.4", relu_c4)


def _wrong_blocks(rnn: RNN) -> Misprint:
    d, d_h, d_b = len(vanilla(rnn).space), len(rnn.hidden), len(rnn.inputs)
    return Misprint(
        "B 4.1, sketch",
        "$k_i = [0_{d_b}, 0_{d_b}, 0_{d_b}, -1, i]$",
        "$[0_{d_h}, 0_{d_b}, 0_{d_h}, -1, i]$; $v_i$ and $y_t$ likewise",
        d == 2 * d_h + d_b + 2 != 3 * d_b + 2,
        f"d is {d} for this RNN; the printed blocks have {3 * d_b + 2} entries.",
    )


def _read(rnn: RNN) -> Head:
    """The attention to the encoder in Theorem C.2."""
    [(_, across, _)] = vanilla(rnn).decoder
    if not isinstance(across.map, Head):
        raise TypeError(f"a head is expected, not {across.map!r}")
    return across.map


def _wrong_sign(rnn: RNN, w: str) -> Misprint:
    model, tokens = vanilla(rnn), [BEGIN, *w, END]
    attention = HardAttention(_read(rnn), model.space.names, exact, dot_product=False)
    for z in Run(model, exact).encode(tokens):
        attention.see(z)
    t, n = len(tokens) + 2, len(tokens)
    *_, y = islice(model.outputs(w), t + 1)
    return Misprint(
        "B Lemma C.5",
        "the maximum $t + 1 - n$",
        "$-(t + 1 - n)$",
        max(attention.scores(y, n)) == -(t + 1 - n),
        f"At t = {t}, n = {n} the largest score is -{t + 1 - n}.",
    )


def _wrong_key(rnn: RNN, w: str) -> Misprint:
    model = vanilla(rnn)
    [(own, across, feed)], read = model.decoder, _read(rnn)
    other = replace(across, map=replace(read, k=tuple(-k for k in read.k)))
    also = replace(model, decoder=[(own, other, feed)])
    return Misprint(
        "B C.3, $W_k$",
        "gives the key $(1, -i)$",
        "$(-1, i)$; harmless",
        list(also.outputs(w)) == list(model.outputs(w)),
        "Both keys give the same outputs: the score is an absolute value.",
    )


def _below_0() -> RNN:
    """An RNN of one unit whose f_b(1) is -1."""
    x = coordinate("x")
    return RNN(Space("x"), {"1": -x}, [{"h": (coordinate("h") + x) / 4 + Fraction(1, 2)}])


def _wrong_range(lemma: str, build: Callable[..., Transformer]) -> Misprint:
    rnn = _below_0()
    truth = list(islice(rnn.states("11"), 12))
    wrong = first_difference(build(rnn, rescaled=False).outputs("11"), truth)
    return Misprint(
        f"B Lemma {lemma}, $f_b$",
        r"$f_b$ into $\mathbb{Q}^{d_b}$",
        "into $[0, 1]^{d_b}$, where $O$ can take $f_b$ away; rescaled, $W_x$ undoing it",
        wrong is not None and first_difference(build(rnn).outputs("11"), truth) is None,
        f"With f_b(1) = -1, on 11: wrong from h at t = {wrong} on; rescaled, right.",
    )


def directional_misprints(rnn: RNN, w: str) -> Iterator[Misprint]:
    """Those of Theorem 4.2/D.1, on an RNN that halts on `w`."""
    model, truth = directional(rnn), list(rnn.states(w))
    yield Misprint(
        "B Theorem D.1",
        "vanilla Transformers",
        "directional Transformers",
        model.masked and not model.position,
        "What the proof builds is masked and has no position encoding.",
    )
    ends = [first_difference(printed_d2(rnn, slip).outputs(w), truth) for slip in D2_MISPRINTS]
    yield Misprint(
        "B Lemma D.2",
        r"$\omega_t$ in the first block; $+s_{0:t}$; $\delta_t - \omega_t$",
        r"$\omega_t$ in the block of its value, $-s_{0:t}$, $\delta_t$",
        first_difference(model.outputs(w), truth) is None and None not in ends,
        f"Each alone: first wrong h at t = {', '.join(map(str, ends))}.",
    )
    yield Misprint(
        "B D.1, $h_{-1} = h_0 = 0$",
        "reading # leaves $h = 0$",
        "only if $g(b) = 0$; the RNN reads # like any symbol",
        any(truth[1]),
        "This RNN's state after # is not 0: # starts the loading.",
    )
    yield _wrong_range("D.2", directional)
    yield from _shares(rnn)


def _shares(rnn: RNN) -> Iterator[Misprint]:
    a, m = rnn.alphabet[0], len(rnn.alphabet) + 2
    shares = [y[-m:] for y in islice(directional(rnn).outputs(a + a), 4)]  # ω_(t-1) in y_t
    half = exact(Fraction(1, 2))
    yield Misprint(
        r"B D.1, $\omega_t$",
        r"$\frac{1}{t+1} \sum_j ⟦s_t⟧$",
        r"$\frac{1}{t+1} \sum_j ⟦s_j⟧$",
        shares[2] == [half, half] + [0] * (m - 2),
        f"After #{a} the shares of # and {a} are 1/2; the printed sum is 0 and 1.",
    )
    yield Misprint(
        r"B D.1, $\omega_{t,0}$",
        r"$\omega_{t,0} = 1/(t+1)$",
        r"$\omega_{t,1}$: coordinates are counted from 1, and # is the first",
        [t * share[0] for t, share in enumerate(shares)] == [0, 1, 1, 1],
        f"The first of the {m} shares is 1/(t + 1), and none stands before it.",
    )
    tokens = rnn.tokens(a + a)
    weights = Fraction(tokens[:2].count(a), tokens[:-1].count(a))  # t = 1, n = 3
    yield Misprint(
        r"B D.1, $\lambda_t$",
        r"$\sum_{j=0}^{n-1} I(s_j = s_t)$",
        r"$\sum_{j=0}^{\bar t}$, weights from $j = 0$",
        weights == Fraction(1, 2),
        f"On {a}{a} at t = 1 the printed weights sum to 1/2: the second {a} is masked.",
    )
