"""How *Translation* and its record say how a stored run was trained, and what a variant adds."""

from collections.abc import Sequence

import numpy as np

from chapters.translation.bleu import Comparison, interval
from record.runs import Stored

EARLY = 12  # epochs


def of_split(run: Stored, split: str) -> list[dict]:
    """What the systems of a split gave, seed by seed."""
    return [row["result"] for row in run.results if row["configuration"]["split"] == split]


def dev_losses(run: Stored, *variants: str) -> list[tuple[list[float], ...]]:
    """The losses of the variants on the validation pairs, on all lengths, by seed."""
    systems = [result["systems"] for result in of_split(run, "all")]
    return [tuple(one[variant]["dev_losses"] for variant in variants) for one in systems]


def behind(
    run: Stored, variant: str = "log n", other: str = "baseline"
) -> tuple[list[float], list[float]]:
    """By how much a variant's loss on the validation pairs exceeds another's, on all lengths, seed
    by seed: after `EARLY` epochs, and the lowest of each until the first of the two stops, as when
    a training stops is partly chance.
    """
    curves = dev_losses(run, variant, other)
    ends = [min(map(len, pair)) for pair in curves]
    pairs = zip(curves, ends, strict=True)
    early = [one[EARLY - 1] - two[EARLY - 1] for one, two in curves]
    return early, [min(one[:end]) - min(two[:end]) for (one, two), end in pairs]


def training_pairs(run: Stored, split: str = "all") -> str:
    """On how many pairs the systems of a split were trained."""
    return f"{of_split(run, split)[0]['pairs']['train']:,}"


def system(*runs: Stored, norm: str = "") -> str:
    """What was trained, and for how long; `norm` takes the place of the runs' own."""
    settings = runs[0].results[0]["configuration"]
    epochs = " and ".join(str(run.results[0]["configuration"]["epochs"]) for run in runs)
    layers = "1 layer" if settings["layers"] == 1 else f"{settings['layers']} layers"
    norm = norm or ("pre-norm" if settings["norm_first"] else "post-norm")
    at_most = "at most " if settings.get("patience") else ""
    return f"{layers} of width {settings['width']}, {norm}, {at_most}{epochs} epochs"


def in_shares(found: Comparison) -> str:
    """The mean over seeds of what a variant adds as a share of BLEU, and its 95 % interval."""
    return with_interval(100 * found.shares, 1).replace(" (", " % (")


def with_interval(differences: Sequence[float] | np.ndarray, places: int = 2) -> str:
    """The mean of differences, one a seed, and its 95 % interval."""
    low, high = interval([*differences])
    return f"{np.mean(differences):+.{places}f} ({low:+.{places}f} to {high:+.{places}f})"
