"""What chapter 6 records follows from what it is given: a wrong run changes the verdict."""

import pytest

from lib.book import turing_record as record
from lib.book.claims import Claims
from lib.turing.circuits import wired
from lib.turing.compilation import stack_rnn
from lib.turing.programs import INCREMENT, PALINDROMES
from lib.turing.simulate import vanilla
from lib.turing.variants import Comparison, compare


@pytest.fixture
def claims() -> Claims:
    return Claims("09_test")


def verdicts(claims: Claims) -> list[str]:
    return [claim.verdict for claim in claims.claims]


def test_machines_agree(claims):
    inputs = {INCREMENT: "1011", PALINDROMES: "010"}
    record.machines(claims, {m: compare(m, w) for m, w in inputs.items()}, inputs)
    record.one_step(claims, PALINDROMES, "010")
    assert verdicts(claims) == ["agrees"] * 4 + ["not reported"]


def test_a_network_that_goes_wrong_is_not_recorded_as_right(claims):
    good = compare(INCREMENT, "1011")
    bad = Comparison(good.run, good.rnn_steps, good.sizes, good.holds | {"vanilla": False})
    with pytest.raises(ValueError, match="vanilla network.*differs: name its cause"):
        record.machines(claims, {INCREMENT: bad}, {INCREMENT: "1011"})


def test_figure_2(claims):
    lines = [
        ["residual around encoder FFN", "pos(i) = i", "either", "wrong from h 3 on"],
        ["residual around encoder FFN", "pos(i) = 1/i", "either", "right"],
        ["decoder FFN", "nothing", "needed", "wrong from h 2 on"],
    ]
    record.components(claims, vanilla(stack_rnn(INCREMENT)), lines)
    assert verdicts(claims) == ["agrees", "differs", "agrees"]
    assert [claim.settles for claim in claims.claims] == ["blocks", "", "residuals"]
    record.deaf(claims, [[1, 2], [1, 2]])
    assert verdicts(claims)[-1] == "agrees"
    with pytest.raises(ValueError, match="differs"):
        record.deaf(claims, [[1, 2], [1, 3]])


def test_the_bound(claims):
    record.bound(claims, {1: 1, 2: 3, 3: 7})
    assert verdicts(claims) == ["agrees", "not reported"]
    for vectors in ({3: 8}, {3: 6}):
        with pytest.raises(ValueError):
            record.bound(claims, vectors)


def test_what_is_needed_is_refuted_only_by_runs_that_are_right(claims):
    models = [wired(INCREMENT)]
    record.without(claims, models, tried=9, wrong=0, steps=4, followed=True)
    assert verdicts(claims) == ["not reported"] * 2 + ["differs"] * 3
    for wrong, followed in ((1, True), (0, False)):
        with pytest.raises(ValueError, match="does not hold"):
            record.without(claims, models, 9, wrong, 4, followed)
    whole = Claims("09_test")
    record.without(whole, [vanilla(stack_rnn(INCREMENT))], 9, 0, 4, True)
    assert verdicts(whole)[2:] == ["agrees"] * 3  # this one uses what is called needed


def test_what_a_base_costs(claims):
    bits = {"a": 8, "b": 11}
    record.increments(claims, {8: {"a": 3, "b": 4}, 6: {"a": 0, "b": 1}}, bits)
    assert [claim.here for claim in claims.claims] == ["3 in a, 4 in b", "0 in a, 1 in b"]
    for wrong in (
        {8: {"a": 3, "b": 5}, 6: {"a": 0, "b": 1}},
        {8: {"a": 3, "b": 4}, 6: {"a": 3, "b": 1}},
    ):
        with pytest.raises(ValueError, match="does not hold"):
            record.increments(claims, wrong, bits)
