"""The library behind the book; a room imports from those above it in this map alone.

checks         validators of input
languages      PARITY, FIRST, ONE, PALINDROME: membership, enumeration, sampling
verdicts       what can be known of a model and a language, in one vocabulary
transformer    a transformer as data: named coordinates, and readers in several arithmetics
constructions  the papers' transformers, what is made of them, and where floating point breaks them
formulas       counting formulas, and transformers compiled from them
proofs         formulas proved equal to what they are meant to say, at every length
trained        networks that others trained, held against a language on every string to a length
judging        the one door: is this transformer right, and how is that known?

What a person imports for work of their own stands here, and what the record needs; what several
chapters use stands in `chapters/common`, what one alone uses in its folder. The library imports
neither the record nor a page, and knows no claim, row, stored run or date.
"""
