"""Live modules, read by what they say of themselves."""

from dataclasses import replace
from math import sqrt
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from lib.judging import judge
from lib.proofs import regular
from lib.trained import (
    Classes,
    Judged,
    Largest,
    NextTokens,
    Positive,
    agrees_with,
    from_module,
    from_pytorch,
    from_transformer_lens,
)
from lib.trained.arithmetic import Floats
from lib.trained.audit import given
from lib.trained.passes import outputs
from lib.verdicts import EACH_STRING
from tests.trained.networks import SHAPES, Encoder
from tests.trained.test_published import CONFIG, lens, llama, llama_logits

ASKED = {"tokens": {"0": 0, "1": 1}, "decides": Positive(), "before": (2,), "after": (3,)}
STRINGS = ["", "01", "1101"]
POSITION = {"position": "position.weight"}
SAID = ASKED | POSITION | {"causal": False}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: " ".join(map(str, shape.values())))
def test_an_encoder_says_all_but_the_mask(shape):
    module = Encoder(**shape)
    causal = module.shape["causal"]
    judged = from_module(module, STRINGS, causal=causal, **POSITION, **ASKED)
    rows = given(judged, ["0110"])
    found, stated = (outputs(one, rows, Floats())[0] for one in (judged, module.judged()))
    assert torch.equal(found, stated)
    with pytest.raises(TypeError, match="asks for causal, position, tokens, decides, which the m"):
        from_module(module, STRINGS)
    with pytest.raises(ValueError, match="output 0 of '' is .* by the network that was read"):
        from_module(module, STRINGS, causal=not causal, **POSITION, **ASKED)
    for name in ("heads", "encoder", "network", "beside", "foo"):
        with pytest.raises(TypeError, match=f"{name} is not expected: the module says all but cau"):
            from_module(module, STRINGS, causal=causal, **{name: 1}, **POSITION, **ASKED)


@pytest.mark.parametrize("eps", [1e-5, 0.1])
def test_the_last_norm_may_have_an_eps_of_its_own(eps):
    module = Encoder(pre_norm=True)
    module.encoder.norm.eps = eps
    assert from_module(module, STRINGS, **SAID).network.last.eps == eps
    module.encoder.norm = nn.RMSNorm(16, dtype=torch.float64)
    assert from_module(module, STRINGS, **SAID).network.last.kind == "rms"
    module.encoder.norm = nn.Identity()
    assert from_module(module, STRINGS, **SAID).network.last is None


def test_the_last_norm_may_have_a_bias_alone():
    """As `nn.LayerNorm(d)` beside layers with bias=False: of RMS norms it would be another kind."""
    module, shape = Encoder(pre_norm=True), {"batch_first": True, "bias": False}
    layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0, **shape)
    module.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(16), enable_nested_tensor=False)
    judged = from_module(module.double().eval(), STRINGS, **SAID)
    assert {one.kind for one in (*judged.network.layers[0].norms, judged.network.last)} == {"layer"}
    said = {"heads": 2, "activation": "relu", "norm": "layer", "eps": 1e-5, "causal": False}
    said |= {"pre_norm": False, "encoder": "encoder", "last": "encoder.norm", **POSITION}
    with pytest.raises(ValueError, match="is expected, as there is 'encoder.norm.bias'"):
        from_pytorch(module.state_dict(), **said)
    module.encoder.layers = Encoder().encoder.layers  # with biases, which the end has not
    module.encoder.norm = nn.LayerNorm(16, bias=False, dtype=torch.float64)
    assert not from_module(module, STRINGS, **SAID).network.last.bias.any()
    with pytest.raises(ValueError, match="'encoder.norm.bias' is expected, as there is 'enc"):
        from_pytorch(module.state_dict(), last_norm="layer", **said)
    bare = nn.MultiheadAttention(16, 2, bias=False, batch_first=True, dtype=torch.float64)
    module.encoder.layers[0].self_attn = bare.eval()
    assert not from_module(module, STRINGS, **SAID).network.layers[0].q.bias.any()


def test_a_module_says_of_each_of_its_parts_whether_it_has_a_bias():
    """Zeros were added for what was left out, and missing for a part that stands twice."""
    module, shape = Encoder(), {"batch_first": True, "bias": False}
    layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0, **shape)
    module.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    module.encoder.layers[1] = module.encoder.layers[0]
    module.aux, module.weight, module.bias = nn.Linear(16, 3, bias=False), 0.5, None
    module.word.bias = None  # as of an embedding that is a Linear
    judged = from_module(module.double().eval(), STRINGS, left_out=("aux.weight",), **SAID)
    assert len(judged.network.layers) == 2
    module.aux = nn.LazyLinear(3, bias=False)
    with pytest.raises(ValueError, match="'aux.weight' must be real, dense and in memory"):
        from_module(module, STRINGS, **SAID)


def test_a_last_norm_is_asked_for():
    """One without weights leaves no tensor, and was read as none."""
    module = Encoder(pre_norm=True)
    module.encoder.norm = nn.LayerNorm(16, elementwise_affine=False, dtype=torch.float64)
    said = {"causal": False, **POSITION}
    shape = module.shape | {"heads": 2, "encoder": "encoder", **said}
    with pytest.raises(TypeError, match="'last'"):
        from_pytorch(module.state_dict(), **shape)
    for read in (
        lambda: from_pytorch(module.state_dict(), last="encoder.norm", **shape),
        lambda: from_module(module, STRINGS, **said, **ASKED),
    ):
        with pytest.raises(ValueError, match="'encoder.norm.weight' is expected among"):
            read()
    gains = {"encoder.norm.weight": torch.ones(16)}  # which say that there is one
    gains |= {"encoder.norm.bias": torch.zeros(16)}
    kind = {"last": "encoder.norm", "last_norm": "layer"}
    judged = Judged(from_pytorch(module.state_dict() | gains, **kind, **shape), **ASKED)
    assert agrees_with(judged, module, STRINGS) < 1e-12
    assert ", layer norm with eps 1e-05 after the last layer, positions from" in judged.assumed[0]
    module.encoder.norm = None
    module.output = nn.Sequential(nn.LayerNorm(16, dtype=torch.float64), module.output)
    names = {"last": "output.0", "output": "output.1"}
    assert from_module(module, STRINGS, **said, **names, **ASKED).network.last is not None


def test_no_norm_is_read_as_none_and_no_layer_is_refused():
    module = Encoder().train()  # there is no dropout
    for layer in module.encoder.layers:
        layer.norm1 = layer.norm2 = nn.Identity()
    assert from_module(module, STRINGS, **SAID).network.layers[0].norms == (None, None)
    with pytest.raises(ValueError, match="the module itself fails on '': 'Identity' object has no"):
        from_module(module.eval(), STRINGS, **SAID)
    module.encoder.layers[1].norm2 = nn.LayerNorm(16)
    with pytest.raises(ValueError, match="layers and norms that are alike are expected"):
        from_module(module, STRINGS, **SAID)
    module.encoder.layers[1] = nn.Identity()
    with pytest.raises(ValueError, match="own layers are expected in 'encoder', not Identity"):
        from_module(module, STRINGS, **SAID)


class ByFunction(nn.Module):
    """RMS normalization without an ε, or with that of the type in which it is computed."""

    def __init__(self, by_type: bool):
        super().__init__()
        self.weight, self.by_type = nn.Parameter(torch.ones(16)), by_type

    def forward(self, x: Tensor) -> Tensor:
        if self.by_type:
            return x * (x.square().mean(-1, True) + torch.finfo(x.dtype).eps).rsqrt() * self.weight
        return nn.functional.rms_norm(x, x.shape[-1:], self.weight)


@pytest.mark.parametrize("by_type", [False, True])
def test_the_eps_is_that_of_the_type_in_which_the_module_computes(by_type):
    """A copy in float64 has another one, which agreed with a false reading."""
    module = Encoder(pre_norm=True, scale=0.01).float()
    module.encoder.norm = ByFunction(by_type)
    said = {"causal": False, "last_norm": "rms", **POSITION, **ASKED}
    single, double = (torch.finfo(one).eps for one in (torch.float32, torch.float64))
    judged = from_module(module, STRINGS, last_eps=single, **said)
    assert judged.network.last.eps == single
    with pytest.raises(ValueError, match="output 0 of '.*' is"):
        from_module(module, STRINGS, last_eps=double, **said)


def test_outputs_may_be_squeezed_and_are_held_to_their_shape():
    module, judged = Encoder(), Encoder().judged()
    for squeezed in (
        lambda rows: module(rows)[:, -1, 0],
        lambda rows: module(rows)[:, -1].squeeze(),
        lambda rows: (module(rows), None),  # nanoGPT gives a loss too
    ):
        assert agrees_with(judged, squeezed, STRINGS) < 1e-12
    for other, given_ in (
        (lambda rows: module(rows)[:, :, 0], r"torch.float64 of shape \(1, 2\)"),  # of each token
        (lambda rows: module(rows) > 0, r"torch.bool of shape \(1, 1\)"),
    ):
        with pytest.raises(ValueError, match=rf"\(1, 1\) floats are expected of .*, not {given_}"):
            agrees_with(judged, other, STRINGS)
    with pytest.raises(ValueError, match="output 0 of '' is nan by the module"):
        agrees_with(judged, lambda rows: module(rows) + torch.nan, STRINGS)
    for alike in (["", "0"], ["00", "111"], ["0", "1"], ["00"], []):  # most masks agree there
        with pytest.raises(ValueError, match="each of 0, 1 occurs .* two different symbols in one"):
            agrees_with(judged, module, alike)


@pytest.mark.parametrize("part, factor, added", [("bias", 1, -1e9), ("weight", 1e10, 0)])
def test_each_output_is_held_to_its_own_size(part, factor, added):
    """Beside a token that is hidden by -1e9, or has larger weights, any other output agreed."""
    module = Encoder()
    module.output = nn.Linear(16, 2, dtype=torch.float64)
    getattr(module.output, part).data[1].mul_(factor).add_(added)
    said = ASKED | {"decides": Positive(0), "causal": False, **POSITION}
    assert from_module(module, STRINGS, **said).network.heads == 2
    for asked in (module, module.float()):
        with pytest.raises(ValueError, match="output 0 of '' is .* by the network that was read"):
            from_module(asked, STRINGS, **said | {"causal": True})


class Halved(nn.TransformerEncoderLayer):
    """What PyTorch's fast path leaves out."""

    def _ff_block(self, x: Tensor) -> Tensor:
        return super()._ff_block(x) / 2


def test_a_layer_that_computes_otherwise_without_gradients_is_refused():
    """Without them alone the module was compared, and agreed."""
    own = Encoder()
    for layer in own.encoder.layers:
        layer.__class__ = Halved
    zeros = Encoder()
    for layer in zeros.encoder.layers:
        layer.self_attn.add_zero_attn = True
    judged = Encoder().judged()
    for module in (own, zeros, own.requires_grad_(False)):  # PyTorch takes its path for frozen ones
        with pytest.raises(ValueError, match="by the module with gradients and"):
            from_module(module.eval(), STRINGS, **SAID)
        with pytest.raises(ValueError, match="by the module with gradients and"):
            agrees_with(judged, lambda rows, module=module: module(rows), STRINGS)
        assert torch.backends.mha.get_fastpath_enabled()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_network_that_is_nearly_the_module_is_refused(dtype):
    """With outputs of 0.001 a factor of 3 on words passed before, and so did the other GELU."""
    module = Encoder(activation=lambda x: nn.functional.gelu(x, approximate="tanh")).to(dtype)
    module.output.weight.data *= 1e-3
    module.output.bias.data *= 0
    judged = from_module(module, STRINGS, activation="gelu_new", **SAID)
    assert agrees_with(judged, module, STRINGS) < 1e-6
    with pytest.raises(ValueError, match="agrees within=1e-[45], say"):
        from_module(module, STRINGS, activation="gelu", **SAID)
    assert from_module(module, STRINGS, activation="gelu", within=0.1, **SAID)
    if dtype == torch.float32:
        module.output.register_forward_hook(lambda *parts: parts[-1].float())
        with pytest.raises(ValueError, match="agrees within=0.1, say"):  # whatever forward ends in
            from_module(module.bfloat16(), STRINGS, activation="gelu", **SAID)
        module.float()
    module.word.register_forward_hook(lambda *parts: 3 * parts[-1])
    with pytest.raises(ValueError, match="forward does what no weight shows"):
        from_module(module, STRINGS, activation="gelu_new", **SAID)


class Clamped(Encoder):
    """Its last tokens share a position; it takes one string, or several, as `ask` does."""

    ask = staticmethod(lambda forward, rows: forward(rows))

    def forward(self, tokens: Tensor) -> Tensor:
        return self.ask(self.clamped, tokens)

    def clamped(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[1]).clamp(max=5)
        return self.output(self.encoder(self.word(tokens) + self.position(places)))


@pytest.mark.parametrize(
    "ask",
    [
        lambda forward, rows: forward(rows),
        lambda forward, rows: forward(rows)[:, -1].squeeze(),
        lambda forward, rows: forward(rows[:1])[0, -1],  # one string alone
    ],
    ids=["batch", "squeezed", "one"],
)
def test_what_shows_in_longer_strings_alone_ends_the_judgement(ask, monkeypatch):
    """Positions that are shared beyond the strings that were compared: a verdict contradicted the
    module.
    """
    monkeypatch.setattr(Clamped, "ask", staticmethod(ask))
    judged = from_module(Clamped().float(), STRINGS, causal=False, **POSITION, **ASKED)
    assert judged == replace(judged, beside=None) and "Clamped" not in repr(judged)
    says = "the module itself was asked about 31 strings, and no output differs by more than allow"
    verdict = judge(judged, "(0|1)*", 4)
    assert verdict.strings == 31 and says in str(verdict)
    assert says not in str(judge(replace(judged, beside=None), "(0|1)*", 5))
    for asked in (
        lambda: judge(judged, "(0|1)*", 5),
        lambda: judge(judged, "(0|1)*", 4, beyond=5),
        lambda: judge(judged, {"01101": True}),
    ):
        with pytest.raises(ValueError, match="output 0 of '.....' is .* by the module and"):
            asked()


@pytest.mark.parametrize("factor", [1.0, 1e8])
@pytest.mark.parametrize("within", [None, 1e-5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_more_than_floats_can_differ_by_is_refused(dtype, within, factor):
    """Beside a word whose vector is a million times longer a string of the other sign agreed."""
    module = Encoder(pre_norm=True).to(dtype)
    module.encoder.norm = None
    module.word.weight.data[1] *= factor

    def changed(rows: Tensor) -> Tensor:
        found = module(rows)
        return found * (1 - 2 * (rows == 0).all(1)[:, None])

    said = SAID | {"before": (), "after": ()}
    judged = from_module(module, STRINGS[1:], **said)
    with pytest.raises(ValueError, match="output 0 of '0' is"):
        agrees_with(judged, changed, [*STRINGS[1:], "0"], within)


@pytest.mark.parametrize("row, w", [([2, 0, 0], "00000"), ([2, 1, 0], "10001"), ([2, 1, 1], "11")])
def test_what_shows_in_a_batch_of_one_ends_the_judgement(row, w):
    module = Encoder()
    judged = from_module(module, STRINGS, **SAID)
    assert judged.beside is not None

    def alone(rows: Tensor) -> Tensor:
        is_so = len(rows) == 1 and rows.shape[1] > 6 and rows[0, :3].tolist() == row
        return module(rows) * (-1 if is_so else 1)

    with pytest.raises(ValueError, match=f"output 0 of '{w}"):
        judge(replace(judged, beside=replace(judged.beside, module=alone)), "(0|1)*", 5)


class Tokens(nn.Module):
    """Words, one layer and several outputs, without positions."""

    def __init__(self, outputs: int = 1, seed: int = 0, dtype: torch.dtype = torch.float64):
        super().__init__()
        torch.manual_seed(seed)
        self.word, self.output = nn.Embedding(4, 4), nn.Linear(4, outputs)
        shape = {"batch_first": True, "norm_first": True}
        layer = nn.TransformerEncoderLayer(4, 2, 8, 0.0, **shape)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.to(dtype).eval()

    def forward(self, tokens: Tensor) -> Tensor:
        hidden = torch.ones(2 * tokens.shape[1:], dtype=torch.bool).triu(1)
        return self.output(self.encoder(self.word(tokens), mask=hidden, is_causal=True))

    def judged(self, decides: Any, **said: Any) -> Judged:
        """It reads a string over 0 and 1 after a token."""
        asked = {"tokens": {"0": 0, "1": 1}, "causal": True, "position": None, "before": (2,)}
        return from_module(self, STRINGS[1:], decides=decides, **asked | said)


@pytest.mark.parametrize("decides", [Positive(1), Largest(1, 0), Classes()])
def test_of_what_float64_rounds_away_the_module_tells_nothing(decides):
    """Its own words lose what decides in float64 too, so that it decides every string otherwise."""
    module = Tokens(2)
    for parameter in (*module.encoder.parameters(), *module.output.parameters()):
        parameter.data.zero_()
    module.word.weight.data[:] = torch.tensor([1e17, 1, -1e17, 0])
    module.output.weight.data[1], module.output.bias.data[1] = 1, -0.5
    assert module(torch.tensor([[2, 0, 1]]))[0, -1, 1] == -0.5
    meant = (lambda w: 1) if decides == Classes() else (lambda w: True)
    found = judge(module.judged(decides), meant, 3)
    assert (found.kind, found.margin) == (EACH_STRING, 0.5)
    assert "of 15 it tells nothing" in str(found)


def test_every_way_to_decide_strings_says_of_how_many_the_module_tells_nothing():
    """Examples, drawn strings and a counterexample that a proof finds said nothing."""
    module = Tokens(seed=2, dtype=torch.float32)
    word = module.word.weight.data
    word[0] *= 1e8
    word[1] = 3 * word[2] - word[0]
    module.output.bias.data[:] = 0
    judged = module.judged(Positive(), before=(), read_at="mean", causal=False)
    more = "count(Q('1')) > count(Q('0'))"
    for asked in (
        lambda: judge(judged, lambda w: True, 4),
        lambda: judge(judged, {"01": True, "0011": True}),
        lambda: judge(judged, lambda w: True, 1, beyond=4),
        lambda: judge(judged, more, 1),  # wrong of "01"
    ):
        assert "tells nothing" in str(asked())
    assert "tells nothing" not in str(judge(judged, {"0": True}))
    assert "the module itself was asked about 0 strings" in str(judge(judged, {}))


@pytest.mark.parametrize(
    "decides, meant, bias",
    [
        (Classes(), lambda w: 0, (5, 0, -5, -1e9)),
        (Largest(0, None), lambda w: True, (5, 0, -5, -1e9)),
        (NextTokens(2, 0.001), regular("0*1*", "01"), (5, 4.5, -5, -1e9)),
        (NextTokens(2, "largest"), regular("(0|1)*", "01"), (5, 5, -5, -5)),
        (NextTokens(3, "largest"), regular("0*", "01"), (-5, 5, 5, -5)),
    ],
    ids=["class", "largest", "probability", "both allowed", "two that are not"],
)
def test_the_module_tells_of_what_decides_alone(decides, meant, bias):
    """What one output may be off by hid the others, and two outputs of which it is all the same
    which is the larger hid each other.
    """
    module = Tokens(4)
    module.output.bias.data[:] = torch.tensor(bias)
    equal = [k for k in range(4) if bias.count(bias[k]) > 1]
    module.output.weight.data[equal] = module.output.weight.data[0].clone()
    assert "tells nothing" not in str(judge(module.judged(decides), meant, 3))


def test_a_class_is_one_of_several():
    """A single output ended in PyTorch's own error."""
    with pytest.raises(ValueError, match="several outputs are expected for classes; one has Pos"):
        Tokens().judged(Classes())


def test_what_float32_loses_in_a_stretched_network_is_no_difference():
    module = Encoder(scale=4.0, pre_norm=True).float()
    judged = from_module(module, STRINGS, causal=False, **POSITION, **ASKED)
    assert judge(judged, "(0|1)*", 8).strings == 511
    with pytest.raises(ValueError, match="output 0 of '' is"):
        agrees_with(judged, module, STRINGS, within=1e-9)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_rms_normalization_has_the_eps_that_pytorch_takes(dtype):
    """Its documentation says `finfo(dtype).eps`, which in 16 bits is not so."""
    module = Encoder(norm="rms").to(dtype)
    for one in module.modules():
        if isinstance(one, nn.RMSNorm):
            one.eps = None
    judged = from_module(module, STRINGS, **SAID)
    eps = judged.network.layers[0].norms[0].eps
    x = torch.full((16,), sqrt(eps), dtype=dtype)  # where eps is half of what is divided by
    assert float(nn.RMSNorm(16, dtype=dtype)(x)[0].detach()) == pytest.approx(sqrt(0.5), rel=1e-2)


class Compiled(nn.Module):
    """As `torch.compile` wraps a module, without the seconds that this takes."""

    def __init__(self, module: nn.Module):
        super().__init__()
        self._orig_mod = module

    def forward(self, rows: Tensor) -> Tensor:
        return self._orig_mod(rows)


@pytest.mark.parametrize("wrapped", [Compiled, lambda one: nn.DataParallel(Compiled(one))])
def test_a_module_that_another_wraps_is_read_as_itself(wrapped):
    module = wrapped(Encoder())
    judged = from_module(module, STRINGS, **SAID)
    assert judged.network.heads == 2


@pytest.mark.parametrize(
    "function, name",
    [(nn.GELU(), "gelu"), (nn.GELU("tanh"), "gelu_new"), (nn.SiLU(), "silu"), (torch.tanh, "tanh")],
)
def test_activations_are_known_by_what_they_are(function, name):
    module = Encoder(activation=function).train()
    judged = from_module(module, STRINGS, **SAID)
    assert judged.network.activation == name
    if name == "gelu_new":  # PyTorch's fused layer computes it by erf
        with pytest.raises(ValueError, match="output 0 of '' is"):
            from_module(module.eval(), STRINGS, **SAID)


def test_tensors_that_no_output_needs_are_left_out_by_name():
    module = Encoder(causal=True)
    module.register_buffer("mask", torch.ones(16, 16).triu(1))
    said = {"causal": True, **POSITION, **ASKED}
    with pytest.raises(ValueError, match="nothing reads the tensor 'mask'"):
        from_module(module, STRINGS, **said)
    assert from_module(module, STRINGS, left_out=("mask",), **said).network.causal
    with pytest.raises(ValueError, match="'output.weight' is expected among"):
        from_module(module, STRINGS, left_out=("mask", "output.weight"), **said)
    for amiss, error in (("mask", TypeError), (["masks"], ValueError)):
        with pytest.raises(error, match="left_out must be"):
            from_module(module, STRINGS, left_out=amiss, **said)


def test_what_an_encoder_does_not_say_is_asked_for():
    module = Encoder(activation=lambda x: x.relu())
    with pytest.raises(TypeError, match="activation"):
        from_module(module, STRINGS, **SAID)
    said = {"activation": "relu", "causal": False}
    assert from_module(module, STRINGS, **said, **POSITION, **ASKED).network.heads == 2
    module.encoder.layers[1].norm2.eps = 2e-3
    with pytest.raises(ValueError, match="layers and norms that are alike .*0.002"):
        from_module(module, STRINGS, **said, **POSITION, **ASKED)
    with pytest.raises(ValueError, match="around one nn.TransformerEncoder is expected"):
        from_module(nn.Linear(2, 2), STRINGS, **ASKED)
    dropping = Encoder()
    dropping.encoder.layers[0].dropout.p = 0.5
    with pytest.raises(ValueError, match="the module is in training, which eval.. ends, or an arg"):
        from_module(dropping.train(), STRINGS, **SAID)


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
    if not is_bridge:
        made["state"]["blocks.0.attn.mask"] = torch.ones(0, 0)  # since TransformerLens 3.9
        assert from_module(module, STRINGS, **asked).network.heads == 3
    module.cfg.use_attn_scale = False
    with pytest.raises(TypeError, match="asks for attn_scale, which the module does not say"):
        from_module(module, STRINGS, **asked)
    assert from_module(module, STRINGS, attn_scale=3, **asked).network.heads == 3
    bare = of_library("transformer_lens", **lens(is_bridge, False), cfg=module.cfg)
    assert from_module(bare, STRINGS, attn_scale=3, **asked).network.activation == "identity"
    module.cfg.attn_scale, module.cfg.use_attn_scale = -1.0, True  # the usual one, 2 here
    with pytest.raises(ValueError, match="output 0 of '' is|output . of '01' is"):
        from_module(module, STRINGS, **asked)


def test_a_bridge_says_by_its_maker_which_way_its_matrices_stand():
    state = lens(True)["state"]
    parts = (".mlp.", ".attn.o.")
    turned = {k: x.T if x.ndim == 2 and any(p in k for p in parts) else x for k, x in state.items()}
    shape = {"activation": "gelu_new", "normalization_type": "LN", "eps": 1e-5, "causal": True}
    shape |= {"attn_scale": None, "heads": 3}
    native = from_transformer_lens(state, inside="native", **shape)
    gpt2 = from_transformer_lens(turned, inside="gpt2", **shape)
    for one, other in zip(native.layers, gpt2.layers, strict=True):
        for part in ("q", "k", "v", "o", "first", "second"):
            assert torch.equal(getattr(one, part).weight, getattr(other, part).weight)
    with pytest.raises(ValueError, match="heads and inside are expected"):
        from_transformer_lens(state, **shape)
    for one, name in ((state, "gpt2"), (turned, "native")):
        with pytest.raises(ValueError, match="'blocks.0.mlp.in.weight' must be floats"):
            from_transformer_lens(one, inside=name, **shape)
    with pytest.raises(ValueError, match="activation is expected, as there is an MLP"):
        from_transformer_lens(state, inside="native", **shape | {"activation": None})
