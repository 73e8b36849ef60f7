"""Speed of the torch reader, as ratios measured in one run: `make benchmark`.

Exact PARITY on random strings of length 1,000 in float64 on one thread, beside the same weights in
PyTorch's `nn.TransformerEncoder`, one string at a time; then one string of growing length, with
peak memory.
"""

import pytest
import torch

from lib import constructions
from lib.languages import PARITY
from lib.transformer.encoder import Encoder
from tests.reference import TorchReference
from tests.transformer.test_encoder import peak_megabytes


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.mark.benchmark(group="1,000 strings of length 1,000 (OPS × 1,000 = strings a second)")
def bench_reader(benchmark):
    strings = PARITY.sample(1000, size=1000, seed=0)
    logits = benchmark(Encoder(constructions.parity()), strings)
    assert PARITY.errors(strings, logits > 0) == []


@pytest.mark.benchmark(group="1,000 strings of length 1,000 (OPS × 1,000 = strings a second)")
def bench_torch_one_string_at_a_time(benchmark):
    strings, reference = (
        PARITY.sample(1000, size=1000, seed=0),
        TorchReference(constructions.parity()),
    )
    logits = benchmark.pedantic(lambda: [reference(w) for w in strings], rounds=1)
    assert PARITY.errors(strings, [s > 0 for s in logits]) == []


@pytest.mark.benchmark(group="one long string")
@pytest.mark.parametrize("n", [10**4, 10**5, 10**6, 10**7])
def bench_one_long_string(benchmark, n):
    [w] = PARITY.sample(n, size=1, seed=0)
    s = benchmark.pedantic(Encoder(constructions.parity()), (w,), rounds=3)
    assert (s.item() > 0) == PARITY.contains(w)
    print(f"\n|w| = {n}: peak memory grows by {peak_megabytes('parity', 'softmax', n):.0f} MB")
