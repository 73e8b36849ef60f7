"""Side by side: a folder without the clones is refused, what is counted is right, and a forged
result is noticed where it can be made again.
"""

import copy
import hashlib

import pytest

from chapters.pages.what_else import NAMES, longer_rows, order, rows, side_by_side
from record.experiments import what_else
from record.experiments.strangers import Small, packed
from record.experiments.what_else import (
    PEERS,
    ROOM,
    SAID,
    WORKS,
    beyond,
    fingerprint,
    judged,
    replay,
)
from record.runs import stored


def row(work: str, peer: str) -> tuple[dict, dict]:
    for one in stored("what_else").results:
        if (one["configuration"]["work"], one["configuration"]["peer"]) == (work, peer):
            return one["configuration"], copy.deepcopy(one["result"])
    raise KeyError(peer)


def test_a_folder_without_the_clones_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="tracr holds no Python files. It holds clones: "):
        fingerprint(tmp_path)


def test_another_commit_and_a_missing_package_are_named(tmp_path, monkeypatch):
    for name in SAID["clones"]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="has the hash .*, and 86af10f3c1086202 is expected"):
        fingerprint(tmp_path)
    here = hashlib.sha256(b"x = 1\n").hexdigest()[:16]
    clones = {name: one | {"hash": here} for name, one in SAID["clones"].items()}
    monkeypatch.setitem(SAID, "clones", clones)
    monkeypatch.setattr(what_else, "find_spec", lambda name: name != "haiku" or None)
    with pytest.raises(ValueError, match="tracr needs dm-haiku, which the book does not"):
        fingerprint(tmp_path)
    monkeypatch.setattr(what_else, "find_spec", lambda name: True)
    assert fingerprint(tmp_path) == f"{here} {here}"


def truths(steps: list[list], w: str) -> dict[str, bool]:
    """What the steps of a C-RASP program say at the last symbol, by their meaning. The start of the
    string counts as a position at which no symbol stands.
    """
    found: dict[str, list] = {f"Q_{a}": [x == a for x in ["", *w]] for a in "01()"}
    places = range(len(w) + 1)
    for step, *said, name in steps:
        if step == "COUNTING":
            found[name] = [sum(found[said[0]][: place + 1]) for place in places]
        elif step == "CONST":
            found[name] = [said[0]] * len(places)
        else:
            less, more = (found[side] for side in said)
            found[name] = [x < y for x, y in zip(less, more, strict=True)]
    return {name: values[-1] for name, values in found.items()}


@pytest.mark.parametrize("work", WORKS)
def test_the_programs_for_c_rasp_say_what_is_meant(work):
    program = SAID["crasp"][work]
    for length in range(9):
        for w in WORKS[work].all_strings(length):
            found = truths(program["steps"], w)
            said = all(found[name] == value for name, value in program["read"].items())
            assert said == (w in WORKS[work]), w


def test_what_is_wrong_is_counted():
    found = judged(lambda words: [False] * len(words), "MAJORITY", 4, times=2)
    assert found["wrong"] == [1, 1, 4, 5] and found["first"] == "1"
    assert len(found["seconds"]) == 2
    right = judged(lambda words: [w in WORKS["Dyck-1"] for w in words], "Dyck-1", 4)
    assert right["wrong"] == [0] * 4 and right["first"] is None


@pytest.mark.parametrize("work", WORKS)
def test_longer_strings_go_to_the_first_that_is_wrong_or_refused(work):
    def accepts(words: list[str]) -> list[bool | None]:
        if len(words[0]) > most:
            raise ValueError("too long")
        return [(w in WORKS[work]) != (len(w) > least) for w in words]

    most, least = 20, 99
    assert (beyond(accepts, work)["to"], beyond(accepts, work)["refused"]) == (20, "too long")
    most, least = 99, 30
    found = beyond(accepts, work)
    assert (found["to"], len(found["wrong"])) == (30, 31)
    most, least = 999, 999
    found = beyond(accepts, work)
    assert {*found} == {"to", "strings"} and found["to"] == 128 and found["strings"] > 1000


@pytest.mark.parametrize("work", WORKS)
def test_ours_and_the_kept_network_replay_and_forged_ones_do_not(work):
    for peer in ("this book", "PyTorch"):
        configuration, result = row(work, peer)
        assert replay(configuration, result)
        forged = copy.deepcopy(result)
        forged["judged"]["wrong"][3] += 1
        assert not replay(configuration, forged)
        numbers, nonzero = result["numbers"]
        assert not replay(configuration, result | {"numbers": [numbers + 1, nonzero]})
    other = Small()
    other.output.bias.data += 100.0
    assert not replay(configuration, result | {"weights": packed(other)})


def test_others_are_replayed_by_their_number_of_lengths_without_their_clones():
    configuration, result = row("MAJORITY", "tracr")
    assert replay(configuration, result)
    result["judged"]["wrong"].pop()
    assert not replay(configuration, result)


def test_the_page_shows_every_result():
    assert len([*rows()]) == len([*longer_rows()]) == len(stored("what_else").results) == 14
    assert {*NAMES} == {*PEERS} and len(side_by_side()) == 14
    for _, result in side_by_side().items():
        assert len(result["judged"]["wrong"]) == ROOM
    assert [order(x) for x in (55_217, 4.4, 0.0123, 1.0)] == ["60,000", "4", "0.01", "1"]
