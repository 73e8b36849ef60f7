"""The book's Sphinx extension: pages that ask no other host for anything, and a cache that notices changes of `lib`."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from lib.playground import playground  # noqa: E402
MATHJAX, MATHJAX_FONTS = "tex-chtml.js", "output/chtml/fonts/woff-v2"      # of 24 MB, the 1.6 MB that a page asks for


def digest(*patterns: str) -> str:
    """A hash of the names and contents of the repository's files that match the glob patterns."""
    found = hashlib.sha256()
    files = {path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}
    for path in sorted(path for path in files if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)):
        found.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


def fingerprint() -> str:
    """What a built book is made from, as a hash: tests rebuild a book whose fingerprint is another."""
    return digest("_config.yml", "_toc.yml", "requirements.txt", "chapters/*.*", "chapters/results/**/*.json",
                  "chapters/_static/*", "chapters/_ext/*.py", "lib/*.py")


def key_the_cache(app: Sphinx, config: Config) -> None:
    """Executed notebooks are kept for as long as neither `lib`, a stored result nor a requirement changes."""
    key = digest("lib/*.py", "chapters/results/**/*.json", "requirements.txt")
    cache = ROOT / "_build" / f".jupyter_cache-{key}"
    for other in set(cache.parent.glob(".jupyter_cache-*")) - {cache}:
        shutil.rmtree(other, ignore_errors=True)
    config.nb_execution_cache_path = str(cache)
    app.fingerprint = fingerprint()                        # of what is read now, not of what stands there at the end


def copy_assets(app: Sphinx, error: Exception | None) -> None:
    """Copies what the pages load from installed packages into the built book."""
    if error or app.builder.format != "html":
        return
    source = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
    target = Path(app.outdir) / "_static" / "mathjax"
    shutil.copytree(source / MATHJAX_FONTS, target / MATHJAX_FONTS, dirs_exist_ok=True)
    shutil.copy(source / MATHJAX, target / MATHJAX)
    shutil.copy(Path(find_spec("plotly").origin).parent / "package_data" / "plotly.min.js", Path(app.outdir) / "_static")
    (Path(app.outdir) / "_static" / "playground.json").write_text(json.dumps(playground(), ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    if not app._warncount:                                # a strict build that fails ends here too, and is no book
        (Path(app.outdir) / "fingerprint.txt").write_text(app.fingerprint + "\n")


def drop_thebe(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object) -> None:
    """Leaves out the scripts of in-page kernels, which the book does not use: they name another host, twice."""
    for kind in ("script_files", "css_files"):
        context[kind] = [file for file in context.get(kind, ())
                         if "thebe" not in f"{file.filename} {file.attributes.get('body', '')}".lower()]


def setup(app: Sphinx) -> dict:
    app.config.mathjax_path = f"mathjax/{MATHJAX}"
    app.connect("config-inited", key_the_cache, priority=999)
    app.connect("html-page-context", drop_thebe, priority=999)
    app.connect("build-finished", copy_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
