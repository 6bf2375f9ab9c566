import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from wayword.models.fingerprints import are_known, find_fingerprints

counts = arrays.arrays(
    np.float64, st.tuples(st.integers(1, 12), st.integers(1, 6)), elements=st.sampled_from([0, 1, 2.5])
)


@given(counts)
def test_rows_have_the_same_fingerprint_if_and_only_if_they_are_the_same(X):
    found = find_fingerprints(sparse.csr_matrix(X))
    same = (X[:, None] == X[None]).all(axis=2)
    np.testing.assert_array_equal(found[:, None] == found[None], same)


@given(counts, st.randoms(use_true_random=False))
def test_precision_kept_zeros_and_the_order_of_columns_make_no_difference(X, random):
    places = [(row, column) for row, column in np.ndindex(X.shape)]
    random.shuffle(places)
    rows, columns = np.array(places).T
    order = np.argsort(rows, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(X)))])
    kept = sparse.csr_matrix((X[rows, columns][order].astype(np.float32), columns[order], ends), shape=X.shape)
    assert find_fingerprints(kept).tolist() == find_fingerprints(sparse.csr_matrix(X)).tolist()


def test_rows_of_another_matrix_are_known_again_and_others_are_not():
    X = sparse.random(4000, 300, 0.02, format="csr", random_state=0)
    known = np.unique(find_fingerprints(X[:2000]))
    empty = np.diff(X.indptr) == 0
    assert are_known(X[:2000], known).all()
    assert not are_known(X[2000:][~empty[2000:]], known).any()
