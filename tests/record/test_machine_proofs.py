"""Proofs for every length of constructions, held against the exact reader on all short strings."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from chapters.common.mutants import mutants
from chapters.the_map import encoders
from lib import constructions
from lib.formulas import Q, count, language
from lib.languages import FIRST, MAJORITY, ONE, PARITY
from lib.proofs.constructions import PROVED, UNKNOWN, WRONG, proved_by_kinds, proved_regular
from lib.proofs.equal import regular
from lib.proofs.rational import variable
from lib.proofs.unique import automaton
from lib.transformer import Construction, Exact, Head, Layer, Space
from record.proofs import proved_above
from tests import OFTEN, SEED

STRINGS = [w for length in range(8) for w in PARITY.all_strings(length)]
ODD = regular("0*1(0*10*1)*0*", "01")
STARTS = 'count(Q("1") and position == 1) == 1'
MORE = 'count(Q("1")) > count(Q("0"))'


def majority_by_hand() -> Construction:
    """MAJORITY for averaging hardmax as chapter 8 builds it."""
    S = Space("0", "1", "CLS", "k₀/(i+1)", "k₁/(i+1)", "1/(i+1)", "g≥0")
    zero, one, cls, k0, k1, unit, answer = S
    average = Layer(Head({"k₀/(i+1)": zero, "k₁/(i+1)": one, "1/(i+1)": cls}, mask="future"))
    compare = Layer(Head({"g≥0": cls}, [2 * (k1 - k0 - unit) + unit], [cls], mask="future"))
    words = {"0": zero, "1": one, "CLS": cls}
    output = answer - cls - Fraction(1, 2)
    return Construction(S, words, {}, [average, compare], output, "MAJORITY", readout="last")


CASES = {
    "ONE": (constructions.one(), 'count(Q("1")) == 1', ONE, "softmax"),
    "MAJORITY": (encoders.majority(), MORE, MAJORITY, "softmax"),
    "MAJORITY, masked": (encoders.majority(masked=True), MORE, MAJORITY, "hardmax"),
    "MAJORITY by hand": (majority_by_hand(), MORE, MAJORITY, "hardmax"),
    "FIRST": (constructions.first(), STARTS, FIRST, "softmax"),
    "FIRST without ties": (constructions.first(tie_free=True), STARTS, FIRST, "softmax"),
    "FIRST, hardmax": (constructions.first(), STARTS, FIRST, "hardmax"),
    "PARITY without ties": (constructions.parity(tie_free=True), ODD, PARITY, "softmax"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_proved_for_every_length_holds_for_short_strings(name):
    construction, condition, meant, attention = CASES[name]
    proof = proved_by_kinds(construction, condition, attention)
    assert proof.kind == PROVED and proof.counterexample is None
    assert "z3" in proof.solver and construction.name in proof.claim
    is_for_every_gain = attention == "softmax" and name.split()[0] in ("FIRST", "PARITY")
    assert proof.claim.endswith("for every E > 1") == is_for_every_gain
    assert meant.errors(STRINGS, Exact(construction, attention).accepts(STRINGS)) == []


def test_a_polynomial_in_the_numbers_of_symbols_is_a_condition():
    ones, zeros = variable("#1"), variable("#0")
    assert proved_by_kinds(encoders.majority(), ones - zeros).kind == PROVED
    assert proved_by_kinds(encoders.majority(), ones * ones - zeros * zeros).kind == PROVED
    refuted = proved_by_kinds(encoders.majority(), ones * ones - 2 * zeros * zeros)
    w = refuted.counterexample
    assert refuted.kind == WRONG and w.count("0") < w.count("1") < 2 * w.count("0")
    with pytest.raises(ValueError, match="a polynomial in #0, #1 is expected, not #2"):
        proved_by_kinds(encoders.majority(), variable("#2"))


def verdict(construction, condition, attention="softmax"):
    """What is said of a mutant: a proof, or why it is refused."""
    try:
        return proved_by_kinds(construction, condition, attention)
    except ValueError as error:
        return str(error)


SURVIVORS = {
    "ONE": {  # a clip that no whole number meets
        "W^{F,1,1}: h1 ← k/n",
        "W^{F,1,1}: h4 ← 1/n",
        "W^{F,1,2}: s ← h1",
        "W^{F,1,2}: s ← h4",
    },
    # no focus is needed, since other positions have value 0; CLS never stands at 1; without -1/2 a
    # rejected string ties at 0
    "FIRST": {
        "W^{Q,2,1}: q1 ← CLS",
        "W^{K,2,1}: k1 ← [i=1]",
        "W^{F,1,1}: h1 ← CLS",
        "W^{V,2,1}: s ← [i=1]",
    },
    "MAJORITY": set(),
    # where g is 2(k₁ - k₀), a tie shares the weight among all tokens, and CLS has at most a third
    "MAJORITY by hand": {"W^{Q,2,1}: q1 ← 1/(i+1)", "W^{V,1,1}: 1/(i+1) ← CLS"},
}


def weighing(construction, weight):
    """The construction with heads that look in a base of that weight."""
    layers = [
        replace(layer, heads=[replace(head, base=weight) for head in layer.heads])
        for layer in construction.layers
    ]
    return replace(construction, layers=layers)


def check(mutant, condition, meant, attention, found):
    """Whether a mutant was proved; holds what was found against the exact reader."""
    if isinstance(found, str):
        assert mutant.name in found and ("head" in found or "i" in found)
        return False
    weights = [2, Fraction(3, 2), 9] if found.weight is None else [found.weight]
    if found.kind == PROVED:
        for weight in weights:
            accepted = Exact(weighing(mutant, weight), attention).accepts(STRINGS)
            assert meant.errors(STRINGS, accepted) == []
        return True
    assert found.kind == WRONG
    reader = Exact(weighing(mutant, weights[0]), attention)
    shorter = [w for w in STRINGS if len(w) < len(found.counterexample)]
    assert meant.errors(shorter, reader.accepts(shorter)) == []
    assert reader.accepts(found.counterexample) != (found.counterexample in meant)
    return False


@pytest.mark.parametrize("name", SURVIVORS)
def test_mutants_are_refuted_or_equal(name):
    construction, condition, meant, attention = CASES[name]
    proved = {
        label
        for label, mutant in mutants(construction)
        if check(mutant, condition, meant, attention, verdict(mutant, condition, attention))
    }
    assert proved == SURVIVORS[name]


def test_flawed_first_is_right_exactly_where_e_exceeds_n_minus_1():
    """As strings say in tests/test_log_n.py."""
    n = Space("n")["n"]
    flawed = constructions.flawed_first()
    assert proved_by_kinds(flawed, STARTS).counterexample == "10"
    proof = proved_above(flawed, STARTS, n - 1)
    assert proof.kind == PROVED and "10...0 is decided incorrectly" in proof.claim
    low = proved_above(flawed, STARTS, n - 2)
    assert (low.kind, low.counterexample, low.weight) == (WRONG, "10", 2)
    assert proved_above(flawed, STARTS, n).kind == UNKNOWN
    assert proved_above(constructions.first(), STARTS, n - 1).kind == UNKNOWN  # is right below too


def test_random_averages_are_proved_if_and_only_if_short_strings_agree():
    draw = random.Random(SEED)
    S = Space("0", "1", "CLS", "s")
    zero, one, cls, s = S
    strings = ["0" * a + "1" * b for a in range(10) for b in range(10)]
    kinds = set()
    for _ in range(8 * OFTEN):
        a, b, c, x, y, z = (draw.randint(-2, 2) for _ in range(6))
        average = Layer(Head({"s": a * zero + b * one + c * cls}))
        network = encoders.network(S, [average], output=s)
        condition = x * count(Q("0")) + y * count(Q("1")) + z > 0
        if draw.random() < 0.5:
            condition = a * count(Q("0")) + b * count(Q("1")) > -c
        wrong = language(condition, "01").errors(strings, Exact(network).accepts(strings))
        proof = proved_by_kinds(network, condition)
        assert proof.kind == (WRONG if wrong else PROVED)
        assert not wrong or len(proof.counterexample) == min(map(len, wrong))
        kinds.add(proof.kind)
    assert kinds == {PROVED, WRONG}


REFUSED = [  # what, condition, what the message names
    (constructions.palindrome(), STARTS, "head 2.1: the logit .* of 'EOS' is no whole number"),
    (constructions.pairwise_palindrome(), STARTS, "'i²' is no fraction in i and n"),
    (encoders.contains_01(), MORE, "head 1.1|head 2.1: .* depends on the order of the tokens"),
    (constructions.one(), 'Q("1")', "no condition on numbers of tokens"),
    (constructions.one(), 'count(Q("1") and count(Q("0")) == 1) == 1', "no number of tokens"),
    (constructions.one(), regular("1(0|1)*", "01"), "01 and 10 lead to one state"),
]


@pytest.mark.parametrize("construction, condition, named", REFUSED)
def test_what_is_outside_of_the_class_is_refused_by_name(construction, condition, named):
    with pytest.raises(ValueError, match=named):
        proved_by_kinds(construction, condition)


REGULAR = [
    (encoders.contains_01(), "(0|1)*01(0|1)*", ("rightmost",)),
    (encoders.odd_positions(), "((0|1)0)*(0|1)?", ("leftmost", "rightmost")),
    (encoders.induction(), "(0|1)*(011*0|11)", ("rightmost",)),
]


@pytest.mark.parametrize("construction, expression, right", REGULAR)
def test_unique_hardmax_is_a_finite_automaton(construction, expression, right):
    for ties in ("leftmost", "rightmost"):
        proof = proved_regular(construction, expression, ties)
        assert proof.kind == (PROVED if ties in right else WRONG)
        assert agrees_on_short_strings(construction, ties)
    known = regular(expression, construction.alphabet)
    assert proved_regular(construction, known, right[0]).kind == PROVED


def agrees_on_short_strings(construction, ties):
    """Whether the automaton accepts what the exact reader does."""
    dfa, reader = automaton(construction, ties), Exact(construction, ties)
    strings = ["".join(w) for k in range(8) for w in product(construction.alphabet, repeat=k)]
    return list(map(dfa.accepts_input, strings)) == reader.accepts(strings)


@pytest.mark.parametrize("construction, expression, right", REGULAR)
def test_mutants_with_unique_hardmax_are_refuted_or_equal(construction, expression, right):
    [ties, *_] = right
    meant = regular(expression, construction.alphabet)
    strings = ["".join(w) for k in range(8) for w in product(construction.alphabet, repeat=k)]
    changed = [replace(construction, output=-construction.output)]
    changed += [replace(construction, output=construction.output + Fraction(3, 2))]
    changed += [mutant for _, mutant in mutants(construction)]
    for mutant in changed:
        accepted = Exact(mutant, ties).accepts(strings)
        wrong = [w for w, a in zip(strings, accepted) if a != meant.accepts_input(w)]
        proof = proved_regular(mutant, expression, ties)
        assert proof.kind == (WRONG if wrong else PROVED)
        assert not wrong or len(proof.counterexample) == len(wrong[0])
    kinds = {proved_regular(mutant, expression, ties).kind for mutant in changed[:2]}
    assert kinds == {WRONG}


@pytest.mark.parametrize("ties", ["leftmost", "rightmost"])
def test_random_constructions_behind_masks_are_automata(ties):
    draw = random.Random(SEED)
    for seed in range(12):
        drawn = encoders.drawn(seed)
        layers = [
            replace(layer, heads=[masked(h, draw) for h in layer.heads]) for layer in drawn.layers
        ]
        assert agrees_on_short_strings(replace(drawn, layers=layers, readout="last"), ties)


def masked(head, draw):
    return replace(head, mask=draw.choice(["future", "strict future"]), gain=draw.choice([-1, 2]))


@pytest.mark.parametrize("formula", ["[i=3]", "[i≤2]", "cos iπ", "i mod (i mod 2 + 2)", "[2<i]"])
def test_positions_that_repeat_in_the_end_are_a_part_of_the_state(formula):
    S = Space("0", "1", "CLS", "p", "found")
    zero, one, _, p, found = S
    search = Layer(Head({"found": p + one}, [zero + one], [p + one], mask="strict future"))
    network = encoders.network(
        S, [search], position={formula: p}, output=found + one - p, readout="last"
    )
    for ties in ("leftmost", "rightmost"):
        assert agrees_on_short_strings(network, ties)
