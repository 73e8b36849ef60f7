"""Pictures of tapes hold what the machine's run holds."""

import matplotlib.pyplot as plt
import pytest

from chapters.pages.turing_completeness.figures import (
    bits_figure,
    gap_figure,
    gate_figure,
    grid_figure,
    outputs_table,
    space_time_figure,
    step_figure,
    tape_of,
    tape_slider,
)
from lib.turing.architecture import vanilla
from lib.turing.compilation import stack_rnn
from lib.turing.machines import BUSY_BEAVER_4, INCREMENT


def test_the_tape_of_a_run_by_hand():
    tape = tape_of(INCREMENT, list(INCREMENT.run("11")))
    assert tape.left == -1 and tape.heads == [0, 1, 2, 1, 0, -1, -1]
    assert tape.symbols == ["_11_", "_11_", "_11_", "_11_", "_10_", "_00_", "100_"]


def test_the_head_reads_what_the_configuration_says():
    run = list(BUSY_BEAVER_4.run(""))
    tape = tape_of(BUSY_BEAVER_4, run)
    for now, head, row in zip(run, tape.heads, tape.symbols, strict=True):
        assert row[head - tape.left] == (now.right[:1] or "0") and row.strip("0") == (
            now.left + now.right
        ).strip("0")
    assert len({len(row) for row in tape.symbols}) == 1


def test_the_diagram_holds_every_step_and_symbol():
    run = list(INCREMENT.run("1011"))
    figure = space_time_figure({"one": (INCREMENT, run), "two": (INCREMENT, run)})
    for axis in figure.axes:
        [image], [head, *symbols] = axis.images, axis.lines
        assert image.get_array().shape == (len(run), len(tape_of(INCREMENT, run).symbols[0]))
        assert list(head.get_ydata()) == list(range(len(run))) and [
            line.get_label() for line in symbols
        ] == ["0", "1"]
    plt.close(figure)


def test_the_slider_shows_each_step_s_tape_head_and_stacks():
    run, registers = list(INCREMENT.run("11")), [(k / 10, 0.24) for k in range(7)]
    figure = tape_slider(INCREMENT, run, registers)
    steps, tape = figure.layout.sliders[0].steps, tape_of(INCREMENT, run)
    assert len(steps) == len(run)
    for k, step in enumerate(steps):
        shown, layout, traces = step.args
        assert list(traces) == [0, 1, 2] and [list(row) for row in shown["z"][0]] == [
            ["_01".index(symbol) for symbol in tape.symbols[k]]
        ]
        assert list(shown["x"][1]) == [tape.heads[k]] and run[k].state in layout["xaxis.title.text"]
        assert [list(row) for row in shown["text"][2]] == [[f"{k}" if k else "", ""], ["2", "4"]]
        assert [list(row) for row in shown["z"][2]] == [[k / 2, 0], [1, 2]]


def test_outputs_as_a_table():
    model = vanilla(stack_rnn(INCREMENT))
    table = outputs_table(model, "1", steps=3).data.splitlines()
    assert table[0] == "| coordinate | $y_{0}$ | $y_{1}$ | $y_{2}$ |" and len(table) == 2 + len(
        model.space
    )
    assert "| `x₁` | 1 | 2 | 3 |" in table
    without = outputs_table(model, "1", steps=3, zeros=False).data.splitlines()
    assert without == [row for row in table if not row.endswith("| 0 | 0 | 0 |")]
    assert "| `x₂` | 1 | 1 | 1 |" in without and len(without) < len(table)


def test_a_unit_s_slope_lies_between_the_bands():
    figure = gap_figure()
    [axis] = figure.axes
    line, *dots = axis.lines
    bands = [band.get_xy()[0] for band in axis.patches]
    assert bands == [0, 2, 4] and {band.get_width() for band in axis.patches} == {1}
    assert list(line.get_xdata())[1:3] == [3, 4]
    assert [float(dot.get_ydata()[0]) for dot in dots] == [1, 0]
    plt.close(figure)


def test_the_slider_writes_the_digits_that_there_are():
    run = list(INCREMENT.run("11"))
    figure = tape_slider(INCREMENT, run, [(0.4044, 0.0)] * len(run))
    assert [list(row) for row in figure.data[2].text] == [["4", "0", "4", "4"], [""] * 4]


def test_the_grid_holds_the_run_and_three_arrows():
    figure = grid_figure(INCREMENT, "1", marked=(1, 1))
    [axis] = figure.axes
    arrows = [text for text in axis.texts if getattr(text, "arrow_patch", None)]
    said = [text.get_text() for text in axis.texts if text not in arrows]
    rows = [said[k : k + 9] for k in range(0, len(said), 9)]
    assert [row[4] for row in rows] == ["right\n1", "1", "carry\n1", "0", "0"]
    assert rows[1][5] == "right\n_" and rows[3][3] == "carry\n_" and rows[4][3] == "accept\n1"
    assert [arrow.xyann[0] for arrow in arrows] == [0, 1, 2]
    dotted = [cell.get_linestyle() == ":" for cell in axis.patches]
    assert sum(dotted) == 8 + 6 + 4 + 2  # those that the head cannot have reached
    plt.close(figure)


@pytest.mark.parametrize(
    ("place", "new", "decision", "scores"),
    [
        (24, "0", "mean ½\n$d$ = ½ − ¾ = −¼", ["−3¾", "−8", "−4¼"]),  # right? AND 1?
        (23, "1", "mean 1\n$d$ = 1 − ¾ = ¼", ["−4¼", "−8", "−3¾"]),  # right? AND 0?
        (9, "1", "mean 1\n$d$ = 1 − ¾ = ¼", ["−4¼", "−8", "−3¾"]),  # above 1½ AND below 2½
    ],
)
def test_a_gate_fetches_the_mark_that_it_delivers(place, new, decision, scores):
    figure = gate_figure(INCREMENT, "0", place, {2: "right?", place: "new"})
    [axis] = figure.axes
    said = [text.get_text() for text in axis.texts]
    arrows = [text for text in axis.texts if getattr(text, "arrow_patch", None)]
    squares = [text.get_text() for text in axis.texts if text.get_position()[1] == 3.3]
    assert squares[:3] == ["0", "1", "2"] and squares[place - 1 :] == [new] and decision in said
    assert [text.split("score ")[1] for text in said if "score " in text] == scores
    [bold] = [text.get_text() for text in axis.texts if text.get_weight() == "bold"]
    assert bold.startswith("token 1" if new == "0" else "token 3") and len(arrows) == 4
    plt.close(figure)


def test_the_bits_are_those_of_the_digits():
    figure = bits_figure(INCREMENT, "10", bits=5)
    said = [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    assert said == ["symbol '1'", *"100", "symbol '0'", *"010", "5 bits", "no room"]
    plt.close(figure)


def test_the_step_of_a_decoder_scores_each_token_by_its_distance():
    [axis] = step_figure().axes
    said = [text.get_text() for text in axis.texts]
    scores = [text.split("score ")[1].replace("−", "-") for text in said if "score " in text]
    assert [*map(int, scores)] == [-abs(token - 2) for token in range(1, 5)]
    arrows = [text for text in axis.texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == 7 and {"old $h$", "$x = 1$"} <= {*said}
    assert said.count("+") == 2 and "0 + ¼" in said
