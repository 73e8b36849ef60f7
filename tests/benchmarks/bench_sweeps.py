"""Speed of sweeps over all 8,191 strings to length 12, as ratios measured in one run: `make
benchmark`.

A transformer is held against its language with bounds in float64 first, and then in rationals and
balls alone, each string by itself in the language's predicate: the verdict is the same.
"""

from dataclasses import replace

import pytest

from lib import constructions
from lib.formulas import compiled, held_against
from lib.formulas.stated import DYCK_1
from lib.languages import PARITY
from lib.transformer.exact import Exact

LONGEST = 12
DYCKS = [(f"Dyck-1, {kind}", kind) for kind in ("softmax", "hardmax", "layer norm")]
READERS = {
    **{name: compiled(DYCK_1.text, DYCK_1.alphabet, kind) for name, kind in DYCKS},
    "PARITY, softmax": "softmax",
    "PARITY, hardmax": "hardmax",
}


def read(name):
    """A new reader, and the language."""
    made = READERS[name]
    if isinstance(made, str):
        return Exact(constructions.parity(), made), PARITY
    return Exact(made), made.language


def in_bounds(name):
    reader, language = read(name)
    return held_against(language, reader.accepts, LONGEST)


def exactly(name):
    reader, language = read(name)
    alone = replace(language, predicates=None)
    return held_against(
        alone, lambda w: [decision.accepts for decision in reader.decide_all(w)], LONGEST
    )


@pytest.mark.parametrize("name", READERS)
def bench_bounds_first(benchmark, name):
    benchmark.group = name
    assert benchmark(in_bounds, name).counterexample is None


@pytest.mark.parametrize("name", READERS)
def bench_exact_alone(benchmark, name):
    benchmark.group = name
    found = benchmark.pedantic(exactly, (name,), rounds=1)
    assert found == in_bounds(name)
