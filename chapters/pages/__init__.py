"""What stands beside one page alone: its own constructions, drawings and claims, in a file or
folder of that page's name. A page may import from `lib`, `record` and its own; no page from
another. What the chapters hold as notebooks, which several pages read, is in `notebooks`.
"""
