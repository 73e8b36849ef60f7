"""A stored run on a Dask cluster ends in the file of this machine's, or in one clear error."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from record import cluster as clusters
from record import reproduce as reproducing
from record.experiments import ROOT, OtherCode
from record.reproduce import reproduce
from tests.stopped import GOES_ON, Command, squares, timeless, undisturbed
from tests.toys import named_for_a_test
from tests.waiting import wait_for


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """Names an experiment "toy"."""
    monkeypatch.setattr(reproducing, "RESULTS", tmp_path / "results")
    return lambda measure, size=4: named_for_a_test(monkeypatch, "toy", squares(size, measure))


@pytest.fixture
def impatient(monkeypatch):
    """A scheduler and workers are waited for a second."""
    monkeypatch.setattr(clusters, "PATIENCE", 1)


@pytest.fixture
def losing(monkeypatch, tmp_path):
    """Gives a measurement that takes ten minutes, and has something happen when it has begun."""
    threads = []

    def measure(device: str, x: int) -> dict:
        (tmp_path / "begun").touch()
        time.sleep(600)
        return {}

    def with_loss(happens):
        def lose() -> None:
            wait_for((tmp_path / "begun").exists)
            monkeypatch.setattr(clusters, "PATIENCE", 3)
            happens()

        threads.append(threading.Thread(target=lose))
        threads[0].start()
        return measure

    yield with_loss
    threads[0].join()


def square(device: str, x: int) -> dict:
    return {"square": x * x}


def dask(what: str, folder: Path, *arguments: str, library: Path | None = None) -> subprocess.Popen:
    """A process of Dask's, in a folder where it finds that library or none."""
    if library is None:  # nor by the path that `make book` leaves in the environment
        library = folder / "none"
        library.mkdir(exist_ok=True)
        hide = f"import sys\nsys.path[:] = [path for path in sys.path if path != {str(ROOT)!r}]\n"
        (library / "sitecustomize.py").write_text(hide, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(library)}
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def ended(process: subprocess.Popen) -> None:
    """Ends a process and those that it started."""
    with suppress(PermissionError):  # so macOS says of one that has ended
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


@pytest.fixture
def scheduler(tmp_path):
    """A scheduler that has no workers and knows no library: its process, and its address."""
    port = free_port()
    process = dask(
        "scheduler", tmp_path, "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"
    )
    wait_for(lambda: answers(port))
    yield process, f"tcp://127.0.0.1:{port}"
    ended(process)


def answers(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def worker(address: str, folder: Path, library: Path | None):
    """A worker of one thread, without a nanny."""
    process = dask(
        "worker",
        folder,
        address,
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
        library=library,
    )
    try:
        yield process
    finally:
        ended(process)


# ---- nobody answers


@pytest.mark.parametrize(
    "address", ["tcp://localhost:1", "nonsense", "", "tls://localhost:1", "\ud800"]
)
def test_an_address_where_no_scheduler_is_is_named(address, toy, impatient, tmp_path):
    toy(square)
    with pytest.raises(ConnectionError, match="no Dask scheduler answers at ") as error:
        reproduce("toy", scheduler=address)
    assert repr(address) in str(error.value) and not (tmp_path / "results" / "toy.json").exists()


def test_a_socket_that_says_nothing_is_named(toy, impatient):
    toy(square)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ConnectionError, match=f"no Dask scheduler answers at '{address}'"):
            reproduce("toy", scheduler=address)


def test_a_server_of_pages_is_named(toy, impatient):
    toy(square)
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.RequestHandlerClass.log_message = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with pytest.raises(ConnectionError, match="no Dask scheduler answers at"):
        reproduce("toy", scheduler=f"tcp://127.0.0.1:{server.server_port}")
    server.shutdown()


def test_a_scheduler_that_was_stopped_is_named(toy, impatient, scheduler):
    toy(square)
    process, address = scheduler
    process.send_signal(signal.SIGSTOP)
    with pytest.raises(ConnectionError, match=f"no Dask scheduler answers at '{address}'"):
        reproduce("toy", scheduler=address)


# ---- nobody works


def test_a_scheduler_without_workers_is_named_by_the_command(toy, scheduler, tmp_path):
    toy(square)
    impatient = partial(setattr, clusters, "PATIENCE", 1)
    code, said = Command(tmp_path, "toy", "--scheduler", scheduler[1], before=impatient).end()
    message = "the Dask scheduler has no workers: start some in the book's folder"
    assert code == 1 and said.endswith(f"error: {message}; {GOES_ON}")


@pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL])
def test_a_scheduler_that_is_lost_midway_is_named(how, toy, scheduler, losing, tmp_path):
    process, address = scheduler
    toy(losing(lambda: process.send_signal(how)))
    with worker(address, tmp_path, ROOT):
        with pytest.raises(ConnectionError, match="the Dask scheduler does not answer any more"):
            reproduce("toy", scheduler=address)


# ---- who has other code


def test_a_worker_without_the_library_is_named(toy, scheduler, tmp_path):
    toy(square)
    with worker(scheduler[1], tmp_path, None):
        with pytest.raises(
            OtherCode,
            match="the worker at tcp.* has no library of this book .*No module named 'record'",
        ):
            reproduce("toy", scheduler=scheduler[1])


def test_a_worker_with_another_version_is_named(toy, scheduler, tmp_path):
    toy(square)
    other = tmp_path / "other"
    for house in ("lib", "record", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "results")
        shutil.copytree(ROOT / house, other / house, ignore=ignored)
    with (other / "lib" / "checks.py").open("a", encoding="utf-8") as file:
        file.write("# another version\n")
    with worker(scheduler[1], tmp_path, other):
        with pytest.raises(
            OtherCode, match="the worker at tcp.* has other code .* than asked for this run"
        ):
            reproduce("toy", scheduler=scheduler[1])


# ---- two workers


@pytest.fixture(scope="module")
def cluster():
    """A Dask cluster of two worker processes on this machine."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


def test_a_cluster_gives_the_same_file(cluster, toy, tmp_path):
    toy(lambda device, x: {"square": x * x, "third": x / 3}, 20)
    reproduce("toy", scheduler=cluster.scheduler_address)
    assert timeless(tmp_path / "results" / "toy.json") == undisturbed("toy")


def test_a_notebook_asks_a_cluster_though_its_thread_runs_a_loop(cluster, toy, tmp_path):
    toy(square)

    async def cell() -> None:
        reproduce("toy", scheduler=cluster.scheduler_address)

    with ThreadPoolExecutor(1) as notebook:
        notebook.submit(lambda: asyncio.run(cell())).result()
    assert timeless(tmp_path / "results" / "toy.json") == undisturbed("toy")


def test_an_error_of_a_measurement_is_that_of_the_command(cluster, toy, tmp_path):
    def measure(device: str, x: int) -> dict:
        if x == 2:
            raise FileNotFoundError("there is no such folder on this worker")
        return {"square": x * x}

    toy(measure)
    with pytest.raises(FileNotFoundError, match="no such folder on this worker"):
        reproduce("toy", scheduler=cluster.scheduler_address)


def test_a_worker_that_is_killed_midway_changes_nothing(cluster, toy, tmp_path):
    def measure(device: str, x: int) -> dict:
        if x == 2 and not (tmp_path / "killed").exists():
            (tmp_path / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"square": x * x}

    toy(measure, 6)
    reproduce("toy", scheduler=cluster.scheduler_address)
    assert (tmp_path / "killed").exists()
    assert timeless(tmp_path / "results" / "toy.json") == undisturbed("toy")


def test_a_configuration_that_kills_its_workers_is_named(cluster, toy, monkeypatch):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    toy(lambda device, x: os.kill(os.getpid(), signal.SIGKILL), 1)
    with pytest.raises(ConnectionError, match="1 workers were killed at one configuration"):
        reproduce("toy", scheduler=cluster.scheduler_address)


def test_workers_that_are_all_lost_are_named(cluster, toy, losing):
    toy(losing(lambda: cluster.scale(0)))
    with pytest.raises(ConnectionError, match="the Dask scheduler has no workers"):
        reproduce("toy", scheduler=cluster.scheduler_address)
