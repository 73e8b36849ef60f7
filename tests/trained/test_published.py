"""Readers of names and layers that other libraries have, each against a forward pass that is
written here, or PyTorch's own module; their bounds against balls.
"""

import json
import re
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from inspect import signature
from itertools import product
from math import log
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn.functional import gelu, silu

from lib.judging import judge
from lib.languages import PARITY
from lib.proofs import regular
from lib.trained import (
    Classes,
    Judged,
    Largest,
    NextTokens,
    Positive,
    accepted,
    agrees_with,
    from_folder,
    from_gpt2,
    from_llama,
    from_pytorch,
    from_transformer_lens,
    logits,
    weights,
)
from lib.trained.arithmetic import Floats
from lib.trained.audit import audit, given
from lib.trained.network import Linear, TrainedLayer, TrainedNetwork
from lib.trained.passes import outputs
from lib.verdicts import EACH_STRING, UNKNOWN, WRONG
from tests.trained.networks import GPT2, Encoder, hugging_face
from tests.trained.test_arithmetic import holds

D, HEADS, KEY_HEADS, UNITS, WORDS = 12, 6, 2, 20, 5
SYMBOLS = {"0": 0, "1": 1}
STRINGS = ["0", "1", "01", "10110", "0001101"]


def drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=GENERATOR, dtype=torch.float64) * 0.5


GENERATOR = torch.Generator().manual_seed(0)


def llama() -> dict[str, Tensor]:
    """A state of two layers, with heads of four coordinates and no `lm_head`."""
    width, state = 4, {"model.embed_tokens.weight": drawn(WORDS, D), "model.norm.weight": drawn(D)}
    rows = {"q": HEADS * width, "k": KEY_HEADS * width, "v": KEY_HEADS * width}
    for i in range(2):
        name = f"model.layers.{i}"
        for part, n in rows.items():
            state[f"{name}.self_attn.{part}_proj.weight"] = drawn(n, D)
        state[f"{name}.self_attn.o_proj.weight"] = drawn(D, HEADS * width)
        for part, shape in (("gate", (UNITS, D)), ("up", (UNITS, D)), ("down", (D, UNITS))):
            state[f"{name}.mlp.{part}_proj.weight"] = drawn(*shape)
        for norm in ("input_layernorm", "post_attention_layernorm"):
            state[f"{name}.{norm}.weight"] = 1 + drawn(D)
    return state


def rms(x: Tensor, gain: Tensor) -> Tensor:
    return x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt() * gain


def llama_logits(state: dict[str, Tensor], rows: Tensor) -> Tensor:
    """Of the last token of one string, (1, T), as the paper's formulas say."""
    [ids], base = rows, 50.0
    x = state["model.embed_tokens.weight"][ids]
    for i in range(2):
        weight = {k.split(f"layers.{i}.")[-1]: v for k, v in state.items() if f"rs.{i}." in k}
        y = rms(x, weight["input_layernorm.weight"])
        q, k, v = (y @ weight[f"self_attn.{part}_proj.weight"].T for part in "qkv")
        read = []
        for h in range(HEADS):
            g = h // (HEADS // KEY_HEADS)
            mine, keys, values = q[:, 4 * h :][:, :4], k[:, 4 * g :][:, :4], v[:, 4 * g :][:, :4]
            mine, keys = turned(mine, base), turned(keys, base)
            logits = mine @ keys.T / 2
            logits = logits.masked_fill(torch.ones_like(logits).triu(1) > 0, -torch.inf)
            read.append(logits.softmax(-1) @ values)
        x = x + torch.cat(read, -1) @ weight["self_attn.o_proj.weight"].T
        y = rms(x, weight["post_attention_layernorm.weight"])
        gate = silu(y @ weight["mlp.gate_proj.weight"].T)
        hidden = gate * (y @ weight["mlp.up_proj.weight"].T)
        x = x + hidden @ weight["mlp.down_proj.weight"].T
    return rms(x, state["model.norm.weight"])[-1:] @ state["model.embed_tokens.weight"].T


def turned(x: Tensor, base: float) -> Tensor:
    """Pairs of coordinates j and j + 2 as complex numbers, turned by the position."""
    turns = torch.tensor([1.0, base**-0.5], dtype=torch.float64)
    angles = torch.arange(len(x), dtype=torch.float64)[:, None] * turns
    z = torch.complex(x[:, :2], x[:, 2:]) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([z.real, z.imag], -1)


LLAMA = {"heads": HEADS, "key_heads": KEY_HEADS, "activation": "silu", "eps": 1e-6, "rotary": 50.0}
LLAMA |= {"model_type": "llama"}
CONFIG = {
    "model_type": "llama",
    "num_attention_heads": HEADS,
    "num_key_value_heads": KEY_HEADS,
    "hidden_act": "silu",
    "rms_norm_eps": 1e-6,
    "rope_theta": 50.0,
    "num_hidden_layers": 2,
    "tie_word_embeddings": True,
    "head_dim": 4,
}


def test_llama_is_read_from_a_state_and_from_a_folder(tmp_path):
    state = llama()
    judged = Judged(from_llama(state, **LLAMA), SYMBOLS, Positive(3), before=(2,))
    assert agrees_with(judged, lambda rows: llama_logits(state, rows), STRINGS) < 1e-12
    assert holds(judged, given(judged, ["0110", "1111"])) == 2 * WORDS
    save_file(state, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    with pytest.raises(ValueError, match="one of llama, mistral, qwen2, not 'gemma'"):
        from_llama(state, **LLAMA | {"model_type": "gemma"})  # its tensors have the same names
    (ours,) = outputs(judged, given(judged, ["01"]), Floats())
    other = Judged(from_folder(tmp_path), SYMBOLS, Positive(3), before=(2,))
    assert torch.equal(outputs(other, given(other, ["01"]), Floats())[0], ours)
    unused = json.dumps(CONFIG | {"attn_logit_softcapping": None})
    (tmp_path / "config.json").write_text(unused, encoding="utf-8")
    assert from_folder(tmp_path).heads == HEADS
    save_file(
        state | {"lm_head.weight": torch.ones(WORDS + 1, D).double()},
        tmp_path / "model.safetensors",
    )
    with pytest.raises(ValueError, match="'lm_head.weight' must be floats of shape"):
        from_folder(tmp_path)
    save_file(state, tmp_path / "model.safetensors")
    for changed, message in (
        ({"num_hidden_layers": 3}, "num_hidden_layers must be 2, not 3"),
        ({"num_hidden_layers": None}, "num_hidden_layers must be 2, not None"),
        ({"tie_word_embeddings": False}, "tie_word_embeddings must be True, not False"),
        ({"rope_scaling": {"type": "linear"}}, "rope_scaling must be None"),
        ({"model_type": "mistral"}, "sliding_window must be None, not one where it is not named"),
        ({"head_dim": None}, "head_dim must be 4, not 2"),
        ({"num_key_value_heads": 3}, "k_proj.weight' must be floats of shape .12, 12., not .8, "),
        ({"is_causal": False}, "is_causal must be True, not False"),
        ({"attention_bias": True}, "by config.json a tensor 'q_proj.bias' is expected"),
        ({"hidden_size": 8}, "hidden_size must be 12, not 8"),
        ({"rope_parameters": {"rope_theta": 50.0, "type": "linear"}}, "hold rope_theta alone"),
        ({"rope_parameters": {"rope_theta": 9.0}}, "rope_theta must be 9.0, not 50.0"),
        ({"rope_parameters": [9.0]}, "rope_parameters must be a dict"),
        ({"logit_scale": 2.0}, "has the key 'logit_scale', which may make another network"),
        ({"dtype": "bfloat16"}, "dtype must be one of float64, not 'bfloat16'"),
        ({"model_type": "mamba"}, "one of gpt2, llama, mistral, qwen2, not 'mamba'"),
    ):
        (tmp_path / "config.json").write_text(json.dumps(CONFIG | changed), encoding="utf-8")
        with pytest.raises(ValueError, match=message):
            from_folder(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    (tmp_path / "adapter_config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match="it holds an adapter, which Hugging Face adds"):
        from_folder(tmp_path)


def lens(is_bridge: bool, has_mlp: bool = True, normalization: str | None = "LN") -> dict:
    """A state of one layer in either names, and the logits that its formulas give the tokens."""
    width, state, d = 4, {}, D
    word, position, unembed = drawn(WORDS, d), drawn(9, d), drawn(d, 3)
    q, k, v, o = drawn(3, d, width), drawn(3, d, width), drawn(3, d, width), drawn(3, width, d)
    first, second, gains = drawn(d, UNITS), drawn(UNITS, d), 1 + drawn(3, d)
    biases = {"q": drawn(3, width), "in": drawn(UNITS)}

    def norm(x: Tensor, gain: Tensor) -> Tensor:
        if normalization is None:
            return x
        x = x - x.mean(-1, keepdim=True) if normalization.startswith("LN") else x
        x = x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        return x if normalization.endswith("Pre") else x * gain

    def logits(rows: Tensor) -> Tensor:
        x = word[rows] + position[: rows.shape[1]]
        y = norm(x, gains[0])
        for h in range(3):
            scores = (y @ q[h] + biases["q"][h]) @ (y @ k[h]).mT / 3
            x = x + scores.softmax(-1) @ (y @ v[h]) @ o[h]
        if has_mlp:
            x = x + gelu(norm(x, gains[1]) @ first + biases["in"], approximate="tanh") @ second
        return norm(x, gains[2]) @ unembed

    if is_bridge:
        state |= {"embed.weight": word, "pos_embed.weight": position, "unembed.weight": unembed.T}
        for name, matrix in (("q", q), ("k", k), ("v", v)):
            state[f"blocks.0.attn.{name}.weight"] = matrix.transpose(1, 2).flatten(0, 1)
        state |= {f"blocks.0.attn.{a}.bias": torch.zeros(d) for a in "kvo"}
        state |= {"blocks.0.attn.q.bias": biases["q"].flatten(), "unembed.bias": torch.zeros(3)}
        state["blocks.0.attn.o.weight"] = o.flatten(0, 1).T
        state |= {"blocks.0.mlp.in.weight": first.T, "blocks.0.mlp.in.bias": biases["in"]}
        state |= {"blocks.0.mlp.out.weight": second.T, "blocks.0.mlp.out.bias": torch.zeros(d)}
    else:
        state |= {"embed.W_E": word, "pos_embed.W_pos": position, "unembed.W_U": unembed}
        state |= {f"blocks.0.attn.W_{a}": x for a, x in zip("QKVO", (q, k, v, o), strict=True)}
        state |= {"blocks.0.attn.b_Q": biases["q"], "blocks.0.attn.mask": torch.ones(9, 9).tril()}
        state |= {f"blocks.0.attn.b_{a}": torch.zeros(3, width) for a in "KV"}
        state |= {"blocks.0.mlp.W_in": first, "blocks.0.mlp.b_in": biases["in"]}
        state |= {"blocks.0.mlp.W_out": second, "blocks.0.mlp.b_out": torch.zeros(d)}
        state |= {"blocks.0.attn.b_O": torch.zeros(d), "unembed.b_U": torch.zeros(3)}
    if normalization in ("LN", "RMS"):
        gain = "weight" if is_bridge else "w"
        for name, x in zip(("blocks.0.ln1", "blocks.0.ln2", "ln_final"), gains, strict=True):
            state[f"{name}.{gain}"] = x
            if normalization == "LN":
                state[f"{name}.{'bias' if is_bridge else 'b'}"] = torch.zeros(d)
    if not has_mlp:
        state = {k: x for k, x in state.items() if ".mlp." not in k and ".ln2." not in k}
    return {"state": state, "logits": logits}


@pytest.mark.parametrize("is_bridge", [True, False], ids=["bridge", "hooked"])
@pytest.mark.parametrize("has_mlp", [True, False], ids=["mlp", "attention only"])
@pytest.mark.parametrize("normalization", ["LN", "LNPre", "RMS", "RMSPre", None], ids=str)
def test_transformer_lens_of_both_names_is_read(is_bridge, has_mlp, normalization):
    made = lens(is_bridge, has_mlp, normalization)
    shape = {"activation": "gelu_pytorch_tanh" if has_mlp else None, "causal": False}
    shape |= {"eps": normalization and 1e-5, "attn_scale": 3.0}
    said = {"heads": 3, "inside": "native"} if is_bridge else {}
    network = from_transformer_lens(
        made["state"], normalization_type=normalization, **shape, **said
    )
    judged = Judged(network, SYMBOLS, Largest(1, None), before=(2,))
    assert agrees_with(judged, made["logits"], STRINGS) < 1e-12
    assert holds(judged, given(judged, ["0110"])) == 3
    if is_bridge:
        return
    several = torch.ones(9, 9).tril()
    masks = {"empty": torch.ones(0, 0), "hide later tokens": several.triu(-1)}
    for message, mask in (*masks.items(), ("alone, among 9", several[:1, :1])):
        one = made["state"] | {"blocks.0.attn.mask": mask}
        with pytest.raises(ValueError, match=f"mask' is .*{message}"):
            from_transformer_lens(one, normalization_type=normalization, **shape)


class Decoder(nn.Module):
    """A decoder whose memory is 0, as experiments with decoders alone have it."""

    def __init__(self, pre_norm: bool):
        super().__init__()
        shape = {"batch_first": True, "norm_first": pre_norm, "dtype": torch.float64}
        layer = nn.TransformerDecoderLayer(D, 2, UNITS, 0.0, "gelu", **shape)
        self.word = nn.Embedding(WORDS, D, dtype=torch.float64)
        self.decoder = nn.TransformerDecoder(layer, 2)
        self.output = nn.Linear(D, 1, dtype=torch.float64)
        for parameter in self.parameters():
            parameter.data += 0.3 * torch.randn_like(parameter)

    def forward(self, rows: Tensor) -> Tensor:
        x = self.word(rows)
        n = rows.shape[1]
        mask = torch.ones(n, n).triu(1) > 0
        return self.output(self.decoder(x, torch.zeros(len(rows), 1, D).double(), tgt_mask=mask))


DECODER = {"heads": 2, "activation": "gelu", "norm": "layer", "eps": 1e-5, "causal": True}
DECODER |= {"pre_norm": True, "encoder": "decoder", "memory": "zeros", "position": None}
DECODER |= {"last": None}


@pytest.mark.parametrize("pre_norm", [True, False])
def test_a_decoder_with_a_memory_of_zeros_is_read(pre_norm):
    torch.manual_seed(1)
    module = Decoder(pre_norm).eval()
    said = DECODER | {"pre_norm": pre_norm}
    judged = Judged(from_pytorch(module.state_dict(), **said), SYMBOLS, Positive(), before=(2,))
    assert agrees_with(judged, module, STRINGS) < 1e-12
    assert holds(judged, given(judged, ["0110", "0001"])) == 2
    with pytest.raises(ValueError, match="memory='zeros' is expected"):
        from_pytorch(module.state_dict(), **said | {"memory": None})


class Headed(nn.Module):
    """Separate maps of queries, keys and values, a CLS vector of its own, two maps at the end."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(D, 2, UNITS, 0.0, batch_first=True, dtype=torch.float64)
        self.embed = nn.Embedding(WORDS, D, dtype=torch.float64)
        self.cls_token = nn.Parameter(torch.randn(1, 1, D, dtype=torch.float64))
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.encoder.layers[0].self_attn = nn.MultiheadAttention(
            D, 2, kdim=D, vdim=D, batch_first=True, dtype=torch.float64
        )
        attention = self.encoder.layers[0].self_attn
        attention._qkv_same_embed_dim = False  # as for keys of another width
        for name in "qkv":
            matrix = nn.Parameter(torch.randn(D, D, dtype=torch.float64) / 2)
            setattr(attention, f"{name}_proj_weight", matrix)
        attention.in_proj_weight = None
        sizes = {"dtype": torch.float64}
        self.head = nn.Sequential(nn.Linear(D, 7, **sizes), nn.Tanh(), nn.Linear(7, 3, **sizes))

    def forward(self, rows: Tensor) -> Tensor:
        start = self.cls_token.expand(len(rows), 1, D)
        x = torch.cat([start, self.embed(rows[:, 1:])], 1)  # the first is CLS
        return self.head(self.encoder(x)[:, 0])


def test_separate_maps_a_cls_vector_and_two_maps_at_the_end_are_read():
    torch.manual_seed(2)
    module = Headed().train()  # not the fast path; there is no dropout
    shape = {"heads": 2, "activation": "relu", "norm": "layer", "eps": 1e-5, "causal": False}
    network = from_pytorch(
        module.state_dict(),
        pre_norm=False,
        word="embed.weight",
        cls="cls_token",
        encoder="encoder",
        hidden=("head.0", "tanh"),
        output="head.2",
        position=None,
        last=None,
        **shape,
    )
    judged = Judged(network, SYMBOLS, Largest((0, 2), 1), before=(WORDS,), read_at="first")
    assert agrees_with(judged, module, STRINGS) < 1e-12
    assert holds(judged, given(judged, ["0110"])) == 3
    out = module(given(judged, ["0110"]))[0]
    assert accepted(judged, ["0110"]) == [bool(max(out[0], out[2]) > out[1])]
    with pytest.raises(ValueError, match="outputs of the mean are expected, not of each token"):
        agrees_with(replace(judged, read_at="mean"), lambda rows: module(rows)[:, None], ["01"])


def small(causal: bool, outputs_: int = 3, **shape) -> TrainedNetwork:
    """A network of one layer without a norm or positions."""
    maps = [Linear(drawn(D, D), drawn(D)) for _ in range(4)]
    layer = TrainedLayer(*maps, None, None, (None, None))
    end = Linear(drawn(D, outputs_), drawn(outputs_))
    return TrainedNetwork(drawn(WORDS, D), (layer,), end, 2, "relu", True, causal, **shape)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("read_at", ["first", "last", 1, "mean"], ids=str)
def test_alibi_and_a_scale_of_logits(causal, read_at):
    network = small(causal, slopes=(0.5, 0.3), attention_scale=0.7)
    judged = Judged(network, SYMBOLS, Positive(0), before=(2,), read_at=read_at)
    [layer] = network.layers

    def logits(rows: Tensor) -> Tensor:
        x = network.word[rows[0]]
        q, k, v = (x @ map_.weight + map_.bias for map_ in (layer.q, layer.k, layer.v))
        i = torch.arange(len(x), dtype=torch.float64)
        away, read = (i[:, None] - i).abs(), []
        for h, slope in enumerate((0.5, 0.3)):
            mine = slice(6 * h, 6 * h + 6)
            scores = 0.7 * q[:, mine] @ k[:, mine].T - slope * away
            hides = torch.ones_like(scores).triu(1) > 0
            scores = scores.masked_fill(hides, -torch.inf) if causal else scores
            read.append(scores.softmax(-1) @ v[:, mine])
        x = x + torch.cat(read, -1) @ layer.o.weight + layer.o.bias
        return (x @ network.output.weight + network.output.bias)[None]

    assert agrees_with(judged, logits, STRINGS) < 1e-12
    assert holds(judged, given(judged, ["0110", "0001"])) == 6
    if read_at == 1:
        for bare, least in ((judged, 1), (replace(judged, before=(), after=()), 2)):
            alone = audit(bare, lambda w, by=bare: accepted(by, [w])[0], 3, floats=())
            assert alone.kind == EACH_STRING and min(alone.by_length) == least
            assert "asked, for lack of a" in str(alone)
    if read_at == "last":
        tree = audit(judged, lambda w: accepted(judged, [w])[0], 4, floats=())
        assert tree.kind == EACH_STRING


def oracle(network: TrainedNetwork, w: str, before: tuple = (2,), after: tuple = ()) -> Tensor:
    """Its outputs for a string."""
    asked = Judged(network, SYMBOLS, Positive(0), before=before, after=after)
    return outputs(asked, given(asked, [w]), Floats())[0][0]


def test_the_largest_of_several_outputs_decides():
    network, every = small(False), [w for n in range(5) for w in PARITY.all_strings(n)]
    middle = torch.stack([oracle(network, w) for w in every]).mean(0)
    network = replace(network, output=Linear(network.output.weight, network.output.bias - middle))
    best = {w: int(oracle(network, w).argmax()) for w in every}
    assert len({*best.values()}) > 1
    classes = Judged(network, SYMBOLS, Classes(), before=(2,))
    right = audit(classes, best.__getitem__, 4, floats=("float32",))
    assert right.kind == EACH_STRING and right.strings == 31 and right.margin > 0
    wrong = audit(classes, lambda w: (best[w] + (w == "010")) % 3, 4, floats=())
    assert wrong.kind == WRONG and wrong.wrong == ("010",) and "answered incorrectly" in str(wrong)
    classes_ = f"the first is of class {(best['010'] + 1) % 3}, whose output is not the largest"
    assert classes_ in str(wrong)
    one = Judged(network, SYMBOLS, Largest(1, None), before=(2,))
    assert audit(one, lambda w: best[w] == 1, 4, floats=()).kind == EACH_STRING
    wider = replace(network, output=Linear(drawn(D, 5), 9 * torch.arange(5, dtype=torch.float64)))
    among_more = replace(one, network=wider)  # all others are those of the network it has now
    assert among_more.settled == Largest((1,), (0, 2, 3, 4))
    assert not any(accepted(among_more, every))
    single = Judged(small(False, 1), SYMBOLS, Positive(), before=(2,))
    with pytest.raises(ValueError, match="a network of 5 outputs is judged by one of them"):
        replace(single, network=wider)
    with pytest.raises(ValueError, match=r"not Fraction\(1, 3\), and a float"):
        NextTokens(2, Fraction(1, 3))  # of three equal outputs each is a third, and no more
    with pytest.raises(ValueError, match="outputs that accept, and others that reject"):
        Judged(network, SYMBOLS, Largest(1, (0, 1)))
    with pytest.raises(ValueError, match="at most 2, not 7"):
        audit(classes, lambda w: 7, 2, floats=())


def test_floats_that_change_which_wrong_output_is_the_largest_are_told_of():
    """No decision changes, as both are wrong; the verdict says what is counted."""
    network = replace(small(False), layers=(), positions=None, last=None, causal=True)
    output = torch.zeros(network.width, 3, dtype=torch.float64)
    network = replace(network, output=Linear(output, torch.tensor([0, 1, 1 + 1e-9]).double()))
    said = "of floats only this was asked: whether the largest output is a right one"
    for decides, meant in ((Classes(), lambda w: 0), (NextTokens(0, "largest"), "()")):
        judged = Judged(network, {"0": 1, "1": 2}, decides, before=(0,))
        found = judge(judged, meant, 2, floats=("float32",))
        assert found.kind == WRONG and found.rounding["float32"] == (0, None)
        assert found.any_order == found.strings and said in str(found)
        assert said not in str(judge(judged, meant, 2))
        with pytest.raises(ValueError, match="not tokens or classes"):  # before any is decided
            judge(judged, lambda w: 1 / 0, 2, beyond=3)


def test_next_tokens_are_judged_as_they_were_trained():
    """By a criterion each, on all prefixes that go on to a string of (01)*."""
    network, language = small(True, outputs_=4), regular("(01)*", "01")
    prefixes = [("01" * 3)[:n] for n in range(7)]
    allowed = [{0, 3} if n % 2 == 0 else {1} for n in range(7)]
    every = [oracle(network, w) for w in prefixes]
    for criterion in ("positive", "largest", 0.3):
        wrong = []
        for w, may, out in zip(prefixes, allowed, every, strict=True):
            chosen = {
                "positive": {k for k in range(4) if out[k] > 0},
                "largest": may if int(out.argmax()) in may else set(),
            }.get(criterion, {k for k in range(4) if out.log_softmax(-1)[k] > log(0.3)})
            wrong += [w] if chosen != may else []
        judged = Judged(network, SYMBOLS, NextTokens(3, criterion), before=(2,))
        found = audit(judged, language, 6, floats=())
        assert (found.wrong, found.strings) == (tuple(wrong), 7)
        assert ("above 0" in str(found)) == (criterion == "positive")
    with pytest.raises(ValueError, match="an output for each of the tokens"):
        Judged(small(True, 2), {"0": 0, "1": 2}, NextTokens(1, 0.3), before=(2,))
    for bad in ("sigmoid", 0, 1.0, "0.3"):
        with pytest.raises(ValueError, match="criterion must be"):
            NextTokens(3, bad)


def test_what_was_given_may_be_changed_afterwards():
    tokens, layers, word = {"0": 0, "1": 1}, [*small(False).layers], drawn(WORDS, D)
    network = replace(small(False), layers=layers, word=word)
    judged = Judged(network, tokens, Positive(0), before=(2,))
    before = logits(judged, ["0"])
    tokens["0"] = 1  # for another network, say
    layers.append(layers[0])
    word.add_(100.0)
    assert torch.equal(logits(judged, ["0"]), before)


@pytest.mark.parametrize("causal", [True, False])
def test_a_promise_leaves_the_other_strings_unasked(causal):
    network = small(causal)
    judged = Judged(network, SYMBOLS, Positive(0), before=(2,))
    found = audit(judged, lambda w: bool(oracle(network, w)[0] > 0), 6, (), promise="1(0|1)0")
    assert (found.kind, found.strings) == (EACH_STRING, 2)
    nothing = audit(judged, lambda w: not oracle(network, w)[0] > 0, 6, (), promise="1(0|1)0")
    assert nothing.wrong == ("100", "110")
    short = audit(judged, lambda w: True, 2, (), promise="1(0|1)0")
    assert short.kind == UNKNOWN and "no string of up to 2 symbols that keeps" in str(short)
    with pytest.raises(TypeError, match="beyond=.* is not expected: nothing reads it"):
        judge(judged, lambda w: True, 2, promise="1*", beyond=4)
    with pytest.raises(TypeError, match="promise=.* is not expected: nothing reads it"):
        judge(judged, {"0": True}, promise="1*")
    with pytest.raises(TypeError, match="promise must be a DFA or str"):
        audit(judged, lambda w: True, 2, (), promise=len)


def test_what_float32_decides_by_a_probability_is_bounded_in_its_own_unit():
    """Three outputs of 0, and a threshold just below a third."""
    network = small(True)
    zero = Linear(torch.zeros(D, 3), torch.zeros(3))
    judged = Judged(
        replace(network, output=zero), SYMBOLS, NextTokens(2, 1 / 3 - 1e-9), before=(2,)
    )
    found = audit(judged, regular("(0|1)*", "01"), 2, ("float32",))
    assert found.kind == EACH_STRING and found.any_order == 0


def test_padding_fills_every_string_up():
    network = small(False)
    padded = Judged(network, SYMBOLS, Positive(0), before=(2,), after=(3,), padding=(4, 6))
    assert padded.longest == 4
    with pytest.raises(ValueError, match="strings of up to 4 symbols"):
        given(padded, ["11111"])
    assert "do not fit into the padding" in str(audit(padded, lambda w: True, 5, ()))
    for w in ("", "01", "1101"):
        (ours,) = outputs(padded, given(padded, [w]), Floats())
        assert torch.equal(ours[0], oracle(network, w, after=(3, *[4] * (4 - len(w)))))


def test_what_people_save_is_opened(tmp_path):
    state = {"word": torch.ones(2), "output": torch.ones(2)}
    wrapped = {f"_orig_mod.module.{name}": x for name, x in state.items()}
    file = tmp_path / "b.pt"
    torch.save(
        {"model_state_dict": wrapped, "loss": torch.tensor(0.3), "optimizer": {"lr": 0.1}},
        tmp_path / "a.pt",
    )
    assert [*weights(tmp_path / "a.pt")] == ["word", "output"]
    deep, whole = {"EMA": {"weights": state}}, {"word": torch.ones(2, 2, dtype=torch.int8)}
    older = {"model": state | {"version": 2}}
    for saved, message in (
        ({"model": state, "ema": state}, "one entry is expected .* several are: model, ema"),
        (state | {"bias": None}, "'bias' is no tensor"),
        *((older | {"ema": ema}, "several are: model, ema") for ema in (deep, whole, state)),
        (older, "each of model must be a Tensor, not 2"),
        ({"model": {"net": {"x": torch.ones(2, 2)}}}, "must be a Tensor, not [^\n]*$"),  # one line
        ({"step": 3}, "one entry is expected to hold tensors by name: 'step' is no tensor"),
        ({"model": state, "output.weight": torch.ones(2)}, "'output.weight' beside 'model'"),
    ):
        torch.save(saved, file)
        with pytest.raises(ValueError, match=message):
            weights(file)
    adam = {"state": {0: {"exp_avg": torch.ones(2)}}, "param_groups": [{"params": [0]}]}
    torch.save({"model": state, "optimizer": adam, "rng": {"cpu": torch.get_rng_state()}}, file)
    assert [*weights(file)] == [*state]
    with pytest.raises(TypeError, match="as .state_dict"):
        from_llama(nn.Linear(2, 2), **LLAMA)
    torch.save(state, tmp_path / "e.pt", _use_new_zipfile_serialization=False)
    saved = (tmp_path / "e.pt").read_bytes()
    for length in range(0, len(saved), 7):  # an IndexError or a struct.error came out
        (tmp_path / "e.pt").write_bytes(saved[:length])
        with pytest.raises(ValueError, match="e.pt is not read, as "):
            weights(tmp_path / "e.pt")
    twice = {"embed_tokens.weight": drawn(2, 2), "model.embed_tokens.weight": drawn(2, 2)}
    with pytest.raises(ValueError, match="one of the tensors 'embed_tokens.weight' and"):
        from_llama(twice, **LLAMA)


def test_hugging_face_casts_tensors_to_one_type(tmp_path):
    """To that which the configuration names; of several types those of the file were read."""
    state = {name: x.bfloat16() for name, x in llama().items()}
    norm = "model.norm.weight"
    rounded = state[norm].float()
    for x, said, message in (
        (rounded, {}, "tensors of one type are expected, or a dtype"),
        (rounded, {"dtype": "bfloat16"}, None),
        (rounded + 1e-4, {"dtype": "bfloat16"}, f"dtype bfloat16 would round the tensor '{norm}'"),
    ):
        save_file(state | {norm: x}, tmp_path / "model.safetensors")
        (tmp_path / "config.json").write_text(json.dumps(CONFIG | said), encoding="utf-8")
        with pytest.raises(ValueError, match=message) if message else nullcontext():
            assert from_folder(tmp_path).heads == HEADS


SHAPES = [(), (0,), (3,), (0, 4), (7, 5), (1, 12), (12, 1), (2, 0, 2), (2, 6)]


@pytest.mark.parametrize("kind", range(8))
def test_tensors_of_other_shapes_are_refused_by_their_names(kind):
    """An IndexError or an error of PyTorch came out; of a width "layer 0's k", not the tensor."""
    reader, state, said = (
        (from_llama, llama(), LLAMA),
        (from_pytorch, dict(Decoder(True).state_dict(), cls=drawn(1, D)), dict(DECODER, cls="cls")),
        *(encoder(True), hugging("gpt2"), hugging("nanogpt"), biased_llama("llama", "qkvo")),
        *(lensed(is_bridge, True, "LN") for is_bridge in (True, False)),
    )[kind]
    for name, x in state.items():
        wider = [(*x.shape[:k], n + 1, *x.shape[k + 1 :]) for k, n in enumerate(x.shape)]
        for shape in {*SHAPES, *wider} - {x.shape}:
            try:
                reader(state | {name: torch.ones(shape, dtype=torch.float64)}, **said)
            except ValueError as error:
                assert any(f"the tensor '{one}'" in str(error) for one in state), error
            else:
                assert shape[-1:] == x.shape[-1:] and re.search("word|embed|pos|w[tp]e|cls", name)


def test_tensors_of_no_plain_floats_are_refused():
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    others = [torch.eye(3).to_sparse(), torch.ones(3, 3, device="meta"), 1j * torch.eye(3)]
    others += [torch.empty(2, 2, dtype=one) for one in (torch.uint4, torch.float4_e2m1fn_x2)]
    for strange in (*others, nested):
        with pytest.raises(ValueError, match="'x' must be real, dense and in memory, not "):
            from_llama({"x": strange}, **LLAMA)


def encoder(pre_norm: bool = False, norm: str | None = "layer") -> tuple:
    """A state, with norms or without, and what its reader is told."""
    module = Encoder(pre_norm=pre_norm)
    said = module.shape | {"heads": 2, "encoder": "encoder", "position": "position.weight"}
    said["last"] = "encoder.norm" if pre_norm else None
    if norm:
        return from_pytorch, module.state_dict(), said
    state = {name: x for name, x in module.state_dict().items() if ".norm" not in name}
    return from_pytorch, state, said | {"norm": None, "eps": None, "pre_norm": None}


def lensed(*made: Any) -> tuple:
    """The same of TransformerLens."""
    said = {"activation": "gelu" if made[1] else None, "normalization_type": made[2]}
    said |= {"eps": made[2] and 1e-5, "causal": False, "attn_scale": 3.0}
    said |= {"heads": 3, "inside": "native"} if made[0] else {}
    return from_transformer_lens, lens(*made)["state"], said


OTHERS = {  # of each argument: names of tensors and modules that are not there, and more
    **dict.fromkeys(("word", "output", "encoder", "cls", "position"), ["other"]),
    **{"heads": [1, 4], "key_heads": [1, 3], "activation": ["tanh"], "norm": ["rms", "layer"]},
    **{"eps": [0.5], "last_eps": [0.5], "last_norm": ["rms"], "last": ["encoder.layers.0.norm1"]},
    **{"pre_norm": [True, False], "causal": [True, False], "hidden": [("output", "relu")]},
    **{"memory": ["zeros"], "rotary": [9.0], "model_type": ["nanogpt"], "attn_scale": [7.0]},
    **{"normalization_type": ["LN", "RMS", "LNPre"], "inside": ["gpt2", "native"]},
}


@pytest.mark.parametrize(
    "made, idle",
    [
        (lambda: encoder(), "last_eps last_norm memory"),
        (lambda: encoder(True), "memory"),
        (lambda: encoder(norm=None), "eps last_eps last_norm memory pre_norm"),
        (lambda: (from_pytorch, Decoder(True).state_dict(), DECODER), "last_eps last_norm"),
        (lambda: (from_gpt2, hugging_face()[0], GPT2 | {"activation": "gelu"}), ""),
        (lambda: (from_llama, llama(), LLAMA), ""),
        (lambda: lensed(True, True, "LN"), ""),
        (lambda: lensed(False, True, "RMS"), "inside"),
        (lambda: lensed(False, False, None), "activation eps inside"),
    ],
)
def test_each_argument_changes_the_network_or_is_refused(made, idle):
    """What nothing read was dropped, and led to a proof of another network."""
    reader, state, said = made()

    def asked(**changed: Any) -> Tensor:
        network = reader(state, **said | changed)
        several = network.output.bias.numel() > 1
        decides = Classes() if several else Positive()
        return logits(Judged(network, SYMBOLS, decides, (2,), (), "mean"), STRINGS)

    unread, ours = set(), asked()
    for name in [*signature(reader).parameters][1:]:
        for other in {None, *OTHERS[name]} - {said.get(name)}:
            try:
                assert not torch.equal(asked(**{name: other}), ours), (name, other)
            except (TypeError, ValueError) as error:
                amiss = f"{name}={other!r} is not expected: nothing in this network reads it"
                unread |= {name} if str(error) == amiss else set()
    assert unread == {*idle.split()}


@pytest.mark.parametrize(
    "value", [1j * torch.ones(2, D), torch.ones(2, D, dtype=torch.int64), [[0.0] * D] * 2, None]
)
def test_positions_of_a_function_are_floats(value):
    """Of complex ones the real part alone was read."""
    judged = Judged(small(False, positions=lambda n: value), SYMBOLS, Positive(0))
    with pytest.raises(ValueError, match="positions of 2 tokens must be floats of shape .2, 12."):
        logits(judged, ["01"])


def plain_encoder(layer: type = nn.TransformerEncoderLayer, **shape: Any) -> tuple:
    """The state of one layer, and what its reader is told."""
    module = nn.Module()
    module.word, module.output = nn.Embedding(4, 4), nn.Linear(4, 1)
    is_decoder = layer is nn.TransformerDecoderLayer
    stack = nn.TransformerDecoder if is_decoder else nn.TransformerEncoder
    module.encoder = stack(layer(4, 2, 6, 0.0, **shape), 1)
    said = DECODER | {"encoder": "encoder", "memory": "zeros" if is_decoder else None}
    return from_pytorch, module.state_dict(), said | {"pre_norm": shape.get("norm_first", False)}


PYTORCH = "self_attn.in_proj_bias self_attn.out_proj.bias linear1.bias linear2.bias norm1.bias "
PYTORCH += "norm2.bias "
GPTS = "attn.c_attn.bias attn.c_proj.bias c_fc.bias mlp.c_proj.bias ln_1.bias ln_2.bias ln_f.bias"
QWENS = "q_proj.bias k_proj.bias v_proj.bias"
BRIDGES = "q.bias k.bias v.bias o.bias in.bias out.bias unembed.bias"


@pytest.mark.parametrize(
    "made, biases, always",
    [
        (plain_encoder, PYTORCH, False),
        (lambda: encoder(True), PYTORCH + "encoder.norm.bias", False),
        (
            lambda: plain_encoder(nn.TransformerDecoderLayer),
            PYTORCH + "multihead_attn.in_proj_bias multihead_attn.out_proj.bias norm3.bias",
            False,
        ),
        (lambda: hugging("gpt2"), GPTS, True),
        (lambda: hugging("nanogpt"), GPTS, False),
        (lambda: biased_llama("llama", "qkvo"), f"{QWENS} o_proj.bias", False),
        (lambda: biased_llama("qwen2", "qkv"), QWENS, True),
        (lambda: lensed(False, True, "LN"), "b_Q b_K b_V b_O b_in b_out b_U", True),
        (lambda: lensed(True, True, "LN"), BRIDGES, True),
    ],
)
def test_the_biases_of_one_flag_are_there_all_or_none(made, biases, always):
    """One that no layer had, or a pair, was read as 0."""
    reader, state, said = made()
    reader(state, **said)

    def refuses(lost: list[str], match: str) -> None:
        some = {name: x for name, x in state.items() if not name.endswith((*lost,))}
        assert len(some) < len(state)
        with pytest.raises(ValueError, match=f"a tensor '.*{match}' is expected, as .*; add zeros"):
            reader(some, **said)

    for bias in (every := biases.split()):
        refuses([bias], bias)
        refuses([one for one in every if one != bias], "")
    if always:
        return refuses(every, "")
    bare = {name: x for name, x in state.items() if not name.endswith((*every,))}
    unsaid = " ".join(reader(bare, **said).unsaid)  # which a verdict says: they may be lost
    assert all(f"{one} " in f"{unsaid} " for one in every)


def test_a_verdict_says_what_was_read_of_what_is_not_there():
    """A layer or a matrix that the file lost, and a name that fits another tensor as well."""
    reader, state, said = hugging("gpt2")
    assert "wte.weight for lm_head.weight" in reader(state, **said).unsaid
    state["lm_head.weight"] = state.pop("transformer.wte.weight")
    assert {"lm_head.weight for wte.weight", "model_type 'gpt2'"} <= {*reader(state, **said).unsaid}
    assert "embed_tokens.weight for lm_head.weight" in from_llama(llama(), **LLAMA).unsaid
    one = {k: x for k, x in llama().items() if "layers.1." not in k}
    assert "layers 1" in from_llama(one, **LLAMA).unsaid
    reader, state, said = encoder()
    assert {"word 'word.weight'", "output 'output'"} <= {*reader(state, **said).unsaid}
    parts = {"head.0.weight": torch.eye(16), "head.2.weight": state.pop("output.weight")}
    head = said | {"hidden": ("head.0", "relu"), "output": "head.2"}
    bias = {"head.2.bias": state.pop("output.bias")}
    assert "no head.2.bias" not in reader(state | parts | bias, **head).unsaid
    unsaid = reader(state | parts, **head | {"hidden": [*head["hidden"]]}).unsaid
    assert {"no head.2.bias", "hidden ['head.0', 'relu']"} <= {*unsaid}


@pytest.mark.parametrize("made", [encoder, lambda: plain_encoder(nn.TransformerDecoderLayer)])
def test_a_verdict_says_the_sizes_that_were_read(made):
    """A hidden unit that both of its maps had lost showed nowhere."""
    reader, state, said = made()
    units = len(state[next(name for name in state if name.endswith("linear1.bias"))])
    cut = {name: x[:-1] if ".linear1." in name else x for name, x in state.items()}
    cut |= {name: x[:, :-1] for name, x in cut.items() if name.endswith("linear2.weight")}
    for one, number in ((state, units), (cut, units - 1)):
        [line] = Judged(reader(one, **said), SYMBOLS, Positive()).assumed
        assert f" of {state['word.weight'].shape[1] // 2}, hidden units {number}, attention" in line


@pytest.mark.parametrize("bridge", [False, True])
def test_a_network_that_lost_a_part_of_one_layer_is_not_read_without_it(bridge):
    """Where no norm was left over, a layer without its MLP was read as attention alone."""
    reader, state, said = lensed(bridge, True, None)
    state |= {k.replace("blocks.0.", "blocks.1."): x for k, x in state.items()}
    assert len(reader(state, **said).layers) == 2
    for number in range(2):
        some = {k: x for k, x in state.items() if f"blocks.{number}.mlp." not in k}
        with pytest.raises(ValueError, match=rf"blocks.{number}.mlp.*expected, as in other layers"):
            reader(some, **said)


def hugging(kind: str) -> tuple:
    """GPT-2's state, or the same as nanoGPT stores it."""
    state, said = hugging_face()[0], GPT2 | {"activation": "gelu", "model_type": kind}
    if kind == "nanogpt":
        state = {k: x.T if ".c_" in k and x.ndim == 2 else x for k, x in state.items()}
    return from_gpt2, state, said


def biased_llama(kind: str, biased: str) -> tuple:
    """Llama with biases of some maps of its attention."""
    state, name = llama(), "model.layers.{}.self_attn.{}_proj.{}"
    for i, part in product(range(2), biased):
        rows = len(state[name.format(i, part, "weight")])
        state[name.format(i, part, "bias")] = drawn(rows)
    return from_llama, state, LLAMA | {"model_type": kind}
