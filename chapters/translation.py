# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Translation

*Does $\log n$, the factor of chapter 4, help a system that translates long sentences, and which of two connections inside it is missed more?*

**In one sentence:** in the mean our small systems lose more without the residual connection around attention to the source than without the one around attention to their own words, and they translate too badly for us to tell whether $\log n$ helps.

Three systems translate a German caption. They differ in one thing: which *residual connection*, if any, was left out before training. One of them has something stuck in its mind.
"""

# %% tags=["hide-input"]
from textwrap import shorten

import numpy as np

from chapters.translation.figures import layer_figure
from chapters.translation.lesson import (CORPUS, LEFT_OUT, PRINTED, behind_figure, captions_bleu,
                                         comparisons_table, from_short_to_long, last_losses,
                                         long_figure, residuals_figure, within, without)
from chapters.translation.wording import behind
from record.notebook import glue, markdown_table, use_style
from chapters.translation.bleu import compared, interval
from chapters.translation.runs import kept_system
from record.runs import stored

use_style()

# %% tags=["hide-input"]
said = stored("translation_deeper").results[0]["result"]["samples"][0]
known = [("(a person's translation)", said["reference"]), ("nothing", said["baseline"])]
markdown_table(("left out", said["source"]), known + [
    (around, shorten(said[f"no {connection} residual"], 60, placeholder=" ..."))
    for connection, around in LEFT_OUT.items()])

# %% tags=["hide-input"]
for name, run in (("vi", "iwslt15_residuals"), ("fr", "ted_residuals")):
    found = stored(f"translation_{run}")
    for key, connection in zip(("source", "own"), LEFT_OUT):
        at_stop = behind(found, f"no {connection} residual")[1]
        glue(f"mt_{name}_behind_{key}", f"{np.mean(at_stop):.3f}")
    source, own = (f"no {connection} residual" for connection in LEFT_OUT)
    apart = behind(found, source, own)[1]
    assert min(apart) > 0 and interval(apart)[0] > 0  # from every start
    glue(f"mt_{name}_apart", f"{np.mean(apart):.3f}")
for name, run in (("vi", "iwslt15_residuals"), ("fr", "ted_residuals"), ("de", "multi30k")):
    for key, connection in zip(("source", "own"), LEFT_OUT):
        found = without(run, connection)
        part = 100 * found.gain.mean() / found.baseline.mean()
        glue(f"mt_{name}_{key}", f"{found.gain.mean():+.2f} ({part:+.0f} %)")
    glue(f"mt_{name}_base", f"{found.baseline.mean():.1f}")
for name, connection in (("mt_deep", "decoder-encoder"), ("mt_deep_own", "decoder-decoder")):
    glue(name, f"{without('deeper', connection).variant.mean():.1f}")
for key, connection in zip(("source", "own"), LEFT_OUT):
    glue(f"mt_paper_{key}", f"{100 * PRINTED[f'no {connection} residual']:.0f} %")
glue("mt_deep_base", f"{without('deeper', 'decoder-encoder').baseline.mean():.1f}");

# %% [markdown]
r"""
These systems have three layers, and were trained for only three epochs, that is, for three passes over all training sentences. {term}`BLEU` scores translations from 0 to 100, by counting which of their words and short phrases also occur in a person's translation. The system with all connections reaches {glue:text}`mt_deep_base`, the one without the connection around attention to its own words {glue:text}`mt_deep_own`, and the one without the connection around attention to the source {glue:text}`mt_deep` (means of two random starts). Longer training may change this. A smaller system is stored with the book, and runs here:
"""

# %%
translate = kept_system(stored("translation_multi30k_norms").results[0])
# try: a German sentence of your own
translate(["Zwei Hunde spielen im Schnee.", "Ein kleines Mädchen liest ein Buch."])

# %% [markdown]
r"""
## Which connection can be spared?

A system that translates has two halves. The **encoder** reads the source sentence. The {term}`decoder` writes the translation, one token after another, and each of its layers takes three steps: it attends to its own words, it attends to the source (cross-attention), and a feed-forward network works on each vector by itself. The result of each step is *added* to the vector that went in, which is called a {term}`residual connection`. If the connection is left out, the result *replaces* the vector. Layer normalization rescales vectors either before each step (pre-norm) or after it (post-norm).
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Each step adds its result to what was there before.* One layer of the decoder, from top to bottom. At each plus a residual connection brings back the vector that went into a step, and the result of the step is added to it. Layer normalization is either at the filled squares (pre-norm) or at the empty ones (post-norm).", "name": "fig-translation-layer"}, "image": {"alt": "Three boxes, one below the other: attention to its own words, attention to the source, with an arrow from the encoded source, and a feed-forward network. Around each leads a line to a plus below it. A filled square stands above each box, below where the line leaves, and an empty one below each plus.", "classes": "dark-light"}}
layer_figure();

# %% [markdown]
r"""
Can a decoder do without the connection around attention to the source?

*Proved: with a single token in the source, it cannot even count.* A single token has the attention weight 1, whatever its {term}`logit`, so attention gives the same vector at every step. Without the connection this vector is all that is left, and the decoder cannot know how far it has come. This is an argument of Bhattamishra, Patel and Goyal {cite}`bhattamishra2020`. They train such a decoder to say the five numbers after a given one, and [it says one number again and again](#tm-counting), as does ours.

*Proved: with two tokens or more, every program has a decoder that runs it without the connection.* The mean of several tokens can differ from step to step, because the attention weights depend on what the decoder has written. The paper holds that some programs need the connection, but for every program [chapter 6 builds a decoder without it](#tm-wired). All its numbers are chosen for the purpose, and its position encoding holds the program.

*Measured: what is lost in learning to translate.* Training need not find what can be built. Like Bhattamishra and others, we first left out this connection, and then, in its place, the one around attention to the decoder's own words. The systems have one layer and vectors of 64 numbers (128 for captions), use pre-norm, and translate sentences of all lengths: recorded talks into Vietnamese or French, and captions from German.

**Predict**: from English into French our systems reach {glue:text}`mt_fr_base` BLEU. How much of it is lost without the connection around attention to the source?

<p class="guess" data-right="2">a&nbsp;twentieth|a&nbsp;sixth|two&nbsp;fifths</p>
"""

# %% tags=["hide-input", "hide-output"]
found = without("ted_residuals", "decoder-encoder")
print(f"{-found.gain.mean():.1f} BLEU, {-100 * found.gain.mean() / found.baseline.mean():.0f} %")

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*In each row the mean loss is larger without the connection around attention to the source, but only into French do the two bars stay apart.* The change in BLEU when a connection is taken out, in percent. On talks, training went on until the loss on held-out sentences had not fallen for two epochs; on captions, it went on for three epochs in all. Dots are random starts, five on talks and three on captions, ticks are their means, and bars are the 95 % intervals of the means. Dashed: the losses of Bhattamishra and others, who translate into Vietnamese.", "name": "fig-translation-residuals"}, "image": {"alt": "Three groups of two bars: in each the mean of the upper bar lies below zero and left of that of the lower one, which lies across zero. The upper bar of the first group reaches zero, the others stay below it. Dashed marks of the paper's losses cross both bars of the first group.", "classes": "dark-light"}}
residuals_figure();

# %% [markdown]
r"""
The means are in this table, with the change as a share of BLEU in brackets:

| left out | to Vietnamese | to Vietnamese, Bhattamishra and others | to French | captions |
|---|---|---|---|---|
| nothing: BLEU | {glue:text}`mt_vi_base` | 28.8 | {glue:text}`mt_fr_base` | {glue:text}`mt_de_base` |
| around attention to the source | {glue:text}`mt_vi_source` | -7.0 ({glue:text}`mt_paper_source`) | {glue:text}`mt_fr_source` | {glue:text}`mt_de_source` |
| around attention to its own words | {glue:text}`mt_vi_own` | -1.6 ({glue:text}`mt_paper_own`) | {glue:text}`mt_fr_own` | {glue:text}`mt_de_own` |

For Vietnamese both bars contain the paper's loss and also no loss at all, so five starts of such small systems cannot tell us how much is lost. The two bars overlap, too, so BLEU alone does not settle which connection is missed more: BLEU also depends on which of two systems happened to train longer. The loss on held-out sentences, however, can be compared at the same epoch. Removing the connection around attention to the source raises this loss by {glue:text}`mt_vi_behind_source` (Vietnamese) and {glue:text}`mt_fr_behind_source` (French). Removing the other one raises it by only {glue:text}`mt_vi_behind_own` and {glue:text}`mt_fr_behind_own`, with intervals that contain 0.

:::{admonition} The connection around the attention to the source
:class: result
*Assumes:* these small systems, trained on talks. Without this connection every one of them has a lower BLEU. Compare it with the system that lacks the other connection instead, from the same random start and up to the point where the first of the two stops training. From every start the loss on held-out sentences is higher without this connection, in the mean by {glue:text}`mt_vi_apart` for Vietnamese and {glue:text}`mt_fr_apart` for French. *Measured.* [Record](#tm-translation)
:::

We do not know why it costs next to nothing here to leave out the other connection.

## And log n? We cannot tell

Among $n$ tokens, let one have the attention logit 1 and all others 0. After softmax this one has the weight $e / (e + n - 1)$, which is 0.15 among 16 tokens and 0.08 among 32: in a longer sentence it is drowned out. Chapter 4 multiplies logits by $\log n$. Then the weight is $n / (n + n - 1)$, which stays above one half. Chiang and Cholak {cite}`chiang2022` did this in a system that translates from English into Vietnamese. When this system was trained on the shorter half of the sentences and tested on the longer half, it gained one point of BLEU, from 11.4 to 12.4.

We trained tiny systems on sentences of at most twenty words, taken from {glue:text}`mt_pairs` of the paper's {glue:text}`mt_corpus` sentence pairs, and tested them on longer sentences. The *gain* of a factor is the BLEU with it minus the BLEU without it. One point more means little to a system at 30 BLEU and much to one at 3, so we give the gain in percent of the BLEU without the factor. A **95 % interval** around the mean gain of five random starts would contain the true mean nineteen times in twenty, if gains scatter like a bell curve.
"""

# %% tags=["hide-input"]
found = from_short_to_long("iwslt15")
low, high = interval(100 * found.shares)
glue("mt_long_vi", f"{found.baseline.mean():.1f}")
glue("mt_like", f"{100 * PRINTED['log n']:.0f} %")
glue("mt_low_vi", f"{low:.0f} %"), glue("mt_high_vi", f"{high:+.0f} %")
for name, value in zip(("mt_captions_low", "mt_captions_high"), captions_bleu()):
    glue(name, f"{value:.1f}")
early, kept = behind(stored("translation_iwslt15"))
glue("mt_early", f"{np.mean(early):.3f}"), glue("mt_starts", len(early))
glue("mt_kept", f"{np.mean(kept):.3f}"), glue("mt_within", f"{within():.3f}")
after = stored("translation_iwslt15_post_norm")
for name, differences in zip(("mt_after_early", "mt_after_kept"), behind(after)):
    glue(name, f"{np.mean(differences):.3f}")
found = compared(after.results, "all", "log n")
glue("mt_after_low", f"{interval([*-found.gain])[0]:.1f}")
glue("mt_after", f"{-found.gain.mean():.1f}"), glue("mt_after_base", f"{found.baseline.mean():.1f}")
glue("mt_cost", f"{last_losses()['log n'] - last_losses()['baseline']:.2f}")
pairs = stored("translation_iwslt15").results[0]["result"]["pairs"]["train"]
glue("mt_pairs", f"{pairs:,}"), glue("mt_corpus", f"{CORPUS:,}")
glue("mt_share", f"{100 * pairs / CORPUS:.1f} %");

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Every bar contains both 0 and the paper's gain.* The gain on the long sentences, in percent of BLEU. Dots are the five random starts, ticks their means, and bars the 95 % intervals of the means. Dashed: the paper's gain with $\\log n$. All were trained until their loss on sentences held out of training had not fallen for two epochs.", "name": "fig-translation-long"}, "image": {"alt": "Two groups of two bars, all across zero. A dashed mark right of zero, the paper's gain, crosses each bar.", "classes": "dark-light"}}
long_figure();

# %% [markdown]
r"""
Do we contradict the paper? We cannot tell. Our systems reach only {glue:text}`mt_long_vi` BLEU on the long sentences of what we take to be the paper's test set. The paper's gain of one point over 11.4 is a gain of {glue:text}`mt_like` (the dashed mark). Our interval, from {glue:text}`mt_low_vi` to {glue:text}`mt_high_vi`, contains this gain, and it also contains no gain at all ([record](#log-translation)). The same is true of French, and of post-norm, where layer normalization follows each step:
"""

# %% tags=["hide-input"]
comparisons_table("talks")

# %% [markdown]
r"""
On captions, with {glue:text}`mt_captions_low` to {glue:text}`mt_captions_high` BLEU, $\log n$ lowers the mean in all four comparisons, and two of the four intervals lie entirely below 0, but training was short here.

## Large logits slow training

Why is $\log n$ behind after a short training? It does two things to the logits. They *grow* with the sentence, and they are *large* from the start. To tell the two apart, we tried two other factors that each do only one of these: $\log n / \log 16$ is 1 at 16 tokens and only grows, and $\log 16$ is only large. We trained systems with vectors of 128 numbers on short captions, of about 16 tokens, for ten epochs:
"""

# %% tags=["hide-input"]
names = {"baseline": "1", "log n over log 16": "$\\log n / \\log 16$, which only grows",
         "log 16": "$\\log 16$, which is only large", "log n": "$\\log n$"}
losses = last_losses()
markdown_table(("factor", "training loss after ten epochs"),
               [(said, f"{losses[factor]:.2f}") for factor, said in names.items()])

# %% [markdown]
r"""
:::{admonition} It is size that slows
:class: result
*Assumes:* these captions, whose lengths hardly differ, ten epochs and three random starts. Then the training loss with $\log n$ is higher by {glue:text}`mt_cost`. As far as we can see, it is as high with $\log 16$ as with $\log n$, and as low with $\log n / \log 16$ as without a factor: both differences have 95 % intervals within {glue:text}`mt_within` of 0. *Measured.* [Record](#log-translation)
:::

Does the cost last? On talks into Vietnamese, of all lengths and with pre-norm, after a dozen epochs the loss on held-out sentences is higher with $\log n$ by {glue:text}`mt_early`, in the mean of {glue:text}`mt_starts` starts. We then go on training until this loss has not fallen for two epochs. When a system stops is partly a matter of chance. So we compare the two systems when the first of them stops, each by its lowest loss so far.

**Predict**: how far behind is $\log n$ then, compared with after a dozen epochs?

<p class="guess" data-right="3">farther|as far|a&nbsp;third&nbsp;as&nbsp;far</p>
"""

# %% tags=["hide-input", "hide-output"]
low, high = interval(kept)
print(f"{np.mean(kept):.3f}, 95 % interval {low:.3f} to {high:.3f}")

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*With pre-norm $\\log n$ starts behind and nearly catches up; with post-norm it stays behind.* By how much $\\log n$ raises the loss on held-out sentences, until the first of the two systems compared stops training: five random starts of each run. The vertical line marks a dozen epochs.", "name": "fig-translation-behind"}, "image": {"alt": "Two panels of lines over epochs. In the one titled pre-norm, ten lines fall to near zero within twenty epochs. In the one titled post-norm, five lines rise and stay between 0.15 and 0.3.", "classes": "dark-light"}}
behind_figure();

# %% [markdown]
r"""
With pre-norm, a comparison after a dozen epochs therefore measures which system learns faster. With *post-norm* the delay stays: $\log n$ is behind by {glue:text}`mt_after_early` after a dozen epochs and by {glue:text}`mt_after_kept` at the first stop, and it costs {glue:text}`mt_after` of {glue:text}`mt_after_base` BLEU (the 95 % interval begins at {glue:text}`mt_after_low`), although the systems with it trained for longer. (This is for sentences of all lengths. When we trained on short sentences and tested on long ones, $\log n$ cost no BLEU that we can see.) The factor that only grows, too, costs nothing there that we can see. We do not know why the place of the normalization matters, and did not test why large logits slow training.

(translation-open)=
## What to take away

- Ask first whether your system is good enough to show the gain that you look for. Ours is not. We used only {glue:text}`mt_share` of the sentence pairs, so the papers' tables stay marked *part of the paper's data* in the [scorecard](scorecard). The code that would settle them is written (`python -m record.reproduce translation_iwslt15_large`, and `translation_iwslt14` for talks from German), but takes all the pairs and a graphics processor.
- Dividing $\log n$ by the logarithm of a typical length buys a fast start: on our captions, as fast as without a factor. What it gives up is the weight that stays above one half, unless training enlarges the logits.
- Train until the loss no longer falls, and compare losses at the same epoch.
- If a decoder must lose one of these two residual connections, let it be the one around attention to its own words. In the mean, our systems with one layer lost next to nothing without it, and those with three layers, early in training, far less than without the other.
- Unknown: whether $\log n$ helps on long sentences in systems of the papers' size and beyond.

## What next

The [record of chapter 4](#log-translation) has the settings and criteria for $\log n$, and the [record of chapter 6](#tm-translation) those for the connections.
"""
