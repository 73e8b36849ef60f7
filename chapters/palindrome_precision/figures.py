"""The figures of chapter 7: where the published network fails without rounding, and which numbers
three bits hold.
"""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from chapters.common.palindrome_precision import GAINS
from chapters.palindrome_precision.lengths import exact_accuracy, published_accuracy, rounded
from chapters.palindrome_precision.records import exact_records
from record.notebook import COLOURS, REFERENCE, note

SHOWN = 18, 83  # the lengths that the figure of the limit shows
HALF = 4  # symbols of a half whose numbers are drawn beside those of three bits


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


def held_figure(bits: int = 3) -> Figure:
    """Above, the numbers that halves of four symbols stand for; below, those that a type of `bits`
    bits holds; a line from each number to where it is rounded.
    """
    numbers = range(0, 2 ** (HALF + 1), 2)
    becomes = [rounded(x, bits) for x in numbers]
    held = sorted({rounded(x, bits) for x in range(2 ** (HALF + 1) + 1)})
    figure, axis = plt.subplots(figsize=(6.6, 2.2))
    for x, y in zip(numbers, becomes, strict=True):
        shared = becomes.count(y) > 1
        colour = COLOURS["FIRST" if shared else "ONE"]
        axis.plot([x, y], [1, 0], color=colour, linewidth=2 if shared else 1)
        axis.plot([x], [1], "o", color=colour, markersize=4)
        axis.text(x, 1.12, str(x), ha="center", fontsize=8.5)
    axis.plot(held, [0] * len(held), "o", color="#777777", markersize=4)
    for y in held:
        axis.text(y, -0.3, str(y), ha="center", fontsize=8.5)
    axis.text(-0.4, 1.36, "the half's number", fontsize=10)
    axis.text(-0.4, -0.58, f"held in {bits} bits", fontsize=10)
    axis.set(ylim=(-0.6, 1.5), xlim=(-1, 2 ** (HALF + 1) + 1), xticks=[], yticks=[])
    axis.spines[:].set_visible(False)
    return figure
