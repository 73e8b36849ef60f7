"""What can be known of a model and a language, in one vocabulary.

A statement is *proved for every length*, by hand or by machine; or *proved for each string* up to a
length, because each of them was decided; or *measured*, on strings that were drawn.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import inf
from time import perf_counter

import numpy as np
from flint import arb, fmpq
from tqdm import tqdm

from lib.checks import between, takes
from lib.languages import Language, Sample

PROVED = "proved for every length"
UNCHECKED = "found, not checked"  # a proof that no second solver has confirmed
EACH_STRING = "proved for each string"
ANSWERED = "measured on each string"  # of a function, which was asked once
WRONG = "wrong"
UNDECIDED = "undecided"  # a string that no precision settles
UNKNOWN = "unknown"  # the prover ended without an answer

DECISIONS = {True: "accepted, but is not", False: "rejected, but is", None: "not decided"}
DIGITS = 20  # of a fraction that is written out
SAMPLES = 1_000
SHOWN = 10  # lengths with wrong strings
INTERRUPTED = "it was interrupted"
RUNS = 6  # of one symbol, by which a long string is told
LONGEST = 40  # symbols of the strings that are all decided

Score = fmpq | arb | float
# Of strings of one length: whether each is accepted, and how far each score is from its threshold,
# where scores are known.
Decide = Callable[[list[str]], tuple[Sequence[bool | None], np.ndarray | None]]


@dataclass(frozen=True)
class Verdict:
    """What is known of a model and a language.

    `kind` is PROVED, EACH_STRING, WRONG, UNDECIDED; of a function that is right, ANSWERED; and
    UNKNOWN, where nothing was decided. `strings` is how many were decided, all up to `longest`
    symbols, or to the `counterexample`: the shortest that is decided incorrectly, or not at all.

    accepted, logit: what the model does with the counterexample, and its score there.
    name: what the language is called; chosen: whether examples alone were decided.
    proof: what a verdict for every length, or a counterexample beyond `longest`, rests on;
        unproved: why there is no proof.
    margin, nearest: the smallest distance of a right decision from its threshold, and the first
        string with it.
    by_length: for each length the numbers of strings, of wrong and of undecided ones; wrong: the
        first wrong ones. Both where the strings beyond the first error were decided too.
    rounding: for each type of floats how many strings one run in it decides otherwise than the real
        numbers do, and the first of them; any_order: how many strings every run in float32 decides
        alike, in whatever order sums are taken; balls: how many needed more than float64.
    measured: strings beyond `longest` that were drawn.
    notes: why it ended early, and what else the reader has to know.
    """

    kind: str
    longest: int
    strings: int
    counterexample: str | None = None
    accepted: bool | None = None
    logit: Score | None = field(default=None, compare=False)  # a ball is equal to no other
    name: str = field(default="the language", compare=False)
    chosen: bool = False
    proof: tuple[str, ...] = ()
    unproved: str = field(default="", compare=False)
    margin: float | None = field(default=None, compare=False)
    nearest: str | None = field(default=None, compare=False)
    by_length: Mapping[int, tuple[int, int, int]] | None = None
    wrong: tuple[str, ...] = ()
    rounding: Mapping[str, tuple[int, str | None]] = field(default_factory=dict)
    any_order: int | None = None
    balls: int = 0
    measured: Sample | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return INTERRUPTED in self.notes

    @property
    def unseen(self) -> float:
        """The chance that 1,000 strings show no error, if their lengths, and then they themselves,
        are drawn uniformly; ValueError where only the first error is known.
        """
        if self.by_length is None:
            raise ValueError("a verdict that counts the errors of each length is expected")
        shares = [wrong / strings for strings, wrong, _ in self.by_length.values() if strings]
        return (1 - sum(shares) / max(1, len(shares))) ** SAMPLES

    def __str__(self) -> str:
        return "\n".join([self.headline, *self._of_strings(), *self._beside()])

    @property
    def headline(self) -> str:
        """The first line of it."""
        if self.kind == PROVED:
            return f"{self.kind}: {'; '.join(self.proof)}"
        if self.counterexample is None:
            reach = (
                f"of {self.strings:,} examples" if self.chosen else f"up to length {self.longest}"
            )
            return f"{self.kind} {reach}" if self.strings else self.kind
        score = "" if self.logit is None else f", with score {written(self.logit)}"
        member = "" if self.accepted is None else f" in {self.name}"
        decision = f"{DECISIONS[self.accepted]}{member}{score}"
        if self.kind == WRONG and self.accepted is None:  # several outputs decide
            decision = "answered incorrectly"
        return f"{self.kind}: {quoted(self.counterexample)} is {decision}"

    def _of_strings(self) -> Iterator[str]:
        if self.by_length:
            _, wrong, left = map(sum, zip(*self.by_length.values()))
            line = f"of {self.strings:,} strings up to length {self.longest}, {wrong:,} are decided"
            yield f"{line} incorrectly" + (f", {left:,} not at all" if left else "")
            if self.wrong:
                yield f"the first: {', '.join(w or 'the empty string' for w in self.wrong)}"
                rows = [(length, n, off) for length, (n, off, _) in self.by_length.items() if off]
                some = ", ".join(f"{off:,} of {n:,} at {length}" for length, n, off in rows[:SHOWN])
                yield f"by length: {some}" + ", and at more lengths" * (len(rows) > SHOWN)
                chance = f"{self.unseen:.2g}" if self.unseen > 1e-300 else "below 1e-300"
                yield f"1,000 strings of random lengths show none with chance {chance}"
        elif self.chosen:
            yield "nothing but the examples was decided"
        elif self.counterexample is not None and len(self.counterexample) <= self.longest:
            if self.counterexample:
                yield "every shorter string is decided correctly"
        elif self.strings:
            yield f"all {self.strings:,} strings up to length {self.longest} are decided correctly"
        if self.nearest is not None:
            margin = f"{self.margin:.3g}" if self.margin != inf else "above 1e308"
            margin = "below 1e-308" if 0 < (self.margin or 0) < 1e-308 else margin
            yield f"the smallest margin of a right decision is {margin}, at {quoted(self.nearest)}"

    def _beside(self) -> Iterator[str]:
        if self.proof and self.kind == WRONG:
            yield f"it was found beyond these strings: {'; '.join(self.proof)}"
        if self.unproved:
            yield f"not proved for every length: {self.unproved}"
        for name, (number, first) in self.rounding.items():
            which = f", the first at {first!r}" if number else ""
            yield f"{name} changes {number:,} decision{'s' * (number != 1)}{which}"
        if self.any_order is not None:
            yield f"float32 provably keeps {self.any_order:,}, in any order of its sums"
        if self.measured is not None:
            yield from f"measured, {self.measured}".replace("\n", "\nmeasured, ").split("\n")
        yield from self.notes


def quoted(w: str) -> str:
    """A string in a sentence; a long one by its runs."""
    runs = [(symbol, len([*run])) for symbol, run in groupby(w)]
    if len(w) > LONGEST and len(runs) <= RUNS:
        times = (f"{number:,} times" if number > 1 else "once" for _, number in runs)
        return ", then ".join(f"{run[0]!r} {n}" for run, n in zip(runs, times, strict=True))
    return repr(w) if w else "the empty string"


def written(score: Score) -> str:
    """A score as it is, or to three digits; of a ball around 0 how wide it is."""
    if isinstance(score, float):
        return f"{score:.3g}"
    if not isinstance(score, arb) and len(str(score)) <= DIGITS:
        return str(score)
    return arb(score).str(3, radius=0 in arb(score))


@takes(longest=between(0, LONGEST))
def swept(
    language: Language, decide: Decide, longest: int, seconds: float | None, progress: bool
) -> Verdict:
    """Holds what decides strings against a language, on every string up to `longest` symbols, or as
    far as fits into `seconds`. Ctrl-C ends it with the lengths that were decided.
    """
    tried, done, margin, nearest = 0, -1, inf, None
    lengths = Lengths(longest, seconds, progress)
    notes: tuple[str, ...] = ()
    try:
        for length in lengths:
            number = len(language.alphabet) ** length
            if not lengths.fit(number):
                notes = (lengths.left,)
                break
            batch = list(language.all_strings(length))
            answers, margins = decide(batch)
            if wrong := language.errors(batch, answers):
                place = batch.index(wrong[0])
                accepted = None if answers[place] is None else bool(answers[place])
                kind = UNDECIDED if accepted is None else WRONG
                tried += place + 1
                return Verdict(kind, length, tried, wrong[0], accepted, name=language.name)
            tried, done = tried + number, length
            if margins is not None and len(margins) and (nearest is None or margins.min() < margin):
                margin, nearest = float(margins.min()), batch[int(margins.argmin())]
    except KeyboardInterrupt:
        notes = (INTERRUPTED,)
    kind = UNKNOWN if done < 0 else EACH_STRING
    smallest = None if nearest is None else margin
    return Verdict(
        kind, max(done, 0), tried, name=language.name, margin=smallest, nearest=nearest, notes=notes
    )


class Lengths:
    """The lengths from 0 to a longest one, with a bar that shows them, as far as they fit into so
    many seconds: a length takes as long for each string as all before it took for each of the last.
    """

    def __init__(self, longest: int, seconds: float | None, progress: bool):
        numbers = range(longest + 1)
        self.bar = tqdm(numbers, desc="lengths", disable=not progress, leave=False)
        self.seconds, self.began = seconds, perf_counter()
        self.last, self.left = 0, ""

    def __iter__(self) -> Iterator[int]:
        return iter(self.bar)

    def fit(self, strings: int) -> bool:
        """Whether so many strings, those of the next length, do; `left` says why not."""
        spent = perf_counter() - self.began
        estimate = spent * strings / self.last if self.last else 0.0
        self.bar.set_postfix(strings=strings, seconds=f"{estimate:.3g}")
        self.last = strings
        if self.seconds is None or estimate <= self.seconds:
            return True
        self.left = (
            f"it ended early: the next {strings:,} strings would take about {estimate:.3g} "
            f"seconds, and all strings together have {self.seconds:g}"
        )
        return False
