"""Divide the entries of a matrix among topics, and count what each document and each term got.

One sweep of collapsed variational Bayes to zeroth order (Asuncion et al. 2009), with the counts of the sweep before.
What an entry itself had of them is worked out again rather than kept, so that memory does not grow with the number of
entries times the number of topics.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_FAST = {"reassoc", "contract", "nsz", "arcp"}


@njit(nogil=True, cache=True, fastmath=_FAST)
def divide_rows(first, last, indptr, indices, data, documents, terms, totals, alpha, eta, by_document, by_term):
    """Divide every entry of rows `first` to `last` by what its document and its term have of each topic besides it.

    Parameters
    ----------
    indptr, indices, data : arrays
        X in compressed rows.
    documents : float64 array of shape (n_rows, n_topics)
        What each document had of each topic, and `alpha` besides.
    terms : float64 array of shape (n_terms, n_topics)
        What each term had of each topic, and `eta` besides.
    totals : float64 array of shape (n_topics,)
        The sums of `terms`.
    alpha : float64 array of shape (n_topics,)
        What a document has of each topic before anything is counted; above zero.
    eta : float
        What a term has of each topic before anything is counted; above zero.
    by_document : float64 array of shape (n_rows, n_topics)
        Written: what each topic got of each row.
    by_term : float64 array of shape (n_terms, n_topics)
        What each topic got of each term is added.
    """
    n_topics = documents.shape[1]
    inverses = 1.0 / totals
    # Arrays of their own, which nothing else can point to: loops over them are done several topics at once.
    liked, shares, got = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    for row in range(first, last):
        for topic in range(n_topics):
            liked[topic] = documents[row, topic]
            got[topic] = 0.0
        for place in range(indptr[row], indptr[row + 1]):
            term, taken, x = terms[indices[place]], by_term[indices[place]], data[place]
            total = 0.0
            for topic in range(n_topics):
                share = liked[topic] * term[topic] * inverses[topic]
                shares[topic] = share
                total += share
            # About what the entry had before, which is not to speak for itself.
            scale = x / total
            total = 0.0
            for topic in range(n_topics):
                own = scale * shares[topic]
                share = max(liked[topic] - own, alpha[topic]) * max(term[topic] - own, eta)
                # 1 / (total - own) to first order: own is a small part, and dividing takes longest.
                share *= inverses[topic] * (1.0 + own * inverses[topic])
                shares[topic] = share
                total += share
            scale = x / total
            for topic in range(n_topics):
                share = scale * shares[topic]
                got[topic] += share
                taken[topic] += share
        for topic in range(n_topics):
            by_document[row, topic] = got[topic]
