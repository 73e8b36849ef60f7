"""Proofs for every length, by machine, of the papers' constructions: `constructions` reads their
rows, `kinds` and `rational` treat tokens of one kind together, `unique` makes automata of hard
attention, and `named` holds the proofs that claims rest on.
"""
