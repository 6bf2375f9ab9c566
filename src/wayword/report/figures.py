"""Figures for a report: drawn by `wayword.plots`, without titles, which the page writes itself."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from wayword.plots.look import NEUTRAL, template
from wayword.plots.maps import topic_map
from wayword.plots.probabilities import reliability
from wayword.plots.sunbursts import sunburst
from wayword.report.contents import Drawing
from wayword.report.overview import ROOT, Overview

_MARGIN = 8


def templates() -> str:
    """Return how figures look on light and on dark pages, as JSON."""
    return json.dumps({mode: template(mode).to_plotly_json() for mode in ("light", "dark")}, sort_keys=True)


def _untitle(figure: Any) -> str:
    """Return a figure as JSON without what the page says or decides: title, template and background."""
    top = figure.layout.margin.t or 0
    height = (figure.layout.height or 480) - top + _MARGIN
    clear = "rgba(0,0,0,0)"
    figure.update_layout(title=None, template=None, height=height, margin={"t": _MARGIN})
    figure.update_layout(paper_bgcolor=clear, plot_bgcolor=clear)
    return str(figure.to_json(engine="json"))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def draw_rings(overview: Overview, importance: np.ndarray | None) -> tuple[Drawing, list[str]]:
    """Return the rings, and the colour of each theme or topic in them.

    Parameters
    ----------
    overview : Overview
    importance : array of shape (n_subjects,), or None
        How much each says about the labels; then colours tell that.
    """
    by_id = None if importance is None else dict(enumerate(importance.tolist()))
    how = {} if by_id is None else {"color": "importance", "importance": by_id}
    figure = sunburst(overview.nodes, **how)
    trace = figure.data[0]
    inner = [colour for parent, colour in zip(trace.parents, trace.marker.colors, strict=True) if parent == "0"]
    branches = [node.id for node in overview.nodes if node.parent == ROOT]
    colours = [NEUTRAL] * len(overview.subjects)
    if by_id is None:
        of_branch = dict(zip(branches, inner, strict=True))
        colours = [str(of_branch[branch]) for branch in overview.branches]
    say = "Click to look into a part of it, the middle to come back."
    if by_id is not None:
        say += " Yellow topics say most about the labels, blue ones least."
    kinds = _count(len(overview.subjects), overview.kind)
    alt = f"Rings of {kinds} by size; the largest are {_largest(overview)}. The table below lists all."
    return Drawing("rings", "All at once", f"{overview.tree_note} {say}", alt, _untitle(figure)), colours


def _largest(overview: Overview) -> str:
    order = np.argsort(-overview.weights, kind="stable")[:3]
    return "; ".join(overview.subjects[place].name for place in order)


def draw_map(overview: Overview, terms: tuple[str, ...]) -> Drawing | None:
    """Return the map of themes or topics; None where there are too few, or some have no terms."""
    if len(overview.subjects) < 3 or not overview.vectors.any(axis=1).all():
        return None
    names = [subject.name for subject in overview.subjects]
    weights = overview.weights if overview.weights.any() else None
    figure = topic_map(overview.vectors, prevalence=weights, names=names, terms=terms)
    kinds = _count(len(names), overview.kind)
    say = (
        f"{overview.kind.capitalize()}s that share words are near each other; area is size. Point at one for its terms."
    )
    alt = f"A map of {kinds}; those that share words are near each other."
    return Drawing("map", f"Map of {overview.kind}s", say, alt, _untitle(figure))


def draw_reliability(chances: np.ndarray, right: np.ndarray) -> Drawing:
    """Return how often predictions were right against the chances they were given.

    Parameters
    ----------
    chances, right : arrays of shape (n_predictions,)
    """
    figure = reliability(chances, right)
    say = (
        "Each point holds predictions of about the same chance. On the diagonal, chances mean what they say; above it, "
        "predictions are right more often than they say."
    )
    alt = f"{_count(len(chances), 'prediction')}: mean chance {chances.mean():.0%}, {right.mean():.0%} were right."
    return Drawing("reliability", "Do chances mean what they say?", say, alt, _untitle(figure))
