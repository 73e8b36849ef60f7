"""Feed-forward networks for PARITY at one length: of step functions, and one that is trained."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from lib.checks import an, check_string
from lib.languages import PARITY

ACTIVATIONS = {"sigmoid": torch.sigmoid, "tanh": torch.tanh, "relu": torch.relu}


def bits(strings: str | Sequence[str]) -> np.ndarray:
    """Strings of one length n, or a single one, as 0/1 of shape (strings, n): x_i = [w_i = 1]."""
    strings = [strings] if isinstance(strings, str) else list(an(list, tuple)(strings, "strings"))
    lengths = {len(check_string(w, PARITY.alphabet)) for w in strings}
    if len(lengths) != 1:
        raise ValueError(f"strings of one length are expected, not {sorted(lengths)}")
    return np.array([[int(symbol) for symbol in w] for w in strings]).reshape(len(strings), -1)


@dataclass(frozen=True)
class StepNetwork:
    """y = H(W2 H(W1 x + b1) + b2) with the step function H(x) = [x > 0]; W1 (h, n), b1 (h,), W2
    (h,), b2 a number.
    """

    W1: np.ndarray
    b1: np.ndarray
    W2: np.ndarray
    b2: float

    def __post_init__(self):
        if np.ndim(self.W1) != 2:
            raise ValueError(f"W1 of shape (units, length) is expected, not {np.shape(self.W1)}")
        units = len(self.W1)
        for name, shape in (("b1", (units,)), ("W2", (units,)), ("b2", ())):
            if (found := np.shape(getattr(self, name))) != shape:  # numpy would stretch it
                raise ValueError(f"{name} of shape {shape} is expected, not {found}")

    def hidden(self, strings: Sequence[str]) -> np.ndarray:
        """What each hidden unit answers: 0/1 of shape (strings, h)."""
        X = bits(strings)
        if X.shape[1] != self.W1.shape[1]:
            raise ValueError(
                f"this network reads strings of length {self.W1.shape[1]}, not {X.shape[1]}"
            )
        return (X @ self.W1.T + self.b1 > 0).astype(int)

    def accepts(self, strings: Sequence[str]) -> np.ndarray:
        """Whether each string is accepted: bool of shape (strings,)."""
        return self.hidden(strings) @ self.W2 + self.b2 > 0


def parity_network(n: int) -> StepNetwork:
    """The network that decides PARITY for strings of length exactly n >= 1, with n hidden units.

    Unit j answers [k >= j]; the output adds the odd units and subtracts the even ones. All numbers
    are half-integers, exact in float64. Rumelhart et al. 1986, as given by Chiang & Cholak 2022,
    section 3.1.
    """
    j = np.arange(1, n + 1)
    return StepNetwork(W1=np.ones((n, n)), b1=0.5 - j, W2=np.where(j % 2 == 1, 1, -1), b2=-0.5)


class ParityTraining(NamedTuple):
    """Trained networks of one shape, one per seed, in float64: weights have an axis of seeds."""

    losses_bits: np.ndarray  # (steps, seeds): cross-entropy before each step, over all 2^n strings
    errors: np.ndarray  # (seeds,): strings decided incorrectly in the end
    W1: np.ndarray
    b1: np.ndarray
    W2: np.ndarray
    b2: np.ndarray


def train_parity(
    n: int, seeds: Sequence[int], activation: str, steps: int, hidden: int | None = None
) -> ParityTraining:
    """Trains one network per seed on all 2^n strings at once, with `hidden` units (n by default)
    and a sigmoid output.

    PyTorch's default initialization, drawn on the CPU from the member's own seed; Adam at learning
    rate 0.02 on the cross-entropy. Members share the loop and nothing else: what one learns does
    not depend on who else trains.
    """
    strings = list(PARITY.all_strings(n))
    X = torch.from_numpy(bits(strings)).double()
    y = torch.tensor([PARITY.contains(w) for w in strings], dtype=torch.float64)
    W1, b1, W2, b2 = parameters = _initial(n, hidden or n, seeds)
    adam = torch.optim.Adam(parameters, lr=0.02)

    def logits() -> Tensor:  # of every member on every string, (seeds, strings)
        h = ACTIVATIONS[activation](torch.einsum("xi,rji->rxj", X, W1) + b1[:, None, :])
        return torch.einsum("rxj,rj->rx", h, W2) + b2

    losses = torch.zeros(steps, len(seeds), dtype=torch.float64)
    for step in range(steps):
        found = logits()
        nats = binary_cross_entropy_with_logits(found, y.expand_as(found), reduction="none")
        loss = nats.mean(-1)
        losses[step] = loss.detach()
        adam.zero_grad()
        loss.sum().backward()
        adam.step()
    is_wrong = (logits() > 0) != y.bool()
    results = (losses / np.log(2), is_wrong.sum(-1), *parameters)
    return ParityTraining(*(part.detach().numpy() for part in results))


def _initial(n: int, hidden: int, seeds: Sequence[int]) -> list[Tensor]:
    """Two torch.nn.Linear layers a seed, stacked: uniform within 1/sqrt(fan in)."""
    generators = [torch.Generator().manual_seed(seed) for seed in seeds]
    found = []
    for shape, fan_in in (((hidden, n), n), ((hidden,), n), ((hidden,), hidden), ((1,), hidden)):
        drawn = [torch.rand(shape, generator=g, dtype=torch.float64) for g in generators]
        found.append(((2 * torch.stack(drawn) - 1) / fan_in**0.5).requires_grad_())
    return found
