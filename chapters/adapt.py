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

*You trained a small transformer. It is right on every string that you tried. Is it right on all the others?*

In this book one function answers this question: `judge(what you have, the language that you mean)`. What you have may be a trained network, a formula, weights that you set by hand, or any Python function of a string. We begin with a network that is right on all of 2,000 random strings, and end up knowing each short string on which it is wrong.

| you have | what you learn | what it costs |
|---|---|---|
| [a trained network](#adapt-trained) | which strings up to some length it gets wrong, and which answers rounding could change. Without positions, [often every length](13_how_long) | one layer decides thousands of strings a second: with two symbols, all strings of up to 12 take seconds, and each further symbol of length doubles the time. From four or five layers on, each string takes a hundred times longer |
| [a formula](#adapt-formula) | whether it means what you meant, at every length, or else the shortest string on which it does not | seconds |
| [weights by hand](#adapt-hand) | which strings up to some length they get wrong. Every length, if only the numbers of symbols matter, or if attention is hard and unique | seconds to minutes |
| [any other function](#not-read) | on which strings up to some length it is wrong, without a look inside | one call a string |

The language that you mean may be a `Language` (a name and a function), a formula, a regular expression, an automaton, a machine with counters, a function of a string, or a dictionary of examples.

Three words tell you how far to trust an answer.

- *Proved.* An answer for all strings *up to a length* is proved by computing each output with a bound on its error, more finely until its sign is certain. An answer for *every length* is found by a search or by the solver z3, and is called proved only after a second solver, cvc5, has accepted it.
- *Undecided.* If an output is 0, or so close to it that its sign cannot be settled, the string counts as neither right nor wrong.
- *Measured.* Answers about random samples and about types of floats were observed on one machine. The exception is a line that says *provably*.

To change the cells and run them, open this page in Colab with the rocket at the top, or in a copy of the book (`make book` installs what it needs). Each section uses names from the ones before.

(adapt-trained)=
## A network that was trained

Our network should say whether a string has at least two 1s. It has embeddings, positions and an output of its own; the rest is PyTorch's encoder.
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
The network passed, but these samples are easy: hardly any string this long has fewer than two 1s. Now we ask about every short string, in two steps.

First, `from_pytorch` reads the weights by their names in `net.state_dict()`. Weights do not tell everything about a network, so the rest is an argument:

| argument | what to say |
|---|---|
| `heads` | how many heads a layer has |
| `activation` | `"relu"`, `"gelu"`, or another that `help(from_pytorch)` lists |
| `norm`, `eps` | `"layer"` for `nn.LayerNorm`, whose `eps` is 1e-5, or `"rms"` for `nn.RMSNorm`, whose `eps` is `torch.finfo(dtype).eps` unless you set it |
| `pre_norm` | whether normalization comes before each sublayer |
| `causal` | whether `forward` gives the encoder a mask that hides later tokens |
| `encoder`, `position` | how the names of the encoder's weights begin, and the name of the table of positions |
| `word`, `output` | the names of these weights, if they are not `word.weight` and `output` |

Second, `Judged` says how a string becomes a question to the network: which token stands for a symbol, which tokens come before and after the string, and how the output decides. `Positive()` accepts if the only output is above 0. The output is read at the last token, unless `read_at` says otherwise. If your module has dropout, call `net.eval()` first.
"""

# %%
from lib.judging import judge
from lib.trained import Judged, Positive, agrees_with, from_pytorch

network = from_pytorch(net.state_dict(), heads=2, activation="gelu", norm="layer", eps=1e-5,
                       pre_norm=False, causal=False, encoder="encoder.", position="position.weight")
judged = Judged(network, TOKENS, Positive(), before=(2,), after=(3,))
print("read and module differ by at most", agrees_with(judged, net, ["", "0", "011", "0110100"]))
print(judge(judged, TWO, longest=10, floats=("float32", "bfloat16")))

# %% [markdown]
"""
The first line is your check. `agrees_with` runs a copy of the module in float64 beside the network as it was read. If an output differs by more than rounding, it stops and names the string and both numbers. Then either an argument is wrong, or the module does something that its weights do not show.

The verdict is read from top to bottom:

- *The first error.* The shortest string that goes wrong, what the network does with it, and its score. If no string were wrong or undecided, this line would say *proved for each string up to length 10*.
- *All errors.* How many of the strings of up to 10 symbols are wrong, the shortest ten of them, and how many there are of each length.
- *Would a test have found one?* 1,000 random strings, each of a random length from 0 to 10, would almost surely have met an error. The test above drew long strings only.
- *The margin* is how far an output is from 0. The smallest margin of a right answer shows how near the next error is.
- *Floats.* The outputs so far are those of exact arithmetic. Computed once in float32, no answer changes. In bfloat16 a few do, and the first of these strings is named.
- *Other machines.* Float32 changes none of these decisions in whatever order a processor adds, if it rounds by the standard (IEEE 754) and computes the formulas that the [record of chapter 12](record_12_strangers) names. Not every program does: a variance computed in one pass is another formula, and so is GELU by tanh where the network has GELU by erf.
- *What was assumed.* No tensor says how attention logits are scaled, so the last line says how they were read.

What now? The training drew few strings with one or two 1s. Draw more of them, and ask again.

## If your network is another one

The other readers work the same way: each finds the weights by their names, and asks for what the names do not say. `help(from_gpt2)`, for example, lists the arguments.

| your network | how to read it |
|---|---|
| `nn.TransformerEncoder` between an embedding and an `nn.Linear` | `from_pytorch` |
| the same, with two linear maps at the end | `from_pytorch(..., hidden=("head.0", "relu"))` |
| the same, with a vector of its own for CLS | `from_pytorch(..., cls="cls_token")` |
| `nn.TransformerDecoder` whose memory is 0 everywhere | `from_pytorch(..., memory="zeros")` |
| nanoGPT, or GPT-2 of Hugging Face | `from_gpt2` |
| Llama, Mistral without a window, Qwen 2 | `from_llama`, with `model_type="llama"`, say, because other models have tensors of the same names |
| a folder that `save_pretrained` wrote for one of the last two | `from_folder`, which takes the rest from `config.json` |
| TransformerLens, old or new, also without a norm or an MLP | `from_transformer_lens` |
| a file, or a checkpoint that holds the weights in one of its entries | `weights("trained.pt")` gives the state |
| ALiBi, or another scale of the attention logits | a `TrainedNetwork`, written by hand or changed by `dataclasses.replace` (in TransformerLens, `attn_scale` is the number that divides the logits) |

With the module itself at hand, `from_module` is shorter: it takes what it can from the module, asks for the rest, and compares. It knows modules around a single `nn.TransformerEncoder`, and those of TransformerLens and of Hugging Face's GPT-2 and Llama families. Ours would be read by `from_module(net, ["", "0", "011"], causal=False, position="position.weight", tokens=TOKENS, decides=Positive(), before=(2,), after=(3,))`.

How the output decides depends on how the network was trained:

| your network has | `decides` |
|---|---|
| one output, above 0 for *yes* | `Positive()`, or `Positive(2)` for output 2 of several |
| an output for *yes* and one for *no* | `Largest(1, 0)`: accepts if output 1 is larger than output 0 |
| several outputs, of which one means *yes* if it is the largest | `Largest(2, None)` |
| an output for each class | `Classes()`; the language is then a function from a string to the number of its class |
| next tokens, trained by cross entropy | `NextTokens(end, "largest")`: after every prefix, the likeliest token is one that may come. Or `NextTokens(end, 0.05)`: the tokens with a probability above 0.05 are exactly those that may come. `end` is the output that says that the string may end here |
| next tokens, each with an output above 0 if it may come (binary cross entropy) | `NextTokens(end, "positive")` |

Four more things may apply to you:

- *It was trained on certain strings only.* Then ask about these only: `judge(..., promise="(0|1){10}")` decides the strings of ten symbols. A promise is a regular expression or an automaton, and `longest` must be at least as long as its strings.
- *Its strings are long.* There are a million strings of twenty symbols. `TWO.sampled(lambda words: accepted(judged, words), 20, 20)`, with `accepted` from `lib.trained`, draws some of them.
- *Every string was padded to a fixed length, and no mask hides the padding.* Say `Judged(..., padding=(token, length))`.
- *It multiplies its attention logits by the log of the number of tokens.* Say `dataclasses.replace(network, log_n=True)`.

A network *without positions* can be judged at **every** length, if it has either one layer and a causal mask, or any number of layers and no mask. The language must be a formula about numbers of symbols, such as `count(Q("1")) > count(Q("0"))`. The verdict is then a proof, or the first error and a length from which on the network gets some string of each length wrong ([chapter 13](13_how_long)).

(not-read)=
### What is not read

No reader takes relative positions other than rotary ones and ALiBi, normalized queries and keys, attention that sees only a window, or a mixture of experts. So Gemma and the newer models of the Qwen family, for example, are refused.

You can still ask such a network. `judge` takes any function that says whether it accepts a string, and `sampled` draws longer strings for a function that takes a list of strings and gives a list of answers. Here we ask the module from above directly, without reading its weights.
"""

# %%
def accepts(w):
    return net(rows([w])).item() > 0


print(judge(accepts, TWO, longest=10))
print(TWO.sampled(lambda words: map(accepts, words), shortest=30, longest=40, each=20))

# %% [markdown]
"""
`judge` names the same string as above. This time nothing is proved about the network, because each output was computed once, in float32, in the order that this machine chose. (Here the line *float32 provably keeps* above shows that the order does not matter.)

Random strings again show nothing, but `sampled` draws two other kinds as well: strings in runs of equal symbols, and *neighbours*, which are two strings that differ in one symbol, one of them in the language. They show that the network is wrong on long strings too, although 2,000 random ones were all right.

(adapt-formula)=
## A formula

Perhaps you have no weights, but can say in words what you mean. A *counting formula* says which conditions have held up to the present symbol, or how often. For example, `Q("1")` says that a symbol is a 1, `once(...)` that something has held at least once so far, and `never(...)` that it has not. So `never(Q("0") and once(Q("1")))` says *never a 0 after a 1*. All words of formulas are listed by `print(formula.__doc__)`, with `formula` from `lib.formulas`.

[Chapter 8](08_formulas_to_transformers) compiles a formula into a transformer, here with softmax attention. To check it, say in another way what you meant, here by a regular expression.
"""

# %%
from textwrap import fill
from lib.formulas import compiled

in_order = compiled('never(Q("0") and once(Q("1")))', "01", "softmax")
for expression in ("0*1*", "0*1+"):
    print(fill(str(judge(in_order, expression, longest=8)), 80))

# %% [markdown]
"""
The first expression is what the formula means, at every length. The second is not: it asks for at least one 1, and the shortest string that shows the difference is the empty one. If you get the answer *wrong*, look at this string first: either the formula or the expression does not say what you meant.

How can a program know about every length? A theorem of chapter 8 says that the transformer does what the formula says. The expression is made into a finite automaton. A search then follows formula and automaton together, symbol by symbol, and notes what each must remember: for the formula, the last symbol, and for each `once` whether it has held yet. The search meets five pairs of such states. The shortest strings that lead to them are the empty string, `0`, `1`, `10` and `101`. In every pair both answers agree, and no symbol leads to a new pair, so no string can separate the two. That is a proof ([chapter 11](11_every_length)), and cvc5 has checked it. The 511 strings of up to 8 symbols are one more check, of the transformer itself.

(adapt-hand)=
## Weights by hand

Let us write a transformer that accepts a string if its last symbol is a 1. The language is a name and a function:
"""

# %%
LAST = Language("LAST", lambda w: w.endswith("1"))
print([w for w in LAST.all_strings(3) if w in LAST], LAST.sample(length=6, size=2, seed=0))

# %% [markdown]
"""
Now name the coordinates of a token's vector, and write each row of a matrix as a combination of them. CLS, a token in front of the string, looks at all tokens with one head. The query `cls` times the key `end` is 1 at the last token and 0 elsewhere, so the last token weighs most. A token gives `s` the value ½ if it is a 1, and −½ if it is a 0 or CLS. The output is `s`, read at CLS.

The library computes `[i=n-1]` from its name, which is a formula: the $n$ tokens, CLS among them, have the numbers $i$ from 0 to $n - 1$, and the coordinate is 1 at the last of them.
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
The last token weighs $e$ times as much as any other, however many there are. To make it weigh $n$ times as much, say `log_n=True`: then the product of query and key is multiplied by the logarithm of the number of tokens, as in [chapter 4](04_log_n_scaling). We try both.
"""

# %%
print(judge(last, LAST, longest=10, log_n=True))
print(judge(last, LAST, longest=10), Exact(last).decide("00001"), sep="\n")

# %% [markdown]
"""
Without the logarithm the last token is outvoted, because the others become more and more. `decide` shows this for one string, `00001`, which should be accepted. It prints the output with a bound on its error, and the number of `bits` with which it was computed.

With the logarithm every string of up to 10 symbols is decided correctly. This proves nothing about longer strings, but here an argument by hand does: the last token weighs $n$, the other $n - 1$ tokens weigh 1 each, and every token adds ½ or −½ times its weight. So the last token outweighs all others together, and `s` has its sign. A program finds such a proof if only the numbers of symbols matter ([see below](#numbers-of-symbols)). And if you can say what you mean by a formula, compile the formula, as above.

If `judge` takes long, say `seconds=60, progress=True`: it then tells how long the next length will take, and stops before a length that does not fit into the time. Longer strings can be drawn:
"""

# %%
print(LAST.sampled(Exact(last, log_n=True).accepts, shortest=40, longest=42, each=20))

# %% [markdown]
"""
What else you can write:

- *A head with hard attention*: `Head(..., attention="hardmax")` attends to the largest logits only, beside others with softmax.
- *How the construction must be read*: with `reading=Reading(log_n=True)` (`Reading` is in `lib.transformer` too), the construction tells this to all readers, and they refuse an option that contradicts it. A compiled formula does so by itself, so that `Exact(in_order)` or `to_torch(in_order)` is enough.
- *Positions from a table*: `position={"[i=0]": end, "[i=1]": -2 * end}` and so on adds a vector of your own at each position.
- *Several outputs, and tokens of several characters*: `vector = Exact(last).vector(["CLS", "0", "1"])` is the last vector of CLS, and `s(vector)` or `(s - end)(vector)` is the value of any combination there.
- *Layer normalization of some coordinates only*: with `norm` from `lib.transformer`, `Layer(ffn=norm({"x": s, "y": -s}, gain={"x": 2}, eps=0))` writes `s` and `-s` to two more coordinates, minus their mean and divided by √(variance + eps), the first times 2. With eps = 0, equal numbers give 0/0: the exact reader says so, but floats may not notice.

GELU units cannot be written by hand; the readers above take them from trained networks.

## Mutants

Is each number in the weights needed? A *mutant* has one of them set to 0. Here the verdict *wrong* is good news, because it shows that the construction fails without this number.

Each line names the matrix, such as $W^{V,1,1}$ (the values of layer 1, head 1), and then the entry: `s ← 0` is what the coordinate `s` receives from the coordinate `0`. (`q1` and `k1` are the first entries of query and key.)
"""

# %%
from chapters.common.mutants import mutants

for label, mutant in mutants(last):
    print(label, judge(mutant, LAST, longest=8, log_n=True).headline, sep=": ")

# %% [markdown]
"""
The last number is not needed up to 8 symbols: `s` need not receive anything from CLS. On the empty string the output is then 0, which rejects too, and on all other strings the last token weighs enough without it.

(numbers-of-symbols)=
## Another alphabet, and a proof

A symbol may be any single character, with an embedding of its own. The next construction has three symbols, and compares how many there are of two. Its head has neither query nor key, so it weighs all tokens alike.

Because only numbers of symbols matter, `judge` can prove it for every length. It writes the output as a polynomial in the numbers of a, b and c, and asks z3 for numbers for which the sign is wrong. There are none, and cvc5 confirms each answer. For such a proof the language must be one that a prover can read, here a formula.
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
The formula may speak of numbers of symbols and of fixed positions, such as the first. It may not ask which symbol is the *last*, so for LAST the argument by hand remains. If attention is hard and unique, order may matter as well: `judge` then makes an automaton of the construction. For a construction that is right only from some weight of attention on, see `proved_above` of `record.proofs`.

## Add to the book

An exercise asks for something that can be run, and has a judge of its own: a function that says what is wrong with an answer, with a string where it errs, or returns `None`. This one tries the strings of fewer than six symbols.
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
The exercises of a chapter are in `chapters/NAME/exercises.py`, and what they ask for is in `exercises.yaml` beside it.

To judge the construction of another paper, write a *note*: a page of its own, with a test and a line in the scorecard, the book's list of what papers claim. [Brackets of bounded depth](note_bounded_dyck) is one. `CONTRIBUTING.md` says what belongs in a note and what in a chapter.
"""
