"""Make a co-occurrence matrix what the model says it is.

Sampling noise leaves the estimate neither of low rank nor positive semidefinite. Three projections in turn bring it
there: the best part of rank K that is positive semidefinite, a sum of one, no entry below zero (Lee, Bindel and
Mimno). Anchors found in the result hardly depend on which rare terms may be candidates.
"""

from __future__ import annotations

import numpy as np

from wayword.kernels.threads import map_in_order, one_blas_thread
from wayword.matrix.cooccurrence import Cooccurrence
from wayword.progress import Progress, ignore

_ROUNDS = 15
_ROWS_AT_ONCE = 256
# Directions beyond the rank make those within it settle sooner: so many, or this share of the rank if that is more. With
# half of them and a quarter of the sweeps the result is ten percent off on newsgroups; with these, less than one.
_BEYOND, _SHARE_BEYOND = 20, 0.5
_FIRST_SWEEPS = 16
_EXACT_TERMS = 2000
# What rectifying changes by less than this share, in single and in double precision, is what the model says already;
# rounding would make it worse.
_UNCHANGED = {np.float32: 1e-4, np.float64: 1e-9}
_FEW_TERMS = 500


def _times(matrix: np.ndarray, other: np.ndarray) -> np.ndarray:
    pieces = [slice(first, first + _ROWS_AT_ONCE) for first in range(0, len(matrix), _ROWS_AT_ONCE)]
    return np.vstack(list(map_in_order(lambda piece: matrix[piece] @ other, pieces)))


def _top_directions(matrix: np.ndarray, basis: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the largest eigenvalues above zero, their eigenvectors, and the basis to find the next ones from."""
    if len(matrix) <= _FEW_TERMS:  # all at once, exactly
        values, vectors = np.linalg.eigh(matrix)
    else:
        image = _times(matrix, basis)
        values, within = np.linalg.eigh((basis.T @ image).astype(np.float64))
        vectors = basis @ within.astype(basis.dtype)
        basis = np.linalg.qr(image)[0]
    top = values.argsort()[::-1][:rank]
    top = top[values[top] > 0]
    return values[top].astype(matrix.dtype), vectors[:, top], basis


def _rebuild(left: np.ndarray, right: np.ndarray, target: np.ndarray) -> None:
    """Write ``left @ right.T``, shifted to sum to one, without what is below zero, to `target`."""
    shift = (1.0 - float(left.sum(axis=0) @ right.sum(axis=0))) / len(target) ** 2

    def write(first: int) -> None:
        rows = slice(first, first + _ROWS_AT_ONCE)
        part = left[rows] @ right.T
        part += part.dtype.type(shift)
        np.maximum(part, 0.0, out=target[rows])

    for _ in map_in_order(write, range(0, len(target), _ROWS_AT_ONCE)):
        pass


def rectify(
    pairs: Cooccurrence, rank: int, *, rounds: int = _ROUNDS, seed: int = 0, progress: Progress = ignore
) -> Cooccurrence:
    """Return a co-occurrence matrix of about a rank, positive semidefinite, non-negative, of sum one.

    Parameters
    ----------
    pairs : Cooccurrence
        An estimate.
    rank : int
        The number of topics.
    rounds : int
        How often to project; the change falls quickly.
    seed : int
        Seed of the directions that the search for eigenvectors starts from.
    progress : callable
        Told ``("rounds", done, total)``.

    Returns
    -------
    Cooccurrence
        Dense, as of one document.
    """
    # Single precision halves the time; where there is little to do, the answer may as well be exact.
    kind = np.float64 if pairs.n_terms <= _EXACT_TERMS else np.float32
    matrix = pairs.toarray().astype(kind)
    matrix /= max(float(matrix.sum(dtype=np.float64)), np.finfo(np.float64).tiny)
    wide = min(rank + max(_BEYOND, int(_SHARE_BEYOND * rank)), len(matrix))
    with one_blas_thread():
        start = np.random.RandomState(seed).standard_normal((len(matrix), wide)).astype(kind)
        basis = np.linalg.qr(start)[0]
        for _ in range(_FIRST_SWEEPS):
            basis = np.linalg.qr(_times(matrix, basis))[0]
        for done in range(1, rounds + 1):
            values, directions, basis = _top_directions(matrix, basis, rank)
            _rebuild(directions * values, directions, matrix)
            progress("rounds", done, rounds)
    # Shifting gives something to terms that occur with none.
    absent = pairs.row_sums <= 0
    matrix[absent] = 0.0
    matrix[:, absent] = 0.0
    matrix = kind(0.5) * (matrix + matrix.T)
    matrix /= kind(matrix.sum(dtype=np.float64))
    if _is_near(pairs, matrix, _UNCHANGED[kind]):
        matrix = pairs.toarray()
        matrix /= matrix.sum(dtype=np.float64)
    return Cooccurrence(matrix, 1, pairs.document_frequencies, pairs.unit)


def _is_near(pairs: Cooccurrence, matrix: np.ndarray, share: float) -> bool:
    """Whether a matrix of sum one is what was counted, but for a share that is rounding."""
    total, away, most = float(pairs.row_sums.sum()), 0.0, share**2 * float(np.square(matrix).sum())
    for first in range(0, len(matrix), _ROWS_AT_ONCE):
        rows = np.arange(first, min(first + _ROWS_AT_ONCE, len(matrix)))
        away += float(np.square(pairs.rows(rows) / total - matrix[rows]).sum())
        if away > most:
            return False
    return True
