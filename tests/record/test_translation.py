"""The network, its training and its scores are what papers and libraries say, and a stored run of
translations replays and keeps no sentence.
"""

import gzip
import json
import re
from itertools import product
from math import cos, log, sin

import numpy as np
import pytest
import torch
from torch.nn.functional import log_softmax

from chapters.translation import bleu, data, runs, train
from chapters.translation import model as networks
from chapters.translation.model import BOS, EOS, MEAN, PAD, RESIDUALS, UNK

DRAW = np.random.default_rng(0)


def lines(*sizes: int) -> tuple[str, ...]:
    """Made-up sentences of so many words."""
    return tuple(" ".join(f"w{n}" for n in DRAW.integers(20, size=size)) for size in sizes)


def copies(size: int) -> data.Pairs:
    """Made-up sentences of 5 to 12 words, to be copied."""
    sentences = lines(*DRAW.integers(5, 13, size=size))
    return list(zip(sentences, sentences, strict=True))


# ---- the network


def model(seed: int = 0, **switches) -> networks.Seq2Seq:
    """A small model in float64 all of whose parameters, biases and norms too, are random."""
    shape = networks.Shape(20, **{"layers": 2, "heads": 2, "width": 8, "hidden": 12} | switches)
    made, generator = networks.Seq2Seq(shape, seed).double(), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in made.parameters():
            noise = torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype)
            parameter += 0.3 * noise
    return made.eval()


def padded(*lengths: int) -> torch.Tensor:
    """Random symbols of sentences of these lengths, padded on the right."""
    drawn = torch.tensor(DRAW.integers(EOS + 2, 20, size=(len(lengths), max(lengths))))
    return drawn.masked_fill(torch.arange(max(lengths)) >= torch.tensor(lengths)[:, None], PAD)


SOURCE, TARGET = padded(7, 4, 1, 5), padded(6, 3, 6, 1)


def by_the_equations(ours: networks.Seq2Seq, source: list[int], target: list[int]) -> torch.Tensor:
    """Logits of one unpadded pair, written again with explicit attention weights, each switch in
    its place.
    """
    shape, size = ours.shape, ours.shape.width // ours.shape.heads

    def factor(n: int) -> float:
        if shape.scale == "plain":
            return 1
        base = {"log n over log 16": 16, MEAN: shape.mean_length}.get(shape.scale, np.e)
        return log(16) if shape.scale == "log 16" else log(n) / log(base)

    def attend(attention, x, y, masked):
        q, (k, v) = attention.query(x), attention.key_value(y).chunk(2, -1)
        rows = []
        for i in range(len(x)):
            seen = slice(0, i + 1 if masked else len(y))
            row = []
            for part in (slice(h * size, (h + 1) * size) for h in range(shape.heads)):
                logits = factor(len(k[seen])) * (k[seen, part] @ q[i, part]) / size**0.5
                row.append(torch.softmax(logits, 0) @ v[seen, part])
            rows.append(torch.cat(row))
        return attention.out(torch.stack(rows))

    def add(connection, x, f, name=""):
        kept = 0 if name in shape.without else x
        norm = connection.norm
        return kept + f(norm(x)) if shape.norm_first else norm(kept + f(x))

    def through(layer, x, masked, source=None):
        names = ("", "", "") if source is None else RESIDUALS
        x = add(layer.around_own, x, lambda z: attend(layer.own, z, z, masked), names[1])
        if source is not None:
            across = layer.across
            x = add(layer.around_across, x, lambda z: attend(across, z, source, False), names[0])
        first, _, second = layer.feed_forward
        return add(layer.around_feed_forward, x, lambda z: second(first(z).relu()), names[2])

    x = ours.embed(torch.tensor([source]), ours.word)[0]
    y = ours.embed(torch.tensor([target]), ours.target_word or ours.word)[0]
    for layer in ours.encoder:
        x = through(layer, x, shape.positions == "masking")
    for layer in ours.decoder:
        y = through(layer, y, True, ours.encoder_norm(x))
    y = ours.decoder_norm(y)
    return y @ ours.word.weight.T if shape.tied else ours.out(y)


SWITCHES = [
    dict(positions=positions, without=without, scale=scale)
    for positions, scale in product(networks.POSITION_SCHEMES, ("plain", "log n"))
    for without in ((), *((name,) for name in RESIDUALS))
]
SWITCHES += [dict(scale=scale, mean_length=7.5) for scale in networks.ATTENTION_SCALES]
SWITCHES += [dict(norm_first=True), dict(norm_first=True, without=RESIDUALS), dict(tied=False)]


@torch.no_grad()
@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_each_switch_is_its_equation(switches):
    ours = model(**switches)
    for found, source, target in zip(ours(SOURCE, TARGET), SOURCE, TARGET, strict=True):
        source, target = (side[side != PAD].tolist() for side in (source, target))
        again = by_the_equations(ours, source, target)
        assert (found[: len(target)] - again).abs().max() < 1e-10


@torch.no_grad()
def test_masking_adds_no_encoding_and_sinusoids_are_vaswanis():
    same, masked, ours = torch.full((1, 9), 7), model(positions="masking"), model()
    assert masked.embed(same, masked.word).std(1).max() < 1e-12
    shift = (ours.embed(same, ours.word) - masked.embed(same, masked.word))[0]
    angles = [[i / 10_000 ** (2 * j / 8) for j in range(4)] for i in range(9)]
    expected = [[f(angle) for angle in row for f in (sin, cos)] for row in angles]
    assert torch.allclose(shift.float(), torch.tensor(expected), atol=1e-5)


# ---- decoding


@pytest.mark.parametrize("switches", [{}, dict(positions="masking", scale="log n")], ids=str)
def test_no_sentence_of_a_batch_changes_another(switches):
    ours = model(seed=3, **switches)
    one_by_one = [train.beam(ours, row[row != PAD][None], 8, 3)[0] for row in SOURCE]
    assert train.beam(ours, SOURCE, 8, 3) == one_by_one


@pytest.mark.parametrize("seed", range(4))
def test_a_wide_beam_finds_the_best_of_all_outputs(seed):
    ours = networks.Seq2Seq(networks.Shape(6, width=4, hidden=8), seed).double().eval()
    source = torch.tensor([[4, 5, 4]])

    @torch.no_grad()
    def mean_log(symbols: tuple[int, ...]) -> float:
        logits = ours(source, torch.tensor([[BOS, *symbols[:-1]]]))[0]
        logits[:, [PAD, BOS]] = -torch.inf
        return logits.log_softmax(-1)[range(len(symbols)), symbols].mean().item()

    ended = [(*row, EOS) for n in range(3) for row in product((UNK, 4, 5), repeat=n)]
    best = max([*ended, *product((UNK, 4, 5), repeat=3)], key=mean_log)
    assert train.beam(ours, source, 3, 60) == [[symbol for symbol in best if symbol != EOS]]


# ---- batches, schedule and loss


@pytest.mark.parametrize("options", [{}, dict(bucket=1.1), dict(pairs=7)], ids=str)
def test_batches_hold_every_pair_once(options):
    pairs, seen = copies(119), []
    examples = data.Examples(pairs, data.Words(pairs), True)
    mean = np.mean([len(source.split()) + 1 for source, _ in pairs])
    assert examples.mean_length == pytest.approx(mean)
    for source, target in examples.batches(200, [0, 1], **options):
        assert len(target) == 7 if "pairs" in options else target.numel() <= 200
        assert (target[:, 0] == BOS).all() and ((target == EOS).sum(1) == 1).all()
        lengths = (target != PAD).sum(1)
        assert options or lengths.max() - lengths.min() <= 2  # like lengths together
        both = zip(source, target, strict=True)
        seen += [[side[side != PAD].tolist() for side in pair] for pair in both]
    both = zip(examples.sources, examples.targets, strict=True)
    assert sorted(seen) == sorted([side.tolist() for side in pair] for pair in both)


def test_the_rate_climbs_and_falls_with_the_square_root():
    rates = [train.Training(1, rate=0.5, warmup=4).rate_at(step) for step in (1, 2, 4, 9, 16)]
    assert rates == pytest.approx([0.125, 0.25, 0.5, 1 / 3, 0.25])


def test_the_loss_is_the_mean_over_the_symbols_after_the_first_that_are_there():
    ours = model()
    logs = log_softmax(ours(SOURCE, TARGET[:, :-1]), -1)
    there = [(b, t) for b in range(4) for t in range(5) if TARGET[b, t + 1] != PAD]
    right = -sum(logs[b, t, TARGET[b, t + 1]] for b, t in there) / len(there)
    assert torch.isclose(train.loss_of(ours, SOURCE, TARGET), right)
    spread = -sum(logs[b, t].mean() for b, t in there) / len(there)
    smoothed = train.loss_of(ours, SOURCE, TARGET, 0.1)
    assert torch.isclose(smoothed, 0.9 * right + 0.1 * spread)


# ---- scores


def test_bleu_follows_from_sums_and_equal_systems_do_not_differ():
    # "a" is there twice and matches twice, "a b c" is a trigram of both, "a b c a" is not
    found = bleu.sums(["a b c a", "", "x"], ["a b a b c", "y", "x x"])
    assert found == [5, 8, 5, 2, 1, 0, 5, 3, 2, 1]
    right = 100 * np.exp(1 - 8 / 7) * (4 / 7 * 2 / 6 * 2 / 5 * 1 / 4) ** 0.25
    assert bleu.bleu_of([7, 8, 4, 2, 2, 1, 7, 6, 5, 4]) == pytest.approx(right)
    references = lines(*DRAW.integers(4, 20, size=200))
    good = [re.sub("w1", "w2", line) for line in references]
    worse = [re.sub("w1", "w3 w4 w5", line) for line in references]
    scores = bleu.paired({"good": good, "same": good, "worse": worse}, references)
    assert [scores[name]["p"] for name in ("good", "same")] == [None, 1]
    assert scores["worse"]["p"] < 0.01 and scores["good"]["bleu"] == bleu.bleu(good, references)


def test_a_share_of_bleu_agrees_differs_or_cannot_be_told():
    asked = bleu.Criterion("Table 1", share=-0.1, other=0.0)
    for variant, agrees in (([18, 18.2], True), ([20, 20.2], False), ([18, 22], None)):
        base, p = np.full(2, 20.0), np.ones(2)
        assert asked.beside(bleu.Comparison(base, np.array(variant), p))["agrees"] is agrees


# ---- stored runs


@pytest.fixture
def talks(tmp_path):
    """Made-up sentences as the files of IWSLT'15, one of the lines to train on left empty."""
    corpus, path = data.Corpus(copies(300), copies(20), {"test": copies(20)}), tmp_path / "talks"
    path.mkdir()
    parts = (corpus.train, corpus.validation, corpus.tests["test"])
    sides = [side for pairs in parts for side in zip(*pairs, strict=True)]
    for place, (name, side) in enumerate(zip(data.names("iwslt15"), sides, strict=True)):
        written = [*side[:7], side[7] if place else "", *side[8:], ""]
        (path / f"{name}.gz").write_bytes(gzip.compress("\n".join(written).encode()))
    read = data.from_folder("iwslt15", path)
    assert read.train == corpus.train[:7] + corpus.train[8:]
    assert read.tests["test"] == parts[2]
    return path


def test_a_run_on_talks_replays_and_forged_figures_do_not(talks):
    settings = runs.EXPERIMENTS["translation_iwslt15"].configurations[0] | dict(
        epochs=2, tokens=400, rate=0.015, warmup=10, size=200, train=300, test=20, width=16,
        hidden=32, beam=2,
    )  # fmt: skip
    result = runs.measure("cpu", talks, **settings)
    assert not {"samples", "kept"} & {*result}  # no sentence is stored
    assert len(settings["variants"]) == len(result["systems"])
    assert result == json.loads(json.dumps(result))
    assert all(runs.replay(settings, result, folder) for folder in (None, talks))
    system = result["systems"][MEAN]
    for changed in (
        {"bleu": system["bleu"] + 0.02},
        {"best_epoch": 1 + system["best_epoch"] % 2},
    ):
        forged = {**result, "systems": {**result["systems"], MEAN: {**system, **changed}}}
        assert not runs.replay(settings, forged)
    assert not runs.replay({**settings, "rate": 0.001}, result)
    assert not runs.replay(settings, {**result, "data": "0" * 16}, data=talks)
