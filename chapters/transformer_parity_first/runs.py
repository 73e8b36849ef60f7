"""Chapter 2's stored runs: where PARITY's construction (Chiang & Cholak 2022) first errs in
floating point.
"""

from functools import partial

from chapters.common.searches import searches
from record.experiment import experiments
from record.precision import first_failure, first_failure_in

EXPERIMENTS = experiments(
    __file__,
    first_failure=partial(searches, first_failure),
    first_failure_in=partial(searches, first_failure_in),
)
