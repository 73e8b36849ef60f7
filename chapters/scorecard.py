# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Scorecard

One row for each construction, proposition, theorem, table, figure and experiment of the four papers, and for what the book adds
(*ours*). **C** is Chiang and Cholak {cite}`chiang2022`, **O** Ouellette and others {cite}`ouellette2023`, **B** Bhattamishra and
others {cite}`bhattamishra2020`, **N** Nowak and others {cite}`nowak2022`. A row stays *open* until a chapter settles it. The
chapters record what they find, and the page is made from those records: each verdict leads to the cells that settle it.

*Agrees* and *differs* speak of a value that the paper gives; *read off a figure* of one that had to be read off; *not
reported* marks a result that the paper does not have; *other data* an experiment of the paper on data that stand in for its own, which leaves the row open.
"""

# %% tags=["remove-input"]
from lib.book.pages import scorecard

scorecard()

# %% [markdown]
"""
<script type="module" src="../_static/scorecard.mjs"></script>
"""
