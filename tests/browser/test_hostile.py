"""Documents that mean harm are shown letter for letter, on every screen that shows them."""

from urllib.parse import quote

import pytest

from browser.tabs import SCREENS, make_corpus, open_tab
from server.serving import serving
from wayword import Corpus
from wayword.guidance.actions import AddLabel, Comment, Label, RenameTopic
from wayword.workbench.project import Project

HOSTILE = [
    "<script>window.broken = 1</script> rocket moon",
    "</script><script>window.broken = 1</script> bread soup",
    '<img src="https://example.org/x.png" onerror="window.broken = 1"> team game',
    "<!-- <b>guitar</i></table> song </main></body>",
    "\u202e\u2067moon rocket turned around",
    "bread\0and\x07soup {{ 7 * 7 }}",
    "javascript:window.broken=1 " + "rocket and moon " * 65_000,
    "שלום moon, قهوة soup 😀",
]
NAME = "<img src=x onerror='window.broken = 1'>\u202e"


@pytest.fixture
def hostile(tmp_path):
    plain = make_corpus(40)
    ids = [f"<b id='{place}'>&amp;\u202e{place}" for place in range(len(HOSTILE))]
    corpus = Corpus([*HOSTILE, *plain.texts], ids=[*ids, *plain.ids])
    with Project.create(tmp_path / "hostile.wayword", corpus, n_topics=4, name="<u>hostile</u>") as made:
        labels = [AddLabel("<a>", "<i>bad</i> & worse"), AddLabel("b", "Good")]
        said = [
            Label((ids[0], ids[4]), ("<a>",)),
            Label(("food-1", "space-0"), ("b",)),
            Comment(ids[0], NAME.rstrip("\u202e")),
        ]
        made.apply(
            [*labels, *said, RenameTopic(made.topics()[0].id, "<svg onload='window.broken=1'>")], annotator="<h1>eve"
        )
        made.refresh()
        yield made, ids


def check_text(project, place, id, shown):
    """Check what is shown of a document: no store keeps a NUL, and of the longest only the beginning is shown."""
    view = project.document(id, "x")
    assert shown == view.text
    assert HOSTILE[place].replace("\0", "\ufffd").startswith(shown)
    assert len(shown) == len(HOSTILE[place]) or view.truncated


def check_nothing_came_alive(tab):
    """Check that no text has become an element, ran, or made the browser complain."""
    assert tab.find("main script, main img, main b[id], main table table, main u").count() == 0
    assert tab.page.evaluate("window.broken") is None
    assert tab.said == []


def test_hostile_text_is_shown_letter_for_letter_and_does_nothing(browser, hostile):
    project, ids = hostile
    with serving(project) as served:
        tab = open_tab(browser, served.address)
        tab.enter("<script>ada", screen="label")
        for place, id in enumerate(ids):
            tab.page.evaluate("id => { location.hash = '#/label?id=' + encodeURIComponent(id) }", id)
            tab.wait("id => document.querySelector('.label .about bdi')?.textContent === id", id)
            check_text(project, place, id, tab.page.evaluate("document.querySelector('.letters').textContent"))
        for screen in SCREENS:
            tab.go(screen)
            check_nothing_came_alive(tab)
        for place, id in enumerate(ids):
            tab.go(f"documents?doc={quote(id, safe='')}")
            tab.wait("id => document.querySelector('.side h2')?.textContent === id", id)
            check_text(project, place, id, tab.page.evaluate("document.querySelector('.side .letters').textContent"))
            check_nothing_came_alive(tab)
        tab.go(f"documents?doc={'%3Cb'}")
        tab.find(".notice", has_text="<b").wait_for()
        assert tab.page.evaluate("window.broken") is None
        tab.said.clear()  # the last document does not exist, and a browser says itself that an answer was an error
        tab.close()


def test_a_document_of_a_megabyte_is_read_without_delay_for_others(browser, hostile):
    project, ids = hostile
    with serving(project) as served:
        tab = open_tab(browser, served.address)
        tab.enter(screen="label")
        tab.page.evaluate("id => { location.hash = '#/label?id=' + encodeURIComponent(id) }", ids[6])
        tab.find(".text", has_text="only its beginning is shown").wait_for()
        tab.press("ArrowDown")
        tab.wait("() => document.querySelector('.label .page').scrollTop > 0")
        tab.close()
