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

**In one sentence:** it can be made: whatever is said by counting symbols and comparing the counts becomes a transformer that agrees with it at every length, with two layers for each level of counts within counts, and at most one for each connective, such as `and`.

<div class="live" data-live="formula"><p>count(Q("1")) > count(Q("0")) becomes a transformer that accepts 011 and rejects 1001 and 0011. On the book's page, write a formula of your own.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% tags=["hide-input"]
from fractions import Fraction

from chapters.exercises.judge import check
from chapters.pages.formulas_to_transformers import distance, mean_position, tilt_figure
from lib.formulas import compiled, depth, formula, holds, verdict
from lib.notebook import glue, markdown_table, stream_table, use_style
from lib.transformer import Encoder

use_style()

# %% [markdown]
r"""
## A line that counts

So far someone had to invent each transformer. Yang and Chiang {cite}`yang2024` define a small language of *counts* and compile whatever it says into a transformer. This line of it says **MAJORITY**, that a string has more 1s than 0s:

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

The answer for the whole string is the one at its last position, so 011 is accepted. The first column stands for {term}`CLS`, the token in front of the string. Every count is 0 there.

A **formula** is a line that holds at a position or does not. `Q("1")` holds where the symbol is a 1. `count(φ)` is the number of symbols so far, this one included and CLS not, at which the formula φ holds. Counts may be added, multiplied by whole numbers, and compared, by `>`, `>=` or `==`. A comparison is a formula again. So is what we get from formulas by `and`, `or` and `not`.

Three abbreviations help. `once(φ)` means `count(φ) >= 1`, `never(φ)` means `count(φ) == 0`, and `position` counts all symbols so far.

### A count inside a count

Which strings of brackets are well nested? At the end as many are closed as opened; on the way, never more closed than opened. The second condition counts the positions at which a comparison holds:

```python
count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))
```

This language is called Dyck-1. The string `())(` ends with as many closed as opened, but it must be rejected:

| symbol | ( | ) | ) | ( |
|---|---|---|---|---|
| opened so far | 1 | 1 | 1 | 2 |
| closed so far | 0 | 1 | 2 | 2 |
| more closed? | no | no | yes | no |
| how often so far? | 0 | 0 | 1 | 1 |

Comparing the two counts gives the row *more closed?*, and counting its yeses gives the last row. It remembers the mistake: it ends with a 1 where `never` asks for a 0.

The **levels** of a formula are how deep its counts are nested: MAJORITY ("more 1s than 0s") has one, Dyck-1 two.

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
The formula forbids a 0 that has a 1 somewhere before it, so all 0s come first.

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

:::{admonition} What counts so far cannot say
:class: result
Whether a formula holds at a position depends on the symbols up to there alone. On the strings $1^n$ it switches between holding and not holding only finitely often as $n$ grows. So no formula of this kind says PARITY, which asks whether the number of 1s is odd. *Proved for every length.* [Record](#formulas-settle)
:::

:::{dropdown} Proof
On $1^n$ a formula's truth at position $i$ depends on $i$ alone. We show by induction that it is constant from some $i$ on. That is true for `Q`, from $i = 1$ on, and if it is true for some formulas, then for what `and`, `or` and `not` make of them.

If φ is constant from some position on, `count(φ)` is from there on either constant or $i$ minus a constant. A sum of such counts with whole factors is then $\alpha i + \beta$ for fixed $\alpha$ and $\beta$, and from some position on its sign is fixed. So each comparison with 0 is constant from there on.

PARITY alternates on $1^n$ for ever. $\square$
:::

(constant-gain)=
## One comparison, one head

How does attention find out whether 011 has more 1s than 0s? Two heads do it: the first one counts, the second one compares. Both are *masked*: a position sees itself and what stands before it.

*The first head averages.* The last position of 011 sees four tokens, CLS among them. Softmax gives a token the weight $e^{\text{logit}}$, where its **logit** is query times key. This head has no query. Its logits are all 0, so each token gets the same share. It finds the share of the 1s, $\tfrac24$, and the share of the 0s, $\tfrac14$. The share of CLS, $\tfrac14$, is one step of a count: $1/(i+1)$ at position $i$.

*The question is made odd.* We ask whether $2 > 1$, and for whole numbers that is $2 - 1 - 1 \ge 0$. Call the left side $g$, so here $g = 0$, which is neither positive nor negative. But $2g + 1$ is odd, hence never 0, and it is positive exactly when $g \ge 0$. The shares are counts divided by 4, so they give $(2g+1)/4$:

$$
x \;=\; \frac{2g + 1}{i + 1} \;=\; 2 \cdot \frac24 - 2 \cdot \frac14 - \frac14 \;=\; \frac14 .
$$

*The second head leans.* It gives position $j$ the weight $16^{x j}$. Each position carries its number $j$. The query is $x \ln 16$, the key is $j$, and the value is $j$ again. The base 16 is the compiler's, and handy here because $16^{1/4} = 2$:

| position $j$ | 0 | 1 | 2 | 3 | sum |
|---|---|---|---|---|---|
| weight $2^j$ | 1 | 2 | 4 | 8 | 15 |
| $j$ times weight | 0 | 2 | 8 | 24 | 34 |

The head passes on the mean $m$ of the positions under these weights, $\tfrac{34}{15} = 2.27$. The middle of the four positions is 1.5. The mean lies to the right of it: yes.

On 001, $g = -2$ and $2g + 1 = -3$. The weights are $16^{-3j/4} = 8^{-j}$, and almost everything rests on position 0. The mean is $0.14$, far to the left of the middle: no.

### Why a long string does no harm

On a long string, $x$ can be as small as $1 / (i+1)$. Chapters 2 to 4 had to fight such numbers, with a factor $\log n$ or with layer normalization, which scales what stands at a position to a fixed size. Here, in exact arithmetic, nothing needs to be fought; what floating point does, we see below. The small $x$ is multiplied by the position: from the first to the last the weight changes by the factor $16^{x i}$. For one more 1 than 0s that is $16^{i/(i+1)}$: it is 8 on `011`, and nearly 16 on every long string.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Long strings lean as much as short ones.* How much each position weighs beside the heaviest one, base 16: for 011, for 001, and on longer strings for $g = 0$ and $g = -1$, the closest cases. Dashed: the middle. Dot: the mean position $m$, to the right of the middle if there are more 1s, to its left if not.", "name": "fig-tilt"}, "image": {"alt": "Four bar charts. For 011 four bars double from left to right; for 001 they fall steeply. For 61 symbols with one 1 more the bars rise as they do for 011, and for 60 symbols with a tie they fall. A dot lies right of a dashed middle line where the bars rise and left of it where they fall.", "classes": "dark-light"}}
tilt_figure();

# %% [markdown]
r"""
**Predict**: a string of a million and one symbols has exactly one 1 more than 0s. How far from the middle is the mean position?

<p class="guess" data-right="3">less&nbsp;than&nbsp;1|about&nbsp;16|more&nbsp;than&nbsp;100,000</p>
"""

# %% tags=["hide-output"]
# try: other lengths; g = 0 is one 1 more, g = -1 is a tie
for length in (1, 3, 101, 10_001, 1_000_001):
    off = mean_position(length, g=0) - length / 2
    print(f"{length:9,} symbols: {off:12,.2f} off the middle, {off / length:.2f} of the length")

# %% [markdown]
r"""
The distance grows; as a part of the length it settles near a fifth. The weights keep their shape and stretch over more positions. The hardest string is the shortest one, 1. It has two positions, with the weights $1$ and $16^{1/2} = 4$. The mean is $\tfrac45$, and the distance is 0.3. No comparison on any string comes closer.

### From leaning to yes or no

We want 1 for yes and 0 for no. The feed-forward network, the part of a layer that works on each position alone, can do that with a {term}`clip`. It takes the number $2 (m - \tfrac i2) + \tfrac12$ and cuts it off, below at 0 and above at 1. The result is exactly 0 or 1 if $m$ is at least $\tfrac14$ off the middle.

Which bases achieve that? On the string 1 a base $b$ gives the weights $1$ and $\sqrt b$, and the distance

$$
\frac{\sqrt b}{1 + \sqrt b} - \frac12 \;=\; \frac12 \cdot \frac{\sqrt b - 1}{\sqrt b + 1} .
$$

For $b = 9$ that is just $\tfrac14$. We fix the slope 2. A steeper clip would allow a smaller base; with slope 2, 9 is the least. The compiler's 16 leaves some room.

:::{admonition} One comparison, one head
:class: result
A softmax head with weights $b^{x j}$, $b > 1$, returns a mean position on the right of the middle if $g \ge 0$ and on the left if $g < 0$. It is never nearer to the middle than $\frac12 \frac{\sqrt b - 1}{\sqrt b + 1}$. With $b \ge 9$, a clip of slope $2$ makes exactly 1 or 0 of it. This holds at every position $i \ge 1$, for every whole number $g$. *Proved for every length.* [Record](#formulas-distance)
:::

:::{dropdown} Proof
Let $L = i + 1$, $c = \ln b$ and $x = (2g + 1)/L$. The weights are $e^{c x j}$ for $j = 0, \dots, i$.

*The side.* The derivative of $m$ by $x$ is $c$ times the variance of $j$ under the weights, which is positive. So $m$ rises with $g$. For $x = 0$ all weights are alike and $m = \tfrac i2$. To exchange $x$ for $-x$ is to read the positions backwards. So $m - \tfrac i2$ has the sign of $2g + 1$, and its size grows with $|2g + 1|$. This is odd, so the closest case is $2g + 1 = \pm 1$.

*The closest case.* The sum of the weights is $Z = (e^{c x L} - 1)/(e^{c x} - 1)$, and $m$ is the derivative of $\ln Z$ by $x$, divided by $c$. For $x = 1/L$ this gives the distance

$$
m - \tfrac i2 = D(L) = \tfrac12 \bigl( L \coth \tfrac c2 - \coth \tfrac{c}{2L} \bigr) .
$$

*The hardest length.* Let $L$ be real. Then $2 D'(L) = \coth \tfrac c2 - \tfrac{c}{2 L^2} \big/ \sinh^2 \tfrac{c}{2L}$. With $\sinh y \ge y$ the second term is at most $\tfrac 2c$, and with $\coth y > 1/y$ the first is more than that. So $D$ grows, and it is least at $L = 2$, where it is what we computed for the string 1.

*The clip.* With slope 2 it returns 0 or 1 if $2 |m - \tfrac i2| \ge \tfrac12$. That is certain if $2 (\sqrt b - 1) \ge \sqrt b + 1$, which is $b \ge 9$. $\square$
:::

This head is the book's own; Yang and Chiang compare with layer normalization. Here is what the compiler makes of our line, on 011. The last column holds the numbers from above, the last row answers *more 1s?* as our first table does.
"""

# %% tags=["hide-input"]
# try: 001, or a longer string
majority = compiled('count(Q("1")) > count(Q("0"))', "01", "softmax")
trace = Encoder(majority.construction).trace("011")
names = ("position i", "share of CLS", "share of 1s", "share of 0s", "mean m", "more 1s?")
values = [x[0] for x in trace.a[2].values()][-6:]
stream_table(dict(zip(names, values)), trace.tokens[0])

# %% [markdown]
r"""
At CLS mean and middle coincide; the compiler knows that answer beforehand and writes it in.

## A whole formula

The answer of a comparison now stands at every position, as a 0 or a 1. So another head may average it like a symbol. For Dyck-1 and the string `())(`, the first two layers write the row *more closed?* of our table, as $0, 0, 1, 0$. The third layer averages that row, and the fourth compares the count with 0.

Connectives need no attention. *Not* $a$ is $1 - a$. *And* is $\max(0, a + b - 1)$, one unit of a feed-forward network. *Or* follows from these two. The test `==` costs no layer: of $a \ge b$ and $b \ge a$ one always holds, so their sum minus 1 is the answer. At the end, the transformer returns the last position's answer minus $\tfrac12$, and accepts if that is positive.

:::{admonition} Compilation
:class: result
Every formula of counts becomes a transformer that accepts a string if and only if the formula holds at its last position, for strings of every length, in exact arithmetic. It returns at least $\tfrac12$ where it accepts and at most $-\tfrac12$ where it rejects. It has two layers for each level of counts, and at most one more for each connective. *Proved for every length.* [Record](#run-library)
:::

:::{dropdown} Proof
*Claim: each part of the formula has a combination of coordinates that is 1 where the part holds and 0 elsewhere, at every position of every string.* By induction over the formula.

`Q` is a coordinate of the word embedding. Connectives are treated above; `and` of $r$ parts is $\max(0, a_1 + \dots + a_r - (r - 1))$.

For a comparison, let its counts be of parts for which the claim is true. Whatever is 1 at CLS is subtracted there, since CLS is not counted. Then the mean over the $i + 1$ positions is the count divided by $i + 1$, exactly. CLS's own share is $1/(i+1)$. Counts are whole numbers, so the comparison is one of a whole $g$ with 0, and these shares combine to $(2g+1)/(i+1)$. By the result above, a head and a clip make 1 or 0 of it, for $i \ge 1$. At CLS there is one position and the mean is 0. But all counts are 0 there, so the answer is known when the formula is written, and the clip's input is moved by $\pm1$ at CLS.

*The output.* The last position's answer minus $\tfrac12$ is $\pm\tfrac12$. A conjunction of $r$ parts at the root is read off as $a_1 + \dots + a_r - r + \tfrac12$, without a layer of its own.

*Layers.* What is ready after layer $l$ can be averaged in layer $l + 1$ and compared in layer $l + 2$, whose feed-forward network clips it. A connective takes the feed-forward network of the next layer. $\square$
:::

What a machine costs:
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
Each further level costs two layers. In the last line an `and` stands between two levels and takes a layer of its own.

The function `verdict` decides every string to a length in exact arithmetic, and looks whether the theorem covers the machine. Here it is for Dyck-1:
"""

# %%
dyck = 'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))'
print(verdict(compiled(dyck, "()", "softmax"), longest=9))

# %% tags=["hide-input"]
glue("formulas_dyck_layers", compiled(dyck, "()", "softmax").construction.size["layers"])

# %% [markdown]
r"""
The machine has {glue:text}`formulas_dyck_layers` layers. It is proved to do what the formula says; whether that is what we mean is for us to find out.

A second price is the number of the position, which has no bound. And the machine must tell $(2g+1)/(i+1)$ from 0. Exact arithmetic does that at any length, floating-point numbers until rounding hides the difference.

### Why each answer must be exact

The theorem asks for a base of at least 9. With less, an answer that should be 0 or 1 may come out between. We say that it **leaks**.

**Predict**: we compile Dyck-1 with the base $\tfrac32$. Which strings are lost?

<p class="guess" data-right="3">only&nbsp;long&nbsp;ones|only&nbsp;short&nbsp;ones|short&nbsp;and&nbsp;long&nbsp;ones</p>
"""

# %% tags=["hide-output"]
# try: other bases between 2 and 3
for base in (Fraction(3, 2), 2, 3, 9):
    weak = compiled(dyck, "()", "softmax", base=base)
    long = Encoder(weak.construction).accepts("()" * 500)
    print(f"b = {float(base)}: {verdict(weak, longest=10)}; ()^500 is accepted: {long}")

# %% [markdown]
r"""
With the base $\tfrac32$ short strings are lost, and so is `()` repeated 500 times. A comparison of symbols leaks at the first few positions only, but the count above it never forgets what leaked. Once that exceeds a half, the comparison turns, because $2g + 1 = 1 - 2 \cdot \text{count}$ then is negative.

The base 2 loses `()` in another way, and `()` repeated 500 times is right:
"""

# %% tags=["hide-input"]
weak = Encoder(compiled(dyck, "()", "softmax", base=2).construction).trace("()").a[4]
answers = [x[0].tolist()[1:] for name, x in weak.items() if name.startswith("[")]
names = ("at least as many opened?", "at least as many closed?", "more closed?",
         "never more closed?")
glue("formulas_root_sum", f"{sum(answers[k][1] for k in (0, 1, 3)):.2f}")
markdown_table(("base 2", "(", ")"),
               [(name, *(f"{x:.2f}" for x in row)) for name, row in zip(names, answers)])

# %% [markdown]
r"""
The leaks of *more closed?* add up to less than a half. But the root's `and` has three parts, the other three rows, and accepts if they add up to more than $2\tfrac12$. At the last bracket they come to {glue:text}`formulas_root_sum`, which falls short. On the long string these answers are exact.

With the base 3 no short string is lost, but the theorem does not cover longer ones, and the verdict says so.

## What is proved for every length here

- No formula of counts says PARITY.
- With a base of at least 9 and slope 2, one head and a clip answer a comparison exactly, at every position behind CLS.
- A compiled formula is right on all strings, in exact arithmetic.

That the formulas of Dyck-1 and of the record say what their names say is only *decided*, on all strings to a length.

## What to take away

- Before you train for a task, try to say it by counting and comparing: then the weights need no training.
- Count the levels: two layers each are nearly enough, and each connective costs at most one more.
- To compare counts on long inputs without layer normalization, let the network see the position itself. Then no factor need grow with the length: base 9 and slope 2 suffice.
- Bring each answer back to exactly 0 or 1 before it is counted. A small leak below becomes a wrong count above.
- Unknown: which of these transformers gradient descent finds, and to which lengths what it finds is right.

## Exercises

**1 (compute).** Averaging {term}`hardmax` attends to the largest logits alone. With it, the second head attends to CLS alone if $2g+1$ is positive, otherwise to all but CLS. How many heads does the compiler use for Dyck-1 and hardmax, and what does each do? (One can do with one fewer: see $a \ge b$ as the negation of $b \ge a + 1$.)
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
**2 (modify).** State the strings $0^m 1^n$ with $n > m \ge 1$, compile your formula for softmax, and check it on every string to length 10.
"""

# %%
# try: your formula, or its text, in place of the dots
check("8.2", ...)

# %% tags=["hide-cell"]
answer = formula('never(Q("0") and once(Q("1"))) and count(Q("1")) > count(Q("0")) >= 1', "01")
blocks = compiled(answer, "01", "softmax")
assert all(holds(answer, w) == ("10" not in w and w.count("1") > w.count("0") >= 1)
           for length in range(11) for w in blocks.language.all_strings(length))
print(verdict(blocks, longest=10))
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

The library of languages, PARITY by counts of the whole string, other kinds of attention and PyTorch modules to take away stand in the [record of this chapter](record_08_formulas_to_transformers). Deeper counts say more: Yang, Cadilhac and Chiang {cite}`yang2025` prove that each level adds languages. In the [playground](playground) you can compile formulas of your own and run them.
"""
