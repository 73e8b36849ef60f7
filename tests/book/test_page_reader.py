"""The page's reader has the masks, the read-outs and the hardmax of torch's: constructions made by
hand, on every string to length 6.
"""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
import torch

from chapters.playground.runs import opened
from lib.transformer.construction import Construction, to_json
from lib.transformer.encoder import Encoder
from lib.transformer.space import Space
from lib.transformer.sublayers import FFN, Head, Layer

HALF, LENGTHS = Fraction(1, 2), range(7)
RUN = """async ([json, strings, options]) => {
  const { parse, run } = await import("./playground.mjs");
  const construction = parse(json);
  const plain = stream => Object.fromEntries(Object.entries(stream).map(([k, v]) => [k, [...v]]));
  return strings.map(w => {
    const { logit, stages, attention } = run(construction, w, options);
    return {
      logit,
      accepts: construction.accepts(logit),
      stages: stages.map(({ stream }) => plain(stream)),
      weights: attention.map(({ weights }) => weights),
    };
  });
}"""

Says = Callable[[str], bool]
Case = tuple[Construction, Says, Says]  # with what it accepts by softmax and by hardmax


def made(
    layers, output, *written: str, tokens="01", position=(), readout: str = "last"
) -> Construction:
    """A construction over one-hot tokens, position functions and the coordinates `written`; its
    `layers` and its `output` are functions of the space.
    """
    tokens = (*tokens, "CLS")
    S = Space(*tokens, *position, *written)
    word, places = ({name: S[name] for name in names} for names in (tokens, position))
    return Construction(S, word, places, layers(S), output(S), readout=readout)


def ones(w: str) -> list[int]:
    """How many 1s stand up to each position, CLS the first."""
    return [w[:i].count("1") for i in range(len(w) + 1)]


def majority() -> Case:
    """More 1s than 0s: a uniform head that sees no future, read at the last position."""

    def says(w):
        return w.count("1") > w.count("0")

    c = made(
        lambda S: Layer(Head({"lead": S["1"] - S["0"] - HALF * S["CLS"]}, mask="future")),
        lambda S: S["lead"],
        "lead",
    )
    return c, says, says


def before() -> Case:
    """A 1 before the last symbol: what a strict mask leaves; for the empty string, nothing."""

    def says(w):
        return "1" in w[:-1]

    c = made(
        lambda S: Layer(Head({"ones": S["1"]}, mask="strict future")),
        lambda S: S["ones"] - Fraction(1, 100),
        "ones",
    )
    return c, says, says


def weighed() -> Case:
    """A gain and a base: the 1s that a position sees weigh 4^(3/2) = 8 each, all else 1. CLS reads
    the mean of the shares that fall on 1s.
    """

    def layers(S):
        query = S["0"] + S["1"] + S["CLS"]
        share = Head({"share": S["1"]}, query, S["1"], Fraction(3, 2), base=4, mask="future")
        return [Layer(share), Layer(Head({"mean": S["share"]}))]

    def softmax(w):
        shares = [Fraction(8 * k, 8 * k + i + 1 - k) for i, k in enumerate(ones(w))]
        return sum(shares) / len(shares) > Fraction(5, 9)

    def hardmax(w):
        return sum(k > 0 for k in ones(w)) / len(ones(w)) > 5 / 9

    output = Fraction(5, 9)
    c = made(layers, lambda S: S["mean"] - output, "share", "mean", readout="CLS")
    return c, softmax, hardmax


def mixed() -> Case:
    """The three masks in one layer, whose heads write one coordinate: the mean of 1 over the past
    once, up to here threefold, over all fivefold.
    """
    factors = {"strict future": 1, "future": 3, None: 5}

    def layers(S):
        heads = [Head({"mix": factor * S["1"]}, mask=mask) for mask, factor in factors.items()]
        last = Head({"heard": S["high"]}, mask="future")
        return [Layer(heads, FFN(S["mix"] - 4, {"high": [1]}, {"high": -HALF})), Layer(last)]

    def says(w):
        k, n = ones(w), len(w) + 1
        past = [Fraction(0), *(Fraction(k[i - 1], i) for i in range(1, n))]
        mix = [past[i] + Fraction(3 * k[i], i + 1) + Fraction(5 * k[-1], n) for i in range(n)]
        return sum(max(x - 4, 0) - HALF for x in mix) > 0

    c = made(layers, lambda S: S["heard"], "mix", "high", "heard")
    return c, says, says


def ended() -> Case:
    """The last symbol is 1: EOS, which is read, gives the token i before it the weight 2^i."""

    def says(w):
        return w[-1:] == "1"

    c = made(
        lambda S: Layer(Head({"last": S["1"]}, S["EOS"], S["i"], base=2, mask="strict future")),
        lambda S: S["last"] - HALF,
        "last",
        tokens=("0", "1", "EOS"),
        position=["i"],
    )
    return c, says, says


def turned() -> Case:
    """A base below 1: 0s, whose logit is 0, weigh 9 times as much as 1s and CLS, which tie though
    their keys are two.
    """

    def layers(S):
        query, keys = S["0"] + S["1"] + S["CLS"], [S["CLS"], S["1"]]
        base = Fraction(1, 3)
        return Layer(Head({"ones": S["1"]}, [query, query], keys, 2, base, mask="future"))

    def softmax(w):
        return Fraction(w.count("1"), 1 + w.count("1") + 9 * w.count("0")) > Fraction(1, 21)

    def hardmax(w):
        return "1" in w and "0" not in w

    c = made(layers, lambda S: S["ones"] - Fraction(1, 21), "ones")
    return c, softmax, hardmax


def brackets() -> Case:
    """Balanced brackets: no position sees more of ) than of (, and the last as many of both."""

    def layers(S):
        depth = Head({"depth": S["("] - S[")"]}, mask="future")
        error = Head({"error": S["below"]}, mask="future")
        unclosed = FFN([S["depth"], -S["depth"]], {"unclosed": [1, 1]})
        return [Layer(depth, FFN(-S["depth"], {"below": [1]})), Layer(error, unclosed)]

    def says(w):
        depths = [w[:i].count("(") - w[:i].count(")") for i in range(len(w) + 1)]
        return min(depths) == depths[-1] == 0

    names = ("depth", "below", "error", "unclosed")
    c = made(layers, lambda S: Fraction(1, 100) - S["error"] - S["unclosed"], *names, tokens="()")
    return c, says, says


MADE = (majority, before, weighed, mixed, ended, turned, brackets)
CASES = {case.__name__: case for case in MADE}
OPTIONS = [
    {"attention": "softmax"},
    {"attention": "softmax", "log_n": True},
    {"attention": "softmax", "eps": 0.1},
    {"attention": "hardmax"},
    {"attention": "hardmax", "log_n": True},
]


@pytest.fixture(scope="module")
def modules(browser):
    with opened(browser) as page:
        yield page


def said(page, construction: Construction, w: list[str], **options) -> list[dict]:
    """What the page's reader gives for each string, by the names of torch's options."""
    if "log_n" in options:
        options["logN"] = options.pop("log_n")
    return page.evaluate(RUN, [json.loads(to_json(construction)), w, options])


def words(construction: Construction, length: int) -> list[str]:
    return ["".join(symbols) for symbols in product(construction.alphabet, repeat=length)]


def stacked(rows: list) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def close(page: torch.Tensor, book: torch.Tensor) -> bool:
    return torch.allclose(page, book.expand_as(page), rtol=0, atol=1e-12)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: " ".join(map(str, o.values())))
@pytest.mark.parametrize("name", CASES)
def test_logits_weights_and_coordinates_are_those_of_torch(modules, name, options):
    construction, *_ = CASES[name]()
    heads = [
        (number, index, head.mask)
        for number, layer in enumerate(construction.layers, start=1)
        for index, head in enumerate(layer.heads, start=1)
    ]
    reader = Encoder(construction, **options)
    for length in LENGTHS:
        w = words(construction, length)
        page, trace = said(modules, construction, w, **options), reader.trace(w, weights=True)
        assert close(stacked([one["logit"] for one in page]), reader(w))
        for place, (number, index, mask) in enumerate(heads):
            weights = stacked([one["weights"][place] for one in page])
            assert close(weights, trace.attention[number, index])
            if mask:
                assert not weights.triu(1 if mask == "future" else 0).any()
            assert close(weights.sum(-1)[:, 1:], torch.ones(1, 1, dtype=torch.float64))
        streams = [trace.a[0]]
        for number, layer in enumerate(construction.layers, start=1):
            streams += [trace.c[number], trace.a[number]][: 2 if layer.ffn else 1]
        for stage, stream in enumerate(streams):
            for coordinate, book in stream.items():
                assert close(stacked([one["stages"][stage][coordinate] for one in page]), book)


@pytest.mark.parametrize("attention", ["softmax", "hardmax"])
@pytest.mark.parametrize("name", CASES)
def test_the_page_decides_what_each_construction_was_made_for(modules, name, attention):
    construction, *languages = CASES[name]()
    says = languages[attention == "hardmax"]
    w = [one for length in LENGTHS for one in words(construction, length)]
    page = said(modules, construction, w, attention=attention)
    assert min(abs(one["logit"]) for one in page) > 1e-9
    assert [one["accepts"] for one in page] == [says(one) for one in w]
    assert len({one["accepts"] for one in page}) == 2
