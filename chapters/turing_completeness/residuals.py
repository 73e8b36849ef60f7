"""The stored runs of trained systems without a residual connection, and of copies longer than those
trained on, beside table 1 of Bhattamishra, Patel & Goyal (2020).
"""

from pathlib import Path
from typing import Any

import numpy as np

from chapters.turing_completeness.runs import TESTED_LENGTHS
from record.claims import Claims
from record.runs import Stored, read_yaml

# Where the paper names the decoder-decoder residual connection, its code leaves out the one around
# the feed-forward network.
EVERY, IN_ITS_CODE = "every", "decoder feed-forward"
LENGTHS = [*TESTED_LENGTHS]
BEST = "best"  # BLEU, of the best epoch


def asked(run: Stored) -> dict[str, Any]:
    """What a run was asked before it was made: its criteria."""
    return read_yaml(Path(__file__).with_name("criteria") / f"{run.name}.yaml")


def settle_table_1(
    claims: Claims, line: str, run: Stored, tests: str, left_out: str, **more: Any
) -> None:
    """Settles a line on the BLEU of each seed without a residual connection."""
    criteria, bleu = asked(run), scores(run, tests, left_out=left_out)
    printed, within = criteria["paper"][left_out], criteria["within"]
    agrees = abs(np.mean(bleu) - printed) <= within
    more = {"paper": printed, "agrees": agrees, "within": within} | more
    if left_out == IN_ITS_CODE:  # the table has no such row
        note = f"the authors' code takes out this one for - Dec-Dec Residual: {printed}"
        more |= {"paper": None, "agrees": None, "note": note}
        more |= dict.fromkeys(("settles", "printed", "criterion"), "")
    claims.settle(
        line,
        here=f"{np.mean(bleu):.1f} ({min(bleu)} to {max(bleu)})",
        residuals=EVERY if left_out == EVERY else f"no {left_out}",
        seeds=len(bleu),
        source=run.source,
        **more,
    )


def scores(
    run: Stored, name: str, quantity: str = BEST, left_out: str = EVERY, **settings: Any
) -> np.ndarray:
    """What each seed of the small model with sinusoids, or with other `settings`, has on a set of
    tests: a `quantity`, or BLEU of the best epoch, as in the authors' code.
    """
    without = [] if left_out == EVERY else [left_out]
    asked = {"positions": "sinusoidal", "layers": 1, "without": without} | settings
    found = []
    for row in run.results:
        if asked.items() <= row["configuration"].items():
            test = row["result"]["tests"][name]
            found += map(max, test["epochs"]) if quantity == BEST else test[quantity]
    return np.array(found)


def copied(run: Stored, quantity: str = BEST, **settings: Any) -> np.ndarray:
    """`scores` by the words in a sentence: (lengths, seeds)."""
    return np.array([scores(run, name, quantity, **settings) for name in LENGTHS])
