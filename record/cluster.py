"""A stored run on a Dask cluster: what does not answer, and who has other code, is named."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from record.experiments import OtherCode

if TYPE_CHECKING:
    from distributed import Client, Future


PATIENCE = 10  # seconds that a scheduler may take to answer, and a first worker to come


def on_cluster(
    scheduler: str, calls: Sequence[Callable[[], dict]], module: str, code: str
) -> Generator[dict]:
    """What the calls return, in the order in which workers are done with them; an error of a call
    is raised here.

    ConnectionError where no scheduler answers at that address, it has no workers, or they are lost;
    `OtherCode` for a worker without this library, or in which what `module` imports is
    not what `code` is the hash of.
    """
    from distributed.protocol.pickle import dumps

    work = _guarded(module, code)
    with _quiet(), _client(scheduler) as client:
        waiting = {client.submit(work, dumps(call), pure=False) for call in calls}
        while waiting:
            done, waiting = _finished(client, waiting)
            for future in done:
                row = _given(future)
                if row is None:
                    waiting.add(future)
                else:
                    yield row


@contextmanager
def _quiet() -> Iterator[None]:
    """Leaves what Dask logs unsaid: one error says what is wrong."""
    log = logging.getLogger("distributed")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(level)


@contextmanager
def _client(scheduler: str) -> Iterator[Client]:
    """A client of the scheduler at that address, if one answers."""
    from distributed import Client

    try:
        # In a thread of its own: a notebook's runs a loop already.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(_greet(scheduler))).result()
        client = Client(scheduler, timeout=PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        raise ConnectionError(
            f"no Dask scheduler answers at {scheduler!r}: one is expected, as at tcp://host:8786"
        ) from error
    try:
        yield client
    finally:
        client.close(timeout=PATIENCE)


async def _greet(scheduler: str) -> None:
    """Exchanges greetings, for which a client would wait for ever."""
    from distributed.comm.core import connect

    comm = await asyncio.wait_for(connect(scheduler), PATIENCE)
    await comm.close()


def _guarded(module: str, code: str) -> Callable[[bytes], dict | str]:
    """What a worker does with a packed call: it returns what the call does, or says why it cannot
    make it. It is a function of a function to travel as it is: a worker may lack this library.
    """

    def guarded(packed: bytes) -> dict | str:
        from distributed import get_worker
        from distributed.protocol.pickle import loads

        who = f"the worker at {get_worker().address} has"
        try:
            from record.experiments import code_hash

            here = code_hash(module)
        except Exception as error:
            return f"{who} no library of this book ({error}): start it in the book's folder"
        if here != code:
            return f"{who} other code ({here[:8]}) than asked for this run ({code[:8]})"
        return loads(packed)()

    return guarded


def _finished(client: Client, waiting: set[Future]) -> tuple[set[Future], set[Future]]:
    """Which of the futures are done, at least one, and which are not."""
    from distributed import wait
    from distributed.exceptions import WorkerStartTimeoutError

    while True:
        try:
            try:
                found: Any = wait(waiting, timeout=PATIENCE, return_when="FIRST_COMPLETED")
                return found
            except TimeoutError:  # is anybody there?
                assert client.scheduler  # until it is closed, it has one
                client.sync(client.scheduler.identity, callback_timeout=PATIENCE)
                client.wait_for_workers(1, timeout=PATIENCE)
        except WorkerStartTimeoutError as error:
            raise ConnectionError(
                "the Dask scheduler has no workers: start some in the book's folder"
            ) from error
        except (OSError, CancelledError) as error:
            raise ConnectionError("the Dask scheduler does not answer any more") from error


def _given(future: Future) -> dict | None:
    """What a worker gave; its error, or its excuse, is raised. None where it is gone with its
    worker, and is made anew.
    """
    from distributed import KilledWorker

    try:
        given = future.exception if future.status == "error" else future.result
        found: Any = given(timeout=PATIENCE)
    except TimeoutError:
        return None
    except CancelledError as error:
        raise ConnectionError("the Dask scheduler does not answer any more") from error
    if isinstance(found, KilledWorker):
        raise ConnectionError(
            f"{found.allowed_failures + 1} workers were killed at one configuration, "
            "for lack of memory perhaps"
        ) from found
    if isinstance(found, BaseException):
        raise found
    if isinstance(found, str):
        raise OtherCode(found)
    return found
