"""Random formulas, as text."""

from __future__ import annotations

from hypothesis import strategies as st

SIMPLE = ['Q("a")', 'Q("b")', 'Q("a")', 'Q("b")', "mod(2, 0)", "mod(2, 1)", "mod(3, 2)", "True"]
BACK = ['previous(Q("a"))', "previous(mod(2, 1))", "previous(not Q('b'))", "previous(True)"]
SIGNS = ["==", "!=", "<", "<=", ">", ">="]
COMBINED = [  # of three formulas, the first of which may count
    "{x}",
    "{x}",
    "not ({x})",
    "({y}) and ({x})",
    "({x}) or ({y})",
    "({x}) and not (({y}) or ({z}))",
    "({y}) if ({x}) else ({z})",
]
LOOKING_BACK = ["previous({x})", "previous(({x}) or ({y})) and ({z})", "({y}) or previous({x})"]
COMPARED = [  # of a term, a sign, a plain number, another sign and the same count of other things
    "{term} {sign} {plain}",
    "{term} {sign} {other}",
    "{number} {sign} {term} {sign} {plain}",
]
TERMS = [
    "{count}",
    "{count}",
    "{number} + {number}*{count}",
    "-{count} - {number}",
    "({number} if {formula} else {count})",
    "min({count}, {number})",
    "max({number}, {count})",
]


@st.composite
def texts(draw, depth: int = 2, back: bool = True) -> str:
    """Formulas over {a, b} in which counts and totals stand up to `depth` deep in each other; no
    comparison holds both, which attention could not make. With `back` some look at the previous
    position.
    """
    simple = SIMPLE + BACK * back
    combined = COMBINED + LOOKING_BACK * back

    def pick(options: list[str]) -> str:
        return draw(st.sampled_from(options))

    def inside() -> str:
        return draw(texts(depth - 1, back)) if draw(st.booleans()) else pick(simple)

    def number() -> str:
        return str(draw(st.integers(-2, 3)))

    if not depth:
        return pick(combined).format(x=pick(simple), y=pick(simple), z=pick(simple))
    kind = pick(["count", "count", "total", "ever"])
    if kind == "ever":
        x = f"{pick(['once', 'never', 'always'])}({inside()})"
    else:
        plain = "position" if kind == "count" and draw(st.booleans()) else number()
        count = f"{kind}({inside()})"
        formula = f"({inside()})"
        term = pick(TERMS).format(count=count, number=number(), formula=formula)
        other = f"{kind}({inside()})"
        x = pick(COMPARED).format(
            term=term, sign=pick(SIGNS), plain=plain, other=other, number=number()
        )
    return pick(combined).format(x=x, y=pick(simple), z=pick(simple))
