"""A person answers, and everything follows: the guesses, the next question and the reasons.

`ActiveLearner` keeps which documents have which labels. What it says follows from that alone: labelling a document and
taking the label back leaves no trace.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from wayword.active.asking import measure_doubt, score_questions
from wayword.active.evolution import TopicEvolution, compare_topics
from wayword.active.guesses import Answers, Guesser
from wayword.active.reasons import give_reasons, say_openness
from wayword.active.select import Question, cold_start, select
from wayword.active.space import DocumentSpace, build_space, weigh_terms
from wayword.active.strategies import QueryState
from wayword.active.topics import LiveTopics, TopicSet, read_counts
from wayword.errors import InputError, shorten
from wayword.models.document_topics import check_documents
from wayword.models.inputs import check_whole
from wayword.progress import Progress, ignore

_REASONS_SHOWN = 5
_AS_LIKELY_AS_NOT = 0.5


@dataclass(frozen=True, slots=True)
class Reasons:
    """What speaks for the likeliest label of a document.

    Attributes
    ----------
    label : str
        The likeliest label.
    chance : float
        How likely it is.
    neighbours : list of (id, float)
        Labelled documents that speak for it, and the share of what reaches the document from each.
    words : list of (column, float)
        Terms of the document that speak for it rather than for other labels, by their columns, the heaviest first.
    topics : list of (int, float)
        Topics of the document that do, counted from 0, and their weights.
    """

    label: str
    chance: float
    neighbours: list[tuple[Any, float]]
    words: list[tuple[int, float]]
    topics: list[tuple[int, float]]


def _read_ids(ids: Sequence[Hashable] | None, n_documents: int) -> dict[Any, int]:
    names: Sequence[Any] = range(n_documents) if ids is None else list(ids)
    rows = {name: row for row, name in enumerate(names)}
    if len(names) != n_documents or len(rows) != n_documents:
        raise InputError(f"ids must be {n_documents} different names, got {len(names)}, {len(rows)} of them different")
    return rows


def _read_names(labels: Any) -> tuple[str, ...]:
    """Return the labels of one answer, sorted."""
    given = [labels] if isinstance(labels, str) or not isinstance(labels, Iterable) else list(labels)
    names = [str(name).strip() for name in given if name is not None]
    if not names or not all(names):
        raise InputError(
            f"expected the name of a label, or several, got {shorten(labels)}; skip() leaves a document out"
        )
    return tuple(sorted(set(names)))


def choose_labels(chances: np.ndarray) -> np.ndarray:
    """Return which labels documents have by their chances: all that are as likely as not, and the likeliest anyway.

    Parameters
    ----------
    chances : array of shape (n_documents, n_labels)

    Returns
    -------
    bool array of shape (n_documents, n_labels)
    """
    chosen = chances >= _AS_LIKELY_AS_NOT
    chosen[np.arange(len(chances)), chances.argmax(axis=1)] = True
    return chosen


class ActiveLearner:
    """Asks about the most useful document next, and guesses the labels of all others.

    Parameters
    ----------
    X : matrix of shape (n_documents, n_terms)
        Counts of the documents to be labelled.
    ids : sequence, optional
        What documents are called; their rows by default.
    space : DocumentSpace, optional
        Where the documents lie, from a learner of the same documents before; by default it is made from X.
    multilabel : bool, optional
        Whether documents may have several labels, so that each label has a chance of its own. By default they may as
        soon as one has. If False, several labels of a document are shares of it.
    n_topics : int
        How many topics to show.
    topics : LiveTopics, optional
        Finds the topics, from a learner of the same documents before; by default made from X when first asked for.
    random_state : int
        Seed of decompositions.
    progress : callable
        Told ``("sweeps", done, total)`` while topics are found.

    Attributes
    ----------
    classes_ : list of str
        The labels that some document has, sorted.
    multilabel_ : bool
        Whether each label has a chance of its own now.
    space_ : DocumentSpace
        Where the documents lie.
    ids_ : list
        What documents are called, in order.
    topics_ : TopicSet
        The topics, which know the labels.

    Examples
    --------
    >>> from wayword.active import ActiveLearner
    >>> X = [[4, 2, 0, 0], [3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 3], [0, 0, 2, 4], [0, 0, 1, 1]]
    >>> learner = ActiveLearner(X, ids=["a", "b", "c", "d", "e", "f"])
    >>> learner.label("a", "fruit")
    >>> learner.label("d", "sea")
    >>> learner.predict()
    ['fruit', 'fruit', 'fruit', 'sea', 'sea', 'sea']
    """

    def __init__(
        self,
        X: Any,
        *,
        ids: Sequence[Hashable] | None = None,
        space: DocumentSpace | None = None,
        multilabel: bool | None = None,
        n_topics: int = 20,
        topics: LiveTopics | None = None,
        random_state: int = 0,
        progress: Progress = ignore,
    ) -> None:
        check_whole("n_topics", n_topics)
        self._X = read_counts(X)
        self._rows = _read_ids(ids, self._X.shape[0])
        self.ids_ = list(self._rows)
        self.space_ = build_space(self._X, random_state=random_state, progress=progress) if space is None else space
        self._guesser = Guesser(self.space_)
        self._multilabel = multilabel
        self._labels: dict[int, tuple[str, ...]] = {}
        self._skipped: set[int] = set()
        self._guesses: np.ndarray | None = None
        self._n_topics, self._live = n_topics, topics
        self._topics: TopicSet | None = None
        self._labels_before: dict[int, tuple[str, ...]] = {}
        self._topics_before: TopicSet | None = None

    # What a person does.

    def label(self, id: Hashable, labels: Any) -> None:
        """Say what label, or labels, a document has; what was said of it before is replaced.

        Parameters
        ----------
        id : object
            Which document.
        labels : str or sequence of str
            A name, or several; names that are new become labels.
        """
        row, names = self._row(id), _read_names(labels)
        self._turn()
        self._labels[row] = names

    def unlabel(self, id: Hashable) -> None:
        """Take back what was said of a document; nothing happens if nothing was."""
        row = self._row(id)
        self._turn()
        self._labels.pop(row, None)

    def _turn(self) -> None:
        """Forget what follows from the labels, before they change; what they were is kept for comparison."""
        self._labels_before, self._topics_before = dict(self._labels), self._topics
        self._guesses = self._topics = None

    def skip(self, id: Hashable) -> None:
        """Do not ask about a document again, unless it is labelled and unlabelled."""
        self._skipped.add(self._row(id))

    def unskip(self, id: Hashable) -> None:
        """Allow a skipped document to be asked about again."""
        self._skipped.discard(self._row(id))

    # What follows from it.

    @property
    def classes_(self) -> list[str]:
        """The labels that some document has, sorted."""
        return sorted({name for names in self._labels.values() for name in names})

    @property
    def multilabel_(self) -> bool:
        """Whether each label has a chance of its own: as was said, else whether some document has two or more."""
        if self._multilabel is None:
            return any(len(names) > 1 for names in self._labels.values())
        return self._multilabel

    @property
    def n_labelled(self) -> int:
        """How many documents have labels."""
        return len(self._labels)

    def _row(self, id: Hashable) -> int:
        if id not in self._rows:
            near = get_close_matches(str(id), map(str, self.ids_))
            hint = f"; near matches: {', '.join(near)}" if near else ""
            raise InputError(f"no document is called {shorten(id)}{hint}")
        return self._rows[id]

    def answers(self) -> Answers:
        """Return which documents have which labels, as what measures them needs it; columns are `classes_`."""
        names = self.classes_
        columns = {name: column for column, name in enumerate(names)}
        rows = np.array(sorted(self._labels), dtype=np.int64)
        targets, several = np.zeros((len(rows), len(columns))), self.multilabel_
        for place, row in enumerate(rows):
            given = self._labels[int(row)]
            targets[place, [columns[name] for name in given]] = 1.0 if several else 1.0 / len(given)
        return Answers(self._guesser, rows, targets, tuple(names), several)

    def _guess(self) -> np.ndarray:
        if self._guesses is None:
            if not self._labels:
                raise InputError("no document has a label yet; label some first")
            answers = self.answers()
            self._guesses = self._guesser.guess(answers.rows, answers.targets, multilabel=answers.multilabel)
        return self._guesses

    def predict_proba(self, X: Any = None) -> np.ndarray:
        """Return how likely each label is, in the order of `classes_`.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms), optional
            Other documents; by default those of the learner.

        Returns
        -------
        array of shape (n_documents, n_labels)
            Rows sum to one; or if `multilabel_`, each is a chance of its own.
        """
        guesses = self._guess()
        if X is None:
            return guesses.copy()
        return self.predict_proba_of(self.space_.project(check_documents(X, self._X.shape[1])))

    def predict_proba_of(self, features: np.ndarray) -> np.ndarray:
        """Return the same for documents that have been projected into the space already."""
        return self._guesser.guess_others(features, self._guess(), multilabel=self.multilabel_)

    def predict(self, X: Any = None) -> list[Any]:
        """Return the likeliest label of each document; if `multilabel_`, lists of labels, see `choose_labels`."""
        names, chances = self.classes_, self.predict_proba(X)
        if self.multilabel_:
            return [[names[column] for column in np.flatnonzero(chosen)] for chosen in choose_labels(chances)]
        return [names[column] for column in chances.argmax(axis=1)]

    def next(self, n: int = 1) -> list[Question]:
        """Return the documents to ask about next, with reasons.

        Asked are documents whose answer would reach most doubt: uncertain ones among neighbours, and neighbours of these,
        that are uncertain too. Before the first labels of two kinds, the typical documents of the largest topics are.

        Parameters
        ----------
        n : int
            How many; fewer come back where fewer are left. In a batch, neighbours of one already in it count for less.
        """
        check_whole("n", n)
        labelled = np.zeros(len(self.ids_), dtype=bool)
        labelled[list(self._labels)] = True
        open_ = ~labelled
        open_[list(self._skipped)] = False
        if len(self.classes_) < 2:
            return cold_start(self.space_.topic_shares(), labelled, n, candidates=open_, ids=self.ids_)
        guesses = self._guess()
        several = self.multilabel_
        doubt = measure_doubt(guesses, labelled, multilabel=several)
        scores = score_questions(self._guesser.spreading, doubt, len(self._labels), guesses.shape[1])
        names, nearness = tuple(self.classes_), self.space_.nearness

        def explain(row: int) -> list[str]:
            # Of one document alone: all others need not be checked for it.
            state = QueryState(np.zeros(1, dtype=bool), guesses[[row]], labels=names, multilabel=several)
            return [*give_reasons(state, "margin", 0), *say_openness(nearness, row, doubt)]

        # Copies of a document are as near as can be, but for rounding.
        similarity = nearness.power(1.0 / 3.0).minimum(1.0) if n > 1 else None
        return select(scores, open_, n=n, similarity=similarity, ids=self.ids_, explain=explain)

    @property
    def topics_(self) -> TopicSet:
        """The topics as the labels have them; the first time, it takes seconds to count which terms occur together."""
        if self._topics is None:
            chances = self._guess() if len(self.classes_) > 1 else None
            self._topics = self._finder().refresh(chances)
        return self._topics

    def _finder(self) -> LiveTopics:
        if self._live is None:
            self._live = LiveTopics(self._X, n_topics=self._n_topics)
        return self._live

    def topics_before_after(self, terms: Sequence[str] | None = None, *, n_terms: int = 10) -> TopicEvolution:
        """Return what the last answer, or the last one taken back, did to the topics.

        Parameters
        ----------
        terms : sequence of str, optional
            The term of each column; without, columns are named.
        n_terms : int
            How many terms of each topic are looked at.
        """
        check_whole("n_terms", n_terms)
        if self._topics_before is None:
            now = self._labels, self._guesses, self._topics
            self._labels, self._guesses, self._topics = self._labels_before, None, None
            try:
                self._topics_before = self.topics_
            finally:
                self._labels, self._guesses, self._topics = now
        return compare_topics(self._topics_before, self.topics_, terms, n_terms=n_terms)

    def explain(self, id: Hashable, n: int = _REASONS_SHOWN) -> Reasons:
        """Return which labelled documents, words and topics speak for the likeliest label of a document.

        Parameters
        ----------
        id : object
            Which document.
        n : int
            The most of each to name.
        """
        row, guesses = self._row(id), self._guess()
        label = int(guesses[row].argmax())
        weights = self._guesser.distil(guesses)
        # Labels that exclude each other compete; others speak for themselves.
        toward = weights[:, label] - (0.0 if self.multilabel_ else weights.mean(axis=1))
        n_directions = self.space_.directions.shape[1]
        words = weigh_terms(self._X[[row]], self.space_.rarity)
        gains = words.data * (self.space_.directions[words.indices] @ toward[:n_directions])
        n_topics = self.space_.models[0].n_components
        topic_gains = (self.space_.features[row] * toward)[n_directions : n_directions + n_topics]
        return Reasons(
            self.classes_[label],
            float(guesses[row, label]),
            self._neighbours(row, self.classes_[label], n),
            [(int(words.indices[k]), float(gains[k])) for k in np.argsort(-gains, kind="stable")[:n] if gains[k] > 0],
            [
                (int(k), float(topic_gains[k]))
                for k in np.argsort(-topic_gains, kind="stable")[:n]
                if topic_gains[k] > 0
            ],
        )

    def _neighbours(self, row: int, label: str, n: int) -> list[tuple[Any, float]]:
        """Return the labelled documents from which most of a label reaches another, with their shares."""
        near = self._guesser.spreading.to_row(row)
        others = (other for other, names in self._labels.items() if label in names and other != row)
        reached = {other: float(near[other]) for other in others}
        total = sum(reached.values())
        best = sorted((other for other in reached if reached[other] > 0), key=lambda other: (-reached[other], other))
        return [(self.ids_[other], reached[other] / total) for other in best[:n]]
