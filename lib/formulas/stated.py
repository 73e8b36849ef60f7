"""Languages by formula, as text: what counting says."""

from dataclasses import dataclass
from pathlib import Path

import yaml

from lib.formulas.syntax import Formula, language
from lib.formulas.text import formula
from lib.languages import Language


@dataclass(frozen=True)
class Stated:
    """A language's name, its symbols and the formula that says which strings belong to it."""

    name: str
    alphabet: str
    text: str

    @property
    def formula(self) -> Formula:
        """The formula, read."""
        return formula(self.text, self.alphabet)

    @property
    def language(self) -> Language:
        """Its strings, by `truth`."""
        return language(self.formula, self.alphabet, self.name)


LIBRARY = tuple(
    Stated(**said)
    for said in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
)
BY_NAME = {stated.name: stated for stated in LIBRARY}

MAJORITY = BY_NAME["MAJORITY"]
DYCK_1 = BY_NAME["Dyck-1"]
SORTED = BY_NAME["a*b*"]
ALTERNATING = BY_NAME["(ab)*"]
PARITY_BY_HALVES = BY_NAME["PARITY, by halves"]
