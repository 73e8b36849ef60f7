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

*What do four papers say, and what did this book find when it ran them?* Each square below is a **row**: one theorem, table, experiment or finding, in the colour of its outcome. Press a square, and its row opens further down. Under the squares you find, in plain words, what differs from the papers, what is open, and which agreements need a remark.

**How to read a row.** *C 3.4* is Section 3.4 of a paper, where **C** is Chiang and Cholak {cite}`chiang2022`, **O** Ouellette and others {cite}`ouellette2023`, **B** Bhattamishra and others {cite}`bhattamishra2020`, and **N** Nowak and others {cite}`nowak2022`. A row first says what the paper states there. Then each **line** compares one quantity: what the paper prints, what we found, and the verdict, which is a link to the cells behind it. The *criterion* of a verdict is written above its lines. Where it says *loaded* and a date, the numbers come from a [stored run](provenance); everything else is computed whenever the book is built, or proved by hand.

:::{dropdown} What the words mean
Each **line** has a verdict:

| verdict | what it says |
|---|---|
| *agrees*, *differs* | The paper gives a value, and the same experiment finds it or does not. A line that differs names its cause, if known. |
| *read off a figure* | The line agrees, with a value that had to be read off a figure. |
| *holds*, *differs* | A finding of this book, or of a note on another paper, meets its criterion or does not. |
| *no criterion* | A finding of this book, or of a note, that had no criterion to meet. |
| *not reported* | A finding of ours that stands in a paper's row, though the paper does not report it. |
| *part of the paper's data*, *other data*, *other conditions* | The experiment is not the paper's, so it settles nothing. The line ends with how its value compares with the paper's: it agrees, differs or *cannot tell*. |

After the verdict a line says which kind of truth it is: *proved for every length* (by hand, by machine or both; the tests run the machine's proofs again), *proved for each string up to a length*, or *measured*. A number beside a proof may be a check in floats. A criterion was fixed before the run, or is marked as chosen or corrected after it.

A **row** is *open* until lines settle all of its statements; if a line of an open row differs already, a corner of its square is coloured. A row *differs* if one of its main lines differs. It *agrees, with remarks* if all its main lines agree, but an aside differs or a line names a **limit**: something that the paper says and our experiment does not show.

A line is **main** unless its criterion declares it an **aside**, and says why the row's statement does not rest on it. An aside is one of five things: a reason that the paper gives by the way; a step of an argument whose conclusion is shown here by another argument; a point of a curve of which the paper's sentence does not speak; a reading that goes beyond the paper's words; or a detail that is not what a figure is there to show. A theorem is never an aside.
:::
"""

# %% tags=["remove-input"]
from chapters.common.outcome import scorecard

scorecard()

# %% [markdown]
"""
<script type="module" src="../_static/scorecard.mjs"></script>

There is one row for each construction, proposition, theorem, table and experiment of the four papers, and for each figure that shows a result (C Fig. 1, O Fig. 9, B Fig. 1 and N Figs. 1 and 6 explain, and have no row). What the book adds (*ours*) or says of other papers (*note*) has rows, too. *LN* is layer normalization, and *FFN* a feed-forward network. In print, the lines of all rows are shown.

The page is made from what the chapters record. The filters that you set are kept in its address. [Provenance](#provenance-cite) says how to cite a line.
"""
