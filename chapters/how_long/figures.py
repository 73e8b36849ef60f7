"""Chapter 13 and its record: a network by hand, the cells of trained ones, and the networks that
were judged at every length.
"""

from itertools import chain

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from chapters.how_long.runs import LANGUAGES, TRAINED_TO
from chapters.how_long.runs import kept as unpacked
from lib.trained import Judged, Positive, TrainedNetwork
from lib.trained.counts import ONE, halves, readings
from lib.trained.network import Linear, TrainedLayer
from lib.verdicts import WRONG
from record.notebook import COLOURS
from record.runs import stored

ACCEPTED, REJECTED = COLOURS["PARITY"], COLOURS["FIRST"]
CUTS = 9  # of a picture's cells, at most


def by_hand(bias: float) -> Judged:
    """One head that attends to CLS and to all symbols alike. Its value is +1 for a 1, -1 for a 0
    and 0 for CLS, and the output adds a bias: (ones - zeros) / (n + 1) + bias.
    """

    def linear(weight: float, bias: float = 0) -> Linear:
        one = torch.ones(1, dtype=torch.float64)
        return Linear(weight * one[None], bias * one)

    value = torch.tensor([[-1.0], [1.0], [0.0]], dtype=torch.float64)  # of 0, of 1, of CLS
    q, k, v, o = map(linear, (0, 0, 1, 1))
    layer = TrainedLayer(q, k, v, o, None, None, (None, None))
    network = TrainedNetwork(value, (layer,), linear(1, bias), 1, "identity", True, False)
    return Judged(network, {"0": 0, "1": 1}, Positive(), before=(2,), read_at="first")


def results() -> dict[tuple[str, int, str], dict]:
    """What was found of the networks, by language, layers and scale of the logits."""
    return stored("how_long").by("language", "layers", "scale")


def kept(language: str, scale: str = "plain", layers: int = 1) -> Judged:
    """The first of the networks that were trained."""
    return unpacked(results()[language, layers, scale]["weights"], layers, scale)


def of_kind(layers: int, scale: str, *languages: str) -> list[dict]:
    """The verdicts on networks of a kind, for some languages or for all."""
    found = results()
    return [*chain(*(found[one, layers, scale]["verdicts"] for one in languages or LANGUAGES))]


def number(verdicts: list[dict], kind: str) -> int:
    """How many of the verdicts are of a kind."""
    return sum(one["kind"] == kind for one in verdicts)


def first_errors(verdicts: list[dict]) -> list[int]:
    """The lengths of the first errors, in order, of networks for which they are known."""
    known = (one for one in verdicts if one["kind"] == WRONG)
    return sorted(sum(one["counts"]) for one in known if sum(one["counts"]) == one["reach"] + 1)


def early(verdicts: list[dict]) -> int:
    """How many networks err on a string that is no longer than those of training."""
    return sum(one["kind"] == WRONG and one["reach"] < TRAINED_TO for one in verdicts)


def draw_cells(axis: Axes, judged: Judged, low: tuple, high: tuple) -> None:
    """Draws a box of shares of 1s and of z, cut until each cell has a sign, or is small."""
    [reading] = readings(judged)
    # Sides are the share of the first symbol, 0, and z.
    begin = np.array([[1 - high[0], low[1]]]) * ONE, np.array([[1 - low[0], high[1]]]) * ONE
    ends = tuple(part.astype(np.int64) for part in begin)
    for cut in range(CUTS + 1):
        signs, side = reading.of_cells(*ends)
        left = (signs == 0) & (cut < CUTS)
        a, b = (part[~left] / ONE for part in ends)
        (x, z), (right, top) = (1 - b[:, 0], a[:, 1]), (1 - a[:, 0], b[:, 1])
        corners = np.stack([[x, z], [right, z], [right, top], [x, top]]).transpose(2, 0, 1)
        colours = [{1: ACCEPTED, -1: REJECTED, 0: "#999999"}[sign] for sign in signs[~left]]
        look = {"facecolors": colours, "edgecolors": "white", "linewidths": 0.3, "alpha": 0.6}
        axis.add_collection(PolyCollection([*corners], **look))
        if not left.any():
            return
        # Pictures are cut across both sides in turn.
        ends = halves(ends[0][left], ends[1][left], np.full(left.sum(), cut % 2))
