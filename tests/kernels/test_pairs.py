import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from wayword.matrix.cooccurrence import fill_lower, sum_pairs

counts = hnp.arrays(np.int64, st.tuples(st.integers(1, 8), st.integers(1, 150)), elements=st.integers(0, 3))


@given(counts, st.integers(0, 2**32 - 1))
def test_pairs_equal_the_dense_product(X, seed):
    weights = np.random.default_rng(seed).random(len(X))
    target = np.full((X.shape[1], X.shape[1]), np.nan)
    sum_pairs(sparse.csr_matrix(X, dtype=float), weights, target)
    fill_lower(target)
    expected = X.T @ np.diag(weights) @ X
    np.testing.assert_allclose(target, expected, rtol=1e-13, atol=0)
    sum_pairs(sparse.csr_matrix(X, dtype=float), weights, target, add=True)
    fill_lower(target)
    np.testing.assert_allclose(target, 2 * expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_pairs_are_the_same_bits_for_any_number_of_threads(monkeypatch, dtype):
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.poisson(0.2, (300, 500)).astype(float))
    results = []
    for threads in ("1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        target = np.zeros((500, 500), dtype=dtype)
        sum_pairs(X, np.full(300, 1 / 3), target)
        fill_lower(target)
        results.append(target)
    assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


def test_float32_sums_are_made_in_float64():
    # One large and many small: in float32 the small ones would vanish one by one.
    X = sparse.csr_matrix(np.ones((1001, 1)))
    weights = np.array([1e8, *[1.0] * 1000])
    target = np.zeros((1, 1), dtype=np.float32)
    sum_pairs(X, weights, target)
    assert target[0, 0] == np.float32(1e8 + 1000)
