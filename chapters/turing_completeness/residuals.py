"""What chapter 6 records of trained systems without a residual connection, and of copies longer
than those trained on, beside Bhattamishra, Patel & Goyal (2020), section 5.

Each function takes a stored run, settles lines of the chapter's criteria, and names the numbers of
the text.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chapters.translation.bleu import CRITERIA, Comparison, compared
from chapters.translation.wording import (
    behind,
    of_split,
    sure_seeds,
    system,
    training_pairs,
    with_interval,
)
from chapters.turing_completeness.runs import SEEN, TESTED_LENGTHS, TRAINED_LENGTHS
from record.claims import Claims
from record.notebook import glue
from record.runs import Stored, read_yaml

BEFORE = Path(__file__).with_name("criteria")  # what each run that copies or counts was asked
COMPARED = ("no decoder-encoder residual", "no decoder-decoder residual")

# Where the paper names the decoder-decoder residual connection, its code leaves out the one around
# the feed-forward network.
EVERY, IN_ITS_CODE = "every", "decoder feed-forward"
COPIES = {"copies_of_sentences": "repeated", "copies_of_beginnings": "begun"}
LENGTHS = [*TESTED_LENGTHS]
BEST = "best"  # BLEU, of the best epoch where each was scored
UNSEEN, *BEYOND = LENGTHS  # sentences of the lengths trained on, and longer ones


def synthetic(claims: Claims, run: Stored) -> None:
    """Counting in tables 1 and 3 beside the stored run, by criteria that precede it."""
    asked = read_yaml(BEFORE / f"{run.name}.yaml")
    for left_out, printed in asked["paper"].items():
        bleu, different = (
            scores(run, "all", quantity, left_out=left_out) for quantity in (BEST, "different")
        )
        agrees = abs(np.mean(bleu) - printed) <= asked["within"]
        line = "counting: one number" if max(different) == 1 else "counting"
        of_it = {"paper": printed, "agrees": agrees, "within": asked["within"]}
        _settle_table_1(claims, line, run, left_out, bleu, **of_it)
        if left_out == "decoder-encoder":
            most = max(different)
            claims.settle("different numbers", here=most, agrees=most <= 1, source=run.source)


def _left_out_of(row: Mapping) -> str:
    """The residual connection that a row of a stored run is without, or `EVERY` for none."""
    return "".join(row["configuration"]["without"]) or EVERY


def _settle_table_1(
    claims: Claims,
    line: str,
    run: Stored,
    left_out: str,
    bleu: Sequence[float] | np.ndarray,
    **more,
) -> None:
    """Settles a line on the BLEU of each seed without a residual connection."""
    if left_out == IN_ITS_CODE:  # the table has no such row
        note = f"the authors' code takes out this one for - Dec-Dec Residual: {more['paper']}"
        more |= {"paper": None, "agrees": None, "note": note}
        more |= dict.fromkeys(("settles", "printed", "criterion"), "")
    claims.settle(
        line,
        here=f"{np.mean(bleu):.1f} ({min(bleu)} to {max(bleu)})",
        residuals=EVERY if left_out == EVERY else f"no {left_out}",
        seeds=len(bleu),
        source=run.source,
        **more,
    )


def copies(claims: Claims, run: Stored) -> None:
    """Table 1's copies and figure 3 beside a stored run, by criteria that precede it. Names the
    numbers of the text.
    """
    asked, kind = read_yaml(BEFORE / f"{run.name}.yaml"), COPIES[run.name]
    key = f"tm_{kind}"
    for left_out, printed in asked["paper"].items():
        bleu, seen, written = (
            scores(run, name, quantity, left_out=left_out)
            for name, quantity in ((UNSEEN, BEST), (SEEN, BEST), (UNSEEN, "written"))
        )
        _settle_table_1(
            claims,
            f"copy: {kind}",
            run,
            left_out,
            bleu,
            paper=printed,
            agrees=abs(np.mean(bleu) - printed) <= asked["within"],
            within=asked["within"],
            note=f"{seen.mean():.1f} on sentences trained on",
        )
        glue(f"{key}_{left_out}", f"{bleu.mean():.1f}")
        glue(f"{key}_{left_out}_seen", f"{seen.mean():.1f}")
        glue(f"{key}_{left_out}_written", f"{written.mean():.1f}")
    of_layers = {row["configuration"]["layers"] for row in run.results}
    for layers in of_layers:
        for name, about in ((UNSEEN, ""), (SEEN, "_seen")):
            of_masking = scores(run, name, positions="masking", layers=layers)
            glue(f"{key}_masking_{layers}{about}", f"{of_masking.mean():.1f}")
    masking = copied(run, positions="masking", layers=max(of_layers))  # the largest decides
    ahead = (masking - copied(run)).mean(1)[1:]
    claims.settle(
        f"longer: {kind}",
        here=", ".join(f"{gain:+.1f}" for gain in ahead),
        agrees=bool((ahead > 0).all()),
        words=", ".join(BEYOND),
        note=f"masking has {masking[0].mean():.1f} at the lengths trained on",
        source=run.source,
    )
    glue(f"{key}_ahead", _listed(ahead))
    longer = copied(run, "longer").sum(0)
    tested = run.results[0]["result"]["tests"]
    outputs, span = (
        sum(tested[name]["of"] for name in LENGTHS),
        f"{min(longer):,} to {max(longer):,}",
    )
    claims.settle(
        f"12 words: {kind}",
        here=span,
        agrees=max(longer) == 0,
        of=f"{outputs:,}",
        source=run.source,
    )
    glue(f"{key}_longer", span)
    glue(f"{key}_outputs", f"{outputs:,}")
    words = [scores(run, name, "sums")[:, 0] / tested[name]["of"] for name in LENGTHS[2:]]
    glue(f"{key}_words", f"{np.min(words):.0f} to {np.max(words):.0f}")
    middle = np.array([TESTED_LENGTHS[name] for name in BEYOND]).mean(1)
    glue(f"{key}_cut", _listed(100 * np.exp(1 - middle / TRAINED_LENGTHS[1])))
    glue(f"{key}_far", _listed(copied(run).mean(1)[1:]))


def sizes(begun: Stored, of_size: Stored) -> None:
    """Names how far masking is ahead of sinusoids in models of its larger size, each in the best of
    so many epochs as sinusoids had.
    """
    settings = of_size.results[0]["configuration"]
    same = {name: settings[name] for name in ("layers", "epochs")}
    sinusoids = copied(of_size, **same)
    seeds = sinusoids.shape[1]
    masking = copied(begun, positions="masking", **same)[:, :seeds]
    ahead = masking - sinusoids
    glue("tm_size_short", f"{sinusoids[0].mean():.1f}")
    glue("tm_size_short_masking", f"{masking[0].mean():.1f}")
    glue("tm_size_seeds", f"{(ahead[1:] > 0).all(0).sum()} of {seeds}")
    glue("tm_size_ahead", _listed(ahead[1:].mean(1)))
    glue("tm_size_gain", _listed((sinusoids.mean(1) - copied(begun).mean(1))[1:]))
    longer = copied(of_size, "longer", layers=settings["layers"]).sum(0)
    glue("tm_size_longer", " and ".join(f"{of_seed:,}" for of_seed in longer))


def _listed(gains: np.ndarray) -> str:
    """Gains in a sentence, one a length."""
    *others, last = (f"{gain:.0f}" for gain in gains)
    return f"{', '.join(others)} and {last}"


def scores(
    run: Stored,
    name: str,
    quantity: str = BEST,
    positions: str = "sinusoidal",
    layers: int = 1,
    left_out: str = EVERY,
    epochs: int | None = None,
) -> np.ndarray:
    """What each seed of the copies has on a set of tests, with these positions, so many layers a
    side and without a residual connection: a `quantity`, or BLEU, the best of all or of the first
    `epochs` where each epoch was scored, as in the authors' code.
    """
    found = []
    for row in run.results:
        settings, test = row["configuration"], row["result"]["tests"][name]
        which = (settings["positions"], settings["layers"], _left_out_of(row))
        if which != (positions, layers, left_out):
            continue
        if quantity == BEST and "epochs" in test:
            found += [max(each[:epochs]) for each in test["epochs"]]
        else:
            found += test["bleu" if quantity == BEST else quantity]
    return np.array(found)


def copied(run: Stored, quantity: str = BEST, **which: Any) -> np.ndarray:
    """`scores` by the words in a sentence: (lengths, seeds)."""
    return np.array([scores(run, name, quantity, **which) for name in LENGTHS])


def captions(claims: Claims, run: Stored) -> None:
    """Table 2's losses beside a stored run on captions, which is another experiment. Names the
    numbers of the text.
    """
    settings, base = run.results[0]["configuration"], _last_loss(run, "baseline")
    printed = {one.variant: one for one in CRITERIA if one.place == "Table 2, De-En"}
    for variant in (name for name in settings["variants"] if name.endswith("residual")):
        found, loss = compared(run.results, "all", variant), _last_loss(run, variant)
        criterion, is_trained = printed.get(variant), loss < 1.5 * base
        key = f"tm_{settings['layers']}_{_left_out(variant)}"
        _settle(
            claims,
            "captions" if criterion else "captions: feed-forward",
            run,
            key,
            found,
            agrees=is_trained and (criterion is None or criterion.agrees(found)),
            paper=criterion.printed if criterion else None,
            variant=variant,
            layers=settings["layers"],
            note="" if is_trained else f"its loss is {loss / base:.1f} times the baseline's",
        )
        glue(f"{key}_seeds", _by_seed(found))
        glue(f"{key}_loss", f"{loss:.1f}")
        glue(f"{key}_base", f"{base:.1f}")
        glue(f"{key}_bleu", f"{found.variant.max():.0f}")
    _name_run(f"tm_{settings['layers']}", run)


def talks(claims: Claims, run: Stored, pair: str) -> None:
    """Table 2's losses of a `pair` beside a run on talks, by criteria that precede it: on a part of
    the paper's own English to Vietnamese, or on other talks; to which pair these are held was
    chosen after. Names the numbers of the text.
    """
    key = f"tm_{run.results[0]['configuration']['pair']}"
    for criterion in (one for one in CRITERIA if one.place == f"Table 2, {pair}"):
        found = compared(run.results, criterion.split, criterion.variant)
        is_beyond = (criterion.printed or 0) < -found.baseline.max()
        base = f"{found.baseline.mean():.1f}"
        _settle(
            claims,
            "talks: En-Vi" if pair == "En-Vi" else "talks: De-En",
            run,
            f"{key}_{_left_out(criterion.variant)}",
            found,
            agrees=criterion.agrees(found),
            paper=criterion.printed,
            variant=criterion.variant,
            base=base,
            note="it could not agree: the baseline has less BLEU" if is_beyond else "",
        )
    base = compared(run.results, "all", "no decoder-encoder residual").baseline
    glue(f"{key}_base", f"{base.mean():.1f}")
    _name_run(key, run)
    results = [row["result"] for row in run.results]
    costs = [[_without_brevity(result, variant) for variant in COMPARED] for result in results]
    more = sum(encoder > decoder for encoder, decoder in costs)
    glue(f"{key}_ahead_long", f"{more} of {len(costs)}")
    for variant in COMPARED:
        glue(f"{key}_{_left_out(variant)}_behind", with_interval(behind(run, variant)[1], 3))


def _left_out(variant: str) -> str:
    """The connection that a variant lacks, in whose name its numbers are."""
    return variant.removeprefix("no ").removesuffix(" residual")


def _settle(claims: Claims, line: str, run: Stored, key: str, found: Comparison, **more) -> None:
    """Settles a line on what leaving a connection out changes, and names that and for how many
    seeds it is sure.
    """
    claims.settle(
        line,
        here=f"{_by_seed(found)}; p < 0.01 for {sure_seeds(found)}",
        pairs=training_pairs(run),
        system=system(run),
        source=run.source,
        **more,
    )
    glue(key, f"{found.gain.mean():+.2f}")
    glue(f"{key}_sure", sure_seeds(found))


def _name_run(key: str, run: Stored) -> None:
    """Names how a run was trained, and for how many seeds more is lost without the decoder-encoder
    connection than without the decoder-decoder one.
    """
    encoder, decoder = (compared(run.results, "all", variant).gain for variant in COMPARED)
    glue(f"{key}_epochs", run.results[0]["configuration"]["epochs"])
    glue(f"{key}_pairs", training_pairs(run))
    glue(f"{key}_ahead", f"{(encoder < decoder).sum()} of {len(encoder)}")
    glue(f"{key}_apart", with_interval(encoder - decoder))


def _last_loss(run: Stored, variant: str) -> float:
    """The mean over seeds of the training loss in the last epoch, lengths being alike."""
    systems = [result["systems"] for result in of_split(run, "all")]
    return float(np.mean([system[variant]["last_loss"] for system in systems]))


def _without_brevity(result: Mapping, variant: str) -> float:
    """Minus the BLEU that there is if outputs shorter than their references cost nothing.

    BLEU's factor for them is exp(1 - reference words / words) where that is below 1.
    """
    system = result["systems"][variant]
    words, reference_words = system["sums"][:2]
    brevity = min(1, np.exp(1 - reference_words / words))
    return -system["bleu"] / brevity


def _by_seed(found: Comparison) -> str:
    return ", ".join(f"{gain:+.2f}" for gain in found.gain)
