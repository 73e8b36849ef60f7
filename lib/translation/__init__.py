"""Sequence to sequence: sentences, a `vocabulary`, the `model`, its `decoding`, `train` and
`evaluation`.

`corpora` says what a corpus is, `folders` reads them, `synthetic` and `grammar` draw them.
`configurations` lists what is trained; `synthetic_runs` and `runs` run and check it. `matches` and
`evidence` are what a stored run keeps for that, `criteria` says when it agrees with a paper.
"""
