"""How far the page's own readers are from the book's: random strings and settings in a headless
Chromium, and what torch says of them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice, zip_longest

from playwright.sync_api import Browser, Page, Route

from lib.book.browser import chromium
from lib.book.playground import INPUTS, MODELS, playground, variants
from lib.book.results import CHAPTERS
from lib.transformer.encoder import Encoder
from lib.turing.programs import PROGRAMS

EPS = {"off": None, "0": 0, "1e-5": 1e-5, "1e-2": 1e-2, "1": 1}  # as the page names them
MODULES = ("playground", "turing", "dom")
PAGE = "http://book.invalid/"  # no host: every request to it is answered here
LOGITS = """async ([name, cases, eps]) => {
  const { parse, run } = await import("./playground.mjs");
  const data = await (await fetch("./playground.json")).json(), model = data.models.find(m => m.name === name);
  const scaled = (l, h) => model.scaled.some(([x, y]) => x === l && y === h);
  return cases.map(({ w, variant, c, eps: e, logN }) => run(parse(model.variants[variant]), w, data.positions, { c, eps: eps[e], logN, scaled }).logit);
}"""
RUN = """async ([name, by, w, many]) => {
  const { computed } = await import("./turing.mjs");
  const data = await (await fetch("./playground.json")).json(), machine = data.machines.find(m => m.name === name), found = [];
  for (const { state, left, right } of computed(machine, machine.transformers[by], w)) if (found.push(`${left}[${state}]${right}`) === many) break;
  return found;
}"""


def fixtures(model: str, many: int) -> list[dict]:
    """So many strings of 1 to 20 symbols for a model of the playground, each with random settings
    of the page; ValueError for no such model.
    """
    _check(model, MODELS)
    draw, forms = random.Random(model), list(variants(MODELS[model][1]()))
    return [
        {
            "w": "".join(draw.choice("01") for _ in range(draw.randint(1, 20))),
            "variant": draw.choice(forms),
            "c": draw.randint(1, 16) / 4,
            "eps": draw.choice(list(EPS)),
            "logN": draw.random() < 0.5,
        }
        for _ in range(many)
    ]


def logits(model: str, cases: list[dict]) -> list[float | None]:
    """What the book's reader says of them, in float64; None where a layer normalization divides 0
    by 0.
    """
    _check(model, MODELS)
    _, construct = MODELS[model]
    readers = (
        Encoder(
            variants(construct(case["c"]))[case["variant"]],
            eps=EPS[case["eps"]],
            log_n=case["logN"],
        )
        for case in cases
    )
    return [_number(reader(case["w"]).item()) for reader, case in zip(readers, cases)]


def _check(name: str, names: Iterable[str]) -> None:
    """ValueError for a name that is not among `names`."""
    if name not in (known := [*names]):
        raise ValueError(f"one of {', '.join(known)} is expected, not {name!r}")


def _number(x: float) -> float | None:
    return None if x != x else x


def equal(case: dict, page: float | None, book: float | None) -> bool:
    """Whether two logits are the same to 1e-12; sharpened under layer normalization, where dividing
    by a small variance magnifies rounding, to a relative 1e-9.
    """
    loose = case["variant"] == "sharpened" and EPS[case["eps"]] is not None
    return (
        page == book
        or None not in (page, book)
        and abs(page - book) <= max(1e-12, (1e-9 if loose else 1e-12) * abs(book))
    )


@contextmanager
def opened(browser: Browser) -> Iterator[Page]:
    """A page with the modules and the data that the book's build would write, and nothing else."""
    files = {
        f"{name}.mjs": (
            "text/javascript",
            (CHAPTERS / "_static" / f"{name}.mjs").read_text(encoding="utf-8"),
        )
        for name in MODULES
    }
    files |= {
        "": ("text/html", "<!doctype html>"),
        "playground.json": ("application/json", json.dumps(playground())),
    }

    def answer(route: Route) -> None:
        kind, body = files[route.request.url.removeprefix(PAGE)]
        route.fulfill(content_type=f"{kind}; charset=utf-8", body=body)

    page = browser.new_page()
    page.route(f"{PAGE}**", answer)
    page.goto(PAGE)
    yield page
    page.close()


def measure(device: str, **configuration) -> dict:
    """What the page finds: the logits of a `model` on `strings` fixtures, or the configurations of
    a `machine`, `steps` at most.
    """
    with chromium() as browser, opened(browser) as page:
        found = {"chromium": browser.version}
        if "model" in configuration:
            name, cases = (
                configuration["model"],
                fixtures(configuration["model"], configuration["strings"]),
            )
            return found | {"logits": [*map(_number, page.evaluate(LOGITS, [name, cases, EPS]))]}
        return found | {
            "run": page.evaluate(
                RUN, [configuration[name] for name in ("machine", "by", "input", "steps")]
            )
        }


def score(configuration: dict, result: dict) -> tuple[int, int]:
    """On how many of its fixtures, or at how many steps, the page was right; and how many there
    are.
    """
    if "model" in configuration:
        cases = fixtures(configuration["model"], configuration["strings"])
        book = logits(configuration["model"], cases)
        return sum(map(equal, cases, result["logits"], book)), len(cases)
    _check(configuration["machine"], (machine.name for machine in PROGRAMS))
    [machine] = [machine for machine in PROGRAMS if machine.name == configuration["machine"]]
    run = [str(now) for now in islice(machine.run(configuration["input"]), configuration["steps"])]
    steps = [*zip_longest(run, result["run"])]
    return sum(book == page for book, page in steps), len(steps)


def replay(configuration: dict, result: dict) -> bool:
    """Whether what the page found is what the book finds today."""
    right, of = score(configuration, result)
    return right == of


CONFIGURATIONS = [{"model": name, "strings": 200} for name in MODELS] + [
    {"machine": machine.name, "by": by, "input": INPUTS.get(machine.name, ""), "steps": steps}
    for machine in PROGRAMS
    for by, steps in (("position encodings", 200), ("masking alone", 50))
]
