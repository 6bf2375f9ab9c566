import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.svm import LinearSVC

from wayword.models.labels import read_labels
from wayword.models.linear import choose_cost, cross_fit, fit_linear, usual_cost, weigh


def draw(seed=0, n_documents=60, n_terms=25, n_labels=3):
    """Return counts, labels that depend on them, and weights of documents."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, (n_documents, n_terms)).astype(float)
    indicator = X[:, :n_labels] + rng.poisson(0.3, (n_documents, n_labels)) > 1
    return sparse.csr_matrix(X), indicator, rng.uniform(0.5, 2.0, n_documents)


def count_fairly(applies, weights):
    """Return weights that multiply what is rarer by the root of how much rarer it is, with the same sum."""
    rarer = np.sqrt(weights[~applies].sum() / weights[applies].sum())
    counted = np.where(applies, rarer, 1.0) * weights
    return counted * weights.sum() / counted.sum()


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_linear_support_vectors_on_sublinear_tfidf(weighted):
    X, indicator, weights = draw()
    other, _, _ = draw(1)
    weights = weights if weighted else np.ones(len(weights))
    linear = fit_linear(X, indicator, weights, C=1.0)
    tfidf = TfidfTransformer(sublinear_tf=True).fit(X)
    assert linear.score(other).shape == (60, 3)
    for label in range(3):
        applies = indicator[:, label]
        machine = LinearSVC(random_state=0, dual=True).fit(tfidf.transform(X), applies, count_fairly(applies, weights))
        expected = machine.decision_function(tfidf.transform(other))
        np.testing.assert_allclose(linear.score(other)[:, label], expected, rtol=1e-9, atol=1e-9)


def test_documents_are_weighed_as_by_scikit_learn():
    X, indicator, weights = draw()
    tfidf = TfidfTransformer(sublinear_tf=True).fit(X)
    expected = tfidf.transform(X).toarray()
    np.testing.assert_allclose(fit_linear(X, indicator, weights).weigh(X).toarray(), expected, rtol=1e-12)


def test_counts_below_one_grow_without_a_jump_and_none_is_negative():
    values = np.array([0.0, 1e-6, 0.1, 0.5, 0.999999, 1.0, 1.000001, 2.0, 10.0])
    single = [weigh(sparse.csr_matrix([[value, 1.0]]), np.ones(2)).toarray()[0] for value in values]
    ratios = np.array([first / second for first, second in single])
    assert ratios[0] == 0
    assert (np.diff(ratios) > 0).all()
    np.testing.assert_allclose(ratios[[5, 8]], [1.0, 1.0 + np.log(10.0)])
    np.testing.assert_allclose(ratios[[4, 6]], 1.0, atol=1e-5)


def test_empty_documents_and_unknown_terms_get_the_offset_alone():
    X, indicator, weights = draw()
    X = sparse.csr_matrix(sparse.hstack([X, sparse.csr_matrix((60, 2))]))
    linear = fit_linear(X, indicator, weights)
    assert (linear.idf[-2:] == 0).all()
    strange = np.zeros((2, 27))
    strange[0, 25:] = 3.0
    np.testing.assert_allclose(linear.score(sparse.csr_matrix(strange)), [linear.offsets] * 2)


def test_a_label_of_all_documents_or_of_none_tells_nothing_apart():
    X, indicator, weights = draw()
    indicator[:, 0], indicator[:, 1] = True, False
    linear = fit_linear(X, indicator, weights)
    np.testing.assert_array_equal(linear.score(X)[:, :2], [[1.0, -1.0]] * 60)
    assert np.ptp(linear.score(X)[:, 2]) > 0


def test_one_document_is_enough():
    linear = fit_linear(sparse.csr_matrix([[1.0, 0.0, 2.0]]), np.array([[True, False]]), np.ones(1))
    assert linear.score(sparse.csr_matrix([[0.0, 1.0, 1.0]])).tolist() == [[1.0, -1.0]]


def test_planes_do_not_depend_on_the_number_of_threads(monkeypatch):
    X, indicator, weights = draw(n_labels=6)
    results = set()
    for threads in ("1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        linear = fit_linear(X, indicator, weights)
        results.add((linear.planes.tobytes(), linear.offsets.tobytes()))
    assert len(results) == 1


def test_errors_cost_less_the_more_documents_labels_have():
    costs = [usual_cost(np.ones((documents, 2), dtype=bool)) for documents in (29, 30, 50, 100, 1000)]
    assert costs == [10.0, 1.0, 1.0, 0.5, 0.3]
    rng = np.random.default_rng(0)
    X, indicator = sparse.csr_matrix(rng.poisson(1.0, (40, 6)).astype(float)), rng.random((40, 2)) < 0.5
    given, usual = fit_linear(X, indicator, np.ones(40), C=10.0), fit_linear(X, indicator, np.ones(40))
    np.testing.assert_array_equal(given.planes, usual.planes)


def test_documents_of_a_rare_label_count_for_more():
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.poisson(1.0, (200, 30)).astype(float))
    indicator = np.arange(200)[:, None] < [10, 190]  # labels that no term tells
    rare, common = fit_linear(X, indicator, np.ones(200), C=0.3).score(X).mean(axis=0)
    assert -0.8 < rare < -0.6  # counted alike they would be at -0.91
    assert 0.6 < common < 0.8


def test_documents_are_tried_on_planes_that_have_not_seen_them():
    rng = np.random.RandomState(0)
    X = sparse.csr_matrix(rng.poisson(1.0, (12, 20)).astype(float))
    indicator, weights = np.eye(3, dtype=bool)[np.arange(12) % 3], rng.uniform(0.5, 2.0, 12)
    parts = [np.array([4, 0]), np.array([11])]
    found = cross_fit(X, indicator, weights, parts, C=2.0)
    for rows, part in zip((found[:2], found[2:]), parts, strict=True):
        rest = [place for place in range(12) if place not in part]
        planes = fit_linear(X[rest], indicator[rest], weights[rest], C=2.0)
        np.testing.assert_array_equal(rows, planes.score(X[part]))
    assert cross_fit(X, indicator, weights, []).shape == (0, 3)


def test_what_is_not_known_teaches_a_plane_nothing():
    X, indicator, weights = draw()
    known = np.ones(indicator.shape, dtype=bool)
    known[20:, 1] = False
    partly = fit_linear(X, indicator, weights, known=known, C=1.0)
    told = fit_linear(X, indicator & known, weights, known=known, C=1.0)
    np.testing.assert_array_equal(partly.planes, told.planes)
    everywhere = fit_linear(X, indicator, weights, C=1.0)
    np.testing.assert_array_equal(told.planes[:, [0, 2]], everywhere.planes[:, [0, 2]])
    assert (told.planes[:, 1] != everywhere.planes[:, 1]).any()


def draw_opinions(n_documents, noise, seed=0, n_terms=300):
    """Return counts and one of two labels, which follow many terms a little each, some of them turned round."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.3, (n_documents, n_terms)).astype(float)
    good = X @ rng.normal(size=n_terms) > 0.0
    turned = good ^ (rng.random(n_documents) < noise)
    return sparse.csr_matrix(X), np.where(turned, "good", "bad").tolist()


def test_errors_cost_more_where_labels_are_facts_than_where_they_are_opinions():
    costs = []
    for noise in (0.0, 0.3):
        X, names = draw_opinions(900, noise)
        costs.append(choose_cost(X, read_labels(names, 900), np.ones(900), seed=0))
    usual = usual_cost(read_labels(names, 900).indicator)
    assert costs[0] > usual
    assert costs[1] == usual


def test_with_few_documents_a_label_errors_cost_as_usual():
    X, names = draw_opinions(40, 0.0)
    labels = read_labels(names, 40)
    assert choose_cost(X, labels, np.ones(40), seed=0) == usual_cost(labels.indicator) == 10.0


def test_where_nothing_can_be_held_out_errors_cost_as_usual():
    labels = read_labels(["only"] * 9, 9)
    assert choose_cost(sparse.csr_matrix(np.eye(9)), labels, np.ones(9), seed=0) == usual_cost(labels.indicator)
    labels = read_labels(["only"] * 80, 80)
    assert choose_cost(sparse.csr_matrix(np.eye(80)), labels, np.ones(80), seed=0) == usual_cost(labels.indicator)
