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
from scipy import sparse

from wayword.active.guesses import Guesser
from wayword.active.reasons import give_reasons
from wayword.active.scores import margin
from wayword.active.select import Question, cold_start, select
from wayword.active.space import DocumentSpace, build_space, weigh_terms
from wayword.active.strategies import QueryState
from wayword.errors import InputError, shorten
from wayword.models.document_topics import check_documents
from wayword.models.inputs import check_whole
from wayword.progress import Progress, ignore

_REASONS_SHOWN = 5


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
    random_state : int
        Seed of decompositions.
    progress : callable
        Told ``("sweeps", done, total)`` while topics are found.

    Attributes
    ----------
    classes_ : list of str
        The labels that some document has, sorted.
    space_ : DocumentSpace
        Where the documents lie.

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
        random_state: int = 0,
        progress: Progress = ignore,
    ) -> None:
        shape = getattr(X, "shape", None) or np.shape(X)
        self._X = check_documents(X, shape[1] if len(shape) == 2 else 0)
        if not self._X.nnz:
            raise InputError("no document holds any term, so there is nothing to learn from; give other documents")
        self._rows = _read_ids(ids, self._X.shape[0])
        self._ids = list(self._rows)
        self.space_ = build_space(self._X, random_state=random_state, progress=progress) if space is None else space
        self._guesser = Guesser(self.space_)
        self._steps = sparse.csr_matrix(sparse.diags(1.0 / self.space_.degrees) @ self.space_.nearness)
        self._labels: dict[int, tuple[str, ...]] = {}
        self._skipped: set[int] = set()
        self._guesses: np.ndarray | None = None

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
        self._labels[row] = names
        self._guesses = None

    def unlabel(self, id: Hashable) -> None:
        """Take back what was said of a document; nothing happens if nothing was."""
        self._labels.pop(self._row(id), None)
        self._guesses = None

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
    def n_labelled(self) -> int:
        """How many documents have labels."""
        return len(self._labels)

    def _row(self, id: Hashable) -> int:
        if id not in self._rows:
            near = get_close_matches(str(id), map(str, self._ids))
            hint = f"; near matches: {', '.join(near)}" if near else ""
            raise InputError(f"no document is called {shorten(id)}{hint}")
        return self._rows[id]

    def _targets(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of labelled documents, in order, and their labels, rows summing to one."""
        columns = {name: column for column, name in enumerate(self.classes_)}
        rows = np.array(sorted(self._labels), dtype=np.int64)
        targets = np.zeros((len(rows), len(columns)))
        for place, row in enumerate(rows):
            names = self._labels[int(row)]
            targets[place, [columns[name] for name in names]] = 1.0 / len(names)
        return rows, targets

    def _guess(self) -> np.ndarray:
        if self._guesses is None:
            if not self._labels:
                raise InputError("no document has a label yet; label some first")
            self._guesses = self._guesser.guess(*self._targets())
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
            Rows sum to one. Where documents have several labels, the share of each in them.
        """
        guesses = self._guess()
        if X is None:
            return guesses.copy()
        return self.predict_proba_of(self.space_.project(check_documents(X, self._X.shape[1])))

    def predict_proba_of(self, features: np.ndarray) -> np.ndarray:
        """Return the same for documents that have been projected into the space already."""
        return self._guesser.guess_others(features, self._guess())

    def predict(self, X: Any = None) -> list[str]:
        """Return the likeliest label of each document."""
        names = self.classes_
        return [names[column] for column in self.predict_proba(X).argmax(axis=1)]

    def next(self, n: int = 1) -> list[Question]:
        """Return the documents to ask about next, with reasons.

        Asked are documents that are uncertain among neighbours, and neighbours of these, that are uncertain too: their
        answer settles many. Before the first labels of two kinds, the typical documents of the largest topics are.

        Parameters
        ----------
        n : int
            How many; fewer come back where fewer are left. In a batch, neighbours of one already in it count for less.
        """
        check_whole("n", n)
        labelled = np.zeros(len(self._ids), dtype=bool)
        labelled[list(self._labels)] = True
        open_ = ~labelled
        open_[list(self._skipped)] = False
        topics = self.space_.topic_shares()
        if len(self.classes_) < 2:
            return cold_start(topics, labelled, n, candidates=open_, ids=self._ids)
        guesses = self._guess()
        doubt = np.where(labelled, 0.0, margin(guesses))
        near = self._steps @ doubt
        around = 0.5 * (near + self._steps @ near)
        state = QueryState(labelled, probabilities=guesses, theta=topics, labels=tuple(self.classes_))

        def explain(row: int) -> list[str]:
            n_near = int(self._steps[[row]].nnz)
            return [
                *give_reasons(state, "margin", row),
                f"the {n_near} documents near it are {100 * near[row]:.0f} % as open as a tie, on average",
            ]

        nearness = self.space_.nearness
        similarity = nearness.power(1.0 / 3.0) if n > 1 else None
        return select(doubt * around, open_, n=n, similarity=similarity, ids=self._ids, explain=explain)

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
        toward = weights[:, label] - weights.mean(axis=1)
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
        reached = {
            other: float(self._guesser.spreading.from_row(other)[row])
            for other, names in self._labels.items()
            if label in names and other != row
        }
        total = sum(reached.values())
        best = sorted((other for other in reached if reached[other] > 0), key=lambda other: (-reached[other], other))
        return [(self._ids[other], reached[other] / total) for other in best[:n]]
