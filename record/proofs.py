"""The machine's proofs for every length that criteria name, each as whether it passes today. What
else a criterion may name is a stored run, which `record.reproduce` holds to the code, or a note,
which proves as it runs.
"""

from collections.abc import Callable

from lib import constructions
from lib.proofs.constructions import Condition, proved_above, proved_by_kinds
from lib.proofs.equal import regular
from lib.transformer.construction import Construction
from lib.transformer.space import Space
from lib.transformer.sublayers import Head, Layer
from lib.verdicts import PROVED

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


def flawed_first() -> bool:
    """Whether flawed FIRST is proved right on n tokens just where E > n - 1, and to err on 10...0
    elsewhere.
    """
    proof = proved_above(constructions.flawed_first(), STARTS, Space("n")["n"] - 1)
    return proof.kind == PROVED and "10...0 is decided wrongly" in proof.claim


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
