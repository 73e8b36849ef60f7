"""How built pages are made light: icons drawn here, images that come when they are near, the
search's scripts with the search alone.
"""

import re
from functools import partial
from pathlib import Path

from record.runs import read_yaml

ICONS = read_yaml(Path(__file__).with_name("icons.yaml"))
FONTS = ("fa-solid", "fas", "fab")
ICON = re.compile(r'<(i|span) class="([^"]*\bfa-[^"]*)"([^>]*)></\1>')
ICON_SCRIPT = re.compile(r"<script [^>]*fontawesome\.js[^>]*></script>")
KERNELS = re.compile(  # of other hosts, for running code in a page
    r'<script type="text/x-thebe-config">.*?</script>|<script>kernelName = .*?</script>', re.DOTALL
)
SEARCH_SCRIPTS = re.compile(
    r'<script src="[^"]*(?:searchtools|language_data|searchindex)\.js"></script>'
)
ICON_STYLES = re.compile(r"/\*!\s*\* Font Awesome.*\}\.fa-[^{}]*\{[^}]*\}", re.DOTALL)
ICON_CHARACTER = re.compile(r'"(?:\\[ef][0-9a-f]{3}|[\ue000-\uf8ff])"')
IMAGE = re.compile(r'<img (?!loading=|[^>]*logo__image)[^>]*src="([^"]*\.svg)"[^>]*>')
SIZE = re.compile(r'<svg [^>]*width="([\d.]+)pt" height="([\d.]+)pt"')
FORMULA = re.compile(r'(<span class="math[^"]*">[^<]*</span>[.,;:!?)’”]+)')  # and what ends it


def together(body: str) -> str:
    """The body of a page, with a mark around a formula and the punctuation after it: browsers break
    a line between them otherwise.
    """
    return FORMULA.sub(r'<span class="together">\1</span>', body)


def _icon(found: re.Match) -> str:
    """The drawing that stands for an element of the icon font. It says nothing to a screen reader:
    what it stands in has a name.
    """
    _, given, rest = found.groups()
    names = [name for name in re.findall(r"\bfa-([\w-]+)", given) if name in ICONS]
    classes = " ".join(name for name in given.split() if name not in FONTS)
    if len(names) != 1:
        raise LookupError(f"no icon is drawn in icons.yaml for {found.group()}")
    drawn = ICONS[names[0]]
    if title := re.search(r'title="([^"]*)"', rest):
        rest, drawn = rest.replace(title.group(), ""), f"<title>{title[1]}</title>{drawn}"
    return (
        f'<svg class="drawn {classes}" viewBox="0 0 24 24" aria-hidden="true"{rest}>{drawn}</svg>'
    )


def _image(found: re.Match, folder: Path) -> str:
    """An image of a page in this folder, fetched when it is near, in the room that it will take (in
    CSS pixels, which an SVG file tells); around it what scrolls on a narrow screen.
    """
    file, tag = folder / found[1], found.group().removeprefix("<img ")
    if size := SIZE.search(file.read_text(encoding="utf-8")):
        width, height = (round(float(side) * 4 / 3) for side in size.groups())
        tag = f'width="{width}" height="{height}" {tag}'
    return f'<span class="picture"><img loading="lazy" {tag}</span>'


def lighter_page(page: Path) -> str:
    """The text of a built page, with drawn icons and patient images; with the search's scripts only
    if it is the page of the search.
    """
    text = KERNELS.sub("", ICON_SCRIPT.sub("", page.read_text(encoding="utf-8")))
    text = IMAGE.sub(partial(_image, folder=page.parent), ICON.sub(_icon, text))
    return text if page.stem == "search" else SEARCH_SCRIPTS.sub("", text)


def lighter_styles(text: str) -> str:
    """The theme's style sheet without the icon font; where it names one of the font's characters,
    a bullet.
    """
    return ICON_CHARACTER.sub('"•"', ICON_STYLES.sub("", text))
