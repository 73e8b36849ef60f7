"""The smallest formulas of some languages, which takes up to half a minute each."""

from __future__ import annotations

from lib.formulas import compiled
from lib.proofs import proved_equal, smallest
from lib.proofs.equal import PROVED
from record.experiment import Experiment
from record.experiments.every_length import by_name, specification

STATEMENTS = (
    "FIRST, by counts",
    "ONE",
    "exactly two 1s",
    "MAJORITY",
    "at least a third are 1s",
    "a*b*",
    "aⁿbⁿ",
    "Tomita 7, 0*1*0*1*",
    "(ab)*",
    "Dyck-1",
)


def cost(formula: str, alphabet: str) -> list[int]:
    """The layers, heads and coefficients of a formula's softmax transformer."""
    size = compiled(formula, alphabet, "softmax").construction.size
    return [size[what] for what in ("layers", "heads", "coefficients")]


def measure(device: str, statement: str) -> dict:
    """The smallest formula that says what a statement's specification says, if one is found, beside
    the statement's own.
    """
    said = by_name()[statement]
    found = smallest(specification(said), said["over"])
    result: dict = {"tried": found.tried, "size": found.size, "formula": None}
    if found.formula is not None and found.answer is not None:
        result |= {"formula": str(found.formula), "kind": found.answer.kind}
        result |= {"cost": cost(str(found.formula), said["over"])}
    return result | {"by hand": cost(said["formula"], said["over"])}


def replay(configuration: dict, result: dict, in_full: bool = False) -> bool:
    """Whether the formula is equal to the specification; `in_full` looks for it again."""
    if in_full and measure("cpu", **configuration) != result:
        return False
    said = by_name()[configuration["statement"]]
    if result["formula"] is None:
        return result["size"] >= 12 or result["tried"] >= 3_000_000
    return proved_equal(result["formula"], specification(said), said["over"]).kind == PROVED


CONFIGURATIONS = [{"statement": name} for name in STATEMENTS]
EXPERIMENTS = {
    "smallest_formulas": Experiment(CONFIGURATIONS, CONFIGURATIONS[:4], measure, replay, False)
}
