"""The library behind the book; a room imports from those above it in this map alone.

checks         validators of input
expressions    what is typed as an expression of Python
files          files that are written whole or not at all
experiment     what a stored run is
languages      PARITY, FIRST, ONE, PALINDROME: membership, enumeration, sampling
transformer    a transformer as data: named coordinates, and readers in several arithmetics
constructions  the papers' transformers, what is made of them, and where floating point breaks them
formulas       counting formulas, and transformers compiled from them
learning       transformers and feed-forward networks that are trained on strings
counting       grids, and the encoders that learn to count in them
turing         Turing machines, recurrent networks that run them, and transformers that run those
survey         what kinds of transformers express: examples that run, and bounds that are cited
translation    encoder-decoders on sentences
exercises      exercises of the chapters, which check a reader's answer
book           what the pages need: claims, stored runs, figures, tables, playground
"""
