"""What the record of *Translation* settles: a factor on the attention logits beside Chiang & Cholak
(2022), table 1, and residual connections beside Bhattamishra, Patel & Goyal (2020), table 2.

Each function takes stored runs, and settles lines or makes a table. None of these lines settles a
row.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

from IPython.display import Markdown

from chapters.translation.bleu import CRITERIA, Comparison, compared, significant_seeds
from chapters.translation.model import MEAN, SCALES
from chapters.translation.wording import (
    behind,
    dev_losses,
    in_shares,
    system,
    training_pairs,
    with_interval,
)
from record.claims import Claims
from record.notebook import markdown_table
from record.runs import Stored

PRINTED = {(one.row, one.place, one.split, one.variant): one for one in CRITERIA}
RESIDUALS = ("no decoder-encoder residual", "no decoder-decoder residual")
NAMES: dict[str, str] = dict(zip(RESIDUALS, ("no source connection", "no self connection")))


def factors(claims: Claims, run: Stored, name: str) -> None:
    """Settles the line `name` of a run on talks: what log n adds beside Table 1, and what the
    centred factor adds, of which it prints nothing.
    """
    for split, variant in product(("all", "short to long"), ("log n", MEAN)):
        printed = PRINTED.get(("C Table 1", "Table 1", split, variant))
        _settle(claims, run, name, split, variant, printed)


def scales(claims: Claims, run: Stored) -> None:
    """What of log n does what it does, its growth or its size: from short to long sentences."""
    for factor in SCALES:
        _settle(claims, run, "scales", "short to long", factor)


def residuals(claims: Claims, run: Stored, pair: str) -> None:
    """Table 2's losses beside a run on talks: on a part of the paper's own English to Vietnamese,
    or on a `pair` that the paper has not, which is held to none.
    """
    for variant in RESIDUALS:
        printed = PRINTED.get(("B Table 2", f"Table 2, {pair}", "all", variant))
        _settle(claims, run, f"residuals: {pair}", "all", variant, printed)


def _settle(claims: Claims, run: Stored, name: str, split: str, variant: str, printed=None) -> None:
    found = compared(run.results, split, variant)
    claims.settle(
        name,
        here=f"{in_shares(found)}; p < 0.01: {_ups_and_downs(found)}",
        **(printed.beside(found) if printed else {"agrees": None}),
        variant=variant,
        base=f"{found.baseline.mean():.1f}",
        split=split,
        seeds=len(found.p),
        pairs=training_pairs(run, split),
        system=system(run),
        source=run.source,
    )


def _ups_and_downs(found: Comparison) -> str:
    """How many seeds gain, and how many lose, with p < 0.01."""
    up, down = (
        significant_seeds(replace(found, p=found.p[which]))  # of these seeds alone
        for which in (found.gain > 0, found.gain < 0)
    )
    return f"{up} up, {down} down of {len(found.p)}"


def behind_table(runs: Mapping[str, Stored], *variants: str) -> Markdown:
    """By how much variants raise the loss on the validation pairs, on all lengths, and how many
    epochs they and the baseline took.
    """
    head = ("rise of the held-out loss", "after 12 epochs", "lowest until the first stop")
    body = []
    for (name, run), variant in product(runs.items(), variants):
        early, stop = (with_interval(gaps, 3) for gaps in behind(run, variant))
        took = (_epochs(run, one) for one in (variant, "baseline"))
        body.append((f"{name}: {NAMES.get(variant, variant)}", early, stop, *took))
    return markdown_table((*head, "epochs", "of the complete system"), body)


def _epochs(run: Stored, variant: str) -> str:
    took = [len(losses) for [losses] in dev_losses(run, variant)]
    return f"{min(took)} to {max(took)}"


def order(run: Stored) -> tuple[str, str]:
    """In how many seeds more BLEU is lost without the decoder-encoder connection than without the
    decoder-decoder one, and the mean difference with its 95 % interval.
    """
    encoder, decoder = (compared(run.results, "all", variant).gain for variant in RESIDUALS)
    return f"{(encoder < decoder).sum()} of {len(encoder)}", with_interval(encoder - decoder)
