import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from naive.factor import (
    descend_weights_squares,
    kl_objective,
    multiply_topics,
    multiply_topics_squares,
    multiply_weights,
    multiply_weights_squares,
    newton_weights,
    plsa_step,
    square_objective,
)
from wayword.kernels.factor import (
    Limits,
    Quadratic,
    multiply_rows,
    residual_kl_rows,
    residual_square_rows,
    update_kl_rows,
    update_square_rows,
)
from wayword.kernels.threads import map_in_order

FREE = Limits()
NOTHING = Quadratic()
sizes = st.tuples(st.integers(1, 6), st.integers(1, 7), st.integers(1, 4))
seeds = st.integers(0, 2**32 - 1)


def draw(size, seed, *, zeros=0.0, density=0.6):
    """Return counts and factors; a share of the weights is zero, and no model entry is."""
    D, V, K = size
    rng = np.random.default_rng(seed)
    X = rng.poisson(2.0, (D, V)) * (rng.random((D, V)) < density)
    W = rng.random((D, K)) * (rng.random((D, K)) >= zeros)
    return X.astype(float), W, rng.random((K, V)) + 0.01


def arrays(X):
    rows = sparse.csr_matrix(X)
    return rows.indptr, rows.indices, rows.data


def improve(X, W, H, *, newton=True, quadratic=NOTHING, dtype=np.float64, **limits):
    other, factor = np.ascontiguousarray(H.T.astype(dtype)), W.astype(dtype)
    rest = (H.sum(axis=1), Limits(**limits), quadratic, newton, factor)
    update_kl_rows(0, len(W), *arrays(X.astype(dtype)), other, *rest)
    return factor


@given(sizes, seeds)
def test_multiplicative_step_is_equation_3_9(size, seed):
    X, W, H = draw(size, seed)
    np.testing.assert_allclose(improve(X, W, H, newton=False), multiply_weights(X, W, H), rtol=1e-12)


@given(sizes, seeds)
def test_transposed_it_is_equation_3_8(size, seed):
    X, W, H = draw(size, seed)
    W += 0.01
    np.testing.assert_allclose(improve(X.T, H.T, W.T, newton=False).T, multiply_topics(X, W, H), rtol=1e-12)


@given(sizes, seeds, st.floats(0, 0.7))
def test_newton_sweep_equals_its_twin(size, seed, zeros):
    X, W, H = draw(size, seed, zeros=zeros)
    W += (W.sum(axis=1, keepdims=True) == 0) * 0.5
    np.testing.assert_allclose(improve(X, W, H), newton_weights(X, W, H), rtol=1e-8, atol=1e-12)


@given(sizes, seeds, st.booleans())
def test_masked_rows_equal_their_twins_and_stay_zero(size, seed, newton):
    X, W, H = draw(size, seed)
    mask = np.random.default_rng(seed).random(W.shape) < 0.6
    mask[:, 0] |= ~mask.any(axis=1)
    twin = newton_weights if newton else multiply_weights
    found = improve(X, W, H, mask=mask, newton=newton)
    np.testing.assert_allclose(found, twin(X, W, H, mask.astype(float)), rtol=1e-8, atol=1e-12)
    assert (found[~mask] == 0).all()


@given(sizes, seeds, st.booleans(), st.sampled_from([0.0, 0.3]), st.sampled_from([0.0, 0.5]), st.floats(0, 0.9))
def test_objective_never_rises(size, seed, newton, l1, l2, zeros):
    X, W, H = draw(size, seed, zeros=zeros)
    X *= np.random.default_rng(seed).choice([1e-3, 1.0, 1e3], size=X.shape)
    objective = kl_objective(X, W, H, l1, l2)
    for _ in range(5):
        W = improve(X, W, H, newton=newton, l1=l1, l2=l2)
        assert (W >= 0).all()
        fallen = kl_objective(X, W, H, l1, l2)
        assert fallen <= objective + 1e-9 * max(1.0, abs(objective)) or np.isinf(objective)
        objective = fallen


@settings(max_examples=15)
@given(sizes, seeds)
def test_newton_sweeps_find_the_minimum(size, seed):
    X, W, H = draw(size, seed)
    W += 0.1
    for _ in range(3000):
        W = improve(X, W, H)
    # A general solver knows no better mixture for any document.
    for x, w in zip(X, W, strict=True):
        best = optimize.minimize(
            lambda a, x=x: kl_objective(x[None], a[None], H), np.full(len(w), 0.5), bounds=[(1e-12, None)] * len(w)
        )
        assert kl_objective(x[None], w[None], H) <= best.fun + 1e-6 * (1 + abs(best.fun))


@given(sizes, seeds, st.booleans())
def test_permuting_documents_permutes_their_weights(size, seed, newton):
    X, W, H = draw(size, seed)
    order = np.random.default_rng(seed).permutation(len(X))
    assert (improve(X[order], W[order], H, newton=newton) == improve(X, W, H, newton=newton)[order]).all()


@given(sizes, seeds)
def test_a_document_of_weight_two_counts_like_two_for_the_topics(size, seed):
    X, W, H = draw(size, seed)
    W += 0.01
    weights = np.ones(len(X))
    weights[0] = 2.0
    twice = np.vstack([X, X[:1]]), np.vstack([W, W[:1]])
    found = H.T.copy()
    rows = arrays((weights[:, None] * X).T)
    update_kl_rows(0, len(found), *rows, W, weights @ W, FREE, NOTHING, True, found)
    np.testing.assert_allclose(found, improve(twice[0].T, H.T, twice[1].T), rtol=1e-9, atol=1e-12)


@given(sizes, seeds)
def test_rescaled_steps_are_expectation_maximisation_of_plsa(size, seed):
    X, W, H = draw(size, seed, density=1.0)
    X += 1
    W = (W + 0.01) / (W + 0.01).sum(axis=1, keepdims=True)
    H = H / H.sum(axis=1, keepdims=True)
    topics, terms = plsa_step(X, W, H)
    # PLSA's document sums are free, so its topics see documents at their own length.
    lengths = X.sum(axis=1, keepdims=True)
    found_topics = improve(X, W * lengths, H, newton=False)
    found_terms = improve(X.T, H.T, (W * lengths).T, newton=False).T
    np.testing.assert_allclose(found_topics / found_topics.sum(axis=1, keepdims=True), topics, rtol=1e-9)
    np.testing.assert_allclose(found_terms / found_terms.sum(axis=1, keepdims=True), terms, rtol=1e-9)


@pytest.mark.parametrize("newton", [True, False])
def test_single_precision_finds_the_same(newton):
    X, W, H = draw((30, 40, 5), 0)
    single = improve(X, W, H, newton=newton, dtype=np.float32)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, improve(X, W, H, newton=newton), rtol=2e-3, atol=1e-5)


def test_empty_rows_get_no_weight():
    X, W, H = draw((3, 4, 2), 1)
    X[1] = 0
    for newton in (True, False):
        assert (improve(X, W, H, newton=newton)[1] == 0).all()


def test_a_row_that_uses_nothing_comes_alive_under_newton():
    X, W, H = draw((2, 5, 3), 2)
    W[0] = 0
    assert improve(X, W, H)[0].sum() > 0


@pytest.mark.parametrize("newton", [True, False])
def test_same_bits_for_any_number_of_threads(newton):
    X, W, H = draw((200, 60, 8), 3, density=0.3)
    rows, other, sums = arrays(X), np.ascontiguousarray(H.T), H.sum(axis=1)
    pieces = [(first, min(first + 16, 200)) for first in range(0, 200, 16)]
    results = []
    for threads in (1, 2, 8):
        factor = W.copy()

        def update(piece, factor=factor):
            update_kl_rows(*piece, *rows, other, sums, FREE, NOTHING, newton, factor)

        list(map_in_order(update, pieces, threads=threads))
        results.append(factor.tobytes())
    assert len(set(results)) == 1


def improve_squares(X, W, H, *, newton=True, sweeps=1, weights=None, **limits):
    other = H.T.copy()
    weighted = other if weights is None else weights[:, None] * other
    products = np.empty((len(W), H.shape[0]))
    multiply_rows(0, len(W), *arrays(X), weighted, products)
    factor = W.copy()
    update_square_rows(0, len(W), products, other.T @ weighted, Limits(**limits), newton, sweeps, 0.01, factor)
    return factor


@given(sizes, seeds)
def test_products_equal_the_dense_ones(size, seed):
    X, W, H = draw(size, seed)
    products = np.full(W.shape, np.nan)
    multiply_rows(0, len(W), *arrays(X), H.T.copy(), products)
    np.testing.assert_allclose(products, X @ H.T, rtol=1e-12)


@given(sizes, seeds)
def test_multiplicative_squares_are_equations_9_and_10(size, seed):
    X, W, H = draw(size, seed)
    W += 0.01
    np.testing.assert_allclose(improve_squares(X, W, H, newton=False), multiply_weights_squares(X, W, H), rtol=1e-10)
    found = improve_squares(X.T, H.T, W.T, newton=False).T
    np.testing.assert_allclose(found, multiply_topics_squares(X, W, H), rtol=1e-10)


@given(sizes, seeds)
def test_weighted_squares_are_equation_16(size, seed):
    X, W, H = draw(size, seed)
    W += 0.01
    weights = np.random.default_rng(seed).uniform(0.5, 3.0, len(X))
    found = improve_squares(X.T, H.T, W.T, newton=False, weights=weights).T
    expected = multiply_topics_squares(X, W, H, E=np.repeat(weights[:, None], X.shape[1], axis=1))
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@given(sizes, seeds, st.booleans())
def test_masked_squares_equal_their_twins_and_stay_zero(size, seed, newton):
    X, W, H = draw(size, seed)
    W += 0.01
    mask = np.random.default_rng(seed).random(W.shape) < 0.6
    mask[:, 0] |= ~mask.any(axis=1)
    twin = descend_weights_squares if newton else multiply_weights_squares
    found = improve_squares(X, W, H, mask=mask, newton=newton)
    np.testing.assert_allclose(found, twin(X, W, H, mask.astype(float)), rtol=1e-8, atol=1e-12)
    assert (found[~mask] == 0).all()


@given(sizes, seeds, st.booleans(), st.sampled_from([0.0, 0.3]), st.sampled_from([0.0, 0.5]), st.integers(1, 4))
def test_squared_distance_never_rises(size, seed, newton, l1, l2, sweeps):
    X, W, H = draw(size, seed, zeros=0.3)
    objective = square_objective(X, W, H, l1, l2)
    for _ in range(5):
        W = improve_squares(X, W, H, newton=newton, l1=l1, l2=l2, sweeps=sweeps)
        assert (W >= 0).all()
        fallen = square_objective(X, W, H, l1, l2)
        assert fallen <= objective + 1e-9 * max(1.0, abs(objective))
        objective = fallen


@given(sizes, seeds)
def test_many_sweeps_find_the_non_negative_least_squares(size, seed):
    X, W, H = draw(size, seed)
    for _ in range(400):
        W = improve_squares(X, W, H, sweeps=10)
    for x, w in zip(X, W, strict=True):
        _, distance = optimize.nnls(H.T, x)
        assert np.linalg.norm(x - w @ H) <= distance + 1e-5 * (1 + distance)
