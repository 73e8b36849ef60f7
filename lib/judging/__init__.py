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

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from automata.fa.dfa import DFA

from lib.checks import above_zero, between, flag, many, one_of, optional, takes, text
from lib.judging.comparison import Comparison, Meant
from lib.proofs.limits import Deadline
from lib.verdicts import Verdict

__all__ = ["judge"]

FLOATS = ("float64", "float32", "float16", "bfloat16")


@takes(longest=optional(between(0, 10_000)), name=optional(text), seconds=optional(above_zero))
@takes(beyond=optional(between(1)), each=between(1, 10**6), seed=between(0, 2**63))
@takes(floats=many(one_of(FLOATS)), check=flag, progress=flag)
def judge(
    model: Any,
    language: Meant | None = None,
    longest: int | None = None,
    *,
    alphabet: Sequence[str] | None = None,
    name: str | None = None,
    seconds: float | None = None,
    beyond: int | None = None,
    each: int | None = None,
    seed: int | None = None,
    floats: Sequence[str] = (),
    check: bool = True,
    progress: bool = False,
    promise: DFA | str | None = None,
    **reading: Any,
) -> Verdict:
    """What is known of a model and a language.

    Arguments:

    - `model`: a `Construction`; a `Compiled` transformer; a formula or its text; a `Judged`
      network; or a function that says of a string whether it is accepted (None: undecided).
    - `language`: a `Language`; a formula or its text; a regular expression, as text or as the DFA
      that `regular` makes; `Counters`; a polynomial in the numbers of symbols, which is above 0 on
      just these strings; a function that says of a string whether it is meant; or examples, a
      dictionary from strings to True or False, and then these alone are decided. For a compiled
      transformer None means its own formula. Where next tokens are judged it is a DFA, and where
      classes are a function from a string to the number of its class.
    - `longest`: every string up to so many symbols is decided. None stands for at most 12, and for
      at most 10,000 strings: for 6 where there are four symbols. A promise leaves it at 12.
    - `alphabet`: the symbols, where neither model nor language says them.
    - `name`: what the verdict calls the language.
    - `seconds`: everything ends after about so many, with what is known; so it does by Ctrl-C, but
      for the first moments, in which a language with a definition is held against it.
    - `beyond`: strings longer than `longest`, up to so many symbols, are drawn by `seed` and
      measured: `each` of every kind and length, 100 if it is None.
    - `floats`: types in which a construction or a network is run too.
    - `check`: without it no second solver confirms a proof, which then does not count as one.
    - `progress`: shows a bar.
    - `promise`: a DFA or a regular expression; of a network only the strings that it accepts are
      decided.
    - `reading`: options of `Exact` (`attention`, `eps`, `log_n`), for a construction that does not
      say how it is read.

    ValueError or TypeError for a model or a language that is none of these, a text that is both a
    formula and a regular expression, other symbols, and an argument that nothing reads.

    >>> from lib.constructions import first
    >>> print(judge(first(), "1(0|1)*", longest=4).kind)
    proved for every length
    >>> print(judge(lambda w: "11" in w, "(0|1)*1", alphabet="01"))
    wrong: '1' is rejected, but is in (0|1)*1
    every shorter string is decided correctly
    """
    comparison = Comparison(model, language, alphabet, name, reading, Deadline(seconds))
    given = {"longest": longest, "promise": promise, "beyond": beyond, "floats": floats or None}
    longest = comparison.held(**given, each=each, seed=seed, check=None if check else False)
    if isinstance(language, Mapping):
        verdict = comparison.on_examples(language)
    else:
        # Half of the time is left for a proof, where one may be looked for.
        share = seconds if seconds is None or comparison.is_network else seconds / 2
        verdict = comparison.on_strings(longest, floats, share, progress, promise)
        if verdict.counterexample is None and promise is None:
            verdict = comparison.at_every_length(verdict, check, progress)
        if beyond is not None and not verdict.is_interrupted:
            drawn = longest + 1, beyond, 100 if each is None else each, seed or 0
            verdict = comparison.on_longer(verdict, drawn)
    return replace(verdict, notes=verdict.notes + comparison.assumed)
