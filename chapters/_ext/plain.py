"""The book's Markdown as Colab and other readers of notebooks show it: numbers stand in the sentences,
references are links to the book's pages, folds are HTML, and what needs the page's scripts is left
out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FENCE = re.compile(r"^(:{3,})\{(\w+)\} ?(.*?)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
LABEL = re.compile(r"^\(([\w.-]+)\)=\n", re.MULTILINE)
ROLE = re.compile(r"\{([\w:]+)\}`([^`]+)`")
LINK = re.compile(r"\]\((#?[\w-]+)(?:\.ipynb|\.md)?\)")
TITLED = re.compile(r"(.*?)\s*<(.*)>", re.DOTALL)
GUESS = re.compile(r'<p class="guess"[^>]*>(.*?)</p>')
LIVE = re.compile(r'<div class="live"[^>]*>(.*?)</div><script[^>]*></script>\n*', re.DOTALL)
OPTION = re.compile(r"^:[\w-]+:.*\n", re.MULTILINE)
FOLDED = {  # what a tag of a cell folds, as notebooks say it
    "hide-input": {"source_hidden": True},
    "hide-output": {"outputs_hidden": True},
    "hide-cell": {"source_hidden": True, "outputs_hidden": True},
}


@dataclass(frozen=True)
class Book:
    """What a page needs to know of the others: the site's address, on which page a label stands, how
    the text cites an entry of the bibliography, and what `glue` says by name.
    """

    site: str
    labels: Mapping[str, str]
    cited: Mapping[str, str]
    said: Mapping[str, str]

    def markdown(self, text: str) -> str:
        """A Markdown cell without what only the book's builder knows."""
        text = FENCE.sub(self._fence, text)
        text = GUESS.sub(lambda guess: f"*Your guess: {_choices(guess[1])}?*", text)
        text = LIVE.sub("", text)
        text = LABEL.sub("", text)
        text = ROLE.sub(lambda role: self._role(role[1], role[2]), text)
        return LINK.sub(lambda link: f"]({self._place(link[1])})", text)

    def _fence(self, fence: re.Match[str]) -> str:
        """A fold as HTML, which readers of notebooks open; a box as a quotation."""
        _, kind, title, body = fence.groups()
        body = OPTION.sub("", body).strip()
        if kind == "dropdown":
            return f"<details><summary><b>{title}</b></summary>\n\n{body}\n\n</details>"
        lines = f"**{title}.** {body}".splitlines()
        return "\n".join(f"> {line}".rstrip() for line in lines)

    def _role(self, role: str, content: str) -> str:
        titled = TITLED.fullmatch(content)
        match role:
            case "glue:text":
                return self.said[content]
            case "cite":
                return f"({'; '.join(self.cited[key.strip()] for key in content.split(','))})"
            case "term":
                return titled[1] if titled else content
            case "doc":
                title, page = (titled[1], titled[2]) if titled else (content, content)
                return f"[{title}]({self._place(page)})"
            case "numref":
                return f"[the figure]({self._place(f'#{content}')})"
        raise ValueError(f"no notebook shows the role {role!r} of {content!r}")

    def _place(self, target: str) -> str:
        """The address in the published book of a page, or of a label with a # in front."""
        if not target.startswith("#"):
            return f"{self.site}/chapters/{target}.html"
        label = target[1:]
        return f"{self.site}/chapters/{self.labels[label]}.html#{label}"


def _choices(text: str) -> str:
    *most, last = (choice.strip() for choice in text.replace("&nbsp;", " ").split("|"))
    return f"{', '.join(most)} or {last}"


def folds(tags: list[str]) -> dict[str, bool]:
    """What of a code cell is folded, in the words of notebooks."""
    return {name: True for tag in tags for name in FOLDED.get(tag, {})}


@cache
def labels(folder: Path) -> dict[str, str]:
    """On which page each label, and each figure's name, stands."""
    found = {}
    for path in (*folder.glob("*.py"), *folder.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for label in (*LABEL.findall(text), *re.findall(r'"name": "([\w-]+)"', text)):
            found[label] = path.stem
    return found


def cited(bibliography: Path) -> dict[str, str]:
    """How the text cites each entry of the bibliography."""
    from pybtex.database import parse_file

    from chapters._ext.bibliography import AuthorYear

    styled = AuthorYear().format_bibliography(parse_file(str(bibliography)))
    return {entry.key: entry.label for entry in styled}
