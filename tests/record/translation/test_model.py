"""The encoder-decoder is PyTorch's where no switch is set, each switch does what its equation says,
and decoding keeps what it may.
"""

import itertools
from math import log

import pytest
import torch

from chapters.translation.model import (
    ATTENTION_SCALES,
    BOS,
    EOS,
    PAD,
    POSITION_SCHEMES,
    RESIDUALS,
    Seq2Seq,
    Shape,
)
from chapters.translation.train import beam, greedy
from tests.plain import greedy_anew, plain, plain_logits

SYMBOLS = 20


def model(seed: int = 0, **switches) -> Seq2Seq:
    """A small model in float64 all of whose parameters, biases and norms too, are random."""
    made = Seq2Seq(
        Shape(SYMBOLS, **{"layers": 2, "heads": 2, "width": 8, "hidden": 12, **switches}), seed
    ).double()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter += 0.3 * torch.randn(
                parameter.shape, generator=generator, dtype=parameter.dtype
            )
    return made.eval()


def sentences(lengths: list[int], seed: int = 0) -> torch.Tensor:
    """Random sentences of these lengths, padded on the right."""
    drawn = torch.randint(
        EOS + 2,
        SYMBOLS,
        (len(lengths), max(lengths)),
        generator=torch.Generator().manual_seed(seed),
    )
    return drawn.masked_fill(torch.arange(max(lengths)) >= torch.tensor(lengths)[:, None], PAD)


SOURCE, TARGET = sentences([7, 4, 1, 5]), sentences([6, 3, 6, 1], seed=1)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.filterwarnings(
    "ignore:enable_nested_tensor", "ignore:The PyTorch API of nested tensors"
)
def test_without_switches_it_is_pytorchs_transformer(norm_first, training, dtype):
    ours = model(norm_first=norm_first).to(dtype).train(training)
    theirs = plain(ours).train(training)
    for source in (SOURCE, sentences([5, 5])):
        target, tolerance = TARGET[: len(source)], 1e-5 if dtype == torch.float32 else 1e-12
        there = target != PAD
        assert (ours(source, target) - plain_logits(ours, theirs, source, target))[
            there
        ].abs().max() < tolerance
    if training:
        for logits in (ours(SOURCE, TARGET), plain_logits(ours, theirs, SOURCE, TARGET)):
            logits[TARGET != PAD].square().sum().backward()
        for (name, one), other in zip(
            ours.encoder[0].own.query.named_parameters(),
            (
                theirs.encoder.layers[0].self_attn.in_proj_weight,
                theirs.encoder.layers[0].self_attn.in_proj_bias,
            ),
            strict=True,
        ):
            assert torch.allclose(
                one.grad,
                other.grad[: len(one)],
                rtol=1e-3,
                atol=1e-4 if dtype == torch.float32 else 1e-10,
            ), name


def by_the_equations(ours: Seq2Seq, source: list[int], target: list[int]) -> torch.Tensor:
    """Post-norm logits of one unpadded pair, written again with explicit attention weights, each
    switch in its place.
    """
    shape = ours.shape

    def attend(attention, x, y, masked):
        q, (k, v) = attention.query(x), attention.key_value(y).chunk(2, -1)
        heard = []
        for head in range(shape.heads):
            part = slice(head * shape.width // shape.heads, (head + 1) * shape.width // shape.heads)
            rows = []
            for i in range(len(x)):
                seen = slice(0, i + 1 if masked else len(y))
                scores = k[seen, part] @ q[i, part] / (shape.width / shape.heads) ** 0.5
                scores = (
                    scores
                    * {
                        "plain": 1,
                        "log n": log(len(scores)),
                        "log n over log 16": log(len(scores), 16),
                        "log 16": log(16),
                        "log n over log mean": log(len(scores), shape.mean_length),
                    }[shape.scale]
                )
                rows.append(torch.softmax(scores, 0) @ v[seen, part])
            heard.append(torch.stack(rows))
        return attention.out(torch.cat(heard, -1))

    def feed(layer, x):
        return layer.feed_forward[2](torch.relu(layer.feed_forward[0](x)))

    def keep(name, x):
        return 0 if name in shape.without else x

    x, y = (ours.embed(torch.tensor([side]))[0] for side in (source, target))
    for layer in ours.encoder:
        x = layer.around_own.norm(x + attend(layer.own, x, x, shape.positions == "masking"))
        x = layer.around_feed_forward.norm(x + feed(layer, x))
    x = ours.encoder_norm(x)
    for layer in ours.decoder:
        y = layer.around_own.norm(keep("decoder-decoder", y) + attend(layer.own, y, y, True))
        y = layer.around_across.norm(keep("decoder-encoder", y) + attend(layer.across, y, x, False))
        y = layer.around_feed_forward.norm(keep("decoder feed-forward", y) + feed(layer, y))
    return ours.decoder_norm(y) @ ours.word.weight.T


SWITCHES = [
    dict(positions=positions, without=without, scale=scale)
    for positions, scale in itertools.product(POSITION_SCHEMES, ("plain", "log n"))
    for without in ((), *((name,) for name in RESIDUALS), RESIDUALS)
]
SWITCHES += [dict(scale=scale) for scale in ATTENTION_SCALES if scale not in ("plain", "log n")]
SWITCHES += [dict(scale="log n over log mean", mean_length=7.5)]


@torch.no_grad()
@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_each_switch_is_its_equation(switches):
    ours = model(**switches)
    logits = ours(SOURCE, TARGET)
    for number, (source, target) in enumerate(zip(SOURCE.tolist(), TARGET.tolist(), strict=True)):
        n, m = sum(s != PAD for s in source), sum(s != PAD for s in target)
        again = by_the_equations(ours, source[:n], target[:m])
        assert (logits[number, :m] - again).abs().max() < 1e-10


@torch.no_grad()
def test_masking_adds_no_encoding_and_sinusoids_are_vaswanis():
    same = torch.full((1, 9), 7)
    assert model(positions="masking").embed(same).std(1).max() < 1e-12
    shift = (model().embed(same) - model(positions="masking").embed(same))[0]
    expected = [
        [f(i / 10_000 ** (2 * j / 8)) for j in range(4) for f in (torch.sin, torch.cos)]
        for i in torch.arange(9.0)
    ]
    assert torch.allclose(shift.float(), torch.tensor(expected), atol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("norm_first", [False, True])
def test_one_input_without_the_decoder_encoder_residual_gives_one_output(norm_first):
    """Proposition 4.3 of Bhattamishra et al.: the decoder cannot hear itself, whatever its weights
    and its depth.
    """
    outputs = {
        without: [
            greedy(model(seed, without=without, norm_first=norm_first), torch.tensor([[9]]), 12)[0]
            for seed in range(20)
        ]
        for without in ((), *((name,) for name in RESIDUALS))
    }
    for seed in range(20):
        logits = model(seed, without=("decoder-encoder",), norm_first=norm_first)(
            torch.tensor([[9]]), TARGET[:1]
        )
        assert logits.std(1).max() < 1e-12
    assert all(len(set(found)) <= 1 for found in outputs["decoder-encoder",])
    for without in ((), ("decoder-decoder",), ("decoder feed-forward",)):
        assert any(len(set(found)) > 1 for found in outputs[without])


@pytest.mark.parametrize(
    "switches",
    [
        *SWITCHES,
        dict(norm_first=True),
        dict(norm_first=True, scale="log n", positions="masking"),
        dict(tied=False),
    ],
    ids=str,
)
def test_kept_keys_and_values_change_nothing_and_a_beam_of_1_is_greedy(switches):
    ours = model(seed=3, **switches)
    kept = greedy(ours, SOURCE, 15)
    assert kept == greedy_anew(ours, SOURCE, 15) == beam(ours, SOURCE, 15, 1)
    memory, prefix = ours.begin(SOURCE, 6), TARGET
    with torch.no_grad():
        steps = torch.stack([ours.step(prefix[:, t], memory) for t in range(6)], 1)
        assert (steps - ours(SOURCE, prefix)).abs().max() < 1e-10


def test_a_sentence_is_decoded_alike_in_any_batch():
    for ours in (model(seed=3), model(seed=3, positions="masking", scale="log n")):
        for width in (1, 3):
            assert beam(ours, SOURCE, 8, width) == [
                beam(ours, row[row != PAD][None], 8, width)[0] for row in SOURCE
            ]


@torch.no_grad()
def log_probability(ours: Seq2Seq, source: list[int], symbols: list[int], has_ended: bool) -> float:
    ended = [*symbols, EOS] if has_ended else symbols
    logits = ours(torch.tensor([source]), torch.tensor([[BOS, *ended[:-1]]]))[0]
    logits[:, [PAD, BOS]] = -torch.inf
    return logits.log_softmax(-1)[range(len(ended)), ended].sum().item() / len(ended)


@pytest.mark.parametrize("seed", range(4))
def test_a_wide_beam_finds_the_best_of_all_outputs(seed):
    ours = Seq2Seq(Shape(6, width=4, hidden=8), seed).double().eval()
    with torch.no_grad():
        ours.word.weight[EOS] *= 2
    candidates = [
        (list(words), True)
        for length in range(3)
        for words in itertools.product((3, 4, 5), repeat=length)
    ]
    candidates += [(list(words), False) for words in itertools.product((3, 4, 5), repeat=3)]
    best = max(candidates, key=lambda candidate: log_probability(ours, [4, 5], *candidate))
    assert beam(ours, torch.tensor([[4, 5]]), 3, width=60) == [best[0]]
