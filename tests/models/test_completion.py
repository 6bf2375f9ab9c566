import pickle
import tracemalloc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive.completion import descend_known_rows, ridge_rows, shrink_singular_values, soft_impute, square_loss
from wayword.errors import InputError
from wayword.kernels.completion import Moves, update_known_rows, write_products
from wayword.models.completion import complete
from wayword.models.entries import Entries
from wayword.models.imputation import NuclearImputation, Point, Settings

sizes = st.tuples(st.integers(2, 8), st.integers(2, 8))
seeds = st.integers(0, 2**32 - 1)
# Every kind of fit: method, non_negative, offsets.
KINDS = [
    ("factors", True, False),
    ("factors", False, False),
    ("factors", False, True),
    ("nuclear", False, False),
    ("nuclear", False, True),
]
kinds = st.sampled_from(KINDS)


def draw(size, seed, *, share=0.6):
    """Return a matrix of both signs, and how much each entry counts; something is known."""
    rng = np.random.default_rng(seed)
    E = rng.integers(1, 4, size) * (rng.random(size) < share) / 2.0
    E[rng.integers(size[0]), rng.integers(size[1])] = 1.0
    return rng.standard_normal(size), E


def plant(shape, rank, *, noise=0.0, seed=0, positive=False):
    """Return a matrix of low rank, and the same with noise."""
    rng = np.random.default_rng(seed)
    if positive:
        M = rng.gamma(0.5, 1.0, (shape[0], rank)) @ rng.gamma(0.5, 1.0, (shape[1], rank)).T
    else:
        M = rng.standard_normal((shape[0], rank)) @ rng.standard_normal((shape[1], rank)).T / np.sqrt(rank)
    return M, M + noise * rng.standard_normal(shape)


def fit(X, E, n_components, kind, **options):
    method, non_negative, offsets = kind
    X = np.abs(X) if non_negative else X
    return complete(X, E, n_components, method=method, non_negative=non_negative, offsets=offsets, **options)


def cost(found, X, E, method, offset_shrinkage):
    """Return the objective, dense."""
    M = found.left @ found.right.T
    if method == "nuclear":
        norm = np.linalg.svd(M, compute_uv=False).sum()
    else:
        norm = 0.5 * ((found.left**2).sum() + (found.right**2).sum())
    offsets = (found.row_offsets**2).sum() + (found.column_offsets**2).sum()
    return square_loss(X, E, found.toarray()) + found.shrinkage * norm + 0.5 * offset_shrinkage * offsets


def same(a, b):
    """Whether two results agree to the last bit."""
    arrays = ("left", "right", "row_offsets", "column_offsets")
    return a.path == b.path and all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in arrays)


def update(X, E, W, H, moves):
    rows = sparse.csr_matrix(E)
    values = X[rows.tocoo().row, rows.indices]
    better = W.copy()
    update_known_rows(0, len(W), rows.indptr, rows.indices, values, rows.data, H, moves, better)
    return better


# --- kernels against their twins


@given(sizes, seeds, st.integers(1, 4), st.sampled_from([0.0, -np.inf]), st.sampled_from([0.0, 0.3]), st.integers(1, 3))
def test_rows_are_those_of_the_twin(size, seed, n_components, least, penalty, sweeps):
    X, E = draw(size, seed)
    rng = np.random.default_rng(seed)
    W, H = rng.random((size[0], n_components + 1)), rng.standard_normal((size[1], n_components + 1))
    # The last coordinate stays as it is, and is part of the model all the same.
    penalties = {k: penalty + 0.1 * k * (penalty > 0) for k in range(n_components)}
    moves = Moves(np.array(list(penalties)), np.array(list(penalties.values())), least, sweeps, -1.0)
    expected = descend_known_rows(X, E, W, H, penalties, least, sweeps)
    np.testing.assert_allclose(update(X, E, W, H, moves), expected, rtol=1e-7, atol=1e-9)


@given(sizes, seeds, st.integers(1, 3))
def test_sweeps_end_at_the_ridge_regression_of_each_row(size, seed, n_components):
    X, E = draw(size, seed)
    H = np.random.default_rng(seed).standard_normal((size[1], n_components))
    moves = Moves(np.arange(n_components), np.full(n_components, 0.5), -np.inf, 5000, 0.0)
    found = update(X, E, np.zeros((size[0], n_components)), H, moves)
    np.testing.assert_allclose(found, ridge_rows(X, E, H, 0.5), rtol=1e-5, atol=1e-7)


@given(sizes, seeds)
def test_an_entry_of_weight_two_is_two_entries(size, seed):
    X, E = draw(size, seed)
    W, H = np.zeros((size[0], 2)), np.random.default_rng(seed).standard_normal((size[1], 2))
    moves = Moves(np.arange(2), np.full(2, 0.5), -np.inf, 4, 0.01)
    once = sparse.csr_matrix((E > 0).astype(float))
    values = X[once.tocoo().row, once.indices]
    weighted, twice = W.copy(), W.copy()
    update_known_rows(0, len(W), once.indptr, once.indices, values, 2 * once.data, H, moves, weighted)
    doubled = (2 * once.indptr, np.repeat(once.indices, 2), np.repeat(values, 2), np.ones(2 * once.nnz))
    update_known_rows(0, len(W), *doubled, H, moves, twice)
    np.testing.assert_allclose(weighted, twice, rtol=1e-9, atol=1e-12)


@given(sizes, seeds)
def test_products_of_pairs_are_entries_of_the_product(size, seed):
    rng = np.random.default_rng(seed)
    left, right = rng.standard_normal((size[0], 3)), rng.standard_normal((size[1], 3))
    rows, columns = rng.integers(0, size[0], 20), rng.integers(0, size[1], 20)
    products = np.full(20, np.nan)
    write_products(5, 20, rows, columns, left, right, products)
    np.testing.assert_allclose(products[5:], (left @ right.T)[rows, columns][5:], rtol=1e-9, atol=1e-12)
    assert np.isnan(products[:5]).all()


# --- properties of the whole


@given(sizes, seeds, kinds, st.integers(1, 2), st.sampled_from([0.0, 0.1, 1.0]), st.sampled_from([1, 20]))
def test_objective_never_rises_and_is_that_of_the_result(size, seed, kind, n_components, shrinkage, max_iter):
    X, E = draw(size, seed)
    found = fit(X, E, n_components, kind, shrinkage=shrinkage, offset_shrinkage=0.7, max_iter=max_iter, tol=0.0)
    assert all(after <= before for before, after in pairwise(found.path))
    X = np.abs(X) if kind[1] else X
    assert found.path[-1] == pytest.approx(cost(found, X, E, kind[0], 0.7), rel=1e-7, abs=1e-9)
    assert not kind[1] or (found.left.min() >= 0 and found.right.min() >= 0)


@given(sizes, seeds, kinds)
def test_twice_the_weights_and_twice_the_shrinkage_is_the_same(size, seed, kind):
    X, E = draw(size, seed)
    once = fit(X, E, 2, kind, shrinkage=0.5, offset_shrinkage=1.0, max_iter=5, tol=0.0)
    twice = fit(X, 2 * E, 2, kind, shrinkage=1.0, offset_shrinkage=2.0, max_iter=5, tol=0.0)
    np.testing.assert_allclose(twice.toarray(), once.toarray(), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(twice.path, 2 * np.array(once.path), rtol=1e-9)


@given(sizes, seeds, kinds)
def test_permuted_rows_have_permuted_results(size, seed, kind):
    X, E = draw(size, seed)
    order = np.random.default_rng(seed).permutation(size[0])
    plain = fit(X, E, 2, kind, shrinkage=0.5, max_iter=3, tol=0.0)
    permuted = fit(X[order], E[order], 2, kind, shrinkage=0.5, max_iter=3, tol=0.0)
    np.testing.assert_allclose(permuted.toarray(), plain.toarray()[order], rtol=1e-5, atol=1e-7)


@given(sizes, seeds, st.sampled_from([0.1, 0.5, 2.0]))
def test_nuclear_with_everything_known_shrinks_the_singular_values(size, seed, shrinkage):
    X, _ = draw(size, seed)
    found = complete(X, None, min(size), method="nuclear", offsets=False, shrinkage=shrinkage, tol=1e-12)
    np.testing.assert_allclose(found.toarray(), shrink_singular_values(X, shrinkage), atol=1e-5)


@settings(max_examples=20)
@given(sizes, seeds)
def test_nuclear_is_soft_impute(size, seed):
    X, E = draw(size, seed)
    found = complete(X, E, min(size), method="nuclear", offsets=False, shrinkage=0.4, tol=1e-13, max_iter=5000)
    expected = soft_impute(X, E, 0.4, 5000)
    assert found.path[-1] == pytest.approx(cost(found, X, E, "nuclear", 0.0), rel=1e-9)
    best = square_loss(X, E, expected) + 0.4 * np.linalg.svd(expected, compute_uv=False).sum()
    assert found.path[-1] <= best * (1 + 1e-7) + 1e-9


@given(sizes, seeds, st.integers(1, 3), st.sampled_from([0.0, 0.5]))
def test_shrinking_makes_no_model_worse_however_little_of_the_matrix_is_seen(size, seed, rank, shrinkage):
    X, E = draw((size[0] + 3, size[1] + 3), seed)
    entries = Entries(X.shape, *np.nonzero(E), X[E > 0], E[E > 0])
    problem = replace(NuclearImputation.of(entries, Settings(3, False, False, 0.0, 1, 0.0)), shrinkage=shrinkage)
    U, values, Vt = np.linalg.svd(np.random.default_rng(seed).standard_normal(X.shape), full_matrices=False)
    left, right = U[:, :rank] * np.sqrt(values[:rank]), Vt[:rank].T * np.sqrt(values[:rank])
    none = problem.fit_offsets()
    point = Point(np.hstack([none.left, left]), np.hstack([none.right, right]), right)
    assert problem.objective(problem._shrink(point)) <= problem.objective(point) * (1 + 1e-12)


@settings(max_examples=20)
@given(sizes, seeds, kinds)
def test_the_chosen_shrinkage_given_gives_the_same_bits(size, seed, kind):
    X, E = draw((size[0] + 4, size[1] + 4), seed)
    chosen = fit(X, E, 2, kind, max_iter=10)
    assert same(fit(X, E, 2, kind, max_iter=10, shrinkage=chosen.shrinkage), chosen)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_bits_for_any_number_of_threads(monkeypatch, kind):
    X = plant((400, 250), 3, noise=0.1)[1]
    results = []
    for threads in ("1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        results.append(fit(X, None, 3, kind, shrinkage=1.0, max_iter=4))
    assert same(results[0], results[1])
    assert same(results[0], results[2])


def test_both_methods_find_the_same_minimum():
    X = plant((40, 30), 2, noise=0.1)[1]
    known = np.random.default_rng(1).random(X.shape) < 0.5
    factors, nuclear = (
        complete(X, known, 5, method=method, shrinkage=1.0, tol=1e-10) for method in ("factors", "nuclear")
    )
    assert factors.path[-1] == pytest.approx(nuclear.path[-1], rel=1e-6)
    np.testing.assert_allclose(factors.toarray(), nuclear.toarray(), atol=1e-2)


# --- recovery


def predict_by_means(X, known):
    """Return the sum of the mean and of what rows and columns are above it."""
    mean = X[known].mean()
    rows = np.where(known, X - mean, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    columns = np.where(known, X - mean - rows[:, None], 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return mean + rows[:, None] + columns


@pytest.mark.parametrize("kind", KINDS)
def test_planted_low_rank_is_recovered(kind):
    noise = 0.1
    M, X = plant((120, 80), 3, noise=noise, positive=kind[1])
    X = np.maximum(X, 0.0) if kind[1] else X
    known = np.random.default_rng(1).random(X.shape) < 0.4
    found = fit(X, known, 3, kind)
    error = found.rmse(M, ~known)
    assert error < noise
    assert error < 0.2 * np.sqrt(np.mean((predict_by_means(X, known) - M)[~known] ** 2))


@pytest.mark.parametrize("method", ["factors", "nuclear"])
def test_offsets_are_recovered(method):
    rng = np.random.default_rng(2)
    M = 3.0 + rng.standard_normal((100, 1)) + rng.standard_normal((1, 80)) + 0.5 * plant((100, 80), 2)[0]
    X = M + 0.2 * rng.standard_normal(M.shape)
    known = rng.random(M.shape) < 0.3
    found = complete(X, known, 2, method=method, offsets=True)
    without = complete(X, known, 2, method=method, offsets=False)
    assert found.rmse(M, ~known) < 0.2
    assert found.rmse(M, ~known) < 0.7 * without.rmse(M, ~known)
    assert np.corrcoef(found.row_offsets, M.mean(axis=1))[0, 1] > 0.95
    assert np.corrcoef(found.column_offsets, M.mean(axis=0))[0, 1] > 0.95


def test_noise_alone_is_shrunk_away():
    X = np.random.default_rng(3).standard_normal((60, 50))
    known = np.random.default_rng(4).random(X.shape) < 0.5
    found = complete(X, known, 5, method="nuclear", offsets=False)
    assert found.rmse(np.zeros_like(X), ~known) < 0.2


@pytest.mark.parametrize("n_components", [1, 3, 20])
def test_rank_one_is_recovered_exactly_by_a_tiny_shrinkage(n_components):
    rng = np.random.default_rng(0)
    M = np.outer(rng.random(30) + 0.5, rng.random(20) + 0.5)
    known = rng.random(M.shape) < 0.5
    options = {"method": "nuclear", "offsets": False, "shrinkage": 1e-7}
    found = complete(M, known, n_components, **options, tol=1e-12, max_iter=2000)
    np.testing.assert_allclose(found.toarray(), M, atol=1e-5)
    assert found.left.shape == (30, 1)


def test_the_nuclear_norm_is_not_the_rank():
    # Rank one says 4; the nuclear norm of [[1, 2], [2, x]] is sqrt(9 + x^2 + 2 |x - 4|), the least at 1.
    X = [[1.0, 2.0], [2.0, np.nan]]
    options = {"method": "nuclear", "offsets": False, "shrinkage": 1e-6, "tol": 1e-14, "max_iter": 5000}
    assert complete(X, None, 1, **options).predict(1, 1) == pytest.approx(4.0, abs=1e-3)
    assert complete(X, None, 2, **options).predict(1, 1) == pytest.approx(1.0, abs=1e-3)


def test_more_shrinkage_is_less_rank():
    X = plant((30, 20), 6, noise=0.1)[1]
    ranks = [complete(X, None, 10, method="nuclear", shrinkage=s).left.shape[1] for s in (0.5, 8.0, 1000.0)]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[0] > ranks[1] > ranks[2] == 0


@pytest.mark.parametrize("method", ["factors", "nuclear"])
def test_preferences_of_the_lecture_notes_are_filled_in(method):
    A = np.array([[1, np.nan, -1, np.nan], [0, -1, np.nan, 1], [np.nan, np.nan, np.nan, -1]])
    found = complete(A, None, 2, method=method)
    filled = found.toarray()
    assert np.isfinite(filled).all()
    assert found.rmse(A) < 0.2
    # User 3 and user 2 disagree about item 4, so they should about item 2.
    assert filled[2, 1] > filled[1, 1]
    assert (np.sign(filled)[[0, 0, 1, 1, 2], [0, 2, 1, 3, 3]] == [1, -1, -1, 1, -1]).all()


@pytest.mark.parametrize("method", ["factors", "nuclear"])
def test_a_matrix_too_large_to_be_dense_is_completed(method):
    rng = np.random.default_rng(5)
    D, V, n = 200_000, 50_000, 40_000
    left, right = rng.standard_normal(D), rng.standard_normal(V)
    # The first rows and columns are dense enough to be predicted; the others have an entry or none.
    rows = np.concatenate([rng.integers(0, 300, n - 10_000), rng.integers(0, D, 10_000)])
    columns = np.concatenate([rng.integers(0, 300, n - 10_000), rng.integers(0, V, 10_000)])
    known = sparse.csr_matrix((np.ones(n), (rows, columns)), shape=(D, V))
    known.data[:] = 1.0
    X = sparse.csr_matrix(known.multiply(left[:, None]).multiply(right[None, :]))
    tracemalloc.start()
    found = complete(X, known, 2, method=method, offsets=False, non_negative=False, shrinkage=5.0, max_iter=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300e6  # dense would be 80 GB
    assert found.shape == (D, V)
    rows, columns = np.divmod(np.arange(300 * 300), 300)
    truth = left[rows] * right[columns]
    assert np.sqrt(np.mean((found.predict(rows, columns) - truth) ** 2)) < 0.1 * truth.std()


# --- what counts as known


def test_every_way_to_say_what_is_known_is_the_same():
    X = plant((12, 9), 2)[0]
    known = np.random.default_rng(6).random(X.shape) < 0.6
    holes = np.where(known, X, np.nan)
    stored = sparse.csr_matrix(np.where(known, X, 0.0))
    expected = complete(X, known, 2, shrinkage=0.1)
    for values, mask in (
        (holes, None),
        (holes, known),
        (holes.tolist(), known.tolist()),
        (np.ma.masked_array(X, ~known), None),
        (stored, None),
        (stored.tocoo(), known),
        (sparse.csc_array(stored), sparse.coo_array(known)),
        (X, sparse.csr_matrix(known)),
        (X, known.astype(int)),
        (X, known.astype(np.float32)),
    ):
        assert same(complete(values, mask, 2, shrinkage=0.1), expected)


def test_a_zero_can_be_known():
    X = sparse.csr_matrix([[2.0, 0.0], [4.0, 0.0]])
    ones = np.ones((2, 2), dtype=bool)
    assert complete(X, ones, 1, shrinkage=0.0).predict(0, 1) == pytest.approx(0.0, abs=1e-9)
    explicit = sparse.csr_matrix((np.array([2.0, 0.0, 4.0, 0.0]), ([0, 0, 1, 1], [0, 1, 0, 1])), shape=(2, 2))
    assert explicit.nnz == 4
    assert same(complete(explicit, None, 1, shrinkage=0.0), complete(X, ones, 1, shrinkage=0.0))


def test_duplicates_of_a_sparse_matrix_are_added_up_and_those_of_a_mask_are_not():
    twice = sparse.coo_matrix((np.array([1.0, 2.0, 5.0]), ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    mask = sparse.coo_matrix((np.array([True, True, True]), ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    expected = complete([[3.0, 0.0], [0.0, 5.0]], np.eye(2, dtype=bool), 1, shrinkage=0.1)
    assert same(complete(twice, mask, 1, shrinkage=0.1), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_columns_with_nothing_known_have_offsets_only(kind):
    X = plant((20, 15), 2, positive=kind[1])[0]
    known = np.random.default_rng(7).random(X.shape) < 0.7
    known[3], known[:, 4] = False, False
    found = fit(X, known, 2, kind)
    assert not found.left[3].any()
    assert not found.right[4].any()
    assert found.row_offsets[3] == found.column_offsets[4] == 0.0
    assert found.predict(3, 4) == found.mean
    np.testing.assert_array_equal(found.toarray()[3], found.mean + found.column_offsets)
    assert kind[2] or found.mean == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_a_single_known_entry_is_enough(kind):
    X = np.full((3, 4), np.nan)
    X[1, 2] = 2.0
    found = fit(X, None, 2, kind)
    assert found.predict(1, 2) == pytest.approx(2.0, abs=0.3)
    assert np.isfinite(found.toarray()).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_constant_and_a_zero_matrix_are_themselves(kind):
    for value in (0.0, 3.0):
        found = fit(np.full((6, 5), value), None, 2, kind, tol=1e-9)
        np.testing.assert_allclose(found.toarray(), value, atol=0.05)


def test_what_is_given_is_left_alone():
    X = sparse.random(8, 6, 0.6, format="csr", random_state=0)
    known = sparse.csr_matrix(X > 0.2, dtype=float)
    known.data[0] = 0.0
    # Unsorted, and with an entry twice.
    untidy = sparse.csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), np.array([0, 3, 3])), shape=(2, 2))
    before = pickle.dumps((X, known, untidy.data, untidy.indices))
    complete(X, known, 2)
    complete(untidy, None, 1)
    complete(np.ones((2, 2)), untidy, 1)
    assert pickle.dumps((X, known, untidy.data, untidy.indices)) == before


# --- settings and results


def test_signs_and_offsets_by_default():
    positive, either = plant((12, 10), 2, positive=True)[0], plant((12, 10), 2)[0]
    options = {"shrinkage": 0.1, "max_iter": 20}
    assert complete(positive, None, 2, **options).left.min() >= 0
    assert complete(positive, None, 2, **options).mean == 0.0
    assert complete(either, None, 2, **options).mean == pytest.approx(either.mean())
    assert complete(positive, None, 2, offsets=True, **options).mean == pytest.approx(positive.mean())
    assert complete(positive, None, 2, method="nuclear", **options).mean == pytest.approx(positive.mean())
    # Only what is known decides.
    assert complete(np.where(either < 0, np.nan, either), None, 2, **options).left.min() >= 0


def test_mean_is_weighted():
    found = complete([[1.0, 4.0]], [[3.0, 1.0]], 1, offsets=True)
    assert found.mean == pytest.approx(1.75)


def test_it_stops_when_settled_or_told_to_or_out_of_iterations():
    X = plant((30, 20), 2, noise=0.3)[1]
    assert complete(X, None, 2, shrinkage=0.1).converged
    assert not complete(X, None, 2, shrinkage=0.1, tol=0.0, max_iter=3).converged
    seen = []
    stopped = complete(
        X,
        None,
        2,
        shrinkage=0.1,
        tol=0.0,
        callback=lambda iteration, objective: seen.append(objective) or iteration == 3,
    )
    assert tuple(seen) == stopped.path[1:]
    assert len(seen) == 3
    assert not stopped.converged


@pytest.mark.parametrize("kind", KINDS)
def test_the_random_state_decides(kind):
    X, E = draw((15, 12), 8)
    assert same(fit(X, E, 2, kind), fit(X, E, 2, kind, random_state=0))
    assert same(fit(X, E, 2, kind, random_state=np.random.RandomState(0)), fit(X, E, 2, kind))
    assert not same(fit(X, E, 2, kind, random_state=1, shrinkage=0.5), fit(X, E, 2, kind, shrinkage=0.5))


def test_entries_are_predicted_one_by_one_and_together():
    X = plant((6, 5), 2)[0]
    found = complete(X, None, 2)
    dense = found.toarray()
    assert found.shape == dense.shape == (6, 5)
    np.testing.assert_allclose(found.predict(*np.indices((6, 5))), dense, atol=1e-12)
    np.testing.assert_allclose(found.predict(2, [0, 4]), dense[2, [0, 4]], atol=1e-12)
    assert found.predict(2, 3).shape == ()
    assert found.predict([], []).shape == (0,)
    assert repr(found) == "<Completion of 6 x 5 entries, rank 2>"


def test_rmse_is_the_same_for_a_mask_and_for_rows_and_columns():
    X = plant((12, 9), 2, noise=0.5)[1]
    held = np.random.default_rng(9).random(X.shape) < 0.3
    found = complete(X, ~held, 2)
    expected = np.sqrt(np.mean((found.toarray() - X)[held] ** 2))
    stored = sparse.csr_matrix(np.where(held, X, 0.0))
    for values, held_out in (
        (X, held),
        (X, sparse.coo_matrix(held)),
        (X, np.nonzero(held)),
        (stored, None),
        (np.where(held, X, np.nan), None),
        (sparse.csr_matrix(X), tuple(map(list, np.nonzero(held)))),
    ):
        assert found.rmse(values, held_out) == pytest.approx(expected, rel=1e-12)
    assert found.rmse(X, ([0], [0])) == pytest.approx(abs(X[0, 0] - found.predict(0, 0)))


# --- bad input

GOOD = np.arange(12.0).reshape(3, 4)
HOLES = np.where(np.eye(3, 4) > 0, np.nan, GOOD)


@pytest.mark.parametrize(
    ("X", "known", "options", "message"),
    [
        (GOOD[0], None, {}, "matrix with rows and columns, got shape"),
        (np.zeros((0, 4)), None, {}, "matrix with rows and columns, got shape"),
        ([["a", "b"]], None, {}, "real numbers"),
        ([[1.0, {}]], None, {}, "real numbers"),
        ([[1.0], [1.0, 2.0]], None, {}, "real numbers"),
        (GOOD * 1j, None, {}, "real numbers"),
        (sparse.csr_matrix(GOOD * 1j), None, {}, "real numbers"),
        (GOOD, np.ones((4, 3), dtype=bool), {}, r"shape of X, \(3, 4\), got \(4, 3\)"),
        (GOOD, np.ones(12, dtype=bool), {}, "known must be a matrix"),
        (GOOD, -np.ones((3, 4)), {}, "weights of 0 or more"),
        (GOOD, np.full((3, 4), np.nan), {}, "finite weights"),
        (GOOD, np.full((3, 4), np.inf), {}, "finite weights"),
        (GOOD, np.zeros((3, 4), dtype=bool), {}, "not one entry of X is known"),
        (np.full((3, 4), np.nan), None, {}, "not one entry of X is known"),
        (sparse.csr_matrix((3, 4)), None, {}, "not one entry of X is known"),
        (HOLES, np.ones((3, 4)), {}, "got nan at row 0, column 0"),
        (sparse.csr_matrix(HOLES), None, {}, "got nan at row 0, column 0"),
        (np.where(GOOD == 6, np.inf, GOOD), None, {}, "got inf at row 1, column 2"),
        (GOOD - 1, None, {"non_negative": True}, "entries of 0 or more, got -1; use non_negative=False"),
        (GOOD, None, {"non_negative": True, "offsets": True}, "offsets=True needs factors of either sign"),
        (GOOD, None, {"non_negative": True, "method": "nuclear"}, "cannot keep factors non-negative"),
        (GOOD, None, {"non_negative": "yes"}, "non_negative must be one of"),
        (GOOD, None, {"offsets": "yes"}, "offsets must be one of"),
        (GOOD, None, {"method": "svd"}, "method must be one of 'factors', 'nuclear', got 'svd'"),
        (GOOD, None, {"n_components": 0}, "n_components must be a whole number of 1 or more, got 0"),
        (GOOD, None, {"n_components": 1.5}, "n_components must be a whole number"),
        (GOOD, None, {"n_components": 4}, r"at most 3, for X of shape \(3, 4\), got 4"),
        (GOOD, None, {"shrinkage": -1.0}, "shrinkage must be a number of 0 or more, got -1"),
        (GOOD, None, {"shrinkage": np.nan}, "shrinkage must be a number of 0 or more"),
        (GOOD, None, {"offset_shrinkage": -1.0}, "offset_shrinkage must be a number of 0 or more"),
        (GOOD, None, {"offset_shrinkage": None}, "offset_shrinkage must be a number of 0 or more"),
        (GOOD, None, {"tol": -1.0}, "tol must be a number of 0 or more"),
        (GOOD, None, {"max_iter": 0}, "max_iter must be a whole number of 1 or more"),
    ],
)
def test_bad_input_is_explained(X, known, options, message):
    with pytest.raises(InputError, match=message):
        complete(X, known, **{"n_components": 2, **options})


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        ([0, 1], [0, 1, 2], "rows and columns must go together"),
        ([3], [0], "rows must be whole numbers from 0 to 2"),
        ([-1], [0], "rows must be whole numbers from 0 to 2"),
        ([0], [4], "columns must be whole numbers from 0 to 3"),
        ([0.5], [0], "rows must be whole numbers"),
        ([True], [0], "rows must be whole numbers"),
    ],
)
def test_bad_places_are_explained(rows, columns, message):
    found = complete(GOOD, None, 1, shrinkage=0.1)
    with pytest.raises(InputError, match=message):
        found.predict(rows, columns)
    with pytest.raises(InputError, match=message):
        found.rmse(GOOD, (rows, columns))


def test_bad_held_out_entries_are_explained():
    found = complete(GOOD, None, 1, shrinkage=0.1)
    with pytest.raises(InputError, match=r"shape of the matrix that was completed, \(3, 4\), got \(4, 3\)"):
        found.rmse(GOOD.T)
    with pytest.raises(InputError, match="held_out must have the shape of X"):
        found.rmse(GOOD, np.ones((4, 3)))
    with pytest.raises(InputError, match="tuple of rows and columns, got 3 parts"):
        found.rmse(GOOD, ([0], [0], [0]))
    with pytest.raises(InputError, match="not one entry"):
        found.rmse(GOOD, ([], []))
    with pytest.raises(InputError, match="got nan at row 0, column 0"):
        found.rmse(HOLES, ([0], [0]))
