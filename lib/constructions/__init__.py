"""The papers' transformers, and functions from transformer to transformer.

`papers` writes the constructions; `normalization` doubles them.
"""

from lib.constructions.papers import (
    first,
    flawed_first,
    one,
    pairwise_palindrome,
    palindrome,
    parity,
)

__all__ = ["first", "flawed_first", "one", "pairwise_palindrome", "palindrome", "parity"]
