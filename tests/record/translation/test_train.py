"""Training is its seeds' alone and goes on after a stop, and a stored run replays."""

import gzip
import json
import re
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.nn.functional import log_softmax

from chapters.translation import train
from chapters.translation.data import Examples, Pairs, Subwords, Words, counting
from chapters.translation.model import BOS, EOS, PAD, UNK
from chapters.translation.runs import EXPERIMENTS, measure, replay
from chapters.translation.sentences import SOURCES, generated
from chapters.translation.train import Training, best_epoch, learn, loss_of
from chapters.turing_completeness import runs as bhattamishra
from lib.files import CheckpointError
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


# ---- experiments


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
