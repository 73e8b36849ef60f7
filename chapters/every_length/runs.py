"""Statements that are decided for every length: how each ends, and each proof's certificate; and
the smallest formulas of some languages, which takes up to half a minute each.
"""

import random
from collections.abc import Iterable, Iterator
from itertools import chain, product

from chapters.common.enumeration import smallest
from chapters.every_length.statements import by_name, specification
from lib.formulas import compiled
from lib.formulas.syntax import truth
from lib.formulas.text import formula
from lib.proofs import proved_equal
from lib.proofs.answer import Answer
from lib.proofs.certificate import certificate, claim, is_proof
from lib.proofs.equal import Specification, machine_of, recogniser
from lib.verdicts import PROVED, WRONG
from record.experiment import Experiment

LONGEST = {2: 12, 3: 9, 4: 7}  # of the strings that an answer is held against, by symbols
SEARCHED = (  # the statements whose smallest formulas are sought
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
QUICK = 2_000  # bounds of a certificate that cvc5 checks in some seconds


def decided(said: dict) -> Answer:
    """What the prover says of a statement."""
    return proved_equal(said["formula"], specification(said), said["over"], implies=said["implies"])


def strings(alphabet: str, longest: int) -> Iterator[str]:
    """All strings to a length, the shorter ones first."""
    for length in range(longest + 1):
        yield from map("".join, product(alphabet, repeat=length))


def long_ones(alphabet: str) -> list[str]:
    """60 random strings to 60 symbols, in runs, the same each time."""
    draw = random.Random(1)
    return [
        "".join(draw.choice(alphabet) * draw.randint(1, 9) for _ in range(12))[:60]
        for _ in range(60)
    ]


def parting(said: dict, tried: Iterable[str]) -> Iterator[str]:
    """The strings of those tried that a statement is wrong on, both descriptions read directly."""
    stated, accepts = formula(said["formula"], said["over"]), recogniser(*meant(said))
    for w in tried:
        left, right = truth(stated, w)[-1], accepts(w)
        if left > right if said["implies"] else left != right:
            yield w


def meant(said: dict) -> tuple[Specification, tuple[str, ...]]:
    """A statement's specification and alphabet."""
    return specification(said), tuple(said["over"])


def packed(said: dict) -> dict:
    """A certificate that says once what rooms share: the parts that they know of, and the forms
    that are bounded. A room then holds the values of the parts, and each form's place with its
    bound.
    """
    rooms = said["rooms"]
    forms = {str(form): form for room in rooms for form, _ in room["bounds"]}
    place = {written: k for k, written in enumerate(forms)}
    shared = {
        "parts": [[part["kind"], part["name"], part["of"]] for part in rooms[0]["knows"]],
        "forms": [*forms.values()],
    }
    numbers = [
        {
            "knows": [part["value"] for part in room["knows"]],
            "bounds": [x for form, bound in room["bounds"] for x in (place[str(form)], bound)],
        }
        for room in rooms
    ]
    return {**said, **shared, "rooms": numbers}


def unpacked(said: dict) -> dict:
    """The certificate that was packed."""
    whole = {name: value for name, value in said.items() if name not in ("parts", "forms")}
    whole["rooms"] = [
        {
            "knows": [
                {"kind": kind, "name": name, "value": value, "of": of}
                for (kind, name, of), value in zip(said["parts"], room["knows"], strict=True)
            ],
            "bounds": [
                [said["forms"][k], bound]
                for k, bound in zip(room["bounds"][::2], room["bounds"][1::2], strict=True)
            ],
        }
        for room in said["rooms"]
    ]
    return whole


def measure(device: str, statement: str) -> dict:
    """How a statement ends, the first string on which its descriptions part when they are read
    directly, and the certificate of a proof.
    """
    said = by_name()[statement]
    answer, every = decided(said), strings(said["over"], LONGEST[len(said["over"])])
    return {
        "kind": answer.kind,
        "how": answer.how,
        "counterexample": answer.counterexample,
        "rooms": len(answer.rooms or ()),
        "tried": tried(said),
        "parting": next(parting(said, chain(every, long_ones(said["over"]))), None),
        "certificate": packed(certificate(answer)) if answer.kind == PROVED else None,
    }


def tried(said: dict) -> dict:
    """On which strings a statement's descriptions are read directly: all to a length, and random
    ones.
    """
    symbols = len(said["over"])
    longest = LONGEST[symbols]
    every = sum(symbols**length for length in range(longest + 1))
    return {"longest": longest, "strings": every, "random": len(long_ones(said["over"]))}


def replay(configuration: dict, result: dict, in_full: bool = False) -> bool:
    """Whether cvc5 takes the certificate, of this very statement, or both descriptions do part on
    the counterexample. A certificate of more than `QUICK` bounds is checked `in_full` alone, which
    decides the statement again too.
    """
    said = by_name()[configuration["statement"]]
    if in_full and any(
        result[name] != value
        for name, value in measure("cpu", **configuration).items()
        if name not in ("certificate", "rooms", "how")  # another z3 may find another proof
    ):
        return False
    if result["kind"] == WRONG:
        return [*parting(said, [result["counterexample"]])] != []
    if result["kind"] != PROVED:
        return result["certificate"] is None
    proof = unpacked(result["certificate"])
    stated = machine_of(formula(said["formula"], said["over"]), *meant(said))
    if not claim(stated, said["implies"]).items() <= proof.items():
        return False
    if len(proof["rooms"]) != result["rooms"] or result["parting"] is not None:
        return False
    bounds = sum(len(room["bounds"]) for room in proof["rooms"])
    return (bounds > QUICK and not in_full) or is_proof(proof)


def cost(formula: str, alphabet: str) -> list[int]:
    """The layers, heads and coefficients of a formula's softmax transformer."""
    size = compiled(formula, alphabet, "softmax").construction.size
    return [size[what] for what in ("layers", "heads", "coefficients")]


def measure_smallest(device: str, statement: str) -> dict:
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


def replay_smallest(configuration: dict, result: dict, in_full: bool = False) -> bool:
    """Whether the same formula is found again, with its proof, `in_full` or not."""
    return measure_smallest("cpu", **configuration) == result


CONFIGURATIONS = [{"statement": name} for name in by_name()]
SMALL = [{"statement": name} for name in SEARCHED]
EXPERIMENTS = {
    "every_length": Experiment(CONFIGURATIONS, CONFIGURATIONS[:5], measure, replay, on_gpu=False),
    "smallest_formulas": Experiment(
        SMALL, SMALL[:4], measure_smallest, replay_smallest, on_gpu=False
    ),
}
