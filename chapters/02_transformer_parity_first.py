# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# A transformer for PARITY

*Attention can only average, and in an average one symbol among many hardly shows. Whether a transformer with softmax attention can tell an odd number of 1s from an even one was an open question until Chiang and Cholak wrote one down that does. How does it work, and how sure is it of its answers?*

**In one sentence:** turn the number of 1s into a place, and ask whether the place is odd; in exact arithmetic the answer is always right, but on long strings it is hardly surer than a coin toss.
"""

# %% tags=["hide-input"]
from dataclasses import replace
from decimal import Decimal, localcontext

import matplotlib.pyplot as plt
import numpy as np
from flint import arb

from chapters.common.judge import check
from chapters.transformer_parity_first.figures import confidence
from lib import constructions
from chapters.common.floats import SIGNIFICAND
from lib.languages import FIRST, PARITY, Language
from record.notebook import COLOURS, REFERENCE, glue, markdown_table, note, stream_table, use_style
from lib.transformer import FFN, Construction, Encoder, Exact, Head, Layer, Space
from record.runs import stored

use_style()

# %% [markdown]
r"""
## What attention does

A set of strings is called a **language**, and PARITY is the language of all strings with an odd number of 1s. We build a transformer that decides PARITY, and run it by hand on $110$, which has two 1s and must be rejected.

A transformer reads a row of **tokens**: the symbols of the string, and in front of them a token called {term}`CLS`, where the answer will be read. The positions of the tokens are numbered from 0:

| position | 0 | 1 | 2 | 3 |
|---|---|---|---|---|
| token | CLS | 1 | 1 | 0 |

In chapter 1 $n$ counted the symbols of a string. From here on **$n$ counts the tokens**, CLS included, so it is one more than the number of symbols. Here $n = 4$, and $k$, the number of 1s, is 2.

Each position carries a list of numbers, its **vector**, and computes from this vector alone. Only **attention** brings something from one position to another. An attention {term}`head` returns a weighted mean of what the positions say. Three kinds of numbers go into it:

- Each position asks with a **query**, which says what it is looking for.
- Every position answers with a **key**, which says what it is. Query times key is the attention **logit** of that position: the better key and query match, the larger it is.
- Every position offers a **value**, which is what it has to say.

**Softmax** makes weights of the logits. It turns each logit $x$ into the positive number $e^x$, which we call the **pull** of its position, and divides by the sum of all pulls. The results add up to 1, and are called **attention weights**. The head returns the sum of all values, each times the weight of its position.

We need two cases of this, again on $110$.

*Equal logits.* Let each 1 offer the value $1$, and every other token the value $0$. If all logits are equal, each of the four tokens gets the attention weight ¼, and the head returns

$$
\tfrac14 (0 + 1 + 1 + 0) = \tfrac12 .
$$

In general it returns $k/n$. So equal attention counts the 1s, up to a division by $n$.

*Odd positions preferred.* Let the query be $1$, and the key $1$ at odd positions and $-1$ at even ones. Then each logit equals the key. An odd position then has the pull $e^1 = 2.718$, and an even one $e^{-1} = 0.368$. There are two of each, and all four add up to $6.172$. So each odd position gets the attention weight $2.718 / 6.172 = 0.44$, and each even one $0.368 / 6.172 = 0.06$.

Attention can do no more than take such means. And the mean $k/n$ alone does not tell odd from even: it is ½ for $110$, which must be rejected, and also for the string $1$, which must be accepted.

(parity-idea)=
## A number becomes a place

Whether a *number* is odd is hard to see in a mean. Whether a *position* is odd is easy: it does not depend on the string, so each position can be given the answer beforehand, as one of its numbers. So the idea is to turn the number $k$ into a place: put a mark on position $k$. Chiang and Cholak {cite}`chiang2022` do it in three steps.

1. **Count.** A head with equal logits gives every position $k/n$.
2. **Mark.** Each position compares its own number $i$ with the count. The position with $i = k$ puts up a mark.
3. **Compare.** At CLS two heads look for the mark. Head 1 prefers odd positions, and head 2 prefers even ones. What head 1 returns, minus what head 2 returns, is the **score** $s$, and the string is accepted if $s > 0$.

The idea has a price: the mark is small. Attention returns $k/n$ and never $k$, so position $i$ compares $k/n$ with $i/n$, a number given beforehand that depends on the length but on no symbol. The authors call this position encoding "admittedly not standard", and argue that it is reasonable, and easy to compute. Why must the mark be small? Change one symbol of the string, other than the one at position $k$ itself. The count $k/n$ moves by only $1/n$, and yet the mark at the old place must fall to 0. But the network that makes the mark only multiplies by fixed weights, adds, and replaces negative numbers by 0. When its input moves by $1/n$, its output moves by at most a constant times $1/n$, so no mark can be higher than that. Ours is $1/n$ high.

## By hand, on 110

**Count.** Every position receives $k/n = \tfrac12$. A head may average several values with the same attention weights. Here a second value, which is 1 at CLS and 0 elsewhere, gives $1/n = \tfrac14$, which the next step needs.

**Mark.** Let $x = k/n - i/n$. At position $k$ this is 0, and at every other position it is at least $1/n$ away from 0. So we want a function that is $1/n$ high at $x = 0$ and falls in straight lines to 0 at $\pm \tfrac1n$: the hat $\max(0, \tfrac1n - |x|)$. Every position computes it with the same small **feed-forward network** (`FFN`). Ours has three inner numbers of the form $\max(0, \cdot)$, its **hidden** units, one for each of the hat's three corners:

$$
\begin{aligned}
&\max\bigl(0, x - \tfrac1n\bigr) - 2 \max(0, x) \\
&+ \max\bigl(0, x + \tfrac1n\bigr).
\end{aligned}
$$

| position $i$ | $x$ | first unit | second unit | third unit | mark |
|---|---|---|---|---|---|
| 0 | ½ | ¼ | ½ | ¾ | ¼ − 2·½ + ¾ = 0 |
| 1 | ¼ | 0 | ¼ | ½ | 0 − 2·¼ + ½ = 0 |
| 2 | 0 | 0 | 0 | ¼ | **¼** |
| 3 | −¼ | 0 | 0 | 0 | 0 |

Only position $2 = k$ has a mark, and the same happens for all $n$ and $k$. At $x = 0$ only the third unit is above 0, and it is $1/n$. For $x \ge \tfrac1n$ the three terms cancel: $(x - \tfrac1n) - 2x + (x + \tfrac1n) = 0$. For $x \le -\tfrac1n$ all three are 0. And position $k$ always exists: CLS is not a 1, so $k$ is at most $n - 1$. In a string without a 1 the mark is on CLS, at the even position 0. Chapter 1's staircase, which marks many positions, can replace the hat in [one of three forms](#parity-thermometers).
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The hat is $1/n$ high at position $k$ and 0 at every other position.* Here $k = 2$ and $n = 4$. The dots are the four positions of $110$, odd ones blue and even ones grey. The orange one has the mark.", "name": "fig-hat"}, "image": {"alt": "A triangular hat of height 1/n around position 2, with dots at the positions 0 to 3, all zero except the one at 2.", "classes": "dark-light"}}
ODD, EVEN, MARK = COLOURS["PARITY"], "#999999", "#E69F00"
_, axis = plt.subplots(figsize=(5, 1.8))
axis.plot(range(4), [0, 0, 1, 0], color=EVEN, linewidth=1)
axis.plot([0], [0], "o", color=EVEN)
axis.plot([1, 3], [0, 0], "o", color=ODD)
axis.plot(2, 1, "o", color=MARK, markersize=9, clip_on=False)
axis.text(2.12, 1, "the mark", va="center")
axis.set_xticks(range(4), ["0", "1", "$k$ = 2", "3"])
axis.set_yticks([0, 1], ["0", "1/n"])
axis.set(xlabel="position $i$", ylabel="height");

# %% [markdown]
r"""
**Compare.** The mark is on position 2, which is even. Head 1 prefers odd positions, so it gives this one only the attention weight $0.06$. Head 2 gives it $0.44$. All other positions have no mark and add nothing. Each head returns mark times weight, and the score is the difference:

$$
s = \tfrac14 (0.06 - 0.44) = -0.095 .
$$

The score is negative, so $110$ is rejected.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The mark is on an even position, so the head for even positions sees more of it.* The attention weights that CLS gives to the four positions of $110$. Odd positions are blue, even ones grey.", "name": "fig-attention"}, "image": {"alt": "Two bar charts over four positions. Left, odd positions have weight 0.44 and even ones 0.06; right the other way round. An arrow under position 2 says that the mark is there.", "classes": "dark-light"}}
weights = Encoder(constructions.parity()).trace("110", weights=True).attention
names = ["0\nCLS", "1\n1", "2\n1\n↑ mark", "3\n0"]
look = {"color": [EVEN, ODD] * 2, "edgecolor": ["none", "none", MARK, "none"], "linewidth": 2.5}
_, axes = plt.subplots(1, 2, figsize=(6.4, 2.7), sharey=True)
for axis, head, prefers in zip(axes, (1, 2), ("odd", "even")):
    bars = axis.bar(range(4), weights[2, head][0, 0].tolist(), **look)
    axis.bar_label(bars, fmt="%.2f", padding=2)
    axis.set_xticks(range(4), names)
    axis.set(title=f"head {head} prefers {prefers} positions")
    axis.set_xlabel("position, with its token below")
    axis.margins(y=0.2)
axes[0].set_ylabel("attention weight at CLS");

# %% [markdown]
r"""
In the demo you can change the string, and a number $c$ that says how strongly the heads prefer their positions: the logits are $c$ and $-c$ in place of $1$ and $-1$. Each bar is the attention weight that one head gives to the marked position. Press a symbol, and the mark moves by one position, so the other bar becomes the longer one.

<div class="live" data-live="heads"><p>110 has two 1s. The head for odd positions gives the marked position less than the head for even ones, so 110 is rejected.</p></div><script type="module" src="../_static/live.mjs"></script>

(parity-rows)=
## The same, written down

A {term}`construction` is a transformer that is written down, not trained: nothing is left to guess, and a program can run it on any string. It gives names to the numbers of a vector, which are its {term}`coordinates <coordinate>`. `Space` lists the names, and unpacking it as `zero, one, ... = S` gives a Python variable for each coordinate. The coordinate `[i=k]/n` holds the mark: a bracket is 1 where its condition is true, and 0 elsewhere. A form such as `k_n - i_n - one_n` adds and subtracts coordinates. This form is what the first hidden unit reads.

Three dictionaries say what is written where:

| in the code | what it says |
|---|---|
| `v={to: what}` | a head writes the mean of `what` into `to` |
| `word={token: to}` | `to` starts at 1 at this token |
| `position={formula: to}` | `to` starts at the value of a formula in $i$ and $n$ |

The logits of a head are equal if nothing else is said. The first layer counts with such a head, and then marks:
"""

# %%
S = Space("0", "1", "CLS", "i/n", "cos iπ", "k/n", "1/n", "[i=k]/n", "s")
zero, one, cls, i_n, cos, k_n, one_n, hit, s = S

count = Layer(heads=[Head(v={"k/n": one, "1/n": cls})],
              ffn=FFN(hidden=[k_n - i_n - one_n, k_n - i_n, k_n - i_n + one_n],
                      out={"[i=k]/n": [1, -2, 1]}))

# %% [markdown]
r"""
In the second layer the logits are not equal. There a logit is `gain` times the query `q` of the asking position times the key `k` of the answering one. (The key has nothing to do with the number $k$.) The query is `cls`, which is 1 at CLS and 0 elsewhere, so only CLS prefers anything. The key is `cos iπ`, the cosine of $i \pi$, which is $-1$ at odd positions and $1$ at even ones. Both heads write into `s`, and what they write is added.

Before the first layer, `word` and `position` fill every vector. `position` is the **position encoding**: what each position knows about itself. All other coordinates start at 0. Each layer *adds* what it writes to what is there, which is called a {term}`residual connection`, so nothing that an earlier layer has written gets lost:
"""

# %%
c = 1
compare = Layer(heads=[Head(q=[cls], k=[-cos], v={"s": hit}, gain=c),
                       Head(q=[cls], k=[cos], v={"s": -hit}, gain=c)])
parity = Construction(S, word={"0": zero, "1": one, "CLS": cls},
                      position={"i/n": i_n, "cos iπ": cos},
                      layers=[count, compare], output=s, name="PARITY")

# %% [markdown]
r"""
`Exact` runs a construction and proves the digits that it prints. `Encoder`, which we use later, runs it in floating point.

After both layers $110$ has the mark ¼ on position 2 and $s = -0.095$ at CLS, as computed by hand:
"""

# %%
trace = Exact(parity).trace("110")
stream_table(trace.a[2], trace.tokens[0])     # a[2]: after layer 2

# %% [markdown]
r"""
(parity-every-length)=
## Right at every length

That was one string. Is $s$ right on all of them? Take any $c > 0$. Head 1 gives the logit $c$ to odd positions and $-c$ to even ones, and head 2 does the reverse. First let $n$ be even. Then half of the positions are odd, and both heads divide by the same sum, $\tfrac n2 (e^c + e^{-c})$. If $k$ is odd, the marked position has the pull $e^c$ in head 1 and $e^{-c}$ in head 2. If $k$ is even, it is the other way round. Hence

$$
s = \pm\, \frac1n \cdot \frac{e^c - e^{-c}}{\tfrac n2 \, (e^c + e^{-c})} = \pm\, \frac{2 \tanh c}{n^2},
$$

with plus for odd $k$. For $n = 4$, $c = 1$ and even $k$ this is our $-0.095$.

If $n$ is odd, there is one even position more than odd ones, because CLS has the even number 0. So the two heads divide by different sums, but the sign of $s$ is right again, as the proof shows.

:::{admonition} Proposition 1 of Chiang and Cholak
:class: result
With any $c > 0$ the transformer accepts exactly the strings with an odd number of 1s. *Proved for every length.* [Record](#run-closed-form)
:::

:::{dropdown} Proof
Even $n$ was done above. Let $n \ge 3$ be odd. There are $\frac{n-1}2$ odd positions and $\frac{n+1}2$ even ones, so the two heads divide by $Z_1 = \frac{n-1}{2} e^c + \frac{n+1}{2} e^{-c}$ and $Z_2 = \frac{n+1}{2} e^c + \frac{n-1}{2} e^{-c}$. Then

$$
\begin{aligned}
ns_{k\text{ odd}}&=\frac{e^c}{Z_1}-\frac{e^{-c}}{Z_2}=\frac{(n+1)\sinh2c}{Z_1Z_2} > 0,\\
ns_{k\text{ even}}&=\frac{e^{-c}}{Z_1}-\frac{e^c}{Z_2}=-\frac{(n-1)\sinh2c}{Z_1Z_2} < 0.
\end{aligned}
$$

For $n = 1$ the string is empty. CLS has only itself to attend to, so both heads return the same, and $s = 0$. This is not above 0, so the empty string is rejected, which is correct. $\square$
:::
"""

# %% tags=["hide-input"]
assert parity == constructions.parity()  # the library's copy
strings = [w for length in range(9) for w in PARITY.all_strings(length)]
decisions = [Exact(parity).decide(w) for w in strings]
assert all(decision.sign is not None for decision in decisions)
assert PARITY.errors(strings, [decision.accepts for decision in decisions]) == []
glue("parity_signs", f"{len(decisions)}")

# %% [markdown]
r"""
For all {glue:text}`parity_signs` strings of up to 8 symbols this page also checks the sign of $s$ at $c = 1$, by two bounds between which $s$ is proved to lie, and for the empty string by exact fractions. The [record](#run-exact) goes on to twelve symbols.

### Which $c$ will do?

**Predict**: how many of the strings with 11 symbols are decided correctly with $c = 0$, and how many with $c = -1$?

<p class="guess" data-right="3">none,&nbsp;none|half,&nbsp;half|half,&nbsp;none</p>
"""

# %% tags=["hide-output"]
# try: other values of c, such as 0.001 or 20
for c in (1, 0, -1):
    strings = list(PARITY.all_strings(11))
    reader = Encoder(constructions.parity(c))
    accepted = reader.accepts(strings).tolist()
    right = sum(a == PARITY.contains(w) for a, w in zip(accepted, strings))
    print(f"c = {c:>2}: {right} of {len(strings)} right")

# %% [markdown]
r"""
With $c = 0$ both heads return the same, and $s = 0$, in floating point too. So every string is rejected, which is correct for half of them.

With $c = -1$ head 1 prefers even positions and head 2 odd ones. The heads have changed places, so $s$ becomes $-s$, and the same holds for every $c < 0$. Every answer is wrong, except the one for the empty string, whose $s$ stays 0. Set $c$ to $-1$ in the demo above, and see every answer flip.

(parity-price)=
## What the mark costs

In exact arithmetic the transformer is right on every string. How sure is it? Softmax also turns the score into a probability. Give *yes* the logit $s$ and *no* the logit 0. The probability of *yes* is then $e^s / (e^s + 1)$. For $s = -0.095$ that is $0.476$, hardly surer than a coin toss.

Is the low mark the reason? For comparison we need a language that asks for no count, so that a mark can be high. **FIRST** is the language of all strings whose first symbol, $w_1$, is a 1, and Chiang and Cholak build a transformer for it too. Position 1 marks itself if its symbol is a 1, and this mark has height 1 at every length. CLS attends to position 1 with logit $c$ and to all others with logit $0$. The value at position 1 is the mark minus ½, so that $s < 0$ without a mark, and the value at every other position is 0:
"""

# %%
S = Space("0", "1", "CLS", "[i=1]", "[w₁=1]", "s")
zero, one, cls, start, hit, s = S

# the unit is 1 at position 1 if its symbol is a 1, and 0 elsewhere (even without - cls)
mark = Layer(ffn=FFN(hidden=[start - zero - cls], out={"[w₁=1]": [1]}))
look = Layer(heads=[Head(q=[cls], k=[start], v={"s": hit - start / 2}, gain=1)])
first = Construction(S, word={"0": zero, "1": one, "CLS": cls}, position={"[i=1]": start},
                     layers=[mark, look], output=s, name="FIRST")

# %% [markdown]
r"""
**Predict**: a string has ten times as many tokens as another. By which factor is PARITY's $|s|$ smaller?

<p class="guess" data-right="2">10|100|1000</p>
"""

# %% tags=["hide-output"]
# try: other strings of these lengths
strings = ["1" + "0" * (n - 2) for n in (4, 40, 400, 4000)]
markdown_table(("n", "PARITY: s", "FIRST: s"),
               [(len(w) + 1, f"{Encoder(parity).logit(w):.2e}", f"{Encoder(first).logit(w):.2e}")
                for w in strings])

# %% [markdown]
r"""
With ten times the tokens, PARITY's $s$ falls to a hundredth of its size, while FIRST's, on long strings, falls to a tenth. FIRST pays once: attention dilutes its mark among $n$ positions. PARITY pays twice: the mark has height $1/n$, and attention dilutes it by another $1/n$. A larger $c$ hardly helps PARITY, because $\tanh c < 1$. It helps FIRST at a given length, where $|s|$ can come close to $\tfrac12$.

:::{admonition} The price of the mark
:class: result
PARITY's $|s|$ falls like $1/n^2$, and FIRST's like $1/n$. For every $c > 0$, $n^2 |s|$ tends to $2 \tanh c$ for PARITY, and $n |s|$ tends to $\tfrac12 e^c$ for FIRST. *Proved for every length.* [Record](#run-closed-form)
:::

:::{dropdown} Proof
For $n \ge 2$, FIRST's $|s|$ is $\tfrac12 e^c / (e^c + n - 1)$, and PARITY's $n^2 |s|$ lies between $2 \tanh c \cdot \tfrac{n-1}{n}$ and $2 \tanh c \cdot \tfrac{n}{n-1}$. The limits follow.

*FIRST.* CLS gives position 1 the attention weight $e^c / (e^c + n - 1)$. The value there is ½ or $-\tfrac12$, and 0 elsewhere.

*PARITY.* For even $n$ we have $n^2 |s| = 2 \tanh c$. For odd $n$, multiply out the two sums of Proposition 1: $Z_1 Z_2 = (n^2 - 1) \cosh^2 c + 1$. This lies between $(n^2 - 1) \cosh^2 c$ and $n^2 \cosh^2 c$, because $\cosh c \ge 1$. And $\sinh 2c = 2 \sinh c \cosh c$. So for odd $k$

$$
2 \tanh c \cdot \frac{n+1}{n} \le n^2 s = \frac{n (n+1) \, 2 \sinh c \cosh c}{Z_1 Z_2} \le 2 \tanh c \cdot \frac{n}{n-1} ,
$$

and for even $k$, with $n - 1$ in place of $n + 1$, $n^2 |s|$ is between $2 \tanh c \cdot \frac{n-1}{n}$ and $2 \tanh c \cdot \frac{n}{n+1}$. $\square$
:::

The usual measure of such doubt is the {term}`cross-entropy`. For one string it is $-\log_2$ of the probability that the network gives to the right answer. For $110$ it is $-\log_2 (1 - 0.476) = 0.93$ bits, nearly the 1 bit of a coin toss. The figure shows its mean over random strings, as Chiang and Cholak's Figure 2 does:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The longer the string, the closer the cross-entropy is to a coin's, and the less one symbol moves $s$. Both curves fall twice as steeply for PARITY as for FIRST.* Both transformers have $c = 1$ and decide every string correctly. First panel: how far the mean cross-entropy of 1000 random strings of each length stays below the 1 bit of a coin toss. Second panel: the largest change of $s$ when each symbol of one random string is flipped in turn. The dashed lines fall like $1/n$ and $1/n^2$.", "name": "fig-confidence"}, "image": {"alt": "Two log-log panels, in each two falling lines with slopes minus one, for FIRST, and minus two, for PARITY.", "classes": "dark-light"}}
assert first == constructions.first()  # the library's copy
ns = (10, 20, 40, 80, 160, 320, 640, 1000)
tokens = np.array(ns) + 1
_, axes = plt.subplots(1, 2, figsize=(7.2, 3.1))
for construction, language, power in ((parity, PARITY, -2), (first, FIRST, -1)):
    bits, influence = np.array([confidence(construction, language, n) for n in ns]).T
    for axis, values in zip(axes, (1 - bits, influence)):
        axis.plot(tokens, values, "o-", color=COLOURS[language.name], label=language.name)
        axis.plot(tokens, 0.6 * values[0] * (tokens / tokens[0]) ** power, **REFERENCE)
axes[0].legend()
for axis, quantity in zip(axes, ("1 bit − cross-entropy", "influence of one symbol")):
    axis.set(xscale="log", yscale="log", xlabel="tokens $n$", ylabel=quantity)

# %% [markdown]
r"""
(parity-hahn)=
### Could another transformer be surer?

Assume that a transformer keeps to three rules, as ours do:

- the vectors are *bounded*: no coordinate grows with the length;
- the logits are bounded: no factor on them, such as $c$ (the `gain`), grows with the length;
- a feed-forward network is *Lipschitz*: if its input moves, its output moves at most a fixed number of times as far.

Then changing one symbol of a string moves $s$ by at most $C/n$, where $C$ is a constant that depends on the transformer and not on the string. This is Hahn's theorem {cite}`hahn2020`, which we cite; chapter 9 [proves](#hahn) its main step with a constant. To see why it holds, change the symbol at position $j$, and watch how far the vectors move, layer by layer:

| | vector at position $j$ | vector at every other position |
|---|---|---|
| before layer 1 | moves by a constant | does not move |
| after each layer | moves by a constant | moves by a constant times $1/n$ |

The constants do not depend on $n$. The left column only says that vectors are bounded. For the right column, look at what a head returns to a position other than $j$:

$$
\frac{e^{x_0} v_0 + \cdots + e^{x_{n-1}} v_{n-1}}{e^{x_0} + \cdots + e^{x_{n-1}}},
$$

where $x_i$ is the logit and $v_i$ the value of position $i$. In the numerator the term of position $j$ moves by at most a constant. Each of the $n - 1$ other terms comes from vectors that have moved by at most a constant times $1/n$, so together they also move by at most a constant. The same holds for the denominator. But if all logits lie between $-B$ and $B$, the denominator is at least $n e^{-B}$. The mean itself is bounded, so it moves by a constant times $1/n$ only, and so does what a Lipschitz network makes of it. CLS is not position $j$, so this holds for $s$, which is read there.

Changing one symbol flips PARITY's answer. If both answers are right, one of the two scores is above 0 and the other is not, so both are within $C/n$ of 0. A transformer that keeps to the rules and is right on all of PARITY therefore cannot stay sure as strings grow. In ours, $|s|$ falls like $1/n^2$.

The theorem limits how far $s$ is from 0, but not on which side of 0 it lies. This is Chiang and Cholak's point: the theorem is easily mistaken for a limit on what transformers can recognize. Hahn's paper does prove a limit on recognition, for *hard* attention, which picks single positions.

To keep $s$ away from 0, a transformer has to break a rule. Chapter 3 does so with layer normalization, which divides a vector by its own size. Chapter 4 does so with a gain that grows, which helps FIRST, but not this transformer for PARITY.

(parity-floats)=
## How far floating point carries it

On paper the transformer never errs. A computer keeps only so many digits, and the mark still has to land on position $k$. How long it does so depends on how $k/n$ is computed. (You can skip this section: the next pages do not need it.)

(parity-drift)=
### Two digits, and the mark drifts

Let us calculate with two significant digits, for $n = 28$. One way is a *running sum*. Attention goes from position to position, adds attention weight times value, and rounds after each addition. The weight is $\tfrac1{28}$, rounded to $0.036$, and the value is 1 at each 1. The other way is *one division*: add up pull times value, and divide by the sum of all pulls at the end. If all logits are 0, each pull is 1, so this divides $k$ by $n$, once. Position $i$ gets its own number $i/n$ by one division in both cases:
"""

# %%
# try: three digits, or another n
n = 28
with localcontext() as digits:
    digits.prec = 2
    total, rows = Decimal(0), []
    for k in range(1, 9):
        total += 1 / Decimal(n)
        rows.append((k, total, k / Decimal(n)))
markdown_table(("k", "running sum", "one division, and what position k has"), rows)

# %% [markdown]
r"""
From the fourth 1 on each addition gives $0.04$, because a third decimal no longer fits. At $k = 7$ the sum is $0.27$. Position 7 has $0.25$ and position 8 has $0.29$: both are $0.02$ away. The hat is $0.036$ high and falls in straight lines, so both get the mark $0.036 - 0.02 = 0.016$. One of the two is odd and the other even, and $n$ is even, so both heads return the same: $s = 0$, and the odd count is rejected.

One division gives $0.25$ at $k = 7$, exactly the number of position 7, which gets the whole mark $0.036$.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A running sum lets the mark drift; one division keeps most of it in its place.* The marks for $n = 28$ with two digits: above with a running sum, below with one division. Odd positions are blue, even ones grey, and the dashed line is $k$.", "name": "fig-drift"}, "image": {"alt": "Four panels of stems over positions 5 to 10. Running sum, k = 7: two equal marks at 7 and 8. Running sum, k = 8: a small mark at 8, a larger one at 9. One division, k = 7: one mark, at 7. One division, k = 8: a mark at 8, and a little one at 9.", "classes": "dark-light"}}
_, axes = plt.subplots(2, 2, figsize=(7.2, 4), sharex=True, sharey=True)
cases = ((7, "running sum", "a tie"), (8, "running sum", "wrong"),
         (7, "one division", "right"), (8, "one division", "right"))
for axis, (k, how, verdict) in zip(axes.flat, cases):
    axis.axvline(k, **REFERENCE)
    with localcontext() as digits:
        digits.prec = 2
        unit = 1 / Decimal(28)
        share = k / Decimal(28) if how == "one division" else sum([unit] * k)
        gaps = [share - i / Decimal(28) for i in range(28)]
        marks = [float(max(0, x - unit) - 2 * max(0, x) + max(0, x + unit)) for x in gaps]
    for i, height in enumerate(marks):
        if height:
            axis.vlines(i, 0, height, color=ODD if i % 2 else EVEN, linewidth=4)
            note(axis, f"{height:.3f}", (i, height), (3, 2), ha="left")
    axis.set(title=f"{how}, $k = {k}$: {verdict}", ylabel="mark", xlabel="position $i$")
    axis.set(xlim=(4.5, 10.5), ylim=(0, 0.045), xticks=range(5, 11))
    axis.label_outer()

# %% [markdown]
r"""
One division rounds $k/n$ exactly as position $k$ has rounded its own number, which is $k/n$ too, so the mark stays in its place. But the neighbours' numbers are rounded too. At $k = 8$ position 9, which has $0.32$, is only $0.03$ away, less than the rounded $1/n = 0.036$, so it gets a small false mark: the remaining $0.006$.

### How long is one division safe?

A float keeps $p$ significant **bits**, and rounds what it cannot hold to the nearest number that it can. If everything is rounded, at which $n$ does the transformer first err, in each of three float types?
"""

# %% tags=["hide-input"]
found = {(row["configuration"]["dtype"], row["configuration"]["mean"]): row["result"]["n"]
         for row in stored("parity_precision").results}
found["float32", "divided"] = stored("parity_significand").results[-1]["result"]["n"]
types = []
for name in ("bfloat16", "float16", "float32"):
    p, bound = SIGNIFICAND[name], "≤ " if name == "float32" else ""
    errs = [f"{bound}{found[name, mean]:,}" for mean in ("sequential", "divided")]
    types.append((name, p, *errs, f"{2 ** (p - 4):,}"))
glue("parity_float32_sum", f"{found['float32', 'sequential']:,}")
glue("parity_float32_division", f"{found['float32', 'divided']:,}")

# %% [markdown]
r"""
**Predict**: float32 keeps 24 bits. Where does it err with a running sum?

<p class="guess" data-right="1">before&nbsp;10⁴|near&nbsp;10⁵|after&nbsp;10⁶</p>
"""

# %% tags=["hide-output"]
markdown_table(("float type", "bits p", "errs with a running sum", "errs with one division",
                "2^(p-4), proved with exact attention"), types)

# %% [markdown]
r"""
A rule of thumb explains the table. Neighbouring positions differ by $1/n$, so an error $\varepsilon$ in $k/n$ moves the mark by $n \varepsilon$ positions. A running sum rounds up to $n$ times, by about $2^{-p}$ each time. If the errors add up, the mark moves by $n^2 \cdot 2^{-p}$ positions, which is a whole position when $n$ is about $2^{p/2}$. With one division $k/n$ and position $k$'s own number have the same error, so the mark stays. Trouble begins only when the gap $1/n$ is as small as one rounding, at $n$ about $2^p$.

By this rule float32 should err near $2^{12} = 4096$ tokens and near $2^{24}$, which is 16.8 million. It errs at {glue:text}`parity_float32_sum` and at {glue:text}`parity_float32_division`: both are within a factor of three. The ≤ in the table says that errors may begin earlier, because we did not try every case ([record](#run-precision)).

:::{admonition} One division is safe
:class: result
Assume arithmetic with $p \ge 7$ bits and no limit on exponents, which rounds to the nearest number, and if two are equally near, to the one whose last bit is 0 (*ties to even*). Let $k/n$, $i/n$ and $1/n$ each be one rounded division, let the hat's three terms be added from left to right, and let the second layer's attention be exact. Then every string of at most $2^{p-4}$ tokens (the table's last column) is decided correctly. *Proved for every $p \ge 7$.* [Record](#one-division)
:::

## Would training find it?

Whether training can find the mark is unknown. Networks that we trained [without a position encoding](parity_not_learned) could not make it at all. Others [were given $i/n$ and $\cos \pi i$](#log-parity), which are all that this transformer knows of its positions. At the end of training, no network of either kind was right on more than 99 in a hundred strings of twenty-four symbols.

## What to take away

- If a number is hard to use, turn it into a position. Attention can test positions.
- Look at how far $s$ is from 0, not at accuracy alone. A model can be right and yet hardly sure.
- Ask which steps divide by $n$. In this PARITY two do, so $s$ falls like $1/n^2$.
- To take a mean of 1s, add them up as whole numbers first, and divide once.
- Unknown: whether another transformer under the three rules can have an $|s|$ of the order of $1/n$ on PARITY.

## Exercises

**1 (compute).** Run $w = 10$ by hand ($n = 3$, $k = 1$). Which position carries the mark, how high is it, and what is $s$ at $c = 1$, to three decimals?
"""

# %%
# try: (position, height, s) in place of the dots
check("2.1", ...)

# %% tags=["hide-cell"]
trace = Exact(parity).trace("10")
assert str(trace.a[1]["[i=k]/n"]) == "[0, 1/3, 0]"
e = arb(1).exp()
Z1, Z2 = e + 2 / e, 2 * e + 1 / e                    # positions 0, 1, 2: even, odd, even
assert ((e / Z1 - 1 / e / Z2) / 3).overlaps(trace.a[2]["s"][0])
print("the mark:", trace.a[1]["[i=k]/n"],
      f" s = (e/Z1 - 1/(e Z2))/3 = {float(trace.a[2]['s'][0]):.3f}")
check("2.1", (1, 1 / 3, float(trace.a[2]["s"][0])))

# %% [markdown]
r"""
**2 (modify).** Change FIRST's code [above](#parity-price) into one for SECOND, the strings whose *second* symbol is 1. Strings with fewer than two symbols are not in SECOND. Hint: a position encoding is a formula such as `[i=1]`.
"""

# %%
# try: your Construction in place of the dots
check("2.2", ...)

# %% tags=["hide-cell"]
zero, one, cls, start, hit, s = S = Space("0", "1", "CLS", "[i=2]", "[w₂=1]", "s")
mark = Layer(ffn=FFN(hidden=[start - zero - cls], out={"[w₂=1]": [1]}))
look = Layer(heads=[Head(q=[cls], k=[start], v={"s": hit - start / 2})])
second = Construction(S, {"0": zero, "1": one, "CLS": cls}, {"[i=2]": start}, [mark, look], s)
SECOND = Language("SECOND", lambda w: w[1:2] == "1")
some = [w for length in range(9) for w in SECOND.all_strings(length)]
assert SECOND.errors(some, Exact(second).accepts(some)) == []
check("2.2", second)

# %% [markdown]
r"""
(one-head)=
**3 (prove or refute).** "A second layer with a single head, whatever its $c$, cannot decide PARITY." The first layer may change.

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "proved", or a Construction of two layers, one head in the second, which is run
check("2.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted. Keep head 1 and let the mark be $(\mathbb{I}[i = k] - 2\, \mathbb{I}[i = 0]) / n$, with one more hidden unit $\max(0, 1/n - i/n)$.

Position 0 is even, so head 1 gives it the attention weight $e^{-c}/Z_1$, where $Z_1$ is the sum by which head 1 divides. Hence $nZ_1s=e^{\pm c}-2e^{-c}$ for $k\ge1$ (plus for odd $k$) and $-e^{-c}$ for $k=0$. If
$e^{2c}>2$ this is positive for odd $k$ and negative otherwise, at every length, and $s$ is never 0: even the empty string gets $s=-1$.
:::
"""

# %% tags=["hide-cell"]
i_n, k_n, one_n = (parity.space[name] for name in ("i/n", "k/n", "1/n"))
hidden = [k_n - i_n - one_n, k_n - i_n, k_n - i_n + one_n, one_n - i_n]
ffn = FFN(hidden, {"[i=k]/n": [1, -2, 1, -2]})
single = replace(parity, layers=[replace(count, ffn=ffn), Layer(compare.heads[:1])])
strings = ["1" * k + "0" * (n - k) for n in range(40) for k in range(n + 1)]
decisions = [Exact(single).decide(w) for w in strings]
assert PARITY.errors(strings, [d.accepts for d in decisions]) == [] and decisions[0].s == -1
print(f"{len(decisions)} decisions proved, lengths 0 to 39, s never 0")
check("2.3", single)

# %% [markdown]
r"""
## What next

[Why is PARITY not learned?](parity_not_learned) looks at what training finds instead of the mark. The [record of this chapter](record_02_transformer_parity_first) compares the transformer with the paper's, and says which coefficients it can do without.
"""
