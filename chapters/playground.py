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

Watch a transformer decide a string, write one of your own in the workshop, or step through a Turing machine.

<div id="tab=workshop"></div>
<div id="playground-root" class="playground"><p>The playground needs JavaScript, and a page that comes from a server: <code>make serve</code>.</p></div>
<script type="module" src="../_static/playground.mjs"></script>

## What you see here

**Strings**: type a string, or press its symbols, and watch a transformer of chapter 2, 4, 7 or 8 decide it, in float64 and exactly: every attention weight, every coordinate of the residual stream, sublayer by sublayer. Every number of the transformer can be changed, and the page looks for the shortest string
that this breaks. *Mirrored* and *sharpened* are the forms that layer normalization asks for (chapter 3); $c$ multiplies the gain of the heads that have one, and the last switch is Equation (2) of chapter 4.

**Workshop**: say which strings you mean, by an expression, a property, examples, a formula or a language of the book. Then write a transformer for them, as a formula that is compiled or as rows. The page shows the first strings of both. *Judge* then holds a formula against what you mean *at every length*, where a search like that of {doc}`chapter 11 <11_every_length>` closes; rows, and what has no such search, are decided string by string, each exactly. The verdict says which of the two it was. The line beside it is whole where every length is proved, and dashed where strings were tried. Twenty puzzles lead there, in three degrees.

**Turing machines**: the machines of chapter 6, one step at a time.

The address bar holds a link to what is on screen, and Back leads to what was there before.

## Things to try

<ul class="try">
<li><a data-try="m=PALINDROME&amp;w=0110">PALINDROME on 0110</a>, which float64 rejects and the network accepts; <a data-try="m=one-layer+PALINDROME&amp;w=0110">in one layer</a> and <a data-try="m=pairwise+PALINDROME&amp;w=0110">pair by pair</a>, unharmed by rounding here.</li>
<li><a data-try="m=flawed+FIRST&amp;w=10000">Flawed FIRST on 10000</a>, and <a data-try="m=flawed+FIRST&amp;w=10000&amp;logn=1">with log n</a>.</li>
<li><a data-try="m=PARITY&amp;v=mirrored&amp;eps=0">PARITY mirrored, with ε = 0</a>, and <a data-try="m=PARITY&amp;v=sharpened&amp;eps=1e-2">sharpened, with ε = 10⁻²</a>, while you move the length.</li>
<li>Mutants of chapter 2: <a data-try="m=PARITY&amp;w=1&amp;e=12*0">PARITY without one of its 28 numbers</a> errs on 1; <a data-try="m=PARITY&amp;w=11000&amp;e=15*0">without another</a> only float64 errs. Which others can go?</li>
<li><a data-try="m=compiled+Dyck-1&amp;w=(()())">Brackets</a>, by a transformer that was compiled from a formula (chapter 8).</li>
<li><a data-try="tab=workshop&amp;puzzle=string-two">Find a string</a> on which two descriptions part, and <a data-try="tab=workshop&amp;puzzle=followed">a formula</a> for <em>every 0 is directly followed by a 1</em>.</li>
<li><a data-try="tab=workshop&amp;puzzle=parity-one-head">A puzzle</a>: PARITY with one head in the second layer, where the paper has two.</li>
<li><a data-try="tab=machine&amp;machine=increment&amp;input=1111">Increment on 1111</a>, one step at a time: which of the two stacks changes when the carry moves to the left?</li>
</ul>

(playground-agreement)=
## What computes here

Your browser does, from the same data that the book's other readers run. A string is decided twice. In double precision, with every number on screen; and exactly: in rational numbers where the construction stays in them, else in enclosures, numbers with a proved error bound, of as many bits as the sign
takes. So the answer on the right is accepted, rejected or *undecided*, and never a wrong sign. A Turing machine is compiled to a recurrent network and that to a transformer, with position encodings (Theorem 4.1) or with masking alone (Theorem 4.2), and the page runs
the transformer: one output after the other, with hard attention, in exact rational numbers, four outputs for a step of the machine. The tape is read off two coordinates and compared, step by step, with what the rules say.

The book holds the floats and the machines against its own readers: in a Chromium, on random strings with random settings, logits to $10^{-12}$ (sharpened under layer normalization, where small variances magnify rounding, to a relative $10^{-9}$), and on every machine's first configurations, one by one. Its tests hold the exact answers against its exact reader, and what the workshop says of every length against the prover of chapter 11.
"""

# %% tags=["hide-input"]
from chapters.playground.runs import agreeing
from record.claims import Claims
from record.runs import stored

claims, run = Claims("playground"), stored("playground")
for kind in ("model", "machine"):
    scores = [agreeing(row["configuration"], row["result"]) for row in run.results
              if kind in row["configuration"]]
    right, of = map(sum, zip(*scores))
    name = "logits" if kind == "model" else "configurations"
    claims.settle(name, here=f"{right:,} of {of:,}", agrees=right == of, source=run.source)
claims.table()
