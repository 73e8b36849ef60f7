# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Record of chapter 7: PALINDROME and the limits of precision

Nowak and others {cite}`nowak2022` write down transformers for ONE, the strings with exactly one 1 (§3.1), and for PALINDROME (§3.2). Sections and figures named here are theirs; [the lesson](07_palindrome_precision) explains the ideas. This record answers six questions:

- *Are the two networks right?* **Yes**, both are proved right [at every length](#nowak-built), once a [misprinted matrix](#nowak-misprints) is corrected.
- *Do floating-point errors explain why the second is "perfect" up to length 37 and no better than guessing from about 70 on (§4.1, Fig. 2, App. C)?* **They are not needed.** On the same test strings, the code's base and [threshold](#nowak-figure-2) give every recorded accuracy without any rounding.
- *How far do float types reach (App. C)?* **To $2p$ symbols** with $p$ significant bits, if exact powers of 2 are added first and divided last, and the test is $s = 0$: [a theorem](#palindrome-2p).
- *Are numbers of size $2^{-n}$ "necessary when using soft attention" (§5)?* **No**, if §5 speaks of [outputs](#palindrome-pairs).
- *Can layer normalization make such networks arbitrarily confident (§6, an open question)?* **Yes** with ε = 0, [for ONE](#palindrome-open), and for a PALINDROME network that is built in another way.
- *What does training find (§4.2)?* **FIRST and ONE**, but neither PARITY nor PALINDROME. This is said of networks tested at the length they were trained at, for the [lengths that we repeated](#nowak-learning). Two of our lines on [what ONE needs](#nowak-one) differ from the paper.

**Not known**: whether Figs. 7 and 8 agree at the training lengths that we did not repeat, which are most of them; and some exact [limits of floats](#nowak-floats) above 24 symbols, for which we have upper bounds only.

(palindrome-table)=
## Outcome
"""

# %% tags=["remove-input"]
from chapters.common.outcome import outcome_table

outcome_table("07_palindrome_precision")

# %% tags=["hide-input"]
from dataclasses import replace
from itertools import product

import numpy as np
import torch
from flint import fmpq

from chapters.common.learners.strings import TASKS
from chapters.palindrome_precision import records
from chapters.palindrome_precision.lengths import (THRESHOLD, exact_accuracy, longest_perfect,
                                                   mirror_shares, most_floats, pairwise_lengths,
                                                   published_accuracy, running_sums)
from lib import constructions
from chapters.common.sharpening import sharpen
from lib.constructions.normalization import mirror
from chapters.common.palindrome_precision import (DIVISIONS, GAINS, ORDERS, TESTS, Evaluation,
                                                 sigmoid_palindrome)
from chapters.common.floats import FLOATS, SIGNIFICAND
from lib.languages import FIRST, ONE, PALINDROME, PARITY
from record.notebook import glue, markdown_table, use_style
from lib.transformer import FFN, Construction, Encoder, Exact, Head, Layer, Space
from record.claims import Claims
from record.runs import stored

use_style()
claims = Claims("07_palindrome_precision")

# %% [markdown]
r"""
(nowak-figure-2)=
## Why does it fail after 37? A threshold

*The authors' code accepts a string if $|s|$ is at most $10^{-7}$. With the code's base, this gives every recorded accuracy without any rounding.*

The paper's network has an output $s$ that is 0 on palindromes and nowhere else ([construction](#nowak-palindrome)). A string of $|w|$ symbols has $n=|w|+2$ tokens. If one symbol of a palindrome's pair $i$, counted from outside, is flipped, then $|s|=b^i/\sum_{j<n}b^j$, where the base $b$ is 2.

The paper's code differs from its text in two ways. First, $W^Q$ holds a plain 1 in place of $c\sqrt d$, where $d$ is the width of a head and $b=e^c$. With $d=6$ the plain 1 makes $c=1/\sqrt6$, so $b=e^{1/\sqrt6}\approx1.5$. Second, a string is accepted when $|s|\le10^{-7}$. The table shows $|s|$ in the code's base, in bold where it is above this threshold:
"""

# %%
b = np.exp(GAINS["e^(1/√6)"])


def output(symbols, pair):
    s = b**pair / sum(b**j for j in range(symbols + 2))
    return f"**{s:.1e}**" if s > THRESHOLD else f"{s:.1e}"


markdown_table(("symbols", "a flip of the outermost pair", "of the innermost pair"),
               [(m, output(m, 1), output(m, m // 2)) for m in (36, 38, 70, 72)])

# %% [markdown]
r"""
So at 38 symbols the first flips go unnoticed. From 72 symbols on, every single flip goes unnoticed, which leaves an accuracy of one half. No number has been rounded.

Does this give the recorded accuracies too? The authors recorded one for each requested length from 2 to 199. We draw the paper's test strings again from one {term}`seed`, 500 of each length: palindromes, and palindromes with one symbol flipped (App. B.3). Each string is {term}`decided exactly`, by {term}`balls <ball>`. A recorded accuracy *agrees* if it equals the exact one.

Which strings have length "37"? If the requested length is odd, the generator as published now inserts a middle symbol. An earlier version (up to commit `ac7d1f4`) left it out. The records fit that version, so we draw from it: its strings of length "37" have 36 symbols.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Exact arithmetic fails where the authors' runs failed.* Dots: recorded accuracies. Rings: the same strings, decided exactly. Lines: means over all strings of this kind.", "name": "fig-nowak-37"}, "image": {"alt": "A staircase that stays at one until length 37 and falls to one half at about 70, with ringed dots along it; a dotted staircase that falls earlier; a dashed line at one.", "classes": "dark-light"}}
records.limit_figure();

# %%
published = records.exact_records()
ways = {"base e^(1/√6), |s| ≤ 1e-7": (GAINS["e^(1/√6)"], THRESHOLD),
        "base 2, |s| ≤ 1e-7": (GAINS["2"], THRESHOLD),
        "base e^(1/√6), s = 0": (GAINS["e^(1/√6)"], 0.0)}
agreeing = {way: records.agreeing(*how) for way, how in ways.items()}
markdown_table(("exact arithmetic", "recorded accuracies that agree"),
               [(way, f"{agree} of {len(published)}") for way, agree in agreeing.items()])

# %% tags=["hide-input"]
every = agreeing["base e^(1/√6), |s| ≤ 1e-7"]
computed = {n: exact_accuracy(n) for n in published}
exact = {length: published_accuracy(length) for length in range(2, 102, 2)}
perfect = max(n for n in published if all(computed[m] == 1 for m in published if m <= n))
threshold = np.format_float_scientific(THRESHOLD, trim="-", exp_digits=1)
claims.settle("Fig. 2: cause", here=f"{every} of {len(published)}",
              agrees=every < len(published),
              found={"exact": every, "of": len(published), "threshold": threshold})
claims.settle("App. C: errors", here=f"{len(published) - every} of {len(published)}",
              agrees=every < len(published))
claims.settle("Fig. 2: 37", here=perfect, agrees=perfect == 37, found={"length": perfect})
first_chance = min(length for length, p in exact.items() if p == 0.5)
claims.settle("Fig. 2: 70", here=first_chance, agrees=abs(first_chance - 70) <= 3)
claims.correct("N §4.1, Fig. 2", holds=perfect == 37 and exact[38] < 1)
claims.correct("N §4.1, §5", holds=every == len(published), exact=every, lengths=len(published))

# %% [markdown]
r"""
Float errors may have occurred as well, but on these strings they changed no accuracy. Appendix C speaks of both kinds of error, so it also says that palindromes are rejected. Without rounding, $s$ is 0 on every palindrome, and none is rejected. In float32, $s$ need not be 0, so we try random palindromes, with the code's base and threshold:
"""

# %%
rounded = Evaluation("float32", numerators="published", division="first")
draw, apart = torch.Generator().manual_seed(0), []
for half in range(1, 100):
    halves = torch.randint(2, (250, half), generator=draw)
    left, right = rounded.heads(halves, 2 * half + 2)
    apart += (left - right).abs().tolist()
rejected = sum(s > THRESHOLD for s in apart)
print(f"rejected: {rejected} of {len(apart):,} palindromes; the greatest |s| is {max(apart):.1e}")
claims.settle("App. C: errors in float32", here=f"{rejected} of {len(apart):,}", agrees=rejected > 0)

# %% [markdown]
r"""
With base 2 and the test $s = 0$, floats do reject palindromes ([table](#nowak-floats)).

The limit of 36 symbols holds for these test strings only, which have at most one flip. With the code's base and threshold, exact arithmetic accepts a shorter string that is no palindrome:
"""

# %%
theirs = Evaluation("float64", numerators="published")
w = longest_perfect(theirs, tests=("1e-7",))["1e-7"]["wrong"]
s = Exact(constructions.palindrome(GAINS["e^(1/√6)"], base=None)).logit(w, bits=128)
print(f"{w}, |w| = {len(w)}: s = {s.str(5)}, palindrome: {w in PALINDROME}")
assert abs(s) < THRESHOLD

# %% [markdown]
r"""
(nowak-floats)=
## How far do floats reach?

*With $p$ significant bits and the test $s = 0$, exact numerators divided last reach $2p$ symbols, and none of the eight ways in the table gets further.* How far base 2 goes in a float type (App. C) depends on four choices. Every operation is rounded to the type.

- *Numerators*: exact powers of 2, or exponentials of multiples of a rounded $\ln 2$.
- *Division*: first (every weight is rounded, then values are added) or last.
- *Order*: both halves from left to right, or both from outside in.
- *Test*: $s = 0$, $|s| \le 10^{-7}$, or $|s|$ at most half of its least value above 0 (*half the least*).

A head's output depends on its half alone, so $2\cdot2^h$ outputs settle all pairs of halves of $h$ symbols. We try all halves for $h \le 12$. Of longer halves we try thousands of hard ones, so a limit found there is only an upper bound. Each row of the table stands for one way to make the first three choices. An entry gives the longest lengths up to which no wrong string was found, for the three tests: $s = 0$ / $10^{-7}$ / half the least.
"""

# %% tags=["hide-input"]
ways = list(product(("powers of 2", "exponentials"), DIVISIONS, ORDERS))
limits = {(d, *way): longest_perfect(Evaluation(d, *way)) for d in FLOATS for way in ways}
reach = {key: {test: found[test]["length"] for test in TESTS} for key, found in limits.items()}
best = {d: max(max(r.values()) for key, r in reach.items() if key[0] == d) for d in FLOATS}
print("at most:", best, " 2p:", {dtype: 2 * p for dtype, p in SIGNIFICAND.items()})
glue("usual", reach["float64", "exponentials", "first", "left to right"]["s = 0"])
glue("same_order", reach["float64", "exponentials", "first", "outside in"]["s = 0"])
markdown_table(("numerators, division, order", *FLOATS),
               [(", ".join(way), *(" / ".join(str(reach[dtype, *way][test]) for test in TESTS)
                                   for dtype in FLOATS)) for way in ways])

# %% tags=["hide-input"]
usual = ("exponentials", "first", "left to right")
for dtype, p in SIGNIFICAND.items():
    way, seen = Evaluation(dtype, *usual), reach[dtype, *usual]
    wrong_on = [(test, limits[dtype, *usual][test]["wrong"]) for test in TESTS]
    claims.settle("floats", here=", ".join(f"{seen[test]} ({test})" for test in TESTS),
                  agrees=all(len(w) <= 2 * p + 1 and way.accepts(w, test) != (w in PALINDROME)
                             for test, w in wrong_on), dtype=dtype)

# %% [markdown]
r"""
A fixed threshold of $10^{-7}$ stops float32 and float64 at 22 symbols in each of these evaluations. With the test $s = 0$ and exponentials, the order decides. From left to right, one head begins with its least term and the other with its largest, so their sums can differ: float64, dividing first, is perfect only up to length {glue:text}`usual`. If both heads add in the same order, a palindrome's $s$ is exactly 0, and the limit that we found is {glue:text}`same_order`.

The outcome's lines on single types are for exponentials divided first, from left to right. [The lesson](#palindrome-rounding) has a cell for trying others.

(palindrome-2p)=
### Theorem: two numbers compare 2p symbols

**Theorem.** Let a float type have $p \ge 3$ bits in its {term}`significand`, enough range, and rounding to nearest with ties to even. Let two heads add exact numerators $2^i$ and divide last by the *norm*, which is the sum of the numerators of all positions. A string is accepted if $s = 0$. Each head may add its norm upwards, from the least weight, or downwards. Then every string of at most $2p$ symbols is decided correctly. If both heads count the middle symbol, some string of $2p + 1$ symbols is decided incorrectly. If neither does, strings of $2p + 1$ symbols are decided correctly and some string of $2p + 2$ is not.

The proof is in a fold of [the lesson](07_palindrome_precision). Without the middle symbol, the halves of a string of $2p + 1$ symbols have $p$ symbols, and the proof does not change. The condition on the order matters, as running sums of norms in a type with $p = 4$ show:
"""

# %%
odd_first = (1, 3, 5, 0, 2, 4)
orders = {"upwards, n = 10": range(10), "downwards, n = 10": range(9, -1, -1),
          "odd first, n = 6": odd_first, "its other head": [5 - i for i in odd_first]}
for name, order in orders.items():
    print(f"{name:17}", running_sums([2**i for i in order], bits=4))
boundary = {d: reach[d, "powers of 2", "last", "left to right"]["s = 0"] for d in FLOATS}
print("no wrong string found to:", boundary)
print("most floats in [a, 3a):", {f"p = {p}": f"{most_floats(p)} < {2**p}" for p in (8, 11)})

# %% [markdown]
r"""
Upwards, the fifth sum, 31, is a tie between 30 and 32, and is rounded to 32. Downwards, 992 is rounded to 1024. So both norms are 1024. With odd positions first the two norms differ, and $0110$ is rejected.

**Two numbers tell no more.** If each head's output is one number of $p$ bits, with a relative error of at most a fifth, then some string of $2p + 2$ symbols is decided incorrectly ([proof](#palindrome-rounding)), because an interval $[a, 3a)$ holds too few floats (see the last line printed above). Likewise, if each head's output is any word of $b$ bits, some string of $2b + 2$ symbols is decided incorrectly.

App. C prints a plus between its two sums where a minus is meant. With a plus the sums of a palindrome would not cancel.
"""

# %% tags=["hide-input"]
up, down = (running_sums([2**i for i in order], 53)[-1] for order in (range(12), range(12)[::-1]))
claims.correct("N App. C, formula", holds=up - down == 0 < up + down)
claims.settle("2p", here=", ".join(f"{n} {dtype}" for dtype, n in boundary.items()),
              agrees=all(boundary[dtype] == 2 * p for dtype, p in SIGNIFICAND.items()),
              found=boundary)

# %% [markdown]
r"""
(palindrome-pairs)=
## Must outputs be as small as $2^{-n}$?

*No. Our pairwise network recognizes PALINDROME, and its $|s|$ is at least $\frac1{4n}$.* It does without powers of 2: every position $i$ attends to its mirror image $\bar\imath = n - 1 - i$. The logit

$$
4\,(2\bar\imath j-j^2)=4\bar\imath^2-4\,(j-\bar\imath)^2
$$

is greatest at $j = \bar\imath$, so position $i$ reads $r_i \approx \mathbb{I}[w_{\bar\imath} = 1]$. The feed-forward layer makes a mark $\mu_i$ where this differs from $\mathbb{I}[w_i = 1]$ by more than a half. The second layer averages over all positions; EOS brings a quarter, and each mark is subtracted:

$$
s=\frac1n\Bigl(\frac14-\sum_i\mu_i\Bigr),\qquad\mu_i=\max\bigl(0,\bigl|\mathbb{I}[w_i=1]-r_i\bigr|-\tfrac12\bigr).
$$
"""

# %%
S = Space("0", "1", "CLS", "EOS", "i", "n-1-i", "i²", "mirror", "mismatch", "s")
zero, one_, cls, eos, i, back, square, opposite, mismatch, s = S
tokens = {"0": zero, "1": one_, "CLS": cls, "EOS": eos}
here = zero + one_ + cls + eos                        # 1 at every position
look = Layer(heads=[Head(q=[2 * back, -here], k=[i, square], v={"mirror": one_}, gain=4)],
             ffn=FFN(hidden=[one_ - opposite - here / 2, opposite - one_ - here / 2],
                     out={"mismatch": [1, 1]}))
count = Layer(heads=[Head(v={"s": eos / 4 - mismatch})])
pairs = Construction(S, tokens, {"i": i, "n-1-i": back, "i²": square}, [look, count], output=s,
                     name="pairwise PALINDROME")
assert pairs == constructions.pairwise_palindrome()

# %% [markdown]
r"""
*Proved for every length:* the network is right. All positions except $\bar\imath$ together weigh at most $2\,(e^{-4}+e^{-16}+\dots)<\frac1{25}$ of what $\bar\imath$ weighs, so $r_i$ is off by less than $\frac1{25}$. Where the pair agrees, $\mu_i$ is exactly 0. Where it differs, both $\mu_i$ and $\mu_{\bar\imath}$ are above $\frac12-\frac1{25}$. Hence $s = \frac1{4n}$ on palindromes and $s < -\frac1{2n}$ elsewhere. $\square$

The published network, by contrast, has to tell $2 / (2^n - 1)$ from 0. The price of the larger outputs is keys of size $n^2$. If §5 means some number other than an output, our network does not contradict it.

As a check we decide all strings of up to 9 symbols:
"""

# %%
strings = [w for length in range(10) for w in PALINDROME.all_strings(length)]
decisions = [Exact(pairs).decide(w) for w in strings]
wrong = {pairs.name: PALINDROME.errors(strings, [d.accepts for d in decisions])}
least = min(abs(d.s) * (len(w) + 2) for w, d in zip(strings, decisions))
print(f"{len(wrong[pairs.name])} of {len(strings)} wrong; least n|s| = {least}")

# %% tags=["hide-input"]
claims.settle("pairs: recognized", here=f"{len(wrong[pairs.name])}; {least}",
              found={"least": str(least)}, agrees=wrong[pairs.name] == [] and least == fmpq(1, 4))
claims.correct("N §5", holds=wrong[pairs.name] == [] and least == fmpq(1, 4))

# %% [markdown]
r"""
(palindrome-pairs-floats)=
### Pair by pair in floats

*In floats the key $j^2$ sets the limit of the pairwise network.* As long as $(|w| + 1)^2 \le 2^p$, all terms of all logits are whole numbers that the type holds exactly. If each mirror image then has an attention weight of at least $\frac9{10}$ and all other positions together at most $\frac1{10}$, every string is decided correctly. These weights do not depend on the string, so one trace speaks for all $2^{|w|}$ strings.

How does it fail after that? Let $o$ be the first odd number with $o^2>2^p$. Its square is rounded to $o^2 - 1$, and the squares of the next odd numbers are rounded likewise. So a position whose mirror image is $o + 1$ or $o + 3$ gives both neighbours of the image the logit of the image itself, and reads all three (for even $\bar\imath$ the product $2\bar\imath j$ is exact). At $|w| = o + 3$ the palindrome $1010\dots0101$ gets at least two marks of about $\frac16$, and is rejected.

Only the exactness of the logits is proved here, for all four types. The weights were measured, in the 16-bit types at all these lengths and in float32 at the last one. The rejection was measured in these three types; float64's strings are too long to run.
"""

# %%
edges, holds = {dtype: pairwise_lengths(p) for dtype, p in SIGNIFICAND.items()}, {}
for dtype in ("bfloat16", "float16", "float32"):
    exact_to, wrong_at = edges[dtype]
    reader, left = Encoder(pairs, FLOATS[dtype]), ("10" * wrong_at)[: wrong_at // 2]
    lengths = range(1, exact_to + 1) if exact_to < 100 else (exact_to,)
    shares = [mirror_shares(reader, length) for length in lengths]
    least_weight, most_else = min(a for a, _ in shares), max(b for _, b in shares)
    accepted = reader.accepts(left + left[::-1])
    holds[dtype] = least_weight >= 0.9 and most_else <= 0.1 and not accepted
    print(f"{dtype}: mirror images {least_weight:.2f} or more, others {most_else:.2f} or less, "
          f"|w| from {lengths[0]} to {lengths[-1]}; "
          f"{left[:6]}...{left[5::-1]} of {wrong_at} accepted: {accepted}")
print("float64:", edges["float64"])

# %% tags=["hide-input"]
exact_to = {dtype: right for dtype, (right, _) in edges.items()}
claims.settle("pairs-floats", here=", ".join(f"{n:,} {dtype}" for dtype, n in exact_to.items()),
              agrees=all((n + 1)**2 <= 2**SIGNIFICAND[dtype] < (n + 2)**2
                         for dtype, n in exact_to.items()))
claims.settle("pairs-rejected", here=", ".join(f"{edges[dtype][1]:,} {dtype}" for dtype in holds),
              agrees=all(holds.values()))

# %% [markdown]
r"""
## Can layer normalization make them arbitrarily confident?

(palindrome-open)=
### Yes: ONE and the pairwise network

This was the paper's open question. Proposition 2 of [chapter 3](#ln-figure-2) makes a network confident if the {term}`mirrored` network, under layer normalization, never has a score of 0.

*ONE, and the one-layer network for the two numbers* (exercise 3 of the lesson). Their only attention layer reads embeddings, *before* any normalization. Afterwards the vector of CLS is multiplied by a positive number, and a feed-forward layer without bias passes this factor on. So the sign stays.

*The pairwise network.* The first attention layer reads embeddings too, and the second is uniform whatever it reads. In between, the vector at $i$ is multiplied by $\gamma_i>0$. If $N_i$ and $N'_i$ are its squared norms in $D$ coordinates before and after the feed-forward layer, then $\gamma_i^{-2}=N'_i/D+\epsilon N_i/D+\epsilon^2$. EOS, with the largest $i^2$, has the largest norms and the least factor, $\gamma$. So the logit has the sign of $\frac14\gamma-\sum\gamma_i\mu_i$: positive on palindromes, elsewhere at most $\gamma\,(\frac14-\frac{23}{25})<0$. $\square$

Both arguments hold at every length and for every $\epsilon \ge 0$. To reach a given cross-entropy $\eta$ we need $\epsilon = 0$. We compute the cross-entropy in balls for $\eta = 10^{-6}$ nats, on all strings of up to 7 symbols and some of 20 and 50 symbols:
"""

# %%
one, single = constructions.one(), sigmoid_palindrome()
sharp = {c.name: Exact(sharpen(mirror(c), eta=1e-6), eps=0) for c in (one, pairs, single)}


def nats(construction, language, w):
    s = sharp[construction.name].logit(w)
    return (1 + (-s if w in language else s).exp()).log()


def broken(w, place):
    return w[:place] + ("1" if w[place] == "0" else "0") + w[place + 1:]


cases = [(one, ONE, w) for length in range(8) for w in ONE.all_strings(length)]
cases += [(c, PALINDROME, w) for c in (pairs, single)
          for length in range(8) for w in PALINDROME.all_strings(length)]
for length in (20, 50):
    w = "01" * (length // 4) + "1" * (length // 2 % 2)
    w += w[::-1]
    near = [broken(w, place) for place in (0, length // 2 - 1, length - 2)]
    cases += [(c, PALINDROME, v) for c in (pairs, single) for v in (w, *near)]
    cases += [(one, ONE, v) for v in ("1" + "0" * length, "0" * length, "0" * length + "11")]
worst = {c.name: max(float(nats(*case)) for case in cases if case[0] is c)
         for c in (one, pairs, single)}
print(worst)

# %% tags=["hide-input"]
for line, name in (("cross-entropy: ONE", "ONE"),
                   ("cross-entropy: PALINDROME", "pairwise PALINDROME")):
    claims.settle(line, here=f"{worst[name]:.7f}", agrees=worst[name] < 1.000001e-6)

# %% [markdown]
r"""
(palindrome-obstruction)=
### Not the published layers

The published PALINDROME needs base 2 in its second layer, and a normalization before that layer spoils the base. To see this, we give the published layers the logit $t-|s|$, where $t$ is the attention weight of CLS, which is half the least $|s|$ that is not 0. We run these layers twice, as they are and mirrored under layer normalization:
"""

# %%
palindrome = constructions.palindrome()
head_1, head_2 = palindrome.layers[1].heads
S = Space(*palindrome.space.names, "t", "t-|s|")
weigh = replace(head_1, v={**dict(head_1.v), "t": S["CLS"]})
decide = FFN([S["t"], S["s"], -S["s"]], {"t-|s|": [1, -1, -1]})
naive = replace(palindrome, space=S, output=S["t-|s|"], activation="sigmoid",
                layers=[palindrome.layers[0], Layer([weigh, head_2], decide)])
for name, reader in (("as it is", Exact(naive)), ("mirrored", Exact(mirror(naive), eps=0))):
    wrong[name] = PALINDROME.errors(strings, reader.accepts(strings))
    print(f"{name}: {len(wrong[name])} of {len(strings)} wrong, {wrong[name][:4]}")

# %% tags=["hide-input"]
claims.settle("obstruction", here=f"{len(wrong['mirrored'])} of {len(strings)}",
              agrees=len(wrong["mirrored"]) > len(wrong["as it is"]) == 0)

# %% [markdown]
r"""
Would other matrices give base 2? No fixed matrices do so at every length, because normalization bounds what a head reads. This bounds the head's logits, and so the ratio of its weights.

**Obstruction.** Let layer normalization, with any $\epsilon \ge 0$, follow each residual connection. Vectors of $D$ coordinates then have norms of at most $\sqrt D$. A head that reads such vectors has logits of at most $B=\|W_Q\|\|W_K\|D$, *whatever $n$*, and weights between $e^{-2B}/n$ and $e^{2B}/n$. So no fixed matrices give a second layer base 2 once $2^{n-1}>e^{2B}$. With $B = 3$, for example, no weight is more than $e^6<404$ times another, but base 2 asks for $2^{n-1}$ times, which is 512 at $n = 10$.

*What this forbids* is a binary code after a normalization, and nothing more. The pairwise network has two layers too, but its layer 1 reads unbounded embeddings. If we normalize *before* each attention layer, even the pairwise network fails: on $1\,0^k\,1$ position 1 reads at most $2e^{2B}/n \to 0$. So position 1's mark tends to $\frac12$. Normalization multiplies this mark by a larger factor than EOS's quarter gets, and long strings of this kind are rejected.
"""

# %% [markdown]
r"""
(nowak-learning)=
## What does training find?

*Every figure agrees with the authors' records, though for Figs. 7 and 8 only at the lengths that we repeated.* The authors' repository has the code and the curves of §4.2, so under [its conditions](#nowak-conditions) our results should equal theirs.

In the table, *trained at* lists the lengths that we repeated, and says how many the figure has; *recorded* and *here* are mean accuracies. A figure *agrees* if each run's first epoch has the recorded mean loss to $10^{-5}$ nats, and if the mean accuracies (after 100 epochs, and in Figs. 4 and 5 also after 1000) differ by at most two of the record's standard errors. *The same* counts the runs that are right on as many test strings as recorded.
"""

# %% tags=["hide-input"]
repeated = stored("nowak_repeated")
groups = records.compared(repeated)
longer = records.compared(stored("nowak_longer"), epoch=1000)
for name, shown in (("same", groups), ("longer", longer)):
    glue(f"runs_{name}", sum(g.same for g in shown))
    glue(f"runs_{name}_of", sum(len(g.here) for g in shown))
compared = [*groups, *longer]
print(f"first epochs at most {max(g.largest_gap for g in compared):.0e} nats apart")
known = [f"Fig. {r['figure']} {r['language']}" for r in records.LEARNED]
table = []
for figure, epoch in sorted({(g.figure, g.epoch) for g in compared}):
    shown = [g for g in compared if (g.figure, g.epoch) == (figure, epoch)]
    lengths = ", ".join(map(str, sorted(g.length for g in shown)))
    coverage = f"{lengths} ({len(shown)} of {known.count(figure)})"
    means = np.mean([(g.recorded.mean(), g.here.mean()) for g in shown], axis=0)
    same = f"{sum(g.same for g in shown)} of {sum(len(g.here) for g in shown)}"
    table.append((figure, epoch, coverage, *(f"{mean:.3f}" for mean in means), same))
markdown_table(("figure", "epochs", "trained at", "recorded", "here", "the same"), table)

# %% [markdown]
r"""
After 100 epochs {glue:text}`runs_same` of {glue:text}`runs_same_of` runs are the same as recorded; after 1000, {glue:text}`runs_longer` of {glue:text}`runs_longer_of`. After 1000 epochs FIRST without $\log n$, trained at 300, is right on all test strings in all twenty runs here and in nineteen of the authors' twenty. Agreement with the records therefore supports *FIRST does not generalize well without $\log n$* only for the shorter training lengths.

(nowak-one)=
### What ONE needs

For ONE to generalize, §4.2 finds two things "strictly necessary": FIRST's position encoding in place of $i/n$, and training strings of variable length. *The encoding is not necessary in our runs* (measured, 100 epochs): at variable lengths up to 30, $i/n$ does as well in our five runs.

The authors' records tell only about the lengths, because both columns of Fig. 5 have FIRST's encoding: with fixed lengths on the left, and with variable lengths on the right. (The files of the right column are on the branch `refactoring` of their repository, at commit `a846b99`; at `681d35d` those of the left column are in their place.) So we vary encoding and lengths here, with our own weights and strings. A column 10 → 30 means trained at 10 symbols, tested at 30. A mean accuracy above 0.85 (bold) counts as generalizing; this criterion was chosen after the run. The paper says that its authors also tried PARITY's positions and sinusoids, and that they tried to read the weights of their best network for ONE, but it reports no results of this. We tried none of it.
"""

# %% tags=["hide-input"]
one_run = stored("one_generalisation")
ways = {"fixed, FIRST's encoding": ("FIRST", None, "plain"),
        "fixed, i/n": ("ONE", None, "plain"), "variable, FIRST's": ("FIRST", 2, "plain"),
        "variable, i/n": ("ONE", 2, "plain"), "fixed, FIRST's, log n": ("FIRST", None, "log n")}
steps = list(product((10, 30), (30, 100, 300)))
last = {}  # accuracies by the way, the length trained at and the length tested at
for row in one_run.results:
    how = row["configuration"]
    way = how["positions"], how.get("shortest"), how["scale"]
    for test in row["result"]["final"]:
        last[way, how["length"], test["length"]] = np.array(test["accuracy"])
at_length = {(name, *step): last[way, *step] for name, way in ways.items() for step in steps}
best = max(accuracy.mean() for ((positions, _, scale), _, m), accuracy in last.items()
           if (positions, scale, m) == ("FIRST", "plain", 10**6))
glue("one_million", f"{best:.3f}")
first, rest, weight = TASKS["ONE"].distribution(1000)
share = weight @ (first + rest == 1)  # of the strings that learners of ONE get
glue("chance_one", f"{max(share, 1 - share):.1%}")
table = []
for name in ways:
    means = [at_length[name, *step].mean() for step in steps]
    shown = [f"**{mean:.2f}**" if mean > 0.85 else f"{mean:.2f}" for mean in means]
    table.append((name, len(at_length[name, *steps[0]]), *shown))
markdown_table(("trained", "runs", *(f"{n} → {m}" for n, m in steps)), table)

# %% tags=["hide-input"]
settled = dict(zip(ways, ("length", "left", "right", "encoding", "")))
causes = {30: "i/n does as well, in these 5 runs trained at 30",
          10: "trained at 10 and tested at 30, no way without log n generalizes"}
lines = {"variable, FIRST's": "ONE: generalizes", "fixed, FIRST's, log n": "ONE: log n"}
for (n, m), way in product(((30, 100), (10, 30)), ways):
    values = at_length[way, n, m]
    as_said = bool((values.mean() > 0.85) == (way in lines))
    here = f"{values.mean():.2f} ({values.min():.2f} to {values.max():.2f})"
    claims.settle(lines.get(way, "ONE"), here=here, agrees=as_said,
                  settles=settled[way] if n == 30 else "", note="" if as_said else causes[n],
                  trained=n, tested=m, way=way, runs=len(values), source=one_run.source)
records.variable_lengths(claims, repeated)
of_thousand = {g.figure for g in longer}  # the epochs of these figures
early = [g for g in groups if g.figure in of_thousand]
records.figures(claims, repeated, [g for g in groups if g.figure not in of_thousand])
records.figures(claims, repeated, early, conditions="100 epochs, the figure has 1000")
records.figures(claims, stored("nowak_longer"), longer)
records.errata(claims, groups)

# %% [markdown]
r"""
A network that rejects everything is right on {glue:text}`chance_one` of the strings. Without $\log n$, networks that were trained at one length, or at lengths up to 10, have no bold mean at any length of the table beyond the lengths of training. The paper did not try $\log n$.

No way of training with FIRST's encoding and without $\log n$ generalizes to all lengths: tested at $10^6$, every mean is at or below {glue:text}`one_million`.

(nowak-conditions)=
### Conditions of the runs

Some conditions of the authors' code differ from those in their text; the last column has ours. Where all positions from 2 on have the same encoding, four weighted tokens stand for a string, as in chapter 4.
"""

# %% tags=["hide-input"]
markdown_table(("condition", "text", "code and records", "here"),
               [(name, *said) for name, said in records.SETTINGS.items()])

# %% [markdown]
r"""
(nowak-built)=
## Are the two networks right?

*Yes, at every length, by the closed forms below; as printed, PALINDROME has one wrong matrix.*

### ONE

The network has one layer. With $k$ 1s among $n$ tokens, uniform attention finds $k/n$, the share of 1s, and $1/n$, the share of {term}`CLS`. Four hidden units make a peak at $k = 1$ and lower it by a half:

$$
s=\frac1n\bigl(\max(0,k-2)-2\max(0,k-1)+\max(0,k)-\tfrac12\bigr)=\frac{\mathbb{I}[k=1]-\tfrac12}{n}.
$$

The network, `constructions.one()`, never reads its position encoding.

(nowak-palindrome)=
### PALINDROME

With an end tag EOS there are $n = |w| + 2$ positions. Layer 1 marks the 1s of each half. In layer 2, head 1 gives position $i$ the weight $2^i / (2^n - 1)$ and reads the left half; head 2 reads the right half from its end and subtracts:

$$
s=\frac{1}{2^n-1}\sum_{i\le(n-1)/2}\bigl(\mathbb{I}[w_i=1]-\mathbb{I}[w_{\bar\imath}=1]\bigr)\,2^i.
$$

The output unit is the indicator $\mathbb{I}[s = 0]$. In base 2 all numbers are rational. [The lesson](07_palindrome_precision) has the code.

(nowak-exact)=
### Every short string

We decide all strings of up to 9 symbols in rational numbers, and compare the $s$ of PALINDROME with the formula of App. A. Where the outcome says *proved for every length*, the closed forms above are the proof, and these strings only test them.
"""

# %%
for construction, language in ((one, ONE), (palindrome, PALINDROME)):
    accepts = [Exact(construction).decide(w).accepts for w in strings]
    wrong[construction.name] = language.errors(strings, accepts)
    print(f"{construction.name}: {len(wrong[construction.name])} of {len(strings)} wrong")

# %% tags=["hide-input"]
for line, name in (("exact: ONE", "ONE"), ("exact: PALINDROME", "PALINDROME")):
    claims.settle(line, here=len(wrong[name]), agrees=wrong[name] == [])


def appendix_a(w):
    terms = [(int(a) - int(b)) * 2**i for i, (a, b) in enumerate(zip(w, w[::-1]), start=1)]
    return fmpq(sum(terms[: (len(w) + 1) // 2]), 2 ** (len(w) + 2) - 1)


equal = sum(Exact(palindrome).logit(w) == appendix_a(w) for w in strings)
claims.settle("exact: App. A", here=f"{equal} of {len(strings)}", agrees=equal == len(strings))


def last_display(w):  # not over the first half, but over all i
    signs = [int(a) - int(b) for a, b in zip(w, w[::-1])]
    return fmpq(sum(sign * 2**i for i, sign in enumerate(signs, start=1)), 2 ** (len(w) + 2) - 1)


claims.correct("N App. A, last display", holds=all((last_display(w) == appendix_a(w))
                                                   == (w in PALINDROME) for w in strings))

# %% [markdown]
r"""
(nowak-long)=
### Long strings

§4.1 measures an accuracy of 1 for FIRST, PARITY and ONE up to $n = 10{,}000$. We do the same in float32, on 50 random strings of each of twelve lengths.
"""

# %%
lengths = (10, *(2**j for j in range(4, 14)), 10_000)
wrong_long = {}
for language in (FIRST, PARITY, ONE):
    reader = Encoder(getattr(constructions, language.name.lower())(), torch.float32)
    samples = [language.sample(n - 1, size=50, seed=n) for n in lengths]
    wrong_long[language] = sum(len(language.errors(w, reader.accepts(w))) for w in samples)
print(wrong_long, f"wrong of {50 * len(lengths)} each")

# %% tags=["hide-input"]
for language, errors in wrong_long.items():
    claims.settle("long", here=f"{1 - errors / (50 * len(lengths)):.3f}", agrees=errors == 0,
                  language=language)

# %% [markdown]
r"""
(nowak-misprints)=
### Misprints

§3.2.3 prints both value matrices with their entry in column 10, so that both heads read dimension 10, the right half's marks. As printed, the network accepts 10 and rejects 11. In the same section two entries of the vector $a^{2,0}$ are printed as 0. They should be $n-1$ and 1, which the residual connection keeps.
"""

# %%
misread = replace(head_1, v={"s": palindrome.space["1 on the right"]})
printed = replace(palindrome, layers=[palindrome.layers[0], Layer([misread, head_2])])
accepted = [w for w in PALINDROME.all_strings(2) if Exact(printed).decide(w).accepts]
final = [str(row[0]) for row in Exact(palindrome).trace("10").a[2].values()]
print(f"as printed: accepts {accepted};  a at CLS on 10: {', '.join(final)}")

# %% tags=["hide-input"]
claims.correct("N §3.2.3, $W^{V,2,1}$", holds="10" in accepted and "11" not in accepted)
claims.correct("N §3.2.3, $a^{2,0}$",
               holds=final[:10] == ["0", "0", "1", "0", "0", "3", "1", "0", "0", "0"])

# %% [markdown]
r"""
## Since then

Merrill and Sabharwal {cite}`merrill2023` prove that log-space-uniform $\mathrm{TC}^0$ circuits simulate transformers with numbers of $O(\log n)$ bits and feed-forward networks that are computed in linear space. So, if $\mathrm{L} \ne \mathrm{P}$, no such transformer decides, for every context-free grammar with empty productions and every string, whether the grammar generates the string.

Chiang {cite}`chiang2025` proves the same bound for softmax with polynomially many bits, and for averaging hard attention without rounding.
"""

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says
