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

Misprints and gaps of the papers that this book met while it ran them. Each was settled by a computation that a chapter repeats
whenever the book is built; the link leads to it.
"""

# %% tags=["remove-input"]
from lib.results import errata

errata()
