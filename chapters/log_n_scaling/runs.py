"""Chapter 4's stored runs: PARITY and FIRST (Chiang & Cholak 2022) learned."""

from chapters.common.learning import of_learners
from record.experiment import experiments

EXPERIMENTS = experiments(__file__, learners=of_learners)
