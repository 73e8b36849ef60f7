"""Mutants that no test is to notice, each by its file, its line and its change, and why."""

SURVIVORS = {
    (
        "chapters/common/learning_curves.py",
        "2, (len(lengths) + 1) // 2, figsize=(7.2, 5), sharex=True, sharey=True, squeeze=False",
        "5 -> 6",
    ): "how high a figure is",
    (
        "lib/formulas/compilation.py",
        'name = formula if len(formula) > 1 else f"position {formula}"  # "i" may be a symbol',
        "1 -> 2",
    ): "the same: no position encoding has a name of two characters",
    (
        "lib/formulas/compilation.py",
        "layer = max((earliest for _, _, earliest, _ in counted), default=1)",
        "1 -> 2",
    ): "the same: a term that counts nothing is decided before",
    (
        "chapters/the_map/encoders.py",
        '"left", "right", "hit", "s")  # fmt: skip',
        '"left", "right" -> "right", "left"',
    ): "the same: two coordinates trade places, and both are read in one sum alone",
    (
        "chapters/the_map/encoders.py",
        "return sum((draw.randint(-3, 3) * S[name] for name in names), start=Form())",
        "3 -> 4",
    ): "other networks at random: what is said of them holds for every one",
    (
        "chapters/turing_completeness/circuits.py",
        "M = len(machine.symbols) + 1  # above |mean - threshold|, as no token has a larger number",
        "1 -> 2",
    ): "the same: every M above |mean - threshold| decides alike",
}
