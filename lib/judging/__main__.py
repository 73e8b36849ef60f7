"""The door on a command line: `python -m lib.judging FILE --language ...`."""

from __future__ import annotations

import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any

import yaml

from lib import languages
from lib.formulas.syntax import FormulaError
from lib.judging import judge
from lib.judging.comparison import READING, Comparison
from lib.languages import Language
from lib.transformer.construction import from_json
from lib.verdicts import UNKNOWN

SAYS = (
    "a formula, a regular expression, or PARITY, FIRST, ...; given again for each output, it says "
    "on which strings that is the largest, and each string is in one of them"
)
READ = "what the reader asks for, null for None, or how a construction is read: log_n=true, say"
READERS = ("pytorch", "gpt2", "llama", "transformer_lens")
VALUES = {"null": None, "true": True, "false": False, "None": None, "True": True, "False": False}
NAMES = ("word", "output", "encoder", "last", "cls", "position")  # of tensors: 1 and true are text
NEEDED = ("reader", "tokens", "accepts", "above")
OF_WEIGHTS = (*NEEDED, "before", "after", "read_at")


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
    """The model in the file; ValueError for an argument that is not for such a file."""
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
        for name in options.keys() - READING:
            raise ValueError(f"--read {name}= is not expected: only {', '.join(sorted(READING))}")
        made = from_json(asked.file.read_text(encoding="utf-8"))
        said = {name for name in options if name == "eps" or options[name] is not None}
        said |= set() if "" in made.attentions("") else {"attention"}  # each head has its own
        if made.reading is None and (unsaid := sorted(READING - said)):
            needed = f"--read {'=... '.join(unsaid)}=... is expected"
            raise ValueError(f"{needed}, as {asked.file} does not say it; eps=null for no norm")
        return made
    from lib import trained

    if not asked.file.exists():
        raise FileNotFoundError(f"a file or a folder is expected, and {asked.file} is none")
    if missing := [one for one in NEEDED if one not in stray and getattr(asked, one) is None]:
        raise ValueError(f"weights are judged with --{', --'.join(missing)}")
    network = trained.from_folder(asked.file) if is_folder else _read(asked, options)
    tokens = {a: _number(one, "--tokens") for a, one in _pairs(asked.tokens).items()}
    decides = trained.Classes() if has_classes else trained.Positive(asked.accepts)
    if not has_classes and asked.above != ["zero"]:
        numbers = [] if asked.above == ["others"] else asked.above
        others = tuple(_number(one, "--above") for one in numbers) or None
        decides = trained.Largest(asked.accepts, others)
    around: dict[str, Any] = {"before": tuple(asked.before), "after": tuple(asked.after)}
    read_at = _value("last" if asked.read_at is None else asked.read_at)
    return trained.Judged(network, tokens, decides, read_at=read_at, **around)


def _read(asked: Namespace, options: Mapping[str, Any]) -> Any:
    """The network in a file; ValueError that names what its reader asks for and is not given."""
    from lib import trained

    reader = getattr(trained, f"from_{asked.reader}")
    known = {name: one for name, one in signature(reader).parameters.items() if name != "state"}
    for name in options.keys() - known:
        raise ValueError(f"--read {name}= is not expected: {asked.reader} has {', '.join(known)}")
    if missing := [k for k, one in known.items() if k not in options and one.default is one.empty]:
        needed = " ".join(f"{name}=..." for name in missing)
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


def _number(text: str, option: str) -> int:
    """The number of a token or an output, in digits alone."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{option}: a whole number is expected, not {text!r}")
    return int(text)


def _value(text: str, name: str = "") -> Any:
    """A value as YAML writes it, text in quotes, but numbers are decimal, and names are text."""
    try:
        value = yaml.load(text, yaml.BaseLoader)
    except yaml.YAMLError as error:
        raise ValueError(f"a value is expected, not {text!r}") from error
    if value != text or (name in NAMES and VALUES.get(text, text) is not None):
        return value
    for kind in () if "_" in text else (VALUES.__getitem__, int, float):
        with suppress(LookupError, ValueError):
            return kind(text)
    return value


def main() -> None:
    """Judges the file that the arguments name. An error is one line and exit status 2; status 1
    says that a string, a drawn one too, is decided incorrectly or not at all, or that none was.
    """
    asked = parsed()
    named = {one.name: one for one in vars(languages).values() if isinstance(one, Language)}
    try:
        options = {name: _value(text, name) for name, text in _pairs(asked.read).items()}
        model: Any = loaded(asked, options)
        known: list[Any] = [named.get(one, one) for one in asked.language]
        meant: Any = in_one(known, model.alphabet) if known[1:] else known[0]
        given = {one: getattr(asked, one) for one in ("promise", "seconds", "beyond", "floats")}
        given |= options if asked.file.suffix == ".json" else {}
        verdict = judge(model, meant, asked.longest, **given)
        print(verdict)  # an output that cannot write a name raises UnicodeEncodeError
    except (ArithmeticError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        said = f"{type(error).__name__}: {error}".replace("\n", " ")
        for one in {*asked.language} - {*named} if isinstance(error, FormulaError) else ():
            near = get_close_matches(one.upper(), map(str.upper, named), 1)
            alike = [name for name in named if name.upper() in near]
            said += f"; is {alike[0]} meant, of {', '.join(named)}?" if alike else ""
        print(said, file=sys.stderr)
        sys.exit(2)
    errors = [*x.wrong.values(), *x.undecided.values()] if (x := verdict.measured) else []
    sys.exit(verdict.counterexample is not None or verdict.kind == UNKNOWN or any(errors))


if __name__ == "__main__":
    main()
