"""What git knows: which files changed, and a number that each commit draws."""

from __future__ import annotations

import os
import subprocess
from functools import cache

from tests import ROOT


def git(*words: str) -> list[str]:
    """The lines that git says of this repository; CalledProcessError or OSError where it cannot."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@cache
def seed() -> int:
    """A number that the commit draws; 0 outside of a repository."""
    try:
        return int(git("rev-parse", "HEAD")[0], 16)
    except (OSError, subprocess.CalledProcessError):
        return 0


def base() -> str:
    """What to compare with: what the environment names as REPLAY, a commit or "all"; otherwise the
    merge base with origin/main; the parent where that is this commit, or where there is no such
    branch.
    """
    if asked := os.environ.get("REPLAY"):
        return asked
    try:
        found = git("merge-base", "HEAD", "origin/main")
        return "HEAD^" if found == git("rev-parse", "HEAD") else found[0]
    except (OSError, subprocess.CalledProcessError):
        return "HEAD^"


@cache
def changed() -> set[str] | None:
    """The files that differ from those of the base; None where git knows no such commit."""
    try:
        new = git("ls-files", "--others", "--exclude-standard")
        return {*git("diff", "--name-only", base(), "--"), *new}
    except (OSError, subprocess.CalledProcessError):
        return None
