"""Makes the stored runs: `python -m record.reproduce NAME` runs what takes longer than a chapter's
minute.

Each configuration of a run goes to a process of this machine or, with `--scheduler`, of a Dask
cluster whose workers have the same code. A finished one is kept under `record/results/.partial`,
so that a run that was stopped goes on where it stood. The file is written once, whole, when all are
done. Translations come from a folder that `--data` names.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import torch
from joblib import Parallel, delayed
from tqdm import tqdm

from lib.checks import between, flag, takes, text
from lib.translation.data import fingerprint
from lib.translation.train import CheckpointError
from record.cluster import on_cluster
from record.experiments.gathered import EXPERIMENTS, OtherCode, code_hash, measured
from record.experiments.translation.sentences import SOURCES, from_folder
from record.runs import RESULTS, Kept, Stored, kept_of, store, stored

GOES_ON = "what was finished is kept, and the same command goes on from there"
INTERRUPTED = 130  # the exit code of a command that Ctrl-C ended


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


def _leave_ctrl_c_to_the_command() -> None:
    """A terminal tells all processes: the command ends the others, which print nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _here(jobs: int, calls: Sequence[Callable[[], dict]]) -> Generator[dict]:
    """What the calls return, in the order in which `jobs` processes of this machine are done."""
    parallel = Parallel(
        n_jobs=jobs, return_as="generator_unordered", initializer=_leave_ctrl_c_to_the_command
    )
    try:  # joblib does not say what the work returns
        yield from cast(Iterator[dict], parallel(delayed(call)() for call in calls))
    except BrokenProcessPool as error:
        raise ChildProcessError(
            "a process that measured was killed, for lack of memory perhaps"
        ) from error


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


def jobs_of(written: str) -> int:
    """The number of processes that is written in a command; ArgumentTypeError for no such one."""
    if not re.fullmatch("-1|[1-9][0-9]{0,3}", written):
        raise argparse.ArgumentTypeError(f"a number from 1 to 9999 is expected, not {written!r}")
    return int(written)


@takes(quick=flag, jobs=workers, scheduler=text)
def reproduce(
    name: str,
    quick: bool = False,
    device: str = "cpu",
    jobs: int = -1,
    scheduler: str | None = None,
    data: Path | None = None,
) -> list[dict]:
    """Runs the experiment `name` and stores it as `record/results/NAME.json`; `quick` runs a few
    configurations, stores nothing.

    `scheduler` is the address of a Dask scheduler, as "tcp://host:8786"; the file is the same but
    for its times. `data` is the folder of an experiment that reads one; a cluster's workers must
    see it under the same name. Raises what `check_request` and `on_cluster` do; BlockingIOError
    where another process makes the same run, ChildProcessError where one that measured was killed,
    `CheckpointError` for a checkpoint that is broken. What was finished by then is kept.
    """
    data_hash = check_request(name, device, data)
    experiment, commit, code = EXPERIMENTS[name], _commit(), code_hash()
    configurations = experiment.quick if quick else experiment.configurations
    with tempfile.TemporaryDirectory() if quick else kept_of(name, RESULTS) as folder:
        measure, kept = experiment.measure, Kept(Path(folder).resolve(), device, code)
        if data is not None:  # half-finished runs go on from the same data only
            kept = replace(kept, code=f"{code} {data_hash}")
            measure = partial(measure, data=Path(data).resolve(), checkpoints=kept.checkpoints)
        missing = [c for c in configurations if not kept.has(c)]
        calls = [partial(measured, measure, c, device, code) for c in missing]
        rows = _here(jobs, calls) if scheduler is None else on_cluster(scheduler, calls, code)
        done = len(configurations) - len(missing)
        with closing(rows):
            for row in tqdm(rows, desc=name, total=len(configurations), initial=done):
                kept.keep(row)
        results = [kept.row(c) for c in configurations]
        if not quick:
            store(name, results, _provenance(device, commit), RESULTS)
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


def replay(run: Stored, data: Path | None = None) -> list[dict]:
    """The configurations of a stored run whose first steps today's code does not reproduce: [] is a
    pass. With `data`, the folder of an experiment that reads one, more of each is run again.
    """
    experiment = EXPERIMENTS[run.name]
    given = {} if data is None else {"data": data}
    return [
        row["configuration"]
        for row in run.results
        if not experiment.replay(row["configuration"], row["result"], **given)
    ]


@takes(name=text)
def check(name: str, data: Path | None = None) -> None:
    """Holds the stored run `name` to today's code and, with the folder `data`, to its sentences.

    ValueError for a run that is not stored, a folder too many or broken, or a configuration that
    today's code does not reproduce, which it names; FileNotFoundError for missing files.
    """
    if data is not None or name not in EXPERIMENTS:
        check_request(name, "cpu", data)
    run = stored(name)
    if changed := replay(run, data):
        raise ValueError(
            f"{len(changed)} of {len(run.results)} configurations of {name} are not what is "
            f"expected, the first of them {changed[0]}"
        )


def main() -> None:
    """The command: see `python -m record.reproduce --help`."""
    parser = argparse.ArgumentParser(
        prog="python -m record.reproduce", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("name", choices=EXPERIMENTS)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="the same path in under a minute; prints, stores nothing",
    )
    parser.add_argument("--device", default="cpu", help="cpu (default), cuda or cuda:N")
    parser.add_argument(
        "--jobs", type=jobs_of, default=-1, help="processes; by default one for each core"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="the folder of the sentences, for an experiment that translates them",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="makes nothing: holds the stored run to this code, and with --data to its sentences",
    )
    parser.add_argument(
        "--scheduler", help="the address of a Dask scheduler to run on, as tcp://host:8786"
    )
    arguments = parser.parse_args()
    if vars(arguments).pop("check"):
        try:
            check(arguments.name, arguments.data)
        except (ValueError, FileNotFoundError) as error:
            parser.error(str(error))
        print(f"{arguments.name}: what is stored is what this code gives")
        return
    try:
        check_request(arguments.name, arguments.device, arguments.data)
    except (ValueError, FileNotFoundError) as error:
        parser.error(str(error))
    try:
        results = reproduce(**vars(arguments))
    except KeyboardInterrupt:
        print(f"\nstopped: {GOES_ON}", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except (OSError, OtherCode, CheckpointError) as error:
        sys.exit(f"{parser.prog}: error: {error}; {GOES_ON}")
    if arguments.quick:
        for row in results:
            print(json.dumps(row))
