"""How much more often terms share documents than chance would have it."""

from __future__ import annotations

import numpy as np
from scipy import sparse


def associate(joint: np.ndarray, never: float) -> np.ndarray:
    """Return the normalised pointwise mutual information of terms.

    `joint` is the share of documents that hold each two terms; on its diagonal, each one.
    """
    alone = np.diag(joint)
    scores = np.where(joint > 0, 1.0, never)
    some = (joint > 0) & (joint < 1)
    scores[some] = np.log(joint[some] / np.outer(alone, alone)[some]) / -np.log(joint[some])
    return scores


def association(X: sparse.spmatrix, columns: np.ndarray, *, never: float = -1.0) -> np.ndarray:
    """Return the normalised pointwise mutual information of some terms, each with each.

    log(P_ij / (P_i P_j)) / -log P_ij, where P counts the documents that hold the terms: 1 for terms that always come
    together, 0 for terms that meet by chance.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
    columns : int array of shape (n_chosen,)
        The terms.
    never : float
        What terms get that never meet.

    Returns
    -------
    array of shape (n_chosen, n_chosen)
    """
    held = sparse.csc_matrix(X)[:, columns] > 0
    held = sparse.csc_matrix(held, dtype=np.float64)
    return associate((held.T @ held).toarray() / max(X.shape[0], 1), never)
