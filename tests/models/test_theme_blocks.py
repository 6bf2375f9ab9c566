from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive.themes import fit_theme
from wayword.models import theme_blocks
from wayword.models.folding import fold_in
from wayword.models.theme_blocks import Descent, Membership, fit_separated

few = settings(max_examples=25)
seeds = st.integers(0, 2**32 - 1)
some_themes = st.integers(1, 4)
steps = st.sampled_from([1, 2, 3, 7, 20])
newton = pytest.mark.parametrize("newton", [True, False], ids=["cd", "mu"])


@dataclass(frozen=True)
class Case:
    """Documents, who belongs where, and topics to start from."""

    X: np.ndarray
    members: np.ndarray
    weights: np.ndarray
    start: list[np.ndarray]

    @property
    def membership(self):
        return Membership(sparse.csr_matrix(self.members), self.weights)

    def fit(self, descent, rng=None, themes=None):
        themes = range(len(self.start)) if themes is None else themes
        membership = Membership(sparse.csr_matrix(self.members[list(themes)]), self.weights)
        return fit_separated(
            sparse.csr_matrix(self.X), membership, [self.start[theme] for theme in themes], descent, rng
        )


@st.composite
def cases(draw, n_themes=some_themes, weighted=None):
    """Documents of a few terms, some in several themes, some in none, some counting less as members than in all."""
    n_documents, n_terms = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(seeds))
    X = rng.poisson(draw(st.sampled_from([0.4, 1.5])), (n_documents, n_terms)).astype(float)
    X *= rng.uniform(0.5, 1.5, X.shape) if draw(st.booleans()) else 1.0
    n_themes = draw(n_themes)
    belongs = rng.random((n_themes, n_documents)) < draw(st.sampled_from([0.2, 0.5, 1.0]))
    belongs[:, 0] = True
    weights = np.ones(n_documents)
    parts = np.ones(belongs.shape)
    if draw(st.booleans()) if weighted is None else weighted:
        weights = rng.uniform(0.2, 2.0, n_documents)
        parts = rng.choice([0.3, 1.0], belongs.shape)
    n_topics = 1 + draw(st.integers(1, 3))
    start = [rng.uniform(0.1, 1.0, (n_topics, n_terms)) for _ in range(n_themes)]
    return Case(X, belongs * parts * weights, weights, start)


@st.composite
def cases_with_zeros(draw):
    """The same, with starts that hold nothing of some terms: a term may even be in none of them."""
    case = draw(cases())
    rng = np.random.default_rng(draw(seeds))
    share = draw(st.sampled_from([0.2, 0.5, 0.8]))
    return replace(case, start=[np.where(rng.random(start.shape) < share, 0.0, start) for start in case.start])


def split_weights(case, seed):
    """Return the weights that each theme's members start from, as they are drawn: theme by theme, one row for all others."""
    rng = np.random.RandomState(seed)
    n_topics = len(case.start[0])
    return [rng.uniform(size=(np.count_nonzero(row) + 1, n_topics))[:-1] for row in case.members]


def assert_near(found, expected, **tolerances):
    scale = max(expected.max(), 1e-300)
    np.testing.assert_allclose(found / scale, expected / scale, **{"rtol": 1e-8, "atol": 1e-10, **tolerances})


def assert_as_the_twin(case, n_steps, starts, rng=None):
    """Topics are those of the twin after as many steps, and divergences fall as its do."""
    found = case.fit(Descent(newton=False, max_iter=n_steps, tol=0.0), rng)
    for theme, W in enumerate(starts):
        # A theme stops once only rounding is left to gain.
        taken = np.count_nonzero(~np.isnan(found.paths[theme])) - 1  # 0 if it starts at its best
        twin = case.X, case.members[theme], case.weights, W, case.start[theme]
        expected, _ = fit_theme(*twin, max(taken, 1))
        assert_near(found.topics[theme], expected)
        # What documents that use only the background cost beyond their sum does not depend on the topics.
        reached = np.fmin.accumulate(found.paths[theme])[1:]
        _, path = fit_theme(*twin, n_steps)
        np.testing.assert_allclose(reached[0] - reached, path[0] - np.array(path), atol=1e-9 * max(1.0, case.X.sum()))


@given(cases(), steps, seeds)
def test_documents_and_terms_put_together_leave_every_iteration_as_it_was(case, n_steps, seed):
    assert_as_the_twin(case, n_steps, split_weights(case, seed), np.random.RandomState(seed))


@given(cases_with_zeros(), steps, seeds)
def test_zeros_of_a_start_stay_zero_and_the_rest_is_as_it_was(case, n_steps, seed):
    found = case.fit(Descent(newton=False, max_iter=n_steps, tol=0.0), np.random.RandomState(seed))
    for theme, W in enumerate(split_weights(case, seed)):
        taken = np.count_nonzero(~np.isnan(found.paths[theme])) - 1
        expected, _ = fit_theme(case.X, case.members[theme], case.weights, W, case.start[theme], max(taken, 1))
        assert not found.topics[theme][case.start[theme] == 0.0].any()
        assert_near(found.topics[theme], expected)


@few
@given(cases(), steps)
def test_weights_that_are_not_drawn_share_documents_evenly(case, n_steps):
    lengths = case.X.sum(axis=1, keepdims=True)
    pairs = zip(case.members, case.start, strict=True)
    even = [lengths[members > 0] / start.sum() * np.ones(len(start)) for members, start in pairs]
    assert_as_the_twin(case, n_steps, even)


def make(X, members, n_topics=3, seed=0, weights=None):
    """Return a case of given documents and themes."""
    X, members = np.array(X, dtype=float), np.array(members, dtype=float)
    rng = np.random.default_rng(seed)
    start = [rng.uniform(0.1, 1.0, (n_topics, X.shape[1])) for _ in members]
    return Case(X, members, np.ones(len(X)) if weights is None else np.array(weights, dtype=float), start)


X = np.random.default_rng(3).poisson(1.5, (8, 7)).astype(float)


@pytest.mark.parametrize(
    "case",
    [
        make(X, [[1] * 8, [1, 0] * 4]),
        make(X, [[0, 0, 0, 1, 0, 0, 0, 0]]),
        make(X, [[0] * 8, [1] + [0] * 7]),
        make(np.kron(np.eye(2), X), [[1] * 8 + [0] * 8, [0] * 8 + [1] * 8]),
        make(np.hstack([X, np.zeros((8, 2))]), [[1, 1, 0, 0, 1, 0, 0, 0]]),
        make(np.vstack([X, np.zeros((2, 7))]), [[1, 1, 0, 0, 1, 0, 0, 0, 1, 0]]),
        make(X, [[0.3, 0.5, 0, 0, 1, 0, 0, 2]], weights=[1, 0.5, 2, 0.1, 1, 3, 1, 2]),
    ],
    ids=[
        "a theme of every document",
        "a theme of one document",
        "a theme of no document",
        "themes of no common terms",
        "terms of no document",
        "documents of no terms",
        "documents that count in part",
    ],
)
@pytest.mark.parametrize("n_steps", [1, 2, 15])
def test_what_is_put_together_may_be_all_or_nothing(case, n_steps):
    assert_as_the_twin(case, n_steps, split_weights(case, 0), np.random.RandomState(0))


@newton
@few
@given(cases(), seeds)
def test_no_divergence_ever_rises(newton, case, seed):
    found = case.fit(Descent(newton=newton, max_iter=30, tol=0.0), np.random.RandomState(seed))
    assert found.paths.shape == (len(case.start), 31)
    assert np.isfinite(found.topics).all()
    assert (found.topics >= 0).all()
    for path in found.paths:
        n = np.count_nonzero(~np.isnan(path))
        assert n >= 1
        assert np.isfinite(path[:n]).all()
        assert (np.diff(path[:n]) <= 0).all()
        assert path[n - 1] >= -1e-9 * max(case.X.sum(), 1.0)


@few
@given(cases())
def test_where_coordinate_descent_ends_the_twin_stays(case):
    # A topic that no document comes to use stays as it starts: it starts on terms that it could keep.
    for members, start in zip(case.members, case.start, strict=True):
        start[:-1] *= members @ case.X > 0
        start[-1] *= case.weights @ case.X > 0
    found = case.fit(Descent(newton=True, max_iter=2000, tol=1e-10))
    for members, topics in zip(case.members, found.topics, strict=True):
        W = fold_in(sparse.csr_matrix(case.X[members > 0]), topics, "kl")
        _, path = fit_theme(case.X, members, case.weights, W, topics, 10)
        assert path[0] - path[-1] <= 1e-4 * case.X.sum()


@newton
@few
@given(case=cases(n_themes=st.integers(2, 4)), order=st.permutations(range(4)))
def test_the_order_of_themes_is_only_the_order_of_results(newton, case, order):
    order = [theme for theme in order if theme < len(case.start)]
    descent = Descent(newton=newton, max_iter=10, tol=1e-4)
    found, permuted = case.fit(descent), case.fit(descent, themes=order)
    assert permuted.topics.tobytes() == found.topics[order].tobytes()
    np.testing.assert_array_equal(permuted.paths, found.paths[order])


@newton
@few
@given(case=cases(n_themes=st.integers(2, 4)), at_once=st.sampled_from([1, 20, 60]), drawn=st.booleans())
def test_how_many_themes_are_fitted_at_once_changes_nothing(newton, case, at_once, drawn):
    def fit():
        return case.fit(Descent(newton=newton, max_iter=8, tol=0.0), np.random.RandomState(5) if drawn else None)

    together = fit()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(theme_blocks, "_ENTRIES_AT_ONCE", at_once)
        apart = fit()
    assert apart.topics.tobytes() == together.topics.tobytes()
    np.testing.assert_array_equal(apart.paths, together.paths)


@newton
def test_the_same_bits_for_any_number_of_threads(monkeypatch, newton):
    rng = np.random.default_rng(0)
    case = make(rng.poisson(0.5, (120, 80)), rng.random((9, 120)) < 0.2)
    results = set()
    for threads in ("1", "1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        found = case.fit(Descent(newton=newton, max_iter=15), np.random.RandomState(0))
        results.add((found.topics.tobytes(), found.paths.tobytes()))
    assert len(results) == 1


@newton
@few
@given(case=cases(weighted=True), document=st.integers(0, 8))
def test_a_member_twice_with_half_the_weight_is_a_member_once(newton, case, document):
    document %= len(case.X)
    halves = np.where(np.arange(len(case.X)) == document, 0.5, 1.0)
    twice = Case(
        np.vstack([case.X, case.X[[document]]]),
        np.hstack([case.members * halves, 0.5 * case.members[:, [document]]]),
        np.append(case.weights * halves, 0.5 * case.weights[document]),
        case.start,
    )
    # Few steps: rounding alone can lead coordinate descent elsewhere in the end.
    descent = Descent(newton=newton, max_iter=3, tol=0.0)
    found, expected = twice.fit(descent), case.fit(descent)
    assert_near(found.topics, expected.topics, rtol=1e-6, atol=1e-7)


def test_a_theme_starts_from_what_is_told_else_from_its_heaviest_members():
    members = sparse.csr_matrix(np.array([[0.2, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]]))
    assert [group.tolist() for group in Membership(members, np.ones(4)).groups] == [[1, 3], []]
    told = np.array([[1, 0], [1, 0], [0, 1], [0, 0]], dtype=bool)
    assert [group.tolist() for group in Membership(members, np.ones(4), told).groups] == [[0, 1], [2]]


@newton
def test_entries_that_are_stored_zeros_say_nothing(newton):
    # Of fewer documents than topics rounding would choose among models that are as good.
    case = make(np.random.default_rng(0).poisson(0.5, (10, 30)), [[1] * 4 + [0] * 6, [0] * 6 + [1] * 4])
    rows, columns = (place.ravel() for place in np.indices(case.X.shape))
    stored = sparse.csr_matrix((case.X.ravel(), (rows, columns)), shape=case.X.shape)
    assert stored.nnz == case.X.size
    descent = Descent(newton=newton, max_iter=5, tol=0.0)
    found = fit_separated(stored, case.membership, case.start, descent)
    np.testing.assert_allclose(found.topics, case.fit(descent).topics, rtol=1e-9, atol=1e-12)


def test_single_precision_stays_single_and_near():
    case = make(X, [[1, 1, 0, 1, 0, 0, 0, 1], [0, 0, 1, 1, 1, 0, 0, 0]])
    descent = Descent(newton=False, max_iter=5, tol=0.0)
    found = fit_separated(sparse.csr_matrix(case.X, dtype=np.float32), case.membership, case.start, descent)
    assert found.topics.dtype == np.float32
    np.testing.assert_allclose(found.topics, case.fit(descent).topics, rtol=1e-4, atol=1e-5)


def test_a_theme_stops_by_itself_when_it_has_settled():
    case = make(X, [[1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1]])
    found = case.fit(Descent(newton=True, max_iter=500, tol=1e-3))
    lengths = np.count_nonzero(~np.isnan(found.paths), axis=1)
    assert (lengths < 500).all()
    assert lengths[0] != lengths[1]
    exact = case.fit(Descent(newton=True, max_iter=500, tol=1e-9))
    assert (np.nanmin(found.paths, axis=1) - np.nanmin(exact.paths, axis=1) < 0.05 * found.paths[:, 0]).all()
