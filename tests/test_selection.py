"""What `make quick` leaves out: tests that ask for a browser or the built book, and slow ones; and
what begins.
"""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import MARKERS, SLOW, pytest_collection_modifyitems, pytest_itemcollected


def marks(fixtures: list[str], file: str = "test_space", name: str = "test_one") -> list[str]:
    """The marks that a test of these fixtures, file and name is given."""
    given = []
    pytest_itemcollected(
        SimpleNamespace(
            fixturenames=fixtures,
            path=Path(f"{file}.py"),
            originalname=name,
            add_marker=given.append,
        )
    )
    return given


@pytest.mark.parametrize(
    "fixtures, expected",
    [
        (["tmp_path"], []),
        (["html"], ["book"]),
        (["pages", "html"], ["book"]),
        (["served", "html", "browser"], ["browser", "book"]),
        (["modules", "browser"], ["browser"]),
    ],
)
def test_marks_follow_from_fixtures(fixtures, expected):
    assert marks(fixtures) == expected
    assert set(expected) <= set(MARKERS)


@pytest.mark.parametrize("name", sorted(SLOW))
def test_what_is_called_slow_is_a_file_or_a_test_that_there_is(name):
    assert marks([], file=name) == marks([], name=name) == ["slow"]
    files = list(Path(__file__).parent.rglob("test_*.py"))
    defined = any(f"def {name}(" in file.read_text(encoding="utf-8") for file in files)
    assert defined or name in {file.stem for file in files}


def test_what_takes_long_begins():
    """The rest keeps its order."""
    collected = [("test_b.py", None), ("test_a.py", "slow"), ("c.ipynb", None), ("test_d.py", None)]
    items = [
        SimpleNamespace(path=Path(name), get_closest_marker={"slow": mark}.get)
        for name, mark in collected
    ]
    pytest_collection_modifyitems(items)
    names = [item.path.name for item in items]
    assert names == ["test_a.py", "c.ipynb", "test_b.py", "test_d.py"]
