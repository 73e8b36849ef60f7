# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Errata

This page lists the misprints and gaps that we met in the four papers while we ran them, ordered by what they change, the most serious first. At the end are our own faults.

A chapter checks each correction by code at each build; the link in the first column leads there.

The places are those of Chiang and Cholak {cite}`chiang2022`, Ouellette and others {cite}`ouellette2023`, Bhattamishra and others
{cite}`bhattamishra2020` and Nowak and others {cite}`nowak2022`, in the editions that the {doc}`bibliography <bibliography>` links to. The code of Nowak and others is
[their repository](https://github.com/giacomocamposampiero/palindrome-transformer) at commit `681d35d`.
"""

# %% tags=["remove-input"]
from IPython.display import Markdown

from chapters.errata.tables import errata, tally

Markdown(tally())

# %% [markdown]
r"""
## A statement does not hold

The statement is false as printed, or names the wrong cause. *Correct* says what remains true. A good part of Proposition 4.3 and Fig. 2 of Bhattamishra and others does; [the record](#tm-residual) says which, and under which condition on $\mathrm{pos}$. What is not reproduced, with no line to correct, is on the {doc}`scorecard <scorecard>` under *differs*.
"""

# %% tags=["remove-input", "errata"]
errata("a statement")

# %% [markdown]
r"""
## A proof needs a condition or another argument

The conclusion is true if the condition is added, or by another argument, which the chapter gives.
"""

# %% tags=["remove-input", "errata"]
errata("a proof")

# %% [markdown]
r"""
## A construction fails as printed

Built to the letter, the construction decides incorrectly, or does not do what its proof says of it. Corrected, it does.
"""

# %% tags=["remove-input", "errata"]
errata("a construction")

# %% [markdown]
r"""
## An experiment was another than described

Anyone who repeats the experiment from the text makes another one, or reads another number off its figures.
"""

# %% tags=["remove-input", "errata"]
errata("an experiment")

# %% [markdown]
r"""
## A formula has another value

A sign, a function or a special case changes; the transformer that the formula describes decides as before.
"""

# %% tags=["remove-input", "errata"]
errata("a formula")

# %% [markdown]
r"""
## Only the wording changes

Sizes, indices and names change; nothing else depends on them.
"""

# %% tags=["remove-input", "errata"]
errata("the wording")

# %% [markdown]
r"""
## What this book itself got wrong

These faults could have led a reader to a false conclusion. The most serious come first. Each is fixed, and a test guards it.

(own-false-proof)=
**A false proof** (in the book from 24 to 27 November 2026). `proved_equal("once(total(Q('a')) == 9 and mod(12, 0))", "False", "ab")` claimed, as proved for every length, that no string satisfies the formula, although nine a's followed by three b's do. The search for invariants keeps a queue of the controls whose successors it must still check. It marked starting controls that no short string visits as reached, but never put them into that queue, so it did not ask where they lead. A reader found this with an independent program and random formulas with large constants. The second solver, cvc5, refuses the certificate, because a symbol leads out of its rooms, but only one function asked cvc5. Now `proved_equal` and `judge` say *proved* only after cvc5 has accepted the certificate, and `proved_by_kinds` only after cvc5 has confirmed what z3 refuted. All 62 stored certificates were checked again on the record page of chapter 11, and cvc5 accepts each of them.

**A false proof of a hard-attention network** (from 24 to 27 November 2026). A construction with unique hard attention is proved by turning it into a finite automaton. If a position encoding asked for the number of tokens, such as `[n=5]`, the automaton belonged to another network, and the proof was false. A reader found this by writing such a construction. It is refused now. No construction of this book with unique hard attention has such an encoding, so no claim was affected.

**Two false proofs of constructions by kinds of token** (from 24 to 27 November 2026). Such a proof reads a construction on numbers of symbols instead of strings. If a position encoding shifted a remainder, as in `(i-1) mod 14`, the proof counted too few positions with this remainder, so no case covered a long string, and anything passed as proved of long strings. If a position encoding divided whole numbers, as in `1/49`, the quotient was a float, whereas the readers take it exactly. Two readers found this by writing such constructions. Remainders and quotients are exact now, and tests draw random constructions at each commit. No construction of this book has such an encoding, so no claim was affected.

**Lengths that were called right and were not** (27 November 2026). The cells of chapter 13 send many strings through a trained network at once. If a token's attention weight was too small for a float in the middle of a cell, the token counted as weightless in the whole cell, although a longer or fuller string gives it a weight of $e^{-40}$, which can decide if the value is large. A network with weights up to $10^{23}$ was called right on every string of up to 512 symbols, and errs on $1^{400}$. A reader found this by constructing that network. Such a weight now counts in the bound. The fault needs logits that differ by more than 700, and those of the networks that the chapter keeps differ by less than 5.

**Forged certificates that were accepted** (`is_proof` from 24 to 28 November 2026, the checker of chapter 13 on 27 and 28 November). Readers found these by writing such certificates. No program of this book writes any of them, so no claim was affected.

- `is_proof` accepted whatever a certificate claimed if it described its specification twice, as a counter machine and as an automaton without states, which makes no step that could fail.
- Until 28 November `is_proof` also accepted a machine with a final state that it does not have (cvc5 calls its state by such a number after a move that does not exist), and read 0.5 as 0. So the certificate of a machine that accepts nothing could prove that it accepts every string except the empty one.
- The checker of chapter 13 accepted a first error made of a quarter of a 0 and three quarters of a 1, several steps where one is meant, and one start for each length, so that lengths could be left out. It also accepted a language whose factors are so large that products overflow: a network that accepts everything passed as right for *no 0s*.

Now a specification is of one kind and ends in its own states, every number in a certificate is a whole one within bounds that are checked, and no list stands where one number is meant.

**Positions that were read in two ways** (from 22 to 27 November 2026). No page used any of them. A position encoding with a letter that Python's parser takes for `n`, such as the mathematical 𝑛, was read as `n`, but was not seen to depend on the length. If many strings were decided at once, each prefix was then treated as the whole string, so *proved for each string* could be false. Three contradictions in a network's description also passed without a word: two tables of positions, a `config.json` with another number of layers than the file, and one tensor under two names. All of these are refused now.

**A second witness that was not there** (from 24 to 27 November 2026). *Adapt this* said that every proof for every length counts only after cvc5 has accepted it. Two kinds of proof have no second solver: those of trained networks, and those of constructions with unique hard attention against a regular expression or an automaton. A reader of the page saw that their verdicts do not name cvc5. The verdicts were right; the page now says which proofs cvc5 has seen.

**"There is none" where there was one** (from 24 to 27 November 2026). Of several formulas that agree on all short strings, `smallest` kept only one. If a proof refuted it, the others were lost, so `smallest("count(Q('a')) >= 5", "abcde", most=6)` found none, although `count(Q('a')) > 4` has six parts. Now the string that refutes a formula separates it from the others, and the search begins again.

**Networks read as networks of another kind** (from 25 to 27 November 2026). No page of this book shows such a network.

- A trained network whose norms have no bias was read as one with layer normalization, even if it was trained with RMS normalization. The verdict was proved, but for another network. You must now give the kind of normalization, its ε and the mask, unless a stored configuration says them.
- On 27 November a reader found four more cases. `from_module` gave RMS normalization in bfloat16 or float16 the wrong ε if the module names none, because PyTorch takes another one than its manual says. The judge on the page of chapter 12 guessed from the order of the names: it swapped words and output of some language models whose output has no bias, and took a norm before the layers for the last norm. And `from_transformer_lens` transposed the matrices of GPT-2 within a `TransformerBridge` if its MLP was as wide as the network. The ε is now PyTorch's own, and what was guessed is asked for.
- On the same day a third reader found four more. `from_pytorch` read a network whose positions are computed, so that no tensor shows them, as one without positions. `from_gpt2` read GPT-BigCode, whose tensors have the names of GPT-2's. `agrees_with` compared a module only as PyTorch computes it without gradients, where a layer that someone has changed is computed as if it were PyTorch's own. And it called a network and its module equal if one output was near $-10^9$, or if all strings were of one symbol.
- On 28 November we found that `from_pytorch` read a norm at the end that has no weights, and so leaves no tensor, as no norm. A fourth reader found that `from_module` accepted a false ε of an RMS normalization written by hand, because it compared a copy in float64, which has another ε than the module; the first mend of this missed an ε that is asked of the type. And `from_folder` ignored GPT-2's second names for the numbers of heads and layers, which Hugging Face takes before the first.
- Later that day a fifth reader found that the mend guessed, too. The copy in float64 got the ε of the module's own type wherever the module seemed to ask for it. If a module found its ε in another way, the right ε was refused and a false one accepted. Now there is no copy. `from_module` compares a module as it computes itself, and `judge` puts every string that it decides or draws to the module as well, and stops where the two differ. A comparison in float32 still cannot see an ε that changes the outputs by less than float32 rounds.
- The same reader found that the judge on the page of chapter 12 took positions and a last norm as absent wherever no tensor holds them, and accepted masks of any numbers and the `config.json` of another network. `from_folder` read folders with tensors of several types, which Hugging Face rounds to one type. `weights` chose one of two states in a file without asking. And `judge` called a Python function *proved for each string*, although it had only been asked. Now the page and the readers ask or refuse, and a function is *measured*.
- On the same day two more readers found these. `from_module` compared outputs by the size of the largest one, so beside a word with a vector a million times longer than the others a module could decide another string otherwise, and the verdict was of the network; so it was if a module computed otherwise in a batch of one. The judge on the page read GPT-BigCode's joint matrix as nanoGPT's, and guessed which of two tables holds positions; `from_gpt2` read the same matrix if it was told that the network is GPT-2's; and on the command line `--read name=PARITY` gave a construction's verdict another name. Now outputs are held, string by string, to what floats can differ by; the first string of each length and the first wrong one are also asked alone; the page asks; and matrices and options that do not fit are refused. What remains: where the bound on floats is larger than an output, as it may be with such words, or with one gain of a norm as large, the largest output still decides what is allowed.

**Compiled transformers read otherwise than they were compiled** (from 23 to 27 November 2026). Chapter 8 reads compiled formulas with `Encoder(compiled(...).construction)`, and until then the reader assumed softmax without normalization. Formulas compiled for hardmax or for layer normalization therefore got wrong answers on up to 648 of 1,000 strings. A compiled formula now carries how it must be read, and a reader refuses any option that contradicts it; a construction by hand can carry this too.

**Expressions read otherwise than they were written** (from 24 to 27 November 2026). In Python `a{0}b` accepted ab, while the page read it as the string b; and `[0-2]` over the alphabet 0, 1 silently made an automaton over three symbols. Both faults are fixed; an expression that cannot be read over the alphabet is refused. Until 28 November 2026, `(0+1)*` was read as *one or more 0s, then a 1*, where textbooks mean *0 or 1*. Now a + that may be meant as *or* is refused, and the message says how to write either. Until the same day, `(())*` over brackets was the empty string alone, `0^1` was 01 or 10, and a formula ended at a #, where Python begins a remark; these are asked about now.

**Answers to an earlier question** (from 22 to 27 November 2026). A button that was pressed within 150 ms of a key could answer what had been in the box before, and the judge of chapter 12 could show the verdict on one network under the name of the next. Now a press acts on what the boxes hold at that moment, and an answer disappears when its question changes.
"""
