import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.anchors import distance_from_flat, find_anchors, hull, is_mixture, plant_topics, volume
from wayword.errors import InputError
from wayword.models import anchor_finding
from wayword.models.anchor_finding import find_corners, find_corners_in_gram, hull_corners

# Points, dimensions, corners to find: fewer than both.
sizes = st.tuples(st.integers(6, 14), st.integers(5, 9), st.integers(1, 5))
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=25)


def draw(size, seed):
    """Return points that sum to one, as rows of a co-occurrence matrix do, and how many corners to find."""
    n_points, n_dimensions, n_corners = size
    return np.random.default_rng(seed).dirichlet(np.full(n_dimensions, 0.7), size=n_points), min(n_corners, 4)


def draw_mixtures(seed, n_corners=4, n_mixtures=12, n_dimensions=9):
    """Return points of which only some, at random places, are no mixture of others, and those places."""
    rng = np.random.default_rng(seed)
    corners = rng.dirichlet(np.full(n_dimensions, 0.5), size=n_corners)
    # Each has 30 % at least of what is no single corner.
    mixtures = (0.7 * rng.dirichlet(np.full(n_corners, 0.3), size=n_mixtures) + 0.3 / n_corners) @ corners
    order = rng.permutation(n_corners + n_mixtures)
    return np.vstack([corners, mixtures])[order], sorted(np.flatnonzero(order < n_corners).tolist())


@given(sizes, seeds, st.booleans())
def test_corners_are_those_of_the_algorithm(size, seed, clean):
    points, n_corners = draw(size, seed)
    assert find_corners(points, n_corners, clean=clean) == find_anchors(points, n_corners, clean=clean)


@few
@given(sizes, seeds, seeds)
def test_of_points_that_are_alike_but_for_rounding_the_first_is_taken(size, seed, noise):
    points, n_corners = draw(size, seed)
    shaken = points * (1.0 + 1e-13 * np.random.default_rng(noise).standard_normal(points.shape))
    both = np.vstack([points, shaken])
    assert find_corners(both, n_corners) == find_corners(points, n_corners)
    found = find_corners_in_gram(both @ both.T, n_corners, 0, np.ones(len(both), dtype=bool))
    assert max(found) < len(points)


@given(sizes, seeds, st.booleans())
def test_beside_corners_given_they_are_those_of_the_algorithm(size, seed, clean):
    points, n_corners = draw(size, seed)
    given_corners = np.random.default_rng(seed).dirichlet(np.ones(points.shape[1]), size=2)
    n_corners = min(n_corners, points.shape[1] - 2)
    found = find_corners(points, n_corners, given_corners, clean=clean)
    assert found == find_anchors(points, n_corners, given_corners, clean=clean)


@given(sizes, seeds, st.integers(0, 2))
def test_products_alone_lead_to_the_same_corners(size, seed, n_given):
    points, n_corners = draw(size, seed)
    given_corners = np.random.default_rng(seed).dirichlet(np.ones(points.shape[1]), size=n_given)
    n_corners = min(n_corners, points.shape[1] - n_given)
    everything = np.vstack([given_corners, points])
    found = find_corners_in_gram(everything @ everything.T, n_corners, n_given, np.ones(len(everything), dtype=bool))
    assert [place - n_given for place in found] == find_corners(points, n_corners, given_corners if n_given else None)


def test_from_products_only_candidates_are_found_and_no_more_than_span_something():
    points = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0], [0.2, 0.3, 0.5]])
    candidates = np.array([True, True, False, True, True])
    found = find_corners_in_gram(points @ points.T, 4, 0, candidates)
    assert sorted(found) == [0, 1, 4]
    assert find_corners_in_gram(points @ points.T, 4, 0, np.zeros(5, dtype=bool)) == []


@given(sizes, seeds)
def test_the_first_is_farthest_from_the_origin_and_none_comes_twice(size, seed):
    points, n_corners = draw(size, seed)
    found = find_corners(points, n_corners, clean=False)
    assert found[0] == np.linalg.norm(points, axis=1).argmax()
    assert len(set(found)) == len(set(find_corners(points, n_corners))) == n_corners


@given(sizes, seeds)
def test_cleaning_up_never_lowers_the_volume(size, seed):
    points, n_corners = draw(size, seed)
    rough, clean = (points[find_corners(points, n_corners, clean=clean)] for clean in (False, True))
    assert volume(clean) >= volume(rough) * (1 - 1e-9)


def test_cleaning_up_goes_on_from_what_it_has_replaced():
    several = 0
    for seed in range(25):
        points = np.random.default_rng(seed).dirichlet(np.full(10, 2.0), size=30)
        rough, clean = (find_corners(points, 6, clean=clean) for clean in (False, True))
        assert clean == find_anchors(points, 6, clean=True)
        several += sum(before != after for before, after in zip(rough, clean, strict=True)) > 1
    assert several > 2


@given(sizes, seeds)
def test_no_point_is_farther_from_the_others_than_the_last_one_cleaned(size, seed):
    points, n_corners = draw(size, seed)
    found = find_corners(points, max(n_corners, 2))
    others = points[found[:-1]]
    distances = [distance_from_flat(point, others) for point in points]
    assert distances[found[-1]] == pytest.approx(max(distances), rel=1e-6)


@few
@given(sizes, seeds, st.floats(1e-6, 1e6))
def test_neither_scale_nor_place_of_the_points_matters_after_the_first(size, seed, scale):
    points, n_corners = draw(size, seed)
    given_corner = points[:1]
    expected = find_corners(points[1:], n_corners, given_corner)
    assert find_corners(scale * points[1:], n_corners, scale * given_corner) == expected
    assert find_corners(points[1:] + 1.0, n_corners, given_corner + 1.0) == expected


@few
@given(seeds)
def test_planted_vertices_are_found(seed):
    points, places = draw_mixtures(seed)
    assert sorted(find_corners(points, len(places))) == places
    # Some given, the others found.
    others = np.delete(np.arange(len(points)), places[:2])
    found = find_corners(points[others], len(places) - 2, points[places[:2]])
    assert sorted(others[found].tolist()) == places[2:]


@few
@given(seeds)
def test_vertices_of_separable_topics_are_found(seed):
    A, R = plant_topics(4, 20, seed)
    Q = A @ R @ A.T
    assert sorted(find_corners(Q / Q.sum(axis=1, keepdims=True), 4)) == [0, 1, 2, 3]


@few
@given(seeds)
def test_of_equal_points_one_is_enough(seed):
    points, places = draw_mixtures(seed)
    found = find_corners(np.vstack([points, points]), len(places))
    assert sorted(place % len(points) for place in found) == places


def test_one_corner_is_the_longest_point_whether_cleaned_or_not():
    points = np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 0.0]])
    assert find_corners(points, 1) == find_corners(points, 1, clean=False) == [1]


def test_nothing_to_find_is_found_at_once():
    points = np.eye(3)
    assert find_corners(points, 0) == []
    assert find_corners(points, 0, points[:2]) == []


def test_points_are_left_alone():
    points, _ = draw((10, 6, 3), 0)
    before, given_corners = points.copy(), points[:1].copy()
    find_corners(points, 3, given_corners)
    assert (points == before).all()
    assert (given_corners == before[:1]).all()


def test_more_corners_than_candidates_are_an_error():
    with pytest.raises(
        InputError,
        match="cannot find 4 anchors among 3 candidates; lower n_components, the number of topics, or min_df",
    ):
        find_corners(np.eye(3), 4)


@pytest.mark.parametrize("clean", [True, False])
def test_points_within_the_span_of_others_are_an_error(clean):
    line = np.linspace(0, 1, 7)[:, None] * np.array([[1.0, -1.0, 0.0]]) + np.array([0.0, 1.0, 0.0])
    assert len(find_corners(line, 2, clean=clean)) == 2
    message = "every candidate for anchor 3 lies within the span of the 2 anchors before it; ask for fewer topics"
    with pytest.raises(InputError, match=message):
        find_corners(line, 3, clean=clean)
    with pytest.raises(InputError, match="every candidate for anchor 2 lies within the span of the 1 anchors"):
        find_corners(np.ones((5, 3)), 2, clean=clean)


def test_corners_given_that_coincide_are_an_error():
    points = np.eye(4)
    for corners in (points[[0, 0]], points[[0, 1, 0]], np.vstack([points[:2], points[:2].mean(axis=0)])):
        with pytest.raises(InputError, match=f"anchor {len(corners)} lies within the span.*give other anchors"):
            find_corners(points, 1, corners)
    with pytest.raises(InputError, match="the anchor 'bed' lies within the span of the 1 anchors before it"):
        find_corners(points, 1, points[[0, 0]], names=["'room'", "'bed'"])


@few
@given(st.tuples(st.integers(1, 10), st.integers(1, 5)), seeds)
def test_the_hull_is_that_of_non_negative_least_squares(size, seed):
    points = np.random.default_rng(seed).random(size)
    assert hull_corners(points) == hull(points)


@settings(max_examples=10)
@given(seeds)
def test_every_point_is_a_mixture_of_the_hulls_corners_and_no_corner_of_the_others(seed):
    points = np.random.default_rng(seed).random((9, 3))
    kept = hull_corners(points)
    assert all(is_mixture(point, points[kept]) for point in points)
    for corner in kept:
        others = [other for other in kept if other != corner]
        assert not others or not is_mixture(points[corner], points[others])


@settings(max_examples=4)
@given(seeds)
def test_the_hull_of_mixtures_is_what_was_mixed(seed):
    points, places = draw_mixtures(seed, n_mixtures=8)
    assert hull_corners(points) == places
    # Of equal points the last stays.
    assert hull_corners(np.vstack([points, points])) == [place + len(points) for place in places]


@settings(max_examples=10)
@given(seeds)
def test_the_hull_of_points_of_many_dimensions_is_what_was_mixed(seed):
    points, places = draw_mixtures(seed, n_dimensions=60)
    assert hull_corners(points) == places == hull(points)


def test_the_hull_is_searched_in_no_more_dimensions_than_there_are_points(monkeypatch):
    seen, real = set(), anchor_finding._distance_from_hull

    def watch(point, corners):
        seen.add(len(point))
        return real(point, corners)

    monkeypatch.setattr(anchor_finding, "_distance_from_hull", watch)
    points, places = draw_mixtures(0, n_dimensions=60)
    assert hull_corners(points) == places
    assert seen == {len(points)}


def test_the_hull_of_one_point_is_that_point():
    assert hull_corners(np.array([[0.3, 0.7]])) == [0]
    assert hull_corners(np.full((4, 2), 0.5)) == [3]
    assert hull_corners(np.array([[0.0], [0.5], [1.0]])) == [0, 2]
