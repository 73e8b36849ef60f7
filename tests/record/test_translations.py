"""What a stored translation keeps is what its figures follow from; forged figures do not replay."""

import gzip
import json
from base64 import b64decode, b64encode
from copy import deepcopy
from itertools import product
from zlib import compress

import numpy as np
import pytest
from sacrebleu.significance import PairedTest, Result

from record.experiments.translation.bleu import (
    BOOTSTRAP,
    bleu,
    matches,
    metric,
    packed,
    scores_of,
    unpacked,
)
from record.experiments.translation.data import Subwords
from record.experiments.translation.runs import (
    EXPERIMENTS,
    _has_stopped_rightly,
    kept_system,
    measure,
    replay,
)
from record.experiments.translation.sentences import SOURCES, generated
from record.experiments.translation.settings import MEAN, QUICK, RUNS, TALKS
from record.experiments.translation.train import Training

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


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: unpacked("!"), "packed counts are expected, not '!'"),
        (lambda: unpacked("AAAA"), "packed counts are expected, not 'AAAA'"),
        (
            lambda: unpacked(packed(np.full((1, 6), 4))),
            "no more matches than n-grams are expected, not '",
        ),
    ],
)
def test_bad_counts_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


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


def test_a_run_on_talks_keeps_its_curves_and_quotes_no_sentence(result, folder):
    systems = result["systems"]
    assert list(systems) == ["baseline", "log n", MEAN] and result["pairs"]["train"] == 899
    for system in systems.values():
        losses = system["dev_losses"]
        assert len(losses) == len(system["losses"]) <= 8 and losses[-1] < losses[0]
        assert losses[system["best_epoch"] - 1] == min(losses)
    assert systems["baseline"]["bleu"] > 0
    written, test = json.dumps(result), generated(seed=5, train=900, test=40).tests["test"]
    assert [{*sample} for sample in result["samples"]] == [{"sentence", *systems}] * 10
    assert not any(line in written for line in test.sources)
    best = max(systems, key=lambda name: systems[name]["bleu"])
    assert result["kept"]["variant"] == best and str(folder) not in written


def test_a_run_on_talks_replays_with_its_folder_and_without(result, folder):
    assert replay(CONFIGURATION, result)
    for in_full in (False, True):
        assert replay(CONFIGURATION, result, in_full, folder)


def test_the_kept_system_translates_as_it_did(result):
    row = {"configuration": CONFIGURATION, "result": result}
    tested = generated(seed=5, train=900, test=40).tests["test"]
    chosen = [sample["sentence"] for sample in result["samples"]]
    outputs = kept_system(row)([tested.sources[i] for i in chosen], CONFIGURATION["beam"])
    variant = result["kept"]["variant"]
    assert outputs == [sample[variant] for sample in result["samples"]]
    for broken in ({}, {**result["kept"], "vocabulary": "eA=="}, {"variant": variant}):
        with pytest.raises(ValueError, match="keeps a system with its subwords is expected"):
            kept_system(row | {"result": {"kept": broken}})


def forged(result, *place, value):
    """The result with another value at a place."""
    changed = deepcopy(result)
    inside = changed
    for name in place[:-1]:
        inside = inside[name]
    inside[place[-1]] = value
    return changed


def moved(result, variant, by):
    """Another loss in each of a variant's epochs."""
    losses = [loss + by for loss in result["systems"][variant]["dev_losses"]]
    return forged(result, "systems", variant, "dev_losses", value=losses)


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


KINDS = ["data", "an output", "a first epoch", "parameters", "subwords", "another"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_only_the_folder_shows_does_not_replay_with_it(kind, result, folder, tmp_path):
    changed, place = deepcopy(result), folder
    if kind == "data":
        changed["data"] = "0" * 16
    elif kind == "an output":
        changed["samples"][1]["log n"] = "lo lo lo"
    elif kind == "a first epoch":
        for variant in CONFIGURATION["variants"]:
            changed = moved(changed, variant, -0.3)
    elif kind == "parameters":
        zeros = np.zeros(len(b64decode(changed["kept"]["parameters"])), np.uint8)
        changed["kept"]["parameters"] = b64encode(zeros).decode()
    elif kind == "subwords":
        other = Subwords(generated(seed=6, train=900, test=40).train, 250)
        changed["kept"]["vocabulary"] = b64encode(compress(other.model)).decode()
    else:
        for path in folder.iterdir():
            (tmp_path / path.name).write_bytes(path.read_bytes())
        lines = gzip.decompress((folder / "tst2013.vi.gz").read_bytes()).replace(b"lo ", b"la ")
        (tmp_path / "tst2013.vi.gz").write_bytes(gzip.compress(lines))
        place = tmp_path
    assert replay(CONFIGURATION, changed)
    assert not replay(CONFIGURATION, changed, data=place)


@pytest.mark.parametrize("variant", CONFIGURATION["variants"])
def test_in_full_the_first_epoch_of_every_variant_is_run_again(variant, result, folder):
    changed = moved(result, variant, -0.3)
    is_its_turn = variant == CONFIGURATION["variants"][CONFIGURATION["seed"] % 3]
    assert replay(CONFIGURATION, changed, data=folder) == (not is_its_turn)
    assert not replay(CONFIGURATION, changed, in_full=True, data=folder)


def test_pairs_are_compared_by_seeds_and_one_with_both_norms():
    for name, seeds, norms in (("iwslt15", 5, (True, False)), ("ted", 5, (True,))):
        runs = [
            configuration
            for experiment in (name, f"{name}_post_norm")
            if f"translation_{experiment}" in EXPERIMENTS
            for configuration in EXPERIMENTS[f"translation_{experiment}"].configurations
        ]
        found = {(c["split"], c["seed"], c["norm_first"], c.get("short")) for c in runs}
        splits = (("all", None), ("short to long", 20))
        assert found == {
            (split, seed, norm_first, short)
            for (split, short), seed, norm_first in product(splits, range(seeds), norms)
        }
        assert len(runs) == len(found) and all(c["patience"] == TALKS["patience"] for c in runs)
    for name in (name for name, runs in RUNS.items() if "patience" in runs.settings):
        experiment = EXPERIMENTS[f"translation_{name}"]
        assert experiment.reads is not None and len(experiment.configurations) >= 5
        assert all(c["train"] == QUICK["train"] for c in experiment.quick)
