"""The parts of a transformer encoder as data: heads and feed-forward networks that read affine
forms and write named coordinates, and the layers that they make.

Everything is stored as tuples, so that parts are immutable, hashable and equal when they say the
same; mappings and other iterables are accepted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar, cast

import numpy as np

from lib.checks import Number, checked_eps, one_of, rational, takes
from lib.transformer.space import Form

# Which positions j an attending position i sees: all, those with j <= i, those with j < i.
MASKS = (None, "future", "strict future")
ATTENTIONS = ("softmax", "hardmax", "leftmost", "rightmost")  # the second averages ties

T = TypeVar("T")
Named = Mapping[str, T] | Iterable[tuple[str, T]]  # what is accepted where names have values
Rows = tuple[tuple[str, Form], ...]  # how named forms are stored


def seen(mask: str | None, position: int, n: int) -> int:
    """How many of n tokens, from the first, the one at `position` sees."""
    return {None: n, "future": position + 1, "strict future": position}[mask]


def visible(mask: str | None, rows: range, n: int) -> np.ndarray:
    """Which of n tokens those at `rows` see, bool of shape (rows, n)."""
    return np.arange(n) < np.array([seen(mask, i, n) for i in rows])[:, None]


def store(instance: object, **values: object) -> None:
    """Sets the fields of a frozen dataclass while it is being made."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def pairs(named: Named[T], what: str) -> tuple[tuple[str, T], ...]:
    """Named values as a tuple of pairs, in the order of their declaration.

    TypeError for what is no mapping and no iterable of pairs, ValueError for a repeated name.
    """
    if isinstance(named, str) or not isinstance(named, Iterable):
        raise TypeError(f"{what} are expected as a mapping or as pairs, not {named!r}")
    listed = named.items() if isinstance(named, Mapping) else named
    result = cast("tuple[tuple[str, T], ...]", tuple(listed))
    if any(not isinstance(pair, tuple) or len(pair) != 2 for pair in result):
        raise TypeError(f"{what} are expected as a mapping or as pairs, not {named!r}")
    names = [name for name, _ in result]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is written twice in {', '.join(map(repr, names))}")
    return result


def members(kind: type[T], things: T | Iterable[T], what: str) -> tuple[T, ...]:
    """`things`, or the single one, as a tuple; TypeError unless each is a `kind`."""
    if isinstance(things, kind):
        return (things,)
    if isinstance(things, str) or not isinstance(things, Iterable):
        raise TypeError(f"{what} is expected, not {things!r}")
    result = tuple(things)
    for thing in result:
        if not isinstance(thing, kind):
            raise TypeError(f"{what} is expected, not {thing!r}")
    return result


def form_rows(named: Named[Form], what: str) -> Rows:
    """Named forms as a tuple of pairs; TypeError for a value that is no form."""
    rows = pairs(named, f"the forms of {what}")
    members(Form, (form for _, form in rows), f"a form for {what}")
    return rows


def _output_row(name: str, row: Sequence[Number], units: int) -> tuple[Fraction, ...]:
    """One row of W2; TypeError for what is no sequence, ValueError for a wrong length."""
    if isinstance(row, str) or not isinstance(row, Sequence):
        raise TypeError(
            f"the output row of {name!r} must be a sequence of {units} numbers, one for each "
            f"hidden unit, not {row!r}"
        )
    if len(row) != units:
        raise ValueError(
            f"the output row of {name!r} has {len(row)} entries, {row!r}, for {units} hidden "
            "units: as many are needed"
        )
    return tuple(rational(c, f"an entry of the output row of {name!r}") for c in row)


@dataclass(frozen=True, init=False)
class Head:
    """One attention head: position i attends to j with logit gain * sum_r q_r(a_i) k_r(a_j).

    `v` maps each coordinate that the head writes to the form that it averages (a row of W^V); `q`
    and `k` are the rows of W^Q and W^K, empty for W^Q = 0 (uniform attention). `gain` is the
    paper's c: the printed query matrices hold c√d, and the √d cancels against the one in the
    attention's denominator. With a `base` b, c is gain * ln b: attention weights are then
    proportional to b to a rational power, and stay rational where that is a whole number. `mask`
    hides the future from a head: with "future", i attends to all j <= i, with "strict future" to
    all j < i, where the first position, which sees none, gets 0. `attention` is its own kind, None
    for that of the construction's `Reading`.
    """

    v: Rows
    q: tuple[Form, ...]
    k: tuple[Form, ...]
    gain: Fraction
    base: Fraction | None
    mask: str | None
    attention: str | None

    @takes(mask=one_of(MASKS), attention=one_of((None, *ATTENTIONS)))
    def __init__(
        self,
        v: Named[Form],
        q: Form | Iterable[Form] = (),
        k: Form | Iterable[Form] = (),
        gain: Number = 1,
        base: Number | None = None,
        mask: str | None = None,
        attention: str | None = None,
    ):
        store(self, v=form_rows(v, "a value row"), mask=mask, attention=attention)
        store(self, q=members(Form, q, "a form for a query row"))
        store(self, k=members(Form, k, "a form for a key row"))
        store(self, gain=rational(gain, "a head's gain"))
        store(self, base=None if base is None else rational(base, "a head's base"))
        if self.base is not None and self.base <= 0:
            raise ValueError(f"a head's base must be above 0, not {self.base}")
        if len(self.q) != len(self.k):
            raise ValueError(
                f"a head needs as many query rows as key rows, not {len(self.q)} and {len(self.k)}"
            )
        for form in self.forms:
            if form.constant:
                raise ValueError(f"attention has no bias: {form} has the constant {form.constant}")

    @property
    def forms(self) -> tuple[Form, ...]:
        """Every form that the head reads: queries, keys and values."""
        return (*self.q, *self.k, *(form for _, form in self.v))

    @property
    def is_uniform(self) -> bool:
        """Whether all positions that it sees have one attention weight, whatever the input."""
        return not self.gain or not any(
            q.terms and k.terms for q, k in zip(self.q, self.k, strict=True)
        )


@dataclass(frozen=True, init=False)
class FFN:
    """A position-wise feed-forward sublayer: `hidden` are rows of W1, b1, `out` of W2; `bias` b2.

    With `eps` it normalizes: it is W2 N(W1 c + b1) + b2, where layer normalization N stands in
    place of max(0, x), N(x) = (x - mean) / sqrt(variance + eps) over the hidden units. `norm` makes
    the usual one.
    """

    hidden: tuple[Form, ...]
    out: tuple[tuple[str, tuple[Fraction, ...]], ...]
    bias: tuple[tuple[str, Fraction], ...]
    eps: Fraction | None

    def __init__(
        self,
        hidden: Form | Iterable[Form],
        out: Named[Sequence[Number]],
        bias: Named[Number] = (),
        eps: Number | None = None,
    ):
        units = members(Form, hidden, "a form for a hidden unit")
        if eps is not None and not units:
            raise ValueError("layer normalization needs at least one number to normalize, not none")
        rows = pairs(out, "the output rows")
        biases = pairs(bias, "the output biases")
        written = tuple((name, _output_row(name, row, len(units))) for name, row in rows)
        store(self, hidden=units, out=written)
        store(self, bias=tuple((name, rational(b, f"the bias of {name!r}")) for name, b in biases))
        store(self, eps=None if eps is None else checked_eps(eps))

    @property
    def writes(self) -> tuple[str, ...]:
        """The coordinates that the sublayer writes."""
        return tuple(dict.fromkeys(name for name, _ in (*self.out, *self.bias)))


def norm(
    x: Named[Form], gain: Named[Number] = (), bias: Named[Number] = (), eps: Number = 0
) -> FFN:
    """The sublayer gain (x - mean) / sqrt(variance + eps) + bias of some coordinates alone.

    `x` maps each coordinate that is written to what is normalized there, another coordinate or any
    form; mean and variance are over these. A gain is 1 and a bias 0 where none is given. With eps =
    0 equal numbers are 0/0: of rationals the exact reader says so, balls leave it undecided, and
    floats may decide by rounding. ValueError for one number with eps = 0, and for a gain or bias of
    a coordinate that is not among them.
    """
    rows, gains = dict(form_rows(x, "a norm")), dict(pairs(gain, "the gains"))
    bias = pairs(bias, "the biases")
    for name in (*gains, *dict(bias)):
        if name not in rows:
            raise ValueError(f"a norm of {', '.join(map(repr, rows))} does not write {name!r}")
    out = {name: [gains.get(name, 1) if name == unit else 0 for unit in rows] for name in rows}
    made = FFN(rows.values(), out, bias, checked_eps(eps))
    if len(rows) == 1 and not made.eps:
        raise ValueError(f"a norm of one number, {', '.join(rows)}, with eps = 0 is always 0/0")
    return made


@dataclass(frozen=True, init=False)
class Layer:
    """Heads, whose outputs add up, then an `FFN` or a `norm`, each with its residual connection.

    A sublayer may not write a coordinate that an earlier one wrote, unless `rewrites` names it. The
    construction's `Reading` says whether each normalizes all twice, after its heads and at its end.
    """

    heads: tuple[Head, ...]
    ffn: FFN | None
    rewrites: tuple[str, ...]

    def __init__(
        self,
        heads: Head | Iterable[Head] = (),
        ffn: FFN | None = None,
        rewrites: Iterable[str] = (),
    ):
        if ffn is not None and not isinstance(ffn, FFN):
            raise TypeError(f"an FFN or None is expected, not {ffn!r}")
        if isinstance(rewrites, str):
            raise TypeError(f"a list of coordinate names is expected, not the string {rewrites!r}")
        store(self, heads=members(Head, heads, "a head"), ffn=ffn)
        store(self, rewrites=members(str, rewrites, "the name of a coordinate"))
