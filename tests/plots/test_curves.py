import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wayword import plots
from wayword.errors import InputError

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(2, 9))
def test_lines_are_means_and_bands_confidence_intervals(seed, n_runs):
    runs = np.random.default_rng(seed).random((n_runs, 3))
    band, line = plots.learning_curves([1, 2, 3], {"a": runs}).data
    np.testing.assert_allclose(line.y, runs.mean(axis=0))
    low, high = stats.t.interval(0.95, n_runs - 1, loc=runs.mean(axis=0), scale=stats.sem(runs, axis=0))
    np.testing.assert_allclose(band.y, np.concatenate([high, low[::-1]]))
    np.testing.assert_allclose(band.x, [1, 2, 3, 3, 2, 1])


def test_other_bands_are_deviations_or_ranges():
    runs = np.array([[0.0, 1.0], [1.0, 3.0]])
    deviation = plots.learning_curves([1, 2], {"a": runs}, band="deviation").data[0].y
    np.testing.assert_allclose(deviation[:2], runs.mean(axis=0) + runs.std(axis=0, ddof=1))
    np.testing.assert_allclose(plots.learning_curves([1, 2], {"a": runs}, band="range").data[0].y, [1, 3, 1, 0])


def test_one_run_has_no_band():
    figure = plots.learning_curves([1, 2], {"a": [0.1, 0.2], "b": [[0.3, 0.4]]})
    assert [trace.name for trace in figure.data] == ["a", "b"]
    assert figure.data[0].hovertext[0] == "<b>a</b><br>1 labelled documents: 0.100<br>one run"


def test_an_interval_that_is_given_becomes_the_band_and_the_line_stays_what_it_is():
    ends = [[0.1, 0.5], [0.7, 0.8]]
    figure = plots.learning_curves([10, 20], {"a": [0.6, 0.7], "b": [0.2, 0.3]}, intervals={"a": ends})
    band, line, other = figure.data
    assert line.y.tolist() == [0.6, 0.7]
    assert band.y.tolist() == [0.7, 0.8, 0.5, 0.1]
    assert line.hovertext[0] == "<b>a</b><br>10 labelled documents: 0.600<br>between 0.100 and 0.700"
    assert other.hovertext[0].endswith("one run")
    assert "runs" not in figure.layout.title.text


def test_lines_are_told_apart_without_colours():
    figure = plots.learning_curves([1, 2], {str(place): [0.1, 0.2] for place in range(7)})
    assert len({(trace.line.dash, trace.marker.symbol) for trace in figure.data}) == 7


@pytest.mark.parametrize(
    ("sizes", "scores", "settings", "message"),
    [
        ([2, 1], {"a": [1, 2]}, {}, "sizes must rise, got"),
        ([0, 1], {"a": [1, 2]}, {"log_sizes": True}, "from above 0 on"),
        ([1, 2], {"a": [1, 2, 3]}, {}, r"scores\['a'\] must have the shape \(n_runs, n_sizes=2\), got \(1, 3\)"),
        ([1, 2], {"a": [1, np.nan]}, {}, "finite numbers"),
        ([1, 2], {}, {}, "one name or more"),
        ([1, 2], [[1, 2]], {}, "must map names to numbers"),
        ([], {"a": []}, {}, "hold a number or more"),
        ([1, 2], {"a": [1, 2]}, {"band": "box"}, "band must be one of"),
        ([1, 2], {"a": [1, 2]}, {"intervals": {"b": [[0, 0], [2, 2]]}}, "intervals must name methods of scores"),
        ([1, 2], {"a": [1, 2]}, {"intervals": {"a": [0, 2]}}, r"must have the shape \(n_ends=2, n_sizes=2\)"),
        ([1, 2], {"a": [1, 2]}, {"intervals": {"a": [[2, 2], [0, 0]]}}, "lower ends first"),
        ([1, 2], {"a": [1, 2]}, {"intervals": [0, 1]}, "must map names to numbers"),
    ],
)
def test_scores_must_fit_sizes(sizes, scores, settings, message):
    with pytest.raises(InputError, match=message):
        plots.learning_curves(sizes, scores, **settings)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_objectives_are_drawn_as_they_are_or_as_what_is_left(path):
    linear = plots.convergence({"a": path})
    np.testing.assert_array_equal(linear.data[0].y, path)
    np.testing.assert_array_equal(linear.data[0].x, np.arange(len(path)))
    left = plots.convergence({"a": path}, scale="gap")
    gaps = np.array(path) - min(path)
    np.testing.assert_array_equal(left.data[0].y, gaps[gaps > 0])
    assert left.layout.yaxis.type == "log"


def test_runs_are_measured_against_the_best_of_all():
    first, second = plots.convergence({"a": [3, 2], "b": [4, 1]}, scale="gap").data
    assert first.y.tolist() == [2, 1]
    assert second.y.tolist() == [3]


def test_a_log_axis_needs_objectives_above_zero():
    assert plots.convergence({"a": [2.0, 1.0]}, scale="log").layout.yaxis.type == "log"
    with pytest.raises(InputError, match="needs objectives above 0, got 0; use scale='gap'"):
        plots.convergence({"a": [1.0, 0.0]}, scale="log")


def test_each_criterion_has_axes_of_its_own_and_the_recommended_number_is_marked_in_each():
    figure = plots.k_selection([5, 10], {"npmi": [0.1, 0.2], "loss": [3, 1]}, recommended=10, better={"loss": "lower"})
    assert [trace.y.tolist() for trace in figure.data] == [[0.1, 0.2], [3, 1]]
    assert [trace.yaxis for trace in figure.data] == ["y", "y2"]
    assert [(shape.x0, shape.yref) for shape in figure.layout.shapes] == [(10, "y domain"), (10, "y2 domain")]
    assert [note.text for note in figure.layout.annotations] == ["<b>npmi</b>", "<b>loss</b> (lower is better)"]
    assert "Recommended: 10 topics" in figure.layout.title.text
    assert figure.layout.yaxis2.domain[0] == pytest.approx(0, abs=1e-9)
    assert figure.layout.yaxis2.domain[1] < figure.layout.yaxis.domain[0]


def test_without_a_recommendation_nothing_is_marked():
    assert not plots.k_selection([5, 10], {"npmi": [0.1, 0.2]}).layout.shapes


@pytest.mark.parametrize(
    ("ks", "criteria", "settings", "message"),
    [
        ([10, 5], {"a": [1, 2]}, {}, "ks must rise"),
        ([5, 10], {"a": [1]}, {}, r"criteria\['a'\] must have the shape \(n_ks=2\), got \(1,\)"),
        ([5, 10], {"a": [1, 2]}, {"recommended": 7}, "recommended must be one of ks"),
        ([5, 10], {"a": [1, 2]}, {"better": {"b": "lower"}}, "better must name criteria"),
        ([5, 10], {"a": [1, 2]}, {"better": {"a": "up"}}, "must be one of 'higher', 'lower'"),
        ([], {"a": []}, {}, "hold a number or more"),
    ],
)
def test_criteria_must_fit_numbers_of_topics(ks, criteria, settings, message):
    with pytest.raises(InputError, match=message):
        plots.k_selection(ks, criteria, **settings)


@given(seeds, st.integers(1, 12))
def test_bins_hold_every_prediction_once(seed, n_bins):
    rng = np.random.default_rng(seed)
    chances = rng.choice([0.0, 0.25, 0.5, 1.0, *rng.random(4)], size=40)
    correct = rng.random(40) < chances
    _, points, bars = plots.reliability(chances, correct, n_bins=n_bins).data
    counts = np.asarray(bars.y)
    assert counts.sum() == 40
    held = counts[counts > 0]
    assert np.asarray(points.x) @ held == pytest.approx(chances.sum())
    assert np.asarray(points.y) @ held == pytest.approx(correct.sum())
    low = np.asarray(points.y) - points.error_y.arrayminus
    high = np.asarray(points.y) + points.error_y.array
    assert ((low >= -1e-9) & (high <= 1 + 1e-9) & (low <= points.y) & (high >= points.y)).all()


def test_intervals_are_those_of_wilson():
    points = plots.reliability([0.7] * 10, [1] * 7 + [0] * 3, n_bins=1).data[1]
    expected = stats.binomtest(7, 10).proportion_ci(method="wilson")
    assert points.y[0] - points.error_y.arrayminus[0] == pytest.approx(expected.low, abs=1e-6)
    assert points.y[0] + points.error_y.array[0] == pytest.approx(expected.high, abs=1e-6)


@pytest.mark.parametrize(
    ("chances", "correct", "message"),
    [
        ([0.5, 1.2], [1, 0], "from 0 to 1, got 0.5 to 1.2"),
        ([0.5], [1, 0], r"correct must have the shape \(n_predictions=1\)"),
        ([0.5], [2], "true or false"),
        ([], [], "hold a number or more"),
        ([np.nan], [1], "finite numbers"),
    ],
)
def test_chances_must_be_chances(chances, correct, message):
    with pytest.raises(InputError, match=message):
        plots.reliability(chances, correct)
