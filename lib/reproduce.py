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
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import product
from pathlib import Path

import numpy as np
import torch
from joblib import Parallel, delayed
from tqdm import tqdm

from lib.constructions import parity
from lib.encoder import Encoder
from lib.feedforward import train_parity
from lib.precision import FLOATS, MEANS, first_failure, wrong_counts
from lib.results import RESULTS, Stored, write_json

REPLAYED_STEPS, REPLAYED_SEEDS = 5, 3


@dataclass(frozen=True)
class Experiment:
    """A stored run: `measure(device, **configuration)` gives a JSON object, `replay` compares today's code with one.

    `quick` holds a few configurations that take the same path in under a minute; `on_gpu` says whether a GPU is of use.
    """

    configurations: list[dict]
    quick: list[dict]
    measure: Callable[..., dict]
    replay: Callable[[dict, dict], bool]
    on_gpu: bool = True


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
    """The failing n fails in just the ways stored, and the last lengths before it (or of the whole range) do not fail."""
    lengths = range(configuration["start"], configuration["stop"], configuration.get("step", 1))
    fine = lengths if result["n"] is None else range(lengths.start, result["n"], lengths.step)

    reader = Encoder(parity(), FLOATS[configuration["dtype"]], mean=MEANS[configuration["mean"]])

    def wrong(n: int) -> list[int]:
        last = configuration.get("last")
        return wrong_counts(reader, n, last and range(n - last, n))

    if result["n"] is not None and (result["n"] not in lengths or not result["wrong"] or wrong(result["n"]) != result["wrong"]):
        return False
    few = 1 if lengths.start > 10**6 else REPLAYED_STEPS
    return not any(wrong(n) for n in fine[-few:])


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
        _search, _replay_search, on_gpu=False),
}


def _commit() -> str | None:
    """The commit that the code is at, with "+" behind it where the tree has changes; None outside a repository."""
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=RESULTS, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--", "../../lib") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _code() -> str:
    """A hash of the library and of torch's version: what a half-finished run may go on from."""
    texts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.sha256(b"".join(texts) + torch.__version__.encode()).hexdigest()


def _measure_one(experiment: str, configuration: dict, device: str, folder: Path, code: str) -> dict:
    """One finished configuration, from `folder` if it is there already."""
    key = hashlib.sha256(json.dumps([experiment, configuration, device, code], sort_keys=True).encode()).hexdigest()[:16]
    path = folder / f"{key}.json"
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    threads, begun = torch.get_num_threads(), time.perf_counter()
    torch.set_num_threads(1)                              # several processes beat several threads at these sizes
    try:
        result = EXPERIMENTS[experiment].measure(device, **configuration)
    finally:
        torch.set_num_threads(threads)
    row = {"configuration": configuration, "result": result, "seconds": round(time.perf_counter() - begun, 1)}
    write_json(path, row)
    return row


def check_request(name: str, device: str) -> None:
    """ValueError for an experiment or a device that there is not."""
    if name not in EXPERIMENTS:
        raise ValueError(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    at_hand = ["cpu"]
    if EXPERIMENTS[name].on_gpu and torch.cuda.is_available():
        at_hand += ["cuda", *(f"cuda:{number}" for number in range(torch.cuda.device_count()))]
    if device not in at_hand:
        raise ValueError(f"device {device!r} is not at hand for {name}: there is {', '.join(at_hand)}")


def reproduce(name: str, quick: bool = False, device: str = "cpu", jobs: int = -1) -> list[dict]:
    """Runs the experiment `name` and stores it as `chapters/results/NAME.json`; `quick` runs a few configurations, stores nothing.

    ValueError for an unknown experiment or device.
    """
    check_request(name, device)
    configurations = EXPERIMENTS[name].quick if quick else EXPERIMENTS[name].configurations
    begun, commit, code = time.perf_counter(), _commit(), _code()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) if quick else RESULTS / ".partial" / name
        work = (delayed(_measure_one)(name, c, device, folder, code) for c in configurations)
        results = list(tqdm(Parallel(n_jobs=jobs, return_as="generator")(work), desc=name, total=len(configurations)))
    if not quick:
        made = {"date": date.today().isoformat(), "device": "CPU" if device == "cpu" else torch.cuda.get_device_name(device),
                "seconds": round(time.perf_counter() - begun, 1), "commit": commit, "python": platform.python_version(),
                "torch": torch.__version__, "numpy": np.__version__}
        write_json(RESULTS / f"{name}.json", {"made": made, "results": results})
        shutil.rmtree(folder, ignore_errors=True)
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
        check_request(asked.name, asked.device)
    except ValueError as error:
        parser.error(str(error))
    done = reproduce(asked.name, asked.quick, asked.device, asked.jobs)
    for row in done if asked.quick else ():
        print(json.dumps(row))
