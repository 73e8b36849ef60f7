"""Tokens a second of the encoder-decoder, as ratios measured in one run, on one thread: `make
benchmark`.

Training and decoding beside PyTorch's `nn.Transformer` used plainly, with the same weights, on
batches of 32 sentences; the plain decoding runs it on all that was decoded so far, as it has no
other way. Then a corpus whose lengths are those of talks: beside batches in buckets stands a plain
loop over shuffled ones, beside decoding by length one that takes a sentence at a time.
"""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from record.experiments.translation.data import Examples, Pairs, Words
from record.experiments.translation.model import BOS, EOS, PAD, Seq2Seq, Shape
from record.experiments.translation.settings import TALKS
from record.experiments.translation.train import Learned, greedy, loss_of
from tests.plain import greedy_anew, padding_share, plain, plain_logits

SYMBOLS, SENTENCES, LENGTH, LONGEST = 2000, 32, 20, 50
EPOCH, SENTENCE_BY_SENTENCE = (
    "an epoch of 4000 pairs with the lengths of talks",
    "decoding 400 sentences with the lengths of talks",
)
TRAINING, DECODING = (
    "a step of training, 32 sentences of 20 symbols",
    "decoding 50 symbols for 32 sentences",
)


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture
def model() -> Seq2Seq:
    made = Seq2Seq(Shape(SYMBOLS, layers=3, heads=4, width=256, hidden=1024))
    with torch.no_grad():
        made.word.weight[EOS] = (
            0  # the end is never the likeliest: every output has its full length
        )
    return made


def pairs() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return tuple(
        torch.randint(EOS + 2, SYMBOLS, (SENTENCES, LENGTH), generator=generator) for _ in range(2)
    )


def tokens_a_second(benchmark, many: int) -> None:
    print(f"\n{benchmark.name}: {many / benchmark.stats.stats.median:,.0f} target tokens a second")


def step(model, modules, loss):
    adam = torch.optim.Adam(
        [parameter for module in modules for parameter in module.parameters()], fused=True
    )

    def run():
        adam.zero_grad()
        loss().backward()
        adam.step()

    return run


@pytest.mark.benchmark(group=TRAINING)
def bench_training(benchmark, model):
    source, target = pairs()
    benchmark.pedantic(
        step(model, [model], lambda: loss_of(model, source, target)), rounds=15, warmup_rounds=3
    )
    tokens_a_second(benchmark, SENTENCES * (LENGTH - 1))


@pytest.mark.benchmark(group=TRAINING)
def bench_training_of_a_plain_transformer(benchmark, model):
    (source, target), made = pairs(), plain(model)

    def loss():
        return cross_entropy(
            plain_logits(model, made, source, target[:, :-1]).flatten(0, 1),
            target[:, 1:].flatten(),
            ignore_index=0,
        )

    benchmark.pedantic(step(model, [model.word, made], loss), rounds=15, warmup_rounds=3)
    tokens_a_second(benchmark, SENTENCES * (LENGTH - 1))


@pytest.mark.benchmark(group=DECODING)
@pytest.mark.parametrize("decode, rounds", [(greedy, 3), (greedy_anew, 1)])
def bench_decoding(benchmark, model, decode, rounds):
    model.eval()
    outputs = benchmark.pedantic(decode, (model, pairs()[0], LONGEST), rounds=rounds)
    assert [len(output) for output in outputs] == [LONGEST] * SENTENCES
    tokens_a_second(benchmark, SENTENCES * LONGEST)


@torch.no_grad()
@pytest.mark.benchmark(group=DECODING)
def bench_decoding_of_a_plain_transformer(benchmark, model):
    source, made = pairs()[0], plain(model.eval()).eval()

    @torch.no_grad()
    def decode():
        memory, symbols = made.encoder(model.embed(source)), torch.full((SENTENCES, 1), BOS)
        for t in range(LONGEST):
            y = made.decoder(
                model.embed(symbols),
                memory,
                tgt_mask=torch.ones(t + 1, t + 1, dtype=torch.bool).triu(1),
                tgt_is_causal=True,
            )
            logits = y[:, -1] @ model.word.weight.T
            logits[:, :2] = -torch.inf
            symbols = torch.cat([symbols, logits.argmax(-1, keepdim=True)], 1)
        return symbols[:, 1:].tolist()

    assert benchmark.pedantic(decode, rounds=1) == greedy(model, source, LONGEST)
    tokens_a_second(benchmark, SENTENCES * LONGEST)


# ---- the lengths of talks


def talks(size: int) -> Pairs:
    """Pairs of 2 to 120 words, their lengths log-normal with a mean of 20, made of 900 words."""
    draw = np.random.default_rng(0)
    sources = np.clip(np.exp(draw.normal(2.75, 0.7, size)), 2, 120).astype(int)
    targets = np.clip(sources * draw.normal(1.2, 0.15, size), 2, 120).astype(int)
    words = np.array([f"w{i}" for i in range(900)])
    return Pairs(
        *(tuple(" ".join(draw.choice(words, n)) for n in part) for part in (sources, targets))
    )


def of_talks(size: int) -> tuple[Examples, Words, Seq2Seq]:
    pairs = talks(size)
    vocabulary = Words(pairs)
    shape = {name: TALKS[name] for name in ("layers", "heads", "width", "hidden")}
    model = Seq2Seq(Shape(len(vocabulary), norm_first=True, **shape))
    return Examples.of(pairs, vocabulary, True), vocabulary, model


def symbols_of(examples: Examples) -> int:
    return sum(len(target) - 1 for target in examples.targets)


@pytest.mark.benchmark(group=EPOCH)
def bench_an_epoch_in_buckets(benchmark):
    examples, _, model = of_talks(4000)
    adam = torch.optim.Adam(model.parameters(), fused=True)

    def epoch():
        for source, target in examples.batches(TALKS["tokens"], [0], TALKS["bucket"]):
            adam.zero_grad()
            loss_of(model, source, target, 0.1).backward()
            adam.step()

    benchmark.pedantic(epoch, rounds=2)
    tokens_a_second(benchmark, symbols_of(examples))
    share = padding_share(examples, TALKS["tokens"], TALKS["bucket"])
    print(f"padding: {share:.1%} of all symbols")
    assert share < 0.1


@pytest.mark.benchmark(group=EPOCH)
def bench_an_epoch_of_a_plain_loop(benchmark):
    examples, _, model = of_talks(4000)
    made = plain(model)
    adam = torch.optim.Adam([*model.word.parameters(), *made.parameters()])

    def epoch():
        order = torch.randperm(len(examples.sources)).tolist()
        for start in range(0, len(order), SENTENCES):
            batch = order[start : start + SENTENCES]
            source, target = (
                pad_sequence([side[i] for i in batch], batch_first=True, padding_value=PAD)
                for side in (examples.sources, examples.targets)
            )
            adam.zero_grad()
            logits = plain_logits(model, made, source, target[:, :-1])
            cross_entropy(
                logits.flatten(0, 1),
                target[:, 1:].flatten(),
                ignore_index=PAD,
                label_smoothing=0.1,
            ).backward()
            adam.step()

    benchmark.pedantic(epoch, rounds=2)
    tokens_a_second(benchmark, symbols_of(examples))


def endless(model: Seq2Seq) -> Seq2Seq:
    """The model, whose outputs never end before their greatest length."""
    with torch.no_grad():
        model.word.weight[EOS] = 0
    return model.eval()


@pytest.mark.benchmark(group=SENTENCE_BY_SENTENCE)
def bench_decoding_by_length(benchmark):
    examples, vocabulary, model = of_talks(400)
    learned = Learned(endless(model), vocabulary, True, [])
    outputs = benchmark.pedantic(learned, (talks(400).sources,), rounds=3)
    tokens_a_second(benchmark, sum(len(output.split()) for output in outputs))


@pytest.mark.benchmark(group=SENTENCE_BY_SENTENCE)
def bench_decoding_sentence_by_sentence(benchmark):
    examples, vocabulary, model = of_talks(400)
    made = plain(endless(model)).eval()

    @torch.no_grad()
    def decode():
        outputs = []
        for source in examples.sources:
            symbols = torch.tensor([[BOS]])
            for _ in range(2 * len(source) + 10):
                logits = plain_logits(model, made, source[None], symbols)[:, -1]
                logits[:, [PAD, BOS]] = -torch.inf
                symbols = torch.cat([symbols, logits.argmax(-1, keepdim=True)], 1)
            outputs.append(vocabulary.decode(symbols[0, 1:].tolist()))
        return outputs

    outputs = benchmark.pedantic(decode, rounds=1)
    assert outputs == Learned(model, vocabulary, True, [])(talks(400).sources)
    tokens_a_second(benchmark, sum(len(output.split()) for output in outputs))
