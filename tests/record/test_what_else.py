"""Side by side: the programs say what is meant, what is counted is right, and a forged result is
noticed where it can be made again.
"""

import copy

import pytest

from chapters.strangers.runs import Small, packed
from chapters.what_else.runs import (
    SAID,
    WORKS,
    judged,
    replay,
)
from record.runs import stored


def row(work: str, peer: str) -> tuple[dict, dict]:
    for one in stored("what_else").results:
        if (one["configuration"]["work"], one["configuration"]["peer"]) == (work, peer):
            return one["configuration"], copy.deepcopy(one["result"])
    raise KeyError(peer)


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
