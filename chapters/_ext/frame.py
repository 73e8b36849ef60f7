"""Built pages, made light: the theme's icon font gives way to icons drawn here, the search's
scripts and index stay with the search, images come when they are near.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from lib.notebook import narrow_file

ICONS = {  # by the theme's names: strokes in a square of 24 by 24
    "angle-left": '<path d="M15 5 8 12l7 7"/>',
    "angle-right": '<path d="m9 5 7 7-7 7"/>',
    "arrow-up": '<path d="M12 20V4m-7 7 7-7 7 7"/>',
    "bars": '<path d="M4 6h16M4 12h16M4 18h16"/>',
    "circle-half-stroke": '<circle cx="12" cy="12" r="9"/><path d="M12 3a9 9 0 0 1 0 18z"'
    ' fill="currentColor"/>',
    "download": '<path d="M12 3v12m-6-5 6 6 6-6M4 21h16"/>',
    "expand": '<path d="M4 9V4h5m6 0h5v5m0 6v5h-5m-6 0H4v-5"/>',
    "file": '<path d="M14 2H6v20h13V7zv5h5"/>',
    "file-pdf": '<path d="M14 2H6v20h13V7zv5h5M9 13h7m-7 4h7"/>',
    "github": '<circle cx="6" cy="5" r="2.5"/><circle cx="18" cy="5" r="2.5"/>'
    '<circle cx="12" cy="19" r="2.5"/><path d="M6 7.5v1Q6 12 9.5 12h5q3.5 0 3.5-3.5v-1M12 12v4"/>',
    "lightbulb": '<path d="M9 17q0-2-1.7-3.6a6.5 6.5 0 1 1 9.4 0Q15 15 15 17zm1 4h4"/>',
    "list": '<path d="M9 6h11M9 12h11M9 18h11M4 6h.1M4 12h.1M4 18h.1"/>',
    "magnifying-glass": '<circle cx="10" cy="10" r="6.5"/><path d="m15 15 6 6"/>',
    "moon": '<path d="M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z"/>',
    "rocket": '<circle cx="12" cy="9" r="1.5"/>'
    '<path d="M12 2q5 4 5 10l-2 5H9l-2-5q0-6 5-10zM7.4 13 4 16v4l4.5-3m8.1-4 3.4 3v4l-4.5-3"/>',
    "sun": '<circle cx="12" cy="12" r="4"/><path d="M12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.4'
    'm11.2 11.2L19 19M5 19l1.4-1.4M17.6 6.4 19 5"/>',
}
NARROW = "screen and (max-width: 720px)"
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
IMAGE = re.compile(r'<img (?!loading=|[^>]*logo__image)[^>]*src="([^"]*)"[^>]*>')
SIZE = re.compile(r'<svg [^>]*width="([\d.]+)pt" height="([\d.]+)pt"')


def _icon(found: re.Match) -> str:
    """The drawing that stands for an element of the icon font. It says nothing to a screen reader:
    what it stands in has a name.
    """
    _, given, rest = found.groups()
    names = [name for name in re.findall(r"\bfa-([\w-]+)", given) if name in ICONS]
    classes = " ".join(name for name in given.split() if name not in FONTS)
    if len(names) != 1:
        raise LookupError(f"no icon is drawn in {__name__} for {found.group()}")
    title = re.search(r'title="([^"]*)"', rest)
    return (
        f'<svg class="drawn {classes}" viewBox="0 0 24 24" aria-hidden="true"'
        f"{rest.replace(title.group(), '') if title else rest}>"
        f"{f'<title>{title[1]}</title>' if title else ''}{ICONS[names[0]]}</svg>"
    )


def _image(found: re.Match, folder: Path) -> str:
    """An image of a page in this folder, fetched when it is near, in the room that it will take; on
    a narrow screen the narrow one, where there is one.
    """
    file, tag = folder / found[1], found.group().removeprefix("<img ")
    image = f'<img loading="lazy" {_room(file)}{tag}'
    narrow = narrow_file(file)
    if not narrow.exists():
        return image
    address = found[1].replace(file.name, narrow.name)
    source = f'<source media="{NARROW}" srcset="{address}" {_room(narrow)}/>'
    return f"<picture>{source}{image}</picture>"


def _room(file: Path) -> str:
    """The attributes that say how large an SVG image is, in CSS pixels; none for another file."""
    size = SIZE.search(file.read_text(encoding="utf-8")) if file.suffix == ".svg" else None
    if not size:
        return ""
    width, height = (round(float(side) * 4 / 3) for side in size.groups())
    return f'width="{width}" height="{height}" '


def lighter_page(text: str, folder: Path, *, searches: bool) -> str:
    """A page built into this folder, with drawn icons and patient images; with the search's scripts
    only if it `searches`.
    """
    text = KERNELS.sub("", ICON_SCRIPT.sub("", text))
    text = IMAGE.sub(partial(_image, folder=folder), ICON.sub(_icon, text))
    return text if searches else SEARCH_SCRIPTS.sub("", text)


def lighter_styles(text: str) -> str:
    """The theme's style sheet without the icon font; where it names one of the font's characters,
    a bullet.
    """
    return ICON_CHARACTER.sub('"•"', ICON_STYLES.sub("", text))
