"""Topics where nobody has labelled anything.

The steps: weigh counts so that common terms say less; start from a few rounds of factorisation with more topics than
asked for; divide every count among topics by what its document and its term have of each, over and over; drop the
topics whose words do not go together, or which are much like another, into one hidden topic for all the rest; settle
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import digamma
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from wayword.errors import InputError
from wayword.kernels.division import divide_rows, pad_topics
from wayword.kernels.inference import mix_rows
from wayword.kernels.threads import map_in_order, one_blas_thread
from wayword.matrix.association import association
from wayword.models.alternate import Problem, factorize
from wayword.models.document_topics import by_terms, each_document
from wayword.models.inputs import check_matrix, check_number, check_whole, drop_zeros, undone_if_it_fails
from wayword.models.start import start_from_svd
from wayword.progress import Progress, ignore

_START_ROUNDS = 12
_SWEEPS, _LAST_SWEEPS = 10, 8
# Sweeps before the documents' liking of topics is learnt too: at first, it would follow the start. Then every third
# sweep will do.
_SWEEPS_BEFORE_ALPHA, _SWEEPS_AN_ALPHA = 5, 3
_LEAST_ALPHA = 1e-4
# Entries in a piece of work, at least: each piece counts terms by topics on its own.
_ENTRIES_AT_ONCE = 2**17
# A topic is judged by so many terms, and shown by what is left of so many.
_JUDGED_TERMS, _CANDIDATE_TERMS = 10, 20
# Sharing terms with another topic costs, beyond this share of them.
_FREE_OVERLAP, _OVERLAP_COST = 0.2, 0.5
# How much rarity and spread over topics count against a term when it is shown.
_RARITY_POWER, _SPREAD_POWER = 0.5, 0.4
# How well a term stands for a topic is known to so many digits, and how well it goes with others to so little.
_DIGITS, _ALIKE = 5, 1e-9
_INFERENCE_STEPS, _INFERENCE_TOL = 100, 1e-4


@dataclass(frozen=True, slots=True)
class Division:
    """What documents and terms have of each topic, and what documents are expected to have."""

    documents: np.ndarray
    terms: np.ndarray
    alpha: np.ndarray

    def merge(self, kept: Sequence[int]) -> Division:
        """Return the same with one topic, the last, in place of all that are not kept."""
        rest = np.setdiff1d(np.arange(len(self.alpha)), kept)
        if not len(rest):
            return self
        return Division(
            *(
                np.concatenate([counts[..., kept], counts[..., rest].sum(axis=-1, keepdims=True)], axis=-1)
                for counts in (self.documents, self.terms, self.alpha)
            )
        )


def rarity_of(X: sparse.csr_matrix) -> np.ndarray:
    """Return how rare each term is: 1 for one of every document, more for fewer."""
    frequencies = np.bincount(X.indices, minlength=X.shape[1])
    return 1.0 + np.log((1.0 + X.shape[0]) / (1.0 + frequencies))


def weigh(X: sparse.csr_matrix, rarity: np.ndarray) -> sparse.csr_matrix:
    """Return counts that grow with their logarithm and with the rarity of the term, as many in all as before.

    They come in single precision, which is all that topics need and takes half the time.
    """
    entries = np.log1p(X.data.astype(np.float64)) * rarity[X.indices]
    entries *= X.data.sum(dtype=np.float64) / entries.sum()
    return sparse.csr_matrix((entries.astype(np.float32), X.indices, X.indptr), shape=X.shape)


def _cut(X: sparse.csr_matrix) -> list[tuple[int, int]]:
    """Return ranges of rows, each of enough entries to be worth counting terms apart."""
    wanted = max(_ENTRIES_AT_ONCE, 4 * X.shape[1])
    targets = np.arange(0, X.nnz, wanted)[1:]
    borders = np.unique([0, *np.searchsorted(X.indptr, targets), X.shape[0]])
    return list(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True))


def divide(X: sparse.csr_matrix, division: Division, eta: float) -> Division:
    """Return what documents and terms get if every count, in single precision, is divided by what they had."""
    n_topics, terms = len(division.alpha), division.terms + eta
    before = (
        pad_topics(division.documents + division.alpha),
        pad_topics(terms),
        pad_topics(1.0 / terms.sum(axis=0)),
        pad_topics(division.alpha),
        np.float32(eta),
    )
    by_document, by_term = np.empty_like(before[0]), np.zeros_like(division.terms)

    def count(piece: tuple[int, int]) -> np.ndarray:
        counted = np.zeros_like(before[1])
        divide_rows(*piece, X.indptr, X.indices, X.data, *before, by_document, counted)
        return counted[:, :n_topics]

    for counted in map_in_order(count, _cut(X)):
        by_term += counted
    return Division(by_document[:, :n_topics].astype(np.float64), by_term, division.alpha)


def learn_alpha(documents: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return what documents are expected to have of each topic, one step nearer to what they have (Minka 2000)."""
    totals = documents.sum(axis=1)
    gained = (digamma(documents + alpha) - digamma(alpha)).sum(axis=0)
    of_all = (digamma(totals + alpha.sum()) - digamma(alpha.sum())).sum()
    return np.maximum(alpha * gained / of_all, _LEAST_ALPHA) if of_all > 0 else alpha


def top_columns(scores: np.ndarray, n_terms: int) -> list[np.ndarray]:
    """Return the columns of the best terms of each topic, the best first."""
    return [np.argsort(-row, kind="stable")[:n_terms] for row in scores]


def _associate(X: sparse.csr_matrix, tops: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return how much the top terms of each topic go together, each with each."""
    columns = np.unique(np.concatenate(tops))
    scores = association(X, columns)
    places = [np.searchsorted(columns, top) for top in tops]
    return [scores[np.ix_(place, place)] for place in places]


def choose_topics(X: sparse.csr_matrix, topics: np.ndarray, n_kept: int) -> list[int]:
    """Return the topics whose terms go together and which are unlike others, dropping the worst one by one."""
    tops = top_columns(topics, _JUDGED_TERMS)
    n_terms = len(tops[0])
    pairs = np.triu_indices(n_terms, 1)
    coherence = [together[pairs].mean() if n_terms > 1 else 0.0 for together in _associate(X, tops)]
    shared = np.array([[len(np.intersect1d(one, other)) / n_terms for other in tops] for one in tops])
    np.fill_diagonal(shared, 0.0)
    kept = list(range(len(topics)))
    while len(kept) > n_kept:
        overlap = shared[np.ix_(kept, kept)].max(axis=1)
        scores = np.array(coherence)[kept] - _OVERLAP_COST * np.maximum(overlap - _FREE_OVERLAP, 0.0)
        kept.pop(int(scores.argmin()))
    return kept


def _keep_together(together: np.ndarray, n_kept: int) -> list[int]:
    """Return the places of terms that go together, dropping the one that goes least with the rest, one by one.

    Of several that go with the rest alike, but for rounding, the last goes.
    """
    kept = list(range(len(together)))
    while len(kept) > n_kept:
        rest = together[np.ix_(kept, kept)]
        fits = rest.sum(axis=1) - np.diag(rest)
        kept.pop(int(np.flatnonzero(fits <= fits.min() + _ALIKE)[-1]))
    return kept


def _round_digits(values: np.ndarray) -> np.ndarray:
    """Return positive numbers to a few digits, so that rounding, which differs between processors, orders nothing."""
    scale = 10.0 ** (_DIGITS - 1 - np.floor(np.log10(values)))
    return np.round(values * scale) / scale


def score_for_display(X: sparse.csr_matrix, division: Division, eta: float) -> np.ndarray:
    """Return how well each term stands for each topic: terms that are neither rare nor in many topics, and fit in."""
    topics = division.terms.T + eta
    spread = topics / topics.sum(axis=0)
    scores = topics / topics.sum(axis=1, keepdims=True) / rarity_of(X) ** _RARITY_POWER * spread**_SPREAD_POWER
    scores = _round_digits(scores)
    tops = top_columns(scores, _CANDIDATE_TERMS)
    for row, top, together in zip(scores, tops, _associate(X, tops), strict=True):
        row[np.delete(top, _keep_together(together, _JUDGED_TERMS))] = 0.0
    return scores


class TopicDiscovery(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Topics of documents that nobody has labelled, the same ones every time.

    Terms count for less the more documents hold them. The model begins with more topics than asked for, and the ones
    whose words go together least, or that are much like another, end in one hidden topic for everything else: what is
    left reads well and differs.

    Parameters
    ----------
    n_components : int
        How many topics.
    spare : float
        How many more to begin with, as a share of `n_components`. Zero keeps all, without a hidden topic.
    alpha : float
        What a document is expected to have of each topic, in tokens, before anything is known; learnt from there on.
    eta : float
        What a term is expected to have of each topic, in tokens.
    n_sweeps : int
        How often counts are divided among topics before some are dropped; and then nearly as often again.
    random_state : int, RandomState or None
        Seed of the decomposition at the start.

    Attributes
    ----------
    components_ : array of shape (n_components, n_terms)
        The topics: how likely each term is; rows sum to one.
    display_components_ : array of shape (n_components, n_terms)
        How well each term stands for each topic, for people to read: likely ones, less so the rarer they are and the
        more topics they are in, and zero for the ten of the top twenty that go together least with the others.
    other_ : array of shape (n_terms,) or None
        The hidden topic for everything else; None if there is none.
    topic_shares_ : array of shape (n_components,)
        The share of each topic in all documents; with that of the hidden topic, they sum to one.
    alpha_ : array of shape (n_components,) or (n_components + 1,)
        What documents are expected to have of each topic, the hidden one last.

    Examples
    --------
    >>> from wayword import TopicDiscovery
    >>> X = [[4, 2, 0, 0], [3, 2, 0, 0], [0, 0, 3, 3], [0, 0, 2, 4]]
    >>> model = TopicDiscovery(2).fit(X)
    >>> model.components_.argmax(axis=1).tolist()
    [0, 3]
    >>> model.transform([[1, 1, 0, 0]]).round(1)
    array([[1., 0.]])
    """

    def __init__(
        self,
        n_components: int = 20,
        *,
        spare: float = 0.25,
        alpha: float = 0.1,
        eta: float = 0.1,
        n_sweeps: int = _SWEEPS,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.spare = spare
        self.alpha = alpha
        self.eta = eta
        self.n_sweeps = n_sweeps
        self.random_state = random_state

    @undone_if_it_fails
    def fit(self, X: Any, y: Any = None, *, progress: Progress = ignore) -> TopicDiscovery:
        """Find topics.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
            Counts.
        y : None
            Not used.
        progress : callable
            Told ``("sweeps", done, total)``.
        """
        del y
        self._check_settings()
        X = drop_zeros(check_matrix(self, X, reset=True))
        if not X.nnz:
            raise InputError("no document holds any term, so there is nothing to find; give other documents or terms")
        weighed = weigh(X, rarity_of(X))
        last = -(-self.n_sweeps * _LAST_SWEEPS // _SWEEPS)
        steps = _Steps(progress, _START_ROUNDS + self.n_sweeps + last)
        division = self._settle(weighed, self._start(weighed, steps), self.n_sweeps, steps)
        kept = choose_topics(X, division.terms.T, self.n_components)
        division = self._settle(weighed, division.merge(kept), last, steps)
        self._store(X, division)
        return self

    def _start(self, X: sparse.csr_matrix, steps: _Steps) -> Division:
        """Return a first division, by a few rounds of factorisation."""
        n_topics = self.n_components + int(self.spare * self.n_components)
        W, H = start_from_svd(X, n_topics, check_random_state(self.random_state))
        found = factorize(
            Problem.of(X, loss="kl", newton=True),
            W.astype(X.dtype),
            np.ascontiguousarray(H.T, dtype=X.dtype),
            max_iter=_START_ROUNDS,
            tol=0.0,
            callback=lambda *_: steps.tell(),
        )
        W, H = found.W.astype(np.float64), found.H.astype(np.float64)
        sums = H.sum(axis=0)
        documents = W * sums
        topics = H / np.where(sums > 0, sums, 1.0)
        return Division(documents, topics * documents.sum(axis=0), np.full(n_topics, float(self.alpha)))

    def _settle(self, X: sparse.csr_matrix, division: Division, n_sweeps: int, steps: _Steps) -> Division:
        with one_blas_thread():
            for sweep in range(n_sweeps):
                division = divide(X, division, self.eta)
                if sweep >= _SWEEPS_BEFORE_ALPHA and (n_sweeps - 1 - sweep) % _SWEEPS_AN_ALPHA == 0:
                    alpha = learn_alpha(division.documents, division.alpha)
                    division = Division(division.documents, division.terms, alpha)
                steps.tell()
        return division

    def _store(self, X: sparse.csr_matrix, division: Division) -> None:
        n_topics = self.n_components
        topics = division.terms.T + self.eta
        topics /= topics.sum(axis=1, keepdims=True)
        self.components_ = topics[:n_topics]
        self.other_ = topics[n_topics] if len(topics) > n_topics else None
        self.display_components_ = score_for_display(X, division, self.eta)[:n_topics]
        self.alpha_ = division.alpha
        self.topic_shares_ = (division.terms.sum(axis=0) / division.terms.sum())[:n_topics]

    def transform(self, X: Any, *, other: bool = False) -> np.ndarray:
        """Return the share of each topic in each document.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
        other : bool
            Whether the hidden topic, if there is one, takes its share too: a column more, the last.

        Returns
        -------
        array of shape (n_documents, n_components) or (n_documents, n_components + 1)
            Rows sum to one. An empty document has the shares that are expected of any.
        """
        check_is_fitted(self)
        X = drop_zeros(check_matrix(self, X, reset=False))
        topics = np.vstack([self.components_, *([self.other_] if other and self.other_ is not None else [])])
        alpha = self.alpha_[: len(topics)]
        shares = np.tile(alpha / alpha.sum(), (X.shape[0], 1))
        each_document(mix_rows, X, by_terms(topics), alpha, _INFERENCE_STEPS, _INFERENCE_TOL, shares)
        return shares

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _check_settings(self) -> None:
        check_whole("n_components", self.n_components)
        check_number("spare", self.spare)
        for name in ("alpha", "eta"):
            check_number(name, getattr(self, name), least=float(np.finfo(np.float32).tiny))
        check_whole("n_sweeps", self.n_sweeps)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


class _Steps:
    """Counts steps and tells of them."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress, self.done, self.total = progress, 0, total

    def tell(self) -> None:
        self.done += 1
        self.progress("sweeps", self.done, self.total)
