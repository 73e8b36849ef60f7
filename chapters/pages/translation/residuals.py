"""What chapter 6 records of trained systems, beside Bhattamishra, Patel & Goyal (2020), section 5.

Each function takes a stored run, decides by the criterion that it states, adds the lines to the
chapter's claims, and names the numbers of the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import numpy as np
from record.claims import MEASURED, PROVED, Claims
from lib.notebook import glue
from record.runs import Stored
from chapters.pages.translation.claims import AFTER, NAMES, part_or_data
from record.experiments.translation.bleu import (
    CRITERIA,
    LOSES,
    Comparison,
    compared,
    significant_seeds,
    unpacked,
)


SYNTHETIC, LENGTHS, TRANSLATION = "B Table 1, 3", "B Fig. 3, Table 4", "B Table 2"

# Copy and count in Table 1, by what is left out. Where the paper names the decoder-decoder residual
# connection, its code leaves out the one around the feed-forward network: the values are of either.
PRINTED = {
    "": (100.0, 100.0),
    "decoder-encoder": (99.7, 0.0),
    "decoder-decoder": (99.7, 99.8),
    "decoder feed-forward": (99.7, 99.8),
}
FORCED = "forced for n = 1: one key, so a_t is one vector whatever the weights"
LOST = {"decoder-encoder": -8.8, "decoder-decoder": -2.3, "decoder feed-forward": None}


def synthetic(claims: Claims, run: Stored) -> None:
    """Tables 1 and 3 beside the stored runs of copying and counting."""
    for row in run.results:
        task, left_out = row["configuration"]["task"], "".join(row["configuration"]["without"])
        counts = task == "counting"
        tests = row["result"]["tests"]["all" if counts else "5-12"]
        bleu, paper = tests["bleu"], PRINTED[left_out][counts]
        agrees = min(bleu) <= paper <= max(bleu)
        tried = f"{task} on the {tests['of']} numbers trained on" if counts else task
        forced = counts and max(tests["different"]) == 1
        claims.settle("counting", here=f"{np.mean(bleu):.1f} ({min(bleu)} to {max(bleu)})",
                      agrees=agrees,
                      quantity=f"BLEU of {tried}, {f'no {left_out}' if left_out else 'every'} residual, " f"{len(bleu)} seeds",
                      paper=paper, settles="count" if counts else "copy",
                      printed="Table 1" + ("; in its code" if left_out == "decoder feed-forward" else ""),
                      truth=PROVED if forced else MEASURED, source=run.source,
                      data="" if counts else "made-up words",
                      note=FORCED if forced else _cause(tests, agrees))
        if counts and left_out == "decoder-encoder":
            _sample(claims, run, max(tests["different"]))


def _cause(tests: Mapping, agrees: bool) -> str:
    """Why a score is another than the printed one, "" where no cause is found."""
    all_right = min(tests["exact"]) == tests["of"]
    return "every seed has every answer right" if all_right and not agrees else ""


def _sample(claims: Claims, run: Stored, different: int) -> None:
    claims.settle("counting: sample", here=different, agrees=different <= 1, source=run.source)


def copying(claims: Claims, run: Stored, bleu: Mapping, lengths: Sequence[str]) -> None:
    """Figure 3 beside the stored copies: `bleu[layers, positions]` by length and seed. Names the
    numbers of the text.
    """
    for layers in (1, 2):
        ahead = (bleu[layers, "masking"] - bleu[layers, "sinusoidal"]).mean(1)[1:]
        claims.settle("copies: longer", here=", ".join(f"{gain:+.1f}" for gain in ahead),
                      agrees=bool((ahead > 0).all()),
                      quantity=f"BLEU of masking less sinusoidal at {', '.join(lengths[1:])} words, {layers} layer(s)",
                      source=run.source)
    _longer_outputs(claims, run, lengths[1])
    glue("tm_copy_seeds", len(run.results[0]["result"]["tests"][lengths[0]]["bleu"]))
    glue("tm_copy_words", run.results[0]["configuration"]["words"])


def _longer_outputs(claims: Claims, run: Stored, length: str) -> None:
    """How many sources of a `length` above 12 words are copied whole, each an output above 12."""
    tests = [
        row["result"]["tests"][length]
        for row in run.results
        if row["configuration"]["positions"] == "sinusoidal"
    ]
    whole = [count for test in tests for count in test["exact"]]
    between = f"{min(whole)} to {max(whole)}"
    claims.settle("copies: ahead", here=between, agrees=max(whole) == 0,
                  quantity=f"sources of {length} words copied whole, of {tests[0]['of']:,}, sinusoidal, by seed",
                  source=run.source)
    glue("tm_copy_whole", between)


def translation(claims: Claims, run: Stored, layers: int) -> None:
    """Table 2's losses beside a stored run, which is another experiment. Names the numbers of the
    text.
    """
    variants = run.results[0]["configuration"]["variants"]
    for name, lost in LOST.items():
        variant = f"no {name} residual"
        if variant in variants:
            last, base = _last_losses(run, variant), _last_losses(run, "baseline")
            pairs = compared(run.results, "all", variant)
            _translated(claims, run, f"{variant}, {layers} layer(s)", lost, pairs, last / base)
            numbers = {
                "": f"{pairs.gain.mean():+.2f}",
                "_seeds": _by_seed(pairs),
                "_sure": f"{significant_seeds(pairs)} of {len(pairs.p)}",
                "_loss": f"{last:.1f}",
                "_base": f"{base:.1f}",
                "_bleu": f"{pairs.variant.max():.0f}",
            }
            for key, value in numbers.items():
                glue(f"tm_{layers}_{name}{key}", value)
    glue(f"tm_{layers}_epochs", run.results[0]["configuration"]["epochs"])
    glue(f"tm_{layers}_pairs", f"{run.results[0]['result']['pairs']['train']:,}")
    glue(f"tm_{layers}_ahead", _ahead(run))


def talks(claims: Claims, run: Stored, pair: str) -> None:
    """Table 2's losses of a `pair` beside a run on talks, by criteria that precede it: on a part of
    the paper's own English to Vietnamese, or on other talks; to which pair these are held was
    chosen after. Names the numbers of the text.
    """
    settings, trained = run.results[0]["configuration"], run.results[0]["result"]["pairs"]["train"]
    part, data = part_or_data(settings, trained)
    for criterion in CRITERIA:
        if criterion.place == f"Table 2, {pair}":
            found = compared(run.results, criterion.split, criterion.variant)
            name = criterion.variant.removeprefix("no ").removesuffix(" residual")
            base = f"{found.baseline.mean():.1f}"
            is_beyond = (criterion.printed or 0) < -found.baseline.max()
            rule = f"{criterion.rule} ({pair}: chosen after the run)" if data else criterion.rule
            claims.settle("translation: residuals", here=_with_sure_seeds(found),
                          agrees=criterion.agrees(found),
                          quantity=f"BLEU, {criterion.variant}, less baseline's {base}, by seed " f"({NAMES[settings['pair']]})",
                          paper=criterion.printed, printed=criterion.place, criterion=rule,
                          source=run.source, part=part, data=data,
                          note="it could not agree: the baseline has less BLEU" if is_beyond else "")
            key = f"tm_{settings['pair']}_{name}"
            glue(key, f"{found.gain.mean():+.2f}")
            glue(f"{key}_sure", f"{significant_seeds(found)} of {len(found.p)}")
    base = compared(run.results, "all", "no decoder-encoder residual").baseline
    glue(f"tm_{settings['pair']}_base", f"{base.mean():.1f}")
    glue(f"tm_{settings['pair']}_pairs", f"{trained:,}")
    glue(f"tm_{settings['pair']}_epochs", settings["epochs"])
    glue(f"tm_{settings['pair']}_ahead", _ahead(run))
    for name, measure in (("loss", _lowest_loss), ("long", _without_brevity)):
        costs = [
            [measure(row["result"], f"no {left_out} residual") for row in run.results]
            for left_out in ("decoder-encoder", "decoder-decoder")
        ]
        more = sum(first > second for first, second in zip(*costs, strict=True))
        glue(f"tm_{settings['pair']}_ahead_{name}", f"{more} of {len(run.results)}")


def _ahead(run: Stored) -> str:
    """For how many seeds more is lost without the decoder-encoder connection than without the
    decoder-decoder one.
    """
    first, second = (
        compared(run.results, "all", f"no {name} residual").gain
        for name in ("decoder-encoder", "decoder-decoder")
    )
    return f"{(first < second).sum()} of {len(first)}"


def _lowest_loss(result: Mapping, variant: str) -> float:
    """The loss on the validation pairs with the weights that are kept."""
    return min(result["systems"][variant]["dev_losses"])


def _without_brevity(result: Mapping, variant: str) -> float:
    """Minus the BLEU that there is if outputs shorter than their references cost nothing.

    BLEU's factor for them is exp(1 - reference words / words) where that is below 1.
    """
    words, reference_words = unpacked(result["matches"][variant]).sum(0)[:2]
    brevity = min(1, np.exp(1 - reference_words / words))
    return -result["systems"][variant]["bleu"] / brevity


def _last_losses(run: Stored, variant: str) -> float:
    """The mean over seeds of the training loss in the last epoch, lengths being alike."""
    rows = [row for row in run.results if row["configuration"]["split"] == "all"]
    return float(np.mean([row["result"]["systems"][variant]["last_loss"] for row in rows]))


def _by_seed(pairs: Comparison) -> str:
    return ", ".join(f"{gain:+.2f}" for gain in pairs.gain)


def _with_sure_seeds(pairs: Comparison) -> str:
    """The differences seed by seed, and for how many p is below 0.01."""
    return f"{_by_seed(pairs)}; p < 0.01 for {significant_seeds(pairs)} of {len(pairs.p)}"


def _translated(
    claims: Claims, run: Stored, quantity: str, lost: float | None, pairs: Comparison, ratio: float
) -> None:
    is_trained, criterion = ratio < 1.5, "last loss below 1.5 times the baseline's"
    is_between = lost is None or pairs.gain.min() <= lost <= pairs.gain.max()
    settings, trained = run.results[0]["configuration"], run.results[0]["result"]["pairs"]["train"]
    claims.settle("translation", here=_with_sure_seeds(pairs),
                  agrees=is_trained and bool(is_between), paper=lost,
                  settles="" if lost is None else "De-En",
                  printed="" if lost is None else "Table 2, De-En",
                  criterion=f"{criterion}{'' if lost is None else f', and {LOSES}'} {AFTER}",
                  source=run.source, data=f"{part_or_data(settings, trained)[1]}, not tuned",
                  note="" if is_trained else f"its loss is {ratio:.1f} times the baseline's",
                  quantity_=quantity)
