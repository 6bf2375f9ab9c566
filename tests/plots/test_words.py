"""Figures of terms: cards, heat maps, documents, changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayword import ThemeNMF, Vectorizer, explain_text, plots
from wayword.errors import InputError
from wayword.interpret.themes import describe_themes

HOTEL = {"hotel": [[("room", 0.5), ("bed", 0.25)], [("staff", 0.4)]], "food": [[("soup", 0.1)]]}


def test_a_card_has_bars_and_terms_for_each_subtopic():
    figure = plots.theme_cards(HOTEL)
    bars, words = figure.data[::2], figure.data[1::2]
    assert [trace.x for trace in bars] == [(0.5, 0.25), (0.4,), (0.1,)]
    assert [[text.strip() for text in trace.text] for trace in words] == [["room", "bed"], ["staff"], ["soup"]]
    assert bars[0].hovertext[1] == "<b>bed</b><br>score 0.25, 2 of 2 in subtopic 1 of hotel"
    written = [note.text for note in figure.layout.annotations]
    assert written == ["<b>hotel</b>", "subtopic 1", "subtopic 2", "<b>food</b>", "subtopic 1"]


def test_panels_of_a_theme_have_one_scale_and_do_not_overlap():
    layout = plots.theme_cards(HOTEL).layout
    assert layout.xaxis.range == layout.xaxis2.range != layout.xaxis3.range
    assert layout.xaxis.domain[1] < layout.xaxis2.domain[0]
    assert layout.yaxis3.domain[1] < layout.yaxis.domain[0]


def test_described_themes_are_drawn_as_they_are():
    X = [[3, 0, 2, 0, 4], [1, 0, 4, 0, 3], [0, 4, 0, 1, 5], [0, 2, 0, 0, 3]]
    info = describe_themes(
        ThemeNMF(2).fit(X, ["room", "room", "food", "food"]), ["bed", "coffee", "room", "staff", "the"]
    )
    by_info = plots.theme_cards(info, purity_ratio=0.6)
    by_list = plots.theme_cards({theme.name: theme.subtopics for theme in info.themes}, purity_ratio=0.6)
    assert by_info.to_json() == by_list.to_json() == plots.theme_cards(info.themes, purity_ratio=0.6).to_json()
    assert "purity ratio of 0.6" in by_info.layout.title.text
    assert list(by_info.data[0].x) == [score for _, score in info.themes[0].subtopics[0]]


def test_a_subtopic_without_terms_is_an_empty_panel():
    figure = plots.theme_cards({"a": [[], [("x", 1.0)]]})
    assert [len(trace.x) for trace in figure.data] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("themes", "message"),
    [
        ({}, "one theme with a subtopic or more"),
        ({"a": []}, "one theme with a subtopic or more"),
        ([1], "must be a ThemesInfo"),
        (3, "must be a ThemesInfo"),
        ({"a": [["room"]]}, r"themes\['a'\]\[0\]\[0\] must be a pair of a word and a number, got 'room'"),
        ({"a": [[("room", np.nan)]]}, "finite number"),
    ],
)
def test_what_are_no_themes_is_an_error(themes, message):
    with pytest.raises(InputError, match=message):
        plots.theme_cards(themes)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_a_heat_map_holds_the_best_terms_of_each_topic_and_their_shares(seed, n_terms):
    components = np.random.default_rng(seed).gamma(0.5, size=(3, 8))
    words = [f"w{place}" for place in range(8)]
    figure = plots.term_topic_heatmap(components, words, n_terms=n_terms)
    shown, labels = np.asarray(figure.data[0].z), list(figure.layout.yaxis.ticktext)
    shares = components / components.sum(axis=1, keepdims=True)
    for topic in range(3):
        best = {words[column] for column in np.argsort(-components[topic])[:n_terms]}
        assert best <= set(labels)
    assert len(labels) == len(set(labels))
    np.testing.assert_allclose(shown, shares[:, [words.index(label) for label in labels]].T)


def test_shares_of_a_term_sum_to_one():
    figure = plots.term_topic_heatmap([[3, 1], [0, 1]], ["room", "the"], names=["a", "b"], share_of="term")
    np.testing.assert_allclose(np.asarray(figure.data[0].z).sum(axis=1), 1)
    assert list(figure.data[0].text[0]) == [
        "<b>room</b><br>100% of its weight is in a",
        "<b>room</b><br>0% of its weight is in b",
    ]


@pytest.mark.parametrize(
    ("components", "settings", "message"),
    [
        ([[0, 0]], {}, "a weight above 0 somewhere"),
        ([[1, 2, 3]], {}, "one name for each of 3, got 2"),
        ([[1, 2]], {"share_of": "corpus"}, "share_of must be one of"),
        ([[1, 2]], {"n_terms": 0}, "n_terms must be a whole number of 1 or more"),
    ],
)
def test_what_cannot_be_mapped_is_an_error(components, settings, message):
    with pytest.raises(InputError, match=message):
        plots.term_topic_heatmap(components, ["a", "b"], **settings)


weighed = st.lists(
    st.tuples(st.text("abcdefgh", min_size=1, max_size=12), st.floats(-5, 5, allow_subnormal=False)),
    min_size=1,
    max_size=60,
)


@given(weighed)
def test_words_stand_in_order_without_overlap_and_for_and_against_have_their_colours(words):
    notes = plots.document_explanation(words).layout.annotations
    assert [note.text for note in notes] == [word for word, _ in words]
    order = [(note.y, note.x) for note in notes]
    assert order == sorted(order)
    assert len(set(order)) == len(order)
    for note, (_, weight) in zip(notes, words, strict=True):
        expected = "rgba(0,0,0,0)" if not weight else "rgba(31,104,181" if weight > 0 else "rgba(223,122,17"
        assert note.bgcolor.startswith(expected)


def test_the_heaviest_word_has_the_deepest_colour():
    notes = plots.document_explanation([("a", 2.0), ("b", 1.0), ("c", -2.0)]).layout.annotations
    depth = [float(note.bgcolor.rstrip(")").split(",")[-1]) for note in notes]
    assert depth[0] == depth[2] > depth[1] > 0
    assert notes[2].hovertext == "<b>c</b><br>speaks against the theme<br>weight -2"


def test_words_of_a_text_have_the_weights_of_their_terms():
    terms = {"room": 1.0, "new york": 0.5}
    plain = plots.document_explanation(terms, text="Room (room), in NEW York.").layout.annotations
    assert [note.text for note in plain] == ["Room", "(room),", "in", "NEW", "York."]
    assert [note.bgcolor == "rgba(0,0,0,0)" for note in plain] == [False, False, True, False, False]
    lemmas = plots.document_explanation(terms, text="Rooms, the", vectorizer=Vectorizer()).layout.annotations
    assert lemmas[0].hovertext.endswith("weight +1")
    assert lemmas[1].hovertext.endswith("says nothing either way")


def test_an_explained_text_is_drawn_for_its_likeliest_theme_or_another():
    from sklearn.pipeline import make_pipeline

    texts = ["clean room and bed", "bed and room", "soup and coffee", "coffee and cake"]
    pipeline = make_pipeline(Vectorizer(min_df=1), ThemeNMF(1)).fit(texts, ["hotel", "hotel", "food", "food"])
    text = "A room with coffee"
    why = explain_text(pipeline, text)
    figure = plots.document_explanation(why, text=text, vectorizer=pipeline[0])
    assert [note.text for note in figure.layout.annotations] == text.split()
    assert why.themes[0].theme in figure.layout.title.text
    other = plots.document_explanation(why, theme=why.themes[1].theme)
    assert [note.text for note in other.layout.annotations] == [word.term for word in why.themes[1].words]
    with pytest.raises(InputError, match="theme must be one that is explained"):
        plots.document_explanation(why, theme="tax")


def test_a_text_from_the_right_starts_on_the_right():
    from_left, from_right = (plots.document_explanation([(w, 1.0)] * 3).layout.annotations for w in ("word", "שלום"))
    assert [note.x for note in from_left] == sorted(note.x for note in from_left)
    assert [note.x for note in from_right] == sorted((note.x for note in from_right), reverse=True)
    assert {note.xanchor for note in from_right} == {"right"}


def test_a_long_document_is_cut_and_says_so():
    figure = plots.document_explanation([("word", 1.0)] * 30, n_words=10)
    assert len(figure.layout.annotations) == 10
    assert "20 more words are left out" in figure.layout.title.text.replace("<br>", " ")


@pytest.mark.parametrize("words", [[], {}, [("", 1.0)]])
def test_a_document_without_words_is_an_error(words):
    with pytest.raises(InputError, match="one word or more"):
        plots.document_explanation(words)


terms = st.lists(st.text("abc", min_size=1, max_size=3), unique=True, max_size=8)


@given(terms, terms)
def test_terms_come_stay_or_go(before, after):
    if not before and not after:
        with pytest.raises(InputError, match="one term or more"):
            plots.topic_evolution(before, after)
        return
    figure = plots.topic_evolution(before, after)
    sides = {(trace.name, x): {t.strip() for t in trace.text} for trace in figure.data[1:] for x in set(trace.x)}
    kept = set(before) & set(after)
    assert sides.get(("stayed", 0), set()) == sides.get(("stayed", 1), set()) == kept
    assert sides.get(("went", 0), set()) == set(before) - kept
    assert sides.get(("came", 1), set()) == set(after) - kept
    assert f"{len(kept)} stayed, {len(set(after) - kept)} came" in figure.layout.title.text


def test_a_line_leads_from_rank_to_rank():
    figure = plots.topic_evolution([("room", 0.5), ("bed", 0.4)], [("bed", 0.6), ("room", 0.3)])
    assert figure.data[0].y == (1, 2, None, 2, 1, None)
    assert "<b>room</b><br>before: rank 1, weight 0.5<br>after: rank 2, weight 0.3" in figure.data[1].hovertext


@pytest.mark.parametrize(
    ("before", "after", "settings", "message"),
    [
        (["a", "a"], ["b"], {}, "before must hold each term once, got 'a' twice"),
        ([("a", np.inf)], ["b"], {}, "finite number"),
        (["a"], ["b"], {"states": ("now",)}, "states must be two names"),
    ],
)
def test_states_must_be_lists_of_terms(before, after, settings, message):
    with pytest.raises(InputError, match=message):
        plots.topic_evolution(before, after, **settings)
