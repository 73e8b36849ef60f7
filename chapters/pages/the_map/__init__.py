"""What kinds of transformers express: the map, its cells, and what runs in them.

`encoders` and `decoders` write small transformers beyond the papers'; `examples` holds them and the
papers' against languages; `map.yaml` says what each cell of the map states; `cells` says what a
cell is, reads them and draws them.
"""

from pathlib import Path

from chapters.pages.the_map.cells import read_cells
from chapters.pages.the_map.examples import EXAMPLES

MAP = read_cells(Path(__file__).with_name("map.yaml"), EXAMPLES)
