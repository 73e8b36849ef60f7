"""The figure of chapter 7 and its record: where the published network fails without rounding."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from chapters.common.palindrome_precision import GAINS
from chapters.palindrome_precision.lengths import exact_accuracy, published_accuracy
from chapters.palindrome_precision.records import exact_records
from record.notebook import COLOURS, REFERENCE, note

SHOWN = 18, 83  # the lengths that the figure of the limit shows


def limit_figure() -> Figure:
    """The accuracies that Nowak et al. recorded (dots) beside exact arithmetic with their
    threshold: on the same strings (rings), and in the mean for their base and for base 2; and with
    the test s = 0.
    """
    published, lengths = exact_records(), range(*SHOWN)
    figure, axis = plt.subplots(figsize=(6.8, 3.9))
    for gain, said, colour, style in (
        ("e^(1/√6)", "exact, their base and threshold, in the mean", "PALINDROME", "-"),
        ("2", "exact, base 2 and their threshold, in the mean", "FIRST", ":"),
    ):
        accuracies = [published_accuracy(n - n % 2, GAINS[gain]) for n in lengths]
        look: dict = {"color": COLOURS[colour], "drawstyle": "steps-mid", "label": said}
        axis.plot(lengths, accuracies, style, **look)
    again = [float(exact_accuracy(n)) for n in lengths]
    rings = {"s": 55, "facecolor": "none", "edgecolor": COLOURS["ONE"], "zorder": 3}
    axis.scatter(lengths, again, label="exact, the same strings", **rings)
    recorded = [published[n] for n in lengths]
    axis.plot(lengths, recorded, "o", color="#333333", ms=3, label="the authors' record")
    axis.axhline(1, label="exact, accepts s = 0", **REFERENCE)
    note(axis, "37, which means 36 symbols", (37, 1), (8, 6), color=COLOURS["PALINDROME"])
    axis.set(xlabel="length asked for", ylabel="accuracy", ylim=(0.42, 1.08))
    figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    return figure
