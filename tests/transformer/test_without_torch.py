"""Exact code works where there is no torch."""

import subprocess
import sys

from tests import ROOT

DECIDED = """
import sys
sys.modules["torch"] = None  # whoever imports it meets an ImportError

from chapters.common.turing.compilation import configurations, stack_rnn
from chapters.common.turing.machines import PALINDROMES
from lib import constructions, formulas
from lib.judging import judge
from lib.languages import MAJORITY, PARITY

assert judge(constructions.parity(), PARITY.predicate, 6).counterexample is None  # no prover
majority = formulas.compiled('count(Q("1")) > count(Q("0"))', "01")
assert judge(majority, MAJORITY, 6).counterexample is None
assert judge(majority, PARITY, 6).counterexample == "01"
rnn = stack_rnn(PALINDROMES)
*_, last = configurations(PALINDROMES, rnn, "0110", rnn.states("0110"))
assert last.state in PALINDROMES.accept
from lib.transformer import Encoder
"""


def test_exact_code_decides_where_torch_cannot_be_loaded():
    command = [sys.executable, "-c", DECIDED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert last == "ModuleNotFoundError: import of torch halted; None in sys.modules", done.stderr
