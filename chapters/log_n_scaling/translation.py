"""What chapter 4 records of translations with a factor on the attention logits, beside Chiang &
Cholak (2022), table 1.

Each function takes stored runs, settles lines of the chapter's criteria, and names the numbers of
the text. None of these lines settles a row.
"""

from dataclasses import replace
from itertools import product

import numpy as np

from chapters.translation.bleu import (
    CRITERIA,
    Comparison,
    compared,
    significant_seeds,
)
from chapters.translation.lesson import last_losses
from chapters.translation.model import MEAN, SCALES
from chapters.translation.wording import (
    behind,
    dev_losses,
    in_shares,
    of_split,
    sure_seeds,
    system,
    training_pairs,
    with_interval,
)
from record.claims import Claims
from record.notebook import glue
from record.runs import Stored

PRINTED = {one.split: one for one in CRITERIA if one.row == "C Table 1"}


def talks(claims: Claims, run: Stored, name: str) -> None:
    """Table 1 beside a run on talks, and the centred factor, of which it prints nothing. `name` is
    that of the line, and of the text's numbers: what a variant adds in a split, as a share of BLEU,
    to what, for how many seeds, and on how many pairs.
    """
    for split, variant in product(PRINTED, ("log n", MEAN)):
        found = compared(run.results, split, variant)
        claims.settle(
            name,
            here=_added(found),
            **(PRINTED[split].beside(found) if variant == "log n" else {"agrees": None}),
            variant=variant,
            split=split,
            seeds=len(found.p),
            pairs=training_pairs(run, split),
            system=system(run),
            source=run.source,
        )
        results = of_split(run, split)
        share = results[0]["pairs"]["train"] / run.results[0]["result"]["pairs"]["train"]
        sums = [result["systems"]["baseline"]["sums"] for result in results]
        words, reference_words = np.sum(sums, axis=0)[:2]
        key = f"log_{name}_{variant}_{split}".replace(" ", "_")
        glue(key, in_shares(found))
        glue(f"{key}_sure", _ups_and_downs(found))
        glue(f"{key}_verdict", claims.claims[-1].comparison)
        glue(f"{key}_without", f"{found.baseline.mean():.1f}")
        glue(f"{key}_ratio", f"{words / reference_words:.2f}")
        glue(f"{key}_pairs", training_pairs(run, split))
        glue(f"{key}_share", f"{100 * share:.0f}")


def slower(run: Stored, name: str) -> None:
    """Names, of all lengths, how many epochs log n took and the baseline, and how far log n is
    behind: means over seeds and their 95 % intervals.
    """
    for key, variant in (("scaled", "log n"), ("plain", "baseline")):
        took = [len(losses) for [losses] in dev_losses(run, variant)]
        glue(f"log_{name}_{key}_epochs", f"{min(took)} to {max(took)}")
    for when, differences in zip(("few", "stop"), behind(run), strict=True):
        glue(f"log_{name}_behind_{when}", with_interval(differences, 3))


def scales(claims: Claims, run: Stored) -> None:
    """What of log n does what it does, its growth or its size: from short to long sentences."""
    for factor in SCALES:
        found = compared(run.results, "short to long", factor)
        claims.settle(
            "scales",
            here=_added(found),
            agrees=None,
            variant=factor,
            seeds=len(found.p),
            source=run.source,
            pairs=training_pairs(run, "short to long"),
            system=system(run),
        )
    for name, loss in zip(("plain", "both", "grows", "large"), last_losses().values(), strict=True):
        glue(f"log_{name}_last_loss", f"{loss:.2f}")


def _added(found: Comparison) -> str:
    return f"{in_shares(found)}; p < 0.01 for {sure_seeds(found)}"


def _ups_and_downs(found: Comparison) -> str:
    """How many seeds gain, and how many lose, with p < 0.01."""
    up, down = (
        significant_seeds(replace(found, p=found.p[which]))  # of these seeds alone
        for which in (found.gain > 0, found.gain < 0)
    )
    return f"{up} up, {down} down of {len(found.p)}"
