"""Copying and counting as in Bhattamishra, Patel & Goyal (2020), tables 1, 3 and 4 and figure 3, as
stored runs. What is copied are sentences of the Penn Treebank, which are read from a folder.
"""

from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from record.experiment import Experiment, Folder, experiments, is_same_start
from record.experiments.translation.bleu import bleu, bleu_of, matches, signature, sums
from record.experiments.translation.data import COUNTED, Corpus, Pairs, Vocabulary, Words, counting
from record.experiments.translation.runs import FIRST_STEPS, parted
from record.experiments.translation.sentences import fingerprint, located, read_lines
from record.experiments.translation.train import Learned, learn
from record.runs import SHORT, seal
from record.shape import COUNT, LOSS, PERCENT, SIZE, TEXT

TRAINED_LENGTHS = (5, 12)  # words
TESTED_LENGTHS = {  # figure 3
    f"{low}-{high}": (low, high) for low, high in ((5, 12), (13, 15), (15, 20), (21, 25), (26, 30))
}
SEEN = "trained on"  # a set of tests
TREEBANK = "ptb.train.txt"
ORIGIN = (
    "the Penn Treebank as T. Mikolov prepared it for language models, a sentence a line "
    "(simple-examples.tgz of his RNNLM toolkit; the text is the LDC's)"
)
OF_SENTENCES = ("train", "test")  # what a configuration says of those to be copied
ROUNDED = 0.006  # how far a stored BLEU is from that of the stored sums
ANOTHER_MACHINE = 2.0  # and from that of a model that is trained again
SHAPE = {
    "data": [TEXT.in_part],
    "measure": TEXT,
    "tests": {
        "*": {
            "of": SIZE.anew,
            "bleu": [PERCENT.anew],
            "sums": [[COUNT.in_part]],
            "written": [PERCENT],
            "exact": [COUNT.in_part],
            "different": [COUNT],
            "longer": [COUNT],
        }
    },
    "first_losses": [[LOSS.in_part]],
}


# ---- what is copied


def treebank(folder: Path, seed: int = 0, train: int = 40_000, test: int = 1000) -> Corpus:
    """Sentences of the Penn Treebank in `folder`, to be copied: `train` of 5-12 words, `test` of
    each length in `TESTED_LENGTHS`, none of which is trained on, and `test` that are.

    There are fewer sentences of 5-12 words than the paper trains on, so they come several times:
    each draw is from all that are not tested. ValueError for too few of them, or a file that cannot
    be read; FileNotFoundError for none.
    """
    [path] = located("the Penn Treebank", [TREEBANK], ORIGIN, folder)
    left, draw = [*dict.fromkeys(read_lines(path))], np.random.default_rng(seed)
    tests: dict[str, Pairs] = {}
    for name, lengths in TESTED_LENGTHS.items():
        shuffled = draw.permutation(_of_lengths(left, lengths)).tolist()
        tests[name] = _copied(shuffled, lengths, test)
        tested = {*tests[name].sources}
        left = [line for line in left if line not in tested]
    sentences = _of_lengths(left, TRAINED_LENGTHS)
    once = _copied(sentences, TRAINED_LENGTHS, len(sentences) or 1)
    pairs = once[draw.integers(len(once), size=train).tolist()]
    tests[SEEN] = pairs[draw.permutation(train)[:test].tolist()]
    return Corpus(pairs, pairs, tests)  # nothing is validated


def _of_lengths(lines: list[str], lengths: tuple[int, int]) -> list[str]:
    """Those of so many words."""
    low, high = lengths
    return [line for line in lines if low <= len(line.split()) <= high]


def _copied(lines: list[str], lengths: tuple[int, int], size: int) -> Pairs:
    """The first so many lines, as their own targets; ValueError where there are fewer."""
    if len(lines) < size:
        raise ValueError(
            f"{TREEBANK} must have {size} sentences of {lengths[0]} to {lengths[1]} words "
            f"that are not used otherwise, not {len(lines)}: it comes from {ORIGIN}"
        )
    return Pairs(tuple(lines[:size]), tuple(lines[:size]))


# ---- how it is run, and what is kept

_sentences = cache(treebank)  # variants are trained on the same sentences, one after another


def _learned(
    device: str, configuration: dict, seed: int, data: Path | None, **until
) -> tuple[Corpus, Learned]:
    """What is learned with one seed, and from what; `until` are `learn`'s checkpoint and
    `stop_after`.
    """
    settings = {name: value for name, value in configuration.items() if name != "seeds"}
    if settings.pop("task") == "counting":
        corpus = counting()
    else:
        corpus = _sentences(data, seed=seed, **{name: settings.pop(name) for name in OF_SENTENCES})
    training, shape = parted(settings | {"seed": seed})
    return corpus, learn(corpus, Words(corpus.train), training, device, **until, **shape)


def _tested(
    device: str, configuration: dict, seed: int, data: Path | None, checkpoint: Path | None = None
) -> tuple[Corpus, list[float], dict[str, dict[str, Any]]]:
    """The sentences and the losses of one seed, and its scores on each set of tests. Counting's
    outputs are cut after the five numbers that are its target.
    """
    longest = COUNTED if configuration["task"] == "counting" else None
    corpus, learned = _learned(device, configuration, seed, data, checkpoint=checkpoint)
    scores = {}
    for name, pairs in corpus.tests.items():
        outputs = learned(pairs.sources, longest=longest)
        scores[name] = _scores(outputs, pairs.targets, learned.vocabulary)
    return corpus, learned.losses, scores


def _scores(outputs: list[str], targets: tuple[str, ...], words: Vocabulary) -> dict[str, Any]:
    """What is stored of one model's outputs on one set of tests: BLEU and the sums that it follows
    from, exact outputs, the most different words in one, and how many outputs have more words than
    any sentence trained on.

    A word that was never trained on is `<unk>` to the model, as rare words are in the treebank
    itself, and so in the target. `written` is BLEU against the target as it stands.
    """
    read = [words.decode(numbers) for numbers in words.encode(targets)]
    parts, found = [output.split() for output in outputs], sums(matches(outputs, read))
    return {
        "bleu": round(float(bleu_of(found)), 2),
        "sums": found.tolist(),
        "written": round(bleu(outputs, targets), 2),
        "exact": sum(a == b for a, b in zip(outputs, read, strict=True)),
        "different": max(len(set(part)) for part in parts),
        "longer": sum(len(part) > TRAINED_LENGTHS[1] for part in parts),
    }


def measure(
    device: str, data: Path | None = None, checkpoints: Path | None = None, **configuration
) -> dict:
    """Copies or counts with each seed, 0 and up; to copy, each draws its own sentences from the
    folder `data`, of which no more than a hash is kept. `checkpoints` is a folder from which a
    training that was stopped goes on.

    Gives, for every set of tests and every seed, what `_scores` says.
    """
    tests: dict[str, dict] = {}
    hashes, first = [], []
    for seed in range(configuration["seeds"]):
        name = f"{seal(configuration)[:SHORT]}-{seed}.pt"
        checkpoint = None if checkpoints is None else checkpoints / name
        corpus, losses, scores = _tested(device, configuration, seed, data, checkpoint)
        hashes.append(fingerprint(corpus))
        first.append(losses[:FIRST_STEPS])
        for kind, score in scores.items():
            test = tests.setdefault(kind, {"of": len(corpus.tests[kind])})
            for quantity, value in score.items():
                test.setdefault(quantity, []).append(value)
    return {"data": hashes, "measure": signature(), "tests": tests, "first_losses": first}


# ---- how it is checked


def replay(
    configuration: dict, result: dict, in_full: bool = False, data: Path | None = None
) -> bool:
    """Whether today's code gives what is stored.

    Of every set of tests, BLEU must follow from the stored sums, and these fit what else is stored.
    Counting, and with its folder `data` copying, must be of the stored sentences and take the
    stored first steps with the first seed; they are float32, which another machine rounds
    otherwise. `in_full` every seed is trained to its end, and its scores at the lengths trained on
    are compared.
    """
    tests = result["tests"]
    if {name: test["of"] for name, test in tests.items()} != _sizes(configuration):
        return False
    if not all(map(_fits, tests.values())):
        return False
    if configuration["task"] == "copy" and data is None:
        return True
    corpus, learned = _learned("cpu", configuration, 0, data, stop_after=FIRST_STEPS)
    if fingerprint(corpus) != result["data"][0]:
        return False
    if not is_same_start(learned.losses, result["first_losses"][0]):
        return False
    seeds = range(configuration["seeds"]) if in_full else []
    return all(_scores_again(configuration, result, seed, data) for seed in seeds)


def _sizes(configuration: dict) -> dict[str, int]:
    """How many sentences each set of tests has."""
    if configuration["task"] == "counting":
        return {name: len(pairs) for name, pairs in counting().tests.items()}
    return {name: configuration["test"] for name in (*TESTED_LENGTHS, SEEN)}


def _fits(test: dict) -> bool:
    """Whether each seed's BLEU on a set of tests is that of its sums, these have as many words as
    1-grams and no more matches than n-grams, no more outputs than there are count as anything, and
    where all are exact all n-grams match.
    """
    sums, exact = np.array(test["sums"]), np.array(test["exact"])
    matched, n_grams = sums[:, 2:6], sums[:, 6:]
    return bool(
        np.allclose(bleu_of(sums), test["bleu"], rtol=0, atol=ROUNDED)
        and (sums[:, 0] == n_grams[:, 0]).all()
        and (matched <= n_grams).all()
        and max(*exact, *test["longer"]) <= test["of"]
        and (matched == n_grams)[exact == test["of"]].all()
    )


def _scores_again(configuration: dict, result: dict, seed: int, data: Path | None) -> bool:
    """Whether that seed, trained to its end, has the stored scores at the lengths trained on: BLEU
    to 2 points, as rounding differs between machines, and in counting as many different words in
    an answer.
    """
    *_, scores = _tested("cpu", configuration, seed, data)
    name = next(iter(scores))
    again, test = scores[name], result["tests"][name]
    is_other = again["different"] != test["different"][seed] and configuration["task"] == "counting"
    return abs(again["bleu"] - test["bleu"][seed]) <= ANOTHER_MACHINE and not is_other


FOLDER = Folder(
    f"Its file {TREEBANK}, plain or as .gz, comes from {ORIGIN}",
    lambda folder: fingerprint(treebank(folder)),
)
EXPERIMENTS = experiments(
    __file__,
    counting=partial(Experiment, measure=measure, replay=replay, shape=SHAPE),
    copying=partial(
        Experiment, measure=measure, replay=replay, reads=FOLDER, goes_on=True, shape=SHAPE
    ),
)
