"""How far the page's own readers are from the book's: random strings and settings in a headless
Chromium, and what torch says of them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice, zip_longest
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from chapters.common.turing.machines import PROGRAMS
from chapters.playground.data import INPUTS, MODELS, playground, variants
from lib.transformer.encoder import Encoder
from record.browser import chromium
from record.experiment import Experiment
from record.runs import CHAPTERS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route


EPS = {"off": None, "0": 0, "1e-5": 1e-5, "1e-2": 1e-2, "1": 1}  # as the page names them
STATIC = CHAPTERS / "_static"
READS = "chapters/_static/*.mjs"  # the page's own readers, which are measured
PAGE = "http://book.invalid/"  # no host: every request to it is answered here
LOGITS = 'async asked => (await import("./asked.mjs")).logits(asked)'
RUN = 'async asked => (await import("./asked.mjs")).configurations(asked)'


def fixtures(model: str, count: int) -> list[dict]:
    """`count` strings of 1 to 20 symbols for a model of the playground, each with random settings
    of the page.
    """
    draw = random.Random(model)
    language, construct = MODELS[model]
    forms = list(variants(construct()))
    return [
        {
            "w": "".join(draw.choice(language.alphabet) for _ in range(draw.randint(1, 20))),
            "variant": draw.choice(forms),
            "c": draw.randint(1, 16) / 4,
            "eps": draw.choice(list(EPS)),
            "logN": draw.random() < 0.5,
        }
        for _ in range(count)
    ]


def logits(model: str, cases: list[dict]) -> list[float | None]:
    """What the book's reader says of them, in float64; None where a layer normalization divides 0
    by 0.
    """
    forms = cache(lambda c: variants(MODELS[model][1](c)))  # with that gain
    readers = [
        Encoder(forms(case["c"])[case["variant"]], eps=EPS[case["eps"]], log_n=case["logN"])
        for case in cases
    ]
    return [_unless_nan(read(case["w"]).item()) for read, case in zip(readers, cases, strict=True)]


def _unless_nan(x: float) -> float | None:
    """A number, or None for a NaN, which JSON lacks."""
    return None if isnan(x) else x


def equal(case: dict, page: float | None, book: float | None) -> bool:
    """Whether two logits are the same to 1e-12; sharpened under layer normalization, where dividing
    by a small variance magnifies rounding, to a relative 1e-9.
    """
    if page is None or book is None:
        return page is book
    is_magnified = case["variant"] == "sharpened" and EPS[case["eps"]] is not None
    relative = 1e-9 if is_magnified else 1e-12
    return page == book or abs(page - book) <= max(1e-12, relative * abs(book))


@contextmanager
def opened(browser: Browser) -> Iterator[Page]:
    """A page with the modules and the data that the book's build would write, and nothing else."""
    modules = {path.name: path for path in STATIC.glob("*.mjs")}
    modules["asked.mjs"] = Path(__file__).with_suffix(".mjs")
    files = {
        name: ("text/javascript", path.read_text(encoding="utf-8"))
        for name, path in modules.items()
    }
    files[""] = ("text/html", "<!doctype html>")
    files["playground.json"] = ("application/json", json.dumps(playground()))

    def answer(route: Route) -> None:
        kind, body = files[route.request.url.removeprefix(PAGE)]
        route.fulfill(content_type=f"{kind}; charset=utf-8", body=body)

    page = browser.new_page()
    page.route(f"{PAGE}**", answer)
    page.goto(PAGE)
    yield page
    page.close()


def measure(device: str, **configuration) -> dict:
    """What the page says: the logits of a `model` on `strings` fixtures, or the configurations of
    a `machine`, `steps` at most.
    """
    with chromium() as browser, opened(browser) as page:
        version = {"chromium": browser.version}
        if "model" in configuration:
            model = configuration["model"]
            asked = [model, fixtures(model, configuration["strings"]), EPS]
            return version | {"logits": [*map(_unless_nan, page.evaluate(LOGITS, asked))]}
        names = ("machine", "by", "input", "steps")
        return version | {"run": page.evaluate(RUN, [configuration[name] for name in names])}


def agreeing(configuration: dict, result: dict) -> tuple[int, int]:
    """On how many of its fixtures, or at how many steps, the page agrees with the book; and how
    many it was tried on.
    """
    if "model" in configuration:
        model = configuration["model"]
        cases = fixtures(model, configuration["strings"])
        return sum(map(equal, cases, result["logits"], logits(model, cases))), len(cases)
    [machine] = [known for known in PROGRAMS if known.name == configuration["machine"]]
    run = islice(machine.run(configuration["input"]), configuration["steps"])
    steps = list(zip_longest(map(str, run), result["run"]))
    return sum(book == page for book, page in steps), len(steps)


def replay(configuration: dict, result: dict, in_full: bool = False) -> bool:
    """Whether what the page said is what the book says today: all of it, `in_full` or not."""
    right, tried = agreeing(configuration, result)
    return right == tried


CONFIGURATIONS = [{"model": name, "strings": 200} for name in MODELS] + [
    {"machine": machine.name, "by": by, "input": INPUTS.get(machine.name, ""), "steps": steps}
    for machine in PROGRAMS
    for by, steps in (("position encodings", 200), ("masking alone", 50))
]
EXPERIMENTS = {
    "playground": Experiment(
        CONFIGURATIONS,
        [{"model": "FIRST", "strings": 5}, CONFIGURATIONS[-1] | {"steps": 5}],
        measure,
        replay,
        on_gpu=False,
    ),
}
