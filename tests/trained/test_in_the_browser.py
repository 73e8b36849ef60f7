"""The page's own judge of trained networks: its outputs and verdicts are the library's, its bounds
hold against balls, its functions are as exact as they say, and what is amiss has one clear error.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from flint import arb, ctx
from playwright.sync_api import Page, expect
from safetensors.torch import save
from torch import Tensor

from chapters.playground.data import playground
from lib.languages import MAJORITY, PARITY
from lib.proofs import regular
from lib.trained import Judged, Largest, NextTokens, Positive, from_gpt2
from lib.trained.arithmetic import Balls, Bounded, _gelu, _gelu_new
from lib.trained.audit import audit, given
from lib.trained.passes import outputs
from record.runs import CHAPTERS
from tests.conftest import violations
from tests.trained.networks import GPT2, SHAPES, Encoder, hugging_face

STATIC = CHAPTERS / "_static"
EXACTLY = 1e-12
JUDGED = """
  const { Reader, audit, judged, network, tensors } = await import("./trained.mjs");
  const bytes = text => Uint8Array.from(atob(text), sign => sign.charCodeAt(0)).buffer;
"""
READ = f"""async ([file, shape, asked, rows]) => {{ {JUDGED}
  const reader = new Reader(judged(network(tensors(bytes(file)), shape), asked));
  const said = rows.map(row => {{
    const {{ x, errors }} = reader.read(row);
    return [[...x], [...errors]];
  }});
  return [0, 1].map(i => said.map(one => one[i].map(x => Number.isFinite(x) ? x : null)));
}}"""
AUDIT = f"""async ([file, answers, longest]) => {{ {JUDGED}
  const {{ asks }} = await import("./audit.mjs");
  const steps = asks(tensors(bytes(file)), answers);
  let step = steps.next();
  while (!step.done) step = steps.next();
  const {{ margin, ...found }} = step.value;
  return {{ ...found, margin: margin === Infinity ? null : margin }};
}}"""
AMISS = AUDIT.replace("{ ", "{ try { ", 1)[:-1] + "} catch (error) { return error.message; } }"
FORM = {
    **dict.fromkeys(("encoder", "word", "position", "last", "output", "norm", "norms", "mask"), ""),
    **{"eps": "1e-5", "offset": "0", "readAt": "last", "decides": "positive", "which": "0"},
    **{"symbols": "01", "tokens": "0 1", "before": "2", "after": "3", "language": ""},
    **{"heads": "2", "activation": "gelu", "expression": "(0|1)*1", "longest": "6"},
}
OF_ENCODER = {
    "word": "word.weight",
    "position": "position.weight",
    "encoder": "encoder.",
    "output": "output.weight",
}


def file(state: dict[str, Tensor]) -> str:
    """A .safetensors file, as text."""
    return base64.b64encode(save({name: x.contiguous() for name, x in state.items()})).decode()


def shape_of(shape: dict[str, Any]) -> dict[str, Any]:
    """A shape of the tests' encoders, as the page says it."""
    pre_norm, causal = shape.get("pre_norm", False), shape.get("causal", False)
    norm = {"norm": shape.get("norm", "layer"), "eps": 1e-5}
    return {**norm, "heads": 2, "activation": shape["activation"]} | {
        **{"preNorm": pre_norm, "causal": causal}
    }


def asked(judged: Judged, decides: str = "positive", which: tuple[int, ...] = (0,)) -> dict:
    """How a network is asked, as the page says it."""
    return {
        **{"symbols": [*judged.tokens], "tokens": [*judged.tokens.values()]},
        **{"before": judged.before, "after": judged.after, "readAt": judged.read_at},
        **{"decides": decides, "which": which, "offset": judged.offset},
    }


def read(page: Page, state: dict, shape: dict, judged: Judged, rows: Tensor) -> list[np.ndarray]:
    """The page's outputs and their bounds; NaN where it proves nothing."""
    found = page.evaluate(READ, [file(state), shape, asked(judged), rows.tolist()])
    return [np.array(part, dtype=float) for part in found]


def held_against_balls(found: list[np.ndarray], judged: Judged, rows: Tensor) -> int:
    """Holds bounds against balls of 200 bits; how many of them there are."""
    with ctx.workprec(200):
        balls = [outputs(judged, row[None], Balls()) for row in rows]
    exact = np.array(balls, dtype=float)
    width = max(float(x.rad()) for row in balls for x in row)
    centre, bound = found
    wrong = np.abs(centre - exact) > bound + width + 2.0**-52 * np.abs(exact)
    assert not wrong.any() and width < 1e-25
    return int(np.isfinite(bound).sum())


def alike(bound: np.ndarray, of_library: np.ndarray) -> bool:
    """Whether two bounds differ by no more than what functions of other accuracy explain: a term
    that is left out would be seen here, as true errors are a thousandth of the bounds.
    """
    return bool((np.abs(bound / of_library - 1) < 0.1).all())


def short(longest: int, judged: Judged) -> list[Tensor]:
    return [given(judged, [*PARITY.all_strings(n)]) for n in range(longest + 1)]


@pytest.mark.parametrize("read_at", ["first", "last", "mean"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_an_encoder_says_what_the_library_says(modules, shape, read_at):
    theirs = Encoder(scale=2.0, **shape)
    judged = theirs.judged(read_at)
    for rows in short(6, judged)[::3]:
        centre, bound = read(modules, theirs.state_dict(), shape_of(shape), judged, rows)
        expected, theirs_bound = (part.numpy() for part in outputs(judged, rows, Bounded()))
        assert np.abs(centre - expected).max() < EXACTLY
        assert alike(bound, theirs_bound)


@pytest.mark.parametrize("activation", ["gelu_new", "gelu", "relu"])
def test_gpt2_says_what_hugging_face_said(modules, activation):
    state, rows, logits = hugging_face()
    judged = Judged(from_gpt2(state, activation=activation, **GPT2), {"a": 0}, Positive(0))
    turned = {  # nanoGPT's matrices and names
        f"_orig_mod.{name}": x.T if ".c_" in name and x.ndim == 2 else x
        for name, x in state.items()
    } | {"_orig_mod.lm_head.weight": state["transformer.wte.weight"].clone()}
    for n in (1, rows.shape[1]):
        for one in (state, turned):
            shape = GPT2 | {"activation": activation}
            centre, bound = read(modules, one, shape, judged, rows[:, :n])
            assert np.abs(centre - logits[activation][:, n - 1].numpy()).max() < EXACTLY
            assert alike(bound, outputs(judged, rows[:, :n], Bounded())[1].numpy())


@pytest.mark.parametrize("scale", [1.0, 3.0])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_bounds_hold_on_all_short_strings(modules, shape, scale):
    theirs = Encoder(scale=scale, **shape)
    judged, held = theirs.judged(), 0
    for rows in short(4, judged):
        found = read(modules, theirs.state_dict(), shape_of(shape), judged, rows)
        held += held_against_balls(found, judged, rows)
    assert held == 31


ATTACKS = {  # a part of the names of tensors, what they are multiplied with, and epsilon
    "as it is": (".", 1.0, 1e-5),
    "saturated softmax": (".c_attn.weight", 300.0, 1e-5),
    "large weights": (".c_fc.weight", 1e6, 1e-5),
    "relu at its corner": (".c_fc.", 1e-17, 1e-5),
    "tiny weights": (".", 1e-55, 1e-5),
    "a tiny epsilon": ("ln_2", 1.0, 1e-300),
}


@pytest.mark.parametrize("activation", ["gelu_new", "gelu", "relu"])
@pytest.mark.parametrize("name", ATTACKS)
def test_bounds_hold_under_attack(modules, name, activation):
    part, factor, eps = ATTACKS[name]
    state, rows, _ = hugging_face()
    state = {name: x * factor if part in name else x for name, x in state.items()}
    network = from_gpt2(state, activation=activation, **GPT2 | {"eps": eps})
    judged = Judged(network, {"a": 0}, Positive(0))
    shape = GPT2 | {"activation": activation, "eps": eps}
    found = read(modules, state, shape, judged, rows[:4, :6])
    assert held_against_balls(found, judged, rows[:4, :6]) == 24


@pytest.mark.parametrize(("spread", "bounds"), [(1e-9, 24), (1e-12, 0)])
def test_rows_that_are_almost_constant_are_held_or_left(modules, spread, bounds):
    state, rows, _ = hugging_face()
    word = state["transformer.wte.weight"]
    changes = {"transformer.wte.weight": 1 + spread * word, "lm_head.weight": word.clone()}
    changes["transformer.wpe.weight"] = torch.zeros(9, word.shape[1], dtype=torch.float64)
    shape = GPT2 | {"activation": "gelu", "eps": 1e-40}
    judged = Judged(from_gpt2(state | changes, **shape), {"a": 0}, Positive(0))
    found = read(modules, state | changes, shape, judged, rows[:4, :6])
    assert held_against_balls(found, judged, rows[:4, :6]) == bounds


def test_of_variances_that_underflow_nothing_is_proved(modules):
    state, rows, _ = hugging_face()
    state = {
        name: 0 * x + ("wte" in name) if "wte" in name or "wpe" in name else x
        for name, x in state.items()
    }
    shape = GPT2 | {"activation": "relu", "eps": 1e-320}
    network = from_gpt2(state, **shape)
    _, bound = read(modules, state, shape, Judged(network, {"a": 0}, Positive(0)), rows[:4])
    assert np.isnan(bound).all()


def said(found: dict) -> tuple:
    """What the page found, in the library's order."""
    counts = {length: tuple(rest) for length, *rest in found["byLength"]}
    return counts, tuple(found["wrong"]), found["nearest"]


def agree(page: Page, state: dict, answers: dict, judged: Judged, language: Any) -> dict:
    """Asserts that the page's verdict is the library's; gives the library's counts."""
    expected = audit(judged, language, longest=int(answers["longest"]), floats=())
    found = page.evaluate(AUDIT, [file(state), answers])
    assert expected.balls == 0
    assert said(found) == (expected.by_length, expected.wrong, expected.nearest)
    margin = found["margin"]
    assert margin is None or margin == pytest.approx(expected.margin, rel=1e-9)
    return expected.by_length


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_verdicts_are_the_librarys(modules, shape):
    theirs = Encoder(scale=2.0, **shape)
    norms = "before" if shape.get("pre_norm") else "after"
    last = "encoder.norm.weight" if shape.get("pre_norm") else ""
    mask = "causal" if shape.get("causal") else "none"
    answers = FORM | OF_ENCODER | {"activation": shape["activation"], "norms": norms}
    answers |= {"mask": mask, "last": last, "norm": shape.get("norm", "")}
    state, judged = theirs.state_dict(), theirs.judged()
    agree(modules, state, answers, judged, regular("(0|1)*1", "01"))
    agree(modules, state, answers | {"language": "MAJORITY"}, judged, MAJORITY)
    at = Judged(**{**judged.__dict__, "offset": 9, "after": ()})
    cut = answers | {"offset": "9", "after": "", "longest": "9"}
    assert max(agree(modules, state, cut, at, regular("(0|1)*1", "01"))) == 6


def test_two_outputs_and_next_tokens_decide_as_in_the_library(modules):
    state, _, _ = hugging_face()
    network = from_gpt2(state, activation="gelu", **GPT2)
    tokens = {"0": 0, "1": 1, "2": 3}
    answers = FORM | {"symbols": "012", "tokens": "0, 1, 3", "after": "", "longest": "5"}
    answers |= {"mask": "causal"}
    two = answers | {"decides": "largest", "which": "1 4"}
    judged = Judged(network, tokens, Largest(1, 4), before=(2,))
    by_length = agree(modules, state, two, judged, regular("(0|1)*1", "012"))
    assert sum(wrong for _, wrong, _ in by_length.values()) not in (0, 364)
    following = answers | {"decides": "next", "which": "5", "expression": "0(10)*2?|2{2,3}"}
    judged = Judged(network, tokens, NextTokens(5), before=(2,))
    by_length = agree(modules, state, following, judged, regular("0(10)*2?|2{2,3}", "012"))
    assert [strings for strings, _, _ in by_length.values()] == [1, 2, 3, 2, 2, 1]
    amiss = modules.evaluate(AMISS, [file(state), following | {"after": "3"}])
    assert amiss == (
        "next tokens are read at the last token of a causal network, with none after it"
    )
    amiss = modules.evaluate(AMISS, [file(state), following | {"language": "PARITY"}])
    assert amiss == "a language over 0, 1, 2 is expected, not PARITY over 0, 1"


def reads_the_last_symbol(threshold: float) -> dict[str, Tensor]:
    """GPT-2's names, no attention: 0s and 1s have the outputs -1, 1 before the last norm's gain."""
    d, word = 2, torch.tensor([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]], dtype=torch.float64)
    zero = {"attn.c_attn": (d, 3 * d), "attn.c_proj": (d, d), "mlp.c_fc": (d, d)}
    state = {"wte.weight": word, "wpe.weight": torch.zeros(16, d, dtype=torch.float64)}
    for name, shape in (zero | {"mlp.c_proj": (d, d)}).items():
        state[f"h.0.{name}.weight"] = torch.zeros(shape, dtype=torch.float64)
    for name in ("h.0.ln_1", "h.0.ln_2", "ln_f"):
        state[f"{name}.weight"] = torch.ones(d, dtype=torch.float64)
    state["ln_f.weight"] *= 0
    state["ln_f.bias"] = torch.zeros(d, dtype=torch.float64)
    state["lm_head.weight"] = torch.tensor([[0.0, 1.0]], dtype=torch.float64)
    state["lm_head.bias"] = torch.tensor([threshold], dtype=torch.float64)
    return state


@pytest.mark.parametrize("threshold", [0.0, 1e-3, -1e-3])
def test_a_tie_is_undecided(modules, threshold):
    answers = FORM | {"heads": "1", "after": "", "longest": "3", "expression": ".*"}
    answers |= {"mask": "causal", "norm": "layer"}
    found = modules.evaluate(AUDIT, [file(reads_the_last_symbol(threshold)), answers])
    wrong, left = (8, 0) if threshold < 0 else (0, 0) if threshold else (0, 8)
    assert found["byLength"][3] == [3, 8, wrong, left] and found["strings"] == 15


FUNCTIONS = """async ([name, xs]) => {
  const module = await import("./elementary.mjs");
  return [module[name === "exp" ? "EXP" : "GELU"], xs.map(module[name])];
}"""
EXACT: dict[str, Callable[[arb], arb]] = {"exp": arb.exp, "gelu": _gelu, "geluNew": _gelu_new}
LN_2 = 0.6931471805599453


def points(name: str) -> list[float]:
    """Where errors are largest, where cases change, and random ones."""
    draw = random.Random(name)
    if name == "exp":
        halves = [-(k + 0.5) * LN_2 * (1 + j * 2.0**-52) for k in range(1000) for j in (-1, 0, 1)]
        xs = [*halves, *(-(draw.uniform(0, 1) ** 4) * 708 for _ in range(20_000))]
        return [0.0, -0.0, -1e-300, -708.0, *(x for x in xs if x >= -708)]
    nodes = [i / 16 * (1 + j * 2.0**-52) for i in range(-140, 141) for j in (-1, 0, 1)]
    xs = [draw.gauss(0, 1) * 10 ** draw.uniform(-3, 1) for _ in range(20_000)]
    return [1e-200, -1e-200, 1e200, 8.5, -8.5, *(x for x in nodes if x), *xs]


@pytest.mark.parametrize("name", EXACT)
def test_functions_are_as_exact_as_they_say(modules, name):
    xs = points(name)
    roundings, found = modules.evaluate(FUNCTIONS, [name, xs])
    worst = 0.0
    with ctx.workprec(160):
        for x, y in zip(xs, found, strict=True):
            exact = EXACT[name](arb(x)) if abs(x) < 1e100 else arb(x).max(arb(0))
            size = exact if name == "exp" else abs(arb(x))
            worst = max(worst, float(abs(y - exact) / size) * 2.0**53)
    assert 1 < worst < roundings


def test_what_is_not_within_a_functions_reach_is_not_made_up(modules):
    source = """async () => {
      const { exp, gelu, geluNew, root } = await import("./elementary.mjs");
      const found = [exp(-708.1), exp(-Infinity), root(NaN), root(-1), root(4), root(0)];
      return [...found, ...[gelu, geluNew, exp].map(f => f(NaN))].map(String);
    }"""
    expected = ["0", "0", "NaN", "NaN", "2", "0", "NaN", "NaN", "NaN"]
    assert modules.evaluate(source) == expected


ROOTS = """async xs => {
  const { root, ROOT } = await import("./elementary.mjs");
  return [ROOT, xs.map(root)];
}"""


def test_roots_and_norms_of_matrices_are_bounded(modules):
    draw = random.Random(1)
    xs = [draw.uniform(1, 2) * 10 ** draw.uniform(-280, 300) for _ in range(2_000)]
    roundings, found = modules.evaluate(ROOTS, xs)
    with ctx.workprec(160):
        errors = [float(abs(y / arb(x).sqrt() - 1)) for x, y in zip(xs, found, strict=True)]
    assert max(errors) < roundings * 2.0**-53
    torch.manual_seed(0)
    source = """async ([weight, n, m]) => (await import("./trained.mjs"))
      .normBound({ weight: Float64Array.from(weight), n, m })"""
    for n, m in ((3, 5), (40, 8), (1, 9), (16, 16)):
        matrix = torch.randn(n, m, dtype=torch.float64)
        bound = modules.evaluate(source, [matrix.flatten().tolist(), n, m])
        largest = float(torch.linalg.matrix_norm(matrix, 2))
        assert largest <= bound < 1.03 * largest


TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_every_type_of_floats_is_read(modules, dtype):
    torch.manual_seed(3)
    x = torch.cat([torch.randn(50), 1e-6 * torch.randn(50), torch.tensor([0.0, -0.0])]).to(dtype)
    source = f"""async file => {{ {JUDGED} return [...tensors(bytes(file)).get("x").read()]; }}"""
    assert modules.evaluate(source, file({"x": x, "y": x[:3].clone()})) == x.double().tolist()


def changed(**changes: Any) -> dict:
    """An encoder's state; None takes a tensor away."""
    state = Encoder(**SHAPES[0]).state_dict()
    state |= {name.replace("__", "."): x for name, x in changes.items()}
    return {name: x for name, x in state.items() if x is not None}


SAID = FORM | OF_ENCODER | {"activation": "relu", "norms": "after", "mask": "none"}
MISSING = "encoder__layers__1__linear1__weight"
BAD = [
    ({}, {"heads": "", "mask": ""}, "the tensors do not say it: heads, mask"),
    ({}, {"heads": "3"}, "3 heads do not divide the width 16"),
    ({}, {"heads": "two"}, "heads: whole numbers are expected, not two"),
    ({}, {"eps": "no"}, "an epsilon above 0 is expected, not NaN"),
    ({}, {"symbols": "011"}, "each symbol must be said once"),
    ({}, {"symbols": ""}, "at least one symbol is expected"),
    ({}, {"tokens": "0"}, "a token for each of 0, 1 is expected"),
    ({}, {"tokens": "0 7"}, "a token of a network of 4 words must be at most 3, not 7"),
    ({}, {"which": "1"}, "an output of a network of 1 outputs must be at most 0, not 1"),
    ({}, {"which": "0 1"}, "one of the network's outputs, 0 to 0, must be named by number"),
    ({}, {"decides": "largest"}, "two of the network's outputs, 0 to 0, must be named by num"),
    (
        {"output__weight": torch.ones(3, 16), "output__bias": torch.ones(3)},
        {"which": ""},
        "one of the network's outputs, 0 to 2, must be named by number",
    ),
    (
        {"encoder__layers__1__norm2__bias": None},
        {"eps": ""},
        "the tensors do not say it: kind of norms, ε of norms",
    ),
    (
        {},
        {"norm": "rms"},
        "RMS normalization has no bias, but there is a tensor 'encoder.layers.0.n",
    ),
    ({}, {"decides": "next"}, "an output for each of the tokens is expected"),
    ({}, {"offset": "15"}, "a position for every token is expected: there are 16"),
    ({}, {"expression": "(0"}, "this bracket is never closed, at place 1"),
    ({}, {"language": "Dyck-1"}, "a language over 0, 1 is expected, not Dyck-1 over (, )"),
    ({}, {"longest": ""}, 'to length: one whole number is expected, not ""'),
    ({}, {"word": "words"}, "a tensor 'words' is expected among output.bias, word.weight"),
    ({}, {"word": ""}, "the tensors do not say it: word"),
    ({}, {"position": ""}, "nothing reads the tensor 'position.weight'"),
    ({}, {"encoder": "x."}, "tensors named x.layers.0... are expected among output.bias"),
    ({MISSING: None}, {}, "a tensor 'encoder.layers.1.linear1.weight' is expected among output"),
    ({"spare": torch.zeros(2)}, {}, "nothing reads the tensor 'spare'"),
    ({"word__weight": torch.full((4, 16), torch.nan)}, {}, "the tensor 'word.weight' must hol"),
    (
        {MISSING: torch.zeros(32, 15)},
        {},
        "the tensor 'encoder.layers.1.linear1.weight' must be of shape (any, 16), not (32, 15)",
    ),
    (
        {"word__weight": torch.zeros(4, 16, dtype=torch.int64)},
        {},
        "the tensor 'word.weight' must be floats, not I64",
    ),
]


@pytest.mark.parametrize(("changes", "answers", "message"), BAD, ids=[text for *_, text in BAD])
def test_what_is_amiss_has_one_clear_error(modules, changes, answers, message):
    found = modules.evaluate(AMISS, [file(changed(**changes)), SAID | answers])
    assert isinstance(found, str) and found.startswith(message), found


def test_a_file_of_another_kind_or_a_torn_one_is_named(modules):
    whole = base64.b64decode(file(changed()))
    for torn, message in (
        (b"", "a .safetensors file is expected: this does not begin like one"),
        (b"PK\3\4" * 20, "a .safetensors file is expected: this does not begin like one"),
        (whole[:-8], "the file ends within the tensor '"),
    ):
        text = base64.b64encode(torn).decode()
        assert modules.evaluate(AMISS, [text, SAID]).startswith(message)
    configured = """async text => (await import("./audit.mjs")).configured(text)"""
    config = {"model_type": "gpt2", "n_head": 2, "layer_norm_epsilon": 1e-5}
    config |= {"activation_function": "gelu_new"}
    assert modules.evaluate(configured, json.dumps(config)) == {
        **{"heads": "2", "activation": "gelu_new", "eps": "0.00001", "mask": "causal"},
    }
    for text, message in (
        ("{", "a config.json is expected beside the tensors"),
        (json.dumps(config | {"model_type": "bert"}), 'a model_type "gpt2" is expected'),
        (json.dumps(config | {"scale_attn_weights": False}), "scale_attn_weights must be true"),
    ):
        with pytest.raises(Exception, match=message):
            modules.evaluate(configured, text)


def test_names_of_a_modules_parts_are_guessed(modules):
    source = f"""async file => {{ {JUDGED}
      return (await import("./trained.mjs")).guessed(tensors(bytes(file)));
    }}"""
    for shape in SHAPES:
        last = "encoder.norm.weight" if shape.get("pre_norm") else ""
        state = Encoder(**shape).state_dict()
        assert modules.evaluate(source, file(state)) == OF_ENCODER | {"last": last}


# ---- the widget

PAGE = "https://book.invalid/"  # no host: every request to it is answered here
HTML = """<!doctype html><html lang="en"><meta charset="utf-8"><title>audit</title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="_static/book.css">
<style>
:root { color-scheme: light dark; --pst-color-text-base: light-dark(#222832, #ced6dd);
  --pst-color-background: light-dark(#ffffff, #121212); --pst-color-border: #888;
  --pst-color-surface: light-dark(#f3f4f5, #29313d); --pst-font-family-monospace: monospace;
  --pst-color-text-muted: light-dark(#48566b, #9ca4af); }
* { box-sizing: border-box; }
body { color: var(--pst-color-text-base); background: var(--pst-color-background); }
</style>
<main><h1>A network of yours</h1>
<div class="live" data-live="audit"><p>Drop a trained network here.</p></div></main>
<script type="module" src="_static/live.mjs"></script>"""
EXAMPLE = {
    **{"name": "random weights", "file": "random.safetensors", "heads": "2"},
    **{"activation": "relu", "norms": "after", "mask": "causal", "before": "2", "after": "3"},
    **{"eps": "1e-5", "expression": "(0|1)*1", "longest": "5"},
}


@cache
def files() -> dict[str, tuple[str, bytes]]:
    """What stands beside the page, and the networks of this test."""
    kinds = {".css": "text/css", ".mjs": "text/javascript"}
    found = {
        path.name: (kinds[path.suffix], path.read_bytes())
        for path in STATIC.iterdir()
        if path.suffix in kinds
    }
    example = base64.b64decode(file(Encoder(scale=2.0, **SHAPES[2]).state_dict()))
    return found | {
        "": ("text/html", HTML.encode()),
        "playground.json": ("application/json", json.dumps(playground()).encode()),
        "networks/index.json": ("application/json", json.dumps([EXAMPLE]).encode()),
        "networks/random.safetensors": ("application/octet-stream", example),
    }


def answer(route) -> None:
    """The page, or one of the files that the book's build would put beside it."""
    name = route.request.url.split("#")[0].removeprefix(PAGE).removeprefix("_static/")
    kind, body = files()[name]
    route.fulfill(content_type=f"{kind}; charset=utf-8", body=body)


@pytest.fixture
def opened(browser):
    """A function that opens the page; in the end nothing may have failed or been sent."""
    failed = []
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:

        def page(hash: str = "", width: int = 1200) -> Page:
            made = context.new_page()
            made.set_viewport_size({"width": width, "height": 900})
            made.route("**", lambda route: failed.append(route.request.url) or route.abort())
            made.route(f"{PAGE}**", answer)
            made.on("pageerror", lambda error: failed.append(str(error)))
            made.on("request", lambda one: one.post_data and failed.append(one.url))
            made.goto(f"{PAGE}#{hash}" if hash else PAGE)
            made.wait_for_selector(".live input")
            return made

        yield page
    assert failed == []


def dropped(page: Page, parts: dict[str, bytes]) -> None:
    """Drops files on the widget."""
    made = {name: base64.b64encode(body).decode() for name, body in parts.items()}
    page.locator(".live > div").evaluate(
        """(root, parts) => {
          const dataTransfer = new DataTransfer();
          for (const [name, text] of Object.entries(parts)) {
            const bytes = Uint8Array.from(atob(text), sign => sign.charCodeAt(0));
            dataTransfer.items.add(new File([bytes], name));
          }
          const how = { dataTransfer, bubbles: true, cancelable: true };
          for (const kind of ["dragover", "drop"]) root.dispatchEvent(new DragEvent(kind, how));
        }""",
        made,
    )


JUDGE = "judge every string"


def box(page: Page, name: str):
    """A field to write in."""
    return page.get_by_role("textbox", name=name, exact=True)


def menu(page: Page, name: str):
    """A field to choose in."""
    return page.get_by_role("combobox", name=name, exact=True)


def test_a_file_is_dropped_and_judged(opened):
    page = opened()
    state = Encoder(scale=2.0, **SHAPES[1]).state_dict()
    dropped(page, {"mine.safetensors": base64.b64decode(file(state))})
    amiss, rows = page.locator(".amiss"), page.locator(".pairs tbody tr")
    expect(page.get_by_text("mine.safetensors: 30 tensors of PyTorch's names.")).to_be_visible()
    page.get_by_role("button", name=JUDGE).press("Enter")
    expect(amiss).to_have_text(
        "the tensors do not say it: heads, activation, place of norms, ε of norms, mask."
    )
    assert not menu(page, "kind of norms").count()
    box(page, "ε of norms").fill("1e-5")
    for name, value in (("heads", "2"), ("tokens before", "2"), ("tokens after", "3")):
        box(page, name).fill(value)
    chosen = {"activation": "gelu", "place of norms": "before", "mask": "none"}
    for name, value in chosen.items():
        menu(page, name).select_option(value)
    box(page, "to length").fill("6")
    page.get_by_role("button", name=JUDGE).click()
    expect(rows).to_have_count(7)
    judged = Encoder(scale=2.0, **SHAPES[1]).judged()
    expected = audit(judged, regular("(0|1)*1", "01"), longest=6, floats=())
    for row, (length, counts) in zip(rows.all(), expected.by_length.items(), strict=True):
        assert row.inner_text().split("\t") == [str(x) for x in (length, *counts)]
    said = page.locator("div[role=status]").inner_text()
    assert f"{expected.by_length[6][0] * 2 - 1} strings" in said
    assert all((w or "the empty string") in said for w in expected.wrong)
    assert amiss.inner_text() == "" and page.locator("progress").is_hidden()
    assert "mine" not in page.url and "heads=2" in page.url
    box(page, "expression").fill("(0|1")
    page.get_by_role("button", name=JUDGE).click()
    expect(amiss).to_have_text("this bracket is never closed, at place 1.")
    rms = Encoder(**SHAPES[5]).state_dict()
    dropped(page, {"rms.safetensors": base64.b64decode(file(rms))})
    expect(menu(page, "kind of norms")).to_have_value("")
    dropped(page, {"a.pt": b"PK" * 30})
    expect(amiss).to_contain_text("a .safetensors file is expected")


def test_gpt2_comes_with_its_config(opened):
    page = opened()
    state, _, _ = hugging_face()
    config = {"model_type": "gpt2", "n_head": 2, "layer_norm_epsilon": 1e-5}
    config |= {"activation_function": "gelu"}
    parts = {"config.json": json.dumps(config).encode()}
    dropped(page, parts | {"model.safetensors": base64.b64decode(file(state))})
    expect(box(page, "heads")).to_have_value("2")
    expect(menu(page, "mask")).to_have_value("causal")
    assert not menu(page, "place of norms").count() and page.locator("details").is_hidden()
    menu(page, "it accepts if").select_option("largest")
    box(page, "numbers of both outputs").fill("1 0")
    box(page, "tokens before").fill("2")
    menu(page, "language").select_option("PARITY")
    assert not box(page, "expression").count()
    page.get_by_role("button", name=JUDGE).click()
    expect(page.get_by_text("It has positions for no longer string.")).to_be_visible()
    network = from_gpt2(state, activation="gelu", **GPT2)
    judged = Judged(network, {"0": 0, "1": 1}, Largest(1, 0), before=(2,))
    first = ", ".join(w or "the empty string" for w in audit(judged, PARITY, 8, ()).wrong)
    expect(page.get_by_text(f"The first: {first}.")).to_be_visible()
    menu(page, "language").select_option("")
    menu(page, "it accepts if").select_option("next")
    box(page, "number of the end's output").fill("5")
    page.get_by_role("button", name=JUDGE).click()
    expect(page.get_by_text("above 0, which cross entropy does not train.")).to_be_visible()


def test_an_example_is_chosen_and_a_link_brings_it_back(opened):
    page = opened()
    menu(page, "network").select_option("random weights")
    box(page, "expression").fill("0*")
    page.get_by_role("button", name=JUDGE).click()
    rows = page.locator(".pairs tbody tr")
    expect(rows).to_have_count(6)
    told = page.locator(".pairs").inner_text()
    again = opened(page.url.split("#")[1])
    assert box(again, "expression").input_value() == "0*"
    assert again.locator(".live select").first.locator("option:checked").inner_text() == (
        "random weights"
    )
    again.get_by_role("button", name=JUDGE).click()
    expect(again.locator(".pairs tbody tr")).to_have_count(6)
    assert again.locator(".pairs").inner_text() == told
    partial = opened("network=random+weights&longest=3")
    assert box(partial, "to length").input_value() == "3"
    assert box(partial, "expression").input_value() == "(0|1)*1"


SLOWLY = """() => {
  const read = File.prototype.arrayBuffer;
  File.prototype.arrayBuffer = async function () {
    if (this.name.startsWith("slow")) await new Promise(resolve => setTimeout(resolve, 400));
    return read.call(this);
  };
}"""


def test_a_verdict_goes_when_what_it_judged_changes(opened):
    page = opened()
    page.evaluate(SLOWLY)
    weights = base64.b64decode(file(Encoder(scale=2.0, **SHAPES[1]).state_dict()))
    line, verdict = page.locator("p[role=status]"), page.locator("div[role=status], .pairs")
    judge = page.get_by_role("button", name=JUDGE)

    def choose(name: str, content: bytes = weights) -> None:
        one = {"name": name, "mimeType": "", "buffer": content}
        page.locator("input[type=file]").set_input_files(one)

    changes = {  # and what the line above the fields says then
        "random weights: ": lambda: box(page, "tokens before").fill("3"),
        "random weights:": lambda: menu(page, "mask").select_option("none"),
        "other.safetensors: ": lambda: choose("other.safetensors"),
        "": lambda: choose("a.pt", b"PK" * 30),
        "quick: ": lambda: (choose("slow"), choose("quick")),
    }
    for is_running in (False, True):
        for name, change in changes.items():
            menu(page, "network").select_option("")
            menu(page, "network").select_option("random weights")
            box(page, "to length").fill("14" if is_running else "3")
            judge.click()
            expect(verdict.last).to_contain_text("strings")
            expect(page.locator("progress")).to_be_visible(visible=is_running)
            change()
            expect(line).to_have_text(re.compile(f"^{name}" if name else "^$"))
            page.wait_for_timeout(500)
            assert line.inner_text().startswith(name) and judge.is_visible() == bool(name)
            assert verdict.all_inner_texts() == ["", ""]


def test_a_long_run_can_be_stopped_and_says_only_what_is_known(opened):
    page = opened()
    menu(page, "network").select_option("random weights")
    box(page, "to length").fill("14")
    page.get_by_role("button", name=JUDGE).click()
    expect(page.locator("progress")).to_be_visible()
    expect(page.locator(".pairs tbody tr").nth(3)).to_be_visible()
    page.get_by_role("button", name="stop").click()
    expect(page.get_by_text("Stopped.")).to_be_visible()
    rows = page.locator(".pairs tbody tr").all()
    last = rows[-1].inner_text().split("\t")
    assert 3 <= int(last[0]) < 14 and last[1] == f"{2 ** int(last[0]):,}"
    expect(page.get_by_role("button", name=JUDGE)).to_be_visible()


@pytest.mark.parametrize("width", [1200, 390])
def test_it_fits_and_passes_axe(opened, width):
    page = opened(width=width)
    menu(page, "network").select_option("random weights")
    expect(box(page, "heads")).to_have_value("2")
    page.locator("summary").click()
    page.get_by_role("button", name=JUDGE).click()
    expect(page.locator(".pairs tbody tr")).to_have_count(6)
    live = page.locator(".live")
    inside = "box => [box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth]"
    assert live.evaluate(inside) == [0, 0]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []


def test_it_is_small():
    import minify

    names = ("audit", "trained", "elementary")
    texts = [(STATIC / f"{name}.mjs").read_text(encoding="utf-8") for name in names]
    small = [minify.string("application/javascript", text) for text in texts]
    assert sum(len(gzip.compress(text.encode())) for text in small) < 11_100


def test_the_examples_of_the_book_can_be_read(modules):
    index = json.loads((STATIC / "networks" / "index.json").read_text(encoding="utf-8"))
    for one in index:
        assert {"name", "file", "heads", "activation", "eps", "expression"} <= one.keys()
        whole = base64.b64encode((STATIC / "networks" / one["file"]).read_bytes()).decode()
        answers = FORM | {"eps": "", "which": ""} | one | {"longest": "4"}
        assert modules.evaluate(AUDIT, [whole, answers])["strings"] == 31
