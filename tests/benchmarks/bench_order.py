"""Speed of training Dyck-1 behind a mask, as ratios measured in one run, on one thread: `make
benchmark`.

The ensemble takes a step of Adam on eight strings for 20 seeds at once; the plain loops train one
run of PyTorch's `nn.TransformerEncoder` with a causal mask: string by string, as the papers' code
does, or on the eight strings as one padded batch. `a run and step` is what to compare.
"""

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from lib.languages import DYCK_1
from lib.learning.ensemble import Ensemble, gradient
from lib.learning.network import Member, Network
from lib.learning.train import StringSource, optimizer

SEEDS, STRINGS, LONGEST, STEPS = 20, 8, 16, 25
GROUP = "a step of Dyck-1 behind a mask"


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def per(benchmark, steps: int) -> None:
    median = benchmark.stats.stats.median / steps * 1e6
    print(f"\n{benchmark.name}: {median:,.1f} microseconds a run and step")


@pytest.mark.benchmark(group=GROUP)
@pytest.mark.parametrize("positions", ["none", "ALiBi", "RoPE"])
def bench_step_of_the_ensemble(benchmark, positions):
    network = Network(positions, hidden=32, mask="future", read_at="last")
    ensemble = Ensemble(network, [Member(seed, LONGEST, shortest=2) for seed in range(SEEDS)])
    source, adam = StringSource(ensemble, "Dyck-1"), optimizer(ensemble)

    def epoch():
        batch, labels = source(STEPS * STRINGS)
        batch = ensemble.prepare(batch)
        for start in range(0, STEPS * STRINGS, STRINGS):
            some = slice(start, start + STRINGS)
            gradient(ensemble, batch[some], labels[:, some])
            adam.step()

    benchmark.pedantic(epoch, rounds=3, warmup_rounds=1)
    per(benchmark, STEPS * SEEDS)


class Masked(nn.Module):
    """One run from PyTorch's modules, without positions, read at the last token."""

    def __init__(self):
        super().__init__()
        self.word, self.output = nn.Embedding(3, 16), nn.Linear(16, 1)
        layer = nn.TransformerEncoderLayer(16, 1, 32, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, codes: Tensor, last: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(codes.shape[1])
        stream = self.encoder(self.word(codes), mask=mask, is_causal=True)
        return self.output(stream[torch.arange(len(codes)), last])[:, 0]


@pytest.mark.benchmark(group=GROUP)
@pytest.mark.parametrize("at_once", [1, STRINGS])
def bench_step_of_a_plain_loop(benchmark, at_once):
    module, draw = Masked(), np.random.default_rng(0)
    adam = torch.optim.Adam(module.parameters(), lr=3e-3)

    def steps():
        for _ in range(STEPS):
            adam.zero_grad()
            for _ in range(STRINGS // at_once):
                lengths = 2 * draw.integers(1, LONGEST // 2, size=at_once, endpoint=True)
                codes = torch.zeros(at_once, lengths.max() + 1, dtype=torch.long)
                codes[:, 0], labels = 2, []
                for row, length in enumerate(lengths):
                    w = DYCK_1.sample(int(length), 1, int(draw.integers(2**31)))[0]
                    codes[row, 1 : length + 1] = torch.tensor(["()".index(x) for x in w])
                    labels.append(float(w in DYCK_1))
                logits = module(codes, torch.from_numpy(lengths))
                loss = binary_cross_entropy_with_logits(logits, torch.tensor(labels))
                (loss * at_once / STRINGS).backward()
            adam.step()

    benchmark.pedantic(steps, rounds=3, warmup_rounds=1)
    per(benchmark, STEPS)
