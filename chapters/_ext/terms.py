"""Terms of the glossary that say what they mean when the pointer rests on them."""

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx


def meanings(document: nodes.document) -> dict[str, str]:
    """What the glossaries of a page say, by the anchor of the term."""
    return {
        anchor: item.next_node(nodes.definition).astext()
        for glossary in document.findall(addnodes.glossary)
        for item in glossary.findall(nodes.definition_list_item)
        for term in item.findall(nodes.term)
        for anchor in term["ids"]
    }


def remember(app: Sphinx, document: nodes.document) -> None:
    """Keeps what a page's glossary says for the pages that link to it."""
    page = app.env.docname
    known = getattr(app.env, "meanings", {})
    kept = {key: text for key, text in known.items() if key[0] != page}
    app.env.meanings = kept | {(page, anchor): text for anchor, text in meanings(document).items()}


def explain(app: Sphinx, document: nodes.document, page: str) -> None:
    """Gives each link to a term what the term means, as the text that a pointer shows."""
    for reference in document.findall(nodes.reference):
        address, _, anchor = reference.get("refuri", "").rpartition("#")
        name = address.removesuffix(".html").rpartition("/")[2] or page.rpartition("/")[2]
        for (other, known), text in app.env.meanings.items():
            if known == anchor and other.rpartition("/")[2] == name:
                reference["reftitle"] = text


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", remember)
    app.connect("doctree-resolved", explain)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
