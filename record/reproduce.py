"""Makes the stored runs: `python -m record.reproduce NAME` runs what takes longer than a chapter's
minute.

Each configuration of a run goes to a process of this machine. A finished one is kept under
`record/results/.partial`, so that a run that was stopped goes on where it stood. The file is
written once, whole, when all are done. What an experiment reads comes from a folder that `--data`
names.
"""

import argparse
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import cast

from joblib import Memory, Parallel, delayed
from tqdm import tqdm

from record.experiment import MODULE_OF, code_hash, experiment, measured
from record.runs import RESULTS, Stored, stored, write_json

GOES_ON = "what was finished is kept, and the same command goes on from there"
CPU = "cpu"
MEASURING = (":/lib", ":/record/*.py", ":/chapters/*/*", ":/!chapters/*/claims.json")
INTERRUPTED = 130  # the exit code of a command that Ctrl-C ended


def _commit() -> str | None:
    """The commit that the code is at, with "+" behind it for a changed tree; None without git."""
    asked = (("rev-parse", "--short", "HEAD"), ("status", "--porcelain", "--", *MEASURING))
    try:
        commit, changes = (
            subprocess.check_output(["git", *words], cwd=RESULTS, text=True).strip()
            for words in asked
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{commit}+" if changes else commit


def check_request(name: str, device: str, data: Path | None = None) -> str | None:
    """A hash of the data in the folder `data`, where the experiment reads one. ValueError for a
    device that is not at hand, a folder too many or too few, or data that is broken;
    FileNotFoundError for missing files.
    """
    import torch

    asked, devices = experiment(name), [CPU]
    if asked.on_gpu and torch.cuda.device_count():
        devices += ["cuda", *(f"cuda:{n}" for n in range(torch.cuda.device_count()))]
    if device not in devices:
        there = f"there is {', '.join(devices)}"
        raise ValueError(f"device {device!r} is not at hand for {name}: {there}")
    if asked.reads is None and data is not None:
        raise ValueError(f"{name} reads no folder of data, so none is expected, not {str(data)!r}")
    if asked.reads is None:
        return None
    if data is None:
        raise ValueError(f"{name} reads a folder of data: name it with --data. {asked.reads.says}")
    return asked.reads.fingerprint(data)


def reproduce(name: str, device: str, jobs: int, data: Path | None, data_hash: str | None) -> None:
    """Runs the experiment `name` and stores it as `record/results/NAME.json`; BrokenProcessPool
    where a process that measured was killed, for lack of memory perhaps.
    """
    import torch

    asked, commit, folder = experiment(name), _commit(), RESULTS / ".partial" / name
    # a half-finished run goes on from the same code and data only
    code = code_hash(asked.measure)[:16]
    kept = folder.resolve() / f"{code} {data_hash or ''} {device}".replace(":", " ")
    measure = partial(asked.measure, data=data.resolve()) if data else asked.measure
    once = Memory(kept, verbose=0).cache(measured, ignore=["measure"])
    calls = [delayed(once)(measure, c, device) for c in asked.configurations]
    # A terminal tells all processes of Ctrl-C: the command ends the others, which print nothing.
    ignore = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    parallel = Parallel(jobs, return_as="generator", initializer=ignore)
    rows = cast(Iterator[dict], parallel(calls))  # joblib does not say what the work returns
    results = [*tqdm(rows, desc=name, total=len(calls))]
    made = {
        "date": date.today().isoformat(),
        "device": "CPU" if device == CPU else torch.cuda.get_device_name(device),
        "commit": commit,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": version("numpy"),
    }
    write_json(RESULTS / f"{name}.json", {"made": made, "results": results})
    shutil.rmtree(folder)


def replay(run: Stored, data: Path | None = None) -> list[dict]:
    """The configurations of a stored run whose first steps today's code does not reproduce: [] is a
    pass. With `data`, the folder of an experiment that reads one, more of each is run again.
    """
    replayed = partial(experiment(run.name).replay, **{"data": data} if data else {})
    asked = [(row["configuration"], row["result"]) for row in run.results]
    return [configuration for configuration, result in asked if not replayed(configuration, result)]


def check(name: str, data: Path | None = None) -> None:
    """Holds the stored run `name` to today's code and, with the folder `data`, to its sentences:
    ValueError for what is not as expected, FileNotFoundError for missing files.
    """
    if data is not None:
        check_request(name, CPU, data)
    run = stored(name)
    if [row["configuration"] for row in run.results] != experiment(name).configurations:
        raise ValueError(f"the configurations of {name} are not those of the code, as expected")
    if changed := replay(run, data):
        which = f"{len(changed)} of {len(run.results)} configurations of {name}"
        raise ValueError(f"{which} are not what is expected, the first of them {changed[0]}")


def main() -> None:
    """The command: see `python -m record.reproduce --help`."""
    about = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m record.reproduce", description=about)
    option = parser.add_argument
    option("name", choices=MODULE_OF)
    option("--device", default=CPU, help="cpu (default), cuda or cuda:N")
    option("--jobs", type=int, default=-1, help="processes; by default one for each core")
    reads = "the folder of an experiment that reads one: of sentences, or of trained networks"
    option("--data", type=Path, metavar="FOLDER", help=reads)
    holds = "makes nothing: holds the stored run to this code, and with --data to what that holds"
    option("--check", action="store_true", help=holds)
    asked = parser.parse_args()
    name, device, data = asked.name, asked.device, asked.data
    try:
        if asked.check:
            check(name, data)
            print(f"{name}: what was run again is what is stored. Of each configuration it asks:")
            print(experiment(name).question)
            return
        data_hash = check_request(name, device, data)
    except (ValueError, FileNotFoundError) as error:
        parser.error(str(error))
    try:
        reproduce(name, device, asked.jobs, data, data_hash)
    except KeyboardInterrupt:
        print(f"\nstopped: {GOES_ON}", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except (OSError, BrokenProcessPool) as error:
        sys.exit(f"{parser.prog}: error: {error}; {GOES_ON}")


if __name__ == "__main__":
    main()
