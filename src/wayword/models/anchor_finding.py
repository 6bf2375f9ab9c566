"""Find anchor words: the terms whose rows are the corners of the hull of all rows.

Greedy search takes the farthest row from what is spanned already, one after the other (FastAnchorWords of Arora and
others); a second pass replaces each by the row farthest from the span of the others. The exact search asks, by linear
programming, whether a row is a mixture of the others, and is for small vocabularies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import optimize
from scipy.linalg import solve_triangular

from wayword.errors import InputError

# Rows nearer to the span than this share of the farthest row's length are in it.
_IN_SPAN = 1e-7
# How far a row may be from a mixture of others, in each entry, and still count as one.
_IN_HULL = 1e-9
_EXACT = 1e-10  # the strictest that the solver takes
# Points that differ by less than this share are as far: rounding, which differs between processors, chooses none.
_AS_FAR = 1e-9


def _find_farthest(squares: np.ndarray) -> int:
    """Return the first point that is as far as any, but for rounding."""
    most = squares.max()
    return int((squares >= most - _AS_FAR * abs(most)).argmax())


def _outside(vector: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Return the part of a vector that a basis does not span; twice, because once leaves rounding."""
    for _ in range(2):
        vector = vector - basis.T @ (basis @ vector)
    return vector


class _Span:
    """The flat through some corners, and how far every point is from it.

    Attributes
    ----------
    corners : array of shape (n_corners, n_dimensions)
        The first is the origin of the flat.
    squares : array of shape (n_points,)
        Squared distance of each point.
    """

    def __init__(self, points: np.ndarray, origin: np.ndarray, most_corners: int) -> None:
        self._points = points
        self._room = np.empty((2, most_corners, len(origin)))  # for corners, and for what each adds to the span
        self._room[0, 0] = origin
        self._n_corners = 1
        lengths = np.einsum("ij,ij->i", points, points)
        self.squares = np.maximum(lengths - 2.0 * (points @ origin) + origin @ origin, 0.0)
        self._scale = max(float(lengths.max(initial=0.0)), float(origin @ origin))

    @property
    def corners(self) -> np.ndarray:
        return self._room[0, : self._n_corners]

    def add(self, corner: np.ndarray, name: str) -> None:
        """Widen the flat by a corner."""
        outside = _outside(corner - self.corners[0], self._room[1, 1 : self._n_corners])
        length = np.linalg.norm(outside)
        if length <= _IN_SPAN * np.sqrt(self._scale):
            raise InputError(
                f"{name} lies within the span of the {len(self.corners)} anchors before it; "
                "ask for fewer topics, or give other anchors"
            )
        outside /= length
        along = self._points @ outside - self.corners[0] @ outside
        self.squares = np.maximum(self.squares - along**2, 0.0)
        self._room[:, self._n_corners] = corner, outside
        self._n_corners += 1


def find_corners(
    points: np.ndarray,
    n_corners: int,
    given: np.ndarray | None = None,
    *,
    names: Sequence[str] = (),
    clean: bool = True,
) -> list[int]:
    """Return the rows of `points` that span the most, beside given corners.

    Parameters
    ----------
    points : array of shape (n_points, n_dimensions)
        Candidates.
    n_corners : int
        How many to find, beside those given.
    given : array of shape (n_given, n_dimensions), optional
        Corners that stay.
    names : sequence of str
        What a message calls those given.
    clean : bool
        Whether to replace each one found by the point farthest from the flat through the others, in a second pass.

    Returns
    -------
    list of int
        In the order found.
    """
    given = np.empty((0, points.shape[1])) if given is None else given
    if n_corners > len(points):
        raise InputError(
            f"cannot find {n_corners} anchors among {len(points)} candidates; lower n_components, the number of topics, or min_df"
        )
    found: list[int] = []
    if n_corners and not len(given):
        found.append(_find_farthest(np.einsum("ij,ij->i", points, points)))
    starts = [*given, *points[found]]
    if not starts:
        return []
    span = _Span(points, starts[0], len(given) + n_corners)
    for place, corner in enumerate(starts[1:], start=2):
        span.add(corner, f"the anchor {names[place - 1]}" if place <= len(names) else f"anchor {place}")
    while len(found) < n_corners:
        span.squares[found] = -1.0
        farthest = _find_farthest(span.squares)
        span.add(points[farthest], f"every candidate for anchor {len(span.corners) + 1}")
        found.append(farthest)
    return _clean_up(points, span, given, found) if clean and len(given) + len(found) > 1 else found


def _clean_up(points: np.ndarray, span: _Span, given: np.ndarray, found: list[int]) -> list[int]:
    """Replace each corner found by the point farthest from the flat through all others, one after the other."""
    corners, squares, found = span.corners.copy(), span.squares.copy(), list(found)
    squares[found] = 0.0
    slopes = _slopes(corners)
    heights = points @ slopes.T
    for place, row in enumerate(found, start=len(given)):
        # Without this corner, every point is farther by how far it is along the direction that is lost.
        without = squares + _along(heights, corners, slopes, place) ** 2
        farthest = _find_farthest(without)
        if farthest == row or without[farthest] <= without[row] * (1.0 + _IN_SPAN):
            continue
        slopes, heights = _replace_corner(points, farthest, corners, slopes, heights, place)
        corners[place] = points[farthest]
        found[place - len(given)] = farthest
        # What the new corner adds to the flat is along its own direction.
        squares = np.maximum(without - _along(heights, corners, slopes, place) ** 2, 0.0)
    return found


def _along(heights: np.ndarray, corners: np.ndarray, slopes: np.ndarray, place: int) -> np.ndarray:
    """Return how far points are from the flat of all corners but one, within the flat of all."""
    other = corners[1 if place == 0 else 0]
    return (heights[:, place] - other @ slopes[place]) / np.linalg.norm(slopes[place])


def _slopes(corners: np.ndarray) -> np.ndarray:
    """Return the slope, within the flat of all corners, of each one's share: one there, and zero at the others."""
    basis, mixture = np.linalg.qr((corners[1:] - corners[0]).T)
    inverse = solve_triangular(mixture, basis.T, check_finite=False)  # the rows of the pseudo-inverse, transposed
    return np.vstack([-inverse.sum(axis=0), inverse])


def _unit_slopes(corners: np.ndarray) -> np.ndarray:
    slopes = _slopes(corners)
    return slopes / np.linalg.norm(slopes, axis=1, keepdims=True)


def _replace_corner(
    points: np.ndarray, row: int, corners: np.ndarray, slopes: np.ndarray, heights: np.ndarray, place: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the slopes, and the products of points with them, with one of the points for one of the corners.

    A few products with all corners, where `_slopes` would take their decomposition.
    """
    normal = slopes[place] / np.linalg.norm(slopes[place])
    tilts = slopes @ normal
    among = slopes - np.outer(tilts, normal)  # within the flat of the other corners
    other = 1 if place == 0 else 0
    shares = among @ (points[row] - corners[other])
    shares[other] += 1.0
    shares[place] = 0.0
    outside = points[row] - shares @ corners
    slope = outside / (outside @ outside)
    found, along = among - np.outer(shares, slope), points @ slope
    found[place] = slope
    heights = heights - np.outer(heights[:, place] / tilts[place], tilts) - np.outer(along, shares)
    heights[:, place] = along
    return found, heights


class _Flat:
    """The flat through some corners, from the products of all points with each other.

    Attributes
    ----------
    corners : list of int
        The first is the origin of the flat.
    places : array of shape (n_points, n_corners - 1)
        Where each point lies along the flat.
    squares : array of shape (n_points,)
        Squared distance of each point from it.
    """

    def __init__(self, gram: np.ndarray, origin: int) -> None:
        self._gram = gram
        self.corners = [origin]
        self.places = np.empty((len(gram), 0))
        lengths = np.diag(gram)
        self.squares = np.maximum(lengths - 2.0 * gram[origin] + lengths[origin], 0.0)
        self._least = _IN_SPAN**2 * float(lengths.max())

    def add(self, corner: int) -> bool:
        """Widen the flat by a corner; return whether it was outside."""
        gram, origin = self._gram, self.corners[0]
        along = gram[corner] - gram[origin] - gram[corner, origin] + gram[origin, origin]
        along = along - self.places @ self.places[corner]
        if along[corner] <= self._least:
            return False
        along /= np.sqrt(along[corner])
        self.places = np.column_stack([self.places, along])
        self.squares = np.maximum(self.squares - along**2, 0.0)
        self.corners.append(corner)
        return True


def find_corners_in_gram(gram: np.ndarray, n_corners: int, n_given: int, candidates: np.ndarray) -> list[int]:
    """Return the corners that `find_corners` would, from products of points alone: a pivoted Cholesky decomposition.

    Parameters
    ----------
    gram : array of shape (n_points, n_points)
        Products of all points with each other.
    n_corners : int
        How many to find; fewer come back where all candidates lie within the span of fewer.
    n_given : int
        So many points at the beginning are corners that stay.
    candidates : bool array of shape (n_points,)
        Which others may become corners.
    """
    lengths = np.diag(gram)
    candidates = candidates & (np.arange(len(gram)) >= n_given)
    if not n_corners or not candidates.any():
        return []
    origin = 0 if n_given else _find_farthest(np.where(candidates, lengths, -1.0))
    flat = _Flat(gram, origin)
    # A given corner that is a mixture of others spans nothing new, and stays a corner all the same.
    for corner in range(1, n_given):
        flat.add(corner)
    n_fixed = len(flat.corners) if n_given else 0
    while len(flat.corners) < n_fixed + n_corners:
        left = candidates.copy()
        left[flat.corners] = False
        farthest = _find_farthest(np.where(left, flat.squares, -1.0))
        if not left[farthest] or not flat.add(farthest):
            break
    return _clean_up_in_gram(gram, flat, candidates, n_fixed)


def _clean_up_in_gram(gram: np.ndarray, flat: _Flat, candidates: np.ndarray, n_fixed: int) -> list[int]:
    """Replace each corner found by the candidate farthest from the flat through all others, one after the other."""
    normals = _unit_slopes(flat.places[flat.corners]) if len(flat.corners) > 1 else np.empty((0, 0))
    for place in range(n_fixed, len(normals)):
        row, other = flat.corners[place], flat.corners[1 if place == 0 else 0]
        along = flat.places @ normals[place]
        without = flat.squares + (along - along[other]) ** 2
        farthest = _find_farthest(np.where(candidates, without, -1.0))
        if farthest == row or without[farthest] <= without[row] * (1.0 + _IN_SPAN):
            continue
        corners = [*flat.corners[:place], farthest, *flat.corners[place + 1 :]]
        flat = _Flat(gram, corners[0])
        for corner in corners[1:]:
            flat.add(corner)
        normals = _unit_slopes(flat.places[flat.corners])
    return flat.corners[n_fixed:]


def hull_corners(points: np.ndarray) -> list[int]:
    """Return the rows that are no mixture of the others, by linear programming.

    Of equal rows the last stays. Each row is one problem with as many unknowns as rows, so that twice the rows take
    five times as long: 100 rows take seconds, 300 a minute or so. How many columns they have hardly matters.
    """
    if points.shape[1] > len(points):  # so many rows lie in a space of as many dimensions
        points = np.linalg.qr(points.T)[1].T
    kept = list(range(len(points)))
    for row in range(len(points)):
        others = [other for other in kept if other != row]
        if others and _distance_from_hull(points[row], points[others]) <= _IN_HULL:
            kept = others
    return kept


def _distance_from_hull(point: np.ndarray, corners: np.ndarray) -> float:
    """Return the least largest difference, over entries, between a point and a mixture of corners."""
    # Unknowns: the shares of the corners, and the difference.
    slack = np.ones((len(point), 1))
    result = optimize.linprog(
        np.append(np.zeros(len(corners)), 1.0),
        A_ub=np.vstack([np.hstack([corners.T, -slack]), np.hstack([-corners.T, -slack])]),
        b_ub=np.concatenate([point, -point]),
        A_eq=np.append(np.ones(len(corners)), 0.0)[None],
        b_eq=[1.0],
        bounds=(0.0, None),
        method="highs",
        options={"primal_feasibility_tolerance": _EXACT, "dual_feasibility_tolerance": _EXACT},
    )
    if not result.success:
        raise InputError(f"the linear programme for the hull failed: {result.message}; use find='fast'")
    return float(result.fun)
