# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# From formulas to transformers

*Must somebody invent each transformer, or can one be made from a line that says which strings to accept?*

**In one sentence:** it can be made: in exact arithmetic, whatever is said by counting the symbols so far and comparing the counts becomes a transformer that agrees with it at every length, with two layers for a count, two more for each count around it, and at most one for each connective, such as `and`.

<div class="live" data-live="formula"><p>count(Q("1")) > count(Q("0")) becomes a transformer that accepts 011 and rejects 1001 and 0011. On the book's page, write a formula of your own.</p></div><script type="module" src="../_static/live.mjs"></script>

Here $s$ is the output of the transformer, which accepts a string if $s > 0$.
"""

# %% tags=["hide-input"]
from fractions import Fraction

import torch

from chapters.common.judge import check
from chapters.formulas_to_transformers.figures import (
    distance,
    leak_figure,
    mean_position,
    tilt_figure,
)
from lib.formulas import compiled, depth, formula, holds
from lib.judging import judge
from record.notebook import glue, markdown_table, stream_table, use_style
from lib.transformer import Encoder

use_style()

# %% [markdown]
r"""
## A line that counts

So far someone had to invent each transformer. Yang and Chiang {cite}`yang2024` define a notation of *counts* and compile whatever is written in it into a transformer. This line says **MAJORITY**, that a string has more 1s than 0s:

```python
count(Q("1")) > count(Q("0"))
```

We read it on the string 011, from left to right:

| position | 0 | 1 | 2 | 3 |
|---|---|---|---|---|
| symbol | CLS | 0 | 1 | 1 |
| 1s so far | 0 | 0 | 1 | 2 |
| 0s so far | 0 | 1 | 1 | 1 |
| more 1s? | no | no | no | **yes** |

The answer for the whole string is the one at its last position, so 011 is accepted. A transformer reads **tokens**: the symbols, and {term}`CLS` in front of them at position 0. Every count is 0 there.

A **formula** is a line that holds at a position or does not. `Q("1")` holds where the symbol is a 1. `count(φ)` is the number of symbols so far, this one included and CLS not, at which the formula φ holds. Counts may be added and multiplied by whole numbers. They may be compared, by `>`, `>=` or `==`, with each other and with whole numbers. A comparison is a formula again. So is what we get from formulas by `and`, `or` and `not`.

Three abbreviations help. `once(φ)` means `count(φ) >= 1`, `never(φ)` means `count(φ) == 0`, and `position` counts all symbols so far.

### A count inside a count

Which strings of brackets are well nested? At the end as many are closed as opened; on the way, never more closed than opened. The second condition counts the positions at which a comparison holds:

```python
count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))
```

A set of strings is called a **language**, and this one is **Dyck-1**. The string `())(` ends with as many closed as opened, but it must be rejected:

| position | 0 | 1 | 2 | 3 | 4 |
|---|---|---|---|---|---|
| symbol | CLS | ( | ) | ) | ( |
| opened so far | 0 | 1 | 1 | 1 | 2 |
| closed so far | 0 | 0 | 1 | 2 | 2 |
| more closed? | no | no | no | yes | no |
| how often so far? | 0 | 0 | 0 | 1 | 1 |

Comparing the two counts gives the row *more closed?*, and counting its yeses gives the last row. It remembers the mistake: it ends with a 1 where `never` asks for a 0.

The **levels** of a formula are how deep its counts are nested. MAJORITY has one level, and Dyck-1 has two, a count around a comparison of counts.

In code, `formula(text, alphabet)` reads a formula, `holds` says whether it holds for a string, and `compiled` makes the transformer.

**Predict**: which strings of 0s and 1s does `never(Q("0") and once(Q("1")))` accept?

<p class="guess" data-right="1">0s&nbsp;first,&nbsp;then&nbsp;1s|1s&nbsp;first,&nbsp;then&nbsp;0s|no&nbsp;0s&nbsp;at&nbsp;all</p>
"""

# %% tags=["hide-output"]
# try: a formula of your own, and longer strings
sorted_string = formula('never(Q("0") and once(Q("1")))', "01")
strings = ["0", "1", "00", "01", "10", "11", "001", "010", "011", "101"]
for w in strings:
    print(f"{w:4} {'holds' if holds(sorted_string, w) else 'does not hold'}")

# %% [markdown]
r"""
Read it from the inside. At a position, `once(Q("1"))` holds if there is a 1 up to there. Together with `Q("0")` it holds at a 0 that has a 1 somewhere before it. That is what `never` forbids, so all 0s come first.

(what-counts-cannot-say)=
### What it cannot say

We read formulas on the strings $1$, $11$, $111$ and so on. Here is one that changes its mind twice:
"""

# %%
# try: other formulas
between = formula('count(Q("1")) >= 3 and not count(Q("1")) >= 6', "01")
print("".join("+" if holds(between, "1" * n) else "-" for n in range(1, 31)))

# %% [markdown]
r"""
Does any formula go on switching between holding and not holding as $n$ grows, for ever?

It cannot. Go from the inside out. `Q("1")` holds on all these strings and never switches. Now take a count of some φ of which we know already that it switches only finitely often. After its last switch, `count(φ)` grows by 1 with each symbol, or it stays as it is. So a sum of such counts runs along a straight line in the end, and a straight line cannot go on changing its sign. The comparison settles, and so does what `and`, `or` and `not` make of settled formulas. Each layer of the formula passes this on to the next. PARITY, which asks whether the number of 1s is odd, would have to switch for ever.

:::{admonition} What such counts cannot say
:class: result
Whether a formula holds at a position depends on the symbols up to there alone. On the strings $1^n$ it switches between holding and not holding only finitely often as $n$ grows. So no formula that counts the symbols up to a position says PARITY. *Proved for every length.* [Record](#formulas-settle)
:::

:::{dropdown} Proof
On $1^n$ a formula's truth at position $i$ depends on $i$ alone. We show by induction that it is constant from some $i$ on. That is true for `Q`, from $i = 1$ on, and if it is true for some formulas, then for what `and`, `or` and `not` make of them.

If φ is constant from some position on, `count(φ)` is from there on either constant or $i$ minus a constant. A sum of such counts with whole factors is then $\alpha i + \beta$ for fixed $\alpha$ and $\beta$, and from some position on its sign is fixed. So each comparison with 0 is constant from there on.

PARITY alternates on $1^n$ for ever. $\square$
:::

A richer language says PARITY easily: RASP {cite}`weiss2021`, whose programs become transformers, too. Chiang and Cholak {cite}`chiang2022` point out why this did not settle whether a transformer like those of this book recognizes PARITY. Attention in RASP averages over exactly the positions that it selects, while softmax gives every position some weight, and what RASP computes at a single position is taken over as it is, not made of a feed-forward network's units. Here both have to be made, and that is what the rest of this page is about.

(constant-gain)=
## One head counts, another compares

How does a transformer find out whether 011 has more 1s than 0s? With two heads. One averages over the tokens so far, and that tells how many of them are 1s. The other leans to the right if the 1s are more, and to the left if not. Here is what they work with.

At each position the transformer keeps a list of numbers, the {term}`coordinates <coordinate>`. Each token starts with a 1 in the coordinate of its symbol, and the position's number $j$ stands in another. A **layer** changes the list. Its **heads** fetch numbers from other positions. Then its feed-forward network works on each position alone: it adds **units**, each $\max(0, \cdot)$ of a combination of the coordinates.

A head at a position looks at the tokens up to there; the later ones are *masked*. The position has a *query*, and each token has a *key* and a *value*. All three are fixed combinations of coordinates. Query times key is the token's **logit**, and $e^{\text{logit}}$ is its weight. Divided by the sum of all weights, it is the token's share. Shares made in this way are called **softmax**. The head returns the mean of the values in these shares.

*The first head counts.* It stands in layer 1. At the last position of 011 it sees four tokens, CLS among them. Its query is 0, so all logits are 0 and each token has the same share, $\tfrac14$. The value of a token is $1$ if its symbol is a 1, otherwise $0$. The mean of the values $0, 0, 1, 1$ is $\tfrac24$: the number of 1s, divided by 4. In the same way the head finds $\tfrac14$ for the 0s, and $\tfrac14$ for CLS. So $\tfrac24$ stands for the number 2, and the share of CLS for the number 1. At position $i$ all of them are divided by $i + 1$.

*The second head leans.* It stands in layer 2, so it can use what layer 1 found. Suppose that a position holds a number $x$ and wants to know whether it is positive. All that a head can do is set weights. So let each token weigh $b^x$ times as much as the one before it, for a base $b > 1$. If $x$ is positive, the weights rise to the right, and if $x$ is negative, they fall. The query $x \ln b$ and the key $j$ do that, as the token at position $j$ gets the weight $e^{x j \ln b} = b^{x j}$. With $j$ as the value too, the head returns a mean position $m$, to the right of the middle $\tfrac i2$ or to its left. At $x = 0$ it would not lean at all, so $x$ must never be 0.

*The question is made odd.* Let $k_1$ be the number of 1s so far, and $k_0$ that of 0s. We ask whether $k_1 > k_0$, and for whole numbers that is $k_1 - k_0 - 1 \ge 0$. Call the left side $g$. On 011 it is $2 - 1 - 1 = 0$, and yet the answer is yes. So we take $2g + 1 = 2 k_1 - 2 k_0 - 1$. It is odd, hence never 0, and it is positive exactly when $g \ge 0$. In place of $k_1$, $k_0$ and 1 the position has the shares $\tfrac24$, $\tfrac14$ and $\tfrac14$. With them the number comes divided by 4, and that is our $x$:

$$
x \;=\; \frac{2g + 1}{i + 1} \;=\; 2 \cdot \frac24 - 2 \cdot \frac14 - \frac14 \;=\; \frac14 .
$$

*The answer.* We take the base 16, which makes the numbers easy, because $16^{1/4} = 2$. Which other bases will do, we ask below.

| position $j$ | 0 | 1 | 2 | 3 | sum |
|---|---|---|---|---|---|
| weight $2^j$ | 1 | 2 | 4 | 8 | 15 |
| $j$ times weight | 0 | 2 | 8 | 24 | 34 |

The mean position is $m = \tfrac{34}{15} = 2.27$, and the middle is 1.5. The mean lies to the right: yes.

On 001, $g = 1 - 2 - 1 = -2$ and $2g + 1 = -3$. The weights are $16^{-3j/4} = 8^{-j}$, and almost everything rests on position 0. The mean is $0.14$, far to the left of the middle: no.

### Why a long string does no harm

On a long string, $x$ can be as small as $1 / (i+1)$. A head that gets so small a number leans only a little, unless something grows with the length. Here the keys grow: $x$ is multiplied by the key $j$, which goes up to $i$. From the first position to the last the weight changes by the factor $16^{x i}$. For one more 1 than 0s that is $16^{i/(i+1)}$: it is 8 on `011`, and nearly 16 on every long string.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*One 1 more gives nearly the same shape at every length, and the mean stays right of the middle.* How much each position weighs beside the heaviest one, base 16. The dot is the mean position $m$, the dashed line the middle. On 011 the weights rise by the factor 8, on the long strings by nearly 16. Blue: $g = 0$, the closest yes. Orange: $g = -1$, the closest no.", "name": "fig-tilt"}, "image": {"alt": "Four bar charts. For 011, for 61 symbols and for 1001 symbols, each with one 1 more than 0s, the bars rise to the right, and a dot, the mean, lies right of a dashed line, the middle. For 60 symbols with a tie they fall, and the dot lies left of the line.", "classes": "dark-light"}}
tilt_figure();

# %% [markdown]
r"""
**Predict**: a string of a million and one symbols has exactly one 1 more than 0s. How far from the middle is the mean position?

<p class="guess" data-right="3">less&nbsp;than&nbsp;1|about&nbsp;16|more&nbsp;than&nbsp;100,000</p>
"""

# %% tags=["hide-output"]
# try: other lengths; g = 0 means one 1 more than 0s
for length in (1, 3, 101, 10_001, 1_000_001):
    off = mean_position(length, g=0) - length / 2
    print(f"{length:9,} symbols: {off:12,.2f} off the middle, {off / length:.2f} of the length")

# %% [markdown]
r"""
The closest call comes at the first symbol. On the string `1` there are two positions, with the weights $1$ and $16^{1/2} = 4$. The mean is $\tfrac45$ and the middle is $\tfrac12$. On no string do they come closer, as the proof below shows. On longer strings the weights nearly keep their shape and stretch over more positions. So the distance grows with the length, and stays near a fifth of it.

### From leaning to yes or no

We want 1 for yes and 0 for no. The feed-forward network can do that with a {term}`clip`. It takes $2 (m - \tfrac i2) + \tfrac12$ and cuts it off, below at 0 and above at 1. (With the $\tfrac12$, a mean in the middle would give $\tfrac12$, so left and right are treated alike.) The result is exactly 0 or 1 if $m$ is at least $\tfrac14$ off the middle.

Which bases achieve that? On the string `1` a base $b$ gives the weights $1$ and $\sqrt b$, and the distance

$$
\frac{\sqrt b}{1 + \sqrt b} - \frac12 \;=\; \frac12 \cdot \frac{\sqrt b - 1}{\sqrt b + 1} .
$$

For $b = 9$ that is just $\tfrac14$, so 9 is the least base, and 16 leaves some room. Why the slope 2? With slope 1 the clip would need a distance of $\tfrac12$, and on `1` the distance stays below $\tfrac12$ whatever the base.

:::{admonition} One head compares
:class: result
Let $x = (2g+1)/(i+1)$. A softmax head with weights $b^{x j}$, $b > 1$, returns a mean position on the right of the middle if $g \ge 0$ and on the left if $g < 0$. It is never nearer to the middle than $\frac12 \frac{\sqrt b - 1}{\sqrt b + 1}$. With $b \ge 9$, a clip of slope $2$ makes exactly 1 or 0 of it. This holds at every position $i \ge 1$, for every whole number $g$. *Proved for every length.* [Record](#formulas-distance)
:::

:::{dropdown} Proof
Let $L = i + 1$, $c = \ln b$ and $x = (2g + 1)/L$. The weights are $e^{c x j}$ for $j = 0, \dots, i$.

*The side.* The derivative of $m$ by $x$ is $c$ times the variance of $j$ under the weights, which is positive. So $m$ rises with $g$. For $x = 0$ all weights are alike and $m = \tfrac i2$. To exchange $x$ for $-x$ is to read the positions backwards. So $m - \tfrac i2$ has the sign of $2g + 1$, and its size grows with $|2g + 1|$. This is odd, so the closest case is $2g + 1 = \pm 1$.

*The closest case.* The sum of the weights is $Z = (e^{c x L} - 1)/(e^{c x} - 1)$, and $m$ is the derivative of $\ln Z$ by $x$, divided by $c$. For $x = 1/L$ this gives the distance

$$
m - \tfrac i2 = D(L) = \tfrac12 \bigl( L \coth \tfrac c2 - \coth \tfrac{c}{2L} \bigr) .
$$

*The hardest length.* Let $L$ be real. Then $2 D'(L) = \coth \tfrac c2 - \tfrac{c}{2 L^2} \big/ \sinh^2 \tfrac{c}{2L}$. With $\sinh y \ge y$ the second term is at most $\tfrac 2c$, and with $\coth y > 1/y$ the first is more than that. So $D$ grows, and it is least at $L = 2$, where it is what we computed for the string `1`.

*The clip.* With slope 2 it returns 0 or 1 if $2 |m - \tfrac i2| \ge \tfrac12$. That is certain if $2 (\sqrt b - 1) \ge \sqrt b + 1$, which is $b \ge 9$. $\square$
:::

This head is the book's own; in Yang and Chiang's machines the comparing is done by [layer normalization](03_layer_norm). Here is what the compiler makes of our line, on 011. The last column holds the numbers from above.
"""

# %% tags=["hide-input"]
# try: 001, or a longer string
majority = compiled('count(Q("1")) > count(Q("0"))', "01", "softmax")
trace = Encoder(majority).trace("011")
names = ("position i", "share of CLS", "share of 1s", "share of 0s", "mean m", "more 1s?")
values = [x[0] for x in trace.a[2].values()][-6:]
stream_table(dict(zip(names, values)), trace.tokens[0])

# %% [markdown]
r"""
The last row answers *more 1s?* as our first table does. At CLS all counts are 0, so the compiler knows the answer beforehand and writes it in.

## A whole formula

The answer of a comparison now stands at every position, as a 0 or a 1. So another head may average it like a symbol. For Dyck-1 and the string `())(`, the first two layers write the row *more closed?* of our table, as $0, 0, 0, 1, 0$. The third layer averages that row, and the fourth compares the count with 0.

Connectives need no attention. *Not* $a$ is $1 - a$. *And* is $\max(0, a + b - 1)$, one unit. *Or* follows from these two.

A test $p = q$ of two counts takes two comparisons and no further layer. At least one of $p \ge q$ and $q \ge p$ holds, and both do exactly if $p = q$. So the two answers added, minus 1, are the answer. For `never(φ)` one comparison is enough, $-\text{count} \ge 0$, since no count is negative.

At the end, the transformer returns the last position's answer minus $\tfrac12$, and accepts if that is positive. For Dyck-1 it adds three answers instead, *opened ≥ closed*, *closed ≥ opened* and *never more closed*, and accepts if they come to more than $2\tfrac12$.

:::{admonition} Compilation
:class: result
Every such formula becomes a transformer that accepts a string if and only if the formula holds at its last position, for strings of every length, in exact arithmetic. It returns at least $\tfrac12$ where it accepts and at most $-\tfrac12$ where it rejects. It has two layers for each level of counts, and at most one more for each connective. (The compiler takes the base 16; any base of at least 9 will do.) *Proved for every length.* [Record](#run-library)
:::

:::{dropdown} Proof
*Claim: each part of the formula has a combination of coordinates that is 1 where the part holds and 0 elsewhere, at every position of every string.* By induction over the formula.

`Q` is a coordinate, which each token starts with. Connectives are treated above; `and` of $r$ parts is $\max(0, a_1 + \dots + a_r - (r - 1))$.

For a comparison, let its counts be of parts for which the claim is true. Whatever is 1 at CLS is subtracted there, since CLS is not counted. Then the mean over the $i + 1$ positions is the count divided by $i + 1$, exactly. The comparison is one of a whole $g$ with 0, and with CLS's share $1/(i+1)$ the means combine to $(2g+1)/(i+1)$. By the result above, a head and a clip make 1 or 0 of it, for $i \ge 1$. At CLS all counts are 0, so the answer is known when the formula is written, and the clip's input is moved by $\pm1$.

*The output.* The last position's answer minus $\tfrac12$ is $\pm\tfrac12$. An `and` of $r$ parts as the whole formula is read off as $a_1 + \dots + a_r - r + \tfrac12$.

*Layers.* What is ready after layer $l$ can be averaged in layer $l + 1$ and compared in layer $l + 2$, whose feed-forward network clips it. A connective takes the feed-forward network of the next layer. $\square$
:::

(formulas-cost)=
### What it costs
"""

# %% tags=["hide-input"]
# try: a formula of your own
texts = ['count(Q("1")) > count(Q("0"))', 'never(never(Q("1")))', 'never(never(never(Q("1"))))',
         'never(Q("0") and once(Q("1")))']
sizes = [(f"`{x}`", depth(formula(x, "01")), compiled(x, "01", "softmax").construction.size)
         for x in texts]
markdown_table(("formula", "levels", "layers", "heads"),
               [(x, d, size["layers"], size["heads"]) for x, d, size in sizes])

# %% [markdown]
r"""
Each further level costs two layers. In the last line an `and` stands between two levels. Its unit needs the answer of `once`, which the clip finishes only in the feed-forward network of layer 2. Units of one network cannot read each other, so the `and` waits for layer 3. The outer count takes layers 4 and 5. `not` is free, being only $1 - a$. So is an outermost `and`: as in Dyck-1, its answers are only added at the end.

The function `judge` decides every string up to a length in exact arithmetic, and looks whether the theorem covers the machine. Weights such as $16^{1/5}$ are no fractions, so it encloses them between bounds, tightly enough that the sign of the output is certain. Here it is for Dyck-1:
"""

# %%
dyck = 'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))'
print(judge(compiled(dyck, "()", "softmax"), longest=9))

# %% tags=["hide-input"]
glue("formulas_dyck_layers", compiled(dyck, "()", "softmax").construction.size["layers"])

# %% [markdown]
r"""
The {glue:text}`formulas_dyck_layers` layers are one price. The other is the number of the position, which grows without bound. Exact arithmetic can hold it, floating-point numbers only so far. We let `Encoder` run MAJORITY in two float types, on strings with one 1 more than 0s, all 1s first:
"""

# %%
# try: torch.bfloat16, or the 0s first
half = Encoder(majority, dtype=torch.float16)
single = Encoder(majority, dtype=torch.float32)
lost = next(k for k in range(2000) if not half.accepts("1" * (k + 1) + "0" * k))
print(f"float16 first fails at {2 * lost + 1:,} symbols")
print("float32 is right at 1,000,001:", single.accepts("1" * 500_001 + "0" * 500_000))

# %% tags=["hide-input"]
glue("formulas_float16", f"{2 * lost + 1:,}")

# %% [markdown]
r"""
In float16 the string of {glue:text}`formulas_float16` symbols is the first of these to fail. The head still leans the right way, and it is the clip that fails. It is a difference of two units, $\max(0, t + \tfrac12) - \max(0, t - \tfrac12)$ for $t = 2 (m - \tfrac i2)$. Here $t = 1024$, and from there on float16 has no halves. It rounds $1024\tfrac12$ to $1024$ and keeps $1023\tfrac12$. So the answer is $\tfrac12$ in place of $1$, and with $\tfrac12$ taken off, the output is 0, which rejects.

Without rounding $t$ would be only about $900$. But $x$ is a tiny difference of two shares near a half. Float16 rounds the share of the 0s, by less than one part in ten thousand, and that already makes $x$ larger by about a sixth. So the head leans too far.

### Why each answer must be exact

The theorem asks for a base of at least 9. With less, an answer that should be 0 or 1 may come out between. We say that it **leaks**.

**Predict**: we compile Dyck-1 with the base $\tfrac32$. Which strings are lost?

<p class="guess" data-right="3">only&nbsp;long&nbsp;ones|only&nbsp;short&nbsp;ones|short&nbsp;and&nbsp;long&nbsp;ones</p>
"""

# %% tags=["hide-output"]
# try: other bases between 2 and 3
for base in (Fraction(3, 2), 2, 3, 9):
    weak = compiled(dyck, "()", "softmax", base=base)
    long = Encoder(weak).accepts("()" * 500)
    print(f"b = {float(base)}: {judge(weak, longest=10).headline}; ()^500 is accepted: {long}")

# %% [markdown]
r"""
A comparison of symbols leaks at the first few positions only, but the count above it never forgets what leaked:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A leak of the first few positions stays in the count for ever.* On ()()()… the count of *more closed?* should be 0 at every position. Here is what it comes to, for three bases; all start at 0. Beyond a half (dashed) the comparison above it turns.", "name": "fig-leak"}, "image": {"alt": "Three step curves against the position. For the base 3/2 the curve climbs to 0.74, above a dashed line at one half. For the base 2 it stays near 0.2, for the base 3 near 0.", "classes": "dark-light"}}
weak = Encoder(compiled(dyck, "()", "softmax", base=2)).trace("()").a[4]
answers = [x[0, -1].item() for name, x in weak.items() if name.startswith("[")]
glue("formulas_root_sum", f"{answers[0] + answers[1] + answers[3]:.2f}")
leak_figure();

# %% [markdown]
r"""
Why at a half? `never` asks whether $g = -\text{count}$ is at least 0, and $2g + 1 = 1 - 2 \cdot \text{count}$ is negative as soon as the count exceeds a half. So with the base $\tfrac32$ short strings are lost, and so is `()` repeated 500 times.

The base 2 stays below that line, and `()` repeated 500 times is right. It loses `()` because the three answers that the machine adds at the end are not exact so early. They come to {glue:text}`formulas_root_sum`, less than the $2\tfrac12$ that it asks for.

With the base 3 no short string is lost, but the theorem does not cover longer ones, and the verdict says so.

## What is proved for every length here

- No formula that counts the symbols up to a position says PARITY.
- With a base of at least 9 and slope 2, one head and a clip answer a comparison exactly, at every position behind CLS.
- A compiled formula is right on all strings, in exact arithmetic.

That a formula says what its name says, such as *well nested*, is another matter. In this chapter it is *decided*, on all strings to a length.

## What to take away

- Before you train for a task, try to say it by counting and comparing: then the network's numbers can be computed, not trained.
- Count the levels of nested counts: each costs two layers, and each connective at most one more.
- To compare counts on long inputs without layer normalization, let the network see the number of the position. Then no factor need grow with the length. The price is a number that does grow, and a float type computes with it only so far.
- Bring each answer back to exactly 0 or 1 before it is counted. A small leak below becomes a wrong count above.
- Unknown: which of these transformers gradient descent finds, and to which lengths what it finds is right.

## Exercises

**1 (compute).** Averaging {term}`hardmax` attends to the largest logits alone. With it, the second head has the key 1 at CLS and 0 elsewhere, and $x$ as its query. So it attends to CLS alone if $2g+1$ is positive, otherwise to all but CLS. How many heads does the compiler use for Dyck-1 and hardmax, and what does each do? (`==` between two counts is two comparisons, `never` is one. As $p \ge q$ is the negation of $q \ge p + 1$, one head fewer would do.)
"""

# %%
# try: your number in place of the dots
check("8.1", ...)

# %% tags=["hide-cell"]
hard = compiled(dyck, "()", "hardmax").construction
for number, layer in enumerate(hard.layers, start=1):
    for head in layer.heads:
        print(number, "averages" if head.is_uniform else "compares", [name for name, _ in head.v])
check("8.1", sum(len(layer.heads) for layer in hard.layers))

# %% [markdown]
r"""
**2 (modify).** Write a formula that accepts exactly the strings $0^m 1^n$ with $n > m \ge 1$, and compile it for softmax. It is judged for every length, as [chapter 11](11_every_length) explains.
"""

# %%
# try: your formula, or its text, in place of the dots
check("8.2", ...)

# %% tags=["hide-cell"]
ordered = 'once(Q("0")) and never(Q("0") and once(Q("1")))'
answer = formula(f'{ordered} and count(Q("1")) > count(Q("0"))', "01")
blocks = compiled(answer, "01", "softmax")
assert all(holds(answer, w) == ("10" not in w and w.count("1") > w.count("0") >= 1)
           for length in range(11) for w in blocks.language.all_strings(length))
print(judge(blocks, longest=10))
check("8.2", answer)

# %% [markdown]
r"""
**3 (prove or refute).** "If the base is below 9, a comparison of numbers of symbols is inexact at infinitely many positions."

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "proved", or a pair: a base below 9, and a position from which on all is exact
check("8.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted for every base above 1. By the proof above, $2 D'(L)$ is at least $\coth \tfrac c2 - \tfrac2c$, a positive constant. So $D(L)$ grows without bound, and from some position on $2 D \ge \tfrac12$. There the clip is exact, whatever the string.

One level up it can happen: [the record](#break-gain) has a formula that is inexact at every position.
:::
"""

# %% tags=["hide-cell"]
leaking = {base: [i for i in range(1, 60) if not 2 * distance(i, base) >= 0.5]
           for base in (1.2, 1.5, 2, 3, 8)}
print("last inexact position for each base:", {b: max(places) for b, places in leaking.items()})
check("8.3", (1.5, max(leaking[1.5]) + 1))

# %% [markdown]
r"""
## What next

The library of languages, PARITY said by counts of the whole string, symbols ahead included, other kinds of attention and PyTorch modules to take away stand in the [record of this chapter](record_08_formulas_to_transformers). Deeper counts say more: Yang, Cadilhac and Chiang {cite}`yang2025` prove that each level adds languages. In the [playground](playground) you can compile formulas of your own and run them.
"""
