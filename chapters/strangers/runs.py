"""Networks that were trained, judged: ten that others published, from folders that hold them, and
some of our own, whose weights are kept.
"""

import hashlib
from functools import partial
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import torch
from automata.fa.dfa import DFA
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from lib.languages import DYCK_1, FIRST, MAJORITY, Language
from lib.proofs import regular
from lib.trained import (
    Judged,
    Largest,
    NextTokens,
    Positive,
    accepted,
    from_folder,
    from_pytorch,
    from_transformer_lens,
    weights,
)
from lib.trained.arithmetic import Bounded
from lib.trained.audit import SHOWN, audit, given
from lib.trained.passes import outputs
from lib.verdicts import Verdict
from record.experiment import Experiment, Folder, experiments, is_same_start, packed, unpacked
from record.runs import read_yaml

PUBLISHED = read_yaml(Path(__file__).with_suffix(".yaml"))["published"]
ORIGIN = (
    f"It holds a folder for each of {', '.join(PUBLISHED)}, each with config.json and "
    "model.safetensors, from share/saved_models of the repository lacoco-lab/"
    "decompiling_transformers, commit 49398f6"
)
BRACKETS = "brackets_model_state_dict.pt"
FROM_ARENA = (
    f"It holds {BRACKETS}, from chapter1_transformers/exercises/part4_interp_on_algorithmic_model "
    "of the repository callummcdougall/ARENA_2.0, commit e805ad8"
)
AT_LEAST = 'count(Q("1")) >= count(Q("0"))'
QUICK = 9  # symbols to which a stored audit is made again, and fewer over more symbols
TWO = Language("two 1s", lambda w: w.count("1") >= 2)
LANGUAGES = {language.name: language for language in (FIRST, MAJORITY, DYCK_1, TWO)}
TRAINED_TO, LONG = 20, 40  # symbols: the ranges on which accuracy is measured
FIRST_STEPS = 3  # whose losses are stored


# ---- networks that others published


def fingerprint(files: list[str], says: str, folder: Path) -> str:
    """A hash of these files in a folder; FileNotFoundError, with what it should hold, without."""
    found = hashlib.sha256()
    for path in (Path(folder) / file for file in files):
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing. {says}")
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


FILES = [f"{name}/{file}" for name in PUBLISHED for file in ("config.json", "model.safetensors")]
OF_OTHERS = Folder(ORIGIN, partial(fingerprint, FILES, ORIGIN))
OF_ARENA = Folder(FROM_ARENA, partial(fingerprint, [BRACKETS], FROM_ARENA))


def published(folder: Path, name: str) -> tuple[Judged, DFA | str]:
    """A published network as its authors ask it, and its language. After <bos> and each symbol the
    outputs above 0 are the tokens that may come next; the majority's is asked after <sep>.
    """
    network, said = from_folder(Path(folder) / name), PUBLISHED[name]
    tokens = {a: number for number, a in enumerate(said["over"])}
    start, ask, end = range(len(tokens), len(tokens) + 3)
    if "formula" in said:
        decides, after = Largest(1, 0), (ask,)
        return Judged(network, tokens, decides, before=(start,), after=after), said["formula"]
    language = regular(said["language"], said["over"])
    return Judged(network, tokens, NextTokens(end, "positive"), before=(start,)), language


def written(found: Verdict) -> dict:
    """An audit as JSON."""
    return {
        "kind": found.kind,
        "by length": [[length, *numbers] for length, numbers in (found.by_length or {}).items()],
        "wrong": [*found.wrong],
        "margin": found.margin,
        "nearest": found.nearest,
        "otherwise": {name: [*seen] for name, seen in found.rounding.items()},
        "any order": found.any_order,
        "balls": found.balls,
    }


def is_decided_so(judged: Judged, language: Language | DFA | str, longest: int, was: dict) -> bool:
    """Whether the shorter strings are decided as stored, in real numbers."""
    found = written(audit(judged, language, min(QUICK, longest), floats=()))
    is_alike = found["by length"] == was["by length"][: len(found["by length"])]
    return is_alike and found["wrong"] == [w for w in was["wrong"] if len(w) <= QUICK]


def measure_published(device: str, network: str, longest: int, data: Path) -> dict:
    """What the network decides, every string that can be continued, from the first position on; and
    how many strings with a majority the majority's network decides incorrectly, "untied".
    """
    judged, language = published(data, network)
    found = written(audit(judged, language, longest))
    found["layers"] = len(judged.network.layers)
    if "formula" in PUBLISHED[network]:  # of a tie one of the two ways to count it is right
        others = written(audit(judged, AT_LEAST, longest, floats=()))
        both = sum(wrong for _, _, wrong, _ in found["by length"] + others["by length"])
        ties = sum(comb(2 * half, half) for half in range(longest // 2 + 1))
        found["untied"] = (both - ties) // 2
    return found


def replay_published(configuration: dict, result: dict, data: Path | None = None) -> bool:
    """Whether the stored numbers of strings of each length are the language's, whether as many of
    the first wrong strings are stored as there can be, and, where the networks are at hand, whether
    the shorter strings are decided as stored.
    """
    name, longest, rows = configuration["network"], configuration["longest"], result["by length"]
    said, wrong = PUBLISHED[name], sum(row[2] for row in rows)
    strings = [2**length for length in range(len(rows))]
    if "formula" not in said:
        strings = continued(regular(said["language"], said["over"]), len(rows))
    return (
        [row[1] for row in rows] == strings
        and all(errs + left <= of for _, of, errs, left in rows)
        and len(result["wrong"]) == min(wrong, SHOWN)
        and (data is None or is_decided_so(*published(data, name), longest, result))
    )


def continued(known: DFA, lengths: int) -> list[int]:
    """How many strings of each length below `lengths` can be continued to one of a language."""
    live = known.minify().to_partial()  # without states from which nothing is accepted
    said: dict[str, Any] = live.input_parameters | {"final_states": live.states}
    prefixes = DFA(**said)
    return [prefixes.count_words_of_length(length) for length in range(lengths)]


def brackets(data: Path) -> Judged:
    """ARENA's classifier, as its authors ask it: at the start, which it reads, and with an end."""
    shape = {"activation": "relu", "normalization_type": "LN", "eps": 1e-5, "attn_scale": None}
    network = from_transformer_lens(weights(Path(data) / BRACKETS), causal=False, **shape)
    tokens = {"(": 3, ")": 4}
    return Judged(network, tokens, Largest(1, 0), before=(0,), after=(2,), read_at="first")


def measure_brackets(device: str, longest: int, odd: str, data: Path) -> dict:
    """What the classifier decides of every string, of longer ones, and of one of an odd length."""
    judged = brackets(data)
    return written(audit(judged, DYCK_1, longest)) | {
        "hash": OF_ARENA.fingerprint(data),
        "longer": longer_strings(judged, DYCK_1, longest),
        "odd_accepted": accepted(judged, [odd])[0],
    }


def replay_brackets(configuration: dict, result: dict, data: Path | None = None) -> bool:
    """Whether every string of each length is counted. Where the network is at hand, whether it has
    the stored hash and decides the odd string and the shorter ones as stored.
    """
    longest, counted = configuration["longest"], [row[1] for row in result["by length"]]
    is_whole = counted == [2**length for length in range(longest + 1)]
    if not is_whole or data is None:
        return is_whole
    judged = brackets(data)
    return (
        result["hash"] == OF_ARENA.fingerprint(data)
        and accepted(judged, [configuration["odd"]]) == [result["odd_accepted"]]
        and is_decided_so(judged, DYCK_1, longest, result)
    )


# ---- networks of our own


class Small(nn.Module):
    """Words, learned positions, PyTorch's encoder behind a causal mask, and an output at the last
    token. A string stands between the tokens 2 and 3.
    """

    def __init__(self, width: int = 16, layers: int = 1):
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            width, 2, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True
        )
        self.word, self.position = nn.Embedding(4, width), nn.Embedding(LONG + 2, width)
        self.encoder = nn.TransformerEncoder(
            layer, layers, nn.LayerNorm(width), enable_nested_tensor=False
        )
        self.output = nn.Linear(width, 1)

    def forward(self, tokens: Tensor) -> Tensor:
        n = tokens.shape[1]
        hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
        x = self.word(tokens) + self.position.weight[:n]
        return self.output(self.encoder(x, mask=hidden, is_causal=True)[:, -1])[:, 0]


def batch(language: Language, length: int, size: int, seed: int) -> tuple[Tensor, Tensor]:
    """Strings of a length as tokens, and which of them belong to the language."""
    words = language.sample(length, size, seed)
    rows = [[2, *(language.alphabet.index(a) for a in w), 3] for w in words]
    return torch.tensor(rows), torch.tensor([w in language for w in words])


def trained(
    language: Language, steps: int, seed: int, stop_after: int | None = None
) -> tuple[Small, list[float]]:
    """A network after so many steps on strings of at most 40 symbols, and its losses."""
    torch.manual_seed(seed)
    network, draw, losses = Small(), np.random.default_rng(seed), []
    descent = torch.optim.AdamW(network.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(descent, 3e-3, total_steps=steps)
    for _ in range(stop_after or steps):
        length = int(draw.integers(LONG, endpoint=True))
        rows, is_in = batch(language, length, 64, int(draw.integers(2**31)))
        loss = functional.binary_cross_entropy_with_logits(network(rows), is_in.float())
        descent.zero_grad()
        loss.backward()
        descent.step()
        schedule.step()
        losses.append(loss.item())
    return network.eval(), losses


@torch.no_grad()
def accuracies(network: Small, language: Language) -> list[float]:
    """The share of random strings, 100 of each length, that PyTorch decides correctly: at lengths
    to half of those trained on, and beyond.
    """
    right = []
    for length in range(1, LONG + 1):
        rows, is_in = batch(language, length, 100, 10**6 + length)
        right.append(((network(rows) > 0) == is_in).double())
    return [torch.cat(some).mean().item() for some in (right[:TRAINED_TO], right[TRAINED_TO:])]


def judged_small(network: Small, language: Language) -> Judged:
    """One of our networks, read by the names of its weights."""
    read = from_pytorch(network.state_dict(), heads=2, activation="gelu", norm="layer", eps=1e-5,
                        pre_norm=True, causal=True, last="encoder.norm", encoder="encoder.",
                        position="position.weight")  # fmt: skip
    tokens = {a: number for number, a in enumerate(language.alphabet)}
    return Judged(read, tokens, Positive(), before=(2,), after=(3,))


def kept(text: str) -> Small:
    """The network whose parameters are stored as that text."""
    network = Small()
    vector_to_parameters(torch.from_numpy(unpacked(text)), network.parameters())
    return network.eval()


def measure_small(device: str, language: str, steps: int, seed: int, longest: int) -> dict:
    """A network of our own: its accuracy, what it decides of every string, and of longer ones."""
    known = LANGUAGES[language]
    network, losses = trained(known, steps, seed)
    judged = judged_small(network, known)
    return {
        "first_losses": losses[:FIRST_STEPS],
        "accuracy": accuracies(network, known),
        "audit": written(audit(judged, known, longest)),
        "longer": longer_strings(judged, known, longest),
        "weights": packed(parameters_to_vector(network.parameters()).detach().numpy()),
    }


def longer_strings(judged: Judged, known: Language, longest: int) -> dict[str, list]:
    """Of longer strings, by how they are drawn: how many, how many wrong, the first of these."""
    drawn = known.sampled(partial(accepted, judged), longest + 1, LONG, each=50)
    return {
        kind: [number, len(drawn.wrong[kind]), [*drawn.wrong[kind][:3]]]
        for kind, number in drawn.strings.items()
    }


def replay_small(configuration: dict, result: dict) -> bool:
    """Whether training begins as stored, and whether the kept network has the stored accuracy, the
    stored distance from 0 on the nearest string and, in real numbers, the stored decisions on the
    shorter strings; it is not trained to the end again.
    """
    known, stored = LANGUAGES[configuration["language"]], result["audit"]
    _, losses = trained(known, configuration["steps"], configuration["seed"], FIRST_STEPS)
    network, longest = kept(result["weights"]), configuration["longest"]
    judged = judged_small(network, known)
    centre, _ = outputs(judged, given(judged, [stored["nearest"]]), Bounded())
    return (
        is_same_start(losses, result["first_losses"], atol=1e-4)
        and is_same_start(accuracies(network, known), result["accuracy"], 0, 1e-3)
        and is_same_start([abs(float(centre))], [stored["margin"]], 1e-3)
        and longer_strings(judged, known, longest) == result["longer"]
        and is_decided_so(judged, known, longest, stored)
    )


EXPERIMENTS = experiments(
    __file__,
    brackets=partial(Experiment, measure=measure_brackets, replay=replay_brackets, reads=OF_ARENA),
    small=partial(Experiment, measure=measure_small, replay=replay_small),
)
asked = [{"network": name, "longest": said["longest"]} for name, said in PUBLISHED.items()]
EXPERIMENTS["published_networks"] = Experiment(
    asked, measure_published, replay_published, reads=OF_OTHERS
)
