"""Masks, ALiBi, RoPE and the factors on the logits, against PyTorch's modules and their automatic
gradient.
"""

import math

import numpy as np
import pytest
import torch

from chapters.common.learners.ensemble import Ensemble, gradient
from chapters.common.learners.network import (
    BY_QUERY,
    ENCODINGS,
    LOGIT_SCALES,
    RELATIVE,
    Member,
    Network,
)
from chapters.common.learners.strings import COPYING, spelled
from chapters.common.learners.train import StringSource
from lib.languages import DYCK_1, MAJORITY
from tests.learner import Plain, nats, plain

CODES = [[1], [0, 1], [1, 1, 0, 1, 0], [0, 3, 1, 0, 0, 1, 1, 3]]  # 3 is the third symbol
LABELS = [True, False, False, True]


def batch():
    longest = max(map(len, CODES))
    return spelled(np.array([[w + [-1] * (longest - len(w)) for w in CODES]]))


def moved(network: Network, *scales: str) -> Ensemble:
    """Members with these scales, in float64, far from their initial parameters."""
    members = [Member(seed, 4, scale) for seed, scale in enumerate(scales)]
    made = Ensemble(network, members, torch.float64)
    noise = torch.randn(made.flat.shape, generator=torch.Generator().manual_seed(1))
    made.flat += 0.3 * noise.double()
    return made


@pytest.mark.parametrize("mask", ["none", "future"])
@pytest.mark.parametrize("positions", [*RELATIVE, *ENCODINGS])
@pytest.mark.parametrize("heads, layers, learns_scale", [(1, 1, False), (2, 2, True)])
def test_loss_gradient_and_attention_are_those_of_pytorchs_module(
    positions, mask, heads, layers, learns_scale
):
    network = Network(
        positions,
        heads=heads,
        layers=layers,
        width=8,
        hidden=12,
        learns_scale=learns_scale,
        mask=mask,
        read_at="last" if mask == "future" else "CLS",
        symbols=3,
    )
    scales = [name for name in LOGIT_SCALES if mask == "future" or name not in BY_QUERY]
    made = moved(network, *scales)
    losses, (_, paid) = gradient(made, batch(), torch.tensor([LABELS])), made(batch())
    for member in range(len(scales)):
        module, each = plain(made, member), []
        for j, (w, label) in enumerate(zip(CODES, LABELS, strict=True)):
            each.append(nats(module, w, label))
            same = np.allclose(module.attention(), paid[member, j].detach(), atol=1e-10, rtol=0)
            assert same or mask != "none"  # behind a mask it is the last token's
        by_pytorch = torch.stack(each).mean()
        by_pytorch.backward()
        assert abs(losses[member] - by_pytorch).item() < 1e-12
        found = Ensemble(network, [made.members[member]], torch.float64)
        found.flat.copy_(
            torch.cat([made.parameters[name][member].flatten() for name in made.parameters])
        )
        gradient(found, batch(), torch.tensor([LABELS]))
        assert difference(found, module) < 1e-12
        together = torch.cat(
            [part[member].flatten() for part in made.views(made.flat.grad).values()]
        )
        assert (together - found.flat.grad).abs().max() < 1e-12


def difference(made: Ensemble, module: Plain) -> float:
    """The largest difference between the gradients of the only member and of its module."""
    values = made.flat.detach().clone()
    made.flat.copy_(made.flat.grad)  # so that `state` gives the gradient in PyTorch's shapes
    by_name = {name: value.clone() for name, value in made.state(0).items()}
    made.flat.copy_(values)
    assert max(value.abs().max().item() for value in by_name.values()) > 1e-2
    return max((by_name[name] - p.grad).abs().max().item() for name, p in module.named().items())


def test_a_scale_is_what_its_name_says():
    """Llama 4 multiplies queries by 1 + 0.1 ln(1 + floor((t + 1) / 8192)), t counted from 0."""
    floor_log = LOGIT_SCALES["floor-log"]
    one, trained = torch.tensor(1.0), torch.tensor(8192.0)
    for t in (0, 8190, 8191, 16382, 16383, 10**6):
        published = math.log(math.floor((t + 1.0) / 8192) + 1.0) * 0.1 + 1.0
        assert floor_log(one, torch.tensor(t + 1.0), trained).item() == pytest.approx(published)
    scale = LOGIT_SCALES["log i / log L"](one, trained, trained)
    assert scale.item() == pytest.approx(1)


@pytest.mark.parametrize("language", [MAJORITY, DYCK_1, COPYING], ids=str)
def test_drawn_strings_are_labelled_as_the_language_says(language):
    network = Network(mask="future", read_at="last", symbols=len(language.alphabet))
    drawn, labels = StringSource(Ensemble(network, [Member(0, 12, shortest=2)]), language.name)(300)
    names = [*language.alphabet[:2], "CLS", *language.alphabet[2:]]
    for row, kept, label in zip(drawn.symbols[0], drawn.log_count[0] == 0, labels[0], strict=True):
        w = "".join(names[code] for code in row[kept][1:])
        assert (w in language) == label
        assert 2 <= len(w) <= 12 and (language is not DYCK_1 or len(w) % 2 == 0)
    assert 0.25 < labels.double().mean() < 0.75


def test_dyck_words_are_uniform_but_for_those_that_rotations_hit():
    """A half is a uniform word of five; a quarter is rotated, to a word with r ways to be split in
    two by r of the six rotations.
    """
    drawn, words = (
        DYCK_1.sample(6, 20_000, seed=0),
        [w for w in DYCK_1.all_strings(6) if w in DYCK_1],
    )
    assert len(words) == 5
    for w in words:
        splits = sum(w[turn:] + w[:turn] in DYCK_1 for turn in range(6))
        share = (1 / 2 + splits / 6 / 4) / 5
        assert abs(drawn.count(w) / 20_000 - share) < 5 * math.sqrt(share / 20_000)
