"""Which stored configurations are run again in full."""

from datetime import date, timedelta

from record import experiment as sample
from record.experiment import KINDS, is_same_mean, todays


def test_each_configuration_of_each_kind_has_its_day(monkeypatch):
    configurations = [{"length": length} for length in range(10)]
    chosen = {kind: [] for kind in KINDS}
    for day in range(10 * len(KINDS)):

        class Day(date):
            @classmethod
            def today(cls, now=date(2026, 11, 21) + timedelta(days=day)):
                return now

        monkeypatch.setattr(sample, "date", Day)
        for kind in KINDS:
            one = todays(kind, configurations)
            if one is not None:
                chosen[kind].append(one["length"])
    assert all(sorted(lengths) == list(range(10)) for lengths in chosen.values())


def test_means_are_the_same_within_two_standard_errors():
    stored = [0.4, 0.6, 0.4, 0.6]
    assert is_same_mean(stored[::-1], stored) and is_same_mean([0.51, 0.6, 0.51, 0.6], stored)
    assert not is_same_mean([0.7, 0.6, 0.7, 0.6], stored)
    assert not is_same_mean([0.123] * 4, [1.0] * 4)


def test_where_all_stored_runs_are_alike_one_may_come_out_otherwise_and_six_may_not():
    stored = [1.0] * 20
    assert is_same_mean([1.0] * 19 + [0.67], stored)
    assert not is_same_mean([1.0] * 14 + [0.67] * 6, stored)
