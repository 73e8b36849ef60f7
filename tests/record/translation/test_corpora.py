"""Data by name: what is generated keeps its own rules, and no test is trained on."""

import gzip
import re

import numpy as np
import pytest

from chapters.translation.sentences import (
    SOURCES,
    _Grammar,
    from_folder,
    generated,
    short_to_long,
)
from chapters.turing_completeness.runs import TESTED_LENGTHS, TREEBANK, treebank


def lengths(lines) -> set[int]:
    return {len(line.split()) for line in lines}


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """Made-up lines of 1 to 35 words, the first ones twice."""
    draw = np.random.default_rng(0)
    sizes = draw.permutation(np.arange(2000) % 35 + 1)
    made = [" ".join(f"w{n}" for n in draw.integers(400, size=size)) for size in sizes]
    return made + made[:100]


@pytest.fixture(scope="module")
def ptb(lines, tmp_path_factory):
    """Those lines in the place of the treebank."""
    path = tmp_path_factory.mktemp("treebank")
    for name, part in zip(TREEBANK, (lines, lines[:50], ["a b", "a b c d e"]), strict=True):
        (path / f"{name}.gz").write_bytes(gzip.compress("\n".join([*part, ""]).encode()))
    return path


def test_sentences_of_the_treebank_are_drawn_as_said(lines, ptb):
    corpus = treebank(ptb, seed=1, train=600, test=50)
    assert list(corpus.tests) == ["5-12", "13-15", "15-20", "21-25", "26-30", "trained on"]
    [*unseen, seen] = corpus.tests.values()
    assert len(seen) == 50 and {*seen.sources} <= {*corpus.train.sources}
    tested = [line for pairs in unseen for line in pairs.sources]
    assert len({*tested}) == 5 * 50 and {*tested} <= {*lines}
    for (low, high), pairs in zip(TESTED_LENGTHS.values(), unseen, strict=True):
        assert lengths(pairs.sources) == {*range(low, high + 1)} and pairs.sources == pairs.targets
    trained = corpus.train.sources
    assert len(trained) == 600 and corpus.train.targets == trained
    left = {s for s in {*lines} - {*tested} if 5 <= len(s.split()) <= 12}
    assert {*trained} <= left and len({*trained}) > len(left) / 2


def test_beginnings_are_of_all_parts_once_each_and_of_no_line_that_is_tested(lines, ptb):
    corpus = treebank(ptb, seed=1, train=1200, test=20, cut=True)
    [(_, first), *others, (_, seen)] = corpus.tests.items()
    begun = {line: " ".join(line.split()[:12]) for line in [*lines, "a b c d e"]}
    trained = corpus.train.sources
    assert len({*trained}) == len(trained) == 1200 and {*trained} <= {*begun.values()}
    assert lengths(trained) == {*range(5, 13)} >= lengths(first.sources)
    assert {*seen.sources} <= {*trained} and len(seen) == 20
    for _, pairs in others:
        assert {*pairs.sources} <= {*lines} and pairs.sources == pairs.targets
    tested = {begun.get(s, s) for _, pairs in [("", first), *others] for s in pairs.sources}
    assert len(tested) == 100 and not tested & {*trained}
    every = {s for s in begun.values() if len(s.split()) >= 5}
    whole = treebank(ptb, seed=2, train=len(every) - 100, test=20, cut=True)
    assert {*whole.train.sources} < every and "a b c d e" in every
    with pytest.raises(ValueError, match=f"{len(every) - 99} sentences of 5 to 12 words"):
        treebank(ptb, seed=2, train=len(every) - 99, test=20, cut=True)


def test_the_generated_languages_keep_their_grammar():
    """Read again from the outside: words one for one, order changed, every article and ending by
    its noun.
    """
    grammar, corpus = _Grammar(), generated(train=3000, test=100)
    nouns = {there: (means, number % 2) for number, (there, means) in enumerate(grammar.nouns)}
    verbs, adjectives, places = map(dict, (grammar.verbs, grammar.adjectives, grammar.places))
    assert len(nouns) == 60 and len({*nouns, *verbs, *adjectives, *places}) == 60 + 30 + 20 + 3
    for source, target in zip(corpus.train.sources, corpus.train.targets, strict=True):
        clauses = []
        for clause in source.split(" ke "):
            phrases, verb = [], clause.split()[-1]
            for word in clause.split()[:-1]:
                noun = re.fullmatch(f"({'|'.join(nouns)})(li)?(n)?", word)
                if word in adjectives:
                    phrases[-1][1].append(word)
                elif word in places:
                    phrases[-1][2] = word
                else:
                    phrases.append([noun, [], None])
            assert [bool(noun[3]) for noun, *_ in phrases] == [False] + [True] * (len(phrases) - 1)

            def said(noun, chosen, place):
                (means, gender), many = nouns[noun[1]], noun[2]
                ending = ("as" if many else "a") if gender else ("os" if many else "o")
                words = [
                    "l" + ending,
                    *(adjectives[word] + ending for word in reversed(chosen)),
                    means + ("s" if many else ""),
                ]
                return " ".join([places[word] for word in [place] if word] + words)

            says = verbs[verb] + ("en" if phrases[0][0][2] else "et")
            clauses.append(
                " ".join([said(*phrases[0]), says, *(said(*phrase) for phrase in phrases[1:])])
            )
        assert target == " und ".join(clauses)


def test_no_test_is_trained_on():
    corpus = generated(train=500, test=100)
    parts = [
        set(pairs.sources) for pairs in (corpus.train, corpus.validation, corpus.tests["test"])
    ]
    assert (
        [len(part) for part in parts] == [500, 100, 100]
        and not parts[0] & parts[1]
        and not (parts[0] | parts[1]) & parts[2]
    )


def test_short_to_long_parts_at_the_median():
    corpus = generated(train=501, test=200)
    parted = short_to_long(corpus)
    middle = sorted(len(source.split()) for source in corpus.train.sources)[250]
    assert max(lengths(parted.train.sources)) == middle < min(lengths(parted.tests["test"].sources))
    assert (
        len(parted.train)
        == sum(len(source.split()) <= middle for source in corpus.train.sources)
        > 250
    )
    assert (
        len(parted.tests["test"])
        == sum(len(source.split()) > middle for source in corpus.tests["test"].sources)
        > 0
    )
    assert all(
        pair in zip(corpus.train.sources, corpus.train.targets, strict=True)
        for pair in zip(parted.train.sources, parted.train.targets, strict=True)
    )


# ---- folders


@pytest.fixture(params=SOURCES)
def folder(request, tmp_path):
    """A folder with every file of a pair, half of them packed."""
    for number, name in enumerate(SOURCES[request.param].names()):
        text = "".join(f"{name} Zeile {line}\u2028\n" for line in range(3 + number // 2)).encode()
        if number % 2:
            (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text))
        else:
            (tmp_path / name).write_bytes(text)
    return request.param, tmp_path


def test_a_folder_is_read_plain_and_packed(folder):
    pair, path = folder
    corpus, (one, other) = from_folder(pair, path), SOURCES[pair].languages
    assert corpus.train.sources == tuple(
        f"{SOURCES[pair].train}.{one} Zeile {line}" for line in range(3)
    )
    assert corpus.tests["test"].targets == tuple(
        f"{SOURCES[pair].test}.{other} Zeile {line}" for line in range(5)
    )
    assert len(corpus.validation) == 4 and corpus.ends_source
