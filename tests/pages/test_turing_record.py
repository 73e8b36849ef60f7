"""What chapter 6 records follows from what it is given: a wrong run changes the verdict."""

from dataclasses import replace

import pytest

from chapters.pages.turing_completeness import claims as record
from chapters.pages.turing_completeness.circuits import wired
from chapters.pages.turing_completeness.variants import EITHER, NEEDED, NOT_NEEDED, UNSAID, compare
from lib.turing.architecture import vanilla
from lib.turing.compilation import stack_rnn
from lib.turing.machines import INCREMENT, PALINDROMES
from record.claims import Claims


@pytest.fixture
def claims() -> Claims:
    return Claims("06_turing_completeness")


def verdicts(claims: Claims) -> list[str]:
    return [claim.verdict for claim in claims.claims]


def test_machines_agree(claims):
    inputs = [(INCREMENT, "1011"), (PALINDROMES, "010"), (PALINDROMES, "01")]
    record.machines(claims, inputs, [compare(m, w) for m, w in inputs])
    record.one_step(claims, PALINDROMES, "010")
    assert verdicts(claims) == ["agrees"] * 4 + ["not reported"]


def test_a_network_that_goes_wrong_is_not_recorded_as_right(claims):
    good = compare(INCREMENT, "1011")
    bad = replace(good, holds=good.holds | {"vanilla": False})
    with pytest.raises(ValueError, match="vanilla network.*differs: name its cause"):
        record.machines(claims, [(INCREMENT, "1011")], [bad])


@pytest.mark.parametrize("machine, w", [(INCREMENT, "1"), (PALINDROMES, "01")], ids=str)
def test_other_steps_of_the_rnn_are_not_recorded_as_right(claims, machine, w):
    good = compare(machine, w)
    with pytest.raises(ValueError, match="RNN steps.*differs: name its cause"):
        record.machines(claims, [(machine, w)], [replace(good, rnn_steps=good.rnn_steps + 4)])


def test_figure_2(claims):
    lines = [
        ["residual around encoder FFN", "σ, pos(i) = i", UNSAID, "wrong from h 3 on"],
        ["residual around encoder FFN", "σ, pos(i) = 1/i", EITHER, "right"],
        ["residual around decoder FFN", "O writes h", NOT_NEEDED, "right"],
        ["decoder FFN", "nothing", NEEDED, "wrong from h 2 on"],
    ]
    record.components(claims, vanilla(stack_rnn(INCREMENT)), lines)
    assert verdicts(claims) == ["agrees", "not reported", "agrees", "agrees"]
    assert [claim.settles for claim in claims.claims] == [
        "blocks",
        "",
        "residuals",
        "last residual",
    ]
    record.deaf(claims, [[1, 2], [1, 2]])
    assert verdicts(claims)[-1] == "agrees"
    with pytest.raises(ValueError, match="differs"):
        record.deaf(claims, [[1, 2], [1, 3]])


@pytest.mark.parametrize("paper, result", [(UNSAID, "right"), (EITHER, "wrong from h 3 on")])
def test_what_is_replaceable_is_decided_by_the_run(claims, paper, result):
    with pytest.raises(ValueError, match="does not hold|differs"):
        record.components(claims, vanilla(stack_rnn(INCREMENT)), [["a", "b", paper, result]])


def test_the_bound(claims):
    record.bound(claims, {1: 1, 2: 3, 3: 7})
    assert verdicts(claims) == ["agrees", "not reported"]
    for vectors in ({3: 8}, {3: 6}):
        with pytest.raises(ValueError):
            record.bound(claims, vectors)


def test_what_is_needed_is_refuted_only_by_runs_that_are_right(claims):
    record.without(claims, wired(INCREMENT), tried=9, wrong=0)
    assert verdicts(claims) == ["not reported"] + ["differs"] * 3
    with pytest.raises(ValueError, match="does not hold"):
        record.without(claims, wired(INCREMENT), tried=9, wrong=1)
    whole = Claims("06_turing_completeness")
    record.without(whole, vanilla(stack_rnn(INCREMENT)), tried=9, wrong=0)
    assert verdicts(whole)[1:] == ["agrees"] * 3  # this one uses what is called needed


def test_long_inputs_refute_nothing(claims):
    """The decoder of long inputs is recorded as the book's own, if it follows the machine."""
    lean, whole = wired(INCREMENT), vanilla(stack_rnn(INCREMENT))
    record.long_inputs(claims, lean, steps=4, followed=True)
    assert verdicts(claims) == ["not reported"]
    for model, followed in ((lean, False), (whole, True)):
        with pytest.raises(ValueError, match="does not hold"):
            record.long_inputs(claims, model, 4, followed)


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
