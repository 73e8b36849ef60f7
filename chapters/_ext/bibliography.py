"""The style of the bibliography: labels as the text cites (Hahn, 2020), and links to each entry's
DOI, arXiv page and PDF.
"""

from collections.abc import Iterable, Iterator

from pybtex.database import Entry
from pybtex.style.formatting.unsrt import Style as Unsorted
from pybtex.style.labels import BaseLabelStyle
from pybtex.style.template import Node, href, sentence

ACL = "10.18653/v1/"  # DOIs of the ACL Anthology, which has a PDF for each


class Labels(BaseLabelStyle):
    """Authors and year, as a citation in the text names them."""

    def format_labels(self, sorted_entries: Iterable[Entry]) -> Iterator[str]:
        for entry in sorted_entries:
            people = entry.persons["author"]
            last = [" ".join([*one.prelast_names, *one.last_names]) for one in people]
            names = [name.replace("{", "").replace("}", "") for name in last]
            said = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
            yield f"{said}, {entry.fields['year']}"


def links(entry: Entry) -> dict[str, str]:
    """The addresses of an entry by what stands for them: DOI, arXiv page, PDF, page."""
    fields = entry.fields
    doi, eprint, found = fields.get("doi"), fields.get("eprint"), {}
    if doi:
        found[f"doi:{doi}"] = f"https://doi.org/{doi}"
    if eprint:
        found[f"arXiv:{eprint}"] = f"https://arxiv.org/abs/{eprint}"
    if "url" in fields:
        found[fields["url"].removeprefix("https://")] = fields["url"]
    if "pdf" in fields:
        found["PDF"] = fields["pdf"]
    elif eprint:
        found["PDF"] = f"https://arxiv.org/pdf/{eprint}"
    elif doi and doi.startswith(ACL):
        found["PDF"] = f"https://aclanthology.org/{doi.removeprefix(ACL)}.pdf"
    return found


class AuthorYear(Unsorted):
    """Sorted by author and year, with a sentence of links at the end of each entry."""

    default_sorting_style = "author_year_title"
    default_label_style = Labels

    def format_web_refs(self, e: Entry) -> Node:
        """The links of an entry."""
        return sentence[*(href(address)[text] for text, address in links(e).items())]
