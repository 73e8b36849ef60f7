"""Networks that were trained elsewhere, read by the names of their weights: PyTorch's encoder,
GPT-2 as Hugging Face stores it, nanoGPT, TransformerLens.

What tensors do not say is an argument without a default. A tensor that is missing, or that nothing
reads, is an error that names it.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from lib.checks import an, between, flag, mapping, one_of, optional, takes, text
from lib.trained.network import (
    ACTIVATIONS,
    NORMS,
    Linear,
    Norm,
    TrainedLayer,
    TrainedNetwork,
    shaped,
)

State = Mapping[str, Tensor]
MASKS = (".attn.bias", ".attn.mask")  # which older files store, and
HIDDEN = (".attn.masked_bias", ".attn.IGNORE")  # what stands in a hidden place,
FAR = -1e4  # at most: so far below all logits that nothing of it is left
SHOWN = 12  # names of tensors in a message


class Weights:
    """Tensors by name, in float64, each taken once."""

    def __init__(self, state: State):
        mapping(Tensor)(state, "state")
        self.left = dict(state)

    def masks(self, causal: bool = True) -> None:
        """Takes the masks that are stored beside a head's weights; ValueError for one that is not 1
        for tokens up to the present one and 0 for later ones, for a number in hidden places that
        hides nothing, and for `causal` that contradicts them.
        """
        for name in [name for name in self.left if name.endswith((*MASKS, *HIDDEN))]:
            if not any(other.startswith(f"{name.rpartition('.')[0]}.") for other in self.heads()):
                continue  # of a layer that is not there: a tensor that nothing reads
            value = self.left.pop(name).detach().cpu().double()
            if name.endswith(HIDDEN):
                if value.numel() != 1 or not float(value) <= FAR:
                    raise ValueError(f"the tensor {name!r} is expected to be at most {FAR:g}")
                continue
            rows = value.reshape(-1, *value.shape[-2:]) if value.ndim > 1 else value[None, None]
            is_mask = rows.numel() > 0 and torch.equal(rows, torch.ones_like(rows).tril())
            if not causal or not is_mask:
                raise ValueError(
                    f"the tensor {name!r} is expected to hide later tokens alone, and causal "
                    f"to be True then, not {causal}"
                )

    def heads(self) -> list[str]:
        """The names of tensors beside which a mask may stand."""
        return [name for name in self.left if not name.endswith((*MASKS, *HIDDEN))]

    def __call__(self, name: str) -> Tensor:
        if name not in self.left:
            raise ValueError(f"a tensor {name!r} is expected among {self}")
        stored = self.left.pop(name).detach()
        if stored.is_complex():
            raise ValueError(f"the tensor {name!r} must be real")
        value = stored.double().clone()  # what is done to the module afterwards changes nothing
        if not value.isfinite().all():
            raise ValueError(f"the tensor {name!r} must be finite")
        return value

    def __str__(self) -> str:
        names = sorted(self.left, key=len)
        return ", ".join(names[:SHOWN]) + " and others" * (len(names) > SHOWN) or "none"

    def bias(self, name: str, like: Tensor) -> Tensor:
        """A vector that may be absent, and is 0 then."""
        none = torch.zeros(like.shape[-1], dtype=torch.float64)
        return self(name) if name in self.left else none

    def linear(self, name: str, is_turned: bool = True) -> Linear:
        """A linear map; most code stores its matrix as (out, in)."""
        weight = self(f"{name}.weight")
        weight = weight.T if is_turned else weight
        return Linear(weight, self.bias(f"{name}.bias", weight))

    def norm(self, name: str, eps: float, kind: str) -> Norm:
        """A normalization of that kind."""
        weight, bias = self(f"{name}.weight"), f"{name}.bias"
        if kind == "rms" and bias in self.left:
            raise ValueError(f"RMS normalization has no bias, but there is a tensor {bias!r}")
        return Norm(weight, self.bias(bias, weight), eps, kind)

    def layers(self, prefix: str, read: Callable[[str], TrainedLayer]) -> tuple[TrainedLayer, ...]:
        """What `read` makes of each layer whose name begins so."""
        known = [name for name in self.left if name.startswith(prefix)]
        found = {name.removeprefix(prefix).split(".")[0] for name in known}
        if not found:
            raise ValueError(f"tensors named {prefix}0... are expected among {self}")
        return tuple(read(f"{prefix}{number}") for number in range(len(found)))

    def done(self, network: TrainedNetwork) -> TrainedNetwork:
        """The network, if every tensor was read."""
        if self.left:
            raise ValueError(f"nothing reads the tensor {next(iter(self.left))!r}")
        return network


def split(joint: Linear) -> tuple[Linear, Linear, Linear]:
    """Queries, keys and values that stand side by side in one matrix."""
    q, k, v = map(Linear, joint.weight.chunk(3, -1), joint.bias.chunk(3, -1))
    return q, k, v


@takes(heads=between(1), activation=one_of(ACTIVATIONS), norm=one_of(NORMS))
@takes(pre_norm=flag, causal=flag, position=optional(text), last=optional(text))
@takes(word=text, output=text)
def from_pytorch(
    state: State,
    *,
    heads: int,
    activation: str,
    norm: str,
    eps: float,
    pre_norm: bool,
    causal: bool,
    word: str = "word.weight",
    output: str = "output",
    encoder: str = "",
    position: str | None = None,
    positions: Callable[[int], Tensor] | None = None,
    last: str | None = None,
) -> TrainedNetwork:
    """The state of a module that embeds words, adds positions, runs an `nn.TransformerEncoder`
    and ends in an `nn.Linear`. `word`, `position`, `encoder`, `last` and `output` are the names of
    these in the state, the first two of tensors, the others of modules; `positions` are those that
    no tensor says, a function of the number n of tokens that gives (n, width). What the module does
    besides, such as a factor on words, must be in the state.

    `norm` is "layer" or "rms", and `eps` what it adds under the root: 1e-5 in `nn.LayerNorm`, and
    in `nn.RMSNorm`, unless it is given another, `torch.finfo(dtype).eps`, about 1.19e-7 in float32.
    """
    take, encoder = Weights(state), encoder and encoder.removesuffix(".") + "."

    def layer(name: str) -> TrainedLayer:
        weight = take(f"{name}.self_attn.in_proj_weight").T
        joint = Linear(weight, take.bias(f"{name}.self_attn.in_proj_bias", weight))
        parts = ("self_attn.out_proj", "linear1", "linear2")
        o, first, second = (take.linear(f"{name}.{part}") for part in parts)
        norms = take.norm(f"{name}.norm1", eps, norm), take.norm(f"{name}.norm2", eps, norm)
        return TrainedLayer(*split(joint), o, first, second, norms)

    table = positions if position is None else take(position)
    if isinstance(table, Tensor) and table.ndim == 3 and 1 in table.shape[:2]:
        table = table.flatten(0, 1)  # it is stored for a batch, (1, n, width) or (n, 1, width)
    layers, rows = take.layers(f"{encoder}layers.", layer), take(word)
    read = take.linear(output.removesuffix(".weight"))
    end = None if last is None else take.norm(last.removesuffix(".weight"), eps, norm)
    return take.done(
        TrainedNetwork(rows, layers, read, heads, activation, pre_norm, causal, table, last=end)
    )


@takes(heads=between(1), activation=one_of(ACTIVATIONS), norm=one_of(NORMS), causal=flag)
def from_gpt2(
    state: State, *, heads: int, activation: str, norm: str, eps: float, causal: bool
) -> TrainedNetwork:
    """A state in GPT-2's names, with or without `transformer.` in front: Hugging Face's, whose
    matrices are (in, out), or nanoGPT's, whose are (out, in); which of the two, the shape of the
    joint one says. The output is the words' matrix where there is no `lm_head`.

    `norm` and `eps` are as in `from_pytorch`; `causal` says whether a token sees only itself and
    those before it. Attention is scaled by the width of a head alone, not by the layer.
    """
    mapping(Tensor)(state, "state")
    plain = (name.removeprefix("_orig_mod.").removeprefix("transformer.") for name in state)
    take = Weights(dict(zip(plain, state.values(), strict=True)))
    take.masks(causal)
    word = shaped(take("wte.weight"), "the tensor 'wte.weight'", None, None)
    position = take("wpe.weight")

    def layer(name: str) -> TrainedLayer:
        rows = len(take.left.get(f"{name}.attn.c_attn.weight", word))
        parts = ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
        joint, o, first, second = (
            take.linear(f"{name}.{part}", is_turned=rows != word.shape[1]) for part in parts
        )
        norms = take.norm(f"{name}.ln_1", eps, norm), take.norm(f"{name}.ln_2", eps, norm)
        return TrainedLayer(*split(joint), o, first, second, norms)

    layers, last = take.layers("h.", layer), take.norm("ln_f", eps, norm)
    take.left.setdefault("lm_head.weight", word)
    output = take.linear("lm_head")
    return take.done(
        TrainedNetwork(word, layers, output, heads, activation, True, causal, position, last=last)
    )


@takes(file=an(str, Path))
def weights(file: str | Path) -> dict[str, Tensor]:
    """The tensors in a file that safetensors or `torch.save` wrote, by name; ValueError for another
    file, and for one that holds more than tensors by name.
    """
    try:
        is_safe = Path(file).suffix == ".safetensors"
        state = load_file(file) if is_safe else torch.load(file, "cpu", weights_only=True)
        return {**mapping(Tensor)(state, "what the file holds")}
    except (OSError, EOFError, KeyError, RuntimeError, TypeError) as error:
        raise ValueError(f"{file} is not read: {error}") from error
    except (UnpicklingError, SafetensorError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{file} holds no tensors by name: {reason}") from error


@takes(folder=an(str, Path))
def gpt2(folder: str | Path) -> TrainedNetwork:
    """A folder with GPT-2's `config.json` and `model.safetensors`, as Hugging Face writes them: by
    its type the model is causal and has layer normalization.
    """
    folder = Path(folder)
    usual = {"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False}
    names = ("n_head", "activation_function", "layer_norm_epsilon")
    try:
        config = {**usual, **json.loads((folder / "config.json").read_text(encoding="utf-8"))}
        for name, value in {"model_type": "gpt2", **usual}.items():
            if config.get(name) != value:
                raise ValueError(f"{name} must be {value!r}, not {config.get(name)!r}")
        said: list[Any] = [config.get(name) for name in names]
        heads, activation, eps = said
        state = load_file(folder / "model.safetensors")
        for name in state:
            if "ln_" in name and (bias := name.replace(".weight", ".bias")) not in state:
                raise ValueError(f"a tensor {bias!r} is expected, as in layer normalization")
        shape = {"heads": heads, "activation": activation, "eps": eps}
        return from_gpt2(state, **shape, norm="layer", causal=True)
    except (OSError, TypeError, ValueError, SafetensorError) as error:
        raise ValueError(f"{folder} is not read: {error}") from error


@takes(activation=one_of(ACTIVATIONS), causal=flag)
def from_transformer_lens(
    state: State, *, activation: str, eps: float, causal: bool
) -> TrainedNetwork:
    """The state of a HookedTransformer whose layer normalization is not folded into other weights:
    one that was loaded with `fold_ln=False`, or trained with `normalization_type="LN"`. `causal`
    says whether its `attention_dir` is "causal"; the stored mask is the same in either case. What
    its tensors do not show is taken as usual: scaled attention, then the MLP, positions added to
    words once.
    """
    take = Weights(state)
    take.masks()
    if not {"blocks.0.ln1.w", "blocks.0.ln1.b"} <= take.left.keys():
        network = "a folded layer normalization, or RMS's, is another network"
        raise ValueError(f"blocks.0.ln1.w and blocks.0.ln1.b are expected: {network}")
    word, heads = take("embed.W_E"), len(take.left.get("blocks.0.attn.W_Q", ()))

    def layer_norm(name: str) -> Norm:
        return Norm(take(f"{name}.w"), take(f"{name}.b"), eps)

    def layer(name: str) -> TrainedLayer:
        def side_by_side(kind: str) -> Linear:
            weight = take(f"{name}.attn.W_{kind}").transpose(0, 1).flatten(1)
            return Linear(weight, take(f"{name}.attn.b_{kind}").flatten())

        o = Linear(take(f"{name}.attn.W_O").flatten(0, 1), take(f"{name}.attn.b_O"))
        first = Linear(take(f"{name}.mlp.W_in"), take(f"{name}.mlp.b_in"))
        second = Linear(take(f"{name}.mlp.W_out"), take(f"{name}.mlp.b_out"))
        norms = layer_norm(f"{name}.ln1"), layer_norm(f"{name}.ln2")
        q, k, v = map(side_by_side, "QKV")
        return TrainedLayer(q, k, v, o, first, second, norms)

    layers, last = take.layers("blocks.", layer), layer_norm("ln_final")
    output, position = Linear(take("unembed.W_U"), take("unembed.b_U")), take("pos_embed.W_pos")
    return take.done(
        TrainedNetwork(word, layers, output, heads, activation, True, causal, position, last=last)
    )
