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

## Stored runs

Most numbers in the chapters are computed while the book is built. What takes longer than a chapter's minute was run by
`python -m lib.reproduce NAME` and is loaded from `chapters/results/NAME.json`; this is where each file comes from. The book's
tests replay the first steps of every one of them, so that a file which today's code does not make is noticed. Seeds count from 0;
every random number comes from a generator on the CPU, whatever device computes.
"""

# %% tags=["remove-input"]
from lib.book.pages import provenance

provenance()

# %% [markdown]
"""
## This build

The versions with which these pages were computed, and how long each took, as built.
"""

# %% tags=["remove-input"]
import platform
from importlib.metadata import version

from IPython.display import Markdown

names = ("torch", "numpy", "python-flint", "matplotlib", "plotly", "jupyter-book")
Markdown(f"Python {platform.python_version()}, " + ", ".join(f"{n} {version(n)}" for n in names) + ".")

# %% [markdown]
"""
```{nb-exec-table}
```
"""
