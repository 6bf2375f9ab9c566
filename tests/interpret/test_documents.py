import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from wayword import NMF, ThemeNMF, Vectorizer, explain_document, explain_text
from wayword.errors import InputError
from wayword.interpret.themes import describe_themes

TEXTS = [
    "A clean room with a large bed",
    "The bed was soft and the room was quiet",
    "Large room, clean bath, soft bed",
    "Quiet room and a clean bath",
    "Friendly staff at the desk answered every question",
    "The staff at the desk were rude and slow",
    "Rude answers at the desk",
    "Friendly, helpful desk staff",
    "Breakfast was cold and the coffee was weak",
    "Good coffee and fresh bread at breakfast",
    "Cold eggs, weak coffee at breakfast",
    "Fresh bread and good coffee for breakfast",
]
LABELS = ["room"] * 4 + ["staff"] * 4 + ["food"] * 4
MIXED = "Coffee was weak. The bed was soft! But the staff at the desk were rude: rude answers, rude staff, no kettle."


def fit(model=None, **settings):
    return make_pipeline(Vectorizer(**settings), ThemeNMF(2) if model is None else model).fit(TEXTS, LABELS)


CODER = fit()
VECTORIZER, MODEL = CODER[0], CODER[-1]


@pytest.mark.parametrize("n_words", [1, 3, 50])
def test_words_and_the_rest_sum_to_what_the_subtopics_say(n_words):
    evidence = MODEL.term_evidence(VECTORIZER.transform([MIXED]))
    found = explain_text(CODER, MIXED, n_words=n_words)
    for reason in found.themes:
        theme = MODEL.themes_.tolist().index(reason.theme)
        total = evidence.weights[theme].sum()
        assert sum(word.weight for word in reason.words) + reason.rest == pytest.approx(total)
        assert sum(subtopic.weight for subtopic in reason.subtopics) == pytest.approx(total)
        assert reason.offset == evidence.offsets[theme]
        assert reason.correction == evidence.corrections[theme]
        assert len(reason.words) == min(n_words, len(evidence.columns))
        assert {word.subtopic for word in reason.words} <= {1, 2}
        heaviness = [abs(word.weight) for word in reason.words]
        assert heaviness == sorted(heaviness, reverse=True)


def test_themes_come_by_their_chances():
    found = explain_text(CODER, MIXED)
    chances = dict(zip(MODEL.themes_, CODER.predict_proba([MIXED])[0], strict=True))
    scores = dict(zip(MODEL.themes_, MODEL.theme_scores(VECTORIZER.transform([MIXED]))[0], strict=True))
    assert [reason.theme for reason in found.themes] == sorted(chances, key=chances.__getitem__, reverse=True)
    assert all(reason.chance == chances[reason.theme] for reason in found.themes)
    assert all(reason.score == scores[reason.theme] for reason in found.themes)
    assert [reason.theme for reason in explain_text(CODER, MIXED, n_themes=2).themes] == ["staff", "food"]


@pytest.mark.parametrize(
    ("text", "theme", "word"), [("Weak coffee", "food", "coffee"), ("The bath is quiet", "room", "quiet")]
)
def test_a_word_of_a_theme_speaks_for_it_and_against_the_others(text, theme, word):
    likeliest, *others = explain_text(CODER, text).themes
    assert likeliest.theme == theme
    assert all(one.weight > 0 for one in likeliest.words)
    assert all(one.weight < 0 for reason in others for one in reason.words)
    assert word in [one.term for one in likeliest.words]


def test_the_planted_word_of_a_theme_comes_first():
    texts = [f"{word} common common everyday" for word in ("alpha", "beta", "gamma") for _ in range(5)]
    coder = make_pipeline(Vectorizer(language="none"), ThemeNMF(1)).fit(texts, [text.split()[0] for text in texts])
    reason = explain_text(coder, "common everyday beta common").themes[0]
    assert (reason.theme, reason.words[0].term) == ("beta", "beta")


def test_subtopics_are_called_by_their_best_terms():
    described = {theme.name: theme for theme in describe_themes(MODEL, VECTORIZER.vocabulary_, n_terms=3).themes}
    for reason in explain_text(CODER, MIXED).themes:
        terms = [tuple(term for term, _ in best) for best in described[reason.theme].subtopics]
        assert [subtopic.terms for subtopic in reason.subtopics] == terms


def test_sentences_come_by_how_much_they_speak_for_the_likeliest_theme():
    found = explain_text(CODER, MIXED).sentences
    assert found[0].text == "But the staff at the desk were rude: rude answers, rude staff, no kettle."
    assert {one.text for one in found[1:]} == {"Coffee was weak.", "The bed was soft!"}
    weights = [one.weight for one in found]
    assert weights == sorted(weights, reverse=True)
    assert explain_text(CODER, MIXED, n_sentences=1).sentences == found[:1]
    assert explain_text(CODER, MIXED, n_sentences=0).sentences == ()


@pytest.mark.parametrize(
    "settings", [{}, {"weighting": "tfidf", "norm": "l2"}, {"weighting": "binary"}, {"min_tokens": 3}]
)
def test_sentences_sum_to_what_the_words_say_however_these_are_weighted(settings):
    coder = fit(**settings)
    found = explain_text(coder, MIXED, n_words=50)
    total = sum(word.weight for word in found.themes[0].words)
    assert sum(sentence.weight for sentence in found.sentences) == pytest.approx(total)


def test_unknown_words_are_each_named_once_and_stop_words_are_not_among_them():
    found = explain_text(CODER, "The kettle, the KETTLE and two rooms; Zanzibar is far from the bed")
    assert found.unknown == ("kettle", "zanzibar")
    phrases = fit(ngrams=(2, 2))
    assert explain_text(phrases, "A clean kettle").unknown == ("kettle",)


@pytest.mark.parametrize("text", ["", " \n ", "kettle", "the and of", "\x00"])
def test_a_text_without_known_words_has_the_chances_of_any(text):
    found = explain_text(CODER, text)
    assert [reason.words for reason in found.themes] == [()] * 3
    assert all(subtopic.weight == 0 for reason in found.themes for subtopic in reason.subtopics)
    chances = MODEL.predict_proba(np.zeros((1, MODEL.n_features_in_)))[0]
    assert [reason.chance for reason in found.themes] == sorted(chances, reverse=True)


def test_a_text_shorter_than_the_vectorizer_wants_is_explained_too():
    coder = fit(min_tokens=3)
    assert explain_text(coder, "Soft bed.").themes[0].theme == "room"
    assert coder[0].min_tokens == 3


HOSTILE = "[red]bed[/red] \x1b[31m soft\u202e <script>alert(1)</script> :smile: {0} %s"


def test_hostile_text_is_kept_as_it_is():
    found = explain_text(CODER, HOSTILE)
    assert [sentence.text for sentence in found.sentences] == [HOSTILE]
    assert {"bed", "soft"} == {word.term for word in found.themes[0].words}


@given(st.text(max_size=60))
def test_any_text_can_be_explained(text):
    found = explain_text(CODER, text)
    assert len(found.themes) == 3
    assert sum(reason.chance for reason in found.themes) == pytest.approx(1.0)


def test_an_explanation_as_plain_values_has_all_of_it():
    found = explain_text(CODER, MIXED)
    said = json.loads(json.dumps(found.to_dict()))
    assert said["themes"][0]["theme"] == found.themes[0].theme
    assert said["themes"][0]["words"][0] == {
        "term": found.themes[0].words[0].term,
        "weight": found.themes[0].words[0].weight,
        "subtopic": found.themes[0].words[0].subtopic,
    }
    assert said["themes"][0].keys() == {
        "theme",
        "chance",
        "score",
        "subtopics",
        "words",
        "rest",
        "offset",
        "correction",
    }
    assert [one["text"] for one in said["sentences"]] == [one.text for one in found.sentences]
    assert said["unknown"] == ["kettle"]


def test_counts_are_explained_as_their_text_is():
    X = VECTORIZER.transform([MIXED])
    for terms in (VECTORIZER.vocabulary_, VECTORIZER.get_feature_names_out().tolist()):
        found = explain_document(MODEL, X, terms)
        assert found.themes == explain_text(CODER, MIXED).themes
        assert (found.sentences, found.unknown) == ((), ())


@pytest.mark.parametrize(
    "model",
    [
        ThemeNMF(1, mode="combined", background=False),
        ThemeNMF(3, mode="combined", score="share"),
        ThemeNMF(2, score="likelihood"),
        ThemeNMF(2, score="thesis"),
    ],
)
def test_every_kind_of_model_can_be_explained(model):
    found = explain_text(fit(model), MIXED)
    assert len(found.themes) == 3
    for reason in found.themes:
        assert len(reason.subtopics) == model.n_subtopics
        total = sum(word.weight for word in reason.words) + reason.rest
        assert total == pytest.approx(sum(subtopic.weight for subtopic in reason.subtopics))


def test_what_is_no_pipeline_of_themes_is_refused():
    words = make_pipeline(Vectorizer(), NMF(2)).fit(TEXTS)
    for wrong in (MODEL, VECTORIZER, words, "a text", None):
        with pytest.raises(InputError, match="expected a pipeline of a Vectorizer and a ThemeNMF"):
            explain_text(wrong, MIXED)


def test_a_model_without_themes_is_refused():
    lone = ThemeNMF(1, mode="combined", n_new_topics=2, score="share")
    coder = make_pipeline(Vectorizer(), lone).fit(TEXTS, [None] * len(TEXTS))
    with pytest.raises(InputError, match="no themes"):
        explain_text(coder, MIXED)


@pytest.mark.parametrize("wrong", [None, ["a", "b"], b"bytes", 3])
def test_what_is_no_text_is_refused(wrong):
    with pytest.raises(InputError, match="must be a string"):
        explain_text(CODER, wrong)


@pytest.mark.parametrize("setting", [{"n_themes": 0}, {"n_words": 0}, {"n_sentences": -1}, {"n_words": 1.5}])
def test_numbers_that_make_no_sense_are_refused(setting):
    with pytest.raises(InputError, match=next(iter(setting))):
        explain_text(CODER, MIXED, **setting)


def test_terms_must_fit_the_columns_and_counts_be_of_one_document():
    with pytest.raises(InputError, match="terms must name the"):
        explain_document(MODEL, VECTORIZER.transform([MIXED]), ["a", "b"])
    with pytest.raises(InputError, match="one document, got 2"):
        explain_document(MODEL, VECTORIZER.transform([MIXED, MIXED]), VECTORIZER.vocabulary_)


def test_a_model_that_was_not_fitted_explains_nothing():
    with pytest.raises(NotFittedError):
        explain_document(ThemeNMF(), [[1, 2]], ["a", "b"])
