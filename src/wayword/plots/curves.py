"""Numbers along an axis: scores against labels, objectives against iterations, criteria against topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from scipy.stats import t as student

from wayword.errors import InputError, shorten
from wayword.models.inputs import check_choice
from wayword.plots.inputs import as_mapping, as_numbers
from wayword.plots.look import LETTERS_OF_LEGEND, NEUTRAL, Mode, colour_of, rgba, start
from wayword.plots.text import explain, show

Band = Literal["confidence", "deviation", "range"]
Scale = Literal["linear", "log", "gap"]

_BANDS = {
    "confidence": "Lines are means over {n} runs, bands their 95 % confidence intervals.",
    "deviation": "Lines are means over {n} runs, bands one standard deviation either way.",
    "range": "Lines are means over {n} runs, bands from the least to the most.",
}
_GIVEN = "Bands are the intervals that came with the scores."
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "8px 3px 2px 3px")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star")
_PANEL, _NAME, _BETWEEN = 130, 24, 18
_MOST_TICKS = 12


def _spread(runs: np.ndarray, band: Band) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and the upper end of a band around the mean of runs, shape (n_points,) each."""
    mean = runs.mean(axis=0)
    if band == "range" or len(runs) == 1:
        return runs.min(axis=0), runs.max(axis=0)
    half = runs.std(axis=0, ddof=1)
    if band == "confidence":
        half = half * float(student.ppf(0.975, len(runs) - 1)) / np.sqrt(len(runs))
    return mean - half, mean + half


def _add_band(figure: go.Figure, x: np.ndarray, low: np.ndarray, high: np.ndarray, place: int, group: str) -> None:
    figure.add_scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        fill="toself",
        fillcolor=rgba(colour_of(place), 0.16),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
        legendgroup=group,
    )


def _add_line(figure: go.Figure, x: Any, y: Any, place: int, name: str, hover: list[str], **more: Any) -> None:
    """Add a line that is told apart by colour, dash and symbol."""
    figure.add_scatter(
        x=x,
        y=y,
        name=show(name, LETTERS_OF_LEGEND),
        line={"color": colour_of(place), "width": 2, "dash": _DASHES[place % len(_DASHES)]},
        marker={"symbol": _SYMBOLS[place % len(_SYMBOLS)], "size": 7, "color": colour_of(place)},
        hovertext=hover,
        hoverinfo="text",
        **{"mode": "lines+markers", "legendgroup": str(place), "showlegend": True, **more},
    )


def learning_curves(
    sizes: Any,
    scores: Mapping[str, Any],
    *,
    band: Band = "confidence",
    intervals: Mapping[str, Any] | None = None,
    log_sizes: bool = False,
    x_title: str = "labelled documents",
    y_title: str = "score",
    title: str = "How much labels help",
    mode: Mode = "light",
) -> go.Figure:
    """Draw scores against the number of labels, as means over runs with bands.

    Parameters
    ----------
    sizes : array of shape (n_sizes,)
        How many labels, rising.
    scores : mapping of str to array of shape (n_runs, n_sizes) or (n_sizes,)
        The scores of each method, a row for each run.
    band : {"confidence", "deviation", "range"}
        The 95 % confidence interval of the mean (Student's t), one standard deviation, or the whole range. One run
        has no band.
    intervals : mapping of str to array of shape (2, n_sizes), optional
        Lower and upper ends that are known already, as those of an estimate are. They take the place of `band`.
    log_sizes : bool
        Whether equal steps are equal factors.
    x_title, y_title : str
        What the axes show.
    title : str
        The title.
    mode : {"light", "dark"}
        What is behind the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        For each method a band, where there are several runs or an interval, and a line.

    Examples
    --------
    >>> from wayword import plots
    >>> figure = plots.learning_curves([10, 20], {"themes": [[0.5, 0.7], [0.6, 0.9]]})
    >>> figure.data[1].y.round(2).tolist()
    [0.55, 0.8]
    """
    check_choice("band", band, _BANDS)
    x = as_numbers("sizes", sizes, n_sizes=None)
    if (np.diff(x) <= 0).any() or (log_sizes and x[0] <= 0):
        raise InputError(f"sizes must rise{', from above 0 on' if log_sizes else ''}, got {shorten(x.tolist())}")
    runs = {
        name: as_numbers(f"scores[{name!r}]", np.atleast_2d(np.asarray(values)), n_runs=None, n_sizes=len(x))
        for name, values in as_mapping("scores", scores).items()
    }
    given = _read_intervals(intervals, runs, len(x))
    figure = start(title, mode, subtitle=_say_bands(runs, given, band), height=400, legend=list(runs))
    for place, (name, values) in enumerate(runs.items()):
        low, high = given[name] if name in given else _spread(values, band)
        if name in given or len(values) > 1:
            _add_band(figure, x, low, high, place, str(place))
        source = "" if name in given else f" over {len(values)} runs" if len(values) > 1 else None
        hover = _say_scores(name, x, values.mean(axis=0), low, high, x_title, source)
        _add_line(figure, x, values.mean(axis=0), place, name, hover)
    axis = {"type": "log", "tickvals": x if len(x) <= _MOST_TICKS else None} if log_sizes else {}
    return figure.update_layout(
        xaxis={"title": {"text": show(x_title)}, **axis}, yaxis={"title": {"text": show(y_title)}}
    )


def _read_intervals(intervals: Mapping[str, Any] | None, names: Mapping[str, Any], n: int) -> dict[str, np.ndarray]:
    """Return lower and upper ends, shape (2, n_sizes), of the methods that have an interval."""
    ends: dict[str, np.ndarray] = {}
    for name, values in as_mapping("intervals", intervals).items() if intervals is not None else ():
        if name not in names:
            raise InputError(f"intervals must name methods of scores, {shorten(list(names))}, got {shorten(name)}")
        ends[name] = as_numbers(f"intervals[{name!r}]", values, n_ends=2, n_sizes=n)
        if (ends[name][0] > ends[name][1]).any():
            raise InputError(f"intervals[{name!r}] must have lower ends first, then upper ones; swap them")
    return ends


def _say_bands(runs: Mapping[str, np.ndarray], given: Mapping[str, np.ndarray], band: Band) -> str:
    most = max((len(values) for name, values in runs.items() if name not in given), default=0)
    return " ".join([_BANDS[band].format(n=most)] * (most > 1) + [_GIVEN] * bool(given))


def _say_scores(
    name: str, x: np.ndarray, y: np.ndarray, low: np.ndarray, high: np.ndarray, unit: str, source: str | None
) -> list[str]:
    """Say each score and its band; `source` is what the band comes from, None where there is no band."""
    return [
        explain(
            name,
            f"{size:,g} {show(unit)}: {value:.3f}",
            "one run" if source is None else f"between {below:.3f} and {above:.3f}{source}",
        )
        for size, value, below, above in zip(x.tolist(), y.tolist(), low.tolist(), high.tolist(), strict=True)
    ]


def convergence(
    paths: Mapping[str, Any],
    *,
    scale: Scale = "linear",
    x_title: str = "iteration",
    y_title: str = "objective",
    title: str = "How the fit converged",
    mode: Mode = "light",
) -> go.Figure:
    """Draw objectives against iterations.

    Parameters
    ----------
    paths : mapping of str to array of shape (n_iterations,)
        The objective of each run, from its start on; lengths may differ.
    scale : {"linear", "log", "gap"}
        Objectives as they are, on a logarithmic axis, or as what is left to the least of all, on a logarithmic axis;
        the least itself has nothing left and is not drawn.
    x_title, y_title : str
        What the axes show.
    title : str
        The title.
    mode : {"light", "dark"}
        What is behind the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        A line for each run.

    Examples
    --------
    >>> from wayword import plots
    >>> plots.convergence({"run": [3.0, 2.0, 1.5]}, scale="gap").data[0].y.tolist()
    [1.5, 0.5]
    """
    check_choice("scale", scale, ("linear", "log", "gap"))
    runs = {
        name: as_numbers(f"paths[{name!r}]", values, n_iterations=None)
        for name, values in as_mapping("paths", paths).items()
    }
    least = min(float(values.min()) for values in runs.values())
    if scale == "log" and least <= 0:
        raise InputError(f"scale='log' needs objectives above 0, got {least:g}; use scale='gap'")
    subtitle = "What is left to the best objective of all runs." if scale == "gap" else ""
    figure = start(title, mode, subtitle=subtitle, height=400, legend=list(runs))
    for place, (name, values) in enumerate(runs.items()):
        shown = values - least if scale == "gap" else values
        kept = np.flatnonzero(shown > 0) if scale == "gap" else np.arange(len(shown))
        hover = [explain(name, f"{show(x_title)} {k}: {show(y_title)} {values[k]:.6g}") for k in kept.tolist()]
        drawn = {"mode": "lines"} if len(kept) > 1 else {"mode": "markers"}
        _add_line(figure, kept, shown[kept], place, name, hover, **drawn)
    unit = f"{show(y_title)} above the least" if scale == "gap" else show(y_title)
    exponents = {"type": "log", "exponentformat": "power", "dtick": 1} if scale != "linear" else {}
    return figure.update_layout(
        xaxis={"title": {"text": show(x_title)}, "rangemode": "tozero"},
        yaxis={"title": {"text": unit}, **exponents},
    )


def k_selection(
    ks: Any,
    criteria: Mapping[str, Any],
    *,
    recommended: int | None = None,
    better: Mapping[str, Literal["higher", "lower"]] | None = None,
    title: str = "How many topics",
    mode: Mode = "light",
) -> go.Figure:
    """Draw criteria against the number of topics, one below the other, with the recommended number marked.

    Parameters
    ----------
    ks : array of shape (n_ks,)
        Numbers of topics, rising.
    criteria : mapping of str to array of shape (n_ks,)
        The value of each criterion for each number of topics.
    recommended : int, optional
        The number to mark, one of `ks`.
    better : mapping of str to {"higher", "lower"}, optional
        Which way a criterion is good.
    title : str
        The title.
    mode : {"light", "dark"}
        What is behind the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        A line for each criterion, on axes of its own.

    Examples
    --------
    >>> from wayword import plots
    >>> figure = plots.k_selection([5, 10, 20], {"stability": [0.9, 0.8, 0.5]}, recommended=10)
    >>> figure.layout.shapes[0].x0
    10.0
    """
    x = as_numbers("ks", ks, n_ks=None)
    if (np.diff(x) <= 0).any():
        raise InputError(f"ks must rise, got {shorten(x.tolist())}")
    if recommended is not None and recommended not in x:
        raise InputError(f"recommended must be one of ks, {shorten(x.tolist())}, got {shorten(recommended)}")
    values = {
        name: as_numbers(f"criteria[{name!r}]", found, n_ks=len(x))
        for name, found in as_mapping("criteria", criteria).items()
    }
    ways = _read_ways(better, values)
    height = len(values) * (_NAME + _PANEL + _BETWEEN) - _BETWEEN
    told = f" Recommended: {recommended} topics." if recommended is not None else ""
    figure = start(title, mode, subtitle=f"Each criterion on a scale of its own.{told}", height=height)
    for place, (name, found) in enumerate(values.items()):
        _add_criterion(figure, x, found, place, name, ways.get(name), height)
    _name_topics(figure, len(values))
    if recommended is not None:
        _mark(figure, float(recommended), len(values))
    return figure


def _read_ways(better: Mapping[str, str] | None, values: Mapping[str, Any]) -> dict[str, str]:
    ways = {str(name): way for name, way in (better or {}).items()}
    for name, way in ways.items():
        if name not in values:
            raise InputError(f"better must name criteria, {shorten(list(values))}, got {shorten(name)}")
        check_choice(f"better[{name!r}]", way, ("higher", "lower"))
    return ways


def _add_criterion(
    figure: go.Figure, x: np.ndarray, y: np.ndarray, place: int, name: str, way: str | None, height: int
) -> None:
    """Add a panel, named above it."""
    top = 1.0 - (place * (_NAME + _PANEL + _BETWEEN) + _NAME) / height
    number = "" if place == 0 else str(place + 1)
    good = f" ({way} is better)" if way else ""
    hover = [explain(name, f"{k:g} topics: {value:.4g}{good}") for k, value in zip(x.tolist(), y.tolist(), strict=True)]
    _add_line(figure, x, y, place, name, hover, showlegend=False, xaxis=f"x{number}", yaxis=f"y{number}")
    bottom = max(0.0, top - _PANEL / height)
    figure.update_layout(
        {
            f"xaxis{number}": {"anchor": f"y{number}", "matches": "x" if place else None, "tickvals": x},
            f"yaxis{number}": {"anchor": f"x{number}", "domain": [bottom, top], "nticks": 5},
        }
    )
    figure.add_annotation(
        text=f"<b>{show(name, 50)}</b>{good}",
        x=0,
        y=top,
        xref="paper",
        yref="paper",
        xanchor="left",
        yanchor="bottom",
        yshift=2,
    )


def _name_topics(figure: go.Figure, n_panels: int) -> None:
    """Write numbers of topics below the last panel only."""
    for place in range(n_panels):
        number = "" if place == 0 else str(place + 1)
        last = place == n_panels - 1
        figure.update_layout(
            {f"xaxis{number}": {"showticklabels": last, "title": {"text": "number of topics" if last else ""}}}
        )


def _mark(figure: go.Figure, at: float, n_panels: int) -> None:
    """Draw a line at a number of topics in every panel."""
    line = {"color": NEUTRAL, "width": 2, "dash": "dot"}
    for place in range(n_panels):
        panel = {"xref": f"x{place + 1}", "yref": f"y{place + 1} domain"} if place else {"yref": "y domain"}
        figure.add_shape(type="line", x0=at, x1=at, y0=0, y1=1, line=line, layer="below", **panel)
