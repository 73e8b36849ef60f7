"""The book's Sphinx extension: pages that ask no other host for anything and load only what they
use, and a cache that notices changes of what notebooks are executed with.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from html import escape
from importlib.util import find_spec
from multiprocessing.pool import ThreadPool
from pathlib import Path
from textwrap import shorten

from docutils import nodes
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from nbformat import NotebookNode
from pybtex.plugin import register_plugin
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from chapters._ext.bibliography import AuthorYear
from chapters._ext.page import lighter_page, lighter_styles, together
from chapters._ext.pair import read
from chapters.playground.data import playground
from record.notebook import RECORD
from record.runs import ROOT, read_yaml

SAID = read_yaml(Path(__file__).with_suffix(".yaml"))
CODE = SAID["code"]
MOST_KERNELS = 4  # at once: each holds PyTorch
ENOUGH, LONGEST = 40, 200  # characters of a description


def digest(patterns: Iterable[str]) -> str:
    """A hash of the names and contents of the repository's files that match the glob patterns,
    without hidden files and what Python compiled.
    """
    found = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern)}):
        name = path.relative_to(ROOT)
        if path.is_file() and not any(part.startswith((".", "__pyc")) for part in name.parts):
            found.update(name.as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


def fingerprint() -> str:
    """What a built book is made from, as a hash: a book of another fingerprint is built anew."""
    return digest([*CODE, *SAID["sources"]])


def key_the_cache(app: Sphinx, config: Config) -> None:
    """Executed notebooks stay while neither code, a stored result nor a requirement changes."""
    cache = ROOT / "_build" / f".jupyter_cache-{digest(CODE)}"
    for other in set(cache.parent.glob(".jupyter_cache-*")) - {cache}:
        shutil.rmtree(other, ignore_errors=True)
    config.nb_execution_cache_path = str(cache)
    app.fingerprint = fingerprint()  # of what is read now, not of what stands there at the end
    mark_of(app).unlink(missing_ok=True)  # until this build has ended well


def execute(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Executes the notebooks that the cache lacks side by side, the longest first; their pages find
    them there. A notebook that fails is not cached: its page executes it again, and says so.
    """
    cache, seconds = get_cache(env.config.nb_execution_cache_path), env.config.nb_execution_timeout

    def is_cached(notebook: NotebookNode) -> bool:
        with suppress(KeyError):
            return bool(cache.match_cache_notebook(notebook))
        return False

    def run(path: Path) -> None:
        result = single_nb_execution(notebooks[path], str(path.parent), seconds, False)
        if not result.err:
            bundle = CacheBundleIn(result.nb, str(path), data={"execution_seconds": result.time})
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)

    sources = [path for path in map(Path, map(env.doc2path, pages)) if path.suffix == ".py"]
    notebooks = {path: read(path.read_text(encoding="utf-8")) for path in sources}
    lacking = [path for path in sources if not is_cached(notebooks[path])]
    lacking.sort(key=lambda path: (path.stem in SAID["long"], path.stat().st_size), reverse=True)
    with ThreadPool(min(os.cpu_count(), MOST_KERNELS)) as pool:
        pool.map(run, lacking, chunksize=1)


def number_figures(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Numbers the figures of a page without a number from 1; Sphinx counts on over such pages."""
    for kinds in env.toc_fignumbers.values():
        for numbers in kinds.values():
            if all(len(number) == 1 for number in numbers.values()):
                numbers.update({name: (place,) for place, name in enumerate(numbers, start=1)})
    return []


def mark_of(app: Sphinx) -> Path:
    """The file that says of which sources the book is built."""
    return Path(app.outdir) / "fingerprint.txt"


def copy_assets(app: Sphinx, error: Exception | None) -> None:
    """Copies what the pages load from packages into the built book, and makes it light."""
    if error or app.builder.format != "html":
        return
    built, static = Path(app.outdir), Path(app.outdir) / "_static"
    source = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
    for part in [*SAID["mathjax_files"], *(f"{part}.js" for part in SAID["mathjax_parts"])]:
        copied = static / "mathjax" / part
        copied.parent.mkdir(parents=True, exist_ok=True)
        if (source / part).is_dir():
            shutil.copytree(source / part, copied, dirs_exist_ok=True)
        else:
            shutil.copy(source / part, copied)
    data = json.dumps(playground(), ensure_ascii=False, separators=(",", ":"))
    (static / "playground.json").write_text(data, encoding="utf-8")
    if find_spec("minify"):  # which takes comments and long names out of the page's modules
        import minify

        for module in static.glob("*.mjs"):
            text = module.read_text(encoding="utf-8")
            short = minify.string("application/javascript", text)
            module.write_text(short, encoding="utf-8")
    lighten(built)
    if not app._warncount:  # a strict build that fails ends here too, and is no book
        mark_of(app).write_text(app.fingerprint + "\n", encoding="utf-8")


def lighten(built: Path) -> None:
    """Takes out of the built book what its pages do not use: see `chapters._ext.page`."""
    for page in built.rglob("*.html"):
        page.write_text(lighter_page(page), encoding="utf-8")
    for styles in (built / "_static" / "styles").glob("*.css"):
        styles.write_text(lighter_styles(styles.read_text(encoding="utf-8")), encoding="utf-8")
    (built / "_static" / "scripts" / "fontawesome.js").unlink(missing_ok=True)
    shutil.rmtree(built / "_static" / "vendor" / "fontawesome", ignore_errors=True)


def choose_files(app: Sphinx, page: str, template: str, context: dict, document: object) -> None:
    """Loads the scripts that a page asks for; leaves out those, and the styles, that it does not
    use.
    """
    body = context.get("body", "")
    for script, mark in SAID["loaded"].items():
        if mark in body:
            app.add_js_file(script, type="module")
    if page == "search":  # whose results would show raw TeX
        app.add_js_file("search_text.mjs", type="module")
    for kind in ("script_files", "css_files"):
        context[kind] = [file for file in context.get(kind, ()) if is_used(file, body)]


def is_used(file: object, body: str) -> bool:
    """Whether a page with this body uses a script or a style sheet."""
    name = f"{file.filename} {file.attributes.get('body', '')}".lower()
    users = [user for part, user in SAID["used_by"].items() if part in name]
    return all(user and re.search(user, body) for user in users)


def open_to_all(app: Sphinx, page: str, template: str, context: dict, document: object) -> None:
    """Code, formulas and tables that scroll can be reached by keyboard; entries of the bibliography
    have the role that their list asks for; a formula keeps its full stop.
    """
    context["body"] = together(context.get("body", ""))
    for theirs, ours in SAID["opened"].items():
        context["body"] = context["body"].replace(theirs, ours)


def warn_of_address(app: Sphinx, page: str, template: str, context: dict, doc: object) -> None:
    """While the repository's address is a placeholder, the buttons that lead there say so."""
    if context.get("address_is_a_placeholder"):
        shown = context.get("header_buttons", ())
        for button in [*shown, *(one for group in shown for one in group.get("buttons", ()))]:
            if "github" in str(button.get("url")):
                button["tooltip"] = f"{button['tooltip']}: {SAID['placeholder']}"


def describe(
    app: Sphinx, page: str, template: str, context: dict, document: nodes.document | None
) -> None:
    """What other sites show of a page that is linked to, beside its title: how its text begins. The
    first page, which has the book's title, says beside it what the book is.
    """
    if context.get("title") == app.config.html_title:
        context["docstitle"] = SAID["subtitle"]
    paragraphs = document.findall(nodes.paragraph) if document else ()
    begins = (text for text in map(nodes.paragraph.astext, paragraphs) if len(text) >= ENOUGH)
    said = escape(shorten(next(begins, SAID["summary"]), LONGEST, placeholder=" …"))
    tag = f'<meta name="description" property="og:description" content="{said}">'
    context["metatags"] = context.get("metatags", "") + tag


def setup(app: Sphinx) -> dict:
    os.environ.setdefault(RECORD, "check")  # the book is held to its record
    register_plugin("pybtex.style.formatting", "author_year", AuthorYear)
    app.config.mathjax_path = "mathjax/startup.js"
    app.config.mathjax3_config = {"loader": {"load": SAID["mathjax_parts"]}}
    app.connect("config-inited", key_the_cache, priority=999)
    app.connect("env-before-read-docs", execute)
    app.connect("env-get-updated", number_figures, priority=999)  # when Sphinx has numbered them
    app.connect("html-page-context", choose_files, priority=999)  # after who adds some
    app.connect("html-page-context", describe)
    app.connect("html-page-context", warn_of_address, priority=999)
    app.connect("html-page-context", open_to_all)
    app.connect("build-finished", copy_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
