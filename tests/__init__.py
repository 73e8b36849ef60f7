"""The tests, and where the repository is."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SEED = int(os.environ.get("BOOK_SEED", "1"))  # of what a test draws from much; never the day
EVERYTHING = os.environ.get("REPLAY") == "all"  # as once a month: what takes long runs too
OFTEN = 4 if EVERYTHING else 1  # times as many random cases
