"""Where themes start: bCool, means of their documents, or at random.

bCool (Suyunu, chapter 4) makes each subtopic from dense documents of its theme, and the background from the densest of
all themes. The steps: group the documents by theme; sort each group by density, the number of distinct terms; keep
the denser half, but no fewer than there are subtopics; cut it into as many parts of equal density as there are
subtopics; where a theme has fewer documents than that, fill the other parts with documents of any theme, drawn by
their densities; take the means.

What the means hold nothing of stays zero under multiplicative steps, as in the thesis's program: a subtopic keeps to the
terms of the documents that it started from, whatever unlabelled documents say. Newton steps start from a little of all.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

STARTS = ("bcool", "mean", "random")
# What every term has in every topic at least, as a share of the mean document, unless zeros are to stay.
_FLOOR = 1e-2
_TINY = np.finfo(np.float64).tiny


def densest(documents: np.ndarray, densities: np.ndarray, share: float, least: int = 1) -> np.ndarray:
    """Return that share of some documents, or so many at least, that holds the most distinct terms, densest first."""
    order = documents[np.argsort(-densities[documents], kind="stable")]
    return order[: max(int(np.ceil(share * len(order))), least)]


def cut_evenly(densities: np.ndarray, n_parts: int) -> list[np.ndarray]:
    """Return positions cut into parts of about the same sum of densities, none empty while there are enough."""
    n = len(densities)
    reached = np.cumsum(densities, dtype=np.float64)
    wanted = reached[-1] * np.arange(1, n_parts) / n_parts if n else np.zeros(n_parts - 1)
    cuts = np.searchsorted(reached, wanted - 1e-9) + 1
    for part in range(n_parts - 1):  # leave one for each part before and after, as far as they go
        least = cuts[part - 1] + 1 if part else 1
        cuts[part] = min(max(cuts[part], least), max(n - (n_parts - 1 - part), part + 1))
    return np.split(np.arange(n), np.minimum(cuts, n))


def _mean_of(X: sparse.csr_matrix, documents: np.ndarray) -> np.ndarray:
    return np.asarray(X[documents].mean(axis=0)).ravel()


def start_bcool(
    X: sparse.csr_matrix, groups: list[np.ndarray], pool: np.ndarray, n_subtopics: list[int], rng: np.random.RandomState
) -> tuple[list[np.ndarray], np.ndarray]:
    """Return subtopics of each group of documents, and a background, by the seven steps of bCool.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        The documents.
    groups : list of int arrays
        The documents of each theme; one of several themes is in several groups.
    pool : int array
        Documents that may fill parts for which a theme has too few.
    n_subtopics : list of int
        Subtopics of each theme.
    rng : RandomState
        Draws the documents that fill.

    Returns
    -------
    list of arrays of shape (n_subtopics, n_terms), and array of shape (n_terms,)
    """
    densities = np.diff(X.indptr)
    chances = densities[pool] / max(densities[pool].sum(), 1)
    drawable = max(int((chances > 0).sum()), 1)
    themes = []
    for documents, n_parts in zip(groups, n_subtopics, strict=True):
        kept = densest(documents, densities, 0.5, least=n_parts)
        # As many as a part of a theme of the usual size holds.
        n_fill = min(max(1, round(len(pool) / (2 * len(groups) * n_parts))), drawable)
        parts = [kept[part] for part in cut_evenly(densities[kept], n_parts)]
        for place, part in enumerate(parts):
            if not len(part):
                drawn = rng.choice(pool, n_fill, replace=False, p=chances) if chances.any() else pool[:1]
                parts[place] = np.sort(drawn)
        themes.append(np.stack([_mean_of(X, part) for part in parts]))
    common = np.unique(np.concatenate([densest(documents, densities, 0.25) for documents in groups]))
    return themes, _mean_of(X, common)


def _start_by_means(
    X: sparse.csr_matrix, groups: list[np.ndarray], pool: np.ndarray, n_subtopics: list[int], rng: np.random.RandomState
) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the mean of each theme's documents, shaken a little so that subtopics part, and the mean of all."""
    themes = [
        _mean_of(X, documents) * rng.uniform(0.5, 1.5, (n_parts, X.shape[1]))
        for documents, n_parts in zip(groups, n_subtopics, strict=True)
    ]
    return themes, _mean_of(X, pool)


def _start_at_random(
    X: sparse.csr_matrix, groups: list[np.ndarray], pool: np.ndarray, n_subtopics: list[int], rng: np.random.RandomState
) -> tuple[list[np.ndarray], np.ndarray]:
    """Return topics drawn evenly from zero to one."""
    del groups, pool
    return [rng.uniform(size=(n_parts, X.shape[1])) for n_parts in n_subtopics], rng.uniform(size=X.shape[1])


def start_themes(
    X: sparse.csr_matrix,
    groups: list[np.ndarray],
    pool: np.ndarray,
    n_subtopics: list[int],
    init: str,
    rng: np.random.RandomState,
    *,
    keep_zeros: bool = False,
) -> tuple[list[np.ndarray], np.ndarray]:
    """Return subtopics of each theme and a background to start from, none of them zero anywhere unless zeros are kept."""
    makers = {"bcool": start_bcool, "mean": _start_by_means, "random": _start_at_random}
    themes, background = makers[init](X, groups, pool, n_subtopics, rng)
    if keep_zeros:
        return themes, background
    floor = _FLOOR * _mean_of(X, pool) + _TINY
    return [theme + floor for theme in themes], background + floor
