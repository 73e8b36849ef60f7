"""Proofs for every length: `machine` reads a formula as a counting machine, `search` and
`invariants` prove that it agrees with another description, which `equal` says, `certificate` checks
such a proof anew, and `smallest` finds the smallest formula of a language.
"""

from lib.proofs.equal import Answer, proved_equal, regular
from lib.proofs.machine import Counters
from lib.proofs.smallest import Smallest, smallest

__all__ = ["Answer", "Counters", "Smallest", "proved_equal", "regular", "smallest"]
