"""What chapter 6 records of its constructions, beside Bhattamishra, Patel & Goyal (2020).

Each function takes what the chapter has computed and settles lines of the chapter's criteria.
"""

from collections.abc import Iterable, Sequence

from chapters.common.turing.architecture import Transformer
from chapters.common.turing.machines import Machine
from chapters.turing_completeness.variants import EITHER, NOT_NEEDED, UNSAID, Comparison, idle
from record.claims import Claims

REPLACED = {  # the line of a part that something replaces, by what figure 2 says of the part
    EITHER: "components: either",
    NOT_NEEDED: "components: not needed",
    UNSAID: "components: unsaid",
}


def machines(claims: Claims, inputs: Sequence[tuple[Machine, str]], runs: Sequence[Comparison]):
    """The three networks beside the machines: hidden states and configurations, and their steps."""
    steps = f"{sum(run.rnn_steps for run in runs):,}"
    for network in ("RNN", "vanilla", "directional"):
        right = sum(run.holds[network] for run in runs)
        here, agrees = f"{right} of {len(runs)}", right == len(runs)
        claims.settle(f"runs: {network}", here=here, agrees=agrees, steps=steps)
        every = "all" if agrees else "not those shown"
        claims.settle(f"every input: {network}", here=every, agrees=agrees)
    # where no rule applies the RNN takes a round of four to find that
    expected = [
        len(w) + 3 + 4 * (len(run.run) - 1 + (run.run[-1].state not in machine.accept))
        for (machine, w), run in zip(inputs, runs, strict=True)
    ]
    here = "|w| + 3 + 4T, and 4 more where it stops without accepting"
    claims.settle("steps", here=here, agrees=expected == [run.rnn_steps for run in runs])


def components(claims: Claims, whole: Transformer, lines: Iterable[Sequence[str]]) -> None:
    """Figure 2: `lines` hold a part, what replaces it, what the paper says, and what came of it."""
    blocks = idle(whole)
    is_said = blocks == ["encoder attention", "encoder FFN", "decoder-decoder attention"]
    claims.settle("components: blocks", here=", ".join(blocks), agrees=is_said)
    for component, instead, paper, result in lines:
        if paper in REPLACED:
            is_right = result == "right"
            here, agrees = "right" if is_right else "wrong", is_right == (paper != UNSAID)
            part = {"component": component, "instead": instead}
            claims.settle(REPLACED[paper], here=here, agrees=agrees, **part)


def without(claims: Claims, model: Transformer, tried: int, wrong: int) -> None:
    """A decoder that lacks what is called needed, the residual connection around its attention to
    the encoder and the feed-forward network: it is wrong on `wrong` of `tried` strings.
    """
    claims.settle("wired", here=f"{tried - wrong} of {tried} strings right", agrees=not wrong)
    no_residual = not any(across.residual for _, across, _ in model.decoder)
    no_ffn = all(ffn.map is None for *_, ffn in model.decoder)
    for line, is_absent in (
        ("Proposition 4.3", no_residual),
        ("no residual", no_residual),
        ("no FFN", no_ffn),
    ):
        here = "each machine's language is recognized without it" if is_absent else "used"
        claims.settle(f"wired: {line}", here=here, agrees=not is_absent)
    is_right = no_residual and not wrong
    claims.correct("B Proposition 4.3", holds=is_right, tried=tried, right=tried - wrong)
    claims.correct("B Fig. 2, two parts marked as needed", holds=is_right and no_ffn)
