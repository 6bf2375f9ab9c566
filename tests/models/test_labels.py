import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from wayword.errors import InputError, WaywordWarning
from wayword.models.labels import (
    Labels,
    answer_in_kind,
    best_threshold,
    odds_against,
    read_labels,
    share_of_right_answers,
)

NAMES = ["corn", "grain", "oil", "trade"]
seeds = st.integers(0, 2**32 - 1)
single = st.lists(st.sampled_from([*NAMES, None]), min_size=1, max_size=8)
several = st.lists(st.lists(st.sampled_from(NAMES), unique=True), min_size=1, max_size=8)


def draw_matrix(seed, n_documents=6, n_labels=3):
    """Return 0, 1, and -1 for unknown."""
    return np.random.default_rng(seed).choice([0, 1, -1], p=[0.5, 0.3, 0.2], size=(n_documents, n_labels))


def matrix_of(lists, names):
    return np.array([[int(name in row) for name in names] for row in lists]).reshape(len(lists), len(names))


def f1(truth, found):
    return 2 * (truth & found).sum() / (truth.sum() + found.sum())


def assert_same(found, expected, *, names=True):
    if names:
        assert found.names.tolist() == expected.names.tolist()
    assert (found.indicator == expected.indicator).all()
    assert (found.known == expected.known).all()


@given(single)
def test_names_are_read_alike_in_every_container(y):
    expected = read_labels(y, len(y))
    assert expected.kind == "single"
    assert expected.names.tolist() == sorted({name for name in y if name is not None})
    for row, known, name in zip(expected.indicator, expected.known, y, strict=True):
        assert expected.names[row].tolist() == ([] if name is None else [name])
        assert known.tolist() == [name is not None] * len(expected.names)
    with_nan = [float("nan") if name is None else name for name in y]
    containers = [
        tuple(y),
        with_nan,
        np.array(y, dtype=object),
        pd.Series(y, dtype=object, index=range(7, 7 + len(y))),
        pd.Series(pd.Categorical(y)),
        pl.Series(y, dtype=pl.String),
    ]
    for form in containers:
        assert_same(read_labels(form, len(y)), expected)


@given(single)
def test_a_list_with_one_name_says_what_the_name_says(y):
    lists = [[] if name is None else [name] for name in y]
    if any(lists):
        found = read_labels(lists, len(y))
        assert found.kind == "lists"
        assert_same(found, read_labels(y, len(y)))


@given(several.filter(any))
def test_lists_and_their_matrix_say_the_same(y):
    found = read_labels(y, len(y))
    assert found.kind == "lists"
    assert [found.names[row].tolist() for row in found.indicator] == [sorted(row) for row in y]
    assert found.labelled.tolist() == [bool(row) for row in y]
    for form in ([row or None for row in y], [tuple(row) for row in y], [set(row) for row in y]):
        assert_same(read_labels(form, len(y)), found)
    names = found.names.tolist()
    if len(names) > 1:
        matrix = matrix_of(y, names)
        frames = [pd.DataFrame(matrix, columns=names), pl.DataFrame(matrix, schema=names)]
        for form in frames:
            assert_same(read_labels(form, len(y)), found)
        for form in (matrix, matrix.astype(bool), matrix.astype(np.float32), matrix.tolist(), sparse.csc_array(matrix)):
            numbered = read_labels(form, len(y))
            assert numbered.kind == "indicator"
            assert numbered.names.tolist() == list(range(len(names)))
            assert_same(numbered, found, names=False)


@given(seeds)
def test_nothing_is_known_of_entries_of_minus_one_or_nan(seed):
    y = draw_matrix(seed)
    found = read_labels(y, len(y))
    assert (found.indicator == (y == 1)).all()
    assert not found.known[y == -1].any()
    assert found.known[y == 1].all()
    # A row of zeros alone says nothing, unless -1 stands for what is not known.
    told = (y != 0).any(axis=1) | (y == -1).any()
    assert (found.known == ((y != -1) & told[:, None])).all()
    assert_same(read_labels(np.where(y == -1, np.nan, y), len(y)), found)
    assert_same(read_labels(sparse.csr_matrix(y), len(y)), found)


@given(seeds)
def test_labels_that_may_apply_are_those_told_and_those_not_known(seed):
    y = draw_matrix(seed)
    found = read_labels(y, len(y))
    assert (found.allowed == (found.indicator | ~found.known)).all()
    assert (found.labelled == found.known.any(axis=1)).all()


@given(seeds)
def test_reading_leaves_the_labels_alone(seed):
    y = draw_matrix(seed).astype(float)
    before = y.copy()
    read_labels(y, len(y))
    assert (y == before).all()


@given(seeds, st.sampled_from(["lists", "indicator"]))
def test_certain_answers_are_read_as_the_labels_they_came_from(seed, kind):
    indicator = np.random.default_rng(seed).random((5, 4)) < 0.4
    answers = answer_in_kind(np.array(NAMES), kind, indicator.astype(float))
    assert len(answers) == 5
    if kind == "lists":
        assert answers == [[name for name, applies in zip(NAMES, row, strict=True) if applies] for row in indicator]
    else:
        assert answers.dtype == np.int64
        assert (answers == indicator).all()


@given(seeds, st.floats(0, 1))
def test_odds_rise_with_the_share_and_are_even_at_the_threshold(seed, threshold):
    shares = np.sort(np.random.default_rng(seed).random(6))
    chances = odds_against(shares, threshold)
    assert ((chances > 0) & (chances < 1)).all()
    assert (np.diff(chances) >= 0).all()
    if 0.01 < threshold < 0.99:
        assert odds_against(np.array([threshold]), threshold)[0] == pytest.approx(0.5)
        assert ((chances > 0.5) == (shares > threshold)).all()


@given(seeds, st.sampled_from([1, 15]))
def test_no_threshold_has_a_higher_f1_over_what_is_known(seed, digits):
    scores = np.random.default_rng(seed).random((6, 3)).round(digits)
    labels = read_labels(draw_matrix(seed), 6)
    known = labels.known
    if not labels.indicator[known].any():
        assert best_threshold(scores, labels) == 0.5
        return
    reached = [f1(labels.indicator[known], scores[known] >= score) for score in scores[known]]
    found = best_threshold(scores, labels)
    assert f1(labels.indicator[known], scores[known] >= found) == pytest.approx(max(reached))


def test_the_threshold_separates_what_can_be_separated():
    labels = read_labels([["a"], ["b"], ["a", "b"]], 3)
    assert 0.2 < best_threshold(np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), labels) <= 0.4


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, -1, -1.0, np.float32("nan"), np.int64(-1)])
def test_a_document_without_a_name_is_unlabelled(missing):
    found = read_labels([2, missing, 3], 3)
    assert found.names.tolist() == [2, 3]
    assert found.labelled.tolist() == [True, False, True]


@pytest.mark.parametrize("missing", [None, [], (), [None], [-1], [float("nan")]])
def test_a_document_without_a_list_of_names_is_unlabelled(missing):
    found = read_labels([["a", "b"], missing, ["b"]], 3)
    assert found.names.tolist() == ["a", "b"]
    assert found.labelled.tolist() == [True, False, True]


@pytest.mark.parametrize("row", [[-1, -1], [0, 0], [np.nan, np.nan], [-1, np.nan]])
def test_a_document_with_a_row_that_says_nothing_is_unlabelled(row):
    found = read_labels(np.array([[1, 0], row, [0, 1]], dtype=float), 3)
    assert found.labelled.tolist() == [True, False, True]
    assert found.allowed[1].all()


def test_a_row_of_one_no_leaves_the_other_open():
    found = read_labels(np.array([[1, 0], [0, -1]]), 2)
    assert found.known[1].tolist() == [True, False]
    assert found.allowed[1].tolist() == [False, True]


def test_no_label_applies_to_a_row_of_zeros_where_minus_one_stands_for_unknown():
    found = read_labels(np.array([[1, 0], [0, 0], [-1, -1]]), 3)
    assert found.labelled.tolist() == [True, True, False]
    assert not found.allowed[1].any()


def test_nothing_is_told_by_none():
    found = read_labels(None, 4)
    assert found.indicator.shape == (4, 0)
    assert not found.labelled.any()


@pytest.mark.parametrize(
    ("y", "names"),
    [
        ([3, 1, 2], [1, 2, 3]),
        (np.array([3.0, 1.0, np.nan]), [1.0, 3.0]),
        ([True, False, None], [False, True]),
        (np.array([True, False]), [False, True]),
        (np.array([[2], [1], [2]]), [1, 2]),
        (np.array(["b", "a", "b"]), ["a", "b"]),
        (["one"], ["one"]),
    ],
)
def test_names_keep_their_kind_and_are_sorted(y, names):
    found = read_labels(y, len(y))
    assert found.kind == "single"
    assert found.names.tolist() == names
    assert [type(name) for name in found.names.tolist()] == [type(name) for name in names]


def test_a_label_told_twice_counts_once():
    found = read_labels([["a", "a"], ["b"]], 2)
    assert found.indicator.tolist() == [[True, False], [False, True]]


def test_a_column_without_a_one_is_a_label_still():
    found = read_labels(pd.DataFrame({"a": [1, 0, 1], "b": [0, 0, 0], "c": [0, 1, 0]}), 3)
    assert found.names.tolist() == ["a", "b", "c"]
    assert found.indicator.any(axis=0).tolist() == [True, False, True]


def test_single_answers_are_the_likeliest_names():
    chances = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    assert answer_in_kind(np.array(["a", "b", "c"]), "single", chances).tolist() == ["b", "c"]


def test_right_answers_are_those_with_all_labels_and_no_others():
    assert share_of_right_answers(np.array(["a", "b", "a"]), ["a", "b", "b"], "single") == pytest.approx(2 / 3)
    answers = [["a"], ["a", "b"], []]
    assert share_of_right_answers(answers, [["a"], ["b", "a"], ["c"]], "lists") == pytest.approx(2 / 3)
    matrix = np.array([[1, 0], [1, 1], [0, 0]])
    assert share_of_right_answers(matrix, np.array([[1, 0], [1, 0], [0, 1]]), "indicator") == pytest.approx(1 / 3)


def test_right_answers_are_counted_over_labelled_documents_by_their_weights():
    answers = np.array(["a", "b", "a", "a"])
    assert share_of_right_answers(answers, ["a", None, "b", -1], "single") == 0.5
    assert share_of_right_answers(answers, ["a", "a", "a", "a"], "single", [1, 3, 0, 0]) == 0.25


def test_nothing_can_be_scored_without_labels():
    with pytest.raises(InputError, match="no document of y has a label"):
        share_of_right_answers(np.array(["a", "b"]), [None, None], "single")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "b"], "labels for each of 3 documents, got 2"),
        (np.zeros((4, 2)), "labels for each of 3 documents, got 4"),
        (sparse.csr_matrix((2, 2)), "labels for each of 3 documents, got 2"),
        ([], "labels for each of 3 documents, got 0"),
        (["a", ["b"], ["c"]], "mixes lists of names with single names such as 'a'; use lists throughout"),
        ([["b"], None, 7], "mixes lists of names with single names such as 7; use lists throughout"),
        (["a", 1, "b"], "labels must be of one kind, got int and str; use strings"),
        ([["a", 1], ["b"], []], "labels must be of one kind, got int and str; use strings"),
        ([0.5, 1.0, 2.0], "labels must be names or whole numbers"),
        (np.array([0.5, np.nan, 2.0]), "labels must be names or whole numbers"),
        ([[0, 1], [2, 0], [1, 1]], "a matrix of labels holds 0, 1, and -1 for unknown, got 2"),
        (np.array([[0.5, 1.0], [0, 0], [1, 1]]), "a matrix of labels holds 0, 1, and -1 for unknown, got 0.5"),
    ],
)
def test_labels_that_cannot_be_read_are_errors_that_say_why(y, message):
    with pytest.raises(InputError, match=message):
        read_labels(y, 3)


@pytest.mark.parametrize("y", [[0.5, None, 1.5], np.array([1, 0.5, None], dtype=object)])
def test_fractions_are_no_names_beside_unlabelled_documents_either(y):
    with pytest.raises(InputError, match="labels must be names or whole numbers"):
        read_labels(y, 3)


@pytest.mark.parametrize("y", [5, "corn", np.zeros((3, 2, 2))])
def test_labels_that_are_no_list_are_errors(y):
    with pytest.raises(InputError):
        read_labels(y, 3)


@pytest.mark.parametrize("y", [[[], [], []], np.zeros((3, 0)), [(), (), ()]])
def test_empty_lists_alone_tell_nothing(y):
    found = read_labels(y, 3)
    assert found.indicator.shape == (3, 0)
    assert not found.labelled.any()


@pytest.mark.parametrize(
    "y",
    [
        pd.DataFrame({"a": [True, False, False], "b": [0, 1, 1]}),
        pd.DataFrame({"a": [1, 0, 0], "b": [0, 1, 1]}, dtype="Int64"),
        pd.DataFrame({"a": [1, 0, 0], "b": [0, 1, 1]}, dtype=object),
    ],
)
def test_a_frame_of_other_kinds_of_columns_says_the_same(y):
    assert_same(read_labels(y, 3), read_labels(y.astype(int), 3))


def test_a_frame_with_one_column_of_names_is_the_column():
    y = ["a", "b", "a"]
    assert_same(read_labels(pd.DataFrame({"label": y}), 3), read_labels(y, 3))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (["a", None, "b"], "string"),
        (["a", None, "b"], "category"),
        ([1, None, 2], "Int64"),
        ([True, None, False], "boolean"),
    ],
)
def test_what_is_missing_in_a_pandas_series_is_unlabelled(values, dtype):
    found = read_labels(pd.Series(values, dtype=dtype), 3)
    assert_same(found, read_labels(values, 3))
    assert found.names.dtype == read_labels(values, 3).names.dtype


@pytest.mark.parametrize("y", [np.ma.array([2, 1, 2]), np.ma.array(["b", "a", "b"])])
def test_a_masked_array_without_anything_masked_is_an_array(y):
    assert_same(read_labels(y, 3), read_labels(np.asarray(y), 3))


@pytest.mark.parametrize("y", [["a", pd.NaT, "b"], np.ma.array(["a", "c", "b"], mask=[False, True, False])])
def test_what_other_libraries_take_for_missing_is_unlabelled(y):
    assert_same(read_labels(y, 3), read_labels(["a", None, "b"], 3))


def test_what_is_masked_of_a_matrix_is_unknown():
    y = np.ma.array([[1, 0], [0, 1]], mask=[[False, False], [True, False]])
    assert_same(read_labels(y, 2), read_labels([[1, 0], [None, 1]], 2))


def test_lists_of_numbers_of_the_same_length_are_lists_still():
    assert read_labels([[7], [8], [7]], 3).kind == "lists"


def test_labels_are_frozen():
    labels = read_labels(["a"], 1)
    assert isinstance(labels, Labels)
    with pytest.raises(AttributeError):
        labels.kind = "lists"


def test_scores_that_are_equal_apply_together_or_not_at_all():
    # Nine of ten are found at 0.6; to find the tenth, all that score nothing would have to apply.
    y = np.zeros((60, 2), dtype=int)
    y[:10, 0] = y[10:, 1] = 1
    scores = np.where(y == 1, 0.6, 0.0)
    scores[0, 0] = 0.0
    assert 0 < best_threshold(scores, read_labels(y, 60)) <= 0.6


@pytest.mark.parametrize(
    "y",
    [
        pd.Series([("a",), ("a", "c"), ()]),
        np.array([("a",), ("a", "c"), ()], dtype=object),
        pd.Series([["a"], ["c", "a"], np.nan]),
        (row for row in (["a"], ["a", "c"], [])),
    ],
    ids=["series", "array", "missing", "generator"],
)
def test_lists_in_a_series_an_array_or_a_generator_are_lists(y):
    assert_same(read_labels(y, 3), read_labels([["a"], ["a", "c"], []], 3))


@pytest.mark.parametrize("y", [{0: "a", 1: "b"}, {"a", "b"}, "ab"], ids=["mapping", "set", "text"])
def test_what_has_no_entry_for_each_document_is_an_error(y):
    with pytest.raises(InputError, match="y must have an entry for each document, in their order"):
        read_labels(y, 2)


@pytest.mark.parametrize("y", [np.array([1, -1, 1]), [1, -1, 1], [1.0, -1.0, 1.0]], ids=["array", "list", "floats"])
def test_one_label_beside_minus_one_is_warned_of(y):
    with pytest.warns(WaywordWarning, match="y names one label, 1(.0)?, beside -1, which stands for no label"):
        labels = read_labels(y, 3)
    assert labels.names.tolist() == [1]
    assert labels.labelled.tolist() == [True, False, True]
    assert read_labels(["a", -1, "b"], 3).labelled.tolist() == [True, False, True]
    assert read_labels(["a", None, "a"], 3).labelled.tolist() == [True, False, True]


@pytest.mark.parametrize("y", [[[("x", 0)], [("y", 1)]], [[["a"]], [["b"]]]], ids=["tuples", "lists"])
def test_names_that_are_lists_are_an_error(y):
    with pytest.raises(InputError, match="a label must be a name or a number, got"):
        read_labels(y, 2)


def test_columns_of_the_same_name_are_an_error():
    y = pd.DataFrame([[0, 1, 1], [1, 0, 0]], columns=["a", "a", "b"])
    with pytest.raises(InputError, match="each column of y must have a name of its own"):
        read_labels(y, 2)


@pytest.mark.parametrize("y", [["b\0", "b"], [["b\0"], ["b", "a"]], np.array(["b\0", "b"], dtype=object)])
def test_names_that_arrays_cannot_tell_apart_are_an_error(y):
    with pytest.raises(InputError, match=r"a label must not end in the character NUL, got 'b\\x00'; leave that out"):
        read_labels(y, 2)
