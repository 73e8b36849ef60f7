# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# What else could I use?

Three other ways to a transformer for a language, beside this book's, on the same three languages: what each is good at, what it costs to make, how fast it decides, where it is wrong, and what is proved.

## What each is good at

- **tracr** {cite}`lindner2023` compiles a part of RASP {cite}`weiss2021`, a far larger language than ours: it sorts, makes histograms, takes any function of finitely many values, and may look ahead. Named directions of the residual stream make its transformers a laboratory for interpretability. They run in JAX, whole batches at a time.
- **C-RASP's compiler** {cite}`yang2024` is by the authors of the theorem that it follows. Its transformer is PyTorch's own attention and layer normalization, and prints what it counts at each symbol, which is good to teach with.
- **`nn.TransformerEncoder`** is PyTorch's layer. It needs examples and no formula, learns what nobody can write down, and runs wherever PyTorch does.
- **This book** compiles counting formulas, and nothing else, into sparse rational weights that do not depend on the length, and decides with proof. It trains nothing here, and its exact reader is no layer of a network that one trains.

## How they were held against each other

tracr is at commit 9ce2b8c, C-RASP's compiler at 57c331a; the book holds neither. `python -m record.reproduce what_else --data FOLDER` reads clones of both from a folder, and says what tracr needs besides. Everything ran on one thread of one processor, and times are the processor's, so that other work on the machine counts little; they are given to one digit, as another machine has others.

The others were given what helps them. tracr is compiled for twelve symbols and decides all strings of a length as one batch by `jax.jit`, which it does not do by itself, timed once jax has compiled it; it is the best of three times to compile. Its programs are our own, by counts of symbols under a causal mask, at the default exactness; for Dyck-1 there is its library's own too, which compares shares. C-RASP's compiler takes one string at a time. It is unfinished: its newest commit, the first that can compare counts, says in its message that lines of the comparison are broken. It has no *and*, so where a formula has one, two truths are read at the last symbol and both must be right. A truth is read by its sign, which is kinder than the closeness to 1 by which the program prints it. PyTorch's encoder has the shape of [chapter 12's small networks](#strangers-small), and is taken after a thousand steps on strings to forty symbols, in batches; to make it means to train it. These three compute in float32 and prove nothing of it. Ours is softmax, decided with proof: float64 with a bound on each error, and rationals or balls where that leaves a sign open.
"""

# %% tags=["hide-input"]
from math import comb

from chapters.what_else.figures import longer_rows, ratios, rows, side_by_side, speed, strings
from lib.notebook import glue, markdown_table, use_style

use_style()
found = side_by_side()
glue("else_strings", f"{strings(found['Dyck-1', 'this book']):,}")
for name, peer in {"tracr": "tracr", "crasp": "C-RASP", "pytorch": "PyTorch"}.items():
    glue(f"else_speed_{name}", ratios("this book", peer, "speed"))
    glue(f"else_weights_{name}", ratios(peer, "this book", "numbers"))
    glue(f"else_nonzero_{name}", ratios(peer, "this book", "nonzero"))
    glue(f"else_time_{name}", ratios(peer, "this book", "time"))
sooner = [
    work
    for work, peer in found
    if peer == "tracr" and speed(found[work, peer]) > speed(found[work, "this book"])
]
glue("else_tracr_sooner", ", ".join(sooner) or "no language")
glue("else_shares", sum(found["Dyck-1", "tracr, by shares"]["judged"]["wrong"]))
glue("else_shares_steep", sum(found["Dyck-1", "tracr, by shares, 1,000"]["judged"]["wrong"]))
glue("else_nested", sum(comb(2 * half, half) // (half + 1) for half in range(1, 7)))

# %% [markdown]
r"""
(else-twelve)=
## Every string to twelve symbols

All {glue:text}`else_strings` strings from one symbol to twelve. *Weights* counts every number, zeros too, and in brackets those that are not 0; tracr's and PyTorch's matrices are dense, ours are kept as named terms.
"""

# %% tags=["hide-input"]
markdown_table(
    ("work", "by", "weights", "seconds to make", "strings a second", "wrong", "the first"), rows()
)

# %% [markdown]
r"""
For each weight of ours tracr has {glue:text}`else_weights_tracr`, C-RASP's compiler {glue:text}`else_weights_crasp` and the trained encoder {glue:text}`else_weights_pytorch`, depending on the language. Most of these are zeros of dense matrices: of numbers that are not 0 it is {glue:text}`else_nonzero_tracr`, {glue:text}`else_nonzero_crasp` and {glue:text}`else_nonzero_pytorch`. To compile takes tracr {glue:text}`else_time_tracr` times as long as ours and C-RASP's compiler {glue:text}`else_time_crasp` times; all three take less than a second once they are warm (the first time tracr takes some seconds), and training takes far longer, {glue:text}`else_time_pytorch` times. In a second ours decides, with proof, {glue:text}`else_speed_tracr` times as many strings as tracr without, {glue:text}`else_speed_pytorch` times as many as the encoder and {glue:text}`else_speed_crasp` times as many as C-RASP's one at a time. tracr is the faster of the two for {glue:text}`else_tracr_sooner`. Ours computes only once what many strings begin with, which lists of all strings favour; of long strings that share no beginning the encoder may decide more in a second.

By counts tracr is right everywhere here. By shares, its library's own way for Dyck-1, it is wrong on {glue:text}`else_shares` strings at the default exactness, as many as are well nested ({glue:text}`else_nested`), and on {glue:text}`else_shares_steep` at ten times that. The encoder errs where training left it. After four thousand steps [chapter 12's](#strangers-small) still does on Dyck-1, while for MAJORITY no error was seen there to forty symbols.
"""

# %% [markdown]
r"""
(else-longer)=
## Longer strings

Each length in turn to 64 symbols, then 80, 96, 112 and 128, until a string is decided wrongly or refused: some of two runs, and some as [chapter 12](#strangers-small) draws them. *Right to* is the length to which no string of this table or the last one was decided wrongly; of strings that were not drawn this run says nothing.
"""

# %% tags=["hide-input"]
markdown_table(("work", "by", "right to", "strings", "then"), longer_rows())

# %% [markdown]
r"""
tracr has positions for as many symbols as it was compiled for, and refuses a longer string by its name; compiled for more it grows. C-RASP's compiler and ours have no longest string. Ours stays right, as the proof below says it must. C-RASP's goes wrong at some length. Its newest commit says that lines of its comparison are broken; whether they are the reason, or the layer normalization that we switched on, this run does not say. The encoder has a table of positions, for forty symbols.
"""

# %% [markdown]
r"""
(else-proved)=
## What is proved

- *This book*: each of the three formulas is proved equal to a specification written otherwise, [by machine](#length-statements), and [the compiler's theorem](#run-library), proved by hand, carries that over to the transformer: for every length, of real numbers. The strings above were decided besides.
- *tracr*: nothing that reaches its floats. Its compiler approximates steps by steep slopes, and *exactness* says how steep; its documentation calls 1 to 100 reasonable, and says that more may cost precision. What is right to twelve symbols was measured: each string was run.
- *C-RASP's compiler*: the paper's theorem is by hand and for every length, of real numbers. Of the program, which is unfinished, nothing is proved, and where it errs that says nothing of the theorem.
- *`nn.TransformerEncoder`*: nothing by itself. [`audit`](12_strangers) proves of such a network what it decides of every string to a length; it cannot make it right.

## Which to take

To look into a transformer that runs a program you know, take tracr; to see the theorem at work on PyTorch's own layers, C-RASP's compiler; to learn from examples, PyTorch, and then have `audit` judge what was learned. For the exact weights of a counting formula, right at every length and with proof, take [this book's compiler](08_formulas_to_transformers).
"""
