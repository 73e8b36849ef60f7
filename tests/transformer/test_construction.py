"""Constructions as data: transcription of the paper, JSON, and what is refused."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings

from lib import constructions
from lib.transformer.construction import Construction, from_json, to_json
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from lib.transformer.space import Form, Matrix, Space, UnknownCoordinate
from lib.transformer.sublayers import FFN, Head, Layer
from tests.strategies import constructions as random_constructions

# Chiang & Cholak, section 3.2, typed from the paper: nonzero entries as (row, column), dimensions
# counted from 1.
PARITY_MATRICES = {
    ("V", 1, 1): {(6, 2): 1, (7, 3): 1},
    ("V", 2, 1): {(9, 8): 1},
    ("V", 2, 2): {(9, 8): -1},
    ("F", 1, 2): {(8, 1): 1, (8, 2): -2, (8, 3): 1},
}
PARITY_ROWS = {
    ("F", 1, 1): [
        [0, 0, 0, -1, 0, 1, -1, 0, 0],
        [0, 0, 0, -1, 0, 1, 0, 0, 0],
        [0, 0, 0, -1, 0, 1, 1, 0, 0],
    ],
    ("Q", 2, 1): [[0, 0, 1, 0, 0, 0, 0, 0, 0]],
    ("K", 2, 1): [[0, 0, 0, 0, -1, 0, 0, 0, 0]],
    ("Q", 2, 2): [[0, 0, 1, 0, 0, 0, 0, 0, 0]],
    ("K", 2, 2): [[0, 0, 0, 0, 1, 0, 0, 0, 0]],
    ("b", 1, 1): [[0], [0], [0]],
    ("out", 1, 1): [[0, 0, 0, 0, 0, 0, 0, 0, 1]],
}
# Section 3.3.
FIRST_MATRICES = {("V", 2, 1): {(6, 4): Fraction(-1, 2), (6, 5): 1}, ("F", 1, 2): {(5, 1): 1}}
FIRST_ROWS = {
    ("F", 1, 1): [[-1, 0, -1, 1, 0, 0]],
    ("Q", 2, 1): [[0, 0, 1, 0, 0, 0]],
    ("K", 2, 1): [[0, 0, 0, 1, 0, 0]],
    ("b", 1, 1): [[0]],
    ("out", 1, 1): [[0, 0, 0, 0, 0, 1]],
}

# Nowak et al., section 3.1 (padded to d = 7) and section 3.2 (d = 11), the first value matrix of
# layer 2 put right.
ONE_MATRICES = {
    ("V", 1, 1): {(5, 2): 1, (6, 3): 1},
    ("F", 1, 2): {(7, 1): 1, (7, 2): -2, (7, 3): 1, (7, 4): Fraction(-1, 2)},
}
ONE_ROWS = {
    ("F", 1, 1): [
        [0, 0, 0, 0, 1, -2, 0],
        [0, 0, 0, 0, 1, -1, 0],
        [0, 0, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 1, 0],
    ],
    ("b", 1, 1): [[0], [0], [0], [0]],
    ("out", 1, 1): [[0, 0, 0, 0, 0, 0, 1]],
}
PALINDROME_MATRICES = {
    ("V", 2, 1): {(11, 9): 1},
    ("V", 2, 2): {(11, 10): -1},
    ("F", 1, 2): {(9, 1): 1, (10, 2): 1},
}
PALINDROME_ROWS = {
    ("F", 1, 1): [[-1, 0, -1, -1, 0, 0, 1, 0, 0, 0, 0], [-1, 0, -1, -1, 0, 0, 0, 1, 0, 0, 0]],
    ("b", 1, 1): [[0], [0]],
    ("Q", 2, 1): [[0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]],
    ("K", 2, 1): [[0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]],
    ("Q", 2, 2): [[0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]],
    ("K", 2, 2): [[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]],
    ("out", 1, 1): [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
}


@pytest.mark.parametrize(
    "construction, sparse, rows",
    [
        (constructions.parity(), PARITY_MATRICES, PARITY_ROWS),
        (constructions.first(), FIRST_MATRICES, FIRST_ROWS),
        (constructions.one(), ONE_MATRICES, ONE_ROWS),
        (constructions.palindrome(), PALINDROME_MATRICES, PALINDROME_ROWS),
    ],
    ids=["PARITY", "FIRST", "ONE", "PALINDROME"],
)
def test_every_matrix_is_the_papers(construction, sparse, rows):
    for where, entries in sparse.items():
        found = construction.matrix(*where)
        assert {
            (r, c): x for r, row in enumerate(found.entries, 1) for c, x in enumerate(row, 1) if x
        } == entries, where
        assert len(found.rows) == len(construction.space)
    for where, expected in rows.items():
        assert [list(row) for row in construction.matrix(*where).entries] == expected, where


def test_what_the_paper_says_does_nothing_is_not_there():
    parity, first = constructions.parity(), constructions.first()
    assert [len(layer.heads) for layer in parity.layers] == [1, 2] and parity.layers[1].ffn is None
    assert [len(layer.heads) for layer in first.layers] == [0, 1] and first.layers[1].ffn is None


@pytest.mark.parametrize("length", [0, 1, 4, 5])
def test_palindromes_positions_are_the_papers(length):
    construction, n = constructions.palindrome(), length + 2
    stream = Exact(construction).trace("1" * length).a[0]
    assert stream["i"] == list(range(n)) and stream["n-1-i"] == list(range(n))[::-1]
    assert stream["left"] == [int(i <= (n - 1) / 2) for i in range(n)] and stream["right"] == [
        int(i >= (n - 1) / 2) for i in range(n)
    ]
    middle = Exact(constructions.sigmoid_palindrome()).trace("1" * length).a[0]["middle"]
    assert [i for i in range(n) if middle[i]] == [(n - 1) // 2] and sum(middle) == 1


def test_an_end_tag_stands_behind_every_string():
    construction = constructions.palindrome()
    assert construction.tokens("01") == ["CLS", "0", "1", "EOS"] and construction.tokens("") == [
        "CLS",
        "EOS",
    ]
    assert Encoder(construction).trace(["01", "11"]).tokens == [
        ["CLS", "0", "1", "EOS"],
        ["CLS", "1", "1", "EOS"],
    ]
    assert construction.alphabet == ("0", "1") and constructions.one().tokens("1") == ["CLS", "1"]


def test_a_base_must_be_a_number_above_0_and_an_activation_known():
    with pytest.raises(ValueError, match="a head's base must be above 0, not -2"):
        constructions.palindrome(base=-2)
    with pytest.raises(ValueError, match="base must be finite"):
        constructions.palindrome(base=float("inf"))
    with pytest.raises(
        ValueError, match="activation must be one of sigmoid, indicator, not 'tanh'"
    ):
        replace(constructions.one(), activation="tanh")
    assert Fraction(2) in constructions.palindrome().coefficients()


def test_json_keeps_bases_and_the_activation():
    for construction in (
        constructions.palindrome(),
        constructions.palindrome(Fraction(1, 2), None),
        constructions.sigmoid_palindrome(),
    ):
        assert from_json(to_json(construction)) == construction


def test_query_matrices_carry_the_symbolic_factor():
    assert constructions.parity().matrix("Q", 2, 1).factor == "c√d"
    assert constructions.parity(c=3).layers[1].heads[0].gain == 3


def test_doubling_d_does_not_change_the_logit():
    """The gain is c, not c√d: spare coordinates leave every logit as it is."""
    first = constructions.first(c=2)
    spare = Space(*first.space.names, *(f"spare {i}" for i in first.space.names))
    wide = Construction(spare, first.word, first.position, first.layers, first.output, first.name)
    assert wide.matrix("Q", 2, 1).factor == "c√d" and len(wide.matrix("Q", 2, 1).columns) == 12
    for w in ("1", "01", "1010"):
        assert (
            Encoder(wide)(w).item()
            == Encoder(first)(w).item()
            != Encoder(constructions.first())(w).item()
        )


def test_a_matrix_shows_its_names():
    shown = constructions.parity().matrix("F", 1, 1)
    assert shown.columns == constructions.parity().space.names and shown.rows == ("h1", "h2", "h3")
    assert (
        "k/n" in repr(shown)
        and "<sup>F,1,1</sup>" in shown._repr_html_()
        and "<th>k/n</th>" in shown._repr_html_()
    )
    assert shown.numpy().tolist()[0] == [0, 0, 0, -1, 0, 1, -1, 0, 0]


def test_a_matrix_refuses_a_wrong_shape():
    with pytest.raises(ValueError, match="2 rows of 1 entries are expected"):
        Matrix("W", ("a", "b"), ("x",), np.ones((1, 1)))


@pytest.mark.parametrize(
    "where, message",
    [
        (("X", 1, 1), "kind must be one of"),
        (("V", 3, 1), r"layer must be in 1\.\.2"),
        (("V", 1, 2), "there is no head 2"),
        (("F", 2, 1), "no feed-forward matrix"),
        (("V", 1.0, 1), "a layer must be an integer"),
        (("V", 1, True), "an index must be"),
    ],
)
def test_a_matrix_that_does_not_exist_is_named(where, message):
    with pytest.raises(ValueError, match=message):
        constructions.parity().matrix(*where)


@given(random_constructions())
@settings(max_examples=50)
def test_json_is_loss_free(construction):
    assert from_json(to_json(construction)) == construction


def test_json_keeps_the_papers_order():
    again = from_json(to_json(constructions.parity()))
    assert (
        again == constructions.parity() and again.space.names == constructions.parity().space.names
    )
    assert repr(again.layers[0].ffn.hidden[0]) == "k/n - i/n - 1/n"


GOOD = to_json(constructions.first())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"space": ["a"]}',
        GOOD.replace('"1"', '"1/0"'),
        GOOD.replace('"gain": "1"', '"gain": Infinity'),
        GOOD.replace('"-1/2"', '"half"'),
        GOOD.replace('"name": "FIRST"', '"name": 5'),
    ],
)
def test_what_is_not_a_construction_is_refused(text):
    with pytest.raises(ValueError, match="not the JSON of a construction: "):
        from_json(text)


def test_an_unknown_coordinate_in_json_is_named():
    with pytest.raises(ValueError, match="not the JSON of a construction: no coordinate 't' among"):
        from_json(GOOD.replace('"output": {\n  "s"', '"output": {\n  "t"'))


SMALL = Space("0", "1", "CLS", "i/n", "x", "y")
WORD = {name: SMALL[name] for name in ("0", "1", "CLS")}


def small(*layers: Layer, word=WORD, position=None, output="x") -> Construction:
    return Construction(SMALL, word, position or {"i/n": SMALL["i/n"]}, layers, SMALL[output])


def test_two_sublayers_that_write_one_coordinate_collide():
    write_x = Layer([Head(v={"x": SMALL["1"]})])
    with pytest.raises(
        ValueError, match="'x' is written by attention 1 and again by feed-forward 1"
    ):
        small(Layer([Head(v={"x": SMALL["1"]})], FFN([SMALL["1"]], {"x": [1]})))
    with pytest.raises(ValueError, match="'x' is written by attention 1 and again by attention 2"):
        small(write_x, write_x)
    with pytest.raises(
        ValueError, match="'CLS' is written by the word embedding and again by attention 1"
    ):
        small(Layer([Head(v={"CLS": SMALL["1"]})]))
    small(write_x, Layer([Head(v={"x": SMALL["1"]})], rewrites=["x"]))


def test_heads_of_one_sublayer_are_added_up_and_do_not_collide():
    both = small(Layer([Head(v={"x": SMALL["1"]}), Head(v={"x": 2 * SMALL["0"]})]))
    assert Exact(both).logit("011") == fmpq(2, 4) + 2 * fmpq(1, 4)


def test_a_name_written_twice_in_one_place_is_refused():
    for twice in (
        lambda: Head(v=[("x", SMALL["1"]), ("x", SMALL["0"])]),
        lambda: FFN([SMALL["1"]], [("x", [1]), ("x", [2])]),
        lambda: small(word=[("1", SMALL["1"]), ("1", SMALL["0"]), ("CLS", SMALL["CLS"])]),
    ):
        with pytest.raises(ValueError, match="is written twice"):
            twice()


def test_an_embedding_has_no_constant_and_is_not_empty():
    with pytest.raises(ValueError, match="an embedding has no constant: word '1' has 1 \\+ 5"):
        small(word={**WORD, "1": SMALL["1"] + 5})
    with pytest.raises(ValueError, match="the embeddings write no coordinate"):
        Construction(SMALL, {"CLS": Form()}, {}, [], SMALL["x"])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Head(v={"x": 1}),
        lambda: Head(v={"x": SMALL["1"]}, q=[1], k=[SMALL["1"]]),
        lambda: FFN([1], {"x": [1]}),
        lambda: Layer(["head"]),
        lambda: small("layer"),
        lambda: Construction(SMALL, WORD, {}, [], "x"),
    ],
)
def test_what_is_no_form_head_or_layer_is_refused(wrong):
    with pytest.raises(TypeError, match="is expected, not|must be a Form, not"):
        wrong()


def test_one_head_need_not_stand_in_a_list():
    assert Layer(Head(v={"x": SMALL["1"]})) == Layer([Head(v={"x": SMALL["1"]})])


def test_coefficients_are_all_numbers_of_a_construction():
    found = list(constructions.parity(c=Fraction(7, 3)).coefficients())
    assert found.count(Fraction(7, 3)) == 2 and found.count(Fraction(-2)) == 1


@pytest.mark.parametrize("gain", [float("inf"), float("nan"), -float("inf")])
def test_a_gain_must_be_finite(gain):
    with pytest.raises(ValueError, match="a head's gain must be finite"):
        Head(v={"x": SMALL["1"]}, q=[SMALL["CLS"]], k=[SMALL["1"]], gain=gain)
    with pytest.raises(ValueError, match="a head's gain must be finite"):
        constructions.parity(c=gain)


def test_unknown_names_are_refused_wherever_they_stand():
    stranger = Space("z")["z"]
    for layer in (
        Layer([Head(v={"z": SMALL["1"]})]),
        Layer([Head(v={"x": stranger})]),
        Layer(rewrites=["z"]),
        Layer([Head(v={"x": SMALL["1"]}, q=[stranger], k=[SMALL["1"]])]),
        Layer(ffn=FFN([stranger], {"x": [1]})),
    ):
        with pytest.raises(UnknownCoordinate, match="no coordinate 'z'"):
            small(layer)
    with pytest.raises(ValueError, match="'i/m' is no formula for a position"):
        small(position={"i/m": SMALL["i/n"]})
    with pytest.raises(ValueError, match="word embedding of CLS is missing"):
        small(word={"0": SMALL["0"]})


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="as many query rows as key rows, not 1 and 0"):
        Head(v={"x": SMALL["1"]}, q=[SMALL["CLS"]])
    with pytest.raises(ValueError, match="has 2 entries, .* for 1 hidden units"):
        FFN([SMALL["1"]], {"x": [1, 2]})
    with pytest.raises(ValueError, match="attention has no bias"):
        Head(v={"x": SMALL["1"] + 1})


@pytest.mark.parametrize(
    "w, error, message",
    [
        ("012", ValueError, "'2' at position 3 is not in the alphabet {0, 1}"),
        ("CLS", ValueError, "'C' at position 1"),
        (7, TypeError, "a string over {0, 1}"),
    ],
)
def test_strings_outside_the_alphabet_are_refused(w, error, message):
    with pytest.raises(error, match=message):
        constructions.parity().tokens(w)
