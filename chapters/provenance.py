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

Few readers will train these networks again, so why believe a number that was stored? Because each stored run is checked against today's code, and this page says how far
the check goes. It also says when and with which code each run was made, how to cite a line of the book, and how long the pages take.

(provenance-held)=
## What a check asks

Most numbers in the chapters are computed while the book is built. Runs that take long, and those that need weights or data of others, were made once by
`python -m record.reproduce NAME` and are loaded from `record/results/NAME.json`. Such a file lists *configurations*, for example a language, a length and a number of seeds, each with what it gave.
It changes only in a commit that says why; earlier commits keep what it held before.

A check does not repeat the whole run. `python -m record.reproduce NAME --check` compares the stored run with today's code: the configurations must be those of the code, in the
same order, and for each configuration the check asks a question, which the table below gives. For most runs the question is whether training begins as stored. For example, the code begins
each training of `ffnn_parity` again, with its first seeds, and the first steps must be those in the file. Tests ask this of every run whose code has changed, and once a month of all runs. The numbers that no
question reaches, such as the losses between the first steps and the last, are vouched for only by the history of this repository. In the table, `QUICK`, `kept_members` and `data` are names from the code of the runs.
"""

# %% tags=["remove-input"]
from collections import Counter, defaultdict
from IPython.display import Markdown
from record.experiment import experiment
from record.notebook import markdown_table
from record.runs import CHAPTERS, read_yaml, stored_runs

runs = defaultdict(list)
for run in stored_runs():
    runs[experiment(run.name).question].append(f"`{run.name}`")
markdown_table(["Runs", "A check asks"], [[", ".join(names), asked] for asked, names in runs.items()])

# %% [markdown]
"""
## Stored runs

For each run, *Time, added up* is the sum over all its configurations, and *Settings* is the number of configurations. Seeds count from 0, and two entries mean that some configurations take fewer seeds than others; every random number comes from a generator on the CPU,
whatever device computes. *Commit* names the commit of the code; a `+` after it says that the code also had changes that were not committed then.
"""

# %% tags=["remove-input", "provenance"]
lines = []
for run in stored_runs():
    made, settings = run.made, [row["configuration"] for row in run.results]
    sizes = {setting["seeds"] for setting in settings if "seeds" in setting}
    if named := [setting["seed"] for setting in settings if "seed" in setting]:
        sizes.add(1 + max(named))
    seeds = "; ".join("0" if size == 1 else f"0 to {size - 1}" for size in sorted(sizes)) or "none used"
    made_with = f"{made['device']}, Python {made['python']}, torch {made['torch']}, numpy {made['numpy']}"
    line = [f"`{run.name}`", made["date"], f"{run.minutes:.1f} min", len(settings), seeds]
    lines.append([*line, f"`{made['commit']}`", made_with])
[(usual, _)] = Counter(line[-1] for line in lines).most_common(1)
for line in lines:
    line[-1] = line[-1].replace(usual, "")
head = ["Run", "Date", "Time, added up", "Settings", "Seeds", "Commit", "Made with"]
table = markdown_table(head, lines)
Markdown(f"Each run was made with: {usual}, unless its line says otherwise.\n\n{table.data}")

# %% [markdown]
"""
(provenance-lost)=
### Commits that are lost

Five of these commits are no longer in the history, so the code with which their runs were made cannot be looked up. The numbers of these runs rest on what
[a check asks](#provenance-held) of today's code. For the runs named `length_` something else is missing as well: no commit older than their results holds what we expected of them.
That we wrote it down first you must take on our word, and on [a hash](#which-laboratory) in the code.
"""

# %% tags=["remove-input"]
words = read_yaml(CHAPTERS / "provenance" / "tables.yaml")
runs = {at: [f"`{run.name}`" for run in stored_runs() if at in run.made["commit"]] for at in words["lost"]}
markdown_table(["Commit", "Runs"], [[f"`{at}`", ", ".join(names)] for at, names in runs.items()])

# %% [markdown]
"""
(provenance-translations)=
## Settings of the translations

The table gives the defaults of the toolkit of Chiang and Cholak {cite}`chiang2022` for English to Vietnamese, and the settings with which the
[stored translations](record_translation) were trained. Three things about the toolkit, among others, are not in the table. The toolkit's learning rate falls after an epoch whose BLEU on the
validation pairs is below that of each of the three epochs before. During training the toolkit replaces one word in ten by the unknown word. And the toolkit measures the size of a batch on the longer side of each pair, while we measure it on the target.
Each column but *toolkit* is one run. Other runs on the same data differ from it in what their names say; `translation_scales` also takes more epochs, and the runs on talks (`iwslt15`, `ted`) take at most 60 or 100.
"""

# %% tags=["remove-input"]
from chapters.translation.runs import WITWICKY
from record.runs import stored

columns = {"toolkit": [WITWICKY]}
for name in ("iwslt15", "ted", "multi30k_norms", "multi30k", "deeper"):
    columns[name] = [row["configuration"] for row in stored(f"translation_{name}").results]


def said(column, setting):
    """What configurations say of a setting; what they leave out is none."""
    values = [one.get(setting, 0 if setting == "dropout" else "none") for one in column]
    names = words["norm_first"] if setting == "norm_first" else {}
    return ", ".join(dict.fromkeys(str(names.get(value, value)) for value in values))


body = [[name, *(said(column, setting) for column in columns.values())] for setting, name in words["settings"].items()]
markdown_table(["setting", *columns], body)

# %% [markdown]
"""
(provenance-cite)=
## How to cite a line

A line is named by its page, its row of the [scorecard](scorecard), and its quantity. What was found may change from one version of the book to the next, so name the version too,
and the commit as long as the version is not published. For example:
"""

# %% tags=["remove-input"]
from record.runs import ROOT, criteria_of, record_page

cited = "07_palindrome_precision"
book, line = read_yaml(ROOT / "CITATION.cff"), read_yaml(criteria_of(cited))["claims"]["exact: ONE"]
when = f"of {book['date-released']}" if "date-released" in book else "not yet published, commit …"
whole = f"{book['authors'][0]['name']}: *{book['title'].partition(':')[0]}*, version {book['version']}, {when}"
Markdown(f"> {whole}. {record_page(cited)}, row {line['row']}, “{line['quantity']}”.")

# %% [markdown]
"""
`git rev-parse HEAD` says which commit you have. The book has no DOI, and its authors are named as a group. Please cite the paper that a line speaks of as well.

## This build

These pages were computed with the versions below, and each page took the time in the table.
"""

# %% tags=["remove-input"]
import platform
from importlib.metadata import version
from importlib.util import find_spec

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
