# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# PALINDROME and the limits of precision

*In its authors' test, a published transformer recognizes palindromes perfectly up to length 37 and then breaks down. "Floating point errors", said its authors. Yet the same test, computed without any rounding, gives every accuracy that they recorded. What else is enough to break it, and where is the limit that rounding really sets?*

**In one sentence:** a transformer can pack each half of a string into one number, and with $p$ bits this can be made to work up to $2p$ symbols, but hardly further; if it compares the halves symbol by symbol, its logits stay exact up to about $2^{p/2}$ symbols.

Palindromes are a toy, but the question is not. Whenever a network packs many symbols into one number, somebody has to ask how many fit, and whether the network or the computer fails.
"""

# %% tags=["hide-input"]
from dataclasses import replace
from fractions import Fraction

import matplotlib.pyplot as plt
import torch

from chapters.common.judge import check
from chapters.palindrome_precision.lengths import (THRESHOLD, longest_perfect,
                                                   pairwise_lengths, rounded, some_halves)
from chapters.palindrome_precision.records import agreeing, exact_records, limit_figure
from lib import constructions
from chapters.common.palindrome_precision import GAINS, Evaluation, sigmoid_palindrome
from chapters.common.floats import SIGNIFICAND
from lib.languages import PALINDROME
from record.notebook import COLOURS, glue, markdown_table, use_style
from lib.transformer import FFN, Construction, Exact, Head, Layer, Space

use_style()

# %% [markdown]
r"""
## Two halves, two numbers

A palindrome reads the same in both directions, as `0110` does: the first symbol equals the last, the second equals the last but one, and so on.

Nowak and others {cite}`nowak2022` found a way for a transformer to check all of that in a single comparison. Read each half inwards, from its outer end to the middle, as a binary number. The string is a palindrome if and only if the two numbers are equal.

Let us do `0101` by hand. The outermost symbol of a half counts least: it counts 2, and the next one counts 4. (Place 0, which counts 1, is reserved for a token in front.) The left half, read inwards, is `01`: $0 \cdot 2 + 1 \cdot 4 = 4$. The right half, read inwards, is `10`: $1 \cdot 2 + 0 \cdot 4 = 2$. The numbers differ, so `0101` is not a palindrome. For `0110` both numbers are 4.

How does a transformer read a number? In attention one position asks and every position answers: the **query** of the asking position times the **key** of the answering one is the attention **logit** $x$. Softmax turns it into $e^x$, the position's **pull**, and divides by the sum of all pulls, which gives the attention weight. Now let a **head** (one attention) have the query $\ln 2$, and the key $i$ at position $i$. Then position $i$ has the pull $e^{i \ln 2} = 2^i$, which is what the digit at place $i$ counts. The factor from each pull to the next, here 2, is the **base**.

Two more tokens frame the string, {term}`CLS` in front and EOS at the end. So `0101` has $n = 6$ positions, two more than symbols:

| position $i$ | 0 | 1 | 2 | 3 | 4 | 5 |
|---|---|---|---|---|---|---|
| token | CLS | `0` | `1` | `0` | `1` | EOS |
| pull in head 1, $2^i$ | 1 | 2 | 4 | 8 | 16 | 32 |
| pull in head 2, $2^{n-1-i}$ | 32 | 16 | 8 | 4 | 2 | 1 |
| read by | | head 1 | head 1 | head 2 | head 2 | |

Head 1 reads the left half, and head 2 the right half from the other end. The value of a position is 1 if it holds a `1` of the head's own half, and 0 otherwise. All pulls are divided by their sum, $63 = 2^6 - 1$, so head 1 returns $\tfrac{4}{63}$ and head 2 returns $\tfrac{2}{63}$. Their difference is the output, $s = \tfrac{2}{63}$. For `0110` it is $s = 0$.

In general

$$
s=\frac{1}{2^n-1}\sum_{i\le(n-1)/2}\bigl(\mathbb{I}[w_i=1]-\mathbb{I}[w_{n-1-i}=1]\bigr)\,2^i ,
$$

where $w_i$ is the token at position $i$, and $\mathbb{I}[\cdot]$ is 1 if its condition holds and 0 otherwise. At odd lengths both heads read the middle symbol, and it cancels. As two whole numbers are equal if and only if their binary digits are, $s = 0$ on palindromes and nowhere else, at every length. The transformer accepts if $s = 0$.

In the code, the first **layer**, `mark`, marks the 1s of each half, and the second layer has the two heads. The **position encoding** says in which half a position is: `left` is 1 in the left half. And `no_1` is 1 wherever there is no `1`, so `left - no_1`, cut off at 0, is 1 at each `1` of the left half and 0 everywhere else. `base=2` puts in the factor $\ln 2$. `Exact(…).logit` computes the output $s$ without rounding.
"""

# %%
two_numbers = constructions.palindrome()
at = {name: two_numbers.space[name] for name in two_numbers.space.names}
no_1 = at["0"] + at["CLS"] + at["EOS"]
mark = Layer(ffn=FFN(hidden=[at["left"] - no_1, at["right"] - no_1],
                     out={"1 on the left": [1, 0], "1 on the right": [0, 1]}))
from_left = Head(q=[at["CLS"]], k=[at["i"]], v={"s": at["1 on the left"]}, base=2)
from_right = Head(q=[at["CLS"]], k=[at["n-1-i"]], v={"s": -at["1 on the right"]}, base=2)
assert list(two_numbers.layers) == [mark, Layer(heads=[from_left, from_right])]

# %%
# try: other strings
for w in ("0110", "0101", "00100", "00101"):
    print(w, "s =", Exact(two_numbers).logit(w))

# %% [markdown]
r"""
## A limit without rounding

All of this is exact arithmetic, and computers round. By the count of Nowak and others, their transformer was perfect up to 37 symbols, and from about 70 on it was right on only half of the strings. They name floating-point errors as the cause. Anyone can check this, because they published their code, its history and the records of their runs.

The explanation sounds right, because $s$ shrinks quickly. But their code does not ask whether $s = 0$. It accepts if $|s|$ is at most a **threshold**, $10^{-7}$, which a comment in the code explains with "precision error".

Take a string that is a palindrome except that its first and last symbols differ. Then $|s| = 2 / (2^n - 1)$. At 22 symbols $|s|$ is $1.2 \cdot 10^{-7}$, still above the threshold. At 23 symbols it is half as much, and the string is accepted. No number has been rounded.

So a threshold is enough to make the transformer fail. Was it the cause of *their* failure? That depends on the base, and theirs is smaller. Transformers usually divide each logit by $\sqrt d$, where $d$ is how many numbers a query has. In their code $d = 6$, and the query holds a 1 instead of $\ln 2$, so the base is $e^{1/\sqrt 6}$, about $1.5$. If only one pair differs, as in their test strings, $|s|$ then reaches the threshold later.

Their code fixes the random seed, so the test strings can be drawn again: 500 of each length. Each string starts as a palindrome, and a coin decides whether one of its symbols is flipped. We decide all of these strings without any rounding, and compare our accuracies with those that the authors recorded, one for each length from 2 to 199.

**Predict**: which exact computation reproduces all of the recorded accuracies?

<p class="guess" data-right="1">the&nbsp;code's&nbsp;base&nbsp;and&nbsp;threshold|base&nbsp;2&nbsp;and&nbsp;the&nbsp;threshold|the&nbsp;test&nbsp;s&nbsp;=&nbsp;0</p>
"""

# %% tags=["hide-output"]
# try: another threshold in place of theirs
ways = {"the code's base and threshold": ("e^(1/√6)", THRESHOLD),
        "base 2 and the threshold": ("2", THRESHOLD),
        "the code's base and the test s = 0": ("e^(1/√6)", 0.0)}
recorded = exact_records()
markdown_table(("exact arithmetic, with", "lengths with the recorded accuracy"),
               [(way, f"{agreeing(GAINS[base], most)} of {len(recorded)}")
                for way, (base, most) in ways.items()])

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Arithmetic without rounding fails exactly as often as the authors' runs did.* Dots: their recorded accuracies. Rings: the same strings, decided without rounding. Solid: the mean over all strings of this kind; the 500 drawn ones scatter around it. Dotted: with base 2 the same threshold would have set the limit earlier, after 22 symbols. Dashed: with the test $s = 0$ there is no limit. The figure shows lengths 18 to 82, of 2 to 199. Odd and even lengths go in pairs, because the code made strings of the even length for both.", "name": "fig-palindrome-37"}, "image": {"alt": "A solid staircase that stays at one until length 37 and falls to one half at about 70; along it dots, each in a ring; a dotted staircase that stays at one until 23; and a dashed line at one.", "classes": "dark-light"}}
limit_figure();

# %% tags=["hide-input"]
glue("palindrome_lengths", len(recorded))

# %% [markdown]
r"""
:::{admonition} A limit without rounding
:class: result
With the base and the threshold of the authors' code, arithmetic without any rounding gives each of their {glue:text}`palindrome_lengths` recorded accuracies, to the last digit. Rounding may have occurred, but it changed none of these accuracies. *Decided for each test string, without rounding.* [Record](#nowak-figure-2)
:::

**Their 37 means 36 symbols.** The records fit an earlier version of their code, which left the middle symbol out when an odd length was asked for. (The published version inserts it.) If only the outermost pair differs at 36 symbols, $|s|$ is $1.4 \cdot 10^{-7}$. At 38 symbols it is $0.6 \cdot 10^{-7}$, and the first strings are lost.

Even this limit holds only for their test strings, in which at most one pair differs. With a base of about $1.5$, different halves can stand for nearly the same number. For $b = e^{1/\sqrt6}$, `01001` stands for $b^2 + b^5 = 9.96$ and `10110` for $b + b^3 + b^4 = 10.03$. Longer halves come closer still. The string below is no palindrome, but with their base and threshold it is accepted, even without rounding. The number after `+/-` is a proved bound on the error.
"""

# %%
# try: another string
w = "1010111100111000001100"
theirs = constructions.palindrome(GAINS["e^(1/√6)"], base=None)
s = Exact(theirs).logit(w, bits=128)
print(f"{len(w)} symbols, a palindrome: {w in PALINDROME}, s = {s.str(5)}")

# %% [markdown]
r"""
(palindrome-rounding)=
## Why equal numbers come out unequal

What *is* the limit that rounding sets? We ask for $s = 0$ and use base 2 again. A float type keeps a fixed number $p$ of binary digits (bits), its {term}`significand`, and rounds every result to them.

The first surprise is not how much is lost, but that equal things become unequal. Add $0.1$, $0.2$ and $0.3$ in this order in Python, and you get `0.6000000000000001`. In the opposite order you get `0.6`.

On a palindrome, the authors note, the heads do just that: they add the same numbers in opposite orders. Both add from left to right, half and pulls alike, so head 1 begins with the smallest term and head 2 with the largest.

The usual softmax first computes exponentials and divides each of them by their sum. We fix one recipe for it: the largest logit is subtracted from all logits, each exponential is the nearest float, and sums are taken term by term from left to right.

**Predict**: float64 keeps 53 bits. With this recipe, up to which length is the transformer right on all strings?

<p class="guess" data-right="1">3|22|106</p>
"""

# %% tags=["hide-output"]
# try: "float32", division="last", or order="outside in"
floats = Evaluation("float64", "exponentials", division="first", order="left to right")
print(longest_perfect(floats, tests=("s = 0",))["s = 0"])

# %% tags=["hide-input"]
usual = longest_perfect(floats, tests=("s = 0",))["s = 0"]
glue("palindrome_usual", usual["length"])
glue("palindrome_rejected", usual["wrong"])
theirs_32, s_32 = Evaluation("float32", "published", division="first"), []
for h in range(1, 19):  # every palindrome of 2h symbols
    halves = ((torch.arange(2**h)[:, None] >> torch.arange(h)) & 1).to(torch.int8)
    left, right = theirs_32.heads(halves, n=2 * h + 2)
    s_32.append((left - right).abs().max().item())
assert not theirs_32.accepts("11", "s = 0") and max(s_32) < THRESHOLD
glue("palindrome_hidden", f"{max(s_32) / THRESHOLD:.2f}")
same_order = Evaluation("float64", "exponentials", "first", "outside in")
glue("palindrome_same", longest_perfect(same_order, ("s = 0",))["s = 0"]["length"])

# %% [markdown]
r"""
Each head divides by the sum of all pulls. At six positions the sum is $1 + 2 + 4 + 8 + 16 + 32 = 63$, in whatever order. But our recipe takes $\exp$ of a rounded multiple of a rounded $\ln 2$, so even a correctly rounded exponential can miss the power of 2 in its last bits. Because the two heads add these pulls in opposite orders, the two sums differ in the last bit.

The recipe is right up to {glue:text}`palindrome_usual` symbols, and then it rejects the palindrome {glue:text}`palindrome_rejected`. Each half has a single 1, so there is nothing to add in it, but the two heads divide by different sums. The demo computes in this way. *Base 2* compares the two numbers, and *pair by pair* is the transformer of the section with this name:

<div class="live" data-live="palindromes"><p>The palindrome 0110 gives s = 0 exactly. In float64 both numbers are rounded, and some palindromes are rejected.</p></div><script type="module" src="../_static/live.mjs"></script>

Why did the authors' runs not fail so early? Computed by our recipe in float32, as in their code, $s$ is not 0 even on the palindrome `11`. But on every palindrome of $2, 4, \dots, 36$ symbols $|s|$ is at most {glue:text}`palindrome_hidden` times their threshold. So the threshold, which rounding calls for, accepts them all.

## How many symbols fit into p bits

Without a threshold, two changes are enough to get as far as $2p$ symbols: let the pulls be exact powers of 2, and let the division come last. Then both heads add *whole* numbers, and as long as these fit into $p$ bits, their sum is the same in any order. The sum of all pulls soon no longer fits, but is rounded to the same $2^n$ in either order (see the proof).

Up to which length do the halves fit? Take a type of $p = 3$ bits. Up to 8 it holds every whole number, from 8 to 16 every second one, and from 16 to 32 every fourth one.

A half of three symbols stands for an even number of at most $2 + 4 + 8 = 14$, and the type holds all of these. A half of four symbols can be `1001`, which is $2 + 16 = 18$. The type does not hold 18, which lies midway between 16 and 20. In three bits these two are $100_2 \cdot 4$ and $101_2 \cdot 4$. A tie goes to the number whose last bit is 0, so 18 becomes 16, and 16 is what `0001` stands for.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Three bits hold every half of three symbols, but not every half of four.* Above: the numbers that halves of four symbols stand for; up to 14 the innermost symbol is 0. Below: the numbers that a type of three bits holds. Two or more thick lines end in the same number, so their halves look alike.", "name": "fig-palindrome-held"}, "image": {"alt": "Two rows of dots joined by lines. The even numbers to 14 go straight down; of those from 16 to 30, two end at 16 and three end at 24.", "classes": "dark-light"}}
numbers = range(0, 32, 2)
becomes = [rounded(x, bits=3) for x in numbers]
figure, axis = plt.subplots(figsize=(6.6, 2.2))
for x, y in zip(numbers, becomes):
    colour, width = (COLOURS["FIRST"], 2) if becomes.count(y) > 1 else (COLOURS["ONE"], 1)
    axis.plot([x, y], [1, 0], color=colour, linewidth=width)
    axis.plot([x], [1], "o", color=colour, markersize=4)
    axis.text(x, 1.12, str(x), ha="center", fontsize=8.5)
for y in {rounded(x, bits=3) for x in range(33)}:
    axis.plot([y], [0], "o", color="#777777", markersize=4)
    axis.text(y, -0.3, str(y), ha="center", fontsize=8.5)
axis.text(-0.4, 1.36, "the half's number", fontsize=10)
axis.text(-0.4, -0.58, "held in 3 bits", fontsize=10)
axis.set(ylim=(-0.6, 1.5), xlim=(-1, 33), xticks=[], yticks=[])
axis.spines[:].set_visible(False)

# %%
# try: other halves, or another number of bits
for half in ("0001", "1001"):
    number = sum(2**i for i, symbol in enumerate(half, start=1) if symbol == "1")
    print(half, "is", number, "and in three bits it is", rounded(number, bits=3))

# %% [markdown]
r"""
Take `1001000`: its left half, read inwards, is `1001`, its right half is `0001`, and both contain the middle symbol. It is no palindrome, but a transformer with three bits accepts it. Up to six symbols, with halves of three, the type is right.

The same happens with $p$ bits. A half of $p$ symbols is a binary number with $p$ digits followed by a 0, and this 0 costs a float no bit. A string has two halves, so $2p$ symbols fit.

Could a cleverer way to compute these two numbers reach $2p + 2$? None whose results are within a fifth of the true ones. Take the halves of $p + 1$ symbols that have a 1 as their innermost symbol. There are $2^p$ of them, and they stand for numbers within a factor of 2 of each other, but in such a range the type has only $2^{p-1}$ numbers. In the figure, eight halves stand for the numbers from 16 to 30, and below 32 the type has four: $16$, $20$, $24$ and $28$. Even if results may be a fifth off, fewer than $2^p$ numbers are possible, as the proof shows. So two halves get the same number, and nothing that is done with it afterwards can tell them apart.

:::{admonition} How far p bits go
:class: result
Assume that $p \ge 3$, that each result is rounded to the nearest number and on a tie to the even one, and that no number is too large or too small for the type. Let two heads add exact powers of 2 in $p$ bits, each from one end of the string to the other, count the middle symbol of an odd length in both, divide last, and accept if $s = 0$. Then all strings of at most $2p$ symbols are decided correctly, and some string of $2p + 1$ symbols is not.

No other way of computing these two numbers to within a fifth reaches $2p + 2$. Let each of two heads compute a number of $p$ bits from its half alone, with a relative error of at most a fifth. (The true value is the half's binary number divided by $2^n - 1$.) Then some string of $2p + 2$ symbols is decided incorrectly, whatever test is applied to the two numbers. *Proved for every length.* [Record](#palindrome-2p)
:::

:::{dropdown} Proof
*Numerators.* For $h \le p$ symbols in a half, its number $A$ is even and below $2^{h+1}$. The number and its partial sums fit into $p$ bits.

*Sums of the pulls.* The sum is $Z = 2^n - 1$, and it is exact for $n \le p$. For larger $n$ the running sum, upwards or downwards, meets a tie in its step number $p + 1$, is rounded to a power of 2, and ends at $2^n$. So both heads divide exact numbers by the same $Z$, and equal halves get equal outputs.

*Unequal halves.* Let $A < B$. If $Z$ is a power of 2, the quotients are exact and differ. If $n \le p$, a half has $h \le (n-1)/2$ symbols. So $B < 2^{h+1} \le 2^{(n+1)/2} \le 2^{(p+1)/2}$, which is at most $2^{p-1}$ because $p \ge 3$. So $B/Z - A/Z \ge 1/Z > 2^{1-p} B/Z$, which is more than the spacing of floats there, and the two are not rounded to one number.

*One symbol more.* Now both heads count the middle symbol, and $h = p + 1$. The half $1\,0^{p-1}\,1$ stands for $2^{p+1} + 2$, which is a tie and is rounded to $2^{p+1}$. But $2^{p+1}$ is what $0^p\,1$ stands for.

*No other way.* At $2p + 2$ symbols take the $2^p$ halves whose innermost symbol is 1. Their true outputs lie in some $[x, 2x)$. Computed outputs that are at most a fifth off lie in $[0.8 x, 2.4 x) = [a, 3a)$ with $a = 0.8x$. An interval $[a, 4a)$ spans two powers of 2, so it holds exactly $2^p$ floats of $p$ bits. At least one of them lies in $[3a, 4a)$, because $p \ge 3$. So $[a, 3a)$ holds fewer than $2^p$. Hence two halves $u \ne v$ get the same output. The palindrome that begins with $u$, and the string that begins with $v$ and ends in the same way, are decided alike. $\square$
:::

With these two changes the usual types reach $2p$. With the recipe above (exponentials, opposite orders, the test $s = 0$), more bits help little:
"""

# %% tags=["remove-input"]
markdown_table(
    ("type", "bits p", "2p", "exact powers of 2, divided last", "exponentials, divided first"),
    [(dtype, p, 2 * p, *(longest_perfect(Evaluation(dtype, *way), ("s = 0",))["s = 0"]["length"]
                         for way in (("powers of 2", "last"), ("exponentials", "first"))))
     for dtype, p in SIGNIFICAND.items()])

# %% [markdown]
r"""
The last two columns give the length up to which every string that we tried was decided correctly. (Up to 24 symbols we tried all strings, and beyond that thousands of halves of $h$ symbols: random ones, and simple fractions of $2^h$ changed by one or two powers of 2.) In the last column `float32` outlasts `float64` by luck: up to that length its two sums of all pulls happen to be rounded alike.

Here the order of the sums matters more than the number of bits. If both heads add in the same order, from the outside in, exponentials do well too: in `float64` every string that we tried was decided correctly up to {glue:text}`palindrome_same` symbols. At the next length two different halves get the same number.

## Pair by pair

What fails is packing a whole half into one number. Nowak and others hold that numbers as small as $2^{-n}$ are necessary for a transformer with soft attention, in which no attention weight is 0. In the output $s$ they are not needed, though small weights still occur inside the network. The idea: every position compares itself with its mirror image, and we count how many differ.

The mirror image of position $i$ is $n - 1 - i$. Attention finds it with a logit that is largest there. Take `0101` again, where position 1 looks for position 4. Let its query be $(2 \cdot 4, -1)$ and the key of position $j$ be $(j, j^2)$. Their product, $8 j - j^2$, is 16 at $j = 4$ and 15 at both places beside it. We multiply all logits by 4, so that a neighbour's pull is only $e^{-4}$ times as large:

| position $j$ | 0 | 1 | 2 | 3 | 4 | 5 |
|---|---|---|---|---|---|---|
| logit $32 j - 4 j^2$ | 0 | 28 | 48 | 60 | 64 | 60 |
| pull, divided by that of position 4 | $e^{-64}$ | $e^{-36}$ | $e^{-16}$ | $e^{-4}$ | 1 | $e^{-4}$ |

Because $e^{-4}$ is $0.018$, the last row adds up to $1.0366$, and position 4 gets the attention weight $1 / 1.0366 = 0.965$. So position 1 reads $0.965$ times the 1 at position 4. The neighbours of position 4 hold no 1, and the 1 at position 2 adds only $10^{-7}$.

The feed-forward network compares what was read with the symbol at position 1 itself, which is a 0. Where the two differ by more than a half, the position gets a *mark*, that difference minus a half: here $0.965 - 0.5 = 0.465$. In `0110`, position 1 reads only $0.018$, from the 1 at position 3, a neighbour of its mirror image. As this is less than a half, its mark is exactly 0. Small errors are cut off *before* anything is added up.

The second layer takes the mean over all $n$ positions, where EOS contributes a quarter and each marked position contributes minus its mark. So $n s$ is a quarter minus the sum of all marks. The output $s$ is positive if there is no mark, but as soon as one pair differs, its two marks add up to more than a quarter, and $s$ is negative. The transformer accepts if $s > 0$. On `0110` there are no marks, and $s = \tfrac14 / 6 = \tfrac1{24}$. On `0101` there are four marks:
"""

# %%
# try: other strings
pairs = constructions.pairwise_palindrome()
for w in ("0110", "0101", "00100", "00101"):
    print(w, "s =", Exact(pairs).logit(w))

# %% [markdown]
r"""
Write $\bar\imath = n - 1 - i$ for the mirror image, $r_i$ for what position $i$ reads and $\mu_i$ for its mark. Then

$$
\begin{aligned}
4\,(2\bar\imath j-j^2)&=4\bar\imath^2-4\,(j-\bar\imath)^2,\\
\mu_i&=\max\bigl(0,\bigl|\mathbb{I}[w_i=1]-r_i\bigr|-\tfrac12\bigr),\\
s&=\frac1n\Bigl(\frac14-\sum_i\mu_i\Bigr).
\end{aligned}
$$

This works at every length because of the first equation: the logit falls with the square of the distance from $\bar\imath$, in the same way everywhere, so a longer string does not dilute it.

:::{admonition} Pair by pair
:class: result
In exact arithmetic, this transformer decides PALINDROME at every length: $s = \frac1{4n}$ on palindromes, and $s < -\frac1{2n}$ on all other strings. *Proved for every length.* [Record](#palindrome-pairs)
:::

:::{dropdown} Proof
All positions other than $\bar\imath$ together have at most $2\,(e^{-4} + e^{-16} + \dots) < \frac1{25}$ times the pull of $\bar\imath$. So $r_i$ is off by less than $\frac1{25}$.

Where the pair agrees, $\mu_i$ is exactly 0. Where it differs, $\mu_i > \frac12 - \frac1{25}$, and the same holds for $\mu_{\bar\imath}$. If one pair differs, then $\sum_i \mu_i > \frac{23}{25}$, so $s < \frac1n (\frac14 - \frac{23}{25}) < -\frac1{2n}$. $\square$
:::

The price is that the keys hold numbers of size $n^2$. A type of $p$ bits holds every whole number up to $2^p$, so $j^2$ is exact as long as $j^2 \le 2^p$. The rest of the logit fits too: $\bar\imath j$ and $\bar\imath^2 - (j - \bar\imath)^2$ are no larger in size than the largest square, and the factors 2 and 4 cost no bit. So the logits are exact up to about $2^{p/2}$ symbols.

**Predict**: how far does that carry float32, which keeps 24 bits?

<p class="guess" data-right="2">about&nbsp;100|about&nbsp;4,000|about&nbsp;16&nbsp;million</p>
"""

# %% tags=["hide-output"]
# try: another number of bits, such as {"toy": 5}
markdown_table(("type", "two numbers, 2p", "pairs: logits exact to", "a rejection is expected at"),
               [(dtype, 2 * p, *(f"{length:,}" for length in pairwise_lengths(p)))
                for dtype, p in SIGNIFICAND.items()])

# %% tags=["hide-input"]
glue("palindrome_pairs_32", f"{pairwise_lengths(24)[0]:,}")
glue("palindrome_pairs_wrong", f"{pairwise_lengths(24)[1]:,}")
glue("palindrome_pairs_bf", pairwise_lengths(8)[0])

# %% [markdown]
r"""
In float32 the two numbers work up to $2p = 48$ symbols, and the logits of the pairs are exact up to {glue:text}`palindrome_pairs_32`. In bfloat16 there is little to gain: the two numbers work up to $2p = 16$, and the logits of the pairs are exact up to {glue:text}`palindrome_pairs_bf`.

:::{dropdown} Why it fails further on
Take bfloat16, which keeps $p = 8$ bits, and the mirror image $\bar\imath = 18$. From 256 to 512 the type holds only even numbers, and an odd square lies midway between two of them. A tie goes to the number whose last kept bit is 0, here the multiple of 4. An odd square is always 1 more than a multiple of 4, so every odd square is rounded *down*:

| position $j$ | 17 | 18 | 19 |
|---|---|---|---|
| $2 \cdot 18\,j$ | 612 | 648 | 684 |
| $j^2$ | 289 | 324 | 361 |
| $j^2$ in 8 bits | 288 | 324 | 360 |
| their difference | 324 | 324 | 324 |

The mirror image should lead its neighbours by 1, before the multiplication by 4. But this lead is gone: all three get the same logit, and the mirror image gets an attention weight of no more than a third.

Take the palindrome `10101010100101010101`, where $n = 22$. Position 3 holds a `1`, and so does its mirror image 18, but neither neighbour of position 18 does. So position 3 reads about a third instead of 1, and gets a mark of about $\tfrac23 - \tfrac12 = \tfrac16$, although the pair agrees. The same happens to position 1, whose mirror image is 20. Two such marks make about a third, more than the quarter, and the palindrome is rejected.
:::

Further on, in a type of $p$ bits, an even mirror image loses its lead over its neighbours if the squares of its two odd neighbours lie between $2^p$ and $2^{p+1}$. For each type, [the record](#palindrome-pairs-floats) names a palindrome that should be rejected for this reason. It was rejected in all types except `float64`, where it is too long to run; in float32 it has {glue:text}`palindrome_pairs_wrong` symbols. We did not prove what happens between the lengths of the table.

Exact logits alone do not prove that the pairs *decide* correctly in floats. That was *measured*: in `bfloat16` and `float16` at every length with exact logits, and in `float32` at the last one, each mirror image had an attention weight of at least nine tenths, which is enough for every string. `float64` was not measured.

## What to take away

- Before you put it down to rounding, repeat the computation exactly, or with more bits. If the failure stays, look for another cause, such as a threshold.
- If two computations must give the same number, let them add the same terms in the same order, or keep all sums exact and divide last.
- Count before you build: within a factor of 2, a type of $p$ bits holds only $2^{p-1}$ numbers, and no arithmetic makes more.
- Prefer many small comparisons, whose small errors are cut off at once, to a single number that holds everything. But a key that holds the square of the position is exact only up to about $2^{p/2}$ positions.
- Unknown: whether training finds either of the two transformers.

## Exercises

**1 (compute).** What is $s$ on `100` in the network of the two numbers, as a fraction?
"""

# %%
# try: your fraction in place of the dots, such as Fraction(1, 2)
check("7.1", ...)

# %% tags=["hide-cell"]
# n = 5, Z = 31. Halves: positions 1, 2 against 3, 2: s = 2^1 / 31.
assert str(Exact(two_numbers).logit("100")) == "2/31"
check("7.1", Fraction(2, 31))

# %% [markdown]
r"""
**2 (modify).** At odd lengths both heads count the middle symbol. Change `mark`, the first layer of `two_numbers`, so that neither does. Up to which length is bfloat16 then right, if the pulls are exact powers of 2 and the division comes last?
"""

# %%
# try: your construction and that length in place of the dots, as (construction, length)
check("7.2", ...)

# %% tags=["hide-cell"]
left, right = at["left"], at["right"]
without = Layer(ffn=FFN(hidden=[left - right - no_1, right - left - no_1],
                        out={"1 on the left": [1, 0], "1 on the right": [0, 1]}))
free = replace(two_numbers, layers=[without, two_numbers.layers[1]])
for half, length, is_exact in ((8, 16, True), (8, 17, True), (9, 18, False)):
    left, right = Evaluation("bfloat16").heads(some_halves(half), n=length + 2)
    assert (torch.equal(left, right) and len(left.unique()) == len(left)) == is_exact
check("7.2", (free, 17))  # at 18 a half has nine symbols

# %% [markdown]
r"""
**3 (prove or refute).** "With one layer and a sigmoid, no transformer recognizes PALINDROME." (A sigmoid accepts where its number is positive.)

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "proved", or a Construction with one layer, which is run on strings
check("7.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted. Two heads in base 2 read *every* symbol, one from each end. A pair $i < \bar\imath$ adds $(w_{\bar\imath} - w_i) D_i$ to $(2^n - 1)\,s$, where $D_i = 2^{\bar\imath} - 2^i$. Let $t$ be half the attention weight of position $\lfloor (n-1)/2 \rfloor$, and take $t - |s|$ as the output.

With $m$ the innermost pair, $D_i - \sum_{i < j \le m} D_j$ is $2^{n/2+1} - 3 \cdot 2^i$ for even $n$ and $3\,(2^{(n-1)/2} - 2^i)$ for odd $n$. Both are at least $D_m$. So if the halves differ, the outermost pair that differs gives $(2^n - 1)\,|s| \ge D_m$. And $D_m$ is $2^{n/2-1}$ or $3 \cdot 2^{(n-3)/2}$, which is two or three times $(2^n - 1)\,t$. The output is $t > 0$ on palindromes and at most $-t$ elsewhere.
:::
"""

# %% tags=["hide-cell"]
S = Space("0", "1", "CLS", "EOS", "i", "n-1-i", "middle", "s", "t", "t-|s|")
zero, one, cls, eos, i, back, middle, s, t, logit = S
compare = Layer(heads=[Head(q=[cls], k=[i], v={"s": one, "t": middle / 2}, base=2),
                       Head(q=[cls], k=[back], v={"s": -one}, base=2)],
                ffn=FFN([t, s, -s], {"t-|s|": [1, -1, -1]}))
one_layer = Construction(S, word={"0": zero, "1": one, "CLS": cls, "EOS": eos},
                         position={"i": i, "n-1-i": back, "[i=⌊(n-1)/2⌋]": middle},
                         layers=[compare], output=logit, name="one-layer PALINDROME")
assert one_layer == sigmoid_palindrome()
strings = [w for length in range(10) for w in PALINDROME.all_strings(length)]
assert PALINDROME.errors(strings, Exact(one_layer).accepts(strings)) == []
check("7.3", one_layer)

# %% [markdown]
r"""
## What next

The [record of this chapter](record_07_palindrome_precision) has every count and criterion, and what else the paper does. Nowak and others also build a transformer for ONE (exactly one 1): it compares $k/n$ with $1/n$, and four units turn the comparison into $s = (\mathbb{I}[k = 1] - \tfrac12)/n$. They leave open whether layer normalization can make their transformers confident at every length. With $\epsilon = 0$ the answer is [yes](#palindrome-open) for ONE, for our pairs and for their two numbers in one layer (exercise 3), and [no](#palindrome-obstruction) for their two layers. About training they ask [two things](#nowak-learning): is a language *learned* at one length, and does what is learned *generalize* to others? In their settings FIRST and ONE are learned, PARITY and PALINDROME are not. FIRST generalizes with $\log n$ and, they find, ONE to somewhat longer strings, if trained on variable lengths with FIRST's positions.

All transformers so far were invented one by one; [chapter 8](08_formulas_to_transformers) makes them from formulas.
"""
