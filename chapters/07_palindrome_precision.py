# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# ONE, PALINDROME and the limits of precision

*You will be able to* compare two halves of a string with two attention heads, say how long a string a float type can compare and prove that no cleverness
compares longer ones, tell a float error from a threshold, and build a recogniser of palindromes that is as sure as you like.
"""

# %% [markdown]
"""
## Claim

Nowak et al. {cite}`nowak2022` write down transformers for two more languages: ONE, exactly one $1$ (§3.1), and PALINDROME (§3.2), which no finite automaton recognises.
Both are exact at every length; in practice, they say, PALINDROME is "perfect" up to length 37 and worthless from about 70 on, because of floating-point errors
(§4.1, Fig. 2, App. C). Learners find FIRST and ONE, but neither PARITY nor PALINDROME (§4.2). They leave open whether layer normalization makes the two
new transformers arbitrarily confident (§6).

What is surprising: their limit is **no float error**; exact arithmetic draws the same curve. The true limit of a type with $p$ bits is $2p$ symbols, whatever one does. And
the open question has an answer: yes, for both.
"""

# %% tags=["hide-input"]
from dataclasses import replace
from itertools import product
from math import frexp, sqrt

import matplotlib.pyplot as plt
import torch
from flint import arb, ctx, fmpq

from lib import constructions
from lib.book import Claims, glue, markdown_table, stored
from lib.book.figures import COLOURS, REFERENCE, use_style
from lib.book.learning_figures import (accuracy_at, chance, generalisation_figure, last_accuracy,
                                       learned_text, learning_figure, range_text, rows,
                                       shared_figure)
from lib.constructions.normalization import mirror, sharpen
from lib.constructions.palindrome_precision import (DIVISIONS, FLOATS, GAINS, ORDERS,
                                                    SIGNIFICAND_BITS, TESTS, Evaluation,
                                                    longest_perfect, most_floats,
                                                    published_accuracy, some_halves)
from lib.languages import FIRST, ONE, PALINDROME, PARITY
from lib.transformer import FFN, Construction, Encoder, Exact, Head, Layer, Space

use_style()
claims = Claims("07_palindrome_precision")
OPEN, FIGURE_2, RECOGNISED = "N 6 (open)", "N Fig. 2, App. C", "N 3.2, App. A"

# %% [markdown]
"""
## Construction

### ONE

One layer. Uniform attention finds $k/n$, the share of 1s, and $1/n$, the share of CLS; four hidden units make a hat that stands on $k = 1$, lowered by a half:

$$
s = \frac1n \bigl(\max(0, k - 2) - 2 \max(0, k - 1) + \max(0, k) - \tfrac12\bigr) = \frac{\mathbb{I}[k = 1] - \tfrac12}{n}.
$$

It has a position encoding and never reads it.
"""

# %%
S = Space("0", "1", "CLS", "i/n", "k/n", "1/n", "s")
zero, one_, cls, i, k, unit, s = S

count = Layer(heads=[Head(v={"k/n": one_, "1/n": cls})],
              ffn=FFN(hidden=[k - 2 * unit, k - unit, k, unit], out={"s": [1, -2, 1, -0.5]}))
one = Construction(S, word={"0": zero, "1": one_, "CLS": cls}, position={"i/n": i},
                   layers=[count], output=s, name="ONE")
assert one == constructions.one()

# %% [markdown]
"""
### PALINDROME

An end tag EOS makes the tags symmetric: $n = |w| + 2$, and the mirror image of position $i$ is $\bar\imath = n - 1 - i$. Layer 1 marks the 1s of each half. In layer 2, head 1
gives position $i$ the logit $i \ln 2$, so its attention weight is $2^i / (2^n - 1)$: it reads the left half as a number in base 2, the symbols next to the middle
counting most. Head 2 reads the right half from its end and subtracts:

$$
s = \frac{1}{2^n - 1} \sum_{i \le (n-1)/2} \bigl(\mathbb{I}[w_i = 1] - \mathbb{I}[w_{\bar\imath} = 1]\bigr)\, 2^i .
$$

Two numbers are equal if and only if their digits are, so $s = 0$ exactly on palindromes; and the output unit is not a sigmoid but the indicator
$\mathbb{I}[s = 0]$. `base=2` says $c = \ln 2$ without leaving the rationals.
"""

# %%
S = Space("0", "1", "CLS", "EOS", "i", "n-1-i", "left", "right",
          "1 on the left", "1 on the right", "s")
zero, one_, cls, eos, i, back, left, right, left_one, right_one, s = S
tokens = {"0": zero, "1": one_, "CLS": cls, "EOS": eos}
mark = Layer(ffn=FFN(hidden=[left - zero - cls - eos, right - zero - cls - eos],
                     out={"1 on the left": [1, 0], "1 on the right": [0, 1]}))
compare = Layer(heads=[Head(q=[cls], k=[i], v={"s": left_one}, base=2),
                       Head(q=[cls], k=[back], v={"s": -right_one}, base=2)])
halves = {"[i≤(n-1)/2]": left, "[i≥(n-1)/2]": right}
palindrome = Construction(S, tokens, position={"i": i, "n-1-i": back, **halves},
                          layers=[mark, compare], output=s, name="PALINDROME",
                          activation="indicator")
assert palindrome == constructions.palindrome()

# %% [markdown]
"""
(palindrome-sigmoid)=
### One layer, and a sigmoid

For the open question we need a logit that is positive on palindromes, negative elsewhere and never 0, and, for a reason that [comes below](#palindrome-obstruction), only one
layer. Let both heads read *every* symbol. A pair $i < \bar\imath$ then contributes $(w_i - w_{\bar\imath})(2^i - 2^{\bar\imath})$: the outermost pair counts most, more than all inner pairs together. A third value, $t$, is
half of head 1's weight on the middle position $\lfloor (n-1)/2 \rfloor$; and the logit is $t - |s|$, which takes three hidden units and no bias.
"""

# %%
S = Space("0", "1", "CLS", "EOS", "i", "n-1-i", "middle", "s", "t", "t-|s|")
zero, one_, cls, eos, i, back, middle, s, t, logit = S
tokens = {"0": zero, "1": one_, "CLS": cls, "EOS": eos}
compare = Layer(heads=[Head(q=[cls], k=[i], v={"s": one_, "t": middle / 2}, base=2),
                       Head(q=[cls], k=[back], v={"s": -one_}, base=2)],
                ffn=FFN(hidden=[t, s, -s], out={"t-|s|": [1, -1, -1]}))
places = {"i": i, "n-1-i": back, "[i=⌊(n-1)/2⌋]": middle}
sigmoid_palindrome = Construction(S, tokens, places, [compare], logit, "one-layer PALINDROME")
assert sigmoid_palindrome == constructions.sigmoid_palindrome()

# %% [markdown]
"""
*It is never 0.* Write $D_i = 2^{\bar\imath} - 2^i$ for pairs $i \le m$, $m$ being the innermost. Summing two geometric series, $D_i - \sum_{i < j \le m} D_j$ equals
$2^{n/2+1} - 3 \cdot 2^i$ for even $n$ and $3\,(2^{(n-1)/2} - 2^i)$ for odd $n$; both are at least $D_m$. So if $i$ is the outermost pair that differs, $|s| \ge D_m / (2^n - 1)$, with
$D_m = 2^{n/2-1}$ or $3 \cdot 2^{(n-3)/2}$. And $t$ is $2^{n/2-2} / (2^n-1)$ or $2^{(n-3)/2} / (2^n - 1)$: a half or a third of that. Hence the logit is $t > 0$ on
palindromes and at most $-t$ elsewhere. $\square$

## Run it

(nowak-exact)=
### Every string, in rationals

Base 2 keeps the exact reader in the rationals: no ball, no doubt. (Here to length 9; the tests go to 12.)
"""

# %%
strings = [w for length in range(10) for w in PALINDROME.all_strings(length)]
for construction, language, row in ((one, ONE, "N 3.1"), (palindrome, PALINDROME, RECOGNISED),
                                    (sigmoid_palindrome, PALINDROME, OPEN)):
    decisions = [Exact(construction).decide(w) for w in strings]
    wrong = language.errors(strings, [decision.accepts for decision in decisions])
    assert all(isinstance(decision.s, fmpq) for decision in decisions)
    print(f"{construction.name}: {len(wrong)} of {len(strings)} wrong")
    claims.add(row, f"strings decided wrongly by {construction.name}, lengths 0 to 9",
               None if row == OPEN else "none", len(wrong), wrong == [], cell="nowak-exact")

# %% [markdown]
"""
(nowak-long)=
### Long strings

§4.1 tests FIRST, PARITY and ONE up to $n = 10{,}000$: accuracy 1. So it is here, in float32. For PALINDROME, which the paper stops at 200, the rational reader goes
as far; these are a palindrome of 10,000 symbols and the two near-misses with its outermost and its innermost pair broken.
"""

# %%
lengths = (10, *(2**j for j in range(4, 14)), 10_000)
for language in (FIRST, PARITY, ONE):
    reader = Encoder(getattr(constructions, language.name.lower())(), torch.float32)
    samples = [language.sample(n - 1, size=50, seed=n) for n in lengths]
    wrong = sum(len(language.errors(w, reader.accepts(w))) for w in samples)
    print(f"{language}: {wrong} of 600 wrong")
    claims.add("N 4.1", f"accuracy of {language}, n = 10 to 10,000", paper="1",
               here=f"{1 - wrong / 600:.3f}", agrees=wrong == 0, cell="nowak-long")

# %%
def flipped(w, place):
    return w[:place] + ("1" if w[place] == "0" else "0") + w[place + 1:]


half = FIRST.sample(5000, size=1, seed=0)[0]
long = half + half[::-1]
for w in (long, flipped(long, 0), flipped(long, 4999)):
    print([Exact(reader).decide(w).accepts for reader in (palindrome, sigmoid_palindrome)])

# %% [markdown]
"""
(nowak-misprints)=
### What is printed

§3.2.3 prints one value matrix twice: both heads read dimension 10, the right half's marks. **Predict** which strings of length 2 that network takes for palindromes.
"""

# %%
head_1, head_2 = palindrome.layers[1].heads
misread = replace(head_1, v={"s": palindrome.space["1 on the right"]})
printed = replace(palindrome, layers=[palindrome.layers[0], Layer([misread, head_2])])
accepted = [w for w in PALINDROME.all_strings(2) if Exact(printed).decide(w).accepts]
final = [str(row[0]) for row in Exact(palindrome).trace("10").a[2].values()]
print(f"as printed: accepts {accepted};  a at CLS on 10: {', '.join(final)}")
palindrome.matrix("V", layer=2, index=1)

# %% [markdown]
"""
(palindrome-open)=
### The open question

Proposition 2 of [chapter 3](#ln-figure-2) makes any network confident if the mirrored one, under layer normalization, never has a logit of 0. Both constructions qualify for one reason: their only attention
reads the embeddings *before* any normalization, so it hears what it always heard. After it CLS's vector is multiplied by a positive number, and a feed-forward layer without bias
passes that number on. The sign stays, and $\eta$ may be anything. In balls, $\eta = 10^{-6}$ nats:
"""

# %%
def nats(construction, language, w):
    s = Exact(sharpen(mirror(construction), eta=1e-6), eps=0).logit(w, bits=512)
    return (1 + (-s if w in language else s).exp()).log()


cases = [(one, ONE, w) for length in range(8) for w in ONE.all_strings(length)]
cases += [(sigmoid_palindrome, PALINDROME, w) for length in range(8)
          for w in PALINDROME.all_strings(length)]
for length in (50, 100, 200, 300):
    w = half[: length // 2] + half[: length // 2][::-1]
    cases += [(sigmoid_palindrome, PALINDROME, v)
              for v in (w, flipped(w, 0), flipped(w, length // 2 - 1), flipped(w, length - 2))]
    cases += [(one, ONE, "0" * j + ones + "0" * (length - j - len(ones)))
              for j, ones in product((0, length // 2), ("", "1", "11"))]
worst = {c.name: max(float(nats(*case)) for case in cases if case[0] is c)
         for c in (one, sigmoid_palindrome)}
print(worst)
for name, most in worst.items():
    claims.add(OPEN, f"{name}: greatest cross-entropy, to length 7 and near-misses to 300 (nats)",
               "open", f"{most:.7f}", agrees=most < 1.000001e-6, cell="palindrome-open")

# %% [markdown]
"""
(palindrome-obstruction)=
### Why one layer

**Obstruction.** After a layer normalization with $\epsilon = 0$ every vector of $D$ coordinates has norm $\sqrt D$. If a head reads such vectors, its logits are at most $B = \|W_Q\| \|W_K\| D$ in absolute value, *whatever $n$*,
so its weights lie between $e^{-2B}/n$ and $e^{2B}/n$: no fixed matrices give the second layer base 2 once $2^{n-1} > e^{2B}$. Nor can padding all vectors to one norm help, since the weights are bounded all the same. Suppose they depend
on the position only. Among the $h$ positions of a half two have weights whose quotient is at most $e^{4B/(h-1)}$; a string whose mirrored pairs differ exactly there, one each way, has
$|s| = O(1/n^2)$, while a $t$ taken from a weight is at least of order $1/n$. So $t - |s| > 0$, and a non-palindrome is accepted. (The printed network's weights depend on the symbols too, through the norms; the run decides.)

Here is the naive version: the published two layers, $t$ the weight of CLS (half of the least $|s|$), mirrored.
"""

# %%
S = Space(*palindrome.space.names, "t", "t-|s|")
weigh = replace(head_1, v={**dict(head_1.v), "t": S["CLS"]})
decide = FFN([S["t"], S["s"], -S["s"]], {"t-|s|": [1, -1, -1]})
naive = replace(palindrome, space=S, output=S["t-|s|"], activation="sigmoid",
                layers=[palindrome.layers[0], Layer([weigh, head_2], decide)])
strings, wrong = [w for length in range(10) for w in PALINDROME.all_strings(length)], {}
for name, reader in (("as it is", Encoder(naive)), ("mirrored", Encoder(mirror(naive), eps=0))):
    wrong[name] = PALINDROME.errors(strings, [reader.accepts(w) for w in strings])
    print(f"{name}: {len(wrong[name])} of {len(strings)} wrong, {wrong[name][:4]}")
claims.add(OPEN, "strings to length 9 that the naive doubling decides wrongly", paper="open",
           here=f"{len(wrong['mirrored'])} of {len(strings)}", agrees=len(wrong["mirrored"]) > 0,
           cell="palindrome-obstruction", note="so another construction is needed")

# %% [markdown]
"""
(nowak-learning)=
### What learners find

Networks as in §4.2: two layers, 16 coordinates, one string a step, Adam at $3 \cdot 10^{-4}$, 100 epochs of 100 steps. Where positions from 2 on are alike a string is four weighted tokens (chapter 4), and 20 seeds at any length are cheap;
PARITY's and PALINDROME's own encodings cost $n^2$ a step and get five seeds at lengths 10 and 30. (Fig. 4, FIRST's generalisation, is [chapter 4's](#log-figure-4).) A learner of ONE that rejects everything is right on {glue:text}`chance_one` of the paper's strings (App. B.2), not on half.
"""

# %% mystnb={"figure": {"caption": "Accuracy at the training length against epochs (medians over seeds; bands from the worst to the best), chance dotted. FIRST, given $\\log n$, and ONE are learned by most runs at every length; PARITY and PALINDROME at 10 by some, at 30 by none.", "name": "fig-nowak-learning"}, "image": {"alt": "Five panels; in the second and third all medians rise to one, in the last two those at length 30 stay at one half.", "classes": "dark-light"}}
learning, scaled = stored("nowak_learnability"), stored("scaled_learnability")
panels = {"FIRST": rows(learning, language="FIRST"), "FIRST, log n": scaled.results,
          "ONE": rows(learning, language="ONE"),
          "PARITY": rows(learning, language="PARITY", positions="PARITY"),
          "PALINDROME": rows(learning, language="PALINDROME")}
learning_figure(panels);

# %% tags=["hide-input"]
at = {"cell": "nowak-learning", "source": learning.source}
for name in ("FIRST", "FIRST, log n", "ONE"):
    counts = learned_text(panels[name])
    claims.add("N Fig. 3", f"{name}: runs above 0.99 at 10, 100, 1000; 100 epochs", "learned",
               counts, all(int(c.split()[0]) > 10 for c in counts.split(", ")),
               **at | ({"source": scaled.source} if "log" in name else {}))
    glue(f"learned_{name[-1]}", counts)
for name, n in product(("PARITY", "PALINDROME"), (10, 30)):
    found = last_accuracy(rows(learning, language=name, positions=name, length=n)[0])
    claims.add("N Figs. 7, 8", f"{name} at {n}: accuracy after 100 epochs", "chance",
               range_text(found), found.max() < 0.6, **at)
    glue(f"best_{name}_{n}", f"{found.max():.2f}")

# %% [markdown]
"""
Runs above 0.99 at 10, 100 and 1000: {glue:text}`learned_E` for ONE; for FIRST {glue:text}`learned_n` with logits scaled by $\log n$, which the authors' records of Fig. 3 show and its text does not, and {glue:text}`learned_T` without. PARITY and PALINDROME
are not out of reach: at 10 the best of five runs ends at {glue:text}`best_PARITY_10` and {glue:text}`best_PALINDROME_10`. At 30 none leaves chance.

For ONE to generalise, §4.2 finds two things "strictly necessary": FIRST's position encoding in place of $i/n$, and training strings of variable length. (With the latter their code varies the *test* lengths too.)
Here is one factor at a time, and $\log n$ as a third. **Predict** which of the three matter.
"""

# %% mystnb={"figure": {"caption": "ONE: mean accuracy over seeds against the length tested, trained at 10 to 300 (darker is longer). Solid: FIRST's encoding; dashed: the same with $\\log n$; circles: ONE's own $i/n$. Without $\\log n$ fixed lengths do not generalise and variable ones do for a while, with either encoding; with it both do. Dotted: chance.", "name": "fig-one-generalisation"}, "image": {"alt": "Two panels of accuracy against test length from 5 to a million, for fixed and for variable training lengths.", "classes": "dark-light"}}
one_run = stored("one_generalisation")
generalisation_figure(one_run);

# %% tags=["hide-input"]
first_run, at = stored("first_generalisation"), {"cell": "nowak-learning"}
for scale, paper in (("plain", "no"), ("log n", "yes")):
    counts = learned_text(rows(first_run, scale=scale))
    claims.add("N Fig. 4", f"FIRST, {scale}: runs above 0.99 at 1000; 10, 30, 100, 300", paper,
               counts, (set(counts.split(", ")) == {"20 of 20"}) == (scale == "log n"),
               source=first_run.source, **at)
shared_by = {"positions": "FIRST", "scale": "plain"}
for name, wanted, paper in (("fixed, FIRST's encoding", shared_by | {"shortest": None}, "no"),
                            ("variable, FIRST's", shared_by | {"shortest": 2}, "yes"),
                            ("variable, i/n, 5 seeds", {"positions": "ONE", "shortest": 2}, "no"),
                            ("fixed, log n", {"shortest": None, "scale": "log n"}, None)):
    found = accuracy_at(rows(one_run, length=30, **wanted)[0], 100)
    claims.add("N Fig. 5", f"ONE, 30 to 100: {name}", paper, range_text(found), **at,
               agrees=paper is None or (found.mean() > 0.85) == (paper == "yes"),
               source=one_run.source)
    glue("one_" + "".join(filter(str.isalpha, name)), f"{found.mean():.2f}")
best = max(accuracy_at(row, 10**6).mean() for row in rows(one_run, **shared_by))
glue("one_million", f"{best:.3f}")
glue("chance_one", f"{chance('ONE'):.1%}")

# %% [markdown]
"""
Variable length matters; the encoding does not: trained at 30 and tested at 100, $i/n$ reaches {glue:text}`one_variableinseeds` and FIRST's encoding {glue:text}`one_variableFIRSTs`. And $\log n$ does without
variable length ({glue:text}`one_fixedlogn`). None is a rule for all lengths: at $10^6$, the quotient says, every mean without $\log n$ is at or below {glue:text}`one_million`, chance.

Their 20 runs differ in data only: the code seeds PyTorch inside the model's constructor, so all start from one initialisation. Does that matter?
"""

# %% mystnb={"figure": {"caption": "Accuracy at length 1000 of runs that share an initialisation (four of them, 20 data seeds each) and of 20 runs with seeds of their own. One initialisation can make a result look like a rule.", "name": "fig-shared-initialisation"}, "image": {"alt": "Two panels of five columns of dots; the columns differ in where their dots lie.", "classes": "dark-light"}}
shared = stored("shared_initialisation")
shared_figure(shared, {"FIRST": "FIRST at 10, log n", "ONE": "ONE at 30, variable length"});
glue("own", learned_text(rows(shared, language="FIRST", initialisations=None)))

# %% [markdown]
"""
It does. From each of four initialisations FIRST succeeds whatever the data, yet of runs with weights of their own only {glue:text}`own` do: twenty runs from one initialisation are one draw.

Last, does *any* position encoding learn PALINDROME? Here with two heads and 16 strings a step at $10^{-3}$, 60 epochs:
"""

# %%
short = stored("palindrome_learning").results + stored("palindrome_longer").results
table = [(row["configuration"]["length"], row["configuration"]["positions"],
          range_text(last_accuracy(row)), learned_text([row])) for row in short]
own = [row for row in short if row["configuration"]["positions"] == "PALINDROME"]
claims.add("N Figs. 7, 8", "PALINDROME, 16 strings a step: runs above 0.99 at 4, 8, 12, 16",
           "chance", learned_text(own), max(last_accuracy(row).max() for row in own) < 0.6,
           cell="nowak-learning", source=stored("palindrome_longer").source)
markdown_table(("trained at", "positions", "accuracy (worst to best)", "above 0.99"), table)

# %% [markdown]
"""
Yes: to 8 all three do, and this one mostly at 12, where there are $64 \cdot 13$ different training strings and each is seen about a hundred times; at 16 none in this time. Whether the runs compare or remember, they do not say.

## Break it

(nowak-figure-2)=
### The limit of 37

The paper blames floating point. Its code, though, is not the printed network: $W_Q$ holds a plain 1 where $c\sqrt d$ is meant, and with heads of width 6 that makes
$c = 1/\sqrt6$, a base of $e^{1/\sqrt 6} \approx 1.5$; and a string is accepted when $|s| \le 10^{-7}$. The paper's samples are palindromes and palindromes with one flip
(App. B.3); a flip at pair $i$ leaves $|s| = b^i / Z$, $Z = \sum_{j<n} b^j$, so the accuracy is a closed form: a half, plus half the share of pairs with $b^i/Z > 10^{-7}$. **Predict** at which length the first
pair drops out.
"""

# %%
# Nowak et al., Fig. 2: the data in the authors' repository, 500 strings a length
published = dict(zip(range(36, 82, 2), (
    1.0, .948, .92, .862, .802, .762, .74, .706, .7, .652, .656, .628, .572, .618, .56, .528,
    .542, .454, .49, .488, .54, .498, .49)))
exact = {length: published_accuracy(length) for length in range(2, 102, 2)}
table = []
for length, seen in published.items():
    p = exact[length]
    off = (seen - p) / sqrt(p * (1 - p) / 500) if p < 1 else 0 if seen == 1 else float("inf")
    table.append((length, seen, f"{p:.3f}", f"{off:+.1f}", "yes" if abs(off) <= 3 else "**no**"))
agreeing = sum(row[-1] == "yes" for row in table)
perfect = max(length for length, p in exact.items() if p == 1)
markdown_table(("|w|", "paper", "exact arithmetic", "standard errors apart", "agrees"), table)

# %% mystnb={"figure": {"caption": "The published accuracy of PALINDROME (dots) is what exact arithmetic predicts for the base and threshold of the authors' code (line): no float error is in it. With base 2 and $s = 0$, as printed, exact arithmetic is right at every length (dashed).", "name": "fig-palindrome-37"}, "image": {"alt": "A curve that stays at one until length 36 and falls to one half at about 70, with dots along it, and a dashed line at one.", "classes": "dark-light"}}
figure, axis = plt.subplots(figsize=(6.4, 2.8))
axis.plot([*exact], [*exact.values()], color=COLOURS["PALINDROME"], label="exact arithmetic")
axis.plot([*published], [*published.values()], "o", color="#777777", ms=4, label="published")
axis.axhline(1, **REFERENCE)
axis.set(xlabel="$|w|$", ylabel="accuracy", ylim=(0.42, 1.04))
axis.legend();

# %% tags=["hide-input"]
printed_base = {length: published_accuracy(length, gain=GAINS["2"]) for length in (22, 24, 36)}
claims.add(FIGURE_2, "longest perfect |w|, the code's base and threshold in exact arithmetic",
           paper="37", here=perfect, agrees=False, cell="nowak-figure-2",
           note="their generator drops the middle symbol: at 37 it made strings of 36")
claims.add(FIGURE_2, "lengths 36 to 80 that exact arithmetic predicts within 3 standard errors",
           paper=None, here=f"{agreeing} of {len(published)}", agrees=agreeing == len(published),
           cell="nowak-figure-2")
first_chance = min(length for length, p in exact.items() if p == 0.5)
claims.add(FIGURE_2, "length at which accuracy reaches 0.5", paper="about 70", here=first_chance,
           agrees=abs(first_chance - 70) <= 3, cell="nowak-figure-2")
claims.erratum(FIGURE_2, "N §4.1, Fig. 2", "perfect for n in [1, 37], n counting tags (§2.1)",
               "|w| up to 36: the generator makes strings of 2⌊n/2⌋ symbols, tags not counted",
               holds=perfect == 36 and exact[38] < 1, cell="nowak-figure-2",
               checked="The exact prediction is 1 at |w| = 36 and below 1 at 38.")
claims.erratum(FIGURE_2, "N §4.1, §5", "the limit is a floating-point error",
               "it is the threshold 1e-7 with base e^(1/√6)", holds=agreeing == len(published),
               cell="nowak-figure-2", checked=f"Exact: {agreeing} of {len(published)} points.")
glue("perfect", perfect)
glue("agreeing", f"{agreeing} of {len(published)}")
glue("base_2", next(n for n in range(2, 99) if published_accuracy(n, gain=GAINS["2"]) < 1) - 1)

# %% [markdown]
"""
{glue:text}`agreeing` published points lie where exact arithmetic puts them. With base 2 and the same threshold the limit would even have been {glue:text}`base_2`; the accidental base, which
shrinks less quickly, hid part of the damage, but only from single flips. With other mistakes it does worse: at base 1.5 the digits of different numbers nearly cancel, and
this non-palindrome is accepted by exact arithmetic too.
"""

# %%
theirs = Evaluation("float64", numerators="published")
w = longest_perfect(theirs, tests=("1e-7",))["1e-7"]["wrong"]
s = Exact(constructions.palindrome(1 / sqrt(6), base=None)).logit(w, bits=128)
print(f"{w}, |w| = {len(w)}: s = {s.str(5)}, palindrome: {w in PALINDROME}")
assert abs(s) < 1e-7

# %% [markdown]
"""
(nowak-bits)=
### Appendix C on real bits

The paper's demonstration adds the weights $2^i / (2^{n+1}-1)$, $i = 0 .. n$, once upwards and once downwards; the difference should be 0. (Its formula prints a plus between the sums.) Below are
the significands of the running sums in bfloat16, which has 8 bits, from the seventh on. Upwards (first line), eight ones fit; the ninth turns them into a power of 2, and what made this number this number is gone.
"""

# %%
def running(terms, dtype):
    sums = [torch.zeros((), dtype=dtype)]
    for term in terms:
        sums.append(sums[-1] + term.to(dtype))
    return sums[1:]


n = 11
terms = torch.tensor([2.0**x / (2 ** (n + 1) - 1) for x in range(n + 1)], dtype=torch.float64)
for sums in (running(terms, torch.bfloat16), running(terms.flip(0), torch.bfloat16)):
    for value in sums[6:]:
        m, e = frexp(value.item())
        print(f"{int(m * 256):08b}e{e:+d}", end="  ")
    print()
for dtype in FLOATS.values():
    up, down = (running(some, dtype)[-1].item() for some in (terms, terms.flip(0)))
    print(f"{str(dtype):15} up {up:.9f}  down {down:.9f}  difference {up - down:+.1e}")
claims.erratum(FIGURE_2, "N App. C, formula", "a plus between the two sums", "a minus",
               holds=abs(up - down) < 1e-9 < abs(up + down), cell="nowak-bits",
               checked="With a plus the float64 sums make 2, not 0.")

# %% [markdown]
"""
(nowak-floats)=
### What floats can do

How far each type goes depends on how the heads are evaluated. *Numerators*: exact powers of 2, or exponentials of multiples of a rounded $\ln 2$, as a softmax has them. *Division*: first (every weight is rounded, then
values are added) or last. *Order*: both halves from left to right, or both from outside in. And the test: $s = 0$, $|s| \le 10^{-7}$, or half of the least $|s|$. Every operation is rounded to the type. A head's output depends on its own
half alone, so all pairs of $2^h$ half-strings are checked through $2 \cdot 2^h$ outputs: all of them for $h \le 12$, and beyond that hundreds of hard ones with their neighbours. **Predict:** which choice hurts most?
"""

# %% mystnb={"figure": {"caption": "The longest length at which no string is decided wrongly, by type (dots), evaluation (rows) and test (panels). Dashed: $2p$ for each type. Exact numerators divided last reach it, with the test $s = 0$; no way passes it.", "name": "fig-palindrome-floats"}, "image": {"alt": "Three panels of eight rows with four dots each; no dot lies to the right of its type's dashed line.", "classes": "dark-light"}}
ways = list(product(("powers of 2", "exponentials"), DIVISIONS, ORDERS))
limits = {(d, *way): longest_perfect(Evaluation(d, *way)) for d in FLOATS for way in ways}
reach = {key: {test: found[test]["length"] for test in TESTS} for key, found in limits.items()}
best = {d: max(max(r.values()) for key, r in reach.items() if key[0] == d) for d in FLOATS}
print("longest:", best)
print("2p:     ", {dtype: 2 * p for dtype, p in SIGNIFICAND_BITS.items()})
shades = dict(zip(FLOATS, ("#E69F00", "#009E73", "#0072B2", "#CC79A7")))
figure, axes = plt.subplots(1, 3, figsize=(8, 3.8), sharey=True)
for axis, test in zip(axes, TESTS):
    for number, (dtype, p) in enumerate(SIGNIFICAND_BITS.items()):
        lengths = [reach[dtype, *way][test] for way in ways]
        height = [row + 0.18 * number - 0.27 for row in range(len(ways))]
        axis.plot(lengths, height, "o", color=shades[dtype], label=dtype, markersize=4)
        axis.axvline(2 * p, color=shades[dtype], linestyle="--", linewidth=0.8)
    axis.set(xscale="log", xlabel="longest perfect $|w|$", title=test)
    axis.set_xticks([4, 10, 20, 50, 100], [4, 10, 20, 50, 100])
    axis.minorticks_off()
axes[0].set_yticks(range(len(ways)), [", ".join(way).replace("onential", "") for way in ways])
axes[0].invert_yaxis()
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4);

# %% tags=["hide-input"]
claims.erratum(RECOGNISED, "N §3.2.3, $W^{V,2,1}$", "reads dimension 10", "reads dimension 9",
               holds="10" in accepted and "11" not in accepted, cell="nowak-misprints",
               checked="As printed it accepts 10 and rejects 11; corrected, it is right.")
claims.erratum(RECOGNISED, "N §3.2.3, $a^{2,0}$", "[0,0,1,0,0,0,0,0,0,0,s]",
               "[0,0,1,0,0,n-1,1,0,0,0,s]", cell="nowak-misprints", checked="A trace, n = 4.",
               holds=final[:10] == ["0", "0", "1", "0", "0", "3", "1", "0", "0", "0"])
usual = {dtype: reach[dtype, "exponentials", "first", "left to right"] for dtype in FLOATS}
same_order = {dtype: reach[dtype, "exponentials", "first", "outside in"] for dtype in FLOATS}
for dtype in FLOATS:
    seen = usual[dtype]
    claims.add(FIGURE_2, f"longest perfect |w|, {dtype}, base 2, exp, division first",
               paper=None, here=", ".join(f"{seen[test]} ({test})" for test in TESTS),
               agrees=True, cell="nowak-floats")
glue("usual", usual["float64"]["s = 0"])
glue("same_order", same_order["float64"]["s = 0"])

# %% [markdown]
"""
A fixed $10^{-7}$ stops float32 and float64 alike at 22 symbols, where it meets the least $|s|$. With $s = 0$ it is the order: from left to right one half runs from its least term to its largest and the other the other way, so equal halves give unequal sums, and with
exponentials divided first float64 is perfect to length {glue:text}`usual` only. Summing both halves in the same order makes every palindrome's $s$ exactly 0, and the limit {glue:text}`same_order`. Try one:
"""

# %%
# try: "bfloat16", "float16", "float64"; "exponentials"; division="first"; order="outside in"
found = longest_perfect(Evaluation("float32", "exponentials", division="last"))
for test in TESTS:
    print(f"{test:15} perfect to {found[test]['length']:3}, not on {found[test]['wrong']}")

# %% [markdown]
"""
(palindrome-2p)=
### Theorem: 2p

**Theorem.** In a float type with $p \ge 4$ bits (and enough range), evaluate the heads with exact numerators $2^i$, in any order, divide last, and accept if $s = 0$. Every string of length at most $2p$ is decided rightly; some string of length $2p + 1$ is not.

*Proof.* For $|w| \le 2p$ a half has $h \le p$ symbols, so its numerator $A$ is a multiple of 2 below $2^{h+1}$: it and every partial sum fit into $p$ bits, and are exact. The norm is $Z = 2^n - 1$ for $n \le p$; for larger $n$ the running sum, upwards or
downwards, meets a tie in its $(p+1)$-th step, rounds it to even, a power of 2, and ends at exactly $2^n$. So both heads divide exact numbers by one $Z$. If $A = B$, the outputs are equal and $s = 0$. If $A \ne B$ and $Z$ is a power of 2, the quotients are exact and differ. If $n \le p$,
say $A < B$, then $B < 2^{h+1} \le 2^{(p+1)/2} \le 2^{p-1}$, so $B/Z - A/Z \ge 1/Z > 2^{1-p} B/Z$: more than the spacing of floats there, and the two do not round to one number. For $|w| = 2p + 1$ both heads count the middle symbol, $h = p + 1$; if it is 1, then $2^{p+1}$ and
$2^{p+1} + 2$ round to one number (a tie, to even), and $1\,0^{p-1}\,1\,0^p$ is taken for a palindrome. $\square$

**No evaluation does better.** Take $h = p + 1$, $|w| = 2p + 2$, and the $2^p$ halves whose innermost symbol is 1: their true outputs lie in some $[x, 2x)$. If an evaluation is at most a fifth off, the computed ones lie in $[0.8x, 2.4x) = [a, 3a)$; and that holds fewer than $2^p$ floats, since $[a, 4a)$ holds exactly $2^p$. So two halves $u \ne v$
get one output $y_1$; whatever is done with $y_1$ and $y_2$, the palindrome that begins with $u$ and the non-palindrome that begins with $v$ and ends alike are decided alike.
"""

# %%
boundary = {}
for dtype, p in SIGNIFICAND_BITS.items():
    evaluation, broken = Evaluation(dtype), "1" + "0" * (p - 1) + "1" + "0" * p
    boundary[dtype] = longest_perfect(evaluation, tests=("s = 0",))["s = 0"]["length"]
    u = torch.tensor([[1] + [0] * (p - 1) + [1], [0] * p + [1]], dtype=torch.int8)
    left, right = evaluation.heads(u, n=2 * p + 3)
    assert left[0] == right[1] and broken not in PALINDROME
    print(f"{dtype}: perfect to {boundary[dtype]}, 2p = {2 * p}")
print("most floats in [a, 3a):", {f"p = {p}": f"{most_floats(p)} < {2**p}" for p in (8, 11)})
claims.add("ours: 2p theorem", "longest perfect |w| (predicted: 16, 22, 48, 106)", paper=None,
           here=", ".join(f"{n} {dtype}" for dtype, n in boundary.items()), cell="palindrome-2p",
           agrees=all(boundary[dtype] == 2 * p for dtype, p in SIGNIFICAND_BITS.items()))

# %% [markdown]
"""
For bfloat16 and float16 all half-strings are tried, at every length up to $2p + 1$.

### The next step for an engineer

The theorem is also a bill: length 10,000 costs 5,000 bits of significand. Double-double arithmetic has 106 and would last to 212; the [long strings above](#nowak-long) used a library that has as many as one asks for. Here a half of 5,000 ones, summed with three precisions; the radius of the ball is what was lost:
"""

# %%
for p in (106, 4999, 5000):
    with ctx.workprec(p):
        y = sum((arb(2) ** i for i in range(1, 5001)), arb(0))
    print(f"{p:4} bits: {'exact' if y.rad() == 0 else 'not exact'}")

# %% [markdown]
"""
## Measured against the paper
"""

# %% tags=["hide-input"]
claims.table()

# %% [markdown]
"""
Every construction holds, one misprinted matrix aside; the reason given for the limit does not. Of the learned results two differ: Fig. 5's "strictly necessary" factors, and Figs. 7 and 8 at length 10.

## Exercises

**1 (compute).** What is $s$ on $100$ in the published network, as a fraction, and what is the logit of the one-layer network there?
"""

# %% tags=["hide-cell"]
# n = 5, Z = 31. Halves: positions 1, 2 against 3, 2: s = 2^1 / 31.
assert Exact(palindrome).logit("100") == fmpq(2, 31)
# One pair, D = 2^3 - 2^1 = 6: s = -6/31, t = 2^2 / 62 = 2/31, and t - |s| = -4/31.
assert Exact(sigmoid_palindrome).logit("100") == fmpq(-4, 31)

# %% [markdown]
"""
**2 (modify).** At odd lengths both heads count the middle symbol, for nothing. Leave it out in both, and find the new boundary in bfloat16.
"""

# %% tags=["hide-cell"]
def distinct(dtype, pairs, length):
    left, right = Evaluation(dtype).heads(some_halves(pairs), n=length + 2)
    return torch.equal(left, right) and len(left.unique()) == len(left)


assert distinct("bfloat16", 8, 16) and distinct("bfloat16", 8, 17)
assert not distinct("bfloat16", 9, 18)
print("2p + 1 = 17 is now exact; at 18 a half has nine symbols")

# %% [markdown]
"""
**3 (prove or refute).** "With base $\tfrac32$ instead of 2 two different halves can cancel, so the published network, its test being $s = 0$, errs even in exact arithmetic."

:::{dropdown} Solution
Refuted. $s = 0$ would mean $\sum_i d_i b^i = 0$ with digits $d_i \in \{-1, 0, 1\}$, not all 0: divided by a power of $b$, a polynomial with integer coefficients whose first and last are $\pm 1$. Its only possible rational roots are $\pm 1$. Nor can the authors' $e^{1/\sqrt 6}$ be a root, as it is transcendental (Lindemann
{cite}`baker1975`): their base alone would have done no harm. But the golden ratio, $b^2 = b + 1$, fails.
:::
"""

# %% tags=["hide-cell"]
slower = Exact(constructions.palindrome(base=1.5))
strings = [w for length in range(9) for w in PALINDROME.all_strings(length)]
assert PALINDROME.errors(strings, [slower.decide(w).accepts for w in strings]) == []
golden = Encoder(constructions.palindrome(base=(1 + sqrt(5)) / 2))
print(f"golden ratio: s = {golden('001011').item():.1e} on 001011, no palindrome")

# %% [markdown]
"""
## What next

The [scorecard](scorecard.ipynb) says how the four papers fared. What stays open is which of these machines a learner finds, and why.
"""
