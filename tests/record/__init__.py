"""Tests of the record: claims, criteria, stored runs and the commands that make them."""
