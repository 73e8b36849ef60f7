"""What runs in the entries of the map: a network, how it is read, and the language that it is held
against, each a line of Python that knows nothing of the network.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from chapters.common.palindrome_precision import Evaluation
from chapters.the_map import decoders, encoders
from chapters.the_map.decoders import Decoder, Steps
from lib import constructions
from lib.constructions.normalization import mirror
from lib.languages import FIRST, MAJORITY, ONE, PALINDROME, PARITY, Accepts, Language
from lib.transformer import Construction, Exact
from lib.verdicts import Verdict, swept

READ_BY = {
    "softmax": "softmax",
    "hardmax": "averaging hardmax",
    "leftmost": "ties to the left",
    "rightmost": "ties to the right",
}


def held_against(language: Language, accepts: Accepts, longest: int) -> Verdict:
    """What answers several strings at once, on every string up to `longest` symbols."""
    return swept(language, lambda words: ([*accepts(words)], None), longest, None, progress=False)


@dataclass(frozen=True)
class Example:
    """What runs: `accepts` answers strings of the `language` by the `network`, read as `reader`
    says, and is held against the language on every string to `longest` symbols.
    """

    language: Language
    longest: int
    accepts: Callable[[list[str]], list[bool | None]]
    reader: str
    network: Callable[[], Construction | Decoder]

    def run(self, longest: int | None = None) -> Verdict:
        """The verdict on every string to `longest` symbols, by default the example's own."""
        return held_against(self.language, self.accepts, longest or self.longest)


def follows(w: str) -> bool:
    """Whether a 1 stands behind the last symbol's place before."""
    before = w[:-1].rfind(w[-1:]) if w else -1
    return before >= 0 and w[before + 1] == "1"


def has_progression(w: str) -> bool:
    """Whether three 1s stand at equal distances."""
    ones = {i for i, symbol in enumerate(w) if symbol == "1"}
    return any(2 * j - i in ones for i in ones for j in ones if i < j)


ENDS_WITH_1 = Language("ends with 1", lambda w: w.endswith("1"))
CONTAINS_01 = Language("contains 01", lambda w: "01" in w)
INDUCTION = Language("induction", follows)
ODD_POSITIONS = Language("1s at odd positions", lambda w: "1" not in w[1::2])
PROGRESSION = Language("three 1s at equal distances", has_progression)


def read(
    make: Callable[[], Any],
    language: Language,
    longest: int,
    attention: str = "softmax",
    end: Callable[[str], str] = str,
    reads: type[Exact | Steps] = Exact,
    **options: Any,
) -> Example:
    """A construction under the exact reader, or a decoder, step by step, to its answer; `end` adds
    what stands behind every string.
    """
    reader = cache(lambda: reads(make(), attention, **options))  # made when it first runs

    def accepts(strings: list[str]) -> list[bool | None]:
        return reader().accepts([end(w) for w in strings])

    said = [READ_BY[attention], *(f"{key} = {value}" for key, value in options.items())]
    how = "exact, step by step" if reads is Steps else "exact"
    return Example(language, longest, accepts, f"{how}: {', '.join(said)}", make)


decoding = partial(read, reads=Steps)
EIGHT_BITS = Evaluation("bfloat16")
EXAMPLES = {  # as `map.yaml` names them
    "FIRST_LEFT": read(encoders.end_symbol, FIRST, 12, "leftmost"),
    "LAST_RIGHT": read(encoders.end_symbol, ENDS_WITH_1, 12, "rightmost"),
    "CONTAINS_RIGHT": read(encoders.contains_01, CONTAINS_01, 12, "rightmost"),
    "INDUCTION_RIGHT": read(encoders.induction, INDUCTION, 12, "rightmost"),
    "ODD_LEFT": read(encoders.odd_positions, ODD_POSITIONS, 12, "leftmost"),
    "PAIRS_LEFT": read(encoders.progressions, PROGRESSION, 7, "leftmost", encoders.padded),
    "PAIRS_AVERAGING": read(encoders.progressions, PROGRESSION, 7, "hardmax", encoders.padded),
    "MAJORITY_HARD": read(encoders.majority, MAJORITY, 12, "hardmax"),
    "MAJORITY_SOFT": read(encoders.majority, MAJORITY, 12),
    "MAJORITY_LAST": read(lambda: encoders.majority(masked=True), MAJORITY, 12),
    "PARITY_HARD": read(constructions.parity, PARITY, 10, "hardmax"),
    "PARITY_AT_COUNT": read(encoders.parity_at_its_count, PARITY, 12, "hardmax"),
    "PARITY_SOFT": read(constructions.parity, PARITY, 10),
    "PARITY_NORMALIZED": read(
        lambda: mirror(constructions.parity(tie_free=True)), PARITY, 6, eps=0
    ),
    "FIRST_SOFT": read(constructions.first, FIRST, 10),
    "FIRST_LOG": read(constructions.flawed_first, FIRST, 10, log_n=True),
    "ONE_SOFT": read(lambda: replace(constructions.one(), position={}), ONE, 12),
    "PALINDROME_SOFT": read(constructions.palindrome, PALINDROME, 10),
    "PALINDROME_8_BITS": Example(
        PALINDROME,
        9,
        lambda strings: [EIGHT_BITS.accepts(w, "s = 0") for w in strings],
        "bfloat16: the two heads' softmax, summed in order, divided last",
        constructions.palindrome,
    ),
    "PALINDROME_PAIRS": read(constructions.pairwise_palindrome, PALINDROME, 9),
    "TALLY": decoding(decoders.tally, PARITY, 12, "softmax"),
    "RUNNING_RIGHT": decoding(decoders.running_parity, PARITY, 10, "rightmost"),
    "RUNNING_AVERAGING": decoding(
        lambda: decoders.running_parity(averaging=True), PARITY, 9, "hardmax"
    ),
    "PAIRS_SOFT": read(
        lambda: encoders.progressions(soft=True), PROGRESSION, 7, end=encoders.padded
    ),
}


def first_wrong(found: Verdict) -> str:
    """The first string that is decided incorrectly, in words."""
    return "none" if found.counterexample is None else found.counterexample or "the empty string"


def with_fewer(missing: int) -> Verdict:
    """`progressions` with ties to the left, with so many padding tokens fewer than are enough."""
    end = partial(encoders.padded, fewer=missing)
    return read(encoders.progressions, PROGRESSION, 6, "leftmost", end).run()
