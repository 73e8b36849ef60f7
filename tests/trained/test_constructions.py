"""Constructions as trained networks: the float reader's outputs, the exact reader's verdicts."""

from itertools import product

import pytest
from hypothesis import given as drawn
from hypothesis import settings

from lib.constructions import papers
from lib.formulas import compiled
from lib.formulas.stated import DYCK_1
from lib.formulas.verdict import EACH_STRING, UNDECIDED, WRONG
from lib.languages import FIRST, PARITY, Language
from lib.trained import audit, from_construction
from lib.trained.arithmetic import Floats
from lib.trained.audit import given
from lib.trained.passes import outputs
from lib.transformer import Construction, Encoder, Exact, Head, Layer
from tests.strategies import constructions

EXACTLY = 1e-12
ONCE = compiled('once(count(Q("1")) > count(Q("0")) + 1) and Q("0")', "01", "softmax")
PREVIOUS = compiled('previous(Q("1"))', "01", "softmax")
DYCKS = {kind: compiled(DYCK_1.text, "()", kind) for kind in ("softmax", "layer norm")}
READ: dict[str, tuple[Construction, float | None]] = {
    "PARITY": (papers.parity(tie_free=True), None),
    "PARITY, normalized": (papers.parity(10, tie_free=True), 1e-5),
    "FIRST": (papers.first(3, tie_free=True), None),
    "flawed FIRST, base 2": (papers.flawed_first(3, base=2), None),
    "ONE": (papers.one(), None),
    "one-layer PALINDROME": (papers.sigmoid_palindrome(), None),
    **{f"Dyck-1, {kind}": (x.construction, x.options.get("eps")) for kind, x in DYCKS.items()},
    "once": (ONCE.construction, None),
}


def apart(construction: Construction, eps: float | None, longest: int) -> float:
    """How far all outputs are from the float reader's, in parts of these if they are above 1."""
    judged, reader = from_construction(construction, eps), Encoder(construction, eps=eps)
    worst = 0.0
    for n in range(longest + 1):
        words = ["".join(w) for w in product(construction.alphabet, repeat=n)]
        (ours,), theirs = outputs(judged, given(judged, words), Floats()), reader(words)
        worst = max(worst, float(((ours[:, 0] - theirs).abs() / theirs.abs().clamp(min=1)).max()))
    return worst


@pytest.mark.parametrize("name", READ)
def test_outputs_are_those_of_the_float_reader(name):
    assert apart(*READ[name], longest=7) < EXACTLY


@settings(max_examples=40)
@drawn(constructions())
def test_any_construction_without_a_mask_is_read(construction):
    assert apart(construction, None, longest=3) < EXACTLY


@pytest.mark.parametrize("name", READ)
def test_verdicts_are_those_of_the_exact_reader(name):
    construction, eps = READ[name]
    exact = Exact(construction, eps=eps)
    accepted = Language(name, lambda w: exact.decide(w).accepts is True, construction.alphabet)
    found = audit(from_construction(construction, eps), accepted, longest=8, floats=())
    assert (found.kind, found.longest) == (EACH_STRING, 8)
    for right in (PARITY, FIRST):
        if sorted(right.alphabet) == sorted(construction.alphabet):
            by_length = audit(from_construction(construction, eps), right, 6, ()).by_length
            for length, (_, wrong, _) in by_length.items():
                words = [*right.all_strings(length)]
                assert wrong == len(right.errors(words, exact.accepts(words)))


def test_a_logit_of_0_decides_nothing():
    found = audit(from_construction(papers.parity()), PARITY, longest=4, floats=())
    assert (found.kind, found.by_length[0]) == (UNDECIDED, (1, 0, 1))
    assert audit(from_construction(papers.parity()), FIRST, longest=4, floats=()).kind == WRONG


def with_masks(*masks: str | None) -> Construction:
    """FIRST, with heads that see other positions."""
    mark, look = papers.first().layers
    heads = [Head(head.v, head.q, head.k, head.gain, mask=m) for m in masks for head in look.heads]
    return replaced(papers.first(), layers=(mark, Layer(heads, rewrites=["s"])))


def replaced(construction: Construction, **parts) -> Construction:
    return Construction(**{**construction.__dict__, **parts})


def test_a_part_that_the_room_does_not_have_is_named():
    with pytest.raises(ValueError, match="PALINDROME: a sigmoid as output .*, not indicator"):
        from_construction(papers.palindrome())
    for amiss, masks in (
        (with_masks("strict future"), "strict future"),
        (with_masks(None, "future"), "None, future"),
        (PREVIOUS.construction, "strict future"),
    ):
        with pytest.raises(ValueError, match=f"'future' of all heads is expected, not {masks}"):
            from_construction(amiss)
    with pytest.raises(ValueError, match="eps must be at least 0, not -1"):
        from_construction(papers.first(), eps=-1)
    huge = replaced(papers.first(), output=papers.first().output * 10**80)
    with pytest.raises(ValueError, match=r"a matrix must hold 0 or numbers .*, not 1e\+80"):
        from_construction(huge)
