"""Which terms tell what a theme, a subtopic or a document is about.

A subtopic gives its highest weights to terms that are common everywhere. The background topic of its theme says how
common they are, so terms are scored in four steps (chapter 6 of Suyunu, 2020):

1. direct term score (DTS), the share of a term in the subtopic, and background term score (BTS), its share in the
   background;
2. purity = DTS / (DTS + BTS): near 1 for terms of the subtopic, .5 for common terms, near 0 for foreign ones;
3. pure term score (PTS) = purity DTS;
4. theme term score (TTS) = (1 - purity ratio) DTS + purity ratio PTS.

At a ratio of 1 a term that is as common in the background still has half of its share, which is more than all of a rarer
one's. So terms are ranked, unless a ratio is given, by what the same line reaches at 2, (2 purity - 1) DTS: nothing for
a term that the background has as much of, all of its share for one that it lacks.

In a document, the shares of its terms are multiplied by the shares of the topics in it, and the other terms have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

import numpy as np
from scipy import sparse

from wayword.errors import InputError
from wayword.models.inputs import check_choice, check_number, check_whole
from wayword.models.theme_scores import (
    as_weights,
    beyond_background,
    check_weights,
    normalise_rows,
    share_against,
)

DEFAULT_PURITY_RATIO = 0.6

Aggregate = Literal["max", "sum"]
_AGGREGATES: dict[Aggregate, np.ufunc] = {"max": np.maximum, "sum": np.add}
# Scores that differ by less than this share of the highest are equal but for rounding, which differs by processor.
_ALIKE = 1e-9


def _mix(direct: np.ndarray, pure: np.ndarray, purity_ratio: float | None) -> np.ndarray:
    """Return theme term scores, equations 6.7 and 6.14, or how much terms tell beyond the background."""
    if purity_ratio is None:
        return beyond_background(direct, pure)
    ratio = float(purity_ratio)
    return (1.0 - ratio) * direct + ratio * pure


def _check_ratio(purity_ratio: Any) -> None:
    if purity_ratio is not None:
        check_number("purity_ratio", purity_ratio, most=1.0)


def _check_settings(purity_ratio: Any, aggregate: Any) -> None:
    _check_ratio(purity_ratio)
    check_choice("aggregate", aggregate, [*_AGGREGATES, None])


def _check_background(name: str, values: Any, **axis: int) -> np.ndarray:
    """Return weights of a background; those of none are zero."""
    return np.zeros(tuple(axis.values())) if values is None else check_weights(name, values, **axis)


def _shares_of_terms(subtopics: Any, background: Any) -> np.ndarray:
    """Return the share of each term in the subtopics and, as last row, in the background."""
    weights = check_weights("subtopics", subtopics, n_subtopics=None, n_terms=None)
    if not len(weights):
        raise InputError("subtopics must have one row or more, got none")
    common = _check_background("background", background, n_terms=weights.shape[1])
    return normalise_rows(np.vstack([weights, common]))


def _shares_of_topics(subtopic_weights: Any, background_weights: Any, **axes: int) -> np.ndarray:
    """Return the share in each document of the subtopics and, as last column, of the background."""
    weights = check_weights("subtopic_weights", subtopic_weights, **axes)
    common = _check_background("background_weights", background_weights, n_documents=len(weights))
    return normalise_rows(np.column_stack([weights, common]))


def _check_rows(name: str, values: Any) -> sparse.csr_matrix:
    """Return compressed rows of the entries above zero, by column; the argument stays as it is."""
    if not sparse.issparse(values):
        values = np.atleast_2d(as_weights(name, values))
    if values.ndim != 2:
        raise InputError(f"{name} must be a matrix with a column for each term, got shape {values.shape}")
    matrix = sparse.csr_matrix(values)
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    as_weights(name, matrix.data)
    return matrix


@dataclass(frozen=True, slots=True)
class TermScores:
    """Scores of the terms of one theme, step by step.

    Attributes
    ----------
    direct : array of shape (n_subtopics, n_terms)
        Share of each term in each subtopic; rows sum to one.
    background : array of shape (n_terms,)
        Share of each term in the background.
    purity : array of shape (n_subtopics, n_terms)
        The share in the subtopic over itself plus that in the background, from 0 to 1; 0 where both are 0.
    pure : array of shape (n_subtopics, n_terms)
        Purity times direct score.
    """

    direct: np.ndarray
    background: np.ndarray
    purity: np.ndarray
    pure: np.ndarray

    def at(self, purity_ratio: float | None) -> np.ndarray:
        """Return the theme term scores, an array of shape (n_subtopics, n_terms).

        Parameters
        ----------
        purity_ratio : float or None
            From 0, which is the direct score, to 1, which is the pure score. None for what each term has beyond the
            background: twice the pure score less the direct one, or zero if that is less.
        """
        _check_ratio(purity_ratio)
        return _mix(self.direct, self.pure, purity_ratio)


def term_scores(subtopics: Any, background: Any = None) -> TermScores:
    """Return every step from the weights of one theme's terms to their scores.

    Parameters
    ----------
    subtopics : array of shape (n_subtopics, n_terms)
        Weights of the terms in each subtopic. Only their shares within a subtopic matter.
    background : array of shape (n_terms,), optional
        Weights of the terms in the theme's background topic. Without it, every term of a subtopic has purity 1.

    Returns
    -------
    TermScores
        `direct`, `background`, `purity` and `pure` scores, and `at(purity_ratio)`, which mixes them.

    Examples
    --------
    >>> from wayword import term_scores
    >>> scores = term_scores([[6.0, 3.0, 1.0]], [5.0, 0.0, 5.0])
    >>> scores.purity.round(2)
    array([[0.55, 1.  , 0.17]])
    >>> scores.at(0.6).round(2)
    array([[0.44, 0.3 , 0.05]])
    """
    shares = _shares_of_terms(subtopics, background)
    direct, common = shares[:-1], shares[-1]
    purity = share_against(direct, common)
    return TermScores(direct, common, purity, purity * direct)


def theme_terms(
    subtopics: Any,
    background: Any = None,
    *,
    purity_ratio: float | None = None,
    aggregate: Aggregate | None = "max",
) -> np.ndarray:
    """Return how well each term tells what a theme is about.

    Parameters
    ----------
    subtopics : array of shape (n_subtopics, n_terms)
        Weights of the terms in each subtopic.
    background : array of shape (n_terms,), optional
        Weights of the terms in the theme's background topic.
    purity_ratio : float, optional
        0 ranks terms by their share in a subtopic, 1 by that share times purity; between them is a mixture. By default
        by what they have beyond the background, see `TermScores.at`; where nothing has any, as with 1.
    aggregate : {"max", "sum"}, optional
        How the scores of the subtopics become one score of the theme; None keeps them apart.

    Returns
    -------
    array of shape (n_terms,), or (n_subtopics, n_terms) without `aggregate`

    Examples
    --------
    >>> from wayword import theme_terms
    >>> theme_terms([[6.0, 3.0, 1.0], [5.0, 0.0, 5.0]], [5.0, 0.0, 5.0], aggregate="sum").round(2)
    array([0.05, 0.3 , 0.  ])
    """
    _check_settings(purity_ratio, aggregate)
    found = term_scores(subtopics, background)

    def score(ratio: float | None) -> np.ndarray:
        scores = found.at(ratio)
        return scores if aggregate is None else _AGGREGATES[aggregate].reduce(scores)

    scores = score(purity_ratio)
    if purity_ratio is None:
        scores = np.where(scores.any(axis=-1, keepdims=True), scores, score(1.0))
    return scores


def _score_entries(
    X: sparse.csr_matrix, shares: np.ndarray, topics: np.ndarray, purity_ratio: float | None
) -> Iterator[np.ndarray]:
    """Yield the scores of the entries of X for one subtopic after the other; the last topic is the background."""
    lengths = np.diff(X.indptr)

    def explain(topic: int) -> np.ndarray:
        return np.repeat(shares[:, topic], lengths) * topics[topic, X.indices]

    background = explain(-1)
    for topic in range(len(topics) - 1):
        direct = explain(topic)
        yield _mix(direct, share_against(direct, background) * direct, purity_ratio)


def _with_entries(X: sparse.csr_matrix, entries: np.ndarray) -> sparse.csr_matrix:
    """Return other entries in the places of X; places are copied, because scipy changes them in place."""
    return sparse.csr_matrix((entries, X.indices.copy(), X.indptr.copy()), shape=X.shape)


def document_terms(
    X: Any,
    subtopic_weights: Any,
    background_weights: Any,
    subtopics: Any,
    background: Any,
    *,
    purity_ratio: float | None = None,
    aggregate: Aggregate | None = None,
) -> list[sparse.csr_matrix] | sparse.csr_matrix:
    """Return how well each term of a document tells what the document is about, for one theme.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        Counts or weights of the terms; only where they are above zero matters.
    subtopic_weights : array of shape (n_documents, n_subtopics)
        Weights of the theme's subtopics in the documents.
    background_weights : array of shape (n_documents,), or None
        Weights of the theme's background in the documents.
    subtopics : array of shape (n_subtopics, n_terms)
        Weights of the terms in each subtopic.
    background : array of shape (n_terms,), or None
        Weights of the terms in the theme's background; None where `background_weights` is.
    purity_ratio : float, optional
        0 ranks terms by their share in a subtopic, 1 by that share times purity; between them is a mixture. By default
        by what they have beyond the background, see `TermScores.at`.
    aggregate : {"max", "sum"}, optional
        How the scores of the subtopics become one score of the theme; None keeps them apart.

    Returns
    -------
    list of n_subtopics sparse matrices of shape (n_documents, n_terms), or one such matrix with `aggregate`
        Compressed rows with the entries of X above zero, of which some may be zero.
    """
    _check_settings(purity_ratio, aggregate)
    if (background_weights is None) != (background is None):
        raise InputError("expected both background_weights and background, or None for both; got one of them")
    counts, topics = _check_rows("X", X), _shares_of_terms(subtopics, background)
    if counts.shape[1] != topics.shape[1]:
        raise InputError(f"X must have the {topics.shape[1]} terms of subtopics, got {counts.shape[1]} columns")
    axes = {"n_documents": counts.shape[0], "n_subtopics": len(topics) - 1}
    shares = _shares_of_topics(subtopic_weights, background_weights, **axes)
    scored = _score_entries(counts, shares, topics, purity_ratio)
    if aggregate is None:
        return [_with_entries(counts, entries) for entries in scored]
    return _with_entries(counts, reduce(_AGGREGATES[aggregate], scored))


def _order(values: np.ndarray) -> np.ndarray:
    """Return the places of scores, the highest first, and of scores that are alike the first."""
    steps = np.round(values / (_ALIKE * values.max(initial=np.finfo(np.float64).tiny)))
    return np.argsort(-steps, kind="stable")


def top_terms(scores: Any, terms: Sequence[str], n: int = 10) -> list[list[tuple[str, float]]]:
    """Return the best terms of each row of scores.

    Parameters
    ----------
    scores : matrix of shape (n_rows, n_terms), or array of shape (n_terms,)
        Dense or sparse scores of 0 or more, as `theme_terms` and `document_terms` return them.
    terms : sequence of str
        The term of each column, for example a `Vocabulary`.
    n : int
        The most terms of a row.

    Returns
    -------
    list of list of (str, float)
        For each row its terms and scores, the best first. Of scores that are equal, but for rounding, the
        first column is first, and terms without score are left out.

    Examples
    --------
    >>> from wayword import top_terms
    >>> top_terms([[0.0, 0.25, 0.5, 0.25]], ["bath", "bed", "room", "view"], n=2)
    [[('room', 0.5), ('bed', 0.25)]]
    """
    check_whole("n", n)
    rows = _check_rows("scores", scores).astype(np.float64)
    if rows.shape[1] != len(terms):
        raise InputError(f"terms must name each of {rows.shape[1]} columns of scores, got {len(terms)}")
    found = []
    for start, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        columns, values = rows.indices[start:end], rows.data[start:end]
        best = _order(values)[:n]
        found.append([(str(terms[int(columns[k])]), float(values[k])) for k in best])
    return found
