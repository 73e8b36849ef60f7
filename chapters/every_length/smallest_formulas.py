"""The smallest formulas of some languages, which takes up to half a minute each."""

from chapters.every_length.statements import by_name, specification
from lib.formulas import compiled
from lib.proofs import smallest
from record.experiment import Experiment

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
    """Whether the same formula is found again, with its proof, `in_full` or not."""
    return measure("cpu", **configuration) == result


CONFIGURATIONS = [{"statement": name} for name in STATEMENTS]
EXPERIMENTS = {
    "smallest_formulas": Experiment(
        CONFIGURATIONS, CONFIGURATIONS[:4], measure, replay, on_gpu=False
    )
}
