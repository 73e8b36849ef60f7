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

import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import reduce
from inspect import signature
from itertools import accumulate, chain, islice, product
from pathlib import Path
from typing import Any

import yaml
from automata.fa.dfa import DFA

from lib import languages
from lib.checks import above_zero, between, flag, many, one_of, optional, shown, takes, text
from lib.formulas.compilation import Compiled
from lib.formulas.mends import SAID
from lib.formulas.stated import LIBRARY
from lib.formulas.syntax import (
    And,
    Formula,
    FormulaError,
    Or,
    Q,
    checked_alphabet,
    count,
    holds,
    position,
)
from lib.formulas.text import NAMES
from lib.formulas.text import formula as read_formula
from lib.languages import Language
from lib.proofs.answer import Answer
from lib.proofs.constructions import Proof, is_commutative, proved_by_kinds, proved_regular
from lib.proofs.equal import Specification, proved_equal, recogniser, regular
from lib.proofs.limits import Deadline, OutOfTime
from lib.proofs.machine import Counters
from lib.proofs.rational import Fact, Poly
from lib.proofs.unique import automaton
from lib.transformer.construction import Construction, from_json, read_with
from lib.transformer.exact import UNIQUE, Exact
from lib.verdicts import (
    EACH_STRING,
    INTERRUPTED,
    PROVED,
    UNCHECKED,
    UNDECIDED,
    UNKNOWN,
    WRONG,
    Verdict,
    held_against,
    swept,
)

THEOREM = "the compiler's theorem"
SAYS = (
    "a formula, a regular expression, or PARITY, FIRST, ...; given again for each output, it says "
    "on which strings that is the largest, and each string is in one of them"
)
READ = "what the reader asks for, null for None, or how a construction is read: log_n=true, say"
READERS = ("pytorch", "gpt2", "llama", "transformer_lens")
VALUES = {"null": None, "true": True, "false": False, "None": None, "True": True, "False": False}
NEEDED = ("reader", "tokens", "accepts", "above")
OF_WEIGHTS = (*NEEDED, "before", "after", "read_at")
FLOATS = ("float64", "float32", "float16", "bfloat16")
READING = {"attention", "eps", "log_n"}
TITLE = 40  # characters of a formula that names its language
FORMULAS = "the formula's language"
LONGEST, STRINGS = 12, 10_000  # that are decided if no length is asked for
HELD = 500  # strings on which a definition is held against its predicate
AT_ONCE = 64  # examples
PREFIX = 3  # symbols of a beginning that decides a string
MODELS = (
    "a Construction, a Compiled, a formula or its text, a Judged network or a function of a string"
)
LANGUAGES = (
    "a Language, a formula, a regular expression, a DFA, Counters, a polynomial, a function of a "
    "string or a dictionary of examples"
)
UNREADABLE = (
    "{} is given by a function, which no prover reads; a formula, a regular expression, a DFA or "
    "Counters can be read"
)

Equal = Callable[[Formula, Specification], Answer]
Description = Formula | DFA | Counters | Poly
Meant = Language | Description | str | Mapping[str, bool] | Callable[[str], bool]


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
    each: int = 100,
    seed: int = 0,
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
    - `seconds`: everything ends after about so many, with what is known by then. So does Ctrl-C.
    - `beyond`: strings longer than `longest`, up to so many symbols, are drawn by `seed` and
      measured: `each` of every kind and length.
    - `floats`: types in which a construction or a network is run too, to see what rounding changes.
    - `check`: without it no second solver confirms a proof, which then does not count as one.
    - `progress`: shows a bar.
    - `promise`: a DFA or a regular expression; of a network only the strings that it accepts are
      decided.
    - `reading`: options of `Exact` (`attention`, `eps`, `log_n`), for a construction that does not
      say how it is read.

    ValueError or TypeError for a model or a language that is none of these, for a text that is
    both a formula and a regular expression, and for other symbols.

    >>> from lib.constructions import first
    >>> print(judge(first(), "1(0|1)*", longest=4).kind)
    proved for every length
    >>> print(judge(lambda w: "11" in w, "(0|1)*1", alphabet="01"))
    wrong: '1' is rejected, but is in (0|1)*1
    every shorter string is decided correctly
    """
    deadline = Deadline(seconds)
    comparison = Comparison(model, language, alphabet, name, reading)
    if longest is None:
        longest = LONGEST if promise is not None else comparison.affordable()
    if floats and not (comparison.is_read or comparison.is_network):
        raise TypeError(f"{', '.join(floats)}: a construction or a network alone is run in floats")
    if promise is not None and not comparison.is_network:
        raise TypeError(f"a promise is kept by networks alone, not by {shown(model)}")
    has_examples = isinstance(language, Mapping)
    for option, given in (("promise", promise), ("beyond", beyond), ("floats", floats or None)):
        other = "examples" if has_examples else "a promise"
        is_both = promise is not None and option == "beyond"
        if given is not None and (has_examples or is_both):
            raise TypeError(f"{option} is not expected beside {other}, which say what is asked")
    if beyond is not None:
        comparison.hold_beyond(longest, beyond)
    if isinstance(language, Mapping):
        return comparison.on_examples(language, deadline)
    # Half of the time is left for a proof, where one may be looked for.
    share = seconds if seconds is None or comparison.is_network else seconds / 2
    verdict = comparison.on_strings(longest, floats, share, progress, promise)
    verdict = replace(verdict, notes=verdict.notes + comparison.assumed)
    if verdict.counterexample is None and promise is None:
        verdict = comparison.at_every_length(verdict, deadline, check, progress)
    if beyond is None or verdict.is_interrupted:
        return verdict
    missed: list[int] = []

    def is_over(length: int) -> bool:
        missed.extend([length] * (deadline.left <= 0))
        return bool(missed)

    kinds = longest + 1, beyond, each, seed
    try:
        drawn = comparison.language.sampled(comparison.accepts, *kinds, is_over)
    except KeyboardInterrupt:
        return replace(verdict, notes=(*verdict.notes, "drawing longer strings was interrupted"))
    wrong = [w for words in drawn.wrong.values() for w in words]
    if verdict.kind == PROVED and wrong:
        # Either the language is not its definition, which this says, or the proof is false.
        comparison.hold_definition(wrong)
        raise RuntimeError(f"a prover of this library errs: {wrong[0]!r} refutes {verdict}")
    if missed:
        note = f"the seconds were over before strings of {missed[0]} symbols were drawn"
        verdict = replace(verdict, notes=(*verdict.notes, note))
    return replace(verdict, measured=drawn if drawn.strings else None)


class Comparison:
    """A model and what it is held against. `language` says of every string whether it is meant, and
    `description` says the same to a prover; it is None where nothing does.
    """

    def __init__(
        self,
        model: Any,
        meant: Meant | None,
        alphabet: Sequence[str] | None,
        name: str | None,
        reading: Mapping[str, Any],
    ):
        self.meant: Any = meant
        self.is_network = _is_network(model)
        self.assumed: tuple[str, ...] = (model.assumed,) if self.is_network else ()
        self.symbols = checked_alphabet(_symbols(model, meant) if alphabet is None else alphabet)
        own = getattr(model, "alphabet", self.symbols)
        if sorted(own) != sorted(self.symbols):
            raise ValueError(
                f"the model's own symbols, {', '.join(own)}, are expected, not "
                f"{', '.join(self.symbols)}"
            )
        self.model: Any = read_formula(model, self.symbols) if isinstance(model, str) else model
        self.is_read = isinstance(self.model, Construction | Compiled)
        if isinstance(self.model, Construction) and self.model.longer:
            self.assumed = (f"no string holds the tokens {', '.join(self.model.longer)}",)
        for option in reading:
            if option not in READING or not self.is_read:
                raise TypeError(
                    f"{option}: no such argument; {', '.join(sorted(READING))} say how a "
                    "construction is read"
                )
        if isinstance(self.model, Construction) and reading:
            self.model = replace(self.model, reading=read_with(self.model, **reading))
        elif isinstance(self.model, Compiled):
            read_with(self.model.construction, **reading)  # refuses what contradicts it
        is_function = callable(model) and not isinstance(model, type)
        if not (self.is_network or self.is_read or is_function or isinstance(self.model, Formula)):
            raise TypeError(f"{MODELS} is expected, not {shown(model)}")
        compiled = self.model if isinstance(self.model, Compiled) else None
        # A union of kinds, each with a prover of its own: the branches below tell them apart.
        self.description: Any = (
            compiled.formula if compiled and meant is None else self._description()
        )
        language = compiled.language if compiled and meant is None else self._language()
        title = FORMULAS if compiled and meant is None else language.name
        self.language = replace(language, name=name or title)
        if self.has_definition:
            short = chain.from_iterable(map(self.language.all_strings, range(HELD)))
            self.hold_definition(islice(short, HELD))

    @property
    def has_definition(self) -> bool:
        """Whether the language is a function, and what a prover reads is its definition."""
        return isinstance(self.meant, Language) and self.description is not None

    def hold_definition(self, words: Iterable[str]) -> None:
        """ValueError where a language's function and its definition part on one of the strings."""
        if not self.has_definition:
            return
        defined = recogniser(self.description, self.symbols)
        for w in words:
            if defined(w) != self.language.contains(w):
                raise ValueError(
                    f"{self.language.name} and its definition {self.meant.definition} part on {w!r}"
                )

    def hold_beyond(self, longest: int, beyond: int) -> None:
        """ValueError where no longer strings can be drawn."""
        if beyond <= longest:
            raise ValueError(f"beyond must be above longest, {longest}, not {beyond}")
        if self.is_network and beyond > self.model.longest:
            raise ValueError(
                f"beyond must be at most {self.model.longest}, for which there are positions and "
                f"padding, not {beyond}"
            )

    def affordable(self) -> int:
        """The length up to which there are at most `STRINGS` strings, and at most `LONGEST`."""
        numbers = (len(self.symbols) ** n for n in range(LONGEST + 1))
        return sum(total <= STRINGS for total in accumulate(numbers)) - 1

    def _description(self) -> Description | None:
        """What a prover reads."""
        text = self.meant
        if isinstance(text, Language):
            text = text.over(self.symbols).definition
        if isinstance(text, str):
            return described(text, self.symbols)
        return text if isinstance(text, Description) else None

    def _language(self) -> Language:
        """What says of each string whether it is meant."""
        meant = self.meant
        if isinstance(meant, Language):
            return meant
        if isinstance(meant, Mapping):
            for w, belongs in meant.items():
                text(w, "an example")
                flag(belongs, f"what an example says of {w!r}")
            return Language("what the examples accept", lambda w: bool(meant[w]), self.symbols)
        if isinstance(self.description, Poly):
            poly = self.description

            def is_above(w: str) -> bool:
                return Fact(poly, ">").holds({f"#{a}": w.count(a) for a in self.symbols})

            return Language(f"{poly} > 0", is_above, self.symbols)
        if self.description is not None:
            accepts = recogniser(self.description, self.symbols)
            return Language(_title(meant), accepts, self.symbols)
        if callable(meant) and not isinstance(meant, type):
            return Language("what the function accepts", self.meant, self.symbols)
        raise TypeError(f"{LANGUAGES} is expected, not {shown(meant)}")

    def accepts(self, words: Sequence[str]) -> list[bool | None]:
        """What the model does with each string; None where no precision tells."""
        if self.is_network:
            from lib.trained.sample import accepted

            return accepted(self.model, words)
        if isinstance(self.model, Formula):
            return [holds(self.model, w) for w in words]
        if self.is_read:
            return Exact(self.model).accepts([*words])
        return [self.model(w) for w in words]

    # ---- strings ----

    def on_examples(self, examples: Mapping[str, bool], deadline: Deadline) -> Verdict:
        """Decides some strings alone, the shortest first."""
        asked = sorted(examples, key=lambda w: (len(w), w))
        known, notes, name = 0, self.assumed, self.language.name
        try:
            while known < len(asked):
                deadline.look()
                words = asked[known : known + AT_ONCE]
                answers = self.accepts(words)
                for w in self.language.errors(words, answers)[:1]:
                    answer = None if (found := answers[words.index(w)]) is None else bool(found)
                    kind, place = UNDECIDED if answer is None else WRONG, asked.index(w) + 1
                    said = {"name": name, "chosen": True, "notes": notes}
                    return Verdict(kind, len(w), place, w, answer, **said)
                known += len(words)
        except KeyboardInterrupt:
            notes += (INTERRUPTED,)
        except OutOfTime:
            left = len(asked) - known
            notes += (f"the seconds were over before {left:,} of the examples were decided",)
        kind, longest = EACH_STRING if known else UNKNOWN, max(map(len, asked[:known]), default=0)
        return Verdict(kind, longest, known, name=name, chosen=True, notes=notes)

    def on_strings(
        self,
        longest: int,
        floats: Sequence[str],
        seconds: float | None,
        progress: bool,
        promise: DFA | str | None = None,
    ) -> Verdict:
        """Decides every string up to a length, of those that are promised."""
        if self.is_network:
            from lib.trained.audit import audit
            from lib.trained.network import Classes

            is_automaton = isinstance(self.description, DFA) and not self.has_definition
            meant = self.description if is_automaton else self.language
            meant = self.meant if isinstance(self.model.decides, Classes) else meant
            verdict = audit(self.model, meant, longest, floats, seconds, progress, promise)
            return replace(verdict, name=self.language.name)
        if not self.is_read:
            return held_against(self.language, self.accepts, longest, seconds, progress)
        reader = Exact(self.model)
        verdict = swept(self.language, reader.decided, longest, seconds, progress)
        if verdict.counterexample is not None:
            return replace(verdict, logit=reader.decide(verdict.counterexample).s)
        try:
            return replace(verdict, rounding=dict(self._rounded(verdict.longest, floats)))
        except ArithmeticError as error:
            return replace(verdict, notes=(*verdict.notes, f"floats: {error}"))
        except KeyboardInterrupt:
            return replace(verdict, notes=(*verdict.notes, INTERRUPTED))

    def _rounded(
        self, longest: int, floats: Sequence[str]
    ) -> Iterator[tuple[str, tuple[int, str | None]]]:
        """For each type of floats how many strings it decides otherwise, and the first of them."""
        for name in floats:
            import torch

            from lib.transformer.encoder import Encoder

            encoder = Encoder(self.model, getattr(torch, name))
            changed: list[str] = []
            for length in range(longest + 1):
                words = [*self.language.all_strings(length)]
                changed += self.language.errors(words, encoder.accepts(words).tolist())
            yield name, (len(changed), changed[0] if changed else None)

    # ---- every length ----

    def at_every_length(
        self, verdict: Verdict, deadline: Deadline, check: bool, progress: bool
    ) -> Verdict:
        """The verdict with what is proved beyond these strings, or with why nothing is."""
        if self.is_network and verdict.kind == EACH_STRING and not verdict.is_interrupted:
            return self._by_counts(verdict, deadline)
        can_be_proved = self.is_read or isinstance(self.model, Formula)
        if verdict.kind != EACH_STRING or verdict.is_interrupted or not can_be_proved:
            return verdict
        if self.description is None:
            return replace(verdict, unproved=UNREADABLE.format(self.language.name))

        def equal(formula: Formula, other: Specification) -> Answer:
            """Within what is left of the time."""
            left, options = deadline.remaining, {"check": check, "progress": progress}
            return proved_equal(formula, other, self.symbols, seconds=left, **options)

        try:
            if isinstance(self.model, Construction):
                return self._by_rows(verdict, equal, deadline, check)
            return self._by_formula(verdict, equal)
        except OutOfTime:
            return replace(verdict, unproved="the seconds are over")
        # Outside of the class that a prover reads, a position without a value, or no solver.
        except (ArithmeticError, ImportError, ValueError) as error:
            return replace(verdict, unproved=str(error))
        except KeyboardInterrupt:
            return replace(verdict, unproved="the proof was interrupted")

    def _by_formula(self, verdict: Verdict, equal: Equal) -> Verdict:
        """A formula, or what was compiled from one, and the description."""
        theorem: tuple[str, ...] = ()
        formula = self.model
        if isinstance(formula, Compiled):
            if not formula.is_exact:
                return replace(verdict, unproved=f"{THEOREM} does not cover its base and slope")
            theorem, formula = (THEOREM,), formula.formula
        if self.meant is None:
            return replace(verdict, kind=PROVED, proof=theorem)
        answer = equal(formula, self.description)
        if answer.kind == WRONG:
            return self._wrong(verdict, answer.counterexample or "", (*theorem, answer.how))
        if answer.kind == PROVED:
            proof = (*theorem, f"equal to {self.language.name} ({answer.how})")
            return self._by_definition(replace(verdict, kind=PROVED, proof=proof))
        return replace(verdict, unproved=str(answer))

    def _by_counts(self, verdict: Verdict, deadline: Deadline) -> Verdict:
        """A trained network and a formula about numbers of symbols."""
        from lib.trained.counts import every_length

        network = self.model.network
        if network.positions is not None or network.rotary is not None:
            return verdict
        if not isinstance(self.description, Formula):
            return replace(verdict, unproved=f"{self.language.name} is given by no formula")
        try:
            found = every_length(self.model, self.description, seconds=deadline.remaining)
            self.hold_definition([found.counterexample or ""])
        except ValueError as error:
            return replace(verdict, unproved=str(error))
        right = f"every string of up to {found.reach:,} symbols is decided correctly"
        if found.kind == PROVED:
            proof = f"by {found.cells:,} cells of shares and {found.asked:,} counts of symbols"
            return self._by_definition(replace(verdict, kind=PROVED, proof=(proof,)))
        if found.counterexample is None:
            return replace(verdict, unproved=f"{right}, and {found.reason}")
        w = found.counterexample
        accepted = not self.language.contains(w)
        notes = verdict.notes
        if found.always is not None:
            notes += (f"at least one string of each length from {found.always:,} on is wrong",)
        return replace(
            verdict, kind=WRONG, counterexample=w, accepted=accepted, proof=(right,), notes=notes
        )

    def _by_rows(self, verdict: Verdict, equal: Equal, deadline: Deadline, check: bool) -> Verdict:
        """A construction that no formula made, and the description."""
        construction = self.model
        attention = read_with(construction).attention
        kinds = construction.attentions(attention)
        if len(kinds) == 1 and kinds <= {*UNIQUE}:
            [ties] = kinds
            if isinstance(self.description, DFA):
                found = proved_regular(construction, self.description, ties, deadline)
                return self._proved(verdict, found, check)
            answer = equal(self.description, automaton(construction, ties, deadline))
            claim = f"{construction.name}, as an automaton, accepts {self.language.name}"
            found = Proof(answer.kind, claim, answer.how, (), answer.counterexample)
            return self._proved(verdict, found, check)
        condition, reason = self._condition(equal)
        found = proved_by_kinds(construction, condition, attention, deadline.remaining)
        return self._proved(verdict, found, check, reason)

    def _proved(
        self, verdict: Verdict, found: Proof, check: bool, reason: tuple[str, ...] = ()
    ) -> Verdict:
        """The verdict with what a proof from the rows found."""
        w = found.counterexample
        if found.kind == PROVED and not check:
            return replace(verdict, unproved=f"{UNCHECKED}: {found.claim} ({found.solver})")
        if found.kind == PROVED:
            proof = (f"{found.claim} ({found.solver})", *reason)
            return self._by_definition(replace(verdict, kind=PROVED, proof=proof))
        if found.kind != WRONG or w is None:
            return replace(verdict, unproved=f"{found.kind}: {found.solver}")
        [accepted] = self.accepts([w])
        if accepted is not None and accepted != self.language.contains(w):
            return self._wrong(verdict, w, (found.solver,))
        self.hold_definition([w])
        if accepted is None or found.weight is None:
            return replace(verdict, unproved=f"{w!r} is not decided")
        # A proof by kinds is for every weight of attention above 1, not for its own alone.
        weight = f"if attention weighs {found.weight} instead of its own weight"
        return replace(verdict, unproved=f"{w!r} is decided incorrectly {weight}")

    def _by_definition(self, verdict: Verdict) -> Verdict:
        """The verdict, which says so where it is about the definition of a language."""
        if not self.has_definition:
            return verdict
        definition = f"{self.language.name} is taken as its definition, {self.meant.definition}"
        return replace(verdict, proof=(*verdict.proof, definition))

    def _wrong(self, verdict: Verdict, w: str, proof: tuple[str, ...]) -> Verdict:
        """A counterexample that a prover found beyond the strings that were decided."""
        self.hold_definition([w])
        [accepted] = self.accepts([w])
        logit = Exact(self.model).decide(w).s if self.is_read else None
        return replace(
            verdict, kind=WRONG, counterexample=w, accepted=accepted, logit=logit, proof=proof
        )

    def _condition(self, equal: Equal) -> tuple[Formula | DFA | Poly, tuple[str, ...]]:
        """The description as a condition on numbers of symbols and on fixed positions, and what
        proves that it is the same; ValueError where none is found.
        """
        meant = self.description
        if isinstance(meant, Formula | Poly) or (
            isinstance(meant, DFA) and is_commutative(meant, self.symbols)
        ):
            return meant, ()
        known = [one.formula for one in LIBRARY if {*one.alphabet} == {*self.symbols}]
        known += by_beginning(meant, self.symbols) if isinstance(meant, DFA) else []
        for formula in known:
            answer = equal(formula, meant)
            if answer.kind == UNCHECKED:
                raise ValueError(f"{UNCHECKED}: equal to {self.language.name} ({answer.how})")
            if answer.kind == PROVED:
                return formula, (f"equal to {self.language.name} ({answer.how})",)
        raise ValueError(
            f"no condition on numbers of symbols and on fixed positions is known for "
            f"{self.language.name}: give it as a formula"
        )


def described(text: str, symbols: Sequence[str]) -> Formula | DFA:
    """What a text describes: a formula, or the DFA of a regular expression. ValueError for one that
    is neither, or both.
    """
    found: list[Formula | DFA] = []
    errors: list[str] = []
    for read in (read_formula, regular):
        try:
            found.append(read(text, symbols))
        except FormulaError as error:
            errors.append(str(error))
    if len(found) == 2:
        raise FormulaError(
            f"{text!r} is a formula and a regular expression over {', '.join(symbols)}: say which, "
            "by formula(...) or regular(...)"
        )
    if not found:
        # Whoever writes a word of formulas, or of other logics, or a comparison means a formula.
        is_formula = any(sign in text for sign in (*NAMES, *SAID, "==", "<", ">"))
        raise FormulaError(errors[0] if is_formula else errors[1])
    return found[0]


def by_beginning(dfa: DFA, symbols: Sequence[str]) -> list[Formula]:
    """The formula of a language that the first symbols decide, if the DFA has such a one."""
    whole = dfa.minify().to_complete()

    def is_settled(w: str) -> bool:
        state = reduce(lambda q, a: whole.transitions[q][a], w, whole.initial_state)
        return set(whole.transitions[state].values()) == {state}

    for length in range(1, PREFIX + 1):
        words = [*map("".join, product(symbols, repeat=length))]
        if all(map(is_settled, words)):
            shorter = [
                And((position == n, *begins("".join(w))))
                for n in range(length)
                for w in product(symbols, repeat=n)
                if whole.accepts_input("".join(w))
            ]
            return [Or((*shorter, *(And(begins(w)) for w in words if whole.accepts_input(w))))]
    return []


def begins(w: str) -> tuple[Formula, ...]:
    """What holds of the strings that begin with w: a formula for each symbol."""
    return tuple(count(Q(a) & (position == i)) == 1 for i, a in enumerate(w, start=1))


def _title(meant: Any) -> str:
    """What a description is called."""
    if isinstance(meant, DFA):
        return f"the language of a DFA of {len(meant.states)} states"
    if isinstance(meant, Counters):
        return f"the language of a machine with counters {', '.join(meant.registers)}"
    return FORMULAS if len(str(meant)) > TITLE else str(meant)


def _symbols(model: Any, meant: Any) -> Sequence[str]:
    """The symbols that the model or the language says."""
    for one in (model, meant):
        if isinstance(one, DFA):
            return sorted(map(str, one.input_symbols))
        if isinstance(one, Mapping):
            return sorted(set("".join(map(str, one))))
        if known := getattr(one, "alphabet", None):
            return known
    raise ValueError(
        f"alphabet is expected, as neither {shown(model)} nor {shown(meant)} says which symbols "
        "there are"
    )


def _is_network(model: Any) -> bool:
    """Whether it is a `Judged`; TypeError for a network alone. No other model loads torch."""
    if sys.modules.get("torch") is None:
        return False
    from torch.nn import Module

    from lib.trained.network import Judged, TrainedNetwork

    if isinstance(model, Module | TrainedNetwork):
        raise TypeError(
            "a network is judged with its symbols' tokens and what decides, as in Judged(network, "
            "{'0': 0, '1': 1}, Positive()) of lib.trained, where from_module and others read a "
            f"module: not as a {type(model).__name__} alone"
        )
    return isinstance(model, Judged)


# ---- the command line ----


class Once(Action):
    """Keeps an option's value; argparse would replace the first by the second without a word."""

    is_given = False

    def __call__(self, parser, namespace, values, option_string=None) -> None:
        if self.is_given:
            parser.error(f"{option_string} is expected once")
        self.is_given = True
        setattr(namespace, self.dest, values)


def parsed() -> Namespace:
    """The arguments of `python -m lib.judging`."""
    parser = ArgumentParser(prog="python -m lib.judging", description="Judge a transformer.")
    parser.register("action", None, Once)
    add = parser.add_argument
    add("file", type=Path, help="a construction (.json), weights (.safetensors, .pt) or a folder")
    add("--language", required=True, action="append", help=SAYS)
    add("--longest", type=int, help="decide every string up to so many symbols")
    add("--promise", help="a regular expression: decide its strings alone, of a network")
    add("--seconds", type=float, help="end after about so many")
    add("--beyond", type=int, help="measure longer strings, up to so many symbols")
    add("--floats", nargs="*", default=(), help="say what rounding changes in these types")
    weights = parser.add_argument_group("for weights")
    add = weights.add_argument
    add("--reader", choices=READERS, help="who named the weights")
    add("--read", nargs="*", default=(), metavar="NAME=VALUE", help=READ)
    add("--tokens", nargs="*", metavar="SYMBOL=NUMBER", help="the token of each symbol")
    add("--before", nargs="*", type=int, default=(), help="tokens before a string")
    add("--after", nargs="*", type=int, default=(), help="tokens after it")
    add("--read-at", help="first, last, if it is not said, mean, or the number of a token")
    add("--accepts", type=int, help="the output that accepts where it is above")
    add("--above", nargs="+", help="zero, others (all other outputs), or the numbers of some")
    return parser.parse_args()


def loaded(asked: Namespace, options: Mapping[str, Any]) -> Any:
    """The model in the file that the arguments name; weights are read with the options. ValueError
    for an argument that is not for such a file.
    """
    is_folder, is_weights = asked.file.is_dir(), asked.file.suffix != ".json"
    has_classes, itself = len(asked.language) > 1, f"{asked.file} says that itself"
    stray = {} if is_weights else dict.fromkeys(OF_WEIGHTS, itself)
    stray |= dict.fromkeys(("reader", "read"), itself) if is_folder else {}
    stray |= dict.fromkeys(("accepts", "above"), "several languages say it") if has_classes else {}
    for name, reason in stray.items():
        if getattr(asked, name) not in (None, ()):
            raise ValueError(f"--{name.replace('_', '-')} is not expected: {reason}")
    if not is_weights:
        if has_classes:
            raise ValueError("one language is expected: a construction has one output")
        return from_json(asked.file.read_text(encoding="utf-8"))
    from lib import trained

    if not asked.file.exists():
        raise FileNotFoundError(f"a file or a folder is expected, and {asked.file} is none")
    needed = [name for name in NEEDED if name not in stray]
    if missing := [name for name in needed if getattr(asked, name) is None]:
        raise ValueError(f"weights are judged with --{', --'.join(missing)}")
    network = trained.from_folder(asked.file) if is_folder else _read(asked, options)
    tokens = {symbol: int(number) for symbol, number in _pairs(asked.tokens).items()}
    decides = trained.Classes() if has_classes else trained.Positive(asked.accepts)
    if not has_classes and asked.above != ["zero"]:
        others = None if asked.above == ["others"] else tuple(map(int, asked.above))
        decides = trained.Largest(asked.accepts, others)
    around: dict[str, Any] = {"before": tuple(asked.before), "after": tuple(asked.after)}
    read_at = _value(asked.read_at or "last")
    return trained.Judged(network, tokens, decides, read_at=read_at, **around)


def _read(asked: Namespace, options: Mapping[str, Any]) -> Any:
    """The network in a file; ValueError that names what its reader asks for and is not given."""
    from lib import trained

    reader = getattr(trained, f"from_{asked.reader}")
    known, given = signature(reader).parameters, {*options, "state"}
    missing = [name for name, one in known.items() if one.default is one.empty]
    if missing := [f"{name}=..." for name in missing if name not in given]:
        needed = " ".join(missing)
        raise ValueError(f"the reader of {asked.reader} asks for --read {needed}, None being null")
    return reader(trained.weights(asked.file), **options)


def in_one(languages: Sequence[Language | str], symbols: Sequence[str]) -> Callable[[str], int]:
    """Gives the number of the one language that a string is in; ValueError for none or more."""
    known = [Comparison(lambda w: None, one, symbols, None, {}).language for one in languages]

    def number(w: str) -> int:
        found = [k for k, language in enumerate(known) if w in language]
        if len(found) != 1:
            which = " and ".join(known[k].name for k in found) or "none"
            raise ValueError(f"{w!r} is expected to be in one of the languages, not in {which}")
        return found[0]

    return number


def _pairs(given: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE, taken apart at the first = that is not a name itself."""
    pairs = {}
    for one in given:
        name, _, value = one[1:].partition("=")
        if not value:
            raise ValueError(f"NAME=VALUE is expected, not {one!r}")
        if one[0] + name in pairs:
            raise ValueError(f"{one[0] + name!r} is expected once, not again as {one!r}")
        pairs[one[0] + name] = value
    return pairs


def _value(text: str) -> Any:
    """A value as YAML writes it, but for numbers: they are decimal, 010 and 1e-5 too."""
    try:
        value = yaml.load(text, yaml.BaseLoader)
    except yaml.YAMLError as error:
        raise ValueError(f"a value is expected, not {text!r}") from error
    if not isinstance(value, str) or value in VALUES:
        return VALUES[value] if isinstance(value, str) else value
    for kind in (int, float):
        with suppress(ValueError):
            return kind(value)
    return value


def main() -> None:
    """Judges the file that the arguments name. An error is one line and exit status 2; status 1
    says that a string, a drawn one too, is decided incorrectly or not at all, or that none was.
    """
    asked = parsed()
    named = {one.name: one for one in vars(languages).values() if isinstance(one, Language)}
    try:
        options = {name: _value(text) for name, text in _pairs(asked.read).items()}
        model: Any = loaded(asked, options)
        known: list[Any] = [named.get(one, one) for one in asked.language]
        meant: Any = in_one(known, model.alphabet) if known[1:] else known[0]
        verdict = judge(
            model,
            meant,
            asked.longest,
            promise=asked.promise,
            seconds=asked.seconds,
            beyond=asked.beyond,
            floats=asked.floats,
            **(options if asked.file.suffix == ".json" else {}),
        )
    except (ArithmeticError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        said = f"{type(error).__name__}: {error}".replace("\n", " ")
        for one in {*asked.language} - {*named} if isinstance(error, FormulaError) else ():
            near = get_close_matches(one.upper(), map(str.upper, named), 1)
            alike = [name for name in named if name.upper() in near]
            said += f"; is {alike[0]} meant, of {', '.join(named)}?" if alike else ""
        print(said, file=sys.stderr)
        sys.exit(2)
    print(verdict)
    errors = [*x.wrong.values(), *x.undecided.values()] if (x := verdict.measured) else []
    sys.exit(verdict.counterexample is not None or verdict.kind == UNKNOWN or any(errors))


if __name__ == "__main__":
    main()
