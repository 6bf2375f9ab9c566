import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.anchors import best_shares, quadratic
from wayword.kernels.simplex import solve_simplex_rows, update_simplex_rows

EXACT, MANY = 1e-12, 100_000
sizes = st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(1, 6))
seeds = st.integers(0, 2**32 - 1)


# How far the last corner is from the first: on it, nearly on it, elsewhere.
copies = st.sampled_from([0.0, 1e-7, 1e-5, 1e-3, None])


def draw(size, seed, copy=None):
    """Return a positive semidefinite gram, products and shares to start from."""
    n_rows, n_topics, n_columns = size
    rng = np.random.default_rng(seed)
    U = rng.random((n_topics, n_columns))
    if copy is not None:
        U[-1] = U[0] + copy * rng.standard_normal(n_columns)
    points = rng.standard_normal((n_rows, n_columns))
    return U @ U.T, points @ U.T, rng.dirichlet(np.ones(n_topics), size=n_rows)


def solve(gram, products, start, *, settled=EXACT, most_steps=MANY):
    shares, gaps = start.copy(), np.full(len(start), np.nan)
    solve_simplex_rows(0, len(start), gram, products, settled, most_steps, shares, gaps)
    return shares, gaps


def excess(gram, products, shares):
    """Return how far the objective of each row is from the best."""
    rows = zip(products, shares, strict=True)
    return np.array([quadratic(gram, p, c) - quadratic(gram, p, best_shares(gram, p)) for p, c in rows])


@given(sizes, seeds, copies)
def test_no_shares_are_better_than_those_found(size, seed, copy):
    gram, products, start = draw(size, seed, copy)
    shares, gaps = solve(gram, products, start)
    assert (excess(gram, products, shares) <= 1e-9).all()
    assert (gaps <= EXACT).all()


@given(sizes, seeds, copies, st.sampled_from([0, 1, 2, 3, MANY]))
def test_shares_sum_to_one_and_are_not_negative_however_early_it_stops(size, seed, copy, most_steps):
    shares, _ = solve(*draw(size, seed, copy), most_steps=most_steps)
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)


@given(sizes, seeds, copies, st.sampled_from([0, 1, 2, 3, 1000]))
def test_the_best_is_no_farther_than_the_gap(size, seed, copy, most_steps):
    gram, products, start = draw(size, seed, copy)
    shares, gaps = solve(gram, products, start, settled=0.0, most_steps=most_steps)
    assert (excess(gram, products, shares) <= gaps + 1e-10).all()


@given(sizes, seeds)
def test_every_move_lowers_the_objective(size, seed):
    gram, products, shares = draw(size, seed)
    for _ in range(4):
        moved, _ = solve(gram, products, shares, most_steps=1)
        for p, before, after in zip(products, shares, moved, strict=True):
            assert quadratic(gram, p, after) <= quadratic(gram, p, before) + 1e-12
        shares = moved


@given(sizes, seeds)
def test_where_it_starts_changes_nothing(size, seed):
    gram, products, start = draw(size, seed)
    gram += 0.1 * np.eye(len(gram))
    found, _ = solve(gram, products, start)
    corner, _ = solve(gram, products, np.eye(len(gram))[np.zeros(len(start), dtype=int)])
    np.testing.assert_allclose(corner, found, atol=1e-5)
    again, _ = solve(gram, products, found)
    assert (again == found).all()


@given(sizes, seeds)
def test_rows_are_solved_one_by_one_and_others_left_alone(size, seed):
    gram, products, start = draw(size, seed)
    together, gaps = solve(gram, products, start)
    for row in range(len(start)):
        shares, alone = start.copy(), np.full(len(start), np.nan)
        solve_simplex_rows(row, row + 1, gram, products, EXACT, MANY, shares, alone)
        assert (shares[row] == together[row]).all()
        assert alone[row] == gaps[row]
        others = np.arange(len(start)) != row
        assert (shares[others] == start[others]).all()
        assert np.isnan(alone[others]).all()


@given(seeds, st.integers(1, 5))
def test_a_mixture_of_corners_is_found_again(seed, n_topics):
    rng = np.random.default_rng(seed)
    U, planted = rng.random((n_topics, 8)), rng.dirichlet(np.ones(n_topics), size=6)
    shares, _ = solve(U @ U.T, planted @ U @ U.T, np.full((6, n_topics), 1.0 / n_topics), settled=1e-15)
    np.testing.assert_allclose(shares @ U, planted @ U, atol=1e-6)


def test_shares_become_exactly_zero():
    shares, gaps = solve(np.eye(3), np.array([[5.0, 0.0, -1.0]]), np.full((1, 3), 1 / 3))
    assert shares.tolist() == [[1.0, 0.0, 0.0]]
    assert gaps.tolist() == [0.0]


def test_the_only_topic_has_all():
    shares, gaps = solve(np.array([[2.0]]), np.array([[3.0], [-3.0]]), np.ones((2, 1)))
    assert shares.tolist() == [[1.0], [1.0]]
    assert gaps.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("products", [[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
def test_corners_that_coincide_end_at_the_best_all_the_same(products):
    U = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    p = np.array([products])
    shares, gaps = solve(U @ U.T, p, np.array([[0.0, 0.0, 1.0]]))
    assert excess(U @ U.T, p, shares)[0] == pytest.approx(0, abs=1e-12)
    assert gaps[0] <= EXACT


def test_a_gram_of_zeros_moves_all_to_where_most_is_asked():
    shares, _ = solve(np.zeros((3, 3)), np.array([[1.0, 4.0, 2.0]]), np.full((1, 3), 1 / 3))
    np.testing.assert_allclose(shares, [[0.0, 1.0, 0.0]])


@given(sizes, seeds, st.integers(0, 2**32 - 1))
def test_from_nearly_there_the_answer_does_not_depend_on_the_start(size, seed, other):
    n_rows, n_topics, _ = size
    gram, products, start = draw((n_rows, n_topics, n_topics + 3), seed)
    starts = (start, np.random.default_rng(other).dirichlet(np.full(n_topics, 0.3), size=n_rows))
    found = []
    for shares in starts:
        shares, gaps = shares.copy(), np.full(n_rows, np.nan)
        update_simplex_rows(0, n_rows, gram, products, 1e-13, shares, gaps)
        assert (gaps <= 1e-13).all()
        found.append(shares)
    np.testing.assert_array_equal(*found)
    np.testing.assert_allclose(found[0], solve(gram, products, start)[0], atol=1e-4)
    assert (excess(gram, products, found[0]) <= 1e-9).all()


@given(sizes, seeds, st.integers(0, 9))
def test_corners_that_are_nothing_beside_others_are_left_out(size, seed, least):
    gram, products, start = draw(size, seed)
    lengths = 10.0 ** -np.random.default_rng(seed).integers(0, least + 1, size=len(gram))
    gram, products = lengths[:, None] * gram * lengths, products * lengths
    shares, gaps = solve(gram, products, start)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)
    assert (gaps <= EXACT).all()
    assert (excess(gram, products, shares) <= 1e-9).all()


def test_two_corners_of_nothing_do_not_take_shares_beyond_one():
    # What Newton's method asked for a word, beside two topics of a part of the corpus that never holds it.
    gram = np.array([[3.2, 7.4e-10, 0.226], [7.4e-10, 2.6e-19, 9.4e-11], [0.226, 9.4e-11, 1.273]])[:, [0, 1, 2, 1]]
    gram = gram[[0, 1, 2, 1]]
    start = np.array([[2.55707186e-01, 8.67180752e-05, 7.44081395e-01, 1.24701283e-04]])
    start /= start.sum()
    products = start @ gram - np.array([0.01392852, 1.0, -0.00507074, 1.0])
    shares, gaps = solve(gram, products, start, settled=1e-15, most_steps=1000)
    np.testing.assert_allclose(shares.sum(), 1.0, rtol=1e-12)
    assert shares[0, 1] == shares[0, 3] == 0.0
    assert gaps[0] <= 1e-15
