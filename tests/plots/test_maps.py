import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.spatial.distance import cdist, jensenshannon

from wayword import cooccurrence, plots
from wayword.errors import InputError
from wayword.plots.labels import place_labels
from wayword.plots.look import FONT_SIZE
from wayword.plots.projection import hellinger, hull, jensen_shannon, principal_plane, scale_distances
from wayword.plots.text import text_width

seeds = st.integers(0, 2**32 - 1)
TERMS = ["apple", "pear", "ship", "sail"]


def draw_shares(seed, n_rows=5, n_terms=9):
    return np.random.default_rng(seed).dirichlet(np.full(n_terms, 0.3), size=n_rows)


def between(points):
    return cdist(points, points)


@given(seeds)
def test_distances_are_those_of_scipy_and_of_the_definition(seed):
    shares = draw_shares(seed)
    by_scipy = [[jensenshannon(p, q, base=2) for q in shares] for p in shares]
    np.testing.assert_allclose(jensen_shannon(shares), by_scipy, atol=1e-7)
    by_definition = [[np.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum() / 2) for q in shares] for p in shares]
    np.testing.assert_allclose(hellinger(shares), by_definition, atol=1e-7)


@given(seeds, st.integers(1, 8))
def test_points_of_a_plane_keep_their_distances(seed, n_points):
    points = np.random.default_rng(seed).normal(size=(n_points, 2))
    np.testing.assert_allclose(between(scale_distances(between(points)).points), between(points), atol=1e-6)
    np.testing.assert_allclose(between(principal_plane(points).points), between(points), atol=1e-6)


@given(seeds)
def test_the_farthest_point_is_on_the_positive_side(seed):
    rows = draw_shares(seed)
    for plane in (scale_distances(hellinger(rows)), principal_plane(rows), principal_plane(-rows)):
        farthest = np.abs(plane.points).argmax(axis=0)
        assert (plane.points[farthest, [0, 1]] >= 0).all()
        assert 0 <= plane.shares.sum() <= 1 + 1e-9
        assert plane.shares[0] >= plane.shares[1]


def test_many_rows_are_projected_as_few_are():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(450, 2)) @ rng.normal(size=(2, 420)) * [[5.0]] + 0.001 * rng.normal(size=(450, 420))
    few = principal_plane(rows, along=rows[:300])
    np.testing.assert_allclose(between(principal_plane(rows).points), between(few.points), rtol=0.01, atol=0.05)


@given(seeds)
def test_the_hull_is_that_of_scipy(seed):
    points = np.random.default_rng(seed).normal(size=(12, 2))
    assert sorted(hull(points).tolist()) == sorted(ConvexHull(points).vertices.tolist())


def test_the_hull_of_a_line_is_its_ends():
    line = np.array([[0.0, 0.0], [2.0, 2.0], [1.0, 1.0], [3.0, 3.0]])
    assert set(hull(line).tolist()) == {0, 3}
    assert hull(line[:1]).tolist() == [0]


def corners(x, y, away, width, position):
    """Return the least and largest x and y of a name beside a point."""
    high = FONT_SIZE * 1.25
    across = {"middle right": (x + away, x + away + width), "middle left": (x - away - width, x - away)}
    along = {"top center": (y + away, y + away + high), "bottom center": (y - away - high, y - away)}
    left, right = across.get(position, (x - width / 2, x + width / 2))
    return [left, right, *along.get(position, (y - high / 2, y + high / 2))]


@given(seeds)
def test_names_meet_neither_each_other_nor_points(seed):
    rng = np.random.default_rng(seed)
    points, radii = rng.uniform(0, 400, size=(12, 2)), rng.uniform(2, 20, size=12)
    names = ["n" * int(n) for n in rng.integers(1, 15, size=12)]
    places = place_labels(points, radii, names, np.arange(12), (400, 400))
    boxes = {
        place: corners(*points[place], radii[place] + 3, text_width(names[place], FONT_SIZE), position)
        for place, position in enumerate(places)
        if position
    }
    assert boxes
    for place, (left, right, low, high) in boxes.items():
        assert min(left, low) >= 0
        assert max(right, high) <= 400
        for other, (x, y) in enumerate(points):
            near = np.clip(x, left, right) - x, np.clip(y, low, high) - y
            assert other == place or np.hypot(*near) >= radii[other] - 1e-9
        for other, box in boxes.items():
            apart = right <= box[0] or box[1] <= left or high <= box[2] or box[3] <= low
            assert other == place or apart


def test_of_two_names_in_one_place_the_second_moves_and_a_name_without_room_is_left_out():
    points, radii = np.array([[200.0, 200.0], [200.0, 210.0]]), np.array([2.0, 2.0])
    first, second = place_labels(points, radii, ["name", "name"], np.array([1, 0]), (400, 400))
    assert (first, second) == ("bottom center", "top center")
    assert place_labels(points, radii, ["n" * 200] * 2, np.array([0, 1]), (400, 400)) == [None, None]


@given(seeds)
def test_areas_are_proportional_to_prevalence(seed):
    prevalence = np.random.default_rng(seed).gamma(1.0, size=5)
    marker = plots.topic_map(draw_shares(seed), prevalence=prevalence).data[0].marker
    assert marker.sizemode == "area"
    np.testing.assert_allclose(np.asarray(marker.size), prevalence / prevalence.sum())
    # With this mode the diameter is sqrt(size / sizeref * 2): the largest is 64 pixels wide.
    assert np.sqrt(max(marker.size) / marker.sizeref * 2) == pytest.approx(64)


@given(seeds)
def test_scales_of_topics_change_nothing(seed):
    shares = draw_shares(seed)
    moved = plots.topic_map(shares * [[1], [2], [4], [8], [16]])
    np.testing.assert_allclose(moved.data[0].x, plots.topic_map(shares).data[0].x, atol=1e-7)


@pytest.mark.parametrize("method", ["mds", "pca"])
@pytest.mark.parametrize("distance", ["jensen-shannon", "hellinger"])
@pytest.mark.parametrize(
    "components", [[[1, 2]], [[1, 0], [0, 1]], [[1, 0], [1, 1], [0, 1]], [[1, 2]] * 3, [[0, 0], [1, 0]]]
)
def test_few_or_equal_topics_and_those_on_a_line_are_drawn(components, method, distance):
    figure = plots.topic_map(components, method=method, distance=distance)
    points = np.column_stack([figure.data[0].x, figure.data[0].y])
    assert np.isfinite(points).all()
    low, high = figure.layout.xaxis.range
    assert low < points[:, 0].min() <= points[:, 0].max() < high
    assert low < high


def test_two_topics_without_common_words_are_one_apart():
    points = plots.topic_map([[1, 0], [0, 1]]).data[0]
    assert abs(points.x[0] - points.x[1]) == pytest.approx(1)
    np.testing.assert_array_equal(points.y, [0, 0])


def test_hovering_tells_the_best_terms():
    figure = plots.topic_map(
        [[3, 2, 0, 0], [0, 0, 1, 5]], prevalence=[1, 3], names=["fruit", "sea"], terms=TERMS, n_terms=1
    )
    assert figure.data[0].hovertext == (
        "<b>fruit</b><br>25% of the words<br>apple",
        "<b>sea</b><br>75% of the words<br>sail",
    )
    assert figure.data[0].text == ("fruit", "sea")


@pytest.mark.parametrize(
    ("components", "settings", "message"),
    [
        ([[1, np.nan]], {}, "components must hold finite numbers"),
        ([[1, -1]], {}, "0 or more, got -1"),
        ([1, 2], {}, r"shape \(n_topics, n_terms\), got \(2,\)"),
        (np.zeros((0, 3)), {}, "hold a number or more, got none"),
        ("topics", {}, "array of numbers"),
        ([[1, 2]], {"terms": ["a"]}, "each of 2 columns of components, got 1"),
        ([[1, 2]], {"names": ["a", "b"]}, "one name for each of 1, got 2"),
        ([[1, 2]], {"prevalence": [1, 2]}, r"prevalence must have the shape \(n_topics=1\)"),
        ([[1, 2]], {"prevalence": [0]}, "above 0 for one topic"),
        ([[1, 2]], {"method": "tsne"}, "method must be one of 'mds', 'pca'"),
        ([[1, 2]], {"distance": "cosine"}, "distance must be one of"),
    ],
)
def test_topics_that_cannot_be_mapped_are_an_error(components, settings, message):
    with pytest.raises(InputError, match=message):
        plots.topic_map(components, **settings)


PAIRS = [[4, 2, 0, 0], [2, 1, 1, 0], [0, 1, 3, 2], [0, 0, 2, 4]]


def test_anchors_are_corners_and_terms_lie_between():
    figure = plots.anchor_plane(PAIRS, ["apple", "sail"], terms=TERMS)
    terms, around, anchors = figure.data
    assert anchors.text == ("apple", "sail")
    assert len(terms.x) == 2
    low, high = sorted(anchors.x)
    assert low < min(terms.x) <= max(terms.x) < high
    assert set(around.x) == set(anchors.x)


def test_words_and_columns_and_counted_pairs_are_the_same():
    X = np.random.default_rng(0).poisson(0.7, size=(60, 4))
    counted = cooccurrence(X)
    by_word = plots.anchor_plane(counted, ["apple", ("ship", "sail"), "pear"], terms=TERMS)
    by_column = plots.anchor_plane(counted.toarray(), [0, (2, 3), np.int64(1)], terms=TERMS)
    np.testing.assert_allclose(by_word.data[2].x, by_column.data[2].x)
    assert by_word.data[2].hovertext[1] == "<b>ship + sail</b><br>anchor of topic 2"


def test_an_anchor_of_several_words_is_in_their_middle():
    figure = plots.anchor_plane(PAIRS, [0, 1, (2, 3)], terms=TERMS)
    spots = dict(zip([text[3:7] for text in figure.data[0].hovertext], figure.data[0].x, strict=True))
    assert figure.data[2].x[2] == pytest.approx((spots["ship"] + spots["sail"]) / 2)


def test_only_the_most_frequent_terms_are_drawn():
    figure = plots.anchor_plane(PAIRS, [0], terms=TERMS, n_points=1)
    assert [text.split("<br>")[0] for text in figure.data[0].hovertext] == ["<b>ship</b>"]
    assert len(plots.anchor_plane(PAIRS, [0, 1], n_points=0).data[0].x) == 0


@pytest.mark.parametrize(
    ("anchors", "message"),
    [
        ([], "one term or more"),
        (["plum"], "got 'plum'"),
        ([7], "columns below 4, got 7"),
        ([()], "one term or more"),
        ([0.5], "got 0.5"),
    ],
)
def test_anchors_must_be_terms(anchors, message):
    with pytest.raises(InputError, match=message):
        plots.anchor_plane(PAIRS, anchors, terms=TERMS)
