import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from wayword.errors import InputError
from wayword.models.theme_scores import share_of_topics, subtopic_scores, theme_scores

TABLE_5_1 = np.array([[100, 2, 5], [3, 4, 3], [1, 45, 54], [25, 25, 1]])
TABLE_5_2 = [[0.93, 0.02, 0.05], [0.30, 0.40, 0.30], [0.01, 0.45, 0.54], [0.49, 0.49, 0.02]]

# Subtopics and, last, the background of two themes.
THEME_A = np.array([[100, 2, 5], [45, 54, 1], [2, 1, 20]])
THEME_B = np.array([[3, 4, 3], [25, 25, 1], [5, 8, 40]])
SCORES_A = np.array([[0.95, 0.28], [0.98, 0.98], [0.09, 0.05]])
SCORES_B = np.array([[0.50, 0.57], [0.96, 0.96], [0.11, 0.17]])

themes = st.tuples(st.integers(1, 6), st.integers(1, 4)).flatmap(
    lambda size: st.tuples(
        hnp.arrays(float, size, elements=st.floats(0, 1e6)), hnp.arrays(float, size[0], elements=st.floats(0, 1e6))
    )
)


def test_shares_of_topics_are_table_5_2():
    np.testing.assert_array_equal(share_of_topics(TABLE_5_1).round(2), TABLE_5_2)


def test_subtopic_scores_are_table_5_3():
    # The thesis rounds (1/21 is printed .05, 45/46 .98, 8/48 .17), but prints 2/7 = .2857 as .28: a slip.
    printed = SCORES_A.copy()
    assert printed[0, 1] == 0.28
    printed[0, 1] = 0.29
    np.testing.assert_array_equal(subtopic_scores(THEME_A[:, :2], THEME_A[:, 2]).round(2), printed)
    np.testing.assert_array_equal(subtopic_scores(THEME_B[:, :2], THEME_B[:, 2]).round(2), SCORES_B)
    # Cut instead of rounded, it is as printed.
    assert np.floor(100 * subtopic_scores(THEME_A[:, :2], THEME_A[:, 2])[0, 1]) == 28


def test_theme_scores_are_the_bold_ones_of_table_5_3():
    np.testing.assert_array_equal(theme_scores(THEME_A[:, :2], THEME_A[:, 2]).round(2), [0.95, 0.98, 0.09])
    np.testing.assert_array_equal(theme_scores(THEME_B[:, :2], THEME_B[:, 2]).round(2), [0.57, 0.96, 0.17])


@given(themes)
def test_shares_sum_to_one_where_a_document_has_weights(theme):
    W, _ = theme
    sums = share_of_topics(W).sum(axis=1)
    np.testing.assert_allclose(sums, W.any(axis=1).astype(float), rtol=1e-9)


@given(themes)
def test_scores_lie_between_0_and_1_and_the_theme_has_that_of_a_strongest_subtopic(theme):
    W, background = theme
    scores = subtopic_scores(W, background)
    assert ((scores >= 0) & (scores <= 1)).all()
    expected = scores[np.arange(len(W)), W.argmax(axis=1)]
    np.testing.assert_allclose(theme_scores(W, background), expected, rtol=1e-12)


@given(themes, st.sampled_from([2.0**-20, 0.5, 2.0, 2.0**20]))
def test_scores_do_not_depend_on_the_scale_of_a_theme(theme, factor):
    W, background = (np.where(weights < 1e-9, 0.0, weights) for weights in theme)
    np.testing.assert_array_equal(theme_scores(factor * W, factor * background), theme_scores(W, background))


def test_without_weights_there_is_no_score_and_without_background_it_is_one():
    W, background = [[0, 0], [0, 3], [2, 1]], [0, 0, 0]
    assert subtopic_scores(W, background).tolist() == [[0, 0], [0, 1], [1, 1]]
    assert theme_scores(W, background).tolist() == [0, 1, 1]
    assert share_of_topics([[0, 0], [0, 3]]).tolist() == [[0, 0], [0, 1]]


def test_no_documents_have_no_scores():
    assert theme_scores(np.zeros((0, 2)), []).shape == (0,)
    assert share_of_topics(np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    ("W", "background", "said"),
    [
        ([1, 2], [1], r"W must have the shape \(n_documents, n_subtopics\), got \(2,\)"),
        ([[1, 2]], [1, 2], r"background must have the shape \(n_documents=1\), got \(2,\)"),
        ([[1, 2]], [[1]], r"background must have the shape \(n_documents=1\), got \(1, 1\)"),
        ([[1, np.nan]], [1], "W must hold finite numbers of 0 or more, got nan"),
        ([[1e308, 1e308]], [1], r"W must hold numbers up to 1e\+100, got 1e\+308; divide all by the largest"),
        ([[1, 2]], [-3], "background must hold finite numbers of 0 or more, got -3"),
        ([[1, 2]], [np.inf], "background must hold finite numbers of 0 or more, got inf"),
        ([["a"]], [1], "W must be a dense array of numbers, got list"),
        (sparse.csr_matrix([[1, 2]]), [1], "W must be a dense array of numbers, got csr_matrix"),
        (np.zeros((2, 0)), [1, 2], "a theme without subtopics"),
    ],
)
def test_wrong_weights_are_errors(W, background, said):
    with pytest.raises(InputError, match=said):
        theme_scores(W, background)


def test_wrong_shares_are_errors():
    with pytest.raises(InputError, match=r"W must have the shape \(n_documents, n_topics\), got \(2,\)"):
        share_of_topics([1, 2])
