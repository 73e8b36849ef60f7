# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Self-Attention, Exactly

*What can a small transformer compute, and what can it not?*

Suppose your transformer makes no mistake on its test set. Is it right on the inputs that nobody tested? For many small transformers you can *know*. This book builds small transformers by hand, proves what they compute on inputs of every length, and finds the inputs on which trained ones fail. Three results that surprised us:

- **A perfect test is not enough.** A published network made no mistake in its authors' test. It is wrong on {glue:text}`intro_string` ([chapter 12](12_strangers)).
- **Right on everything that training could show.** We trained {glue:text}`intro_plain` networks with ordinary attention, without positions, for six easy questions such as: does the string contain a 1? {glue:text}`intro_learned` of them are right on *every* string of up to 40 symbols. How many of these err on a longer one? All. The median first error comes at {glue:text}`intro_median` symbols ([chapter 13](13_how_long)).
- **Certainty wears off.** Layer normalization can make a transformer sure of its answers. With PyTorch's default setting our transformer begins to lose its certainty near {glue:text}`intro_symbols` symbols ([chapter 3](03_layer_norm)).

<div class="starts">

[Start with chapter 1](01_ffnn_parity) [Try a transformer](playground) <a href="playground.html#tab=workshop">Have one judged</a>

</div>

<div class="live" data-live="parity"><p>A transformer reads 011010 and asks whether the number of 1s is odd. Its first layer marks position 3. The head for odd positions gives that position the attention weight 0.282, the head for even positions 0.031. The score is (0.282 − 0.031)/7 = 0.036, which is above 0, so the string is accepted. On the book's page, press the symbols.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% tags=["remove-cell"]
from chapters.how_long.figures import early, first_errors, number, of_kind
from chapters.layer_norm.tables import FAMILIES, lost_near
from chapters.strangers.figures import published
from lib.constructions import parity
from lib.verdicts import WRONG
from record.notebook import glue

plain = of_kind(1, "plain") + of_kind(2, "plain")
learned = [one for one in plain if not early([one])]
assert number(learned, WRONG) == len(learned)  # all, says the page
errors = first_errors(learned)
glue("intro_string", published()["bce_012_0_2-@1l1h64d4lr00drop"]["wrong"][0])
glue("intro_plain", str(len(plain)))
glue("intro_learned", str(len(learned)))
glue("intro_median", f"{errors[len(errors) // 2]:,}")
glue("intro_symbols", f"{lost_near(parity(), FAMILIES['PARITY'], 1e-5):.0f}")

# %% [markdown]
"""
## What the demo shows

The question is called PARITY: is the number of 1s odd? If so, the transformer should *accept* the string, and otherwise reject it. This is hard for attention, because one symbol among many hardly changes an average, and yet changing any single symbol flips the right answer. Even so, the transformer above is right on every string. It reads seven *tokens*: a token called CLS at position 0, where the answer will be read, and the six symbols at positions 1 to 6.

1. **Average.** In the first layer every token averages over all seven. Three of them are 1s, so each token learns the share $3/7$.
2. **Mark.** The token at position $i$ also knows $i/7$. At position 3 this number equals the share of 1s, and there the layer writes a mark, the number $1/7$. At all other positions it writes 0. Whether a *number* is odd is hard to see in an average, but whether a *position* is odd is easy.
3. **Compare.** In the second layer two *heads* look for the mark: each of them lets CLS take a weighted average over the tokens. One gives more attention weight to odd positions, the other to even ones, so position 3 has the weight $0.282$ in the first head and $0.031$ in the second.
4. **Answer.** The *score* $s$ is the difference between what the two heads find, $(0.282 - 0.031)/7 = 0.036$. It is above 0, so the string is accepted.

Press a symbol: the mark moves by one position, the other bar becomes the longer one, and the answer flips. This works at every length, as chapter 2 [proves](#parity-every-length). But as strings get longer, $s$ shrinks quickly, and the transformer's confidence with it. Chapters 2 to 4 ask what can be done about that.

## The chapters

You need vectors, matrices, some Python, and softmax, which turns numbers into weights that add up to 1. If transformers are new to you, take this path:

1. [Chapter 1](01_ffnn_parity): a network for PARITY, by hand, for one length.
2. [Chapter 2](02_transformer_parity_first): the transformer above, right at every length.
3. [Why is PARITY not learned?](parity_not_learned) Training finds something else.
4. [Chapter 4](04_log_n_scaling): a question that *is* learned, and a factor that mostly keeps answers right up to a billion symbols.
5. [Chapter 3](03_layer_norm), which is harder: certainty, and how it wears off.

Continue with chapter [5](05_counting_ablations).

- *For proofs*, go on to chapters [6](06_turing_completeness) (with [A few vectors are enough](few_vectors)), [7](07_palindrome_precision), [8](08_formulas_to_transformers), [10](10_the_map) and [11](11_every_length).
- *If you train models*, begin with chapter [9](09_which_log_n) instead, then take [4](04_log_n_scaling), [5](05_counting_ablations), [12](12_strangers) and [13](13_how_long).
- *If you teach*, there is a plan for [six weeks](teaching.md), and the [errata](errata) make good exercises.
"""

# %% tags=["remove-input"]
import re
from IPython.display import Markdown
from record.runs import CHAPTERS, read_yaml

lines = []
for path in sorted(CHAPTERS.glob("[0-9]*.py")):
    opening = path.read_text(encoding="utf-8").partition('"""\n# ')[2]
    title, question = re.search(r"(.+)\n\s*\*([^*]+\?)\*\n", opening).groups()
    lines.append(f"{int(path.stem[:2])}. [{title}]({path.stem}): {' '.join(question.split())}")
fold = '<details class="lines"><summary>All chapters and their questions</summary>'
Markdown("\n".join([fold, "", *lines, "", "</details>"]))

# %% [markdown]
"""
## Try a transformer, and have one judged

In the [playground](playground) you change a transformer's weights or its input and see every number inside it. It comes with puzzles.

To have a transformer judged, bring it, and say which strings it should accept. You get one of three things: a proof that it is right at every length, the shortest string on which it is wrong, or the length up to which it was tried. The <a href="playground.html#tab=workshop">workshop</a> judges a formula, which it first turns into a transformer, or a transformer that you write down. [Chapter 12](12_strangers) judges the weights of a trained network in your browser, and [Adapt this](adapt) does it in Python.

## Where the questions come from

Chapters 1 to 7 examine the claims of four papers:

- A transformer decides PARITY at every length, but is hardly sure on long strings. Layer normalization can make it sure {cite}`chiang2022` (chapters 1 to 4).
- Softmax attention cannot count, the authors say: an average tells it a share, such as $3/7$, not the number 3 {cite}`ouellette2023` (chapter 5).
- A decoder, a transformer that writes symbol after symbol, can run any program {cite}`bhattamishra2020` (chapter 6).
- A transformer can tell whether a string reads the same backwards by comparing two numbers {cite}`nowak2022` (chapter 7).

We build what the papers describe and run it on every string up to some length, in floating point and in exact arithmetic. Each chapter has a second page, its *record*, which compares each claim with the papers, and the {doc}`scorecard <scorecard>` lists all claims.

## What we found beyond the papers

Each finding links to its exact statement, with all conditions, and a note in italics at its end says how we know it.
"""

# %% tags=["remove-input"]
from record.claims import recorded
from record.rows import paper_of

claims = [claim for chapter in recorded() for claim in chapter.claims]
errata = [erratum for chapter in recorded() for erratum in chapter.errata]


def only(lines):
    """The one line that is looked for, with what it found, which is whole; else the page is to say what holds now."""
    [line] = lines
    found = line.found | vars(line)
    assert found.get("exact") == found.get("of") and found.get("excluded") == found.get("cases"), line
    return found


said = []
for finding in read_yaml(CHAPTERS / "intro" / "tables.yaml").values():
    words = {"count": len(errata), "papers": len({paper_of(erratum.row) for erratum in errata})}
    for name, wanted in finding.get("claims", {}).items():
        asked = {"settles": "", **wanted}
        words[name] = only([claim for claim in claims if all(getattr(claim, key) == asked[key] for key in asked)])
    if one := finding.get("erratum"):
        words["erratum"] = only([e for e in errata if one["printed"] in e.printed and one["correct"] in e.correct])
    kinds = [wanted["truth"].capitalize() for wanted in finding.get("claims", {}).values()]
    said.append(f"- {finding['text'].format_map(words)}" + "".join(f" *{kind}.*" for kind in kinds[:1]))
Markdown("\n".join(said))

# %% [markdown]
"""
Much is still unknown, above all which of these transformers training finds. Each chapter says what it leaves open.

## Reading and running

Every chapter and every record is also a notebook. The rocket at the top of a chapter opens it in Colab, and a code cell marked `# try:` invites you to change something.

On your own machine, the first command builds the book, the second tests everything, and the third runs one chapter:

```bash
make book          # builds these pages and says where to open them
make test          # runs every chapter and every test
.venv/bin/python -m pytest --nbmake chapters/02_transformer_parity_first.ipynb
```
"""
