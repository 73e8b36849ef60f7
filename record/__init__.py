"""The evidence: what the chapters claim of the papers, the stored runs behind it, and the commands
that make both anew.

`python -m record CHAPTER` records what chapters claim, `python -m record.reproduce NAME` makes or
checks a stored run. `claims` holds the chapters to what is recorded, `rows` are the statements of
the papers, `runs` reads and writes stored runs, `experiment` finds what makes them in the folders
of the chapters. What is recorded lies in `results/`.
"""
