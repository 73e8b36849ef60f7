"""Speed of what the pages run in the browser, as ratios in one run: `make benchmark`.

PALINDROME's network is judged on all 2,047 strings to length 10: by the page's sweep, which asks
float64 first, by the page's exact reader alone, and by the library's. A sum of n terms is read
at a length and at twice it: reading is linear where the second takes twice as long. The tests'
hostile formulas are compiled, or refused, by the page.
"""

import json

import pytest

from lib import constructions
from lib.languages import PALINDROME
from lib.transformer.construction import to_json
from lib.transformer.exact import Exact
from record.experiments.playground import opened
from tests.book.test_page_formulas import COMPILE, HOSTILE

NETWORK = constructions.palindrome()
STRINGS = [w for length in range(11) for w in PALINDROME.all_strings(length)]
SWEEP = """async json => {
  const { LANGUAGES } = await import("./languages.mjs");
  const { sweep } = await import("./sweep.mjs");
  return sweep(json, LANGUAGES.PALINDROME, { longest: 10 }).strings;
}"""
DECIDE = """async ([json, strings]) => {
  const { decide } = await import("./reader.mjs");
  return strings.map(w => decide(json, w).accepts);
}"""
READ = """async text => {
  const { fromRows } = await import("./format.mjs");
  return fromRows(text).name;
}"""


@pytest.fixture(scope="module")
def modules(browser):
    with opened(browser) as page:
        yield page


@pytest.mark.benchmark(group="PALINDROME on 2,047 strings")
def bench_sweep(benchmark, modules):
    data = json.loads(to_json(NETWORK))
    tried = benchmark.pedantic(modules.evaluate, (SWEEP, data), rounds=3, warmup_rounds=1)
    assert tried == len(STRINGS)


@pytest.mark.benchmark(group="PALINDROME on 2,047 strings")
def bench_exact_page(benchmark, modules):
    data = json.loads(to_json(NETWORK))
    answers = benchmark.pedantic(modules.evaluate, (DECIDE, [data, STRINGS]), rounds=1)
    assert PALINDROME.errors(STRINGS, answers) == []


@pytest.mark.benchmark(group="PALINDROME on 2,047 strings")
def bench_exact_library(benchmark):
    answers = benchmark.pedantic(Exact(NETWORK).accepts, (STRINGS,), rounds=1)
    assert PALINDROME.errors(STRINGS, answers) == []


@pytest.mark.benchmark(group="reading a sum")
@pytest.mark.parametrize("terms", [20_000, 40_000])
def bench_reading(benchmark, modules, terms):
    text = f"name: sum\nword CLS: {' + '.join(f'a{n}' for n in range(terms))}\noutput: a0\n"
    assert benchmark.pedantic(modules.evaluate, (READ, text), rounds=3, warmup_rounds=1) == "sum"


@pytest.mark.benchmark(group="hostile formulas")
def bench_hostile_page(benchmark, modules):
    cases = [{"text": text, "alphabet": "ab", "given": {}} for text in HOSTILE]
    answers = benchmark.pedantic(modules.evaluate, (COMPILE, cases), rounds=3, warmup_rounds=1)
    assert len(answers) == len(HOSTILE)
