"""Networks that others trained, judged: `published` reads them by the names of their weights,
`network` says what they are, `audit`, behind `lib.judging`, decides every string up to a length, in
one forward pass (`passes`) and three arithmetics (`arithmetic`), `sample` draws longer ones and
runs the module itself beside what was read.
"""

from lib.trained.network import Classes, Judged, Largest, NextTokens, Positive, TrainedNetwork
from lib.trained.published import (
    from_folder,
    from_gpt2,
    from_llama,
    from_pytorch,
    from_transformer_lens,
    weights,
)
from lib.trained.sample import Sample, accepted, agrees_with, from_module, logits, sampled

__all__ = [
    "Classes",
    "Judged",
    "Largest",
    "TrainedNetwork",
    "NextTokens",
    "Positive",
    "Sample",
    "accepted",
    "agrees_with",
    "from_folder",
    "from_gpt2",
    "from_llama",
    "from_module",
    "from_pytorch",
    "from_transformer_lens",
    "logits",
    "sampled",
    "weights",
]
