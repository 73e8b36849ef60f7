"""Folds that say what they hold (how a figure was made, the answer to a question, a solution), and
terms of the glossary that say what they mean when the pointer rests on them.
"""

from functools import cache

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.writers.html5 import HTML5Translator

GLOSSARY = "chapters/notation"
# By what of a cell is folded, as myst-nb calls it: the tags hide-output and hide-cell.
NAMES = {"output": "The answer", "outputs": "The answer", "content": "Solution in code"}


def name(node: HideCodeCellNode) -> str:
    """What a fold holds: code with an output made that, other code the numbers in the text."""
    folded = node["prompt_show"].rsplit(" ", 1)[-1]
    if folded in NAMES:
        return NAMES[folded]
    if any("cell_output" in part["classes"] for part in node.parent.findall(nodes.container)):
        return "How this was made"
    imports = node.astext().lstrip().startswith(("import ", "from "))
    return "What this page imports" if imports else "How numbers in the text were made"


def begin(translator: HTML5Translator, node: HideCodeCellNode) -> None:
    """Opens a fold: a `details` whose summary is its name."""
    named = name(node)
    kinds = ["solution"] if named == NAMES["content"] else []
    classes = " ".join(["hide", *node["classes"], *kinds])
    translator.body.append(f'<details class="{classes}"><summary>{named}</summary>\n')


def end(translator: HTML5Translator, node: HideCodeCellNode) -> None:
    translator.body.append("</details>\n")


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
    app.setup_extension("myst_nb")
    app.add_node(HideCodeCellNode, override=True, html=(begin, end))
    app.connect("doctree-resolved", explain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
