"""Certificates of verdicts at every length: a second program accepts those of the search, and none
that was forged.
"""

from copy import deepcopy
from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from chapters.how_long.certificates import FORMS, arrays, certificate
from chapters.how_long.checker import ONE, hold_certificate, members, of_cells
from chapters.how_long.figures import kept
from chapters.how_long.runs import LANGUAGES
from lib.formulas.counts import Counted
from lib.formulas.text import formula
from lib.trained import Judged, logits
from tests import EVERYTHING


def rms(judged: Judged) -> Judged:
    """The network with RMS normalization in place of layer normalization, its output moved."""
    layers = [
        replace(layer, norms=tuple(norm and replace(norm, kind="rms") for norm in layer.norms))
        for layer in judged.network.layers
    ]
    return replace(judged, network=replace(judged.network, layers=tuple(layers)))


DEEP = "two layers"
NETWORKS = {
    "wrong from a length on": (kept("MAJORITY"), "MAJORITY"),
    "at another share": (kept("a third"), "a third"),
    "right at every length": (kept("contains a 1", "log n"), "contains a 1"),
    "an error under log n": (kept("a third", "log n"), "a third"),
    DEEP: (kept("MAJORITY", "plain", 2), "MAJORITY"),
    "RMS": (rms(kept("MAJORITY")), "MAJORITY"),
}


@cache
def certified(name: str) -> dict:
    """The certificate of a network, made where it is asked for, not where tests are collected."""
    if name == DEEP:
        return certificate(*NETWORKS[DEEP], 32) | {"always": None}  # the rest takes long
    return certificate(*NETWORKS[name])


SAYS = {  # beside its cells, which say up to which length strings are decided correctly
    "wrong from a length on": {"wrong", "always"},
    "at another share": {"wrong", "always"},
    "right at every length": {"classes"},
    "an error under log n": {"wrong"},
    DEEP: set(),
    "RMS": {"wrong", "always"},
}


@pytest.mark.parametrize("name", NETWORKS)
def test_certificates_of_the_search_are_accepted(name):
    said = certified(name)
    hold_certificate(arrays(NETWORKS[name][0]), said)
    assert {part for part in ("wrong", "always", "classes") if said[part]} == SAYS[name]
    assert said["reach"] > 0 and len(said["signs"]) > 0


def test_a_certificate_ends_where_strings_of_a_power_of_two_do():
    network = kept("ONE", "log n", 2)
    said = certificate(network, "ONE")
    hold_certificate(arrays(network), said)
    assert said["reach"] == 16 and sum(said["wrong"]) == 17


def forged(c: dict, rng: np.random.Generator) -> bool:
    """Forges a certificate in one of many ways; whether there is such a way with this one."""
    always, cells, by = c["always"], len(c["signs"]), int(rng.integers(1, ONE // 1000))
    cell, kind = int(rng.integers(cells)), int(rng.integers(12))
    match kind:
        case 0:  # without a cell
            for name in ("low", "high", "signs"):
                del c[name][cell]
        case 1:  # a cell moved at one end
            c[["low", "high"][rng.integers(2)]][cell][0] += int(rng.choice([-by, by]))
        case 2 if any(c["signs"]):
            c["signs"][rng.choice(np.flatnonzero(c["signs"]))] *= -1
        case 3 if len(c["language"]) == 1:  # all that is said of the language, of its complement
            c["language"] = [[-a for a in c["language"][0]]]
            c["language"][0][2] -= 1
            c["signs"], c["wrong"], c["always"] = [-sign for sign in c["signs"]], None, None
            if c["classes"]:
                c["classes"]["signs"] = [-sign for sign in c["classes"]["signs"]]
        case 4 if c["wrong"]:  # for longer strings, with a cell for them
            bottom, reach = ONE // c["reach"], c["reach"] + int(rng.integers(1, 9))
            c["low"] = [[x, max(z, bottom)] for x, z in c["low"]] + [[0, ONE // reach]]
            c["high"], c["reach"], c["wrong"] = [*c["high"], [ONE, bottom]], reach, None
            c["signs"].append(int(rng.integers(-1, 2)))
        case 5 if c["wrong"]:
            c["wrong"] = [sum(c["wrong"]) + int(rng.integers(2)), 0]
        case 6 if always:
            always["start"] -= int(rng.integers(1, 10))
        case 7 if always:  # without a length, or with a string that is decided correctly
            place = int(rng.integers(len(always["points"])))
            n = sum(always["points"].pop(place))
            if rng.integers(2):
                always["points"].insert(place, [n, 0])
        case 8 if always:
            always["sign"] *= -1
        case 9 if always:  # a border elsewhere
            share = always["step"][0] + int(rng.choice([-1, 1]))
            always["step"] = [share, len(always["bases"]) - share]
        case 10 if always:  # its box elsewhere
            by = (always["high"][0] - always["low"][0] + 1) * (-1 if always["low"][0] else 1)
            always["low"][0], always["high"][0] = always["low"][0] + by, always["high"][0] + by
        case 11 if c["classes"]:
            if rng.integers(2):
                c["classes"]["signs"][rng.integers(3)] *= -1
            else:
                c["classes"]["tokens"] = int(rng.choice([0, 1, 19, 100]))
        case _:
            return False
    return True


def test_a_thousand_forged_ones_are_refused():
    rng, refused, names = np.random.default_rng(13), 0, [*NETWORKS]
    while refused < (1_000 if EVERYTHING else 100):
        name = names[rng.integers(len(names))]
        c = deepcopy(certified(name))
        if forged(c, rng):
            with pytest.raises(ValueError, match="the certificate fails"):
                hold_certificate(arrays(NETWORKS[name][0]), c)
            refused += 1


@pytest.mark.parametrize(
    "said",
    [
        {"wrong": [0.25, 0.75]},  # a quarter of a 0: as an error of length 1 it would be one
        {"wrong": [-1, 2]},
        {"language": [[-(1 << 24), 0, 0]], "signs": [1]},  # no 0, whose factor times ONE is 0
        {"language": [[-1.5, 0, 0]]},
        {"reach": 4.5},
        {"high": [[float(ONE), ONE]]},
        {"always": {"start": 1, "points": [[0.25, 0.75]], "bases": [], "step": [0, 0]}},
    ],
)
def test_what_is_no_number_of_symbols_is_refused(said):
    network, box = arrays(kept("MAJORITY")), {"low": [[0, 0]], "high": [[ONE, ONE]]}
    weight, bias = network["output"]
    network["output"] = weight, bias + 1000  # it accepts everything
    whole = {"language": [[0, 0, 0]], "reach": 4, **box, "signs": [1], "wrong": None}
    hold_certificate(network, whole | {"always": None, "classes": None})
    if "wrong" in said or "always" in said:
        whole |= {"language": [[0, 0, -1]], "reach": 0}
    if always := said.get("always"):
        said = {"always": {**always, "low": [0, 0], "high": [ONE, ONE], "sign": 1}}
    with pytest.raises(ValueError, match="the certificate fails"):
        hold_certificate(network, whole | {"always": None, "classes": None} | said)


@pytest.mark.parametrize("name", ["step", "start"])
def test_several_numbers_in_the_place_of_one_are_refused(name):
    """Steps that add nothing would prove a single length each; and a start for each length, whose
    sum with its place is that length, every length that is left out.
    """
    said = deepcopy(certified("at another share"))
    always = said["always"]
    if name == "step":
        always["step"] = [always["step"], *[[0, 0]] * (len(always["bases"]) - 1)]
    else:
        del always["points"][1:7]
        lengths = [sum(counts) for counts in always["points"] + always["bases"]]
        always["start"] = [n - place for place, n in enumerate(lengths)]
    with pytest.raises(ValueError, match="the certificate fails"):
        hold_certificate(arrays(NETWORKS["at another share"][0]), said)


def test_a_certificate_of_another_network_is_refused():
    for one, other in permutations(NETWORKS, 2):
        if other == DEEP:  # that it is right to 32 symbols is true of others too
            continue
        with pytest.raises(ValueError, match="the certificate fails"):
            hold_certificate(arrays(NETWORKS[one][0]), certified(other))


def test_the_checker_reads_the_languages_as_the_formulas_say():
    counts = np.array([c for n in range(1, 30) for c in zip(range(n + 1), range(n, -1, -1))])
    for name, rows in FORMS.items():
        meant = Counted(formula(LANGUAGES[name], "01"), ("0", "1")).members(counts)
        assert (members(np.array(rows), counts) == meant).all()


@pytest.mark.parametrize("name", NETWORKS)
def test_the_checkers_intervals_hold_the_scores_of_strings(name):
    """Of narrow cells and wide ones, around the shares of a string."""
    rng, judged = np.random.default_rng(1), NETWORKS[name][0]
    for _ in range(40):
        n = int(rng.integers(2, 60))
        zeros = int(rng.integers(n + 1))
        by = rng.integers(1, ONE >> rng.integers(2, 30), (2, 2))
        at = np.array([ONE * zeros // n, ONE // n])
        low, high = np.maximum(at - by[0], 0), np.minimum(at + by[1], ONE)
        least, most = of_cells(arrays(judged), low[None], high[None])[:, 0, 0]
        said = float(logits(judged, ["0" * zeros + "1" * (n - zeros)]))
        assert not (said < least - 1e-9 or said > most + 1e-9)
