"""Lists of documents, filters, and where words stand in texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayword import Corpus, Vectorizer
from wayword.errors import InputError
from wayword.guidance.actions import AddLabel, Flag, Label, Skip
from wayword.workbench.text import Reader, count_units, cut_excerpt, make_showable

NAMES = ("theme0", "theme1", "theme2", "theme3")


@pytest.fixture
def labelled(project, planted):
    project.apply([AddLabel(name, name) for name in NAMES], annotator="ada")
    project.apply([Label((f"d{row}",), (planted[1][row],)) for row in range(20)], annotator="ada")
    project.apply([Label(("d0",), (next(n for n in NAMES if n != planted[1][0]),))], annotator="ben")
    project.apply([Flag(("d3",)), Skip(("d40",))], annotator="ben")
    project.refresh()
    return project


def ids(page):
    return [line.id for line in page.lines]


def test_without_filters_all_documents_come_in_order_and_in_pieces(labelled):
    whole = labelled.documents(limit=1000)
    assert whole.total == 60
    assert ids(whole) == [f"d{row}" for row in range(60)]
    pieces = [labelled.documents(offset=start, limit=7) for start in range(0, 60, 7)]
    assert [line for piece in pieces for line in piece.lines] == whole.lines


def test_filters_keep_just_what_they_say(labelled, planted):
    truth = planted[1]
    assert ids(labelled.documents(label="theme1")) == [f"d{k}" for k in range(1, 20) if truth[k] == "theme1"]
    assert ids(labelled.documents(status="disagreement")) == ["d0"]
    assert ids(labelled.documents(status="skipped")) == ["d40"]
    assert labelled.documents(status="open").total == 39
    assert ids(labelled.documents(annotator="ben")) == ["d0"]
    assert ids(labelled.documents(flagged=True)) == ["d3"]
    assert labelled.documents(flagged=False).total == 59
    guessed = labelled.documents(guess="theme2", limit=1000)
    assert {line.guess for line in guessed.lines} == {"theme2"}
    assert guessed.total == sum(line.guess == "theme2" for line in labelled.documents(limit=1000).lines)
    likely = labelled.documents(least_chance=0.6, most_chance=0.9, limit=1000)
    assert all(0.6 <= line.chance <= 0.9 for line in likely.lines)


def test_a_topic_lists_its_documents_the_most_typical_first(labelled, planted):
    topic = labelled.topics(purity=1.0)[0]
    page = labelled.documents(topic=topic.id, sort="relevance", limit=5)
    theme = f"theme{next(t.term for t in topic.terms if not t.term.startswith('common'))[1]}"
    assert {planted[1][int(line.id[1:])] for line in page.lines} == {theme}


def test_filters_look_at_all_that_a_search_finds_and_not_at_the_first_thousand(make):
    project = make(Corpus(["moon over the sea", "moon and stars"] * 750, ids=[f"d{k}" for k in range(1_500)]))
    project.apply([AddLabel("a", "A"), Label(tuple(f"d{k}" for k in range(1_000)), ("a",))], annotator="ada")
    assert project.documents(query="moon").total == 1_500
    still_open = project.documents(query="moon", status="open", offset=490)
    assert (still_open.total, [line.id for line in still_open.lines]) == (500, [f"d{k}" for k in range(1_490, 1_500)])
    assert project.documents(query="moon", status="open", sort="relevance").lines[0].excerpt.startswith("moon")


def test_a_search_gives_documents_that_hold_the_words(labelled, planted):
    page = labelled.documents(query="t1w3", sort="relevance", limit=100)
    texts = dict(zip(planted[0].ids, planted[0].texts, strict=True))
    assert sorted(ids(page)) == sorted(id for id, text in texts.items() if "t1w3" in text.replace(".", " ").split())
    assert labelled.documents(query="nothing").total == 0
    assert labelled.documents(query="t1w3", status="disagreement").total <= 1


def test_sorting_by_chance_goes_both_ways_and_by_doubt_as_questions_do(labelled):
    up = [line.chance for line in labelled.documents(sort="chance", limit=1000).lines]
    down = [line.chance for line in labelled.documents(sort="-chance", limit=1000).lines]
    assert up == sorted(up)
    assert down == sorted(down, reverse=True)
    first = labelled.documents(sort="doubt", limit=1).lines[0].id
    assert first == labelled._ground.corpus.ids[int(labelled._live.wait(0, None).order[0])]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"sort": "length"}, "sort must be"),
        ({"status": "done"}, "status must be"),
        ({"label": "theme9"}, "no label has the id 'theme9'; did you mean 'theme3'"),
        ({"guess": "x"}, "no label has the id"),
        ({"topic": "x"}, "no topic has the id"),
        ({"limit": 0}, "limit"),
        ({"limit": 5000}, "limit may be 1,000 at most"),
        ({"offset": -1}, "offset"),
        ({"least_chance": 2.0}, "least_chance"),
    ],
)
def test_filters_that_make_no_sense_are_refused(labelled, wanted, message):
    with pytest.raises(InputError, match=message):
        labelled.documents(**wanted)


@given(st.text())
def test_places_are_counted_as_browsers_do(text):
    shown = make_showable(text)
    units = count_units(shown)
    assert len(shown) == len(text)
    assert [units(place) for place in range(len(shown) + 1)] == [
        len(shown[:place].encode("utf-16-le")) // 2 for place in range(len(shown) + 1)
    ]


@given(st.text(max_size=2000))
def test_an_excerpt_is_short_on_one_line_and_can_be_sent(text):
    excerpt = cut_excerpt(text)
    assert len(excerpt) <= 240
    assert len(excerpt.splitlines()) <= 1
    excerpt.encode()


@given(st.lists(st.sampled_from(["Rooms", "room", "BED", "ünï", "x", "the", "🛏", ",", "don't"]), max_size=30))
def test_spots_are_the_terms_that_are_counted(words):
    vectorizer = Vectorizer(language="en", vocabulary=["room", "bed", "ünï"])
    text = " ".join(words)
    counts = vectorizer.fit_transform([text, "room"]).toarray()[0]
    spots = Reader(vectorizer).spots(text)
    assert [sum(spot.column == column for spot in spots) for column in range(3)] == counts.tolist()


def test_sentences_are_found_where_they_stand():
    reader = Reader(Vectorizer().fit(["the room was clean"]))
    text = "The room was clean. \n\n The bed was soft!  Was it?"
    assert [text[start:end] for start, end in reader.sentences(text)] == [
        "The room was clean.",
        "The bed was soft!",
        "Was it?",
    ]
