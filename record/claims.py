"""What the book claims: comparisons with the papers, and errata.

A chapter declares its claims while it runs. They are compared with the ones recorded in
`record/results/claims/`. A difference stops a chapter that the book's build or a test runs; a
person who changed a cell is told of it and goes on. `python -m record` runs the chapters and
records anew. The scorecard and the errata page read the recorded files only, so they
depend on no order of execution and cannot go stale unnoticed.

What a chapter asserts holds for the chapter as it is. Where a person changed a cell, it is said
what no longer holds, and the notebook goes on; the book's build and its tests stop there.
"""

import ast
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

from IPython.core.getipython import get_ipython
from IPython.display import Markdown

from lib.checks import flag, hold, mapping, one_of, optional, text
from lib.notebook import RECORD, is_strict, markdown_table
from record import runs
from record.rows import check_row, check_statement, rows
from record.runs import read_json, read_yaml, write_json

T = TypeVar("T", "Line", "Misprint")

# A verdict on a value that the paper gives: the same experiment within the paper's own spread, or
# an exact equality, agrees; the last three speak of another experiment and settle nothing.
AGREES, DIFFERS, READ_OFF = "agrees", "differs", "read off a figure"
NOT_REPORTED, OTHER_DATA, OTHER_CONDITIONS = "not reported", "other data", "other conditions"
PART_OF_DATA = "part of the paper's data"
VERDICTS = (AGREES, DIFFERS, READ_OFF, NOT_REPORTED, PART_OF_DATA, OTHER_DATA, OTHER_CONDITIONS)
UNSETTLED = (PART_OF_DATA, OTHER_DATA, OTHER_CONDITIONS)
LONG = 10  # lines: a longer comparison is sorted by verdict
GROUPS = {  # how many lines are said to be of a verdict
    DIFFERS: "different from the paper",
    AGREES: "in agreement with the paper",
    READ_OFF: "in agreement with a value read off a figure",
    PART_OF_DATA: "on a part of the paper's data",
    OTHER_DATA: "on other data",
    OTHER_CONDITIONS: "under other conditions",
    NOT_REPORTED: "without a value in the paper",
}

PROVED = "proved for every length"
DECIDED = "proved for each string to a length"
MEASURED = "measured"
TRUTHS = (PROVED, DECIDED, MEASURED)
BY_HAND, BY_MACHINE = "by hand", "by machine"
BOTH = f"both {BY_HAND} and {BY_MACHINE}"
WAYS = (BY_HAND, BY_MACHINE, BOTH)  # of a proof for every length


def criteria_of(chapter: str) -> Path:
    """The file with what is constant in the claims of a chapter."""
    return runs.CHAPTERS / runs.folder(chapter) / "claims.yaml"


@dataclass(frozen=True)
class Claim:
    """One line of a comparison with a paper.

    `row` is a row of the scorecard and `settles` the statement of it that the line settles, "" for
    a line that supports another; `printed` says where the paper prints its value, `criterion` what
    counts as agreement and was decided before the run, `conditions` how the run differs from the
    paper's; `truth` is one of `TRUTHS`, `note` the reason of the verdict, `cell` a label in the
    chapter, `by` one of `WAYS` where it is proved for every length. `found` holds what was found by
    name, where another page says it.
    """

    row: str
    settles: str
    quantity: str
    paper: str
    printed: str
    here: str
    criterion: str
    conditions: str
    truth: str
    verdict: str
    note: str
    source: str
    cell: str
    by: str = ""
    found: dict[str, object] = field(default_factory=dict)


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
    found: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """What is constant in a claim, from `chapters/CHAPTER/claims.yaml`: all but what is found.

    `paper` is None where the paper gives no value, which is `printed` at a place of it otherwise;
    with `read_off` it was read off a figure. `data` names data that stand in for the paper's,
    `part` what of the paper's own was at hand, and `conditions` other conditions than the paper's
    (steps, heads, read-out): the line then settles nothing. `settles` is a statement of the row.
    What is proved for every length says `by` hand, by machine or both, and names the `machine`'s
    proof: a stored run, or one of `record.proofs`.
    """

    row: str
    quantity: str
    cell: str
    paper: object | None = None
    settles: str = ""
    printed: str = ""
    criterion: str = ""
    truth: str = MEASURED
    by: str = ""
    machine: str = ""
    conditions: str = ""
    data: str = ""
    part: str = ""
    source: str = "live"
    read_off: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        hold(self, row=text, quantity=text, cell=text, settles=text, printed=text, criterion=text)
        hold(self, conditions=text, data=text, part=text, source=text, note=text, read_off=flag)
        hold(self, truth=one_of(TRUTHS), by=one_of(("", *WAYS)), machine=text)
        if self.truth == PROVED and not self.by:
            raise ValueError(f"what is {PROVED} must say one of {', '.join(WAYS)}")
        if bool(self.machine) != (self.by in (BY_MACHINE, BOTH)):
            raise ValueError(
                f"a proof by machine, and no other, must be named, not {self.by!r} by "
                f"{self.machine!r}"
            )
        check_statement(self.row, self.settles)

    def verdict(self, agrees: bool | None) -> tuple[str, str]:
        """The verdict on a finding that meets the criterion or does not, and its reason."""
        if self.paper is None:
            return NOT_REPORTED, self.note
        verdict = DIFFERS if not agrees else READ_OFF if self.read_off else AGREES
        another = self.data or self.part or self.conditions
        if not another:
            return verdict, self.note
        reason = f"{another}, {verdict}"
        kind = OTHER_DATA if self.data else PART_OF_DATA if self.part else OTHER_CONDITIONS
        return kind, f"{reason}; {self.note}" if self.note else reason


@dataclass(frozen=True)
class Misprint:
    """What is constant in an erratum, from `chapters/CHAPTER/claims.yaml`."""

    row: str
    place: str
    printed: str
    correct: str
    checked: str
    cell: str

    def __post_init__(self) -> None:
        hold(self, row=text, place=text, printed=text, correct=text, checked=text, cell=text)
        check_row(self.row)


@dataclass
class Claims:
    """The claims and errata of one chapter, in the order in which it makes them; what is constant
    in them stands in `chapters/CHAPTER/claims.yaml`.
    """

    chapter: str
    claims: list[Claim] = field(default_factory=list)
    errata: list[Erratum] = field(default_factory=list)
    surprises: list[str] = field(default_factory=list)
    is_closed: bool = False

    def __post_init__(self) -> None:
        hold(self, chapter=text)
        path = criteria_of(self.chapter)
        self.criteria = read_yaml(path) if path.exists() else {}
        self.used: set[tuple[str, str]] = set()

    def settle(
        self,
        name: str,
        /,
        *,
        here: object,
        agrees: bool | None,
        found: dict | None = None,
        **more: Any,
    ) -> None:
        """Adds the line `name` of the chapter's criteria: what was found `here`, and whether that
        `agrees`, which is None where neither the paper nor the book says what is to be found.

        `more` are fields of `Line` that only the run knows, or fill the {places} of its texts;
        `found` are values by name. Raises ValueError for what does not fit together; where the
        book is checked, also for a finding of its own that does not hold, and for a line that
        differs without its cause as a `note`.
        """
        self._check_open()
        optional(flag)(agrees, "agrees")
        optional(mapping(object))(found, "found")
        line = self._constant(name, "claims", Line, more)
        if agrees is None and line.paper is not None:
            raise ValueError(
                f"whether {line.quantity!r} agrees with the paper is expected, not None"
            )
        if agrees is False and line.paper is None:
            self._object(f"the book's own finding {line.quantity!r} does not hold: {here}")
        verdict, note = line.verdict(agrees)
        if verdict == DIFFERS and not note:
            self._object(f"{line.quantity!r} differs: name its cause in `note`")
        self.claims.append(
            Claim(
                row=line.row,
                settles=line.settles,
                quantity=line.quantity,
                paper="–" if line.paper is None else str(line.paper),
                printed=line.printed,
                here=str(here),
                criterion=line.criterion,
                conditions=line.conditions or line.data or line.part,
                truth=line.truth,
                verdict=verdict,
                note=note,
                source=line.source,
                cell=line.cell,
                by=line.by if line.truth == PROVED else "",
                found=found or {},
            )
        )

    def correct(self, name: str, /, *, holds: bool, found: dict | None = None, **more: Any) -> None:
        """Adds the misprint `name` of the chapter's criteria, whose correction was checked in this
        run and `holds`; ValueError where the book is checked for a check that failed. `more` and
        `found` are as in `settle`.
        """
        self._check_open()
        flag(holds, "holds")
        optional(mapping(object))(found, "found")
        misprint = self._constant(name, "errata", Misprint, more)
        if not holds:
            self._object(f"the correction of {misprint.place} does not hold: {misprint.checked}")
        self.errata.append(Erratum(**vars(misprint), found=found or {}))

    def _constant(self, name: str, kind: str, made: type[T], more: dict[str, Any]) -> T:
        """The line or misprint `name` of the criteria, with what the run knows."""
        known = self.criteria.get(kind, {})
        if text(name, "name") not in known:
            names = ", ".join(map(repr, known)) or "none"
            raise ValueError(f"{self.chapter} has no {kind} {name!r}; it has {names}")
        self.used.add((kind, name))
        constant = {one.name for one in fields(made)}
        places = {key: value for key, value in more.items() if key not in constant}
        found = {key: value for key, value in more.items() if key in constant}
        try:
            texts = filled(known[name], places)
            check_filled({key: said for key, said in texts.items() if key not in found})
            return made(**texts | found)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name!r} of {self.chapter}: {error}") from error

    def _object(self, message: str) -> None:
        """ValueError where the book is checked; else a line above the table."""
        if is_strict():
            raise ValueError(message)
        self.surprises.append(message)

    def _check_open(self) -> None:
        if self.is_closed:
            raise ValueError("the comparison table has been made: add claims before it")

    def table(self) -> Markdown:
        """The comparison table, which closes the claims. Where it differs from the recorded one:
        AssertionError where the book is checked, else a line above it.
        """
        self.is_closed = True
        for kind, names in self.criteria.items():
            unused = [name for name in names if (kind, name) not in self.used]
            if unused and self.used:
                self._object(f"{self.chapter} settles no {kind} {unused[0]!r} of its criteria")
        path = runs.RESULTS / "claims" / f"{self.chapter}.json"
        settled = {line.row for line in (*self.claims, *self.errata)}
        live = {
            "chapter": self.chapter,
            "rows": [worded(row) for place, row in rows().items() if place in settled],
            "claims": [_as_data(claim) for claim in self.claims],
            "errata": [_as_data(erratum) for erratum in self.errata],
        }
        if os.environ.get(RECORD) == "write":
            write_json(path, live)
        differing = differences(path, live)
        if differing and is_strict():
            was, now = differing[0]
            raise AssertionError(
                f"{path.name} records {was}, but the chapter now finds {now}: "
                "if that is right, record it with `python -m record`"
            )
        order = list(rows())
        table = comparison(sorted(self.claims, key=lambda claim: order.index(claim.row)))
        surprises = [*self.surprises, *(_surprise(*pair) for pair in differing)]
        if not surprises:
            return table
        lines = ["Here your run differs from the record:", ""]
        return Markdown(
            "\n".join([*lines, *(f"- {line}" for line in surprises), "", str(table.data)])
        )


def filled(texts: dict[str, Any], places: dict[str, object]) -> dict[str, Any]:
    """The texts with a value at each {place}; ValueError for a place that none of them has."""
    written = [said for said in texts.values() if isinstance(said, str)]
    for name in places:
        if not any(f"{{{name}}}" in said for said in written):
            raise ValueError(f"no text has a place {{{name}}}")
    known = "|".join(map(re.escape, places)) or "(?!)"

    def fill(said: Any) -> Any:
        if not isinstance(said, str):
            return said
        return re.sub(rf"\{{({known})\}}", lambda place: str(places[place[1]]), said)

    return {key: fill(said) for key, said in texts.items()}


def check_filled(texts: dict[str, Any]) -> None:
    """ValueError for a {place} without a value; braces of TeX follow a letter, ^, _ or another."""
    for said in texts.values():
        if isinstance(said, str) and (left := re.search(r"(?<![\w^}{\\]){[a-z_]+}", said)):
            raise ValueError(f"the place {left[0]} has no value")


def _as_data(line: Claim | Erratum) -> dict:
    """A line as it is recorded: without `by` and `found` where they say nothing."""
    may_lack = ("by", "found")
    return {name: said for name, said in asdict(line).items() if said or name not in may_lack}


def worded(row: dict) -> dict:
    """A hash of what a row says, as a line that is compared."""
    return {"row": row["place"], "quantity": "its words", "here": runs.digest(row)[: runs.SHORT]}


def differences(path: Path, live: dict) -> list[tuple[dict | None, dict | None]]:
    """What is recorded at `path` of rows, claims and errata beside the `live` ones that differ."""
    record = read_json(path) if path.exists() else {}
    return [
        (was, now)
        for kind in ("rows", "claims", "errata")
        for was, now in zip_longest(record.get(kind, []), live[kind])
        if was != now
    ]


def _surprise(was: dict | None, now: dict | None) -> str:
    """A difference from the record, as a person is told of it."""
    one = now or was or {}
    if "quantity" not in one:
        return f"the correction of {one['place']} is another one, or is made elsewhere"
    before, after = (claim["here"] if claim else "nothing" for claim in (was, now))
    return f"{one['row']}, {one['quantity']}: the record has {before}, your run {after}"


def comparison(claims: Sequence[Claim]) -> Markdown:
    """The lines of a comparison as a table. A long one is sorted by verdict, with a count of each:
    what differs stands open, the rest waits in folds.
    """
    if len(claims) <= LONG or len({claim.verdict for claim in claims}) == 1:
        return _table(claims)
    groups = {
        verdict: [claim for claim in claims if claim.verdict == verdict] for verdict in GROUPS
    }
    tally = [f"{len(group)} {GROUPS[name]}" for name, group in groups.items() if group]
    parts = [f"{len(claims)} lines: {', '.join(tally)}."]
    for verdict, group in groups.items():
        if verdict == DIFFERS and group:
            parts += ["**What differs:**", str(_table(group).data)]
        elif group:
            summary = f"<summary>{len(group)} {GROUPS[verdict]}</summary>"
            fold = f'<details class="lines">{summary}'
            parts += [fold, str(_table(group).data), "</details>"]
    return Markdown("\n\n".join(parts))


def _table(claims: Sequence[Claim]) -> Markdown:
    """A table of the class "compared", which narrow screens show as blocks."""
    head = ("Where", "Quantity", "Paper", "Here", "Kind", "Verdict")
    table = markdown_table(head, map(_line, claims))
    return Markdown(f'<div class="compared">\n\n{table.data}\n\n</div>')


def _line(claim: Claim) -> tuple[str, ...]:
    """The cells of a claim in its chapter's table."""
    paper = f"{claim.paper} ({claim.printed})" if claim.printed else claim.paper
    truth = f"{claim.truth}, {claim.by}" if claim.by else claim.truth
    kind = truth if claim.source == "live" else f"{truth}; {claim.source}"
    reasons = [claim.criterion and f"criterion: {claim.criterion}", claim.note]
    verdict = "; ".join(filter(None, (claim.verdict, *reasons)))
    return (f"[{claim.row}](#{claim.cell})", claim.quantity, paper, claim.here, kind, verdict)


def recorded() -> list[dict]:
    """Every chapter's recorded claims and errata, in the order of the chapters."""
    return [_record(path) for path in sorted((runs.RESULTS / "claims").glob("*.json"))]


def _record(path: Path) -> dict:
    """What a chapter claims; ValueError where `path` holds no such record."""
    record = read_json(path)
    try:
        text(record["chapter"], "chapter")
        _ = [Claim(**x) for x in record["claims"]], [Erratum(**x) for x in record["errata"]]
        _ = [line["row"] for line in record["rows"]]
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is not the record that is expected: {error!r}") from error
    return record


SAID = "With your change this no longer holds: "


class Said(ast.NodeTransformer):
    """Every `assert condition` as a sentence that is printed where the condition is false."""

    def visit_Assert(self, node: ast.Assert) -> ast.If:
        said = ast.parse(f"print({SAID + ast.unparse(node.test)!r})").body
        told = ast.If(ast.UnaryOp(ast.Not(), node.test), said, [])
        return ast.fix_missing_locations(ast.copy_location(told, node))


def go_on() -> None:
    """Has the notebook that this is called in go on where an assertion fails, for a person."""
    shell = get_ipython()
    if shell and not is_strict():
        if not any(isinstance(known, Said) for known in shell.ast_transformers):
            shell.ast_transformers.append(Said())
