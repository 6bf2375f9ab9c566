from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from wayword import select_terms
from wayword.errors import InputError


def draw(n_documents=120, n_noise=600, seed=0):
    """Return counts that tell three labels apart, the same among much noise of rare words, and the labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n_documents)
    clear = rng.poisson(0.2 + 1.5 * (labels[:, None] == np.arange(3)))
    noise = rng.poisson(0.3, (n_documents, n_noise))
    names = np.array(["fruit", "roads", "ships"])[labels]
    return sparse.csr_matrix(clear), sparse.csr_matrix(np.hstack([clear, noise])), names


@pytest.mark.parametrize("seed", range(3))
def test_terms_that_rank_held_out_documents_better_are_chosen_whatever_their_place(seed):
    clear, noisy, names = draw(seed=seed)
    found = select_terms({"noisy": noisy, "clear": clear}, names)
    assert found.best == "clear"
    assert "better by" in found.reason
    assert found.values.shape == (2, len(names))
    assert found.values[1].mean() > found.values[0].mean()
    assert select_terms({"clear": clear, "noisy": noisy}, names).best == "clear"


def test_the_first_is_taken_where_none_is_better():
    clear, _, names = draw()
    found = select_terms({"one": clear, "other": clear}, names)
    assert found.best == "one"
    np.testing.assert_array_equal(*found.values)


def test_the_first_is_taken_where_too_few_can_be_held_out():
    clear, noisy, names = draw()
    told = [name if place < 5 else None for place, name in enumerate(names)]
    found = select_terms({"noisy": noisy, "clear": clear}, told)
    assert found.best == "noisy"
    assert "too few" in found.reason
    assert found.values.shape == (2, 0)


def test_thousands_of_documents_are_all_held_out():
    clear, noisy, names = draw(n_documents=2500)
    assert select_terms({"noisy": noisy, "clear": clear}, names).values.shape == (2, 2500)


def test_unlabelled_documents_make_no_difference():
    clear, noisy, names = draw()
    told = np.where(np.arange(len(names)) < 80, names, None)
    part = select_terms({"noisy": noisy[:80], "clear": clear[:80]}, names[:80])
    whole = select_terms({"noisy": noisy, "clear": clear}, told)
    np.testing.assert_array_equal(part.values, whole.values)


def test_several_labels_of_a_document_are_ranked_together():
    clear, noisy, names = draw(n_documents=400)
    several = [[name, "even"] if place % 2 == 0 else [name] for place, name in enumerate(names)]
    assert select_terms({"noisy": noisy, "clear": clear}, several).best == "clear"


def test_the_same_documents_are_held_out_every_time():
    clear, noisy, names = draw()
    one, two = (select_terms({"a": clear, "b": noisy}, names, random_state=3).values for _ in range(2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("matrices", "y", "message"),
    [
        ({}, ["a"], "dict of names"),
        ([[1]], ["a"], "dict of names"),
        ({"a": np.eye(3), "b": np.eye(4)}, ["x", "y", "z"], "a 3, b 4"),
        ({"a": np.eye(3)}, ["x", "y"], "3"),
        ({"a": np.eye(3)}, [None, None, None], "no document of y has a label"),
        ({"a": -np.eye(3)}, ["x", "y", "z"], "numbers of 0 or more"),
    ],
)
def test_bad_input_is_met_with_what_to_do(matrices, y, message):
    with pytest.raises(InputError, match=message):
        select_terms(matrices, y)
