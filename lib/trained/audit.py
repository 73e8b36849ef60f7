"""A trained network held against a language: every string to a length, with proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from math import inf, log
from operator import itemgetter

import torch
from automata.fa.dfa import DFA
from flint import arb, ctx
from torch import Tensor

from lib.checks import above_zero, an, between, flag, many, one_of, optional, shown, takes
from lib.formulas.syntax import Formula
from lib.languages import Language
from lib.proofs.equal import automaton, recognizer, regular
from lib.proofs.limits import Deadline, OutOfTime
from lib.trained.arithmetic import ULPS, Balls, Bounded, Floats, Value
from lib.trained.network import Classes, Judged, Largest, NextTokens, Positive
from lib.trained.passes import Tree, outputs
from lib.verdicts import EACH_STRING, INTERRUPTED, UNDECIDED, UNKNOWN, WRONG, Lengths, Verdict

TYPES = {one: getattr(torch, one) for one in ("float16", "bfloat16", "float32", "float64")}
BITS = (64, 128, 256, 512, 1024)  # of the balls that are tried one after the other
FLOAT = 53  # bits of a float
SINGLE = 2.0**-24  # the unit of float32
SHOWN = 10  # counterexamples that are kept
ROWS = 1 << 12  # whole strings that are read at once
Meant = Language | DFA | Formula | str | Callable  # the last says whether a string is in it


class Strings:
    """The strings over an alphabet, a length at a time: all of them or, for next tokens or a
    promise, those that can be continued to one of the language, or of the promise.
    """

    def __init__(self, judged: Judged, language: Meant, promise: DFA | str | None = None):
        self.judged, self.alphabet = judged, judged.alphabet
        self.outputs = judged.network.output.weight.shape[1]
        self.words = [""]
        self.states = [0]  # of an automaton, or of none
        self.moves: list[dict[int, int]] = [dict.fromkeys(range(len(self.alphabet)), 0)]
        self.finals: frozenset[int] = frozenset({0})
        decides = judged.settled
        if isinstance(decides, NextTokens):
            if not isinstance(language, DFA):
                raise ValueError(f"what may come next is said by a DFA, not by {language!r}")
            if promise is not None:
                raise ValueError("no promise is expected where a DFA says what may come next")
            self._follow(language)
            self.next = torch.zeros(len(self.moves), self.outputs, dtype=torch.bool)
            tokens = [*judged.tokens.values()]
            for state, moves in enumerate(self.moves):
                self.next[state, [tokens[a] for a in moves]] = True
                self.next[state, decides.end] = state in self.finals
            self.finals = frozenset(range(len(self.moves)))  # every prefix is asked
            return
        if promise is not None:
            an(DFA, str)(promise, "promise")
            self._follow(regular(promise, self.alphabet) if isinstance(promise, str) else promise)
        if isinstance(decides, Classes) and not callable(language):
            raise ValueError(
                "what class a string has is said by a function from a string to the number of "
                f"an output, not by {shown(language)}"
            )
        if isinstance(language, Language):
            language = language.over(self.alphabet).predicate
        is_function = callable(language)
        self.answer: Callable = language if is_function else recognizer(language, self.alphabet)

    def _follow(self, dfa: DFA) -> None:
        """Keeps to strings that can be continued to one that a DFA accepts."""
        known = automaton(dfa, self.alphabet)
        live = set(known.finals)  # from these a string of the language can be reached
        while more := {q for q, row in enumerate(known.rows) if live & {*row}} - live:
            live |= more
        if 0 not in live:  # it accepts nothing: no prefix can be continued
            self.words, self.states = [], []
        self.moves = [{a: q for a, q in enumerate(row) if q in live} for row in known.rows]
        self.finals = frozenset(known.finals)

    def asked(self) -> Tensor:
        """The numbers of the words that are decided."""
        places = [k for k, state in enumerate(self.states) if state in self.finals]
        return torch.tensor(places, dtype=torch.int64)

    def expected(self, words: Sequence[str], states: Sequence[int]) -> tuple[Tensor, Tensor | None]:
        """Which of the numbers that decide these words should be above 0, (words, numbers), and,
        where the largest output decides, which outputs may be the largest, (words, outputs).
        """
        decides = self.judged.settled
        if isinstance(decides, NextTokens):
            allowed = self.next[[*states]]
            is_largest = decides.criterion == "largest"
            return (allowed.any(-1, keepdim=True), allowed) if is_largest else (allowed, None)
        answers = [self.answer(w) for w in words]
        if not isinstance(decides, Classes):
            asked = zip(words, answers, strict=True)
            answers = [flag(x, f"what the language says of {w!r}") for w, x in asked]
            return torch.tensor(answers, dtype=torch.bool)[:, None], None
        for answer in answers:
            between(0, self.outputs - 1)(answer, "the output that should be the largest")
        allowed = torch.nn.functional.one_hot(torch.tensor(answers).long(), self.outputs).bool()
        return torch.ones(len(answers), 1, dtype=torch.bool), allowed

    def longer(self) -> tuple[Tensor, Tensor]:
        """Goes on to the next length: each string's last symbol, and which one it continues."""
        steps = [(a, k, q) for k, one in enumerate(self.states) for a, q in self.moves[one].items()]
        symbols, parents, states = zip(*steps) if steps else ((), (), ())
        self.words = [self.words[k] + self.alphabet[a] for a, k, _ in steps]
        self.states = [*states]
        return torch.tensor(symbols, dtype=torch.int64), torch.tensor(parents, dtype=torch.int64)


class Reader:
    """The outputs of a network in one arithmetic, for all strings of a length after the other."""

    def __init__(self, judged: Judged, arithmetic: Floats, deadline: Deadline | None = None):
        self.judged, self.arithmetic = judged, arithmetic
        self.deadline = deadline or Deadline()
        is_whole = callable(judged.network.positions) or judged.padding is not None
        is_tree = judged.network.causal and judged.read_at == "last" and not is_whole
        self.tree = Tree(judged, arithmetic) if is_tree else None

    def read(self, words: list[str], step: tuple[Tensor, Tensor] | None) -> Value:
        """Of all strings of the next length; `step` is what `Strings.longer` gives."""
        if self.tree is not None and step is not None:
            symbols, parents = step
            return self.tree.answers(torch.tensor([*self.judged.tokens.values()])[symbols], parents)
        first, *rest = given(self.judged, words).split(ROWS)
        parts = [outputs(self.judged, first, self.arithmetic)]
        for some in rest:
            self.deadline.look()
            parts.append(outputs(self.judged, some, self.arithmetic))
        return tuple(torch.cat(part) for part in zip(*parts, strict=True))

    def asked(self, strings: Strings, step: tuple[Tensor, Tensor] | None) -> Value:
        """The same of those that are asked; a tree goes through the others too."""
        asked = strings.asked()
        if self.tree is None:
            return self.read([strings.words[k] for k in asked.tolist()], None)
        return tuple(part[asked] for part in self.read(strings.words, step))


def given(judged: Judged, words: Sequence[str]) -> Tensor:
    """Strings of one length as tokens, with those before and after, (strings, tokens)."""
    rows = [[*judged.before, *(judged.tokens[a] for a in w), *judged.after] for w in words]
    if judged.padding is not None:
        token, length = judged.padding
        if max(map(len, rows), default=0) > length:
            raise ValueError(f"strings of up to {judged.longest} symbols are expected, not longer")
        rows = [[*row, *[token] * (length - len(row))] for row in rows]
    if [] in rows:
        raise ValueError("a string with a token is expected, not the empty one")
    return torch.tensor(rows, dtype=torch.int64).reshape(len(words), -1)


def margins(
    judged: Judged, logits: Tensor, allowed: Tensor | None = None, others: Tensor | None = None
) -> Tensor:
    """What decides, of each string: numbers that should be above 0 or not, (strings, numbers).
    `allowed` says which outputs may be the largest, where the largest decides. What is taken away
    is that of the `others`, bounds on the same outputs, say.
    """
    rest = logits if others is None else others
    if allowed is not None:
        most = logits.masked_fill(~allowed, -torch.inf).amax(-1, keepdim=True)
        return most - rest.masked_fill(allowed, -torch.inf).amax(-1, keepdim=True)
    match judged.settled:
        case Positive(int(output)):
            return logits[..., [output]]
        case Largest(tuple(accepting), tuple(rejecting)):
            accepted = logits[..., [*accepting]].amax(-1, keepdim=True)
            return accepted - rest[..., [*rejecting]].amax(-1, keepdim=True)
        case NextTokens(_, float(p)):
            shares = logits.log_softmax(-1)  # the same in numbers of 16 bits is less exact
            return (shares if others is None else logits - rest.logsumexp(-1, True)) - log(p)
    return logits


def decided(
    judged: Judged, found: Value, allowed: Tensor | None = None, unit: float = 2.0**-53
) -> tuple[Tensor, Tensor, Tensor]:
    """What decides each string, and bounds on it, by runs that round in parts of a unit."""
    x, size = found[0], found[0].abs()
    off = found[1] * (1 + 1e-9) + 2.0**-52 * size  # for the rounding of the sums
    if isinstance(p := getattr(judged.settled, "criterion", None), float):
        size = size + x.amax(-1, keepdim=True).abs() + log(x.shape[-1]) - log(p)
        off = off + (x.shape[-1] + 8 * ULPS) * 4 * unit * (size + 1)
    low, high = (margins(judged, x + e, allowed, x - e) for e in (-off, off))
    if allowed is not None:
        low[allowed.all(-1)] = torch.inf  # nothing can be wrong
    return margins(judged, x, allowed), low, high


def by_balls(judged: Judged, w: str, allowed: Tensor | None = None) -> list[arb]:
    """The numbers that decide, as balls to a float's precision, or with the most bits: of a tie."""
    found: list[arb] = []
    for bits in BITS:
        with ctx.workprec(bits):
            found = _of_balls(judged, outputs(judged, given(judged, [w]), Balls()), allowed)
        if min(x.rel_accuracy_bits() for x in found) > FLOAT:
            break
    return found


def _of_balls(judged: Judged, logits: list[arb], allowed: Tensor | None) -> list[arb]:
    """As `margins`, of one string."""

    def largest(numbers: Iterable[int]) -> arb:
        return reduce(arb.max, (logits[k] for k in numbers), arb.neg_inf())

    every = range(len(logits))
    if allowed is not None:
        rest = [k for k in every if not allowed[k]]
        return [largest(k for k in every if allowed[k]) - largest(rest)]
    match judged.settled:
        case Positive(int(output)):
            return [logits[output]]
        case Largest(tuple(accepting), tuple(rejecting)):
            return [largest(accepting) - largest(rejecting)]
        case NextTokens(_, float(p)):
            total = sum((x.exp() for x in logits), arb(0))
            return [x - total.log() - arb(p).log() for x in logits]
    return logits


def sign(x: arb) -> bool | None:
    """Whether a ball is above 0; None where it holds 0."""
    return True if x > 0 else False if x < 0 else None


@takes(judged=Judged, longest=between(0, 10_000), floats=many(one_of(TYPES)), progress=flag)
@takes(seconds=optional(above_zero))
def audit(
    judged: Judged,
    language: Meant,
    longest: int = 12,
    floats: Sequence[str] = ("float32", "bfloat16"),
    seconds: float | None = None,
    progress: bool = False,
    promise: DFA | str | None = None,
) -> Verdict:
    """Decides every string up to `longest` symbols, as the real numbers would, and holds it against
    a language: one of `lib.languages`, a DFA, a formula or its text, or a function of a string.
    Where next tokens are asked for, every prefix that can be continued is decided, all its outputs,
    and the language is a DFA. With a `promise`, a DFA or a regular expression, the strings that it
    accepts are decided alone.

    It ends before a length that has no position any more, or that would not fit into `seconds`, as
    far as the length before tells, and says so. Strings without the token that is read are not
    asked. ValueError for a language over another alphabet.
    """
    strings, deadline = Strings(judged, language, promise), Deadline(seconds)
    levels: list[Decisions] = []
    lengths = Lengths(int(min(longest, judged.longest)), seconds, progress)
    criterion = getattr(judged.decides, "criterion", None)
    above = "a next token counts as allowed where its output is above 0, which cross entropy does "
    notes = [above + "not train"] if criterion == "positive" else []
    if floats and (criterion == "largest" or isinstance(judged.decides, Classes)):
        notes.append("of floats only this was asked: whether the largest output is a right one")
    if promise is not None:
        notes.append("only strings that keep the promise were decided")
    if judged.shortest:
        few = f"strings of fewer than {judged.shortest} symbols were"
        which = few if judged.shortest > 1 else "the empty string was"
        notes.append(f"{which} not asked, for lack of a token that is read")
    step: tuple[Tensor, Tensor] | None = None
    try:
        reader = Reader(judged, Bounded(), deadline)
        any_order = Reader(judged, Bounded(SINGLE), deadline)
        others = {name: Reader(judged, Floats(TYPES[name]), deadline) for name in floats}
        for length in lengths:
            if length:
                step = strings.longer()
            if length < judged.shortest:
                continue  # such strings have no token that is read
            if not strings.words:
                break
            number = len(strings.asked() if reader.tree is None else strings.words)
            if not number:
                continue
            if not lengths.fit(number):
                notes.append(lengths.left)
                break

            found = reader.asked(strings, step)
            level = Decisions(judged, length, strings, found)
            if judged.beside is not None and level.words:
                judged.beside(judged, level.words, found[0], level.above, level.allowed)
                for w in level.wrong[:1]:  # alone, too
                    row = [level.words.index(w)]
                    judged.beside(judged, [w], found[0][row], level.above[row], level.of(row))
            for name, other in others.items():
                level.compare(name, other.asked(strings, step)[0])
            if "float32" in floats:
                found = any_order.asked(strings, step)
                _, low, high = decided(judged, found, level.allowed, SINGLE)
                level.alike = int(((low > 0) | (high < 0)).all(-1).sum())
            if level.words:
                levels.append(level)
        else:
            if judged.longest < longest:
                reason = "the network has no positions for longer strings"
                if judged.padding and judged.longest < replace(judged, padding=None).longest:
                    reason = "longer strings do not fit into the padding"
                notes.append(f"it ended early because {reason}")
    except KeyboardInterrupt:
        notes.append(INTERRUPTED)
    except OutOfTime:
        notes.append("it ended early: the seconds were over before a length was decided")
    if promise is not None and not levels:
        notes.append(f"no string of up to {longest} symbols that keeps the promise was decided")
    return told(levels, floats, notes)


class Decisions:
    """All that an audit finds of the strings of one length, as real numbers decide them. It keeps
    whole levels alone: whenever it ends, its verdict speaks of the same strings in every column.
    """

    def __init__(self, judged: Judged, length: int, strings: Strings, found: Value):
        self.judged, self.length = judged, length
        asked = strings.asked().tolist()
        words = self.words = [strings.words[k] for k in asked]
        expected, self.allowed = strings.expected(words, [strings.states[k] for k in asked])
        centre, low, high = decided(judged, found, self.allowed)
        is_known, above = (low > 0) | (high < 0), low > 0
        unclear = (~is_known.all(-1)).nonzero()[:, 0].tolist()
        for row in unclear:
            numbers = by_balls(judged, words[row], self.of(row))
            is_known[row] = torch.tensor([sign(x) is not None for x in numbers])
            above[row] = torch.tensor([bool(sign(x)) for x in numbers])
            centre[row] = torch.tensor([float(x) for x in numbers], dtype=torch.float64)
            error = torch.tensor([float(x.rad()) for x in numbers], dtype=torch.float64)
            low[row], high[row] = centre[row] - error, centre[row] + error
        is_wrong = (is_known & (above != expected)).any(-1)
        self.is_decided, self.above = is_known.all(-1), above
        self.balls = len(unclear)
        self.wrong, self.open = self._those(is_wrong), self._those(~self.is_decided & ~is_wrong)
        # What is done with the first wrong string, and its score, if a single output decides.
        self.first: tuple[bool | None, float | None, str] = (None, None, "")
        for row in is_wrong.nonzero()[:1, 0].tolist():
            if isinstance(judged.decides, Classes) and self.allowed is not None:
                [wanted] = self.allowed[row].nonzero()[0].tolist()
                note = f"the first is of class {wanted}, whose output is not the largest"
                self.first = (None, None, note)
            elif centre.shape[1] == 1 and self.allowed is None:
                self.first = bool(above[row]), float(centre[row]), ""
        size, rounding = centre.abs(), 2.0**-52 * centre.abs()  # of the sums
        least, most = torch.where(above, low, -high), torch.where(above, high, -low)
        parts = (least - rounding, most + rounding, size)
        self.low, high, self.least = (x.amin(-1) for x in parts)
        self.is_right = self.is_decided & ~is_wrong
        self.most = min(high[self.is_right].tolist(), default=inf)  # for the smallest margin
        self.changed: dict[str, list[str]] = {}
        self.alike = 0

    def nearest(self, most: float) -> tuple[float, str | None]:
        """The smallest margin of a right decision and its string, if it may be at most this."""
        near = []
        for row in (self.is_right & (self.low <= most)).nonzero()[:, 0].tolist():
            w, margin = self.words[row], float(self.least[row])
            if margin - float(self.low[row]) > 1e-9 * margin:
                margin = min(map(abs, map(float, by_balls(self.judged, w, self.of(row)))))
            near.append((margin or 5e-324, w))  # no float is nearer to it
        return min(near, key=itemgetter(0), default=(inf, None))

    def of(self, row: int | list[int]) -> Tensor | None:
        """Which outputs may be the largest in that row, or in those rows."""
        return None if self.allowed is None else self.allowed[row]

    def _those(self, are: Tensor) -> list[str]:
        return [self.words[row] for row in are.nonzero()[:, 0].tolist()]

    def compare(self, name: str, logits: Tensor) -> None:
        """Which of them a type of floats decides otherwise, or not at all, if it has no number."""
        centre = margins(self.judged, logits, self.allowed)
        is_other = (centre.isnan() | ((centre > 0) != self.above)).any(-1)
        self.changed[name] = self._those(self.is_decided & is_other)


def told(levels: Sequence[Decisions], floats: Sequence[str], notes: Sequence[str]) -> Verdict:
    """What the levels come to."""
    wrong = [w for level in levels for w in level.wrong]
    left = [w for level in levels for w in level.open]
    most = min((level.most for level in levels), default=inf)
    margin, nearest = min((x.nearest(most) for x in levels), key=itemgetter(0), default=(inf, None))
    firsts = (level.first for level in levels if level.wrong)
    accepted, logit, class_note = next(firsts, (None, None, ""))
    changed = {name: [w for level in levels for w in level.changed[name]] for name in floats}
    right = EACH_STRING if levels else UNKNOWN
    return Verdict(
        WRONG if wrong else UNDECIDED if left else right,
        max((level.length for level in levels), default=0),
        sum(len(level.words) for level in levels),
        next(iter(wrong or left), None),
        accepted,
        logit,
        margin=None if nearest is None else margin,
        nearest=nearest,
        by_length={x.length: (len(x.words), len(x.wrong), len(x.open)) for x in levels},
        wrong=tuple(wrong[:SHOWN]),
        rounding={name: (len(some), next(iter(some), None)) for name, some in changed.items()},
        any_order=sum(level.alike for level in levels) if "float32" in floats else None,
        balls=sum(level.balls for level in levels),
        notes=(*notes, *filter(None, [class_note])),
    )
