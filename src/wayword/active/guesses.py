"""What the labels of all documents are likely to be, from those of a few.

Two opinions, and their product. `Spreading`: labels walk along the neighbours of labelled documents, and what arrives
of each label, on average over its documents, speaks for it. `fit_logistic`: a logistic regression on the features of
documents, which counts for more the more labels there are. Both depend on which documents have which labels and on
nothing else: not on the order of answers, and not on what was answered and taken back.

Where documents may have several labels, each label has a chance of its own, by the same two opinions: what arrives from
documents with the label against what arrives from those without, and a regression of having it or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, logit

from wayword.active.space import DocumentSpace
from wayword.kernels.threads import one_blas_thread
from wayword.progress import Progress, ignore

# How much of a label goes on at each step of its walk, and in how many rounds it is found where all of it ends up.
_GO_ON, _STEPS = 0.9, 8
# What reaches others is kept for each labelled document, up to so many of them.
_MOST_KEPT = 300
# What each label has everywhere, as a share of the most that any document has of it.
_FLOOR = 1e-3
# Features are multiplied by the root of this, and weights cost this much.
_SHARPNESS, _WEIGHT_COST = 10.0, 0.05
_MOST_ROUNDS, _SETTLED = 20, 1e-3
# With so many labelled documents for each label, the regression counts for half.
_DISTRUST = 0.5
_DISTILL_COST = 1.0
# Of several labels, how much neighbours count beside the regression, and how sure a guess is when it is repeated.
_NEIGHBOURS_COUNT, _SUREST = 0.5, 0.998
_TINY = np.finfo(np.float64).tiny


class Spreading:
    """What reaches every document from each labelled one; kept, because it does not depend on labels.

    Attributes
    ----------
    degrees : array of shape (n_documents,)
        The sum of each document's nearness to others.
    """

    def __init__(self, space: DocumentSpace) -> None:
        self.degrees = space.degrees
        roots = sparse.diags(1.0 / np.sqrt(self.degrees))
        self._roots = np.sqrt(self.degrees).astype(np.float32)
        self._step = sparse.csr_matrix(roots @ space.nearness @ roots, dtype=np.float32)
        self._reached: dict[int, np.ndarray] = {}

    def from_row(self, row: int) -> np.ndarray:
        """Return what reaches every document from one."""
        reached = self._reached.get(row)
        if reached is None:
            reached = self._reached[row] = self.to_row(row)
        return reached

    def to_row(self, row: int) -> np.ndarray:
        """Return what reaches one document from every one: as much as goes the other way; not kept."""
        source = np.zeros(self._step.shape[0], dtype=np.float32)
        source[row] = 1.0 - _GO_ON
        return self._walk(source)

    def gather(self, given: np.ndarray) -> np.ndarray:
        """Return what walks from a document meet of what others have to give, on average over its neighbours' ways.

        Parameters
        ----------
        given : array of shape (n_documents,)

        Returns
        -------
        float32 array of shape (n_documents,)
        """
        # Walks that leave a document by its nearness to others are those of labels but for the roots.
        source = self._roots * given.astype(np.float32)
        return np.maximum(self._walk(source) - source, 0.0) / self._roots

    def _walk(self, source: np.ndarray) -> np.ndarray:
        """Return what reaches every document from what some have to give, however long the way.

        Each round goes a step on from where the last one was, and a little beyond: Chebyshev's weights, with which
        eight rounds come as near as twenty-five plain ones.
        """
        go_on, ahead = np.float32(_GO_ON), np.float32(1.0 / (1.0 - _GO_ON**2 / 2))
        before, reached = np.zeros_like(source), source
        for _ in range(_STEPS):
            further = go_on * (self._step @ reached)
            further += source
            further -= before
            further *= ahead
            further += before
            before, reached = reached, further
            ahead = np.float32(1.0 / (1.0 - ahead * _GO_ON**2 / 4))
        return np.maximum(reached, 0.0)

    def forget(self, rows: set[int]) -> None:
        """Keep nothing of other rows than these."""
        # A copy first: another thread may be adding.
        self._reached = {row: reached for row, reached in list(self._reached.items()) if row in rows}

    def spread(self, rows: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Return how likely each label is in each document, by its neighbours.

        Parameters
        ----------
        rows : int array of shape (n_labelled,)
            Labelled documents, in order.
        targets : array of shape (n_labelled, n_labels)
            Their labels; rows sum to one.

        Returns
        -------
        array of shape (n_documents, n_labels)
            Rows sum to one.
        """
        reached = self._sum(rows, targets)
        reached /= np.maximum(targets.sum(axis=0), _TINY)
        reached += _FLOOR * max(float(reached.max(initial=0.0)), np.finfo(np.float32).tiny)
        return reached / reached.sum(axis=1, keepdims=True)

    def compare(self, rows: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Return how far neighbours speak for having each label rather than not: the logarithm of a ratio.

        Parameters
        ----------
        rows : int array of shape (n_labelled,)
            Labelled documents, in order.
        targets : array of shape (n_labelled, n_labels)
            1 for each label of a document, 0 for others.

        Returns
        -------
        array of shape (n_documents, n_labels)
            0 where nothing arrives.
        """
        having = self._sum(rows, targets)
        lacking = np.maximum(self._sum(rows, np.ones((len(rows), 1))) - having, 0.0)
        having /= np.maximum(targets.sum(axis=0), _TINY)
        lacking /= np.maximum((1.0 - targets).sum(axis=0), _TINY)
        floor = _FLOOR * max(float(having.max(initial=0.0)), np.finfo(np.float32).tiny)
        return np.log((having + floor) / (lacking + floor))

    def _sum(self, rows: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Return how much of each label reaches every document."""
        if len(rows) > _MOST_KEPT:
            # All labels at once: nothing is kept, and the work no longer grows with the number of labelled documents.
            source = np.zeros((self._step.shape[0], targets.shape[1]), dtype=np.float32)
            source[rows] = (1.0 - _GO_ON) * targets
            return self._walk(source).astype(np.float64)
        reached = np.zeros((targets.shape[1], self._step.shape[0]))
        for row, target in zip(rows, targets, strict=True):
            for label in np.flatnonzero(target):
                reached[label] += target[label] * self.from_row(int(row))
        return np.ascontiguousarray(reached.T)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return chances in proportion to the exponentials of scores, in double precision."""
    chances = np.exp(scores - scores.max(axis=1, keepdims=True)).astype(np.float64, copy=False)
    chances /= chances.sum(axis=1, keepdims=True)
    return chances


def fit_logistic(features: np.ndarray, targets: np.ndarray, *, multilabel: bool = False) -> np.ndarray:
    """Return the weights of a logistic regression, by steps on a bound of its curvature (Boehning 1992).

    Steps gather speed (Nesterov 1983), and stop early: the last of the way makes guesses too sure.

    Parameters
    ----------
    features : array of shape (n_labelled, n_features)
    targets : array of shape (n_labelled, n_labels)
        Rows sum to one; or with `multilabel` each entry is from 0 to 1.
    multilabel : bool
        Whether each label has a regression of its own, of having it or not.

    Returns
    -------
    array of shape (n_features, n_labels)
    """
    Z = features.astype(np.float64) * np.sqrt(_SHARPNESS)
    # Weights are mixtures of documents, so that with fewer documents than features it is less work to find these.
    mixed = len(Z) < Z.shape[1]
    base = Z @ Z.T if mixed else Z.T @ Z
    steepest, chances_of = (0.25, expit) if multilabel else (0.5, softmax)
    inverse = np.linalg.inv(steepest * base + _WEIGHT_COST * np.eye(len(base)))
    found = ahead = np.zeros((len(base), targets.shape[1]))
    speed = 1.0
    for _ in range(_MOST_ROUNDS):
        wrong = chances_of((base if mixed else Z) @ ahead) - targets
        step = inverse @ ((wrong if mixed else Z.T @ wrong) + _WEIGHT_COST * ahead)
        before, found = found, ahead - step
        if np.abs(step).max() <= _SETTLED * np.abs(found).max():
            break
        before_speed, speed = speed, 0.5 + np.sqrt(0.25 + speed**2)
        ahead = found + (before_speed - 1.0) / speed * (found - before)
    return (Z.T @ found if mixed else found) * np.sqrt(_SHARPNESS)


class Guesser:
    """Guesses of the labels of all documents of a space, and of others."""

    def __init__(self, space: DocumentSpace) -> None:
        self.space = space
        self.spreading = Spreading(space)
        self._wide = space.features.astype(np.float64)
        self._distil: np.ndarray | None = None

    def guess(self, rows: np.ndarray, targets: np.ndarray, *, multilabel: bool = False) -> np.ndarray:
        """Return how likely each label is in each document.

        Parameters
        ----------
        rows : int array of shape (n_labelled,)
            Labelled documents, in order.
        targets : array of shape (n_labelled, n_labels)
            Their labels; every label has a document. Rows sum to one; or with `multilabel`, 1 for each label of a
            document and 0 for others.
        multilabel : bool
            Whether documents may have several labels, so that each has a chance of its own.

        Returns
        -------
        array of shape (n_documents, n_labels)
            Rows sum to one, unless `multilabel`; those of labelled documents are their labels.
        """
        chances = self.guess_at(rows, targets, None, multilabel=multilabel)
        chances[rows] = targets
        return chances

    def guess_at(
        self, rows: np.ndarray, targets: np.ndarray, at: np.ndarray | None, *, multilabel: bool = False
    ) -> np.ndarray:
        """Return what is guessed of some documents (all if None) as if they had no labels, whether they have or not."""
        here = slice(None) if at is None else at
        with one_blas_thread():
            if multilabel:
                return self._score_sets(rows, targets, self._wide[here], here)
            return self._score(rows, targets, self.space.features[here], here)

    def _score(self, rows: np.ndarray, targets: np.ndarray, features: np.ndarray, at: np.ndarray | slice) -> np.ndarray:
        n_labelled, n_labels = targets.shape
        near = self.spreading.spread(rows, targets)[at]
        # Chances times chances, in logarithms; single precision is plenty, and half the work.
        scores = features @ fit_logistic(self._wide[rows], targets).astype(np.float32)
        scores *= np.float32(n_labelled / (n_labelled + _DISTRUST * n_labels))
        scores += np.log(near.astype(np.float32))
        return softmax(scores)

    def _score_sets(
        self, rows: np.ndarray, targets: np.ndarray, features: np.ndarray, at: np.ndarray | slice
    ) -> np.ndarray:
        # Most labels are rare: the constant says how rare, which spreading does not.
        weights = fit_logistic(np.hstack([self._wide[rows], np.ones((len(rows), 1))]), targets, multilabel=True)
        near = self.spreading.compare(rows, targets)[at]
        return expit(features @ weights[:-1] + weights[-1] + _NEIGHBOURS_COUNT * near)

    def distil(self, chances: np.ndarray) -> np.ndarray:
        """Return weights of features that say of any document what was guessed of these: shape (n_features, n_labels)."""
        with one_blas_thread():
            if self._distil is None:
                gram = self._wide.T @ self._wide
                gram[np.diag_indices_from(gram)] += _DISTILL_COST
                self._distil = cho_solve(cho_factor(gram, overwrite_a=True), self._wide.T)
            return self._distil @ chances

    def guess_others(self, features: np.ndarray, chances: np.ndarray, *, multilabel: bool = False) -> np.ndarray:
        """Return how likely each label is in other documents, given the guesses for these.

        Rows sum to one, unless `multilabel`.
        """
        with one_blas_thread():
            if multilabel:
                sure = logit(np.clip(chances, 1.0 - _SUREST, _SUREST))
                return expit(features.astype(np.float64) @ self.distil(sure))
            scores = np.maximum(features.astype(np.float64) @ self.distil(chances), np.finfo(np.float32).tiny)
        return scores / scores.sum(axis=1, keepdims=True)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Which documents have which labels, and what guesses the others.

    Attributes
    ----------
    guesser : Guesser
        What guesses.
    rows : int array of shape (n_labelled,)
        Labelled documents, in order.
    targets : array of shape (n_labelled, n_labels)
        Their labels; every label has a document. Rows sum to one; or with `multilabel`, 1 for each label of a document.
    labels : tuple of str
        Names of the columns.
    multilabel : bool
        Whether each label has a chance of its own.
    """

    guesser: Guesser
    rows: np.ndarray
    targets: np.ndarray
    labels: tuple[str, ...]
    multilabel: bool = False

    def guess_without(self, held: np.ndarray, at: np.ndarray | None = None) -> np.ndarray:
        """Return how likely each label is, had some labelled documents no labels.

        Parameters
        ----------
        held : bool array of shape (n_labelled,)
            Which labelled documents are held back; not all.
        at : int array of shape (n_at,), optional
            Rows to guess; all by default.

        Returns
        -------
        array of shape (n_at, n_labels)
            Zero for a label that only documents held back have.
        """
        known = self.targets[~held]
        has = known.any(axis=0)
        found = self.guesser.guess_at(self.rows[~held], known[:, has], at, multilabel=self.multilabel)
        chances = np.zeros((len(found), self.targets.shape[1]))
        chances[:, has] = found
        return chances

    def guess_each(self, *, n_folds: int = 20, random_state: int = 0, progress: Progress = ignore) -> np.ndarray:
        """Return how likely each label is in each labelled document by the labels of others: cross-validation.

        Parameters
        ----------
        n_folds : int
            In how many parts labelled documents are held back; one by one if there are no more of them.
        random_state : int
            Seed of the parts.
        progress : callable
            Told ``("folds", done, total)``.

        Returns
        -------
        array of shape (n_labelled, n_labels)
            Zero for a label that only the part has; all zero where there is one labelled document.
        """
        chances = np.zeros(self.targets.shape)
        n_folds = min(n_folds, len(self.rows))
        if n_folds < 2:
            return chances
        # Documents of one label go to different parts, so that a label of few is not held back whole.
        drawn = np.random.default_rng(random_state).permutation(len(self.rows))
        folds = np.empty(len(self.rows), dtype=np.int64)
        folds[drawn[np.argsort(self.targets[drawn].argmax(axis=1), kind="stable")]] = np.arange(len(drawn)) % n_folds
        for fold in range(n_folds):
            progress("folds", fold, n_folds)
            held = folds == fold
            chances[held] = self.guess_without(held, self.rows[held])
        progress("folds", n_folds, n_folds)
        return chances
