# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Record of Translation

**What the papers state.** Table 1 of Chiang and Cholak {cite}`chiang2022` puts $\log n$ into every attention layer of a translation system and measures {term}`BLEU`. On all lengths little changes (32.6 without it, 32.5 with it). From the shorter half of the sentences to the longer half, $\log n$ adds one point to 11.4 ($p<0.01$). Table 2 of Bhattamishra, Patel and Goyal {cite}`bhattamishra2020` takes out {term}`residual connections <residual connection>`. Removing the *decoder-encoder connection* (the source connection of the lesson) loses 8.8 of 32.9 BLEU from German to English and 7.0 of 28.8 from English to Vietnamese, which is 27 % and 24 %. Removing the *decoder-decoder connection* (the self connection) loses 2.3 and 1.6, which is 7 % and 6 %.

**What holds.** Neither table is settled, because our systems are much smaller and see only a part of the data. From short to long sentences they cannot tell whether [$\log n$](#log-translation) helps. By the loss on validation pairs, of which no criterion spoke, the decoder-encoder connection is [missed more](#tm-translation) than the other one.

This page has the data, criteria and counts for [the lesson](translation). The lesson also compares captions, and [says](#translation-open) what would settle the two tables.

(translation-table)=
## Outcome

A line of the table is one change to a system, on one set of data: a factor on the attention logits, or a connection taken out. The number after *adds to* is the BLEU of the *baseline*, the same system without the change. *All* means that sentences of all lengths are trained on and tested; *short to long*, that short ones are trained on and longer ones tested. A **seed** is one draw of the random parameters. In the column *Here*, the first number is what the change adds to BLEU, as a share of the baseline's BLEU. It is a mean over the seeds, with its 95 % interval in brackets. Then *up* and *down* count the seeds with a gain and with a loss of $p < 0.01$, by a paired bootstrap. By the [rule](#translation-rules), which we chose after the runs, a line *agrees* if this interval holds the share that the paper prints and not the other share that was possible, *differs* if it does not hold the paper's, and *cannot tell* if it holds both. For a connection the other share is 0.
"""

# %% tags=["remove-input"]
from chapters.common.outcome import outcome_table

outcome_table("translation")

# %% tags=["hide-input"]
import numpy as np

from chapters.translation import settled
from chapters.translation.lesson import last_losses
from chapters.translation.wording import of_split, training_pairs
from record.claims import Claims
from record.notebook import glue
from record.runs import stored

claims = Claims("translation")
talks = {"pre": "iwslt15", "post": "iwslt15_post_norm", "ted": "ted"}
talks = {name: stored(f"translation_{run}") for name, run in talks.items()}
left_out = {"En-Vi": "iwslt15_residuals", "En-Fr": "ted_residuals"}
left_out = {pair: stored(f"translation_{run}") for pair, run in left_out.items()}

# %% tags=["hide-input"]
for name, run in talks.items():
    settled.factors(claims, run, name)
settled.scales(claims, stored("translation_scales"))
for pair, run in left_out.items():
    settled.residuals(claims, run, pair)
for name in ("pre", "ted"):
    short, [every, *_] = of_split(talks[name], "short to long"), of_split(talks[name], "all")
    glue(f"mt_{name}_pairs", training_pairs(talks[name]))
    glue(f"mt_{name}_short", f"{100 * short[0]['pairs']['train'] / every['pairs']['train']:.0f} %")
sums = [result["systems"]["baseline"]["sums"] for result in of_split(talks["pre"], "short to long")]
words, reference_words = np.sum(sums, axis=0)[:2]
glue("mt_words", f"{words / reference_words:.2f}")
for name, loss in zip(("plain", "both", "grows", "large"), last_losses().values()):
    glue(f"mt_{name}_loss", f"{loss:.2f}")
for pair, run in left_out.items():
    ahead, apart = settled.order(run)
    glue(f"mt_ahead_{pair}", ahead), glue(f"mt_apart_{pair}", apart)

# %% [markdown]
r"""
## Data and systems

*Data.* We train on {glue:text}`mt_pre_pairs` of the 133,317 English-Vietnamese pairs of talks of IWSLT'15 (*En-Vi*), with its test set tst2013, in five seeds. We infer that Table 1 used these pairs, because it prints 3M+3M tokens and names no corpus. We train likewise on {glue:text}`mt_ted_pairs` English-French pairs (*En-Fr*), which neither paper has. (The lesson adds German-English captions, Multi30k, in three seeds.) *Short* are sentences of up to 20 words in the source ({glue:text}`mt_pre_short` and {glue:text}`mt_ted_short` of the pairs).

*Systems* have one layer a side and are not tuned ([settings](#provenance-translations)). Their norm is pre-norm, as in the toolkit of Table 1, or post-norm.

*When training stops.* Every training on talks ends when the loss on the validation pairs has not fallen for two epochs. We first trained for 12 epochs (Vietnamese) or 6 (French), which turned out to be early: the systems without a connection then lost more than at the stop. The stop is partly chance. The baselines of two runs into Vietnamese, the same in settings and seeds but on different machines, stopped after 31 and 56 epochs, 21 and 21, 24 and 19, 38 and 29, 42 and 45. So every BLEU in the outcome is after unequal numbers of epochs.

(translation-rules)=
## Two rules

We set criteria before any run on talks, in points of BLEU. But our systems have about 6 BLEU, or 3 from short to long: a gain of the paper's share is then a quarter of a point, and no system can lose 7. So after the runs we chose another rule, which compares shares of BLEU with shares.

| | set before the runs, in points of BLEU | used now, in shares of BLEU |
|---|---|---|
| $\log n$, all lengths | the mean over seeds is within half a point of the paper's -0.1, and fewer than half of the seeds have $p < 0.01$ | the 95 % interval over seeds holds the paper's share, and not its share from short to long |
| $\log n$, short to long | the mean is a gain, and more than half of the seeds have $p < 0.01$ | the interval holds the paper's share, and not its share on all lengths |
| a connection taken out | the printed loss lies between the worst and the best seed's | the interval holds the paper's share, and not 0 |
| English-French talks, a connection taken out | the same, beside the German-English losses | compared with no paper |

By the rule used now a line *agrees* if the interval holds the paper's share and not the other share. It *differs* if the interval does not hold the paper's share, and *cannot tell* if it holds both.

By the criteria set before, $\log n$ gains in no line from short to long: in none is $p<0.01$ for a gain in more than half of the seeds. With post-norm, on all lengths, $\log n$ loses. For the connections every line on talks differs, and two could not have agreed: a loss of 7.0 or 8.8 was out of reach.

(log-translation)=
## $\log n$, beside Table 1

*Factors.* Two factors grow and are near 1 at common lengths: $\log n/\log 16$, and $\log n$ over the log of the mean source length, the centred factor (*log n over log mean*). The constant $\log 16$ is only large.

*Short outputs.* From short to long, the outputs of the first baseline have {glue:text}`mt_words` of the references' length.

*$\log n$ starts slower, and with pre-norm nearly catches up on average.* A row of the next table is one set of talks and one norm. Its first two numbers are the loss with $\log n$ minus the baseline's: the mean over seeds, with the 95 % interval in brackets. In the second, a system and its baseline each count with their lowest loss until one of the two stops. The last two columns give the fewest and the most epochs of a seed, with $\log n$ and of the baseline.
"""

# %% tags=["hide-input"]
names = {"pre": "into Vietnamese, pre-norm", "ted": "into French, pre-norm",
         "post": "into Vietnamese, post-norm"}
settled.behind_table({said: talks[name] for name, said in names.items()}, "log n")

# %% [markdown]
r"""
*Size raises the training loss.* In wider systems, on captions from short to long, the last training loss with $\log 16$ is about the same as that with $\log n$ ({glue:text}`mt_large_loss` and {glue:text}`mt_both_loss`). With $\log n/\log 16$ it is about that of the baseline ({glue:text}`mt_grows_loss` and {glue:text}`mt_plain_loss`).

(tm-translation)=
## Residual connections, beside Table 2

*The order, by BLEU.* Removing the decoder-encoder connection costs more than removing the decoder-decoder one in {glue:text}`mt_ahead_En-Fr` seeds into French and in {glue:text}`mt_ahead_En-Vi` into Vietnamese. The difference between the two changes is {glue:text}`mt_apart_En-Fr` BLEU into French and {glue:text}`mt_apart_En-Vi` into Vietnamese, with 95 % intervals. The second interval holds 0, so by the criteria set before that run (`chapters/translation/criteria`) the order into Vietnamese is *not settled*. One reason is the unequal number of epochs: into Vietnamese, over the five seeds and for either connection, the change in BLEU correlates by more than 0.9 with the difference in epochs from the baseline.

*The order, by the loss.* A fairer comparison is that of the losses at the first of two stops. By this loss removing the decoder-encoder connection costs more into both languages, and the intervals of the other connection hold 0. No criterion asked for this. The next table is read as the one above, with a connection taken out in place of $\log n$:
"""

# %% tags=["hide-input"]
settled.behind_table({"into French": left_out["En-Fr"], "into Vietnamese": left_out["En-Vi"]},
                     *settled.RESIDUALS)

# %% [markdown]
r"""
*The sizes.* Into Vietnamese both intervals in the outcome hold the paper's share, and 0 as well: five seeds of systems so small cannot tell.
"""

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says
