"""A known-good call of each public function, for `tests.bad_input`: room by room."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from operator import mul, truediv
from pathlib import Path

import numpy as np
import torch

from chapters.common.palindrome_precision import Evaluation
from chapters.pages import which_log_n as factors
from chapters.pages.palindrome_precision import lengths
from chapters.pages.the_map import decoders, encoders, entries, examples
from lib import checks, constructions, formulas, languages, proofs
from lib.constructions import mutants, normalization
from lib.formulas import syntax
from lib.proofs.certificate import certificate
from lib.transformer import (
    classifier as saved,
)
from lib.transformer import (
    construction as positions,
)
from lib.transformer import (
    encoder as cross_entropy,
)
from lib.transformer import (
    tensors as means,
)
from lib.transformer.classifier import to_torch
from lib.transformer.construction import Construction, Reading
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from lib.transformer.space import Form, Matrix, Space
from lib.transformer.sublayers import FFN, Head, Layer, norm
from record import precision
from tests.bad_input import Example, Free, Several, Signed, good
from tests.good_calls_of_networks import of_counting, of_learners, of_trained, of_turing
from tests.good_calls_of_the_book import of_book, of_translators

PARITY, FIRST, C = languages.PARITY, constructions.first(), constructions.parity()
OTHER = dict.fromkeys(("__add__", "__sub__", "__eq__", "__lt__", "__ge__"), "other")
OTHER["__mul__"] = "factor"
LETTERS = Several((Free("0"), "1"))
A, S = formulas.Q("1"), Space("a", "b")
ENCODER, EXACT, TORCH = Encoder(C), Exact(C), to_torch(FIRST, 4)
DRAW = np.random.default_rng
WORDS = {"CLS": S["a"], "1": S["a"] + S["b"]}


def kept(construction: Construction) -> Path:
    """A file that holds a construction."""
    path = Path(tempfile.mkdtemp()) / "kept.safetensors"
    saved.save(construction, path, 4)
    return path


def vectors(tokens: list[str], bits: int) -> list[dict]:
    """All vectors of a construction that never looks ahead."""
    masked = Exact(encoders.majority(masked=True))
    return list(masked.vectors(tokens, bits=bits))


HIDDEN = {"mask": "future", "attention": "hardmax"}
SIZES = {"shortest": 1, "longest": 2, "each": 2, "seed": 0}


@cache
def of_languages() -> list[Example]:
    """Checks, and languages."""
    return [
        good(checks.rational, value=Fraction(1, 2)),
        good(checks.checked_eps, eps=0.5),
        good(PARITY.contains, "in", w="01"),
        good(lambda value: checks.whole(value, "x"), "checks.whole", value=Signed(3)),
        good(lambda value: checks.positive(value, "x"), "checks.positive", value=Signed(3)),
        good(languages.Language, name=Free("L"), predicate=str.isdigit, alphabet=(Free("0"),)),
        good(PARITY.contains, w="01"),
        good(PARITY.errors, strings=["01", "11"], accepted=[True, False]),
        good(PARITY.all_strings, length=2),
        good(PARITY.sample, length=3, size=2, seed=Signed(0)),
        good(PARITY.kinds, length=2, size=2, draw=np.random.default_rng(0)),
        good(PARITY.sampled, accepts=EXACT.accepts, **SIZES),
        good(languages.ONE.sample, "ONE.sample", length=3, size=2, seed=Signed(0)),
    ]


@cache
def of_transformers() -> list[Example]:
    """Constructions as data, and their readers."""
    a, b = S
    matrix = dict(
        name=Free("W"), rows=(Free("r"),), columns=(Free("c"),), entries=((Fraction(1),),)
    )
    return [
        good(lambda name: Space("x", name), "Space", name=Free("b")),
        good(S.__getitem__, name="a"),
        good(S.check, name="a"),
        good(S.dense, form=a),
        good(Form, terms=(("a", Fraction(1)),), constant=Fraction(0)),
        good(lambda factor: mul(a, factor), "Form * factor", factor=Fraction(1)),
        good(lambda divisor: truediv(a, divisor), "Form / divisor", divisor=Fraction(1)),
        good(lambda other: a + other, "Form + other", other=Fraction(1)),
        good(lambda other: a - other, "Form - other", other=Fraction(1)),
        good(a, "Form()", vector={"a": Fraction(1)}),
        good(Head, v={"b": a}, q=[a], k=[b], gain=Fraction(1), base=Fraction(2), **HIDDEN),
        good(FFN, hidden=[a, b], out={"b": [Fraction(1), Fraction(2)]}, bias={"b": Fraction(1)}),
        good(FFN, "FFN that normalizes", hidden=[a, b], out={"b": [Fraction(1)] * 2}, eps=0.5),
        good(norm, x={"b": a}, gain={"b": Fraction(2)}, bias={"b": Fraction(1)}, eps=0.5),
        good(Layer, heads=[Head({"b": a})], ffn=FFN([a], {"b": [1]}), rewrites=[Free("b")]),
        good(
            Construction,
            space=S,
            word=WORDS,
            position={},
            layers=[Layer()],
            output=a,
            name=Free("x"),
            activation="sigmoid",
            readout="last",
        ),
        good(Reading, attention="softmax", eps=0.5, log_n=True),
        good(
            lambda position: Construction(S, {"CLS": a}, position, [], a),
            "position",
            position={"i/n": b},
        ),
        good(C.tokens, w="01"),
        good(C.matrix, kind="Q", layer=2, index=1),
        good(Matrix, **matrix, factor=Free("c")),
        good(
            Exact,
            construction=C,
            attention="softmax",
            eps=0.5,
            log_n=True,
        ),
        good(factors.OwnLength, construction=C),
        good(EXACT.decide, w="01", max_bits=64),
        good(EXACT.decide_all, strings=["01", "11"]),
        good(EXACT.accepts, strings=["01", "11"]),
        good(EXACT.logit, w="01", bits=64),
        good(EXACT.trace, strings="01", bits=64),
        good(vectors, tokens=["CLS", "0"], bits=64),
        good(
            Encoder,
            construction=C,
            dtype=torch.float32,
            attention="softmax",
            mean=means.divided,
            eps=0.5,
            log_n=True,
            device="cpu",
        ),
        good(ENCODER, "Encoder()", strings=["01", "11"]),
        good(ENCODER.logit, w="01"),
        good(ENCODER.accepts, strings=["01", "11"]),
        good(ENCODER.trace, strings=["01", "11"], weights=True),
        good(to_torch, construction=FIRST, longest=4, eps=0.5),
        good(TORCH.forward, ids=torch.tensor([[0, 1]])),
        good(TORCH.logits, strings=["01", "11"]),
        good(cross_entropy.cross_entropy_bits, logits=torch.zeros(2), labels=[True, False]),
        good(positions.from_json, text=positions.to_json(C)),
        good(positions.to_json, construction=C),
        good(saved.load, path=kept(FIRST)),
        good(
            lambda **given: saved.save(path=kept(FIRST), **given),
            "save",
            construction=FIRST,
            longest=4,
        ),
        good(positions.position, formula="i/n"),
        good(positions.depends_on_length, formula="i/n"),
        good(means.divided, values=torch.ones(2)),
        good(means.weighted, values=torch.ones(2)),
        good(means.sequential, values=torch.ones(2)),
    ]


@cache
def of_constructions() -> list[Example]:
    """The papers' transformers, and where floating point breaks them."""
    gain, base = Fraction(1), Fraction(2)
    found = [
        good(constructions.parity, c=gain, tie_free=True),
        good(constructions.first, c=gain, tie_free=True),
        good(constructions.flawed_first, c=gain, base=base),
        good(constructions.palindrome, gain=gain, base=base),
        good(constructions.pairwise_palindrome, gain=gain, base=base),
        good(factors.is_right, n=2, c=0.5, factor="log L", trained=3),
        good(factors.turning, c=0.5, factor="log L", trained=3),
        good(factors.scaled, construction=constructions.first(), factor=0.5, base=base),
        good(mutants.mutants, construction=C),
        good(normalization.mirror, construction=C, adjacent=True),
        good(normalization.logit_layer, construction=C),
        good(normalization.sharpen, construction=C, eta=0.5),
        good(precision.wrong_counts, reader=ENCODER, n=3, counts=[1, 2]),
    ]
    evaluation = Evaluation("float32")
    return found + [
        good(
            Evaluation, dtype="float32", numerators="published", division="last", order="outside in"
        ),
        good(evaluation.accepts, w="010", test="s = 0"),
        good(lengths.longest_perfect, evaluation=evaluation, tests=("s = 0",), stop=3),
        good(lengths.most_floats, bits=3),
        good(lengths.running_sums, numbers=[Signed(5), 6], bits=3),
        good(
            lengths.mirror_shares,
            reader=Encoder(constructions.pairwise_palindrome()),
            length=3,
        ),
        good(lengths.pairwise_lengths, bits=3),
    ]


@cache
def of_proofs() -> list[Example]:
    """Formulas held against what they are meant to say."""
    true = formulas.once(A)
    return [
        good(
            proofs.proved_equal,
            formula=true,
            specification=true,
            alphabet=LETTERS,
            implies=False,
            states=50,
            steps=100_000,
            progress=False,
        ),
        good(proofs.regular, expression=Free("0*"), alphabet=LETTERS),
        good(proofs.smallest, language=true, alphabet=LETTERS, most=4, tried=10_000),
        good(certificate, answer=proofs.proved_equal(true, true, "01")),
        good(
            proofs.verdict,
            transformer=formulas.compiled(true, "01"),
            specification=true,
            longest=2,
            check=False,
            name=Free("L"),
            seconds=9.0,
            progress=False,
        ),
    ]


@cache
def of_formulas() -> list[Example]:
    """Formulas and what is compiled of them."""
    count, true = formulas.count(A), formulas.once(A)
    made = formulas.compiled(true, "01")
    stated, budget = formulas.LIBRARY[0], {"seconds": 9.0, "progress": False}
    found = [good(kind, formula=true) for kind in (
        formulas.always, formulas.count, formulas.never, formulas.once, formulas.previous,
        formulas.total, syntax.Count, syntax.Total, syntax.checked)]  # fmt: skip
    found += [good(kind, thing=true) for kind in (formulas.depth,)]
    found += [good(kind, left=Signed(2), right=Signed(1)) for kind in (
        formulas.maximum, formulas.minimum)]  # fmt: skip
    for sign in ("__add__", "__mul__", "__sub__", "__eq__", "__lt__", "__ge__"):
        found.append(good(getattr(count, sign), f"Term.{sign}", **{OTHER[sign]: Signed(1)}))
    return found + [
        good(formulas.Q, symbol=Free("1")),
        good(lambda other: true & other, "Formula.__and__", other=true),
        good(lambda other: true | other, "Formula.__or__", other=true),
        good(syntax.Truth, value=True),
        good(syntax.Not, part=true),
        good(syntax.Previous, part=true),
        good(syntax.And, parts=(true, true)),
        good(syntax.Or, parts=(true, true)),
        good(syntax.Compare, left=count, sign="==", right=count),
        good(syntax.Term, terms=((syntax.Count(A), 1),), constant=Signed(1)),
        good(syntax.term, value=Signed(1)),
        good(formulas.conditional, condition=true, then=Signed(1), otherwise=Signed(1)),
        good(formulas.mod, period=Signed(3), remainder=1),
        good(formulas.formula, text='once(Q("1"))', alphabet=LETTERS),
        good(formulas.holds, formula=true, w=Free("01")),
        good(formulas.language, formula=true, alphabet=LETTERS, name=Free("L")),
        good(
            formulas.compiled,
            formula=true,
            alphabet=LETTERS,
            attention="softmax",
            base=Fraction(16),
            slope=Fraction(2),
            name=Free("x"),
        ),
        good(formulas.verdict, transformer=made, language=made.language, longest=2, **budget),
        good(formulas.held_against, language=PARITY, accepts=EXACT.accepts, longest=2, **budget),
        good(
            lambda **stated: formulas.Stated(**stated).language,
            "Stated",
            name=Free("x"),
            alphabet=stated.alphabet,
            text=stated.text,
        ),
    ]


@cache
def of_survey() -> list[Example]:
    """The map's entries, and decoders that think in steps."""
    tally = decoders.tally()
    steps = decoders.Steps(tally, "softmax")
    run = examples.Example(PARITY, 2, EXACT.accepts, "exact", constructions.parity)
    return [
        good(
            entries.Setting,
            attention="soft",
            mask="future",
            positions=Free("none"),
            precision=Free("exact"),
            steps=Free("none"),
            padding=Free("none"),
        ),
        good(
            entries.Entry,
            name=Free("x"),
            settings=(entries.Setting("soft"),),
            statement=Free("x"),
            hypotheses=Free("x"),
            label=entries.RUN,
            example=run,
            place=Free("label"),
            cites=(),
        ),
        good(
            decoders.Decoder,
            construction=tally.construction,
            logits=dict(tally.logits),
            symbols=Several((Free("0"), "1")),
        ),
        good(decoders.Steps, decoder=tally, attention="softmax"),
        good(lambda **call: list(steps.run(**call)), "Steps.run", w="01", most=3),
        good(steps.decides, w="01", most=3),
        good(run.run, longest=2),
    ]


ROOMS: dict[str, Callable[[], list[Example]]] = {
    "languages": of_languages,
    "transformer": of_transformers,
    "constructions": of_constructions,
    "formulas": of_formulas,
    "proofs": of_proofs,
    "counting": of_counting,
    "turing": of_turing,
    "survey": of_survey,
    "learning": of_learners,
    "trained": of_trained,
    "translation": of_translators,
    "book": of_book,
}
