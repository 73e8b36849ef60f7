"""What the page on translation tells follows from the stored runs, as the records have it."""

import matplotlib.pyplot as plt
import pytest

from chapters.pages.translation import lesson
from chapters.pages.translation.figures import layer_figure
from chapters.pages.translation.residuals import costs_more, without_brevity
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


def test_log_n_catches_up_but_where_vectors_are_rescaled_after_each_step():
    for name, (_, norm) in lesson.TO_THE_STOP.items():
        run = stored(f"translation_{name}")
        early, kept = map(lesson.interval, behind(run))
        assert early[0] > 0 and (kept[0] > 0) == (norm == "after")
        low, high = lesson.interval([*compared(run.results, "all", "log n").gain])
        assert (high < 0) == (norm == "after")
        low, high = lesson.interval([*compared(run.results, "all", MEAN).gain])
        assert low < 0 < high
        norms = {row["configuration"]["norm_first"] for row in run.results}
        assert norms == {norm == "before"}
    rows = lesson.behind_table().data.splitlines()
    assert len(rows) == 2 + 3 and rows[2].endswith("-0.036 (-0.077 to +0.004) |")


def test_the_losses_that_are_alike_are_so_at_every_seed():
    losses = lesson.last_losses()
    assert abs(losses["log 16"] - losses["log n"]) < lesson.within() < 0.03
    assert losses["log n"] - losses["baseline"] > 4 * lesson.within()


def test_seeds_that_lose_without_a_connection_are_counted():
    for name, lost in (("iwslt15_residuals", 3), ("ted_residuals", 5)):
        encoder, decoder = (lesson.without(name, one) for one in lesson.LEFT_OUT)
        assert (encoder.gain < 0).all()
        more = sum(a < b for a, b in zip(encoder.gain, decoder.gain, strict=True))
        assert lesson.worse(name) == (5, lost, more)
    for name, more in (("iwslt15_residuals", 2), ("ted_residuals", 5)):
        assert costs_more(stored(f"translation_{name}"), without_brevity) == more


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
    shown, every = lesson.comparisons_table().data.split('<details class="lines">')
    telling, rows = (
        [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("|")]
        for part in (shown, every)
    )
    assert len(rows) == 2 + lesson.helped()[0] and "All 8 comparisons" in every
    lasting = {name for name, *_ in telling[2:] if name.startswith("talks")}
    assert lasting == {"talks into Vietnamese"} and telling[2] == rows[2]
    assert [row for row in rows if row[5].count("-") == 2] == telling[3:] and len(telling) == 5
    assert rows[2] == [
        "talks into Vietnamese",
        "before",
        "17 to 32",
        "2.6",
        "+0.13",
        "-0.23 to +0.49",
    ]
    captions = [row for row in rows if row[0].startswith("captions")]
    assert len(captions) == 4 and all(row[4].startswith("-") for row in captions)
    assert max(int(row[2]) for row in captions) == 10
    assert [f"{value:.1f}" for value in lesson.captions_bleu()] == ["17.1", "23.6"]
    assert lesson.later("iwslt15") == 4


def test_only_into_french_the_two_connections_stay_apart():
    for name in lesson.RESIDUALS.values():
        (_, most), (least, _) = (
            lesson.interval([*lesson.without(name, one).gain]) for one in lesson.LEFT_OUT
        )
        assert (most < least) == (name == "ted_residuals")
    gains = lesson.without("multi30k", "decoder-decoder").gain
    assert sum(gain > 0 for gain in gains) == 2 and len(gains) == 3
