"""What is known of a transformer and a language: a proof for every length, a proof for each string
to a length, or the shortest counterexample.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from time import perf_counter

from flint import arb
from tqdm import tqdm

from lib.checks import above_zero, an, between, flag, function, optional, shown, takes
from lib.formulas.compilation import Compiled
from lib.languages import Accepts, Language
from lib.transformer.construction import Construction
from lib.transformer.exact import Exact, Value

EVERY_LENGTH = "proved for every length"
EACH_STRING = "proved for each string"
WRONG = "wrong"
UNDECIDED = "undecided"
THEOREM = "the compiler's theorem"

SAID = {True: "accepted wrongly", False: "rejected wrongly", None: "not decided"}
DIGITS = 20  # of a fraction that is written out


@dataclass(frozen=True)
class Verdict:
    """`kind` is one of the four above; `strings` were decided with proof, all of them to `longest`
    symbols, or up to the `counterexample`, the shortest string decided wrongly or not at
    all: whether it is `accepted`, and its `logit`, where it was the exact reader that decided. What
    goes beyond these strings `rests_on` something else; `about` says what is known of the formula
    and a specification, and `ended` why strings were tried no further.
    """

    kind: str
    longest: int
    strings: int
    counterexample: str | None = None
    rests_on: tuple[str, ...] = ()
    about: str = ""
    ended: str = ""
    accepted: bool | None = None
    logit: Value | None = field(default=None, compare=False)  # a ball is equal to no other

    def __str__(self) -> str:
        if self.counterexample is None:
            tried = f"all {self.strings:,} strings to length {self.longest} are decided rightly"
            tried += f"; {self.ended}" if self.ended else ""
            if self.kind == EACH_STRING:
                about = f"; {self.about}" if self.about else ""
                return f"{self.kind} to length {self.longest}: {tried}{about}"
            about = f": {self.about}" if self.about else ""
            return f"{self.kind}{about}; {tried}"
        word = repr(self.counterexample) if self.counterexample else "the empty string"
        logit = "" if self.logit is None else f" with the logit {_written(self.logit)}"
        what = SAID[self.accepted] + logit
        return f"{self.kind}: {word} is {what}, and all shorter strings are decided rightly"


def _written(logit: Value) -> str:
    """A logit as it is, or to three digits; of a ball around 0 how wide it is."""
    if not isinstance(logit, arb) and len(str(logit)) <= DIGITS:
        return str(logit)
    return arb(logit).str(3, radius=0 in arb(logit))


@takes(transformer=an(Compiled, Construction), language=Language, longest=between(0, 40))
@takes(seconds=optional(above_zero), progress=flag)
def verdict(
    transformer: Compiled | Construction,
    language: Language | None = None,
    longest: int = 12,
    seconds: float | None = None,
    progress: bool = False,
    **options,
) -> Verdict:
    """Holds a transformer against a language on every string to `longest` symbols, exactly.

    A `Compiled` one is held against its own formula where no language is given: then, if its
    margins suffice, the verdict is for every length. `options` are those of `Exact`, for a
    construction that does not say how it is read. It ends before a length that would not fit into
    `seconds`, and says so. ValueError for a construction without a language, and for a language
    over another alphabet.
    """
    is_proved = False
    if isinstance(transformer, Compiled):
        is_proved = transformer.is_exact and language is None
        language = language or transformer.language
    if language is None:
        name = shown(transformer.name)
        raise ValueError(f"a language to hold {name} against is expected, not None")
    meant, reader = language.over(transformer.alphabet), Exact(transformer, **options)
    found = held_against(meant, reader.accepts, longest, seconds, progress)
    if found.counterexample is not None:
        return replace(found, logit=reader.decide(found.counterexample).s)
    return replace(found, kind=EVERY_LENGTH, rests_on=(THEOREM,)) if is_proved else found


@takes(language=Language, accepts=function, longest=between(0, 40))
@takes(seconds=optional(above_zero), progress=flag)
def held_against(
    language: Language,
    accepts: Accepts,
    longest: int,
    seconds: float | None = None,
    progress: bool = False,
) -> Verdict:
    """Holds whatever decides strings against a language, on every string to `longest` symbols, or
    as far as fits into `seconds`.

    `accepts` takes all strings of one length and answers each with True, False or, where it cannot
    tell, None.
    """
    strings, lengths = 0, Lengths(longest, seconds, progress)
    for length in lengths:
        number = len(language.alphabet) ** length
        if not lengths.fit(number):
            return Verdict(EACH_STRING, length - 1, strings, ended=lengths.left)
        batch = list(language.all_strings(length))
        answers = accepts(batch)
        if wrong := language.errors(batch, answers):
            place = batch.index(wrong[0])
            said = None if answers[place] is None else bool(answers[place])
            kind, tried = UNDECIDED if said is None else WRONG, strings + place + 1
            return Verdict(kind, length, tried, wrong[0], accepted=said)
        strings += number
    return Verdict(EACH_STRING, longest, strings)


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
            f"it ended early because of seconds={self.seconds:g}: "
            f"the next {strings:,} strings would take about {estimate:.3g} seconds"
        )
        return False
