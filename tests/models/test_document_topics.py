"""Topic proportions and likelihoods of documents for known topics."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, special

from naive import inference as naive
from wayword.errors import InputError
from wayword.evaluation.likelihood import held_out_likelihood
from wayword.kernels.inference import (
    bound_rows,
    concentrate_rows,
    digamma,
    left_to_right_rows,
    mix_rows,
    sample_rows,
)
from wayword.matrix.thinning import thin
from wayword.models import document_topics
from wayword.models.document_topics import infer_topics
from wayword.models.folding import SETTLED

METHODS = ["cd", "em", "oneshot", "vb", "gibbs"]
MEASURES = ["completion", "bound", "left-to-right"]
every_method = pytest.mark.parametrize("method", METHODS)
every_measure = pytest.mark.parametrize("measure", MEASURES)
few = settings(max_examples=25)
seeds = st.integers(0, 2**32 - 1)
sizes = st.tuples(st.integers(1, 5), st.integers(2, 6), st.integers(1, 4))
SEED = np.uint64(7)


def draw(size, seed, *, gaps=0.0, mean=1.0):
    """Return counts, some documents empty, topics, and alpha; a share of the topics is zero, but of no term in all."""
    n_documents, n_terms, n_topics = size
    rng = np.random.default_rng(seed)
    X = rng.poisson(mean, (n_documents, n_terms)).astype(float)
    topics = rng.uniform(0.05, 1.0, (n_topics, n_terms)) * (rng.random((n_topics, n_terms)) >= gaps)
    topics[rng.integers(n_topics, size=n_terms), np.arange(n_terms)] += 0.05
    topics[:, 0] += 0.01
    return X, topics / topics.sum(axis=1, keepdims=True), rng.uniform(0.05, 3.0, n_topics)


def draw_tiny(seed):
    """Return documents of up to six tokens with two or three topics."""
    rng = np.random.default_rng(seed)
    X = np.array([rng.multinomial(length, np.full(4, 0.25)) for length in (1, 2, 4, 6)], dtype=float)
    n_topics = rng.integers(2, 4)
    return X, rng.dirichlet(np.full(4, 0.5), n_topics) * 0.98 + 0.005, rng.uniform(0.1, 2.0, n_topics)


def run(kernel, X, topics, *rest, by_topic=True):
    """Run a kernel on all documents; return what it wrote."""
    matrix = sparse.csr_matrix(X)
    result = np.full((len(X), len(topics)) if by_topic else len(X), np.nan)
    kernel(0, len(X), matrix.indptr, matrix.indices, matrix.data, np.ascontiguousarray(topics.T), *rest, result)
    return result


def likelihoods(X, topics, thetas):
    return np.array([naive.log_likelihood(x, topics, theta) for x, theta in zip(X, thetas, strict=True)])


def plant(n_documents=200, length=120, seed=0):
    """Return documents, separated topics that share a tenth of their words, and the proportions of the documents."""
    rng = np.random.default_rng(seed)
    topics = np.kron(np.eye(4), np.full(6, 1 / 6)) * 0.9 + 0.1 / 24
    thetas = rng.dirichlet(np.full(4, 0.4), n_documents)
    return np.array([rng.multinomial(length, theta @ topics) for theta in thetas]), topics, thetas


# Properties


@every_method
@given(sizes, seeds, st.sampled_from([0.0, 0.5]))
@few
def test_proportions_sum_to_one(method, size, seed, gaps):
    X, topics, alpha = draw(size, seed, gaps=gaps)
    thetas = infer_topics(X, topics, method=method, alpha=alpha, max_iter=10)
    assert thetas.shape == (size[0], size[2])
    assert thetas.dtype == np.float64
    assert (thetas >= 0).all()
    np.testing.assert_allclose(thetas.sum(axis=1), 1.0, rtol=1e-12)


@every_method
def test_a_document_without_known_terms_gets_the_mean_of_the_prior(method):
    topics = np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]])
    X = np.array([[0, 0, 0], [0, 0, 4], [3, 1, 0], [3, 1, 9]])
    thetas = infer_topics(X, topics, method=method, alpha=[0.3, 0.1])
    np.testing.assert_allclose(thetas[:2], [[0.75, 0.25]] * 2)
    assert abs(thetas[2, 0] - 0.75) > 0.01
    if method != "gibbs":  # each row has samples of its own
        np.testing.assert_allclose(thetas[2], thetas[3])


@every_method
def test_a_term_next_to_impossible_is_unknown(method):
    topics = np.array([[0.5, 0.5, 1e-30], [0.2, 0.8, 0.0]])
    thetas = infer_topics([[3, 1, 0], [3, 1, 9]], topics, method=method, alpha=0.5)
    assert np.isfinite(thetas).all()
    if method in ("cd", "em", "vb"):
        np.testing.assert_allclose(thetas[0], thetas[1])


@pytest.mark.parametrize("method", ["cd", "em", "vb"])
@pytest.mark.parametrize("alpha", [1e-100, 1e-9, 1e6])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_extreme_settings_give_finite_proportions(method, alpha, scale):
    X, topics, _ = draw((5, 6, 4), 3, gaps=0.6)
    thetas = infer_topics(X * scale, topics, method=method, alpha=[alpha, 1.0, alpha, 5.0])
    assert np.isfinite(thetas).all()
    np.testing.assert_allclose(thetas.sum(axis=1), 1.0)


@given(sizes, seeds, st.sampled_from([0.0, 1.0]))
@few
def test_no_step_of_expectation_and_maximisation_lowers_the_posterior(size, seed, pseudo):
    X, topics, alpha = draw(size, seed, gaps=0.3)
    X[:, 0] += 1
    pseudo_counts = pseudo * alpha
    values = []
    for n_steps in range(1, 12):
        thetas = run(mix_rows, X, topics, pseudo_counts, n_steps, 0.0)
        values.append(likelihoods(X, topics, thetas) + special.xlogy(pseudo_counts, thetas).sum(axis=1))
    assert all((after >= before - 1e-9).all() for before, after in pairwise(values))


@given(sizes, seeds)
@few
def test_no_step_of_variational_bayes_lowers_the_bound(size, seed):
    X, topics, alpha = draw(size, seed, gaps=0.3)
    values = []
    for n_steps in range(12):
        gammas = run(concentrate_rows, X, topics, alpha, n_steps, 0.0)
        values.append(run(bound_rows, X, topics, alpha, gammas, by_topic=False))
    assert all((after >= before - 1e-9).all() for before, after in pairwise(values))


@given(sizes, seeds)
@few
def test_coordinate_descent_is_at_least_as_likely_as_any_number_of_steps(size, seed):
    X, topics, _ = draw(size, seed, gaps=0.3)
    best = likelihoods(X, topics, infer_topics(X, topics))
    stepped = likelihoods(X, topics, infer_topics(X, topics, method="em", max_iter=2000, tol=1e-12))
    # It leaves a topic out whose slope falls by less than this, which is what a token can lose at most.
    slack = np.sqrt(SETTLED) * X.sum(axis=1)
    assert (best >= stepped - slack).all()
    assert (best <= stepped + slack).all()


@given(seeds, st.integers(0, 20))
@few
def test_the_bound_lies_below_the_exact_likelihood(seed, n_steps):
    X, topics, alpha = draw_tiny(seed)
    gammas = run(concentrate_rows, X, topics, alpha, n_steps, 0.0)
    exact = [naive.exact_log_likelihood(x, topics, alpha) for x in X]
    assert (run(bound_rows, X, topics, alpha, gammas, by_topic=False) <= np.array(exact) + 1e-10).all()


@every_method
def test_the_matrix_of_the_caller_stays_as_it_is(method):
    X, topics, _ = draw((6, 5, 3), 0)
    topics[:, 2] = 0.0
    topics /= topics.sum(axis=1, keepdims=True)
    matrix = sparse.csr_matrix(X)
    matrix.data[0] = 0.0
    before = matrix.copy()
    infer_topics(matrix, topics, method=method, max_iter=5)
    assert matrix.nnz == before.nnz
    np.testing.assert_array_equal(matrix.toarray(), before.toarray())


@every_method
def test_the_kind_of_matrix_makes_no_difference(method):
    X, topics, _ = draw((6, 5, 3), 0)
    expected = infer_topics(sparse.csr_matrix(X), topics, method=method)
    twice = sparse.coo_matrix((np.full(12, 1.0), (np.zeros(12, int), np.repeat(np.arange(3), 4))), shape=(1, 5))
    for same in (X, X.tolist(), sparse.csc_array(X), X.astype(np.float32), X.astype(int)):
        np.testing.assert_array_equal(infer_topics(same, topics, method=method), expected)
    once = infer_topics([[4, 4, 4, 0, 0]], topics, method=method)
    np.testing.assert_array_equal(infer_topics(twice, topics, method=method), once)


# Twins


def test_digamma_is_that_of_scipy():
    x = np.concatenate([np.logspace(-12, 12, 500), np.linspace(1.4, 1.5, 50)])
    np.testing.assert_allclose([digamma(value) for value in x], special.digamma(x), rtol=1e-13, atol=1e-14)


@given(sizes, seeds, st.integers(1, 5), st.sampled_from([0.0, 1.0]))
@few
def test_mixtures_are_those_of_the_twin(size, seed, n_steps, pseudo):
    X, topics, alpha = draw(size, seed, gaps=0.3)
    X[:, 0] += 1
    expected = [naive.mix(x, topics, pseudo * alpha, n_steps) for x in X]
    np.testing.assert_allclose(run(mix_rows, X, topics, pseudo * alpha, n_steps, 0.0), expected, rtol=1e-9, atol=1e-12)


def test_only_what_alpha_exceeds_one_by_counts_for_the_peak_of_the_posterior():
    X, topics, _ = draw((4, 5, 3), 1)
    X[:, 0] += 1
    expected = [naive.mix(x, topics, np.array([0.0, 1.5, 0.0]), 40) for x in X]
    found = infer_topics(X, topics, method="em", alpha=[0.2, 2.5, 1.0], max_iter=40, tol=0.0)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@given(sizes, seeds, st.integers(0, 5))
@few
def test_concentrations_and_bounds_are_those_of_the_twin(size, seed, n_steps):
    X, topics, alpha = draw(size, seed, gaps=0.3)
    gammas = run(concentrate_rows, X, topics, alpha, n_steps, 0.0)
    np.testing.assert_allclose(gammas, [naive.concentrate(x, topics, alpha, n_steps) for x in X], rtol=1e-9)
    bounds = run(bound_rows, X, topics, alpha, gammas, by_topic=False)
    expected = [naive.bound(x, topics, alpha, gamma) for x, gamma in zip(X, gammas, strict=True)]
    np.testing.assert_allclose(bounds, expected, rtol=1e-9, atol=1e-9)


def test_variational_proportions_are_the_mean_of_the_concentration():
    X, topics, alpha = draw((5, 6, 3), 2)
    gammas = np.array([naive.concentrate(x, topics, alpha, 30) for x in X])
    found = infer_topics(X, topics, method="vb", alpha=alpha, max_iter=30, tol=0.0)
    np.testing.assert_allclose(found, gammas / gammas.sum(axis=1, keepdims=True), rtol=1e-9)


@pytest.mark.parametrize("method", ["em", "vb"])
def test_a_larger_tolerance_stops_earlier(method):
    X, topics, _ = draw((8, 6, 3), 5, mean=3.0)
    first = infer_topics(X, topics, method=method, max_iter=1)
    np.testing.assert_array_equal(infer_topics(X, topics, method=method, tol=2.0), first)
    assert (infer_topics(X, topics, method=method) != first).any()


@given(sizes, seeds, st.integers(1, 6))
@few
def test_samples_are_those_of_the_twin(size, seed, sweeps):
    X, topics, alpha = draw(size, seed, gaps=0.3)
    burn_in = sweeps // 2
    found = run(sample_rows, X, topics, alpha, SEED, sweeps, burn_in)
    randoms = [naive.uniforms(int(SEED), row) for row in range(len(X))]
    twins = [naive.sample(x, topics, alpha, own, sweeps, burn_in) for x, own in zip(X, randoms, strict=True)]
    np.testing.assert_allclose(found, twins, rtol=1e-12)


@given(sizes, seeds, st.integers(1, 5))
@few
def test_particles_are_those_of_the_twin(size, seed, n_particles):
    X, topics, alpha = draw(size, seed, gaps=0.3)
    found = run(left_to_right_rows, X, topics, alpha, SEED, n_particles, by_topic=False)
    randoms = [naive.uniforms(int(SEED), row) for row in range(len(X))]
    twins = [naive.left_to_right(x, topics, alpha, own, n_particles) for x, own in zip(X, randoms, strict=True)]
    np.testing.assert_allclose(found, twins, rtol=1e-12, atol=1e-12)


@given(sizes, seeds)
@few
def test_one_shot_is_the_mean_over_tokens_of_topics_given_terms(size, seed):
    X, topics, _ = draw(size, seed, gaps=0.3)
    X[:, 0] += 1
    given_terms = (topics / topics.sum(axis=0)).T
    expected = [np.mean(given_terms[naive.tokens_of(x)], axis=0) for x in X]
    np.testing.assert_allclose(infer_topics(X, topics, method="oneshot"), expected, rtol=1e-10)
    own = np.random.default_rng(seed).dirichlet(np.ones(size[2]), size[1])
    expected = [np.mean(own[naive.tokens_of(x)], axis=0) for x in X]
    np.testing.assert_allclose(infer_topics(X, topics, method="oneshot", term_topics=own), expected, rtol=1e-10)


def smooth(topics):
    return 0.99 * topics + 0.01 / topics.shape[1]


def test_the_bound_over_tokens_is_that_of_the_twin():
    X, topics, alpha = draw((6, 5, 3), 4, gaps=0.4)
    bounds = []
    for x in X:
        gamma = naive.concentrate(x, smooth(topics), alpha, 500)
        bounds.append(naive.bound(x, smooth(topics), alpha, gamma))
    found = held_out_likelihood(X, topics, method="bound", alpha=alpha)
    assert found == pytest.approx(sum(bounds) / X.sum(), rel=1e-8)


def test_completion_is_that_of_the_twin():
    X, topics, alpha = draw((6, 5, 3), 4, gaps=0.4, mean=3.0)
    seen, held = thin(sparse.csr_matrix(X), np.random.RandomState(11))
    total = 0.0
    for x, rest in zip(seen.toarray(), held.toarray(), strict=True):
        gamma = naive.concentrate(x, smooth(topics), alpha, 500)
        total += naive.log_likelihood(rest, smooth(topics), gamma / gamma.sum())
    found = held_out_likelihood(X, topics, alpha=alpha, random_state=11)
    assert found == pytest.approx(total / held.sum(), rel=1e-5)


# Against the exact likelihood and the exact posterior, by enumeration


@pytest.mark.parametrize("seed", range(4))
def test_the_mean_of_samples_nears_the_mean_of_the_posterior(seed):
    X, topics, alpha = draw_tiny(seed)
    exact = [naive.exact_mean(x, topics, alpha) for x in X]
    found = infer_topics(X, topics, method="gibbs", alpha=alpha, max_iter=40_000)
    np.testing.assert_allclose(found, exact, atol=0.01)


@pytest.mark.parametrize("seed", range(4))
def test_left_to_right_nears_the_exact_likelihood(seed):
    X, topics, alpha = draw_tiny(seed)
    exact = [naive.exact_log_likelihood(x, topics, alpha) for x in X]
    found = run(left_to_right_rows, X, topics, alpha, SEED, 20_000, by_topic=False)
    np.testing.assert_allclose(found, exact, atol=0.02)


@pytest.mark.parametrize("n_particles", [1, 2, 5])
def test_left_to_right_is_right_on_average_for_any_number_of_particles(n_particles):
    X, topics, alpha = draw_tiny(1)
    exact = np.exp(naive.exact_log_likelihood(X[-1], topics, alpha))
    # The same document in many rows: each has random numbers of its own.
    estimates = np.exp(
        run(left_to_right_rows, np.tile(X[-1], (40_000, 1)), topics, alpha, SEED, n_particles, by_topic=False)
    )
    error = estimates.std() / np.sqrt(len(estimates))
    assert error > 0
    assert abs(estimates.mean() - exact) < 4 * error


def test_measures_of_whole_documents_are_per_token_and_near_each_other():
    X, topics, alpha = draw_tiny(2)
    exact = sum(naive.exact_log_likelihood(x, smooth(topics), alpha) for x in X) / X.sum()
    options = {"alpha": alpha, "n_particles": 5000}
    assert held_out_likelihood(X, topics, method="left-to-right", **options) == pytest.approx(exact, abs=0.01)
    assert exact - 0.2 < held_out_likelihood(X, topics, method="bound", **options) <= exact


def test_random_numbers_are_even_and_differ_between_documents():
    first, second = ([next(random) for _ in range(5000)] for random in map(naive.uniforms, (7, 7), (0, 1)))
    assert abs(np.mean(first) - 0.5) < 0.02
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.05
    assert not set(first) & set(second)


# Recovery


@every_method
def test_planted_proportions_are_recovered(method):
    X, topics, thetas = plant()
    found = infer_topics(X, topics, method=method, alpha=0.4)
    assert np.abs(found - thetas).sum(axis=1).mean() < (0.3 if method == "oneshot" else 0.15)
    settled = thetas.max(axis=1) > 0.6
    assert (found.argmax(axis=1) == thetas.argmax(axis=1))[settled].mean() > 0.98


@every_measure
def test_planted_topics_are_more_likely_than_others(measure):
    X, topics, _ = plant(n_documents=40, length=40)
    wrong = np.roll(topics, 3, axis=1)
    scores = [held_out_likelihood(X, these, method=measure, alpha=0.4) for these in (topics, wrong)]
    assert scores[0] > scores[1] + 0.1
    assert np.log(1 / 24) < scores[0] < 0


@every_measure
def test_a_term_that_no_topic_has_is_not_impossible(measure):
    score = held_out_likelihood([[6, 6, 6]], [[0.5, 0.5, 0.0], [0.9, 0.1, 0.0]], method=measure)
    assert np.isfinite(score)
    # Its probability is a hundredth, divided by three terms.
    assert score > np.log(0.01 / 3)


# The same for any number of threads, and for the same seed


@every_method
def test_proportions_have_the_same_bits_for_any_number_of_threads(monkeypatch, method):
    X, topics, alpha = draw((300, 40, 5), 0)
    results = set()
    for threads in ("1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        results.add(infer_topics(X, topics, method=method, alpha=alpha, max_iter=10).tobytes())
    assert len(results) == 1


@every_measure
def test_likelihoods_have_the_same_bits_for_any_number_of_threads(monkeypatch, measure):
    X, topics, alpha = draw((300, 20, 5), 0)
    results = set()
    for threads in ("1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        results.add(held_out_likelihood(X, topics, method=measure, alpha=alpha, n_particles=3))
    assert len(results) == 1


def test_where_documents_are_cut_into_pieces_makes_no_difference(monkeypatch):
    X, topics, _ = draw((50, 20, 5), 0)
    results = set()
    for at_once in (1, 7, 64):
        monkeypatch.setattr(document_topics, "_DOCUMENTS_AT_ONCE", at_once)
        thetas = [infer_topics(X, topics, method=method, max_iter=5).tobytes() for method in METHODS]
        scores = [held_out_likelihood(X, topics, method=measure) for measure in ("bound", "left-to-right")]
        results.add((*thetas, *scores))
    assert len(results) == 1


def test_samples_follow_from_the_seed_and_the_row():
    X, topics, _ = draw((150, 6, 3), 0)
    X[1] = X[0] = [2, 1, 3, 2, 1, 2]
    found, again, other = (infer_topics(X, topics, method="gibbs", max_iter=9, random_state=s) for s in (3, 3, 4))
    np.testing.assert_array_equal(found, again)
    assert (found != other).any()
    assert (found[0] != found[1]).any()
    np.testing.assert_array_equal(infer_topics(X[:70], topics, method="gibbs", max_iter=9, random_state=3), found[:70])
    assert np.isfinite(infer_topics(X, topics, method="gibbs", max_iter=1, random_state=None)).all()


@pytest.mark.parametrize("measure", ["completion", "left-to-right"])
def test_likelihoods_follow_from_the_seed(measure):
    X, topics, _ = draw((20, 6, 3), 0)
    scores = [held_out_likelihood(X, topics, method=measure, random_state=seed) for seed in (3, 3, 4)]
    assert scores[0] == scores[1] != scores[2]


# Bad input

X, TOPICS = [[1, 0, 2], [0, 3, 1]], [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"method": "lda"}, "method must be one of 'cd', 'em', 'oneshot', 'vb', 'gibbs'"),
        ({"alpha": 0}, "alpha must be above 0"),
        ({"alpha": [0.1, -1]}, "alpha must be above 0"),
        ({"alpha": [0.1, np.nan]}, "alpha must be above 0"),
        ({"alpha": [0.1, 0.1, 0.1]}, r"one for each of 2 topics, got shape \(3,\)"),
        ({"alpha": "symmetric"}, "alpha must be a number or one for each topic, got 'symmetric'"),
        ({"topics": [[0.5, 0.5, 0.5], [0.1, 0.1, 0.8]]}, "sum to 1, got sums from 1 to 1.5; divide"),
        ({"topics": [[1.1, -0.1, 0.0]]}, "topics must hold finite numbers of 0 or more, got -0.1"),
        ({"topics": [[np.inf, 0.0, 0.0]]}, "topics must hold finite numbers of 0 or more, got inf"),
        ({"topics": [0.5, 0.3, 0.2]}, r"topics must be a matrix with rows and columns, got shape \(3,\)"),
        ({"topics": np.empty((0, 3))}, "topics must be a matrix with rows and columns"),
        ({"topics": "topics"}, "topics must be a matrix of numbers, got 'topics'"),
        ({"X": [[1, 2]]}, "a column for each of the 3 terms of topics, got 2 columns; count"),
        ({"X": [[1, 0, -2]]}, "X must hold finite numbers of 0 or more, got -2"),
        ({"X": [[1, 0, np.nan]]}, "X must hold finite numbers of 0 or more, got nan"),
        ({"X": [["a", "b", "c"]]}, "X must be a matrix of counts"),
        ({"max_iter": 0}, "max_iter must be a whole number of 1 or more"),
        ({"tol": -1}, "tol must be a number of 0 or more"),
        ({"X": [[1, 0, 0.5]], "method": "gibbs"}, "'gibbs' samples token by token and needs whole counts, got 0.5"),
        ({"X": [[1, 0, 3e9]], "method": "gibbs"}, "at most 2147483648 of a document, got 3e"),
        ({"term_topics": [[0.5, 0.5]] * 3}, "term_topics is for method 'oneshot', got method 'cd'"),
        ({"method": "oneshot", "term_topics": TOPICS}, r"\(3, 2\), got \(2, 3\); transpose"),
        ({"method": "oneshot", "term_topics": [[0.5, 0.1]] * 3}, "or be 0 for a term that is unknown, got 0.6"),
    ],
)
def test_bad_input_of_inference_is_told(changed, message):
    options = {"X": X, "topics": TOPICS, **changed}
    with pytest.raises(InputError, match=message):
        infer_topics(options.pop("X"), options.pop("topics"), **options)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"method": "harmonic"}, "method must be one of 'completion', 'bound', 'left-to-right'"),
        ({"n_particles": 0}, "n_particles must be a whole number of 1 or more"),
        ({"X": [[0, 0, 0]]}, "at least one token, got only empty documents"),
        ({"X": np.empty((0, 3))}, "at least one token"),
        ({"X": [[0.5, 0, 0]], "method": "left-to-right"}, "'left-to-right' samples token by token"),
        ({"topics": [[0.5, 0.1, 0.1]]}, "each row of topics must sum to 1"),
        ({"alpha": -1}, "alpha must be above 0"),
    ],
)
def test_bad_input_of_likelihood_is_told(changed, message):
    options = {"X": X, "topics": TOPICS, **changed}
    with pytest.raises(InputError, match=message):
        held_out_likelihood(options.pop("X"), options.pop("topics"), **options)


def test_documents_too_short_to_be_halved_are_told():
    outcomes = set()
    for seed in range(20):
        try:
            outcomes.add(held_out_likelihood([[1, 0, 0]], TOPICS, random_state=seed) < 0)
        except InputError as error:
            outcomes.add(str(error).partition(":")[0])
    assert outcomes == {True, "there is nothing to predict"}


@every_method
def test_no_documents_have_no_proportions(method):
    assert infer_topics(np.empty((0, 3)), TOPICS, method=method).shape == (0, 2)


@every_method
def test_topics_in_single_precision_are_taken(method):
    topics = np.random.default_rng(0).dirichlet(np.ones(3), 4).astype(np.float32)
    assert infer_topics(X, topics, method=method).shape == (2, 4)
