"""A transformer as data: affine forms over named coordinates, read by as many readers as there are
arithmetics.

`space` names coordinates, `positions` spells position encodings, `construction` holds a whole
transformer; `encoder` runs one in torch's float types and `exact` in rationals and balls, both
behind the one interface of `reader`.
"""
