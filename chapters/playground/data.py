"""What the page's playground reads: constructions, formulas and machines as JSON, made from the
same data as everything else.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from chapters.common.palindrome_precision import sigmoid_palindrome
from chapters.common.sharpening import sharpen
from chapters.common.turing.machines import PROGRAMS, Machine
from lib import constructions
from lib.constructions.normalization import mirror
from lib.formulas import compiled, stated
from lib.formulas.text import WORDS
from lib.languages import FIRST, ONE, PALINDROME, PARITY, Language
from lib.transformer.construction import Construction, to_json
from record.notebook import COLOURS
from record.runs import read_yaml

LONGEST = 40  # symbols: the attention of longer strings is no picture any more
ETA = 0.01  # nats, of the sharpened form

SHOWN = read_yaml(Path(__file__).with_suffix(".yaml"))
INPUTS: dict[str, str] = SHOWN["inputs"]

Construct = Callable[..., Construction]  # from the gain c


def by_formula(known: stated.Stated) -> tuple[Language, Construct]:
    """A language of chapter 8 and the softmax transformer that its formula is compiled to; the page
    chooses how it is read.
    """
    made = compiled(known.text, known.alphabet, attention="softmax", name=known.name)
    free = replace(made.construction, reading=None)
    return known.language, lambda c=1: free


MODELS: dict[str, tuple[Language, Construct]] = {
    "PARITY": (PARITY, constructions.parity),
    "FIRST": (FIRST, constructions.first),
    "flawed FIRST": (FIRST, constructions.flawed_first),
    "ONE": (ONE, lambda c=1: constructions.one()),
    "PALINDROME": (PALINDROME, lambda c=1: constructions.palindrome()),
    "one-layer PALINDROME": (PALINDROME, lambda c=1: sigmoid_palindrome()),
    "pairwise PALINDROME": (PALINDROME, lambda c=1: constructions.pairwise_palindrome(4 * c)),
    "compiled MAJORITY": by_formula(stated.MAJORITY),
    "compiled Dyck-1": by_formula(stated.DYCK_1),
}

FORMULAS = (  # that the workshop offers
    stated.MAJORITY,
    stated.BY_NAME["exactly two 1s"],
    stated.BY_NAME["at least a third are 1s"],
    stated.DYCK_1,
    stated.SORTED,
    stated.BY_NAME["aⁿbⁿcⁿ"],
    stated.PARITY_BY_HALVES,
)


def variants(construction: Construction) -> dict[str, Construction]:
    """The forms in which a construction can be tried: as compiled; as published and, for a sigmoid
    output, with what layer normalization asks for.
    """
    if construction.readout == "last":
        return {"compiled": construction}
    if construction.accepting_sign == 0:
        return {"published": construction}
    return {
        "published": construction,
        "mirrored": mirror(construction),
        "sharpened": sharpen(mirror(construction), ETA),
    }


def scaled_heads(construct: Construct) -> list[tuple[int, int]]:
    """The heads, as (layer, head) from 0, whose gain is a multiple of c."""
    layers = zip(construct(1).layers, construct(2).layers, strict=True)
    return [
        (number, h)
        for number, (once, twice) in enumerate(layers)
        for h, head in enumerate(once.heads)
        if head.gain != twice.heads[h].gain
    ]


def machine(table: Machine) -> dict:
    """A Turing machine as JSON; the page compiles it itself."""
    fields = ("name", "blank", "symbols", "alphabet", "base", "states", "start", "accept", "reject")
    return {field: getattr(table, field) for field in fields} | {
        "rules": [(rule.state, rule.read, rule.write, rule.move, rule.to) for rule in table.rules],
        "input": INPUTS.get(table.name, ""),
    }


def playground() -> dict:
    """All that the page needs: models, each with its language and symbols, a string of them, the
    heads that c scales and its forms; colours, formulas, words, machines.
    """
    models = [
        {
            "name": name,
            "language": language.name,
            "alphabet": language.alphabet,
            "example": SHOWN["examples"].get(name, "10110"),
            "scaled": scaled_heads(construct),
            "variants": {form: json.loads(to_json(c)) for form, c in variants(construct()).items()},
        }
        for name, (language, construct) in MODELS.items()
    ]
    return {
        "longest": LONGEST,
        "colours": COLOURS | {"MAJORITY": "#0072B2", "Dyck-1": "#009E73"},
        "models": models,
        "formulas": {known.name: [known.alphabet, known.text] for known in FORMULAS},
        "words": WORDS,
        "machines": [*map(machine, PROGRAMS)],
    }
