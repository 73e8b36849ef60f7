"""The map: every place has an entry, every entry says what its network is, and what runs is right
by other means."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from chapters.pages.the_map import MAP, encoders, examples
from chapters.pages.the_map.entries import (
    CITED,
    LABELS,
    OPEN,
    PROVED,
    RUN,
    Entry,
    Setting,
    executed,
    key,
    on,
    read_entries,
    slug,
    tiles,
)
from chapters.pages.the_map.examples import EXAMPLES, Example
from lib.constructions.mutants import mutants
from lib.transformer import Construction
from lib.turing import Transformer
from lib.turing import machines as programs
from tests import ROOT
from tests.formulas.oracles import strings
from tests.pages.oracles import ORACLES

RAN = {key(entry): entry for entry in executed(MAP)}


def test_the_map_is_full_and_what_runs_is_counted():
    assert len(tiles()) == len(set(tiles())) == 24
    assert all(on(tile, MAP) for tile in tiles())
    assert sum(len(on(tile, MAP)) for tile in tiles()) == len(MAP)
    assert len(RAN) == len(executed(MAP)) >= 24
    assert sum(entry.beyond for entry in RAN.values()) >= 6
    assert {entry.label for entry in MAP} <= set(LABELS)
    assert len({entry.anchor for entry in MAP}) == len(MAP)


@pytest.mark.parametrize("name", RAN)
def test_what_runs_is_right_by_other_means(name):
    example = RAN[name].example
    is_in, longest = ORACLES[example.language.name], 4 if len(example.language.alphabet) > 2 else 5
    for w in strings("".join(example.language.alphabet), longest):
        assert example.accepts([w]) == [is_in(w)], w


@pytest.mark.parametrize("name", RAN)
def test_a_line_of_python_says_what_an_automaton_says(name):
    language = RAN[name].example.language
    is_in, longest = ORACLES[language.name], 6 if len(language.alphabet) > 2 else 9
    for w in strings("".join(language.alphabet), longest):
        assert language.contains(w) == is_in(w), w


@pytest.mark.parametrize("name", RAN)
def test_a_setting_is_that_of_the_network(name):
    entry = RAN[name]
    [setting] = entry.settings
    network = entry.example.network()
    if isinstance(network, Transformer):
        assert (setting.mask != "none") == network.masked
        names = {"index": "i", "one": "1"}
        encodings = [names[encoding.__name__] for encoding, _ in network.position]
    else:
        assert (setting.steps != "none") == (not isinstance(network, Construction))
        construction = network if isinstance(network, Construction) else network.construction
        masks = {head.mask or "none" for layer in construction.layers for head in layer.heads}
        assert setting.mask in masks
        assert masks <= (
            {setting.mask} if setting.mask == "none" else {setting.mask, "strict future"}
        )
        encodings = [formula for formula, _ in construction.position]
    assert (setting.precision == "exact") == entry.example.reader.startswith("exact")
    assert setting.positions == (", ".join(encodings) or "none")
    assert (setting.padding != "none") == (entry.example.language is examples.PROGRESSION)
    if setting.padding != "none":  # with fewer tokens these strings are rejected: the theorem
        assert setting.padding == "m(m - 3) tokens or more"
        assert entry.example.accepts([f"{'0' * k}111" for k in range(1, 5)]) == [True] * 4
    kinds = {"unique hard": "ties to", "averaging hard": "averaging hardmax", "soft": "softmax"}
    assert kinds[setting.attention] in entry.example.reader
    assert ("ε = 0" in entry.hypotheses) == ("eps = 0" in entry.example.reader)


@pytest.mark.parametrize("name", ["VANILLA", "DIRECTIONAL"])
def test_a_machine_takes_the_steps_that_its_entry_names(name):
    example = EXAMPLES[name]
    [entry] = [entry for entry in RAN.values() if entry.example is example]
    assert entry.settings[0].steps == "|w| + 3, 4 a machine step, 4 to reject"
    for w in ("", "1", "01", "010", "0111"):
        taken = len(list(example.network().outputs(w))) - 1
        of_machine = len(list(programs.PALINDROMES.run(w))) - 1
        assert taken == len(w) + 3 + 4 * of_machine + 4 * (w != w[::-1])


@pytest.mark.parametrize("entry", MAP, ids=lambda entry: entry.name)
def test_an_entry_names_its_place_and_its_sources(entry):
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "chapters").glob("*.py")]
    assert not entry.place or sum(f"\n({entry.place})=\n" in page for page in pages) == 1
    bibliography = (ROOT / "chapters/references.bib").read_text(encoding="utf-8")
    record = (ROOT / "chapters/record_10_the_map.py").read_text(encoding="utf-8")
    cited = re.findall(r"{cite}`([^`]+)`", record)
    keys = {key for group in cited for key in group.split(",")}
    for source in entry.cites:
        assert f"{{{source},\n" in bibliography
        assert entry.label != CITED or source in keys | {"chiang2022"}
    assert entry.statement.endswith((".", "?")) and entry.hypotheses.endswith(".")


def test_a_wrong_entry_is_caught():
    """With one coefficient less, or by the other tie, the verdict is a shortest counterexample."""
    right = next(entry for entry in MAP if entry.name == "contains 01").example
    assert right.run(6).counterexample is None
    _, mutant = next(mutants(encoders.contains_01()))
    broken = examples.read(lambda: mutant, right.language, 6, "rightmost")
    assert broken.run().counterexample == "01"
    other = examples.read(encoders.contains_01, right.language, 6, "leftmost")
    assert other.run().counterexample == "01"
    unpadded = examples.read(encoders.progressions, examples.PROGRESSION, 5, "leftmost")
    assert unpadded.run().counterexample == "0111"
    wrong = replace(EXAMPLES["TALLY"], language=examples.MAJORITY)
    assert wrong.run(3).counterexample == "01"
    stuck = replace(EXAMPLES["VANILLA"], language=examples.ENDS_WITH_1)
    assert stuck.run(2).counterexample == ""


BAD = [
    ({"label": RUN, "example": None}, "is said to run: an example is expected"),
    ({"label": PROVED, "place": ""}, "must name its place"),
    ({"label": CITED}, "it needs a citation, and runs nothing"),
    ({"label": CITED, "example": None, "cites": ()}, "it needs a citation"),
    ({"label": OPEN}, "it has no run and no place"),
    ({"label": "certain"}, "label must be one of"),
    ({"settings": (Setting("soft"), Setting("soft", "future"))}, "stand at one place of the map"),
    ({"settings": (None,)}, "each of settings must be a Setting, not None"),
]


@pytest.mark.parametrize("changed, message", BAD)
def test_an_entry_that_says_too_much_is_refused(changed, message):
    example = EXAMPLES["ONE_SOFT"]
    good = Entry("x", (Setting("soft"),), "It is.", "None.", RUN, example, "label")
    with pytest.raises((ValueError, TypeError), match=message):
        replace(good, **changed)


WRITTEN = """
words:
  - &CLS Read at CLS.
  - &theirs {mask: as in the paper, positions: any}
entries:
  - name: one
    settings: {attention: soft}
    statement: >-
      It
      is.
    hypotheses: [First., *CLS]
    label: run
    example: ONE_SOFT
    place: label
  - name: other
    settings:
      - {<<: *theirs, attention: soft}
      - {<<: *theirs, attention: soft, positions: none}
      - {<<: *theirs, attention: soft, positions: i}
    statement: It is.
    hypotheses: *CLS
    label: cited
    cites: [hahn2020, hao2022]
"""


def written(folder: Path, text: str) -> tuple[Entry, ...]:
    path = folder / "map.yaml"
    path.write_text(text, encoding="utf-8")
    return read_entries(path, EXAMPLES)


def test_entries_are_read_as_they_are_written(tmp_path):
    first, second, third = (
        Setting("soft", "as in the paper", positions) for positions in ("any", "none", "i")
    )
    cites = ("hahn2020", "hao2022")
    assert written(tmp_path, WRITTEN) == (
        Entry("one", (Setting("soft"),), "It is.", "First. Read at CLS.", RUN,
             EXAMPLES["ONE_SOFT"], "label"),
        Entry("other", (first, third), "It is.", "Read at CLS.", CITED, cites=cites),
        Entry("other", (second,), "It is.", "Read at CLS.", CITED, cites=cites),
    )  # fmt: skip


def test_every_example_is_that_of_one_entry():
    assert {id(entry.example) for entry in executed(MAP)} == set(map(id, EXAMPLES.values()))
    assert len(executed(MAP)) == len(EXAMPLES)


@pytest.mark.parametrize(
    "right, wrong, message",
    [
        ("place:", "site:", "the entry 'one': .* unexpected keyword argument 'site'"),
        ("attention: soft}\n", "look: soft}\n", "'one': .* unexpected keyword argument 'look'"),
        ("label: run", "label: certain", "the entry 'one': label must be one of .*, not 'certain'"),
        ("ONE_SOFT", "ONES", "the entry 'one': example must be one of .*, not 'ONES'"),
        ("ONE_SOFT", "[ONE_SOFT]", r"the entry 'one': example must be one of .*, not \['ONE_SOFT'"),
        ("name: one", "named: one", "the entry {'named': 'one', .*}…?: .* argument 'named'"),
        ("    settings:\n", "    setting:\n", "the entry 'other' has no settings"),
        ("    hypotheses: *CLS", "    hypothesis: *CLS", "the entry 'other' has no hypotheses"),
        ("[First.,", "[First: yes,", "the entry 'one': .* expected str instance, dict found"),
        ("positions: i}", "mask: past}", "'other': mask must be one of"),
        ("cites: [hahn2020, hao2022]", "place: label", "'other' is cited: it needs"),
        ("  - name: other\n    settings", "  - other\n  - settings", "the entry 'other': "),
    ],
)
def test_an_entry_that_is_written_wrongly_is_named(tmp_path, right, wrong, message):
    assert right in WRITTEN
    with pytest.raises(ValueError, match=message):
        written(tmp_path, WRITTEN.replace(right, wrong, 1))


def test_a_setting_has_its_place():
    assert Setting("soft").tile == ("soft", False, "no positions")
    assert Setting("soft", "future", "i").tile == ("soft", True, "positions")
    assert Setting("unique hard", padding="n").tile == ("unique hard", False, "padding")
    assert Setting("soft", positions="i", padding="n", steps="n").tile[2] == "steps"
    for bad in ({"attention": "hard"}, {"attention": "soft", "mask": "past"}):
        with pytest.raises(ValueError, match="must be one of"):
            Setting(**bad)


def test_an_example_runs_as_far_as_asked():
    asked = []

    def accepts(words):
        asked.extend(words)
        return [w[:1] == "1" for w in words]

    example = Example(examples.FIRST, 3, accepts, "x", list)
    assert example.run().strings == 15 and asked == strings("01", 3)
    assert example.run(1).longest == 1


def test_an_anchor_is_made_of_plain_letters():
    assert slug("aⁿbⁿcⁿ, normalized") == "anbncn-normalized"
    assert slug("within AC⁰") == "within-ac0"
    assert all(re.fullmatch(r"map-entry(-[a-z0-9]+)+", entry.anchor) for entry in MAP)
