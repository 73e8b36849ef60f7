"""A known-good call of each public function of the rooms on counting, turing, learning and
trained networks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from chapters.common import feedforward
from chapters.pages.counting_ablations import answers as outcomes
from chapters.pages.counting_ablations import by_hand
from chapters.pages.counting_ablations import by_hand as identity
from chapters.pages.parity_not_learned import sharpness
from chapters.pages.turing_completeness import circuits, doubling, variants
from lib import trained, turing
from lib.counting import grids, train
from lib.counting import train as scores
from lib.counting.layer import Ablation, Counters
from lib.languages import PARITY
from lib.learning import network as networks
from lib.learning import strings as learned
from lib.learning import train as training
from lib.learning.ensemble import Ensemble
from lib.trained.network import Linear, Norm
from lib.transformer.space import Space
from lib.transformer.sublayers import Head
from lib.turing import architecture, compilation
from lib.turing.machines import INCREMENT, Machine, Rule
from lib.turing.recurrent import RNN
from tests.bad_input import Example, Free, Several, Signed, good

LETTERS = Several((Free("0"), "1"))
MACHINE, EMPTY = INCREMENT, Machine.parse("A 0 -> 1 R Z", accept="Z", blank="0")
NETWORK = turing.stack_rnn(MACHINE)
COUNTER, DRAW = by_hand.algorithm_1(), np.random.default_rng


@cache
def of_counting() -> list[Example]:
    """Grids and encoders that count."""
    batch = grids.by_colour(np.ones((1, 2, 10)))
    reach = [good(function, reach=0.5) for function in (identity.plane_floor, identity.best_radius)]
    floors = (identity.ball_floor, identity.sphere_floor)
    shrunk = (by_hand.below_root_eps, by_hand.beside_black, by_hand.identity_below_root_eps)
    return (
        reach
        + [good(floor, radius=0.5, reach=0.5) for floor in floors]
        + [
            *(good(function, shrink=0.5, eps=0.5) for function in shrunk),
            good(
                Ablation,
                attention="linear",
                norms=("attention",),
                feed_forward="linear",
                residuals=True,
                biases=True,
                dropout=0.5,
                eps=0.5,
                hidden=3,
                width=3,
            ),
            good(Counters, ablation=Ablation(), seeds=(0,), dtype=torch.float32, device="cpu"),
            good(Counters.of, ablation=Ablation(), flat=COUNTER.flat.detach()),
            good(COUNTER, "Counters()", x=batch.x, weight=batch.weight, training=True),
            good(by_hand.algorithm_1, counts_black=True),
            good(by_hand.through_residuals, gain=3.0),
            good(by_hand.with_start_token, largest=3),
            good(grids.checked, grid=[[0, 1], [1, 2]]),
            good(grids.copied, grid=[[0, 1]], times=2),
            good(grids.random_grids, side=2, size=2, draw=DRAW(0), capped=True),
            good(grids.by_colour, counts=np.ones((1, 2, 10))),
            good(grids.by_cell, cells=np.ones((1, 2, 4), dtype=np.int64)),
            good(grids.started, batch=batch),
            good(outcomes.arc_task, draw=DRAW(0), examples=1),
            good(scores.accuracies, counters=COUNTER, side=2, grids=2, capped=True, seed=Signed(0)),
            good(outcomes.most_frequent, counters=COUNTER, grid=[[0, 1]]),
            good(outcomes.relative_weights, counters=COUNTER, grid=[[0, 1]]),
            good(train.count_batches, counters=COUNTER, size=2, block=2),
            good(
                fitted,
                "counting.train.fit",
                steps=1,
                rate=0.5,
                cosine=2,
                keeps_best=True,
                checkpoint=Path("x.pt"),
            ),
        ]
    )


def fitted(
    steps: Any, rate: Any, cosine: Any = None, keeps_best: Any = True, checkpoint: Any = None
) -> Any:
    """A training of a fresh encoder."""
    counters = Counters(Ablation(), [0])
    batches = train.count_batches(counters, 2, 2)
    return train.fit(counters, batches, steps, rate, cosine, keeps_best, checkpoint)


@cache
def of_turing() -> list[Example]:
    """Turing machines, and the networks that run them."""
    rule, model = Rule("a", "0", "1", "R", "b"), turing.vanilla(NETWORK)
    a, small = Space("x")["x"], doubling.Alphabet(EMPTY)
    machine = dict(rules=[rule], start="a", accept=["b"], blank=Free("_"),
                   alphabet=LETTERS, reject=Several((Free("c"),)), name=Free("x"))  # fmt: skip
    parsed = {name: value for name, value in machine.items() if name != "rules"}
    of_rnn = (turing.vanilla, turing.directional)
    of_machine = (circuits.wired, doubling.Alphabet, circuits.SpaceTime)
    return [
        good(Rule, state=Free("a"), read=Free("0"), write=Free("1"), move=Free("R"), to=Free("b")),
        good(Machine, **machine),
        good(Machine.parse, text="a 0 -> 1 R b", **parsed | {"accept": "b"}),
        good(MACHINE.run, w="1"),
        good(RNN, inputs=Space("x"), embedding={"1": a}, layers=[{"h": a}], halts=("h",)),
        good(NETWORK.states, w="1"),
        good(turing.exact, value=Fraction(1)),
        good(turing.coordinate, name=Free("x")),
        good(turing.stack_rnn, machine=MACHINE, one_step=True, base=Signed(32)),
        good(
            turing.configurations,
            machine=MACHINE,
            rnn=NETWORK,
            w="1",
            states=list(NETWORK.states("1")),
            base=8,
        ),
        *(good(function, rnn=NETWORK) for function in (*of_rnn, variants.components)),
        *(
            good(function, f"{function.__name__} rescaled", rescaled=True, rnn=NETWORK)
            for function in of_rnn
        ),
        *(good(function, machine=MACHINE) for function in of_machine),
        good(circuits.halts, machine=MACHINE, w="1"),
        good(doubling.letters, alphabet=small, w="1" * (2 * small.size - 2)),
        good(variants.compare, machine=MACHINE, w="1"),
        good(variants.denominator_bits, x=[turing.exact(Fraction(1, 2))]),
        good(variants.every_subset, n=2),
        good(variants.first_difference, states=[[1]], truth=[[1]]),
        good(variants.idle, transformer=model),
        *(
            good(encoding, i=Signed(3))
            for encoding in (
                architecture.index,
                architecture.one,
                architecture.reciprocal,
            )
        ),
        good(turing.Sublayer, map=Head({"x": a}), residual=True),
        good(turing.SaturatedFFN, hidden=[{"h": a}], out={"x": a}),
        good(
            turing.Transformer,
            space=Space("x"),
            embedding={"1": a},
            position={},
            encoder=[],
            decoder=[],
            F={"x": a},
            seed=a,
            masked=True,
            halts=("x",),
        ),
        good(model.outputs, w="1"),
        good(
            doubling.configuration,
            machine=MACHINE,
            row=[doubling.Cell("11", ("right", 0)), doubling.Cell("11")],
        ),
        good(compilation.stack_rnn, machine=EMPTY),
    ]


@cache
def of_learners() -> list[Example]:
    """Networks that learn, and their strings."""
    learner = Ensemble(networks.Network(), [networks.Member(0, 3)])
    shape = dict(positions="FIRST", heads=1, layers=1, width=4, hidden=4, eps=0.5,
                 learns_scale=True, longest=0, read_at="CLS", has_end_tag=True,
                 output_first=True, mask="none", symbols=2)  # fmt: skip
    return [
        good(networks.Network, **shape),
        good(networks.Network(layers=1).initial, seed=Signed(0)),
        good(
            networks.Member, seed=Signed(0), length=3, scale="plain", shortest=2, weights=Signed(0)
        ),
        good(
            Ensemble,
            network=networks.Network(),
            members=[networks.Member(0, 3)],
            dtype=torch.float32,
            device="cpu",
        ),
        good(
            training.score,
            ensemble=learner,
            language="FIRST",
            length=3,
            seed=Signed(0),
            sampled=2,
        ),
        good(
            sharpness,
            parameters=[torch.ones(1, 2)],
            logits=lambda: torch.ones(1, 2),
            radius=0.5,
            draws=1,
            seed=Signed(0),
        ),
        good(
            training.train,
            ensemble=learner,
            language="FIRST",
            tested_at=[1],
            test_length=3,
            steps=1,
            strings=1,
            rate=0.5,
        ),
        good(feedforward.bits, strings=["01", "11"]),
        good(feedforward.parity_network, n=3),
        good(
            feedforward.train_parity,
            n=2,
            seeds=[0],
            activation="tanh",
            steps=1,
            hidden=2,
            rate=0.5,
            device="cpu",
        ),
        good(learned.tokens, strings=["01", "11"]),
        good(learned.quotient, first=np.array([[0]]), rest=np.array([[1]]), length=Signed(3)),
    ]


@cache
def of_trained() -> list[Example]:
    """Networks that others trained."""
    shape = networks.Network(width=4, hidden=4)
    state = shape.initial(0)
    network = trained.from_pytorch(
        state,
        heads=1,
        activation="relu",
        norm="layer",
        eps=0.5,
        pre_norm=False,
        causal=False,
        word="word",
    )
    judged = trained.Judged(network, {"0": 0, "1": 1}, trained.Positive(), before=(2,))
    stored = {"wte.weight": torch.eye(4), "wpe.weight": torch.eye(4)}
    stored |= {f"ln_f.{name}": torch.ones(4) for name in ("weight", "bias")}
    for part, rows, columns in (
        ("attn.c_attn", 4, 12),
        ("attn.c_proj", 4, 4),
        ("mlp.c_fc", 4, 8),
        ("mlp.c_proj", 8, 4),
    ):
        stored |= {f"h.0.{part}.weight": torch.ones(rows, columns)}
        stored |= {f"h.0.{part}.bias": torch.ones(columns)}
    for name in ("ln_1.weight", "ln_1.bias", "ln_2.weight", "ln_2.bias"):
        stored |= {f"h.0.{name}": torch.ones(4)}
    one = torch.ones(1, 1)
    return [
        good(Linear, weight=one, bias=one[0]),
        good(Norm, gain=one[0], bias=one[0], eps=0.5, kind="layer"),
        good(
            trained.Network,
            word=one,
            layers=(),
            output=Linear(one, one[0]),
            heads=1,
            activation="relu",
            pre_norm=True,
            causal=False,
        ),
        good(
            trained.Judged,
            network=network,
            tokens={"0": 0, "1": 1},
            decides=trained.Positive(),
            before=(2,),
            after=(),
            read_at="last",
            offset=0,
        ),
        good(
            trained.audit,
            judged=judged,
            language=PARITY,
            longest=2,
            floats=("float32",),
            seconds=9.0,
            progress=False,
        ),
        good(trained.accepted, judged=judged, words=["01"]),
        good(trained.logits, judged=judged, words=["01", "0"]),
        good(
            trained.sampled,
            judged=judged,
            language=PARITY,
            shortest=1,
            longest=2,
            each=3,
            seed=0,
        ),
        good(
            trained.from_gpt2,
            state=stored,
            heads=1,
            activation="relu",
            norm="layer",
            eps=0.5,
            causal=True,
        ),
        good(
            trained.from_pytorch,
            state=state,
            heads=1,
            activation="relu",
            norm="layer",
            eps=0.5,
            pre_norm=False,
            causal=False,
            word=Free("word"),
            output=Free("output"),
        ),
    ]
