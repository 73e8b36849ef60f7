"""Turing machines inside transformers, exactly.

`machines` are tables of rules, some of them written out; `compilation` makes of them recurrent
networks, those of `recurrent`, which the transformers of `architecture`, with hard attention, run.
"""
