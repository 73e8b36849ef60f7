"""Every figure that a page calls is drawn: each axis says what it shows, and no text is lost."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.axis import Tick
from matplotlib.figure import Figure
from matplotlib.text import Text

from chapters.common.feedforward import parity_network, train_parity
from chapters.common.palindrome_precision import DIVISIONS, ORDERS, TESTS
from chapters.pages import (
    every_length,
    ffnn_parity,
    formulas_to_transformers,
    layer_norm,
    learning_curves,
    log_n_scaling,
    parity_not_learned,
    strangers,
    which_log_n,
)
from chapters.pages import transformer_parity_first as chapter_2
from chapters.pages.counting_ablations import pictures
from chapters.pages.palindrome_precision import figures as palindrome
from chapters.pages.palindrome_precision.records import repeated_figure
from chapters.pages.the_map.pictures import padding_figure
from chapters.pages.translation import figures as translation
from chapters.pages.translation import lesson
from chapters.pages.turing_completeness import figures as turing
from lib import constructions
from lib.constructions.precision import FLOATS
from lib.learning.ensemble import Ensemble
from lib.learning.network import Member, Network
from lib.notebook import use_style
from lib.transformer import Encoder
from lib.turing.machines import ABC, BUSY_BEAVER_4, INCREMENT
from record.experiments.translation.model import MEAN
from record.runs import stored
from tests import ROOT

GRID = [[6, 6, 0], [3, 7, 0], [4, 3, 6]]
WAYS = list(product(("powers of 2", "exponentials"), DIVISIONS, ORDERS))
EPSILONS = layer_norm.EPSILONS
EDGE = 10  # pixels by which a text may stand beyond its figure: a page's figure is saved whole


@cache
def learned() -> log_n_scaling.Learned:
    return log_n_scaling.Learned.read()


def trace(w: str = "0110100", **settings):
    return Encoder(constructions.parity(), **settings).trace(w, weights=True)


def stream(**settings) -> Figure:
    found = trace(**settings)
    stages = {"after layer 1": found.a[1], "after layer 2": found.a[2]}
    return chapter_2.stream_figure(found.tokens[0], stages)


def confidence() -> Figure:
    found = {n: chapter_2.Confidence(1 - 1 / n, 1 / n) for n in (10, 20, 40)}
    return chapter_2.confidence_figure({"PARITY": found, "FIRST": found})


def marks() -> list[chapter_2.Marks]:
    return [chapter_2.Marks.read(row) for row in stored("parity_precision").results[:3]]


def depth() -> Figure:
    return chapter_2.depth_figure({7: 30, 8: 60}, {14: 900}, stored("parity_precision").results)


def reach_in_floats() -> Figure:
    lengths = dict.fromkeys(TESTS, 12)
    return palindrome.reach_figure({(d, *way): lengths for d in FLOATS for way in WAYS}, WAYS)


@cache
def laboratory() -> which_log_n.Laboratory:
    return which_log_n.Laboratory.read()


def reach() -> Figure:
    cells = [("FIRST", "FIRST", "none", factor) for factor in ("plain", "log n")]
    of_first = [(cell[-1], laboratory().found[cell], "far") for cell in cells]
    return which_log_n.reach_figure({"FIRST": of_first, "FIRST, again": of_first}, 2)


def sizes() -> Figure:
    rows = stored("counting_std").results + stored("counting_tables").results
    return pictures.sizes_figure({row["configuration"]["name"]: row for row in rows})


def counters() -> Figure:
    networks = Ensemble(Network("none", heads=2), [Member(seed, length=8) for seed in range(2)])
    return parity_not_learned.learned_figure(networks, 1, (8, 10))


def space_time() -> Figure:
    runs = {INCREMENT: "1011", BUSY_BEAVER_4: "", ABC: "aabbcc"}
    return turing.space_time_figure({m.name: (m, list(m.run(w))) for m, w in runs.items()})


def gains(*names: str, variants: list[str]) -> Figure:
    return translation.gains_figure([stored(f"translation_{name}") for name in names], variants)


RESIDUALS = ["no decoder-encoder residual", "no decoder-decoder residual"]
PLACES = {1: "", 2: "right?", 6: "blank?", 9: "0?", 12: "1?", 24: "right\nand 1?"}
FIGURES: dict[str, Callable[[], Figure]] = {  # as the pages call them, or with less data
    "thermometer_figure": lambda: ffnn_parity.thermometer_figure(parity_network(8)),
    "training_figure": lambda: ffnn_parity.training_figure(train_parity(4, range(3), "tanh", 20)),
    "cost_figure": lambda: ffnn_parity.cost_figure(range(1, 41), coefficients=52),
    "hat_figure": chapter_2.hat_figure,
    "heads_figure": lambda: chapter_2.heads_figure(trace("110"), mark=2),
    "heads_figure in bfloat16": lambda: chapter_2.heads_figure(trace(dtype=torch.bfloat16), 2),
    "confidence_figure": confidence,
    "drift_figure": chapter_2.drift_figure,
    "stream_figure": stream,
    "stream_figure in bfloat16": lambda: stream(dtype=torch.bfloat16),
    "marks_figure": lambda: chapter_2.marks_figure(marks()),
    "depth_figure": depth,
    "shifted_hat_figure": layer_norm.shifted_hat_figure,
    "step_figure of chapter 3": layer_norm.step_figure,
    "attention_bars": lambda: log_n_scaling.attention_bars([("6", 7.39, 5), ("9", 7.39, 8)]),
    "far_figure": lambda: log_n_scaling.far_figure(learned()),
    "share_figure": lambda: log_n_scaling.share_figure(learned()),
    "networks_figure": lambda: log_n_scaling.networks_figure(learned()),
    "runs_figure": lambda: log_n_scaling.runs_figure(learned()),
    "attention_figure": lambda: log_n_scaling.attention_figure(learned()),
    "epochs_figure": lambda: log_n_scaling.epochs_figure(learned()),
    "weights_figure": lambda: log_n_scaling.weights_figure(log_n_scaling.by_weights()),
    "counting_figure": lambda: pictures.counting_figure(GRID),
    "copy_figure": lambda: pictures.copy_figure(GRID, colour=6),
    "bent_figure": lambda: pictures.bent_figure(largest=4),
    "sizes_figure": sizes,
    "flattened_figure": lambda: pictures.flattened_figure((1e-3, 3e-4, 1e-5), 1e-5),
    "gap_figure": turing.gap_figure,
    "step_figure of chapter 6": turing.step_figure,
    "grid_figure": lambda: turing.grid_figure(INCREMENT, "0", marked=(2, 0)),
    "gate_figure": lambda: turing.gate_figure(INCREMENT, "0", 24, PLACES),
    "bits_figure": lambda: turing.bits_figure(INCREMENT, "10101", bits=11),
    "space_time_figure": space_time,
    "limit_figure": palindrome.limit_figure,
    "held_figure": palindrome.held_figure,
    "reach_figure of chapter 7": reach_in_floats,
    "repeated_figure": lambda: repeated_figure(stored("nowak_repeated")),
    "generalisation_figure": lambda: learning_curves.generalisation_figure(
        stored("one_generalisation")
    ),
    "tilt_figure": formulas_to_transformers.tilt_figure,
    "leak_figure": formulas_to_transformers.leak_figure,
    "distance_figure": formulas_to_transformers.distance_figure,
    "one_size_figure": lambda: formulas_to_transformers.one_size_figure("0110100110"),
    "sure_figure": lambda: formulas_to_transformers.sure_figure(
        (1, 2), {"one": (0.5, 1.0), "two": (0.1, 0.1), "three": (0.2, 0.2)}
    ),
    "lines_figure": which_log_n.lines_figure,
    "hard_figure": lambda: which_log_n.hard_figure(laboratory()),
    "reach_figure of chapter 9": reach,
    "padding_figure": lambda: padding_figure(5),
    "pairs_figure": every_length.pairs_figure,
    "walks_figure": every_length.walks_figure,
    "decision_figure": strangers.decision_figure,
    "rotation_figure": strangers.rotation_figure,
    "waves_figure": parity_not_learned.waves_figure,
    "sharpness_figure": lambda: parity_not_learned.sharpness_figure(
        {4: 1.0, 8: 20.0, 16: 300.0}, {4: np.array([0.1, 0.2]), 8: np.array([0.1])}
    ),
    "million_figure": lambda: parity_not_learned.million_figure(stored("parity_million")),
    "learned_figure": counters,
    "layer_figure": translation.layer_figure,
    "long_figure": lesson.long_figure,
    "residuals_figure": lesson.residuals_figure,
    "behind_figure": lesson.behind_figure,
    "gains_figure of factors": lambda: gains("multi30k", "scales", variants=["log n", MEAN]),
    "gains_figure of residuals": lambda: gains("deeper", "multi30k", variants=RESIDUALS),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_drawn_and_its_texts_are_seen(name):
    with plt.rc_context():
        use_style()
        figure = FIGURES[name]()
    figure.draw_without_rendering()
    frame = figure.bbox.padded(EDGE)
    titled = ("left", "center", "right")
    for axis in (one for one in figure.axes if one.get_label() != "<colorbar>"):
        names = axis.get_xlabel(), axis.get_ylabel(), *(axis.get_title(loc=at) for at in titled)
        is_drawing = not axis.axison or not len(axis.get_xticks())
        assert any(names) or is_drawing, "an axis without a word"
        assert axis.has_data() or axis.texts or axis.patches, "an empty axis"
    ticks = {text for tick in figure.findobj(Tick) for text in tick.findobj(Text)}
    for text in {*figure.findobj(Text)} - ticks:  # of ticks beyond an axis nothing is shown
        if text.get_text() and text.get_visible():
            box = text.get_window_extent()
            assert np.isfinite(box.get_points()).all() and "nan" not in text.get_text()
            assert frame.contains(*box.min) and frame.contains(*box.max), text.get_text()
    plt.close(figure)


def test_sliders_have_a_step_for_each_value_and_show_what_they_stand_at():
    names, run = ("PARITY", "FIRST"), list(INCREMENT.run("11"))
    bits = {one: one[1] * one[2] for one in product(names, EPSILONS, layer_norm.LENGTHS)}
    by_length, by_epsilon = layer_norm.slider_charts(bits)
    tape = turing.tape_slider(INCREMENT, run, [(k / 10, 0.24) for k in range(len(run))])
    for chart, steps in ((by_length, EPSILONS), (by_epsilon, layer_norm.LENGTHS), (tape, run)):
        [slider] = chart.layout.sliders
        assert len(slider.steps) == len(steps)
    for chart in (by_length, by_epsilon):
        [slider] = chart.layout.sliders
        shown = [step.args[0]["y"] for step in slider.steps]
        assert list(chart.data[0].y) == shown[slider.active][0] and shown[0] != shown[-1]


def test_every_figure_that_a_page_calls_is_among_them():
    made, called = set(), set()
    for path in (ROOT / "chapters").glob("pages/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.returns is not None:
                made |= {node.name} if ast.unparse(node.returns) == "Figure" else set()
    for path in (ROOT / "chapters").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called.add(getattr(node.func, "attr", getattr(node.func, "id", "")))
    assert made & called == {name.split()[0] for name in FIGURES}
