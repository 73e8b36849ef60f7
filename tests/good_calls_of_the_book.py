"""A known-good call of each public function of the rooms on translation and on the book's pages."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from chapters.pages import provenance, solutions
from chapters.pages.counting_ablations import pictures as counting_figures
from chapters.pages.turing_completeness import figures as tape_figures
from lib import notebook as figures
from lib.notebook import markdown_table
from lib.turing import stack_rnn, vanilla
from lib.turing.machines import INCREMENT
from record import reproduce, rows
from record.__main__ import record
from record.claims import MEASURED, Claims
from record.experiments import playground as agreement
from record.experiments.translation import data, runs, sentences, train
from record.experiments.translation.data import Corpus, Pairs
from record.experiments.translation.model import Seq2Seq, Shape
from record.experiments.translation.train import Training
from record.runs import stored
from tests.bad_input import Example, Free, Signed, good

WORDS = ("a b", "c")


@cache
def of_translators() -> list[Example]:
    """Sentences, and encoder-decoders."""
    pairs = Pairs(WORDS, WORDS)
    corpus = Corpus(pairs, pairs, {"test": pairs})
    words, subwords = data.Words(pairs), data.Subwords(pairs, 10)
    shape = dict(width=4, hidden=4)
    learned = train.learn(corpus, words, Training(1), **shape)
    kept = runs.kept(train.learn(corpus, subwords, Training(1), **shape), "baseline")
    keeping = {"configuration": dict(seed=0, epochs=1, **shape), "result": {"kept": kept}}
    return [
        good(Pairs, sources=(Free("a"),), targets=(Free("b"),)),
        good(Corpus, train=pairs, validation=pairs, tests={"x": pairs}, ends_source=True),
        good(data.Words, pairs=pairs),
        good(data.Subwords, pairs=pairs, size=10),
        good(
            lambda folder: sentences.from_folder("multi30k", folder),
            "from_folder",
            folder=pair_folder(),
        ),
        good(Seq2Seq, shape=Shape(6), seed=Signed(0)),
        good(
            Shape,
            symbols=6,
            layers=1,
            heads=1,
            width=4,
            hidden=4,
            positions="masking",
            without=(),
            scale="plain",
            mean_length=2.5,
            norm_first=True,
            dropout=0.5,
            eps=0.5,
        ),
        good(
            Training,
            epochs=1,
            tokens=5,
            rate=0.5,
            warmup=2,
            smoothing=0.5,
            seed=Signed(0),
            patience=2,
            bucket=1.5,
        ),
        good(
            train.learn,
            corpus=corpus,
            vocabulary=words,
            training=Training(1),
            device="cpu",
            checkpoint=Path(tempfile.mkdtemp()) / "x.pt",
            stop_after=1,
            width=4,
            hidden=4,
        ),
        good(learned, "Learned()", sentences=[Free("a")], width=1, longest=2),
        good(runs.kept_system, row=keeping),
    ]


def pair_folder() -> Path:
    """A folder with the files of a pair."""
    folder = Path(tempfile.mkdtemp())
    for name in sentences.SOURCES["multi30k"].names():
        (folder / name).write_text("a b\nc\n", encoding="utf-8")
    return folder


@cache
def of_book() -> list[Example]:
    """What the pages and the commands need."""
    row, *_ = rows.rows()
    claims = Claims("a chapter")
    line = {"row": row, "quantity": "x", "cell": "x", "paper": "1"}
    misprint = {"place": "x", "printed": "x", "correct": "x", "checked": "x"}
    claims.criteria = {
        "claims": {"x": line},
        "errata": {"x": {"row": row, "cell": "x"} | misprint},
    }
    translated = stored("translation_scales")
    return [
        good(
            lambda name="x", **rest: claims.settle(name, here=1, **rest),
            "Claims.settle",
            name="x",
            agrees=True,
            row=row,
            quantity=Free("x"),
            cell=Free("x"),
            criterion=Free("x"),
            read_off=True,
            note=Free("x"),
            settles="",
            printed=Free("x"),
            truth=MEASURED,
            conditions=Free("x"),
            data=Free("x"),
            source=Free("x"),
        ),
        good(
            lambda name, **rest: claims.correct(name, **rest),
            "Claims.correct",
            name="x",
            row=row,
            place=Free("x"),
            printed=Free("x"),
            correct=Free("x"),
            holds=True,
            checked=Free("x"),
            cell=Free("x"),
        ),
        good(Claims, chapter=Free("x")),
        good(rows.check_row, place=row),
        good(rows.check_statement, place=row, settles=""),
        good(stored, name="ffnn_parity"),
        good(markdown_table, head=[Free("a"), "b"], body=[["c", "d"]]),
        good(reproduce.check_request, name="parity_precision", device="cpu"),
        good(lambda **given: reproduce.workers(**given, what="jobs"), "jobs", value=2),
        good(
            lambda name, device="cpu": reproduce.reproduce(name, True, device, 1),
            "reproduce",
            name="parity_precision",
            device="cpu",
        ),
        good(record, chapters=[]),
        good(solutions.solutions, chapter=1),
        good(agreement.fixtures, model="FIRST", count=1),
        good(provenance.settings_table, runs=[translated]),
        good(counting_figures.counting_figure, grid=[[0, 1], [1, 2]]),
        good(figures.stream_table, stream={"a": [1, 2]}, tokens=[Free("0"), "1"]),
        good(
            tape_figures.outputs_table,
            transformer=vanilla(stack_rnn(INCREMENT)),
            w="1",
            steps=2,
            zeros=True,
        ),
    ]
