# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# Record of chapter 11: For every length

**Asked**: can a program say, for every length, whether a formula means what a second description says, and can another program check its proof? [The lesson](11_every_length) has the idea; this page has what the program was asked, what it answered, and who checked that. A **statement** says that a formula agrees on every string with a second description, its *specification*. A **certificate** is a proof that another program can check.

**What holds.** The program proves {glue:text}`length_proved` of {glue:text}`length_all` [statements](#length-statements) for every length, and refutes {glue:text}`length_wrong`, each by a string. All these answers are the ones that we had written down before the run, and a second solver, cvc5, accepts the certificate of every stored proof. [Four transformers](#length-constructions) that were not made from a formula are proved right, too.

**What was once false.** From 24 to 27 November 2026 `proved_equal` could call it proved that no string satisfies a formula, although some string does. As far as cvc5 can tell, [no stored proof was false](#length-false-proof).

**What is not known.** The program finds no answer for [one statement](#length-undecided), which we settle by hand. No program decides all statements: that is a theorem.
"""

# %% tags=["hide-input"]
from collections import Counter
from copy import deepcopy

from IPython.display import Markdown
from lib import constructions
from record.notebook import glue, markdown_table, use_style
from lib.proofs import regular
from lib.proofs.certificate import is_proof
from lib.verdicts import PROVED, UNKNOWN, WRONG
from record.claims import Claims
from chapters.every_length.runs import unpacked
from chapters.every_length.statements import by_name
from lib.proofs.constructions import proved_by_kinds
from record.proofs import majority
from record.runs import stored

use_style()
claims = Claims("11_every_length")

# %% [markdown]
r"""
(length-table)=
## Outcome
"""

# %% tags=["remove-cell"]
run = stored("every_length")
found, meant = run.by("statement"), by_name()
kinds = Counter(result["kind"] for result in found.values())
assert kinds[PROVED] == sum("checked by cvc5" in result["how"] for result in found.values())
for key, number in {"all": len(found), "proved": kinds[PROVED], "wrong": kinds[WRONG]}.items():
    glue(f"length_{key}", number)

# %% tags=["remove-input"]
from chapters.common.outcome import outcome_table

outcome_table("11_every_length")

# %% [markdown]
r"""
## One certificate by hand

What does a certificate say? Take the statement *MAJORITY*: the formula `count(Q("1")) > count(Q("0"))` agrees with the specification `2*count(Q("1")) > position`, where the position is the number of symbols so far. Let $a$ be the number of 0s so far, $b$ the number of 1s, and $p$ the position. The certificate has a single *room*, a claim about these numbers that should hold after every string: $a + b = p$, and none of the three is below 0. Three questions show that the statement is true:

1. *Is the empty string in the room?* Yes, because $a = b = p = 0$.
2. *Does every symbol lead from the room into a room?* Yes: a 0 raises $a$ and $p$ by 1, and a 1 raises $b$ and $p$ by 1, so $a + b = p$ still holds.
3. *Do the two answers agree everywhere in the room?* Yes: the specification asks for $2b > p$. In the room $p = a + b$, so this is the same as $b > a$, for which the formula asks.

## How is a statement decided?

The program reads both descriptions as machines, lets them read the same symbols, and proves that they never come to differ. It uses three words:

- A **machine** holds what a formula or a specification has to remember while it reads a string. Its *control* takes finitely many values; its *registers* are whole numbers, such as $a$, $b$ and $p$ above.
- A **move** is what one symbol does to a machine. It may have *guards*, which are inequalities between registers; if they hold, the move changes the control and adds constants to registers. A move is **wrong** if after it the two descriptions do not answer as they should.
- A **room** is a control with *bounds*, linear inequalities for the registers. A proof shows that every string leads into one of its rooms. [The lesson](11_every_length) shows the two rooms of well-nested brackets.

A proof is found in one of two ways.

(length-search)=
**A search that closes.** *Assumes*, as the lesson's result does, that both answers depend only on what the two descriptions remember, taken as a pair, and that the next pair depends only on this pair and the next symbol. A *state* is such a pair without what can no longer matter. It consists of a control and of the values of those linear forms of the registers that a guard can still ask for, on a way to a control where the two descriptions can differ. As far as the comparison is concerned, two strings that lead to the same state get the same answers after every further string, so it is enough to follow one of them. The search does not go on from a control from which no wrong move can be reached, even if all guards are ignored. The search is breadth-first, so the first wrong move that it finds belongs to a shortest string.

(length-rooms)=
**Rooms that are never left.** The bounds of a room are linear, and all of them must hold. Where a proof needs an *or* of bounds, a product or a power, the program says *unknown*. The program takes its bounds from strings whose values are small, and asks z3, a solver, whether the bounds always hold. If the formula looks ahead, the bounds must hold at the start for every [guess](#length-rules), which is a whole number from 0 on.

(length-statements)=
## Every statement

The statements, and whether each is true, were written down before the program ran on them, in `chapters/every_length/statements.yaml`. Each has a row in a table below (with one row for all depths $k$ of brackets, 2 to 12), with these columns:

- *held against* is the specification: a regular expression, another formula, a machine or a DFA. `dyck` is a counter that goes up at each `(` and down at each `)`, may not fall below 0 and must end at 0; `shuffle` has one such counter for each of two kinds of brackets. The file has the other machines, and each DFA. Where *(contains it)* follows, the statement is only that the specification accepts every string that the formula accepts.
- *how* names a string on which the two differ, or says how large the proof is: how many states [the search](#length-search) met before it closed, or for how many controls there are [rooms](#length-rooms), whose bounds the program guessed and z3 confirmed.
- *tried to* is a length: without the prover, both descriptions decided all strings up to this length, and 60 random strings of up to 60 symbols. The prover's search gets further, because of all strings that lead to the same state it tries only one.
"""

# %% tags=["hide-input"]
def group_of(name):
    """The answer, and of what is proved how it was."""
    kind, how = found[name]["kind"], found[name]["how"]
    how = "by a search that closes" if "search" in how else "by rooms that are never left"
    bounded = "brackets at most k deep, " if "depth" in meant[name] else ""
    return bounded + how if kind == PROVED else kind


def statement_row(name, said, result):
    """A statement's line: its formula, what it is held against, and how it ends."""
    against = said.get("regular") or said.get("says") or said.get("machine") or "a DFA"
    how = result["how"].split(" at ")[-1].split(",")[0]  # such as "4 states" or "7 controls"
    if result["counterexample"] is not None:
        w = result["counterexample"] or "the empty string"
        how = f"{w if len(w) <= 30 else w[:27] + '…'}, length {len(result['counterexample'])}"
    against = f"`{against}`" + (" (contains it)" if said["implies"] else "")
    tried = result["tried"]["longest"]
    return name.replace("*", r"\*"), f"`{said['formula']}`", against, how, tried

# %% tags=["hide-input"]
incorrectly = [
    name
    for name, result in found.items()
    if result["kind"] != UNKNOWN and (result["kind"] == PROVED) != meant[name]["equal"]
]
claims.settle(
    "statements",
    here=f"{kinds[PROVED]} proved, {kinds[WRONG]} wrong, {kinds[UNKNOWN]} unknown; "
    f"{len(incorrectly)} against what was written down",
    agrees=len(found) >= 60 and incorrectly == [] and kinds[UNKNOWN] <= 5,
    source=run.source,
    proved=kinds[PROVED],
    refuted=kinds[WRONG],
    every=len(found),
)
parted = []
for name, result in found.items():
    w, shortest = result["parting"], result["counterexample"]
    is_shorter = w is not None and shortest is not None and len(w) < len(shortest)
    is_missed = w is None and shortest is not None and len(shortest) <= result["tried"]["longest"]
    if is_shorter or is_missed or (w is not None and result["kind"] != WRONG):
        parted.append(name)
claims.settle("strings", here=len(parted), agrees=parted == [], source=run.source)

# %% tags=["hide-input"]
groups = {}
for name, result in found.items():
    groups.setdefault(group_of(name), []).append(statement_row(name, meant[name], result))
head, tables = ("statement", "formula", "held against", "how", "tried to"), {}
for group, rows in groups.items():
    if "at most k deep" in group:  # one row for all depths, if they differ in nothing else
        said = ["\n".join(map(str, row)).replace(f"+ {k})", "+ k)") for k, row in enumerate(rows, 2)]
        said = [one.replace(f"D{k}\n", "D*k*\n") for k, one in enumerate(said, 2)]
        said = [one.replace(f"\n{k + 4} s", "\n*k* + 4 s") for k, one in enumerate(said, 2)]
        rows = [one.split("\n") for one in dict.fromkeys(said)]
    tables[group] = markdown_table(head, rows).data
fold = '<details class="lines"><summary>{} {}</summary>\n\n{}\n\n</details>'
said = {group: group if group in (WRONG, UNKNOWN) else f"proved: {group}" for group in tables}
order = sorted(tables, key=lambda group: (group == UNKNOWN, group == WRONG))
shown = [fold.format(len(groups[group]), said[group], tables[group]) for group in order]
Markdown("\n\n".join(shown))

# %% [markdown]
r"""
(length-rules)=
## What can the program read?

The program makes a machine of each description by these rules:

- *A formula without `total`* keeps in its control the position's remainder for each `mod`, and for each `previous` whether its formula held one position before. For each count that is compared with constants only (as in `once`, `never` and `always`) the control keeps the count's value, up to one more than the largest constant. Counts that are compared with one another are registers, to which a symbol adds 0 or 1.
- *A `total` outside all counts* (and outside every `previous` and other `total`) is read as a `count`, because a formula is asked at the last symbol, where the two are equal.
- *A `total` inside a count* (or a `previous`, or another `total`) looks ahead, because it counts over the whole string. Its value is a **guess**, made before the first symbol and kept in a register that never changes. The two descriptions are compared only where every guess came out right. Such a formula is not searched, but compared with the specification on some thousand short strings. Its control may also keep signs and remainders that belong to the guesses.
- *A specification* is a machine of the same kind. A DFA has only a control. A counter machine (Greibach's: a counter below 0 rejects, and all must be 0 at the end) has its counters as registers. Another formula is read as the first one is.

Each rule has a bound, beyond which the program gives up or says less:

| rule | bound |
|---|---|
| a search follows both machines together | 4,000 states, unless more are asked for |
| bounds are tried on the linear forms that guards ask for, on sums and differences of registers, and on what is constant on short strings | three registers in a sum |
| where no bounds are found, the control also keeps the registers' remainders | on division by 2, then by 3 |
| z3 is asked whether the bounds always hold | thirty million of z3's steps in all; we count steps and not seconds, so that the speed of the computer does not matter |

(length-undecided)=
## No program decides them all

Could a better program decide every statement? No. *Assumes:* formulas with `previous`, whose alphabet grows with the machine that they describe. [The lesson](11_every_length) proves this by two-counter machines {cite}`minsky1961`, with a symbol for each step of a machine. Apart from `position >= 2`, the formula in the lesson's proof only compares counts of symbols with each other, under `always` and `never`, so it has two levels of counts. The proof says nothing about formulas over one fixed alphabet, nor about formulas without `previous`. For formulas without `previous`, Yang and others {cite}`yang2026` state, in the abstract that we read, that no computable length bound exists, even with only two layers.

*The statement without an answer* is [*two counters that double each other*](#length-statements). It is true: no string satisfies its formula. *Proof.* Suppose that a string does. It begins with an a, since otherwise the formula would ask, at the first change from b to a, that there be no b so far. If there are $y_{k-1}$ b's before the $k$-th change from a to b, there are $x_k = 2 y_{k-1} + 1$ a's up to this change, and $y_k = 2 x_k$ b's up to the next change from b to a. So $x_k = (4^k - 1)/3$, that is 1, 5, 21 and so on. The string must end at such a change from a to b, and there the formula asks for $x_k = 3k + 3$. For $k = 1$ and $2$ that is 6 and 9, not 1 and 5, and from $k = 3$ on $x_k$ is more than $3k + 3$. $\square$ The program says *unknown*, as expected before it ran.

(length-certificates)=
## Who checks the proofs?

*A second solver does: cvc5 accepts every certificate of the stored run, which keeps one for each statement that is proved.* The checker, `lib/proofs/certificate.py`, reads the formula with our parser, computes what follows from the numbers of a room alone, and asks cvc5 about the rest.

*What does the checker take from the prover?* It takes the specification as a table, which it does not verify, and a list of pairs of equal sums that are written differently, which it does verify. If the specification is a regular expression, cvc5 sees only its DFA; that the DFA accepts exactly the strings of the expression rests on automata-lib.

*When is a certificate checked?* `proved_equal` has each one checked before it says *proved*. If cvc5 would need more steps for a question than it is given, the verdict is *found, not checked*. On this page the *short* certificates, with at most twelve rooms and bounds together, are checked once more; the tests check the others. A verdict on a compiled network says what it rests on: the compiler's theorem ([chapter 8](#run-library)), the search or the invariants, cvc5's check, and the strings decided exactly. It speaks of exact arithmetic, not of floats.

*Would the checker notice a gap?* We delete one room at a time from each short certificate of a closed search. Our criterion is that the checker refuses what is left. This criterion is stricter than it has to be, because a search may keep rooms that no string reaches.
"""

# %% tags=["hide-input"]
certificates = {
    name: unpacked(result["certificate"])
    for name, result in found.items()
    if result["certificate"]
}
short = {
    name: said
    for name, said in certificates.items()
    if sum(len(room["bounds"]) + 1 for room in said["rooms"]) <= 12
}
refused = [name for name, said in short.items() if not is_proof(said)]
lost = []
for name, said in short.items():
    for k in range(len(said["rooms"])):
        if "search" in found[name]["how"]:
            forged = deepcopy(said)
            del forged["rooms"][k]
            if is_proof(forged):
                lost.append((name, k))
print(f"{len(short)} of {len(certificates)} certificates checked here")
claims.settle("certificates", here=len(refused), agrees=refused == [])
claims.settle("forged", here=len(lost), agrees=lost == [])

# %% [markdown]
r"""
(length-false-proof)=
### A false proof, and what changed

On 27 November 2026 a reader found that `proved_equal` said of [a formula](#own-false-proof) that no string satisfies it, although some string does. cvc5 refuses the certificate of this claim, but at the time only the function `verdict` asked cvc5. We then repeated the run, and cvc5 accepts each of its certificates, as it does all those stored before. The proofs [by kinds of token](#length-constructions) had rested on z3 alone. Now cvc5 has been asked the same questions, and refutes every case that z3 refuted. The proofs by `proved_regular`, for unique hard attention, use no solver. Since then, every change of the code has been tested on random formulas and automata against direct evaluation on strings (`tests/proofs/test_attack.py`); once a month the test takes several thousand of them.

(length-constructions)=
## Transformers that no formula made

*Four transformers are proved right from the rows of their matrices:* ONE, MAJORITY, FIRST and PARITY. *Assumes:* all tokens of one kind, such as the 1s at odd positions, have equal logits and values, which a check of the rows shows. Then the output is a rational function of the numbers of tokens of each kind, of the position and of $E = e^c$, where every logit is a whole multiple of $c > 0$. The program computes the softmax sums itself, and asks z3 whether the output's sign can be wrong for any such numbers. Two lemmas are proved by hand. First, under the assumption, a sum over tokens is a sum over kinds, each times its number of tokens. Second, each position holds one token, so the number of tokens at positions of each remainder is known: among the positions $1, \dots, m$, $\lfloor (m + p - r)/p \rfloor$ leave the remainder $r > 0$ when divided by $p$, and $\lfloor m/p \rfloor$ leave 0.
"""

# %% tags=["hide-input"]
odd = regular("0*1(0*10*1)*0*", "01")
first = 'count(Q("1") and position == 1) == 1'
asked = {
    "ONE": (constructions.one(), 'count(Q("1")) == 1'),
    "MAJORITY": (majority(), 'count(Q("1")) > count(Q("0"))'),
    "FIRST": (constructions.first(), first),
    "PARITY": (constructions.parity(), odd),
}
proofs = {name: proved_by_kinds(*case, "softmax") for name, case in asked.items()}
for name, proof in proofs.items():
    print(f"{name}: {proof.kind}: {proof.claim}")
claims.settle(
    "constructions",
    here=", ".join(proofs),
    agrees=all(proof.kind == PROVED for proof in proofs.values()),
)

# %% [markdown]
r"""
(length-smallest)=
## How small is the smallest formula?

*The lesson's search returns the smallest formula that it found; there may be a smaller one.* The *size* of a formula is its number of parts: each symbol, number, position, count, comparison, `and`, `or`, `not`, `once`, `never`, `always` and +. The program keeps one of all formulas that agree on every string of up to 8 symbols (6 over an alphabet of three). So it can overlook a smaller formula, if it dropped a part of that formula in favor of one that differs from the part only on longer strings. Where the output says so, the formula found is proved right.

The program was tried up to size 12. It builds no numbers beyond 2, no totals, `mod`, conditionals, - or `!=`, and it uses `previous` only for a regular language that counts alone cannot describe. So it does not find `position <= 9`, of size 3, or `count(Q("1")) != 1`, of size 4. The number of formulas that it prints includes expressions that are numbers or counts.

## What others do

[Jiang and others](https://arxiv.org/abs/2602.16473) verify programs in C-RASP, the language of our formulas, by a translation to Lustre and its model checkers, and learn such programs from examples by local search. As far as their abstract shows, which is all that we read, three things are different here: the proofs about formulas are kept as data and checked by a second solver, formulas may look ahead by totals and back by `previous`, and a proved formula is also a transformer. Yang, Veseli and others {cite}`yang2026decomposition` decide which regular languages have a C-RASP program; [a note](note_any_formula) does it in our way. Gross and others {cite}`gross2024` prove lower bounds on the accuracy of small *trained* transformers that find a maximum. TorchLean {cite}`george2026` holds networks, float32 and interval bounds in Lean, and checks certificates there. LeanCert (github.com/alerad/leancert) checks interval bounds of functions and small networks. Lean checks a proof down to a few axioms, while ours rest on cvc5, or on a program of this book. For the last four works we read code, abstracts and documentation, not the papers.
"""

# %% tags=["remove-cell"]
claims.table()  # compares what was found with what the first table says
