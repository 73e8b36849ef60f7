"""Chapter 12 and its record: what a test does not see, and the networks that were judged."""

from collections.abc import Mapping
from itertools import product

import numpy as np
import torch
from IPython.display import Markdown

from chapters.strangers.runs import Small, judged_small
from chapters.strangers.runs import kept as unpacked
from lib.languages import MAJORITY
from lib.trained.arithmetic import Bounded
from lib.trained.audit import given
from lib.trained.passes import outputs
from record.notebook import markdown_table
from record.runs import stored

SPELLED = {"FIRST": "the first symbol is 1", "MAJORITY": "more 1s than 0s"}
SPELLED |= {"Dyck-1": "well nested", "two 1s": "at least two 1s"}


def published() -> dict[str, dict]:
    """What was found of each published network, by its folder's name."""
    return stored("published_networks").by("network")


def arena() -> dict:
    """What was asked and found of ARENA's classifier of brackets."""
    [found] = stored("arena_brackets").results
    return found["configuration"] | found["result"]


def small() -> dict[tuple[str, int], dict]:
    """What was found of each network of our own, by its language and its steps."""
    return stored("small_networks").by("language", "steps")


def kept(language: str, steps: int) -> Small:
    """A network of our own as PyTorch runs it, with the weights that were kept."""
    return unpacked(small()[language, steps]["weights"])


def counted(result: Mapping) -> tuple[int, int, int]:
    """Of an audit: how many strings, how many are decided incorrectly, and how many not at all."""
    strings, wrong, left = np.sum([row[1:] for row in result["by length"]], axis=0).tolist()
    return strings, wrong, left


def shown(w: str) -> str:
    """A string as code, or that it is empty."""
    return f"`{w}`" if w else "the empty string"


def small_table() -> Markdown:
    """Our networks: their accuracy on samples beside all strings."""
    rows = []
    for (language, steps), result in small().items():
        audit = result["audit"]
        _, wrong, _ = counted(audit)
        first = shown(audit["wrong"][0]) if audit["wrong"] else "none"
        accuracies = (f"{share:.1%}" for share in result["accuracy"])
        rows.append((SPELLED[language], f"{steps:,}", *accuracies, f"{wrong:,}", first))
    head = ("language", "batches", "right, 1 to 20", "right, 21 to 40", "wrong", "the first")
    return markdown_table(head, rows)


def median_bound(layers: int) -> float:
    """The median bound, in float64, over strings to eight symbols, of a random network's output."""
    torch.manual_seed(0)
    network = Small(8, layers)
    for parameter in network.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)  # layers would be alike otherwise
    judged = judged_small(network, MAJORITY)
    words = (["".join(w) for w in product("01", repeat=length)] for length in range(9))
    bounds = [outputs(judged, given(judged, some), Bounded())[1] for some in words]
    return float(torch.cat(bounds).median())
