"""Many dimensions on a plane: distances between topics, and the two directions in which things differ most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import entr
from sklearn.utils.extmath import randomized_svd

# Beyond so many rows and columns, the first two directions are found without the others.
_MOST_EXACT = 400
_ROUNDING = 1e-10


@dataclass(frozen=True, slots=True)
class Plane:
    """Points on a plane.

    Attributes
    ----------
    points : array of shape (n_points, 2)
    shares : array of shape (2,)
        The share of all differences that each direction shows.
    """

    points: np.ndarray
    shares: np.ndarray


def hellinger(shares: np.ndarray) -> np.ndarray:
    """Return the distances between rows that sum to one, from 0 to 1, shape (n_rows, n_rows)."""
    roots = np.sqrt(shares)
    distances = np.sqrt(np.maximum(1.0 - roots @ roots.T, 0.0))
    np.fill_diagonal(distances, 0.0)
    return distances


def jensen_shannon(shares: np.ndarray) -> np.ndarray:
    """Return the distances between rows that sum to one, from 0 to 1 (the root of the divergence in bits)."""
    own = entr(shares).sum(axis=1)
    divergences = np.empty((len(shares), len(shares)))
    for place, row in enumerate(shares):
        divergences[place] = entr((row + shares) / 2.0).sum(axis=1) - (own[place] + own) / 2.0
    np.fill_diagonal(divergences, 0.0)
    return np.sqrt(np.maximum(divergences, 0.0) / np.log(2.0))


def _fix_signs(points: np.ndarray) -> np.ndarray:
    """Return points turned so that the one farthest along each direction is on its positive side."""
    # Of points as far as each other, rounding must not choose.
    farthest = np.abs(points).round(9).argmax(axis=0)
    signs = np.where(points[farthest, [0, 1]] < 0, -1.0, 1.0)
    return points * signs


def _as_plane(points: np.ndarray, strengths: np.ndarray, total: float) -> Plane:
    """Return a plane of two directions, missing ones and mere rounding flat."""
    flat = np.zeros((len(points), 2))
    shares = np.zeros(2)
    for place in range(min(2, points.shape[1])):
        if total > 0 and strengths[place] > _ROUNDING * total:
            flat[:, place], shares[place] = points[:, place], strengths[place] / total
    return Plane(_fix_signs(flat), shares)


def scale_distances(distances: np.ndarray) -> Plane:
    """Return points whose distances come closest to those given: classical multidimensional scaling."""
    squares = distances**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-centred / 2.0)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    return _as_plane(vectors * np.sqrt(values), values, float(values.sum()))


def principal_plane(rows: np.ndarray, along: np.ndarray | None = None) -> Plane:
    """Return rows as seen along the two directions in which they, or some other rows, differ most."""
    others = rows if along is None else along
    middle = others.mean(axis=0)
    centred = others - middle
    if min(centred.shape) > _MOST_EXACT:
        _, strengths, directions = randomized_svd(centred, 2, n_iter=6, random_state=0)
    else:
        _, strengths, directions = np.linalg.svd(centred, full_matrices=False)
    return _as_plane((rows - middle) @ directions[:2].T, strengths**2, float((centred**2).sum()))


def hull(points: np.ndarray) -> np.ndarray:
    """Return the places of the corners of points on a plane, around it; of points on a line, its two ends."""
    order = np.lexsort((points[:, 1], points[:, 0]))
    if len(order) < 3:
        return order

    def chain(places: np.ndarray) -> list[int]:
        kept: list[int] = []
        for place in places.tolist():
            while len(kept) > 1 and _turn(points[kept[-2]], points[kept[-1]], points[place]) <= 0:
                kept.pop()
            kept.append(place)
        return kept[:-1]

    return np.array(chain(order) + chain(order[::-1]))


def _turn(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> float:
    """Return above zero for a turn to the left."""
    along, across = second - first, third - second
    return float(along[0] * across[1] - along[1] * across[0])
