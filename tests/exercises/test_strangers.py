"""The judges of chapter 12's exercises ask the networks that are kept."""

from chapters.common.judge import said


def test_12_1_counts_draws():
    assert said("12.1", 4714) == "Exercise 12.1: right."
    assert said("12.1", 4713).endswith("4713 is too few.")
    assert said("12.1", 4715).endswith("4715 is too many.")


def test_12_2_takes_any_string_on_which_the_network_errs():
    assert said("12.2", "11010101100001") == "Exercise 12.2: right."
    assert said("12.2", "0110").endswith("it rejects 0110, which is right.")
    assert said("12.2", "").endswith("it rejects the empty string, which is right.")
    assert "symbols 0 and 1 is expected" in said("12.2", "012")
    assert "symbols 0 and 1 is expected" in said("12.2", "01" * 21)


def test_12_3_wants_a_network_that_is_right_on_shorter_strings():
    assert said("12.3", ("two 1s", 4000, "00000001000")) == "Exercise 12.3: right."
    assert said("12.3", ["two 1s", 4000, "00000010000"]) == "Exercise 12.3: right."
    assert said("12.3", ("two 1s", 1000, "00000001")).endswith(
        "it errs on 000001 too, which is shorter."
    )
    assert said("12.3", ("FIRST", 1000, "01")).endswith("it decides 01 rightly.")
    assert "was not decided" in said(
        "12.3", ("MAJORITY", 1000, "0000011111100000111111111000000011")
    )
    assert "then show it" in said("12.3", "refuted")
    assert "may err on the next" in said("12.3", "proved")
    for answer in (
        ("two 1s", 2, "01"),
        ("two 1s", 4000, 1),
        ("two 1s", 4000, "2"),
        ("ONE", 4000, "1"),
    ):
        assert "its steps and a string of it are expected" in said("12.3", answer)
