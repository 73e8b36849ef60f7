"""A stored run that is stopped goes on, and ends in the file of an undisturbed one."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import pytest

from tests import ROOT

SIZE = 12
COMMAND = f"""
import sys, time
from pathlib import Path
from record import reproduce
from record.experiment import MODULE_OF, Experiment

folder = Path(sys.argv.pop(1))

def measure(device, x):
    with open(folder / f"measured {{x}}", "a") as file:
        file.write("x")
    while x >= 4 and not (folder / "goes on").exists():
        time.sleep(0.01)
    return {{"square": x * x}}

EXPERIMENTS = {{"toy": Experiment([{{"x": x}} for x in range({SIZE})], measure, print)}}
MODULE_OF["toy"] = "__main__"
reproduce.RESULTS = folder
sys.argv[1:] = ["toy", "--jobs", sys.argv[1]]
reproduce.main()
"""


def begun(folder: Path, jobs: str) -> subprocess.Popen:
    """The command, in processes of their own group, which stores in that folder."""
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(folder), jobs],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="it stops a group of processes")
def test_a_run_that_is_killed_goes_on(tmp_path):
    """What is kept is not measured again, but for a file that was cut. The run waits to be stopped,
    so that no busy machine is too late.
    """
    partial, run = tmp_path / ".partial" / "toy", begun(tmp_path, "2")
    end = time.monotonic() + 300
    while len([*partial.rglob("output.pkl")]) < 3:
        assert time.monotonic() < end
        time.sleep(0.01)
    os.killpg(run.pid, signal.SIGKILL)
    assert run.communicate(timeout=300) and run.returncode == -9
    assert not (tmp_path / "toy.json").exists()
    cut, *whole = sorted(partial.rglob("output.pkl"))
    kept = [joblib.load(path)["configuration"]["x"] for path in whole]
    cut.write_bytes(cut.read_bytes()[:20])
    (tmp_path / "goes on").touch()
    again = begun(tmp_path, "1")
    assert again.communicate(timeout=300) and again.returncode == 0
    results = json.loads((tmp_path / "toy.json").read_text(encoding="utf-8"))["results"]
    assert [(row["configuration"], row["result"]) for row in results] == [
        ({"x": x}, {"square": x * x}) for x in range(SIZE)
    ]
    assert all((tmp_path / f"measured {x}").read_text(encoding="utf-8") == "x" for x in kept)
    assert len(kept) >= 2 and not partial.exists()
