"""Topics as people steer them: what guidance asks of `LiveTopics`, ids that never shift, and topics in words.

A topic that was found is known by its anchor term; one that a person has touched is pinned, and keeps its id whatever
its anchors become.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from wayword.active.topics import TopicSet
from wayword.evaluation.coherence import mean_npmi
from wayword.evaluation.term_lists import best_columns
from wayword.guidance.constraints import Lookup
from wayword.guidance.state import Guidance
from wayword.interpret.terms import DEFAULT_PURITY_RATIO
from wayword.workbench.ground import Ground
from wayword.workbench.views import TermView, TopicView

SHOWN_TERMS = 12
_NAME_TERMS = 3
_JUDGED_TERMS = 10
# A topic belongs to a label if this share of it does, and the odds for it are so many times what they are anywhere.
_ENOUGH, _BETTER_ODDS = 0.35, 2.0
# The parts of a divided topic are looked for among so many of its terms.
_SPLIT_TERMS = 40


@dataclass(frozen=True, slots=True)
class Wish:
    """What guidance asks of topics, as columns.

    Attributes
    ----------
    pinned : tuple of str
        Topics that stay, sorted by id.
    anchors : tuple of tuple of int
        Their anchors.
    banned : tuple of int
        Terms kept out of every topic.
    forbidden : mapping of int to tuple of int
        Terms kept out of pinned topics, by their places.
    n_topics : int
        How many topics there are to be.
    """

    pinned: tuple[str, ...]
    anchors: tuple[tuple[int, ...], ...]
    banned: tuple[int, ...]
    forbidden: Mapping[int, tuple[int, ...]]
    n_topics: int


def _columns(lookup: Lookup, terms: Sequence[str] | frozenset[str], banned: frozenset[str]) -> tuple[int, ...]:
    """Return columns of known terms that are not banned."""
    known = [term for term in terms if term in lookup.vocabulary and term not in banned]
    return tuple(lookup.vocabulary.column(term) for term in known)


def _strongest(row: np.ndarray, banned: Sequence[int]) -> tuple[int, ...]:
    """Return the column of the strongest term that is not banned, if there is one."""
    left = row.copy()
    left[list(banned)] = 0.0
    return (int(left.argmax()),) if left.any() else ()


def read_wish(guidance: Guidance, lookup: Lookup, n_topics: int, frozen: Mapping[str, np.ndarray]) -> Wish:
    """Return what guidance asks of topics.

    Parameters
    ----------
    guidance : Guidance
        What people want.
    lookup : Lookup
        Finds columns.
    n_topics : int
        How many topics there were to begin with.
    frozen : mapping of str to array of shape (n_terms,)
        Terms of frozen topics; one whose anchors are all banned stands on its strongest term.
    """
    banned = tuple(sorted(_columns(lookup, guidance.banned, frozenset())))
    told = {topic: _columns(lookup, terms, guidance.banned) for topic, terms in guidance.anchors.items()}
    told |= {topic: _strongest(row, banned) for topic, row in frozen.items() if not told.get(topic)}
    # Sorted, because the order of a table may depend on what was undone.
    anchors = {topic: columns for topic, columns in sorted(told.items()) if columns}
    forbidden = {
        place: columns
        for place, topic in enumerate(anchors)
        if (columns := tuple(sorted(_columns(lookup, guidance.forbidden.get(topic, frozenset()), guidance.banned))))
    }
    more = sum(len(parts) - 1 for parts in guidance.split_topics.values())
    wanted = n_topics - len(guidance.merged_topics) + more
    return Wish(tuple(anchors), tuple(anchors.values()), banned, forbidden, max(wanted, len(anchors), 1))


def name_topics(topics: TopicSet, wish: Wish, guidance: Guidance, terms: Sequence[str]) -> tuple[str, ...]:
    """Return the id of each topic: that of the person, or its anchor term."""
    gone = {topic for topic, parts in guidance.split_topics.items() if topic not in parts} | {*guidance.merged_topics}
    taken = {*wish.pinned, *gone}
    ids = list(wish.pinned)
    for anchor in topics.anchors[len(ids) :]:
        term = terms[anchor[0]]
        id, number = term, 1
        while id in taken:
            number += 1
            id = f"{term}#{number}"
        taken.add(id)
        ids.append(id)
    return tuple(ids)


def hold_frozen(
    topics: TopicSet, ids: Sequence[str], frozen: Mapping[str, np.ndarray], banned: Sequence[int]
) -> TopicSet:
    """Return topics of which the frozen ones have the terms that they had, but for banned ones."""
    held = {place: frozen[id] for place, id in enumerate(ids) if id in frozen}
    if not held:
        return topics
    components = topics.components.copy()
    for place, row in held.items():
        left = row.copy()
        left[list(banned)] = 0.0
        components[place] = left / left.sum() if left.sum() > 0 else left
    # What is frozen may hold terms that no longer count.
    return replace(topics, topics=components, origins=topics.term_topics, columns=np.arange(topics.n_terms))


def split_anchors(ground: Ground, component: np.ndarray, n_parts: int, taken: set[int]) -> list[int]:
    """Return terms for the parts of a topic: strong ones that occur in different documents.

    Parameters
    ----------
    ground : Ground
        Counts.
    component : array of shape (n_terms,)
        How likely each term is in the topic.
    n_parts : int
        How many terms.
    taken : set of int
        Columns that are anchors of other topics.
    """
    order = np.argsort(-component, kind="stable")
    strong = np.array([k for k in order if component[k] > 0 and int(k) not in taken][:_SPLIT_TERMS], dtype=np.int64)
    if len(strong) <= n_parts or n_parts == 1:
        return strong[:n_parts].tolist()
    held = ground.columns[:, strong]
    lengths = np.sqrt(np.maximum(np.asarray(held.sum(axis=0)).ravel(), 1.0))
    alike = (held.T @ held).toarray() / np.outer(lengths, lengths)
    weights = np.sqrt(component[strong] / component[strong[0]])
    chosen = [0]
    while len(chosen) < n_parts:
        far = weights * (1.0 - alike[:, chosen].max(axis=1))
        far[chosen] = -1.0
        chosen.append(int(far.argmax()))
    return strong[chosen].tolist()


def _find_common(weights: np.ndarray, common: np.ndarray) -> np.ndarray:
    """Return what the terms of topics stand against."""
    return weights.sum(axis=0) if len(weights) > 1 else weights.sum(axis=0) + common


def _purify(weights: np.ndarray, against: np.ndarray, purity: float) -> np.ndarray:
    # Most terms are in few topics: powers are dear, and taken of these alone.
    scores = np.zeros_like(weights)
    rows, columns = np.nonzero(weights)
    held = weights[rows, columns]
    scores[rows, columns] = held * (held / against[columns]) ** purity
    return scores


def rank_terms(weights: np.ndarray, common: np.ndarray, purity: float) -> np.ndarray:
    """Return scores of terms in topics, from how frequent (purity 0) to how specific they are (1).

    A score is the share of the term in the topic times its purity, which is raised to the power asked for. The purity
    is that of `term_scores`, a share against what is common, where what is common is the other topics; a topic that
    is alone stands against all documents.

    Parameters
    ----------
    weights : array of shape (n_topics, n_terms)
        How likely each term is in each topic.
    common : array of shape (n_terms,)
        How likely each term is anywhere.
    purity : float
        From 0 to 1.
    """
    return _purify(weights, _find_common(weights, common), purity)


class TopicNames:
    """What topics are shown by: the person's name, else their first terms, whatever purity is looked at.

    One name is made when it is asked for, as after most acts only those of one document are.
    """

    def __init__(self, topics: TopicSet, ids: Sequence[str], guidance: Guidance, ground: Ground) -> None:
        self._topics, self._ids, self._told = topics, ids, guidance.topic_names
        self._ground = ground
        self._found: dict[int, str] = {}

    def of(self, place: int) -> str:
        """Return the name of one topic."""
        if place not in self._found:
            self._found[place] = self._told.get(self._ids[place]) or self._make(place) or self._ids[place]
        return self._found[place]

    def all(self) -> tuple[str, ...]:
        """Return the names of all topics."""
        for place, scores in enumerate(self.scores):
            if place not in self._found:
                self._found[place] = self._told.get(self._ids[place]) or self._say(scores) or self._ids[place]
        return tuple(self._found[place] for place in range(len(self._ids)))

    @cached_property
    def scores(self) -> np.ndarray:
        """How well each term stands for each topic: array of shape (n_topics, n_terms)."""
        return _purify(self._topics.components, self._against, DEFAULT_PURITY_RATIO)

    @cached_property
    def _against(self) -> np.ndarray:
        return _find_common(self._topics.components, self._ground.term_shares)

    def _make(self, place: int) -> str:
        return self._say(_purify(self._topics.components[[place]], self._against, DEFAULT_PURITY_RATIO)[0])

    def _say(self, scores: np.ndarray) -> str:
        terms = self._ground.vocabulary.terms
        return ", ".join(terms[k] for k in best_columns(scores, _NAME_TERMS).tolist())


def find_purity(guidance: Guidance, purity: float | None) -> float:
    """Return the purity asked for, else that of the project."""
    if purity is not None:
        return purity
    return DEFAULT_PURITY_RATIO if guidance.purity is None else guidance.purity


def show_terms(
    weights: np.ndarray, scores: np.ndarray, terms: tuple[str, ...], n_terms: int = SHOWN_TERMS
) -> list[list[TermView]]:
    """Return the best terms of each row; those without score are left out."""
    return [
        [TermView(terms[k], float(held[k]), float(scored[k])) for k in best_columns(scored, n_terms).tolist()]
        for held, scored in zip(weights, scores, strict=True)
    ]


class Coherences:
    """The coherence of lists of terms; kept, because most topics stay as they are from one act to the next."""

    _MOST = 4_000

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._known: dict[tuple[int, ...], float | None] = {}
        self._bits: dict[int, np.ndarray] = {}

    def of(self, columns: Sequence[int]) -> float | None:
        """Return the coherence of terms; None for fewer than two."""
        key = tuple(columns)[:_JUDGED_TERMS]
        if key not in self._known:
            if len(self._known) >= self._MOST:
                self._known = {}
            self._known[key] = self._measure(key)
        return self._known[key]

    def _measure(self, columns: tuple[int, ...]) -> float | None:
        if len(columns) < 2:
            return None
        held = np.stack([self._documents_of(column) for column in columns])
        together = np.bitwise_count(held[:, None] & held).sum(axis=2, dtype=np.int64)
        value = mean_npmi(together / max(self._ground.n_documents, 1))
        return value if np.isfinite(value) else None

    def _documents_of(self, column: int) -> np.ndarray:
        """Return which documents hold a term, a bit for each."""
        if column not in self._bits:
            columns = self._ground.columns
            held = np.zeros(64 * -(-self._ground.n_documents // 64), dtype=bool)
            held[columns.indices[columns.indptr[column] : columns.indptr[column + 1]]] = True
            self._bits[column] = np.packbits(held).view(np.uint64)
        return self._bits[column]


@dataclass(frozen=True, slots=True)
class TopicLabels:
    """The label that most of each topic belongs to, and how much of it; an empty id for a new topic."""

    labels: tuple[str, ...]
    shares: tuple[float, ...]


def _belongs(share: float, prior: float) -> bool:
    """Whether so much of a topic has a label that it belongs to it, given how much of everything has it."""
    return share >= _ENOUGH and share * (1.0 - prior) >= _BETTER_ODDS * prior * (1.0 - share)


def label_topics(
    ids: Sequence[str], chances: np.ndarray, labels: Sequence[str], prior: np.ndarray, guidance: Guidance
) -> TopicLabels:
    """Return the labels that topics belong to: what they were promoted to, or what sets them apart.

    Parameters
    ----------
    ids : sequence of str
        Ids of topics.
    chances : array of shape (n_topics, n_labels)
        How likely each label is in each topic.
    labels : sequence of str
        Ids of labels.
    prior : array of shape (n_labels,)
        How likely labels are anywhere.
    guidance : Guidance
        Says which topics were promoted.
    """
    found, shares = [], []
    for place, id in enumerate(ids):
        promoted = guidance.promoted.get(id)
        own = guidance.label_now(promoted) if promoted else None
        best = int(chances[place].argmax()) if chances.shape[1] else -1
        share = float(chances[place, best]) if best >= 0 else 0.0
        if own is not None:
            share = float(chances[place, labels.index(own)]) if own in labels and chances.shape[1] else 1.0
            found.append(own)
        else:
            found.append(labels[best] if best >= 0 and _belongs(share, float(prior[best])) else "")
        shares.append(share)
    return TopicLabels(tuple(found), tuple(shares))


def show_topics(
    ids: Sequence[str],
    called: TopicNames,
    topics: TopicSet,
    told: TopicLabels,
    guidance: Guidance,
    ground: Ground,
    purity: float,
    coherences: Coherences,
) -> list[TopicView]:
    """Return topics as they are shown, the largest first."""
    terms, names = ground.vocabulary.terms, called.all()
    usual = purity == DEFAULT_PURITY_RATIO
    scores = called.scores if usual else rank_terms(topics.components, ground.term_shares, purity)
    shown = show_terms(topics.components, scores, terms)
    views = []
    for place, id in enumerate(ids):
        best = shown[place]
        columns = [ground.vocabulary.column(term.term) for term in best]
        views.append(
            TopicView(
                id,
                names[place],
                [terms[column] for column in topics.anchors[place]],
                best,
                float(topics.shares[place]),
                told.labels[place],
                told.shares[place],
                coherences.of(columns),
                id in guidance.anchors or id in guidance.frozen,
                id in guidance.frozen,
                sorted(guidance.forbidden.get(id, ())),
            )
        )
    return sorted(views, key=lambda view: -view.share)
