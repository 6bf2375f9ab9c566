"""Names beside points, where there is room for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wayword.plots.look import FONT_SIZE
from wayword.plots.text import text_width

_GAP = 3.0
POSITIONS = ("top center", "bottom center", "middle right", "middle left")


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    low: float
    right: float
    high: float

    def meets(self, other: _Box) -> bool:
        apart = self.right <= other.left or other.right <= self.left or self.high <= other.low or other.high <= self.low
        return not apart


def _box(x: float, y: float, radius: float, width: float, position: str) -> _Box:
    """Return what a name takes at a position beside a point."""
    height, away = FONT_SIZE * 1.25, radius + _GAP
    if position == "top center":
        return _Box(x - width / 2, y + away, x + width / 2, y + away + height)
    if position == "bottom center":
        return _Box(x - width / 2, y - away - height, x + width / 2, y - away)
    if position == "middle right":
        return _Box(x + away, y - height / 2, x + away + width, y + height / 2)
    return _Box(x - away - width, y - height / 2, x - away, y + height / 2)


def place_labels(
    points: np.ndarray, radii: np.ndarray, names: Sequence[str], order: np.ndarray, size: tuple[float, float]
) -> list[str | None]:
    """Return where each name stands beside its point, or None where it would meet another name or a point.

    Parameters
    ----------
    points : array of shape (n_points, 2)
        In pixels.
    radii : array of shape (n_points,)
        In pixels.
    names : sequence of str
    order : int array
        The points whose names are wanted, the most wanted first.
    size : tuple of float
        Width and height of the plane, in pixels.
    """
    taken = [_Box(x - r, y - r, x + r, y + r) for (x, y), r in zip(points.tolist(), radii.tolist(), strict=True)]
    found: list[str | None] = [None] * len(names)
    for place in map(int, order):
        own, width = taken[place], text_width(names[place], FONT_SIZE)
        x, y = map(float, points[place])
        for position in POSITIONS:
            box = _box(x, y, float(radii[place]), width, position)
            inside = box.left >= 0 and box.right <= size[0] and box.low >= 0 and box.high <= size[1]
            if inside and not any(box.meets(other) for other in taken if other is not own):
                found[place] = position
                taken.append(box)
                break
    return found
