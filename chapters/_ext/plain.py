"""The book's Markdown as Colab and other readers of notebooks show it: numbers stand in the
sentences, references are links to the book's pages, folds are HTML, and of what needs the page's
scripts its text is left.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from docutils.nodes import make_id
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from pybtex.database import parse_file

from chapters._ext.bibliography import AuthorYear

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
FOLDED = {  # what a tag of a cell folds, in the words of Jupyter and of Colab
    "hide-input": {"source_hidden": True},
    "hide-output": {"outputs_hidden": True},
    "hide-cell": {"source_hidden": True, "outputs_hidden": True},
    "remove-input": {"source_hidden": True},
    "remove-cell": {"source_hidden": True},
}


@dataclass(frozen=True)
class Book:
    """What a page needs to know of the book: the site's address, on which page a label stands, how
    the text cites an entry of the bibliography, and the numbers of each page by name.
    """

    site: str
    labels: Mapping[str, str]
    cited: Mapping[str, str]
    numbers: Mapping[str, Mapping[str, str]]

    def plain(self, page: str, cells: list[NotebookNode]) -> list[NotebookNode]:
        """The cells of a page for any reader of notebooks; ValueError for a number, a label or an
        entry that there is not.
        """
        found = []
        for cell in cells:
            if cell.cell_type == "markdown":
                cell.source = self._markdown(page, cell.source)
            found.append(cell)
            metadata, tags = cell.metadata, cell.metadata.get("tags", ())
            if folded := {name: True for tag in tags for name in FOLDED.get(tag, ())}:
                metadata["jupyter"] = folded
            if "source_hidden" in folded:
                metadata["cellView"] = "form"
            if caption := metadata.get("mystnb", {}).get("figure", {}).get("caption"):
                found.append(new_markdown_cell(self._markdown(page, caption)))
        return found

    def _markdown(self, page: str, text: str) -> str:
        """Markdown without what only the book's builder knows."""
        live = f"> \\1 [On the book's page]({self._place(page)}) this can be tried."
        text = FENCE.sub(_fence, text)
        text = GUESS.sub(lambda guess: f"*Your guess: {_choices(guess[1])}?*", text)
        text = SCRIPT.sub("", LIVE.sub(live, text))
        text = LABEL.sub("", text)
        text = ROLE.sub(lambda role: self._role(page, *role.groups()), text)
        return LINK.sub(lambda link: f"]({self._place(link[1])})" if link[1] else link[0], text)

    def _role(self, page: str, role: str, content: str) -> str:
        titled = TITLED.fullmatch(content)
        shown, target = titled.groups() if titled else (content, content)
        match role:
            case "glue:text":
                return known(self.numbers.get(page, {}), content, "number")
            case "cite":
                keys = map(str.strip, content.split(","))
                return f"({'; '.join(known(self.cited, key, 'entry') for key in keys)})"
            case "term":
                return f"[{shown}]({self._place(GLOSSARY)}#{make_id(f'term-{target}')})"
            case "doc":
                return f"[{shown}]({self._place(target)})"
            case "numref":
                return f"[the figure]({self._place(f'#{content}')})"
        raise ValueError(f"no notebook shows the role {role!r} of {content!r}")

    def _place(self, target: str) -> str:
        """The address in the published book of a page, or of a label with a # in front."""
        if target.startswith("#"):
            return self._place(known(self.labels, target[1:], "label")) + target
        return f"{self.site}/chapters/{target}.html"


def known(names: Mapping[str, str], name: str, what: str) -> str:
    """What a name stands for; ValueError for one that there is not."""
    if name not in names:
        raise ValueError(f"no {what} {name!r} is known (`make numbers` reads those of the book)")
    return names[name]


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


def labels(folder: Path) -> dict[str, str]:
    """On which page of a folder each label, and each figure's name, stands."""
    found = {}
    for path in (*folder.glob("*.py"), *folder.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for label in (*LABEL.findall(text), *FIGURE.findall(text)):
            found[label] = path.stem
    return found


def cited(bibliography: Path) -> dict[str, str]:
    """How the text cites each entry of a bibliography."""
    styled = AuthorYear().format_bibliography(parse_file(str(bibliography)))
    return {entry.key: entry.label for entry in styled}
