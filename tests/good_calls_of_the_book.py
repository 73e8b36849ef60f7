"""A known-good call of each public function of the rooms on translation and on the book's pages."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import torch

from chapters.pages import solutions
from chapters.pages.counting_ablations import answers as counting_figures
from chapters.pages.palindrome_precision import claims as nowak_records
from chapters.pages.translation import figures as translation_figures
from chapters.pages.turing_completeness import figures as tape_figures
from lib import notebook as figures
from lib import turing
from lib.notebook import markdown_table
from lib.translation import (
    data as corpora,
)
from lib.translation import (
    data as synthetic,
)
from lib.translation import (
    data as vocabulary,
)
from lib.translation import (
    train,
)
from lib.translation import (
    train as decoding,
)
from lib.translation.data import Corpus, Examples, Pairs, padding_share
from lib.translation.model import Seq2Seq, Shape
from lib.translation.train import Training
from record import reproduce, rows
from record import runs as results
from record.__main__ import record
from record.claims import MEASURED, Claims
from record.experiments import playground as agreement
from record.experiments.translation import (
    bleu as evaluation,
)
from record.experiments.translation import bleu as matching
from record.experiments.translation import (
    configurations,
    criteria,
    evidence,
    runs,
)
from record.experiments.translation import (
    sentences as folders,
)
from record.experiments.translation import (
    sentences as grammar,
)
from record.runs import stored
from tests.bad_input import Example, Free, Signed, good

MACHINE = turing.programs.INCREMENT
WORDS = ("a b", "c")


@cache
def of_translators() -> list[Example]:
    """Sentences, and encoder-decoders."""
    pairs = Pairs(WORDS, WORDS)
    corpus, source = Corpus(pairs, pairs, {"test": pairs}), torch.tensor([[4, 5]])
    model = Seq2Seq(Shape(6, width=4, hidden=4)).eval()
    words, subwords = vocabulary.Words(pairs), vocabulary.Subwords(pairs, 10)
    examples = Examples.of(pairs, words, True)
    shape = dict(width=4, hidden=4)
    learned = train.learn(corpus, words, Training(1), **shape)
    kept = evidence.kept(train.learn(corpus, subwords, Training(1), **shape), "baseline")
    keeping = {"configuration": dict(seed=0, epochs=1, **shape), "result": {"kept": kept}}
    stated = [dict(configuration=dict(split="all", variants=["log n"]), result=dict(systems={}))]
    row = dict(bleu=1.0, confidence=1.0, p=None)
    two = runs.Comparison(np.zeros(2), np.ones(2), np.ones(2), 1.0)
    stated[0]["result"]["systems"] = {"baseline": row, "log n": row}
    return [
        good(Pairs, sources=(Free("a"),), targets=(Free("b"),)),
        good(Corpus, train=pairs, validation=pairs, tests={"x": pairs}, ends_source=True),
        good(pairs.__getitem__, "Pairs[]", chosen=[0]),
        good(corpora.short_to_long, corpus=corpus, most=1),
        good(corpora.without_longer, corpus=corpus, longest=1),
        good(corpora.fingerprint, corpus=corpus),
        good(evaluation.bleu, outputs=[Free("a")], references=[Free("a")]),
        good(evaluation.scores, systems={"x": WORDS, "y": WORDS}, references=[Free("a b"), "c"]),
        good(vocabulary.Words, pairs=pairs),
        good(words.encode, "Words.encode", sentences=[Free("a")]),
        good(words.decode, "Words.decode", numbers=[0]),
        good(vocabulary.Subwords, pairs=pairs, size=10),
        good(vocabulary.Subwords.of_model, model=subwords.model),
        good(subwords.encode, "Subwords.encode", sentences=[Free("a")]),
        good(subwords.decode, "Subwords.decode", numbers=[0]),
        good(grammar.generated, seed=Signed(0), train=5, test=3),
        good(synthetic.copy, seed=Signed(0), words=10, train=5, test=3),
        good(lambda text=None: synthetic.copy(0, 10, 1, 1, text), "copied lines", text=lines()),
        good(folders.source_of, pair="multi30k"),
        good(folders.files, pair="multi30k", folder=pair_folder()),
        good(folders.from_folder, pair="multi30k", folder=pair_folder()),
        good(corpora.read_lines, path=lines()),
        good(decoding.greedy, model=model, source=source, longest=2, is_cached=True),
        good(decoding.beam, model=model, source=source, longest=2, width=2, length_power=0.5),
        good(Seq2Seq, shape=Shape(6), seed=Signed(0)),
        good(model, "Seq2Seq()", source=source, target=source),
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
        good(Training(1).rate_at, "Training.rate_at", step=1),
        good(Training(1, patience=1).has_stopped, "Training.has_stopped", dev_losses=[0.5]),
        good(train.best_epoch, dev_losses=[0.5]),
        good(train.mean_loss, model=learned.model, examples=examples, tokens=5),
        good(padding_share, examples=examples, tokens=5, bucket=1.5),
        good(Examples.of, pairs=pairs, vocabulary=words, ends_source=True),
        good(examples.batches, "Examples.batches", tokens=5, seed=[0], bucket=1.5),
        good(
            train.learn,
            corpus=corpus,
            vocabulary=words,
            training=Training(1),
            device="cpu",
            checkpoint=Path(tempfile.mkdtemp()) / "x.pt",
            stop_after=1,
            progress=False,
            width=4,
            hidden=4,
        ),
        good(learned, "Learned()", sentences=[Free("a")], width=1, longest=2),
        good(train.loss_of, model=model, source=source, target=source, smoothing=0.5),
        good(evidence.kept_system, row=keeping),
        good(runs.compared, results=stated, split="all", variant="log n"),
        good(matching.matches, outputs=[Free("a")], references=[Free("a")]),
        good(matching.packed, found=matching.matches(WORDS, WORDS)),
        good(matching.unpacked, written=matching.packed(matching.matches(WORDS, WORDS))),
        good(matching.scores_of, systems={"x": matching.matches(WORDS, WORDS)}),
        good(evaluation.metric, systems={"x": WORDS}, references=[Free("a b"), "c"]),
        good(criteria.interval, gains=[0.5, 1.0]),
        good(criteria.norm_changes, before=two, after=two),
        good(configurations.translation_runs, pair="generated", seeds=1, train=1, test=1),
    ]


def lines() -> Path:
    """A file of enough sentences of every length."""
    path = Path(tempfile.mkdtemp()) / "lines.txt"
    path.write_text("\n".join("a " * n for n in range(5, 31) for _ in range(3)), encoding="utf-8")
    return path


def pair_folder() -> Path:
    """A folder with the files of a pair."""
    folder = Path(tempfile.mkdtemp())
    for name in folders.SOURCES["multi30k"].names():
        (folder / name).write_text("a b\nc\n", encoding="utf-8")
    return folder


@cache
def of_book() -> list[Example]:
    """What the pages and the commands need."""
    row, *_ = rows.rows()
    claims = Claims("a chapter")
    said = dict(quantity=Free("x"), paper=None, here=1, cell=Free("x"), criterion=Free("x"))
    run, translated = list(MACHINE.run("1")), stored("translation_scales")
    registers = [(0.5, 0.5) for _ in run]
    return [
        good(
            lambda agrees=None, **rest: claims.add(row, agrees=agrees, **said | rest),
            "Claims.add",
            agrees=True,
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
        good(lambda row: claims.add(row, agrees=True, **said), "Claims.add row", row=row),
        good(
            claims.erratum,
            "Claims.erratum",
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
        good(lambda name: results.glue(name, 1), "glue", name=Free("x")),
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
        good(translation_figures.gains_figure, runs=[translated], variants=["log n"]),
        good(translation_figures.settings_table, runs=[translated]),
        good(nowak_records.compared, run=stored("nowak_repeated"), epoch=100),
        good(counting_figures.counting_figure, grid=[[0, 1], [1, 2]]),
        good(figures.stream_table, stream={"a": [1, 2]}, tokens=[Free("0"), "1"]),
        good(tape_figures.tape_of, machine=MACHINE, run=run),
        good(tape_figures.space_time_figure, runs={"x": (MACHINE, run)}),
        good(tape_figures.tape_slider, machine=MACHINE, run=run, registers=registers),
        good(
            tape_figures.outputs_table,
            transformer=turing.vanilla(turing.stack_rnn(MACHINE)),
            w="1",
            steps=2,
            zeros=True,
        ),
    ]
