"""PyTorch's own modules: the logits of the reader, to 1e-12."""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import lib.transformer
from lib.constructions import normalization, papers
from lib.transformer import FFN, Classifier, Construction, Encoder, Head, Layer, Space, to_torch
from lib.transformer.classifier import LeadingNorm
from lib.transformer.construction import READOUTS
from lib.transformer.sublayers import MASKS
from tests.reference import TorchReference
from tests.strategies import constructions as random_constructions
from tests.strategies import strings

PAPERS = {
    "PARITY": papers.parity(),
    "PARITY without ties": papers.parity(10, tie_free=True),
    "FIRST": papers.first(),
    "FIRST without ties": papers.first(3, tie_free=True),
    "flawed FIRST": papers.flawed_first(3),
    "flawed FIRST, base 2": papers.flawed_first(3, base=2),
    "ONE": papers.one(),
    "PALINDROME": papers.palindrome(),
    "PALINDROME, base e": papers.palindrome(2, base=None),
    "one-layer PALINDROME": papers.sigmoid_palindrome(),
    "pairwise PALINDROME": papers.pairwise_palindrome(),
    "pairwise PALINDROME, base 3": papers.pairwise_palindrome(2, base=3),
}
every = pytest.mark.parametrize("construction", PAPERS.values(), ids=PAPERS)

S = Space("0", "1", "CLS", "x", "y", "s")
zero, one, cls, x, y, s = S
WORD = {"0": zero / 3, "1": one, "CLS": cls}


def masked(mask: str | None, readout: str = "last") -> Construction:
    """Masked and unmasked heads in one layer, uniform and not, then a layer with other masks; no
    coefficient that counts is a float.
    """
    first = Layer(
        [Head({"x": one / 3}, mask=mask), Head({"y": one + cls / 7}, q=[one], k=[cls], gain=2)]
    )
    second = Layer(
        [
            Head({"s": x - y}, q=[one + x / 3], k=[x - zero / 3], mask="future", gain=3),
            Head({"s": 2 * x}, q=[one, cls], k=[y / 9, zero], mask=mask, base=2),
        ],
        FFN([x - y / 3, s + Fraction(1, 3)], {"y": [Fraction(2, 3), -1]}, {"y": Fraction(1, 7)}),
        rewrites=["y"],
    )
    output = s + y + x / 7 + Fraction(1, 9)
    return Construction(S, WORD, {}, [first, second], output, "masked", readout=readout)


def with_value_rows(rows: int) -> Construction:
    """One head that writes `rows` coordinates."""
    space = Space("0", "1", "CLS", *(f"x{r}" for r in range(rows)))
    named = {name: space[name] for name in ("0", "1", "CLS")}
    values = {f"x{r}": space["1"] * (r + 1) for r in range(rows)}
    output = sum((space[name] for name in values), start=space["CLS"])
    return Construction(
        space, named, {}, Layer([Head(values, q=[space["1"]], k=[space["1"]])]), output
    )


def without_layers() -> Construction:
    return Construction(S, WORD, {"i": y}, [], y - 2 * zero + 3, readout="last")


def sample(length: int, size: int = 6) -> list[str]:
    """Random strings of one length, and a few regular ones."""
    draw = Random(length)
    random = ["".join(draw.choice("01") for _ in range(length)) for _ in range(size)]
    return [*random, "0" * length, "1" * length, ("01" * length)[:length]]


def assert_same(found: torch.Tensor, expected: torch.Tensor) -> None:
    assert found.dtype == torch.float64 and expected.isfinite().all()
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@every
@pytest.mark.parametrize("eps", [None, 1e-5, 0])
def test_the_papers_constructions_keep_their_logits(construction, eps):
    if eps is not None:
        construction = normalization.mirror(construction)
    network, reader = to_torch(construction, eps=eps), Encoder(construction, eps=eps)
    for length in range(7):
        batch = ["".join(w) for w in product("01", repeat=length)]
        assert_same(network.logits(batch), reader(batch))
    for length in (20, 63, 126):
        assert_same(network.logits(sample(length)), reader(sample(length)))


@every
@pytest.mark.parametrize("eps", [None, 1e-5])
def test_the_papers_constructions_agree_with_dense_matrices(construction, eps):
    reference = TorchReference(construction, eps)
    network = to_torch(construction, longest=32, eps=eps)
    for w in ("", "1", "0110", "1010011", "01" * 15):
        assert network.logits(w).item() == pytest.approx(reference(w), rel=1e-12, abs=1e-12)


@given(random_constructions(), strings, st.sampled_from([None, 1e-5, 0.1]))
@settings(max_examples=60)
def test_random_constructions_keep_their_logits(construction, w, eps):
    found = to_torch(construction, longest=7, eps=eps).logits(w)
    assert_same(found, Encoder(construction, eps=eps)(w))
    reference = TorchReference(construction, eps)(w)
    assert found.item() == pytest.approx(reference, rel=1e-12, abs=1e-12)


@st.composite
def masked_constructions(draw) -> Construction:
    """A random construction with a random mask for each head, read at either end."""

    def hide(head: Head) -> Head:
        return replace(head, mask=draw(st.sampled_from(MASKS)))

    construction = draw(random_constructions())
    layers = [replace(layer, heads=[*map(hide, layer.heads)]) for layer in construction.layers]
    return replace(construction, layers=layers, readout=draw(st.sampled_from(READOUTS)))


@given(masked_constructions(), strings, st.sampled_from([None, 1e-5, 0.1]))
@settings(max_examples=100)
def test_random_masks_keep_their_logits(construction, w, eps):
    found = to_torch(construction, longest=7, eps=eps).logits(w)
    assert_same(found, Encoder(construction, eps=eps)(w))


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize("eps", [None, 1e-5])
def test_masked_and_unmasked_heads_stand_side_by_side(mask, readout, eps):
    construction = masked(mask, readout)
    network, reader = to_torch(construction, 1200, eps), Encoder(construction, eps=eps)
    for length in (0, 1, 2, 5, 32, 33, 1100):  # PyTorch takes keys in blocks of several hundred
        assert_same(network.logits(sample(length, 1)), reader(sample(length, 1)))


def test_a_strictly_masked_head_counts_what_stands_before_and_sees_nothing_from_cls():
    construction = Construction(
        S, WORD, {}, Layer(Head({"s": one}, mask="strict future")), 3 * s - 1, readout="last"
    )
    assert to_torch(construction).logits(["0110", "1111", "0001"]).tolist() == pytest.approx(
        [3 * 2 / 4 - 1, 3 * 3 / 4 - 1, -1], rel=1e-15
    )
    assert to_torch(replace(construction, readout="CLS")).logits("1111").item() == -1


def test_each_layer_takes_the_heads_it_needs_and_the_others_write_nothing():
    plain, future = Head({"x": one}), Head({"y": one}, mask="future")
    layers = [Layer([plain, replace(plain, v={"y": cls})]), Layer([future], rewrites=["y"])]
    network = to_torch(Construction(S, WORD, {}, layers, y), longest=9)
    assert network.sizes.hidden == (9, 9, 1) and network.sizes.heads == 3
    written = [
        module.self_attn.out_proj.weight.reshape(48, 3, 16).abs().sum((0, 2)).tolist()
        for module in network.encoder.layers
    ]
    assert written == [[1, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("rows, d_model", [(1, 16), (16, 32), (17, 256)])
def test_heads_have_room_for_their_rows_and_a_width_whose_scale_is_exact(rows, d_model):
    construction = with_value_rows(rows)
    network = to_torch(construction)
    assert network.sizes.d_model == d_model >= len(construction.space)
    for w in ("", "0", "1101"):
        assert_same(network.logits(w), Encoder(construction)(w))


@pytest.mark.parametrize("rows, d_model", [(15, 16), (16, 256)])
def test_a_strictly_masked_head_has_room_for_a_row_more(rows, d_model):
    head = Head({"s": one}, q=[one / 9] * rows, k=[one + cls] * rows, mask="strict future")
    construction = Construction(S, WORD, {}, Layer(head), s, readout="last")
    network = to_torch(construction)
    assert network.sizes.d_model == d_model
    for w in ("", "0", "1101"):
        assert_same(network.logits(w), Encoder(construction)(w))


@pytest.mark.parametrize("eps", [None, 1e-5])
def test_a_construction_without_layers_is_its_embeddings(eps):
    for w in ("", "0", "1101"):
        assert_same(to_torch(without_layers(), eps=eps).logits(w), Encoder(without_layers())(w))


@pytest.mark.parametrize("eps, own", [(None, set()), (1e-5, {LeadingNorm})])
def test_the_modules_are_pytorchs_own(eps, own):
    network = to_torch(masked("future"), eps=eps)
    kinds = {type(module) for module in network.modules()}
    assert isinstance(network, Classifier) and type(network.encoder) is nn.TransformerEncoder
    assert {kind for kind in kinds if kind.__module__.split(".")[0] != "torch"} == {
        Classifier
    } | own


@pytest.mark.parametrize("eps", [None, 0.1])
@pytest.mark.parametrize(
    "construction", [papers.parity(), masked("strict future")], ids=["PARITY", "masked"]
)
def test_the_first_coordinates_are_the_constructions_and_the_padding_is_0(construction, eps):
    network, batch, seen = to_torch(construction, eps=eps), sample(5), []
    network.encoder.register_forward_hook(lambda *passed: seen.append(passed[-1]))
    network.logits(batch)
    d, trace = len(construction.space), Encoder(construction, eps=eps).trace(batch)
    for column, name in enumerate(construction.space.names):
        assert_same(seen[0][..., column], trace.a[-1][name])
    assert seen[0].shape[-1] > d and not seen[0][..., d:].any()


@pytest.mark.parametrize(
    "construction, eps",
    [(papers.parity(), None), (papers.parity(), 1e-5), (masked("strict future"), None)],
    ids=["plain", "normalized", "masked"],
)
def test_training_and_evaluation_with_and_without_gradients_agree(construction, eps):
    network = to_torch(construction, eps=eps)
    ids = torch.tensor([[0, 1, 2, 2, 1], [0, 2, 2, 2, 2]])
    expected = Encoder(construction, eps=eps)(["0110", "1111"])
    for training in (True, False):
        for with_gradients in (True, False):
            with torch.set_grad_enabled(with_gradients):
                found = network.train(training)(ids)
            assert found.requires_grad == with_gradients
            assert_same(found.detach(), expected)
    network(ids).sum().backward()
    gradients = [parameter.grad for parameter in network.parameters()]
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert network.word.weight.grad.any()


def test_a_float32_copy_keeps_the_masks():
    network = to_torch(masked("strict future")).float()
    expected = Encoder(masked("strict future"))(sample(9)).float()
    torch.testing.assert_close(network.logits(sample(9)), expected, rtol=1e-5, atol=1e-5)


def test_nothing_is_drawn_at_random():
    before = torch.random.get_rng_state()
    to_torch(papers.parity())
    assert torch.equal(before, torch.random.get_rng_state())


def test_token_ids_count_along_the_vocabulary():
    network = to_torch(papers.palindrome())
    assert network.sizes.vocabulary == ("CLS", "0", "1", "EOS")
    ids = torch.tensor([[0, 1, 2, 2, 3], [0, 1, 2, 1, 3]])
    assert torch.equal(network(ids), network.logits(["011", "010"]))
    assert torch.equal(network(ids.int()), network(ids))
    assert torch.equal(network.word.weight[1, :11], torch.eye(11, dtype=torch.float64)[0])


@pytest.mark.parametrize(
    "construction, rows",
    [(papers.first(), 7), (papers.parity(), 1 + 2 + 3 + 4 + 5 + 6 + 7), (masked("future"), 7)],
    ids=["of i alone", "of i and n", "no formula"],
)
def test_strings_of_every_length_up_to_the_longest_are_read(construction, rows):
    network, reader = to_torch(construction, longest=7), Encoder(construction)
    assert len(network.formulas) == rows
    for length in range(7):
        assert_same(network.logits(sample(length)), reader(sample(length)))
    with pytest.raises(ValueError, match="strings of 1 to 7 tokens are expected, not 8"):
        network.logits("0110110")


@pytest.mark.parametrize("mask", MASKS)
def test_the_longest_string_may_be_empty(mask):
    network = to_torch(masked(mask), longest=1)
    assert_same(network.logits(""), Encoder(masked(mask))(""))


def gain(size: int) -> Construction:
    head = Head({"s": one}, q=[10**300 * one], k=[one], gain=size)
    return Construction(S, WORD, {}, Layer(head), s, name="steep")


@pytest.mark.parametrize(
    "construction, options, error, message",
    [
        (None, {}, TypeError, "construction must be a Construction, not None"),
        ("PARITY", {}, TypeError, "construction must be a Construction, not 'PARITY'"),
        (papers.one(), {"longest": 0}, ValueError, "longest must be at least 1, not 0"),
        (papers.one(), {"longest": -3}, ValueError, "longest must be an integer .*, not -3"),
        (papers.one(), {"longest": 8.0}, ValueError, "longest must be an integer .*, not 8.0"),
        (papers.one(), {"longest": True}, ValueError, "longest must be an integer .*, not True"),
        (papers.one(), {"longest": "9"}, ValueError, "longest must be an integer .*, not '9'"),
        (papers.one(), {"eps": -1}, ValueError, "eps must be at least 0, not -1"),
        (papers.one(), {"eps": "0"}, TypeError, "eps must be an int, .*, not '0'"),
        (papers.one(), {"eps": float("nan")}, ValueError, "eps must be finite, not nan"),
        (papers.parity(10**400), {}, ValueError, "is not finite in torch.float64"),
        (gain(10**9), {}, ValueError, "a weight of steep, times its gain, is not finite"),
        (
            Construction(S, WORD, {"1/(n-5)": x}, [], x),
            {},
            ValueError,
            r"the position encoding '1/\(n-5\)' is not finite at n = 5",
        ),
    ],
)
def test_what_cannot_be_made_is_refused(construction, options, error, message):
    with pytest.raises(error, match=message):
        to_torch(construction, **options)


def test_a_formula_that_is_not_defined_at_longer_strings_does_for_short_ones():
    construction = Construction(S, WORD, {"1/(n-5)": x}, [], x)
    assert to_torch(construction, longest=4).logits("010").item() == -1


@pytest.mark.parametrize(
    "given, error, message",
    [
        ("012", ValueError, "symbol '2' at position 3 is not in the alphabet"),
        (["01", "0é"], ValueError, "symbol 'é' at position 2"),
        (["01", "1"], ValueError, r"of one length are expected, not of lengths \[1, 2\]"),
        ([], ValueError, r"of one length are expected, not of lengths \[\]"),
        ("0" * 8, ValueError, "strings of 1 to 8 tokens are expected, not 9"),
        (7, TypeError, "a string or a list of strings is expected, not 7"),
        (["01", 7], TypeError, "a string over {0, 1} is expected, not 7"),
    ],
)
def test_bad_strings_are_refused(given, error, message):
    with pytest.raises(error, match=message):
        to_torch(papers.parity(), longest=8).logits(given)


@pytest.mark.parametrize(
    "ids, error, message",
    [
        ("01", TypeError, "a tensor of token ids, int32 or int64, is expected, not '01'"),
        (torch.zeros(1, 3), TypeError, "a tensor of token ids, int32 or int64, is expected"),
        (torch.tensor([0, 1]), TypeError, r"shape \(batch, n\) are expected, not \(2,\)"),
        (torch.tensor([[0, 3]]), ValueError, r"count 0 to 2, \('CLS', '0', '1'\): not 3"),
        (torch.tensor([[0, -1]]), ValueError, "count 0 to 2, .*: not -1"),
        (torch.zeros(2, 0, dtype=torch.int64), ValueError, "1 to 8 tokens are expected, not 0"),
        (torch.zeros(2, 9, dtype=torch.int64), ValueError, "1 to 8 tokens are expected, not 9"),
    ],
)
def test_bad_token_ids_are_refused(ids, error, message):
    with pytest.raises(error, match=message):
        to_torch(papers.parity(), longest=8)(ids)


LOADED = """import sys
import lib.transformer
lib.transformer.Exact
print(sorted({"torch", "safetensors"} & set(sys.modules)))
lib.transformer.to_torch
print("torch" in sys.modules)
"""


def test_torch_is_loaded_where_it_is_asked_for():
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", LOADED], cwd=root, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["[]", "True"], done.stderr
    assert all(hasattr(lib.transformer, name) for name in lib.transformer.__all__)
    assert not hasattr(lib.transformer, "to_tensorflow")
