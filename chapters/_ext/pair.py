"""Makes every chapters/NAME.ipynb from chapters/NAME.py: `python chapters/_ext/pair.py`.

The book is built from the sources; the notebooks are for Colab and other readers of notebooks:
numbers stand in the sentences, references are links to the book's pages, folds are HTML, and of
what needs the page's scripts its text is left. A notebook is a pure function of the sources, of the
repository's address in `_config.yml`, of the version in `CITATION.cff` and of the numbers in
`chapters/numbers.json`: no outputs, cell ids from the cells' contents, and one setup cell below the
title, the same for all, by which a lone notebook finds `lib`. The numbers are taken from the built
book by `python chapters/_ext/pair.py --numbers`. A fork is another address:
`python chapters/_ext/pair.py --address https://github.com/OWNER/NAME` writes it everywhere.
"""

import argparse
import hashlib
import json
import re
import sys
from functools import cache
from pathlib import Path

import jupytext
import nbformat
from docutils.nodes import make_id
from pybtex.database import parse_file

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "_config.yml"
sys.path.insert(0, str(ROOT))  # this file is a program too

from chapters._ext.bibliography import AuthorYear  # noqa: E402
from record.runs import CHAPTERS, read_json, read_yaml, write_whole  # noqa: E402

NUMBERS = CHAPTERS / "numbers.json"
BUILT = ROOT / "_build"
EXECUTED = BUILT / "jupyter_execute" / "chapters"
ADDRESS = re.compile(r"https://github\.com/([A-Za-z0-9-]+)/([A-Za-z0-9._-]+?)(?:\.git)?/?")
SETUP = Path(__file__).with_name("setup_cell.txt").read_text(encoding="utf-8").rstrip()
FENCE = re.compile(r"^(:{3,})\{(\w+)\} ?(.*?)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"^:[\w-]+:.*\n", re.MULTILINE)
LABEL = re.compile(r"^\(([\w.-]+)\)=\n", re.MULTILINE)
FIGURE = re.compile(r'"name": "([\w-]+)"')
ROLE = re.compile(r"\{([\w:]+)\}`([^`]+)`")
LINK = re.compile(r"`[^`]*`|\]\((#?\w[\w-]*)(?:\.md)?\)")  # but not in code
TITLED = re.compile(r"(.*?)\s*<(.*)>", re.DOTALL)
GUESS = re.compile(r'<p class="guess"[^>]*>(.*?)</p>')
LIVE = re.compile(r'<div class="live"[^>]*><p>(.*?)</p></div>', re.DOTALL)
SCRIPT = re.compile(r"<script[^>]*></script>\n*")
GLOSSARY = "notation"
OF_THE_MAP = "#map-entry-"  # labels that no source has: an output of the map's record makes them
FOLDED = {  # what a tag of a cell folds, in the words of Jupyter and of Colab
    "hide-input": {"source_hidden": True},
    "hide-output": {"outputs_hidden": True},
    "hide-cell": {"source_hidden": True, "outputs_hidden": True},
    "remove-input": {"source_hidden": True},
    "remove-cell": {"source_hidden": True},
}


def move(address: str) -> None:
    """Writes the address of a repository into `_config.yml`; ValueError for no such address."""
    found = ADDRESS.fullmatch(address)
    if not found:
        raise ValueError(f"https://github.com/OWNER/NAME is expected, not {address!r}")
    owner, name = found.groups()
    lines = {
        r"^  url: .*$": f"  url: https://github.com/{owner}/{name}",
        r"^  baseurl: .*$": f"  baseurl: https://{owner.lower()}.github.io/{name}",
        r"^(.*\baddress_is_a_placeholder: )\w+": r"\1false",
    }
    config = CONFIG.read_text(encoding="utf-8")
    for pattern, line in lines.items():
        config = re.sub(pattern, line, config, flags=re.MULTILINE)
    write_whole(CONFIG, config.encode())


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
def references() -> dict[str, dict]:
    """What the pages refer to: each page's `numbers` by name, on which page `labels` and the names
    of figures stand, and how the text cites the `entries` of the bibliography.
    """
    labels: dict[str, str] = {}
    for path in (*CHAPTERS.glob("*.py"), *CHAPTERS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        labels |= dict.fromkeys((*LABEL.findall(text), *FIGURE.findall(text)), path.stem)
    cited = AuthorYear().format_bibliography(parse_file(str(CHAPTERS / "references.bib")))
    entries = {entry.key: entry.label for entry in cited}
    return {"numbers": read_json(NUMBERS)["numbers"], "labels": labels, "entries": entries}


@cache
def site() -> str:
    """The address of the published book."""
    return read_yaml(CONFIG)["html"]["baseurl"].rstrip("/")


def place(target: str) -> str:
    """The address in the published book of a page, or of a label with a # in front."""
    if target.startswith(OF_THE_MAP):
        return place("record_10_the_map") + target
    if target.startswith("#"):
        return place(references()["labels"][target[1:]]) + target
    return f"{site()}/chapters/{target}.html"


def plain(page: str, text: str) -> str:
    """The Markdown of a page without what only the book's builder knows; KeyError for a number, a
    label or an entry that there is not.
    """
    live = f"> \\1 [On the book's page]({place(page)}) this can be tried."
    text = FENCE.sub(_fence, text)
    text = GUESS.sub(lambda guess: f"*Your guess: {_choices(guess[1])}?*", text)
    text = SCRIPT.sub("", LIVE.sub(live, text))
    text = LABEL.sub("", text)
    text = ROLE.sub(lambda role: _role(page, *role.groups()), text)
    return LINK.sub(lambda link: f"]({place(link[1])})" if link[1] else link[0], text)


def _fence(fence: re.Match[str]) -> str:
    """A fold as HTML, which readers of notebooks open; a box as a quotation."""
    _, kind, title, body = fence.groups()
    body = OPTION.sub("", body).strip()
    if kind == "dropdown":
        return f"<details><summary><b>{title}</b></summary>\n\n{body}\n\n</details>"
    lines = f"**{title}.** {body}".splitlines()
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _choices(text: str) -> str:
    *most, last = (choice.strip() for choice in text.replace("&nbsp;", " ").split("|"))
    return f"{', '.join(most)} or {last}"


def _role(page: str, role: str, content: str) -> str:
    titled = TITLED.fullmatch(content)
    shown, target = titled.groups() if titled else (content, content)
    match role:
        case "glue:text":
            return references()["numbers"][page][content]
        case "cite":
            keys = map(str.strip, content.split(","))
            return f"({'; '.join(references()['entries'][key] for key in keys)})"
        case "term":
            return f"[{shown}]({place(GLOSSARY)}#{make_id(f'term-{target}')})"
        case "doc":
            return f"[{shown}]({place(target)})"
        case "numref":
            return f"[the figure]({place(f'#{content}')})"
    raise ValueError(f"no notebook shows the role {role!r} of {content!r}")


def cells(page: str, sources: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """The cells of a page for any reader of notebooks; a caption is one of its own."""
    found = []
    for cell in sources:
        if cell.cell_type == "markdown":
            cell.source = plain(page, cell.source)
        found.append(cell)
        metadata, tags = cell.metadata, cell.metadata.get("tags", ())
        if folded := {name: True for tag in tags for name in FOLDED.get(tag, ())}:
            metadata["jupyter"] = folded
        if "source_hidden" in folded:
            metadata["cellView"] = "form"
        if caption := metadata.get("mystnb", {}).get("figure", {}).get("caption"):
            found.append(nbformat.v4.new_markdown_cell(plain(page, caption)))
    for number, cell in enumerate(found):
        before = sum(earlier.source == cell.source for earlier in found[:number])
        content = f"{cell.cell_type} {before} {cell.source}"
        cell.id = hashlib.sha256(content.encode()).hexdigest()[:8]
    return found


def notebook(source: Path) -> str:
    """The text of the notebook that belongs to a page's source; ValueError for a reference to what
    is not known.
    """
    made = read(source.read_text(encoding="utf-8"))
    made.metadata = nbformat.from_dict(
        {"kernelspec": made.metadata["kernelspec"], "language_info": {"name": "python"}}
    )
    try:
        made.cells = cells(source.stem, made.cells)
    except KeyError as error:
        raise ValueError(
            f"{source.name}: no number, label or entry {error} is known "
            "(`make numbers` reads those of the book)"
        ) from error
    made.nbformat, made.nbformat_minor = 4, 5
    return nbformat.writes(made) + "\n"


def numbers() -> None:
    """Takes over what the built book says, the numbers in each page's sentences; ends the program
    where there is no built book.
    """
    found: dict[str, dict[str, str]] = {}
    for page in CHAPTERS.glob("*.py"):
        if (path := EXECUTED / f"{page.stem}.glue.json").exists():
            texts = {name: kept["data"]["text/plain"] for name, kept in read_json(path).items()}
            found[page.stem] = {name: text.strip("'\"") for name, text in texts.items()}
    if not found or not (BUILT / "html" / "fingerprint.txt").exists():
        sys.exit(f"a built book is expected in {BUILT}: run `make book`")
    text = json.dumps({"numbers": found}, ensure_ascii=False, indent=1, sort_keys=True)
    write_whole(NUMBERS, f"{text}\n".encode())


def pair() -> None:
    """Writes the notebooks; ends the program where there is one more than the sources make."""
    sources = sorted(CHAPTERS.glob("*.py"))
    strays = set(CHAPTERS.glob("*.ipynb")) - {source.with_suffix(".ipynb") for source in sources}
    if strays:
        names = ", ".join(sorted(path.name for path in strays))
        sys.exit(f"no source makes {names}: delete it, or write its source")
    for source in sources:
        target, text = source.with_suffix(".ipynb"), notebook(source)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            write_whole(target, text.encode())
            print(f"wrote chapters/{target.name}")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--numbers", action="store_true", help="takes them from the built book")
    parser.add_argument("--address", help="says where a fork of the book lives")
    asked = parser.parse_args()
    if asked.address:
        try:
            move(asked.address)
        except (OSError, ValueError) as error:
            parser.error(str(error))
    if asked.numbers:
        numbers()
    pair()


if __name__ == "__main__":
    main()
