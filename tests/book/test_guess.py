"""Predictions: the answer to each waits behind a fold, which a guess opens; without scripts its
summary does, and on paper it is open.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT, violations, wait_until

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from playwright.sync_api import Page

NAMES = sorted(path.stem for path in (ROOT / "chapters").glob("[0-9]*.py"))
ANSWERED = [
    name
    for name in NAMES
    if "**Predict" in (ROOT / f"chapters/{name}.py").read_text(encoding="utf-8")
]
GUESSED = [
    name
    for name in NAMES
    if 'class="guess"' in (ROOT / f"chapters/{name}.py").read_text(encoding="utf-8")
]
ANSWERS = "details:has(> summary:text-is('The answer'))"
HIDING = ("The answer", "Solution")  # what a guess opens
FOLLOWING = """place => [...document.querySelectorAll("details")].find(fold =>
    ["The answer", "Solution"].includes(fold.querySelector("summary").textContent.trim()) &&
    place.compareDocumentPosition(fold) & Node.DOCUMENT_POSITION_FOLLOWING)"""

BOXES = """buttons => buttons
    .map(button => button.getBoundingClientRect())
    .map(({ left, right, height }) => [left, right, height])"""
ARE_OPEN = """folds => folds
    .map(fold => fold.querySelector(":scope > :not(summary)"))
    .map(content => content.checkVisibility() && content.getBoundingClientRect().height > 0)"""


def is_answer(tag: Tag) -> bool:
    return tag.name == "details" and tag.summary.get_text(strip=True) == "The answer"


def hides(tag: Tag) -> bool:
    """Whether a tag is a fold that a guess opens."""
    return tag.name == "details" and tag.summary.get_text(strip=True) in HIDING


def is_prediction(tag: Tag) -> bool:
    return tag.name == "strong" and tag.get_text().startswith("Predict")


def comes_next(tag: Tag) -> Tag:
    """The first heading, prediction or answer below a place."""
    return tag.find_next(
        lambda one: one.name in ("h2", "h3") or is_prediction(one) or is_answer(one)
    )


def predictions(soup: BeautifulSoup) -> list[Tag]:
    return [tag for tag in soup.select("article strong") if is_prediction(tag)]


def test_every_prediction_is_followed_by_its_answer(pages):
    found = [place for soup in pages.values() for place in predictions(soup)]
    assert len(found) >= 30
    for place in found:
        assert is_answer(comes_next(place)), place.parent.get_text()


def is_asked(tag: Tag) -> bool:
    """Whether a prediction, or a proof or a refutation, is asked for."""
    return is_prediction(tag) or (tag.name == "strong" and "(prove or refute)" in tag.get_text())


def test_every_guess_has_a_choice_and_stands_between_a_question_and_its_answer(pages):
    guesses = [place for soup in pages.values() for place in soup.select(".guess")]
    assert len(guesses) >= 28
    for place in guesses:
        choices = [choice.strip() for choice in place.get_text().split("|")]
        assert 2 <= len(choices) == len(set(choices)) <= 4 and all(choices)
        assert hides(place.find_next(lambda one: is_asked(one) or hides(one)))
        assert is_asked(place.find_previous(lambda one: is_asked(one) or hides(one)))


@pytest.mark.parametrize("name", NAMES)
def test_a_fold_says_what_it_holds(pages, name):
    soup = pages[f"chapters/{name}.html"]
    said = Counter(fold.summary.get_text(strip=True) for fold in soup.select(".cell details.hide"))
    kinds = {"What this page imports", "How this was made", "How numbers in the text were made"}
    assert set(said) <= {*kinds, "The answer", "Solution in code"}
    assert said["What this page imports"] <= 1 and said["Solution in code"] == 3
    for fold in soup.select(".cell details.above-input:not(.solution)"):
        made = fold.find_parent(class_="cell").select_one(".cell_output")
        assert (fold.summary.get_text(strip=True) == "How this was made") == bool(made)


@pytest.fixture
def opened(turn_to):
    """A function that opens a page whose guesses have become buttons."""

    def page(name: str, **options) -> Page:
        made = turn_to(f"chapters/{name}.html", until="load", **options)
        wait_until(made, "!document.querySelector('.guess:not(.alive)')")
        return made

    return page


@pytest.mark.parametrize("width, scheme", [(1200, "light"), (390, "dark")])
@pytest.mark.parametrize("name", GUESSED)
def test_a_guess_opens_the_answer(opened, name, width, scheme):
    page = opened(name, width=width, scheme=scheme)
    places = page.locator(".guess").all()
    if width == 390:
        places = places[-1:]  # each takes a second
    for left, right, height in page.locator(".guess button").evaluate_all(BOXES):
        assert left >= 0 and right <= width and height >= 24
    for place in places:
        answer = place.evaluate_handle(FOLLOWING).as_element()
        content = answer.query_selector(":scope > :not(summary)")
        first, second = place.get_by_role("button").all()[:2]
        assert not content.is_visible()
        first.click()
        assert content.is_visible() and first.get_attribute("aria-pressed") == "true"
        first.press("Tab")
        page.keyboard.press("Enter")
        assert second.get_attribute("aria-pressed") == "true" and content.is_visible()
        assert first.get_attribute("aria-pressed") == "false"


@pytest.mark.parametrize("width", [1200, 390])
def test_the_buttons_take_the_room_that_was_kept_for_them(served, look, width):
    heights = []
    for pattern in ("**/guess.mjs*", "**/no-such-module"):
        page = look(width=width, math=False)
        page.route(pattern, lambda route: route.abort())
        page.goto(f"{served}chapters/{GUESSED[0]}.html", wait_until="networkidle")
        heights.append([place.bounding_box()["height"] for place in page.locator(".guess").all()])
    assert heights[0] == heights[1] and len(heights[0]) >= 2


def all_open(page: Page, folds: str) -> bool:
    are_open = page.locator(folds).evaluate_all(ARE_OPEN)
    return bool(are_open) and all(are_open)


@pytest.mark.parametrize("name", ANSWERED)
def test_without_scripts_the_summary_opens_the_answer_and_paper_has_it_open(
    served, unscripted, name
):
    page = unscripted
    page.goto(f"{served}chapters/{name}.html")
    page.emulate_media(media="print")
    for folds in (ANSWERS, f"{ANSWERS}, details.sd-dropdown", "details.solution"):
        assert all_open(page, folds)
    made = page.locator("details.above-input:not(.solution) .cell_input")
    assert not made.first.is_visible()
    page.emulate_media(media="screen")
    assert page.locator(".guess:visible").count() == 0
    for answer in page.locator(ANSWERS).all():
        content = answer.locator("> :not(summary)").first
        assert not content.is_visible()
        answer.locator("> summary").click()
        assert content.is_visible()


def test_a_guess_is_scored_once_and_opens_the_reason(opened):
    page = opened("09_which_log_n")
    first, second = page.locator(".guess").all()[:2]
    right = int(first.get_attribute("data-right")) - 1
    wrong = 1 if right == 0 else 0
    first.get_by_role("button").nth(wrong).click()
    assert first.get_by_role("status").inner_text() == "No; 0 of 1 right at first on this page."
    first.get_by_role("button").nth(right).click()
    assert first.get_by_role("status").inner_text() == "Right; 0 of 1 right at first on this page."
    second.get_by_role("button").nth(int(second.get_attribute("data-right")) - 1).click()
    assert second.get_by_role("status").inner_text() == "Right; 1 of 2 right at first on this page."
    page = opened("10_the_map")
    place = page.locator(".guess").first
    reason = page.locator("details.sd-dropdown", has_text="Why").first
    assert not reason.evaluate("fold => fold.open")
    place.get_by_role("button").first.click()
    assert reason.evaluate("fold => fold.open")


def test_older_browsers_open_the_answers_before_they_print(opened):
    page = opened(ANSWERED[0])
    page.locator(ANSWERS).first.evaluate("answer => { answer.open = true; }")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".guess:visible").count() >= 2
    assert all_open(page, f"{ANSWERS}, details.sd-dropdown, details.solution")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]:has(> .cell_output)").count() == 1
    page.emulate_media(media="print")
    assert page.locator(".guess:visible").count() == 0


def test_open_answers_and_pressed_buttons_pass_axe(opened):
    page = opened(GUESSED[0])
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    for place in page.locator(".guess").all():
        place.get_by_role("button").first.click()
    assert violations(page) == []
