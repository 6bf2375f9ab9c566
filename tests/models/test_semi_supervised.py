from itertools import pairwise
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive.factor import divergence
from naive.semi_supervised import energy, multiply_labels, multiply_topics, multiply_weights
from wayword import NMF, SemiSupervisedNMF
from wayword.models.alternate import SQUARE_SWEEPS
from wayword.models.labels import read_labels
from wayword.models.semi_supervised import _Joint

LOSSES = ["kl", "frobenius"]
sizes = st.tuples(st.integers(3, 8), st.integers(2, 8), st.integers(1, 4))
seeds = st.integers(0, 2**32 - 1)
losses = st.sampled_from(LOSSES)
solvers = st.sampled_from(["cd", "mu"])
strengths = st.sampled_from([0.0, 0.1, 1.0, 30.0])
few = settings(max_examples=25)
every_loss = pytest.mark.parametrize("loss", LOSSES)
every_label_loss = pytest.mark.parametrize("label_loss", LOSSES)


def draw(size, seed, n_labels=3):
    """Return counts, labels with rows and single entries missing, and factors."""
    D, V, K = size
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.5, (D, V)) + 0.1
    y = rng.choice([0, 1, -1], p=[0.4, 0.4, 0.2], size=(D, n_labels))
    y[rng.random(D) < 0.3] = -1
    y[0] = 1
    return X, y, rng.random((D, K)) + 0.1, rng.random((K, V)) + 0.1, rng.random((K, n_labels)) + 0.1


def draw_planted(seed=1, documents=300, length=60):
    """Return counts of three topics, and their weights."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(50, 0.1), size=3)
    weights = rng.dirichlet(np.full(3, 0.1), size=documents)
    return np.stack([rng.multinomial(length, row) for row in weights @ topics]).astype(float), weights


def draw_hidden(seed=0, documents=300):
    """Return counts that tell two styles apart more than the two labels."""
    rng = np.random.default_rng(seed)
    style, label = rng.integers(0, 2, (2, documents))
    of_style, of_label = rng.dirichlet(np.full(30, 0.5), size=2), rng.dirichlet(np.full(30, 0.5), size=2)
    pairs = zip(of_style[style], of_label[label], strict=True)
    X = [np.hstack([rng.multinomial(60, first), rng.multinomial(40, second)]) for first, second in pairs]
    return np.array(X, dtype=float), np.array(["yes", "no"])[label]


def join(X, y, *, losses, strength, newton=False, weights=None):
    """Return the problem, and what is told in its order."""
    labels = read_labels(y, len(X))
    joint = _Joint(sparse.csr_matrix(X), labels, losses=losses, strength=strength, newton=newton, weights=weights)
    known, indicator = labels.known[joint.order].astype(float), labels.indicator[joint.order].astype(float)
    return joint, X[joint.order], indicator, known


def loss_of(A, B, loss, E):
    return divergence(A, B, E) if loss == "kl" else 0.5 * float((E * (A - B) ** 2).sum())


def naive_objective(X, Y, L, W, H, B, *, losses, strength, weights=None):
    E = np.ones((len(X), 1)) if weights is None else weights[:, None]
    return loss_of(X, W @ H, losses[0], E) + strength * loss_of(Y, W @ B, losses[1], E * L)


@settings(max_examples=40)
@given(sizes, seeds, losses, losses, solvers, st.sampled_from(["balanced", 0.3, 30.0]), st.booleans())
def test_path_never_rises_with_labels_missing(size, seed, loss, label_loss, solver, strength, weighted):
    X, y, *_ = draw(size, seed)
    weights = np.random.default_rng(seed).uniform(0.5, 3.0, len(X)) if weighted else None
    options = {"loss": loss, "label_loss": label_loss, "solver": solver, "label_strength": strength}
    model = SemiSupervisedNMF(size[2], max_iter=15, tol=0.0, **options).fit(X, y, weights)
    assert all(after <= before for before, after in pairwise(model.objective_path_))
    for array in (model.components_, model.class_weights_, model.document_weights_):
        assert np.isfinite(array).all()
        assert (array >= 0).all()


@given(sizes, seeds, losses, losses, strengths, st.booleans())
def test_the_objective_is_the_dense_one(size, seed, loss, label_loss, strength, weighted):
    X, y, W, H, B = draw(size, seed)
    weights = np.random.default_rng(seed).uniform(0.5, 3.0, len(X)) if weighted else None
    options = {"losses": (loss, label_loss), "strength": strength}
    joint, X, Y, L = join(X, y, weights=weights, **options)
    in_order = None if weights is None else weights[joint.order]
    expected = naive_objective(X, Y, L, W, H, B, weights=in_order, **options)
    found = joint.objective(W, np.vstack([H.T, B.T]))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(max_examples=40)
@given(sizes, seeds, losses, losses, strengths, st.booleans(), st.booleans())
def test_no_step_raises_the_objective(size, seed, loss, label_loss, strength, newton, weighted):
    X, y, W, H, B = draw(size, seed)
    weights = np.random.default_rng(seed).uniform(0.5, 3.0, len(X)) if weighted else None
    joint, *_ = join(X, y, losses=(loss, label_loss), strength=strength, newton=newton, weights=weights)
    topics = np.vstack([H.T, B.T])
    for _ in range(3):
        start = joint.objective(W, topics)
        W = joint.improve_weights(W, topics)
        between = joint.objective(W, topics)
        topics = joint.improve_topics(W, topics)
        slack = 1e-10 * (1 + abs(start) + (X**2).sum())
        assert joint.objective(W, topics) - slack <= between <= start + slack


@given(sizes, seeds, strengths)
def test_multiplicative_steps_of_squares_are_those_of_the_paper(size, seed, strength):
    X, y, W, H, B = draw(size, seed)
    joint, X, Y, L = join(X, y, losses=("frobenius", "frobenius"), strength=strength)
    topics = np.vstack([H.T, B.T])
    assert 2 * joint.objective(W, topics) == pytest.approx(energy(X, Y, L, W, H, B, strength))
    found = joint.improve_weights(W, topics)
    np.testing.assert_allclose(found, multiply_weights(X, Y, L, W, H, B, strength), rtol=1e-8)
    found_topics = joint.improve_topics(found, topics)
    np.testing.assert_allclose(found_topics[: X.shape[1]].T, multiply_topics(X, found, H), rtol=1e-8)
    np.testing.assert_allclose(found_topics[X.shape[1] :].T, multiply_labels(Y, L, found, B), rtol=1e-8, atol=1e-12)


@few
@given(sizes, seeds, losses, losses, st.sampled_from(["balanced", 2.0]))
def test_the_path_ends_at_the_objective_of_what_was_found(size, seed, loss, label_loss, strength):
    X, y, *_ = draw(size, seed)
    options = {"loss": loss, "label_loss": label_loss, "label_strength": strength, "max_iter": 5}
    model = SemiSupervisedNMF(size[2], **options).fit(X, y)
    labels = read_labels(y, len(X))
    W, H, B = model.document_weights_, model.components_, model.class_weights_.T
    Y, L = labels.indicator.astype(float), labels.known.astype(float)
    expected = naive_objective(X, Y, L, W, H, B, losses=(loss, label_loss), strength=model.label_strength_)
    assert model.objective_path_[-1] == pytest.approx(expected, rel=1e-6, abs=1e-6)
    error = np.sqrt(2 * loss_of(X, W @ H, loss, 1.0))
    assert model.reconstruction_err_ == pytest.approx(error, rel=1e-5, abs=1e-4)


@few
@given(sizes, seeds, losses, solvers)
def test_labels_without_strength_leave_the_path_of_plain_factorisation(size, seed, loss, solver):
    X, y, *_ = draw(size, seed)
    options = {"loss": loss, "solver": solver, "max_iter": 2, "tol": 0.0}
    model = SemiSupervisedNMF(size[2], label_strength=0.0, label_loss=loss, **options).fit(X, y)
    # With the same steps: `NMF` begins with smaller ones under squares.
    with mock.patch.multiple("wayword.models.nmf", _PLAIN_STEPS=0, _PLAIN_SWEEPS=SQUARE_SWEEPS):
        plain = NMF(size[2], **options).fit(X)
    # Where nothing is left to gain, rounding says when to stop.
    length = min(model.n_iter_, plain.n_iter_) + 1
    np.testing.assert_allclose(model.objective_path_[:length], plain.objective_path_[:length], rtol=1e-6, atol=1e-6)
    if length == 3 and plain.objective_path_[-1] > 1e-6:
        np.testing.assert_allclose(model.components_, plain.components_, rtol=1e-3, atol=1e-5)


@every_loss
@every_label_loss
@pytest.mark.parametrize("solver", ["cd", "mu"])
def test_labels_without_strength_leave_the_topics_of_plain_factorisation(loss, label_loss, solver):
    X, weights = draw_planted(documents=100)
    options = {"loss": loss, "solver": solver, "max_iter": 500, "tol": 1e-7}
    y = weights.argmax(axis=1)
    model = SemiSupervisedNMF(3, label_strength=0.0, label_loss=label_loss, **options).fit(X, y)
    plain = NMF(3, **options).fit(X)
    assert model.objective_path_[-1] == pytest.approx(plain.objective_path_[-1], rel=1e-3)
    np.testing.assert_allclose(model.components_, plain.components_, atol=1e-2)


@few
@given(sizes, seeds, losses, losses)
def test_importance_is_the_share_of_a_topic_in_all_class_weights(size, seed, loss, label_loss):
    X, y, *_ = draw(size, seed)
    model = SemiSupervisedNMF(size[2], loss=loss, label_loss=label_loss, max_iter=10).fit(X, y)
    assert model.class_weights_.shape == (3, size[2])
    assert model.topic_importance_.shape == (size[2],)
    assert model.topic_importance_.sum() == pytest.approx(1.0)
    # c_i: the sum of |B_ci| over labels, over the sum of all.
    expected = [sum(abs(b) for b in column) for column in model.class_weights_.T]
    np.testing.assert_allclose(model.topic_importance_, np.array(expected) / np.sum(expected))


@few
@given(sizes, seeds, losses, losses, solvers)
def test_permuting_documents_permutes_their_weights(size, seed, loss, label_loss, solver):
    X, y, W, H, B = draw(size, seed)
    order = np.random.default_rng(seed).permutation(len(X))
    topics, results = np.vstack([H.T, B.T]), []
    for rows in (np.arange(len(X)), order):
        joint, *_ = join(X[rows], y[rows], losses=(loss, label_loss), strength=1.5, newton=solver == "cd")
        found = np.empty_like(W)
        found[rows[joint.order]] = joint.improve_weights(W[rows][joint.order], topics)
        results.append(found)
    np.testing.assert_allclose(results[0], results[1], rtol=1e-9)


@few
@given(sizes, seeds, losses, losses, solvers)
def test_a_document_of_weight_two_is_two_documents(size, seed, loss, label_loss, solver):
    X, y, W, H, B = draw(size, seed)
    weights = np.ones(len(X))
    weights[0] = 2.0
    options = {"losses": (loss, label_loss), "strength": 1.5, "newton": solver == "cd"}
    weighted, *_ = join(X, y, weights=weights, **options)
    twice, *_ = join(np.vstack([X, X[:1]]), np.vstack([y, y[:1]]), **options)
    results = []
    for joint, start in ((weighted, W), (twice, np.vstack([W, W[:1]]))):
        topics = np.vstack([H.T, B.T])
        better = joint.improve_weights(start[joint.order], topics)
        topics = joint.improve_topics(better, topics)
        results.append((topics, joint.objective(better, topics)))
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-5, atol=1e-7)
    assert results[0][1] == pytest.approx(results[1][1], rel=1e-6, abs=1e-6)


@settings(max_examples=12)
@given(sizes, seeds, losses, losses)
def test_what_is_not_known_changes_nothing(size, seed, loss, label_loss):
    X, y, *_ = draw(size, seed)
    options = {"loss": loss, "label_loss": label_loss, "max_iter": 4}
    expected = SemiSupervisedNMF(size[2], **options).fit(X, y)
    names = ["a", "b", "c"]
    forms = [np.where(y == -1, np.nan, y), sparse.csr_matrix(y), pd.DataFrame(y, columns=names)]
    for form in forms:
        found = SemiSupervisedNMF(size[2], **options).fit(X, form)
        assert found.components_.tobytes() == expected.components_.tobytes()
        assert found.class_weights_.tobytes() == expected.class_weights_.tobytes()


@every_loss
@pytest.mark.parametrize("strength", ["balanced", 0.7])
def test_balanced_labels_weigh_as_much_as_the_terms(loss, strength):
    X, y, *_ = draw((8, 6, 2), 0)
    model = SemiSupervisedNMF(2, loss=loss, label_strength=strength).fit(X, y)
    mass = X.sum() if loss == "kl" else (X**2).sum()
    expected = mass / (y == 1).sum() if strength == "balanced" else 0.7
    assert model.label_strength_ == pytest.approx(expected)


@every_loss
@every_label_loss
@pytest.mark.parametrize("solver", ["cd", "mu"])
def test_the_same_bits_on_every_run_and_for_any_number_of_threads(monkeypatch, loss, label_loss, solver):
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.poisson(1.5, (300, 250)).astype(float))
    y = rng.choice([0, 1, -1], size=(300, 3))
    results = set()
    for threads in ("1", "1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        options = {"loss": loss, "label_loss": label_loss, "solver": solver}
        model = SemiSupervisedNMF(4, max_iter=3, tol=0.0, **options).fit(X, y)
        arrays = (model.components_, model.class_weights_, model.document_weights_, model.predict_proba(X))
        results.add(tuple(array.tobytes() for array in arrays))
    assert len(results) == 1


@every_loss
@every_label_loss
@pytest.mark.parametrize("solver", ["cd", "mu"])
def test_labels_of_planted_documents_are_predicted(loss, label_loss, solver):
    X, weights = draw_planted()
    names = np.array(["corn", "oil", "ship"])[weights.argmax(axis=1)]
    told = [name if document % 5 == 0 else None for document, name in enumerate(names[:200])]
    model = SemiSupervisedNMF(3, loss=loss, label_loss=label_loss, solver=solver).fit(X[:200], told)
    assert (model.predict(X[200:]) == names[200:]).mean() > 0.85
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    # Each topic speaks for a label of its own.
    assert sorted(model.class_weights_.argmax(axis=0)) == [0, 1, 2]


@every_loss
@every_label_loss
def test_several_labels_of_planted_documents_are_predicted(loss, label_loss):
    X, weights = draw_planted(length=150)
    truth = weights > 0.25
    y = np.where(np.arange(300)[:, None] % 3 == 0, truth, -1)
    model = SemiSupervisedNMF(3, loss=loss, label_loss=label_loss).fit(X, y)
    assert (model.predict(X) == truth).mean() > 0.85


@every_loss
@every_label_loss
def test_strong_labels_tell_apart_what_terms_alone_do_not(loss, label_loss):
    X, names = draw_hidden()
    told = [name if document < 200 else None for document, name in enumerate(names)]
    options = {"loss": loss, "label_loss": label_loss}
    weak = SemiSupervisedNMF(2, label_strength=0.0, **options).fit(X, told)
    balanced = SemiSupervisedNMF(2, **options).fit(X, told)
    strong = SemiSupervisedNMF(2, label_strength=20 * balanced.label_strength_, **options).fit(X, told)
    right = [(model.predict(X[200:]) == names[200:]).mean() for model in (weak, strong)]
    assert right[0] < 0.7
    assert right[1] > 0.9


def test_single_precision_stays_single():
    X, y, *_ = draw((8, 6, 2), 1)
    for loss in LOSSES:
        for label_loss in LOSSES:
            model = SemiSupervisedNMF(2, loss=loss, label_loss=label_loss, max_iter=5).fit(X.astype(np.float32), y)
            for array in (model.components_, model.class_weights_, model.document_weights_):
                assert array.dtype == np.float32
            assert model.transform(X.astype(np.float32)).dtype == np.float32


def test_topics_sum_to_one_and_transform_knows_no_labels():
    X, y, *_ = draw((8, 6, 2), 2)
    model = SemiSupervisedNMF(2).fit(X, y)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0)
    assert model.fit_transform(X, y).tobytes() == model.transform(X).tobytes()
    assert model.get_feature_names_out().tolist() == ["semisupervisednmf0", "semisupervisednmf1"]


def test_the_callback_is_told_every_iteration_and_can_stop():
    X, y, *_ = draw((8, 6, 2), 3)
    told = []
    model = SemiSupervisedNMF(2, max_iter=5, tol=0.0, callback=lambda *news: told.append(news)).fit(X, y)
    assert told == list(enumerate(model.objective_path_[1:].tolist(), start=1))
    stopped = SemiSupervisedNMF(2, tol=0.0, callback=lambda iteration, objective: iteration == 2).fit(X, y)
    assert stopped.n_iter_ == 2


@pytest.mark.parametrize("init", ["nndsvda", "random", "acol"])
def test_every_start_finds_the_labels_of_planted_documents(init):
    X, weights = draw_planted()
    names = weights.argmax(axis=1)
    model = SemiSupervisedNMF(3, init=init, random_state=1).fit(X, np.where(np.arange(300) % 4 == 0, names, -1))
    assert (model.predict(X) == names).mean() > 0.85
