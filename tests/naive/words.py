"""Slow, obvious twins of the word scan and of everything that counts words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain


def find_words(text: str, pattern: str) -> list[str]:
    """Twin of the compiled scan."""
    return re.findall(pattern, text.lower())


def list_ngrams(words: Sequence[str], low: int, high: int) -> list[str]:
    return [" ".join(words[at : at + n]) for n in range(low, high + 1) for at in range(len(words) - n + 1)]


def count_terms(
    documents: Sequence[Sequence[str]],
    *,
    ngrams: tuple[int, int] = (1, 1),
    low: float = 1,
    high: float = float("inf"),
    max_terms: int | None = None,
) -> tuple[list[str], list[list[int]]]:
    """Twin of choosing a vocabulary and counting it: count every n-gram, then look which may stay."""
    rows = [Counter(list_ngrams(words, *ngrams)) for words in documents]
    document_frequency = Counter(chain.from_iterable(rows))
    term_frequency: Counter[str] = Counter()
    for row in rows:
        term_frequency.update(row)
    terms = [term for term in term_frequency if low <= document_frequency[term] <= high]
    terms.sort(key=lambda term: (-term_frequency[term], term))
    terms = sorted(terms[:max_terms])
    return terms, [[row[term] for term in terms] for row in rows]


def count_windows(documents: Sequence[Sequence[int]], width: int) -> list[set[int]]:
    """Return the set of non-negative numbers in each window."""
    windows = []
    for document in documents:
        if document:
            windows += [set(document[at : at + width]) for at in range(max(1, len(document) - width + 1))]
    return [{number for number in window if number >= 0} for window in windows]
