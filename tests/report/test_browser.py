"""The page in a real browser: it runs without errors, asks nobody for anything, and shows hostile text as text."""

import pytest
from sklearn.pipeline import make_pipeline

from programs import PATIENCE
from wayword import Corpus, TopicSupervisedNMF, Vectorizer
from wayword.report import write_report
from wayword.report.overview import cut

HOSTILE = [
    "<script>window.broken = 1</script> clean room",
    "</script><script>window.broken = 1</script> soft bed",
    '<img src="https://example.org/x.png" onerror="window.broken = 1"> large room',
    "<!-- <b>friendly</i></table> staff </main></body>",
    "\u202e\u2067desk staff turned around",
    "bread\0and\x07coffee {{ 7 * 7 }}",
    "javascript:window.broken=1 coffee " + "breakfast and coffee " * 50_000,
    "שלום breakfast, قهوة coffee",
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    ids = [f"<b id='{place}'>&amp;\u202e{place}" for place in range(len(HOSTILE))]
    labels = [f"<u>{place}</u> {{{{ 7 * 7 }}}}" for place in range(len(HOSTILE))]
    corpus = Corpus(HOSTILE, ids=ids, labels=labels)
    # A topic for each document, so that every one is quoted.
    pipeline = make_pipeline(Vectorizer(tokenizer=str.split, language="none"), TopicSupervisedNMF())
    pipeline.fit(HOSTILE, labels)
    path = tmp_path_factory.mktemp("report") / "hostile.html"
    return write_report(pipeline, path, corpus=corpus, title="<script>window.broken = 1</script>")


def open_page(browser, page, **settings):
    """Return an open page, and lists of what it said and asked for."""
    tab = browser.new_context(**settings).new_page()
    tab.set_default_timeout(PATIENCE)
    said, asked = [], []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(page.as_uri())
    return tab, said, asked


@pytest.mark.parametrize(("scheme", "width", "ink"), [("light", 1280, "#24292f"), ("dark", 420, "#e4e7eb")])
def test_figures_are_drawn_for_the_page_without_an_error_and_without_a_request(browser, page, scheme, width, ink):
    tab, said, asked = open_page(browser, page, color_scheme=scheme, viewport={"width": width, "height": 900})
    assert said == []
    assert asked == [page.as_uri()]
    assert tab.evaluate("window.broken") is None
    assert tab.locator(".plot svg.main-svg").count() >= 2
    assert tab.evaluate("document.getElementById('rings')._fullLayout.font.color") == ink
    # Nothing sticks out to the side.
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.context.close()


def test_figures_are_light_on_paper_whatever_the_screen_is(browser, page):
    tab, _, _ = open_page(browser, page, color_scheme="dark")
    tab.emulate_media(media="print", color_scheme="dark")
    tab.wait_for_function("() => document.getElementById('rings')._fullLayout.font.color === '#24292f'")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    tab.context.close()


def test_hostile_text_is_shown_letter_for_letter_and_found_by_the_search(browser, page):
    tab, said, _ = open_page(browser, page)
    assert tab.title() == "<script>window.broken = 1</script>"
    quotes = " | ".join(tab.locator("blockquote").all_text_contents())
    assert all(cut(text) in quotes for text in HOSTILE)
    assert "bread and coffee {{ 7 * 7 }}" in quotes
    assert "\u202e" not in quotes
    assert tab.locator("main script:not([type='application/json'])").count() == 0
    tab.locator("#find").fill("turned around")
    cards = tab.locator(".card:visible").count()
    assert 0 < cards < len(HOSTILE)
    assert tab.locator("#found").text_content() == f"{cards} of {len(HOSTILE)}"
    assert said == []
    tab.context.close()


def test_the_first_tab_offers_to_skip_to_the_topics(browser, page):
    tab, _, _ = open_page(browser, page)
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the topics"
    tab.keyboard.press("Enter")
    tab.wait_for_function("() => location.hash === '#topics'")
    tab.context.close()


def test_all_text_is_there_without_javascript(browser, page):
    tab, said, asked = open_page(browser, page, java_script_enabled=False)
    assert tab.locator(".card").count() == len(HOSTILE)
    assert tab.locator(".plot:visible").count() == 0
    assert tab.locator("noscript").count() >= 2
    assert tab.locator("table.list tbody tr").count() == len(HOSTILE)
    assert said == []
    assert asked == [page.as_uri()]
    tab.context.close()
