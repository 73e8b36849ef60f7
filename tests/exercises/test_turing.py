"""The judges of chapter 6's exercises find where wrong answers go wrong."""

from dataclasses import replace

import pytest

from chapters.common.judge import said
from chapters.common.turing import RNN, Sublayer, directional, one, stack_rnn, vanilla
from chapters.common.turing.machines import INCREMENT
from chapters.turing_completeness.exercises import QUARTERS
from lib.transformer import Form, Space


@pytest.mark.parametrize(
    "answer, begins",
    [
        ((8, 6), "B = 8 is too small."),
        ((32, 5), "B = 32 is too large."),
        ((16, 5), "5 is too few: 6 symbols, an a and then e's, are still exact."),
        ((16, 7), "7 is too many: 7 symbols, an a and then e's, are rounded."),
    ],
)
def test_6_1_says_which_number_is_off(answer, begins):
    assert said("6.1", (16, 6)) == "Exercise 6.1: right."
    assert said("6.1", answer).endswith(f"not yet: {begins}")


def changed(out, seed=None):
    """directional(QUARTERS) whose first feed-forward network writes `out` of what it wrote."""
    model = directional(QUARTERS)
    (own, across, feed), second = model.decoder
    kept = replace(feed.map, out=[row for row in feed.map.out if out(row[0])])
    model = replace(model, decoder=((own, across, Sublayer(kept)), second))
    return model if seed is None else replace(model, seed=model.space["x₁"] * seed)


def test_6_2_runs_the_transformer_in_float16():
    assert said("6.2", changed(lambda name: name != "x₁")) == (
        "Exercise 6.2: right for 300 steps, exactly and in float16, on every string to length 4, "
        "and in float16 for 3,100 steps on the string 1."
    )
    assert said("6.2", directional(QUARTERS)).endswith(
        "not yet: in float16, on 1, h is wrong at step 25."
    )
    assert said("6.2", changed(lambda name: name != "⟦$⟧₁")).endswith(
        "not yet: in exact rationals, on 1, h is wrong at step 3."
    )
    nothing_for_the_end = changed(lambda name: name != "x₁", seed=0)
    assert "in exact rationals, on 1, h is wrong at step 3" in said("6.2", nothing_for_the_end)
    assert "no directional transformer" in said("6.2", vanilla(QUARTERS))
    with_positions = replace(
        changed(lambda name: name != "x₁"), position={one: QUARTERS.hidden["h"]}
    )
    assert "no directional transformer" in said("6.2", with_positions)


@pytest.mark.parametrize(
    "steps, says",
    [
        (128, "in exact rationals, on 1, h is wrong at step 129"),
        (2048, "in float16, on 1, h is wrong at step 2049"),
        (
            4095,
            "Exercise 6.2: right",
        ),  # in float16 it is 2^-12, and 1 - 2^-12 is 1: it never runs out
    ],
)
def test_6_2_runs_longer_than_equal_steps_of_float16_last(steps, says):
    """x₁ from 1 down by 1/steps."""
    model = directional(QUARTERS)
    (own, across, feed), second = model.decoder
    units = [*feed.map.hidden[0], ("+x₁", model.space["x₁"]), ("one", Form() + 1)]
    down = Space("one")["one"] / -steps
    out = [row for row in feed.map.out if row[0] not in ("x₁", "⟦$⟧₁")]
    out += [("x₁", down), ("⟦$⟧₁", Space("+x₁")["+x₁"] / 2)]
    kept = replace(feed.map, hidden=[units], out=out)
    slow = replace(model, decoder=((own, across, Sublayer(kept)), second))
    assert says in said("6.2", slow)


def test_6_3_runs_what_is_given_against_it():
    assert said("6.3", "proved") == "Exercise 6.3: right."
    assert "then show it: give an RNN" in said("6.3", "refuted")
    for rnn, strings in ((QUARTERS, 3), (stack_rnn(INCREMENT), 7)):
        assert said("6.3", rnn).endswith(
            "not yet: as printed it gives that RNN's hidden states for 40 steps, "
            f"on {strings} strings to length 2."
        )
    x = QUARTERS.inputs["x"]
    for embedding in (2 * x, -x):
        outside = RNN(QUARTERS.inputs, {"1": embedding}, QUARTERS.layers)
        assert said("6.3", outside).endswith("that RNN's embedding does not lie in [0, 1].")
