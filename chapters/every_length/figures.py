"""Chapter 11: two of its formulas, and the rooms of a certificate as a table."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from IPython.display import Markdown

from lib.transformer.space import Form
from record.notebook import markdown_table

ALTERNATING = 'count(Q("a")) == count(Q("b")) and always(0 <= count(Q("a")) - count(Q("b")) <= 1)'
DOUBLING = (  # each block of one letter brings its number to twice that of the other, and a few
    'Q("b") and previous(Q("a"))'
    ' and always(not (Q("b") and previous(Q("a"))) or count(Q("a")) == 2*count(Q("b")) - 1)'
    ' and always(not (Q("a") and previous(Q("b"))) or count(Q("b")) == 2*count(Q("a")) - 2)'
    ' and count(Q("a")) == 3*count(Q("b") and previous(Q("a"))) + 3'
)


def rooms_table(certificate: dict, names: Mapping[str, str], states: Sequence[str]) -> Markdown:
    """The rooms of a certificate: what its control knows, a state or yes or no, and the bounds;
    parts by their `names`, those without one left out. `states` of the specification are named in
    the order of the rooms.
    """
    rooms = certificate["rooms"]
    known = [
        {part["name"]: part["value"] for part in room["knows"] if part["name"] in names}
        for room in rooms
    ]
    said = dict(zip(dict.fromkeys(values["state"] for values in known), states, strict=True))
    rows = []
    for room, values in zip(rooms, known, strict=True):
        cells = [said[x] if name == "state" else ("no", "yes")[x] for name, x in values.items()]
        rows.append((*cells, ", ".join(_bounds(room["bounds"], names)) or "nothing"))
    head = [names[name] for name in known[0]]
    return markdown_table((*head, "what holds of the numbers"), rows)


def _bounds(bounds: list, names: Mapping[str, str]) -> Iterator[str]:
    """Bounds in words; two that make an equality are one."""
    said = {
        Form(tuple((names.get(name, name), Fraction(c)) for name, c in sorted(form.items()))): bound
        for form, bound in bounds
    }
    for form, bound in said.items():
        if said.get(-form) != -bound:
            yield f"{form} ≥ {bound}"
        elif form.terms[0][1] > 0:
            yield f"{form} = {bound}"
