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

**In one sentence:** the function `judge` tries every string up to some length on your network, names the shortest one that it gets wrong, and sometimes proves that there is none of any length.

It takes three lines. One reads the weights, one says how a string is put to the network, and one asks:

```python
network = from_pytorch(net.state_dict(), heads=2, activation="gelu", ...)
judged = Judged(network, {"0": 0, "1": 1}, Positive(), before=(2,), after=(3,))
print(judge(judged, language, longest=10))
```

The answer begins with *wrong* and a string, with *proved*, or with *undecided*. What to expect:

| question | answer |
|---|---|
| What is accepted? | PyTorch's encoder, GPT-2, Llama, Mistral, Qwen 2, TransformerLens: [all kinds, and what you are asked about each](which_networks) |
| What is refused? | Attention in a window, mixtures of experts, most relative positions, normalized queries and keys. You can still [ask from outside](#adapt-function) |
| What does it cost? | With one layer, all strings of 0s and 1s up to length 12 take seconds, and each further length doubles the time. In deep networks each string takes about a hundred times longer (for random ones of width 8, [chapter 12](12_strangers) estimates, from seven or eight layers on) |

We follow one network from its training to its verdict. After that we try three other things that you can bring: any function of a string, a formula, and weights that you set by hand. To change and run the cells, open this page in Colab with the rocket at the top, or in a copy of the book. Run them in order.

(adapt-trained)=
## A network passes its test

A *language* is a set of strings, the ones that should be accepted. Ours holds the strings over 0 and 1 with at least two 1s, and a network should learn to accept exactly these. We write its embeddings, positions and output ourselves; the rest is PyTorch's encoder.
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
hits = [((net(tokens)[:, 0] > 0) == (right > 0)).sum().item() for tokens, right in tests]
print(f"right on {sum(hits):,} of 2,000 random strings of 21 to 40 symbols")

# %% [markdown]
"""
The network passed. But the test was easy: hardly any random string this long has fewer than two 1s, so a network that always says *yes* would almost surely have passed, too.

## Ask about every short string

Now we ask about every string of up to ten symbols, by the three lines.

*Read it.* `from_pytorch` finds the weights by their names in `net.state_dict()`. (For weights in a file, say `weights("trained.pt")` instead, with `weights` from `lib.trained`.) The weights alone do not say what the network computes, so we add the rest. Our layer has two heads, GELU, and layer normalization with PyTorch's `eps`. It normalizes after each sublayer, not before, has no causal mask, and has no normalization at the end. The last two arguments say how the names of the encoder's weights begin, and what the table of positions is called. ([All arguments](#what-to-say) are listed. If your module has dropout, call `net.eval()` first.)

*Say how a string is put to it.* `Judged` says which token stands for each symbol, which tokens come before and after the string, and how the output becomes a yes or a no. `Positive()` accepts if the only output is above 0. The output is read at the last token, unless `read_at` says otherwise.
"""

# %%
from textwrap import fill
from lib.judging import judge
from lib.trained import Judged, Positive, agrees_with, from_pytorch

network = from_pytorch(net.state_dict(), heads=2, activation="gelu", norm="layer", eps=1e-5,
                       pre_norm=False, causal=False, last=None,
                       encoder="encoder.", position="position.weight")
judged = Judged(network, TOKENS, Positive(), before=(2,), after=(3,))
print("read and module differ by at most", agrees_with(judged, net, ["", "0", "011", "0110100110"]))


def show(verdict):
    for line in str(verdict).splitlines():
        print(fill(line, 80))


show(judge(judged, TWO, longest=10, floats=("float32", "bfloat16")))

# %% [markdown]
"""
*Read and module* checks that the network was read correctly. `agrees_with` runs your module, as it is, beside the network as it was read, on strings that you list. Each symbol must occur in one of them, and one of them must have two different symbols. If two outputs differ by more than rounding, `agrees_with` stops and names the string and both numbers. Then one of your arguments is wrong, or the module does something that its weights do not show. Some of this, such as an attention window, shows only on long strings. So list one that is as long as the longest that you will judge.

The verdict follows. Here are its lines, with dots for what differs from network to network:

| line of the verdict | what it tells you | how it is known |
|---|---|---|
| `wrong: '…' is rejected, but is in two 1s, with score …` | The shortest string that the network gets wrong, and its *score*, the value of the output. With no string wrong or undecided, this line says *proved for each string up to length 10*. | proved |
| `of … strings up to length 10, … are decided incorrectly` | How many strings are wrong. | proved |
| `the first: …` | The shortest ten of them. Look at ours: they have one or two 1s, so they lie just where *no* should change to *yes*. | proved |
| `by length: …` | How many are wrong at each length. | proved |
| `1,000 strings of random lengths show none with chance …` | Would a test have found an error? With random lengths from 0 to 10 it almost surely would. The test above drew long strings only. | computed from these counts |
| `the smallest margin of a right decision is …, at '…'` | The closest call among the right answers. The margin is the distance of an output from 0. | proved |
| `float32 changes … decisions`, `bfloat16 changes …` | How many answers change if each output is computed once in such floats, and the first string where one does. (The lines before are about real numbers.) | measured on this machine |
| `float32 provably keeps …, in any order of its sums` | The number of strings on which float32 changes no decision on *any* machine that rounds by the standard (IEEE 754) and uses the formulas that the [record of chapter 12](record_12_strangers) names, in whatever order it adds the terms of a sum. Some programs use others: a variance in one pass, for example, GELU by tanh where the network has it by erf, or rotary angles in float32. | proved |
| `assumed, because the weights do not say it: …` | For example, which tokens attention sees, how many heads there are, how attention logits are scaled, whether there are positions or padding, whether `forward` multiplies the words by something, where the output is read. Compare this line with your code. | assumed |

What now? Training drew few strings with one or two 1s. So you could draw more of them, train again, and ask again. You could also ask about longer strings.

## How far to trust a verdict

What a verdict says is proved, undecided or measured.

- *Proved up to a length.* If the weights are known, the output on every string up to that length is computed with a bound on its error, ever more precisely until its sign is certain.
- *Proved for every length.* Answers about a formula, or about weights by hand where only the number of each symbol matters, are found by a search or by the solver z3. Most are called proved only after a second solver, cvc5, has accepted them. If the search, z3 or cvc5 fails, the verdict says so. Two kinds of proofs have no second solver:
  - proofs about trained networks;
  - proofs about weights by hand whose heads each pick a single token, if the language is a regular expression or an automaton.
- *Undecided.* If the sign of an output cannot be settled, because the output is 0 or too close to it, the string counts as neither right nor wrong. (Where exact arithmetic shows that an output *is* 0, as it can for weights by hand, the string is rejected.)
- *Measured.* What is said about functions that were only asked, random samples and types of floats was observed on one machine, unless the line says *provably*.

## What else you can bring

| you bring | you learn | it costs |
|---|---|---|
| [any function](#adapt-function) | which strings up to some length it gets wrong, seen from outside only | one call per string |
| [a formula](#adapt-formula) | whether it means what you meant, at every length if a proof is found, else up to some length. If not, the shortest string on which it differs | seconds |
| [weights by hand](#adapt-hand) | which strings they get wrong, up to some length; often at every length, if only the number of each symbol matters, or if every head is masked and picks a single token (*unique hard* attention) | seconds to minutes |

The language, too, can be given in many ways: as a `Language` (a name and a function), a formula, a regular expression, an automaton, a machine with counters, a function of a string, or a dictionary of examples.

(adapt-function)=
## Any other function

`judge` takes any function that says yes or no to a string. `sampled` draws longer strings at random; the function that it is given takes a list and returns all answers. Here we ask our module directly, without reading its weights.
"""

# %%
def accepts(w):
    return net(rows([w])).item() > 0


print(judge(accepts, TWO, longest=10))
print(TWO.sampled(lambda words: map(accepts, words), shortest=30, longest=40, each=20))

# %% [markdown]
"""
`judge` names the same string as before. But this time nothing is proved about the network: each output was computed once, in float32, in whatever order this machine chose. (Only by reading the weights did we learn that, under the conditions above, no other order changes an answer.)

Random strings again show no error. But `sampled` draws two other kinds, too: strings made of runs of equal symbols, and *neighbours*, two strings that differ in one symbol, only one of them in the language. Both kinds show that the network is wrong on long strings, too.

(adapt-formula)=
## A formula

Perhaps you have no weights, but can say in words what you mean. A *counting formula* reads the string from left to right. At each symbol it can ask which conditions have held so far, or how often. For example, `Q("1")` says that a symbol is a 1, `once(...)` that something has held at least once so far, and `never(...)` that it has not. So `never(Q("0") and once(Q("1")))` says *never a 0 after a 1*. For all words that a formula may use, see `help("lib.formulas.text")`.

The compiler of [chapter 8](08_formulas_to_transformers) turns a formula into a transformer, here one with softmax attention. To check that the formula says what you meant, say it again in another way, here as a regular expression. We try two.
"""

# %%
from lib.formulas import compiled

in_order = compiled('never(Q("0") and once(Q("1")))', "01", "softmax")
for expression in ("0*1*", "0*1+"):
    show(judge(in_order, expression, longest=8))

# %% [markdown]
"""
The first expression is what the formula means, at every length. The second is not: it asks for at least one 1, and the shortest string that shows the difference is the empty one. When a verdict is *wrong*, look at its string first: either the formula or the expression does not say what you meant.

How can a program know about every length? By a theorem of chapter 8, the transformer does what the formula says, so it is enough to compare the formula with the expression. The program turns the expression into a finite automaton. Then it follows formula and automaton together, symbol by symbol, and notes what each must remember: the automaton remembers its state, and the formula the last symbol and, for each `once` or `never`, whether its condition has held yet. This search meets five pairs of such states. The shortest strings that lead to them are the empty string, `0`, `1`, `10` and `101`. In every pair the two answers agree, and no further symbol leads to a new pair, so on no string can the two differ. That is a proof ([chapter 11](11_every_length)), and cvc5 has checked it. The 511 strings of up to 8 symbols are one more check, this time of the transformer itself.

(adapt-hand)=
## Weights by hand

Let us write a transformer that accepts a string if its last symbol is a 1. The language is a name and a function:
"""

# %%
LAST = Language("LAST", lambda w: w.endswith("1"))
print([w for w in LAST.all_strings(3) if w in LAST], LAST.sample(length=6, size=2, seed=0))

# %% [markdown]
"""
The plan is a vote in which the last token has the largest weight. CLS, a token in front of the string, looks at all tokens with one head. Each token votes ½ if it is a 1, and −½ if it is a 0 or CLS. The result of the vote, `s`, is read at CLS.

To write this down, name the coordinates of a token's vector, and give each row of a matrix as a combination of these names. The $n$ tokens, CLS among them, have the numbers $i$ from 0 to $n - 1$. The name `[i=n-1]` is a formula, from which the library computes the coordinate: 1 at the last token and 0 elsewhere. In the code this coordinate is called `end`. The query `cls` and the key `end` give the last token the largest weight at CLS.
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
After softmax the last token weighs $e$ times as much as any other token, however many there are. To make it weigh $n$ times as much, say `log_n=True`: then the product of query and key is multiplied by the logarithm of the number of tokens, as in [chapter 4](04_log_n_scaling). We try it with the logarithm first, then without.
"""

# %%
print(judge(last, LAST, longest=10, log_n=True))
print(judge(last, LAST, longest=10), Exact(last).decide("00001"), sep="\n")

# %% [markdown]
"""
Without the logarithm the last token is outvoted once there are enough others. `decide` shows this for one string, `00001`, which should be accepted. It prints the output with a bound on its error, and the number of `bits` with which it was computed.

With the logarithm every string of up to 10 symbols is decided correctly. That proves nothing about longer strings, but here an argument by hand does. The last token weighs $n$, the other $n - 1$ tokens weigh 1 each, and every token votes ½ or −½. So the last token outweighs all others together, and `s` has the sign of its vote. A program can find such a proof if only the numbers of symbols matter ([see below](#numbers-of-symbols)). And if a formula can say what you mean, compile the formula, as above.

If `judge` takes too long, add `seconds=60, progress=True`: it then says how long the next length will take, and stops before a length for which there is not enough time. Longer strings can be sampled:
"""

# %%
print(LAST.sampled(Exact(last, log_n=True).accepts, shortest=40, longest=42, each=20))

# %% [markdown]
"""
## Mutants

Is each number in the layers needed? In a *mutant*, one of the layers' nonzero numbers is set to 0. Here the verdict *wrong* is good news: without this number the transformer fails.

Each line names the matrix, such as $W^{V,1,1}$ (the values of layer 1, head 1), and then the entry: `s ← 0` is what the coordinate `s` receives from the coordinate `0`. (`q1` and `k1` are the first entries of query and key.)
"""

# %%
from chapters.common.mutants import mutants

for label, mutant in mutants(last):
    print(label, judge(mutant, LAST, longest=8, log_n=True).headline, sep=": ")

# %% [markdown]
"""
The number in the last line is not needed for strings of up to 8 symbols: CLS need not vote. Without its vote, the output on the empty string is 0, which also rejects, and on all other strings the last token outweighs the rest anyway.

:::{dropdown} What else you can write by hand
- *A head with hard attention*: `Head(..., attention="hardmax")` attends to the largest logits only, even if other heads use softmax. With `"leftmost"` or `"rightmost"` it picks a single one of them (*unique* hard attention).
- *How the construction must be read*: with `reading=Reading(log_n=True)` (`Reading` is in `lib.transformer`, too), the construction itself says that it needs this factor, and all readers refuse an option that contradicts it. A compiled formula does so by itself, so that `Exact(in_order)` or `to_torch(in_order)` is enough.
- *Positions from a table*: `position={"[i=0]": end, "[i=1]": -2 * end}` and so on adds a vector of your own at each position.
- *Several outputs, and tokens of several characters*: `vector = Exact(last).vector(["CLS", "0", "1"])` is the last vector of CLS, and `s(vector)` or `(s - end)(vector)` is the value of any combination there.
- *Layer normalization of some coordinates only*: with `norm` from `lib.transformer`, `Layer(ffn=norm({"x": s, "y": -s}, gain={"x": 2}, eps=0))` writes `s` and `-s` to two more coordinates, minus their mean and divided by √(variance + eps), the first times 2. With eps = 0, equal numbers give 0/0: the exact reader says so, but floats may not notice.

GELU units cannot be written by hand. They can only be read from trained networks.
:::

(numbers-of-symbols)=
## Another alphabet, and a proof

A symbol may be any single character, with an embedding of its own. The next construction has three symbols, and asks whether there are more a's than b's. Its head has neither query nor key, so it weighs all tokens alike.

Because the order of the symbols does not matter, `judge` can prove this one for every length. It finds a polynomial in the numbers of a's, b's and c's that has the output's sign, and asks z3 for numbers for which this sign is wrong. There are none, as cvc5 confirms. For such a proof the language must be one that a prover can read, here a formula.
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
In such a proof the formula may count symbols and ask about fixed positions, such as the first. It may not ask which symbol is the *last*, so for LAST we have only the argument by hand. Where order matters, `judge` can turn the construction into an automaton if all heads have `attention="leftmost"`, or all `"rightmost"`, every head has a mask, and the output is read at the last token (`readout="last"`). For a construction that is right only if its attention is sharp enough, see `proved_above` of `record.proofs`.
"""
