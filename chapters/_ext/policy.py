"""What a built page may run and load: its own files, and the scripts that the theme writes into it,
each known by its hash. Whatever else came into a page would not run.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import unescape

INLINE = re.compile(r"<script(?![^>]*\ssrc=)(?![^>]*\stype=)[^>]*>(.*?)</script>", re.DOTALL)
HANDLERS = ("toggleFullScreen()", "window.print()")  # of the theme's buttons
HANDLER = re.compile(r'<[^>]*\son[a-z]+="([^"]*)"')
HEAD = '<meta charset="utf-8" />'


def policy(page: str, written: Sequence[str] = ()) -> str:
    """The content security policy of a page, in which styles may stand: MathJax writes some.

    `written` are scripts that the page's own write into it. ValueError for a handler that is not
    the theme's.
    """
    for handler in map(unescape, HANDLER.findall(page)):
        if handler not in HANDLERS:
            raise ValueError(f"a page handles events by {' or '.join(HANDLERS)}, not {handler!r}")
    scripts = sorted({_hash(script) for script in (*INLINE.findall(page), *HANDLERS, *written)})
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self' 'unsafe-hashes'", *scripts]),  # handlers by their hashes
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        ]
    )


def with_policy(page: str, written: Sequence[str] = ()) -> str:
    """A page that says its policy before anything else; ValueError where it has no place for it."""
    if HEAD not in page:
        raise ValueError(f"a page with {HEAD} is expected, not {page[:80]!r}…")
    said = f'<meta http-equiv="Content-Security-Policy" content="{policy(page, written)}" />'
    return page.replace(HEAD, f"{HEAD}{said}", 1)


def _hash(script: str) -> str:
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
