"""Commands that are called wrongly, and files that are broken, end in one clear error each."""

import json
import random
import re
import runpy
import subprocess
import sys

import pytest

from chapters._ext import pair
from chapters.pages.palindrome_precision import records as nowak_records
from lib.constructions import parity
from lib.transformer import load, save
from lib.transformer.construction import from_json, to_json
from record import __main__ as recording
from record import claims, reproduce, rows
from record import runs as results
from tests import ROOT
from tests.bad_input import EXPECTS

DRAWS = 12  # damages of each kind to each file
NO_NUMBERS = ["", "x", "0", "-2", "1.5", "1e3", "nan", "inf", "٣", "１", "1_0", "True", "9" * 30]
NO_NAMES = ["", "nothing", "ffnn_parity ", "FFNN_PARITY", "../ffnn_parity", "ffnn‐parity", "\x00"]
REPRODUCE = {
    "a name": [[name] for name in NO_NAMES] + [[]],
    "--jobs": [["ffnn_parity", "--jobs", value] for value in NO_NUMBERS],
    "--device": [["ffnn_parity", "--device", value] for value in [*NO_NAMES, "cuda:-1", "gpu"]],
    "--data": [["translation_multi30k", "--data", value] for value in ["", "nowhere", "٣"]]
    + [["ffnn_parity", "--data", "."], ["translation_multi30k"]],
    "--check": [["nothing", "--check"], ["ffnn_parity", "--check", "--data", "."]]
    + [["translation_multi30k", "--check", "--data", "nowhere"]],
    "options": [["ffnn_parity", "--quickly"], ["ffnn_parity", "x"], ["ffnn_parity", "--jobs"]],
}


def ends(call, *arguments: str, monkeypatch, capsys) -> str:
    """The error with which a command ends, which is one and no traceback; it has done nothing."""
    monkeypatch.setattr(sys, "argv", ["command", *arguments])
    with pytest.raises(SystemExit) as ended:
        call()
    assert ended.value.code not in (None, 0)
    said = capsys.readouterr()
    assert said.out == "" and "Traceback" not in said.err
    return said.err if isinstance(ended.value.code, int) else ended.value.code


@pytest.mark.parametrize("kind", REPRODUCE)
def test_reproduce_names_what_is_wrong(kind, monkeypatch, capsys):
    monkeypatch.setattr(reproduce, "reproduce", None)  # nothing may be run
    for arguments in REPRODUCE[kind]:
        said = ends(reproduce.main, *arguments, monkeypatch=monkeypatch, capsys=capsys)
        last = said.strip().splitlines()[-1]
        assert EXPECTS.search(last) or re.search("choose from|unrecognized|name it with", last), (
            arguments,
            last,
        )
        wrong = arguments[-1] if arguments else "name"
        assert wrong in said or repr(wrong)[1:-1] in said or "reads a folder" in last, last


@pytest.mark.parametrize("name", [*NO_NAMES, "--help", "provenance", "intro.py"])
def test_record_names_a_chapter_that_claims_nothing(name, monkeypatch, capsys):
    said = ends(recording.main, name, monkeypatch=monkeypatch, capsys=capsys)
    assert said.startswith(f"no chapter {name!r}; there are 01_ffnn_parity, ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--chek"],
        ["--check", "x"],
        ["--numbers", "x"],
        ["x", "y"],
        ["٣"],
        ["--address"],
        ["--address", "nowhere"],
    ],
)
def test_the_program_that_pairs_names_what_it_does_not_know(arguments, monkeypatch, capsys):
    before = {path: path.stat().st_mtime_ns for path in (ROOT / "chapters").glob("*.ipynb")}
    program = lambda: runpy.run_path(pair.__file__, run_name="__main__")  # noqa: E731
    said = ends(program, *arguments, monkeypatch=monkeypatch, capsys=capsys)
    assert "expected" in said
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_browser_takes_no_argument():
    command = [sys.executable, "-m", "record.browser", "firefox"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.strip() == "no argument is expected, not firefox"


# ---- broken files


DAMAGES = {
    "empty": lambda data, draw: b"",
    "cut": lambda data, draw: data[: draw.randrange(1, len(data) - 1)],
    "of another kind": lambda data, draw: draw.choice([b"[1]", b"{}", b"null", b"1e999", b'"x"']),
    "deep": lambda data, draw: b"[" * 10**5,
    "no text": lambda data, draw: draw.randbytes(200),
    "a byte": lambda data, draw: _with_a_byte(data, draw.randrange(len(data)), draw),
}


def _with_a_byte(data: bytes, place: int, draw: random.Random) -> bytes:
    return data[:place] + bytes([data[place] ^ draw.randrange(1, 256)]) + data[place + 1 :]


READERS = {  # a file of record/results, and who reads it
    "rows.json": lambda path: rows.rows(),
    "claims/01_ffnn_parity.json": lambda path: claims.recorded(),
    "records/nowak2022.json": lambda path: nowak_records.learned_records(),
    "ffnn_parity.json": lambda path: results.stored("ffnn_parity"),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", READERS)
def test_a_broken_result_is_named(name, damage, tmp_path, monkeypatch):
    draw = random.Random(f"{name} {damage}")
    data = (results.RESULTS / name).read_bytes()
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    for module in (results, nowak_records):
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    path.write_bytes(data)
    READERS[name](path)
    for _ in range(DRAWS):
        path.write_bytes(DAMAGES[damage](data, draw))
        try:
            READERS[name](path)
        except ValueError as error:
            assert path.stem in str(error) and EXPECTS.search(str(error))
        else:  # a byte of a text or a number, or a space
            assert damage == "a byte", path.read_bytes()


def test_a_broken_page_is_named(tmp_path, monkeypatch):
    """Any text is a page; what is no text is none."""
    path = tmp_path / "intro.py"
    monkeypatch.setattr(results, "CHAPTERS", tmp_path)
    monkeypatch.setattr(recording, "claiming", lambda: ["intro"])
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="is no page that can be read") as caught:
        recording.record(["intro"])
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_broken_construction_is_named(damage):
    draw = random.Random(damage)
    construction = parity()
    data = to_json(construction).encode()
    for _ in range(DRAWS):
        broken = DAMAGES[damage](data, draw).decode(errors="replace")
        try:
            found = from_json(broken)
        except ValueError as error:
            assert str(error)
        else:
            assert damage == "a byte" and json.loads(to_json(found)) == json.loads(broken)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_broken_file_of_a_transformer_is_named(damage, tmp_path):
    draw = random.Random(damage)
    path = tmp_path / "x.safetensors"
    save(parity(), path, longest=4)
    data = path.read_bytes()
    header = 8 + int.from_bytes(data[:8], "little")  # behind it stand tensors, which may be others
    for _ in range(DRAWS):
        behind = data[header:] if damage == "a byte" else b""
        path.write_bytes(DAMAGES[damage](data.removesuffix(behind), draw) + behind)
        try:
            load(path)
        except ValueError as error:
            assert f"{path} is no file of a transformer" in str(error)
        else:
            assert damage == "a byte"


def test_a_configuration_without_an_address_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(pair, "ROOT", tmp_path)
    only = "repository: {url: https://github.com/a/b}"
    for broken in ("", "title: x", "repository: []", "\t", "a: [", "html: {}", only):
        (tmp_path / "_config.yml").write_text(broken, encoding="utf-8")
        with pytest.raises(SystemExit, match="is expected to name the repository's url"):
            pair.config()
