"""Anchors on a plane: every word's company is a mixture of the anchors' company, so words lie within their hull."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from wayword.errors import InputError, shorten
from wayword.matrix.cooccurrence import Cooccurrence
from wayword.models.inputs import check_whole
from wayword.models.theme_scores import normalise_rows
from wayword.plots.inputs import as_names, as_weights
from wayword.plots.labels import place_labels
from wayword.plots.look import NEUTRAL, ORANGE, Mode, rgba, start
from wayword.plots.maps import plane_axes, ranges_of, to_pixels
from wayword.plots.projection import hull, principal_plane
from wayword.plots.text import explain, show

_WIDTH, _HEIGHT, _LETTERS, _DOT = 760, 520, 28, 5.0
_SAY = "A term lies between the anchors whose company it keeps; near a corner it belongs to one topic."
_LEGEND = ("other terms", "hull of the anchors", "anchors")


def _count(pairs: Any) -> tuple[Cooccurrence | np.ndarray, np.ndarray]:
    """Return what occurs together, checked, and how often each term occurs."""
    if isinstance(pairs, Cooccurrence):
        return pairs, np.asarray(pairs.row_sums)
    weights = as_weights("pairs", pairs, n_terms=None, n_others=None)
    return weights, weights.sum(axis=1)


def _rows_of(pairs: Cooccurrence | np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the company of some terms, rows that sum to one."""
    return pairs.row_normalized(columns) if isinstance(pairs, Cooccurrence) else normalise_rows(pairs[columns])


def _read_anchors(anchors: Any, terms: list[str], named: bool) -> list[tuple[int, ...]]:
    """Return the columns of each anchor, given as words or columns, one or several."""
    columns = {term: column for column, term in enumerate(terms)} if named else {}
    found = []
    for anchor in anchors:
        words = anchor if isinstance(anchor, (tuple, list)) else [anchor]
        try:
            found.append(tuple(columns[word] if isinstance(word, str) else range(len(terms))[word] for word in words))
        except (KeyError, IndexError, TypeError):
            raise InputError(
                f"anchors must be terms, or columns below {len(terms)}, got {shorten(anchor)}; give terms to name them"
            ) from None
    if not found or not all(found):
        raise InputError("anchors must hold one term or more, got none")
    return found


def _choose_points(often: np.ndarray, anchors: list[tuple[int, ...]], n_points: int) -> np.ndarray:
    """Return the columns of the most frequent terms that are no anchor by themselves."""
    free = often > 0
    free[[anchor[0] for anchor in anchors if len(anchor) == 1]] = False
    order = np.argsort(-often, kind="stable")
    return np.sort(order[free[order]][:n_points])


def _add_terms(figure: go.Figure, points: np.ndarray, names: list[str], often: np.ndarray) -> None:
    figure.add_scatter(
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        name="other terms",
        marker={"size": _DOT, "color": rgba(NEUTRAL, 0.45)},
        hovertext=[
            explain(name, f"{share:.2%} of all words", "a mixture of the anchors around it")
            for name, share in zip(names, often.tolist(), strict=True)
        ],
        hoverinfo="text",
    )


def _add_hull(figure: go.Figure, points: np.ndarray) -> None:
    corners = hull(points)
    around = points[np.append(corners, corners[0])]
    figure.add_scatter(
        x=around[:, 0],
        y=around[:, 1],
        mode="lines",
        name="hull of the anchors",
        fill="toself",
        fillcolor=rgba(ORANGE, 0.08),
        line={"color": rgba(ORANGE, 0.7), "width": 1.5},
        hoverinfo="skip",
    )


def _add_anchors(
    figure: go.Figure, points: np.ndarray, names: list[str], ranges: tuple[list[float], list[float]]
) -> None:
    area = (_WIDTH, _HEIGHT)
    labels = [show(name, _LETTERS) for name in names]
    radii = np.full(len(points), _DOT + 1)
    places = place_labels(to_pixels(points, ranges, area), radii, labels, np.arange(len(points)), area)
    figure.add_scatter(
        x=points[:, 0],
        y=points[:, 1],
        mode="markers+text",
        name="anchors",
        text=[label if place else "" for label, place in zip(labels, places, strict=True)],
        textposition=[place or "top center" for place in places],
        marker={"size": 2 * _DOT + 1, "color": ORANGE, "symbol": "diamond"},
        hovertext=[explain(name, f"anchor of topic {place + 1}") for place, name in enumerate(names)],
        hoverinfo="text",
    )


def anchor_plane(
    pairs: Any,
    anchors: Sequence[Any],
    *,
    terms: Sequence[str] | None = None,
    n_points: int = 1500,
    title: str = "Anchors and the words between them",
    mode: Mode = "light",
) -> go.Figure:
    """Draw anchors on a plane, with their hull and the terms within it.

    The rows of the co-occurrence matrix, each made to sum to one, are seen along the two directions in which the
    anchors differ most, or all terms where there are only two anchors. On a plane some anchors lie within the hull of
    the others; in more dimensions they do not.

    Parameters
    ----------
    pairs : Cooccurrence, or array of shape (n_terms, n_terms)
        How likely terms occur together.
    anchors : sequence of str, int or tuple
        The anchor of each topic: a term or its column, or several; such as `anchors_` of `AnchorTopics`.
    terms : sequence of str, optional
        The term of each column, for example a `Vocabulary`.
    n_points : int
        How many terms are drawn, the most frequent ones.
    title : str
        The title.
    mode : {"light", "dark"}
        What is behind the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        Three traces: terms, hull and anchors. An anchor of several terms is in the middle of them.

    Examples
    --------
    >>> from wayword import plots
    >>> pairs = [[3, 1, 0], [1, 2, 1], [0, 1, 3]]
    >>> figure = plots.anchor_plane(pairs, ["apple", "ship"], terms=["apple", "fresh", "ship"])
    >>> figure.data[2].text
    ('apple', 'ship')
    """
    check_whole("n_points", n_points, least=0)
    counted, often = _count(pairs)
    names = as_names("terms", terms, len(often), "term")
    columns = _read_anchors(anchors, names, terms is not None)
    kept = _choose_points(often, columns, n_points)
    drawn = np.union1d(kept, [column for anchor in columns for column in anchor])
    rows = _rows_of(counted, drawn)
    ends = np.array([rows[np.searchsorted(drawn, anchor)].mean(axis=0) for anchor in columns])
    plane = principal_plane(rows, along=ends if len(ends) > 2 else None)
    corners = np.array([plane.points[np.searchsorted(drawn, anchor)].mean(axis=0) for anchor in columns])
    points = plane.points[np.searchsorted(drawn, kept)]
    ranges = ranges_of(np.vstack([points, corners]), _WIDTH, _HEIGHT, room=0.08)
    axes = plane_axes(ranges, plane.shares, "share of company")
    figure = start(title, mode, subtitle=_SAY, height=_HEIGHT, **axes, legend=_LEGEND)
    _add_terms(figure, points, [names[column] for column in kept.tolist()], (often / often.sum())[kept])
    _add_hull(figure, corners)
    _add_anchors(figure, corners, [" + ".join(names[c] for c in anchor) for anchor in columns], ranges)
    return figure
