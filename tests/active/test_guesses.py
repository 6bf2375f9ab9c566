import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive import guesses as naive
from wayword.active import guesses
from wayword.active.guesses import Guesser, Spreading, fit_logistic
from wayword.active.space import DocumentSpace, build_space, weigh_terms

seeds = st.integers(0, 2**32 - 1)


def plant(n_documents=120, n_labels=3, seed=0):
    """Return counts of documents with words of one label and words in common, and the labels."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_documents) % n_labels
    chances = np.full((n_documents, 10 + 15 * n_labels), 0.0)
    chances[:, :10] = 0.05
    for document, label in enumerate(labels):
        chances[document, 10 + 15 * label : 25 + 15 * label] = 0.5 / 15
    return sparse.csr_matrix([rng.multinomial(30, chance / chance.sum()) for chance in chances]).astype(float), labels


def draw_space(seed, n_documents=12):
    rng = np.random.default_rng(seed)
    nearness = np.triu(rng.random((n_documents, n_documents)) * (rng.random((n_documents, n_documents)) < 0.3), 1)
    nearness += nearness.T
    features = rng.normal(size=(n_documents, 5)).astype(np.float32)
    return DocumentSpace(np.ones(3), np.ones((3, 1)), (), features, sparse.csr_matrix(nearness))


@given(seeds)
@settings(max_examples=25)
def test_what_reaches_documents_is_that_of_the_slow_twin(seed):
    space = draw_space(seed)
    rows, targets = np.array([1, 4, 7]), np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    found = Spreading(space).spread(rows, targets)
    reached = naive.spread(space.nearness.toarray(), rows, targets, guesses._GO_ON, guesses._STEPS)
    expected = reached + guesses._FLOOR * reached.max()
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), rtol=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_the_regression_becomes_the_best_there_is(seed, monkeypatch):
    monkeypatch.setattr(guesses, "_MOST_ROUNDS", 5000)
    monkeypatch.setattr(guesses, "_SETTLED", 1e-9)
    rng = np.random.default_rng(seed)
    shape = (9, 4) if seed % 2 else (4, 9)  # either way of solving
    features, targets = rng.normal(size=shape), np.eye(3)[rng.integers(3, size=shape[0])]
    scaled = features * np.sqrt(guesses._SHARPNESS)
    found = fit_logistic(features, targets) / np.sqrt(guesses._SHARPNESS)
    best = naive.fit_logistic(scaled, targets, guesses._WEIGHT_COST)
    reached = naive.logistic_objective(found, scaled, targets, guesses._WEIGHT_COST)
    least = naive.logistic_objective(best, scaled, targets, guesses._WEIGHT_COST)
    assert reached == pytest.approx(least, rel=1e-5)


def test_steps_of_the_regression_never_raise_its_objective(monkeypatch):
    rng = np.random.default_rng(3)
    features, targets = rng.normal(size=(30, 6)), np.eye(4)[rng.integers(4, size=30)]
    scaled = features * np.sqrt(guesses._SHARPNESS)
    path = []
    for rounds in range(1, 25):
        monkeypatch.setattr(guesses, "_MOST_ROUNDS", rounds)
        weights = fit_logistic(features, targets) / np.sqrt(guesses._SHARPNESS)
        path.append(naive.logistic_objective(weights, scaled, targets, guesses._WEIGHT_COST))
    assert (np.diff(path) <= 1e-12).all()


def test_a_few_labels_are_enough_for_planted_ones():
    X, labels = plant()
    guesser = Guesser(build_space(X))
    rows = np.arange(6)
    chances = guesser.guess(rows, np.eye(3)[labels[rows]])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert (chances.argmax(axis=1) == labels).mean() > 0.95
    others, truth = plant(seed=1)
    found = guesser.guess_others(guesser.space.project(others), chances)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (found.argmax(axis=1) == truth).mean() > 0.95


def test_labelled_documents_keep_their_labels():
    X, labels = plant()
    targets = np.eye(3)[labels[:5]]
    targets[0] = [0.0, 0.5, 0.5]  # against all evidence
    np.testing.assert_array_equal(Guesser(build_space(X)).guess(np.arange(5), targets)[:5], targets)


def test_a_space_has_neighbours_of_the_same_label():
    X, labels = plant()
    space = build_space(X)
    near = space.nearness.tocoo()
    assert (labels[near.row] == labels[near.col]).mean() > 0.9
    assert (abs(space.nearness - space.nearness.T)).max() < 1e-6
    assert not space.nearness.diagonal().any()
    np.testing.assert_allclose(space.topic_shares().sum(axis=1), 1.0)


def test_a_space_and_what_is_projected_into_it_agree():
    X, _ = plant()
    space = build_space(X)
    np.testing.assert_allclose(space.project(X), space.features, atol=1e-5)


def test_an_empty_document_is_near_none():
    X, _ = plant()
    X = sparse.csr_matrix(sparse.vstack([X, sparse.csr_matrix((1, X.shape[1]))]))
    space = build_space(X)
    assert not space.features[-1].any()
    assert space.nearness[[-1]].nnz == 0


def test_a_space_has_the_same_bits_in_any_number_of_threads(monkeypatch):
    X, _ = plant()
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        found.append(build_space(X))
    np.testing.assert_array_equal(found[0].features, found[1].features)
    assert (found[0].nearness != found[1].nearness).nnz == 0


@pytest.mark.parametrize("n_documents", [1, 2, 4])
def test_a_space_of_very_few_documents(n_documents):
    X, _ = plant()
    space = build_space(X[:n_documents])
    assert space.features.shape[0] == n_documents
    assert np.isfinite(space.features).all()


def test_weighed_terms_have_length_one():
    X, _ = plant()
    weighed = weigh_terms(X, np.ones(X.shape[1]))
    np.testing.assert_allclose(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel(), 1.0)
