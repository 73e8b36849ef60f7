"""What the page's playground reads: constructions, position encodings and machines as JSON, made
from the same data as everything else.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction

from lib import constructions
from lib.book.figures import COLOURS
from lib.constructions.normalization import mirror, sharpen
from lib.languages import FIRST, ONE, PALINDROME, PARITY, Language
from lib.transformer.construction import Construction, Head
from lib.transformer.export import form_to_data, rows_to_data, to_json
from lib.transformer.positions import position
from lib.turing.architecture import SaturatedFFN, Sublayer, Transformer
from lib.turing.compilation import stack_rnn
from lib.turing.machines import Machine
from lib.turing.programs import PROGRAMS
from lib.turing.simulate import directional, vanilla

LONGEST = 40  # symbols: the attention of longer strings is no picture any more
ETA = 0.01  # nats, of the sharpened form

MODELS: dict[
    str, tuple[Language, Callable[..., Construction]]
] = {  # name: language, construction from its gain c
    "PARITY": (PARITY, constructions.parity),
    "FIRST": (FIRST, constructions.first),
    "flawed FIRST": (FIRST, constructions.flawed_first),
    "ONE": (ONE, lambda c=1: constructions.one()),
    "PALINDROME": (PALINDROME, lambda c=1: constructions.palindrome()),
    "one-layer PALINDROME": (PALINDROME, lambda c=1: constructions.sigmoid_palindrome()),
}

INPUTS = {
    "increment": "1011",
    "aⁿbⁿcⁿ": "aabbcc",
    "palindromes": "10101",
    "unary multiplication": "11*111=",
}  # shown first


def variants(construction: Construction) -> dict[str, Construction]:
    """The forms in which a construction can be tried: as published and, for a sigmoid output, with
    what layer normalization asks for.
    """
    if construction.accepting_sign == 0:
        return {"published": construction}
    return {
        "published": construction,
        "mirrored": mirror(construction),
        "sharpened": sharpen(mirror(construction), ETA),
    }


def scaled_heads(construct: Callable[..., Construction]) -> list[tuple[int, int]]:
    """The heads, as (layer, head) from 0, whose gain is a multiple of c."""
    once, twice = construct(1), construct(2)
    return [
        (l, h)
        for l, layer in enumerate(once.layers)
        for h, head in enumerate(layer.heads)
        if head.gain != twice.layers[l].heads[h].gain
    ]


def _sublayer(sublayer: Sublayer) -> dict:
    what = sublayer.map
    return {
        "residual": sublayer.residual,
        "head": {
            "q": [*map(form_to_data, what.q)],
            "k": [*map(form_to_data, what.k)],
            "v": rows_to_data(what.v),
        }
        if isinstance(what, Head)
        else None,
        "ffn": {"hidden": [*map(rows_to_data, what.hidden)], "out": rows_to_data(what.out)}
        if isinstance(what, SaturatedFFN)
        else None,
    }


def transformer(made: Transformer) -> dict:
    """A transformer of `lib.turing.simulate` as JSON; functions of a position go by their names."""
    layers = {
        part: [[*map(_sublayer, layer)] for layer in getattr(made, part)]
        for part in ("encoder", "decoder")
    }
    return layers | {
        "space": made.space.names,
        "embedding": rows_to_data(made.embedding),
        "F": made.F and rows_to_data(made.F),
        "seed": form_to_data(made.seed),
        "position": [[f.__name__, form_to_data(form)] for f, form in made.position],
        "masked": made.masked,
        "halts": made.halts,
    }


def machine(made: Machine) -> dict:
    """A Turing machine as JSON: its table, and the two transformers that run it."""
    rnn = stack_rnn(made)
    return {
        "name": made.name,
        "blank": made.blank,
        "symbols": made.symbols,
        "alphabet": made.alphabet,
        "base": made.base,
        "states": made.states,
        "start": made.start,
        "accept": made.accept,
        "rules": [(r.state, r.read, r.write, r.move, r.to) for r in made.rules],
        "input": INPUTS.get(made.name, ""),
        "transformers": {
            "position encodings": transformer(vanilla(rnn)),
            "masking alone": transformer(directional(rnn)),
        },
    }


def playground() -> dict:
    """All that the page needs: models with their forms, position functions as tables
    `positions[f][n - 1][i]`, colours, machines.
    """
    used = {f for _, construct in MODELS.values() for f, _ in construct().position}
    return {
        "longest": LONGEST,
        "colours": COLOURS,
        "positions": {
            f: [
                [float(position(f)(Fraction(i), Fraction(n))) for i in range(n)]
                for n in range(1, LONGEST + 3)
            ]
            for f in sorted(used)
        },
        "models": [
            {
                "name": name,
                "language": language.name,
                "scaled": scaled_heads(construct),
                "variants": {
                    form: json.loads(to_json(c)) for form, c in variants(construct()).items()
                },
            }
            for name, (language, construct) in MODELS.items()
        ],
        "machines": [*map(machine, PROGRAMS)],
    }
