"""The same weights in PyTorch's own `nn.Transformer`, as a reference; decoding anew at every step,
and the padding of batches.
"""

import torch
from torch import Tensor, nn

from chapters.translation.data import Examples
from chapters.translation.model import BOS, EOS, PAD, MultiHeadAttention, Seq2Seq


@torch.no_grad()
def plain(model: Seq2Seq) -> nn.Transformer:
    """`model` between its embedding and its logits as an `nn.Transformer`; only where no switch is
    set are the two equal.
    """
    shape = model.shape
    made = nn.Transformer(
        shape.width,
        shape.heads,
        shape.layers,
        shape.layers,
        shape.hidden,
        shape.dropout,
        batch_first=True,
        norm_first=shape.norm_first,
        layer_norm_eps=shape.eps,
        dtype=model.word.weight.dtype,
    )

    def copy(old: MultiHeadAttention, new: nn.MultiheadAttention) -> None:
        new.in_proj_weight.copy_(torch.cat([old.query.weight, old.key_value.weight]))
        new.in_proj_bias.copy_(torch.cat([old.query.bias, old.key_value.bias]))
        new.out_proj.load_state_dict(old.out.state_dict())

    for old, new in (
        *zip(model.encoder, made.encoder.layers, strict=True),
        *zip(model.decoder, made.decoder.layers, strict=True),
    ):
        norms = [old.around_own, old.around_feed_forward]
        copy(old.own, new.self_attn)
        if hasattr(old, "across"):
            copy(old.across, new.multihead_attn)
            norms.insert(1, old.around_across)
        new.linear1.load_state_dict(old.feed_forward[0].state_dict())
        new.linear2.load_state_dict(old.feed_forward[2].state_dict())
        for number, connection in enumerate(norms, start=1):
            getattr(new, f"norm{number}").load_state_dict(connection.norm.state_dict())
    made.encoder.norm.load_state_dict(model.encoder_norm.state_dict())
    made.decoder.norm.load_state_dict(model.decoder_norm.state_dict())
    return made


def causal(m: int) -> Tensor:
    """True where a target position must not look."""
    return torch.ones(m, m, dtype=torch.bool).triu(1)


def plain_logits(model: Seq2Seq, made: nn.Transformer, source: Tensor, target: Tensor) -> Tensor:
    """The logits of `made` between the embedding of `model` and its transpose; source padding is
    masked where there is any.
    """
    padding = source == 0
    padding = padding if padding.any() else None
    y = made(
        model.embed(source),
        model.embed(target),
        tgt_mask=causal(target.shape[1]),
        tgt_is_causal=True,
        src_key_padding_mask=padding,
        memory_key_padding_mask=padding,
    )
    return nn.functional.linear(y, model.word.weight)


@torch.no_grad()
def greedy_anew(model: Seq2Seq, source: Tensor, longest: int) -> list[list[int]]:
    """What `greedy` gives, with the decoder run at every step on all that was decoded so far."""
    symbols = torch.full((len(source), 1), BOS)
    while symbols.shape[1] <= longest and not (symbols == EOS).any(1).all():
        logits = model(source, symbols)[:, -1]
        logits[:, [PAD, BOS]] = -torch.inf
        symbols = torch.cat([symbols, logits.argmax(-1, keepdim=True)], 1)
    rows = symbols[:, 1:].tolist()
    return [row[: row.index(EOS)] if EOS in row else row for row in rows]


def padding_share(examples: Examples, tokens: int, bucket: float | None = None) -> float:
    """The share of padding among all symbols, of both sides, in batches of about `tokens` target
    symbols.
    """
    sides = [side for batch in examples.batches(tokens, [0], bucket) for side in batch]
    padding = sum(int((side == PAD).sum()) for side in sides)
    return padding / sum(side.numel() for side in sides)
