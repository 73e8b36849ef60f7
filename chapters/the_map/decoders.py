"""Transformers that think in steps: decoders that write one token after another and read what they
have written, up to an answer. None is from a paper.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from chapters.the_map.encoders import network
from lib.checks import check_string
from lib.transformer.construction import Construction
from lib.transformer.exact import Affine, Exact, Value, sign
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, Head, Layer

YES, NO = "yes", "no"  # the answers, with which a decoder stops
Automaton = Mapping[tuple[str, str], str]  # the next state, by state and symbol


@dataclass(frozen=True)
class Decoder:
    """A decoder: after CLS and the input it writes the token whose logit is largest, again and
    again, until that is an answer, `YES` or `NO`.

    `construction`, which is read at the last token, embeds the symbols and the tokens that are
    written, and never looks ahead; `logits` maps each token that may be written to a form of its
    last layer's vector there.
    """

    construction: Construction
    logits: Mapping[str, Form]


class Steps:
    """Reads a decoder exactly, with `attention` as `Exact` takes it."""

    def __init__(self, decoder: Decoder, attention: str = "hardmax"):
        alphabet = decoder.construction.alphabet
        self._symbols = tuple(token for token in alphabet if token not in decoder.logits)
        self._reader = Exact(decoder.construction, attention)
        self._logits = {token: Affine(form) for token, form in decoder.logits.items()}

    def run(self, w: str) -> Iterator[tuple[str, dict[str, Value]]]:
        """The steps on `w` to the answer: the token that each writes, and every token's logit.
        ValueError where no logit is proved to be the largest.
        """
        tokens = ["CLS", *check_string(w, self._symbols)]
        # The vectors of all tokens, those that are written on the way too.
        for i, vector in enumerate(self._reader.vectors(tokens), start=1):
            if i == len(tokens):
                logits = {token: form(vector) for token, form in self._logits.items()}
                tokens.append(largest(logits))
                yield tokens[-1], logits
                if tokens[-1] in (YES, NO):
                    return

    def decides(self, w: str) -> bool | None:
        """Whether the answer on `w` is `YES`; None where there is none within 10,000 steps."""
        *_, (last, _) = islice(self.run(w), 10_000)
        return {YES: True, NO: False}.get(last)

    def accepts(self, words: Iterable[str]) -> list[bool | None]:
        """Which of these strings are decided by `YES`."""
        return [self.decides(w) for w in words]


def largest(logits: dict[str, Value]) -> str:
    """The token whose logit is proved to be larger than all others."""
    for token, logit in logits.items():
        others = (other for name, other in logits.items() if name != token)
        if all(sign(logit - other) == 1 for other in others):
            return token
    raise ValueError(f"no logit is proved to be the largest: {logits}")


def tally() -> Decoder:
    """PARITY without positions and queries, in k + 1 steps for k 1s (one layer, one head, d = 9).

    It writes e and o in turn, o first, as long as they are fewer than the 1s, and answers by the
    last. One average of the past gives d = (1s - tokens written)/(i + 1) and u = 1/(i + 1). So
    min(d, u) is u or 0 as there are more or not, and max(0, u + [last is o] - 1) is u or 0. Each
    of the four combinations makes one logit u, and the others 0, 0 and -u.
    """
    S = Space("0", "1", "CLS", "e", "o", "d", "u", "more", "last o")
    _, one, cls, even, odd, d, u, more, last = S
    count = Layer(
        Head({"d": one - even - odd, "u": cls}, mask="future"),
        FFN(hidden=[d, d - u, u + odd - 1], out={"more": [1, -1, 0], "last o": [0, 0, 1]}),
    )
    construction = network(S, [count], "0 1 CLS e o", output=more - last, readout="last")
    logits = {"o": more - last, "e": more + last - u, YES: last - more, NO: u - more - last}
    return Decoder(construction, logits)


PARITY_STATES: Automaton = {("e", "0"): "e", ("e", "1"): "o", ("o", "0"): "o", ("o", "1"): "e"}


def automaton(
    step: Automaton, start: str, accepting: Callable[[str], bool], averaging: bool = False
) -> Decoder:
    """A finite automaton, a state a token: |w| + 1 steps (two layers, a head each).

    The last position behind a symbol or CLS is m = |w|: the rightmost of them, for ties to the
    right, or twice their mean, for `averaging`. So the last token, at position i, has i - m states
    behind it or is the last of them, and the next symbol stands at t = i - m + 1. The logits 2 t j
    - j² are largest at j = t <= i; or, at the end, a state stands there, and no symbol is read.
    Behind no state the state is `start`. `step` is total; its symbols are single letters, not i or
    m, and its states are named apart from them, from CLS and from the answers.
    """
    states = [*dict.fromkeys([start, *(state for state, _ in step)])]
    symbols = [*dict.fromkeys(symbol for _, symbol in step)]
    S = Space("CLS", *symbols, "i", "i²", "given", "m", *(f"is {q}" for q in states),
              *(f"reads {a}" for a in symbols), *(f"to {q}" for q in states), YES, NO)  # fmt: skip
    i, square, given, m = S["i"], S["i²"], S["given"], S["m"]
    here = sum((S[f"is {q}"] for q in states), Form())  # 1 at every position
    input_ends = Layer(Head({"m": 2 * i if averaging else i}, q=[here], k=[given], mask="future"))
    read = {f"reads {a}": S[a] for a in symbols}
    look = Head(read, q=[2 * (i - m + here), -here], k=[i, square], mask="future")
    moves = [(S[f"is {q}"] + S[f"reads {a}"] - 1, f"to {to}") for (q, a), to in step.items()]
    reads = sum((S[name] for name in read), Form())
    ends = [(S[f"is {q}"] - reads, YES if accepting(q) else NO) for q in states]
    units = [*moves, *ends]
    written = dict.fromkeys(to for _, to in units)
    out = {to: [int(other == to) for _, other in units] for to in written}
    begins = given + S[f"is {start}"]
    word = {a: S[a] + begins for a in ("CLS", *symbols)} | {q: S[f"is {q}"] for q in states}
    layers = [input_ends, Layer(look, FFN(hidden=[form for form, _ in units], out=out))]
    output, position = S[YES] - S[NO], {"i": i, "i²": square}
    construction = Construction(S, word, position, layers, output, readout="last")
    logits = {q: S[f"to {q}"] for q in states} | {YES: S[YES], NO: S[NO]}
    return Decoder(construction, logits)


def running_parity(averaging: bool = False) -> Decoder:
    """PARITY by a scratchpad that holds the parity so far: |w| + 1 steps."""
    return automaton(PARITY_STATES, "e", lambda state: state == "o", averaging)
