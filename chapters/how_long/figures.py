"""Chapter 13 and its record: a network by hand, the square of all strings, and the networks that
were judged at every length.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from IPython.display import Markdown
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from chapters.how_long import checker
from chapters.how_long.certificates import arrays, certificate
from chapters.how_long.runs import LANGUAGES, SHARES, TRAINED_TO
from chapters.how_long.runs import kept as unpacked
from chapters.how_long.shapes import at_random, scores
from lib.trained import Judged, Positive, TrainedNetwork
from lib.trained.arithmetic import norm_bound
from lib.trained.counts import ONE, halves, readings
from lib.trained.network import Linear, TrainedLayer
from lib.verdicts import EACH_STRING, PROVED, WRONG
from record.notebook import COLOURS, markdown_table
from record.runs import stored

ACCEPTED, REJECTED = COLOURS["PARITY"], COLOURS["FIRST"]
SAID = {"plain": "ordinary attention", "kept": "judged before", "shapes": "drawn"}  # in tables
CERTIFIED = [*((name, "plain") for name in LANGUAGES if name != "both symbols")]
CERTIFIED.append(("contains a 1", "log n"))
ENDLESS = 1e15  # symbols, of which CLS is no part that counts
CUTS = 9  # of a picture's cells, at most


def by_hand(bias: float) -> Judged:
    """One head that attends to CLS and to all symbols alike. Its value is +1 for a 1, -1 for a 0
    and 0 for CLS, and the output adds a bias: (ones - zeros) / (n + 1) + bias.
    """
    value = torch.tensor([[-1.0], [1.0], [0.0]], dtype=torch.float64)  # of 0, of 1, of CLS
    none, nothing = torch.zeros(1, 1, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)
    one = torch.ones(1, 1, dtype=torch.float64)
    alike, through = Linear(none, nothing), Linear(one, nothing)
    layer = TrainedLayer(alike, alike, through, through, None, None, (None, None))
    output = Linear(one, torch.tensor([bias], dtype=torch.float64))
    network = TrainedNetwork(value, (layer,), output, 1, "identity", True, False)
    return Judged(network, {"0": 0, "1": 1}, Positive(), before=(2,), read_at="first")


def results() -> dict[tuple[str, int, str], dict]:
    """What was found of the networks, by language, layers and scale of the logits."""
    return stored("how_long").by("language", "layers", "scale")


def kept(language: str, scale: str = "plain", layers: int = 1) -> Judged:
    """The first of the networks that were trained."""
    return unpacked(results()[language, layers, scale]["weights"], layers, scale)


def of_kind(layers: int, scale: str, *languages: str) -> list[dict]:
    """The verdicts on networks of a kind, for some languages or for all."""
    known = languages or tuple(LANGUAGES)
    return [one for name in known for one in results()[name, layers, scale]["verdicts"]]


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


def verdict_table(groups: dict[tuple[str, str], list[dict]]) -> Markdown:
    """What was found of groups of networks, each of a language and of a kind."""
    rows = []
    for (language, kind), verdicts in groups.items():
        errors = first_errors(verdicts)
        later = number(verdicts, WRONG) - len(errors)
        always = [one["always"] for one in verdicts if one["always"] is not None]
        first = f"{errors[0]:,} to {errors[-1]:,}" if errors else "–"
        first += f", {later} later" if later else ""
        since = f"{len(always)}, from {min(always):,} to {max(always):,}" if always else "–"
        counts = number(verdicts, PROVED), number(verdicts, WRONG), early(verdicts)
        counts += (number(verdicts, EACH_STRING), first, since)
        rows.append((language, SAID.get(kind, kind), *counts))
    head = ("language", "networks", "right at every length", "wrong", "early", "open")
    return markdown_table((*head, "first errors", "wrong at every length"), rows)


def summary_table() -> Markdown:
    """How many networks of each kind err, early or later, are proved right, or are open."""
    both, single = "both symbols", "contains a 1"
    others = [name for name in LANGUAGES if name not in (both, single)]
    groups = {
        "one layer, ordinary attention": of_kind(1, "plain"),
        "two layers, ordinary attention": of_kind(2, "plain"),
        f"one layer, log n, *{single}*": of_kind(1, "log n", single),
        f"one layer, log n, *{both}*": of_kind(1, "log n", both),
        "one layer, log n, the other languages": of_kind(1, "log n", *others),
        "two layers, log n": of_kind(2, "log n"),
    }
    groups["together"] = [one for verdicts in groups.values() for one in verdicts]
    drawn = [one for name in LANGUAGES for one in sixty()[name, "shapes"]]
    scaled = [one for one in drawn if at_random(one["number"]).network.log_n]
    groups["drawn shapes, ordinary attention"] = [one for one in drawn if one not in scaled]
    groups["drawn shapes, log n"] = scaled
    rows = []
    for name, some in groups.items():
        right, left = number(some, PROVED), number(some, EACH_STRING)
        later = number(some, WRONG) - early(some)
        rows.append((name, len(some), early(some), later, right, left))
    head = (f"err up to {TRAINED_TO} symbols", "err only later", "right at every length", "open")
    return markdown_table(("networks", "trained", *head), rows)


def of_layers(layers: int) -> dict[tuple[str, str], list[dict]]:
    """The networks of so many layers by language and scale of the logits."""
    both = [(language, scale) for scale in ("plain", "log n") for language in LANGUAGES]
    return {(one, scale): of_kind(layers, scale, one) for one, scale in both}


def sixty() -> dict[tuple[str, str], list[dict]]:
    """The kept networks of all kinds, and those of shapes that were drawn, by language."""
    found = stored("every_shape").by("language").items()
    return {(name, part): found[part] for name, found in found for part in ("kept", "shapes")}


def certificate_table() -> Markdown:
    """The certificates of kept networks that the second program has just accepted."""
    head = ("language", "attention", "cells", "right up to", "errors at every length from")
    rows = []
    for language, scale in CERTIFIED:
        network = kept(language, scale)
        found = certificate(network, language)
        checker.hold_certificate(arrays(network), found)
        always = found["always"] and found["always"]["start"]
        reach = "every length" if found["classes"] else f"{found['reach']:,}"
        rows.append((language, SAID.get(scale, scale), len(found["signs"]), reach, always or "–"))
    return markdown_table(head, rows)


def hahn_constant(judged: Judged) -> float:
    """How far the score of a network of one layer, read at CLS, moves at most, times n, when one of
    n symbols is changed; in plain floats, so that rounding is not in it.
    """
    network, [layer] = judged.network, judged.network.layers
    x = network.word[[*judged.tokens.values(), *judged.before]]
    q, k, v = (x @ part.weight + part.bias for part in (layer.q, layer.k, layer.v))
    logits = k @ q[-1] / len(k.T) ** 0.5
    heard = 2 * (logits.max() - logits.min()).exp() * torch.cdist(v, v).max()
    maps = (layer.o, layer.first, layer.second, network.output)
    o, first, second, output = (norm_bound(map_.weight) for map_ in maps if map_)
    steep = [norm.gain.abs().max() / norm.eps**0.5 for norm in layer.norms if norm]
    return float(heard * o * steep[0] * (1 + first * second) * steep[1] * output)


def hahn_table() -> Markdown:
    """From which length Hahn's lemma says that kept networks err, in plain floats, and from which
    they do.
    """
    rows = []
    for language in LANGUAGES:
        network, [verdict, *_] = kept(language), results()[language, 1, "plain"]["verdicts"]
        border, beside = SHARES.get(language, 0), 2 if language == "at least two 1s" else 1
        constant, [reading] = hahn_constant(network), readings(network)
        limit = float(scores(reading, ENDLESS * np.array([[1 - border, border]])))
        says = (beside + 1 / 2) * constant / abs(limit)
        first = f"{verdict['reach'] + 1:,}"
        numbers = (f"{constant:.3g}", f"{limit:.3g}", f"{says:.2e}", f"{verdict['always']:,}")
        rows.append((language, *numbers, first))
    head = ("language", "K", "limit", "Hahn's lemma, floats", "cells, counts", "first error")
    return markdown_table(head, rows)


def cells(judged: Judged, low: tuple, high: tuple) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A box of shares of 1s and of z, cut until each cell has a sign, or is small: lower ends,
    upper ends, (cells, 2), and signs.
    """
    [reading] = readings(judged)
    # Sides are the share of the first symbol, 0, and z.
    begin = np.array([[1 - high[0], low[1]]]) * ONE, np.array([[1 - low[0], high[1]]]) * ONE
    ends = tuple(part.astype(np.int64) for part in begin)
    found = []
    for cut in range(CUTS + 1):
        signs, side = reading.of_cells(*ends)
        left = (signs == 0) & (cut < CUTS)
        found.append((ends[0][~left], ends[1][~left], signs[~left]))
        if not left.any():
            break
        # Pictures are cut across both sides in turn.
        ends = halves(ends[0][left], ends[1][left], np.full(left.sum(), cut % 2))
    lower, upper, signs = (np.concatenate(part) for part in zip(*found, strict=True))
    return lower / ONE, upper / ONE, signs


def draw_cells(axis: Axes, judged: Judged, low: tuple, high: tuple) -> None:
    """Draws the cells of a box, by what is proved of each."""
    lower, upper, signs = cells(judged, low, high)
    corners = [
        [(1 - b[0], a[1]), (1 - a[0], a[1]), (1 - a[0], b[1]), (1 - b[0], b[1])]
        for a, b in zip(lower, upper, strict=True)
    ]
    colours = [{1: ACCEPTED, -1: REJECTED, 0: "#999999"}[sign] for sign in signs.tolist()]
    look = {"facecolors": colours, "edgecolors": "white", "linewidths": 0.3, "alpha": 0.6}
    axis.add_collection(PolyCollection(corners, **look))


def square_figure() -> Figure:
    """All strings in a square: a network by hand, and a trained one near the border, in cells."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(6.4, 3.4))
    z = np.linspace(0, 1, 50)
    own = (1 + (1 + z) / 10) / 2  # where the score of by_hand(-1/10) is 0
    left.fill_betweenx(z, own, 1, color=ACCEPTED, alpha=0.45, linewidth=0)
    left.fill_betweenx(z, 0, own, color=REJECTED, alpha=0.45, linewidth=0)
    n = np.concatenate([np.full(length + 1, length) for length in range(1, 25)])
    ones = np.concatenate([np.arange(length + 1) for length in range(1, 25)])
    left.plot(ones / n, 1 / n, ".", color="#222222", markersize=2)
    for x, decision in ((0.25, "reject"), (0.8, "accept")):
        left.text(x, 0.7, decision, ha="center")
    left.set(title="by hand, bias −1/10", xlim=(0, 1), ylim=(0, 1))
    draw_cells(right, kept("MAJORITY"), (0.4375, 0.0), (0.5625, 1 / 32))
    right.set(title="trained, near the border", xlim=(0.4375, 0.5625), ylim=(0, 1 / 32))
    right.set(
        xticks=[0.45, 0.5, 0.55], yticks=[0, 1 / 100, 1 / 50], yticklabels=["0", "1/100", "1/50"]
    )
    for axis in (left, right):
        axis.axvline(0.5, color="#222222", linestyle="--", linewidth=1.2)
        axis.set(xlabel="share of 1s", ylabel="1 / length")
    return figure


def lengths_figure() -> Figure:
    """The first errors of all networks of one layer, and which have none."""
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.2), sharey=True)
    names = [*LANGUAGES][::-1]
    for axis, scale in zip(axes, ("plain", "log n"), strict=True):
        for row, language in enumerate(names):
            verdicts = results()[language, 1, scale]["verdicts"]
            errors = first_errors(verdicts)
            axis.plot(errors, [row] * len(errors), "|", color=REJECTED, markersize=14)
            known = {
                "early": early(verdicts),
                "right": number(verdicts, PROVED),
                "open": number(verdicts, EACH_STRING),
                "later": number(verdicts, WRONG) - len(errors),
            }
            says = [f"{count} {word}" for word, count in known.items() if count]
            axis.text(2e5, row, "\n".join(says), ha="right", va="center", fontsize=8)
        axis.axvline(TRAINED_TO, color="#777777", linestyle=":", linewidth=1)
        axis.set(
            xscale="log",
            xlim=(0.8, 3e5),
            title=SAID.get(scale, "logits times log n"),
        )
        axis.set(xlabel="length of the first error", yticks=range(len(names)), yticklabels=names)
    return figure
