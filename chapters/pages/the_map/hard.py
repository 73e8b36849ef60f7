"""Cells of the map with hard attention of which something runs in this book."""

from __future__ import annotations

from chapters.pages.the_map import runs
from chapters.pages.the_map.cells import PROVED, RUN, Cell, Setting
from chapters.pages.the_map.cells import (
    AVERAGING,
    CLS,
    FORMULAS,
    GREEDY,
    LAST,
    PAST,
    STRICT,
    UNIQUE,
    VECTORS,
)


UNIQUE_HARD = (
    Cell(
        "FIRST, by a tie",
        (Setting(UNIQUE),),
        "One layer decides FIRST at every length.",
        f"Ties to the left. {CLS}",
        PROVED,
        runs.FIRST_LEFT,
        "10_the_map#map-encoders",
    ),
    Cell(
        "the last symbol, by a tie",
        (Setting(UNIQUE),),
        "The same weights decide at every length whether the last symbol is 1.",
        f"Ties to the right. {CLS}",
        PROVED,
        runs.LAST_RIGHT,
        "10_the_map#map-encoders",
    ),
    Cell(
        "PALINDROME, by mirror images",
        (Setting(UNIQUE, positions="i, n-1-i, i²"),),
        "Two layers decide PALINDROME at every length.",
        "Ties to either side. CLS first, EOS last, n = |w| + 2; the logit is read at CLS.",
        PROVED,
        runs.MIRROR_LEFT,
        "10_the_map#map-encoders",
    ),
    Cell(
        "contains 01",
        (Setting(UNIQUE, STRICT),),
        "Two layers decide at every length whether 01 occurs.",
        f"Ties to the right. {LAST}",
        PROVED,
        runs.CONTAINS_RIGHT,
        "10_the_map#map-encoders",
    ),
    Cell(
        "(ab)*",
        (Setting(UNIQUE, STRICT),),
        "Two layers decide (ab)*, brackets of depth 1, at every length.",
        f"Ties to the right. {LAST}",
        PROVED,
        runs.ALTERNATING_RIGHT,
        "10_the_map#map-encoders",
    ),
    Cell(
        "induction head",
        (Setting(UNIQUE, PAST),),
        "Two layers decide at every length whether a 1 followed the latest earlier place of the "
        "last symbol.",
        f"Ties to the right; the first layer's mask is strict. {LAST}",
        PROVED,
        runs.INDUCTION_RIGHT,
        "10_the_map#map-encoders",
    ),
    Cell(
        "1s at odd positions",
        (Setting(UNIQUE, STRICT, positions="[i mod 2=0]"),),
        "Two layers decide at every length whether each 1 stands at an odd position. The language "
        "is regular and not star-free.",
        f"Ties to either side. {LAST}",
        PROVED,
        runs.ODD_LEFT,
        "10_the_map#map-encoders",
    ),
    Cell(
        "equal distances, padded",
        (Setting(UNIQUE, positions="i, i², i^4", padding="m(m - 3) tokens or more"),),
        "Three layers decide at every length m whether three 1s stand at equal distances. With "
        "fewer padding tokens these weights, for m ≥ 4, reject 0^(m-3) 111.",
        f"Ties to either side; padding behind the m symbols. {CLS}",
        PROVED,
        runs.PAIRS_LEFT,
        "10_the_map#map-padding",
    ),
    Cell(
        "PARITY, running",
        (Setting(UNIQUE, PAST, positions="i, i²", steps="|w| + 1 tokens"),),
        "A decoder of two layers that writes the parity so far decides PARITY at every length.",
        f"Ties to the right. {GREEDY} Numbers are whole and at most quadratic in the length.",
        PROVED,
        runs.RUNNING_RIGHT,
        "10_the_map#map-scratchpad",
    ),
    Cell(
        "every regular language, unmasked",
        (Setting(UNIQUE, positions="i, i²", steps="|w| + 1 tokens"),),
        "The decoder of any finite automaton decides its language at every length without its "
        "masks too; here again the word problem of A5.",
        f"Ties to the right; a token for each state. {GREEDY}",
        PROVED,
        runs.A5_UNMASKED,
        "10_the_map#map-unmasked",
    ),
    Cell(
        "every regular language",
        (Setting(UNIQUE, PAST, positions="i, i²", steps="|w| + 1 tokens"),),
        "For every finite automaton a decoder of two layers decides its language at every length; "
        "here the word problem of the alternating group A5, by two generators.",
        f"Ties to the right; a token for each state. {GREEDY}",
        PROVED,
        runs.A5_RIGHT,
        "10_the_map#map-scratchpad",
        ("merrill2024",),
    ),
)

AVERAGING_HARD = (
    Cell(
        "MAJORITY, in one average",
        (Setting(AVERAGING),),
        "One layer with one head decides MAJORITY (more 1s than 0s) at every length.",
        f"{CLS} A tie has logit 0 and is rejected.",
        PROVED,
        runs.MAJORITY_HARD,
        "10_the_map#map-encoders",
    ),
    Cell(
        "PARITY, by its mark",
        (Setting(AVERAGING, positions="i/n, cos iπ"),),
        "Chiang and Cholak's weights, made for softmax, decide PARITY under hardmax too.",
        f"{CLS} The empty string has logit 0 and is rejected.",
        PROVED,
        runs.PARITY_HARD,
        "10_the_map#map-encoders",
        ("chiang2022",),
    ),
    Cell(
        "PARITY, by halves",
        (Setting(AVERAGING, positions="i/n, [n=1]"),),
        "A compiled formula decides PARITY at every length, without an encoding that tells odd "
        "positions from even ones.",
        LAST,
        PROVED,
        runs.HALVES_HARD,
        f"{FORMULAS}#run-halves",
    ),
    Cell(
        "equal distances, padded",
        (Setting(AVERAGING, positions="i, i², i^4", padding="m(m - 3) tokens or more"),),
        "The same three layers as for unique hard attention decide it at every length m; no tie "
        "matters.",
        f"Padding behind the m symbols. {CLS}",
        PROVED,
        runs.PAIRS_AVERAGING,
        "10_the_map#map-padding",
    ),
    Cell(
        "a Turing machine, with positions",
        (Setting(AVERAGING, positions="i, 1", steps="|w| + 3, 4 a machine step, 4 to reject"),),
        "A machine for PALINDROME runs, and halts with its answer. Bhattamishra et al. state it of "
        "every RNN, and so of every machine.",
        f"{VECTORS} The score is -|⟨q, k⟩|.",
        RUN,
        runs.VANILLA,
        "06_turing_completeness#tm-vanilla",
        ("bhattamishra2020",),
    ),
    Cell(
        "Dyck-1",
        (Setting(AVERAGING, PAST),),
        "A compiled formula decides Dyck-1 at every length.",
        LAST,
        PROVED,
        runs.DYCK_HARD,
        f"{FORMULAS}#run-library",
    ),
    Cell(
        "aⁿbⁿcⁿ",
        (Setting(AVERAGING, PAST),),
        "A compiled formula decides aⁿbⁿcⁿ, which is not context-free, at every length.",
        LAST,
        PROVED,
        runs.BLOCKS_HARD,
        f"{FORMULAS}#run-library",
    ),
    Cell(
        "more 1s at odd positions",
        (Setting(AVERAGING, PAST, positions="[i mod 2=1], [i mod 2=0]"),),
        "A compiled formula with `mod` decides at every length whether more 1s stand at odd "
        "positions than at even ones.",
        LAST,
        PROVED,
        runs.ODD_MAJORITY,
        f"{FORMULAS}#run-halves",
    ),
    Cell(
        "PARITY, running",
        (Setting(AVERAGING, PAST, positions="i, i²", steps="|w| + 1 tokens"),),
        "The decoder that writes the parity so far, with one value doubled, decides PARITY at "
        "every length.",
        GREEDY,
        PROVED,
        runs.RUNNING_AVERAGING,
        "10_the_map#map-scratchpad",
    ),
    Cell(
        "a Turing machine, by masks alone",
        (Setting(AVERAGING, PAST, steps="|w| + 3, 4 a machine step, 4 to reject"),),
        "A machine for PALINDROME runs, and halts with its answer. Bhattamishra et al. state it of "
        "every RNN, and so of every machine.",
        f"{VECTORS} The score is ⟨q, k⟩; step t sees the input to position t + 1.",
        RUN,
        runs.DIRECTIONAL,
        "06_turing_completeness#tm-directional",
        ("bhattamishra2020",),
    ),
)
