"""The README: the code that it shows is the library's, and the paths that it names are there."""

import re

from lib.constructions import parity
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text()


def test_the_transformer_of_the_readme_is_the_one_of_the_library():
    [code] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict = {}
    exec(code, names)
    assert (names["count"], names["compare"]) == parity().layers and names["S"] == parity().space


def test_the_paths_of_the_readme_are_there():
    named = set(re.findall(r"`((?:lib|chapters|tests|requirements)/[\w./]*)`", README))
    assert len(named) >= 5
    for path in named - {"chapters/NAME.py"}:
        assert (ROOT / path).exists(), path
