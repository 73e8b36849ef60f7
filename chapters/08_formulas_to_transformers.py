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

**In one sentence:** it can be made: whatever is said by counting symbols and comparing the counts becomes a transformer that agrees with it at every length, with two layers for each level of counts.

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

So far someone had to invent each transformer. Yang and Chiang {cite}`yang2024` take another way. They define a small language of *counts*, and prove that whatever it says can be compiled into a transformer.

Here is a line of that language. It says that a string has more 1s than 0s:

```python
count(Q("1")) > count(Q("0"))
```

We read it on the string 011, from left to right. At each position we note how many 1s and how many 0s there have been so far.

| position | 0 | 1 | 2 | 3 |
|---|---|---|---|---|
| symbol | CLS | 0 | 1 | 1 |
| 1s so far | 0 | 0 | 1 | 2 |
| 0s so far | 0 | 1 | 1 | 1 |
| more 1s? | no | no | no | **yes** |

The answer for the whole string is the one at its last position, so 011 is accepted. The first column stands for {term}`CLS`, the token in front of the string. There is no symbol yet, and every count is 0.

A **formula** is a line that holds at a position or does not. `Q("1")` holds where the symbol is a 1. `count(φ)` is the number of positions up to here at which the formula φ holds. Counts may be added, multiplied by whole numbers, and compared with each other. A comparison is a formula again. So is what we get from formulas by `and`, `or` and `not`.

Three abbreviations help. `once(φ)` means `count(φ) >= 1`, `never(φ)` means `count(φ) == 0`, and `position` counts every position so far.

### A count inside a count

Which strings of brackets are well nested? As many must be closed as opened, and at no position may more have been closed than opened. The second condition counts the positions at which a comparison holds:

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

The first two rows of numbers are counts. Comparing them gives the row *more closed?*, and counting its yeses gives the last row. That row remembers the mistake. It ends with a 1 where `never` asks for a 0, so the string is rejected.

A formula has as many **levels** as its counts are nested. MAJORITY, as our first language is called, has one, and Dyck-1 has two.

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
The formula forbids a 0 that has a 1 somewhere before it. What remains are the strings in which all 0s come first.

(what-counts-cannot-say)=
### What it cannot say

Let us read formulas on the strings $1$, $11$, $111$ and so on, where the counts are as simple as they can be. "Fewer than five 1s" holds four times and then never again. "At least half are 1s" always holds. Here is one that changes its mind twice. Does any formula go on changing its mind for ever?
"""

# %%
# try: other formulas
between = formula('3 <= count(Q("1")) <= 5 or count(Q("0")) > 7', "01")
print("".join("+" if holds(between, "1" * n) else "-" for n in range(1, 31)))

# %% [markdown]
r"""
:::{admonition} What counts of a prefix cannot say
:class: result
Whether a formula holds at a position depends on the symbols up to there alone. On the strings $1^n$ it changes its mind only finitely often as $n$ grows. So no formula of this kind says PARITY, which asks whether the number of 1s is odd. *Proved for every length.* [Record](#formulas-settle)
:::

:::{dropdown} Proof
On $1^n$ a formula's truth at position $i$ depends on $i$ alone. We show by induction that it is constant from some $i$ on. That is true for `Q`, from $i = 1$ on, and if it is true for some formulas, then for what `and`, `or` and `not` make of them.

If φ is constant from some position on, `count(φ)` is from there on either constant or $i$ minus a constant. A sum of such counts with whole factors is then $\alpha i + \beta$ for fixed $\alpha$ and $\beta$, and from some position on its sign is fixed. So each comparison with 0 is constant from there on.

PARITY alternates on $1^n$ for ever. $\square$
:::

One more word would change that: `total(φ)`, a count in the whole string, which needs a head that also sees what comes later. With it PARITY can be said, and [the record](#run-halves) shows how, without any mark for odd positions. From here on we stay with counts of the prefix.

(constant-gain)=
## One comparison, one head

How does attention find out whether 011 has more 1s than 0s? Two heads do it, one after the other. The first one counts. The second one compares, and it is the one that matters here. Both are *masked*: a position sees itself and what stands before it.

*The first head averages.* The last position of 011 sees four tokens, CLS among them. The head asks for nothing, so each of them gets the same weight. So it finds the share of the 1s, $\tfrac24$, and the share of the 0s, $\tfrac14$. What CLS has of the attention, $\tfrac14$, tells it how large one step of a count is.

*The question is made odd.* We ask whether $2 > 1$, and for whole numbers that is $2 - 1 - 1 \ge 0$. Call the left side $g$, so here $g = 0$. It is a poor number to attend by, because 0 is neither positive nor negative. But $2g + 1$ is odd, hence never 0, and it is positive exactly when $g \ge 0$. The shares give us a quarter of it:

$$
\frac{2g + 1}{4} \;=\; 2 \cdot \frac24 - 2 \cdot \frac14 - \frac14 \;=\; \frac14 .
$$

*The second head leans.* It gives position $j$ the weight $16^{x j}$, where $x$ is that quarter. Softmax does that if the **logit** of $j$, the number in its exponent, is $x j \ln 16$. Since $16^{1/4} = 2$, the weights are easy to work out:

| position $j$ | 0 | 1 | 2 | 3 | sum |
|---|---|---|---|---|---|
| weight $2^j$ | 1 | 2 | 4 | 8 | 15 |
| $j$ times weight | 0 | 2 | 8 | 24 | 34 |

What the head passes on is the mean of the positions under these weights, $\tfrac{34}{15} = 2.27$. The middle of the four positions is 1.5. The mean lies to the right of it, and that means yes.

Now take 001. It has one 1 and two 0s, so $g = -2$ and $2g + 1 = -3$. The weights are $16^{-3j/4} = 8^{-j}$, and almost everything rests on position 0. The mean is $0.14$, far to the left of the middle, and that means no.

In general, position $i$ asks with $x = (2g+1)/(i+1)$. Its mean position is called $m$.

### Why a long string does no harm

On a long string, $x$ can be as small as $1 / (i+1)$. Chapters 2 to 4 had to fight such numbers, with layer normalization or with a factor $\log n$. Here nothing needs to be fought. The small $x$ is multiplied by the position $j$, and $j$ goes up to $i$. From the first position to the last the weight changes by the factor $16^{x i}$. For one more 1 than 0s that is nearly 16, however long the string is.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Long strings lean as much as short ones.* How much each position weighs beside the heaviest one, base 16, for comparisons that could not be closer. Dashed: the middle. Dot: the mean position $m$, to the right of the middle if there are more 1s, to its left if not.", "name": "fig-tilt"}, "image": {"alt": "Four bar charts. In the first three, for 4, 14 and 62 positions, the bars rise by the same slope from left to right; in the fourth they fall. A dot lies right of a dashed middle line in the first three and left of it in the fourth.", "classes": "dark-light"}}
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
:::{dropdown} Why
The weights have nearly the same shape at every length, stretched over more positions. So the mean is off the middle by nearly the same *part* of the length.
:::

The distance grows with the length, to about a fifth of it. The hardest string is the shortest one.

That string is 1. It has two positions, with the weights $1$ and $16^{1/2} = 4$. The mean is $\tfrac45$, the middle is $\tfrac12$, and the distance is 0.3. No comparison on any string comes closer. With a base $b$ in place of 16 the weights are $1$ and $\sqrt b$, and the distance is

$$
\frac{\sqrt b}{1 + \sqrt b} - \frac12 \;=\; \frac12 \cdot \frac{\sqrt b - 1}{\sqrt b + 1} .
$$

### From leaning to yes or no

We want 1 for yes and 0 for no, and nothing between. The feed-forward network can do that with a {term}`clip`. It takes the number $2 (m - \tfrac i2) + \tfrac12$ and cuts it off, below at 0 and above at 1. The result is exactly 0 or 1 if $m$ is at least $\tfrac14$ off the middle.

Which bases achieve that? For $b = 9$ the two weights are 1 and 3, and the mean $\tfrac34$ is off by just $\tfrac14$. So 9 is the least base that will do. The compiler takes 16.

:::{admonition} One comparison, one head
:class: result
A softmax head with weights $b^{x j}$ returns a mean position on the right of the middle if $g \ge 0$ and on the left if $g < 0$. It is never nearer to the middle than $\frac12 \frac{\sqrt b - 1}{\sqrt b + 1}$. For $b \ge 9$ a clip makes exactly 1 or 0 of it. This holds at every position $i \ge 1$, for every whole number $g$. *Proved for every length.* [Record](#formulas-distance)
:::

:::{dropdown} Proof
Let $L = i + 1$, $c = \ln b$ and $x = (2g + 1)/L$. The weights are $e^{c x j}$ for $j = 0, \dots, i$.

*The side.* The derivative of $m$ by $x$ is $c$ times the variance of $j$ under the weights, which is positive. So $m$ rises with $g$. For $x = 0$ all weights are alike and $m = \tfrac i2$. To exchange $x$ for $-x$ is to read the positions backwards. So $m - \tfrac i2$ has the sign of $2g + 1$, and its size grows with $|2g + 1|$. This is odd, so the closest case is $2g + 1 = \pm 1$.

*The closest case.* The sum of the weights is $Z = (e^{c x L} - 1)/(e^{c x} - 1)$, and $m$ is the derivative of $\ln Z$ by $x$, divided by $c$. For $x = 1/L$ this gives the distance

$$
m - \tfrac i2 = D(L) = \tfrac12 \bigl( L \coth \tfrac c2 - \coth \tfrac{c}{2L} \bigr) .
$$

*The hardest length.* Let $L$ be real. Then $2 D'(L) = \coth \tfrac c2 - \tfrac{c}{2 L^2} \big/ \sinh^2 \tfrac{c}{2L}$. With $\sinh y \ge y$ the second term is at most $\tfrac 2c$, and with $\coth y > 1/y$ the first is more than that. So $D$ grows, and it is least at $L = 2$, where it is what we computed for the string 1.

*The clip.* It returns 0 or 1 if $2 |m - \tfrac i2| \ge \tfrac12$. That is certain if $2 (\sqrt b - 1) \ge \sqrt b + 1$, which is $b \ge 9$. $\square$
:::

Here is what the compiler makes of our line, on 011. The last column holds the numbers from above. The last row is the row *more 1s?* of our first table.
"""

# %%
# try: 001, or a longer string
majority = compiled('count(Q("1")) > count(Q("0"))', "01", "softmax")
trace = Encoder(majority.construction).trace("011")
names = ("position i", "share of CLS", "share of 1s", "share of 0s", "mean m", "more 1s?")
values = [x[0] for x in trace.a[2].values()][-6:]
stream_table(dict(zip(names, values)), trace.tokens[0])

# %% [markdown]
r"""
## A whole formula

The answer of a comparison now stands at every position, as a 0 or a 1. So it can be treated like a symbol: another head may average it. That is all it takes for a count inside a count.

For Dyck-1 and the string `())(`, the first two layers write the row *more closed?* of our table, as $0, 0, 1, 0$. The third layer averages that row, and the fourth compares the count with 0. The row is exact, so the upper two layers count its 1s just as the lower two count brackets.

Connectives need no attention. *Not* $a$ is $1 - a$. *And* is $\max(0, a + b - 1)$, one unit of a feed-forward network. *Or* follows from these two. The test $a = b$ is made of $a \ge b$ and $b \ge a$. At the end, the transformer returns the last position's answer minus $\tfrac12$, and accepts if that is positive.

:::{admonition} Compilation
:class: result
Every formula of counts becomes a transformer that accepts a string if and only if the formula holds at its last position, for strings of every length. It returns at least $\tfrac12$ where it accepts and at most $-\tfrac12$ where it rejects. It has two layers for each level of counts, and at most one more for each connective. *Proved for every length.* [Record](#run-library)
:::

:::{dropdown} Proof
*Claim: each part of the formula has a combination of coordinates that is 1 where the part holds and 0 elsewhere, at every position of every string.* By induction over the formula.

`Q` is a coordinate of the word embedding. Connectives are treated above; `and` of $r$ parts is $\max(0, a_1 + \dots + a_r - (r - 1))$.

For a comparison, let its counts be of parts for which the claim is true. Whatever is 1 at CLS is subtracted there, since CLS is not counted. Then the mean over the $i + 1$ positions is the count divided by $i + 1$, exactly. CLS's own share is $1/(i+1)$. Counts are whole numbers, so the comparison is one of a whole $g$ with 0, and these shares combine to $(2g+1)/(i+1)$. By the result above, a head and a clip make 1 or 0 of it, for $i \ge 1$. At CLS there is one position and the mean is 0. But all counts are 0 there, so the answer is known when the formula is written, and the clip's input is moved by $\pm1$ at CLS.

*The output.* The last position's answer minus $\tfrac12$ is $\pm\tfrac12$. A conjunction of $r$ parts at the root is read off as $a_1 + \dots + a_r - r + \tfrac12$, without a layer of its own.

*Layers.* What is ready after layer $l$ can be averaged in layer $l + 1$ and compared in layer $l + 2$, whose feed-forward network clips it. A connective takes the feed-forward network of the next layer. $\square$
:::

What does a machine cost? The compiler tells: its layers, its heads, and the {term}`coordinates <coordinate>` of each position.
"""

# %%
# try: a formula of your own
texts = ['count(Q("1")) > count(Q("0"))', 'never(never(Q("1")))', 'never(never(never(Q("1"))))',
         'never(Q("0") and once(Q("1")))']
sizes = [(f"`{x}`", depth(formula(x, "01")), compiled(x, "01", "softmax").construction.size)
         for x in texts]
markdown_table(("formula", "levels", "layers", "heads", "coordinates"),
               [(x, d, *list(size.values())[:3]) for x, d, size in sizes])

# %% [markdown]
r"""
Each further level costs two layers. In the last line of the table an `and` stands between two levels and takes a layer of its own.

Does a machine agree with its formula? The function `verdict` decides every string to a length in exact arithmetic. It also looks whether the theorem covers the machine. Here it is for Dyck-1:
"""

# %%
dyck = 'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))'
print(verdict(compiled(dyck, "()", "softmax"), longest=9))

# %% tags=["hide-input"]
nested = compiled(dyck, "()", "softmax").construction.size
for what in ("layers", "heads"):
    glue(f"formulas_dyck_{what}", nested[what])

# %% [markdown]
r"""
The machine has {glue:text}`formulas_dyck_layers` layers with {glue:text}`formulas_dyck_heads` heads in all. What is proved is that it does what the formula says. Whether the formula says what we mean is for us to find out, and a wrong formula is compiled just as well.

There is a second price, which the table does not show. The machine is given the number of the position itself, and that has no bound. And it must tell $(2g+1)/(i+1)$ from 0, which exact arithmetic does at any length. Floating-point numbers do it until rounding hides the difference.

### Why each answer must be exact

The theorem asks for a base of at least 9. What if it is smaller?

**Predict**: we compile Dyck-1 with the base $\tfrac32$. Which strings are lost?

<p class="guess" data-right="3">only&nbsp;long&nbsp;ones|only&nbsp;short&nbsp;ones|short&nbsp;and&nbsp;long&nbsp;ones</p>
"""

# %% tags=["hide-output"]
# try: other bases between 2 and 3
for base in (Fraction(3, 2), 2, 3, 9):
    weak = compiled(dyck, "()", "softmax", base=base)
    long = Encoder(weak.construction).logit("()" * 500)
    print(f"b = {float(base)}: {verdict(weak, longest=10)}; ()^500 gets {long:.3f}")

# %% [markdown]
r"""
:::{dropdown} Why
The first comparison is of symbols. Its distance from the middle is least at the first positions, so only there its answer comes out between 0 and 1. But the count above it adds these answers up and never forgets them.
:::

With the base $\tfrac32$ short strings are lost, and so is `()` repeated 500 times. A comparison of symbols is inexact at the first few positions only. The next level counts its answers, though, and what was added there by mistake stays in the count for ever. Once it exceeds a half, the comparison with 0 turns, at whatever length. With the base 3 no short string is lost, but the theorem no longer covers it, and the verdict says so.

### Other ways to compare

The same plan serves other kinds of attention. Under {term}`averaging hardmax <hardmax>` the second head asks with the same $(2g+1)/(i+1)$ and attends to CLS if it is positive, to everything else if not. Under layer normalization a comparison needs no second head at all, and a level costs one layer. [The record](#normalized) builds both and proves them.

## What is proved for every length here

- A formula of prefix counts changes its mind only finitely often on $1^n$, so none says PARITY.
- The mean position of a comparison is on the right side of the middle, at least $\frac12 \frac{\sqrt b - 1}{\sqrt b + 1}$ away. For $b \ge 9$ its clipped value is exactly 0 or 1.
- A compiled formula is right on all strings, in exact arithmetic, and what it returns is never between $-\tfrac12$ and $\tfrac12$.

That a formula says what its name says is a different question. Dyck-1 and the other formulas of the record's library are *decided* against a second definition, on all strings to a length.

## What to take away

- Try to say a task by counting and comparing before you train for it: if that works, you can have weights that need no training.
- Count the levels. They tell you how many layers are enough: two each, and at most one for each connective.
- To compare counts on long inputs without layer normalization, let the network see the position itself. Then a fixed gain is enough.
- Bring each intermediate answer back to exactly 0 or 1 before it is counted. A small leak below becomes a wrong count above.
- Unknown: which of these transformers gradient descent finds, and to which lengths what it finds is right.

## Exercises

**1 (compute).** How many heads does the compiler use for Dyck-1 and hardmax, and what does each do? (One can do with one fewer: see $a \ge b$ as the negation of $b \ge a + 1$.)
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
**3 (prove or refute).** "If the base is below 9, a comparison of numbers of symbols is inexact at infinitely many positions." And a comparison of counts of such comparisons?

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "proved", or a pair: a base below 9, and a position from which on all is exact
check("8.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted for every base above 1. By the proof above, $2 D'(L)$ is at least $\coth \tfrac c2 - \tfrac2c$, a positive constant. So $D(L)$ grows without bound, and from some position on $2 D \ge \tfrac12$. There the clip is exact, whatever the string.

One level up it can happen. The proof needs whole $g$, and a leak makes counts that are not. With $b = (4/3)^6$ the formula `once(Q("1"))` leaks $\tfrac{17}{182}$ at the first symbol of $0^n$ and nothing later.

So `91*count(once(Q("1"))) >= 9` asks for the sign of $2 (91 \cdot \tfrac{17}{182} - 9) + 1 = 0$, and its answer is $\tfrac12$ at every position.
:::
"""

# %% tags=["hide-cell"]
leaking = {base: [i for i in range(1, 60) if not 2 * distance(i, base) >= 0.5]
           for base in (1.2, 1.5, 2, 3, 8)}
print({base: max(places) for base, places in leaking.items()})
check("8.3", (1.5, max(leaking[1.5]) + 1))
halfway = compiled('91*count(once(Q("1"))) >= 9', "01", "softmax", base=Fraction(4, 3)**6)
print([Encoder(halfway.construction).logit("0" * n) for n in (1, 10, 100)])

# %% [markdown]
r"""
## What next

The library of languages, the other two kinds of attention and PyTorch modules to take away stand in the [record of this chapter](record_08_formulas_to_transformers). Deeper counts say more: Yang, Cadilhac and Chiang {cite}`yang2025` prove that each level adds languages. In the [playground](playground) you can compile formulas of your own and run them.
"""
