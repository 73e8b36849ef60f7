"""Tokens a second of the encoder-decoder, as ratios measured in one run, on one thread: `make
benchmark`.

Training and decoding beside PyTorch's `nn.Transformer` used plainly, with the same weights, on
batches of 32 sentences; the plain decoding runs it on all that was decoded so far, as it has no
other way.
"""

import pytest
import torch
from torch.nn.functional import cross_entropy

from lib.translation.decoding import greedy
from lib.translation.model import BOS, EOS, Seq2Seq, Shape
from lib.translation.train import loss_of
from tests.plain import plain, plain_logits

SYMBOLS, SENTENCES, LENGTH, LONGEST = 2000, 32, 20, 50
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
@pytest.mark.parametrize("is_cached", [True, False])
def bench_decoding(benchmark, model, is_cached):
    model.eval()
    outputs = benchmark.pedantic(
        greedy, (model, pairs()[0], LONGEST, is_cached), rounds=3 if is_cached else 1
    )
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
