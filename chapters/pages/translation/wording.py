"""How chapters 4 and 6 say how a stored run of translations was trained, and for how many seeds a
variant makes a difference.
"""

from record.experiments.translation.bleu import Comparison, significant_seeds
from record.runs import Stored

EARLY = 12  # epochs, after which it is asked who learns quickly


def of_split(run: Stored, split: str) -> list[dict]:
    """What the systems of a split gave, seed by seed."""
    return [row["result"] for row in run.results if row["configuration"]["split"] == split]


def dev_losses(run: Stored) -> list[tuple[list[float], list[float]]]:
    """The losses on the validation pairs with log n and without, on all lengths, by seed."""
    systems = [result["systems"] for result in of_split(run, "all")]
    return [(row["log n"]["dev_losses"], row["baseline"]["dev_losses"]) for row in systems]


def behind(run: Stored) -> tuple[list[float], list[float]]:
    """By how much the loss of log n on the validation pairs exceeds the baseline's, on all lengths,
    seed by seed: after `EARLY` epochs, and at the lowest loss of each.
    """
    curves = dev_losses(run)
    early = [scaled[EARLY - 1] - plain[EARLY - 1] for scaled, plain in curves]
    return early, [min(scaled) - min(plain) for scaled, plain in curves]


def training_pairs(run: Stored, split: str = "all") -> str:
    """On how many pairs the systems of a split were trained."""
    return f"{of_split(run, split)[0]['pairs']['train']:,}"


def system(run: Stored, norm: str = "") -> str:
    """What was trained, and for how long; `norm` takes the place of the run's own."""
    settings = run.results[0]["configuration"]
    layers = "1 layer" if settings["layers"] == 1 else f"{settings['layers']} layers"
    norm = norm or ("pre-norm" if settings["norm_first"] else "post-norm")
    at_most = "at most " if settings.get("patience") else ""
    return f"{layers} of width {settings['width']}, {norm}, {at_most}{settings['epochs']} epochs"


def sure_seeds(found: Comparison) -> str:
    """For how many seeds the difference has p < 0.01."""
    return f"{significant_seeds(found)} of {len(found.p)}"
