"""Cells of the map that are cited, as the abstract of each paper states them or, where "from a
summary" marks it, as a summary does; and open cells.
"""

from __future__ import annotations

from chapters.pages.the_map.cells import CITED, EXACT, OPEN, Cell, Setting
from chapters.pages.the_map.cells import AVERAGING, PAST, SOFT, STRICT, THEIRS, UNIQUE


LOG, FIXED = "O(log n) bits", "fixed"
POLYNOMIAL = "polynomially many tokens"


def stated(attention: str, mask: str = THEIRS, **more: str) -> Setting:
    """A setting of others: mask, positions and precision are as in the paper, unless said."""
    return Setting(attention, mask, **{"positions": THEIRS, "precision": THEIRS, **more})


def cited(name: str, settings: tuple, statement: str, hypotheses: str, *keys: str) -> Cell:
    """A bound of others."""
    return Cell(name, settings, statement, hypotheses, CITED, cites=keys)


def open_here(name: str, setting: Setting, question: str) -> Cell:
    """A question to which this book has no answer and knows of none."""
    return Cell(name, (setting,), question, "This book knows no answer.", OPEN)


BOUNDS = (
    cited(
        "within AC⁰",
        (stated(UNIQUE),),
        "What they recognise lies in AC⁰. So PARITY, MAJORITY and the Dyck languages are not among "
        "it.",
        "Unique hard attention, also with general score functions. From a summary: a fixed number "
        "of layers.",
        "hao2022",
        "hahn2020",
    ),
    cited(
        "first-order logic",
        (stated(UNIQUE),),
        "They recognise all languages of first-order logic with arbitrary unary numerical "
        "predicates; some language in AC⁰ they do not recognise.",
        "The abstract names no others.",
        "barcelo2024",
    ),
    cited(
        "brackets of bounded depth",
        (stated(UNIQUE, PAST),),
        "D + 1 layers recognise Dyck-(k, D), well-bracketed strings of k kinds to depth D.",
        "Hard attention; memory of O(log k) a token and layer. From a summary: some heads see the "
        "past alone, others the future alone.",
        "yao2021",
    ),
    cited(
        "exactly the star-free languages",
        (stated(UNIQUE, STRICT, positions="none"), stated(UNIQUE, STRICT)),
        "Without positions they recognise exactly the star-free languages, those of linear "
        "temporal logic. Positions add to it, and so does depth.",
        "Strict masks, by which no position sees itself; attention to one position. From "
        "a summary: heads may break ties to either side.",
        "yang2024masked",
    ),
    cited(
        "the side of the tie",
        (Setting(UNIQUE, STRICT, precision=FIXED),),
        "With ties to the left alone they are a strictly weaker fragment of linear temporal logic, "
        "the one of soft attention.",
        "Finite precision. From a summary: strict masks, no positions.",
        "jerad2025",
    ),
    cited(
        "within TC⁰",
        (stated(AVERAGING, precision="floating point"),),
        "What saturated transformers recognise lies in TC⁰; MAJORITY, which is not in AC⁰, is "
        "among it.",
        "Floating-point values.",
        "merrill2022",
        "hao2022",
    ),
    cited(
        "within uniform TC⁰",
        (
            stated(AVERAGING, precision=EXACT),
            stated(SOFT, precision="O(poly(n)) bits"),
        ),
        "What they recognise lies in DLOGTIME-uniform TC⁰: with averaging hard attention without "
        "any approximation, with softmax to O(poly(n)) bits of floating-point precision.",
        "Rational weights, and positions within that class: our reading, not the abstract's.",
        "chiang2025",
    ),
    cited(
        "logic with counting",
        (stated(AVERAGING),),
        "They recognise all languages of first-order logic with unary numerical predicates and "
        "counting terms.",
        "The abstract names no others.",
        "barcelo2024",
    ),
    cited(
        "log-precision",
        (stated(SOFT, precision=LOG),),
        "They are simulated by constant-depth, logspace-uniform threshold circuits.",
        "O(log n) bits for n tokens; feed-forward networks computable in linear space.",
        "merrill2023",
    ),
    cited(
        "counting quantifiers",
        (stated(SOFT, "none", precision=FIXED),),
        "A first-order logic with counting quantifiers is an upper bound for "
        "encoders of fixed precision, and a lower bound for encoders.",
        "The lower bound is for encoders without the limit on precision.",
        "chiang2023",
    ),
    cited(
        "less and less sure",
        (Setting(SOFT), Setting(SOFT, positions=THEIRS)),
        "Take longer and longer strings that one symbol's change brings into the language or out "
        "of it. The mean cross-entropy of the two strings is at least 1 bit, less a term that "
        "tends to 0.",
        "Lipschitz functions, so no layer normalization with ε = 0; bounded inputs; attention "
        "logits free of n, so no log n; fixed depth and heads; read at CLS, not at the symbol that "
        "changes. In the words of Chiang and Cholak, whose paper is read here in full.",
        "hahn2020",
        "chiang2022",
    ),
    cited(
        "hard to learn",
        (stated(SOFT),),
        "Those whose output is sensitive to many symbols inhabit isolated points in parameter "
        "space. This bounds learning, not what there is.",
        "The theorem's terms are the paper's.",
        "hahn2024",
    ),
    cited(
        "counting the past",
        (stated(SOFT, PAST, positions="none"),),
        "Every formula of the temporal counting logic Kₜ[#], which is C-RASP, compiles into one.",
        "Future masks; strings of unbounded length. Our own compiler needs layer normalization or "
        "the position for it.",
        "yang2024",
    ),
    cited(
        "fixed precision",
        (Setting(SOFT, STRICT, precision=FIXED),),
        "They are exactly a fragment of linear temporal logic whose one operator is the past.",
        "Strict future masks, fixed precision, no positions.",
        "li2025",
    ),
    cited(
        "padding",
        (stated(AVERAGING, PAST, positions="none", padding=POLYNOMIAL),),
        "With polynomial padding they recognise exactly FO-uniform TC⁰.",
        "Masked pre-norm, a kind of layer normalization. From a summary: each position sees the "
        "past alone, and there are no positions.",
        "merrill2025",
    ),
    cited(
        "padding and precision",
        tuple(
            stated(kind, precision=bits, padding=POLYNOMIAL)
            for kind in (AVERAGING, SOFT)
            for bits in (FIXED, "growing with n")
        ),
        "With polynomial padding those of constant precision and growing width are L-uniform AC⁰, "
        "those of growing precision L-uniform TC⁰.",
        "L-uniform transformers. Growing width: from a summary.",
        "svete2026",
    ),
    cited(
        "pause tokens",
        (
            stated(SOFT, precision=FIXED),
            stated(SOFT, precision=FIXED, padding=POLYNOMIAL),
            stated(SOFT, precision=LOG, padding=POLYNOMIAL),
        ),
        "Without padding they compute a strict subset of AC⁰, with polynomially many tokens of it "
        "all of AC⁰. To logarithmic precision, with padding, they equal TC⁰.",
        "Constant depth, logarithmic width. From a summary: softmax.",
        "london2025",
    ),
    cited(
        "filler tokens",
        (stated(SOFT, PAST, padding="filler tokens"),),
        "Trained language models solve with filler tokens two tasks that they did not solve "
        "without: a measurement.",
        "Learning to use them took dense supervision.",
        "pfau2024",
    ),
    cited(
        "hard attention runs everything",
        (stated(AVERAGING, precision="arbitrary", steps="without bound"),),
        "Transformers with hard attention are Turing-complete.",
        "Arbitrary precision, which the paper's keywords name. From a summary: ties are averaged.",
        "perez2021",
    ),
    cited(
        "how many steps",
        (stated(AVERAGING, STRICT, precision=LOG, steps="log n, n or n^O(1)"),),
        "Logarithmically many steps push the limits only slightly. Linearly many recognise all "
        "regular languages, and stay within the context-sensitive ones. Polynomially many "
        "recognise exactly P.",
        "Tokens are fed back. Regular languages: projected pre-norm; P: generalized pre-norm. From "
        "a summary: averaging hard attention, strict masks, O(log n) bits.",
        "merrill2024",
    ),
    cited(
        "steps of constant precision",
        (
            stated(SOFT, PAST, precision=FIXED),
            stated(SOFT, PAST, precision=FIXED, steps="T tokens"),
        ),
        "Without steps they solve problems in AC⁰ alone. With T steps they solve what circuits of "
        "size T do.",
        "Decoders of constant depth and precision, O(log n) embedding size with steps; for each n "
        "they may be others.",
        "li2024",
    ),
    cited(
        "softmax runs everything",
        (stated(SOFT, PAST, positions="none or relative", steps="without bound"),),
        "C-RASP with steps is Turing-complete over one letter and, with relative positions, over "
        "any alphabet; without those it is not.",
        "Softmax decoders that correspond to C-RASP, with causal masks.",
        "jiang2026",
    ),
)

QUESTIONS = (
    open_here(
        "padding behind a mask",
        stated(AVERAGING, PAST, positions="none", padding=POLYNOMIAL),
        "With masked pre-norm and padding they recognise exactly FO-uniform TC⁰, as is cited "
        "here. Do they recognise less without padding?",
    ),
    open_here(
        "equal distances, unpadded",
        Setting(UNIQUE, positions="any"),
        "Do other weights, and more layers, decide without padding whether three 1s stand at equal "
        "distances?",
    ),
)
