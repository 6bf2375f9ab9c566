"""Figures: each a function from plain data to a plotly figure.

Names are imported when first used, so that plotly is loaded only where a figure is drawn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "Node": "sunbursts",
    "anchor_plane": "anchors",
    "convergence": "curves",
    "document_explanation": "explanations",
    "k_selection": "curves",
    "learning_curves": "curves",
    "reliability": "probabilities",
    "sunburst": "sunbursts",
    "template": "look",
    "term_topic_heatmap": "heatmaps",
    "theme_cards": "cards",
    "topic_evolution": "evolution",
    "topic_map": "maps",
}

if TYPE_CHECKING:
    from wayword.plots.anchors import anchor_plane
    from wayword.plots.cards import theme_cards
    from wayword.plots.curves import convergence, k_selection, learning_curves
    from wayword.plots.evolution import topic_evolution
    from wayword.plots.explanations import document_explanation
    from wayword.plots.heatmaps import term_topic_heatmap
    from wayword.plots.look import template
    from wayword.plots.maps import topic_map
    from wayword.plots.probabilities import reliability
    from wayword.plots.sunbursts import Node, sunburst

__all__ = [
    "Node",
    "anchor_plane",
    "convergence",
    "document_explanation",
    "k_selection",
    "learning_curves",
    "reliability",
    "sunburst",
    "template",
    "term_topic_heatmap",
    "theme_cards",
    "topic_evolution",
    "topic_map",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'wayword.plots' has no attribute {name!r}")
    value = getattr(import_module(f"wayword.plots.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
