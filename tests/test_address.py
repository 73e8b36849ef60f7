"""A fork's address, in every place that names it."""

import re

import pytest

from chapters._ext import pair
from tests import ROOT

CONFIG = (ROOT / "_config.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["", "/", ".git"])
def test_a_forks_address_is_written_and_nothing_else(ending):
    moved = pair.moved(CONFIG, f"https://github.com/Some-One/a.fork_2{ending}")
    changed = [
        now for was, now in zip(CONFIG.splitlines(), moved.splitlines(), strict=True) if was != now
    ]
    assert changed == [
        "  url: https://github.com/Some-One/a.fork_2",
        "  baseurl: https://some-one.github.io/a.fork_2",
        "      address_is_a_placeholder: false    # until `make address` is used",
    ]
    ours = re.search(r"^  url: (.*)$", CONFIG, re.MULTILINE)[1]
    assert ours not in moved


WRONG = ["", "https://github.com/", "http://github.com/a/b", "https://github.com/a/b/c", "a\nb"]


@pytest.mark.parametrize("wrong", [*WRONG, "https://github.com/a b/c", "https://github.com/a/b\n"])
def test_another_address_is_named(wrong):
    with pytest.raises(ValueError, match="https://github.com/OWNER/NAME is expected, not"):
        pair.moved(CONFIG, wrong)
