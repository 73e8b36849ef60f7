# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Adapt this

*You trained a small transformer, or wrote down a formula, or set weights by hand. What does it decide, on every string?*

One function answers, whatever you have: `judge(what you have, the language that you mean)`. To run the cells below and change them, open the page in Colab, with the rocket at the top of the page, or in a copy of the book (`make book` installs what it needs). Each section reuses names from the sections before it.

| you have | the answer covers | what it costs |
|---|---|---|
| a trained network: `nn.TransformerEncoder`, GPT-2, nanoGPT, Llama's family, TransformerLens | every string up to a length, with the answers that rounding changes; without positions, often [every length](13_how_long) | thousands of strings a second for one layer. Two symbols up to length 12 take seconds; each further symbol of length doubles the time. Beyond four or five layers each string takes a hundred times longer |
| a counting formula, or a transformer compiled from one | every length, if a proof is found and checked; otherwise every string up to a length, or the shortest string on which it is not what you meant | seconds |
| weights that you wrote by hand | every string up to a length; every length, if only the numbers of symbols matter, or if attention is unique and hard | seconds to minutes |
| any function of a string, such as a module that no reader here knows | every string up to a length, as the function answers, without looking inside | one call for each string |

[Refused](#not-read) are networks with relative positions other than rotary ones and ALiBi, with normalized queries and keys, with attention windows, or with mixtures of experts.

The language may be a `Language`, a formula, a regular expression, an automaton, a machine with counters, a function of a string, or a dictionary of examples.

A string is accepted if the output is above 0, and rejected otherwise. An answer up to a length is proved: each output is computed with a bound on its error until its sign is certain. If the sign cannot be settled, because the output is 0 or too close to it, the string is called *undecided*. A proof for every length is found by a search or by a solver (z3), and it counts only after a second solver (cvc5) has accepted it. Each of these can fail, and the answer then says so. Answers about samples and about float types are measurements on one machine, except where the output says *provably*.

## A network that was trained

We train a network on samples, and ask what it does on *every* string. It should say whether a string has at least two 1s. It has embeddings, positions and an output of its
own; the rest is PyTorch's encoder.
"""

# %%
import numpy as np
import torch
from torch import nn
from lib.languages import Language

TWO = Language("two 1s", lambda w: w.count("1") >= 2)
TOKENS = {"0": 0, "1": 1}  # a string stands between the tokens 2 and 3


def rows(words):
    return torch.tensor([[2, *(TOKENS[a] for a in w), 3] for w in words])


def batch(length, size, seed):
    words = TWO.sample(length, size, seed)
    return rows(words), torch.tensor([float(w in TWO) for w in words])


# %%
class Net(nn.Module):
    def __init__(self, width=16, longest=48):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 2, 64, 0.0, "gelu", batch_first=True)
        self.word, self.position = nn.Embedding(4, width), nn.Embedding(longest, width)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.output = nn.Linear(width, 1)

    def forward(self, tokens):
        x = self.word(tokens) + self.position.weight[: tokens.shape[1]]
        return self.output(self.encoder(x)[:, -1])


# %%
torch.manual_seed(0)
net, draw = Net(), np.random.default_rng(0)
descent = torch.optim.AdamW(net.parameters(), 3e-3)
for step in range(600):
    tokens, right = batch(int(draw.integers(1, 41)), 64, step)
    loss = nn.functional.binary_cross_entropy_with_logits(net(tokens)[:, 0], right)
    descent.zero_grad(), loss.backward(), descent.step()

# %%
tests = [batch(length, 100, 10_000 + length) for length in range(21, 41)]
hits = [((net(tokens)[:, 0] > 0) == (right > 0)).float().mean() for tokens, right in tests]
print(f"right on {np.mean(hits):.1%} of 2,000 random strings of 21 to 40 symbols")

# %% [markdown]
"""
These samples are easy: hardly any string this long has fewer than two 1s. Now ask about every short string.

- `from_pytorch` finds the weights by their names in `net.state_dict()`. Words and output are `word.weight` and `output`, unless you say `word="embed.weight"` or the like. You say where the encoder and the positions are: `encoder="encoder."` means that the names of the encoder's weights begin with `encoder.`.
- What the names do not tell is an argument too: how many heads, which activation, the kind of normalization (`norm` is `"layer"`, or `"rms"` for `nn.RMSNorm`), its `eps` (1e-5 for `nn.LayerNorm`; `nn.RMSNorm` takes about 1.19e-7 unless it is told otherwise, and 2.22e-16 in float64), whether normalization comes before each sublayer (`pre_norm`), the last norm's kind and ε if they are others (`last_norm`, `last_eps`), and whether `forward` hands the encoder a mask that hides later tokens (`causal`). For four heads and such a mask write `TransformerEncoderLayer(width, 4, ...)`, give `self.encoder` a `mask` (`generate_square_subsequent_mask` of `nn.Transformer` makes it), and say `heads=4, causal=True`. A module with dropout is put into `net.eval()` first.
- `Judged` says which token stands for a symbol, which stand before and after a string, and how the output decides: `Positive()` accepts if the only output is above 0 (`Positive(2)`, if output 2 of several is), and `Largest(1, 0)` accepts if output 1 is larger than output 0. The output is read at the last token, or where `read_at` says.
"""

# %%
from lib.judging import judge
from lib.trained import Judged, Positive, agrees_with, from_pytorch

network = from_pytorch(net.state_dict(), heads=2, activation="gelu", norm="layer", eps=1e-5,
                       pre_norm=False, causal=False, encoder="encoder.", position="position.weight")
judged = Judged(network, TOKENS, Positive(), before=(2,), after=(3,))
print("read and module differ by at most", agrees_with(judged, net, ["", "0", "011", "0110100110"]))
print(judge(judged, TWO, longest=10, floats=("float32", "bfloat16")))

# %% [markdown]
"""
The first line is your check. `agrees_with` runs the module itself beside the network as it was read. It asks a copy of the module in float64. One of the strings is as long as the longest that is judged: what a module does to long strings alone, such as an attention window, no shorter string shows. If an output differs by more than rounding, it stops and names the string and both numbers: then an argument is wrong, or the module does something that its weights do not show. Then, line by line:

- The shortest string that goes wrong, what the network does with it, and its score there. If no string were wrong or undecided, this line would say *proved for each string up to length 10*.
- How many of all strings of up to 10 symbols are wrong, and the shortest ten of them. The line after that counts the wrong ones of each length.
- A test on 1,000 random strings, each of a random length from 0 to 10, would almost surely have met an error. The test above drew long strings only.
- The *margin* is how far an output is from 0. The smallest one of a right answer shows how near the next error is.
- The outputs are those of exact arithmetic. When they are computed once in float32, no answer changes; in bfloat16 a few do, and the shortest string for which this happens is named.
- The next line is for other machines: float32 changes none of these decisions, in whatever order a processor adds, if it rounds by the standard (IEEE 754) and computes the formulas that the [record of chapter 12](record_12_strangers) names. Not every program does. A variance that is computed in one pass is another formula, for example, and so is GELU by tanh where the network has GELU by erf.
- No tensor says how attention logits are scaled, so the last line says how they were read.

What now? The training drew few strings with one or two 1s. Draw more of them, and ask again.

## A network of another kind

Besides `from_pytorch` there are three readers for other names of weights, and one for folders. Each takes `net.state_dict()`, finds the weights by their names, and asks for what no name says; `help(from_gpt2)`, say, lists the arguments.

| your network | its reader |
|---|---|
| `nn.TransformerEncoder` between an embedding and an `nn.Linear` | `from_pytorch` |
| the same with two maps at the end, or with a vector of its own for CLS | `from_pytorch` with `hidden=("head.0", "relu")`, or with `cls="cls_token"` |
| `nn.TransformerDecoder` whose memory is 0 everywhere | `from_pytorch` with `memory="zeros"` |
| a unidirectional encoder of `rau`, the library behind FLaRe | `from_pytorch` with `word="first.first.first.first.func.embedding_layer.embeddings"`, after these words are multiplied by the root of the width, `positions=f` for its sines and cosines, `encoder="first.second.layers"`, `last="first.second.layers.norm"` and `output="second.func.linear"` |
| nanoGPT, or GPT-2 of Hugging Face | `from_gpt2` |
| Llama, Mistral without a window, Qwen 2 | `from_llama`, with `model_type="llama"`, say: other models have tensors of the same names |
| the folder that `save_pretrained` wrote for one of the last two | `from_folder`, which takes the rest from `config.json` |
| TransformerLens, old or new, also without a norm or an MLP | `from_transformer_lens` |
| the module itself: one around a single `nn.TransformerEncoder`, or one of TransformerLens or of Hugging Face's GPT-2 and Llama families | `from_module(net, ["", "0", "011"], causal=False, position="position.weight", tokens=TOKENS, decides=Positive(), before=(2,), after=(3,))`, say: it takes what it can from the module, asks for the rest, and compares |
| a file, or a checkpoint that holds the weights in one of its entries | `weights("trained.pt")` gives the state |
| ALiBi, or another scale of the attention logits (in TransformerLens, `attn_scale` says what they are divided by) | a `TrainedNetwork`, written by hand or changed by `dataclasses.replace` |

What decides depends on how the network was trained:

| the network | `decides` |
|---|---|
| one output, above 0 for *yes* | `Positive()` |
| several outputs, of which one means *yes* if it is the largest | `Largest(2, None)`, and `Largest(2, 0)` if it is compared with output 0 alone |
| an output for each class | `Classes()`; the language is then a function from a string to the number of its class |
| a language model, trained by cross entropy | `NextTokens(end, "largest")`: after every prefix the likeliest token is one that may come; with `NextTokens(end, 0.05)` the tokens with a probability above 0.05 are exactly those that may come. `end` is the output that says that the string may end here |
| an output above 0 for each token that may come (binary cross entropy) | `NextTokens(end, "positive")` |

If a network was trained only on certain strings, ask only about these: `judge(..., promise="(0|1){10}")` decides the strings of ten symbols. A promise is a regular expression or an automaton, and `longest` must reach its strings. There are a million strings of twenty symbols; `TWO.sampled(lambda words: accepted(judged, words), 20, 20)`, with `accepted` from `lib.trained`, draws some of them. If every string was padded to a fixed length and no mask hides the padding, say `Judged(..., padding=(token, length))`.

A network without positions, with one layer and a causal mask or any number of layers without a mask, is judged at *every* length, if the language is a formula about numbers of symbols, such as `count(Q("1")) > count(Q("0"))`. The verdict is then a proof, or the first error and the length from which on the network gets some string of each length wrong ([chapter 13](13_how_long)). If the network multiplies its attention logits by the log of the number of tokens, say so: `dataclasses.replace(network, log_n=True)`.

(not-read)=
### What is not read

No reader takes relative positions other than rotary ones and ALiBi, normalization of queries and keys, attention that sees only a window, or a mixture of experts. Gemma and newer models of the Qwen family, for example, are not read.

Such a network can still be asked. `judge` takes any function that says of a string whether it is accepted, and `sampled` draws longer strings for a function that takes a list of strings and gives a list of answers. Here we ask the module from above directly, without reading its weights.
"""

# %%
def accepts(w):
    return net(rows([w])).item() > 0


print(judge(accepts, TWO, longest=10))
print(TWO.sampled(lambda words: map(accepts, words), shortest=30, longest=40, each=20))

# %% [markdown]
"""
The string should be the one that `judge` found above. This time nothing is proved of the network, because each output was computed once, in float32, in the order that this machine chose; but the line *float32 provably keeps* above showed that none of these decisions depends on that order. Beside random strings, `sampled` draws strings in runs of equal symbols and *neighbours*: two strings that differ in one symbol, one of which belongs to the language. These show that long strings go wrong too, although 2,000 random ones were all right.

## A formula

Perhaps you have no weights, but can say what you mean in words. A *counting formula* says which conditions have held up to the present symbol, or how often. `Q("1")` says that a symbol is a 1, `once(...)` that something has held at least once so far, `never(...)` that it has not. So this formula says *never a 0 after a 1*. `print(formula.__doc__)`, with `formula` from `lib.formulas`, lists all words of formulas; `total` alone counts symbols that are still to come. [Chapter 8](08_formulas_to_transformers) compiles a formula into a transformer, here with softmax attention. Then say in another way what you meant, here by a
regular expression. If the search ends and cvc5 accepts what it found, the answer holds at every length. Otherwise the search shows the shortest string on which the two differ.
"""

# %%
from textwrap import fill
from lib.formulas import compiled

in_order = compiled('never(Q("0") and once(Q("1")))', "01", "softmax")
for expression in ("0*1*", "0*1+"):
    print(fill(str(judge(in_order, expression, longest=8)), 80))

# %% [markdown]
"""
The transformer does what the formula says at every length, by a theorem of chapter 8. The expression is made into a finite automaton (a *DFA*). A search follows it and the formula together, symbol by symbol. A formula's state is what it must remember: the last symbol, and of each `once` whether it has held yet (`never` is *not once*). The search reaches five pairs of states; the shortest strings that lead to them are the empty string, `0`, `1`, `10` and `101`. In every pair both answers agree, and no symbol leads to a new pair. So no string can separate the formula from the expression: that is a proof ([chapter 11](11_every_length)). A second program, cvc5, has checked it. The strings of up to 8 symbols are one more check, of the transformer itself; the score in the second answer is the transformer's. If the answer is *wrong*, look at the string first: it may show that the formula or the expression does not say what you meant.

## Weights by hand

First say what the weights should decide. A language is a name and a function that says whether a string belongs to it.
"""

# %%
LAST = Language("LAST", lambda w: w.endswith("1"))
print([w for w in LAST.all_strings(3) if w in LAST], LAST.sample(length=6, size=2, seed=0))

# %% [markdown]
"""
Then name the coordinates of a token's vector, and write each row of a matrix as a combination of them. Here CLS, a token in front of the string, looks at all tokens with one head. The query `cls` times the key `end` is 1 at the last token and 0 elsewhere, so the last token weighs most. `s` receives ½ from a 1 and −½ from a 0 or CLS, each with its weight, and is the output, read at CLS. The name of the coordinate `[i=n-1]` is a formula, which the library computes: the $n$ tokens, CLS among them, have the numbers $i$ from 0 to $n - 1$, and the coordinate is 1 at the last of them.
"""

# %%
from lib.transformer import Construction, Exact, Head, Layer, Space

S = Space("0", "1", "CLS", "[i=n-1]", "s")
zero, one, cls, end, s = S
look = Layer(heads=[Head(q=[cls], k=[end], v={"s": (one - zero - cls) / 2})])
last = Construction(S, word={"0": zero, "1": one, "CLS": cls}, position={"[i=n-1]": end},
                    layers=[look], output=s, name="LAST")

# %% [markdown]
"""
The last token weighs $e$ times as much as any other, however many there are. To make it weigh $n$ times as much, say `log_n=True`: then the product of query and key is multiplied by the logarithm of the number of tokens, as in [chapter 4](04_log_n_scaling).
"""

# %%
print(judge(last, LAST, longest=10, log_n=True))
print(judge(last, LAST, longest=10), Exact(last).decide("00001"), sep="\n")

# %% [markdown]
"""
Without the logarithm the last token loses, because there are more and more of the others. `decide` shows this for one string, `00001`, which should be accepted: it gives the output, how far the output can be off, and with how many `bits` it was computed.

With the logarithm every string of up to 10 symbols is decided correctly. This proves nothing about longer strings, but an argument by hand settles them: the last token weighs $n$, the other $n-1$ tokens weigh 1 each, and every token adds ½ or −½ times its weight, so the last one outweighs all others together and `s` has its sign. Where only the numbers of symbols matter, a program finds such a proof (see [another alphabet](#numbers-of-symbols)); if a formula can say what you mean, compile the formula as above.

With `seconds=60, progress=True` `judge` says how long the next length will take, and stops before a length that does not fit into the time. Longer strings can be drawn instead: at random, in runs of equal symbols, and as neighbours.
"""

# %%
print(LAST.sampled(Exact(last, log_n=True).accepts, shortest=40, longest=42, each=20))

# %% [markdown]
"""
What else you can write:

- A head of another kind: `Head(..., attention="hardmax")` attends to the largest logits alone, beside others with softmax.
- How the construction must be read: with `reading=Reading(log_n=True)` (`Reading` is in `lib.transformer` too), the construction itself tells this to all readers, and they refuse an option that contradicts it. A compiled formula does so by itself: `Exact(in_order)` or `to_torch(in_order)` is enough.
- Positions from a table: `position={"[i=0]": end, "[i=1]": -2 * end}` and so on adds a vector of your own at each position.
- Several outputs, and tokens of several characters: `vector = Exact(last).vector(["CLS", "0", "1"])` is the last vector of CLS, and `s(vector)` or `(s - end)(vector)` is the value of any combination there.
- Layer normalization of some numbers alone: with `norm` from `lib.transformer`, `Layer(ffn=norm({"x": s, "y": -s}, gain={"x": 2}, eps=0))` writes `s` and `-s` to two more coordinates, minus their mean and divided by √(variance + eps), the first times 2. With eps = 0, equal numbers give 0/0: the exact reader says so, but floats may not notice.

You cannot write GELU units by hand. For a trained network with GELU, use the readers above.

## Mutants

Is each number in the weights needed? A mutant has one of them set to 0. The matrix is named first, such as $W^{V,1,1}$, the values of layer 1, head 1; then the entry, such as `s ← 0`: what the coordinate `s` receives from the coordinate `0`. (`q1` and `k1` are the first entries of query and key.) Here the verdict *wrong* is good news: it shows that the construction fails without this number.
"""

# %%
from chapters.common.mutants import mutants

for label, mutant in mutants(last):
    print(label, judge(mutant, LAST, longest=8, log_n=True).headline, sep=": ")

# %% [markdown]
"""
The last number is not needed up to 8 symbols: `s` need not receive anything from CLS. On the empty string the output is then 0, which rejects too, and on all other strings the last token weighs enough without it.

(numbers-of-symbols)=
## Another alphabet

A symbol is any single character, with an embedding of its own. The rest is the same. (A head with neither query nor key weighs all tokens alike.) This construction only compares two numbers of symbols, so `judge` can prove it for every length: it reads the rows, writes the output as a polynomial in the numbers of a, b and c, and asks z3 for numbers of a, b and c for which the sign is wrong. z3 finds none, and cvc5 confirms each of its answers. For such a proof the language must be one that a prover can read, here a formula.
"""

# %%
MORE = 'count(Q("a")) > count(Q("b"))'
S = Space("a", "b", "c", "CLS", "share")
a, b, c, cls, share = S
average = Layer(Head({"share": a - b}))
more = Construction(S, {"a": a, "b": b, "c": c, "CLS": cls}, {}, average, share, name="more a")
print(judge(more, MORE, longest=7))

# %% [markdown]
"""
The condition may speak of numbers of symbols and of fixed positions, such as the first. That the *last* symbol is a 1 is no such condition, so for LAST the argument by hand remains. With unique hard attention behind masks order may matter: there `judge` makes an automaton of the construction. For a construction that is right only from some weight of attention on, see `proved_above` of `lib.proofs.constructions`.

## Add to the book

An exercise asks for something that can be run, and has a judge: a function that says what is wrong with an answer, with a string where it errs, or
`None`. This one tries strings of fewer than six symbols.
"""

# %%
from dataclasses import replace
from chapters.common.judge import check, counterexample, exercise

@exercise("LAST", "a Construction that decides LAST under log n", Construction)
def decides_last(answer):
    return counterexample(LAST, Exact(answer, log_n=True).accepts, range(6))

for answer in (..., "no idea", replace(last, output=-s), last):
    check("LAST", answer)

# %% [markdown]
"""
A chapter's exercises stand in `chapters/NAME/exercises.py`, what they ask for in `exercises.yaml` beside it.

Another paper's construction, judged, is a page of its own, a *note*, with a test and a line in the scorecard, the book's list of what papers claim.
[Brackets of bounded depth](note_bounded_dyck) is one. `CONTRIBUTING.md` says what belongs in a note and what in a chapter.
"""
