"""The stored runs on PARITY (Chiang & Cholak 2022) learned without positions."""

from chapters.common.learning import of_learners
from record.experiment import experiments

EXPERIMENTS = experiments(__file__, learners=of_learners)
