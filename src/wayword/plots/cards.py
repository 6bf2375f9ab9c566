"""Cards of themes: for each theme a row of panels, one for each subtopic, with bars of its best terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from wayword.errors import InputError, shorten
from wayword.models.inputs import check_number, check_whole
from wayword.plots.inputs import as_scored
from wayword.plots.look import FONT_SIZE, Mode, colour_of, rgba, start
from wayword.plots.text import explain, show

_ROW, _HEAD, _BETWEEN, _GAP = 24, 58, 26, 0.025
_LETTERS = 26
_SAY = "Bars are scores of terms; those of a theme are drawn to one scale."

Panels = list[list[tuple[str, float]]]


def _read_themes(themes: Any, n_terms: int) -> dict[str, Panels]:
    """Return the lists of terms of each theme's subtopics, by the theme's name."""
    if hasattr(themes, "themes"):
        themes = themes.themes
    if not isinstance(themes, Mapping):
        try:
            themes = {theme.name: theme.subtopics for theme in themes}
        except (AttributeError, TypeError):
            raise InputError(
                f"themes must be a ThemesInfo, or map names to subtopics as in {{'hotel': [[('room', 0.3)]]}}, "
                f"got {shorten(themes)}"
            ) from None
    if not themes or not any(themes.values()):
        raise InputError("themes must hold one theme with a subtopic or more, got none")
    return {
        str(name): [as_scored(f"themes[{name!r}][{place}]", terms)[:n_terms] for place, terms in enumerate(subtopics)]
        for name, subtopics in themes.items()
    }


class _Grid:
    """Where panels are: rows of them from the top down, in shares of the figure."""

    def __init__(self, cards: dict[str, Panels], n_terms: int) -> None:
        self.columns = max(map(len, cards.values()))
        rows = max(len(terms) for panels in cards.values() for terms in panels)
        self.rows = max(1, min(rows, n_terms))
        self.card = _HEAD + self.rows * _ROW + _BETWEEN
        self.height = self.card * len(cards)
        self.width = (1.0 - _GAP * (self.columns - 1)) / self.columns

    def across(self, column: int) -> list[float]:
        left = column * (self.width + _GAP)
        return [left, min(left + self.width, 1.0)]

    def down(self, card: int) -> list[float]:
        top = self.height - card * self.card - _HEAD
        return [max(0.0, (top - self.rows * _ROW) / self.height), top / self.height]

    def head(self, card: int) -> float:
        return 1.0 - card * self.card / self.height


def _draw_panel(figure: go.Figure, terms: list[tuple[str, float]], colour: str, axis: int, about: str) -> None:
    """Add bars of terms, and the terms on them, which thus need no room beside."""
    places, scores = list(range(len(terms))), [score for _, score in terms]
    hover = [
        explain(term, f"score {score:.3g}, {place + 1} of {len(terms)} in {about}")
        for place, (term, score) in enumerate(terms)
    ]
    on = {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "showlegend": False}
    figure.add_bar(
        x=scores,
        y=places,
        orientation="h",
        width=0.82,
        marker={"color": rgba(colour, 0.32)},
        hovertext=hover,
        hoverinfo="text",
        **on,
    )
    figure.add_scatter(
        x=[0.0] * len(terms),
        y=places,
        mode="text",
        text=["\u2009" + show(term, _LETTERS) for term, _ in terms],
        textposition="middle right",
        hoverinfo="skip",
        **on,
    )


def _set_axes(figure: go.Figure, grid: _Grid, axis: int, card: int, column: int, longest: float) -> None:
    hidden = {"showgrid": False, "showticklabels": False, "fixedrange": True, "automargin": False}
    figure.update_layout(
        {
            f"xaxis{axis}": {
                **hidden,
                "domain": grid.across(column),
                "anchor": f"y{axis}",
                "range": [0, longest * 1.02 or 1.0],
            },
            f"yaxis{axis}": {
                **hidden,
                "domain": grid.down(card),
                "anchor": f"x{axis}",
                "range": [grid.rows - 0.5, -0.5],
                "showline": True,
            },
        }
    )


def _write(figure: go.Figure, text: str, x: float, y: float, shift: float, size: int) -> None:
    """Write text to the right of and below a point."""
    figure.add_annotation(
        text=text,
        x=x,
        y=y,
        xref="paper",
        yref="paper",
        xanchor="left",
        yanchor="top",
        yshift=-shift,
        xshift=-1,
        font={"size": size},
    )


def theme_cards(
    themes: Any,
    *,
    n_terms: int = 8,
    purity_ratio: float | None = None,
    title: str = "Themes and their subtopics",
    mode: Mode = "light",
) -> go.Figure:
    """Draw a card for each theme: a panel for each of its subtopics, with bars of the best terms.

    Parameters
    ----------
    themes : ThemesInfo, list of ThemeInfo, or mapping of str to list of list of (str, float)
        The subtopics of each theme by its name, each a list of terms and scores with the best first.
    n_terms : int
        The most terms of a panel.
    purity_ratio : float, optional
        The purity at which terms were scored, to be told.
    title : str
        The title.
    mode : {"light", "dark"}
        What is behind the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        Two traces for each subtopic: its bars, and the terms on them.

    Examples
    --------
    >>> from wayword import plots
    >>> figure = plots.theme_cards({"hotel": [[("room", 0.3), ("bed", 0.2)], [("staff", 0.4)]]})
    >>> figure.data[0].x
    (0.3, 0.2)
    """
    check_whole("n_terms", n_terms)
    say = _SAY
    if purity_ratio is not None:
        check_number("purity_ratio", purity_ratio, most=1.0)
        say = f"Terms at a purity ratio of {purity_ratio:g}. {say}"
    cards = _read_themes(themes, n_terms)
    grid, axis = _Grid(cards, n_terms), 0
    figure = start(title, mode, subtitle=say, height=grid.height, margin={"b": 8}, bargap=0.1)
    for card, (name, panels) in enumerate(cards.items()):
        longest = max((score for terms in panels for _, score in terms), default=0.0)
        _write(figure, f"<b>{show(name, 60)}</b>", 0.0, grid.head(card), 0, FONT_SIZE + 2)
        for column, terms in enumerate(panels):
            axis += 1
            about = f"subtopic {column + 1}"
            _write(figure, about, grid.across(column)[0], grid.head(card), 30, FONT_SIZE - 1)
            _draw_panel(figure, terms, colour_of(card), axis, f"{about} of {show(name, 40)}")
            _set_axes(figure, grid, axis, card, column, longest)
    return figure
