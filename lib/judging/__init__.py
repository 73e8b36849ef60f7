"""The one door: is this transformer right, and how is that known?

`judge` takes whatever decides strings and whatever says which strings are meant. It decides every
string up to a length, then looks for a proof at every length, and one `Verdict` says what came out.

A proof is looked for as the model allows.
- A formula is held against another description by a search over both (`proofs.equal`).
- A compiled transformer decides as its formula does, by the compiler's theorem.
- A construction with unique hard attention behind masks is a finite automaton (`proofs.unique`).
- Any other construction is read by kinds of token (`proofs.constructions`).
- A trained network without positions is a function of shares, which cells cover (`trained.counts`).
What a prover finds counts as proved only when a second solver has confirmed it.

`python -m lib.judging FILE --language ...` is the same door on a command line.
"""

from lib.judging.door import judge

__all__ = ["judge"]
