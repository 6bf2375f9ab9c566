import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import softmax

from wayword import ThemeNMF
from wayword.models.competing import (
    LEAST_CHANCE,
    UNLABELLED_WEIGHT,
    balance,
    discount_own_words,
    share_out,
    smoothed_prior,
)
from wayword.models.theme_blocks import Membership

seeds = st.integers(0, 2**32 - 1)


def draw(seed, n_documents=60, n_themes=4, spread=2.0):
    rng = np.random.default_rng(seed)
    return rng.normal(0.0, spread, (n_documents, n_themes)), rng.dirichlet(np.full(n_themes, 3.0))


@given(seeds, st.integers(1, 6), st.sampled_from([0.5, 2.0, 5.0]))
def test_chances_are_balanced_until_their_mean_is_the_prior(seed, n_themes, spread):
    scores, prior = draw(seed, 200, n_themes, spread)
    chances = softmax(balance(scores, prior), axis=1)
    np.testing.assert_allclose(chances.mean(axis=0), prior, atol=0.02)


@given(seeds)
def test_balancing_shifts_themes_and_never_the_order_of_documents_within_one(seed):
    scores, prior = draw(seed)
    shifts = balance(scores, prior) - scores
    np.testing.assert_allclose(shifts, np.broadcast_to(shifts[0], shifts.shape), atol=1e-9)


def test_scores_of_any_size_stay_finite():
    scores = np.array([[1e4, 0.0, -1e4], [1e4, 0.0, 0.0]])
    assert np.isfinite(balance(scores, np.array([0.5, 0.3, 0.2]))).all()


def test_the_prior_counts_every_label_once_more_and_documents_by_their_weights():
    indicator = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 0, 0]], dtype=bool)
    np.testing.assert_allclose(smoothed_prior(indicator, np.ones(4)), np.array([4, 2, 1]) / 7)
    np.testing.assert_allclose(smoothed_prior(indicator, np.array([1, 2, 9, 0.5])), np.array([4.5, 3, 1]) / 8.5)


@given(seeds, st.booleans())
def test_an_unlabelled_document_counts_for_each_theme_by_half_its_chance(seed, weighted):
    rng = np.random.default_rng(seed)
    scores, prior = draw(seed, 5, 3)
    unlabelled = np.array([1, 3, 4, 6, 7])
    labelled = np.array([0, 2, 5])
    weights = rng.uniform(0.5, 3.0, 8) if weighted else np.ones(8)
    members = np.zeros((3, 8))
    members[:, labelled] = (rng.random((3, 3)) < 0.6) * weights[labelled]
    counted = np.zeros(8)
    counted[labelled] = weights[labelled]
    before = Membership(sparse.csr_matrix(members), counted)
    shared = share_out(before, unlabelled, scores, prior, weights)
    found = shared.members.toarray()
    assert (found[:, labelled] == members[:, labelled]).all()
    assert (shared.weights[labelled] == weights[labelled]).all()
    np.testing.assert_allclose(shared.weights[unlabelled], UNLABELLED_WEIGHT * weights[unlabelled])
    chances = softmax(balance(scores, prior), axis=1)
    expected = np.where(chances >= LEAST_CHANCE, chances, 0.0) * UNLABELLED_WEIGHT * weights[unlabelled][:, None]
    np.testing.assert_allclose(found[:, unlabelled], expected.T)
    assert (found.sum(axis=0)[unlabelled] <= shared.weights[unlabelled] * (1 + 1e-12)).all()
    # What was there stays as it was.
    assert (before.members.toarray() == members).all()
    assert (before.weights == counted).all()


@pytest.mark.parametrize("n_themes", [1, 30])
def test_there_may_be_one_theme_or_so_many_that_no_chance_counts(n_themes):
    scores = np.zeros((2, n_themes))
    membership = Membership(sparse.csr_matrix((n_themes, 3)), np.array([1.0, 0, 0]))
    shared = share_out(membership, np.array([1, 2]), scores, np.full(n_themes, 1 / n_themes), np.ones(3))
    assert shared.weights.tolist() == [1.0, 0.5, 0.5]
    assert shared.members.nnz == (2 if n_themes == 1 else 0)


@given(seeds)
def test_topics_keep_of_each_word_what_is_left_without_one_unlabelled_document(seed):
    rng = np.random.default_rng(seed)
    X, members = rng.poisson(0.5, (12, 6)).astype(float), rng.random((3, 12)) * (rng.random((3, 12)) < 0.5)
    topics, labelled = rng.random((3, 2, 6)), rng.random(12) < 0.4
    membership = Membership(sparse.csr_matrix(members), np.ones(12))
    found = discount_own_words(topics, membership, sparse.csr_matrix(X), labelled)
    for theme, term in np.ndindex(3, 6):
        holders = (members[theme] > 0) & (X[:, term] > 0)
        n_labelled, n_others = (holders & labelled).sum(), (holders & ~labelled).sum()
        n = 2 * n_labelled + n_others
        kept = (n - 1) / n if n_others else 1.0
        np.testing.assert_allclose(found[theme, :, term], kept * topics[theme, :, term], rtol=1e-12)


def test_a_word_of_one_unlabelled_document_speaks_for_no_theme():
    X = np.array([[3, 1, 0, 0, 0], [0, 0, 3, 1, 0]] * 12, dtype=float)
    X[20, 4] = 5.0  # a word that no other document has
    model = ThemeNMF(1).fit(X, ["a", "b"] * 8 + [None] * 8)
    assert (model.subtopics_[:, :, 4] == 0).all()
    assert (model.subtopics_[:, :, :4].sum(axis=2) > 0.99).all()
