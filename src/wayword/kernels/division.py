"""Divide the entries of a matrix among topics, and count what each document and each term got.

One sweep of collapsed variational Bayes to zeroth order (Asuncion et al. 2009), with the counts of the sweep before.
What an entry itself had of them is worked out again rather than kept, so that memory does not grow with the number of
entries times the number of topics.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_FAST = {"reassoc", "contract", "nsz", "arcp"}
# Loops over topics are done so many at once where there are enough of them; what is left over is done one by one.
_AT_ONCE, _FEW = 32, 16


def pad_topics(factor: np.ndarray) -> np.ndarray:
    """Return a factor in single precision, with topics of zeros up to a number that is quick to work with."""
    n_topics = factor.shape[-1]
    if n_topics <= _FEW:
        return factor.astype(np.float32)
    padded = np.zeros((*factor.shape[:-1], -(-n_topics // _AT_ONCE) * _AT_ONCE), dtype=np.float32)
    padded[..., :n_topics] = factor
    return padded


@njit(nogil=True, cache=True, fastmath=_FAST)
def divide_rows(first, last, indptr, indices, data, documents, terms, inverses, alpha, eta, by_document, by_term):
    """Divide every entry of rows `first` to `last` by what its document and its term have of each topic besides it.

    All numbers are in single precision; `pad_topics` gives the arrays a shape that is quick to work with.

    Parameters
    ----------
    indptr, indices, data : arrays
        X in compressed rows.
    documents : float32 array of shape (n_rows, n_topics)
        What each document had of each topic, and `alpha` besides.
    terms : float32 array of shape (n_terms, n_topics)
        What each term had of each topic, and `eta` besides.
    inverses : float32 array of shape (n_topics,)
        One over the sums of `terms`; zero for a topic that gets nothing.
    alpha : float32 array of shape (n_topics,)
        What a document has of each topic before anything is counted.
    eta : float32
        What a term has of each topic before anything is counted; above zero.
    by_document : float32 array of shape (n_rows, n_topics)
        Written: what each topic got of each row.
    by_term : float32 array of shape (n_terms, n_topics)
        What each topic got of each term is added.
    """
    n_topics = documents.shape[1]
    squares = inverses * inverses
    # Loops either write or add up. One that did both would add up several topics at once only where the compiler's check
    # finds the arrays far enough apart in memory, so that its bits would depend on where they happen to lie.
    liked, shares, got = np.empty_like(inverses), np.empty_like(inverses), np.empty_like(inverses)
    for row in range(first, last):
        for topic in range(n_topics):
            liked[topic] = documents[row, topic]
            got[topic] = 0.0
        for place in range(indptr[row], indptr[row + 1]):
            term, taken, x = terms[indices[place]], by_term[indices[place]], data[place]
            for topic in range(n_topics):
                shares[topic] = liked[topic] * term[topic] * inverses[topic]
            total = np.float32(0.0)
            for topic in range(n_topics):
                total += shares[topic]
            # About what the entry had before, which is not to speak for itself.
            scale = x / total
            for topic in range(n_topics):
                own = scale * shares[topic]
                share = max(liked[topic] - own, alpha[topic]) * max(term[topic] - own, eta)
                # 1 / (sum - own) to first order: own is a small part, and dividing takes longest.
                shares[topic] = share * (inverses[topic] + own * squares[topic])
            total = np.float32(0.0)
            for topic in range(n_topics):
                total += shares[topic]
            scale = x / total
            for topic in range(n_topics):
                share = scale * shares[topic]
                got[topic] += share
                taken[topic] += share
        for topic in range(n_topics):
            by_document[row, topic] = got[topic]
