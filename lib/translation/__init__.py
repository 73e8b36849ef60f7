"""Sequence to sequence: `corpora` of sentences, a `vocabulary`, the `model`, its `decoding` and
training (`train`).

`runs` lists what is stored.
"""
