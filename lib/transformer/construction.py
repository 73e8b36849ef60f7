"""A transformer encoder as data: embeddings, layers and an output over named coordinates; what the
readers of one share; and one as JSON and back, without loss.

The definition is that of Chiang & Cholak, section 2.2: with a^{0,i} = WE(w_i) + PE(i), layer l
computes c^{l,i} = a^{l-1,i} + sum over heads of attention, then a^{l,i} = c^{l,i} + W2 max(0, W1
c^{l,i} + b1) + b2, or with layer normalization in place of max(0, x), and the logit is an affine
form of a^{L,0}, the vector at CLS, or of the last one. Nothing here computes:
`lib.transformer.encoder` runs a construction in floating point and `lib.transformer.exact` in
rationals and balls.

A reader has the `construction` that it was made of. `logit(w)` is a number of its arithmetic,
`accepts(strings)` says whether a string is accepted, or each of a batch, with None where that is
undecided, and `trace(strings)` gives a `Trace`. It raises ValueError for a symbol outside the
alphabet, TypeError for what is no string. What it cannot do it refuses when it is made, with the
reason. How it reads is what the construction's `Reading` says; of a construction that says nothing,
as those of the papers, its options `attention`, `eps` and `log_n` do.

In JSON fractions are strings such as "-1/2".

A position encoding is a formula in the position i, counted from 0 (CLS), and the number n of
tokens. A formula is its own name, so a construction that holds "i/n" holds all there is to know of
it, in JSON and in another process too. It is read once and then works alike on rationals and on
tensors:

>>> position("[i≤(n-1)/2]")(Fraction(1), Fraction(4))
Fraction(1, 1)
>>> position("i²/n")(Fraction(3), Fraction(4))
Fraction(9, 4)
"""

import ast
import json
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np

from lib import checks
from lib.checks import Number, an, flag, hold, one_of, optional, shown, takes, text
from lib.transformer import sublayers
from lib.transformer.space import Form, Matrix, Space
from lib.transformer.sublayers import FFN, Head, Layer, Named, Rows

# How a formula is spelled in Python; [p] is 1 where p holds and else 0, ⌊x⌋ is x rounded down, and
# cos iπ is (-1)^i.
SPELLINGS = (
    ("cos iπ", "(1 - 2 * (i % 2))"),
    ("²", "**2"),
    ("^", "**"),
    ("·", "*"),
    (" mod ", " % "),
    ("≤", "<="),
    ("≥", ">="),
    ("⌊", "floor("),
    ("⌋", ")"),
    ("[", "indicator("),
    ("]", ")"),
)
# cos iπ/2 would be half of (-1)^i, and is the cosine of iπ/2 to most readers.
AMBIGUOUS = re.compile(r"cos iπ\s*(?![-+)\]⌋<>=≤≥!\s]|$)")
# What a spelled formula is made of: Python's parser takes more for letters and numbers.
TOKENS = re.compile(r"(\s*([0-9]+(?!\w)|[a-z]+(?!\w)|\*\*|[=!<>]=|[-+*/%()=<>]))*\s*")
ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
SIGNS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
RELATIONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
TRIED = range(1, 5)  # the numbers n of tokens on which a formula is tried when it is given

Batch = list[str] | tuple[str, ...]
Position = Callable[[Any, Any], Any]  # of i and n: two rationals, or two tensors that broadcast

# What the output unit makes of the logit s: the sign of s with which a string is accepted. The
# sigmoid is above 1/2 where s > 0; the indicator function [s = 0] is Nowak et al.'s (2022,
# section 3.2.4).
ACTIVATIONS = {"sigmoid": 1, "indicator": 0}
MATRICES = ("Q", "K", "V", "F", "b", "out")
TAGS = ("CLS", "EOS")
READOUTS = ("CLS", "last")  # the position whose vector the logit is read from


@takes(formula=text)
@cache
def position(formula: str) -> Position:
    """The position encoding that `formula` spells: a function of rationals or float tensors i, n.

    A formula holds i, n, whole numbers, + - * / ^ mod, brackets, ⌊ ⌋, cos iπ and [ ] around a
    comparison; a power has a whole number that is at least 0 as its exponent. ValueError, naming
    the formula, for anything else, and for one that is not defined everywhere on short strings.
    """
    spelled = formula
    for ours, pythons in SPELLINGS:
        spelled = spelled.replace(ours, pythons)
    try:
        if AMBIGUOUS.search(formula):
            raise ValueError("cos iπ is (-1)^i, and stands in brackets before * / ^ and mod")
        if not TOKENS.fullmatch(spelled):
            raise ValueError("it holds a sign that has no place in it")
        value = _function(syntax_tree(re.sub(r"(?<![<>=!])=(?!=)", "==", spelled)))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(
            f"{formula!r} is no formula for a position in i and n, such as 'i/n', 'i²', '[i=1]' or "
            f"'⌊i/2⌋ mod 2': {error}"
        ) from error

    for n in TRIED:
        for i in range(n):
            try:
                value(Fraction(i), Fraction(n))
            except ZeroDivisionError as error:
                raise ValueError(
                    f"the position encoding {formula!r} is not defined at i = {i}, n = {n}"
                ) from error
    return value


def depends_on_length(formula: str) -> bool:
    """Whether a position encoding asks for the number n of tokens."""
    position(formula)
    return re.search(r"(?<![a-z])n(?![a-z])", formula) is not None


def syntax_tree(text: str, mode: str = "eval") -> Any:
    """Python's syntax tree of an expression, or of statements; SyntaxError for what is none. No
    warning is given of what Python reads and finds odd, such as "1or 2".
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree: Any = ast.parse(text, mode=mode)
    return tree.body


def _function(tree: ast.expr) -> Position:
    """An expression as a function of i and n; ValueError for what has no place in a formula."""
    match tree:
        case ast.BinOp(left, operation, right) if type(operation) in ARITHMETIC:
            operate, base = ARITHMETIC[type(operation)], _function(left)
            if isinstance(operation, ast.Pow) and not _is_whole(right):
                raise ValueError(f"the exponent {ast.unparse(right)} is not a whole number")
            other = _function(right)
            return lambda i, n: operate(base(i, n), other(i, n))
        case ast.UnaryOp(ast.USub(), operand):
            negated = _function(operand)
            return lambda i, n: -negated(i, n)
        case ast.Call(ast.Name("indicator"), [ast.Compare(left, [comparison], [right])], []):
            if type(comparison) not in SIGNS:
                raise ValueError(f"{ast.unparse(tree)} does not compare two numbers")
            compare = RELATIONS[SIGNS[type(comparison)]]
            base, other = _function(left), _function(right)
            return lambda i, n: _exactly(compare(base(i, n), other(i, n)), i)
        case ast.Call(ast.Name("floor"), [inside], []):
            rounded = _function(inside)
            return lambda i, n: _exactly(rounded(i, n) // 1, i)
        case ast.Constant(int(value)) if _is_whole(tree):
            return lambda i, n: _exactly(value, i)
        case ast.Name("i"):
            return lambda i, n: i
        case ast.Name("n"):
            return lambda i, n: n
    raise ValueError(f"{ast.unparse(tree)} has no place in it")


def _exactly(x: Any, i: Any) -> Any:
    """A whole number or truth value as a rational, or among float positions as their floats."""
    if not hasattr(i, "dtype"):
        return Fraction(x)
    return x.to(i.dtype) if hasattr(x, "dtype") else 1 * x


def _is_whole(tree: ast.expr) -> bool:
    """Whether an expression is a whole number that is written out, without a sign."""
    return isinstance(tree, ast.Constant) and type(tree.value) is int


@dataclass(frozen=True)
class Reading:
    """How a construction is read: `attention` is the kind of heads without one of their own, `eps`
    the constant of layer normalization after every residual connection (gamma = 1, beta = 0), None
    for no layer normalization, and `log_n` multiplies every attention logit by log n (Chiang &
    Cholak 2022, equation 2).
    """

    attention: str = "softmax"
    eps: Number | None = None  # stored as a Fraction
    log_n: bool = False

    def __post_init__(self):
        hold(self, attention=one_of(sublayers.ATTENTIONS), log_n=flag)
        if self.eps is not None:
            sublayers.store(self, eps=checks.checked_eps(self.eps))


@dataclass(frozen=True, init=False)
class Construction:
    """A transformer encoder that classifies strings by a logit, read at CLS (position 0) or, if
    `readout` is "last", at the last token.

    `word` maps each symbol, and CLS, to its embedding; `position` maps formulas in i and n, such as
    "i/n", to the form that carries them, so that a^{0,i} = word[w_i] + sum_f f(i, n) position[f];
    `output` is the logit and `activation`, one of `ACTIVATIONS`, says when it accepts. The tokens
    are CLS, the symbols and, if `word` has one, the end tag EOS: n = |w| + 1 or |w| + 2. `reading`
    says how it must be read, None that its readers are told: `replace(construction, reading=...)`
    is the same one, read otherwise. Raises ValueError or UnknownCoordinate for what does not fit.
    """

    space: Space
    word: Rows
    position: Rows
    layers: tuple[Layer, ...]
    output: Form
    name: str
    activation: str
    readout: str
    reading: Reading | None

    @takes(space=Space, output=Form, name=text, reading=optional(Reading))
    @takes(activation=one_of(ACTIVATIONS), readout=one_of(READOUTS))
    def __init__(
        self,
        space: Space,
        word: Named[Form],
        position: Named[Form],
        layers: Layer | Iterable[Layer],
        output: Form,
        name: str = "a construction",
        activation: str = "sigmoid",
        readout: str = "CLS",
        reading: Reading | None = None,
    ):
        sublayers.store(self, space=space, word=sublayers.form_rows(word, "a word embedding"))
        sublayers.store(self, position=sublayers.form_rows(position, "a position encoding"))
        sublayers.store(self, layers=sublayers.members(Layer, layers, "a layer"), output=output)
        sublayers.store(self, name=name, activation=activation, readout=readout, reading=reading)
        self._check_embeddings()
        self._check_names()

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The symbols that a string may hold: the single-character keys of `word`."""
        return tuple(symbol for symbol, _ in self.word if len(symbol) == 1)

    @property
    def end(self) -> tuple[str, ...]:
        """What stands behind every string: the tag EOS, or nothing."""
        return ("EOS",) if "EOS" in dict(self.word) else ()

    @property
    def longer(self) -> tuple[str, ...]:
        """Tokens of several characters: no string holds them, a list of tokens may."""
        return tuple(token for token, _ in self.word if len(token) > 1 and token not in TAGS)

    @property
    def accepting_sign(self) -> int:
        """The logit's sign with which a string is accepted: 1, or 0 for the indicator."""
        return ACTIVATIONS[self.activation]

    @property
    def size(self) -> dict[str, int]:
        """How many layers, heads, coordinates and nonzero coefficients it has."""
        return {
            "layers": len(self.layers),
            "heads": sum(len(layer.heads) for layer in self.layers),
            "coordinates": len(self.space),
            "coefficients": sum(1 for c in self.coefficients() if c),
        }

    def tokens(self, w: str) -> list[str]:
        """CLS, the symbols of `w` and its end tag; ValueError or TypeError for no such string."""
        others = self.longer
        if others and isinstance(w, str) and not {*w} <= {*self.alphabet}:
            raise ValueError(
                f"a string holds tokens of one character, {', '.join(self.alphabet)}: with longer "
                f"ones, such as {others[0]!r}, Exact.vector reads a list of tokens, not {shown(w)}"
            )
        return ["CLS", *checks.check_string(w, self.alphabet), *self.end]

    def ids(self, codes: np.ndarray) -> np.ndarray:
        """Strings of one length, code points (batch, |w|), as places in `word`, (batch, n)."""
        places = {token: place for place, (token, _) in enumerate(self.word)}
        row_of = np.zeros(1 + max(map(ord, self.alphabet), default=0), np.int32)
        for symbol in self.alphabet:
            row_of[ord(symbol)] = places[symbol]
        first, *last = (np.full((len(codes), 1), places[t], np.int32) for t in ("CLS", *self.end))
        return np.hstack([first, row_of[codes], *last])

    @takes(kind=one_of(MATRICES))
    def matrix(self, kind: str, layer: int = 1, index: int = 1) -> Matrix:
        """The dense matrix W^{kind,layer,index} over all d coordinates, in the paper's order.

        `kind` is "Q", "K" or "V" (index: the head), "F" (index 1 or 2: the two feed-forward
        matrices), "b" (their biases, as columns) or "out" (the output row without its constant;
        layer and index are ignored). Layers and heads count from 1. A query matrix has the factor
        c√d, c being the head's gain. ValueError for what does not exist.
        """
        names, dense = self.space.names, self.space.dense
        if kind == "out":
            return Matrix(f"W^{len(self.layers) + 1}", ("logit",), names, (dense(self.output),))
        layer, index = checks.whole(layer, "a layer"), checks.whole(index, "an index")
        if layer not in range(1, len(self.layers) + 1):
            raise ValueError(f"layer must be in 1..{len(self.layers)}, not {layer!r}")
        heads, ffn = self.layers[layer - 1].heads, self.layers[layer - 1].ffn
        if kind in ("Q", "K", "V"):
            if index not in range(1, (number := len(heads)) + 1):
                raise ValueError(f"layer {layer} has {number} heads: there is no head {index!r}")
            head, title = heads[index - 1], f"W^{{{kind},{layer},{index}}}"
            if kind == "V":
                return self._writing(title, names, {name: dense(form) for name, form in head.v})
            forms, factor = (head.q, "c√d") if kind == "Q" else (head.k, "")
            labels = [f"{kind.lower()}{r}" for r in range(1, len(forms) + 1)]
            return Matrix(title, tuple(labels), names, tuple(map(dense, forms)), factor)
        if ffn is None or index not in (1, 2):
            raise ValueError(f"layer {layer} has no feed-forward matrix {index!r}")
        units = tuple(f"h{r}" for r in range(1, len(ffn.hidden) + 1))
        title = f"{'W' if kind == 'F' else 'b'}^{{F,{layer},{index}}}"
        match kind, index:
            case "F", 1:
                return Matrix(title, units, names, tuple(map(dense, ffn.hidden)))
            case "F", _:
                return self._writing(title, units, dict(ffn.out))
            case _, 1:
                return Matrix(title, units, ("1",), tuple((form.constant,) for form in ffn.hidden))
        return self._writing(title, ("1",), {name: (b,) for name, b in ffn.bias})

    def _writing(
        self, title: str, columns: tuple[str, ...], rows: Mapping[str, Sequence[Fraction]]
    ) -> Matrix:
        """A matrix with one row per coordinate, zero where `rows` has none."""
        zero = (Fraction(0),) * len(columns)
        entries = tuple(rows.get(name, zero) for name in self.space.names)
        return Matrix(title, self.space.names, columns, entries)

    def coefficients(self) -> Iterator[Fraction]:
        """Every number in the construction, constants, gains and bases among them."""
        for form in self.forms():
            yield from (c for _, c in form.terms)
            yield form.constant
        for layer in self.layers:
            for head in layer.heads:
                yield from (c for c in (head.gain, head.base) if c is not None)
            if layer.ffn:
                yield from (c for _, row in layer.ffn.out for c in row)
                yield from (b for _, b in layer.ffn.bias)
                if layer.ffn.eps is not None:
                    yield layer.ffn.eps

    def attentions(self, kind: str) -> set[str]:
        """The kinds of attention of its heads, where `kind` is that of those without their own."""
        return {head.attention or kind for layer in self.layers for head in layer.heads}

    def forms(self) -> Iterator[Form]:
        """Every form, in reading order."""
        yield from (form for _, form in (*self.word, *self.position))
        for layer in self.layers:
            for head in layer.heads:
                yield from head.forms
            if layer.ffn:
                yield from layer.ffn.hidden
        yield self.output

    def _check_embeddings(self) -> None:
        for what, rows in (("word", self.word), ("position", self.position)):
            for name, form in rows:
                if form.constant:
                    raise ValueError(f"an embedding has no constant: {what} {name!r} has {form}")
        if "CLS" not in dict(self.word):
            symbols = ", ".join(dict(self.word))
            raise ValueError(f"the word embedding of CLS is missing among {symbols}")
        if not any(form.names for _, form in (*self.word, *self.position)):
            raise ValueError("embeddings write no coordinate: at least one word or position must")
        for formula, _ in self.position:
            position(formula)

    def _check_names(self) -> None:
        for name in (name for form in self.forms() for name in form.names):
            self.space.check(name)
        writer: dict[str, str] = {}
        for label, names, rewrites in self._writers():
            for name in (*names, *rewrites):
                self.space.check(name)
            for name in sorted(set(names), key=self.space.names.index):
                if name in writer and name not in rewrites:
                    raise ValueError(f"{name!r} is written by {writer[name]} and again by {label}")
                writer[name] = label

    def _writers(self) -> Iterator[tuple[str, list[str], tuple[str, ...]]]:
        """What writes coordinates, in order: its name, what it writes, what it may rewrite."""
        for what, rows in (("word embedding", self.word), ("position encoding", self.position)):
            yield f"the {what}", [name for _, form in rows for name in form.names], ()
        for number, layer in enumerate(self.layers, start=1):
            attention = [name for head in layer.heads for name, _ in head.v]
            yield f"attention {number}", attention, layer.rewrites
            if layer.ffn:
                yield f"feed-forward {number}", list(layer.ffn.writes), layer.rewrites


class Made:
    """What has a `construction` of its own, as compiled formulas do; readers take it like that."""

    @cached_property
    def construction(self) -> Construction:
        """The transformer."""
        raise NotImplementedError


def constructed(construction: Construction | Made) -> Construction:
    """The construction itself, or the one that was made; TypeError for anything else."""
    if isinstance(construction, Made):
        return construction.construction
    return an(Construction)(construction, "construction")


def read_with(
    construction: Construction,
    attention: str | None = None,
    eps: Number | None = None,
    log_n: bool | None = None,
) -> Reading:
    """How a construction is read: as it says, or, where it says nothing, with these options of its
    reader, None for those that are not given. ValueError for an option that contradicts it.
    """
    options = {"attention": attention, "eps": eps, "log_n": log_n}
    given = {name: value for name, value in options.items() if value is not None}
    told = Reading(**given)
    own = construction.reading or told
    for name, value in given.items():
        if getattr(told, name) != getattr(own, name):
            raise ValueError(
                f"{shown(construction.name)} must be read with {name} = {getattr(own, name)}, not "
                f"{value}: replace(construction, reading=...) makes one that is read otherwise"
            )
    kinds = construction.attentions(own.attention)
    if attention is not None and kinds and attention not in kinds:
        raise ValueError(
            f"every head of {shown(construction.name)} has its own kind of attention, "
            f"{min(kinds)}: no head is read with {attention}"
        )
    return own


@dataclass(frozen=True)
class Trace:
    """What a reader passed on its way: the residual stream of one run, in the paper's notation.

    `a[l]` maps coordinate names to their values in a^{l,i} over positions i (a[0] is the input),
    `c[l]` likewise after the attention of layer l (c[0] is None); `attention[l, h]` holds the
    weights of head h of layer l, one row per attending position (None where none were requested).
    The exact reader fills lists of rationals or balls; the torch reader fills tensors of shape
    (batch, n) and (batch, n, n). Coordinates not yet written are absent.
    """

    tokens: list[list[str]]
    a: list[dict[str, Any]] = field(default_factory=list)
    c: list[dict[str, Any] | None] = field(default_factory=lambda: [None])
    attention: dict[tuple[int, int], Any] | None = None


def add(vector: dict[str, Any], name: str, value: Any) -> None:
    """The residual connection: adds `value` to a coordinate, written or not yet."""
    vector[name] = vector[name] + value if name in vector else value


REFUSED = (KeyError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError)
NULL = {  # what null says in some fields: had it no key, one that was lost would say the same
    (Head, "attention"): ": null stands for that of the construction's reading",
    (FFN, "eps"): ": null stands for max(0, x) in place of layer normalization",
    (Reading, "eps"): ": null stands for no layer normalization",
    (Construction, "reading"): ": null leaves to its reader how it is read",
}
NAMED = ("word", "position", "v", "out", "bias")  # fields that are pairs of a name and a value


@takes(construction=Construction)
def to_json(construction: Construction) -> str:
    """The construction as JSON text, from which `from_json` makes an equal one."""
    data = {"name": construction.name} | _data(construction)
    return json.dumps(data, ensure_ascii=False, indent=1)


@takes(text=text)
def from_json(text: str) -> Construction:
    """The construction that `to_json` wrote; ValueError where the text is not one."""
    try:
        return _part(Construction)(json.loads(text, object_pairs_hook=_once))
    except REFUSED as error:
        raise ValueError(f"not the JSON of a construction: {error}") from error


def _data(part: Any) -> Any:
    """A part of a construction as JSON has it: its fields by name, and numbers as text."""
    match part:
        case Form():
            constant = {"": str(part.constant)} if part.constant else {}  # no coordinate's name
            return {name: str(c) for name, c in part.terms} | constant
        case Fraction():
            return str(part)
        case Space():
            return part.names
        case Construction() | Reading() | Layer() | Head() | FFN():
            fields = vars(part).items()
            return {name: _data(dict(x) if name in NAMED else x) for name, x in fields}
        case dict():
            return {name: _data(value) for name, value in part.items()}
        case tuple():
            return [_data(value) for value in part]
    return part


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, no key of which stands twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} stands twice")
    return found


def _part(kind: type) -> Callable[[dict], Any]:
    """Reads a class from its JSON, by `READ`; an unknown key would make another construction."""

    def read(data: dict) -> Any:
        known = [one.name for one in fields(kind)]
        if strange := [x for x in an(dict)(data, f"a {kind.__name__}") if x not in known]:
            raise ValueError(f"{strange[0]!r} is no field of a {kind.__name__}")
        if lacking := [name for name in known if name not in data]:
            null = NULL.get((kind, lacking[0]), "")
            raise ValueError(f"{lacking[0]!r} is missing in a {kind.__name__}{null}")
        given = ((name, x, READ.get(name)) for name, x in data.items())
        return kind(**{name: x if x is None or not own else own(x) for name, x, own in given})

    return read


def _number(value: str | int) -> Fraction:
    """A number as text; a float is not what was written, False is none, 1e999999999 has no end."""
    if type(value) not in (str, int) or not re.fullmatch(r"[-+\d./ ]+", str(value), re.ASCII):
        raise TypeError(f"a number is expected as text, not {value!r}")
    return Fraction(value)


def _form(data: dict[str, str]) -> Form:
    terms = tuple((name, _number(c)) for name, c in data.items() if name)
    return Form(terms, _number(data.get("", 0)))


def _list(read: Callable[[Any], Any]) -> Callable[[Any], list]:
    """Reads a list of what `read` reads."""
    return lambda data: [read(x) for x in an(list)(data, "what stands there")]


def _named(read: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    """Reads an object, of which each key names what `read` reads."""
    return lambda data: {name: read(x) for name, x in an(dict)(data, "what stands there").items()}


READ: dict[str, Callable[[Any], Any]] = {  # fields by name; what is not here stands as it is
    "space": lambda names: Space(*an(list)(names, "space")),
    **dict.fromkeys(("word", "position", "v"), _named(_form)),
    **dict.fromkeys(("q", "k", "hidden"), _list(_form)),
    **dict.fromkeys(("gain", "base", "eps"), _number),
    "output": _form,
    "out": _named(_list(_number)),
    "bias": _named(_number),
    "heads": _list(_part(Head)),
    "ffn": _part(FFN),
    "layers": _list(_part(Layer)),
    "reading": _part(Reading),
}
