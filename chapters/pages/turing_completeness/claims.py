"""What chapter 6 records of its constructions, beside Bhattamishra, Patel & Goyal (2020).

Each function takes what the chapter has computed, decides by the criterion that it states, and adds
the lines to the chapter's claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from record.claims import PROVED, Claims
from lib.turing.architecture import Transformer
from lib.turing.compilation import configurations, stack_rnn
from lib.turing.machines import Machine
from chapters.pages.turing_completeness.variants import NEEDED, NOT_NEEDED, UNSAID, Comparison, idle


RECURRENT, VANILLA, DIRECTIONAL = "B Thm 3.1/B.1", "B Thm 4.1/C.2", "B Thm 4.2/D.1"
PARTS, RESIDUAL = "B Fig. 2, 4.2", "B Prop. 4.3/C.1"
LESS, DEPTH = "ours: neither residual nor FFN", "ours: float depth of the tape"
BLOCKS = ("encoder attention", "encoder FFN", "decoder-decoder attention")


def machines(claims: Claims, inputs: Sequence[tuple[Machine, str]], runs: Sequence[Comparison]):
    """The three networks beside the machines: hidden states and configurations, and their steps."""
    steps = sum(run.rnn_steps for run in runs)
    networks = (
        (RECURRENT, "RNN", "every configuration", "configurations", "Theorem B.1"),
        (VANILLA, "vanilla", "y = [h, ...]", "", "Theorem C.2"),
        (DIRECTIONAL, "directional", "y = [h, ...]", "", "Theorem D.1"),
    )
    for row, name, held, settles, printed in networks:
        right = sum(run.holds[name] for run in runs)
        claims.add(
            row,
            f"runs with {held} in the {name} network ({steps:,} RNN steps)",
            "all",
            f"{right} of {len(runs)}",
            right == len(runs),
            "tm-machines",
            settles=settles,
            printed=printed,
            criterion="equal in exact rationals at every step of the runs shown",
        )
    claims.add(
        RECURRENT,
        "RNN steps for T steps of the machine",
        "O(|w|) + 4T",
        "|w| + 3 + 4T, and 4 more where it stops without accepting",
        all(run.rnn_steps == _steps(*given, run) for given, run in zip(inputs, runs, strict=True)),
        "tm-machines",
        settles="steps",
        printed="App. B.1",
        criterion="linear in |w|, and 4 a step, on the runs shown",
    )


def _steps(machine: Machine, w: str, run: Comparison) -> int:
    """The RNN's steps: where no rule applies it takes a round of four to find that."""
    is_stuck = run.run[-1].state not in machine.accept
    return len(w) + 3 + 4 * (len(run.run) - 1 + is_stuck)


def one_step(claims: Claims, machine: Machine, w: str) -> None:
    """A g of four layers: a step of the RNN is a step of the machine."""
    rnn, run = stack_rnn(machine, one_step=True), list(machine.run(w))
    states = list(rnn.states(w))
    held = list(configurations(machine, rnn, w, states)) == run
    claims.add(
        RECURRENT,
        "RNN steps for T steps of the machine, g of four layers, if it accepts",
        None,
        "|w| + 2 + T",
        held and len(states) == len(w) + 2 + len(run),
        "tm-machines",
    )


def components(claims: Claims, whole: Transformer, lines: Iterable[Sequence[str]]) -> None:
    """Figure 2: `lines` hold a part, what replaces it, what the paper says, and what came of it."""
    claims.add(
        PARTS,
        "blocks that can go",
        ", ".join(BLOCKS),
        ", ".join(idle(whole)),
        idle(whole) == BLOCKS,
        "tm-components",
        settles="blocks",
        printed="Fig. 2, section 4.2",
        criterion="the transformer that simulates every RNN leaves them idle",
        truth=PROVED,
    )
    for part, instead, paper, result in lines:
        if paper != NEEDED:
            _replaced(claims, part, instead, paper, result == "right")


def _replaced(claims: Claims, part: str, instead: str, paper: str, is_right: bool) -> None:
    is_compared = paper != UNSAID
    claims.add(
        PARTS,
        f"without {part}; {instead}",
        paper if is_compared else None,
        "right" if is_right else "wrong",
        is_right == is_compared,
        "tm-components",
        settles={NOT_NEEDED: "last residual", UNSAID: ""}.get(paper, "residuals"),
        printed="Fig. 2, section 4.2" if is_compared else "",
        criterion="three machines are right at every step, on one input each",
        note="" if is_compared else "σ clips the position i; ReLU or 1/i does not",
    )


def deaf(claims: Claims, runs: Sequence[object]) -> None:
    """Without the attention to the encoder: its runs on several inputs, which must be one."""
    claims.add(
        PARTS,
        "decoder-encoder attention",
        NEEDED,
        f"without it {len(runs)} inputs have {'one run' if same(runs) else 'different runs'}",
        same(runs),
        "tm-components",
        settles="attention to the encoder",
        printed="Fig. 2, section 4.2",
        criterion="without it no output depends on the input",
        truth=PROVED,
    )


def same(things: Sequence[object]) -> bool:
    """Whether all are equal."""
    return all(thing == things[0] for thing in things)


def bound(claims: Claims, vectors: Mapping[int, int]) -> None:
    """Proposition 4.3's bound beside the different vectors of a decoder for each n."""
    claims.add(
        RESIDUAL,
        f"different a_t in 8 · 2ⁿ outputs, n = {', '.join(map(str, vectors))} tokens",
        "at most 2ⁿ - 1",
        ", ".join(map(str, vectors.values())),
        all(found <= 2**n - 1 for n, found in vectors.items()),
        "tm-residual",
        settles="bound",
        printed="Proposition 4.3",
        criterion="no more than the bound",
        truth=PROVED,
    )
    claims.add(
        LESS,
        "different a_t: the bound 2ⁿ - 1 is attained",
        None,
        ", ".join(map(str, vectors.values())),
        all(found == 2**n - 1 for n, found in vectors.items()),
        "tm-residual",
        truth=PROVED,
    )


def without(claims: Claims, model: Transformer, tried: int, wrong: int) -> None:
    """A decoder that lacks what is called needed: of `tried` strings it decides `wrong` wrongly."""
    claims.add(
        LESS,
        "with pos = any computable function, every input",
        None,
        f"{tried - wrong} of {tried} strings right",
        not wrong,
        "tm-wired",
        truth=PROVED,
    )
    for row, quantity, settles, is_absent in (
        (RESIDUAL, "a decoder without the residual connection", "languages", _no_residual(model)),
        (PARTS, "residual around decoder-encoder attention", "its residual", _no_residual(model)),
        (PARTS, "decoder FFN", "decoder FFN", _no_ffn(model)),
    ):
        claims.add(
            row,
            quantity,
            "not Turing-complete" if row == RESIDUAL else NEEDED,
            "for any machine one runs it on every input" if is_absent else "used",
            not is_absent,
            "tm-wired",
            settles=settles,
            printed="Proposition 4.3" if row == RESIDUAL else "Fig. 2, section 4.2",
            criterion="no network of the class recognises what some machine does",
            truth=PROVED,
            note="the argument counts vectors, and two of them can hold any computation",
        )


def long_inputs(claims: Claims, model: Transformer, steps: int, followed: bool) -> None:
    """A decoder with the positions i and 1: whether it `followed` the machine for `steps` steps."""
    claims.add(
        LESS,
        "with pos = (i, 1), inputs of 2N - 2 symbols or more alone",
        None,
        f"{steps} of {steps} steps right" if followed else "not every step right",
        followed and _no_residual(model) and _no_ffn(model),
        "tm-doubling",
        truth=PROVED,
        note="shorter inputs are not proved, nor run",
    )


def _no_residual(model: Transformer) -> bool:
    """Whether no layer has a residual connection around its attention to the encoder."""
    return not any(across.residual for _, across, _ in model.decoder)


def _no_ffn(model: Transformer) -> bool:
    """Whether no layer of the decoder has a feed-forward network."""
    return all(ffn.map is None for *_, ffn in model.decoder)


def increments(claims: Claims, last: Mapping[int, Mapping[str, int]], bits: Mapping[str, int]):
    """The longest 1^n that is incremented rightly in each float type of so many `bits`: with B = 8
    as deep as a tape of 3 bits a symbol is exact, with B = 6, which is no power of two, less.
    """
    exact = {name: (p + 1) // 3 for name, p in bits.items()}
    for base, holds in (
        (8, last[8] == exact),
        (6, all(last[6][name] < n for name, n in exact.items())),
    ):
        claims.add(
            DEPTH,
            f"increment of 1ⁿ, B = {base}: its states right up to n",
            None,
            ", ".join(f"{n} in {name}" for name, n in last[base].items()),
            holds,
            "tm-depth",
            note="⌊(p + 1) / 3⌋" if base == 8 else "less than with B = 8 in each",
        )
