"""Which terms tell a label from the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from wayword.corpus.vocabulary import Vocabulary
from wayword.errors import InputError


def label_terms(
    counts: sparse.csr_matrix, labels: Sequence[Sequence[str]], vocabulary: Vocabulary, *, n_terms: int = 10
) -> dict[str, list[tuple[str, float]]]:
    """Return the terms most specific to each label.

    A term scores the share of the label's documents that hold it times the log of how many times larger that share
    is than among all other documents (both smoothed by one document), so that it must be frequent in the label and
    rare outside.

    Parameters
    ----------
    counts : sparse matrix of shape (n_documents, n_terms)
        How often each term occurs in each document.
    labels : sequence of sequence of str
        Names of the labels of each document.
    vocabulary : Vocabulary
        The term of each column.
    n_terms : int
        How many terms to return for each label.

    Returns
    -------
    dict of str to list of (str, float)
        For each label, in alphabetical order, its terms and scores, the most specific first.
    """
    if counts.shape != (len(labels), len(vocabulary)):
        raise InputError(
            f"counts of shape {counts.shape} do not fit {len(labels)} labelled documents and {len(vocabulary)} terms"
        )
    present = sparse.csr_matrix(counts > 0, dtype=np.float64)
    everywhere = np.asarray(present.sum(axis=0)).ravel()
    found = {}
    for name in sorted({name for names in labels for name in names}):
        inside = np.array([name in names for names in labels])
        within = np.asarray(present[inside].sum(axis=0)).ravel()
        share = within / inside.sum()
        outside = (everywhere - within + 1.0) / (len(labels) - inside.sum() + 1.0)
        scores = share * np.log((share + 1.0 / inside.sum()) / outside)
        best = np.argsort(-scores, kind="stable")[:n_terms]
        found[name] = [(vocabulary[int(k)], float(scores[k])) for k in best if scores[k] > 0]
    return found
