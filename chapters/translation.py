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

*Does $\log n$ help a translator with long sentences, and which residual connection can it best spare?*

**In one sentence:** our systems for talks are too small to answer the first question, on captions early training is slowed by large logits and not by growing ones, and the residual connection around attention to the source is missed more, in BLEU, than the one around attention to its own words.
"""

# %% tags=["hide-input"]
import numpy as np

from chapters.pages.translation.lesson import (CORPUS, behind, from_short_to_long, helped,
    last_losses, long_figure, residuals_figure, train_pairs, within, without, worse,
    worse_at_any_length)
from lib.notebook import glue, markdown_table, use_style
from record.experiments.translation.bleu import interval
from record.experiments.translation.runs import kept_system
from record.runs import stored

use_style()

# %% [markdown]
r"""
A system that translates has two halves. The **encoder** reads the sentence of the source. The {term}`decoder` writes the translation, one word after another, and attends both to the source and to the words that it has written so far.

This one is stored with the book, and runs here. It knows what captions of photographs say, and little else.
"""

# %%
translate = kept_system(stored("translation_multi30k_norms").results[0])
# try: a German sentence of your own
translate(["Zwei Hunde spielen im Schnee.", "Ein kleines Mädchen liest ein Buch."])

# %% [markdown]
r"""
How good is a translation? {term}`BLEU` counts which of its words and short phrases a person's translation has too, and gives a score from 0 to 100. Translations that are too short lose points.

## What log n does to a sentence

A {term}`logit` is the score from which **attention** takes a word's weight. Chapter 4 multiplies it by $\log n$, with $n$ the number of words attended to, so that one is still found among many. Sentences are short, but here too lengths differ. Chiang and Cholak {cite}`chiang2022` tried it. They trained a system on the shorter half of their sentences and tested it on the longer half. With $\log n$ its BLEU rose by one point, from 11.4 to 12.4. On all lengths almost nothing changed.

What does the factor do? Take a word whose logit leads another's by 1. Without a factor it weighs $e^1 = 2.72$ times as much as the other. With $\log n$ it weighs $e^{\log n} = n$ times as much, so in a sentence of 16 words, about the mean length of the short captions below, it is 16 times.

Two things have happened. The weight *grows* from short sentences to long ones, as was wanted. But it is also *large* in the short ones already, far above $2.72$, and that was not asked for. Two other factors have one of these properties each.

| factor | weight in a sentence of 16 words | of 32 words | |
|---|---|---|---|
| 1 | $2.72$ | $2.72$ | |
| $\log n$ | $16$ | $32$ | large, and grows |
| $\log n / \log 16$ | $2.72$ | $3.49$ | only grows |
| $\log 16$ | $16$ | $16$ | only large |

## From short sentences to long

We train on talks, on sentences of at most twenty words, and test on longer ones. Besides $\log n$ there is a factor that is about 1 in a typical sentence: $\log n$ divided by the logarithm of the mean length. The system at the top of this page has it.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "*With normalization before each part neither factor adds more than chance does on long sentences, and no bar reaches the paper's point, but the systems are too weak for that to decide.* BLEU with a factor, less BLEU without. Dots are random starts, trainings from different initial weights, bars the 95 % interval of their mean.", "name": "fig-translation-long"}, "image": {"alt": "Two groups of two bars around zero; a dashed line at plus one, the value of the paper, lies far to the right of all bars.", "classes": "dark-light"}}
long_figure();

# %% tags=["hide-input"]
vietnamese = from_short_to_long("iwslt15_longer_short")
base, (low, high) = vietnamese.baseline.mean(), interval([*vietnamese.gain])
glue("mt_base", f"{base:.2f}"), glue("mt_like", f"{base / 11.4:.2f}")
glue("mt_low", f"{low:+.2f}"), glue("mt_high", f"{high:+.2f}")
glue("mt_compared", helped()[0]), glue("mt_helped", helped()[1])
for name, differences in zip(("early", "kept"), behind(12)):
    low, high = interval(differences)
    glue(f"mt_{name}", f"{np.mean(differences):+.3f}")
    glue(f"mt_{name}_interval", f"{low:+.3f} to {high:+.3f}")
glue("mt_starts", len(differences)), glue("mt_within", f"{within():.3f}")
glue("mt_pairs", f"{train_pairs():,}"), glue("mt_corpus", f"{CORPUS:,}")
glue("mt_share", f"{100 * train_pairs() / CORPUS:.1f} %")
for name, run in (("vi", "iwslt15_residuals"), ("fr", "ted_residuals")):
    seeds, lost, more = worse(run)
    glue(f"mt_{name}_seeds", seeds), glue(f"mt_{name}_lost", lost), glue(f"mt_{name}_more", more)
    for key, connection in (("source", "decoder-encoder"), ("own", "decoder-decoder")):
        glue(f"mt_{name}_{key}", f"{without(run, connection).gain.mean():+.2f}")
    glue(f"mt_{name}_base", f"{without(run, 'decoder-encoder').baseline.mean():.1f}")
glue("mt_vi_long", worse_at_any_length("iwslt15_residuals"))
for name, connection in (("mt_deep", "decoder-encoder"), ("mt_deep_own", "decoder-decoder")):
    glue(name, f"{without('deeper', connection).variant.mean():.1f}")
glue("mt_deep_base", f"{without('deeper', 'decoder-encoder').baseline.mean():.1f}");

# %% [markdown]
r"""
Do we contradict the paper? Our systems are tiny, and with the little that they have read they reach only {glue:text}`mt_base` BLEU on the long sentences of the paper's test set, where the paper's reaches 11.4. One point more on 11.4 is a gain of about nine percent. The same share of ours would be {glue:text}`mt_like`. Our interval goes from {glue:text}`mt_low` to {glue:text}`mt_high`, so it holds that gain as well as none.

:::{admonition} From short sentences to long
:class: result
A gain on long sentences counts if it is there in the mean and most random starts show a difference with $p < 0.01$. With $\log n$ it counts in {glue:text}`mt_helped` of {glue:text}`mt_compared` comparisons. Into Vietnamese the interval is too wide to exclude a gain as large as the paper's in proportion. *Measured.* [Record](#log-translation)
:::

So for talks the question stays open. A system that translates badly cannot show what a factor would do for a good one. Here $p$ is the chance of such a difference if only the choice of test sentences made it. Of the nine comparisons four are on talks, four on captions, and one on made-up languages. They differ in training, in size and in where vectors are normalized. On captions our systems translate long sentences better than the paper's do its own, and there $\log n$ loses in the mean of all four comparisons, after short training. The factor that is about 1 does count in one comparison: talks into Vietnamese, with normalization after each part. Its interval still holds 0.

## What slows training

One thing our systems do show. The **loss** is how surprised a system is by the right next word. With $\log n$ it falls more slowly in training, and after a short training the translations are worse. Is it because the logits grow, or because they are large? The factors from above can tell. We trained on short captions with each of them, for ten epochs. An **epoch** is one pass over all training sentences.

**Predict**: which factor ends with the same training loss as $\log n$?

<p class="guess" data-right="2">log&nbsp;n&nbsp;/&nbsp;log&nbsp;16,&nbsp;which&nbsp;grows|log&nbsp;16,&nbsp;which&nbsp;is&nbsp;large|neither</p>
"""

# %% tags=["hide-output"]
names = {"baseline": "1", "log n over log 16": "log n / log 16, which only grows",
         "log 16": "log 16, which is only large", "log n": "log n"}
losses = last_losses()
markdown_table(("factor", "last training loss"),
               [(said, f"{losses[factor]:.2f}") for factor, said in names.items()])

# %% [markdown]
r"""
The factor that only grows costs nothing that we can see. The factor that is only large costs as much as $\log n$.

:::{admonition} Size slows, growth does not
:class: result
After ten epochs on captions $\log 16$ has the training loss of $\log n$, and $\log n / \log 16$ has the loss of no factor at all. The 95 % intervals of both differences, over three random starts, lie within {glue:text}`mt_within` of 0. *Measured.* [Record](#log-translation)
:::

The cost can pass with time. Take Vietnamese talks, {glue:text}`mt_starts` random starts, and the loss on sentences that were held out.

| trained | the loss with $\log n$ minus the loss without | 95 % interval |
|---|---|---|
| for a dozen epochs | {glue:text}`mt_early` | {glue:text}`mt_early_interval` |
| until it no longer falls | {glue:text}`mt_kept` | {glue:text}`mt_kept_interval` |

Early, $\log n$ is behind. In the end, mostly after more epochs, it is not, and the interval leaves open whether it is ahead.

## Which connection can be spared?

Bhattamishra, Patel and Goyal {cite}`bhattamishra2020` ask a second question. A layer of the decoder does three things in turn. It attends to its own words, it attends to the source, and it computes. Each adds its result to what was there before, and that sum is a {term}`residual connection`. If you leave one out, the result *replaces* what was there. As the paper's table does, we leave out one of the first two. Which is missed more?

Take the smallest case, a source of one token. The decoder attends to it, and as there is nothing else its share is 1, whatever the decoder asks. So the attention gives the same vector at every step. With the connection, this vector is added to what the decoder knows of its own words. Without it, the vector is all that is left. The decoder cannot know how far it has come.

Chapter 6 trains such a decoder to count: given the number 42 it is to say the next five. It says one number, again and again. With one token in the source it must, [whatever its weights](#tm-counting).

With more tokens in the source, the attention can differ from step to step, and there is a way out. Chapter 6 shows that for a clever choice of positions nothing is lost in principle. What is lost in practice, when such systems learn to translate?

**Predict**: in which case is more BLEU lost?

<p class="guess" data-right="1">without the connection around attention to the source|without the one around attention to its own words|in neither</p>
"""

# %% tags=["hide-input", "hide-output"] mystnb={"figure": {"caption": "*The connection around the attention to the source is missed more, in the mean of each set of sentences.* BLEU without a connection, less BLEU with all. Dots are random starts, bars the 95 % interval of their mean.", "name": "fig-translation-residuals"}, "image": {"alt": "Three groups of two bars: in each the upper bar lies below zero and to the left of the lower one, which lies across zero.", "classes": "dark-light"}}
residuals_figure();

# %% [markdown]
r"""
BLEU on test sentences of all lengths, and what is added to it:

| left out | into Vietnamese | into Vietnamese, the paper | into French |
|---|---|---|---|
| nothing: BLEU | {glue:text}`mt_vi_base` | 28.8 | {glue:text}`mt_fr_base` |
| around attention to the source | {glue:text}`mt_vi_source` | -7.0 | {glue:text}`mt_fr_source` |
| around attention to its own words | {glue:text}`mt_vi_own` | -1.6 | {glue:text}`mt_fr_own` |

The order is the paper's. Its first loss is larger than all the BLEU that our systems have, so they could not lose as much.

:::{admonition} The connection around the attention to the source
:class: result
Without it all {glue:text}`mt_vi_lost` systems into Vietnamese and all {glue:text}`mt_fr_lost` into French lose BLEU, each with $p < 0.01$. {glue:text}`mt_vi_more` and {glue:text}`mt_fr_more` of them lose more than without the other connection. *Measured.* [Record](#tm-translation)
:::

Into Vietnamese the difference between the two is one of length: without BLEU's penalty for short translations only {glue:text}`mt_vi_long` of {glue:text}`mt_vi_seeds` systems lose more without the connection around attention to the source. In one deeper setting the difference is larger. Captions in three layers, with two random starts, reach {glue:text}`mt_deep_base` BLEU in three epochs. Without the connection around attention to the source they are still at {glue:text}`mt_deep`, and without the other at {glue:text}`mt_deep_own`. All these are early comparisons, after at most a dozen epochs: longer training may change them.

(translation-open)=
## What stays open

Both papers report on the same talks, English to Vietnamese, and we have only a part of them. Our systems read {glue:text}`mt_pairs` of {glue:text}`mt_corpus` pairs, which is {glue:text}`mt_share`. So two tables of the papers stay marked *part of the paper's data* in the [scorecard](scorecard), our list of what the papers state: Table 1 of Chiang and Cholak, and Table 2 of Bhattamishra and others.

What would settle them is known. It takes all the pairs, systems of six layers with vectors of 512 numbers in place of one layer with 64, several random starts, and a graphics processor. The second table also asks for talks from German to English, for which our French ones stand in. The code is written: `python -m record.reproduce translation_iwslt15_large` trains the Vietnamese systems where the pairs are at hand, and `translation_iwslt14` the German ones.

## What to take away

- Ask first whether your system is good enough to show the gain that you look for. An interval says more than a mean.
- If you scale logits by $\log n$, divide by the logarithm of a typical length, so that the factor is about 1 in a typical sentence.
- Train until the loss no longer falls, and compare then. Early comparisons measure who is quick.
- If a decoder must lose one of these two residual connections, in our early comparisons, as in the paper, BLEU loses less without the one around attention to its own words.
- Unknown: whether $\log n$ helps on long sentences in systems of the papers' size and beyond.

## What next

Settings, criteria and every interval stand in the [record of chapter 4](#log-translation) for $\log n$, and in the [record of chapter 6](#tm-translation) for the connections. That a decoder can do without that connection at all is told in [chapter 6](06_turing_completeness).
"""
