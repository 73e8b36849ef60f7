"""What stored runs of learners say in chapters 4, 7 and 9, picked out by their configuration."""

import numpy as np

from chapters.common.learners.strings import TASKS, Task
from record.runs import Stored

STEPS = 100  # of Adam in an epoch of a stored run


def chance(language: str, length: int = 1000) -> float:
    """The accuracy of the better constant answer on the strings that learners of the language get:
    1/2, but for ONE.
    """
    task = TASKS[language]
    if not isinstance(task, Task):
        return 0.5
    first, rest, weight = task.distribution(length)
    share = float(weight @ task.label(first, rest, length))
    return max(share, 1 - share)


def rows(run: Stored, **values) -> list[dict]:
    """The rows of a run whose configuration has these values, None standing for what a
    configuration does not mention.
    """
    return [
        row
        for row in run.results
        if all(row["configuration"].get(name) == value for name, value in values.items())
    ]


def accuracy_at(row: dict, length: int) -> np.ndarray:
    """Each member's accuracy at the end on strings of a length that was tested."""
    [accuracy] = [
        final["accuracy"] for final in row["result"]["final"] if final["length"] == length
    ]
    return np.array(accuracy)


def solvers(run: Stored) -> tuple[list[int], dict[tuple[int, int], np.ndarray]]:
    """After how many steps the members of a run were tested, and who of them was then right, on
    over 99 % of the strings, (tests, members), by strings a step and length.
    """
    found = run.by("strings", "length")
    [tests] = {tuple(result["epochs"]) for result in found.values()}
    solved = {key: np.array(result["accuracy"]) > 0.99 for key, result in found.items()}
    return [STEPS * epochs for epochs in tests], solved


def fates(solved: np.ndarray) -> tuple[int, int]:
    """How many members fail at the last test, and how many of these had been right, from who of
    them is right at each test: bools (tests, members).
    """
    failed = ~solved[-1]
    return int(failed.sum()), int((failed & solved.any(axis=0)).sum())


def range_text(accuracy: np.ndarray) -> str:
    """The mean and, in brackets, the worst and the best of some runs."""
    return f"{accuracy.mean():.2f} ({accuracy.min():.2f} to {accuracy.max():.2f})"
