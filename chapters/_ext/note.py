"""Begins a note, `python chapters/_ext/note.py NAME`: its page, its test, its criterion, its row and
its line in the table of contents, from the texts in `chapters/_ext/note`. They hold a small
construction that is right, to be replaced.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # this file is a program too

from chapters._ext.pair import write  # noqa: E402

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
MADE = {
    "page.txt": "chapters/note_{}.py",
    "test.txt": "tests/notes/test_{}.py",
    "criteria.txt": "record/criteria/note_{}.yaml",
}
PART = re.compile(r"  - caption: Notes\n(?: {4}.*\n)+")


def begin(name: str) -> dict[Path, str]:
    """The files of a note with their texts; ValueError for no name of one, or one that is taken."""
    if not NAME.fullmatch(name):
        raise ValueError(
            "a name of lower-case letters, digits and single _ is expected, such as "
            f"bounded_dyck, not {name!r}"
        )
    texts = Path(__file__).with_suffix("")
    said = name.replace("_", " ")
    files = {
        ROOT / place.format(name): (texts / text)
        .read_text(encoding="utf-8")
        .replace("NAME", name)
        .replace("TITLE", said)
        for text, place in MADE.items()
    }
    for path in files:
        if path.exists():
            raise ValueError(f"another name is expected, not {name!r}: {path} is there")
    rows, contents = ROOT / "record/results/rows.json", ROOT / "_toc.yml"
    row = {"place": f"note: {said}", "statement": "A 1 is found at every length", "chapter": 0}
    known = rows.read_text(encoding="utf-8").removesuffix("\n]\n")
    files[rows] = f"{known},\n{json.dumps(row, ensure_ascii=False)}\n]\n"
    toc = contents.read_text(encoding="utf-8")
    files[contents] = PART.sub(lambda part: f"{part[0]}      - file: chapters/note_{name}\n", toc)
    return files


if __name__ == "__main__":
    try:
        for path, text in begin(" ".join(sys.argv[1:])).items():
            write(path, text)
            print(f"wrote {path.relative_to(ROOT)}")
    except ValueError as error:
        sys.exit(str(error))
