# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# Turing-completeness, built and run

*You will be able to* write a Turing machine, pack its tape into two rational numbers, run it inside two transformers in exact arithmetic, say which of
their parts it needs, and predict at which tape depth each float type loses it.
"""

# %% [markdown]
"""
<div class="live" data-live="machine"><p>1011+1=1100, by a transformer.</p></div><script type="module" src="../_static/live.mjs"></script>
"""

# %% [markdown]
"""
## Claim

Bhattamishra, Patel and Goyal {cite}`bhattamishra2020` give a short proof that transformers are Turing-complete: recurrent networks are (**Theorem 3.1**,
after Siegelmann and Sontag {cite}`siegelmann1992`), and a {term}`decoder` simulates any of them step by step, with position encodings (**Theorem 4.1**) or with
{term}`masking` alone (**Theorem 4.2**).

**§4.2** asks which components that takes, and **Proposition 4.3** finds one {term}`residual connection` to be
indispensable. By the paper's own definition it is not: a decoder below lacks it and runs any machine on every input, another on every long one.

In Theorem 4.1 attention only fetches the next input symbol. The tape is two numbers in the decoder's
output, which comes back to it as input.
"""

# %% tags=["hide-input"]
from dataclasses import replace
from fractions import Fraction
from itertools import count, islice, product
from time import perf_counter
import matplotlib.pyplot as plt
import numpy as np
import torch
from chapters.exercises.judge import check
from chapters.pages.translation import residuals as trained
from chapters.pages.translation.figures import gains_figure
from chapters.pages.turing_completeness import claims as record, variants
from chapters.pages.turing_completeness.figures import (outputs_table, space_time_figure,
                                                        tape_slider)
from chapters.pages.turing_completeness.variants import (compare, denominator_bits,
                                                         first_difference, idle)
from lib.notebook import markdown_table, COLOURS, REFERENCE, show_plotly, use_style
from lib.transformer import Form, Space
from lib.turing import (IDENTITY, RNN, configurations, coordinate, directional, exact, index,
                        Machine, machines as programs, one, reciprocal, Rule, Run, SaturatedFFN,
                        stack_rnn, Sublayer, Transformer, vanilla)
from record.claims import Claims
from record.runs import stored

use_style()
claims = Claims("06_turing_completeness")

# %% [markdown]
"""
## Construction

### A machine is a table

A line says: in this state, reading this symbol, write that, move, go to that state. This machine adds 1 in binary; a line of its run is a {term}`configuration`:
"""

# %%
increment = Machine.parse("""
    right 0 -> 0 R right
    right 1 -> 1 R right
    right _ -> _ L carry
    carry 1 -> 0 L carry
    carry 0 -> 1 N accept
    carry _ -> 1 N accept""", name="increment")
print(*increment.run("1011"), sep="\n")

# %% [markdown]
"""
### A tape is two numbers

Number the tape symbols, the blank first, and let $B$ be the smallest power of two that is at least twice their number. What stands at the head and to its right, $a_1 a_2 \dots$, becomes the stack

$$
\Psi_1 = \sum_i 2 a_i B^{-i},
$$

and what stands to its left becomes $\Psi_2$ in the same way. The blank has digit 0, so each tape is one pair of numbers.

Even digits leave gaps, so that a unit can read the top of a stack. The paper's activation is $\sigma(x)=\min(\max(x,0),1)$, and $B\Psi_1$ lies in $[2a_1,2a_1+1)$: so $\sigma(B\Psi_1-(2j-1))$ is 1 if $a_1 \ge j$ and 0 otherwise.
"""

# %%
B, digits = increment.base, [2 * increment.symbols.index(a) for a in "1011"]
psi = sum(Fraction(d, B**i) for i, d in enumerate(digits, start=1))
print(f"B = {B}, digits {digits}: Ψ₁ = {psi}")
print("top ≥ 1, 2:", [min(max(B * psi - (2 * j - 1), 0), 1) for j in (1, 2)])

# %% [markdown]
"""
### A recurrent network

Pushing and popping are affine, $(\Psi + 2a)/B$ and $B\Psi - 2a$, and *which* to do depends on a state and a top symbol. So four layers of $\sigma$ do a step of the machine: *read* both
tops, *choose* the rule, *move* both ways with $\sigma(\text{new value} + [\text{this way}] - 1)$, *merge*.

The RNN of Theorem 3.1 holds all four as groups of units in one hidden state, which do their part in turn. Below is a unit of each. In *move*, `Ψ₂ R` is the left stack after a step to the right: the old one over $B$, plus what the chosen rule wrote, plus a gate of 1 for these rules, minus 1.

With $T$ steps of the machine the RNN takes $|w| + 3 + 4T$, and 4 more where the machine stops without accepting:
"""

# %%
rnn = stack_rnn(increment)
units = dict(rnn.layers[0])
for name in ("Ψ₁≥2", "carry,1", "Ψ₂ R", "Ψ₁"):
    print(f"{name:8} σ({units[name]})")

w = "1011"
states = list(rnn.states(w))
assert list(configurations(increment, rnn, w, states)) == list(increment.run(w))
T = len(list(increment.run(w))) - 1
print(f"{len(rnn.hidden)} hidden units, {T} steps of the machine, {len(states) - 1} of the RNN")
assert len(states) - 1 == len(w) + 3 + 4 * T

# %% [markdown]
"""
With the same four groups as the layers of one $g$ (`one_step=True`), a step of the RNN is a step of the machine.

(tm-vanilla)=
### The vanilla transformer

Theorem C.2's vectors are $[h,s;h_2,x_1,x_2]$, and $y_t=[h_t,0;0,t+1,1]$ carries the hidden state and a counter, which says what to read next.

Keys $[0; -1, i]$ make the score $-|\langle q,k_i\rangle|=-|i-(t+1)|$. So {term}`hardmax` attention fetches symbol $t + 1$, and once the input is at its end, the last one, $\$$. The network $O$ computes $g$ and takes away what
was there, $h_{t+1} - h_t$ and $-s$. All of it, for an RNN with one unit, $h_t = \sigma(h_{t-1} + x_t/4)$:
"""

# %%
from lib.transformer import Head

S = Space("h", "x", "h₂ h", "x₁", "x₂")
h, x, h2, x1, x2 = S
quarters = RNN(Space("x"), {"1": x}, [{"h": h + x / 4}])

read = Head(q=[x1, x2], k=[-x2, x1], v={"x": x})                              # -|i - (t + 1)|
O = SaturatedFFN([{"g h": h + x / 4, "+h": h, "+x": x}],
                 {"h": coordinate("g h") - coordinate("+h"), "x": -coordinate("+x")})
small = Transformer(S, {"#": Form(), "1": x, "$": Form()}, {index: x1, one: x2},
                    encoder=[(IDENTITY, IDENTITY)],
                    decoder=[(IDENTITY, Sublayer(read), Sublayer(O))], F={"h": h})
assert small == vanilla(quarters)

outputs_table(small, "11", steps=6)

# %% [markdown]
"""
`IDENTITY` is a block with $V = 0$, or $O = 0$: only its residual connection is left. The last line, `F`, is not in the paper's proof ([why](#tm-counter)).

(tm-directional)=
### The directional transformer

Without encodings there is no counter. The {term}`directional transformer` of Theorem D.1 finds the next symbol by counting instead: it compares how often each has been seen, now and a step ago. The same RNN on `11`, without coordinates that stay 0:
"""

# %%
outputs_table(directional(quarters), "11", steps=6, zeros=False)

# %% [markdown]
"""
In column $y_t$ the last three rows are $\omega_{t-1}$, the shares of #, 1 and $\$$ among the tokens read. From column to column one share rises: that of #, of 1, of 1 again, of $\$$. It is the symbol just read.

*Why one share rises.* A first layer scores every token 0, so it averages all that it may see, and holds the share $\omega_t$ of each symbol in $s_0\dots s_t$. If $a$ stands $\varphi$ times in $s_0\dots s_{t-1}$, $t\ge1$, its share changes by

$$
\frac{\varphi+1}{t+1}-\frac{\varphi}{t}=\frac{t-\varphi}{t(t+1)}\text{ if }s_t=a,\qquad\frac{\varphi}{t+1}-\frac{\varphi}{t}=-\frac{\varphi}{t(t+1)}\le0\text{ if not.}
$$

As # comes first and never again, $\varphi<t$ for the symbol just read: its share rises, and no other does. At $t = 0$ that of # rises to 1.

*How it is fetched.* So $\sigma(\omega_t-\omega_{t-1})$ is positive at $s_t$ alone. As a query it scores every copy of $s_t$ alike and above the rest, and their average is the embedding of $s_t$.

*After the end* nothing rises. There the entry for $\$$ is $2^{-(t+1)}$, kept in `x₁`, and before it there is no $\$$ to see.

If embeddings lie in $[0, 1]$, which rescaling gives, all these numbers do. There $\sigma$ is the identity, so $O$ can take them away: proved for every length.

## Run it

(tm-machines)=
### Six machines, three networks

Measured, in exact rationals: each hidden state of the RNN and of both transformers, and each configuration read off it, beside the machine's own. The tests do the
same for 15 steps of 200 random machines, and 10 of 200 random RNNs.
"""

# %%
inputs = [(programs.INCREMENT, "1" * 30), (programs.ABC, "aaaabbbbcccc"),
          (programs.BUSY_BEAVER_4, ""), (programs.MULTIPLY, "11*111="),
          (programs.PALINDROMES, "01100110"), (programs.PALINDROMES, "01")]
found = [compare(machine, w) for machine, w in inputs]
head = ["machine", "input", "steps", "RNN steps", "d of h", "d vanilla", "d directional", "right"]
markdown_table(head, [[machine.name, w or "(empty)", len(c.run) - 1, c.rnn_steps,
                       *c.sizes.values(), all(c.holds.values())]
                      for (machine, w), c in zip(inputs, found)])

# %% [markdown]
"""
(tm-champion)=
### The champion

The five-state busy beaver runs for 47,176,870 steps {cite}`bbchallenge2025`. Here are its first 5,000 in the vanilla transformer (20,000 of the decoder's):
"""

# %%
champion, T = programs.CHAMPION_5, 5000
rnn = stack_rnn(champion)
ys, clock = zip(*((y, perf_counter()) for y in islice(vanilla(rnn).outputs(""), 4 * T + 4)))
equal = first_difference(ys, islice(rnn.states(""), 4 * T + 4)) is None
equal &= [*configurations(champion, rnn, "", ys)] == [*islice(champion.run(""), T + 1)]
bits, t = [*map(denominator_bits, ys)], len(ys) - 1
print(f"{t:,} steps, states and tapes equal: {equal}; longest denominator 2^{max(bits)}")
print(f"first and last 5,000: {clock[5000] - clock[0]:.2f} s, {clock[-1] - clock[-5001]:.2f} s")

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Three tapes over time, which runs downwards; the thin line is the head. The busy beaver sweeps a growing block, the recogniser crosses off one of each letter in a round trip, and the champion's first 1,500 steps leave a pattern behind every second sweep.", "name": "fig-tm-tapes"}, "image": {"alt": "Three space-time diagrams: a zigzag that widens to the left, a zigzag between coloured columns, and a tapering shape with stripes at its right.", "classes": "dark-light"}}
record.machines(claims, inputs, found)
record.one_step(claims, programs.PALINDROMES, "0110")
claims.settle("champion", here=f"{t:,} of the decoder right" if equal else "wrong",
              agrees=equal, steps=f"{T:,}")
shown = {programs.BUSY_BEAVER_4: "", programs.ABC: "aaaabbbbcccc", champion: ""}
space_time_figure({machine.name: (machine, list(islice(machine.run(w), 1500)))
                   for machine, w in shown.items()});

# %% [markdown]
"""
(tm-stacks)=
### Step by step, with the stacks

Unary multiplication, `11*11=`. Drag the slider: above the tape, below it the two numbers that *are* the tape. **Predict** which of them moves when the head goes to the right over a blank.

<p class="guess">Ψ₁|Ψ₂|both</p>
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Unary multiplication, step by step: above the tape with the head, below the two stacks as numbers. The slider moves the step.", "name": "fig-tm-stacks"}}
machine, w = programs.MULTIPLY, "11*11="
unary = stack_rnn(machine)
names, ys = unary.hidden.names, list(vanilla(unary).outputs(w))
run = list(configurations(machine, unary, w, [y[:len(names)] for y in ys]))
registers = [[float(y[names.index(stack)]) for stack in ("Ψ₁", "Ψ₂")] for y in ys[len(w) + 3::4]]
show_plotly(tape_slider(machine, run, registers))

# %% [markdown]
"""
:::{dropdown} The answer
Both do: a blank has the digit 0, so $\Psi_1$ becomes $B \Psi_1$ and $\Psi_2$ becomes $\Psi_2 / B$, unless they are 0.
:::

### What grows

Attention costs one pass over the input's keys at every step. The numbers grow: each cell of the tape costs $\log_2 B$ bits, and in the directional transformer $2^{-t}$ costs a bit a *step*.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "The longest denominator so far in the decoder's output, in bits, along the champion's run. In the vanilla transformer it follows the greatest tape depth so far (dashed: $\\log_2 B = 2$ bits a cell); in the directional one it is the number of steps.", "name": "fig-tm-bits"}, "image": {"alt": "Two curves on logarithmic axes; the straight one rises to four thousand bits, the one like a staircase stays below three hundred beside a dashed line.", "classes": "dark-light"}}
longest = [*map(denominator_bits, islice(directional(rnn).outputs(""), 4000))]
deepest = [2 * max(len(c.left), len(c.right)) for c in islice(champion.run(""), T + 1)]
figure, axis = plt.subplots(subplot_kw={"xscale": "log", "yscale": "log"})
axis.plot(range(1, len(longest)), longest[1:], color=COLOURS["FIRST"], label="directional")
so_far = np.maximum.accumulate
axis.plot(range(1, t + 1), so_far(bits[1:]), color=COLOURS["PARITY"], label="vanilla")
axis.plot(range(3, 4 * T + 4, 4), so_far(deepest), label="2 bits a cell", **REFERENCE)
axis.set(xlabel="step $t$", ylabel="bits", ylim=(1, None)), axis.legend();

# %% [markdown]
"""
## Break it

(tm-paste)=
### Your machine here

Replace the table, the input, or both. One tape, at most one rule for state and symbol.
"""

# %%
# try: a machine of your own
mine = Machine.parse("""
    find 1 -> 1 R find
    find 0 -> 0 R find
    find _ -> _ L turn
    turn 1 -> 0 L turn
    turn 0 -> 1 L turn
    turn _ -> _ R accept
""", name="complement")
w = "110100"
mine_found = compare(mine, w)
print(*mine_found.run[:20], sep="\n")
print(f"{len(mine_found.run) - 1} steps, coordinates {mine_found.sizes}")
print("right at every step:", mine_found.holds)
for wrong in ("turn 1 -> 1 L turn", "stop 1 -> 1 X turn", "turn x -> x R nowhere"):
    try:
        Machine.parse("find _ -> _ L turn\nturn 1 -> 0 L turn\nturn _ -> _ R accept\n" + wrong)
    except ValueError as error:
        print(error)

# %% [markdown]
"""
(tm-counter)=
### As printed, the counter counts 1, 2, 4, 7, 11

Lemma C.4 wants $O$ to output $-(t+1)$,
which clears the counter before $\mathrm{pos}$ adds the next. But the lemma's hidden layer is $\sigma(W_1 a + b)$, and $\sigma$ clips at 1: the output is bounded, and the counter is not cleared.
"""

# %% tags=["hide-input"] mystnb={"figure": {"caption": "The decoder's counter, which is the position that it reads next. As printed it runs 1, 2, 4, 7, 11 (circles), so the third symbol read is the fourth; with $F$ dropping it, it is right (line).", "name": "fig-tm-counter"}, "image": {"alt": "Circles on a parabola that leaves a straight line at the third point.", "classes": "dark-light"}}
held = all(mine_found.holds.values())
claims.settle("paste", here="right at every step" if held else "wrong", agrees=held)

rnn, w = stack_rnn(increment), "1011"
broken = [int(y[-2]) for y in islice(variants.printed_c4(rnn).outputs(w), 8)]
right = [int(y[-2]) for y in islice(vanilla(rnn).outputs(w), 8)]
figure, axis = plt.subplots(figsize=(6.4, 2.6))
axis.plot(right, color=COLOURS["PARITY"], label="repaired")
axis.plot(broken, "o", color=COLOURS["FIRST"], label="as printed")
axis.set(xlabel="step $t$", ylabel="position read")
axis.legend()
for misprints in (variants.vanilla_misprints, variants.directional_misprints):
    for place, holds, found in misprints(rnn, w):
        claims.correct(place, holds=holds, **found)

# %% [markdown]
"""
The simplest remedy is in §3.2: ReLU for $\sigma$,
as $\sigma(x)=\mathrm{ReLU}(x)-\mathrm{ReLU}(x-1)$. ReLU lets $t + 1$ through,
and for embeddings in $[0, 1]$ the lemma is right as printed. To keep $\sigma$, let the map $F$ in which a decoder ends drop everything but $h$. More slips are in the [errata](errata.ipynb).

(tm-components)=
### Take a part away

Three components are idle in Theorem C.2's transformer. Each other one is taken out, for three machines. Where the paper says that a neighbour can take over, it does: attention becomes the identity by looking at its own position.
"""

# %%
tried = [(stack_rnn(machine), w) for machine, w in
         ((increment, "1011"), (programs.PALINDROMES, "0110"), (programs.ABC, "aabbcc"))]
lines = []
for trio in zip(*(variants.components(rnn) for rnn, _ in tried)):
    wrong = [first_difference(c.transformer.outputs(w), rnn.states(w))
             for c, (rnn, w) in zip(trio, tried)]
    result = "right" if wrong == [None] * 3 else f"wrong from h {min(filter(None, wrong))} on"
    lines.append([trio[0].part, trio[0].instead, trio[0].paper, result])
markdown_table(["without", "instead", "Fig. 2 and §4.2", "here"], lines)

# %% [markdown]
"""
What §4.2 calls replaceable is. The encoder's feed-forward network, alone, cannot be the identity on a position $i$ with $\sigma$, which clips it; with ReLU, or for $1/i$, it can.

Without the attention to the encoder no output depends on the input,
so it is needed. For the other two "needed", to break one construction proves nothing about all.

(tm-residual)=
### Proposition 4.3

Without the residual connection around decoder-encoder attention,
$a_t$ is an average over a set of encoder values,
and $n$ tokens have $2^n - 1$ sets. **Predict:** can a decoder reach them all?

<p class="guess">yes|no</p>
"""

# %% tags=["hide-output"]
distinct = {}
for n in (1, 2, 3, 5, 8):
    outputs = islice(Run(variants.every_subset(n), exact).outputs("a" * n), 1, 8 * 2**n)
    distinct[n] = len({tuple(map(str, y[:n])) for y in outputs})
print(distinct)

# %% [markdown]
"""
:::{dropdown} Why
For every $n$ one does. Let keys and values be {term}`one-hot`,
and the query of step $t$ be 0 on the tokens at the binary digits 1 of $t$ and 1 on the others. The first score 0, the others $-1$, and means over different sets are different vectors. The bound is tight.
:::

That bounds *vectors*. §3.1 defines Turing-completeness by *languages*,
and a sequence over two vectors can hold any computation.

(tm-wired)=
### Positions that wire a circuit

Let the two vectors be the values 0 and 1 of a circuit's gates. Take a decoder of one layer without that residual connection and without a feed-forward network. §3 lets $\mathrm{pos}$ be any function; let it be a computable one, which lists the gates. Position $i$ holds output $y_{i-1}$, two positions $a, b \le i$ and a threshold $\theta$.

*One gate.* Attention with the score $-|(j-a)(j-b)|$ gives the mean $m$ of their outputs. For two bits it is 0, $\frac12$ or 1: above $\theta = \frac34$ for AND, above $\frac14$ for OR. Attention to the encoder then scores \$ by $-|M-(m-\theta)|$ and # by $-|M+(m-\theta)|$: the token fetched, 1 or 0, is the gate's value. For NOT, $M$ changes its sign.

*All gates* are those of the machine's space-time diagram. What cell $x$ holds at time $t$ depends on the cells $x-1$, $x$, $x+1$ at time $t-1$; row $t$ has $2t+1$ cells, and fetches one input symbol by its number.

By induction $y_i$ is the value of gate $i$,
so the decoder halts if and only if the machine accepts: proved for every machine and length.
"""

# %%
from chapters.pages.turing_completeness.circuits import halts, SpaceTime, wired

even = Machine.parse("""
    even 0 -> 0 R even
    even 1 -> 1 R odd
    odd 0 -> 0 R odd
    odd 1 -> 1 R even
    even _ -> _ N accept""", name="an even number of 1s")
is_in = {even: lambda w: w.count("1") % 2 == 0, programs.PALINDROMES: lambda w: w == w[::-1]}
words = ["".join(w) for n in range(4) for w in product("01", repeat=n)]
wrong = [w for m in is_in for w in words if halts(m, w) != is_in[m](w)]
print(f"{len(is_in) * len(words)} runs, {len(wrong)} wrong; idle:", ", ".join(idle(wired(even))))
print("gate 30:", SpaceTime(even).gate(30))

# %% [markdown]
"""
(tm-doubling)=
### Positions $i$ and 1, for long inputs

Now let $\mathrm{pos}(i)=(i,1)$, as in the paper,
and let the encoder attend and have a feed-forward network, as Fig. 2 allows.

The output at position $p$ is chosen by those at $p-1$ and $\lfloor p/2\rfloor$,
found with the score $-|2j-p+\frac12|$. So each output is read twice: position 2 by 4 and 5,
position 3 by 6 and 7. A finite-state transducer rewrites a row of letters as the next, twice as long, and moves the machine's head by one step (`doubling.py`).

Letters are tokens. A pair (state, letter) has the number $o_{\text{state}}+c_{\text{letter}}$,
so attention to the encoder finds its token by a sum; the encoder has written there what the transducer does. The first $N$ tokens serve all pairs that can occur. Token $N+k$ stands for the input's symbols $2k-1$ and $2k$, and each row fetches the next.

Proved, in `chapters.pages.turing_completeness.doubling`,
for every machine and $|w| \ge 2N - 2$; on shorter inputs it may fail.
"""

# %%
from chapters.pages.turing_completeness.doubling import (
    Alphabet, configuration, doubling, letters, shows)

small = Machine.parse("""
    a 1 -> _ R b
    b 1 -> 1 L c
    c _ -> 1 R c
    c 1 -> _ N accept""", name="four steps")
alphabet = Alphabet(small)
w = "1" * (2 * alphabet.size - 2)
outputs = letters(alphabet, w)
rows = [list(islice(outputs, 2**t)) for t in range(7)]
held = [configuration(small, row) for row in rows[2:]]
print(f"N = {alphabet.size}, {len(w)} symbols:", *held, sep="\n")

# %% [markdown]
"""
By §3.1's definition neither that residual connection nor the feed-forward network is needed: `wired` has neither. ($\mathrm{pos}$ must be computable: with arbitrary functions decoders recognize undecidable languages.)

What Proposition 4.3's proof settles is tasks with more than $2^n - 1$ different $\tilde y_t$, answers read before $\mathrm{pos}$ is added. Open here: $\mathrm{pos}(i)=(i,1)$ with an idle encoder, and masking alone.

(tm-depth)=
### Floating point

A stack of depth $D$ is a multiple of $2 B^{-D}$; with $B = 2^b$ it needs at most $Db - 1$ bits,
and with the right symbols exactly so many. After the input has been loaded no sum on the way needs more, as a row's constant is added first.

A machine writes its second symbol once and then its last for ever. **Predict** the {term}`tape depth` to which $p$ bits of a {term}`significand` are exact.

<p class="guess">⌊p/b⌋|⌊(p+1)/b⌋|⌊(p+2)/b⌋</p>
"""

# %%
FLOATS = {"bfloat16": (8, lambda x: torch.tensor(float(x), dtype=torch.bfloat16)),
          "float16": (11, lambda x: np.float16(float(x))),
          "float32": (24, lambda x: np.float32(float(x))), "float64": (53, float)}


def exact_depth(symbols, number):
    rules = Rule("A", "_", symbols[0], "R", "B"), Rule("B", "_", symbols[-1], "R", "B")
    rnn = stack_rnn(Machine(rules, "A", ("accept",), alphabet=tuple(symbols)))
    return (first_difference(rnn.states("", number), rnn.states("")) - 3) // 4


depths = {(name, b): exact_depth("abcdefghijklmno"[:2 ** (b - 1) - 1], number)
          for name, (_, number) in FLOATS.items() for b in (2, 3, 4, 5)}

# %% tags=["hide-input", "hide-output"] mystnb={"figure": {"caption": "The tape depth to which the run is exact, against the bits of a symbol (dots), lies on $\\lfloor (p+1) / \\log_2 B \\rfloor$ for a significand of $p$ bits (dashed).", "name": "fig-tm-depth"}, "image": {"alt": "Four falling series of dots, one for each float type, each on its dashed line.", "classes": "dark-light"}}
record.components(claims, vanilla(rnn), lines)
deaf = replace(vanilla(rnn), decoder=[(IDENTITY, IDENTITY, vanilla(rnn).decoder[0][2])])
record.deaf(claims, [list(islice(deaf.outputs(word), 30)) for word in ("1011", "0", "")])
record.bound(claims, distinct)
followed = len(held) == len(list(small.run(w))) and all(map(shows, held, small.run(w)))
record.without(claims, wired(even), tried=len(is_in) * len(words), wrong=len(wrong))
record.long_inputs(claims, doubling(small), steps=len(held) - 1, followed=followed)
figure, axis = plt.subplots(figsize=(6.4, 2.8))
for (name, (p, _)), colour in zip(FLOATS.items(), COLOURS.values()):
    law, seen = [(p + 1) // b for b in (2, 3, 4, 5)], [depths[name, b] for b in (2, 3, 4, 5)]
    axis.plot((2, 3, 4, 5), law, **REFERENCE)
    axis.plot((2, 3, 4, 5), seen, "o", color=colour, label=f"{name} (p = {p})")
    claims.settle("depth", here=", ".join(map(str, seen)), agrees=seen == law, name=name)
axis.set(xlabel="$\\log_2 B$ (bits a symbol)", ylabel="cells", xticks=(2, 3, 4, 5), yscale="log")
axis.set_yticks((1, 2, 5, 10, 20), (1, 2, 5, 10, 20))
axis.minorticks_off(), axis.legend(fontsize=8);

# %% [markdown]
"""
For three symbols $B = 6$ is enough,
and shorter; but $1/6$ is no binary fraction. Is the machine at least in the right state at every step?
"""

# %%
def control(rnn, states):
    """The units q=... alone: what the machine does, whatever becomes of the last digits."""
    places = [rnn.hidden.names.index(f"q={state}") for state in increment.states]
    return ([h[place] for place in places] for h in states)


last_right = {8: {}, 6: {}}
for base, right in last_right.items():
    rnn = stack_rnn(increment, base=base)
    for name, (_, number) in FLOATS.items():
        ones = ("1" * (n + 1) for n in count())
        right[name] = next(len(w) - 1 for w in ones if first_difference(
            control(rnn, rnn.states(w, number)), control(rnn, rnn.states(w))))
    print(f"B = {base}: 1ⁿ is incremented rightly up to n =", right)

# %% [markdown]
"""
(tm-counting)=
### Trained: counting on one's own words

For $n = 1$ the bound of Proposition 4.3 holds with soft attention too,
for any weights: one key gives one vector. In §5 a small network is given one number from 0 to 100 and is to say the next five. **Predict:** what does a decoder without the residual connection around it answer to 42?

<p class="guess">five&nbsp;numbers|one,&nbsp;repeated|nothing</p>
"""

# %% tags=["hide-output"]
from lib.translation import data, model as seq2seq
from lib.translation.train import learn, Training

numbers = data.counting()
words, task = data.Words(numbers.train), Training(200, 800, 1e-2, warmup=50, smoothing=0.0)
for without in ((), *((name,) for name in seq2seq.RESIDUALS)):
    learner = learn(numbers, words, task, width=32, hidden=64, without=without)
    answers = learner(numbers.train.sources, longest=5)
    right = sum(map(str.__eq__, answers, numbers.train.targets))
    print(f"without {', '.join(without) or 'nothing':20}  42 → {answers[42]:14}  {right} right")
    assert "decoder-encoder" not in without or all(len({*a.split()}) <= 1 for a in answers)

# %% [markdown]
"""
:::{dropdown} Why
One, repeated: at most one is proved for $n = 1$, the rest measured,
on the numbers trained on ([more](#tm-measured)). Where the paper takes out the decoder-decoder residual, its code for these tasks takes out the one around the decoder's feed-forward network; both are here.
:::

(tm-copies)=
### Trained: copies longer than any seen

Fig. 3 copies sentences of the Penn Treebank that are longer than the 5 to 12 words trained on: with sinusoidal encodings, or with masking alone. Ours are {glue:text}`tm_copy_words` made-up words drawn by Zipf's law. Loaded, {glue:text}`tm_copy_seeds` {term}`seeds <seed>`.
"""

# %% mystnb={"figure": {"caption": "Copying, BLEU against the words in a sentence: each seed (thin) and the mean of the seeds (thick). Before the dashed line are the lengths trained on. There sinusoids lead; beyond, masking does in the mean, with one layer and with two.", "name": "fig-tm-copies"}, "image": {"alt": "Two panels of two bundles of falling lines; the masking bundle starts lower and falls more slowly than the sinusoidal one.", "classes": "dark-light"}} tags=["hide-input"]
copies, bleus = stored("copy_lengths"), {}
lengths = [*copies.results[0]["result"]["tests"]]
colours = dict(zip(seq2seq.POSITION_SCHEMES, COLOURS.values()))
figure, axes = plt.subplots(1, 2, figsize=(6.4, 2.8), sharey=True)
for row in copies.results:
    layers, positions = row["configuration"]["layers"], row["configuration"]["positions"]
    runs = np.array([row["result"]["tests"][name]["bleu"] for name in lengths])
    bleus[layers, positions], axis, colour = runs, axes[layers - 1], colours[positions]
    axis.plot(lengths, runs, color=colour, alpha=0.35, linewidth=0.8)
    axis.plot(lengths, runs.mean(1), "o-", color=colour, label=positions)
    axis.set(title=("one layer", "two layers")[layers - 1], xlabel="words", ylim=(0, 103))
    axis.axvline(0.5, **REFERENCE)
axes[0].set_ylabel("BLEU")
axes[0].legend()
record.increments(claims, last_right, {name: p for name, (p, _) in FLOATS.items()})
trained.copying(claims, copies, bleus, lengths)

# %% [markdown]
"""
With sinusoids,
the paper's outputs have at most 12 words. Here {glue:text}`tm_copy_whole`, by seed, of 1,000 sentences with 13 to 15 are copied whole.

(tm-translation)=
### Trained: translation

Table 2 tunes translation systems. Without the decoder-encoder connection 8.8 of 32.9 BLEU are lost from German to English and 7.0 of 28.8 from English to Vietnamese; without decoder-decoder, 2.3 and 1.6. Ours train on {glue:text}`tm_iwslt15_pairs` of 133,317 English-Vietnamese pairs, {glue:text}`tm_ted_pairs` English-French ones, and {glue:text}`tm_1_pairs` German-English captions: one layer a side, untuned, {glue:text}`tm_iwslt15_epochs`, {glue:text}`tm_ted_epochs` and {glue:text}`tm_1_epochs` epochs ([settings](#provenance-translations)). **Predict** whose removal costs more.

<p class="guess">decoder-encoder|decoder-decoder|neither</p>
"""

# %% tags=["hide-input", "hide-output"] mystnb={"figure": {"caption": "BLEU without a residual connection, less BLEU with all: seeds (dots) and the 95 % interval of their mean (bars). Dashed are the losses that the paper prints: of each colour the left one is De-En, the right one En-Vi.", "name": "fig-tm-translation"}, "image": {"alt": "Two bars for each of three data sets: the decoder-encoder residual's below zero, the other's across it. The dashed lines of both lie left of all their bars.", "classes": "dark-light"}}
talks, french, captions = (stored(f"translation_{name}") for name in
                           ("iwslt15_residuals", "ted_residuals", "multi30k"))
trained.talks(claims, talks, "En-Vi")
trained.talks(claims, french, "De-En")
gains_figure([talks, french, captions], trained.COMPARED);

# %% [markdown]
"""
:::{dropdown} Why
In BLEU decoder-encoder's: {glue:text}`tm_ted_ahead` seeds into French, {glue:text}`tm_iwslt15_ahead` into Vietnamese, {glue:text}`tm_1_ahead` of captions. What it changes, and the other's (seeds with bootstrapped $p<0.01$):

- of {glue:text}`tm_ted_base` BLEU into French,
{glue:text}`tm_ted_decoder-encoder` ({glue:text}`tm_ted_decoder-encoder_sure`) and {glue:text}`tm_ted_decoder-decoder` ({glue:text}`tm_ted_decoder-decoder_sure`);
- of {glue:text}`tm_iwslt15_base` into Vietnamese,
{glue:text}`tm_iwslt15_decoder-encoder` ({glue:text}`tm_iwslt15_decoder-encoder_sure`) and {glue:text}`tm_iwslt15_decoder-decoder` ({glue:text}`tm_iwslt15_decoder-decoder_sure`) (decoder-encoder's leads in {glue:text}`tm_iwslt15_ahead_loss` by dev loss, in {glue:text}`tm_iwslt15_ahead_long` without brevity penalty);
- captions,
{glue:text}`tm_1_decoder-encoder` ({glue:text}`tm_1_decoder-encoder_sure`) and {glue:text}`tm_1_decoder-decoder` ({glue:text}`tm_1_decoder-decoder_sure`).

8.8 and 7.0 exceed our talks' BLEU: neither could agree.

Captions with three layers (two seeds): without decoder-decoder {glue:text}`tm_3_decoder-decoder_seeds`; the system without decoder-encoder scores {glue:text}`tm_3_decoder-encoder_bleu`, its training loss {glue:text}`tm_3_decoder-encoder_loss`, the baseline's {glue:text}`tm_3_decoder-encoder_base`.
:::

(tm-measured)=
## Measured against the paper
"""

# %% tags=["hide-input"]
trained.synthetic(claims, stored("residuals_synthetic"))
trained.captions(claims, captions)
trained.captions(claims, stored("translation_deeper"))
claims.table()

# %% [markdown]
"""
## Exercises

**1 (compute).** A machine has six tape symbols. What is $B$,
and to which tape depth does float32 run it exactly, whatever it writes?
"""

# %%
# try: your B and your depth in place of the dots, as (B, depth)
check("6.1", ...)

# %% tags=["hide-cell"]
six = Machine(tuple(Rule("A", a, a, "R", "A") for a in "_abcde"), "A", ("accept",))
print(f"B = {six.base}, and floor((24 + 1) / 4) = {(24 + 1) // 4}")
assert exact_depth("abcde", FLOATS["float32"][1]) == 6
check("6.1", (six.base, 6))

# %% [markdown]
"""
**2 (modify).** Give `directional(quarters)` something in place of $2^{-t}$ that does not run out,
so that float16 runs it beyond step 25. (Why did $\$$ need a *decreasing* entry?)
"""

# %%
# try: your transformer in place of the dots
check("6.2", ...)

# %% tags=["hide-cell"]
model = directional(quarters)
(own, across, feed), second = model.decoder
constant = replace(feed.map, out=[(name, form) for name, form in feed.map.out if name != "x₁"])
lasting = replace(model, decoder=((own, across, Sublayer(constant)), second))
truth, half = list(islice(quarters.states("1"), 300)), FLOATS["float16"][1]
for name, transformer in (("2^-t", model), ("constant", lasting)):
    wrong = first_difference(transformer.outputs("1", half), truth)
    print(f"{name}: first wrong h of {len(truth) - 1} in float16: {wrong}")
check("6.2", lasting)

# %% [markdown]
"""
It did not: a key for $\$$ is masked until the input is over, so a constant does too.

**3 (prove or refute).** "With $\mathrm{pos}(i) = 1/i$, and embeddings in $[0, 1]$, Lemma C.4 is right as printed, $F$ being the identity."

<p class="guess">proved|refuted</p>
"""

# %%
# try: "proved", or an RNN on which the lemma goes wrong
check("6.3", ...)

# %% [markdown]
"""
:::{dropdown} Solution
Proved. Every coordinate of $a_t$ lies in $[0, 1]$, where $\sigma$ is the identity,
so $O$ can take each of them away. The score is $-|1/i-1/(t+1)|$,
which is 0 at $i=t+1$ alone; beyond
the end, $1/(t+1)$ is below every key, and $1/n$ is the nearest.
:::
"""

# %% tags=["hide-cell"]
for machine, w in inputs:
    rnn = stack_rnn(machine)
    printed = variants.printed_c4(rnn, reciprocal)
    assert first_difference(printed.outputs(w), rnn.states(w)) is None
print(f"right on all {len(inputs)} inputs, at every step")
check("6.3", "proved")

# %% [markdown]
"""
## What next

Chapter 7 keeps half a string in *one* number.

### Since then

With polynomially many decoding steps the transformers of Merrill and Sabharwal {cite}`merrill2024` decide exactly P, with logarithmically many no more than logarithmic space. They have averaging hard attention, strict causal masks, projected
pre-norm and logarithmic precision.

Jiang and others {cite}`jiang2026` prove softmax enough: with relative positions,
chains of thought run any Turing machine. With causal masks alone,
their programs in C-RASP do so over one letter, not in general.
"""
