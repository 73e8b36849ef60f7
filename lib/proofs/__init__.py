"""Proofs for every length: `machine` reads a formula as a counting machine, `search` and
`invariants` prove that it agrees with another description, which `equal` says, and `certificate`
checks such a proof anew. `constructions` proves what no formula made from its rows: `kinds` and
`rational` treat tokens of one kind together, and `unique` makes an automaton of unique hard
attention.
"""

from lib.proofs.equal import proved_equal, regular
from lib.proofs.machine import Counters
from lib.proofs.search import Answer

__all__ = ["Answer", "Counters", "proved_equal", "regular"]
