"""What follows from the acts at once: guesses, topics, and the order in which documents are asked about.

`compute` is a pure function of guidance: a restart gives the same bits. `Live` calls it in a thread of its own after
every act; the newest state wins, and nobody who labels ever waits for it unless they ask to.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wayword.active.asking import measure_doubt, score_questions
from wayword.active.select import cold_start, select
from wayword.active.topics import TopicSet
from wayword.evaluation.term_lists import best_columns
from wayword.guidance.state import Guidance, Resolution
from wayword.workbench.ground import Ground
from wayword.workbench.topics import TopicNames, Wish, hold_frozen, name_topics, read_wish

_UNSETTLED = ("open", "disagreement")
# Documents that are asked about first, chosen to differ from each other: one for each of several annotators.
_BATCH, _COLD_BATCH = 12, 6
# The best, among which these are looked for.
_HEAD = 256
_MOVED_TERMS = 10
_STATES_KEPT = 200


@dataclass(frozen=True, slots=True)
class Told:
    """Everything that guesses and topics depend on, beside the ground.

    Attributes
    ----------
    guidance : Guidance
        What all acts amount to.
    settled : mapping of str to tuple of str
        Labels of the documents that have some, by id.
    frozen : mapping of str to array of shape (n_terms,)
        Terms of frozen topics.
    n_topics : int
        How many topics there were to begin with.
    """

    guidance: Guidance
    settled: Mapping[str, tuple[str, ...]]
    frozen: Mapping[str, np.ndarray]
    n_topics: int


@dataclass(frozen=True, eq=False)
class LiveState:
    """Guesses, topics and questions after an act.

    Attributes
    ----------
    number : int
        The act.
    guidance : Guidance
        What it was computed from.
    labels : tuple of str
        Ids of labels that documents have, sorted: the columns of `chances`. None before there are two, as one alone
        says nothing about other documents.
    rows : int array
        Rows of documents that have labels, in order.
    targets : array of shape (n_labelled, n_labels)
        1 for each of their labels, 0 for others.
    several : bool
        Whether a document has several labels, so that each label has a chance of its own.
    chances : array of shape (n_documents, n_labels)
        How likely each label is; rows sum to one, unless documents have several labels.
    ids : tuple of str
        Ids of the topics.
    topics : TopicSet
        The topics.
    order : int array
        Rows of documents without labels, the most useful to ask about first.
    doubt : array of shape (n_documents,), or None
        How open documents are; None before there are two labels.
    reasons : mapping of int to tuple of str
        Why some documents are asked about, in words, before there are two labels.
    """

    ground: Ground
    number: int
    guidance: Guidance
    labels: tuple[str, ...]
    rows: np.ndarray
    targets: np.ndarray
    several: bool
    chances: np.ndarray
    ids: tuple[str, ...]
    topics: TopicSet
    order: np.ndarray
    doubt: np.ndarray | None
    reasons: Mapping[int, tuple[str, ...]]

    @cached_property
    def called(self) -> TopicNames:
        """What topics are shown by."""
        return TopicNames(self.topics, self.ids, self.guidance, self.ground)

    @property
    def names(self) -> tuple[str, ...]:
        """What all topics are shown by."""
        return self.called.all()

    @cached_property
    def document_shares(self) -> np.ndarray:
        """The shares of topics in documents, rows summing to one."""
        return self.topics.document_shares(self.ground.light_counts)

    @cached_property
    def topic_labels(self) -> np.ndarray:
        """How likely each label is in documents that are mostly of each topic: array of shape (n_topics, n_labels)."""
        # Squared, as every document has a little of most topics.
        having = (self.document_shares**2).T @ self.share_labels()
        totals = having.sum(axis=1, keepdims=True)
        return having / np.where(totals > 0, totals, 1.0)

    @cached_property
    def label_terms(self) -> np.ndarray:
        """How likely each term is in documents of each label: array of shape (n_labels, n_terms), without banned terms."""
        counts = np.asarray(self.ground.X.T @ self.chances).T
        banned = [self.ground.vocabulary.column(t) for t in self.guidance.banned if t in self.ground.vocabulary]
        counts[:, banned] = 0.0
        totals = counts.sum(axis=1, keepdims=True)
        return counts / np.where(totals > 0, totals, 1.0)

    @cached_property
    def label_shares(self) -> Mapping[str, float]:
        """The share of each label in all documents, as guessed; they sum to one."""
        means = self.share_labels().mean(axis=0).tolist() if len(self.labels) else []
        return dict(zip(self.labels, means, strict=True))

    @cached_property
    def guesses(self) -> tuple[np.ndarray, np.ndarray]:
        """The likeliest label of each document, by its column, and how likely it is; -1 before there are labels."""
        if not self.labels:
            return np.full(len(self.chances), -1), np.zeros(len(self.chances))
        best = self.chances.argmax(axis=1)
        return best, self.chances[np.arange(len(best)), best]

    def share_labels(self, rows: slice | list[int] = slice(None)) -> np.ndarray:
        """Return chances of labels as shares of documents: array of shape (n_rows, n_labels), rows summing to one."""
        chances = self.chances[rows]
        if not self.several:
            return chances
        totals = chances.sum(axis=1, keepdims=True)
        return np.where(totals > 0, chances / np.where(totals > 0, totals, 1.0), 1.0 / max(len(self.labels), 1))

    def record(self) -> dict[str, Move]:
        """Return what is kept of the state to tell how topics moved."""
        terms = self.ground.vocabulary.terms
        tops = (best_columns(topic, _MOVED_TERMS).tolist() for topic in self.topics.components)
        return {
            id: Move(tuple(terms[k] for k in anchor), tuple(terms[k] for k in top))
            for id, anchor, top in zip(self.ids, self.topics.anchors, tops, strict=True)
        }


@dataclass(frozen=True, slots=True)
class Move:
    """A topic at some time, in words: its anchors and its best terms."""

    anchors: tuple[str, ...]
    terms: tuple[str, ...]


class Settling:
    """Keeps what is settled about documents from one state to the next, and looks again only at what has changed."""

    def __init__(self) -> None:
        self._before = Guidance()
        self._found: dict[str, Resolution] = {}

    def resolutions(self, guidance: Guidance) -> Mapping[str, Resolution]:
        """Return what is settled about every document that somebody has labelled."""
        before = self._before
        if guidance is before:
            return self._found
        if guidance.label_set != before.label_set:
            found = guidance.resolutions()
        else:
            found = {d: self._found[d] for d in self._found if d in guidance.labels or d in guidance.adjudications}
            changed = [d for d, said in guidance.labels.items() if said is not before.labels.get(d)]
            changed += [d for d, said in guidance.adjudications.items() if said is not before.adjudications.get(d)]
            changed += [d for d in before.adjudications if d not in guidance.adjudications and d in found]
            changed += [d for d in before.labels if d not in guidance.labels and d in found]
            for document in changed:
                found[document] = guidance.resolve(document)
        self._before, self._found = guidance, found
        return found

    def settled(self, guidance: Guidance) -> dict[str, tuple[str, ...]]:
        """Return the labels of documents where they are settled."""
        found = self.resolutions(guidance)
        return {document: result.labels for document, result in found.items() if result.status not in _UNSETTLED}


def _targets(ground: Ground, settled: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Return ids of labels, rows of labelled documents, and which labels they have."""
    by_row = {ground.rows[document]: labels for document, labels in settled.items() if document in ground.rows}
    labels = tuple(sorted({label for told in by_row.values() for label in told}))
    places = {label: place for place, label in enumerate(labels)}
    rows = np.array(sorted(by_row), dtype=np.int64)
    targets = np.zeros((len(rows), len(labels)))
    for place, row in enumerate(rows.tolist()):
        targets[place, [places[label] for label in by_row[row]]] = 1.0
    return labels, rows, targets


def _ask_cold(
    ground: Ground, topics: TopicSet, names: Sequence[str], labelled: np.ndarray
) -> tuple[np.ndarray, dict[int, tuple[str, ...]]]:
    """Return the order before there are two labels: the typical documents of the largest topics, then by topic."""
    shares = topics.document_shares(ground.light_counts)
    shares[ground.lengths == 0] = 0.0
    questions = cold_start(shares, labelled, _COLD_BATCH, topics=names)
    first = [question.row for question in questions]
    rest = np.lexsort((np.arange(len(labelled)), -shares.max(axis=1, initial=0.0)))
    chosen = labelled.copy()
    chosen[first] = True
    order = np.concatenate([np.array(first, dtype=np.int64), rest[~chosen[rest]]])
    return order, {question.row: question.reasons for question in questions}


def _ask(ground: Ground, doubt: np.ndarray, labelled: np.ndarray, n_labels: int) -> np.ndarray:
    """Return the order in which to ask: documents whose answer would reach most doubt, no two alike in the first few."""
    scores = score_questions(ground.guesser.spreading, doubt, int(labelled.sum()), n_labels)
    order = np.argsort(-scores, kind="stable")
    order = order[~labelled[order]]
    head = order[:_HEAD]
    alike = ground.likeness[head][:, head]
    batch = select(scores[head], np.ones(len(head), dtype=bool), n=_BATCH, similarity=alike) if len(head) else []
    first = [question.row for question in batch]
    return np.concatenate([head[first], np.delete(head, first), order[_HEAD:]])


def find_topics(ground: Ground, wish: Wish, chances: np.ndarray | None) -> TopicSet:
    """Return topics as they are wished for."""
    return ground.topics.refresh(
        chances, anchors=wish.anchors, banned=wish.banned, forbidden=wish.forbidden, n_topics=wish.n_topics
    )


def compute(ground: Ground, told: Told) -> LiveState:
    """Return guesses, topics and the order of questions: a function of what was told, to the last bit.

    Parameters
    ----------
    ground : Ground
        Documents and their space.
    told : Told
        What people have said.
    """
    labels, rows, targets = _targets(ground, told.settled)
    several = bool((targets.sum(axis=1) > 1).any())
    if len(labels) < 2:
        labels, targets = (), targets[:, :0]
    n_documents = ground.n_documents
    chances = np.zeros((n_documents, 0))
    if labels:
        chances = ground.guesser.guess(rows, targets, multilabel=several)
    ground.guesser.spreading.forget(set(rows.tolist()))
    wish = read_wish(told.guidance, ground.lookup, told.n_topics, told.frozen)
    topics = find_topics(ground, wish, chances if labels else None)
    terms = ground.vocabulary.terms
    ids = name_topics(topics, wish, told.guidance, terms)
    topics = hold_frozen(topics, ids, told.frozen, wish.banned)
    labelled = np.zeros(n_documents, dtype=bool)
    labelled[rows] = True
    doubt, reasons = None, {}
    if labels:
        doubt = measure_doubt(chances, labelled, multilabel=several)
        order = _ask(ground, doubt, labelled, len(labels))
    else:
        names = TopicNames(topics, ids, told.guidance, ground)
        order, reasons = _ask_cold(ground, topics, names.all(), labelled)
    return LiveState(
        ground,
        told.guidance.number,
        told.guidance,
        labels,
        rows,
        targets,
        several,
        chances,
        ids,
        topics,
        order,
        doubt,
        reasons,
    )


class Live:
    """Computes the newest state in a thread of its own.

    Parameters
    ----------
    ground : Ground
        Documents and their space.
    ask : callable
        Gives what was told by now.
    announce : callable
        Told the number of each new state.
    """

    def __init__(self, ground: Ground, ask: Callable[[], Told], announce: Callable[[int], None]) -> None:
        self._ground, self._ask, self._announce = ground, ask, announce
        self._changed = threading.Condition()
        self._computing = threading.Lock()
        self._state: LiveState | None = None
        self._records: OrderedDict[int, dict[str, Move]] = OrderedDict()
        self._error: BaseException | None = None
        self._wanted, self._closed = 0, False
        self._thread = threading.Thread(target=self._run, name="wayword-live", daemon=True)
        self._thread.start()

    def wake(self, number: int) -> None:
        """Say that there is an act with this number; its state is computed soon."""
        with self._changed:
            self._wanted = max(self._wanted, number)
            self._changed.notify_all()

    def replace_ground(self, ground: Ground) -> None:
        """Go on with other documents; the state is computed anew."""
        with self._computing, self._changed:
            self._ground, self._state = ground, None
            self._records.clear()
            self._changed.notify_all()

    def wait(self, number: int, timeout: float | None) -> LiveState:
        """Return the state after an act, or after the time the newest there is; the first one is always waited for."""
        end = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            while self._state is None or self._state.number < number:
                self._check()
                left = None if end is None else end - time.monotonic()
                if self._state is not None and left is not None and left <= 0:
                    break
                self._changed.wait(None if self._state is None else left)
            return self._state

    def record_of(self, number: int) -> dict[str, Move] | None:
        """Return what was kept of the state after an act, if it still is."""
        with self._changed:
            return self._records.get(number)

    def topics_with(self, told: Told, chances: np.ndarray) -> TopicSet:
        """Return the topics that other guesses would give."""
        with self._computing:
            wish = read_wish(told.guidance, self._ground.lookup, told.n_topics, told.frozen)
            return find_topics(self._ground, wish, chances)

    def compute_at(self, told: Told) -> LiveState:
        """Return the state that something else would give."""
        with self._computing:
            return compute(self._ground, told)

    def close(self) -> None:
        """Stop."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _check(self) -> None:
        """Raise what went wrong, in the thread of whoever waits."""
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _is_due(self) -> bool:
        return self._closed or ((self._state is None or self._state.number < self._wanted) and self._error is None)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._is_due)
                if self._closed:
                    return
            try:
                self._step()
            except BaseException as error:
                with self._changed:
                    self._error = error
                    self._changed.notify_all()

    def _step(self) -> None:
        # Asked before: whoever tells holds a lock, in which they may be waiting for this one.
        told = self._ask()
        with self._computing:
            state = compute(self._ground, told)
            with self._changed:
                self._state = state
                self._changed.notify_all()
            record = state.record()
            with self._changed:
                self._records[state.number] = record
                while len(self._records) > _STATES_KEPT:
                    self._records.popitem(last=False)
        self._announce(state.number)
        with self._changed:
            is_last = not self._is_due()
        if is_last:  # while answers are on their way, work out what a screen asks for next
            _ = state.topic_labels
