"""Where stored numbers come from, and how the settings of translations differ from a paper's."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from IPython.display import Markdown

from chapters.translation.runs import WITWICKY
from record.claims import criteria_of
from record.experiments import experiment
from record.notebook import markdown_table
from record.runs import ROOT, Stored, read_yaml, record_page, stored_runs

WORDS = read_yaml(Path(__file__).with_suffix(".yaml"))
LOST: list[str] = WORDS["lost"]
CITED = "07_palindrome_precision"  # the example's chapter


def settings_table(runs: Sequence[Stored]) -> Markdown:
    """The defaults of Chiang & Cholak's toolkit, and the settings of stored translations, a column
    each.
    """
    columns = [[row["configuration"] for row in run.results] for run in runs]
    head = ["setting", "toolkit", *(run.name.removeprefix("translation_") for run in runs)]
    body = [
        [said, *(_said(column, name) for column in ([WITWICKY], *columns))]
        for name, said in WORDS["settings"].items()
    ]
    return markdown_table(head, body)


def _said(configurations: Sequence[dict], name: str) -> str:
    """What a run's configurations say of a setting; what they leave out is none."""
    values = [settings.get(name, 0 if name == "dropout" else "none") for settings in configurations]
    said = [WORDS["norm_first"][value] if name == "norm_first" else str(value) for value in values]
    return ", ".join(dict.fromkeys(said))


def provenance() -> Markdown:
    """Where every stored number comes from: what is common to most stored runs, then one line for
    each of them.
    """
    runs = stored_runs()
    settings = [*map(_setting, runs)]
    [(usual, count)] = Counter(settings).most_common(1)
    head = ["Run", "Date", "Time, added up", "Settings", "Seeds", "Commit"]
    lines, unless = [*map(_provenance_line, runs)], ""
    if count < len(runs):
        head.append("Made with")
        lines = [
            [*line, "" if setting == usual else setting]
            for line, setting in zip(lines, settings, strict=True)
        ]
        unless = ", unless its line says otherwise"
    table = markdown_table(head, lines)
    return Markdown(f"Each run was made with: {usual}{unless}.\n\n{table.data}")


def lost() -> Markdown:
    """The commits that are no longer in the history, with the stored runs that name them."""
    runs = stored_runs()
    named = {at: [f"`{run.name}`" for run in runs if at in run.made["commit"]] for at in LOST}
    return markdown_table(["Commit", "Runs"], [[f"`{at}`", ", ".join(named[at])] for at in LOST])


def citation() -> Markdown:
    """An example of how a line is cited, of the version that `CITATION.cff` names."""
    said, line = (
        read_yaml(ROOT / "CITATION.cff"),
        read_yaml(criteria_of(CITED))["claims"]["exact: ONE"],
    )
    title, version = said["title"].partition(":")[0], said["version"]
    when = (
        f"of {said['date-released']}" if "date-released" in said else "not yet published, commit …"
    )
    place = f"{record_page(CITED)}, row {line['row']}, “{line['quantity']}”"
    return Markdown(
        f"> {said['authors'][0]['name']}: *{title}*, version {version}, {when}. {place}."
    )


def replays() -> Markdown:
    """What a check asks of each stored run; runs of which it asks the same stand together."""
    alike = defaultdict(list)
    for run in stored_runs():
        alike[experiment(run.name).question].append(f"`{run.name}`")
    lines = [[", ".join(names), question] for question, names in alike.items()]
    return markdown_table(["Runs", "A check asks"], lines)


def _setting(run: Stored) -> str:
    """The device and the versions that a run was made with."""
    made = run.made
    versions = ", ".join(f"{name} {made[name]}" for name in ("torch", "numpy"))
    return f"{made['device']}, Python {made['python']}, {versions}"


def _provenance_line(run: Stored) -> list[object]:
    made, settings = run.made, [row["configuration"] for row in run.results]
    time, commit = f"{run.minutes:.1f} min", f"`{made['commit']}`"
    return [f"`{run.name}`", made["date"], time, len(settings), _seeds(settings), commit]


def _seeds(configurations: list[dict]) -> str:
    """The seeds of a run: so many from 0 on, or the seeds that its configurations name."""
    sizes = {c["seeds"] for c in configurations if "seeds" in c}
    named = {c["seed"] for c in configurations if "seed" in c}
    if named:
        sizes.add(1 + max(named))
    ranges = ("0" if size == 1 else f"0 to {size - 1}" for size in sorted(sizes))
    return "; ".join(ranges) or "none used"
