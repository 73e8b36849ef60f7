"""Turing machines inside transformers, exactly.

`machines` are tables of rules; `compilation` makes `recurrent` networks of them, which the
transformers of `simulate` run, of the `architecture` with hard attention; `programs` are machines
to try and `variants` what is taken away, misprinted or drawn at random.
"""
