import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive import guesses as naive
from wayword.active import guesses
from wayword.active.guesses import Answers, Guesser, Spreading, fit_logistic
from wayword.active.space import DocumentSpace, build_space, weigh_terms

seeds = st.integers(0, 2**32 - 1)


def plant(n_documents=120, n_labels=3, seed=0):
    """Return counts of documents with words of one label and words in common, and the labels."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_documents) % n_labels
    chances = np.full((n_documents, 10 + 15 * n_labels), 0.0)
    chances[:, :10] = 0.05
    for document, label in enumerate(labels):
        chances[document, 10 + 15 * label : 25 + 15 * label] = 0.5 / 15
    return sparse.csr_matrix([rng.multinomial(30, chance / chance.sum()) for chance in chances]).astype(float), labels


def draw_space(seed, n_documents=12):
    rng = np.random.default_rng(seed)
    nearness = np.triu(rng.random((n_documents, n_documents)) * (rng.random((n_documents, n_documents)) < 0.3), 1)
    nearness += nearness.T
    features = rng.normal(size=(n_documents, 5)).astype(np.float32)
    return DocumentSpace(np.ones(3), np.ones((3, 1)), (), features, sparse.csr_matrix(nearness))


@pytest.fixture
def patient(monkeypatch):
    """Walk for so long that no more arrives."""
    monkeypatch.setattr(guesses, "_STEPS", 60)


@given(seeds)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_reaches_documents_is_that_of_the_slow_twin(patient, seed):
    space = draw_space(seed)
    rows, targets = np.array([1, 4, 7]), np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    found = Spreading(space).spread(rows, targets)
    reached = naive.spread(space.nearness.toarray(), rows, targets, guesses._GO_ON)
    expected = reached + guesses._FLOOR * reached.max()
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), rtol=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_the_regression_becomes_the_best_there_is(seed, monkeypatch):
    monkeypatch.setattr(guesses, "_MOST_ROUNDS", 5000)
    monkeypatch.setattr(guesses, "_SETTLED", 1e-9)
    rng = np.random.default_rng(seed)
    shape = (9, 4) if seed % 2 else (4, 9)  # either way of solving
    features, targets = rng.normal(size=shape), np.eye(3)[rng.integers(3, size=shape[0])]
    scaled = features * np.sqrt(guesses._SHARPNESS)
    found = fit_logistic(features, targets) / np.sqrt(guesses._SHARPNESS)
    best = naive.fit_logistic(scaled, targets, guesses._WEIGHT_COST)
    reached = naive.logistic_objective(found, scaled, targets, guesses._WEIGHT_COST)
    least = naive.logistic_objective(best, scaled, targets, guesses._WEIGHT_COST)
    assert reached == pytest.approx(least, rel=1e-5)


@given(seeds)
@settings(max_examples=25)
def test_the_few_rounds_of_the_walk_come_near_the_end_of_it(seed):
    space = draw_space(seed, n_documents=40)
    rows, targets = np.array([1, 4, 7]), np.eye(3)
    found = Spreading(space)._sum(rows, targets)
    expected = naive.spread(space.nearness.toarray(), rows, targets, guesses._GO_ON)
    assert found.min() >= 0
    assert np.abs(found - expected).sum() < 0.08 * expected.sum()


@given(seeds)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_walks_meet_is_that_of_the_slow_twin(patient, seed):
    space = draw_space(seed)
    given_ = np.random.default_rng(seed).random(12)
    expected = naive.gather(space.nearness.toarray(), given_, guesses._GO_ON)
    np.testing.assert_allclose(Spreading(space).gather(given_), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_the_regression_falls_farther_in_a_few_rounds_than_plain_steps_in_many(seed):
    rng = np.random.default_rng(seed)
    features, targets = rng.normal(size=(30, 6)), np.eye(4)[rng.integers(4, size=30)]
    scaled = features * np.sqrt(guesses._SHARPNESS)
    weights = fit_logistic(features, targets) / np.sqrt(guesses._SHARPNESS)
    plain = naive.step_logistic(scaled, targets, guesses._WEIGHT_COST, 2 * guesses._MOST_ROUNDS)
    reached, slowly = (
        naive.logistic_objective(found, scaled, targets, guesses._WEIGHT_COST) for found in (weights, plain)
    )
    assert reached <= slowly * 1.0001


def test_a_few_labels_are_enough_for_planted_ones():
    X, labels = plant()
    guesser = Guesser(build_space(X))
    rows = np.arange(6)
    chances = guesser.guess(rows, np.eye(3)[labels[rows]])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert (chances.argmax(axis=1) == labels).mean() > 0.95
    others, truth = plant(seed=1)
    found = guesser.guess_others(guesser.space.project(others), chances)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (found.argmax(axis=1) == truth).mean() > 0.95


def test_labelled_documents_keep_their_labels():
    X, labels = plant()
    targets = np.eye(3)[labels[:5]]
    targets[0] = [0.0, 0.5, 0.5]  # against all evidence
    np.testing.assert_array_equal(Guesser(build_space(X)).guess(np.arange(5), targets)[:5], targets)


def test_a_space_has_neighbours_of_the_same_label():
    X, labels = plant()
    space = build_space(X)
    near = space.nearness.tocoo()
    assert (labels[near.row] == labels[near.col]).mean() > 0.9
    assert (abs(space.nearness - space.nearness.T)).max() < 1e-6
    assert not space.nearness.diagonal().any()
    np.testing.assert_allclose(space.topic_shares().sum(axis=1), 1.0)


def test_a_space_and_what_is_projected_into_it_agree():
    X, _ = plant()
    space = build_space(X)
    np.testing.assert_allclose(space.project(X), space.features, atol=1e-5)


def test_an_empty_document_is_near_none():
    X, _ = plant()
    X = sparse.csr_matrix(sparse.vstack([X, sparse.csr_matrix((1, X.shape[1]))]))
    space = build_space(X)
    assert not space.features[-1].any()
    assert space.nearness[[-1]].nnz == 0


def test_a_space_has_the_same_bits_in_any_number_of_threads(monkeypatch):
    X, _ = plant()
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        found.append(build_space(X))
    np.testing.assert_array_equal(found[0].features, found[1].features)
    assert (found[0].nearness != found[1].nearness).nnz == 0


@pytest.mark.parametrize("n_documents", [1, 2, 4])
def test_a_space_of_very_few_documents(n_documents):
    X, _ = plant()
    space = build_space(X[:n_documents])
    assert space.features.shape[0] == n_documents
    assert np.isfinite(space.features).all()


def test_weighed_terms_have_length_one():
    X, _ = plant()
    weighed = weigh_terms(X, np.ones(X.shape[1]))
    np.testing.assert_allclose(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel(), 1.0)


@given(seeds)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_speaks_for_a_label_is_that_of_the_slow_twin(patient, seed):
    space = draw_space(seed)
    rows, targets = np.array([1, 4, 7]), np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    expected = naive.compare(space.nearness.toarray(), rows, targets, guesses._GO_ON, guesses._FLOOR)
    np.testing.assert_allclose(Spreading(space).compare(rows, targets), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_a_regression_for_each_label_becomes_the_best_there_is(seed, monkeypatch):
    monkeypatch.setattr(guesses, "_MOST_ROUNDS", 5000)
    monkeypatch.setattr(guesses, "_SETTLED", 1e-9)
    rng = np.random.default_rng(seed)
    shape = (9, 4) if seed % 2 else (4, 9)
    features, targets = rng.normal(size=shape), (rng.random((shape[0], 3)) < 0.4).astype(float)
    scaled = features * np.sqrt(guesses._SHARPNESS)
    found = fit_logistic(features, targets, multilabel=True) / np.sqrt(guesses._SHARPNESS)
    for label in range(3):
        # Having a label or not is a choice of two.
        two = np.column_stack([targets[:, label], 1 - targets[:, label]])
        halves = np.column_stack([found[:, label], -found[:, label]]) / 2
        best = naive.fit_logistic(scaled, two, 2 * guesses._WEIGHT_COST)
        reached = naive.logistic_objective(halves, scaled, two, 2 * guesses._WEIGHT_COST)
        assert reached == pytest.approx(naive.logistic_objective(best, scaled, two, 2 * guesses._WEIGHT_COST), rel=1e-5)


def plant_pairs(n_documents=150, seed=0):
    """Return counts of documents with words of one label, or of two, and the labels as 0 and 1."""
    rng = np.random.default_rng(seed)
    has = np.zeros((n_documents, 3))
    has[np.arange(n_documents), np.arange(n_documents) % 3] = 1
    both = np.arange(n_documents) % 4 == 0
    has[both, (np.arange(n_documents)[both] + 1) % 3] = 1
    chances = np.hstack([np.full((n_documents, 10), 0.03), np.repeat(has, 15, axis=1) / 15])
    return sparse.csr_matrix([rng.multinomial(40, chance / chance.sum()) for chance in chances]).astype(float), has


def test_several_planted_labels_are_found_each_with_a_chance_of_its_own():
    X, has = plant_pairs()
    guesser, rows = Guesser(build_space(X)), np.arange(18)
    chances = guesser.guess(rows, has[rows], multilabel=True)
    assert ((chances >= 0) & (chances <= 1)).all()
    assert chances[has.sum(axis=1) > 1].sum(axis=1).mean() > 1.5
    assert ((chances >= 0.5) == has).mean() > 0.95
    np.testing.assert_array_equal(chances[rows], has[rows])
    others, truth = plant_pairs(seed=1)
    found = guesser.guess_others(guesser.space.project(others), chances, multilabel=True)
    assert ((found >= 0.5) == truth).mean() > 0.9


@pytest.mark.parametrize("multilabel", [False, True])
def test_some_documents_are_guessed_as_all_are(multilabel):
    X, has = plant_pairs()
    guesser, rows, at = Guesser(build_space(X)), np.arange(12), np.array([50, 3, 70])
    targets = has[rows] if multilabel else has[rows] / has[rows].sum(axis=1, keepdims=True)
    whole = guesser.guess_at(rows, targets, None, multilabel=multilabel)
    # Spaces are in single precision, and some processors multiply a few rows otherwise than many.
    np.testing.assert_allclose(guesser.guess_at(rows, targets, at, multilabel=multilabel), whole[at], rtol=1e-5)
    everything = guesser.guess(rows, targets, multilabel=multilabel)
    np.testing.assert_array_equal(np.delete(everything, rows, axis=0), np.delete(whole, rows, axis=0))


@pytest.mark.parametrize("multilabel", [False, True])
def test_each_answer_is_guessed_as_if_it_had_not_been_given(multilabel):
    X, has = plant_pairs()
    guesser, rows = Guesser(build_space(X)), np.array([1, 2, 3, 5, 6, 7, 9])
    answers = Answers(guesser, rows, has[rows], ("a", "b", "c"), multilabel)
    told = []
    found = answers.guess_each(n_folds=100, progress=lambda *said: told.append(said))
    for place, row in enumerate(rows):
        kept = np.delete(np.arange(len(rows)), place)
        alone = guesser.guess_at(rows[kept], has[rows][kept], np.array([row]), multilabel=multilabel)
        np.testing.assert_allclose(found[place], alone[0], rtol=1e-9)
    assert told[-1] == ("folds", 7, 7)


def test_a_label_that_only_answers_held_back_have_has_no_chance():
    X, has = plant_pairs()
    answers = Answers(Guesser(build_space(X)), np.array([1, 2, 3]), has[[1, 2, 3]], ("a", "b", "c"))
    found = answers.guess_each()
    assert (found[has[[1, 2, 3]] > 0] == 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


@pytest.mark.parametrize("random_state", range(5))
def test_a_label_of_two_answers_is_never_held_back_whole(random_state):
    X, has = plant_pairs()
    rows = np.flatnonzero(has.sum(axis=1) == 1)[:40]
    targets = np.hstack([has[rows], np.zeros((40, 2))])
    for place, column in ((3, 3), (9, 3), (20, 4), (21, 4)):
        targets[place] = np.eye(5)[column]
    found = Answers(Guesser(build_space(X)), rows, targets, tuple("abcde")).guess_each(
        n_folds=3, random_state=random_state
    )
    assert (found > 0).all()


def test_one_answer_cannot_be_guessed_from_others():
    X, _ = plant_pairs()
    answers = Answers(Guesser(build_space(X)), np.array([1]), np.ones((1, 1)), ("a",))
    assert not answers.guess_each().any()


def test_spreading_may_be_forgotten_while_it_is_used():
    space = draw_space(0)
    spreading = Spreading(space)
    before = spreading.from_row(3)
    spreading.forget(set())
    np.testing.assert_array_equal(spreading.from_row(3), before)


def test_with_many_labels_what_spreads_is_the_same(monkeypatch):
    space = build_space(plant()[0])
    rows, targets = np.arange(12), np.eye(3)[np.arange(12) % 3]
    one_by_one = Spreading(space).spread(rows, targets)
    monkeypatch.setattr("wayword.active.guesses._MOST_KEPT", 5)
    at_once = Spreading(space)
    np.testing.assert_allclose(at_once.spread(rows, targets), one_by_one, rtol=1e-4)
    assert not at_once._reached


def test_as_much_goes_from_one_document_to_another_as_comes_back():
    spreading = Spreading(build_space(plant()[0]))
    to_third = spreading.to_row(3)
    assert not spreading._reached
    np.testing.assert_allclose([spreading.from_row(row)[3] for row in range(10)], to_third[:10], rtol=1e-3, atol=1e-9)
