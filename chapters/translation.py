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

*A translator that was trained without one of its connections calls a man in an orange hat "orange orange orange". Which connection was it? And if attention loses its way in long sentences, does it help to multiply its logits by $\log n$, as in chapter 4?*

**In one sentence:** on recorded talks, our small translators learn less well if we take out the residual connection around attention to the source than if we take out the one around attention to their own words; and they translate too badly to show whether $\log n$ helps.

Here is a German caption, and what three systems make of it. The first is complete. The other two were each trained without one kind of {term}`residual connection`.
"""

# %% tags=["hide-input"]
from textwrap import shorten

import numpy as np

from chapters.translation.figures import layer_figure
from chapters.translation.lesson import (CORPUS, LEFT_OUT, PRINTED, behind_figure,
                                         comparisons_table, from_short_to_long, last_losses,
                                         residuals_figure, within, without)
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
    (f"the {name}", shorten(said[f"no {connection} residual"], 60, placeholder=" ..."))
    for connection, name in LEFT_OUT.items()])

# %% tags=["hide-input"]
for name, run in (("vi", "iwslt15_residuals"), ("fr", "ted_residuals")):
    found = stored(f"translation_{run}")
    for key, connection in zip(("source", "own"), LEFT_OUT):
        at_stop = behind(found, f"no {connection} residual")[1]
        glue(f"mt_{name}_behind_{key}", f"{np.mean(at_stop):.3f}")
    source, own = (f"no {connection} residual" for connection in LEFT_OUT)
    apart = behind(found, source, own)[1]
    assert min(apart) > 0 and interval(apart)[0] > 0  # with every seed
    glue(f"mt_{name}_apart", f"{np.mean(apart):.3f}")
for name, run in (("vi", "iwslt15_residuals"), ("fr", "ted_residuals"), ("de", "multi30k"),
                  ("deep", "deeper")):
    for key, connection in zip(("source", "own"), LEFT_OUT):
        found = without(run, connection)
        part = 100 * found.gain.mean() / found.baseline.mean()
        glue(f"mt_{name}_{key}", f"{found.gain.mean():+.2f} ({part:+.0f} %)")
    glue(f"mt_{name}_base", f"{found.baseline.mean():.1f}")
glue("mt_deep", f"{without('deeper', 'decoder-encoder').variant.mean():.1f}")
for key, connection in zip(("source", "own"), LEFT_OUT):
    glue(f"mt_paper_{key}", f"{100 * PRINTED[f'no {connection} residual']:.0f} %")

# %% [markdown]
r"""
The **source connection** leads around *source attention*, with which a system reads the German sentence, the source. The **self connection** leads around *self-attention*, with which it reads the English words that it has written so far.

The system without the source connection is stuck, and not only on this sentence. {term}`BLEU` scores translations from 0 to 100, by how many of their words and short phrases also occur in a person's translation. Systems of this kind, with three layers and after three epochs, get {glue:text}`mt_deep` on average. Try a complete system, of a single layer:
"""

# %%
translate = kept_system(stored("translation_multi30k_norms").results[0])
# try: a German sentence of your own
translate(["Zwei Hunde spielen im Schnee.", "Ein kleines Mädchen liest ein Buch."])

# %% [markdown]
r"""
Part 1 takes connections out, and part 2 multiplies logits by $\log n$. Each can be read alone, and both use these terms. One pass through the training sentences is an *epoch*. A *seed* is one draw of the random parameters. A **95 % interval** around a mean over seeds would contain the true mean nineteen times in twenty, if results scatter like a bell curve. Training *to the stop* means until the loss on held-out sentences has not fallen for two epochs. Because the stop may come early or late by chance, we compare two systems *at the first stop*: each by its lowest loss up to the epoch when the first of them stops.

## Part 1: which connection can be spared?

A translator has two halves. The **encoder** reads the source. The {term}`decoder` writes the translation, one token after another. Each layer of the decoder takes three steps: self-attention, source attention, which is also called *cross-attention*, and a feed-forward network, which works on each vector by itself.

The result of each step is *added* to the vector that went in. This addition is the residual connection. Without it, the result *replaces* the vector. Layer normalization rescales the vectors, either before each step (*pre-norm*) or after the addition (*post-norm*).
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*Each step adds its result to what was there before.* One layer of the decoder, from top to bottom. At each plus, a residual connection brings back the vector that went into a step, and the result of the step is added to it. Layer normalization is either at the filled squares (pre-norm) or at the empty ones (post-norm).", "name": "fig-translation-layer"}, "image": {"alt": "Three boxes, one below the other: self-attention, source attention, with an arrow from the encoded source, and a feed-forward network. Around each leads a line to a plus below it. A filled square stands above each box, below where the line leaves, and an empty one below each plus.", "classes": "dark-light"}}
layer_figure();

# %% [markdown]
r"""
**What is proved.** *If the source is a single token, a decoder without the source connection cannot even count.* A single token gets the attention weight 1, whatever its {term}`logit`, so source attention returns the same vector every time the decoder is about to write a token. Without the connection this vector is all that is left, and the decoder cannot know how far it has come. The argument is due to Bhattamishra, Patel and Goyal {cite}`bhattamishra2020`. They also train such a decoder to say the five numbers that follow a given one. Theirs [says one number again and again](#tm-counting), and so does ours.

*If the source has two tokens or more, every program has a decoder that runs it without the source connection.* The attention weights may depend on what the decoder has written, so the mean of several tokens can change as it writes. The paper holds that some programs need the connection, but for each of them we [build a decoder](few_vectors) without it. Its numbers are exact, and chosen, not learned; its attention is {term}`hardmax`, and its position encoding holds the program.

**What was run.** Training need not find what can be built. So, like Bhattamishra and others, we trained systems that are complete, systems without the source connection, and systems without the self connection. They translate recorded talks from English into Vietnamese or French, or captions from German into English, with sentences of all lengths. The vectors have 64 numbers (128 for captions), and the systems are pre-norm. On talks they were trained to the stop, on captions for three epochs.

**Predict**: into French the complete systems reach {glue:text}`mt_fr_base` BLEU. What share of it is lost without the source connection?

<p class="guess" data-right="2">a&nbsp;twentieth|a&nbsp;sixth|two&nbsp;fifths</p>
"""

# %% tags=["hide-input", "hide-output"]
found = without("ted_residuals", "decoder-encoder")
print(f"{-found.gain.mean():.1f} BLEU, {-100 * found.gain.mean() / found.baseline.mean():.0f} %")

# %% [markdown]
r"""
The last two columns give the change in BLEU, and in brackets its share of the complete system's BLEU.

| run | complete, BLEU | no source connection | no self connection |
|---|---|---|---|
| talks to Vietnamese, 5 seeds | {glue:text}`mt_vi_base` | {glue:text}`mt_vi_source` | {glue:text}`mt_vi_own` |
| talks to French, 5 seeds | {glue:text}`mt_fr_base` | {glue:text}`mt_fr_source` | {glue:text}`mt_fr_own` |
| captions, 3 seeds | {glue:text}`mt_de_base` | {glue:text}`mt_de_source` | {glue:text}`mt_de_own` |
| captions, three layers (the orange hat), 2 seeds | {glue:text}`mt_deep_base` | {glue:text}`mt_deep_source` | {glue:text}`mt_deep_own` |
| *Bhattamishra and others*, talks to Vietnamese | 28.8 | -7.0 ({glue:text}`mt_paper_source`) | -1.6 ({glue:text}`mt_paper_own`) |

The figure shows each seed of the systems with one layer:
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*In all three groups the mean change in BLEU is worse without the source connection, but only into French do the two bars stay apart.* The change in BLEU when a connection is taken out, in percent. Dots are seeds, ticks are their means, and bars are the 95 % intervals of the means. Dashed: the changes of Bhattamishra and others, who translate into Vietnamese.", "name": "fig-translation-residuals"}, "image": {"alt": "Three groups of two bars: in each the mean of the upper bar lies below zero and left of that of the lower one, which lies across zero. The upper bar of the first group reaches zero, the others stay below it. Dashed marks of the paper's losses cross both bars of the first group.", "classes": "dark-light"}}
residuals_figure();

# %% [markdown]
r"""
**What it shows.** In every row, removing the source connection costs more BLEU, on average. But BLEU also depends on which of two systems happened to train longer, so we compare the loss on held-out sentences at the first stop. Removing the source connection raises this loss by {glue:text}`mt_vi_behind_source` (Vietnamese) and {glue:text}`mt_fr_behind_source` (French). Removing the self connection raises it by only {glue:text}`mt_vi_behind_own` and {glue:text}`mt_fr_behind_own`, with intervals that contain 0.

:::{admonition} The source connection is missed more
:class: result
*Assumes:* these small systems, trained on talks. Every system without the source connection has a lower BLEU than the complete one with the same seed. At the first stop, its loss on held-out sentences is higher than that of the system without the self connection, again with the same seed: on average by {glue:text}`mt_vi_apart` for Vietnamese and {glue:text}`mt_fr_apart` for French. *Measured.* [Record](#tm-translation)
:::

**What it cannot show.** BLEU alone does not settle the order: for Vietnamese the two bars of the figure overlap, and each of them contains both the paper's change and no change at all. The systems with three layers saw each sentence only three times, and longer training may change the picture. And we do not know why removing the self connection costs next to nothing here.

## Part 2: what does $\log n$ do to a translator?

With $\log n$ our translators learn more slowly at first. On our captions, as far as we can see, it is the *size* of the factor that slows them, not its growth with the length. On talks, systems with pre-norm nearly catch up on average, but those with post-norm do not. Whether the factor helps with long sentences, our systems are too weak to show.

### Why multiply at all?

A head that looks for one word can lose it in a long sentence. Suppose that among 16 tokens this word has the attention logit 1, and all others have 0. After softmax the weight of the word is $e / (e + 15)$, which is 0.15. Among 32 tokens it is only 0.08. Chapter 4 multiplies the logits by $\log n$, where $n$ is the number of tokens. Then the weight is $n / (n + n - 1)$, which stays above one half at every length.

Chiang and Cholak {cite}`chiang2022` tried this on a translator from English into Vietnamese. They trained it on the shorter half of the sentences and tested it on the longer half. With $\log n$ it gained one point of BLEU, from 11.4 to 12.4, which is {glue:text}`mt_like`.

### Is it the size or the growth that slows?

The factor makes the logits *grow* with the length of the sentence, and it makes them *large* from the start.

**What was run.** Two other factors each do only one of these things: $\log n / \log 16$ grows with the length but is 1 at 16 tokens, and $\log 16$ is large but does not grow. We trained systems with vectors of 128 numbers on short captions, of about 16 tokens, for ten epochs:
"""

# %% tags=["hide-input"]
found = from_short_to_long("iwslt15")
low, high = interval(100 * found.shares)
glue("mt_long_vi", f"{found.baseline.mean():.1f}")
glue("mt_like", f"{100 * PRINTED['log n']:.0f} %")
glue("mt_low_vi", f"{low:.0f} %"), glue("mt_high_vi", f"{high:+.0f} %")
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

# %% tags=["hide-input"]
names = {"baseline": "1", "log n over log 16": "$\\log n / \\log 16$, which only grows",
         "log 16": "$\\log 16$, which is only large", "log n": "$\\log n$"}
losses = last_losses()
markdown_table(("factor", "training loss after ten epochs"),
               [(said, f"{losses[factor]:.2f}") for factor, said in names.items()])

# %% [markdown]
r"""
The loss is high with both large factors, and low with both others.

:::{admonition} It is size that slows
:class: result
*Assumes:* these captions, whose lengths hardly differ, ten epochs and three seeds. Then the training loss with $\log n$ is higher by {glue:text}`mt_cost` than without a factor. As far as we can see, it is as high with $\log 16$ as with $\log n$, and as low with $\log n / \log 16$ as without a factor: both differences have 95 % intervals within {glue:text}`mt_within` of 0. *Measured.* [Record](#log-translation)
:::

### Does the delay last?

We go back to talks into Vietnamese, with sentences of all lengths and pre-norm. After a dozen epochs, the loss on held-out sentences is higher with $\log n$ by {glue:text}`mt_early`, averaged over {glue:text}`mt_starts` seeds. Training then goes on to the stop.

**Predict**: how far behind is $\log n$ at the first stop, compared with its lag after a dozen epochs?

<p class="guess" data-right="3">farther|as far|a&nbsp;third&nbsp;as&nbsp;far</p>
"""

# %% tags=["hide-input", "hide-output"]
low, high = interval(kept)
print(f"{np.mean(kept):.3f}, 95 % interval {low:.3f} to {high:.3f}")

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*With pre-norm $\\log n$ starts behind and on average nearly catches up; with post-norm it stays behind.* By how much $\\log n$ raises the loss on held-out sentences, until the first of the two systems compared stops training: five seeds of each run. The vertical line marks a dozen epochs.", "name": "fig-translation-behind"}, "image": {"alt": "Two panels of lines over epochs. In the one titled pre-norm, ten lines fall, all but one of them to near zero. In the one titled post-norm, five lines rise and stay between 0.15 and 0.3.", "classes": "dark-light"}}
behind_figure();

# %% [markdown]
r"""
**What it shows.** With pre-norm, a comparison after a dozen epochs mainly shows which system learns faster. With *post-norm* $\log n$ stays behind: by {glue:text}`mt_after_early` after a dozen epochs, and by {glue:text}`mt_after_kept` at the first stop. It costs {glue:text}`mt_after` of {glue:text}`mt_after_base` BLEU (the 95 % interval begins at {glue:text}`mt_after_low`), although the systems with $\log n$ trained for longer. With post-norm, a factor that only grows has no cost that we can see in [the record](#log-translation).

**What it cannot show.** The delay on talks was measured on sentences of all lengths. We do not know why the place of the normalization matters, and we did not test why large logits slow training.

### Does $\log n$ help with long sentences?

**What was run.** We repeated the test of Chiang and Cholak with tiny systems of one layer. On talks they were trained on sentences of at most twenty words, and tested on longer ones. The training sentences for Vietnamese come from {glue:text}`mt_pairs` of the paper's {glue:text}`mt_corpus` sentence pairs. On talks there are five seeds, trained to the stop; on captions three. One point more means little to a system at 30 BLEU and much to one at 3, so the table gives the gain as a percentage of the BLEU without $\log n$:
"""

# %% tags=["hide-input"]
comparisons_table()

# %% [markdown]
r"""
**What it shows.** On talks the table shows neither a gain nor a loss. On the long sentences of a test set that we take to be the paper's, our pre-norm systems reach only {glue:text}`mt_long_vi` BLEU. The interval for their gain, {glue:text}`mt_low_vi` to {glue:text}`mt_high_vi`, contains the paper's gain and also no gain at all ([record](#log-translation)). The same is true with post-norm, and for French. On captions the systems reach more, and there $\log n$ lowers the mean in all four comparisons. Two of the four intervals lie entirely below 0.

**What it cannot show.** We cannot tell whether we contradict the paper, because our systems on talks are too weak. Those on captions were trained only briefly, which can matter for $\log n$.

(translation-open)=
## What to take away

- If a small decoder must lose one of these two connections, our runs favour losing the self connection. On average, our systems with one layer lost next to nothing without it. Those with three layers, early in training, lost far less without it than without the source connection.
- First ask whether your system is good enough to show the gain that you are looking for. Ours is not. We used only {glue:text}`mt_share` of the sentence pairs, so the papers' tables stay marked *part of the paper's data* in the [scorecard](scorecard). The code for a test on all pairs is written (`python -m record.reproduce translation_iwslt15_large`, and `translation_iwslt14` for talks from German), but it needs these pairs and a graphics processor.
- Train until the loss no longer falls, and compare losses at the same epoch.
- Dividing $\log n$ by the logarithm of a typical length can avoid the slow start: on our captions, as far as we can see, such systems learned as fast as those without a factor. The price is that a weight no longer stays above one half at every length, unless training enlarges the logits.
- Unknown: whether $\log n$ helps on long sentences in systems of the papers' size and beyond.

The [record of this page](record_translation) has the settings, criteria and intervals of both parts.
"""
