"""Labels as models take them: what is told, about which documents.

`y` may be one name for each document, a list of names for each document, or a matrix of documents by labels with 1
where a label applies. A document is unlabelled where its name is None, NaN or -1, its list is None or empty, its row
is all -1 or NaN, or all 0. In a matrix with any -1 or NaN, which mark what is unknown, 0 says that a label does not
apply, and a row of zeros that none does.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy import sparse

from wayword.errors import InputError, WaywordWarning, shorten

Kind = Literal["single", "lists", "indicator"]
_UNKNOWN = -1
# Nothing is certain.
_LEAST_CHANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Labels:
    """What a model is told.

    Attributes
    ----------
    names : array of shape (n_labels,)
        The labels, sorted; for a matrix without names of its columns, their numbers.
    indicator : bool array of shape (n_documents, n_labels)
        Where a label is known to apply.
    known : bool array of shape (n_documents, n_labels)
        Where it is known whether a label applies.
    kind : {"single", "lists", "indicator"}
        How they were given, so that answers can be given in kind.
    """

    names: np.ndarray
    indicator: np.ndarray
    known: np.ndarray
    kind: Kind

    @property
    def allowed(self) -> np.ndarray:
        """Labels that may apply to each document: those told, and all that nothing is told about."""
        return self.indicator | ~self.known

    @property
    def labelled(self) -> np.ndarray:
        """Documents about which anything is told: bool array of shape (n_documents,)."""
        return np.asarray(self.known.any(axis=1))

    def rates(self, weights: np.ndarray) -> np.ndarray:
        """Return how many of the documents of which it is known have each label, by weight, and as if half of one more."""
        return (weights @ self.indicator + 0.5) / (weights @ self.known + 1.0)

    def with_absent_known(self) -> Labels:
        """Return the same, where a label that no document is told to have does not apply to any that has others."""
        absent = ~self.indicator.any(axis=0)
        return Labels(self.names, self.indicator, self.known | np.outer(self.labelled, absent), self.kind)

    def of(self, documents: np.ndarray) -> Labels:
        """Return what is told about some documents."""
        return Labels(self.names, self.indicator[documents], self.known[documents], self.kind)

    def without(self, documents: np.ndarray) -> Labels:
        """Return the same with nothing told about some documents."""
        indicator, known = self.indicator.copy(), self.known.copy()
        indicator[documents] = known[documents] = False
        return Labels(self.names, indicator, known, self.kind)


def answer_in_kind(names: np.ndarray, kind: Kind, chances: np.ndarray) -> Any:
    """Return the likeliest name of each document, or all that are likelier than not, as lists or as a matrix."""
    if kind == "single":
        return names[chances.argmax(axis=1)]
    applies = chances >= 0.5
    if kind == "indicator":
        return applies.astype(np.int64)
    return [names[row].tolist() for row in applies]


def odds_against(shares: np.ndarray, threshold: float) -> np.ndarray:
    """Return shares as probabilities by their odds against those of a threshold, which becomes one half."""
    shares = np.clip(shares, _LEAST_CHANCE, 1.0 - _LEAST_CHANCE)
    threshold = float(np.clip(threshold, _LEAST_CHANCE, 1.0 - _LEAST_CHANCE))
    for_it, against = shares * (1.0 - threshold), (1.0 - shares) * threshold
    return np.clip(for_it / (for_it + against), _LEAST_CHANCE, 1.0 - _LEAST_CHANCE)


def best_threshold(scores: np.ndarray, labels: Labels) -> float:
    """Return the score from which on labels are best taken to apply: that of the highest F1 over all that is told."""
    told, truth = scores[labels.known], labels.indicator[labels.known]
    if not truth.any():
        return 0.5
    order = np.argsort(-told, kind="stable")
    ranked, hits = told[order], np.cumsum(truth[order])
    # Equal scores apply together or not at all.
    ends = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)
    best = ends[(2.0 * hits[ends] / (ends + 1 + hits[-1])).argmax()]
    # Half way to the next score below, so that it is as far from what is to apply as from what is not.
    below = ranked[best + 1] if best + 1 < len(ranked) else 0.0
    return float(0.5 * (ranked[best] + below))


def share_of_right_answers(answers: Any, y: Any, kind: Kind, weights: np.ndarray | None = None) -> float:
    """Return for how many of the labelled documents all labels, and no others, were found."""
    truth = read_labels(y, len(answers))
    if (truth.kind == "indicator") != (kind == "indicator"):
        raise InputError(f"y must be of the kind that fit was given ({kind}), got {truth.kind}")
    if kind == "indicator":
        if truth.indicator.shape != np.shape(answers):
            raise InputError(f"y must have the {np.shape(answers)[1]} columns of fit, got {len(truth.names)}")
        right = ((np.asarray(answers, dtype=bool) == truth.indicator) | ~truth.known).all(axis=1)
    else:
        named = [set(truth.names[row].tolist()) for row in truth.indicator]
        found = [set(row) if kind == "lists" else {row} for row in answers]
        right = np.array([a == b for a, b in zip(found, named, strict=True)])
    counts = truth.labelled * (1.0 if weights is None else weights)
    if not counts.any():
        raise InputError("no document of y has a label, so there is nothing to score")
    return float(np.average(right, weights=counts))


def _is_missing(value: Any) -> bool:
    """Whether a name stands for no name."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # pandas' own, without importing it
        return True
    if isinstance(value, Real) and value != value:  # NaN differs from itself
        return True
    return isinstance(value, Real) and not isinstance(value, bool) and value == _UNKNOWN


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def _sort_names(names: set[Any]) -> list[Any]:
    try:
        return sorted(names)
    except TypeError:
        kinds = sorted({type(name).__name__ for name in names})
        raise InputError(f"labels must be of one kind, got {' and '.join(kinds)}; use strings") from None


def _as_array(names: list[Any]) -> np.ndarray:
    """Return the names of labels as an array, which drops what texts end in where that is NUL."""
    if ended := [name for name in names if isinstance(name, str) and name.endswith("\0")]:
        raise InputError(f"a label must not end in the character NUL, got {shorten(ended[0])}; leave that out")
    return np.array(names) if names else np.array([], dtype=str)


def _from_lists(y: Sequence[Any], kind: Kind) -> Labels:
    lists = [[] if value is None else [name for name in value if not _is_missing(name)] for value in y]
    if odd := [name for row in lists for name in row if _is_list(name)]:
        raise InputError(f"a label must be a name or a number, got {shorten(odd[0])}")
    names = _sort_names({name for row in lists for name in row})
    places = {name: place for place, name in enumerate(names)}
    indicator = np.zeros((len(lists), len(names)), dtype=bool)
    for document, row in enumerate(lists):
        indicator[document, [places[name] for name in row]] = True
    known = np.repeat(indicator.any(axis=1, keepdims=True), len(names), axis=1)
    return Labels(_as_array(names), indicator, known, kind)


def _is_fraction(value: Any) -> bool:
    return isinstance(value, Real) and not _is_missing(value) and not float(value).is_integer()


def _from_texts(names: list[str]) -> Labels:
    known = sorted(set(names))
    places = {name: place for place, name in enumerate(known)}
    indicator = np.zeros((len(names), len(known)), dtype=bool)
    indicator[np.arange(len(names)), [places[name] for name in names]] = True
    return Labels(_as_array(known), indicator, np.ones_like(indicator), "single")


def _from_names(names: list[Any]) -> Labels:
    if set(map(type, names)) == {str}:  # nothing to look out for
        return _from_texts(names)
    for value in names:
        if _is_fraction(value):
            raise InputError(f"Unknown label type: labels must be names or whole numbers, got {shorten(value)}")
    labels = _from_lists([None if _is_missing(name) else [name] for name in names], "single")
    if any(isinstance(name, Real) and name == _UNKNOWN for name in names):
        _warn_of_one(labels.names)
    return labels


def _warn_of_one(names: np.ndarray) -> None:
    if len(names) == 1:
        warnings.warn(
            f"y names one label, {names[0]}, beside -1, which stands for no label; if it is a label, give it another name",
            WaywordWarning,
            stacklevel=5,
        )


def _is_plain_array(y: Any) -> bool:
    """Whether there is a whole number, a text or yes or no for each document, and nothing to look out for."""
    return isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biuU" and len(y) > 0


def _is_plain_matrix(y: np.ndarray) -> bool:
    """Whether there are numbers for each document and for two labels or more, all of one kind."""
    return y.ndim == 2 and y.dtype.kind in "biuf" and y.shape[0] > 0 and y.shape[1] >= 2


def _from_array(y: np.ndarray) -> Labels:
    """Return the labels of an array of whole numbers, texts, or yes and no."""
    told = y != _UNKNOWN if y.dtype.kind in "iu" else np.ones(len(y), dtype=bool)
    names, places = np.unique(y[told], return_inverse=True)
    indicator = np.zeros((len(y), len(names)), dtype=bool)
    indicator[np.flatnonzero(told), places] = True
    if not told.all():
        _warn_of_one(names)
    return Labels(names, indicator, np.repeat(told[:, None], len(names), axis=1), "single")


def _from_matrix(y: np.ndarray, names: np.ndarray) -> Labels:
    values = y.astype(np.float64)
    unknown = np.isnan(values) | (values == _UNKNOWN)
    odd = values[~unknown & (values != 0) & (values != 1)]
    if odd.size:
        raise InputError(
            f"a matrix of labels holds 0, 1, and -1 for unknown, got {odd[0]:g}; write names in lists as strings"
        )
    indicator = np.equal(values, 1)
    known = ~unknown & indicator.any(axis=1, keepdims=True)
    # Who writes down what is unknown means by 0 that a label does not apply, in a row of nothing else, too.
    known |= ~unknown & unknown.any()
    return Labels(names, indicator, known, "indicator")


def _as_numbers(rows: list[Any]) -> np.ndarray | None:
    """Return rows of two or more numbers each, with NaN where one is missing, or None for anything else."""
    if not rows or not all(_is_list(row) and len(row) == len(rows[0]) for row in rows) or len(rows[0]) < 2:
        return None
    values = [[np.nan if _is_missing(value) else value for value in row] for row in rows]
    if not all(isinstance(value, Real) for row in values for value in row):
        return None
    return np.array(values, dtype=np.float64)


def _check_length(y: Any, n_documents: int) -> None:
    shape: tuple[int, ...] = tuple(y.shape) if hasattr(y, "shape") else (len(y),)
    if len(shape) not in (1, 2):
        raise InputError(f"y must be names, lists of names, or a matrix of documents by labels, got shape {shape}")
    if shape[0] != n_documents:
        raise InputError(f"y must have labels for each of {n_documents} documents, got {shape[0]}")


def _with_gaps(y: Any) -> Any:
    """Return labels of which some are missing, which other libraries keep beside them, as objects with None."""
    if isinstance(y, np.ma.MaskedArray):
        if not y.mask.any():
            return np.asarray(y)
        objects = np.array(y, dtype=object)
        objects[np.ma.getmaskarray(y)] = None
        return objects
    if hasattr(y, "dtype") and hasattr(y, "astype") and type(y.dtype).__module__.startswith("pandas"):
        return y.astype(object)  # whole numbers would become fractions
    return y


def read_labels(y: Any, n_documents: int) -> Labels:
    """Return what `y` tells about documents.

    Parameters
    ----------
    y : names, lists of names, matrix, or None
        See the top of this module; None tells nothing. Lists of numbers, all of one length of two or more, are a matrix.
    n_documents : int
        How many documents there are.
    """
    if y is None:
        y = [None] * n_documents
    if isinstance(y, Mapping | Set | str):
        raise InputError(f"y must have an entry for each document, in their order, got {shorten(y)}; give a list")
    if not hasattr(y, "__len__"):
        y = list(y) if isinstance(y, Iterator) else np.asarray(y)
    y = _with_gaps(y)
    _check_length(y, n_documents)
    if _is_plain_array(y):
        return _from_array(y)
    columns = getattr(y, "columns", None)
    is_array = hasattr(y, "shape")
    array = y.toarray() if sparse.issparse(y) else np.asarray(y) if is_array else None
    plain = array is not None and _is_plain_matrix(array)
    values = [] if plain else list(y) if array is None else array.tolist()
    matrix = array if plain else _as_numbers(values)
    if matrix is not None:
        names = np.arange(matrix.shape[1]) if columns is None else np.array([str(name) for name in columns])
        if len(set(names.tolist())) < len(names):
            raise InputError(f"each column of y must have a name of its own, got {shorten(names.tolist())}")
        return _from_matrix(matrix, names)
    if is_array and len(y.shape) == 2 and y.shape[1] == 1:
        values = [row[0] for row in values]
    if any(_is_list(value) for value in values):
        return _from_lists(_check_lists(values), "lists")
    return _from_names(values)


def _check_lists(values: list[Any]) -> list[Any]:
    values = [None if not _is_list(value) and _is_missing(value) else value for value in values]
    if odd := [value for value in values if not (_is_list(value) or value is None)]:
        raise InputError(f"y mixes lists of names with single names such as {shorten(odd[0])}; use lists throughout")
    return values
