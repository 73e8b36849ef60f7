"""Proofs for every length: `machine` reads a formula as a counting machine, `search` and
`invariants` prove that it agrees with another description, which `equal` says, `certificate` checks
such a proof anew, `verdict` says what that proves of a transformer, and `smallest` finds the
smallest formula of a language.
"""

from lib.proofs.answer import Answer
from lib.proofs.equal import proved_equal, regular
from lib.proofs.machine import Counters
from lib.proofs.smallest import Smallest, smallest
from lib.proofs.verdict import verdict

__all__ = ["Answer", "Counters", "Smallest", "proved_equal", "regular", "smallest", "verdict"]
