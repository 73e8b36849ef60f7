# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Record of chapter 12: A stranger's network

**Asked**: of all strings up to a length, on which do small trained networks err, when their outputs are computed as real numbers?

**What came out**: for the networks of others, no string was left undecided. Most of the published ones are right on every string that we tried. One errs on short strings that its test did not show, and another only on ties, which its authors left out. [ARENA's classifier](#strangers-brackets) of brackets is right on every string of up to 13, but it calls one of 27 brackets balanced, although 27 is odd. Some networks of our own err on short strings as well.

No paper asks for the lines of the table. Most are compared with a criterion of ours, and the build stops where one is not met. Each links to the cells behind it, and [the lesson](12_strangers) explains the idea.
"""

# %% [markdown]
r"""
(strangers-table)=
## Outcome
"""

# %% tags=["remove-input"]
from chapters.common.outcome import outcome_table

outcome_table("12_strangers")

# %% tags=["hide-input"]
from chapters.strangers.figures import (arena, counted, longer_rows, median_bound, published,
                                        published_rows, small, small_table)
from record.notebook import glue, markdown_table, use_style
from record.claims import Claims
from record.runs import stored

use_style()
claims = Claims("12_strangers")

# %% [markdown]
r"""
## What is decided

A network is its weights: numbers, read by their names into float64, which holds every float32. That it *accepts* a string is a statement about the function that these weights define with sums, square roots, exponentials and error functions of real numbers. Positions come from a table, or are given as floats.

A machine that evaluates the network computes another function for each type of floats and each order of sums. So our program `audit` counts the strings on which a run in float32 or bfloat16 decides otherwise than real numbers do, in PyTorch's order on the machine that ran. By [the bound below](#strangers-bounds), with unit $2^{-24}$, it also counts strings of which it can show that *every* run in float32 decides them as real numbers do, whatever the order of its sums, fused or not. Not covered are overflow and other formulas: Strassen's products, a variance computed in one pass as $\overline{x^2} - \bar x^2$, and PyTorch's fused encoder on a GPU, which computes GELU by tanh where erf is meant.

(strangers-published)=
## Nine published networks

These networks belong to *Discovering Interpretable Algorithms by Decompiling Transformers to RASP* {cite}`huang2026`. They have the shape of GPT-2, and their weights are those of commit 49398f6 of the authors' repository. The repository names no licence, so the weights are not kept here but read from a folder that you name: `python -m record.reproduce published_networks --data FOLDER`. After each prefix, eight of the networks say which tokens may come next, by outputs above 0, and whether the string may end. We decide all outputs after every prefix that can be continued to a string of the language. The ninth network is asked after a separator which of two outputs is larger. The authors report an accuracy of 1.0 for the eight on 2,000 strings of each of three ranges of lengths. Strings begin at the first position of the table of positions, as in their tests; in training this position was drawn at random.

The columns of the table are:

- *to*: the length up to which every string was decided; *strings*: how many these are, for the eight networks the prefixes;
- *wrong*: how many of them are decided incorrectly, and *the first* of these; *open*: how many are left undecided;
- *margin*: the smallest distance of a right output from 0;
- *float32* and *bfloat16*: the strings on which such a run decides otherwise than real numbers do; *any order*: the strings of which the bound shows that every run in float32 decides them as real numbers do; there may be more.
"""

# %% tags=["hide-input"]
markdown_table(
    ("language", "layers", "to", "strings", "wrong", "open", "the first", "margin",
     "float32", "bfloat16", "any order"),
    published_rows(),
)

# %%
glue("strangers_untied", published()["bin_majority-@1l1h16d3lr01drop"]["untied"])
totals = [counted(result) for result in published().values()]
left = sum(undecided for _, _, undecided in totals)
errors = sum(wrong > 0 for _, wrong, _ in totals)
claims.settle(
    "published",
    here=f"{errors} of {len(totals)} networks err; {left} strings left open",
    agrees=left == 0,
    source=stored("published_networks").source,
)

# %% [markdown]
r"""
If a language has at most one string of each length, as `1*` has, all lengths up to 150 are decided; the networks' tables of positions have room for one symbol more. All errors of the network for "more 1s than 0s" are on ties, such as the empty string, which the table counts as outside the language. Of the strings that have a majority it decides {glue:text}`strangers_untied` incorrectly. The authors' generator for this task draws no ties, so by their definition these are no errors.

(strangers-brackets)=
## ARENA's classifier of brackets

The course [ARENA](https://github.com/callummcdougall/ARENA_2.0) of Callum McDougall and others trained this network and takes it apart. It has three layers of width 56, two heads and ReLU, no mask, and TransformerLens's names. Its file is `brackets_model_state_dict.pt` in the folder `part4_interp_on_algorithmic_model`, commit e805ad8. The weights are not kept here: `python -m record.reproduce arena_brackets --data FOLDER` reads them, and the hash of the file is stored.

A string has a start token in front and an end token after it. The network calls it balanced if at the start token output 1 is larger than output 0. The table of positions has 42 entries, so the network can be asked about strings of up to 40 brackets. Every string of up to 13 was decided, and 50 of each [kind](#strangers-small) and length from 14 to 40 were drawn. The column *longer, wrong* says how many of the drawn strings are decided incorrectly; the other columns are those of the table above.
"""

# %% tags=["hide-input"]
found = arena()
strings, wrong, left = counted(found)
drawn = ", ".join(f"{errs:,} of {of:,} {kind}" for kind, (of, errs, _) in found["longer"].items())
markdown_table(
    ("to", "strings", "wrong", "open", "margin", "float32", "any order", "longer, wrong", "hash"),
    [(found["longest"], f"{strings:,}", wrong, left, f"{found['margin']:.3g}",
      found["otherwise"]["float32"][0], found["any order"], drawn, f"`{found['hash']}`")],
)

# %%
claims.settle(
    "brackets",
    here=f"{wrong} of {strings:,}; {'accepts' if found['odd_accepted'] else 'rejects'} `{found['odd']}`",
    agrees=left == 0,
    source=stored("arena_brackets").source,
)

# %% [markdown]
r"""
(strangers-small)=
## Networks of our own

Each network is one layer of PyTorch's encoder with a causal mask, pre-norm, width 16, two heads, GELU and learned positions. It was trained with AdamW, a rate that rises to 0.003 and falls, batches of 64 strings of one length, at most 40, and seed 0. The weights are kept in the stored run. *Right* is PyTorch's accuracy on 100 random strings of each length from 1 to 20 and from 21 to 40, drawn as in training. It matters which strings are drawn: uniform ones have about as many 1s as 0s, and those of Dyck-1 are well nested half of the time. *Wrong* counts the strings of up to 13 symbols that the network decides incorrectly, among all of them, and *the first* is the first of these.
"""

# %% tags=["hide-input"]
small_table()

# %% [markdown]
r"""
The strings of 14 to 40 symbols are too many, so 50 of each length and kind were drawn and decided. The kinds are strings *drawn* as in training, strings *in runs* of up to nine equal symbols, and *neighbours*, two strings that differ in one symbol, of which one belongs to the language (where strings of both sorts were met). Each column counts the strings that are decided incorrectly. Nothing is proved of strings that were not drawn.
"""

# %% tags=["hide-input"]
markdown_table(("language", "batches", "drawn", "in runs", "neighbours"), longer_rows())

# %%
right = {name for name, result in small().items() if counted(result["audit"])[1] == 0}
claims.settle(
    "small", here=f"{len(small()) - len(right)} of {len(small())}", agrees=None,
    source=stored("small_networks").source,
)
astray = [
    name for name in right if any(wrong for _, wrong, _ in small()[name]["longer"].values())
]
claims.settle("longer", here=f"{len(astray)} of {len(right)}", agrees=None,
              source=stored("small_networks").source)

# %% [markdown]
r"""
(strangers-bounds)=
## How the bounds are derived

Each token's value is a pair $(x, e)$: the true vector lies within $e$ of $x$ in the 2-norm. Let $u = 2^{-53}$ be the unit of rounding and $\gamma_k = ku/(1 - ku)$. Then $k$ roundings change a product, or a sum of terms of one sign, by at most $\gamma_k$ times its size, in any order.

**Assumed**: sums, products and quotients are rounded to the nearest float, by IEEE's rules. Square roots (PyTorch's is not always the nearest float), exp, tanh and erf are within 4 units in the last place, which is several times what we measured, but proved of no library. Weights are 0 or between $10^{-70}$ and $10^{70}$ in size; others are refused.

| step | an error becomes at most | rounding adds |
|---|---|---|
| linear map $xW + b$ with $k$ rows | $e \lVert W \rVert_2$ | $\gamma_{k+3} \big((\lvert x \rvert + e) \lVert W \rVert_F + \lvert b \rvert\big)$ |
| layer normalization, $s$ as below | $e/(s - e/\sqrt d)$ | $d + 12$ roundings of numbers of size $\sqrt d$ at most; the mean counts as an error of the input of $\gamma_{d+2}$ times its size |
| RMS normalization | $e/(s - e/\sqrt d)$ | the same, without a mean |
| ReLU | $e$ | nothing |
| tanh; SiLU, $x/(1 + e^{-x})$; either GELU | $e$; $1.101\,e$; $1.13\,e$ | $24 u$ times its argument's size |
| gated units $x \cdot y$ | $e_x (\lvert y \rvert + e_y) + (\lvert x \rvert + e_x) e_y$ | one rounding |
| logit $q \cdot k$ | $e_q (\lvert k \rvert + e_k) + \lvert q \rvert e_k$, times the factor of the logits | with ALiBi four roundings of numbers no larger than the slope times the number of keys, or than the logit |
| attention, logits off by $m_j \le m$ | [the sum below](#strangers-attention), and the errors of the values, weighted | $2n + 24$ roundings of a weight for $n$ keys; weights too small to be held are missing by $10^{-140}$ each |
| residual connection | the sum of both errors | one rounding |
| mean over $n$ tokens | the mean of the errors | $\gamma_{n+1}$ times the mean size |
| rotary positions | $e$, because a rotation changes no length | $2 \gamma_4$ times its size |
| the larger of two outputs | the sum of both errors | nothing |

Each rule is tested alone: an error planted in the worst direction comes out at nearly its bound. Every bound is enlarged by $10^{-9}$ of itself for the rounding of the bounds, and by $10^{-140}$ for underflow; each size is enlarged by $10^{-150}$ for squares that underflow. A value that is infinite or not a number, even on the way, decides nothing. A size above $10^{300}$, in normalization its square, makes the error infinite; for runs in float32, above $10^{38}$. For *every run in float32*, the cosines and sines of rotary positions are those of float64, rounded.

The rules that need a reason:

*Linear map*: a sum of $k$ products, $\sum_i x_i w_{ij}$, is off by at most $\gamma_k \sum_i \lvert x_i w_{ij} \rvert$, and by Cauchy and Schwarz the vector of these sums has a norm of at most $\lvert x \rvert \lVert W \rVert_F$. To bound $\lVert W \rVert_2$ we use $\lVert W \rVert_2^2 = \lVert W^\top W \rVert_2$ six times, and $\lVert A \rVert_2 \le \lVert A \rVert_F$ at the end.

*Layer normalization* $(x - \bar x)/s$ with $s = \sqrt{\lvert x - \bar x \rvert^2/d + \epsilon}$: the derivative is a projection minus a positive multiple of $c c^\top$, divided by $s$, for $c = x - \bar x$, and has a norm of at most $1/s$. On the way from $x$ to the truth $s$ falls by at most $e/\sqrt d$. The bound is infinite where its denominator is not positive, or where $s$ is so small that its square underflows. Gain and bias then act as a diagonal map.

*RMS normalization* $x/s$ with $s = \sqrt{\lvert x \rvert^2/d + \epsilon}$: the derivative is $(I - x x^\top / (d s^2))/s$, whose eigenvalues are $1/s$ and, along $x$, $\epsilon/s^3$. So it too has a norm of at most $1/s$.

*Activations*: 1.13 and 1.101 bound the slopes. The tests check both by {term}`balls <ball>` over $[-10, 10]$; beyond it the slope is within a thousandth of 0 or 1.

*Gated units*: $xy - x'y' = (x - x')y' + x(y - y')$, and no coordinate is larger than its vector.

(strangers-attention)=
*Attention*: let logit $j$ be off by $\delta_j$ with $\lvert \delta_j \rvert \le m_j \le m$, let $w_j$ be the weights and $o = \sum_j w_j v_j$ the output. Then $w_j$ becomes $w_j e^{\delta_j} / \sum_i w_i e^{\delta_i}$, where the denominator is at least $e^{-m}$, and each weight changes by a factor between $e^{-2m}$ and $e^{2m}$. As $\sum_j w_j (v_j - o) = 0$, the output moves by $\sum_j w_j (e^{\delta_j} - c)(v_j - o) / \sum_i w_i e^{\delta_i}$, whatever $c$ is. Take $c = \cosh m$. Since $e^{m_j} + e^{-m_j} \le 2c$, no $\lvert e^{\delta_j} - c \rvert$ exceeds $c - e^{-m_j}$, so the output moves by at most

$$e^m \sum_j w_j \left(1 - e^{-m_j}\right) \lvert v_j - o \rvert + \tfrac12 (e^m - 1)^2 \sum_j w_j \lvert v_j - o \rvert .$$

If all $m_j$ are equal this is $\tfrac12 (e^{2m} - 1) \sum_j w_j \lvert v_j - o \rvert$, and this cannot be improved: with two values, the second with a weight that tends to 0, the output comes as near to it as one likes, so no smaller multiple of that mean distance is a bound. The numbers above under *any order* are from runs with an earlier rule, $(e^{2m} - 1) \sum_j w_j \lvert v_j - o \rvert$, which is at least twice as large, so the present rule shows at least as many strings. Since $1 - e^{-m_j} \le \min(m_j, 1)$, the judge in the browser may use $\min(m_j, 1)$ in its place. A logit with ALiBi may be computed from places as well.

If the bound does not decide a string, balls of 64 bits are tried, then of twice as many, up to 1,024. Balls also give the smallest margin, among the strings that may have it by their bounds. A tie, or what looks like one, is left open.

(strangers-grow)=
### Compared with balls

The tests compare the outputs of short strings with balls of 200 bits, in networks of every kind that we read, and in others that are made as hard for floats as possible: weights that cancel, a saturated softmax, rows that are almost constant, a tiny $\epsilon$. No output in balls is outside its bound. Where the output's weights cancel, the bound is larger than the output, and the balls decide. Balls take some hundred times as long.

The table gives the median bound over all strings of up to eight symbols, for networks of one to four layers. Each further layer makes it many times larger. The networks are like [those of our own](#strangers-small), but have width 8 and PyTorch's random weights, each weight moved so that layers differ.
"""

# %% tags=["hide-input"]
markdown_table(
    ("layers", "median bound"), ((layers, f"{median_bound(layers):.1e}") for layers in range(1, 5))
)

# %% [markdown]
r"""
## Who else

Work on robustness bounds what a network computes around an input. CROWN does so with linear and quadratic functions in place of activations {cite}`zhang2018`, Shi and others by the first such algorithm for Transformers {cite}`shi2020`, GenBaB with branch and bound, on Vision Transformers too {cite}`shi2024`. They speak of regions of inputs, whereas we ask about single strings, every one up to a length. Compact proofs {cite}`gross2024` bound a model's accuracy without trying every input. Of these works we have read the abstracts.
"""

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says
