"""Topics on a plane: the nearer two are, the more words they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from wayword.errors import InputError
from wayword.interpret.terms import top_terms
from wayword.models.inputs import check_choice, check_whole
from wayword.models.theme_scores import normalise_rows
from wayword.plots.inputs import as_names, as_weights
from wayword.plots.labels import place_labels
from wayword.plots.look import BLUE, Mode, rgba, start
from wayword.plots.projection import Plane, hellinger, jensen_shannon, principal_plane, scale_distances
from wayword.plots.text import explain, percent, show, show_lines

_DISTANCES = {"jensen-shannon": jensen_shannon, "hellinger": hellinger}
_NAMES = {"jensen-shannon": "Jensen–Shannon distance", "hellinger": "Hellinger distance"}
_WIDTH, _HEIGHT, _LARGEST, _LETTERS = 760, 520, 64.0, 28
_ROOM = 0.14


def _project(shares: np.ndarray, method: str, distance: str) -> tuple[Plane, str]:
    """Return topics on a plane, and what a unit of it is."""
    if method == "pca":
        return principal_plane(shares), "share of words"
    return scale_distances(_DISTANCES[distance](shares)), _NAMES[distance]


def ranges_of(points: np.ndarray, width: float, height: float, room: float = _ROOM) -> tuple[list[float], list[float]]:
    """Return ranges around points, with room for names, that have one scale on a plane of a size."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, span = (low + high) / 2, (high - low) * (1 + 2 * room)
    unit = max(span[0] / width, span[1] / height)
    unit = unit if unit > 0 else 1.0 / width
    half = unit * width / 2, unit * height / 2
    return [middle[0] - half[0], middle[0] + half[0]], [middle[1] - half[1], middle[1] + half[1]]


def to_pixels(points: np.ndarray, ranges: tuple[list[float], list[float]], size: tuple[float, float]) -> np.ndarray:
    """Return points in pixels of a plane of a size."""
    low = np.array([ranges[0][0], ranges[1][0]])
    span = np.array([ranges[0][1] - ranges[0][0], ranges[1][1] - ranges[1][0]])
    return (points - low) / span * np.array(size)


def plane_axes(ranges: tuple[list[float], list[float]], shares: np.ndarray, unit: str) -> dict[str, Any]:
    """Return axes of one scale, each named after what it shows."""

    def name(place: int) -> str:
        return f"direction {place + 1} ({percent(float(shares[place]))} of all differences), {unit}"

    return {
        "xaxis": {"range": ranges[0], "title": {"text": name(0)}, "constrain": "domain"},
        "yaxis": {"range": ranges[1], "title": {"text": name(1)}, "scaleanchor": "x", "constrain": "domain"},
    }


def _read_prevalence(prevalence: Any, n_topics: int) -> np.ndarray:
    if prevalence is None:
        return np.full(n_topics, 1.0 / n_topics)
    values = as_weights("prevalence", prevalence, n_topics=n_topics)
    if not values.any():
        raise InputError("prevalence must be above 0 for one topic or more, got only zeros")
    return values / values.sum()


def _explain_topics(
    shares: np.ndarray, names: list[str], prevalence: np.ndarray, terms: Sequence[str] | None, n_terms: int
) -> list[str]:
    best = top_terms(shares, terms, n_terms) if terms is not None else [[] for _ in names]
    return [
        explain(name, f"{percent(share)} of the words", show_lines(", ".join(term for term, _ in words)))
        for name, share, words in zip(names, prevalence.tolist(), best, strict=True)
    ]


def topic_map(
    components: Any,
    *,
    prevalence: Any = None,
    names: Sequence[str] | None = None,
    terms: Sequence[str] | None = None,
    n_terms: int = 10,
    method: Literal["mds", "pca"] = "mds",
    distance: Literal["jensen-shannon", "hellinger"] = "jensen-shannon",
    title: str = "Map of topics",
    mode: Mode = "light",
) -> go.Figure:
    """Draw topics on a plane, similar ones near each other.

    Parameters
    ----------
    components : array of shape (n_topics, n_terms)
        Weights of the terms in each topic, of any scale.
    prevalence : array of shape (n_topics,), optional
        How much of the corpus each topic is; the area of its disc. All the same by default.
    names : sequence of str, optional
        The name of each topic.
    terms : sequence of str, optional
        The term of each column, for example a `Vocabulary`; the best are told when hovering.
    n_terms : int
        How many terms are told.
    method : {"mds", "pca"}
        Points whose distances come closest to those between topics (classical multidimensional scaling), or the two
        directions in which the shares of terms differ most.
    distance : {"jensen-shannon", "hellinger"}
        The distance between topics that ``"mds"`` goes by; both run from 0 for the same words to 1 for none shared.
    title : str
        The title.
    mode : {"light", "dark"}
        What is behind the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        Of each direction the farthest topic is on the positive side, so that the map is the same every time. Names
        that would meet others are left out, and told when hovering.

    Examples
    --------
    >>> from wayword import plots
    >>> figure = plots.topic_map([[2, 1, 0], [1, 2, 0], [0, 0, 1]], prevalence=[1, 1, 2])
    >>> figure.data[0].marker.size.tolist()
    [0.25, 0.25, 0.5]
    """
    check_choice("method", method, ("mds", "pca"))
    check_choice("distance", distance, _DISTANCES)
    check_whole("n_terms", n_terms)
    weights = as_weights("components", components, n_topics=None, n_terms=None)
    if terms is not None and len(terms) != weights.shape[1]:
        raise InputError(f"terms must name each of {weights.shape[1]} columns of components, got {len(terms)}")
    shares, sizes = normalise_rows(weights), _read_prevalence(prevalence, len(weights))
    titles = as_names("names", names, len(weights))
    plane, unit = _project(shares, method, distance)
    hover = _explain_topics(shares, titles, sizes, terms, n_terms)
    return _draw(plane, unit, sizes, titles, hover, title, mode)


def _draw(
    plane: Plane, unit: str, sizes: np.ndarray, names: list[str], hover: list[str], title: str, mode: Mode
) -> go.Figure:
    area = (_WIDTH, _HEIGHT)
    ranges = ranges_of(plane.points, *area)
    radii = np.sqrt(sizes / sizes.max()) * _LARGEST / 2
    labels = [show(name, _LETTERS) for name in names]
    order = np.argsort(-sizes, kind="stable")
    places = place_labels(to_pixels(plane.points, ranges, area), radii, labels, order, area)
    subtitle = "Topics that share words are near each other; area is the share of the corpus."
    figure = start(title, mode, subtitle=subtitle, height=_HEIGHT, **plane_axes(ranges, plane.shares, unit))
    figure.add_scatter(
        x=plane.points[:, 0],
        y=plane.points[:, 1],
        mode="markers+text",
        text=[label if place else "" for label, place in zip(labels, places, strict=True)],
        textposition=[place or "top center" for place in places],
        marker={
            "size": sizes,
            "sizemode": "area",
            "sizeref": 2.0 * float(sizes.max()) / _LARGEST**2,
            "color": rgba(BLUE, 0.45),
            "line": {"color": BLUE, "width": 1.5},
        },
        hovertext=hover,
        hoverinfo="text",
        showlegend=False,
    )
    return figure
