"""Which documents to ask about next, and why, in words.

1. `score_documents` says how much each would help;
2. `select` takes the best that may be asked, and for a batch damps what is like those already in it;
3. `give_reasons` puts the numbers that spoke for one into words.

`ask` is these three. Before the first label there is nothing to be uncertain about, and `cold_start` goes through the
largest topics instead, by the document that is most typical of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from wayword.active.reasons import NO_TOPIC, give_reasons, main_topics, name_of, percent
from wayword.active.scores import check_mask, mean_similarity, unit_rows
from wayword.active.strategies import QueryState, score_documents
from wayword.errors import InputError
from wayword.models.inputs import check_number, check_whole
from wayword.models.theme_scores import check_weights, normalise_rows

# What differs by less is equal but for rounding, and the first is taken.
_DIGITS = 12
_COPY = 1.0 - 10.0**-_DIGITS

Similarity = Callable[[int], np.ndarray]


@dataclass(frozen=True, slots=True)
class Question:
    """A document to ask about.

    Attributes
    ----------
    row : int
        Which document.
    id : object
        Its id; its row where ids were not given.
    score : float
        What it scored, before neighbours in a batch were damped. For a cold start, the share of its topic.
    reasons : tuple of str
        Why this one, in words.
    """

    row: int
    id: Any
    score: float
    reasons: tuple[str, ...] = ()


def _cosines(vectors: Any, n_documents: int) -> Similarity:
    """Return a function that gives the cosines of all documents with one."""
    try:
        values = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"vectors must be a dense array of numbers, got {type(vectors).__name__}") from None
    if values.ndim != 2 or len(values) != n_documents or not np.isfinite(values).all():
        raise InputError(
            f"vectors must be finite numbers of shape (n_documents={n_documents}, n_features), got {values.shape}"
        )
    # Scaled first, as squares of very small or very large numbers are zero or infinite.
    largest = np.abs(values).max(initial=0.0, axis=1, keepdims=True)
    units = unit_rows(values / np.where(largest > 0, largest, 1.0))

    def similar_to(row: int) -> np.ndarray:
        found = np.einsum("dk,k->d", units, units[row])
        return np.where(found > _COPY, 1.0, found)

    return similar_to


def _neighbours(similarity: Any, n_documents: int) -> Similarity:
    """Return a function that gives a row of a matrix of documents by documents."""
    matrix = sparse.csr_matrix(similarity)
    if matrix.shape != (n_documents, n_documents):
        raise InputError(f"similarity must be a matrix of {n_documents} by {n_documents} documents, got {matrix.shape}")
    if not ((matrix.data >= 0) & (matrix.data <= 1)).all():
        raise InputError("similarity must hold numbers from 0 to 1; divide by the largest")
    return lambda row: matrix[[row]].toarray().ravel()


def _read_similarity(vectors: Any, similarity: Any, n_documents: int) -> Similarity:
    if vectors is not None and similarity is not None:
        raise InputError("got both vectors and similarity; give the one by which documents are to be compared")
    if vectors is not None:
        return _cosines(vectors, n_documents)
    return (lambda _: np.zeros(n_documents)) if similarity is None else _neighbours(similarity, n_documents)


def _pick(weights: np.ndarray, scores: np.ndarray, open_: np.ndarray) -> int:
    """Return the open row of the largest weight; of equal ones that of the best score, of these the first."""
    rows = np.flatnonzero(open_)
    tied = rows[weights[rows] == weights[rows].max()]
    return int(tied[scores[tied].argmax()])


def _choose(scores: np.ndarray, candidates: np.ndarray, n: int, similar_to: Similarity, damping: float) -> list[int]:
    """Return rows one after the other, each time the best by score times distance from those chosen."""
    nearest, open_ = np.zeros(len(scores)), candidates.copy()
    found: list[int] = []
    while len(found) < n and open_.any():
        row = _pick(scores * (1.0 - damping * nearest), scores, open_)
        found.append(row)
        open_[row] = False
        if len(found) < n:
            nearest = np.maximum(nearest, similar_to(row))
    return found


def _check_ids(ids: Sequence[Any] | None, n_documents: int) -> Sequence[Any]:
    if ids is not None and len(ids) != n_documents:
        raise InputError(f"ids must name each of {n_documents} documents, got {len(ids)}")
    return range(n_documents) if ids is None else ids


def _overtaken(scores: np.ndarray, open_: np.ndarray, row: int) -> tuple[str, ...]:
    """Say for how many documents of a higher score one was chosen."""
    n_better = int((scores[open_] > scores[row]).sum())
    if not n_better:
        return ()
    others = "1 document that scores" if n_better == 1 else f"{n_better} documents that score"
    return (f"chosen before {others} higher but resemble{'s' * (n_better == 1)} one already in the batch",)


def select(
    scores: Any,
    candidates: Any,
    *,
    n: int = 1,
    vectors: Any = None,
    similarity: Any = None,
    damping: float = 1.0,
    ids: Sequence[Any] | None = None,
    explain: Callable[[int], Sequence[str]] | None = None,
) -> list[Question]:
    """Choose the best document, or a batch of good ones that differ.

    A batch is chosen one by one: the next has the highest score times (1 - damping x its similarity to the nearest of
    those chosen). Of equal ones the first row is taken.

    Parameters
    ----------
    scores : array of shape (n_documents,)
        Numbers of 0 or more, the highest to be asked first.
    candidates : bool array of shape (n_documents,)
        Which documents may be asked: those without a label that nobody skipped.
    n : int
        How many; fewer come back where there are fewer candidates, and none where there is none.
    vectors : array of shape (n_documents, n_features), optional
        What documents are compared by, such as topic proportions: similarity is the cosine, or 0 if below.
    similarity : sparse matrix of shape (n_documents, n_documents), optional
        Or how similar documents are, from 0 to 1: row i holds all those like document i.
    damping : float
        From 0, the n best, to 1, by which a copy of a chosen document comes last.
    ids : sequence, optional
        Id of each document.
    explain : callable, optional
        Gives the reasons for a row.

    Returns
    -------
    list of Question
        In the order in which they were chosen.

    Examples
    --------
    >>> from wayword.active import select
    >>> theta = [[1, 0], [1, 0], [0, 1]]
    >>> [question.row for question in select([0.9, 0.8, 0.5], [True] * 3, n=2)]
    [0, 1]
    >>> [question.row for question in select([0.9, 0.8, 0.5], [True] * 3, n=2, vectors=theta)]
    [0, 2]
    """
    values = check_weights("scores", scores, n_documents=None)
    may_ask = check_mask("candidates", candidates, len(values))
    check_whole("n", n)
    check_number("damping", damping, most=1.0)
    names = _check_ids(ids, len(values))
    if n == 1 or damping == 0:
        vectors = similarity = None  # nothing to compare
    rows = _choose(values, may_ask, int(n), _read_similarity(vectors, similarity, len(values)), float(damping))
    open_, found = may_ask.copy(), []
    for row in rows:
        open_[row] = False
        reasons = (*(explain(row) if explain else ()), *_overtaken(values, open_, row))
        found.append(Question(row, names[row], float(values[row]), reasons))
    return found


def _next_topic(shares: np.ndarray, main: np.ndarray, asked: np.ndarray, may_ask: np.ndarray) -> int:
    """Return the topic with fewest documents asked about, of these that with most weight in the others; or -1."""
    left = np.bincount(main[may_ask & (main >= 0)], minlength=shares.shape[1])
    if not left.any():
        return -1
    n_asked = np.bincount(main[asked & (main >= 0)], minlength=shares.shape[1])
    topics = np.flatnonzero((left > 0) & (n_asked == n_asked[left > 0].min()))
    return int(topics[shares[~asked][:, topics].sum(axis=0).argmax()])


def _say_cold(topic: str, share: float, n_asked: int, n_members: int) -> tuple[str, ...]:
    how_many = "no labelled document yet" if not n_asked else f"only {n_asked} labelled or asked about"
    first = f"its topic, {topic}, is {percent(share)} of what is unlabelled and has {how_many}"
    return (first, f"typical of the {n_members:,} documents of that topic") if n_members > 1 else (first,)


def _next_cold(
    shares: np.ndarray, nearest: np.ndarray, asked: np.ndarray, may_ask: np.ndarray, names: tuple[str, ...]
) -> tuple[int, float, tuple[str, ...]]:
    """Return the next document, the share of its topic in what is left, and reasons."""
    main = main_topics(shares)
    topic = _next_topic(shares, main, asked, may_ask)
    if topic < 0:
        return int(may_ask.argmax()), 0.0, (NO_TOPIC,)
    members = np.flatnonzero(main == topic)
    open_ = may_ask[members]
    typical = np.round(mean_similarity(shares[members]) * (1.0 - nearest[members]), _DIGITS)
    row = int(members[open_][typical[open_].argmax()])
    left = shares[~asked]
    share = float(left[:, topic].sum() / left.sum())
    return row, share, _say_cold(name_of(names, "topic", topic), share, int(asked[members].sum()), len(members))


def cold_start(
    theta: Any,
    labelled: Any,
    n: int = 1,
    *,
    candidates: Any = None,
    topics: Sequence[str] = (),
    ids: Sequence[Any] | None = None,
) -> list[Question]:
    """Choose documents that cover the corpus, when there are no labels to go by.

    A document belongs to its largest topic. The topic with the fewest labelled documents is next, of these the one
    with most weight in unlabelled documents, and of it the document with the highest mean cosine similarity to the
    others of the topic, damped by that to the nearest labelled one. What was chosen counts as labelled, so that
    asking for two is asking for one, twice. Documents without topics come last.

    Parameters
    ----------
    theta : array of shape (n_documents, n_topics)
        Weights of topics in documents; only their shares in a document matter.
    labelled : bool array of shape (n_documents,)
        Which have labels.
    n : int
        How many; fewer come back where there are fewer candidates.
    candidates : bool array of shape (n_documents,), optional
        Which of the unlabelled may be asked; all of them by default.
    topics : sequence of str
        Names of topics, for the reasons.
    ids : sequence, optional
        Id of each document.

    Returns
    -------
    list of Question

    Examples
    --------
    >>> from wayword.active import cold_start
    >>> theta = [[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.0, 1.0]]
    >>> first, second = cold_start(theta, [False] * 4, 2, topics=("tea", "rice"))
    >>> first.row, second.row
    (1, 3)
    >>> first.reasons[0]
    'its topic, tea, is 58 % of what is unlabelled and has no labelled document yet'
    """
    weights = check_weights("theta", theta, n_documents=None, n_topics=len(topics) or None)
    asked = check_mask("labelled", labelled, len(weights)).copy()
    check_whole("n", n)
    names = _check_ids(ids, len(weights))
    may_ask = ~asked
    if candidates is not None:
        may_ask &= check_mask("candidates", candidates, len(weights))
    shares = normalise_rows(weights)
    similar_to = _cosines(shares, len(shares))
    nearest = np.zeros(len(shares))
    for row in np.flatnonzero(asked):
        nearest = np.maximum(nearest, similar_to(int(row)))
    found: list[Question] = []
    while len(found) < n and may_ask.any():
        row, score, reasons = _next_cold(shares, nearest, asked, may_ask, tuple(topics))
        found.append(Question(row, names[row], score, reasons))
        asked[row], may_ask[row] = True, False
        nearest = np.maximum(nearest, similar_to(row))
    return found


def ask(
    state: QueryState,
    strategy: str,
    *,
    n: int = 1,
    candidates: Any = None,
    damping: float = 1.0,
    ids: Sequence[Any] | None = None,
) -> list[Question]:
    """Choose what to ask next by the name of a strategy, with reasons.

    Without any label, and with topics, this is a `cold_start`, unless the strategy is random. In a batch, documents
    are compared by their topics where the state has them.

    Parameters
    ----------
    state : QueryState
        What is known.
    strategy : str
        One of `STRATEGIES`.
    n : int
        How many; fewer come back where there are fewer candidates.
    candidates : bool array of shape (n_documents,), optional
        Which of the unlabelled may be asked; all of them by default.
    damping : float
        How much documents like those already in the batch are put back, see `select`; 0 for a random strategy.
    ids : sequence, optional
        Id of each document.

    Returns
    -------
    list of Question
    """
    may_ask = ~state.labelled
    if candidates is not None:
        may_ask = may_ask & check_mask("candidates", candidates, len(may_ask))
    if strategy != "random" and state.theta is not None and not state.labelled.any():
        return cold_start(state.theta, state.labelled, n, candidates=may_ask, topics=state.topics, ids=ids)
    return select(
        score_documents(state, strategy),
        may_ask,
        n=n,
        vectors=state.theta,
        damping=0.0 if strategy == "random" else damping,
        ids=ids,
        explain=lambda row: give_reasons(state, strategy, row),
    )
