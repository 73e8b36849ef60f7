"""The machine's proofs for every length that criteria name, each as whether it passes today. What
else a criterion may name is a stored run, which `record.reproduce` holds to the code, or a note,
which proves as it runs.
"""

from collections.abc import Callable
from itertools import product

from lib import constructions
from lib.formulas import syntax
from lib.formulas.syntax import And, Not, Or, Q
from lib.proofs.constructions import ByKinds, Condition, Proof, proved_by_kinds
from lib.proofs.equal import regular
from lib.proofs.rational import E, Fact, total, variable
from lib.transformer.construction import Construction
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import Head, Layer
from lib.verdicts import PROVED, UNKNOWN

STARTS = 'count(Q("1") and position == 1) == 1'


def majority() -> Construction:
    """MAJORITY in one average of +1 for each 1 and -1 for each 0."""
    S = Space("0", "1", "CLS", "s")
    zero, one, cls, s = S
    words = {"0": zero, "1": one, "CLS": cls}
    return Construction(S, words, {}, [Layer(Head({"s": one - zero}))], s, "MAJORITY")


def kinds(construction: Construction, condition: Condition) -> Callable[[], bool]:
    """Whether a construction is proved from its rows to accept just what the condition says."""
    return lambda: proved_by_kinds(construction, condition).kind == PROVED


def proved_above(construction: Construction, condition: Condition, limit: Form) -> Proof:
    """Whether the construction, read by softmax, is right on all strings with n tokens if and only
    if E > 1, what the unit of its gains weighs, is above `limit`, a form of the coordinate "n".

    That it is not right below is proved by strings ab...b, for symbols a and b that are found;
    "unknown" where none are.
    """
    bound = total(variable(name) * c for name, c in limit.terms) + limit.constant
    question = ByKinds(construction, condition)
    claim = f"{construction.name} is right on all strings of n tokens iff E > {limit}"
    known = Fact(E - bound, ">")
    above = question.answer(claim, question.cases_where("wrong", known), known)
    if above.kind != PROVED:
        return above
    for a, b in product(construction.alphabet, repeat=2):
        first = syntax.position == 1
        other = Or((And((first, Not(Q(a)))), And((Not(first), Not(Q(b))))))
        right = question.cases_where("right", Fact(bound - E, ">="), syntax.never(other))
        if next(right, None) is None:
            claim += f"; below, {a}{b}...{b} is decided incorrectly"
            return question.answer(claim, iter(()))
    return Proof(UNKNOWN, claim, f"{above.solver}; right above it, but no strings ab...b tell")


def flawed_first() -> bool:
    """Whether flawed FIRST is proved right on n tokens just where E > n - 1, and to err on 10...0
    elsewhere.
    """
    proof = proved_above(constructions.flawed_first(), STARTS, Space("n")["n"] - 1)
    return proof.kind == PROVED and "10...0 is decided incorrectly" in proof.claim


ONE = kinds(constructions.one(), 'count(Q("1")) == 1')
CONSTRUCTIONS = (
    ONE,
    kinds(majority(), 'count(Q("1")) > count(Q("0"))'),
    kinds(constructions.first(), STARTS),
    kinds(constructions.parity(), regular("0*1(0*10*1)*0*", "01")),
)
NAMED: dict[str, Callable[[], bool]] = {
    "one": ONE,
    "flawed_first": flawed_first,
    "constructions": lambda: all(proof() for proof in CONSTRUCTIONS),
}
