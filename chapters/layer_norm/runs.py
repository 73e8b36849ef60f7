"""Chapter 3's stored run: where PARITY's normalized construction (Chiang & Cholak 2022) first errs
in floating point.
"""

from functools import partial

from chapters.common.searches import searches
from record.experiment import experiments
from record.precision import first_normalized_failure

EXPERIMENTS = experiments(
    __file__, first_normalized_failure=partial(searches, first_normalized_failure)
)
