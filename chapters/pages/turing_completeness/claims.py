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
        claims.settle("machines: runs", here=f"{right} of {len(runs)}",
                      agrees=right == len(runs), row=row, settles=settles, printed=printed,
                      held=held, which=name, steps=f"{steps:,}")
    claims.settle("machines: steps",
                  here="|w| + 3 + 4T, and 4 more where it stops without accepting",
                  agrees=all(run.rnn_steps == _steps(*given, run) for given, run in zip(inputs, runs, strict=True)))


def _steps(machine: Machine, w: str, run: Comparison) -> int:
    """The RNN's steps: where no rule applies it takes a round of four to find that."""
    is_stuck = run.run[-1].state not in machine.accept
    return len(w) + 3 + 4 * (len(run.run) - 1 + is_stuck)


def one_step(claims: Claims, machine: Machine, w: str) -> None:
    """A g of four layers: a step of the RNN is a step of the machine."""
    rnn, run = stack_rnn(machine, one_step=True), list(machine.run(w))
    states = list(rnn.states(w))
    held = list(configurations(machine, rnn, w, states)) == run
    claims.settle("machines: one step", here="|w| + 2 + T",
                  agrees=held and len(states) == len(w) + 2 + len(run))


def components(claims: Claims, whole: Transformer, lines: Iterable[Sequence[str]]) -> None:
    """Figure 2: `lines` hold a part, what replaces it, what the paper says, and what came of it."""
    claims.settle("components: blocks", here=", ".join(idle(whole)), agrees=idle(whole) == BLOCKS,
                  paper=", ".join(BLOCKS))
    for part, instead, paper, result in lines:
        if paper != NEEDED:
            _replaced(claims, part, instead, paper, result == "right")


def _replaced(claims: Claims, part: str, instead: str, paper: str, is_right: bool) -> None:
    is_compared = paper != UNSAID
    claims.settle("components", here="right" if is_right else "wrong",
                  agrees=is_right == is_compared, paper=paper if is_compared else None,
                  settles={NOT_NEEDED: "last residual", UNSAID: ""}.get(paper, "residuals"),
                  printed="Fig. 2, section 4.2" if is_compared else "",
                  note="" if is_compared else "σ clips the position i; ReLU or 1/i does not",
                  piece=part, instead=instead)


def deaf(claims: Claims, runs: Sequence[object]) -> None:
    """Without the attention to the encoder: its runs on several inputs, which must be one."""
    claims.settle("components: attention to the encoder",
                  here=f"without it {len(runs)} inputs have {'one run' if same(runs) else 'different runs'}",
                  agrees=same(runs), paper=NEEDED)


def same(things: Sequence[object]) -> bool:
    """Whether all are equal."""
    return all(thing == things[0] for thing in things)


def bound(claims: Claims, vectors: Mapping[int, int]) -> None:
    """Proposition 4.3's bound beside the different vectors of a decoder for each n."""
    claims.settle("residual: bound", here=", ".join(map(str, vectors.values())),
                  agrees=all(found <= 2**n - 1 for n, found in vectors.items()),
                  quantity=f"different a_t in 8 · 2ⁿ outputs, n = {', '.join(map(str, vectors))} tokens")
    claims.settle("residual", here=", ".join(map(str, vectors.values())),
                  agrees=all(found == 2**n - 1 for n, found in vectors.items()))


def without(claims: Claims, model: Transformer, tried: int, wrong: int) -> None:
    """A decoder that lacks what is called needed: of `tried` strings it decides `wrong` wrongly."""
    claims.settle("wired", here=f"{tried - wrong} of {tried} strings right", agrees=not wrong)
    for row, quantity, settles, is_absent in (
        (RESIDUAL, "a decoder without the residual connection", "languages", _no_residual(model)),
        (PARTS, "residual around decoder-encoder attention", "its residual", _no_residual(model)),
        (PARTS, "decoder FFN", "decoder FFN", _no_ffn(model)),
    ):
        claims.settle("wired: without",
                      here="for any machine one runs it on every input" if is_absent else "used",
                      agrees=not is_absent, row=row, quantity=quantity,
                      paper="not Turing-complete" if row == RESIDUAL else NEEDED, settles=settles,
                      printed="Proposition 4.3" if row == RESIDUAL else "Fig. 2, section 4.2")


def long_inputs(claims: Claims, model: Transformer, steps: int, followed: bool) -> None:
    """A decoder with the positions i and 1: whether it `followed` the machine for `steps` steps."""
    claims.settle("doubling",
                  here=f"{steps} of {steps} steps right" if followed else "not every step right",
                  agrees=followed and _no_residual(model) and _no_ffn(model))


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
        claims.settle("depth: increments",
                      here=", ".join(f"{n} in {name}" for name, n in last[base].items()),
                      agrees=holds,
                      note="⌊(p + 1) / 3⌋" if base == 8 else "less than with B = 8 in each",
                      base=base)
