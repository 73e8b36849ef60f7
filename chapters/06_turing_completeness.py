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
## Claim

Bhattamishra, Patel and Goyal {cite}`bhattamishra2020` give a short proof that transformers are Turing-complete: recurrent networks are (**Theorem 3.1**,
after Siegelmann and Sontag {cite}`siegelmann1992`), and a decoder simulates any of them step by step, with position encodings (**Theorem 4.1**) or with
masking alone (**Theorem 4.2**). **§4.2** asks which components that takes, and **Proposition 4.3** finds one residual connection to be
indispensable.

What is surprising is how little attention does. It fetches the next input symbol and nothing else; the tape is two numbers in the decoder's own
output, which comes back to it as input. Everything here runs in exact rationals, and floating point is broken on purpose.
"""

# %% tags=["hide-input"]
from dataclasses import replace
from fractions import Fraction
from itertools import count, islice
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
import torch

from lib.book import Claims, glue, markdown_table, stored
from lib.book.figures import COLOURS, REFERENCE, show_plotly, use_style
from lib.book.tape_figures import outputs_table, space_time_figure, tape_slider
from lib.transformer import Form, Head, Space
from lib.translation import model as seq2seq
from lib.translation import runs as sequences
from lib.translation import synthetic, vocabulary
from lib.translation.evaluation import bleu
from lib.translation.train import Training, learn
from lib.turing import programs, variants
from lib.turing import (IDENTITY, RNN, Machine, Rule, Run, SaturatedFFN, Sublayer, Transformer,
                        above, compare, components, configurations, coordinate, denominator_bits,
                        directional, exact, first_difference, index, lowest, one, reciprocal,
                        stack_rnn, vanilla)

use_style()
claims = Claims("06_turing_completeness")
RECURRENT, VANILLA, DIRECTIONAL = "B Thm 3.1/B.1", "B Thm 4.1/C.2", "B Thm 4.2/D.1"
PARTS, RESIDUAL, DEPTH = "B Fig. 2, 4.2", "B Prop. 4.3/C.1", "ours: float depth of the tape"

# %% [markdown]
"""
## Construction

### A machine is a table

Each line says: in this state, reading this symbol, write that one, move, and go to that state. This machine adds 1 to a binary number:
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

Number the tape symbols, the blank first, and let $B$ be a power of two, at least twice as many. What stands at the head and to its right, $a_1 a_2 \dots$, becomes the stack

$$
\Psi_1 = \sum_i 2 a_i B^{-i},
$$

and what stands to its left becomes $\Psi_2$ in the same way. Even digits leave gaps: $B \Psi_1$ lies in $[2 a_1, 2 a_1 + 1)$, so $\sigma(B \Psi_1 - (2j - 1))$ is 1 if $a_1 \ge j$ and 0 otherwise, where
$\sigma(x) = \min(\max(x, 0), 1)$ is the paper's activation. No value in between is possible. The blank has digit 0, so a blank tape is 0, and each tape is one pair of numbers.
"""

# %%
B, digits = increment.base, [2 * increment.symbols.index(a) for a in "1011"]
psi = sum(Fraction(d, B**i) for i, d in enumerate(digits, start=1))
print(f"B = {B}, digits {digits}: Ψ₁ = {psi}")
print("top ≥ 1, 2:", [min(max(B * psi - (2 * j - 1), 0), 1) for j in (1, 2)])

# %% [markdown]
"""
### A recurrent network

Pushing and popping are affine, $(\Psi + 2a)/B$ and $B\Psi - 2a$, and *which* to do is a conjunction of a state and a top symbol. So four layers of $\sigma$ do a step of the machine: *read* both
tops, *choose* the rule, *move* both ways with $\sigma(\text{new value} + [\text{this way}] - 1)$, *merge*. The RNN of Theorem 3.1 holds all four as groups of units in one hidden
state, a token of activity passing from one to the next. Here is a unit of each:
"""

# %%
rnn = stack_rnn(increment)
units = dict(rnn.layers[0])
for name in ("Ψ₁≥2", "carry,1", "Ψ₂ R", "Ψ₁"):
    print(f"{name:8} σ({units[name]})")

# %% [markdown]
"""
In *move*, `Ψ₂ R` is the left stack after a step to the right: the old one over $B$, plus what the chosen rule wrote, plus a gate of 1 for these rules, minus 1. While the input is read, a register `place` holds $B^{-i}$ and `load` collects the symbols.
With $T$ steps of the machine the RNN takes $|w| + 3 + 4T$:
"""

# %%
w = "1011"
states = list(rnn.states(w))
assert list(configurations(increment, rnn, w, states)) == list(increment.run(w))
T = len(list(increment.run(w))) - 1
print(f"{len(rnn.hidden)} hidden units, {T} steps of the machine, {len(states) - 1} of the RNN")
assert len(states) - 1 == len(w) + 3 + 4 * T

# %% [markdown]
"""
$g$ may have several layers in §3.1. With the same four groups as the layers of one $g$, a step of the RNN is a step of the machine (`one_step=True`), in
a quarter of the units.

(tm-vanilla)=
### The vanilla transformer

Theorem C.2's vectors are $[h, s; h_2, x_1, x_2]$. The decoder's output $y_t = [h_t, 0; 0, t+1, 1]$ carries the hidden state and a counter. Keys $[0; -1, i]$ make the score
$-|\langle q, k_i \rangle| = -|i - (t+1)|$, so hardmax attention fetches symbol $t + 1$, and once the input is at its end, the last one, $\$$. The network $O$ computes $g$ and takes away what
was there, $h_{t+1} - h_t$ and $-s$. All of it, for an RNN with one unit, $h_t = \sigma(h_{t-1} + x_t/4)$:
"""

# %%
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
`IDENTITY` is a block with $V = 0$, or $O = 0$, of which the residual connection is left. The last line, `F`, is not in the paper's proof: it keeps $h$ alone. [Below](#tm-counter) is why it must.

(tm-directional)=
### The directional transformer

Without encodings, who tells the decoder that it is step $t$? Theorem D.1 counts: a first layer averages all tokens it may see, and the masking lets it see one more at each step. The share
of each symbol in the input so far, $\omega_t$, rises for the symbol just read and for no other, so $\sigma(\omega_t - \omega_{t-1})$ names that symbol, and a second layer fetches its embedding. At the end nothing rises; there the
entry for $\$$ is $2^{-(t+1)}$, kept in $x_1$.
"""

# %%
outputs_table(directional(quarters), "11", steps=6)

# %% [markdown]
"""
The last three rows are $\omega_{t-1}$, over #, 1 and $\$$.

## Run it

(tm-machines)=
### Six machines, three networks

Every hidden state of the RNN, the vanilla and the directional transformer is compared at every step, in exact rationals, and every configuration read off it with the machine's own. The tests do the
same for 200 random machines and 200 random RNNs, with automata-lib as the judge.
"""

# %%
inputs = {programs.INCREMENT: "1" * 30, programs.ABC: "aaaabbbbcccc", programs.BUSY_BEAVER_4: "",
          programs.MULTIPLY: "11*111=", programs.PALINDROMES: "01100110"}
found = {machine: compare(machine, w) for machine, w in inputs.items()}
head = ["machine", "input", "steps", "RNN steps", "d of h", "d vanilla", "d directional", "right"]
markdown_table(head, [[machine.name, inputs[machine] or "(empty)", len(c.run) - 1, c.rnn_steps,
                       *c.sizes.values(), all(c.holds.values())] for machine, c in found.items()])

# %% tags=["hide-input"]
steps = sum(c.rnn_steps for c in found.values())
for row, name, held in ((RECURRENT, "RNN", "every configuration in the RNN"),
                        (VANILLA, "vanilla", "y = [h, ...] at every step"),
                        (DIRECTIONAL, "directional", "y = [h, ...] at every step")):
    right = sum(c.holds[name] for c in found.values())
    claims.add(row, f"machines with {held} ({steps:,} RNN steps)", paper="all",
               here=f"{right} of {len(found)}", agrees=right == len(found), cell="tm-machines")
on_time = [c.rnn_steps == len(inputs[machine]) + 3 + 4 * (len(c.run) - 1)
           for machine, c in found.items()]
claims.add(RECURRENT, "RNN steps for T steps of the machine", paper="O(|w|) + 4T",
           here="|w| + 3 + 4T", agrees=all(on_time), cell="tm-machines")
quick, run = stack_rnn(programs.PALINDROMES, one_step=True), list(programs.PALINDROMES.run("0110"))
states = list(quick.states("0110"))
held = list(configurations(programs.PALINDROMES, quick, "0110", states)) == run
claims.add(RECURRENT, "RNN steps for T steps of the machine, g of four layers", paper=None,
           here="|w| + 2 + T", agrees=held and len(states) - len(run) == 6, cell="tm-machines")

# %% [markdown]
"""
(tm-champion)=
### The champion

The five-state busy beaver runs for 47,176,870 steps {cite}`bbchallenge2025`. Here are its first 5,000 in the vanilla transformer, that is 20,000 of the decoder's, each with exact attention over all keys:
"""

# %% mystnb={"figure": {"caption": "Three tapes over time, which runs downwards; the thin line is the head. The busy beaver sweeps a growing block, the recogniser crosses off one of each letter in a round trip, and the champion's first 1,500 steps leave a pattern behind every second sweep.", "name": "fig-tm-tapes"}, "image": {"alt": "Three space-time diagrams: a zigzag that widens to the left, a zigzag between coloured columns, and a tapering shape with stripes at its right.", "classes": "dark-light"}}
champion, T = programs.CHAMPION_5, 5000
rnn = stack_rnn(champion)
ys, clock = zip(*((y, perf_counter()) for y in islice(vanilla(rnn).outputs(""), 4 * T + 4)))
equal = first_difference(ys, islice(rnn.states(""), 4 * T + 4)) is None
bits, t = [*map(denominator_bits, ys)], len(ys) - 1
print(f"{t:,} steps, all equal: {equal}; the longest denominator is 2^{max(bits)}")
print(f"first and last 5,000: {clock[5000] - clock[0]:.2f} s, {clock[-1] - clock[-5001]:.2f} s")
claims.add(VANILLA, "steps of the 5-state champion right", "all", f"{t:,}", equal, "tm-champion")
shown = {programs.BUSY_BEAVER_4: "", programs.ABC: "aaaabbbbcccc", champion: ""}
space_time_figure({machine.name: (machine, list(islice(machine.run(w), 1500)))
                   for machine, w in shown.items()});

# %% [markdown]
"""
(tm-stacks)=
### Step by step, with the stacks

Unary multiplication, `11*11=`. Drag the slider: above the tape, below it the two numbers that *are* the tape, as the vanilla transformer holds them. **Predict** which of them moves when the head goes to the right over a blank.
"""

# %%
machine, w = programs.MULTIPLY, "11*11="
unary = stack_rnn(machine)
names, ys = unary.hidden.names, list(vanilla(unary).outputs(w))
run = list(configurations(machine, unary, w, [y[:len(names)] for y in ys]))
registers = [[float(y[names.index(stack)]) for stack in ("Ψ₁", "Ψ₂")] for y in ys[len(w) + 3::4]]
show_plotly(tape_slider(machine, run, registers))

# %% [markdown]
"""
Both do: a blank has the digit 0, so $\Psi_1$ becomes $B \Psi_1$ and $\Psi_2$ becomes $\Psi_2 / B$, unless they are 0.

### What grows

Keys and values are kept and never computed again, so attention costs one pass over the keys of the input, at every step the same: above, the last 5,000 steps take about as long as the first. What grows is the numbers. Each cell of the tape costs $\log_2 B$ bits; in the directional transformer $2^{-t}$ costs a bit a *step*, whatever the tape does.
"""

# %% mystnb={"figure": {"caption": "The longest denominator in the decoder's output, in bits, along the champion's run. In the vanilla transformer it follows the tape's width (dashed: $\\log_2 B = 2$ bits a cell); in the directional one it is the number of steps.", "name": "fig-tm-bits"}, "image": {"alt": "Two curves on logarithmic axes; the straight one rises to four thousand bits, the stepped one stays below three hundred beside a dashed line.", "classes": "dark-light"}}
longest = [*map(denominator_bits, islice(directional(rnn).outputs(""), 4000))]
deepest = [2 * max(len(c.left), len(c.right)) for c in islice(champion.run(""), T + 1)]
figure, axis = plt.subplots()
axis.plot(range(1, len(longest)), longest[1:], color=COLOURS["FIRST"], label="directional")
axis.plot(range(1, t + 1), bits[1:], color=COLOURS["PARITY"], label="vanilla")
axis.plot(range(3, 4 * T + 4, 4), deepest, label="2 bits a cell", **REFERENCE)
axis.set(xscale="log", yscale="log", xlabel="step $t$", ylabel="bits", ylim=(1, None))
axis.legend();

# %% [markdown]
"""
## Break it

(tm-paste)=
### Your machine here

Replace the table, the input, or both. Anything with one tape and at most one rule for a state and a symbol will run, and whatever is wrong with a table is said with the rule's number.
"""

# %% mystnb={"figure": {"caption": "The pasted machine's tape: there and back once.", "name": "fig-tm-paste"}, "image": {"alt": "A space-time diagram in which the head walks to the right end of the input and back, exchanging two colours on its way back.", "classes": "dark-light"}}
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
print(f"{len(mine_found.run) - 1} steps, coordinates {mine_found.sizes}: {mine_found.run[-1]}")
print("right at every step:", mine_found.holds)
space_time_figure({mine.name: (mine, mine_found.run)}).set_size_inches(3.6, 3.4)
held = all(mine_found.holds.values())
claims.add("ours: Turing machines to paste", "the machine in the cell, in all three", paper=None,
           here="right at every step" if held else "wrong", agrees=held, cell="tm-paste",
           note="so are 200 random machines in the tests, against automata-lib")
for wrong in ("turn 1 -> 1 L turn", "stop 1 -> 1 X turn", "turn x -> x R nowhere"):
    try:
        Machine.parse("find _ -> _ L turn\nturn 1 -> 0 L turn\nturn _ -> _ R accept\n" + wrong)
    except ValueError as error:
        print(error)

# %% [markdown]
"""
(tm-counter)=
### As printed, the counter counts 1, 2, 4, 7, 11

Lemma C.4 wants $O$ to output $-(t+1)$, which clears the counter before $\mathrm{pos}$ adds the next. But the lemma's hidden layer is $\sigma(W_1 a + b)$, and $\sigma$ clips at 1: no network of this kind can output $-(t+1)$, for its output is bounded.
**Predict** what $y_t$'s counter does if only 1 is taken away each time, and which symbols are read.
"""

# %% mystnb={"figure": {"caption": "The decoder's counter, which is the position that it reads next. As printed it runs 1, 2, 4, 7, 11 (circles), so the third symbol read is the fourth; with $F$ dropping it, or with pos$(i) = 1/i$, it is right (line).", "name": "fig-tm-counter"}, "image": {"alt": "Circles on a parabola that leaves a straight line at the third point.", "classes": "dark-light"}}
rnn, w = stack_rnn(increment), "1011"
broken = [int(y[-2]) for y in islice(variants.printed_c4(rnn).outputs(w), 8)]
right = [int(y[-2]) for y in islice(vanilla(rnn).outputs(w), 8)]
figure, axis = plt.subplots(figsize=(6.4, 2.6))
axis.plot(right, color=COLOURS["PARITY"], label="repaired")
axis.plot(broken, "o", color=COLOURS["FIRST"], label="as printed")
axis.set(xlabel="step $t$", ylabel="position read")
axis.legend();

# %% [markdown]
"""
The definition of a decoder (§3.2) ends in a map $F$, which the proof leaves the identity. Letting $F$ drop everything but $h$ repairs it, whatever the embedding. Seven smaller slips are in the errata, each run as printed:
"""

# %% tags=["hide-input"]
print("printed:", broken, " repaired:", right)
truth = list(rnn.states(w))
first_wrong = first_difference(variants.printed_c4(rnn).outputs(w), truth)
here = {"row": VANILLA, "cell": "tm-counter"}
claims.erratum(place="B Lemma C.4", printed=r"$O$ outputs $-(t+1)$", **here,
               correct=r"$F$ drops the counter: $\sigma$ clips at 1",
               holds=broken[:5] == [1, 2, 4, 7, 11] and first_wrong == 3,
               checked="As printed the counter runs 1, 2, 4, 7, 11, and h₃ is wrong.")
unread = first_difference(Run(vanilla(rnn), exact).outputs([*w, "$"]), truth)
claims.erratum(place="B C.2, eq. (9)", **here,
               printed=r"$\tilde y_t + \mathrm{pos}(t)$, with # at 0",
               correct=r"$\tilde y_t + \mathrm{pos}(t+1)$, with # at 1",
               holds=unread == 1 and next(vanilla(rnn).outputs(w))[-2:] == [1, 1],
               checked="y₀ = [.., 1, 1] is pos(1); with # at 0 it is not read, and h₁ is wrong.")
claims.erratum(place="B Lemma C.5", printed="the maximum $t + 1 - n$", correct="$-(t + 1 - n)$",
               holds=max(-abs(i - 9) for i in range(1, 7)) == -(9 - 6), **here,
               checked="At t = 8, n = 6 the largest score is -3.")
as_printed = Sublayer(replace(read, k=[x2, -x1]))
also = replace(small, decoder=[(IDENTITY, as_printed, Sublayer(O))])
claims.erratum(place="B C.3, $W_k$", printed="gives the key $(1, -i)$", **here,
               correct="$(-1, i)$; harmless",
               holds=first_difference(also.outputs("11"), islice(small.outputs("11"), 9)) is None,
               checked="Both keys give the same outputs: the score is an absolute value.")

# %% tags=["hide-input"]
here = {"row": DIRECTIONAL, "cell": "tm-directional"}
ends = {misprint: first_difference(variants.printed_d2(rnn, misprint).outputs(w), truth)
        for misprint in variants.D2_MISPRINTS}
right = first_difference(directional(rnn).outputs(w), truth) is None
claims.erratum(place="B Lemma D.2", **here,
               printed=r"$\omega_t$ in the first block; $+s_{0:t}$; $\delta_t - \omega_t$",
               holds=right and None not in ends.values(),
               correct=r"$\omega_t$ in the block of its value, $-s_{0:t}$, $\delta_t$",
               checked=f"Each alone: first wrong h at t = {', '.join(map(str, ends.values()))}.")
claims.erratum(place="B D.1, $h_{-1} = h_0 = 0$", printed="reading # leaves $h = 0$", **here,
               correct="only if $g(b) = 0$; the RNN reads # like any symbol", holds=any(truth[1]),
               checked="This RNN's state after # is not 0: # starts the loading.")
shares = [y[-3:] for y in islice(directional(quarters).outputs("11"), 4)]
claims.erratum(place=r"B D.1, $\omega_t$", printed=r"$\frac{1}{t+1} \sum_j ⟦s_t⟧$", **here,
               correct=r"$\frac{1}{t+1} \sum_j ⟦s_j⟧$",
               holds=shares[2] == [exact(Fraction(1, 2))] * 2 + [0],
               checked="After #1 the shares are 1/2, 1/2, 0; the printed sum is 0, 1, 0.")
tokens = quarters.tokens("11")
weights = Fraction(tokens[:2].count("1"), tokens[:-1].count("1"))
claims.erratum(place=r"B D.1, $\lambda_t$", printed=r"$\sum_{j=0}^{n-1} I(s_j = s_t)$", **here,
               correct=r"$\sum_{j=0}^{\bar t}$, weights from $j = 0$", holds=2 * weights == 1,
               checked="On 11 at t = 1 the printed weights sum to 1/2: the second 1 is masked.")

# %% [markdown]
"""
(tm-components)=
### Take a part away

Fig. 2 colours what is needed. Each component is removed from the vanilla transformer of three machines, and where the paper says that a neighbour can take over, it does: attention becomes the identity
by looking at its own position.
"""

# %%
tried = [(stack_rnn(machine), w) for machine, w in
         ((increment, "1011"), (programs.PALINDROMES, "0110"), (programs.ABC, "aabbcc"))]
removed = list(zip(*(components(rnn) for rnn, _ in tried)))
lines, notes = [], {"nothing": "this construction; no proof for all",
                    "the FFN as identity, pos(i) = i": "σ clips the position; see the next row"}
for trio in removed:
    wrong = [first_difference(c.transformer.outputs(w), rnn.states(w))
             for c, (rnn, w) in zip(trio, tried)]
    found = "right" if wrong == [None] * 3 else f"wrong from h {min(filter(None, wrong))} on"
    part = trio[0]
    lines.append([part.part, part.instead, part.paper, found])
    agrees = (found == "right") == (part.paper != variants.NEEDED)
    claims.add(PARTS, f"without {part.part}; {part.instead}", part.paper, found, agrees,
               "tm-components", note=notes.get(trio[0].instead, ""))
markdown_table(["without", "instead", "Fig. 2 and §4.2", "here"], lines)

# %% [markdown]
"""
What §4.2 calls replaceable is, with one proviso: the encoder's feed-forward network, without its residual connection, cannot be the identity on a position $i$, since $\sigma$ clips it. With $\mathrm{pos}(i) = 1/i$ it can. The three components "needed" break this
construction, and without the attention to the encoder nothing of the input is left. For the other two, to break one construction proves nothing about all.

(tm-residual)=
### Proposition 4.3

Without the residual connection around decoder-encoder attention, $a_t$ is an average of some of the $n$ encoder values: at most $2^n - 1$ vectors. So a network with a single input repeats one output for ever. **Predict** for $n = 3$: seven?
Forty random decoders of two layers, 16 outputs each, in exact rationals, so that "distinct" means distinct:
"""

# %%
most = {}
for n, tokens in enumerate(("a", "ab", "abc"), start=1):
    for residual in (False, True):
        decoders = (variants.random_decoder(seed, residual) for seed in range(40))
        runs = (Run(decoder, exact).outputs(tokens) for decoder in decoders)
        most[n, residual] = max(len({str(y[:4]) for y in islice(run, 1, 17)}) for run in runs)
    print(f"n = {n}: {most[n, False]} without, {most[n, True]} with; the bound is {2**n - 1}")

# %% [markdown]
"""
The bound holds, and is far off: a hardmax rarely ties, so $n$ vectors are the rule. Does it bound *computation*? The proof concludes that such a decoder cannot make inferences from its earlier outputs, counting being the example. But it still attends to all of them. Here is a decoder without that
residual connection, and without a feed-forward network, whose three inputs are a table: sum 0, 1 or 2, with its bit and carry. Step by step it writes the binary numbers 1, 2, 3, ... one below the other, number $k$ with $k$ bits, the lowest first. Its position encoding says where
the bit above stands; its attention to itself reads that bit, and its attention to the encoder looks the sum up.
"""

# %%
S = Space("bit", "carry", "read", "i", "above", "start", "1")
bit, carry, bit_above, i, up, add, unit = S
sum_of_bits = bit_above + carry + add
look = Head(q=[up, unit], k=[-unit, i], v={"read": bit})                              # to itself
table = Head(q=[sum_of_bits + unit, unit], k=[-unit, i], v={"bit": bit, "carry": carry})
counter = Transformer(S, {"0": Form(), "1": bit, "2": carry},
                      {index: i, above: up, lowest: add, one: unit},
                      encoder=[(IDENTITY, IDENTITY)],
                      decoder=[(Sublayer(look), Sublayer(table, residual=False), IDENTITY)])
outputs = [y[:2] for y in islice(Run(counter, exact).outputs("012"), 1, 1 + 40 * 41 // 2)]
bits = iter(int(y[0]) for y in outputs)
numbers = [sum(next(bits) << j for j in range(k)) for k in range(1, 41)]
vectors = len({tuple(map(int, y)) for y in outputs})
print(*numbers[:12], "...", numbers[-1], f"with {vectors} vectors")
for n in (1, 2, 3):
    claims.add(RESIDUAL, f"distinct outputs in 16 steps, 40 decoders, n = {n}: without, with",
               paper=f"at most {2**n - 1} without", here=f"{most[n, False]} and {most[n, True]}",
               agrees=most[n, False] <= 2**n - 1 < most[n, True], cell="tm-residual")
claims.add(RESIDUAL, f"what a decoder without it, and without FFN, counts with {vectors} vectors",
           paper="cannot use its earlier outputs", here=f"1 to {numbers[-1]}", cell="tm-residual",
           agrees=numbers != list(range(1, 41)),
           note="the proof bounds the vectors, not what a sequence of them holds")

# %% [markdown]
"""
So the proposition's argument settles tasks whose *answers* are more than $2^n - 1$ different vectors, as its $0, \Delta, 2\Delta, \dots$ is. It does not settle the class of languages, by which §3.1 defines Turing-completeness: a sequence over three vectors holds as much as one likes. The same decoder leaves
the necessity of the feed-forward network open. We claim neither that such decoders are Turing-complete nor that they are not.

(tm-depth)=
### Floating point

The paper leaves finite precision to future work. A stack of depth $D$ is a multiple of $2 B^{-D}$; with $B = 2^b$ it needs at most $Db - 1$ bits, and with the right symbols exactly so many. No sum on the way needs more than $Db$ in any order, and none after the input has been loaded more than $Db - 1$ in ours, which adds a row's constant first.
**Predict** the depth to which a significand of $p$ bits is exact, before the run: a machine that writes its second symbol once and then its last for ever.
"""

# %% mystnb={"figure": {"caption": "The tape depth to which the run is exact, against the bits of a symbol (dots), lies on $\\lfloor (p+1) / \\log_2 B \\rfloor$ for a significand of $p$ bits (dashed).", "name": "fig-tm-depth"}, "image": {"alt": "Four falling series of dots, one for each float type, each on its dashed line.", "classes": "dark-light"}}
FLOATS = {"bfloat16": (8, lambda x: torch.tensor(float(x), dtype=torch.bfloat16)),
          "float16": (11, lambda x: np.float16(float(x))),
          "float32": (24, lambda x: np.float32(float(x))), "float64": (53, float)}


def exact_depth(symbols, number):
    rules = Rule("A", "_", symbols[0], "R", "B"), Rule("B", "_", symbols[-1], "R", "B")
    rnn = stack_rnn(Machine(rules, "A", ("accept",), alphabet=tuple(symbols)))
    return (first_difference(rnn.states("", number), rnn.states("")) - 3) // 4


depths = {(name, b): exact_depth("abcdefghijklmno"[:2 ** (b - 1) - 1], number)
          for name, (_, number) in FLOATS.items() for b in (2, 3, 4, 5)}
figure, axis = plt.subplots(figsize=(6.4, 2.8))
for (name, (p, _)), colour in zip(FLOATS.items(), COLOURS.values()):
    found = [depths[name, b] for b in (2, 3, 4, 5)]
    axis.plot((2, 3, 4, 5), [(p + 1) // b for b in (2, 3, 4, 5)], **REFERENCE)
    axis.plot((2, 3, 4, 5), found, "o", color=colour, label=f"{name} (p = {p})")
    claims.add(DEPTH, f"{name}: exact tape depth for B = 4, 8, 16, 32", paper=None,
               here=", ".join(map(str, found)), cell="tm-depth",
               agrees=found == [(p + 1) // b for b in (2, 3, 4, 5)], note="⌊(p + 1) / log₂ B⌋")
axis.set(xlabel="$\\log_2 B$ (bits a symbol)", ylabel="cells", xticks=(2, 3, 4, 5), yscale="log")
axis.legend(fontsize=8);

# %% [markdown]
"""
In any order of summation, and with any input, $\lfloor p / \log_2 B \rfloor$ is safe; the tests try ours on random machines. A power of two is not a matter of taste. $B = 6$ is enough for three symbols, and shorter; but $1/6$ is no binary fraction. Forget exactness and ask only whether the machine is in the right state at every step:
"""

# %%
def control(rnn, states):
    """The units q=... alone: what the machine does, whatever becomes of the last digits."""
    places = [rnn.hidden.names.index(f"q={state}") for state in increment.states]
    return ([h[place] for place in places] for h in states)


last_right = {}
for base in (8, 6):
    rnn = stack_rnn(increment, base=base)
    for name, (_, number) in FLOATS.items():
        words = ("1" * (n + 1) for n in count())
        last_right[base, name] = next(len(w) - 1 for w in words if first_difference(
            control(rnn, rnn.states(w, number)), control(rnn, rnn.states(w))))
    found = ", ".join(f"{last_right[base, name]} in {name}" for name in FLOATS)
    print(f"B = {base}: 1ⁿ is incremented rightly up to n = {found}")
    better = all(last_right[8, name] >= last_right[base, name] for name in FLOATS)
    claims.add(DEPTH, f"increment of 1ⁿ, B = {base}: its states right up to n", paper=None,
               here=found, agrees=better, cell="tm-depth")

# %% [markdown]
"""
What this means for the machines, in the RNN (where the tests compare them, the vanilla transformer leaves the exact run at the same step); a step of the machine is four of the RNN:
"""

# %%
lines = []
tapes = [(increment, "1011"), (increment, "1" * 12), *list(inputs.items())[1:], (champion, "")]
for machine, w in tapes:
    rnn = stack_rnn(machine)
    truth = list(islice(rnn.states(w), 3000))
    wrong = [first_difference(rnn.states(w, number), truth) for _, number in FLOATS.values()]
    shown = ["never" if t is None else str(t) for t in wrong]
    lines.append([machine.name, f"`{w}`" if w else "empty", machine.base, len(truth) - 1, *shown])
    order = [len(truth) if t is None else t for t in wrong]
    claims.add(DEPTH, f"{machine.name}, {w or 'empty'}: first RNN step off, {', '.join(FLOATS)}",
               paper=None, here=", ".join(shown), agrees=order == sorted(order), cell="tm-depth")
markdown_table(["machine", "input", "B", "RNN steps", *FLOATS], lines)

# %% [markdown]
"""
(tm-runs-out)=
The directional transformer has a clock of its own: $2^{-t}$ is its only sign that the input is over. **Predict** when the RNN that counts in quarters goes on counting, on the input `1`.
"""

# %%
for name, (_, number) in FLOATS.items():
    gone = first_difference(directional(quarters).outputs("1", number), quarters.states("1"))
    kind = torch.finfo(getattr(torch, name))
    rounds = round(-np.log2(kind.smallest_normal) - np.log2(kind.eps)) + 1       # 2^-t is 0
    print(f"{name}: the first wrong hidden state is h {gone}")
    claims.add(DEPTH, f"{name}: first wrong h of a directional transformer past its input",
               paper=None, here=gone, agrees=gone == rounds, cell="tm-runs-out")

# %% [markdown]
"""
There $2^{-t}$ rounds to 0: all scores are 0, and the decoder reads the average of all tokens.

(tm-counting)=
### Trained: counting on one's own words

Proposition 4.3 holds for any weights, trained ones too. In §5 a small network is given one number from 0 to 100 and is to say the next five. With a single input, attention to the
encoder gives one vector whatever asks for it; without the residual connection around it, what the decoder has said is lost there. **Predict:** what does such a decoder answer to 42?
"""

# %%
numbers = synthetic.counting()
words, task = vocabulary.Words(numbers.train), Training(200, 800, 1e-2, warmup=50, smoothing=0.0)
for without in ((), *((name,) for name in seq2seq.RESIDUALS)):
    learner = learn(numbers, words, task, width=32, hidden=64, without=without)
    answers = learner(numbers.train.sources, longest=5)
    right = sum(map(str.__eq__, answers, numbers.train.targets))
    print(f"without {', '.join(without) or 'nothing':20}  42 → {answers[42]:14}  {right} right")
    assert "decoder-encoder" not in without or all(len({*a.split()}) <= 1 for a in answers)

# %% [markdown]
"""
One number over and over: the assertion is the proposition, the rest is learned. Copying a sentence asks for no memory of what was said, since a position alone finds the next word, and all variants learn it
(both tasks stand with more seeds in the table [below](#tm-measured)). Where the paper takes out the decoder-decoder residual, its code takes out the one around the decoder's feed-forward network; both are here.

(tm-copies)=
### Trained: copies longer than any seen

Fig. 3 copies sentences longer than the 5 to 12 words trained on, with sinusoidal encodings or with masking alone, where every position attends to itself and to earlier ones, in encoder and decoder. Live, one seed; then
{glue:text}`tm_copy_seeds` seeds and larger networks, loaded.
"""

# %%
sentences = synthetic.copy(words=30, train=10_000, test=200)
words, task = vocabulary.Words(sentences.train), Training(8, 1000, 1e-2, 100, smoothing=0.0)
for positions in seq2seq.POSITION_SCHEMES:
    learner = learn(sentences, words, task, width=32, hidden=64, positions=positions)
    copied = {name: round(bleu(learner(pairs.sources), pairs.targets))
              for name, pairs in sentences.tests.items()}
    print(f"{positions:11}", copied)

# %% mystnb={"figure": {"caption": "Copying, BLEU against the words in a sentence: the mean of the seeds (line), and from the worst to the best (band). Left of the dashed line are the lengths trained on. There sinusoids lead; beyond, masking does, with one layer and with two.", "name": "fig-tm-copies"}, "image": {"alt": "Two panels of two falling lines with bands; the masking line starts lower and falls more slowly than the sinusoidal one.", "classes": "dark-light"}} tags=["hide-input"]
copies, bleus = stored("copy_lengths"), {}
lengths = [f"{a}-{b}" for a, b in synthetic.TESTED_LENGTHS]
colours = dict(zip(seq2seq.POSITION_SCHEMES, COLOURS.values()))
figure, axes = plt.subplots(1, 2, figsize=(6.4, 2.8), sharey=True)
for row in copies.results:
    layers, positions = row["configuration"]["layers"], row["configuration"]["positions"]
    runs = np.array([row["result"]["tests"][name]["bleu"] for name in lengths])
    bleus[layers, positions], axis, colour = runs, axes[layers - 1], colours[positions]
    axis.plot(lengths, runs.mean(1), "o-", color=colour, label=positions)
    axis.fill_between(lengths, runs.min(1), runs.max(1), color=colour, alpha=0.15, linewidth=0)
    axis.set(title=("one layer", "two layers")[layers - 1], xlabel="words", ylim=(0, 103))
    axis.axvline(0.5, **REFERENCE)
axes[0].set_ylabel("BLEU")
axes[0].legend()
glue("tm_copy_seeds", runs.shape[1])
for layers in (1, 2):
    ahead = (bleus[layers, "masking"] - bleus[layers, "sinusoidal"]).mean(1)[1:]
    claims.add("B Fig. 3, Table 4", paper="above 0", read_off=True, cell="tm-copies",
               quantity=f"BLEU of masking less sinusoidal at {', '.join(lengths[1:])} words, "
               f"{layers} layer(s)", here=", ".join(f"{x:+.1f}" for x in ahead),
               agrees=bool((ahead > 0).all()), source=copies.source)

# %% [markdown]
"""
(tm-translation)=
### Trained: translation

Table 2 takes residual connections out of translation systems for IWSLT data, which are not at hand here. The same is done on Multi30k (German-English captions): one layer on each side, {glue:text}`tm_1_seeds` seeds; three layers, {glue:text}`tm_3_seeds` seeds. A word of
the output can be found from the input alone, so the loss should be a part of the score and not all of it. **Predict** where it is larger.

With one layer nothing is lost: {glue:text}`tm_1_decoder-encoder` BLEU without the decoder-encoder residual, {glue:text}`tm_1_decoder-decoder` without the decoder-decoder one, within what seeds differ by. With three, {glue:text}`tm_3_decoder-encoder` and {glue:text}`tm_3_decoder-decoder`. Without the first, each decoder layer hands on only what it heard, and what was said gets through
as a query of a query: in three epochs that is not learned at all. The paper loses 8.8 and 2.3, and still translates.

(tm-measured)=
## Measured against the paper
"""

# %% tags=["hide-input"]
alone, PAPER = stored("residuals_synthetic"), {"": (100.0, 100.0), "decoder-encoder": (99.7, 0.0),
                                               "decoder-decoder": (99.7, 99.8)}
for row in alone.results:
    task, without = row["configuration"]["task"], "".join(row["configuration"]["without"])
    bleu_of = row["result"]["tests"]["all" if task == "counting" else "5-12"]["bleu"]
    mean, paper = np.mean(bleu_of), PAPER.get(without, (None, None))[task == "counting"]
    claims.add("B Table 1, 3", cell="tm-counting", source=alone.source, paper=paper,
               quantity=f"BLEU of {task}, {f'no {without}' if without else 'every'} residual, "
               f"{len(bleu_of)} seeds", here=f"{mean:.1f} ({min(bleu_of)} to {max(bleu_of)})",
               agrees=paper is None or bool(abs(mean - paper) < 1.5))
LOST = {"no decoder-encoder residual": "-8.8", "no decoder-decoder residual": "-2.3"}
for run, layers in ((stored("translation_multi30k"), 1), (stored("translation_deeper"), 3)):
    for name in (v for v in run.results[0]["configuration"]["variants"] if "residual" in v):
        c, paper = sequences.compared(run.results, "all", name), LOST.get(name)
        glue(f"tm_{layers}_{name.split()[1]}", f"{c.gain.mean():+.1f}")
        claims.add("B Table 2", f"BLEU, {name} less baseline, {layers} layer(s)", paper=paper,
                   here=f"{c.gain.mean():+.1f} from {c.baseline.mean():.1f}; p ≤ {c.p.max():.3f}",
                   agrees=paper is None or bool((c.gain < 0).all() and c.p.max() < 0.05
                                                and (c.variant > c.baseline / 2).all()),
                   source=run.source, cell="tm-translation", data="Multi30k")
    glue(f"tm_{layers}_seeds", len(c.p))
claims.table()

# %% [markdown]
"""
## Exercises

**1 (compute).** A machine has six tape symbols. What is $B$, and to which tape depth does float32 run it exactly, in the order of summation used here?
"""

# %% tags=["hide-cell"]
six = Machine(tuple(Rule("A", a, a, "R", "A") for a in "_abcde"), "A", ("accept",))
print(f"B = {six.base}, and floor((24 + 1) / 4) = {(24 + 1) // 4}")
assert exact_depth("abcde", FLOATS["float32"][1]) == 6

# %% [markdown]
"""
**2 (modify).** Give the directional transformer something in place of $2^{-t}$ that does not run out, and run it in float16 beyond step 25. (Why did $\$$ need a *decreasing* entry?)
"""

# %% tags=["hide-cell"]
model = directional(quarters)
(own, across, feed), second = model.decoder
constant = replace(feed.map, out=[(name, form) for name, form in feed.map.out if name != "x₁"])
lasting = replace(model, decoder=((own, across, Sublayer(constant)), second))
truth, half = list(islice(quarters.states("1"), 300)), FLOATS["float16"][1]
for name, transformer in (("2^-t", model), ("constant", lasting)):
    wrong = first_difference(transformer.outputs("1", half), truth)
    print(f"{name}: first wrong h of {len(truth) - 1} in float16: {wrong}")

# %% [markdown]
"""
It did not: a key for $\$$ is masked until the input is over, so a constant does as well.

**3 (prove or refute).** "With $\mathrm{pos}(i) = 1/i$ Lemma C.4 is right as printed, $F$ being the identity."

:::{dropdown} Solution
Proved, for embeddings in $[0, 1]$. Every coordinate of $a_t$ then lies in $[0, 1]$, where $\sigma$ is the identity, so $O$ can take each of them away. The score is $-|1/i - 1/(t+1)|$, which is 0 at $i = t + 1$ alone; beyond
the end, $1/(t+1)$ is below every key, and $1/n$ is the nearest. (An embedding outside $[0, 1]$ is not carried by $\sigma$ either, but it is bounded, so it can be scaled.)
:::
"""

# %% tags=["hide-cell"]
for machine, w in inputs.items():
    rnn = stack_rnn(machine)
    printed = variants.printed_c4(rnn, reciprocal)
    assert first_difference(printed.outputs(w), rnn.states(w)) is None
print("right on all five machines, at every step")

# %% [markdown]
"""
## What next

These networks are exact on paper and lose a tape of a few dozen cells in float64. Chapter 7 meets the same wall from the other side: a transformer that keeps a string in *one* number, and a theorem on how long it can be.
"""
