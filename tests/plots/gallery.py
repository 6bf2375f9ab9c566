"""Every figure, made of small data in which each text is the one given."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wayword import plots
from wayword.interpret.themes import ThemeInfo, ThemesInfo

# Tags, entities, formulas and variables that plotly would read, and letters that turn what follows around.
HOSTILE = "<script>alert(1)</script><b onclick=x>&amp;$x^2$%{y}\u202eאבג\x07" + "long" * 30


def _components(n_topics: int = 4, n_terms: int = 12) -> np.ndarray:
    return np.random.default_rng(0).gamma(0.3, size=(n_topics, n_terms))


def _tree(text: str) -> list[plots.Node]:
    leaves = [plots.Node(place, "left" if place < 3 else "right", text, 1.0 + place, text) for place in range(6)]
    return [
        plots.Node("all", None, text, 0),
        plots.Node("left", "all", text, 0),
        plots.Node("right", "all", text, 0),
        *leaves,
    ]


def _themes(text: str) -> ThemesInfo:
    terms = [(text, 0.5), ("bed", 0.2)]
    return ThemesInfo(
        [ThemeInfo(text, terms, [terms, terms[1:]], []), ThemeInfo("food", terms, [terms], [])], [], [], []
    )


FIGURES: dict[str, Callable[..., object]] = {
    "sunburst": lambda text, **more: plots.sunburst(_tree(text), title=text, **more),
    "sunburst by importance": lambda text, **more: plots.sunburst(
        _tree(text), color="importance", importance=[1, 2, 3, 4, 5, 6], title=text, **more
    ),
    "theme_cards": lambda text, **more: plots.theme_cards(_themes(text), title=text, **more),
    "topic_map": lambda text, **more: plots.topic_map(
        _components(), names=[text] * 4, terms=[text] * 12, title=text, **more
    ),
    "term_topic_heatmap": lambda text, **more: plots.term_topic_heatmap(
        _components(), [text] * 12, names=[text] * 4, title=text, **more
    ),
    "document_explanation": lambda text, **more: plots.document_explanation(
        [(text, 1.0), ("room", -0.5), ("the", 0.0)], theme=text, title=text, **more
    ),
    "anchor_plane": lambda text, **more: plots.anchor_plane(
        _components(12, 12), [0, 1, 2, (3, 4)], terms=[text] * 12, title=text, **more
    ),
    "learning_curves": lambda text, **more: plots.learning_curves(
        [1, 2, 4], {text: [[0.1, 0.2, 0.3], [0.2, 0.2, 0.4]], "b": [0.3, 0.4, 0.5]},
        log_sizes=True, x_title=text, y_title=text, title=text, **more,
    ),
    "reliability": lambda text, **more: plots.reliability([0.1, 0.5, 0.9, 0.95], [0, 1, 1, 1], title=text, **more),
    "convergence": lambda text, **more: plots.convergence(
        {text: [3.0, 2.0, 1.5], "b": [2.5, 1.9]}, scale="gap", x_title=text, y_title=text, title=text, **more
    ),
    "topic_evolution": lambda text, **more: plots.topic_evolution(
        [(text, 0.5), ("tax", 0.4)], [("bed", 0.6), (text, 0.2)], states=(text, "after"), title=text, **more
    ),
    "k_selection": lambda text, **more: plots.k_selection(
        [5, 10, 20], {text: [0.9, 0.8, 0.5], "b": [1, 2, 3]}, recommended=10, better={"b": "lower"}, title=text, **more
    ),
}  # fmt: skip
