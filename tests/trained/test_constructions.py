"""Constructions as trained networks: the float reader's outputs, the exact reader's verdicts."""

from itertools import product
from typing import Any

import pytest
import torch
from hypothesis import given as drawn
from hypothesis import settings
from torch import Tensor

from lib.constructions import papers
from lib.formulas import compiled
from lib.formulas.stated import DYCK_1
from lib.languages import FIRST, PARITY, Language
from lib.trained import Judged, Network, Positive
from lib.trained.arithmetic import Floats
from lib.trained.audit import audit, given
from lib.trained.network import Layer as Dense
from lib.trained.network import Linear, Norm
from lib.trained.passes import outputs
from lib.trained.published import split
from lib.transformer import Construction, Encoder, Exact, Head, Layer
from lib.transformer.classifier import formula_values, to_torch
from lib.verdicts import EACH_STRING, UNDECIDED, WRONG
from tests.strategies import constructions

EXACTLY = 1e-12
ONCE = compiled('once(count(Q("1")) > count(Q("0")) + 1) and Q("0")', "01", "softmax")
PREVIOUS = compiled('previous(Q("1"))', "01", "softmax")
EPS = {"softmax": None, "layer norm": 0}
DYCKS = {kind: compiled(DYCK_1.text, "()", kind) for kind in EPS}
READ: dict[str, tuple[Construction, float | None]] = {
    "PARITY": (papers.parity(tie_free=True), None),
    "PARITY, normalized": (papers.parity(10, tie_free=True), 1e-5),
    "FIRST": (papers.first(3, tie_free=True), None),
    "flawed FIRST, base 2": (papers.flawed_first(3, base=2), None),
    "ONE": (papers.one(), None),
    "one-layer PALINDROME": (papers.sigmoid_palindrome(), None),
    **{f"Dyck-1, {kind}": (x.construction, EPS[kind]) for kind, x in DYCKS.items()},
    "once": (ONCE.construction, None),
}


def from_construction(construction: Construction, eps: float | None = None) -> Judged:
    """A construction as `Encoder(construction, eps=eps)` reads it, its coefficients and position
    encodings rounded to float64, and how it is asked; a logit of 0 decides nothing. ValueError for
    an indicator function as output, for heads that do not all see every position or all their own
    and those before it, and for what `to_torch` refuses.
    """
    name = construction.name
    if construction.activation != "sigmoid":
        raise ValueError(f"{name}: a sigmoid as output is expected, not {construction.activation}")
    masks = {head.mask for layer in construction.layers for head in layer.heads}
    if masks not in (set(), {None}, {"future"}):
        found = ", ".join(sorted(map(str, masks)))
        raise ValueError(f"{name}: the mask None or 'future' of all heads is expected, not {found}")
    made, d = to_torch(construction, 1, eps).requires_grad_(False), len(construction.space)
    sizes, unit = made.sizes, torch.ones(d, dtype=torch.float64)
    norm = None if sizes.eps is None else Norm(unit, 0 * unit, sizes.eps)

    def layer(module: Any) -> Dense:
        """Without the coordinates that only pad PyTorch's width."""
        attention = module.self_attn
        joint = Linear(attention.in_proj_weight[:, :d].T, attention.in_proj_bias)
        o = Linear(attention.out_proj.weight[:d].T, attention.out_proj.bias[:d])
        first = Linear(module.linear1.weight[:, :d].T, module.linear1.bias)
        second = Linear(module.linear2.weight[:d].T, module.linear2.bias[:d])
        return Dense(*split(joint), o, first, second, (norm, norm))

    def positions(n: int) -> Tensor:
        return formula_values(construction, [n]) @ made.position[:, :d]

    word, layers = made.word.weight[:, :d], tuple(map(layer, made.encoder.layers))
    output = Linear(made.output.weight[:, :d].T, made.output.bias)
    table, is_causal = positions if construction.position else None, masks == {"future"}
    network = Network(word, layers, output, sizes.heads, "relu", False, is_causal, table)
    tokens = {token: number for number, token in enumerate(sizes.vocabulary) if len(token) == 1}
    after = tuple(sizes.vocabulary.index(token) for token in sizes.end)
    read_at = "first" if sizes.readout == "CLS" else "last"
    return Judged(network, tokens, Positive(), before=(0,), after=after, read_at=read_at)


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
