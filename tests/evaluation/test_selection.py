"""How many topics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.decomposition import LatentDirichletAllocation

from evaluation.planted import plant
from wayword.errors import InputError
from wayword.evaluation.selection import choose_k, select_k
from wayword.models.anchors import AnchorTopics
from wayword.models.nmf import NMF

CRITERIA = ["heldout", "stability", "coherence"]
KS = np.array([5, 10, 20])
tables = st.tuples(st.integers(1, 5), st.integers(2, 4)).flatmap(
    lambda shape: hnp.arrays(float, (3, *shape), elements=st.floats(0, 1))
)


def flat(*means, spread=0.01):
    """Return three splits around each mean."""
    return np.array(means)[:, None] + spread * np.array([-1.0, 0.0, 1.0])


@given(tables, st.sets(st.sampled_from(CRITERIA), min_size=1))
def test_the_choice_is_one_of_the_numbers_and_has_a_reason(table, names):
    ks = np.arange(2, 2 + table.shape[1])
    values = {name: values for name, values in zip(CRITERIA, table, strict=True) if name in names}
    best, reason = choose_k(ks, values)
    assert best in ks
    assert reason.startswith(f"{best} ")


@given(tables)
def test_no_more_topics_are_chosen_than_have_the_best_held_out_likelihood(table):
    ks = np.arange(2, 2 + table.shape[1])
    best, _ = choose_k(ks, {"heldout": table[0]})
    assert best <= ks[table[0].mean(axis=1).argmax()]


def test_the_best_number_is_taken_if_it_is_clearly_the_best():
    assert choose_k(KS, {"heldout": flat(-8.0, -7.0, -7.5)})[0] == 10


def test_of_numbers_within_one_standard_error_the_smallest_is_taken():
    values = np.array([[-8.0, -8.1, -7.9], [-7.0, -7.2, -6.8], [-7.1, -7.0, -6.8]])
    best, reason = choose_k(KS, {"heldout": values})
    assert best == 10
    assert "fewest topics within one standard error" in reason
    assert "that of 20" in reason


def test_a_difference_that_every_split_shows_counts_however_much_splits_differ():
    # The splits lie 1 apart, the numbers 0.1 in each of them.
    values = np.array([[-7.1, -8.1, -9.1], [-7.0, -8.0, -9.0], [-7.2, -8.2, -9.2]])
    assert choose_k(KS, {"heldout": values})[0] == 10


def test_numbers_that_are_not_stable_are_left_out():
    values = {"heldout": flat(-8.0, -7.5, -7.0), "stability": flat(0.9, 0.6, 0.2)}
    best, reason = choose_k(KS, values)
    assert best == 10
    assert reason.startswith("10 topics have the best held-out likelihood of those that are stable,")
    assert "Not stable, and left out: 20." in reason
    assert choose_k(KS, values, stable=0.1)[0] == 20


def test_where_none_is_stable_all_are_compared_and_it_is_said():
    best, reason = choose_k(KS, {"heldout": flat(-8.0, -7.0, -7.5), "stability": flat(0.2, 0.2, 0.1)})
    assert best == 10
    assert "None is stable" in reason


def test_coherence_decides_where_likelihood_was_not_asked_for():
    assert choose_k(KS, {"coherence": flat(0.1, 0.3, 0.2), "stability": flat(0.9, 0.8, 0.7)})[0] == 10


def test_stability_alone_takes_the_most_topics_that_are_as_stable_as_the_best():
    best, reason = choose_k(KS, {"stability": np.array([[0.9, 0.8, 0.7], [0.8, 0.9, 0.65], [0.1, 0.2, 0.1]])})
    assert best == 10
    assert "most topics" in reason


def test_the_smallest_number_as_the_choice_asks_for_smaller_ones():
    assert "try smaller numbers" in choose_k(KS, {"heldout": flat(-7.0, -7.5, -8.0)})[1]
    assert "try smaller numbers" not in choose_k(KS, {"heldout": flat(-8.0, -7.0, -7.5)})[1]


def test_the_largest_number_as_the_best_asks_for_larger_ones():
    assert "try larger numbers" in choose_k(KS, {"heldout": flat(-8.0, -7.5, -7.0)})[1]
    assert "try larger numbers" not in choose_k(KS, {"heldout": flat(-8.0, -7.0, -7.5)})[1]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("n_topics", [5, 8, 12])
def test_the_planted_number_is_found_give_or_take_one(n_topics, seed):
    X, _ = plant(n_topics, seed=seed)
    found = select_k(X, range(n_topics - 3, n_topics + 4), n_splits=3, random_state=seed)
    assert abs(found.best - n_topics) <= 1


def test_every_criterion_prefers_the_planted_number_to_far_ones():
    X, _ = plant(6)
    found = select_k(X, [2, 6, 12], n_splits=3)
    assert found.best == 6
    for name in ("heldout", "coherence"):
        assert found.values[name].mean(axis=1).argmax() == 1
    assert found.values["stability"][1].mean() > found.values["stability"][2].mean()


@pytest.fixture(scope="module")
def small():
    return plant(3, n_documents=60, n_terms=40, length=30)[0]


def test_results_have_a_value_for_each_number_and_split(small):
    found = select_k(small, [4, 2, 4, 3], n_splits=3)
    assert found.ks.tolist() == [2, 3, 4]
    assert list(found.values) == CRITERIA
    for name, values in found.values.items():
        assert values.shape == (3, 3)
        assert np.isfinite(values).all()
        means, spreads = found.curves[name]
        np.testing.assert_allclose(means, values.mean(axis=1))
        np.testing.assert_allclose(spreads, values.std(axis=1, ddof=1))
    assert ((found.values["stability"] >= 0) & (found.values["stability"] <= 1)).all()


def test_the_same_seed_gives_the_same_bits_and_another_seed_others(small):
    first, again, other = (select_k(small, [2, 3], n_splits=2, random_state=seed) for seed in (0, 0, 1))
    for name in CRITERIA:
        np.testing.assert_array_equal(first.values[name], again.values[name])
    assert not np.array_equal(first.values["heldout"], other.values["heldout"])


def test_other_numbers_make_no_difference_to_what_is_measured(small):
    alone, among = select_k(small, [3], n_splits=2), select_k(small, [2, 3], n_splits=2)
    for name in CRITERIA:
        np.testing.assert_array_equal(alone.values[name][0], among.values[name][1])


def test_only_what_is_asked_for_is_measured(small):
    assert list(select_k(small, [2], n_splits=2, criteria=["coherence"]).values) == ["coherence"]
    assert list(select_k(small, [2], n_splits=2, criteria="stability").values) == ["stability"]


@pytest.mark.parametrize("model", [NMF(init="random"), LatentDirichletAllocation(max_iter=2), AnchorTopics(min_df=1)])
def test_any_model_of_topics_can_be_asked(small, model):
    settings_before = str(model.get_params())
    found = select_k(small, [2, 3], n_splits=2, model=model)
    assert found.best in (2, 3)
    assert str(model.get_params()) == settings_before
    assert not hasattr(model, "components_")


class Lazy(BaseEstimator):
    """A model that leaves all topics but the first empty, and has no seed."""

    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X):
        self.components_ = np.zeros((self.n_components, X.shape[1]))
        self.components_[0] = np.asarray(X.sum(axis=0)).ravel()
        return self


def test_empty_topics_are_the_worst_topics(small):
    found = select_k(small, [1, 2, 3], n_splits=2, model=Lazy())
    one, two, three = found.values["coherence"].mean(axis=1)
    assert (two, three) == pytest.approx(((one - 1) / 2, (one - 2) / 3))
    assert found.best == 1


def test_weights_that_are_not_counts_are_split_by_entries(small):
    found = select_k(small * 0.7, [2, 3], n_splits=2)
    assert all(np.isfinite(values).all() for values in found.values.values())


def test_progress_is_told_of_every_fit(small):
    told = []
    select_k(small, [2, 3], n_splits=2, progress=lambda *said: told.append(said))
    assert told == [("fits", done, 4) for done in (1, 2, 3, 4)]


@settings(max_examples=10)
@given(hnp.arrays(float, (6, 5), elements=st.integers(1, 4)), st.integers(1, 3))
def test_corpora_smaller_than_a_topic_are_measured_and_left_as_they_are(rows, k):
    X = sparse.csr_matrix(rows)
    before = X.toarray()
    found = select_k(X, [k, k + 1], n_splits=2)
    assert all(np.isfinite(values).all() for values in found.values.values())
    np.testing.assert_array_equal(X.toarray(), before)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ks": []}, "ks must hold at least one number"),
        ({"ks": 5}, "ks must be numbers of topics"),
        ({"ks": [0]}, "each of ks must be a whole number of 1 or more, got 0"),
        ({"criteria": ["fit"]}, "each of criteria must be one of 'heldout'"),
        ({"criteria": []}, "criteria must name at least one"),
        ({"n_splits": 1}, "n_splits must be a whole number of 2 or more"),
        ({"n_terms": 0}, "n_terms must be a whole number"),
        ({"stable": 2}, "stable must be a number from 0 to 1"),
        ({"model": "NMF"}, "model must be an estimator"),
        ({"X": [[0, 0]]}, "at least one token"),
        ({"X": [[1, 0]]}, "too few tokens"),
        ({"X": [1, 0]}, "documents by terms"),
        ({"X": [[-1, 0]]}, "0 or more"),
    ],
)
def test_bad_use_is_said(small, change, said):
    given = {"X": small, "ks": [2], **change}
    with pytest.raises(InputError, match=said):
        select_k(given.pop("X"), given.pop("ks"), **given)
