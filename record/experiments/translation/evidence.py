"""What a stored translation keeps so that its figures can be computed again, and the checks that do
so: without the sentences, and where their folder is at hand.

Without them, BLEU, its interval and its p-value follow from the counts that are kept of every test
sentence, and the stop from the losses on the validation pairs. With them, the kept outputs must
have the kept counts, a first epoch on the corpus must give the stored losses, and the parameters
that are kept must translate the test to the stored BLEU.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import replace
from datetime import date
from typing import Any
from zlib import compress, decompress
from zlib import error as ZlibError

import numpy as np
import torch
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from lib.checks import shown, takes
from lib.translation.data import Corpus, Examples, Subwords, fingerprint
from lib.translation.model import Seq2Seq, Shape
from lib.translation.train import Learned, Training, best_epoch, learn
from record.experiment import measured_row
from record.experiments.translation.bleu import matches, packed, scores_of, unpacked
from record.experiments.translation.configurations import VARIANTS, Settings
from record.experiments.translation.synthetic_runs import parted

# How far a figure that is computed again may be from the stored one: the first three are rounding
# of what is stored, the last two that of another machine's or a GPU's arithmetic.
BLEU, CONFIDENCE, P = 0.006, 0.02, 0.003
FIRST_EPOCH = 0.02  # of the losses
KEPT_BLEU = 0.3
NOT_OF_THE_SHAPE = (
    "pair",
    "split",
    "short",
    "longest",
    "variants",
    "seed",
    "size",
    "train",
    "test",
    "beam",
)


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


def parameters_of(model: Seq2Seq) -> str:
    """A model's parameters as text: float32, little-endian, in base 64."""
    flat = parameters_to_vector(model.parameters()).detach().cpu().numpy()
    return b64encode(flat.astype("<f4").tobytes()).decode()


def kept(learned: Learned, variant: str) -> dict[str, Any]:
    """All that a system needs to translate again, but for its configuration: under 2 MB at the
    sizes of `record.experiments.translation.configurations.TALKS`.
    """
    words = learned.vocabulary
    if not isinstance(words, Subwords):
        raise TypeError(f"a system with subwords is expected, not with {shown(words)}")
    return {
        "variant": variant,
        "parameters": parameters_of(learned.model),
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
    _, settings = _parts(configuration)
    settings |= VARIANTS[found["variant"]]
    shape = Shape(len(words), mean_length=mean_length, **settings)
    model = with_parameters(shape, found["parameters"])
    return Learned(model, words, True, [])  # each pair of languages ends its sources


def with_parameters(shape: Shape, written: str) -> Seq2Seq:
    """The model of that shape with the parameters that `parameters_of` made a text of."""
    model = Seq2Seq(shape)
    flat = np.frombuffer(b64decode(written), "<f4").astype(np.float32)
    vector_to_parameters(torch.from_numpy(flat), model.parameters())
    return model


def counted(outputs: dict[str, list[str]], references: tuple[str, ...]) -> dict[str, str]:
    """The counts behind each system's BLEU, as text."""
    return {name: packed(matches(lines, references)) for name, lines in outputs.items()}


def figures_hold(configuration: Settings, result: dict) -> bool:
    """Whether scores and stop are those that follow from the kept counts and losses."""
    systems, variants = result["systems"], configuration["variants"]
    counts = {name: unpacked(result["matches"][name]) for name in variants}
    references = counts[variants[0]][:, 1]
    if len(references) != result["pairs"]["test"]:
        return False
    if any((found[:, 1] != references).any() for found in counts.values()):
        return False
    training, _ = _parts(configuration)
    for name, score in scores_of(counts).items():
        system = systems[name]
        is_scored = (
            abs(score.bleu - system["bleu"]) <= BLEU
            and abs(score.confidence - system["confidence"]) <= CONFIDENCE
            and (score.p is None) == (system["p"] is None)
            and (score.p is None or abs(score.p - system["p"]) <= P)
        )
        if not is_scored or not _has_stopped_rightly(training, system):
            return False
    return True


def _has_stopped_rightly(training: Training, system: dict) -> bool:
    """Whether the losses of a system end where the stop criterion ends them, and not before. They
    are stored rounded: of equal ones any may have been the lowest.
    """
    losses, best = system["dev_losses"], system["best_epoch"]
    later = [loss - 1e-9 * epoch for epoch, loss in enumerate(losses)]  # of equal ones the last
    ends = len(losses) == training.epochs or training.has_stopped(losses)
    goes_on = not any(training.has_stopped(later[:n]) for n in range(1, len(losses)))
    is_best = 1 <= best <= len(losses) and losses[best - 1] == min(losses)
    return ends and goes_on and is_best


def data_hold(configuration: Settings, result: dict, corpus: Corpus, words: Subwords) -> bool:
    """Whether the corpus is that of a stored result, and gives what it keeps."""
    if fingerprint(corpus) != result["data"]:
        return False
    references = corpus.tests["test"].targets
    for name in configuration["variants"]:
        counts = unpacked(result["matches"][name])
        for sample in result["samples"]:
            i = sample["sentence"]
            if (matches([sample[name]], [references[i]])[0] != counts[i]).any():
                return False
    return _first_epoch_holds(configuration, result, corpus, words) and (
        "kept" not in result or _kept_holds(configuration, result, corpus, words)
    )


def _first_epoch_holds(
    configuration: Settings, result: dict, corpus: Corpus, words: Subwords
) -> bool:
    """Whether a first epoch gives the stored losses, of a variant that changes with the date."""
    variants = configuration["variants"]
    variant = variants[date.today().toordinal() % len(variants)]
    training, shape = _parts(configuration)
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


def _parts(configuration: Settings) -> tuple[Training, Settings]:
    """The training and the shape of a configuration, without its data and its variants."""
    settings = {
        name: value for name, value in configuration.items() if name not in NOT_OF_THE_SHAPE
    }
    return parted(configuration["seed"], settings)
