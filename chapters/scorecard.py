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

What the papers claim, row by row, beside what this book found when it ran it.

In the picture a square is a row of the table, which it leads to; in the table each verdict leads to the cells that it comes from.
"""

# %% tags=["remove-input"]
from chapters.scorecard.tables import scorecard

scorecard()

# %% [markdown]
"""
<script type="module" src="../_static/scorecard.mjs"></script>

## How to read it

There is one row for each construction, proposition, theorem, table and experiment of the four papers, for each figure that shows a result (C Fig. 1, O Fig. 9, B Fig. 1 and N Figs. 1 and 6 explain, and have none), and for what the book adds (*ours*) or says of other papers (*note*).
The papers have a letter each: **C** for Chiang and Cholak {cite}`chiang2022`, **O** for Ouellette and others {cite}`ouellette2023`, **B** for
Bhattamishra and others {cite}`bhattamishra2020`, **N** for Nowak and others {cite}`nowak2022`.

A row may hold several statements. It stays *open* until a line settles each of them.

*Agrees* and *differs* speak of a value that the paper gives, found by the experiment that the paper made. A line that differs names its cause.

A row *differs* if a main line does. Every line is main unless its criterion declares it an *aside*, and says why the row's statement does not rest on it: a reason that the paper gives
by the way, a step of an argument whose conclusion is shown here by another, or a moment of a curve that the paper's sentence does not speak of. A theorem, a printed number and what a caption
says are never asides. A row whose main lines agree and of which an aside differs *agrees, with remarks*, and has a corner in the colour of *differs*; the line stands in the table as a line that differs, with its reason.

*Read off a figure* marks a value that had to be read off. *Not reported* is a finding that the paper does not have. *Other data* and
*other conditions* are another experiment than the paper's, and settle nothing.

A line says what its verdict rests on: where the paper prints its value, the criterion (fixed before the run, or marked as chosen after it), and which
of three kinds of truth it is: *proved for every length*, *proved for each string to a length*, or *measured*. Proved for every length says
whether *by hand*, *by machine* or both; the tests run the machine's proofs again.

The chapters record what they find, and the page is made from those records. The filters stand in the address, so a link to the page keeps them.
"""
