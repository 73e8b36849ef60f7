"""The colours of the four languages, in figures and pages."""

# Okabe and Ito's palette, which readers with any common colour blindness can tell apart.
COLOURS = {"PARITY": "#0072B2", "FIRST": "#D55E00", "ONE": "#009E73", "PALINDROME": "#CC79A7"}
