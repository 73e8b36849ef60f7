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

**Asked**: on which short strings do small trained networks err, if their outputs are computed as real numbers?

**Holds**: we could decide every string that we put to the networks of others. Most of the [published ones](#strangers-published) are right on all of them.

**Does not hold**: that a network is right because a test finds no error. All three networks in the table below err. Yet the authors of the first report an accuracy of 1.0, and the third is right on every random test string.

**Not known**: nothing is proved about longer strings, except those that were drawn and decided.

**Where to look**: each line of the outcome links to its cells. The [bounds](#strangers-bounds) are derived at the end, and [the lesson](12_strangers) explains the idea.
"""

# %% tags=["hide-input"]
from chapters.common.outcome import outcome_table
from chapters.strangers.figures import (SPELLED, arena, counted, median_bound, published, shown,
                                        small, small_table)
from chapters.strangers.runs import PUBLISHED
from record.notebook import glue, markdown_table, use_style
from record.claims import Claims
from record.runs import stored

use_style()
claims = Claims("12_strangers")
found = arena()
finds = {
    "`{0,1,2}*02*`, of Huang and others": published()["bce_012_0_2-@1l1h64d4lr00drop"],
    "balanced brackets, of ARENA": found,
    "at least two 1s, of our own": small()["two 1s", 4000]["audit"],
}
head = ("network", "wrong, of all short strings or prefixes", "an error")
markdown_table(head, [
    (name, "{1:,} of {0:,}".format(*counted(one)), shown((one["wrong"] or [one["odd"]])[0]))
    for name, one in finds.items()
])

# %% [markdown]
r"""
ARENA's classifier accepts the string in the table, although 27 brackets cannot balance.

(strangers-table)=
## Outcome

No paper states what these lines say. The first two have a criterion of ours, which asks only whether a string was left *open*, that is, undecided.
"""

# %% tags=["remove-input"]
outcome_table("12_strangers")

# %% [markdown]
r"""
## What is decided

A network's weights are read by their names into float64, which holds every float32. Whether it *accepts* a string is a question about real numbers: the weights define a function with sums, square roots, exponentials and error functions. Positions come from a table, or are given as floats.

A machine computes a different function for each type of floats and each order of sums. So our program `audit` also runs the network in float32 or bfloat16, in PyTorch's order on the machine at hand, and counts the strings on which the answer differs from that of real numbers. It also counts the strings for which [the bound below](#strangers-bounds), with unit $2^{-24}$, shows that *every* run in float32 decides them as real numbers do, whatever the order of its sums, fused or not. The bound covers neither overflow nor other formulas: Strassen's products, a variance computed in one pass as $\overline{x^2} - \bar x^2$, and PyTorch's fused encoder on a GPU, which computes GELU by tanh where erf is meant.

(strangers-published)=
## Nine published networks

These are networks of Huang and others {cite}`huang2026`, in the shape of GPT-2. After each prefix, eight of them say, by outputs above 0, which tokens may come next and whether the string may end. We decide all outputs after every prefix that can be continued to a string of the language. The ninth, for "more 1s than 0s", is read after a separator, and the larger of two outputs is its answer. The authors report an accuracy of 1.0 for the eight, on 2,000 strings of each of three ranges of lengths.

The column *to* gives the length up to which every string was decided. *Strings* counts these strings (for the eight, their prefixes), *wrong* those that are decided incorrectly, and *open* those left undecided; *the first* is the first that is wrong.

:::{dropdown} Code and weights
The weights are those of commit 49398f6 of the authors' repository. It names no licence, so they are read from a folder that you name: `python -m record.reproduce published_networks --data FOLDER`. Strings begin at the first position of the table of positions, as in the authors' tests; in training this position was drawn at random.
:::
"""

# %% tags=["hide-input"]
NAMES = {  # as we call the published networks
    "bce_012_0_2-@1l1h64d4lr00drop": "{0,1,2}\\*02\\*",
    "bce_D2-@1l1h16d3lr00drop": "brackets, 2 deep",
    "bce_D3-@1l1h16d4lr00drop": "brackets, 3 deep",
    "bce_aastar-@1l2h16d3lr01drop": "(aa)\\*",
    "bce_abcde-@1l1h16d3lr00drop": "a⁺b⁺c⁺d⁺e⁺",
    "bce_tomita1-@1l1h16d3lr00drop": "1\\*",
    "bce_tomita2-@1l1h16d3lr00drop": "(10)\\*",
    "bce_tomita4-@2l2h16d3lr01drop": "no 000",
    "bin_majority-@1l1h16d3lr01drop": "more 1s than 0s",
}
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
rows = []
for name, result in published().items():
    strings, wrong, undecided = counted(result)
    first = shown(result["wrong"][0]) if result["wrong"] else "–"
    rows.append((NAMES[name], result["layers"], PUBLISHED[name]["longest"], f"{strings:,}",
                 f"{wrong:,}", undecided, first))
head = ("language", "layers", "to", "strings", "wrong", "open", "the first")
markdown_table(head, rows)

# %% [markdown]
r"""
Languages with at most one string of each length, such as `1*`, are decided up to length 150; the tables of positions have room for one symbol more. All errors of the network for "more 1s than 0s" are on ties, such as the empty string, which the table counts as non-members. It decides {glue:text}`strangers_untied` of the strings without a tie incorrectly. The authors' generator draws no ties, so by their definition these are no errors.

**What floats do.** *Margin* is the smallest distance of a right output from 0. *Float32* and *bfloat16* count the strings that a run in such floats decides otherwise than real numbers do. *Any order* counts the strings that, by the bound, every run in float32 decides as real numbers do; the bound may miss some.
"""

# %% tags=["hide-input"]
head = ("language", "margin", "float32", "bfloat16", "any order")
rows = []
for name, result in published().items():
    otherwise = [f"{result['otherwise'][kind][0]:,}" for kind in ("float32", "bfloat16")]
    rows.append((NAMES[name], f"{result['margin']:.3g}", *otherwise, f"{result['any order']:,}"))
markdown_table(head, rows)

# %% [markdown]
r"""
(strangers-brackets)=
## ARENA's classifier of brackets

The course [ARENA](https://github.com/callummcdougall/ARENA_2.0) of Callum McDougall and others takes this network apart. It has three layers of width 56, two heads and ReLU, no mask, and TransformerLens's names. A string stands between a start token and an end token, and is called balanced if output 1 is larger than output 0 at the start token. The table of positions has 42 entries, so the network can be asked about strings of up to 40 brackets. Every string of up to 13 was decided, and 50 of each [kind](#strangers-small) and length from 14 to 40.

:::{dropdown} Code and weights
The file is `brackets_model_state_dict.pt` in the folder `part4_interp_on_algorithmic_model`, commit e805ad8; its hash is stored. `python -m record.reproduce arena_brackets --data FOLDER` reads it.
:::
"""

# %% tags=["hide-input"]
strings, wrong, left = counted(found)
claims.settle(
    "brackets",
    here=f"{wrong} of {strings:,}; {'accepts' if found['odd_accepted'] else 'rejects'} `{found['odd']}`",
    agrees=left == 0,
    source=stored("arena_brackets").source,
)
drawn = ", ".join(f"{errs:,} of {of:,} {kind}" for kind, (of, errs, _) in found["longer"].items())
lengths = sorted(len(w) for *_, kept in found["longer"].values() for w in kept)
markdown_table(("asked", "found"), [
    (f"wrong, up to {found['longest']}", f"{wrong} of {strings:,}; {left} open"),
    ("wrong, longer", drawn),
    ("lengths of stored errors", ", ".join(map(str, lengths))),
    ("margin", f"{found['margin']:.3g}"),
    ("float32", found["otherwise"]["float32"][0]),
    ("any order", f"{found['any order']:,}"),
])

# %% [markdown]
r"""
Each stored error has an odd length, like the string of 27 brackets. Whether all errors have one is not known.

(strangers-small)=
## Networks of our own

Each network is one layer of PyTorch's encoder with a causal mask, pre-norm, width 16, two heads, GELU and learned positions. It was trained with AdamW, a rate that rises to 0.003 and falls, batches of 64 strings of one length, at most 40, and seed 0; the stored run keeps the weights. *Right* is PyTorch's accuracy on 100 random strings of each length, drawn as in training. Strings drawn uniformly have about as many 1s as 0s; of those drawn for *well nested*, about half are well nested. Neither network for *well nested* learned it. *Wrong* counts the errors on all strings of up to 13 symbols, and *the first* is the first of these.
"""

# %% tags=["hide-input"]
small_table()

# %% [markdown]
r"""
Of the strings of 14 to 40 symbols, 50 of each length and kind were drawn and decided: strings *drawn* as in training, strings *in runs* of up to nine equal symbols, and *neighbours*, two strings that differ in one symbol, of which one belongs to the language (only where both members and nonmembers were met). Each column counts the strings that are decided incorrectly.
"""

# %% tags=["hide-input"]
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
rows = []
for (language, steps), result in small().items():
    wrong = [f"{wrong:,} of {drawn:,}" for drawn, wrong, _ in result["longer"].values()]
    rows.append((SPELLED[language], f"{steps:,}", *wrong))
markdown_table(("language", "batches", "drawn", "in runs", "neighbours"), rows)

# %% [markdown]
r"""
(strangers-bounds)=
## How the bounds are derived

Each token's value is a pair $(x, e)$: the true vector lies within $e$ of $x$ in the 2-norm.

**Assumed**: sums, products and quotients are rounded to the nearest float, by IEEE's rules. Square roots (PyTorch's is not always the nearest float), exp, tanh and erf are within 4 units in the last place. This allows several times the error that we measured, but no library is proved to keep to it. Weights are 0 or between $10^{-70}$ and $10^{70}$ in size; others are refused.

**Decided**: if an output is further from 0 than its bound, its sign is that of the true output. Otherwise {term}`balls <ball>` of 64 bits are tried, then of twice as many, up to 1,024. What looks like a tie is left open. Balls also give the smallest margin; they are computed for the strings that, by their bounds, may have it.

(strangers-grow)=
### Compared with balls

The tests compare outputs on short strings with balls of 200 bits, in networks of every kind that we read and in others made hard for floats: weights that cancel, a saturated softmax, almost constant rows, a tiny $\epsilon$. No output in balls is outside its bound. Where the output's weights cancel, the bound is larger than the output, and the balls decide. Balls take some hundred times as long as floats with bounds.

The table gives the median bound over all strings of up to eight symbols. The networks are like [our own](#strangers-small), but have width 8 and PyTorch's random weights, each moved so that layers differ. Each layer makes the bound many times larger.
"""

# %% tags=["hide-input"]
markdown_table(
    ("layers", "median bound"), ((layers, f"{median_bound(layers):.1e}") for layers in range(1, 5))
)

# %% [markdown]
r"""
### The rules

Let a head's logits be off by at most $m = 10^{-12}$ each, and its values lie within 1 of its output. By the rule for attention the output moves by at most $\tfrac12 (e^{2m} - 1) \approx 10^{-12}$.

Let $u = 2^{-53}$ be the unit of rounding and $\gamma_k = ku/(1 - ku)$. Then $k$ roundings change a product, or a sum of terms of one sign, by at most $\gamma_k$ times its size, in any order.

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

In the tests, an error planted in the worst direction comes out nearly as large as the rule allows, for each rule. Every bound is enlarged by $10^{-9}$ of itself for the rounding of the bounds, and by $10^{-140}$ for underflow; each size is enlarged by $10^{-150}$ for squares that underflow. A value that is infinite or not a number, even on the way, decides nothing. A size above $10^{300}$ makes the error infinite (in normalization, a square above it does); for runs in float32 the limit is $10^{38}$. For *every run in float32*, the cosines and sines of rotary positions are those of float64, rounded.

:::{dropdown} Why: linear maps, normalization, activations, gated units
*Linear map*: a sum of $k$ products, $\sum_i x_i w_{ij}$, is off by at most $\gamma_k \sum_i \lvert x_i w_{ij} \rvert$. By Cauchy and Schwarz the vector of these sums has a norm of at most $\lvert x \rvert \lVert W \rVert_F$. We bound $\lVert W \rVert_2$ by $\lVert W \rVert_2^2 = \lVert W^\top W \rVert_2$, six times, and $\lVert A \rVert_2 \le \lVert A \rVert_F$ at the end.

*Layer normalization* $(x - \bar x)/s$ with $s = \sqrt{\lvert x - \bar x \rvert^2/d + \epsilon}$: the derivative is a projection minus a positive multiple of $c c^\top$, divided by $s$, for $c = x - \bar x$, so its norm is at most $1/s$. On the way from $x$ to the true vector, $s$ falls by at most $e/\sqrt d$. The bound is infinite where its denominator is not positive, or where $s$ is so small that its square underflows. Gain and bias then act as a diagonal map.

*RMS normalization* $x/s$ with $s = \sqrt{\lvert x \rvert^2/d + \epsilon}$: the derivative is $(I - x x^\top / (d s^2))/s$, whose eigenvalues are $1/s$ and, along $x$, $\epsilon/s^3$. So its norm too is at most $1/s$.

*Activations*: 1.13 and 1.101 bound the slopes. The tests check both by balls over $[-10, 10]$; beyond it the slope is within a thousandth of 0 or 1.

*Gated units*: $xy - x'y' = (x - x')y' + x(y - y')$, and no coordinate is larger than its vector.
:::

(strangers-attention)=
**Attention.** Let logit $j$ be off by $\delta_j$ with $\lvert \delta_j \rvert \le m_j \le m$, let $w_j$ be the weights and $o = \sum_j w_j v_j$ the output. Then the output moves by at most

$$e^m \sum_j w_j \left(1 - e^{-m_j}\right) \lvert v_j - o \rvert + \tfrac12 (e^m - 1)^2 \sum_j w_j \lvert v_j - o \rvert .$$

If all $m_j$ are equal, this is

$$\tfrac12 (e^{2m} - 1) \sum_j w_j \lvert v_j - o \rvert .$$

No smaller multiple of that sum is a bound: take two values, the second with a weight that tends to 0. The numbers under *any order* are from runs with an earlier rule, $(e^{2m} - 1) \sum_j w_j \lvert v_j - o \rvert$, at least twice as large, so the present rule shows no fewer. In place of $1 - e^{-m_j}$ the judge in the browser may use $\min(m_j, 1)$, which is at least as large. A logit with ALiBi may be computed from places as well.

:::{dropdown} Proof
The weight $w_j$ becomes $w_j e^{\delta_j} / \sum_i w_i e^{\delta_i}$, where the denominator is at least $e^{-m}$, and each weight changes by a factor between $e^{-2m}$ and $e^{2m}$. As $\sum_j w_j (v_j - o) = 0$, the output moves by $\sum_j w_j (e^{\delta_j} - c)(v_j - o) / \sum_i w_i e^{\delta_i}$, whatever $c$ is. Take $c = \cosh m$. Since $e^{m_j} + e^{-m_j} \le 2c$, no $\lvert e^{\delta_j} - c \rvert$ exceeds $c - e^{-m_j}$. $\square$
:::

## Who else

Work on robustness bounds what a network computes in a region around an input: CROWN {cite}`zhang2018`, Shi and others, the first for Transformers {cite}`shi2020`, and GenBaB, on Vision Transformers too {cite}`shi2024`. We ask about every single string up to a length. Compact proofs {cite}`gross2024` bound a model's accuracy without trying every input. We have read the abstracts of these works.
"""

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says
