"""The misprints: each is shown by a run, and a correct text would not be called one."""

import pytest

from chapters.common.turing.compilation import stack_rnn
from chapters.common.turing.machines import INCREMENT, PALINDROMES
from chapters.turing_completeness import variants
from chapters.turing_completeness.variants import directional_misprints, vanilla_misprints


@pytest.mark.parametrize("machine, w", [(INCREMENT, "1011"), (PALINDROMES, "0100")])
@pytest.mark.parametrize("misprints, count", [(vanilla_misprints, 6), (directional_misprints, 7)])
def test_every_misprint_is_shown(machine, w, misprints, count):
    rnn = stack_rnn(machine)
    shown = list(misprints(rnn, w))
    assert len(shown) == len({misprint.place for misprint in shown}) == count
    assert all(misprint.holds for misprint in shown)


@pytest.mark.parametrize("name, place", [("printed_c4", "Lemma C.4"), ("printed_d2", "Lemma D.2")])
def test_what_is_right_is_not_called_a_misprint(monkeypatch, name, place):
    """Where the text as printed is the repaired one, the check of the misprint fails."""
    from chapters.common.turing.architecture import directional, vanilla

    repaired = {"printed_c4": vanilla, "printed_d2": lambda rnn, slip: directional(rnn)}
    monkeypatch.setattr(variants, name, repaired[name])
    rnn = stack_rnn(INCREMENT)
    everything = [*vanilla_misprints(rnn, "1011"), *directional_misprints(rnn, "1011")]
    assert [m.place for m in everything if not m.holds] == [f"B {place}"]
