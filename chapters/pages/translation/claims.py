"""What chapter 4 records of translations with a factor on the attention logits, beside Chiang &
Cholak (2022), table 1.

Each function takes a stored run, says whether the criterion that it states is met, adds the lines
to the chapter's claims, and names the numbers of the text. None of these lines settles a row.
"""

from __future__ import annotations

from dataclasses import replace
import numpy as np
from record.claims import Claims
from lib.notebook import glue
from record.runs import Stored
from record.experiments.translation.bleu import (
    CRITERIA,
    Comparison,
    compared,
    interval,
    norm_changes,
    significant_seeds,
    unpacked,
)
from record.experiments.translation.settings import RUNS, SCALES


TABLE, CELL = "C Table 1", "log-translation"
PAIRS = 133_317  # to train on, of which the paper had all
AFTER = "(chosen after the run)"
NAMES = {"iwslt15": "En-Vi talks", "ted": "En-Fr talks", "multi30k": "captions"}
TALKS = {  # as the text's numbers are named
    "iwslt15": "talks",
    "iwslt15_post_norm": "post",
    "iwslt15_longer": "longer",
    "iwslt15_longer_short": "longer",
    "ted": "ted",
}
KINDS = {"longer": ", longer", "post": ", post-norm"}


def part_or_data(settings: dict, pairs: int, both_norms: bool = False) -> tuple[str, str]:
    """What a line says of a run on so many `pairs`: the part of the papers' own English to
    Vietnamese that it is, and the other data that it is, one of them "".
    """
    norm = "pre-norm" if settings["norm_first"] else "post-norm"
    layers, at_most = settings["layers"], "at most " if settings.get("patience") else ""
    size = (
        f"{layers} layer{'s' if layers > 1 else ''} of width {settings['width']}, "
        f"{'both norms' if both_norms else norm}, {at_most}{settings['epochs']} epochs"
    )
    if settings["pair"] == "iwslt15":
        return f"{pairs:,} of {PAIRS:,} pairs, {size}", ""
    return "", f"{NAMES[settings['pair']]}, {pairs:,} pairs, {size}"


def talks(claims: Claims, run: Stored) -> None:
    """Table 1 beside a run on talks, by criteria that precede it, on the splits that it has. Names
    the numbers of the text.
    """
    settings = run.results[0]["configuration"]
    name = TALKS[run.name.removeprefix("translation_")]
    source = NAMES[settings["pair"]] + KINDS.get(name, "")
    chosen = " (of a run chosen after the shorter)" if name == "longer" else ""
    splits = {row["configuration"]["split"] for row in run.results}
    for criterion in (one for one in CRITERIA if one.row == TABLE and one.split in splits):
        found = compared(run.results, criterion.split, criterion.variant)
        pairs = _trained(run, criterion.split)
        is_met, is_printed = criterion.agrees(found), criterion.printed is not None
        part, data = part_or_data(settings, pairs)
        claims.settle("translation", here=f"{_added(found)}; {'met' if is_met else 'not met'}",
                      agrees=is_met if is_printed else None,
                      quantity=_quantity(criterion.variant, criterion.split, found, source),
                      paper=f"{criterion.printed:+.1f}" if is_printed else None,
                      printed=criterion.place, criterion=criterion.rule + chosen,
                      source=run.source, part=part, data=data)
        key = f"log_{name}_{criterion.variant}_{criterion.split}".replace(" ", "_")
        glue(key, _with_interval(found.gain))
        glue(f"{key}_sure", _ups_and_downs(found))
        glue(f"{key}_without", f"{found.baseline.mean():.1f}")
        glue(f"{key}_ratio", f"{ratio(run, criterion.split):.2f}")
        glue(f"{key}_pairs", f"{pairs:,}")
        glue(f"{key}_share", f"{100 * pairs / run.results[0]['result']['pairs']['train']:.0f}")
    if name == "talks":
        glue("log_talks_of", f"{PAIRS:,}")


def ended(name: str, *runs: Stored) -> None:
    """Names how many trainings with a stop criterion took all the epochs that they were allowed."""
    ends = [
        len(system["dev_losses"]) == row["configuration"]["epochs"]
        for run in runs
        for row in run.results
        for system in row["result"]["systems"].values()
        if "dev_losses" in system
    ]
    glue(name, f"{sum(ends)} of {len(ends)}")


def slower(run: Stored) -> None:
    """Names, of all lengths, how many epochs log n took and the baseline, and its loss on the
    validation pairs less the baseline's, in the mean of the seeds: after as many epochs as the
    shorter run on the same pairs was allowed, where one of the two stopped, and with the weights
    that are kept of both.
    """
    systems = [result["systems"] for result in _of_split(run, "all")]
    plain, scaled = (
        [np.array(system[variant]["dev_losses"]) for system in systems]
        for variant in ("baseline", "log n")
    )
    took = [sorted(map(len, curves)) for curves in (scaled, plain)]
    glue("log_longer_epochs", " against ".join(f"{least} to {most}" for least, *_, most in took))
    both = [min(len(one), len(other)) for one, other in zip(plain, scaled, strict=True)]
    few = RUNS[run.results[0]["configuration"]["pair"]].settings["epochs"]
    for name, ends in (("few", [few] * len(both)), ("stop", both)):
        behind = [s[end - 1] - p[end - 1] for p, s, end in zip(plain, scaled, ends, strict=True)]
        glue(f"log_longer_behind_{name}", f"{np.mean(behind):+.3f}")
    kept = [s.min() - p.min() for p, s in zip(plain, scaled, strict=True)]
    glue("log_longer_behind_kept", f"{np.mean(kept):+.3f}")


def norms(claims: Claims, before: Stored, after: Stored | None = None) -> None:
    """What log n adds with layer normalization before the sublayers, and after them, by a criterion
    that precedes the runs; both norms are in one run, or in two. Names the numbers of the text:
    means over seeds and their 95 % intervals.
    """
    rows = [*before.results, *(after.results if after else [])]
    settings = rows[0]["configuration"]
    for split in dict.fromkeys(row["configuration"]["split"] for row in rows):
        pre, post = (_with_norm(rows, split, first, "log n") for first in (True, False))
        found = {"pre": pre.gain, "post": post.gain, "norm": pre.gain - post.gain}
        for name, gain in found.items():
            key = f"log_{settings['pair']}_{name}_{split}".replace(" ", "_")
            glue(key, _with_interval(gain))
        low, high = norm_changes(pre, post)
        part, data = part_or_data(settings, _trained(before, split), both_norms=True)
        claims.settle("translation: talks",
                      here=f"{_with_interval(found['norm'])}; " f"{'no change seen' if low <= 0 <= high else 'a change'}",
                      agrees=None,
                      quantity=f"with pre-norm less with post-norm: " f"{_quantity('log n', split, pre, NAMES[settings['pair']])}",
                      source=" and ".join(run.source for run in (before, after) if run), part=part,
                      data=data)


def _with_norm(rows: list[dict], split: str, norm_first: bool, variant: str) -> Comparison:
    """What a variant adds in a split with one of the norms."""
    held = [row for row in rows if row["configuration"]["norm_first"] == norm_first]
    return compared([row for row in held if row["configuration"]["split"] == split], split, variant)


def _with_interval(gain: np.ndarray) -> str:
    """The mean of differences, one a seed, and its 95 % interval."""
    low, high = interval([*gain])
    return f"{gain.mean():+.2f} ({low:+.2f} to {high:+.2f})"


def _of_split(run: Stored, split: str) -> list[dict]:
    """What the systems of a split gave, seed by seed."""
    return [row["result"] for row in run.results if row["configuration"]["split"] == split]


def _trained(run: Stored, split: str) -> int:
    """On how many pairs the systems of a split were trained."""
    return _of_split(run, split)[0]["pairs"]["train"]


def ratio(run: Stored, split: str, variant: str = "baseline") -> float:
    """How long a variant's outputs are, as a part of their references, over all seeds."""
    matches = [unpacked(result["matches"][variant]) for result in _of_split(run, split)]
    found = np.vstack(matches).sum(0)
    return float(found[0] / found[1])


def others(claims: Claims, run: Stored, name: str, data: str) -> None:
    """Table 1 beside a run on other data, on the splits that it has."""
    for split in dict.fromkeys(row["configuration"]["split"] for row in run.results):
        found, same = compared(run.results, split, "log n"), split == "all"
        is_close = abs(found.gain.mean() + 0.1) <= 0.5
        is_sure = found.gain.mean() > 0 and 2 * significant_seeds(found) > len(found.p)
        rule = "within half a point of it" if same else "a gain, p < 0.01 for most seeds"
        claims.settle("translation: other data", here=_added(found),
                      agrees=bool(is_close if same else is_sure),
                      quantity=_quantity("log n", split, found, name),
                      paper="-0.1" if same else "+1.0, p < 0.01", data=data, source=run.source,
                      rule=rule)
        glue(f"log_{name}_{split}".replace(" ", "_"), f"{found.gain.mean():+.2f}")


def scales(claims: Claims, run: Stored) -> None:
    """What of log n does what it does, its growth or its size: from short to long sentences."""
    split = "short to long"
    settings, trained = run.results[0]["configuration"], _trained(run, split)
    for factor in SCALES:
        found = compared(run.results, split, factor)
        claims.settle("translation: scales", here=_added(found), agrees=None,
                      quantity=_quantity(factor, split, found, "scales"),
                      data=part_or_data(settings, trained)[1], source=run.source)
    names = ("plain", "both", "grows", "large")
    for name, variant in zip(names, ("baseline", "log n", *SCALES), strict=True):
        systems = [row["result"]["systems"][variant] for row in run.results]
        loss = np.mean([system["last_loss"] for system in systems])
        glue(f"log_{name}_last_loss", f"{loss:.2f}")


def _ups_and_downs(found: Comparison) -> str:
    """How many seeds gain, and how many lose, with p < 0.01."""
    up, down = (
        significant_seeds(
            replace(
                found,
                baseline=found.baseline[which],
                variant=found.variant[which],
                p=found.p[which],
            )
        )
        for which in (found.gain > 0, found.gain < 0)
    )
    return f"{up} up, {down} down of {len(found.p)}"


def _quantity(variant: str, split: str, found: Comparison, name: str) -> str:
    return f"BLEU that {variant} adds, {split}, mean of {len(found.p)} seeds ({name})"


def _added(found: Comparison) -> str:
    return f"{found.gain.mean():+.2f}; p < 0.01 for {significant_seeds(found)} of {len(found.p)}"
