"""Split text into words and words into integers, in one pass over UTF-8 bytes.

A word is a maximal run of word characters. Each run is looked up in a hash table of the runs seen so far in this
piece of text, so the caller meets every distinct word once and every occurrence only as an integer.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# What a code point may do, as bits of its class.
WORD = 1  # part of a run
ENOUGH = 2  # a run without any of these is not a word
JOINER = 4  # continues a run when a word character follows

_EMPTY = -1
_FNV_OFFSET = np.uint64(14695981039346656037)
_FNV_PRIME = np.uint64(1099511628211)


@njit(nogil=True, cache=True, inline="always")
def _code_point(text, at):
    """Return the code point that starts at byte `at` of well-formed UTF-8, and its number of bytes."""
    lead = np.int64(text[at])
    if lead < 0x80:
        return lead, 1
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | (text[at + 1] & 0x3F), 2
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | (text[at + 1] & 0x3F) << 6 | (text[at + 2] & 0x3F), 3
    tail = (text[at + 1] & 0x3F) << 12 | (text[at + 2] & 0x3F) << 6 | (text[at + 3] & 0x3F)
    return (lead & 0x07) << 18 | tail, 4


@njit(nogil=True, cache=True)
def _joins(text, at, end, classes):
    """Whether a word character starts at byte `at`, so that a joiner before it belongs to the run."""
    return at < end and classes[_code_point(text, at)[0]] & WORD


@njit(nogil=True, cache=True)
def _same(text, left, right, size):
    for k in range(size):
        if text[left + k] != text[right + k]:
            return False
    return True


@njit(nogil=True, cache=True)
def _find_slot(slots, hashes, first, length, text, begin, size, key):
    """Return the slot that holds this run, or the empty slot where it belongs."""
    mask = np.uint64(slots.shape[0] - 1)
    slot = key & mask
    word = slots[slot]
    while word != _EMPTY:
        if hashes[word] == key and length[word] == size and _same(text, first[word], begin, size):
            break
        slot = (slot + np.uint64(1)) & mask
        word = slots[slot]
    return slot


@njit(nogil=True, cache=True)
def scan_words(text, ends, classes, min_run, capacity):
    """Give the words of consecutive documents numbers.

    One long loop on purpose: arrays that are replaced inside it, or a helper per run, made it three times slower.

    Parameters
    ----------
    text : uint8 array
        Well-formed UTF-8 of all documents, one after the other, shorter than 2 GiB.
    ends : int64 array of shape (n_documents,)
        Where each document ends in `text`.
    classes : uint8 array of shape (0x110000,)
        For each code point, the bits WORD, ENOUGH and JOINER.
    min_run : int
        Fewest characters of a run that is a word.
    capacity : int
        Most distinct words there is room for, a power of two.

    Returns
    -------
    words : int32 array
        The words of all documents in order of occurrence, numbered by first occurrence.
    starts : int64 array of shape (n_documents + 1,)
        Where each document starts in `words`.
    first, length : int32 arrays of shape (n_distinct,)
        Where each distinct word stands in `text`, and its number of bytes.
    fits : bool
        False if there were more distinct words than `capacity`; the rest is then meaningless.
    """
    words = np.empty(text.shape[0] // 2 + ends.shape[0] + 1, np.int32)
    starts = np.zeros(ends.shape[0] + 1, np.int64)
    first = np.empty(capacity, np.int32)
    length = np.empty(capacity, np.int32)
    hashes = np.empty(capacity, np.uint64)
    slots = np.full(4 * capacity, _EMPTY, np.int32)
    n_words = 0
    n_distinct = 0
    at = 0
    for document in range(ends.shape[0]):
        end = ends[document]
        begin = -1
        characters = 0
        seen = 0
        key = _FNV_OFFSET
        while at <= end:
            kind = 0
            width = 1
            if at < end:
                point, width = _code_point(text, at)
                kind = classes[point]
            if kind & WORD or (begin >= 0 and kind & JOINER and _joins(text, at + width, end, classes)):
                if begin < 0:
                    begin, characters, seen, key = at, 0, 0, _FNV_OFFSET
                for k in range(width):
                    key = (key ^ np.uint64(text[at + k])) * _FNV_PRIME
                seen |= kind
                characters += 1
            elif begin >= 0:
                if characters >= min_run and seen & ENOUGH:
                    key ^= key >> np.uint64(29)
                    slot = _find_slot(slots, hashes, first, length, text, begin, at - begin, key)
                    word = slots[slot]
                    if word == _EMPTY:
                        if n_distinct == capacity:
                            return words, starts, first, length, False
                        word = n_distinct
                        first[word] = begin
                        length[word] = at - begin
                        hashes[word] = key
                        slots[slot] = word
                        n_distinct += 1
                    words[n_words] = word
                    n_words += 1
                begin = -1
            if at == end:
                break
            at += width
        starts[document + 1] = n_words
    return words[:n_words].copy(), starts, first[:n_distinct].copy(), length[:n_distinct].copy(), True
