# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Playground

Type a string of 0s and 1s, or press its symbols, and watch the transformers of chapters 2, 4 and 7 decide it: the logit at CLS, every attention weight and every coordinate of the residual stream, after every sublayer. *Mirrored* and *sharpened*
are the forms that layer normalization asks for (chapter 3); $c$ multiplies the gain of the heads that have one, and the last switch is Equation (2) of chapter 4. The second tab steps through the Turing machines of chapter 6. The address bar holds a link to what is on screen.

<div id="playground-root" class="playground"><p>The playground needs JavaScript, and a page that comes from a server: <code>make serve</code>.</p></div>
<script type="module" src="../_static/playground.mjs"></script>

## Things to try

- PARITY as published with $\epsilon = 0$, and sharpened with $\epsilon = 10^{-2}$ while you move the length.
- Flawed FIRST on $10000$ and longer, then with $\log n$.
- PALINDROME as published, which accepts where $s = 0$ exactly and so trips over the rounding of this very page, and the one-layer PALINDROME, which does not.
- *Increment* on $1111$, one step at a time: which of the two stacks changes when the carry moves to the left?
- The champion, a hundred steps at a time, while its stacks grow.

(playground-agreement)=
## What computes here

Your browser does. Strings are decided in double precision, from the same data that the book's other readers run. A Turing machine is compiled to a recurrent network and that to a transformer, with position encodings (Theorem 4.1) or with masking alone (Theorem 4.2), and the page runs
the transformer: one output after the other, with hard attention, in exact rational numbers, four outputs for a step of the machine. The tape is read off two coordinates and compared, step by step, with what the rules say.

The book holds all of it against its own readers: in a Chromium, on random strings with random settings, logits to $10^{-12}$ (sharpened under layer normalization, where small variances magnify rounding, to a relative $10^{-9}$), and on every machine, configuration by configuration.
"""

# %% tags=["hide-input"]
from lib.book.agreement import agreeing
from lib.book import Claims, stored

claims, run = Claims("playground"), stored("playground")
for kind, quantity in (("model", "logits, six constructions in all their forms, that are torch's"),
                       ("machine", "configurations, six machines by two transformers, that are right")):
    scores = [agreeing(row["configuration"], row["result"]) for row in run.results
              if kind in row["configuration"]]
    right, of = map(sum, zip(*scores))
    claims.add("ours: playground", quantity, paper=None, here=f"{right:,} of {of:,}",
               agrees=right == of, cell="playground-agreement", source=run.source)
claims.table()
