"""Makes every chapters/NAME.ipynb from chapters/NAME.py: `python chapters/_ext/pair.py [--check]`.

The book is built from the sources; the notebooks are for Colab and other readers of notebooks, and
read as the page does (`chapters._ext.plain`). A notebook is a pure function of the sources, of the
repository's address in `_config.yml`, of the version in `CITATION.cff` and of the numbers in
`chapters/numbers.json`: no outputs, cell ids from the cells' contents, and one setup cell below the
title, the same for all, by which a lone notebook finds `lib`. The numbers are taken from the built
book by `python chapters/_ext/pair.py --numbers`. A fork is another address:
`python chapters/_ext/pair.py --address https://github.com/OWNER/NAME` writes it everywhere.
"""

import hashlib
import json
import posixpath
import re
import sys
from functools import cache
from pathlib import Path

import jupytext
import nbformat
from sphinx.util.inventory import InventoryFile

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "_config.yml"
sys.path.insert(0, str(ROOT))  # this file is a program too

from chapters._ext.plain import Book, cited, labels  # noqa: E402
from record.runs import CHAPTERS, read_yaml, write_whole  # noqa: E402

NUMBERS = CHAPTERS / "numbers.json"
BUILT = ROOT / "_build"
EXECUTED = BUILT / "jupyter_execute" / "chapters"
ADDRESS = re.compile(r"https://github\.com/([A-Za-z0-9-]+)/([A-Za-z0-9._-]+?)(?:\.git)?/?")
SETUP = Path(__file__).with_name("setup_cell.txt").read_text(encoding="utf-8").rstrip()


def moved(config: str, address: str) -> str:
    """The text of `_config.yml` for a repository at `address`; ValueError for no such address."""
    found = ADDRESS.fullmatch(address)
    if not found:
        raise ValueError(f"https://github.com/OWNER/NAME is expected, not {address!r}")
    owner, name = found.groups()
    lines = {
        r"^  url: .*$": f"  url: https://github.com/{owner}/{name}",
        r"^  baseurl: .*$": f"  baseurl: https://{owner.lower()}.github.io/{name}",
        r"^(.*\baddress_is_a_placeholder: )\w+": r"\1false",
    }
    for pattern, line in lines.items():
        config = re.sub(pattern, line, config, flags=re.MULTILINE)
    return config


def setup() -> nbformat.NotebookNode:
    """The setup cell, the same for all pages. It names no placeholder, which might be another
    person's by now: a notebook would run what lies there.
    """
    config, version = read_yaml(CONFIG), read_yaml(ROOT / "CITATION.cff")["version"]
    is_placeholder = config["sphinx"]["config"]["html_context"]["address_is_a_placeholder"]
    address = "" if is_placeholder else config["repository"]["url"]
    source = SETUP.format(address=address, version=version)
    return nbformat.v4.new_code_cell(source, metadata={"tags": ["remove-cell"]})


def read(text: str) -> nbformat.NotebookNode:
    """A page as the book reads it: the cells of its source, and the setup cell below the first."""
    made = jupytext.reads(text, fmt="py:percent")
    made.cells.insert(1, setup())
    return made


@cache
def book() -> Book:
    """What the pages need to know of the book."""
    taken = json.loads(NUMBERS.read_text(encoding="utf-8"))
    places = taken["labels"] | labels(CHAPTERS)
    site = read_yaml(CONFIG)["html"]["baseurl"].rstrip("/")
    return Book(site, places, cited(CHAPTERS / "references.bib"), taken["numbers"])


def notebook(source: Path) -> str:
    """The text of the notebook that belongs to a page's source."""
    made = read(source.read_text(encoding="utf-8"))
    made.metadata = nbformat.from_dict(
        {"kernelspec": made.metadata["kernelspec"], "language_info": {"name": "python"}}
    )
    made.cells = book().plain(source.stem, made.cells)
    for number, cell in enumerate(made.cells):
        before = sum(earlier.source == cell.source for earlier in made.cells[:number])
        content = f"{cell.cell_type} {before} {cell.source}"
        cell.id = hashlib.sha256(content.encode()).hexdigest()[:8]
    made.nbformat, made.nbformat_minor = 4, 5
    return nbformat.writes(made) + "\n"


def numbers() -> None:
    """Takes over what the built book says: the numbers in each page's sentences, and the labels
    that outputs make; ends the program where there is no built book.
    """
    glued = {page.stem: EXECUTED / f"{page.stem}.glue.json" for page in CHAPTERS.glob("*.py")}
    found: dict[str, dict[str, str]] = {}
    for name, path in sorted(glued.items()):
        if path.exists():
            kept = json.loads(path.read_text(encoding="utf-8"))
            shown = {number: kept[number]["data"]["text/plain"] for number in sorted(kept)}
            found[name] = {number: text.strip("'\"") for number, text in shown.items()}
    if not found or not (BUILT / "html" / "fingerprint.txt").exists():
        sys.exit(f"a built book is expected in {BUILT}: run `make book`")
    with (BUILT / "html" / "objects.inv").open("rb") as stream:
        places = InventoryFile.load(stream, "", posixpath.join)["std:label"]
    own = labels(CHAPTERS)
    made = {
        name: Path(place.partition("#")[0]).stem
        for name, (*_, place, _) in places.items()
        if name not in own
    }
    text = json.dumps({"labels": made, "numbers": found}, ensure_ascii=False, indent=1)
    write_whole(NUMBERS, f"{text}\n".encode())


def pair(check: bool) -> None:
    """Writes the notebooks; with `check`, changes nothing and exits with an error where one is not
    what its source makes.
    """
    sources = sorted(CHAPTERS.glob("*.py"))
    strays = set(CHAPTERS.glob("*.ipynb")) - {source.with_suffix(".ipynb") for source in sources}
    if strays:
        names = ", ".join(sorted(path.name for path in strays))
        sys.exit(f"no source makes {names}: delete it, or write its source")
    for source in sources:
        target, text = source.with_suffix(".ipynb"), notebook(source)
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        if check:
            sys.exit(
                f"chapters/{target.name} is not what {source.name} makes: run `make notebooks`"
            )
        write_whole(target, text.encode())
        print(f"wrote chapters/{target.name}")


def main(arguments: list[str]) -> None:
    """The command."""
    match arguments:
        case ["--address", address]:
            try:
                text = moved(CONFIG.read_text(encoding="utf-8"), address)
                write_whole(CONFIG, text.encode())
            except (OSError, ValueError) as error:
                sys.exit(str(error))
        case ["--numbers"]:
            numbers()
        case [] | ["--check"]:
            pass
        case _:
            said = " ".join(arguments)
            sys.exit(
                f"--check, --numbers, --address with an address, or nothing is expected, not {said}"
            )
    pair(check="--check" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
