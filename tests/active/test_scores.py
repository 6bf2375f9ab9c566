import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import active as naive
from wayword.active import (
    STRATEGIES,
    QueryState,
    alto,
    alto_ent,
    alto_ent_rep,
    alto_rep,
    count_votes,
    density,
    density_weighted,
    entropy,
    jensen_shannon,
    largest_share,
    least_confidence,
    margin,
    mean_similarity,
    random_scores,
    score_documents,
    topic_entropy,
    vote_entropy,
)
from wayword.errors import InputError

seeds = st.integers(0, 2**32 - 1)
powers = st.floats(0, 4)
modes = st.booleans()
CLOSE = {"rtol": 1e-9, "atol": 1e-12}
MEASURES = [(entropy, naive.entropy_of), (margin, naive.margin_of), (least_confidence, naive.doubt_of)]


def draw_chances(rng, *shape, multilabel=False):
    """Return chances, some of them 0 or 1, some rows all zero."""
    weights = rng.gamma(0.4, size=shape) * (rng.random(shape) < 0.8)
    if multilabel:
        return weights / (weights + rng.gamma(0.4, size=shape) + 1e-300)
    totals = weights.sum(axis=-1, keepdims=True)
    return np.divide(weights, totals, out=np.zeros(shape), where=totals > 0)


def draw_theta(rng, n_documents):
    """Return weights of topics, some rows all zero."""
    n_topics = rng.integers(1, 6)
    weights = rng.gamma(0.3, 5.0, size=(n_documents, n_topics))
    return weights * (rng.random(weights.shape) < 0.7) * (rng.random((n_documents, 1)) < 0.85)


def draw(seed, *, multilabel=False):
    """Return a state that every strategy can score."""
    rng = np.random.default_rng(seed)
    n_models, n_documents, n_labels = (int(rng.integers(1, most)) for most in (5, 12, 6))
    return QueryState(
        rng.random(n_documents) < 0.4,
        probabilities=draw_chances(rng, n_documents, n_labels, multilabel=multilabel),
        theta=draw_theta(rng, n_documents),
        committee=draw_chances(rng, n_models, n_documents, n_labels, multilabel=multilabel),
        multilabel=multilabel,
        p=float(rng.choice([0.0, 0.5, 1.0, 3.0])),
        seed=seed,
    )


def rearranged(state, rows):
    return QueryState(
        state.labelled[rows],
        probabilities=state.probabilities[rows],
        theta=state.theta[rows],
        committee=state.committee[:, rows],
        multilabel=state.multilabel,
        p=state.p,
        seed=state.seed,
    )


@given(seeds, modes)
def test_uncertainties_are_those_over_all_answers(seed, multilabel):
    chances = draw(seed, multilabel=multilabel).probabilities
    for measure, twin in MEASURES:
        expected = naive.by_answers(twin, chances.tolist(), multilabel)
        np.testing.assert_allclose(measure(chances, multilabel=multilabel), expected, **CLOSE)


@given(seeds)
def test_one_label_to_have_or_not_is_two_labels_that_exclude_each_other(seed):
    chance = np.random.default_rng(seed).random((7, 1))
    for measure, _ in MEASURES:
        both = np.hstack([chance, 1 - chance])
        np.testing.assert_allclose(measure(chance, multilabel=True), measure(both), **CLOSE)


@given(seeds)
def test_votes_and_divergences_of_a_committee_are_those_of_the_naive_twin(seed):
    committee = draw(seed).committee
    by_document = committee.transpose(1, 0, 2).tolist()
    votes = [naive.entropy_of(naive.votes_of(members)) for members in by_document]
    np.testing.assert_allclose(vote_entropy(committee), votes, **CLOSE)
    np.testing.assert_allclose(jensen_shannon(committee), list(map(naive.divergence_of, by_document)), **CLOSE)


@given(seeds)
def test_a_committee_on_several_labels_is_a_committee_on_each(seed):
    committee = draw(seed, multilabel=True).committee
    # An even chance counts as having the label, which is named first.
    each = [np.stack([committee[..., k], 1 - committee[..., k]], axis=-1) for k in range(committee.shape[2])]
    for measure in (vote_entropy, jensen_shannon):
        np.testing.assert_allclose(measure(committee, multilabel=True), sum(measure(one) for one in each), **CLOSE)


@given(seeds)
def test_mean_similarity_is_the_mean_over_the_matrix_of_documents_by_documents(seed):
    theta = draw(seed).theta
    np.testing.assert_allclose(mean_similarity(theta), naive.similarities(theta.tolist()).mean(axis=1), **CLOSE)


@given(seeds, powers)
def test_equations_are_those_of_the_naive_twin(seed, p):
    state = draw(seed)
    given_ = state.probabilities.tolist(), state.theta.tolist()
    first, second = naive.alto(*given_), naive.alto_ent(*given_)
    for found, expected in [
        (density(*given_, p=p), naive.density(*given_, p)),
        (alto(*given_), first),
        (alto_ent(*given_), second),
        (alto_rep(*given_, p=p), naive.representative(first, given_[1], p)),
        (alto_ent_rep(*given_, p=p), naive.representative(second, given_[1], p)),
    ]:
        np.testing.assert_allclose(found, expected, **CLOSE)


@given(seeds, modes)
def test_every_strategy_gives_every_document_a_finite_score_of_0_or_more(seed, multilabel):
    state = draw(seed, multilabel=multilabel)
    for strategy in STRATEGIES:
        scores = score_documents(state, strategy)
        assert scores.shape == state.labelled.shape
        assert np.isfinite(scores).all()
        assert (scores >= 0).all()


@given(seeds, modes, seeds)
def test_permuted_documents_have_permuted_scores_by_every_strategy_but_random(seed, multilabel, other):
    state = draw(seed, multilabel=multilabel)
    rows = np.random.default_rng(other).permutation(len(state.labelled))
    for strategy in set(STRATEGIES) - {"random"}:
        found = score_documents(rearranged(state, rows), strategy)
        np.testing.assert_allclose(found, score_documents(state, strategy)[rows], **CLOSE)


@given(seeds, modes, seeds)
def test_the_order_of_labels_and_topics_changes_nothing(seed, multilabel, other):
    state, rng = draw(seed, multilabel=multilabel), np.random.default_rng(other)
    labels, topics = rng.permutation(state.probabilities.shape[1]), rng.permutation(state.theta.shape[1])
    permuted = state.probabilities[:, labels], state.theta[:, topics]
    for measure in (density, alto, alto_ent, alto_rep, alto_ent_rep):
        expected = measure(state.probabilities, state.theta, multilabel=multilabel)
        np.testing.assert_allclose(measure(*permuted, multilabel=multilabel), expected, **CLOSE)
    for measure, _ in MEASURES:
        expected = measure(state.probabilities, multilabel=multilabel)
        np.testing.assert_allclose(measure(permuted[0], multilabel=multilabel), expected, **CLOSE)


@given(seeds, seeds)
def test_scales_of_topic_weights_change_nothing(seed, other):
    state = draw(seed)
    scales = np.exp2(np.random.default_rng(other).integers(-300, 300, size=(len(state.theta), 1)))
    for measure in (largest_share, topic_entropy, mean_similarity):
        np.testing.assert_allclose(measure(state.theta * scales), measure(state.theta), **CLOSE)


@given(seeds)
def test_no_weight_on_density_leaves_scores_as_they_are_and_more_of_it_never_raises_them(seed):
    state, scores = draw(seed), np.random.default_rng(seed).random(len(draw(seed).labelled))
    np.testing.assert_array_equal(density_weighted(scores, state.theta, p=0), scores)
    less, more = (density_weighted(scores, state.theta, p=p) for p in (1, 2))
    assert (more <= less + 1e-15).all()


def test_uncertainties_of_a_worked_example():
    chances = [[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]]
    np.testing.assert_allclose(entropy(chances), [1.5 * np.log(2), 0, np.log(3)])
    np.testing.assert_allclose(margin(chances), [0.75, 0, 1])
    np.testing.assert_allclose(least_confidence(chances), [0.5, 0, 2 / 3])


def test_uncertainties_of_two_labels_at_once_are_those_of_four_sets():
    # Of the sets both, first, second, none: .45, .45, .05, .05.
    chances = [[0.9, 0.5]]
    np.testing.assert_allclose(least_confidence(chances, multilabel=True), [0.55])
    np.testing.assert_allclose(margin(chances, multilabel=True), [1.0])
    np.testing.assert_allclose(entropy(chances, multilabel=True), [np.log(2) + naive.entropy_of([0.9, 0.1])])


def test_a_committee_of_a_worked_example():
    certain, even, other = [1.0, 0.0], [0.5, 0.5], [0.0, 1.0]
    committee = np.array([[certain, certain, even], [certain, other, even], [certain, certain, even]])
    assert count_votes(committee).tolist() == [[3, 0], [2, 1], [3, 0]]
    third = naive.entropy_of([1 / 3, 2 / 3])
    np.testing.assert_allclose(vote_entropy(committee), [0, third, 0])
    np.testing.assert_allclose(jensen_shannon(committee), [0, third, 0], atol=1e-15)


def test_models_that_vote_alike_but_are_not_equally_sure_diverge():
    committee = [[[0.6, 0.4]], [[0.9, 0.1]]]
    assert vote_entropy(committee) == [0]
    assert jensen_shannon(committee)[0] > 0.05


def test_a_model_without_an_opinion_does_not_vote():
    alone, joined = [[[0.3, 0.7]]], [[[0.3, 0.7]], [[0.0, 0.0]]]
    for measure in (vote_entropy, jensen_shannon):
        np.testing.assert_allclose(measure(joined), measure(alone), atol=1e-15)


def test_equations_of_a_worked_example():
    # Two documents of the first topic, one of both: lengths 1, 1 and sqrt(.5); cosines with the last sqrt(.5).
    theta, chances = [[1, 0], [1, 0], [0.5, 0.5]], [[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]]
    means = np.array([2 + np.sqrt(0.5), 2 + np.sqrt(0.5), 2 * np.sqrt(0.5) + 1]) / 3
    unknown = np.log(2) * np.array([1, 0, 1])
    np.testing.assert_allclose(mean_similarity(theta), means)
    np.testing.assert_allclose(density(chances, theta, p=2), unknown * means**2)
    np.testing.assert_allclose(alto(chances, theta), unknown * [1, 1, 0.5])
    np.testing.assert_allclose(alto_ent(chances, theta), unknown * [0, 0, np.log(2)])
    np.testing.assert_allclose(alto_rep(chances, theta), unknown * [1, 1, 0.5] * means)
    np.testing.assert_allclose(alto_ent_rep(chances, theta), unknown * [0, 0, np.log(2)] * means)


def test_a_document_of_which_nothing_is_known_scores_0():
    nothing = [[0.0, 0.0], [0.4, 0.6]]
    for measure, _ in MEASURES:
        assert (measure(nothing) > 0).tolist() == [False, True]
        assert measure(nothing, multilabel=True)[0] == 0
    for measure in (vote_entropy, jensen_shannon):
        assert measure([nothing, [[0.0, 0.0], [0.9, 0.1]]])[0] == 0


def test_a_document_without_topics_scores_0_whatever_its_labels():
    theta, chances = [[0.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]]
    for measure in (density, alto, alto_ent, alto_rep, alto_ent_rep):
        scores = measure(chances, theta)
        assert scores[0] == 0
        assert scores[1] > 0


def test_one_label_only_leaves_nothing_uncertain():
    state = QueryState(np.zeros(3, bool), np.ones((3, 1)), np.eye(3), np.ones((2, 3, 1)))
    for strategy in set(STRATEGIES) - {"random"}:
        assert score_documents(state, strategy).tolist() == [0, 0, 0]


def test_no_document_has_no_score():
    state = QueryState(np.zeros(0, bool), np.ones((0, 2)), np.ones((0, 4)), np.ones((2, 0, 2)))
    for strategy in STRATEGIES:
        assert score_documents(state, strategy).shape == (0,)


def test_random_scores_are_the_same_for_the_same_seed_only():
    np.testing.assert_array_equal(random_scores(50, 3), random_scores(50, 3))
    assert (random_scores(50, 3) != random_scores(50, 4)).all()


def test_alsup_scores_as_alto_does():
    state = draw(7)
    for kind in ("", "_ent", "_rep", "_ent_rep"):
        np.testing.assert_array_equal(score_documents(state, f"alsup{kind}"), score_documents(state, f"alto{kind}"))


def test_strategies_go_by_the_settings_of_the_state():
    theta, chances = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[0.9, 0.4]] * 3
    state = QueryState(np.zeros(3, bool), chances, theta, multilabel=True, p=2.0)
    expected = {
        "margin": margin(chances, multilabel=True),
        "density": density(chances, theta, p=2.0, multilabel=True),
        "density_margin": density_weighted(margin(chances, multilabel=True), theta, p=2.0),
        "alto": alto(chances, theta, multilabel=True),
        "alto_rep": alto_rep(chances, theta, p=2.0, multilabel=True),
    }
    for strategy, scores in expected.items():
        np.testing.assert_array_equal(score_documents(state, strategy), scores)


def test_mean_similarity_needs_no_matrix_of_documents_by_documents():
    theta = np.random.default_rng(0).random((20_000, 10))
    tracemalloc.start()
    mean_similarity(theta)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A matrix of documents by documents has 3,200 million bytes.
    assert peak < 20_000_000


@pytest.mark.parametrize("measure", [entropy, margin, least_confidence])
def test_chances_in_single_precision_are_taken(measure):
    chances = draw_chances(np.random.default_rng(1), 50, 7)
    np.testing.assert_allclose(measure(chances.astype(np.float32)), measure(chances), atol=1e-5)


@pytest.mark.parametrize(
    ("chances", "multilabel", "said"),
    [
        ([[0.5, 0.6]], False, r"of a document must sum to 1, got 1.1; set multilabel=True if it may have several"),
        ([[0.5, 1.6]], True, "probabilities must be chances from 0 to 1, got 1.6"),
        ([[0.5, -0.1]], True, "probabilities must hold finite numbers of 0 or more, got -0.1"),
        ([[np.nan, 1.0]], False, "probabilities must hold finite numbers of 0 or more, got nan"),
        ([0.5, 0.5], False, r"probabilities must have the shape \(n_documents, n_labels\), got \(2,\)"),
        (np.ones((3, 0)), False, "a column for each label, got none; without labels, use cold_start"),
        ([["a"]], False, "probabilities must be a dense array of numbers, got list"),
    ],
)
def test_wrong_chances_are_errors(chances, multilabel, said):
    for measure, _ in MEASURES:
        with pytest.raises(InputError, match=said):
            measure(chances, multilabel=multilabel)


def test_wrong_topics_and_settings_are_errors():
    with pytest.raises(InputError, match=r"theta must have the shape \(n_documents=1, n_topics\), got \(2, 1\)"):
        alto([[1.0]], [[1.0], [1.0]])
    with pytest.raises(InputError, match=r"scores must have the shape \(n_documents=2\), got \(1,\)"):
        density_weighted([1.0], [[1.0], [1.0]])
    with pytest.raises(InputError, match="scores must hold finite numbers of 0 or more, got -1"):
        density_weighted([-1.0], [[1.0]])
    with pytest.raises(InputError, match="p must be a number of 0 or more, got -1"):
        alto_rep([[1.0]], [[1.0]], p=-1)
    with pytest.raises(InputError, match="seed must be a whole number of 0 or more, got None"):
        random_scores(3, None)
    with pytest.raises(InputError, match="committee must hold the chances of one model or more, got none"):
        vote_entropy(np.ones((0, 2, 2)))


def test_a_state_that_does_not_fit_together_is_an_error():
    labelled = np.zeros(2, bool)
    with pytest.raises(InputError, match="labelled must say true or false of each document, got int64 of shape"):
        QueryState(np.array([0, 1]))
    with pytest.raises(InputError, match=r"theta must have the shape \(n_documents=2, n_topics\), got \(1, 2\)"):
        QueryState(labelled, theta=[[1.0, 0.0]])
    with pytest.raises(InputError, match=r"probabilities must have the shape .* n_labels=1\), got \(2, 2\)"):
        QueryState(labelled, probabilities=np.full((2, 2), 0.5), labels=("tea",))
    with pytest.raises(InputError, match="this strategy needs committee, and the state has none"):
        score_documents(QueryState(labelled), "vote_entropy")
    with pytest.raises(InputError, match=r"strategy must be one of 'random', 'entropy', .* got 'best'"):
        score_documents(QueryState(labelled), "best")
