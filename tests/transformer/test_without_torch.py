"""Exact code works where there is no torch."""

import subprocess
import sys
from pathlib import Path

DECIDED = """
import sys


class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ImportError("there is no torch here")


sys.meta_path.insert(0, NoTorch())

from lib import constructions, formulas
from chapters.common.turing import compilation as turing
from lib.languages import MAJORITY, PARITY
from lib.transformer import Exact
from chapters.common.turing.machines import PALINDROMES

for w in ("", "1", "0110", "10101"):
    assert Exact(constructions.parity()).accepts(w) == (w in PARITY)
for w in ("0110", "011"):
    *_, last = PALINDROMES.run(w)
    assert (last.state in PALINDROMES.accept) == (w == w[::-1])
    rnn = turing.stack_rnn(PALINDROMES)
    assert [*turing.configurations(PALINDROMES, rnn, w, rnn.states(w))][-1] == last
from lib.judging import judge
majority = formulas.compiled('count(Q("1")) > count(Q("0"))', "01")
assert judge(majority, MAJORITY, 6).counterexample is None
assert judge(majority, PARITY, 6).counterexample == "01"
try:
    from lib.transformer import Encoder
except ImportError as error:
    assert str(error) == "there is no torch here"
else:
    raise AssertionError("torch was loaded")
"""


def test_exact_code_decides_where_torch_cannot_be_loaded():
    done = subprocess.run(
        [sys.executable, "-c", DECIDED],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
