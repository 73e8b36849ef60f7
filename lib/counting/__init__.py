"""Counting colours in grids: `grids` draws them, `ablations` lists the encoders, `layer` computes
them, `train` and `scores` train and test them, `runs` lists what is stored.
"""
