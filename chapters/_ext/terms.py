"""Terms of the glossary that say what they mean when the pointer rests on them."""

from functools import cache

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

GLOSSARY = "chapters/notation"


@cache
def meanings(env: BuildEnvironment) -> dict[str, str]:
    """What the glossary says, by the anchor of the term."""
    return {
        anchor: item.next_node(nodes.definition).astext()
        for item in env.get_doctree(GLOSSARY).findall(nodes.definition_list_item)
        for term in item.findall(nodes.term)
        for anchor in term["ids"]
    }


def explain(app: Sphinx, document: nodes.document, page: str) -> None:
    """Gives each link to a term what the term means, as the text that a pointer shows."""
    for reference in document.findall(nodes.reference):
        anchor = reference.get("refuri", "").rpartition("#")[2]
        if meaning := meanings(app.env).get(anchor):
            reference["reftitle"] = meaning


def setup(app: Sphinx) -> dict:
    app.connect("doctree-resolved", explain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
