"""The library behind the book, room by room; a room imports from those above it in this list alone.

checks          validators of input experiment      what a stored run is languages       PARITY,
FIRST, ONE, PALINDROME: membership, enumeration, sampling transformer     a transformer as data:
named coordinates, and its readers in floating point and in exact arithmetic constructions   the
papers' transformers, what is made of them, and where floating point breaks them learning
transformers and feed-forward networks that are trained on strings counting        grids, and the
encoders that learn to count in them turing          Turing machines, recurrent networks that run
them, and transformers that run those translation     encoder-decoders on sentences book
what the pages need: claims, stored runs, figures, tables, playground
"""
