"""Decks of slides that say what the chapters say: `{slides}` with a line for each slide.

A line is a place of a chapter, and what is taken from there on, in the chapter's order.
`CHAPTER#LABEL: text 2, equation, "Theorem" text` takes two sentences of the next paragraph, the
next displayed equation, and the next paragraph that begins with that word.
"""

import re
from collections.abc import Iterator
from functools import cache

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.docutils import SphinxDirective

LINE = re.compile(r"(\w+)#([\w-]+): +(.+)")
PIECE = re.compile(r'(?:"([^"]+)" )?(text|equation|figure|table|list|code|output)(?: (\d+))?')
KINDS = {
    nodes.paragraph: "text",
    nodes.math_block: "equation",
    nodes.figure: "figure",
    nodes.table: "table",
    nodes.enumerated_list: "list",
    nodes.bullet_list: "list",
    nodes.literal_block: "code",
}
END = re.compile(r"(?<!\bal)(?<!\bApp)(?<!\bFig)(?<!\bEq)(?<!\be\.g)(?<!\bi\.e)[.!?][)”’]?(?=\s)")


class Deck(nodes.General, nodes.Element):
    """Where the slides will stand, with their lines."""


class Slides(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        return [Deck(lines=[line for line in self.content if line.strip()])]


def read(line: str) -> tuple[str, str, list[tuple[str, str, int]]]:
    """The chapter and the label of a slide, and its pieces: how a piece begins, its kind and, of a
    text, how many sentences (0 for all). ValueError for what is no slide.

    >>> read('07_palindrome_precision#palindrome-2p: "Theorem" text 1')[2]
    [('Theorem', 'text', 1)]
    """
    place = LINE.fullmatch(line.strip())
    pieces = [PIECE.fullmatch(piece) for piece in place[3].split(", ")] if place else []
    if not place or not all(pieces):
        raise ValueError("a slide is CHAPTER#LABEL: PIECE, PIECE ...")
    found = [(piece[1] or "", piece[2], int(piece[3] or 0)) for piece in pieces if piece]
    return place[1], place[2], found


def taken(
    document: nodes.document, label: str, pieces: list[tuple[str, str, int]]
) -> tuple[str, list[nodes.Element], list[nodes.Element]]:
    """The title of a slide, copies of its pieces, and notes: paragraphs that the lesson has between
    these, and those of which a piece is a part. LookupError for what the chapter lacks. Under a
    heading of the second degree the title says which chapter it is.
    """
    start = next((n for n in document.findall(nodes.Element) if label in n["ids"]), None)
    if start is None:
        raise LookupError(f"there is no label {label!r}")
    section = start
    while not isinstance(section, nodes.section):
        section = section.parent
    blocks = list(_blocks(section))
    del blocks[: next((k for k, (_, block) in enumerate(blocks) if block is start), 0)]
    copies, notes = [], []
    for begins, kind, sentences in pieces:
        while blocks and not (blocks[0][0] == kind and blocks[0][1].astext().startswith(begins)):
            other, block = blocks.pop(0)
            if other == "text" and not block.astext().startswith("Predict"):
                notes.append(block.deepcopy())
        if not blocks:
            raise LookupError(f"there is no {begins!r} {kind}")
        whole = blocks.pop(0)[1]
        copies.append(_shortened(whole.deepcopy(), sentences))
        notes += [whole.deepcopy()] if sentences else []
    title, chapter = section[0].astext(), section.parent
    if isinstance(chapter.parent, nodes.document):
        title = f"{chapter[0].astext()}: {title.lower()}"
    return title, copies, notes


def _blocks(parent: nodes.Element) -> Iterator[tuple[str, nodes.Element]]:
    """What stands in a section, in order: within its cells, not in its subsections and folds."""
    for child in (child for child in parent.children if isinstance(child, nodes.Element)):
        if kind := KINDS.get(type(child)):
            yield "output" if "output" in child["classes"] else kind, child
        elif child.tagname not in ("section", "dropdown_main"):
            yield from _blocks(child)


def _shortened(block: nodes.Element, sentences: int) -> nodes.Element:
    """The block cut after so many sentences, where it has more; 0 leaves it whole."""
    for text in block.findall(nodes.Text) if sentences else ():
        ends = [] if isinstance(text.parent, nodes.math) else list(END.finditer(text))
        if len(ends) >= sentences:
            last: nodes.Node = nodes.Text(text[: ends[sentences - 1].end()])
            text.parent.replace(text, last)
            while last is not block:
                del last.parent[last.parent.index(last) + 1 :]
                last = last.parent
            return block
        sentences -= len(ends)
    if sentences > 1:  # the last sentence may end with the block
        raise LookupError(f"{block.astext()[:60]!r} has {sentences} sentences too few")
    return block


def fill(app: Sphinx, document: nodes.document, page: str) -> None:
    """Puts the slides where a page asks for them: first what the deck and the book are called, then
    one for each line.
    """
    lesson = cache(app.env.get_and_resolve_doctree)
    for deck in document.findall(Deck):
        name = next(document.findall(nodes.title)).astext().rpartition(": ")[2]
        parts = [nodes.title(text=name[0].upper() + name[1:])]
        parts.append(nodes.paragraph("", app.config.project))
        slides = [nodes.section("", *parts, ids=["slide-0"], classes=["slide", "opening"])]
        for number, line in enumerate(deck["lines"], start=1):
            try:
                chapter, label, pieces = read(line)
                source = f"{page.rpartition('/')[0]}/{chapter}"
                title, copies, notes = taken(lesson(source, app.builder), label, pieces)
            except (LookupError, OSError, ValueError) as error:
                raise SphinxError(f"{page}: {error} for the slide {line!r}") from error
            address = app.builder.get_relative_uri(page, source)
            place = f"{address}#{label}"
            whole = nodes.reference("", app.env.titles[source].astext(), refuri=place)
            parts = [nodes.title(text=title)]
            for piece in copies:
                move(piece, address, f"slide-{number}-figure")
                parts.append(nodes.container("", piece, classes=["cell_output"]))
            parts.append(nodes.paragraph("", "", whole, classes=["from"]))
            for note in notes:
                move(note, address, f"slide-{number}-note")
                note["classes"] = ["note"]
            parts += notes
            slides.append(nodes.section("", *parts, ids=[f"slide-{number}"], classes=["slide"]))
        deck.replace_self(nodes.container("", *slides, classes=["deck"]))
        app.env.get_domain("math").data["has_equations"][page] = True  # which loads MathJax


def move(piece: nodes.Element, address: str, figure: str) -> None:
    """Makes a copy fit for another page: its names stay behind, its links lead to the chapter."""
    for node in piece.findall(nodes.Element):
        node["ids"], node["names"] = [figure] if isinstance(node, nodes.figure) else [], []
        if "refid" in node:
            node["refuri"] = f"#{node.attributes.pop('refid')}"
        if node.get("refuri", "").startswith("#"):
            node["refuri"] = address + node["refuri"]


def setup(app: Sphinx) -> dict:
    app.add_node(Deck)
    app.add_directive("slides", Slides)
    app.connect("doctree-resolved", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
