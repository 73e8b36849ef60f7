"""How names, numbers and sums of them are spelled in the text of a construction
(`lib.transformer.rows`), in both directions.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from os.path import commonprefix
from typing import NamedTuple

DIGITS = 4_000  # of a number
NEAR = 100  # characters of a name for which a likeness is looked for
NUMBER = r"[0-9]+(?:/0*[1-9][0-9]*|\.[0-9]+)?"
QUOTED = r'"(?:[^"\\]|\\.)*"'
BARE = r'[^ \t",+-](?:[^ \t",]*[^ \t",:])?'
NAME = rf"{QUOTED}|{BARE}"
TERM = re.compile(rf"\(({NUMBER})?\)|(?:({NUMBER})(?:[ \t]*[·*][ \t]*|[ \t]+))?({NAME})", re.DOTALL)
SIGN = re.compile(r"[ \t]+([+-])[ \t]+")
# What needs no quotes: visible characters, and nothing that would be read otherwise.
PLAIN = rf"(?![+-]|#|<-|\((?:{NUMBER})?\)|{NUMBER}[·*])[!#-+\--9;-~¡-῿⁰-⿿]+"


class Term(NamedTuple):
    """A factor times what `name` names: times 1 where that is None, times nothing where it is
    empty. `number` is the value of a name that reads as a number and stands alone.
    """

    factor: Fraction
    name: str | None
    number: Fraction | None = None


def terms(text: str) -> list[Term]:
    """The terms of a sum; ValueError where it is none.

    >>> [(str(factor), name) for factor, name, _ in terms('-x + 1/2·"a b" - (3)')]
    [('-1', 'x'), ('1/2', 'a b'), ('-3', None)]
    """
    text, found = text.strip(" \t"), []
    begun = re.match("(-?)[ \t]*", text)
    place, sign = (begun.end(), begun[1]) if begun else (0, "")
    while term := TERM.match(text, place):
        found.append(_term(-1 if sign == "-" else 1, *term.groups()))
        place = term.end()
        if place == len(text):
            return found
        joined = SIGN.match(text, place)
        if not joined:
            raise ValueError(f"+ or - between spaces is expected, not {cut(text[place:])}")
        place, sign = joined.end(), joined[1]
    raise ValueError(f"a coordinate or a number is expected, not {cut(text[place:])}")


def _term(sign: int, number: str | None, factor: str | None, written: str | None) -> Term:
    if written is None:
        return Term(sign * value(number or "0"), None if number else "")
    if factor or len(written) > DIGITS or not re.fullmatch(NUMBER, written):
        return Term(sign * value(factor or "1"), name(written))
    return Term(Fraction(sign), written, value(written))


def value(text: str) -> Fraction:
    """A number's value; ValueError for one that is too long."""
    if len(text) > DIGITS:
        raise ValueError(f"a number of at most {DIGITS} digits is expected, not of {len(text)}")
    return Fraction(text)


def name(text: str) -> str:
    """A name as it is meant; ValueError for quotes that hold none."""
    if text == '""':
        raise ValueError("a coordinate's name is empty")
    return unquoted(text)


def names(text: str) -> list[str]:
    """The names in a list with commas; ValueError where it is none."""
    text = text.strip(" \t")
    if not re.fullmatch(rf"(?:{NAME})(?:[ \t]*,[ \t]*(?:{NAME}))*", text, re.DOTALL):
        raise ValueError(f"names with commas between them are expected, not {cut(text)}")
    found = [name(one) for one in re.findall(NAME, text, re.DOTALL)]
    if twice := [one for one, times in Counter(found).items() if times > 1]:
        raise ValueError(f"{cut(twice[0])} is listed twice")
    return found


def unquoted(text: str) -> str:
    """A text, or what stands in its double quotes, with JSON's escapes; ValueError where that is
    not right.
    """
    if not text.startswith('"'):
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"one text in double quotes is expected, not {cut(text)}") from error


def quoted(text: str, plain: str = PLAIN) -> str:
    """A text, in double quotes where it is not of a `plain` kind."""
    return text if re.fullmatch(plain, text) else json.dumps(text, ensure_ascii=False)


def quoted_in_sum(text: str) -> str:
    """A name, in double quotes where it could be a number too."""
    return f'"{text}"' if re.fullmatch(NUMBER, text) else quoted(text)


def joined(pieces: Iterable[tuple[Fraction, str]]) -> str:
    """A sum of texts, each of its factor's size and with its factor's sign before it.

    >>> joined([(Fraction(-1), "x"), (Fraction(1, 2), "1/2·y")])
    '-x + 1/2·y'
    """
    text = "".join((" - " if factor < 0 else " + ") + piece for factor, piece in pieces)
    return ("-" if text.startswith(" -") else "") + text[3:] or "()"


def times(factor: Fraction, text: str) -> str:
    """A text with the size of its factor before it."""
    return text if abs(factor) == 1 else f"{abs(factor)}·{text}"


def cut(text: str) -> str:
    """A text, or its beginning."""
    return f"{text[:40]}..." if len(text) > 40 else text


def nearest(text: str, known: Iterable[str]) -> str | None:
    """The first of the known names that shares most of its beginning and end; None where no name
    shares half, and for a long text.

    >>> nearest("k/m", ["i/n", "k/n"]), nearest("x", ["i/n", "k/n"])
    ('k/n', None)
    """

    def shared(other: str) -> int:
        pair = [text.lower(), other.lower()]
        both = len(commonprefix(pair)) + len(commonprefix([one[::-1] for one in pair]))
        return min(both, len(text), len(other))

    close = max(known if len(text) <= NEAR else (), key=shared, default="")
    return close if 2 * shared(close) >= max(len(text), len(close), 1) else None
