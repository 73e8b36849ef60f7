"""A stored run that is stopped ends in the file of an undisturbed one, or in one clear error."""

import json
import os
import random
import signal
import time
from pathlib import Path

import pytest
from tqdm import tqdm

from lib.files import CheckpointError
from record.reproduce import reproduce
from tests.stopped import GOES_ON, Command, finished, squares, timeless, undisturbed
from tests.toys import named_for_a_test
from tests.waiting import wait_for

resource = pytest.importorskip("resource", reason="it limits the size of files")
KILLS = int(os.environ.get("BOOK_KILLS", "6"))
SIZE = 40
ALONE = ("toy", "--jobs", "1")


def square(device: str, x: int) -> dict:
    """It takes little more time than it takes to be kept."""
    time.sleep(0.002)
    return {"square": x * x, "halves": [x / 2] * 20}


@pytest.fixture
def toy(monkeypatch):
    """Names an experiment "toy"."""
    return lambda measure, size=SIZE: named_for_a_test(monkeypatch, "toy", squares(size, measure))


@pytest.fixture
def whole(toy):
    """What an undisturbed run stores."""
    toy(square)
    return undisturbed("toy")


# ---- killed


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_run_that_is_killed_at_any_moment_goes_on(seed, whole, tmp_path):
    draw = random.Random(seed)
    run = Command(tmp_path, *ALONE)
    done = SIZE - 1 if seed % 3 == 2 else draw.randrange(SIZE)  # some where the file is written
    wait_for(lambda: len(run.kept) >= done or run.child.exitcode == 0)
    time.sleep(draw.random() * 0.008)
    run.child.kill()
    run.child.join()
    assert not (tmp_path / "toy.json").exists() or timeless(tmp_path / "toy.json") == whole
    assert finished("toy", tmp_path) == whole


def test_what_a_killed_writer_left_is_removed(whole, tmp_path):
    (tmp_path / ".toy.json.123").write_text('{"made"', encoding="utf-8")
    assert finished("toy", tmp_path) == whole


def test_a_process_that_measures_is_killed(toy, tmp_path):
    def measure(device: str, x: int) -> dict:
        if x == 3 and not (tmp_path / "killed").exists():
            (tmp_path / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"square": x * x}

    toy(measure, 6)
    results = tmp_path / "results"
    code, said = Command(results, "toy", "--jobs", "2").end()
    assert code == 1 and "a process that measured was killed" in said and said.endswith(GOES_ON)
    assert finished("toy", results) == undisturbed("toy")


@pytest.mark.parametrize(
    "stop, code, last",
    [(signal.SIGINT, 130, f"stopped: {GOES_ON}"), (signal.SIGKILL, -9, "")],
    ids=["Ctrl-C", "killed"],
)
def test_a_run_of_several_processes_that_is_stopped_goes_on(toy, tmp_path, stop, code, last):
    def measure(device: str, x: int) -> dict:
        time.sleep(600 if x == 2 and not (tmp_path / "quick").exists() else 0)
        return {"square": x * x}

    toy(measure, 4)
    results = tmp_path / "results"
    run = Command(results, "toy", "--jobs", "2")
    wait_for(lambda: len(run.kept) >= 2)
    os.killpg(run.group, stop)  # as a terminal does
    ended, said = run.end()
    assert ended == code and said.endswith(last)
    wait_for(lambda: not is_there(run.group))
    (tmp_path / "quick").touch()
    assert finished("toy", results) == undisturbed("toy")


def test_a_process_that_measures_leaves_ctrl_c_to_the_command(toy):
    def measure(device: str, x: int) -> dict:
        os.kill(os.getpid(), signal.SIGINT)
        return {"square": x * x}

    toy(measure)
    assert [row["result"] for row in reproduce("toy", quick=True, jobs=2)] == [{"square": 49}]


def is_there(group: int) -> bool:
    """Whether a process of that group lives."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # so macOS says of one that has ended and is not waited for yet
        return True
    return True


def test_a_run_waits_for_no_lock_that_is_held_elsewhere(toy):
    toy(square)
    with tqdm.get_lock():  # as by a run that was killed while it drew its bar
        stored = json.loads(undisturbed("toy"))
    assert [row["result"]["square"] for row in stored["results"]] == [x * x for x in range(SIZE)]


# ---- no room


def limited(size: int):
    """Lets a process write files of that many bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("size, kept", [(100, 0), (3000, SIZE)])
def test_a_file_without_room_is_named_and_not_half_written(size, kept, whole, tmp_path):
    run = Command(tmp_path, *ALONE, before=limited(size))
    code, said = run.end()
    assert code == 1 and "File too large" in said and said.endswith(GOES_ON)
    assert len(run.kept) == kept and not (tmp_path / "toy.json").exists()
    assert [*tmp_path.rglob(".*.json.*")] == []
    assert finished("toy", tmp_path) == whole


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here is always full")
def test_a_full_disk_is_named(toy, whole, tmp_path):
    def measure(device: str, x: int) -> dict:
        if x == SIZE - 1:  # the file will be written to a device that is full
            (tmp_path / f".toy.json.{os.getpid()}").symlink_to("/dev/full")
        return square(device, x)

    toy(measure)
    code, said = Command(tmp_path, *ALONE).end()
    message = f"No space left on device: '{tmp_path / 'toy.json'}'; {GOES_ON}"
    assert code == 1 and said.endswith(message)
    toy(square)
    assert finished("toy", tmp_path) == whole


def test_a_folder_that_cannot_be_written_is_named(whole, tmp_path):
    (tmp_path / "file").touch()
    code, said = Command(tmp_path / "file", *ALONE).end()
    assert code == 1 and "Not a directory" in said


# ---- broken files


DAMAGES = {
    "empty": lambda data, draw: b"",
    "cut": lambda data, draw: data[: draw.randrange(len(data))],
    "of another kind": lambda data, draw: b"[1]",
    "no text": lambda data, draw: draw.randbytes(len(data)),
    "forged": lambda data, draw: data.replace(b'"square": ', b'"square": 1'),
    "a byte": lambda data, draw: with_a_byte_changed(data, draw.randrange(len(data)), draw),
}


def with_a_byte_changed(data: bytes, place: int, draw: random.Random) -> bytes:
    return data[:place] + bytes([data[place] ^ draw.randrange(1, 256)]) + data[place + 1 :]


def half_done(toy, results) -> Command:
    """A run that stopped when most configurations were kept."""

    def measure(device: str, x: int) -> dict:
        if x == SIZE - 4:
            raise OSError("stopped")
        return square(device, x)

    toy(measure)
    run = Command(results, *ALONE)
    assert run.end()[1].endswith(f"stopped; {GOES_ON}") and len(run.kept) == SIZE - 4
    toy(square)
    return run


@pytest.mark.parametrize("name", DAMAGES)
def test_a_broken_configuration_is_measured_again(name, toy, whole, tmp_path):
    draw = random.Random(name)
    for path in half_done(toy, tmp_path).kept:
        path.write_bytes(DAMAGES[name](path.read_bytes(), draw))
    assert finished("toy", tmp_path) == whole


def test_a_configuration_in_anothers_place_is_measured_again(toy, whole, tmp_path):
    first, second, *_ = half_done(toy, tmp_path).kept
    second.write_bytes(first.read_bytes())
    assert finished("toy", tmp_path) == whole


def test_a_folder_in_a_files_place_is_named(toy, whole, tmp_path):
    [*_, last] = half_done(toy, tmp_path).kept
    last.unlink()
    last.mkdir()
    code, said = Command(tmp_path, *ALONE).end()
    assert code == 1 and f"Is a directory: '{last}'" in said


def test_a_broken_checkpoint_is_named(toy, tmp_path):
    def measure(device: str, x: int) -> dict:
        raise CheckpointError("run.pt is no checkpoint that can be read: remove it to start anew")

    toy(measure)
    code, said = Command(tmp_path, *ALONE).end()
    assert (
        code == 1
        and f"run.pt is no checkpoint that can be read: remove it to start anew; {GOES_ON}" in said
    )


# ---- two at once


def test_of_two_at_once_one_is_refused(toy, tmp_path):
    def measure(device: str, x: int) -> dict:
        while x == 1 and not (tmp_path / "goes on").exists():
            time.sleep(0.01)
        return {"square": x * x}

    toy(measure, 3)
    results = tmp_path / "results"
    first = Command(results, *ALONE)
    wait_for(lambda: len(first.kept) == 1)
    code, said = Command(results, *ALONE).end()
    assert code == 1 and "another process is making toy: wait for its end, or stop it" in said
    (tmp_path / "goes on").touch()
    assert first.end()[0] == 0
    assert timeless(results / "toy.json") == undisturbed("toy")


def test_quick_waits_for_nobody_and_prints_what_it_found(toy, tmp_path):
    toy(square)
    code, said = Command(tmp_path, *ALONE, "--quick").end()
    assert code == 0 and json.loads(said)["result"]["square"] == 49
    assert [*tmp_path.iterdir()] == []
