from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive.factor import (
    divergence,
    kl_residual,
    minimise_row,
    multiply_topics,
    multiply_topics_squares,
    multiply_weights,
    multiply_weights_squares,
    penalty,
    rows_of,
    square_objective,
    square_residual,
)
from wayword.evaluation.matching import match_topics, weighted_jaccard
from wayword.kernels.factor import Limits, Quadratic
from wayword.models import alternate
from wayword.models.alternate import Problem, Side, factorize, gram_of, sums_of

sizes = st.tuples(st.integers(2, 8), st.integers(2, 8), st.integers(1, 4))
seeds = st.integers(0, 2**32 - 1)
losses = st.sampled_from(["kl", "frobenius"])
prices = st.sampled_from([0.0, 0.2])


def draw(size, seed):
    D, V, K = size
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.5, (D, V)).astype(float)
    return X, rng.random((D, K)) + 0.1, rng.random((V, K)) + 0.1


def draw_mask(shape, seed):
    """Return which weights may be used; the first topic and the first row are free."""
    mask = np.random.default_rng(seed).random(shape) < 0.7
    mask[:, 0] = mask[0] = True
    return mask


def draw_weights(X, seed):
    return np.random.default_rng(seed).uniform(0.5, 3.0, len(X))


def draw_fixed(shape, seed):
    """Return fixed rows and topics."""
    rng = np.random.default_rng(seed)
    return {"fixed_rows": rng.random(shape[0]) < 0.4, "fixed_topics": rng.random(shape[1]) < 0.4}


def draw_planted():
    """Return counts, their true weights, and a start."""
    rng = np.random.default_rng(1)
    topics = rng.dirichlet(np.full(60, 0.05), size=4)
    weights = rng.dirichlet(np.full(4, 0.2), size=300)
    X = np.stack([rng.multinomial(300, row) for row in weights @ topics]).astype(float)
    return X, weights, rng.random((300, 4)), rng.random((60, 4))


def solve(X, W, H, *, loss="kl", max_iter=30, tol=0.0, extrapolate=True, callback=None, **options):
    problem = Problem.of(sparse.csr_matrix(X), loss=loss, **options)
    return factorize(problem, W, H, max_iter=max_iter, tol=tol, extrapolate=extrapolate, callback=callback)


def cut_small(monkeypatch, X, **limits):
    """Return a side in many pieces."""
    monkeypatch.setattr(alternate, "_ENTRIES_AT_ONCE", 5)
    side = Side.of(X, Limits(**limits))
    monkeypatch.undo()
    assert len(side.pieces) > len(Side.of(X).pieces)
    return side


@given(
    sizes, seeds, losses, st.booleans(), st.booleans(), st.booleans(), st.sampled_from([1e-3, 1.0, 1e3]), prices, prices
)
def test_path_never_rises_and_ends_at_the_objective(size, seed, loss, newton, extrapolate, weighted, magnitude, l1, l2):
    X, W, H = draw(size, seed)
    X *= magnitude
    mask_W, mask_H = draw_mask(W.shape, seed), draw_mask(H.shape, seed + 1)
    options = {
        "loss": loss,
        "newton": newton,
        "weights": draw_weights(X, seed) if weighted else None,
        "limits_W": Limits(mask=mask_W, l1=l1, l2=l2),
        "limits_H": Limits(mask=mask_H, l1=l2, l2=l1),
    }
    found = solve(X, W * mask_W, H * mask_H, extrapolate=extrapolate, **options)
    assert all(after <= before for before, after in pairwise(found.path))
    problem = Problem.of(sparse.csr_matrix(X), **options)
    assert found.path[-1] == pytest.approx(problem.objective(found.W, found.H), rel=1e-12, abs=1e-12)
    for factor, mask in ((found.W, mask_W), (found.H, mask_H)):
        assert (factor >= 0).all()
        assert (factor[~mask] == 0).all()


@given(sizes, seeds, losses, st.booleans(), st.booleans())
def test_every_plain_step_of_either_factor_lowers_the_objective(size, seed, loss, newton, weighted):
    X, W, H = draw(size, seed)
    limits = {"limits_W": Limits(l1=0.1, l2=0.2), "limits_H": Limits(l1=0.2, l2=0.1)}
    weights = draw_weights(X, seed) if weighted else None
    problem = Problem.of(sparse.csr_matrix(X), loss=loss, newton=newton, weights=weights, **limits)
    for _ in range(3):
        start = problem.objective(W, H)
        W = problem.improve_weights(W, H)
        between = problem.objective(W, H)
        H = problem.improve_topics(W, H)
        slack = 1e-10 * (X.sum() + (X**2).sum() + abs(start))
        assert problem.objective(W, H) - slack <= between <= start + slack


@given(sizes, seeds, losses, st.booleans(), st.booleans())
def test_what_is_fixed_keeps_its_bits_beside_what_moves(size, seed, loss, newton, extrapolate):
    X, W, H = draw(size, seed)
    fixed_W, fixed_H = draw_fixed(W.shape, seed), draw_fixed(H.shape, seed + 1)
    limits = {"limits_W": Limits(**fixed_W), "limits_H": Limits(**fixed_H)}
    found = solve(X, W, H, loss=loss, newton=newton, extrapolate=extrapolate, **limits)
    assert all(after <= before for before, after in pairwise(found.path))
    for start, end, fixed in ((W, found.W, fixed_W), (H, found.H, fixed_H)):
        assert end[fixed["fixed_rows"]].tobytes() == start[fixed["fixed_rows"]].tobytes()
        assert end[:, fixed["fixed_topics"]].tobytes() == start[:, fixed["fixed_topics"]].tobytes()
        free = ~fixed["fixed_rows"][:, None] & ~fixed["fixed_topics"]
        assert not free.any() or (end[free] != start[free]).any()


@settings(max_examples=30)
@given(sizes, seeds, losses, prices)
def test_a_document_of_weight_two_is_two_documents(size, seed, loss, price):
    X, W, H = draw(size, seed)
    weights = np.ones(len(X))
    weights[0] = 2.0
    options = {"loss": loss, "limits_W": Limits(l1=price, l2=2 * price), "limits_H": Limits(l1=price, l2=price)}
    # One iteration: where a fit is exact, later ones only shuffle rounding.
    weighted = solve(X, W, H, weights=weights, max_iter=1, **options)
    twice = solve(np.vstack([X, X[:1]]), np.vstack([W, W[:1]]), H, max_iter=1, **options)
    np.testing.assert_allclose(weighted.W, twice.W[:-1], rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(weighted.H, twice.H, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(weighted.path, twice.path, rtol=1e-9, atol=1e-9)


@given(sizes, seeds, losses)
def test_the_residual_of_a_document_of_weight_two_is_that_of_two(size, seed, loss):
    X, W, H = draw(size, seed)
    weights = np.ones(len(X))
    weights[0] = 2.0
    for limits in ({}, {"limits_H": Limits(fixed_rows=np.full(len(H), True))}):
        weighted = Problem.of(sparse.csr_matrix(X), loss=loss, weights=weights, **limits)
        twice = Problem.of(sparse.csr_matrix(np.vstack([X, X[:1]])), loss=loss, **limits)
        assert weighted.residual(W, H) == pytest.approx(twice.residual(np.vstack([W, W[:1]]), H))


@given(sizes, seeds, losses, st.booleans())
def test_permuting_documents_permutes_their_weights(size, seed, loss, newton):
    X, W, H = draw(size, seed)
    order = np.random.default_rng(seed).permutation(len(X))
    plain, permuted = (Problem.of(sparse.csr_matrix(Y), loss=loss, newton=newton) for Y in (X, X[order]))
    assert (permuted.improve_weights(W[order], H) == plain.improve_weights(W, H)[order]).all()


@given(sizes, seeds, losses, st.booleans())
def test_zeros_that_are_stored_change_nothing(size, seed, loss, newton):
    X, W, H = draw(size, seed)
    stored = sparse.csr_matrix(np.ones_like(X))
    stored.data[:] = X.ravel()
    plain, with_zeros = (Problem.of(Y, loss=loss, newton=newton) for Y in (sparse.csr_matrix(X), stored))
    assert with_zeros.objective(W, H) == pytest.approx(plain.objective(W, H), rel=1e-9, abs=1e-9)
    assert with_zeros.residual(W, H) == pytest.approx(plain.residual(W, H), rel=1e-9, abs=1e-9)
    for name in ("improve_weights", "improve_topics"):
        found, expected = getattr(with_zeros, name)(W, H), getattr(plain, name)(W, H)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@given(sizes, seeds, losses, st.booleans(), prices, prices)
def test_objective_is_the_dense_one(size, seed, loss, weighted, l1, l2):
    X, W, H = draw(size, seed)
    weights = draw_weights(X, seed) if weighted else None
    limits = {"limits_W": Limits(l1=l1, l2=l2), "limits_H": Limits(l1=0.1, l2=0.3)}
    problem = Problem.of(sparse.csr_matrix(X), loss=loss, weights=weights, **limits)
    E = np.ones((len(X), 1)) if weights is None else weights[:, None]
    expected = divergence(X, W @ H.T, E) if loss == "kl" else square_objective(X, W, H.T, E=E)
    # A document of weight two pays twice.
    expected += sum(weight * penalty(row, l1, l2) for row, weight in zip(W, E[:, 0], strict=True))
    assert problem.objective(W, H) == pytest.approx(expected + penalty(H, 0.1, 0.3), rel=1e-9, abs=1e-9)


@given(sizes, seeds, losses, prices)
def test_residual_is_the_larger_share_that_steps_of_either_factor_move(size, seed, loss, price):
    X, W, H = draw(size, seed)
    problem = Problem.of(sparse.csr_matrix(X), loss=loss, limits_W=Limits(l1=price), limits_H=Limits(l2=price))
    twin = kl_residual if loss == "kl" else square_residual
    moved = max(twin(X, W, H.T, l1=price), twin(X.T, H, W.T, l2=price))
    assert problem.residual(W, H) == pytest.approx(moved / (W @ H.T).sum(), rel=1e-9)


@given(sizes, seeds, losses)
def test_multiplicative_steps_are_the_weighted_and_supervised_equations(size, seed, loss):
    X, W, H = draw(size, seed)
    weights, S = draw_weights(X, seed), draw_mask(W.shape, seed)
    problem = Problem.of(
        sparse.csr_matrix(X), loss=loss, newton=False, weights=weights, limits_W=Limits(mask=S), limits_H=Limits()
    )
    twins = {
        "kl": (multiply_weights, multiply_topics),
        "frobenius": (multiply_weights_squares, multiply_topics_squares),
    }
    for_weights, for_topics = twins[loss]
    found = problem.improve_weights(W, H)
    np.testing.assert_allclose(found, for_weights(X, W, H.T, S, weights[:, None]), rtol=1e-9)
    found = problem.improve_topics(W * S, H)
    np.testing.assert_allclose(found.T, for_topics(X, W, H.T, S, weights[:, None]), rtol=1e-9)


@given(sizes, seeds, losses)
def test_terms_may_be_kept_to_some_topics_by_the_same_equations(size, seed, loss):
    X, W, H = draw(size, seed)
    weights, S = draw_weights(X, seed), draw_mask(H.shape, seed)
    limits = Limits(mask=S)
    problem = Problem.of(sparse.csr_matrix(X), loss=loss, newton=False, weights=weights, limits_H=limits)
    twin = multiply_weights if loss == "kl" else multiply_weights_squares
    expected = twin(X.T, H, W.T, S, np.broadcast_to(weights, X.T.shape))
    np.testing.assert_allclose(problem.improve_topics(W, H), expected, rtol=1e-9)


@settings(max_examples=10)
@given(sizes, seeds)
def test_with_all_topics_fixed_every_document_finds_its_minimum(size, seed):
    X, W, H = draw(size, seed)
    found = solve(X, W, H, max_iter=200, limits_H=Limits(fixed_rows=np.full(len(H), True)))
    assert (found.H == H).all()
    for row, a in zip(rows_of(X, H.T), found.W, strict=True):
        assert row.objective(a) <= minimise_row(row) + 1e-4 * (1 + row.x.sum())


@given(sizes, seeds, st.integers(1, 30))
def test_pieces_hold_every_row_once_and_few_entries(size, seed, entries):
    X = sparse.csr_matrix(draw(size, seed)[0] * (np.random.default_rng(seed).random(size[:2]) < 0.3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alternate, "_ENTRIES_AT_ONCE", entries)
        pieces = Side.of(X).pieces
    assert [row for first, last in pieces for row in range(first, last)] == list(range(size[0]))
    assert all(last - first == 1 or X[first:last].nnz <= entries for first, last in pieces)


def test_a_side_gives_the_same_bits_in_any_pieces(monkeypatch):
    X, W, H = draw((30, 12, 3), 6)
    X = sparse.csr_matrix(X)
    limits = {"mask": draw_mask(W.shape, 6), **draw_fixed(W.shape, 6)}
    sums, gram = sums_of(H), gram_of(H)
    for act in (
        lambda side, factor: side.update_kl(factor, H, sums),
        lambda side, factor: side.update_kl(factor, H, sums, newton=False),
        lambda side, factor: side.update_squares(factor, H, gram),
        lambda side, factor: side.update_squares(factor, H, gram, newton=False),
        lambda side, factor: side.solve_kl(factor, H, sums, sweeps=50, settled=1e-9),
    ):
        whole, cut = W.copy(), W.copy()
        act(Side.of(X, Limits(**limits)), whole)
        act(cut_small(monkeypatch, X, **limits), cut)
        assert (whole != W).any()
        assert whole.tobytes() == cut.tobytes()


def test_a_side_multiplies_and_adds_up_over_its_pieces(monkeypatch):
    X, W, H = draw((30, 12, 3), 7)
    X = sparse.csr_matrix(X)
    whole, cut = Side.of(X), cut_small(monkeypatch, X)
    np.testing.assert_allclose(cut.multiply(H), X @ H, rtol=1e-12)
    assert cut.each_piece(lambda piece: float(piece[1] - piece[0])) == 30
    assert cut.residual_kl(W, H, sums_of(H)) == pytest.approx(whole.residual_kl(W, H, sums_of(H)))
    quadratic = Quadratic(X @ H, gram_of(H))
    of_squares = [side.residual_squares(W, quadratic, sums_of(H)) for side in (whole, cut)]
    assert of_squares[0] == pytest.approx(of_squares[1])


@pytest.mark.parametrize("loss", ["kl", "frobenius"])
def test_the_same_bits_for_any_number_of_threads(monkeypatch, loss):
    X, W, H = draw((400, 300, 6), 0)
    results = []
    for threads in ("1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        found = solve(X, W, H, loss=loss, max_iter=5)
        results.append((found.W.tobytes(), found.H.tobytes(), found.path))
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("loss", ["kl", "frobenius"])
def test_planted_topics_are_found(loss):
    X, weights, W, H = draw_planted()
    found = solve(X, W, H, loss=loss, max_iter=200, tol=1e-8)
    shares = found.W * found.H.sum(axis=0)
    match = match_topics(weighted_jaccard(shares / shares.sum(axis=1, keepdims=True), weights))
    assert match.mean > 0.85


@pytest.mark.parametrize("loss", ["kl", "frobenius"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_residual_falls_with_the_iterations(loss, weighted):
    X, _, W, H = draw_planted()
    options = {"loss": loss, "weights": draw_weights(X, 1) if weighted else None}
    problem = Problem.of(sparse.csr_matrix(X), **options)
    plain = [solve(X, W, H, max_iter=iterations, extrapolate=False, **options) for iterations in (1, 8, 16, 64)]
    left = [problem.residual(W, H), *(problem.residual(found.W, found.H) for found in plain)]
    assert all(after < before for before, after in pairwise(left))
    further = solve(X, W, H, max_iter=100, **options)
    assert left[0] > 0.1 > 1e-2 > max(left[-1], problem.residual(further.W, further.H))


@pytest.mark.parametrize("loss", ["kl", "frobenius"])
def test_the_residual_leaves_out_what_is_fixed(loss):
    X, W, H = draw((12, 9, 3), 8)
    fixed_W, fixed_H = (Limits(fixed_rows=np.full(n, True)) for n in (12, 9))
    X = sparse.csr_matrix(X)
    both, documents, terms, none = (
        Problem.of(X, loss=loss, limits_W=limits_W, limits_H=limits_H).residual(W, H)
        for limits_W, limits_H in ((Limits(), Limits()), (Limits(), fixed_H), (fixed_W, Limits()), (fixed_W, fixed_H))
    )
    assert none == 0
    assert min(documents, terms) > 0
    assert both == max(documents, terms)


def test_going_on_beyond_each_step_gets_further():
    X, W, H = draw((200, 150, 8), 2)
    plain = solve(X, W, H, max_iter=20, extrapolate=False)
    further = solve(X, W, H, max_iter=20)
    assert further.path[-1] < plain.path[-1]


def test_newton_gets_further_than_multiplying():
    X, W, H = draw((200, 150, 8), 3)
    slow = solve(X, W, H, max_iter=15, newton=False, extrapolate=False)
    fast = solve(X, W, H, max_iter=15, extrapolate=False)
    assert fast.path[-1] < slow.path[-1]


def test_it_stops_when_settled_or_told_to():
    X, W, H = draw((30, 20, 3), 4)
    assert solve(X, W, H, max_iter=5000, tol=1e-4).converged
    seen = []
    stopped = solve(X, W, H, callback=lambda iteration, objective: seen.append(objective) or iteration == 3)
    assert not stopped.converged
    assert tuple(seen) == stopped.path[1:]
    assert len(seen) == 3


@pytest.mark.parametrize("loss", ["kl", "frobenius"])
def test_the_matrix_and_the_start_are_left_alone(loss):
    X, W, H = draw((10, 8, 2), 5)
    before = W.copy(), H.copy()
    rows = sparse.csr_matrix(X)
    factorize(Problem.of(rows, loss=loss, weights=draw_weights(X, 5)), W, H, max_iter=3, tol=0.0)
    assert (rows.toarray() == X).all()
    assert (before[0] == W).all()
    assert (before[1] == H).all()


@pytest.mark.parametrize("loss", ["kl", "frobenius"])
def test_single_precision_gets_as_low(loss):
    X, W, H = draw((60, 40, 4), 10)
    double = solve(X, W, H, loss=loss)
    single = solve(*(array.astype(np.float32) for array in (X, W, H)), loss=loss)
    assert single.W.dtype == single.H.dtype == np.float32
    assert single.path[-1] == pytest.approx(double.path[-1], rel=1e-2)


def test_going_on_beyond_a_step_leaves_no_entry_unexplained():
    X, _, W, H = draw_planted()
    found = solve(X, W, H, max_iter=5)
    assert (found.W @ found.H.T)[X > 0].min() > 1e-12


def test_a_start_beyond_the_mask_is_brought_within_it():
    X, W, H = np.array([[9.0, 1.0], [1.0, 9.0]]), np.diag([9.5, 9.5]) + 0.5, np.array([[0.95, 0.05], [0.05, 0.95]])
    mask = np.array([[False, True], [True, True]])
    assert (solve(X, W, H, limits_W=Limits(mask=mask)).W[~mask] == 0).all()
