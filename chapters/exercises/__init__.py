"""Exercises that check themselves: `check("1.1", answer)` says whether an answer is right, or shows
where it goes wrong.
"""

from chapters.exercises.judge import check

__all__ = ["check"]
