"""Copying and counting as in Bhattamishra, Patel & Goyal (2020), tables 1, 3 and 4 and figure 3, as
stored runs. What is copied are sentences of the Penn Treebank, which are read from a folder.
"""

from collections.abc import Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from chapters.translation.bleu import bleu, bleu_of, signature, sums
from chapters.translation.data import (
    COUNTED,
    Corpus,
    Pairs,
    Vocabulary,
    Words,
    counting,
    fingerprint,
    located,
    read_lines,
)
from chapters.translation.runs import FIRST_STEPS, parted
from chapters.translation.train import Learned, learn
from record.experiment import Experiment, Folder, experiments, is_same_start

TRAINED_LENGTHS = (5, 12)  # words
TESTED_LENGTHS = {  # figure 3
    f"{low}-{high}": (low, high) for low, high in ((5, 12), (13, 15), (15, 20), (21, 25), (26, 30))
}
SEEN = "trained on"  # a set of tests
TREEBANK = [f"ptb.{part}.txt" for part in ("train", "valid", "test")]
ORIGIN = (
    "the Penn Treebank as T. Mikolov prepared it for language models, a sentence a line "
    "(simple-examples.tgz of his RNNLM toolkit; the text is the LDC's)"
)
ROUNDED = 0.006  # how far a stored BLEU is from that of the stored sums


# ---- what is copied


def treebank(folder: Path, seed: int = 0, train: int = 40_000, test: int = 1000) -> Corpus:
    """Sentences of the Penn Treebank in `folder`, to be copied: `train` of 5-12 words, `test` of
    each length in `TESTED_LENGTHS`, none of which is trained on, and `test` that are.

    The treebank has fewer sentences of 5-12 words than the paper trains on, so the first 12 words
    of longer sentences are trained on too. ValueError for too few of them, or a file that cannot be
    read; FileNotFoundError for none.
    """
    draw = np.random.default_rng(seed)
    paths = located(TREEBANK, ORIGIN, folder)
    left = {line: _begun(line) for path in paths for line in read_lines(path)}
    tests: dict[str, Pairs] = {}
    for name, lengths in TESTED_LENGTHS.items():
        lines = left.values() if lengths == TRAINED_LENGTHS else left
        tests[name] = _copied(_shuffled(lines, lengths, draw), lengths, test)
        tested = {_begun(source) for source, _ in tests[name]}
        left = {line: begun for line, begun in left.items() if begun not in tested}
    pairs = _copied(_shuffled(left.values(), TRAINED_LENGTHS, draw), TRAINED_LENGTHS, train)
    tests[SEEN] = [pairs[i] for i in draw.permutation(train)[:test]]
    return Corpus(pairs, pairs, tests)  # nothing is validated


def every_line(folder: Path, seed: int = 0, test: int = 1000) -> Corpus:
    """All lines of the Penn Treebank in `folder`, to be copied: `test` of each length in
    `TESTED_LENGTHS`, as many that are left out, and the first 12 words of each other, as many as
    the authors train on. No symbol ends a source. It raises what `treebank` does.
    """
    draw = np.random.default_rng(seed)
    paths = located(TREEBANK, ORIGIN, folder)
    left = draw.permutation([line for path in paths for line in read_lines(path)]).tolist()
    tests: dict[str, Pairs] = {}
    for name, (low, high) in TESTED_LENGTHS.items():
        lines = [*map(_begun, left)] if high == TRAINED_LENGTHS[1] else left
        places = [i for i, line in enumerate(lines) if low <= len(line.split()) <= high][:test]
        tests[name] = _copied([lines[i] for i in places], (low, high), test)
        left = [line for i, line in enumerate(left) if i not in {*places}]
    pairs = [(line, line) for line in map(_begun, left[test:])]
    tests[SEEN] = pairs[-test:]
    return Corpus(pairs, pairs, tests, ends_source=False)


def _begun(line: str) -> str:
    """The first 12 words of a line."""
    return " ".join(line.split()[: TRAINED_LENGTHS[1]])


def _shuffled(
    lines: Iterable[str], lengths: tuple[int, int], draw: np.random.Generator
) -> list[str]:
    """The different lines of so many words, in random order."""
    low, high = lengths
    some = [line for line in dict.fromkeys(lines) if low <= len(line.split()) <= high]
    return draw.permutation(some).tolist()


def _copied(lines: list[str], lengths: tuple[int, int], size: int) -> Pairs:
    """The first so many lines, as their own targets; ValueError where there are fewer."""
    if len(lines) < size:
        raise ValueError(
            f"{size} sentences of {lengths[0]} to {lengths[1]} words that are not used otherwise "
            f"are expected, not {len(lines)}: the treebank comes from {ORIGIN}"
        )
    return [(line, line) for line in lines[:size]]


# ---- how it is run, and what is kept

# Variants are trained on the same sentences, one after another.
_sentences, _lines = cache(treebank), cache(every_line)


def _learned(
    device: str, configuration: dict, seed: int, data: Path | None, **until
) -> tuple[Corpus, Learned]:
    """What is learned with one seed, scored after each epoch, and from what; `until` is `learn`'s
    `stop_after`.
    """
    task = configuration["task"]
    if task == "counting":
        corpus = counting()
    else:
        sentences = _sentences if task == "copy" else _lines
        drawn = {name: configuration[name] for name in ("train", "test") if name in configuration}
        corpus = sentences(data, seed=seed, **drawn)
    training, shape = parted(configuration | {"seed": seed})
    words, score = Words(corpus.train), partial(_written, task, corpus)
    return corpus, learn(corpus, words, training, device, score=score, **until, **shape)


def _outputs(task: str, learned: Learned, pairs: Pairs) -> tuple[list[str], Sequence[str]]:
    """What is made of a set of tests, and its targets; to count it is cut after five symbols."""
    sources, targets = zip(*pairs, strict=True)
    return learned(sources, longest=COUNTED if task == "counting" else None), targets


def _written(task: str, corpus: Corpus, learned: Learned) -> list[tuple[float, int]]:
    """Of each set of tests BLEU against the targets as they stand, and how many outputs have more
    words than any sentence trained on.
    """
    found = []
    for pairs in corpus.tests.values():
        outputs, targets = _outputs(task, learned, pairs)
        found.append((round(bleu(outputs, targets), 2), _longer(outputs)))
    return found


def _longer(outputs: list[str]) -> int:
    return sum(len(output.split()) > TRAINED_LENGTHS[1] for output in outputs)


def _scores(outputs: list[str], targets: Sequence[str], words: Vocabulary) -> dict[str, Any]:
    """What is stored of one model's outputs on one set of tests: BLEU and the sums that it follows
    from, exact outputs, the most different words in one, and how many outputs have more words than
    any sentence trained on.

    A word that was never trained on is `<unk>` to the model, as rare words are in the treebank
    itself, and so in the target. `written` is BLEU against the target as it stands.
    """
    read = [words.decode(numbers) for numbers in words.encode(targets)]
    parts, found = [output.split() for output in outputs], sums(outputs, read)
    return {
        "bleu": round(bleu_of(found), 2),
        "sums": found,
        "written": round(bleu(outputs, targets), 2),
        "exact": sum(a == b for a, b in zip(outputs, read, strict=True)),
        "different": max(len(set(part)) for part in parts),
        "longer": _longer(outputs),
    }


def measure(device: str, data: Path | None = None, **configuration) -> dict:
    """Copies or counts with each seed, 0 and up; to copy, each draws its own sentences from the
    folder `data`, of which no more than a hash is kept.

    Gives, for every set of tests and every seed, what `_scores` says, and after each epoch what
    `_written` does.
    """
    tests: dict[str, dict] = {}
    hashes, first = [], []
    seeds = [configuration["seed"]] if "seed" in configuration else range(configuration["seeds"])
    for seed in seeds:
        corpus, learned = _learned(device, configuration, seed, data)
        hashes.append(fingerprint(corpus))
        begun = learned
        if device != "cpu":  # whose dropout a check cannot draw again
            _, begun = _learned("cpu", configuration, seed, data, stop_after=FIRST_STEPS)
        first.append(begun.losses[:FIRST_STEPS])
        of_tests = zip(*learned.scores, strict=True)
        for (kind, pairs), by_epoch in zip(corpus.tests.items(), of_tests, strict=True):
            written = _outputs(configuration["task"], learned, pairs)
            score = _scores(*written, learned.vocabulary)
            score["epochs"], score["longer_by_epoch"] = zip(*by_epoch, strict=True)
            test = tests.setdefault(kind, {"of": len(pairs)})
            for quantity, value in score.items():
                test.setdefault(quantity, []).append(value)
    return {"data": hashes, "measure": signature(), "tests": tests, "first_losses": first}


# ---- how it is checked


def replay(configuration: dict, result: dict, data: Path | None = None) -> bool:
    """Whether today's code gives what is stored.

    In every test, BLEU must follow from the stored sums. For counting, and for copying where its
    folder `data` is at hand, the sentences must be the stored ones, and training with the first
    seed must take the stored first steps, up to the rounding of another machine's float32.
    """
    for test in result["tests"].values():
        bleu = [bleu_of(sums) for sums in test["sums"]]
        if not np.allclose(bleu, test["bleu"], rtol=0, atol=ROUNDED):
            return False
    if configuration["task"] != "counting" and data is None:
        return True
    seed = configuration.get("seed", 0)
    corpus, learned = _learned("cpu", configuration, seed, data, stop_after=FIRST_STEPS)
    is_same_data = fingerprint(corpus) == result["data"][0]
    return is_same_data and is_same_start(learned.losses, result["first_losses"][0])


OF_TREEBANK = Folder(
    f"Its files {', '.join(TREEBANK)}, plain or as .gz, come from {ORIGIN}",
    lambda folder: fingerprint(treebank(folder)),
)
run = partial(Experiment, measure=measure, replay=replay, on_gpu=True)
EXPERIMENTS = experiments(__file__, counting=run, beginnings=partial(run, reads=OF_TREEBANK))
