"""How far the page's modules go is said in one place, and is what the library's own limits are."""

import inspect
import re
import sys

import pytest

from lib.formulas import compilation, text
from lib.judging import judge
from lib.proofs import equal
from record.runs import CHAPTERS

STATIC = CHAPTERS / "_static"
SHARED = {
    "FORMULA": text.LONGEST,
    "DEEPEST": text.DEEPEST,
    "MADE": compilation.MADE,
    "PAIRS": equal.STATES,
    "STRINGS": equal.STRINGS,
    "DIGITS": sys.int_info.default_max_str_digits,
    "LENGTH": inspect.signature(judge).parameters["longest"].default,
}
SAID = dict(
    re.findall(
        r"^export const (\w+) = ([\d_e]+);",
        (STATIC / "limits.mjs").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
)


def test_shared_limits_are_the_librarys():
    assert {name: int(SAID[name]) for name in SHARED} == SHARED


@pytest.mark.parametrize("name", SAID)
def test_each_limit_is_used_and_said_nowhere_else(name):
    texts = [path.read_text(encoding="utf-8") for path in STATIC.glob("*.mjs")]
    users = [
        text
        for text in texts
        if re.search(rf"import {{[^}}]*\b{name}\b[^}}]*}} from \"./limits", text)
    ]
    assert users and not any(re.search(rf"const {name} =", text) for text in users)
