from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import decomposition
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from naive.factor import (
    divergence,
    minimise_row,
    multiply_topics,
    multiply_topics_squares,
    multiply_weights,
    multiply_weights_squares,
    penalty,
    rows_of,
    square_objective,
)
from wayword import NMF, Vectorizer, match_topics, weighted_jaccard
from wayword.errors import InputError
from wayword.kernels.factor import Limits
from wayword.models.folding import fold_in, step_toward
from wayword.models.heldout import completion_score

LOSSES = ["kl", "frobenius"]
THEIR_LOSS = {"kl": "kullback-leibler", "frobenius": "frobenius"}
sizes = st.tuples(st.integers(2, 8), st.integers(2, 8), st.integers(1, 4))
seeds = st.integers(0, 2**32 - 1)
losses = st.sampled_from(LOSSES)
solvers = st.sampled_from(["cd", "mu"])
inits = st.sampled_from(["nndsvda", "random", "acol", "custom"])
prices = st.sampled_from([0.0, 0.3])
few = settings(max_examples=25)


def draw(size, seed):
    """Return counts, and weights and topics to start from."""
    D, V, K = size
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.5, (D, V)).astype(float)
    X[0, 0] += 1
    return X, rng.random((D, K)) + 0.1, rng.random((K, V)) + 0.1


def draw_planted(seed=1, documents=300, terms=60, n_topics=4, length=200):
    """Return counts, and the true weights and topics."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(terms, 0.05), size=n_topics)
    weights = rng.dirichlet(np.full(n_topics, 0.2), size=documents)
    return np.stack([rng.multinomial(length, row) for row in weights @ topics]).astype(float), weights, topics


def fit(X, W, H, **options):
    """Return a model fitted from a custom start."""
    return NMF(len(H), init="custom", **options).fit(X, W=W, H=H)


def similarity(model, X, weights):
    shares = model.transform(X)
    shares = shares * model.components_.sum(axis=1)
    shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-12)
    return match_topics(weighted_jaccard(shares, weights)).mean


def loss_of(X, W, H, loss, E=1.0):
    return divergence(X, W @ H, E) if loss == "kl" else square_objective(X, W, H, E=E)


def score_of(X, H, loss):
    return completion_score(X, H, loss, Limits(), np.random.RandomState(0))


def normal(H):
    return H / H.sum(axis=1, keepdims=True)


@given(sizes, seeds, losses, solvers, inits, prices, prices, st.sampled_from([0.0, 0.5, 1.0]))
def test_path_never_rises(size, seed, loss, solver, init, alpha_W, alpha_H, l1_ratio):
    X, W, H = draw(size, seed)
    start = {"W": W, "H": H} if init == "custom" else {}
    options = {"alpha_W": alpha_W, "alpha_H": alpha_H, "l1_ratio": l1_ratio, "random_state": seed}
    model = NMF(len(H), loss=loss, solver=solver, init=init, max_iter=15, tol=0.0, **options).fit(X, **start)
    assert all(after <= before for before, after in pairwise(model.objective_path_))
    assert model.n_iter_ == len(model.objective_path_) - 1
    assert model.n_components_ == len(H)
    assert np.isfinite(model.components_).all()
    assert (model.components_ >= 0).all()
    assert np.isfinite(model.transform(X)).all()


@few
@given(sizes, seeds, losses, solvers, prices)
def test_fit_transform_gives_what_transform_gives(size, seed, loss, solver, alpha):
    X, _, H = draw(size, seed)
    model = NMF(len(H), loss=loss, solver=solver, alpha_W=alpha, max_iter=10)
    assert model.fit_transform(X).tobytes() == model.transform(X).tobytes()
    assert model.fit(X).transform(X).tobytes() == model.transform(X).tobytes()


@few
@given(sizes, seeds, losses, prices)
def test_a_document_alone_gets_the_weights_it_gets_among_others(size, seed, loss, alpha):
    X, W, H = draw(size, seed)
    model = fit(X, W, H, loss=loss, alpha_W=alpha, max_iter=5)
    together = model.transform(X)
    for row in range(len(X)):
        assert model.transform(X[[row]]).tobytes() == together[row].tobytes()
    order = np.random.default_rng(seed).permutation(len(X))
    assert (model.transform(X[order]) == together[order]).all()


@few
@given(sizes, seeds, st.booleans(), prices, st.sampled_from([0.0, 1.0]))
def test_transform_finds_the_best_weights(size, seed, squares, alpha, l1_ratio):
    X, W, H = draw(size, seed)
    loss = "frobenius" if squares else "kl"
    model = fit(X, W, H, loss=loss, alpha_W=alpha, l1_ratio=l1_ratio, max_iter=5)
    found, H = model.transform(X), model.components_
    l1, l2 = alpha * l1_ratio, alpha * (1 - l1_ratio)
    if squares:
        slopes = found @ H @ H.T - X @ H.T + l1 + l2 * found
        scale = 1e-4 * (1 + np.abs(X @ H.T).max())
        assert (slopes >= -scale).all()
        assert (np.abs(slopes[found > 0]) <= scale).all()
    else:
        for row, a in zip(rows_of(X, H, l1=l1, l2=l2), found, strict=True):
            assert row.objective(a) <= minimise_row(row) + 1e-5 * (1 + row.x.sum())


@few
@given(sizes, seeds, losses)
def test_folding_in_keeps_to_the_topics_allowed(size, seed, loss):
    X, _, H = draw(size, seed)
    mask = np.random.default_rng(seed).random((len(X), len(H))) < 0.6
    mask[:, 0] = True
    found = fold_in(sparse.csr_matrix(X), H, loss, Limits(mask=mask))
    assert (found[~mask] == 0).all()
    for x, w, allowed in zip(X, found, mask, strict=True):
        # As if the other topics were not there.
        alone = fold_in(sparse.csr_matrix(x[None]), H[allowed], loss)
        assert loss_of(x[None], w[None], H, loss) <= loss_of(x[None], alone, H[allowed], loss) + 1e-5 * (1 + x.sum())


@pytest.mark.parametrize(("loss", "multiply"), [("kl", multiply_weights), ("frobenius", multiply_weights_squares)])
def test_steps_toward_the_best_weights_are_multiplicative_updates(loss, multiply):
    rng = np.random.default_rng(0)
    X, H = rng.poisson(1.0, (8, 12)).astype(float), rng.gamma(0.5, size=(3, 12))
    W = np.ones((8, 3))
    for _ in range(4):
        W = multiply(X, W, H)
    np.testing.assert_allclose(step_toward(sparse.csr_matrix(X), H, loss, 4), W, rtol=1e-9)
    best = fold_in(sparse.csr_matrix(X), H, loss)
    np.testing.assert_allclose(step_toward(sparse.csr_matrix(X), H, loss, 3000), best, atol=1e-3)


@few
@given(sizes, seeds, losses, st.booleans())
def test_one_multiplicative_iteration_is_a_step_of_the_weights_then_one_of_the_topics(size, seed, loss, weighted):
    X, W, H = draw(size, seed)
    X += 0.1
    weights = np.random.default_rng(seed).uniform(0.5, 3.0, len(X)) if weighted else np.ones(len(X))
    for_weights, for_topics = {
        "kl": (multiply_weights, multiply_topics),
        "frobenius": (multiply_weights_squares, multiply_topics_squares),
    }[loss]
    E = weights[:, None]
    W_next = for_weights(X, W, H, E=E)
    H_next = for_topics(X, W_next, H, E=E)
    model = NMF(len(H), loss=loss, solver="mu", init="custom", max_iter=1).fit(X, sample_weight=weights, W=W, H=H)
    expected = [loss_of(X, *factors, loss, E) for factors in ((W, H), (W_next, H_next))]
    # Where a fit is exact, rounding is all that is left of the path.
    np.testing.assert_allclose(model.objective_path_, expected[: model.n_iter_ + 1], rtol=1e-8, atol=1e-8)
    if model.n_iter_:
        np.testing.assert_allclose(model.components_, normal(H_next), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_multiplicative_iterations_are_those_of_scikit_learn(loss):
    X, W, H = draw((20, 15, 3), 0)
    X += 0.1
    ours = fit(X, W, H, loss=loss, solver="mu", max_iter=3, tol=0.0)
    theirs = decomposition.NMF(3, beta_loss=THEIR_LOSS[loss], solver="mu", init="custom", max_iter=3, tol=0.0)
    W = theirs.fit_transform(X, W=W.copy(), H=H.copy())
    np.testing.assert_allclose(ours.components_, normal(theirs.components_), rtol=1e-6)
    assert ours.objective_path_[-1] == pytest.approx(loss_of(X, W, theirs.components_, loss), rel=1e-6)


@few
@given(sizes, seeds, losses, prices)
def test_the_error_is_that_of_scikit_learn_for_the_same_factors(size, seed, loss, alpha):
    X, W, H = draw(size, seed)
    model = NMF(len(H), loss=loss, init="custom", alpha_W=alpha, alpha_H=alpha, max_iter=10)
    W = model.fit_transform(X, W=W, H=H)
    product = W @ model.components_
    # Beta divergence, square root of twice the sum: for squares the Frobenius norm.
    expected = np.sqrt(2 * max(0.0, divergence(X, product))) if loss == "kl" else np.linalg.norm(X - product)
    assert model.reconstruction_err_ == pytest.approx(expected, rel=1e-5, abs=1e-5)


@few
@given(sizes, seeds, losses, prices, st.sampled_from([0.0, 1.0]))
def test_the_path_starts_at_the_objective_of_the_start_penalties_included(size, seed, loss, alpha, l1_ratio):
    X, W, H = draw(size, seed)
    model = fit(X, W, H, loss=loss, alpha_W=alpha, alpha_H=2 * alpha, l1_ratio=l1_ratio, max_iter=1)
    costs = penalty(W, alpha * l1_ratio, alpha * (1 - l1_ratio))
    costs += penalty(H, 2 * alpha * l1_ratio, 2 * alpha * (1 - l1_ratio))
    assert model.objective_path_[0] == pytest.approx(loss_of(X, W, H, loss) + costs)


@few
@given(sizes, seeds, losses)
def test_topics_sum_to_one_and_under_the_divergence_weights_count_tokens(size, seed, loss):
    X, W, H = draw(size, seed)
    model = fit(X, W, H, loss=loss, max_iter=30)
    sums = model.components_.sum(axis=1)
    np.testing.assert_allclose(sums[sums > 0], 1.0, rtol=1e-9)
    if loss == "kl" and (sums > 0).all():
        np.testing.assert_allclose(model.transform(X).sum(axis=1), X.sum(axis=1), rtol=1e-3)


@few
@given(sizes, seeds, losses, solvers)
def test_sparse_matrices_give_the_bits_of_dense_ones(size, seed, loss, solver):
    X, W, H = draw(size, seed)
    expected = fit(X, W, H, loss=loss, solver=solver, max_iter=5)
    doubled = sparse.coo_matrix(X)
    halves = sparse.coo_matrix(
        (np.tile(doubled.data / 2, 2), (np.tile(doubled.row, 2), np.tile(doubled.col, 2))), X.shape
    )
    for form in (sparse.csr_matrix(X), sparse.csc_array(X), sparse.csr_array(X), halves, pd.DataFrame(X).to_numpy()):
        model = fit(form, W, H, loss=loss, solver=solver, max_iter=5)
        assert model.components_.tobytes() == expected.components_.tobytes()
        assert model.transform(form).tobytes() == expected.transform(X).tobytes()


@few
@given(sizes, seeds, losses, solvers)
def test_permuting_documents_permutes_their_weights(size, seed, loss, solver):
    X, W, H = draw(size, seed)
    order = np.random.default_rng(seed).permutation(len(X))
    # One iteration: where a fit is exact, later ones only shuffle rounding.
    plain, permuted = (fit(*start, H, loss=loss, solver=solver, max_iter=1) for start in ((X, W), (X[order], W[order])))
    np.testing.assert_allclose(permuted.components_, plain.components_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(permuted.objective_path_, plain.objective_path_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(plain.transform(X[order]), plain.transform(X)[order])


@few
@given(sizes, seeds, losses, solvers, prices)
def test_a_document_of_weight_two_is_two_documents(size, seed, loss, solver, alpha):
    X, W, H = draw(size, seed)
    weights = np.ones(len(X))
    weights[0] = 2.0
    options = {"loss": loss, "solver": solver, "init": "custom", "alpha_W": alpha, "alpha_H": alpha, "max_iter": 1}
    weighted = NMF(len(H), **options).fit(X, sample_weight=weights, W=W, H=H)
    twice = NMF(len(H), **options).fit(np.vstack([X, X[:1]]), W=np.vstack([W, W[:1]]), H=H)
    np.testing.assert_allclose(weighted.components_, twice.components_, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(weighted.objective_path_, twice.objective_path_, rtol=1e-8, atol=1e-8)
    assert weighted.reconstruction_err_ == pytest.approx(twice.reconstruction_err_, rel=1e-4, abs=1e-4)


@few
@given(sizes, seeds, losses)
def test_weights_of_one_and_documents_of_weight_zero_change_nothing(size, seed, loss):
    X, W, H = draw(size, seed)
    options = {"loss": loss, "init": "custom", "max_iter": 1}
    plain = NMF(len(H), **options).fit(X, W=W, H=H)
    ones = NMF(len(H), **options).fit(X, sample_weight=np.ones(len(X)), W=W, H=H)
    assert ones.components_.tobytes() == plain.components_.tobytes()
    more = NMF(len(H), **options).fit(
        np.vstack([X, X[:1] + 5]), sample_weight=[1.0] * len(X) + [0.0], W=np.vstack([W, W[:1]]), H=H
    )
    np.testing.assert_allclose(more.components_, plain.components_, rtol=1e-6, atol=1e-9)


@few
@given(sizes, seeds, losses)
def test_inverse_transform_multiplies_weights_and_topics(size, seed, loss):
    X, W, H = draw(size, seed)
    model = fit(X, W, H, loss=loss, max_iter=3)
    np.testing.assert_allclose(model.inverse_transform(W), W @ model.components_)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("solver", ["cd", "mu"])
def test_the_same_bits_on_every_run_and_for_any_number_of_threads(monkeypatch, loss, solver):
    X = sparse.csr_matrix(draw((400, 300, 1), 0)[0])
    results = set()
    for threads in ("1", "1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        model = NMF(5, loss=loss, solver=solver, max_iter=4, tol=0.0).fit(X)
        model.partial_fit(X[:200])
        results.add((model.components_.tobytes(), model.transform(X).tobytes(), model.objective_path_.tobytes()))
    assert len(results) == 1


@pytest.mark.parametrize("init", ["random", "acol"])
def test_another_seed_gives_another_model_and_none_another_each_time(init):
    X = draw((40, 30, 1), 1)[0]
    first, second = (NMF(3, init=init, random_state=seed, max_iter=1).fit(X).components_ for seed in (0, 1))
    assert (first != second).any()
    first, second = (NMF(3, init=init, random_state=None, max_iter=1).fit(X).components_ for _ in range(2))
    assert (first != second).any()


@pytest.mark.parametrize("loss", LOSSES)
def test_single_precision_stays_single_and_gets_as_low(loss):
    X, W, H = draw((40, 30, 3), 2)
    double = fit(X, W, H, loss=loss)
    single = NMF(3, loss=loss, init="custom")
    weights = single.fit_transform(X.astype(np.float32), W=W, H=H)
    assert weights.dtype == single.components_.dtype == np.float32
    assert single.inverse_transform(weights).dtype == np.float32
    assert single.partial_fit(X.astype(np.float32)).components_.dtype == np.float32
    assert single.reconstruction_err_ == pytest.approx(double.reconstruction_err_, rel=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_penalties_shrink_both_factors_and_what_they_explain(loss, l1_ratio):
    X, _, _ = draw_planted(documents=80)
    sizes = []
    for alpha in (0.01, 1.0, 10.0):
        # With a penalty on one factor alone, the other could take up its scale.
        model = NMF(4, loss=loss, alpha_W=alpha, alpha_H=alpha, l1_ratio=l1_ratio)
        W = model.fit_transform(X)
        sizes.append((penalty(W, 1, 1) + penalty(model.components_, 1, 1), (W @ model.components_).sum()))
    for before, after in pairwise(sizes):
        assert after[0] < before[0]
        assert after[1] < before[1]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_penalty_that_is_too_strong_leaves_nothing_but_stays_finite(loss):
    X, _, _ = draw_planted(documents=50)
    model = NMF(3, loss=loss, alpha_W=1e6, alpha_H=1e6, l1_ratio=1.0)
    weights = model.fit_transform(X)
    assert np.isfinite(model.components_).all()
    assert weights.sum() <= 1e-3 * X.sum()


def test_the_callback_is_told_every_iteration_and_can_stop():
    X = draw((30, 20, 1), 3)[0]
    told = []
    model = NMF(3, max_iter=8, tol=0.0, callback=lambda iteration, objective: told.append((iteration, objective)))
    model.fit(X)
    assert told == list(enumerate(model.objective_path_[1:].tolist(), start=1))
    stopped = NMF(3, tol=0.0, callback=lambda iteration, objective: iteration == 2).fit(X)
    assert stopped.n_iter_ == 2
    assert not stopped.converged_


def test_it_says_whether_it_settled():
    X = draw((30, 20, 1), 4)[0]
    assert NMF(3, max_iter=5000).fit(X).converged_
    assert not NMF(3, max_iter=2, tol=0.0).fit(X).converged_


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("init", ["nndsvda", "random", "acol"])
def test_planted_topics_are_found(loss, init):
    X, weights, topics = draw_planted()
    model = NMF(4, loss=loss, init=init, tol=1e-6).fit(X)
    assert similarity(model, X, weights) > 0.85
    cosines = normal(model.components_) @ topics.T
    cosines /= np.linalg.norm(normal(model.components_), axis=1)[:, None] * np.linalg.norm(topics, axis=1)
    assert match_topics(cosines).similarities.min() > 0.98


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("solver", ["cd", "mu"])
def test_it_gets_at_least_as_low_as_scikit_learn_from_the_same_start(loss, solver):
    X = draw_planted(documents=150)[0]
    rng = np.random.default_rng(5)
    W, H = rng.random((150, 4)), rng.random((4, 60))
    ours = fit(X, W, H, loss=loss, solver=solver, tol=0.0, max_iter=100)
    their_solver = "cd" if (loss, solver) == ("frobenius", "cd") else "mu"
    theirs = decomposition.NMF(
        4, beta_loss=THEIR_LOSS[loss], solver=their_solver, init="custom", tol=0.0, max_iter=100
    ).fit(X, W=W.copy(), H=H.copy())
    assert ours.reconstruction_err_ <= theirs.reconstruction_err_ * (1 + 1e-4)


@pytest.mark.parametrize("loss", LOSSES)
def test_batches_teach_nearly_as_much_as_all_documents_at_once(loss):
    X, weights, _ = draw_planted(documents=600)
    unseen = draw_planted(documents=600)[0][500:]
    whole = NMF(4, loss=loss).fit(X[:500])
    model = NMF(4, loss=loss, forget_factor=0.95)
    for _ in range(4):
        for first in range(0, 500, 50):
            model.partial_fit(X[first : first + 50])
    assert model.n_iter_ == 40
    assert similarity(model, X[:500], weights[:500]) > 0.8
    assert model.score(unseen) > whole.score(unseen) - 0.05


@pytest.mark.parametrize("loss", LOSSES)
def test_who_forgets_more_follows_a_change_of_topics_faster(loss):
    before, after = draw_planted(seed=6)[0], draw_planted(seed=7)[0]
    scores = []
    for forget_factor in (0.1, 0.7, 1.0):
        model = NMF(4, loss=loss, forget_factor=forget_factor)
        for first in range(0, 300, 30):
            model.partial_fit(before[first : first + 30])
        for first in range(0, 90, 30):
            model.partial_fit(after[first : first + 30])
        scores.append(model.score(after[90:]))
    assert scores[0] > scores[1] > scores[2]


@pytest.mark.parametrize("loss", LOSSES)
def test_batches_after_fit_go_on_from_there(loss):
    X, weights, _ = draw_planted()
    model = NMF(4, loss=loss, forget_factor=1.0, tol=1e-7, max_iter=1000).fit(X[:200])
    fitted, iterations = model.components_.copy(), model.n_iter_
    model.partial_fit(X[200:])
    assert model.n_iter_ == iterations + 1
    assert (model.components_ != fitted).any()
    # More of the same changes little.
    np.testing.assert_allclose(normal(model.components_), fitted, atol=0.03)
    assert similarity(model, X, weights) > 0.85


@pytest.mark.parametrize("loss", LOSSES)
def test_documents_already_fitted_ask_for_no_change(loss):
    X = draw_planted(documents=100)[0]
    model = NMF(4, loss=loss, tol=1e-10, max_iter=5000).fit(X)
    fitted = model.components_.copy()
    np.testing.assert_allclose(normal(model.partial_fit(X).components_), fitted, atol=2e-3)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("init", ["nndsvda", "random", "acol"])
def test_a_first_batch_may_have_fewer_documents_than_topics(loss, init):
    X = draw_planted()[0]
    model = NMF(4, loss=loss, init=init).partial_fit(X[:2])
    assert model.components_.shape == (4, 60)
    for first in range(2, 300, 20):
        model.partial_fit(X[first : first + 20])
    assert np.isfinite(model.components_).all()
    assert (model.components_ >= 0).all()
    assert model.transform(X).shape == (300, 4)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_first_batch_may_bring_a_custom_start(loss):
    X, W, H = draw((10, 8, 3), 8)
    given = NMF(3, loss=loss, init="custom").partial_fit(X, W=W, H=H)
    assert np.isfinite(given.components_).all()
    with pytest.raises(InputError, match="needs both W and H"):
        NMF(3, loss=loss, init="custom").partial_fit(X)


@pytest.mark.parametrize("loss", LOSSES)
def test_batches_with_penalties_shrink_the_topics(loss):
    X = draw_planted(documents=100)[0]
    sums = []
    for alpha in (0.0, 5.0, 50.0):
        for l1_ratio in (0.0, 1.0):
            model = NMF(4, loss=loss, alpha_H=alpha, l1_ratio=l1_ratio)
            sums.append(model.partial_fit(X[:50]).partial_fit(X[50:]).components_.sum())
    assert sums[0] == sums[1]
    assert sums[0] > sums[2] > sums[4]
    assert sums[1] > sums[3] > sums[5]


@pytest.mark.parametrize("alpha", [1e-12, 1e-9])
def test_a_penalty_that_hardly_counts_hardly_changes_what_batches_teach(alpha):
    X = draw_planted(documents=100)[0]
    free, penalised = (NMF(4, alpha_H=a).partial_fit(X[:50]).partial_fit(X[50:]).components_ for a in (0.0, alpha))
    np.testing.assert_allclose(penalised, free, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_topic_that_no_document_asks_for_stays_as_it_is(loss):
    X = np.array([[4.0, 2.0, 0.0, 0.0], [2.0, 1.0, 0.0, 0.0]])
    H = np.array([[2 / 3, 1 / 3, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    model = NMF(2, loss=loss, init="custom").partial_fit(X, W=np.ones((2, 2)), H=H)
    np.testing.assert_allclose(model.components_, H, atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_empty_documents_in_a_batch_only_let_the_memory_fade(loss):
    X = draw_planted(documents=60)[0]
    model = NMF(4, loss=loss).partial_fit(X)
    learnt = model.components_.copy()
    model.partial_fit(np.zeros((3, 60)))
    np.testing.assert_allclose(model.components_, learnt, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_true_number_of_topics_scores_higher_than_one_topic_on_unseen_documents(loss):
    X = draw_planted()[0]
    scores = {k: NMF(k, loss=loss).fit(X[:200]).score(X[200:]) for k in (1, 2, 4)}
    assert scores[4] > scores[2] > scores[1]


@pytest.mark.parametrize("loss", LOSSES)
def test_the_score_is_the_same_each_time_and_of_the_kind_it_says(loss):
    X = draw_planted()[0]
    model = NMF(4, loss=loss).fit(X)
    assert model.score(X) == model.score(X)
    if loss == "frobenius":
        assert 0.5 < model.score(X) <= 1
    else:
        # Better than an even prediction, worse than certainty.
        assert np.log(1 / 60) < model.score(X) < 0


def test_a_perfect_prediction_scores_the_log_probability_of_its_tokens():
    X = sparse.csr_matrix(np.full((200, 4), 100.0))
    score = score_of(X, np.full((1, 4), 0.25), "kl")
    assert score == pytest.approx(np.log(0.25))


def test_terms_that_no_topic_knows_score_low_but_finitely():
    X = sparse.csr_matrix([[5.0, 5.0], [0.0, 9.0]])
    for loss in LOSSES:
        assert np.isfinite(score_of(X, np.array([[1.0, 0.0]]), loss))


def test_documents_of_nothing_cannot_be_scored():
    model = NMF(2).fit(draw((6, 5, 1), 9)[0])
    with pytest.raises(InputError, match="nothing to predict"):
        model.score(np.zeros((3, 5)))


def test_inverse_transform_wants_a_weight_for_each_topic():
    model = NMF(2).fit(draw((6, 5, 1), 9)[0])
    with pytest.raises(InputError, match="expected weights of 2 topics, got 3 columns"):
        model.inverse_transform(np.ones((4, 3)))


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ({}, "init='custom' needs both W and H; W was not given"),
        ({"W": np.ones((6, 2))}, "init='custom' needs both W and H; H was not given"),
        ({"W": np.ones((6, 3)), "H": np.ones((2, 5))}, r"W must have shape \(6, 2\), got \(6, 3\)"),
        ({"W": np.ones((6, 2)), "H": np.ones((5, 2))}, r"H must have shape \(2, 5\), got \(5, 2\)"),
        ({"W": np.ones((6, 2)), "H": -np.ones((2, 5))}, "H must hold finite numbers of 0 or more"),
        ({"W": np.full((6, 2), np.nan), "H": np.ones((2, 5))}, "W must hold finite numbers of 0 or more"),
    ],
)
@pytest.mark.parametrize("method", ["fit", "fit_transform", "partial_fit"])
def test_a_custom_start_that_does_not_fit_is_an_error(start, message, method):
    with pytest.raises(InputError, match=message):
        getattr(NMF(2, init="custom"), method)(draw((6, 5, 1), 9)[0], **start)


def test_a_custom_start_is_left_alone():
    X, W, H = draw((6, 5, 2), 10)
    before = W.copy(), H.copy(), X.copy()
    fit(X, W, H)
    assert all((now == then).all() for now, then in zip((W, H, X), before, strict=True))


def test_weights_come_as_a_frame_on_request():
    X = pd.DataFrame(draw((6, 3, 1), 11)[0], columns=["corn", "oil", "ship"], index=list("abcdef"))
    model = NMF(2).set_output(transform="pandas").fit(X)
    frame = model.transform(X)
    assert frame.columns.tolist() == ["nmf0", "nmf1"] == model.get_feature_names_out().tolist()
    assert frame.index.tolist() == list("abcdef")
    assert model.feature_names_in_.tolist() == ["corn", "oil", "ship"]
    assert (NMF(2).set_output(transform="pandas").fit_transform(X).to_numpy() == frame.to_numpy()).all()
    with pytest.raises(ValueError, match="feature names"):
        model.transform(X[["oil", "corn", "ship"]])


def test_texts_go_through_a_pipeline():
    fields, seas = "corn wheat corn harvest", "ship harbour ship sailor"
    texts = [fields, seas, f"{fields} {fields}", f"{seas} {fields}"]
    pipeline = make_pipeline(Vectorizer(), NMF(2))
    weights = pipeline.fit_transform(texts)
    assert weights[0].argmax() != weights[1].argmax()
    np.testing.assert_allclose(weights[2], 2 * weights[0], atol=1e-3)
    np.testing.assert_allclose(weights[3], weights[0] + weights[1], atol=1e-3)
    assert (pipeline.transform(["xyzzy"]) == 0).all()


def test_a_clone_has_the_settings_and_nothing_learnt():
    model = NMF(3, loss="frobenius", alpha_W=0.1, random_state=7).fit(draw((6, 5, 1), 12)[0])
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "components_")


def test_a_grid_search_finds_the_number_of_topics():
    X = draw_planted()[0]
    search = GridSearchCV(NMF(max_iter=60), {"n_components": [1, 2, 4]}, cv=3).fit(X)
    assert search.best_params_ == {"n_components": 4}


def test_a_matrix_with_duplicates_is_left_as_it_is():
    X = sparse.csr_matrix((np.arange(1.0, 7.0), np.array([1, 0, 0, 2, 1, 2]), np.array([0, 3, 6])), shape=(2, 3))
    NMF(1).fit(X)
    assert X.data.tolist() == [1, 2, 3, 4, 5, 6]


def test_places_of_64_bits_are_taken_too():
    places = np.array([0, 1, 2, 3]), np.array([0, 1, 2, 3])
    X = sparse.coo_array((np.ones(4), places), shape=(6, 8)).tocsr()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert NMF(2).fit(X).components_.shape == (2, 8)


def test_a_start_is_not_ignored_in_silence():
    X = draw_planted(documents=20)[0]
    with pytest.raises(InputError, match="init='custom'"):
        NMF(2).fit(X, W=np.ones((20, 2)), H=np.ones((2, X.shape[1])))


def test_a_start_of_zeros_is_an_error():
    X = draw_planted(documents=20)[0]
    with pytest.raises(InputError, match="zero throughout"):
        NMF(2, init="custom").fit(X, W=np.zeros((20, 2)), H=np.ones((2, X.shape[1])))


@pytest.mark.parametrize("loss", ["kl", "frobenius"])
def test_the_true_number_of_topics_of_weights_that_are_no_counts_scores_best(loss):
    rng = np.random.default_rng(0)
    X = rng.dirichlet(np.full(5, 0.3), 300) @ rng.dirichlet(np.full(40, 0.1), 5)
    scores = [NMF(k, loss=loss).fit(X[:150]).score(X[150:]) for k in (1, 3, 5)]
    assert np.argmax(scores) == 2
