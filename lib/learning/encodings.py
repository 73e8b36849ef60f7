"""The position encodings of learners, by name: fixed values, and those with parameters."""

from __future__ import annotations

import torch
from torch import Tensor

from lib.transformer.positions import position
from lib.transformer.sinusoids import sinusoids

# Which formulas fill the first coordinates; the others stay 0.
FORMULAS: dict[str, tuple[str, ...]] = {
    "none": (),
    "FIRST": ("[i=1]",),
    "ONE": ("i/n",),
    "PARITY": ("i/n", "cos iπ"),
    "PALINDROME": ("i", "n-1-i", "[i≤(n-1)/2]", "[i≥(n-1)/2]"),
}
ENCODINGS = (*FORMULAS, "scaled PARITY", "sinusoidal", "doubled sinusoidal", "learned")
RELATIVE = ("ALiBi", "RoPE")  # encodings that enter with a query and a key, not with a token
HAVE_QUOTIENT = ("none", "FIRST")  # of these, positions from 2 on are all alike


def features(encoding: str, i: Tensor, n: Tensor, width: int) -> Tensor:
    """The values of a position encoding at positions i of strings of n tokens, float64.

    `i` (members or 1, B or 1, T) and `n` (members or 1, B or 1, 1) give (members or 1, B or 1, T,
    coordinates); those of "scaled PARITY" are `ramps_and_waves`, and "learned" has none.
    """
    i, n = i.double(), n.double()
    if encoding == "sinusoidal":
        return sinusoids(i, width)
    if encoding == "doubled sinusoidal":
        return doubled_sinusoids(i, width)
    if encoding == "scaled PARITY":
        return ramps_and_waves(i, n, width)
    columns = [torch.as_tensor(position(f)(i, n), dtype=torch.float64) for f in FORMULAS[encoding]]
    if not columns:
        return i[..., None][..., :0]
    return torch.stack(torch.broadcast_tensors(*columns), dim=-1)


def doubled_sinusoids(i: Tensor, width: int) -> Tensor:
    """Sines at even coordinates and cosines at odd ones, coordinate j turning by i / 10^(8j/width).

    The encoding of Nowak et al.'s code: its exponent is twice that of Vaswani et al. 2017, and a
    sine and the cosine after it do not share one.
    """
    coordinates = torch.arange(width)
    angles = i[..., None] / 10_000 ** (2 * coordinates.double() / width)
    return torch.where(coordinates % 2 == 0, angles.sin(), angles.cos())


def ramps_and_waves(i: Tensor, n: Tensor, width: int) -> Tensor:
    """Ramp, angle and wave of each coordinate, (..., 3, width), for `scaled_positions`.

    The first ⌊n/2⌋ coordinates are ramps i/n, the others waves cos(iπ), so that from n = 2 width on
    there is no wave. So it is in Nowak et al.'s code, and was in Chiang & Cholak's until April
    2023; since then theirs has ramps in the first half of the *coordinates*, whatever n. Their text
    has fixed positions instead, "PARITY" here.
    """
    wave = (torch.arange(width) >= n[..., None] // 2).double()
    ramp = (1 - wave) * (i / n)[..., None]
    angle = torch.pi * i[..., None]
    return torch.stack(torch.broadcast_tensors(ramp, angle, wave), dim=-2)


def scaled_positions(parts: Tensor, scales: Tensor) -> tuple[Tensor, Tensor]:
    """Each coordinate as ramp e^s + wave cos(angle e^s), and its derivative by its scale s.

    `parts` is (members or 1, B, T, 3, width) and `scales` (members, 1, width); both results are
    (members, B, T, width). Chiang & Cholak's and Nowak et al.'s encoding for PARITY.
    """
    ramp, angle, wave = parts.unbind(-2)
    factor = scales.exp()[:, :, None]
    turned = angle * factor
    values = ramp * factor + wave * turned.cos()
    return values, ramp * factor - wave * turned * turned.sin()


def slopes(heads: int) -> Tensor:
    """What each head takes from a logit for every position between a query and a key: 2^(-8h/H) for
    h = 1, ..., H, float64 (heads,). ALiBi, Press, Smith & Lewis 2022, section 3.
    """
    return 2.0 ** (-8 * torch.arange(1, heads + 1, dtype=torch.float64) / heads)


def frequencies(width: int, heads: int) -> Tensor:
    """How far each pair of coordinates turns from a position to the next, float64 (width / 2,), in
    radians: 10000^(-2j/d) for j = 0, ..., d/2 - 1, in each head, of width d. RoPE, Su et al. 2024,
    section 3.2.2.
    """
    of_a_head = width // heads
    pairs = torch.arange(0, of_a_head, 2, dtype=torch.float64) / of_a_head
    return (10_000.0**-pairs).repeat(heads)
