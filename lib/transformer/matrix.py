"""A dense matrix whose rows and columns keep their names, as a table in text and HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from html import escape

import numpy as np

from lib.checks import an, hold, many, rational, text


@dataclass(frozen=True)
class Matrix:
    """A dense matrix with named rows and columns, times a common `factor` that is kept as a symbol
    ("" for 1).

    The entries are kept as exact rationals; floats stand for the rationals that they store.
    ValueError for a wrong shape.
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    entries: tuple[tuple[Fraction, ...], ...]
    factor: str = ""

    def __post_init__(self):
        hold(self, name=text, rows=many(text), columns=many(text), factor=text)
        hold(self, entries=many(an(list, tuple, np.ndarray)))
        object.__setattr__(
            self, "entries", tuple(tuple(map(rational, row)) for row in self.entries)
        )
        if [len(row) for row in self.entries] != [len(self.columns)] * len(self.rows):
            raise ValueError(
                f"{self.name}: {len(self.rows)} rows of {len(self.columns)} entries are expected, "
                f"not rows of {[len(row) for row in self.entries]}"
            )

    def numpy(self) -> np.ndarray:
        """The entries, without the common factor, as float64 of shape (rows, columns)."""
        return np.array([[float(x) for x in row] for row in self.entries]).reshape(
            len(self.rows), len(self.columns)
        )

    def __repr__(self) -> str:
        body = "\n".join(
            f"{label:>10} " + " ".join(f"{x!s:>6}" for x in row)
            for label, row in zip(self.rows, self.entries, strict=True)
        )
        head = " " * 11 + " ".join(f"{label:>6}" for label in self.columns)
        return f"{self.name} = {self.factor or '1'} ×\n{head}\n{body}"

    def _repr_html_(self) -> str:
        cells = [
            [f'<td class="{"zero" if not x else "entry"}">{x}</td>' for x in row]
            for row in self.entries
        ]
        head = "".join(f"<th>{escape(label)}</th>" for label in self.columns)
        body = "".join(
            f"<tr><th>{escape(label)}</th>{''.join(row)}</tr>"
            for label, row in zip(self.rows, cells, strict=True)
        )
        factor = f" = {escape(self.factor)} ×" if self.factor else ""
        name = re.sub(
            r"\^(\{[^}]*\}|.)",
            lambda power: f"<sup>{power[1].strip('{}')}</sup>",
            escape(self.name),
        )
        return (
            f'<table class="matrix"><caption>{name}{factor}</caption>'
            f"<thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"
        )
