"""Translations as stored runs: what they are trained with, as in table 2 of Bhattamishra et al.
(2020) and in table 1 of Chiang & Cholak (2022), how one is run, and how it is checked.

`runs.yaml` beside this file lists what is compared.
"""

from base64 import b64decode, b64encode
from dataclasses import fields
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from zlib import compress, decompress

import numpy as np
import torch
from sentencepiece import SentencePieceProcessor
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from chapters.translation.bleu import bleu_of, paired, signature, sums
from chapters.translation.data import (
    SOURCES,
    Corpus,
    fingerprint,
    from_folder,
    made_up,
    names,
    subwords,
)
from chapters.translation.model import ATTENTION_SCALES, RESIDUALS, Seq2Seq, Shape
from chapters.translation.train import Learned, Training, learn
from record.experiment import Experiment, Folder, experiments, is_same_start, packed, unpacked
from record.runs import read_yaml

Settings = dict[str, Any]

FIRST_STEPS = 3  # whose losses are stored, and which are run again when a stored run is checked
QUOTED = 3  # tests that are stored with what was made of them
# What a configuration says that is said neither of the training nor of the model's shape.
OF_DATA = {"pair", "split", "short", "longest", "train", "test", "size", "variants", "beam"}
OF_DATA |= {"task", "seeds"}  # to copy or to count
OF_TRAINING = {field.name for field in fields(Training)}
# The system whose parameters are stored, for a page to run it.
KEPT = {"pair": "multi30k", "split": "all", "seed": 0, "norm_first": True, "patience": 2}

ROUNDED = 0.006  # how far a stored BLEU may be from that of the stored sums

# What a variant changes of the baseline.
VARIANTS: dict[str, Settings] = {
    "baseline": {},
    **{name: {"scale": name} for name in ATTENTION_SCALES if name != "plain"},
    **{f"no {name} residual": {"without": (name,)} for name in RESIDUALS},
}
WITWICKY = read_yaml(Path(__file__).with_suffix(".yaml"))["witwicky"]


def parted(configuration: Settings) -> tuple[Training, Settings]:
    """What a configuration says of the training, and what it says of the shape."""
    training = {name: configuration[name] for name in OF_TRAINING & {*configuration}}
    shape = {name: configuration[name] for name in {*configuration} - OF_TRAINING - OF_DATA}
    return Training(**training), shape


def _sentences(said: Settings, data: Path | None = None) -> tuple[Corpus, SentencePieceProcessor]:
    """The corpus of a configuration, from the folder `data` or, without one, made up, and the
    subwords of what is left to train on.

    From short to long it trains on sources of at most `short` words and tests on those of more;
    without `short`, that is the median of the training sources (Chiang & Cholak 2022, 5.4). The
    paper parts at 20 tokens, its median. On tst2013, sources of more than 20 words hold two thirds
    of all words, where Table 1 prints three quarters of all tokens, on both sides: the paper seems
    to count subwords of the source.
    """
    corpus = made_up() if data is None else from_folder(said["pair"], data)
    train, validation = corpus.train[: said["train"]], corpus.validation
    tested = corpus.tests["test"][: said["test"]]
    if longest := said.get("longest"):
        train = [pair for pair in train if max(len(side.split()) for side in pair) <= longest]
    if said["split"] == "short to long":
        short = said.get("short") or median(len(source.split()) for source, _ in train)
        tested = [pair for pair in tested if len(pair[0].split()) > short]
        train = [pair for pair in train if len(pair[0].split()) <= short]
        validation = [pair for pair in validation if len(pair[0].split()) <= short]
    return Corpus(train, validation, {"test": tested}), subwords(train, said["size"])


# ---- how it is run, and what is kept


def measure(device: str, data: Path, **configuration) -> dict:
    """Trains each variant on the same data, in the same order and from the same seed, and pairs its
    BLEU on the test sentences with the first one's. `data` is the folder of a pair, of which no
    more than a hash is kept. With a stop criterion the losses of each epoch are kept.
    """
    corpus, words = _sentences(configuration, data)
    training, shape = parted(configuration)
    sources, targets = zip(*corpus.tests["test"], strict=True)
    learned, outputs, systems = {}, {}, {}
    for variant in configuration["variants"]:
        changed = shape | VARIANTS[variant]
        learned[variant] = learn(corpus, words, training, device, **changed)
        outputs[variant] = learned[variant](sources, configuration["beam"])
        found = sums(outputs[variant], targets)
        systems[variant] = curves(learned[variant]) | {"sums": found}
    for variant, score in paired(outputs, targets).items():
        for name, x in score.items():
            systems[variant][name] = None if x is None else round(x, 4)
    result = {
        "data": fingerprint(corpus),
        "pairs": {"train": len(corpus.train), "test": len(sources)},
        "bleu": signature(),
        "systems": systems,
        "first_losses": _first_losses(configuration),
    }
    if SOURCES[configuration["pair"]].get("is_quotable"):
        lines = {"source": sources, "reference": targets, **outputs}
        quoted = [i * (len(sources) - 1) // (QUOTED - 1) for i in range(QUOTED)]
        result["samples"] = [{name: said[i] for name, said in lines.items()} for i in quoted]
    if KEPT.items() <= configuration.items():  # all that the best system needs to translate again
        best = max(systems, key=lambda variant: systems[variant]["bleu"])
        model = learned[best].model
        result["kept"] = {
            "variant": best,
            "parameters": packed(parameters_to_vector(model.parameters()).numpy(force=True)),
            "vocabulary": b64encode(compress(words.serialized_model_proto())).decode(),
            "mean_length": model.shape.mean_length,
        }
    return result


def curves(learned: Learned) -> dict[str, Any]:
    """The mean losses by epoch; with a stop criterion on validation pairs too, and the best one."""
    losses = [round(loss, 4) for loss in learned.mean_losses]
    found: dict[str, Any] = {"losses": losses, "last_loss": losses[-1]}
    if learned.dev_losses:
        found["dev_losses"] = [round(loss, 4) for loss in learned.dev_losses]
        found["best_epoch"] = int(np.argmin(learned.dev_losses)) + 1
    return found


def _first_losses(configuration: Settings) -> list[list[float]]:
    """The losses of each variant's first steps on made-up sentences."""
    training, shape = parted(configuration)
    begin = partial(learn, *_sentences(configuration), training, stop_after=FIRST_STEPS)
    begun = [begin(**shape | VARIANTS[variant]) for variant in configuration["variants"]]
    return [learned.losses for learned in begun]


def kept_system(row: dict) -> Learned:
    """The system that a stored result keeps; calling it on sentences translates them."""
    found, (_, shape) = row["result"]["kept"], parted(row["configuration"])
    words = SentencePieceProcessor(model_proto=decompress(b64decode(found["vocabulary"])))
    shape |= VARIANTS[found["variant"]] | {"mean_length": found["mean_length"]}
    model = Seq2Seq(Shape(len(words), **shape))
    vector_to_parameters(torch.from_numpy(unpacked(found["parameters"])), model.parameters())
    return Learned(model, words, True)  # each pair of languages ends its sources


# ---- how it is checked


def replay(configuration: dict, result: dict, data: Path | None = None) -> bool:
    """Whether today's code, set up as in the stored run, takes the stored first steps on
    made-up sentences, and whether BLEU and the best epoch follow from the stored sums and losses.

    `data` is the folder of the pair, where it is at hand: then the corpus must be the stored one.
    """
    for system in result["systems"].values():
        if "sums" in system and abs(bleu_of(system["sums"]) - system["bleu"]) > ROUNDED:
            return False
        losses = system.get("dev_losses")
        if losses and losses[system["best_epoch"] - 1] > min(losses):
            return False
    return is_same_start(_first_losses(configuration), result["first_losses"]) and (
        data is None or fingerprint(_sentences(configuration, data)[0]) == result["data"]
    )


def of_pair(pair: str) -> partial[Experiment]:
    """The experiments on a pair of languages, whose sentences are read from a folder."""
    which = f"Its files {', '.join(names(pair))}, each plain or as .gz"
    folder = Folder(
        f"{which}, come from {SOURCES[pair]['origin']}",
        lambda folder: fingerprint(from_folder(pair, folder)),
    )
    return partial(Experiment, measure=measure, replay=replay, on_gpu=True, reads=folder)


EXPERIMENTS = experiments(__file__, **{pair: of_pair(pair) for pair in SOURCES})
