import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.svm import LinearSVC

from wayword.kernels.threads import map_in_order
from wayword.models.labels import read_labels
from wayword.models.linear import Manner, choose_manner, cross_fit, fit_linear, prefer_terms, usual_manner, weigh


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


def prefer_plainly(rows, applies, weights, pseudo_count):
    """Return the same as `prefer_terms`, term by term."""
    counted = rows.toarray() * (weights / weights.mean())[:, None]
    found = []
    among, outside = (counted[told].sum(axis=0) + pseudo_count for told in (applies, ~applies))
    for term in range(rows.shape[1]):
        odds = (among[term] / among.sum()) / (outside[term] / outside.sum())
        found.append(abs(np.log(odds)) ** 0.5)
    lengths = ((rows.toarray() * found) ** 2).sum(axis=1)
    return np.array(found) / np.sqrt(lengths.mean())


@pytest.mark.parametrize("pseudo_count", [None, 0.1, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_linear_support_vectors_on_sublinear_tfidf(weighted, pseudo_count):
    X, indicator, weights = draw()
    other, _, _ = draw(1)
    weights = weights if weighted else np.ones(len(weights))
    linear = fit_linear(X, indicator, weights, manner=Manner(1.0, pseudo_count))
    tfidf = TfidfTransformer(sublinear_tf=True).fit(X)
    assert linear.score(other).shape == (60, 3)
    for label in range(3):
        applies = indicator[:, label]
        rows, counted = tfidf.transform(X), count_fairly(applies, weights)
        factors = np.ones(25) if pseudo_count is None else prefer_plainly(rows, applies, counted, pseudo_count)
        machine = LinearSVC(random_state=0, dual=True).fit(rows.multiply(factors).tocsr(), applies, counted)
        expected = machine.decision_function(tfidf.transform(other).multiply(factors).tocsr())
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


def test_terms_that_tell_a_label_from_others_count_for_more():
    rows = sparse.csr_matrix(np.tile([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0]], (20, 1)) / np.sqrt(2.0))
    applies = np.arange(40) % 2 == 0
    preferred = prefer_terms(rows, applies, np.ones(40), 0.1)
    assert preferred[0] == pytest.approx(preferred[1])
    assert preferred[2] == preferred[3] == 0.0  # as frequent with the label as without it
    np.testing.assert_array_equal(prefer_terms(rows, applies, np.ones(40), None), 1.0)


def test_a_term_seen_once_tells_less_the_higher_the_pseudo_count():
    rows = sparse.csr_matrix(np.hstack([np.eye(40)[:, :1], np.tile([[1.0, 0.0], [0.0, 1.0]], (20, 1))]))
    rare = [prefer_terms(rows, np.arange(40) % 2 == 0, np.ones(40), count) for count in (0.01, 0.1, 1.0)]
    ratios = [preferred[0] / preferred[1] for preferred in rare]
    assert ratios == sorted(ratios, reverse=True)


def test_where_no_term_tells_anything_all_count_alike():
    rows = sparse.csr_matrix(np.ones((4, 2)) / np.sqrt(2.0))
    applies = np.array([True, True, False, False])
    np.testing.assert_array_equal(prefer_terms(rows, applies, np.ones(4), 0.1), 1.0)
    linear = fit_linear(rows, np.column_stack([applies, ~applies]), np.ones(4))
    assert np.isfinite(linear.score(rows)).all()


def test_what_only_rounding_tells_counts_for_nothing():
    rows = sparse.csr_matrix([[0.1, 0.3], [0.2, 0.3], [0.3, 0.2], [0.0, 0.4]])  # 0.1 + 0.2 is not quite 0.3
    preferred = prefer_terms(rows, np.array([True, True, False, False]), np.ones(4), 0.1)
    np.testing.assert_array_equal(preferred, 1.0)


def test_errors_cost_less_the_more_documents_labels_have():
    costs = [usual_manner(np.ones((documents, 2), dtype=bool)).cost for documents in (0, 1, 50, 100, 1000)]
    assert costs == [1.0, 1.0, 1.0, 0.5, 0.3]
    rng = np.random.default_rng(0)
    X, indicator = sparse.csr_matrix(rng.poisson(1.0, (40, 6)).astype(float)), rng.random((40, 2)) < 0.5
    given, usual = fit_linear(X, indicator, np.ones(40), manner=Manner(1.0, 0.1)), fit_linear(X, indicator, np.ones(40))
    np.testing.assert_array_equal(given.planes, usual.planes)


def test_documents_of_a_rare_label_count_for_more():
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.poisson(1.0, (200, 30)).astype(float))
    indicator = np.arange(200)[:, None] < [10, 190]  # labels that no term tells
    rare, common = fit_linear(X, indicator, np.ones(200), manner=Manner(0.3, None)).score(X).mean(axis=0)
    assert -0.8 < rare < -0.6  # counted alike they would be at -0.91
    assert 0.6 < common < 0.8


def test_documents_are_tried_on_planes_that_have_not_seen_them():
    rng = np.random.RandomState(0)
    X = sparse.csr_matrix(rng.poisson(1.0, (12, 20)).astype(float))
    indicator, weights = np.eye(3, dtype=bool)[np.arange(12) % 3], rng.uniform(0.5, 2.0, 12)
    parts = [np.array([4, 0]), np.array([11])]
    found = cross_fit(X, indicator, weights, parts, manner=Manner(2.0))
    for rows, part in zip((found[:2], found[2:]), parts, strict=True):
        rest = [place for place in range(12) if place not in part]
        planes = fit_linear(X[rest], indicator[rest], weights[rest], manner=Manner(2.0))
        np.testing.assert_array_equal(rows, planes.score(X[part]))
    assert cross_fit(X, indicator, weights, []).shape == (0, 3)


def test_what_is_not_known_teaches_a_plane_nothing():
    X, indicator, weights = draw()
    known = np.ones(indicator.shape, dtype=bool)
    known[20:, 1] = False
    partly = fit_linear(X, indicator, weights, known=known, manner=Manner(1.0))
    told = fit_linear(X, indicator & known, weights, known=known, manner=Manner(1.0))
    np.testing.assert_array_equal(partly.planes, told.planes)
    everywhere = fit_linear(X, indicator, weights, manner=Manner(1.0))
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
        costs.append(choose_manner(X, read_labels(names, 900), np.ones(900), seed=0).cost)
    assert costs[0] > costs[1]


def test_few_occurrences_say_much_of_facts_and_little_of_opinions():
    rng = np.random.default_rng(0)
    names = np.array(["fruit", "ships", "trade"])[rng.integers(3, size=300)]
    # A fact: each document has some of the many words that only its label has.
    X = rng.poisson(0.02, (300, 600)) * (np.repeat(["fruit", "ships", "trade"], 200) == names[:, None])
    X = sparse.csr_matrix(np.hstack([X, rng.poisson(0.5, (300, 50))]).astype(float))
    assert choose_manner(X, read_labels(names.tolist(), 300), np.ones(300), seed=0).pseudo_count == 0.1
    # An opinion: many frequent words say a little, those of few documents nothing.
    X, opinions = draw_opinions(300, 0.0, n_terms=40)
    X = sparse.csr_matrix(sparse.hstack([X, sparse.csr_matrix(rng.poisson(0.01, (300, 2000)).astype(float))]))
    assert choose_manner(X, read_labels(opinions, 300), np.ones(300), seed=0).pseudo_count == 1.0


def test_with_few_documents_a_label_planes_are_fitted_as_usual():
    X, names = draw_opinions(9, 0.3)
    labels = read_labels(names, 9)
    assert choose_manner(X, labels, np.ones(9), seed=0) == usual_manner(labels.indicator) == Manner(1.0)


def test_some_documents_a_label_choose_costs_but_no_pseudo_counts():
    for n_documents, n_terms in ((40, 300), (40, 40), (58, 40)):
        X, names = draw_opinions(n_documents, 0.3, n_terms=n_terms)
        X = sparse.csr_matrix(sparse.hstack([X, sparse.random(n_documents, 2000, 0.01, format="csr", random_state=0)]))
        assert choose_manner(X, read_labels(names, n_documents), np.ones(n_documents), seed=0).pseudo_count == 0.1
    X, names = draw_opinions(40, 0.3)
    assert choose_manner(X, read_labels(names, 40), np.ones(40), seed=0).cost < 1.0


def test_where_nothing_can_be_held_out_planes_are_fitted_as_usual():
    for n_documents in (9, 80):
        X, labels = sparse.csr_matrix(np.eye(n_documents)), read_labels(["only"] * n_documents, n_documents)
        assert choose_manner(X, labels, np.ones(n_documents), seed=0) == usual_manner(labels.indicator)


def test_planes_that_are_fitted_at_the_same_time_do_not_change_each_other():
    data = draw(n_documents=300, n_terms=200)
    alone = fit_linear(*data).planes
    for planes in map_in_order(lambda _: fit_linear(*data).planes, range(40), threads=8):
        assert (planes == alone).all()
