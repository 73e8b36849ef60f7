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

Misprints and gaps of the papers that this book met while it ran them. Each correction is checked by
code that a chapter runs whenever the book is built; the link leads there.
"""

# %% tags=["remove-input"]
from lib.book.pages import errata

errata()
