"""Makes every chapters/NAME.ipynb from chapters/NAME.py: `python chapters/_ext/pair.py [--check]`.

A notebook is a pure function of its source and of the repository's address in `_config.yml`: no
outputs, cell ids from the cells' contents, and one setup cell in front, the same for all, by which
a lone notebook (in Colab, say) finds `lib`. A fork is another address:
`python chapters/_ext/pair.py --address https://github.com/OWNER/NAME` writes it everywhere.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

import jupytext
import nbformat
import yaml

CHAPTERS = Path(__file__).resolve().parents[1]
ADDRESS = re.compile(r"https://github\.com/([A-Za-z0-9-]+)/([A-Za-z0-9._-]+?)(?:\.git)?/?")
FIRST = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
PLACEHOLDER = r"^(.*\baddress_is_a_placeholder: )\w+"
INSTALLED, SETUP = FIRST["installed"], FIRST["cell"].rstrip()


def repository() -> str:
    """The address of the book's repository; ends the program where `_config.yml` names none."""
    config = CHAPTERS.parent / "_config.yml"
    try:
        return yaml.safe_load(config.read_text(encoding="utf-8"))["repository"]["url"]
    except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError) as error:
        sys.exit(f"{config} is expected to name the repository's url: {error!r}")


def moved(config: str, address: str) -> str:
    """The text of `_config.yml` for a repository at `address`; ValueError for no such address."""
    found = ADDRESS.fullmatch(address)
    if not found:
        raise ValueError(f"https://github.com/OWNER/NAME is expected, not {address!r}")
    owner, name = found.groups()
    lines = {
        r"^  url: .*$": f"  url: https://github.com/{owner}/{name}",
        r"^  baseurl: .*$": f"  baseurl: https://{owner.lower()}.github.io/{name}",
        PLACEHOLDER: r"\1false",
    }
    for pattern, line in lines.items():
        config, count = re.subn(pattern, line, config, flags=re.MULTILINE)
        if count != 1:
            raise ValueError(f"_config.yml is expected to have one line {pattern}, not {count}")
    return config


def notebook(source: Path) -> str:
    """The text of the notebook that belongs to a chapter's source."""
    made = jupytext.read(source, fmt="py:percent")
    made.metadata = nbformat.from_dict(
        {"kernelspec": made.metadata["kernelspec"], "language_info": {"name": "python"}}
    )
    setup = SETUP.format(address=repository(), installed=INSTALLED)
    first = nbformat.v4.new_code_cell(setup, metadata={"tags": ["remove-cell"]})
    made.cells.insert(0, first)
    for number, cell in enumerate(made.cells):
        before = sum(earlier.source == cell.source for earlier in made.cells[:number])
        content = f"{cell.cell_type} {before} {cell.source}"
        cell.id = hashlib.sha256(content.encode()).hexdigest()[:8]
    made.nbformat, made.nbformat_minor = 4, 5
    return nbformat.writes(made) + "\n"


def write(path: Path, text: str) -> None:
    """Writes a file as a whole or not at all."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8", newline="\n")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def pair(check: bool) -> None:
    """Writes the notebooks; with `check`, changes nothing and exits with an error where one is not
    what its source makes.
    """
    sources = sorted(CHAPTERS.glob("*.py"))
    strays = set(CHAPTERS.glob("*.ipynb")) - {source.with_suffix(".ipynb") for source in sources}
    if strays:
        names = ", ".join(sorted(path.name for path in strays))
        sys.exit(f"no source makes {names}: delete it, or write its source")
    for source in sources:
        target, text = source.with_suffix(".ipynb"), notebook(source)
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        if check:
            sys.exit(
                f"chapters/{target.name} is not what {source.name} makes: run `make notebooks`"
            )
        write(target, text)
        print(f"wrote chapters/{target.name}")


def main(arguments: list[str]) -> None:
    """The command."""
    match arguments:
        case ["--address", address]:
            config = CHAPTERS.parent / "_config.yml"
            try:
                write(config, moved(config.read_text(encoding="utf-8"), address))
            except (OSError, ValueError) as error:
                sys.exit(str(error))
        case [] | ["--check"]:
            pass
        case _:
            said = " ".join(arguments)
            sys.exit(f"--check, --address with an address, or nothing is expected, not {said}")
    pair(check="--check" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
