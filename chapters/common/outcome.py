"""What a record page found, for its first section: read from the record, with which the page's last
cell compares what it finds itself.
"""

import os
from collections import Counter

from IPython.display import Markdown

from record.claims import DIFFERS, UNSETTLED, comparison, open_statements, recorded
from record.notebook import RECORD
from record.rows import rows

GUIDE = "The first column leads to the cells behind a line. The [scorecard](scorecard) explains"
LETTERS, OWN = f"{GUIDE} its letters and its verdicts.", f"{GUIDE} the verdicts."
FEW = 15  # lines that are all shown


def outcome_table(chapter: str) -> Markdown:
    """The recorded lines of a chapter, and the statements of its rows that no line of any chapter
    settles; nothing while a chapter is being recorded. Of many lines those are shown that differ,
    then those that settle nothing, and the others are in a fold.
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
    is_of_papers = unsettled or any(claim.is_compared for claim in own)
    guide = LETTERS if is_of_papers else OWN
    if len(own) <= FEW:
        return Markdown(f"{guide}\n\n{comparison(own, unsettled).data}")
    found = Counter(claim.verdict for claim in own).most_common()
    numbers = ", ".join(f"{number} *{verdict}*" for verdict, number in found)
    parts = [f"{guide} There are {len(own)} lines: {numbers}."]
    differing = [claim for claim in own if claim.verdict == DIFFERS]
    if differing:
        parts += ["These differ:", str(comparison(differing).data)]
    settling_nothing = [claim for claim in own if claim.verdict in UNSETTLED]
    if settling_nothing or unsettled:
        said = "These settle nothing: our experiment is another than the paper's, or there is none."
        parts += [said, str(comparison(settling_nothing, unsettled).data)]
    others = [claim for claim in own if claim.verdict not in (DIFFERS, *UNSETTLED)]
    which = "other lines" if parts[1:] else "lines"
    fold = f'<details class="lines"><summary>The {len(others)} {which}</summary>'
    return Markdown("\n\n".join([*parts, fold, str(comparison(others).data), "</details>"]))
