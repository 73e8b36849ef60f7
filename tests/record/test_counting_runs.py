"""The stored runs on counting: a short one replays, a forged one does not, and every stored figure
is what the stored encoders give.
"""

import json

import numpy as np
import pytest
import torch

from chapters.counting_ablations import train
from chapters.counting_ablations.layer import Counters
from chapters.counting_ablations.runs import (
    EXPERIMENTS,
    FACTORS,
    FIRST_LOSSES,
    SIZES,
    kept,
    kept_members,
    measure,
    member_rates,
    packed,
    replay,
    report,
    verdict,
)
from chapters.counting_ablations.train import count_batches, fit
from record.experiment import significant

TABLES, _, ONE_FACTOR = (made.configurations for made in EXPERIMENTS.values())
BRIEF = {"No-LayerNorm-Count", "LayerNorm-SA-Count", "softmax", "dropout", "V2"}
SHORT = [{**c, "steps": 30, "seeds": 2} for c in TABLES + ONE_FACTOR if c["name"] in BRIEF]


@pytest.fixture(scope="module", params=SHORT, ids=lambda configuration: configuration["name"])
def short_run(request) -> tuple[dict, dict]:
    """A configuration and its result, as JSON brings it back."""
    return request.param, json.loads(json.dumps(measure("cpu", **request.param)))


def test_a_short_run_replays(short_run):
    configuration, result = short_run
    members = len(member_rates(configuration))
    assert replay(configuration, result)
    assert np.shape(result["first_losses"]) == (FIRST_LOSSES, members)
    assert np.shape(result["cells"]) == np.shape(result["grids"]) == (len(SIZES), members)


def test_a_run_goes_on_from_its_checkpoint(short_run, tmp_path, monkeypatch):
    configuration, result = short_run
    monkeypatch.setattr(train, "CHECKPOINTED", 20)
    for _ in range(2):
        again = measure("cpu", checkpoints=tmp_path, **configuration)
        assert json.loads(json.dumps(again)) == result
    assert len([*tmp_path.iterdir()]) == 1


def test_a_run_with_other_losses_or_another_rate_does_not_replay(short_run):
    configuration, result = short_run
    other = (1.001 * np.array(result["first_losses"])).tolist()
    assert not replay(configuration, {**result, "first_losses": other})
    rates = (1.1 * np.array(configuration["rate"])).tolist()
    assert not replay({**configuration, "rate": rates}, result)


@pytest.mark.parametrize("name", ["cells", "grids", "uncapped"])
def test_a_forged_share_is_noticed(short_run, name):
    configuration, result = short_run
    forged = np.array(result[name])
    forged[..., kept_members(configuration)[-1]] += 0.01
    assert not replay(configuration, {**result, name: forged.tolist()})


def test_other_parameters_are_noticed(short_run):
    configuration, result = short_run
    moved = kept({"configuration": configuration, "result": result}).flat + 10
    assert not replay(configuration, {**result, "parameters": packed(moved)})


def test_what_is_reported_is_computed_from_what_is_kept():
    configuration = {**ONE_FACTOR[0], "steps": 200, "rate": [1e-2], "seeds": 2}
    counters = Counters(FACTORS["nothing"], [0, 1])
    losses = fit(counters, count_batches(counters), 200, 1e-2, keeps_best=False)
    result = report(configuration, counters.flat, losses.numpy(), losses.numpy()[:5])
    encoders = kept({"configuration": configuration, "result": result})
    assert torch.equal(encoders.flat, counters.flat.float().double())


def swept(shares: list[float]) -> dict:
    """A row of one seed at four rates, with the same shares at every side."""
    return {"result": {"cells": [shares] * len(SIZES)}}


@pytest.mark.parametrize(
    "shares, expected",
    [
        ([0.2, 0.8, 0.3, 0.1], "fatal"),
        ([0.2, 0.81, 0.3, 0.1], "in distribution"),
        ([0.2, 0.998, 0.998, 0.998], "in distribution"),
        ([0.2, 0.3, 0.9995, 0.1], "harmless"),
    ],
)
def test_the_verdict_on_a_factor_is_that_of_its_best_rate(shares, expected):
    assert verdict(swept(shares)) == expected


def test_numbers_are_rounded_to_significant_digits():
    assert significant(np.array([[123456.0, 0.000123456], [0.0, -1.5]])) == [
        [123500.0, 0.0001235],
        [0.0, -1.5],
    ]
