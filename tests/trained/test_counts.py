"""Verdicts at every length: against every count of short strings, and against networks by hand."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

from chapters.how_long.runs import at_random
from lib.formulas.syntax import holds
from lib.formulas.text import formula
from lib.judging import judge
from lib.languages import Language
from lib.trained import Judged, Positive, TrainedNetwork, accepted
from lib.trained.counts import ONE, every_length, inside, readings
from lib.trained.network import Linear, TrainedLayer
from lib.trained.sample import Beside
from lib.verdicts import EACH_STRING, PROVED, WRONG
from tests import OFTEN

MAJORITY = 'count(Q("1")) > count(Q("0"))'
UP_TO = 12
LANGUAGES = [MAJORITY, 'count(Q("1")) >= 2', '3 * count(Q("1")) >= position', 'count(Q("0")) == 3']


def by_hand(
    bias: float, log_n: float = 0.0, values: tuple[float, float] = (-1, 1), first: float = 0
) -> Judged:
    """One head that weighs BOS and all symbols alike, +1 for a 1 and -1 for a 0, and an output
    bias. With `log_n`, a 1 weighs T^log_n, and the others 1.
    """
    zero_, one = values
    word = torch.tensor([[zero_, 0, 1], [one, log_n, 1], [first, 0, 1]]).double()  # value, logit
    zero = torch.zeros(3, 3, dtype=torch.float64)
    q, k, v = zero.clone(), zero.clone(), zero.clone()
    q[2, 0], k[1, 0], v[0, 0] = 3**0.5, 1, 1
    o = torch.zeros(3, 3, dtype=torch.float64)
    o[0, 1] = 1  # beside the token's own value
    none = torch.zeros(3, dtype=torch.float64)
    maps = [Linear(part, none) for part in (q, k, v, o)]
    layer = TrainedLayer(*maps, None, None, (None, None))
    output = Linear(
        torch.tensor([[0.0], [1.0], [0.0]]).double(), torch.tensor([bias], dtype=torch.float64)
    )
    network = TrainedNetwork(word, (layer,), output, 1, "relu", True, False, log_n=bool(log_n))
    return Judged(network, {"0": 0, "1": 1}, Positive(), before=(2,), read_at="first")


def some(seed: int) -> Judged:
    """A network of any covered shape, of two symbols or three, with small weights or large ones."""
    return at_random(seed, 2 + (seed % 3 == 0), (0.5, 1.5)[seed % 2])


def first_error(judged: Judged, language: str, longest: int) -> tuple[int, set[int]]:
    """The length of the first error by strings alone, and all lengths that have one; of each count
    a string for each last symbol is decided.
    """
    meant = formula(language, judged.alphabet)
    wrong = set()
    for n in range(1, longest + 1):
        words = set()
        for counts in product(range(n + 1), repeat=len(judged.alphabet)):
            if sum(counts) == n:
                w = "".join(a * c for a, c in zip(judged.alphabet, counts, strict=True))
                words |= {w[i:] + w[:i] for i in (0, counts[0], sum(counts[:2]))}
        asked = [*words]
        answers = accepted(judged, asked)
        if any(one is not holds(meant, w) for w, one in zip(asked, answers, strict=True)):
            wrong.add(n)
    return min(wrong, default=longest + 1), wrong


@pytest.mark.parametrize("seed", [*range(3), *range(4, 13)])  # 3 takes as long as all of these
def test_the_first_error_is_that_of_strings(seed):
    judged, language = some(seed), LANGUAGES[seed % 4]
    found = every_length(judged, formula(language, judged.alphabet), 16)
    first, wrong = first_error(judged, language, UP_TO)
    assert min(found.reach + 1, UP_TO + 1) == first
    if found.kind == WRONG:
        w = found.counterexample
        [answer] = accepted(judged, [w])
        assert len(w) == found.reach + 1 and answer is not holds(formula(language, "01a"), w)
    else:
        assert not wrong
    if found.always is not None:
        assert {*range(found.always, UP_TO + 1)} <= wrong


def test_the_sign_of_a_cell_is_that_of_all_counts_in_it():
    known = 0
    for reading in [reading for seed in range(5 * OFTEN) for reading in readings(some(seed))]:
        judged, k, rng = reading.judged, reading.k, np.random.default_rng(0)
        low = rng.integers(0, ONE, (200, k))
        low[:, -1] = low[:, -1] // 40 + ONE // 60
        high = np.minimum(low + ONE // rng.integers(10, 300, (200, k)), ONE)
        signs, _ = reading.of_cells(low, high)
        rows, counts = inside(low, high)
        is_string = (counts >= reading.least).all(1)
        rows, counts = rows[is_string], counts[is_string]
        ours = reading.of_counts(counts)
        assert (ours == signs[rows])[signs[rows] != 0].all()
        known += int((signs[rows] != 0).sum())
        places = rng.permutation(len(counts))[:30]
        words = [reading.string(counts[place]) for place in places]
        answers = accepted(judged, words)
        assert answers == [{1: True, -1: False, 0: None}[x] for x in ours[places].tolist()]
    assert known > 400


def test_a_network_by_hand_errs_where_algebra_says():
    """Its logit is (ones - zeros) / (n + 1) - 1/100: a lead of one is too little from 99 symbols
    on, and a lead of two from 200 on.
    """
    found = every_length(by_hand(-0.01), formula(MAJORITY, "01"))
    assert (found.kind, found.counts, found.reach) == (WRONG, (49, 50), 98)
    assert found.always == 199


@pytest.mark.parametrize("values", [(-1, 1), (1, -1)])
def test_an_error_on_strings_of_one_symbol_is_one_at_every_length(values):
    """Its logit is 2/5 less the lead of the other symbol, in parts of n + 1."""
    found = every_length(by_hand(0.4, values=values), formula("position >= 1", "01"))
    assert (found.kind, found.reach, found.always) == (WRONG, 0, 1)


def test_with_log_n_a_network_by_hand_is_right_at_every_length():
    judged = by_hand(-0.5, 2.0)
    meant = formula('count(Q("1")) >= 1', "01")
    assert every_length(judged, meant).kind == PROVED
    plain = replace(judged, network=replace(judged.network, log_n=False))
    assert every_length(plain, meant).kind == WRONG


def test_an_error_that_a_limit_finds_is_no_proof():
    """Its logit is above 0 where 67 ones are more than 66 zeros and a tenth of all tokens."""
    judged = by_hand(-0.06, values=(-66, 67))
    found = every_length(judged, formula('67 * count(Q("1")) > 66 * count(Q("0"))', "01"))
    assert found.kind == WRONG and found.reach == len(found.counterexample) - 1


def test_a_cell_that_touches_the_limit_is_not_asked_at_one_length():
    """Its logit is (5 ones + 1) / (n + 1) - 1e-13: below 0 on 0^n from about 10^13 symbols on."""
    judged = by_hand(-1e-13, values=(0, 5), first=1)
    found = every_length(judged, formula("position >= 1", "01"), 32)
    assert found.kind == EACH_STRING


@pytest.mark.filterwarnings("error")
def test_a_score_that_comes_as_near_to_0_as_strings_are_long_is_no_division_by_0():
    """Its logit is -1 / (n + 1), on strings of one symbol: cells are cut down to their limit."""
    judged = replace(by_hand(0.0, values=(0, 0), first=-1), tokens={"1": 1})
    found = every_length(judged, formula("position < 1", "1"), 64)
    assert (found.kind, found.reach) == (EACH_STRING, 64)


def test_a_network_without_layers_is_judged():
    judged = by_hand(0.5)
    judged = replace(judged, network=replace(judged.network, layers=()))
    assert every_length(judged, formula("position >= 1", "01"), 64).kind == PROVED
    found = every_length(judged, formula('count(Q("1")) != 30 or count(Q("0")) != 9', "01"), 64)
    assert (found.kind, found.reach) == (WRONG, 38)


def test_a_mean_with_log_n_is_not_proved_by_the_shares_of_one_query():
    judged = replace(by_hand(-0.5, 2.0), read_at="mean")
    assert every_length(judged, formula('count(Q("1")) >= 1', "01"), 64).kind != PROVED


def test_a_tie_at_the_border_is_left_open():
    """With bias 0 the score at equal counts is 0 at every length."""
    found = every_length(by_hand(0.0), formula(MAJORITY, "01"), 16)
    assert (found.kind, found.always) == (EACH_STRING, None)


def test_the_door_gives_a_proof_and_an_error_beyond_what_it_decides():
    verdict = judge(by_hand(-0.5, 2.0), 'count(Q("1")) >= 1', 6)
    assert verdict.kind == PROVED and "cells of shares" in verdict.proof[0]
    verdict = judge(by_hand(-0.01), MAJORITY, 6)
    assert verdict.kind == WRONG and len(verdict.counterexample) == 99
    assert "at least one string of each length from 199 on is wrong" in str(verdict)
    assert "'0' 49 times, then '1' 50 times is rejected" in str(verdict)


class Told(Beside):
    """A module that is told the strings, and agrees."""

    def __call__(self, judged, words, *outputs):
        self.module(words)
        return 0.0


def test_a_counterexample_beyond_all_strings_is_put_to_the_module_too():
    asked = []
    judged = replace(by_hand(-0.01), beside=Told(asked.extend, None, (0, 0)))
    verdict = judge(judged, MAJORITY, 6)
    assert verdict.counterexample in asked and "of the network as it was read" in str(verdict)


def test_a_definition_that_parts_from_its_language_refutes_no_network():
    """It accepts everything, as the language does."""
    everything = Language("everything", lambda _: True, "01", definition="position <= 40")
    verdict = judge(by_hand(0.5, values=(0, 0)), everything, 6)
    assert verdict.kind == EACH_STRING and "its definition" in verdict.unproved


def changed(**changes) -> Judged:
    judged = by_hand(-0.01)
    of_network = {name: changes.pop(name) for name in [*changes] if hasattr(judged.network, name)}
    return replace(judged, network=replace(judged.network, **of_network), **changes)


@pytest.mark.parametrize(
    "changes, reason",
    [
        ({"positions": torch.zeros(9, 3).double()}, "it has positions"),
        ({"slopes": (0.5,)}, "distances"),
        ({"padding": (2, 9)}, "padded"),
        ({"causal": True}, "a mask hides tokens"),
        ({"read_at": 1}, "by its number"),
        ({"before": ()}, "first symbol"),
    ],
)
def test_a_network_whose_score_is_no_function_of_counts_is_refused(changes, reason):
    with pytest.raises(ValueError, match=reason):
        every_length(changed(**changes), formula(MAJORITY, "01"))


def test_the_seconds_end_it_with_what_is_known():
    found = every_length(by_hand(-1e-4), formula(MAJORITY, "01"), seconds=1e-6)
    assert (found.kind, found.reach) == (EACH_STRING, 16)
    assert found.reason == "the seconds are over"
    found = every_length(by_hand(-0.5, 2.0), formula('count(Q("1")) >= 1', "01"), seconds=1e-6)
    assert (found.reason, found.reach) == ("the seconds are over", 16)  # at the limit of log n too


def test_the_seconds_hold_where_balls_decide():
    """Of values this large floats tell nothing, and no string is a tie: 4 #1 + 1 > 2 T decides."""
    large, unit = 2.0**60, 256  # neighbours in float64
    judged = by_hand(-large - 2 * unit)
    word = torch.eye(3, dtype=torch.float64)
    word[:, 0] = torch.tensor([0, 4, 1], dtype=torch.float64) * unit + large
    word[:, 1:] = torch.tensor([0, 1])
    judged = replace(judged, network=replace(judged.network, word=word))
    found = every_length(judged, formula(MAJORITY, "01"), seconds=1e-6)
    assert (found.reason, found.reach) == ("the seconds are over", 0)
    fails = replace(judged, beside=Told(lambda words: [""].index(words[0][6:]), None, (0, 0)))
    with pytest.raises(ValueError, match="is not in list"):  # not told of as what is unproved
        judge(fails, MAJORITY, 6)
