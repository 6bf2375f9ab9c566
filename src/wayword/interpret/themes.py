"""Themes in words: which terms tell what a theme, its subtopics, its background and the new topics are about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wayword.corpus.html import table
from wayword.errors import InputError
from wayword.interpret.terms import Aggregate, theme_terms, top_terms

if TYPE_CHECKING:
    from wayword.models.themes import ThemeNMF

Terms = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class ThemeInfo:
    """One theme in words, each list with the best term first.

    Attributes
    ----------
    name : str
        The label that the theme is for.
    terms : list of (str, float)
        Terms and scores of the theme.
    subtopics : list of list of (str, float)
        Terms and scores of each subtopic.
    background : list of (str, float)
        Terms and shares of the theme's own background; empty where it has none.
    """

    name: str
    terms: Terms
    subtopics: list[Terms]
    background: Terms

    def to_dict(self) -> dict[str, Any]:
        """Return the theme as plain values."""
        return {
            "name": self.name,
            "terms": dict(self.terms),
            "subtopics": [dict(terms) for terms in self.subtopics],
            "background": dict(self.background),
        }


@dataclass(frozen=True, slots=True)
class ThemesInfo:
    """All themes of a model in words.

    Attributes
    ----------
    themes : list of ThemeInfo
        The themes, in the order of the model.
    background : list of (str, float)
        The background that combined themes share; empty where each theme has its own, or none has.
    new_topics : list of list of (str, float)
        Terms and scores of each new topic.
    new_background : list of (str, float)
        The background of the new topics; empty where there are none.
    """

    themes: list[ThemeInfo]
    background: Terms
    new_topics: list[Terms]
    new_background: Terms

    def to_dict(self) -> dict[str, Any]:
        """Return the themes as plain values."""
        return {
            "themes": [theme.to_dict() for theme in self.themes],
            "background": dict(self.background),
            "new_topics": [dict(terms) for terms in self.new_topics],
            "new_background": dict(self.new_background),
        }

    def _repr_html_(self) -> str:
        def words(terms: Terms) -> str:
            return ", ".join(term for term, _ in terms)

        rows = [(theme.name, words(theme.terms), " / ".join(map(words, theme.subtopics))) for theme in self.themes]
        rows += [(f"new topic {place}", words(terms), "") for place, terms in enumerate(self.new_topics, 1)]
        return table(f"{len(self.themes)} themes", ("theme", "terms", "subtopics"), rows)


def find_shown(terms: Sequence[str], hide: Collection[str]) -> np.ndarray:
    """Return which terms are not to be hidden, nor hold a word that is: bool array of shape (n_terms,)."""
    if isinstance(hide, str):
        raise InputError(f"hide must be a collection of words, got {hide!r}; give it in a list")
    hidden = frozenset(hide)
    return np.array([hidden.isdisjoint([term, *str(term).split()]) for term in terms], dtype=bool)


def rank_shown(
    topics: np.ndarray,
    background: np.ndarray | None,
    shown: np.ndarray,
    *,
    purity_ratio: float | None = None,
    aggregate: Aggregate | None = "max",
) -> np.ndarray:
    """Return what `theme_terms` does, but zero for terms that are not shown.

    A topic that has nothing to show beyond its background shows what it has, at a purity ratio of 1, and one that has
    nothing but hidden terms shows these.

    Parameters
    ----------
    topics, background, purity_ratio, aggregate
        As for `theme_terms`.
    shown : bool array of shape (n_terms,)
        Which terms are shown.
    """
    whole = theme_terms(topics, background, purity_ratio=purity_ratio, aggregate=aggregate)
    if shown.all():
        return whole
    at_one = theme_terms(topics, background, purity_ratio=1.0, aggregate=aggregate)
    scores = whole * shown
    for instead in (at_one * shown, whole):
        scores = np.where(scores.any(axis=-1, keepdims=True), scores, instead)
    return scores


def find_background(model: ThemeNMF, place: int) -> np.ndarray | None:
    """Return the background of a theme, its own or that of all, if there is one."""
    if model.background_ is None:
        return None
    return model.background_[place if model.mode == "separated" else 0]


def describe_themes(
    model: ThemeNMF,
    terms: Sequence[str],
    *,
    n_terms: int = 8,
    purity_ratio: float | None = None,
    aggregate: Aggregate = "max",
    hide: Collection[str] = (),
) -> ThemesInfo:
    """Return the themes of a fitted model in words.

    Parameters
    ----------
    model : ThemeNMF
        The model.
    terms : sequence of str
        The term of each column, for example a `Vocabulary`.
    n_terms : int
        The most terms of a list.
    purity_ratio : float, optional
        How much terms lose that the background has as much of, from 0, nothing, to 1, half; by default all, and the
        others less, see `theme_terms`.
    aggregate : {"max", "sum"}
        How scores of the subtopics become one score of the theme.
    hide : collection of str
        Words that are not shown, nor any phrase that holds one: stop words, where these were counted.
    """
    check_is_fitted(model)
    apart, backgrounds = model.mode == "separated", model.background_
    if len(terms) != model.n_features_in_:
        raise InputError(f"terms must name each of {model.n_features_in_} columns of the model, got {len(terms)}")
    shown = find_shown(terms, hide)

    def rank(topics: np.ndarray, background: np.ndarray | None, aggregate: Aggregate | None) -> list[Terms]:
        scores = rank_shown(topics, background, shown, purity_ratio=purity_ratio, aggregate=aggregate)
        return top_terms(scores, terms, n_terms)

    def list_shares(background: np.ndarray | None) -> Terms:
        if background is None:
            return []
        return top_terms(rank_shown(background[None], None, shown, purity_ratio=0.0), terms, n_terms)[0]

    def describe(place: int, name: Any) -> ThemeInfo:
        topics, background = model.subtopics_[place], find_background(model, place)
        own = list_shares(background) if apart else []
        return ThemeInfo(str(name), rank(topics, background, aggregate)[0], rank(topics, background, None), own)

    found = len(model.new_topics_) > 0
    return ThemesInfo(
        [describe(place, name) for place, name in enumerate(model.themes_)],
        [] if apart or backgrounds is None else list_shares(backgrounds[0]),
        rank(model.new_topics_, model.new_background_, None) if found else [],
        list_shares(model.new_background_) if found and apart else [],
    )
