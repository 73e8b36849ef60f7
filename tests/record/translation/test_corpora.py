"""Data by name: what is generated keeps its own rules, what is read from a folder is whole or
refused.
"""

import gzip
import re

import numpy as np
import pytest

from record.experiments.bhattamishra import TESTED_LENGTHS, TREEBANK, treebank
from record.experiments.translation.data import (
    Corpus,
    Pairs,
    counting,
)
from record.experiments.translation.sentences import (
    SOURCES,
    _Grammar,
    files,
    fingerprint,
    from_folder,
    generated,
    read_lines,
    short_to_long,
    without_longer,
)


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


@pytest.mark.parametrize(
    "broken, error, message",
    [
        (None, FileNotFoundError, "the Penn Treebank in .* lacks ptb.train.txt: .*Mikolov"),
        (b"\xff", ValueError, "ptb.train.txt cannot be read as text"),
        (
            b"a b c d e\n" * 9,
            ValueError,
            "1000 sentences of 5 to 12 words that are not used .* not 1:",
        ),
    ],
)
def test_another_treebank_is_refused(broken, error, message, tmp_path):
    if broken:
        (tmp_path / TREEBANK[0]).write_bytes(broken)
    with pytest.raises(error, match=message):
        treebank(tmp_path)


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


@pytest.mark.parametrize(
    "make",
    [
        lambda folder, seed: treebank(folder, seed, train=50, test=5, cut=True),
        lambda folder, seed: treebank(folder, seed, train=50, test=5),
        lambda folder, seed: generated(seed, train=50, test=5),
    ],
)
def test_a_seed_is_its_sentences(make, ptb):
    one, again, other = (make(ptb, seed) for seed in (3, 3, 4))
    assert one == again and fingerprint(one) == fingerprint(again)
    assert one.train != other.train and fingerprint(one) != fingerprint(other)


def test_counting_asks_for_the_next_five():
    corpus = counting()
    assert (
        corpus.train.sources == tuple(map(str, range(101))) and corpus.train == corpus.tests["all"]
    )
    for source, target in zip(corpus.train.sources, corpus.train.targets, strict=True):
        assert target.split() == [str(int(source) + j) for j in range(1, 6)]
    assert not corpus.ends_source


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


def test_short_to_long_parts_at_a_number_of_words_of_the_source():
    sources = ("a b c", "a b", "a", "a b c d")
    pairs = Pairs(sources, ("x", "x y z w", "x", "x"))
    parted = short_to_long(Corpus(pairs, pairs, {"test": pairs}), most=2)
    assert parted.train == parted.validation == Pairs(("a b", "a"), ("x y z w", "x"))
    assert parted.tests["test"] == Pairs(("a b c", "a b c d"), ("x", "x"))


def test_longer_pairs_are_not_trained_on():
    pairs = Pairs(("a b c", "a", "a b"), ("x", "x y z", "x y"))
    corpus = Corpus(pairs, pairs, {"test": pairs})
    cut = without_longer(corpus, 2)
    assert cut.train == Pairs(("a b",), ("x y",))
    assert cut.validation == cut.tests["test"] == pairs and without_longer(corpus, 3) == corpus


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


def test_missing_files_are_named_with_their_origin(folder):
    pair, path = folder
    first, *_, last = files(pair, path)
    first.unlink(), last.unlink()
    with pytest.raises(FileNotFoundError) as error:
        from_folder(pair, path)
    names = SOURCES[pair].names()
    assert f"lacks {names[0]}, {names[-1]}: the files {', '.join(names)}," in str(
        error.value
    ) and SOURCES[pair].origin in str(error.value)
    with pytest.raises(FileNotFoundError, match=f"{pair} in .*nowhere lacks"):
        from_folder(pair, path / "nowhere")


@pytest.mark.parametrize(
    "spoil, message",
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-10]), "train.* cannot be read as text"),
        (lambda path: path.write_bytes(b"\x1f\x8b broken"), "train.* cannot be read as text"),
        (
            lambda path: path.write_bytes(gzip.compress(b"\xff\xfe\xff\n")),
            "train.* cannot be read as text",
        ),
        (
            lambda path: path.write_bytes(gzip.compress(b"a\n \nb\n")),
            r"line 2 of .*train.* is empty",
        ),
        (
            lambda path: path.write_bytes(gzip.compress(b"a\nb\n")),
            r"train\.\w+ has 3 lines, .*train.* has 2",
        ),
        (lambda path: path.write_bytes(gzip.compress(b"")), "train.* holds no line"),
    ],
)
def test_broken_files_get_one_error_that_names_them(folder, spoil, message):
    pair, path = folder
    if "is empty" in message and SOURCES[pair].has_gaps:
        pytest.skip("a pair to train on may lack a side")
    spoil(files(pair, path)[1])
    before = {file: file.read_bytes() for file in path.iterdir()}
    with pytest.raises(ValueError, match=message):
        from_folder(pair, path)
    assert {file: file.read_bytes() for file in path.iterdir()} == before


def test_a_pair_to_train_on_may_lack_a_side_where_its_source_has_gaps(tmp_path):
    for name in SOURCES["iwslt15"].names():
        (tmp_path / name).write_text("a\nb\nc\n", encoding="utf-8")
    (tmp_path / "train.en").write_text("a\n\nc\n", encoding="utf-8")
    (tmp_path / "train.vi").write_text("x\ny\n \n", encoding="utf-8")
    corpus = from_folder("iwslt15", tmp_path)
    assert corpus.train == Pairs(("a",), ("x",)) and len(corpus.tests["test"]) == 3
    (tmp_path / "tst2013.vi").write_text("x\n\nz\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 2 of .*tst2013.vi is empty"):
        from_folder("iwslt15", tmp_path)
    for name in ("train.en", "tst2013.vi"):
        (tmp_path / name).write_text("x\ny\n", encoding="utf-8")
        with pytest.raises(ValueError, match="train.en has 2 lines, .*train.vi has 3"):
            from_folder("iwslt15", tmp_path)


def test_a_plain_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "text").write_bytes(b"\xff\xfe\xff")
    for path in (tmp_path / "text", tmp_path / "none", tmp_path):
        with pytest.raises(ValueError, match=f"{path.name} cannot be read as text"):
            read_lines(path)


def test_pairs_are_one_for_one():
    with pytest.raises(ValueError, match="as many targets as sources are expected, not 0 and 1"):
        Pairs(("a",), ())
