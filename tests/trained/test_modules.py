"""Live modules, read by what they say of themselves."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from lib.trained import Judged, Largest, Positive, from_module, from_transformer_lens
from lib.trained.arithmetic import Floats
from lib.trained.audit import given
from lib.trained.passes import outputs
from tests.trained.networks import SHAPES, Encoder
from tests.trained.test_published import CONFIG, lens, llama, llama_logits

ASKED = {"tokens": {"0": 0, "1": 1}, "decides": Positive(), "before": (2,), "after": (3,)}
STRINGS = ["", "01", "1101"]
POSITION = {"position": "position.weight"}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: " ".join(map(str, shape.values())))
def test_an_encoder_says_all_but_the_mask(shape):
    module = Encoder(**shape)
    causal = module.shape["causal"]
    judged = from_module(module, STRINGS, causal=causal, **POSITION, **ASKED)
    rows = given(judged, ["0110"])
    found, stated = (outputs(one, rows, Floats())[0] for one in (judged, module.judged()))
    assert torch.equal(found, stated)
    with pytest.raises(TypeError, match="causal"):
        from_module(module, STRINGS, **POSITION, **ASKED)
    with pytest.raises(ValueError, match="output 0 of '' is .* by the network that was read"):
        from_module(module, STRINGS, causal=not causal, **POSITION, **ASKED)
    with pytest.raises(TypeError, match="heads"):
        from_module(module, STRINGS, causal=causal, heads=1, **POSITION, **ASKED)


class Compiled(nn.Module):
    """As `torch.compile` wraps a module, without the seconds that this takes."""

    def __init__(self, module: nn.Module):
        super().__init__()
        self._orig_mod = module

    def forward(self, rows: Tensor) -> Tensor:
        return self._orig_mod(rows)


def test_a_compiled_module_is_read_as_itself():
    module = Compiled(Encoder())
    judged = from_module(module, STRINGS, causal=False, **POSITION, **ASKED)
    assert judged.network.heads == 2


@pytest.mark.parametrize(
    "function, name",
    [(nn.GELU(), "gelu"), (nn.GELU("tanh"), "gelu_new"), (nn.SiLU(), "silu"), (torch.tanh, "tanh")],
)
def test_activations_are_known_by_what_they_are(function, name):
    module = Encoder(activation=function)
    judged = from_module(module, STRINGS, causal=False, **POSITION, **ASKED)
    assert judged.network.activation == name


def test_what_an_encoder_does_not_say_is_asked_for():
    module = Encoder(activation=lambda x: x.relu())
    with pytest.raises(TypeError, match="activation"):
        from_module(module, STRINGS, causal=False, **POSITION, **ASKED)
    said = {"activation": "relu", "causal": False}
    assert from_module(module, STRINGS, **said, **POSITION, **ASKED).network.heads == 2
    module.encoder.layers[1].norm2.eps = 1e-3
    with pytest.raises(ValueError, match="layers and norms that are alike .*0.001"):
        from_module(module, STRINGS, **said, **POSITION, **ASKED)
    with pytest.raises(ValueError, match="around one nn.TransformerEncoder is expected"):
        from_module(nn.Linear(2, 2), STRINGS, **ASKED)
    dropping = Encoder()
    dropping.encoder.layers[0].dropout.p = 0.5
    with pytest.raises(ValueError, match="the module is in training, which eval.. ends, or an arg"):
        from_module(dropping.train(), STRINGS, causal=False, **POSITION, **ASKED)


def of_library(name: str, state: dict[str, Tensor], logits: Any, **said: Any) -> nn.Module:
    """A module of a library's class, which gives these logits."""
    methods = {"state_dict": lambda self: state, "forward": lambda self, rows: logits(rows)}
    module = type("Theirs", (nn.Module,), methods | {"__module__": f"{name}.models"})()
    for key, value in said.items():
        setattr(module, key, value)
    return module.eval()


def test_hugging_face_says_all_in_its_configuration():
    state = llama()
    config = SimpleNamespace(to_diff_dict=lambda: CONFIG)
    module = of_library(
        "transformers", state, lambda rows: llama_logits(state, rows), config=config
    )
    asked = {"tokens": {"0": 0, "1": 1}, "decides": Positive(3), "before": (2,)}
    assert isinstance(from_module(module, STRINGS, **asked), Judged)


@pytest.mark.parametrize("is_bridge", [True, False], ids=["bridge", "hooked"])
def test_transformer_lens_says_all_but_an_unused_scale(is_bridge):
    made = lens(is_bridge)
    shape = {"act_fn": "gelu_new", "normalization_type": "LN", "eps": 1e-5, "n_heads": 3}
    shape |= {"attention_dir": "bidirectional", "use_attn_scale": True, "attn_scale": 3.0}
    asked = {"tokens": {"0": 0, "1": 1}, "decides": Largest(1, None), "before": (2,)}
    module = of_library("transformer_lens", **made, cfg=SimpleNamespace(**shape))
    assert from_module(module, STRINGS, **asked).network.attention_scale == 1 / 3
    module.cfg.use_attn_scale = False
    with pytest.raises(TypeError, match="attn_scale"):
        from_module(module, STRINGS, **asked)
    assert from_module(module, STRINGS, attn_scale=3, **asked).network.heads == 3
    module.cfg.attn_scale, module.cfg.use_attn_scale = -1.0, True  # the usual one, 2 here
    with pytest.raises(ValueError, match="output 0 of '' is|output . of '01' is"):
        from_module(module, STRINGS, **asked)


def test_a_bridge_around_matrices_of_another_library_is_refused():
    state = lens(True)["state"]
    turned = {name: x.T if ".mlp." in name and x.ndim == 2 else x for name, x in state.items()}
    shape = {"activation": "gelu_new", "normalization_type": "LN", "eps": 1e-5, "causal": True}
    with pytest.raises(ValueError, match=r"is \(in, out\), as in .* GPT-2: .* to from_gpt2"):
        from_transformer_lens(turned, attn_scale=None, heads=3, **shape)
