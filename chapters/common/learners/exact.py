"""Learners that begin at the transformer for PARITY that Chiang & Cholak write down (their sections
3.2 and 4), or near it: as in their script, but that the word embedding is trained, CLS stands in
front, and both layers have 20 hidden units.
"""

import torch

from chapters.common.learners.ensemble import Ensemble

# Coordinates stand in pairs, x and -x, so that the mean that layer normalization takes away is 0.
PAIRS = ("i/n", "cos iπ", "0", "1", "CLS", "k/n", "1/n", "[i=k]/n", "s", "spare")
AT = {name: 2 * number for number, name in enumerate(PAIRS)}
WIDTH = 2 * len(PAIRS)
SECOND = len(PAIRS)  # where the second head begins


@torch.no_grad()
def begin_at_parity(ensemble: Ensemble, noise: float, moved: str) -> None:
    """Gives each member of a network of positions "mirrored PARITY", two heads and `WIDTH`
    coordinates and hidden units the exact weights, and adds normal `noise`, from its seed, to "all"
    weights or to the "one" of their figure 3.
    """
    p = ensemble.parameters

    def write(name: str, row: int, pair: str, by: float = 1) -> None:
        p[name][:, row, AT[pair]], p[name][:, row, AT[pair] + 1] = by, -by

    for name, value in p.items():
        value.fill_(float(".norm" in name and name.endswith("weight")))
    for code, name in enumerate(("0", "1", "CLS")):
        write("word", code, name)
    for row, (seen, counted) in enumerate((("1", "k/n"), ("CLS", "1/n"))):
        p["layers.0.kv.weight"][:, AT[seen], WIDTH + row] = 1
        write("layers.0.self_attn.out_proj.weight", row, counted)
    for unit, (shift, height) in enumerate(((-1, 1), (0, -2), (1, 1))):  # a tent over i = k
        for name, by in (("k/n", 1), ("i/n", -1), ("1/n", shift)):
            p["layers.0.linear1.weight"][:, AT[name], unit] = by
        write("layers.0.linear2.weight", unit, "[i=k]/n", height)
    for head, odd in ((0, -1), (SECOND, 1)):  # the first attends to odd positions
        p["layers.1.q.weight"][:, AT["CLS"], head] = 1
        p["layers.1.kv.weight"][:, AT["cos iπ"], head] = odd
        p["layers.1.kv.weight"][:, AT["[i=k]/n"], WIDTH + head] = 1
        write("layers.1.self_attn.out_proj.weight", head, "s", -odd)
    p["layers.1.linear1.weight"][:] = torch.eye(WIDTH)
    for name in set(PAIRS) - {"s"}:  # x - max(0, x) + max(0, -x) = 0
        write("layers.1.linear2.weight", AT[name], name, -1)
        write("layers.1.linear2.weight", AT[name] + 1, name, 1)
    p["output.weight"][:, AT["s"]] = 1
    one = p["layers.0.kv.weight"][:, AT["1"], WIDTH : WIDTH + 1]
    for number, member in enumerate(ensemble.members):
        draw = torch.Generator().manual_seed(member.seed)
        for weights in [one] if moved == "one" else p.values():
            weights[number] += noise * torch.randn(weights[number].shape, generator=draw)
