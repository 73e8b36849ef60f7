"""Decks of slides: `{slides}` with a line for each slide, filled from the chapters that are built
(see `chapters._ext.lecture`).
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.docutils import SphinxDirective

from chapters._ext.lecture import read, taken


class Deck(nodes.General, nodes.Element):
    """Where the slides will stand, with their lines."""


class Slides(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        return [Deck(lines=[line for line in self.content if line.strip()])]


def fill(app: Sphinx, document: nodes.document, page: str) -> None:
    """Puts the slides where a page asks for them."""
    for deck in document.findall(Deck):
        shown, chapters = nodes.container(classes=["deck"]), {}
        for number, line in enumerate(deck["lines"], start=1):
            try:
                source = f"{page.rpartition('/')[0]}/{read(line)[0]}"
                if source not in chapters:
                    chapters[source] = app.env.get_and_resolve_doctree(source, app.builder)
                title, pieces = taken(line, chapters[source])
            except (LookupError, OSError, ValueError) as error:
                raise SphinxError(f"{page}: {error}") from error
            address = app.builder.get_relative_uri(page, source)
            place = f"{address}#{read(line)[1]}"
            whole = nodes.reference("", app.env.titles[source].astext(), refuri=place)
            slide = nodes.section("", nodes.title(text=title), ids=[f"slide-{number}"])
            for piece in pieces:
                move(piece, address, f"slide-{number}-figure")
                slide += nodes.container("", piece, classes=["cell_output"])
            slide += nodes.paragraph("", "", whole, classes=["from"])
            slide["classes"] = ["slide"]
            shown += slide
        deck.replace_self(shown)
        app.env.get_domain("math").data["has_equations"][page] = True  # which loads MathJax


def move(piece: nodes.Element, address: str, figure: str) -> None:
    """Makes a copy fit for another page: its names stay behind, its links lead to the chapter."""
    for node in piece.findall(nodes.Element):
        node["ids"], node["names"] = [figure] if isinstance(node, nodes.figure) else [], []
        if "refid" in node:
            node["refuri"] = f"#{node.attributes.pop('refid')}"
        if node.get("refuri", "").startswith("#"):
            node["refuri"] = address + node["refuri"]


def load(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Loads the module that shows one slide at a time."""
    if 'class="deck' in context.get("body", ""):
        app.add_js_file("slides.mjs", type="module")


def setup(app: Sphinx) -> dict:
    app.add_node(Deck)
    app.add_directive("slides", Slides)
    app.connect("doctree-resolved", fill)
    app.connect("html-page-context", load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
