import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive import anchors as naive
from wayword import Cooccurrence, cooccurrence
from wayword.models import rectify as rectify_module
from wayword.models.rectify import rectify

sizes = st.tuples(st.integers(3, 20), st.integers(2, 10), st.integers(1, 4))
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=25)


def draw(size, seed, *, unseen=0):
    """Return co-occurrence of short random documents, far from any low rank, and a rank."""
    n_documents, n_terms, rank = size
    X = np.random.default_rng(seed).poisson(0.7, (n_documents, n_terms)).astype(float)
    X[0, :2] += 1
    X[:, max(n_terms - unseen, 2) :] *= unseen == 0
    return cooccurrence(X), rank


@given(sizes, seeds, st.sampled_from(["dense", "sparse"]))
def test_the_result_is_symmetric_not_negative_and_sums_to_one(size, seed, form):
    pairs, rank = draw(size, seed)
    assume((pairs.document_frequencies > 0).all())
    found = rectify(pairs.to(form), rank)
    Q = found.toarray()
    assert (found.form, found.n_documents, found.unit) == ("dense", 1, pairs.unit)
    assert (found.document_frequencies == pairs.document_frequencies).all()
    assert (Q >= 0).all()
    assert (Q == Q.T).all()
    assert Q.sum() == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_with_terms_that_never_occur_it_sums_to_one_too(seed):
    pairs, rank = draw((6, 8, 2), seed, unseen=3)
    assert rectify(pairs, rank).toarray().sum() == pytest.approx(1.0, rel=1e-9)


@few
@given(sizes, seeds)
def test_terms_that_never_occur_get_nothing(size, seed):
    pairs, rank = draw(size, seed, unseen=1)
    absent = pairs.document_frequencies == 0
    Q = rectify(pairs, rank).toarray()
    assert (Q[absent] == 0).all()
    assert (Q[:, absent] == 0).all()


@few
@given(seeds, st.integers(1, 3), st.integers(1, 15))
def test_rounds_are_those_of_a_plain_eigensolver(seed, rank, rounds):
    # So few terms that the directions searched are all there are.
    A, _ = naive.plant_topics(rank, 11, seed)
    Q = cooccurrence(naive.draw_documents(A, 300, 20, seed)[0]).toarray()
    values = np.linalg.eigvalsh(Q)
    assume(values[-rank] > 2 * max(values[-rank - 1], 0.0))  # or rounding decides which directions come first
    found = rectify(Cooccurrence(Q, 1, np.ones(11)), rank, rounds=rounds).toarray()
    np.testing.assert_allclose(found, naive.rectify(Q, rank, rounds), atol=1e-9)


@few
@given(seeds, st.integers(1, 5))
def test_a_matrix_that_is_what_the_model_says_stays_as_it_is(seed, rank):
    A, R = naive.plant_topics(rank, 40, seed)
    Q = A @ R @ A.T
    np.testing.assert_allclose(rectify(Cooccurrence(Q, 1, np.ones(40)), rank).toarray(), Q, atol=1e-12)


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_single_precision_does_not_touch_what_is_rectified_already(monkeypatch, form):
    A, R = naive.plant_topics(4, 40, 0)
    Q = A @ R @ A.T
    monkeypatch.setattr("wayword.models.rectify._EXACT_TERMS", 10)
    pairs = Cooccurrence(3.0 * Q if form == "dense" else sparse.csr_matrix(3.0 * Q), 2, np.ones(40))
    np.testing.assert_allclose(rectify(pairs, 4).toarray(), Q, atol=1e-15)


@few
@given(seeds)
def test_it_is_nearer_to_low_rank_and_to_semidefinite_than_the_estimate(seed):
    A, _ = naive.plant_topics(3, 40, seed)
    pairs = cooccurrence(naive.draw_documents(A, 300, 10, seed)[0])
    before, after = (np.linalg.eigvalsh(Q.toarray()) for Q in (pairs, rectify(pairs, 3)))
    assert -after[0] < 0.5 * -before[0]
    assert np.abs(after[:-3]).sum() < 0.3 * np.abs(before[:-3]).sum()


@pytest.mark.parametrize("seed", range(3))
def test_it_is_nearer_to_the_truth_than_the_estimate(seed):
    A, _ = naive.plant_topics(4, 60, seed)
    X, W = naive.draw_documents(A, 400, 20, seed)
    truth = A @ (W.T @ W / len(W)) @ A.T
    pairs = cooccurrence(X)
    assert np.linalg.norm(rectify(pairs, 4).toarray() - truth) < 0.9 * np.linalg.norm(pairs.toarray() - truth)


def test_many_terms_are_rectified_nearly_as_by_a_plain_eigensolver():
    A, _ = naive.plant_topics(5, 300, 0)
    pairs = cooccurrence(naive.draw_documents(A, 400, 30, 0)[0])
    found, expected = rectify(pairs, 5).toarray(), naive.rectify(pairs.toarray(), 5, 15)
    assert np.linalg.norm(found - expected) < 2e-3 * np.linalg.norm(expected)


def test_the_estimate_is_left_alone_and_progress_told():
    pairs, rank = draw((10, 8, 3), 0)
    before, told = pairs.toarray(), []
    rectify(pairs, rank, rounds=4, progress=lambda *news: told.append(news))
    assert (pairs.toarray() == before).all()
    assert told == [("rounds", done, 4) for done in range(1, 5)]


def test_single_precision_is_near_double_precision(monkeypatch):
    A, _ = naive.plant_topics(3, 50, 1)
    pairs = cooccurrence(naive.draw_documents(A, 200, 20, 1)[0])
    double = rectify(pairs, 3).toarray()
    monkeypatch.setattr("wayword.models.rectify._EXACT_TERMS", 10)
    single = rectify(pairs, 3).toarray()
    assert single.dtype == np.float32
    assert np.linalg.norm(single - double) < 2e-3 * np.linalg.norm(double)
    assert single.sum(dtype=np.float64) == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_bits_for_any_number_of_threads_and_about_the_same_for_any_seed(monkeypatch, seed):
    A, _ = naive.plant_topics(4, 600, 2)
    pairs = cooccurrence(naive.draw_documents(A, 300, 40, 2)[0])
    results = set()
    for threads in ("1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        results.add(rectify(pairs, 4, seed=seed).toarray().tobytes())
    assert len(results) == 1
    found, expected = np.frombuffer(results.pop()).reshape(600, 600), rectify(pairs, 4).toarray()
    assert np.linalg.norm(found - expected) < 0.01 * np.linalg.norm(expected)


@pytest.mark.parametrize("length", [40, 10])
def test_more_terms_than_are_solved_exactly_are_rectified_nearly_as_well(monkeypatch, length):
    A, _ = naive.plant_topics(12, 620, 0)
    pairs = cooccurrence(naive.draw_documents(A, 1500, length, 0)[0])
    found = rectify(pairs, 12).toarray()
    monkeypatch.setattr(rectify_module, "_FEW_TERMS", 1000)
    exact = rectify(pairs, 12).toarray()
    assert np.linalg.norm(found - exact) < 0.02 * np.linalg.norm(exact)


@given(seeds)
@few
def test_what_topics_with_rare_anchors_say_exactly_is_left_as_it_is(seed):
    A, R = naive.plant_topics(4, 30, seed)
    A[:4] *= 1e-4
    A /= A.sum(axis=0)
    Q = Cooccurrence(A @ R @ A.T, 1, np.ones(30))
    np.testing.assert_allclose(rectify(Q, 4).toarray(), Q.toarray() / Q.toarray().sum(), rtol=1e-12)
