from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive.factor import kl_objective, square_objective
from wayword.evaluation.matching import match_topics, weighted_jaccard
from wayword.kernels.factor import Limits
from wayword.models.alternate import Problem, factorize

sizes = st.tuples(st.integers(2, 8), st.integers(2, 8), st.integers(1, 4))
seeds = st.integers(0, 2**32 - 1)
losses = st.sampled_from(["kl", "frobenius"])


def draw(size, seed):
    D, V, K = size
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.5, (D, V)).astype(float)
    return X, rng.random((D, K)) + 0.1, rng.random((V, K)) + 0.1


def solve(X, W, H, *, loss="kl", max_iter=30, tol=0.0, extrapolate=True, callback=None, **options):
    problem = Problem.of(sparse.csr_matrix(X), loss=loss, **options)
    return factorize(problem, W, H, max_iter=max_iter, tol=tol, extrapolate=extrapolate, callback=callback)


@given(sizes, seeds, losses, st.sampled_from([0.0, 0.2]), st.sampled_from([0.0, 0.2]))
def test_objective_is_the_dense_one(size, seed, loss, l1, l2):
    X, W, H = draw(size, seed)
    naive = kl_objective if loss == "kl" else square_objective
    problem = Problem.of(
        sparse.csr_matrix(X), loss=loss, limits_W=Limits(l1=l1, l2=l2), limits_H=Limits(l1=0.1, l2=0.3)
    )
    expected = naive(X, W, H.T, l1, l2) + 0.1 * H.sum() + 0.15 * (H**2).sum()
    if loss == "kl":
        expected += (X[X > 0] * np.log(X[X > 0])).sum() - X.sum()
    assert problem.objective(W, H) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(sizes, seeds, losses, st.booleans(), st.booleans(), st.sampled_from([0.0, 0.2]))
def test_path_never_rises_and_ends_at_the_objective(size, seed, loss, newton, extrapolate, l1):
    X, W, H = draw(size, seed)
    options = {"loss": loss, "newton": newton, "limits_W": Limits(l1=l1), "limits_H": Limits(l2=l1)}
    found = solve(X, W, H, extrapolate=extrapolate, **options)
    assert all(after <= before for before, after in pairwise(found.path))
    problem = Problem.of(sparse.csr_matrix(X), **options)
    assert found.path[-1] == pytest.approx(problem.objective(found.W, found.H), rel=1e-12, abs=1e-12)
    assert (found.W >= 0).all()
    assert (found.H >= 0).all()


@given(sizes, seeds, losses)
def test_forbidden_topics_stay_at_zero(size, seed, loss):
    X, W, H = draw(size, seed)
    mask = np.random.default_rng(seed).random(W.shape) < 0.7
    mask[:, 0] = True
    found = solve(X, W * mask, H, loss=loss, limits_W=Limits(mask=mask))
    assert (found.W[~mask] == 0).all()


@settings(max_examples=20)
@given(sizes, seeds, losses)
def test_a_document_of_weight_two_is_two_documents(size, seed, loss):
    X, W, H = draw(size, seed)
    weights = np.ones(len(X))
    weights[0] = 2.0
    # One iteration: where a fit is exact, later ones only shuffle rounding.
    weighted = solve(X, W, H, loss=loss, weights=weights, max_iter=1)
    twice = solve(np.vstack([X, X[:1]]), np.vstack([W, W[:1]]), H, loss=loss, max_iter=1)
    np.testing.assert_allclose(weighted.H, twice.H, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(weighted.path, twice.path, rtol=1e-9, atol=1e-9)


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
    rng = np.random.default_rng(1)
    topics = rng.dirichlet(np.full(60, 0.05), size=4)
    weights = rng.dirichlet(np.full(4, 0.2), size=300)
    X = np.stack([rng.multinomial(300, row) for row in weights @ topics]).astype(float)
    found = solve(X, rng.random((300, 4)), rng.random((60, 4)), loss=loss, max_iter=200, tol=1e-8)
    shares = found.W * found.H.sum(axis=0)
    match = match_topics(weighted_jaccard(shares / shares.sum(axis=1, keepdims=True), weights))
    assert match.mean > 0.85


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


def test_the_start_is_left_alone():
    X, W, H = draw((10, 8, 2), 5)
    before = W.copy(), H.copy()
    solve(X, W, H)
    assert (before[0] == W).all()
    assert (before[1] == H).all()
