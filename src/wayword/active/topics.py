"""Topics that follow the answers: anchor words and their topics, found again after every answer in milliseconds.

Once for a corpus: count which terms occur together, and multiply the points of all terms with those of all candidates
for anchors. After an answer: say how likely each label is beside each term, from guesses for all documents; find
anchors from products alone, widened by these label columns; solve for the shares of topics in terms from where they
were before. What is found depends on what is asked for, to the last bit, and not on what was asked for before.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from scipy import sparse

from wayword.active.words import WordProducts, count_words, multiply_words, place_words
from wayword.errors import InputError
from wayword.kernels.simplex import solve_simplex_rows, update_simplex_rows
from wayword.kernels.threads import one_blas_thread
from wayword.models.anchor_finding import find_corners_in_gram
from wayword.models.anchor_recovery import nearest_corner, topics_of
from wayword.models.document_topics import check_documents
from wayword.models.inputs import check_number, check_whole
from wayword.models.label_columns import spread_of
from wayword.models.word_space import WordSpace
from wayword.progress import Progress, ignore

_MOST_TERMS = 7_000
_MOST_STEPS = 100_000
# Largest gaps of shares, as shares of a corner's squared length: to begin with, and at the end.
_NEARLY, _SETTLED = 1e-6, 1e-14
# Corners whose products have a smaller eigenvalue, as a share of the mean, are not corners of their own.
_SINGULAR = 1e-10
_FINEST = 2.0**40
# A term keeps its shares as a start if no more than this was taken by topics that are gone.
_MOST_LOST = 0.7
_NO_SPREAD = 1e-12

Anchor = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class TopicSet:
    """Topics as they stand.

    Attributes
    ----------
    anchors : tuple of tuple of int
        The columns of each topic's anchors; those that were given come first.
    topics : array of shape (n_topics, n_columns)
        How likely each term that counts is in each topic; rows sum to one.
    origins : array of shape (n_columns, n_topics)
        How likely each of these terms comes from each topic; rows sum to one, or are zero for terms kept out.
    columns : int array of shape (n_columns,)
        The columns of the terms that count, in order.
    n_terms : int
        How many columns there are.
    shares : array of shape (n_topics,)
        How likely a word comes from each topic.
    label_chances : array of shape (n_topics, n_labels)
        How likely each label is where a topic is: what labels say of its anchor; of several words, the mean.
    components : array of shape (n_topics, n_terms)
        `topics` in all columns; zero for terms that do not count.
    term_topics : array of shape (n_terms, n_topics)
        `origins` in all columns.
    """

    anchors: tuple[Anchor, ...]
    topics: np.ndarray
    origins: np.ndarray
    columns: np.ndarray
    n_terms: int
    shares: np.ndarray
    label_chances: np.ndarray

    @cached_property
    def components(self) -> np.ndarray:
        """How likely each term is in each topic."""
        if len(self.columns) == self.n_terms:
            return self.topics
        wide = np.zeros((len(self.topics), self.n_terms))
        wide[:, self.columns] = self.topics
        return wide

    @cached_property
    def term_topics(self) -> np.ndarray:
        """How likely each term comes from each topic."""
        if len(self.columns) == self.n_terms:
            return self.origins
        tall = np.zeros((self.n_terms, len(self.topics)))
        tall[self.columns] = self.origins
        return tall

    def document_shares(self, X: Any) -> np.ndarray:
        """Return the shares of topics in documents: the mean over their words.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
            In single precision, words are added up in it, which takes half the time.

        Returns
        -------
        array of shape (n_documents, n_topics)
            Rows sum to one; a document without a word of any topic has the shares of all documents.
        """
        X = sparse.csr_matrix(X)
        kind = np.float32 if X.dtype == np.float32 else np.float64
        found = np.asarray(X @ self.term_topics.astype(kind, copy=False), dtype=np.float64)
        totals = found.sum(axis=1, keepdims=True)
        found /= np.where(totals > 0, totals, 1.0)
        found[totals[:, 0] <= 0] = self.shares
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Corner:
    """An anchor that is no candidate, or several terms: its point, and its products with the points of all terms."""

    point: np.ndarray
    products: np.ndarray


class _Pool:
    """What labels say of terms: which documents hold which terms."""

    def __init__(self, X: sparse.csr_matrix, pseudo_counts: float) -> None:
        ones = np.ones(X.nnz, dtype=np.float32)
        self._held = sparse.csr_matrix(sparse.csr_matrix((ones, X.indices, X.indptr), shape=X.shape).T)
        self._frequencies = np.diff(self._held.indptr).astype(np.float64)
        self._pseudo_counts = pseudo_counts

    def label_columns(self, chances: np.ndarray) -> np.ndarray:
        """Return p(label | term), drawn towards what all documents have; unknown documents have rows of NaN."""
        known = ~np.asarray(np.isnan(chances).any(axis=1))
        chances = np.where(known[:, None], chances, 0.0)
        prior = chances.sum(axis=0) / max(int(known.sum()), 1)
        having = (self._held @ chances.astype(np.float32)).astype(np.float64) + self._pseudo_counts * prior
        seen = (self._frequencies if known.all() else self._held @ known.astype(np.float64)) + self._pseudo_counts
        return np.where(seen[:, None] > 0, having / np.where(seen > 0, seen, 1.0)[:, None], prior)


def read_counts(X: Any) -> sparse.csr_matrix:
    """Return a matrix of documents by terms with something in it."""
    shape = getattr(X, "shape", None) or np.shape(X)
    if len(shape) != 2:
        raise InputError(f"expected a matrix of documents by terms, got shape {shape}")
    X = check_documents(X, shape[1])
    if not X.nnz:
        raise InputError("no document holds any term, so there is nothing to learn from; give other documents")
    return X


def _solve_afresh(gram: np.ndarray, products: np.ndarray, settled: float) -> np.ndarray:
    """Return shares of least squared distance, from all at the nearest corner on."""
    n_terms, shares = len(products), nearest_corner(gram, products)
    solve_simplex_rows(0, n_terms, gram, products, settled, _MOST_STEPS, shares, np.zeros(n_terms))
    return shares


def _solve_from(gram: np.ndarray, products: np.ndarray, settled: float, shares: np.ndarray) -> None:
    """Write the shares of least squared distance, from some that are nearly there on."""
    # In this thread: several gain nothing over so few rows, and wait for each other.
    update_simplex_rows(0, len(products), gram, products, settled, shares, np.zeros(len(products)))


class LiveTopics:
    """Finds the topics of documents again and again, each time with other labels, anchors and terms kept out.

    Parameters
    ----------
    X : matrix of shape (n_documents, n_terms)
        Counts. Of very many terms, the 7,000 of most documents count.
    n_topics : int
        How many topics, unless `refresh` is told otherwise.
    min_df : int or "auto"
        In how many documents a term must occur to be found as an anchor, as for `AnchorTopics`.
    rectify : bool
        Whether to remove what sampling noise adds to the co-occurrence matrix first; takes some seconds.
    label_weight : float
        How far labels spread terms, compared with which other terms they occur with.
    pseudo_counts : float
        How many documents' worth all documents count in what labels say of a term.
    arrays : mapping of str to array, optional
        What `to_arrays` gave for the same counts and settings; with them it is ready at once.
    progress : callable
        Told ``("terms", done, total)`` and ``("rounds", done, total)``.

    Examples
    --------
    >>> import numpy as np
    >>> from wayword.active import LiveTopics
    >>> X = [[4, 2, 0, 0], [3, 2, 0, 0], [0, 0, 3, 3], [0, 0, 2, 4]]
    >>> topics = LiveTopics(X, n_topics=2)
    >>> topics.refresh(anchors=[(0,), (3,)]).components.round(2)
    array([[0.63, 0.37, 0.  , 0.  ],
           [0.  , 0.  , 0.42, 0.58]])
    >>> topics.refresh(anchors=[(0,), (3,)], banned=[2]).components.round(2)
    array([[0.63, 0.37, 0.  , 0.  ],
           [0.  , 0.  , 0.  , 1.  ]])
    """

    def __init__(
        self,
        X: Any,
        *,
        n_topics: int = 20,
        min_df: int | Literal["auto"] = "auto",
        rectify: bool = True,
        label_weight: float = 1.0,
        pseudo_counts: float = 5.0,
        arrays: Mapping[str, np.ndarray] | None = None,
        progress: Progress = ignore,
    ) -> None:
        check_whole("n_topics", n_topics)
        check_number("label_weight", label_weight)
        check_number("pseudo_counts", pseudo_counts)
        X = read_counts(X)
        self.n_topics, self._label_weight, self._n_columns = n_topics, label_weight, X.shape[1]
        counted = np.bincount(X.indices, minlength=X.shape[1])
        self._columns = np.sort(np.argsort(-counted, kind="stable")[: min(_MOST_TERMS, int((counted > 0).sum()))])
        X = sparse.csr_matrix(X[:, self._columns])
        self._X, self._rectify = X, rectify
        self._building = threading.Lock()
        self._made_space: WordSpace | None = None
        if arrays is None:
            pairs = count_words(X, progress)
            self._made_space = place_words(pairs, n_topics if rectify else None, progress)
            self._words = multiply_words(pairs, self._made_space, n_topics=n_topics, min_df=min_df)
        else:
            self._words = WordProducts.from_arrays(arrays, len(self._columns))
        self._places = {int(term): place for place, term in enumerate(self._words.candidates)}
        self._pool = _Pool(X, pseudo_counts)
        self._corners: dict[Anchor, _Corner] = {}
        self._last: tuple[list[Anchor], np.ndarray] | None = None

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return what was made of the counts as arrays by name, to be given as `arrays` another time."""
        return self._words.to_arrays()

    def prepare(self) -> None:
        """Make what anchors of several words need, if `arrays` were given; otherwise the first of them waits for it."""
        with self._building:
            if self._made_space is None:
                self._made_space = place_words(count_words(self._X), self.n_topics if self._rectify else None)

    @property
    def _space(self) -> WordSpace:
        if self._made_space is None:
            self.prepare()
        return cast(WordSpace, self._made_space)

    @property
    def columns(self) -> np.ndarray:
        """The columns of X that count, in order."""
        return self._columns

    def refresh(
        self,
        chances: Any = None,
        *,
        anchors: Sequence[Sequence[int]] = (),
        banned: Sequence[int] = (),
        forbidden: Mapping[int, Sequence[int]] | None = None,
        n_topics: int | None = None,
    ) -> TopicSet:
        """Return the topics.

        Parameters
        ----------
        chances : array of shape (n_documents, n_labels), optional
            How likely each label is in each document; a row of NaN for a document of which nothing is known.
        anchors : sequence of sequence of int
            Columns of terms that together stand for a topic; these are the first topics. The others are found.
        banned : sequence of int
            Columns of terms kept out of every topic.
        forbidden : mapping of int to sequence of int
            Columns of terms kept out of the topic with this place among `anchors`.
        n_topics : int, optional
            How many topics; as many as `anchors` at least, and fewer where fewer can be told apart.
        """
        given = [self._read_anchor(anchor) for anchor in anchors]
        kept_out = self._known(banned)
        raw = self._label_columns(chances)
        spread = spread_of(raw, self._words.point_frequencies) if raw.shape[1] else 0.0
        # Labels that tell no terms apart are left out: rounding is no spread.
        labels = raw * (self._label_weight * float(self._words.spread) / spread if spread > _NO_SPREAD else 0.0)
        wanted = max(self.n_topics if n_topics is None else n_topics, len(given), 1)
        with one_blas_thread():
            found = given + self._find(given, wanted - len(given), kept_out, labels)
            shares = self._recover(found, labels)
        shares[kept_out] = 0.0
        for topic, terms in (forbidden or {}).items():
            shares[self._known(terms), topic] = 0.0
        totals = shares.sum(axis=1, keepdims=True)
        shares = np.divide(shares, totals, out=shares, where=totals > 0)
        return self._name_columns(found, shares, raw)

    def _read_anchor(self, anchor: Sequence[int]) -> Anchor:
        """Return the places of an anchor's terms among those that count."""
        terms = tuple(dict.fromkeys(int(term) for term in anchor))
        places = np.searchsorted(self._columns, terms)
        known = np.isin(terms, self._columns)
        if not terms or not known.all():
            raise InputError(
                f"an anchor must be columns of terms that documents hold, got {anchor!r}; "
                f"the {len(self._columns):,} most frequent of {self._n_columns:,} columns count"
            )
        return tuple(int(place) for place in places)

    def _known(self, terms: Sequence[int]) -> np.ndarray:
        return np.flatnonzero(np.isin(self._columns, np.asarray(list(terms), dtype=np.int64)))

    def _label_columns(self, chances: Any) -> np.ndarray:
        if chances is None:
            return np.zeros((len(self._columns), 0))
        return self._pool.label_columns(np.asarray(chances))

    def _corner(self, anchor: Anchor) -> _Corner:
        """Return the point of an anchor that is no candidate, and its products; kept, because labels change neither."""
        if anchor not in self._corners:
            point = self._space.corners([anchor])
            self._corners[anchor] = _Corner(point[0], self._space.products(point)[:, 0])
        return self._corners[anchor]

    def _is_candidate(self, anchor: Anchor) -> bool:
        return len(anchor) == 1 and anchor[0] in self._places

    def _products_of(self, anchors: Sequence[Anchor]) -> np.ndarray:
        """Return the products of all terms with anchors: array of shape (n_terms, n_anchors)."""
        alone = [place for place, anchor in enumerate(anchors) if self._is_candidate(anchor)]
        of_candidates = self._words.products.take([self._places[anchors[place][0]] for place in alone], axis=1)
        if len(alone) == len(anchors):
            return of_candidates
        found = np.empty((len(self._columns), len(anchors)))
        found[:, alone] = of_candidates
        for place, anchor in enumerate(anchors):
            if not self._is_candidate(anchor):
                found[:, place] = self._corner(anchor).products
        return found

    def _gram_of(self, anchors: Sequence[Anchor]) -> np.ndarray:
        """Return the products of anchors with each other."""
        found = np.empty((len(anchors), len(anchors)))
        alone = [place for place, anchor in enumerate(anchors) if self._is_candidate(anchor)]
        others = [place for place, anchor in enumerate(anchors) if not self._is_candidate(anchor)]
        at = [self._places[anchors[place][0]] for place in alone]
        found[np.ix_(alone, alone)] = self._words.gram[np.ix_(at, at)]
        for place in others:
            corner = self._corner(anchors[place])
            found[place, alone] = found[alone, place] = corner.products[self._words.candidates[at]]
            for other in others:
                found[place, other] = corner.point @ self._corner(anchors[other]).point
        return found

    def _labels_of(self, anchors: Sequence[Anchor], labels: np.ndarray) -> np.ndarray:
        return np.stack([labels[list(anchor)].mean(axis=0) for anchor in anchors])

    def _find(self, given: list[Anchor], n_wanted: int, kept_out: np.ndarray, labels: np.ndarray) -> list[Anchor]:
        """Return anchors beside those given."""
        if not n_wanted:
            return []
        n_given = len(given)
        everything = given + [(int(term),) for term in self._words.candidates]
        gram = np.empty((len(everything), len(everything)))
        gram[n_given:, n_given:] = self._words.gram
        if given:
            gram[:n_given, :n_given] = self._gram_of(given)
            gram[n_given:, :n_given] = self._products_of(given)[self._words.candidates]
            gram[:n_given, n_given:] = gram[n_given:, :n_given].T
        sides = labels[self._words.candidates] if not given else self._labels_of(everything, labels)
        gram += sides @ sides.T
        taken = [term for anchor in given for term in anchor]
        free = ~np.isin(self._words.candidates, [*taken, *kept_out])
        found = find_corners_in_gram(gram, n_wanted, n_given, np.concatenate([np.zeros(n_given, dtype=bool), free]))
        return [everything[place] for place in found]

    def _recover(self, anchors: list[Anchor], labels: np.ndarray) -> np.ndarray:
        """Return the shares of topics in terms, of least squared distance."""
        if not anchors:
            return np.zeros((len(self._columns), 0))
        sides = self._labels_of(anchors, labels)
        gram = self._gram_of(anchors) + sides @ sides.T
        products = np.ascontiguousarray(self._products_of(anchors) + labels @ sides.T)
        length = float(np.diag(gram).mean())
        shares = self._solve(anchors, gram, products, length)
        for topic, anchor in enumerate(anchors):
            if len(anchor) == 1:  # by definition
                shares[anchor[0]] = 0.0
                shares[anchor[0], topic] = 1.0
        # Where a term is at a corner but for rounding, its bits could depend on the start.
        return np.round(shares * _FINEST) / _FINEST

    def _solve(self, anchors: list[Anchor], gram: np.ndarray, products: np.ndarray, length: float) -> np.ndarray:
        if np.linalg.eigvalsh(gram)[0] <= _SINGULAR * length:  # no one answer is the best, so always the same start
            return _solve_afresh(gram, products, _SETTLED * length)
        shares = self._start_again(anchors)
        lost = shares.sum(axis=1) <= 1.0 - _MOST_LOST
        shares[lost] = _solve_afresh(gram, products[lost], _NEARLY * length)
        shares /= shares.sum(axis=1, keepdims=True)
        _solve_from(gram, products, _SETTLED * length, shares)
        self._last = (anchors, shares.copy())
        return shares

    def _start_again(self, anchors: list[Anchor]) -> np.ndarray:
        """Return the shares of the topics that were there before, as far as they still are."""
        if self._last is None or not self._last[0]:
            return np.zeros((len(self._columns), len(anchors)))
        before = {anchor: place for place, anchor in enumerate(self._last[0])}
        shares = self._last[1].take([before.get(anchor, 0) for anchor in anchors], axis=1)
        shares[:, [place for place, anchor in enumerate(anchors) if anchor not in before]] = 0.0
        return shares

    def _name_columns(self, anchors: list[Anchor], shares: np.ndarray, labels: np.ndarray) -> TopicSet:
        """Return the topics as others know them, by columns of X."""
        topics = np.ascontiguousarray(topics_of(shares, self._words.frequencies, anchors))
        in_columns = tuple(tuple(int(self._columns[term]) for term in anchor) for anchor in anchors)
        masses = self._words.frequencies @ shares
        total = max(float(masses.sum()), np.finfo(np.float64).tiny)
        told = np.array([labels[list(anchor)].mean(axis=0) for anchor in anchors]).reshape(len(anchors), -1)
        return TopicSet(in_columns, topics, shares, self._columns, self._n_columns, masses / total, told)
