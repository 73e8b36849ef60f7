"""What the page on translation tells follows from the stored runs, as the records have it."""

from chapters.pages.translation import lesson
from chapters.pages.translation.wording import behind
from record.experiments.translation.settings import MEAN
from record.runs import stored


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


def test_no_interval_of_the_figure_excludes_none_or_the_papers_share():
    for (name, _), found in lesson.comparisons().items():
        if lesson.OF_LOG_N[name].startswith("talks"):
            low, high = lesson.interval([*found.gain])
            assert low < 0 < lesson.PRINTED["log n"] * found.baseline.mean() < high
    for name in ("iwslt15", "ted"):
        found = lesson.from_short_to_long(name, MEAN)
        low, high = lesson.interval([*found.gain])
        assert low < 0 < lesson.PRINTED["log n"] * found.baseline.mean() < high


def test_only_into_french_the_two_connections_stay_apart():
    for name in lesson.RESIDUALS.values():
        (_, most), (least, _) = (
            lesson.interval([*lesson.without(name, one).gain]) for one in lesson.LEFT_OUT
        )
        assert (most < least) == (name == "ted_residuals")
    gains = lesson.without("multi30k", "decoder-decoder").gain
    assert sum(gain > 0 for gain in gains) == 2 and len(gains) == 3
