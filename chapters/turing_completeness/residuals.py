"""What chapter 6 records of trained systems without a residual connection, and of copies longer
than those trained on, beside Bhattamishra, Patel & Goyal (2020), section 5.

Each function takes a stored run, settles lines of the chapter's criteria, and names the numbers of
the text.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chapters.turing_completeness.runs import SEEN, TESTED_LENGTHS, TRAINED_LENGTHS
from record.claims import Claims
from record.notebook import glue
from record.runs import Stored, read_yaml

BEFORE = Path(__file__).with_name("criteria")  # what each run that copies or counts was asked

# Where the paper names the decoder-decoder residual connection, its code leaves out the one around
# the feed-forward network.
EVERY, IN_ITS_CODE = "every", "decoder feed-forward"
LENGTHS = [*TESTED_LENGTHS]
BEST = "best"  # BLEU, of the best epoch
UNSEEN, *BEYOND = LENGTHS  # sentences of the lengths trained on, and longer ones


def synthetic(claims: Claims, run: Stored) -> None:
    """Counting in tables 1 and 3 beside the stored run, by criteria that precede it."""
    asked = read_yaml(BEFORE / f"{run.name}.yaml")
    for left_out, printed in asked["paper"].items():
        bleu, different = (
            scores(run, "all", quantity, left_out=left_out) for quantity in (BEST, "different")
        )
        agrees = abs(np.mean(bleu) - printed) <= asked["within"]
        line = "counting: one number" if max(different) == 1 else "counting"
        of_it = {"paper": printed, "agrees": agrees, "within": asked["within"]}
        _settle_table_1(claims, line, run, left_out, bleu, **of_it)
        if left_out == "decoder-encoder":
            most = max(different)
            claims.settle("different numbers", here=most, agrees=most <= 1, source=run.source)


def _left_out_of(row: Mapping) -> str:
    """The residual connection that a row of a stored run is without, or `EVERY` for none."""
    return "".join(row["configuration"]["without"]) or EVERY


def _settle_table_1(
    claims: Claims,
    line: str,
    run: Stored,
    left_out: str,
    bleu: Sequence[float] | np.ndarray,
    **more,
) -> None:
    """Settles a line on the BLEU of each seed without a residual connection."""
    if left_out == IN_ITS_CODE:  # the table has no such row
        note = f"the authors' code takes out this one for - Dec-Dec Residual: {more['paper']}"
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


def copies(claims: Claims, run: Stored) -> None:
    """Table 1's copies and figure 3 beside a stored run, by criteria that precede it. Names the
    numbers of the text.
    """
    asked, key = read_yaml(BEFORE / "copies_of_beginnings.yaml"), "tm_begun"
    for left_out, printed in asked["paper"].items():
        bleu, seen, written = (
            scores(run, name, quantity, left_out=left_out)
            for name, quantity in ((UNSEEN, BEST), (SEEN, BEST), (UNSEEN, "written"))
        )
        _settle_table_1(
            claims,
            "copy",
            run,
            left_out,
            bleu,
            paper=printed,
            agrees=abs(np.mean(bleu) - printed) <= asked["within"],
            within=asked["within"],
            note=f"{seen.mean():.1f} on sentences trained on",
        )
        glue(f"{key}_{left_out}", f"{bleu.mean():.1f}")
        glue(f"{key}_{left_out}_seen", f"{seen.mean():.1f}")
        glue(f"{key}_{left_out}_written", f"{written.mean():.1f}")
    of_layers = {row["configuration"]["layers"] for row in run.results}
    for layers in of_layers:
        for name, about in ((UNSEEN, ""), (SEEN, "_seen")):
            of_masking = scores(run, name, positions="masking", layers=layers)
            glue(f"{key}_masking_{layers}{about}", f"{of_masking.mean():.1f}")
    masking = copied(run, positions="masking", layers=max(of_layers))  # the largest decides
    ahead = (masking - copied(run)).mean(1)[1:]
    claims.settle(
        "longer",
        here=", ".join(f"{gain:+.1f}" for gain in ahead),
        agrees=bool((ahead > 0).all()),
        words=", ".join(BEYOND),
        note=f"masking has {masking[0].mean():.1f} at the lengths trained on",
        source=run.source,
    )
    glue(f"{key}_ahead", _listed(ahead))
    longer = copied(run, "longer").sum(0)
    tested = run.results[0]["result"]["tests"]
    outputs, span = (
        sum(tested[name]["of"] for name in LENGTHS),
        f"{min(longer):,} to {max(longer):,}",
    )
    claims.settle(
        "12 words",
        here=span,
        agrees=max(longer) == 0,
        of=f"{outputs:,}",
        source=run.source,
    )
    glue(f"{key}_longer", span)
    glue(f"{key}_outputs", f"{outputs:,}")
    words = [scores(run, name, "sums")[:, 0] / tested[name]["of"] for name in LENGTHS[2:]]
    glue(f"{key}_words", f"{np.min(words):.0f} to {np.max(words):.0f}")
    middle = np.array([TESTED_LENGTHS[name] for name in BEYOND]).mean(1)
    glue(f"{key}_cut", _listed(100 * np.exp(1 - middle / TRAINED_LENGTHS[1])))
    glue(f"{key}_far", _listed(copied(run).mean(1)[1:]))


def _listed(gains: np.ndarray) -> str:
    """Gains in a sentence, one a length."""
    *others, last = (f"{gain:.0f}" for gain in gains)
    return f"{', '.join(others)} and {last}"


def scores(
    run: Stored,
    name: str,
    quantity: str = BEST,
    positions: str = "sinusoidal",
    layers: int = 1,
    left_out: str = EVERY,
) -> np.ndarray:
    """What each seed of the copies has on a set of tests, with these positions, so many layers a
    side and without a residual connection: a `quantity`, or BLEU, of the best epoch, as in the
    authors' code.
    """
    found = []
    for row in run.results:
        settings, test = row["configuration"], row["result"]["tests"][name]
        which = (settings["positions"], settings["layers"], _left_out_of(row))
        if which != (positions, layers, left_out):
            continue
        found += [*map(max, test["epochs"])] if quantity == BEST else test[quantity]
    return np.array(found)


def copied(run: Stored, quantity: str = BEST, **which: Any) -> np.ndarray:
    """`scores` by the words in a sentence: (lengths, seeds)."""
    return np.array([scores(run, name, quantity, **which) for name in LENGTHS])
