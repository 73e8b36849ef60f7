"""A trained network on given strings, and beside the module that it was read from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from itertools import groupby
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from lib.checks import above_zero, an, check_string, many, one_of, optional, takes, text
from lib.trained.arithmetic import Bounded, Floats
from lib.trained.audit import ROWS, SINGLE, Reader, by_balls, decided, given, sign
from lib.trained.network import Classes, Judged, NextTokens
from lib.trained.passes import outputs
from lib.trained.published import (
    MASKS,
    from_configuration,
    from_pytorch,
    from_transformer_lens,
    opened,
)

ACTIVATIONS = {functional.relu: "relu", functional.gelu: "gelu", functional.silu: "silu"}
ACTIVATIONS |= {torch.relu: "relu", torch.tanh: "tanh"}  # and modules, as they show
ACTIVATIONS |= {"ReLU()": "relu", "ReLU(inplace=True)": "relu", "SiLU()": "silu", "Tanh()": "tanh"}
ACTIVATIONS |= {"GELU(approximate='none')": "gelu", "GELU(approximate='tanh')": "gelu_new"}
NORMS = {nn.LayerNorm: "layer", nn.RMSNorm: "rms"}
ROUNDING = {torch.float64: 1e-9, torch.float32: 2e-6}  # of types, and of those of 16 bits
ROUGH = 1e-2
FLOATS = 1e-5  # within which outputs are held to what floats can differ by, string by string
ALONE = 8  # strings of those of one length, at most `ROWS`, are asked by themselves too
TIMES = 8  # as much as float32 changes the network that was read may it change the module


@takes(judged=Judged, words=many(text))
def logits(judged: Judged, words: Sequence[str]) -> Tensor:
    """The outputs for each of these strings in float64, (strings, outputs): what the module itself
    says of them, if it was read as it is. ValueError for another symbol, and for a string that has
    no token or more tokens than positions.
    """
    every = [given(judged, [check_string(w, judged.alphabet)]) for w in words]
    none = torch.empty(0, judged.network.output.weight.shape[1], dtype=torch.float64)
    return torch.cat([none, *(outputs(judged, rows, Floats())[0] for rows in every)])


@takes(judged=Judged, words=many(text), within=optional(above_zero))
def agrees_with(
    judged: Judged,
    module: Callable[[Tensor], Any],
    words: Sequence[str],
    within: float | None = None,
) -> float:
    """The largest difference between the outputs of a network as it was read and those of the
    module itself, on these strings, each in parts of its own size: its bias, and what the largest
    of these outputs would be with its weights. Every symbol must occur, and two of them in one
    string; one should be as long as those that are judged, since a window, say, shows in no shorter
    one. ValueError for the first difference of more than `within`: then an argument of the reader
    is wrong, the module is in training, or its `forward` does what no weight shows. None stands for
    what floats explain: 1e-9 in float64, in 16 bits a rough 1e-2, and in float32 2e-6 and 8 times
    as much as float32 changes the network that was read; up to 1e-5, no more than floats can.

    The module computes as it does, in its own type, so what changes these outputs by less is not
    seen: in float32 a wrong ε may be accepted, and in 16 bits another GELU. The same module after
    `double()` shows more, unless that changes an ε that depends on the type.

    `module` takes tokens, (strings, tokens), those before and after a string among them, and gives
    outputs of shape (strings, outputs), or (strings, tokens, outputs) from which those at `read_at`
    are taken; Hugging Face has them in `logits`, and a tuple, as nanoGPT gives, at its beginning.
    It is asked without gradients and with them, and then without PyTorch's fast path, which leaves
    out what a subclass adds to a layer.
    """
    symbols, least = {*judged.alphabet}, min(2, len(judged.alphabet))
    is_mixed = any(len(w) > 1 and len({*w}) >= least for w in words)
    if not is_mixed or symbols - {*"".join(words)}:
        raise ValueError(
            f"strings in which each of {', '.join(judged.alphabet)} occurs are expected, and two"
            f"{' different' * (least - 1)} symbols in one of them, not {[*words]} alone"
        )
    beside = Beside(module, within, sizes(judged, words))
    return max(beside(judged, [w], logits(judged, [w])) for w in words)


@dataclass
class Beside:
    """A module beside the network that was read from it. Their outputs are compared as
    `agrees_with` says, `within` what; `known` are `sizes` of other strings. `asked` has every
    string that was put to it, and whether the module tells nothing of how it is decided.
    """

    module: Callable[[Tensor], Any]
    within: float | None
    known: tuple[float, float]
    asked: dict[str, bool] = field(default_factory=dict)

    def __call__(
        self, judged: Judged, words: Any, ours: Tensor, above: Any = False, may: Any = None
    ):
        """The largest difference on strings of one length. The module tells something where outputs
        that differ by no more than is allowed decide as the real numbers do, of which `above` says
        whether they are above 0, and `may`, if not None, which outputs may be the largest.
        """
        fast = torch.backends.mha.get_fastpath_enabled()
        try:
            most, off = self.compared(False, judged, words, ours)
            torch.backends.mha.set_fastpath_enabled(False)  # for frozen modules too
            again, more = self.compared(True, judged, words, ours)
        finally:
            torch.backends.mha.set_fastpath_enabled(fast)
        _, low, high = decided(judged, (ours, torch.maximum(off, more)), may)
        left = (~torch.where(torch.as_tensor(above), low > 0, high < 0).all(-1)).tolist()
        self.asked |= {w: x or bool(self.asked.get(w)) for w, x in zip(words, left)}
        return max(most, again)

    def __str__(self) -> str:
        asked = f"the module itself was asked about {len(self.asked):,} strings"
        left = sum(self.asked.values())
        tells = f"; of {left:,} it tells nothing: so small a difference may change the decision"
        return f"{asked}, and no output differs by more than allowed" + tells * bool(left)

    def compared(
        self, gradients: bool, judged: Judged, words: Sequence[str], ours: Tensor
    ) -> tuple[float, Tensor]:
        """By how much outputs differ at most, and by how much each may; ValueError for the first
        that differs by more. The module gets strings one by one if it takes no more at once;
        otherwise `ALONE` of them, evenly from the first to the last, once more alone.
        """
        output, most, every = judged.network.output, 0.0, list[Tensor]()
        module, within, known = self.module, self.within, self.known
        for start in range(0, len(words), step := max(1, ROWS // ours.shape[1])):
            asked, mine = words[start : start + step], ours[start : start + step]
            with torch.set_grad_enabled(gradients):
                try:
                    theirs = _read(judged, module, asked).detach().clone()
                except ValueError:
                    theirs = torch.cat([_read(judged, module, [w]).detach() for w in asked])
                for k in {(len(asked) - 1) * k // (ALONE - 1) for k in range(ALONE) if asked[1:]}:
                    [one] = _read(judged, module, [asked[k]]).detach()
                    is_nearer = (one - mine[k]).abs() <= (theirs[k] - mine[k]).abs()
                    theirs[k] = torch.where(is_nearer | theirs[k].isnan(), theirs[k], one)
            weight, off = output.weight.norm(dim=0), (mine - theirs).abs()
            size = max(known[0], float(((mine - output.bias).abs() / weight).nan_to_num(0).max()))
            scale = size * weight + output.bias.abs()  # -1e9 of a token that is never meant
            allowed = (ROUNDING.get(theirs.dtype, ROUGH) if within is None else within) * scale
            if within is None and theirs.dtype == torch.float32 and bool((off > allowed).any()):
                lost = max(known[1], sizes(judged, asked)[1])
                allowed += weight * min(TIMES * lost, ROUGH * size)
            if theirs.dtype in ROUNDING and (within is None or within <= FLOATS):
                unit = SINGLE if within or theirs.dtype == torch.float32 else 2.0**-53
                _, bound = outputs(judged, given(judged, asked), Bounded(unit))
                allowed = torch.minimum(allowed, 2 * bound.nan_to_num(torch.inf))  # ours and theirs
            for row, k in (~(off <= allowed)).nonzero()[:1].tolist():  # also where one is no number
                reason = "an argument of the reader is wrong, or forward does what no weight shows"
                if bool((off <= ROUNDING[torch.float32] * scale).all()):
                    reason = "so small a difference may come from a part in float32, or another eps"
                types = {theirs.dtype, *(x.dtype for x in getattr(module, "parameters", tuple)())}
                fine = "1e-4" if torch.float32 in types else "1e-5"
                much = "0.1" if types - {*ROUNDING} else fine
                if getattr(module, "training", False):
                    reason = f"the module is in training, which eval() ends, or {reason}"
                raise ValueError(
                    f"output {k} of {asked[row]!r} is {float(theirs[row, k]):.12g} by the module"
                    f"{' with gradients' * gradients} and {float(mine[row, k]):.12g} by the "
                    f"network that was read: {reason}; a module that rounds more agrees "
                    f"within={much}, say"
                )
            every.append(allowed)
            most = max(most, float((off / torch.where(scale > 0, scale, 1)).max()))
        return most, torch.cat(every)


def sizes(judged: Judged, words: Sequence[str]) -> tuple[float, float]:
    """The largest output less its bias, and the most that float32 changes one, for unit weights."""
    output, single = judged.network.output, Floats(torch.float32)
    ours = logits(judged, words)
    theirs = torch.cat([outputs(judged, given(judged, [w]), single)[0] for w in words])
    parts = torch.stack([ours - output.bias, theirs - ours]) / output.weight.norm(dim=0)
    size, lost = parts.nan_to_num(0, 0, 0).abs().amax((1, 2)).tolist()
    return size or 1.0, lost


def _read(judged: Judged, module: Callable[[Tensor], Any], words: Sequence[str]) -> Tensor:
    """The outputs of a module that decide strings of one length, (strings, outputs)."""
    own = next(module.parameters(), None) if isinstance(module, nn.Module) else None
    rows = given(judged, words)
    try:
        found: Any = module(rows if own is None else rows.to(own.device))
    except Exception as error:  # whatever forward may raise
        raise ValueError(f"the module itself fails on {words[0]!r}: {error}") from error
    found = found[0] if isinstance(found, tuple) else getattr(found, "logits", found)
    an(Tensor)(found, "what the module gives")
    if found.ndim == 3:
        if judged.read_at == "mean" and judged.network.hidden:
            raise ValueError("the module's outputs of the mean are expected, not of each token")
        place: Any = {"first": 0, "last": -1}.get(str(judged.read_at), judged.read_at)
        found = found.mean(1) if place == "mean" else found[:, place]
    if found.ndim < 2:  # after squeeze()
        found = found.reshape((1, -1) if len(words) == 1 else (-1, 1))
    shape = (len(words), judged.network.output.weight.shape[1])
    if found.shape != shape or not found.is_floating_point():
        given_ = f"{found.dtype} of shape {tuple(found.shape)}"
        raise ValueError(f"{shape} floats are expected of the module, not {given_}")
    return found.cpu()


@takes(module=nn.Module, words=many(text))
def from_module(module: nn.Module, words: Sequence[str], **said: Any) -> Judged:
    """A module of Hugging Face or TransformerLens, or one around a single `nn.TransformerEncoder`
    or decoder, after `eval()`: read, and on these strings compared, as `agrees_with` does. The
    strings that are decided later are put to it too, and end in the same ValueError: those of one
    length together, and of up to 4,096 of them eight alone. `said` is what `Judged` takes besides a
    network, `within`, and what a reader asks for and the module does not say: around an encoder
    `causal`, `position`, and the names of its other parts.
    `left_out` names tensors that no output needs, such as a mask that `causal` says. For example
    `from_module(net, ["", "01"], causal=True, position="position.weight",
    tokens={"0": 0, "1": 1}, decides=Positive(), before=(2,))`.
    """
    within, plain = said.pop("within", None), cast("Any", module)
    parallel = nn.DataParallel | nn.parallel.DistributedDataParallel
    while (is_parallel := isinstance(plain, parallel)) or hasattr(plain, "_orig_mod"):  # compiled
        plain = plain.module if is_parallel else plain._orig_mod
    stored = plain.state_dict()
    left_out = many(one_of(stored))(said.pop("left_out", ()), "left_out")
    state = {name: x for name, x in stored.items() if name not in left_out}
    kinds = {one.__module__.split(".")[0] for one in type(plain).mro()}
    is_wide = any(getattr(x, "dtype", None) == torch.float64 for x in state.values())
    config: Any = getattr(plain, "cfg", getattr(plain, "config", None))
    if "transformers" in kinds:
        reader, known = from_configuration, {"config": config.to_diff_dict()}
    elif "transformer_lens" in kinds:
        if not getattr(config, "use_local_attn", False):  # no window: since 3.9 masks are empty
            state = {k: x for k, x in state.items() if x.numel() or not k.endswith(MASKS)}
        reader, kind = from_transformer_lens, config.normalization_type
        known = {"normalization_type": kind, "eps": None if kind is None else config.eps}
        has_mlp = any(".mlp." in name for name in state)
        known |= {"activation": config.act_fn if has_mlp else None, "heads": config.n_heads}
        if config.use_attn_scale:  # where it is False, versions differ in what they divide by
            known["attn_scale"] = config.attn_scale if config.attn_scale > 0 else None
        known["causal"], is_rms = config.attention_dir == "causal", "RMS" in str(kind)
        if within is None and is_rms and is_wide:
            within = 1e-6  # which is in float32
        if "embed.weight" in state:  # of a bridge
            is_gpt2 = getattr(config, "architecture", "") == "GPT2LMHeadModel"
            known["inside"] = "gpt2" if is_gpt2 else "native"
    else:
        reader, known = from_pytorch, _of_encoder(plain)
        said = said if "last" in known else {"last": None} | said
        tables = [said.get("word", "word.weight"), said.get("position"), said.get("cls")]
        opened(state)  # a lazy part has no weights yet
        for name, part in plain.named_modules(remove_duplicate=False):
            for weight, bias in (("weight", "bias"), ("in_proj_weight", "in_proj_bias")):
                rows = state.get(f"{name}.{weight}")
                # of a bias that it has not, a module says so
                has_none = getattr(part, bias, rows) is None and f"{name}.{weight}" not in tables
                if rows is not None and rows.ndim and has_none:
                    state[f"{name}.{bias}"] = rows.new_zeros(len(rows))
        known |= {"pre_norm": None} if (said | known).get("norm", "") is None else {}
    theirs, known["state"] = signature(reader).parameters, state
    every = {**theirs, **signature(Judged).parameters}
    free = {k: one for k, one in every.items() if k not in (*known, "network", "beside")}
    for name in said.keys() - free:
        raise TypeError(f"{name} is not expected: the module says all but {', '.join(free)}")
    if missing := [k for k, one in free.items() if k not in said and one.default is one.empty]:
        raise TypeError(f"from_module asks for {', '.join(missing)}, which the module does not say")
    network = reader(**known, **{name: x for name, x in said.items() if name in theirs})
    if within is None and network.rotary is not None and is_wide:
        within = 1e-5  # Llama's norms and positions are in float32
    judged = Judged(network, **{name: x for name, x in said.items() if name not in theirs})
    agrees_with(judged, module, words, within)
    return replace(judged, beside=Beside(module, within, sizes(judged, words)))


def _kind(norm: Any) -> tuple[Any, ...]:
    """A norm's kind and ε; neither of a class that is not PyTorch's own. Where no ε is said PyTorch
    takes that of the type in which it computes, which for 16 bits is float32.
    """
    if norm is None or type(norm) is nn.Identity:
        return None, None
    if type(norm) not in NORMS:
        return ()
    dtype = torch.promote_types(getattr(norm.weight, "dtype", torch.float32), torch.float32)
    return NORMS[type(norm)], torch.finfo(dtype).eps if norm.eps is None else norm.eps


def _of_encoder(module: nn.Module) -> dict[str, Any]:
    """What its encoder says; ValueError unless its layers are alike."""
    kinds = nn.TransformerEncoder, nn.TransformerDecoder
    found = [(name, one) for name, one in module.named_modules() if isinstance(one, kinds)]
    if len(found) != 1:
        raise ValueError(
            f"a module around one nn.TransformerEncoder is expected, or one of Hugging Face or "
            f"TransformerLens, not {type(module).__name__}; a reader takes its state"
        )
    one: Any
    [(name, encoder)], layers = found, set[Any]()
    for one in encoder.layers:
        if not isinstance(one, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
            raise ValueError(f"PyTorch's own layers are expected in {name!r}, not {one}")
        activation = ACTIVATIONS.get(one.activation) or ACTIVATIONS.get(repr(one.activation))
        norms = {_kind(getattr(one, part, one.norm2)) for part in ("norm1", "norm2", "norm3")}
        layers.add((one.self_attn.num_heads, one.norm_first, activation, *norms))
    if len(layers) != 1 or len([*layers][0]) != 4:
        raise ValueError(f"layers and norms that are alike are expected, not {layers}")
    [(heads, pre_norm, activation, norm)] = layers
    shape: dict[str, Any] = {"encoder": name, "heads": heads, "pre_norm": pre_norm}
    shape |= dict(zip(("norm", "eps"), norm, strict=False))
    shape |= {} if activation is None else {"activation": activation}
    if _kind(encoder.norm)[:1] != (None,):
        own = dict(zip(("last_norm", "last_eps"), _kind(encoder.norm), strict=False))
        shape |= {"last": f"{name}.norm"} | own
    return shape


@takes(judged=Judged, words=many(text))
def accepted(judged: Judged, words: Sequence[str]) -> list[bool | None]:
    """Whether each string is accepted, as the real numbers would decide it; None for a tie, or what
    looks like one. ValueError for another symbol, where next tokens are asked for, and for a string
    that has no token or more tokens than positions.
    """
    if isinstance(judged.decides, NextTokens | Classes):
        raise ValueError("strings that are accepted or not are expected, not tokens or classes")
    found: dict[str, bool | None] = {}
    reader = Reader(judged, Bounded())
    ordered = sorted({check_string(w, judged.alphabet) for w in words}, key=len)
    for _, group in groupby(ordered, len):
        some = [*group]
        read = reader.read(some, None)
        _, low, high = decided(judged, read)
        for w, least, most in zip(some, low[:, 0].tolist(), high[:, 0].tolist(), strict=True):
            found[w] = least > 0 if least > 0 or most < 0 else sign(by_balls(judged, w)[0])
        if judged.beside is not None:
            judged.beside(judged, some, read[0], [[bool(found[w])] for w in some])
    return [found[w] for w in words]
