from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from naive.factor import (
    descend_weights_squares,
    kl_objective,
    kl_residual,
    minimise_row,
    multiply_penalised_squares,
    multiply_topics,
    multiply_topics_squares,
    multiply_weights,
    multiply_weights_squares,
    plsa_step,
    rows_of,
    square_objective,
    square_residual,
    step_weights,
)
from wayword.kernels.factor import (
    Limits,
    Quadratic,
    multiply_rows,
    residual_kl_rows,
    residual_square_rows,
    solve_kl_rows,
    step_kl_rows,
    update_kl_rows,
    update_square_rows,
)
from wayword.kernels.threads import map_in_order

FREE = Limits()
NOTHING = Quadratic()
sizes = st.tuples(st.integers(1, 6), st.integers(1, 7), st.integers(1, 4))
seeds = st.integers(0, 2**32 - 1)
l1s, l2s = st.sampled_from([0.0, 0.3]), st.sampled_from([0.0, 0.5])


def draw(size, seed, *, zeros=0.0, density=0.6, gaps=0.0):
    """Return counts and factors; a share of the weights is zero, but no row of them.

    Without gaps no model entry is zero; a share of gaps in the topics leaves entries that nothing explains.
    """
    D, V, K = size
    rng = np.random.default_rng(seed)
    X = rng.poisson(2.0, (D, V)) * (rng.random((D, V)) < density)
    W = rng.random((D, K)) * (rng.random((D, K)) >= zeros)
    W[:, 0] += 0.5 * (W.sum(axis=1) == 0)
    return X.astype(float), W, (rng.random((K, V)) + 0.01) * (rng.random((K, V)) >= gaps)


def draw_mask(W, seed):
    """Return which topics each row may use, one or more of those in use among them."""
    mask = np.random.default_rng(seed).random(W.shape) < 0.6
    mask[np.arange(len(W)), W.argmax(axis=1)] |= (W * mask).sum(axis=1) == 0
    return mask


def draw_supervised(size, seed):
    """Return counts, factors and a mask under which every document has a topic and every topic a document."""
    X, W, H = draw(size, seed)
    S = draw_mask(W, seed)
    S[0] = True
    return X, W + 0.01, H, S


def draw_quadratic(W, seed):
    """Return what a row's labels Y, about W B, add to its objective."""
    rng = np.random.default_rng(seed)
    Y, B = 3 * rng.random((len(W), 3)), rng.random((W.shape[1], 3))
    return Quadratic(Y @ B.T, B @ B.T)


def draw_fixed(W, seed):
    rng = np.random.default_rng(seed)
    return rng.random(len(W)) < 0.3, rng.random(W.shape[1]) < 0.4


def arrays(X):
    rows = sparse.csr_matrix(X)
    return rows.indptr, rows.indices, rows.data


def arrays_with_zeros(X):
    """Return compressed rows that hold every entry, zeros too."""
    D, V = X.shape
    return np.arange(0, X.size + 1, V, dtype=np.int32), np.tile(np.arange(V, dtype=np.int32), D), X.ravel()


def improve(X, W, H, *, newton=True, quadratic=NOTHING, dtype=np.float64, times=1, compress=arrays, **limits):
    other, factor = np.array(H.T, dtype, order="C"), np.array(W, dtype, order="C")
    rest = (H.sum(axis=1), Limits(**limits), quadratic, newton, factor)
    rows = compress(X.astype(dtype))
    for _ in range(times):
        update_kl_rows(0, len(W), *rows, other, *rest)
    return factor


def improve_squares(X, W, H, *, newton=True, sweeps=1, weights=None, times=1, compress=arrays, **limits):
    other = np.array(H.T, order="C")
    weighted = other if weights is None else weights[:, None] * other
    products, factor = np.empty(W.shape), np.array(W, order="C")
    multiply_rows(0, len(W), *compress(X), weighted, products)
    rest = (products, other.T @ weighted, Limits(**limits), newton, sweeps, 0.01, factor)
    for _ in range(times):
        update_square_rows(0, len(W), *rest)
    return factor


def solve(X, H, *, dtype=np.float64, first=0, last=None, compress=arrays, sweeps=20_000, **limits):
    # Whatever the array held is gone.
    factor = np.full((len(X), len(H)), np.nan, dtype=dtype)
    other = np.array(H.T, dtype, order="C")
    rest = (other, H.sum(axis=0), H.sum(axis=1), Limits(**limits), sweeps, 1e-12, factor)
    solve_kl_rows(first, len(X) if last is None else last, *compress(X.astype(dtype)), *rest)
    return factor


def residual(X, W, H, *, quadratic=NOTHING, weights=None, **limits):
    rest = (np.array(H.T, order="C"), H.sum(axis=1), Limits(**limits), quadratic, W, weights)
    return residual_kl_rows(0, len(W), *arrays(X), *rest)


def residual_squares(X, W, H, *, weights=None, **limits):
    return residual_square_rows(0, len(W), X @ H.T, H @ H.T, H.sum(axis=1), Limits(**limits), W, weights)


# Every kernel that takes a step, and what it lowers.
KERNELS = {
    "kl newton": (improve, kl_objective),
    "kl multiply": (partial(improve, newton=False), kl_objective),
    "squares newton": (improve_squares, square_objective),
    "squares multiply": (partial(improve_squares, newton=False), square_objective),
}
kernels = st.sampled_from(list(KERNELS))
magnitudes = st.sampled_from([1e-3, 1.0, 1e3])


@given(sizes, seeds, kernels, magnitudes, l1s, l2s, st.floats(0, 0.9))
def test_objective_never_rises(size, seed, kernel, magnitude, l1, l2, zeros):
    X, W, H = draw(size, seed, zeros=zeros)
    X *= magnitude
    step, objective = KERNELS[kernel]
    mask = draw_mask(W, seed)
    W *= mask
    before = objective(X, W, H, l1, l2)
    for _ in range(5):
        W = step(X, W, H, l1=l1, l2=l2, mask=mask)
        assert (W >= 0).all()
        assert (W[~mask] == 0).all()
        after = objective(X, W, H, l1, l2)
        assert after <= before + 1e-10 * (abs(before) + X.sum())
        before = after


@given(sizes, seeds, st.booleans(), l1s, l2s, st.floats(0, 0.9))
def test_objective_never_rises_for_entries_of_all_magnitudes_at_once(size, seed, newton, l1, l2, zeros):
    X, W, H = draw(size, seed, zeros=zeros)
    X *= np.random.default_rng(seed).choice([1e-3, 1.0, 1e3], size=X.shape)
    before = kl_objective(X, W, H, l1, l2)
    for _ in range(5):
        W = improve(X, W, H, newton=newton, l1=l1, l2=l2)
        after = kl_objective(X, W, H, l1, l2)
        assert after <= before + 1e-10 * (abs(before) + X.sum())
        before = after


@given(sizes, seeds, st.booleans(), magnitudes, l1s, l2s, st.floats(0, 0.9))
def test_objective_with_a_quadratic_never_rises(size, seed, newton, magnitude, l1, l2, zeros):
    X, W, H = draw(size, seed, zeros=zeros)
    X *= magnitude
    quadratic = draw_quadratic(W, seed)
    rows = list(rows_of(X, H, l1=l1, l2=l2, G=quadratic.gram, P=quadratic.products))
    for _ in range(5):
        before, W = W, improve(X, W, H, newton=newton, quadratic=quadratic, l1=l1, l2=l2)
        assert (W >= 0).all()
        for row, old, new in zip(rows, before, W, strict=True):
            slack = 1e-10 * (abs(row.objective(old)) + row.x.sum() + row.p.sum())
            assert row.objective(new) <= row.objective(old) + slack


@given(sizes, seeds, kernels, st.booleans())
def test_what_is_fixed_keeps_its_bits_and_the_objective_never_rises(size, seed, kernel, masked):
    X, W, H = draw(size, seed, zeros=0.3)
    step, objective = KERNELS[kernel]
    rows, topics = draw_fixed(W, seed)
    limits = {"fixed_rows": rows, "fixed_topics": topics}
    if masked:
        # A weight that is fixed is allowed.
        limits["mask"] = draw_mask(W, seed) | rows[:, None] | topics
        W *= limits["mask"]
    for _ in range(3):
        found = step(X, W, H, **limits)
        assert found[rows].tobytes() == W[rows].tobytes()
        assert found[:, topics].tobytes() == W[:, topics].tobytes()
        before = objective(X, W, H)
        assert objective(X, found, H) <= before + 1e-10 * (abs(before) + X.sum())
        W = found


@given(sizes, seeds, kernels)
def test_permuting_documents_permutes_their_weights(size, seed, kernel):
    X, W, H = draw(size, seed)
    step, _ = KERNELS[kernel]
    mask, fixed = draw_mask(W, seed), draw_fixed(W, seed)[0]
    order = np.random.default_rng(seed).permutation(len(X))
    found = step(X[order], W[order], H, mask=mask[order], fixed_rows=fixed[order])
    assert (found == step(X, W, H, mask=mask, fixed_rows=fixed)[order]).all()


@given(sizes, seeds, st.booleans())
def test_permuting_documents_permutes_their_weights_with_a_quadratic(size, seed, newton):
    X, W, H = draw(size, seed)
    P, G = draw_quadratic(W, seed)
    order = np.random.default_rng(seed).permutation(len(X))
    found = improve(X[order], W[order], H, newton=newton, quadratic=Quadratic(P[order], G))
    assert (found == improve(X, W, H, newton=newton, quadratic=Quadratic(P, G))[order]).all()


@given(sizes, seeds, kernels)
def test_zeros_that_are_stored_change_nothing(size, seed, kernel):
    X, W, H = draw(size, seed)
    step, _ = KERNELS[kernel]
    np.testing.assert_allclose(step(X, W, H, compress=arrays_with_zeros), step(X, W, H), rtol=1e-9, atol=1e-12)


@given(sizes, seeds)
def test_multiplicative_steps_are_equations_2_7_and_2_8(size, seed):
    X, W, H = draw(size, seed)
    W += 0.01
    np.testing.assert_allclose(improve(X, W, H, newton=False), multiply_weights(X, W, H), rtol=1e-12)
    np.testing.assert_allclose(improve(X.T, H.T, W.T, newton=False).T, multiply_topics(X, W, H), rtol=1e-12)


@given(sizes, seeds, st.integers(0, 5), st.sampled_from([0.0, 0.4]))
def test_some_steps_in_one_call_are_as_many_single_ones(size, seed, n_steps, gaps):
    X, W, H = draw(size, seed, zeros=0.3, gaps=gaps)
    found = W.copy()
    step_kl_rows(0, len(X), *arrays(X), np.ascontiguousarray(H.T), H.sum(axis=1), n_steps, found)
    np.testing.assert_allclose(found, improve(X, W, H, newton=False, times=n_steps), rtol=1e-12)


@given(sizes, seeds)
def test_masked_multiplicative_steps_are_equations_3_8_and_3_9(size, seed):
    X, W, H, S = draw_supervised(size, seed)
    np.testing.assert_allclose(improve(X, W, H, newton=False, mask=S), multiply_weights(X, W, H, S), rtol=1e-10)
    found = improve(X.T, H.T, (W * S).T, newton=False).T
    np.testing.assert_allclose(found, multiply_topics(X, W, H, S), rtol=1e-10)


@given(sizes, seeds)
def test_multiplicative_squares_are_equations_2_4_and_2_5(size, seed):
    X, W, H = draw(size, seed)
    W += 0.01
    np.testing.assert_allclose(improve_squares(X, W, H, newton=False), multiply_weights_squares(X, W, H), rtol=1e-10)
    found = improve_squares(X.T, H.T, W.T, newton=False).T
    np.testing.assert_allclose(found, multiply_topics_squares(X, W, H), rtol=1e-10)


@given(sizes, seeds)
def test_masked_multiplicative_squares_are_equations_9_and_10(size, seed):
    X, W, H, S = draw_supervised(size, seed)
    found = improve_squares(X, W, H, newton=False, mask=S)
    np.testing.assert_allclose(found, multiply_weights_squares(X, W, H, S), rtol=1e-10)
    found = improve_squares(X.T, H.T, (W * S).T, newton=False).T
    np.testing.assert_allclose(found, multiply_topics_squares(X, W, H, S), rtol=1e-10)


@given(sizes, seeds)
def test_weighted_squares_are_equation_16(size, seed):
    X, W, H, S = draw_supervised(size, seed)
    weights = np.random.default_rng(seed).uniform(0.5, 3.0, len(X))
    found = improve_squares(X.T, H.T, (W * S).T, newton=False, weights=weights).T
    np.testing.assert_allclose(found, multiply_topics_squares(X, W, H, S, weights[:, None]), rtol=1e-10)


@given(sizes, seeds)
def test_weights_of_documents_cancel_in_equation_17_and_its_like_for_the_divergence(size, seed):
    X, W, H, S = draw_supervised(size, seed)
    E = np.random.default_rng(seed).uniform(0.5, 3.0, (len(X), 1))
    found = improve_squares(X, W, H, newton=False, mask=S)
    np.testing.assert_allclose(found, multiply_weights_squares(X, W, H, S, E), rtol=1e-10)
    np.testing.assert_allclose(improve(X, W, H, newton=False, mask=S), multiply_weights(X, W, H, S, E), rtol=1e-10)


@given(sizes, seeds, kernels, magnitudes)
def test_the_twins_never_raise_what_they_are_said_to_lower(size, seed, kernel, magnitude):
    X, W, H, S = draw_supervised(size, seed)
    X *= magnitude
    E = np.random.default_rng(seed).uniform(0.5, 3.0, X.shape)
    _, objective = KERNELS[kernel]
    squares = objective is square_objective
    before = objective(X, W * S, H, E=E)
    better = (multiply_weights_squares if squares else multiply_weights)(X, W, H, S, E)
    between = objective(X, better, H, E=E)
    after = objective(X, W * S, (multiply_topics_squares if squares else multiply_topics)(X, W, H, S, E), E=E)
    assert max(between, after) <= before + 1e-10 * (abs(before) + X.sum())


@given(sizes, seeds, st.booleans(), l1s, l2s, st.floats(0, 0.7))
def test_penalised_steps_equal_their_twins(size, seed, newton, l1, l2, zeros):
    X, W, H = draw(size, seed, zeros=zeros)
    S = draw_mask(W, seed)
    found = improve(X, W, H, newton=newton, mask=S, l1=l1, l2=l2)
    expected = step_weights(X, W, H, S, newton=newton, l1=l1, l2=l2)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)
    found = improve_squares(X, W, H, newton=newton, l1=l1, l2=l2)
    twin = descend_weights_squares if newton else multiply_penalised_squares
    np.testing.assert_allclose(found, twin(X, W, H, l1=l1, l2=l2), rtol=1e-8, atol=1e-12)


@given(sizes, seeds)
def test_masked_descent_of_squares_equals_its_twin(size, seed):
    X, W, H, S = draw_supervised(size, seed)
    found = improve_squares(X, W, H, mask=S)
    np.testing.assert_allclose(found, descend_weights_squares(X, W, H, S), rtol=1e-8, atol=1e-12)


@given(sizes, seeds, st.booleans(), l1s, l2s, st.floats(0, 0.7))
def test_steps_with_a_quadratic_equal_their_twins(size, seed, newton, l1, l2, zeros):
    X, W, H = draw(size, seed, zeros=zeros)
    quadratic = draw_quadratic(W, seed)
    found = improve(X, W, H, newton=newton, quadratic=quadratic, l1=l1, l2=l2)
    costs = {"l1": l1, "l2": l2, "G": quadratic.gram, "P": quadratic.products}
    np.testing.assert_allclose(found, step_weights(X, W, H, newton=newton, **costs), rtol=1e-7, atol=1e-12)


@given(sizes, seeds, st.booleans(), st.booleans())
def test_the_rest_moves_like_the_twin_that_holds_fixed_topics(size, seed, newton, with_quadratic):
    X, W, H = draw(size, seed, zeros=0.3)
    _, fixed = draw_fixed(W, seed)
    quadratic = draw_quadratic(W, seed) if with_quadratic else NOTHING
    found = improve(X, W, H, newton=newton, quadratic=quadratic, fixed_topics=fixed)
    costs = {"G": quadratic.gram, "P": quadratic.products} if with_quadratic else {}
    expected = step_weights(X, W, H, newton=newton, fixed=fixed, **costs)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-12)


@given(sizes, seeds)
def test_the_rest_moves_like_the_twin_of_squares_that_holds_fixed_topics(size, seed):
    X, W, H = draw(size, seed, zeros=0.3)
    _, fixed = draw_fixed(W, seed)
    expected = descend_weights_squares(X, W, H, fixed=fixed)
    np.testing.assert_allclose(improve_squares(X, W, H, fixed_topics=fixed), expected, rtol=1e-8, atol=1e-12)
    expected = np.where(fixed, W, multiply_weights_squares(X, W, H))
    np.testing.assert_allclose(improve_squares(X, W, H, newton=False, fixed_topics=fixed), expected, rtol=1e-10)


@given(sizes, seeds, kernels)
def test_rows_beside_fixed_ones_move_as_if_nothing_were_fixed(size, seed, kernel):
    X, W, H = draw(size, seed)
    rows, _ = draw_fixed(W, seed)
    step, _ = KERNELS[kernel]
    assert (step(X, W, H, fixed_rows=rows)[~rows] == step(X, W, H)[~rows]).all()


@given(sizes, seeds)
def test_products_equal_the_dense_ones(size, seed):
    X, W, H = draw(size, seed)
    products = np.full(W.shape, np.nan)
    multiply_rows(0, len(W), *arrays(X), H.T.copy(), products)
    np.testing.assert_allclose(products, X @ H.T, rtol=1e-12)


@given(sizes, seeds, st.booleans(), l1s, l2s)
def test_residuals_equal_their_twins(size, seed, with_quadratic, l1, l2):
    X, W, H = draw(size, seed, zeros=0.3)
    S, (rows, topics) = draw_mask(W, seed), draw_fixed(W, seed)
    quadratic = draw_quadratic(W, seed) if with_quadratic else NOTHING
    costs = {"G": quadratic.gram, "P": quadratic.products} if with_quadratic else {}
    limits = {"mask": S, "fixed_rows": rows, "fixed_topics": topics, "l1": l1, "l2": l2}
    fixed = rows[:, None] | topics
    expected = kl_residual(X, W, H, S, fixed=fixed, l1=l1, l2=l2, **costs)
    assert residual(X, W, H, quadratic=quadratic, **limits) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    expected = square_residual(X, W, H, S, fixed=fixed, l1=l1, l2=l2)
    assert residual_squares(X, W, H, **limits) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(sizes, seeds)
def test_residuals_count_each_row_by_its_weight(size, seed):
    X, W, H = draw(size, seed)
    weights = np.random.default_rng(seed).uniform(0.5, 3.0, len(X))
    for rest in (residual, residual_squares):
        alone = [rest(X[[row]], W[[row]], H) for row in range(len(X))]
        assert rest(X, W, H, weights=weights) == pytest.approx(weights @ alone)


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


@settings(max_examples=20)
@given(sizes, seeds, l1s, l2s, st.booleans())
def test_newton_sweeps_find_the_minimum(size, seed, l1, l2, with_quadratic):
    X, W, H = draw(size, seed)
    quadratic = draw_quadratic(W, seed) if with_quadratic else NOTHING
    costs = {"G": quadratic.gram, "P": quadratic.products} if with_quadratic else {}
    W = improve(X, W + 0.1, H, times=3000, quadratic=quadratic, l1=l1, l2=l2)
    # A general solver knows no better mixture for any document.
    for row, a in zip(rows_of(X, H, l1=l1, l2=l2, **costs), W, strict=True):
        best = minimise_row(row)
        assert row.objective(a) <= best + 1e-6 * (1 + abs(best))


@settings(max_examples=20)
@given(sizes, seeds)
def test_multiplicative_steps_with_a_quadratic_find_the_minimum(size, seed):
    X, W, H = draw(size, seed)
    P, G = draw_quadratic(W, seed)
    W = improve(X, W + 0.1, H, times=300, newton=False, quadratic=Quadratic(P, G))
    for row, a in zip(rows_of(X, H, G=G, P=P), W, strict=True):
        best = minimise_row(row)
        assert row.objective(a) <= best + 1e-3 * (1 + abs(best))


@given(sizes, seeds)
def test_many_sweeps_find_the_non_negative_least_squares(size, seed):
    X, W, H = draw(size, seed)
    W = improve_squares(X, W, H, sweeps=10, times=400)
    for x, w in zip(X, W, strict=True):
        _, distance = optimize.nnls(H.T, x)
        assert np.linalg.norm(x - w @ H) <= distance + 1e-5 * (1 + distance)


@settings(max_examples=25)
@given(sizes, seeds, magnitudes, l1s, l2s)
def test_folding_in_finds_the_minimum_within_the_mask(size, seed, magnitude, l1, l2):
    X, W, H = draw(size, seed)
    X *= magnitude
    S = draw_mask(W, seed)
    found = solve(X, H, mask=S, l1=l1, l2=l2)
    assert (found >= 0).all()
    assert (found[~S] == 0).all()
    for row, a, allowed in zip(rows_of(X, H, l1=l1, l2=l2), found, S, strict=True):
        assert row.objective(a) <= minimise_row(row, allowed) + 1e-6 * (row.x.sum() + 1e-6)


@given(sizes, seeds, st.sampled_from([0.0, 0.5]))
def test_folding_in_a_row_does_not_depend_on_the_others(size, seed, gaps):
    X, W, H = draw(size, seed, gaps=gaps)
    S = draw_mask(W, seed)
    together = solve(X, H, mask=S)
    order = np.random.default_rng(seed).permutation(len(X))
    assert (solve(X[order], H, mask=S[order]) == together[order]).all()
    for row in range(len(X)):
        assert (solve(X, H, mask=S, first=row, last=row + 1)[row] == together[row]).all()
        assert (solve(X[[row]], H, mask=S[[row]]) == together[row]).all()


@given(sizes, seeds)
def test_folding_in_reaches_as_low_with_stored_zeros_and_in_single_precision(size, seed):
    X, _, H = draw(size, seed)
    lowest = kl_objective(X, solve(X, H), H)
    assert kl_objective(X, solve(X, H, compress=arrays_with_zeros), H) == pytest.approx(lowest, rel=1e-6, abs=1e-6)
    single = solve(X, H, dtype=np.float32)
    assert single.dtype == np.float32
    assert kl_objective(X, single.astype(float), H) == pytest.approx(lowest, rel=1e-5, abs=1e-5)


@settings(max_examples=25)
@given(sizes, seeds, l1s, l2s)
def test_folding_in_stays_finite_where_no_topic_explains_an_entry(size, seed, l1, l2):
    X, _, H = draw(size, seed)
    X[0] = 0
    X[:, 0] = 3
    H[:, 0] = 0
    found = solve(X, H, l1=l1, l2=l2)
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    # What can be explained is: as if the rest were not there.
    X[:, 0] = 0
    for row, a in zip(rows_of(X, H, l1=l1, l2=l2), found, strict=True):
        assert row.objective(a) <= minimise_row(row) + 1e-6 * (row.x.sum() + 1)


@settings(max_examples=30)
@given(sizes, seeds, l1s, l2s)
def test_residuals_vanish_at_a_minimum_and_not_away_from_it(size, seed, l1, l2):
    X, W, H = draw(size, seed)
    limits = {"mask": draw_mask(W, seed), "l1": l1, "l2": l2}
    for step, rest in ((improve, residual), (improve_squares, residual_squares)):
        best = step(X, W, H, times=5000, **limits)
        mass = (best @ H).sum()
        assert rest(X, best, H, **limits) <= 1e-6 * (mass + 1e-9)
        # Twice the best weights should lose about half of themselves, if they have some.
        assert rest(X, 2 * best, H, **limits) >= 0.5 * mass


@given(sizes, seeds)
def test_fixed_weights_have_no_residual(size, seed):
    X, W, H = draw(size, seed)
    all_rows, all_topics = np.full(len(W), True), np.full(W.shape[1], True)
    for rest in (residual, residual_squares):
        assert rest(X, W, H, fixed_rows=all_rows) == 0
        assert rest(X, W, H, fixed_topics=all_topics) == 0
        rows, _ = draw_fixed(W, seed)
        assert rest(X, W, H, fixed_rows=rows) == pytest.approx(rest(X[~rows], W[~rows], H))


def test_a_weight_of_zero_counts_if_its_slope_falls_and_not_if_it_rises():
    H = np.eye(2)
    X = np.array([[4.0, 0.0]])
    for rest in (residual, residual_squares):
        assert rest(X, np.array([[4.0, 0.0]]), H) == pytest.approx(0)
        assert rest(X, np.array([[0.0, 4.0]]), H) >= 4


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
    assert (solve(X, H)[1] == 0).all()


def test_topics_without_terms_get_no_weight_when_folded_in():
    X, _, H = draw((5, 6, 3), 2)
    H[1] = 0
    assert (solve(X, H)[:, 1] == 0).all()
    assert (solve(X, H, l2=0.1)[:, 1] == 0).all()


def test_a_topic_that_is_wanted_a_little_comes_in():
    X, W, H = np.array([[10.05, 10.0]]), np.array([[20.05, 0.0]]), np.array([[0.5, 0.5], [1.0, 0.0]])
    np.testing.assert_allclose(improve(X, W, H, times=100), [[20.0, 0.05]], rtol=1e-6)
    np.testing.assert_allclose(solve(X, H), [[20.0, 0.05]], rtol=1e-3)


def test_folding_in_takes_no_more_sweeps_than_it_may():
    X, _, H = draw((20, 15, 4), 4)
    objectives = [kl_objective(X, solve(X, H, sweeps=sweeps), H) for sweeps in (1, 2, 4, 20_000)]
    assert objectives == sorted(objectives, reverse=True)
    assert len(set(objectives)) == 4


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


def test_stored_zeros_that_only_one_topic_explains_change_nothing():
    X, W, H = np.array([[1.0, 0.0]]), np.array([[4.0, 1.0]]), np.array([[0.3, 0.0], [0.3, 1.0]])
    np.testing.assert_allclose(improve(X, W, H, compress=arrays_with_zeros), improve(X, W, H), rtol=1e-9)


@pytest.mark.parametrize("l2", [1e-12, 1e-9])
def test_a_penalty_that_hardly_counts_hardly_changes_the_multiplicative_step(l2):
    X, W, H = np.array([[5.0, 3.0]]), np.ones((1, 2)), np.array([[1000.0, 1.0], [1.0, 1000.0]])
    free = improve(X, W, H, newton=False)
    np.testing.assert_allclose(improve(X, W, H, newton=False, l2=l2), free, rtol=1e-6)


def test_multiplicative_steps_with_a_quadratic_stay_finite_on_the_way_of_a_weight_to_zero():
    X, W, H = np.array([[2.0]]), np.full((1, 2), 0.5), np.array([[0.5], [1.0]])
    quadratic = Quadratic(np.array([[0.8, 1.8]]), np.array([[1.5, 1.1], [1.1, 1.2]]))
    found = improve(X, W, H, newton=False, quadratic=quadratic, times=5000)
    assert np.isfinite(found).all()
    row = next(rows_of(X, H, G=quadratic.gram, P=quadratic.products))
    assert row.objective(found[0]) <= minimise_row(row) + 1e-6


def test_multiplicative_steps_come_up_from_weights_that_are_nearly_zero():
    X, W, H = np.array([[5.0, 3.0]]), np.full((1, 2), 1e-20), np.array([[3.0, 1.0], [1.0, 3.0]])
    expected = multiply_weights_squares(X, W, H)
    np.testing.assert_allclose(improve_squares(X, W, H, newton=False), expected, rtol=1e-6)


def test_a_row_of_zeros_that_has_entries_has_a_residual():
    X, _, H = draw((1, 5, 3), 2, density=1.0)
    assert residual(X, np.zeros((1, 3)), H) > 0
