"""Labels and themes as people see them: how much of the corpus they are, what they are about, and typical documents."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping

import numpy as np

from wayword.guidance.state import Resolution
from wayword.interpret.topics import typical_documents
from wayword.workbench.documents import Sight, show_line
from wayword.workbench.themes import Themes
from wayword.workbench.topics import Coherences, TopicLabels, label_topics, rank_terms, show_terms, show_topics
from wayword.workbench.views import LabelView, OverviewView, TermView, ThemeView, TopicView

_DOCUMENTS = 5
_BACKGROUND_TERMS, _RESIDUAL_DOCUMENTS = 30, 12
_BETWEEN = re.compile(r"[^a-z0-9]+")
_LONGEST_ID = 60


def make_label_id(name: str, taken: Collection[str]) -> str:
    """Return a readable id for a label, which no other has.

    Examples
    --------
    >>> make_label_id("Sci. Space", {"sci-space"})
    'sci-space-2'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    base = _BETWEEN.sub("-", plain).strip("-")[:_LONGEST_ID] or "label"
    id, number = base, 1
    while id in taken:
        number += 1
        id = f"{base}-{number}"
    return id


def count_labels(resolutions: Mapping[str, Resolution]) -> Counter[str]:
    """Return how many documents have each label, where that is settled."""
    return Counter(label for found in resolutions.values() for label in found.labels)


def show_labels(sight: Sight) -> list[LabelView]:
    """Return the labels that count, in the order they were added; their colours never change."""
    counts, shares = count_labels(sight.resolutions), sight.state.label_shares
    colours = {id: place for place, id in enumerate(sight.guidance.label_set)}
    return [
        LabelView(record.id, record.name, counts[record.id], shares.get(record.id, 0.0), colours[record.id])
        for record in sight.guidance.live_labels()
    ]


def place_topics(sight: Sight) -> TopicLabels:
    """Return the label that each topic belongs to."""
    state = sight.state
    prior = np.array([state.label_shares[label] for label in state.labels])
    return label_topics(state.ids, state.topic_labels, state.labels, prior, sight.guidance)


def list_topics(sight: Sight, purity: float, coherences: Coherences) -> list[TopicView]:
    """Return topics, the largest first."""
    state = sight.state
    told = place_topics(sight)
    return show_topics(state.ids, state.called, state.topics, told, sight.guidance, state.ground, purity, coherences)


def _show_theme(
    sight: Sight,
    label: LabelView,
    topics: list[TopicView],
    shown: list[TermView],
    rows: list[int],
    coherences: Coherences,
) -> ThemeView:
    own = [topic for topic in topics if topic.label == label.id]
    terms = shown or (own[0].terms if own else [])
    columns = [sight.state.ground.vocabulary.column(term.term) for term in terms]
    return ThemeView(
        label,
        terms,
        [topic.id for topic in own],
        coherences.of(columns),
        [show_line(sight, row) for row in rows],
    )


def _find_typical(sight: Sight, topics: list[TopicView], label: LabelView) -> list[int]:
    """Return typical documents of a label: by the guesses, or by its topic where no document has it yet."""
    state = sight.state
    if label.id in state.labels:
        place = state.labels.index(label.id)
        weights = np.where(state.guesses[0] == place, state.chances[:, place], 0.0)[:, None]
        return typical_documents(np.hstack([weights, 1.0 - weights]), state.ground.lengths, _DOCUMENTS)[0]
    own = [topic.id for topic in topics if topic.label == label.id]
    if not own:
        return []
    shares = state.document_shares[:, [state.ids.index(id) for id in own]].sum(axis=1, keepdims=True)
    return typical_documents(np.hstack([shares, 1.0 - shares]), state.ground.lengths, _DOCUMENTS)[0]


def show_overview(sight: Sight, purity: float, themes: Themes | None, coherences: Coherences) -> OverviewView:
    """Return the first screen."""
    state, ground = sight.state, sight.state.ground
    topics = list_topics(sight, purity, coherences)
    weights = state.label_terms
    shown = show_terms(weights, rank_terms(weights, ground.term_shares, purity), ground.vocabulary.terms)
    terms = dict(zip(state.labels, shown, strict=True))
    views = [
        _show_theme(sight, label, topics, terms.get(label.id, []), _find_typical(sight, topics, label), coherences)
        for label in show_labels(sight)
    ]
    return OverviewView(
        number=state.number,
        purity=purity,
        themes=views,
        new_topics=[topic for topic in topics if not topic.label],
        background=_show_background(sight, themes),
        residual=_show_residual(sight, themes),
        fitted_at=-1 if themes is None else themes.number,
    )


def _show_background(sight: Sight, themes: Themes | None) -> list[TermView]:
    if themes is None:
        return []
    terms = sight.state.ground.vocabulary.terms
    weights = themes.background[None]
    return [
        view
        for view in show_terms(weights, weights, terms, _BACKGROUND_TERMS)[0]
        if view.term not in sight.guidance.banned
    ]


def _show_residual(sight: Sight, themes: Themes | None) -> list:
    rows = sight.state.ground.rows
    known = [] if themes is None else [rows[id] for id in themes.residual if id in rows]
    return [show_line(sight, row) for row in known[:_RESIDUAL_DOCUMENTS]]
