"""The statements of a construction's text (`lib.transformer.rows`), read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from lib.transformer.construction import READOUTS, Construction
from lib.transformer.positions import position as position_encoding
from lib.transformer.space import Form, Space
from lib.transformer.spelling import (
    NAME,
    NUMBER,
    QUOTED,
    cut,
    name,
    names,
    nearest,
    terms,
    unquoted,
    value,
)
from lib.transformer.sublayers import FFN, Head, Layer

LARGEST = 1_000_000  # entries of output matrices
FORMULA = 200  # characters of a position encoding
UNNAMED = "a construction"
ACCEPTS = {"output > 0": "sigmoid", "output = 0": "indicator"}
CHOICES = {"read": dict(zip(READOUTS, READOUTS)), "accept": ACCEPTS}
WRITERS = {"word": "a word", "position": "a position"}
COMMENT = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\\?$))|[ \t]#.*', re.DOTALL)
STATEMENTS = {
    "write": rf"({NAME})[ \t]+<-(.*)",
    "unit": r"h([0-9]+)[ \t]*=(.*)",
    "embed": rf'(word|position)[ \t]+({QUOTED}[ \t]*|[^ \t":][^":]*):(.*)',
    "head": r"head((?:[ \t].*)?)",
    "block": r"(layer|feed-forward)",
    "row": r"(q|k)[ \t]*:(.*)",
    "rewrites": r"rewrites[ \t]*:(.*)",
    "field": r"(name|coordinates|output|read|accept)[ \t]*:(.*)",
}
BEGINNINGS = "name: coordinates: word position layer rewrites: head q: k: feed-forward".split()
BEGINNINGS += "output: read: accept:".split()
OPTION = re.compile(
    rf"[ \t]+(?:(gain|base)[ \t]+(-?{NUMBER})|mask[ \t]+(strict[ \t]+future|future))(?![^ \t])"
)

Statement = tuple[int, str, tuple[str, ...]]  # a line, the kind of what it says, and its parts


@contextmanager
def _at(line: int) -> Iterator[None]:
    """Names the line of whatever is wrong."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"line {line}: {error}") from error


def _statements(lines: list[str]) -> Iterator[Statement]:
    for line, text in enumerate(lines, start=1):
        if text := COMMENT.sub(lambda found: found[1] or "", f" {text}").strip(" \t"):
            with _at(line):
                yield line, *_statement(text)


def _statement(text: str) -> tuple[str, tuple[str, ...]]:
    for kind, pattern in STATEMENTS.items():
        if found := re.fullmatch(pattern, text, re.DOTALL):
            return kind, found.groups()
    if "<-" in text:
        reason = "one name stands before <-, in double quotes if it has a space in it"
    elif close := nearest(re.split("[ \t:]", text)[0], BEGINNINGS):
        reason = f"did you mean {close}?"
    else:
        reason = f"a line begins with {', '.join(BEGINNINGS)}, h1 = or x <-"
    raise ValueError(f"no statement: {cut(text)}; {reason}")


def _check_formula(formula: str) -> None:
    if len(formula) > FORMULA:
        raise ValueError(f"a formula of at most {FORMULA} characters is expected")
    position_encoding(formula)


@dataclass
class _Head:
    line: int
    options: dict[str, Any]
    q: list[Form] = field(default_factory=list)
    k: list[Form] = field(default_factory=list)
    v: dict[str, Form] = field(default_factory=dict)

    def made(self) -> Head:
        with _at(self.line):
            return Head(self.v, self.q, self.k, **self.options)


@dataclass
class _FFN:
    hidden: list[Form] = field(default_factory=list)
    out: dict[str, dict[int, Fraction]] = field(default_factory=dict)
    bias: dict[str, Fraction] = field(default_factory=dict)

    def made(self) -> FFN:
        units = range(len(self.hidden))
        out = {x: [row.get(unit, 0) for unit in units] for x, row in self.out.items()}
        return FFN(self.hidden, out, self.bias)


@dataclass
class _Layer:
    heads: list[_Head] = field(default_factory=list)
    ffn: _FFN | None = None
    rewrites: dict[str, None] = field(default_factory=dict)

    def made(self) -> Layer:
        heads = [head.made() for head in self.heads]
        return Layer(heads, self.ffn and self.ffn.made(), self.rewrites)


class Reader:
    """Goes through the lines twice: which coordinates there are, then what is said of them."""

    def __init__(self, lines: list[str]):
        self.last = len(lines)
        self.statements = [*_statements(lines)]
        self.fields: dict[str, Any] = {}
        self.embeddings: dict[str, dict[str, Form]] = {"word": {}, "position": {}}
        self.layers: list[_Layer] = []
        self.block: _Layer | _Head | _FFN | None = None  # what the next row belongs to
        self.entries = 0  # of output matrices
        self.writers: dict[str, str] = {}  # the sublayer that wrote a coordinate last

    def construction(self) -> Construction:
        """What the lines spell."""
        self.names = self._coordinates()
        for line, kind, parts in self.statements:
            self.line = line
            with _at(line):
                getattr(self, f"_{kind}")(*parts)
        layers = [layer.made() for layer in self.layers]
        with _at(self.last):
            self._check_whole()
            return Construction(
                Space(*self.names),
                **self.embeddings,
                layers=layers,
                output=self.fields["output"],
                name=self.fields.get("name", UNNAMED),
                activation=self.fields.get("accept", "sigmoid"),
                readout=self.fields.get("read", "CLS"),
            )

    def _coordinates(self) -> dict[str, None]:
        """Those that the text lists, or else those that it writes, in order."""
        written: dict[str, None] = {}
        for line, kind, parts in self.statements:
            with _at(line):
                if (kind, parts[0]) == ("field", "coordinates"):
                    return dict.fromkeys(names(parts[1]))
                if kind == "embed":
                    written |= dict.fromkeys(term.name for term in terms(parts[2]) if term.name)
                if kind == "write":
                    written[name(parts[0])] = None
        return written

    def _check_whole(self) -> None:
        if "CLS" not in self.embeddings["word"]:
            raise ValueError("the word embedding of CLS is missing, such as word CLS: CLS")
        if not any(form.names for rows in self.embeddings.values() for form in rows.values()):
            raise ValueError("the embeddings write no coordinate")
        if "output" not in self.fields:
            raise ValueError("the output is missing, such as output: s")

    def _field(self, kind: str, text: str) -> None:
        text, self.block = text.strip(" \t"), None
        if kind in self.fields:
            raise ValueError(f"{kind}: stands there twice")
        if kind == "output":
            self.fields[kind] = self._form(text, is_affine=True)
        elif kind == "coordinates":
            self.fields[kind] = names(text)
        elif kind == "name":
            self.fields[kind] = unquoted(text)
        elif text not in CHOICES[kind]:
            raise ValueError(f"{kind}: {' or '.join(CHOICES[kind])} is expected, not {cut(text)}")
        else:
            self.fields[kind] = CHOICES[kind][text]

    def _embed(self, kind: str, key: str, text: str) -> None:
        key, rows = unquoted(key.strip(" \t")), self.embeddings[kind]
        if key in rows:
            raise ValueError(f"{kind} {cut(key)} stands there twice")
        if self.layers:
            raise ValueError("words and positions stand before the first layer")
        if kind == "position":
            _check_formula(key)
        elif len(key) != 1 and key not in ("CLS", "EOS"):
            raise ValueError(f"a symbol is one character, CLS or EOS, not {cut(key)}")
        rows[key], self.block = self._form(text), None
        for written in rows[key].names:
            self._claim(written, WRITERS[kind])

    def _block(self, kind: str) -> None:
        if kind == "layer":
            self.block = _Layer()
            self.layers.append(self.block)
        else:
            layer = self._open_layer()
            self.block = layer.ffn = _FFN()

    def _open_layer(self) -> _Layer:
        if self.block is None or self.layers[-1].ffn:
            raise ValueError(
                "a layer holds heads, then one feed-forward network: write layer first"
            )
        return self.layers[-1]

    def _head(self, text: str) -> None:
        layer, options, place = self._open_layer(), {}, 0
        while found := OPTION.match(text, place):
            kind = found[1] or "mask"
            if kind in options:
                break
            options[kind] = value(found[2]) if found[1] else " ".join(found[3].split())
            place = found.end()
        if place < len(text):
            raise ValueError(
                "behind head stand gain 2, base 2, mask future or mask strict future, each once, "
                f"not {cut(text[place:].strip())}"
            )
        self.block = _Head(self.line, options)
        layer.heads.append(self.block)

    def _row(self, kind: str, text: str) -> None:
        if not isinstance(self.block, _Head):
            raise ValueError(f"{kind}: stands in no head")
        getattr(self.block, kind).append(self._form(text))

    def _rewrites(self, text: str) -> None:
        if not isinstance(self.block, _Layer) or self.block.rewrites:
            raise ValueError("rewrites: stands once, directly below layer")
        self.block.rewrites = dict.fromkeys(map(self._known, names(text)))

    def _unit(self, number: str, text: str) -> None:
        if not isinstance(self.block, _FFN) or self.block.out or self.block.bias:
            raise ValueError("hidden units stand in a feed-forward network, above what it writes")
        expected = str(len(self.block.hidden) + 1)
        if number != expected:
            raise ValueError(f"hidden units are numbered in order: h{expected} is expected")
        self.block.hidden.append(self._form(text, is_affine=True))

    def _write(self, target: str, text: str) -> None:
        block, x = self.block, self._known(name(target))
        if isinstance(block, _Head):
            self._claim(x, f"attention {len(self.layers)}")
            self._store(block.v, x, self._form(text))
        elif isinstance(block, _FFN):
            self._claim(x, f"feed-forward {len(self.layers)}")
            row, bias = self._output(block, text)
            if row is not None:
                self._store(block.out, x, row)
            if bias is not None:
                self._store(block.bias, x, bias)
        else:
            raise ValueError(f"{cut(x)} <- stands in no head and in no feed-forward network")

    def _output(self, ffn: _FFN, text: str) -> tuple[dict[int, Fraction] | None, Fraction | None]:
        """What is written: coefficients of hidden units, and a bias; None for what is not there."""
        self.entries += len(ffn.hidden)
        if self.entries > LARGEST:
            raise ValueError(f"output matrices of at most {LARGEST} entries are expected")
        units = {f"h{unit + 1}": unit for unit in range(len(ffn.hidden))}
        row, bias = None, None
        for factor, unit, number in terms(text):
            if unit is None or number is not None:
                bias = (bias or 0) + factor * (1 if number is None else number)
            elif unit == "":
                row = row or {}
            elif unit in units:
                row = row or {}
                row[units[unit]] = row.get(units[unit], 0) + factor
            else:
                raise ValueError(f"a hidden unit above this line is expected, not {cut(unit)}")
        return row, bias

    def _store(self, rows: dict[str, Any], x: str, row: Any) -> None:
        if x in rows:
            raise ValueError(f"coordinate {cut(x)} is written twice in one place")
        rows[x] = row

    def _claim(self, x: str, writer: str) -> None:
        before = self.writers.get(x, writer)
        if before != writer and not (self.layers and x in self.layers[-1].rewrites):
            raise ValueError(f"coordinate {cut(x)} is written by {before} and again by {writer}")
        self.writers[x] = writer

    def _known(self, x: str) -> str:
        if x in self.names:
            return x
        if close := nearest(x, self.names):
            reason = f"did you mean {cut(close)}?"
        else:
            reason = f"there are {', '.join(map(cut, [*self.names][:20]))}"
        spaces = "; a sign has spaces around it" if re.search(".[+-]", x) else ""
        raise ValueError(f"no coordinate {cut(x)}: {reason}{spaces}")

    def _form(self, text: str, is_affine: bool = False) -> Form:
        found, constant = [], Fraction(0)
        for factor, x, number in terms(text):
            if x is None:
                constant += factor
            elif is_affine and number is not None:
                if x in self.names:
                    raise ValueError(f'is {x} the coordinate "{x}" or the number ({x})?')
                constant += factor * number
            elif x:
                found.append((self._known(x), factor))
        if constant and not is_affine:
            raise ValueError("a number stands in hidden units and in the output alone")
        return Form(tuple(found), constant)
