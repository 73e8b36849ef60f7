"""Chapter 2 and its record: how sure a construction is at a length."""

from lib.languages import Language
from lib.transformer import Construction, Encoder, cross_entropy_bits


def confidence(construction: Construction, language: Language, length: int) -> tuple[float, float]:
    """The mean cross-entropy of 1000 random strings of a length, in bits a string, and the
    influence of one symbol of the first: the largest change of its logit when a symbol is flipped.
    """
    reader = Encoder(construction)
    strings = language.sample(length, size=1000, seed=length)
    bits = cross_entropy_bits(reader(strings), [language.contains(w) for w in strings])
    w = strings[0]
    flipped = [w[:j] + "10"[int(w[j])] + w[j + 1 :] for j in range(length)]
    return bits.mean().item(), (reader(flipped) - reader(w)).abs().max().item()
