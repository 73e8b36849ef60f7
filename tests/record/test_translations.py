"""What a stored translation keeps is what its figures follow from; forged figures do not replay."""

import gzip
from copy import deepcopy

import numpy as np
import pytest
from sacrebleu.significance import PairedTest, Result

from chapters.translation.bleu import (
    BOOTSTRAP,
    bleu,
    matches,
    metric,
    packed,
    scores_of,
    unpacked,
)
from chapters.translation.runs import (
    _has_stopped_rightly,
    measure,
    replay,
)
from chapters.translation.sentences import SOURCES, generated
from chapters.translation.settings import MEAN, RUNS
from chapters.translation.train import Training

DRAW = np.random.default_rng(0)
REFERENCES = [" ".join(map(str, DRAW.integers(6, size=DRAW.integers(1, 20)))) for _ in range(200)]


def worse(share: float) -> list[str]:
    """The references with so large a share of their words drawn anew."""
    return [
        " ".join(str(DRAW.integers(6)) if DRAW.random() < share else word for word in line.split())
        for line in REFERENCES
    ]


SYSTEMS = {"one": worse(0.3), "other": worse(0.35), "bad": worse(0.8)}
SYSTEMS |= {"same": SYSTEMS["one"], "empty": [""] * len(REFERENCES)}
SYSTEMS |= {"short": [" ".join(line.split()[:-1]) for line in SYSTEMS["one"]]}


# ---- counts


def test_counts_are_the_n_grams_of_output_and_reference():
    found = matches(["a b c a", "", "x"], ["a b a b c", "y", "x x"])
    # "a" is there twice and matches twice, "a b c" is a trigram of both, "a b c a" is not
    assert found.tolist() == [[4, 5, 4, 2, 1, 0], [0, 1, 0, 0, 0, 0], [1, 2, 1, 0, 0, 0]]


def paired_by_sacrebleu() -> dict[str, Result]:
    """sacrebleu's own bootstrap of every system, each paired with the first."""
    by_bleu = {"BLEU": metric(REFERENCES)}
    _, table = PairedTest([*SYSTEMS.items()], by_bleu, None, "bs", BOOTSTRAP)()
    results = [result for result in table["BLEU"] if isinstance(result, Result)]
    return dict(zip(SYSTEMS, results, strict=True))


def test_scores_from_counts_are_sacrebleus():
    counts = {name: matches(lines, REFERENCES) for name, lines in SYSTEMS.items()}
    again, right = scores_of(counts), paired_by_sacrebleu()
    for name, lines in SYSTEMS.items():
        assert again[name].bleu == pytest.approx(bleu(lines, REFERENCES), abs=1e-9)
        assert again[name].bleu == pytest.approx(right[name].score, abs=1e-9)
        assert again[name].confidence == pytest.approx(right[name].ci, abs=1e-4)
        if name != "same":  # of which sacrebleu says that it differs from its equal
            assert again[name].p == pytest.approx(right[name].p_value)
    assert again["one"].p is None and again["same"].p == 1 and again["bad"].p < 0.01
    assert again["empty"].bleu == 0


def test_packed_counts_come_back():
    found = matches(SYSTEMS["one"], REFERENCES)
    assert (unpacked(packed(found)) == found).all() and len(packed(found)) < 8 * len(found)


# ---- what is stored of talks


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The generated pair as the files of IWSLT'15, one of its lines to train on left empty."""
    corpus, path = generated(seed=5, train=900, test=40), tmp_path_factory.mktemp("talks")
    parts = (corpus.train, corpus.validation, corpus.tests["test"])
    names = (SOURCES["iwslt15"].train, SOURCES["iwslt15"].validation, SOURCES["iwslt15"].test)
    for name, pairs in zip(names, parts, strict=True):
        for language, lines in zip(("en", "vi"), (pairs.sources, pairs.targets), strict=True):
            written = ["" if (name, i) == ("train", 7) else line for i, line in enumerate(lines)]
            text = "\n".join([*written, ""]).encode()
            (path / f"{name}.{language}.gz").write_bytes(gzip.compress(text))
    return path


LEARNS = dict(epochs=8, tokens=400, rate=0.015, warmup=60, train=None, test=None, size=250)
CONFIGURATION = RUNS["iwslt15"].quick()[0] | LEARNS


@pytest.fixture(scope="module")
def result(folder):
    return measure("cpu", **CONFIGURATION, data=folder)


def test_a_run_on_talks_replays_with_its_folder_and_without(result, folder):
    assert replay(CONFIGURATION, result)
    for in_full in (False, True):
        assert replay(CONFIGURATION, result, in_full, folder)


def forged(result, *place, value):
    """The result with another value at a place."""
    changed = deepcopy(result)
    inside = changed
    for name in place[:-1]:
        inside = inside[name]
    inside[place[-1]] = value
    return changed


FORGERIES = {
    "a higher BLEU": lambda r: forged(r, "systems", "log n", "bleu", value=60.0),
    "BLEU by two hundredths": lambda r: forged(
        r, "systems", "baseline", "bleu", value=r["systems"]["baseline"]["bleu"] + 0.02
    ),
    "a significant difference": lambda r: forged(
        r, "systems", MEAN, "p", value=0.001 if r["systems"][MEAN]["p"] > 0.1 else 0.9
    ),
    "a narrower interval": lambda r: forged(r, "systems", MEAN, "confidence", value=0.1),
    "another best epoch": lambda r: forged(r, "systems", MEAN, "best_epoch", value=1),
    "a training that was cut": lambda r: forged(
        r, "systems", MEAN, "dev_losses", value=r["systems"][MEAN]["dev_losses"][:3]
    ),
    "fewer tests": lambda r: forged(r, "pairs", "test", value=39),
    "counts of another system": lambda r: forged(
        r, "matches", "baseline", value=r["matches"]["log n"]
    ),
    "other references": lambda r: forged(
        r,
        "matches",
        "log n",
        value=packed(unpacked(r["matches"]["log n"]) + np.eye(6, dtype=int)[1]),
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_figure_does_not_replay_even_without_the_folder(forgery, result):
    assert not replay(CONFIGURATION, FORGERIES[forgery](result))


@pytest.mark.parametrize(
    "losses, best, holds",
    [
        ([3.0, 2.9, 2.9, 2.95, 2.8, 2.85, 2.86], 5, True),  # the second 2.9 may have been lower
        ([3.0, 2.9, 2.9, 2.95], 2, True),  # or the first
        ([3.0, 2.9, 2.9, 2.95, 2.96], 3, True),
        ([3.0, 2.9, 2.91, 2.95, 2.8, 2.85, 2.86], 5, False),  # it goes on where it ends
        ([3.0, 2.9, 2.9], 2, False),  # it ends where it goes on
        ([3.0, 2.9, 2.91, 2.92], 3, False),
        ([3.0, 2.9, 2.91, 2.92], 0, False),
    ],
)
def test_the_stop_follows_from_losses_that_are_rounded(losses, best, holds):
    training = Training(epochs=60, tokens=100, rate=1e-3, patience=2)
    trained = {"losses": losses, "last_loss": losses[-1]}
    system = {"dev_losses": losses, "best_epoch": best, **trained}
    assert _has_stopped_rightly(training, system) == holds
