"""The style of the bibliography: labels as the text cites (Hahn, 2020), and links to each entry's
DOI, arXiv page and PDF.
"""

from collections.abc import Iterable, Iterator

from pybtex.database import Entry
from pybtex.style.formatting.unsrt import Style as Unsorted
from pybtex.style.labels import BaseLabelStyle
from pybtex.style.template import Node, field, first_of, href, join, optional, sentence


class Labels(BaseLabelStyle):
    """Authors and year, as a citation in the text names them."""

    def format_labels(self, sorted_entries: Iterable[Entry]) -> Iterator[str]:
        for entry in sorted_entries:
            people = entry.persons["author"]
            last = [[*one.rich_prelast_names, *one.rich_last_names] for one in people]
            names = [" ".join(map(str, parts)) for parts in last]
            said = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
            yield f"{said}, {entry.fields['year']}"


class AuthorYear(Unsorted):
    """Sorted by author and year, with a sentence of links at the end of each entry."""

    default_sorting_style = "author_year_title"
    default_label_style = Labels

    def format_web_refs(self, e: Entry) -> Node:
        """The links of an entry; the PDF is that of arXiv where the entry names no other."""
        arxiv = join["https://arxiv.org/pdf/", field("eprint", raw=True)]
        pdf = [optional[href(url)["PDF"]] for url in (field("pdf", raw=True), arxiv)]
        links = (self.format_doi(e), self.format_eprint(e), self.format_url(e))
        return sentence[*(optional[link] for link in links), first_of[*pdf]]

    def format_url(self, e: Entry) -> Node:
        """The address of an entry's page, whose scheme goes without saying."""
        url = field("url", raw=True)
        return href(url)[field("url", raw=True, apply_func=lambda said: said.partition("//")[2])]
