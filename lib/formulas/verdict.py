"""What is known of a transformer and a language: a proof for every length, a proof for each string
to a length, or the shortest counterexample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lib.checks import an, between, function, takes
from lib.formulas.compilation import Compiled
from lib.languages import Language
from lib.transformer.construction import Construction
from lib.transformer.exact import Exact

EVERY_LENGTH = "proved for every length"
EACH_STRING = "proved for each string"
WRONG = "wrong"
UNDECIDED = "undecided"
THEOREM = "the compiler's theorem"

Accepts = Callable[[list[str]], Sequence[bool | None]]  # of a list of strings, an answer each


@dataclass(frozen=True)
class Verdict:
    """`kind` is one of the four above; `strings` were decided with proof, all of them to `longest`
    symbols, or up to the `counterexample`, the shortest string decided wrongly or not at
    all. What goes beyond these strings `rests_on` something else; `about` says what is known of
    the formula and a specification.
    """

    kind: str
    longest: int
    strings: int
    counterexample: str | None = None
    rests_on: tuple[str, ...] = ()
    about: str = ""

    def __str__(self) -> str:
        if self.counterexample is None:
            tried = f"all {self.strings:,} strings to length {self.longest} are decided rightly"
            if self.kind == EACH_STRING:
                about = f"; {self.about}" if self.about else ""
                return f"{self.kind} to length {self.longest}: {tried}{about}"
            about = f": {self.about}" if self.about else ""
            return f"{self.kind}{about}; {tried}"
        shown = repr(self.counterexample) if self.counterexample else "the empty string"
        what = "not decided" if self.kind == UNDECIDED else "decided wrongly"
        return f"{self.kind}: {shown} is {what}, and no shorter string is"


@takes(transformer=an(Compiled, Construction), language=Language, longest=between(0, 40))
def verdict(
    transformer: Compiled | Construction,
    language: Language | None = None,
    longest: int = 12,
    **options,
) -> Verdict:
    """Holds a transformer against a language on every string to `longest` symbols, exactly.

    A `Compiled` one is read as it must be, and held against its own formula where no language is
    given: then, if its margins suffice, the verdict is for every length. `options` are those of
    `Exact`, which read it otherwise. ValueError for a construction without a language, and for a
    language over another alphabet.
    """
    is_proved = False
    if isinstance(transformer, Compiled):
        is_proved = transformer.is_exact and language is None and not options
        language = language or transformer.language
        options = options or transformer.options
        construction = transformer.construction
    else:
        construction = transformer
    if language is None:
        raise ValueError(f"a language to hold {construction!r} against is expected, not None")
    if sorted(language.alphabet) != sorted(construction.alphabet):
        raise ValueError(
            f"a language over {', '.join(construction.alphabet)} is expected, not {language.name} "
            f"over {', '.join(language.alphabet) or 'no symbols'}"
        )
    found = held_against(language, Exact(construction, **options).accepts, longest)
    is_right = found.counterexample is None
    if is_right and is_proved:
        return replace(found, kind=EVERY_LENGTH, rests_on=(THEOREM,))
    return found


@takes(language=Language, accepts=function, longest=between(0, 40))
def held_against(language: Language, accepts: Accepts, longest: int) -> Verdict:
    """Holds whatever decides strings against a language, on every string to `longest` symbols.

    `accepts` takes all strings of one length and answers each with True, False or, where it cannot
    tell, None.
    """
    strings = 0
    for length in range(longest + 1):
        batch = list(language.all_strings(length))
        answers = accepts(batch)
        wrong = language.errors(batch, answers)
        if wrong:
            kind = UNDECIDED if answers[batch.index(wrong[0])] is None else WRONG
            return Verdict(kind, length, strings + batch.index(wrong[0]) + 1, wrong[0])
        strings += len(batch)
    return Verdict(EACH_STRING, longest, strings)
