"""Themes for a report: subtopics at purity 0 and 1, shares, typical documents, and the tree they form."""

from __future__ import annotations

from typing import Any

import numpy as np

from wayword.interpret.themes import (
    Terms,
    ThemeInfo,
    ThemesInfo,
    describe_themes,
    find_background,
    find_shown,
    rank_shown,
)
from wayword.interpret.topics import typical_documents
from wayword.models.theme_scores import normalise_rows
from wayword.plots.sunbursts import Node
from wayword.report.contents import Part, Reading
from wayword.report.overview import N_DOCUMENTS, N_TERMS, ROOT, Overview, Subject, lengths_of, list_terms
from wayword.report.source import Source

_TERMS_OF_SUBTOPIC = 7
# Folding a document into every theme takes long; so many, evenly spread, tell the sizes of subtopics well enough.
_MOST_FOLDED = 1000
_FREQUENT, _SPECIFIC, _RANKED = "frequent", "specific", "telling"
_NEW = "a topic that no label names"
NOTE = (
    "A theme is a label with subtopics that nobody labelled. Its bars rank terms by how much more it uses them than its "
    f"background does. Subtopics show two other orders side by side: “{_FREQUENT}” is purity 0, the terms that the subtopic "
    f"uses most; “{_SPECIFIC}” is purity 1, where terms that its background uses as much lose half."
)
TREE_NOTE = "Inner ring: themes, by their share of the documents. Outer ring: the subtopics of each."


def _reading(name: str, terms: Terms) -> Reading:
    return Reading(name, tuple(terms))


def _both(frequent: Terms, specific: Terms) -> tuple[Reading, ...]:
    return _reading(_FREQUENT, frequent), _reading(_SPECIFIC, specific)


def _parts_of(frequent: ThemeInfo, specific: ThemeInfo) -> tuple[Part, ...]:
    pairs = zip(frequent.subtopics, specific.subtopics, strict=True)
    found = [Part(f"subtopic {place}", _both(*pair)) for place, pair in enumerate(pairs, 1)]
    if frequent.background:
        found.append(Part("background", (_reading(_FREQUENT, frequent.background),)))
    return tuple(found)


def _shares_of(source: Source) -> tuple[np.ndarray, str]:
    """Return the share of each theme, and what it is a share of."""
    if source.chances is None or not source.chances.size:
        return np.asarray(source.model.class_prior_), "of the labels that the model was told"
    return normalise_rows(source.chances).mean(axis=0), "of the documents, by their chances"


def _rank(source: Source) -> np.ndarray:
    """Return scores of terms of each theme, then of each new topic, as the bars rank them."""
    model, shown = source.model, find_shown(source.terms, source.hidden)
    themes = [rank_shown(model.subtopics_[k], find_background(model, k), shown) for k in range(len(model.themes_))]
    new = rank_shown(model.new_topics_, model.new_background_, shown, aggregate=None) if len(model.new_topics_) else []
    return np.array([*themes, *new])


def _weigh(source: Source, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how large subtopics, (n_themes, n_subtopics), and new topics are drawn."""
    model = source.model
    n_themes, n_subtopics = model.subtopics_.shape[:2]
    n_new = len(model.new_topics_)
    if source.X is None:
        inside, new = np.full((n_themes, n_subtopics), 1.0 / n_subtopics), np.full(n_new, 1.0 / (n_themes + n_new))
        return inside * shares[:, None], new
    some = source.X[:: 1 + source.X.shape[0] // _MOST_FOLDED]
    sums = model.transform(some)[:, : n_themes * n_subtopics].sum(axis=0).reshape(n_themes, n_subtopics)
    inside = normalise_rows(sums + 1e-12)
    return inside * shares[:, None], model.new_topic_scores(some).mean(axis=0)


def _nodes_of(info: ThemesInfo, weights: np.ndarray, new: np.ndarray) -> list[Node]:
    """Return the tree; subtopics are named by what tells them from their background."""
    nodes = [Node(ROOT, None, "all themes", 0.0)]
    for place, theme in enumerate(info.themes):
        nodes.append(Node(place, ROOT, theme.name, 0.0, list_terms(theme.terms)))
        for k, terms in enumerate(theme.subtopics):
            name = list_terms(terms, 2) or f"subtopic {k + 1}"
            nodes.append(Node((place, k), place, name, float(weights[place, k]), list_terms(terms)))
    for k, terms in enumerate(info.new_topics):
        nodes.append(Node(len(info.themes) + k, ROOT, f"new topic {k + 1}", float(new[k]), list_terms(terms)))
    return nodes


def _typical(source: Source) -> list[list[int]]:
    """Return the rows of typical documents of each theme, then of each new topic."""
    model = source.model
    n = len(model.themes_) + len(model.new_topics_)
    if source.X is None or source.chances is None:
        return [[] for _ in range(n)]
    lengths = lengths_of(source)
    found = typical_documents(source.chances, lengths, N_DOCUMENTS) if len(model.themes_) else []
    if not len(model.new_topics_):
        return found
    return found + typical_documents(model.new_topic_scores(source.X), lengths, N_DOCUMENTS)


def _describe(source: Source, purity_ratio: float | None, n_terms: int) -> ThemesInfo:
    ranked: dict[str, Any] = {"n_terms": n_terms, "purity_ratio": purity_ratio}
    return describe_themes(source.model, source.terms, hide=source.hidden, **ranked)


def _list_subjects(
    usual: ThemesInfo, extremes: tuple[ThemesInfo, ThemesInfo], shares: np.ndarray, rows: list[list[int]]
) -> list[Subject]:
    """Return themes, then new topics."""
    frequent, specific = extremes
    found = []
    for place, theme in enumerate(usual.themes):
        parts = _parts_of(frequent.themes[place], specific.themes[place])
        readings = (_reading(_RANKED, theme.terms),)
        found.append(Subject(theme.name, float(shares[place]), (), readings, parts, rows[place]))
    for place, terms in enumerate(usual.new_topics):
        parts = (Part("terms", _both(frequent.new_topics[place], specific.new_topics[place])),)
        readings, typical = (_reading(_RANKED, terms),), rows[len(usual.themes) + place]
        found.append(Subject(f"new topic {place + 1}", None, (_NEW,), readings, parts, typical))
    return found


def read_themes(source: Source) -> Overview:
    """Return the themes of a `ThemeNMF`, and its new topics after them."""
    usual = _describe(source, None, N_TERMS)
    extremes = _describe(source, 0.0, _TERMS_OF_SUBTOPIC), _describe(source, 1.0, _TERMS_OF_SUBTOPIC)
    shares, of = _shares_of(source)
    subjects = _list_subjects(usual, extremes, shares, _typical(source))
    weights, new = _weigh(source, shares)
    nodes = _nodes_of(usual, weights, new)
    note = f"{NOTE} Shares are {of}." if len(usual.themes) else NOTE
    sizes = np.concatenate([weights.sum(axis=1), new])
    return Overview("theme", subjects, _rank(source), sizes, nodes, list(range(len(subjects))), note, TREE_NOTE)
