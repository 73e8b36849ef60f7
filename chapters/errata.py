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
