"""Slow, obvious twin of the expected calibration error."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean


def calibration_error(said: Sequence[tuple[float, bool]], n_bins: int) -> float:
    """Return the mean distance, over bins of equal size, of what was said from how often it was right.

    An answer counts as right as all answers of the same chance are on average.
    """
    ranked = sorted(
        (chance, fmean(right for other, right in said if other == chance)) for chance, _ in said
    )  # all orders of equal chances are alike
    n_bins = min(n_bins, len(ranked))
    size, larger = divmod(len(ranked), n_bins)
    total, first = 0.0, 0
    for place in range(n_bins):
        last = first + size + (place < larger)
        part = ranked[first:last]
        total += len(part) * abs(fmean(chance for chance, _ in part) - fmean(share for _, share in part))
        first = last
    return total / len(ranked)
