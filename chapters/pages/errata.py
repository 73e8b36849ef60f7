"""The errata by what they change, most serious first."""

from __future__ import annotations

from IPython.display import Markdown
from record.claims import recorded
from record.rows import full_place
from lib.notebook import markdown_table


STATEMENT, PROOF, CONSTRUCTION, EXPERIMENT, FORMULA, WORDING = ORDER = (
    "a statement",
    "a proof",
    "a construction",
    "an experiment",
    "a formula",
    "the wording",
)

# Each erratum by the place that its chapter names; those that change more come first.
CHANGES = {
    STATEMENT: (
        "N §4.1, §5",
        "N §5",
    ),
    PROOF: (
        "C&C Prop. 3, proof with layer normalization",
        "C&C Prop. 3, proof without layer normalization",
        "C&C Prop. 2, proof, precondition",
        "C&C Prop. 2, proof, choice of c",
        "C&C Appendix B",
        "C&C Appendix B, attention logits",
        "C&C Appendix B, second layer",
        "B Lemma C.4, $f_b$",
        "B Lemma D.2, $f_b$",
        "B D.1, $h_{-1} = h_0 = 0$",
    ),
    CONSTRUCTION: (
        "C&C §2.2, positions",
        "C&C §2.2, word embedding",
        "B Lemma C.4",
        "B C.2, eq. (9)",
        "B Lemma D.2",
        "B D.1, $\\omega_t$",
        "B D.1, $\\lambda_t$",
        "N §3.2.3, $W^{V,2,1}$",
    ),
    EXPERIMENT: (
        "Ouellette et al. §IV, accuracy (ambiguous)",
        "Ouellette et al. §IV, FF network",
        "Ouellette et al. §IV, No-LayerNorm-Identity",
        "Ouellette et al. §VII-B, a decoder's second attention",
        "N §4.2",
        "N §4.2, Fig. 5 left",
        "N §4.1, Fig. 2",
        "N Figs. 3 to 5, 7, 8, axes",
    ),
    FORMULA: (
        "C&C Appendix A, n odd, k odd",
        "C&C Appendix A, n odd, k even",
        "C&C Eq. (1)",
        "C&C Prop. 2, proof, cross-entropy",
        "B Lemma C.5",
        "N App. C, formula",
        "N §3.2.3, $a^{2,0}$",
    ),
    WORDING: (
        "C&C §3.2, thermometer",
        "B Theorem D.1",
        "C&C §2.2, matrices",
        "C&C §2.2, position encoding",
        "B 4.1, sketch",
        "B C.3, $W_k$",
        "B D.1, $\\omega_{t,0}$",
    ),
}


def consequence(place: str) -> str:
    """What the erratum at that place changes; ValueError where nobody has said."""
    for changed, places in CHANGES.items():
        if place in places:
            return changed
    raise ValueError(f"say in chapters/pages/errata.py what the erratum at {place!r} changes")


def errata(changed: str | None = None) -> Markdown:
    """Every erratum that a chapter found and that changes that, or all of them, most serious first.

    Raises ValueError where nobody has said what one changes.
    """
    found = [erratum for chapter in recorded() for erratum in chapter["errata"]]
    ordered = sorted(found, key=lambda erratum: _seriousness(erratum["place"]))
    return markdown_table(
        ("Place", "Printed", "Correct", "How it was checked"),
        [
            (f"[{full_place(e)}](#{e['cell']})", e["printed"], e["correct"], e["checked"])
            for e in ordered
            if changed in (None, consequence(e["place"]))
        ],
    )


def tally() -> str:
    """How many errata change what."""
    found = [consequence(e["place"]) for chapter in recorded() for e in chapter["errata"]]
    first, *others = (f"{found.count(changed)}{{}} {changed}" for changed in ORDER)
    listed = ", ".join([first.format(" change"), *(text.format("") for text in others)])
    return f"Of {len(found)} errata {listed}."


def _seriousness(place: str) -> tuple[int, int]:
    changed = consequence(place)
    return ORDER.index(changed), CHANGES[changed].index(place)
