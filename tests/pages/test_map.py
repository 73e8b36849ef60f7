"""The map: every place has an entry, every entry says what its network is, and what runs is right
by other means."""

import re

import pytest

from chapters.common.turing import Transformer
from chapters.the_map import MAP, examples
from chapters.the_map.entries import (
    CITED,
    LABELS,
    executed,
    key,
    on,
    tiles,
)
from lib.transformer import Construction
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
