import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.calibration import calibration_error
from wayword import expected_calibration_error
from wayword.errors import InputError


def draw(n_documents, seed, sureness=1.0, n_labels=4):
    """Return chances, and labels that come with the chances, sharpened if they are to be too sure."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n_documents, n_labels)) * 1.5
    truth = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    labels = [rng.choice(n_labels, p=row) for row in truth]
    sure = np.exp(sureness * scores)
    return np.array(labels), sure / sure.sum(axis=1, keepdims=True)


def test_chances_that_mean_what_they_say_have_hardly_an_error():
    labels, chances = draw(20_000, 0)
    assert expected_calibration_error(labels, chances) < 0.02


@pytest.mark.parametrize("sureness", [0.3, 3.0])
def test_chances_that_are_too_sure_or_not_sure_enough_have_a_large_error(sureness):
    labels, chances = draw(5_000, 1, sureness)
    assert expected_calibration_error(labels, chances) > 0.1


def test_the_error_of_a_known_case_is_the_known_value():
    labels = ["a"] * 6 + ["b"] * 4
    assert expected_calibration_error(labels, [[0.9, 0.1]] * 10) == pytest.approx(0.3)
    # Two bins: 0.6 said of which all are right, then 1.0 said of which one in five is.
    chances = [[0.6, 0.4]] * 5 + [[1.0, 0.0]] * 5
    assert expected_calibration_error(labels, chances, n_bins=2) == pytest.approx((0.4 + 0.8) / 2)


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 12), st.booleans())
def test_the_error_is_that_of_the_loop(seed, n_documents, n_bins, coarse):
    labels, chances = draw(n_documents, seed)
    chances = chances.round(1) if coarse else chances
    y = [[label] for label in labels] + [[0, 1, 2, 3]]  # a document of several labels
    chances = np.vstack([chances, np.full(4, 0.25)])
    said = [(chance, place in row) for row, those in zip(y, chances, strict=True) for place, chance in enumerate(those)]
    found = expected_calibration_error([[str(label) for label in row] for row in y], chances, n_bins=n_bins)
    assert found == pytest.approx(calibration_error(said, n_bins))
    single = [(row.max(), row.argmax() == label) for row, label in zip(chances[:-1], labels, strict=True)]
    y = np.eye(4, dtype=int)[labels]
    assert expected_calibration_error(y, chances[:-1], n_bins=n_bins) == pytest.approx(
        calibration_error(single, n_bins)
    )


@given(st.integers(0, 10_000))
def test_the_order_of_documents_makes_no_difference(seed):
    labels, chances = draw(40, seed)
    chances, order = chances.round(1), np.random.default_rng(seed).permutation(40)
    y = np.eye(4, dtype=int)[labels]
    assert expected_calibration_error(y, chances) == pytest.approx(expected_calibration_error(y[order], chances[order]))


def test_what_is_not_known_is_left_out():
    chances = [[0.8, 0.2], [0.3, 0.7], [0.5, 0.5]]
    told = expected_calibration_error(["a", "b"], chances[:2])
    assert expected_calibration_error(["a", "b", None], chances) == told
    y = [[1, 1], [1, -1]]
    assert expected_calibration_error(y, [[1.0, 1.0], [1.0, 0.0]], n_bins=1) == 0.0


@pytest.mark.parametrize(
    ("y", "chances", "settings", "said"),
    [
        (["a", "b"], [[0.5, 0.3, 0.2]] * 2, {}, r"shape \(2, 2\) of the labels, got \(2, 3\)"),
        (["a", "b"], [[1.5, -0.5]] * 2, {}, "from 0 to 1"),
        (["a", "b"], [[np.nan, 0.5]] * 2, {}, "from 0 to 1"),
        ([[0, -1], [-1, -1]], [[1.0, 0.0]] * 3, {}, "each of 3 documents"),
        ([[-1, -1], [-1, -1]], [[1.0, 0.0]] * 2, {}, "no document of y has a label"),
        (["a", "b"], [[0.5, 0.5]] * 2, {"n_bins": 0}, "n_bins"),
        (["a", "b"], [[0.5, 0.5]] * 2, {"n_bins": 2.5}, "n_bins"),
    ],
)
def test_input_that_makes_no_sense_is_refused(y, chances, settings, said):
    with pytest.raises(InputError, match=said):
        expected_calibration_error(y, chances, **settings)
