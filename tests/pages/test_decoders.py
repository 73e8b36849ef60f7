"""Decoders that think in steps: what they write, how long, and when they stop."""

from dataclasses import replace

import pytest
from automata.fa.dfa import DFA
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.pages.the_map import decoders, encoders, examples
from chapters.pages.the_map.decoders import (
    NO,
    YES,
    Decoder,
    Steps,
    automaton,
    product_of,
    unmasked,
    word_problem,
)
from chapters.pages.the_map.encoders import HALF
from lib import constructions
from lib.formulas import held_against
from lib.languages import PARITY
from lib.transformer import Exact
from tests.formulas.oracles import LANGUAGES, strings
from tests.pages.oracles import in_a5

SCRATCHPADS = {
    "tally, softmax": (decoders.tally, "softmax"),
    "tally, hardmax": (decoders.tally, "hardmax"),
    "running, rightmost": (decoders.running_parity, "rightmost"),
    "running, averaging": (lambda: decoders.running_parity(averaging=True), "hardmax"),
}


def wrong(name: str, longest: int) -> list[str]:
    """The strings to a length that a scratchpad decides otherwise than the oracle."""
    make, attention = SCRATCHPADS[name]
    reader, is_odd = Steps(make(), attention), LANGUAGES["PARITY"]
    return [w for w in strings("01", longest) if reader.decides(w) != is_odd(w)]


@pytest.mark.parametrize("name", SCRATCHPADS)
def test_a_scratchpad_decides_parity(name):
    assert wrong(name, 7) == []


@pytest.mark.parametrize("name, longest", [("tally, softmax", 12), ("running, rightmost", 10)])
def test_every_longer_string_is_decided_rightly_with_a_scratchpad(name, longest):
    assert wrong(name, longest) == []


def test_a_scratchpad_that_answers_the_other_way_is_found(monkeypatch):
    tally = decoders.tally()
    logits = dict(tally.logits)
    turned = replace(tally, logits=logits | {YES: logits[NO], NO: logits[YES]})
    monkeypatch.setitem(SCRATCHPADS, "turned", (lambda: turned, "softmax"))
    assert wrong("turned", 2) == list(strings("01", 2))


@pytest.mark.parametrize("w", ["0" * 300, "01" * 150, "1" * 150, "1" * 151])
def test_a_long_string_is_decided_rightly(w):
    for make, attention in SCRATCHPADS.values():
        assert Steps(make(), attention).decides(w) == (w.count("1") % 2 == 1)


def test_a_tally_writes_a_token_for_each_1():
    for w in strings("01", 6):
        written = [step.token for step in Steps(decoders.tally(), "softmax").run(w)]
        k = w.count("1")
        assert written == [*("oe" * k)[:k], YES if k % 2 else NO]


def test_a_running_parity_writes_the_parity_of_each_prefix():
    for w in strings("01", 6):
        written = [step.token for step in Steps(decoders.running_parity(), "rightmost").run(w)]
        parities = ["eo"[w[:i].count("1") % 2] for i in range(1, len(w) + 1)]
        assert written == [*parities, YES if w.count("1") % 2 else NO]


def test_each_logit_of_the_tally_is_as_the_page_says():
    """One is u = 1/(i + 1), the others 0, 0 and -u."""
    for w in ("", "0", "1", "0110", "11100"):
        for t, step in enumerate(Steps(decoders.tally(), "softmax").run(w)):
            u = 1 / (len(w) + t + 1)
            assert sorted(map(float, step.logits.values())) == pytest.approx([-u, 0, 0, u])
            assert max(step.logits, key=lambda token: step.logits[token]) == step.token


machines = st.integers(1, 4).flatmap(
    lambda size: st.tuples(
        st.lists(
            st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)),
            min_size=size,
            max_size=size,
        ),
        st.sets(st.integers(0, size - 1)),
    )
)


@settings(max_examples=40)
@given(machine=machines, w=st.text("ab", max_size=8), averaging=st.booleans())
def test_any_automaton_is_run(machine, w, averaging):
    rows, finals = machine
    step = {(f"q{q}", a): f"q{row['ab'.index(a)]}" for q, row in enumerate(rows) for a in "ab"}
    theirs = DFA(
        states={f"q{q}" for q in range(len(rows))},
        input_symbols=set("ab"),
        transitions={f"q{q}": {a: step[f"q{q}", a] for a in "ab"} for q in range(len(rows))},
        initial_state="q0",
        final_states={f"q{q}" for q in finals},
    )
    ours = automaton(step, "q0", lambda q: int(q[1:]) in finals, averaging)
    for decoder in (ours, unmasked(ours)):
        reader = Steps(decoder, "hardmax" if averaging else "rightmost")
        assert reader.decides(w) == theirs.accepts_input(w)
        assert len(list(reader.run(w))) == len(w) + 1


@pytest.mark.parametrize("name", SCRATCHPADS)
def test_a_scratchpad_without_masks_writes_the_same(name):
    make, attention = SCRATCHPADS[name]
    free = unmasked(make())
    heads = [head for layer in free.construction.layers for head in layer.heads]
    assert heads and all(head.mask is None for head in heads)
    for w in strings("01", 5):
        written = [step.token for step in Steps(make(), attention).run(w)]
        assert [step.token for step in Steps(free, attention).run(w)] == written
        assert Steps(free, attention).decides(w) == (w.count("1") % 2 == 1)


def test_where_a_mask_is_needed_its_lack_is_caught():
    """contains 01 marks a 1 behind a 0; without masks its ties read the end."""
    network = encoders.contains_01()
    once = Decoder(network, {YES: network.output - HALF, NO: HALF - network.output}, "01")
    assert (
        held_against(examples.CONTAINS_01, Steps(once, "rightmost").decide_all, 5).counterexample
        is None
    )
    free = Steps(unmasked(once), "rightmost").decide_all
    assert held_against(examples.CONTAINS_01, free, 5).counterexample == "01"


def test_a5_has_60_elements_and_its_word_problem_is_solved():
    decoder = word_problem(decoders.A5)
    states = [token for token, _ in decoder.logits if token not in (YES, NO)]
    assert len(states) == len(set(states)) == 60
    reader = Steps(decoder, "rightmost")
    found = [w for w in strings("ab", 5) if reader.decides(w)]
    assert found == [w for w in strings("ab", 5) if in_a5(w)] == ["", "bbb", "aaaaa"]
    # (ab) and (ba) have order 5 or 3; their powers show that products are taken in order.
    longer = ["ab" * 5, "ba" * 5, "aab" * 3, "abb" * 5, "bbb" * 3, "aaaab" * 3]
    assert [reader.decides(w) for w in longer] == [in_a5(w) for w in longer]
    assert True in map(in_a5, longer) and False in map(in_a5, longer)


def test_products_of_permutations_are_done_from_left_to_right():
    assert product_of("231", "213") == "132" and product_of("213", "231") == "321"
    assert product_of("23451", "23451", "23451", "23451", "23451") == "12345"


def test_another_reading_is_caught():
    assert held_against(PARITY, Steps(decoders.running_parity(), "leftmost").decide_all, 4) == (
        replace(
            held_against(PARITY, Steps(decoders.running_parity(), "leftmost").decide_all, 2),
            counterexample="10",
        )
    )
    averaged = Steps(decoders.running_parity(), "hardmax").decide_all
    assert held_against(PARITY, averaged, 5).counterexample is not None


def test_a_decoder_whose_rule_is_changed_is_caught():
    wrong = decoders.PARITY_STATES | {("o", "1"): "o"}
    reader = Steps(automaton(wrong, "e", lambda q: q == "o"), "rightmost")
    assert held_against(PARITY, reader.decide_all, 4).counterexample == "11"


def test_too_few_steps_are_no_answer():
    reader = Steps(decoders.tally(), "softmax")
    assert reader.decides("111", most=3) is None and reader.decides("111", most=4) is True


def test_a_tie_of_logits_is_refused():
    tally = decoders.tally()
    same = Decoder(tally.construction, dict.fromkeys(("o", YES), tally.logits[0][1]), "01")
    with pytest.raises(ValueError, match="no logit is proved to be the largest"):
        Steps(same).decides("1")


def test_what_a_decoder_writes_has_an_embedding():
    tally = decoders.tally()
    with pytest.raises(ValueError, match="a token among 0, 1, CLS, e, o is expected, not 'x'"):
        Decoder(tally.construction, {"x": tally.logits[0][1]}, "01")
    with pytest.raises(ValueError, match="never looks ahead is expected, not PARITY"):
        list(Exact(constructions.parity()).vectors(["CLS"]))
    with pytest.raises(ValueError, match="a token among 0, 1, CLS, e, o is expected, not '2'"):
        list(Exact(tally.construction).vectors(["CLS", "2"]))


def test_a_decoder_is_read_at_the_last_token():
    first = replace(decoders.tally().construction, readout="CLS")
    with pytest.raises(ValueError, match="a readout at the last token is expected, not CLS"):
        Decoder(first, dict(decoders.tally().logits), "01")
    with pytest.raises(ValueError, match="at least one token is expected, not none"):
        Exact(first).vector([])
    with pytest.raises(ValueError, match="a token among 0, 1, CLS, e, o is expected, not 2"):
        Exact(first).vector(["CLS", 2])


def test_vectors_are_those_of_the_trace():
    network = decoders.tally().construction
    w = "0110eo"
    trace = Exact(network).trace(w)
    found = list(Exact(network).vectors(["CLS", *w]))
    for name, values in trace.a[-1].items():
        assert [vector[name] for vector in found] == values
    assert Exact(network).vector(["CLS", *w]) == found[-1]
