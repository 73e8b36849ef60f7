"""A generated pair of languages, in which translating takes more than a dictionary."""

from __future__ import annotations

import numpy as np

from lib.checks import between, positive, takes, whole
from lib.translation.corpora import Corpus, Pairs

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
NOUNS, VERBS, ADJECTIVES, PLACES = 60, 30, 20, 3
MOST = 10**6  # sentences to train on or to test on
# Article and the ending of adjectives in the target, by whether the noun is in the plural and by
# its gender.
AGREEMENT = {
    (False, 0): ("lo", "o"),
    (False, 1): ("la", "a"),
    (True, 0): ("los", "os"),
    (True, 1): ("las", "as"),
}

Phrase = tuple[str, str]  # in the source and in the target


@takes(train=between(1, MOST), test=between(1, MOST))
def generated(seed: int = 0, train: int = 4000, test: int = 300) -> Corpus:
    """A made-up pair of languages, in which translating takes more than a dictionary.

    The source says subject, object, places, verb; adjectives follow their noun, a plural and the
    object are endings of the noun. The target says subject, verb, object, places; articles and
    adjectives stand before the noun and agree with its gender and number, the verb agrees with its
    subject. Sentences are clauses joined by "and", with up to two adjectives to a noun and up to
    two places.
    """
    draw = np.random.default_rng(whole(seed, "a seed"))
    total = positive(train, "a number of sentences") + 2 * positive(test, "a number of sentences")
    pairs: dict[str, str] = {}
    grammar = _Grammar()
    while len(pairs) < total:  # no sentence twice: none of the tests is trained on
        source, target = grammar.sentence(draw)
        pairs.setdefault(source, target)
    every = Pairs(tuple(pairs), tuple(pairs.values()))
    return Corpus(every[:train], every[train : train + test], {"test": every[train + test :]})


class _Grammar:
    """The two languages: one dictionary, the same for all their sentences."""

    def __init__(self):
        draw = np.random.default_rng(0)
        stems = list(dict.fromkeys("".join(draw.choice(SYLLABLES, size=2)) for _ in range(400)))
        middle = len(stems) // 2
        self._words = zip(stems[:middle], stems[middle:], strict=False)
        self.nouns = self._next(NOUNS)
        self.verbs = self._next(VERBS)
        self.adjectives = self._next(ADJECTIVES)
        self.places = self._next(PLACES)

    def _next(self, size: int) -> list[Phrase]:
        """So many words of both languages that have no meaning yet."""
        return [next(self._words) for _ in range(size)]

    def sentence(self, draw: np.random.Generator) -> Phrase:
        clauses = [self.clause(draw) for _ in range(1 + draw.binomial(2, 0.3))]
        source = " ke ".join(source for source, _ in clauses)
        target = " und ".join(target for _, target in clauses)
        return source, target

    def clause(self, draw: np.random.Generator) -> Phrase:
        (subject, its_target), is_plural = self.phrase(draw, "")
        (object_, object_target), _ = self.phrase(draw, "n")
        verb, verb_target = self.verbs[draw.integers(VERBS)]
        places = [self.place(draw) for _ in range(draw.binomial(2, 0.3))]
        source = [subject, object_, *(place for place, _ in places), verb]
        agreeing = verb_target + ("en" if is_plural else "et")
        target = [its_target, agreeing, object_target, *(place for _, place in places)]
        return " ".join(source), " ".join(target)

    def place(self, draw: np.random.Generator) -> Phrase:
        """A phrase with the word that says where: behind it in the source, before it in the
        target.
        """
        (source, target), _ = self.phrase(draw, "n")
        after, before = self.places[draw.integers(PLACES)]
        return f"{source} {after}", f"{before} {target}"

    def phrase(self, draw: np.random.Generator, ending: str) -> tuple[Phrase, bool]:
        """A noun with its adjectives in both languages, and whether it is in the plural."""
        number = int(draw.integers(NOUNS))
        is_plural = bool(draw.random() < 0.4)
        noun, noun_target = self.nouns[number]
        size = draw.binomial(2, 0.3)
        chosen = draw.choice(ADJECTIVES, size=size, replace=False)
        adjectives = [self.adjectives[i] for i in chosen]
        article, agreeing = AGREEMENT[is_plural, number % 2]
        source = [noun + ("li" if is_plural else "") + ending, *(word for word, _ in adjectives)]
        before = [word + agreeing for _, word in reversed(adjectives)]
        target = [article, *before, noun_target + ("s" if is_plural else "")]
        return (" ".join(source), " ".join(target)), is_plural
