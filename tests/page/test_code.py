"""The page's modules are readable: no function is long, nothing is written twice."""

import re

import pytest

from record.runs import CHAPTERS

SOURCES = {
    path.name: path.read_text(encoding="utf-8") for path in (CHAPTERS / "_static").glob("*.mjs")
}
BEGINS = re.compile(r"( *)(?!\s|(?:\} else )?(?:if|for|while|switch|catch)\b).*(?:\) |=> )[{(]$")
ONCE = r"function\*? {0}\b|const {0} = (?:\w+|\(.*\)) =>|^ +{0}(?:\(.*\) \{{|: .*=>)"


def functions(source: str) -> dict[str, int]:
    """The lines of each function by that in which it begins; oxfmt ends it at the same margin."""
    lines, found = source.split("\n"), {}
    for start, line in enumerate(lines):
        if begins := BEGINS.match(line):
            margin = f"{begins[1]}[^ ]"
            rest = enumerate(lines[start + 1 :], start=2)
            count = next(count for count, one in rest if re.match(margin, one))
            found[line.strip()] = max(count, found.get(line.strip(), 0))
    return found


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_no_function_is_longer_than_120_lines(name):
    longest = {line: count for line, count in functions(SOURCES[name]).items() if count > 120}
    assert longest == {}


@pytest.mark.parametrize("name", ["exp", "affine", "attention"])
def test_what_two_modules_need_is_defined_in_one(name):
    definition = re.compile(ONCE.format(name), re.M)
    assert len([source for source in SOURCES.values() if definition.search(source)]) <= 1
