"""What the book claims: rows of the scorecard, each chapter's comparison with its paper, errata and
stored runs.

A chapter declares its claims while it runs. They are compared with the ones recorded in
`chapters/results/claims/`, and a difference stops the chapter; `python -m lib.book.results` runs
the chapters and records anew. The scorecard and the errata page read the recorded files only, so
they depend on no order of execution and cannot go stale unnoticed.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from pathlib import Path

from IPython.display import Markdown

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
RESULTS = CHAPTERS / "results"
RECORDING = "BOOK_RECORD"
VERDICTS = ("agrees", "differs", "read off a figure", "not reported", "other data")
UNSETTLED = VERDICTS[-1]  # a line of this verdict leaves its row open


@dataclass(frozen=True)
class Claim:
    """One line of a comparison with a paper: `row` is a row of the scorecard, `cell` a label in the
    chapter.
    """

    row: str
    quantity: str
    paper: str
    here: str
    verdict: str
    source: str
    cell: str
    note: str = ""


@dataclass(frozen=True)
class Erratum:
    """One misprint or gap of a paper: where, what is printed, what is right, how that was checked,
    and the cell.
    """

    row: str
    place: str
    printed: str
    correct: str
    checked: str
    cell: str


@dataclass
class Claims:
    """The claims and errata of one chapter, in the order in which it makes them."""

    chapter: str
    claims: list[Claim] | tuple[Claim, ...] = field(default_factory=list)
    errata: list[Erratum] = field(default_factory=list)

    def add(
        self,
        row: str,
        quantity: str,
        paper: object | None,
        here: object,
        agrees: bool,
        cell: str,
        source: str = "live",
        read_off: bool = False,
        note: str = "",
        data: str = "",
    ) -> None:
        """Adds a line. `paper` is None where the paper reports nothing; `read_off`: its value was
        read off a figure; `data` names the data that stand in for the paper's, where those are not
        at hand, which leaves the row open.

        Raises ValueError for a row that the scorecard does not have.
        """
        check_row(row)
        agreed, differs, figure, unreported, other = VERDICTS
        verdict = (
            differs
            if not agrees
            else unreported
            if paper is None
            else figure
            if read_off
            else agreed
        )
        if data:
            verdict, note = other, "; ".join(filter(None, (f"{data}, {verdict}", note)))
        printed = "–" if paper is None else str(paper)
        self._open().append(Claim(row, quantity, printed, str(here), verdict, source, cell, note))

    def erratum(
        self, row: str, place: str, printed: str, correct: str, holds: bool, checked: str, cell: str
    ) -> None:
        """Adds a misprint whose correction was checked (`holds`) in this run; ValueError if the
        check failed.
        """
        check_row(row)
        if not holds:
            raise ValueError(f"the correction of {place} does not hold: {checked}")
        self._open()
        self.errata.append(Erratum(row, place, printed, correct, checked, cell))

    def _open(self) -> list[Claim]:
        if isinstance(self.claims, tuple):
            raise ValueError("the comparison table has been made: add claims before it")
        return self.claims

    def table(self) -> Markdown:
        """The comparison table, which closes the claims. AssertionError where it differs from the
        recorded one.
        """
        path, live = RESULTS / "claims" / f"{self.chapter}.json", asdict(self)
        self.claims = tuple(self.claims)
        if os.environ.get(RECORDING) == "1":
            write_json(path, live)
        recorded = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for kind in ("claims", "errata"):
            for was, now in zip_longest(recorded.get(kind, []), live[kind]):
                if was != now:
                    raise AssertionError(
                        f"{path.name} records {was}, but the chapter now finds {now}: if that is right, "
                        "record it with `python -m lib.book.results`"
                    )
        head, order = ("Where", "Quantity", "Paper", "Here", "Verdict", "Source"), list(rows())
        return markdown_table(
            head,
            [
                (
                    f"[{c.row}](#{c.cell})",
                    c.quantity,
                    c.paper,
                    c.here,
                    c.verdict + (f": {c.note}" if c.note else ""),
                    c.source,
                )
                for c in sorted(self.claims, key=lambda c: order.index(c.row))
            ],
        )


def markdown_table(head: Sequence[str], body: Iterable[Sequence[object]]) -> Markdown:
    """A Markdown table; bars inside cells are escaped, so that |w| can stand in one."""

    def line(cells: Iterable[object]) -> str:
        return "| " + " | ".join(str(cell).replace("|", r"\|") for cell in cells) + " |"

    return Markdown("\n".join([line(head), line("---" for _ in head), *map(line, body)]))


def rows() -> dict[str, dict]:
    """The rows of the scorecard by place, each with `statement` and `chapter`, in the papers'
    order.
    """
    return {
        row["place"]: row for row in json.loads((RESULTS / "rows.json").read_text(encoding="utf-8"))
    }


def check_row(place: str) -> None:
    """ValueError, with the valid ones, for a row that the scorecard does not have."""
    if place not in rows():
        raise ValueError(
            f"the scorecard has no row {place!r}; it has {', '.join(map(repr, rows()))}"
        )


def recorded() -> list[dict]:
    """Every chapter's recorded claims and errata, in the order of the chapters."""
    return [
        json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((RESULTS / "claims").glob("*.json"))
    ]


@dataclass(frozen=True)
class Stored:
    """A stored run: `results` pairs each configuration with what it gave; `made` says when, where
    and with what.
    """

    name: str
    results: list[dict]
    made: dict

    @property
    def minutes(self) -> float:
        """How long it took, the times of all its configurations added up."""
        return sum(row["seconds"] for row in self.results) / 60

    @property
    def source(self) -> str:
        """How the chapters name where a number came from."""
        return f"loaded: {self.made['date']}, {self.made['device']}, {len(self.results)} configurations"


def stored(name: str) -> Stored:
    """The stored run `name`; ValueError, with the command that makes it, if there is none."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        raise ValueError(
            f"there is no stored run {name!r}: make it with `python -m lib.reproduce {name}`"
        )
    data = json.loads(path.read_text(encoding="utf-8"))
    return Stored(name, data["results"], data["made"])


def stored_runs() -> list[Stored]:
    """Every stored run, by name."""
    return [stored(path.stem) for path in sorted(RESULTS.glob("*.json")) if path.stem != "rows"]


def write_json(path: Path, data: object) -> None:
    """Writes `data` to `path` as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    text = re.sub(r"\[[^][{}]*\]", _on_one_line, json.dumps(data, ensure_ascii=False, indent=1))
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(path)


def _on_one_line(match: re.Match) -> str:
    """A list of numbers without its line breaks. JSON escapes those inside strings, so strings stay
    as they are.
    """
    return (
        re.sub(r"\s*\n\s*", " ", match[0]).replace("[ ", "[").replace(" ]", "]")
        if "\n" in match[0]
        else match[0]
    )


def glue(name: str, value: object) -> None:
    """Names a value for the prose of the book; outside the book's build (in Colab, say) it does
    nothing.
    """
    try:
        from myst_nb import glue as insert
    except ImportError:
        return
    insert(name, value, display=False)


def record(chapters: Sequence[str]) -> None:
    """Runs the notebooks of `chapters` and records the claims they make."""
    import nbformat
    from nbclient import NotebookClient

    os.environ[RECORDING] = "1"
    for chapter in chapters:
        notebook = nbformat.read(CHAPTERS / f"{chapter}.ipynb", as_version=4)
        NotebookClient(
            notebook, timeout=600, resources={"metadata": {"path": str(CHAPTERS)}}
        ).execute()
        print(f"recorded {chapter}")


if __name__ == "__main__":
    known = [
        path.stem
        for path in sorted(CHAPTERS.glob("*.py"))
        if "Claims(" in path.read_text(encoding="utf-8")
    ]
    for asked in sys.argv[1:]:
        if asked not in known:
            sys.exit(f"no chapter {asked!r}; there are {', '.join(known)}")
    record(sys.argv[1:] or known)
