"""The page's modules in Node: one process that is asked by name, and forms in which it answers."""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from flint import arb, fmpq

from lib.transformer.construction import Construction, from_json, to_json


class Engine:
    """A process of Node that answers the questions of engine.mjs."""

    def __init__(self) -> None:
        node = shutil.which("node", path=sysconfig.get_path("scripts"))
        assert node, "Node is not installed"
        command = [node, Path(__file__).with_suffix(".mjs")]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8")

    def all(self, question: str, cases: Iterable) -> list[Any]:
        """The answer to each case; where there is none, its `error`."""
        line = json.dumps([question, [*cases]])
        assert self.process.stdin and self.process.stdout
        print(line, file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def __call__(self, question: str, *case: Any) -> Any:
        """The answer to one case."""
        [answer] = self.all(question, [case])
        return answer

    def read(self, text: str) -> Construction:
        """The construction that a text spells; ValueError where it spells none."""
        found = self("read", text)
        if "error" in found:
            raise ValueError(found["error"])
        return from_json(found["json"])

    def write(self, construction: Construction) -> str:
        """The text of a construction."""
        return self("write", data(construction))["rows"]


def data(construction: Construction) -> dict:
    """A construction as its JSON has it, in which the order of names says nothing."""
    return json.loads(to_json(construction))


def made(code: str) -> Construction:
    """What Python code makes."""
    names: dict = {}
    exec(code, names)
    return names["construction"]


def fraction(parts: list[str]) -> fmpq:
    """A rational of the page's."""
    return fmpq(*map(int, parts))


def encloses(pairs: list, exact: list[arb], bits: int = 0) -> bool:
    """Whether numbers may lie within the page's [middle, radius], in units of 2^-bits."""
    number = int if bits else float
    known = [(x, m, r) for x, (m, r) in zip(exact, pairs, strict=True) if r is not None]
    return not any(abs(x * arb(2) ** bits - number(m)) > number(r) for x, m, r in known)
