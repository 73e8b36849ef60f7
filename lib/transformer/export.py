"""A construction as JSON and back, without loss: fractions are strings such as "-1/2"."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from lib.checks import takes, text
from lib.transformer.construction import Construction
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, Head, Layer, Rows

REFUSED = (KeyError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError)
NAMED = ("word", "position", "v", "out", "bias")  # fields that are pairs of a name and a value


@takes(construction=Construction)
def to_json(construction: Construction) -> str:
    """The construction as JSON text, from which `from_json` makes an equal one."""
    data = {"name": construction.name} | _data(construction)
    return json.dumps(data, ensure_ascii=False, indent=1)


@takes(text=text)
def from_json(text: str) -> Construction:
    """The construction that `to_json` wrote; ValueError where the text is not one."""
    try:
        data = json.loads(text)
        if not isinstance(data["space"], list) or not isinstance(data["name"], str):
            raise TypeError(
                f"a list of names and a name are expected, not {data['space']!r} and "
                f"{data['name']!r}"
            )
        return Construction(
            Space(*data["space"]),
            _rows(data["word"]),
            _rows(data["position"]),
            [_layer(layer) for layer in data["layers"]],
            _form(data["output"]),
            data["name"],
            data["activation"],
            data["readout"],
        )
    except REFUSED as error:
        missing = " is missing" if type(error) is KeyError else ""
        raise ValueError(f"not the JSON of a construction: {error}{missing}") from error


def form_to_data(form: Form) -> dict[str, str]:
    """Coefficients by coordinate, the constant under the empty name, which no coordinate has."""
    constant = {"": str(form.constant)} if form.constant else {}
    return {name: str(c) for name, c in form.terms} | constant


def rows_to_data(rows: Rows) -> dict[str, dict[str, str]]:
    """Named forms."""
    return {name: form_to_data(form) for name, form in rows}


def _data(part: Any) -> Any:
    """A part of a construction as JSON has it: its fields by name, and numbers as text."""
    match part:
        case Form():
            return form_to_data(part)
        case Fraction():
            return str(part)
        case Space():
            return part.names
        case Construction() | Layer() | Head() | FFN():
            fields = vars(part).items()
            return {name: _data(dict(x) if name in NAMED else x) for name, x in fields}
        case dict():
            return {name: _data(value) for name, value in part.items()}
        case tuple():
            return [_data(value) for value in part]
    return part


def _form(data: dict[str, str]) -> Form:
    terms = tuple((name, Fraction(c)) for name, c in data.items() if name)
    return Form(terms, Fraction(data.get("", 0)))


def _rows(data: dict[str, dict[str, str]]) -> dict[str, Form]:
    return {name: _form(form) for name, form in data.items()}


def _head(data: dict) -> Head:
    return Head(
        v=_rows(data["v"]),
        q=[_form(form) for form in data["q"]],
        k=[_form(form) for form in data["k"]],
        gain=Fraction(data["gain"]),
        base=None if data["base"] is None else Fraction(data["base"]),
        mask=data["mask"],
    )


def _ffn(data: dict) -> FFN:
    return FFN(
        hidden=[_form(form) for form in data["hidden"]],
        out={name: [Fraction(c) for c in row] for name, row in data["out"].items()},
        bias={name: Fraction(b) for name, b in data["bias"].items()},
    )


def _layer(data: dict) -> Layer:
    heads = [_head(head) for head in data["heads"]]
    ffn = None if data["ffn"] is None else _ffn(data["ffn"])
    return Layer(heads, ffn, data["rewrites"])
