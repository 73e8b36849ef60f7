"""The tape of a run holds what the machine's run holds."""

from chapters.common.turing.machines import BUSY_BEAVER_4, INCREMENT
from chapters.turing_completeness.figures import (
    tape_of,
)


def test_the_tape_of_a_run_by_hand():
    tape = tape_of(INCREMENT, list(INCREMENT.run("11")))
    assert tape.left == -1 and tape.heads == [0, 1, 2, 1, 0, -1, -1]
    assert tape.symbols == ["_11_", "_11_", "_11_", "_11_", "_10_", "_00_", "100_"]


def test_the_head_reads_what_the_configuration_says():
    run = list(BUSY_BEAVER_4.run(""))
    tape = tape_of(BUSY_BEAVER_4, run)
    for now, head, row in zip(run, tape.heads, tape.symbols, strict=True):
        assert row[head - tape.left] == (now.right[:1] or "0") and row.strip("0") == (
            now.left + now.right
        ).strip("0")
    assert len({len(row) for row in tape.symbols}) == 1
