"""The notebooks as Colab shows them: they read as the page does, need nothing that only the book's
builder knows, and begin with one short cell that fetches the book, or says in a sentence why not.
"""

import json
import os
import re
import subprocess
import sys

import nbformat
import pytest
import yaml

from chapters._ext import pair
from chapters._ext.plain import Book, labels
from record import alone
from tests import ROOT

CHAPTERS = ROOT / "chapters"
ALL = sorted(path.stem for path in CHAPTERS.glob("*.py"))
MYST = re.compile(
    r"\{[\w:]+\}`|^:::|^\(\S+\)=$|<script|class=\"(?:guess|live)\"|\]\(#", re.MULTILINE
)
SETUP = pair.setup().source
TRAINS = {"01_ffnn_parity", "05_counting_ablations"}
BOOK = Book(
    "https://a.b/c",
    {"here": "one", "figure": "two"},
    {"hahn2020": "Hahn, 2020", "chiang2022": "Chiang and Cholak, 2022"},
    {"one": {"runs": "7 of 20"}},
)


def cells(name: str) -> list:
    return nbformat.read(CHAPTERS / f"{name}.ipynb", as_version=4).cells


def markdown(text: str) -> str:
    """A Markdown cell of page `one` in a notebook."""
    [cell] = BOOK.plain("one", [nbformat.v4.new_markdown_cell(text)])
    return cell.source


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("right in {glue:text}`runs` runs", "right in 7 of 20 runs"),
        ("{cite}`hahn2020, chiang2022`", "(Hahn, 2020; Chiang and Cholak, 2022)"),
        ("the {term}`logit`", "the [logit](https://a.b/c/chapters/notation.html#term-logit)"),
        ("{term}`ties <tie>`", "[ties](https://a.b/c/chapters/notation.html#term-tie)"),
        ("{doc}`this page <two>`", "[this page](https://a.b/c/chapters/two.html)"),
        ("{numref}`figure`", "[the figure](https://a.b/c/chapters/two.html#figure)"),
        ("[Record](#here)", "[Record](https://a.b/c/chapters/one.html#here)"),
        (
            "[two](two), [six](weeks.md)",
            "[two](https://a.b/c/chapters/two.html), [six](https://a.b/c/chapters/weeks.html)",
        ),
        ("[x](https://d.e/f) and `v = w[0](1)`", "[x](https://d.e/f) and `v = w[0](1)`"),
        ("(here)=\n## Title", "## Title"),
        ('<p class="guess" data-right="2">a&nbsp;b|c|d</p>', "*Your guess: a b, c or d?*"),
        (
            ":::{dropdown} Solution\nIt is $1$.\n:::",
            "<details><summary><b>Solution</b></summary>\n\nIt is $1$.\n\n</details>",
        ),
        (
            ":::{admonition} The rule\n:class: result\nIt is.\n\nYes.\n:::",
            "> **The rule.** It is.\n>\n> Yes.",
        ),
    ],
)
def test_what_the_builder_knows_is_written_out(written, read):
    assert markdown(written) == read


@pytest.mark.parametrize(
    "written", ["{glue:text}`lost`", "{cite}`lost`", "[x](#lost)", "{numref}`lost`", "{ref}`here`"]
)
def test_what_leads_nowhere_is_named(written):
    with pytest.raises(ValueError, match="'lost'|'ref'"):
        markdown(written)


@pytest.mark.parametrize("name", ALL)
def test_a_notebook_shows_no_raw_markup(name):
    prose = [cell.source for cell in cells(name) if cell.cell_type == "markdown"]
    assert [found for text in prose for found in MYST.findall(text)] == []


@pytest.mark.parametrize("name", ALL)
def test_what_the_page_folds_is_folded_and_captions_stand_below_figures(name):
    page = cells(name)
    for number, cell in enumerate(page):
        tags, folded = set(cell.metadata.get("tags", ())), cell.metadata.get("jupyter", {})
        hides = {"hide-input", "hide-cell", "remove-input", "remove-cell"} & tags
        assert bool(hides) == folded.get("source_hidden", False)
        assert bool({"hide-output", "hide-cell"} & tags) == folded.get("outputs_hidden", False)
        if caption := cell.metadata.get("mystnb", {}).get("figure", {}).get("caption"):
            assert page[number + 1].source[:20] == caption[:20]


@pytest.mark.parametrize("name", ALL)
def test_the_setup_is_one_short_folded_cell_below_the_title(name):
    title, setup, *rest = cells(name)
    assert title.source.startswith("# ") and setup.source == SETUP
    assert SETUP.count("\n") <= 17 and SETUP not in [cell.source for cell in rest]


def test_the_setup_names_the_version_of_the_book():
    version = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
    assert f'"v{version}"' in SETUP


def test_every_label_that_is_linked_to_is_known():
    """Also those that outputs make, such as the entries of the map."""
    assert {"which-theorem", "map-entry-soft-masked-steps-parity-by-a-tally"} <= {
        *pair.book().labels
    }
    assert "which-theorem" in labels(CHAPTERS)


# ---- the setup cell


def test_without_a_network_the_setup_says_so_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOK_REPOSITORY", (tmp_path / "nowhere").as_uri())
    with pytest.raises(
        SystemExit, match=r"^The book could not be fetched from .*: is there a network\?$"
    ):
        exec(SETUP, {})
    assert list(tmp_path.iterdir()) == []


def test_a_placeholder_is_called_one_and_asked_for_nothing(tmp_path, monkeypatch):
    """Nor does a cell name it, before `make address` says that it is the book's."""
    config = pair.config()
    context = config["sphinx"]["config"]["html_context"]
    monkeypatch.setattr(pair, "config", lambda: config)
    monkeypatch.setattr(subprocess, "run", None)  # which git would need
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BOOK_REPOSITORY", raising=False)
    context["address_is_a_placeholder"] = True
    with pytest.raises(SystemExit, match="is a placeholder until .* BOOK_REPOSITORY"):
        exec(pair.setup().source, {})
    assert config["repository"]["url"] not in pair.setup().source
    context["address_is_a_placeholder"] = False
    assert f'"{config["repository"]["url"]}"' in pair.setup().source


@pytest.mark.parametrize("version", ["v0.0.0", None])
def test_the_setup_fetches_its_version_and_else_the_newest(version, tmp_path, monkeypatch):
    """Of a repository whose first commit is of that version."""
    [wanted] = re.findall(r'"(v[\d.]+)"', SETUP)
    place, git = tmp_path / "origin", ["git", "-c", "user.name=a", "-c", "user.email=a@localhost"]
    (place / "chapters").mkdir(parents=True)
    (place / "chapters" / "page.txt").write_text("first", encoding="utf-8")
    (place / "record").mkdir()
    (place / "record" / "__init__.py").touch()
    (place / "record" / "alone.py").write_text("ready = print", encoding="utf-8")
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["commit", "-qm", "1"],
        ["tag", version or wanted],
    ):
        subprocess.run([*git, *command], cwd=place, check=True)
    (place / "chapters" / "page.txt").write_text("second", encoding="utf-8")
    subprocess.run([*git, "commit", "-qam", "2"], cwd=place, check=True)
    (tmp_path / "here").mkdir()
    run = subprocess.run(
        [sys.executable, "-c", f"{SETUP}\nprint(open('page.txt').read())"],
        cwd=tmp_path / "here",
        env={**os.environ, "BOOK_REPOSITORY": place.as_uri(), "PYTHONPATH": ""},
        capture_output=True,
        text=True,
    )
    assert run.stdout.split() == ["True", "second" if version else "first"] and not run.stderr


@pytest.fixture
def asked(monkeypatch) -> list:
    """What the setup asks pip for; the next answers are taken from `asked.answers`."""

    class Asked(list):
        answers = iter(())

    found = Asked()

    def answer(command, **options):
        found.append([part for part in command[3:] if not part.startswith("-")][1:])
        return subprocess.CompletedProcess(command, next(found.answers, 0))

    monkeypatch.setattr(subprocess, "run", answer)
    return found


def lacks(monkeypatch, *modules: str) -> None:
    """These modules are not found."""
    monkeypatch.setattr(alone, "find_spec", lambda name: None if name in modules else object())


def test_it_installs_only_what_is_missing_and_never_torch(monkeypatch, asked):
    lacks(monkeypatch, "flint", "tqdm")
    alone.ready(alone=True)
    [names] = asked
    assert [name.split("==")[0] for name in names] == ["python-flint", "tqdm"]
    assert all("==" in name for name in names)


def test_it_installs_nothing_where_the_notebook_stands_in_its_book(monkeypatch, asked):
    lacks(monkeypatch, "flint")
    alone.ready(alone=False)
    assert asked == []


def test_without_a_wheel_of_the_books_version_another_is_taken(monkeypatch, asked):
    lacks(monkeypatch, "flint")
    asked.answers = iter([1, 1, 0])
    alone.ready(alone=True)
    assert [name for [name] in asked][1:] == [asked[0][0], "python-flint"]


def test_what_cannot_be_installed_is_named_in_a_sentence(monkeypatch, asked):
    lacks(monkeypatch, "flint")
    asked.answers = iter([1, 1, 1])
    with pytest.raises(SystemExit, match=r"^python-flint could not be installed: .*\?$"):
        alone.ready(alone=True)


def test_what_it_never_installs_is_expected(monkeypatch, asked):
    lacks(monkeypatch, "torch")
    with pytest.raises(SystemExit, match="^torch is expected, and not installed"):
        alone.ready(alone=True)
    assert asked == []


def test_a_python_without_any_package_reads_it():
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import record.alone"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)


def test_what_it_installs_is_pinned():
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert all(f"\n{name}==" in pins for name in alone.INSTALLED.values())


# ---- the numbers


def test_the_numbers_of_the_notebooks_are_those_of_the_pages(pages):
    """What is trained while a page is built may come out otherwise on another processor."""
    known = json.loads(pair.NUMBERS.read_text(encoding="utf-8"))["numbers"]
    for name in ALL:
        source = (CHAPTERS / f"{name}.py").read_text(encoding="utf-8")
        written = [known[name][number] for number in re.findall(r"\{glue:text\}`([^`]+)`", source)]
        shown = [span.text for span in pages[f"chapters/{name}.html"].select(".pasted-text")]
        if name in TRAINS:
            written, shown = (
                [re.sub(r"\d+", "#", said) for said in both] for both in (written, shown)
            )
        assert shown == written, "run `make numbers`"


def test_numbers_are_taken_from_a_built_book_only(tmp_path, monkeypatch):
    monkeypatch.setattr(pair, "BUILT", tmp_path)
    monkeypatch.setattr(pair, "EXECUTED", tmp_path)
    with pytest.raises(SystemExit, match="a built book is expected in .*: run `make book`"):
        pair.numbers()
