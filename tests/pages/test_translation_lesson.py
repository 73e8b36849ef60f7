"""What the page on translation tells follows from the stored runs, as the records have it."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from chapters.pages.translation import lesson
from chapters.pages.translation.figures import layer_figure
from chapters.pages.translation.wording import behind
from record.claims import recorded
from record.experiments.translation.bleu import compared
from record.experiments.translation.settings import MEAN
from record.runs import stored


@pytest.fixture(autouse=True)
def _no_figures():
    yield
    plt.close("all")


def test_what_helps_is_what_the_records_say():
    found = [
        claim
        for chapter in recorded()
        for claim in chapter["claims"]
        if claim["row"] == "C Table 1" and "short to long" in claim["quantity"]
    ]
    met = [claim for claim in found if claim["here"].endswith("; met")]
    assert lesson.helped() == (8, 0) and lesson.helped(MEAN) == (5, 0) and not met
    assert len(found) > 8


def test_log_n_nearly_catches_up_but_where_vectors_are_rescaled_after_each_step():
    for name, (_, norm) in lesson.TO_THE_STOP.items():
        run = stored(f"translation_{name}")
        assert {row["configuration"]["norm_first"] for row in run.results} == {norm == "before"}
        early, kept = behind(run)
        assert lesson.interval(early)[0] > 0
        assert (np.mean(kept) < np.mean(early) / 2) == (norm == "before")
        low, high = lesson.interval([*compared(run.results, "all", "log n").gain])
        assert (high < 0) == (norm == "after") and (low < 0 < high) == (norm == "before")
    mean = compared(run.results, "all", MEAN).gain  # with post-norm
    assert abs(np.mean(behind(run, MEAN)[1])) < 0.01 and abs(mean.mean()) < 0.2


def test_the_figure_follows_every_start_to_the_first_stop():
    before, after = lesson.behind_figure().axes
    assert (len(before.lines), len(after.lines)) == (10 + 4, 5 + 2)  # two dashed for each run
    [line] = [line for line in after.lines if len(line.get_xdata()) == 36]
    row = stored("translation_iwslt15_post_norm").results[0]["result"]["systems"]
    gaps = np.subtract(row["log n"]["dev_losses"][:36], row["baseline"]["dev_losses"])
    assert line.get_ydata() == pytest.approx(gaps)


def test_when_a_training_stops_is_partly_chance_and_bleu_goes_with_it():
    took, known = (
        [
            [len(row["result"]["systems"][one]["dev_losses"]) for one in row["result"]["systems"]]
            for row in stored(f"translation_{name}").results
            if row["configuration"]["split"] == "all"
        ]
        for name in ("iwslt15_residuals", "iwslt15")
    )
    stops = [(there[0], here[0]) for there, here in zip(known, took, strict=True)]
    assert stops == [(31, 56), (21, 21), (24, 19), (38, 29), (42, 45)]
    for place, connection in enumerate(lesson.LEFT_OUT):
        more = [epochs[1 + place] - epochs[0] for epochs in took]
        gain = lesson.without("iwslt15_residuals", connection).gain
        assert np.corrcoef(more, gain)[0, 1] > 0.9


def test_the_losses_that_are_alike_are_so_at_every_seed():
    losses = lesson.last_losses()
    assert abs(losses["log 16"] - losses["log n"]) < lesson.within() < 0.03
    assert losses["log n"] - losses["baseline"] > 4 * lesson.within()


def test_the_loss_settles_which_connection_is_missed_more():
    for name in ("iwslt15_residuals", "ted_residuals"):
        assert (lesson.without(name, "decoder-encoder").gain < 0).all()
        run = stored(f"translation_{name}")
        source, own = (behind(run, f"no {one} residual")[1] for one in lesson.LEFT_OUT)
        low, high = lesson.interval(own)
        assert low < 0 < high < min(source)
        apart = behind(run, *(f"no {one} residual" for one in lesson.LEFT_OUT))[1]
        assert lesson.interval(apart)[0] > 0.09


def test_the_layer_has_three_steps_and_two_places_to_rescale_around_each():
    figure = layer_figure()
    figure.draw_without_rendering()
    [axis] = figure.axes
    steps = [text for text in axis.texts if text.get_text()[:1] in ("1", "2", "3")]
    sums = [text for text in axis.texts if text.get_text() == "+"]
    bars = sorted((bar.get_y() for bar in axis.patches), reverse=True)
    for place, (step, plus) in enumerate(zip(steps, sums, strict=True)):
        before, after = bars[2 * place : 2 * place + 2]
        assert before > step.get_position()[1] > plus.get_position()[1] > after
    assert len(steps) == 3 and len(bars) == 6


def test_a_figure_has_every_seed_and_names_its_variants():
    [axis] = lesson.residuals_figure().axes
    dots = [line for line in axis.lines if line.get_marker() == "o"]
    assert len(dots) == 6 and sum(len(line.get_xdata()) for line in dots) == 26
    assert [" ".join(text.get_text().split()) for text in axis.texts] == [*lesson.LEFT_OUT.values()]
    figure = lesson.long_figure()
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "the paper's gain with log n, in proportion"
    ]
    [axis] = figure.axes
    marks = [line for line in axis.lines if line.get_linestyle() == "--" and len(line.get_xdata())]
    bases = [lesson.from_short_to_long(run).baseline.mean() for run in ("iwslt15", "ted")]
    assert [mark.get_xdata()[0] for mark in marks] == pytest.approx(
        [base / 11.4 for base in bases for _ in range(2)]
    )


def test_no_interval_of_the_figure_excludes_none_or_the_papers_share():
    for (name, _), found in lesson.comparisons().items():
        if lesson.OF_LOG_N[name].startswith("talks"):
            low, high = lesson.interval([*found.gain])
            assert low < 0 < lesson.PRINTED["log n"] * found.baseline.mean() < high
    for name in ("iwslt15", "ted"):
        found = lesson.from_short_to_long(name, MEAN)
        low, high = lesson.interval([*found.gain])
        assert low < 0 < lesson.PRINTED["log n"] * found.baseline.mean() < high


def test_every_residual_run_rescales_before_each_step():
    for name in (*lesson.RESIDUALS.values(), "deeper"):
        rows = stored(f"translation_{name}").results
        assert all(row["configuration"]["norm_first"] for row in rows)


def test_every_comparison_is_in_the_table():
    lines = lesson.comparisons_table().data.splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")]
    assert len(rows) == 2 + lesson.helped()[0] == 10
    assert rows[2] == [
        "talks into Vietnamese",
        "before",
        "17 to 32",
        "2.6",
        "+0.13",
        "-0.23 to +0.49",
    ]
    below = [row[0] for row in rows[2:] if row[5].count("-") == 2]
    assert below == ["captions", "captions, wide"]
    captions = [row for row in rows if row[0].startswith("captions")]
    assert len(captions) == 4 and all(row[4].startswith("-") for row in captions)
    assert max(int(row[2]) for row in captions) == 10
    assert [f"{value:.1f}" for value in lesson.captions_bleu()] == ["17.1", "23.6"]


def test_only_into_french_the_two_connections_stay_apart():
    for name in lesson.RESIDUALS.values():
        (_, most), (least, _) = (
            lesson.interval([*lesson.without(name, one).gain]) for one in lesson.LEFT_OUT
        )
        assert (most < least) == (name == "ted_residuals")
    gains = lesson.without("multi30k", "decoder-decoder").gain
    assert sum(gain > 0 for gain in gains) == 2 and len(gains) == 3
