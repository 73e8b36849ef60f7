"""Mutation: each coefficient that is zeroed must break some string, or the survivor is named."""

from dataclasses import replace

import pytest

from lib import constructions
from lib.constructions.mutants import mutants
from lib.languages import FIRST, PARITY
from lib.transformer import FFN
from lib.transformer.exact import Exact

SURVIVORS = {
    "PARITY": {
        "W^{F,1,1}: h3 ← 1/n",
        "W^{Q,2,1}: q1 ← CLS",
        "W^{K,2,1}: k1 ← cos iπ",
        "W^{Q,2,2}: q1 ← CLS",
        "W^{K,2,2}: k1 ← cos iπ",
    },
    # no focus is needed, since other positions have value 0; CLS never stands at 1; without -1/2 a
    # rejected string ties at 0
    "FIRST": {
        "W^{Q,2,1}: q1 ← CLS",
        "W^{K,2,1}: k1 ← [i=1]",
        "W^{F,1,1}: h1 ← CLS",
        "W^{V,2,1}: s ← [i=1]",
    },
}


@pytest.mark.parametrize(
    "construction, language",
    [(constructions.parity(), PARITY), (constructions.first(), FIRST)],
    ids=["PARITY", "FIRST"],
)
def test_every_mutant_fails_some_short_string_or_is_named(construction, language):
    survivors = set()
    strings = [w for length in range(7) for w in language.all_strings(length)]
    for label, mutant in mutants(construction):
        decisions = [Exact(mutant).decide(w, max_bits=256) for w in strings]
        assert None not in {decision.sign for decision in decisions}
        if not language.errors(strings, [decision.accepts for decision in decisions]):
            survivors.add(label)
    assert survivors == SURVIVORS[language.name]


def test_mutants_differ_from_the_original_in_one_coefficient():
    parity = constructions.parity()
    found = dict(mutants(parity))
    assert len(found) == 19 == len({replace(mutant, name="") for mutant in found.values()})
    kinds = [(kind, layer, index) for layer, kind, index in ((1, "V", 1), (1, "F", 1), (1, "F", 2))]
    kinds += [(kind, 2, head) for head in (1, 2) for kind in "QKV"]
    for mutant in found.values():
        changed = sum(
            (parity.matrix(*where).numpy() != mutant.matrix(*where).numpy()).sum()
            for where in kinds
        )
        assert changed == 1


MARKS = {  # as (hidden units by their multiples of 1/n, or the one that is open at CLS alone, out)
    "i <= k": ([1, 0], [1, -1]),
    "1 <= i <= k": ([1, 0, None], [1, -1, -1]),
    "i < k, negative": ([0, -1], [-1, 1]),
}


@pytest.mark.parametrize(
    "name, wrong_at", [("i <= k", {0}), ("1 <= i <= k", {1}), ("i < k, negative", set())]
)
def test_a_thermometer_for_the_mark_fails_at_even_n_at_odd_n_or_nowhere(name, wrong_at):
    parity = constructions.parity()
    i, k, unit = (parity.space[name] for name in ("i/n", "k/n", "1/n"))
    shifts, out = MARKS[name]
    hidden = [unit - i if shift is None else k - i + unit * shift for shift in shifts]
    marking = replace(parity.layers[0], ffn=FFN(hidden, {"[i=k]/n": out}))
    reader = Exact(replace(parity, layers=[marking, parity.layers[1]]))
    wrong = set()
    for n in range(1, 25):
        for ones in range(n):
            held = {
                "i <= k": range(ones + 1),
                "1 <= i <= k": range(1, ones + 1),
                "i < k, negative": range(ones),
            }[name]
            odd, even = sum(j % 2 for j in held), sum(1 - j % 2 for j in held)
            balance = (n + 1) * odd - (n - 1) * even if n % 2 else odd - even
            expected = -balance if "negative" in name else balance
            decision = reader.decide("1" * ones + "0" * (n - 1 - ones))
            assert decision.sign == (expected > 0) - (expected < 0)
            if decision.accepts != (ones % 2 == 1):
                wrong.add(n % 2)
    assert wrong == wrong_at
