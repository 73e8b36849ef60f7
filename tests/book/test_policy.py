"""What a built page may run: nothing but its own files and the scripts that it was built with."""

import pytest

from chapters._ext.page import HEAD, with_policy
from tests.conftest import REFUSED, ROOT, wait_until


def test_every_page_says_its_policy_first(html):
    names = [path for path in html.rglob("*.html") if HEAD in path.read_text(encoding="utf-8")]
    assert len(names) >= 20
    for path in names:
        text = path.read_text(encoding="utf-8")
        start = text.index(HEAD) + len(HEAD)
        assert text[start:].startswith('<meta http-equiv="Content-Security-Policy" content="')
        assert "<script" not in text[:start] and "kernelName" not in text
    assert {f"{path.stem}.html" for path in (ROOT / "chapters").glob("*.py")} <= {
        path.name for path in names
    }


def test_a_search_needs_no_more_than_its_policy(served, look):
    page = look()
    page.add_init_script(REFUSED)
    page.goto(f"{served}search.html?q=PARITY", wait_until="networkidle")
    page.wait_for_selector("ul.search li p.context")
    assert page.evaluate("refused") == []


HOSTILE = [
    "document.body.append(Object.assign(document.createElement('script'), {text: 'ran = 1'}))",
    "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"ran = 1\">')",
    "document.body.append(Object.assign(document.createElement('script'), "
    "{src: 'https://example.org/x.js'}))",
    "document.body.insertAdjacentHTML('beforeend', '<a id=h href=\"javascript:ran = 1\">x</a>')"
    "; document.getElementById('h').click()",
]


def test_what_comes_into_a_page_does_not_run(served, look):
    page = look()
    page.add_init_script(REFUSED)
    page.goto(f"{served}chapters/playground.html", wait_until="load")
    for number, hostile in enumerate(HOSTILE, start=1):
        page.evaluate(f"() => {{ {hostile} }}")
        wait_until(page, "least => refused.length >= least", number)
        assert page.evaluate("typeof ran") == "undefined", hostile


def test_a_handler_of_another_hand_stops_the_build():
    with pytest.raises(ValueError, match="not 'steal\\(\\)'"):
        with_policy(f'{HEAD}<a class="x" onclick="steal()">')
    with pytest.raises(ValueError, match="is expected, not '<html>'"):
        with_policy("<html>")
