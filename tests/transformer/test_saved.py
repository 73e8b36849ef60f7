"""Files of PyTorch's modules: what is saved is loaded, with this library and without it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from lib.constructions import normalization, papers
from lib.transformer import LOADER, Encoder, load, save, to_torch
from tests.transformer.test_to_torch import assert_same, masked, sample, without_layers

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
def test_what_is_saved_is_loaded(construction, eps, tmp_path):
    path = tmp_path / "new" / FILE
    save(construction, path, longest=20, eps=eps)
    made, loaded = to_torch(construction, 20, eps), load(str(path))
    assert (loaded.construction, loaded.sizes) == (made.construction, made.sizes)
    assert loaded.construction == construction and loaded.sizes.eps == eps
    assert loaded.state_dict().keys() == made.state_dict().keys()
    for name, tensor in made.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], tensor), name
    assert torch.equal(loaded.logits(sample(9)), made.logits(sample(9)))
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


def test_a_cut_off_file_is_refused(tmp_path):
    path = tmp_path / FILE
    save(papers.parity(), path)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ValueError, match="transformer.safetensors is no file of a transformer: "):
        load(path)


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
