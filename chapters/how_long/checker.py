"""A second program, which checks certificates of verdicts at every length and imports nothing of
the library: `certificates.py` says what they hold. It reads this chapter's networks: post-norm
encoders of one head, with ReLU, without positions or a mask, for strings over two symbols after
CLS, where they are read. Widths are powers of 4, whose roots are exact.

It computes with slopes in intervals, arrays of two ends, that are rounded outwards. It assumes IEEE
arithmetic, and numpy's exp and log within 4 units in the last place.
"""

from functools import partial
from itertools import count
from math import prod

import numpy as np

ONE, ULP, TINY = 1 << 40, 2.0**-52, 1e-300  # ends of cells are in parts of 1/ONE
BATCH, MOST, CUTS = 256, 1 << 13, 40  # boxes at once; boxes left, and cuts, before it gives up
CLASSES = (0,), (1,), (0, 1)  # which symbols occur
LARGE, FAR = 1 << 18, 1 << 21  # of a language's factors, and of symbols: products fit into int64


def wide(x, off=0.0):
    way = np.array([-1.0, 1.0]).reshape(2, *[1] * (x.ndim - 1))
    return x + way * (off + 2 * ULP * abs(x) + TINY)


def times(x, y):
    ends = x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1]
    return wide(np.stack([np.minimum.reduce(ends), np.maximum.reduce(ends)]))


def inverse(x):
    return wide(1 / np.where(x[0] > 0, x[::-1], np.nan))


def exp(x):
    return wide(np.exp(x), 4 * ULP * np.exp(x[1]))


def log(x):
    return wide(np.log(x), 4 * ULP * abs(np.log(x)).max(0))


def root(x):
    return wide(np.sqrt(np.maximum(x, 0)))


def square(x):
    return np.maximum(times(x, x), 0)


def hull(x, y):
    return np.stack([np.minimum(x[0], y[0]), np.maximum(x[1], y[1])])


def is_active(x, y):
    low, high = hull(x, y)
    return np.stack([low > 0, high >= 0]) * 1.0


# What they make of an interval; and the values of (f(x) - f(y)) / (x - y) for x and y of two.
FUNCTIONS = {
    "relu": (lambda x: np.maximum(x, 0), is_active),
    "square": (square, lambda x, y: wide(x + y)),
    "root": (root, lambda x, y: inverse(wide(root(x) + root(y)))),
    "inverse": (inverse, lambda x, y: -times(inverse(x), inverse(y))[::-1]),
    "exp": (exp, lambda x, y: exp(hull(x, y))),
    "log": (log, lambda x, y: inverse(hull(x, y))),
}


class Slopes:
    """Functions f on boxes of t with centres c, as x (2, boxes, 2 + sides, ...): all values of f,
    then f(c), then s_i with f(t) - f(c) = sum_i s_i (t_i - c_i), where |t_i - c_i| <= half_i.
    """

    def __init__(self, x, half):
        self.x, self.half = np.array(x), half
        half = half.reshape(*half.shape, *[1] * (x.ndim - 3))
        reach = (abs(x[:, :, 2:]).max(0) * half).sum(1) * (1 + 1e-12)
        low, high = wide(x[:, :, 1], reach)
        self.x[0, :, 0] = np.maximum(x[0, :, 0], low)
        self.x[1, :, 0] = np.minimum(x[1, :, 0], high)

    def of(self, name):
        function, slope = FUNCTIONS[name]
        values, centre, slopes = np.split(self.x, [1, 2], 2)
        parts = [function(values), function(centre), times(slope(values, centre), slopes)]
        return Slopes(np.concatenate(parts, 2), self.half)

    def __getitem__(self, key):
        return Slopes(self.x[(slice(None),) * 3 + key], self.half)

    def __add__(self, other):
        return Slopes(wide(self.x + other.x), self.half)

    def __mul__(self, other):
        x, y = self.x, other.x
        slopes = wide(times(x[:, :, 2:], y[:, :, :1]) + times(x[:, :, 1:2], y[:, :, 2:]))
        return Slopes(np.concatenate([times(x[:, :, :2], y[:, :, :2]), slopes], 2), self.half)

    def plus(self, constant):
        shape = np.broadcast_shapes(self.x.shape[1:], np.shape(constant))
        constant = np.array(np.broadcast_to(constant, shape))
        constant[:, 2:] = 0
        return Slopes(wide(self.x + constant), self.half)

    def times(self, constant):
        return Slopes(times(self.x, np.stack([constant, constant])), self.half)

    def linear(self, matrix, bias):
        off = 2 * len(matrix) * ULP * (abs(self.x).max(0) @ abs(matrix))
        up, down = np.maximum(matrix, 0), np.minimum(matrix, 0)
        return Slopes(wide(self.x @ up + self.x[::-1] @ down, off), self.half).plus(bias)

    def sum(self, axis):
        off = 2 * self.x.shape[axis] * ULP * abs(self.x).max(0).sum(axis)
        return Slopes(wide(self.x.sum(axis), off), self.half)


def normal(x, norm):
    gain, bias, eps, is_rms = norm
    d = float(len(gain))  # what is normalized is d times as large, and eps d^3 times
    centred = x.times(d) if is_rms else x.times(d) + x.sum(-1)[..., None].times(-1.0)
    size = centred.of("square").sum(-1).plus(eps * d**3).of("root")
    return (centred * size.of("inverse")[..., None]).times(gain * d**0.5).plus(bias)


def attended(q, k, v, weigh):
    """A head's outputs: the mean of values, by the weights that `weigh` makes of logits."""
    weights = weigh((q[:, None] * k[None,]).sum(-1).times(k.x.shape[-1] ** -0.5))
    # Of values less what comes out at the centre, so that intervals are narrow.
    rough = weights.x[0, :, 1]
    about = rough @ v.x[0, :, 1] / rough.sum(-1, keepdims=True)
    apart = (weights[..., None] * v[None,].plus(-about[:, None, :, None])).sum(-2)
    return (apart * weights.sum(-1).of("inverse")[..., None]).plus(about[:, None])


def score(network, half, weigh):
    """The score on boxes, as `Slopes` has it."""
    kinds = network["kinds"]  # of 0, of 1, of CLS
    x = np.zeros((2, len(half), 2 + half.shape[1], *kinds.shape))
    x[:, :, :2] = kinds
    x = Slopes(x, half)
    for number, layer in enumerate(network["layers"], 1):
        q, k, v = (x.linear(*layer[name]) for name in "qkv")
        if number == len(network["layers"]):
            q, x = q[2:,], x[2:,]
        x = normal(x + attended(q, k, v, weigh).linear(*layer["o"]), layer["norms"][0])
        hidden = x.linear(*layer["first"]).of("relu").linear(*layer["second"])
        x = normal(x + hidden, layer["norms"][1])
    return x.linear(*network["output"])[0, 0].x


def by_numbers(network, often, tokens):
    """The score where kinds occur so often, or a multiple of it."""

    def weigh(logits):
        logits = logits * tokens.of("log")[None, None] if network["log_n"] else logits
        top = logits.x[1, :, :1].max(-1, keepdims=True)
        return often[None,] * logits.plus(-top).of("exp")

    return score(network, often.half, weigh)


def boxes(low, high):
    """The sides of boxes, as Slopes."""
    ends, (number, sides) = np.stack([low, high]) / ONE, low.shape
    centre = np.stack([ends.sum(0) / 2] * 2)
    slopes = np.broadcast_to(np.eye(sides), (2, number, sides, sides))
    x = np.concatenate([ends[:, :, None], centre[:, :, None], slopes], 2)
    return Slopes(x, (ends[1] - ends[0]) / 2)


def of_cells(network, low, high):
    sides = boxes(low, high)  # the share of 0s, and z
    often = sides.linear(np.array([[1, -1, 0], [0, 0, 1]]), np.array([0, 1, 0]))
    return by_numbers(network, often, sides[1,].of("inverse").plus(1))


def of_counts(network, counts):
    """The sign of the score at numbers of symbols, 0 where it is not known."""
    often = np.concatenate([counts, np.ones((len(counts), 1))], 1)[:, None].repeat(2, 1)
    often = Slopes(np.stack([often, often]), np.zeros((len(counts), 0)))
    low, high = by_numbers(network, often, often.sum(-1))[:, :, 0]
    return (low > 0) * 1 - (high < 0)


def of_class(network, symbols, tokens, low, high):
    """The score on boxes of shares of strings of just these symbols, of T tokens or more, under log
    n: a kind's share is at most x / (1 + x) beside another one, where x is T to the difference of
    their logits, and times T for a symbol.
    """
    sides, present = boxes(low, high), [*symbols, 2]

    def weigh(logits):
        least, most = logits.x[:, 0, 0, 0]
        largest = np.zeros(3)
        for a in present:
            exponent = min(most[a] - least[b] for b in present if b != a) + (a < 2) + 1e-9
            largest[a] = 1 - 1 / (1 + tokens**exponent) + 1e-9 if exponent < 0 else 1
        main = max(present, key=lambda a: largest[a])
        matrix = np.diag(largest)
        matrix[:, main] = -largest
        free = [a for a in present if a != main]
        return sides.linear(matrix[free], np.arange(3) == main)[None,]

    return score(network, sides.half, weigh)


def hold(is_so, what):
    if not is_so:
        raise ValueError(f"the certificate fails: {what}")


def whole(data, least, most, *shape):
    """Data as an array of that shape, with -1 for any number of rows: whole numbers in a range, in
    which what is made of them is exact.
    """
    numbers = np.array(data, object).ravel()
    is_whole = all(type(x) is int and least <= x <= most for x in numbers)
    hold(is_whole, f"whole numbers from {least} to {most} are expected")
    number, size = len(numbers), abs(prod(shape))
    fits = number % size == 0 if -1 in shape else number == size
    hold(fits, f"{number} numbers are not of shape {shape}")
    return numbers.astype(np.int64).reshape(shape)


def hold_signs(signs, low, high, evaluate):
    """Holds boxes to the sign of their score; one on which it is not seen is cut in two."""
    for cut in count():
        is_open, moves = np.zeros(len(low), bool), np.zeros(low.shape)
        for start in range(0, len(low), BATCH):
            some = slice(start, start + BATCH)
            x = evaluate(low[some], high[some])
            least, most = np.where(signs[some, None] > 0, x[:, :, :2], -x[::-1, :, :2])
            hold(not (most[:, 1] < 0).any(), "a score has the other sign")
            is_open[some] = ~(least > 0).all(1)
            moves[some] = abs(x[:, :, 2:]).max(0) * (high - low)[some]
        if not is_open.any():
            return
        low, high, signs = low[is_open], high[is_open], signs[is_open]
        at = np.arange(len(low)), np.nan_to_num(moves[is_open], nan=np.inf).argmax(1)
        above, below = low.copy(), high.copy()
        above[at] = below[at] = (low[at] + high[at]) // 2
        low, high = np.concatenate([low, above]), np.concatenate([below, high])
        signs = np.concatenate([signs, signs])
        hold(len(low) <= MOST and cut < CUTS, "a sign of the score is not seen")


def hold_cover(low, high, reach):
    """Holds cells to hold each string of 1 to `reach` symbols once: by overlaps and volume."""
    bottom = min(ONE // reach, ONE - 1)
    sizes = high - np.maximum(low, [0, bottom])
    hold((sizes > 0).all(), "a cell is outside")
    for cell in range(len(low)):
        both = (low[cell] < high[:cell]) & (low[:cell] < high[cell])
        hold(not both.all(1).any(), "two cells overlap")
    volume = sum(width * height for width, height in sizes.tolist())
    hold(volume == ONE * (ONE - bottom), "a part of the square is in no cell")


def inside(low, high, reach):
    """The numbers of symbols in a cell, of at most so many in all."""
    for n in range(-(-ONE // high[1]), min(reach, ONE // max(low[1], 1)) + 1):
        for zeros in range(-(-low[0] * n // ONE), high[0] * n // ONE + 1):
            yield zeros, n - zeros


def members(language, counts):
    return (counts @ language[:, :2].T + language[:, 2] >= 0).all(1)


def hold_certificate(network, certificate):
    """Holds a network to what its certificate says; ValueError for the first thing amiss."""
    language = whole(certificate["language"], -LARGE, LARGE, -1, 3)
    reach = int(whole(certificate["reach"], 0, FAR))
    if certificate["wrong"]:
        wrong = whole(certificate["wrong"], 0, FAR, 1, 2)
        hold(wrong.sum() == reach + 1, "the first error has another length")
        hold_wrong(network, language, wrong)
    if certificate["always"]:
        hold_always(network, language, **certificate["always"])
    if certificate["classes"]:
        hold_classes(network, language, reach, **certificate["classes"])
    if reach:  # last, for it takes longest
        low = whole(certificate["low"], 0, ONE, -1, 2)
        high = whole(certificate["high"], 0, ONE, *low.shape)
        signs = whole(certificate["signs"], -1, 1, len(low))
        hold_right(network, language, reach, low, high, signs)


def hold_right(network, language, reach, low, high, signs):
    """Holds all strings of 1 to `reach` symbols to be decided correctly."""
    hold_cover(low, high, reach)
    a, b = language[:, 0] - language[:, 1], language[:, 2]  # of the share of 0s, and of z
    ends = [np.stack([end[:, :1] * a, end[:, 1:] * b], -1) for end in (low, high)]
    least, most = (f(*ends).sum(-1) + language[:, 1] * ONE for f in (np.minimum, np.maximum))
    is_settled = np.where(signs > 0, (least >= 0).all(1), (most < 0).any(1)) & (signs != 0)
    asked = []
    for cell in np.flatnonzero(~is_settled):  # each string of it
        strings = inside(low[cell].tolist(), high[cell].tolist(), reach)
        asked += [(*counts, signs[cell]) for counts in strings]
    counts, said = np.split(np.array(asked, np.int64).reshape(-1, 3), [2], 1)
    is_left = said[:, 0] == 0
    said[is_left, 0] = of_counts(network, counts[is_left])
    hold((said[:, 0] == 2 * members(language, counts) - 1).all(), "a string is decided incorrectly")
    known = signs != 0
    hold_signs(signs[known], low[known], high[known], partial(of_cells, network))


def hold_wrong(network, language, counts):
    """Holds strings to be decided incorrectly."""
    is_wrong = of_counts(network, counts) == 1 - 2 * members(language, counts)
    hold(is_wrong.all(), "a string is not decided incorrectly")


def hold_always(network, language, start, points, bases, step, low, high, sign):
    """Holds strings to be decided incorrectly, one of each length from `start` on: those of
    `points`, and of `bases` plus any multiple of `step`, all in a box in which the score has one
    sign.
    """
    points, bases = (whole(x, 0, FAR, -1, 2) for x in (points, bases))
    step, start, sign = whole(step, 0, FAR, 1, 2), whole(start, 1, FAR), whole(sign, -1, 1)
    low, high = (whole(x, 0, ONE, 2) for x in (low, high))
    lengths = np.concatenate([points, bases]).sum(1)
    hold((lengths == start + np.arange(len(lengths))).all(), "a length is missing")
    hold(len(bases) == step.sum() > 0, "a length is missing")
    values, more = bases @ language[:, :2].T + language[:, 2], step @ language[:, :2].T
    is_meant, is_not = ((values >= 0) & (more >= 0)).all(1), ((values < 0) & (more <= 0)).any(1)
    hold((is_not if sign > 0 else is_meant).all(), "a string is not decided incorrectly")
    for counts, z in ((bases, 1), (step, 0)):  # the first, and the limit: the rest lie between
        n = counts.sum(1, keepdims=True)
        here = np.concatenate([counts[:, :1], np.full_like(n, z)], 1) * ONE
        is_inside = (low * n <= here) & (here <= high * n)
        hold(is_inside.all(), "a string is outside of the box")
    hold_wrong(network, language, points)
    hold_signs(sign[None], low[None], high[None], partial(of_cells, network))


def hold_classes(network, language, reach, tokens, signs):
    """Holds strings of so many tokens or more to be decided correctly, by which symbols occur."""
    hold(network["log_n"] and len(network["layers"]) == 1, "it has no log n, or several layers")
    tokens, signs = int(whole(tokens, 2, reach + 2)), whole(signs, -1, 1, 3)
    for symbols, sign in zip(CLASSES, signs, strict=True):
        factors = language[:, [*symbols]]
        first = factors.sum(1) + language[:, 2]  # of one of each
        is_meant = ((factors >= 0).all(1) & (first >= 0)).all()
        is_not = ((factors <= 0).all(1) & (first < 0)).any()
        hold(is_meant if sign > 0 else is_not, "a string is decided incorrectly")
        box = np.zeros((1, len(symbols)), np.int64), np.full((1, len(symbols)), ONE)
        hold_signs(np.array([sign]), *box, partial(of_class, network, symbols, tokens))
