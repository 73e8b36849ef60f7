"""Networks without positions, judged at every length.

Where no mask hides anything, and behind a mask in a single layer, the score of a string depends on
how often each kind of token occurs. It is a continuous function of the shares p = c/n of the
symbols and of z = 1/n, and z = 0 is the limit of ever longer strings. A *cell* is a box of shares
and z; where the score has one sign on a cell, all its strings are decided at once. Cells are cut
until that is so, or until so few counts of symbols are left in them that each can be asked.

Cells are arrays (cells, symbols) of their lower and upper ends, in parts of 1/ONE: the shares of
all symbols but the last, then z. Counts are arrays (counts, symbols).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import inf

import numpy as np
import torch
from torch import Tensor

from lib.checks import above_zero, between, optional, takes
from lib.formulas.counts import Counted
from lib.formulas.syntax import Formula
from lib.proofs.limits import Deadline, OutOfTime
from lib.trained.arithmetic import SAFE, Value
from lib.trained.network import Judged, Largest, Positive
from lib.trained.passes import through
from lib.trained.sample import accepted
from lib.trained.sets import Multiplicities, Sets
from lib.verdicts import EACH_STRING, PROVED, WRONG

ONE = 1 << 40
BATCH = 1024  # cells, or counts, that go through a network of width up to 64 at once
FEW = 64  # counts of a cell that are asked one by one
FIRST = 4  # all counts of up to 2^FIRST symbols are
LONGEST = 1 << 20  # symbols of strings that are asked one by one
SHORT = 2_000  # symbols of a string that balls may decide
CELLS = 10_000  # of a limit, before it is left open, FEW at least in each round
CUTS = 6  # of a cell beside a border, one after the other
CUTS_OF_SHARES = 12  # the same of heads' shares
LIMITS = (6, 10, 14)  # powers of 2, lengths from which a limit is looked for
POWERS = range(FIRST, 21, 2)  # the same for errors at every length
TOKENS = range(2, 11)  # the same for logits times log n
EXACT = 1 << 16  # below this length the first of the errors at every length is found exactly
SPAN = 1024  # lengths that are asked at once
BESIDE = (0, 1, -1, 2, -2, 3)  # how far counts may be from a border, the nearest first
PERIOD = 64  # the largest denominator of a border's share
SYMBOLS = 4  # of an alphabet: cells have as many sides
LOST = 1e-15  # of a log, by rounding, and the least bound on a share
Cells = tuple[np.ndarray, np.ndarray]
Score = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


class CountReader:
    """A network whose last token is of one kind: its score on cells and on counts. If that token is
    a `symbol`, the symbol occurs at least once.
    """

    def __init__(self, judged: Judged, symbol: str | None = None):
        self.judged, self.symbol, self.k = judged, symbol, len(judged.alphabet)
        fixed = [*judged.before, *judged.after]
        self.fixed = len(fixed)
        kinds = [*range(self.k + self.fixed)]
        if symbol is not None:
            read = judged.alphabet.index(symbol)
        else:
            read = self.k if judged.read_at in ("first", 0) else kinds[-1]
        self.place = None if judged.read_at == "mean" else len(kinds) - 1
        self.order = [kind for kind in kinds if kind != read] + [read]
        self.rows = torch.tensor([[*judged.tokens.values(), *fixed]])[:, self.order]
        self.least = np.array([int(a == symbol) for a in judged.alphabet])
        self._norms: dict = {}  # of matrices, once for all
        self.batch = max(FEW, BATCH // (1 + (judged.network.width - 1) // 64) ** 2)
        self.cells = self.asked = 0  # how many cells and counts went through the network

    def of_cells(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sign of the score on each cell, 0 if not known, and the side that moves it most."""
        k, (middle, half) = self.k, _middles(low, high)
        shares, last = middle[:, :-1], 1 - middle[:, :-1].sum(-1, keepdim=True)
        often = torch.cat([shares, last, middle[:, -1:].expand(-1, self.fixed)], 1)
        moves = torch.zeros(len(low), k, k + self.fixed, dtype=torch.float64)
        for side in range(k - 1):
            moves[:, side, side], moves[:, side, k - 1] = half[:, side], -half[:, side]
        moves[:, k - 1, k:] = half[:, -1:]
        log = None
        if self.judged.network.log_n:
            ends = (torch.tensor(ONE / z[:, -1] + self.fixed) for z in (high, low))
            first, last = map(torch.log, ends)
            log = (first + last) / 2, (last - first) / 2 + LOST * last
            moves = torch.cat([moves, torch.zeros_like(moves[:, :1])], 1)
        often, moves = often[:, None, self.order], moves[:, None, :, self.order]
        signs, side = self.score(Multiplicities(often, moves, log))
        return signs, np.minimum(side, k - 1)

    def of_counts(self, counts: np.ndarray) -> np.ndarray:
        """The sign of the score at each row of counts, 0 where float64 does not tell."""
        signs = [np.zeros(0, int)]
        for some in torch.tensor(counts, dtype=torch.float64).split(self.batch):
            ones = torch.ones(len(some), self.fixed, dtype=torch.float64)
            often = torch.cat([some, ones], 1)[:, None, self.order]
            log = often.sum((1, 2)).log()
            still = torch.zeros(len(some), 1, 0, often.shape[-1], dtype=torch.float64)
            signs.append(self.score(Multiplicities(often, still, (log, LOST * log)))[0])
        return np.concatenate(signs)

    def string(self, counts: Sequence[int] | np.ndarray) -> str:
        """A string with so many of each symbol."""
        symbols = [*zip(self.judged.alphabet, counts, strict=True)]
        symbols.sort(key=lambda pair: pair[0] == self.symbol)  # that of the last token comes last
        return "".join(a * int(c) for a, c in symbols)

    def exponents(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest logit of each kind for the token that is read, (heads, kinds),
        before logits are multiplied by a log.
        """
        ones = torch.ones(1, 1, len(self.order), dtype=torch.float64)
        sets = Sets(Multiplicities(ones, ones[:, :, None][:, :, :0]), self._norms)
        self._through(sets)
        logits, moved = (part[0, :, -1].numpy() for part in sets.logits)
        return logits - moved, logits + moved

    def score(self, weights: Multiplicities) -> tuple[np.ndarray, np.ndarray]:
        """The sign of the score, 0 where it is not known, and the direction that moves it most."""
        sets = Sets(weights, self._norms)
        x = self._through(sets)
        if weights.directions.shape[-2]:
            self.cells += len(weights.directions)
        else:
            self.asked += len(weights.directions)
        centre, radius, directions = sets.outputs(x, self.judged.network.output)
        match self.judged.settled:
            case Positive(output):
                score, error = centre[:, output], radius[:, output]
                moved = directions[..., output]
            case Largest((accepting,), (rejecting,)):
                score, error = centre[:, accepting] - centre[:, rejecting], radius.sum(-1)
                moved = directions[..., accepting] - directions[..., rejecting]
            case decides:
                raise AssertionError(f"{decides} was refused")
        error = (error + moved.abs().sum(-1)) * SAFE + 2.0**-52 * score.abs()
        signs = (score > error).int() - (score < -error).int()
        side = sets.pull.argmax(-1) if moved.shape[-1] else signs
        size = (len(weights.directions),)  # without layers all cells have one score
        return np.broadcast_to(signs.numpy(), size), np.broadcast_to(side.numpy(), size)

    def _through(self, sets: Sets) -> Value:
        """What the output reads."""
        network, number = self.judged.network, len(self.order)
        return through(network, self.rows, 0, number, sets, lambda _, k, v: (k, v), self.place)


def readings(judged: Judged) -> list[CountReader]:
    """A network by its last token; ValueError that says why its score is no function of counts."""
    network, read_at, decides = judged.network, judged.read_at, judged.settled
    norms = [norm for layer in network.layers for norm in layer.norms] + [network.last]
    is_one_of_two = isinstance(decides, Largest) and len(network.output.bias) == 2
    obstacles = {
        "it has positions": network.positions is not None or network.rotary is not None,
        "its logits depend on distances": network.slopes is not None,
        "strings are padded to one length": judged.padding is not None,
        "it has two layers or more behind a mask": network.causal and len(network.layers) > 1,
        "a mask hides tokens from the one it reads": network.causal and read_at != "last",
        "it reads a token by its number": read_at not in ("first", "last", "mean", 0),
        "it reads the first symbol": read_at in ("first", 0) and not judged.before,
        "a norm has eps = 0": any(norm is not None and norm.eps == 0 for norm in norms),
        f"it has more than {SYMBOLS} symbols": len(judged.alphabet) > SYMBOLS,
        "neither one output decides nor which of two is larger": not (
            isinstance(decides, Positive) or is_one_of_two
        ),
    }
    for reason, is_so in obstacles.items():
        if is_so:
            raise ValueError(f"its score is no function of numbers of symbols: {reason}")
    if read_at == "last" and not judged.after:
        return [CountReader(judged, symbol) for symbol in judged.alphabet]
    return [CountReader(judged)]


# ---- cells and counts ----


def spread(first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each pair of ends the whole numbers between them, and which pair each is of."""
    sizes = np.maximum(last - first + 1, 0)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    return rows, first[rows] + np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def inside(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The counts in each cell, and which cell each is in."""
    rows, n = spread(-(-ONE // high[:, -1]), ONE // np.maximum(low[:, -1], 1))
    counts = np.zeros((len(n), 0), np.int64)
    for side in range(low.shape[1] - 1):
        first, last = low[rows, side] * n, high[rows, side] * n
        again, number = spread(-(-first // ONE), last // ONE)
        rows, n = rows[again], n[again]
        counts = np.concatenate([counts[again], number[:, None]], 1)
    counts = np.concatenate([counts, n[:, None] - counts.sum(1, keepdims=True)], 1)
    is_string = counts[:, -1] >= 0
    return rows[is_string], counts[is_string]


def every_share(k: int, longest: int | None, shortest: int) -> Cells:
    """The cell of all strings of k symbols between two lengths, powers of 2; None for no end."""
    low, high = np.zeros((1, k), np.int64), np.full((1, k), ONE)
    low[0, -1], high[0, -1] = 0 if longest is None else ONE // longest, ONE // shortest
    return low, high


def halves(low: np.ndarray, high: np.ndarray, side: np.ndarray) -> Cells:
    """Both halves of each cell, cut across a side, or across the longest where that is too thin."""
    widths, rows = high - low, np.arange(len(low))
    side = np.where(widths[rows, side] < 2, widths.argmax(1), side)
    middle = (low[rows, side] + high[rows, side]) // 2
    upper, lower = low.copy(), high.copy()
    upper[rows, side] = lower[rows, side] = middle
    return np.concatenate([low, upper]), np.concatenate([lower, high])


def one_sign(score: Score, low: np.ndarray, high: np.ndarray, cuts: int, deadline: Deadline) -> int:
    """The sign of a score on all of a cell, 0 where it is not known after so many cuts."""
    known: set[int] = set()
    for _ in range(cuts + 1):
        deadline.look()
        signs, side = score(low, high)
        known |= {*signs.tolist()} - {0}
        left = signs == 0
        if not left.any():
            return known.pop() if len(known) == 1 else 0
        if len(known) == 2 or not low.shape[1]:
            break  # both signs occur, or a point cannot be cut
        low, high = halves(low[left], high[left], side[left])
    return 0


class Search:
    """The cells and counts of one reading, held against a language."""

    def __init__(self, reading: CountReader, language: Counted, deadline: Deadline):
        self.reading, self.language, self.deadline = reading, language, deadline
        self.first: tuple[int, ...] | None = None  # the first counts that are decided incorrectly
        self.open: float = inf  # the length of the first counts that are not decided
        # Cells that were settled, with the sign of the score, or 0 where counts were asked; and of
        # errors at every length where they begin, if that is proved, and by which limit.
        self.settled: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.proved: tuple[int, Limit] | None = None

    @property
    def before(self) -> float:
        """The length of the first error, infinity where there is none."""
        return inf if self.first is None else sum(self.first)

    def ask(self, counts: np.ndarray, signs: np.ndarray | None = None) -> np.ndarray:
        """Which counts are decided incorrectly; with `signs`, the language alone is asked."""
        counts = counts[(counts >= self.reading.least).all(1)]
        if signs is None:
            signs = self._decided(counts)
        wrong = counts[np.where(self.language.members(counts), signs < 0, signs > 0)]
        known = [] if self.first is None else [self.first]
        self.first = min([*known, *map(tuple, wrong.tolist())], key=sum, default=None)
        return wrong

    def _decided(self, counts: np.ndarray) -> np.ndarray:
        """The sign of the score at each row of counts, by balls where float64 does not tell, the
        shortest strings first; 0 from the first one on that they do not tell either.
        """
        signs, lengths = self.reading.of_counts(counts), counts.sum(1)
        left = np.flatnonzero(signs == 0)
        for place in left[np.argsort(lengths[left], kind="stable")]:
            self.deadline.look()
            n, w = int(lengths[place]), self.reading.string(counts[place])
            known = accepted(self.reading.judged, [w])[0] if n < min(self.open, SHORT) else None
            if known is None:
                self.open = min(self.open, n)
                break
            signs[place] = 2 * known - 1
        return signs

    def sweep(self, low: np.ndarray, high: np.ndarray, most: float = inf) -> bool:
        """Cuts cells until each below the first error is settled, or `most` were looked at; says
        whether all are settled.
        """
        taken = 0
        while len(low) and taken <= most:
            self.deadline.look()
            size = self.reading.batch
            now, later = self._possible(low[:size], high[:size]), (low[size:], high[size:])
            taken += max(len(now[0]), FEW)
            holds, fails = self._known(*now)
            signs, side = self.reading.of_cells(*now)
            # A share no wider than the least z is not cut further: ends aside, it holds at most one
            # number of its symbol at each length.
            widths = now[1] - now[0]
            is_thin = widths[np.arange(len(side)), side] <= now[0][:, -1]
            side = np.where(signs == 0, np.where(is_thin, -1, side), widths.argmax(1))
            left = ~((signs > 0) & holds | (signs < 0) & fails)
            was, decided = (now[0][~left], now[1][~left]), signs[~left]
            now, signs, side = (now[0][left], now[1][left]), signs[left], side[left]
            is_few = _numbers(*now) <= np.where(signs == 0, FEW, FEW * FEW)
            is_few &= now[0][:, -1] >= ONE // LONGEST
            self.settled += [(*was, decided), (now[0][is_few], now[1][is_few], signs[is_few])]
            rows, counts = inside(now[0][is_few], now[1][is_few])
            known = signs[is_few][rows]
            taken += len(counts) // FEW
            self.ask(counts[known == 0])
            # Of cells with a sign the language is asked; those at the edge have no last symbol.
            is_string = (known != 0) & (counts >= self.reading.least).all(1)
            self.ask(counts[is_string], known[is_string])
            cut = halves(now[0][~is_few], now[1][~is_few], side[~is_few])
            low, high = (np.concatenate(both) for both in zip(later, cut, strict=True))
        return not len(low)

    def _possible(self, low: np.ndarray, high: np.ndarray) -> Cells:
        """The cells that may hold counts below the first error."""
        last = ONE - low[:, :-1].sum(1, keepdims=True)
        most, z = np.concatenate([high[:, :-1], last], 1), low[:, -1:]
        is_possible = (most >= self.reading.least * z).all(1)
        is_possible &= -(-ONE // np.maximum(high[:, -1], 1)) < self.before
        return low[is_possible], high[is_possible]

    def _known(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the language surely holds on cells, and where it surely fails."""
        factors, last = self.language.factors[:, :-1], self.language.factors[:, -1:]
        slopes = np.concatenate([factors - last, self.language.constants[:, None]], 1)
        ends = low[:, None] * slopes, high[:, None] * slopes
        least = np.minimum(*ends).sum(-1) + last[:, 0] * ONE
        most = np.maximum(*ends).sum(-1) + last[:, 0] * ONE
        return self.language.known(least, most)

    # ---- errors at every length ----

    def borders(self) -> Iterator[Border]:
        """Where a condition turns, among strings of two symbols."""
        factors = self.language.factors.tolist()
        for one, other in combinations(range(self.reading.k), 2):
            turns = {Fraction(f[one], f[one] - f[other]) for f in factors if f[one] != f[other]}
            for share in sorted(turns | {Fraction(0), Fraction(1)}):
                if 0 <= share <= 1 and share.denominator <= PERIOD:
                    yield Border(self.reading.k, one, other, share)

    def limits(self) -> Iterator[Limit]:
        """Where long strings beside a border are all accepted or all rejected."""
        for border in self.borders():
            for power in POWERS:
                sign = one_sign(self.reading.of_cells, *border.cell(power), CUTS, self.deadline)
                if sign:
                    yield Limit(1 << power, sign, border)
                    break

    def wrong_from(self, limits: Sequence[Limit]) -> int | None:
        """The length from which on a string of every length is wrong, None if that is not shown."""
        proved = []
        for limit in limits:
            start = max(limit.start, limit.border.settled(self.language))
            n = np.arange(start, start + limit.border.share.denominator)
            if len(self.against(limit, n)) == len(n):
                proved.append((start, limit))
        if not proved:
            return None
        self.proved = always, limit = min(proved, key=lambda pair: pair[0])
        counts = self.against(limit, np.array([always]))
        self.ask(counts, np.full(len(counts), limit.sign))
        # Below the length from which that is proved, counts are asked.
        while 1 < always <= EXACT:
            self.deadline.look()
            n = np.arange(max(1, always - SPAN), always)
            wrong = self.ask(self.against(limit, n)).sum(1)
            right = np.setdiff1d(n, wrong)
            if len(right):
                return int(right[-1]) + 1
            always = int(n[0])
        return always

    def against(self, limit: Limit, n: np.ndarray) -> np.ndarray:
        """The counts of each length nearest to a border where the language contradicts the sign."""
        counts = limit.border.counts(n)
        is_against = self.language.members(counts) != (limit.sign > 0)
        is_against &= (counts >= self.reading.least).all(1)
        if limit.symbols is not None:
            is_against &= ((counts > 0) == np.isin(np.arange(self.reading.k), limit.symbols)).all(1)
        _, nearest = np.unique(counts[is_against].sum(1), return_index=True)
        return counts[is_against][nearest]


def _middles(low: np.ndarray, high: np.ndarray) -> tuple[Tensor, Tensor]:
    """The middles of cells and half their sides, exactly, in float64."""
    return torch.tensor((low + high) / (2 * ONE)), torch.tensor((high - low) / (2 * ONE))


def _numbers(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How many counts there are in each cell, or more."""
    longest = ONE / np.maximum(low[:, -1], 1)
    lengths = longest - ONE // np.maximum(high[:, -1], 1) + 1
    return lengths * ((high - low)[:, :-1] / ONE * longest[:, None] + 1).prod(1)


@dataclass(frozen=True)
class Border:
    """Counts of two of `k` symbols near a share of the other one: floor(share n), or a few off."""

    k: int
    one: int
    other: int
    share: Fraction

    def counts(self, n: np.ndarray) -> np.ndarray:
        """Those of strings of these lengths."""
        nearest = n * self.share.numerator // self.share.denominator
        counts = np.zeros((len(n), len(BESIDE), self.k), np.int64)
        counts[:, :, self.other] = nearest[:, None] + np.array(BESIDE)
        counts[:, :, self.one] = n[:, None] - counts[:, :, self.other]
        counts = counts.reshape(-1, self.k)
        return counts[(counts >= 0).all(1)]

    def cell(self, power: int) -> Cells:
        """A cell that holds them from the length 2^power on."""
        low, high = every_share(self.k, None, 1 << power)
        high[:, :-1] = 0
        for side, share in ((self.one, 1 - self.share), (self.other, self.share)):
            if side < self.k - 1:
                at = share.numerator * ONE // share.denominator
                low[0, side] = max(0, at - len(BESIDE) * high[0, -1])
                high[0, side] = min(ONE, at + len(BESIDE) * high[0, -1])
        return low, high

    def settled(self, language: Counted) -> int:
        """A length from which on membership goes by the remainder of the length. For n = q t + r a
        form is a t + b, with |b| of at most `size`.
        """
        p, q = self.share.numerator, self.share.denominator
        one, other = language.factors[:, self.one], language.factors[:, self.other]
        size = abs(one) * q + abs(language.constants) + abs(other - one) * (p + len(BESIDE))
        return q * (int(size.max(initial=0)) + 2)


@dataclass(frozen=True)
class Limit:
    """Strings of `start` symbols or more beside a border, on all of which the score has one sign;
    if `symbols` are given, only strings in which just these occur.
    """

    start: int
    sign: int
    border: Border
    symbols: tuple[int, ...] | None = None


# ---- logits times log n ----


class Presence:
    """The strings of `tokens` tokens or more in which just these symbols occur, under logits times
    the log of the number T of tokens: the shares of each head lie in a box.

    A kind that occurs c times weighs c T^s. Beside one that occurs, and weighs T^r or more, its
    share is at most x / (1 + x) with x = T^(1 + s - r), or T^(s - r) for a fixed token, which falls
    with T where the exponent is negative.
    """

    def __init__(self, reading: CountReader, symbols: tuple[int, ...], tokens: int):
        self.reading = reading
        low, high = reading.exponents()
        kinds = np.array(reading.order)
        is_fixed = kinds >= reading.k
        is_present = is_fixed | np.isin(kinds, symbols)
        exponents = high[:, :, None] - low[:, None] + np.where(is_fixed, 0, 1)[:, None]
        is_beside = is_present & ~np.eye(len(kinds), dtype=bool)
        least = np.where(is_beside, exponents, inf).min(-1)
        power = float(tokens) ** np.where(least < 0, least, 0)
        most = np.where(least < 0, power / (1 + power) * SAFE, 1)
        self.most = np.where(is_present, np.maximum(most, LOST), 0)  # (heads, kinds)
        self.main = self.most.argmax(1)  # of each head the kind whose share is 1 less the others
        heads, places = np.nonzero(self.most)
        is_free = places != self.main[heads]
        self.heads, self.places = heads[is_free], places[is_free]

    def of_cells(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sign of the score on each cell, and the side that moves it most. A side is a free
        share, in parts of the largest that it can be.
        """
        most = torch.tensor(self.most[self.heads, self.places])
        middle, half = _middles(low, high)
        heads, kinds = self.most.shape
        centre = torch.zeros(len(low), heads, kinds, dtype=torch.float64)
        moves = torch.zeros(len(low), heads, low.shape[1], kinds, dtype=torch.float64)
        sides = np.arange(low.shape[1])
        centre[:, self.heads, self.places] = middle * most
        centre[:, np.arange(heads), self.main] = 1 - centre.sum(-1)
        moves[:, self.heads, sides, self.places] = half * most
        moves[:, self.heads, sides, self.main[self.heads]] = -half * most
        return self.reading.score(Multiplicities(centre, moves, final=True))

    def sign(self, deadline: Deadline) -> int:
        """The sign of the score of all these strings, 0 where it is not known."""
        low = np.zeros((1, len(self.heads)), np.int64)
        return one_sign(self.of_cells, low, low + ONE, CUTS_OF_SHARES, deadline)


def present(search: Search, tokens: int) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """For each set of symbols: the sign of the score of strings of so many tokens or more in which
    just these occur, and the language's, 1 if all are meant, -1 if none is; 0 if not known.
    """
    k, language = search.reading.k, search.language
    for number in range(1, k + 1):
        for symbols in combinations(range(k), number):
            is_present = np.isin(np.arange(k), symbols)
            if (search.reading.least > is_present).any():
                continue
            sign = Presence(search.reading, symbols, tokens).sign(search.deadline)
            fewest = max(1, tokens - search.reading.fixed) if number == 1 else 1
            factors = language.factors * is_present
            ends = fewest * factors.sum(1) + language.constants
            low = np.where((factors < 0).any(1), -inf, ends)[None]
            high = np.where((factors > 0).any(1), inf, ends)[None]
            holds, fails = language.known(low, high)
            yield symbols, sign, int(holds[0]) - int(fails[0])


# ---- the door ----


@dataclass(frozen=True)
class EveryLength:
    """What is known of a network at every length.

    `kind` is PROVED; WRONG with `counts` that are decided incorrectly, and a string with them; or
    EACH_STRING. Every string of up to `reach` symbols, but the empty one, is decided correctly: the
    error is the first if it has one symbol more. `always`: one string of each length from there on
    is decided incorrectly. `cells` and `asked`: how many cells and counts it took. `reason`: why
    not more is known.
    """

    kind: str
    reach: int
    counterexample: str | None = None
    counts: tuple[int, ...] | None = None
    always: int | None = None
    cells: int = 0
    asked: int = 0
    reason: str = ""
    searches: Sequence[Search] = field(default=(), repr=False, compare=False)


@takes(judged=Judged, language=Formula)
@takes(longest=between(1 << FIRST, 1 << 19), seconds=optional(above_zero))
def every_length(
    judged: Judged, language: Formula, longest: int = 1 << 12, seconds: float | None = None
) -> EveryLength:
    """Holds a network without positions against a formula about numbers of symbols, at every
    length: one layer behind a mask, or any number of them without. What is not proved at every
    length is decided up to the first error, or up to `longest` symbols.

    ValueError for another network, or a formula that asks for more than numbers of symbols.
    """
    deadline, counted = Deadline(seconds), Counted(language, judged.alphabet)
    searches = [Search(reading, counted, deadline) for reading in readings(judged)]
    reach, always, start, reason = 0, None, None, "its limit is left open"
    try:
        _, counts = inside(*every_share(len(judged.alphabet), 1 << FIRST, 1))
        for search in searches:
            search.ask(counts)
        reach = 1 << FIRST
        start, always = _at_the_limit(searches)
        # Below it, the first error, a power of 2 after the other.
        while reach < min(start or longest, *(search.before for search in searches)):
            for search in searches:
                search.sweep(*every_share(len(judged.alphabet), 2 * reach, reach))
            reach *= 2
    except OutOfTime:
        reason = "the seconds are over"
    except KeyboardInterrupt:
        reason = "it was interrupted"
    work = sum(x.reading.cells for x in searches), sum(x.reading.asked for x in searches)
    search = min(searches, key=lambda search: search.before)
    is_open = min(search.open for search in searches)
    reach = min(reach, int(min(search.before, is_open, 1 << 62)) - 1)
    if search.first is not None:
        w = search.reading.string(search.first)
        return EveryLength(WRONG, reach, w, search.first, always, *work, "", searches)
    reason = reason if is_open == inf else f"a string of {is_open:,} symbols is nearly a tie"
    if start is not None and reach >= start and is_open == inf:
        return EveryLength(PROVED, reach, None, None, None, *work, "", searches)
    return EveryLength(EACH_STRING, reach, None, None, always, *work, reason, searches)


def _at_the_limit(searches: Sequence[Search]) -> tuple[int | None, int | None]:
    """The length from which on every string is decided correctly, and that from which on one of
    each length is decided incorrectly, None where that is not known.
    """
    network, k = searches[0].reading.judged.network, searches[0].reading.k
    if network.log_n and (len(network.layers) != 1 or searches[0].reading.place is None):
        return None, None  # the boxes of shares are those of one query
    if not network.log_n:
        wrong = [search.wrong_from([*search.limits()]) for search in searches]
        if any(wrong):
            return None, min(n for n in wrong if n is not None)
        for power in LIMITS:
            cell = every_share(k, None, 1 << power)
            is_settled = all(search.sweep(*cell, CELLS) for search in searches)
            if is_settled and all(search.before == search.open == inf for search in searches):
                return 1 << power, None
        return None, None
    for power in TOKENS:
        is_right = True
        for search in searches:
            limits: list[Limit] = []
            for symbols, sign, meant in present(search, 1 << power):
                is_right &= sign != 0 and meant == sign
                if sign and meant != sign:
                    borders = [b for b in search.borders() if {*symbols} <= {b.one, b.other}]
                    limits += [Limit(1 << power, sign, border, symbols) for border in borders]
            if limits:
                return None, search.wrong_from(limits)
        if is_right:
            return 1 << power, None
    return None, None
