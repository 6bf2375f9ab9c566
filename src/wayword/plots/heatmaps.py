"""Terms against topics: the best terms of every topic, and how much each topic has of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from wayword.errors import InputError
from wayword.models.inputs import check_choice, check_whole
from wayword.models.theme_scores import normalise_rows
from wayword.plots.inputs import as_names, as_weights
from wayword.plots.look import FONT_SIZE, RISING, Mode, start
from wayword.plots.text import explain, percent, show, text_width

_ROW, _LETTERS_OF_TERM, _LETTERS_OF_TOPIC, _USUAL_WIDTH = 20, 28, 24, 620
_SAY = {
    "topic": "Colour is the share of a term in a topic; each topic's best terms are one block.",
    "term": "Colour is the share of a term's weight that a topic has; each topic's best terms are one block.",
}
_SCALE = {"topic": "share of topic", "term": "share of term"}


def _best_terms(shares: np.ndarray, n_terms: int) -> list[int]:
    """Return the columns of the best terms of each topic, each once, where it is met first."""
    best = np.argsort(-shares, axis=1, kind="stable")[:, :n_terms]
    held = [(topic, column) for topic, row in enumerate(best.tolist()) for column in row if shares[topic, column] > 0]
    return list(dict.fromkeys(column for _, column in held))


def term_topic_heatmap(
    components: Any,
    terms: Sequence[str],
    *,
    names: Sequence[str] | None = None,
    n_terms: int = 4,
    share_of: Literal["topic", "term"] = "topic",
    title: str = "Terms of topics",
    mode: Mode = "light",
) -> go.Figure:
    """Draw how much of each topic its best terms are, and those of the others.

    Parameters
    ----------
    components : array of shape (n_topics, n_terms)
        Weights of the terms in each topic, of any scale.
    terms : sequence of str
        The term of each column, for example a `Vocabulary`.
    names : sequence of str, optional
        The name of each topic.
    n_terms : int
        How many terms of each topic.
    share_of : {"topic", "term"}
        Whether colours are shares of terms in a topic, or shares of topics in a term, which tell terms that several
        topics have.
    title : str
        The title.
    mode : {"light", "dark"}
        What is behind the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One trace whose rows are terms and whose columns are topics.

    Examples
    --------
    >>> from wayword import plots
    >>> figure = plots.term_topic_heatmap([[3, 1, 0], [0, 1, 1]], ["room", "the", "food"], n_terms=1)
    >>> figure.data[0].z.tolist()
    [[0.75, 0.0], [0.25, 0.5]]
    """
    check_whole("n_terms", n_terms)
    check_choice("share_of", share_of, _SAY)
    weights = as_weights("components", components, n_topics=None, n_terms=None)
    words = as_names("terms", terms, weights.shape[1], "term")
    topics = as_names("names", names, len(weights))
    shares = normalise_rows(weights)
    columns = _best_terms(shares, n_terms)
    if not columns:
        raise InputError("components must have a weight above 0 somewhere, got only zeros")
    shown = shares[:, columns].T if share_of == "topic" else normalise_rows(shares.T)[columns]
    hover = [
        [
            explain(words[column], _say(share, show(topic, 60), share_of))
            for topic, share in zip(topics, row, strict=True)
        ]
        for column, row in zip(columns, shown.tolist(), strict=True)
    ]
    return _draw(shown, [words[column] for column in columns], topics, hover, share_of, title, mode)


def _say(share: float, topic: str, share_of: str) -> str:
    return f"{percent(share)} of {topic}" if share_of == "topic" else f"{percent(share)} of its weight is in {topic}"


def _draw(
    shown: np.ndarray,
    words: list[str],
    topics: list[str],
    hover: list[list[str]],
    share_of: str,
    title: str,
    mode: Mode,
) -> go.Figure:
    rows, columns = shown.shape
    figure = start(title, mode, subtitle=_SAY[share_of], height=max(rows * _ROW, 120))
    figure.add_heatmap(
        z=shown,
        x=list(range(columns)),
        y=list(range(rows)),
        text=hover,
        hoverinfo="text",
        colorscale=RISING,
        zmin=0,
        zmax=float(shown.max()),
        xgap=1,
        ygap=1,
        colorbar={
            "title": {"text": _SCALE[share_of], "side": "right"},
            "tickformat": ".0%",
            "lenmode": "pixels",
            "len": min(260, max(rows * _ROW, 120)),
            "y": 1,
            "yanchor": "top",
        },
    )
    return _set_axes(figure, words, topics)


def _set_axes(figure: go.Figure, words: list[str], topics: list[str]) -> go.Figure:
    """Name rows and columns; names of columns are turned where they would meet."""
    labels = [show(topic, _LETTERS_OF_TOPIC) for topic in topics]
    fits = max(text_width(label, FONT_SIZE) for label in labels) < _USUAL_WIDTH / len(topics) - 8
    return figure.update_layout(
        xaxis={
            "tickvals": list(range(len(topics))),
            "ticktext": labels,
            "tickangle": 0 if fits else -45,
            "showgrid": False,
            "title": {"text": "topic"},
        },
        yaxis={
            "tickvals": list(range(len(words))),
            "ticktext": [show(word, _LETTERS_OF_TERM) for word in words],
            "autorange": "reversed",
            "showgrid": False,
            "title": {"text": "term"},
        },
    )
