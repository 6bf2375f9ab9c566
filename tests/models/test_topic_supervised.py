from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive.factor import (
    divergence,
    multiply_topics,
    multiply_topics_squares,
    multiply_weights,
    multiply_weights_squares,
    square_objective,
)
from wayword import NMF, TopicSupervisedNMF, Vectorizer, match_topics, resolved_topics, weighted_jaccard
from wayword.errors import InputError
from wayword.models.labels import read_labels
from wayword.models.start import start_from_documents
from wayword.models.topic_supervised import label_weights

LOSSES = ["kl", "frobenius"]
NAMES = ["corn", "oil", "ship"]
sizes = st.tuples(st.integers(4, 8), st.integers(2, 8), st.integers(0, 2))
seeds = st.integers(0, 2**32 - 1)
losses = st.sampled_from(LOSSES)
solvers = st.sampled_from(["cd", "mu"])
few = settings(max_examples=25)


def draw(size, seed):
    """Return counts, and lists of labels: each label once at least, one document without."""
    D, V, _ = size
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.5, (D, V)) + 0.1
    more = [[name for name in NAMES if rng.random() < 0.3] for _ in range(D - 4)]
    return X, [["corn"], ["corn", "oil"], ["ship"], [], *more]


def draw_planted(seed=1, documents=300, terms=60, n_topics=4, length=40):
    """Return counts, and the true weights."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(terms, 0.3), size=n_topics)
    weights = rng.dirichlet(np.full(n_topics, 0.1), size=documents)
    return np.stack([rng.multinomial(length, row) for row in weights @ topics]).astype(float), weights


def label_some(weights, share, seed=0, least=0.25):
    """Return the labels of some documents as a matrix, -1 for the others."""
    rng = np.random.default_rng(seed)
    told = rng.permutation(len(weights))[: int(share * len(weights))]
    y = np.full(weights.shape, -1)
    y[told] = weights[told] >= least
    return y


def draw_partly_labelled(seed):
    """Return counts of three topics, labels of the first two, and the true weights."""
    X, weights = draw_planted(seed, n_topics=3, length=100)
    y = label_some(weights, 0.4, least=0.6)
    y[weights[:, 2] > 0.2] = -1
    y[(y != -1).any(axis=1), 2] = 0
    return X, y, weights


def allowed_of(lists, n_topics):
    rows = [[not row or name in row for name in NAMES] + [True] * (n_topics - len(NAMES)) for row in lists]
    return np.array(rows)


def shares_of(model, X):
    weights = model.transform(X) * model.components_.sum(axis=1)
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)


@given(sizes, seeds, losses, solvers, st.sampled_from(["labels", "acol"]))
def test_path_never_rises_and_documents_keep_to_their_labels_topics(size, seed, loss, solver, init):
    X, y = draw(size, seed)
    options = {"loss": loss, "solver": solver, "init": init, "max_iter": 15, "tol": 0.0, "random_state": seed}
    model = TopicSupervisedNMF(3 + size[2], **options).fit(X, y)
    assert all(after <= before for before, after in pairwise(model.objective_path_))
    assert model.document_weights_.shape == (len(X), 3 + size[2])
    assert (model.document_weights_ >= 0).all()
    assert (model.document_weights_[~allowed_of(y, 3 + size[2])] == 0).all()


@few
@given(sizes, seeds, losses)
def test_weights_without_a_label_are_those_of_transform(size, seed, loss):
    X, y = draw(size, seed)
    model = TopicSupervisedNMF(loss=loss, max_iter=5).fit(X, y)
    free = [not row for row in y]
    assert model.document_weights_[free].tobytes() == model.transform(X)[free].tobytes()


@few
@given(sizes, seeds, losses, st.booleans())
def test_one_multiplicative_iteration_is_that_of_the_paper(size, seed, loss, weighted):
    X, y = draw(size, seed)
    K = 3 + size[2]
    sample_weight = np.random.default_rng(seed).uniform(0.5, 2.0, len(X)) if weighted else None
    model = TopicSupervisedNMF(K, loss=loss, solver="mu", init="acol", max_iter=1, random_state=0)
    model.fit(X, y, sample_weight)
    W, H = start_from_documents(sparse.csr_matrix(X), K, np.random.RandomState(0))
    S = allowed_of(y, K)
    E = label_weights(read_labels(y, len(y)), "inverse", sample_weight)[:, None]
    for_weights, for_topics = {
        "kl": (multiply_weights, multiply_topics),
        "frobenius": (multiply_weights_squares, multiply_topics_squares),
    }[loss]
    objective = (lambda W, H: divergence(X, W @ H, E)) if loss == "kl" else lambda W, H: square_objective(X, W, H, E=E)
    W_next = for_weights(X, W, H, S, E)
    H_next = for_topics(X, W_next, H, S, E)
    np.testing.assert_allclose(model.objective_path_, [objective(W * S, H), objective(W_next, H_next)], rtol=1e-8)
    np.testing.assert_allclose(model.components_, H_next / H_next.sum(axis=1, keepdims=True), rtol=1e-7, atol=1e-12)


@few
@given(sizes, seeds, losses, st.sampled_from(["inverse", 2.5, None]))
def test_the_error_weighs_labelled_documents_as_appendix_a_says(size, seed, loss, rule):
    X, y = draw(size, seed)
    model = TopicSupervisedNMF(loss=loss, label_weight=rule, max_iter=10).fit(X, y)
    n_labelled = sum(bool(row) for row in y)
    factor = {"inverse": len(X) / n_labelled, 2.5: 2.5, None: 1.0}[rule]
    E = np.array([[factor if row else 1.0] for row in y])
    product = model.document_weights_ @ model.components_
    expected = divergence(X, product, E) if loss == "kl" else 0.5 * (E * (X - product) ** 2).sum()
    assert model.reconstruction_err_ == pytest.approx(np.sqrt(2 * max(0.0, expected)), rel=1e-6, abs=1e-4)


@few
@given(sizes, seeds, losses)
def test_a_labelled_document_counts_so_many_times_an_unlabelled_one(size, seed, loss):
    X, y = draw(size, seed)
    inverse, number, none, one = (
        TopicSupervisedNMF(loss=loss, label_weight=rule, max_iter=5).fit(X, y).components_.tobytes()
        for rule in ("inverse", len(X) / sum(bool(row) for row in y), None, 1.0)
    )
    assert inverse == number
    assert none == one


@settings(max_examples=8)
@given(sizes, seeds, losses)
def test_every_form_of_several_labels_gives_the_same_topics(size, seed, loss):
    X, y = draw(size, seed)
    matrix = np.array([[int(name in row) for name in NAMES] for row in y])
    unknown = np.where(matrix.any(axis=1, keepdims=True), matrix, -1)
    forms = [
        [row or None for row in y],
        [tuple(row) for row in y],
        matrix,
        matrix.astype(bool),
        matrix.tolist(),
        unknown,
        np.where(unknown == -1, np.nan, unknown),
        sparse.csr_matrix(matrix),
        sparse.csc_array(unknown),
        pd.DataFrame(matrix, columns=NAMES),
        pd.DataFrame(unknown, columns=NAMES).replace(-1, np.nan),
    ]
    expected = TopicSupervisedNMF(loss=loss, max_iter=3).fit(X, y)
    for form in forms:
        found = TopicSupervisedNMF(loss=loss, max_iter=3).fit(X, form)
        assert found.components_.tobytes() == expected.components_.tobytes()
        assert found.threshold_ == expected.threshold_
        assert (found.predict_proba(X) == expected.predict_proba(X)).all()


@settings(max_examples=8)
@given(sizes, seeds, losses)
def test_every_form_of_single_labels_gives_the_same_topics(size, seed, loss):
    X, lists = draw(size, seed)
    y = [row[0] if row else None for row in lists]
    codes = {"corn": 3, "oil": 5, "ship": 8}
    forms = [
        np.array(y, dtype=object),
        pd.Series(y),
        pd.Series(pd.Categorical(y)),
        [float("nan") if name is None else name for name in y],
        [codes.get(name, -1) for name in y],
        np.array([codes.get(name, -1) for name in y])[:, None],
        np.array([codes.get(name, np.nan) for name in y]),
        [[name] if name else [] for name in y],
    ]
    expected = TopicSupervisedNMF(loss=loss, max_iter=3).fit(X, y).components_.tobytes()
    for form in forms:
        assert TopicSupervisedNMF(loss=loss, max_iter=3).fit(X, form).components_.tobytes() == expected


@few
@given(sizes, seeds, losses, solvers)
def test_an_entry_that_is_not_known_allows_its_topic(size, seed, loss, solver):
    X, y = draw(size, seed)
    matrix = np.array([[int(name in row) for name in NAMES] for row in y])
    matrix[0] = [1, 0, -1]
    matrix[1] = [0, -1, -1]
    weights = TopicSupervisedNMF(loss=loss, solver=solver, max_iter=10).fit(X, matrix).document_weights_
    assert weights[0, 1] == 0
    assert weights[1, 0] == 0
    # As with the entry told to be one, where only what is allowed matters.
    told = matrix.copy()
    told[0, 2] = 1
    options = {"loss": loss, "solver": solver, "init": "acol", "max_iter": 3}
    found, expected = (TopicSupervisedNMF(**options).fit(X, labels) for labels in (matrix, told))
    assert found.components_.tobytes() == expected.components_.tobytes()


@few
@given(sizes, seeds, losses)
def test_chances_of_single_labels_sum_to_one_in_the_order_of_the_labels(size, seed, loss):
    X, lists = draw(size, seed)
    y = [row[-1] if row else None for row in lists]
    model = TopicSupervisedNMF(4, loss=loss, max_iter=10).fit(X, y)
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert model.classes_.tolist() == ["corn", "oil", "ship"]
    assert (model.predict(X) == model.classes_[chances.argmax(axis=1)]).all()


@few
@given(sizes, seeds, losses)
def test_of_several_labels_those_with_even_chances_or_better_apply(size, seed, loss):
    X, y = draw(size, seed)
    model = TopicSupervisedNMF(loss=loss, max_iter=10).fit(X, y)
    chances = model.predict_proba(X)
    assert ((chances > 0) & (chances < 1)).all()
    assert model.predict(X) == [model.classes_[row >= 0.5].tolist() for row in chances]
    shares = shares_of(model, X)
    clear = np.abs(shares - model.threshold_) > 1e-6
    assert ((chances > 0.5) == (shares > model.threshold_))[clear].all()


@few
@given(sizes, seeds, losses)
def test_a_document_alone_gets_the_answer_it_gets_among_others(size, seed, loss):
    X, y = draw(size, seed)
    model = TopicSupervisedNMF(loss=loss, max_iter=5).fit(X, y)
    together = model.predict_proba(X)
    for row in range(len(X)):
        assert (model.predict_proba(X[[row]]) == together[row]).all()


@pytest.mark.parametrize("rule", ["inverse", None, 3.0])
def test_weights_of_documents_follow_the_rule_times_what_is_given(rule):
    labels = read_labels(["a", None, "b", None], 4)
    factor = {"inverse": 2.0, None: 1.0, 3.0: 3.0}[rule]
    assert label_weights(labels, rule, None).tolist() == [factor, 1, factor, 1]
    given_weights = np.array([2.0, 1.0, 4.0, 5.0])
    factor = 12 / 6 if rule == "inverse" else factor
    assert label_weights(labels, rule, given_weights).tolist() == [2 * factor, 1, 4 * factor, 5]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("solver", ["cd", "mu"])
def test_the_same_bits_on_every_run_and_for_any_number_of_threads(monkeypatch, loss, solver):
    X = sparse.csr_matrix(np.random.default_rng(0).poisson(1.5, (400, 300)).astype(float))
    y = [NAMES[document % 3] if document % 4 else None for document in range(400)]
    results = set()
    for threads in ("1", "1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        model = TopicSupervisedNMF(4, loss=loss, solver=solver, max_iter=4, tol=0.0).fit(X, y)
        results.add((model.components_.tobytes(), model.document_weights_.tobytes(), model.predict_proba(X).tobytes()))
    assert len(results) == 1


@pytest.mark.parametrize("loss", LOSSES)
def test_a_tenth_of_the_labels_finds_planted_topics_better_than_none(loss):
    # Some topics are rare, and a factorisation that knows no labels splits the common ones instead.
    rng = np.random.default_rng(0)
    topics, share = rng.dirichlet(np.full(100, 0.3), size=8), 1 / np.arange(1, 9)
    weights = rng.dirichlet(0.8 * share / share.sum(), size=400)
    X = np.stack([rng.multinomial(60, row) for row in weights @ topics]).astype(float)
    y = label_some(weights, 0.1)
    supervised = TopicSupervisedNMF(loss=loss).fit(X, y)
    similarities = np.diag(weighted_jaccard(shares_of(supervised, X), weights))
    # No matching is needed: the topics are those of the labels.
    unsupervised = match_topics(weighted_jaccard(shares_of(NMF(8, loss=loss).fit(X), X), weights))
    assert similarities.mean() > 0.6
    assert similarities.mean() > unsupervised.mean + 0.05


@pytest.mark.parametrize("loss", LOSSES)
def test_labels_of_planted_documents_are_predicted(loss):
    X, weights = draw_planted(documents=400, length=100)
    names = np.array(["a", "b", "c", "d"])[weights.argmax(axis=1)]
    told = [name if document < 60 else None for document, name in enumerate(names)]
    model = TopicSupervisedNMF(loss=loss, label_weight=None).fit(X[:300], told[:300])
    assert (model.predict(X[300:]) == names[300:]).mean() > 0.85
    assert model.score(X[300:], names[300:]) == (model.predict(X[300:]) == names[300:]).mean()


@pytest.mark.parametrize("loss", LOSSES)
def test_a_topic_without_a_label_takes_up_what_no_label_explains(loss):
    X, weights = draw_planted(n_topics=3, length=100)
    y = label_some(weights, 0.3, least=0.6)[:, :2]
    y[weights[:, 2] > 0.2] = -1
    model = TopicSupervisedNMF(3, loss=loss).fit(X, y)
    assert np.diag(weighted_jaccard(shares_of(model, X), weights)).min() > 0.6


def test_topics_are_named_after_labels_and_the_others_numbered():
    X, _ = draw((6, 5, 0), 0)
    y = ["ship", "corn", None, "corn", None, "ship"]
    model = TopicSupervisedNMF(4).fit(X, y)
    assert model.topic_names_ == ["corn", "ship", "topic 1", "topic 2"]
    assert model.get_feature_names_out().tolist() == model.topic_names_
    frame = model.set_output(transform="pandas").transform(X)
    assert frame.columns.tolist() == model.topic_names_
    assert TopicSupervisedNMF().fit(X, [7, 2, -1, 2, -1, 7]).topic_names_ == ["2", "7"]


def test_fewer_topics_than_labels_are_an_error():
    X, y = draw((6, 5, 0), 1)
    with pytest.raises(InputError, match="n_components must be at least the number of labels, 3, got 2"):
        TopicSupervisedNMF(2).fit(X, y)


@pytest.mark.parametrize("solver", ["cd", "mu"])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_label_that_only_unlabelled_documents_could_have_gets_a_topic_of_them(loss, solver):
    X, y, weights = draw_partly_labelled(1)
    model = TopicSupervisedNMF(loss=loss, solver=solver).fit(X, y)
    assert np.diag(weighted_jaccard(shares_of(model, X), weights)).min() > 0.6


@pytest.mark.parametrize("loss", LOSSES)
def test_either_solver_ends_about_as_low_from_random_documents(loss):
    for seed in range(6):
        X, y, _ = draw_partly_labelled(seed)
        descended, multiplied = (
            TopicSupervisedNMF(loss=loss, solver=solver, init="acol", random_state=seed).fit(X, y).objective_path_[-1]
            for solver in ("cd", "mu")
        )
        assert descended < 1.05 * multiplied


def test_penalties_are_on_the_weights_of_transform_too():
    X, weights = draw_planted(documents=60)
    y = label_some(weights, 0.5)
    for loss in LOSSES:
        explained = []
        for alpha in (0.1, 5.0):
            model = TopicSupervisedNMF(loss=loss, alpha_W=alpha, alpha_H=alpha, l1_ratio=1.0).fit(X, y)
            explained.append(model.inverse_transform(model.transform(X)).sum())
        assert explained[0] > explained[1]


def test_the_callback_is_told_every_iteration_and_can_stop():
    X, y = draw((8, 6, 0), 2)
    told = []
    model = TopicSupervisedNMF(max_iter=5, tol=0.0, callback=lambda *news: told.append(news)).fit(X, y)
    assert told == list(enumerate(model.objective_path_[1:].tolist(), start=1))
    stopped = TopicSupervisedNMF(tol=0.0, callback=lambda iteration, objective: iteration == 2).fit(X, y)
    assert stopped.n_iter_ == 2


def test_single_precision_stays_single():
    X, y = draw((8, 6, 0), 3)
    for loss in LOSSES:
        model = TopicSupervisedNMF(loss=loss).fit(X.astype(np.float32), y)
        assert model.components_.dtype == model.document_weights_.dtype == np.float32
        assert model.transform(X.astype(np.float32)).dtype == np.float32


@pytest.mark.data
@pytest.mark.parametrize("loss", LOSSES)
def test_labels_resolve_more_of_reuters_than_none(reuters, loss):
    some = reuters[:800]
    weighting = {} if loss == "kl" else {"weighting": "tfidf", "norm": "l2"}
    X = Vectorizer(max_terms=1000, **weighting).fit_transform(some.texts)
    names = sorted({name for labels in some.labels for name in labels})
    truth = np.array([[name in labels for name in names] for labels in some.labels])
    names = [name for name, count in zip(names, truth.sum(axis=0), strict=True) if count >= 10]
    lists = [[name for name in labels if name in names] for labels in some.labels]
    truth = np.array([[name in labels for name in names] for labels in lists])
    told = [labels if document % 4 == 0 else [] for document, labels in enumerate(lists)]
    known = sorted({name for labels in told for name in labels})
    supervised = TopicSupervisedNMF(len(names), loss=loss, max_iter=30).fit(X, told)
    plain = NMF(len(names), loss=loss, max_iter=30).fit(X)
    resolved = [
        len(resolved_topics(match_topics(weighted_jaccard(shares_of(model, X), truth))))
        for model in (supervised, plain)
    ]
    assert supervised.classes_.tolist() == known
    assert resolved[0] >= resolved[1] + 3
