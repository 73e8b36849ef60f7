"""What the README's code prints; and CONTRIBUTING's commands without make are the workflow's."""

import re

import torch
import yaml

from tests.conftest import ROOT
from tests.trained.networks import Encoder

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_code_of_the_readme_prints_what_it_says(capsys, tmp_path, monkeypatch):
    """From top to bottom, in one namespace."""
    monkeypatch.chdir(tmp_path)
    network = Encoder(activation="gelu", pre_norm=True, causal=True)
    torch.save(network.state_dict(), "trained.pt")
    names: dict = {}
    printed = []
    for block in BLOCKS:
        exec(block, names)
        printed.append(capsys.readouterr().out)
    _, judged, formulas, trained = printed
    assert judged.startswith("proved for every length: ")
    assert formulas.startswith("proved for every length")
    assert "\nwrong: 'ba' is " in formulas
    with torch.no_grad():
        logit = network(torch.tensor([[2, 0, 1, 1, 3]]))[0, -1].item()
    assert trained.startswith(f"tensor([[{logit:.4f}")
    assert "\nwrong: " in trained


def test_the_commands_without_make_are_those_that_the_workflow_runs_on_other_systems():
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [commands] = re.findall(r"```bash\n(python -m pip .*?)```", contributing, re.DOTALL)
    workflow = (ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8")
    steps = yaml.safe_load(workflow)["jobs"]["elsewhere"]["steps"]
    run = [step["run"].split() for step in steps if "run" in step]
    *alike, test = [command.split() for command in commands.splitlines() if command]
    assert run[:-1] == alike
    assert set(test) <= set(run[-1]) and run[-1][-2:] == test[-2:]  # in several processes
