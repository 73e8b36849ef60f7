"""Speed of the compiler and of the exact reader on what it makes, measured in one run: `make
benchmark`.

Dyck-1 compiled, then decided on all 8,191 strings to length 12: sharing what strings begin with,
and string by string.
"""

import pytest
import torch

from lib.formulas import compiled
from lib.formulas.stated import DYCK_1
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact

ATTENTIONS = ("hardmax", "softmax", "layer norm")
STRINGS = [w for length in range(13) for w in DYCK_1.language.all_strings(length)]


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.mark.benchmark(group="compiling Dyck-1")
@pytest.mark.parametrize("attention", ATTENTIONS)
def bench_compiler(benchmark, attention):
    made = benchmark(compiled, DYCK_1.text, DYCK_1.alphabet, attention)
    assert made.is_exact


@pytest.mark.benchmark(group="8,191 strings, exactly")
@pytest.mark.parametrize("attention", ATTENTIONS)
def bench_shared_beginnings(benchmark, attention):
    machine = compiled(DYCK_1.text, DYCK_1.alphabet, attention)
    reader = Exact(machine)
    answers = benchmark.pedantic(reader.accepts, (STRINGS,), rounds=1)
    assert DYCK_1.language.errors(STRINGS, answers) == []


@pytest.mark.benchmark(group="8,191 strings, exactly")
@pytest.mark.parametrize("attention", ATTENTIONS)
def bench_string_by_string(benchmark, attention):
    machine = compiled(DYCK_1.text, DYCK_1.alphabet, attention)
    reader = Exact(machine)
    answers = benchmark.pedantic(lambda: [reader.accepts(w) for w in STRINGS], rounds=1)
    assert DYCK_1.language.errors(STRINGS, answers) == []


@pytest.mark.benchmark(group="8,191 strings, in float64")
@pytest.mark.parametrize("attention", ATTENTIONS)
def bench_torch(benchmark, attention):
    machine = compiled(DYCK_1.text, DYCK_1.alphabet, attention)
    reader = Encoder(machine)
    batches = [list(DYCK_1.language.all_strings(length)) for length in range(13)]
    answers = benchmark.pedantic(lambda: torch.cat(list(map(reader.accepts, batches))), rounds=1)
    assert DYCK_1.language.errors(STRINGS, answers.tolist()) == []
