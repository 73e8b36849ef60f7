"""Float types, how many significant bits they have, and ways to take a mean in them."""

from collections.abc import Callable

from torch import Tensor

from lib.transformer.encoder import DTYPES
from lib.transformer.tensors import divided, sequential, weighted

FLOATS = {str(dtype).removeprefix("torch."): dtype for dtype in DTYPES}
SIGNIFICAND = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}  # bits
MEANS: dict[str, Callable[[Tensor], Tensor]] = {
    mean.__name__: mean for mean in (sequential, weighted, divided)
}
