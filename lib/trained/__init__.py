"""Networks that others trained, judged: `published` reads them by the names of their weights,
`network` says what they are, `audit`, behind `lib.judging`, decides every string up to a length, in
one forward pass (`passes`) and three arithmetics (`arithmetic`), `sample` draws longer ones.
"""

from lib.trained.network import Judged, Largest, NextTokens, Positive, TrainedNetwork
from lib.trained.published import (
    from_gpt2,
    from_pytorch,
    from_transformer_lens,
    gpt2,
    weights,
)
from lib.trained.sample import Sample, accepted, logits, sampled

__all__ = [
    "Judged",
    "Largest",
    "TrainedNetwork",
    "NextTokens",
    "Positive",
    "Sample",
    "accepted",
    "from_gpt2",
    "from_pytorch",
    "from_transformer_lens",
    "gpt2",
    "logits",
    "sampled",
    "weights",
]
