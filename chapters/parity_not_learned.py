# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Why is PARITY not learned?

*Chapter 2 writes down a transformer that decides PARITY at every length. Training finds networks that are right on strings of eight symbols, sometimes of sixteen, and hardly ever of twenty-four. Why not?*

**In one sentence:** with each further symbol, a network without positions needs a function of the average that swings once more, and small changes to the weights may easily upset a function that swings sharply; this is a plausible cause, not a proven one.
"""

# %% tags=["hide-input"]
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullLocator

from chapters.parity_not_learned.tables import built_sharpness, learned_sharpness, solvers
from chapters.common.learners import Ensemble, Member, Network, quotient
from chapters.common.learners.train import score, train
from record.notebook import COLOURS, REFERENCE, glue, markdown_table, use_style
from record.runs import stored

use_style()

# %% [markdown]
r"""
Chiang and Cholak {cite}`chiang2022` built that transformer, and could not train one with any settings that they tried. They also give a first answer. One weight in their transformer computes the share of 1s. If this weight moves a little away from 1, the {term}`cross-entropy` [swings up and down so rapidly](#ln-figure-3) that, as they say, descent would hardly find the way back.

On this page $n$ counts the symbols of a string. Chapter 2 counts tokens, one more.

## Two symbols, then three

PARITY asks whether a string has an odd number of 1s. It does not ask where they are, so a transformer needs only the number $k$ of 1s. But **attention** averages what the symbols say, so it gives the *share* $k / n$, not $k$. The networks that we train at first know no positions, so on strings of one length everything that they compute depends on the share alone.

With two symbols the share is 0, ½ or 1, and the answers are no, yes, no. A function of the share has to go up once and down once.

With three symbols the shares are thirds, and the answers are no, yes, no, yes. So the function changes direction twice, and the points lie closer together.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Each further symbol needs one more swing in the same space.* Dots: what the answer must be at each share of 1s. Line: a wave that gives these answers, yes above the dashed line.", "name": "fig-parity-waves"}, "image": {"alt": "Three panels for two, three and eight symbols: dots that alternate between no and yes over the share of 1s, and a wave through them that oscillates faster in each panel.", "classes": "dark-light"}}
figure, axes = plt.subplots(1, 3, figsize=(7, 2.2), sharey=True)
share = np.linspace(0, 1, 400)
for axis, n in zip(axes, (2, 3, 8)):
    k = np.arange(n + 1)
    axis.plot(share, -np.cos(np.pi * n * share), color=COLOURS["PARITY"], alpha=0.4)
    axis.plot(k / n, -((-1.0) ** k), "o", color=COLOURS["PARITY"], markersize=4)
    axis.axhline(0, **REFERENCE)
    axis.set(title=f"{n} symbols", xlabel="share of 1s", xticks=[0, 0.5, 1])
axes[0].set_yticks([-1, 1], ["no", "yes"]);

# %% [markdown]
r"""
How steep must that function be? Let the answer be the sign of a number $s$, the network's *score*, and call the least $|s|$ over all strings the **margin**. From one point to the next the share moves by $1/n$, while $s$ must cross 0 and so move by at least twice the margin. So somewhere the slope is at least $2 n$ times the margin.

:::{admonition} Slope against margin
:class: result
Assume that the score is a function of the share of 1s whose slope is at most $K$, and that it decides PARITY on strings of $n$ symbols. Then its margin is at most $K / (2n)$. *Proved for every length.* [Record](#which-slope)
:::

The inequality leaves two ways out. A network can be steep in the share, and then a change of the weights that moves the average a little moves $s$ a lot. Or it can keep its slope, and then its margin shrinks with the length, so that even a small shift of $s$ changes a sign.

There is a third way, which networks without positions cannot take: do not use the share alone. The transformer of chapter 2 puts a mark on the position whose number is $k$, and asks by attention whether that position is odd. It pays for that with a score of size $1/n^2$ only.

## What do networks learn?

We train five networks without positions on eight symbols, live, and test them at other lengths too.

**Predict**: how often are they right on strings that are two symbols longer?

<p class="guess" data-right="1">below&nbsp;a&nbsp;half|near&nbsp;a&nbsp;half|near&nbsp;1</p>
"""

# %% tags=["hide-output"]
# try: another length to train at
counters = Ensemble(Network("none", heads=2), [Member(seed, length=8) for seed in range(5)])
train(counters, "PARITY", [50], test_length=8, strings=8, rate=1e-3)  # 50 times 100 steps
solver = int(np.argmax(score(counters, "PARITY", 8).accuracy))
for length in (6, 7, 8, 9, 10):
    print(f"{length:2} symbols:", *(f"{x:.2f}" for x in score(counters, "PARITY", length).accuracy))

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*What alternates at eight symbols does not alternate at ten.* The score of one of the five networks at each share of 1s: dots where its sign is right, crosses where it is wrong. The grey lines only join them. Dotted: the share ½, where the two lengths ask for opposite signs.", "name": "fig-parity-learned"}, "image": {"alt": "Two panels of scores over the share of 1s, joined by a line: on the left they swing up and down and all are dots, on the right several in the middle are crosses.", "classes": "dark-light"}}
figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.6), sharey=True)
for axis, n in zip(axes, (8, 10)):
    k = np.arange(n + 1)
    strings = quotient(np.array([[*[0] * n, 1]]), np.array([[*range(n), n - 1]]), n)
    logit = counters(strings)[0][solver].numpy()
    right = (logit > 0) == (k % 2 == 1)
    axis.plot(k / n, logit, color="#777777", linewidth=0.8, alpha=0.5)
    axis.plot(k[right] / n, logit[right], "o", color=COLOURS["PARITY"], markersize=4)
    axis.plot(k[~right] / n, logit[~right], "x", color=COLOURS["FIRST"], markersize=6)
    axis.axhline(0, **REFERENCE)
    axis.axvline(0.5, **REFERENCE | {"linestyle": ":"})
    due = f"at ½ ({n // 2} of {n}) {'above' if n // 2 % 2 else 'below'} 0 is right"
    axis.set(title=f"{n} symbols; {due}", xlabel="share of 1s")
axes[0].set_ylabel("score s");

# %% tags=["hide-input"]
for length, name in ((9, "nine"), (10, "ten")):
    right = score(counters, "PARITY", length).accuracy
    glue(f"parity_low_{name}", f"{min(right):.2f}")
    glue(f"parity_high_{name}", f"{max(right):.2f}");

# %% [markdown]
r"""
Descent finds a wave made for one length. At ten symbols its signs are wrong in the middle, where most strings are, and that is worse than a coin toss: the five networks are right on a fraction of {glue:text}`parity_low_ten` to {glue:text}`parity_high_ten` of these strings.

Could one wave serve eight symbols and another of the tested lengths? A function of the share alone could not. Four 1s of eight, five of ten and three of six have the same share, ½, but the first answer is no and the others yes. Nor could it serve a length and the next: a string of 1s alone always has the share 1, and its right answer changes with each further 1.

Our networks are not quite such functions. {term}`CLS`, a token in front of the string, takes part in their averages, so four 1s of eight make $\tfrac49$ of all tokens, and five 1s of ten make $\tfrac5{11}$. A function could tell these two numbers apart. But training at eight symbols asks for answers at the ninths only, and says nothing about what lies between. At nine symbols, where the shares are tenths, the five networks are right on a fraction of {glue:text}`parity_low_nine` to {glue:text}`parity_high_nine` of the strings.

These networks have no positions and cannot hold the rule of chapter 2, which is right at all lengths. Some with positions can, but strings of one length give training no reason to prefer that rule to the wave.

## A minimum with steep walls

Training goes downhill on the **loss**, which says how wrong the network is. On flat ground descent finds a low place from far away, but it may step over a narrow shaft. To measure how narrow a place is, we move the weights a little and watch the scores, because the loss depends on the weights only through them. In a narrow shaft the scores move by as much as their own size, so signs change and the loss jumps.

Take all weights as one long vector, and move it in a random direction by a thousandth of its length. The **sharpness** is the mean square of the resulting moves of the scores, over directions and strings, divided by the mean square of the scores. If it is 0.01, the scores move by about a tenth of their size. Hahn and Rofin {cite}`hahn2024` use a sharpness that is not divided by the scores' own size, and prove that on long inputs transformers for functions like PARITY sit at sharp minima.

**Predict**: we begin with the transformer of chapter 2, whose score shrinks like $1/n^2$. By which factor does its sharpness grow when the length doubles?

<p class="guess" data-right="3">2|4|more&nbsp;than&nbsp;8</p>
"""

# %% tags=["hide-output"]
# try: other lengths
built = built_sharpness((4, 8, 16, 32))
for n in (4, 8, 16):
    print(f"{n:2} to {2 * n} symbols: {built[2 * n] / built[n]:.1f} times as sharp")

# %% [markdown]
r"""
Now the waves. We train three networks at each of the lengths four, six and eight, keep those that are right, and move their weights in the same way.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*What we wrote down gets sharper and sharper, and at four to eight symbols training finds something far less sharp.* Line: the transformer of chapter 2. Crosses: networks that learned strings of that length. Grey: there training begins to fail, and what it finds was not measured.", "name": "fig-parity-sharpness"}, "image": {"alt": "On logarithmic axes a line for the written-down transformer rises from below one ten-thousandth at 4 symbols to almost a tenth at 32. Crosses for learned networks at 4, 6 and 8 symbols lie far below it. From 10 symbols on the plot is shaded.", "classes": "dark-light"}}
learned = learned_sharpness()
figure, axis = plt.subplots(figsize=(6.4, 2.9))
axis.axvspan(10, 2 * max(built), color="#777777", alpha=0.15, linewidth=0)
axis.plot([*built], [*built.values()], "o-", color=COLOURS["PARITY"], label="written down")
places = np.repeat([*learned], [len(sharp) for sharp in learned.values()])
sharp = np.concatenate([*learned.values()])
axis.plot(places, sharp, "x", color=COLOURS["FIRST"], label="learned")
axis.set(xscale="log", yscale="log", xlabel="symbols", ylabel="sharpness")
axis.set_xlim(3.5, 1.25 * max(built))
axis.set_xticks([*built], [f"{n}" for n in built])
axis.xaxis.set_minor_locator(NullLocator())
axis.legend();

# %% tags=["hide-input"]
sharper = min(built[n] / np.median(learned[n]) for n in (4, 8))
glue("parity_sharper", "over a thousand" if sharper > 1000 else f"{sharper:.0f}")
assert max(learned[8]) < 1e-6  # so the scores move by less than a thousandth

# %% [markdown]
r"""
Why does the line rise so fast? Some weights of the written-down transformer add to the score directly. When they move a little, the score moves by an amount that does not shrink with $n$, while the score itself shrinks like $1/n^2$. The ratio of the two grows like $n^2$, and its square, the sharpness, like $n^4$: by $2^4 = 16$ if the length doubles, which our lengths do not yet reach.

Networks that learned short strings are much less sharp: at eight symbols their scores move by less than a thousandth of their size.

:::{admonition} Sharper with the length
:class: result
The written-down transformer is more than eight times as sharp at 32 symbols as at 16. At four and eight symbols it is {glue:text}`parity_sharper` times as sharp as what training finds. (The two kinds differ in size and normalization, and are measured on different strings.) *Measured.* [Record](#which-sharp)
:::

Does descent leave such a shaft? The authors' own form of the written-down transformer has layer normalization. We moved its weights a little, in some runs hardly at all, and began training there. At 100 symbols none of these networks stayed right ([record](#log-recovery)).

## Only patience?

We gave training a million **steps**. In each step the network sees 8 or 64 random strings, and its weights move a little downhill. Each length has ten random starts.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Short strings are learned soon, longer ones late or never, and what is learned can be lost again.* How many of ten networks are right on over 99 % of the strings of their length, against the steps of training.", "name": "fig-parity-steps"}, "image": {"alt": "Two panels, a curve for each length. Up to 8 symbols every curve reaches the top; longer ones leave zero later, if at all; at 16 and 24 they stay low or fall again.", "classes": "dark-light"}}
steps, solved = solvers(stored("parity_million"))
shades = "#56B4E9", "#0072B2", "#009E73", "#E69F00", "#CC79A7", "#D55E00", "#555555"
figure, axes = plt.subplots(1, 2, figsize=(7.2, 3), sharey=True)
for axis, strings in zip(axes, (8, 64)):
    for n, colour in zip(sorted({n for _, n in solved}), shades):
        counts = solved[strings, n].sum(axis=1)
        axis.plot(steps, counts, color=colour, linewidth=1.4, label=f"{n}")
    axis.set(xscale="log", title=f"{strings} strings a step", xlabel="steps")
axes[0].set_ylabel("networks that are right")
lines = axes[0].get_legend_handles_labels()
figure.legend(*lines, title="symbols", fontsize=8, loc="outside right center");

# %% tags=["hide-input"]
at_last = {one: int(runs[-1].sum()) for one, runs in solved.items()}
for strings in (8, 64):
    of_size = [runs for one, runs in solved.items() if one[0] == strings]
    everyone = np.hstack(of_size)
    failed = ~everyone[-1]
    glue(f"parity_all_{strings}", everyone.shape[1])
    glue(f"parity_failed_{strings}", int(failed.sum()))
    glue(f"parity_lost_{strings}", int((failed & everyone.any(axis=0)).sum()))
    for n in (10, 12, 16, 24):
        glue(f"parity_{strings}_{n}", at_last[strings, n])
glue("parity_once_24", sum(int(solved[strings, 24].any(axis=0).sum()) for strings in (8, 64)))
short = [at_last[strings, n] for strings in (8, 64) for n in (4, 6, 8)]
glue("parity_short", f"{min(short)}")

# %% [markdown]
r"""
The table shows how many of ten networks are right at the end. More strings a step help, but not at twenty-four symbols:

| symbols | 4, 6 and 8 each | 10 | 12 | 16 | 24 |
|---|---|---|---|---|---|
| 8 strings a step | {glue:text}`parity_short` | {glue:text}`parity_8_10` | {glue:text}`parity_8_12` | {glue:text}`parity_8_16` | {glue:text}`parity_8_24` |
| 64 strings a step | {glue:text}`parity_short` | {glue:text}`parity_64_10` | {glue:text}`parity_64_12` | {glue:text}`parity_64_16` | {glue:text}`parity_64_24` |

:::{admonition} A million steps
:class: result
Up to eight symbols every network is right after a million steps. At twenty-four symbols none is right at the end. Of the twenty networks there, {glue:text}`parity_once_24` were right for a while, at different times, and then wrong again. *Measured.* [Record](#which-steps)
:::

The curves also fall. Of {glue:text}`parity_all_64` runs with 64 strings a step, {glue:text}`parity_failed_64` are wrong at the end, and {glue:text}`parity_lost_64` of these had been right before.

## Then give them positions!

Why not give the networks positions, and with them the third way? We gave them $i/n$ and $\cos \pi i$, all that the transformer of chapter 2 knows of its positions. The table says how many of ten networks are right on more than 99 in a hundred strings after 10,000 steps. Its second row also has a smaller learning rate, and its last row multiplies the {term}`logits <logit>` by $\log n$, as chapter 4 does.
"""

# %% tags=["remove-input"]
lengths, counts = (4, 8, 12, 16, 24), {}
early = list(steps).index(10_000)
counts["none", "1", 8] = {n: int(solved[8, n][early].sum()) for n in lengths}
for row in stored("parity_learning").results:
    given, last = row["configuration"], row["result"]["final"][0]["accuracy"]
    positions = {"PARITY": "i/n and cos πi"}.get(given["positions"], given["positions"])
    factor = {"plain": "1"}.get(given["scale"], given["scale"])
    kind = positions, factor, given["strings"]
    counts.setdefault(kind, {})[given["length"]] = sum(one > 0.99 for one in last)
markdown_table(("positions", "logits times", "strings a step", *(f"{n} symbols" for n in lengths)),
               [(*kind, *(right[n] for n in lengths)) for kind, right in counts.items()])

# %% [markdown]
r"""
Positions bring no visible gain: no row has a network that is right at sixteen symbols or at twenty-four, and hardly any is right at twelve. So the lack of positions cannot be all that stops training at 10,000 steps. More steps, or more strings a step, may help networks with positions too; we have not tried that ([record](#log-parity)).

## What to take away

- That a network *can* represent a function does not tell you whether training finds it.
- Expect trouble where every symbol flips the answer, as in PARITY.
- Accuracy at the training length does not tell a rule from a wave. Test one and two symbols beyond it.
- Unknown: why runs that were right fall back, and whether sharpness, which we did not measure where training fails, is the cause of the failures. That it grows like $n^4$ for the written-down transformer is only an estimate.

## What next

[Chapter 4](04_log_n_scaling) turns to a question whose answer training does find, and asks why the answer fails on long strings.
"""
