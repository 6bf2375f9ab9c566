"""How figures look: one palette, one template for light pages and one for dark ones.

Only the template depends on the page. Colours of data are fixed, and stand out from both backgrounds; so
``figure.update_layout(template=template("dark"))`` is all it takes to turn a figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import plotly.graph_objects as go

from wayword.models.inputs import check_choice
from wayword.plots.text import show_lines, text_width

Mode = Literal["light", "dark"]

# At least three to one against both backgrounds, and apart for colour-blind eyes.
PALETTE = ("#1f68b5", "#df7a11", "#159a78", "#a83a93", "#389bd8", "#7d7410", "#e8608f")
BLUE, ORANGE = PALETTE[0], PALETTE[1]
NEUTRAL = "#7d858e"
YELLOW = "#f5d03b"

BACKGROUNDS = {"light": "#ffffff", "dark": "#15181d"}
_INK = {"light": "#24292f", "dark": "#e4e7eb"}
_SOFT = {"light": "#59636e", "dark": "#a3acb7"}
_GRID = {"light": "#e6e9ec", "dark": "#2c323a"}
_SURFACE = {"light": "#ffffff", "dark": "#22272e"}
_FONT = "Inter, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, 'Noto Sans', sans-serif"

FONT_SIZE = 13
LETTERS_OF_LEGEND = 40
_TITLE_SIZE, _LETTERS_OF_TITLE, _LETTERS_OF_SUBTITLE, _USUAL_WIDTH = 18, 72, 105, 720
SIDE, FOOT = 28, 56


def rgba(colour: str, alpha: float) -> str:
    """Return a colour that lets through what is behind it."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:.3g})"


def lighten(colour: str, share: float) -> str:
    """Return a colour mixed with a share of white."""
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(part + (255 - part) * share):02x}" for part in parts)


def colour_of(place: int) -> str:
    """Return the colour of the n-th thing, the first again after the last."""
    return PALETTE[place % len(PALETTE)]


# From what is behind to full colour, so that zero is no colour on any page.
RISING = [[0.0, rgba(BLUE, 0.0)], [0.05, rgba(BLUE, 0.2)], [0.3, rgba(BLUE, 0.6)], [1.0, rgba(BLUE, 1.0)]]
BLUE_TO_YELLOW = [[0.0, "#2166ac"], [0.25, "#5f8fb0"], [0.5, "#9fae9a"], [0.75, "#d2c168"], [1.0, YELLOW]]


def template(mode: Mode = "light") -> go.layout.Template:
    """Return how figures look on light or on dark pages.

    Parameters
    ----------
    mode : {"light", "dark"}
        What is behind the figure.

    Returns
    -------
    plotly.graph_objects.layout.Template

    Examples
    --------
    >>> from wayword import plots
    >>> figure = plots.convergence({"run": [3.0, 2.0, 1.5]})
    >>> figure = figure.update_layout(template=plots.template("dark"))
    >>> figure.layout.template.layout.paper_bgcolor
    '#15181d'
    """
    check_choice("mode", mode, BACKGROUNDS)
    axis = {
        "gridcolor": _GRID[mode],
        "linecolor": _GRID[mode],
        "zeroline": False,
        "automargin": True,
        "ticks": "",
        "tickfont": {"color": _SOFT[mode]},
        "title": {"standoff": 12, "font": {"color": _SOFT[mode], "size": FONT_SIZE}},
    }
    return go.layout.Template(layout=_layout_of(mode, axis), data=_traces_of(mode))


def _layout_of(mode: Mode, axis: dict[str, Any]) -> dict[str, Any]:
    ink, soft, back = _INK[mode], _SOFT[mode], BACKGROUNDS[mode]
    return {
        "font": {"family": _FONT, "size": FONT_SIZE, "color": ink},
        "title": {"font": {"size": _TITLE_SIZE, "color": ink}},
        "paper_bgcolor": back,
        "plot_bgcolor": back,
        "colorway": list(PALETTE),
        "xaxis": axis,
        "yaxis": axis,
        "hoverlabel": {
            "bgcolor": _SURFACE[mode],
            "bordercolor": NEUTRAL,
            "font": {"color": ink, "size": FONT_SIZE, "family": _FONT},
            "align": "left",
        },
        "legend": {"font": {"color": ink}, "bgcolor": "rgba(0,0,0,0)"},
        "annotationdefaults": {"font": {"color": ink}, "showarrow": False},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": soft, "activecolor": ink},
    }


def _traces_of(mode: Mode) -> dict[str, Any]:
    soft = {"color": _SOFT[mode], "size": FONT_SIZE}
    scale = {"outlinewidth": 0, "ticks": "", "thickness": 12, "tickfont": soft, "title": {"font": soft}}
    apart = {"line": {"color": BACKGROUNDS[mode], "width": 1}}
    return {
        "bar": [{"marker": {"line": {"width": 0}}}],
        "sunburst": [{"marker": {**apart, "colorbar": scale}}],
        "heatmap": [{"colorbar": scale, "textfont": {"color": _INK[mode]}}],
    }


def start(
    title: str, mode: Mode, *, subtitle: str = "", height: int = 480, legend: Sequence[str] = (), **layout: Any
) -> go.Figure:
    """Return an empty figure with a heading that fits: long ones are broken, and the margin grows with them.

    Parameters
    ----------
    title, subtitle : str
        Text as it is; the subtitle says how to read the figure.
    mode : {"light", "dark"}
    height : int
        Of what is drawn, in pixels.
    legend : sequence of str
        Names that a legend between heading and figure is to have room for.
    **layout
        Further settings of the layout.
    """
    lines = [show_lines(title, _LETTERS_OF_TITLE, 3)]
    if subtitle:
        said = show_lines(subtitle, _LETTERS_OF_SUBTITLE, 4)
        lines.append(f'<span style="font-size:{FONT_SIZE}px;fill-opacity:0.8">{said}</span>')
    text = "<br>".join(lines)
    top = 16 + round((text.count("<br>") + 1) * _TITLE_SIZE * 1.3) + 16 + _rows_of_legend(legend) * 24
    margin = {"l": SIDE, "r": SIDE, "t": top, "b": FOOT, **layout.pop("margin", {})}
    heading = {
        "text": text,
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        # Plotly sets the first of several lines higher than a line that is alone.
        "pad": {"l": SIDE, "t": 30 if "<br>" in text else 16},
    }
    beside = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"} if legend else {}
    return go.Figure(
        layout={
            "template": template(mode),
            "title": heading,
            "margin": margin,
            "height": height + top + margin["b"],
            "legend": beside,
            **layout,
        }
    )


def _rows_of_legend(names: Sequence[str]) -> int:
    """Return about how many rows a legend takes in a figure of usual width."""
    pixels = sum(text_width(name[:LETTERS_OF_LEGEND], FONT_SIZE) + 50 for name in names)
    return -(-int(pixels) // _USUAL_WIDTH) if names else 0
