"""What a variant adds to BLEU is drawn as it is stored, beside what the papers print; the criteria
are those that their rules say.
"""

import json

import matplotlib.pyplot as plt
import numpy as np
import pytest

from chapters.pages.provenance import settings_table
from chapters.pages.translation.figures import gains_figure
from record.experiments.translation.bleu import (
    CRITERIA,
    Comparison,
    interval,
    significant_seeds,
)
from record.experiments.translation.settings import MEAN
from record.rows import check_row
from record.runs import RESULTS, Stored, stored


@pytest.fixture(autouse=True)
def _no_figures():
    yield
    plt.close("all")


def run(name: str, norm_first: bool, **gains) -> Stored:
    """A stored run whose baseline has 10 BLEU, with these gains by split and seed."""
    rows = [
        {
            "configuration": dict(
                split=split, seed=seed, variants=["baseline", "log n"], norm_first=norm_first
            ),
            "result": {
                "systems": {
                    "baseline": dict(bleu=10.0, confidence=1.0, p=None),
                    "log n": dict(bleu=10 + gain, confidence=1.0, p=0.5),
                }
            },
        }
        for split, values in gains.items()
        for seed, gain in enumerate(values)
    ]
    return Stored(f"translation_{name}", rows, {})


def test_the_figure_shows_every_seed_its_interval_and_the_printed_value():
    runs = [
        run("ted", True, **{"all": [1.0, 2.0, 3.0], "short to long": [-1.0, 1.0]}),
        run("ted_post_norm", False, **{"all": [0.5, 0.7]}),
    ]
    figure = gains_figure(runs, ["log n", MEAN])
    everything, longer = figure.axes
    assert [text.get_text() for text in everything.get_yticklabels()] == [
        "talks, En-Fr\n(pre-norm)",
        "talks, En-Fr\n(post-norm)",
    ]
    seeds = [list(line.get_xdata()) for line in everything.lines if line.get_marker() == "o"]
    assert seeds == [pytest.approx([1, 2, 3]), pytest.approx([0.5, 0.7])]
    # the mean 2, the standard error 1 / sqrt(3) and Student's 4.303 with two degrees of freedom
    assert list(everything.lines[1].get_xdata()) == pytest.approx(
        [2 - 4.303 / 3**0.5, 2 + 4.303 / 3**0.5]
    )
    dashed = {
        axis: [line.get_xdata()[0] for line in axis.lines if line.get_linestyle() == "--"]
        for axis in (everything, longer)
    }
    assert dashed == {everything: [-0.1], longer: [1.0]}  # table 1: 32.5 - 32.6, 12.4 - 11.4
    assert len([line for line in longer.lines if line.get_marker() == "o"]) == 1


def test_the_figure_works_from_the_stored_runs_there_are():
    runs = [stored(f"translation_{name}") for name in ("multi30k", "generated", "scales")]
    everything, longer = gains_figure(runs, ["log n"]).axes
    data = json.loads((RESULTS / "translation_multi30k.json").read_text(encoding="utf-8"))[
        "results"
    ]
    expected = [
        systems["log n"]["bleu"] - systems["baseline"]["bleu"]
        for row in data
        if row["configuration"]["split"] == "all"
        for systems in [row["result"]["systems"]]
    ]
    assert list(everything.lines[0].get_xdata()) == pytest.approx(expected)
    assert len(everything.get_yticklabels()) == 3
    assert len([line for line in longer.lines if line.get_marker() == "o"]) == 3
    residuals = ["no decoder-encoder residual", "no decoder-decoder residual"]
    [axis] = gains_figure([stored("translation_deeper")], residuals).axes
    printed = [line.get_xdata()[0] for line in axis.lines if line.get_linestyle() == "--"]
    assert sorted(printed) == [-8.8, -7.0, -2.3, -1.6]  # table 2, De-En and En-Vi


def test_an_interval_holds_the_mean_of_19_draws_of_20():
    draw = np.random.default_rng(0)
    for seeds in (2, 3, 5, 10):
        drawn = draw.normal(1.5, 2.0, size=(4000, seeds))
        held = [low <= 1.5 <= high for low, high in (interval([*row]) for row in drawn)]
        assert np.mean(held) == pytest.approx(0.95, abs=0.012)
    for wrong in ([1.0], [1.0] * 11):
        with pytest.raises(ValueError, match=f"2 to 10 differences are expected, not {len(wrong)}"):
            interval(wrong)


def comparison(*gains, p=0.5) -> Comparison:
    values = np.array(gains, float)
    return Comparison(np.zeros(len(values)), values, np.full(len(values), p), 1.0)


@pytest.mark.parametrize(
    "split, variant, gains, p, agrees",
    [
        ("all", "log n", (0.1, -0.3, 0.2), 0.5, True),
        ("all", "log n", (0.1, -0.3, 0.2), 0.001, False),
        ("all", "log n", (0.9, 0.8, 0.9), 0.5, False),
        ("short to long", "log n", (0.9, 0.8, -0.1), 0.001, True),
        ("short to long", "log n", (0.9, 0.8, -0.1), 0.02, False),
        ("short to long", MEAN, (-0.9, 0.2, 0.1), 0.001, False),
        ("all", "no decoder-encoder residual", (-6.5, -7.5), 0.001, True),
        ("all", "no decoder-encoder residual", (-6.5, -6.9), 0.001, False),
        ("all", "no decoder-decoder residual", (-1.5, -1.7), 0.5, True),
    ],
)
def test_a_criterion_decides_as_its_rule_says(split, variant, gains, p, agrees):
    criterion = next(c for c in CRITERIA if (c.split, c.variant) == (split, variant))
    assert criterion.agrees(comparison(*gains, p=p)) == agrees


def test_a_p_value_is_counted_as_it_was_before_it_was_rounded():
    rounded = [round(parts / 1001, 4) for parts in (1, 10, 11)]  # 10 / 1001 is stored as 0.01
    assert rounded[1] == 0.01
    found = [comparison(0.0, p=p) for p in rounded]
    assert [significant_seeds(one) for one in found] == [1, 1, 0]


def test_criteria_name_rows_of_the_scorecard():
    assert {check_row(criterion.row)["place"] for criterion in CRITERIA} == {
        "C Table 1",
        "B Table 2",
    }
    assert all((c.printed is None) == (c.variant == MEAN) for c in CRITERIA)


def test_settings_stand_beside_the_toolkits():
    table = settings_table([stored("translation_multi30k")]).data.splitlines()
    rows = {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ")[1:] for line in table}
    assert rows["setting"] == ["toolkit", "multi30k"]
    assert rows["layer normalization"] == ["pre-norm", "pre-norm"]
    assert rows["layers a side"] == ["6", "1"] and rows["dropout"] == ["0.3", "0"]
    assert rows["label smoothing"] == ["0.1", "0.1"] and rows["steps of warm-up"] == ["0", "300"]
    both = settings_table([stored("translation_multi30k_norms")]).data
    assert "| layer normalization | pre-norm | pre-norm, post-norm |" in both
