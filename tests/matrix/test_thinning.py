import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from wayword.matrix.thinning import thin

seeds = st.integers(0, 2**32 - 1)
sizes = st.tuples(st.integers(1, 6), st.integers(1, 6))
precisions = st.sampled_from([np.float32, np.float64])


def draw(size, seed, dtype=np.float64, *, whole=True):
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.5, size).astype(dtype)
    return sparse.csr_matrix(X if whole else X * rng.uniform(0.1, 1.0, size).astype(dtype))


def split(X, seed=0):
    return thin(X, np.random.RandomState(seed))


@given(sizes, seeds, precisions, st.booleans())
def test_the_halves_add_up_and_hold_no_zeros(size, seed, dtype, whole):
    X = draw(size, seed, dtype, whole=whole)
    before = X.copy()
    halves = split(X, seed)
    assert (sum(half.toarray() for half in halves) == X.toarray()).all()
    for half in halves:
        assert half.dtype == dtype
        assert half.shape == X.shape
        assert (half.data > 0).all()
    assert (before != X).nnz == 0


@given(sizes, seeds)
def test_whole_counts_stay_whole(size, seed):
    for half in split(draw(size, seed), seed):
        assert (half.data == np.floor(half.data)).all()


@given(sizes, seeds)
def test_other_numbers_fall_on_one_side_each(size, seed):
    X = draw(size, seed, whole=False).toarray()
    X[0, 0] = 0.5
    X = sparse.csr_matrix(X)
    seen, held = (half.toarray() for half in split(X, seed))
    assert ((seen == 0) | (held == 0)).all()
    assert ((seen == X.toarray()) | (held == X.toarray())).all()


@pytest.mark.parametrize("whole", [True, False])
def test_each_half_is_half_on_average(whole):
    X = draw((200, 200), 1, whole=whole)
    seen, held = split(X)
    assert seen.sum() == pytest.approx(X.sum() / 2, rel=0.02)
    assert held.sum() == pytest.approx(X.sum() / 2, rel=0.02)


def test_the_same_seed_splits_the_same_way_and_another_does_not():
    X = draw((20, 20), 2)
    assert (split(X, 3)[0] != split(X, 3)[0]).nnz == 0
    assert (split(X, 3)[0] != split(X, 4)[0]).nnz > 0


def test_nothing_is_split_into_nothing():
    seen, held = split(sparse.csr_matrix((3, 4)))
    assert seen.nnz == held.nnz == 0


def test_counts_beyond_whole_machine_numbers_are_split():
    seen, held = split(sparse.csr_matrix([[1e20, 3.0]]))
    np.testing.assert_allclose((seen + held).toarray(), [[1e20, 3.0]])
