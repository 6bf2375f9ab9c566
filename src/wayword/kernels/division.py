"""Divide the entries of a matrix among topics, and count what each document and each term got.

One sweep of collapsed variational Bayes to zeroth order (Asuncion et al. 2009), with the counts of the sweep before:
nothing is kept for single entries, so memory does not grow with their number times the number of topics.
"""

from __future__ import annotations

from numba import njit

_FAST = {"reassoc", "contract", "nsz", "arcp"}


@njit(nogil=True, cache=True, fastmath=_FAST)
def divide_rows(first, last, indptr, indices, data, documents, terms, by_document, by_term):
    """Divide every entry of rows `first` to `last` in proportion to its document's and its term's liking of topics.

    Parameters
    ----------
    indptr, indices, data : arrays
        X in compressed rows.
    documents : float64 array of shape (n_rows, n_topics)
        How much each document likes each topic; above zero.
    terms : float64 array of shape (n_terms, n_topics)
        How much each term likes each topic; above zero.
    by_document : float64 array of shape (n_rows, n_topics)
        Written: what each topic got of each row.
    by_term : float64 array of shape (n_terms, n_topics)
        What each topic got of each term is added.
    """
    n_topics = documents.shape[1]
    for row in range(first, last):
        liked, got = documents[row], by_document[row]
        got[:] = 0.0
        for place in range(indptr[row], indptr[row + 1]):
            term = terms[indices[place]]
            total = 0.0
            for topic in range(n_topics):
                total += liked[topic] * term[topic]
            scale = data[place] / total
            taken = by_term[indices[place]]
            for topic in range(n_topics):
                share = scale * liked[topic] * term[topic]
                got[topic] += share
                taken[topic] += share
