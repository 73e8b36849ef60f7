"""Notebooks that pytest runs are held to the record: see `lib.book.claims`."""

import os

os.environ.setdefault("BOOK_RECORD", "check")
