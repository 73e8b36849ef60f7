"""The judges of chapter 11's exercises judge for every length."""

from chapters.common.judge import said


def test_11_1_counts():
    assert said("11.1", 42) == "Exercise 11.1: right."
    assert said("11.1", 40).endswith("not yet: 40 is too few.")


def test_11_2_finds_the_shortest_string():
    near = 'never(Q("a") and previous(Q("a") or previous(Q("a"))))'
    right = f'{near} and not Q("a") and not previous(Q("a"))'
    assert said("11.2", right) == "Exercise 11.2: right at every length."
    assert said("11.2", f'{near} and not Q("a")').endswith("not yet: it accepts ab.")
    assert said("11.2", near).endswith("not yet: it accepts a.")
    wrong = f"({right}) and position <= 30"
    assert len(said("11.2", wrong).partition("rejects ")[2]) == 31 + len(".")


def test_11_2_is_not_right_where_nothing_is_proved():
    counts = 'count(Q("a")) == 3*count(Q("b") and previous(Q("a"))) + 3'
    doubling = (
        'Q("b") and previous(Q("a"))'
        ' and always(not (Q("b") and previous(Q("a"))) or count(Q("a")) == 2*count(Q("b")) - 1)'
        ' and always(not (Q("a") and previous(Q("b"))) or count(Q("b")) == 2*count(Q("a")) - 2)'
        f" and {counts}"
    )
    near = 'never(Q("a") and previous(Q("a") or previous(Q("a"))))'
    right = f'{near} and not Q("a") and not previous(Q("a"))'
    assert "neither proved nor refuted" in said("11.2", f"({right}) or ({doubling})")


def test_11_3_looks_at_a_counterexample():
    assert said("11.3", "proved") == "Exercise 11.3: right."
    assert "then show it" in said("11.3", "refuted")
    pair = ('count(Q("1")) == 2', "0*10*1")
    assert "the statement holds for these: wrong: '110'" in said("11.3", pair)
    assert "as a pair of texts" in said("11.3", (1, 2))
