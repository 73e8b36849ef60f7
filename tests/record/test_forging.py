"""Forged numbers: every stored run has its shape, what is said to be computed anew is, and of
numbers that are changed and sealed again most are noticed.
"""

from dataclasses import replace
from random import Random

import pytest

from record.experiments import experiment
from record.rows import rows
from record.runs import stored, stored_runs
from record.shape import (
    ANEW,
    COUNT,
    LOSS,
    SHARE,
    TEXT,
    WAYS,
    YES,
    Range,
    misfits,
    out_of_shape,
    standing,
)
from tests import ROOT, SEED
from tests.forging import (
    ALONE,
    GROSS,
    ROWS,
    SMALL,
    Forgery,
    changed,
    forgeries,
    found,
    is_in_history,
    is_noticed,
    said_numbers,
    unsupported,
)


@pytest.mark.parametrize(
    "value, known",
    [
        (0.5, SHARE),
        (1, SHARE),
        (None, SHARE.optional),
        (0.1234, SHARE.to(4)),
        (3, COUNT),
        ("2.4.6", TEXT),
        ({"a": [1, 0], "c": "x"}, {"a": [YES], "b?": LOSS, "*": TEXT}),
        ([[1, 0.5], [2, 0.25]], [[COUNT, SHARE]]),
    ],
)
def test_what_has_its_shape_is_let_pass(value, known):
    assert [*misfits(value, known)] == []


@pytest.mark.parametrize(
    "value, known, place",
    [
        ({"a": [0.5, 1.5]}, {"a": [SHARE]}, ".a[1] is 1.5"),
        ({"a": -0.1}, {"a": LOSS}, ".a is -0.1"),
        ({"a": 0.12345}, {"a": SHARE.to(4)}, ".a is 0.12345"),
        ({"a": 1.5}, {"a": COUNT}, ".a is 1.5"),
        ({"a": True}, {"a": COUNT}, ".a is True"),
        ({"a": float("nan")}, {"a": LOSS}, ".a is nan"),
        ({"a": None}, {"a": SHARE}, ".a is None"),
        ({"a": "b"}, {"a": Range(says="[0-9]+")}, ".a is 'b'"),
        ({}, {"a": SHARE}, ".a is missing"),
        ({"b": 1}, {"a?": SHARE}, ".b is not expected"),
        ({"a": [1, 2, 3]}, {"a": [COUNT, COUNT]}, ".a is [1, 2, 3]"),
        ({"a": 1}, {"a": {"b": COUNT}}, ".a is 1"),
    ],
)
def test_what_has_not_its_shape_is_named(value, known, place):
    assert [*misfits(value, known)] == [place]


@pytest.mark.parametrize("run", stored_runs(), ids=lambda run: run.name)
def test_every_stored_run_has_its_shape_and_says_how_it_is_held(run):
    asked = experiment(run.name)
    assert [*out_of_shape(run, asked)] == []
    held = standing(run, asked)
    assert [*held] == [*WAYS] and "seconds" in held[WAYS[-1]]


def test_a_run_in_another_order_or_of_another_date_is_out_of_shape():
    run = stored("parity_significand")
    asked = experiment(run.name)
    turned = replace(run, results=run.results[::-1])
    assert [*out_of_shape(turned, asked)] == ["the configurations are not those of the code"]
    undated = replace(run, made=run.made | {"date": "2026-13-01"})
    assert [*out_of_shape(undated, asked)] == ["made.date is '2026-13-01'"]
    row = run.results[0] | {"seconds": -1.0}
    [wrong] = out_of_shape(replace(run, results=[row, *run.results[1:]]), asked)
    assert wrong == "[0].seconds is -1.0"


QUICK = ("parity_significand", "every_length", "bounds_held", "published_networks", "ffnn_parity")


@pytest.mark.parametrize("name", QUICK)
def test_what_is_said_to_be_computed_anew_is(name):
    """One number of each such name is changed grossly."""
    run, draw = stored(name), Random(SEED)
    for place in standing(run, experiment(name))[ANEW]:
        at = draw.randrange(len(run.results))
        for path in numbers_of(run.results[at], place.split(" (")[0].split(".")):
            was = found(run.results, (at, *path))
            now = changed(was, draw, GROSS)
            assert is_noticed(Forgery(name, (at, *path), was, now, GROSS)), (place, path)


def numbers_of(row: dict, names: list[str]) -> list[tuple]:
    """The first number that these names lead to, if one is there."""
    inside, path = row["result"], ("result",)
    for name in names:
        while isinstance(inside, list) and inside:
            inside, path = inside[0], (*path, 0)
        inside, path = inside.get(name), (*path, name)
    while isinstance(inside, list) and inside:
        inside, path = inside[0], (*path, 0)
    return [path] if isinstance(inside, int | float) else []


def test_of_forged_numbers_three_in_four_are_noticed_and_the_others_stand_in_the_history():
    drawn = forgeries(24, SEED)
    assert {forgery.how for forgery in drawn} == {SMALL, GROSS}
    unnoticed = [forgery for forgery in drawn if not is_noticed(forgery)]
    assert len(unnoticed) <= 6
    if (ROOT / ".git").exists():
        assert [forgery for forgery in unnoticed if not is_in_history(forgery)] == []


def test_numbers_of_rows_stand_elsewhere_too_and_their_words_are_recorded():
    for place, row in rows().items():
        alone = [said.partition(" in ")[0] for said in unsupported(row)]
        assert alone == ALONE.get(place, []), place
    row = rows()["C 3.4"]
    assert unsupported(row | {"statement": "accuracy to 77"}) == [
        "77 in 'accuracy to 77'",
        "its words",
    ]
    path = (ROWS, "C 3.4", "statement")
    forgery = Forgery(ROWS, path, row["statement"], row["statement"].replace("1000", "2000"), GROSS)
    assert is_noticed(forgery)


def test_numbers_are_read_out_of_text():
    assert said_numbers("1-1000, .0174/8.0e-8, 1,500 and [6,6]") == {1, 1000, 0.0174, 8e-8, 1500, 6}
