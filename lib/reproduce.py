"""Makes the stored runs: `python -m lib.reproduce NAME` runs what takes longer than a chapter's minute.

The configurations of a run go through joblib, one process each; a finished one is kept under `chapters/results/.partial`,
so that a run that was stopped goes on where it stood. The file is written once, whole, when all are done.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import product

import numpy as np
import torch
from joblib import Parallel, delayed
from tqdm import tqdm

from lib.feedforward import train_parity
from lib.precision import DTYPES, MEANS, first_failure, wrong_counts
from lib.results import RESULTS, Stored, write_json

REPLAYED_STEPS, REPLAYED_SEEDS = 5, 3


@dataclass(frozen=True)
class Experiment:
    """A stored run: `measure(device, **configuration)` gives a JSON object, `replay` compares today's code with one.

    `quick` holds a few configurations that take the same path in under a minute.
    """

    configurations: list[dict]
    quick: list[dict]
    measure: Callable[..., dict]
    replay: Callable[[dict, dict], bool]


def _train(device: str, n: int, activation: str, width: int, seeds: int, steps: int) -> dict:
    run = train_parity(n, range(seeds), activation, steps, hidden=width * n, device=device)
    return {"errors": run.errors.tolist(), "first_bits": run.losses_bits[:REPLAYED_STEPS, :REPLAYED_SEEDS].tolist()}


def _replay_training(configuration: dict, result: dict) -> bool:
    again = _train("cpu", **configuration | {"steps": REPLAYED_STEPS, "seeds": REPLAYED_SEEDS})
    stored, now = np.array(result["first_bits"]), np.array(again["first_bits"])
    return stored.shape == now.shape and np.allclose(now, stored, rtol=1e-9, atol=0)


def _search(device: str, **configuration) -> dict:
    return first_failure(**configuration)


def _replay_search(configuration: dict, result: dict) -> bool:
    dtype, mean = DTYPES[configuration["dtype"]], MEANS[configuration["mean"]]
    start, last, found = configuration["start"], configuration.get("last"), result["n"]
    early = {n for n in range(start, start + 20 * REPLAYED_STEPS) if n < (found or configuration["stop"])}
    if start < 10**4 and any(wrong_counts(dtype, mean, n, last and range(n - last, n)) for n in early):
        return False
    return found is None or wrong_counts(dtype, mean, found, result["wrong"]) == result["wrong"]


EXPERIMENTS: Mapping[str, Experiment] = {
    "ffnn_parity": Experiment(
        [dict(n=n, activation=activation, width=width, seeds=50, steps=10_000)
         for n, activation, width in product(range(2, 9), ("sigmoid", "tanh", "relu"), (1, 2, 4))],
        [dict(n=n, activation="tanh", width=1, seeds=5, steps=500) for n in (2, 3, 4)],
        _train, _replay_training),
    "parity_precision": Experiment(
        [dict(dtype=dtype, mean=mean, start=2, stop=2000) for dtype, mean in product(("bfloat16", "float16"), MEANS)]
        + [dict(dtype="float32", mean="sequential", start=2, stop=10_000, last=8),
           dict(dtype="float32", mean="divided", start=2**23, stop=10**7, step=2**15 + 1, last=4),
           dict(dtype="float64", mean="sequential", start=10**6, stop=10**6 + 8, last=2)],
        [dict(dtype=dtype, mean="sequential", start=2, stop=100) for dtype in ("bfloat16", "float16")],
        _search, _replay_search),
}


def _commit() -> str | None:
    """The commit that the code is at, with "+" behind it where the tree has changes; None outside a repository."""
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=RESULTS, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--", "../../lib") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _measure_one(experiment: str, configuration: dict, device: str) -> dict:
    torch.set_num_threads(1)                              # several processes beat several threads at these sizes
    key = hashlib.sha256(json.dumps([experiment, configuration, device], sort_keys=True).encode()).hexdigest()[:16]
    path = RESULTS / ".partial" / experiment / f"{key}.json"
    if path.exists():
        return json.loads(path.read_text())
    begun = time.perf_counter()
    result = EXPERIMENTS[experiment].measure(device, **configuration)
    row = {"configuration": configuration, "result": result, "seconds": round(time.perf_counter() - begun, 1)}
    write_json(path, row)
    return row


def reproduce(name: str, quick: bool = False, device: str = "cpu", jobs: int = -1) -> list[dict]:
    """Runs the experiment `name` and stores it as `chapters/results/NAME.json`, unless `quick`.

    ValueError for an unknown experiment or device.
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    if device != "cpu" and not (device.startswith("cuda") and torch.cuda.is_available()):
        raise ValueError(f"device {device!r} is not at hand: torch offers cpu{', cuda' * torch.cuda.is_available()}")
    experiment, begun, commit = EXPERIMENTS[name], time.perf_counter(), _commit()
    if quick:
        return [{"configuration": c, "result": experiment.measure(device, **c)} for c in tqdm(experiment.quick, desc=name)]
    work = (delayed(_measure_one)(name, c, device) for c in experiment.configurations)
    results = list(tqdm(Parallel(n_jobs=jobs, return_as="generator")(work), desc=name, total=len(experiment.configurations)))
    made = {"date": date.today().isoformat(), "device": torch.cuda.get_device_name() if device != "cpu" else "CPU",
            "seconds": round(time.perf_counter() - begun, 1), "commit": commit, "python": platform.python_version(),
            "torch": torch.__version__, "numpy": np.__version__}
    write_json(RESULTS / f"{name}.json", {"made": made, "results": results})
    shutil.rmtree(RESULTS / ".partial" / name, ignore_errors=True)
    return results


def replay(stored: Stored) -> list[dict]:
    """The configurations of a stored run whose first steps today's code does not reproduce: [] is a pass."""
    experiment = EXPERIMENTS[stored.name]
    return [row["configuration"] for row in stored.results if not experiment.replay(row["configuration"], row["result"])]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m lib.reproduce", description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=EXPERIMENTS)
    parser.add_argument("--quick", action="store_true", help="the same path in under a minute; prints, stores nothing")
    parser.add_argument("--device", default="cpu", help="cpu (default), cuda or cuda:N")
    parser.add_argument("--jobs", type=int, default=-1, help="processes; by default one for each core")
    asked = parser.parse_args()
    try:
        done = reproduce(asked.name, asked.quick, asked.device, asked.jobs)
    except ValueError as error:
        parser.error(str(error))
    for row in done if asked.quick else ():
        print(json.dumps(row))
