"""The README: what its code prints, and its commands are those of the workflow."""

import re

import torch
import yaml

from tests.conftest import ROOT
from tests.trained.networks import Encoder

README = (ROOT / "README.md").read_text(encoding="utf-8")
TRANSFORMER, FORMULA, MEANT, TRAINED = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_formula_of_the_readme_is_proved(capsys):
    exec(FORMULA, {})
    assert capsys.readouterr().out.startswith("proved for every length; all 8,191 strings")


def test_the_formula_of_the_readme_says_what_is_meant(capsys):
    exec(MEANT, {})
    equal, wrong = capsys.readouterr().out.splitlines()
    assert equal == "proved for every length: a search closed at 3 states, checked by cvc5"
    assert wrong.startswith("wrong: 'ba' is the shortest string on which they part")


def test_the_trained_network_of_the_readme_is_judged(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    network = Encoder(activation="gelu", pre_norm=True, causal=True)
    torch.save(network.state_dict(), "trained.pt")
    exec(TRAINED, {})
    said, verdict, first, *_ = capsys.readouterr().out.splitlines()
    with torch.no_grad():
        assert said.startswith(
            f"tensor([[{network(torch.tensor([[2, 0, 1, 1, 3]]))[0, -1].item():.4f}"
        )
    assert verdict.startswith("wrong to length 10: of 2,047 strings")
    assert first.startswith("the first: ")


def test_the_commands_without_make_are_those_that_the_workflow_runs_on_other_systems():
    [commands] = re.findall(r"```bash\n(python -m pip .*?)```", README, re.DOTALL)
    workflow = (ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8")
    steps = yaml.safe_load(workflow)["jobs"]["elsewhere"]["steps"]
    run = [step["run"].split() for step in steps if "run" in step]
    *alike, test = [command.split() for command in commands.splitlines() if command]
    assert run[:-1] == alike
    assert set(test) <= set(run[-1]) and run[-1][-2:] == test[-2:]  # in several processes
