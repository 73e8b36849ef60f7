"""What runs in the entries of the map: a network, how it is read, and the language that it is held
against, each a line of Python that knows nothing of the network.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any

from chapters.common.palindrome_precision import Evaluation
from chapters.common.turing.architecture import Transformer, directional, vanilla
from chapters.common.turing.compilation import STUCK, stack_rnn
from chapters.common.turing.machines import PALINDROMES
from chapters.the_map import decoders, encoders
from chapters.the_map.decoders import Decoder, Steps
from lib import constructions
from lib.constructions.normalization import mirror
from lib.formulas import compiled
from lib.formulas import stated as of
from lib.formulas.stated import Stated
from lib.languages import DYCK_1, FIRST, MAJORITY, ONE, PALINDROME, PARITY, Language
from lib.transformer import Construction, Exact
from lib.verdicts import Verdict, held_against

READ_BY = {
    "softmax": "softmax",
    "hardmax": "averaging hardmax",
    "leftmost": "ties to the left",
    "rightmost": "ties to the right",
}


@dataclass(frozen=True)
class Example:
    """What runs: `accepts` answers strings of the `language` by the `network`, read as `reader`
    says, and is held against the language on every string to `longest` symbols.
    """

    language: Language
    longest: int
    accepts: Callable[[list[str]], list[bool | None]]
    reader: str
    network: Callable[[], Construction | Decoder | Transformer]

    def run(self, longest: int | None = None) -> Verdict:
        """The verdict on every string to `longest` symbols, by default the example's own."""
        most = self.longest if longest is None else longest
        return held_against(self.language, self.accepts, most)


def follows(w: str) -> bool:
    """Whether a 1 stands behind the last symbol's place before."""
    before = w[:-1].rfind(w[-1:]) if w else -1
    return before >= 0 and w[before + 1] == "1"


def has_progression(w: str) -> bool:
    """Whether three 1s stand at equal distances."""
    ones = {i for i, symbol in enumerate(w) if symbol == "1"}
    return any(2 * j - i in ones for i in ones for j in ones if i < j)


def is_identity(w: str) -> bool:
    """Whether the product of A5's generators is the identity: where 1 to 5 go, one by one."""
    cycles = {"a": "12345", "b": "123"}
    for start in "12345":
        at = start
        for cycle in (cycles[symbol] for symbol in w):
            at = cycle[(cycle.index(at) + 1) % len(cycle)] if at in cycle else at
        if at != start:
            return False
    return True


ENDS_WITH_1 = Language("ends with 1", lambda w: w.endswith("1"))
CONTAINS_01 = Language("contains 01", lambda w: "01" in w)
ALTERNATING = Language("(ab)*", lambda w: w == "ab" * (len(w) // 2), ("a", "b"))
INDUCTION = Language("induction", follows)
ODD_POSITIONS = Language("1s at odd positions", lambda w: "1" not in w[1::2])
MORE_AT_ODD = Language("more 1s at odd positions", lambda w: w[::2].count("1") > w[1::2].count("1"))
BLOCKS = Language(
    "aⁿbⁿcⁿ", lambda w: w == "".join(a * (len(w) // 3) for a in "abc"), ("a", "b", "c")
)
PROGRESSION = Language("three 1s at equal distances", has_progression)
WORD_PROBLEM = Language("the word problem of A5", is_identity, ("a", "b"))
AT_ODD = Stated(
    "more 1s at odd positions", "01", 'count(Q("1") and mod(2, 1)) > count(Q("1") and mod(2, 0))'
)


def read(
    make: Callable[[], Construction],
    language: Language,
    longest: int,
    attention: str = "softmax",
    end: Callable[[str], str] = str,
    **options: Any,
) -> Example:
    """A construction under the exact reader; `end` adds what stands behind every string."""
    reader = cache(lambda: Exact(make(), attention, **options))  # made when the example first runs

    def accepts(strings: list[str]) -> list[bool | None]:
        return reader().accepts([end(w) for w in strings])

    said = [READ_BY[attention], *(f"{key} = {value}" for key, value in options.items())]
    return Example(language, longest, accepts, f"exact: {', '.join(said)}", make)


def by_formula(stated: Stated, language: Language, longest: int, attention: str) -> Example:
    """A compiled formula, read as it says."""
    made = compiled(stated.text, stated.alphabet, attention).construction
    kind, eps = ("softmax", {"eps": 0}) if attention == "layer norm" else (attention, {})
    return read(lambda: made, language, longest, kind, str, **eps)


def decoding(
    make: Callable[[], Decoder], language: Language, longest: int, attention: str
) -> Example:
    """A decoder, step by step, to its answer."""
    reader = cache(lambda: Steps(make(), attention))

    def accepts(strings: list[str]) -> list[bool | None]:
        return [reader().decides(w) for w in strings]

    return Example(language, longest, accepts, f"exact, step by step: {READ_BY[attention]}", make)


def answer(transformer: Transformer, w: str, most: int = 100_000) -> bool | None:
    """Whether a transformer that runs a machine halts because that accepts, or because it is
    stuck; None if it runs on for `most` steps.
    """
    *_, last = islice(transformer.outputs(w), most + 1)
    held = dict(zip(transformer.space.names, last))
    if all(held[name] != 1 for name in transformer.halts):
        return None
    return held[STUCK] != 1


def machine(make: Callable[..., Transformer]) -> Example:
    """A transformer that runs the Turing machine for palindromes until it halts."""
    transformer = cache(lambda: make(stack_rnn(PALINDROMES)))

    def accepts(strings: list[str]) -> list[bool | None]:
        return [answer(transformer(), w) for w in strings]

    said = "exact: averaging hardmax, until it halts"
    return Example(PALINDROME, 6, accepts, said, transformer)


EIGHT_BITS = Evaluation("bfloat16")
EXAMPLES = {  # as `map.yaml` names them
    "FIRST_LEFT": read(encoders.end_symbol, FIRST, 12, "leftmost"),
    "LAST_RIGHT": read(encoders.end_symbol, ENDS_WITH_1, 12, "rightmost"),
    "MIRROR_LEFT": read(encoders.mirrored_symbols, PALINDROME, 10, "leftmost"),
    "CONTAINS_RIGHT": read(encoders.contains_01, CONTAINS_01, 12, "rightmost"),
    "ALTERNATING_RIGHT": read(encoders.alternating, ALTERNATING, 12, "rightmost"),
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
    "HALVES_HARD": by_formula(of.PARITY_BY_HALVES, PARITY, 7, "hardmax"),
    "HALVES_SOFT": by_formula(of.PARITY_BY_HALVES, PARITY, 6, "softmax"),
    "DYCK_HARD": by_formula(of.DYCK_1, DYCK_1, 10, "hardmax"),
    "DYCK_SOFT": by_formula(of.DYCK_1, DYCK_1, 9, "softmax"),
    "DYCK_NORMALIZED": by_formula(of.DYCK_1, DYCK_1, 8, "layer norm"),
    "BLOCKS_HARD": by_formula(of.A_N_B_N_C_N, BLOCKS, 6, "hardmax"),
    "BLOCKS_NORMALIZED": by_formula(of.A_N_B_N_C_N, BLOCKS, 5, "layer norm"),
    "ODD_MAJORITY": by_formula(AT_ODD, MORE_AT_ODD, 12, "hardmax"),
    "TALLY": decoding(decoders.tally, PARITY, 12, "softmax"),
    "RUNNING_RIGHT": decoding(decoders.running_parity, PARITY, 10, "rightmost"),
    "RUNNING_AVERAGING": decoding(
        lambda: decoders.running_parity(averaging=True), PARITY, 9, "hardmax"
    ),
    "A5_RIGHT": decoding(lambda: decoders.word_problem(decoders.A5), WORD_PROBLEM, 7, "rightmost"),
    "TALLY_UNMASKED": decoding(lambda: decoders.unmasked(decoders.tally()), PARITY, 10, "softmax"),
    "A5_UNMASKED": decoding(
        lambda: decoders.unmasked(decoders.word_problem(decoders.A5)), WORD_PROBLEM, 7, "rightmost"
    ),
    "PAIRS_SOFT": read(
        lambda: encoders.progressions(soft=True), PROGRESSION, 7, end=encoders.padded
    ),
    "VANILLA": machine(vanilla),
    "DIRECTIONAL": machine(directional),
}


def first_wrong(found: Verdict) -> str:
    """The first string that is decided wrongly, in words."""
    return "none" if found.counterexample is None else found.counterexample or "the empty string"


def with_fewer(missing: int, longest: int = 6) -> Verdict:
    """`progressions` with ties to the left, with so many padding tokens fewer than are enough."""
    reader = Exact(encoders.progressions(), "leftmost")
    return held_against(
        PROGRESSION,
        lambda strings: reader.accepts([encoders.padded(w, fewer=missing) for w in strings]),
        longest,
    )
