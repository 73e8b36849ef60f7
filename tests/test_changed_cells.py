"""A person who changes a cell of a chapter is not stopped by the book: what the chapter asserts and
claims is then said and no error.
"""

import ast
import json
import os
import random
import subprocess
import sys
from contextlib import suppress

import pytest

from record.claims import RECORD
from tests import EVERYTHING, SEED
from tests.changed_cells import CHAPTERS, cells, changed

ROOT = CHAPTERS.parent
CHEAP = {"01_ffnn_parity": 2, "02_transformer_parity_first": 1}  # others
DEAR = "10_the_map"  # one of its cells takes most of its time


def asked() -> list[str]:
    """One chapter, drawn by the commit; each of them where all that takes long is asked for."""
    names, commit = [*CHEAP, DEAR], ""
    if EVERYTHING:
        return names
    with suppress(OSError):  # there is no git
        head = ["git", "rev-parse", "HEAD"]
        commit = subprocess.run(head, cwd=ROOT, capture_output=True, text=True).stdout
    return [random.Random(commit).choice(names)]


def chosen(name: str) -> tuple[list[int], list[int]]:
    """The cells of a chapter that invite a change of a number, and one or two others, drawn
    by `SEED`; of a dear one, one of the cells that invite.
    """
    inviting = [
        place
        for place, source in enumerate(cells(name))
        if "# try:" in source and changed(source) != ast.unparse(ast.parse(source))
    ]
    if name == DEAR:
        return [inviting[SEED % len(inviting)]], []
    others = set(range(1, len(cells(name)))) - set(inviting)
    return inviting, random.Random(SEED).sample(sorted(others), CHEAP[name])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks before each changed cell")
@pytest.mark.parametrize("name", asked())
def test_a_person_who_changes_the_numbers_of_a_cell_goes_on(name):
    inviting, others = chosen(name)
    places = map(str, (*inviting, *others))
    command = [sys.executable, "-m", "tests.changed_cells", name, *places]
    person = {name: value for name, value in os.environ.items() if name != RECORD}
    # What opens windows may not be forked, and threads are not: the child would wait for them.
    person |= {"MPLBACKEND": "agg", "OMP_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=person, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-2000:]
    runs = [json.loads(line) for line in done.stderr.splitlines() if line.startswith('{"cell"')]
    errors = {run["cell"]: run["errors"] for run in runs}
    assert errors.keys() >= set(inviting)
    assert all(errors[place] == {} for place in inviting)
    for found in errors.values():
        assert not any(error.startswith("AssertionError") for error in found.values())
        assert found == {} or "0" in found  # all cells after one that runs, changed, run too
