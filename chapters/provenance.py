# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Provenance and times

This page says where each stored number comes from, how to cite a line of the book, and how long the pages take.

(provenance-cite)=
## How to cite a line

A line is named by its page, by the row of the [scorecard](scorecard) that stands in its first column, and by its quantity. Its number may change from one version of
the book to the next, so name the version too, and the commit as long as the version is not published:
"""

# %% tags=["remove-input"]
from chapters.provenance.tables import citation

citation()

# %% [markdown]
"""
`git rev-parse HEAD` says which commit you have. The book has no DOI, and its authors are named as a group. Please cite the paper that a line speaks of as well.

## Stored runs

Most numbers in the chapters are computed while the book is built. Runs that take long, and those that need weights or data of others, were made once by
`python -m record.reproduce NAME` and are loaded from `record/results/NAME.json`.

Tests replay the first steps of the runs whose code has changed, and once a month those of all. *Settings* counts configurations. Seeds count
from 0; every random number comes from a generator on the CPU, whatever device computes. A `+` after a commit says that the tree had changes.
"""

# %% tags=["remove-input", "provenance"]
from chapters.provenance.tables import provenance

provenance()

# %% [markdown]
"""
(provenance-lost)=
### Commits that are lost

Five of these commits are no longer in the history, so the code with which their runs were made cannot be looked up. These numbers rest on what
[a check asks](#provenance-held) of today's code. What was expected of the runs named `length_` is in no earlier commit than their results either: that it was written first rests
on our word, and on [a hash](#which-laboratory) in the code.
"""

# %% tags=["remove-input"]
from chapters.provenance.tables import lost

lost()

# %% [markdown]
"""
(provenance-held)=
## What a check asks

A stored run changes only in a commit that says why; earlier commits hold what was asked before. `python -m record.reproduce NAME --check`
compares a stored run with today's code: the configurations are the code's, in its order, and each is asked the question below.
Some configurations keep `weights`. The numbers that no question reaches, such as the losses between
the first steps and the last, rest on the history of this repository.
"""

# %% tags=["remove-input"]
from chapters.provenance.tables import replays

replays()

# %% [markdown]
"""
(provenance-translations)=
## Settings of the translations

The table gives the defaults of the toolkit of Chiang and Cholak {cite}`chiang2022` for English to Vietnamese, and the settings with which the
[stored translations](record_translation) were trained. The toolkit's learning rate does not warm up, and falls where the validation pairs' BLEU is the lowest of four;
while it trains it makes one word in ten unknown. The toolkit's batches count the longer side of each pair, ours the target. Other runs
on the same data differ in what their names say; `translation_scales` also takes more epochs, those on talks at most 60 or 100.
"""

# %% tags=["remove-input"]
from record.runs import stored
from chapters.provenance.tables import settings_table

translations = ("iwslt15", "ted", "multi30k_norms", "multi30k", "deeper")
settings_table([stored(f"translation_{name}") for name in translations])

# %% [markdown]
"""
## This build

The list gives the versions with which these pages were computed, and how long each page took, as built.
"""

# %% tags=["remove-input"]
import platform
from importlib.metadata import version
from importlib.util import find_spec

from IPython.display import Markdown

names = ["torch", "numpy", "python-flint", "matplotlib"]
if find_spec("jupyter_book"):  # not where a notebook runs alone
    names.append("jupyter-book")
Markdown(f"Python {platform.python_version()}, " + ", ".join(f"{n} {version(n)}" for n in names) + ".")

# %% [markdown]
"""
<div class="times">

```{nb-exec-table}
```

</div>
"""
