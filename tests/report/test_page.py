import dataclasses
import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayword.report.contents import (
    Card,
    Citation,
    Drawing,
    Excerpt,
    Fact,
    Measure,
    Part,
    Reading,
    Report,
    Setting,
    Step,
)
from wayword.report.overview import clean, cut
from wayword.report.page import as_data, digest, render_report

texts = st.text(st.characters(codec="utf-8"), min_size=1) | st.sampled_from(
    ["</script><script>x()</script>", "<!--", "]]>", '" onload="x()', "&lt;b&gt;", "{{ 7 * 7 }}", "\u202eabc", "a\0b"]
)


def make_report(text):
    """Return a report in which all that comes from people is one text."""
    reading = Reading("weight", ((text, 0.5), (text, 0.25)))
    excerpt = Excerpt(text, (text,), text)
    card = Card(
        "topic-1", text, "#123456", 0.5, 0.1, (text,), (reading, reading), (Part("one", (reading,)),), (excerpt,)
    )
    return Report(
        title=text,
        summary="One topic.",
        kind="topic",
        corpus=(Fact("documents", "1", text),),
        corpus_note="",
        labels=((text, 1),),
        drawings=(),
        cards_note="",
        cards=(card,),
        measures=(Measure("Coherence", "0.1", text, text),),
        quality_drawings=(),
        citations=(Citation("this", "Someone."),),
        steps=(Step("NMF", (Setting("terms", text, True),)),),
        version="1",
        date="2024-05-06",
    )


class Outline(HTMLParser):
    """Collects the tags and attributes of a page, and the text of its cards."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.names, self._inside = [], [], False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self._inside = tag == "bdi"

    def handle_endtag(self, tag):
        self.tags.append(tag)
        self._inside = False

    def handle_comment(self, data):
        self.tags.append("comment")

    def handle_data(self, data):
        if self._inside:
            self.names.append(data)


@given(texts)
def test_whatever_people_write_the_page_has_the_same_tags_and_shows_the_text(text):
    page = Outline(render_report(make_report(text)))
    assert page.tags == Outline(render_report(make_report("x" if clean(text) else "\0"))).tags
    if clean(text):
        assert set(page.names) == {clean(text)}


@given(st.text(st.characters(codec="utf-8")))
def test_clean_text_is_one_line_of_visible_characters_and_clean_already(text):
    found = clean(text)
    assert found == clean(found) == found.strip()
    assert not set(found) & set("\0\n\r\t\u202a\u202e\u2066\u2069")


@given(st.text(), st.integers(10, 60))
def test_an_excerpt_is_the_beginning_of_the_text_and_no_longer_than_asked(text, most):
    found = cut(text, most)
    assert len(found) <= most + 2
    assert clean(text).startswith(found.removesuffix(" …"))


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_figures_in_a_page_are_the_same_json_and_hold_no_markup(value):
    written = as_data(json.dumps(value, ensure_ascii=False))
    assert json.loads(written) == value
    assert not set(written) & set("<>&")


def scripts_of(page):
    return [part.split("</script>")[0] for part in page.split("<script>")[1:]]


def test_only_the_scripts_of_the_page_may_run_and_nothing_may_be_fetched():
    drawing = Drawing("rings", "All", "", "", "{}")
    page = render_report(dataclasses.replace(make_report("x"), drawings=(drawing,)))
    policy = page.split('http-equiv="Content-Security-Policy" content="')[1].split('"')[0].replace("&#39;", "'")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].split() == [f"'{digest(script)}'" for script in scripts_of(page)]
    assert len(scripts_of(page)) == 2
    assert rules["img-src"] == "data:"


def test_a_page_without_figures_carries_no_drawing_script():
    assert len(render_report(make_report("x"))) < 40_000


@pytest.mark.parametrize("kind", ["theme", "topic"])
def test_every_link_of_the_page_leads_somewhere(kind):
    page = render_report(dataclasses.replace(make_report("x"), kind=kind))
    targets = [part.split('"')[0] for part in page.split('href="#')[1:]]
    assert targets
    assert [target for target in targets if f'id="{target}"' not in page] == []
