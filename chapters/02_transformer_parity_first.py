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

*Attention can only average. How can it tell whether the number of 1s is odd?*

**In one sentence:** a transformer puts a mark on position $k$, where $k$ is the number of 1s, and asks by attention whether that position is odd; in exact arithmetic it is right on strings of every length, but on long ones it gives its answer a probability hardly above one half.

Try it below. Position 0, in front of the string, holds no symbol; it is called CLS. Two of its parts, called *heads*, look for the mark: one prefers odd positions, the other even ones, and the number $c$ says how strongly. A bar is the part of its attention that a head gives to the marked position. The string is accepted if the bar for odd positions is the longer one.

<div class="live" data-live="heads"><p>110 has two 1s. The head for odd positions gives the marked position less than the head for even ones, so 110 is rejected.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% tags=["hide-input"]
from dataclasses import replace
from decimal import Decimal, localcontext

from flint import arb

from chapters.common.judge import check
from chapters.transformer_parity_first.figures import (confidence, confidence_figure, drift_figure,
                                                       hat_figure, heads_figure)
from lib import constructions
from chapters.common.floats import SIGNIFICAND
from lib.languages import FIRST, PARITY, Language
from record.notebook import glue, markdown_table, stream_table, use_style
from lib.transformer import FFN, Construction, Encoder, Exact, Head, Layer, Space
from record.runs import stored

use_style()

# %% [markdown]
r"""
## What attention does

PARITY is the set of strings with an odd number of 1s. No symbol may be missed, for each one, if changed, turns the answer. But a transformer sees a string through means, in which one symbol among many hardly shows. We build one that decides PARITY all the same, and run it by hand on $110$. That has two 1s, so it must be rejected.

A transformer reads a row of **tokens**: here the symbols of the string, and in front of them {term}`CLS`, where the answer will be read. We number the tokens from 0:

| position | 0 | 1 | 2 | 3 |
|---|---|---|---|---|
| token | CLS | 1 | 1 | 0 |

From now on $n$ is the number of tokens, here 4, and $k$ the number of 1s, here 2.

Each position carries a list of numbers, its **vector**, and works on that alone. Only **attention** brings something from one position to another. An attention {term}`head` takes a mean. Every position offers a number, its **value**. The position that asks gives every position another number, the **logit**. A logit $x$ makes the weight $e^x$, so that every weight is positive. Divided by the sum of all weights, that is the position's **share**. The head returns the sum of all values, each times the share of its position.

We need two cases of it, here on $110$.

*Equal logits.* Let each 1 offer the value $1$, and every other token the value $0$. With equal logits each of the four tokens gets the share ¼. So the head returns

$$
\tfrac14 (0 + 1 + 1 + 0) = \tfrac12 .
$$

In general that is $k/n$. Equal attention counts, up to a division by $n$.

*Odd positions preferred.* Let the logit be $1$ at odd positions and $-1$ at even ones. An odd position weighs $e = 2.718$, an even one $1/e = 0.368$. There are two of each, which makes $6.172$ together. So each odd position gets the share $2.718 / 6.172 = 0.44$, and each even one $0.368 / 6.172 = 0.06$.

Attention can do no more than take such means. And the mean $k/n$ does not tell odd from even. It is ½ for $110$, which must be rejected, and for the string $1$, which must be accepted.

(parity-idea)=
## A number becomes a place

Whether a *number* is odd is hard to see in a mean. Whether a *position* is odd is easy: it does not depend on the string, so each position can be given the answer beforehand, as one of its numbers. So the idea is to turn the number $k$ into a place: put a mark on position $k$. Chiang and Cholak {cite}`chiang2022` do it in three steps.

1. **Count.** A head with equal logits gives every position $k/n$.
2. **Mark.** Each position compares its own number $i$ with the count. The one with $i = k$ puts up a mark. (Chapter 1 marked all places up to $k$, and let odd and even ones cancel. That took step functions, and a transformer has units $\max(0, \cdot)$. And attention sums to one, so where there are more even places than odd ones, they do not weigh alike.)
3. **Compare.** At CLS two heads look for the mark. Head 1 prefers odd positions, head 2 even ones. What head 1 returns, minus what head 2 returns, is a number $s$. The string is accepted if $s > 0$. What one head alone returns is never negative, so we compare two.

One thing we shall pay for: the mark is small. Attention returns $k/n$ and never $k$. So position $i$ compares $k/n$ with $i/n$, a number that it is given beforehand: it depends on the length, but on no symbol. (The authors call it "admittedly not standard", and argue that it is reasonable, and easy to compute.) Let one symbol elsewhere in the string change. Then $k/n$ changes by $1/n$ only, but the mark must fall to 0. The network that makes it multiplies by fixed weights, adds, and puts 0 in place of what is negative. Of a change by $1/n$ these steps make at most a fixed multiple of $1/n$, so the mark can be no higher than that. Ours is $1/n$ high.

## By hand, on 110

**Count.** Every position receives $k/n = \tfrac12$. A head may average several values with the same shares. Here a second value, which is 1 at CLS and 0 elsewhere, gives $1/n = \tfrac14$.

**Mark.** Let $x = k/n - i/n$. At position $k$ it is 0, and at every other position it is at least $1/n$ away from 0. So we want a function that is $1/n$ high at $x = 0$ and falls straight to 0 at $\pm \tfrac1n$: the hat $\max(0, \tfrac1n - |x|)$. Every position makes it by the same small network, a **feed-forward layer** (`FFN`). Ours has three inner numbers, its **hidden** units, of the form $\max(0, \cdot)$. Each bends at one of the hat's three corners:

$$
\max\bigl(0, x - \tfrac1n\bigr) - 2 \max(0, x) + \max\bigl(0, x + \tfrac1n\bigr).
$$

| position $i$ | $x$ | first unit | second unit | third unit | mark |
|---|---|---|---|---|---|
| 0 | ½ | ¼ | ½ | ¾ | ¼ − 2·½ + ¾ = 0 |
| 1 | ¼ | 0 | ¼ | ½ | 0 − 2·¼ + ½ = 0 |
| 2 | 0 | 0 | 0 | ¼ | **¼** |
| 3 | −¼ | 0 | 0 | 0 | 0 |

The mark stands on position $2 = k$ alone. It is so for all $n$ and $k$. At $x = 0$ only the third unit is above 0, and it is $1/n$. For $x \ge \tfrac1n$ the three terms cancel: $(x - \tfrac1n) - 2x + (x + \tfrac1n) = 0$. For $x \le -\tfrac1n$ all three are 0. And there is a position $k$: CLS is no 1, so $k$ is at most $n - 1$. (Without a 1 the mark stands on CLS, at the even position 0.)
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The hat is $1/n$ high at position $k$ and 0 at every other position.* Here $k = 2$ and $n = 4$. The dots are the four positions of $110$, odd ones blue and even ones grey. The orange one has the mark.", "name": "fig-hat"}, "image": {"alt": "A triangular hat of height 1/n around position 2, with dots at the positions 0 to 3, all zero but the one at 2.", "classes": "dark-light"}}
hat_figure();

# %% [markdown]
r"""
**Compare.** The mark stands on position 2, which is even. Head 1 prefers odd positions and gives it the share $0.06$. Head 2 gives it $0.44$. All other positions have no mark and add nothing. So $s$ is mark times share in head 1, minus that in head 2:

$$
s = \tfrac14 \cdot 0.06 - \tfrac14 \cdot 0.44 = \tfrac14 (0.06 - 0.44) = -0.095 .
$$

It is negative, and $110$ is rejected.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The mark is on an even position, so the head for even positions sees more of it.* The shares of the four positions of $110$ in what CLS receives. Odd positions are blue, even ones grey. The bar framed in orange is the share of the position with the mark.", "name": "fig-attention"}, "image": {"alt": "Two bar charts over four positions. Left, odd positions have share 0.44 and even ones 0.06; right the other way round. An arrow under position 2 says that the mark stands there.", "classes": "dark-light"}}
heads_figure(Encoder(constructions.parity()).trace("110", weights=True), mark=2);

# %% [markdown]
r"""
(parity-rows)=
## The same, written down

A {term}`construction` is a transformer that is written down, not trained: nothing is left to guess, and a program can run it on any string. It names the numbers of a vector, its {term}`coordinates <coordinate>`. The coordinate `[i=k]/n` holds the mark: a bracket is 1 where it is true and 0 elsewhere. A form such as `k_n - i_n - one_n` adds and subtracts coordinates. This one is what the first hidden unit gets.

A head's `v` says which coordinate (before the colon) receives the mean of which value. A head for which nothing else is said has equal logits. The first layer counts with such a head, and then marks:
"""

# %%
S = Space("0", "1", "CLS", "i/n", "cos iπ", "k/n", "1/n", "[i=k]/n", "s")
zero, one, cls, i_n, cos, k_n, one_n, hit, s = S

count = Layer(heads=[Head(v={"k/n": one, "1/n": cls})],
              ffn=FFN(hidden=[k_n - i_n - one_n, k_n - i_n, k_n - i_n + one_n],
                      out={"[i=k]/n": [1, -2, 1]}))

# %% [markdown]
r"""
In the second layer the logits are not equal. A logit is a product: `gain`, times the query `q` of the position that asks, times the key `k` of the other one (not the number $k$). As `cls` is 1 at CLS and 0 elsewhere, only CLS prefers anything. Which positions it prefers is up to `cos iπ`, the cosine of the position $i$ times $\pi$: $-1$ at odd positions and $1$ at even ones. Both heads write into `s`, and what they write is added.

Before the first layer `word` says which coordinate is 1 for which token. The **position encoding**, `position`, says what a position knows of itself: a formula of $i$ and $n$ before the colon, and behind it the coordinate that holds its value. All other coordinates begin at 0, and each layer adds what it writes:
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
After both layers $110$ has the mark ¼ on position 2 and $s = -0.095$ at CLS, as computed:
"""

# %%
trace = Exact(parity).trace("110")     # runs it with proved digits
stream_table(trace.a[2], trace.tokens[0])     # a[2]: after layer 2

# %% [markdown]
r"""
(parity-every-length)=
## Right at every length

That was one string. Is the sign of $s$ right on all of them? Let head 1 give the logit $c$ to odd positions and $-c$ to even ones, and head 2 the reverse, with any $c > 0$. First let $n$ be even. Then half of the positions are odd, and both heads divide by the same sum, $\tfrac n2 (e^c + e^{-c})$. If $k$ is odd, the marked position weighs $e^c$ in head 1 and $e^{-c}$ in head 2. If $k$ is even, it is the other way round. Hence

$$
s = \pm\, \frac1n \cdot \frac{e^c - e^{-c}}{\tfrac n2 \, (e^c + e^{-c})} = \pm\, \frac{2 \tanh c}{n^2},
$$

with plus for odd $k$. For $n = 4$, $c = 1$ and even $k$ that is our $-0.095$.

If $n$ is odd, there is one even position more, since CLS has the even number 0, and the heads divide by different sums. From head 1 to head 2 the weight of each even position grows by the factor $e^{2c}$, and that of each odd one shrinks by it. From $n = 3$ on there are positions of both kinds, so the sum of all weights changes by less. Hence the share of the marked position grows if $k$ is even and shrinks if $k$ is odd: the sign is right again. On $1011$, with two odd positions, three even ones, $k = 3$ and $c = 1$, the share is $2.718 / 6.540 = 0.416$ in head 1 and $0.368 / 8.891 = 0.041$ in head 2. So $s = \tfrac15 (0.416 - 0.041) = 0.075$, and $1011$ is accepted.

(The link *Record* under a result leads to all its checks and conditions.)

:::{admonition} Proposition 1
:class: result
With any $c > 0$ the transformer accepts exactly the strings with an odd number of 1s. *Proved for every length.* [Record](#run-closed-form)
:::

:::{dropdown} Proof
For even $n$ it stands above. Let $n \ge 3$ be odd. There are $\frac{n-1}2$ odd positions and $\frac{n+1}2$ even ones, so the two heads divide by $Z_1 = \frac{n-1}{2} e^c + \frac{n+1}{2} e^{-c}$ and $Z_2 = \frac{n+1}{2} e^c + \frac{n-1}{2} e^{-c}$. Then

$$
\begin{aligned}
ns_{k\text{ odd}}&=\frac{e^c}{Z_1}-\frac{e^{-c}}{Z_2}=\frac{(n+1)\sinh2c}{Z_1Z_2} > 0,\\
ns_{k\text{ even}}&=\frac{e^{-c}}{Z_1}-\frac{e^c}{Z_2}=-\frac{(n-1)\sinh2c}{Z_1Z_2} < 0.
\end{aligned}
$$

For $n = 1$ the string is empty. CLS has only itself to attend to, both heads return the same, and $s = 0$. It is not above 0, so the empty string is rejected, and rightly. $\square$
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
For all {glue:text}`parity_signs` strings of up to 8 symbols this page also checks the sign of $s$ at $c = 1$, by two bounds between which $s$ is proved to lie (interval arithmetic). Only the empty string has $s = 0$, by exact fractions. The [record](#run-exact) goes on to twelve.

### Which $c$ will do?

**Predict**: of the strings with 11 symbols, how many are decided rightly with $c = 0$, and how many with $c = -1$?

<p class="guess" data-right="3">none,&nbsp;none|half,&nbsp;half|half,&nbsp;none</p>
"""

# %% tags=["hide-output"]
# try: other values of c, such as 0.001 or 20
for c in (1, 0, -1):
    strings = list(PARITY.all_strings(11))
    reader = Encoder(constructions.parity(c))     # runs it in floating point
    accepted = reader.accepts(strings).tolist()
    right = sum(a == PARITY.contains(w) for a, w in zip(accepted, strings))
    print(f"c = {c:>2}: {right} of {len(strings)} right")

# %% [markdown]
r"""
With $c = 1$ all are decided rightly, as Proposition 1 says of every $c > 0$.

With $c = 0$ both heads return the same, and $s = 0$, in floating point too. So every string is rejected, which is right for half of them.

With $c = -1$ head 1 prefers even positions and head 2 odd ones. The heads have changed places, so $s$ becomes $-s$, and so it is for every $c < 0$. Every answer is wrong but the empty string's, whose $s$ stays 0.

(parity-price)=
## What the mark costs

In exact arithmetic the transformer is right on every string. How sure is it? Attention makes shares of logits, and the answer is read in the same way. Give *yes* the logit $s$ and *no* the logit 0. The probability of *yes* is its share, $e^s / (e^s + 1)$. For $s = -0.095$ that is $0.476$, hardly surer than a coin.

Is its low mark the reason? Compare a language that needs no count, so that a mark can be high. Chiang and Cholak build a transformer for it too: **FIRST** is the set of strings whose first symbol, $w_1$, is a 1. Position 1 marks itself if its symbol is a 1, and this mark has height 1 at every length. CLS attends to position 1 with logit $c$ and to all others with logit $0$. The value at position 1 is the mark minus ½, elsewhere 0, so that $s < 0$ without a mark:
"""

# %%
S = Space("0", "1", "CLS", "[i=1]", "[w₁=1]", "s")
zero, one, cls, start, hit, s = S

# the unit is 1 at position 1 if a 1 stands there, and else 0 (- cls does without a bias)
mark = Layer(ffn=FFN(hidden=[start - zero - cls], out={"[w₁=1]": [1]}))
look = Layer(heads=[Head(q=[cls], k=[start], v={"s": hit - start / 2}, gain=1)])
first = Construction(S, word={"0": zero, "1": one, "CLS": cls}, position={"[i=1]": start},
                     layers=[mark, look], output=s, name="FIRST")

# %% [markdown]
r"""
**Predict**: a string has ten times as many tokens. By which factor is PARITY's $|s|$ smaller?

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
With ten times the tokens PARITY's $s$ comes down to a hundredth, and FIRST's, on long strings, to a tenth. FIRST pays once: attention dilutes its mark among $n$ positions. PARITY pays twice: the mark has height $1/n$, and attention dilutes it by another $1/n$. A larger $c$ hardly helps PARITY, as $\tanh c < 1$. FIRST would gain at any one length, up to $s = \tfrac12$, but with a fixed $c$ its $s$ still falls like $1/n$.

:::{admonition} The price of the mark
:class: result
PARITY's $|s|$ falls like $1/n^2$, and FIRST's like $1/n$. For every $c > 0$, $n^2 |s|$ tends to $2 \tanh c$ for PARITY, and $n |s|$ tends to $\tfrac12 e^c$ for FIRST. *Proved for every length.* [Record](#run-closed-form)
:::

:::{dropdown} Proof
For $n \ge 2$, FIRST's $|s|$ is $\tfrac12 e^c / (e^c + n - 1)$, and PARITY's $n^2 |s|$ lies between $2 \tanh c \cdot \tfrac{n-1}{n}$ and $2 \tanh c \cdot \tfrac{n}{n-1}$. The limits follow.

*FIRST.* CLS gives position 1 the share $e^c / (e^c + n - 1)$. It holds ½ or $-\tfrac12$ there and 0 elsewhere.

*PARITY.* For even $n$ it is $n^2 |s| = 2 \tanh c$. For odd $n$, multiply out the two sums of Proposition 1: $Z_1 Z_2 = (n^2 - 1) \cosh^2 c + 1$. This lies between $(n^2 - 1) \cosh^2 c$ and $n^2 \cosh^2 c$, as $\cosh c \ge 1$. And $\sinh 2c = 2 \sinh c \cosh c$. So for odd $k$

$$
2 \tanh c \cdot \frac{n+1}{n} \le n^2 s = \frac{n (n+1) \, 2 \sinh c \cosh c}{Z_1 Z_2} \le 2 \tanh c \cdot \frac{n}{n-1} ,
$$

and for even $k$, with $n - 1$ in place of $n + 1$, $n^2 |s|$ is between $2 \tanh c \cdot \frac{n-1}{n}$ and $2 \tanh c \cdot \frac{n}{n+1}$. $\square$
:::

How unsure is that? The {term}`cross-entropy` measures that. For one string it is $-\log_2$ of the probability that the right answer gets: 0 bits for somebody who is sure and right, and 1 bit for a coin. For $110$ it is $-\log_2 (1 - 0.476) = 0.93$ bits. Here is its mean over random strings, as in Chiang and Cholak's Figure 2:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*The longer the string, the nearer the cross-entropy is to a coin's, and the less one symbol moves $s$: PARITY falls twice as steeply as FIRST.* Both transformers have $c = 1$ and decide every string rightly. The panel *bits below a coin's 1* shows by how much the cross-entropy falls short of that, as a mean over 1000 random strings of each length. The panel *influence of one symbol* shows the largest change of $s$ when each symbol of one random string is flipped in turn. The dashed lines fall like $1/n$ and $1/n^2$.", "name": "fig-confidence"}, "image": {"alt": "Two log-log panels, in each two falling lines with slopes minus one, for FIRST, and minus two, for PARITY.", "classes": "dark-light"}}
assert first == constructions.first()  # the library's copy
ns = (10, 20, 40, 80, 160, 320, 640, 1000)
confidence_figure({
    language.name: {n: confidence(construction, language, n) for n in ns}
    for construction, language in ((parity, PARITY), (first, FIRST))
});

# %% [markdown]
r"""
(parity-hahn)=
### Could another transformer be surer?

It could not stay sure as strings grow, as long as it keeps to three rules, as ours do. If it decides PARITY rightly on every string, its $|s|$ is at most a constant divided by $n$. The rules are:

- the vectors are *bounded*: no coordinate grows with the length;
- the logits are bounded: no `gain` grows with the length;
- a feed-forward layer is *Lipschitz*: if its input moves, its output moves at most a fixed number of times as far.

Take a thousand tokens and change one symbol. If all logits lie between $-B$ and $B$, all weights lie between $e^{-B}$ and $e^B$. So no token has a share of more than $e^{2B}/1000$, a fixed number of thousandths. The other tokens keep their proportions, so the mean of their values stays. The changed token pulls the head's mean away from it by thousandths only, before and after. So the mean that another token receives moves by thousandths, and what its feed-forward layer returns too.

The next layer sees one vector that moved far, and its share is small again. The values and weights of all others moved by thousandths: products, sums and powers $e^x$ of bounded numbers move by at most a fixed multiple of what goes in. The sum of the weights, by which a head divides, moves by thousandths of itself. So the means of this layer move by thousandths too. And $s$ is read at CLS, which is not the token that was changed. That is Hahn's theorem {cite}`hahn2020`: one symbol moves $s$ by at most a constant divided by $n$.

In PARITY the change of a symbol turns the answer. If both answers are right, one of the two numbers $s$, before and after, is above 0 and the other is not. So neither is farther from 0 than that constant divided by $n$. Our PARITY has $1/n^2$, as it pays for its mark twice. Another design need not have such a mark, and whether one can have $1/n$ under the rules, this page does not settle.

So the theorem limits how far $s$ is from 0, not on which side it lies. That is Chiang and Cholak's point. The theorem is easily taken for a limit on what transformers recognize, and whether one recognizes PARITY was an open question until they built this one. (Hahn's paper also proves such a limit, for *hard* attention, which picks single positions. Its abstract claims one for both kinds of attention, and two later papers of this book cite it for that.) To keep $s$ away from 0 a transformer has to break a rule. Chapter 3 does so with layer normalization, which divides a vector by its own size. Chapter 4 does so with a gain that grows, which helps FIRST and not this PARITY.

(parity-floats)=
## How far floating point carries it

On paper the transformer never errs. On a computer it does, and on much shorter strings if attention adds shares one after another and rounds each time. Why should that matter? A computer keeps only so many digits, and still the mark has to land on position $k$.

(parity-drift)=
### Two digits, and the mark drifts

Let us calculate with two significant digits, for $n = 28$. Attention adds share times value, position after position, and rounds after each addition. The share is $\tfrac1{28}$, rounded to $0.036$, and the value is 1 at each 1. That is a running sum. A head may also add weight times value first, and divide by the sum of the weights at the end. With equal logits each weight is $1$, so this is one division, of $k$ by $n$. Each position $i$ gets its own number $i/n$ by one division too:
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
From the fourth 1 on each addition gives $0.04$, because a third decimal no longer fits. At $k = 7$ the sum is $0.27$. Position 7 has $0.25$ and position 8 has $0.29$: both are $0.02$ away. The hat is $0.036$ high and falls straight, so both get the mark $0.036 - 0.02 = 0.016$. That makes $s = 0$, and the odd count is rejected. At $k = 8$ the sum is $0.31$. Position 9, with $0.32$, is nearest and has most of the mark, so the even count is accepted.

One division gives $0.25$ at $k = 7$, exactly the number of position 7, which gets the whole mark $0.036$. Its neighbours, at $0.21$ and $0.29$, are farther away than $0.036$ and get none.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A running sum lets the mark drift; one division keeps most of it in its place.* The marks for $n = 28$ with two digits: above with a running sum, below with one division. Odd positions are blue, even ones grey, and the dashed line is $k$.", "name": "fig-drift"}, "image": {"alt": "Four panels of stems over positions 5 to 10. Running sum, k = 7: two equal marks at 7 and 8. Running sum, k = 8: a small mark at 8, a larger one at 9. One division, k = 7: one mark, at 7. One division, k = 8: a mark at 8, and a little one at 9.", "classes": "dark-light"}}
drift_figure();

# %% [markdown]
r"""
In general position $k$ rounds its $i/n$ exactly as one division rounds $k/n$, so the mark does not leave its place. But the numbers of the neighbours are rounded too. If that brings one closer to $k/n$ than the rounded $1/n$, it gets a little mark. At $k = 8$ position 9 does: it is $0.32 - 0.29 = 0.03$ away, which leaves $0.006$.

### How long is one division safe?

A float keeps $p$ binary digits, its **bits**. What it cannot hold is rounded to the nearest number that it can, and halfway between two, to the one whose last bit is 0 (*ties to even*). Let numbers be as small as they need (*no limit on exponents*), and let the second layer's attention be exact.

:::{admonition} One division is safe
:class: result
In such arithmetic with $p$ bits, with one division for $k/n$ and the second layer's attention exact, no string of at most $2^{p-4}$ tokens is decided wrongly. *Proved for every $p \ge 7$.* [Record](#one-division)
:::

:::{dropdown} Proof, and what it assumes
*Assumed besides:* $k/n$, $i/n$ and $1/n$ are each one rounded division, and the hat's three terms are added from left to right.

*Idea.* A false mark is what rounding leaves of a sum that should be 0. The two neighbours of position $k$ hold $2 \cdot 2^{-p}$ together (from $n = 4$ on). Farther off, the three terms of the hat are rounded alike and cancel, unless a power of two lies between them, where the spacing of floats changes. The few positions where one does hold $10 \cdot 2^{-p}$ together. So all false marks hold at most $12 \, (1 + 2^{-p}) \, 2^{-p}$, where the factor covers what is rounded once more. The [record](#one-division) proves each of these bounds. The true mark holds at least $16 \cdot 2^{-p}$. For odd $n$ a mark on an odd position counts $\tfrac{n+1}{n-1}$ times as much. From $n = 9$ on that is $\tfrac54$ at most, and $\tfrac54 \cdot 12 \, (1 + 2^{-p}) < 16$. For $n = 3$ the neighbours hold at most $\tfrac73 \cdot 2^{-p}$ and the factor is 2, and the true mark is at least $\tfrac13 (1 - 2^{-p})$. With $p \ge 7$ that is above $0.33$, and $25 \, (1 + 2^{-p}) \, 2^{-p}$ is below $0.20$. The lengths 5 and 7 ask for no more.
:::

A program rounds its attention too. So we looked for the first $n$ at which the transformer errs with everything rounded, in three float types.
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
A rule of thumb: neighbours differ by $1/n$, so an error $\varepsilon$ in $k/n$ moves the mark by $n \varepsilon$ positions. The running sum is about $k/n$, so below 1. There floats with $p$ bits are at most $2^{-p}$ apart, so each of up to $n$ additions errs by at most about that. If the errors add up, the mark moves by $n^2 \cdot 2^{-p}$ positions, which is a whole position when $n$ is about $2^{p/2}$. With one division position $k$ makes the same error, so the mark stays. Trouble begins when the gap $1/n$ is as small as one rounding, at $n$ about $2^p$, the square of the other.

Float32 errs at {glue:text}`parity_float32_sum` tokens with a running sum, and at {glue:text}`parity_float32_division` with one division. There the search tried some cases only, and errors may begin earlier: hence the ≤ in the table. By the rule they should be near $2^{12} = 4096$ and near $2^{24}$, which is 16.8 million. The errors that we found are within a factor of three.

## What is proved for every length here

- Proposition 1: for $c > 0$ every string is decided rightly. Only the empty string has $s = 0$.
- With $c < 0$ every string but the empty one is decided wrongly, as $s$ becomes $-s$.
- The price: PARITY's $n^2 |s|$ tends to $2 \tanh c$, and FIRST's $|s|$ is $\tfrac12 e^c / (e^c + n - 1)$ for $n \ge 2$.
- Under the three rules, a transformer that is right on PARITY has an $|s|$ of at most a constant divided by $n$. This is Hahn's theorem, cited; its main step is proved [in chapter 9](#hahn).

One division, with the second layer's attention exact, is proved safe for each $p \ge 7$, to $2^{p-4}$ tokens only. Measured in runs: the cross-entropies, the lengths at which float types err, and what trained networks learned (below).

## What to take away

- If a number is hard to use, turn it into a position. Attention can test positions.
- Look at how far $s$ is from 0, not at accuracy alone. A model can be right and hardly sure.
- Ask which steps divide by $n$. In this PARITY two do, so $s$ falls like $1/n^2$, and no larger $c$ makes up for it.
- To take a mean of 1s, add them up as whole numbers first, and divide once. In the float types that we tried a running sum of shares lasts to one or two times $2^{p/2}$ tokens, and one division to about half of $2^p$ at most.
- Unknown: whether training can find such a mark, and whether another transformer under the three rules can have $1/n$ on PARITY. Networks that we trained [without a position encoding](parity_not_learned) could not make this mark, and others [were given $i/n$ and $\cos \pi i$](#log-parity). At the end none of either kind decided over 99 in a hundred strings of twenty-four symbols rightly.

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

Position 0 is even, so head 1 gives it the share $e^{-c}/Z_1$, where $Z_1$ is the sum of all weights of head 1. Hence $nZ_1s=e^{\pm c}-2e^{-c}$ for $k\ge1$ (plus for odd $k$) and $-e^{-c}$ for $k=0$. If
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

Chapter 3 makes $|s|$ large, by layer normalization and one more layer. Comparisons with the paper, and which coefficients the transformer can do without, stand in the [record of this chapter](record_02_transformer_parity_first).
"""
