"""Writes what Hugging Face's GPT-2 says of random weights, in float64: `python -m
tests.trained.hugging_face` with the package `transformers`, which no test needs.
"""

from pathlib import Path

import torch
from safetensors.torch import save_file

KEPT = Path(__file__).with_suffix(".safetensors")
ACTIVATIONS = ("gelu_new", "gelu", "relu")
HEADS, WIDTH, WORDS, LONGEST = 2, 8, 6, 9


def kept() -> dict[str, torch.Tensor]:
    """Weights, tokens, and the logits after each token for every activation."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(1)
    tokens = torch.randint(WORDS, (20, LONGEST))
    logits: dict[str, torch.Tensor] = {}
    weights: dict[str, torch.Tensor] = {}
    for activation in ACTIVATIONS:
        config = GPT2Config(
            vocab_size=WORDS,
            n_positions=LONGEST,
            n_embd=WIDTH,
            n_layer=2,
            n_head=HEADS,
            activation_function=activation,
        )
        model = GPT2LMHeadModel(config).double().eval()
        if weights:
            model.load_state_dict(weights)
        else:
            for parameter in model.parameters():  # its own initial weights are too small to tell
                parameter.data.normal_(0, 0.5)
        weights = model.state_dict()
        with torch.no_grad():
            logits[f"logits {activation}"] = model(tokens).logits
    del weights["lm_head.weight"]  # tied to the words
    return {**weights, **logits, "tokens": tokens}


if __name__ == "__main__":
    save_file({name: x.contiguous() for name, x in kept().items()}, KEPT)
