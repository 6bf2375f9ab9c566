"""Count integers: in whole corpora, and in the rows of a matrix.

Documents are given as one array of numbers and the places where each starts; a negative number stands for nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_EMPTY = -1
_SPREAD = np.uint64(11400714819323198485)


@njit(nogil=True, cache=True)
def replace_tokens(tokens, starts, pointer, targets):
    """Write in place of each token the numbers that it becomes: none, one or several.

    Token ``t`` becomes ``targets[pointer[t]:pointer[t + 1]]``. Returns the numbers and where each document starts.
    """
    size = 0
    for token in tokens:
        size += pointer[token + 1] - pointer[token]
    numbers = np.empty(size, np.int32)
    new_starts = np.zeros(starts.shape[0], np.int64)
    at = 0
    for document in range(starts.shape[0] - 1):
        for place in range(starts[document], starts[document + 1]):
            token = tokens[place]
            for k in range(pointer[token], pointer[token + 1]):
                numbers[at] = targets[k]
                at += 1
        new_starts[document + 1] = at
    return numbers, new_starts


@njit(nogil=True, cache=True)
def update_frequencies(numbers, starts, first_document, term_frequencies, document_frequencies, last_document):
    """Add the occurrences of each number, and the documents it occurs in, to the frequencies so far.

    `last_document` holds the last document each number was seen in, at first -1.
    """
    for document in range(starts.shape[0] - 1):
        for place in range(starts[document], starts[document + 1]):
            number = numbers[place]
            if number >= 0:
                term_frequencies[number] += 1
                if last_document[number] != first_document + document:
                    last_document[number] = first_document + document
                    document_frequencies[number] += 1


@njit(nogil=True, cache=True)
def join_neighbours(left, words, starts, width, radix, check_end):
    """Return a key for each n-gram of ``width + 1`` words, or -1 where there is none.

    ``left[p]`` is the number of the n-gram of `width` words that starts at p, ``words[p]`` that of the word at p;
    the key is ``left[p] * radix + words[p + width]``. With `check_end`, the n-gram of `width` words at p + 1 must
    have a number too.
    """
    keys = np.full(left.shape[0], -1, np.int64)
    for document in range(starts.shape[0] - 1):
        for place in range(starts[document], starts[document + 1] - width):
            if left[place] < 0 or words[place + width] < 0 or (check_end and left[place + 1] < 0):
                continue
            keys[place] = left[place] * radix + words[place + width]
    return keys


@njit(nogil=True, cache=True)
def update_numbering(keys, slots, known, n_known):
    """Give each key a number by first occurrence; -1 stays -1.

    `slots` is a hash table of numbers with room to spare, a power of two long, at first all -1; `known` holds the
    key of each number. Returns the number of each key and how many are known now.
    """
    numbers = np.full(keys.shape[0], -1, np.int32)
    mask = np.uint64(slots.shape[0] - 1)
    shift = np.uint64(32)
    for place in range(keys.shape[0]):
        key = keys[place]
        if key < 0:
            continue
        slot = ((np.uint64(key) * _SPREAD) >> shift) & mask
        number = slots[slot]
        while number != _EMPTY and known[number] != key:
            slot = (slot + np.uint64(1)) & mask
            number = slots[slot]
        if number == _EMPTY:
            number = n_known
            slots[slot] = number
            known[number] = key
            n_known += 1
        numbers[place] = number
    return numbers, n_known


@njit(nogil=True, cache=True)
def count_rows(columns, starts, n_columns):
    """Count the columns of each document.

    Parameters
    ----------
    columns : int32 array of shape (n_levels, n_places)
        Columns to count; -1 for none.
    starts : int64 array of shape (n_documents + 1,)
        Where each document starts in `columns`.
    n_columns : int
        Number of columns of the matrix.

    Returns
    -------
    indptr : int64 array, indices : int32 array, counts : int32 array
        The matrix in compressed rows, with sorted indices.
    """
    n_documents = starts.shape[0] - 1
    indptr = np.zeros(n_documents + 1, np.int64)
    size = 0
    for level in range(columns.shape[0]):
        for place in range(columns.shape[1]):
            size += columns[level, place] >= 0
    indices = np.empty(size, np.int32)
    counts = np.empty(size, np.int32)
    seen = np.zeros(n_columns, np.int32)
    at = 0
    for document in range(n_documents):
        first = at
        for level in range(columns.shape[0]):
            for place in range(starts[document], starts[document + 1]):
                column = columns[level, place]
                if column >= 0:
                    if seen[column] == 0:
                        indices[at] = column
                        at += 1
                    seen[column] += 1
        indices[first:at].sort()
        for k in range(first, at):
            counts[k] = seen[indices[k]]
            seen[indices[k]] = 0
        indptr[document + 1] = at
    return indptr, indices[:at].copy(), counts[:at].copy()


@njit(nogil=True, cache=True)
def spread_windows(numbers, starts, width):
    """Write out the windows of `width` places that slide over each document, as documents of their own.

    A document no longer than a window is one window. Returns the numbers and where each window starts.
    """
    n_windows = 0
    size = 0
    for document in range(starts.shape[0] - 1):
        length = starts[document + 1] - starts[document]
        if length > 0:
            n_windows += max(1, length - width + 1)
            size += max(1, length - width + 1) * min(length, width)
    spread = np.empty(size, np.int32)
    window_starts = np.zeros(n_windows + 1, np.int64)
    at = 0
    window = 0
    for document in range(starts.shape[0] - 1):
        length = starts[document + 1] - starts[document]
        for first in range(max(1, length - width + 1) if length > 0 else 0):
            for k in range(min(length, width)):
                spread[at] = numbers[starts[document] + first + k]
                at += 1
            window += 1
            window_starts[window] = at
    return spread, window_starts
