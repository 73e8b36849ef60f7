"""What Nowak et al. (2022) recorded of their runs, and what the same runs give here, in numbers and
in a figure.

The records are the authors' own, from the repository that their file names as its source; nothing
in them was run by this book.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from chapters.common.learners.ensemble import Ensemble
from chapters.common.learners.network import Member
from chapters.common.palindrome_precision import GAINS
from chapters.palindrome_precision.lengths import exact_accuracy, published_accuracy
from chapters.palindrome_precision.runs import NETWORKS, SEEDS, SHARED_SEED, repeat
from record.claims import Claims
from record.notebook import COLOURS, REFERENCE, note
from record.runs import RESULTS, Stored, read_json, read_yaml

# Of each condition what the text says, what the code and the records, and what ours are.
SETTINGS: dict[str, list[str]] = read_yaml(Path(__file__).with_name("settings.yaml"))
RECORDS = read_json(RESULTS / "records" / "nowak2022.json")
# Figures 3, 4, 5, 7 and 8: a group of runs for each training length.
LEARNED: list[dict] = RECORDS["learned"]
# What tells a group of runs from every other one.
CONDITIONS = ("language", "scale", "length", "test_length", "shortest")
SHOWN = range(18, 83)  # the lengths that the figure of the limit shows


def exact_records() -> dict[int, float]:
    """Figure 2: the accuracy of the hand-made PALINDROME on 500 strings of each length."""
    exact = RECORDS["exact"]
    return dict(zip(exact["lengths"], exact["accuracy"], strict=True))


def agreeing(gain: float, most: float) -> int:
    """At how many lengths arithmetic without rounding gives the recorded accuracy of figure 2, for
    a base e^`gain` and acceptance at |s| <= `most`.
    """
    return sum(
        exact_accuracy(length, gain, most) == Fraction(str(accuracy))
        for length, accuracy in exact_records().items()
    )


def limit_figure() -> Figure:
    """The accuracies that Nowak et al. recorded (dots) beside exact arithmetic with their
    threshold: on the same strings (rings), and in the mean for two bases; and with the test s = 0.
    """
    published = exact_records()
    figure, axis = plt.subplots(figsize=(6.8, 3.9))
    for gain, said, colour, style in (
        ("e^(1/√6)", "exact, their base and threshold, in the mean", "PALINDROME", "-"),
        ("2", "exact, base 2 and their threshold, in the mean", "FIRST", ":"),
    ):
        accuracies = [published_accuracy(n - n % 2, GAINS[gain]) for n in SHOWN]
        look: dict = {"color": COLOURS[colour], "drawstyle": "steps-mid", "label": said}
        axis.plot(SHOWN, accuracies, style, **look)
    again = [float(exact_accuracy(n)) for n in SHOWN]
    rings = {"s": 55, "facecolor": "none", "edgecolor": COLOURS["ONE"], "zorder": 3}
    axis.scatter(SHOWN, again, label="exact, the same strings", **rings)
    recorded = [published[n] for n in SHOWN]
    axis.plot(SHOWN, recorded, "o", color="#333333", ms=3, label="the authors' record")
    axis.axhline(1, label="exact, accepts s = 0", **REFERENCE)
    note(axis, "37, which means 36 symbols", (37, 1), (8, 6), color=COLOURS["PALINDROME"])
    axis.set(xlabel="length asked for", ylabel="accuracy", ylim=(0.42, 1.08))
    figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    return figure


class Comparison(NamedTuple):
    """A group of runs after one epoch: accuracies on a hundred strings, recorded and here, (runs,),
    of the first of the recorded runs. `figure` names the language too; `largest_gap` is the largest
    difference of the mean losses of their first epochs, in nats.
    """

    figure: str
    length: int
    epoch: int
    largest_gap: float
    recorded: np.ndarray
    here: np.ndarray

    @property
    def same(self) -> int:
        """How many runs are right on just as many strings as is recorded."""
        return int(np.isclose(self.recorded, self.here, rtol=0, atol=1e-3).sum())

    @property
    def mean_agrees(self) -> bool:
        """Whether the means differ by at most two of the record's standard errors."""
        standard_error = self.recorded.std(ddof=1) / np.sqrt(len(self.recorded))
        gap = abs(self.recorded.mean() - self.here.mean())
        return bool(gap <= 2 * standard_error + 1e-9)


def compared(run: Stored, epoch: int = 100) -> list[Comparison]:
    """Each group of a stored run beside its record, where there is one and both know the epoch."""
    recorded = {tuple(record[name] for name in CONDITIONS): record for record in LEARNED}
    found = []
    for row in run.results:
        configuration, epochs = row["configuration"], row["result"]["epochs"]
        for group in row["result"]["groups"]:
            conditions = configuration | group
            conditions["test_length"] = configuration["test_length"] or group["length"]
            record = recorded.get(tuple(conditions[name] for name in CONDITIONS))
            if not record or epoch not in epochs or epoch not in record["epochs"]:
                continue
            figure = f"Fig. {record['figure']} {record['language']}"
            here = np.array(group["accuracy"][epochs.index(epoch)])
            accuracy = record["accuracy"][record["epochs"].index(epoch)][: len(here)]
            gaps = np.subtract(record["first_nats"][: len(here)], group["first_nats"])
            gap = float(np.abs(gaps).max())
            found += [Comparison(figure, record["length"], epoch, gap, np.array(accuracy), here)]
    return found


def first_epoch_gap(figure: str, language: str, **changed: Any) -> float:
    """How far the first epoch of a figure's first run here is from its record, in nats, when what
    the record says of it, or else the network, is changed so.
    """
    record = next(r for r in LEARNED if (r["figure"], r["language"]) == (figure, language))
    network = {name: value for name, value in changed.items() if name not in record}
    record = record | changed
    member = Member(SEEDS[0], record["length"], record["scale"], record["shortest"], SHARED_SEED)
    learner = Ensemble(replace(NETWORKS[language], **network), [member])
    trained, *_ = repeat(learner, language, 2, [1])
    return abs(float(trained[0, 0]) - record["first_nats"][0])


# ---- what the record says of them, beside section 4.2


def figures(
    claims: Claims, run: Stored, groups: Sequence[Comparison], conditions: str = ""
) -> None:
    """A line for each figure: the mean accuracies of its groups, recorded and in this run."""
    for name in sorted({group.figure for group in groups}):
        shown = [group for group in groups if group.figure == name]
        means = np.mean([(group.here.mean(), group.recorded.mean()) for group in shown], axis=0)
        here, paper = (f"{mean:.3f}" for mean in means)
        claims.settle(
            name,
            here=here,
            agrees=all(group.largest_gap < 1e-5 and group.mean_agrees for group in shown),
            paper=paper,
            lengths=len(shown),
            epochs=shown[0].epoch,
            runs=" or ".join(map(str, sorted({len(group.here) for group in shown}))),
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
    for name, *run, printed in (
        ("epsilon", "4 left", "FIRST", {"eps": 0.1}),
        ("positions of ONE", "5", "ONE", {"positions": "ONE"}),
        ("log n in Fig. 3", "3", "FIRST", {"scale": "plain"}),
        ("lengths in Fig. 3", "3", "ONE", {"shortest": None}),
        ("positions of PARITY", "7", "PARITY", {"positions": "PARITY"}),
    ):
        right, wrong = first_epoch_gap(*run), first_epoch_gap(*run, **printed)
        holds = right < 1e-5 < 1e-4 < wrong
        # What is apart by rounding alone differs from one processor to another.
        recorded = f"{'less' if right < 1e-5 else 'more'} than 1e-5"
        claims.correct(name, holds=holds, recorded=recorded, changed=f"{wrong:.0e}")
    gap = max(group.largest_gap for group in groups)
    claims.correct("unit of the loss", holds=gap < 1e-5)
    scaled = [group.largest_gap for group in groups if group.figure == "Fig. 4 right FIRST"]
    claims.correct("log n times the bias", holds=max(scaled) < 1e-5, gap=f"{max(scaled):.0e}")
    runs = {len(record["first_nats"]) for record in LEARNED if record["figure"] in ("3", "7", "8")}
    claims.correct("runs averaged", holds=runs == {10})
