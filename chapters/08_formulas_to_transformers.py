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

*One line can describe well-nested brackets. Can a program turn it into a transformer that is right on every string, however long, with nothing trained?*

**In one sentence:** write a line that counts symbols and compares the counts, and a compiler turns it into a transformer that agrees with the line on every string.

The price is two layers for each level of nested counts, at most one for each `and` and `or`, and one input that grows without bound: the position's number. The agreement is proved for exact arithmetic. In float16, a transformer for *more 1s than 0s* rejects a string of {glue:text}`formulas_float16` symbols that it should accept.
"""

# %% tags=["hide-input"]
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import torch

from chapters.common.crasp import program
from chapters.common.judge import check
from chapters.common.tracing import trace
from chapters.formulas_to_transformers.figures import distance
from lib.formulas import compiled, depth, formula, holds
from lib.formulas.text import WORDS
from lib.judging import judge
from record.notebook import COLOURS, REFERENCE, glue, markdown_table, stream_table, use_style
from lib.transformer import Encoder

use_style()

# %% [markdown]
r"""
## A line that counts

Yang and Chiang {cite}`yang2024` define a notation of *counts* and compile whatever is written in it into a transformer. The following line says **MAJORITY**, which means that a string has more 1s than 0s:

```python
count(Q("1")) > count(Q("0"))
```

On the string 011, from left to right:

| position | 0 | 1 | 2 | 3 |
|---|---|---|---|---|
| symbol | CLS | 0 | 1 | 1 |
| 1s so far | 0 | 0 | 1 | 2 |
| 0s so far | 0 | 1 | 1 | 1 |
| more 1s? | no | no | no | **yes** |

The answer at the last position is the answer for the whole string, so 011 is accepted. A transformer reads **tokens**: the symbols, and in front of them {term}`CLS`, at position 0. Every count is 0 there.

A **formula** is a line that holds or does not hold at each position. `Q("1")` holds where the symbol is a 1. `count(φ)` is the number of symbols up to and including this one at which the formula φ holds; CLS is not counted. Counts may be added, multiplied by whole numbers, and compared by `>`, `>=` or `==` with each other and with whole numbers. A comparison is again a formula, and so is anything that we build from formulas with the **connectives** `and`, `or` and `not`.

`once(φ)` means `count(φ) >= 1`, `never(φ)` means `count(φ) == 0`, and `position` counts all symbols so far.

### A count inside a count

Which strings of brackets are well nested? At the end as many brackets must be closed as opened, and on the way there must never be more closed than opened. The second condition counts the positions at which a comparison holds:

```python
count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))
```

A set of strings is called a **language**, and the language of well-nested strings is **Dyck-1**. The string `())(` ends with as many closed as opened brackets, but it must be rejected:

| position | 0 | 1 | 2 | 3 | 4 |
|---|---|---|---|---|---|
| symbol | CLS | ( | ) | ) | ( |
| opened so far | 0 | 1 | 1 | 1 | 2 |
| closed so far | 0 | 0 | 1 | 2 | 2 |
| more closed? | no | no | no | yes | no |
| how often so far? | 0 | 0 | 0 | 1 | 1 |

Comparing the two counts gives the row *more closed?*, and counting the yeses in this row gives the last row. The last row remembers the mistake: it ends with a 1, where `never` asks for a 0.

The **levels** of a formula tell how deep its counts are nested. MAJORITY has one level, and Dyck-1 has two, a count around a comparison of counts.

In code, `formula(text, alphabet)` reads a formula, `holds` says whether it holds for a string, and `compiled` makes the transformer. A table of all words is at the [end of this page](#words-of-formulas).

**Predict**: which strings of 0s and 1s does `never(Q("0") and once(Q("1")))` accept?

<p class="guess" data-right="1">0s&nbsp;first,&nbsp;then&nbsp;1s|1s&nbsp;first,&nbsp;then&nbsp;0s|no&nbsp;0s&nbsp;at&nbsp;all</p>
"""

# %% tags=["hide-output"]
# try: a formula of your own, and longer strings
sorted_string = formula('never(Q("0") and once(Q("1")))', "01")
strings = ["0", "1", "00", "01", "10", "11", "001", "010", "011", "101"]
print([w for w in strings if holds(sorted_string, w)])

# %% [markdown]
r"""
Other people write such formulas as **C-RASP** programs, a line for each step. `#` counts, `&&` is *and*, and the last line is the answer. `program` reads one, here the formula just tried, and `trace` prints what each part of a formula says at each position:
"""

# %%
# try: other strings, and 0s after 1s
lines = """
late = "0" && (#"1" >= 1)  // a 0 after a 1
L = #late == 0"""
print(trace(program(lines, "01"), "0101"))

# %% [markdown]
r"""
(constant-gain)=
## One head counts, another compares

How does a transformer find out whether 011 has more 1s than 0s? It uses two heads. One averages over the tokens so far, which tells what fraction of them are 1s. The other leans to the right if there are more 1s, and to the left if there are not.

At each position the transformer keeps a list of numbers, the {term}`coordinates <coordinate>`. Each token starts with a 1 in the coordinate of its symbol, and another coordinate holds the number $j$ of its position. A **layer** changes the list. First its **heads** fetch numbers from other positions. Then its feed-forward network works on each position alone: it adds **units**, each of which is $\max(0, \cdot)$ of a combination of the coordinates.

A head at a position looks at the tokens up to that position; later tokens are *masked*. The position has a *query*, and each token has a *key* and a *value*. All three are fixed combinations of coordinates. Query times key is the token's attention **logit**. **Softmax** turns the logits into attention weights that sum to 1: each is $e^{\text{logit}}$, the token's **pull**, divided by the sum of all pulls. The head returns the mean of the values with these weights.

*The first head counts.* It is in layer 1. At the last position of 011 it sees four tokens, one of them CLS. Its query is 0, so all logits are 0 and each token has the attention weight $\tfrac14$. The value of a token is $1$ if its symbol is a 1, and $0$ otherwise. The mean of the values $0, 0, 1, 1$ is $\tfrac24$: the number of 1s, divided by 4. Likewise the head finds $\tfrac14$ for the 0s, and $\tfrac14$ for CLS. We say that $\tfrac24$ is the *share* of the 1s. It represents the number 2, and the share of CLS represents the number 1. At position $i$ all shares are divided by $i + 1$.

*The second head leans.* It is in layer 2, so it can use what layer 1 found. Suppose that a position holds a number $x$ and wants to know whether $x$ is positive. All that a head can do is set weights. So let each token's pull be $b^x$ times that of the one before it, for a base $b > 1$. If $x$ is positive, the pulls rise to the right, and if $x$ is negative, they fall. The query $x \ln b$ and the key $j$ do this, because the token at position $j$ then has the pull $e^{x j \ln b} = b^{x j}$. With $j$ as the value too, the head returns a mean position $m$, to the right or to the left of the middle $\tfrac i2$.

*Making the question odd.* Let $k_1$ be the number of 1s so far, and $k_0$ the number of 0s. We ask whether $k_1 > k_0$, and for whole numbers this means $k_1 - k_0 - 1 \ge 0$. Call the left side $g$. On 011, $g = 2 - 1 - 1 = 0$, although the answer is yes, and with $x = 0$ the head would not lean at all. So we ask for the sign of $2g + 1 = 2 k_1 - 2 k_0 - 1$ instead. This number is odd, hence never 0, and it is positive exactly if $g \ge 0$. The position does not have $k_1$, $k_0$ and 1, but it has their shares $\tfrac24$, $\tfrac14$ and $\tfrac14$. With the shares in place of the numbers, it gets the odd number divided by 4, and that is our $x$:

$$
x \;=\; \frac{2g + 1}{i + 1} \;=\; 2 \cdot \frac24 - 2 \cdot \frac14 - \frac14 \;=\; \frac14 .
$$

*The answer.* We take the base 16, which makes the numbers easy, because $16^{1/4} = 2$.

| position $j$ | 0 | 1 | 2 | 3 | sum |
|---|---|---|---|---|---|
| pull $2^j$ | 1 | 2 | 4 | 8 | 15 |
| $j$ times pull | 0 | 2 | 8 | 24 | 34 |

The mean position is $m = \tfrac{34}{15} = 2.27$, and the middle is 1.5. The mean is on the right: yes.

On 001, $g = 1 - 2 - 1 = -2$ and $2g + 1 = -3$. The pulls are $16^{-3j/4} = 8^{-j}$, and most of the weight is on position 0. The mean is $0.14$, far to the left of the middle: no.

Try more strings and formulas. The demo's $s$ is the output of the transformer, which accepts a string if $s > 0$:

<div class="live" data-live="formula"><p>count(Q("1")) > count(Q("0")) becomes a transformer that accepts 011 and rejects 1001 and 0011. On the book's page, write a formula of your own.</p></div><script type="module" src="../_static/live.mjs"></script>

### Why a long string does no harm

On a long string, $x$ can be as small as $1 / (i+1)$. A head that gets so small a number leans only a little, unless something grows with the length. Here the keys grow: $x$ is multiplied by the key $j$, which goes up to $i$. From the first position to the last, the pull changes by the factor $16^{x i}$. If the string has one more 1 than 0s, then at its last position $x = 1/(i+1)$, and the factor is $16^{i/(i+1)}$: 8 on `011`, and nearly 16 on every long string.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A single extra 1 gives nearly the same shape at every length, and the mean stays right of the middle.* Bars: the weight of each position compared with the heaviest one, for base 16. The dot is the mean position $m$, the dashed line the middle. Blue: $g = 0$, the closest yes. Orange: $g = -1$, the closest no.", "name": "fig-tilt"}, "image": {"alt": "Four bar charts. For 011, for 61 symbols and for 1001 symbols, each with one 1 more than 0s, the bars rise to the right, and a dot, the mean, lies right of a dashed line, the middle. For 60 symbols with a tie they fall, and the dot lies left of the line.", "classes": "dark-light"}}
closest = (  # comparisons: i, g and what the string has
    (3, 0, "011: yes"),
    (61, 0, "61 symbols,\none 1 more: yes"),
    (1001, 0, "1001 symbols,\none 1 more: yes"),
    (60, -1, "60 symbols,\na tie: no"),
)
_, axes = plt.subplots(1, 4, figsize=(7.2, 2.2), sharey=True)
for axis, (i, g, title) in zip(axes, closest):
    weights = 16.0 ** ((2 * g + 1) / (i + 1) * np.arange(i + 1))
    look = {"color": COLOURS["FIRST" if g < 0 else "PARITY"]}
    axis.stairs(weights / weights.max(), np.arange(i + 2) - 0.5, fill=True, alpha=0.45, **look)
    axis.axvline(i / 2, **REFERENCE)
    mean = np.average(np.arange(i + 1), weights=weights)
    axis.plot(mean, 0, "o", clip_on=False, zorder=3, **look)
    axis.set(xticks=[0, i], xlabel="position $j$")
    axis.get_xticklabels()[-1].set_ha("right")
    axis.set_title(title, fontsize=9, **look)
axes[0].set(ylabel="weight / largest");

# %% [markdown]
r"""
The closest call comes at the first symbol. On the string `1` there are two positions, with the pulls $1$ and $16^{1/2} = 4$. The mean is $\tfrac45$ and the middle is $\tfrac12$. The proof below shows that they come closer on no other nonempty string.

### From leaning to yes or no

We want 1 for yes and 0 for no. The feed-forward network achieves this with a {term}`clip`: it takes $2 (m - \tfrac i2) + \tfrac12$ and cuts it off, below at 0 and above at 1. The result is exactly 0 or 1 if $m$ is at least $\tfrac14$ away from the middle.

Which bases achieve that? On the string `1` a base $b$ gives the pulls $1$ and $\sqrt b$, and the distance

$$
\frac{\sqrt b}{1 + \sqrt b} - \frac12 \;=\; \frac12 \cdot \frac{\sqrt b - 1}{\sqrt b + 1} .
$$

For $b = 9$ this is exactly $\tfrac14$, so 9 is the least base, and 16 leaves some room.

:::{admonition} One head compares
:class: result
Let $g$ be a whole number, $i \ge 1$ a position and $x = (2g+1)/(i+1)$. A softmax head with weights proportional to $b^{x j}$, $b > 1$, returns a mean position on the right of the middle if $g \ge 0$ and on the left if $g < 0$. The distance from the middle is at least $\frac12 \frac{\sqrt b - 1}{\sqrt b + 1}$. If $b \ge 9$, a clip of slope $2$ turns the mean position into exactly 1 or 0. *Proved for every length.* [Record](#formulas-distance)
:::

:::{dropdown} Proof
Let $L = i + 1$, $c = \ln b$ and $x = (2g + 1)/L$. The weights are proportional to $e^{c x j}$ for $j = 0, \dots, i$.

*The side.* The derivative of $m$ with respect to $x$ is $c$ times the variance of $j$ under the weights, which is positive. So $m$ rises with $g$. For $x = 0$ all weights are equal and $m = \tfrac i2$. Replacing $x$ by $-x$ means reading the positions backwards. So $m - \tfrac i2$ has the sign of $2g + 1$, and its size grows with $|2g + 1|$. As $2g + 1$ is odd, the closest case is $2g + 1 = \pm 1$.

*The closest case.* The sum of the weights is $Z = (e^{c x L} - 1)/(e^{c x} - 1)$, and $m$ is the derivative of $\ln Z$ with respect to $x$, divided by $c$. For $x = 1/L$ this gives the distance

$$
m - \tfrac i2 = D(L) = \tfrac12 \bigl( L \coth \tfrac c2 - \coth \tfrac{c}{2L} \bigr) .
$$

*The hardest length.* Let $L$ be real. Then $2 D'(L) = \coth \tfrac c2 - \tfrac{c}{2 L^2} \big/ \sinh^2 \tfrac{c}{2L}$. Because $\sinh y \ge y$, the second term is at most $\tfrac 2c$, and because $\coth y > 1/y$, the first is larger than $\tfrac2c$. So $D$ grows, and it is least at $L = 2$, where it is what we computed for the string `1`.

*The clip.* With slope 2 the clip returns 0 or 1 if $2 |m - \tfrac i2| \ge \tfrac12$. That is certain if $2 (\sqrt b - 1) \ge \sqrt b + 1$, which is $b \ge 9$. $\square$
:::

This head is the book's own; in Yang and Chiang's transformers, [layer normalization](03_layer_norm) does the comparing. Here is what the compiler makes of our line, on 011. The last column holds the numbers from above.
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
## A whole formula

Every position now holds the answer of a comparison, as a 0 or a 1. Another head may average these answers just like symbols. For Dyck-1 and the string `())(`, the first two layers write the row *more closed?* of our table, $0, 0, 0, 1, 0$. The third layer averages that row, and the fourth compares the count with 0.

Connectives need no attention. *Not* $a$ is $1 - a$. *And* is $\max(0, a + b - 1)$, one unit. *Or* follows from these two.

A test $p = q$ of two counts takes two comparisons and no further layer. At least one of $p \ge q$ and $q \ge p$ holds, and both hold exactly if $p = q$. So the sum of the two answers, minus 1, is the answer. For `never(φ)` one comparison is enough, $-\text{count} \ge 0$, because no count is negative.

At the end, the transformer returns the answer at the last position, minus $\tfrac12$, and accepts if this is positive. For Dyck-1, an `and` of three parts, it adds their answers, *opened ≥ closed*, *closed ≥ opened* and *never more closed*, and accepts if the sum exceeds $2\tfrac12$.

:::{admonition} Compilation
:class: result
In exact arithmetic, every such formula becomes a transformer that accepts a string, of any length, if and only if the formula holds at its last position. The transformer returns at least $\tfrac12$ where it accepts and at most $-\tfrac12$ where it rejects. It has two layers for each level of counts, and at most one more for each connective. (The compiler takes the base 16; any base of at least 9 works.) *Proved for every length.* [Record](#run-library)
:::

:::{dropdown} Proof
*Claim: each part of the formula has a combination of coordinates that is 1 where the part holds and 0 elsewhere, at every position of every string.* By induction over the formula.

`Q` is a coordinate, with which each token starts. Connectives are treated above; `and` of $r$ parts is $\max(0, a_1 + \dots + a_r - (r - 1))$.

For a comparison, assume that the claim is true for the parts that it counts. CLS is not counted, so whatever is 1 at CLS is subtracted there. Then the mean over the $i + 1$ positions is the count divided by $i + 1$, exactly. The comparison asks whether a whole number $g$ is at least 0. Together with CLS's share $1/(i+1)$, the means combine to $(2g+1)/(i+1)$. By the result above, a head and a clip turn this into 1 or 0, for $i \ge 1$. At CLS all counts are 0, so the answer is known when the formula is written, and the clip's input is moved by $\pm1$.

*The output.* The last position's answer minus $\tfrac12$ is $\pm\tfrac12$. If the whole formula is an `and` of $r$ parts, the output is $a_1 + \dots + a_r - r + \tfrac12$.

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
Each further level costs two layers. In the last line, an `and` comes between two levels. Its unit needs the answer of `once`, which the clip finishes only in the feed-forward network of layer 2. Units of one network cannot read each other, so the `and` waits for layer 3, and the outer count takes layers 4 and 5. `not` is free, because it is only $1 - a$. An outermost `and` is free too: as in Dyck-1, its answers are only added at the end.

The function `judge` decides every string up to a given length in exact arithmetic and names the least $|s|$, the {term}`margin`. For Dyck-1:
"""

# %%
dyck = 'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))'
print(judge(compiled(dyck, "()", "softmax"), longest=9))

# %% tags=["hide-input"]
glue("formulas_dyck_layers", compiled(dyck, "()", "softmax").construction.size["layers"])

# %% [markdown]
r"""
*Proved for every length* rests here on the last two boxes, which people proved on paper. For this proof, `judge` only checks that the transformer's formula, base and slope meet the conditions of the theorem. And nothing here says whether the formula means what its name says, such as *well nested*. Before [chapter 11](11_every_length) we only try that, on all strings up to some length.

The {glue:text}`formulas_dyck_layers` layers are one price of compiling. The other is the number of the position, which floating-point numbers hold only up to a point. We let `Encoder` run MAJORITY in two float types, on strings with one more 1 than 0s, all 1s first:
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
On the first of these strings that fails in float16 the head still leans the right way, though rounding moves its mean, but the clip fails. It is a difference of two units, $\max(0, t + \tfrac12) - \max(0, t - \tfrac12)$ for $t = 2 (m - \tfrac i2)$. The computed $t$ is 1024, and from 1024 on float16 holds no halves. It rounds $1024\tfrac12$ to $1024$ and keeps $1023\tfrac12$. The answer is therefore $\tfrac12$ instead of $1$, and after subtracting $\tfrac12$ the output is 0, which rejects.

### Why each answer must be exact

The theorem asks for a base of at least 9. With a smaller base, an answer that should be 0 or 1 may come out somewhere in between. We say that it **leaks**.

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
The count of a comparison's answers never forgets what leaked:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A leak at the first few positions stays in the count forever.* On ()()()… the count of *more closed?* should be 0 at every position. The curves show what it comes to for three bases; all start at 0. Above one half (dashed), the comparison that uses the count gives the wrong answer.", "name": "fig-leak"}, "image": {"alt": "Three step curves against the position. For the base 3/2 the curve climbs to 0.74, above a dashed line at one half. For the base 2 it stays near 0.2, for the base 3 near 0.", "classes": "dark-light"}}
weak = Encoder(compiled(dyck, "()", "softmax", base=2)).trace("()").a[4]
answers = [x[0, -1].item() for name, x in weak.items() if name.startswith("[")]
glue("formulas_root_sum", f"{answers[0] + answers[1] + answers[3]:.2f}")
_, axis = plt.subplots(figsize=(6.4, 2.4))
for base, width, colour in zip((Fraction(3, 2), 2, 3), (4, 2.8, 1.4), COLOURS.values()):
    stream = Encoder(compiled(dyck, "()", "softmax", base=base)).trace("()" * 8).a[4]
    shares = next(x[0] for name, x in stream.items() if name.startswith("count(count"))
    counts = [float(share) * (i + 1) for i, share in enumerate(shares)]  # of "more closed": 0
    look = {"color": colour, "linewidth": width, "label": f"$b = {base}$"}
    axis.step(range(17), counts, where="post", **look)
axis.axhline(0.5, label="wrong above this line", **REFERENCE)
axis.legend(fontsize=9, ncols=2, loc="upper right")
axis.set(xlabel="position $i$ of ()()()…", ylabel="count of “more closed?”", ylim=(-0.02, 1.15))
axis.set_xticks(range(0, 17, 4));

# %% [markdown]
r"""
Why one half? `never` asks whether $g = -\text{count}$ is at least 0, and $2g + 1 = 1 - 2 \cdot \text{count}$ is negative as soon as the count exceeds a half. With the base $\tfrac32$, short strings are therefore lost, and so is `()` repeated 500 times.

The base 2 stays below that line, and `()` repeated 500 times is accepted. It loses `()` itself, because the three answers that the transformer adds at the end are not yet exact on so short a string. Their sum is {glue:text}`formulas_root_sum`, less than the required $2\tfrac12$.

With the base 3 no short string is lost, but the theorem does not cover longer ones, and the verdict says so.

(what-counts-cannot-say)=
## What counting cannot say

We read formulas on the strings $1$, $11$, $111$ and so on. Here is a formula that changes its mind twice:
"""

# %%
# try: other formulas
between = formula('count(Q("1")) >= 3 and not count(Q("1")) >= 6', "01")
print("".join("+" if holds(between, "1" * n) else "-" for n in range(1, 31)))

# %% [markdown]
r"""
Is there a formula that goes on switching forever between holding and not holding, as $n$ grows?

No. On these strings, whether a formula holds at a position depends on the position alone. We argue from the inside of the formula outwards. A `Q` never switches here. Now take the count of some φ that switches only finitely often. After the last switch, `count(φ)` either grows by 1 with each symbol or stays as it is. A sum of such counts, with whole factors, therefore runs along a straight line from some position on, and a straight line cannot keep changing its sign. So the comparison settles, and whatever `and`, `or` and `not` make of settled formulas settles too. Each level of the formula passes this on to the next. PARITY, which asks whether the number of 1s is odd, would have to switch forever.

:::{admonition} What such counts cannot say
:class: result
*Assumes:* a formula without `total` and `mod`, which the last table of this page adds. Whether it holds at a position depends only on the symbols up to there. On the strings $1^n$, such a formula switches between holding and not holding only finitely often as $n$ grows. So no such formula says PARITY. *Proved for every length.* [Record](#formulas-settle)
:::

A richer language, RASP {cite}`weiss2021`, says PARITY easily, but this did not settle whether a transformer like those of this book recognizes it: attention in RASP averages over exactly the positions that it selects, as Chiang and Cholak {cite}`chiang2022` point out, while softmax gives every position some weight.

## What to take away

- Before you train a network for a task, try to express the task by counting and comparing. If you can, the network's parameters can be computed, not trained.
- To compare counts on long inputs without layer normalization, let the network see the number of the position. No gain has to grow with the length, but float types hold this number only up to some length.
- Bring each answer back to exactly 0 or 1 before you count it. A small leak below becomes a wrong count above.
- Unknown: which of these transformers gradient descent finds, and up to which lengths the ones that it finds are right.

## Exercises

**1 (compute).** Averaging {term}`hardmax` attends equally to the tokens of largest logit, and to no others. With it, the second head has the key 1 at CLS and 0 elsewhere, and $x$ as its query. It therefore attends to CLS alone if $2g+1$ is positive, and otherwise to all tokens except CLS. How many heads does the compiler use for Dyck-1 and hardmax, and what does each do? (`==` between two counts takes two comparisons, `never` takes one.)
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
Refuted for every base above 1. By the proof above, $2 D'(L)$ is at least $\coth \tfrac c2 - \tfrac2c$, a positive constant. So $D(L)$ grows without bound, and from some position on $2 D \ge \tfrac12$. From there on the clip is exact, whatever the string.

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

The [record of this chapter](record_08_formulas_to_transformers) has the library of languages, formulas for PARITY with `total`, other kinds of attention, and PyTorch modules to take away. Deeper counts say more: Yang, Cadilhac and Chiang {cite}`yang2025` prove that each level adds languages. Here the keys, which are the positions' numbers, grow with the length; chapter 9 asks what happens if a factor on the logits grows instead.

(words-of-formulas)=
### The words of formulas
"""

# %% tags=["hide-input"]
markdown_table(("for example", "what it says"), [(f"`{x}`", said) for x, said in WORDS.items()])
