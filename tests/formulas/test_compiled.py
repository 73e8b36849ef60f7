"""Compiled transformers, in all three ways, against Python, automata and sums in balls."""

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.formulas import LIBRARY, FormulaError, compiled
from lib.formulas.compilation import ATTENTIONS, Compiled
from lib.formulas.stated import DYCK_1, MAJORITY
from lib.transformer import Reading
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from tests import EVERYTHING, OFTEN
from tests.formulas.oracles import by_other_means, by_python, strings
from tests.formulas.test_interpreter import LOCAL

WAYS = [  # layer normalization leaves no position to compare with totals
    pytest.param(stated, attention, id=f"{stated.name}, {attention}")
    for stated in LIBRARY
    for attention in ATTENTIONS
    if not (attention == "layer norm" and stated.name.startswith("PARITY"))
]
each = pytest.mark.parametrize("attention", ATTENTIONS)


def in_floats(found: Compiled, w: list[str]) -> list[bool]:
    """The answers in float64; a batch holds strings of one length."""
    reader, answers = Encoder(found), {}
    for length in {len(one) for one in w}:
        batch = [one for one in w if len(one) == length]
        answers |= zip(batch, reader.accepts(batch).tolist(), strict=True)
    return [answers[one] for one in w]


@pytest.mark.parametrize("stated, attention", WAYS)
def test_every_string_of_the_librarys_languages_is_decided_correctly(stated, attention):
    """To length 12 once a month, but for three symbols and totals, which leave nothing to share."""
    longest = 7 if len(stated.alphabet) == 3 else 9 if "total" in stated.text else 12
    longest = longest if EVERYTHING else {2: 6, 3: 4}[len(stated.alphabet)]
    found = compiled(stated.text, stated.alphabet, attention)
    w, contains = strings(stated.alphabet, longest), by_other_means(stated)
    answers = Exact(found).accepts(w)
    assert answers == list(map(contains, w))
    assert found.language.errors(w, answers) == []
    assert in_floats(found, w) == answers


def assert_decided_as_python_does(
    text: str, alphabet: str, attention: str, longest: int
) -> Compiled:
    """On every string up to a length, exactly and in floats."""
    found, w = compiled(text, alphabet, attention), strings(alphabet, longest)
    expected = [by_python(text, one) for one in w]
    assert Exact(found).accepts(w) == expected
    assert in_floats(found, w) == expected
    return found


@each
@pytest.mark.parametrize(
    "text, alphabet",
    [
        ("total(True) == 3 or total(True) == 0", "ab"),
        ("0 < total(position != 2) < 4", "ab"),
        ('mod(2, 1) if count(Q("a")) > 1 else total(Q("b")) == 2', "ab"),
        ('count(Q("i")) > count(Q("n"))', "in"),
        ('once(Q("-") and count(Q("]")) < 2)', "-]"),
        ('count(Q(" ")) == 2*count(Q("𝟙"))', " 𝟙"),
        ('count(Q("a")) - count(Q("b")) + 2*count(Q("c")) - 3*count(Q("d")) == 1', "abcd"),
        ('always(Q("a"))', "a"),
        ("mod(1, 0) and position >= 0", "a"),
    ],
)
def test_an_alphabet_may_hold_any_symbols(text, alphabet, attention):
    longest = {1: 9, 2: 6, 4: 3}[len(alphabet)]
    assert_decided_as_python_does(text, alphabet, attention, longest)


POSITIONS_AND_TOTALS = [
    'total(Q("a")) >= position',
    "total(mod(2, 1)) - 2*position == -1",
    '2*position + 1 <= 3*total(Q("b"))',
    'once(Q("a") and position == total(Q("b")))',
]


@pytest.mark.parametrize("text", POSITIONS_AND_TOTALS)
def test_the_position_is_compared_with_totals_unless_there_is_layer_normalization(text):
    for attention in ("hardmax", "softmax"):
        assert_decided_as_python_does(text, "ab", attention, 6)
    with pytest.raises(FormulaError, match="compile for hardmax or softmax"):
        compiled(text, "ab", "layer norm")


BACK = [*LOCAL] + [
    "previous(True)",
    "previous(False)",
    'previous(Q("1") or Q("0"))',
    'not previous(not Q("1"))',
    "previous(previous(previous(mod(2, 0))))",
    'Q("1") and previous(previous(Q("0")) and not previous(previous(Q("1"))))',
    'previous(count(Q("1")) >= count(Q("0")))',
    'previous(never(Q("0")))',
    'count(previous(not previous(Q("1")))) == count(Q("1"))',
    'count(not previous(Q("1"))) == 3',
    'previous(count(previous(Q("1"))) == 2 and Q("0"))',
    '(2 if previous(Q("1")) else 1) == count(Q("0"))',
    'previous((1 if previous(Q("1")) else 0) == count(Q("0")))',
    'previous(total(Q("1")) == 2)',
    'count(not previous(total(Q("1")) == 1)) == 3',
    'total(previous(Q("1") and total(Q("0")) <= 2)) == 1',
    'total(previous(total(Q("0") and previous(Q("1"))) == 1)) >= 3',
    'previous(position == total(Q("1"))) or previous(position == 2)',  # refused for two reasons
]
BACKWARD = pytest.mark.parametrize("attention", ["hardmax", "softmax"])


@BACKWARD
@pytest.mark.parametrize("text", BACK)
def test_what_holds_at_the_previous_position_is_decided_correctly(text, attention):
    assert assert_decided_as_python_does(text, "01", attention, 6).is_exact


def previous_share(i: int, base: Fraction) -> Fraction:
    """The share of i - 1 among the positions 0 to i - 1, each of which weighs base^j."""
    return base ** (i - 1) / sum(base**j for j in range(i))


@pytest.mark.parametrize("base", [4, 9, Fraction(33, 2)])
def test_a_trace_shows_the_share_of_the_previous_position(base):
    found = compiled('previous(Q("1"))', "01", "softmax", base=base)
    trace = Exact(found).trace("1" * 8 + "0")
    nearly, clipped = (trace.a[-1][f"{x}[previous(Q('1'))]"] for x in ("nearly ", ""))
    matrix = trace.attention[1, 1]
    assert nearly[:2] == [0, 0] and clipped == [0, 0, *[1] * 8]
    for i in range(1, 10):
        share = previous_share(i, Fraction(base))
        assert share > 1 - 1 / Fraction(base)
        assert matrix[i][i - 1] == fmpq(share.numerator, share.denominator)
        assert sum(matrix[i]) == 1 and not any(matrix[i][i:])


@given(st.fractions(1, 40, max_denominator=50), st.fractions(0, 9, max_denominator=50))
@settings(max_examples=50 * OFTEN)
def test_softmax_finds_the_previous_position_where_its_share_lies_beyond_the_clip(base, slope):
    """In the limit of long strings the share is 1 - 1/b, which the clip must take to 1."""
    if base == 1 or slope == 0:
        return
    compares = compiled(MAJORITY.text, "01", "softmax", base, slope).is_exact
    clips = slope * (1 - 1 / base - Fraction(1, 2)) >= Fraction(1, 2)
    for text in ('previous(Q("1"))', 'total(not previous(Q("1"))) == 2'):
        assert compiled(text, "01", "softmax", base, slope).is_exact == (compares and clips)


@each
@pytest.mark.parametrize("stated", [MAJORITY, DYCK_1], ids=["MAJORITY", "Dyck-1"])
def test_long_strings_are_decided_correctly_in_floats(stated, attention):
    up, down = stated.alphabet[::-1] if stated is MAJORITY else stated.alphabet
    ladder, flat = up * 2000 + down * 2000, (up + down) * 2000
    tried = [ladder, flat[:-2] + down + up, flat[:1001] + up + flat[1002:]]
    expected = list(map(by_other_means(stated), tried))
    assert len(set(expected)) == 2
    found = compiled(stated.text, stated.alphabet, attention)
    assert Encoder(found).accepts(tried).tolist() == expected


@each
def test_a_total_and_a_count_of_one_layer_do_not_blur_each_other(attention):
    """Where n is much greater than i, the smaller of 1/n and 1/(i+1) is the unit of both."""
    text = 'count(total(Q("a")) >= 2) == position and once(Q("b"))'
    found = compiled(text, "ab", attention)
    w = ["aab" + "b" * 30, "a" + "b" * 30 + "a", "ab" + "b" * 30, "a" * 30, "ba" * 15]
    expected = [by_python(text, one) for one in w]
    assert expected == [True, True, False, False, True]
    assert Exact(found).accepts(w) == expected == in_floats(found, w)


def threshold_names(found: Compiled) -> list[str]:
    """The coordinates that hold a comparison or a conjunction, named by it in brackets."""
    return [
        name
        for name in found.construction.space.names
        if name.startswith("[") and "i mod" not in name and name != "[n=1]"
    ]


@each
@pytest.mark.parametrize("stated", LIBRARY[:7], ids=lambda stated: stated.name)
def test_each_threshold_in_a_trace_is_what_its_name_says(stated, attention):
    found = compiled(stated.text, stated.alphabet, attention)
    w = "".join(stated.alphabet) * 2 + stated.alphabet[0] * 3
    final, names = Exact(found).trace(w).a[-1], threshold_names(found)
    assert names
    for name in names:
        seen = [value > 0 for value in final[name]]
        assert seen[1:] == [by_python(name[1:-1], w[:i]) for i in range(1, len(w) + 1)], name
        if attention != "layer norm":
            assert all(isinstance(x, fmpq) and x in (0, 1) for x in final[name]), name
        else:
            size, shown = abs(final["one"][-1]), abs(final[name][-1])
            assert shown.overlaps(size)


def mean_position(i: int, g: int, base: arb) -> arb:
    """sum_j j base^((2g+1)j/(i+1)) over the sum of the weights, for j = 0..i."""
    ratio, weight = base ** (arb(2 * g + 1) / (i + 1)), arb(1)
    above = below = arb(0)
    for j in range(i + 1):
        above, below = above + j * weight, below + weight
        weight = weight * ratio
    return above / below


def least_distance(base: arb) -> arb:
    return (base.sqrt() - 1) / (2 * (base.sqrt() + 1))


@pytest.mark.parametrize("base", [2, 9, 16])
def test_the_mean_position_leaves_the_middle_by_the_margin(base):
    with ctx.workprec(128):
        b = arb(base)
        least = least_distance(b)
        for g in range(-3, 4):
            for i in range(1, 200):
                off = (mean_position(i, g, b) - arb(i) / 2) * (1 if g >= 0 else -1)
                if i == 1 and g in (0, -1):
                    assert off.overlaps(least) and off.rel_accuracy_bits() > 100  # it is attained
                else:
                    assert off > least, (i, g)


@given(st.fractions(1, 40, max_denominator=50), st.fractions(0, 5, max_denominator=50))
@settings(max_examples=200)
def test_softmax_is_exact_where_the_clip_lies_within_the_margin(base, slope):
    if base == 1 or slope == 0:
        with pytest.raises(ValueError, match="a base above 1 and a slope above 0 are expected"):
            compiled(MAJORITY.text, "01", "softmax", base, slope)
        return
    found = compiled(MAJORITY.text, "01", "softmax", base, slope)
    with ctx.workprec(256):
        b, s = (arb(fmpq(x.numerator, x.denominator)) for x in (base, slope))
        clip = s * least_distance(b) - arb(1) / 2
        assert clip.contains(0) or found.is_exact == (clip > 0)


def test_the_bounds_of_the_margin_are_sharp():
    def is_exact(attention="softmax", **options):
        return compiled(MAJORITY.text, "01", attention, **options).is_exact

    assert is_exact() and is_exact(base=9) and is_exact(base=9, slope=2)
    assert not is_exact(base=8.99) and not is_exact(base=9, slope=1.99)
    assert is_exact(base=25, slope=Fraction(3, 2)) and not is_exact(base=10**9, slope=1)
    assert is_exact("hardmax", base=2) and is_exact("layer norm", base=2)


@pytest.mark.parametrize("eps, pairs", [(1, 1), (0.1, 3), (0.01, 10), (1e-3, 34), (1e-5, 341)])
def test_eps_above_0_hides_a_late_violation_in_dyck_1(eps, pairs):
    """Later positions are normalized to less than earlier ones, and counted as less."""
    found = compiled(DYCK_1.text, "()", "layer norm")
    right, wrong = ("()" * k + ")(" for k in (pairs - 1, pairs))
    late = replace(found.construction, reading=Reading(eps=eps))
    assert Exact(late).accepts([right, wrong]) == [False, True]
    assert Encoder(late).accepts(wrong)
    assert Exact(found).accepts([right, wrong]) == [False, False]


@pytest.mark.parametrize("stated, attention", WAYS)
def test_only_totals_look_ahead(stated, attention):
    found = compiled(stated.text, stated.alphabet, attention)
    assert Exact(found).never_looks_ahead == ("total" not in stated.text)


def test_each_count_takes_two_layers():
    assert len(compiled('count(count(Q("1")) > 1) > 1', "01", "hardmax").construction.layers) == 4
