# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Solutions

The exercises of all chapters with their solutions, in one place, for those who teach; the page that a student needs is the chapter's own.

Everything here is taken from the chapters. An answer is checked by `check("1.1", answer)`: a wrong one gets a counterexample, or is told what is amiss. The second exercise of a chapter
has more than one right answer, and the third wants an argument too, which no program judges.
"""

# %% tags=["remove-cell"]
from chapters.solutions.tables import solutions

# %% [markdown]
"""
## Chapter 1
"""

# %% tags=["remove-input"]
solutions(1)

# %% [markdown]
"""
## Chapter 2
"""

# %% tags=["remove-input"]
solutions(2)

# %% [markdown]
"""
## Chapter 3
"""

# %% tags=["remove-input"]
solutions(3)

# %% [markdown]
"""
## Chapter 4
"""

# %% tags=["remove-input"]
solutions(4)

# %% [markdown]
"""
## Chapter 5
"""

# %% tags=["remove-input"]
solutions(5)

# %% [markdown]
"""
## Chapter 6
"""

# %% tags=["remove-input"]
solutions(6)

# %% [markdown]
"""
## Chapter 7
"""

# %% tags=["remove-input"]
solutions(7)

# %% [markdown]
"""
## Chapter 8
"""

# %% tags=["remove-input"]
solutions(8)

# %% [markdown]
"""
## Chapter 9
"""

# %% tags=["remove-input"]
solutions(9)

# %% [markdown]
"""
## Chapter 10
"""

# %% tags=["remove-input"]
solutions(10)

# %% [markdown]
"""
## Chapter 11
"""

# %% tags=["remove-input"]
solutions(11)

# %% [markdown]
"""
## Chapter 12
"""

# %% tags=["remove-input"]
solutions(12)

# %% [markdown]
"""
## Chapter 13
"""

# %% tags=["remove-input"]
solutions(13)
