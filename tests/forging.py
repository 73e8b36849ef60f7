"""Forges numbers of the stored runs and of the scorecard's rows, one at a time, seals the file
again, and says which of them the cheap checks notice all the same, and which of the others the
repository's history tells from what was stored:
`python -m tests.forging --number 40 --seed 1`.

A file is drawn first, each as likely as any other, then a name in it, then one of the numbers of
that name: so neither a large run nor a long list has more of them than others. The configuration is
drawn from as often as it has names, like the results and the times. Every other number is changed
by two to eight per cent, the others grossly: times or by ten, by one, or in sign. The forger is
careful: whole numbers stay whole, others keep their digits, and all that is kept to notice a change
in transit, the seal, is made again.
"""

from __future__ import annotations

import argparse
import copy
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from record import rows as scorecard
from record.claims import recorded, worded
from record.experiments import experiment
from record.reproduce import rewritten
from record.runs import CHAPTERS, record_page, stored, stored_runs
from record.shape import out_of_shape

Path = tuple[str | int, ...]
# Numbers that a paper prints, and that the book says in its rows alone.
ALONE = {"C Table 1": ["12.4"], "O Table I": ["28", "99.97"]}
ROWS = "rows"
SMALL, GROSS = "by some per cent", "grossly"
NUMBER = re.compile(r"\d+(?:\.\d+)?")
WRITTEN = re.compile(r"\d*\.?\d+(?:e-?\d+)?")


@dataclass(frozen=True)
class Forgery:
    """A number of a file at a place in it, and what was put there."""

    file: str
    path: Path
    was: float | str
    now: float | str
    how: str

    def __str__(self) -> str:
        place = ".".join(map(str, self.path))
        return f"{self.file} {place}: {self.was} to {self.now} ({self.how})"


def numbers(value: object, path: Path = ()) -> Iterator[Path]:
    """The paths to all numbers in JSON; of text, none."""
    if isinstance(value, dict | list):
        for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(inside, (*path, key))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


@cache
def places(file: str) -> dict[tuple, list[Path]]:
    """The places of a file's numbers by their names, without the places in lists."""
    named = defaultdict(list)
    if file == ROWS:
        for path in texts():
            named[path[2:3]].append(path)
        return named
    for path in numbers(stored(file).results):
        words = [key for key in path if isinstance(key, str)]
        named[words[0], words[-1]].append(path)
    return named


def texts() -> Iterator[Path]:
    """The places of the statements of the scorecard in which numbers stand."""
    for place, row in scorecard.rows().items():
        if NUMBER.search(row["statement"]):
            yield (ROWS, place, "statement")
        for name, said in row.get("statements", {}).items():
            if NUMBER.search(said):
                yield (ROWS, place, "statements", name)


def drawn(draw: Random, how: str) -> Forgery:
    """A forgery that is drawn."""
    file = draw.choice((*names(), ROWS))
    named = places(file)
    path = draw.choice(named[draw.choice([*named])])
    was = found(document(file), path)
    if isinstance(was, str):
        spot = draw.choice([*NUMBER.finditer(was)])
        now = changed(float(spot[0]) if "." in spot[0] else int(spot[0]), draw, how)
        return Forgery(file, path, was, f"{was[: spot.start()]}{now}{was[spot.end() :]}", how)
    return Forgery(file, path, was, changed(was, draw, how), how)


@cache
def names() -> tuple[str, ...]:
    """The stored runs."""
    return tuple(run.name for run in stored_runs())


def document(file: str) -> list | dict:
    """What a file holds: the rows of a run, or those of the scorecard."""
    return {ROWS: scorecard.rows()} if file == ROWS else stored(file).results


def found(value: object, path: Path) -> float | str:
    """What is at a place."""
    for key in path:
        value = value[key]  # type: ignore[index]
    return value  # type: ignore[return-value]


def changed(was: float, draw: Random, how: str) -> float:
    """Another number in its place, as a careful forger writes it."""
    while True:
        if how == SMALL:
            now = was * (1 + draw.choice((-1, 1)) * draw.uniform(0.02, 0.08))
        else:
            now = draw.choice((10 * was, was / 10, was + 1, was - 1, -was))
        if isinstance(was, int):
            now = round(now) if round(now) != was else was + draw.choice((-1, 1))
        else:
            digits = max(2, len(re.sub(r"e.*|[-.]", "", repr(was)).lstrip("0")))
            now = float(f"{now:.{digits}g}") if was else draw.choice((0.01, 0.1, 1.0))
        if now != was:
            return now


def forged(forgery: Forgery) -> list | dict:
    """The file with the number changed."""
    data = copy.deepcopy(document(forgery.file))
    *way, last = forgery.path
    inside = found(data, tuple(way))
    inside[last] = forgery.now  # type: ignore[index]
    return data


def is_in_history(forgery: Forgery) -> bool:
    """Whether the history has another number there, of a run that was made as this one was."""
    if forgery.file == ROWS:
        return False
    return rewritten(replace(stored(forgery.file), results=forged(forgery))) is not None


def said_numbers(written: str) -> set[float]:
    """The numbers in a text; "1,500" is one."""
    return {float(one) for one in WRITTEN.findall(re.sub(r"(?<=\d),(?=\d{3}\b)", "", written))}


def unsupported(row: dict) -> list[str]:
    """What a row of the scorecard says that no other place has: numbers of its statements that
    stand neither in another text of it, nor in what is recorded of it, nor on its chapter's pages;
    its chapter, if another settles it; and words that are not those recorded with its claims.
    """
    said = [row["statement"], *row.get("statements", {}).values()]
    lines = [
        (chapter["chapter"], line)
        for chapter in recorded()
        for line in (*chapter["claims"], *chapter["errata"])
        if line["row"] == row["place"]
    ]
    number = row["chapter"]
    pages = [
        path.read_text(encoding="utf-8")
        for name in {name for name, _ in lines if name.startswith(f"{number:02}_")}
        for path in (CHAPTERS / f"{name}.py", CHAPTERS / f"{record_page(name)}.py")
    ]
    elsewhere = [*pages, *(str(value) for _, line in lines for value in line.values())]
    known = said_numbers(" ".join(elsewhere))
    wrong = []
    for k, one in enumerate(said):
        others = said_numbers(" ".join(said[:k] + said[k + 1 :]))
        wrong += [f"{x:g} in {one!r}" for x in sorted(said_numbers(one) - known - others)]
    if lines and number and not pages:
        wrong.append(f"chapter {number}")
    words = [one for chapter in recorded() for one in chapter["rows"] if one["row"] == row["place"]]
    return wrong + ["its words"] * any(one != worded(row) for one in words)


def is_noticed(forgery: Forgery) -> bool:
    """Whether a check notices it without the history, the seal made again. Of a run, the
    configuration that was changed is replayed, and how the others look and fit together is checked.
    """
    data = forged(forgery)
    if forgery.file == ROWS:
        row = data[ROWS][forgery.path[1]]
        alone = ALONE.get(row["place"], [])
        return {said.partition(" in ")[0] for said in unsupported(row)} != {*alone}
    run = replace(stored(forgery.file), results=data)
    asked, row = experiment(run.name), data[forgery.path[0]]
    try:
        return any(out_of_shape(run, asked)) or not asked.replay(
            row["configuration"], row["result"], in_full=False
        )
    except (ValueError, TypeError, KeyError, IndexError, ArithmeticError):
        return True  # it is stopped by an error


def forgeries(number: int, seed: int) -> list[Forgery]:
    """So many forgeries, the same for the same seed, every other one small."""
    draw = Random(f"forging {seed}")
    return [drawn(draw, (SMALL, GROSS)[k % 2]) for k in range(number)]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.forging")
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    tried: Counter[str] = Counter()
    noticed: Counter[str] = Counter()
    for forgery in forgeries(asked.number, asked.seed):
        part = forgery.path[1] if forgery.file != ROWS else ROWS
        is_seen = is_noticed(forgery)
        for what in ("all", forgery.how, part):
            tried[what] += 1
            noticed[what] += is_seen
        tried["all, with the history"] += 1
        noticed["all, with the history"] += is_seen or is_in_history(forgery)
        if not is_seen:
            print(f"not noticed without the history: {forgery}", flush=True)
    for what, count in tried.items():
        print(f"{what}: {noticed[what]} of {count} noticed")


if __name__ == "__main__":
    main()
