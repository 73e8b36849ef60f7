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

Can you use a line of one of the four papers as it is printed? Not every line: when we built and ran what they describe, we met misprints and gaps. Few of them change what a paper states; most concern a condition in a proof, the description of an experiment, or a formula.

**How to read this page.** Each section is about one thing that corrections change, and those that change most come first, so you can stop reading where the changes no longer matter to you. To look up one line of a paper, search the first column of the tables for its place; the link there leads to the evidence, which is code, a proof, or the source that it quotes. The last section lists [our own faults](#own-faults). Results that we could neither reproduce nor correct are in the {doc}`scorecard <scorecard>`, under *differs*.

The next table counts the corrections by what they change. Sections, lemmas and figures have the numbers that they have in Chiang and Cholak {cite}`chiang2022`, Ouellette and others {cite}`ouellette2023`, Bhattamishra and others {cite}`bhattamishra2020` and Nowak and others {cite}`nowak2022`, in the editions that the {doc}`bibliography <bibliography>` links to. The code of Nowak and others is [their repository](https://github.com/giacomocamposampiero/palindrome-transformer) at commit `681d35d`.
"""

# %% tags=["remove-cell"]
import re
from collections import Counter
from IPython.display import Markdown
from record.claims import recorded
from record.notebook import markdown_table
from record.rows import PAPERS, is_own, paper_of
from record.runs import CHAPTERS, read_yaml

changes = read_yaml(CHAPTERS / "errata" / "tables.yaml")  # the places, most serious first
found = [erratum for chapter in recorded() for erratum in chapter.errata]
assert {erratum.place for erratum in found} <= {place for places in changes.values() for place in places}


def errata(changed):
    """Every erratum that changes that, most serious first."""
    lines = [(f"[{place(e)}](#{e.cell})", e.printed, e.correct, e.checked) for e in of(changed)]
    return markdown_table(("Place", "Printed", "Correct", "How it was checked"), lines)


def place(erratum):
    """The paper named as everywhere else: "Chiang & Cholak, Appendix A"."""
    name = PAPERS[paper_of(erratum.row)].rpartition(" ")[0]
    return name + re.sub(r"^(C&C|Ouellette et al\.|B|N) ", ", ", erratum.place)


def of(changed):
    order = changes[changed]
    return sorted((e for e in found if e.place in order), key=lambda e: order.index(e.place))

# %% tags=["remove-input"]
papers = [paper for paper in PAPERS if not is_own(paper)]
counted = {changed: Counter(paper_of(e.row) for e in of(changed)) for changed in changes}
counted["together"] = sum(counted.values(), Counter())
rows = [(what, *(number[paper] for paper in papers), number.total()) for what, number in counted.items()]
markdown_table(("changes", *(PAPERS[paper] for paper in papers), "together"), rows)

# %% [markdown]
r"""
## A statement does not hold

These statements are false as printed or in one reading, or name the wrong cause. The column *Correct* says what remains true.
"""

# %% tags=["remove-input", "errata"]
errata("a statement")

# %% [markdown]
r"""
## A proof needs a condition or another argument

The conclusion holds if the condition is added, or it follows from another argument, which the chapter gives.
"""

# %% tags=["remove-input", "errata"]
errata("a proof")

# %% [markdown]
r"""
## A construction fails as printed

If you build the construction exactly as printed, it decides incorrectly, or does not do what its proof says. With the correction it does.
"""

# %% tags=["remove-input", "errata"]
errata("a construction")

# %% [markdown]
r"""
## An experiment differs from its description

If you repeat the experiment from the text, you run a different one, or you read a different number off the figures. The *records* in the last column are those that Nowak and others publish of their own runs. Where a line names the first epoch, we compare the loss of this epoch.
"""

# %% tags=["remove-input", "errata"]
errata("an experiment")

# %% [markdown]
r"""
## A formula has another value

The correction changes a sign, a function or a special case. The transformer that the formula describes decides as before.
"""

# %% tags=["remove-input", "errata"]
errata("a formula")

# %% [markdown]
r"""
## Only the wording changes

The correction changes a size, an index or a name, and nothing else depends on it. You need these lines only if you follow a proof or a construction word for word.
"""

# %% tags=["remove-input", "errata"]
fold = '<details class="lines"><summary>{} corrections of the wording</summary>\n\n{}\n\n</details>'
Markdown(fold.format(len(of("the wording")), errata("the wording").data))

# %% [markdown]
r"""
(own-faults)=
## What this book itself got wrong

A book that corrects others owes its readers its own mistakes. If you used an earlier version, you can see here whether a conclusion of yours may rest on a fault.

The table lists the faults that could have led a reader to a false conclusion, the most serious first. The second column says on which days of November 2026 a fault was in the book. Each fault is fixed, except where *now* says that something remains, and tests guard against all of them except the bound on simulation, the dropped criterion and the rotary angles. We traced what every fault affected, except for the misread expressions, and of those that we traced only the dropped criterion changed a line of the record.

| fault | in the book | did it reach a claim? | now |
|---|---|---|---|
| `proved_equal` proved a false statement | 24 to 27 | no: cvc5 accepts all 62 stored certificates | *proved* needs cvc5, a second solver, as well |
| a proof about unique hard attention was about another network | 24 to 27 | no: no construction here has an encoding of this kind | such encodings are refused |
| two proofs by kinds of token were false | 24 to 27 | no: no construction here has an encoding of this kind | the proof counts exactly |
| chapter 13 called lengths right that were not | 27 | no: the fault shows only if logits differ by more than 700, and in the networks that the chapter keeps they differ by less than 5 | very small attention weights count too |
| forged certificates were accepted | 24 to 28 | no: no program here writes any | they are refused |
| a criterion of [chapter 13](#long-table), that at least half of some networks be right at every length, was dropped after its run had missed it | 27 to 29 | yes: one line said *no criterion* | the criterion is back, and the line *differs* |
| positions were read in two ways | 22 to 27 | no: no page used such positions | such positions are refused |
| *Adapt this* named a second witness for every proof | 24 to 27 | its sentence was false, but its verdicts were right | the page says which proofs cvc5 has seen |
| `smallest` found no formula where there was one | 24 to 27 | no line rests on it now | it searches again |
| networks were read as networks of another kind | 25 to 28 | no: no page shows such a network | our functions ask or refuse; a fold below says what remains |
| compiled transformers were read in another way than they were compiled for | 23 to 27 | no line of the record changed | the formula says how it is read |
| a verdict said of rotary positions what float32 *provably keeps*, and not that this takes their angles as in float64 | 25 to 29 | no: no network here has such positions | the verdict says so |
| [a bound](#tm-residual) on simulation counted one state too few: the first state comes before any attention | 27 to 29 | no line of the record changed | it counts from the second state on |
| expressions were read in another way than they were written | 24 to 29 | not examined | they are refused, or we ask what is meant |
| a page answered an earlier question | 22 to 27 | no line rests on a page's buttons | an answer disappears when its question changes |

(own-false-proof)=
**A false proof.** `proved_equal("once(total(Q('a')) == 9 and mod(12, 0))", "False", "ab")` claimed, as proved for every length, that no string satisfies the formula, although nine a's followed by three b's do.

The search for invariants keeps a queue of the *controls* (what is remembered besides numbers) whose successors it must still check. Some starting controls are visited by no short string. The search marked these as reached, but never put them into the queue, so it did not ask where they lead. A reader found this with an independent program and random formulas with large constants. The second solver, cvc5, refuses the certificate, because a symbol leads out of its [rooms](#fig-rooms), but at the time only one function asked cvc5. Now `proved_equal` and `judge` say *proved* only after cvc5 accepts the certificate, and `proved_by_kinds` only after cvc5 has refuted what z3 refuted. All 62 certificates of [chapter 11](#length-false-proof) were checked again.

:::{dropdown} Why the other false proofs passed
A reader could have taken a false claim for a proved one, believed that every proof has a second witness, or concluded that there is no formula because none was found.

- *Hard attention.* A construction with unique hard attention is proved by turning it into a finite automaton. If a position encoding asked for the number of tokens, as `[n=5]` does, that automaton belonged to another network.
- *Kinds of token.* Such a proof reads numbers of symbols instead of strings. If an encoding shifted a remainder, as `(i-1) mod 14` does, the proof counted too few positions with this remainder, and then no case covered a long string. If an encoding divided whole numbers, as in `1/49`, the proof used a rounded quotient, while the network uses the exact one. Tests now draw random encodings at each commit.
- *Chapter 13.* A network with weights up to $10^{23}$ was called right on every string of up to 512 symbols, although it errs on $1^{400}$. A *cell* holds many strings, which go through a network at once. If a token's attention weight was too small for a float in the middle of a cell, the token counted as weightless in the whole cell. But in another string of the cell the same token may have the weight $e^{-40}$, which decides the answer if the token's value is large.
- *Forged certificates.* Two checkers accepted certificates of false claims. `is_proof` believed a certificate that described its specification twice, or that named a final state that no machine has; it also read 0.5 as 0. The checker of chapter 13 accepted a first error made of a quarter of a 0 and three quarters of a 1, and products so large that they overflow. Now a specification is of one kind, every number is a whole one within checked bounds, and a list is refused where one number is meant.
- *Positions.* The mathematical letter 𝑛 was read as `n`, but nothing noticed that the encoding then depends on the length. If many strings were decided at once, each prefix was treated as a whole string, so *proved for each string* could be false. Inputs that contradict themselves, such as two tables of positions, were accepted as well.
- *The second witness.* Proofs about trained networks have no second solver; nor have proofs that compare unique hard attention with an automaton. A reader of *Adapt this* noticed that their verdicts do not name cvc5.
- *None where there was one.* `smallest("count(Q('a')) >= 5", "abcde", most=6)` found no formula, although `count(Q('a')) > 4` has six parts. The program kept only one of the formulas that agree on all short strings. If that one was refuted on a longer string, the others were lost. Now the string that refutes a formula separates it from the others.
:::

:::{dropdown} Why networks were read as networks of another kind
A reader could have trusted a verdict on the wrong network: each verdict was proved or measured, but about another network than the one that was meant. For example, someone who trained a network with RMS normalization could have read a verdict on layer normalization. Here is what was taken for what, with the reason. Where a file does not say something, our functions now ask or refuse, and so does the judge on the page of chapter 12.

- *RMS normalization was taken for layer normalization, and a last norm for none.* In PyTorch `nn.RMSNorm` and `nn.LayerNorm` without a bias both store only a weight, so a file does not tell which was trained. A last norm without weights leaves no tensor at all. Our first repair asked for the norm, but ignored an argument that contradicted the answer; now an argument that is never read is refused.
- *A norm got another ε.* If RMS normalization in bfloat16 names no ε, PyTorch's manual says that it is bfloat16's own, $2^{-7}$; but PyTorch computes with float32's, $2^{-23}$. In float16 it is similar. `from_module` believed the manual. Our first repair missed a case, and the second one guessed. Now `from_module` compares what it read with what the module itself computes. `judge` also asks the module about every string that it decides or draws, and stops where the two differ.
- *A network with positions was taken for one without.* Positions that are computed as the network runs, as sinusoids can be, leave no tensor in a file.
- *One tensor was taken for another, and a lost one for zeros.* The judge of chapter 12 took tensors by their order and swapped the word embedding and the output of some language models. GPT-BigCode's joint matrix was read as another model's, and a matrix of a `TransformerBridge` was transposed if its MLP was as wide as the network. `config.json` was believed where it belonged to another network, or not read where Hugging Face reads it first. If a file had lost one bias in every layer, or all biases of its norms or of one pair of maps, they were taken for 0. A stored mask that was too small was taken for a whole one.
- *A module that computes something else passed as the same network.* This happened in three cases: if one output or one word's vector was a million times larger than the others, if the module computes differently in a batch of one, or if all compared strings were of one symbol. In the first case, for example, differences were measured against the largest output, which hides those of the others. Now the two may differ on each string by no more than floats can.
- *Answers were taken for a proof.* `judge` called a Python function *proved for each string*, although it had only asked for its answers; this is *measured* now.

*What remains.* Three things can still go unnoticed. First, a file that lost its last layer, all biases that one flag switches off, or one of two matrices that may be tied looks like the file of another network, and is read as such. So the verdict names the layers that were found, the biases that were not found, and any matrix that stands in for another. Second, a comparison in float32 cannot see an ε that changes the outputs by less than float32 rounds. Third, where the bound on floats is larger than an output, the comparison tells nothing; the verdict says for how many strings this is so. Readers found nearly all of these faults, on 27 and 28 November; we found the norm without weights.
:::

:::{dropdown} Why formulas, expressions and answers were misread
A reader could have taken the answer to one question for the answer to another.

- *Compiled transformers.* A construction that was compiled for hardmax or for layer normalization was read as one for softmax without normalization, which gave wrong answers on up to 648 of 1,000 strings. An option that contradicts the formula is now refused.
- *Expressions.* Our Python library let `a{0}b` accept ab, while the demos read it as the string b. `[0-2]` over the alphabet 0, 1 made an automaton over three symbols. The + in `(0+1)*` was read as *one or more*, where textbooks mean *or*, and a formula ended at a #. Over symbols that include - or ^, the demos read `[a-c]` and `[^a]` as lists of symbols, where the library reads a range and a negation. Such expressions are now refused, or the message asks what is meant.
- *Answers.* A button that was pressed within 150 ms of a key could answer what had been in the box before, and the judge of chapter 12 could show the verdict on one network under the name of the next.
:::
"""
