"""What chapters open with: one control and one picture that are there before they are alive, take
no room when they come, and say what the constructions say.
"""

from math import exp

import pytest

from chapters.playground.data import MODELS, variants
from lib import constructions
from lib.transformer.encoder import Encoder

PAGES = {
    "intro": "parity",
    "01_ffnn_parity": "thermometer",
    "02_transformer_parity_first": "heads",
    "03_layer_norm": "norm",
    "04_log_n_scaling": "logn",
    "05_counting_ablations": "grid",
    "06_turing_completeness": "machine",
    "07_palindrome_precision": "palindromes",
    "08_formulas_to_transformers": "formula",
    "09_which_log_n": "factors",
    "11_every_length": "against",
    "12_strangers": "audit",
}
WIDTHS = {"wide": 1200, "narrow": 390}


def at(served, name: str) -> str:
    return f"{served}chapters/{name}.html"


@pytest.fixture
def live(turn_to):
    """Opens a page and waits for its opener."""

    def opened(name: str, width: int = 1200):
        page = turn_to(f"chapters/{name}.html", width=width)
        page.wait_for_selector(".live :is(input, button)")
        return page, page.locator(".live")

    return opened


def said(opener) -> str:
    return " ".join(opener.inner_text().split())


def slide(opener, value: int) -> str:
    opener.locator("input[type=range]").evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }", value
    )
    return said(opener)


def test_every_page_has_its_opener_above_its_first_heading(pages):
    for name, kind in PAGES.items():
        soup = pages[f"chapters/{name}.html"]
        [opener] = soup.select(".live")
        assert opener["data-live"] == kind and len(opener.text.split()) >= 4
        below = [
            heading.get_text(strip=True, separator=" ") for heading in opener.find_all_next("h2")
        ]
        first = soup.select_one("article h2").get_text(strip=True, separator=" ")
        assert below[0] == first
    assert {name for name, soup in pages.items() if soup.select(".live")} == {
        f"chapters/{name}.html" for name in PAGES
    }


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_it_takes_the_room_that_was_kept_for_it(served, look, live, name, width):
    _, opener = live(name, width)
    before = look(width=width, math=False)
    before.route("**/live.mjs", lambda route: route.abort())
    before.goto(at(served, name), wait_until="domcontentloaded")
    assert before.locator(".live").bounding_box()["height"] == opener.bounding_box()["height"]
    inside = "box => [box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth]"
    assert opener.evaluate(inside) == [0, 0]
    if PAGES[name] in ("norm", "logn", "palindromes"):
        for value in (1, 7, 24, 40):
            slide(opener, value)
            assert opener.evaluate(inside) == [0, 0]


@pytest.mark.parametrize("name", PAGES)
def test_without_scripts_it_says_something_and_leaves_no_gap(served, unscripted, name):
    unscripted.goto(at(served, name))
    assert len(unscripted.locator(".live").inner_text().split()) >= 4
    assert unscripted.locator(".live").bounding_box()["height"] < 120


def test_it_is_not_printed(live):
    page, opener = live("02_transformer_parity_first")
    page.emulate_media(media="print")
    assert opener.is_hidden()


def test_units_count_ones_and_alternate(live):
    _, opener = live("01_ffnn_parity")
    assert "1 − 1 + 1 − 0 = 1: 3 ones, an odd number, accepted" in said(opener)
    opener.get_by_role("button").nth(1).click()
    assert "1 − 1 + 1 − 1 = 0: 4 ones, an even number, rejected" in said(opener)


def test_two_heads_share_the_marked_position(live):
    _, opener = live("02_transformer_parity_first")
    for c, accepts in (("1", "rejected"), ("-1", "accepted, wrong"), ("3", "rejected")):
        opener.get_by_role("combobox").select_option(c)
        assert opener.locator(".places .on").inner_text().split() == ["2", "even"]
        odd, even = (exp(-float(c)), exp(float(c)))
        total = 2 * (odd + even)
        assert f"share {odd / total:.3f}" in said(opener)
        assert f"share {even / total:.3f}" in said(opener)
        assert said(opener).endswith(f"{accepts}.")


def test_a_grid_and_its_copy_have_one_average_until_a_token_stays_alone(live):
    _, opener = live("05_counting_ablations")
    assert "3 of 9 = 0.333" in said(opener)
    twice, start = opener.get_by_role("checkbox").all()
    twice.check()
    assert "12 of 36 = 0.333" in said(opener)
    start.check()
    assert "12 of 13 = 0.923" in said(opener)
    opener.get_by_role("button").nth(1).click()
    assert "16 of 17 = 0.941" in said(opener)


@pytest.mark.parametrize("name", ["intro"])
def test_parity_marks_the_number_of_ones(live, name):
    page, opener = live(name)
    mark = opener.locator(".places .on")
    assert mark.inner_text().split() == ["3", "odd"] and "s > 0, accepted" in said(opener)
    symbols = opener.get_by_role("button")
    symbols.nth(0).click()
    assert mark.inner_text().split() == ["4", "even"] and "s < 0, rejected" in said(opener)
    symbols.nth(1).press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert mark.inner_text().split() == ["3", "odd"]
    for i in (0, 2, 4):
        symbols.nth(i).click()
    assert symbols.all_inner_texts() == ["0"] * 6
    assert mark.inner_text().split() == ["0", "even"] and "s < 0, rejected" in said(opener)


def test_layer_normalization_keeps_parity_sure(live):
    _, opener = live("03_layer_norm")
    forms = variants(MODELS["PARITY"][1]())
    for length in (1, 12, 40):
        shown = slide(opener, length)
        w = "1" + "0" * (length - 1)
        for form, eps in (("published", None), ("sharpened", 1e-2), ("sharpened", 0)):
            logit = Encoder(forms[form], eps=eps)(w).item()
            assert f"{1 / (1 + exp(-logit)):.4f}" in shown
    opener.locator("input").press("ArrowLeft")
    assert opener.locator("output").inner_text() == "39"


def test_log_n_keeps_the_first_positions_share(live):
    _, opener = live("04_log_n_scaling")
    for length in (1, 7, 8, 40):
        shares = [exp(2) / (exp(2) + length), (length + 1) / (2 * length + 1)]
        shown = slide(opener, length)
        without = "accepted" if length < exp(2) else "rejected, wrong"
        assert f"without, c = 2 share {shares[0]:.3f}: {without}" in shown
        assert f"with log n, c = 1 share {shares[1]:.3f}: accepted" in shown


def test_a_factor_decides_whether_a_token_is_outvoted(live):
    _, opener = live("09_which_log_n")
    menu, (gain, tokens) = opener.get_by_role("combobox"), opener.locator("input").all()
    set_to = "(input, v) => { input.value = v; input.dispatchEvent(new Event('input')); }"
    assert "share 0.4754" in said(opener) and "It is outvoted." in said(opener)
    tokens.evaluate(set_to, 3)
    assert f"share {exp(1) / (exp(1) + 2):.4f}" in said(opener) and "more than half." in said(
        opener
    )
    menu.select_option("log n")
    for value in (3, 20, 40, 60):
        tokens.evaluate(set_to, value)
        assert "It keeps more than half." in said(opener)
    assert "1,000,000 tokens" in said(opener)
    menu.select_option("Llama 4's stairs")
    for value, kept in ((9.5, True), (8.5, False)):
        gain.evaluate(set_to, value)
        assert ("It keeps more than half." in said(opener)) == kept


def test_a_transformer_adds_one(live):
    page, opener = live("06_turing_completeness")
    tape = opener.locator(".tape")
    assert tape.inner_text().split() == ["1", "0", "1", "1"]
    button = opener.get_by_role("button", name="one step")
    button.focus()
    for _ in range(8):
        page.keyboard.press("Enter")
    assert tape.inner_text().split() == ["1", "1", "0", "0"] and "State accept." in said(opener)
    page.keyboard.press("Enter")  # and from the start
    assert "State right." in said(opener)


def test_base_2_trips_over_rounding_and_pairs_do_not(live):
    _, opener = live("07_palindrome_precision")
    rows = opener.locator("tbody tr")
    wrong = 0
    for length in range(1, 25):
        slide(opener, length)
        base_2, pairs = (
            [cell.inner_text() for cell in row.locator("td").all()] for row in rows.all()
        )
        assert base_2[1].split() == ["s", "=", "0", "accepted"]
        assert pairs[1].split() == ["s", "=", f"1/{4 * (length + 2)}", "accepted"]
        assert "wrong" not in pairs[0]
        w = opener.locator("code").inner_text()
        assert w == w[::-1] and len(w) == length
        wrong += "wrong" in base_2[0]
    assert wrong >= 5
    assert constructions.palindrome().accepting_sign == 0


def test_a_formula_is_compiled_as_it_is_typed(live):
    _, opener = live("08_formulas_to_transformers")
    rows = opener.locator("tbody tr")

    def answers() -> list[list[str]]:
        return [row.inner_text().split("\t") for row in rows.all()]

    assert [(w, holds, "accepted" in decided) for w, holds, decided in answers()] == [
        ("011", "holds", True),
        ("1001", "does not hold", False),
        ("0011", "does not hold", False),
    ]
    opener.locator("input").fill(
        'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))'
    )
    assert [(w, holds, "accepted" in decided) for w, holds, decided in answers()] == [
        ("())", "does not hold", False),
        (")(()", "does not hold", False),
        ("(())", "holds", True),
    ]
    opener.locator("input").fill("count(")
    assert rows.count() == 0 and len(said(opener)) > 20
    opener.locator("input").fill("<img src=x onerror=window.hurt=1>")
    assert opener.locator("img").count() == 0
