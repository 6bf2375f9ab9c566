import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from naive import terms as naive
from wayword import Vocabulary, document_terms, term_scores, theme_terms, top_terms
from wayword.errors import InputError

seeds = st.integers(0, 2**32 - 1)
ratios = st.floats(0, 1) | st.none()
# A theme of two subtopics: "the" is common everywhere, each other term belongs to one subtopic or to none.
TERMS = ["the", "room", "bed", "staff", "tax"]
SUBTOPICS = np.array([[40.0, 35.0, 25.0, 0.0, 0.0], [45.0, 0.0, 5.0, 50.0, 0.0]])
BACKGROUND = np.array([80.0, 2.0, 0.0, 2.0, 16.0])


def draw(rng, *shape):
    """Return weights of any scale, about half of them zero."""
    return rng.gamma(0.5, 10.0, size=shape) * (rng.random(shape) < 0.6)


def draw_theme(seed):
    """Return X, weights of subtopics and background in documents, and their weights of terms."""
    rng = np.random.default_rng(seed)
    n_documents, n_subtopics, n_terms = rng.integers(1, 6), rng.integers(1, 4), rng.integers(1, 8)
    return (
        draw(rng, n_documents, n_terms),
        draw(rng, n_documents, n_subtopics),
        draw(rng, n_documents),
        draw(rng, n_subtopics, n_terms),
        draw(rng, n_terms),
    )


def dense(matrices):
    return np.array([matrix.toarray() for matrix in matrices])


@given(seeds, ratios)
def test_theme_scores_are_those_of_the_naive_twin(seed, purity_ratio):
    *_, H, h = draw_theme(seed)
    expected = naive.theme_term_scores(H, h, purity_ratio)
    close = {"rtol": 1e-9, "atol": 1e-15}
    np.testing.assert_allclose(term_scores(H, h).at(purity_ratio), expected, **close)
    if purity_ratio is None and not expected.any(axis=1).all():
        return  # then terms are ranked otherwise, see below
    for aggregate, reduced in [(None, expected), ("max", expected.max(axis=0)), ("sum", expected.sum(axis=0))]:
        found = theme_terms(H, h, purity_ratio=purity_ratio, aggregate=aggregate)
        np.testing.assert_allclose(found, reduced, **close)


@given(seeds, ratios)
def test_document_scores_are_those_of_the_naive_twin(seed, purity_ratio):
    X, W, w, H, h = draw_theme(seed)
    expected = naive.document_term_scores(X, W, w, H, h, purity_ratio)
    given_ = (sparse.csr_matrix(X), W, w, H, h)
    close = {"rtol": 1e-9, "atol": 1e-15}
    np.testing.assert_allclose(dense(document_terms(*given_, purity_ratio=purity_ratio)), expected, **close)
    for aggregate, reduced in [("max", expected.max(axis=0)), ("sum", expected.sum(axis=0))]:
        found = document_terms(*given_, purity_ratio=purity_ratio, aggregate=aggregate)
        np.testing.assert_allclose(found.toarray(), reduced, **close)


@given(seeds)
def test_without_background_scores_are_those_of_a_background_of_zeros(seed):
    X, W, _, H, _ = draw_theme(seed)
    nothing = np.zeros(len(X)), np.zeros(X.shape[1])
    np.testing.assert_array_equal(theme_terms(H), theme_terms(H, nothing[1]))
    found = dense(document_terms(X, W, None, H, None))
    np.testing.assert_array_equal(found, dense(document_terms(X, W, nothing[0], H, nothing[1])))
    np.testing.assert_array_equal(term_scores(H).purity, (H > 0).astype(float))


@given(seeds)
def test_purity_lies_between_0_and_1_and_shares_sum_to_one(seed):
    *_, H, h = draw_theme(seed)
    scores = term_scores(H, h)
    assert ((scores.purity >= 0) & (scores.purity <= 1)).all()
    assert (scores.pure <= scores.direct).all()
    np.testing.assert_allclose(scores.direct.sum(axis=1), H.any(axis=1).astype(float))
    np.testing.assert_allclose(scores.background.sum(), float(h.any()))


def test_a_common_term_has_purity_one_half_one_of_the_subtopic_one_a_foreign_one_zero():
    purity = term_scores([[0.3, 0.7, 0.0, 0.0]], [0.3, 0.0, 0.7, 0.0]).purity
    assert purity.tolist() == [[0.5, 1.0, 0.0, 0.0]]


@given(seeds)
def test_purity_ratio_0_ranks_by_direct_scores_and_1_by_pure_ones(seed):
    *_, H, h = draw_theme(seed)
    scores = term_scores(H, h)
    np.testing.assert_array_equal(scores.at(0), scores.direct)
    np.testing.assert_array_equal(scores.at(1), scores.pure)
    np.testing.assert_array_equal(scores.pure, scores.purity * scores.direct)


def test_purity_moves_terms_of_the_theme_above_common_ones():
    by_share, by_purity = (theme_terms(SUBTOPICS, BACKGROUND, purity_ratio=r, aggregate=None) for r in (0, 1))
    assert [row[0][0] for row in top_terms(by_share, TERMS)] == ["the", "staff"]
    assert [row[0][0] for row in top_terms(by_purity, TERMS)] == ["room", "staff"]
    assert "tax" not in dict(top_terms(theme_terms(SUBTOPICS, BACKGROUND), TERMS)[0])


@given(seeds, ratios)
def test_the_largest_score_is_at_most_the_sum(seed, purity_ratio):
    X, W, w, H, h = draw_theme(seed)
    largest, total = (theme_terms(H, h, purity_ratio=purity_ratio, aggregate=a) for a in ("max", "sum"))
    assert (largest <= total).all()
    largest, total = (document_terms(X, W, w, H, h, purity_ratio=purity_ratio, aggregate=a) for a in ("max", "sum"))
    assert (largest.data <= total.data).all()


@given(seeds, seeds)
def test_scales_of_topics_and_documents_change_nothing(seed, other):
    X, W, w, H, h = draw_theme(seed)
    by_topic = np.exp2(np.random.default_rng(other).integers(-9, 9, size=(len(H), 1)))
    by_document = np.exp2(np.random.default_rng(other).integers(-9, 9, size=(len(X), 1)))
    # Powers of two, so that not even the last bit changes.
    np.testing.assert_array_equal(theme_terms(by_topic * H, 8 * h), theme_terms(H, h))
    scaled = document_terms(X, by_document * W, by_document[:, 0] * w, by_topic * H, 8 * h)
    np.testing.assert_array_equal(dense(scaled), dense(document_terms(X, W, w, H, h)))


@given(seeds)
def test_terms_that_a_document_does_not_hold_have_no_entry(seed):
    X, W, w, H, h = draw_theme(seed)
    for scores in [*document_terms(X, W, w, H, h), document_terms(X, W, w, H, h, aggregate="sum")]:
        assert scores.nnz == (X > 0).sum()
        assert not scores.toarray()[X == 0].any()
        assert np.isfinite(scores.data).all()


@given(seeds, seeds)
def test_permuted_documents_and_terms_have_permuted_scores(seed, other):
    X, W, w, H, h = draw_theme(seed)
    rng = np.random.default_rng(other)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    found = dense(document_terms(X[rows][:, columns], W[rows], w[rows], H[:, columns], h[columns]))
    expected = dense(document_terms(X, W, w, H, h))[:, rows][:, :, columns]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_only_where_counts_are_above_zero_matters_and_they_stay_as_they_are():
    # Unsorted, one entry in two parts, one explicit zero.
    X = sparse.csr_matrix((np.array([1, 2, 0, 3, 4]), np.array([3, 0, 1, 2, 2]), np.array([0, 3, 5])), shape=(2, 5))
    before = X.data.copy(), X.indices.copy()
    weights = [[1.0, 2.0], [2.0, 0.5]], [1.0, 0.5]
    found = document_terms(X, *weights, SUBTOPICS, BACKGROUND, aggregate="max")
    expected = document_terms(X.toarray() > 0, *weights, SUBTOPICS, BACKGROUND, aggregate="max")
    assert found.nnz == 3
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    np.testing.assert_array_equal(X.data, before[0])
    np.testing.assert_array_equal(X.indices, before[1])


def test_matrices_of_subtopics_do_not_share_their_places():
    X = sparse.csr_matrix(np.ones((1, 5)))
    first, second = document_terms(X, [[1.0, 1.0]], [1.0], SUBTOPICS, BACKGROUND)
    expected = second.toarray()
    first.eliminate_zeros()
    assert first.nnz < X.nnz
    np.testing.assert_array_equal(second.toarray(), expected)
    assert X.nnz == 5


def test_documents_without_weights_or_terms_score_zero():
    X = sparse.csr_matrix([[1, 1, 0, 0, 0], [0, 0, 0, 0, 0]])
    for scores in document_terms(X, np.zeros((2, 2)), np.zeros(2), SUBTOPICS, BACKGROUND):
        assert scores.data.tolist() == [0.0, 0.0]
    assert top_terms(scores, TERMS) == [[], []]


def test_large_sparse_documents_stay_sparse():
    rng = np.random.default_rng(0)
    n_documents, n_terms, n_subtopics, n_entries = 2_000, 50_000, 3, 100_000
    places = rng.integers(n_documents, size=n_entries), rng.integers(n_terms, size=n_entries)
    X = sparse.csr_matrix((np.ones(n_entries), places), shape=(n_documents, n_terms))
    topics = rng.random((n_subtopics, n_terms)), rng.random(n_terms)
    tracemalloc.start()
    found = document_terms(X, rng.random((n_documents, n_subtopics)), rng.random(n_documents), *topics)
    best = top_terms(found[0], [str(column) for column in range(n_terms)], n=3)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [(sparse.issparse(scores), scores.nnz) for scores in found] == [(True, X.nnz)] * n_subtopics
    assert len(best) == n_documents
    # A dense matrix of documents by terms has 800 million bytes, even one of booleans 100 million.
    assert peak < 40_000_000


@given(seeds, st.integers(1, 12))
def test_top_terms_are_those_of_the_naive_twin_dense_or_sparse(seed, n):
    rng = np.random.default_rng(seed)
    # Few values, so that many are equal.
    scores = rng.choice([0.0, 0.25, 0.5, 1.0], size=rng.integers(1, 9, size=2))
    terms = [f"term {column}" for column in range(scores.shape[1])]
    expected = [naive.best_terms(row, terms, n) for row in scores]
    assert top_terms(scores, terms, n) == expected
    assert top_terms(sparse.csr_matrix(scores), terms, n) == expected
    assert top_terms(sparse.csc_array(scores), np.array(terms), n) == expected
    assert top_terms(scores[0], Vocabulary(terms), n) == expected[:1]


def test_top_terms_of_counts_are_ranked_as_numbers():
    assert top_terms(np.array([[1, 3, 2]], dtype=np.uint8), ["a", "b", "c"], n=2) == [[("b", 3.0), ("c", 2.0)]]
    assert top_terms([[False, True]], ["a", "b"]) == [[("b", 1.0)]]


def test_by_default_terms_are_ranked_by_what_they_have_beyond_the_background():
    np.testing.assert_array_equal(
        theme_terms(SUBTOPICS, BACKGROUND, aggregate=None), term_scores(SUBTOPICS, BACKGROUND).at(None)
    )
    assert [term for term, _ in top_terms(theme_terms(SUBTOPICS, BACKGROUND), TERMS)[0]] == ["staff", "room", "bed"]
    given_ = np.ones((1, 5)), [[1.0, 2.0]], [1.0], SUBTOPICS, BACKGROUND
    np.testing.assert_array_equal(dense(document_terms(*given_)), dense(document_terms(*given_, purity_ratio=None)))


def test_a_theme_that_has_nothing_beyond_its_background_is_ranked_by_purity():
    pure = term_scores([BACKGROUND, SUBTOPICS[0]], BACKGROUND).at(1.0)
    np.testing.assert_array_equal(theme_terms([3.0 * BACKGROUND], BACKGROUND), pure[0])
    both = np.array([BACKGROUND, SUBTOPICS[0]])
    apart = theme_terms(both, BACKGROUND, aggregate=None)
    np.testing.assert_array_equal(apart, [pure[0], theme_terms(SUBTOPICS[:1], BACKGROUND)])
    # A subtopic with nothing of its own adds nothing to the theme.
    np.testing.assert_array_equal(theme_terms(both, BACKGROUND), apart[1])


@pytest.mark.parametrize("wrong", [-0.1, 1.1, np.nan, "0.5", True])
def test_a_purity_ratio_outside_0_to_1_is_an_error(wrong):
    said = "purity_ratio must be a number from 0 to 1, got"
    with pytest.raises(InputError, match=said):
        term_scores(SUBTOPICS).at(wrong)
    with pytest.raises(InputError, match=said):
        theme_terms(SUBTOPICS, purity_ratio=wrong)
    with pytest.raises(InputError, match=said):
        document_terms(np.ones((1, 5)), [[1, 1]], [1], SUBTOPICS, BACKGROUND, purity_ratio=wrong)


def test_an_unknown_aggregate_is_an_error():
    said = "aggregate must be one of 'max', 'sum', None, got 'mean'"
    with pytest.raises(InputError, match=said):
        theme_terms(SUBTOPICS, aggregate="mean")
    with pytest.raises(InputError, match=said):
        document_terms(np.ones((1, 5)), [[1, 1]], [1], SUBTOPICS, BACKGROUND, aggregate="mean")


@pytest.mark.parametrize(
    ("subtopics", "background", "said"),
    [
        ([1, 2], None, r"subtopics must have the shape \(n_subtopics, n_terms\), got \(2,\)"),
        (np.zeros((0, 2)), None, "subtopics must have one row or more"),
        ([[1, -2]], None, "subtopics must hold finite numbers of 0 or more, got -2"),
        ([[1, 2]], [1], r"background must have the shape \(n_terms=2\), got \(1,\)"),
        ([[1, 2]], [1, np.nan], "background must hold finite numbers of 0 or more, got nan"),
        ([["a"]], None, "subtopics must be a dense array of numbers, got list"),
    ],
)
def test_wrong_topics_are_errors(subtopics, background, said):
    with pytest.raises(InputError, match=said):
        term_scores(subtopics, background)
    with pytest.raises(InputError, match=said):
        theme_terms(subtopics, background)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"X": np.ones((2, 4))}, "X must have the 5 terms of subtopics, got 4 columns"),
        ({"X": np.ones((2, 5, 1))}, r"X must be a matrix with a column for each term, got shape \(2, 5, 1\)"),
        ({"X": sparse.csr_matrix(-np.ones((2, 5)))}, "X must hold finite numbers of 0 or more, got -1"),
        ({"X": np.full((2, 5), np.nan)}, "X must hold finite numbers of 0 or more, got nan"),
        ({"X": sparse.csr_matrix(np.full((2, 5), np.nan))}, "X must hold finite numbers of 0 or more, got nan"),
        (
            {"subtopic_weights": np.ones((2, 3))},
            r"subtopic_weights must have the shape .*n_subtopics=2\), got \(2, 3\)",
        ),
        (
            {"subtopic_weights": np.ones((3, 2))},
            r"subtopic_weights must have the shape \(n_documents=2, .*got \(3, 2\)",
        ),
        ({"background_weights": [1]}, r"background_weights must have the shape \(n_documents=2\), got \(1,\)"),
        ({"background_weights": [1, -1]}, "background_weights must hold finite numbers of 0 or more, got -1"),
        ({"background_weights": None}, "expected both background_weights and background"),
        ({"background": None}, "expected both background_weights and background"),
        ({"background": [1]}, r"background must have the shape \(n_terms=5\), got \(1,\)"),
    ],
)
def test_wrong_documents_are_errors(change, said):
    right = {
        "X": np.ones((2, 5)),
        "subtopic_weights": np.ones((2, 2)),
        "background_weights": np.ones(2),
        "subtopics": SUBTOPICS,
        "background": BACKGROUND,
    }
    with pytest.raises(InputError, match=said):
        document_terms(**{**right, **change})


@pytest.mark.parametrize(
    ("scores", "n", "said"),
    [
        ([[1, 2, 3]], 1, "terms must name each of 3 columns of scores, got 2"),
        ([[1, 2]], 0, "n must be a whole number of 1 or more, got 0"),
        ([[1, -2]], 1, "scores must hold finite numbers of 0 or more, got -2"),
        ([[1], [1, 2]], 1, "scores must be a dense array of numbers, got list"),
    ],
)
def test_wrong_scores_are_errors(scores, n, said):
    with pytest.raises(InputError, match=said):
        top_terms(scores, ["a", "b"], n)


def test_terms_that_score_alike_but_for_rounding_stay_in_their_order():
    near = [0.25 * (1 - 2e-16), 0.25, 0.25 * (1 + 2e-16), 0.24, 0.26]
    assert [term for term, _ in top_terms([near], list("abcde"))[0]] == list("eabcd")
