"""Certificates hold by the second solver alone, through JSON; those forged or weakened do not."""

import copy
import json
import random
from pathlib import Path

import pytest

from chapters.every_length.runs import decided, packed, replay, unpacked
from lib.proofs import certificate as second
from lib.proofs.certificate import GaveUp, certificate, gaps, is_proof
from record import runs
from record.runs import read_yaml
from tests.proofs.test_equal import OPEN, STATEMENTS, marked

PROVABLE = [name for name, said in STATEMENTS.items() if said["equal"] and name != OPEN]
TAUGHT = ("(ab)*", "Dyck-1", "PARITY, by halves", "aⁿbⁿ", "Tomita 4, no 000")
STORED = {
    row["configuration"]["statement"]: row["result"] for row in runs.stored("every_length").results
}
FORGED_BY_NAME = read_yaml(Path(__file__).with_name("forged.yaml"))


def stored(name: str) -> dict:
    """A statement's certificate, as the record holds it: a copy, which a test may forge."""
    return unpacked(copy.deepcopy(STORED[name]["certificate"]))


def claim(alphabet: str, rooms: list[dict], *formulas: str) -> dict:
    """A certificate that these rooms prove the formulas equal, or equal to a specification."""
    said = {"alphabet": alphabet, "implies": False, "twins": {}}
    return said | {"rooms": rooms, "formulas": [*formulas]}


def is_replayed(name: str, **changed) -> bool:
    """Whether a statement's stored result is taken with something changed."""
    return replay({"statement": name}, STORED[name] | changed)


@pytest.mark.parametrize("name", marked(PROVABLE))
def test_cvc5_takes_each_certificate(name):
    assert list(gaps(stored(name))) == []


@pytest.mark.parametrize("name", TAUGHT)
def test_a_certificate_is_packed_without_loss(name):
    made = json.loads(json.dumps(certificate(decided(STATEMENTS[name]))))
    assert unpacked(json.loads(json.dumps(packed(made)))) == made
    rooms = len(made["rooms"])
    assert is_proof(made) and is_replayed(name, certificate=packed(made), rooms=rooms)


def test_what_cvc5_gives_up_on_is_no_proof(monkeypatch):
    """Of a true claim as of a false one: it settles nothing in one step."""
    monkeypatch.setattr(second, "STEPS", "1")
    for said in (stored("Dyck-1"), FORGED_BY_NAME["a room that a symbol leaves"]):
        with pytest.raises(GaveUp):
            list(gaps(said))
        assert not is_proof(said)


def test_a_tightened_bound_is_no_proof():
    draw, said = random.Random(2), stored("Dyck-1")
    for _ in range(5):
        forged = copy.deepcopy(said)
        room = draw.choice([room for room in forged["rooms"] if room["bounds"]])
        draw.choice(room["bounds"])[1] += 1
        assert not is_proof(forged)


def test_a_name_that_pins_a_guess_proves_nothing():
    """'1' has a position that is its number of 1s: a twin that starts untrue hides that."""
    total = "total(Q('1'))"
    met = f"count(position == {total})"
    bounds = [[{met: 1}, 0], [{met: -1}, 0], [{total: 1}, 0], [{"count(False)": -1}, 0]]
    forged = claim("01", [{"knows": [], "bounds": bounds}], f"{met} >= 1", "False")
    assert not is_proof(forged | {"twins": {total: "count(False)"}})


HALVES = {"kind": "up to", "name": "count(Q('a'))", "value": 0.5, "of": 9}


@pytest.mark.parametrize(
    "room",
    [
        {"knows": [HALVES], "bounds": []},
        {"knows": [HALVES | {"value": True}], "bounds": []},
        {"knows": [HALVES | {"value": 0, "of": 0.5}], "bounds": []},
        {"knows": [], "bounds": [[{"count(Q('a'))": 0.5}, 0]]},
    ],
)
def test_what_a_room_knows_is_said_in_whole_numbers(room):
    """To cvc5 a half would be 0, and to the checker's own arithmetic it is a half."""
    with pytest.raises(ValueError, match="whole numbers"):
        is_proof(claim("a", [room], "2*count(Q('a')) == 3", "False"))


@pytest.mark.parametrize(
    ("said", "is_proved"),
    [
        ("count(Q('a')) + count(Q('b'))", True),
        ("count(Q('a'))", False),
        ("2*count(Q('a')) + count(Q('b'))", False),
        ("count(Q('a')) + count(Q('b')) + 1", None),
        ("count(Q('a')) + count(Q('b')) + 0*position", True),
        ("count(Q('a')) + position", None),
        ("count(Q('a')) + total(Q('b'))", None),
        ("count(Q('a')) >= 1 or count(Q('b'))", None),
    ],
)
def test_a_total_is_a_sum_only_if_its_count_is(said, is_proved):
    """The length is guessed here as a sum of two totals, there as one."""
    one, two = (
        f"2*position == {length}"
        for length in ("total(position >= 1)", "total(Q('a')) + total(Q('b'))")
    )
    rooms = [{"knows": [], "bounds": equal(f"count({one})", f"count({two})")}]
    plain = claim("ab", rooms, f"once({one})", f"once({two})")
    forged = plain | {"twins": {"count(position >= 1)": said}}
    if is_proved is None:
        with pytest.raises(ValueError, match="a certificate is expected"):
            is_proof(forged)
    else:
        assert is_proof(forged) is is_proved
    assert not is_proof(plain)


def test_a_counter_that_takes_the_states_name_proves_nothing():
    forged = claim("()", [EMPTY_ROOM], "position == 0")
    moves = [[[0, [1]], [0, [-1]]]]
    forged["specification"] = {"moves": moves, "finals": [0], "counters": ["state"]}
    assert list(gaps(forged)) == ["two things have one name"]
    forged["specification"] = {"rows": [[0, 7]], "finals": [0]}
    assert list(gaps(forged)) == ["the specification leads to no state of its own"]


def equal(one: str, other: str) -> list:
    return [[{one: 1, other: -1}, 0], [{one: -1, other: 1}, 0]]


def is_value(name: str, value: int) -> list:
    return [[{name: 1}, value], [{name: -1}, -value]]


def counters(name: str) -> dict:
    return {"moves": [[[0, [1]], [0, [1]]]], "finals": [], "counters": [name]}


START = {"kind": "state", "name": "state", "value": 0, "of": 1}
EMPTY_ROOM = {"knows": [], "bounds": []}
HALF = {"kind": "modulo", "name": "count(True)", "value": 0, "of": 1}
LATER = {"kind": "state", "name": "count(False)", "value": 0, "of": 2}
FORGED = [  # each would prove that no string has three a's
    ({"rows": [], "finals": []}, [EMPTY_ROOM]),
    (counters("c") | {"rows": []}, [EMPTY_ROOM]),
    (counters("c") | {"counters": ["c", "d"]}, [EMPTY_ROOM]),
    (
        counters("count(True), before"),
        [EMPTY_ROOM | {"bounds": [*equal("count(True), before", "count(True)")]}],
    ),
    (
        counters("now count(True)"),
        [EMPTY_ROOM | {"bounds": [*equal("now count(True)", "count(True)")]}],
    ),
    (
        counters("quotient of part 0"),
        [{"knows": [HALF], "bounds": equal("quotient of part 0", "count(True)")}],
    ),
    (
        {"rows": [[1, 1], [1, 1]], "finals": []},
        [
            {"knows": [], "bounds": [*is_value("state", 0), *is_value("count(Q('a'))", 0)]},
            {"knows": [LATER], "bounds": is_value("state", 1)},
        ],
    ),
]


@pytest.mark.parametrize(("specification", "rooms"), FORGED)
def test_no_name_and_no_missing_state_makes_a_false_proof(specification, rooms):
    said = claim("ab", rooms, "count(Q('a')) == 3 and count(False) == 0")
    assert not is_proof(said | {"specification": specification})


@pytest.mark.parametrize("what", FORGED_BY_NAME)
def test_each_obligation_refuses_a_claim_that_only_it_refuses(what):
    assert not is_proof(FORGED_BY_NAME[what])


@pytest.mark.parametrize("finals", [[1], [0.5], "0", [-0.5], [[0]], [{}]])
def test_a_final_state_that_there_is_not_proves_nothing(finals):
    """After what no move gives, 1 is where cvc5 is told that the machine is; 0.5 is 0 to it."""
    start = {"knows": [START], "bounds": [[{"count(True)": -1}, 0]]}
    dead = {"knows": [], "bounds": [*is_value("state", 1), [{"count(True)": 1}, 1]]}
    said = {"moves": [[None]], "finals": finals, "counters": []}
    for formula in ("position >= 1", "position == 0"):
        assert not is_proof(claim("a", [start, dead], formula) | {"specification": said})


def test_what_is_no_number_in_a_room_is_said_to_be_none():
    said = stored("Dyck-1")
    for wrong in ({}, "state"):
        next(room for room in said["rooms"] if room["bounds"])["bounds"][0][1] = wrong
        with pytest.raises(ValueError, match="a certificate is expected"):
            is_proof(said)


@pytest.mark.parametrize(("step", "implies"), [([0.5], False), ([1], "no")])
def test_what_no_machine_would_write_proves_nothing(step, implies):
    """A counter that adds a half would be read as one that adds nothing."""
    forged = claim("ab", [{"knows": [START], "bounds": is_value("c", 0)}], "True")
    forged |= {"specification": counters("c") | {"moves": [[[0, step], [0, step]]], "finals": [0]}}
    assert not is_proof(forged | {"implies": implies})
    with pytest.raises(ValueError, match="a certificate is expected"):
        is_proof({"alphabet": "ab"})
