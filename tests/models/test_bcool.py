import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive.themes import cut
from naive.themes import start_bcool as start_obviously
from wayword.models.bcool import STARTS, cut_evenly, densest, start_bcool, start_themes

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=30)


@st.composite
def corpora(draw):
    """Documents, groups of them that may overlap, a pool that holds them all, and numbers of subtopics."""
    n_documents, n_terms = draw(st.integers(1, 14)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(seeds))
    X = rng.poisson(draw(st.sampled_from([0.3, 1.0])), (n_documents, n_terms)).astype(float)
    X[rng.integers(n_documents), rng.integers(n_terms)] = 1.0
    groups = [np.flatnonzero(rng.random(n_documents) < 0.5) for _ in range(draw(st.integers(1, 4)))]
    groups[0] = groups[0] if len(groups[0]) else np.array([0])
    pool = np.unique(np.concatenate([*groups, X.any(axis=1).nonzero()[0]])).astype(int)
    return X, groups, pool, [int(n) for n in rng.integers(1, 5, len(groups))]


@given(corpora(), seeds)
def test_the_seven_steps_are_those_of_the_thesis(corpus, seed):
    X, groups, pool, n_subtopics = corpus
    found, background = start_bcool(
        sparse.csr_matrix(X), groups, pool, n_subtopics, np.random.RandomState(seed % 2**32)
    )
    lists = [group.tolist() for group in groups]
    expected, common = start_obviously(X, lists, pool.tolist(), n_subtopics, np.random.RandomState(seed % 2**32))
    assert len(found) == len(expected)
    for theme, rows in zip(found, expected, strict=True):
        np.testing.assert_allclose(theme, rows, rtol=1e-12)
    np.testing.assert_allclose(background, common, rtol=1e-12)


@pytest.mark.parametrize(
    ("n_documents", "half", "quarter"), [(1, 1, 1), (2, 1, 1), (3, 2, 1), (5, 3, 2), (8, 4, 2), (9, 5, 3), (90, 45, 23)]
)
def test_of_an_odd_number_of_documents_the_larger_part_is_kept(n_documents, half, quarter):
    densities = np.arange(1, n_documents + 1)
    documents = np.arange(n_documents)
    assert densest(documents, densities, 0.5).tolist() == documents[::-1][:half].tolist()
    assert densest(documents, densities, 0.25).tolist() == documents[::-1][:quarter].tolist()


def test_documents_of_the_same_density_stay_in_order():
    assert densest(np.array([4, 1, 3, 0]), np.array([2, 2, 9, 2, 2]), 1.0).tolist() == [4, 1, 3, 0]
    assert densest(np.array([], dtype=int), np.array([2, 2]), 0.5).tolist() == []


densities = st.lists(st.integers(0, 50), max_size=30).map(lambda values: sorted(values, reverse=True))


@given(densities, st.integers(1, 8))
def test_parts_follow_each_other_and_none_is_empty_while_there_are_enough(values, n_parts):
    parts = cut_evenly(np.array(values, dtype=int), n_parts)
    assert len(parts) == n_parts
    assert np.concatenate(parts).tolist() == list(range(len(values)))
    assert sum(len(part) > 0 for part in parts) == min(n_parts, len(values))
    assert [part.tolist() for part in parts] == cut(values, n_parts)


@given(densities, st.integers(1, 8))
def test_parts_are_about_equally_dense(values, n_parts):
    if len(values) < n_parts:
        return
    sums = [sum(values[position] for position in part) for part in cut_evenly(np.array(values), n_parts)]
    equal = sum(values) / n_parts
    assert all(abs(total - equal) <= max(values) for total in sums)


def test_the_example_of_the_thesis():
    """90 documents of food, 3 subtopics: the densest 45, in 3 parts of the same density."""
    rng = np.random.default_rng(0)
    n_terms = 60
    X = np.zeros((130, n_terms))
    for row in X:
        row[rng.permutation(n_terms)[: rng.integers(5, 40)]] = rng.integers(1, 5)
    food, other = np.arange(90), np.arange(80, 130)
    (subtopics, _), background = start_bcool(
        sparse.csr_matrix(X), [food, other], np.arange(130), [3, 2], np.random.RandomState(0)
    )
    n_unique = (X > 0).sum(axis=1)
    order = np.argsort(-n_unique[food], kind="stable")
    kept = food[order[:45]]
    parts = cut_evenly(n_unique[kept], 3)
    assert sum(len(part) for part in parts) == 45
    assert len(parts[0]) < len(parts[2])  # denser ones come first, so fewer are enough
    sums = [n_unique[kept[part]].sum() for part in parts]
    assert max(sums) - min(sums) <= 2 * n_unique.max()
    np.testing.assert_allclose(subtopics, [X[kept[part]].mean(axis=0) for part in parts])
    quarters = [food[order[:23]], other[np.argsort(-n_unique[other], kind="stable")[:13]]]
    np.testing.assert_allclose(background, X[np.unique(np.concatenate(quarters))].mean(axis=0))


def test_a_document_of_two_themes_is_in_the_background_once():
    X = np.array([[3.0, 1, 1], [1, 0, 0], [0, 1, 0]])
    groups = [np.array([0, 1]), np.array([0, 2])]
    _, background = start_bcool(sparse.csr_matrix(X), groups, np.arange(3), [1, 1], np.random.RandomState(0))
    np.testing.assert_allclose(background, X[0])


def fill(seed, X, groups, pool):
    """Return which documents a second subtopic was filled with, one term for each document."""
    themes, _ = start_bcool(X, groups, pool, [2] * len(groups), np.random.RandomState(seed))
    return [np.flatnonzero(theme[1]) for theme in themes]


def test_what_a_theme_lacks_is_drawn_by_density_from_the_pool():
    # Documents 0 to 3 have 1 to 4 terms of their own; the fifth is the only one of each of four themes.
    rows = np.repeat(np.arange(4), [1, 2, 3, 4])
    X = np.zeros((6, 12))
    X[rows, np.arange(10)] = 1.0
    X[4, 10], X[5, 11] = 1.0, 1.0
    groups, pool = [np.array([4])] * 4, np.array([0, 1, 2, 3])
    drawn = np.zeros(6)
    for seed in range(150):
        for terms in fill(seed, sparse.csr_matrix(X), groups, pool):
            (document,) = set(X[:, terms].nonzero()[0])
            drawn[document] += 1
    assert drawn[4] == drawn[5] == 0
    np.testing.assert_allclose(drawn[:4] / drawn.sum(), [0.1, 0.2, 0.3, 0.4], atol=0.05)


def test_as_many_are_drawn_as_a_part_of_a_usual_theme_holds_and_the_seed_says_which():
    # Sixteen documents to a theme, the densest eight in two parts.
    X = sparse.csr_matrix(np.eye(48))
    groups, pool = [np.array([0]), np.array([1]), np.array([2])], np.arange(48)
    first, again, other = (fill(seed, X, groups, pool) for seed in (1, 1, 2))
    assert [len(terms) for terms in first] == [4, 4, 4]
    assert [terms.tolist() for terms in first] == [terms.tolist() for terms in again]
    assert [terms.tolist() for terms in first] != [terms.tolist() for terms in other]


@pytest.mark.parametrize("n_documents", [3, 4, 5])
def test_a_theme_with_a_document_for_each_subtopic_starts_from_its_own_alone(n_documents):
    X = np.zeros((30, 30))
    X[np.tril_indices(30)] = 1.0
    own = np.arange(n_documents)
    (subtopics,), _ = start_bcool(sparse.csr_matrix(X), [own], np.arange(30), [3], np.random.RandomState(0))
    assert (subtopics > 0).any(axis=1).all()
    assert not subtopics[:, n_documents:].any()


@pytest.mark.parametrize(("n_documents", "n_kept"), [(1, 1), (2, 2), (4, 3), (5, 3), (9, 5)])
def test_no_fewer_documents_are_kept_than_there_are_subtopics_if_there_are_as_many(n_documents, n_kept):
    assert len(densest(np.arange(n_documents), np.arange(n_documents), 0.5, least=3)) == n_kept


def test_zeros_of_a_start_can_be_kept():
    X = np.array([[2.0, 1, 0, 0], [1, 3, 0, 0], [0, 0, 1, 1], [0, 0, 2, 5]])
    groups, rng = [np.array([0, 1]), np.array([2, 3])], np.random.RandomState(0)
    themes, background = start_themes(sparse.csr_matrix(X), groups, np.arange(4), [2, 2], "bcool", rng, keep_zeros=True)
    assert not themes[0][:, 2:].any()
    assert not themes[1][:, :2].any()
    assert (background > 0).all()


def test_no_more_are_drawn_than_hold_anything():
    X = np.zeros((9, 3))
    X[0], X[1, 1] = 1.0, 1.0
    themes, _ = start_bcool(sparse.csr_matrix(X), [np.array([0])], np.arange(9), [2], np.random.RandomState(0))
    np.testing.assert_allclose(themes[0][1], X[:2].mean(axis=0))


@pytest.mark.parametrize("init", STARTS)
@few
@given(corpora(), seeds)
def test_no_start_is_zero_where_a_document_holds_something_and_the_seed_says_it_all(init, corpus, seed):
    X, groups, pool, n_subtopics = corpus
    groups = [group if len(group) else pool[:1] for group in groups]
    found, again = (
        start_themes(sparse.csr_matrix(X), groups, pool, n_subtopics, init, np.random.RandomState(seed))
        for _ in range(2)
    )
    themes, background = found
    assert [theme.shape for theme in themes] == [(n, X.shape[1]) for n in n_subtopics]
    for topics, same in zip([*themes, background], [*again[0], again[1]], strict=True):
        assert np.isfinite(topics).all()
        assert (topics > 0).all()
        assert topics.tobytes() == same.tobytes()


def test_means_of_themes_are_shaken_so_that_subtopics_part():
    X = np.random.default_rng(0).poisson(2.0, (10, 6)).astype(float)
    themes, background = start_themes(
        sparse.csr_matrix(X), [np.arange(4)], np.arange(10), [3], "mean", np.random.RandomState(0)
    )
    mean = X[:4].mean(axis=0)
    floor = 0.01 * X.mean(axis=0)
    assert ((themes[0] >= 0.5 * mean + floor) & (themes[0] <= 1.5 * mean + floor)).all()
    assert np.ptp(themes[0], axis=0).min() > 0
    np.testing.assert_allclose(background, 1.01 * X.mean(axis=0))
