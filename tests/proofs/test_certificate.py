"""Certificates hold by the second solver alone, through JSON; those forged or weakened do not."""

import copy
import json
import random

import pytest

from lib.proofs import proved_equal
from lib.proofs.certificate import certificate, gaps, is_proof
from record.experiments.every_length import decided
from tests.proofs.test_equal import OPEN, STATEMENTS, marked, parting

PROVABLE = [name for name, said in STATEMENTS.items() if said["equal"] and name != OPEN]
TAUGHT = ("(ab)*", "Dyck-1", "PARITY, by halves", "aⁿbⁿ", "Tomita 4, no 000")


def stored(name: str) -> dict:
    """A statement's certificate, as a file would hold it."""
    return json.loads(json.dumps(certificate(decided(STATEMENTS[name]))))


@pytest.mark.parametrize("name", marked(PROVABLE))
def test_cvc5_takes_each_certificate(name):
    assert parting(STATEMENTS[name]) == []
    assert list(gaps(stored(name))) == []


@pytest.mark.parametrize("name", TAUGHT)
def test_a_room_less_or_without_bounds_is_no_proof(name):
    said = stored(name)
    bare, less = copy.deepcopy(said), copy.deepcopy(said)
    for room in bare["rooms"]:
        room["bounds"] = []
    less["rooms"].pop(0)
    assert not is_proof(less)
    if any(room["bounds"] for room in said["rooms"]):
        assert not is_proof(bare)


@pytest.mark.parametrize("name", TAUGHT)
def test_another_formula_is_not_proved_by_the_same_rooms(name):
    said = stored(name)
    said["formulas"][0] = f"not ({said['formulas'][0]})"
    assert not is_proof(said)


def test_a_tightened_bound_is_no_proof():
    draw, said = random.Random(2), stored("Dyck-1")
    for _ in range(5):
        forged = copy.deepcopy(said)
        room = draw.choice([room for room in forged["rooms"] if room["bounds"]])
        draw.choice(room["bounds"])[1] += 1
        assert not is_proof(forged)


def test_no_certificate_without_a_proof():
    with pytest.raises(ValueError, match="an answer that is proved is expected, not wrong"):
        certificate(proved_equal("True", "False", "01"))
