"""Folds that say what they hold: how a figure was made, the answer to a question, a solution."""

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

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


def setup(app: Sphinx) -> dict:
    app.setup_extension("myst_nb")
    app.add_node(HideCodeCellNode, override=True, html=(begin, end))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
