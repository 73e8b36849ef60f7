"""Executes the notebooks that the cache lacks side by side, longest source first. The book reads
its pages one after the other, and finds them executed.
"""

from pathlib import Path

from joblib import Parallel, cpu_count, delayed
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from chapters._ext.pair import read

MOST = 4  # kernels at once: each holds PyTorch


def execute(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Executes what `pages` need and caches it. A notebook that fails is not cached: it is executed
    again, and says so, where its page is read.
    """
    if app.config.nb_execution_mode != "cache":
        return
    cache = get_cache(app.config.nb_execution_cache_path)

    def is_cached(notebook: NotebookNode) -> bool:
        try:
            return bool(cache.match_cache_notebook(notebook))
        except KeyError:
            return False

    def executed(path: Path, notebook: NotebookNode) -> tuple[Path, ExecutionResult]:
        seconds = app.config.nb_execution_timeout
        return path, single_nb_execution(notebook, str(path.parent), seconds, allow_errors=False)

    sources = [path for path in map(Path, map(env.doc2path, pages)) if path.suffix == ".py"]
    sources.sort(key=lambda path: path.stat().st_size, reverse=True)
    notebooks = [(path, read(path.read_text(encoding="utf-8"))) for path in sources]
    lacking = [pair for pair in notebooks if not is_cached(pair[1])]
    beside = Parallel(min(MOST, cpu_count()), backend="threading", return_as="generator_unordered")
    for path, result in beside(delayed(executed)(*pair) for pair in lacking):
        if result.err is None:
            seconds = {"execution_seconds": result.time}
            bundle = CacheBundleIn(result.nb, str(path), data=seconds)
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
            logging.getLogger(__name__).info(f"executed {path.name} in {result.time:.1f} s")


def setup(app: Sphinx) -> dict:
    app.connect("env-before-read-docs", execute)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
