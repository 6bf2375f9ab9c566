import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from wayword import ThemeNMF, theme_terms, top_terms
from wayword.errors import InputError
from wayword.interpret.themes import describe_themes, find_shown, rank_shown

TERMS = ["bed", "coffee", "room", "staff", "the"]
X = np.array([[3, 0, 2, 0, 4], [1, 0, 4, 0, 3], [0, 4, 0, 1, 5], [0, 2, 0, 0, 3], [0, 1, 0, 6, 4], [0, 0, 1, 3, 4]])
LABELS = ["room", "room", "food", "food", None, None]


def words(terms):
    return [term for term, _ in terms]


def test_a_theme_is_described_by_its_term_scores():
    model = ThemeNMF(2).fit(X, LABELS)
    info = describe_themes(model, TERMS, n_terms=3, purity_ratio=0.3, aggregate="sum")
    assert [theme.name for theme in info.themes] == ["food", "room"]
    for place, theme in enumerate(info.themes):
        topics, background = model.subtopics_[place], model.background_[place]
        scores = theme_terms(topics, background, purity_ratio=0.3, aggregate="sum")
        assert theme.terms == top_terms(scores, TERMS, 3)[0]
        assert theme.subtopics == top_terms(theme_terms(topics, background, purity_ratio=0.3, aggregate=None), TERMS, 3)
        assert words(theme.background) == [TERMS[k] for k in np.argsort(-background, kind="stable")[:3]]
        assert sum(share for _, share in theme.background) <= 1.0 + 1e-9
    assert (info.background, info.new_topics, info.new_background) == ([], [], [])


def test_hidden_words_and_phrases_with_them_are_not_shown():
    terms = ["the bed", "coffee", "room", "staff", "the"]
    for model in (ThemeNMF(1, n_new_topics=1), ThemeNMF(1, mode="combined", n_new_topics=1)):
        info = describe_themes(model.fit(X, LABELS), terms, purity_ratio=0.0, hide={"the"})
        plain = describe_themes(model, terms, purity_ratio=0.0)

        def shown(terms):
            return [pair for pair in terms if "the" not in pair[0]]

        assert [theme.terms for theme in info.themes] == [shown(theme.terms) for theme in plain.themes]
        assert [theme.background for theme in info.themes] == [shown(theme.background) for theme in plain.themes]
        assert info.background == shown(plain.background)
        assert info.new_topics == [shown(topic) for topic in plain.new_topics]
        assert info.new_background == shown(plain.new_background)


def test_a_theme_whose_telling_words_are_all_hidden_shows_what_else_it_has():
    shown = np.array([True, True, False])
    # Beyond its background the topic has the last term alone.
    topic, background = np.array([[4.0, 5.0, 10.0]]), np.array([5.0, 5.0, 1.0])
    np.testing.assert_array_equal(
        rank_shown(topic, background, shown), theme_terms(topic, background, purity_ratio=1.0) * shown
    )
    only = np.array([[0.0, 0.0, 3.0]])
    np.testing.assert_array_equal(rank_shown(only, background, shown), theme_terms(only, background))
    both = rank_shown(np.vstack([topic, [[9.0, 0.0, 1.0]]]), background, shown, aggregate=None)
    assert (both.argmax(axis=1) == [1, 0]).all()


def test_what_is_to_be_hidden_is_a_collection_of_words():
    model = ThemeNMF(1).fit(X, LABELS)
    with pytest.raises(InputError, match="hide must be a collection of words, got 'the'"):
        describe_themes(model, TERMS, hide="the")
    for hide in ((), {"the"}):
        with pytest.raises(InputError, match="terms must name each of 5 columns of the model, got 2"):
            describe_themes(model, TERMS[:2], hide=hide)
    assert find_shown(["per que", "per", "que", "pera"], np.array(["per que"])).tolist() == [False, True, True, True]


def test_separated_new_topics_have_a_background_of_their_own():
    info = describe_themes(ThemeNMF(1, n_new_topics=1).fit(X, LABELS), TERMS)
    assert info.new_topics[0][0][0] == "staff"
    assert "the" in words(info.new_background)


def test_combined_themes_share_one_background():
    model = ThemeNMF(1, mode="combined", n_new_topics=2).fit(X, LABELS)
    info = describe_themes(model, TERMS)
    assert words(info.background)[0] == TERMS[int(model.background_[0].argmax())]
    assert [theme.background for theme in info.themes] == [[], []]
    assert len(info.new_topics) == 2
    assert info.new_background == []


def test_without_a_background_terms_are_ranked_by_their_share():
    model = ThemeNMF(1, mode="combined", background=False).fit(X, LABELS)
    info = describe_themes(model, TERMS, purity_ratio=1.0)
    assert info.background == []
    assert words(info.themes[1].terms)[0] == TERMS[int(model.subtopics_[1, 0].argmax())]


def test_plain_values_are_names_lists_and_scores():
    info = describe_themes(ThemeNMF(1).fit(X, LABELS), TERMS, n_terms=2)
    plain = info.to_dict()
    assert plain.keys() == {"themes", "background", "new_topics", "new_background"}
    assert plain["themes"][0]["terms"] == dict(info.themes[0].terms)


def test_a_model_that_is_not_fitted_has_no_themes():
    with pytest.raises(NotFittedError):
        describe_themes(ThemeNMF(), TERMS)
