"""Experiments of the tests' own, where the book looks for experiments by name; made-up lines."""

from __future__ import annotations

import numpy as np
import pytest

from chapters.translation.data import Corpus, Pairs
from record.experiment import Experiment
from record.experiments import MODULE_OF

EXPERIMENTS: dict[str, Experiment] = {}


def named(name: str, experiment: Experiment) -> None:
    """Has the commands know an experiment by that name."""
    MODULE_OF[name] = __name__
    EXPERIMENTS[name] = experiment


def named_for_a_test(patched: pytest.MonkeyPatch, name: str, experiment: Experiment) -> None:
    """The same, until a test ends."""
    patched.setitem(MODULE_OF, name, __name__)
    patched.setitem(EXPERIMENTS, name, experiment)


def passes(configuration: dict, result: dict, in_full: bool) -> bool:
    """A replay that finds nothing."""
    return True


def copies(words: int, train: int, test: int) -> Corpus:
    """Sentences of so many made-up words, to be copied: 5 to 12 words to train and to validate on,
    and longer ones too to test on.
    """
    draw = np.random.default_rng(0)
    weight = 1 / (np.arange(1, words + 1) + 2.7)
    names = np.array([f"w{rank}" for rank in range(1, words + 1)])

    def drawn(low: int, high: int, size: int) -> Pairs:
        ends = draw.integers(low, high, size=size, endpoint=True).cumsum()
        chosen = names[draw.choice(words, size=ends[-1], p=weight / weight.sum())]
        sentences = tuple(" ".join(part) for part in np.split(chosen, ends[:-1]))
        return Pairs(sentences, sentences)

    trained, validation = drawn(5, 12, train), drawn(5, 12, test)
    lengths = ((5, 12), (13, 15), (16, 20), (21, 25), (26, 30))
    return Corpus(
        trained, validation, {f"{low}-{high}": drawn(low, high, test) for low, high in lengths}
    )
