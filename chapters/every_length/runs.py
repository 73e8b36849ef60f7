"""Statements that are decided for every length: how each ends, and each proof's certificate."""

import random
from collections.abc import Iterable, Iterator
from itertools import product

from chapters.every_length.statements import by_name, specification
from lib.formulas.syntax import truth
from lib.formulas.text import formula
from lib.proofs import Answer, proved_equal
from lib.proofs.certificate import certificate, claim, is_proof
from lib.proofs.equal import machine_of, recognizer
from lib.verdicts import PROVED, WRONG
from record.experiment import Experiment

LONGEST = {2: 12, 3: 9, 4: 7}  # of the strings that an answer is held against, by symbols
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
    stated = formula(said["formula"], said["over"])
    accepts = recognizer(specification(said), tuple(said["over"]))
    for w in tried:
        left, right = truth(stated, w)[-1], accepts(w)
        if left > right if said["implies"] else left != right:
            yield w


def packed(said: dict) -> dict:
    """A certificate that says once what rooms share: the parts that they know of, and the forms
    that are bounded. A room then holds the values of the parts, and each form's place with its
    bound.
    """
    rooms = said["rooms"]
    parts = [[part["kind"], part["name"], part["of"]] for part in rooms[0]["knows"]]
    forms = {str(form): form for room in rooms for form, _ in room["bounds"]}
    place = {written: k for k, written in enumerate(forms)}
    numbers = [
        {
            "knows": [part["value"] for part in room["knows"]],
            "bounds": [x for form, bound in room["bounds"] for x in (place[str(form)], bound)],
        }
        for room in rooms
    ]
    return said | {"parts": parts, "forms": [*forms.values()], "rooms": numbers}


def unpacked(said: dict) -> dict:
    """The certificate that was packed."""
    whole = dict(said)
    parts, forms, rooms = whole.pop("parts"), whole.pop("forms"), []
    for room in said["rooms"]:
        values, numbers = zip(parts, room["knows"], strict=True), iter(room["bounds"])
        knows = [dict(kind=kind, name=name, value=x, of=of) for (kind, name, of), x in values]
        bounds = [[forms[k], bound] for k, bound in zip(numbers, numbers, strict=True)]
        rooms.append({"knows": knows, "bounds": bounds})
    return whole | {"rooms": rooms}


def measure(device: str, statement: str) -> dict:
    """How a statement ends, the first string on which its descriptions part when they are read
    directly, and the certificate of a proof.
    """
    said = by_name()[statement]
    answer, longest = decided(said), LONGEST[len(said["over"])]
    every, random_ones = [*strings(said["over"], longest)], long_ones(said["over"])
    return {
        "kind": answer.kind,
        "how": answer.how,
        "counterexample": answer.counterexample,
        "rooms": len(answer.rooms or ()),
        "tried": {"longest": longest, "strings": len(every), "random": len(random_ones)},
        "parting": next(parting(said, every + random_ones), None),
        "certificate": packed(certificate(answer)) if answer.kind == PROVED else None,
    }


def replay(configuration: dict, result: dict) -> bool:
    """Whether both descriptions differ on the counterexample or, of a proof, the certificate is one
    of today's statement and, if it has at most `QUICK` bounds, the solver cvc5 accepts it.
    """
    said = by_name()[configuration["statement"]]
    if result["kind"] == WRONG:
        return [*parting(said, [result["counterexample"]])] != []
    if result["kind"] != PROVED:
        return result["certificate"] is None
    proof = unpacked(result["certificate"])
    stated = formula(said["formula"], said["over"])
    machine = machine_of(stated, specification(said), tuple(said["over"]))
    bounds = sum(len(room["bounds"]) for room in proof["rooms"])
    return (
        claim(machine, said["implies"]).items() <= proof.items()
        and len(proof["rooms"]) == result["rooms"]
        and result["parting"] is None
        and (bounds > QUICK or is_proof(proof))
    )


EXPERIMENTS = {
    "every_length": Experiment([{"statement": name} for name in by_name()], measure, replay)
}
