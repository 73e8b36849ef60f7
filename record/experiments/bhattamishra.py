"""Copying and counting as in Bhattamishra, Patel & Goyal (2020), tables 1, 3 and 4 and figure 3, as
stored runs.
"""

from functools import cache, partial
from typing import Any

import numpy as np

from record.experiment import Experiment, experiments, is_same_start
from record.experiments.translation.bleu import bleu
from record.experiments.translation.data import COUNTED, Corpus, Pairs, Words, counting
from record.experiments.translation.runs import FIRST_STEPS, parted, samples_of
from record.experiments.translation.train import Learned, learn
from record.shape import COUNT, LOSS, PERCENT, SIZE, TEXT

TRAINED_LENGTHS = (5, 12)
TESTED_LENGTHS = ((5, 12), (13, 15), (16, 20), (21, 25), (26, 30))  # figure 3
TESTS = {
    "of": SIZE.anew,
    "bleu": [PERCENT],
    "words": [COUNT],
    "exact": [COUNT],
    "different": [COUNT],
}
SHAPE = {
    "tests": {"*": TESTS},
    "samples": {"*": [{"source": TEXT, "reference": TEXT, "output": TEXT}]},
    "first_losses": [[LOSS.in_part]],
}
OF_SENTENCES = ("words", "train", "test")  # what a configuration says of those to be copied


def copying(seed: int = 0, words: int = 500, train: int = 40_000, test: int = 1000) -> Corpus:
    """Sentences to be copied: `train` of 5-12 words, and `test` of each length in `TESTED_LENGTHS`.

    Words are drawn by Zipf's law in Mandelbrot's form, the r-th of `words` with a probability
    proportional to 1/(r + 2.7), and lengths uniformly.
    """
    draw = np.random.default_rng(seed)
    weight = 1 / (np.arange(1, words + 1) + 2.7)
    names = np.array([f"w{rank}" for rank in range(1, words + 1)])

    def drawn(lengths: tuple[int, int], size: int) -> Pairs:
        ends = draw.integers(*lengths, size=size, endpoint=True).cumsum()
        chosen = names[draw.choice(words, size=ends[-1], p=weight / weight.sum())]
        sentences = tuple(" ".join(part) for part in np.split(chosen, ends[:-1]))
        return Pairs(sentences, sentences)

    trained, validation = drawn(TRAINED_LENGTHS, train), drawn(TRAINED_LENGTHS, test)
    tests = {f"{low}-{high}": drawn((low, high), test) for low, high in TESTED_LENGTHS}
    return Corpus(trained, validation, tests)


@cache  # seeds are trained on the same sentences, one after another
def _sentences(task: str, **sizes: int) -> tuple[Corpus, Words]:
    """The sentences of a task, and their words; copying has `sizes`."""
    corpus = counting() if task == "counting" else copying(**sizes)
    return corpus, Words(corpus.train)


def _learned(
    device: str, configuration: dict, seed: int, stop_after: int | None = None
) -> tuple[Corpus, Learned]:
    """What is learned with one seed, and from what."""
    settings = {name: value for name, value in configuration.items() if name != "seeds"}
    task = settings.pop("task")
    corpus, words = _sentences(task, **{name: settings.pop(name) for name in OF_SENTENCES})
    training, shape = parted(settings | {"seed": seed})
    return corpus, learn(corpus, words, training, device, stop_after=stop_after, **shape)


def _tested(
    device: str, configuration: dict, seed: int
) -> tuple[list[float], dict[str, tuple[Pairs, list[str]]]]:
    """The losses of one seed, and its outputs on each set of tests. Counting's outputs are cut
    after the five numbers that are its target.
    """
    longest = COUNTED if configuration["task"] == "counting" else None
    corpus, learned = _learned(device, configuration, seed)
    outputs = {
        name: (pairs, learned(pairs.sources, longest=longest))
        for name, pairs in corpus.tests.items()
    }
    return learned.losses, outputs


def measure(device: str, **configuration) -> dict:
    """Copies or counts with each seed, 0 and up.

    Gives, for every set of tests and every seed, BLEU, how many outputs are exactly right, the most
    words in an output and the most different ones in one.
    """
    tests: dict[str, dict] = {}
    samples: dict[str, list[dict[str, Any]]] = {}
    first = []
    for seed in range(configuration["seeds"]):
        losses, outputs_of = _tested(device, configuration, seed)
        first.append(losses[:FIRST_STEPS])
        for name, (pairs, outputs) in outputs_of.items():
            test = tests.setdefault(name, {"of": len(pairs)})
            for quantity, value in _quantities(outputs, pairs.targets).items():
                test.setdefault(quantity, []).append(value)
            samples.setdefault(name, samples_of(pairs, {"output": outputs}))
    return {"tests": tests, "samples": samples, "first_losses": first}


def _quantities(outputs: list[str], targets: tuple[str, ...]) -> dict[str, float]:
    """What is stored of one model's outputs on one set of tests."""
    words = [output.split() for output in outputs]
    return {
        "bleu": round(bleu(outputs, targets), 2),
        "words": max(len(line) for line in words),
        "exact": sum(a == b for a, b in zip(outputs, targets, strict=True)),
        "different": max(len(set(line)) for line in words),
    }


def replay(configuration: dict, result: dict, in_full: bool = False) -> bool:
    """Whether today's code gives what is stored.

    The first seed's first steps are compared; they are float32, which another machine rounds
    otherwise. `in_full` counting trains every seed to its end and compares its scores. Copying
    takes too long for that, and ignores `in_full`: its scores are not checked here.
    """
    corpus, learned = _learned("cpu", configuration, 0, stop_after=FIRST_STEPS)
    sizes = {name: len(pairs) for name, pairs in corpus.tests.items()}
    if {name: test["of"] for name, test in result["tests"].items()} != sizes:
        return False
    if not is_same_start(learned.losses, result["first_losses"][0]) or not _agree(result["tests"]):
        return False
    if not in_full or configuration["task"] != "counting":
        return True
    return all(_scores_again(configuration, result, seed) for seed in range(configuration["seeds"]))


def _agree(tests: dict[str, dict]) -> bool:
    """Whether the figures of each set of tests fit together: all outputs are exact where BLEU is
    100, and nowhere else, and none has more different words than words.
    """
    rows = [
        (test["of"], *seed)
        for test in tests.values()
        for seed in zip(test["bleu"], test["exact"], test["words"], test["different"], strict=True)
    ]
    return all(
        exact <= of and (exact == of) == (score == 100) and different <= words
        for of, score, exact, words, different in rows
    )


def _scores_again(configuration: dict, result: dict, seed: int) -> bool:
    """Whether that seed, trained to its end, has the stored scores: BLEU to 2 points, as rounding
    differs between machines, and as many different words in an answer.
    """
    _, outputs_of = _tested("cpu", configuration, seed)
    for name, (pairs, outputs) in outputs_of.items():
        again, test = _quantities(outputs, pairs.targets), result["tests"][name]
        if abs(again["bleu"] - test["bleu"][seed]) > 2:
            return False
        if again["different"] != test["different"][seed]:
            return False
    return True


EXPERIMENTS = experiments(
    __file__, tasks=partial(Experiment, measure=measure, replay=replay, shape=SHAPE)
)
