"""What the cells of the map say again and again: kinds of attention, masks and hypotheses."""

UNIQUE, AVERAGING, SOFT = "unique hard", "averaging hard", "soft"
PAST, STRICT = "future", "strict future"
THEIRS = "as in the paper"  # masks, positions or precision that an abstract does not name

FORMULAS = "08_formulas_to_transformers"
CLS = "CLS stands first; the logit is read there."
LAST = "CLS stands first; the logit is read at the last token."
EPS_0 = "Layer normalization with ε = 0 behind each residual connection, exact."
GREEDY = "The token with the largest logit is written and read back; an answer stops it."
VECTORS = (
    "Bhattamishra et al.'s encoder and decoder, repaired: saturated linear units, rationals "
    "without bound; vectors, not tokens, are fed back."
)
