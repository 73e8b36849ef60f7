"""Layer normalization: the mirror, the sharpening layer, and the readers' option eps."""

from dataclasses import replace
from fractions import Fraction
from math import log

import numpy as np
import pytest
import torch
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import constructions
from lib.constructions.normalization import logit_layer, mirror, sharpen
from lib.languages import FIRST, ONE, PALINDROME, PARITY
from lib.transformer.construction import Construction
from lib.transformer.encoder import Encoder, cross_entropy_bits
from lib.transformer.exact import Exact
from lib.transformer.space import Space
from lib.transformer.sublayers import FFN, Head, Layer
from tests.reference import TorchReference
from tests.strategies import constructions as random_constructions
from tests.strategies import strings

PAIRS = [(constructions.parity, PARITY), (constructions.first, FIRST)]
both = pytest.mark.parametrize("construct, language", PAIRS, ids=["PARITY", "FIRST"])


@both
@pytest.mark.parametrize("eps", [0, 1e-5, 1e-2])
def test_every_decision_to_length_12_survives_in_float64_and_in_balls(construct, language, eps):
    mirrored = mirror(construct(tie_free=True))
    floats, exact = Encoder(mirrored, eps=eps), Exact(mirrored, eps=eps)
    for length in range(13):
        w = list(language.all_strings(length))
        assert language.errors(w, floats.accepts(w)) == []
        assert language.errors(w, [exact.decide(one).accepts for one in w]) == []


@both
@pytest.mark.parametrize("eps", [0, 1e-5, 1e-2])
def test_as_published_every_decision_on_a_non_empty_string_survives(construct, language, eps):
    mirrored = mirror(construct())
    floats, exact = Encoder(mirrored, eps=eps), Exact(mirrored, eps=eps)
    for length in range(1, 8):
        w = list(language.all_strings(length))
        assert language.errors(w, floats.accepts(w)) == []
        assert language.errors(w, exact.accepts(w)) == []
    assert exact.decide("", max_bits=256).sign is None


@both
def test_tie_free_changes_no_decision_and_leaves_no_tie(construct, language):
    for length in range(11):
        for w in language.all_strings(length):
            old, new = Exact(construct()).decide(w), Exact(construct(tie_free=True)).decide(w)
            assert old.accepts == new.accepts == language.contains(w) and new.sign != 0


@both
@pytest.mark.parametrize("eta", [0.5, 1e-2, 1e-6])
def test_sharpen_meets_eta_on_every_string_to_length_10(construct, language, eta):
    reader = Encoder(sharpen(mirror(construct(tie_free=True)), eta), eps=0)
    for length in range(11):
        w = list(language.all_strings(length))
        nats = cross_entropy_bits(reader(w), [language.contains(one) for one in w]) * log(2)
        assert torch.allclose(nats, torch.full_like(nats, eta), rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    "eta, message",
    [
        (0, "eta must lie strictly between 0 and ln 2"),
        (log(2), "between"),
        (1, "between"),
        (-1, "between"),
        (float("nan"), "eta must be finite"),
        (float("inf"), "eta must be finite"),
    ],
)
def test_sharpen_refuses_an_eta_that_it_cannot_meet(eta, message):
    with pytest.raises(ValueError, match=message):
        sharpen(mirror(constructions.first()), eta)


def test_sharpens_matrices_are_the_papers():
    first = constructions.first()
    new, d = sharpen(first, 0.1), 6
    identity = np.eye(d)
    assert np.array_equal(new.matrix("F", 3, 1).numpy(), np.vstack([identity, -identity]))
    logit = first.matrix("out").numpy()
    expected = np.hstack([-identity, identity])
    expected[0] += np.hstack([logit[0], -logit[0]])
    expected[1] += np.hstack([-logit[0], logit[0]])
    assert np.array_equal(new.matrix("F", 3, 2).numpy(), expected)


def test_the_mirrors_matrices_are_the_papers():
    parity, doubled, d = constructions.parity(), mirror(constructions.parity()), 9
    for layer, head in ((1, 1), (2, 1), (2, 2)):
        V, twice = parity.matrix("V", layer, head).numpy(), doubled.matrix("V", layer, head).numpy()
        assert np.array_equal(twice, np.block([[V, np.zeros((d, d))], [-V, np.zeros((d, d))]]))
    F1, F2 = (parity.matrix("F", 1, index).numpy() for index in (1, 2))
    assert np.array_equal(doubled.matrix("F", 1, 1).numpy(), np.hstack([F1, np.zeros_like(F1)]))
    assert np.array_equal(doubled.matrix("F", 1, 2).numpy(), np.vstack([F2, -F2]))
    Q, twice = parity.matrix("Q", 2, 1).numpy(), doubled.matrix("Q", 2, 1).numpy()
    assert np.array_equal(twice, np.hstack([Q, np.zeros_like(Q)]))


@given(random_constructions(), strings)
@settings(max_examples=40)
def test_mirroring_leaves_the_logit_and_makes_every_mean_zero(construction, w):
    doubled = mirror(construction)
    assert Encoder(doubled)(w).item() == pytest.approx(
        Encoder(construction)(w).item(), rel=1e-9, abs=1e-9
    )
    trace = Exact(doubled).trace(w)
    for stream in (*trace.a, *trace.c[1:]):
        for values in zip(*stream.values(), strict=True):
            assert abs(float(sum(values, fmpq(0)))) < 1e-9


@given(random_constructions(), strings, st.sampled_from([0.1, 1]))
@settings(max_examples=40)
def test_the_readers_agree_under_layer_normalization(construction, w, eps):
    floats, exact = Encoder(construction, eps=eps)(w).item(), Exact(construction, eps=eps).logit(w)
    assert floats == pytest.approx(float(exact), rel=1e-8, abs=1e-8)


@given(random_constructions(), strings)
@settings(max_examples=40)
def test_layer_normalization_is_pytorchs(construction, w):
    reference = TorchReference(construction, eps=0.1)
    assert Encoder(construction, eps=0.1)(w).item() == pytest.approx(
        reference(w), rel=1e-9, abs=1e-9
    )


def test_a_vector_of_equal_coordinates_is_refused_at_eps_zero():
    S = Space("0", "1", "CLS")
    zero, one, cls = S
    same = Construction(S, {"0": zero, "1": one, "CLS": zero + one + cls}, {}, [Layer()], cls)
    with pytest.raises(
        ZeroDivisionError, match="eps = 0 of a vector whose coordinates are all equal"
    ):
        Exact(same, eps=0).logit("0")
    with pytest.raises(ArithmeticError, match="is not finite"):
        Encoder(same, eps=0).accepts("0")


def test_hardmax_with_layer_normalization_is_refused_by_the_exact_reader():
    with pytest.raises(ValueError, match="hardmax under layer normalization"):
        Exact(constructions.parity(), "hardmax", eps=0)


def test_layers_that_only_cls_needs_are_computed_at_cls_only(monkeypatch):
    """A sharpening layer has no heads: it and the layer below it are computed at CLS only."""
    model = sharpen(mirror(constructions.parity(tie_free=True)), Fraction(1, 10))
    widths, feed_forward = [], Encoder._feed_forward

    def spy(self, layer, stream):
        widths.append(max(values.shape[1] for values in stream.values()))
        return feed_forward(self, layer, stream)

    monkeypatch.setattr(Encoder, "_feed_forward", spy)
    [w] = PARITY.sample(200, size=1, seed=0)
    assert PARITY.errors([w], Encoder(model, eps=0).accepts([w])) == [] and widths == [201, 1, 1]


@given(random_constructions(), strings)
@settings(max_examples=40)
def test_sharpen_keeps_the_sign_of_any_transformer_and_fixes_its_size(construction, w):
    """Outputs with constants among them; balls, as a random logit may be as small as it likes."""
    mirrored = mirror(construction)
    before = Exact(mirrored, eps=0)
    try:
        sign = before.decide(w, max_bits=128).sign
    except ZeroDivisionError:
        return
    if sign:
        after = float(Exact(sharpen(mirrored, 0.01), eps=0).logit(w, bits=256))
        assert after == pytest.approx(sign * -log(np.expm1(0.01)), rel=1e-9)


def ahead() -> Construction:
    """Accepts where some prefix has more 1s than 0s: two heads that see no future, read at the last
    position.
    """
    S = Space("0", "1", "CLS", "lead", "above", "heard")
    lead, heard = (
        Head({name: form}, mask="future")
        for name, form in (("lead", S["1"] - S["0"]), ("heard", S["above"]))
    )
    return Construction(
        S,
        {name: S[name] for name in ("0", "1", "CLS")},
        {},
        [Layer(lead, FFN(S["lead"], {"above": [1]})), Layer(heard)],
        S["heard"] - Fraction(1, 1000),
        readout="last",
    )


@pytest.mark.parametrize("adjacent", [False, True])
def test_masks_and_the_readout_survive_the_mirror_and_the_sharpening(adjacent):
    plain, eta = ahead(), 0.01
    mirrored = mirror(plain, adjacent)
    sharpened = sharpen(mirrored, eta)
    for construction in (mirrored, sharpened):
        heads = [head for layer in construction.layers for head in layer.heads]
        assert construction.readout == "last" and [head.mask for head in heads] == ["future"] * 2
    readers = [Encoder(plain), Encoder(mirrored, eps=0), Encoder(sharpened, eps=0)]
    for length in range(9):
        w = list(FIRST.all_strings(length))
        inside = [any(2 * v[:i].count("1") > i for i in range(1, length + 1)) for v in w]
        assert all(reader.accepts(w).tolist() == inside for reader in readers)
        nats = cross_entropy_bits(readers[-1](w), inside) * log(2)
        assert torch.allclose(nats, torch.full_like(nats, eta), rtol=1e-9, atol=0)


NEW = [(constructions.one(), ONE), (constructions.sigmoid_palindrome(), PALINDROME)]


@pytest.mark.parametrize("construction, language", NEW, ids=["ONE", "PALINDROME"])
def test_one_and_palindrome_sharpened_meet_a_millionth_on_every_string_to_length_12(
    construction, language
):
    reader = Exact(sharpen(mirror(construction), 1e-6), eps=0)
    for length in range(13):
        for w in language.all_strings(length):
            s = reader.logit(w, bits=128)
            nats = (1 + (-s if w in language else s).exp()).log()
            assert nats < 1e-6 * (1 + 1e-9)


def test_palindrome_sharpened_meets_a_millionth_on_hard_near_misses_to_300():
    reader = Exact(sharpen(mirror(constructions.sigmoid_palindrome()), 1e-6), eps=0)
    for length in (20, 51, 100, 201, 300):
        half = FIRST.sample(length // 2, size=1, seed=length)[0]
        w = half + "1" * (length % 2) + half[::-1]
        broken = [
            w[:place] + str(1 - int(w[place])) + w[place + 1 :]
            for place in (0, 1, length // 4, length // 2 - 2, length // 2 - 1, length - 1)
        ]
        swapped = [
            w[:place] + w[place + 1] + w[place] + w[place + 2 :] for place in (0, length // 2 - 2)
        ]
        for v in (w, *broken, *swapped):
            s = reader.logit(v, bits=512)
            assert (1 + (-s if v in PALINDROME else s).exp()).log() < 1e-6 * (1 + 1e-9)


def test_one_sharpened_meets_a_millionth_to_300():
    reader = Exact(sharpen(mirror(constructions.one()), 1e-6), eps=0)
    for length in (100, 300):
        for w in (
            "0" * length,
            "1" * length,
            "0" * (length - 1) + "1",
            "1" + "0" * (length - 1),
            "1" + "0" * (length - 2) + "1",
            *ONE.sample(length, 5, seed=0),
        ):
            s = reader.logit(w, bits=256)
            assert (1 + (-s if w in ONE else s).exp()).log() < 1e-6 * (1 + 1e-9)


@pytest.mark.parametrize("eps", [0, 1e-5, 1])
@pytest.mark.parametrize("construction, language", NEW, ids=["ONE", "PALINDROME"])
def test_one_and_palindrome_keep_their_decisions_under_layer_normalization(
    construction, language, eps
):
    reader = Exact(mirror(construction), eps=eps)
    w = [one for length in range(8) for one in language.all_strings(length)]
    assert language.errors(w, [reader.decide(one).accepts for one in w]) == []


def naive_palindrome() -> Construction:
    """The published two layers with a sigmoid: t, the weight of CLS, is half of the least |s|, and
    the logit is t - |s|.
    """
    published = constructions.palindrome()
    S, (first_head, second_head) = (
        Space(*published.space.names, "t", "l"),
        published.layers[1].heads,
    )
    decide = Layer(
        [
            Head({"s": S["1 on the left"], "t": S["CLS"]}, first_head.q, first_head.k, base=2),
            second_head,
        ],
        FFN([S["t"], S["s"], -S["s"]], {"l": [1, -1, -1]}),
    )
    return Construction(
        S, published.word, published.position, [published.layers[0], decide], S["l"]
    )


def test_the_naive_doubling_of_palindrome_breaks():
    """Behind a layer normalization the second layer's logits are bounded: its base is no longer 2.
    Every sign is proved.
    """
    w = [one for length in range(10) for one in PALINDROME.all_strings(length)]
    assert PALINDROME.errors(w, [Exact(naive_palindrome()).decide(one).accepts for one in w]) == []
    decisions = [Exact(mirror(naive_palindrome()), eps=0).decide(one) for one in w]
    assert None not in {d.sign for d in decisions}
    assert len(PALINDROME.errors(w, [d.accepts for d in decisions])) == 218


def test_underflow_is_no_answer():
    reader = Encoder(
        sharpen(mirror(constructions.parity(tie_free=True)), 0.1), torch.float16, eps=0
    )
    with pytest.raises(ArithmeticError, match="is not finite in torch.float16"):
        reader.accepts("1" * 100 + "0" * 100)


@both
def test_with_negatives_adjacent_every_mean_is_0_in_floating_point_too(construct, language):
    doubled = mirror(construct(), adjacent=True)
    names = doubled.space.names
    assert all(minus == f"-{plus}" for plus, minus in zip(names[::2], names[1::2], strict=True))
    assert set(names) == set(mirror(construct()).space.names)
    [w] = language.sample(300, size=1, seed=0)
    trace = Encoder(doubled, torch.float32, eps=0).trace(w)
    for stream in trace.a[1:]:
        assert all(
            torch.equal(stream[name], -stream[f"-{name}"]) for name in construct().space.names
        )


@both
def test_the_logit_layer_leaves_the_logit_and_its_negative(construct, language):
    construction = construct(tie_free=True)
    longer = replace(construction, layers=[*construction.layers, logit_layer(construction)])
    [w] = language.sample(40, size=1, seed=1)
    after = Encoder(longer).trace(w).a[-1]
    values = [after[name][0, 0].item() for name in construction.space.names]
    logit = Encoder(construction).logit(w)
    assert values[:2] == [pytest.approx(logit), pytest.approx(-logit)]
    assert not any(values[2:])
