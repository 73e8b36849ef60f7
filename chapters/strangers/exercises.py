"""The exercises of chapter 12: networks that were trained."""

from functools import cache
from math import ceil, log

import numpy as np

from chapters.common import judge
from chapters.strangers.figures import kept, small
from chapters.strangers.runs import LANGUAGES, LONG, judged_small
from lib import judging
from lib.languages import MAJORITY
from lib.trained import Judged, accepted

STRINGS, SURE = 1_024, 0.99


@judge.exercise("12.1", int, np.integer)
def draws_until_it_is_seen(answer: int) -> str | None:
    """The least N with 1 - (1 - 1/1024)^N at least 0.99."""
    least = ceil(log(1 - SURE) / log(1 - 1 / STRINGS))
    return judge.compared(answer, least, "few", "many")


@cache
def ours(language: str, steps: int) -> Judged:
    """One of the networks that are kept."""
    return judged_small(kept(language, steps), LANGUAGES[language])


@judge.exercise("12.2", str)
def where_the_majority_fails(answer: str) -> str | None:
    """A string on which the network for MAJORITY after 1,000 batches errs."""
    if not {*answer} <= {*"01"} or len(answer) > LONG:
        return f"a string of at most {LONG} symbols 0 and 1 is expected, not {answer!r}"
    [said] = accepted(ours("MAJORITY", 1000), [answer])
    if said is not (answer in MAJORITY):
        return None
    return f"it {'accepts' if said else 'rejects'} {answer or 'the empty string'}, which is right"


@judge.exercise("12.3", tuple)
def right_on_shorter_strings(answer: tuple) -> str | None:
    """A network that is right to n symbols, and a string of n + 1 on which it errs."""
    is_named = len(answer) == 3 and answer[:2] in small() and isinstance(answer[2], str)
    if not is_named or not {*(w := answer[2])} <= {*LANGUAGES[answer[0]].alphabet}:
        return 'a language, its steps and a string of it are expected, as ("two 1s", 1000, "01")'
    if not 1 <= len(w) <= LONG:
        return f"a string of at most {LONG} symbols is expected, not {w!r}"
    language, judged = LANGUAGES[answer[0]], ours(*answer[:2])
    shorter = judging.judge(judged, language, longest=min(len(w) - 1, 13)).wrong
    if shorter:
        return f"it errs on {shorter[0] or 'the empty string'} too, which is shorter"
    [said] = accepted(judged, [w])
    if said == (w in language):
        return f"it decides {w} correctly"
    if len(w) > 14:
        return f"whether it is right on every string of {len(w) - 1} symbols was not decided"
    return None
