"""Translations as stored runs: how one is run, what is kept of it, and how that is checked.

Without the sentences, the first steps on the made-up pair check model, batches and training; BLEU,
its interval and its p-value follow from the counts that are kept of every test sentence, and the
stop from the losses on the validation pairs. Where the folder of the sentences is at hand, the kept
outputs must have the kept counts, a first epoch on the corpus must give the stored losses, and the
parameters that are kept must translate the test to the stored BLEU.
"""

import time
from base64 import b64decode, b64encode
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any
from zlib import compress, decompress
from zlib import error as ZlibError

import numpy as np
import sentencepiece
import torch
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from chapters.translation.bleu import (
    BOOTSTRAP,
    BleuScore,
    matches,
    packed,
    scores_of,
    signature,
    unpacked,
)
from chapters.translation.data import Corpus, Examples, Pairs, Subwords
from chapters.translation.model import Seq2Seq, Shape
from chapters.translation.sentences import (
    SOURCES,
    fingerprint,
    from_folder,
    generated,
    short_to_long,
    without_longer,
)
from chapters.translation.settings import RUNS, VARIANTS, Settings
from chapters.translation.train import Learned, Training, best_epoch, learn
from lib.checks import takes
from record.experiment import Experiment, Folder, is_same_start, measured_row

FIRST_STEPS = 3  # whose losses are stored, and which are run again when a stored run is checked
QUOTED, NUMBERED = 3, 10  # tests of which the outputs are stored, with their sentences or without
# What a configuration says that is said neither of the training nor of the model's shape.
OF_SENTENCES = ("pair", "split", "short", "longest", "train", "test", "size")
OF_DATA = {*OF_SENTENCES, "variants", "beam"}
OF_TRAINING = {field.name for field in fields(Training)}

# How far a figure that is computed again may be from the stored one: the first three are rounding
# of what is stored, the last two that of another machine's or a GPU's arithmetic.
BLEU, CONFIDENCE, P = 0.006, 0.02, 0.003
FIRST_EPOCH = 0.02  # of the losses
KEPT_BLEU = 0.3


# ---- what a configuration says


def parted(configuration: Settings) -> tuple[Training, Settings]:
    """What a configuration says of the training, and what it says of the shape."""
    training = {name: configuration[name] for name in OF_TRAINING & {*configuration}}
    shape = {name: configuration[name] for name in {*configuration} - OF_TRAINING - OF_DATA}
    return Training(**training), shape


def _sentences(configuration: Settings, data: Path | None = None) -> tuple[Corpus, Subwords]:
    """The corpus of a configuration, from the folder `data` unless it is made up, and the subwords
    of what is left to train on.
    """
    return _prepared(data, *map(configuration.get, OF_SENTENCES))


@cache  # variants are trained on the same data, one after another
def _prepared(data: Path | None, *settings: Any) -> tuple[Corpus, Subwords]:
    """The same, by the values of `OF_SENTENCES`."""
    pair, split, short, longest, train, test, size = settings
    if pair == "generated":
        corpus = generated()
    else:
        assert data is not None  # who asks for the run is told where to get it
        corpus = from_folder(pair, data)
    corpus = Corpus(corpus.train[:train], corpus.validation, {"test": corpus.tests["test"][:test]})
    if longest is not None:
        corpus = without_longer(corpus, longest)
    if split == "short to long":
        corpus = short_to_long(corpus, short)
    return corpus, Subwords(corpus.train, size)


# ---- how it is run, and what is kept


def measure(
    device: str, data: Path | None = None, checkpoints: Path | None = None, **configuration
) -> dict:
    """Trains each variant on the same data, in the same order and from the same seed, and lets it
    translate the test sentences.

    Each variant's BLEU is paired with the first one's. `data` is the folder of a pair that is not
    generated, of which only a hash is kept; `checkpoints` a folder from which a run that was
    stopped goes on. With a stop criterion the losses of each epoch are kept, the counts behind each
    BLEU and, of the first seed on all lengths, the parameters of the best system.
    """
    corpus, words = _sentences(configuration, data)
    training, shape = parted(configuration)
    tested, stops = corpus.tests["test"], training.patience is not None
    outputs, systems, trained = {}, {}, {}
    for variant in configuration["variants"]:
        path = None if checkpoints is None else checkpoints / _name(configuration, variant)
        begun = time.perf_counter()
        learned = learn(corpus, words, training, device, path, **shape | VARIANTS[variant])
        ended = time.perf_counter()
        outputs[variant] = learned(tested.sources, configuration["beam"])
        translated = time.perf_counter()
        last_epoch = learned.losses[([0] + learned.ends)[-2] :]
        trained[variant] = learned
        systems[variant] = {
            "steps": len(learned.losses),
            "last_loss": round(float(np.mean(last_epoch)), 4),
            "seconds": round(ended - begun, 1),
            "translating_seconds": round(translated - ended, 1),
        } | (curves(learned) if stops else {})
    counts = {name: matches(lines, tested.targets) for name, lines in outputs.items()}
    for variant, score in scores_of(counts).items():
        systems[variant] |= {
            "bleu": round(score.bleu, 2),
            "confidence": round(score.confidence, 2),
            "p": None if score.p is None else round(score.p, 4),
        }
    pair = configuration["pair"]
    is_quotable = pair == "generated" or SOURCES[pair].is_quotable
    result = {
        "data": fingerprint(corpus),
        "pairs": {"train": len(corpus.train), "test": len(tested)},
        "symbols": {"train": _symbols(words, corpus.train), "test": _symbols(words, tested)},
        "bleu": signature(),
        "subwords": f"sentencepiece {sentencepiece.__version__}",
        "systems": systems,
        "samples": samples_of(tested, outputs, is_quotable and not stops),
        "first_losses": _first_losses(configuration),
    }
    if stops:
        result["matches"] = {name: packed(found) for name, found in counts.items()}
    if stops and (configuration["split"], configuration["seed"]) == ("all", 0):
        best = _best(systems)
        result["kept"] = kept(trained[best], best)
    return result


def _name(configuration: Settings, variant: str) -> str:
    """The name of a variant's checkpoint."""
    norm = "" if configuration["norm_first"] else ", post-norm"
    split, seed = configuration["split"], configuration["seed"]
    return f"{split}, {variant}, {seed}{norm}.pt".replace(" ", "_")


def _best(systems: dict[str, dict]) -> str:
    """The system with the highest BLEU, which is kept."""
    return max(systems, key=lambda variant: systems[variant]["bleu"])


def _symbols(words: Subwords, pairs: Pairs) -> list[int]:
    """How many symbols the sources have, and the targets."""
    sides = (pairs.sources, pairs.targets)
    return [sum(len(symbols) for symbols in words.encode(side)) for side in sides]


def curves(learned: Learned) -> dict[str, Any]:
    """The mean training loss and the loss on the validation pairs of each epoch, and the epoch with
    the lowest of these.
    """
    by_epoch = np.split(np.array(learned.losses), learned.ends[:-1])
    return {
        "losses": [round(float(losses.mean()), 4) for losses in by_epoch],
        "dev_losses": [round(loss, 4) for loss in learned.dev_losses],
        "best_epoch": best_epoch(learned.dev_losses),
    }


def samples_of(
    pairs: Pairs, outputs: dict[str, list[str]], are_quoted: bool = True
) -> list[dict[str, Any]]:
    """A few of the tests, the same whoever was trained, with what was made of them; the number of
    the test in place of its sentences unless they `are_quoted`.
    """
    most = (QUOTED if are_quoted else NUMBERED) - 1
    samples = []
    for i in (i * (len(pairs) - 1) // most for i in range(most + 1)):
        said: dict[str, Any] = {"sentence": i}
        if are_quoted:
            said = {"source": pairs.sources[i], "reference": pairs.targets[i]}
        samples.append(said | {name: lines[i] for name, lines in outputs.items()})
    return samples


def _first_losses(configuration: Settings) -> list[list[float]]:
    """The losses of each variant's first steps on the generated pair, which is at hand wherever a
    stored run is checked.
    """
    whole = {"pair": "generated", "longest": None, "train": None, "test": None}
    corpus, words = _sentences(configuration | whole)
    training, shape = parted(configuration)
    return [
        learn(corpus, words, training, stop_after=FIRST_STEPS, **shape | VARIANTS[variant]).losses
        for variant in configuration["variants"]
    ]


def kept(learned: Learned, variant: str) -> dict[str, Any]:
    """All that a system needs to translate again, but for its configuration: under 2 MB at the
    sizes of `settings.TALKS`. Parameters are float32, little-endian, in base 64.
    """
    words = learned.vocabulary
    assert isinstance(words, Subwords)
    flat = parameters_to_vector(learned.model.parameters()).detach().cpu().numpy()
    return {
        "variant": variant,
        "parameters": b64encode(flat.astype("<f4").tobytes()).decode(),
        "vocabulary": b64encode(compress(words.model)).decode(),
        "mean_length": learned.model.shape.mean_length,
    }


@takes(row=measured_row)
def kept_system(row: dict) -> Learned:
    """The system whose parameters and subwords a stored result keeps; calling it on sentences
    translates them. ValueError for a result that keeps none, or a broken one.
    """
    found = row["result"].get("kept", {})
    try:
        words = Subwords.of_model(decompress(b64decode(found["vocabulary"])))
        return _system(row["configuration"], found, words, found["mean_length"])
    except (KeyError, TypeError, ValueError, RuntimeError, ZlibError) as error:
        raise ValueError("a result that keeps a system with its subwords is expected") from error


def _system(configuration: Settings, found: dict, words: Subwords, mean_length: float) -> Learned:
    """The system of kept parameters, with these subwords."""
    _, shape = parted(configuration)
    model = Seq2Seq(
        Shape(len(words), mean_length=mean_length, **shape | VARIANTS[found["variant"]])
    )
    flat = np.frombuffer(b64decode(found["parameters"]), "<f4").astype(np.float32)
    vector_to_parameters(torch.from_numpy(flat), model.parameters())
    return Learned(model, words, True, [])  # each pair of languages ends its sources


# ---- how it is checked


def replay(
    configuration: dict, result: dict, in_full: bool = False, data: Path | None = None
) -> bool:
    """Whether today's code, set up as in the stored run, takes the stored first steps on the
    generated pair, and gives the stored figures from what is kept.

    `data` is the folder of the pair, where it is at hand: then the corpus must be the stored one
    and, where training stops by the validation pairs, give what `_data_hold` asks of it: a first
    epoch of the variant whose turn it is with this seed, or `in_full` of every variant.
    """
    if not is_same_start(_first_losses(configuration), result["first_losses"]):
        return False
    stops = "patience" in configuration
    if not _sizes_hold(configuration, result):
        return False
    if stops and not _figures_hold(configuration, result):
        return False
    if configuration["pair"] == "generated" and not _is_made_up(configuration, result):
        return False
    if data is None:
        return True
    corpus, words = _sentences(configuration, data)
    if fingerprint(corpus) != result["data"]:
        return False
    return not stops or _data_hold(configuration, result, corpus, words, in_full)


def _figures_hold(configuration: Settings, result: dict) -> bool:
    """Whether scores and stop are those that follow from the kept counts and losses."""
    systems, variants = result["systems"], configuration["variants"]
    counts = {name: unpacked(result["matches"][name]) for name in variants}
    references = counts[variants[0]][:, 1]
    if len(references) != result["pairs"]["test"]:
        return False
    if not all(np.array_equal(found[:, 1], references) for found in counts.values()):
        return False
    if result.get("kept", {"variant": _best(systems)})["variant"] != _best(systems):
        return False
    training, _ = parted(configuration)
    return all(
        _is_score(score, systems[name]) and _has_stopped_rightly(training, systems[name])
        for name, score in scores_of(counts).items()
    )


def _sizes_hold(configuration: Settings, result: dict) -> bool:
    """Whether numbers of steps, symbols and samples fit together: an epoch has as many steps, give
    or take one, whichever system is trained; p is a share of the bootstrap's samples.
    """
    systems, pairs, symbols = result["systems"], result["pairs"], result["symbols"]
    if [*systems] != [*configuration["variants"]]:
        return False
    trained = {
        (len(one["losses"]) if "losses" in one else configuration["epochs"], one["steps"])
        for one in systems.values()
    }
    steps = [steps / epochs for epochs, steps in trained]
    drawn = [one["p"] * (BOOTSTRAP + 1) for one in systems.values() if one["p"] is not None]
    numbers = [sample["sentence"] for sample in result["samples"] if "sentence" in sample]
    last, most = pairs["test"] - 1, NUMBERED - 1
    length = 1 + symbols["train"][0] / pairs["train"]  # with the end of a source
    return (
        len({epochs for epochs, _ in trained}) == len(trained)
        and max(steps) - min(steps) < 1
        and all(samples > 0.9 and abs(samples - round(samples)) <= 0.06 for samples in drawn)
        and numbers in ([], [i * last // most for i in range(NUMBERED)])
        and abs(result.get("kept", {}).get("mean_length", length) - length) < 1e-9
    )


def _is_made_up(configuration: Settings, result: dict) -> bool:
    """Whether the made-up sentences, which are at hand, are as many as stored, and as long."""
    corpus, words = _sentences(configuration)
    parts = {"train": corpus.train, "test": corpus.tests["test"]}
    return (
        result["data"] == fingerprint(corpus)
        and result["pairs"] == {name: len(pairs) for name, pairs in parts.items()}
        and result["symbols"] == {name: _symbols(words, pairs) for name, pairs in parts.items()}
    )


def _is_score(score: BleuScore, system: dict) -> bool:
    """Whether a system's stored figures are this score, but for rounding."""
    return (
        abs(score.bleu - system["bleu"]) <= BLEU
        and abs(score.confidence - system["confidence"]) <= CONFIDENCE
        and (score.p is None) == (system["p"] is None)
        and (score.p is None or abs(score.p - system["p"]) <= P)
    )


def _has_stopped_rightly(training: Training, system: dict) -> bool:
    """Whether the losses of a system end where the stop criterion ends them, and not before. They
    are stored rounded: of equal ones any may have been the lowest.
    """
    losses, best = system["dev_losses"], system["best_epoch"]
    later = [loss - 1e-9 * epoch for epoch, loss in enumerate(losses)]  # of equal ones the last
    if len(losses) != len(system["losses"]) or system["last_loss"] != system["losses"][-1]:
        return False
    ends = len(losses) == training.epochs or training.has_stopped(losses)
    goes_on = not any(training.has_stopped(later[:n]) for n in range(1, len(losses)))
    is_best = 1 <= best <= len(losses) and losses[best - 1] == min(losses)
    return ends and goes_on and is_best


def _data_hold(
    configuration: Settings, result: dict, corpus: Corpus, words: Subwords, in_full: bool
) -> bool:
    """Whether the sentences of a stored result give what it keeps."""
    variants, references = configuration["variants"], corpus.tests["test"].targets
    for name in variants:
        counts = unpacked(result["matches"][name])
        for sample in result["samples"]:
            i = sample["sentence"]
            if (matches([sample[name]], [references[i]])[0] != counts[i]).any():
                return False
    chosen = variants if in_full else [variants[configuration["seed"] % len(variants)]]
    return all(
        _first_epoch_holds(configuration, result, corpus, words, variant) for variant in chosen
    ) and ("kept" not in result or _kept_holds(configuration, result, corpus, words))


def _first_epoch_holds(
    configuration: Settings, result: dict, corpus: Corpus, words: Subwords, variant: str
) -> bool:
    """Whether a first epoch of a variant gives the stored losses."""
    training, shape = parted(configuration)
    again = curves(learn(corpus, words, replace(training, epochs=1), **shape | VARIANTS[variant]))
    system = result["systems"][variant]
    pairs = [(again[name][0], system[name][0]) for name in ("losses", "dev_losses")]
    return all(abs(now - then) <= FIRST_EPOCH * then for now, then in pairs)


def _kept_holds(configuration: Settings, result: dict, corpus: Corpus, words: Subwords) -> bool:
    """Whether the parameters that are kept translate the test to the stored BLEU."""
    found, tested = result["kept"], corpus.tests["test"]
    mean_length = Examples.of(corpus.train, words, corpus.ends_source).mean_length
    if "vocabulary" in found:
        is_that_of_corpus = (
            decompress(b64decode(found["vocabulary"])) == words.model
            and found["mean_length"] == mean_length
        )
        if not is_that_of_corpus:
            return False
    learned = _system(configuration, found, words, mean_length)
    counts = matches(learned(tested.sources, configuration["beam"]), tested.targets)
    again = scores_of({found["variant"]: counts})[found["variant"]]
    return abs(again.bleu - result["systems"][found["variant"]]["bleu"]) <= KEPT_BLEU


def folder_of(pair: str) -> Folder:
    """The folder of a pair's files."""
    source = SOURCES[pair]
    return Folder(
        f"Its files {', '.join(source.names())}, each plain or as .gz, come from {source.origin}",
        lambda folder: fingerprint(from_folder(pair, folder)),
    )


EXPERIMENTS = {
    f"translation_{name}": Experiment(
        runs.configurations(),
        runs.quick(),
        measure,
        replay,
        reads=folder_of(runs.pair) if runs.pair in SOURCES else None,
        goes_on=True,
    )
    for name, runs in RUNS.items()
}
