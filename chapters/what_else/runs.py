"""Side by side on the same work: this book's compiler, tracr, C-RASP's own compiler and PyTorch's
encoder, which is trained. The two compilers of others are read from a folder of clones.
"""

import hashlib
import os
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.utils import parameters_to_vector

from chapters.every_length.statements import by_name, specification
from chapters.strangers.runs import Small, packed, trained, unpacked
from lib.formulas import compiled
from lib.judging import judge
from lib.languages import DYCK_1, MAJORITY, Accepts, Language, few_ones
from lib.transformer.exact import Exact
from record.experiment import Experiment, Folder, experiments
from record.runs import read_yaml

SAID = read_yaml(Path(__file__).with_suffix(".yaml"))
ORIGIN = "It holds clones: " + ", ".join(
    f"{name} of {one['repository']} at commit {one['commit']}"
    for name, one in SAID["clones"].items()
)
NEEDS = {"jax": "jax", "haiku": "dm-haiku", "chex": "chex", "einops": "einops"}  # tracr does
TWO = Language("exactly two 1s", lambda w: w.count("1") == 2, symbols=few_ones)
WORKS = {language.name: language for language in (DYCK_1, MAJORITY, TWO)}
ROOM = 12  # symbols that tracr's transformers have positions for
STEPS = 1000  # of PyTorch's training
OFTEN = 3  # what is compiled is made so often for its time
BEYOND = (*range(13, 65), 80, 96, 112, 128)  # symbols of longer strings
EACH = 4  # of them, of a kind and a length
QUICK = 7  # symbols to which a stored result is held again

Made = tuple[Accepts, np.ndarray, dict]  # what decides strings, its weights, and about it


def fingerprint(folder: Path) -> str:
    """A hash of the clones in a folder, where what tracr needs is at hand too."""
    for name, one in SAID["clones"].items():
        files = sorted((folder / name).rglob("*.py"))
        text = "".join(path.read_text(encoding="utf-8") for path in files)
        found = hashlib.sha256(text.encode()).hexdigest()[:16]
        if not files:
            raise FileNotFoundError(f"{folder / name} holds no Python files. {ORIGIN}")
        if found != one["hash"]:
            raise ValueError(
                f"{folder / name} has the hash {found}, and {one['hash']} is expected. {ORIGIN}"
            )
    if missing := [package for name, package in NEEDS.items() if not find_spec(name)]:
        raise ValueError(f"tracr needs {', '.join(missing)}, which the book does not: install that")
    return " ".join(one["hash"] for one in SAID["clones"].values())


def program(work: str) -> Any:
    """This book's transformer under softmax."""
    return compiled(by_name()[work]["formula"], by_name()[work]["over"], "softmax")


def this_book(work: str, clones: Path) -> Made:
    """It is read exactly, anew for each list of strings."""
    made = program(work)

    def accepts(words: list[str]) -> list[bool | None]:
        return Exact(made).accepts(words)

    return accepts, np.array([*map(float, made.construction.coefficients())]), {}


def tracr(work: str, clones: Path, exactness: int = 100, by_shares: bool = False) -> Made:
    """By counts of symbols under a causal mask; or by their shares, as tracr's library has it."""
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")  # one thread, as all
    sys.path.insert(0, str(clones / "tracr"))
    jax, rasp = import_module("jax"), import_module("tracr.rasp.rasp")
    compiling, library = (import_module(f"tracr.compiler.{name}") for name in ("compiling", "lib"))
    both, tokens = rasp.SequenceMap, rasp.tokens

    def number(of: Any, value: object) -> Any:
        return rasp.SelectorWidth(rasp.Select(of, of, lambda key, query: key == value))

    first, second = (number(tokens, a) for a in WORKS[work].alphabet)
    depth = both(lambda x, y: max(x - y, -1), first, second)
    said = {
        ("Dyck-1", False): both(lambda x, low: x == low == 0, depth, number(depth, -1)),
        ("Dyck-1", True): library.make_shuffle_dyck(["()"]),
        ("MAJORITY", False): both(lambda zeros, ones: ones > zeros, first, second),
        ("exactly two 1s", False): rasp.Map(lambda ones: ones == 2, second),
    }[work, by_shares]
    model = compiling.compile_rasp_to_model(
        said,
        vocab={*WORKS[work].alphabet},
        max_seq_len=ROOM,
        causal=not by_shares,
        compiler_bos="BOS",
        mlp_exactness=exactness,
    )
    forward = jax.jit(lambda rows: model.forward(model.params, rows).unembedded_output[:, -1])

    def accepts(words: list[str]) -> list[bool | None]:
        rows = np.array([model.input_encoder.encode(["BOS", *w]) for w in words])
        return [*map(bool, model.output_encoder.decode(np.asarray(forward(rows)).tolist()))]

    weights = [np.ravel(x) for x in jax.tree_util.tree_leaves(model.params)]
    return accepts, np.concatenate(weights), {"jax": version("jax")}


def crasp(work: str, clones: Path) -> Made:
    """One string at a time: it takes no batches."""
    sys.path.insert(0, str(clones / "CRASP"))
    with redirect_stdout(StringIO()):  # it shows an example when it is imported
        compiler = import_module("compiler")
    model = compiler.CRASP_to_Transformer([*WORKS[work].alphabet], use_layer_norm=True)
    for step, *names in SAID["crasp"][work]["steps"]:
        getattr(model, f"add_{step}")(*names)
    read = SAID["crasp"][work]["read"]
    places = [2 * model.Program.get_index(name) + 1 for name in read]

    def accepts(words: list[str]) -> list[bool | None]:
        outputs = [model([*w])[-1, places] > 0 for w in words]
        return [output.tolist() == [*read.values()] for output in outputs]

    return torch.no_grad()(accepts), _weights(model), {}


def pytorch(work: str, clones: Path) -> Made:
    """A small `nn.TransformerEncoder`, trained on strings of at most 40 symbols."""
    return of_small(trained(WORKS[work], STEPS, seed=0)[0], work)


def of_small(network: Small, work: str) -> Made:
    """A trained network, with its weights kept."""

    def accepts(words: list[str]) -> list[bool | None]:
        rows = [[2, *map(WORKS[work].alphabet.index, w), 3] for w in words]
        return (network(torch.tensor(rows)) > 0).tolist()

    return torch.no_grad()(accepts), _weights(network), {"weights": packed(network)}


def _weights(model: torch.nn.Module) -> np.ndarray:
    return parameters_to_vector(model.parameters()).detach().numpy()


PEERS: dict[str, Callable[[str, Path], Made]] = {
    "this book": this_book,
    "tracr": tracr,
    "tracr, by shares": partial(tracr, by_shares=True),
    "tracr, by shares, 1,000": partial(tracr, by_shares=True, exactness=1000),
    "C-RASP": crasp,
    "PyTorch": pytorch,
}


def timed(call: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """What a call returns, and the processor's seconds that it took."""
    begun = time.process_time()
    return call(*arguments), time.process_time() - begun


def judged(accepts: Accepts, work: str, longest: int, times: int = 1) -> dict:
    """Every string from 1 symbol to `longest`, those of a length together: how many of each length
    are decided wrongly, the first of them, and the seconds of each time that they were.
    """
    wrong, seconds = [], np.zeros(times)
    for length in range(1, longest + 1):
        words = [*WORKS[work].all_strings(length)]
        found = [timed(accepts, words) for _ in range(times)]
        wrong.append(WORKS[work].errors(words, found[0][0]))
        seconds += [took for _, took in found]
    first = next((words[0] for words in wrong if words), None)
    return {"wrong": [*map(len, wrong)], "first": first, "seconds": seconds.tolist()}


def beyond(accepts: Accepts, work: str) -> dict:
    """Longer strings, until one is decided wrongly or refused: some of two runs, and some as the
    language draws them, in runs, and neighbours.
    """
    language, draw, tried, last = WORKS[work], np.random.default_rng(0), 0, ROOM
    a, b = language.alphabet
    for length in BEYOND:
        runs = [k for half in (2, length // 2) for k in (half - 1, half, half + 1)]
        words = [x * k + y * (length - k) for k in runs for x, y in ((a, b), (b, a))]
        for some in language.kinds(length, EACH, draw).values():
            words += some
        try:
            wrong = language.errors(words, accepts(words))
        except (ValueError, RuntimeError) as error:
            return {"to": last, "strings": tried, "refused": str(error)}
        if wrong:
            return {"to": last, "strings": tried, "wrong": wrong[0]}
        tried, last = tried + len(words), length
    return {"to": last, "strings": tried}


def measure(device: str, work: str, peer: str, longest: int, data: Path) -> dict:
    """What a peer takes to make what decides the work, and how it decides strings."""
    times = [timed(PEERS[peer], work, data) for _ in range(1 if peer == "PyTorch" else OFTEN)]
    accepts, weights, about = times[-1][0]
    result = {
        "made in": [seconds for _, seconds in times],
        "numbers": [weights.size, int(np.count_nonzero(weights))],
        "judged": judged(accepts, work, longest, 2 if "jax" in about else 1),  # when compiled too
        "beyond": beyond(accepts, work),
    }
    if peer == "this book":
        proof, seconds = timed(judge, program(work), specification(by_name()[work]), 1)
        result |= {"proof": proof.kind, "proved in": seconds}
    return result | about


def replay(
    configuration: dict, result: dict, in_full: bool = False, data: Path | None = None
) -> bool:
    """Whether the shorter strings are decided as stored, or all `in_full`, by what is made again or
    has the kept weights; by others' compilers where their clones are at hand.
    """
    work, peer, longest = (configuration[name] for name in ("work", "peer", "longest"))
    if peer == "PyTorch":
        accepts, weights, _ = of_small(unpacked(result["weights"]), work)
    elif peer == "this book" or data is not None:
        accepts, weights, _ = PEERS[peer](work, data or Path())
    else:
        return len(result["judged"]["wrong"]) == longest
    found = judged(accepts, work, longest if in_full else QUICK)
    return (
        [weights.size, np.count_nonzero(weights)] == result["numbers"]
        and found["wrong"] == result["judged"]["wrong"][: len(found["wrong"])]
        and found["first"] in (None, result["judged"]["first"])
    )


EXPERIMENTS = experiments(
    __file__,
    side_by_side=partial(
        Experiment,
        measure=measure,
        replay=replay,
        on_gpu=False,
        reads=Folder(ORIGIN, fingerprint),
    ),
)
