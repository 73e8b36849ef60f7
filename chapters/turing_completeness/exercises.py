"""The exercises of chapter 6: Turing machines in transformers."""

from itertools import chain, islice, product
from numbers import Integral

from chapters.common.judge import exercise, spelled
from chapters.common.turing.architecture import Transformer, reciprocal
from chapters.common.turing.machines import Machine, Rule
from chapters.common.turing.recurrent import RNN, exact
from chapters.turing_completeness.variants import (
    FLOATS,
    exact_depth,
    first_difference,
    printed_c4,
)
from lib.transformer import Space

(X,) = Space("x")
(H,) = Space("h")
QUARTERS = RNN(Space("x"), {"1": X}, [{"h": H + X / 4}])
SHORT, STEPS = ("", "1", "11", "111", "1111"), 300
LONG = 3100  # steps: what float16 takes from 1 again and again is gone after 3 * 2^10, or stays
STRINGS = 100  # over an RNN's alphabet that are run
ARITHMETICS = {"exact rationals": exact, "float16": FLOATS["float16"]}


@exercise("6.1", tuple[Integral, Integral])
def six_symbols(B: int, depth: int) -> str | None:
    """The base for six tape symbols, and the depth to which float32 holds any tape of them."""
    six = Machine([Rule("A", "_", "_", "R", "A")], "A", alphabet="abcde")
    deepest = exact_depth("abcde", FLOATS["float32"])
    if six.base != B:
        return f"B = {B} is too {'small' if B < six.base else 'large'}"
    if depth < deepest:
        return f"{depth} is too few: {depth + 1} symbols, an a and then e's, are still exact"
    if depth > deepest:
        return f"{depth} is too many: {deepest + 1} symbols, an a and then e's, are rounded"
    return None


@exercise("6.2", Transformer)
def lasting(answer: Transformer) -> str | None:
    """A directional transformer of the RNN with quarters that float16 runs as long as is tried."""
    if not answer.masked or answer.position:
        return "it is no directional transformer: masking alone is to give the order"
    for where, strings, steps in (
        ("exact rationals", SHORT, STEPS),
        ("float16", SHORT, STEPS),
        ("float16", ("1",), LONG),
    ):
        for w in strings:
            truth = islice(QUARTERS.states(w), steps + 1)
            step = first_difference(answer.outputs(w, ARITHMETICS[where]), truth)
            if step is not None:
                return f"in {where}, on {spelled(w)}, h is wrong at step {step}"
    return None


@exercise("6.3", RNN)
def printed_with_reciprocals(answer: RNN) -> str | None:
    """Whether Lemma C.4 is right as printed with pos(i) = 1/i, for embeddings in [0, 1]."""
    if any(not 0 <= c <= 1 for form in answer.embedding.values() for _, c in form.terms):
        return "that RNN's embedding does not lie in [0, 1]"
    printed = printed_c4(answer, reciprocal)
    words = chain.from_iterable(product(answer.alphabet, repeat=length) for length in range(3))
    strings = ["".join(word) for word in islice(words, STRINGS)]
    for w in strings:
        if first_difference(printed.outputs(w), islice(answer.states(w), 40)) is not None:
            return None
    return (
        "as printed it gives that RNN's hidden states for 40 steps, on "
        f"{len(strings)} strings to length 2"
    )
