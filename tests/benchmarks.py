"""Speed, as ratios of what a group holds, in one run on one thread: `make benchmark`."""

import pytest
import torch

from lib import constructions
from lib.formulas import compiled, held_against
from lib.formulas.stated import DYCK_1
from lib.languages import PARITY
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from tests.reference import TorchReference

LONG_STRINGS = "PARITY on 300 strings of length 1,000, in float64"


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


# ---- many strings at once, and PyTorch's own encoder on one after another


@pytest.mark.benchmark(group=LONG_STRINGS)
def bench_encoder(benchmark):
    strings = PARITY.sample(1000, size=300, seed=0)
    logits = benchmark(Encoder(constructions.parity()), strings)
    assert PARITY.errors(strings, logits > 0) == []


@pytest.mark.benchmark(group=LONG_STRINGS)
def bench_torch_one_string_at_a_time(benchmark):
    strings = PARITY.sample(1000, size=300, seed=0)
    reference = TorchReference(constructions.parity())
    logits = benchmark.pedantic(lambda: [reference(w) for w in strings], rounds=1)
    assert PARITY.errors(strings, [s > 0 for s in logits]) == []


# ---- every string to a length: bounds in float64 first, shared beginnings, and exactly alone

READERS = ("bounds first", "exact alone", "string by string")


def swept(kind: str, attention: str) -> list[str]:
    """The strings to length 10 that Dyck-1's transformer decides wrongly: none."""
    made = compiled(DYCK_1.text, DYCK_1.alphabet, attention)
    reader, language = Exact(made), DYCK_1.language
    strings = [w for length in range(11) for w in language.all_strings(length)]
    if kind == "bounds first":
        found = held_against(language, reader.accepts, 10).counterexample
        return [] if found is None else [found]
    if kind == "exact alone":
        answers = [decision.accepts for decision in reader.decide_all(strings)]
    else:
        answers = [reader.accepts(w) for w in strings]
    return language.errors(strings, answers)


@pytest.mark.parametrize("attention", ["softmax", "layer norm"])
@pytest.mark.parametrize("kind", READERS)
def bench_sweep_of_2_047_strings(benchmark, kind, attention):
    benchmark.group = f"Dyck-1 on 2,047 strings, {attention}"
    assert benchmark.pedantic(swept, (kind, attention), rounds=1) == []
