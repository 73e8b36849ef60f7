"""Files of PyTorch's modules: what is saved is loaded, with this library and without it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

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


def parts(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """The tensors and the metadata of PARITY's file, which is written to `path`."""
    save(papers.parity(), path)
    with safe_open(path, "pt") as file:
        return {name: file.get_tensor(name).clone() for name in file.keys()}, file.metadata()


def test_the_tensors_of_a_file_are_those_that_are_loaded(tmp_path):
    tensors, metadata = parts(tmp_path / FILE)
    tensors["output.bias"] += 2
    save_file(tensors, tmp_path / FILE, metadata)
    assert_same(load(tmp_path / FILE).logits("011"), Encoder(papers.parity())("011") + 2)


def test_a_file_says_what_is_in_it(tmp_path):
    save(papers.palindrome(), tmp_path / FILE, longest=10)
    with safe_open(tmp_path / FILE, "pt") as file:
        description = json.loads(file.metadata()["transformer"])
    assert description.pop("construction")["name"] == "PALINDROME"
    assert description == {
        "format": 1,
        "vocabulary": ["CLS", "0", "1", "EOS"],
        "end": ["EOS"],
        "d_model": 32,
        "heads": 2,
        "hidden": [10, 10],
        "layers": 2,
        "feed_forward": 2,
        "readout": "CLS",
        "eps": None,
        "longest": 10,
        "by_length": True,
    }


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


def test_what_cannot_be_made_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="longest must be at least 1, not 0"):
        save(papers.parity(), tmp_path / FILE, longest=0)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    "metadata, message",
    [
        (None, "'transformer' is missing"),
        ({"other": "{}"}, "'transformer' is missing"),
        ({"transformer": "{"}, "Expecting property name"),
        ({"transformer": "[]"}, "list indices must be integers"),
        ({"transformer": "{}"}, "'format' is missing"),
    ],
)
def test_a_file_without_a_description_is_refused(metadata, message, tmp_path):
    tensors, _ = parts(tmp_path / FILE)
    save_file(tensors, tmp_path / FILE, metadata)
    with pytest.raises(ValueError, match=f"safetensors is no file of a transformer: {message}"):
        load(tmp_path / FILE)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"format": 2}, "its format is 2, not 1"),
        ({"heads": 3}, "its heads is 3, its construction's 2"),
        ({"longest": 0}, "longest must be at least 1, not 0"),
        ({"eps": "0"}, "eps must be an int, a Fraction or a float, not '0'"),
        ({"construction": {}}, "not the JSON of a construction: 'space' is missing"),
        ({"readout": "missing"}, "'readout' is missing"),
    ],
)
def test_a_file_with_another_description_is_refused(changes, message, tmp_path):
    tensors, metadata = parts(tmp_path / FILE)
    changed = json.loads(metadata["transformer"]) | changes
    kept = {name: value for name, value in changed.items() if value != "missing"}
    save_file(tensors, tmp_path / FILE, {"transformer": json.dumps(kept)})
    with pytest.raises(ValueError, match=f"safetensors is no file of a transformer: {message}"):
        load(tmp_path / FILE)


@pytest.mark.parametrize("name", ["word.weight", "encoder.layers.1.self_attn.in_proj_weight"])
@pytest.mark.parametrize("change", ["missing", "another type", "another shape", "another name"])
def test_a_file_with_other_tensors_is_refused(name, change, tmp_path):
    tensors, metadata = parts(tmp_path / FILE)
    tensor = tensors.pop(name)
    if change == "another type":
        tensors[name] = tensor.float()
    if change == "another shape":
        tensors[name] = tensor[:-1].clone()
    if change == "another name":
        tensors[f"{name}s"] = tensor
    save_file(tensors, tmp_path / FILE, metadata)
    with pytest.raises(ValueError, match="its tensors have not the names, shapes and types"):
        load(tmp_path / FILE)


@pytest.mark.parametrize(
    "contents", [b"", b"PARITY", b"\x80\x04N."], ids=["empty", "text", "pickle"]
)
def test_what_is_no_safetensors_file_is_refused(contents, tmp_path):
    (tmp_path / FILE).write_bytes(contents)
    with pytest.raises(ValueError, match="transformer.safetensors is no file of a transformer: "):
        load(tmp_path / FILE)


def test_a_cut_off_file_is_refused(tmp_path):
    path = tmp_path / FILE
    save(papers.parity(), path)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ValueError, match="transformer.safetensors is no file of a transformer: "):
        load(path)


@pytest.mark.parametrize("name", ["nothing.safetensors", "."])
def test_a_file_that_is_not_there_is_named(name, tmp_path):
    with pytest.raises(FileNotFoundError, match=f"{re.escape(str(tmp_path / name))} is none"):
        load(tmp_path / name)


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


def test_the_printed_loader_refuses_layer_normalization(tmp_path):
    save(papers.parity(), tmp_path / FILE, eps=1e-5)
    done = read([tmp_path], ["0"])
    assert done.returncode and "there is no layer normalization here" in done.stderr


def test_the_printed_loader_fits_a_page():
    assert len(LOADER.splitlines()) <= 22 and max(map(len, LOADER.splitlines())) <= 100
