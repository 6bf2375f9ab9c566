"""Topics for a report: their terms, shares and typical documents, and the groups that similar ones form."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wayword.errors import InputError
from wayword.hierarchy.build import build_tree
from wayword.interpret.terms import theme_terms, top_terms
from wayword.interpret.topics import describe_topics
from wayword.models.theme_scores import normalise_rows
from wayword.plots.sunbursts import Node
from wayword.report.contents import Reading
from wayword.report.overview import N_DOCUMENTS, N_TERMS, ROOT, Overview, Subject, list_terms
from wayword.report.source import Source

# Fewer topics than this are drawn without groups.
_FEWEST_TO_GROUP = 7
_DISPLAY = (
    "Bars rank terms as they are made to be read (display_components_): likely ones, less so the more topics share "
    "them; discovered topics go without those that go together least. Below are the “most likely” terms as they are "
    "(components_)."
)
_PLAIN = (
    "Bars rank terms by their weight in the topic. Below are the “specific” ones: purity 1, where terms that the "
    "other topics use as well lose most."
)
_GROUPED = "Inner ring: groups of similar topics (Ward's linkage). Outer ring: topics, by their share."
_ALONE = "A ring of topics, by their share."


def _specific(topics: np.ndarray) -> np.ndarray:
    """Return how well each term tells each topic from all others together."""
    shares = normalise_rows(topics)
    everything = shares.sum(axis=0)
    # What is left after a topic is taken away may fall a hair below zero.
    others = [np.maximum(everything - share, 0.0) if len(topics) > 1 else None for share in shares]
    return np.array([theme_terms(row[None], rest, purity_ratio=1.0) for row, rest in zip(shares, others, strict=True)])


def _name_topics(model: Any, tops: list[list[tuple[str, float]]]) -> list[str]:
    """Return the labels of topics, where they have one, or their first terms."""
    by_terms = [", ".join(term for term, _ in terms[:3]) or f"topic {k}" for k, terms in enumerate(tops, 1)]
    labels = [str(name) for name in getattr(model, "classes_", ())] if hasattr(model, "topic_names_") else []
    return [*labels, *by_terms[len(labels) :]]


def _anchors_of(model: Any, place: int, terms: tuple[str, ...]) -> tuple[str, ...]:
    anchors = getattr(model, "anchors_", None)
    if anchors is None:
        return ()
    columns = anchors[place] if isinstance(anchors[place], tuple | list) else [anchors[place]]
    return ("anchor: " + " + ".join(terms[int(column)] for column in columns),)


def _labels_of(model: Any, place: int) -> tuple[str, ...]:
    """Return the label that a topic speaks for most, where the model knows."""
    weights = getattr(model, "class_weights_", None)
    weights = getattr(model, "label_topics_", np.zeros((0, 0))).T if weights is None else weights
    if not np.size(weights) or not weights[:, place].sum() > 0 or getattr(model, "bin_means_", None) is not None:
        return ()
    column = weights[:, place] / weights[:, place].sum()
    best = int(column.argmax())
    return (f"speaks most for {model.classes_[best]} ({column[best]:.0%})",)


def _importance_of(model: Any, place: int) -> tuple[str, ...]:
    importance = getattr(model, "topic_importance_", None)
    return () if importance is None else (f"{importance[place]:.1%} of all that topics say about labels",)


def _group(topics: np.ndarray, weights: np.ndarray) -> np.ndarray | None:
    """Return the group of each topic; None where there are too few to group."""
    if len(topics) < _FEWEST_TO_GROUP:
        return None
    return build_tree(topics, method="ward", weights=weights).cut(n_clusters=round(np.sqrt(2 * len(topics))))


def _name_groups(topics: np.ndarray, weights: np.ndarray, groups: np.ndarray, terms: tuple[str, ...]) -> list[Node]:
    """Return a node for each group, named by the terms that tell it from the others."""
    shares = normalise_rows(topics) * weights[:, None]
    sums = np.array([shares[groups == group].sum(axis=0) for group in range(groups.max() + 1)])
    best = top_terms(_specific(sums), terms, N_TERMS)
    return [Node(("group", k), ROOT, list_terms(found, 2), 0.0, list_terms(found)) for k, found in enumerate(best)]


def _hang(leaves: list[Node], groups: np.ndarray, above: list[Node]) -> tuple[list[Node], list[Hashable]]:
    """Return leaves below their groups, and the child of the root that holds each; one alone needs no group."""
    sizes = np.bincount(groups)
    nodes = [node for node, size in zip(above, sizes, strict=True) if size > 1]
    branches: list[Hashable] = []
    for leaf, group in zip(leaves, groups.tolist(), strict=True):
        parent = above[group].id if sizes[group] > 1 else ROOT
        nodes.append(replace(leaf, parent=parent))
        branches.append(leaf.id if parent == ROOT else parent)
    return nodes, branches


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Two ways to rank the terms of topics: the names of both, and the scores of both."""

    names: tuple[str, str]
    scores: tuple[np.ndarray, np.ndarray]
    note: str


def _rank(model: Any) -> _Ranked:
    """Return how the terms of topics are ranked: as the model has them to show, or by weight."""
    topics = np.asarray(model.components_, dtype=np.float64)
    if topics.min() < 0:
        raise InputError(f"a report is about topics of 0 or more, but this {type(model).__name__} has negative weights")
    display = getattr(model, "display_components_", None)
    if display is None:
        return _Ranked(("weight", "specific"), (topics, _specific(topics)), _PLAIN)
    return _Ranked(("made to be read", "most likely"), (np.asarray(display, dtype=np.float64), topics), _DISPLAY)


def _describe(source: Source, ranked: _Ranked) -> list[Subject]:
    model, terms = source.model, source.terms
    found = describe_topics(model, terms, source.X, n_terms=N_TERMS, n_documents=N_DOCUMENTS)
    second = top_terms(ranked.scores[1], terms, N_TERMS)
    names = _name_topics(model, [topic.terms for topic in found])
    return [
        Subject(
            names[k],
            topic.share if np.isfinite(topic.share) else None,
            (*_anchors_of(model, k, terms), *_labels_of(model, k), *_importance_of(model, k)),
            (Reading(ranked.names[0], tuple(topic.terms)), Reading(ranked.names[1], tuple(second[k]))),
            (),
            topic.documents,
        )
        for k, topic in enumerate(found)
    ]


def _weigh(subjects: list[Subject]) -> np.ndarray:
    """Return how large topics are drawn: by their shares, or all alike where these are not known."""
    shares = np.array([subject.share or 0.0 for subject in subjects])
    return shares if shares.any() else np.full(len(subjects), 1.0 / len(subjects))


def read_topics(source: Source) -> Overview:
    """Return the topics of any model with `components_`."""
    ranked = _rank(source.model)
    subjects = _describe(source, ranked)
    topics, weights = np.asarray(source.model.components_, dtype=np.float64), _weigh(subjects)
    leaves = [
        Node(k, ROOT, subject.name, float(weights[k]), list_terms(list(subject.readings[0].terms)))
        for k, subject in enumerate(subjects)
    ]
    groups = _group(topics, weights)
    nodes, branches = leaves, [leaf.id for leaf in leaves]
    if groups is not None:
        nodes, branches = _hang(leaves, groups, _name_groups(topics, weights, groups, source.terms))
    nodes = [Node(ROOT, None, "all topics", 0.0), *nodes]
    say = _ALONE if groups is None else _GROUPED
    return Overview("topic", subjects, ranked.scores[0], weights, nodes, branches, ranked.note, say)
