"""A model beside a language: what can be asked of the two, for `judge`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import accumulate, chain, islice, product, takewhile
from typing import Any

from automata.fa.dfa import DFA

from lib import verdicts
from lib.checks import flag, shown, text
from lib.formulas import syntax
from lib.formulas.compilation import Compiled
from lib.formulas.mends import SAID
from lib.formulas.stated import LIBRARY
from lib.formulas.syntax import And, Formula, FormulaError, Or, Q, checked_alphabet, count, position
from lib.formulas.text import NAMES
from lib.formulas.text import formula as read_formula
from lib.languages import Language
from lib.proofs.constructions import Proof, is_commutative, proved_by_kinds, proved_regular
from lib.proofs.equal import Specification, proved_equal, recognizer, regular
from lib.proofs.limits import Deadline, OutOfTime
from lib.proofs.machine import Counters
from lib.proofs.rational import Poly
from lib.proofs.search import Answer
from lib.proofs.unique import automaton
from lib.transformer.construction import Construction, read_with
from lib.transformer.exact import UNIQUE, Exact
from lib.verdicts import EACH_STRING, PROVED, UNCHECKED, UNDECIDED, UNKNOWN, WRONG, Verdict, swept

THEOREM = "the compiler's theorem"
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
        deadline: Deadline | None = None,
    ):
        self.meant: Any = meant
        self.deadline = deadline or Deadline()
        self.is_network = _is_network(model)
        if self.is_network and model.beside is not None:  # which is asked for this verdict alone
            model = replace(model, beside=replace(model.beside, asked={}))
        self.symbols = checked_alphabet(_symbols(model, meant) if alphabet is None else alphabet)
        own = getattr(model, "alphabet", self.symbols)
        if sorted(own) != sorted(self.symbols):
            raise ValueError(
                f"the model's own symbols, {', '.join(own)}, are expected, not "
                f"{', '.join(self.symbols)}"
            )
        self.model: Any = read_formula(model, self.symbols) if isinstance(model, str) else model
        self.is_read = isinstance(self.model, Construction | Compiled)
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
        self.can_be_proved = self.is_read or isinstance(self.model, Formula)
        is_open = self.is_network or self.can_be_proved
        if not is_open and (not callable(model) or isinstance(model, type)):
            raise TypeError(f"{MODELS} is expected, not {shown(model)}")
        self.right = EACH_STRING if is_open else verdicts.ANSWERED  # of right decisions
        own = self.model if isinstance(self.model, Compiled) and meant is None else None
        # A union of kinds, each with a prover of its own: the branches below tell them apart.
        self.description: Any = own.formula if own else self._description()
        language = replace(own.language, name=FORMULAS) if own else self._language()
        self.language = replace(language, name=name or language.name)
        short = islice(chain.from_iterable(map(self.language.all_strings, range(HELD))), HELD)
        self.hold_definition(takewhile(lambda w: self.deadline.left > 0, short))

    @property
    def assumed(self) -> tuple[str, ...]:
        """What the verdict rests on, after all strings were asked."""
        longer = getattr(self.model, "longer", ())
        known = (f"no string holds the tokens {', '.join(longer)}",) if longer else ()
        return self.model.assumed if self.is_network else known

    @property
    def has_definition(self) -> bool:
        """Whether the language is a function, and what a prover reads is its definition."""
        return isinstance(self.meant, Language) and self.description is not None

    def hold_definition(self, words: Iterable[str]) -> None:
        """ValueError where a language's function and its definition part on one of the strings."""
        if not self.has_definition:
            return
        said, defined = self.meant, recognizer(self.description, self.symbols)
        for w in words:
            if defined(w) != said.contains(w):
                raise ValueError(f"{said.name} and its definition {said.definition} part on {w!r}")

    def held(self, **given: Any) -> int:
        """The length that is meant; TypeError or ValueError for options that nothing here reads."""
        given = {option: value for option, value in given.items() if value is not None}
        numbers = accumulate(len(self.symbols) ** n for n in range(LONGEST + 1))
        few = sum(total <= STRINGS or "promise" in given for total in numbers) - 1
        longest = given.get("longest", few)
        is_proved = self.can_be_proved and self.meant is not None and self.description is not None
        reads = {
            "floats": self.is_read or self.is_network,
            "promise": self.is_network,
            "beyond": "promise" not in given,
            "check": is_proved and getattr(self.model, "is_exact", True),
            **dict.fromkeys(("each", "seed"), "beyond" in given),
            **dict.fromkeys(given if isinstance(self.meant, Mapping) else (), False),
        }
        if unread := [option for option in given if not reads.get(option, True)]:
            raise TypeError(
                f"{unread[0]}={shown(given[unread[0]])} is not expected: nothing reads it"
            )
        if (beyond := given.get("beyond")) is None:
            return longest
        if beyond <= longest:
            raise ValueError(f"beyond must be above longest, {longest}, not {beyond}")
        if self.is_network:
            self.accepts([])  # raises at once where next tokens or classes are asked for
        if self.is_network and beyond > self.model.longest:
            raise ValueError(
                f"beyond must be at most {self.model.longest}, for which there are positions and "
                f"padding, not {beyond}"
            )
        return longest

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
        if self.description is not None:
            return Language(_title(meant), recognizer(self.description, self.symbols), self.symbols)
        if callable(meant) and not isinstance(meant, type):
            return Language("what the function accepts", self.meant, self.symbols)
        raise TypeError(f"{LANGUAGES} is expected, not {shown(meant)}")

    def accepts(self, words: Sequence[str]) -> list[bool | None]:
        """What the model does with each string; None where no precision tells."""
        if self.is_network:
            from lib.trained.sample import accepted

            return accepted(self.model, words)
        if isinstance(self.model, Formula):
            return [syntax.holds(self.model, w) for w in words]
        if self.is_read:
            return Exact(self.model).accepts([*words])
        return [self.model(w) for w in words]

    # ---- strings ----

    def on_examples(self, examples: Mapping[str, bool]) -> Verdict:
        """Decides some strings alone, the shortest first."""
        asked = sorted(examples, key=lambda w: (len(w), w))
        known, notes, name = 0, tuple[str, ...](), self.language.name
        try:
            while known < len(asked):
                self.deadline.look()
                words = asked[known : known + AT_ONCE]
                answers = self.accepts(words)
                for w in self.language.errors(words, answers)[:1]:
                    answer = None if (found := answers[words.index(w)]) is None else bool(found)
                    kind, place = UNDECIDED if answer is None else WRONG, asked.index(w) + 1
                    return Verdict(kind, len(w), place, w, answer, name=name, chosen=True)
                known += len(words)
        except KeyboardInterrupt:
            notes += (verdicts.INTERRUPTED,)
        except OutOfTime:
            left = len(asked) - known
            notes += (f"the seconds were over before {left:,} of the examples were decided",)
        kind, longest = self.right if known else UNKNOWN, max(map(len, asked[:known]), default=0)
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
            answers = (lambda words: (self.accepts(words), None), longest, seconds, progress)
            verdict = swept(self.language, *answers)
            return replace(verdict, kind=self.right) if verdict.kind == EACH_STRING else verdict
        reader = Exact(self.model)
        verdict = swept(self.language, reader.decided, longest, seconds, progress)
        if verdict.counterexample is not None:
            return replace(verdict, logit=reader.finer(verdict.counterexample).s)
        try:
            return replace(verdict, rounding=dict(self._rounded(verdict.longest, floats)))
        except (ArithmeticError, ValueError) as error:
            return replace(verdict, notes=(*verdict.notes, f"floats: {error}"))
        except KeyboardInterrupt:
            return replace(verdict, notes=(*verdict.notes, verdicts.INTERRUPTED))

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

    def on_longer(self, verdict: Verdict, kinds: tuple[int, int, int, int]) -> Verdict:
        """The verdict with what is measured of longer strings, drawn as `Language.sampled` says."""
        missed: list[int] = []

        def is_over(length: int) -> bool:
            missed.extend([length] * (self.deadline.left <= 0))
            return bool(missed)

        try:
            drawn = self.language.sampled(self.accepts, *kinds, is_over)
        except KeyboardInterrupt:
            return replace(verdict, notes=(*verdict.notes, "drawing strings was interrupted"))
        wrong = [w for words in drawn.wrong.values() for w in words]
        if verdict.kind == PROVED and wrong:
            # Either the language is not its definition, which this says, or the proof is false.
            self.hold_definition(wrong)
            raise RuntimeError(f"a prover of this library errs: {wrong[0]!r} refutes {verdict}")
        if missed:
            note = f"the seconds were over before strings of {missed[0]} symbols were drawn"
            verdict = replace(verdict, notes=(*verdict.notes, note))
        return replace(verdict, measured=drawn if drawn.strings else None)

    # ---- every length ----

    def at_every_length(self, verdict: Verdict, check: bool, progress: bool) -> Verdict:
        """The verdict with what is proved beyond these strings, or with why nothing is."""
        if self.is_network and verdict.kind == EACH_STRING and not verdict.is_interrupted:
            return self._by_counts(verdict)
        if verdict.kind != EACH_STRING or verdict.is_interrupted or not self.can_be_proved:
            return verdict
        if self.description is None:
            return replace(verdict, unproved=UNREADABLE.format(self.language.name))

        def equal(formula: Formula, other: Specification) -> Answer:
            """Within what is left of the time."""
            left, options = self.deadline.remaining, {"check": check, "progress": progress}
            return proved_equal(formula, other, self.symbols, seconds=left, **options)

        try:
            if isinstance(self.model, Construction):
                return self._by_rows(verdict, equal, check)
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
            equality = f"equal to {self.language.name} ({answer.how})"
            return self._proved_by(verdict, *theorem, equality)
        return replace(verdict, unproved=str(answer))

    def _by_counts(self, verdict: Verdict) -> Verdict:
        """A trained network and a formula about numbers of symbols."""
        from lib.formulas.counts import Counted
        from lib.trained.counts import every_length, readings

        network = self.model.network
        if network.positions is not None or network.rotary is not None:
            return verdict
        if not isinstance(self.description, Formula):
            return replace(verdict, unproved=f"{self.language.name} is given by no formula")
        try:
            Counted(self.description, self.symbols)
            readings(self.model)
        except ValueError as error:
            return replace(verdict, unproved=str(error))
        # Here a module's own error goes through.
        found = every_length(self.model, self.description, seconds=self.deadline.remaining)
        try:
            self.hold_definition([found.counterexample or ""])
        except ValueError as error:
            return replace(verdict, unproved=str(error))
        of = ", of the network as it was read" * (self.model.beside is not None)
        right = f"every string of up to {found.reach:,} symbols is decided correctly{of}"
        if found.kind == PROVED:
            by = f"by {found.cells:,} cells of shares and {found.asked:,} counts of symbols{of}"
            return self._proved_by(verdict, by)
        if found.counterexample is None:
            return replace(verdict, unproved=f"{right}, and {found.reason}")
        w = found.counterexample  # which, if attention is not too large, the module is asked about
        [accepted] = self.accepts([w]) if of and len(w) < 4096 else [not self.language.contains(w)]
        notes = verdict.notes
        if found.always is not None:
            notes += (f"at least one string of each length from {found.always:,} on is wrong{of}",)
        return replace(
            verdict, kind=WRONG, counterexample=w, accepted=accepted, proof=(right,), notes=notes
        )

    def _by_rows(self, verdict: Verdict, equal: Equal, check: bool) -> Verdict:
        """A construction that no formula made, and the description."""
        construction = self.model
        kinds = construction.attentions(read_with(construction).attention)
        attention, *others = sorted(kinds) or ["softmax"]  # which may be that of all heads
        if construction.reading and not others:
            own = replace(construction.reading, attention=attention)
            construction = replace(construction, reading=own)
        reason: tuple[str, ...] = ()
        if attention not in UNIQUE or others:
            condition, reason = self._condition(equal)
            found = proved_by_kinds(construction, condition, attention, self.deadline.remaining)
        elif isinstance(self.description, DFA):
            found = proved_regular(construction, self.description, attention, self.deadline)
        else:
            answer = equal(self.description, automaton(construction, attention, self.deadline))
            claim = f"{construction.name}, as an automaton, accepts {self.language.name}"
            found = Proof(answer.kind, claim, answer.how, answer.counterexample)
        w = found.counterexample
        if found.kind == PROVED and not check:
            return replace(verdict, unproved=f"{UNCHECKED}: {found.claim}")
        if found.kind == PROVED:
            return self._proved_by(verdict, f"{found.claim} ({found.solver})", *reason)
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

    def _proved_by(self, verdict: Verdict, *proof: str) -> Verdict:
        """The verdict with a proof, which says so if it is about the definition of a language."""
        if self.has_definition:
            proof += (f"{self.language.name} is taken as its definition, {self.meant.definition}",)
        return replace(verdict, kind=PROVED, proof=proof)

    def _wrong(self, verdict: Verdict, w: str, proof: tuple[str, ...]) -> Verdict:
        """A counterexample that a prover found beyond the strings that were decided."""
        self.hold_definition([w])
        [accepted] = self.accepts([w])
        logit = Exact(self.model).finer(w).s if self.is_read else None
        return replace(
            verdict, kind=WRONG, counterexample=w, accepted=accepted, logit=logit, proof=proof
        )

    def _condition(self, equal: Equal) -> tuple[Formula | DFA | Poly, tuple[str, ...]]:
        """The description as a condition on numbers of symbols and on fixed positions, and what
        proves that it is the same; ValueError where none is found.
        """
        meant = self.description
        is_dfa = isinstance(meant, DFA)
        if isinstance(meant, Formula | Poly) or (is_dfa and is_commutative(meant, self.symbols)):
            return meant, ()
        known = [one.formula for one in LIBRARY if {*one.alphabet} == {*self.symbols}]
        known += by_beginning(meant, self.symbols) if is_dfa else []
        for formula in known:
            answer = equal(formula, meant)
            if answer.kind == UNCHECKED:
                raise ValueError(f"{UNCHECKED}: equal to {self.language.name} ({answer.how})")
            if answer.kind == PROVED:
                return formula, (f"equal to {self.language.name} ({answer.how})",)
        self.deadline.look()  # of these, none may have been found for lack of time
        raise ValueError(
            f"no condition on numbers of symbols and on fixed positions is known for "
            f"{self.language.name}: give it as a formula"
        )


def described(text: str, symbols: Sequence[str]) -> Formula | DFA:
    """The formula or the DFA that a text describes; ValueError unless it is just one of these."""
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
    if isinstance(meant, Poly):
        return f"{meant} > 0"
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
