"""A question to a solver in a process of its own."""

import os
import signal
from multiprocessing import get_context
from time import perf_counter, sleep

from lib.proofs.limits import ended

LONG = 60


def lasts() -> str:
    sleep(LONG)
    return "late"


def dies() -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


def computes() -> str:
    while True:
        pass


def answers() -> str:
    return "yes"


def test_no_answer_comes_from_a_process_that_is_ended_or_dies():
    began = perf_counter()
    assert ended(answers, None, LONG) == "yes"
    assert ended(lasts, 0.1, LONG) is None
    assert ended(dies, LONG, LONG) is None
    assert ended(computes, None, 1) is None
    assert perf_counter() - began < LONG / 2


def test_one_of_a_pool_answers_too():
    with get_context("fork").Pool(1) as pool:
        assert pool.apply(ended, (answers, LONG, LONG)) == "yes"
