# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Errata

Misprints and gaps of the four papers that this book met while it ran them, by what they change, most serious first.

Each correction is checked by code that a chapter runs whenever the book is built; the link at its place leads there.

The places are those of Chiang and Cholak {cite}`chiang2022`, Ouellette and others {cite}`ouellette2023`, Bhattamishra and others
{cite}`bhattamishra2020` and Nowak and others {cite}`nowak2022`, in the editions that the {doc}`bibliography <bibliography>` links to. Nowak and others' code is
[their repository](https://github.com/giacomocamposampiero/palindrome-transformer) at commit `681d35d`.
"""

# %% tags=["remove-input"]
from IPython.display import Markdown

from chapters.pages.errata import errata, tally

Markdown(tally())

# %% [markdown]
"""
## A statement does not hold

As printed it is false, or another cause explains what it explains. Statements that a chapter refutes or does not find again, with no line to correct, stand in the scorecard, under *differs*.
"""

# %% tags=["remove-input", "errata"]
errata("a statement")

# %% [markdown]
"""
## A proof needs a condition or another argument

What it proves is true once the condition is added, or by the argument that the chapter gives.
"""

# %% tags=["remove-input", "errata"]
errata("a proof")

# %% [markdown]
"""
## A construction fails as printed

Built to the letter it decides wrongly, or does not do what its proof says of it; corrected, it does.
"""

# %% tags=["remove-input", "errata"]
errata("a construction")

# %% [markdown]
"""
## An experiment was another than described

Whoever repeats it from the text makes another experiment, or reads another number off its figures.
"""

# %% tags=["remove-input", "errata"]
errata("an experiment")

# %% [markdown]
"""
## A formula has another value

A sign, a function or a special case; the transformer that it describes decides as before.
"""

# %% tags=["remove-input", "errata"]
errata("a formula")

# %% [markdown]
"""
## Only the wording changes

Sizes, indices and names; nothing else depends on them.
"""

# %% tags=["remove-input", "errata"]
errata("the wording")

# %% [markdown]
"""
## What this book itself got wrong

Faults that could have led a reader to a false conclusion, the most serious first. Each is mended, and a test that failed before holds the mend.

(own-false-proof)=
**A false proof** (in the book from 24 to 27 November 2026). `proved_equal("once(total(Q('a')) == 9 and mod(12, 0))", "False", "ab")` said that no string satisfies the formula, and called this proved for every length. Nine a's followed by three b's satisfy it. The search for invariants follows what is entered from each control that waits; controls that no short string visits were entered as starts, but never waited, so nothing was asked of what they lead to. A reader with a program of his own found it by random formulas with large constants. cvc5, the second solver, refuses that proof, but only `verdict` asked it; now nothing is called proved before cvc5 has accepted the certificate. All stored proofs were [checked again](#length-certificates), and all of them hold.

**Networks that were read as others** (from 25 to 27 November 2026). A trained network whose norms have no bias was read as one with layer normalization, also where it was trained with RMS normalization. The verdict was proved, but of another network. The kind of normalization, its ε and the mask must now be given wherever the stored tensors do not say them.

**Compiled transformers that were read as others** (from 23 to 27 November 2026). A formula compiled for hardmax or for layer normalization was decided wrongly, on up to 648 of 1,000 strings, if it was read with the options that suit softmax, as chapter 8 does. A construction now carries how it must be read, and a reader refuses another reading.

**Expressions that were read as others** (from 24 to 27 November 2026). `a{0}` accepted the string a in Python, while the page took it for the empty string.

**Answers to an earlier question** (from 22 to 27 November 2026). On the pages with demos a button that was pressed within 150 ms of a key could answer what had stood in the box before, and the judge of chapter 12 could show the verdict of one network under the name of the next. Now a press acts on what stands in the boxes, and an answer disappears when its question changes.
"""
