"""Speed of learning to count, as ratios measured in one run, on one thread: `make benchmark`.

The ensemble takes a step of Adam for 20 seeds at once on grids as ten weighted colours; the plain
loop does the same step for one seed cell by cell: it draws a batch, encodes it, writes its targets
and trains a layer of PyTorch modules. `per run and step` is what to compare.
"""

import numpy as np
import pytest
import torch
from torch import nn

from lib.counting.grids import COLOURS, DENSITY, LARGEST_CAP
from lib.counting.layer import PUBLISHED, Counters
from lib.counting.train import BATCH_SIZE, SIDES, count_batches, fit

SEEDS = range(20)
NAMES = ["No-LayerNorm-Count", "LayerNorm-SA-Count", "LayerNorm-FF-Count"]


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def per(benchmark, many: int) -> None:
    print(
        f"\n{benchmark.name}: {benchmark.stats.stats.median / many * 1e6:,.1f} microseconds per "
        "run and step"
    )


@pytest.mark.parametrize("name", NAMES)
def bench_step_of_the_ensemble(benchmark, name):
    benchmark.group = f"a step of {name}"
    counters = Counters(PUBLISHED[name], SEEDS)
    batches = count_batches(counters)
    benchmark.pedantic(fit, (counters, batches, 500), rounds=5, warmup_rounds=1)
    per(benchmark, 500 * len(SEEDS))


class Plain(nn.Module):
    """The published layer from PyTorch's modules, without softmax."""

    def __init__(self, norms: tuple[str, ...]):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(COLOURS, COLOURS, bias=False) for _ in range(4))
        self.f = nn.Linear(COLOURS, COLOURS)
        self.after_attention, self.after_feed_forward = (
            nn.LayerNorm(COLOURS) if name in norms else nn.Identity()
            for name in ("attention", "feed-forward")
        )
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -0.08, 0.08)

    def forward(self, x):
        heard = self.o(self.q(x) @ self.k(x).mT / COLOURS**0.5 @ self.v(x))
        return self.after_feed_forward(self.f(self.after_attention(heard)))


def plain_grid(cells: int, draw: np.random.Generator) -> np.ndarray:
    """One grid, drawn cell by cell."""
    cap, grid, coloured = draw.integers(1, LARGEST_CAP + 1), np.zeros(cells, dtype=int), 0
    for t in range(cells):
        if coloured < cap and draw.random() < DENSITY:
            grid[t] = draw.integers(1, COLOURS)
            coloured += 1
    if not coloured:
        grid[draw.integers(cells)] = draw.integers(1, COLOURS)
    return grid


def plain_batch(draw: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """One-hot cells and their targets, (B, T, 10), each a vector of its own, as the papers' code
    makes them.
    """
    cells = int(draw.integers(SIDES.start, SIDES.stop)) ** 2
    x, target = (
        torch.zeros(BATCH_SIZE, cells, COLOURS, dtype=torch.float64),
        torch.zeros(BATCH_SIZE, cells, COLOURS, dtype=torch.float64),
    )
    for b in range(BATCH_SIZE):
        grid = plain_grid(cells, draw)
        counts = np.zeros(COLOURS)
        for colour in grid:
            counts[colour] += 1
        for t, colour in enumerate(grid):
            one_hot, answer = torch.zeros(COLOURS), torch.zeros(COLOURS)
            one_hot[int(colour)] = 1
            if colour > 0:
                answer[int(colour)] = counts[colour]
            x[b, t], target[b, t] = one_hot, answer
    return x, target


@pytest.mark.parametrize("name", NAMES)
def bench_step_of_a_plain_loop(benchmark, name):
    benchmark.group = f"a step of {name}"
    layer, draw = Plain(PUBLISHED[name].norms).double(), np.random.default_rng(0)
    adam, criterion = torch.optim.Adam(layer.parameters(), lr=2e-4), nn.MSELoss()

    def steps():
        for _ in range(60):
            x, target = plain_batch(draw)
            adam.zero_grad()
            criterion(layer(x), target).backward()
            nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
            adam.step()

    benchmark.pedantic(steps, rounds=3, warmup_rounds=1)
    per(benchmark, 60)
