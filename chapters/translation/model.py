"""A trainable encoder-decoder with the papers' switches, made from PyTorch's own parts.

Where no switch is set it is `torch.nn.Transformer` between an embedding and its transpose.
Bhattamishra et al. 2020 (figure 2, section 5) take residual connections out of the decoder and
replace encodings by masking; Chiang & Cholak 2022 (equation 2) multiply attention logits by log n.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from math import log, sqrt

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, scaled_dot_product_attention

from lib.checks import between, checked_eps, flag, hold, many, number, one_of, share, takes, text
from lib.transformer.tensors import sinusoids

# The first symbols of every vocabulary: padding, beginning, end, unknown.
PAD, BOS, EOS, UNK = range(4)
POSITION_SCHEMES = ("sinusoidal", "masking")
RESIDUALS = ("decoder-encoder", "decoder-decoder", "decoder feed-forward")
LONGEST = 1024  # positions that are encoded

# What attention logits are multiplied by, from the number n of keys that a query sees, float64, and
# the mean number m of symbols in a source trained on.
ATTENTION_SCALES: dict[str, Callable[[Tensor, float], Tensor] | None] = {
    "plain": None,
    "log n": lambda n, m: n.log(),  # Chiang & Cholak 2022, equation (2)
    # 1 at 16 keys: how it grows, and not how large it is
    "log n over log 16": lambda n, m: n.log() / log(16),
    # how large it is, and not how it grows
    "log 16": lambda n, m: torch.full_like(n, log(16)),
    # 1 at the mean length of the sources trained on
    "log n over log mean": lambda n, m: n.log() / log(m),
}


@dataclass(frozen=True)
class Shape:
    """The shape of an encoder-decoder, with `layers` layers on each side, and its switches.

    `positions` is "sinusoidal" (Vaswani et al. 2017) or "masking": no encodings, and each position
    attends to itself and earlier ones, in the encoder too (directional transformers, Bhattamishra
    et al. 2020, section 4.3). `without` names residual connections that are left out, from
    `RESIDUALS`. `scale`, of `ATTENTION_SCALES`, is what the logits of every attention layer are
    multiplied by; `mean_length`, in symbols of a source trained on, is what "log n over log mean"
    divides by. `norm_first` is PyTorch's: layer normalization before each sublayer instead of
    after. Dropout falls on the embeddings and on what each sublayer gives, `attention_dropout` on
    attention weights. Unless `tied`, the two sides' embeddings and the output matrix are three.
    """

    symbols: int
    layers: int = 1
    heads: int = 1
    width: int = 64
    hidden: int = 128
    positions: str = "sinusoidal"
    without: tuple[str, ...] = ()
    scale: str = "plain"
    mean_length: float = 2.0
    norm_first: bool = False
    dropout: float = 0.0
    attention_dropout: float = 0.0
    tied: bool = True
    eps: float = 1e-5

    def __post_init__(self):
        for name in ("symbols", "layers", "heads", "width", "hidden"):
            between(1, 10**6)(getattr(self, name), name)
        hold(self, positions=one_of(POSITION_SCHEMES), scale=one_of(ATTENTION_SCALES))
        hold(self, norm_first=flag, tied=flag, mean_length=number)
        hold(self, dropout=share, attention_dropout=share)
        checked_eps(self.eps)
        if self.symbols <= UNK + 1:
            raise ValueError(
                f"more than {UNK + 1} symbols are expected, as so many are reserved, "
                f"not {self.symbols}"
            )
        if self.width % self.heads:
            raise ValueError(
                f"a width that {self.heads} heads divide is expected, not {self.width}"
            )
        if isinstance(self.without, str):
            raise TypeError(
                f"without must be a tuple of names of {', '.join(RESIDUALS)}, not {self.without!r}"
            )
        for name in many(text)(self.without, "without"):
            if name not in RESIDUALS:
                raise ValueError(
                    f"a residual connection of {', '.join(RESIDUALS)} is expected, not {name!r}"
                )
        if self.scale == "log n over log mean" and not self.mean_length > 1:
            raise ValueError(
                f"a mean_length above 1 is expected, as its logarithm divides, "
                f"not {self.mean_length!r}"
            )


@dataclass(frozen=True)
class Visible:
    """Which keys are visible to the queries: those that `mask` (B, 1, 1, n) holds true for, None
    for all; if `is_causal`, none later than the query.

    `count` says how many those are, in a shape that broadcasts to (B, heads, queries, width).
    """

    mask: Tensor | None
    is_causal: bool
    count: Tensor


class MultiHeadAttention(nn.Module):
    """Multi-head attention. `keys_values` is apart from `forward`, so that decoding can keep what
    it gives.
    """

    def __init__(self, shape: Shape):
        super().__init__()
        self.heads = shape.heads
        self.scale = ATTENTION_SCALES[shape.scale]
        self.mean_length = float(shape.mean_length)
        self.dropout = shape.attention_dropout
        self.query = nn.Linear(shape.width, shape.width)
        self.key_value = nn.Linear(shape.width, 2 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)

    def keys_values(self, x: Tensor) -> Tensor:
        """Keys and values of x (B, n, width), stacked: (2, B, heads, n, width / heads)."""
        return self.key_value(x).unflatten(-1, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)

    def forward(self, x: Tensor, keys_values: Tensor, visible: Visible) -> Tensor:
        """What x (B, m, width) attends to, of the keys and values that it sees: (B, m, width)."""
        q = self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        if self.scale is not None:
            q = q * self.scale(visible.count.double(), self.mean_length).to(q.dtype)
        attended = scaled_dot_product_attention(
            q,
            *keys_values,
            attn_mask=visible.mask,
            dropout_p=self.dropout if self.training else 0.0,
            is_causal=visible.is_causal,
        )
        return self.out(attended.transpose(1, 2).flatten(-2))


def feed_forward(shape: Shape) -> nn.Sequential:
    """Two linear maps with a ReLU between, at each position by itself."""
    return nn.Sequential(
        nn.Linear(shape.width, shape.hidden), nn.ReLU(), nn.Linear(shape.hidden, shape.width)
    )


class Connection(nn.Module):
    """LN(x + f(x)), or x + f(LN(x)) with `norm_first`; without `has_residual` the x in front is
    left out.
    """

    def __init__(self, shape: Shape, has_residual: bool = True):
        super().__init__()
        self.norm = nn.LayerNorm(shape.width, eps=shape.eps)
        self.dropout = nn.Dropout(shape.dropout)
        self.norm_first = shape.norm_first
        self.has_residual = has_residual

    def forward(self, x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
        y = self.dropout(f(self.norm(x) if self.norm_first else x))
        y = x + y if self.has_residual else y
        return y if self.norm_first else self.norm(y)


class EncoderLayer(nn.Module):
    """Attention among the source's positions, then the feed-forward sublayer."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.own = MultiHeadAttention(shape)
        self.feed_forward = feed_forward(shape)
        self.around_own = Connection(shape)
        self.around_feed_forward = Connection(shape)

    def forward(self, x: Tensor, visible: Visible) -> Tensor:
        x = self.around_own(x, lambda y: self.own(y, self.own.keys_values(y), visible))
        return self.around_feed_forward(x, self.feed_forward)


class DecoderLayer(nn.Module):
    """Attention among the target's positions, attention to the encoder's output, and the
    feed-forward sublayer.
    """

    def __init__(self, shape: Shape):
        super().__init__()
        self.own = MultiHeadAttention(shape)
        self.across = MultiHeadAttention(shape)
        self.feed_forward = feed_forward(shape)
        self.around_own = Connection(shape, "decoder-decoder" not in shape.without)
        self.around_across = Connection(shape, "decoder-encoder" not in shape.without)
        self.around_feed_forward = Connection(shape, "decoder feed-forward" not in shape.without)

    def forward(
        self,
        x: Tensor,
        visible: Visible,
        source: Tensor,
        source_visible: Visible,
        remember: Callable[[Tensor], Tensor] = lambda keys_values: keys_values,
    ) -> Tensor:
        """`source` holds keys and values of the encoder's output; `remember` may add those of
        earlier positions to the new ones.
        """
        x = self.around_own(x, lambda y: self.own(y, remember(self.own.keys_values(y)), visible))
        x = self.around_across(x, lambda y: self.across(y, source, source_visible))
        return self.around_feed_forward(x, self.feed_forward)


@dataclass
class Memory:
    """What decoding keeps: keys and values of the source, and those of the `length` symbols decoded
    so far, for each layer.
    """

    source: list[Tensor]
    source_visible: Visible
    own: list[Tensor]
    length: int = 0

    def remember(self, layer: int, keys_values: Tensor) -> Tensor:
        """Adds those of one position; gives all up to it."""
        self.own[layer][:, :, :, self.length] = keys_values[:, :, :, 0]
        return self.own[layer][:, :, :, : self.length + 1]

    def select(self, rows: Tensor) -> None:
        """Keeps these rows of the batch, in this order, of what was decoded; the source of a row
        must stay the same.
        """
        for own in self.own:
            own[:, :, :, : self.length] = own[:, rows, :, : self.length]


class Seq2Seq(nn.Module):
    """An encoder-decoder over one vocabulary for both sides, whose embedding is its output matrix
    too, where these are tied.

    Calling it on source (B, n) and target (B, m) symbols, padded with `PAD` on the right, gives
    logits (B, m, symbols) for the symbol after each of the target's. The same seed gives the same
    weights.
    """

    @takes(shape=Shape, seed=between(0, 2**63 - 1))
    def __init__(self, shape: Shape, seed: int = 0):
        super().__init__()
        self.shape = shape
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(seed))
            self.word = nn.Embedding(shape.symbols, shape.width)
            self.said = None if shape.tied else nn.Embedding(shape.symbols, shape.width)
            self.out = None if shape.tied else nn.Linear(shape.width, shape.symbols)
            self.encoder = nn.ModuleList(EncoderLayer(shape) for _ in range(shape.layers))
            self.decoder = nn.ModuleList(DecoderLayer(shape) for _ in range(shape.layers))
            self.encoder_norm = nn.LayerNorm(shape.width, eps=shape.eps)
            self.decoder_norm = nn.LayerNorm(shape.width, eps=shape.eps)
            self.dropout = nn.Dropout(shape.dropout)
            for table in filter(None, (self.word, self.said)):
                nn.init.normal_(table.weight, std=shape.width**-0.5)
            for module in self.modules():
                if isinstance(module, nn.Linear):
                    nn.init.xavier_uniform_(module.weight)
                    nn.init.zeros_(module.bias)

    @property
    def decoder_layers(self) -> list[DecoderLayer]:
        return [layer for layer in self.decoder if isinstance(layer, DecoderLayer)]

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        encoded, source_visible = self.encode(source)
        visible = self._backwards(target.shape[1])
        y = self.embed(target, table=self.said)
        for layer in self.decoder_layers:
            y = layer(y, visible, layer.across.keys_values(encoded), source_visible)
        return self.logits(y)

    def embed(self, symbols: Tensor, start: int = 0, table: nn.Embedding | None = None) -> Tensor:
        """The symbols' embeddings (B, n, width), with encodings of the positions from `start` on;
        by the source's table unless another is given.
        """
        end = start + symbols.shape[1]
        if end > LONGEST:
            raise ValueError(f"at most {LONGEST} positions are encoded, not {end}")
        x = (table or self.word)(symbols) * sqrt(self.shape.width)
        if self.shape.positions == "sinusoidal":
            x = x + encodings(self.shape.width, x.device)[start:end].to(x.dtype)
        return self.dropout(x)

    def encode(self, source: Tensor) -> tuple[Tensor, Visible]:
        """The encoder's output (B, n, width), and which of it is visible."""
        is_symbol = source != PAD
        across = Visible(
            mask=None if bool(is_symbol.all()) else is_symbol[:, None, None],
            is_causal=False,
            count=is_symbol.sum(1)[:, None, None, None],
        )
        visible = self._backwards(source.shape[1]) if self.shape.positions == "masking" else across
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, visible)
        return self.encoder_norm(x), across

    def logits(self, y: Tensor) -> Tensor:
        """Logits (..., symbols) from the decoder's last layer."""
        y = self.decoder_norm(y)
        return linear(y, self.word.weight) if self.out is None else self.out(y)

    def begin(self, source: Tensor, longest: int, copies: int = 1) -> Memory:
        """Encodes the source and makes room for `longest` decoded symbols, in `copies` rows for
        each of its sentences.
        """
        encoded, visible = self.encode(source.repeat_interleave(copies, 0))
        across = [layer.across.keys_values(encoded).contiguous() for layer in self.decoder_layers]
        own = [x.new_empty(*x.shape[:3], longest, x.shape[4]) for x in across]
        return Memory(across, visible, own)

    def step(self, symbols: Tensor, memory: Memory) -> Tensor:
        """Logits (B, symbols) for what follows `symbols` (B,), which `memory` goes on from and
        keeps.
        """
        y = self.embed(symbols[:, None], memory.length, self.said)
        count = torch.tensor(memory.length + 1, device=symbols.device)
        visible = Visible(mask=None, is_causal=False, count=count)
        for place, layer in enumerate(self.decoder_layers):
            source = memory.source[place]
            remember = partial(memory.remember, place)
            y = layer(y, visible, source, memory.source_visible, remember)
        memory.length += 1
        return self.logits(y)[:, 0]

    def _backwards(self, n: int) -> Visible:
        """Each of n positions sees itself and earlier ones; padding on the right is later than all
        that counts.
        """
        count = torch.arange(1, n + 1, device=self.word.weight.device)[:, None]
        return Visible(mask=None, is_causal=True, count=count)


@cache
def encodings(width: int, device: torch.device) -> Tensor:
    """The sinusoidal encodings of all positions, (LONGEST, width)."""
    return sinusoids(torch.arange(LONGEST, dtype=torch.float64), width).float().to(device)
