"""Speed of the Turing machines in exact rationals, on one core: `make benchmark`.

Adding 1 to 200 ones takes the machine 402 steps and its RNN 1,811; the four-state busy beaver takes
107 and 431; 5,000 steps of the five-state champion take 20,003. Attention is computed over all keys
at every step, and the transformer's making is part of the time.
"""

from itertools import islice

import pytest

from lib.turing.architecture import directional, vanilla
from lib.turing.compilation import stack_rnn
from lib.turing.machines import BUSY_BEAVER_4, CHAMPION_5, INCREMENT

NETWORKS = {
    "rnn": lambda rnn, w: rnn.states(w),
    "vanilla": lambda rnn, w: vanilla(rnn).outputs(w),
    "directional": lambda rnn, w: directional(rnn).outputs(w),
}


def last_step(network: str, machine, w: str, limit: int | None = None) -> int:
    """Runs a machine in a network and counts its steps."""
    return sum(1 for _ in islice(NETWORKS[network](stack_rnn(machine), w), limit)) - 1


@pytest.mark.benchmark(group="increment of 200 ones: 402 steps")
@pytest.mark.parametrize("network", NETWORKS)
def bench_increment(benchmark, network):
    assert benchmark.pedantic(last_step, (network, INCREMENT, "1" * 200), rounds=3) == 203 + 4 * 402


@pytest.mark.benchmark(group="4-state busy beaver: 107 steps")
@pytest.mark.parametrize("network", NETWORKS)
def bench_busy_beaver(benchmark, network):
    assert benchmark.pedantic(last_step, (network, BUSY_BEAVER_4, ""), rounds=3) == 3 + 4 * 107


@pytest.mark.benchmark(group="5-state champion: 5,000 steps")
@pytest.mark.parametrize("network", NETWORKS)
def bench_champion(benchmark, network):
    assert benchmark.pedantic(last_step, (network, CHAMPION_5, "", 20_004), rounds=1) == 20_003
