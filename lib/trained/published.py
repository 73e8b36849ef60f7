"""Networks that were trained elsewhere, read by the names of their weights: PyTorch's encoder and
decoder, GPT-2 as Hugging Face stores it, nanoGPT, Llama, TransformerLens before and since 3.0.

What tensors do not say is an argument without a default. A tensor that is missing, and a tensor or
an argument that nothing reads, is an error that names it.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import torch
import yaml
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import Parameter

from lib.checks import above_zero, an, between, flag, many, mapping, one_of, optional, takes, text
from lib.trained.network import (
    NORMS,
    Linear,
    Norm,
    TrainedLayer,
    TrainedNetwork,
    activation,
    shaped,
)

State = Mapping[str, Tensor]
PREFIXES = ("_orig_mod.", "module.")  # of compiled modules, and of those on several devices
MASKS = (".attn.bias", ".attn.mask")  # which older files store, and
HIDDEN = (".attn.masked_bias", ".attn.IGNORE")  # what stands in a hidden place,
FAR = -9e3  # at most: so far below all logits that nothing is left; of -1e4 bfloat16 makes -9984
SHOWN = 12  # names of tensors in a message
NAMES = ("model_type", "inside", "normalization_type", "encoder", "word", "cls", "position")
NAMES += ("last", "hidden", "output")  # arguments of readers that a verdict repeats
READABLE = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn)
READABLE += (torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e5m2fnuz, torch.bool)
READABLE += (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
GPTS, LLAMAS = ("gpt2", "nanogpt"), ("llama", "mistral", "qwen2")
# TransformerLens's `normalization_type`: behind those with "Pre" gains and biases are folded into
# the maps that follow.
LENS_NORMS = {"LN": "layer", "LNPre": "layer", "RMS": "rms", "RMSPre": "rms"}


def opened(state: Any) -> dict[str, Tensor]:
    """The tensors by name: of a state, or of a checkpoint of which one entry is a state. ValueError
    where several are, TypeError for anything else. A number beside it, such as a loss, is left.
    """
    if hasattr(state, "state_dict"):
        raise TypeError(f"tensors by name are expected, as .state_dict() has, not {type(state)}")
    mapping(object)(state, "state")
    if others := [name for name, x in state.items() if not isinstance(x, Tensor)]:
        inside = [name for name in others if _holds(state[name])]
        if len(inside) != 1:
            which = f"several are: {', '.join(inside)}" if inside else f"{others[0]!r} is no tensor"
            raise ValueError(f"one entry is expected to hold tensors by name: {which}")
        if beside := [name for name, x in state.items() if isinstance(x, Tensor) and x.ndim]:
            raise ValueError(f"nothing reads the tensor {beside[0]!r} beside {inside[0]!r}")
        state = mapping(Tensor)(state[inside[0]], inside[0])
    for name, x in state.items():
        is_plain = type(x) in (Tensor, Parameter) and x.layout == torch.strided
        if not is_plain or x.is_meta or x.is_nested or x.dtype not in READABLE:
            kind = f"{'nested ' * x.is_nested}{x.layout}, {x.dtype} on {x.device}"
            must = f"the tensor {name!r} must be real, dense and in memory"
            raise ValueError(f"{must}, not {kind}, {type(x).__name__}")
    names = [*state]
    for prefix in PREFIXES * 2:
        if all(name.startswith(prefix) for name in names):
            names = [name.removeprefix(prefix) for name in names]
    return dict(zip(names, state.values(), strict=True))


def without(prefix: str, state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors by names of which some begin so; ValueError where two names become one."""
    plain = {name.removeprefix(prefix): x for name, x in state.items()}
    if len(plain) < len(state):
        twice = next(name for name in state if name != prefix and prefix + name in state)
        raise ValueError(f"one of the tensors {twice!r} and {prefix + twice!r} is expected")
    return plain


def _holds(value: object) -> bool:
    """Whether weights may be in it, at any depth: optimizers' and random states hold none."""
    if isinstance(value, Tensor):
        return value.ndim > 1 or (value.ndim == 1 and value.is_floating_point())
    if isinstance(value, Mapping):
        return "param_groups" not in value and any(map(_holds, value.values()))
    return isinstance(value, list | tuple) and any(map(_holds, value))


class Said:
    """The arguments of a reader: its `locals()`, before it has other names. It asks here for those
    of which it makes a part of the network; what was given and is still `left` then is unread.
    """

    def __init__(self, arguments: dict[str, Any]):
        self.every = {**arguments}
        self.left = {name: value for name, value in arguments.items() if value is not None}

    def __getattr__(self, name: str) -> Any:
        self.left.pop(name, None)
        return self.every[name]


class Weights:
    """The tensors of the state that is said, by name, in float64, each taken once."""

    def __init__(self, said: Said, prefix: str = ""):
        self.said, self.left = said, without(prefix, state := opened(said.state))
        self.names = {name.removeprefix(prefix): name for name in state}
        self.biased: dict[bool, str] = {}  # of those of one flag: why one is due, and one missing
        self.unsaid: dict[str, None] = {}  # what was read of what is not there, in order

    def masks(self, longest: int, causal: bool = True) -> None:
        """Takes the masks that are stored beside a head's weights; ValueError for one that is not 1
        up to the present token and 0 later, is too small, hides nothing or contradicts `causal`.
        """
        weights_ = [name for name in self.left if not name.endswith((*MASKS, *HIDDEN))]
        for name in [name for name in self.left if name not in weights_]:
            if not any(other.startswith(f"{name.rpartition('.')[0]}.") for other in weights_):
                continue  # of a layer that is not there: a tensor that nothing reads
            value = self.left.pop(name).detach().cpu().double()
            if name.endswith(HIDDEN):
                if value.numel() != 1 or not float(value) <= FAR:
                    raise ValueError(f"{self.named(name)} is expected to be at most {FAR:g}")
                continue
            if not value.numel():  # as TransformerLens 3.9 has it, with a window too
                raise ValueError(f"{self.named(name)} is empty: without a window leave it out")
            is_square = value.ndim > 1 and value.shape[-1] == value.shape[-2] >= longest
            if not (causal and is_square and torch.equal(value, torch.ones_like(value).tril())):
                raise ValueError(
                    f"{self.named(name)} is expected to hide later tokens alone, among {longest}"
                    + ", and causal to be True then, not False" * (not causal)
                )

    def named(self, name: str) -> str:
        """A tensor as the state calls it."""
        return f"the tensor {self.names.get(name, name)!r}"

    def __call__(self, name: str, *shape: int | None) -> Tensor:
        """A tensor of that shape, or of any; None stands for any number."""
        if name not in self.left:
            raise ValueError(f"a tensor {name!r} is expected among {self}, not read otherwise")
        stored = self.left.pop(name)
        return shaped(stored, self.named(name), *(shape or [None] * stored.ndim))

    def __str__(self) -> str:
        names = sorted(self.left, key=len)
        return ", ".join(names[:SHOWN]) + " and others" * (len(names) > SHOWN) or "none"

    def bias(self, name: str, *shape: int) -> Tensor:
        """A tensor that is 0 if it is absent, as all are that were read since `biased` was set."""
        is_there = name in self.left
        self.biased.setdefault(is_there, f"there is {name!r}" if is_there else name)
        if len(self.biased) > 1:
            lost, why = self.biased[False], self.biased[True]
            advice = "add zeros if there is none, or say that a norm is RMS's"
            raise ValueError(f"a tensor {lost!r} is expected, as {why}; {advice}")
        if is_there:
            return self(name, *shape)
        self.unsaid[f"no {name}"] = None
        return torch.zeros(shape).double()

    def linear(self, name: str, is_turned: bool = True, d: Any = None, out: Any = None) -> Linear:
        """A linear map from width `d` to `out`, None being any; most code stores (out, in)."""
        weight = self(f"{name}.weight", *((out, d) if is_turned else (d, out)))
        weight = weight.T if is_turned else weight
        return Linear(weight, self.bias(f"{name}.bias", weight.shape[1]))

    def norm(self, name: str, kind: str, eps: Any, d: Any = None, w="weight", b="bias") -> Norm:
        """A normalization of that kind, of which RMS's has no bias."""
        gain, is_rms = self(f"{name}.{w}", d), kind == "rms"
        shift = torch.zeros_like(gain) if is_rms else self.bias(f"{name}.{b}", len(gain))
        return Norm(gain, shift, eps, kind)

    def layers(self, prefix: str, read: Callable[[str], Any]) -> tuple[Any, ...]:
        """What `read` makes of each layer whose name begins so."""
        known = [name.removeprefix(prefix) for name in self.left if name.startswith(prefix)]
        found = {name.split(".")[0] for name in known}
        if not found:
            raise ValueError(f"tensors named {prefix}0... are expected among {self}")
        layers = tuple(read(f"{prefix}{number}") for number in range(len(found)))
        each = re.compile(rf"(?<=no {re.escape(prefix)})[0-9]+")
        self.unsaid = dict.fromkeys(each.sub("*", one) for one in self.unsaid)
        self.unsaid[f"layers {len(layers)}"] = None
        parts = dict.fromkeys(name.partition(".")[2] for name in known)
        for lost in map(".".join, product(sorted(found), parts)):
            if lost not in known:  # of a part that a layer may be without
                raise ValueError(f"a tensor {prefix + lost!r} is expected, as in other layers")
        return layers

    def done(self, network: TrainedNetwork) -> TrainedNetwork:
        """The network, if every tensor and every argument was read."""
        for name, value in self.said.left.items():
            raise ValueError(f"{name}={value!r} is not expected: nothing in this network reads it")
        if self.left:
            raise ValueError(f"nothing reads {self.named(next(iter(self.left)))}")
        names = [(name, self.said.every.get(name)) for name in NAMES]
        told = [f"{name} {x!r}" for name, x in names if isinstance(x, str | list | tuple)]
        return replace(network, unsaid=(*network.unsaid, *self.unsaid, *told))


def split(joint: Linear) -> tuple[Linear, Linear, Linear]:
    """Queries, keys and values that stand side by side in one matrix."""
    q, k, v = map(Linear, joint.weight.chunk(3, -1), joint.bias.chunk(3, -1))
    return q, k, v


def for_each_query(take: Weights, name: str, query: Linear, heads: int, key_heads: int) -> Linear:
    """Keys or values of fewer heads than queries have, once for each head that reads them."""
    width = len(query.bias) // heads
    map_ = take.linear(name, d=len(query.weight), out=key_heads * width)
    head = torch.arange(heads) // (heads // key_heads)
    columns = (head[:, None] * width + torch.arange(width)).flatten()
    return Linear(map_.weight[:, columns], map_.bias[columns])


@takes(heads=between(1), activation=activation, norm=optional(one_of(NORMS)))
@takes(pre_norm=optional(flag), causal=flag, last=optional(text), last_norm=optional(one_of(NORMS)))
@takes(word=text, output=text, encoder=text, cls=optional(text), hidden=optional(many(text)))
@takes(memory=optional(one_of(("zeros",))))
def from_pytorch(
    state: State,
    *,
    heads: int,
    activation: str,
    norm: str | None,
    eps: float | None,
    pre_norm: bool | None,
    causal: bool,
    position: str | Callable[[int], Tensor] | None,
    last: str | None,
    word: str = "word.weight",
    output: str = "output",
    encoder: str = "",
    last_norm: str | None = None,
    last_eps: float | None = None,
    hidden: tuple[str, str] | None = None,
    cls: str | None = None,
    memory: str | None = None,
) -> TrainedNetwork:
    """The state of a module that embeds words, adds positions, runs an `nn.TransformerEncoder`
    and ends in an `nn.Linear`. What the module does besides, such as a factor on words, must be in
    the state.

    - `word`, `cls`: names of tensors in the state; `cls` is a vector of its own, and becomes the
      last word.
    - `position`: the name of the table of positions; or, if no tensor says them, a function of the
      number n of tokens that gives (n, width); or None for a network without positions.
    - `encoder`, `last`, `output`: names of modules; `last` is a norm at the end or None. `hidden`
      is a map before the output and its activation: ("head.0", "relu") and output="head.2", say.
    - `norm`, `eps`: "layer" or "rms", and what it adds under the root: 1e-5 in `nn.LayerNorm`, and
      in `nn.RMSNorm`, unless it is given another, about 1.19e-7, or 2.22e-16 in float64. Both are
      None for none, as is `pre_norm`. `last_norm`, `last_eps`: those of the last norm, where they
      are others, as those of `norm=nn.LayerNorm(d)` beside layers with a `layer_norm_eps`, or with
      bias=False. One with `elementwise_affine=False` has no tensor: add gains of 1, and biases of
      0 if the layers have some.
    - `memory`: "zeros" for an `nn.TransformerDecoder` whose memory is 0 everywhere.

    For example `from_pytorch(net.state_dict(), heads=2, activation="gelu", norm="layer", eps=1e-5,
    pre_norm=True, causal=True, last=None, encoder="encoder.", position="position.weight")`.
    """
    take = Weights(said := Said(locals()))
    encoder = said.encoder and encoder.removesuffix(".") + "."
    is_before = norm is not None and said.pre_norm
    rows = take(said.word, None, None)
    d = rows.shape[1]

    def normalized(name: str) -> Norm | None:
        return None if norm is None else take.norm(name, said.norm, said.eps, d)

    def attention(name: str) -> tuple[Linear, ...]:
        """Queries, keys, values and what becomes of them."""
        if f"{name}.in_proj_weight" in take.left:
            joint = take(f"{name}.in_proj_weight", 3 * d, d).T
        else:
            joint = torch.cat([take(f"{name}.{one}_proj_weight", d, d) for one in "qkv"]).T
        o = Linear(take(f"{name}.out_proj.weight", d, d).T, take.bias(f"{name}.out_proj.bias", d))
        return *split(Linear(joint, take.bias(f"{name}.in_proj_bias", 3 * d))), o

    def layer(name: str) -> list[TrainedLayer]:
        q, k, v, o = attention(f"{name}.self_attn")
        first = take.linear(f"{name}.linear1", d=d)
        second = take.linear(f"{name}.linear2", d=len(first.bias), out=d)
        norms = normalized(f"{name}.norm1"), normalized(f"{name}.norm2")
        if not any(one.startswith(f"{name}.multihead_attn.") for one in take.left):
            return [TrainedLayer(q, k, v, o, first, second, norms)]
        if said.memory is None:
            raise ValueError(f"{name} attends to a memory: memory='zeros' is expected, if it is 0")
        # All values of a memory of zeros are their bias, so that one vector is added to each token:
        # the bias of a feed-forward network. The layer's own follows, in a layer that attends to
        # nothing.
        *_, value, added = attention(f"{name}.multihead_attn")
        constant = Linear(torch.zeros(1, d), value.bias @ added.weight + added.bias)
        nothing = Linear(torch.zeros_like(o.weight), torch.zeros_like(o.bias))
        third = normalized(f"{name}.norm3")
        between_ = norms if not is_before else (norms[0], None)
        return [
            TrainedLayer(q, k, v, o, Linear(torch.zeros(d, 1), torch.zeros(1)), constant, between_),
            TrainedLayer(q, k, v, nothing, first, second, (None, third)),
        ]

    table = said.position
    if isinstance(position, str):
        table = take(position)  # it may be stored for a batch, (1, n, width) or (n, 1, width)
        is_of_batch = table.ndim == 3 and 1 in table.shape[:2]
        table = shaped(table.flatten(0, 1) if is_of_batch else table, take.named(position), None, d)
    layers = tuple(one for both in take.layers(f"{encoder}layers.", layer) for one in both)
    if cls is not None:
        one = take(said.cls)  # (width,), or of a batch (1, 1, width)
        rows = torch.cat([rows, shaped(one.reshape(-1, *one.shape[-1:]), take.named(cls), 1, d)])
    if hidden is not None and len(hidden) != 2:
        raise ValueError(f"hidden must be a module's name and its activation, not {hidden!r}")
    end = before = None
    if last is not None:
        if (kind := said.last_norm or said.norm) is None:
            raise ValueError(f"last_norm is expected, which says the kind of {last!r}")
        if last_norm is not None:
            take.biased.pop(False, None)  # it may have a bias where others have none
        own = said.eps if last_eps is None else said.last_eps
        end = take.norm(said.last.removesuffix(".weight"), kind, own, d)
    take.biased = {}
    if hidden is not None:
        before, take.biased = (take.linear(said.hidden[0], d=d), hidden[1]), {}
    width = d if before is None else len(before[0].bias)
    read = take.linear(said.output.removesuffix(".weight"), d=width)
    shape = (said.heads, said.activation, is_before, said.causal)
    parts = {"last": end, "hidden": before, "unsaid": () if memory is None else ("memory zeros",)}
    return take.done(TrainedNetwork(rows, layers, read, *shape, table, **parts))


@takes(heads=between(1), activation=activation, norm=one_of(NORMS), causal=flag, output=text)
@takes(model_type=one_of(GPTS))
def from_gpt2(
    state: State,
    *,
    model_type: str,
    heads: int,
    activation: str,
    norm: str,
    eps: float,
    causal: bool,
    output: str = "lm_head",
) -> TrainedNetwork:
    """A state in GPT-2's names, with or without `transformer.` in front: Hugging Face's, whose
    matrices are (in, out), or nanoGPT's, whose are (out, in). The `output` is the words' matrix
    where there is no `lm_head`, and the other way round; that of a classifier has another name,
    "score" say.

    `norm` and `eps` are as in `from_pytorch`; `causal` says whether a token sees only itself and
    those before it. Attention is scaled by the width of a head alone, not by the layer. As
    GPT-BigCode computes otherwise with tensors of these names, `model_type` says which it is:
    "gpt2" or "nanogpt". For example `from_gpt2(weights("ckpt.pt"), model_type="nanogpt", heads=4,
    activation="gelu", norm="layer", eps=1e-5, causal=True)`.
    """
    take = Weights(said := Said(locals()), "transformer.")
    tied = ("wte.weight", "lm_head.weight")
    for one, other in (tied, tied[::-1]):
        if said.output == "lm_head" and one not in take.left and other in take.left:
            take.left[one] = take.left[other]
            take.unsaid[f"{other} for {one}"] = None
    word, is_turned = take("wte.weight", None, None), said.model_type == "nanogpt"
    position = take("wpe.weight", None, d := word.shape[1])
    take.masks(len(position), said.causal)
    take.biased = {True: "GPT-2 has it"} if model_type == "gpt2" else {}

    def layer(name: str) -> TrainedLayer:
        joint = take.linear(f"{name}.attn.c_attn", is_turned, d, 3 * d)
        o = take.linear(f"{name}.attn.c_proj", is_turned, d, d)
        first = take.linear(f"{name}.mlp.c_fc", is_turned, d)
        second = take.linear(f"{name}.mlp.c_proj", is_turned, len(first.bias), d)
        before, after = (take.norm(f"{name}.ln_{k}", said.norm, said.eps, d) for k in (1, 2))
        return TrainedLayer(*split(joint), o, first, second, (before, after))

    layers, last = take.layers("h.", layer), take.norm("ln_f", said.norm, said.eps, d)
    take.biased = {}
    read, shape = take.linear(said.output, d=d), (said.heads, said.activation, True, said.causal)
    return take.done(TrainedNetwork(word, layers, read, *shape, position, last=last))


@takes(heads=between(1), key_heads=between(1), activation=activation, rotary=above_zero)
def from_llama(
    state: State,
    *,
    model_type: str,
    heads: int,
    key_heads: int,
    activation: str,
    eps: float,
    rotary: float,
) -> TrainedNetwork:
    """A state in the names of Hugging Face's Llama: RMS normalization before each sublayer, gated
    units, queries and keys turned by the base `rotary`, not scaled, and `key_heads` heads of keys
    and values for the `heads` of queries; each token sees all before it. The output is the words'
    matrix where there is no `lm_head`. As Gemma, Granite and others compute otherwise with tensors
    of these names, `model_type` says which it is: "llama", "mistral" or "qwen2".

    For example `from_llama(net.state_dict(), model_type="llama", heads=4, key_heads=2,
    activation="silu", eps=1e-6, rotary=10_000)`.
    """
    take = Weights(said := Said(locals()), "model.")
    one_of(LLAMAS)(said.model_type, "model_type")  # which compute alike
    if heads % key_heads:
        raise ValueError(f"key_heads must divide heads, {heads}, not {key_heads}")
    word = take("embed_tokens.weight", None, None)
    d = word.shape[1]
    biased: Any = {"qkv": {True: "Qwen 2 has it"} if model_type == "qwen2" else {}}
    biased |= {"o": biased["qkv"] if model_type == "llama" else {}, "mlp": {}}

    def layer(name: str) -> TrainedLayer:
        take.biased = biased["qkv"]
        q = take.linear(f"{name}.self_attn.q_proj", d=d)
        parts = (f"{name}.self_attn.{one}_proj" for one in "kv")
        k, v = (for_each_query(take, part, q, heads, said.key_heads) for part in parts)
        take.biased = biased["o"]
        o = take.linear(f"{name}.self_attn.o_proj", d=len(q.bias), out=d)
        take.biased = biased["mlp"]
        gate = take.linear(f"{name}.mlp.gate_proj", d=d)
        up = take.linear(f"{name}.mlp.up_proj", d=d, out=len(gate.bias))
        down = take.linear(f"{name}.mlp.down_proj", d=len(gate.bias), out=d)
        first = take.norm(f"{name}.input_layernorm", "rms", said.eps, d)
        second = take.norm(f"{name}.post_attention_layernorm", "rms", said.eps, d)
        return TrainedLayer(q, k, v, o, up, down, (first, second), gate)

    layers, last = take.layers("layers.", layer), take.norm("norm", "rms", said.eps, d)
    if "lm_head.weight" not in take.left:
        take.left["lm_head.weight"] = word
        take.unsaid["embed_tokens.weight for lm_head.weight"] = None
    take.biased = {}
    output = take.linear("lm_head", d=d)
    shape, parts = (said.heads, said.activation, True, True), {"rotary": said.rotary, "last": last}
    return take.done(TrainedNetwork(word, layers, output, *shape, **parts))


@takes(file=an(str, Path))
def weights(file: str | Path) -> dict[str, Tensor]:
    """The tensors, by name, of a state that safetensors or `torch.save` wrote; or ValueError."""
    if Path(file).is_dir():
        raise ValueError(f"{file} is a folder, which from_folder reads; a file is expected")
    try:
        is_safe = Path(file).suffix == ".safetensors"
        return opened(load_file(file) if is_safe else torch.load(file, "cpu", weights_only=True))
    except Exception as error:  # whatever a broken file raises
        is_plain = isinstance(error, OSError | TypeError | ValueError)
        reason = str(error) if is_plain else "not a file of tensors"
        known = "as what safetensors or torch.save wrote"
        raise ValueError(f"{file} is not read, {known}: {reason}") from error


# What of config.json is held to one value, what else it may hold, and other names of it.
KNOWN = yaml.safe_load(Path(__file__).with_name("configurations.yaml").read_text(encoding="utf-8"))


@takes(folder=an(str, Path))
def from_folder(folder: str | Path) -> TrainedNetwork:
    """A folder with `config.json` and `model.safetensors`, in no shards, as Hugging Face writes
    them for GPT-2, Llama, Mistral and Qwen 2: after `net.save_pretrained("saved")` it is "saved".
    """
    folder = Path(folder)
    if folder.is_file():
        raise ValueError(f"{folder} is a file, which weights reads; a folder is expected")
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        an(dict)(config, "config.json")
        if (folder / "adapter_config.json").exists():
            raise ValueError("it holds an adapter, which Hugging Face adds: merge it first")
        state = opened(load_file(folder / "model.safetensors"))
        floats = {x.dtype for x in state.values() if x.is_floating_point()}
        types = {str(one).removeprefix("torch."): one for one in floats}
        named = {name: config[name] for name in ("dtype", "torch_dtype") if config.get(name)}
        for name, said in named.items() if types else ():
            cast = types[str(one_of(types)(said, name))]
            lost = [k for k, x in state.items() if not torch.equal(x.to(cast).double(), x.double())]
            if lost:
                raise ValueError(f"{name} {said} would round the tensor {lost[0]!r}")
        if len(types) > 1 and not named:
            raise ValueError(f"tensors of one type are expected, or a dtype, not {sorted(types)}")
        return from_configuration(state, config)
    except (OSError, TypeError, ValueError, SafetensorError) as error:
        raise ValueError(f"{folder} is not read: {error}") from error


def from_configuration(state: State, config: dict[str, Any]) -> TrainedNetwork:
    """The same of a state and of what `config.json` holds."""
    kind = one_of(("gpt2", *LLAMAS))(config.get("model_type"), "model_type")
    is_gpt2 = kind == "gpt2"
    known = {*KNOWN["others"].split(), *KNOWN["gpt2" if is_gpt2 else "llama"]}
    if strange := sorted(key for key in config.keys() - known if config[key] is not None):
        raise ValueError(
            f"config.json has the key {strange[0]!r}, which may make another network: take it "
            "out if it does not"
        )
    if "lm_head.bias" in state:
        raise ValueError("no tensor 'lm_head.bias' is expected")
    if is_gpt2:
        again = {one: config[x] for x, one in KNOWN["again"].items() if x in config}
        config = again | config
        _expected(config, again)
    network = (_gpt2 if is_gpt2 else _llama)(state, config)
    layers, width = ("n_layer", "n_embd") if is_gpt2 else ("num_hidden_layers", "hidden_size")
    sizes = {layers: len(network.layers), width: network.width, "vocab_size": len(network.word)}
    _expected({layers: None} | config, sizes)  # a lost layer shows in no other size
    shaped(network.output.weight, "the transposed 'lm_head.weight'", *network.word.T.shape)
    is_tied = torch.equal(network.output.weight, network.word.T)
    _expected({"tie_word_embeddings": is_gpt2, **config}, {"tie_word_embeddings": is_tied})
    return network


def _expected(config: dict[str, Any], expected: dict[str, Any]) -> None:
    """Holds a configuration to what these readers read."""
    for name, value in expected.items():
        if config.get(name, value) != value:
            raise ValueError(f"{name} must be {value!r}, not {config[name]!r}")


def _gpt2(state: State, config: dict[str, Any]) -> TrainedNetwork:
    """By its type the model is causal and has layer normalization."""
    _expected(config, KNOWN["gpt2"])
    names = {"heads": "n_head", "activation": "activation_function", "eps": "layer_norm_epsilon"}
    shape: dict[str, Any] = {name: config.get(theirs) for name, theirs in names.items()}
    return from_gpt2(state, model_type="gpt2", norm="layer", causal=True, **shape)


def _llama(state: State, config: dict[str, Any]) -> TrainedNetwork:
    """Newer files say how tokens turn in `rope_parameters`, older ones in `rope_theta`."""
    _expected(config, KNOWN["llama"])
    turning = an(dict)(config.get("rope_parameters") or {}, "rope_parameters")
    turning = {**turning, "rope_theta": turning.get("rope_theta", config.get("rope_theta"))}
    _expected(config, {"rope_theta": turning["rope_theta"]})
    turns = turning.get("rope_type", turning.get("type", "default"))
    if turns != "default" or turning.keys() - {"rope_theta", "rope_type", "type"}:
        raise ValueError(f"rope_parameters must hold rope_theta alone, not {turning}")
    kind, window = config["model_type"], config.get("sliding_window", "one where it is not named")
    has_window = kind == "mistral" or (kind == "qwen2" and config.get("use_sliding_window", True))
    if has_window and window is not None:
        raise ValueError(f"sliding_window must be None, not {window}")
    if {*(config.get("layer_types") or ())} - {"full_attention"}:
        raise ValueError(f"layer_types must be full_attention, not {config['layer_types']}")
    heads = config.get("num_attention_heads")
    shape: dict[str, Any] = {
        "heads": heads,
        "key_heads": config.get("num_key_value_heads", heads),
        "activation": config.get("hidden_act"),
        "eps": config.get("rms_norm_eps"),
        "rotary": turning.get("rope_theta"),
    }
    own, units = (kind == "llama" and config.get(f"{one}_bias") for one in ("attention", "mlp"))
    for part, is_biased in (("q", own or kind == "qwen2"), ("o", own), ("gate", units)):
        if any(f".{part}_proj.bias" in name for name in state) != bool(is_biased):
            expected = "a" if is_biased else "no"
            raise ValueError(f"by config.json {expected} tensor '{part}_proj.bias' is expected")
    network = from_llama(state, model_type=kind, **shape)
    width = len(network.layers[0].q.bias) // network.heads
    usual = network.width // network.heads  # where it is not said
    _expected({"head_dim": usual} | {k: v for k, v in config.items() if v}, {"head_dim": width})
    return network


@takes(activation=optional(activation), normalization_type=optional(one_of(LENS_NORMS)))
@takes(attn_scale=optional(above_zero), heads=optional(between(1)), causal=flag)
@takes(inside=optional(one_of(("gpt2", "native"))))
def from_transformer_lens(
    state: State,
    *,
    activation: str | None,
    normalization_type: str | None,
    eps: float | None,
    causal: bool,
    attn_scale: float | None,
    heads: int | None = None,
    inside: str | None = None,
) -> TrainedNetwork:
    """The state of a HookedTransformer, or of a TransformerBridge (TransformerLens from 3.0 on).

    - `activation`, `normalization_type`, `eps`: what its configuration calls `act_fn`,
      `normalization_type` and `eps`; None without an MLP, or without normalization.
    - `causal`: whether its `attention_dir` is "causal"; the stored mask is the same in either case.
    - `attn_scale`: what logits are divided by: None for the root of a head's width, which is usual,
      and 1 where `use_attn_scale` of a HookedTransformer is False.
    - `heads` and `inside`: of a bridge, whose tensors do not say it. `inside` is "gpt2" around
      Hugging Face's GPT-2, which stores the maps after attention and of the MLP as (in, out), and
      "native" if `boot_native` made the bridge.

    What its tensors do not show is taken as usual: attention, then the MLP, if it has one; no caps
    on logits, nothing for distance (ALiBi), and one scale in all layers; positions added to words
    once, not to queries (shortformer); a last norm like the others. For example
    `from_transformer_lens(weights("net.pt"), activation="relu", normalization_type="LN", eps=1e-5,
    causal=True, attn_scale=None)`.
    """
    take = Weights(said := Said(locals()))
    take.biased = {True: "TransformerLens has it"}
    is_bridge = "embed.weight" in take.left
    kind = None if normalization_type is None else LENS_NORMS[said.normalization_type]
    is_folded = str(normalization_type).endswith("Pre")
    word = take("embed.weight" if is_bridge else "embed.W_E", None, None)
    d, places = word.shape[1], "pos_embed.weight" if is_bridge else "pos_embed.W_pos"
    position = take(places, None, d)
    take.masks(len(position))
    if is_bridge and None in (heads, inside):
        raise ValueError("heads and inside are expected, which the names of a bridge do not say")
    is_turned = is_bridge and said.inside != "gpt2"
    named = said.activation if any(".mlp." in one for one in take.left) else "identity"
    if named is None:
        raise ValueError("activation is expected, as there is an MLP")
    queries = take.left.get("blocks.0.attn.W_Q")
    known = heads or 0 if queries is None else len(queries) if queries.ndim else 0
    if said.heads not in (None, known):
        raise ValueError(f"heads must be {known}, as the tensors say, not {heads}")

    def normalization(name: str) -> Norm | None:
        if kind is None:
            return None
        if not is_folded:
            return take.norm(name, kind, said.eps, d, *("" if is_bridge else "wb"))
        one = torch.ones(d, dtype=torch.float64)
        return Norm(one, torch.zeros_like(one), said.eps, kind)

    def projection(name: str, letter: str, width: int | None = None) -> Linear:
        """Queries, keys or values of all heads."""
        if is_bridge:
            return take.linear(f"{name}.attn.{letter.lower()}", d=d, out=width)
        weight = take(f"{name}.attn.W_{letter}", known, d, width and width // known)
        bias = take.bias(f"{name}.attn.b_{letter}", known, weight.shape[2])
        return Linear(weight.transpose(0, 1).flatten(1), bias.flatten())

    def map_(module: str, letters: str, width: int, out: int | None) -> Linear:
        """A map that a bridge calls by its module, and the other by its matrix and bias."""
        if is_bridge:
            return take.linear(module, is_turned or module == "unembed", width, out)
        part = module.removesuffix(f".{letters.lower()}")
        sizes = (known, width // known, out) if letters == "O" else (width, out)
        matrix = take(f"{part}.W_{letters}", *sizes).flatten(0, -2)
        return Linear(matrix, take.bias(f"{part}.b_{letters}", matrix.shape[1]))

    def layer(name: str) -> TrainedLayer:
        q = projection(name, "Q")
        k, v = (projection(name, letter, len(q.bias)) for letter in "KV")
        o = map_(f"{name}.attn.o", "O", len(q.bias), d)
        first = second = None
        if any(one.startswith(f"{name}.mlp.") for one in take.left):
            first = map_(f"{name}.mlp.in", "in", d, None)
            second = map_(f"{name}.mlp.out", "out", len(first.bias), d)
        after = normalization(f"{name}.ln2") if first else None
        return TrainedLayer(q, k, v, o, first, second, (normalization(f"{name}.ln1"), after))

    layers, last = take.layers("blocks.", layer), normalization("ln_final")
    output = map_("unembed", "U", d, None)
    shape = (known, named, True, said.causal, position)
    parts = {"last": last, "attention_scale": attn_scale and 1 / said.attn_scale}
    return take.done(TrainedNetwork(word, layers, output, *shape, **parts))
