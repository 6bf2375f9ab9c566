import numpy as np
import pytest
from scipy import sparse

from wayword import select_subtopics
from wayword.errors import InputError


def plant(numbers, seed=0, n_documents=60, n_terms=200):
    """Return counts of themes with so many subtopics each, one to a document, and a common topic; and their names."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_terms, 0.05), size=sum(numbers) + 1)
    first = np.concatenate([[0], np.cumsum(numbers)])
    names = np.repeat([chr(97 + theme) for theme in range(len(numbers))], n_documents)
    chosen = np.concatenate([first[theme] + rng.integers(n, size=n_documents) for theme, n in enumerate(numbers)])
    mixed = 0.7 * topics[chosen] + 0.3 * topics[-1]
    return np.array([rng.multinomial(80, row) for row in mixed]), names


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("number", [1, 2, 3])
def test_planted_numbers_are_found(number, seed):
    X, names = plant([number] * 3, seed)
    found = select_subtopics(X, names, [1, 2, 3, 4], n_splits=3)
    assert found.best == number
    assert str(number) in found.reason


def test_themes_may_have_their_own_numbers():
    X, names = plant([1, 3])
    assert select_subtopics(X, names, [1, 2, 3, 4]).best_of_theme == {"a": 1, "b": 3}


def test_what_is_returned():
    X, names = plant([2, 2])
    seen = []
    found = select_subtopics(sparse.csr_matrix(X), names, [3, 1, 3], n_splits=2, progress=lambda *now: seen.append(now))
    assert found.numbers.tolist() == [1, 3]
    assert found.themes.tolist() == ["a", "b"]
    assert found.values.shape == (2, 2, 2)
    assert found.tokens.tolist() == [4800, 4800]
    assert seen == [("fits", done, 4) for done in range(1, 5)]
    assert "larger numbers" in found.reason


def test_unlabelled_and_empty_documents_do_not_count():
    X, names = plant([2, 1])
    rng = np.random.default_rng(0)
    more = np.vstack([X, rng.poisson(1.0, (20, X.shape[1])), np.zeros((3, X.shape[1]))])
    told = [*names, *[None] * 20, *"abc"]
    one, other = select_subtopics(X, names, n_splits=2), select_subtopics(more, told, n_splits=2)
    np.testing.assert_array_equal(one.values, other.values)
    assert other.themes.tolist() == ["a", "b"]


def test_a_document_may_have_several_labels_and_a_label_one_document():
    X, names = plant([1, 1])
    lists = [[name] for name in names]
    lists[0], lists[1] = ["a", "b"], ["a", "c"]
    found = select_subtopics(X, lists, [1, 2], n_splits=2)
    assert found.themes.tolist() == ["a", "b", "c"]
    assert np.isfinite(found.values).all()


def test_one_label_alone_has_subtopics_too():
    X, names = plant([2])
    found = select_subtopics(X, names, [1, 2, 3], n_splits=3)
    # Where no document is of another theme, the background is one more subtopic.
    assert (found.best, found.best_of_theme) == (1, {"a": 1})


def test_it_is_the_same_every_time():
    X, names = plant([2, 1])
    one, other = (select_subtopics(X, names, [1, 2], n_splits=2, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(one.values, other.values)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": [None] * 4}, "label some documents"),
        ({"numbers": []}, "at least one number of subtopics"),
        ({"numbers": 3}, "must be numbers of subtopics"),
        ({"numbers": [0]}, "each of numbers"),
        ({"n_splits": 1}, "n_splits"),
        ({"y": ["a"]}, "each of 4 documents"),
        ({"X": np.zeros((4, 3))}, "at least one token"),
        ({"X": -np.ones((4, 3))}, "0 or more"),
    ],
)
def test_what_cannot_be_is_said(changes, message):
    given = {"X": np.ones((4, 3)), "y": [*"abab"], "numbers": [1, 2], **changes}
    with pytest.raises(InputError, match=message):
        select_subtopics(given.pop("X"), given.pop("y"), given.pop("numbers"), **given)
