"""Files of PyTorch's modules: what is saved makes the same network, also without this library."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from lib.constructions import normalization, papers
from lib.transformer import LOADER, Encoder, from_json, save, to_torch
from tests.transformer.test_to_torch import assert_same, masked, without_layers

SAVED = {
    "PARITY": (papers.parity(), None),
    "FIRST": (papers.first(), None),
    "PALINDROME": (papers.palindrome(), None),
    "masked": (masked("strict future"), None),
    "future": (masked("future", "CLS"), None),
    "without layers": (without_layers(), None),
    "normalized": (normalization.mirror(papers.parity()), 1e-5),
}
FILE = "transformer.safetensors"


@pytest.mark.parametrize("construction, eps", SAVED.values(), ids=SAVED)
def test_what_is_saved_makes_the_same_network(construction, eps, tmp_path):
    path = tmp_path / "new" / FILE
    save(construction, path, longest=20, eps=eps)
    with safe_open(path, "pt") as file:
        said = json.loads(file.metadata()["transformer"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    made = to_torch(construction, 20, eps)
    assert from_json(json.dumps(said.pop("construction"))) == construction
    assert said == json.loads(json.dumps(asdict(made.sizes))) and said["eps"] == eps
    assert tensors.keys() == made.state_dict().keys()
    for name, tensor in made.state_dict().items():
        assert torch.equal(tensors[name], tensor), name
    assert [entry.name for entry in path.parent.iterdir()] == [FILE]
    written = path.read_bytes()
    save(construction, path, longest=20, eps=eps)
    assert path.read_bytes() == written


def test_a_file_that_cannot_be_replaced_stays_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / FILE
    save(papers.first(), path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="no space left"):
        save(papers.parity(), path)
    assert path.read_bytes() == before and [*tmp_path.iterdir()] == [path]


READER = """
import json, os, sys
from importlib.util import find_spec
sys.path = [path for path in sys.path if not os.path.exists(f"{path}/lib/transformer")]
assert find_spec("lib") is None
loader, strings, *folders = json.load(sys.stdin)
for folder in folders:
    os.chdir(folder)
    loaded = {}
    exec(loader, loaded)
    print(json.dumps([loaded["logit"](w) for w in strings]))
"""


def read(folders: list[Path], batch: list[str]) -> subprocess.CompletedProcess:
    """`LOADER` in each of the folders, in a process that cannot import this library: a line of
    logits each.
    """
    return subprocess.run(
        [sys.executable, "-I", "-c", READER],
        input=json.dumps([LOADER, batch, *map(str, folders)]),
        capture_output=True,
        text=True,
    )


def test_the_printed_loader_reads_files_without_the_library(tmp_path):
    constructions = {name: made for name, (made, eps) in SAVED.items() if eps is None}
    for name, construction in constructions.items():
        save(construction, tmp_path / name / FILE, longest=20)
    batch = ["", "0", "1", "0110", "10011", "110" * 6]
    done = read([tmp_path / name for name in constructions], batch)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    for line, construction in zip(lines, constructions.values(), strict=True):
        found = torch.tensor(json.loads(line), dtype=torch.float64)
        assert_same(found, torch.cat([Encoder(construction)(w) for w in batch]))
