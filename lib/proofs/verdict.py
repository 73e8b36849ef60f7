"""What is proved of a transformer and a specification: by the compiler's theorem it decides as its
formula does, and a proof says that the formula is what was meant.
"""

from dataclasses import replace
from importlib.util import find_spec

from automata.fa.dfa import DFA

from lib.checks import above_zero, an, between, flag, optional, takes, text
from lib.formulas import verdict as of_language
from lib.formulas.compilation import Compiled
from lib.formulas.verdict import EVERY_LENGTH, THEOREM, WRONG, Verdict
from lib.languages import Language
from lib.proofs.equal import PROVED, REFUTED, Answer, Specification, proved_equal, recogniser
from lib.proofs.machine import Counters
from lib.transformer.construction import Construction
from lib.transformer.exact import Exact

CHECKED = "checked again by cvc5"


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

    With `check` cvc5 checks the proof again, which takes as long as the proof did; `name` is what
    the verdict calls the specification. A `Construction`, read with the `options` of `Exact` where
    it does not say how it is read, is decided on the strings alone. The errors are those of
    `proved_equal`.
    """
    alphabet = tuple(transformer.alphabet)
    meant = Language(name or _written(specification), recogniser(specification, alphabet), alphabet)
    found = of_language(transformer, meant, longest, seconds, progress, **options)
    if found.counterexample is not None or not isinstance(transformer, Compiled):
        return found
    if not transformer.is_exact:
        return replace(found, about=f"{THEOREM} does not cover its base and slope")
    answer = proved_equal(transformer.formula, specification, alphabet)
    rests_on = (THEOREM, answer.how)
    if answer.kind == REFUTED:
        w = answer.counterexample or ""
        said = Exact(transformer).decide(w)
        found = replace(found, kind=WRONG, counterexample=w, rests_on=rests_on)
        return replace(found, accepted=said.accepts, logit=said.s)
    if answer.kind != PROVED:
        return replace(found, about=f"not proved equal to {meant.name}: {answer.how}")
    again = _checked(answer) if check else "not checked again"
    if again is None:
        return replace(found, about=f"cvc5 refuses the proof that it is equal to {meant.name}")
    about = f"equal to {meant.name} ({answer.how}; {again})"
    rests_on += (CHECKED,) if again == CHECKED else ()
    return replace(found, kind=EVERY_LENGTH, rests_on=rests_on, about=about)


def _written(specification: Specification) -> str:
    """A specification by what it is, where it has no name."""
    if isinstance(specification, DFA):
        return f"a DFA of {len(specification.states)} states"
    if isinstance(specification, Counters):
        return f"a machine of {len(specification.registers)} counters"
    return str(specification)


def _checked(answer: Answer) -> str | None:
    """What came of checking a proof again; None where it is refused."""
    if not find_spec("cvc5"):
        return "not checked again: cvc5 is not installed here"
    from lib.proofs.certificate import certificate, is_proof

    return CHECKED if is_proof(certificate(answer)) else None
