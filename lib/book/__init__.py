"""What the pages need: `results` (claims, rows, stored runs), `pages` made of them, figures, the
playground's data and its check in a browser, and the command that makes stored runs (`reproduce`).
"""

from lib.book.claims import DECIDED, MEASURED, PROVED, Claims
from lib.book.results import glue, markdown_table, stored

__all__ = ["Claims", "DECIDED", "MEASURED", "PROVED", "glue", "markdown_table", "stored"]
