"""Constructions as data: transcription of the paper, JSON, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from lib import constructions
from lib.construction import FFN, Construction, Head, Layer
from lib.matrix import Matrix
from lib.space import Space, UnknownCoordinate
from tests.strategies import constructions as random_constructions

# Chiang & Cholak, section 3.2, typed from the paper: nonzero entries as (row, column), dimensions counted from 1.
PARITY_MATRICES = {
    ("V", 1, 1): {(6, 2): 1, (7, 3): 1},
    ("V", 2, 1): {(9, 8): 1},
    ("V", 2, 2): {(9, 8): -1},
    ("F", 1, 2): {(8, 1): 1, (8, 2): -2, (8, 3): 1},
}
PARITY_ROWS = {
    ("F", 1, 1): [[0, 0, 0, -1, 0, 1, -1, 0, 0], [0, 0, 0, -1, 0, 1, 0, 0, 0], [0, 0, 0, -1, 0, 1, 1, 0, 0]],
    ("Q", 2, 1): [[0, 0, 1, 0, 0, 0, 0, 0, 0]], ("K", 2, 1): [[0, 0, 0, 0, -1, 0, 0, 0, 0]],
    ("Q", 2, 2): [[0, 0, 1, 0, 0, 0, 0, 0, 0]], ("K", 2, 2): [[0, 0, 0, 0, 1, 0, 0, 0, 0]],
    ("b", 1, 1): [[0], [0], [0]], ("out", 1, 1): [[0, 0, 0, 0, 0, 0, 0, 0, 1]],
}
# Section 3.3.
FIRST_MATRICES = {("V", 2, 1): {(6, 4): Fraction(-1, 2), (6, 5): 1}, ("F", 1, 2): {(5, 1): 1}}
FIRST_ROWS = {("F", 1, 1): [[-1, 0, -1, 1, 0, 0]], ("Q", 2, 1): [[0, 0, 1, 0, 0, 0]], ("K", 2, 1): [[0, 0, 0, 1, 0, 0]],
              ("b", 1, 1): [[0]], ("out", 1, 1): [[0, 0, 0, 0, 0, 1]]}


@pytest.mark.parametrize("construction, sparse, rows", [(constructions.parity(), PARITY_MATRICES, PARITY_ROWS),
                                                        (constructions.first(), FIRST_MATRICES, FIRST_ROWS)], ids=["PARITY", "FIRST"])
def test_every_matrix_is_the_papers(construction, sparse, rows):
    for where, entries in sparse.items():
        found = construction.matrix(*where)
        assert {(r, c): x for r, row in enumerate(found.entries, 1) for c, x in enumerate(row, 1) if x} == entries, where
        assert len(found.rows) == len(construction.space)
    for where, expected in rows.items():
        assert [list(row) for row in construction.matrix(*where).entries] == expected, where


def test_the_second_paper_head_and_ffn_of_layer_one_do_nothing():
    parity, first = constructions.parity(), constructions.first()
    assert [len(layer.heads) for layer in parity.layers] == [1, 2] and parity.layers[1].ffn is None
    assert [len(layer.heads) for layer in first.layers] == [0, 1] and first.layers[1].ffn is None


def test_query_matrices_carry_the_symbolic_factor():
    assert constructions.parity().matrix("Q", 2, 1).factor == "c√d"
    assert constructions.parity(c=3).layers[1].heads[0].gain == 3


def test_doubling_d_does_not_change_the_gain():
    S = Space(*constructions.first().space.names, "spare 1", "spare 2")
    first = constructions.first()
    wide = Construction(S, first.word, first.position, first.layers, first.output, first.name)
    assert wide.layers == first.layers


def test_a_matrix_shows_its_names():
    shown = constructions.parity().matrix("F", 1, 1)
    assert shown.columns == constructions.parity().space.names and shown.rows == ("h1", "h2", "h3")
    assert "k/n" in repr(shown) and "<sup>F,1,1</sup>" in shown._repr_html_() and "<th>k/n</th>" in shown._repr_html_()
    assert shown.numpy().tolist()[0] == [0, 0, 0, -1, 0, 1, -1, 0, 0]


def test_a_matrix_refuses_a_wrong_shape():
    with pytest.raises(ValueError, match="2 rows of 1 entries are expected"):
        Matrix("W", ("a", "b"), ("x",), np.ones((1, 1)))


@pytest.mark.parametrize("where, message", [(("X", 1, 1), "kind must be one of"), (("V", 3, 1), r"layer must be in 1\.\.2"),
                                            (("V", 1, 2), "there is no head 2"), (("F", 2, 1), "no feed-forward matrix")])
def test_a_matrix_that_does_not_exist_is_named(where, message):
    with pytest.raises(ValueError, match=message):
        constructions.parity().matrix(*where)


@given(random_constructions())
@settings(max_examples=50, deadline=None)
def test_json_is_loss_free(construction):
    assert Construction.from_json(construction.to_json()) == construction


def test_json_keeps_the_papers_order():
    again = Construction.from_json(constructions.parity().to_json())
    assert again == constructions.parity() and again.space.names == constructions.parity().space.names
    assert repr(again.layers[0].ffn.hidden[0]) == "k/n - i/n - 1/n"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"space": ["a"]}'])
def test_what_is_not_a_construction_is_refused(text):
    with pytest.raises(ValueError, match="not the JSON of a construction"):
        Construction.from_json(text)


SMALL = Space("0", "1", "CLS", "i/n", "x", "y")
WORD = {name: SMALL[name] for name in ("0", "1", "CLS")}


def small(*layers: Layer, word=WORD, position=None, output="x") -> Construction:
    return Construction(SMALL, word, position or {"i/n": SMALL["i/n"]}, layers, SMALL[output])


def test_two_sublayers_that_write_one_coordinate_collide():
    write_x = Layer([Head(v={"x": SMALL["1"]})])
    with pytest.raises(ValueError, match="'x' is written by attention 1 and again by feed-forward 1"):
        small(Layer([Head(v={"x": SMALL["1"]})], FFN([SMALL["1"]], {"x": [1]})))
    with pytest.raises(ValueError, match="'x' is written by attention 1 and again by attention 2"):
        small(write_x, write_x)
    with pytest.raises(ValueError, match="'CLS' is written by the word embedding and again by attention 1"):
        small(Layer([Head(v={"CLS": SMALL["1"]})]))
    small(write_x, Layer([Head(v={"x": SMALL["1"]})], rewrites=["x"]))


def test_heads_of_one_sublayer_are_added_up_and_do_not_collide():
    assert small(Layer([Head(v={"x": SMALL["1"]}), Head(v={"x": SMALL["0"]})])).layers[0].heads[1].v[0][0] == "x"


@pytest.mark.parametrize("gain", [float("inf"), float("nan"), -float("inf")])
def test_a_gain_must_be_finite(gain):
    with pytest.raises(ValueError, match="a head's gain must be finite"):
        Head(v={"x": SMALL["1"]}, q=[SMALL["CLS"]], k=[SMALL["1"]], gain=gain)
    with pytest.raises(ValueError, match="a head's gain must be finite"):
        constructions.parity(c=gain)


def test_unknown_names_are_refused_wherever_they_stand():
    stranger = Space("z")["z"]
    for layer in (Layer([Head(v={"z": SMALL["1"]})]), Layer([Head(v={"x": stranger})]), Layer(rewrites=["z"]),
                  Layer([Head(v={"x": SMALL["1"]}, q=[stranger], k=[SMALL["1"]])]), Layer(ffn=FFN([stranger], {"x": [1]}))):
        with pytest.raises(UnknownCoordinate, match="no coordinate 'z'"):
            small(layer)
    with pytest.raises(ValueError, match="no position encoding 'i/m'"):
        small(position={"i/m": SMALL["i/n"]})
    with pytest.raises(ValueError, match="word embedding of CLS is missing"):
        small(word={"0": SMALL["0"]})


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="as many query rows as key rows, not 1 and 0"):
        Head(v={"x": SMALL["1"]}, q=[SMALL["CLS"]])
    with pytest.raises(ValueError, match="has 2 entries for 1 hidden units"):
        FFN([SMALL["1"]], {"x": [1, 2]})
    with pytest.raises(ValueError, match="attention has no bias"):
        Head(v={"x": SMALL["1"] + 1})


@pytest.mark.parametrize("w, error, message", [("012", ValueError, "'2' at position 3 is not in the alphabet {0, 1}"),
                                               ("CLS", ValueError, "'C' at position 1"), (7, TypeError, "a string over {0, 1}")])
def test_strings_outside_the_alphabet_are_refused(w, error, message):
    with pytest.raises(error, match=message):
        constructions.parity().tokens(w)
