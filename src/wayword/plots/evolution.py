"""A topic before and after: what came, what went, and what moved up or down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from wayword.errors import InputError, shorten
from wayword.models.inputs import check_whole
from wayword.plots.inputs import as_scored
from wayword.plots.look import BLUE, NEUTRAL, ORANGE, Mode, start
from wayword.plots.text import explain, show

_ROW, _LETTERS = 30, 26
_LEGEND = ("stayed", "came", "went")
Ranks = dict[str, tuple[int, float | None]]


@dataclass(frozen=True, slots=True)
class _Kind:
    """What became of some terms: how that is called and drawn."""

    name: str
    colour: str
    symbol: str


_STAYED, _CAME, _WENT = (
    _Kind("stayed", NEUTRAL, "circle"),
    _Kind("came", BLUE, "triangle-right"),
    _Kind("went", ORANGE, "x"),
)


def _read_state(name: str, state: Any, n_terms: int) -> Ranks:
    """Return the rank and, where known, the weight of each term."""
    items = [state] if isinstance(state, str) else list(state)
    plain = all(isinstance(item, str) for item in items)
    pairs = [(item, None) for item in items] if plain else as_scored(name, items)
    ranks: Ranks = {}
    for term, weight in pairs[:n_terms]:
        if term in ranks:
            raise InputError(f"{name} must hold each term once, got {shorten(term)} twice")
        ranks[term] = (len(ranks) + 1, weight)
    return ranks


def _say_rank(rank: tuple[int, float | None], when: str) -> str:
    place, weight = rank
    return f"{when}: rank {place}" + ("" if weight is None else f", weight {weight:.3g}")


def _add_lines(figure: go.Figure, before: Ranks, after: Ranks) -> None:
    """Add a line from where each term that stayed was to where it is."""
    kept = [term for term in before if term in after]
    x, y = [], []
    for term in kept:
        x += [0, 1, None]
        y += [before[term][0], after[term][0], None]
    line = {"color": NEUTRAL, "width": 2}
    figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False)


def _add_side(
    figure: go.Figure, x: int, ranks: Ranks, kinds: dict[str, _Kind], hover: dict[str, str], told: set[str]
) -> None:
    """Add the terms of one side, a trace for each kind."""
    for kind in (_STAYED, _CAME, _WENT):
        terms = [term for term in ranks if kinds[term] is kind]
        if not terms:
            continue
        figure.add_scatter(
            x=[x] * len(terms),
            y=[ranks[term][0] for term in terms],
            mode="markers+text",
            name=kind.name,
            legendgroup=kind.name,
            showlegend=kind.name not in told,
            text=[f"{show(term, _LETTERS)}  " if x == 0 else f"  {show(term, _LETTERS)}" for term in terms],
            textposition="middle left" if x == 0 else "middle right",
            marker={"size": 10, "color": kind.colour, "symbol": kind.symbol},
            hovertext=[hover[term] for term in terms],
            hoverinfo="text",
        )
        told.add(kind.name)


def topic_evolution(
    before: Sequence[Any],
    after: Sequence[Any],
    *,
    n_terms: int = 10,
    states: tuple[str, str] = ("before", "after"),
    title: str = "What changed in a topic",
    mode: Mode = "light",
) -> go.Figure:
    """Draw the best terms, or the anchors, of a topic before and after a change.

    Parameters
    ----------
    before, after : sequence of str or of (str, float)
        Terms with the best first, with weights or without.
    n_terms : int
        How many terms of each.
    states : tuple of str
        What to call the two states.
    title : str
        The title.
    mode : {"light", "dark"}
        What is behind the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        Terms by rank on two sides, with a line for each that stayed.

    Examples
    --------
    >>> from wayword import plots
    >>> figure = plots.topic_evolution(["room", "tax"], ["room", "bed"])
    >>> [trace.name for trace in figure.data[1:]]
    ['stayed', 'went', 'stayed', 'came']
    """
    check_whole("n_terms", n_terms)
    old, new = _read_state("before", before, n_terms), _read_state("after", after, n_terms)
    if not old and not new:
        raise InputError("before or after must hold one term or more, got none")
    if len(states) != 2 or isinstance(states, str):
        raise InputError(f"states must be two names, got {shorten(states)}")
    first, second = (show(state, 30) for state in states)
    kinds = {term: _STAYED if term in old and term in new else _CAME if term in new else _WENT for term in old | new}
    hover = {
        term: explain(
            term,
            _say_rank(old[term], first) if term in old else f"{first}: not among the first {len(old)}",
            _say_rank(new[term], second) if term in new else f"{second}: not among the first {len(new)}",
        )
        for term in kinds
    }
    count = {kind: sum(found is kind for found in kinds.values()) for kind in (_STAYED, _CAME, _WENT)}
    subtitle = f"Of the best terms {count[_STAYED]} stayed, {count[_CAME]} came and {count[_WENT]} went."
    rows = max(len(old), len(new))
    figure = start(title, mode, subtitle=subtitle, height=(rows + 1) * _ROW, legend=_LEGEND, margin={"b": 16})
    _add_lines(figure, old, new)
    told: set[str] = set()
    _add_side(figure, 0, old, kinds, hover, told)
    _add_side(figure, 1, new, kinds, hover, told)
    return _set_axes(figure, rows, (first, second))


def _set_axes(figure: go.Figure, rows: int, states: tuple[str, str]) -> go.Figure:
    for x, state in enumerate(states):
        figure.add_annotation(
            text=f"<b>{state}</b>",
            x=x,
            y=0.2,
            xanchor="left" if x else "right",
            xshift=16 if x else -16,
            showarrow=False,
        )
    bare = {"showgrid": False, "fixedrange": True}
    ranks = {"title": {"text": "rank"}, "tickvals": list(range(1, rows + 1)), "range": [rows + 0.6, -0.4]}
    return figure.update_layout(xaxis={**bare, "range": [-0.8, 1.8], "showticklabels": False}, yaxis={**bare, **ranks})
