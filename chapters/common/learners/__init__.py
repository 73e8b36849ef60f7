"""Learners of formal languages: an `ensemble` of transformer encoders that train side by side.

`network` says what a learner is, its position encoding included, and how its weights lie among the
others'; `strings` makes batches; `ensemble` is the forward pass; `train` is the loop, and scores.
"""

from chapters.common.learners.ensemble import Ensemble
from chapters.common.learners.network import Member, Network
from chapters.common.learners.strings import quotient, tokens

__all__ = ["Ensemble", "Member", "Network", "quotient", "tokens"]
