"""What was found, read from the record whatever runs first: the outcome with which a record page
opens, and with whose lines its last cell compares what it finds itself; and the scorecard.
"""

import os
import re
from collections import Counter

from IPython.display import HTML, Markdown
from jinja2 import Environment, StrictUndefined

from record.claims import (
    DIFFERS,
    OPEN,
    STATES,
    UNSETTLED,
    VERDICTS,
    comparison,
    open_statements,
    recorded,
    state,
)
from record.notebook import RECORD
from record.rows import PAPERS, is_own, paper_of, rows
from record.runs import CHAPTERS, record_page

GUIDE = "Each line begins with a link to the section behind it. The [scorecard](scorecard) explains"
LETTERS, OWN = f"{GUIDE} the letters and the verdicts.", f"{GUIDE} the verdicts."
FEW = 15  # lines that are all shown


def scored() -> list[dict]:
    """Every row of the scorecard with its `lines`, each a claim and its chapter, its `open`
    statements, what it comes to (`state`), and whether it is open and a line `differs`.
    """
    lines, found = [(claim, one.chapter) for one in recorded() for claim in one.claims], []
    for place, row in rows().items():
        own = [(claim, chapter) for claim, chapter in lines if claim.row == place]
        claims = [claim for claim, _ in own]
        more = {"lines": own, "open": open_statements(row, claims), "state": state(row, claims)}
        differs = any(claim.verdict == DIFFERS for claim in claims)
        found.append(row | more | {"differs": more["state"] == OPEN and differs})
    return found


def outcome_table(chapter: str) -> Markdown:
    """The recorded lines of a chapter, and the statements of its rows that no line of any chapter
    settles; nothing while a chapter is being recorded. Of many lines those are shown that differ,
    then those that settle nothing, and the others are in a fold.
    """
    if os.environ.get(RECORD) == "write":
        return Markdown("")
    own = [claim for one in recorded() if one.chapter == chapter for claim in one.claims]
    unsettled = []
    for row in scored():
        chapters = {by for _, by in row["lines"]} or {f"{row['chapter']:02}_"}
        if any(chapter.startswith(by) for by in chapters):
            unsettled += [(row["place"], text) for text in row["open"]]
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
        said = "These settle nothing: our experiment is not the paper's, or there is none."
        parts += [said, str(comparison(settling_nothing, unsettled).data)]
    others = [claim for claim in own if claim.verdict not in (DIFFERS, *UNSETTLED)]
    which = "other lines" if parts[1:] else "lines"
    fold = f'<details class="lines"><summary>The {len(others)} {which}</summary>'
    return Markdown("\n\n".join([*parts, fold, str(comparison(others).data), "</details>"]))


def scorecard() -> HTML:
    """Every row of the scorecard, paper by paper, its lines folded, and above it a square for each
    row and the number of lines of each verdict.
    """
    found, of_papers = scored(), {key: [] for key in PAPERS}
    for row in found:
        row["anchor"] = "row-" + re.sub(r"\W+", "-", row["place"]).strip("-").lower()
        row["lines"] = [(claim, f"{record_page(by)}.html") for claim, by in row["lines"]]
        of_papers[paper_of(row["place"])].append(row)
    rows_of = {}
    for own in (False, True):
        of_state = Counter(row["state"] for row in found if is_own(row["place"]) == own)
        rows_of[own] = {value: of_state[value] for value in STATES if of_state[value]}
    of_verdict = Counter(claim.verdict for row in found for claim, _ in row["lines"])
    of_verdict[OPEN] = sum(len(row["open"]) for row in found)
    lines = (CHAPTERS / "scorecard" / "tables.html").read_text(encoding="utf-8").splitlines()
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        "".join(line.strip() for line in lines)
    )
    page = template.render(
        papers=[{"key": key, "name": PAPERS[key], "rows": of_papers[key]} for key in PAPERS],
        names="|".join(f"{key}={name}" for key, name in PAPERS.items()),
        verdicts=VERDICTS,
        rows_of=rows_of,
        lines_of={name: of_verdict[name] for name in (*VERDICTS, OPEN)},
    )
    return HTML(page)
