"""Random constructions for the property tests."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from lib.transformer.construction import READOUTS, Construction
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, MASKS, Head, Layer

WORDS = ("0", "1", "CLS")
coefficients = st.sampled_from([Fraction(x) for x in ("-2", "-1", "-1/2", "1/2", "1", "2")])
gains = st.sampled_from([Fraction(x) for x in ("-1", "0", "1/2", "1", "3/2")])
strings = st.text(alphabet="01", max_size=6)


def drawn(strategy: st.SearchStrategy, count: int) -> list:
    """The same examples of a strategy each time."""
    found = []

    @seed(0)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=[*HealthCheck],
    )
    @given(strategy)
    def collect(example):
        found.append(example)

    collect()
    return found


def forms(names: tuple[str, ...], constant: bool = False) -> st.SearchStrategy[Form]:
    terms = st.dictionaries(st.sampled_from(names), coefficients, max_size=3).map(
        lambda d: tuple(d.items())
    )
    return st.builds(Form, terms, coefficients if constant else st.just(Fraction(0)))


@st.composite
def constructions(
    draw, dyadic: bool = False, masked: bool = False, causal: bool = False
) -> Construction:
    """A construction of one or two layers over {0, 1}; `dyadic` keeps i/n out, so that floats
    compute logits exactly. If `masked`, each head has a mask or none, there may be an end tag, and
    the last position may be read; `causal` ones never look ahead.
    """
    positions = ("cos iπ", "[i=1]") if dyadic or causal else ("i/n", "cos iπ")
    masks = MASKS[1:] if causal else MASKS if masked else MASKS[:1]
    words = (*WORDS, "EOS") if (masked or causal) and draw(st.booleans()) else WORDS
    names, layers = (*words, *positions), []
    for number in range(draw(st.integers(1, 2))):
        heads = []
        if number == 0 or not dyadic:  # after one average, values are multiples of 1/n
            for h in range(draw(st.integers(0, 2))):
                rows = draw(st.integers(0, 2))
                pick = st.lists(forms(names), min_size=rows, max_size=rows)
                written = (
                    [f"attention {number}"]
                    if h and draw(st.booleans())
                    else [f"attention {number} {h} {r}" for r in range(draw(st.integers(0, 2)))]
                )
                heads.append(
                    Head(
                        v={name: draw(forms(names)) for name in written},
                        q=draw(pick),
                        k=draw(pick),
                        gain=draw(gains),
                        mask=draw(st.sampled_from(masks)),
                    )
                )
        names += tuple({name: None for head in heads for name, _ in head.v})
        units = draw(st.integers(0, 3))
        ffn = None
        if units:
            out = draw(st.lists(coefficients, min_size=units, max_size=units))
            ffn = FFN(
                draw(st.lists(forms(names, constant=True), min_size=units, max_size=units)),
                {f"feed-forward {number}": out},
                {f"feed-forward {number}": draw(coefficients)},
            )
            names += (f"feed-forward {number}",)
        layers.append(Layer(heads, ffn))
    space = Space(*names)
    return Construction(
        space,
        {name: space[name] for name in words},
        {name: space[name] for name in positions},
        layers,
        draw(forms(names, constant=True)),
        "random",
        readout="last" if causal else draw(st.sampled_from(READOUTS if masked else READOUTS[:1])),
    )
