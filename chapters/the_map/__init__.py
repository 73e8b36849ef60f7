"""What kinds of transformers express: the map, its entries, and what runs in them.

`encoders` and `decoders` write small transformers beyond the papers'; `examples` holds them and the
papers' against languages; `map.yaml` says what is stated of which kinds; `entries` reads that and
shows it.
"""

from chapters.the_map.entries import MAP as MAP
