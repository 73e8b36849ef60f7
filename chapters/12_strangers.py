# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# A stranger's network

*A trained network was right on every string of its test. Is it right on every string?*

**In one sentence:** a test cannot say, but a computer can ask a small network for every string up to some length within seconds, each answer with a proof that rounding did not make it, and it finds networks with a perfect test that err on strings of nine or eleven symbols.

<div class="live" data-live="audit"><p>On the book's page, drop the weights of a small trained network here, name a language, and have every string to a length judged in your browser.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% tags=["hide-input"]
from functools import partial

from chapters.common.judge import check
from chapters.strangers.figures import (
                                        arena,
                                        bounds,
                                        counted,
                                        decision_figure,
                                        kept,
                                        published,
                                        rotation_figure,
                                        small,
                                        small_table,
                                        )
from lib.languages import MAJORITY, Language
from record.notebook import glue, use_style
from chapters.common.enumeration import smallest
from lib.judging import judge
from lib.trained import Judged, Positive, accepted, from_pytorch

use_style()

# %% tags=["remove-cell"]
stranger = published()["bce_012_0_2-@1l1h64d4lr00drop"]
strings, wrong, _ = counted(stranger)
glue("strangers_strings", f"{strings:,}"), glue("strangers_wrong", wrong)
glue("strangers_first", stranger["wrong"][0])
glue("strangers_networks", len(published()))
faultless = [one for one in published().values() if counted(one)[1] == 0]
glue("strangers_faultless", len(faultless))
strings, wrong, _ = counted(arena())
glue("strangers_brackets", f"{strings:,}"), glue("strangers_odd", arena()["odd"])
glue("strangers_odd_length", len(arena()["odd"])), glue("strangers_alike", arena()["any order"])
for steps in (1000, 4000):
    glue(f"strangers_two_{steps}", counted(small()["two 1s", steps]["audit"])[1])
longer = small()["two 1s", 4000]["longer"]
glue("strangers_neighbours_wrong", longer["neighbours"][1])
glue("strangers_neighbours", f"{longer['neighbours'][0]:,}")
glue("strangers_drawn_wrong", longer["drawn"][1])
glue("strangers_drawn", f"{longer['drawn'][0]:,}")
layered = {layers: bounds()["causal gelu", layers, 1.0]["median"] for layers in (1, 2, 4)}
for layers, median in layered.items():
    glue(f"strangers_bound_{layers}", f"{median:.0e}")
glue("strangers_held", f"{sum(one['outputs'] for one in bounds().values()):,}")

# %% [markdown]
r"""
## What a test sees

A network is trained on strings of a language and tested on some thousand others, drawn at random. How easily does a test miss an error?

Suppose that a network errs on one in a thousand of the strings that a test draws. One string shows no error with probability $1 - \tfrac{1}{1000}$, and a thousand independent ones with $(1 - \tfrac{1}{1000})^{1000}$, which is about $1/e$. So more than one such network in three passes a test of a thousand strings without an error. In general a share $p$ of wrong strings stays unseen in $N$ draws with probability $(1 - p)^N \approx e^{-pN}$.

The next network was trained by others {cite}`huang2026`, who published it with the result of their test: right on all of 2,000 strings from each of three ranges of lengths, the first of which ends at 50 symbols. It reads strings over 0, 1 and 2, and says after each symbol whether the string may end there. It may if a 0 has come, and after the last 0 only 2s. So 1022 may end, and 1021 may not, because a 1 follows the 0.

We gave it every string of at most eleven symbols. Of {glue:text}`strangers_strings` strings it errs on {glue:text}`strangers_wrong`. The shortest is {glue:text}`strangers_first`: there is no 0 in it at all, and the network says that it may end. Why was that not seen? There are $3^9 = 19683$ strings of nine symbols. Even two thousand draws among these alone miss a given one nine times in ten. (The authors' test asks after each symbol, so the beginnings of longer strings count too. But even six thousand uniform strings all begin otherwise than with nine 2s about three times in four.)
"""

# %%
print((1 - 1 / 1000) ** 1000, (1 - 1 / 3**9) ** 2000)

# %% [markdown]
r"""
:::{admonition} A perfect test, and wrong on nine symbols
:class: result
The published network decides {glue:text}`strangers_wrong` of the {glue:text}`strangers_strings` strings to eleven symbols wrongly, the shortest of which has nine. Its authors report no error on the strings of their test. *Decided for each string to that length.* [Record](#strangers-published)
:::

We asked {glue:text}`strangers_networks` published networks. Of these {glue:text}`strangers_faultless` made no error as far as we asked, and one errs only on strings with as many 1s as 0s, which its authors left out. The record has [all of them](#strangers-published).

One more network is known to many who learn how networks are taken apart. The course [ARENA](https://github.com/callummcdougall/ARENA_2.0) of Callum McDougall and others teaches with it: three layers that say whether brackets are balanced, with room for strings of 40 brackets. It decides every string of at most 13 brackets correctly, {glue:text}`strangers_brackets` in all (*decided for each string to that length*). But it accepts {glue:text}`strangers_odd`, which has {glue:text}`strangers_odd_length` brackets. An odd number of brackets can never be balanced. [Record](#strangers-brackets)

## Your own network

To ask a network, we need its weights and a few words. A network trained with PyTorch is stored as a list of matrices with names, as `encoder.layers.0.linear1.weight`. The names say what each matrix does. They do not say how many heads there are, which activation function is used, the kind of normalization (`norm="layer"`, or `"rms"`, which does not subtract the mean), the small number `eps` that is added under its root, whether normalization comes before or after each sublayer (`pre_norm`), and whether a token sees only itself and earlier tokens (`causal`). All this we say ourselves, with the names that this network gave its parts: `encoder.`, `position.weight`, and `last` for a normalization at the end. (What these are, [chapter 2](02_transformer_parity_first) and [chapter 3](03_layer_norm) explain; here it is enough that each has its word.)

Here is a network that we trained to say whether a string over 0 and 1 has at least two 1s. It has one layer, and saw four thousand batches of 64 random strings, none longer than 40 symbols. Each string stands between two marks, the tokens 2 and 3, and the answer is read at the last one: *yes* if the output is above 0. This output is called the **logit**. On its test, four thousand random strings, it is always right.
"""

# %%
# try: kept("two 1s", 1000), or longest=14
two = Language("at least two 1s", lambda w: w.count("1") >= 2)
net = kept("two 1s", 4000)
said = {"heads": 2, "activation": "gelu", "norm": "layer", "eps": 1e-5, "pre_norm": True,
        "causal": True, "last": "encoder.norm"}
network = from_pytorch(net.state_dict(), **said, encoder="encoder.", position="position.weight")
judged = Judged(network, {"0": 0, "1": 1}, Positive(), before=(2,), after=(3,))
print(judge(judged, two, longest=12, floats=("float32", "bfloat16")))

# %% [markdown]
r"""
The answer has a line for each thing that one wants to know: how many strings are decided wrongly, the shortest of them, and how many of each length; with what chance a thousand random strings, each of a random length from 0 to 12, would show none; and the smallest **margin**, the distance of a right logit from 0. Then it says on how many strings one run with floats of 32 or of 16 bits decides otherwise than real numbers would. The last line counts those of which the bound shows that *any* run with 32 bits decides them alike, in whatever order it adds. (The judge at the top of this page leaves out both lines, as other floats are compared in Python only, and the numbers of each length. It takes weights in PyTorch's or GPT-2's names.) A network that predicts next symbols is asked after every prefix which symbols may follow; `NextTokens` says whether it was trained by cross entropy or with a threshold for each symbol. The page [Adapt this](adapt) trains a network of its own in ten seconds, asks it in the same way, and lists what else can be read and asked.

Does longer training help? We trained eight networks, four languages with a thousand and with four thousand batches each. The table compares a test of random strings with *all* strings to thirteen symbols.
"""

# %% tags=["hide-input"]
small_table()

# %% [markdown]
r"""
*Right* is the share of random strings of these lengths that are decided rightly, two thousand of each range. *Wrong* counts errors among the 16,383 strings to thirteen symbols.

Where there were errors, longer training left fewer: {glue:text}`strangers_two_4000` in place of {glue:text}`strangers_two_1000` for *at least two 1s*. It did not remove them, though its test now shows none.

## One forward pass, three arithmetics

A computer rounds. Take a machine that keeps three digits, and add $1.00 + 0.004 + 0.004 - 1.00$. It rounds $1.004$ to $1.00$, twice, and ends with $0$. If it adds the small numbers first, it gets $1.00 + 0.008$, rounds to $1.01$ and ends with $0.01$. The true sum is $0.008$. If this were a logit, *accepted if above 0*, then the answer would depend on the order of adding.

So what does "the network accepts" mean? We mean the true sum, the one without rounding: the weights are numbers, and the network is a function of real numbers. To know that function's sign one needs no exact value. It is enough to know how far the computed number can be from the true one.

With three digits a number below 10 is rounded by at most $0.005$. Our sum has three additions, which together lose at most $0.015$. If such a sum ends with $0.03$, the truth is between $0.015$ and $0.045$, and its sign is known. If it ends with $0$, it is not. With four digits the same sum is found to within $0.0015$, and that is enough.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A computed logit decides if its bound does not reach across 0.* Dots are computed numbers, bars the bounds within which the truth lies. The third bar holds 0, so its string is computed anew with more digits, which makes the bar short.", "name": "fig-decision"}, "image": {"alt": "Four horizontal bars around dots, and a vertical line at 0. The first bar lies on one side of the line, the second on the other. The third reaches across it. The fourth, much shorter, does not.", "classes": "dark-light"}}
decision_figure();

# %% [markdown]
r"""
In one run of each network of this chapter with 32 bits, no decision changed on the strings that we asked. But without bounds one would not know it. So the same forward pass is run with three kinds of numbers:

- *floats*, as usual: fast, and no promise;
- *floats with a bound*, of 64 bits: each token carries a bound on how far its numbers may be from the true ones, and each step says how its inputs' bounds become its output's, and adds what it rounds itself. (If it adds what 32 bits would round, the bound holds of every run with 32 bits);
- {term}`balls <ball>`: numbers with as many digits as one likes, and a bound too. They decide whatever is not exactly 0, and take some hundred times as long.

We ask every string with the second kind, and those that it leaves open, if any, with the third.

:::{admonition} Larger than its bound
:class: result
If every step encloses the truth, and a computed logit is further from 0 than its bound, then the true logit has the same sign. Each step of a transformer has a rule that encloses the truth, if the machine rounds as its standard says, and its roots, exponentials, tanh and erf are at most four steps of its last digit off. *Proved under these assumptions, for every string and every network whose weights are 0 or between $10^{-70}$ and $10^{70}$ in size.* [Record](#strangers-bounds)
:::

What is such a rule? The activation function GELU is nowhere steeper than $1.13$, so it makes of an error $e$ one of at most $1.13\,e$, and then rounds. Layer normalization divides by the standard deviation of a token's numbers, and so divides the error by the least that this can truly be. The rule of linear maps follows in the next section, and that of attention stands in the fold.

:::{dropdown} Why attention loses little
If each number that goes into the softmax is off by at most $m$, then each weight is off by a factor between $e^{-2m}$ and $e^{2m}$: once for the weight's own exponential, and once for the sum that it is divided by. Both weights $w_j$ and $w'_j$ sum to 1. Let $o = \sum_j w_j v_j$ be the output. Then

$$\sum_j w'_j v_j - o = \sum_j (w'_j - w_j)(v_j - o),$$

because $\sum_j (w'_j - w_j)\, o = 0$. Its length is at most $(e^{2m} - 1) \sum_j w_j \lvert v_j - o \rvert$. So a head that attends to one token alone, for which $v_j = o$, loses nothing by errors of its logits. $\square$
:::

We held {glue:text}`strangers_held` bounds against balls, among them those of networks that were made hard for floats. No error was larger than its bound.

## Why the length of an error

A step takes not one number but a vector, and each {term}`coordinate` may be off. One could keep a bound for each coordinate. That goes wrong, as the plainest case shows.

Turn the plane by 45 degrees:

$$x' = \frac{x - y}{\sqrt2}, \qquad y' = \frac{x + y}{\sqrt2}.$$

Let $x$ and $y$ both be off by at most 1. Then $x'$ may be off by $(1 + 1)/\sqrt2 \approx 1.41$, and so may $y'$. Turn again: $1.41 \cdot 1.41 = 2$. After eight turns the plane is where it was, and so is every error. But the bound has grown to $1.41^8 = 16$.

Each bound is right and too large, because it forgets that the errors of $x'$ and $y'$ depend on each other. The *length* of the error forgets nothing that matters here: turning does not change it. It was at most $\sqrt{1 + 1} \approx 1.41$ at the start, and is so after eight turns.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*A square must grow when it is turned, a disc need not.* In the first picture, a full square holds all errors that a bound for each coordinate allows; its number is half its side. Turned by 45 degrees it is the dashed one, and an upright square around that is larger. In the second, arrows are errors of length 1.41, which the disc holds however they are turned.", "name": "fig-rotation"}, "image": {"alt": "Two pictures. One has three nested upright squares with half sides 1, 1.41 and 2, and between them dashed squares that stand on a corner. The other has a disc with eight arrows from its centre to its edge.", "classes": "dark-light"}}
rotation_figure();

# %% [markdown]
r"""
A network's matrices also stretch. Let $\lVert W \rVert$ be the largest factor by which $W$ lengthens any vector. Then an error of length $e$ becomes one of at most $\lVert W \rVert e$. For a matrix with entries of both signs, as that of a turn, this is often far less than what the coordinates' bounds give, and one number a token is also faster than one for each coordinate.

Still, each layer multiplies the bound by the factors of its matrices, though a real error hardly ever points where they stretch most. In random networks of width 8 an output's bound is {glue:text}`strangers_bound_1` after one layer (the median, [measured](#strangers-bounds)). After two layers it is {glue:text}`strangers_bound_2`, and after four {glue:text}`strangers_bound_4`. The true errors stay far smaller. Most networks of this chapter have one layer, one has two, and ARENA's has three. Their margins are far above their bounds, so no string needed balls. For 32 bits, whose rounding is half a billion times coarser, three layers are already many: the bound shows for only {glue:text}`strangers_alike` of ARENA's {glue:text}`strangers_brackets` strings that every run decides them alike. If bounds go on to grow like that, then after seven or eight layers they are as large as an ordinary logit. From there on every string needs balls, which take about a hundred times as long. The deeper the network, the fewer strings can be asked.

## What did it learn?

Which rule does our network follow? We let the program of [chapter 11](11_every_length) look for a formula of few parts that agrees with it on every string to ten symbols. `count(Q("1"))` is the number of 1s so far.
"""

# %%
words = [w for length in range(11) for w in two.all_strings(length)]
found = smallest(dict(zip(words, accepted(judged, words))), "01")
print(found.formula)
print(two.sampled(partial(accepted, judged), shortest=14, longest=20, each=20))

# %% [markdown]
r"""
To ten symbols the network says *at least two 1s*. But at eleven it accepts strings with a single 1, as we saw, so the formula is not its rule. Longer strings are too many to ask all. So we draw some, of each length from 14 to 40. Of those that are drawn as in training, it decides {glue:text}`strangers_drawn_wrong` of {glue:text}`strangers_drawn` wrongly: random strings of that length have many 1s, and ask nothing of it. So we also draw strings *in runs*, of equal symbols side by side, and *neighbours*: two strings that differ in one symbol, of which one belongs to the language and the other does not. Take a drawn string of either sort, and change the one into the other, symbol by symbol: where the answer changes, two neighbours stand side by side. Here these have one and two 1s. Of the neighbours it decides {glue:text}`strangers_neighbours_wrong` of {glue:text}`strangers_neighbours` wrongly. (At a few lengths all strings that we drew had two 1s or more, so there was nothing to change them into. The cell above draws fewer, to 20 symbols.) Why it takes a single 1 at just these places for two we do not know.

:::{admonition} Right on all short strings, and wrong on the next
:class: result
A network that is right on all random strings of its test decides every string to ten symbols rightly, and errs on two strings of eleven symbols. *Decided for each string to that length.* [Record](#strangers-small)
:::

An error that was found is certain. That none was found says nothing of longer strings.

## What is proved for every length here

- That a computed logit beyond its bound has the true sign, if the machine rounds as the box assumes, for every string and every network that the box covers.
- Of these networks, nothing. They know positions from a table with a row for each, so a string that is longer than the table cannot even be asked. All else here is decided for each string to a length, or measured.

## What to take away

- A test with random strings hardly sees errors that few strings show. Ask for *every* short string as well.
- Test at the border, with pairs of strings that differ in one symbol and in the answer. In training, draw such strings too.
- State what your network's answer means. A sum of floats has many values, one for each order; the function of real numbers has one.
- To follow errors through many steps, bound the length of the error, not each coordinate.
- Unknown: how to bound errors through many layers without such loss. What a trained network does at every length can be proved for some networks without positions, as [chapter 13](13_how_long) shows; for those with positions it is unknown.

## Exercises

**1 (compute).** A network errs on one of the 1,024 strings of ten symbols. How many uniform draws among these does it take until the error is seen with a probability of at least 0.99?
"""

# %%
# try: your number in place of the dots
check("12.1", ...)

# %% [markdown]
r"""
:::{dropdown} Hint
The error stays unseen in $N$ draws with probability $(1023/1024)^N$. Take logarithms.
:::
"""

# %% tags=["hide-cell"]
import math

check("12.1", math.ceil(math.log(0.01) / math.log(1023 / 1024)))

# %% [markdown]
r"""
**2 (modify).** Change the code above so that it judges `kept("MAJORITY", 1000)`, our network for *more 1s than 0s* after a thousand batches. It decides every string to thirteen symbols rightly. Find a string of at most 40 on which it errs.
"""

# %%
# try: your string in place of the dots
check("12.2", ...)

# %% tags=["hide-cell"]
state = kept("MAJORITY", 1000).state_dict()
network = from_pytorch(state, **said, encoder="encoder.", position="position.weight")
other = Judged(network, {"0": 0, "1": 1}, Positive(), before=(2,), after=(3,))
drawn = MAJORITY.sampled(partial(accepted, other), 14, 14, each=50)
check("12.2", drawn.wrong["neighbours"][0])

# %% [markdown]
r"""
**3 (prove or refute).** "If a network decides every string to $n$ symbols rightly, then it decides every string of $n + 1$ symbols rightly."

<p class="guess" data-right="2">proved|refuted</p>
"""

# %%
# try: "proved", or the name of one of our languages, its steps and a string: ("two 1s", 1000, "01")
check("12.3", ...)

# %% [markdown]
r"""
:::{dropdown} Solution
Refuted, by the network of this chapter: it decides every string to ten symbols rightly, and accepts one of eleven that has a single 1.
:::
"""

# %% tags=["hide-cell"]
check("12.3", ("two 1s", 4000, judge(judged, two, longest=11).counterexample))

# %% [markdown]
r"""
## What next

The [record of this chapter](record_12_strangers) derives the bounds, and has every network that was judged. In [Adapt this](adapt) you train a network and judge it; to bring one of your own, its file of weights and the few words above are enough. [What else could I use?](what_else) lays this book beside three other ways to a transformer.
"""
