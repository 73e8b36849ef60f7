"""Makes the stored runs: `python -m lib.reproduce NAME` runs what takes longer than a chapter's
minute.

The configurations of a run go through joblib, one process each, on this machine or, with
`--scheduler`, on a Dask cluster whose workers have the same code. A finished one is kept under
`chapters/results/.partial`, so that a run that was stopped goes on where it stood. The file is
written once, whole, when all are done. Translations come from a folder that `--data` names.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import torch
from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from lib.book.experiments import EXPERIMENTS, code_hash, measured
from lib.book.results import RESULTS, Stored, store, write_json
from lib.checks import (
    between,
    flag,
    takes,
    text,
)
from lib.translation.corpora import fingerprint
from lib.translation.folders import SOURCES, from_folder

PATIENCE = "10s"  # how long a scheduler may take to answer


def _commit() -> str | None:
    """The commit that the code is at, with "+" behind it where the tree has changes; None outside a
    repository.
    """

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=RESULTS, capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        commit = git("rev-parse", "--short", "HEAD")
        changes = git("status", "--porcelain", "--", "../../lib")
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{commit}+" if changes else commit


def _digest(text: str) -> str:
    """A hash of a text, short enough for a file's name."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _partial(folder: Path, configuration: dict, device: str, code: str) -> Path:
    """Where a finished configuration is kept until all are done."""
    key = json.dumps([configuration, device, code], sort_keys=True)
    return folder / f"{_digest(key)}.json"


@contextmanager
def _workers(scheduler: str | None) -> Iterator[None]:
    """Sends joblib's work to the Dask scheduler at that address; without one, to this machine's
    processes.
    """
    if scheduler is None:
        yield
        return
    from distributed import Client

    try:
        client = Client(scheduler, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise ConnectionError(f"no Dask scheduler answers at {scheduler!r}") from error
    with client, parallel_config(backend="dask"):
        yield


def check_request(name: str, device: str, data: Path | None = None) -> str | None:
    """A hash of the data in the folder `data`, where the experiment reads one.

    ValueError for an experiment or a device that there is not, a folder too many or too few, or
    data that is broken; FileNotFoundError for missing files.
    """
    if not isinstance(name, str) or name not in EXPERIMENTS:
        raise ValueError(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    devices = ["cpu"]
    if EXPERIMENTS[name].on_gpu and torch.cuda.is_available():
        devices += ["cuda", *(f"cuda:{number}" for number in range(torch.cuda.device_count()))]
    if not isinstance(device, str) or device not in devices:
        raise ValueError(
            f"device {device!r} is not at hand for {name}: there is {', '.join(devices)}"
        )
    pair = EXPERIMENTS[name].pair
    if pair is None:
        if data is not None:
            raise ValueError(
                f"{name} reads no folder of data, so none is expected, not {str(data)!r}"
            )
        return None
    if data is None:
        raise ValueError(
            f"{name} reads a folder of data: name it with --data. Its files "
            f"{', '.join(SOURCES[pair].names())}, each plain or as .gz, "
            f"come from {SOURCES[pair].origin}"
        )
    return fingerprint(from_folder(pair, data))


def workers(value: int, what: str) -> int:
    """`value` if it is a number of processes, -1 for one for each core; otherwise ValueError."""
    return value if type(value) is int and value == -1 else between(1, 10**4)(value, what)


@takes(quick=flag, jobs=workers, scheduler=text)
def reproduce(
    name: str,
    quick: bool = False,
    device: str = "cpu",
    jobs: int = -1,
    scheduler: str | None = None,
    data: Path | None = None,
) -> list[dict]:
    """Runs the experiment `name` and stores it as `chapters/results/NAME.json`; `quick` runs a few
    configurations, stores nothing.

    `scheduler` is the address of a Dask scheduler, as "tcp://host:8786"; the file is the same but
    for its times. `data` is the folder of an experiment that reads one; a cluster's workers must
    see it under the same name. Raises what `check_request` does, and ConnectionError where no
    scheduler answers.
    """
    data_hash = check_request(name, device, data)
    experiment, commit, code = EXPERIMENTS[name], _commit(), code_hash()
    configurations = experiment.quick if quick else experiment.configurations
    with tempfile.TemporaryDirectory() as scratch, _workers(scheduler):
        folder = Path(scratch) if quick else RESULTS / ".partial" / name
        measure, key = experiment.measure, code
        if data is not None:  # half-finished runs go on from the same data only
            key = f"{code} {data_hash}"
            checkpoints = folder / f"checkpoints-{_digest(f'{key} {device}')}"
            measure = partial(measure, data=Path(data).resolve(), checkpoints=checkpoints.resolve())
        paths = [_partial(folder, configuration, device, key) for configuration in configurations]
        missing = [c for c, path in zip(configurations, paths, strict=True) if not path.exists()]
        work = (delayed(measured)(measure, c, device, code) for c in missing)
        parallel = Parallel(n_jobs=jobs, return_as="generator_unordered")
        rows = cast(Iterator[dict], parallel(work))  # joblib does not say what the work returns
        for row in tqdm(rows, desc=name, total=len(paths), initial=len(paths) - len(missing)):
            write_json(_partial(folder, row["configuration"], device, key), row)
        results = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    if not quick:
        store(name, results, _provenance(device, commit), RESULTS)
        shutil.rmtree(folder, ignore_errors=True)
    return results


def _provenance(device: str, commit: str | None) -> dict:
    """When, on what and by which code a run was made."""
    return {
        "date": date.today().isoformat(),
        "device": "CPU" if device == "cpu" else torch.cuda.get_device_name(device),
        "commit": commit,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def replay(stored: Stored) -> list[dict]:
    """The configurations of a stored run whose first steps today's code does not reproduce: [] is a
    pass.
    """
    experiment = EXPERIMENTS[stored.name]
    return [
        row["configuration"]
        for row in stored.results
        if not experiment.replay(row["configuration"], row["result"])
    ]


def main() -> None:
    """The command: see `python -m lib.reproduce --help`."""
    parser = argparse.ArgumentParser(
        prog="python -m lib.reproduce", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("name", choices=EXPERIMENTS)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="the same path in under a minute; prints, stores nothing",
    )
    parser.add_argument("--device", default="cpu", help="cpu (default), cuda or cuda:N")
    parser.add_argument(
        "--jobs", type=int, default=-1, help="processes; by default one for each core"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="the folder of the sentences, for an experiment that translates them",
    )
    parser.add_argument(
        "--scheduler", help="the address of a Dask scheduler to run on, as tcp://host:8786"
    )
    arguments = parser.parse_args()
    try:
        check_request(arguments.name, arguments.device, arguments.data)
    except (ValueError, FileNotFoundError) as error:
        parser.error(str(error))
    try:
        results = reproduce(**vars(arguments))
    except ConnectionError as error:
        parser.error(str(error))
    if arguments.quick:
        for row in results:
            print(json.dumps(row))
