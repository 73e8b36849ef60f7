"""Sequence to sequence: sentences, a `vocabulary`, the `model`, its `decoding`, `train` and
`evaluation`.

`corpora` says what a corpus is, `folders` reads them, `synthetic` and `grammar` draw them.
`configurations` lists what is trained, and `runs` runs and checks it.
"""
