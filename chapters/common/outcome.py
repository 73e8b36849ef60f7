"""What a record page found, for its first section: read from the record, with which the page's last
cell compares what it finds itself.
"""

import os
from collections import Counter

from IPython.display import Markdown

from record.claims import DIFFERS, UNSETTLED, comparison, open_statements, recorded
from record.notebook import RECORD
from record.rows import rows

GUIDE = (
    "The first column leads to what a line rests on. "
    "The [scorecard](scorecard) explains the letters and the verdicts."
)
FEW = 15  # lines that are all shown


def outcome_table(chapter: str) -> Markdown:
    """The recorded lines of a chapter, and the statements of its rows that no line of any chapter
    settles; nothing while a chapter is being recorded. Of many lines those are shown that differ or
    settle nothing, and the others are in a fold.
    """
    if os.environ.get(RECORD) == "write":
        return Markdown("")
    made = recorded()
    lines = [claim for one in made for claim in one.claims]
    own = [claim for one in made if one.chapter == chapter for claim in one.claims]
    unsettled = []
    for place, row in rows().items():
        of_row = [claim for claim in lines if claim.row == place]
        if any(claim in own for claim in of_row) or (
            not of_row and chapter.startswith(f"{row['chapter']:02}_")
        ):
            unsettled += [(place, text) for text in open_statements(row, of_row)]
    if len(own) <= FEW:
        return Markdown(f"{GUIDE}\n\n{comparison(own, unsettled).data}")
    found = Counter(claim.verdict for claim in own).most_common()
    numbers = ", ".join(f"{number} *{verdict}*" for verdict, number in found)
    parts = [f"{GUIDE} There are {len(own)} lines: {numbers}."]
    striking = [claim for claim in own if claim.verdict in (DIFFERS, *UNSETTLED)]
    if striking or unsettled:
        parts += ["These differ, or settle nothing:", str(comparison(striking, unsettled).data)]
    others = [claim for claim in own if claim not in striking]
    which = "other lines" if parts[1:] else "lines"
    fold = f'<details class="lines"><summary>The {len(others)} {which}</summary>'
    return Markdown("\n\n".join([*parts, fold, str(comparison(others).data), "</details>"]))
