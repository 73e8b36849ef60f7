"""The chapters as notebooks, for the pages that are made from them."""

from __future__ import annotations

from pathlib import Path

from lib.checks import shown
from record.runs import read_json


def cells(notebook: Path) -> list[dict]:
    """The cells of a notebook, without the setup cell in front; ValueError for a file that is
    none.
    """
    found = read_json(notebook).get("cells")
    if not isinstance(found, list):
        raise ValueError(f"{notebook} is no notebook: its cells are expected, not {shown(found)}")
    return found[1:]


def text(cell: dict) -> str:
    """The source of a cell."""
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
