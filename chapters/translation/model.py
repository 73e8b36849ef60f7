"""A trainable encoder-decoder with the papers' switches, made from PyTorch's own parts.

Where no switch is set it is `torch.nn.Transformer` between an embedding and its transpose.
Bhattamishra et al. 2020 (figure 2, section 5) take residual connections out of the decoder and
replace encodings by masking; Chiang & Cholak 2022 (equation 2) multiply attention logits by log n.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, scaled_dot_product_attention

from lib.checks import hold, many, one_of
from lib.transformer.tensors import sinusoids

# The first symbols of every vocabulary: padding, beginning, end, unknown.
PAD, BOS, EOS, UNK = range(4)
POSITION_SCHEMES = ("sinusoidal", "masking")
RESIDUALS = ("decoder-encoder", "decoder-decoder", "decoder feed-forward")
LONGEST = 1024  # positions that are encoded

# What attention logits are multiplied by, from the number n of keys that a query sees, float64, and
# the mean number m of symbols in a source trained on.
MEAN = "log n over log mean"
SCALES = ("log n over log 16", "log 16")  # that only grows, that is only large
ATTENTION_SCALES: dict[str, Callable[[Tensor, float], Tensor] | None] = {
    "plain": None,
    "log n": lambda n, m: n.log(),  # Chiang & Cholak 2022, equation (2)
    # 1 at 16 keys: how it grows, and not how large it is
    "log n over log 16": lambda n, m: n.log() / log(16),
    # how large it is, and not how it grows
    "log 16": lambda n, m: torch.full_like(n, log(16)),
    # 1 at the mean length of the sources trained on
    MEAN: lambda n, m: n.log() / log(m),
}


@dataclass(frozen=True)
class Shape:
    """The shape of an encoder-decoder, with `layers` layers on each side, and its switches.

    `positions` is "sinusoidal" (Vaswani et al. 2017) or "masking": no encodings, and each position
    attends to itself and earlier ones, in the encoder too (directional transformers, Bhattamishra
    et al. 2020, section 3.2). `without` names residual connections that are left out, from
    `RESIDUALS`. `scale`, of `ATTENTION_SCALES`, is what the logits of every attention layer are
    multiplied by; `mean_length`, in symbols of a source trained on, is what "log n over log mean"
    divides by. `norm_first` is PyTorch's: layer normalization before each sublayer instead of
    after. Dropout falls on the embeddings and on what each sublayer gives, `attention_dropout` on
    attention weights. Unless `tied`, the two sides' embeddings and the output matrix are three.
    With `xavier` parameters start as in the code of Bhattamishra et al.: embeddings and matrices,
    keys' and values' each by itself, by Xavier's rule, and biases as PyTorch has them. With
    `sample_deviation` layer normalization is that code's, too.
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
    xavier: bool = False
    sample_deviation: bool = False

    def __post_init__(self):
        hold(self, positions=one_of(POSITION_SCHEMES), scale=one_of(ATTENTION_SCALES))
        hold(self, without=many(one_of(RESIDUALS)))


class Attention(nn.Module):
    """Multi-head attention whose logits are multiplied by the shape's scale."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.query = nn.Linear(shape.width, shape.width)
        self.key_value = nn.Linear(shape.width, 2 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)

    def forward(self, x: Tensor, y: Tensor, visible: Tensor) -> Tensor:
        """What x (B, m, width) attends to in y (B, n, width), of the keys that are `visible`, bool
        in a shape that broadcasts to (B, heads, m, n): (B, m, width).
        """
        shape = self.shape
        q = self.query(x).unflatten(-1, (shape.heads, -1)).transpose(1, 2)
        k, v = self.key_value(y).unflatten(-1, (2, shape.heads, -1)).permute(2, 0, 3, 1, 4)
        if scale := ATTENTION_SCALES[shape.scale]:
            keys = visible.sum(-1, keepdim=True).double()
            q = q * scale(keys, shape.mean_length).to(q.dtype)
        dropout = shape.attention_dropout if self.training else 0.0
        attended = scaled_dot_product_attention(q, k, v, attn_mask=visible, dropout_p=dropout)
        return self.out(attended.transpose(1, 2).flatten(-2))


class SampleNorm(nn.LayerNorm):
    """Divides by the sample's standard deviation, plus 1e-6, as Vaswani et al.'s annotated code."""

    def forward(self, input: Tensor) -> Tensor:
        centred = input - input.mean(-1, keepdim=True)
        return self.weight * centred / (input.std(-1, keepdim=True) + 1e-6) + self.bias


def norm(shape: Shape) -> nn.LayerNorm:
    """The shape's layer normalization."""
    return (SampleNorm if shape.sample_deviation else nn.LayerNorm)(shape.width)


class Connection(nn.Module):
    """LN(x + f(x)), or x + f(LN(x)) with `norm_first`; without `has_residual` the x in front is
    left out.
    """

    def __init__(self, shape: Shape, has_residual: bool = True):
        super().__init__()
        self.norm = norm(shape)
        self.dropout = nn.Dropout(shape.dropout)
        self.norm_first = shape.norm_first
        self.has_residual = has_residual

    def forward(self, x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
        y = self.dropout(f(self.norm(x) if self.norm_first else x))
        y = x + y if self.has_residual else y
        return y if self.norm_first else self.norm(y)


class Layer(nn.Module):
    """Attention among the positions, in a decoder attention to the encoder's output too, then two
    linear maps with a ReLU between, at each position by itself.
    """

    def __init__(self, shape: Shape, is_decoder: bool):
        super().__init__()
        without = shape.without if is_decoder else ()
        self.own = Attention(shape)
        if is_decoder:
            self.across = Attention(shape)
        self.feed_forward = nn.Sequential(
            nn.Linear(shape.width, shape.hidden), nn.ReLU(), nn.Linear(shape.hidden, shape.width)
        )
        self.around_own = Connection(shape, "decoder-decoder" not in without)
        if is_decoder:
            self.around_across = Connection(shape, "decoder-encoder" not in without)
        self.around_feed_forward = Connection(shape, "decoder feed-forward" not in without)

    def forward(
        self,
        x: Tensor,
        visible: Tensor,
        source: Tensor | None = None,
        in_source: Tensor | None = None,
    ) -> Tensor:
        x = self.around_own(x, lambda y: self.own(y, y, visible))
        if source is not None:
            x = self.around_across(x, lambda y: self.across(y, source, in_source))
        return self.around_feed_forward(x, self.feed_forward)


class Seq2Seq(nn.Module):
    """An encoder-decoder over one vocabulary for both sides, whose embedding is its output matrix
    too, where these are tied.

    Calling it on source (B, n) and target (B, m) symbols, padded with `PAD` on the right, gives
    logits (B, m, symbols) for the symbol after each of the target's. The same seed gives the same
    weights.
    """

    encodings: Tensor  # of the positions' sinusoids, (LONGEST, width)

    def __init__(self, shape: Shape, seed: int = 0):
        super().__init__()
        self.shape = shape
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.word = nn.Embedding(shape.symbols, shape.width)
            self.target_word = None if shape.tied else nn.Embedding(shape.symbols, shape.width)
            self.out = None if shape.tied else nn.Linear(shape.width, shape.symbols)
            self.encoder = nn.ModuleList(Layer(shape, False) for _ in range(shape.layers))
            self.decoder = nn.ModuleList(Layer(shape, True) for _ in range(shape.layers))
            self.encoder_norm = norm(shape)
            self.decoder_norm = norm(shape)
            self.dropout = nn.Dropout(shape.dropout)
            encodings = sinusoids(torch.arange(LONGEST, dtype=torch.float64), shape.width).float()
            self.register_buffer("encodings", encodings, persistent=False)
            if shape.xavier:
                for name, matrix in self.named_parameters():
                    for part in matrix.chunk(2 if "key_value" in name else 1):
                        if part.dim() > 1:
                            nn.init.xavier_uniform_(part)
                return
            for table in filter(None, (self.word, self.target_word)):
                nn.init.normal_(table.weight, std=shape.width**-0.5)
            for module in self.modules():
                if isinstance(module, nn.Linear):
                    nn.init.xavier_uniform_(module.weight)
                    nn.init.zeros_(module.bias)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.logits(self.decode(target, *self.encode(source)))

    def embed(self, symbols: Tensor, table: nn.Embedding) -> Tensor:
        """The symbols' embeddings (B, n, width), with encodings of their positions."""
        x = table(symbols) * sqrt(self.shape.width)
        if self.shape.positions == "sinusoidal":
            x = x + self.encodings[: symbols.shape[1]]
        return self.dropout(x)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """The encoder's output (B, n, width), and which of it is visible (B, 1, 1, n)."""
        is_symbol = (source != PAD)[:, None, None]
        is_masked = self.shape.positions == "masking"
        visible = is_symbol & _backwards(source) if is_masked else is_symbol
        x = self.embed(source, self.word)
        for layer in self.encoder:
            x = layer(x, visible)
        return self.encoder_norm(x), is_symbol

    def decode(self, target: Tensor, source: Tensor, in_source: Tensor) -> Tensor:
        """The decoder's output (B, m, width) for target symbols, of what `encode` gives."""
        visible = _backwards(target)  # padding on the right is later than all that counts
        y = self.embed(target, self.target_word or self.word)
        for layer in self.decoder:
            y = layer(y, visible, source, in_source)
        return self.decoder_norm(y)

    def logits(self, y: Tensor) -> Tensor:
        """Logits (..., symbols) from the decoder's output."""
        return linear(y, self.word.weight) if self.out is None else self.out(y)


def _backwards(symbols: Tensor) -> Tensor:
    """Each position sees itself and earlier ones: (n, n)."""
    n = symbols.shape[1]
    return torch.ones(n, n, dtype=torch.bool, device=symbols.device).tril()
