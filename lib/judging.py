"""The one door: is this transformer right, and how is that known?

`judge` takes whatever decides strings and whatever says which strings are meant. It decides every
string up to a length, then looks for a proof at every length, and one `Verdict` says what came out.

A proof is looked for as the model allows.
- A formula is held against another description by a search over both (`proofs.equal`).
- A compiled transformer decides as its formula does, by the compiler's theorem.
- A construction with unique hard attention behind masks is a finite automaton (`proofs.unique`).
- Any other construction is read by kinds of token (`proofs.constructions`).
What a prover finds counts as proved only when a second solver has confirmed it.

`python -m lib.judging FILE --language ...` is the same door on a command line.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, islice, product
from pathlib import Path
from typing import Any

import yaml
from automata.fa.dfa import DFA

from lib import languages
from lib.checks import above_zero, between, flag, many, one_of, optional, shown, takes, text
from lib.formulas.compilation import Compiled
from lib.formulas.stated import LIBRARY
from lib.formulas.syntax import And, Formula, FormulaError, Or, Q, count, holds, position
from lib.formulas.text import formula as read_formula
from lib.languages import Language
from lib.proofs.answer import Answer
from lib.proofs.constructions import Proof, is_commutative, proved_by_kinds, proved_regular
from lib.proofs.equal import Specification, proved_equal, recogniser, regular
from lib.proofs.limits import Deadline
from lib.proofs.machine import Counters
from lib.proofs.rational import Fact, Poly
from lib.proofs.unique import automaton
from lib.transformer.construction import Construction, from_json, read_with
from lib.transformer.exact import UNIQUE, Exact
from lib.verdicts import EACH_STRING, PROVED, UNDECIDED, WRONG, Verdict, held_against, swept

THEOREM = "the compiler's theorem"
READERS = ("pytorch", "gpt2", "transformer_lens")
FLOATS = ("float64", "float32", "float16", "bfloat16")
TITLE = 40  # characters of a formula that names its language
FORMULAS = "the formula's language"
HELD = 500  # strings on which a definition is held against its predicate
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

Description = Formula | DFA | Counters | Poly
Meant = Language | Description | str | Mapping[str, bool] | Callable[[str], bool]


@takes(longest=between(0, 10_000), name=optional(text), seconds=optional(above_zero))
@takes(beyond=optional(between(1)), each=between(1, 10**6), seed=between(0, 2**63))
@takes(floats=many(one_of(FLOATS)), check=flag, progress=flag)
def judge(
    model: Any,
    language: Meant | None = None,
    longest: int = 12,
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
      transformer None means its own formula. Where next tokens are judged it is a DFA.
    - `longest`: every string up to so many symbols is decided.
    - `alphabet`: the symbols, where neither model nor language says them.
    - `name`: what the verdict calls the language.
    - `seconds`: everything ends after about so many, with what is known by then. So does Ctrl-C.
    - `beyond`: strings longer than `longest`, up to so many symbols, are drawn by `seed` and
      measured: `each` of every kind and length.
    - `floats`: types in which a construction or a network is run too, to see what rounding changes.
    - `check`: without it no second solver confirms a proof, which then does not count as one.
    - `progress`: shows a bar.
    - `reading`: options of `Exact` (`attention`, `eps`, `log_n`), for a construction that does not
      say how it is read.

    ValueError or TypeError for a model or a language that is none of these, for a text that is
    both a formula and a regular expression, and for other symbols.

    >>> from lib.constructions import first
    >>> print(judge(first(), "1(0|1)*", longest=4).kind)
    proved for every length
    >>> print(judge(lambda w: "11" in w, "(0|1)*1", alphabet="01"))
    wrong: '1' is rejected, but is in (0|1)*1
    every shorter string is decided rightly
    """
    deadline = Deadline(seconds)
    question = Comparison(model, language, alphabet, name, reading)
    if isinstance(language, Mapping):
        return question.on_examples(language)
    # Half of the time is left for a proof, where one may be looked for.
    share = seconds if seconds is None or question.is_network else seconds / 2
    verdict = question.on_strings(longest, floats, share, progress)
    if verdict.counterexample is None:
        verdict = question.at_every_length(verdict, deadline, check, progress)
    if beyond is None:
        return verdict
    drawn = question.language.sampled(question.accepts, longest + 1, beyond, each, seed)
    return replace(verdict, measured=drawn)


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
        self.meant = meant
        self.symbols = tuple(alphabet or _symbols(model, meant))
        self.model: Any = read_formula(model, self.symbols) if isinstance(model, str) else model
        self.is_network = _is_network(model)
        self.is_read = isinstance(self.model, Construction | Compiled)
        if isinstance(self.model, Construction):
            self.model = replace(self.model, reading=read_with(self.model, **reading))
        elif isinstance(self.model, Compiled):
            read_with(self.model.construction, **reading)  # refuses what contradicts it
        is_function = callable(model) and not isinstance(model, type)
        if not (self.is_network or self.is_read or is_function or isinstance(self.model, Formula)):
            raise TypeError(f"{MODELS} is expected, not {shown(model)}")
        if reading and not self.is_read:
            options = ", ".join(reading)
            raise TypeError(f"{options}: no such argument, as a construction alone is read so")
        own = self.model if isinstance(self.model, Compiled) else None
        # A union of kinds, each with a prover of its own: the branches below tell them apart.
        self.description: Any = own.formula if own and meant is None else self._description()
        language = own.language if own and meant is None else self._language()
        title = FORMULAS if own and meant is None else language.name
        self.language = replace(language, name=name or title)

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
            if isinstance(self.description, Formula | DFA):
                _hold_definition(meant, self.description)
            return meant
        if isinstance(meant, Mapping):
            return Language("the examples", lambda w: bool(meant[w]), self.symbols)
        if isinstance(self.description, Poly):
            poly = self.description

            def is_above(w: str) -> bool:
                return Fact(poly, ">").holds({f"#{a}": w.count(a) for a in self.symbols})

            return Language(f"{poly} > 0", is_above, self.symbols)
        if self.description is not None:
            accepts = recogniser(self.description, self.symbols)
            return Language(_title(meant), accepts, self.symbols)
        if callable(meant) and not isinstance(meant, type):
            return Language("what the function accepts", lambda w: bool(meant(w)), self.symbols)
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

    def on_examples(self, examples: Mapping[str, bool]) -> Verdict:
        """Decides some strings alone, the shortest first."""
        asked = sorted(examples, key=lambda w: (len(w), w))
        answers = self.accepts(asked)
        for w in self.language.errors(asked, answers)[:1]:
            place = asked.index(w)
            kind = UNDECIDED if answers[place] is None else WRONG
            return Verdict(kind, len(w), place + 1, w, answers[place], chosen=True)
        longest = len(asked[-1]) if asked else 0
        return Verdict(EACH_STRING, longest, len(asked), chosen=True)

    def on_strings(
        self, longest: int, floats: Sequence[str], seconds: float | None, progress: bool
    ) -> Verdict:
        """Decides every string up to a length."""
        if self.is_network:
            from lib.trained.audit import audit

            meant = self.description if isinstance(self.description, DFA) else self.language
            verdict = audit(self.model, meant, longest, floats, seconds, progress)
            return replace(verdict, name=self.language.name)
        if not self.is_read:
            return held_against(self.language, self.accepts, longest, seconds, progress)
        reader = Exact(self.model)
        verdict = swept(self.language, reader.decided, longest, seconds, progress)
        if verdict.counterexample is not None:
            return replace(verdict, logit=reader.decide(verdict.counterexample).s)
        return replace(verdict, rounding=dict(self._rounded(verdict.longest, floats)))

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
        if verdict.kind != EACH_STRING or not (self.is_read or isinstance(self.model, Formula)):
            return verdict
        if self.description is None:
            return replace(verdict, unproved=UNREADABLE.format(self.language.name))
        equal = Equality(self.symbols, deadline, check, progress)
        try:
            if isinstance(self.model, Construction):
                return self._by_rows(verdict, equal)
            return self._by_formula(verdict, equal)
        except (FormulaError, ValueError) as error:  # outside of the class that a prover reads
            return replace(verdict, unproved=str(error))
        except KeyboardInterrupt:
            return replace(verdict, unproved="the proof was interrupted")

    def _by_formula(self, verdict: Verdict, equal: Equality) -> Verdict:
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
            return replace(verdict, kind=PROVED, proof=proof)
        return replace(verdict, unproved=str(answer))

    def _by_rows(self, verdict: Verdict, equal: Equality) -> Verdict:
        """A construction that no formula made, and the description."""
        construction = self.model
        attention = read_with(construction).attention
        kinds = construction.attentions(attention)
        if len(kinds) == 1 and kinds <= {*UNIQUE}:
            [ties] = kinds
            if isinstance(self.description, DFA):
                return self._proved(verdict, proved_regular(construction, self.description, ties))
            answer = equal(self.description, automaton(construction, ties))
            proof = Proof(answer.kind, "its automaton", answer.how, (), answer.counterexample)
            return self._proved(verdict, proof)
        condition, reason = self._condition(equal)
        found = proved_by_kinds(construction, condition, attention, equal.deadline.remaining)
        return self._proved(verdict, found, reason)

    def _proved(self, verdict: Verdict, found: Proof, reason: tuple[str, ...] = ()) -> Verdict:
        """The verdict with what a proof from the rows found."""
        w = found.counterexample
        if found.kind == PROVED:
            proof = (f"{found.claim} ({found.solver})", *reason)
            return replace(verdict, kind=PROVED, proof=proof)
        if found.kind != WRONG or w is None:
            return replace(verdict, unproved=f"{found.kind}: {found.solver}")
        if self.language.errors([w], self.accepts([w])):
            return self._wrong(verdict, w, (found.solver,))
        # A proof by kinds is for every weight of attention above 1, not for its own alone.
        weight = f"if attention weighs {found.weight} instead of its own weight"
        return replace(verdict, unproved=f"{w!r} is decided wrongly {weight}")

    def _wrong(self, verdict: Verdict, w: str, proof: tuple[str, ...]) -> Verdict:
        """A counterexample that a prover found beyond the strings that were decided."""
        [accepted] = self.accepts([w])
        logit = Exact(self.model).decide(w).s if self.is_read else None
        return replace(
            verdict, kind=WRONG, counterexample=w, accepted=accepted, logit=logit, proof=proof
        )

    def _condition(self, equal: Equality) -> tuple[Formula | DFA | Poly, tuple[str, ...]]:
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
            if answer.kind == PROVED:
                return formula, (f"equal to {self.language.name} ({answer.how})",)
        raise ValueError(
            f"no condition on numbers of symbols and on fixed positions is known for "
            f"{self.language.name}: give it as a formula"
        )


class Equality:
    """Whether two descriptions are equal, within what is left of the time."""

    def __init__(self, symbols: tuple[str, ...], deadline: Deadline, check: bool, progress: bool):
        self.symbols, self.deadline = symbols, deadline
        self.check, self.progress = check, progress

    def __call__(self, formula: Formula, other: Specification) -> Answer:
        options = {"check": self.check, "progress": self.progress}
        return proved_equal(
            formula, other, self.symbols, seconds=self.deadline.remaining, **options
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
        raise FormulaError(f"{text!r} is neither a formula ({errors[0]}) nor one ({errors[1]})")
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
                And((position == n, begins("".join(w))))
                for n in range(length)
                for w in product(symbols, repeat=n)
                if whole.accepts_input("".join(w))
            ]
            return [Or((*shorter, *(begins(w) for w in words if whole.accepts_input(w))))]
    return []


def begins(w: str) -> Formula:
    """The formula of the strings that begin with w."""
    return And(tuple(count(Q(a) & (position == i)) == 1 for i, a in enumerate(w, start=1)))


def _hold_definition(language: Language, description: Formula | DFA) -> None:
    """ValueError where a language's definition and its predicate part on a short string."""
    accepts = recogniser(description, language.alphabet)
    for w in islice(chain.from_iterable(map(language.all_strings, range(HELD))), HELD):
        if accepts(w) != language.contains(w):
            raise ValueError(
                f"{language.name} and its definition {language.definition} part on {w!r}"
            )


def _title(meant: Any) -> str:
    """What a description is called."""
    if isinstance(meant, DFA):
        return f"the language of a DFA of {len(meant.states)} states"
    if isinstance(meant, Counters):
        return f"the language of a machine of {len(meant.registers)} counters"
    return str(meant) if len(str(meant)) <= TITLE else FORMULAS


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
    """Whether it is a `Judged`. What that needs, torch, is not loaded for other models."""
    if "torch" not in sys.modules:
        return False
    from lib.trained.network import Judged

    return isinstance(model, Judged)


# ---- the command line ----


def parsed() -> Namespace:
    """The arguments of `python -m lib.judging`."""
    parser = ArgumentParser(prog="python -m lib.judging", description="Judge a transformer.")
    add = parser.add_argument
    add("file", type=Path, help="a construction (.json), or weights (.safetensors, .pt)")
    add("--language", required=True, help="a formula, a regular expression, or PARITY, FIRST, ...")
    add("--longest", type=int, default=12, help="decide every string up to so many symbols")
    add("--seconds", type=float, help="end after about so many")
    add("--beyond", type=int, help="measure longer strings, up to so many symbols")
    add("--floats", nargs="*", default=(), help="say what rounding changes in these types")
    weights = parser.add_argument_group("for weights")
    add = weights.add_argument
    add("--reader", choices=READERS, help="who named the weights")
    add("--read", nargs="*", default=(), metavar="NAME=VALUE", help="what the reader asks for")
    add("--tokens", nargs="*", metavar="SYMBOL=NUMBER", help="the token of each symbol")
    add("--before", nargs="*", type=int, default=(), help="tokens before a string")
    add("--after", nargs="*", type=int, default=(), help="tokens after it")
    add("--read-at", default="last", help="first, last or mean")
    add("--accepts", type=int, help="the output that accepts where it is above 0, or")
    add("--rejects", type=int, help="where it is larger than this one")
    return parser.parse_args()


def loaded(asked: Namespace) -> Any:
    """The model in the file that the arguments name."""
    if asked.file.suffix == ".json":
        return from_json(asked.file.read_text(encoding="utf-8"))
    from lib import trained

    missing = [name for name in ("reader", "tokens", "accepts") if getattr(asked, name) is None]
    if missing:
        raise ValueError(f"weights are judged with --{', --'.join(missing)}")
    options = {name: yaml.safe_load(value) for name, value in _pairs(asked.read)}
    network = getattr(trained, f"from_{asked.reader}")(trained.weights(asked.file), **options)
    tokens = {symbol: int(number) for symbol, number in _pairs(asked.tokens)}
    accepts, rejects = asked.accepts, asked.rejects
    decides = trained.Positive(accepts)
    if rejects is not None:
        decides = trained.Largest(accepts, rejects)
    return trained.Judged(
        network,
        tokens,
        decides,
        before=tuple(asked.before),
        after=tuple(asked.after),
        read_at=asked.read_at,
    )


def _pairs(given: Sequence[str]) -> list[tuple[str, str]]:
    """NAME=VALUE, taken apart at the first = that is not a name itself."""
    pairs = [(one[0] + name, value) for one in given for name, _, value in [one[1:].partition("=")]]
    for one, (_, value) in zip(given, pairs):
        if not value:
            raise ValueError(f"NAME=VALUE is expected, not {one!r}")
    return pairs


def main() -> None:
    """Judges the file that the arguments name; an error is one line."""
    asked = parsed()
    named = {one.name: one for one in vars(languages).values() if isinstance(one, Language)}
    try:
        verdict = judge(
            loaded(asked),
            named.get(asked.language, asked.language),
            asked.longest,
            seconds=asked.seconds,
            beyond=asked.beyond,
            floats=asked.floats,
        )
    except (OSError, TypeError, ValueError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    print(verdict)


if __name__ == "__main__":
    main()
