"""What kinds of transformers express: the map, its entries, and what runs in them.

`encoders` and `decoders` write small transformers beyond the papers'; `examples` holds them and the
papers' against languages; `map.yaml` says what is stated of which kinds; `entries` says what an
entry is and reads them; `pictures` shows them.
"""

from pathlib import Path

from chapters.the_map.entries import read_entries
from chapters.the_map.examples import EXAMPLES

MAP = read_entries(Path(__file__).with_name("map.yaml"), EXAMPLES)
