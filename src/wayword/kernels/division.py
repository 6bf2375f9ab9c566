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
        What each document had of each topic.
    terms : float64 array of shape (n_terms, n_topics)
        What each term had of each topic.
    totals : float64 array of shape (n_topics,)
        What all terms had of each topic, and `eta` for each.
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
    shares = np.empty(n_topics)
    for row in range(first, last):
        liked, got = documents[row], by_document[row]
        got[:] = 0.0
        for place in range(indptr[row], indptr[row + 1]):
            term, x = terms[indices[place]], data[place]
            total = 0.0
            for topic in range(n_topics):
                shares[topic] = (liked[topic] + alpha[topic]) * (term[topic] + eta) * inverses[topic]
                total += shares[topic]
            # About what the entry had before, which is not to speak for itself.
            scale = x / total
            total = 0.0
            for topic in range(n_topics):
                own = scale * shares[topic]
                others = (max(liked[topic] - own, 0.0) + alpha[topic]) * (max(term[topic] - own, 0.0) + eta)
                # 1 / (total - own) to first order: own is a small part, and dividing takes longest.
                shares[topic] = others * inverses[topic] * (1.0 + own * inverses[topic])
                total += shares[topic]
            scale = x / total
            taken = by_term[indices[place]]
            for topic in range(n_topics):
                share = scale * shares[topic]
                got[topic] += share
                taken[topic] += share
