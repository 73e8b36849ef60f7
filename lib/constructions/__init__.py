"""The papers' transformers, and functions from transformer to transformer.

`papers` writes the constructions; `normalization` doubles and sharpens them, `mutants` damages them
one coefficient at a time. Where floating point breaks them is found by `precision` (float types),
`significand` (p-bit arithmetic), `normalized_precision` and `palindrome_precision`.
"""

from lib.constructions.papers import (
    first,
    flawed_first,
    one,
    pairwise_palindrome,
    palindrome,
    parity,
    sigmoid_palindrome,
)

__all__ = [
    "first",
    "flawed_first",
    "one",
    "pairwise_palindrome",
    "palindrome",
    "parity",
    "sigmoid_palindrome",
]
