"""The exercises of chapter 10: the map."""

import numpy as np

from chapters.common.judge import counterexample, exercise, spelled
from chapters.the_map.encoders import PAD, enough_padding, progressions
from lib.languages import Language
from lib.transformer import Construction, Exact

LENGTH = 9  # of the strings that exercise 10.1 asks about
NO_NEIGHBOURS = Language("no two 1s are neighbours", lambda w: "11" not in w)


@exercise("10.1", int, np.integer)
def padding_for_nine(answer: int) -> str | None:
    """How many padding tokens the strings of nine symbols need."""
    if answer == enough_padding(LENGTH):
        return None
    last = "0" * (LENGTH - 3) + "111"
    if answer > enough_padding(LENGTH):
        return f"{answer} are more than needed"
    accepts = Exact(progressions(), "leftmost").accepts(last + PAD * max(0, int(answer)))
    return f"{answer} are too few: with them {last} is {'accepted' if accepts else 'rejected'}"


@exercise("10.2", Construction)
def no_neighbours(answer: Construction) -> str | None:
    """A construction for the strings in which no two 1s are neighbours, with strict masks."""
    if not {"0", "1"} <= set(answer.alphabet):
        return f"the symbols 0 and 1 are expected, not {', '.join(answer.alphabet)}"
    if answer.position:
        return "no position encoding is needed, and none is allowed"
    masks = {head.mask for layer in answer.layers for head in layer.heads}
    if masks != {"strict future"}:
        return "every head must have the mask 'strict future'"
    return counterexample(NO_NEIGHBOURS, Exact(answer, "rightmost").accepts, range(11))


@exercise("10.3", tuple[str, str])
def second_symbol(one: str, other: str) -> str | None:
    """Whether ties to the left, without mask and positions, decide if the second symbol is 1."""
    if strange := {*one, *other} - {"0", "1"}:
        return f"strings of 0 and 1 are expected, without {min(strange)!r}"
    if list(dict.fromkeys(one)) != list(dict.fromkeys(other)):
        return f"symbols first occur in another order in {spelled(one)} and {spelled(other)}"
    if (one[1:2] == "1") == (other[1:2] == "1"):
        return f"{spelled(one)} and {spelled(other)} are decided alike, and correctly so"
    return None
