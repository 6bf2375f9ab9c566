"""Whether chances mean what they say: of what is given a chance of 70 %, seven in ten should be so."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from wayword.errors import InputError
from wayword.models.inputs import check_whole
from wayword.plots.inputs import as_numbers
from wayword.plots.look import BLUE, NEUTRAL, Mode, rgba, start

_NORMAL = 1.959964


def _wilson(share: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the 95 % interval of a share that was counted n times (Wilson)."""
    square = _NORMAL**2
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = _NORMAL / (1 + square / n) * np.sqrt(share * (1 - share) / n + square / (4 * n**2))
    return np.minimum(middle - half, share), np.maximum(middle + half, share)


def _sum_bins(chances: np.ndarray, right: np.ndarray, n_bins: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the counts, mean chances and shares that were right, of bins of equal width; empty ones have 0."""
    bins = np.minimum((chances * n_bins).astype(np.intp), n_bins - 1)
    counts = np.bincount(bins, minlength=n_bins)
    at_least_one = np.maximum(counts, 1)
    said = np.bincount(bins, weights=chances, minlength=n_bins) / at_least_one
    share = np.bincount(bins, weights=right, minlength=n_bins) / at_least_one
    return counts, said, share


def reliability(
    chances: Any,
    correct: Any,
    *,
    n_bins: int = 10,
    title: str = "Do chances mean what they say?",
    mode: Mode = "light",
) -> go.Figure:
    """Draw how often predictions were right against the chances they were given, and how many there were.

    Parameters
    ----------
    chances : array of shape (n_predictions,)
        The chance of each prediction, from 0 to 1.
    correct : array of shape (n_predictions,)
        Whether each was right: true or false, 1 or 0.
    n_bins : int
        How many bins of equal width.
    title : str
        The title.
    mode : {"light", "dark"}
        What is behind the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The diagonal, a point with a 95 % interval (Wilson) for each bin that holds a prediction, and bars of counts.

    Examples
    --------
    >>> from wayword import plots
    >>> figure = plots.reliability([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 1], n_bins=2)
    >>> figure.data[1].y.tolist(), figure.data[2].y.tolist()
    ([0.5, 1.0], [2, 2])
    """
    check_whole("n_bins", n_bins)
    said = as_numbers("chances", chances, n_predictions=None)
    right = as_numbers("correct", correct, n_predictions=len(said))
    if said.min() < 0 or said.max() > 1:
        raise InputError(f"chances must be numbers from 0 to 1, got {said.min():g} to {said.max():g}")
    if not np.isin(right, (0.0, 1.0)).all():
        raise InputError("correct must say true or false, 1 or 0, of each prediction")
    counts, means, shares = _sum_bins(said, right, n_bins)
    held = counts > 0
    gap = float((counts * np.abs(means - shares)).sum() / counts.sum())
    subtitle = f"Above the diagonal predictions are right more often than they say. Mean distance {gap:.1%}."
    figure = start(title, mode, subtitle=subtitle, height=520, bargap=0)
    _add_diagonal(figure)
    _add_points(figure, counts[held], means[held], shares[held])
    _add_counts(figure, counts, (np.arange(n_bins) + 0.5) / n_bins)
    percent = {"tickformat": ".0%", "range": [-0.02, 1.02], "dtick": 0.2}
    return figure.update_layout(
        xaxis={**percent, "anchor": "y2", "title": {"text": "chance given (%)"}},
        yaxis={**percent, "domain": [0.28, 1.0], "title": {"text": "share that was right (%)"}},
        yaxis2={
            "domain": [0.0, 0.2],
            "title": {"text": "predictions"},
            "nticks": 4,
            "tickformat": ",d",
            "rangemode": "tozero",
        },
    )


def _add_diagonal(figure: go.Figure) -> None:
    line = {"color": NEUTRAL, "width": 1.5, "dash": "dash"}
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line=line, hoverinfo="skip", showlegend=False)


def _add_points(figure: go.Figure, counts: np.ndarray, said: np.ndarray, shares: np.ndarray) -> None:
    low, high = _wilson(shares, counts)
    figure.add_scatter(
        x=said,
        y=shares,
        mode="lines+markers",
        marker={"size": 9, "color": BLUE},
        line={"color": BLUE, "width": 2},
        error_y={"array": high - shares, "arrayminus": shares - low, "color": BLUE, "thickness": 1.2, "width": 3},
        hovertext=[
            f"<b>{n:,} predictions</b><br>given {given:.0%} on average, {share:.0%} were right"
            f"<br>between {below:.0%} and {above:.0%} with 95 % confidence"
            for n, given, share, below, above in zip(
                counts.tolist(), said.tolist(), shares.tolist(), low.tolist(), high.tolist(), strict=True
            )
        ],
        hoverinfo="text",
        showlegend=False,
    )


def _add_counts(figure: go.Figure, counts: np.ndarray, middles: np.ndarray) -> None:
    half = 0.5 / len(middles)
    figure.add_bar(
        x=middles,
        y=counts,
        yaxis="y2",
        marker={"color": rgba(BLUE, 0.45)},
        width=2 * half * 0.92,
        hovertext=[
            f"<b>{n:,} predictions</b><br>with chances from {middle - half:.0%} to {middle + half:.0%}"
            for n, middle in zip(counts.tolist(), middles.tolist(), strict=True)
        ],
        hoverinfo="text",
        showlegend=False,
    )
