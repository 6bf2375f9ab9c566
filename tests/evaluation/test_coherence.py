"""The coherence of topics."""

from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayword import npmi
from wayword.errors import InputError


def npmi_of_pair(X, i, j):
    """The definition, for one pair."""
    n = len(X)
    p_i, p_j = sum(row[i] > 0 for row in X) / n, sum(row[j] > 0 for row in X) / n
    p_ij = sum(row[i] > 0 and row[j] > 0 for row in X) / n
    if p_ij == 0:
        return -1.0
    return 1.0 if p_ij == 1 else log(p_ij / (p_i * p_j)) / -log(p_ij)


counts = st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=2, max_size=12)


@given(counts)
def test_equals_the_definition(rows):
    X = np.array(rows)
    used = [column for column in range(4) if X[:, column].any()]
    if len(used) < 2:
        return
    expected = np.mean([npmi_of_pair(X, i, j) for i, j in combinations(used, 2)])
    assert npmi([used], X)[0] == pytest.approx(expected)


def test_terms_that_always_come_together_have_one():
    assert npmi([[0, 1]], [[1, 1, 0], [2, 1, 0], [0, 0, 1]])[0] == pytest.approx(1.0)


def test_terms_that_never_meet_have_minus_one():
    assert npmi([[0, 1]], [[1, 0], [0, 1]])[0] == -1.0


def test_counts_do_not_matter_only_presence():
    X = np.random.RandomState(0).poisson(0.7, (30, 5))
    assert npmi([[0, 1, 2]], X) == pytest.approx(npmi([[0, 1, 2]], (X > 0).astype(int)))


def test_a_topic_of_one_term_has_none():
    assert np.isnan(npmi([[0]], [[1, 0]])[0])


def test_an_unknown_column_is_an_error():
    with pytest.raises(InputError, match="has 2 columns"):
        npmi([[0, 5]], [[1, 0]])
