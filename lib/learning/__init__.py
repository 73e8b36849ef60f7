"""Learners of formal languages: `feedforward` networks, and an `ensemble` of transformer encoders
that train side by side.

`strings` makes their batches; `network` says what a learner is, `parameters` how its weights lie
among the others', `gradient` is the backward pass, `train` the loop, and `runs` lists what is
stored.
"""

from lib.learning.ensemble import Ensemble
from lib.learning.network import Member, Network
from lib.learning.strings import quotient, tokens

__all__ = ["Ensemble", "Member", "Network", "quotient", "tokens"]
