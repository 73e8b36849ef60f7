"""Networks with random weights, as PyTorch runs them and as the room of trained networks reads
them.
"""

from __future__ import annotations

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from lib.trained import Judged, Positive, TrainedNetwork, from_gpt2, from_pytorch
from lib.trained.network import Linear
from tests.trained.hugging_face import HEADS, KEPT

LONGEST = 16
LAYER_NORM = {"norm": "layer", "eps": 1e-5}
GPT2 = {"model_type": "gpt2", "heads": HEADS, "causal": True, **LAYER_NORM}


def attention(heads: int, **said) -> TrainedNetwork:
    """A network without a layer, which says how heads attend."""
    one = torch.ones(1, 1).double()
    return TrainedNetwork(one, (), Linear(one, one[0]), heads, "relu", True, False, **said)


class Encoder(nn.Module):
    """Words and learned positions, `nn.TransformerEncoder`, and an output at every token."""

    def __init__(
        self,
        seed=0,
        width=16,
        pre_norm=False,
        activation="relu",
        causal=False,
        scale=1.0,
        norm="layer",
    ):
        super().__init__()
        torch.manual_seed(seed)
        layer = nn.TransformerEncoderLayer(
            width, 2, 2 * width, 0.0, activation, batch_first=True, norm_first=pre_norm
        )
        last = nn.LayerNorm(width) if pre_norm else None
        self.word, self.position = nn.Embedding(4, width), nn.Embedding(LONGEST, width)
        self.encoder = nn.TransformerEncoder(layer, 2, last, enable_nested_tensor=False)
        self.output = nn.Linear(width, 1)
        self.shape = {"activation": activation, "pre_norm": pre_norm, "causal": causal}
        self.shape |= {"norm": norm, "eps": 1e-5}
        if norm == "rms":
            for name, module in [*self.named_modules()]:
                if isinstance(module, nn.LayerNorm):
                    self.set_submodule(name, rms_norm(width))
        for parameter in self.parameters():
            parameter.data.mul_(scale)
        self.double().train(norm == "rms")  # without dropout; PyTorch's fast path asks for a bias

    def forward(self, tokens: Tensor) -> Tensor:
        n = tokens.shape[1]
        hidden = torch.ones(n, n, dtype=torch.bool).triu(1) if self.shape["causal"] else None
        x = self.word(tokens) + self.position.weight[:n]
        return self.output(self.encoder(x, mask=hidden, is_causal=hidden is not None))

    def read(self) -> TrainedNetwork:
        """The same network from its state."""
        return from_pytorch(
            self.state_dict(),
            heads=2,
            encoder="encoder.",
            position="position.weight",
            last="encoder.norm" if self.shape["pre_norm"] else None,
            **self.shape,
        )

    def judged(self, read_at: str = "last") -> Judged:
        """It reads a string over 0 and 1 between two tokens."""
        tokens = {"0": 0, "1": 1}
        return Judged(self.read(), tokens, Positive(), before=(2,), after=(3,), read_at=read_at)


def rms_norm(width: int) -> nn.RMSNorm:
    """With gains that differ, as after training."""
    norm = nn.RMSNorm(width, eps=1e-5)
    norm.weight.data.add_(torch.randn(width), alpha=0.3)
    return norm


SHAPES = [
    {"activation": "relu"},
    {"activation": "gelu", "pre_norm": True},
    {"activation": "relu", "causal": True},
    {"activation": "gelu", "pre_norm": True, "causal": True},
    {"activation": "relu", "norm": "rms"},
    {"activation": "gelu", "pre_norm": True, "causal": True, "norm": "rms"},
]


def hugging_face() -> tuple[dict[str, Tensor], Tensor, dict[str, Tensor]]:
    """GPT-2's weights, tokens, and Hugging Face's logits for each activation."""
    kept = load_file(KEPT)
    logits = {name.split()[1]: kept.pop(name) for name in [*kept] if name.startswith("logits ")}
    return kept, kept.pop("tokens"), logits


def gpt2(activation: str) -> TrainedNetwork:
    """That network."""
    return from_gpt2(hugging_face()[0], activation=activation, **GPT2)


ATTACKS = {  # a part of the names of tensors, what they are multiplied with, and epsilon
    "as it is": (".", 1.0, 1e-5),
    "saturated softmax": (".c_attn.weight", 300.0, 1e-5),
    "large weights": (".c_fc.weight", 1e6, 1e-5),
    "relu at its corner": (".c_fc.", 1e-17, 1e-5),
    "tiny weights": (".", 1e-55, 1e-5),
    "a tiny epsilon": ("ln_2", 1.0, 1e-300),
}


def attacked(activation: str, name: str) -> tuple[dict[str, Tensor], TrainedNetwork]:
    """Its tensors under an attack, and the network of these."""
    part, factor, eps = ATTACKS[name]
    state = {key: x * factor if part in key else x for key, x in hugging_face()[0].items()}
    return state, from_gpt2(state, **GPT2 | {"activation": activation, "eps": eps})
