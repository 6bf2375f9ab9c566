import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from wayword.errors import InputError
from wayword.models.start import make_start, start_from_documents, start_from_labels, start_from_svd

sizes = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 12))
seeds = st.integers(0, 2**32 - 1)
drawn = st.sampled_from(["nndsvda", "random", "acol"])


def draw(shape, seed, dtype=np.float64):
    X = np.random.default_rng(seed).poisson(1.5, shape).astype(dtype)
    X[0, 0] += 1
    return sparse.csr_matrix(X)


def start(X, n_topics, init, seed=0, **options):
    return make_start(X, n_topics, init, np.random.RandomState(seed), **options)


def naive_nndsvda(X, K):
    """Boutsidis and Gallopoulos, table 1, with zeros filled by the mean."""
    U, S, Vt = np.linalg.svd(X, full_matrices=False)
    W, H = np.zeros((len(X), K)), np.zeros((K, X.shape[1]))
    W[:, 0], H[0] = np.sqrt(S[0]) * np.abs(U[:, 0]), np.sqrt(S[0]) * np.abs(Vt[0])
    for k in range(1, K):
        parts = [(np.maximum(sign * U[:, k], 0), np.maximum(sign * Vt[k], 0)) for sign in (1, -1)]
        u, v = max(parts, key=lambda pair: np.linalg.norm(pair[0]) * np.linalg.norm(pair[1]))
        sigma = np.linalg.norm(u) * np.linalg.norm(v)
        W[:, k] = np.sqrt(S[k] * sigma) * u / np.linalg.norm(u)
        H[k] = np.sqrt(S[k] * sigma) * v / np.linalg.norm(v)
    W[W == 0] = H[H == 0] = X.mean()
    return W, H


@given(sizes, seeds, drawn, st.sampled_from([np.float32, np.float64]))
def test_every_start_is_above_zero_and_of_the_shape_and_precision_of_the_matrix(size, seed, init, dtype):
    D, V, K = size
    W, H = start(draw((D, V), seed, dtype), K, init, seed)
    assert W.shape == (D, K)
    assert H.shape == (K, V)
    for factor in (W, H):
        assert factor.dtype == dtype
        assert np.isfinite(factor).all()
        assert (factor > 0).all()


@given(sizes, seeds, drawn)
def test_the_same_seed_gives_the_same_bits(size, seed, init):
    X = draw(size[:2], seed)
    first, second = (start(X, size[2], init, seed) for _ in range(2))
    assert [factor.tobytes() for factor in first] == [factor.tobytes() for factor in second]


@given(st.integers(4, 9), st.integers(4, 9), st.integers(1, 4), seeds)
def test_the_singular_start_equals_its_twin(D, V, K, seed):
    X = np.random.default_rng(seed).uniform(0.5, 3.0, (D, V))
    W, H = start_from_svd(sparse.csr_matrix(X), K, np.random.RandomState(0))
    expected_W, expected_H = naive_nndsvda(X, K)
    np.testing.assert_allclose(W, expected_W, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(H, expected_H, rtol=1e-5, atol=1e-7)


@given(st.integers(3, 9), st.integers(3, 9), st.integers(1, 3), seeds)
def test_a_document_of_weight_two_starts_like_two(D, V, K, seed):
    X = np.random.default_rng(seed).uniform(0.5, 3.0, (D, V))
    weights = np.ones(D)
    weights[0] = 2.0
    W, H = start(sparse.csr_matrix(X), K, "nndsvda", weights=weights)
    W_twice, H_twice = start(sparse.csr_matrix(np.vstack([X, X[:1]])), K, "nndsvda")
    np.testing.assert_allclose(W, W_twice[:-1], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(H, H_twice, rtol=1e-5, atol=1e-7)


@given(st.integers(1, 20), st.integers(1, 9), st.integers(1, 4), seeds)
def test_topics_of_few_documents_are_the_mean_of_all(D, V, K, seed):
    X = draw((D, V), seed)
    W, H = start_from_documents(X, K, np.random.RandomState(seed))
    expected = X.toarray().mean(axis=0) + 0.01 * X.mean()
    np.testing.assert_allclose(H, np.tile(expected, (K, 1)), rtol=1e-9)
    assert ((W >= 0) & (W < 1)).all()


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 4), seeds, st.booleans())
def test_topics_of_labels_are_the_weighted_means_of_their_documents(D, V, C, seed, weighted):
    X = draw((D, V), seed)
    rng = np.random.default_rng(seed)
    indicator = rng.random((D, C)) < 0.5
    indicator[0] = True
    weights = rng.uniform(0.5, 3.0, D) if weighted else np.ones(D)
    found = start_from_labels(X, indicator, weights if weighted else None)
    dense = X.toarray()
    for label, topic in zip(indicator.T, found, strict=True):
        expected = np.average(dense[label], axis=0, weights=weights[label])
        expected += 0.01 * np.average(dense, axis=0, weights=weights)
        np.testing.assert_allclose(topic, expected, rtol=1e-9, atol=1e-12)


def test_topics_of_many_documents_are_means_of_twenty():
    X = sparse.csr_matrix(np.eye(100))
    _, H = start_from_documents(X, 3, np.random.RandomState(0))
    high = np.round(H - 0.01 * X.mean(), 9) == 0.05
    assert (high.sum(axis=1) == 20).all()
    assert len({row.tobytes() for row in high}) == 3


@pytest.mark.parametrize("init", ["random", "acol"])
def test_another_seed_draws_another_start(init):
    X = draw((50, 9), 0)
    assert (start(X, 3, init, 0)[0] != start(X, 3, init, 1)[0]).all()


def test_the_product_of_a_random_start_is_about_as_large_as_the_matrix():
    X = draw((60, 50), 1)
    W, H = start(X, 5, "random")
    assert 0.3 < (W @ H).mean() / X.mean() < 3


def test_topics_beyond_the_rank_start_apart():
    X = draw((3, 8), 2)
    W, H = start(X, 6, "nndsvda")
    assert len({row.tobytes() for row in W.T}) == 6
    assert np.isfinite(H).all()


def test_documents_of_weight_zero_do_not_move_the_singular_topics():
    X = np.random.default_rng(3).uniform(0.5, 3.0, (6, 5))
    W, H = start(sparse.csr_matrix(X), 2, "nndsvda", weights=np.array([1.0, 1, 1, 1, 1, 0]))
    _, expected = start(sparse.csr_matrix(X[:5]), 2, "nndsvda")
    np.testing.assert_allclose(H, expected, rtol=1e-6)
    assert (W[5] > 0).all()


@pytest.mark.parametrize("init", ["nndsvda", "random", "acol"])
def test_an_empty_matrix_has_a_finite_start(init):
    for factor in start(sparse.csr_matrix((4, 3)), 2, init):
        assert np.isfinite(factor).all()
        assert (factor >= 0).all()


def test_a_custom_start_is_taken_in_the_precision_of_the_matrix():
    X = draw((3, 4), 4, np.float32)
    W, H = start(X, 2, "custom", W=np.ones((3, 2)), H=[[1, 2, 3, 4], [5, 6, 7, 8]])
    assert W.dtype == H.dtype == np.float32
    assert H.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]


@pytest.mark.parametrize(
    ("W", "H", "message"),
    [
        (None, np.ones((2, 4)), "needs both W and H; W was not given"),
        (np.ones((3, 2)), None, "needs both W and H; H was not given"),
        (np.ones((3, 1)), np.ones((2, 4)), r"W must have shape \(3, 2\), got \(3, 1\)"),
        (np.ones((3, 2)), np.ones((4, 2)), r"H must have shape \(2, 4\), got \(4, 2\)"),
        (-np.ones((3, 2)), np.ones((2, 4)), "W must hold finite numbers of 0 or more"),
        (np.ones((3, 2)), np.full((2, 4), np.nan), "H must hold finite numbers of 0 or more"),
        (np.full((3, 2), np.inf), np.ones((2, 4)), "W must hold finite numbers of 0 or more"),
    ],
)
def test_a_custom_start_that_does_not_fit_is_an_error(W, H, message):
    with pytest.raises(InputError, match=message):
        start(draw((3, 4), 5), 2, "custom", W=W, H=H)


def test_the_rounding_of_singular_vectors_is_filled_like_zeros():
    # Which side of zero it falls on is chance, and multiplicative steps hardly leave it.
    rng = np.random.default_rng(0)
    X = np.zeros((20, 15))
    for rows, columns in ((slice(0, 6), slice(0, 5)), (slice(6, 13), slice(5, 10)), (slice(13, 20), slice(10, 15))):
        X[rows, columns] = rng.poisson(2.5, X[rows, columns].shape)
    for factor in start(sparse.csr_matrix(X), 3, "nndsvda"):
        assert factor.min() > 1e-6 * X.mean()
