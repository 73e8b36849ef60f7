"""*Translation*: what the stored runs say of log n and of residual connections, as the page tells
it; the lines themselves stand in the page's record.
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown
from matplotlib.figure import Figure

from chapters.translation.bleu import CRITERIA, Comparison, compared, interval, percent
from chapters.translation.figures import rises_figure
from chapters.translation.model import SCALES
from chapters.translation.wording import EARLY, behind, dev_losses
from record.notebook import COLOURS, REFERENCE, markdown_table
from record.runs import stored

CORPUS = 133_317  # pairs of IWSLT'15, English to Vietnamese: as we infer, the papers'
RESIDUALS = {"to Vietnamese": "iwslt15_residuals", "to French": "ted_residuals"}
LEFT_OUT = {
    "decoder-encoder": "source connection",
    "decoder-decoder": "self connection",
}
PRINTED = {  # to Vietnamese: what the papers print of a variant, as a share of BLEU
    one.variant: one.share
    for one in CRITERIA
    if one.split == "short to long" or one.place.endswith("En-Vi")
}
OF_LOG_N = {  # every stored run that holds a split of short and long sentences
    "iwslt15": "talks to Vietnamese",
    "iwslt15_post_norm": "talks to Vietnamese",
    "ted": "talks to French",
    "multi30k_norms": "captions",
    "scales": "captions, vectors of 128",
    "multi30k": "captions, vectors of 128",
}


def rows_of(name: str, norm_first: bool = True) -> list[dict]:
    """The rows of a stored run of translations, with one norm."""
    rows = stored(f"translation_{name}").results
    return [row for row in rows if row["configuration"]["norm_first"] == norm_first]


def from_short_to_long(name: str, variant: str = "log n", norm_first: bool = True) -> Comparison:
    """What a factor adds to BLEU on long sentences after training on short ones."""
    return compared(rows_of(name, norm_first), "short to long", variant)


def without(name: str, connection: str) -> Comparison:
    """What leaving a residual connection out adds to BLEU, on all lengths."""
    return compared(rows_of(name), "all", f"no {connection} residual")


def comparisons_table() -> Markdown:
    """What log n adds from short sentences to long, in every comparison."""
    body = []
    for name, norm_first in product(OF_LOG_N, (True, False)):
        if not rows_of(name, norm_first):
            continue
        found = from_short_to_long(name, norm_first=norm_first)
        low, high = interval(100 * found.shares)
        norm, epochs = "pre-norm" if norm_first else "post-norm", _epochs(name, norm_first)
        body.append(
            [OF_LOG_N[name], norm, epochs, f"{found.baseline.mean():.1f}"]
            + [percent(found.shares.mean()), f"{low:+.1f} to {high:+.1f}"]
        )
    head = ("trained on", "norm", "epochs", "BLEU without", "$\\log n$ adds", "95 % interval")
    return markdown_table(head, body)


def _epochs(name: str, norm_first: bool) -> str:
    """For how many epochs the systems without a factor and with log n were trained."""
    rows = [row for row in rows_of(name, norm_first) if row["configuration"]["split"] != "all"]
    most = rows[0]["configuration"]["epochs"]
    systems = [row["result"]["systems"][one] for row in rows for one in ("baseline", "log n")]
    took = [len(system["dev_losses"]) if "dev_losses" in system else most for system in systems]
    return f"{min(took)} to {max(took)}" if min(took) < max(took) else f"{most}"


def residuals_figure() -> Figure:
    """By how much the loss rises without either residual connection, at the first stop."""
    groups = {}
    for talks, run in RESIDUALS.items():
        found = stored(f"translation_{run}")
        groups[talks] = {
            f"without the {said}": behind(found, f"no {name} residual")[1]
            for name, said in LEFT_OUT.items()
        }
    return rises_figure(groups)


def last_losses() -> dict[str, float]:
    """The last training loss under each factor, in the mean of the seeds."""
    rows = rows_of("scales")
    return {
        variant: float(np.mean([row["result"]["systems"][variant]["last_loss"] for row in rows]))
        for variant in ("baseline", "log n", *SCALES)
    }


def within() -> float:
    """A bound on the 95 % intervals of two differences of last training losses, over the seeds: of
    what is only large and log n, and of what only grows and no factor.
    """
    systems = [row["result"]["systems"] for row in rows_of("scales")]
    pairs = (("log 16", "log n"), ("log n over log 16", "baseline"))
    ends = [
        interval([system[one]["last_loss"] - system[other]["last_loss"] for system in systems])
        for one, other in pairs
    ]
    return max(map(abs, sum(ends, ())))


PAINT = {"to Vietnamese": COLOURS["PARITY"], "to French": COLOURS["FIRST"]}
TO_THE_STOP = {  # runs on all lengths, and where they rescale
    "iwslt15": ("to Vietnamese", "pre"),
    "ted": ("to French", "pre"),
    "iwslt15_post_norm": ("to Vietnamese", "post"),
}


def behind_figure() -> Figure:
    """By how much log n is behind in each seed of each run on talks, until the first stop."""
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.8), sharey=True)
    for name, (talks, norm) in TO_THE_STOP.items():
        axis, label = axes[int(norm == "post")], talks
        for scaled, plain in dev_losses(stored(f"translation_{name}"), "log n", "baseline"):
            gaps = [one - other for one, other in zip(scaled, plain, strict=False)]
            axis.plot(range(1, len(gaps) + 1), gaps, color=PAINT[talks], linewidth=1, label=label)
            label = None  # once for all seeds
        axis.set(title=f"{norm}-norm", xlabel="epochs", ylim=(-0.05, 0.4))
        axis.axhline(0, **REFERENCE)
        axis.axvline(EARLY, **REFERENCE)
        axis.legend()
    axes[0].set(ylabel="loss with log n, minus without")
    return figure
