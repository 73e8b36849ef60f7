"""The map: what its entries say of a network is so, and what runs is right by other means."""

import pytest

from chapters.the_map import examples
from chapters.the_map.entries import executed, key
from lib.transformer import Construction
from tests.formulas.oracles import strings
from tests.pages.oracles import ORACLES

RAN = {key(entry): entry for entry in executed()}


@pytest.mark.parametrize("name", RAN)
def test_what_runs_is_right_by_other_means(name):
    example = RAN[name].example
    is_in, longest = ORACLES[example.language.name], 4 if len(example.language.alphabet) > 2 else 5
    for w in strings("".join(example.language.alphabet), longest):
        assert example.accepts([w]) == [is_in(w)], w


@pytest.mark.parametrize("name", RAN)
def test_a_setting_is_that_of_the_network(name):
    entry = RAN[name]
    [setting] = entry.settings
    network = entry.example.network()
    assert (setting.steps != "none") == (not isinstance(network, Construction))
    construction = network if isinstance(network, Construction) else network.construction
    masks = {head.mask or "none" for layer in construction.layers for head in layer.heads}
    assert setting.mask in masks
    assert masks <= ({setting.mask} if setting.mask == "none" else {setting.mask, "strict future"})
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
