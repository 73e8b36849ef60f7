"""The page's reader: what it proves of a string is what the exact reader or the language says, and
every number that it shows is torch's.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
import torch

from chapters.playground.data import MODELS, variants
from lib.constructions import palindrome
from lib.transformer.construction import Construction
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from lib.transformer.sublayers import Layer
from tests import EVERYTHING, OFTEN
from tests.formulas.oracles import strings as every
from tests.page.engine import data, fraction
from tests.strategies import constructions, drawn

SETTINGS = [
    {},
    {"eps": 0},
    {"eps": 1e-5},
    {"eps": 1},
    {"log_n": True},
    {"log_n": True, "eps": 0.01},
    {"attention": "hardmax"},
    {"attention": "hardmax", "log_n": True},
]


def read_with(construction: Construction, options: dict) -> dict:
    """The construction for the page, which finds in it how it is read."""
    return data(construction) | ({"reading": options} if options else {})


def decisions(engine, construction: Construction, strings: list[str], **options) -> list[dict]:
    json = read_with(construction, options)
    return engine.all("decide", ([json, w] for w in strings))


def swept(engine, construction, inside: list[str] | str, options: dict | None = None, **settings):
    """What the page's sweep finds, for a language by its name or by its members."""
    kind = "builtin" if isinstance(inside, str) else "examples"
    language = {"kind": kind, "name": inside, "inside": inside}
    return engine("sweep", read_with(construction, options or {}), language, settings)


def agree(said: list[dict], construction: Construction, strings: list[str], bits: int, options):
    """Asserts that the page proves what the exact reader proves, and no less."""
    reader = Exact(construction, **options)
    for w, one in zip(strings, said, strict=True):
        truth = None
        with suppress(ZeroDivisionError):  # a normalization divides 0 by 0
            truth = reader.decide(w, bits)
        assert one["quick"] in (None, one["sign"])
        if truth is None:
            assert (one["sign"], one["accepts"], one["text"]) == (None, None, "0/0")
        elif truth.sign is not None:
            assert (one["sign"], one["accepts"]) == (truth.sign, truth.accepts), w
        if truth is not None and one["value"] is not None:
            middle, radius = map(fraction, one["value"])
            assert not abs(truth.s - middle) > radius, w


# ---- the models of the page ----

FORMS = [
    (name, variant) for name, (_, construct) in MODELS.items() for variant in variants(construct())
]


def test_0110_is_exactly_a_palindrome(engine):
    said = decisions(engine, palindrome(), ["0110", "0111", "01101"])
    assert [one["text"] for one in said] == ["0", "-2/63", "2/127"]  # sum of ±2^i over 2^n - 1
    assert said[0]["accepts"] and said[0]["value"] == [["0", "1"], ["0", "1"]]
    [said] = decisions(engine, palindrome(), ["0110"], log_n=True)
    assert (said["sign"], said["accepts"]) == (None, None) and said["value"][1] != ["0", "1"]
    assert said["text"] == "not decided with 4096 bits"  # weights n^(i ln 2) on either side


@pytest.mark.parametrize("name, variant", FORMS)
def test_models_of_the_page_decide_as_the_exact_reader_does(engine, name, variant):
    language, construct = MODELS[name]
    for options in SETTINGS:
        draw = random.Random(f"{name} {variant} {options}")
        construction = variants(construct(Fraction(draw.randint(1, 16), 4)))[variant]
        symbols = construction.alphabet
        strings = ["", *symbols]
        strings += ["".join(draw.choices(symbols, k=draw.randint(2, 14))) for _ in range(6)]
        said = decisions(engine, construction, strings, **options)
        agree(said, construction, strings, 4096, options)
    if name != "flawed FIRST":
        found = swept(engine, variants(construct())[variant], language.name, longest=10)
        assert (found["counterexample"], found["strings"], found["longest"]) == (None, 2047, 10)


# ---- random constructions ----


@cache
def random_constructions() -> list[Construction]:
    """With masks, both read-outs and outputs, and bases; every third one never looks ahead."""
    ahead = drawn(constructions(masked=True), 100)
    found = ahead + drawn(constructions(causal=True), 50)
    draw = random.Random(0)

    def based(layer: Layer) -> Layer:
        bases = [None, None, 2, 3, Fraction(1, 2), 1]
        heads = [replace(head, base=draw.choice(bases)) for head in layer.heads]
        return replace(layer, heads=heads)

    return [
        replace(
            one,
            layers=[*map(based, one.layers)],
            activation=draw.choice(["sigmoid", "sigmoid", "indicator"]),
        )
        for one in draw.sample(found, len(found))
    ]


@pytest.mark.parametrize("seed", range(0, 120, 1 if EVERYTHING else 3))
def test_random_constructions_have_the_verdicts_of_the_exact_reader(engine, seed):
    strings, construction = every("01", 4), random_constructions()[seed]
    options = random.Random(-seed - 1).choice([{}, {}, *SETTINGS[1:7], SETTINGS[6]])
    said = decisions(engine, construction, strings, **options)
    agree(said, construction, strings, 256, options)
    known = [w for w, one in zip(strings, said, strict=True) if one["accepts"]]
    undecided = [w for w, one in zip(strings, said, strict=True) if one["accepts"] is None]
    found = swept(engine, construction, known, options, longest=4)
    assert found["counterexample"] == next(iter(undecided), None)
    assert found["kind"] == ("undecided" if undecided else None)


# ---- the numbers that are shown ----


def shown(engine, construction: Construction, strings: list[str], options: dict) -> list[dict]:
    json = read_with(construction, options)
    return engine.all("run", ([json, w] for w in strings))


def close(page: list, book: torch.Tensor) -> bool:
    numbers = [[torch.nan if x is None else x for x in row] for row in page]
    made = torch.tensor(numbers, dtype=torch.float64)
    scale = book.abs().max().nan_to_num(1).clamp(min=1) if book.numel() else 1
    return torch.allclose(made, book.expand_as(made), rtol=0, atol=1e-11 * scale, equal_nan=True)


@pytest.mark.parametrize("attention", ["softmax", "hardmax"])
def test_logits_weights_and_coordinates_are_those_of_torch(engine, attention):
    """With hardmax of constructions whose logits floats hold, so that ties are ties."""
    exactly = drawn(constructions(dyadic=True, masked=True), 20 * OFTEN)
    known = exactly if attention == "hardmax" else random_constructions()[: 20 * OFTEN]
    for seed, construction in enumerate(known):
        options = {"attention": attention, "log_n": seed % 4 == 1}
        if attention == "softmax":
            options["eps"] = [None, 1, 0.1][seed % 3]
        reader = Encoder(construction, **options)
        for n in (0, 1, 5):
            strings = every("01", n)[-2:]
            page, trace = shown(engine, construction, strings, options), reader.trace(strings, True)
            assert close([[one["logit"]] for one in page], reader(strings)[:, None])
            streams = [trace.a[0]]
            for number, layer in enumerate(construction.layers, start=1):
                both = [trace.c[number], trace.a[number]]
                streams += (
                    both if layer.ffn and layer.heads else both[:1] if layer.heads else both[1:]
                )
            for stage, stream in enumerate(streams):
                for name, book in stream.items():
                    blank = dict.fromkeys(map(str, range(book.shape[-1])), 0)
                    rows = [one["stages"][stage].get(name, [*blank.values()]) for one in page]
                    assert close(rows, book), (seed, stage, name)
            for one in page if construction.layers else []:
                for head in one["attention"]:
                    book = trace.attention[head["layer"], head["head"]]
                    assert close(head["weights"], book[page.index(one)]), seed
