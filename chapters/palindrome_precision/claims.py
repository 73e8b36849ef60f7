"""What chapter 7 records of what the authors' runs gave, here and in their records, beside Nowak et
al. (2022), section 4.2.
"""

from collections.abc import Sequence

import numpy as np

from chapters.palindrome_precision.records import Comparison, first_epoch_gap, learned_records
from record.claims import Claims
from record.runs import Stored

FIGURES = (
    "Fig. 3 FIRST",
    "Fig. 3 ONE",
    "Fig. 4 left FIRST",
    "Fig. 4 right FIRST",
    "Fig. 5 ONE",
    "Fig. 7 PARITY",
    "Fig. 8 PALINDROME",
)


def figures(
    claims: Claims, run: Stored, groups: Sequence[Comparison], conditions: str = ""
) -> None:
    """A line for each figure: the mean accuracies of its groups, recorded and in this run."""
    for name in FIGURES:
        shown = [group for group in groups if group.figure == name]
        if shown:
            numbers = sorted({len(group.here) for group in shown})
            claims.settle(
                name,
                here=f"{np.mean([group.here.mean() for group in shown]):.3f}",
                agrees=all(group.largest_gap < 1e-5 and group.mean_agrees for group in shown),
                paper=f"{np.mean([group.recorded.mean() for group in shown]):.3f}",
                lengths=len(shown),
                epochs=shown[0].epoch,
                runs=" or ".join(map(str, numbers)),
                conditions=conditions,
                source=run.source,
            )


def variable_lengths(claims: Claims, run: Stored) -> None:
    """ONE at lengths 2 to 1000 after training on 2 to 10, 30, 100 and 300."""
    settings = {"language": "ONE", "runs": 20, "shortest": 2}
    [row] = [row for row in run.results if settings.items() <= row["configuration"].items()]
    ends = [np.mean(group["accuracy"][-1]) for group in row["result"]["groups"]]
    claims.settle(
        "ONE: variable lengths",
        here=", ".join(f"{x:.2f}" for x in ends),
        agrees=bool(ends[-1] > 0.99 > ends[0]),
        source=run.source,
    )


def errata(claims: Claims, groups: Sequence[Comparison]) -> None:
    """The errata of section 4.2 and its figures, each settled by runs that are as recorded."""
    for name, figure, printed in (
        ("epsilon", "4 left", {"eps": 0.1}),
        ("positions of ONE", "5", {"positions": "ONE"}),
    ):
        right, wrong = first_epoch_gap(figure), first_epoch_gap(figure, **printed)
        holds = right < 1e-5 < 1e-4 < wrong
        claims.correct(name, holds=holds, recorded=f"{right:.0e}", changed=f"{wrong:.0e}")
    gap = max(group.largest_gap for group in groups)
    claims.correct("unit of the loss", holds=gap < 1e-5)
    of_ten = (record for record in learned_records() if record["figure"] in ("3", "7", "8"))
    claims.correct("runs averaged", holds={len(record["first_nats"]) for record in of_ten} == {10})
