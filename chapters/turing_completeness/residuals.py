"""What chapter 6 records of trained systems without a residual connection, and of copies longer
than those trained on, beside Bhattamishra, Patel & Goyal (2020), section 5.

Criteria that precede a run stand in `criteria`, in a file of its name.
"""

from pathlib import Path
from typing import Any

import numpy as np

from chapters.turing_completeness.runs import SEEN, TESTED_LENGTHS, TRAINED_LENGTHS
from record.claims import Claims
from record.notebook import glue
from record.runs import Stored, read_yaml

# Where the paper names the decoder-decoder residual connection, its code leaves out the one around
# the feed-forward network.
EVERY, IN_ITS_CODE = "every", "decoder feed-forward"
LENGTHS = [*TESTED_LENGTHS]
BEST = "best"  # BLEU, of the best epoch
UNSEEN, *BEYOND = LENGTHS  # sentences of the lengths trained on, and longer ones


def _asked(run: Stored) -> dict[str, Any]:
    """What a run was asked before it was made."""
    return read_yaml(Path(__file__).with_name("criteria") / f"{run.name}.yaml")


def synthetic(claims: Claims, run: Stored) -> None:
    """Settles counting in tables 1 and 3 beside the stored run."""
    for left_out in _asked(run)["paper"]:
        most = max(scores(run, "all", "different", left_out=left_out))
        line = "counting: one number" if most == 1 else "counting"
        _settle_table_1(claims, line, run, "all", left_out)
        if left_out == "decoder-encoder":
            claims.settle("different numbers", here=most, agrees=most <= 1, source=run.source)


def _settle_table_1(
    claims: Claims, line: str, run: Stored, tests: str, left_out: str, **more: Any
) -> None:
    """Settles a line on the BLEU of each seed without a residual connection."""
    asked, bleu = _asked(run), scores(run, tests, left_out=left_out)
    printed, within = asked["paper"][left_out], asked["within"]
    agrees = abs(np.mean(bleu) - printed) <= within
    more = {"paper": printed, "agrees": agrees, "within": within} | more
    if left_out == IN_ITS_CODE:  # the table has no such row
        note = f"the authors' code takes out this one for - Dec-Dec Residual: {printed}"
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
    """Settles table 1's copies and figure 3 beside a stored run, and names the numbers of the
    text.
    """
    found = {}  # BLEU of each seed, by its name in the text
    for left_out in _asked(run)["paper"]:
        found[left_out] = scores(run, UNSEEN, left_out=left_out)
        found[f"{left_out}_seen"] = seen = scores(run, SEEN, left_out=left_out)
        note = f"{seen.mean():.1f} on sentences trained on"
        _settle_table_1(claims, "copy", run, UNSEEN, left_out, note=note)
    of_layers = {row["configuration"]["layers"] for row in run.results}
    for layers in of_layers:
        model = {"positions": "masking", "layers": layers}
        found[f"masking_{layers}"] = scores(run, UNSEEN, **model)
        found[f"masking_{layers}_seen"] = scores(run, SEEN, **model)
    masking = copied(run, positions="masking", layers=max(of_layers))  # the largest decides
    sinusoids = copied(run)
    ahead = (masking - sinusoids).mean(1)[1:]
    claims.settle(
        "longer",
        here=", ".join(f"{gain:+.1f}" for gain in ahead),
        agrees=bool((ahead > 0).all()),
        words=", ".join(BEYOND),
        note=f"masking has {masking[0].mean():.1f} at the lengths trained on",
        source=run.source,
    )
    of = {name: run.results[0]["result"]["tests"][name]["of"] for name in LENGTHS}  # outputs
    longer, outputs = copied(run, "longer").sum(0), f"{sum(of.values()):,}"
    span, is_none = f"{min(longer):,} to {max(longer):,}", max(longer) == 0
    claims.settle("12 words", here=span, agrees=is_none, of=outputs, source=run.source)
    middle = np.array([TESTED_LENGTHS[name] for name in BEYOND]).mean(1)
    said = {name: f"{bleu.mean():.1f}" for name, bleu in found.items()} | {
        "ahead": _listed(ahead),
        "extreme": f"{masking[-1].mean():.0f}",
        "longer": span,
        "outputs": outputs,
        "cut": _listed(100 * np.exp(1 - middle / TRAINED_LENGTHS[1])),
        "far": _listed(sinusoids.mean(1)[1:]),
    }
    for name, text in said.items():
        glue(f"tm_begun_{name}", text)


def in_their_code(claims: Claims, run: Stored) -> None:
    """Settles copies again, beside a stored run with the authors' start values, norm and ends."""
    asked, bleu = _asked(run), scores(run, UNSEEN).item()
    seen = f"{scores(run, SEEN).item():.1f}"
    agrees = abs(bleu - asked["paper"][EVERY]) <= asked["within"]
    claims.settle(
        "copy: their code", here=f"{bleu:.1f}", agrees=agrees, seen=seen, source=run.source
    )
    longer = []  # outputs of more than 12 words in the best epoch, by the words in a sentence
    for name in LENGTHS:
        test = run.results[0]["result"]["tests"][name]
        longer.append(test["longer_by_epoch"][0][np.argmax(test["epochs"][0])])
    here, is_none = ", ".join(map(str, longer)), not any(longer)
    claims.settle("12 words: their code", here=here, agrees=is_none, source=run.source)
    glue("tm_code", f"{bleu:.1f}")
    glue("tm_code_seen", seen)
    glue("tm_code_longer", f"{longer[0]}")
    glue("tm_code_beyond", f"{sum(longer[1:])}")


def _listed(gains: np.ndarray) -> str:
    """Gains in a sentence, one a length."""
    *others, last = (f"{gain:.0f}" for gain in gains)
    return f"{', '.join(others)} and {last}"


def scores(
    run: Stored, name: str, quantity: str = BEST, left_out: str = EVERY, **settings: Any
) -> np.ndarray:
    """What each seed of the small model with sinusoids, or with other `settings`, has on a set of
    tests: a `quantity`, or BLEU of the best epoch, as in the authors' code.
    """
    without = [] if left_out == EVERY else [left_out]
    asked = {"positions": "sinusoidal", "layers": 1, "without": without} | settings
    found = []
    for row in run.results:
        if asked.items() <= row["configuration"].items():
            test = row["result"]["tests"][name]
            found += map(max, test["epochs"]) if quantity == BEST else test[quantity]
    return np.array(found)


def copied(run: Stored, quantity: str = BEST, **settings: Any) -> np.ndarray:
    """`scores` by the words in a sentence: (lengths, seeds)."""
    return np.array([scores(run, name, quantity, **settings) for name in LENGTHS])
