"""What the book claims: comparisons with the papers, and errata.

A chapter declares its claims while it runs. They are compared with the ones recorded in
`chapters/CHAPTER/claims.json`. A difference stops a chapter that the book's build or a test runs; a
person who changed a cell is told of it and goes on, as where an assertion fails. `python -m record`
runs the chapters and records anew. The scorecard and the errata page read the recorded files only,
so they depend on no order of execution and cannot go stale unnoticed.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from itertools import zip_longest
from typing import Any, TypeVar

from IPython.display import Markdown

from lib.checks import flag, hold, one_of, optional
from record import runs
from record.notebook import RECORD, is_strict, markdown_table
from record.rows import check_row, is_own, rows, statements
from record.runs import read_json, read_yaml, write_json

T = TypeVar("T", "Claim", "Erratum")

# A verdict on a value that the paper gives: the same experiment within the paper's own spread, or
# an exact equality, agrees; the last three speak of another experiment and settle nothing. What no
# paper states holds, or was measured without a criterion.
AGREES, DIFFERS, READ_OFF = "agrees", "differs", "read off a figure"
HOLDS, UNASKED, NOT_REPORTED = "holds", "no criterion", "not reported"
OTHER_DATA, OTHER_CONDITIONS = "other data", "other conditions"
PART_OF_DATA = "part of the paper's data"
UNSETTLED = (PART_OF_DATA, OTHER_DATA, OTHER_CONDITIONS)
VERDICTS = (AGREES, DIFFERS, READ_OFF, HOLDS, UNASKED, NOT_REPORTED, *UNSETTLED)
COMPARED = ("Where", "Quantity", "Paper", "Here", "Criterion, remarks", "Verdict")
ASKED = ("Asked", "Found", "Criterion, remarks", "Verdict")  # of lines that no paper has
OPEN, REMARKS = "open", "agrees, with remarks"
STATES = (AGREES, REMARKS, DIFFERS, HOLDS, NOT_REPORTED, OPEN)  # of a row

PROVED = "proved for every length"
DECIDED = "proved for each string up to a length"
MEASURED = "measured"
TRUTHS = (PROVED, DECIDED, MEASURED)
BY_HAND, BY_MACHINE = "by hand", "by machine"
BOTH = f"both {BY_HAND} and {BY_MACHINE}"
WAYS = (BY_HAND, BY_MACHINE, BOTH)  # of a proof for every length


@dataclass(frozen=True)
class Claim:
    """One line of a comparison with a paper: what is constant in it, as `claims.yaml` has it, and
    what was found `here`, whether that `agrees`, and numbers that were `found`, by name, where
    another page says them.

    `row` is a row of the scorecard, `settles` a statement of it, "" for a line that supports
    another, and `cell` a label in the chapter. The value of the `paper` is "–" where it gives none,
    and is `printed` at a place of it otherwise; with `read_off` it was read off a figure.
    `criterion` says what counts as agreement. `data` names data that stand in for the paper's,
    `part` what of the paper's own was at hand, and `conditions` other conditions than the paper's
    (steps, heads, read-out): the line then settles nothing. What is proved for every length says
    `by` hand, by machine or both, and names the `machine`'s proof: a stored run, or one of
    `record.proofs`. An `aside` says why the paper's statement does not rest on what is compared:
    if it differs, the row still agrees, with remarks. All other lines are main. A `limit` says what
    of the paper's statement the line does not show: the row then agrees, with remarks, too.
    """

    row: str
    quantity: str
    cell: str
    here: str
    agrees: bool | None
    paper: str = "–"
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
    aside: str = ""
    limit: str = ""
    found: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        hold(self, truth=one_of(TRUTHS), by=one_of(("", *WAYS)))
        hold(self, read_off=flag, agrees=optional(flag))
        if self.truth == PROVED and not self.by:
            raise ValueError(f"what is {PROVED} must say one of {', '.join(WAYS)}")
        if bool(self.machine) != (self.by in (BY_MACHINE, BOTH)):
            raise ValueError(
                f"a proof by machine, and no other, must be named, not {self.by!r} by "
                f"{self.machine!r}"
            )
        if self.agrees is None and self.is_compared and self.verdict not in UNSETTLED:
            raise ValueError("whether it agrees with the paper is expected, not None")
        check_row(self.row, self.settles)

    @property
    def is_compared(self) -> bool:
        """Whether the paper gives a value."""
        return self.paper != "–"

    @property
    def verdict(self) -> str:
        """The verdict on what was found, one of `VERDICTS`."""
        if not self.is_compared:
            own = {True: HOLDS, False: DIFFERS, None: UNASKED}
            return own[self.agrees] if is_own(self.row) else NOT_REPORTED
        others = {OTHER_DATA: self.data, PART_OF_DATA: self.part, OTHER_CONDITIONS: self.conditions}
        return next((verdict for verdict, other in others.items() if other), self.comparison)

    @property
    def comparison(self) -> str:
        """The verdict, were the experiment the paper's."""
        if not self.agrees:
            return "cannot tell" if self.agrees is None else DIFFERS
        return READ_OFF if self.read_off else AGREES

    @property
    def reason(self) -> str:
        """The reason of the verdict; of another experiment than the paper's, what is other, and how
        it compares; of an aside, why it is one.
        """
        other = self.data or self.part or self.conditions
        compared = f"{other}; compared with the paper's value: {self.comparison}"
        said = {
            "other than in the paper: ": self.verdict in UNSETTLED and compared,
            "": self.note,
            "a limit: ": self.limit,
            "an aside: ": self.aside,
        }
        return "; ".join(f"{what}{reason}" for what, reason in said.items() if reason)

    @property
    def kind(self) -> str:
        """Which kind of truth it is and, of what is proved for every length, by what."""
        return f"{self.truth}, {self.by}" if self.truth == PROVED else self.truth


@dataclass(frozen=True)
class Erratum:
    """One misprint or gap of a paper: where, what is printed, what is right, how that was checked,
    and the cell; whether the check `holds`, and what it `found` as in a claim.
    """

    row: str
    place: str
    printed: str
    correct: str
    checked: str
    cell: str
    holds: bool
    found: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        hold(self, holds=flag)
        check_row(self.row)


class Claims:
    """The claims and errata of one chapter, in the order in which it makes them; what is constant
    in them stands in `chapters/CHAPTER/claims.yaml`, and `calls` holds what the chapter says, which
    is what is recorded, beside that file, at `path`.
    """

    def __init__(self, chapter: str):
        self.chapter, path = chapter, runs.criteria_of(chapter)
        self.criteria = read_yaml(path) if path.exists() else {}
        self.path = path.with_suffix(".json")
        self.calls: dict[str, list[dict]] = {"claims": [], "errata": []}
        self.claims: list[Claim] = []
        self.errata: list[Erratum] = []
        self.surprises: list[str] = []

    def settle(self, name: str, *, here: object, agrees: bool | None, **more: Any) -> None:
        """Adds the line `name` of the chapter's criteria: what was found `here`, and whether that
        `agrees`, which is None where neither the paper nor the book says what is to be found.
        `more` are fields of `Claim` that only the run knows, or fill the {places} of its texts.
        ValueError for what does not fit together and, where the book is checked, for a line that
        differs without a `note` that says why, or a finding of its own that does not hold, if
        this call gives no such `note`.
        """
        claim = self._made("claims", Claim, name, {"here": str(here), "agrees": agrees} | more)
        if claim.agrees is False and not claim.is_compared and "note" not in more:
            self._object(f"the book's own finding {claim.quantity!r} does not hold: {here}")
        elif claim.verdict == DIFFERS and not claim.note:
            self._object(f"{claim.quantity!r} differs: name its cause in `note`")
        self.claims.append(claim)

    def correct(self, name: str, *, holds: bool, **more: Any) -> None:
        """Adds the misprint `name` of the chapter's criteria, whose correction was checked in this
        run and `holds`; ValueError where the book is checked for a check that failed. `more` is as
        in `settle`, with the fields of `Erratum`.
        """
        erratum = self._made("errata", Erratum, name, {"holds": holds} | more)
        if not erratum.holds:
            self._object(f"the correction of {erratum.place} does not hold: {erratum.checked}")
        self.errata.append(erratum)

    def _made(self, kind: str, made: type[T], name: str, said: dict[str, Any]) -> T:
        """The claim or erratum `name`, of its criteria and of what the chapter says."""
        known = self.criteria.get(kind, {})
        if name not in known:
            names = ", ".join(map(repr, known)) or "none"
            raise ValueError(f"{self.chapter} has no {kind} {name!r}; it has {names}")
        said = {key: plain(x) for key, x in said.items() if x is not None or key == "agrees"}
        self.calls[kind].append({"name": name} | said)
        constant = {one.name for one in fields(made)}
        found = {key: value for key, value in said.items() if key in constant}
        places = {key: value for key, value in said.items() if key not in constant}
        try:
            texts = {key: plain(x) for key, x in known[name].items() if x is not None}
            return made(**filled(texts, places, found))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name!r} of {self.chapter}: {error}") from error

    def _object(self, message: str) -> None:
        """ValueError where the book is checked; else a line above the table."""
        if is_strict():
            raise ValueError(message)
        self.surprises.append(message)

    def table(self) -> Markdown:
        """The comparison table. Where it differs from the recorded one:
        AssertionError where the book is checked, else a line above it.
        """
        for kind, calls in self.calls.items():
            used = {call["name"] for call in calls}
            unused = [name for name in self.criteria.get(kind, ()) if name not in used]
            if unused and (self.claims or self.errata):
                self._object(f"{self.chapter} settles no {kind} {unused[0]!r} of its criteria")
        if os.environ.get(RECORD) == "write":
            write_json(self.path, self.calls)
        record = read_json(self.path) if self.path.exists() else {}
        differing = [
            (was, now)
            for kind, said in self.calls.items()
            for was, now in zip_longest(record.get(kind, []), said)
            if was != now
        ]
        if differing and is_strict():
            was, now = differing[0]
            raise AssertionError(
                f"the record of {self.chapter} has {was}, but the chapter now finds {now}: "
                "if that is right, record it with `python -m record`"
            )
        table = comparison(self.claims)
        surprises = [*self.surprises, *(_surprise(*pair) for pair in differing)]
        if surprises:
            told = "\n".join(f"- {line}" for line in surprises)
            table.data = f"Here your run differs from the record:\n\n{told}\n\n{table.data}"
        return table


def plain(value: Any) -> Any:
    """What a chapter or its criteria say, as JSON holds it: numbers are texts."""
    if value is None or isinstance(value, Mapping):
        return value
    try:
        return flag(value, "a value")  # of numpy or torch too
    except TypeError:
        return str(value)


def filled(texts: dict[str, Any], places: dict[str, object], found: dict[str, Any]) -> dict:
    """The texts with a value at each {place}, or in place of them what was found. ValueError for a
    place that none of them has, or one without a value: braces of TeX follow a letter, ^, _ or
    another.
    """
    for name, value in places.items():
        place = f"{{{name}}}"
        if not any(place in str(said) for said in texts.values()):
            raise ValueError(f"no text has a place {place}")
        texts = {
            key: said.replace(place, str(value)) if isinstance(said, str) else said
            for key, said in texts.items()
        }
    for key in texts.keys() - found.keys():
        if left := re.search(r"(?<![\w^}{\\]){[a-z_]+}", str(texts[key])):
            raise ValueError(f"the place {left[0]} has no value")
    return texts | found


def _surprise(was: dict | None, now: dict | None) -> str:
    """A difference from the record, as a person is told of it."""
    one = now or was or {}
    if "here" not in one:
        return f"the correction of {one['name']} is another one, or is made elsewhere"
    before, after = (call["here"] if call else "nothing" for call in (was, now))
    return f"{one['name']}: the record has {before}, your run {after}"


def comparison(claims: Iterable[Claim], unsettled: Iterable[tuple[str, str]] = ()) -> Markdown:
    """The table of these lines and of statements that no line settles, each with its row, in the
    scorecard's order; where no paper says anything, of what was asked and found. A criterion is
    written once for lines that follow each other. Its classes are "compared", which narrow screens
    show as blocks, and then "asked".
    """
    order, claims, unsettled = list(rows()), list(claims), list(unsettled)
    of_papers = bool(unsettled) or any(claim.is_compared for claim in claims)
    lines = [(claim.row, _line(claim, of_papers)) for claim in claims]
    lines += [(place, (place, text, "–", "–", "", "", f"**{OPEN}**")) for place, text in unsettled]
    lines.sort(key=lambda line: order.index(line[0]))
    body, before = [], ("", "")
    for _, (*cells, criterion, reason, verdict) in lines:
        said = [criterion and "as above" if criterion == before[0] else criterion]
        said += [f"*Remark.* {reason}"] if reason and reason != before[1] else []
        body.append((*cells, "<br>".join(filter(None, said)) or "–", verdict))
        before = criterion, reason
    table = markdown_table(COMPARED if of_papers else ASKED, body)
    kind = "compared" if of_papers else "compared asked"
    return Markdown(f'<div class="{kind}">\n\n{table.data}\n\n</div>')


def _line(claim: Claim, of_papers: bool) -> tuple[str, ...]:
    """The cells of a claim, and its reason before the last."""
    end = (claim.criterion, claim.reason, f"**{claim.verdict}**; {claim.kind}")
    if not of_papers:
        return (f"[{claim.quantity}](#{claim.cell})", f"**{claim.here}**", *end)
    paper = f"{claim.paper} ({claim.printed})" if claim.printed else claim.paper
    return (f"[{claim.row}](#{claim.cell})", claim.quantity, paper, claim.here, *end)


def recorded() -> list[Claims]:
    """What every chapter has recorded, joined with its criteria, in the order of the chapters."""
    made = [claims for claims in map(Claims, runs.claiming()) if claims.path.exists()]
    for claims in made:
        record = read_json(claims.path)
        for call in record["claims"]:
            claims.settle(**call)
        for call in record["errata"]:
            claims.correct(**call)
    return made


def open_statements(row: dict, claims: list[Claim]) -> list[str]:
    """The statements of a row that no line settles. The book's own finding beside a paper's
    statement (not reported) settles that statement only where it names it.
    """
    settled = {
        one.settles
        for one in claims
        if one.verdict not in UNSETTLED and (one.settles or one.verdict != NOT_REPORTED)
    }
    return [text for name, text in statements(row).items() if name not in settled]


def state(row: dict, claims: list[Claim]) -> str:
    """What a row comes to: open while a statement of it is, else differing if a main line differs.
    Only main lines make a row agree; where they do and an aside differs, or a line that agrees has
    a limit, it is with remarks.
    """
    if open_statements(row, claims):
        return OPEN
    main = {claim.verdict for claim in claims if not claim.aside}
    asides = {claim.verdict for claim in claims if claim.aside}
    agrees = bool(main & {AGREES, READ_OFF})
    if DIFFERS in main or (DIFFERS in asides and not agrees):
        return DIFFERS
    limited = any(claim.limit and claim.verdict == AGREES for claim in claims)
    if agrees:
        return REMARKS if limited or DIFFERS in asides else AGREES
    return HOLDS if HOLDS in main else NOT_REPORTED
