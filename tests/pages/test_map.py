"""The map: every place has a cell, every cell says what its network is, and what runs is right by
other means."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from chapters.pages.the_map import MAP, encoders, examples
from chapters.pages.the_map.cells import (
    CITED,
    LABELS,
    OPEN,
    PROVED,
    RUN,
    Cell,
    Setting,
    executed,
    key,
    labelled,
    on,
    read_cells,
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

RAN = {key(cell): cell for cell in executed(MAP)}


def test_the_map_is_full_and_what_runs_is_counted():
    assert len(tiles()) == len(set(tiles())) == 24
    assert all(on(tile, MAP) for tile in tiles())
    assert len(RAN) == len(executed(MAP)) >= 24
    assert sum(cell.beyond for cell in RAN.values()) >= 6
    assert sum(len(labelled(label, MAP)) for label in LABELS) == len(MAP)
    assert len({(cell.name, cell.settings) for cell in MAP}) == len(MAP)


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
    cell = RAN[name]
    [setting] = cell.settings
    network = cell.example.network()
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
    assert (setting.precision == "exact") == cell.example.reader.startswith("exact")
    assert setting.positions == (", ".join(encodings) or "none")
    assert (setting.padding != "none") == (cell.example.language is examples.PROGRESSION)
    if setting.padding != "none":  # with fewer tokens these strings are rejected: the theorem
        assert setting.padding == "m(m - 3) tokens or more"
        assert cell.example.accepts([f"{'0' * k}111" for k in range(1, 5)]) == [True] * 4
    kinds = {"unique hard": "ties to", "averaging hard": "averaging hardmax", "soft": "softmax"}
    assert kinds[setting.attention] in cell.example.reader
    assert ("ε = 0" in cell.hypotheses) == ("eps = 0" in cell.example.reader)


@pytest.mark.parametrize("name", ["VANILLA", "DIRECTIONAL"])
def test_a_machine_takes_the_steps_that_its_cell_names(name):
    example = EXAMPLES[name]
    [cell] = [cell for cell in RAN.values() if cell.example is example]
    assert cell.settings[0].steps == "|w| + 3, 4 a machine step, 4 to reject"
    for w in ("", "1", "01", "010", "0111"):
        taken = len(list(example.network().outputs(w))) - 1
        of_machine = len(list(programs.PALINDROMES.run(w))) - 1
        assert taken == len(w) + 3 + 4 * of_machine + 4 * (w != w[::-1])


@pytest.mark.parametrize("cell", MAP, ids=lambda cell: cell.name)
def test_a_cell_names_its_place_and_its_sources(cell):
    if cell.place:
        page, _, label = cell.place.partition("#")
        assert f"({label})=" in (ROOT / f"chapters/{page}.py").read_text(encoding="utf-8")
    bibliography = (ROOT / "chapters/references.bib").read_text(encoding="utf-8")
    cited = re.findall(
        r"{cite}`([^`]+)`", (ROOT / "chapters/10_the_map.py").read_text(encoding="utf-8")
    )
    keys = {key for group in cited for key in group.split(",")}
    for source in cell.cites:
        assert f"{{{source},\n" in bibliography
        assert cell.label != CITED or source in keys | {"chiang2022"}
    assert cell.statement.endswith((".", "?")) and cell.hypotheses.endswith(".")


def test_a_wrong_cell_is_caught():
    """With one coefficient less, or by the other tie, the verdict is a shortest counterexample."""
    right = next(cell for cell in MAP if cell.name == "contains 01").example
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
    ({"settings": (None,)}, "each of settings must be a Setting, not None"),
]


@pytest.mark.parametrize("changed, message", BAD)
def test_a_cell_that_says_too_much_is_refused(changed, message):
    example = EXAMPLES["ONE_SOFT"]
    good = Cell("x", (Setting("soft"),), "It is.", "None.", RUN, example, "page#label")
    with pytest.raises((ValueError, TypeError), match=message):
        replace(good, **changed)


WRITTEN = """
words:
  - &CLS Read at CLS.
  - &theirs {mask: as in the paper, positions: any}
cells:
  - name: one
    settings: {attention: soft}
    statement: >-
      It
      is.
    hypotheses: [First., *CLS]
    label: run
    example: ONE_SOFT
    place: page#label
  - name: other
    settings: [{<<: *theirs, attention: soft}, {<<: *theirs, attention: soft, positions: i}]
    statement: It is.
    hypotheses: *CLS
    label: cited
    cites: [hahn2020, hao2022]
"""


def written(folder: Path, text: str) -> tuple[Cell, ...]:
    path = folder / "map.yaml"
    path.write_text(text, encoding="utf-8")
    return read_cells(path, EXAMPLES)


def test_cells_are_read_as_they_are_written(tmp_path):
    theirs = (Setting("soft", "as in the paper", "any"), Setting("soft", "as in the paper", "i"))
    cites = ("hahn2020", "hao2022")
    assert written(tmp_path, WRITTEN) == (
        Cell("one", (Setting("soft"),), "It is.", "First. Read at CLS.", RUN,
             EXAMPLES["ONE_SOFT"], "page#label"),
        Cell("other", theirs, "It is.", "Read at CLS.", CITED, cites=cites),
    )  # fmt: skip


def test_every_example_is_that_of_one_cell():
    assert {id(cell.example) for cell in executed(MAP)} == set(map(id, EXAMPLES.values()))
    assert len(executed(MAP)) == len(EXAMPLES)


@pytest.mark.parametrize(
    "right, wrong, message",
    [
        ("place:", "site:", "the cell 'one': .* unexpected keyword argument 'site'"),
        ("attention: soft}\n", "look: soft}\n", "'one': .* unexpected keyword argument 'look'"),
        ("label: run", "label: certain", "the cell 'one': label must be one of .*, not 'certain'"),
        ("ONE_SOFT", "ONES", "the cell 'one': example must be one of .*, not 'ONES'"),
        ("ONE_SOFT", "[ONE_SOFT]", r"the cell 'one': example must be one of .*, not \['ONE_SOFT'"),
        ("name: one", "named: one", "the cell {'named': 'one', .*}…?: .* argument 'named'"),
        ("    settings: [{", "    setting: [{", "the cell 'other' has no settings"),
        ("    hypotheses: *CLS", "    hypothesis: *CLS", "the cell 'other' has no hypotheses"),
        ("[First.,", "[First: yes,", "the cell 'one': .* expected str instance, dict found"),
        ("positions: i}]", "mask: past}]", "'other': mask must be one of"),
        ("cites: [hahn2020, hao2022]", "place: page#label", "'other' is cited: it needs"),
        ("  - name: other\n    settings", "  - other\n  - settings", "the cell 'other': "),
    ],
)
def test_a_cell_that_is_written_wrongly_is_named(tmp_path, right, wrong, message):
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
