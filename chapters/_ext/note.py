"""Begins a note, `python chapters/_ext/note.py NAME`: its page, its test, its criterion, its row
and its line in the table of contents, from the texts in `chapters/_ext/note`. They hold a small
construction that is right, to be replaced.
"""

import re
import sys
from pathlib import Path

from docutils.nodes import make_id

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # this file is a program too

from lib.files import write_whole  # noqa: E402

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
NEW = ("chapters/note_NAME.py", "tests/notes/test_NAME.py", "chapters/NAME/claims.yaml")
ROW = '{"place": "note: TITLE", "statement": "A 1 is found at every length", "chapter": 0}'
PART = re.compile(r"  - caption: Notes\n(?: {4}.*\n)+")


def begin(name: str) -> dict[Path, str]:
    """The files of a note with their texts; ValueError for no name of one, or one that is taken."""
    if not NAME.fullmatch(name):
        raise ValueError(f"a name such as bounded_dyck (a-z, 0-9, _) is expected, not {name!r}")

    def filled(text: str) -> str:
        words = {"LABEL": make_id(name), "NAME": name, "TITLE": name.replace("_", " ")}
        return re.sub("|".join(words), lambda word: words[word[0]], text)

    texts = Path(__file__).with_suffix("")
    said = {path: (texts / f"{Path(path).name}.txt").read_text(encoding="utf-8") for path in NEW}
    files = {ROOT / filled(path): filled(text) for path, text in said.items()}
    taken = (*files, ROOT / "chapters" / name)
    if there := [path for path in taken if path.exists()]:
        raise ValueError(f"another name is expected, not {name!r}: {there[0]} is there")
    rows, contents = ROOT / "record/results/rows.json", ROOT / "_toc.yml"
    known = rows.read_text(encoding="utf-8").removesuffix("\n]\n")
    files[rows] = known + filled(f",\n{ROW}\n]\n")
    line = filled("      - file: chapters/note_NAME\n")
    files[contents] = PART.sub(rf"\g<0>{line}", contents.read_text(encoding="utf-8"))
    return files


if __name__ == "__main__":
    try:
        for path, text in begin(" ".join(sys.argv[1:])).items():
            write_whole(path, text.encode())
            print(f"wrote {path.relative_to(ROOT)}")
    except ValueError as error:
        sys.exit(str(error))
