"""The experiments that take longer than a chapter's minute, gathered from the rooms that run them.

`record.reproduce` runs them and stores what they give; the chapters read that with
`record.runs.stored`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import torch

from record.experiment import Experiment
from record.experiments import bhattamishra, chiang_cholak
from record.experiments import nowak as repeated_runs
from record.experiments import ouellette as counting_runs
from record.experiments import playground as agreement
from record.experiments import which_log_n as laboratory
from record.experiments.translation import runs as translation_runs

LIBRARY = Path(__file__).resolve().parents[1]


@cache
def code_hash(library: Path = LIBRARY) -> str:
    """A hash of every file of the library and of torch's version: what a half-finished run may go
    on from.
    """
    texts = [path.read_bytes() for path in sorted(library.rglob("*.py"))]
    return hashlib.sha256(b"".join(texts) + torch.__version__.encode()).hexdigest()


class OtherCode(RuntimeError):
    """Who was asked to measure has other code than who asked."""


def measured(measure: Callable[..., dict], configuration: dict, device: str, code: str) -> dict:
    """One configuration, measured where this is called: on a cluster, by a worker, whose code must
    be the one that asks.
    """
    if (here := code_hash()) != code:
        raise OtherCode(
            f"a worker's code ({here[:8]}) is not the code that asked for this run ({code[:8]})"
        )
    threads, begun = torch.get_num_threads(), time.perf_counter()
    torch.set_num_threads(1)  # several processes beat several threads at these sizes
    try:
        result = measure(device, **configuration)
    finally:
        torch.set_num_threads(threads)
    return {
        "configuration": configuration,
        "result": result,
        "seconds": round(time.perf_counter() - begun, 1),
    }


EXPERIMENTS: Mapping[str, Experiment] = {
    **chiang_cholak.EXPERIMENTS,
    **repeated_runs.EXPERIMENTS,
    **laboratory.EXPERIMENTS,
    **counting_runs.EXPERIMENTS,
    **bhattamishra.EXPERIMENTS,
    **translation_runs.EXPERIMENTS,
    "playground": Experiment(
        agreement.CONFIGURATIONS,
        [{"model": "FIRST", "strings": 5}, agreement.CONFIGURATIONS[-1] | {"steps": 5}],
        agreement.measure,
        agreement.replay,
        on_gpu=False,
    ),
}
