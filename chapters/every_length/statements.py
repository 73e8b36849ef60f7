"""Statements that are decided for every length: formulas, and what each is held against."""

from functools import cache
from pathlib import Path
from typing import Any

from automata.fa.dfa import DFA

from lib.proofs import Counters, regular
from lib.proofs.equal import Specification
from record.runs import read_yaml

CASES = Path(__file__).with_suffix(".yaml")


@cache
def by_name() -> dict[str, dict]:
    """All statements by name, families written out, and whether each should hold."""
    said = read_yaml(CASES)
    found = [{**one, "over": said["alphabets"][one["over"]]} for one in said["statements"]]
    for family in said["made"]:
        for depth in family["depths"]:
            held = family.get("held", depth)
            name = f"D{depth}" if held == depth else f"D{depth} is D{held}"
            one = {"name": name, "over": "()", "formula": bounded(depth)}
            found.append(one | {"depth": held, "equal": held == depth})
    return {one["name"]: {"equal": True, "implies": False, **one} for one in found}


def bounded(depth: int) -> str:
    """Brackets that nest at most `depth` deep, as a formula."""
    return (
        'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("("))) '
        f'and never(count(Q("(")) > count(Q(")")) + {depth})'
    )


def specification(said: dict) -> Specification:
    """What a statement's formula is held against."""
    if "regular" in said:
        return regular(said["regular"], said["over"])
    if "rows" in said:
        return dfa(said["rows"], said["finals"], said["over"])
    if "depth" in said:
        return dfa(nested(said["depth"]), [0], said["over"])
    if "machine" in said:
        machine = read_yaml(CASES)["machines"][said["machine"]]
        moves = {(state, a): (to, adds) for state, a, to, adds in machine["moves"]}
        return Counters(moves, machine["start"], machine["finals"], said["over"])
    return said["says"]


def dfa(rows: list[list[int]], finals: list[int], alphabet: str) -> DFA:
    """A complete DFA that starts in state 0; a row holds the next state for each symbol."""
    moves = {q: dict(zip(alphabet, row, strict=True)) for q, row in enumerate(rows)}
    said: dict[str, Any] = {"states": {*moves}, "input_symbols": {*alphabet}, "transitions": moves}
    return DFA(**said, initial_state=0, final_states={*finals})


def nested(depth: int) -> list[list[int]]:
    """The rows of brackets that nest at most so deep: a state for each depth, and a dead one."""
    dead = depth + 1
    rows = [[q + 1 if q < depth else dead, q - 1 if q else dead] for q in range(dead)]
    return [*rows, [dead, dead]]
