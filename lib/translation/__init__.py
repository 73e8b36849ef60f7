"""Sequence to sequence: pairs of sentences, the encoder-decoder, and its training and decoding."""
