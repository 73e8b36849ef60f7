"""What the pictures of chapter 6 and of few_vectors are drawn of: boxes with words and arrows from
one to another, tokens with their logits, cells of a tape or of a grid.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Patch, Rectangle

from record.notebook import COLOURS, note

BLUE, ORANGE, GREY = COLOURS["PARITY"], COLOURS["FIRST"], "#777777"
CENTRED = {"ha": "center", "va": "center", "fontsize": 9}
BOX = {"boxstyle": "round,pad=0.4", "facecolor": "none", "edgecolor": "black"}
NEW = {"edgecolor": ORANGE, "linewidth": 2.5}  # the frame of the cell that is spoken of
Place = tuple[float, float]


def draw_boxes(axis: Axes, words: Mapping[Place, str]) -> dict[Place, Patch | None]:
    """Boxes with words in them, by their places."""
    return {
        place: axis.text(*place, said, bbox=BOX, **CENTRED).get_bbox_patch()
        for place, said in words.items()
    }


def draw_arrow(
    axis: Axes,
    boxes: Mapping[Place, Patch | None],
    ends: tuple[Place, Place],
    said: str = "",
    away: tuple = (0, 5),
    color: str = BLUE,
    **look: object,
) -> None:
    """An arrow from box to box, or place to place, with words beside its middle."""
    start, end = ends
    line = {"arrowstyle": "->", "linewidth": 1.5, "shrinkA": 0, "shrinkB": 1, "color": color}
    patches = {"patchA": boxes.get(start), "patchB": boxes.get(end)}
    axis.annotate("", end, start, arrowprops=line | patches | look)
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    note(axis, said, middle, away, color=color, ha="center", fontsize=9)


def draw_logits(axis: Axes, tokens: Mapping[Place, str], logits: Sequence[Fraction | int]) -> None:
    """The number and the logit of each token below its box; the best in bold."""
    for k, (place, logit) in enumerate(zip(tokens, logits, strict=True), start=1):
        best = {"color": BLUE, "weight": "bold"} if logit == max(logits) else {}
        said = f"token {k}\nlogit {mixed(logit)}"
        note(axis, said, place, (0, -38), ha="center", fontsize=9, **best)


def draw_cell(
    axis: Axes, place: Place, said: str, size: Place, filled: bool = False, **frame: object
) -> None:
    """A cell with words in it, by its middle."""
    (x, y), (width, height) = place, size
    look: dict = {"edgecolor": GREY, "linewidth": 0.8, **frame}
    face = to_rgba(BLUE, 0.3) if filled else "none"
    corner = (x - width / 2, y - height / 2)
    axis.add_patch(Rectangle(corner, width, height, facecolor=face, **look))
    axis.text(x, y, said, **CENTRED)


def mixed(value: Fraction | int) -> str:
    """A multiple of a quarter, as 3¾ is written."""
    whole, quarters = divmod(abs(Fraction(value)) * 4, 4)
    text = f"{whole or ''}{('', '¼', '½', '¾')[int(quarters)]}" or "0"
    return f"−{text}" if value < 0 else text
