"""A construction in a safetensors file: the tensors of its `Classifier` and, as JSON in the
metadata, what they do not say. No pickle.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from lib.checks import Number, an, shown, takes
from lib.files import write_whole
from lib.transformer.classifier import Classifier, to_torch
from lib.transformer.construction import Construction
from lib.transformer.export import from_json, to_json

FORMAT = 1

# What reads such a file without this library, where there is no layer normalization.
LOADER = """\
import json, torch
from safetensors import safe_open

with safe_open("transformer.safetensors", "pt") as file:
    c = json.loads(file.metadata()["transformer"])
    t = {name: file.get_tensor(name) for name in file.keys()}
assert c["eps"] is None, "there is no layer normalization here"
size = c["d_model"], c["heads"]
layer = torch.nn.TransformerEncoderLayer(*size, c["feed_forward"], 0, torch.relu, batch_first=True)
layer.self_attn = torch.nn.MultiheadAttention(*size, add_bias_kv=0 in c["hidden"], batch_first=True)
layer.norm1 = layer.norm2 = torch.nn.Identity()
encoder = torch.nn.TransformerEncoder(layer, c["layers"], enable_nested_tensor=False).double()
encoder.load_state_dict({name[8:]: x for name, x in t.items() if name.startswith("encoder.")})

def logit(w):
    ids = [c["vocabulary"].index(token) for token in ["CLS", *w, *c["end"]]]
    n, start = len(ids), len(ids) * (len(ids) - 1) // 2 if c["by_length"] else 0
    a = t["word.weight"][ids] + t["formulas"][start : start + n] @ t["position"]
    hidden = torch.stack([torch.ones(n, n).triu(first) > 0 for first in c["hidden"]])
    final = encoder(a[None], hidden)[0, 0 if c["readout"] == "CLS" else -1]
    return (t["output.weight"] @ final + t["output.bias"]).item()
"""


@takes(construction=Construction, path=an(str, Path))
def save(
    construction: Construction,
    path: str | Path,
    longest: int = 128,
    eps: Number | None = None,
) -> None:
    """Writes the tensors of `to_torch(construction, longest, eps)` to a safetensors file, as a
    whole or not at all.

    Its metadata hold one JSON text, "transformer": the number of the "format", the fields of
    `Sizes`, and the "construction" as `to_json` writes it. `LOADER` reads the file if `eps` is
    None. Raises what `to_torch` raises.
    """
    path, network = Path(path), to_torch(construction, longest, eps)
    metadata = {"transformer": json.dumps(_description(network))}
    data = safetensors.torch.save(dict(network.state_dict()), metadata)
    write_whole(path, data)


@takes(path=an(str, Path))
def load(path: str | Path) -> Classifier:
    """The network in a file that `save` wrote, with its tensors; ValueError for another file,
    FileNotFoundError for none.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"a file of a transformer is expected, and {path} is none")
    try:
        with safe_open(path, "pt") as file:
            description = json.loads((file.metadata() or {})["transformer"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}
        network = _described(description)
        if _outline(tensors) != _outline(dict(network.state_dict())):
            raise ValueError("its tensors have not the names, shapes and types of its construction")
    except KeyError as error:
        raise ValueError(f"{path} is no file of a transformer: {error} is missing") from error
    except (SafetensorError, ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{path} is no file of a transformer: {error}") from error
    network.load_state_dict(tensors)
    return network


def _description(network: Classifier) -> dict[str, object]:
    """What stands in a file beside the tensors, as JSON reads it."""
    construction = json.loads(to_json(network.construction))
    sizes = json.loads(json.dumps(asdict(network.sizes)))
    return {"format": FORMAT, **sizes, "construction": construction}


def _described(description: dict) -> Classifier:
    """The network that a file describes, its tensors as `to_torch` makes them."""
    if description["format"] != FORMAT:
        raise ValueError(f"its format is {description['format']!r}, not {FORMAT}")
    construction = from_json(json.dumps(description["construction"]))
    network = to_torch(construction, description["longest"], description["eps"])
    for name, value in _description(network).items():
        if description[name] != value:
            raise ValueError(
                f"its {name} is {description[name]!r}, its construction's {shown(value)}"
            )
    return network


def _outline(tensors: dict[str, Tensor]) -> dict[str, tuple[torch.Size, torch.dtype]]:
    return {name: (x.shape, x.dtype) for name, x in tensors.items()}
