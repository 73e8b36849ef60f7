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

*What do four papers say, and what did this book find when it ran them?* The first sentence below counts the answers, and then each square is a row: one theorem, table, experiment or finding. Press it, and its lines open. A line is one comparison: what the paper prints, what we found, by which criterion, and a link to the cells that computed it.

Each paper has a letter: **C** for Chiang and Cholak {cite}`chiang2022`, **O** for Ouellette and others {cite}`ouellette2023`, **B** for Bhattamishra and others {cite}`bhattamishra2020`, **N** for Nowak and others {cite}`nowak2022`.

:::{dropdown} What the words mean
Each **line** has a verdict:

| verdict | what it says |
|---|---|
| *agrees*, *differs* | The paper gives a value, and the same experiment finds it or does not. A line that differs names its cause, if known. |
| *read off a figure* | The line agrees, with a value that had to be read off a figure. |
| *holds* | A finding of this book, or of a note on another paper, meets its criterion. If it did not, the build would stop. |
| *no criterion* | A finding of this book, or of a note, that had no criterion to meet. If we expected something else before the run, the line says so: a missed expectation changes no verdict. |
| *not reported* | A finding of ours in a paper's row, which the paper does not report. |
| *part of the paper's data*, *other data*, *other conditions* | The experiment is not the paper's, so it settles nothing. The line ends with how its value compares with the paper's: it agrees, differs or *cannot tell*. |

A **row** is *open* until lines settle all of its statements; if one differs already, a corner of its square shows it. It *differs* if a main line does. It *agrees, with remarks*, if its main lines agree, and an aside differs or a line names a **limit**: something that the paper says and our experiment does not show. The list below the squares says in plain words what differs, and why (as far as we know), what is open, and each remark.

A line is **main** unless its criterion declares it an **aside**, and says why the row's statement does not rest on it. An aside is one of five things: a reason that the paper gives by the way; a step of an argument whose conclusion is shown here by another argument; a moment of a curve that the paper's sentence does not speak of; a reading beyond its words; or a detail beside what a figure is there to show. A theorem is never an aside.

What a verdict **rests on**: a line names where the paper prints its value, the criterion (fixed before the run, or marked as chosen after it), and one of three kinds of truth: *proved for every length* (by hand, by machine or both; the tests run the machine's proofs again), *proved for each string to a length*, or *measured*. A number beside a proof may be a check in floats. A line's source is *live* if a cell computes it whenever the book is built, and *loaded*, with date and device, if it comes from a [stored run](provenance).
:::
"""

# %% tags=["remove-input"]
from chapters.common.outcome import scorecard

scorecard()

# %% [markdown]
"""
<script type="module" src="../_static/scorecard.mjs"></script>

There is one row for each construction, proposition, theorem, table and experiment of the four papers, and for each figure that shows a result (C Fig. 1, O Fig. 9, B Fig. 1 and N Figs. 1 and 6 explain, and have no row). What the book adds (*ours*) or says of other papers (*note*) has rows, too. In print, the lines of all rows are shown.

The page is made from what the chapters record. Its address keeps the filters. [Provenance](#provenance-cite) says how to cite a line.
"""
