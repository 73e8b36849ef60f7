"""What is proved of a transformer and a specification: by the compiler's theorem it decides as its
formula does, and a proof says that the formula is what was meant.
"""

from dataclasses import replace

from automata.fa.dfa import DFA

from lib.checks import above_zero, an, between, flag, optional, takes, text
from lib.formulas import verdict as of_language
from lib.formulas.compilation import Compiled
from lib.formulas.verdict import EVERY_LENGTH, THEOREM, WRONG, Verdict
from lib.languages import Language
from lib.proofs.answer import PROVED, REFUTED, UNCHECKED
from lib.proofs.equal import Specification, proved_equal, recogniser
from lib.proofs.limits import Deadline
from lib.proofs.machine import Counters
from lib.transformer.construction import Construction
from lib.transformer.exact import Exact

SOON = 1e-3  # seconds that are left where none are: too few for a proof


@takes(
    transformer=an(Compiled, Construction),
    longest=between(0, 40),
    check=flag,
    name=optional(text),
    seconds=optional(above_zero),
    progress=flag,
)
def verdict(
    transformer: Compiled | Construction,
    specification: Specification,
    longest: int = 12,
    check: bool = True,
    name: str | None = None,
    seconds: float | None = None,
    progress: bool = False,
    **options,
) -> Verdict:
    """Holds a transformer against a specification, which `proved_equal` takes: on every string to
    `longest` symbols, exactly, and a `Compiled` one whose margins suffice at every length.

    A proof counts only when cvc5 has checked it, which takes about as long as to find it; without
    `check` it is named, and the verdict is that of the strings. Both together end after so many
    `seconds`. `name` is what the verdict calls the specification. A `Construction`, read with the
    `options` of `Exact` where it does not say how it is read, is decided on the strings alone. The
    errors are those of `proved_equal`.
    """
    deadline, alphabet = Deadline(seconds), tuple(transformer.alphabet)
    meant = Language(name or _written(specification), recogniser(specification, alphabet), alphabet)
    found = of_language(transformer, meant, longest, seconds, progress, **options)
    if found.counterexample is not None or not isinstance(transformer, Compiled):
        return found
    if not transformer.is_exact:
        return replace(found, about=f"{THEOREM} does not cover its base and slope")
    left = None if seconds is None else max(deadline.left, SOON)
    answer = proved_equal(
        transformer.formula, specification, alphabet, seconds=left, check=check, progress=progress
    )
    rests_on = (THEOREM, answer.how)
    if answer.kind == REFUTED:
        w = answer.counterexample or ""
        said = Exact(transformer).decide(w)
        found = replace(found, kind=WRONG, counterexample=w, rests_on=rests_on)
        return replace(found, accepted=said.accepts, logit=said.s)
    if answer.kind == PROVED:
        about = f"equal to {meant.name} ({answer.how})"
        return replace(found, kind=EVERY_LENGTH, rests_on=rests_on, about=about)
    if answer.kind == UNCHECKED:
        return replace(found, about=f"a proof that it is equal to {meant.name} is {answer}")
    return replace(found, about=f"not proved equal to {meant.name}: {answer.how}")


def _written(specification: Specification) -> str:
    """A specification by what it is, where it has no name."""
    if isinstance(specification, DFA):
        return f"a DFA of {len(specification.states)} states"
    if isinstance(specification, Counters):
        return f"a machine of {len(specification.registers)} counters"
    return str(specification)
