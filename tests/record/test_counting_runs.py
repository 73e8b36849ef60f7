"""The stored runs on counting: a short one replays, a forged one does not, and every stored figure
is what the stored encoders give.
"""

import json

import numpy as np
import pytest
import torch

from chapters.pages.counting_ablations.answers import TABLE_I
from lib.counting import train
from lib.counting.layer import PUBLISHED, Counters
from lib.counting.train import count_batches, fit
from record.experiment import significant
from record.experiments.ouellette import (
    EXPERIMENTS,
    FACTORS,
    FIRST_LOSSES,
    RATES,
    SIZES,
    by_rate,
    described,
    identity_pair,
    kept,
    kept_members,
    measure,
    member_rates,
    packed,
    percent,
    replay,
    report,
    unpacked,
    verdict,
)
from record.runs import stored

TABLES, STD, ONE_FACTOR = (made.configurations for made in EXPERIMENTS.values())
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


@pytest.mark.parametrize("name", ["train_loss", "test_loss"])
def test_a_forged_loss_is_noticed(name):
    [configuration] = [c for c in TABLES if c["name"] == "No-LayerNorm-Identity"]
    configuration = {**configuration, "steps": 20}
    encoder = Counters(PUBLISHED["No-LayerNorm-Identity"], [0])
    result = report(configuration, encoder.flat, np.zeros((20, 1)), np.zeros((5, 1)))
    result["first_losses"] = measure("cpu", **configuration)["first_losses"]
    assert replay(configuration, result)
    assert not replay(configuration, {**result, name: [1.05 * result[name][0]]})


def test_every_experiment_of_the_paper_and_every_factor_is_configured():
    assert {c["name"] for c in TABLES + STD} == set(PUBLISHED)
    assert [c["name"] for c in ONE_FACTOR] == list(FACTORS)


def test_every_seed_is_trained_at_every_rate():
    for configuration in ONE_FACTOR:
        assert member_rates(configuration) == [rate for rate in RATES for _ in range(3)]
    small, large = ({"name": name, "rate": RATES, "seeds": 3} for name in ("nothing", "V2"))
    assert kept_members(small) == list(range(12)) and kept_members(large) == [0, 3, 6, 9]


def test_parameters_come_back_as_float32():
    flat = torch.randn(3, 7, dtype=torch.float64)
    assert torch.equal(unpacked(packed(flat), 3), flat.float().double())


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


def test_a_harmless_rate_is_one_for_all_sides():
    row = swept([0.2, 0.2, 1.0, 1.0])
    row["result"]["cells"][0] = [0.2, 0.2, 0.5, 1.0]
    row["result"]["cells"][4] = [0.2, 0.2, 1.0, 0.5]
    assert verdict(row) == "in distribution"
    row["result"]["cells"][8] = [0.0] * 4  # 100x100 is no matter
    row["result"]["cells"][4] = [0.2, 0.2, 1.0, 1.0]
    assert verdict(row) == "harmless"


def test_shares_are_averaged_over_the_seeds_of_a_rate():
    row = {"result": {"cells": [[0.1, 0.2, 0.6, 1.0, 0.0, 0.0, 0.4, 0.6]] * len(SIZES)}}
    assert by_rate(row, 6) == pytest.approx([15, 80, 0, 50])


def test_an_identity_is_described_with_its_logged_loss():
    result = {"losses": [[0.5], [0.25]], "train_loss": [0.1], "test_loss": [0.7]}
    assert identity_pair({"result": result}) == (0.25, 0.7)
    words = [described(c) for c in TABLES if c["name"] == "LayerNorm-Identity"]
    assert words[0] == "LayerNorm-Identity, rate 0.0001, 200,000 steps"
    assert words[1] == "LayerNorm-Identity, falling rate 0.001, 4,000 steps"


def test_numbers_are_rounded_to_significant_digits():
    assert significant(np.array([[123456.0, 0.000123456], [0.0, -1.5]])) == [
        [123500.0, 0.0001235],
        [0.0, -1.5],
    ]


def test_stds_seeds_lie_close_and_the_papers_values_beyond_them():
    [row] = stored("counting_std").results
    cells = percent(row)[1:8]
    printed = np.array(TABLE_I["Std-Transformer-Count"][1:])
    assert (np.ptp(cells, axis=1) < 2).all()
    assert ((printed < cells.min(1)) | (printed > cells.max(1))).all()
