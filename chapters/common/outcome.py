"""What a record page found, for its first section: read from the record, with which the page's last
cell compares what it finds itself.
"""

import os

from IPython.display import Markdown

from record.claims import comparison, open_statements, recorded, side_by_side
from record.notebook import RECORD
from record.rows import rows

GUIDE = (
    "The first column leads to what a line rests on. "
    "The [scorecard](scorecard) explains the letters and the verdicts."
)


def outcome_table(chapter: str, beside: str = "") -> Markdown:
    """The recorded lines of a chapter, and the statements of its rows that no line of any chapter
    settles; nothing while a chapter is being recorded. Lines with a number at the place `beside`
    of their quantity are in a second table, which has a column for each number.
    """
    if os.environ.get(RECORD) == "write":
        return Markdown("")
    made = recorded()
    lines = [claim for one in made for claim in one.claims]
    called = [
        pair
        for one in made
        if one.chapter == chapter
        for pair in zip(one.calls["claims"], one.claims, strict=True)
    ]
    own = [claim for _, claim in called]
    unsettled = []
    for place, row in rows().items():
        of_row = [claim for claim in lines if claim.row == place]
        if any(claim in own for claim in of_row) or (
            not of_row and chapter.startswith(f"{row['chapter']:02}_")
        ):
            unsettled += [(place, text) for text in open_statements(row, of_row)]
    alone = [claim for call, claim in called if beside not in call]
    tables = [GUIDE, str(comparison(alone, unsettled).data)]
    if beside:
        apart = [(call[beside], claim) for call, claim in called if beside in call]
        tables.append(str(side_by_side(apart, beside).data))
    return Markdown("\n\n".join(tables))
