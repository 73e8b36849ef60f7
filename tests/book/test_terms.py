"""The glossary: what a term means is said where it is used."""

import re

from tests.conftest import ROOT

NOTATION = "chapters/notation.html"


def meanings(soup) -> dict[str, str]:
    """The definitions on the page of terms, by anchor."""
    found = {}
    for term in soup.select("dl.glossary > dt"):
        meaning = term.find_next_sibling("dd").get_text(" ", strip=True)
        found[term["id"]] = " ".join(meaning.split())
    return found


def test_a_term_says_what_it_means_where_it_is_used(pages):
    known, used = meanings(pages[NOTATION]), 0
    assert len(known) >= 25
    for name, soup in pages.items():
        for link in soup.select("a.reference:has(> .std-term)"):
            anchor = link["href"].rpartition("#")[2]
            said = re.sub(r"\W", "", link["title"])
            assert said == re.sub(r"\W", "", known[anchor]), (name, anchor)
            used += 1
    assert used >= 20


def test_terms_stand_in_the_order_of_the_alphabet_and_are_short():
    text = (ROOT / "chapters" / "notation.md").read_text(encoding="utf-8")
    glossary = text.partition(":::{glossary}\n")[2].partition(":::")[0]
    entries = [entry.splitlines() for entry in glossary.strip().split("\n\n")]
    first = [entry[0].lower() for entry in entries]
    assert first == sorted(first)
    for entry in entries:
        assert len(entry[-1].split()) <= 30, entry[0]
