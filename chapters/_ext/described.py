"""What other sites and search engines show of a page: its first paragraph, in plain words."""

from __future__ import annotations

import re

from docutils import nodes

LONGEST = 200  # characters
ENOUGH = 40


def without_tex(text: str) -> str:
    """A formula of a line of prose in plain words: `\\log n` is "log n"."""
    bare = re.sub(r"\\(?:math\w+|text)\{([^{}]*)\}", r"\1", text)
    return re.sub(r"\\([a-zA-Z]+)|[\\{}]", lambda match: match[1] or "", bare)


def _plain(paragraph: nodes.paragraph) -> str:
    """The text of a paragraph, its formulas in plain words."""
    pieces = (
        without_tex(str(text)) if isinstance(text.parent, nodes.math) else str(text)
        for text in paragraph.findall(nodes.Text)
    )
    return " ".join("".join(pieces).split())


def description(doctree: nodes.document | None) -> str:
    """The first paragraph of a page, cut after a word; "" for a page without one."""
    if doctree is None:
        return ""
    texts = map(_plain, doctree.findall(nodes.paragraph))
    first = next((text for text in texts if len(text) >= ENOUGH), "")
    if len(first) <= LONGEST:
        return first
    return first[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:.") + " …"
