"""Turing machines inside transformers, exactly.

`machines` are compiled to `recurrent` networks, which the transformers of `simulate` run;
`programs` are machines to try and `variants` what is taken away, misprinted or drawn at random.
"""
