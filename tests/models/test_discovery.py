import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive import discovery as naive
from wayword import TopicDiscovery
from wayword.errors import InputError
from wayword.models import discovery
from wayword.models.discovery import Division, choose_topics, divide, learn_alpha, rarity_of, weigh

seeds = st.integers(0, 2**32 - 1)


def draw_division(seed, n_documents=9, n_terms=7, n_topics=3):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.7, (n_documents, n_terms)).astype(np.float32)
    documents, terms = rng.gamma(0.5, size=(n_documents, n_topics)), rng.gamma(0.5, size=(n_terms, n_topics))
    return X, Division(documents, terms, rng.uniform(0.01, 1.0, n_topics))


def plant(n_topics=6, n_own=12, n_common=15, n_documents=400, length=60, seed=0):
    """Return counts of documents of one or two planted topics, and of words in common, and the topics."""
    rng = np.random.default_rng(seed)
    topics = np.zeros((n_topics, n_common + n_topics * n_own))
    for k, topic in enumerate(topics):
        topic[:n_common] = 0.4 / n_common
        topic[n_common + k * n_own : n_common + (k + 1) * n_own] = 0.6 * rng.dirichlet(np.full(n_own, 5.0))
    shares = rng.dirichlet(np.full(n_topics, 0.1), size=n_documents)
    X = np.array([rng.multinomial(length, share @ topics) for share in shares], dtype=float)
    return X, topics, shares


@given(seed=seeds, eta=st.sampled_from([0.01, 0.1, 1.0]), n_topics=st.sampled_from([3, 16, 17, 40]))
@settings(max_examples=25)
def test_a_division_is_that_of_its_slow_twin_and_loses_nothing(seed, eta, n_topics):
    X, division = draw_division(seed, n_topics=n_topics)
    found = divide(sparse.csr_matrix(X), division, eta)
    documents, terms = naive.divide(X, division.documents, division.terms, division.alpha, eta)
    single = {"rtol": 1e-5, "atol": 1e-6}
    np.testing.assert_allclose(found.documents, documents, **single)
    np.testing.assert_allclose(found.terms, terms, **single)
    np.testing.assert_allclose(found.documents.sum(axis=1), X.sum(axis=1), **single)
    np.testing.assert_allclose(found.terms.sum(axis=1), X.sum(axis=0), **single)


@pytest.mark.parametrize("threads", ["1", "3"])
def test_a_division_has_the_same_bits_in_any_number_of_threads(threads, monkeypatch):
    monkeypatch.setattr(discovery, "_ENTRIES_AT_ONCE", 8)
    X, division = draw_division(1, n_documents=60, n_terms=4)
    monkeypatch.setenv("WAYWORD_THREADS", "2")
    expected = divide(sparse.csr_matrix(X), division, 0.1)
    monkeypatch.setenv("WAYWORD_THREADS", threads)
    found = divide(sparse.csr_matrix(X), division, 0.1)
    np.testing.assert_array_equal(found.terms, expected.terms)
    np.testing.assert_array_equal(found.documents, expected.documents)


@given(seed=seeds)
@settings(max_examples=20)
def test_topics_are_chosen_as_by_the_slow_twin(seed):
    rng = np.random.default_rng(seed)
    X = (rng.random((40, 14)) < 0.4).astype(float)
    topics = rng.dirichlet(np.full(14, 0.3), size=6)
    topics[5] = topics[0]
    assert choose_topics(sparse.csr_matrix(X), topics, 3) == naive.choose_topics(X, topics, 3)


def test_of_two_equal_topics_one_is_dropped():
    X, topics, _ = plant()
    kept = choose_topics(sparse.csr_matrix(X), np.vstack([topics, topics[2]]), len(topics))
    assert sorted({2 if k == len(topics) else k for k in kept}) == list(range(len(topics)))


def test_weighing_keeps_the_sum_and_favours_rare_terms():
    X = sparse.csr_matrix(plant()[0])
    weighed = weigh(X, rarity_of(X))
    assert weighed.sum() == pytest.approx(X.sum())
    common, rare = np.array(X.sum(axis=0)).ravel().argmax(), np.array(X.sum(axis=0)).ravel().argmin()
    assert weighed[:, common].sum() / X[:, common].sum() < weighed[:, rare].sum() / X[:, rare].sum()


def test_alpha_is_learnt_from_what_documents_have():
    true = np.array([0.05, 0.3, 1.2])
    rng = np.random.default_rng(0)
    counts = np.array([rng.multinomial(200, rng.dirichlet(true)) for _ in range(4000)], dtype=float)
    alpha = np.full(3, 0.1)
    for _ in range(200):
        alpha = learn_alpha(counts, alpha)
    np.testing.assert_allclose(alpha, true, rtol=0.15)


@pytest.mark.parametrize("seed", range(3))
def test_planted_topics_are_recovered(seed):
    X, topics, shares = plant(seed=seed)
    model = TopicDiscovery(len(topics)).fit(X)
    tops = np.argsort(-model.display_components_, axis=1)[:, :8]
    homes = (tops - 15) // 12  # the planted topic of each word, below zero for words in common
    assert all(len(set(home)) == 1 for home in homes.tolist())
    order = homes[:, 0]
    assert sorted(order) == list(range(len(topics)))
    largest = order[model.transform(X).argmax(axis=1)]
    assert (largest == shares.argmax(axis=1)).mean() > 0.9


def test_words_in_common_are_not_shown_though_they_are_likely():
    X, topics, _ = plant()
    model = TopicDiscovery(len(topics)).fit(X)
    shown = np.argsort(-model.display_components_, axis=1)[:, :8]
    assert (shown < 15).mean() < (np.argsort(-model.components_, axis=1)[:, :8] < 15).mean() + 1e-12
    assert (shown < 15).mean() < 0.05


def test_topics_are_distributions_and_so_are_documents():
    X, _, _ = plant()
    model = TopicDiscovery(4).fit(X)
    assert model.components_.shape == (4, X.shape[1])
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.other_.sum(), 1.0)
    assert (model.components_ > 0).all()
    for other, width in ((False, 4), (True, 5)):
        shares = model.transform(X, other=other)
        assert shares.shape == (len(X), width)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert 0 < model.topic_shares_.sum() < 1
    assert model.alpha_.shape == (5,)


def test_terms_that_do_not_fit_in_are_not_shown():
    X, _, _ = plant()
    model = TopicDiscovery(4).fit(X)
    assert ((model.display_components_ == 0).sum(axis=1) == 10).all()


def test_without_spare_topics_there_is_no_hidden_one():
    model = TopicDiscovery(4, spare=0.0).fit(plant()[0])
    assert model.other_ is None
    assert model.transform(plant()[0], other=True).shape[1] == 4
    np.testing.assert_allclose(model.topic_shares_.sum(), 1.0)


def test_the_same_answer_every_time_in_any_number_of_threads(monkeypatch):
    X = plant()[0]
    models = []
    for threads in ("1", "2", "1"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        models.append(TopicDiscovery(5).fit(sparse.csr_matrix(X)))
    for model in models[1:]:
        np.testing.assert_array_equal(model.components_, models[0].components_)
        np.testing.assert_array_equal(model.display_components_, models[0].display_components_)
        np.testing.assert_array_equal(model.transform(X), models[0].transform(X))


def test_an_empty_document_has_the_shares_expected_of_any():
    X, _, _ = plant()
    X[3] = 0
    model = TopicDiscovery(4).fit(X)
    np.testing.assert_allclose(model.transform(X)[3], model.alpha_[:4] / model.alpha_[:4].sum())


def test_progress_ends_at_its_total():
    told = []
    TopicDiscovery(3, n_sweeps=4).fit(plant()[0], progress=lambda *what: told.append(what))
    assert {unit for unit, _, _ in told} == {"sweeps"}
    assert told[-1][1] == told[-1][2] == len(told)


@pytest.mark.parametrize("n_components", [1, 2, 30])
def test_any_number_of_topics_of_few_documents_and_terms(n_components):
    X = [[2, 1, 0], [1, 3, 0], [0, 0, 4], [0, 0, 0]]
    model = TopicDiscovery(n_components).fit(X)
    assert model.components_.shape == (n_components, 3)
    assert np.isfinite(model.transform(X)).all()
    assert np.isfinite(model.display_components_).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number of 1 or more, got 0"),
        ({"spare": -1}, "spare must be a number of 0 or more"),
        ({"alpha": 0}, "alpha must be a number"),
        ({"eta": np.nan}, "eta must be a number"),
        ({"n_sweeps": 1.5}, "n_sweeps must be a whole number"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(InputError, match=message):
        TopicDiscovery(**settings).fit(plant()[0])


def test_documents_without_any_term_are_an_error():
    with pytest.raises(InputError, match="no document holds any term"):
        TopicDiscovery(2).fit(np.zeros((3, 4)))


def test_terms_that_are_alike_but_for_rounding_are_shown_in_their_order():
    # Two topics of eight terms each, which occur together always.
    X = sparse.csr_matrix(np.repeat(np.repeat(np.eye(2), 6, axis=0), 8, axis=1))
    noise = 1e-8 * np.random.default_rng(0).standard_normal((16, 2))
    division = Division(np.eye(2), np.repeat(10.0 * np.eye(2), 8, axis=0) + np.abs(noise), np.full(2, 0.1))
    shown = discovery.score_for_display(X, division, eta=0.01)
    for row, own in zip(shown, (slice(0, 8), slice(8, 16)), strict=True):
        assert len(set(row[own].tolist())) == 1
        assert np.argsort(-row, kind="stable")[:8].tolist() == list(range(16))[own]


def test_of_terms_that_go_with_the_rest_alike_the_last_is_dropped():
    together = np.ones((4, 4)) + 1e-13 * np.random.default_rng(0).standard_normal((4, 4))
    assert discovery._keep_together(together, 2) == [0, 1]
