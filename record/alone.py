"""What a notebook does first: it goes on where an assertion fails, for a person; and where it runs
alone, as in Colab, it installs what the book needs and does not find. So it imports nothing that a
bare Python lacks.
"""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from platform import python_version, system

ROOT = Path(__file__).resolve().parents[1]

BROUGHT = ("torch", "numpy", "matplotlib", "IPython")  # by whoever runs a notebook
INSTALLED = {  # modules, and the distributions that hold them
    "automata": "automata-lib",
    "cvc5": "cvc5",
    "flint": "python-flint",
    "joblib": "joblib",
    "sacrebleu": "sacrebleu",
    "safetensors": "safetensors",
    "sentencepiece": "sentencepiece",
    "tqdm": "tqdm",
    "yaml": "PyYAML",
    "z3": "z3-solver",
}


def ready(alone: bool) -> None:
    """Prepares a notebook; SystemExit, in one sentence, for what is missing and cannot be had."""
    if alone:
        install([name for module, name in INSTALLED.items() if not find_spec(module)])
    from record.claims import go_on

    go_on()


def install(names: list[str]) -> None:
    """Installs distributions in the book's versions, or where there is none of these for this
    platform, in the newest that there is.
    """
    for module in BROUGHT:
        if not find_spec(module):
            raise SystemExit(f"{module} is expected, and not installed: `pip install {module}`")
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.partition("==")[0]: line for line in lines}
    if names and not pip([pinned[name] for name in names]):
        for name in names:
            if not pip([pinned[name]]) and not pip([name]):
                raise SystemExit(
                    f"{name} could not be installed: is there a network, and is there a {name} "
                    f"for Python {python_version()} on {system()}?"
                )


def pip(what: list[str]) -> bool:
    """Whether an installation succeeds."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return subprocess.run([*command, *what]).returncode == 0
