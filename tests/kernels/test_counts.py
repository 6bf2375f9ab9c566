from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from naive.words import count_windows
from wayword.kernels.counts import (
    count_rows,
    join_neighbours,
    replace_tokens,
    spread_windows,
    update_frequencies,
    update_numbering,
)

documents_of_numbers = st.lists(st.lists(st.integers(-1, 5), max_size=12), max_size=6)


def flatten(documents):
    starts = np.cumsum([0, *map(len, documents)]).astype(np.int64)
    return np.array([number for document in documents for number in document], dtype=np.int32), starts


def split(numbers, starts):
    return [numbers[a:b].tolist() for a, b in pairwise(starts)]


@given(st.lists(st.lists(st.integers(0, 3), max_size=8), max_size=5))
def test_tokens_become_none_one_or_several_numbers(documents):
    becomes = {0: [], 1: [7], 2: [8, 9], 3: [-1]}
    pointer = np.array([0, 0, 1, 3, 4])
    targets = np.array([7, 8, 9, -1], dtype=np.int32)
    numbers, starts = replace_tokens(*flatten(documents), pointer, targets)
    assert split(numbers, starts) == [[n for token in document for n in becomes[token]] for document in documents]


@given(documents_of_numbers)
def test_frequencies_count_occurrences_and_documents(documents):
    tf, df, last = np.zeros(6, np.int64), np.zeros(6, np.int64), np.full(6, -1)
    half = len(documents) // 2
    update_frequencies(*flatten(documents[:half]), 0, tf, df, last)
    update_frequencies(*flatten(documents[half:]), half, tf, df, last)
    for number in range(6):
        assert tf[number] == sum(document.count(number) for document in documents)
        assert df[number] == sum(number in document for document in documents)


@given(documents_of_numbers, st.booleans())
def test_neighbours_join_within_a_document_where_both_have_numbers(documents, check_end):
    numbers, starts = flatten(documents)
    keys = join_neighbours(numbers.astype(np.int64), numbers, starts, 1, 6, check_end)
    expected = []
    for document in documents:
        for at, number in enumerate(document):
            following = document[at + 1] if at + 1 < len(document) else -1
            expected.append(number * 6 + following if number >= 0 and following >= 0 else -1)
    assert keys.tolist() == expected


@given(st.lists(st.integers(-1, 2**62) | st.integers(-1, 3), max_size=40))
def test_keys_are_numbered_by_first_occurrence(keys):
    slots, known = np.full(128, -1, np.int32), np.empty(64, np.int64)
    numbers, n_known = update_numbering(np.array(keys, dtype=np.int64), slots, known, 0)
    distinct = list(dict.fromkeys(key for key in keys if key >= 0))
    assert n_known == len(distinct)
    assert numbers.tolist() == [distinct.index(key) if key >= 0 else -1 for key in keys]


@given(documents_of_numbers)
def test_rows_hold_sorted_columns_and_their_counts(documents):
    numbers, starts = flatten(documents)
    # The same numbers on two levels count twice.
    indptr, indices, counts = count_rows(np.stack([numbers, numbers]), starts, 6)
    for document, a, b in zip(documents, indptr[:-1], indptr[1:], strict=True):
        present = sorted({number for number in document if number >= 0})
        assert indices[a:b].tolist() == present
        assert counts[a:b].tolist() == [2 * document.count(number) for number in present]


@given(documents_of_numbers, st.integers(1, 5))
def test_windows_slide_over_each_document(documents, width):
    spread, starts = spread_windows(*flatten(documents), width)
    found = [{number for number in window if number >= 0} for window in split(spread, starts)]
    assert found == count_windows(documents, width)
