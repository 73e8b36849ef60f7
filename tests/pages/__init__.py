"""Tests of what stands beside one page alone."""
