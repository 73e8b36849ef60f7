"""What the page on translation tells follows from the stored runs, as the records have it."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from chapters.pages.translation import lesson, log_n
from record.claims import recorded
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
    assert lesson.helped() == (9, 0) and not any("log n adds" in claim["quantity"] for claim in met)
    assert lesson.helped(MEAN)[1] == len(met) == 1


def test_how_far_behind_is_what_the_record_says(monkeypatch):
    named = {}
    monkeypatch.setattr(log_n, "glue", named.__setitem__)
    log_n.slower(stored("translation_iwslt15_longer"))
    early, kept = lesson.behind(12)
    assert f"{np.mean(early):+.3f}" == named["log_longer_behind_few"]
    assert f"{np.mean(kept):+.3f}" == named["log_longer_behind_kept"]


def test_the_losses_that_are_alike_are_so_at_every_seed():
    losses = lesson.last_losses()
    assert abs(losses["log 16"] - losses["log n"]) < lesson.within() < 0.03
    assert losses["log n"] - losses["baseline"] > 4 * lesson.within()


def test_seeds_that_lose_without_a_connection_are_counted():
    for name in ("iwslt15_residuals", "ted_residuals"):
        encoder, decoder = (lesson.without(name, one) for one in lesson.LEFT_OUT)
        more = sum(a < b for a, b in zip(encoder.gain, decoder.gain, strict=True))
        assert lesson.worse(name) == (5, 5, more)
    assert lesson.train_pairs() == 9993
    assert lesson.worse_at_any_length("iwslt15_residuals") == 1
    assert lesson.worse_at_any_length("ted_residuals") == 5


def test_a_figure_has_every_seed_and_names_its_variants():
    [axis] = lesson.residuals_figure().axes
    dots = [line for line in axis.lines if line.get_marker() == "o"]
    assert len(dots) == 6 and sum(len(line.get_xdata()) for line in dots) == 26
    assert [" ".join(text.get_text().split()) for text in axis.texts] == [*lesson.LEFT_OUT.values()]
    [axis] = lesson.long_figure().axes
    assert axis.texts[-1].get_text().strip() == "the paper, log n"
