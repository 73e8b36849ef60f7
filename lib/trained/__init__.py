"""Networks that others trained, judged: `published` reads them by the names of their weights,
`network` says what they are, `audit`, behind `lib.judging`, decides every string up to a length, in
one forward pass (`passes`) and three arithmetics (`arithmetic`), `sample` asks about some strings.
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
from lib.trained.sample import accepted, agrees_with, from_module, logits

__all__ = ["Classes", "Judged", "Largest", "TrainedNetwork", "NextTokens", "Positive", "accepted"]
__all__ += ["agrees_with", "from_folder", "from_gpt2", "from_llama", "from_module"]
__all__ += ["from_pytorch", "from_transformer_lens", "logits", "weights"]
