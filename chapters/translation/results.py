"""What stored runs of translations say of log n and of residual connections: as *Translation* tells
it, and as its record settles it beside Chiang & Cholak (2022), table 1, and Bhattamishra, Patel &
Goyal (2020), table 2.
"""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from IPython.display import Markdown

from chapters.translation.bleu import Comparison, Criterion, interval
from record.claims import Claims
from record.notebook import markdown_table
from record.runs import Stored

CORPUS = 133_317  # pairs of IWSLT'15, English to Vietnamese: as we infer, the papers'
EARLY = 12  # epochs
LEFT_OUT = {
    "no decoder-encoder residual": "source connection",
    "no decoder-decoder residual": "self connection",
}


def of_split(run: Stored, split: str) -> list[dict]:
    """What the systems of a split gave, seed by seed."""
    return [row["result"] for row in run.results if row["configuration"]["split"] == split]


def by_variant(run: Stored, split: str, quantity: str) -> dict[str, list]:
    """A quantity of each variant's systems, seed by seed."""
    systems = [result["systems"] for result in of_split(run, split)]
    return {variant: [one[variant][quantity] for one in systems] for variant in systems[0]}


def compared(run: Stored, split: str, variant: str) -> Comparison:
    """What a stored run says of a variant in a split that it holds."""
    bleu, p = by_variant(run, split, "bleu"), by_variant(run, split, "p")
    return Comparison(*map(np.array, (bleu["baseline"], bleu[variant], p[variant])))


def in_shares(found: Comparison) -> str:
    """The mean over seeds of what a variant adds as a share of BLEU, and its 95 % interval."""
    return with_interval(100 * found.shares, 1).replace(" (", " % (")


def with_interval(differences: Sequence[float] | np.ndarray, places: int = 2) -> str:
    """The mean of differences, one a seed, and its 95 % interval."""
    low, high = interval(differences)
    return f"{np.mean(differences):+.{places}f} ({low:+.{places}f} to {high:+.{places}f})"


def behind(
    run: Stored, variant: str = "log n", other: str = "baseline"
) -> tuple[list[float], list[float]]:
    """By how much a variant's loss on the validation pairs exceeds another's, on all lengths, seed
    by seed: after `EARLY` epochs, and the lowest of each until the first of the two stops, as when
    a training stops is partly chance.
    """
    curves = by_variant(run, "all", "dev_losses")
    pairs = [*zip(curves[variant], curves[other])]
    early = [one[EARLY - 1] - two[EARLY - 1] for one, two in pairs]
    return early, [min(one[: len(two)]) - min(two[: len(one)]) for one, two in pairs]


def behind_table(runs: Mapping[str, Stored], *variants: str) -> Markdown:
    """By how much variants raise the loss on the validation pairs, on all lengths, and how many
    epochs they and the baseline took.
    """
    head = ("rise of the held-out loss", "after 12 epochs", "lowest until the first stop")
    body = []
    for (name, run), variant in product(runs.items(), variants):
        line = f"{name}: no {LEFT_OUT[variant]}" if variant in LEFT_OUT else f"{name}: {variant}"
        rises = (with_interval(gaps, 3) for gaps in behind(run, variant))
        curves = by_variant(run, "all", "dev_losses")
        took = ([*map(len, curves[one])] for one in (variant, "baseline"))
        body.append((line, *rises, *(f"{min(epochs)} to {max(epochs)}" for epochs in took)))
    return markdown_table((*head, "epochs", "epochs of the complete system"), body)


def settle(
    claims: Claims, name: str, run: Stored, split: str, variant: str, asked: Criterion | None = None
) -> None:
    """Settles the line `name`: what a variant adds to BLEU, beside the paper where it is `asked` to
    agree with one. None of these lines settles a row.
    """
    found, settings = compared(run, split, variant), run.results[0]["configuration"]
    norm = "pre-norm" if settings["norm_first"] else "post-norm"
    at_most = "at most " if settings.get("patience") else ""
    claims.settle(
        name,
        here=f"{in_shares(found)}; p < 0.01: {found.ups_and_downs}",
        **(asked.beside(found) if asked else {"agrees": None}),
        variant=variant,
        base=f"{found.baseline.mean():.1f}",
        split=split,
        seeds=len(found.p),
        pairs=f"{of_split(run, split)[0]['pairs']['train']:,}",
        system=f"{settings['layers']} layer of width {settings['width']}, {norm}, "
        f"{at_most}{settings['epochs']} epochs",
        source=run.source,
    )
