"""Verdicts: on networks whose errors are known, and against a count of our own."""

import re
import sys
from dataclasses import replace
from inspect import getfile

import pytest
import torch

from lib.languages import FIRST, MAJORITY, Language
from lib.proofs import regular
from lib.trained import Judged, NextTokens, Positive, TrainedNetwork
from lib.trained.audit import Decisions, Strings, audit
from lib.trained.network import Linear, Norm
from lib.verdicts import EACH_STRING, UNDECIDED, WRONG
from tests import EVERYTHING
from tests.trained.networks import SHAPES, Encoder

LAST = Language("last", lambda w: w.endswith("1"))


def reads_the_last_symbol(threshold: float = 0.5, outputs: int = 1) -> Judged:
    """Without a layer, the output is 1 after a 1, else 0, less a threshold."""
    word = torch.tensor([[0.0], [1.0], [0.0]], dtype=torch.float64)
    weight = torch.ones(1, outputs, dtype=torch.float64)
    output = Linear(weight, torch.full((outputs,), -threshold, dtype=torch.float64))
    network = TrainedNetwork(word, (), output, 1, "relu", True, True)
    return Judged(network, {"0": 0, "1": 1}, Positive(0), before=(2,))


def test_a_right_network_is_proved_right():
    found = audit(reads_the_last_symbol(), LAST, longest=5)
    assert (found.kind, found.longest, found.strings) == (EACH_STRING, 5, 63)
    assert found == audit(reads_the_last_symbol(), lambda w: w.endswith("1"), longest=5)
    method = Language("by a method", regular("(0|1)*1", "01").accepts_input)
    assert found == audit(reads_the_last_symbol(), method, longest=5)
    assert found.wrong == () and found.margin == 0.5 and found.any_order == 63
    assert audit(reads_the_last_symbol(), LAST, floats=()).longest == 12  # where none is given
    assert found.rounding == {"float32": (0, None), "bfloat16": (0, None)} and found.unseen == 1


def test_a_wrong_one_has_its_shortest_counterexamples():
    found = audit(reads_the_last_symbol(), FIRST, longest=3)
    assert found.kind == WRONG and found.wrong == ("01", "10", "001", "011", "100", "110")
    assert found.by_length == {0: (1, 0, 0), 1: (2, 0, 0), 2: (4, 2, 0), 3: (8, 4, 0)}
    assert found.unseen == pytest.approx(0.75**1000)
    assert "of 15 strings up to length 3, 6 are decided incorrectly" in str(found)


def test_what_lies_within_its_error_is_left_to_balls():
    judged = reads_the_last_symbol()
    for error, balls in ((0.49, 0), (0.51, 1)):
        found = (torch.tensor([[x]], dtype=torch.float64) for x in (-0.5, error))
        level = Decisions(judged, 0, Strings(judged, LAST), tuple(found))
        assert level.balls == balls
    level.compare("float16", torch.tensor([[torch.nan]]))  # no number decides nothing
    assert level.changed["float16"] == [""]


def test_a_tie_stays_undecided():
    found = audit(reads_the_last_symbol(threshold=1.0), LAST, longest=2)
    assert found.kind == UNDECIDED and found.by_length[2] == (4, 0, 2) and found.balls == 3


def test_floats_that_decide_otherwise_are_counted():
    found = audit(reads_the_last_symbol(threshold=1 - 2.0**-20), LAST, longest=3)
    assert found.kind == EACH_STRING
    assert found.rounding == {"float32": (0, None), "bfloat16": (7, "1")}
    near = audit(reads_the_last_symbol(threshold=1 - 2.0**-50), LAST, longest=3)
    assert near.rounding["float32"] == (7, "1") and near.any_order == 8


def test_any_order_decides_nothing_where_float32_overflows():
    """In the variance of a row, or in a weight that no string needs."""
    large = Norm(torch.ones(2).double(), torch.full((2,), 0.5).double(), 1e-5)
    rows = [([1e20, -1e20], [1.0, 0.0], -1.0, large), ([0.0, 1.0], [1e40, 1.0], 0.0, None)]
    for word, weight, bias, last in rows:
        words, columns = (torch.tensor([x], dtype=torch.float64) for x in (word, weight))
        output = Linear(columns.T, torch.tensor([bias], dtype=torch.float64))
        network = TrainedNetwork(words, (), output, 1, "relu", True, True, last=last)
        found = audit(Judged(network, {"0": 0}, Positive()), lambda w: True, 2, ("float32",))
        assert found.kind == EACH_STRING
        assert (found.rounding["float32"], found.any_order) == ((2, "0"), 0)


def test_a_verdict_speaks_of_whole_lengths_whenever_it_is_interrupted():
    """Ctrl-C at every fifth line of the audit, and once a month at each: what is said then of
    a length is what an audit to that length says.
    """
    judged, file = reads_the_last_symbol(threshold=1 - 2.0**-20), getfile(Decisions)
    judged = replace(judged, network=replace(judged.network, causal=False))  # whole strings

    def meant(w: str) -> bool:
        return w.endswith("1") if len(w) < 2 else False

    whole = {length: audit(judged, meant, length) for length in range(3)}
    assert whole[2].wrong == ("01", "11") and whole[2].rounding["bfloat16"] == (3, "1")
    lines, stop = 0, 0

    def traced(frame, event, _):
        nonlocal lines
        if event == "line":
            lines += 1
            if lines == stop:
                raise KeyboardInterrupt
        return traced if frame.f_code.co_filename == file else None

    seen = set()
    while stop <= lines:
        lines, stop = 0, stop + (1 if EVERYTHING else 5)
        before = sys.gettrace()
        sys.settrace(traced)
        try:
            found = audit(judged, meant, 2)
        except KeyboardInterrupt:
            continue  # before the first length, or while the verdict is written
        finally:
            sys.settrace(before)
        seen.add((found.longest, found.strings))
        if found.strings:
            assert replace(found, notes=()) == whole[found.longest]
            assert found.margin == whole[found.longest].margin
    assert seen == {(0, 0), (0, 1), (1, 3), (2, 7)}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_verdicts_are_those_of_pytorch(shape):
    theirs = Encoder(scale=2.0, **shape)
    found = audit(theirs.judged(), MAJORITY, longest=7, floats=())
    for length in range(8):
        words = [*MAJORITY.all_strings(length)]
        rows = torch.tensor([[2, *map(int, w), 3] for w in words])
        with torch.no_grad():
            accepted = (theirs(rows)[:, -1, 0] > 0).tolist()
        assert found.by_length[length] == (2**length, len(MAJORITY.errors(words, accepted)), 0)


def test_next_tokens_are_held_against_an_automaton():
    """Words of 0 and 1 by turns, of which a network without layers knows the last symbol."""
    word = torch.eye(4, dtype=torch.float64)
    said = torch.tensor([[0, 1, 0, 1], [1, 0, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]])
    output = Linear(2.0 * said.double() - 1, torch.zeros(4, dtype=torch.float64))
    network = TrainedNetwork(word, (), output, 1, "relu", True, True)
    judged = Judged(network, {"0": 0, "1": 1}, NextTokens(3, "positive"), before=(2,))
    right = audit(judged, regular("()|0(10)*", "01"), longest=9)
    assert "above 0, which cross entropy does not train" in str(right)
    assert right.kind == EACH_STRING and right.strings == 10 and right.margin == 1
    wrong = audit(judged, regular("(01)*", "01"), longest=9)
    assert wrong.kind == WRONG and wrong.wrong[:2] == ("0", "01")


def test_it_ends_where_positions_or_seconds_do():
    judged = Encoder(**SHAPES[2]).judged()
    at_the_end = Judged(**{**judged.__dict__, "offset": 10})
    cut = audit(at_the_end, MAJORITY, longest=9, floats=())
    assert cut.longest == 4 and str(cut).endswith("the network has no positions for longer strings")
    cut = audit(judged, MAJORITY, longest=14, seconds=1e-9)
    said = (
        r"up to length 0, 1 are(.*\n)+it ended early: the next 2 strings would take .* have 1e-09"
    )
    assert cut.longest == 0 and re.search(said, str(cut))
    whole = audit(at_the_end, MAJORITY, longest=4, seconds=600)
    assert whole.notes == () and "early" not in str(whole)


def test_no_prefix_of_an_empty_language_is_asked():
    judged = Judged(
        reads_the_last_symbol(outputs=3).network, {"0": 0, "1": 1}, NextTokens(2, "positive"), (2,)
    )
    found = audit(judged, regular("0&1", "01"), longest=3)
    assert (found.strings, found.wrong) == (0, ())
