"""Chapter 8 and its record: how far a softmax comparison is from turning."""

from flint import arb


def distance(i: int, b: float) -> arb:
    """How far the mean position of a head is to the right of the middle i/2, as a ball, if the head
    attends to the positions j = 0, ..., i with weights b^(j / (i + 1)): the closest call.
    """
    weights = [(arb(j) / (i + 1) * arb(b).log()).exp() for j in range(i + 1)]
    return sum(j * w for j, w in enumerate(weights)) / sum(weights) - arb(i) / 2
