"""How accuracy grows with labels, if a person were asked by one strategy or another.

Labels of the pool are known and given one by one, as asked for. The protocol is that of Nguyen (2019), section 5.3: a
few random documents of different labels to begin with, then one question at a time, measured on other documents.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.utils import check_random_state

from wayword.active.learner import ActiveLearner
from wayword.active.select import ask
from wayword.active.space import DocumentSpace, weigh_terms
from wayword.active.strategies import STRATEGIES, QueryState
from wayword.active.topics import LiveTopics, TopicSet
from wayword.errors import InputError
from wayword.evaluation.coherence import npmi
from wayword.evaluation.ranking import log_rank_accuracy
from wayword.models.discovery import TopicDiscovery, rarity_of
from wayword.models.document_topics import check_documents
from wayword.models.inputs import check_choice, check_whole
from wayword.progress import Progress, ignore

AUTO = "auto"
_COMMITTEE, _DRAWN = 5, 0.8
_TOP_TERMS = 10
_COMMITTEES = ("vote_entropy", "jensen_shannon")


@dataclass(frozen=True, slots=True)
class Simulation:
    """What came of one strategy.

    Attributes
    ----------
    strategy : str
        Who asked.
    n_labels : int array of shape (n_points,)
        How many documents had labels at each point.
    accuracy, macro_f1, log_rank_accuracy : arrays of shape (n_points,)
        On the documents to measure with.
    npmi : array of shape (n_points,)
        Coherence of the topics there were, in the pool; NaN where the strategy has none.
    seconds : array of shape (n_points,)
        From an answer to the next question, on average since the point before.
    asked : int array of shape (n_labels,)
        The rows of the pool that were labelled, in order.
    """

    strategy: str
    n_labels: np.ndarray
    accuracy: np.ndarray
    macro_f1: np.ndarray
    log_rank_accuracy: np.ndarray
    npmi: np.ndarray
    seconds: np.ndarray
    asked: np.ndarray


class Asker(Protocol):
    """Who is told labels, asks for the next and guesses."""

    def tell(self, row: int, label: str) -> None:
        """Take a label of a document of the pool."""
        ...

    def next(self, n: int) -> list[int]:
        """Return the rows to ask about."""
        ...

    def predict_proba(self) -> tuple[list[str], np.ndarray]:
        """Return labels, and how likely they are in each of the documents to measure with."""
        ...

    def topics(self) -> np.ndarray | None:
        """Return topics by terms, if there are any."""
        ...


class _Automatic:
    """The learner of the library, whose topics are found again after every answer."""

    def __init__(self, learner: ActiveLearner, X_test: sparse.csr_matrix) -> None:
        self._learner = learner
        self._others = learner.space_.project(X_test)

    def tell(self, row: int, label: str) -> None:
        self._learner.label(row, label)

    def next(self, n: int) -> list[int]:
        self.topics()
        return [question.row for question in self._learner.next(n)]

    def predict_proba(self) -> tuple[list[str], np.ndarray]:
        return self._learner.classes_, self._learner.predict_proba_of(self._others)

    def topics(self) -> np.ndarray:
        return self._learner.topics_.components


class _Linear:
    """A logistic regression on topic shares or tf-idf, and a strategy of the literature."""

    def __init__(
        self,
        X: sparse.csr_matrix,
        X_test: sparse.csr_matrix,
        strategy: str,
        features: str,
        n_topics: int,
        min_df: int | Literal["auto"],
        seed: int,
    ) -> None:
        self._X, self._X_test, self._strategy, self._seed = X, X_test, strategy, seed
        self._labels: dict[int, str] = {}
        self._topics: np.ndarray | None = None
        self._theta: np.ndarray | None = None
        self._found: TopicSet | None = None
        # As the thesis has it: nothing rectified, label columns as they come, shares in one step.
        self._live = (
            LiveTopics(X, n_topics=n_topics, min_df=min_df, rectify=False, label_weight=4.0, pseudo_counts=0.0)
            if strategy.startswith("alsup")
            else None
        )
        if features == "tfidf":
            rarity = rarity_of(X)
            self._inputs, self._others = weigh_terms(X, rarity), weigh_terms(X_test, rarity)
        elif self._live is None:
            model = TopicDiscovery(n_topics).fit(X)
            self._inputs, self._others = model.transform(X), model.transform(X_test)
            self._theta, self._topics = self._inputs, model.components_
        self._classifier: LogisticRegression | None = None

    def tell(self, row: int, label: str) -> None:
        self._labels[row] = label
        self._classifier = None

    def _learn(self) -> LogisticRegression:
        if self._classifier is None:
            if self._live is not None:
                self._find_topics(self._live)
            self._classifier = self._fit(np.array(sorted(self._labels)))
        return self._classifier

    def _find_topics(self, live: LiveTopics) -> None:
        """Find topics again, now that one more label is known."""
        names = sorted(set(self._labels.values()))
        chances = np.full((self._X.shape[0], len(names)), np.nan)
        for row, name in self._labels.items():
            chances[row] = [name == other for other in names]
        self._found = live.refresh(chances)
        self._inputs = self._theta = self._found.document_shares(self._X)
        self._topics = self._found.components

    def _fit(self, rows: np.ndarray) -> LogisticRegression:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            # At first there is a label or two of each kind, and they are labels all the same.
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            return LogisticRegression(C=100.0, max_iter=200).fit(self._inputs[rows], [self._labels[r] for r in rows])

    def _committee(self, names: list[str]) -> np.ndarray:
        """Return the chances by models of random parts of the labelled documents."""
        rng = np.random.RandomState(self._seed + len(self._labels))
        rows = np.array(sorted(self._labels))
        found = []
        for _ in range(_COMMITTEE):
            part = rng.choice(rows, max(2, round(_DRAWN * len(rows))), replace=False)
            if len({self._labels[row] for row in part}) < 2:
                part = rows
            member = self._fit(part)
            chances = np.zeros((self._inputs.shape[0], len(names)))
            chances[:, [names.index(name) for name in member.classes_]] = member.predict_proba(self._inputs)
            found.append(chances)
        return np.array(found)

    def next(self, n: int) -> list[int]:
        labelled = np.zeros(self._X.shape[0], dtype=bool)
        labelled[list(self._labels)] = True
        learnt = self._learn()
        names = [str(name) for name in learnt.classes_]
        state = QueryState(
            labelled,
            probabilities=learnt.predict_proba(self._inputs),
            theta=self._theta,
            committee=self._committee(names) if self._strategy in _COMMITTEES else None,
            seed=self._seed + len(self._labels),
        )
        return [question.row for question in ask(state, self._strategy, n=n)]

    def predict_proba(self) -> tuple[list[str], np.ndarray]:
        learnt = self._learn()
        others = self._others if self._found is None else self._found.document_shares(self._X_test)
        return [str(name) for name in learnt.classes_], learnt.predict_proba(others)

    def topics(self) -> np.ndarray | None:
        return self._topics


def draw_start(y: np.ndarray, n_start: int, rng: np.random.RandomState) -> list[int]:
    """Return random documents of different labels, as far as there are so many labels."""
    order = rng.permutation(len(y))
    found: list[int] = []
    seen: set[Any] = set()
    for row in order:
        if y[row] not in seen and len(found) < n_start:
            seen.add(y[row])
            found.append(int(row))
    taken = set(found)
    return found + [int(row) for row in order if row not in taken][: n_start - len(found)]


def _coherence(topics: np.ndarray | None, X: sparse.csr_matrix) -> float:
    if topics is None:
        return float("nan")
    return float(np.nanmean(npmi([np.argsort(-row, kind="stable")[:_TOP_TERMS].tolist() for row in topics], X)))


def simulate(
    X: Any,
    y: Any,
    *,
    X_test: Any,
    y_test: Any,
    strategy: str = AUTO,
    n_start: int = 5,
    n_labels: int = 200,
    batch: int = 1,
    features: str = "topics",
    n_topics: int = 20,
    min_df: int | Literal["auto"] = "auto",
    every: int = 1,
    space: DocumentSpace | None = None,
    live_topics: LiveTopics | None = None,
    random_state: Any = 0,
    progress: Progress = ignore,
) -> Simulation:
    """Label a pool as a strategy asks for it, and measure what is learnt.

    Parameters
    ----------
    X : matrix of shape (n_documents, n_terms)
        Counts of the pool.
    y : sequence of str
        The label of each of its documents.
    X_test, y_test
        Documents to measure with, and their labels.
    strategy : str
        ``"auto"``, the learner of Wayword; or one of `STRATEGIES`, asked by a logistic regression. Those that begin
        with ``alsup`` find topics again after every answer.
    n_start : int
        Random documents of different labels to begin with.
    n_labels : int
        How many labels in all; fewer if the pool is smaller.
    batch : int
        How many documents to ask about at once.
    features : {"topics", "tfidf"}
        What the logistic regression of a strategy of the literature sees.
    n_topics : int
        How many topics it sees.
    min_df : int or "auto"
        In how many documents a term must occur to anchor a topic that is found again.
    every : int
        Measure after so many labels.
    space : DocumentSpace, optional
        Where the documents of the pool lie, from `build_space`, so that several runs share it.
    live_topics : LiveTopics, optional
        Finds the topics of the pool for ``"auto"``, so that several runs share it.
    random_state : int, RandomState or None
        Seed of the first documents.
    progress : callable
        Told ``("labels", done, total)``.
    """
    check_choice("strategy", strategy, (AUTO, *STRATEGIES))
    check_choice("features", features, ("topics", "tfidf"))
    for name, value in (("n_start", n_start), ("n_labels", n_labels), ("batch", batch), ("every", every)):
        check_whole(name, value)
    pool = check_documents(X, np.shape(X)[1])
    others = check_documents(X_test, pool.shape[1])
    y, y_test = np.array([str(name) for name in y]), np.array([str(name) for name in y_test])
    if len(y) != pool.shape[0] or len(y_test) != others.shape[0]:
        raise InputError(
            f"expected a label for each of {pool.shape[0]} and {others.shape[0]} documents, "
            f"got {len(y)} and {len(y_test)}"
        )
    if len(set(y)) < 2:
        raise InputError("the labels of the pool are all the same, so there is nothing to learn; give two or more")
    rng = check_random_state(random_state)
    start = draw_start(y, min(n_start, n_labels), rng)
    if strategy == AUTO:
        learner = ActiveLearner(pool, space=space, topics=live_topics, n_topics=n_topics)
        asker: Asker = _Automatic(learner, others)
    else:
        asker = _Linear(pool, others, strategy, features, n_topics, min_df, int(rng.randint(2**31 - 1)))
    return _Run(asker, pool, y, y_test, min(n_labels, len(y))).go(strategy, start, batch, every, progress)


@dataclass(frozen=True, slots=True)
class _Run:
    """A pool whose labels are given as they are asked for."""

    asker: Asker
    pool: sparse.csr_matrix
    y: np.ndarray
    y_test: np.ndarray
    wanted: int

    def go(self, strategy: str, start: list[int], batch: int, every: int, progress: Progress) -> Simulation:
        """Answer what is asked until enough documents have labels."""
        asked: list[int] = []
        points: list[dict[str, float]] = []
        seconds: list[float] = []
        rows = start
        while rows:
            began = time.perf_counter()
            for row in rows:
                self.asker.tell(row, self.y[row])
            asked += rows
            rows = self.asker.next(min(batch, self.wanted - len(asked))) if len(asked) < self.wanted else []
            seconds.append(time.perf_counter() - began)
            progress("labels", len(asked), self.wanted)
            if not rows or not points or len(asked) - points[-1]["n_labels"] >= every:
                points.append({"n_labels": len(asked), **self._measure(), "seconds": float(np.mean(seconds))})
                seconds = []
        columns = {name: np.array([point[name] for point in points]) for name in points[0]}
        columns["n_labels"] = columns["n_labels"].astype(np.int64)
        return Simulation(strategy, **columns, asked=np.array(asked))

    def _measure(self) -> dict[str, float]:
        names, chances = self.asker.predict_proba()
        answers = np.array(names)[chances.argmax(axis=1)]
        every = sorted({*names, *self.y_test.tolist()})
        scores = np.full((len(self.y_test), len(every)), -1.0)
        scores[:, [every.index(name) for name in names]] = chances
        return {
            "accuracy": float((answers == self.y_test).mean()),
            "macro_f1": float(f1_score(self.y_test, answers, labels=every, average="macro", zero_division=0.0)),
            "log_rank_accuracy": log_rank_accuracy(self.y_test.tolist(), scores, themes=every),
            "npmi": _coherence(self.asker.topics(), self.pool),
        }
