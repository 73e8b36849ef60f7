"""What chapter 6 records of its constructions, beside Bhattamishra, Patel & Goyal (2020).

Each function takes what the chapter has computed and settles lines of the chapter's criteria.
"""

from collections.abc import Iterable, Mapping, Sequence

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
    steps = sum(run.rnn_steps for run in runs)
    for network in ("RNN", "vanilla", "directional"):
        right = sum(run.holds[network] for run in runs)
        here, agrees = f"{right} of {len(runs)}", right == len(runs)
        claims.settle(f"runs: {network}", here=here, agrees=agrees, steps=f"{steps:,}")
        every = "all" if agrees else "not those shown"
        claims.settle(f"every input: {network}", here=every, agrees=agrees)
    # where no rule applies the RNN takes a round of four to find that
    expected = [
        len(w) + 3 + 4 * (len(run.run) - 1 + (run.run[-1].state not in machine.accept))
        for (machine, w), run in zip(inputs, runs, strict=True)
    ]
    claims.settle(
        "steps",
        here="|w| + 3 + 4T, and 4 more where it stops without accepting",
        agrees=expected == [run.rnn_steps for run in runs],
    )


def components(claims: Claims, whole: Transformer, lines: Iterable[Sequence[str]]) -> None:
    """Figure 2: `lines` hold a part, what replaces it, what the paper says, and what came of it."""
    blocks = idle(whole)
    claims.settle(
        "components: blocks",
        here=", ".join(blocks),
        agrees=blocks == ("encoder attention", "encoder FFN", "decoder-decoder attention"),
    )
    for component, instead, paper, result in lines:
        if paper in REPLACED:
            claims.settle(
                REPLACED[paper],
                here="right" if result == "right" else "wrong",
                agrees=(result == "right") == (paper != UNSAID),
                component=component,
                instead=instead,
            )


def bound(claims: Claims, vectors: Mapping[int, int]) -> None:
    """Proposition 4.3's bound beside the different vectors of a decoder for each n."""
    here, tokens = (", ".join(map(str, numbers)) for numbers in (vectors.values(), vectors))
    most = [2**n - 1 for n in vectors]
    is_within = all(found <= bound for found, bound in zip(vectors.values(), most, strict=True))
    claims.settle("bound", here=here, agrees=is_within, tokens=tokens)
    claims.settle("bound: attained", here=here, agrees=[*vectors.values()] == most)


def without(claims: Claims, model: Transformer, tried: int, wrong: int) -> None:
    """A decoder that lacks what is called needed: it is wrong on `wrong` of `tried` strings."""
    claims.settle("wired", here=f"{tried - wrong} of {tried} strings right", agrees=not wrong)
    residual, ffn = lacks(model)
    for line, is_absent in (
        ("wired: Proposition 4.3", residual),
        ("wired: no residual", residual),
        ("wired: no FFN", ffn),
    ):
        here = "each machine's language is recognized without it" if is_absent else "used"
        claims.settle(line, here=here, agrees=not is_absent)
    is_right = residual and not wrong
    claims.correct("B Proposition 4.3", holds=is_right, tried=tried, right=tried - wrong)
    claims.correct("B Fig. 2, two parts marked as needed", holds=is_right and ffn)


def lacks(model: Transformer) -> tuple[bool, bool]:
    """Whether no layer has a residual connection around its attention to the encoder, and whether
    none of the decoder's has a feed-forward network.
    """
    has_residual = any(across.residual for _, across, _ in model.decoder)
    return not has_residual, all(ffn.map is None for *_, ffn in model.decoder)


def increments(claims: Claims, last: Mapping[int, Mapping[str, int]], bits: Mapping[str, int]):
    """The longest 1^n with every state right in each float type of so many `bits`: with B = 8
    as deep as a tape of 3 bits a symbol is exact, with B = 6, which is no power of two, less.
    """
    exact = {name: (p + 1) // 3 for name, p in bits.items()}
    is_less = all(last[6][name] < n for name, n in exact.items())
    for line, right, agrees in (
        ("increments: B = 8", last[8], last[8] == exact),
        ("increments: B = 6", last[6], is_less),
    ):
        here = ", ".join(f"{n} in {name}" for name, n in right.items())
        claims.settle(line, here=here, agrees=agrees)
