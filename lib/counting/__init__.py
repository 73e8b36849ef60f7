"""Counting colours in grids: `grids` draws them, `layer` is the encoder and its ablations, `runs`
lists what is stored.
"""
