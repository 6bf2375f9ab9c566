"""Documents to learn from and documents to test on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np

from wayword.corpus.splitting import divide
from wayword.errors import InputError, shorten
from wayword.models.labels import read_labels


def _list_names(y: Any) -> list[list[Any]]:
    """Return the names of the labels of each document."""
    if y is None or isinstance(y, str):
        raise InputError(f"y must be the labels of documents, got {shorten(y)}")
    y = list(y) if isinstance(y, Iterator) else y
    n_documents = y.shape[0] if hasattr(y, "shape") and y.shape else len(y)
    labels = read_labels(y, n_documents)
    return [labels.names[row].tolist() for row in labels.indicator]


def _check_share(share: Any) -> None:
    if not isinstance(share, Real) or not 0.0 < float(share) < 1.0:
        raise InputError(f"train_share must lie between 0 and 1, got {shorten(share)}")


def split_documents(y: Any, train_share: float, *, random_state: int | None = 0) -> tuple[np.ndarray, np.ndarray]:
    """Divide documents at random so that every label is both in those to learn from and in those to test on.

    A label of one document only is among those to learn from. Where documents have several labels, one may stay on a
    side if each of its documents is needed there: for a label of one document, or for one with no other there, unless
    documents can be exchanged for it.

    Parameters
    ----------
    y : names, lists of names, or matrix of documents by labels
        The labels of each document; those without one fall anywhere.
    train_share : float
        Share of the documents to learn from, between 0 and 1. The numbers are rounded and at least one on each side,
        unless the labels ask for others.
    random_state : int or None
        Seed. The same seed gives the same division, and that of `Corpus.split` where every label has two documents;
        None draws another each time.

    Returns
    -------
    train, test : int arrays
        Positions of the documents, sorted.

    Examples
    --------
    >>> from wayword import split_documents
    >>> train, test = split_documents(["tea", "rice", "tea", "rice", "tea", "tea"], 0.5)
    >>> len(train), len(test), 1 in train, 3 in train
    (3, 3, False, True)
    """
    _check_share(train_share)
    labels = _list_names(y)
    if len(labels) < 2:
        raise InputError(f"there must be 2 documents or more to divide, got {len(labels)}")
    totals = Counter(chain.from_iterable(labels))
    alone = {position for position, names in enumerate(labels) if any(totals[name] == 1 for name in names)}
    if len(alone) == len(labels):
        raise InputError("each document is the only one of a label, so none is left to test on; give more documents")
    order: list[int] = np.random.default_rng(random_state).permutation(len(labels)).tolist()
    n_train = min(max(round(train_share * len(labels)), 1), len(labels) - 1)
    train, test = divide(labels, order, n_train, alone)
    return np.array(train, dtype=np.intp), np.array(test, dtype=np.intp)
