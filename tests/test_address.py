"""A fork's address, in every place that names it."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CONFIG = (ROOT / "_config.yml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def address():
    folder = ROOT / "chapters" / "_ext"
    sys.path.insert(0, str(folder))
    specification = importlib.util.spec_from_file_location("address", folder / "address.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    sys.path.remove(str(folder))
    return module


@pytest.mark.parametrize("ending", ["", "/", ".git"])
def test_a_forks_address_is_written_and_nothing_else(address, ending):
    moved = address.moved(CONFIG, f"https://github.com/Some-One/a.fork_2{ending}")
    changed = [
        now for was, now in zip(CONFIG.splitlines(), moved.splitlines(), strict=True) if was != now
    ]
    assert changed == [
        "  url: https://github.com/Some-One/a.fork_2",
        "  baseurl: https://some-one.github.io/a.fork_2",
    ]
    ours = re.search(r"^  url: (.*)$", CONFIG, re.MULTILINE)[1]
    assert ours not in moved


WRONG = ["", "https://github.com/", "http://github.com/a/b", "https://github.com/a/b/c", "a\nb"]


@pytest.mark.parametrize("wrong", [*WRONG, "https://github.com/a b/c", "https://github.com/a/b\n"])
def test_another_address_is_named(address, wrong):
    with pytest.raises(ValueError, match="https://github.com/OWNER/NAME is expected, not"):
        address.moved(CONFIG, wrong)


def test_the_command_changes_nothing_for_no_address(address):
    for wrong in ([], ["nowhere"], ["https://github.com/a/b", "x"]):
        with pytest.raises(SystemExit, match="expected"):
            address.main(wrong)
    assert (ROOT / "_config.yml").read_text(encoding="utf-8") == CONFIG
