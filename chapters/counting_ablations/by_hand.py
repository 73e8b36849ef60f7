"""Encoders that count, by hand: for each part of a layer that keeps training from it, weights that
count with that part in place.
"""

from math import sqrt

import torch
from torch import Tensor

from chapters.counting_ablations.grids import COLOURS
from chapters.counting_ablations.layer import Ablation, Counters

IDENTITY = torch.eye(COLOURS, dtype=torch.float64)
IS_COLOURED = (torch.arange(COLOURS) > 0).double()  # all but black
COLOURED = torch.diag(IS_COLOURED)
SHARPNESS = 40.0  # by how much the logit of what is attended to lies above the others


def by_hand(ablation: Ablation, **matrices: Tensor) -> Counters:
    """One encoder with the given parameters, and 0 for every other: `F1_bias` is "F1 bias", `gamma`
    that of its one normalization.
    """
    counters = Counters(ablation, [0])
    with torch.no_grad():
        counters.flat.zero_()
        for name, matrix in matrices.items():
            place = f"{name} after {ablation.norms[0]}" if name == "gamma" else name
            counters.parameters()[place.replace("_", " ")][0] = matrix
    return counters


def _attending(ablation: Ablation, **matrices: Tensor) -> Counters:
    """The same, with attention weight 1 between cells of one colour, black left out, and their
    values as they are, where `matrices` say nothing else.
    """
    plain = {"Q": sqrt(COLOURS) * COLOURED, "K": IDENTITY, "V": IDENTITY, "O": IDENTITY}
    return by_hand(ablation, **plain | matrices)


def algorithm_1(counts_black: bool = False) -> Counters:
    """Ouellette et al., algorithm 1, as weights of No-LayerNorm-Count: attention weight 1 on equal
    colours, 0 on others. Black gets none, as its target is 0, unless `counts_black`. The attention
    divides by the sqrt(10) of W_Q, so that counts are exact in float64.
    """
    query = sqrt(COLOURS) * (IDENTITY if counts_black else COLOURED)
    return _attending(Ablation(), Q=query, F=IDENTITY)


def through_residuals(gain: float) -> Counters:
    """A counter with residual connections: W_V = L I, W_F = (1/L - 1) I for the gain L. A cell of a
    colour of N cells is given N + 1/L at its colour, a black one 1/L: for L > 2 both round to the
    target, at every size in exact arithmetic.
    """
    undo = (1 / gain - 1) * IDENTITY
    return _attending(Ablation(residuals=True), V=gain * IDENTITY, F=undo)


def below_root_eps(shrink: float, eps: float = 1e-5) -> Counters:
    """A counter with layer normalization after attention, whose input is `shrink` times the counts.
    Well below sqrt(eps) normalization only removes the mean and divides by sqrt(eps); the
    feed-forward part undoes both, as the coordinate of black holds minus the mean.
    """
    undo = sqrt(eps) / shrink * (IDENTITY - IDENTITY[0] * torch.ones(COLOURS, 1))
    ablation = Ablation(norms=("attention",), eps=eps)
    return _attending(ablation, V=shrink * IDENTITY, gamma=torch.ones(COLOURS), F=undo)


def beside_black(shrink: float, eps: float = 1e-5) -> Counters:
    """A counter with layer normalization after the feed-forward part: as `below_root_eps`, with the
    mean taken up by black's coordinate, which gamma then sets to 0.
    """
    made = shrink * (IDENTITY - torch.outer(IDENTITY[0], IS_COLOURED)) * IS_COLOURED
    ablation, gamma = Ablation(norms=("feed-forward",), eps=eps), sqrt(eps) / shrink * IS_COLOURED
    return _attending(ablation, F=made, gamma=gamma)


def with_start_token(largest: int) -> Counters:
    """A softmax counter of grids with a start token (`grids.started`), right for every count up to
    `largest` on grids whose other cells' weights of e^-40 add up to little.

    A cell of a colour of N cells attends equally to them and to the start token, whose value is 0,
    so that it is given N / (N + 1) at its colour, up to a share of e^-40 of the other cells. The
    ReLU part interpolates u / (1 - u) between N / (N + 1), N = 0, ..., `largest`.
    """
    count = torch.arange(largest, dtype=torch.float64)
    width, start = COLOURS + 1, COLOURS
    eye = torch.eye(width, dtype=torch.float64)
    attended = torch.block_diag(COLOURED, torch.zeros(1, 1, dtype=torch.float64))
    attended[start] = 1  # by every token, itself too
    units = eye[1:COLOURS].repeat_interleave(largest, dim=0)  # `largest` for each colour
    return by_hand(
        Ablation("softmax", feed_forward="ReLU", hidden=len(units), width=width),
        Q=SHARPNESS * sqrt(width) * attended,
        K=eye,
        V=eye - torch.outer(eye[start], eye[start]),
        O=eye,
        F1=units,
        F1_bias=(-count / (count + 1)).repeat(COLOURS - 1),
        F2=units.T * (2 * (count + 1)).repeat(COLOURS - 1),
    )
