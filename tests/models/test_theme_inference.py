import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive.themes import log_ratio, mix
from wayword.kernels.factor import mix_rows_by_theme
from wayword.models.folding import fold_in
from wayword.models.theme_inference import (
    LEAST_SMOOTHING,
    by_terms,
    fold_into_themes,
    mix_themes,
    smooth_topics,
    unseen_shares,
)

few = settings(max_examples=25)
seeds = st.integers(0, 2**32 - 1)
# Documents, terms, themes and topics; more themes than are looked at together, too.
sizes = st.tuples(st.integers(1, 8), st.integers(1, 9), st.sampled_from([1, 2, 3, 8, 11]), st.integers(1, 4))


def draw(size, seed):
    """Return documents, some of them empty, topics of some themes, and backgrounds."""
    n_documents, n_terms, n_themes, n_topics = size
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, (n_documents, n_terms)).astype(float)
    topics = rng.uniform(0.05, 1.0, (n_themes, n_topics, n_terms))
    return X, topics / topics.sum(axis=2, keepdims=True), rng.dirichlet(np.full(n_terms, 5.0), size=n_themes)


@few
@given(sizes, seeds)
def test_documents_are_folded_into_each_theme_as_if_it_were_alone(size, seed):
    X, topics, _ = draw(size, seed)
    matrix = sparse.csr_matrix(X)
    W = fold_into_themes(matrix, by_terms(topics, matrix.dtype))
    assert W.shape == (size[2], size[0], size[3])
    for weights, theme in zip(W, topics, strict=True):
        np.testing.assert_allclose(weights, fold_in(matrix, theme, "kl"), rtol=1e-9, atol=1e-12)
        assert (weights[X.sum(axis=1) == 0] == 0).all()


def test_terms_come_before_topics_for_kernels():
    topics = np.arange(24.0).reshape(2, 3, 4)
    turned = by_terms(topics, np.dtype(np.float32))
    assert turned.shape == (2, 4, 3)
    assert turned.dtype == np.float32
    assert turned.flags.c_contiguous
    assert turned[1, 2, 0] == topics[1, 0, 2]


@given(sizes, seeds, st.sampled_from([0, 1, 2, 30]), st.sampled_from([0.0, 1e-2]))
def test_mixtures_are_those_of_the_twin(size, seed, n_steps, settled):
    X, topics, _ = draw(size, seed)
    matrix = sparse.csr_matrix(X)
    mixtures, likelihoods = np.empty((size[2], len(X), size[3])), np.empty((size[2], len(X)))
    rows = matrix.indptr, matrix.indices, matrix.data
    other = np.ascontiguousarray(topics.reshape(-1, X.shape[1]).T)
    mix_rows_by_theme(0, len(X), *rows, other, n_steps, settled, mixtures, likelihoods)
    nothing = np.ones(X.shape[1])
    for theme, document in np.ndindex(likelihoods.shape):
        x, expected = X[document], mix(X[document], topics[theme], n_steps, settled)
        np.testing.assert_allclose(mixtures[theme, document], expected, rtol=1e-9, atol=1e-12)
        likelihood = log_ratio(x, expected @ topics[theme], nothing) * np.sqrt(x.sum())
        assert likelihoods[theme, document] == pytest.approx(likelihood, abs=1e-9)


@settings(max_examples=10)
@given(sizes, seeds)
def test_a_theme_scores_by_how_much_better_it_explains_a_document_than_its_background(size, seed):
    X, topics, backgrounds = draw(size, seed)
    matrix = sparse.csr_matrix(X)
    found = mix_themes(matrix, topics, backgrounds)
    assert found.weights.shape == (size[2], size[0], size[3])
    assert found.scores.shape == (size[0], size[2])
    np.testing.assert_allclose(found.weights.sum(axis=2), 1.0)
    for theme in range(size[2]):
        for x, weights, score in zip(X, found.weights[theme], found.scores[:, theme], strict=True):
            assert score == pytest.approx(log_ratio(x, weights @ topics[theme], backgrounds[theme]), abs=1e-9)
            # The best there is, but for what a score does not feel.
            best = log_ratio(x, mix(x, topics[theme], 200) @ topics[theme], backgrounds[theme])
            assert best - 0.15 <= score <= best + 1e-9


def test_a_theme_that_is_its_background_scores_zero_and_a_better_one_more():
    rng = np.random.default_rng(0)
    own, common = rng.dirichlet(np.ones(30), size=2)
    X = sparse.csr_matrix(np.stack([rng.multinomial(100, own), rng.multinomial(100, common)]).astype(float))
    scores = mix_themes(X, np.stack([common, own])[:, None], np.stack([common, common])).scores
    np.testing.assert_allclose(scores[:, 0], 0.0, atol=1e-9)
    assert scores[0, 1] > 1 > -1 > scores[1, 1]


@few
@given(sizes, seeds)
def test_smoothed_topics_sum_to_one_and_rule_no_term_out(size, seed):
    _, topics, _ = draw(size, seed)
    rng = np.random.default_rng(seed)
    topics *= rng.random(topics.shape) < 0.6
    shares = rng.dirichlet(np.ones(size[1]))
    smoothing = rng.uniform(0.3, 1.0, size[2])
    smoothed = smooth_topics(topics, shares, smoothing)
    np.testing.assert_allclose(smoothed.sum(axis=2), 1.0)
    assert (smoothed >= smoothing[:, None, None] * shares * (1 - 1e-12)).all()
    for theme in range(size[2]):
        for topic, mixed in zip(topics[theme], smoothed[theme], strict=True):
            own = topic / topic.sum() if topic.any() else shares
            np.testing.assert_allclose(mixed, (1 - smoothing[theme]) * own + smoothing[theme] * shares)


def test_the_share_of_unseen_terms_is_that_of_witten_and_bell():
    counts = sparse.csr_matrix(np.array([[4.0, 0, 2, 0], [0, 0, 0, 0], [90, 9, 0, 1], [0.5, 0, 0, 0]]))
    # 2 terms, 6 counts; nothing at all is all unseen; 3 terms, 100 counts is less than the least.
    np.testing.assert_allclose(unseen_shares(counts), [max(2 / 8, LEAST_SMOOTHING), 1.0, LEAST_SMOOTHING, 1 / 1.5])


def test_scores_do_not_depend_on_the_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.poisson(0.9, (500, 150)).astype(float))
    topics = rng.dirichlet(np.ones(150), size=(3, 2))
    backgrounds = rng.dirichlet(np.ones(150), size=3)
    results = set()
    for threads in ("1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        found = mix_themes(X, topics, backgrounds)
        results.add(
            (found.scores.tobytes(), found.weights.tobytes(), fold_into_themes(X, by_terms(topics, X.dtype)).tobytes())
        )
    assert len(results) == 1
