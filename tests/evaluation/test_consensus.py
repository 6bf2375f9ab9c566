"""Topics that many runs agree on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.decomposition import LatentDirichletAllocation

from evaluation.planted import plant
from wayword.errors import InputError
from wayword.evaluation.consensus import consensus_topics
from wayword.evaluation.matching import match_topics
from wayword.evaluation.stability import topic_stability
from wayword.evaluation.term_lists import top_columns
from wayword.models.anchors import AnchorTopics
from wayword.models.nmf import NMF


@pytest.fixture(scope="module")
def small():
    return plant(3, n_documents=60, n_terms=40, length=30)[0]


def agreement(a, b):
    return topic_stability(top_columns(a), top_columns(b)).mean


class Scripted(BaseEstimator):
    """A model that finds the topics it is told, one run after the other."""

    runs = iter(())

    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X):
        self.components_ = np.array(next(Scripted.runs), dtype=float)
        return self


def follow(script, k, **settings):
    Scripted.runs = iter(script)
    X = np.ones((4, len(script[0][0])))
    return consensus_topics(X, k, n_runs=len(script), model=Scripted(), **settings)


A, B, ODD = [0.5, 0.5, 0, 0, 0, 0], [0, 0, 0.5, 0.5, 0, 0], [0, 0, 0, 0, 0.9, 0.1]


def test_planted_topics_are_found_by_all_runs():
    X, topics = plant(5)
    found = consensus_topics(X, 5, n_runs=6)
    match = match_topics(np.sqrt(found.components) @ np.sqrt(topics).T)
    assert match.similarities.min() > 0.9
    assert found.stability.min() >= 0.5
    assert agreement(found.components, topics) > 0.8


def test_disjoint_sets_of_runs_agree_more_on_their_consensus_than_single_runs_do():
    X, _ = plant(12, length=40, mixing=0.2)
    single = [top_columns(NMF(12, init="random", random_state=seed).fit(X).components_) for seed in range(4)]
    sets = [top_columns(consensus_topics(X, 12, random_state=seed).components) for seed in range(2)]
    assert topic_stability(*sets).mean > topic_stability(*single).mean + 0.05


@settings(max_examples=8)
@given(st.integers(0, 1000), st.integers(1, 4))
def test_results_are_sound(seed, k):
    X, _ = plant(3, n_documents=30, n_terms=20, length=20, seed=seed)
    found = consensus_topics(X, k, n_runs=3, random_state=seed)
    assert found.components.shape == (k, 20)
    assert found.document_weights.shape == (30, k)
    np.testing.assert_allclose(found.components.sum(axis=1), 1.0)
    assert (found.components >= 0).all()
    assert (found.document_weights >= 0).all()
    assert ((found.stability > 0) & (found.stability <= 1)).all()
    assert 0.5 <= found.kept_share <= 1
    assert (np.diff(found.document_weights.sum(axis=0)) <= 0).all()


def test_weights_count_the_tokens_of_documents(small):
    found = consensus_topics(small, 3, n_runs=3)
    np.testing.assert_allclose(found.document_weights.sum(axis=1), np.asarray(small.sum(axis=1)).ravel(), rtol=1e-3)


def test_the_same_seed_gives_the_same_bits(small):
    first, again = (consensus_topics(small, 3, n_runs=3, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(first.components, again.components)
    np.testing.assert_array_equal(first.document_weights, again.document_weights)


def test_a_topic_that_one_run_had_alone_is_dropped():
    found = follow([[A, B], [B, A], [A, ODD], [A, B]], 2)
    np.testing.assert_allclose(sorted(found.components.tolist()), sorted([A, B]))
    assert found.kept_share == 7 / 8
    assert sorted(found.stability) == [0.75, 1.0]


def test_with_the_largest_distance_nothing_is_dropped():
    assert follow([[A, B], [B, A], [A, ODD], [A, B]], 2, max_distance=1).kept_share == 1.0


def test_topics_are_medians_so_that_one_odd_run_does_not_move_them():
    moved = [0.5, 0.2, 0, 0, 0.3, 0]
    found = follow([[A, B], [A, B], [moved, B]], 2)
    assert A in found.components.tolist()


def test_a_topic_without_terms_is_no_topic():
    found = follow([[A, B, [0] * 6], [A, B, [0] * 6]], 2)
    assert sorted(found.components.tolist()) == sorted([A, B])
    assert found.kept_share == 1.0


@pytest.mark.parametrize("run", [[A, B, [0] * 6], [A, A, B], [[0] * 6] * 3])
def test_too_few_different_topics_are_an_error(run):
    with pytest.raises(InputError, match="fewer than 3 different topics"):
        follow([run, run], 3)


def test_the_last_fit_lowers_the_divergence(small):
    def divergence(found):
        expected = found.document_weights @ found.components
        rows, columns = small.nonzero()
        return expected.sum() - (small.data * np.log(expected[rows, columns] + 1e-12)).sum()

    plain, refitted = (consensus_topics(small, 4, n_runs=3, refit=refit) for refit in (False, True))
    assert divergence(refitted) < divergence(plain)


@pytest.mark.parametrize(
    "model",
    [
        NMF(init="random", solver="mu"),
        NMF(loss="frobenius", init="acol"),
        NMF(init="random", alpha_W=0.1),
        LatentDirichletAllocation(max_iter=2),
        AnchorTopics(min_df=1),
    ],
)
def test_any_model_of_topics_can_be_asked(small, model):
    found = consensus_topics(small, 3, n_runs=3, model=model)
    np.testing.assert_allclose(found.components.sum(axis=1), 1.0)
    assert found.document_weights.shape == (60, 3)
    assert not hasattr(model, "components_")


def test_runs_that_see_everything_from_one_start_are_all_alike(small):
    found = consensus_topics(small, 3, n_runs=3, model=NMF(), share=1)
    single = NMF(3).fit(small).components_
    np.testing.assert_array_equal(found.stability, 1.0)
    assert found.kept_share == 1.0
    assert agreement(found.components, single) > 0.95


def test_progress_is_told_of_every_run(small):
    told = []
    consensus_topics(small, 2, n_runs=3, progress=lambda *said: told.append(said))
    assert told == [("fits", 1, 3), ("fits", 2, 3), ("fits", 3, 3)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"k": 0}, "k must be a whole number of 1 or more"),
        ({"n_runs": 1}, "n_runs must be a whole number of 2 or more"),
        ({"share": 0}, "share must lie above 0"),
        ({"share": 1.5}, "share must be a number from 0 to 1"),
        ({"max_distance": -1}, "max_distance must be a number from 0 to 1"),
        ({"model": object()}, "model must be an estimator"),
        ({"X": [[0, 0]]}, "at least one token"),
    ],
)
def test_bad_use_is_said(small, change, said):
    given = {"X": small, "k": 2, **change}
    with pytest.raises(InputError, match=said):
        consensus_topics(given.pop("X"), given.pop("k"), **given)
