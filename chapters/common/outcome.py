"""What a record page found, for its first section: read from the record, with which the page's last
cell compares what it finds itself.
"""

import os
from collections import Counter

from IPython.display import Markdown

from record.claims import DIFFERS, Claims, record_of
from record.notebook import RECORD, markdown_table
from record.rows import rows
from record.runs import read_json


def _recorded(chapter: str) -> Claims:
    """What is recorded of a chapter; nothing while it is being recorded anew."""
    claims = Claims(chapter)
    if os.environ.get(RECORD) != "write":
        record = read_json(record_of(chapter))
        for call in record["claims"]:
            claims.settle(**call)
        for call in record["errata"]:
            claims.correct(**call)
    return claims


def outcome_table(chapter: str) -> Markdown:
    """The recorded lines of a chapter that no paper asks for: what was asked, with a link to its
    cells, what was found, by which criterion, and how it is known.
    """
    claims, order = _recorded(chapter).claims, list(rows())
    lines = []
    for claim in sorted(claims, key=lambda claim: order.index(claim.row)):
        known = [claim.kind, claim.source * (claim.source != "live"), claim.reason]
        begins = claim.quantity[:1].upper() if claim.quantity[1:2].isalpha() else claim.quantity[:1]
        asked = f"[{begins}{claim.quantity[1:]}](#{claim.cell})"
        verdict = f"*{claim.verdict}*; {'; '.join(filter(None, known))}"
        lines.append((asked, f"**{claim.here}**", claim.criterion or "–", verdict))
    if not lines:
        return Markdown("")
    table = markdown_table(("Asked", "Found", "Criterion", "Verdict, and how it is known"), lines)
    return Markdown(f'<div class="compared asked">\n\n{table.data}\n\n</div>')


def outcome_by_row(chapter: str) -> Markdown:
    """The rows of the scorecard that a chapter settles, with the number of its lines of each
    verdict, which lead to the first of them, and what was found where a line differs.
    """
    claims, lines = _recorded(chapter).claims, []
    for place, row in rows().items():
        own = [claim for claim in claims if claim.row == place]
        first = {claim.verdict: claim.cell for claim in reversed(own)}
        count = Counter(claim.verdict for claim in own)
        verdicts = [f"[{verdict}](#{first[verdict]}): {count[verdict]}" for verdict in count]
        causes = [
            f"paper: {claim.paper}; here {claim.here}: {claim.note}"
            for claim in own
            if claim.verdict == DIFFERS
        ]
        if own:
            lines.append((place, row["statement"], ", ".join(verdicts), "<br>".join(causes)))
    return markdown_table(("Where", "Statement", "Lines", "What differs"), lines)
