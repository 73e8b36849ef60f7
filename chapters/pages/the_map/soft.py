"""Cells of the map with softmax of which something runs, and what else this book proves."""

from __future__ import annotations

from chapters.pages.the_map import runs
from chapters.pages.the_map.cells import PROVED, RUN, Cell, Setting
from chapters.pages.the_map.cells import (
    AVERAGING,
    CLS,
    EPS_0,
    FORMULAS,
    GREEDY,
    LAST,
    PAST,
    SOFT,
    STRICT,
    UNIQUE,
)


SOFTMAX = (
    Cell(
        "MAJORITY, in one average",
        (Setting(SOFT),),
        "One layer with one head decides MAJORITY at every length; any |logit| above 0 is at "
        "least 1/n.",
        f"{CLS} A tie has logit 0 and is rejected.",
        PROVED,
        runs.MAJORITY_SOFT,
        "10_the_map#map-encoders",
    ),
    Cell(
        "ONE",
        (Setting(SOFT),),
        "One layer decides at every length whether there is one 1; its logit shrinks like 1/n.",
        f"{CLS} Nowak et al.'s encoding i/n, which nothing reads, is left out.",
        PROVED,
        runs.ONE_SOFT,
        "07_palindrome_precision#nowak-exact",
        ("nowak2022",),
    ),
    Cell(
        "PARITY, by its mark",
        (Setting(SOFT, positions="i/n, cos iπ"),),
        "Two layers decide PARITY at every length, as Chiang and Cholak prove. The logit is "
        "O(1/n).",
        f"No layer normalization. {CLS} The empty string has logit 0 and is rejected.",
        PROVED,
        runs.PARITY_SOFT,
        "02_transformer_parity_first#run-closed-form",
        ("chiang2022",),
    ),
    Cell(
        "PARITY, normalized",
        (Setting(SOFT, positions="i/n, cos iπ"),),
        "Doubled and under layer normalization, the same two layers decide PARITY.",
        f"{EPS_0} Tie-free weights. {CLS}",
        RUN,
        runs.PARITY_NORMALIZED,
        "03_layer_norm#ln-exhaustive",
        ("chiang2022",),
    ),
    Cell(
        "PARITY, by halves",
        (Setting(SOFT, positions="i/n, i, n-1, [n=1]"),),
        "A compiled formula decides PARITY at every length, without an encoding that tells odd "
        "positions from even ones.",
        f"No layer normalization. {LAST}",
        PROVED,
        runs.HALVES_SOFT,
        f"{FORMULAS}#run-halves",
    ),
    Cell(
        "FIRST",
        (Setting(SOFT, positions="[i=1]"),),
        "Two layers decide FIRST: Chiang and Cholak prove it at every length. The logit is O(1/n).",
        f"No layer normalization. {CLS} The empty string has logit 0 and is rejected.",
        RUN,
        runs.FIRST_SOFT,
        "02_transformer_parity_first#run-exact",
        ("chiang2022",),
    ),
    Cell(
        "FIRST, by log n",
        (Setting(SOFT, positions="[i=1]"),),
        "One layer, with c = 1, decides FIRST at every length if every attention logit is "
        "multiplied by log n; without, it errs from some length on.",
        f"No layer normalization. {CLS}",
        PROVED,
        runs.FIRST_LOG,
        "09_which_log_n#which-theorem",
        ("chiang2022",),
    ),
    Cell(
        "PALINDROME, by two numbers",
        (Setting(SOFT, positions="i, n-1-i, [i≤(n-1)/2], [i≥(n-1)/2]"),),
        "Two layers decide PALINDROME at every length.",
        "The output is the indicator [s = 0], not a threshold. CLS first, EOS last.",
        PROVED,
        runs.PALINDROME_SOFT,
        "07_palindrome_precision#nowak-exact",
        ("nowak2022",),
    ),
    Cell(
        "PALINDROME, by pairs",
        (Setting(SOFT, positions="i, n-1-i, i²"),),
        "Two layers with a sigmoid output decide PALINDROME at every length.",
        "No layer normalization. CLS first, EOS last; the logit is read at CLS.",
        PROVED,
        runs.PALINDROME_PAIRS,
        "07_palindrome_precision#palindrome-pairs",
    ),
    Cell(
        "MAJORITY, masked",
        (Setting(SOFT, PAST),),
        "One layer with one head decides MAJORITY at every length; any |logit| above 0 is at "
        "least 1/n.",
        f"No layer normalization. {LAST}",
        PROVED,
        runs.MAJORITY_LAST,
        "10_the_map#map-encoders",
    ),
    Cell(
        "Dyck-1, normalized",
        (Setting(SOFT, PAST),),
        "A compiled formula decides Dyck-1 at every length.",
        f"{EPS_0} {LAST}",
        PROVED,
        runs.DYCK_NORMALIZED,
        f"{FORMULAS}#normalized",
        ("yang2024",),
    ),
    Cell(
        "aⁿbⁿcⁿ, normalized",
        (Setting(SOFT, PAST),),
        "A compiled formula decides aⁿbⁿcⁿ at every length.",
        f"{EPS_0} {LAST}",
        PROVED,
        runs.BLOCKS_NORMALIZED,
        f"{FORMULAS}#normalized",
        ("yang2024",),
    ),
    Cell(
        "Dyck-1, at constant gain",
        (Setting(SOFT, PAST, positions="i"),),
        "A compiled formula decides Dyck-1 at every length; no |logit| is below 1/2.",
        f"No layer normalization. {LAST}",
        PROVED,
        runs.DYCK_SOFT,
        f"{FORMULAS}#constant-gain",
    ),
    Cell(
        "equal distances, padded",
        (Setting(SOFT, positions="i, i², i^4", padding="m(m - 3) tokens or more"),),
        "With logits ten times as large, another threshold and an average at the end, the three "
        "layers decide at every length m whether three 1s stand at equal distances.",
        f"No layer normalization. Padding behind the m symbols. {CLS}",
        PROVED,
        runs.PAIRS_SOFT,
        "10_the_map#map-padding",
    ),
    Cell(
        "PARITY, by a tally, unmasked",
        (Setting(SOFT, steps="k + 1 tokens for k 1s"),),
        "The decoder of the tally decides PARITY at every length without its mask too.",
        f"{GREEDY} No layer normalization.",
        PROVED,
        runs.TALLY_UNMASKED,
        "10_the_map#map-unmasked",
    ),
    Cell(
        "PARITY, by a tally",
        (Setting(SOFT, PAST, steps="k + 1 tokens for k 1s"),),
        "A decoder with one layer, one head and no queries decides PARITY at every length.",
        f"{GREEDY} No layer normalization.",
        PROVED,
        runs.TALLY,
        "10_the_map#map-scratchpad",
    ),
)

PROVED_HERE = (
    Cell(
        "the order of first occurrences",
        (Setting(UNIQUE),),
        "With ties to the left, what CLS holds depends only on the order in which symbols first "
        "occur. So no such transformer decides whether the second symbol is 1.",
        "Any number of layers and heads, any functions of a vector or of a query and a key; none "
        "knows a position or the length. One token a symbol, CLS in front.",
        PROVED,
        place="10_the_map#map-first-occurrences",
    ),
    Cell(
        "steps behind the order of first occurrences",
        (Setting(UNIQUE, steps="any"),),
        "With ties to the left and without positions, what a decoder writes depends only on the "
        "order in which symbols first occur and on the last symbol. So none decides PARITY.",
        f"{GREEDY} Otherwise as for encoders.",
        PROVED,
        place="10_the_map#map-first-occurrences",
    ),
    Cell(
        "padding behind a mask",
        (Setting(UNIQUE, STRICT, padding="a number of tokens that tends to infinity"),),
        "Padding behind the string does not lead beyond the star-free languages, if the number of "
        "tokens, a function of the length, tends to infinity. Others can give the length's parity "
        "away.",
        "No positions; the logit is read at the last token. It rests on the cited equivalence.",
        PROVED,
        place="10_the_map#map-pads",
        cites=("yang2024masked",),
    ),
    Cell(
        "counting formulas do not say PARITY",
        (Setting(AVERAGING, PAST), Setting(SOFT, PAST)),
        "No formula of counts of the past, comparisons and Boolean connectives says PARITY. So no "
        "network that the compiler makes of one and calls exact, right at every length, decides "
        "it; of other networks nothing is said.",
        "Without total and without mod.",
        PROVED,
        place=f"{FORMULAS}#what-counts-cannot-say",
    ),
    Cell(
        "a grid and its copy",
        (Setting(SOFT),),
        "A grid and its 4-fold copy get the same outputs, cell by cell, at any depth.",
        "One token for each cell, by its colour alone; no start token; logits free of n; with or "
        "without layer normalization.",
        PROVED,
        place="05_counting_ablations#count-copy",
    ),
    Cell(
        "two numbers of p bits",
        (
            Setting(
                SOFT,
                positions="i, n-1-i, [i≤(n-1)/2], [i≥(n-1)/2]",
                precision="p bits, here 8",
            ),
        ),
        "Two heads that each deliver one p-bit number decide PALINDROME to length 2p; no two p-bit "
        "numbers that are at most a fifth off do so to 2p + 2.",
        "A float type of p ≥ 3 significant bits, enough range, rounding to nearest, ties to even; "
        "exact numerators 2^i, each norm summed upwards or downwards, divided last; s = 0 accepts.",
        PROVED,
        runs.PALINDROME_8_BITS,
        "07_palindrome_precision#palindrome-2p",
        ("nowak2022",),
    ),
)
