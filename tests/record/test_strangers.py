"""The stored runs of chapter 12: networks that are kept are judged as stored, bounds hold, and a
forged result is noticed.
"""

import copy
import json

import pytest
import torch
from safetensors.torch import load_file

from chapters.strangers import runs as strangers
from chapters.strangers.figures import kept
from chapters.strangers.runs import (
    LANGUAGES,
    SHAPES,
    Small,
    batch,
    continued,
    judged_small,
    measure_bounds,
    packed,
    replay_bounds,
    replay_small,
    unpacked,
)
from lib.proofs import regular
from record.runs import stored
from tests import ROOT

NETWORKS = ROOT / "chapters" / "_static" / "networks"


def row(name: str, number: int = 0) -> tuple[dict, dict]:
    found = stored(name).results[number]
    return found["configuration"], copy.deepcopy(found["result"])


def test_weights_are_kept_as_they_are():
    network = Small()
    again = unpacked(packed(network))
    for name, value in network.state_dict().items():
        assert torch.equal(again.state_dict()[name], value)


def test_the_reader_and_pytorch_agree_on_a_kept_network():
    configuration, result = row("small_networks", 3)
    language, network = LANGUAGES[configuration["language"]], unpacked(result["weights"])
    network.double()
    rows, _ = batch(language, 9, 40, 0)
    words = language.sample(9, 40, 0)
    judged = judged_small(network, language)
    with torch.no_grad():
        theirs = network(rows)
    found = strangers.outputs(judged, strangers.given(judged, words), strangers.Bounded())
    assert (found[0][:, 0] - theirs).abs().max() < 1e-12


def test_a_short_training_replays_and_a_forged_one_does_not():
    configuration, result = row("small_networks")
    assert replay_small(configuration, result)
    assert not replay_small(configuration, result | {"first_losses": [0.5]})
    audit = result["audit"]
    rows = copy.deepcopy(audit["by length"])
    rows[2][2] += 1
    assert not replay_small(configuration, result | {"audit": audit | {"by length": rows}})
    other = packed(Small())
    assert not replay_small(configuration, result | {"weights": other})


def test_strings_that_can_be_continued_are_counted():
    assert continued(regular("(a(ab)*b)*", "ab"), 7) == [1, 1, 2, 2, 4, 4, 8]
    assert continued(regular("(0|1|2)*02*", "012"), 4) == [1, 3, 9, 27]


@pytest.mark.parametrize("shape", [*SHAPES, "saturated softmax", "almost constant rows"])
def test_bounds_hold_and_say_how_far_they_are_off(shape):
    found = measure_bounds("cpu", shape, layers=1, scale=1.0, longest=3)
    assert (found["outputs"], found["outside"]) == (8 * 15, 0)
    assert 0 < found["share"] < 1 and 0 < found["median"] < 1e-3


def test_a_bound_that_fails_is_noticed(monkeypatch):
    class Careless(strangers.Bounded):
        """Whose bounds are a billionth of what they should be."""

        def outputs(self, x, map_):
            centre, bound = super().outputs(x, map_)
            return centre + 1e-9, bound * 1e-9

    monkeypatch.setattr(strangers, "Bounded", Careless)
    configuration, result = row("bounds_held")
    assert not replay_bounds(configuration, result)


def test_the_network_on_the_page_is_the_kept_one():
    said = json.loads((NETWORKS / "index.json").read_text(encoding="utf-8"))
    assert [one["file"] for one in said] == ["two_1s.safetensors"]
    there = load_file(NETWORKS / said[0]["file"])
    here = kept("two 1s", 4000).state_dict()
    assert {*there} == {*here} and all(torch.equal(there[name], here[name]) for name in here)
