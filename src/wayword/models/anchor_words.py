"""Anchors and word lists as people give them, as columns of the matrix."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from numbers import Integral
from typing import Any

import numpy as np

from wayword.corpus.vocabulary import Vocabulary
from wayword.errors import InputError, WaywordWarning, shorten

Anchor = tuple[int, ...]
_ANCHOR = "an anchor"


def vocabulary_of(terms: Any, n_terms: int) -> Vocabulary | None:
    """Return the terms of the columns, or None where they have no names."""
    if terms is None:
        return None
    if isinstance(terms, str) or not isinstance(terms, Iterable):
        raise InputError(f"terms must be a list of the columns' names, or a Vocabulary, got {shorten(terms)}")
    vocabulary = terms if isinstance(terms, Vocabulary) else Vocabulary([str(term) for term in terms])
    if len(vocabulary) != n_terms:
        raise InputError(f"terms must name each of {n_terms} columns, got {len(vocabulary)} names")
    return vocabulary


def _column(word: Any, vocabulary: Vocabulary | None, n_terms: int, what: str = _ANCHOR) -> int:
    """Return the column of a word, or of what stands for one; `what` is what a message calls it."""
    if isinstance(word, Integral) and not isinstance(word, bool):
        column = int(word)
        if not 0 <= column < n_terms:
            raise InputError(f"{what} must be a column from 0 to {n_terms - 1}, got {column}")
        return column
    if not isinstance(word, str):
        expected = "a word, a column, or several of these" if what == _ANCHOR else "a word or a column"
        raise InputError(f"{what} must be {expected}, got {shorten(word)}")
    if vocabulary is None:
        raise InputError(f"the anchor {word!r} is a word, but the columns have no names; give terms=, or its column")
    return vocabulary.column(word)


def read_anchors(anchors: Any, vocabulary: Vocabulary | None, frequencies: np.ndarray) -> list[Anchor]:
    """Return each anchor as its columns.

    Parameters
    ----------
    anchors : iterable of words, of columns, or of several words or columns each, or None
    vocabulary : Vocabulary or None
        Names of the columns.
    frequencies : array of shape (n_terms,)
        In how many documents each term occurs.
    """
    if anchors is None:
        return []
    if isinstance(anchors, str | Iterator | Set | Mapping) or not isinstance(anchors, Iterable):
        raise InputError(f"anchors must be a list, with one entry for each topic, got {shorten(anchors)}")
    found: list[Anchor] = []
    for anchor in anchors:
        if isinstance(anchor, bytes):
            raise InputError(f"an anchor must be a word, a column, or several of these, got {shorten(anchor)}")
        if isinstance(anchor, Set | Mapping):  # has no order, or more than words
            raise InputError(f"an anchor of several words must be a list or tuple of them, got {shorten(anchor)}")
        words = [anchor] if isinstance(anchor, str) or not isinstance(anchor, Iterable) else list(anchor)
        columns = tuple(dict.fromkeys(_column(word, vocabulary, len(frequencies)) for word in words))
        if not columns:
            raise InputError("an anchor must have one word or more, got none; leave it out to have one found")
        for column in columns:
            if frequencies[column] == 0:
                raise InputError(
                    f"the anchor {name_of(column, vocabulary)} occurs beside no other word in any document; choose another"
                )
        if set(columns) in [set(other) for other in found]:
            names = ", ".join(name_of(column, vocabulary) for column in columns)
            raise InputError(f"two topics have the same anchor ({names}); give each topic its own")
        found.append(columns)
    return found


def name_of(column: int, vocabulary: Vocabulary | None) -> str:
    """Return a column as a message shows it."""
    return f"column {column}" if vocabulary is None else repr(vocabulary[column])


def read_lexicon(
    lexicon: Mapping[str, Sequence[Any]], vocabulary: Vocabulary | None, frequencies: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the columns of each category's words.

    Words that no document has are left out, and so is a category that has no others: it says nothing of any topic.

    Parameters
    ----------
    lexicon : mapping of str to list of words or columns
    vocabulary : Vocabulary or None
        Names of the columns.
    frequencies : array of shape (n_terms,)
        In how many documents each term occurs.
    """
    columns = {name: _read_category(name, words, vocabulary, len(frequencies)) for name, words in lexicon.items()}
    if not any(True for words in lexicon.values() for _ in words):
        raise InputError("the lexicon given as prior has no words; give {category: [words]}")
    held = {name: words[frequencies[words] > 0] for name, words in columns.items()}
    if not any(map(len, held.values())):
        raise InputError("no word of the lexicon is a term of the documents; check case and language")
    return {name: words for name, words in held.items() if len(words)}


def _read_category(name: str, words: Any, vocabulary: Vocabulary | None, n_terms: int) -> np.ndarray:
    """Return the columns of the words that have one."""
    # A generator would be empty the next time that the setting is read.
    if isinstance(words, str | Iterator | Mapping) or not isinstance(words, Iterable):
        raise InputError(f"category {name!r} of the lexicon must have a list of words, got {shorten(words)}")
    if vocabulary is None and any(isinstance(word, str) for word in words):
        raise InputError(f"category {name!r} of the lexicon has words, but the columns have no names; give terms=")
    named = [word for word in words if not isinstance(word, str) or (vocabulary is None or word in vocabulary)]
    what = f"a word of category {name!r} of the lexicon"
    columns = dict.fromkeys(_column(word, vocabulary, n_terms, what) for word in named)  # each once
    return np.array(list(columns), dtype=np.int64)


def assign_categories(rows: np.ndarray, categories: Sequence[np.ndarray]) -> list[int | None]:
    """Return a category for each anchor: again and again the likeliest of all pairs left; each category goes to one.

    Anchors that are left over have none: a category of many would draw its words apart.

    Parameters
    ----------
    rows : array of shape (n_anchors, n_terms)
        The anchors' rows of the co-occurrence matrix.
    categories : sequence of int arrays
        The columns of the words of each.
    """
    scores = np.stack([rows[:, words].sum(axis=1) for words in categories], axis=1)
    assigned: list[int | None] = [None] * len(rows)
    for _ in range(min(scores.shape)):
        anchor, category = np.unravel_index(int(scores.argmax()), scores.shape)
        assigned[anchor] = int(category)
        scores[anchor], scores[:, category] = -1.0, -1.0
    return assigned


def prior_mean(assigned: Sequence[int | None], categories: Sequence[np.ndarray], n_terms: int) -> np.ndarray:
    """Return what a lexicon expects of each term: its share in each anchor's topic; zero for words of no category."""
    mean = np.zeros((n_terms, len(assigned)))
    for topic, category in enumerate(assigned):
        if category is not None:
            mean[categories[category], topic] = 1.0
    totals = mean.sum(axis=1, keepdims=True)
    return np.divide(mean, totals, out=mean, where=totals > 0)


def warn_of_empty(topic_shares: np.ndarray, anchors: Sequence[Anchor], vocabulary: Vocabulary | None) -> None:
    """Warn of topics of which no term has a share."""
    empty = np.flatnonzero(topic_shares <= 0.0).tolist()
    if empty:
        names = [" + ".join(name_of(column, vocabulary) for column in anchors[topic]) for topic in empty]
        warnings.warn(
            f"the other topics leave nothing to {len(empty)} of them, which hold the words of their anchors alone "
            f"({', '.join(names)}); choose anchors of which none lies between others",
            WaywordWarning,
            stacklevel=2,
        )
