"""Learners of formal languages: `feedforward` networks, and an `ensemble` of transformer encoders
that train side by side.

`strings` makes their batches, `encodings` their positions; `network` says what a learner is,
`parameters` how its weights lie among the others', `gradient` is the backward pass, `train` the
loop, and `runs` lists what is stored. `published` draws the very strings behind the records of
Nowak et al. 2022; `repeat` and `repeated_runs` run theirs again, `published_palindromes` decides
those of their figure 2 in exact arithmetic. `laboratory` lists chapter 9's runs, `extremes`
tests some on hard strings. `sample` picks the stored runs that are run again in full on a given
day.
"""

from lib.learning.ensemble import Ensemble
from lib.learning.network import Member, Network
from lib.learning.strings import quotient, tokens

__all__ = ["Ensemble", "Member", "Network", "quotient", "tokens"]
