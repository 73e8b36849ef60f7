"""Training is its seeds' alone and goes on after a stop; BLEU and its bootstrap are sacrebleu's;
folders reach the experiments.
"""

import gzip
import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import log_softmax

from lib.files import CheckpointError
from record import reproduce as reproducing
from record.experiments import MODULE_OF, bhattamishra
from record.experiments.translation import train
from record.experiments.translation.bleu import bleu, compared, matches, scores_of
from record.experiments.translation.data import Examples, Pairs, Subwords, Words, counting
from record.experiments.translation.model import BOS, EOS, LONGEST, PAD, RESIDUALS, UNK
from record.experiments.translation.runs import EXPERIMENTS, curves, measure, replay
from record.experiments.translation.sentences import SOURCES, generated
from record.experiments.translation.settings import SCALES, TABLES, VARIANTS
from record.experiments.translation.train import Training, best_epoch, learn, loss_of
from record.reproduce import reproduce
from record.runs import CHAPTERS
from tests.plain import padding_share
from tests.toys import copies

SMALL = dict(width=16, hidden=16)
FEW = copies(words=20, train=120, test=10)


def few(checkpoint=None, epochs: int = 4, seed: int = 0, patience=None, rate=2e-3, **options):
    return learn(
        FEW,
        Words(FEW.train),
        Training(epochs, tokens=200, rate=rate, warmup=10, seed=seed, patience=patience),
        checkpoint=checkpoint,
        **SMALL,
        **options,
    )


def state(learned) -> torch.Tensor:
    return torch.cat([value.flatten() for value in learned.model.state_dict().values()])


# ---- vocabularies


def test_words_and_subwords_return_what_they_were_given():
    corpus = generated(train=300, test=50)
    for vocabulary in (Words(corpus.train), Subwords(corpus.train, 200)):
        for lines in (corpus.train.sources, corpus.train.targets):
            encoded = vocabulary.encode(lines)
            assert [vocabulary.decode(numbers) for numbers in encoded] == list(lines)
            assert {number for numbers in encoded for number in numbers} <= set(
                range(UNK + 1, len(vocabulary))
            )
    assert (
        Words(corpus.train).encode(["unheard"]) == [[UNK]]
        and len(Subwords(corpus.train, 200)) == 200
    )
    assert Subwords(corpus.train, 200).encode(corpus.train.sources) == Subwords(
        corpus.train, 200
    ).encode(corpus.train.sources)


def test_few_subwords_are_asked_of_too_little():
    with pytest.raises(ValueError, match="no 5 subwords can be learned from these 300 pairs"):
        Subwords(generated(train=300, test=50).train, 5)


# ---- batches, schedule and loss


def test_batches_hold_every_pair_once_and_like_lengths_together():
    examples = Examples.of(FEW.train, Words(FEW.train), True)
    seen = []
    for source, target in examples.batches(200, [0, 1]):
        assert len(source) == len(target) and (target.numel() <= 200 or len(target) == 1)
        assert (target[:, 0] == BOS).all() and ((target == EOS).sum(1) == 1).all()
        assert (target != PAD).sum(1).max() - (target != PAD).sum(1).min() <= 2
        seen += [
            (tuple(s[s != PAD].tolist()), tuple(t[t != PAD].tolist()))
            for s, t in zip(source, target, strict=True)
        ]
    assert sorted(seen) == sorted(
        (tuple(s.tolist()), tuple(t.tolist()))
        for s, t in zip(examples.sources, examples.targets, strict=True)
    )
    orders = [
        [source.tolist() for source, _ in examples.batches(200, seed)]
        for seed in ([0, 1], [0, 1], [0, 2])
    ]
    assert orders[0] == orders[1] != orders[2]


def test_the_rate_climbs_and_falls():
    rates = [Training(1, rate=0.5, warmup=4).rate_at(step) for step in range(1, 17)]
    assert (
        rates[:4] == [0.125, 0.25, 0.375, 0.5]
        and rates[15] == 0.25
        and all(a > b for a, b in pairwise(rates[3:]))
    )


def test_the_loss_is_the_mean_over_symbols_that_are_there():
    learned = few(epochs=1)
    source, target = next(Examples.of(FEW.train, learned.vocabulary, True).batches(200, [0]))
    target[0, -3:] = PAD
    logs = log_softmax(learned.model(source, target[:, :-1]), -1)
    there = target[:, 1:] != PAD
    right = -logs.gather(-1, target[:, 1:, None])[..., 0][there].mean()
    assert torch.isclose(loss_of(learned.model, source, target), right)
    spread = -logs.mean(-1)[there].mean()
    assert torch.isclose(loss_of(learned.model, source, target, 0.1), 0.9 * right + 0.1 * spread)


def test_fused_adam_takes_plain_adams_steps(monkeypatch):
    fused, adam = few(), torch.optim.Adam
    monkeypatch.setattr(
        torch.optim,
        "Adam",
        lambda *arguments, **options: adam(*arguments, **{**options, "fused": False}),
    )
    assert np.allclose(few().losses, fused.losses, rtol=1e-4)


# ---- seeds and checkpoints


def test_a_seed_is_its_run():
    runs = [few(seed=seed, dropout=0.1) for seed in (1, 1, 2)]
    assert runs[0].losses == runs[1].losses and torch.equal(state(runs[0]), state(runs[1]))
    assert runs[0].losses[0] != runs[2].losses[0] and runs[0].losses[-1] < 0.9 * runs[0].losses[0]
    torch.manual_seed(99)
    assert few(seed=1, dropout=0.1).losses == runs[0].losses


def test_a_run_that_goes_on_is_an_undisturbed_one(tmp_path, monkeypatch):
    undisturbed, path = few(dropout=0.1), tmp_path / "new" / "run.pt"

    def stop(*arguments):
        write(*arguments)
        if len(arguments[1]["ends"]) == 2:
            raise KeyboardInterrupt

    write = train.write_checkpoint
    monkeypatch.setattr(train, "write_checkpoint", stop)
    with pytest.raises(KeyboardInterrupt):
        few(path, dropout=0.1)
    monkeypatch.setattr(train, "write_checkpoint", write)
    assert [file.name for file in path.parent.iterdir()] == ["run.pt"]
    torch.manual_seed(7)
    resumed = few(path, dropout=0.1)
    assert resumed.losses == undisturbed.losses and torch.equal(state(resumed), state(undisturbed))
    again = few(path, dropout=0.1)  # nothing is left to do
    assert again.losses == undisturbed.losses and torch.equal(state(again), state(undisturbed))


def test_checkpoints_that_do_not_fit_are_refused(tmp_path):
    path = tmp_path / "run.pt"
    few(path, epochs=1)
    whole = path.read_bytes()
    for other in (dict(seed=1), dict(epochs=2), dict(scale="log n")):
        with pytest.raises(ValueError, match="run.pt is the checkpoint of another run: remove it"):
            few(path, **{"epochs": 1, **other})
    places = range(0, len(whole), len(whole) // 30)  # of which most are weights
    changed = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in places]
    for broken in (whole[: len(whole) // 2], b"", b"nothing", *changed):
        path.write_bytes(broken)
        with pytest.raises(ValueError, match="run.pt is no checkpoint that can be read: remove it"):
            few(path, epochs=1)
        assert path.read_bytes() == broken


# ---- the stop criterion


def by_hand(model, vocabulary, pairs) -> float:
    """The mean cross-entropy of a target's symbols, sentence by sentence."""
    logs = []
    for source, target in zip(
        vocabulary.encode(pairs.sources), vocabulary.encode(pairs.targets), strict=True
    ):
        given = torch.tensor([[BOS, *target]])
        with torch.no_grad():
            scores = log_softmax(model.eval()(torch.tensor([[*source, EOS]]), given)[0], -1)
        logs += scores[range(len(target) + 1), [*target, EOS]].tolist()
    return -float(np.mean(logs))


def test_training_stops_where_the_loss_on_the_validation_pairs_no_longer_falls():
    stopped = few(epochs=60, patience=2, rate=0.03, dropout=0.1)
    lowest = min(stopped.dev_losses)
    ran = len(stopped.dev_losses)
    assert ran < 60 and stopped.dev_losses.index(lowest) == ran - 3
    assert by_hand(stopped.model, stopped.vocabulary, FEW.validation) == pytest.approx(lowest)
    short = few(epochs=ran - 2, rate=0.03, dropout=0.1)  # without a criterion, to the best epoch
    assert torch.equal(state(stopped), state(short)) and short.dev_losses == []
    assert stopped.losses[: len(short.losses)] == short.losses
    assert len(stopped.losses) * (ran - 2) == len(short.losses) * ran


def test_the_most_epochs_end_a_training_that_goes_on_learning():
    learned = few(epochs=3, patience=2)
    assert len(learned.dev_losses) == 3 and sorted(learned.dev_losses)[::-1] == learned.dev_losses


def test_epochs_may_have_as_many_steps_as_their_order_gives():
    corpus = generated(train=300, test=20)
    training = Training(8, tokens=60, patience=8, bucket=2.0)
    learned = learn(corpus, Words(corpus.train), training, **SMALL)
    steps = np.diff([0, *learned.ends])
    assert len(set(steps)) > 1 and sum(steps) == len(learned.losses)
    first, last = curves(learned)["losses"][:: len(steps) - 1]
    assert first == pytest.approx(np.mean(learned.losses[: steps[0]]), abs=1e-4)
    assert last == pytest.approx(np.mean(learned.losses[-steps[-1] :]), abs=1e-4)


@pytest.mark.parametrize("place", ["first", "best", "last"])
def test_a_run_with_a_stop_criterion_goes_on_as_if_undisturbed(place, tmp_path, monkeypatch):
    options = dict(epochs=60, patience=2, rate=0.03, dropout=0.1)
    undisturbed, write = few(**options), train.write_checkpoint
    losses = undisturbed.dev_losses
    epoch = {"first": 1, "best": best_epoch(losses), "last": len(losses)}[place]

    def stop(path, kept):
        write(path, kept)
        if len(kept["ends"]) == epoch:
            raise KeyboardInterrupt

    monkeypatch.setattr(train, "write_checkpoint", stop)
    with pytest.raises(KeyboardInterrupt):
        few(tmp_path / "run.pt", **options)
    monkeypatch.setattr(train, "write_checkpoint", write)
    for _ in range(2):  # the second time nothing is left to do
        resumed = few(tmp_path / "run.pt", **options)
        assert resumed.losses == undisturbed.losses
        assert resumed.dev_losses == undisturbed.dev_losses
        assert resumed.ends == undisturbed.ends
        assert torch.equal(state(resumed), state(undisturbed))
    with pytest.raises(CheckpointError, match="of another run"):
        few(tmp_path / "run.pt", **options | {"patience": 3})


def test_the_mean_length_is_that_of_the_training_sources():
    mean = np.mean([len(source.split()) + 1 for source in FEW.train.sources])
    examples = Examples.of(FEW.train, Words(FEW.train), True)
    assert examples.mean_length == pytest.approx(mean)
    learned = few(epochs=1, scale="log n over log mean")
    assert learned.model.shape.mean_length == pytest.approx(mean)


def test_the_share_of_padding_is_counted_by_hand():
    pairs = Pairs(("a", "a b c"), ("a b", "a"))
    examples = Examples.of(pairs, Words(pairs), True)
    # one batch: 2 x 4 source symbols, two of them padding; 2 x 4 target symbols, one of them
    assert padding_share(examples, 100) == 3 / 16
    assert padding_share(examples, 1) == 0


def test_batches_of_so_many_pairs_hold_every_pair_once_in_an_order_of_the_seed():
    pairs = Pairs(*(tuple("w " * n for n in range(1, 24)) for _ in range(2)))
    examples = Examples.of(pairs, Words(pairs), True)
    orders = []
    for seed in (0, 0, 1):
        batches = list(examples.batches(9, [seed], pairs=5))
        assert [len(source) for source, _ in batches] == [5, 5, 5, 5, 3]
        sizes = [int((s != PAD).sum()) - 1 for source, _ in batches for s in source]
        assert sorted(sizes) == [*range(1, 24)]
        orders.append(sizes)
    assert orders[0] == orders[1] != orders[2]


def test_what_is_scored_each_epoch_is_kept_and_goes_on(tmp_path):
    def score(learned):
        return [round(train.mean_loss(learned.model, examples, 99), 9)]

    words = Words(FEW.train)
    examples = Examples.of(FEW.train, words, FEW.ends_source)
    small = {"width": 8, "hidden": 8}
    whole = learn(FEW, words, Training(3, pairs=20), score=score, **small)
    plain = learn(FEW, words, Training(3, pairs=20), **small)
    assert len(whole.scores) == 3 and whole.losses == plain.losses and not plain.scores
    assert whole.scores[-1] == score(whole)
    path = tmp_path / "kept.pt"
    with pytest.raises(ZeroDivisionError):  # in the second epoch
        learn(FEW, words, Training(3, pairs=20), checkpoint=path, score=_twice(score), **small)
    again = learn(FEW, words, Training(3, pairs=20), checkpoint=path, score=score, **small)
    assert again.scores == whole.scores and again.losses == whole.losses


def _twice(score):
    """The same score once; the second time it cannot be had."""
    left = [1]

    def once(learned):
        if not left:
            raise ZeroDivisionError
        left.pop()
        return score(learned)

    return once


def test_buckets_hold_every_pair_once_and_pad_less():
    draw = np.random.default_rng(0)
    lengths = draw.integers(3, 40, size=1500)
    longer = np.maximum(1, (lengths * draw.uniform(0.8, 1.3, size=1500)).astype(int))
    pairs = Pairs(*(tuple("w " * n for n in side) for side in (lengths, longer)))
    examples = Examples.of(pairs, Words(pairs), True)
    batches = list(examples.batches(300, [0], bucket=1.1))
    assert all(target.numel() <= 300 or len(target) == 1 for _, target in batches)
    seen = [
        (tuple(s[s != PAD].tolist()), tuple(t[t != PAD].tolist()))
        for source, target in batches
        for s, t in zip(source, target, strict=True)
    ]
    assert sorted(seen) == sorted(
        (tuple(s.tolist()), tuple(t.tolist()))
        for s, t in zip(examples.sources, examples.targets, strict=True)
    )
    padding = sum(int((side == PAD).sum()) for batch in batches for side in batch)
    total = sum(side.numel() for batch in batches for side in batch)
    assert padding_share(examples, 300, 1.1) == padding / total
    shares = {bucket: padding_share(examples, 1000, bucket) for bucket in (None, 1.1)}
    assert shares[1.1] < shares[None] and shares[1.1] < 0.1


# ---- what is learned


def test_counting_needs_the_decoder_encoder_residual():
    corpus, exact, training = (
        counting(),
        {},
        Training(150, tokens=800, rate=1e-2, warmup=50, smoothing=0.0),
    )
    for without in ((), ("decoder-encoder",)):
        learned = learn(corpus, Words(corpus.train), training, width=32, hidden=64, without=without)
        outputs = learned(corpus.train.sources, longest=5)
        exact[without] = sum(a == b for a, b in zip(outputs, corpus.train.targets, strict=True))
        if without:
            assert all(len(set(output.split())) <= 1 for output in outputs)
    assert exact[()] == 101 and exact["decoder-encoder",] == 0


def test_outputs_keep_the_order_of_the_sentences_and_their_bound():
    learned = few(epochs=2)
    sentences = [
        *FEW.tests["26-30"].sources,
        *FEW.tests["5-12"].sources,
        *FEW.tests["13-15"].sources,
    ]
    for width in (1, 3):
        outputs = learned(sentences, width)
        assert outputs == [learned([sentence], width)[0] for sentence in sentences]
        assert max(len(output.split()) for output in learned(sentences, width, longest=3)) <= 3
    assert learned(sentences, 1) != learned(list(reversed(sentences)), 1) and learned([]) == []


# ---- BLEU


def scores(systems, references):
    """The scores of each system's outputs."""
    return scores_of({name: matches(lines, references) for name, lines in systems.items()})


def test_scores_are_sacrebleus():
    from sacrebleu import corpus_bleu

    references = [
        "the cat sat on the mat",
        "a dog ran home at night",
        "two birds flew over the hill",
    ] * 20
    good = [line.replace("cat", "cow") for line in references]
    bad = [line.replace("the", "a").replace("ran", "went") for line in references]
    found = scores({"good": good, "bad": bad, "same": good}, references)
    for name, outputs in (("good", good), ("bad", bad)):
        assert (
            found[name].bleu == pytest.approx(corpus_bleu(outputs, [references]).score)
            and 0 < found[name].confidence < 10
        )
        assert found[name].bleu == pytest.approx(bleu(outputs, references))
    assert found["good"].p is None and found["bad"].p < 0.01 and found["same"].p == 1.0
    assert scores({"x": references}, references)["x"].bleu == pytest.approx(100)
    assert bleu(["27 27 27 27 27"] * 2, ["43 44 45 46 47", "27 28 29 30 31"]) == 0


def test_the_bootstrap_is_repeated():
    draw = np.random.default_rng(0)
    references = [" ".join(map(str, draw.integers(5, size=8))) for _ in range(50)]
    one, other = (
        [" ".join(map(str, draw.integers(5, size=8))) for _ in range(50)] for _ in range(2)
    )
    assert scores({"a": one, "b": other}, references) == scores({"a": one, "b": other}, references)
    assert scores({"a": one, "b": other}, references)["b"].p > 0.01


# ---- experiments


def test_a_variant_is_a_switch():
    assert (
        VARIANTS["log n"] == {"scale": "log n"}
        and list(VARIANTS)[0] == "baseline"
        and VARIANTS["baseline"] == {}
    )
    assert [VARIANTS[name]["without"] for name in list(TABLES)[2:]] == [
        (name,) for name in RESIDUALS
    ]
    assert [VARIANTS[name] for name in SCALES] == [
        {"scale": "log n over log 16"},
        {"scale": "log 16"},
    ]


def test_a_synthetic_run_keeps_what_it_says_and_replays():
    configuration = bhattamishra.EXPERIMENTS["residuals_synthetic"].quick[1]
    result = bhattamishra.measure("cpu", **configuration)
    tested = result["tests"]["all"]
    assert (
        tested["of"] == 101
        and tested["different"] == [1, 1]
        and tested["exact"] == tested["bleu"] == [0, 0]
    )
    for in_full in (False, True):
        assert bhattamishra.replay(configuration, result, in_full)
    assert not bhattamishra.replay({**configuration, "without": []}, result)


@pytest.mark.parametrize("quantity, value", [("bleu", 99.0), ("different", 5)])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_forged_score_of_counting_does_not_replay_in_full(quantity, value, seed):
    configuration = bhattamishra.EXPERIMENTS["residuals_synthetic"].quick[1]
    result = bhattamishra.measure("cpu", **configuration)
    result["tests"]["all"][quantity][seed] = value
    assert not bhattamishra.replay(configuration, result, in_full=True)


@pytest.fixture(scope="module", params=["copies_of_sentences", "copies_of_beginnings"])
def copied(request, tmp_path_factory):
    """A configuration that copies, a folder with made-up lines in the treebank's place, and what
    is measured there.
    """
    path = tmp_path_factory.mktemp("treebank")
    corpus = copies(words=20, train=400, test=40)
    lines = [*corpus.train.sources, *(s for test in corpus.tests.values() for s in test.sources)]
    for name in bhattamishra.TREEBANK:
        (path / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    few = {"train": 100, "test": 10, "epochs": 2, "warmup": 5, "width": 32, "hidden": 32}
    configuration = bhattamishra.EXPERIMENTS[request.param].quick[0] | few
    return configuration, path, bhattamishra.measure("cpu", data=path, **configuration)


def test_a_run_of_copies_keeps_no_sentence_goes_on_and_replays(copied, tmp_path):
    configuration, path, result = copied
    seeds = configuration.get("seeds", 1)
    assert len({*result["data"]}) == seeds
    assert "tok:13a|smooth:none|version:" in result["measure"]
    assert list(result["tests"]) == [
        *("5-12", "13-15", "15-20", "21-25", "26-30"),
        "trained on",
    ]
    words = (path / bhattamishra.TREEBANK[0]).read_text(encoding="utf-8").split()
    assert not [word for word in {*words} if f"{word} " in json.dumps(result)]
    for data in (None, path):
        for in_full in (False, True):
            assert bhattamishra.replay(configuration, result, in_full, data)
    for _ in range(2):  # the second time nothing is left to train
        again = bhattamishra.measure("cpu", path, tmp_path, **configuration)
        assert again == result and len([*tmp_path.iterdir()]) == seeds
    other = {**result, "data": ["0" * 16, *result["data"][1:]]}
    assert not bhattamishra.replay(configuration, other, data=path)
    assert not bhattamishra.replay({**configuration, "rate": 1e-2}, result, data=path)


@pytest.mark.parametrize(
    "quantity, change", [("bleu", 0.1), ("sums", 9), ("exact", 99), ("epochs", 1)]
)
@pytest.mark.parametrize("name", ["5-12", "26-30"])
def test_a_forged_score_of_copies_is_noticed_without_their_sentences(
    quantity, change, name, copied
):
    configuration, _, result = copied
    forged = json.loads(json.dumps(result))
    if quantity not in forged["tests"][name]:
        pytest.skip("each epoch is scored where batches are the authors'")
    scores = np.array(forged["tests"][name][quantity], float)
    scores[-1] += change
    forged["tests"][name][quantity] = scores.tolist()
    assert not bhattamishra.replay(configuration, forged)
    if quantity == "epochs":  # one that is missing
        forged["tests"][name][quantity] = [each[1:] for each in result["tests"][name][quantity]]
        assert not bhattamishra.replay(configuration, forged)


def test_words_never_trained_on_are_unknown_in_the_target_too():
    words = Words(Pairs(("a b c d e",), ("a b c d e",)))
    found = bhattamishra._scores(["a b c d <unk>"], ("a b c d f",), words)
    assert (found["bleu"], found["exact"], found["longer"]) == (100, 1, 0)
    assert found["written"] == round(bleu(["a b c d <unk>"], ("a b c d f",)), 2) < 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The generated pair as the files of Multi30k."""
    corpus, path = generated(seed=5, train=400, test=40), tmp_path_factory.mktemp("data")
    for name, pairs in (
        (SOURCES["multi30k"].train, corpus.train),
        (SOURCES["multi30k"].validation, corpus.validation),
        (SOURCES["multi30k"].test, corpus.tests["test"]),
    ):
        for language, lines in zip(("de", "en"), (pairs.sources, pairs.targets), strict=True):
            (path / f"{name}.{language}.gz").write_bytes(
                gzip.compress("\n".join([*lines, ""]).encode())
            )
    return path


def without_seconds(value):
    """A result without its times."""
    return json.loads(re.sub(r'"\w*seconds": [0-9.]+', '"seconds": 0', json.dumps(value)))


def test_a_translation_goes_on_from_its_checkpoints_and_replays_without_its_data(folder, tmp_path):
    configuration = {**EXPERIMENTS["translation_multi30k"].quick[1], "epochs": 2}
    assert configuration["split"] == "short to long"
    result = measure("cpu", **configuration, data=folder, checkpoints=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "short_to_long,_baseline,_0.pt",
        "short_to_long,_log_n,_0.pt",
    ]
    assert without_seconds(
        measure("cpu", **configuration, data=folder, checkpoints=tmp_path)
    ) == without_seconds(result)
    assert without_seconds(measure("cpu", **configuration, data=folder)) == without_seconds(result)
    assert "tok:13a|smooth:none|version:" in result["bleu"] and result["subwords"].startswith(
        "sentencepiece "
    )
    assert list(result["systems"]) == ["baseline", "log n"]
    assert result["systems"]["baseline"]["p"] is None and 0 < result["systems"]["log n"]["p"] <= 1
    assert (
        result["pairs"]["train"] < 400
        and result["pairs"]["test"] < 30
        and str(folder) not in json.dumps(result)
    )
    assert replay(configuration, result)
    assert not replay({**configuration, "rate": 1e-2}, result)


def add(monkeypatch, name, experiment):
    """One more experiment on translations, which is found by its name."""
    monkeypatch.setitem(MODULE_OF, name, "record.experiments.translation.runs")
    monkeypatch.setitem(EXPERIMENTS, name, experiment)


def test_the_folder_reaches_the_experiment(folder, tmp_path, monkeypatch):
    short = replace(
        EXPERIMENTS["translation_multi30k"],
        configurations=EXPERIMENTS["translation_multi30k"].quick,
    )
    add(monkeypatch, "short", short)
    monkeypatch.setattr(reproducing, "RESULTS", tmp_path)
    rows = reproduce("short", jobs=1, data=folder)
    stored = json.loads((tmp_path / "short.json").read_text(encoding="utf-8"))
    assert stored["results"] == rows and [row["configuration"]["split"] for row in rows] == [
        "all",
        "short to long",
    ]
    assert list(rows[0]["result"]["systems"]) == list(TABLES) and str(folder) not in (
        tmp_path / "short.json"
    ).read_text(encoding="utf-8")
    assert not (tmp_path / ".partial" / "short").exists()


def test_a_comparison_reads_a_stored_run():
    def row(split, seed, **bleu):
        return {
            "configuration": {"split": split, "seed": seed, "variants": list(bleu)},
            "result": {
                "systems": {
                    name: {
                        "bleu": value,
                        "confidence": value / 10,
                        "p": None if name == "baseline" else seed / 10,
                    }
                    for name, value in bleu.items()
                }
            },
        }

    results = [
        row("all", 0, baseline=20.0, **{"log n": 21.0}),
        row("short to long", 0, baseline=5.0, **{"log n": 9.0}),
        row("all", 1, baseline=22.0, **{"log n": 21.5}),
    ]
    found = compared(results, "all", "log n")
    assert (
        found.baseline.tolist() == [20, 22]
        and found.variant.tolist() == [21, 21.5]
        and found.gain.tolist() == [1, -0.5]
        and found.confidence == 2.2
    )
    assert found.p.tolist() == [0, 0.1] and compared(
        results, "short to long", "log n"
    ).gain.tolist() == [4]
    assert np.isnan(compared(results, "all", "baseline").p).all()


def test_a_run_goes_on_from_the_same_data_only(folder, tmp_path, monkeypatch):
    seen = []

    def measure(device, data, checkpoints, x):
        seen.append((x, data, checkpoints))
        if x == 2:
            raise RuntimeError("stopped")
        return {}

    monkeypatch.setattr(reproducing, "RESULTS", tmp_path / "results")
    toy = replace(
        EXPERIMENTS["translation_multi30k"], configurations=[{"x": 1}, {"x": 2}], measure=measure
    )
    add(monkeypatch, "toy", toy)
    other = tmp_path / "other"
    other.mkdir()
    for path in folder.iterdir():
        (other / path.name).write_bytes(path.read_bytes())
    (other / "val.de.gz").write_bytes(
        gzip.compress(gzip.decompress((folder / "val.de.gz").read_bytes()).replace(b"a", b"e"))
    )
    for data in (folder, folder, other):
        with pytest.raises(RuntimeError, match="stopped"):
            reproduce("toy", jobs=1, data=data)
    assert [x for x, *_ in seen] == [1, 2, 2, 1, 2] and seen[1][2] == seen[2][2] != seen[3][2]


@pytest.mark.parametrize(
    "name, data, error, message",
    [
        (
            "translation_multi30k",
            None,
            ValueError,
            "translation_multi30k reads a folder of data: name it with --data. "
            "Its files train.de, ",
        ),
        (
            "translation_iwslt15",
            None,
            ValueError,
            "tst2012.en, .* come from https://nlp.stanford.edu",
        ),
        (
            "residuals_synthetic",
            Path("."),
            ValueError,
            "residuals_synthetic reads no folder of data, so none is expected, not '.'",
        ),
        (
            "translation_iwslt14",
            Path("nowhere"),
            FileNotFoundError,
            "iwslt14 in nowhere lacks train.de, .*prepare-iwslt14.sh",
        ),
    ],
)
def test_a_folder_too_few_or_too_many_is_refused(name, data, error, message, tmp_path, monkeypatch):
    monkeypatch.setattr(reproducing, "RESULTS", tmp_path)
    with pytest.raises(error, match=message):
        reproduce(name, data=data)
    assert list(tmp_path.iterdir()) == []


def test_the_command_names_what_is_wrong_with_a_folder(folder, tmp_path):
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "train.en.gz").write_bytes(b"broken")
    command = [
        sys.executable,
        "-m",
        "record.reproduce",
        "translation_multi30k",
        "--quick",
        "--data",
    ]
    for data, message in (
        (tmp_path, "train.en.gz cannot be read as text"),
        (tmp_path / "none", "lacks train.de, train.en"),
    ):
        refused = subprocess.run(
            [*command, data], capture_output=True, text=True, cwd=CHAPTERS.parent
        )
        assert (
            refused.returncode == 2
            and message in refused.stderr
            and "Traceback" not in refused.stderr
            and refused.stdout == ""
        )


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Training(0), "epochs must be at least 1, not 0"),
        (lambda: Training(1, rate=0.0), "a learning rate above 0 is expected, not 0.0"),
        (lambda: Training(1, smoothing=1.0), "smoothing must be at least 0 and below 1, not 1.0"),
        (lambda: Training(1, seed=-1), "a seed must be an integer that is at least 0, not -1"),
        (
            lambda: Examples.of(Pairs((), ()), Words(FEW.train), True),
            "at least one pair of sentences is expected",
        ),
        (
            lambda: Examples.of(Pairs(("w1", ""), ("w1", "w1")), Words(FEW.train), False),
            "pair 2 has 0 source and 3 target symbols",
        ),
        (
            lambda: Examples.of(Pairs(("w1",), ("w1 " * LONGEST,)), Words(FEW.train), True),
            "pair 1 has 2 source and 1026 target",
        ),
        (
            lambda: few(positions="learned"),
            "positions must be one of sinusoidal, masking, not 'learned'",
        ),
        (lambda: Training(1, pairs=0), "pairs must be at least 1, not 0"),
        (lambda: Training(1, bucket=1.0), "bucket must be above 1, not 1.0"),
        (lambda: few(epochs=1)(["w1"], longest=0), "longest must be at least 1, not 0"),
        (lambda: few(epochs=1)(["w1"], width=0), "width must be at least 1, not 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_gpu_learns_it_too():
    corpus = counting()
    learned = learn(
        corpus,
        Words(corpus.train),
        Training(200, tokens=800, rate=1e-2, warmup=50, smoothing=0.0),
        "cuda",
        width=32,
        hidden=64,
    )
    assert (
        sum(
            a == b
            for a, b in zip(
                learned(corpus.train.sources, longest=5), corpus.train.targets, strict=True
            )
        )
        > 95
    )


def test_the_reserved_symbols_are_not_words():
    assert Words(Pairs(("<s> a", "</s>"), ("<pad>", "b"))).symbols == (
        "<pad>",
        "<s>",
        "</s>",
        "<unk>",
        "a",
        "b",
    )
