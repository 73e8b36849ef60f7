"""Mutation: each coefficient that is zeroed must break some string, or the survivor is named."""

from chapters.common.mutants import mutants
from lib import constructions
from lib.languages import PARITY
from lib.transformer.exact import Exact

SURVIVORS = {  # of PARITY; those of FIRST and others stand in tests/record/test_machine_proofs.py
    "W^{F,1,1}: h3 ← 1/n",
    "W^{Q,2,1}: q1 ← CLS",
    "W^{K,2,1}: k1 ← cos iπ",
    "W^{Q,2,2}: q1 ← CLS",
    "W^{K,2,2}: k1 ← cos iπ",
}


def test_every_mutant_fails_some_short_string_or_is_named():
    survivors = set()
    strings = [w for length in range(7) for w in PARITY.all_strings(length)]
    for label, mutant in mutants(constructions.parity()):
        decisions = [Exact(mutant).decide(w, max_bits=256) for w in strings]
        assert None not in {decision.sign for decision in decisions}
        if not PARITY.errors(strings, [decision.accepts for decision in decisions]):
            survivors.add(label)
    assert survivors == SURVIVORS
