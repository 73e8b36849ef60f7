"""The encoders of Ouellette et al. 2023, and the steps between them, by what is switched on.

The published variants are ablations of the standard encoder layer; `FACTORS` switches one thing at
a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lib.checks import between, flag, hold, number, one_of
from lib.counting.grids import COLOURS

SUBLAYERS = ("attention", "feed-forward")
SWITCHES = {"attention": ("linear", "softmax", "none"), "feed_forward": ("none", "linear", "ReLU")}


@dataclass(frozen=True)
class Ablation:
    """An encoder layer by what is switched on; the defaults are No-LayerNorm-Count, which counts.

    `attention` is "linear" (no softmax), "softmax" or "none"; `norms` says after which of
    "attention" and "feed-forward" layer normalization stands; `feed_forward` is "none", "linear" or
    "ReLU" (two layers, `hidden` units between them); `biases` are the attention's. Dropout works on
    attention weights, on hidden units and on what a sublayer adds, as in PyTorch's layer.
    """

    attention: str = "linear"
    norms: tuple[str, ...] = ()
    feed_forward: str = "linear"
    residuals: bool = False
    biases: bool = False
    dropout: float = 0.0
    eps: float = 1e-5
    hidden: int = 2048
    width: int = COLOURS

    def __post_init__(self):
        for name, allowed in SWITCHES.items():
            one_of(allowed)(getattr(self, name), name)
        object.__setattr__(self, "norms", _names(self.norms))
        self._check_norms()
        hold(self, residuals=flag, biases=flag, dropout=number, eps=number)
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be at least 0 and below 1, not {self.dropout!r}")
        if not 0 <= self.eps < float("inf"):
            raise ValueError(f"eps must be at least 0, not {self.eps!r}")
        hold(self, hidden=between(1, 10**6), width=between(1, 10**4))

    def _check_norms(self) -> None:
        """Each normalization stands after a sublayer that is there."""
        for name in self.norms:
            if (
                not isinstance(name, str)
                or name not in SUBLAYERS
                or getattr(self, name.replace("-", "_")) == "none"
            ):
                raise ValueError(
                    "norms may stand after the sublayers that there are, of "
                    f"{', '.join(SUBLAYERS)}, not after {name!r}"
                )

    @property
    def has_quotient(self) -> bool:
        """Whether ten weighted tokens are a grid for this encoder: dropout tells cells of one
        colour apart.
        """
        return self.dropout == 0

    @property
    def has_one_product(self) -> bool:
        """Whether nothing stands between W_O and a linear feed-forward part, so that their product
        can be applied to the values.
        """
        between = self.residuals or self.biases or self.dropout or "attention" in self.norms
        return self.attention != "none" and self.feed_forward == "linear" and not between

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every parameter: matrices as (out, in)."""
        d, hidden = self.width, self.hidden
        shapes: dict[str, tuple[int, ...]] = {}
        if self.attention != "none":
            shapes |= {letter: (d, d) for letter in "QKVO"}
            if self.biases:
                shapes |= {f"{letter} bias": (d,) for letter in "QKVO"}
        if self.feed_forward == "linear":
            shapes |= {"F": (d, d), "F bias": (d,)}
        if self.feed_forward == "ReLU":
            shapes |= {"F1": (hidden, d), "F1 bias": (hidden,)}
            shapes |= {"F2": (d, hidden), "F2 bias": (d,)}
        for name in self.norms:
            shapes |= {f"gamma after {name}": (d,), f"beta after {name}": (d,)}
        return shapes


def _names(norms: Iterable[str]) -> tuple[str, ...]:
    """Names as a tuple; TypeError for one string, or for what holds no names."""
    if isinstance(norms, str) or not isinstance(norms, Iterable):
        raise TypeError(f"norms must be a tuple of names of {', '.join(SUBLAYERS)}, not {norms!r}")
    return tuple(norms)


# The six experiments of section III, by the paper's names.
PUBLISHED: dict[str, Ablation] = {
    "Std-Transformer-Count": Ablation(
        "softmax", SUBLAYERS, "ReLU", residuals=True, biases=True, dropout=0.1
    ),
    "No-LayerNorm-Count": Ablation(),
    "LayerNorm-SA-Count": Ablation(norms=("attention",)),
    "LayerNorm-FF-Count": Ablation(norms=("feed-forward",)),
    "LayerNorm-Identity": Ablation("none", ("feed-forward",), "ReLU", width=5),
    "No-LayerNorm-Identity": Ablation("none", (), "ReLU", width=5),
}

# One factor at a time from the encoder that counts, and from the standard one without dropout,
# everything at once but for one. "V2" is the authors' two-layer feed-forward part, here with 64
# hidden units for their 2048.
COUNTS = Ablation()
STANDARD = Ablation("softmax", SUBLAYERS, "ReLU", residuals=True, biases=True, hidden=64)
FACTORS: dict[str, Ablation] = {
    "nothing": COUNTS,
    "softmax": replace(COUNTS, attention="softmax"),
    "LN after attention": replace(COUNTS, norms=("attention",)),
    "LN after feed-forward": replace(COUNTS, norms=("feed-forward",)),
    "LN after both": replace(COUNTS, norms=SUBLAYERS),
    "residuals": replace(COUNTS, residuals=True),
    "attention biases": replace(COUNTS, biases=True),
    "dropout": replace(COUNTS, dropout=0.1),
    "no feed-forward": replace(COUNTS, feed_forward="none"),
    "V2": replace(COUNTS, feed_forward="ReLU", hidden=64),
    "everything": STANDARD,
    "everything but softmax": replace(STANDARD, attention="linear"),
}
