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

The scorecard sets each claim of the four papers beside what this book found when it ran it. Each square leads to its row. Each line of a row is one comparison, and the link on its verdict leads to the cells that computed it.

Each paper has a letter: **C** for Chiang and Cholak {cite}`chiang2022`, **O** for Ouellette and others {cite}`ouellette2023`, **B** for
Bhattamishra and others {cite}`bhattamishra2020`, **N** for Nowak and others {cite}`nowak2022`.

:::{dropdown} What the words mean
*Agrees* and *differs* speak of a value that the paper gives, found by the experiment that the paper made. *Read off a figure* agrees, with a value that had to be read off. *Holds* is a finding of this book, or of a note on another paper, that meets its criterion, or the build stops; a line with *no criterion* had none to meet, whatever was expected. *Not reported* is a finding in a paper's row that the paper does not have. *Part of the paper's data*, *other data* and *other conditions* mark another experiment than the paper's, and settle nothing; such a line ends with how it compares: it agrees, differs or *cannot tell*.

A row, such as O Table I, is *open* until lines settle all of its statements. If one of its lines differs already, its square has a corner in the colour of *differs*.

A row *differs* if a main line does. Every line is main unless its criterion declares it an *aside*, and says why the row's statement does not rest on it. An aside is a reason that the paper gives
by the way, a step of an argument whose conclusion is shown here by another, a moment of a curve that the paper's sentence does not speak of, a reading that its words do not ask for, or a detail beside what a figure is there to show. A theorem is
never an aside. If the main lines of a row agree and an aside differs, the row *agrees, with remarks*, and has a corner in the colour of *differs*. A line that differs names its cause, if we know one.

A line says what its verdict rests on: where the paper prints its value, the criterion (fixed before the run, or marked as chosen after it), and which
of three kinds of truth it is: *proved for every length* (by hand, by machine or both; the tests run the machine's proofs again), *proved for each string to a length*, or *measured*. A number beside a proof may be a check in floats.
Its source is *live* if a cell computes it whenever the book is built, and *loaded*, with date and device, if it comes from a [stored run](provenance).
:::
"""

# %% tags=["remove-input"]
from chapters.scorecard.tables import scorecard

scorecard()

# %% [markdown]
"""
<script type="module" src="../_static/scorecard.mjs"></script>

There is one row for each construction, proposition, theorem, table and experiment of the four papers, and for each figure that shows a result (C Fig. 1, O Fig. 9, B Fig. 1 and N Figs. 1 and 6 explain, and have no row). There is also a row for what the book adds (*ours*) or says of other papers (*note*).

The page is made from what the chapters record. A link to it keeps the filters. [Provenance](#provenance-cite) says how to cite a line.
"""
