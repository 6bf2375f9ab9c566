"""Figures of a project, as plotly JSON that the page draws as it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wayword.errors import InputError
from wayword.models.inputs import check_choice
from wayword.workbench.documents import Sight
from wayword.workbench.overview import place_topics, show_labels
from wayword.workbench.views import QualityView

if TYPE_CHECKING:
    import plotly.graph_objects as go

_ALL, _OTHERS = ("", ""), "new topics"


def _need(quality: QualityView | None) -> QualityView:
    if quality is None:
        raise InputError("quality has not been measured yet; measure it first, with labels of two kinds or more")
    return quality


def _sunburst(sight: Sight, _quality: QualityView | None, mode: Any) -> go.Figure:
    from wayword.plots import Node, sunburst

    state, told = sight.state, place_topics(sight)
    themes = {label.id: label.name for label in show_labels(sight)} | {"": _OTHERS}
    shares, terms = state.topics.shares.tolist(), state.record()
    # Every node before its children and these before the next: so sectors have the order of nodes.
    nodes = [Node(_ALL, None, "all topics", 0.0)]
    for theme in (id for id in themes if id in told.labels):
        nodes.append(Node(("label", theme), _ALL, themes[theme], 0.0))
        for id, name, label, share in zip(state.ids, state.names, told.labels, shares, strict=True):
            if label == theme:
                nodes.append(Node(("topic", id), ("label", theme), name, share, ", ".join(terms[id].terms)))
    figure = sunburst(nodes, title="Themes, their topics, and new topics", mode=mode)
    return figure.update_traces(customdata=[node.id for node in nodes])


def _topic_map(sight: Sight, _quality: QualityView | None, mode: Any) -> go.Figure:
    from wayword.plots import topic_map

    state = sight.state
    terms = state.ground.vocabulary.terms
    prevalence = state.topics.shares
    return topic_map(state.topics.components, prevalence=prevalence, names=state.names, terms=terms, mode=mode)


def _learning_curve(_sight: Sight, quality: QualityView | None, mode: Any) -> go.Figure:
    from wayword.plots import learning_curves

    curve = _need(quality).curve
    if not curve:
        raise InputError("there are too few labels for a learning curve; label some more")
    sizes, means, lows, highs = (list(column) for column in zip(*curve, strict=True))
    intervals = {"accuracy": [lows, highs]}
    return learning_curves(sizes, {"accuracy": means}, intervals=intervals, y_title="accuracy", mode=mode)


def _confusion(sight: Sight, quality: QualityView | None, mode: Any) -> go.Figure:
    from wayword.plots.look import start

    found = _need(quality).confusion
    names = [sight.names.get(label, label) for label in found.labels]
    figure = start("Which labels are taken for which", mode, subtitle="rows: labels; columns: guesses", height=560)
    figure.add_heatmap(z=found.counts, x=names, y=names, colorscale="Blues", texttemplate="%{z}", showscale=False)
    figure.update_xaxes(title="guess", side="bottom", type="category")
    figure.update_yaxes(title="label", autorange="reversed", type="category")
    return figure


FIGURES: dict[str, Callable[[Sight, QualityView | None, Any], go.Figure]] = {
    "sunburst": _sunburst,
    "topic_map": _topic_map,
    "learning_curve": _learning_curve,
    "confusion": _confusion,
}


def draw(name: str, sight: Sight, quality: QualityView | None, *, dark: bool = False) -> dict[str, Any]:
    """Return a figure as JSON has it.

    Parameters
    ----------
    name : {"sunburst", "topic_map", "learning_curve", "confusion"}
        Which figure.
    sight : Sight
        What is known.
    quality : QualityView or None
        What was measured.
    dark : bool
        Whether it stands on dark ground.
    """
    check_choice("name", name, FIGURES)
    figure = FIGURES[name](sight, quality, "dark" if dark else "light")
    text = figure.to_json()
    return json.loads(text if text is not None else "{}")


def draw_evolution(before: list[str], after: list[str], title: str, *, dark: bool = False) -> dict[str, Any]:
    """Return the figure of how the terms of a topic changed."""
    from wayword.plots import topic_evolution

    figure = topic_evolution(before, after, title=title, mode="dark" if dark else "light")
    text = figure.to_json()
    return json.loads(text if text is not None else "{}")
