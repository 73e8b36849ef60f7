"""The command that mutates `lib`: it draws the kinds of places that it says, the same by seed, and
says of a mutant whether the tests notice it.
"""

import ast

import pytest

from tests import ROOT
from tests.places import places
from tests.survivors import SURVIVORS

mutants = pytest.importorskip("tests.mutants", reason="it limits the memory of a process")
KINDS = {  # a line, and what it becomes in turn
    "x = 3": ["x = 4"],
    "x = 0.5, 0.0": ["x = 1.0, 0.0", "x = 0.5, 1.0"],
    "x = True, '3', 3j": [],
    "x = -y": ["x = y"],
    "x = a - (b + c)": ["x = a + (b + c)", "x = a - (b - c)"],
    "x = (a) * b / c // d": ["x = (a) / b / c // d", "x = (a) * b * c // d", "x = (a) * b / c * d"],
    "x += y": ["x -= y"],
    "x += 'y'": [],
    "x = [y] * n": [],
    "x = a < b <= c": ["x = a <= b <= c", "x = a < b < c"],
    "x = a > b >= c": ["x = a >= b >= c", "x = a > b > c"],
    "x = a == b != c": ["x = a != b != c", "x = a == b == c"],
    "x = a is b in c": [],
    "x = a and b or c": ["x = a or b or c", "x = a and b and c"],
    "f(a, b, *c, d=e)": ["f(b, a, *c, d=e)"],
    "f(a, a, 'a')": [],
    "x = max(a, b)": [],
    "x: Literal[3] = y": [],
    "def f(x: Literal[3]) -> Literal[3]: 'from 1 - 2'": [],
    "raise Wrong(a + 1, f'{a - 1}')": [],
    "x = f'{a - 1}'": [],
    "@cache(3)\ndef f(x=3): pass": ["@cache(3)\ndef f(x=4): pass"],
    "é = (a  # +\n + b) < c": ["é = (a  # +\n + b) <= c"],
}


@pytest.mark.parametrize("line", KINDS)
def test_each_kind_of_place_becomes_what_is_said(line):
    text = line.encode()
    found = [place.mutated(text).decode() for place in places("a.py", text)]
    assert sorted(found) == sorted(KINDS[line])


def test_a_place_says_where_it_is_and_what_comes_there():
    found = places("a.py", "ö = 1\nf(a,\n  -b)\n".encode())
    assert {str(place) for place in found} == {
        "a.py:1: number: 1 -> 2",
        "a.py:2: swapped arguments: a, -b -> -b, a",
        "a.py:3: sign: - -> nothing",
    }


def test_the_same_places_are_drawn_by_a_seed_and_each_makes_another_program():
    chosen = mutants.drawn(30, 1, "lib/formulas")
    assert chosen == mutants.drawn(30, 1, "lib/formulas") != mutants.drawn(30, 2, "lib/formulas")
    assert len({*chosen}) == 30
    for place in chosen:
        text = (ROOT / place.path).read_bytes()
        assert ast.dump(ast.parse(place.mutated(text))) != ast.dump(ast.parse(text))


@pytest.mark.parametrize(
    "status, fate",
    [
        (0, None),
        (1, "tests/room/test_a.py::test_f[1]"),
        (-9, "too long, or too much memory: tests/room/test_a.py"),
        (-11, "status -11 of tests/room/test_a.py"),
    ],
)
def test_a_mutant_is_killed_where_a_test_of_its_room_fails(tmp_path, monkeypatch, status, fate):
    """Pytest itself is pretended."""
    for file in ("lib/room/a.py", "tests/room/test_a.py", "tests/other/test_c.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    mutated, given, times = tmp_path / "lib/room/a.py", [], set()

    class Pretended(mutants.Suite):
        def ended(self, arguments, limit=None):
            given.append((arguments[-1], mutated.read_text(encoding="utf-8")))
            times.add(mutated.stat().st_mtime_ns // 10**9)
            printed = "FAILED tests/room/test_a.py::test_f[1] - assert" if status == 1 else ""
            return status, printed

    suite, (place,) = Pretended(tmp_path), places("lib/room/a.py", b"x = 1\n")
    monkeypatch.setattr(suite, "needs", lambda file, *how: 1.0 if file.stem == "test_a" else 0.0)
    assert [suite.killer(place), suite.killer(place)] == [fate, fate]
    assert given == [("tests/room/test_a.py", "x = 2\n")] * 2
    assert mutated.read_text(encoding="utf-8") == "x = 1\n" and len(times) == 2


@pytest.mark.parametrize("path", sorted({path for path, *_ in SURVIVORS}))
def test_every_survivor_that_is_named_can_be_drawn(path):
    reasons = {f", {reason}" for (named, *_), reason in SURVIVORS.items() if named == path}
    found = [mutants.why(place) for place in places(path, (ROOT / path).read_bytes())]
    assert {reason for reason in found if reason} == reasons
