"""Constructions as data: transcription of the papers, JSON, and coordinates that collide."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from chapters.common.palindrome_precision import sigmoid_palindrome
from lib import constructions
from lib.transformer.construction import Construction, Reading, from_json, to_json
from lib.transformer.exact import Exact
from lib.transformer.space import Space
from lib.transformer.sublayers import FFN, Head, Layer

# Typed from the papers: nonzero entries as (row, column), dimensions counted from 1; what is not
# named is 0. Chiang & Cholak, sections 3.2 and 3.3.
PARITY = {
    ("V", 1, 1): {(6, 2): 1, (7, 3): 1},
    ("V", 2, 1): {(9, 8): 1},
    ("V", 2, 2): {(9, 8): -1},
    ("F", 1, 1): {(row, column): x for row in (1, 2, 3) for column, x in ((4, -1), (6, 1))}
    | {(1, 7): -1, (3, 7): 1},
    ("F", 1, 2): {(8, 1): 1, (8, 2): -2, (8, 3): 1},
    **{("Q", 2, head): {(1, 3): 1} for head in (1, 2)},
    **{("K", 2, head): {(1, 5): sign} for head, sign in ((1, -1), (2, 1))},
    ("out", 1, 1): {(1, 9): 1},
}
FIRST = {
    ("V", 2, 1): {(6, 4): Fraction(-1, 2), (6, 5): 1},
    ("F", 1, 1): {(1, 1): -1, (1, 3): -1, (1, 4): 1},
    ("F", 1, 2): {(5, 1): 1},
    ("Q", 2, 1): {(1, 3): 1},
    ("K", 2, 1): {(1, 4): 1},
    ("out", 1, 1): {(1, 6): 1},
}
# Nowak et al., section 3.1 (padded to d = 7) and section 3.2 (d = 11), the first value matrix of
# layer 2 put right.
ONE = {
    ("V", 1, 1): {(5, 2): 1, (6, 3): 1},
    ("F", 1, 1): {(1, 5): 1, (1, 6): -2, (2, 5): 1, (2, 6): -1, (3, 5): 1, (4, 6): 1},
    ("F", 1, 2): {(7, 1): 1, (7, 2): -2, (7, 3): 1, (7, 4): Fraction(-1, 2)},
    ("out", 1, 1): {(1, 7): 1},
}
PALINDROME = {
    ("V", 2, 1): {(11, 9): 1},
    ("V", 2, 2): {(11, 10): -1},
    ("F", 1, 1): {(row, column): -1 for row in (1, 2) for column in (1, 3, 4)}
    | {(1, 7): 1, (2, 8): 1},
    ("F", 1, 2): {(9, 1): 1, (10, 2): 1},
    **{("Q", 2, head): {(1, 3): 1} for head in (1, 2)},
    **{("K", 2, head): {(1, column): 1} for head, column in ((1, 5), (2, 6))},
    ("out", 1, 1): {(1, 11): 1},
}


@pytest.mark.parametrize(
    "construction, matrices, units",
    [
        (constructions.parity(), PARITY, 3),
        (constructions.first(), FIRST, 1),
        (constructions.one(), ONE, 4),
        (constructions.palindrome(), PALINDROME, 2),
    ],
    ids=["PARITY", "FIRST", "ONE", "PALINDROME"],
)
def test_every_matrix_is_the_papers(construction, matrices, units):
    d = len(construction.space)
    rows = {"V": d, "F": units, "Q": 1, "K": 1, "out": 1, "b": units}
    for where, expected in {**matrices, ("b", 1, 1): {}}.items():
        found = construction.matrix(*where).entries
        assert {
            (r, c): x for r, row in enumerate(found, 1) for c, x in enumerate(row, 1) if x
        } == expected, where
        wide = {("F", 1, 2): units, ("b", 1, 1): 1}.get(where, d)
        tall = d if where == ("F", 1, 2) else rows[where[0]]
        assert (len(found), {*map(len, found)}) == (tall, {wide}), where


@pytest.mark.parametrize("length", [0, 1, 4, 5])
def test_palindromes_positions_are_the_papers(length):
    construction, n = constructions.palindrome(), length + 2
    stream = Exact(construction).trace("1" * length).a[0]
    assert stream["i"] == list(range(n)) and stream["n-1-i"] == list(range(n))[::-1]
    assert stream["left"] == [int(i <= (n - 1) / 2) for i in range(n)] and stream["right"] == [
        int(i >= (n - 1) / 2) for i in range(n)
    ]
    middle = Exact(sigmoid_palindrome()).trace("1" * length).a[0]["middle"]
    assert [i for i in range(n) if middle[i]] == [(n - 1) // 2] and sum(middle) == 1


def test_json_keeps_bases_and_the_activation():
    for construction in (
        constructions.palindrome(),
        constructions.palindrome(Fraction(1, 2), None),
        sigmoid_palindrome(),
    ):
        assert from_json(to_json(construction)) == construction


GOOD = to_json(constructions.first())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"readout"', '"readings": null, "readout"', "'readings' is no field of a Construction"),
        ('"gain"', '"gian"', "'gian' is no field of a Head"),
        ('"hidden"', '"Eps": "1", "hidden"', "'Eps' is no field of a FFN"),
        ('"mask"', '"gain": "3", "mask"', "'gain' stands twice"),
    ],
)
def test_a_misspelt_field_of_json_is_refused(old, new, message):
    """Dropped without a word it would be another construction."""
    with pytest.raises(ValueError, match=message):
        from_json(GOOD.replace(old, new, 1))


def test_each_field_of_json_is_asked_for():
    """Without `reading`, `attention` or `eps` another transformer was read in silence."""
    data = json.loads(to_json(replace(constructions.first(), reading=Reading("hardmax"))))
    first, second = data["layers"]
    for part in (data, data["reading"], first, first["ffn"], *second["heads"]):
        for name, value in {**part}.items():
            del part[name]
            with pytest.raises(ValueError, match=f"'{name}' is missing in a [A-Z]"):
                from_json(json.dumps(data))
            part[name] = value
    assert from_json(json.dumps(data)).reading == Reading("hardmax")


SMALL = Space("0", "1", "CLS", "i/n", "x", "y")
WORD = {name: SMALL[name] for name in ("0", "1", "CLS")}


def small(*layers: Layer, word=WORD, position=None, output="x") -> Construction:
    return Construction(SMALL, word, position or {"i/n": SMALL["i/n"]}, layers, SMALL[output])


def test_two_sublayers_that_write_one_coordinate_collide():
    write_x, again = Head(v={"x": SMALL["1"]}), "is written by {} and again by {}"
    for layers, name, *both in (
        ([Layer(write_x, FFN([SMALL["1"]], {"x": [1]}))], "x", "attention 1", "feed-forward 1"),
        ([Layer(write_x), Layer(write_x)], "x", "attention 1", "attention 2"),
        ([Layer(Head({"CLS": SMALL["1"]}))], "CLS", "the word embedding", "attention 1"),
    ):
        with pytest.raises(ValueError, match=f"'{name}' {again.format(*both)}"):
            small(*layers)
    small(Layer(write_x), Layer(write_x, rewrites=["x"]))
